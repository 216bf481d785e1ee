"""Two sets of rows compared without holding either: by their sizes, and sums over keyed hashes.

Pure. The key is passed in and must not be known to whoever can write rows: without it nobody can choose rows whose sum
is that of others.
"""

from hashlib import blake2b


class KeyedSum:
    """Equal for equal sets of rows, in whatever order they were added."""

    def __init__(self, key: bytes) -> None:
        self._keyed = blake2b(key=key, digest_size=16)
        self._sum = 0
        self._count = 0

    def add(self, row: str) -> None:
        keyed = self._keyed.copy()
        keyed.update(row.encode("utf-8", "surrogatepass"))
        self._sum += int.from_bytes(keyed.digest(), "big")
        self._count += 1

    def __eq__(self, other: object) -> bool:
        return isinstance(other, KeyedSum) and (self._count, self._sum) == (other._count, other._sum)

    __hash__ = None  # type: ignore[assignment] # it changes
