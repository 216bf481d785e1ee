"""Erasure carried out: keys leave the vault, facts become tombstones, papers are written; and the way back.

Nothing that is signed is changed: history, events and logs stay as they are and can no longer be read. The keys go to
the forensic store, sealed to a key that is not on this node, or are destroyed where there is none. A restore wraps
them anew; a purge destroys them for good.
"""

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

from mace.core import canon, seeds
from mace.core.errors import (
    Conflict,
    Erased,
    IntegrityFailure,
    NotFound,
    PreconditionFailed,
    ServiceUnavailable,
    StorageFull,
)
from mace.core.times import iso_us
from mace.core.turn_ids import turn_id_of
from mace.engine.experience.contents import Contents
from mace.engine.facts.reads import read_past
from mace.engine.facts.verbs import FactVerbs
from mace.engine.governance.approvals import Approvals
from mace.engine.governance.clearing import Clearing
from mace.engine.governance.consents import ENDED, Consents
from mace.engine.governance.forensics import Forensics
from mace.engine.governance.touching import Touching
from mace.engine.kernel import trees
from mace.engine.kernel.bound import Bound, Named
from mace.engine.kernel.journal import Journal, VerbJournal
from mace.engine.kernel.missing_keys import wrapped_hash
from mace.engine.kernel.recorder import Recorder, check_seed
from mace.engine.kernel.vault import Vault
from mace.engine.kernel.world import World
from mace.engine.people.index import TurnIndexes
from mace.engine.people.turns import Turns
from mace.governance import erasure, subjects
from mace.governance.approvals import Kind
from mace.governance.spans import Spans, count_of, numbers_in, spans_of
from mace.ledger import records
from mace.memory.facts import Put
from mace.memory.keys import parse_key
from mace.storage.ports import Tx

