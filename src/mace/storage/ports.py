"""What a store must do, whatever it is made of. One contract suite (`tests/contract`) runs on every adapter.

A unit of work is a function that gets a `Tx`; it runs inside the adapter's transaction, together with other units
where that saves commits, each under a savepoint of its own. It is acknowledged (its value returned) only after the
commit is durable. A unit may be run again after a rollback, so it must not have effects outside its `Tx`.

Inside a unit `events.head`, `events.first`, `events.about`, `events.is_spoken_of`, `events.about_under`,
`events.about_between` and `events.last_under` see what the unit appended, at the places it will have; every other read
of events sees committed ones only.
Failures are `StorageFull`, `ServiceUnavailable` and, for a key that is taken, `Exists`; adapters translate theirs.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeVar

from mace.core.errors import Conflict
from mace.core.events import Head, NewEvent, StoredEvent
from mace.storage.experience_ports import Experience

T = TypeVar("T")
V = TypeVar("V")

# The events that experience is made of. An index holds exactly these: a type more is a migration and a statement more.
EXPERIENCE_TYPES = (
    "MEGRAM_WRITTEN",
    "EXPERIENCE_PROMOTED",
    "EXPERIENCE_DEMOTED",
    "EXPERIENCE_FORGOTTEN",
    "EXPERIENCE_ROLLED_BACK",
    "EXPERIENCE_IMPORTED",
    "MEGRAM_RETRACTED",
)


class Exists(Conflict):
    """A row with this key is already there; rows are never overwritten."""


@dataclass(frozen=True, slots=True)
class Record:
    """An immutable document: snapshots, amendments, quarantined rows, incidents, checkpoints...

    `parent` links it to what it is about (an amendment to its log). `body` is canonical JSON, `signature` is over
    kind, key, parent and body. Their order is that of their keys, which are signed; a store adds none of its own.
    """

    kind: str
    key: str
    parent: str
    body: bytes
    signature: str


@dataclass(slots=True)  # not frozen: one or more are made with every write, and freezing triples their price
class Fact:
    """The current row of a key. `content` is canonical `{meta, notes, value}`, sealed where `key_ref` is set."""

    key: str
    version: int
    content: bytes
    key_ref: str
    source: str
    written_at: str
    deleted: bool


@dataclass(slots=True)  # not frozen: one or more are made with every write, and freezing triples their price
class PastFact:
    """A row of history, which is also the audit entry of its write."""

    key: str
    version: int
    content: bytes
    key_ref: str
    source: str
    actor: str
    written_at: str
    value_hash: str
    applied: bool
    deleted: bool
    stream: str


@dataclass(frozen=True, slots=True)
class AliasRow:
    """A phrase that somebody added, and the key it stands for."""

    phrase: str
    target: str
    source: str
    added_at: str


@dataclass(frozen=True, slots=True)
class JobRow:
    stream: str
    kind: str  # ask, run, program, block, or branch of one of them
    status: str  # running, waiting, interrupted, closed, failed, cancelled, abandoned
    opened_at: str
    person: str
    log_id: str
    holder: str = ""  # the process that plays it; of a branch its root's
    parent: str = ""  # of a branch: the stream it branched off
    root: str = ""  # of a branch: the job whose tree it belongs to
    life: int = 1  # how often it was taken up


@dataclass(frozen=True, slots=True)
class HolderRow:
    """A process that holds running jobs; `beat` is in seconds by `clock`, the store's own."""

    holder_id: str
    place: str
    pid: int
    started: str
    clock: str
    beat: float


class Events(Protocol):
    def head(self, stream: str) -> Head | None: ...
    def first(self, stream: str) -> NewEvent | None: ...
    def append(self, event: NewEvent) -> None: ...
    def size(self) -> int: ...  # committed events, which is the size of the tree
    def at(self, stream: str, sequence_index: int) -> StoredEvent | None: ...
    def by_id(self, event_id: bytes) -> list[StoredEvent]: ...
    def of_stream(self, stream: str, start: int = 0, limit: int = 1_000_000) -> list[StoredEvent]: ...
    def of_type(
        self, event_type: str, limit: int = 1000, before: int | None = None
    ) -> list[StoredEvent]: ...  # newest first; those before a position
    def experience(self, after: int, limit: int) -> list[StoredEvent]: ...  # those that are projected, by position
    def about(self, subject: str, limit: int = 10_000) -> list[StoredEvent]: ...  # newest first
    def is_spoken_of(self, subject: str) -> bool: ...  # whether `about` would find anything
    def about_under(self, prefix: str) -> list[StoredEvent]: ...  # of subjects below one that ends in `/`, oldest first
    def about_between(self, first: str, last: str) -> list[StoredEvent]: ...  # and of these
    def last_under(self, prefix: str) -> str | None: ...  # the greatest subject below one that ends in `/`
    def scan(self, start: int, limit: int) -> list[StoredEvent]: ...  # by tree position, from `start` on
    def hashes(self, start: int, stop: int) -> list[bytes]: ...  # by tree position


