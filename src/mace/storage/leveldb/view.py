"""What a unit sees: the database as it was, and over it what the unit itself has put and deleted so far.

Nothing reaches the database before the unit is over; then all of it goes in one batch, or nothing does. Whoever walks a
range must not change anything meanwhile.
"""

from bisect import bisect_left, insort
from collections.abc import Iterator
from heapq import merge
from operator import itemgetter
from typing import Any

_FEW = 64  # new keys that are cheaper to put in one by one than by sorting again


class View:
    def __init__(self, base: Any, *, writable: bool) -> None:
        self._base = base  # a database or a snapshot of one
        self._writable = writable
        self.changes: dict[bytes, bytes | None] = {}  # None: deleted
        self._sorted: list[bytes] = []
        self._fresh: list[bytes] = []  # changed, not in `_sorted` yet

    def get(self, key: bytes) -> bytes | None:
        if key in self.changes:
            return self.changes[key]
        found: bytes | None = self._base.get(key, verify_checksums=True)
        return found

    def put(self, key: bytes, value: bytes) -> None:
        self._change(key, value)

    def delete(self, key: bytes) -> None:
        self._change(key, None)

    def _change(self, key: bytes, value: bytes | None) -> None:
        if not self._writable:
            raise RuntimeError("a write inside a read")
        if key not in self.changes:
            self._fresh.append(key)
        self.changes[key] = value

    def items(self, start: bytes, stop: bytes, *, reverse: bool = False) -> Iterator[tuple[bytes, bytes]]:
        """Keys from `start` up to, without, `stop`, with their values, in order or in reverse."""
        mine = self._own(start, stop)
        held = self._base.iterator(start=start, stop=stop, reverse=reverse, verify_checksums=True)
        if not mine:
            return iter(held)
        own = [(key, value) for key in mine if (value := self.changes[key]) is not None]
        if reverse:
            own.reverse()
        rest = ((key, value) for key, value in held if key not in self.changes)
        return merge(rest, own, key=itemgetter(0), reverse=reverse)

    def _own(self, start: bytes, stop: bytes) -> list[bytes]:
        if len(self._fresh) <= _FEW:
            for key in self._fresh:
                insort(self._sorted, key)
        else:
            self._sorted += self._fresh
            self._sorted.sort()
        self._fresh.clear()
        return self._sorted[bisect_left(self._sorted, start) : bisect_left(self._sorted, stop)]
