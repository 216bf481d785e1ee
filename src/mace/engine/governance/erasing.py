"""Erasure carried out: keys leave the vault, facts become tombstones, papers are written; and the way back.

Nothing that is signed is changed: history, events and logs stay as they are and can no longer be read. The keys go to
the forensic store, sealed to a key that is not on this node, or are destroyed where there is none. A restore wraps
them anew; a purge destroys them for good.
"""

from collections.abc import Callable
from hashlib import sha256
from typing import Any

from mace.core import canon
from mace.core.errors import Erased, IntegrityFailure, MaceError, NotFound, PreconditionFailed
from mace.core.times import iso_us
from mace.engine.facts.reads import read_past
from mace.engine.facts.verbs import FactVerbs
from mace.engine.governance.approvals import Approvals
from mace.engine.governance.consents import Consents
from mace.engine.governance.forensics import Forensics
from mace.engine.kernel.bound import Bound
from mace.engine.kernel.journal import Journal, SystemJournal, VerbJournal
from mace.engine.kernel.missing_keys import wrapped_hash
from mace.engine.kernel.recorder import Recorder, check_seed
from mace.engine.kernel.vault import Vault
from mace.engine.kernel.world import World
from mace.governance import erasure
from mace.governance.approvals import Kind
from mace.ledger import records
from mace.memory.facts import Put
from mace.memory.keys import parse_key
from mace.storage.ports import Tx

_PART_NAMES = ("input", "expects", "result")


