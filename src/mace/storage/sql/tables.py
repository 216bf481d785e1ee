"""The ports of `storage.ports` over named statements; the engine passes `run` and gets everything else from here.

`Pending` holds what units of a batch appended until the batch ends: positions in the tree are given there, all at
once. Reads of heads look at it first.
"""

from collections.abc import Callable, Sequence
from itertools import starmap
from typing import Any, Protocol

from mace.core.apart import APART
from mace.core.errors import IntegrityFailure
from mace.core.events import Head, NewEvent, StoredEvent
from mace.core.reflective import IMMUTABLE_FIELDS
from mace.storage.ports import AliasRow, Fact, HolderRow, JobRow, PastFact, Record
from mace.storage.sql.experience import Run, RunMany, SqlExperience

# Statements that change exactly one row, or nobody may be told that it was kept.
ONE_ROW_EACH = frozenset(
    {
        "alias_put",
        "change_put",
        "experience_move_cursor",
        "fact_add_history",
        "fact_put",
        "idempotency_add",
        "job_add",
        "log_add",
        "megram_add",
        "megram_retire",
        "note_put",
        "pair_put",
        "record_add",
        "registry_add",
        "signing_begin",
        "subject_insert",
        "tile_put",
        "vault_add_key",
        "people_set_master",
        "people_set_token",
        "person_add",
    }
)

_KNOWN_AT_ONCE = 40  # as many places as `subject_known` has
_LEAST = -(2**63)  # below every row, also one that somebody else put there


def swallowed(name: str) -> IntegrityFailure:
    """What to raise when a statement ran and its row is not there: a trigger or a rule takes it away."""
    return IntegrityFailure(f"the database took a row and did not keep it ({name}); run verify")


class Pending:
    """Events appended in this batch, and the heads they make.

    `known` are heads as committed, where the store is sure that nobody has moved them; the others are looked up.
    """

    def __init__(self) -> None:
        self.events: list[NewEvent] = []
        self.heads: dict[str, Head] = {}
        self.known: dict[str, Head] = {}
        self.about: dict[str, list[int]] = {}  # by subject: which of `events`

    def add(self, event: NewEvent) -> None:
        for subject in event.subjects:
            self.about.setdefault(subject, []).append(len(self.events))
        self.events.append(event)
        self.heads[event.stream] = Head(event.sequence_index, event.hash)

    def clear(self) -> None:
        self.events.clear()
        self.heads.clear()
        self.about.clear()

    def mark(self) -> int:
        return len(self.events)

    def roll_back(self, mark: int) -> None:
        events = self.events[:mark]
        self.clear()
        for event in events:
            self.add(event)