class Tiles(Protocol):
    """Roots of complete subtrees, so that proofs do not read the whole log. Derived: may be built again."""

    def get(self, level: int, index: int) -> bytes | None: ...
    def put(self, level: int, index: int, root: bytes) -> None: ...  # replaces
    def scan(self, level: int, start: int, limit: int) -> list[tuple[int, bytes]]: ...
    def scan_all(self, after: tuple[int, int] | None = None, limit: int = 1000) -> list[tuple[int, int, bytes]]: ...
    def clear(self) -> None: ...


class Subjects(Protocol):
    """Which events speak of which rows. Derived: may be put right."""

    def scan(self, after: tuple[str, int] = ("", -1), limit: int = 5000) -> list[tuple[str, int]]: ...  # by both
    def has(self, subject: str, position: int) -> bool: ...
    def known(self, wanted: Sequence[str]) -> set[str]: ...  # those of them that a stored event speaks of
    def add_all(self, rows: Sequence[tuple[str, int]]) -> None: ...
    def drop_all(self, rows: Sequence[tuple[str, int]]) -> None: ...


class Records(Protocol):
    def add(self, record: Record) -> None: ...
    def get(self, kind: str, key: str) -> Record | None: ...
    def children(self, kind: str, parent: str) -> list[Record]: ...  # by key
    def scan(self, kind: str, after: str = "", limit: int = 1000) -> list[Record]: ...  # by key
    def scan_all(self, after: tuple[str, str] = ("", ""), limit: int = 1000) -> list[Record]: ...  # by kind and key
    def last(self, kind: str) -> Record | None: ...  # the one with the greatest key
    def drop(self, kind: str, key: str) -> None: ...  # one of an older, plain kind, once it is sealed; others stay


class Logs(Protocol):
    """Reflective logs: `columns` by the names of the text, JSON columns as the text that was signed."""

    def add(self, columns: dict[str, Any]) -> None: ...
    def get(self, log_id: str) -> dict[str, Any] | None: ...
    def scan(self, after: str = "", limit: int = 500) -> list[dict[str, Any]]: ...  # by log_id
    def recent(
        self, limit: int, before: str = ""
    ) -> list[dict[str, Any]]: ...  # by created_at, newest first, after that log in this order
    def count(self) -> int: ...


class Vault(Protocol):
    """Wrapped keys and sealed bytes: the only part of the record from which rows may vanish (erasure).

    The keys that `core.apart` names lie apart from everything else, so that a copy of the rest is no copy of them. A
    unit that makes one is not acknowledged, and none of its rows is there, before that key is durable; one that a unit
    drops is gone when the unit is acknowledged, and a process that dies in between leaves both as they were, or what
    the next opening brings to its end.
    """

    def key(self, ref: str) -> tuple[str, bytes] | None: ...  # (parent ref or "", wrapped key)
    def add_key(self, ref: str, parent: str, wrapped: bytes) -> None: ...
    def drop_key(self, ref: str) -> bool: ...
    def keys_under(self, parent: str, beginning: str = "") -> list[str]: ...  # those that begin so, which ends in `/`
    def scan_keys(self, after: str = "", limit: int = 1000) -> list[tuple[str, str, bytes]]: ...  # by ref
    def misplaced(self, after: str = "", limit: int = 1000) -> list[tuple[str, str, bytes]]: ...  # not apart, by ref
    def must_move(self) -> bool: ...  # whether the store is from before keys were kept apart, or an older copy
    def move_apart(self) -> tuple[int, int]: ...  # (how many were moved, how many dropped: they had been moved before)
    def master(self) -> str: ...  # by which master key those that lie apart are wrapped; "" while there are none
    def set_master(self, master_id: str) -> None: ...
    def blob(self, ref: str) -> tuple[str, bytes] | None: ...  # (key ref, sealed bytes)
    def put_blob(self, ref: str, key_ref: str, sealed: bytes) -> None: ...
    def scan_blobs(self, after: str = "", limit: int = 500) -> list[tuple[str, str, bytes]]: ...  # by ref


