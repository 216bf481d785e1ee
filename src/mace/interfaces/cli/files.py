"""Files that a person names on the command line: read whole, written whole, never overwritten by accident."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

from mace.core import canon
from mace.core.errors import Conflict, InvalidInput, NotFound, ServiceUnavailable, StorageFull

_MAX_BYTES = 64 << 20


def read_bytes(name: str) -> bytes:
    """Read a file, or standard input for `-`."""
    if name == "-":
        data = sys.stdin.buffer.read(_MAX_BYTES + 1)
        if len(data) > _MAX_BYTES:
            raise InvalidInput(f"standard input is larger than {_MAX_BYTES} bytes; give a file instead")
        return data
    try:
        return Path(name).read_bytes()
    except FileNotFoundError:
        raise NotFound(what=f"the file {name}") from None
    except OSError as error:
        raise ServiceUnavailable(f"cannot read {name}: {error.strerror}") from None


class Lines:
    """Lines that are read when they are first looked at: nobody fills standard input only to be refused."""

    def __init__(self, read: Callable[[], list[bytes]]) -> None:
        self._read = read

    @cached_property
    def _held(self) -> list[bytes]:
        return self._read()

    def __len__(self) -> int:
        return len(self._held)

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._held)


def read_text(name: str) -> str:
    try:
        return read_bytes(name).decode()
    except UnicodeDecodeError:
        raise InvalidInput(f"{name} is not valid UTF-8") from None


def read_json(name: str) -> Any:
    return _parsed(read_bytes(name), name)


def json_argument(text: str, what: str) -> Any:
    """A JSON value given as text, or as `@file`."""
    return read_json(text[1:]) if text.startswith("@") else _parsed(text.encode(), what)


def json_value(text: str, what: str) -> Any:
    """A JSON value given as text."""
    return _parsed(text.encode(), what)


def _parsed(data: bytes, what: str) -> Any:
    try:
        return canon.loads_once(data)
    except canon.TooDeep as error:
        raise InvalidInput(f"{what} is {error}") from None
    except ValueError:
        raise InvalidInput(f"{what} is not JSON") from None


def must_be_free(names: Iterable[str], force: bool) -> None:
    for name in names:
        if not force and name != "-" and Path(name).exists():
            raise Conflict(f"{name} already exists; choose another name or add --force")


def write_chunks(name: str, chunks: Iterator[bytes], *, private: bool = False) -> int:
    """Write a file through a partial one beside it, or to standard output for `-`; return the number of bytes.

    It is for its owner alone from its first byte. What is not a regular file (a device, a pipe, a link) is written to
    as it is, and never replaced; a private one must be a regular file.
    """
    if name == "-":
        return _drain(sys.stdout.buffer, chunks)
    target = Path(name)
    partial = Path(f"{name}.part-{os.getpid()}")
    try:
        if target.is_symlink() or (target.exists() and not target.is_file()):
            if private:
                raise InvalidInput(f"{name} is not a regular file; choose another name")
            with target.open("wb") as file:
                return _drain(file, chunks)
        partial.unlink(missing_ok=True)
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL  # fails on a link that somebody put there meanwhile
            with os.fdopen(os.open(partial, flags, 0o600), "wb") as file:
                written = _drain(file, chunks)
                os.fsync(file.fileno())
            partial.replace(target)
        except BaseException:
            partial.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise _told(name, error) from None
    return written


def _drain(file: Any, chunks: Iterator[bytes]) -> int:
    written = 0
    for chunk in chunks:
        written += file.write(chunk)
    file.flush()
    return written


def _told(name: str, error: OSError) -> Exception:
    import errno

    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return StorageFull(f"no space left for {name}")
    return ServiceUnavailable(f"cannot write {name}: {error.strerror}")
