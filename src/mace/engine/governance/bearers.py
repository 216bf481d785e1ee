"""Bearer tokens: opaque, hashed at rest, expiring, revocable, never wider than the account they are for."""

import re
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from mace.core import canon
from mace.core.answers import Role
from mace.core.errors import AuthError, InvalidInput, NotFound
from mace.core.times import iso_us, parse_instant
from mace.engine.governance.accounts import Accounts
from mace.engine.kernel import signed
from mace.engine.kernel.world import World
from mace.governance import tokens
from mace.governance.tokens import Standing
from mace.ledger import records
from mace.storage.ports import Tx

TOKEN_LIFE = timedelta(days=30)
_SCOPE = re.compile(r"[a-z][a-z_]{1,63}")  # as the policy names actions
LONGEST_TOKEN_LIFE = timedelta(days=365)


class Bearers:
    """Issues, revokes and checks bearer tokens."""

    def __init__(self, world: World, accounts: Accounts) -> None:
        self._world = world
        self._accounts = accounts

    def issue(
        self,
        account: str,
        by: str,
        *,
        life: timedelta = TOKEN_LIFE,
        roles: list[str] | None = None,
        scopes: list[str] | None = None,
    ) -> dict[str, Any]:
        """Make a bearer token for an account, at most with its roles; the token is shown this once."""
        if not timedelta(seconds=1) <= life <= LONGEST_TOKEN_LIFE:
            raise InvalidInput("life must be between 1 second and 1 year")
        if any(not _SCOPE.fullmatch(scope) for scope in scopes or []):
            raise InvalidInput("scopes must be names of actions, such as sem_get")
        token = tokens.token_text(self._world.entropy.token(tokens.TOKEN_BYTES))

        def unit(tx: Tx) -> dict[str, Any]:
            held = self._accounts.shown(tx, account)
            wanted = sorted(set(held["roles"] if roles is None else roles))
            if not held["active"] or not set(wanted) <= set(held["roles"]) or not wanted:
                raise InvalidInput("roles must be some of the account's roles, and the account must be active")
            digest = tokens.token_hash(token)
            content = {
                "token_id": digest[:16],
                "account": account,
                "roles": wanted,
                "scopes": sorted(set(scopes or [])),
                "expires_at": iso_us(self._world.clock.now() + life),
                "by": by,
            }
            record = records.make("token", digest, content, self._world.keys.sign, parent=account)
            tx.records.add(record)
            payload = {"token_id": content["token_id"], "account": account, "expires_at": content["expires_at"]}
            self._accounts.note(tx, "TOKEN_ISSUED", payload, by, record)
            return {**content, "token": token}

        return self._world.store.write(unit)

    def revoke(self, account: str, token_id: str, by: str) -> dict[str, Any]:
        """Take a token back, at once. Idempotent."""

        def unit(tx: Tx) -> dict[str, Any]:
            held = [row for row in tx.records.children("token", account) if row.key.startswith(token_id)]
            if len(held) != 1 or not token_id:
                raise NotFound(what=f"token {token_id}")
            digest = held[0].key
            if tx.records.get("token_revoked", digest) is None:
                content = {"token_id": digest[:16], "account": account, "at": iso_us(self._world.clock.now()), "by": by}
                record = records.make("token_revoked", digest, content, self._world.keys.sign, parent=account)
                tx.records.add(record)
                self._accounts.note(tx, "TOKEN_REVOKED", {"token_id": digest[:16], "account": account}, by, record)
            return {"token_id": digest[:16], "account": account, "revoked": True}

        return self._world.store.write(unit)

    def of(self, account: str) -> list[dict[str, Any]]:
        """The tokens of an account, without the tokens."""

        def look(tx: Tx) -> list[dict[str, Any]]:
            return [
                {**canon.loads(row.body), "revoked": tx.records.get("token_revoked", row.key) is not None}
                for row in tx.records.children("token", account)
            ]

        return self._world.store.read(look)

    def read(self, token: str) -> "Shown":
        """Whose token this is; `AuthError`, whose words do not tell a wrong token from an old one."""
        return self.standing(tokens.token_hash(token))

    def standing(self, token_hash: str) -> "Shown":
        """What a token allows now: less than when it was issued where its account lost a role since."""

        def look(tx: Tx) -> tuple[Standing, dict[str, Any], dict[str, Any]]:
            record = tx.records.get("token", token_hash)
            if record is None:
                return Standing.UNKNOWN, {}, {}
            content = signed.read(self._world.keys, record)
            revoked = tx.records.get("token_revoked", token_hash) is not None
            until = parse_instant(content["expires_at"])
            stands = tokens.standing(until, self._world.clock.now(), revoked=revoked)
            return stands, content, self._accounts.shown(tx, content["account"])

        stands, content, account = self._world.store.read(look)
        if stands is not Standing.GOOD or not account["active"]:
            raise AuthError("the token is not valid")
        return Shown(
            account=content["account"],
            roles=frozenset(content["roles"]) & frozenset(account["roles"]),
            person=account["person"],
            scopes=frozenset(content["scopes"]),
            token_hash=token_hash,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What somebody who shows a token is."""

    account: str
    roles: frozenset[Role]
    person: str
    scopes: frozenset[str]
    token_hash: str
