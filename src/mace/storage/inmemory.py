"""The reference adapter: what the ports mean, in plain Python, kept by nobody.

Units run one at a time on a copy-on-write undo list; a unit that raises leaves nothing. Used where a test or a
replay needs a store without a place.
"""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, TypeVar

from mace.core.apart import is_kept_apart
from mace.core.errors import Closed
from mace.core.events import Head, NewEvent, StoredEvent
from mace.storage.inmemory_experience import InMemoryExperience
from mace.storage.kept import KeepsNothing
from mace.storage.ports import (
    EXPERIENCE_TYPES,
    AliasRow,
    Damage,
    Exists,
    Fact,
    HolderRow,
    JobRow,
    Kept,
    PastFact,
    Record,
    Signing,
    Store,
    Tx,
    subject_rows,
)

T = TypeVar("T")


class InMemoryStore:
    def __init__(self) -> None:
        self._guard = threading.RLock()
        self._undo: list[Callable[[], None]] = []
        self.commits = 0
        self.noted: dict[str, str] = {}
        self._closed = False
        self.subjects = _Subjects(self._undo)
        self.events = _Events(self._undo, self.subjects)
        self.tiles = _Tiles(self._undo)
        self.records = _Records(self._undo)
        self.logs = _Logs(self._undo)
        self.vault = _Vault(self._undo)
        self.notes = _Notes(self._undo)
        self.facts = _Facts(self._undo)
        self.registry = _Registry(self._undo)
        self.aliases = _Aliases(self._undo)
        self.idempotency = _Idempotency(self._undo)
        self.indexes = _Indexes(self._undo)
        self.jobs = _Jobs(self._undo)
        self.holders = _Holders(self._undo)
        self.experience = InMemoryExperience(self._undo)
        self.signing = _SigningKey(self._undo)
        self._signing: Signing | None = None

    def write(self, unit: Callable[[Tx], T]) -> T:
        with self._guard:
            self._refuse_when_closed()
            self._undo.clear()
            self.noted.clear()
            try:
                if self._signing is not None:
                    self._signing.take_up(self)
                result = unit(self)
                self.events.commit()
            except BaseException:
                self._roll_back(0)
                raise
            self._undo.clear()
            self.commits += 1
            return result

    def read(self, look: Callable[[Tx], T]) -> T:
        with self._guard:
            self._refuse_when_closed()
            mark = len(self._undo)
            result = look(self)
            if len(self._undo) != mark:
                self._roll_back(mark)
                raise RuntimeError("a write inside a read")
            return result

    def _roll_back(self, mark: int) -> None:
        while len(self._undo) > mark:
            self._undo.pop()()

    def _refuse_when_closed(self) -> None:
        if self._closed:
            raise Closed("the store is closed")

    generation: int | None = None
    tenure: int | None = None

    def lock(self, name: str) -> bool:
        """Units run one at a time: every name is held."""
        return False

    def follow(self, signing: Signing) -> None:
        self._signing = signing

    def is_spoken_of(self, subject: str) -> bool:
        return self.read(lambda tx: tx.events.is_spoken_of(subject))

    def version(self) -> int | None:
        return self.commits

    def keep(self, most_bytes: int) -> Kept[Any]:
        return KeepsNothing(self)

    def describe(self) -> dict[str, str]:
        return {"kind": "in memory", "place": "this process", "engine": "Python", "durability": "none"}

    def inspect(self, *, quick: bool = False) -> list[Damage]:
        """Nobody reaches these rows but through the ports."""
        return []

    def salvage(self) -> Store:
        """Every row can be read."""
        return self

    def scrub(self, wait_ms: int = 0, *, records: bool = False) -> None:
        """What was deleted is gone."""

    def once_committed(self, call: Callable[[], None]) -> None:
        """Nothing has to be tried again here."""

    def close(self) -> None:
        """Nothing is kept; closing only means that nothing more is taken."""
        self._closed = True


class _SigningKey:
    def __init__(self, undo: list[Callable[[], None]]) -> None:
        self._undo = undo
        self._number = 0

    def number(self) -> int:
        return self._number

    def set_number(self, number: int) -> None:
        before = self._number
        self._undo.append(lambda: setattr(self, "_number", before))
        self._number = number


