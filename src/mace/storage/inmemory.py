"""The reference adapter: what the ports mean, in plain Python, kept by nobody.

Units run one at a time on a copy-on-write undo list; a unit that raises leaves nothing. Used where a test or a
replay needs a store without a place.
"""

import threading
from collections.abc import Callable
from typing import Any, TypeVar

from mace.core.events import Head, NewEvent, Origin, StoredEvent
from mace.storage.ports import Exists, Record, Tx

T = TypeVar("T")


class InMemoryStore:
    def __init__(self) -> None:
        self._guard = threading.RLock()
        self._undo: list[Callable[[], None]] = []
        self.commits = 0
        self.events = _Events(self._undo)
        self.streams = _Streams(self._undo)
        self.tiles = _Tiles(self._undo)
        self.records = _Records(self._undo)
        self.logs = _Logs(self._undo)
        self.vault = _Vault(self._undo)
        self.notes = _Notes(self._undo)

    def write(self, unit: Callable[[Tx], T]) -> T:
        with self._guard:
            self._undo.clear()
            try:
                result = unit(self)
            except BaseException:
                for step in reversed(self._undo):
                    step()
                self._undo.clear()
                raise
            self._undo.clear()
            self.commits += 1
            return result

    def read(self, look: Callable[[Tx], T]) -> T:
        with self._guard:
            return look(self)

    def describe(self) -> dict[str, str]:
        return {"kind": "in memory", "place": "this process", "engine": "Python", "durability": "none"}

    def close(self) -> None:
        """Nothing is kept, so nothing is to be closed."""


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


class _Events:
    def __init__(self, undo: list[Callable[[], None]]) -> None:
        self._undo = undo
        self._rows: list[StoredEvent] = []
        self._places: dict[tuple[str, int], int] = {}
        self._heads: dict[str, Head] = {}

    def head(self, stream: str) -> Head | None:
        return self._heads.get(stream)

    def append(self, event: NewEvent) -> None:
        place = (event.stream, event.sequence_index)
        if place in self._places:
            raise Exists("an event with this stream and index exists")
        before = self._heads.get(event.stream)
        position = len(self._rows)
        self._rows.append(
            StoredEvent(
                position,
                event.stream,
                event.sequence_index,
                event.event_id,
                event.event_type,
                event.body,
                event.hash,
                event.signature,
            )
        )
        self._places[place] = position
        self._heads[event.stream] = Head(event.sequence_index, event.hash)

        def undo() -> None:
            self._rows.pop()
            del self._places[place]
            if before is None:
                del self._heads[event.stream]
            else:
                self._heads[event.stream] = before

        self._undo.append(undo)

    def size(self) -> int:
        return len(self._rows)

    def at(self, stream: str, sequence_index: int) -> StoredEvent | None:
        position = self._places.get((stream, sequence_index))
        return None if position is None else self._rows[position]

    def by_id(self, event_id: bytes) -> list[StoredEvent]:
        return [row for row in self._rows if row.event_id == event_id]

    def of_stream(self, stream: str, start: int = 0, limit: int = 1_000_000) -> list[StoredEvent]:
        found = [row for row in self._rows if row.stream == stream and row.sequence_index >= start]
        return found[:limit]

    def of_type(self, event_type: str, limit: int = 1000) -> list[StoredEvent]:
        return [row for row in reversed(self._rows) if row.event_type == event_type][:limit]

    def scan(self, start: int, limit: int) -> list[StoredEvent]:
        return self._rows[start : start + limit]

    def hashes(self, start: int, stop: int) -> list[bytes]:
        return [row.hash for row in self._rows[start:stop]]


class _Streams(_Table):
    def get(self, stream: str) -> Origin | None:
        return self.rows.get(stream)

    def add(self, origin: Origin) -> None:
        self.insert(origin.stream, origin)

    def recent(self, limit: int) -> list[Origin]:
        return list(reversed(self.rows.values()))[:limit]


class _Tiles(_Table):
    def get(self, level: int, index: int) -> bytes | None:
        return self.rows.get((level, index))

    def put(self, level: int, index: int, root: bytes) -> None:
        if (level, index) not in self.rows:
            self.insert((level, index), root)

    def count(self, level: int) -> int:
        return sum(1 for held, _ in self.rows if held == level)

    def scan(self, level: int, start: int, limit: int) -> list[tuple[int, bytes]]:
        found = sorted((i, root) for (held, i), root in self.rows.items() if held == level and i >= start)
        return found[:limit]


class _Records(_Table):
    def add(self, record: Record) -> None:
        order = 1 + max((row.order for row in self.rows.values()), default=0)
        self.insert(
            (record.kind, record.key),
            Record(record.kind, record.key, record.parent, record.body, record.signature, order),
        )

    def get(self, kind: str, key: str) -> Record | None:
        return self.rows.get((kind, key))

    def children(self, kind: str, parent: str) -> list[Record]:
        return [row for row in self._of(kind) if row.parent == parent]

    def scan(self, kind: str, after: int = 0, limit: int = 1000) -> list[Record]:
        return [row for row in self._of(kind) if row.order > after][:limit]

    def last(self, kind: str) -> Record | None:
        return next(iter(self._of(kind)[-1:]), None)

    def scan_all(self, after: int = 0, limit: int = 1000) -> list[Record]:
        rows = sorted(self.rows.values(), key=lambda row: row.order)
        return [row for row in rows if row.order > after][:limit]

    def _of(self, kind: str) -> list[Record]:
        return sorted((row for row in self.rows.values() if row.kind == kind), key=lambda row: row.order)


class _Logs(_Table):
    def add(self, columns: dict[str, Any]) -> None:
        self.insert(columns["log_id"], dict(columns))

    def get(self, log_id: str) -> dict[str, Any] | None:
        row = self.rows.get(log_id)
        return None if row is None else dict(row)

    def scan(self, after: str = "", limit: int = 500) -> list[dict[str, Any]]:
        return [dict(self.rows[key]) for key in sorted(self.rows) if key > after][:limit]

    def recent(self, limit: int) -> list[dict[str, Any]]:
        return [dict(row) for row in list(reversed(self.rows.values()))[:limit]]


class _Vault:
    def __init__(self, undo: list[Callable[[], None]]) -> None:
        self._keys = _Table(undo)
        self._blobs = _Table(undo)

    def key(self, ref: str) -> tuple[str, bytes] | None:
        return self._keys.rows.get(ref)

    def add_key(self, ref: str, parent: str, wrapped: bytes) -> None:
        self._keys.insert(ref, (parent, wrapped))

    def drop_key(self, ref: str) -> bool:
        return self._keys.remove(ref)

    def keys_under(self, parent: str) -> list[str]:
        return sorted(ref for ref, (held, _) in self._keys.rows.items() if held == parent)

    def scan_keys(self, after: str = "", limit: int = 1000) -> list[tuple[str, str, bytes]]:
        return [(ref, *self._keys.rows[ref]) for ref in sorted(self._keys.rows) if ref > after][:limit]

    def blob(self, ref: str) -> tuple[str, bytes] | None:
        return self._blobs.rows.get(ref)

    def put_blob(self, ref: str, key_ref: str, sealed: bytes) -> None:
        if ref not in self._blobs.rows:
            self._blobs.insert(ref, (key_ref, sealed))


class _Notes(_Table):
    def get(self, name: str) -> str | None:
        return self.rows.get(name)

    def put(self, name: str, value: str) -> None:
        self.upsert(name, value)
