"""The spill file: failure events wait here while the database cannot take them.

It is preallocated, so that a full disk does not take it too. Each entry is framed and signed. What is neither a good
frame nor empty was torn by a crash or changed by somebody: it comes out as an entry that says so, and what stands
behind it is still read. Entries hold ids, codes and hashes, or sealed bytes, never raw data. `clear` is called after
the entries are in the database; an entry carries an id, so merging it twice changes nothing.
"""

import errno
import fcntl
import os
import re
import stat
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from mace.core import canon
from mace.core.errors import ServiceUnavailable, StorageFull
from mace.core.purposes import Check, Purpose, Sign

_WAITING, _MERGED = b"MSPL", b"MDON"
_FRAME = struct.Struct(">4sIH")  # what it is, length of the body, length of the signature
_NOT_EMPTIED = re.compile(rb"[^\0]")
_MOST_BYTES = 16 << 20  # that are read of a file which is larger than it was made
_MOST_DAMAGE = 1_000  # places that are no frames; behind so many the rest counts as one
_FOR_THE_CALLER = (errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE)  # may be over in a moment


@dataclass(frozen=True, slots=True)
class _Found:
    start: int
    end: int
    entry: dict[str, Any] | None  # None: merged, but not emptied yet


class SpillFile:
    def __init__(
        self,
        path: Path,
        sign: Sign,
        check: Check,
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
        try:
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)
        except OSError as error:
            if error.errno in _FOR_THE_CALLER:
                raise
            raise ServiceUnavailable(f"cannot use the spill file {self._path}: {error.strerror}") from None
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise ServiceUnavailable(f"cannot use the spill file {self._path}: it is not a regular file")
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield descriptor
        finally:
            os.close(descriptor)

    def add(self, entry: dict[str, Any]) -> None:
        body = canon.dumps(entry)
        signature = self._sign(Purpose.SPILL, sha256(body).digest()).encode()
        frame = _FRAME.pack(_WAITING, len(body), len(signature)) + body + signature
        with self._locked() as descriptor:
            end = _used(self._content(descriptor))
            if end + len(frame) > self._size or os.pwrite(descriptor, frame, end) != len(frame):
                raise StorageFull("the spill file is full")
            os.fsync(descriptor)

    def entries(self) -> list[dict[str, Any]]:
        if not self._path.exists():
            return []
        try:
            with self._locked() as descriptor:
                return [found.entry for found in self._read(descriptor) if found.entry is not None]
        except OSError as error:
            raise ServiceUnavailable(f"the spill file cannot be read: {error.strerror}") from None

    def _read(self, descriptor: int) -> Iterator[_Found]:
        data = self._content(descriptor)
        data = data[: _used(data)]
        at = damaged = 0
        while (start := _NOT_EMPTIED.search(data, at)) is not None:
            at = start.start()
            found = self._frame_at(data, at)
            if found is None:
                damaged += 1
                found = self._damage_at(data, at, to_the_end=damaged > _MOST_DAMAGE)
            yield found
            at = found.end
        size = os.fstat(descriptor).st_size
        if size > self._most:
            yield _Found(
                self._most, size, _damage(f"{size}", f"the spill file has {size} bytes, {self._most} were read")
            )

    @property
    def _most(self) -> int:
        """How much of the file is read: as much as was taken for it, or by an earlier setting."""
        return max(self._size, _MOST_BYTES)

    def _content(self, descriptor: int) -> bytes:
        return os.pread(descriptor, min(os.fstat(descriptor).st_size, self._most), 0)

    def _frame_at(self, data: bytes, at: int) -> _Found | None:
        if at + _FRAME.size > len(data):
            return None
        magic, body_size, signature_size = _FRAME.unpack_from(data, at)
        middle = at + _FRAME.size + body_size
        end = middle + signature_size
        if magic == _MERGED:
            return _Found(at, min(end, len(data)), None)
        body, signature = data[at + _FRAME.size : middle], data[middle:end].decode("ascii", "replace")
        if magic != _WAITING or end > len(data) or not self._check(Purpose.SPILL, sha256(body).digest(), signature):
            return None
        return _Found(at, end, canon.loads(body))

    @staticmethod
    def _damage_at(data: bytes, at: int, *, to_the_end: bool) -> _Found:
        """Everything up to what may be the next frame, or all that is left."""
        magics = () if to_the_end else (_WAITING, _MERGED)
        starts = [place for place in (data.find(magic, at + 1) for magic in magics) if place > 0]
        end = min(starts, default=len(data))
        reason = f"{end - at} bytes of the spill file are torn or were changed"
        return _Found(at, end, _damage(data[at:end], reason))

    def clear(self, merged: list[dict[str, Any]]) -> None:
        """Empty the places of these entries; all others stay. The space stays taken."""
        ids = {entry["spill_id"] for entry in merged}
        with self._locked() as descriptor:
            found = list(self._read(descriptor))
            done = [item for item in found if item.entry is None or item.entry["spill_id"] in ids]
            if any(item.start >= self._most for item in done):
                os.ftruncate(descriptor, self._most)
                done = [item for item in done if item.start < self._most]
            # Marked before it is emptied, and its head emptied last: a crash in between leaves no half frame.
            for item in done:
                if item.end - item.start > _FRAME.size:
                    os.pwrite(descriptor, _FRAME.pack(_MERGED, item.end - item.start - _FRAME.size, 0), item.start)
            os.fsync(descriptor)
            for item in done:
                head = min(_FRAME.size, item.end - item.start)
                os.pwrite(descriptor, bytes(item.end - item.start - head), item.start + head)
                os.pwrite(descriptor, bytes(head), item.start)
            os.fsync(descriptor)

    def place(self) -> str:
        return str(self._path)


def _damage(of: bytes | str, reason: str) -> dict[str, Any]:
    name = sha256(of.encode() if isinstance(of, str) else of).hexdigest()[:32]
    return {"spill_id": name, "event_type": "INTEGRITY_FAILURE", "verb": "spill", "reason": reason}


def _used(data: bytes) -> int:
    return len(data.rstrip(b"\0"))