def _event(row: tuple[Any, ...]) -> StoredEvent:
    return StoredEvent(*row)


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
        self._pending.add(event)

    def at(self, stream: str, sequence_index: int) -> StoredEvent | None:
        rows = self._run("event_at", (stream, sequence_index))
        return _event(rows[0]) if rows else None

    def by_id(self, event_id: bytes) -> list[StoredEvent]:
        return [_event(row) for row in self._run("event_by_id", (event_id,))]

    def of_stream(self, stream: str, start: int = 0, limit: int = 1_000_000) -> list[StoredEvent]:
        return [_event(row) for row in self._run("event_of_stream", (stream, start, limit))]

    def of_type(self, event_type: str, limit: int = 1000, before: int | None = None) -> list[StoredEvent]:
        if before is not None:
            return [_event(row) for row in self._run("event_of_type_before", (event_type, before, limit))]
        return [_event(row) for row in self._run("event_of_type", (event_type, limit))]

    def experience(self, after: int, limit: int) -> list[StoredEvent]:
        return [_event(row) for row in self._run("event_experience", (after, limit))]

    def about(self, subject: str, limit: int = 10_000) -> list[StoredEvent]:
        found = self._appended(() if self._pending is None else self._pending.about.get(subject, ()))
        found.reverse()
        if len(found) < limit:
            found += [_event(row) for row in self._run("event_about", (subject, limit - len(found)))]
        return found[:limit]

    def is_spoken_of(self, subject: str) -> bool:
        appended = self._pending is not None and subject in self._pending.about
        return appended or bool(self._run("subject_any", (subject,)))

    def about_under(self, prefix: str) -> list[StoredEvent]:
        rows = self._run("event_about_under", (prefix, f"{prefix[:-1]}0"))  # "0" follows "/"
        held = {} if self._pending is None else self._pending.about
        places = {at for subject in held if subject.startswith(prefix) for at in held[subject]}
        return [_event(row) for row in rows] + self._appended(sorted(places))

    def about_between(self, first: str, last: str) -> list[StoredEvent]:
        rows = self._run("event_about_between", (first, last))
        held = {} if self._pending is None else self._pending.about
        places = {at for subject in held if first <= subject <= last for at in held[subject]}
        return [_event(row) for row in rows] + self._appended(sorted(places))

    def last_under(self, prefix: str) -> str | None:
        held = () if self._pending is None else self._pending.about
        found = [subject for subject in held if subject.startswith(prefix)]
        found += [row[0] for row in self._run("subject_last_under", (prefix, f"{prefix[:-1]}0"))]
        return max(found, default=None)

    def _appended(self, places: Sequence[int]) -> list[StoredEvent]:
        """Events of this batch, at the positions they will have."""
        if self._pending is None or not places:
            return []
        first = self.size()
        return [self._pending.events[at].placed(first + at) for at in places]

    def scan(self, start: int, limit: int) -> list[StoredEvent]:
        return list(starmap(StoredEvent, self._run("event_scan", (start, limit))))

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


class SqlSubjects:
    def __init__(self, run: Run, run_many: RunMany | None) -> None:
        self._run = run
        self._run_many = run_many

    def scan(self, after: tuple[str, int] = ("", -1), limit: int = 5000) -> list[tuple[str, int]]:
        return [(row[0], row[1]) for row in self._run("subject_scan", (*after, limit))]

    def has(self, subject: str, position: int) -> bool:
        return bool(self._run("subject_has", (subject, position)))

    def known(self, wanted: Sequence[str]) -> set[str]:
        found: set[str] = set()
        for start in range(0, len(wanted), _KNOWN_AT_ONCE):
            some = list(wanted[start : start + _KNOWN_AT_ONCE])
            some += [some[0]] * (_KNOWN_AT_ONCE - len(some))
            found.update(row[0] for row in self._run("subject_known", tuple(some)))
        return found

    def add_all(self, rows: Sequence[tuple[str, int]]) -> None:
        self._each("subject_insert", rows)

    def drop_all(self, rows: Sequence[tuple[str, int]]) -> None:
        self._each("subject_drop", rows)

    def _each(self, name: str, rows: Sequence[tuple[str, int]]) -> None:
        if self._run_many is None:
            raise RuntimeError("a write inside a read")
        if rows:
            self._run_many(name, rows)


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

    def last(self, kind: str) -> Record | None:
        rows = self._run("record_last", (kind,))
        return Record(*rows[0]) if rows else None

    def drop(self, kind: str, key: str) -> None:
        self._run("record_drop", (kind, key))


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

    def recent(self, limit: int, before: str = "") -> list[dict[str, Any]]:
        rows = self._run("log_recent_before", (before, limit)) if before else self._run("log_recent", (limit,))
        return [dict(zip(IMMUTABLE_FIELDS, row, strict=True)) for row in rows]

    def count(self) -> int:
        return int(self._run("log_count", ())[0][0])


class Apart(Protocol):
    """Where the keys lie that are kept apart from the rest."""

    def key(self, ref: str) -> bytes | None: ...
    def add(self, ref: str, wrapped: bytes) -> None: ...
    def drop(self, ref: str) -> bool: ...
    def scan(self, after: str, limit: int) -> list[tuple[str, bytes]]: ...  # by ref
    def master(self) -> str: ...
    def set_master(self, master_id: str) -> None: ...
    def begin(self) -> None: ...  # the keys lie there from this unit on


AddBlob = Callable[[str, str, bytes], bool]


