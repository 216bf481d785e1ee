"""The candidates of a request: all records of its stores, frozen, numbered in the order that needs no score.

Texts are read from the store itself, one line at a time, and compared with the hash in the index: what is shown is
what was indexed, or the reader is told (ESTALE) that the store has changed. Everything else comes from the index alone.
"""

import bisect
import errno
import os
from collections.abc import Callable, Collection, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from mace.storage.jsonl.build import LineRule, Progress, Shrunk, read_at
from mace.storage.jsonl.container import Handle
from mace.storage.jsonl.merge import LONG_RUN, Sink, write_entries, write_gaps
from mace.storage.jsonl.part import Hits, Part
from mace.storage.jsonl.talk import Turns


class Index(Protocol):
    """What is kept of one store."""

    def doubt(self) -> None: ...
    def talk_of(self, store: "OpenStore", report: Progress | None = None, /) -> list[Any]: ...


class OpenStore:
    """One store of a request: its path, its parts, and the very file they were made from.

    Its `index` is told when a line is not what it says of it.
    """

    def __init__(
        self, path: str, handle: Handle, parts: Sequence[Part], index: "Index", *, is_held: bool = True
    ) -> None:
        self.path, self.parts, self.index = path, tuple(parts), index
        self._handle = handle if is_held else None
        status = os.fstat(handle.number)
        self._file = (status.st_dev, status.st_ino)

    def file(self) -> Handle:
        """The open file; one that is not held is opened again, and must be the same."""
        if self._handle is not None:
            return self._handle
        handle = Handle(os.open(self.path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC))
        status = os.fstat(handle.number)
        if (status.st_dev, status.st_ino) != self._file:
            raise OSError(errno.ESTALE, os.strerror(errno.ESTALE), self.path)
        return handle


