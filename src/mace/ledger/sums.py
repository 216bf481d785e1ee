"""Two sets of rows compared without holding either: by their sizes, and sums over keyed hashes.

Pure. The key is passed in and must not be known to whoever can write rows: without it nobody can choose rows whose sum
is that of others.
"""

from collections.abc import Iterable
from hashlib import blake2b


class KeyedSum:
    """Equal for equal sets of rows, in whatever order they were added."""

    def __init__(self, key: bytes) -> None:
        self._keyed = blake2b(key=key, digest_size=16)
        self._sum = 0
        self._count = 0

    def add(self, row: str) -> None:
        self.add_all((row,))

    def add_all(self, rows: Iterable[str]) -> None:
        start, total, count = self._keyed.copy, 0, 0
        for row in rows:
            keyed = start()
            keyed.update(row.encode("utf-8", "surrogatepass"))
            total += int.from_bytes(keyed.digest(), "big")
            count += 1
        self._sum += total
        self._count += count

    def __eq__(self, other: object) -> bool:
        return isinstance(other, KeyedSum) and (self._count, self._sum) == (other._count, other._sum)

    __hash__ = None  # type: ignore[assignment] # it changes