class SqlVault:
    def __init__(self, run: Run, apart: Apart | None, add_blob: AddBlob | None) -> None:
        self._run = run
        self._apart = apart  # None: a copy, in which all keys lie in one table
        self._add_blob = add_blob  # where the engine has a quicker way to say whether a row is new

    def key(self, ref: str) -> tuple[str, bytes] | None:
        if self._apart is not None and ref.startswith(APART):
            held = self._apart.key(ref)
            if held is not None:
                return "", held
            if self._is_moved():
                return None
        rows = self._run("vault_key", (ref,))
        return (rows[0][0], rows[0][1]) if rows else None

    def _is_moved(self) -> bool:
        """Say whether the keys that are kept apart have left this table; an older store still has them here."""
        return bool(token_in(self._run))

    def add_key(self, ref: str, parent: str, wrapped: bytes) -> None:
        if self._apart is not None and ref.startswith(APART):
            if parent:
                raise ValueError("a key that is kept apart has no other key above it")
            if self._is_moved() or not self.misplaced("", 1):
                self._apart.begin()
                self._apart.add(ref, wrapped)
                return
        self._run("vault_add_key", (ref, parent, wrapped))

    def drop_key(self, ref: str) -> bool:
        if self._apart is not None and ref.startswith(APART):
            if self._apart.drop(ref):
                return True
            if self._is_moved():
                return False
        return self._drop_here(ref)

    def _drop_here(self, ref: str) -> bool:
        gone = bool(self._run("vault_drop_key", (ref,)))
        if not gone and self._run("vault_key", (ref,)):
            raise swallowed("vault_drop_key")
        return gone

    def keys_under(self, parent: str, beginning: str = "") -> list[str]:
        if beginning:
            found = self._run("vault_keys_of_kind", (parent, beginning, f"{beginning[:-1]}0"))  # "0" follows "/"
            return [row[0] for row in found]
        return [row[0] for row in self._run("vault_keys_of" if parent else "vault_keys_under", (parent,))]

    def scan_keys(self, after: str = "", limit: int = 1000) -> list[tuple[str, str, bytes]]:
        rows = [(row[0], row[1], row[2]) for row in self._run("vault_scan_keys", (after, limit))]
        apart = {} if self._apart is None else dict(self._apart.scan(after, limit))
        if self._apart is None or not self._is_moved():
            rows += [row for row in self.misplaced(after, limit) if row[0] not in apart]
        rows += [(ref, "", wrapped) for ref, wrapped in apart.items()]
        return sorted(rows)[:limit]

    def misplaced(self, after: str = "", limit: int = 1000) -> list[tuple[str, str, bytes]]:
        return [(row[0], row[1], row[2]) for row in self._run("vault_misplaced", (after, limit))]

    def must_move(self) -> bool:
        if self._apart is None or self._is_moved():
            return False
        return bool(self._apart.master() or self.misplaced("", 1))

    def move_apart(self) -> tuple[int, int]:
        if self._apart is None:
            return 0, 0
        moved = dropped = 0
        is_first = not self._is_moved() and not self._apart.master()
        while rows := self.misplaced():
            for ref, parent, wrapped in rows:
                self._drop_here(ref)
                if is_first and not parent:
                    self._apart.begin()
                    self._apart.drop(ref)  # of a process that died while it did the same
                    self._apart.add(ref, wrapped)
                    moved += 1
                else:
                    dropped += 1
        if self._apart.master():  # somebody turned the token back, or put an older copy here
            self._apart.begin()
        return moved, dropped

    def master(self) -> str:
        return "" if self._apart is None else self._apart.master()

    def set_master(self, master_id: str) -> None:
        if self._apart is not None:
            self._apart.begin()
            self._apart.set_master(master_id)

    def blob(self, ref: str) -> tuple[str, bytes] | None:
        rows = self._run("vault_blob", (ref,))
        return (rows[0][0], rows[0][1]) if rows else None

    def put_blob(self, ref: str, key_ref: str, sealed: bytes) -> None:
        if self._add_blob is not None:
            is_new = self._add_blob(ref, key_ref, sealed)
        else:
            is_new = bool(self._run("vault_put_blob", (ref, key_ref, sealed, ref)))
        if not is_new and self.blob(ref) is None:
            raise swallowed("vault_put_blob")

    def scan_blobs(self, after: str = "", limit: int = 500) -> list[tuple[str, str, bytes]]:
        return [(row[0], row[1], row[2]) for row in self._run("vault_scan_blobs", (after, limit))]


