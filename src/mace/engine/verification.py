"""Verification as a verb: walk the whole record, then put what was found on the record too.

Read-only for auditors; otherwise each new finding is quarantined, becomes an `INTEGRITY_FAILURE` and part of an
incident, and replays that need the rows are halted. A finding known already changes nothing: verifying twice is
verifying once.
"""

from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from typing import Any

from mace.core import canon
from mace.core.errors import IntegrityFailure, MaceError
from mace.core.events import StoredEvent
from mace.core.times import iso_ms
from mace.engine.facts import row_hash
from mace.engine.incidents import Incidents
from mace.engine.proofs import Proofs
from mace.engine.recorder import Recorder
from mace.engine.vault import Vault
from mace.engine.world import World
from mace.ledger import records, reflective
from mace.ledger.findings import Attested, Finding, forged_checkpoint
from mace.ledger.tree import TILE_BITS
from mace.ledger.verify import EventWalk
from mace.storage.ports import Fact, Record, Tx, batches

Progress = Callable[[int, int], None]
_TABLES = {"reflective_log": "reflective_log_stage0", "sem_history": "sem_history"}
MOST_FINDINGS = 1000  # recorded one by one; beyond that the log as a whole is the finding


class _Findings:
    """What was found, each thing once: the first ones whole, the rest as a number and a hash of them all."""

    def __init__(self) -> None:
        self._first: list[Finding] = []
        self._seen: set[str] = set()
        self._rest = sha256()

    def extend(self, found: Iterable[Finding]) -> None:
        for finding in found:
            finding_id = finding.finding_id
            if finding_id in self._seen:
                continue
            self._seen.add(finding_id)
            if len(self._first) < MOST_FINDINGS:
                self._first.append(finding)
            else:
                self._rest.update(finding_id.encode())

    @property
    def count(self) -> int:
        return len(self._seen)

    def listed(self) -> list[Finding]:
        more = self.count - len(self._first)
        if not more:
            return self._first
        evidence = {"count": more, "sha256": self._rest.hexdigest()}
        return [*self._first, Finding("MANY_MORE", {"table": "*"}, f"and {more} more", evidence)]


