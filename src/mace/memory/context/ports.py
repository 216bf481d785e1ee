"""What this room needs from the reader of stores.

Pure. Candidates are numbered by *rank*: their place in the order that holds when no score tells them apart (newest
first, none last, then store path, memory id, record hash). That order does not depend on the query, so a reader can
keep it ready; a scorer that leaves candidates untouched leaves them in it.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from mace.memory.context.records import Record

if TYPE_CHECKING:
    from mace.memory.context.talk import Turns

Ranks = NDArray[np.uint32]
Hits = NDArray[np.uint32] | NDArray[np.bool_]  # ranks, each once, in any order; or one flag per rank
Progress = Callable[[int, int], None]  # bytes done, bytes in all
Sink = Callable[[bytes | memoryview], object]

NO_INSTANT = int(np.iinfo(np.int64).min)  # in `instants()`: the record has no readable timestamp


class Candidates(Protocol):
    """Every valid record of the stores of one request, frozen at one moment."""

    @property
    def store_paths(self) -> tuple[str, ...]: ...

    @property
    def size(self) -> int: ...

    @property
    def invalid(self) -> int: ...  # lines that are no record

    def containing(self, term: str) -> Hits: ...  # substring of the normalised text; `term` is normalised
    def tagged(self, tag: str) -> Hits: ...
    def tags(self) -> set[str]: ...  # every tag there is
    def instants(self) -> NDArray[np.int64]: ...  # microseconds by rank, never rising
    def marked(self, memory_ids: Collection[str], record_hashes: Collection[str]) -> Ranks: ...  # in read order
    def record(self, rank: int) -> Record: ...  # raises OSError(ESTALE) when the store changed since
    def store_path(self, rank: int) -> str: ...
    def identity(self, rank: int) -> tuple[str, str]: ...  # memory id and record hash, without reading the store

    # Canonical `dropped` entries, each led by a comma.
    def write_invalid(self, sink: Sink) -> None: ...  # in read order
    def write_exhausted(self, ranks: Ranks, sink: Sink) -> None: ...  # in the order given
    def write_exhausted_except(self, ranks: Ranks, sink: Sink) -> None: ...  # rising; all ranks but these (rising)

    def turns(self) -> "Turns": ...  # for scorers that look at the texts around a record


class StoreReader(Protocol):
    """Opens stores; never writes to them."""

    def normalised(self, path: str) -> str: ...
    def real(self, path: str) -> str: ...  # where a path leads, symbolic links followed
    def open(
        self, store_paths: Sequence[str], progress: Progress | None = None, /, *, with_talk: bool = False
    ) -> Candidates: ...  # raises OSError with `filename` set
    def read_snapshot(self, path: str) -> bytes: ...  # raises OSError
    def lines(
        self, path: str, progress: Progress | None = None, /
    ) -> Iterator[tuple[bytes, bool]]: ...  # each without its line end, and whether it has one; raises OSError


class LockedStore(Protocol):
    """A store that nobody else appends to while it is held."""

    @property
    def inode(self) -> int: ...
    @property
    def size(self) -> int: ...
    def read(self, start: int, end: int) -> bytes: ...
    def last_line(self) -> tuple[bytes, bool]: ...  # without its line end, and whether it has one
    def count_lines(self) -> int: ...
    def append(self, data: bytes) -> None: ...  # durably all of it, or nothing and OSError
    def cut(self, size: int) -> None: ...  # take away, durably, what lies behind


class StoreWriter(Protocol):
    """Appends to stores; raises OSError with `filename` set, `TimeoutError` where another holds the store too long."""

    def real(self, path: str) -> str: ...  # where a path leads, symbolic links followed
    def locked(self, path: str, wait_s: float, *, may_make: bool) -> AbstractContextManager[LockedStore]: ...
