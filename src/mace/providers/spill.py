"""The spill file: failure events wait here while the database cannot take them.

It is preallocated, so that a full disk does not take it too. Each entry is framed and signed; a torn or foreign frame
ends the reading there. Entries hold ids, codes and hashes, or sealed bytes, never raw data. `clear` is called after the
entries are in the database; an entry carries an id, so merging twice changes nothing.
"""

import fcntl
import os
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

from mace.core import canon
from mace.core.errors import StorageFull

_MAGIC = b"MSPL"
_FRAME = struct.Struct(">4sIH")  # magic, length of the body, length of the signature


class SpillFile:
    def __init__(
        self,
        path: Path,
        sign: Callable[[bytes], str],
        check: Callable[[bytes, str], bool],
        size_bytes: int = 1 << 20,
    ) -> None:
        self._path = path
        self._sign = sign
        self._check = check
        self._size = size_bytes

    def prepare(self) -> None:
        """Take the space now, while there is some."""
        with self._locked() as descriptor:
            if os.fstat(descriptor).st_size < self._size:
                os.posix_fallocate(descriptor, 0, self._size)

    @contextmanager
    def _locked(self) -> Iterator[int]:
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield descriptor
        finally:
            os.close(descriptor)

    def add(self, entry: dict[str, Any]) -> None:
        frame = self._frame(entry)
        with self._locked() as descriptor:
            end = self._read(descriptor)[1]
            if end + len(frame) > self._size:
                raise StorageFull("the spill file is full")
            os.pwrite(descriptor, frame, end)
            os.fsync(descriptor)

    def _frame(self, entry: dict[str, Any]) -> bytes:
        body = canon.dumps(entry)
        signature = self._sign(sha256(body).digest()).encode()
        return _FRAME.pack(_MAGIC, len(body), len(signature)) + body + signature

    def entries(self) -> list[dict[str, Any]]:
        if not self._path.exists():
            return []
        with self._locked() as descriptor:
            return self._read(descriptor)[0]

    def _read(self, descriptor: int) -> tuple[list[dict[str, Any]], int]:
        data = os.pread(descriptor, os.fstat(descriptor).st_size, 0)
        found: list[dict[str, Any]] = []
        at = 0
        while at + _FRAME.size <= len(data):
            magic, body_size, signature_size = _FRAME.unpack_from(data, at)
            body = data[at + _FRAME.size : at + _FRAME.size + body_size]
            end = at + _FRAME.size + body_size + signature_size
            if magic != _MAGIC or end > len(data):
                break
            signature = data[at + _FRAME.size + body_size : end].decode("ascii", "replace")
            if not self._check(sha256(body).digest(), signature):
                break
            found.append(canon.loads(body))
            at = end
        return found, at

    def clear(self, upto: int) -> None:
        """Drop the first entries; what was added meanwhile stays. The space stays taken."""
        with self._locked() as descriptor:
            frames = b"".join(self._frame(entry) for entry in self._read(descriptor)[0][upto:])
            os.pwrite(descriptor, frames + b"\0" * (self._size - len(frames)), 0)
            os.fsync(descriptor)

    def place(self) -> str:
        return str(self._path)
