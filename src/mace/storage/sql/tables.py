"""The ports of `storage.ports` over named statements; the engine passes `run` and gets everything else from here.

`Pending` holds what units of a batch appended until the batch ends: positions in the tree are given there, all at
once. Reads of heads look at it first.
"""

from collections.abc import Callable
from typing import Any

from mace.core.events import Head, NewEvent, Origin, StoredEvent
from mace.core.times import iso_ms, parse_instant
from mace.storage.ports import Record

Run = Callable[[str, tuple[Any, ...]], list[tuple[Any, ...]]]

LOG_COLUMNS = (
    "log_id",
    "created_at",
    "source",
    "query_id",
    "query_text_hash",
    "qcp_summary",
    "agents_invoked",
    "agent_outputs",
    "council_votes",
    "final_answer",
    "final_confidence",
    "repair_loops",
    "cache_hit",
    "sem_snapshot_hash",
    "runtime_metrics",
    "system_version",
    "signature",
)


class Pending:
    """Events appended in this batch, and the heads they make."""

    def __init__(self) -> None:
        self.events: list[NewEvent] = []
        self.heads: dict[str, Head] = {}

    def mark(self) -> int:
        return len(self.events)

    def roll_back(self, mark: int) -> None:
        del self.events[mark:]
        self.heads = {event.stream: Head(event.sequence_index, event.hash) for event in self.events}


def _event(row: tuple[Any, ...]) -> StoredEvent:
    return StoredEvent(row[0], row[1], row[2], row[3], row[4], row[5], row[6], row[7])


class SqlEvents:
    def __init__(
        self,
        run: Run,
        pending: Pending | None,
        size: Callable[[], int],
        before_head: Callable[[str], None] | None,
    ) -> None:
        self._run = run
        self._pending = pending
        self.size = size
        self._before_head = before_head

    def head(self, stream: str) -> Head | None:
        if self._pending is not None:
            held = self._pending.heads.get(stream)
            if held is not None:
                return held
        if self._before_head is not None:
            self._before_head(stream)
        rows = self._run("event_head", (stream,))
        return Head(rows[0][0], rows[0][1]) if rows else None

    def append(self, event: NewEvent) -> None:
        if self._pending is None:
            raise RuntimeError("append inside a read")
        self._pending.events.append(event)
        self._pending.heads[event.stream] = Head(event.sequence_index, event.hash)

    def at(self, stream: str, sequence_index: int) -> StoredEvent | None:
        rows = self._run("event_at", (stream, sequence_index))
        return _event(rows[0]) if rows else None

    def by_id(self, event_id: bytes) -> list[StoredEvent]:
        return [_event(row) for row in self._run("event_by_id", (event_id,))]

    def of_stream(self, stream: str, start: int = 0, limit: int = 1_000_000) -> list[StoredEvent]:
        return [_event(row) for row in self._run("event_of_stream", (stream, start, limit))]

    def of_type(self, event_type: str, limit: int = 1000) -> list[StoredEvent]:
        return [_event(row) for row in self._run("event_of_type", (event_type, limit))]

    def scan(self, start: int, limit: int) -> list[StoredEvent]:
        return [_event(row) for row in self._run("event_scan", (start, start + limit))]

    def hashes(self, start: int, stop: int) -> list[bytes]:
        return [row[0] for row in self._run("event_hashes", (start, stop))]


class SqlStreams:
    def __init__(self, run: Run) -> None:
        self._run = run

    def get(self, stream: str) -> Origin | None:
        rows = self._run("stream_get", (stream,))
        return self._origin(rows[0]) if rows else None

    def add(self, origin: Origin) -> None:
        self._run("stream_add", (origin.stream, origin.job_seed, origin.trace_id, iso_ms(origin.started_at)))

    def recent(self, limit: int) -> list[Origin]:
        return [self._origin(row) for row in self._run("stream_recent", (limit,))]

    @staticmethod
    def _origin(row: tuple[Any, ...]) -> Origin:
        return Origin(row[0], row[1], row[2], parse_instant(row[3]))


