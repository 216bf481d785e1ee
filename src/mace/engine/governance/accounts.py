"""Accounts and second factors: who somebody is, proved and on the record.

The secret of a second factor is sealed; what was used of it is signed. A second-factor code is
taken in a unit of its own before the action it allows: a refused attempt must not vanish with a roll-back, and a code
is used up even if the action then fails.
"""

import re
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from mace.core import canon
from mace.core.errors import Conflict, InvalidInput, MaceError, NotFound, PermissionDenied
from mace.core.times import from_ms, iso_us, to_ms
from mace.engine.kernel import signed
from mace.engine.kernel.cleaning import check_words
from mace.engine.kernel.journal import SystemJournal
from mace.engine.kernel.persons import enter_person
from mace.engine.kernel.privacy import check_user_id
from mace.engine.kernel.recorder import Recorder
from mace.engine.kernel.vault import Vault
from mace.engine.kernel.world import World
from mace.governance import tokens
from mace.governance.access import ROLES, STRONG_ROLES, Principal
from mace.governance.approvals import Voter
from mace.governance.tokens import FactorRules, FactorState, FactorVerdict
from mace.ledger import records
from mace.storage.ports import Record, Tx

_NAME = re.compile(r"[a-z0-9][a-z0-9_.-]{0,63}")
_RESERVED = frozenset({"system", "system_admin", "user"})


class Unauthenticated(MaceError):
    """Not proved to be who they say."""

    code = "AUTH_ERROR"


class SecondFactor(Protocol):
    def provisioning_uri(self, secret: str, account: str) -> str: ...
    def step_of(self, secret: str, code: str, at: datetime, window_steps: int) -> int | None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Acting:
    """Somebody who proved to be who they are, about to do something."""

    name: str
    roles: frozenset[str]
    is_owner: bool = False
    is_only_admin: bool = False
    step: int | None = None  # of the second-factor code that was used
    person: str = ""
    scopes: frozenset[str] = field(default_factory=frozenset)

    def voter(self) -> Voter:
        return Voter(name=self.name, roles=self.roles, is_owner=self.is_owner, is_only_admin=self.is_only_admin)

    def principal(self) -> Principal:
        return Principal(
            name=self.name,
            roles=self.roles,
            person=self.person,
            scopes=self.scopes,
            second_factor=self.step is not None,
            is_owner=self.is_owner,
        )


Who = str | Acting  # a name that has yet to prove itself, or somebody who has