_RETENTION_PAUSE = timedelta(minutes=1)  # between two looks for what is too old
_MANIFEST = "deletion_manifest"
_KEY_BYTES = 32
_MOST_SPANS = 256  # of turns that the event names as well, whatever becomes of the manifest
_JOBS_AT_ONCE = 200  # that one manifest takes because they are too old


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
        clearing: Clearing,
        merge_spill: Callable[[], object],
        drop_indexes: Callable[[], int],
        turn_indexes: Callable[[], TurnIndexes],
        needs_forensic_key: bool,
        turns: Turns,
    ) -> None:
        self._world = world
        self._recorder = recorder
        self._vault = vault
        self._bound = bound
        self._facts = facts
        self._approvals = approvals
        self._forensics = forensics
        self._consents = consents
        self._contents = Contents(world.keys, vault)
        self.clearing = clearing
        self._merge_spill = merge_spill
        self._drop_indexes = drop_indexes
        self._turn_indexes = turn_indexes
        self._next_retention: datetime | None = None
        self._needs_forensic_key = needs_forensic_key
        self._turns = turns

    def carry(self, tx: Tx, journal: Journal, held: dict[str, Any], by: str) -> dict[str, Any]:
        """Carry out an approved erasure or purge."""
        if "quarantine_id" in held["details"]:
            self._forensics.purge_quarantined(tx, journal, held["details"]["quarantine_id"], by)
            return {"purged": held["details"]["quarantine_id"]}
        if held["details"]["action"] == "purge":
            dsr_id = held["details"].get("dsr_id")  # none where it is evidence
            if dsr_id is not None:
                tx.lock(f"restore/{dsr_id}")
                self._must_not_be_in_use(tx, dsr_id)
            self._forensics.purge(tx, journal, held["details"]["forensic_id"], by)
            if dsr_id is not None:
                self._purge_spare(tx, journal, self._manifest(tx, dsr_id), by)
                self.clearing.owe(tx, dsr_id)
            return {"purged": held["details"]["forensic_id"]}
        return self._erase(tx, journal, held, by)

    def before(self) -> None:
        """What waits in the spill file comes in first: whoever wrote it, an erasure must find it."""
        self._merge_spill()

    def afterwards(self) -> None:
        """What is left in memory, in the spill file, in indexes and in free pages of the database goes too."""
        self._facts.forget_cached()
        self._vault.forget_opened()
        with suppress(ServiceUnavailable, StorageFull):  # what came meanwhile is older than the manifest, and dropped
            self._merge_spill()
        self._drop_indexes()
        self.clearing.clear()

    # Away

    def _erase(self, tx: Tx, journal: Journal, held: dict[str, Any], by: str) -> dict[str, Any]:
        dsr_id = held["details"]["dsr_id"]
        request = self._bound.record(tx, "dsr_request", dsr_id)
        if request is None:
            raise NotFound(what=f"subject request {dsr_id}")
        if self._needs_forensic_key and self._forensics.public_key(tx) is None:
            raise PreconditionFailed("no forensic key is set; set one first (mace admin forensic-key)")
        if request.get("jobs") is not None:
            return self._erase_jobs(tx, journal, dsr_id, held["request_id"], request["jobs"], by)
        person = request["person"]
        tx.lock(f"erasing/{person}")  # running jobs of theirs write before this or find their keys gone
        done, keys = self._planned(tx, request)
        return self._carry_out(tx, journal, dsr_id, held["request_id"], done, keys, by)

    def _planned(self, tx: Tx, request: dict[str, Any]) -> tuple[erasure.Plan, list[str] | None]:
        """What a deletion takes as things stand, and the keys it is about by now."""
        person, keys = request["person"], request["keys"]
        held_refs = tx.vault.keys_under(f"person/{person}")
        if request["identity"]["method"] == ENDED:  # what was written since by right stays
            keys = self._consents.still_ended(tx, person, keys)
        if keys is None:
            return erasure.plan(person, None, held_refs, lambda _ref: True), None
        named = self._with_conversations(tx, person, keys)
        touching = Touching(tx, self._vault, self._recorder, self._contents, self._turns, person, named)
        return erasure.plan(person, named, held_refs, touching), keys

    def _with_conversations(self, tx: Tx, person: str, keys: list[str]) -> list[str]:
        """These keys, each conversation as the turns of it that are there now."""
        talks = {key.removeprefix(erasure.CONVERSATION) for key in keys if key.startswith(erasure.CONVERSATION)}
        rest = [key for key in keys if not key.startswith(erasure.CONVERSATION)]
        return sorted({*rest, *self._turns.of_conversations(tx, person, talks)}) if talks else rest

    def takes(self, tx: Tx, request: dict[str, Any]) -> list[str]:
        """The keys that a deletion would take now, or took; a fact that lies under none counts by its name."""
        paper = self._bound.record(tx, "deletion_manifest", request["dsr_id"])
        if paper is not None:
            return [ref for ref in erasure.removed_by(paper) if not ref.startswith("person/")]
        done, _ = self._planned(tx, request)
        return [*done.refs, *done.turn_refs, *(erasure.FACT + key for key in done.unsealed)]

    def _erase_jobs(
        self, tx: Tx, journal: Journal, dsr_id: str, approval_id: str | None, jobs: list[str], by: str
    ) -> dict[str, Any]:
        """Erase jobs that are nobody's; one that got a person or lost its key meanwhile is left out."""
        for job_id in jobs:
            tx.lock(f"erasing/{job_id}")
        refs = [f"{erasure.JOB}{job_id}" for job_id in jobs]
        free = [ref for ref in refs if (kept := tx.vault.key(ref)) is not None and kept[0] == ""]
        done = erasure.plan_jobs(free)
        return self._carry_out(tx, journal, dsr_id, approval_id, done, None, by)

    def _close_interrupted(self, tx: Tx, ref: str) -> None:
        """A job that waits to be taken up again has nothing left to go on with; its seed stays used."""
        stream = ref.removeprefix(erasure.JOB)
        told = self._recorder.jobs.told(tx, stream) if ref.startswith(erasure.JOB) else None
        if told is not None and told.status == "interrupted":
            trees.abandon(tx, self._recorder, stream, "erased")

    def _carry_out(
        self,
        tx: Tx,
        journal: Journal,
        dsr_id: str,
        approval_id: str | None,
        done: erasure.Plan,
        requested: list[str] | None,
        by: str,
    ) -> dict[str, Any]:
        """Take the keys away and write the papers; without an approval (time ran out) nothing can bring it back."""
        person = done.person
        versions = {key: tx.facts.newest(key)[1] for key in done.facts}
        forensic_id = None if approval_id is None else self._put_away(tx, journal, dsr_id, done)
        answers = sum(self._facts.forget_answers(tx, key) for key in done.facts)
        answers += self._turns.forget_answers(tx, person, done.turns)
        refs = [*done.refs, f"person/{person}"] if done.whole else done.refs
        wrapped = {ref: wrapped_hash(kept[1]) for ref in refs if (kept := tx.vault.key(ref)) is not None}
        left = self._turn_indexes().without(tx, person, done.turns) if done.turns and not done.whole else None
        for ref in done.refs:
            tx.vault.drop_key(ref)
            self._close_interrupted(tx, ref)
        for ref in done.turn_refs:
            tx.vault.drop_key(ref)
        if done.whole or done.turns:
            self._turn_indexes().put_anew(tx, person, left)
        if done.whole:
            tx.vault.drop_key(f"person/{person}")
            self._consents.end_all(tx, journal, person, "system")
        at = iso_us(self._world.clock.now())
        content = erasure.manifest(
            done,
            dsr_id=dsr_id,
            approval_id=approval_id,
            forensic_id=forensic_id,
            versions=versions,
            wrapped=wrapped,
            at=at,
            requested=requested,
        )
        manifest = records.make("deletion_manifest", dsr_id, content, self._world.keys.sign, parent=person)
        self._bound.add(tx, manifest)
        if forensic_id is None:  # gone for good, so no restored entry of an earlier version may keep the same keys
            self._purge_spare(tx, journal, content, by)
        for key in (*done.facts, *done.unsealed):
            self._facts.tombstone(
                tx, journal, key, "system_admin", dsr_id=dsr_id, deletion_manifest=records.reference(manifest)
            )
        gone = erasure.gone(done, {"idempotency_answers": answers})
        stays = erasure.stays(done, restorable=forensic_id is not None)
        paper = erasure.receipt(dsr_id, manifest.body, self._world.keys.log_name, at, gone, stays)
        proved = {**paper, "signature": self._world.keys.sign_note(erasure.receipt_message(paper)).hex()}
        receipt = records.make("deletion_receipt", dsr_id, proved, self._world.keys.sign, parent=person)
        self._bound.add(tx, receipt)
        payload = {
            "dsr_id": dsr_id,
            "person": person,
            "wrapped_sha256": erasure.put_back_by(done, wrapped),
            "at": at,
            "approval_id": approval_id,
            "facts": len(done.facts),
            "jobs": len(done.jobs),
            "forensic_id": forensic_id,
            "manifest": records.reference(manifest),
            "record": records.reference(receipt),
        }
        if 0 < len(content["turns"]) <= _MOST_SPANS:
            payload["turns"] = content["turns"]
        journal.event(tx, "DSR_ERASED", payload, by)
        self.clearing.owe(tx, dsr_id)
        return {"manifest": content, "receipt": proved}

    def _put_away(self, tx: Tx, journal: Journal, dsr_id: str, done: erasure.Plan) -> str | None:
        """Seal the keys to the forensic key; None where there is no such key, and then they are gone for good."""
        if self._forensics.public_key(tx) is None:
            return None
        keys = {}
        for ref in done.refs:
            key = self._openable(tx, ref)
            if key is not None and not ref.startswith(erasure.INDEX):
                keys[ref] = key.hex()
        package: dict[str, Any] = {"dsr_id": dsr_id, "person": done.person, "keys": keys}
        if done.turns:
            opened = [(number, self._openable(tx, ref)) for number, ref in zip(done.turns, done.turn_refs, strict=True)]
            there = {number: key for number, key in opened if key is not None}
            package["turns"] = spans_of(there)
            package["turn_keys"] = b"".join(there[number] for number in numbers_in(package["turns"])).hex()
        plain = canon.dumps(package)
        return self._forensics.put(tx, journal, "erased_keys", dsr_id, plain)

    def _openable(self, tx: Tx, ref: str) -> bytes | None:
        """A key; None for one that is damaged: there is nothing to bring back, and that must not keep anything here."""
        try:
            return self._vault.open_key(tx, ref)
        except (Erased, IntegrityFailure):
            return None

    # Because time ran out

    def overdue(self, days: int) -> int:
        """Erase jobs that are nobody's and older than this many days; return how many. 0 days: nothing is."""
        now = self._world.clock.now()
        if days <= 0 or (self._next_retention is not None and now < self._next_retention):
            return 0
        found, oldest = self._world.store.read(lambda tx: self._aged(tx, now - timedelta(days=days)))
        soon = now + _RETENTION_PAUSE
        self._next_retention = soon if oldest is None else max(soon, oldest + timedelta(days=days))
        for start in range(0, len(found), _JOBS_AT_ONCE):
            self._expire(found[start : start + _JOBS_AT_ONCE], days)
        if found:
            self.afterwards()
        return len(found)

    def _aged(self, tx: Tx, before: datetime) -> tuple[list[str], datetime | None]:
        """The streams of ended jobs without a person that began before then, and when the oldest other one began."""
        found: list[str] = []
        oldest: datetime | None = None
        for ref in tx.vault.keys_under(""):
            stream = ref.removeprefix(erasure.JOB)
            origin = self._recorder.origin(tx, stream) if ref.startswith(erasure.JOB) else None
            if origin is None:
                continue
            job = tx.jobs.get(stream)
            if origin.started_at <= before and (job is None or job.status not in ("running", "waiting")):
                found.append(stream)
            elif oldest is None or origin.started_at < oldest:
                oldest = origin.started_at
        return sorted(found), oldest

    def _expire(self, jobs: list[str], days: int) -> None:
        journal = VerbJournal(self._recorder, "retention")

        def unit(tx: Tx) -> None:
            dsr_id = seeds.derived_uuid("dsr", f"{journal.job_seed}/retention")
            content = {
                "dsr_id": dsr_id,
                "kind": subjects.DELETE,
                "person": "",
                "keys": None,
                "jobs": jobs,
                "identity": {"method": "retention", "days": days},
                "created_at": iso_us(self._world.clock.now()),
            }
            record = records.make("dsr_request", dsr_id, content, self._world.keys.sign, parent="")
            self._bound.add(tx, record)
            told = {"dsr_id": dsr_id, "kind": "delete", "identity": content["identity"]}
            journal.event(tx, "DSR_REQUEST", {**told, "record": records.reference(record)})
            self._erase_jobs(tx, journal, dsr_id, None, jobs, "system")

        self._world.store.write(unit)

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
        """Bring back what a deletion took, with the forensic private key; newer data of the person stays as it is.

        The entry is used up: a copy of keys that are in use again would outlive the next erasure and its purge.
        """
        self._forensics.check_purpose(purpose)
        manifest = self._world.store.read(lambda tx: self._manifest(tx, dsr_id))
        if manifest["forensic_id"] is None:
            raise PreconditionFailed("the keys were destroyed when this was erased; nothing can bring it back")
        self._world.store.read(lambda tx: self._must_not_be_restored(tx, dsr_id))
        package = canon.loads(self._forensics.take_out(manifest["forensic_id"], private_key, by, purpose))
        seed = self._recorder.fresh_seed() if job_seed is None else check_seed(job_seed)
        journal = VerbJournal(self._recorder, "restore_erased", seed)

        def unit(tx: Tx) -> dict[str, Any]:
            tx.lock(f"restore/{dsr_id}")
            self._must_not_be_restored(tx, dsr_id)
            self._must_not_be_purged(tx, manifest["forensic_id"])
            refs = sorted(package["keys"])
            back = [
                ref
                for ref in refs
                if self._vault.adopt(tx, ref, package["person"], bytes.fromhex(package["keys"][ref]))
            ]
            turns = self._adopt_turns(tx, package)
            tx.indexes.drop_all(package["person"])  # it was made without what comes back
            facts = [item["key"] for item in manifest["facts"] if erasure.FACT + item["key"] in back]
            raised = [key for key in facts if self._raise(tx, journal, key)]
            content = {
                "dsr_id": dsr_id,
                "by": by,
                "keys_restored": back,
                "keys_superseded": [ref for ref in refs if ref not in back],
                "turns_restored": turns,
                "facts": raised,
                "at": iso_us(self._world.clock.now()),
            }
            record = records.make("erasure_restored", dsr_id, content, self._world.keys.sign, parent=dsr_id)
            self._bound.add(tx, record)
            payload = {
                "dsr_id": dsr_id,
                "facts": len(raised),
                "turns": count_of(turns),
                "record": records.reference(record),
            }
            journal.event(tx, "ERASURE_RESTORED", payload, by)
            self._forensics.purge(tx, journal, manifest["forensic_id"], by, restored=dsr_id)
            return content

        restored = self._world.store.write(unit)
        self._drop_indexes()
        return restored

    def _adopt_turns(self, tx: Tx, package: dict[str, Any]) -> Spans:
        """Put the keys of turns back; return the spans of those that came back."""
        person, keys = package["person"], bytes.fromhex(package.get("turn_keys", ""))
        back = []
        for at, number in enumerate(numbers_in(package.get("turns", ()))):
            key = keys[at * _KEY_BYTES : (at + 1) * _KEY_BYTES]
            if self._vault.adopt(tx, turn_id_of(person, number), person, key):
                back.append(number)
        return spans_of(back)

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
        """Ask that the keys of an erasure be destroyed for good; approved as an erasure is.

        Also for evidence, and for what was quarantined, by their ids.
        """
        kept = self._world.store.read(lambda tx: self._forensics.to_purge(tx, dsr_id))
        if kept is not None and "dsr_id" in kept:
            dsr_id = kept["dsr_id"]  # the keys of an erasure, named by their entry
        elif kept is not None:
            return self._approvals.request(Kind.ERASURE, f"purge/{dsr_id}", kept, by, job_seed=job_seed)

        def look(tx: Tx) -> dict[str, Any]:
            self._must_not_be_in_use(tx, dsr_id)
            manifest = self._manifest(tx, dsr_id)
            if manifest["forensic_id"] is None:
                raise PreconditionFailed(
                    "nothing to purge: this erasure destroyed its keys at once, for no forensic key was set"
                )
            if self._bound.happened(tx, "forensic_purge", manifest["forensic_id"]):
                raise PreconditionFailed("nothing to purge: the keys of this erasure were already purged")
            return manifest

        manifest = self._world.store.read(look)
        details = {"action": "purge", "dsr_id": dsr_id, "forensic_id": manifest["forensic_id"]}
        return self._approvals.request(Kind.ERASURE, f"purge/{dsr_id}", details, by, job_seed=job_seed)

    def _must_not_be_in_use(self, tx: Tx, dsr_id: str) -> None:
        """The keys that a purge would destroy are in use again: it would be on record, and the data still there.

        Not once something of it was erased again: then the entry has a key that the later erasure took away.
        """
        restored = self._bound.named(tx, "erasure_restored", dsr_id)
        if restored is None:
            return
        paper = self._manifest(tx, dsr_id)
        later = (
            content
            for named, content in self._manifests(tx, paper["person"])
            if named.position > restored.position and content["dsr_id"] != dsr_id
        )
        if not any(erasure.share_keys(paper, other) for other in later):
            raise Conflict("this erasure was restored, so its data is in use again; request a new deletion instead")

    def _must_not_be_restored(self, tx: Tx, dsr_id: str) -> None:
        if self._bound.happened(tx, "erasure_restored", dsr_id):
            raise PreconditionFailed("this erasure has already been restored")

    def _purge_spare(self, tx: Tx, journal: Journal, paper: dict[str, Any], by: str) -> None:
        """Destroy the entries of restored erasures that have keys of this one, too: earlier versions kept them."""
        for _, other in self._manifests(tx, paper["person"]):
            entry_id = other["forensic_id"]
            if other["dsr_id"] == paper["dsr_id"] or entry_id is None or not erasure.share_keys(paper, other):
                continue
            restored = self._bound.happened(tx, "erasure_restored", other["dsr_id"])
            if restored and not self._bound.happened(tx, "forensic_purge", entry_id):
                self._forensics.purge(tx, journal, entry_id, by, restored=other["dsr_id"])

    def _manifests(self, tx: Tx, person: str) -> list[tuple[Named, dict[str, Any]]]:
        """What was erased of a person; a damaged manifest is verification's."""
        named = (self._bound.named(tx, _MANIFEST, row.key) for row in tx.records.children(_MANIFEST, person))
        found = [(held, self._bound.if_intact(tx, _MANIFEST, held)) for held in named if held is not None]
        return [(held, content) for held, content in found if content is not None]

    def _must_not_be_purged(self, tx: Tx, forensic_id: str) -> None:
        if self._bound.happened(tx, "forensic_purge", forensic_id):
            raise PreconditionFailed("the keys of this erasure were purged; nothing can bring it back")

    def _manifest(self, tx: Tx, dsr_id: str) -> dict[str, Any]:
        content = self._bound.record(tx, "deletion_manifest", dsr_id)
        if content is None:
            raise NotFound(what=f"finished deletion {dsr_id}")
        return content