class Indexes(Protocol):
    """Sealed parts of the indexes of people's turns. Derived: may go at any time, and are made again."""

    def parts(self, person: str) -> list[tuple[int, str, bytes]]: ...  # (number, key ref, sealed bytes), by number
    def last(self, person: str) -> int: ...  # the greatest number, 0 where there is no part
    def put(self, person: str, number: int, key_ref: str, sealed: bytes) -> None: ...  # replaces
    def drop(self, person: str, number: int) -> None: ...
    def drop_all(self, person: str) -> int: ...  # how many there were
    def people(self, after: str = "", limit: int = 500) -> list[str]: ...  # who has parts, by name


class Notes(Protocol):
    """The few mutable values of the store itself (its id, its epoch)."""

    def get(self, name: str) -> str | None: ...
    def put(self, name: str, value: str) -> None: ...
    def scan(self, after: str = "", limit: int = 1000) -> list[tuple[str, str]]: ...  # in an order of the store's own


class Facts(Protocol):
    def get(self, key: str) -> Fact | None: ...
    def newest(self, key: str) -> tuple[Fact | None, int]: ...  # what stands, and the last version in the history or 0
    def lock(self, key: str) -> None: ...  # until the unit ends, no other unit writes this key
    def put(self, fact: Fact) -> None: ...
    def keys(self, prefix: str, after: str = "", limit: int = 10_000) -> list[str]: ...  # live ones, sorted
    def scan(self, after: str = "", limit: int = 1000) -> list[Fact]: ...  # by key, deleted ones too
    def scan_history(self, after: tuple[str, int], limit: int = 1000) -> list[PastFact]: ...  # by key and version
    def add_history(self, row: PastFact) -> None: ...
    def history(self, key: str) -> list[PastFact]: ...  # oldest first
    def history_at(self, key: str, version: int) -> PastFact | None: ...


class Registry(Protocol):
    """Which identity owns a slot of the key space. It only grows."""

    def get(self, slot: str) -> str | None: ...
    def add(self, slot: str, identity: str) -> None: ...
    def scan(self, after: str = "", limit: int = 1000) -> list[tuple[str, str]]: ...  # by slot


class Aliases(Protocol):
    def get(self, phrase: str) -> str | None: ...
    def put(self, phrase: str, target: str, source: str, added_at: str) -> None: ...
    def all(self) -> dict[str, str]: ...
    def row(self, phrase: str) -> AliasRow | None: ...
    def scan(self, after: str = "", limit: int = 1000) -> list[AliasRow]: ...  # in an order of the store's own


class Idempotency(Protocol):
    """First answers of retried writes."""

    def get(self, token: str) -> tuple[str, bytes] | None: ...  # (hash of the request, its answer)
    def add(self, token: str, request_hash: str, answer: bytes) -> None: ...
    def drop(self, token: str) -> bool: ...
    def scan(self, after: str = "", limit: int = 1000) -> list[tuple[str, str, bytes]]: ...  # in an own order


class Jobs(Protocol):
    def get(self, stream: str) -> JobRow | None: ...
    def add(self, job: JobRow) -> None: ...
    def set_status(self, stream: str, status: str) -> None: ...
    def take_up(self, stream: str, holder: str, life: int) -> None: ...  # it runs again, held by this process
    # Newest first, after that job in this order; without branches.
    def recent(self, limit: int, before: str = "") -> list[JobRow]: ...
    def running(self, limit: int = 1000) -> list[JobRow]: ...  # or waiting; without branches
    def tree(self, root: str) -> list[JobRow]: ...  # the branches of a job, by stream
    def scan(self, after: str = "", limit: int = 1000) -> list[JobRow]: ...  # in an order of the store's own


class Holders(Protocol):
    """Processes that hold running jobs."""

    def clock(self) -> tuple[str, float]: ...  # the name of the store's clock, and what it says now, in seconds
    def get(self, holder_id: str) -> HolderRow | None: ...
    def put(self, holder: HolderRow) -> None: ...  # replaces


class SigningKey(Protocol):
    """The number of the key that signs. Every unit meets it, on every node, before its events get their places."""

    def number(self) -> int: ...  # 0 while keys have no purposes, or were never changed
    def set_number(self, number: int) -> None: ...  # until the unit ends, no other unit's events get places


class Signing(Protocol):
    """Who signs: told when somebody else may have changed the key, before anything is signed or gets its place."""

    @property
    def active_number(self) -> int: ...
    def take_up(self, tx: "Tx") -> None: ...