def token_in(run: Run) -> str:
    """What the database knows of the keys that are kept apart; empty while they lie in its own table."""
    rows = run("people_token", ())
    held = rows[0][0] if rows else ""
    return held if isinstance(held, str) else ""


class SqlNotes:
    def __init__(self, run: Run) -> None:
        self._run = run

    def get(self, name: str) -> str | None:
        rows = self._run("note_get", (name,))
        return rows[0][0] if rows else None

    def put(self, name: str, value: str) -> None:
        self._run("note_put", (name, value))

    def scan(self, after: str = "", limit: int = 1000) -> list[tuple[str, str]]:
        return [(row[0], row[1]) for row in self._run("note_scan", (after, limit))]


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

    def scan_history(self, after: tuple[str, int], limit: int = 1000) -> list[PastFact]:
        return [self._past(row) for row in self._run("fact_scan_history", (*after, limit))]

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
        return Fact(row[0], row[1], row[2], row[3], row[4], row[5], row[6] == 1)

    @staticmethod
    def _past(row: tuple[Any, ...]) -> PastFact:
        key, version, content, key_ref, source, actor, written_at, value_hash, applied, deleted, stream = row
        return PastFact(
            key, version, content, key_ref, source, actor, written_at, value_hash, applied == 1, deleted == 1, stream
        )


class SqlRegistry:
    def __init__(self, run: Run) -> None:
        self._run = run

    def get(self, slot: str) -> str | None:
        rows = self._run("registry_get", (slot,))
        return rows[0][0] if rows else None

    def add(self, slot: str, identity: str) -> None:
        self._run("registry_add", (slot, identity))

    def scan(self, after: str = "", limit: int = 1000) -> list[tuple[str, str]]:
        return [(row[0], row[1]) for row in self._run("registry_scan", (after, limit))]


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

    def row(self, phrase: str) -> AliasRow | None:
        rows = self._run("alias_row", (phrase,))
        return AliasRow(*rows[0]) if rows else None

    def scan(self, after: str = "", limit: int = 1000) -> list[AliasRow]:
        return [AliasRow(*row) for row in self._run("alias_scan", (after, limit))]


class SqlIdempotency:
    def __init__(self, run: Run) -> None:
        self._run = run

    def get(self, token: str) -> tuple[str, bytes] | None:
        rows = self._run("idempotency_get", (token,))
        return (rows[0][0], rows[0][1]) if rows else None

    def add(self, token: str, request_hash: str, answer: bytes) -> None:
        self._run("idempotency_add", (token, request_hash, answer))

    def drop(self, token: str) -> bool:
        return bool(self._run("idempotency_drop", (token,)))

    def scan(self, after: str = "", limit: int = 1000) -> list[tuple[str, str, bytes]]:
        return [(row[0], row[1], row[2]) for row in self._run("idempotency_scan", (after, limit))]


class SqlIndexes:
    def __init__(self, run: Run) -> None:
        self._run = run

    def parts(self, person: str) -> list[tuple[int, str, bytes]]:
        return [(row[0], row[1], row[2]) for row in self._run("index_parts", (person,))]

    def last(self, person: str) -> int:
        rows = self._run("index_last", (person,))
        return int(rows[0][0] or 0) if rows else 0

    def put(self, person: str, number: int, key_ref: str, sealed: bytes) -> None:
        self._run("index_put", (person, number, key_ref, sealed))

    def drop(self, person: str, number: int) -> None:
        self._run("index_drop", (person, number))

    def drop_all(self, person: str) -> int:
        return len(self._run("index_drop_all", (person,)))

    def people(self, after: str = "", limit: int = 500) -> list[str]:
        return [row[0] for row in self._run("index_people", (after, limit))]


