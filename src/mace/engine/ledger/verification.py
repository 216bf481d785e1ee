"""Verification as a verb: walk the whole record, then put what was found on the record too.

Read-only for auditors; otherwise each new finding is quarantined, becomes an `INTEGRITY_FAILURE` and part of an
incident, and replays that need the rows are halted. A finding known already changes nothing: verifying twice is
verifying once. Only the index of what events speak of is put right at once: it is derived, and while it is wrong an
event may be passed over that has decided something.
"""

import logging
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from itertools import islice
from typing import Any

from mace.core import canon, seeds
from mace.core.errors import Conflict, IntegrityFailure, MaceError
from mace.core.purposes import Purpose
from mace.core.times import iso_us
from mace.engine.kernel import missing_keys as gone
from mace.engine.kernel.bound import lenient
from mace.engine.kernel.recorder import Recorder
from mace.engine.kernel.vault import Vault
from mace.engine.kernel.world import World
from mace.engine.ledger import bindings, subject_index
from mace.engine.ledger.attestation import told
from mace.engine.ledger.damage import MAX_FINDINGS, never_dies, walkable
from mace.engine.ledger.incidents import Incidents, halted_by
from mace.engine.ledger.kept_parts import KeptParts
from mace.engine.ledger.proofs import SETTLEMENT, Proofs
from mace.engine.ledger.walking import Walk
from mace.ledger import records
from mace.ledger.findings import (
    Attested,
    Finding,
    changed_record,
    damage_found,
    forged_checkpoint,
    held_elsewhere,
    is_held,
    missing_key,
    to_settle,
)
from mace.ledger.tree import TILE_BITS
from mace.ledger.verify import EventWalk
from mace.storage.ports import Damage, Record, Tx

Progress = Callable[[int, int], None]
_log = logging.getLogger("mace")
_TABLES = {"reflective_log": "reflective_log_stage0", "sem_history": "sem_history"}
_MORE = "MANY_MORE"


class _Findings:
    """What was found, each thing once: the first ones whole, the rest as a number and a hash of them all.

    Whoever attests needs every single one (`keep_all`): a word about a number of things would cover none of them.
    """

    def __init__(self, *, keep_all: bool = False) -> None:
        self._first: list[Finding] = []
        self._seen: dict[str, None] = {}
        self._hash = sha256()
        self.kinds: set[str] = set()  # also of those that are not kept
        self.word = Attested()  # what was attested and settled before
        self._keep_all = keep_all
        self._rest: list[dict[str, Any]] = []

    def extend(self, found: Iterable[Finding]) -> None:
        for finding in map(self.word.as_now, found):
            finding_id = finding.finding_id
            if finding_id in self._seen:
                continue
            self._seen[finding_id] = None
            self.kinds.add(finding.kind)
            if len(self._first) < MAX_FINDINGS:
                self._first.append(finding)
                continue
            self._hash.update(finding_id.encode())
            if self._keep_all:
                self._rest.append(finding.shown())

    @property
    def count(self) -> int:
        return len(self._seen)

    def listed(self) -> list[Finding]:
        more = self.count - len(self._first)
        if not more:
            return self._first
        evidence = {"count": more, "sha256": self._hash.hexdigest()}
        return [*self._first, Finding(_MORE, {"table": "*"}, f"and {more} more", evidence)]

    def to_settle(self, *, quick: bool) -> list[str]:
        """What was attested before and is not found any more."""
        found = {*self._seen, *(finding.finding_id for finding in self.listed())}
        return to_settle(self.word, found, self.kinds, quick=quick)

    def shown(self) -> list[dict[str, Any]]:
        """What is listed, and whether an admin's word covers it; the rest is covered when each of them is."""
        said = self.word.said

        def is_covered(finding: Finding) -> bool:
            rest = islice(self._seen, len(self._first), None) if finding.kind == _MORE else ()
            return finding.finding_id in said or (finding.kind == _MORE and all(key in said for key in rest))

        return [{**finding.shown(), "attested": is_covered(finding)} for finding in self.listed()]

    def to_attest(self) -> list[dict[str, Any]]:
        """Everything that no word covers yet, each by itself; without what could only not be looked at just now."""
        every = [*(finding.shown() for finding in self.listed()), *self._rest]
        return [item for item in every if item["finding_id"] not in self.word.said and not is_held(item["where"])]