class _Table:
    """A dict whose inserts can be undone; rows are never overwritten unless said so."""

    def __init__(self, undo: list[Callable[[], None]]) -> None:
        self.rows: dict[Any, Any] = {}
        self._undo = undo

    def insert(self, key: Any, row: Any) -> None:
        if key in self.rows:
            raise Exists("a row with this key exists")
        self.rows[key] = row
        self._undo.append(lambda: self.rows.pop(key))

    def upsert(self, key: Any, row: Any) -> None:
        before = self.rows.get(key)
        self.rows[key] = row
        if before is None:
            self._undo.append(lambda: self.rows.pop(key))
        else:
            self._undo.append(lambda: self.rows.__setitem__(key, before))

    def remove(self, key: Any) -> bool:
        if key not in self.rows:
            return False
        before = self.rows.pop(key)
        self._undo.append(lambda: self.rows.__setitem__(key, before))
        return True


class _Subjects(_Table):
    def scan(self, after: tuple[str, int] = ("", -1), limit: int = 5000) -> list[tuple[str, int]]:
        return [place for place in sorted(self.rows) if place > after][:limit]

    def has(self, subject: str, position: int) -> bool:
        return (subject, position) in self.rows

    def known(self, wanted: Sequence[str]) -> set[str]:
        return {subject for subject, _ in self.rows}.intersection(wanted)

    def add_all(self, rows: Sequence[tuple[str, int]]) -> None:
        for place in rows:
            self.insert(place, None)

    def drop_all(self, rows: Sequence[tuple[str, int]]) -> None:
        for place in rows:
            self.remove(place)


class _Events:
    def __init__(self, undo: list[Callable[[], None]], subjects: _Subjects) -> None:
        self._undo = undo
        self.subjects = subjects
        self._rows: list[StoredEvent] = []
        self._places: dict[tuple[str, int], int] = {}
        self._heads: dict[str, Head] = {}
        self._appended: list[NewEvent] = []  # by the unit that runs; read by nobody before it stands

    def head(self, stream: str) -> Head | None:
        return self._heads.get(stream)

    def first(self, stream: str) -> NewEvent | None:
        held = self.at(stream, 0)
        if held is not None:
            return held.as_new()
        return next((event for event in self._appended if (event.stream, event.sequence_index) == (stream, 0)), None)

    def append(self, event: NewEvent) -> None:
        before = self._heads.get(event.stream)
        self._appended.append(event)
        self._heads[event.stream] = Head(event.sequence_index, event.hash)

        def undo() -> None:
            self._appended.pop()
            if before is None:
                del self._heads[event.stream]
            else:
                self._heads[event.stream] = before

        self._undo.append(undo)

    def commit(self) -> None:
        """Give the unit's events their positions, all or none."""
        places = [(event.stream, event.sequence_index) for event in self._appended]
        if len(set(places)) < len(places) or any(place in self._places for place in places):
            raise Exists("an event with this stream and index exists")
        self.subjects.add_all(subject_rows(len(self._rows), self._appended))
        for place, event in zip(places, self._appended, strict=True):
            self._places[place] = len(self._rows)
            self._rows.append(event.placed(len(self._rows)))
        self._appended.clear()

    def size(self) -> int:
        return len(self._rows)

    def at(self, stream: str, sequence_index: int) -> StoredEvent | None:
        position = self._places.get((stream, sequence_index))
        return None if position is None else self._rows[position]

    def by_id(self, event_id: bytes) -> list[StoredEvent]:
        return [row for row in self._rows if row.event_id == event_id]

    def of_stream(self, stream: str, start: int = 0, limit: int = 1_000_000) -> list[StoredEvent]:
        found = [row for row in self._rows if row.stream == stream and row.sequence_index >= start]
        return sorted(found, key=lambda row: row.sequence_index)[:limit]

    def of_type(self, event_type: str, limit: int = 1000, before: int | None = None) -> list[StoredEvent]:
        found = [row for row in reversed(self._rows) if row.event_type == event_type]
        return [row for row in found if before is None or row.position < before][:limit]

    def experience(self, after: int, limit: int) -> list[StoredEvent]:
        later = islice(self._rows, max(after + 1, 0), None)
        return list(islice((row for row in later if row.event_type in EXPERIENCE_TYPES), limit))

    def about(self, subject: str, limit: int = 10_000) -> list[StoredEvent]:
        found = sorted(row[1] for row in self._named() if row[0] == subject)
        return [self._row(position) for position in reversed(found[-limit:])]

    def is_spoken_of(self, subject: str) -> bool:
        return any(row[0] == subject for row in self._named())

    def about_under(self, prefix: str) -> list[StoredEvent]:
        found = sorted({position for subject, position in self._named() if subject.startswith(prefix)})
        return [self._row(position) for position in found]

    def about_between(self, first: str, last: str) -> list[StoredEvent]:
        found = sorted({position for subject, position in self._named() if first <= subject <= last})
        return [self._row(position) for position in found]

    def last_under(self, prefix: str) -> str | None:
        return max((subject for subject, _ in self._named() if subject.startswith(prefix)), default=None)

    def _named(self) -> list[tuple[str, int]]:
        return [*self.subjects.rows, *subject_rows(len(self._rows), self._appended)]

    def _row(self, position: int) -> StoredEvent:
        if position < len(self._rows):
            return self._rows[position]
        return self._appended[position - len(self._rows)].placed(position)

    def scan(self, start: int, limit: int) -> list[StoredEvent]:
        return self._rows[start : start + limit]

    def hashes(self, start: int, stop: int) -> list[bytes]:
        return [row.hash for row in self._rows[start:stop]]


