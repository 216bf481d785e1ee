"""The ports of `storage.ports` over named statements; the engine passes `run` and gets everything else from here.

`Pending` holds what units of a batch appended until the batch ends: positions in the tree are given there, all at
once. Reads of heads look at it first.
"""

from collections.abc import Callable
from typing import Any

from mace.core.events import Head, NewEvent, StoredEvent
from mace.core.reflective import IMMUTABLE_FIELDS
from mace.storage.ports import Fact, JobRow, PastFact, Record
from mace.storage.sql.experience import Run, RunMany, SqlExperience

_LEAST = -(2**63)  # below every row, also one that somebody else put there


class Pending:
    """Events appended in this batch, and the heads they make.

    `known` are heads as committed, where the store is sure that nobody has moved them; the others are looked up.
    """

    def __init__(self) -> None:
        self.events: list[NewEvent] = []
        self.heads: dict[str, Head] = {}
        self.known: dict[str, Head] = {}

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
            held = self._pending.heads.get(stream) or self._pending.known.get(stream)
            if held is not None:
                return held
        if self._before_head is not None:
            self._before_head(stream)
        rows = self._run("event_head", (stream,))
        return Head(rows[0][0], rows[0][1]) if rows else None

    def first(self, stream: str) -> NewEvent | None:
        held = self.at(stream, 0)
        if held is not None:
            return held.as_new()
        appended = () if self._pending is None else self._pending.events
        return next((event for event in appended if event.stream == stream and event.sequence_index == 0), None)

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

    def experience(self, after: int, limit: int) -> list[StoredEvent]:
        return [_event(row) for row in self._run("event_experience", (after, limit))]

    def scan(self, start: int, limit: int) -> list[StoredEvent]:
        return [_event(row) for row in self._run("event_scan", (start, limit))]

    def hashes(self, start: int, stop: int) -> list[bytes]:
        return [row[0] for row in self._run("event_hashes", (start, stop))]


class SqlTiles:
    def __init__(self, run: Run) -> None:
        self._run = run

    def get(self, level: int, index: int) -> bytes | None:
        rows = self._run("tile_get", (level, index))
        return rows[0][0] if rows else None

    def put(self, level: int, index: int, root: bytes) -> None:
        self._run("tile_put", (level, index, root))

    def scan(self, level: int, start: int, limit: int) -> list[tuple[int, bytes]]:
        return [(row[0], row[1]) for row in self._run("tile_scan", (level, start, limit))]

    def scan_all(self, after: tuple[int, int] | None = None, limit: int = 1000) -> list[tuple[int, int, bytes]]:
        rows = self._run("tile_scan_all", (*(after or (_LEAST, _LEAST)), limit))
        return [(row[0], row[1], row[2]) for row in rows]

    def clear(self) -> None:
        self._run("tile_clear", ())


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

    def scan(self, kind: str, after: str = "", limit: int = 1000) -> list[Record]:
        return [Record(*row) for row in self._run("record_scan", (kind, after, limit))]

    def scan_all(self, after: tuple[str, str] = ("", ""), limit: int = 1000) -> list[Record]:
        return [Record(*row) for row in self._run("record_scan_all", (*after, limit))]


class SqlLogs:
    def __init__(self, run: Run) -> None:
        self._run = run

    def add(self, columns: dict[str, Any]) -> None:
        self._run("log_add", tuple(columns[name] for name in IMMUTABLE_FIELDS))

    def get(self, log_id: str) -> dict[str, Any] | None:
        rows = self._run("log_get", (log_id,))
        return dict(zip(IMMUTABLE_FIELDS, rows[0], strict=True)) if rows else None

    def scan(self, after: str = "", limit: int = 500) -> list[dict[str, Any]]:
        return [dict(zip(IMMUTABLE_FIELDS, row, strict=True)) for row in self._run("log_scan", (after, limit))]

    def recent(self, limit: int) -> list[dict[str, Any]]:
        return [dict(zip(IMMUTABLE_FIELDS, row, strict=True)) for row in self._run("log_recent", (limit,))]


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


