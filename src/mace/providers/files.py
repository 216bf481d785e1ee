"""Writing files so that a reader, a crash or a second writer never sees half of one."""

import os
import tempfile
from pathlib import Path


def write_whole(path: Path, data: bytes, mode: int = 0o600) -> None:
    """Replace a file in one step, durably."""
    partial = _partial(path, data, mode)
    try:
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def create_once(path: Path, data: bytes, mode: int = 0o600) -> bool:
    """Create a file with this content unless it exists; say whether we did. Of several writers one wins."""
    partial = _partial(path, data, mode)
    try:
        path.hardlink_to(partial)
    except FileExistsError:
        return False
    finally:
        partial.unlink(missing_ok=True)
    sync_folder(path.parent)
    return True


def _partial(path: Path, data: bytes, mode: int) -> Path:
    """Write the content, durably, under a name that no other thread or process uses."""
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    try:
        os.fchmod(descriptor, mode)
        _write_all(descriptor, data)
        os.fsync(descriptor)
    except BaseException:
        os.close(descriptor)
        Path(name).unlink(missing_ok=True)
        raise
    os.close(descriptor)
    return Path(name)


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
