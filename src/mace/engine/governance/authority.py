"""Authority: one policy for every door, its decisions on the record, and what only votes may change.

The policy in force is the packaged one until an approved change names another; it is checked against its signature
each time it is loaded. A policy that cannot be loaded allows nothing.
"""

from collections.abc import Callable
from typing import Any

from mace.core import canon
from mace.core.errors import InvalidInput, PermissionDenied, PreconditionFailed
from mace.core.times import iso_us
from mace.engine.governance.accounts import Accounts, Acting, Who
from mace.engine.governance.approvals import Approvals
from mace.engine.kernel.cleaning import holds_personal
from mace.engine.kernel.journal import Journal, SystemJournal
from mace.engine.kernel.recorder import Recorder
from mace.engine.kernel.world import World
from mace.engine.ledger.incidents import Incidents
from mace.governance.access import STRONG_ACTIONS, Decision, FactGrant, Principal, Resource, compile_grant
from mace.governance.approvals import Kind
from mace.governance.policy.engine import CedarPolicy
from mace.ledger import records
from mace.memory.keys import SCOPES
from mace.storage.ports import Tx

MAX_POLICY_BYTES = 256 * 1024
_MAX_GRANTS = 10_000


class Authority:
    def __init__(
        self,
        world: World,
        recorder: Recorder,
        accounts: Accounts,
        asked: Approvals,
        incidents: Incidents,
        attested: Callable[[Tx], set[str]],
        packaged_policy: str,
    ) -> None:
        self._world = world
        self._recorder = recorder
        self._accounts = accounts
        self._approvals = asked
        self._incidents = incidents
        self._attested = attested
        self._packaged = packaged_policy
        self._loaded: CedarPolicy | None = None
        self._grants: dict[Principal, FactGrant] = {}
        asked.on_approved[Kind.POLICY_CHANGE] = self._change
        asked.on_approved[Kind.LIFT_HALT] = self._lift

    # Deciding

    def policy(self) -> CedarPolicy:
        """The policy in force; parsed once for each text."""
        named = self._world.store.read(self._named)
        if self._loaded is None or (named is not None and self._loaded.hash != named):
            text = self._packaged if named is None else self._world.store.read(lambda tx: self._text(tx, named))
            self._loaded = CedarPolicy(text)
            self._grants.clear()
        elif named is None and self._loaded.text != self._packaged:
            self._loaded = CedarPolicy(self._packaged)
            self._grants.clear()
        return self._loaded

    def _named(self, tx: Tx) -> str | None:
        """The hash of the policy that the last approved change named."""
        held = tx.records.scan("policy", "", 100_000)
        if not held:
            return None
        if not records.is_signed(held[-1], self._world.keys.check):
            raise PreconditionFailed("the policy in force was changed; run verify")
        digest: str = canon.loads(held[-1].body)["policy_sha256"]
        return digest

    def _text(self, tx: Tx, digest: str) -> str:
        record = tx.records.get("policy_text", digest)
        if record is None or canon.sha256_hex(canon.loads(record.body)["text"]) != digest:
            raise PreconditionFailed("the text of the policy in force is gone or was changed; run verify")
        text: str = canon.loads(record.body)["text"]
        return text

    def authorise(self, principal: Principal, action: str, resource: Resource) -> Decision:
        """Let the policy decide; a no, and every decision about a strong action, goes onto the record first."""
        decision = self.policy().decide(principal, action, resource)
        if not decision.allowed or action in STRONG_ACTIONS:
            payload = {
                "account": principal.name,
                "action": action,
                "resource": resource.kind,
                "policy_id": decision.policy_id,
                "policy_hash": decision.policy_hash,
            }
            kind = "ACCESS_GRANTED" if decision.allowed else "ACCESS_DENIED"
            self._world.store.write(lambda tx: SystemJournal(self._recorder).event(tx, kind, payload))
        if not decision.allowed:
            raise PermissionDenied(actor=principal.name, action=action, policy_id=decision.policy_id)
        return decision

    def grant(self, principal: Principal) -> FactGrant:
        """What a caller may read of facts, compiled from the policy in force; asked again only when that changes."""
        policy = self.policy()
        held = self._grants.get(principal)
        if held is None or held.policy_hash != policy.hash:
            if len(self._grants) >= _MAX_GRANTS:
                self._grants.clear()
            held = self._grants[principal] = compile_grant(principal, policy, SCOPES)
        return held

    # What only votes may change

    def propose_policy(self, text: str, actor: Who, totp: str | None = None, *, door: bool = False) -> dict[str, Any]:
        """Ask for another policy; it must parse, and is in force once approved."""
        if not isinstance(text, str) or len(text.encode()) > MAX_POLICY_BYTES:
            raise InvalidInput(f"a policy is a text of at most {MAX_POLICY_BYTES} bytes")
        if holds_personal(text):  # comments and names included
            raise InvalidInput("a policy must not hold personal data: it stands on the ledger in plain sight")
        digest = CedarPolicy(text).hash
        by = self._accounts.act(actor, {"admin"}, totp, door=door)

        def unit(tx: Tx) -> dict[str, Any]:
            if tx.records.get("policy_text", digest) is None:
                tx.records.add(records.make("policy_text", digest, {"text": text}, self._world.keys.sign))
            journal = SystemJournal(self._recorder)
            details = {"policy_sha256": digest}
            held = self._approvals.open(tx, journal, Kind.POLICY_CHANGE, by.name, "policy", details)
            return self._approvals.shown(tx, held)

        return self._world.store.write(unit)

    def _change(self, tx: Tx, journal: Journal, held: dict[str, Any], acting: Acting) -> dict[str, Any]:
        digest = held["details"]["policy_sha256"]
        CedarPolicy(self._text(tx, digest))
        number = len(tx.records.scan("policy", "", 100_000))
        content = {
            "policy_sha256": digest,
            "number": number,
            "approval_id": held["request_id"],
            "at": iso_us(self._world.clock.now()),
        }
        record = records.make("policy", f"{number:08d}", content, self._world.keys.sign)
        tx.records.add(record)
        payload = {"policy_sha256": digest, "number": number, "record": records.reference(record)}
        journal.event(tx, "POLICY_CHANGED", payload, acting.name)
        return content

    def lift_halt(self, incident_id: str, actor: Who, totp: str | None = None, *, door: bool = False) -> dict[str, Any]:
        """Let replays run again, where one admin suffices; else ask for it. Says which, with the incident."""
        self._world.store.read(lambda tx: self._incidents.get(tx, incident_id))
        asked = self._approvals.decide_alone(
            Kind.LIFT_HALT, f"halt/{incident_id}", {"incident_id": incident_id}, actor, totp, door=door
        )
        incident = self._world.store.read(lambda tx: self._incidents.get(tx, incident_id))
        return {**incident, "request_id": asked["request_id"], "approval": asked["status"]}

    def _lift(self, tx: Tx, journal: Journal, held: dict[str, Any], acting: Acting) -> dict[str, Any]:
        incident_id = held["details"]["incident_id"]
        return {"incident": self._incidents.lift_halt(tx, incident_id, acting.name, self._attested(tx))}

    def acknowledge(
        self, incident_id: str, actor: Who, totp: str | None = None, *, door: bool = False
    ) -> dict[str, Any]:
        """Note that an admin has seen an incident; with a second factor, but for the owner of a directory."""
        self._world.store.read(lambda tx: self._incidents.get(tx, incident_id))
        by = self._accounts.act(actor, {"admin"}, totp, door=door).name
        return self._world.store.write(lambda tx: self._incidents.acknowledge(tx, incident_id, by))
