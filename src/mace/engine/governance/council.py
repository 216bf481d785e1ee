"""Changes of the council itself: where there is one, it decides who sits on it and with which second factor.

Otherwise one admin could make three members of their own, or give a member a second factor that only the admin has. A
council that is too small to decide anything is no council, and a member without a second factor cannot vote: while
fewer than the quorum could, an admin changes accounts as everywhere.
"""

from typing import Any

from mace.core.errors import ApprovalNeeded
from mace.core.times import parse_instant
from mace.engine.governance.accounts import Accounts
from mace.engine.governance.approvals import Approvals
from mace.engine.kernel import signed
from mace.engine.kernel.journal import Journal, SystemJournal
from mace.engine.kernel.recorder import Recorder
from mace.engine.kernel.world import World
from mace.governance.approvals import COUNCIL, ApprovalRules, Kind, who_decides
from mace.storage.ports import Tx

_SEAT = "council"


class Council:
    def __init__(
        self, world: World, recorder: Recorder, accounts: Accounts, approvals: Approvals, rules: ApprovalRules
    ) -> None:
        self._world = world
        self._recorder = recorder
        self._accounts = accounts
        self._approvals = approvals
        self._rules = rules

    def create(self, name: str, roles: list[str], by: str, *, user_id: str | None = None) -> dict[str, Any]:
        """Make an account; one that would sit on a council that can decide is asked for instead."""
        self._accounts.check(name, roles)
        if _SEAT in roles and self._world.store.read(self._decides):
            wanted = {"change": "create", "account": name, "roles": sorted(set(roles)), "user_id": user_id}
            self._ask(f"council/{name}", wanted, by)
        return self._accounts.create(name, roles, by, user_id=user_id)

    def change(
        self, name: str, by: str, *, roles: list[str] | None = None, active: bool | None = None
    ) -> dict[str, Any]:
        """Change an account; one that sits on the council, or would from now on, is asked for instead."""
        self._accounts.check(name, roles if roles is not None else ["viewer"])

        def concerns(tx: Tx) -> bool:
            sits = _SEAT in self._accounts.shown(tx, name)["roles"]
            return (sits or _SEAT in (roles or ())) and self._decides(tx)

        if self._world.store.read(concerns):
            wanted = {"change": "change", "account": name, "roles": roles and sorted(set(roles)), "active": active}
            self._ask(f"council/{name}", wanted, by)
        return self._accounts.change(name, by, roles=roles, active=active)

    def enrol(self, name: str, by: str) -> dict[str, str]:
        """Give an account a second factor; another one for a member of the council waits for its approval, once."""

        def needs_approval(tx: Tx) -> bool:
            account = self._accounts.shown(tx, name)
            return _SEAT in account["roles"] and self._decides(tx) and not self._approved(tx, name)

        if self._world.store.read(needs_approval):
            self._ask(f"council/{name}/second_factor", {"change": "second_factor", "account": name}, by)
        return self._accounts.enrol(name, by)

    def carry(self, tx: Tx, journal: Journal, held: dict[str, Any], by: str) -> dict[str, Any]:
        """Carry out an approved change; a new second factor is then made by whoever asked, and shown to them once."""
        wanted = held["details"]
        match wanted["change"]:
            case "create":
                made = self._accounts.create_in(tx, wanted["account"], wanted["roles"], by, wanted["user_id"])
                return {"account": made}
            case "change":
                changed = self._accounts.change_in(tx, wanted["account"], by, wanted["roles"], wanted["active"])
                return {"account": changed}
        return {"account": self._accounts.shown(tx, wanted["account"])}

    def _decides(self, tx: Tx) -> bool:
        able = [name for name in self._accounts.council(tx) if self._accounts.shown(tx, name)["second_factor"]]
        return who_decides(Kind.COUNCIL_CHANGE, len(able), self._rules) == COUNCIL

    def _approved(self, tx: Tx, name: str) -> bool:
        """Whether the council agreed to a second factor since the last one; the first goes with the seat."""
        held = tx.records.children("second_factor", name)
        if not held:
            return bool(self._approvals.approved(tx, Kind.COUNCIL_CHANGE, f"council/{name}"))
        last = parse_instant(signed.read(self._world.keys, held[-1])["at"])
        about = f"council/{name}/second_factor"
        agreed = self._approvals.approved(tx, Kind.COUNCIL_CHANGE, about)
        return any(parse_instant(self._approvals.decided_at(tx, item)) >= last for item in agreed)

    def _ask(self, about: str, wanted: dict[str, Any], by: str) -> None:
        def unit(tx: Tx) -> str:
            journal = SystemJournal(self._recorder)
            request_id: str = self._approvals.open(tx, journal, Kind.COUNCIL_CHANGE, by, about, wanted)["request_id"]
            return request_id

        request_id = self._world.store.write(unit)
        raise ApprovalNeeded(f"the council decides this; it was asked as {request_id}", request_id=request_id)