class SqlTiles:
    def __init__(self, run: Run) -> None:
        self._run = run

    def get(self, level: int, index: int) -> bytes | None:
        rows = self._run("tile_get", (level, index))
        return rows[0][0] if rows else None

    def put(self, level: int, index: int, root: bytes) -> None:
        self._run("tile_put", (level, index, root))

    def count(self, level: int) -> int:
        return int(self._run("tile_count", (level,))[0][0])

    def scan(self, level: int, start: int, limit: int) -> list[tuple[int, bytes]]:
        return [(row[0], row[1]) for row in self._run("tile_scan", (level, start, limit))]


class SqlRecords:
    def __init__(self, run: Run) -> None:
        self._run = run

    def add(self, record: Record) -> None:
        self._run("record_add", (record.kind, record.key, record.parent, record.body, record.signature))

    def get(self, kind: str, key: str) -> Record | None:
        rows = self._run("record_get", (kind, key))
        return Record(*rows[0]) if rows else None

    def children(self, kind: str, parent: str) -> list[Record]:
        return [Record(*row) for row in self._run("record_children", (kind, parent))]

    def scan(self, kind: str, after: int = 0, limit: int = 1000) -> list[Record]:
        return [Record(*row) for row in self._run("record_scan", (kind, after, limit))]

    def last(self, kind: str) -> Record | None:
        rows = self._run("record_last", (kind,))
        return Record(*rows[0]) if rows else None

    def scan_all(self, after: int = 0, limit: int = 1000) -> list[Record]:
        return [Record(*row) for row in self._run("record_scan_all", (after, limit))]


class SqlLogs:
    def __init__(self, run: Run) -> None:
        self._run = run

    def add(self, columns: dict[str, Any]) -> None:
        self._run("log_add", tuple(columns[name] for name in LOG_COLUMNS))

    def get(self, log_id: str) -> dict[str, Any] | None:
        rows = self._run("log_get", (log_id,))
        return dict(zip(LOG_COLUMNS, rows[0], strict=True)) if rows else None

    def scan(self, after: str = "", limit: int = 500) -> list[dict[str, Any]]:
        return [dict(zip(LOG_COLUMNS, row, strict=True)) for row in self._run("log_scan", (after, limit))]

    def recent(self, limit: int) -> list[dict[str, Any]]:
        return [dict(zip(LOG_COLUMNS, row, strict=True)) for row in self._run("log_recent", (limit,))]


class SqlVault:
    def __init__(self, run: Run) -> None:
        self._run = run

    def key(self, ref: str) -> tuple[str, bytes] | None:
        rows = self._run("vault_key", (ref,))
        return (rows[0][0], rows[0][1]) if rows else None

    def add_key(self, ref: str, parent: str, wrapped: bytes) -> None:
        self._run("vault_add_key", (ref, parent, wrapped))

    def drop_key(self, ref: str) -> bool:
        return bool(self._run("vault_drop_key", (ref,)))

    def keys_under(self, parent: str) -> list[str]:
        return [row[0] for row in self._run("vault_keys_under", (parent,))]

    def scan_keys(self, after: str = "", limit: int = 1000) -> list[tuple[str, str, bytes]]:
        return [(row[0], row[1], row[2]) for row in self._run("vault_scan_keys", (after, limit))]

    def blob(self, ref: str) -> tuple[str, bytes] | None:
        rows = self._run("vault_blob", (ref,))
        return (rows[0][0], rows[0][1]) if rows else None

    def put_blob(self, ref: str, key_ref: str, sealed: bytes) -> None:
        self._run("vault_put_blob", (ref, key_ref, sealed))


class SqlNotes:
    def __init__(self, run: Run) -> None:
        self._run = run

    def get(self, name: str) -> str | None:
        rows = self._run("note_get", (name,))
        return rows[0][0] if rows else None

    def put(self, name: str, value: str) -> None:
        self._run("note_put", (name, value))


class SqlTx:
    """All ports over one connection; `pending` is None for reads."""

    def __init__(
        self,
        run: Run,
        pending: Pending | None,
        size: Callable[[], int],
        before_head: Callable[[str], None] | None = None,
    ) -> None:
        self.events = SqlEvents(run, pending, size, before_head)
        self.streams = SqlStreams(run)
        self.tiles = SqlTiles(run)
        self.records = SqlRecords(run)
        self.logs = SqlLogs(run)
        self.vault = SqlVault(run)
        self.notes = SqlNotes(run)
