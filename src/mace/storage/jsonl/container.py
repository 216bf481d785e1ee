"""A part's arrays in one file: named sections behind each other, a table of contents at the end.

Written once from front to back, under a temporary name, and never changed; readers map it, so several processes share
its pages. When the disk is full, what was written moves to memory and the writer goes on there. The table of contents
carries its own checksum, the caller keeps one of the whole file: a file that is not what was written is not used.
"""

import hashlib
import mmap
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import numpy as np
import orjson
from numpy.typing import NDArray

from mace.storage.jsonl.mac import Mac

MAGIC: Final = b"MACE-JSONL-INDEX-1\n"
_ALIGN: Final = 64
_READ: Final = 1 << 22
_FOOTER: Final = 8 + 32  # length and SHA-256 of the table of contents


class Damaged(Exception):
    """The file is not the one that was written."""


class Handle:
    """An open file, closed when nobody holds it any more."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __del__(self, close: Callable[[int], None] = os.close) -> None:  # bound early: may run at the very end
        close(self.number)


class Writer:
    """Collects sections, in a file while that works, else in memory."""

    def __init__(self, path: Path | None, key: bytes) -> None:
        self._file = _create(path)
        self._memory = bytearray()
        self._path = path
        self._mac = Mac(key)
        self._sections: dict[str, list[Any]] = {}
        self.size = 0
        self._write(MAGIC)

    @property
    def in_memory(self) -> bool:
        return self._file is None

    def add(self, name: str, values: NDArray[np.generic]) -> None:
        self.begin(name, values.dtype.str)
        self.extend(np.ascontiguousarray(values).view(np.uint8).data if values.size else b"")

    def begin(self, name: str, dtype: str) -> None:
        self._write(bytes(-self.size % _ALIGN))
        self._sections[name] = [dtype, self.size, 0]
        self._open = name

    def extend(self, data: bytes | memoryview) -> None:
        self._write(data)
        self._sections[self._open][2] += len(data)

    def finish(self) -> str:
        """Write the table of contents; return the checksum of the whole."""
        table = orjson.dumps(self._sections)
        self._write(table)
        self._write(len(table).to_bytes(8, "little") + hashlib.sha256(table).digest())
        return self._mac.hex()  # no fsync: a file that did not reach the disk whole fails its checksum later

    def take(self) -> "Sections":
        """The finished sections for reading."""
        if self._file is None:
            return Sections(memoryview(self._memory))
        handle, self._file = Handle(self._file), None
        return _map(handle)

    def discard(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None
            _remove(self._path)

    def _write(self, data: bytes | memoryview) -> None:
        if self._file is not None:
            try:
                rest = memoryview(data)
                while len(rest):
                    rest = rest[os.write(self._file, rest) :]
            except OSError:
                self._to_memory()
                self._memory += data
        else:
            self._memory += data
        self._mac.update(data)
        self.size += len(data)

    def _to_memory(self) -> None:
        assert self._file is not None
        kept = bytearray()
        while len(kept) < self.size:
            piece = os.pread(self._file, min(1 << 24, self.size - len(kept)), len(kept))
            if not piece:
                raise Damaged("the index shrank while it was written")
            kept += piece
        os.close(self._file)
        self._file = None
        self._memory = kept
        _remove(self._path)


class Sections(Mapping[str, NDArray[np.generic]]):
    """The arrays of a finished file, read in place."""

    def __init__(self, data: memoryview, handle: Handle | None = None) -> None:
        self._data = data
        self._handle = handle
        self.size = len(data)
        footer = bytes(data[-_FOOTER:])
        length = int.from_bytes(footer[:8], "little")
        table = bytes(data[-_FOOTER - length : -_FOOTER]) if 0 < length <= self.size - _FOOTER else b""
        if bytes(data[: len(MAGIC)]) != MAGIC or hashlib.sha256(table).digest() != footer[8:]:
            raise Damaged("no index of this version")
        self._table: dict[str, list[Any]] = orjson.loads(table)
        self._arrays: dict[str, NDArray[np.generic]] = {}

    def __getitem__(self, name: str) -> NDArray[np.generic]:
        array = self._arrays.get(name)
        if array is None:
            dtype, start, length = self._table[name]
            array = self._arrays[name] = np.frombuffer(self._data[start : start + length], dtype)
        return array

    def __iter__(self) -> Any:
        return iter(self._table)

    def __len__(self) -> int:
        return len(self._table)

    def __contains__(self, name: object) -> bool:
        return name in self._table

    def raw(self, name: str) -> memoryview:
        _, start, length = self._table[name]
        return self._data[start : start + length]

    def status(self) -> os.stat_result | None:
        """Of the very file that is mapped, also when it has lost its name; None for memory."""
        return None if self._handle is None else os.fstat(self._handle.number)

    def mac(self, key: bytes) -> str:
        """The checksum of all bytes; a file is read, not mapped, so that its pages do not all count as memory."""
        mac = Mac(key)
        if self._handle is None:
            mac.update(self._data)
        else:
            for at in range(0, self.size, _READ):
                mac.update(os.pread(self._handle.number, min(_READ, self.size - at), at))
        return mac.hex()

    def block(self, number: int) -> dict[str, NDArray[np.generic]]:
        prefix = f"{number}/"
        return {name[len(prefix) :]: self[name] for name in self._table if name.startswith(prefix)}


def open_sections(path: Path) -> Sections:
    """Map a finished file; raise OSError or Damaged."""
    return _map(Handle(os.open(path, os.O_RDONLY | os.O_CLOEXEC)))


def _map(handle: Handle) -> Sections:
    size = os.fstat(handle.number).st_size
    if size < _FOOTER:
        raise Damaged("too short")
    return Sections(memoryview(mmap.mmap(handle.number, size, access=mmap.ACCESS_READ)), handle)


def _create(path: Path | None) -> int | None:
    if path is None:
        return None
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except OSError:
        return None


def _remove(path: Path | None) -> None:
    if path is not None:
        with suppress(OSError):
            path.unlink()