class View:
    """See `Candidates` of the context room."""

    def __init__(
        self,
        stores: Sequence[OpenStore],
        rule: LineRule,
        order: NDArray[np.uint32] | None,
        talk: Callable[["View"], Any],
    ) -> None:
        """`talk` makes the talk of the stores when it is asked for."""
        self._talk = talk
        self._stores = tuple(stores)
        self._rule = rule
        self._parts = [part for store in stores for part in store.parts]
        self._store_of = [store for store in stores for _ in store.parts]
        self._bases = [0]
        for part in self._parts:
            self._bases.append(self._bases[-1] + part.size)
        self._slot_of_rank = order
        self._rank_of_slot: NDArray[np.uint32] | None = None
        if order is not None:
            self._rank_of_slot = np.empty(len(order), np.uint32)
            self._rank_of_slot[order] = np.arange(len(order), dtype=np.uint32)

    @property
    def store_paths(self) -> tuple[str, ...]:
        return tuple(store.path for store in self._stores)

    @property
    def size(self) -> int:
        return self._bases[-1]

    @property
    def invalid(self) -> int:
        return sum(part.invalid for part in self._parts)

    def containing(self, term: str) -> Hits:
        encoded = term.encode()
        if " " in term:
            answers = [part.having_phrase(encoded.split(b" ")) for part in self._parts]
        else:
            answers = [part.having(encoded) for part in self._parts]
        found = [self._settled(place, term, *answer) for place, answer in enumerate(answers)]
        return self._ranks(found)

    def _settled(self, place: int, term: str, hits: Hits, still_open: list[int]) -> Hits:
        """Hits in a part with those added that only their text can decide."""
        matching_text = self._rule.matching_text
        more = [rank for rank in still_open if term in matching_text(self._read(place, rank).text)]
        if not more:
            return hits
        if hits.dtype == np.bool_:
            hits[more] = True
            return hits
        return np.concatenate((hits, np.array(more, np.uint32))).astype(np.uint32)

    def tagged(self, tag: str) -> Hits:
        encoded = tag.encode()
        return self._ranks([part.tagged(encoded) for part in self._parts])

    def tags(self) -> set[str]:
        return {tag for part in self._parts for tag in part.tags()}

    def instants(self) -> NDArray[np.int64]:
        if len(self._parts) == 1:
            return self._parts[0].instants
        joined = np.concatenate([part.instants for part in self._parts] or [np.empty(0, np.int64)])
        return joined if self._slot_of_rank is None else joined[self._slot_of_rank]

    def marked(self, memory_ids: Collection[str], record_hashes: Collection[str]) -> NDArray[np.uint32]:
        slots: list[int] = []
        for base, part in zip(self._bases, self._parts, strict=False):
            found = part.marked(memory_ids, record_hashes)
            found.sort(key=lambda rank: part.line(rank)[0])
            slots += [base + rank for rank in found]
        marked = np.array(slots, np.uint32)
        return marked if self._rank_of_slot is None else self._rank_of_slot[marked]

    def record(self, rank: int) -> Any:
        return self._read(*self._locate(rank))

    def _read(self, place: int, local: int) -> Any:
        part, store = self._parts[place], self._store_of[place]
        offset, length = part.line(local)
        handle = store.file()
        try:
            found = self._rule.read_line(read_at(handle.number, length, offset))
        except Shrunk:
            found = ()
        if tuple(found[:2]) != part.identity(local):
            store.index.doubt()
            raise OSError(errno.ESTALE, os.strerror(errno.ESTALE), store.path)
        return found

    def store_path(self, rank: int) -> str:
        return self._store_of[self._locate(rank)[0]].path

    def identity(self, rank: int) -> tuple[str, str]:
        place, local = self._locate(rank)
        return self._parts[place].identity(local)

    def write_invalid(self, sink: Sink) -> None:
        for part in self._parts:
            if part.invalid:
                sink(part.sections.raw("invalid"))

    def write_exhausted(self, ranks: NDArray[np.uint32], sink: Sink) -> None:
        slots = ranks if self._slot_of_rank is None else self._slot_of_rank[ranks]
        write_entries(self._parts, slots, sink)

    def write_exhausted_except(self, ranks: NDArray[np.uint32], sink: Sink) -> None:
        if len(self._parts) == 1 and len(ranks) * LONG_RUN < self.size:
            write_gaps(self._parts[0], ranks, sink)
            return
        kept = np.ones(self.size, np.bool_)
        kept[ranks] = False
        left = np.flatnonzero(kept).astype(np.uint32)
        self.write_exhausted(left, sink)

    def read_order(self) -> NDArray[np.uint32]:
        slots = [base + part.rank_of_record for base, part in zip(self._bases, self._parts, strict=False)]
        joined = np.concatenate(slots or [np.empty(0, np.uint32)]).astype(np.uint32)
        return joined if self._rank_of_slot is None else self._rank_of_slot[joined]

    def stores(self) -> list[int]:
        return [sum(part.size for part in store.parts) for store in self._stores]

    def turns(self) -> Turns:
        """The same records as turns of a talk; what has no index of its talk yet gets one."""
        return Turns(self._talk(self), self.record)

    def _locate(self, rank: int) -> tuple[int, int]:
        slot = rank if self._slot_of_rank is None else int(self._slot_of_rank[rank])
        place = bisect.bisect_right(self._bases, slot) - 1
        return place, slot - self._bases[place]

    def _ranks(self, found: list[Hits]) -> Hits:
        """Ranks over all parts from ranks within each."""
        if len(found) == 1:
            return found[0]
        if any(hits.dtype == np.bool_ for hits in found):
            flags = np.zeros(self.size, np.bool_)
            for base, hits in zip(self._bases, found, strict=False):
                if hits.dtype == np.bool_:
                    flags[base : base + len(hits)] = hits
                else:
                    flags[hits.astype(np.int64) + base] = True
            return flags if self._slot_of_rank is None else flags[self._slot_of_rank]
        moved = [hits.astype(np.uint32) + np.uint32(base) for base, hits in zip(self._bases, found, strict=False)]
        slots = np.concatenate(moved or [np.empty(0, np.uint32)])
        return slots if self._rank_of_slot is None else self._rank_of_slot[slots]