class SqlFacts:
    def __init__(self, run: Run, lock: Callable[[str], None] | None) -> None:
        self._run = run
        self._lock = lock

    def get(self, key: str) -> Fact | None:
        rows = self._run("fact_get", (key,))
        return self._fact(rows[0]) if rows else None

    def newest(self, key: str) -> tuple[Fact | None, int]:
        rows = self._run("fact_newest", (key,))
        if not rows:
            return None, 0
        row = rows[0]
        return None if row[0] is None else self._fact(row), row[7]

    def lock(self, key: str) -> None:
        if self._lock is not None:
            self._lock(f"fact/{key}")

    def put(self, fact: Fact) -> None:
        self._run(
            "fact_put",
            (fact.key, fact.version, fact.content, fact.key_ref, fact.source, fact.written_at, int(fact.deleted)),
        )

    def keys(self, prefix: str, after: str = "", limit: int = 10_000) -> list[str]:
        first = max(after, f"{prefix}/" if prefix else "")
        last = f"{prefix}0" if prefix else "~"  # "0" follows "/", "~" follows every character of a key
        return [row[0] for row in self._run("fact_keys", (first, last, limit))]

    def scan(self, after: str = "", limit: int = 1000) -> list[Fact]:
        return [self._fact(row) for row in self._run("fact_scan", (after, limit))]

    def add_history(self, row: PastFact) -> None:
        self._run(
            "fact_add_history",
            (
                row.key,
                row.version,
                row.content,
                row.key_ref,
                row.source,
                row.actor,
                row.written_at,
                row.value_hash,
                int(row.applied),
                int(row.deleted),
                row.stream,
            ),
        )

    def history(self, key: str) -> list[PastFact]:
        return [self._past(row) for row in self._run("fact_history", (key,))]

    def history_at(self, key: str, version: int) -> PastFact | None:
        rows = self._run("fact_history_at", (key, version))
        return self._past(rows[0]) if rows else None

    @staticmethod
    def _fact(row: tuple[Any, ...]) -> Fact:
        return Fact(row[0], row[1], row[2], row[3], row[4], row[5], bool(row[6]))

    @staticmethod
    def _past(row: tuple[Any, ...]) -> PastFact:
        key, version, content, key_ref, source, actor, written_at, value_hash, applied, deleted, stream = row
        return PastFact(
            key, version, content, key_ref, source, actor, written_at, value_hash, bool(applied), bool(deleted), stream
        )


class SqlRegistry:
    def __init__(self, run: Run) -> None:
        self._run = run

    def get(self, slot: str) -> str | None:
        rows = self._run("registry_get", (slot,))
        return rows[0][0] if rows else None

    def add(self, slot: str, identity: str) -> None:
        self._run("registry_add", (slot, identity))


class SqlAliases:
    def __init__(self, run: Run) -> None:
        self._run = run

    def get(self, phrase: str) -> str | None:
        rows = self._run("alias_get", (phrase,))
        return rows[0][0] if rows else None

    def put(self, phrase: str, target: str, source: str, added_at: str) -> None:
        self._run("alias_put", (phrase, target, source, added_at))

    def all(self) -> dict[str, str]:
        return {row[0]: row[1] for row in self._run("alias_all", ())}


class SqlIdempotency:
    def __init__(self, run: Run) -> None:
        self._run = run

    def get(self, token: str) -> tuple[str, bytes] | None:
        rows = self._run("idempotency_get", (token,))
        return (rows[0][0], rows[0][1]) if rows else None

    def add(self, token: str, request_hash: str, answer: bytes) -> None:
        self._run("idempotency_add", (token, request_hash, answer))


class SqlJobs:
    def __init__(self, run: Run) -> None:
        self._run = run

    def get(self, stream: str) -> JobRow | None:
        rows = self._run("job_get", (stream,))
        return JobRow(*rows[0]) if rows else None

    def add(self, job: JobRow) -> None:
        self._run("job_add", (job.stream, job.kind, job.status, job.opened_at, job.person, job.log_id))

    def set_status(self, stream: str, status: str) -> None:
        self._run("job_set_status", (status, stream))

    def recent(self, limit: int, before: str = "") -> list[JobRow]:
        rows = self._run("job_recent_before", (before, limit)) if before else self._run("job_recent", (limit,))
        return [JobRow(*row) for row in rows]


class SqlTx:
    """All ports over one connection; `pending` is None for reads."""

    def __init__(
        self,
        run: Run,
        pending: Pending | None,
        size: Callable[[], int],
        lock: Callable[[str], None] | None = None,
        run_many: RunMany | None = None,
    ) -> None:
        self._run = run
        self._run_many = run_many
        self._lock = lock
        self.events = SqlEvents(run, pending, size, lock)
        self.tiles = SqlTiles(run)
        self.records = SqlRecords(run)
        self.logs = SqlLogs(run)
        self.vault = SqlVault(run)
        self.notes = SqlNotes(run)
        self.facts = SqlFacts(run, lock)
        self.registry = SqlRegistry(run)
        self.aliases = SqlAliases(run)
        self.idempotency = SqlIdempotency(run)
        self.jobs = SqlJobs(run)

    @property
    def experience(self) -> SqlExperience:
        return SqlExperience(self._run, self._run_many)

    def lock(self, name: str) -> None:
        """Where all units of a database run one after another there is nothing to do."""
        if self._lock is not None:
            self._lock(name)
