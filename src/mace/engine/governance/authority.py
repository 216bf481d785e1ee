"""Authority: the policy in force, its decisions on the record, and what only votes may change.

`engine/desk.py` asks it, for every door.

The policy in force is the packaged one until an approved change names another: the newest event says which, and row and
text are held against it each time it is loaded. A policy that cannot be loaded allows nothing.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any, NoReturn

from mace.core import canon
from mace.core.caller import Caller
from mace.core.errors import (
    IntegrityFailure,
    InvalidInput,
    PermissionDenied,
    PreconditionFailed,
    ServiceUnavailable,
    StorageFull,
)
from mace.core.times import iso_us
from mace.engine.governance.approvals import Approvals
from mace.engine.kernel.bound import Bound
from mace.engine.kernel.cleaning import holds_personal
from mace.engine.kernel.journal import Journal, SystemJournal
from mace.engine.kernel.recorder import Recorder
from mace.engine.kernel.world import World
from mace.engine.ledger.incidents import Incidents
from mace.governance.access import OTHERS, STRONG_ACTIONS, Decision, Principal, Resource
from mace.governance.approvals import Kind
from mace.governance.policy import bounds, parsing
from mace.governance.policy.engine import CedarPolicy
from mace.ledger import records
from mace.providers.ports import Crashed, TimedOut
from mace.storage.ports import Tx

_MAX_DECISIONS = 100_000


class Authority:
    """Decides access by the active Cedar policy, and records proposals for a new one."""

    def __init__(
        self,
        world: World,
        recorder: Recorder,
        bound: Bound,
        approvals: Approvals,
        incidents: Incidents,
        attested: Callable[[Tx], set[str]],
        packaged_policy: str,
    ) -> None:
        self._world = world
        self._recorder = recorder
        self._bound = bound
        self._approvals = approvals
        self._incidents = incidents
        self._attested = attested
        self._packaged = packaged_policy
        self._packaged_hash = canon.sha256_hex(packaged_policy)
        self._loaded: CedarPolicy | None = None
        self._seen: int | None = None  # the version of the store when it was last looked for
        self._decisions: dict[tuple[Principal, str, str, str], Decision] = {}

    # Deciding

    def policy(self) -> CedarPolicy:
        """The policy in force; parsed once for each text, looked for again when anybody has committed something."""
        version = self._world.store.version()  # before the read: what is committed in between is looked at next time
        if self._loaded is None or version is None or version != self._seen:
            named = self._world.store.read(self._named)
            wanted = self._packaged_hash if named is None else named
            if self._loaded is None or self._loaded.hash != wanted:
                text = self._packaged if named is None else self._world.store.read(lambda tx: self._text(tx, wanted))
                self._loaded = CedarPolicy(text)
                self._decisions.clear()
            self._seen = version
        return self._loaded

    def _named(self, tx: Tx) -> str | None:
        """The hash of the policy that the last approved change named."""
        held = self._bound.names(tx, "policy")
        if not held:
            return None
        content = self._bound.content(tx, "policy", held[-1]) or held[-1].payload
        digest: str = content["policy_sha256"]
        return digest

    def _text(self, tx: Tx, digest: str) -> str:
        """The text of a policy: it is named by its hash, so what has it is the one."""
        record = tx.records.get("policy_text", digest)
        text = None if record is None else _text_in(record.body)
        if text is None or canon.sha256_hex(text) != digest:
            raise IntegrityFailure("the text of the active policy is missing or was changed; run verify")
        return text

    def decision(self, principal: Principal, action: str, resource: Resource) -> Decision:
        """What the policy in force says; asked once for each caller, action and kind of owner."""
        policy = self.policy()
        owner = resource.owner if resource.owner in ("", principal.person) else OTHERS
        asked = (principal, action, resource.kind, owner)
        held = self._decisions.get(asked)
        if held is None or held.policy_hash != policy.hash:
            if len(self._decisions) >= _MAX_DECISIONS:
                self._decisions.clear()
            held = self._decisions[asked] = policy.decide(principal, action, Resource(resource.kind, owner))
        return held

    def allowed(self, principal: Principal, action: str, resource: Resource, decision: Decision) -> None:
        """Put a yes about a strong action on the record, before it is carried out."""
        if action in STRONG_ACTIONS:
            self._note("ACCESS_GRANTED", principal, action, resource, decision)

    def refuse(self, principal: Principal, action: str, resource: Resource, decision: Decision) -> NoReturn:
        """Put a no on the record and raise it; it stands also where nothing can be written."""
        with suppress(ServiceUnavailable, StorageFull):
            self._note("ACCESS_DENIED", principal, action, resource, decision)
        needs = {"needs": "second_factor"} if self.wants_factor(principal, action, resource) else {}
        raise PermissionDenied(actor=principal.name, action=action, policy_id=decision.policy_id, **needs)

    def wants_factor(self, principal: Principal, action: str, resource: Resource) -> bool:
        """Whether a second factor is all that a refused caller lacks."""
        if principal.second_factor:
            return False
        return self.decision(replace(principal, second_factor=True), action, resource).allowed

    def _note(self, event: str, principal: Principal, action: str, resource: Resource, decision: Decision) -> None:
        payload = {
            "account": principal.name,
            "action": action,
            "resource": resource.kind,
            "policy_id": decision.policy_id,
            "policy_hash": decision.policy_hash,
        }
        self._world.store.write(lambda tx: SystemJournal(self._recorder).event(tx, event, payload))

    # What only votes may change

    def propose_policy(self, text: str, by: str) -> dict[str, Any]:
        """Ask for another policy; it must parse, and is in force once approved."""
        bounds.check_bounds(text)
        if holds_personal(text):  # comments and names included
            raise InvalidInput("text must not contain personal data: a policy is stored unencrypted on the ledger")
        self._check_parses(text)
        wanted = CedarPolicy(text)
        self._check_way_back(wanted)
        digest = wanted.hash

        def unit(tx: Tx) -> dict[str, Any]:
            paper = records.make("policy_text", digest, {"text": text}, self._world.keys.sign)
            self._bound.add(tx, paper)
            self._text(tx, digest)  # a row that was there before must be this text
            journal = SystemJournal(self._recorder)
            details = {"policy_sha256": digest}
            held = self._approvals.open(tx, journal, Kind.POLICY_CHANGE, by, "policy", details, papers=[paper])
            return self._approvals.shown(tx, held)

        return self._world.store.write(unit)

    def _check_parses(self, text: str) -> None:
        """Let a worker parse it first: a text that crashes the parser ends the worker and nothing else."""
        try:
            fault = self._world.computer().compute(parsing.WORKER_FUNCTION, {"text": text}, parsing.LIMIT_MS)
        except (Crashed, TimedOut):
            raise InvalidInput("the policy could not be parsed") from None
        if fault is not None:
            raise InvalidInput(fault)

    @staticmethod
    def _check_way_back(policy: CedarPolicy) -> None:
        """Refuse a policy under which no admin who proves themselves could ask for another one or vote on it."""
        needed = (("admin", "policy_change"), ("admin", "approval_vote"), ("admin", "account_manage"))
        for role, action in (*needed, ("council", "approval_vote")):
            who = Principal(name=role, roles=frozenset({role}), second_factor=True)
            if not policy.decide(who, action, Resource("nobody")).allowed:
                raise InvalidInput(f"text would let no {role} do {action}: nobody could change the policy again")

    def change(self, tx: Tx, journal: Journal, held: dict[str, Any], by: str) -> dict[str, Any]:
        """Put an approved policy in force."""
        digest = held["details"]["policy_sha256"]
        CedarPolicy(self._text(tx, digest))
        number = self._bound.next_number(tx, "policy")
        content = {
            "policy_sha256": digest,
            "number": number,
            "approval_id": held["request_id"],
            "at": iso_us(self._world.clock.now()),
        }
        record = records.make("policy", f"{number:08d}", content, self._world.keys.sign)
        self._bound.add(tx, record)
        payload = {"policy_sha256": digest, "number": number, "record": records.reference(record)}
        journal.event(tx, "POLICY_CHANGED", payload, by)
        return content

    def lift_halt(self, incident_id: str, by: Caller) -> dict[str, Any]:
        """Let replays run again, where one admin suffices; else ask for it. Says which, with the incident."""
        self._world.store.read(lambda tx: self._incidents.get(tx, incident_id))
        if not self._world.store.read(lambda tx: self._incidents.get(tx, incident_id))["halting"]:
            raise PreconditionFailed(f"incident {incident_id} halts no replays; there is nothing to lift")
        asked = self._approvals.decide_alone(Kind.LIFT_HALT, f"halt/{incident_id}", {"incident_id": incident_id}, by)
        incident = self._world.store.read(lambda tx: self._incidents.get(tx, incident_id))
        return {**incident, "request_id": asked["request_id"], "approval": asked["status"]}

    def lift(self, tx: Tx, journal: Journal, held: dict[str, Any], by: str) -> dict[str, Any]:
        """Carry out an approved lifting of a halt."""
        incident_id = held["details"]["incident_id"]
        return {"incident": self._incidents.lift_halt(tx, incident_id, by, self._attested(tx))}

    def acknowledge(self, incident_id: str, by: str) -> dict[str, Any]:
        """Note on the record that somebody has seen an incident."""
        self._world.store.read(lambda tx: self._incidents.get(tx, incident_id))
        return self._world.store.write(lambda tx: self._incidents.acknowledge(tx, incident_id, by))


def _text_in(body: bytes) -> str | None:
    try:
        text = canon.loads(body)["text"]
    except (ValueError, LookupError, TypeError):
        return None
    return text if isinstance(text, str) else None
