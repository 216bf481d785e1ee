"""Rectification carried out: a person's corrections wait sealed, are approved by one admin, and become new versions.

What is to stand instead passes the gate of every write when it is asked for, and lies sealed under the person's key
until it is decided. What stood before stays in the history, as with any other write; who wants that gone asks for its
deletion.
"""

from collections.abc import Mapping
from typing import Any

from mace.core import canon, seeds
from mace.core.errors import FactNotFound, InvalidInput, NotFound, PreconditionFailed
from mace.core.times import iso_us
from mace.engine.facts.verbs import FactVerbs
from mace.engine.governance.approvals import Approvals
from mace.engine.kernel.bound import Bound
from mace.engine.kernel.cleaning import is_personal
from mace.engine.kernel.gate import FlaggedWrite
from mace.engine.kernel.journal import Journal
from mace.engine.kernel.let_in import LetIn, told_by
from mace.engine.kernel.vault import Vault
from mace.engine.kernel.world import World
from mace.governance import rectification, subjects
from mace.governance.approvals import Kind
from mace.ledger import records
from mace.memory import facts
from mace.memory.facts import FactRules, Put
from mace.storage.ports import Tx

MANIFEST, RECEIPT = "rectification_manifest", "rectification_receipt"


class Rectifying:
    """Opens requests for rectification and carries out approved ones."""

    def __init__(
        self,
        world: World,
        vault: Vault,
        bound: Bound,
        facts_: FactVerbs,
        approvals: Approvals,
        rules: FactRules,
    ) -> None:
        self._world = world
        self._vault = vault
        self._bound = bound
        self._facts = facts_
        self._approvals = approvals
        self._rules = rules

    def puts(self, changes: Mapping[str, Any]) -> list[Put]:
        """The writes that a request asks for; raise `InvalidInput` for what cannot be stored."""
        if any(is_personal(key) for key in changes):
            raise InvalidInput("the keys of changes must not contain personal data; keys are stored unencrypted")
        return [self._read(key, changes[key]) for key in sorted(changes)]

    def _read(self, key: str, value: Any) -> Put:
        return facts.read_put(key, value, "system_admin", None, None, None, self._world.clock.now(), self._rules)

    def open(
        self,
        tx: Tx,
        journal: Journal,
        person: str,
        wanted: list[Put],
        identity: dict[str, Any],
        consent_id: str | None,
    ) -> dict[str, Any]:
        """Record a request to correct facts of a person.

        Raises `Blocked` where their new values may not be kept, `FactNotFound` where there is nothing to correct.
        """
        keys = [str(put.key) for put in wanted]
        number = len(tx.records.children("dsr_request", person))
        dsr_id = seeds.derived_uuid("dsr", f"{journal.job_seed}/rectify/{person}/{number}")
        changes = []
        for key, put in zip(keys, wanted, strict=True):
            if not self._facts.look(tx, key)["exists"]:
                raise FactNotFound(what="the fact to correct", key=key)
            let_in = self._admit(tx, journal, person, put, consent_id)
            changes.append({"key": key, "value": put.value, "let_in": None if let_in is None else let_in.payload()})
        plain = canon.dumps(changes)
        ref = f"export/{dsr_id}"  # where what belongs to a subject request lies; it goes with any fact of the person
        self._vault.put_blob(tx, ref, ref, person, plain)
        content = {
            "dsr_id": dsr_id,
            "kind": subjects.RECTIFY,
            "person": person,
            "keys": keys,
            "identity": identity,
            "package_hash": self._world.keys.keyed_hash(self._vault.data_key(tx, ref, person), plain),
            "created_at": iso_us(self._world.clock.now()),
        }
        record = records.make("dsr_request", dsr_id, content, self._world.keys.sign, parent=person)
        self._bound.add(tx, record)
        payload = {"dsr_id": dsr_id, "kind": subjects.RECTIFY, "keys": keys, "identity": identity}
        journal.event(tx, "DSR_REQUEST", {**payload, "record": records.reference(record)})
        details = {"action": "rectify", "dsr_id": dsr_id}
        about = f"rectification/{dsr_id}"
        self._approvals.open(tx, journal, Kind.RECTIFICATION, "user", about, details, request_id=dsr_id)
        return {"dsr_id": dsr_id, "request_id": dsr_id}

    def _admit(self, tx: Tx, journal: Journal, person: str, put: Put, consent_id: str | None) -> LetIn | None:
        flags = self._facts.flags(put, journal.job_seed)
        if not flags:
            return None
        wanted = FlaggedWrite(
            key=str(put.key), person=person, flags=tuple(flags), consent_id=consent_id, content=put.content
        )
        return self._facts.gate.admit(tx, journal, wanted)

    def changes(self, tx: Tx, dsr_id: str) -> list[dict[str, Any]] | None:
        """What a request wants corrected; None after an erasure."""
        plain = self._vault.blob(tx, f"export/{dsr_id}")
        return None if plain is None else canon.loads(plain)

    def carry(self, tx: Tx, journal: Journal, held: dict[str, Any], by: str) -> dict[str, Any]:
        """Write what was approved, as new versions, with the papers."""
        dsr_id = held["details"]["dsr_id"]
        request = self._bound.record(tx, "dsr_request", dsr_id)
        changes = self.changes(tx, dsr_id)
        if request is None or changes is None:
            raise NotFound(what=f"what subject request {dsr_id} wants corrected")
        person = request["person"]
        done = [self._correct(tx, journal, person, item, by) for item in changes]
        at = iso_us(self._world.clock.now())
        content = rectification.manifest(done, dsr_id=dsr_id, approval_id=held["request_id"], person=person, at=at)
        manifest = records.make(MANIFEST, dsr_id, content, self._world.keys.sign, parent=person)
        self._bound.add(tx, manifest)
        paper = rectification.receipt(dsr_id, manifest.body, self._world.keys.log_name, at)
        proved = {**paper, "signature": self._world.keys.sign_note(rectification.receipt_message(paper)).hex()}
        receipt = records.make(RECEIPT, dsr_id, proved, self._world.keys.sign, parent=person)
        self._bound.add(tx, receipt)
        payload = {
            "dsr_id": dsr_id,
            "facts": len(done),
            "manifest": records.reference(manifest),
            "record": records.reference(receipt),
        }
        journal.event(tx, "DSR_RECTIFIED", payload, by)
        return {"rectification": content, "receipt": proved}

    def _correct(self, tx: Tx, journal: Journal, person: str, item: Mapping[str, Any], by: str) -> tuple[str, int, int]:
        let_in = None if item["let_in"] is None else told_by(item["let_in"])
        if let_in is not None and not self._facts.gate.stands(tx, person, let_in).served:
            raise PreconditionFailed("the consent for the new value has ended; it cannot be stored")
        former = self._facts.standing(tx, item["key"]).version
        version = self._facts.correct(tx, journal, self._read(item["key"], item["value"]), by, let_in)
        return item["key"], former, version
