"""Files without a name: what is mapped from one cannot be cut by anybody, so that reading it never ends the process.

A mapped file that somebody truncates ends whoever reads it with SIGBUS, and files in the cache have names. So indexes
are used from a copy that has lost its name before its first byte was written.
"""

import mmap
import os
import threading
import weakref
from contextlib import suppress
from pathlib import Path
from typing import Final

SMALL: Final = 1 << 20  # not worth a file and its descriptor
_MAPS: Final = 64  # at a time; each keeps a descriptor
_PIECE: Final = 1 << 22


def nameless(folder: Path) -> int | None:
    """Open a new file in the folder that has no name; None where that cannot be done."""
    unnamed = getattr(os, "O_TMPFILE", 0)
    if unnamed:
        with suppress(OSError):
            return os.open(folder, os.O_RDWR | unnamed | os.O_CLOEXEC, 0o600)
    path = folder / f"{os.getpid()}-{threading.get_ident()}.private"
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except OSError:
        return None
    with suppress(OSError):
        path.unlink()
        return descriptor
    os.close(descriptor)
    return None


class _Maps:
    """How many files are mapped: a map that is gone no longer counts."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._count = 0

    def new(self, descriptor: int, size: int) -> mmap.mmap | None:
        with self._guard:
            if self._count >= _MAPS:
                return None
            self._count += 1
        try:
            made = mmap.mmap(descriptor, size, access=mmap.ACCESS_READ)
        except (OSError, ValueError):
            self._less()
            return None
        weakref.finalize(made, self._less).atexit = False
        return made

    def _less(self) -> None:
        with self._guard:
            self._count -= 1


_MAPPED: Final = _Maps()


def content(descriptor: int, size: int) -> memoryview | None:
    """All of a nameless file, mapped or, where it is small or too many are, in memory; None if it is not so long."""
    if size > SMALL:
        mapped = _MAPPED.new(descriptor, size)
        if mapped is not None:
            return memoryview(mapped)
    held = bytearray(size)
    at = 0
    while at < size:
        got = os.preadv(descriptor, [memoryview(held)[at : at + _PIECE]], at)
        if not got:
            return None
        at += got
    return memoryview(held)
