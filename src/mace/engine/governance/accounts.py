"""Accounts and second factors: who somebody is, proved and on the record.

The secret of a second factor is sealed; what was used of it is signed. A second-factor code is
taken in a unit of its own before the action it allows: a refused attempt must not vanish with a roll-back, and a code
is used up even if the action then fails.
"""

import re
from collections.abc import Callable
from typing import Any

from mace.core import canon
from mace.core.caller import Caller
from mace.core.errors import AuthError, Conflict, InvalidInput, NotFound
from mace.core.times import from_ms, iso_us, to_ms
from mace.engine.kernel import signed
from mace.engine.kernel.journal import SystemJournal
from mace.engine.kernel.persons import enter_person, person_of
from mace.engine.kernel.privacy import check_user_id
from mace.engine.kernel.recorder import Recorder
from mace.engine.kernel.vault import Vault
from mace.engine.kernel.world import World
from mace.governance import tokens
from mace.governance.access import ROLES
from mace.governance.approvals import Voter
from mace.governance.tokens import FactorRules, FactorState, FactorVerdict
from mace.ledger import records
from mace.providers.ports import SecondFactor
from mace.storage.ports import Record, Tx

_NAME = re.compile(r"[a-z0-9][a-z0-9_.-]{0,63}")
_RESERVED = frozenset({"owner", "system", "system_admin", "user"})


