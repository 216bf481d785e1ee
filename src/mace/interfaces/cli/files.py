"""Files that a person names on the command line: read whole, written whole, never overwritten by accident."""

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from mace.core import canon
from mace.core.errors import Conflict, InvalidInput, NotFound, ServiceUnavailable, StorageFull

_MOST_BYTES = 64 << 20


def read_bytes(name: str) -> bytes:
    """Read a file, or standard input for `-`."""
    if name == "-":
        return sys.stdin.buffer.read(_MOST_BYTES)
    try:
        return Path(name).read_bytes()
    except FileNotFoundError:
        raise NotFound(what=f"the file {name}") from None
    except OSError as error:
        raise ServiceUnavailable(f"cannot read {name}: {error.strerror}") from None


def read_text(name: str) -> str:
    try:
        return read_bytes(name).decode()
    except UnicodeDecodeError:
        raise InvalidInput(f"{name} is not a text in UTF-8") from None


def read_json(name: str) -> Any:
    return _parsed(read_bytes(name), name)


def json_argument(text: str, what: str) -> Any:
    """A JSON value given as text, or as `@file`."""
    return read_json(text[1:]) if text.startswith("@") else _parsed(text.encode(), what)


def _parsed(data: bytes, what: str) -> Any:
    try:
        return canon.loads(data)
    except ValueError:
        raise InvalidInput(f"{what} is not JSON") from None


def must_be_free(names: Iterable[str], force: bool) -> None:
    for name in names:
        if not force and name != "-" and Path(name).exists():
            raise Conflict(f"{name} exists; choose another name or add --force")


def write_chunks(name: str, chunks: Iterator[bytes]) -> int:
    """Write a file through a partial one beside it, or to standard output for `-`; return the number of bytes."""
    if name == "-":
        return _drain(sys.stdout.buffer, chunks)
    partial = Path(f"{name}.part-{os.getpid()}")
    try:
        with partial.open("wb") as file:
            written = _drain(file, chunks)
            os.fsync(file.fileno())
        partial.replace(name)
    except OSError as error:
        with suppress(OSError):
            partial.unlink(missing_ok=True)
        raise _told(name, error) from None
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
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
