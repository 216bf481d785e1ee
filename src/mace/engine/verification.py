"""Verification as a verb: walk the whole record, then put what was found on the record too.

Read-only for auditors; otherwise each new finding is quarantined, becomes an `INTEGRITY_FAILURE` and part of an
incident, and replays that need the rows are halted. A finding known already changes nothing: verifying twice is
verifying once.
"""

import heapq
from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Any

from mace.core import canon
from mace.core.errors import Erased
from mace.core.events import StoredEvent
from mace.core.times import iso_ms
from mace.engine.incidents import Incidents
from mace.engine.proofs import Proofs
from mace.engine.recorder import Recorder
from mace.engine.vault import Vault
from mace.engine.world import World
from mace.ledger import records, reflective
from mace.ledger.checkpoint import BadNote, Checkpoint
from mace.ledger.findings import Finding
from mace.ledger.verify import EventWalk
from mace.storage.ports import Record, Tx, batches

Progress = Callable[[int, int], None]
QUARANTINE_KEY = "system/quarantine"
MOST_FINDINGS = 1000  # recorded one by one; beyond that the log as a whole is the finding


class Verification:
    def __init__(self, world: World, recorder: Recorder, vault: Vault, proofs: Proofs, incidents: Incidents) -> None:
        self._world = world
        self._recorder = recorder
        self._vault = vault
        self._proofs = proofs
        self._incidents = incidents

    def run(self, *, read_only: bool, progress: Progress | None = None) -> dict[str, Any]:
        events, findings = self._walk(progress)
        attested = self._world.store.read(attested_findings)
        shown = [
            {**finding.shown(), "attested": finding.finding_id in attested} for finding in findings[:MOST_FINDINGS]
        ]
        result: dict[str, Any] = {
            "ok": all(item["attested"] for item in shown),
            "events": events,
            "findings": shown,
            "findings_in_all": len(findings),
            "incident_id": None,
            "read_only": read_only,
        }
        if findings and not read_only:
            result["incident_id"] = self._record(findings[:MOST_FINDINGS])
        return result

    def _walk(self, progress: Progress | None) -> tuple[int, list[Finding]]:
        store, keys = self._world.store, self._world.keys
        size = store.read(lambda tx: tx.events.size())
        forged: list[Finding] = []
        walk = EventWalk(
            check=keys.check,
            hash_before=self._hash_before,
            checkpoints=self._kept_checkpoints(forged),
            look_at=self._look_at,
            lost_leaf=self._lost_leaf,
        )
        findings: list[Finding] = list(self._notes())
        tiles = 0
        for rows in batches(lambda start, limit: store.read(lambda tx: tx.events.scan(start, limit)), size):
            findings.extend(walk.feed(rows))
            findings.extend(self._tiles(walk.frontier.completed))
            tiles += len(walk.frontier.completed)
            walk.frontier.completed.clear()
            if progress:
                progress(walk.expected, size)
        findings.extend(walk.finish())
        findings.extend(forged)
        findings.extend(self._records())
        findings.extend(self._logs())
        findings.extend(self._wrapped_keys())
        return walk.events, findings

    def _hash_before(self, stream: str, index: int) -> tuple[int, bytes] | None:
        row = self._world.store.read(lambda tx: tx.events.at(stream, index))
        return None if row is None else (row.position, row.hash)

    def _lost_leaf(self, position: int) -> bytes | None:
        row = self._world.store.read(lambda tx: tx.records.get("lost_leaf", str(position)))
        return None if row is None else bytes.fromhex(canon.loads(row.body)["hash"])

    def _kept_checkpoints(self, forged: list[Finding]) -> Iterator[Checkpoint]:
        """Checkpoints of the shelf and of the database by size, without those an attested roll-back set aside."""
        starts = self._world.store.read(epoch_starts)

        def counts(checkpoint: Checkpoint) -> bool:
            later = [start for epoch, start in starts.items() if epoch > checkpoint.epoch]
            return not later or checkpoint.size <= min(later)

        def parsed(notes: Iterator[str]) -> Iterator[tuple[int, bytes, Checkpoint]]:
            for note in notes:
                try:
                    checkpoint = self._proofs.open(note)
                except BadNote as error:
                    digest = sha256(note.encode()).hexdigest()
                    forged.append(
                        Finding("CHECKPOINT_FORGED", {"table": "checkpoints", "note_sha256": digest}, str(error))
                    )
                    continue
                if counts(checkpoint):
                    yield checkpoint.size, checkpoint.root, checkpoint

        seen: tuple[int, bytes] | None = None
        merged = heapq.merge(parsed(self._world.shelf.notes()), parsed(self._notes_in_database()))
        for size, root, checkpoint in merged:
            if (size, root) != seen:
                seen = (size, root)
                yield checkpoint

    def _notes_in_database(self) -> Iterator[str]:
        for record in _all(lambda after: self._world.store.read(lambda tx: tx.records.scan("checkpoint", after))):
            yield canon.loads(record.body)["note"]

    def _look_at(self, row: StoredEvent, said: dict[str, Any]) -> Iterator[Finding]:
        """What an event says about other tables must be so."""
        if row.sequence_index == 0:
            origin = self._world.store.read(lambda tx: tx.streams.get(row.stream))
            where = {"table": "streams", "stream": row.stream}
            if origin is None:
                yield Finding("ROW_MISSING", where, f"the row of stream {row.stream} is gone")
            elif (
                origin.job_seed != said["job_seed"]
                or origin.trace_id != said["trace_id"]
                or iso_ms(origin.started_at) != said["payload"].get("started_at")
            ):
                yield Finding("COLUMN_MISMATCH", where, f"the row of stream {row.stream}")
        reference = said["payload"].get("record")
        if isinstance(reference, dict):
            yield from self._referenced(reference)

    def _referenced(self, reference: dict[str, str]) -> Iterator[Finding]:
        kind, key = reference["kind"], reference["key"]

        def digest(tx: Tx) -> str | None:
            if kind == "reflective_log":
                columns = tx.logs.get(key)
                return None if columns is None else sha256(reflective.signed_bytes(columns)).hexdigest()
            record = tx.records.get(kind, key)
            return None if record is None else sha256(record.body).hexdigest()

        held = self._world.store.read(digest)
        table = "reflective_log_stage0" if kind == "reflective_log" else "records"
        where = {"table": table, "kind": kind, "key": key}
        if held is None:
            yield Finding("RECORD_MISSING", where, f"{kind} {key} is gone")
        elif held != reference["hash"]:
            yield Finding("RECORD_CHANGED", where, f"{kind} {key} is not what its event names")

    def _tiles(self, completed: list[tuple[int, int, bytes]]) -> Iterator[Finding]:
        def look(tx: Tx) -> list[tuple[int, int, bytes]]:
            held = [(level, index, tx.tiles.get(level, index), root) for level, index, root in completed]
            return [(level, index, kept) for level, index, kept, root in held if kept is not None and kept != root]

        if completed:
            for level, index, kept in self._world.store.read(look):
                yield Finding(
                    "TILE_CHANGED",
                    {"table": "tiles", "level": level, "index": index},
                    f"tile {index} of level {level}",
                    {"root": kept.hex()},
                )

    def _records(self) -> Iterator[Finding]:
        check = self._world.keys.check
        for record in _all(lambda after: self._world.store.read(lambda tx: tx.records.scan_all(after))):
            if not records.is_signed(record, check):
                yield Finding(
                    "RECORD_CHANGED",
                    {"table": "records", "kind": record.kind, "key": record.key},
                    f"{record.kind} {record.key} has no good signature",
                    {"body": record.body.hex(), "parent": record.parent, "signature": record.signature},
                )

    def _logs(self) -> Iterator[Finding]:
        after = ""

        def look(tx: Tx) -> list[dict[str, Any]]:
            return tx.logs.scan(after)

        while rows := self._world.store.read(look):
            for columns in rows:
                after = columns["log_id"]
                digest = sha256(reflective.signed_bytes(columns)).digest()
                if not self._world.keys.check(digest, columns["signature"]):
                    yield Finding(
                        "RECORD_CHANGED",
                        {"table": "reflective_log_stage0", "kind": "reflective_log", "key": after},
                        f"reflective log {after} has no good signature",
                        {"row": {name: str(value) for name, value in columns.items()}},
                    )

    def _wrapped_keys(self) -> Iterator[Finding]:
        after = ""

        def look(tx: Tx) -> tuple[list[str], str]:
            rows = tx.vault.scan_keys(after)
            bad = []
            for ref, parent, _ in rows:
                if parent and tx.vault.key(parent) is None:
                    continue  # the key above was taken away: erased, not damaged
                try:
                    self._vault.open_key(tx, ref)
                except Erased:
                    bad.append(ref)
            return bad, rows[-1][0] if rows else ""

        while True:
            bad, after = self._world.store.read(look)
            for ref in bad:
                yield Finding("KEY_UNREADABLE", {"table": "vault_keys", "ref": ref}, f"key {ref} does not open")
            if not after:
                return

    def _notes(self) -> Iterator[Finding]:
        held, epoch, starts = self._world.store.read(
            lambda tx: (tx.notes.get("log_name"), self._proofs.epoch(tx), epoch_starts(tx))
        )
        if held != self._world.keys.log_name:
            yield Finding("WRONG_LOG", {"table": "notes", "name": "log_name"}, "the log's name was changed")
        if epoch != max(starts, default=0):
            yield Finding("COLUMN_MISMATCH", {"table": "notes", "name": "epoch"}, "the epoch was changed")

    def _record(self, findings: list[Finding]) -> str | None:
        """Quarantine what is new, open an incident over it and halt what depends on it; nothing new does nothing."""

        def unit(tx: Tx) -> str | None:
            new = [finding for finding in findings if tx.records.get("quarantine", finding.finding_id) is None]
            if not new:
                return self._incidents.about(tx, findings[0].finding_id)
            origin = self._recorder.system(tx)
            for finding in new:
                ref = f"quarantine/{finding.finding_id}"
                if finding.evidence:
                    self._vault.put_blob(tx, ref, QUARANTINE_KEY, None, canon.dumps(finding.evidence))
                content = {
                    "quarantine_id": finding.finding_id,
                    "what": "finding",
                    "finding": finding.shown(),
                    "blob": ref if finding.evidence else None,
                }
                record = records.make("quarantine", finding.finding_id, content, self._world.keys.sign)
                tx.records.add(record)
                self._recorder.append(
                    tx,
                    origin,
                    "INTEGRITY_FAILURE",
                    {
                        "finding_id": finding.finding_id,
                        "kind": finding.kind,
                        "where": finding.where,
                        "record": records.reference(record),
                    },
                )
            return self._incidents.open(
                tx,
                kind="INTEGRITY_FAILURE",
                severity="critical",
                summary=f"verification found {len(new)}: {', '.join(sorted({item.kind for item in new}))}",
                about=[finding.finding_id for finding in new],
                halts=sorted({str(item.where.get("stream", "*")) for item in new}),
            )

        return self._world.store.write(unit)


def _all(page: Callable[[int], list[Record]]) -> Iterator[Record]:
    after = 0
    while rows := page(after):
        yield from rows
        after = rows[-1].order


def attested_findings(tx: Tx) -> set[str]:
    found: set[str] = set()
    for record in tx.records.scan("attestation", 0, 100_000):
        found.update(canon.loads(record.body)["finding_ids"])
    return found


def epoch_starts(tx: Tx) -> dict[int, int]:
    """By epoch: up to which size the checkpoints of earlier epochs still count."""
    bodies = [canon.loads(row.body)["payload"] for row in tx.events.of_type("EPOCH_STARTED")]
    return {body["epoch"]: body["continued_from"] for body in bodies}