class Verification:
    def __init__(self, world: World, recorder: Recorder, vault: Vault, proofs: Proofs, incidents: Incidents) -> None:
        self._world = world
        self._recorder = recorder
        self._vault = vault
        self._proofs = proofs
        self._incidents = incidents

    def run(self, *, read_only: bool, progress: Progress | None = None) -> dict[str, Any]:
        attested = self._world.store.read(self._proofs.attested)
        events, found = self._walk(attested, progress)
        findings = found.listed()
        shown = [{**finding.shown(), "attested": finding.finding_id in attested.findings} for finding in findings]
        result: dict[str, Any] = {
            "ok": all(item["attested"] for item in shown),
            "events": events,
            "findings": shown,
            "findings_in_all": found.count,
            "incident_id": None,
            "read_only": read_only,
        }
        if findings and not read_only:
            try:
                result["incident_id"] = self.record_findings(findings)
            except (MaceError, canon.NotCanonical) as error:  # what was found is told in any case
                result["not_recorded"] = str(error)
        return result

    def _walk(self, attested: Attested, progress: Progress | None) -> tuple[int, _Findings]:
        store, keys = self._world.store, self._world.keys
        forged: list[Finding] = []
        looking: list[Tx] = []  # the snapshot that a batch of rows is compared with
        walk = EventWalk(
            check=keys.check,
            hash_before=lambda stream, index: _hash_before(looking[0], stream, index),
            checkpoints=self._proofs.kept(attested, lambda note, why: forged.append(forged_checkpoint(note, why))),
            look_at=lambda row, said: _look_at(looking[0], row, said),
            lost_leaf=attested.lost_leaves.get,
        )
        findings = _Findings()
        findings.extend(self._notes())

        def scan(start: int, limit: int) -> list[StoredEvent]:
            return store.read(lambda tx: tx.events.scan(start, limit))

        def compare(rows: list[StoredEvent]) -> None:
            def look(tx: Tx) -> None:
                looking[:] = [tx]
                findings.extend(walk.feed(rows))
                findings.extend(_tiles(tx, walk.frontier.completed))
                walk.frontier.completed.clear()

            store.read(look)

        size = -1
        while size < 0 or walk.wants_more:
            before, size = size, store.read(lambda tx: tx.events.size())
            if size == before:
                break  # nobody appended: the events of that checkpoint are gone
            for rows in batches(scan, size, walk.expected):
                compare(rows)
                if progress:
                    progress(walk.expected, size)
        findings.extend(walk.finish(size))
        findings.extend(self._stray_tiles())
        findings.extend(forged)
        findings.extend(self._records())
        findings.extend(self._logs())
        findings.extend(self._wrapped_keys())
        findings.extend(self._facts())
        return walk.events, findings

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

    def _records(self) -> Iterator[Finding]:
        check = self._world.keys.check
        after = ("", "")

        def look(tx: Tx) -> list[Record]:
            return tx.records.scan_all(after)

        while rows := self._world.store.read(look):
            for record in rows:
                if not records.is_signed(record, check):
                    yield Finding(
                        "RECORD_CHANGED",
                        {"table": "records", "kind": record.kind, "key": record.key},
                        f"{record.kind} {record.key} is not what was signed",
                        _record_as_found(record),
                    )
            after = (rows[-1].kind, rows[-1].key)

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
                        f"reflective_log {after} is not what was signed",
                        _log_as_found(columns),
                    )

    def _wrapped_keys(self) -> Iterator[Finding]:
        after = ""

        def look(tx: Tx) -> list[tuple[str, str, bytes]]:
            return tx.vault.scan_keys(after)

        while rows := self._world.store.read(look):
            for ref, parent, stored in rows:
                if not self._vault.is_intact(ref, parent, stored):
                    yield Finding(
                        "KEY_UNREADABLE",
                        {"table": "vault_keys", "ref": ref},
                        f"key {ref} is not as it was made",
                        {"parent": parent, "sha256": sha256(stored).hexdigest()},  # a copy would outlive an erasure
                    )
            after = rows[-1][0]

    def _facts(self) -> Iterator[Finding]:
        """What stands now must be a row of the history, column for column, and the last one that was applied."""
        after = ""

        def look(tx: Tx) -> tuple[list[Fact], str]:
            rows = tx.facts.scan(after)
            return [fact for fact in rows if not _is_current(tx, fact)], rows[-1].key if rows else ""

        while True:
            bad, after = self._world.store.read(look)
            for fact in bad:
                where = {"table": "facts", "kind": "fact", "key": fact.key}
                evidence = {"sha256": sha256(repr(fact).encode()).hexdigest()}  # a copy would outlive an erasure
                yield Finding("RECORD_CHANGED", where, f"fact {fact.key} is not the last one written", evidence)
            if not after:
                return

    def _notes(self) -> Iterator[Finding]:
        held = self._world.store.read(lambda tx: tx.notes.get("log_name"))
        if held != self._world.keys.log_name:
            where = {"table": "notes", "name": "log_name"}
            yield Finding("WRONG_LOG", where, "the log's name was changed", {"value": held})

    def record_findings(self, findings: list[Finding]) -> str | None:
        """Quarantine what is new, open an incident over it and halt what depends on it; nothing new does nothing."""

        def unit(tx: Tx) -> str | None:
            tx.lock("findings")  # another node may be finding the same
            unique = {finding.finding_id: finding for finding in findings}
            new = [unique[key] for key in unique if tx.records.get("quarantine", key) is None]
            if not new:
                return self._incidents.about(tx, findings[0].finding_id)
            about = [finding.finding_id for finding in new]
            incident_id = self._incidents.id_of("INTEGRITY_FAILURE", about)
            key_ref = self._vault.quarantine_key(tx)
            origin = self._recorder.system(tx)
            for finding in new:
                ref = f"quarantine/{finding.finding_id}"
                if finding.evidence:
                    self._vault.put_blob(tx, ref, key_ref, None, canon.dumps(finding.evidence))
                content = {
                    "quarantine_id": finding.finding_id,
                    "what": "finding",
                    "finding": finding.shown(),
                    "blob": ref if finding.evidence else None,
                }
                record = records.make(
                    "quarantine", finding.finding_id, content, self._world.keys.sign, parent=incident_id
                )
                tx.records.add(record)
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
                halts=sorted({str(item.where.get("stream", "*")) for item in new}),
            )

        return self._world.store.write(unit)