class SqlJobs:
    def __init__(self, run: Run) -> None:
        self._run = run

    def get(self, stream: str) -> JobRow | None:
        rows = self._run("job_get", (stream,))
        return JobRow(*rows[0]) if rows else None

    def add(self, job: JobRow) -> None:
        values = (job.stream, job.kind, job.status, job.opened_at, job.person, job.log_id, job.holder)
        self._run("job_add", (*values, job.parent, job.root, job.life))

    def set_status(self, stream: str, status: str) -> None:
        self._run("job_set_status", (status, stream))

    def recent(self, limit: int, before: str = "") -> list[JobRow]:
        rows = self._run("job_recent_before", (before, limit)) if before else self._run("job_recent", (limit,))
        return [JobRow(*row) for row in rows]

    def scan(self, after: str = "", limit: int = 1000) -> list[JobRow]:
        return [JobRow(*row) for row in self._run("job_scan", (after, limit))]

    def running(self, limit: int = 1000) -> list[JobRow]:
        return [JobRow(*row) for row in self._run("job_held", (limit,))]

    def take_up(self, stream: str, holder: str, life: int) -> None:
        self._run("job_take_up", (holder, life, stream))

    def tree(self, root: str) -> list[JobRow]:
        return [JobRow(*row) for row in self._run("job_tree", (root,))]


class SqlHolders:
    def __init__(self, run: Run, clock: Callable[[], tuple[str, float]]) -> None:
        self._run = run
        self.clock = clock

    def get(self, holder_id: str) -> HolderRow | None:
        rows = self._run("holder_get", (holder_id,))
        return HolderRow(*rows[0]) if rows else None

    def put(self, holder: HolderRow) -> None:
        values = (holder.holder_id, holder.place, holder.pid, holder.started, holder.clock, holder.beat)
        self._run("holder_put", values)


class SqlSigningKey:
    def __init__(self, run: Run) -> None:
        self._run = run

    def number(self) -> int:
        rows = self._run("signing_number", ())
        held = rows[0][0] if rows else 0
        return held if isinstance(held, int) else 0  # what is no number is named by verification

    def set_number(self, number: int) -> None:
        if not self._run("signing_set", (number,)):  # somebody deleted the row
            self._run("signing_begin", (number,))


class SqlTx:
    """All ports over one connection; `pending` is None for reads."""

    def __init__(
        self,
        run: Run,
        pending: Pending | None,
        size: Callable[[], int],
        lock: Callable[[str], None] | None = None,
        run_many: RunMany | None = None,
        *,
        clock: Callable[[], tuple[str, float]],
        apart: Apart | None = None,
        add_blob: AddBlob | None = None,
    ) -> None:
        self._run = self.run = run
        self._run_many = run_many
        self._lock = lock
        self.generation: int | None = None
        self.tenure: int | None = None
        self.noted: dict[str, str] = {}
        self.events = SqlEvents(run, pending, size, lock)
        self.tiles = SqlTiles(run)
        self.subjects = SqlSubjects(run, run_many)
        self.records = SqlRecords(run)
        self.logs = SqlLogs(run)
        self.vault = SqlVault(run, apart, add_blob)
        self.notes = SqlNotes(run)
        self.facts = SqlFacts(run, lock)
        self.registry = SqlRegistry(run)
        self.aliases = SqlAliases(run)
        self.idempotency = SqlIdempotency(run)
        self.jobs = SqlJobs(run)
        self.holders = SqlHolders(run, clock)

    @property
    def indexes(self) -> SqlIndexes:
        return SqlIndexes(self._run)

    @property
    def experience(self) -> SqlExperience:
        return SqlExperience(self._run, self._run_many)

    @property
    def signing(self) -> SqlSigningKey:
        return SqlSigningKey(self._run)

    def lock(self, name: str) -> bool:
        """Where all units of a database run one after another there is nothing to do."""
        if self._lock is None:
            return False
        self._lock(name)
        return True
