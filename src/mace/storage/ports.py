"""What a store must do, whatever it is made of. One contract suite (`tests/contract`) runs on every adapter.

A unit of work is a function that gets a `Tx`; it runs inside the adapter's transaction, together with other units
where that saves commits, each under a savepoint of its own. It is acknowledged (its value returned) only after the
commit is durable. A unit may be run again after a rollback, so it must not have effects outside its `Tx`.

Inside a unit `events.head` and `events.first` see what the unit appended; every other read of events sees committed
ones only.
Failures are `StorageFull`, `ServiceUnavailable` and, for a key that is taken, `Exists`; adapters translate theirs.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from mace.core.errors import Conflict
from mace.core.events import Head, NewEvent, StoredEvent
from mace.storage.experience_ports import Experience

T = TypeVar("T")

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
class JobRow:
    stream: str
    kind: str  # ask or run
    status: str  # running, closed, abandoned
    opened_at: str
    person: str
    log_id: str


class Events(Protocol):
    def head(self, stream: str) -> Head | None: ...
    def first(self, stream: str) -> NewEvent | None: ...
    def append(self, event: NewEvent) -> None: ...
    def size(self) -> int: ...  # committed events, which is the size of the tree
    def at(self, stream: str, sequence_index: int) -> StoredEvent | None: ...
    def by_id(self, event_id: bytes) -> list[StoredEvent]: ...
    def of_stream(self, stream: str, start: int = 0, limit: int = 1_000_000) -> list[StoredEvent]: ...
    def of_type(self, event_type: str, limit: int = 1000) -> list[StoredEvent]: ...  # newest first
    def experience(self, after: int, limit: int) -> list[StoredEvent]: ...  # those that are projected, by position
    def scan(self, start: int, limit: int) -> list[StoredEvent]: ...  # by tree position, from `start` on
    def hashes(self, start: int, stop: int) -> list[bytes]: ...  # by tree position


class Tiles(Protocol):
    """Roots of complete subtrees, so that proofs do not read the whole log. Derived: may be built again."""

    def get(self, level: int, index: int) -> bytes | None: ...
    def put(self, level: int, index: int, root: bytes) -> None: ...  # replaces
    def scan(self, level: int, start: int, limit: int) -> list[tuple[int, bytes]]: ...
    def scan_all(self, after: tuple[int, int] | None = None, limit: int = 1000) -> list[tuple[int, int, bytes]]: ...
    def clear(self) -> None: ...


class Records(Protocol):
    def add(self, record: Record) -> None: ...
    def get(self, kind: str, key: str) -> Record | None: ...
    def children(self, kind: str, parent: str) -> list[Record]: ...  # by key
    def scan(self, kind: str, after: str = "", limit: int = 1000) -> list[Record]: ...  # by key
    def scan_all(self, after: tuple[str, str] = ("", ""), limit: int = 1000) -> list[Record]: ...  # by kind and key


class Logs(Protocol):
    """Reflective logs: `columns` by the names of the text, JSON columns as the text that was signed."""

    def add(self, columns: dict[str, Any]) -> None: ...
    def get(self, log_id: str) -> dict[str, Any] | None: ...
    def scan(self, after: str = "", limit: int = 500) -> list[dict[str, Any]]: ...  # by log_id
    def recent(self, limit: int) -> list[dict[str, Any]]: ...  # by created_at, newest first


class Vault(Protocol):
    """Wrapped keys and sealed bytes: the only part of the record from which rows may vanish (erasure)."""

    def key(self, ref: str) -> tuple[str, bytes] | None: ...  # (parent ref or "", wrapped key)
    def add_key(self, ref: str, parent: str, wrapped: bytes) -> None: ...
    def drop_key(self, ref: str) -> bool: ...
    def keys_under(self, parent: str) -> list[str]: ...
    def scan_keys(self, after: str = "", limit: int = 1000) -> list[tuple[str, str, bytes]]: ...  # by ref
    def blob(self, ref: str) -> tuple[str, bytes] | None: ...  # (key ref, sealed bytes)
    def put_blob(self, ref: str, key_ref: str, sealed: bytes) -> None: ...


class Notes(Protocol):
    """The few mutable values of the store itself (its id, its epoch)."""

    def get(self, name: str) -> str | None: ...
    def put(self, name: str, value: str) -> None: ...


class Facts(Protocol):
    def get(self, key: str) -> Fact | None: ...
    def newest(self, key: str) -> tuple[Fact | None, int]: ...  # what stands, and the last version in the history or 0
    def lock(self, key: str) -> None: ...  # until the unit ends, no other unit writes this key
    def put(self, fact: Fact) -> None: ...
    def keys(self, prefix: str, after: str = "", limit: int = 10_000) -> list[str]: ...  # live ones, sorted
    def scan(self, after: str = "", limit: int = 1000) -> list[Fact]: ...  # by key, deleted ones too
    def add_history(self, row: PastFact) -> None: ...
    def history(self, key: str) -> list[PastFact]: ...  # oldest first
    def history_at(self, key: str, version: int) -> PastFact | None: ...


class Registry(Protocol):
    """Which identity owns a slot of the key space. It only grows."""

    def get(self, slot: str) -> str | None: ...
    def add(self, slot: str, identity: str) -> None: ...


class Aliases(Protocol):
    def get(self, phrase: str) -> str | None: ...
    def put(self, phrase: str, target: str, source: str, added_at: str) -> None: ...
    def all(self) -> dict[str, str]: ...


class Idempotency(Protocol):
    """First answers of retried writes."""

    def get(self, token: str) -> tuple[str, bytes] | None: ...  # (hash of the request, its answer)
    def add(self, token: str, request_hash: str, answer: bytes) -> None: ...


class Jobs(Protocol):
    def get(self, stream: str) -> JobRow | None: ...
    def add(self, job: JobRow) -> None: ...
    def set_status(self, stream: str, status: str) -> None: ...
    def recent(self, limit: int, before: str = "") -> list[JobRow]: ...  # newest first, after that job in this order


class Tx(Protocol):
    def lock(self, name: str) -> None: ...  # until the unit ends, no other unit holds this name
    @property
    def events(self) -> Events: ...
    @property
    def tiles(self) -> Tiles: ...
    @property
    def records(self) -> Records: ...
    @property
    def logs(self) -> Logs: ...
    @property
    def vault(self) -> Vault: ...
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
    def experience(self) -> Experience: ...


class Store(Protocol):
    def write(self, unit: Callable[[Tx], T]) -> T: ...
    def read(self, look: Callable[[Tx], T]) -> T: ...  # one consistent snapshot; must not write
    def version(self) -> int | None: ...  # changes with every commit of anyone; None where it is not cheap to know
    def describe(self) -> dict[str, str]: ...  # for `doctor`: kind, place, versions; no secrets
    def scrub(self) -> None: ...  # leave no bytes of deleted rows in free pages and logs, as far as the store can
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