class _Tiles(_Table):
    def get(self, level: int, index: int) -> bytes | None:
        return self.rows.get((level, index))

    def put(self, level: int, index: int, root: bytes) -> None:
        self.upsert((level, index), root)

    def scan(self, level: int, start: int, limit: int) -> list[tuple[int, bytes]]:
        found = sorted((i, root) for (held, i), root in self.rows.items() if held == level and i >= start)
        return found[:limit]

    def scan_all(self, after: tuple[int, int] | None = None, limit: int = 1000) -> list[tuple[int, int, bytes]]:
        found = sorted((*place, root) for place, root in self.rows.items() if after is None or place > after)
        return found[:limit]

    def clear(self) -> None:
        for place in list(self.rows):
            self.remove(place)


class _Records(_Table):
    def add(self, record: Record) -> None:
        self.insert((record.kind, record.key), record)

    def get(self, kind: str, key: str) -> Record | None:
        return self.rows.get((kind, key))

    def children(self, kind: str, parent: str) -> list[Record]:
        return [row for row in self._of(kind) if row.parent == parent]

    def scan(self, kind: str, after: str = "", limit: int = 1000) -> list[Record]:
        return [row for row in self._of(kind) if row.key > after][:limit]

    def scan_all(self, after: tuple[str, str] = ("", ""), limit: int = 1000) -> list[Record]:
        return [self.rows[place] for place in sorted(self.rows) if place > after][:limit]

    def last(self, kind: str) -> Record | None:
        return next(iter(reversed(self._of(kind))), None)

    def drop(self, kind: str, key: str) -> None:
        self.remove((kind, key))

    def _of(self, kind: str) -> list[Record]:
        return sorted((row for row in self.rows.values() if row.kind == kind), key=lambda row: row.key)


class _Logs(_Table):
    def add(self, columns: dict[str, Any]) -> None:
        self.insert(columns["log_id"], dict(columns))

    def get(self, log_id: str) -> dict[str, Any] | None:
        row = self.rows.get(log_id)
        return None if row is None else dict(row)

    def scan(self, after: str = "", limit: int = 500) -> list[dict[str, Any]]:
        return [dict(self.rows[key]) for key in sorted(self.rows) if key > after][:limit]

    def recent(self, limit: int, before: str = "") -> list[dict[str, Any]]:
        rows = sorted(self.rows.values(), key=lambda row: (row["created_at"], row["log_id"]), reverse=True)
        if before:
            at = next((at for at, row in enumerate(rows) if row["log_id"] == before), len(rows))
            rows = rows[at + 1 :]
        return [dict(row) for row in rows[:limit]]

    def count(self) -> int:
        return len(self.rows)