class Accounts:
    """Creates and changes accounts, and authenticates callers with second factors."""

    def __init__(
        self,
        world: World,
        recorder: Recorder,
        vault: Vault,
        factor: SecondFactor,
        *,
        rules: FactorRules | None = None,
    ) -> None:
        self._world = world
        self._recorder = recorder
        self._vault = vault
        self._factor = factor
        self._rules = rules or FactorRules()

    # Accounts

    def create(
        self,
        name: str,
        roles: list[str],
        by: str,
        *,
        user_id: str | None = None,
    ) -> dict[str, Any]:
        """Make an account, of a user where one is named."""
        self.check(name, roles)
        return self._world.store.write(lambda tx: self.create_in(tx, name, roles, by, user_id))

    def create_in(self, tx: Tx, name: str, roles: list[str], by: str, user_id: str | None) -> dict[str, Any]:
        """Make an account inside a unit."""
        if tx.records.get("account", name) is not None:
            raise Conflict(f"account {name!r} already exists")
        person = "" if user_id is None else enter_person(tx, SystemJournal(self._recorder), user_id)
        content: dict[str, Any] = {"name": name, "roles": sorted(set(roles)), "person": person}
        content |= {"created_at": self._now(), "by": by}
        if user_id is not None:
            content["user_id"] = user_id
        record = records.make("account", name, content, self._world.keys.sign)
        tx.records.add(record)
        self.note(tx, "ACCOUNT_CREATED", {"account": name, "roles": content["roles"], "person": person}, by, record)
        return self.shown(tx, name)

    def change(
        self,
        name: str,
        by: str,
        *,
        roles: list[str] | None = None,
        active: bool | None = None,
    ) -> dict[str, Any]:
        """Give an account other roles, or switch it off or on; its tokens follow at once."""
        self.check(name, roles if roles is not None else ["viewer"])
        return self._world.store.write(lambda tx: self.change_in(tx, name, by, roles, active))

    def change_in(self, tx: Tx, name: str, by: str, roles: list[str] | None, active: bool | None) -> dict[str, Any]:
        """Change an account inside a unit."""
        before = self.shown(tx, name)
        content = {
            "name": name,
            "roles": before["roles"] if roles is None else sorted(set(roles)),
            "active": before["active"] if active is None else active,
            "at": self._now(),
            "by": by,
        }
        number = len(tx.records.children("account_change", name))
        key = f"{name}/{number:08d}"
        record = records.make("account_change", key, content, self._world.keys.sign, parent=name)
        tx.records.add(record)
        payload = {"account": name, "roles": content["roles"], "active": content["active"]}
        self.note(tx, "ACCOUNT_CHANGED", payload, by, record)
        return self.shown(tx, name)

    @staticmethod
    def check(name: str, roles: list[str]) -> None:
        """Refuse a name or roles that no account can have."""
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise InvalidInput("name must be 1 to 64 characters of a-z, 0-9, '_', '.' and '-'")
        if name in _RESERVED:
            raise InvalidInput(f"name must not be a reserved word ({', '.join(sorted(_RESERVED))})")
        check_user_id(name)
        if not roles or any(role not in ROLES for role in roles):
            raise InvalidInput(f"roles must be one or more of {', '.join(ROLES)}")

    def can_prove(self, tx: Tx) -> bool:
        """Say whether some admin has a second factor; until then whoever runs the node makes the first accounts."""
        return any(self.shown(tx, name)["second_factor"] for name in self.admins(tx))

    def all(self) -> list[dict[str, Any]]:
        """Return all accounts."""
        return self._world.store.read(lambda tx: [self.shown(tx, name) for name in self._names(tx)])

    @staticmethod
    def _names(tx: Tx) -> list[str]:
        found: list[str] = []
        while page := tx.records.scan("account", found[-1] if found else ""):
            found += [record.key for record in page]
        return found

    def shown(self, tx: Tx, name: str) -> dict[str, Any]:
        """Return one account as callers see it; raise `NotFound` if it does not exist."""
        record = tx.records.get("account", name)
        if record is None:
            raise NotFound(what=f"account {name}")
        shown = {**signed.read(self._world.keys, record), "active": True}
        shown.pop("user_id", None)  # the person it is for is shown as facts name them
        for change in tx.records.children("account_change", name):
            said = signed.read(self._world.keys, change)
            shown |= {"roles": said["roles"], "active": said["active"]}
        shown["second_factor"] = bool(tx.records.children("second_factor", name))
        return shown

    def user_id(self, tx: Tx, name: str) -> str | None:
        """How the person of an account is called; for accounts from before that was kept, their slug where it tells."""
        record = tx.records.get("account", name)
        if record is None:
            return None
        content = signed.read(self._world.keys, record)
        slug: str = content["person"]
        known: str | None = content.get("user_id")
        return known or (slug if slug and person_of(tx, slug) == slug else None)

    def _with_role(self, tx: Tx, role: str) -> list[str]:
        shown = [self.shown(tx, name) for name in self._names(tx)]
        return [item["name"] for item in shown if item["active"] and role in item["roles"]]

    def council(self, tx: Tx) -> list[str]:
        """Return the names of active council members."""
        return self._with_role(tx, "council")

    def admins(self, tx: Tx) -> list[str]:
        """Return the names of active admins."""
        return self._with_role(tx, "admin")

    def voter(self, tx: Tx, by: Caller) -> Voter:
        """A caller as the rules of voting see them."""
        alone = by._step is not None and self.admins(tx) == [by.name]
        roles = frozenset(by.roles) if by._step is not None else frozenset(by.roles) - {"council"}  # a seat has a code
        person = by.person or ""
        return Voter(name=by.name, roles=roles, is_owner=by._is_owner, is_only_admin=alone, person=person)

    # Second factors

    def confirm(self, name: str, totp: str | None) -> int:
        """Take a second-factor code, once; raise `AuthError` and count the failure otherwise."""
        if totp is None:
            raise AuthError("this needs a second-factor code (totp)")

        def unit(tx: Tx) -> tuple[FactorVerdict, int]:
            tx.lock(f"second_factor/{name}")
            secret = self._secret(tx, name)
            if secret is None:
                raise AuthError("this account has no second factor yet")
            now = self._world.clock.now()
            step = self._factor.step_of(secret, totp, now, self._rules.window_steps)
            before = self._state(tx, name)
            after, verdict = tokens.judge_factor(before, step, to_ms(now), self._rules)
            if after != before:
                self._keep_state(tx, name, after)
            if verdict is not FactorVerdict.GOOD:
                self.note(tx, "SECOND_FACTOR_REFUSED", {"account": name, "because": verdict.value}, "system")
                if after.locked_until_ms > before.locked_until_ms:
                    until = iso_us(from_ms(after.locked_until_ms))
                    self.note(tx, "ACCOUNT_LOCKED", {"account": name, "until": until}, "system")
                    self.note(tx, "ADMIN_ALERT", {"about": "ACCOUNT_LOCKED", "account": name}, "system")
            return verdict, -1 if step is None else step

        verdict, step = self._world.store.write(unit)
        if verdict is not FactorVerdict.GOOD:
            raise AuthError(_SAID[verdict])
        return step

    def enrol(self, name: str, by: str, agreed: Callable[[Tx], str | None] = lambda tx: None) -> dict[str, str]:
        """Give an account a (new) second factor; the secret and its QR text are shown this once."""
        secret = tokens.totp_secret(self._world.entropy.token(tokens.TOTP_BYTES))

        def unit(tx: Tx) -> None:
            self.shown(tx, name)
            number = len(tx.records.children("second_factor", name))
            ref = f"second_factor/{name}/{number:08d}"
            self._vault.put_blob(tx, ref, f"system/{ref}", None, secret.encode())
            content = {"account": name, "blob": ref, "at": self._now(), "by": by}
            approval_id = agreed(tx)  # counts once: it is named here
            if approval_id is not None:
                content["approval_id"] = approval_id
            record = records.make("second_factor", f"{name}/{number:08d}", content, self._world.keys.sign, parent=name)
            tx.records.add(record)
            self._keep_state(tx, name, FactorState())
            self.note(tx, "SECOND_FACTOR_ENROLLED", {"account": name, "number": number}, by, record)

        self._world.store.write(unit)
        return {"account": name, "secret": secret, "uri": self._factor.provisioning_uri(secret, name)}

    def _secret(self, tx: Tx, name: str) -> str | None:
        held = tx.records.children("second_factor", name)
        plain = self._vault.blob(tx, signed.read(self._world.keys, held[-1])["blob"]) if held else None
        return None if plain is None else plain.decode()

    def _state(self, tx: Tx, name: str) -> FactorState:
        """Where the codes stand. Whoever has the database can change a note, so it is signed; a bad one locks."""
        held = tx.notes.get(f"second_factor/{name}")
        if held is None:
            return FactorState()
        content = canon.loads(held)
        digest = bytes.fromhex(canon.hash_of([name, content["state"]]))
        if not self._world.keys.check(digest, content["signature"]):
            raise AuthError("the state of this second factor was changed; an admin must enrol it anew")
        return FactorState(**content["state"])

    def _keep_state(self, tx: Tx, name: str, state: FactorState) -> None:
        plain = {
            "last_step": state.last_step,
            "failures": state.failures,
            "locked_until_ms": state.locked_until_ms,
        }
        signature = self._world.keys.sign(bytes.fromhex(canon.hash_of([name, plain])))
        content = canon.dumps({"state": plain, "signature": signature})
        tx.notes.put(f"second_factor/{name}", content.decode())

    def _now(self) -> str:
        return iso_us(self._world.clock.now())

    def note(self, tx: Tx, event_type: str, payload: dict[str, Any], by: str, record: Record | None = None) -> None:
        """Write an account event to the system stream."""
        named = payload if record is None else {**payload, "record": records.reference(record)}
        self._recorder.append(tx, self._recorder.system(tx), event_type, named, by)


_SAID = {
    FactorVerdict.WRONG: "the second-factor code is wrong",
    FactorVerdict.REPLAYED: "the second-factor code was already used",
    FactorVerdict.LOCKED: "too many wrong codes: this account is locked for a while",
}
