"""Appending to a store: under a lock that all who append take, all of it or nothing, on the disk before it is told.

The lock is on the store's own file, so that every path to it meets the same one; it ends with the process. The store
is only ever made longer, except for what an append of ours left half done. Whoever reads takes no lock: until an
append has ended, a reader may see some of its lines.
"""

import errno
import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event
from typing import Final

from mace.storage.jsonl.build import READ_BYTES

LINE_BYTES: Final = 4 * 1024 * 1024  # of a last line; a longer one is no record
_USUAL_BYTES: Final = 1 << 14  # most last lines are shorter
_STEP_S: Final = 0.005
_MODE: Final = 0o600
_ANY_WRITER: Final = 0o222


class LockedStore:
    """A store that nobody else appends to while this is held."""

    def __init__(self, number: int, path: str) -> None:
        self._number = number
        self._path = path
        self.inode = os.fstat(number).st_ino

    @property
    def size(self) -> int:
        return os.fstat(self._number).st_size

    def read(self, start: int, end: int) -> bytes:
        """The bytes from `start` to `end`, or to the end of the file."""
        found = bytearray()
        while start + len(found) < end:
            piece = os.pread(self._number, min(READ_BYTES, end - start - len(found)), start + len(found))
            if not piece:
                break
            found += piece
        return bytes(found)

    def last_line(self) -> tuple[bytes, bool]:
        """The last line without its line end, and whether it has one; of a very long one its end, which is no line."""
        size = self.size
        for looked_at in (_USUAL_BYTES, LINE_BYTES + 2):
            start = max(0, size - looked_at)
            tail = self.read(start, size)
            has_end = tail.endswith(b"\n")
            _, before, line = tail[: -1 if has_end else None].rpartition(b"\n")
            if before or start == 0:
                break
        return line.removesuffix(b"\r") if has_end else line, has_end

    def count_lines(self) -> int:
        """How many lines there are, a last one without a line end included."""
        size, at, ends = self.size, 0, 0
        last = b"\n"
        while at < size:
            piece = os.pread(self._number, READ_BYTES, at)
            if not piece:
                break
            ends += piece.count(b"\n")
            at += len(piece)
            last = piece[-1:]
        return ends + (last != b"\n")

    def append(self, data: bytes) -> None:
        """Append all of it durably; where that fails, none of it stays."""
        before = self.size
        view = memoryview(data)
        try:
            while view:
                view = view[os.write(self._number, view) :]
            os.fsync(self._number)
        except BaseException:
            with suppress(OSError):
                if self.size == before + len(data) - len(view):  # else somebody wrote who takes no lock
                    self.cut(before)
            raise

    def cut(self, size: int) -> None:
        """Take away what lies behind `size`, durably."""
        os.ftruncate(self._number, size)
        os.fsync(self._number)


class JsonlAppender:
    """See `StoreWriter` of the context room. Safe to use from several threads and processes."""

    def real(self, path: str) -> str:
        try:
            return os.path.realpath(path)
        except ValueError:  # a NUL in the path
            return path

    @contextmanager
    def locked(self, path: str, wait_s: float, *, may_make: bool) -> Iterator[LockedStore]:
        """Hold a store, where its real path leads; one that is not there is made, if it may be.

        Raises OSError with `filename` set: `TimeoutError` when somebody else held it all the time.
        """
        number = _locked(path, wait_s, may_make)
        try:
            yield LockedStore(number, path)
        finally:
            os.close(number)


def _locked(path: str, wait_s: float, may_make: bool) -> int:
    pause = Event()
    for attempt in range(int(wait_s / _STEP_S) + 1):
        if attempt:
            pause.wait(_STEP_S)
        number = _open(path, may_make)
        try:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_still(number, path):
                return number
        except BlockingIOError:
            pass
        except BaseException:
            os.close(number)
            raise
        os.close(number)  # held by another, or the file was replaced while we waited
    raise TimeoutError(errno.ETIMEDOUT, os.strerror(errno.ETIMEDOUT), path)


def _open(path: str, may_make: bool) -> int:
    # The path is a real one, so a link in its last place was put there since; and a pipe must not be waited for.
    flags = os.O_RDWR | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        number = os.open(path, flags)
    except ValueError:  # a NUL in the path
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path) from None
    except FileNotFoundError:
        if not may_make:
            raise
        number = os.open(path, flags | os.O_CREAT, _MODE)
        _sync_folder(Path(path).parent)
    try:
        mode = os.fstat(number).st_mode
        if not stat.S_ISREG(mode):
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), path)
        if not mode & _ANY_WRITER:  # meant to stay as it is, also where the system would let us
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
    except BaseException:
        os.close(number)
        raise
    return number


def _is_still(number: int, path: str) -> bool:
    try:
        now = Path(path).stat(follow_symlinks=False)
    except FileNotFoundError:
        return False
    held = os.fstat(number)
    return (now.st_dev, now.st_ino) == (held.st_dev, held.st_ino)


def _sync_folder(folder: Path) -> None:
    number = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(number)
    finally:
        os.close(number)
