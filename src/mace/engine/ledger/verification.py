"""Verification as a verb: walk the whole record, then put what was found on the record too.

Read-only for auditors; otherwise each new finding is quarantined, becomes an `INTEGRITY_FAILURE` and part of an
incident, and replays that need the rows are halted. A finding known already changes nothing: verifying twice is
verifying once.
"""

from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from typing import Any

from mace.core import canon
from mace.core.errors import MaceError
from mace.core.events import StoredEvent
from mace.engine.kernel import missing_keys as gone
from mace.engine.kernel.recorder import Recorder
from mace.engine.kernel.vault import Vault
from mace.engine.kernel.world import World
from mace.engine.ledger.incidents import Incidents, halted_by
from mace.engine.ledger.proofs import Proofs
from mace.ledger import records, reflective
from mace.ledger.findings import Attested, Finding, forged_checkpoint, missing_key
from mace.ledger.tree import TILE_BITS
from mace.ledger.verify import EventWalk
from mace.memory.facts import row_hash
from mace.storage.ports import Fact, PastFact, Record, Tx, batches

Progress = Callable[[int, int], None]
_TABLES = {"reflective_log": "reflective_log_stage0", "sem_history": "sem_history"}
MAX_FINDINGS = 1000  # recorded one by one; beyond that the log as a whole is the finding


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
            if len(self._first) < MAX_FINDINGS:
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
    """Checks every stored byte; findings are quarantined and become an incident."""

    def __init__(self, world: World, recorder: Recorder, vault: Vault, proofs: Proofs, incidents: Incidents) -> None:
        self._world = world
        self._recorder = recorder
        self._vault = vault
        self._proofs = proofs
        self._incidents = incidents

    def run(self, *, read_only: bool, progress: Progress | None = None) -> dict[str, Any]:
        """Check everything and return a report; with `read_only` nothing is written."""
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

        def look(tx: Tx) -> tuple[list[Record], list[str]]:
            rows = tx.records.scan_all(after)
            signed = [record for record in rows if records.is_signed(record, check)]
            refs = [ref for record in signed for ref in gone.keys_of_record(tx, record)]
            return rows, gone.missing(tx, refs, check)

        while True:
            rows, lost = self._world.store.read(look)
            if not rows:
                return
            yield from map(missing_key, lost)
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
        check = self._world.keys.check
        after = ""

        def is_signed(columns: dict[str, Any]) -> bool:
            return check(sha256(reflective.signed_bytes(columns)).digest(), columns["signature"])

        def look(tx: Tx) -> tuple[list[dict[str, Any]], list[str]]:
            rows = tx.logs.scan(after)
            refs = [ref for columns in rows if is_signed(columns) for ref in gone.keys_of_log(columns)]
            return rows, gone.missing(tx, refs, check)

        while True:
            rows, lost = self._world.store.read(look)
            if not rows:
                return
            yield from map(missing_key, lost)
            for columns in rows:
                after = columns["log_id"]
                if not is_signed(columns):
                    yield Finding(
                        "RECORD_CHANGED",
                        {"table": "reflective_log_stage0", "kind": "reflective_log", "key": after},
                        f"reflective_log {after} is not what was signed",
                        _log_as_found(columns),
                    )

    def _wrapped_keys(self) -> Iterator[Finding]:
        after = ""

        def look(tx: Tx) -> tuple[list[tuple[str, str, bytes]], list[str]]:
            rows = tx.vault.scan_keys(after)
            parents = sorted(
                {parent for ref, parent, stored in rows if parent and self._vault.is_intact(ref, parent, stored)}
            )
            return rows, gone.missing(tx, parents, self._world.keys.check)

        while True:
            rows, lost = self._world.store.read(look)
            if not rows:
                return
            yield from map(missing_key, lost)
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

        def look(tx: Tx) -> tuple[list[Fact], list[str], str]:
            bad: list[Fact] = []
            lost: list[str] = []
            rows = tx.facts.scan(after)
            for fact in rows:
                history = tx.facts.history(fact.key)
                bad += [] if _is_current(history, fact) else [fact]
                lost += gone.key_of_fact(tx, history, self._world.keys.check)
            return bad, lost, rows[-1].key if rows else ""

        while True:
            bad, lost, after = self._world.store.read(look)
            yield from map(missing_key, lost)
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
                halts=sorted({halted_by(item) for item in new}),
            )

        return self._world.store.write(unit)


def _hash_before(tx: Tx, stream: str, index: int) -> tuple[int, bytes] | None:
    row = tx.events.at(stream, index)
    return None if row is None else (row.position, row.hash)


def _look_at(tx: Tx, row: StoredEvent, said: dict[str, Any]) -> Iterator[Finding]:
    """What an event says about other tables must be so."""
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


def _is_current(history: list[PastFact], fact: Fact) -> bool:
    rows = [row for row in history if row.applied]
    best = max(rows, key=lambda row: row.version, default=None)
    return best is not None and (
        (best.version, best.content, best.key_ref, best.source, best.written_at, best.deleted)
        == (fact.version, fact.content, fact.key_ref, fact.source, fact.written_at, fact.deleted)
    )


def _record_as_found(record: Record) -> dict[str, Any]:
    return {"body": record.body.hex(), "parent": record.parent, "signature": record.signature}


def _log_as_found(columns: dict[str, Any]) -> dict[str, Any]:
    return {"row": {name: str(value) for name, value in columns.items()}}
