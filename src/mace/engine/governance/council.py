"""Changes of the council itself: where there is one, it decides who sits on it and with which second factor.

Otherwise one admin could make three members of their own, or give a member a second factor that only the admin has. A
council that is too small to decide anything is no council, and a member without a second factor cannot vote: while
fewer than the quorum could, an admin changes accounts as everywhere.

The secret of a member's second factor is for that member: it is sealed to a public key of theirs, which the council
sees when it votes, so whoever administers accounts hands on what they cannot read.
"""

import base64
from collections.abc import Callable
from typing import Any

from mace.core import canon
from mace.core.errors import ApprovalNeeded, Conflict, InvalidInput
from mace.core.times import parse_instant
from mace.engine.governance.accounts import Accounts
from mace.engine.governance.approvals import Approvals
from mace.engine.kernel.journal import Journal, SystemJournal
from mace.engine.kernel.recorder import Recorder
from mace.engine.kernel.world import World
from mace.governance.approvals import COUNCIL, ApprovalRules, Kind, who_decides
from mace.providers.ports import Box
from mace.storage.ports import Tx

_SEAT = "council"


def factor_context(name: str) -> str:
    """What a sealed second factor is bound to: it opens for this account alone."""
    return f"second_factor/{name}"


class Council:
    def __init__(
        self,
        world: World,
        recorder: Recorder,
        accounts: Accounts,
        approvals: Approvals,
        rules: ApprovalRules,
        box: Callable[[], Box],
    ) -> None:
        self._world = world
        self._recorder = recorder
        self._accounts = accounts
        self._approvals = approvals
        self._rules = rules
        self._box = box

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

    def enrol(self, name: str, by: str, sealed_to: str | None = None) -> dict[str, Any]:
        """Give an account a second factor; one for a member of the council needs its approval, which counts once.

        With `sealed_to` the secret is sealed to that public key, and not shown. Where the council decides, a member's
        always is, unless it is the member who asks.
        """
        if sealed_to is not None:
            self._box().check_public(sealed_to)
        if self._world.store.read(lambda tx: self._governs(tx, name)):
            if sealed_to is None and by != name:
                raise InvalidInput(
                    f"sealed_to is required: {name} sits on the council, so the secret is sealed to a public key of "
                    f"theirs and shown to nobody else (they make one with: mace account key FILE)"
                )
            if self._world.store.read(lambda tx: self._agreed(tx, name, sealed_to)) is None:
                wanted = {"change": "second_factor", "account": name, "sealed_to": sealed_to}
                self._ask(f"council/{name}/second_factor", wanted, by)
        made = self._accounts.enrol(
            name, by, lambda tx: self._agreed(tx, name, sealed_to) if self._governs(tx, name) else None
        )
        if sealed_to is None:
            return {**made, "sealed": None}
        sealed = self._box().seal(sealed_to, canon.dumps(made), factor_context(name))
        return {"account": name, "secret": "", "uri": "", "sealed": base64.b64encode(sealed).decode()}

    def _governs(self, tx: Tx, name: str) -> bool:
        return _SEAT in self._accounts.shown(tx, name)["roles"] and self._decides(tx)

    def carry(self, tx: Tx, journal: Journal, held: dict[str, Any], by: str) -> dict[str, Any]:
        """Carry out an approved change; a new second factor is then made by whoever asked, sealed to the member."""
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

    def _agreed(self, tx: Tx, name: str, sealed_to: str | None) -> str | None:
        """An approval of the council for a second factor sealed to this key: not used yet, not expired."""
        used = self._accounts.approvals_used(tx, name)
        now = self._world.clock.now()
        for item in self._approvals.approved(tx, Kind.COUNCIL_CHANGE, f"council/{name}/second_factor"):
            is_this = item["details"].get("sealed_to") == sealed_to
            if is_this and item["request_id"] not in used and now < parse_instant(item["expires_at"]):
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
