"""Stores for callers who are not the owner: those that the settings list, and nothing else that the process can read.

What is not listed answers as what does not exist, so that nobody learns which files there are. A symbolic link counts
as what it leads to.
"""

import errno
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePath

from mace.memory.context import Progress, StoreReader
from mace.memory.context.ports import Candidates


def lies_in(path: str, roots: Iterable[str]) -> bool:
    """Whether a real path is one of these real paths or lies in one of them."""
    return any(PurePath(path).is_relative_to(root) for root in roots)


class ConfinedReader:
    """A `StoreReader` that opens stores and trust snapshots only in some places."""

    def __init__(self, reader: StoreReader, roots: Sequence[str], never: Sequence[str] = ()) -> None:
        self._reader = reader
        self._roots = roots
        self._never = never  # stores of one person, wherever they lie

    def normalised(self, path: str) -> str:
        """The path as packages name it."""
        return self._reader.normalised(path)

    def real(self, path: str) -> str:
        """Where a path leads."""
        return self._reader.real(path)

    def open(
        self, store_paths: Sequence[str], progress: Progress | None = None, /, *, with_talk: bool = False
    ) -> Candidates:
        """Open stores; one that is not listed is missing."""
        for path in store_paths:
            self._check(path)
        return self._reader.open(store_paths, progress, with_talk=with_talk)

    def read_snapshot(self, path: str) -> bytes:
        """Read a trust snapshot; one that is not listed is missing."""
        self._check(path)
        return self._reader.read_snapshot(path)

    def lines(self, path: str, progress: Progress | None = None, /) -> Iterator[tuple[bytes, bool]]:
        """Read a store line by line; one that is not listed is missing."""
        self._check(path)
        return self._reader.lines(path, progress)

    def _check(self, path: str) -> None:
        real = self._reader.real(path)
        listed = lies_in(real, [self._reader.real(root) for root in self._roots])
        if not listed or real in [self._reader.real(store) for store in self._never]:
            raise FileNotFoundError(errno.ENOENT, "No such file or directory", path)
