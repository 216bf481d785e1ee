"""The first part of verification: every event, the rows events name, and the index of what they speak of.

Rows are looked up as their events pass; how many rows of a table events name is counted, so that a row that nobody
names shows as one too many, and only then is looked for. The index is compared as a sum over keyed hashes: what the
events give against what lies there.
"""

from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from typing import Any

from mace.core import canon
from mace.core.events import StoredEvent
from mace.core.purposes import Purpose
from mace.core.subjects import references, subject_of, subjects_of
from mace.engine.kernel import missing_keys as gone
from mace.engine.kernel.recorder import Recorder
from mace.engine.kernel.standing import (
    changed_fact,
    lost_history,
    missing_fact,
    same,
    unnamed_history,
)
from mace.engine.kernel.world import World
from mace.engine.ledger import subject_index
from mace.engine.ledger.damage import never_dies
from mace.engine.ledger.sealing_records import was_sealed
from mace.ledger import reflective
from mace.ledger.findings import Finding, changed_record, missing_key, missing_record
from mace.ledger.sums import KeyedSum
from mace.ledger.verify import EventWalk
from mace.memory.facts import row_hash
from mace.storage.ports import Fact, PastFact, Tx, batches

Progress = Callable[[int, int], None]
_LEAST = -(2**63)
_PAGE = 1000


