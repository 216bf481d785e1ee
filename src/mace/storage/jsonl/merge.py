"""One order over several parts, and the bytes of their entries in any order.

Each part is in order already: newest first, then memory id and record hash. Over parts the store's path stands between
the two, so only parts of one store with equal instants need their ids compared.
"""

import bisect
from collections.abc import Callable, Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mace.storage.jsonl.gather import BATCH, copy_from, gather
from mace.storage.jsonl.part import Part

Sink = Callable[[bytes | memoryview], object]
_JOIN_BYTES: Final = 1 << 20
_LONG_PIECE: Final = 1 << 15
LONG_RUN: Final = 16  # entries from which a slice is cheaper than gathering them one by one
_SHORT_RUN: Final = 64


def merged_order(parts: Sequence[Part], stores: Sequence[int]) -> NDArray[np.uint32] | None:
    """Slots by rank, a slot being a record's place in the parts laid end to end; None when that is the order.

    `stores` says, for each part, which store it belongs to; parts of one store stand together, stores by path.
    """
    held = [(part, store) for part, store in zip(parts, stores, strict=True) if part.size]
    if len(held) <= 1:
        return None
    bases = np.cumsum([0, *(part.size for part in parts)])
    instants = np.concatenate([part.instants for part in parts])
    order = np.argsort(~instants, kind="stable")
    if len({store for _, store in held}) < len(held):
        part_of = np.repeat(np.arange(len(parts)), [part.size for part in parts])[order]
        store_of = np.array(stores)[part_of]
        ordered = instants[order]
        same = (ordered[1:] == ordered[:-1]) & (store_of[1:] == store_of[:-1])
        crossing = np.flatnonzero(same & (part_of[1:] != part_of[:-1]))
        breaks = np.flatnonzero(np.concatenate(([True], ~same, [True])))
        for run in np.unique(np.searchsorted(breaks, crossing, "right")).tolist():
            low, high = int(breaks[run - 1]), int(breaks[run])
            order[low:high] = _merged_run(order[low:high], part_of[low:high], _Keys(parts, bases))
    return order.astype(np.uint32)


class _Keys:
    """Memory id and record hash by slot."""

    def __init__(self, parts: Sequence[Part], bases: NDArray[np.int64]) -> None:
        self._parts, self._bases = parts, bases.tolist()

    def __call__(self, slot: int) -> tuple[str, str]:
        place = bisect.bisect_right(self._bases, slot) - 1
        return self._parts[place].identity(slot - self._bases[place])


def _merged_run(
    slots: NDArray[np.int64], part_of: NDArray[np.int64], key: Callable[[int], tuple[str, str]]
) -> NDArray[np.int64]:
    """Merge slots of equal instant; each part's are sorted already."""
    if len(slots) <= _SHORT_RUN:
        return np.array(sorted(slots.tolist(), key=key), np.int64)
    pieces: list[NDArray[np.int64]] = [slots[part_of == part] for part in np.unique(part_of)]
    pieces.sort(key=len, reverse=True)
    merged = pieces[0]
    for piece in pieces[1:]:
        if len(piece) * len(merged).bit_length() > len(merged):
            both = np.concatenate((merged, piece)).tolist()
            merged = np.array(sorted(both, key=key), np.int64)
        else:  # a few into many: find each its place
            keys = _Ordered(merged, key)
            merged = np.insert(merged, [bisect.bisect_left(keys, key(slot)) for slot in piece.tolist()], piece)
    return merged


class _Ordered(Sequence[tuple[str, str]]):
    """Keys of slots, made only for those that are looked at."""

    def __init__(self, slots: NDArray[np.int64], key: Callable[[int], tuple[str, str]]) -> None:
        self._slots, self._key = slots, key

    def __len__(self) -> int:
        return len(self._slots)

    def __getitem__(self, place: int) -> tuple[str, str]:  # type: ignore[override]
        return self._key(int(self._slots[place]))


def write_entries(parts: Sequence[Part], slots: NDArray[np.uint32], sink: Sink) -> None:
    """Give the entries of these slots to the sink, in this order."""
    if not len(slots):
        return
    bases = np.cumsum([0, *(part.size for part in parts)])
    new = np.ones(len(slots), np.bool_)
    np.not_equal(slots[1:], slots[:-1] + np.uint32(1), out=new[1:])
    if len(parts) > 1:
        new |= np.isin(slots, bases[1:-1])
    firsts = np.flatnonzero(new)
    if len(firsts) * LONG_RUN < len(slots):
        lows = slots[firsts].astype(np.int64)
        highs = lows + np.diff(firsts, append=len(slots))
        places = np.searchsorted(bases, lows, "right") - 1
        pieces = _runs(parts, places, lows - bases[places], highs - bases[places])
    elif len(parts) == 1:
        pieces = gather(parts[0].entries, parts[0].entry_starts, slots)
    else:
        pieces = _gathered(parts, bases, slots)
    for piece in pieces:
        sink(piece)


def write_gaps(part: Part, ranks: NDArray[np.uint32], sink: Sink) -> None:
    """Give the entries of all ranks but these (rising) to the sink."""
    taken = ranks.astype(np.int64)
    lows = np.concatenate(([0], taken + 1))
    highs = np.append(taken, part.size)
    some = highs > lows
    for piece in _runs([part], np.zeros(int(some.sum()), np.int64), lows[some], highs[some]):
        sink(piece)


def _gathered(
    parts: Sequence[Part], bases: NDArray[np.int64], slots: NDArray[np.uint32]
) -> Iterator[bytes | memoryview]:
    sources = [part.entries for part in parts]
    for low in range(0, len(slots), BATCH):
        chosen = slots[low : low + BATCH].astype(np.int64)
        places = np.searchsorted(bases, chosen, "right") - 1
        used = np.flatnonzero(np.bincount(places)).tolist()
        if len(used) == 1:  # the rule: an append is a small part, and new records stand together
            yield from gather(sources[used[0]], parts[used[0]].entry_starts, chosen - bases[used[0]])
            continue
        begins = np.empty(len(chosen), np.int64)
        lengths = np.empty(len(chosen), np.int64)
        for place in used:
            here = np.flatnonzero(places == place)
            local = chosen[here] - bases[place]
            starts = parts[place].entry_starts
            begins[here] = starts[local]
            lengths[here] = starts[local + 1] - starts[local]
        yield copy_from(sources, places, begins, lengths)


def _runs(
    parts: Sequence[Part], places: NDArray[np.int64], lows: NDArray[np.int64], highs: NDArray[np.int64]
) -> Iterator[bytes | memoryview]:
    """The entries of half-open ranges in parts; short ranges are joined first."""
    begins, ends = np.empty_like(lows), np.empty_like(highs)
    for place in np.unique(places).tolist():
        here = places == place
        starts = parts[place].entry_starts
        begins[here], ends[here] = starts[lows[here]], starts[highs[here]]
    sources = [part.entries for part in parts]
    waiting: list[memoryview] = []
    size = 0
    for place, begin, end in zip(places.tolist(), begins.tolist(), ends.tolist(), strict=True):
        if end - begin >= _LONG_PIECE:  # cheaper to hash where it lies than to copy
            if waiting:
                yield b"".join(waiting)
                waiting, size = [], 0
            yield sources[place][begin:end]
            continue
        waiting.append(sources[place][begin:end])
        size += end - begin
        if size >= _JOIN_BYTES:
            yield b"".join(waiting)
            waiting, size = [], 0
    if waiting:
        yield b"".join(waiting)