class Accounts:
    def __init__(
        self,
        world: World,
        recorder: Recorder,
        vault: Vault,
        factor: SecondFactor,
        *,
        embedded: bool,
        rules: FactorRules | None = None,
    ) -> None:
        self._world = world
        self._recorder = recorder
        self._vault = vault
        self._factor = factor
        self._embedded = embedded
        self._rules = rules or FactorRules()

    # Accounts

    def create(
        self,
        name: str,
        roles: list[str],
        actor: Who,
        totp: str | None = None,
        *,
        user_id: str | None = None,
        door: bool = False,
    ) -> dict[str, Any]:
        """Make an account, of a user where one is named; the first admin is made on the node, never through a door."""
        self._check(name, roles)
        by = self.manager(actor, totp, door=door)

        def unit(tx: Tx) -> dict[str, Any]:
            if tx.records.get("account", name) is not None:
                raise Conflict(f"there is an account {name}")
            person = "" if user_id is None else enter_person(tx, SystemJournal(self._recorder), user_id)
            content = {"name": name, "roles": sorted(set(roles)), "person": person, "created_at": self._now(), "by": by}
            record = records.make("account", name, content, self._world.keys.sign)
            tx.records.add(record)
            self.note(tx, "ACCOUNT_CREATED", {"account": name, "roles": content["roles"]}, by, record)
            return self.shown(tx, name)

        return self._world.store.write(unit)

    def change(
        self,
        name: str,
        actor: Who,
        totp: str | None = None,
        *,
        roles: list[str] | None = None,
        active: bool | None = None,
        door: bool = False,
    ) -> dict[str, Any]:
        """Give an account other roles, or switch it off or on; its tokens follow at once."""
        self._check(name, roles if roles is not None else ["viewer"])
        by = self.manager(actor, totp, door=door)

        def unit(tx: Tx) -> dict[str, Any]:
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

        return self._world.store.write(unit)

    @staticmethod
    def _check(name: str, roles: list[str]) -> None:
        if not isinstance(name, str) or not _NAME.fullmatch(name) or name in _RESERVED:
            raise InvalidInput("an account's name is 1 to 64 of a-z, 0-9, _ . - and not a reserved word")
        check_user_id(name)
        if not roles or any(role not in ROLES for role in roles):
            raise InvalidInput(f"roles are {', '.join(ROLES)}")

    def manager(
        self, actor: Who, totp: str | None = None, roles: frozenset[str] = frozenset({"admin"}), *, door: bool = False
    ) -> str:
        """Who runs things: somebody in one of these roles; and while no admin could prove to be one, whoever has the
        node in their hands. Returns the name that goes onto the record.
        """

        def provable(tx: Tx) -> bool:
            return any(self.shown(tx, name)["second_factor"] for name in self.admins(tx))

        if isinstance(actor, str) and not door and not self._world.store.read(provable):
            check_words(actor, "an actor's name", 64)
            return actor
        return self.act(actor, set(roles), totp, door=door).name

    def all(self) -> list[dict[str, Any]]:
        return self._world.store.read(lambda tx: [self.shown(tx, name) for name in self._names(tx)])

    @staticmethod
    def _names(tx: Tx) -> list[str]:
        found: list[str] = []
        while page := tx.records.scan("account", found[-1] if found else ""):
            found += [record.key for record in page]
        return found

    def shown(self, tx: Tx, name: str) -> dict[str, Any]:
        record = tx.records.get("account", name)
        if record is None:
            raise NotFound(what=f"account {name}")
        shown = {**signed.read(self._world.keys, record), "active": True}
        for change in tx.records.children("account_change", name):
            said = signed.read(self._world.keys, change)
            shown |= {"roles": said["roles"], "active": said["active"]}
        shown["second_factor"] = bool(tx.records.children("second_factor", name))
        return shown

    def _with_role(self, tx: Tx, role: str) -> list[str]:
        shown = [self.shown(tx, name) for name in self._names(tx)]
        return [item["name"] for item in shown if item["active"] and role in item["roles"]]

    def council(self, tx: Tx) -> list[str]:
        return self._with_role(tx, "council")

    def admins(self, tx: Tx) -> list[str]:
        return self._with_role(tx, "admin")

    # Acting

    def act(self, name: Who, roles: set[str], totp: str | None, *, door: bool = False) -> Acting:
        """Let somebody act in one of these roles, or raise. Strong roles prove themselves with a code, each time.

        In an embedded directory a name that is no account is its owner, who holds the keys anyway; a name that is one
        must prove itself there too, or three votes could come from one hand.
        """
        if isinstance(name, Acting):
            return _as(name, roles)
        if not isinstance(name, str) or not 0 < len(name) <= 64:
            raise InvalidInput("an actor has a name of 1 to 64 characters")
        known = self._world.store.read(lambda tx: tx.records.get("account", name) is not None)
        if not known:
            if self._embedded and not door and name not in _RESERVED - {"system_admin"}:
                check_user_id(name)
                return Acting(name=name, roles=frozenset({"admin"}), is_owner=True)
            raise PermissionDenied(actor="an unknown account", action=f"act as {' or '.join(sorted(roles))}")
        account, admins = self._world.store.read(lambda tx: (self.shown(tx, name), self.admins(tx)))
        held = frozenset(account["roles"])
        if not account["active"] or not held & roles:
            raise PermissionDenied(actor=name, action=f"act as {' or '.join(sorted(roles))}")
        step = self.confirm(name, totp) if held & roles & STRONG_ROLES else None
        return Acting(name=name, roles=held, step=step, is_only_admin=admins == [name], person=account["person"])

    def confirm(self, name: str, totp: str | None) -> int:
        """Take a second-factor code, once; raise `Unauthenticated` and count the failure otherwise."""
        if totp is None:
            raise Unauthenticated("a second-factor code is needed")

        def unit(tx: Tx) -> tuple[FactorVerdict, int]:
            tx.lock(f"second_factor/{name}")
            secret = self._secret(tx, name)
            if secret is None:
                raise Unauthenticated("this account has no second factor yet")
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
            raise Unauthenticated(_SAID[verdict])
        return step

    def enrol(self, name: str, actor: Who, totp: str | None = None, *, door: bool = False) -> dict[str, str]:
        """Give an account a (new) second factor; the secret and its QR text are shown this once."""
        by = self.manager(actor, totp, door=door)
        secret = tokens.totp_secret(self._world.entropy.token(tokens.TOTP_BYTES))

        def unit(tx: Tx) -> None:
            self.shown(tx, name)
            number = len(tx.records.children("second_factor", name))
            ref = f"second_factor/{name}/{number:08d}"
            self._vault.put_blob(tx, ref, f"system/{ref}", None, secret.encode())
            content = {"account": name, "blob": ref, "at": self._now(), "by": by}
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
            raise Unauthenticated("the state of this second factor was changed; an admin must enrol it anew")
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
        named = payload if record is None else {**payload, "record": records.reference(record)}
        self._recorder.append(tx, self._recorder.system(tx), event_type, named, by)


def _as(acting: Acting, roles: set[str]) -> Acting:
    """Somebody who proved themselves before, in one of these roles."""
    if not acting.roles & roles:
        raise PermissionDenied(actor=acting.name, action=f"act as {' or '.join(sorted(roles))}")
    if acting.roles & roles & STRONG_ROLES and acting.step is None and not acting.is_owner:
        raise Unauthenticated("a second-factor code is needed")
    return acting


_SAID = {
    FactorVerdict.WRONG: "the second-factor code is wrong",
    FactorVerdict.REPLAYED: "this second-factor code was used already",
    FactorVerdict.LOCKED: "too many wrong codes: this account is locked for a while",
}