class _Vault:
    def __init__(self, undo: list[Callable[[], None]]) -> None:
        self._keys = _Table(undo)
        self._blobs = _Table(undo)
        self._master = _Table(undo)

    def key(self, ref: str) -> tuple[str, bytes] | None:
        return self._keys.rows.get(ref)

    def add_key(self, ref: str, parent: str, wrapped: bytes) -> None:
        if parent and is_kept_apart(ref):
            raise ValueError("a key that is kept apart has no other key above it")
        self._keys.insert(ref, (parent, wrapped))

    def drop_key(self, ref: str) -> bool:
        return self._keys.remove(ref)

    def keys_under(self, parent: str, beginning: str = "") -> list[str]:
        held_by = sorted(ref for ref, (held, _) in self._keys.rows.items() if held == parent)
        return [ref for ref in held_by if ref.startswith(beginning)]

    def misplaced(self, after: str = "", limit: int = 1000) -> list[tuple[str, str, bytes]]:
        """Nothing outlives this process, a copy of it neither: all keys lie where they belong."""
        return []

    def must_move(self) -> bool:
        return False

    def move_apart(self) -> tuple[int, int]:
        return 0, 0

    def master(self) -> str:
        found: str = self._master.rows.get("master", "")
        return found

    def set_master(self, master_id: str) -> None:
        self._master.upsert("master", master_id)

    def scan_keys(self, after: str = "", limit: int = 1000) -> list[tuple[str, str, bytes]]:
        return [(ref, *self._keys.rows[ref]) for ref in sorted(self._keys.rows) if ref > after][:limit]

    def blob(self, ref: str) -> tuple[str, bytes] | None:
        return self._blobs.rows.get(ref)

    def put_blob(self, ref: str, key_ref: str, sealed: bytes) -> None:
        if ref not in self._blobs.rows:
            self._blobs.insert(ref, (key_ref, sealed))

    def scan_blobs(self, after: str = "", limit: int = 500) -> list[tuple[str, str, bytes]]:
        return [(ref, *self._blobs.rows[ref]) for ref in sorted(self._blobs.rows) if ref > after][:limit]


class _Notes(_Table):
    def get(self, name: str) -> str | None:
        return self.rows.get(name)

    def put(self, name: str, value: str) -> None:
        self.upsert(name, value)

    def scan(self, after: str = "", limit: int = 1000) -> list[tuple[str, str]]:
        return [(name, self.rows[name]) for name in sorted(self.rows) if name > after][:limit]


class _Facts:
    def __init__(self, undo: list[Callable[[], None]]) -> None:
        self._now = _Table(undo)
        self._past = _Table(undo)

    def get(self, key: str) -> Fact | None:
        return self._now.rows.get(key)

    def lock(self, key: str) -> None:
        """Units run one at a time: every key is locked."""

    def put(self, fact: Fact) -> None:
        self._now.upsert(fact.key, fact)

    def keys(self, prefix: str, after: str = "", limit: int = 10_000) -> list[str]:
        found = sorted(key for key, fact in self._now.rows.items() if not fact.deleted and key > after)
        return [key for key in found if not prefix or key.startswith(prefix + "/")][:limit]

    def scan(self, after: str = "", limit: int = 1000) -> list[Fact]:
        return [self._now.rows[key] for key in sorted(self._now.rows) if key > after][:limit]

    def scan_history(self, after: tuple[str, int], limit: int = 1000) -> list[PastFact]:
        return [self._past.rows[place] for place in sorted(self._past.rows) if place > after][:limit]

    def add_history(self, row: PastFact) -> None:
        self._past.insert((row.key, row.version), row)

    def history(self, key: str) -> list[PastFact]:
        return [self._past.rows[place] for place in sorted(self._past.rows) if place[0] == key]

    def history_at(self, key: str, version: int) -> PastFact | None:
        return self._past.rows.get((key, version))

    def newest(self, key: str) -> tuple[Fact | None, int]:
        last = max((version for held, version in self._past.rows if held == key), default=0)
        return self._now.rows.get(key), last