class Erasing:
    """Carries out approved erasures, and restores or purges them."""

    def __init__(
        self,
        world: World,
        recorder: Recorder,
        vault: Vault,
        bound: Bound,
        facts: FactVerbs,
        approvals: Approvals,
        forensics: Forensics,
        consents: Consents,
        *,
        scrub: Callable[[], None],
        needs_forensic_key: bool,
    ) -> None:
        self._world = world
        self._recorder = recorder
        self._vault = vault
        self._bound = bound
        self._facts = facts
        self._approvals = approvals
        self._forensics = forensics
        self._consents = consents
        self._scrub = scrub
        self._needs_forensic_key = needs_forensic_key

    def carry(self, tx: Tx, journal: Journal, held: dict[str, Any], by: str) -> dict[str, Any]:
        """Carry out an approved erasure or purge."""
        if held["details"]["action"] == "purge":
            self._forensics.purge(tx, journal, held["details"]["forensic_id"], by)
            return {"purged": held["details"]["forensic_id"]}
        return self._erase(tx, journal, held, by)

    def afterwards(self) -> None:
        """What is left in memory and in the free pages of the database goes too."""
        self._facts.forget_cached()
        self._vault.forget_opened()
        try:
            self._scrub()
        except MaceError as error:  # what was erased stays erased; that old bytes may be left must be known
            alert = {"about": "ERASURE", "reason": f"free pages were not cleared: {error.code}"}
            self._world.store.write(lambda tx: SystemJournal(self._recorder).event(tx, "ADMIN_ALERT", alert))

    # Away

    def _erase(self, tx: Tx, journal: Journal, held: dict[str, Any], by: str) -> dict[str, Any]:
        dsr_id = held["details"]["dsr_id"]
        request = self._bound.record(tx, "dsr_request", dsr_id)
        if request is None:
            raise NotFound(what=f"subject request {dsr_id}")
        person = request["person"]
        tx.lock(f"erasing/{person}")  # running jobs of theirs write before this or find their keys gone
        if self._needs_forensic_key and self._forensics.public_key(tx) is None:
            raise PreconditionFailed("no forensic key is set; set one first (mace admin forensic-key)")
        done = erasure.plan(
            person,
            request["keys"],
            tx.vault.keys_under(f"person/{person}"),
            lambda stream: self._touches(tx, stream, request["keys"] or []),
        )
        versions = {key: tx.facts.newest(key)[1] for key in done.facts}
        forensic_id = self._put_away(tx, journal, dsr_id, done)
        for key in done.facts:
            self._facts.forget_answers(tx, key)
        refs = [*done.refs, f"person/{person}"] if done.whole else done.refs
        wrapped = {ref: wrapped_hash(kept[1]) for ref in refs if (kept := tx.vault.key(ref)) is not None}
        for ref in done.refs:
            tx.vault.drop_key(ref)
        if done.whole:
            tx.vault.drop_key(f"person/{person}")
            self._consents.end_all(tx, journal, person, "system")
        at = iso_us(self._world.clock.now())
        content = erasure.manifest(
            done,
            dsr_id=dsr_id,
            approval_id=held["request_id"],
            forensic_id=forensic_id,
            versions=versions,
            wrapped=wrapped,
            at=at,
        )
        manifest = records.make("deletion_manifest", dsr_id, content, self._world.keys.sign, parent=person)
        self._bound.add(tx, manifest)
        for key in done.facts:
            self._facts.tombstone(
                tx, journal, key, "system_admin", dsr_id=dsr_id, deletion_manifest=records.reference(manifest)
            )
        paper = erasure.receipt(dsr_id, manifest.body, self._world.keys.log_name, at)
        proved = {**paper, "signature": self._world.keys.sign_note(erasure.receipt_message(paper)).hex()}
        receipt = records.make("deletion_receipt", dsr_id, proved, self._world.keys.sign, parent=person)
        self._bound.add(tx, receipt)
        payload = {
            "dsr_id": dsr_id,
            "person": person,
            "wrapped_sha256": erasure.put_back_by(done, wrapped),
            "at": at,
            "approval_id": held["request_id"],
            "facts": len(done.facts),
            "jobs": len(done.jobs),
            "forensic_id": forensic_id,
            "manifest": records.reference(manifest),
            "record": records.reference(receipt),
        }
        journal.event(tx, "DSR_ERASED", payload, by)
        return {"manifest": content, "receipt": proved}

    def _put_away(self, tx: Tx, journal: Journal, dsr_id: str, done: erasure.Plan) -> str | None:
        """Seal the keys to the forensic key; None where there is no such key, and then they are gone for good."""
        if self._forensics.public_key(tx) is None:
            return None
        keys = {}
        for ref in done.refs:
            try:
                keys[ref] = self._vault.open_key(tx, ref).hex()
            except (Erased, IntegrityFailure):
                continue  # damaged: there is nothing to bring back, and that must not keep anything here
        plain = canon.dumps({"dsr_id": dsr_id, "person": done.person, "keys": keys})
        return self._forensics.put(tx, journal, "erased_keys", dsr_id, plain)

    def _touches(self, tx: Tx, stream: str, keys: list[str]) -> bool:
        """Say whether a job wrote, read or named one of these facts: in its events, snapshot or sealed parts."""
        needles = [canon.dumps(key) for key in keys]

        def names(plain: bytes | None) -> bool:
            return plain is not None and any(needle in plain for needle in needles)

        parts = list(_PART_NAMES)
        for row in tx.events.of_stream(stream):
            if names(row.body):
                return True
            said = canon.loads(row.body)["payload"]
            if row.event_type == "SNAPSHOT_TAKEN":
                snapshot = tx.records.get("snapshot", said["snapshot"])
                if snapshot is not None and (names(snapshot.body) or not _is_its_hash(snapshot.body, said["snapshot"])):
                    return True  # also where it is another one: what it named may have been this
            if row.event_type == "EFFECT_DONE" and "effect" in said:
                parts.append(f"effect/{said['effect']}")
        try:
            return any(names(self._vault.blob(tx, f"{part}/{stream}")) for part in parts)
        except (Erased, IntegrityFailure):  # it cannot be read, so it may have: it goes
            return True

    # Back, or away for good

    def restore(
        self,
        dsr_id: str,
        private_key: str,
        by: str,
        *,
        purpose: str,
        job_seed: str | None = None,
    ) -> dict[str, Any]:
        """Bring back what a deletion took, with the forensic private key; newer data of the person stays as it is."""
        self._forensics.check_purpose(purpose)
        manifest = self._world.store.read(lambda tx: self._manifest(tx, dsr_id))
        if manifest["forensic_id"] is None:
            raise PreconditionFailed("the keys were destroyed when this was erased; nothing can bring it back")
        package = canon.loads(self._forensics.take_out(manifest["forensic_id"], private_key, by, purpose))
        seed = self._recorder.fresh_seed() if job_seed is None else check_seed(job_seed)
        journal = VerbJournal(self._recorder, "restore_erased", seed)

        def unit(tx: Tx) -> dict[str, Any]:
            tx.lock(f"restore/{dsr_id}")
            if self._bound.happened(tx, "erasure_restored", dsr_id):
                raise PreconditionFailed("this erasure has already been restored")
            refs = sorted(package["keys"])
            back = [
                ref
                for ref in refs
                if self._vault.adopt(tx, ref, package["person"], bytes.fromhex(package["keys"][ref]))
            ]
            facts = [item["key"] for item in manifest["facts"] if erasure.FACT + item["key"] in back]
            raised = [key for key in facts if self._raise(tx, journal, key)]
            content = {
                "dsr_id": dsr_id,
                "by": by,
                "keys_restored": back,
                "keys_superseded": [ref for ref in refs if ref not in back],
                "facts": raised,
                "at": iso_us(self._world.clock.now()),
            }
            record = records.make("erasure_restored", dsr_id, content, self._world.keys.sign, parent=dsr_id)
            self._bound.add(tx, record)
            payload = {"dsr_id": dsr_id, "facts": len(raised), "record": records.reference(record)}
            journal.event(tx, "ERASURE_RESTORED", payload, by)
            return content

        return self._world.store.write(unit)

    def _raise(self, tx: Tx, journal: Journal, key: str) -> bool:
        """Write the last value before the tombstone again, as a new version."""
        current = tx.facts.get(key)
        if current is None or not current.deleted:
            return False
        for past in reversed([row for row in tx.facts.history(key) if row.applied and not row.deleted]):
            content = read_past(self._vault, tx, past)
            if content is not None:
                plain = canon.dumps(content)
                put = Put(
                    parse_key(key), content["value"], "system_admin", None, content["notes"], content["meta"], plain
                )
                return self._facts.rewrite(tx, journal, put)
        return False

    def request_purge(
        self,
        dsr_id: str,
        by: str,
        *,
        job_seed: str | None = None,
    ) -> dict[str, Any]:
        """Ask that the keys of an erasure be destroyed for good; approved as an erasure is."""
        manifest = self._world.store.read(lambda tx: self._manifest(tx, dsr_id))
        if manifest["forensic_id"] is None:
            raise PreconditionFailed("nothing to purge: this erasure already destroyed its keys")
        details = {"action": "purge", "dsr_id": dsr_id, "forensic_id": manifest["forensic_id"]}
        return self._approvals.request(Kind.ERASURE, f"purge/{dsr_id}", details, by, job_seed=job_seed)

    def _manifest(self, tx: Tx, dsr_id: str) -> dict[str, Any]:
        content = self._bound.record(tx, "deletion_manifest", dsr_id)
        if content is None:
            raise NotFound(what=f"finished deletion {dsr_id}")
        return content


def _is_its_hash(body: bytes, digest: str) -> bool:
    return sha256(body).hexdigest() == digest
