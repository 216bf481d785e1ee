"""Changes of the council itself: where there is one, it decides who sits on it and with which second factor.

Otherwise one admin could make three members of their own, or give a member a second factor that only the admin has. A
council that is too small to decide anything is no council, and a member without a second factor cannot vote: while
fewer than the quorum could, an admin changes accounts as everywhere.
"""

from typing import Any

from mace.core.errors import ApprovalNeeded, Conflict
from mace.core.times import parse_instant
from mace.engine.governance.accounts import Accounts
from mace.engine.governance.approvals import Approvals
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
        if self._world.store.read(lambda tx: self._accounts.exists(tx, name)):
            raise Conflict(f"account {name!r} already exists")
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
        """Give an account a second factor; one for a member of the council needs its approval, which counts once."""
        if self._world.store.read(lambda tx: self._governs(tx, name) and self._agreed(tx, name) is None):
            self._ask(f"council/{name}/second_factor", {"change": "second_factor", "account": name}, by)
        return self._accounts.enrol(name, by, lambda tx: self._agreed(tx, name) if self._governs(tx, name) else None)

    def _governs(self, tx: Tx, name: str) -> bool:
        return _SEAT in self._accounts.shown(tx, name)["roles"] and self._decides(tx)

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

    def _agreed(self, tx: Tx, name: str) -> str | None:
        """An approval of the council that lets this account get a second factor now: not used yet, not expired."""
        used = self._accounts.approvals_used(tx, name)
        rows = self._accounts.factors(tx, name)
        about = [f"council/{name}/second_factor"] + (
            [] if rows else [f"council/{name}"]
        )  # the first goes with the seat
        now = self._world.clock.now()
        for item in (item for what in about for item in self._approvals.approved(tx, Kind.COUNCIL_CHANGE, what)):
            if item["request_id"] not in used and now < parse_instant(item["expires_at"]):
                request_id: str = item["request_id"]
                return request_id
        return None

    def _ask(self, about: str, wanted: dict[str, Any], by: str) -> None:
        def unit(tx: Tx) -> str:
            journal = SystemJournal(self._recorder)
            request_id: str = self._approvals.open(tx, journal, Kind.COUNCIL_CHANGE, by, about, wanted)["request_id"]
            return request_id

        request_id = self._world.store.write(unit)
        raise ApprovalNeeded(f"the council decides this; it was asked as {request_id}", request_id=request_id)