class Verification:
    """Checks every stored byte; findings are quarantined and become an incident."""

    def __init__(
        self,
        world: World,
        recorder: Recorder,
        vault: Vault,
        proofs: Proofs,
        incidents: Incidents,
        experience: Callable[[], Iterable[Finding]],  # compares what was projected with what the events give
    ) -> None:
        self._world = world
        self._recorder = recorder
        self._vault = vault
        self._proofs = proofs
        self._incidents = incidents
        self._experience = experience
        self.looks_at_the_file = False  # also with `quick`
        self._bound = lenient(world.keys)  # what was recorded is what events say, as far as they still say it

    def run(self, *, read_only: bool, quick: bool = False, progress: Progress | None = None) -> dict[str, Any]:
        """Check everything and return a report; with `read_only` nothing is written, with `quick` less is opened."""
        found = _Findings()
        report = self._report(found, read_only=read_only, quick=quick, progress=progress)
        if not read_only:
            try:
                self._mend_index(found)
            except Exception as error:  # then it is found again, and what was found is told in any case
                _log.warning("the index of what events speak of could not be put right: %s", type(error).__name__)
        return report

    def to_attest(self) -> list[dict[str, Any]]:
        """Check everything, put it on the record, and return every single finding that no word covers yet."""
        found = _Findings(keep_all=True)
        self._report(found, read_only=False, quick=False, progress=None)
        self._mend_index(found)  # no word over one that cannot be put right
        return found.to_attest()

    def _mend_index(self, found: _Findings) -> None:
        """The events decide again from here on; that they may have been passed over stays on the record."""
        if "SUBJECTS_CHANGED" not in found.kinds:
            return
        try:
            subject_index.mend(self._world.store, self._recorder.is_own)
        except IntegrityFailure:  # the store has met a row that cannot be read, and leaves it out from now on
            subject_index.mend(self._world.store, self._recorder.is_own)

    def _report(self, found: _Findings, *, read_only: bool, quick: bool, progress: Progress | None) -> dict[str, Any]:
        damage = self._damage(quick=quick)
        with walkable(self._world, damage) as world:
            walker = self if world is self._world else self._over(world)
            found.word = world.store.read(walker._proofs.attested)
            events = walker._walk(found, found.word, quick=quick, progress=progress)
        found.extend(never_dies("ledger_head", self._key_number()))
        if not quick:
            found.extend(never_dies("vault_keys", self._misplaced()))
        found.extend(map(damage_found, damage))
        findings = [finding for finding in found.listed() if not is_held(finding.where)]
        shown = found.shown()
        result: dict[str, Any] = {
            "ok": all(item["attested"] for item in shown),
            "events": events,
            "findings": shown,
            "findings_in_all": found.count,
            "incident_id": None,
            "read_only": read_only,
            "quick": quick,
        }
        if findings and not read_only:
            try:
                result["incident_id"] = self.record_findings(findings)
            except MaceError as error:  # what was found is told in any case
                result["not_recorded"] = str(error)
            except Exception as error:  # a store that is damaged enough has more ways to fail than it has words for
                result["not_recorded"] = type(error).__name__
        if not read_only:
            self._settle(found.to_settle(quick=quick))
        return result

    def _settle(self, finding_ids: list[str]) -> None:
        """Put on the record that attested findings are not found any more: their word covers nothing from now on."""

        def unit(tx: Tx) -> None:
            tx.lock("findings")  # another node may be saying the same
            left = sorted(set(finding_ids) - self._proofs.attested(tx).settled)
            if not left:
                return
            key = seeds.derived_uuid(SETTLEMENT, self._recorder.fresh_seed())
            content = {"settlement_id": key, "finding_ids": left, "at": iso_us(self._world.clock.now())}
            record = records.make(SETTLEMENT, key, content, self._world.keys.sign)
            self._bound.add(tx, record)
            payload = {**told(left), "record": records.reference(record)}
            self._recorder.append(tx, self._recorder.system(tx), "FINDINGS_SETTLED", payload)

        try:
            if finding_ids:
                self._world.store.write(unit)
        except Exception as error:  # then the next verification says so
            _log.warning("what is not found any more could not be recorded: %s", type(error).__name__)

    def _damage(self, *, quick: bool) -> list[Damage]:
        if quick and not self.looks_at_the_file:
            return []
        return self._world.store.inspect(quick=quick)

    def _over(self, world: World) -> "Verification":
        """The same over another store: a copy of what can be read of a damaged one."""
        return Verification(world, self._recorder, self._vault, Proofs(world), self._incidents, self._experience)

    def _walk(self, findings: _Findings, attested: Attested, *, quick: bool, progress: Progress | None) -> int:
        keys = self._world.keys
        forged: list[Finding] = []
        beside = Walk(self._world, self._recorder)
        walk = EventWalk(
            check=keys.check,
            trust=lambda: keys.trust,
            counts_at=keys.counts_at,
            hash_before=lambda stream, index: _hash_before(beside.tx, stream, index),
            checkpoints=self._proofs.kept(attested, lambda note, why: forged.append(forged_checkpoint(note, why))),
            look_at=beside.look_at,
            lost_leaf=attested.lost_leaves.get,
            good_before=lambda stream, index: self._recorder.good_before(beside.tx, stream, index),
        )
        findings.extend(never_dies("notes", self._notes()))
        findings.extend(self._proofs.shelf_findings(self._proofs.shelf_state()))
        findings.extend(never_dies("events", beside.run(walk, progress)))
        findings.extend(never_dies("tiles", self._stray_tiles()))
        findings.extend(forged)
        findings.extend(never_dies("records", self._records(beside)))
        for part, check in bindings.PARTS.items():
            findings.extend(never_dies(part, check(self._world, self._proofs)))
        if not quick:
            findings.extend(never_dies("vault_keys", self._wrapped_keys()))
            parts = KeptParts(self._world.store, keys, self._vault)
            findings.extend(never_dies("vault_blobs", parts.findings(beside.is_adopted)))
            findings.extend(never_dies("experience", self._lived()))
        return beside.events

    def _lived(self) -> Iterator[Finding]:
        """Experience may lie in a store of its own, which another process may hold: the rest is told all the same."""
        try:
            yield from self._experience()
        except Conflict as error:
            yield held_elsewhere("experience", error)

    def _stray_tiles(self) -> Iterator[Finding]:
        """Subtree roots of events that are not there."""

        def look(tx: Tx) -> list[tuple[int, int, bytes]]:
            size = tx.events.size()
            stray: list[tuple[int, int, bytes]] = []
            after: tuple[int, int] | None = None
            while rows := tx.tiles.scan_all(after):
                stray += [row for row in rows if not 0 < row[0] < 8 or not 0 <= row[1] < size >> TILE_BITS * row[0]]
                after = rows[-1][:2]
            return stray

        for level, index, root in self._world.store.read(look):
            yield Finding(
                "TILE_CHANGED",
                {"table": "tiles", "level": level, "index": index},
                f"tile {index} of level {level} is of events that are not there",
                {"root": root.hex()},
            )

    def _records(self, beside: Walk) -> Iterator[Finding]:
        check = self._world.keys.check
        after = ("", "")

        def look(tx: Tx) -> tuple[list[Record], list[str]]:
            rows = tx.records.scan_all(after)
            signed = [record for record in rows if records.is_signed(record, check)]
            refs = [ref for record in signed for ref in gone.keys_of_record(tx, record)]
            return rows, gone.missing(tx, refs, self._world.keys)

        while True:
            rows, lost = self._world.store.read(look)
            if not rows:
                return
            yield from map(missing_key, lost)
            for record in rows:
                if not records.is_signed(record, check):
                    digest = records.digest_of(record.kind, record.key, record.parent, record.body)
                    yield beside.not_signed(Purpose.RECORD, digest, record.signature, changed_record(record))
            after = (rows[-1].kind, rows[-1].key)

    def _wrapped_keys(self) -> Iterator[Finding]:
        after = ""

        def look(tx: Tx) -> tuple[list[tuple[str, str, bytes]], list[str], set[str], list[Finding]]:
            rows = tx.vault.scan_keys(after)
            intact = [row for row in rows if self._vault.is_intact(*row)]
            parents = sorted({parent for _, parent, _ in intact if parent})
            closed = {ref for ref, _, _ in intact if not self._vault.opens(tx, ref)}
            back = gone.returned(tx, rows, self._world.keys)
            return rows, gone.missing(tx, parents, self._world.keys), closed, back

        while True:
            rows, lost, closed, back = self._world.store.read(look)
            if not rows:
                return
            yield from map(missing_key, lost)
            yield from back
            for ref, parent, stored in rows:
                if not self._vault.is_intact(ref, parent, stored):
                    yield self._unreadable(ref, parent, stored, f"key {ref} is not as it was made")
                elif ref in closed:
                    yield self._unreadable(ref, parent, stored, f"key {ref} does not open: is this the master key?")
            after = rows[-1][0]

    def _misplaced(self) -> Iterator[Finding]:
        """Keys that are kept apart, in the table where older stores had them: nobody reads them there."""
        after = ""

        def look(tx: Tx) -> tuple[list[tuple[str, str, bytes]], list[Finding]]:
            rows = [] if tx.vault.must_move() else tx.vault.misplaced(after)
            return rows, gone.returned(tx, rows, self._world.keys)

        while True:
            rows, back = self._world.store.read(look)
            if not rows:
                return
            yield from back
            known = {item.where["ref"] for item in back}
            for ref, parent, stored in rows:
                if ref not in known:
                    yield self._unreadable(ref, parent, stored, f"key {ref} is not kept apart: somebody put it there")
            after = rows[-1][0]

    @staticmethod
    def _unreadable(ref: str, parent: str, stored: bytes, detail: str) -> Finding:
        evidence = {"parent": parent, "sha256": sha256(stored).hexdigest()}  # a copy would outlive an erasure
        return Finding("KEY_UNREADABLE", {"table": "vault_keys", "ref": ref}, detail, evidence)

    def _notes(self) -> Iterator[Finding]:
        held = self._world.store.read(lambda tx: tx.notes.get("log_name"))
        if held != self._world.keys.log_name:
            where = {"table": "notes", "name": "log_name"}
            yield Finding("WRONG_LOG", where, "the log's name was changed", {"value": held})

    def _key_number(self) -> Iterator[Finding]:
        """The number by which other processes notice a new key; which key that is, the key file says."""
        keys = self._world.keys
        active, trust = keys.active_number, keys.trust

        def look(tx: Tx) -> tuple[int, str | None, bool]:
            number = tx.signing.number()
            in_force, _ = trust.in_force(tx.events.size())
            return number, in_force, tx.records.get("signing_key", f"k{number}") is not None

        try:
            number, in_force, is_newer = self._world.store.read(look)
        except IntegrityFailure:
            return  # what cannot be read is named where the tables are looked at
        right = {active, int((in_force or "k0")[1:])}
        if number in right or (number == 0 and 1 in right) or (number > active and is_newer):
            return
        where = {"table": "ledger_head"}
        yield Finding("RECORD_CHANGED", where, "the number of the key that signs was changed", {"number": number})

    def record_findings(self, findings: list[Finding]) -> str | None:
        """Quarantine what is new, open an incident over it and halt what depends on it; nothing new does nothing.

        Where the vault itself is too damaged to take the evidence, what was found is on the record without it.
        """
        try:
            return self._world.store.write(lambda tx: self._enter(tx, findings, with_evidence=True))
        except IntegrityFailure:
            return self._world.store.write(lambda tx: self._enter(tx, findings, with_evidence=False))

    def _enter(self, tx: Tx, findings: list[Finding], *, with_evidence: bool) -> str | None:
        tx.lock("findings")  # another node may be finding the same
        unique = {finding.finding_id: finding for finding in findings}
        new = [unique[key] for key in unique if not self._bound.happened(tx, "quarantine", key)]
        if not new:
            opened = (self._incidents.about(tx, key) for key in unique)
            return next((incident_id for incident_id in opened if incident_id is not None), None)
        about = [finding.finding_id for finding in new]
        incident_id = self._incidents.id_of("INTEGRITY_FAILURE", about)
        key_ref = self._vault.quarantine_key(tx) if with_evidence else ""
        origin = self._recorder.system(tx)
        for finding in new:
            ref = f"quarantine/{finding.finding_id}"
            is_kept = with_evidence and bool(finding.evidence)
            if is_kept:
                self._vault.put_blob(tx, ref, key_ref, None, canon.dumps(finding.evidence))
            content = {
                "quarantine_id": finding.finding_id,
                "what": "finding",
                "finding": finding.shown(),
                "blob": ref if is_kept else None,
            }
            record = records.make("quarantine", finding.finding_id, content, self._world.keys.sign, parent=incident_id)
            self._bound.add(tx, record)
            self._recorder.append(
                tx,
                origin,
                "INTEGRITY_FAILURE",
                {
                    "finding_id": finding.finding_id,
                    "kind": finding.kind,
                    "where": finding.shown()["where"],
                    "record": records.reference(record),
                },
            )
        return self._incidents.open(
            tx,
            kind="INTEGRITY_FAILURE",
            severity="critical",
            summary=f"verification found {len(new)}: {', '.join(sorted({item.kind for item in new}))}",
            about=about,
            halts=sorted({halted_by(item) for item in new}),
        )


def _hash_before(tx: Tx, stream: str, index: int) -> tuple[int, bytes] | None:
    row = tx.events.at(stream, index)
    return None if row is None else (row.position, row.hash)
