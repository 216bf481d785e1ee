"""The spill file: failure events wait here while the database cannot take them.

It is preallocated, so that a full disk does not take it too. Each entry is framed and signed. What is neither a good
frame nor empty was torn by a crash or changed by somebody: it comes out as an entry that says so, and what stands
behind it is still read. Entries hold ids, codes and hashes, or sealed bytes, never raw data. `clear` is called after
the entries are in the database; an entry carries an id, so merging it twice changes nothing.
"""

import fcntl
import os
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from mace.core import canon
from mace.core.errors import StorageFull

_WAITING, _MERGED = b"MSPL", b"MDON"
_FRAME = struct.Struct(">4sIH")  # what it is, length of the body, length of the signature


@dataclass(frozen=True, slots=True)
class _Found:
    start: int
    end: int
    entry: dict[str, Any] | None  # None: merged, but not emptied yet


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
        body = canon.dumps(entry)
        signature = self._sign(sha256(body).digest()).encode()
        frame = _FRAME.pack(_WAITING, len(body), len(signature)) + body + signature
        with self._locked() as descriptor:
            end = _used(_content(descriptor))
            if end + len(frame) > self._size or os.pwrite(descriptor, frame, end) != len(frame):
                raise StorageFull("the spill file is full")
            os.fsync(descriptor)

    def entries(self) -> list[dict[str, Any]]:
        if not self._path.exists():
            return []
        with self._locked() as descriptor:
            return [found.entry for found in self._read(descriptor) if found.entry is not None]

    def _read(self, descriptor: int) -> Iterator[_Found]:
        data = _content(descriptor)
        used = _used(data)
        at = 0
        while at < used:
            if data[at] == 0:  # emptied
                at += 1
                continue
            found = self._frame_at(data, at) or self._damage_at(data[:used], at)
            yield found
            at = found.end

    def _frame_at(self, data: bytes, at: int) -> _Found | None:
        if at + _FRAME.size > len(data):
            return None
        magic, body_size, signature_size = _FRAME.unpack_from(data, at)
        middle = at + _FRAME.size + body_size
        end = middle + signature_size
        if magic == _MERGED:
            return _Found(at, min(end, len(data)), None)
        body, signature = data[at + _FRAME.size : middle], data[middle:end].decode("ascii", "replace")
        if magic != _WAITING or end > len(data) or not self._check(sha256(body).digest(), signature):
            return None
        return _Found(at, end, canon.loads(body))

    @staticmethod
    def _damage_at(data: bytes, at: int) -> _Found:
        """Everything up to what may be the next frame."""
        starts = [place for place in (data.find(magic, at + 1) for magic in (_WAITING, _MERGED)) if place > 0]
        end = min(starts, default=len(data))
        entry = {
            "spill_id": sha256(data[at:end]).hexdigest()[:32],
            "event_type": "INTEGRITY_FAILURE",
            "verb": "spill",
            "reason": f"{end - at} bytes of the spill file are torn or were changed",
        }
        return _Found(at, end, entry)

    def clear(self, merged: list[dict[str, Any]]) -> None:
        """Empty the places of these entries; all others stay. The space stays taken."""
        ids = {entry["spill_id"] for entry in merged}
        with self._locked() as descriptor:
            found = list(self._read(descriptor))
            done = [item for item in found if item.entry is None or item.entry["spill_id"] in ids]
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


def _content(descriptor: int) -> bytes:
    return os.pread(descriptor, os.fstat(descriptor).st_size, 0)


def _used(data: bytes) -> int:
    return len(data.rstrip(b"\0"))