class Walk:
    """Walks the log once and compares what its events say with what lies beside them."""

    def __init__(self, world: World, recorder: Recorder) -> None:
        self._world = world
        self._recorder = recorder
        key = world.entropy.token(32)  # of this walk alone
        self._subjects, self._indexed = KeyedSum(key), KeyedSum(key)  # what events speak of, and what the index holds
        self._history, self._past = KeyedSum(key), KeyedSum(key)  # rows of history: named, and there
        self._logs_named, self._logs_there = KeyedSum(key), KeyedSum(key)
        self.events = 0

    def run(self, walk: EventWalk, progress: Progress | None) -> Iterator[Finding]:
        """Feed all events; then compare in one snapshot what was counted."""
        store = self._world.store

        def scan(start: int, limit: int) -> list[StoredEvent]:
            return store.read(lambda tx: tx.events.scan(start, limit))

        size = -1
        while size < 0 or walk.wants_more:
            before, size = size, store.read(lambda tx: tx.events.size())
            if size == before:
                break  # nobody appended: the events of that checkpoint are gone
            for rows in batches(scan, size, walk.expected if walk.events else _LEAST):
                yield from store.read(lambda tx, rows=rows: self._batch(tx, walk, rows))  # type: ignore[misc]
                if progress:
                    progress(walk.expected, size)
        yield from store.read(lambda tx: self._last(tx, walk))
        self.events = walk.events

    def _batch(self, tx: Tx, walk: EventWalk, rows: list[StoredEvent]) -> list[Finding]:
        self.tx = tx
        self._spoken_of: list[str] = []
        self._named_history: list[str] = []
        found = [*walk.feed(rows), *_tiles(tx, walk)]
        self._subjects.add_all(self._spoken_of)
        self._history.add_all(self._named_history)
        return found

    def _last(self, tx: Tx, walk: EventWalk) -> list[Finding]:
        """What came meanwhile, and then the counts, all in one snapshot."""
        found: list[Finding] = []
        size = tx.events.size()
        for rows in batches(tx.events.scan, size, walk.expected):
            found += self._batch(tx, walk, rows)
        found += walk.finish(size)
        found += never_dies("event_subjects", self._counted(tx))
        found += never_dies("facts", self._facts(tx))
        found += never_dies("reflective_log_stage0", self._logs(tx))
        return found

    # What one event says

    def look_at(self, row: StoredEvent, said: dict[str, Any]) -> Sequence[Finding]:
        """What an event says about other tables must be so."""
        payload = said["payload"]
        subjects = subjects_of(row.event_type, payload)
        if not subjects:
            return ()
        for subject in subjects:
            self._spoken_of.append(f"{row.position}/{subject}")
        found: list[Finding] = []
        for held in references(payload):
            kind, key, digest = held["kind"], held["key"], held["hash"]
            if kind == "sem_history":
                self._named_history.append(f"{key} {digest}")
            elif kind == "reflective_log":
                self._logs_named.add(f"{key} {digest}")
            elif kind not in _ELSEWHERE:
                record = self.tx.records.get(kind, key)
                if record is None:
                    if not was_sealed(self.tx, self._recorder.is_own, kind, key, digest):
                        found.append(missing_record(kind, key))
                elif sha256(record.body).hexdigest() != digest:
                    found.append(changed_record(record))
        return found

    # What is there

    def _counted(self, tx: Tx) -> Iterator[Finding]:
        """Compare how many rows there are with how many were named; one too many is looked for."""
        for page in subject_index.pages(tx):
            self._indexed.add_all([f"{position}/{subject}" for subject, position in page])
        if self._subjects != self._indexed:
            yield from self._index(tx)

    def _index(self, tx: Tx) -> Iterator[Finding]:
        """Rows of the index that no event gives, and those that are not there; of events that are whole."""
        is_own = self._recorder.is_own
        for events in batches(tx.events.scan, tx.events.size()):
            for subject, position in subject_index.gone(tx, is_own, events):
                yield _of_index(subject, position, "is gone")
        for page in subject_index.pages(tx):
            for (subject, position), what in subject_index.strays(tx, is_own, page):
                yield _of_index(subject, position, what)

    def _facts(self, tx: Tx) -> Iterator[Finding]:
        """What stands must be the last row of history that was applied, both ways; every row of history is named."""
        current = _Ahead(_facts(tx))
        there: list[str] = []
        for key, history in _by_key(_history(tx)):
            there += [f"{key}@{past.version} {row_hash(past)}" for past in history]
            if len(there) >= _PAGE:
                self._past.add_all(there)
                there.clear()
            for stray in current.before(key):
                yield changed_fact(stray)
            fact = current.take(key)
            best = _last_applied(history)
            if fact is None:
                if best is not None:
                    yield missing_fact(best)
            elif best is None or not same(fact, best):
                yield changed_fact(fact)
            for ref in gone.key_of_fact(tx, history, self._world.keys):
                yield Finding("KEY_MISSING", {"table": "vault_keys", "ref": ref}, f"key {ref} is gone")
        for stray in current.rest():
            yield changed_fact(stray)
        self._past.add_all(there)
        if self._history != self._past:
            yield from self._lost(tx, "sem_history", self._lost_history)
            yield from self._unnamed_history(tx)

    def _lost(self, tx: Tx, kind: str, look: Callable[[Tx, str, str], Iterator[Finding]]) -> Iterator[Finding]:
        """Look for what each event names: something is not there, or not as it was."""
        for rows in batches(tx.events.scan, tx.events.size()):
            for event in rows:
                if self._recorder.is_own(event):
                    for held in references(_payload(event)):
                        if held["kind"] == kind:
                            yield from look(tx, held["key"], held["hash"])

    @staticmethod
    def _lost_history(tx: Tx, key: str, digest: str) -> Iterator[Finding]:
        name, _, version = key.rpartition("@")
        past = tx.facts.history_at(name, int(version)) if version.isdecimal() else None
        if past is None or row_hash(past) != digest:
            yield lost_history(name, int(version) if version.isdecimal() else 0, past)

    @staticmethod
    def _lost_log(tx: Tx, key: str, digest: str) -> Iterator[Finding]:
        columns = tx.logs.get(key)
        if columns is None:
            yield Finding("RECORD_MISSING", _of_log(key), f"reflective_log {key} is gone")
        elif sha256(reflective.signed_bytes(columns)).hexdigest() != digest:
            yield changed_log(columns)

    def _unnamed_history(self, tx: Tx) -> Iterator[Finding]:
        """Rows that no event names; and what stands must be the last of the others."""
        for key, history in _by_key(_history(tx)):
            events = tx.events.about(f"sem_history/{key}", 1_000_000)
            if not all(map(self._recorder.is_own, events)):
                continue  # an event about it was changed: that is what was found
            named = {
                held["key"] for event in events for held in references(_payload(event)) if held["kind"] == "sem_history"
            }
            stray = [past for past in history if f"{key}@{past.version}" not in named]
            yield from map(unnamed_history, stray)
            fact = tx.facts.get(key) if stray else None
            best = max((p for p in history if p.applied and p not in stray), key=lambda p: p.version, default=None)
            if fact is not None and (best is None or not same(fact, best)):
                yield changed_fact(fact)

    def _is_named(self, tx: Tx, kind: str, key: str) -> bool:
        """Say whether an event names a row; where all that spoke of it were changed, that is what was found."""
        events = tx.events.about(subject_of(kind, key), 16)
        own = [event for event in events if self._recorder.is_own(event)]
        if events and not own:
            return True
        return any(held["kind"] == kind and held["key"] == key for event in own for held in references(_payload(event)))

    def is_adopted(self, table: str, key: str, digest: str) -> bool:
        """Say whether a row was named when an older store was first opened by this version."""

        def look(tx: Tx) -> bool:
            return any(
                held["kind"] == table and held["key"] == key and held["hash"] == digest
                for event in tx.events.about(subject_of(table, key), 16)
                if event.event_type == "ROWS_ADOPTED" and self._recorder.is_own(event)
                for held in references(_payload(event))
            )

        return self._world.store.read(look)

    def _logs(self, tx: Tx) -> Iterator[Finding]:
        """Every log is what was signed, and is named by an event."""
        check = self._world.keys.check
        after = ""
        while page := tx.logs.scan(after):
            for columns in page:
                after = columns["log_id"]
                digest = sha256(reflective.signed_bytes(columns))
                self._logs_there.add(f"{after} {digest.hexdigest()}")
                if not check(Purpose.LOG, digest.digest(), columns["signature"]):
                    yield self.not_signed(Purpose.LOG, digest.digest(), columns["signature"], changed_log(columns))
                else:
                    lost = gone.missing(tx, gone.keys_of_log(columns), self._world.keys)
                    yield from map(missing_key, lost)
        if self._logs_named == self._logs_there:
            return
        yield from self._lost(tx, "reflective_log", self._lost_log)
        after = ""
        while page := tx.logs.scan(after):
            for columns in page:
                if not self._is_named(tx, "reflective_log", columns["log_id"]):
                    yield Finding("ROW_UNNAMED", _of_log(columns["log_id"]), "no event names this reflective log")
            after = page[-1]["log_id"]

    def not_signed(self, purpose: Purpose, digest: bytes, signature: str, changed: Finding) -> Finding:
        """A row whose signature does not count: changed, or signed by a key that was not in use any more."""
        is_derived = "." in signature.partition(":")[0]
        if is_derived and self._world.keys.is_genuine(purpose, digest, signature):
            name = f"{changed.where['kind']} {changed.where['key']}"
            detail = f"{name} is signed by a key that was not in use any more"
            return Finding("KEY_RETIRED", changed.where, detail, changed.evidence)
        return changed


