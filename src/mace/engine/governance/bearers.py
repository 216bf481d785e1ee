"""Bearer tokens: opaque, hashed at rest, expiring, revocable, never wider than the account they are for."""

import re
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from mace.core.answers import Role
from mace.core.errors import AuthError, InvalidInput, NotFound
from mace.core.times import iso_us, parse_instant
from mace.engine.governance.accounts import Accounts
from mace.engine.kernel.bound import Bound, Named
from mace.engine.kernel.world import World
from mace.governance import tokens
from mace.governance.tokens import Standing
from mace.ledger import records
from mace.storage.ports import Tx

TOKEN_LIFE = timedelta(days=30)
_SCOPE = re.compile(r"[a-z][a-z_]{1,63}")  # as the policy names actions
LONGEST_TOKEN_LIFE = timedelta(days=365)
_TOLD = ("token_id", "account", "roles", "scopes", "expires_at")  # what the event says of a token


class Bearers:
    """Issues, revokes and checks bearer tokens."""

    def __init__(self, world: World, bound: Bound, accounts: Accounts) -> None:
        self._world = world
        self._bound = bound
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
            self._bound.add(tx, record)
            self._accounts.note(tx, "TOKEN_ISSUED", {name: content[name] for name in _TOLD}, by, record)
            return {**content, "token": token}

        return self._world.store.write(unit)

    def revoke(self, account: str, token_id: str, by: str) -> dict[str, Any]:
        """Take a token back, at once. Idempotent."""

        def unit(tx: Tx) -> dict[str, Any]:
            held = [named.key for named in self._of(tx, account) if named.key.startswith(token_id)]
            if len(held) != 1 or not token_id:
                raise NotFound(what=f"token {token_id}")
            digest = held[0]
            if not self._revoked(tx, digest):
                content = {"token_id": digest[:16], "account": account, "at": iso_us(self._world.clock.now()), "by": by}
                record = records.make("token_revoked", digest, content, self._world.keys.sign, parent=account)
                self._bound.add(tx, record)
                self._accounts.note(tx, "TOKEN_REVOKED", {"token_id": digest[:16], "account": account}, by, record)
            return {"token_id": digest[:16], "account": account, "revoked": True}

        return self._world.store.write(unit)

    def of(self, account: str) -> list[dict[str, Any]]:
        """The tokens of an account, without the tokens."""

        def look(tx: Tx) -> list[dict[str, Any]]:
            found = sorted(self._of(tx, account), key=lambda named: named.key)
            return [{**self._shown(tx, named), "revoked": self._revoked(tx, named.key)} for named in found]

        return self._world.store.read(look)

    def _of(self, tx: Tx, account: str) -> list[Named]:
        """The tokens that the ledger says were issued for an account."""

        def owner(named: Named) -> str | None:
            if "account" in named.payload:
                return str(named.payload["account"])
            content = self._bound.content(tx, "token", named)
            return None if content is None else str(content["account"])

        return [named for named in self._bound.names(tx, "token") if owner(named) == account]

    def _shown(self, tx: Tx, named: Named) -> dict[str, Any]:
        """A token as a list tells it: by its row, as long as that is what the event names, else by the event."""
        held = self._bound.if_intact(tx, "token", named)
        if held is not None:
            return held
        told = {"roles": [], "scopes": [], "by": named.signed_by}
        return told | {name: named.payload[name] for name in _TOLD if name in named.payload}

    def _revoked(self, tx: Tx, token_hash: str) -> bool:
        """A token that was taken back stays so, whatever becomes of the row that says so."""
        return self._bound.happened(tx, "token_revoked", token_hash)

    def read(self, token: str) -> "Shown":
        """Whose token this is; `AuthError`, whose words do not tell a wrong token from an old one."""
        return self.standing(tokens.token_hash(token))

    def standing(self, token_hash: str) -> "Shown":
        """What a token allows now: less than when it was issued where its account lost a role since."""

        def look(tx: Tx) -> tuple[Standing, dict[str, Any], dict[str, Any]]:
            content = self._bound.record(tx, "token", token_hash)
            if content is None:
                return Standing.UNKNOWN, {}, {}
            revoked = self._revoked(tx, token_hash)
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
