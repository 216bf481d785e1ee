"""Accounts and second factors: who somebody is, proved and on the record.

Who has which roles is what the events say; a row that is not what its event names stops whoever would act by it. The
secret of a second factor is sealed; where its codes stand is in the newest event about it. A second-factor code is
taken in a unit of its own before the action it allows: a refused attempt must not vanish with a roll-back, and a code
is used up even if the action then fails.
"""

import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from mace.core import canon
from mace.core.caller import Caller
from mace.core.errors import AuthError, Conflict, IntegrityFailure, InvalidInput, NotFound
from mace.core.purposes import Purpose
from mace.core.times import from_ms, iso_us, to_ms
from mace.engine.kernel.bound import Bound, Named
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
        bound: Bound,
        factor: SecondFactor,
        *,
        rules: FactorRules | None = None,
    ) -> None:
        self._world = world
        self._recorder = recorder
        self._vault = vault
        self._bound = bound
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
        if self.exists(tx, name):
            raise Conflict(f"account {name!r} already exists")
        person = "" if user_id is None else enter_person(self._world.slots, tx, SystemJournal(self._recorder), user_id)
        content: dict[str, Any] = {"name": name, "roles": sorted(set(roles)), "person": person}
        content |= {"created_at": self._now(), "by": by}
        if user_id is not None:
            content["user_id"] = user_id
        record = records.make("account", name, content, self._world.keys.sign)
        self._bound.add(tx, record)
        self.note(tx, "ACCOUNT_CREATED", {"account": name, "roles": content["roles"], "person": person}, by, record)
        return self._told(tx, name)

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
        before = self._told(tx, name)  # by the events: a damaged row must not keep anybody from switching it off
        content = {
            "name": name,
            "roles": before["roles"] if roles is None else sorted(set(roles)),
            "active": before["active"] if active is None else active,
            "at": self._now(),
            "by": by,
        }
        key = f"{name}/{self._bound.next_number(tx, 'account_change', name):08d}"
        record = records.make("account_change", key, content, self._world.keys.sign, parent=name)
        self._bound.add(tx, record)
        payload = {"account": name, "roles": content["roles"], "active": content["active"]}
        self.note(tx, "ACCOUNT_CHANGED", payload, by, record)
        return self._told(tx, name)

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
        """Say whether some admin has a second factor; until then whoever runs the node makes the first accounts.

        An account that cannot be read may have been an admin's: damage makes nobody the first.
        """
        told, is_whole = self._all_told(tx)
        return not is_whole or any(_is_active(item, "admin") and item["second_factor"] for item in told)

    def all(self) -> list[dict[str, Any]]:
        """Return all accounts, as the ledger tells them; without those whose events were changed."""
        try:
            return self._world.store.read(self._all_told)[0]
        except IntegrityFailure:  # the store has met a row that cannot be read, and leaves it out from now on
            return self._world.store.read(self._all_told)[0]

    def of_person(self, tx: Tx, person: str) -> list[dict[str, Any]]:
        """The accounts of a person, without anything secret."""
        return [told for told in self._all_told(tx)[0] if told["person"] == person]

    def _all_told(self, tx: Tx) -> tuple[list[dict[str, Any]], bool]:
        """All accounts that can be read, by name, and whether that is all of them."""
        named, is_whole = self._bound.whole_names(tx, "account")
        told = []
        for name in sorted(held.key for held in named):
            try:
                told.append(self._told(tx, name))
            except NotFound:  # its row was taken over from an older store, is lost, and was set aside
                continue
            except IntegrityFailure:
                is_whole = False
        return told, is_whole

    def _names(self, tx: Tx) -> list[str]:
        return sorted(named.key for named in self._bound.names(tx, "account") if self._made(tx, named) is not None)

    def exists(self, tx: Tx, name: str) -> bool:
        """Say whether the ledger knows such an account."""
        return self._bound.happened(tx, "account", name)

    def shown(self, tx: Tx, name: str) -> dict[str, Any]:
        """Return one account for whoever acts by it; raise `NotFound` if it does not exist.

        A row of it that is gone or was changed is an `IntegrityFailure`, until it was set aside: then the events count.
        """
        told = self._told(tx, name)
        made = self._bound.named(tx, "account", name)
        if made is not None:
            self._bound.content(tx, "account", made)
        for change in self._bound.names(tx, "account_change", name):
            self._bound.content(tx, "account_change", change)
        return told

    def _told(self, tx: Tx, name: str) -> dict[str, Any]:
        """An account by its events, whatever became of its rows."""
        named = self._bound.named(tx, "account", name)
        made = None if named is None else self._made(tx, named)
        if made is None:
            raise NotFound(what=f"account {name}")
        told = {**made, "active": True}
        told.pop("user_id", None)  # the person it is for is shown as facts name them
        for change in self._bound.names(tx, "account_change", name):
            said = change.payload if "active" in change.payload else self._bound.content(tx, "account_change", change)
            if said is not None:
                told |= {"roles": said["roles"], "active": said["active"]}
        told["second_factor"] = bool(self.factors(tx, name))
        return told

    def _made(self, tx: Tx, named: Named) -> dict[str, Any] | None:
        """How an account was made: by its row, as long as that is what the event names, else by the event."""
        if "roles" not in named.payload:  # a row that was taken over with an older store
            return self._bound.content(tx, "account", named)
        held = self._bound.if_intact(tx, "account", named)
        if held is not None:
            return held
        said = named.payload
        made = {"name": named.key, "roles": said["roles"], "person": said.get("person", "")}
        return {**made, "created_at": named.at, "by": named.signed_by}

    def user_id(self, tx: Tx, name: str) -> str | None:
        """How the person of an account is called; for accounts from before that was kept, their slug where it tells."""
        content = self._bound.record(tx, "account", name)
        if content is None:
            return None
        slug: str = content["person"]
        known: str | None = content.get("user_id")
        return known or (slug if slug and person_of(self._world.slots, tx, slug) == slug else None)

    def _with_role(self, tx: Tx, role: str) -> list[str]:
        told = [self._told(tx, name) for name in self._names(tx)]
        return [item["name"] for item in told if _is_active(item, role)]

    def council(self, tx: Tx) -> list[str]:
        """Return the names of active council members."""
        return self._with_role(tx, "council")

    def admins(self, tx: Tx) -> list[str]:
        """Return the names of active admins."""
        return self._with_role(tx, "admin")

    def voter(self, tx: Tx, by: Caller) -> Voter:
        """A caller as the rules of voting see them."""
        alone = by._step is not None and self._is_only_admin(tx, by.name)
        roles = frozenset(by.roles) if by._step is not None else frozenset(by.roles) - {"council"}  # a seat has a code
        person = by.person or ""
        return Voter(name=by.name, roles=roles, is_owner=by._is_owner, is_only_admin=alone, person=person)

    def _is_only_admin(self, tx: Tx, name: str) -> bool:
        """Where an account cannot be read, nobody is known to be the only one: damage gives no rights."""
        told, is_whole = self._all_told(tx)
        return is_whole and [item["name"] for item in told if _is_active(item, "admin")] == [name]

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
            ahead = tokens.is_ahead(before, to_ms(now), self._rules)
            used = self._used_steps(tx, name) if ahead else ()
            after, verdict = tokens.judge_factor(before, step, to_ms(now), self._rules, used)
            state: dict[str, Any] = {"state": tokens.state_to_json(after)}
            if ahead:  # the clock went back since a code was used
                state["clock_behind_step"] = before.last_step
            if verdict is FactorVerdict.GOOD:
                self.note(tx, "SECOND_FACTOR_USED", {"account": name, "step": step, **state}, "system")
            else:
                self.note(tx, "SECOND_FACTOR_REFUSED", {"account": name, "because": verdict.value, **state}, "system")
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
            self._told(tx, name)
            number = self._bound.next_number(tx, "second_factor", name)
            ref = _secret_ref(name, number)
            self._vault.put_blob(tx, ref, f"system/{ref}", None, secret.encode())
            content = {"account": name, "blob": ref, "at": self._now(), "by": by}
            approval_id = agreed(tx)  # counts once: it is named here
            if approval_id is not None:
                content["approval_id"] = approval_id
            record = records.make("second_factor", f"{name}/{number:08d}", content, self._world.keys.sign, parent=name)
            self._bound.add(tx, record)
            fresh = {"state": tokens.state_to_json(FactorState()), "approval_id": approval_id}
            self.note(tx, "SECOND_FACTOR_ENROLLED", {"account": name, "number": number, **fresh}, by, record)

        self._world.store.write(unit)
        return {"account": name, "secret": secret, "uri": self._factor.provisioning_uri(secret, name)}

    def factors(self, tx: Tx, name: str) -> list[Named]:
        """The second factors that an account was given, as the ledger tells them; the last one counts."""
        return self._bound.names(tx, "second_factor", name)

    def approvals_used(self, tx: Tx, name: str) -> set[str]:
        """The approvals that the second factors of an account were made with: each counts once."""
        used = set()
        for named in self.factors(tx, name):
            content = self._bound.content(tx, "second_factor", named) or named.payload
            used |= {content["approval_id"]} if content.get("approval_id") else set()
        return used

    def _secret(self, tx: Tx, name: str) -> str | None:
        held = self.factors(tx, name)
        if not held:
            return None
        content = self._bound.content(tx, "second_factor", held[-1])
        number = int(held[-1].key.rpartition("/")[2])
        plain = self._vault.blob(tx, _secret_ref(name, number) if content is None else content["blob"])
        return None if plain is None else plain.decode()

    def _state(self, tx: Tx, name: str) -> FactorState:
        """Where the codes stand: what the newest event about them says."""
        newest = self._bound.newest(tx, f"factor/{name}")
        if newest is not None and "state" in newest[1]["payload"]:
            return tokens.state_from_json(newest[1]["payload"]["state"])
        return self._state_kept(tx, name)

    def _used_steps(self, tx: Tx, name: str) -> list[int]:
        """The steps of the codes that were used since the second factor in use was made, as their events say."""
        used: list[int] = []
        for event, said in self._bound.events(tx, f"factor/{name}"):
            if event.event_type == "SECOND_FACTOR_ENROLLED":
                used = []
            elif event.event_type == "SECOND_FACTOR_USED" and "step" in said["payload"]:
                used.append(said["payload"]["step"])
        return used

    def _state_kept(self, tx: Tx, name: str) -> FactorState:
        """Where they stood before events said so: in a signed note, taken over by the next event. A bad one locks."""
        held = tx.notes.get(f"second_factor/{name}")
        try:
            content = canon.loads(held or "")
            digest = bytes.fromhex(canon.hash_of([name, content["state"]]))
            if self._world.keys.check(Purpose.STATE, digest, content["signature"]):
                return tokens.state_from_json(content["state"])
        except (ValueError, LookupError, TypeError):
            pass
        raise AuthError("the state of this second factor was changed; an admin must enrol it anew")

    def sign_states_again(self, tx: Tx) -> None:
        """The key that signs has changed: a state that no event tells yet is signed by the new one."""
        after = ""
        while page := tx.records.scan("account", after):
            for record in page:
                name = record.key
                with suppress(AuthError):  # one that somebody changed stays what it is
                    if tx.notes.get(f"second_factor/{name}") is not None:
                        plain = tokens.state_to_json(self._state_kept(tx, name))
                        digest = bytes.fromhex(canon.hash_of([name, plain]))
                        signature = self._world.keys.sign(Purpose.STATE, digest)
                        content = canon.dumps({"state": plain, "signature": signature})
                        tx.notes.put(f"second_factor/{name}", content.decode())
            after = page[-1].key

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


def _is_active(told: dict[str, Any], role: str) -> bool:
    return bool(told["active"]) and role in told["roles"]


def _secret_ref(name: str, number: int) -> str:
    return f"second_factor/{name}/{number:08d}"