# Rows that events name and that have a part of verification of their own.
_ELSEWHERE = frozenset({"key_registry", "aliases", "idempotency", "jobs", "vault_blobs", "notes"})


def changed_log(columns: dict[str, Any]) -> Finding:
    log_id = columns["log_id"]
    evidence = {"row": {name: str(value) for name, value in columns.items()}}
    return Finding("RECORD_CHANGED", _of_log(log_id), f"reflective_log {log_id} is not what was signed", evidence)


def _of_index(subject: str, position: int, what: str) -> Finding:
    where = {"table": "event_subjects", "subject": subject, "position": position}
    return Finding("SUBJECTS_CHANGED", where, f"row {subject} at {position} {what}")


def _of_log(log_id: str) -> dict[str, Any]:
    return {"table": "reflective_log_stage0", "kind": "reflective_log", "key": log_id}


def _payload(event: StoredEvent) -> dict[str, Any]:
    try:
        payload: dict[str, Any] = canon.loads(event.body)["payload"]
    except (ValueError, LookupError, TypeError):
        return {}
    return payload if isinstance(payload, dict) else {}


def _tiles(tx: Tx, walk: EventWalk) -> Iterator[Finding]:
    """A tile that is kept must be the one of its events; one that is not kept can be built."""
    for level, index, root in walk.frontier.completed:
        kept = tx.tiles.get(level, index)
        if kept is not None and kept != root:
            yield Finding(
                "TILE_CHANGED",
                {"table": "tiles", "level": level, "index": index},
                f"tile {index} of level {level}",
                {"root": kept.hex()},
            )
    walk.frontier.completed.clear()


def _facts(tx: Tx) -> Iterator[Fact]:
    after = ""
    while page := tx.facts.scan(after, _PAGE):
        yield from page
        after = page[-1].key


def _history(tx: Tx) -> Iterator[PastFact]:
    after = ("", _LEAST)
    while page := tx.facts.scan_history(after, _PAGE):
        yield from page
        after = page[-1].key, page[-1].version


def _last_applied(history: Sequence[PastFact]) -> PastFact | None:
    if len(history) == 1:  # the usual case, with every fact that was written once
        return history[0] if history[0].applied else None
    return max((row for row in history if row.applied), key=lambda row: row.version, default=None)


def _by_key(rows: Iterator[PastFact]) -> Iterator[tuple[str, list[PastFact]]]:
    held: list[PastFact] = []
    for row in rows:
        if held and held[0].key != row.key:
            yield held[0].key, held
            held = []
        held.append(row)
    if held:
        yield held[0].key, held


class _Ahead:
    """Current rows in the order of their keys, taken as history passes them."""

    def __init__(self, rows: Iterator[Fact]) -> None:
        self._rows = rows
        self._next = next(rows, None)

    def before(self, key: str) -> Iterator[Fact]:
        while self._next is not None and self._next.key < key:
            yield self._next
            self._next = next(self._rows, None)

    def take(self, key: str) -> Fact | None:
        if self._next is None or self._next.key != key:
            return None
        held, self._next = self._next, next(self._rows, None)
        return held

    def rest(self) -> Iterator[Fact]:
        while self._next is not None:
            yield self._next
            self._next = next(self._rows, None)
