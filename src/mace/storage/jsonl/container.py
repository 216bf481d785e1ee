"""A part's arrays in one file: named sections behind each other, a table of contents at the end.

Written once from front to back and never changed. The file in the cache is for the next process: whoever writes or
opens one uses a copy without a name (`private`), so that nothing that happens to the cache reaches an index in use.
When the disk is full, what was written moves to memory and the writer goes on there. The table of contents carries its
own checksum, the caller keeps one of the whole file: a file that is not what was written is not used.
The file in the cache is encrypted: the words of a store are on the disk only where the store itself is.
"""

import hashlib
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import numpy as np
import orjson
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from numpy.typing import NDArray

from mace.storage.jsonl import private
from mace.storage.jsonl.mac import Mac, new_key

Signature = tuple[int, int, int, int, int]  # device, inode, size, mtime and ctime in nanoseconds
MAGIC: Final = b"MACE-JSONL-INDEX-1\n"
_ALIGN: Final = 64
_READ: Final = 1 << 22
_COPIED: Final = 1 << 18  # stays in the processor's cache
NONCE: Final = 16  # bytes before the encrypted ones
_BLOCK: Final = 16
_FOOTER: Final = 8 + 32  # length and SHA-256 of the table of contents


def signature_of(status: os.stat_result) -> Signature:
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


class Damaged(Exception):
    """The file is not the one that was written."""


class Handle:
    """An open file, closed when nobody holds it any more."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __del__(self, close: Callable[[int], None] = os.close) -> None:  # bound early: may run at the very end
        close(self.number)


class Writer:
    """Collects sections, in memory while they are small, then in a file without a name while that works."""

    def __init__(self, path: Path | None, key: bytes, seal: bytes = b"") -> None:
        self._file: int | None = None
        self._seal = seal  # the key that the file in the cache is encrypted with
        self._memory = bytearray()
        self._path = path
        self._tried = path is None  # to leave memory
        self._mac = Mac(key)
        self._sections: dict[str, list[Any]] = {}
        self.size = 0
        self.signature: Signature | None = None  # of the file in the cache, once it is there
        self._write(MAGIC)

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
        """Write the table of contents and the file of the cache; return the checksum of the whole."""
        table = orjson.dumps(self._sections)
        self._write(table)
        self._write(len(table).to_bytes(8, "little") + hashlib.sha256(table).digest())
        if self._path is not None:
            self.signature = self._publish(self._path)
        return self._mac.hex()  # no fsync: a file that did not reach the disk whole fails its checksum later

    def _publish(self, path: Path) -> Signature | None:
        try:
            target = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        except OSError:
            return None
        try:
            nonce = new_key()
            stream = _stream(self._seal, nonce).encryptor()
            _write_all(target, nonce)
            for at in range(0, self.size, _READ):
                _write_all(target, stream.update(self._piece(at)))
            return signature_of(os.fstat(target))
        except OSError:
            _remove(path)
            return None
        finally:
            os.close(target)

    def _piece(self, at: int) -> bytes | memoryview:
        size = min(_READ, self.size - at)
        return memoryview(self._memory)[at : at + size] if self._file is None else os.pread(self._file, size, at)

    def take(self) -> "Sections":
        """The finished sections for reading."""
        if self._file is None:
            return Sections(memoryview(self._memory))
        descriptor, self._file = self._file, None
        return _taken(descriptor, self.size)

    def discard(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _write(self, data: bytes | memoryview) -> None:
        self._mac.update(data)
        self.size += len(data)
        if self._file is not None:
            try:
                _write_all(self._file, data)
            except OSError:
                self._to_memory(self.size - len(data))
                self._memory += data
            return
        self._memory += data
        if not self._tried and self.size > private.SMALL:
            self._to_file()

    def _to_file(self) -> None:
        self._tried = True
        assert self._path is not None
        descriptor = private.nameless(self._path.parent)
        if descriptor is None:
            return
        try:
            _write_all(descriptor, self._memory)
        except OSError:
            os.close(descriptor)
            return
        self._file, self._memory = descriptor, bytearray()

    def _to_memory(self, size: int) -> None:
        assert self._file is not None
        kept = bytearray()
        while len(kept) < size:
            kept += os.pread(self._file, min(1 << 24, size - len(kept)), len(kept))
        os.close(self._file)
        self._file, self._memory = None, kept


class Sections(Mapping[str, NDArray[np.generic]]):
    """The arrays of a finished file, read in place."""

    def __init__(self, data: memoryview) -> None:
        self._data = data
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

    def block(self, number: int) -> dict[str, NDArray[np.generic]]:
        prefix = f"{number}/"
        return {name[len(prefix) :]: self[name] for name in self._table if name.startswith(prefix)}


def open_sections(path: Path, key: bytes, seal: bytes) -> tuple[Sections, str, Signature]:
    """A decrypted copy of a finished file, its checksum and what the file looked like; raise OSError or Damaged."""
    handle = Handle(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC))
    status = os.fstat(handle.number)
    size = status.st_size - NONCE
    if size < _FOOTER:
        raise Damaged("too short")
    mac = Mac(key)
    stream = _stream(seal, os.pread(handle.number, NONCE, 0)).decryptor()
    copy = private.nameless(path.parent) if size > private.SMALL else None
    held = bytearray()
    buffer = memoryview(bytearray(min(_COPIED, size)))  # two for all pieces: new memory would count, too
    opened = memoryview(bytearray(len(buffer) + _BLOCK))
    try:
        for at in range(0, size, _COPIED):
            read = os.preadv(handle.number, [buffer[: size - at]], NONCE + at)
            piece = opened[: stream.update_into(buffer[:read], opened)]
            mac.update(piece)
            if copy is not None:
                try:
                    _write_all(copy, piece)
                    continue
                except OSError:  # no space: go on in memory
                    held += os.pread(copy, at, 0)
                    os.close(copy)
                    copy = None
            held += piece
    except BaseException:
        if copy is not None:
            os.close(copy)
        raise
    sections = Sections(memoryview(held)) if copy is None else _taken(copy, size)
    return sections, mac.hex(), signature_of(status)


def _stream(seal: bytes, nonce: bytes) -> Cipher[modes.CTR]:
    """The cipher of one file; what is changed is found by the checksum, which is over the plain bytes."""
    if len(nonce) != NONCE:
        raise Damaged("too short")
    return Cipher(algorithms.AES(seal), modes.CTR(nonce))


def _taken(descriptor: int, size: int) -> Sections:
    """The sections of a file without a name; its descriptor is closed."""
    try:
        data = private.content(descriptor, size)
    finally:
        os.close(descriptor)
    if data is None:
        raise Damaged("too short")
    return Sections(data)


def _write_all(descriptor: int, data: bytes | bytearray | memoryview) -> None:
    rest = memoryview(data)
    while len(rest):
        rest = rest[os.write(descriptor, rest) :]


def _remove(path: Path) -> None:
    with suppress(OSError):
        path.unlink()