def _hash_before(tx: Tx, stream: str, index: int) -> tuple[int, bytes] | None:
    row = tx.events.at(stream, index)
    return None if row is None else (row.position, row.hash)


def _look_at(tx: Tx, row: StoredEvent, said: dict[str, Any]) -> Iterator[Finding]:
    """What an event says about other tables must be so."""
    if row.sequence_index == 0:
        found = _stream_as_found(tx, row.stream)
        where = {"table": "streams", "stream": row.stream}
        if found is None:
            yield Finding("ROW_MISSING", where, f"the row of stream {row.stream} is gone")
        elif found != [row.stream, said["job_seed"], said["trace_id"], said["payload"].get("started_at")]:
            yield Finding("COLUMN_MISMATCH", where, f"the row of stream {row.stream}", {"row": found})
    reference = said["payload"].get("record")
    if isinstance(reference, dict) and "kind" in reference and "key" in reference:
        yield from _referenced(tx, str(reference["kind"]), str(reference["key"]), reference.get("hash"))


def _referenced(tx: Tx, kind: str, key: str, digest: Any) -> Iterator[Finding]:
    held = _named(tx, kind, key)
    where = {"table": _TABLES.get(kind, "records"), "kind": kind, "key": key}
    if held is None:
        yield Finding("RECORD_MISSING", where, f"{kind} {key} is gone")
    elif held[0] != digest:
        yield Finding("RECORD_CHANGED", where, f"{kind} {key} is not what was signed", held[1])


def _named(tx: Tx, kind: str, key: str) -> tuple[str, dict[str, Any]] | None:
    """The hash of what an event names, and the row as found."""
    if kind == "reflective_log":
        columns = tx.logs.get(key)
        if columns is None:
            return None
        return sha256(reflective.signed_bytes(columns)).hexdigest(), _log_as_found(columns)
    if kind == "sem_history":
        name, _, version = key.rpartition("@")
        past = tx.facts.history_at(name, int(version)) if version.isdecimal() else None
        return None if past is None else (row_hash(past), {"row_hash": row_hash(past)})
    record = tx.records.get(kind, key)
    return None if record is None else (sha256(record.body).hexdigest(), _record_as_found(record))


def _tiles(tx: Tx, completed: list[tuple[int, int, bytes]]) -> Iterator[Finding]:
    """A tile that is kept must be the one of its events; one that is not kept can be built."""
    for level, index, root in completed:
        kept = tx.tiles.get(level, index)
        if kept is not None and kept != root:
            yield Finding(
                "TILE_CHANGED",
                {"table": "tiles", "level": level, "index": index},
                f"tile {index} of level {level}",
                {"root": kept.hex()},
            )


def _is_current(tx: Tx, fact: Fact) -> bool:
    rows = [row for row in tx.facts.history(fact.key) if row.applied]
    best = max(rows, key=lambda row: row.version, default=None)
    return best is not None and (
        (best.version, best.content, best.key_ref, best.source, best.written_at, best.deleted)
        == (fact.version, fact.content, fact.key_ref, fact.source, fact.written_at, fact.deleted)
    )


def _stream_as_found(tx: Tx, stream: str) -> list[str] | None:
    try:
        origin = tx.streams.get(stream)
    except IntegrityFailure as error:  # its instant cannot be read
        return list(error.details["found"])
    return None if origin is None else [stream, origin.job_seed, origin.trace_id, iso_ms(origin.started_at)]


def _record_as_found(record: Record) -> dict[str, Any]:
    return {"body": record.body.hex(), "parent": record.parent, "signature": record.signature}


def _log_as_found(columns: dict[str, Any]) -> dict[str, Any]:
    return {"row": {name: str(value) for name, value in columns.items()}}