class Tx(Protocol):
    noted: dict[str, str]  # what a unit settles once for all that it does; empty when it begins, stored nowhere

    @property
    def generation(self) -> int | None: ...  # the same while only this process writes; None where it is not known
    @property
    def tenure(self) -> int | None: ...  # the same while no row of a job was changed and no key went; None as above
    # Until the unit ends, no other unit holds this name; say whether one may have held it since this unit began.
    def lock(self, name: str) -> bool: ...
    @property
    def events(self) -> Events: ...
    @property
    def tiles(self) -> Tiles: ...
    @property
    def subjects(self) -> Subjects: ...
    @property
    def records(self) -> Records: ...
    @property
    def logs(self) -> Logs: ...
    @property
    def vault(self) -> Vault: ...
    @property
    def indexes(self) -> Indexes: ...
    @property
    def notes(self) -> Notes: ...
    @property
    def facts(self) -> Facts: ...
    @property
    def registry(self) -> Registry: ...
    @property
    def aliases(self) -> Aliases: ...
    @property
    def idempotency(self) -> Idempotency: ...
    @property
    def jobs(self) -> Jobs: ...
    @property
    def holders(self) -> Holders: ...
    @property
    def experience(self) -> Experience: ...
    @property
    def signing(self) -> SigningKey: ...


DamageKind = Literal["ROW_UNREADABLE", "FILE_DAMAGED", "SCHEMA_CHANGED", "NOT_CHECKED"]


@dataclass(frozen=True, slots=True)
class Damage:
    """Something that is wrong with the store itself, whatever its rows say."""

    kind: DamageKind
    where: dict[str, Any]  # the table, and the row, page or object of the schema where one is known
    detail: str
    evidence: dict[str, Any] = field(default_factory=dict)
    hides_rows: bool = True  # a plain read fails on it, or may give something else than the table holds


class Kept(Protocol[V]):
    """Answers that were read and are kept, by name: each until something that it was made of has changed."""

    def get(self, name: str) -> V | None: ...  # only what a read that begins now would give; none where that is unknown
    def read(self, name: str, look: Callable[[Tx], tuple[V, int]]) -> V: ...  # also says about how many bytes it takes
    def clear(self) -> None: ...


class Store(Protocol):
    def write(self, unit: Callable[[Tx], T]) -> T: ...
    def read(self, look: Callable[[Tx], T]) -> T: ...  # one consistent snapshot; must not write
    def is_spoken_of(self, subject: str) -> bool: ...  # as `events.is_spoken_of`, when nothing else is to be read
    def follow(self, signing: Signing) -> None: ...
    def version(self) -> int | None: ...  # changes with every commit of anyone; None where it is not cheap to know
    def keep(self, most_bytes: int) -> Kept[Any]: ...  # a place for answers; empty again when it holds about so much
    def describe(self) -> dict[str, str]: ...  # for `doctor`: kind, place, versions; no secrets
    def inspect(self, *, quick: bool = False) -> list[Damage]: ...  # the store itself; quick: without each row
    def salvage(self) -> "Store": ...  # to read from: a copy of every row that can be read, gone when it is closed
    # Leave no bytes of deleted rows in free pages and logs, as far as the store can; `records`: also of that table.
    # `ServiceUnavailable` when others keep it from that for longer than it may wait.
    def scrub(self, wait_ms: int = 0, *, records: bool = False) -> None: ...
    def once_committed(self, call: Callable[[], None]) -> None: ...  # after the next commit; some stores never do
    def close(self) -> None: ...


Boundary = Callable[[str], None]  # called at each point where a process may die; tests kill there

APPEND_BOUNDARIES: Sequence[str] = (
    "before begin",
    "after begin",
    "after unit",
    "before insert",
    "after insert",
    "before commit",
    "after commit",
)

# Where a unit dies that makes, drops or changes a key that is kept apart, in a store that keeps those in another file.
APART_BOUNDARIES: Sequence[str] = ("before keys", "after keys", "before keys go", "after keys go")


def subject_rows(first: int, events: Sequence[NewEvent]) -> list[tuple[str, int]]:
    """What the index holds of events that are stored from this position on."""
    return [(subject, first + at) for at, event in enumerate(events) for subject in event.subjects]


def no_boundary(name: str) -> None:
    """The production hook: nothing happens at a boundary."""


def batches(
    scan: Callable[[int, int], list[StoredEvent]], size: int, start: int = 0, step: int = 2000
) -> Iterator[list[StoredEvent]]:
    """Walk a log in pieces, so that memory does not grow with it; a gap costs nothing, however wide."""
    while start < size:
        rows = [row for row in scan(start, step) if row.position < size]
        if not rows:
            return
        yield rows
        start = rows[-1].position + 1
