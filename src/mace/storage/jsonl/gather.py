"""Copying many short byte strings of one buffer into a new order, fast.

Entries of one length are copied by NumPy as one array of fixed-size items, so the cost per entry does not depend on
Python; entries have few different lengths. Where they have many, slices are joined instead.
"""

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

BATCH: Final = 1 << 13  # a batch of entries should fit into the processor's cache
_MAX_LENGTHS: Final = 48
_MAX_COUNTED: Final = 1 << 16


def gather(data: memoryview, starts: NDArray[np.int64], order: NDArray[np.generic]) -> Iterator[bytes | memoryview]:
    """Yield the strings data[starts[i]:starts[i + 1]] for i in order, joined in batches."""
    for low in range(0, len(order), BATCH):
        chosen = order[low : low + BATCH].astype(np.int64)
        begins = starts[chosen]
        lengths = starts[chosen + 1] - begins
        yield _copy(data, begins, lengths)


def _copy(data: memoryview, begins: NDArray[np.int64], lengths: NDArray[np.int64]) -> bytes | memoryview:
    if (lengths[:-1] == begins[1:] - begins[:-1]).all():  # they follow each other already
        return data[int(begins[0]) : int(begins[-1] + lengths[-1])]
    return copy_from([data], np.zeros(len(begins), np.int64), begins, lengths)


def copy_from(
    sources: Sequence[memoryview],
    places: NDArray[np.int64],
    begins: NDArray[np.int64],
    lengths: NDArray[np.int64],
) -> bytes | memoryview:
    """Copy the strings sources[place][begin:begin + length], in order."""
    shortest, longest = int(lengths.min()), int(lengths.max())
    if shortest == longest and len(sources) == 1 and longest:
        return _items(sources[0], longest)[begins].view(np.uint8).data
    held = np.bincount(lengths) if longest < _MAX_COUNTED else np.empty(0, np.int64)
    distinct = np.flatnonzero(held)
    if not 0 < len(distinct) <= _MAX_LENGTHS:
        rows = zip(places.tolist(), begins.tolist(), (begins + lengths).tolist(), strict=True)
        return b"".join([sources[place][low:high] for place, low, high in rows])
    targets = np.cumsum(lengths) - lengths
    copied = bytearray(int(lengths.sum()))
    used = np.flatnonzero(np.bincount(places)).tolist()
    for length in distinct.tolist():
        if length == 0:
            continue
        same = lengths == length
        for place in used:
            here = np.flatnonzero(same & (places == place)) if len(used) > 1 else np.flatnonzero(same)
            if len(here):
                target = _items(memoryview(copied), length)
                target[targets[here]] = _items(sources[place], length)[begins[here]]
    return memoryview(copied)


def _items(data: memoryview, length: int) -> NDArray[np.void]:
    """A view of every run of so many bytes, one starting at each byte."""
    return np.ndarray((len(data) - length + 1,), np.dtype((np.void, length)), data, strides=(1,))
