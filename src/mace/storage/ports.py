"""What a store must do, whatever it is made of. One contract suite (`tests/contract`) runs on every adapter.

A unit of work is a function that gets a `Tx`; it runs inside the adapter's transaction, together with other units
where that saves commits, each under a savepoint of its own. It is acknowledged (its value returned) only after the
commit is durable. A unit may be run again after a rollback, so it must not have effects outside its `Tx`.

Inside a unit `events.head` sees what the unit appended; every other read of events sees committed ones only.
Failures are `StorageFull`, `ServiceUnavailable` and, for a key that is taken, `Exists`; adapters translate theirs.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from mace.core.errors import Conflict
from mace.core.events import Head, NewEvent, Origin, StoredEvent

T = TypeVar("T")


class Exists(Conflict):
    """A row with this key is already there; rows are never overwritten."""


@dataclass(frozen=True, slots=True)
class Record:
    """An immutable document: snapshots, amendments, quarantined rows, incidents, checkpoints...

    `parent` links it to what it is about (an amendment to its log). `body` is canonical JSON, `signature` is over
    kind, key, parent and body. `order` is the order of arrival, given by the store.
    """

    kind: str
    key: str
    parent: str
    body: bytes
    signature: str
    order: int = 0


class Events(Protocol):
    def head(self, stream: str) -> Head | None: ...
    def append(self, event: NewEvent) -> None: ...
    def size(self) -> int: ...  # committed events, which is the size of the tree
    def at(self, stream: str, sequence_index: int) -> StoredEvent | None: ...
    def by_id(self, event_id: bytes) -> list[StoredEvent]: ...
    def of_stream(self, stream: str, start: int = 0, limit: int = 1_000_000) -> list[StoredEvent]: ...
    def of_type(self, event_type: str, limit: int = 1000) -> list[StoredEvent]: ...  # newest first
    def scan(self, start: int, limit: int) -> list[StoredEvent]: ...  # by tree position
    def hashes(self, start: int, stop: int) -> list[bytes]: ...  # by tree position


class Streams(Protocol):
    def get(self, stream: str) -> Origin | None: ...
    def add(self, origin: Origin) -> None: ...
    def recent(self, limit: int) -> list[Origin]: ...  # newest first


class Tiles(Protocol):
    """Roots of complete subtrees, so that proofs do not read the whole log. Derived: may be built again."""

    def get(self, level: int, index: int) -> bytes | None: ...
    def put(self, level: int, index: int, root: bytes) -> None: ...
    def count(self, level: int) -> int: ...
    def scan(self, level: int, start: int, limit: int) -> list[tuple[int, bytes]]: ...


class Records(Protocol):
    def add(self, record: Record) -> None: ...
    def get(self, kind: str, key: str) -> Record | None: ...
    def children(self, kind: str, parent: str) -> list[Record]: ...  # oldest first
    def scan(self, kind: str, after: int = 0, limit: int = 1000) -> list[Record]: ...  # oldest first
    def last(self, kind: str) -> Record | None: ...
    def scan_all(self, after: int = 0, limit: int = 1000) -> list[Record]: ...  # every kind, oldest first


class Logs(Protocol):
    """Reflective logs: `columns` by the names of the text, JSON columns as the text that was signed."""

    def add(self, columns: dict[str, Any]) -> None: ...
    def get(self, log_id: str) -> dict[str, Any] | None: ...
    def scan(self, after: str = "", limit: int = 500) -> list[dict[str, Any]]: ...  # by log_id
    def recent(self, limit: int) -> list[dict[str, Any]]: ...  # newest first


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


class Tx(Protocol):
    @property
    def events(self) -> Events: ...
    @property
    def streams(self) -> Streams: ...
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


class Store(Protocol):
    def write(self, unit: Callable[[Tx], T]) -> T: ...
    def read(self, look: Callable[[Tx], T]) -> T: ...  # one consistent snapshot; must not write
    def describe(self) -> dict[str, str]: ...  # for `doctor`: kind, place, versions; no secrets
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


def batches(scan: Callable[[int, int], list[StoredEvent]], size: int, step: int = 2000) -> Iterator[list[StoredEvent]]:
    """Walk a log in pieces, so that memory does not grow with it."""
    start = 0
    while start < size:
        rows = scan(start, min(step, size - start))
        if rows:
            yield rows
        start += step