class _Registry(_Table):
    def get(self, slot: str) -> str | None:
        return self.rows.get(slot)

    def add(self, slot: str, identity: str) -> None:
        self.insert(slot, identity)

    def scan(self, after: str = "", limit: int = 1000) -> list[tuple[str, str]]:
        return [(slot, self.rows[slot]) for slot in sorted(self.rows) if slot > after][:limit]


class _Aliases(_Table):
    def get(self, phrase: str) -> str | None:
        row = self.rows.get(phrase)
        return None if row is None else row[0]

    def put(self, phrase: str, target: str, source: str, added_at: str) -> None:
        self.upsert(phrase, (target, source, added_at))

    def all(self) -> dict[str, str]:
        return {phrase: self.rows[phrase][0] for phrase in sorted(self.rows)}

    def row(self, phrase: str) -> AliasRow | None:
        return AliasRow(phrase, *self.rows[phrase]) if phrase in self.rows else None

    def scan(self, after: str = "", limit: int = 1000) -> list[AliasRow]:
        return [AliasRow(phrase, *self.rows[phrase]) for phrase in sorted(self.rows) if phrase > after][:limit]


class _Idempotency(_Table):
    def get(self, token: str) -> tuple[str, bytes] | None:
        return self.rows.get(token)

    def add(self, token: str, request_hash: str, answer: bytes) -> None:
        self.insert(token, (request_hash, answer))

    def scan(self, after: str = "", limit: int = 1000) -> list[tuple[str, str, bytes]]:
        return [(token, *self.rows[token]) for token in sorted(self.rows) if token > after][:limit]

    def drop(self, token: str) -> bool:
        return self.remove(token)


class _Indexes(_Table):
    def parts(self, person: str) -> list[tuple[int, str, bytes]]:
        return [(place[1], *self.rows[place]) for place in sorted(self.rows) if place[0] == person]

    def last(self, person: str) -> int:
        return max((place[1] for place in self.rows if place[0] == person), default=0)

    def put(self, person: str, number: int, key_ref: str, sealed: bytes) -> None:
        self.upsert((person, number), (key_ref, sealed))

    def drop(self, person: str, number: int) -> None:
        self.remove((person, number))

    def drop_all(self, person: str) -> int:
        held = [place for place in self.rows if place[0] == person]
        return sum(self.remove(place) for place in held)

    def people(self, after: str = "", limit: int = 500) -> list[str]:
        return sorted({place[0] for place in self.rows if place[0] > after})[:limit]


class _Holders(_Table):
    def clock(self) -> tuple[str, float]:
        return "this process", time.monotonic()

    def get(self, holder_id: str) -> HolderRow | None:
        return self.rows.get(holder_id)

    def put(self, holder: HolderRow) -> None:
        self.upsert(holder.holder_id, holder)


class _Jobs(_Table):
    def get(self, stream: str) -> JobRow | None:
        return self.rows.get(stream)

    def add(self, job: JobRow) -> None:
        self.insert(job.stream, job)

    def set_status(self, stream: str, status: str) -> None:
        if stream in self.rows:
            self.upsert(stream, replace(self.rows[stream], status=status))

    def running(self, limit: int = 1000) -> list[JobRow]:
        held = (row for row in self.rows.values() if row.status in ("running", "waiting") and not row.root)
        return list(held)[:limit]

    def take_up(self, stream: str, holder: str, life: int) -> None:
        if stream in self.rows:
            self.upsert(stream, replace(self.rows[stream], status="running", holder=holder, life=life))

    def tree(self, root: str) -> list[JobRow]:
        return [self.rows[stream] for stream in sorted(self.rows) if root and self.rows[stream].root == root]

    def recent(self, limit: int, before: str = "") -> list[JobRow]:
        newest = list(reversed(self.rows.values()))
        if before:
            at = next((at for at, row in enumerate(newest) if row.stream == before), len(newest))
            newest = newest[at + 1 :]
        return [row for row in newest if not row.root][:limit]

    def scan(self, after: str = "", limit: int = 1000) -> list[JobRow]:
        return [self.rows[stream] for stream in sorted(self.rows) if stream > after][:limit]
