"""Writing files so that a reader, a crash or a second writer never sees half of one, and nobody but the owner sees any.

Modes are set, not asked for: a umask can take bits from what `open` and `mkdir` are given, and a `umask 0` gives what
others make (SQLite) to everybody.
"""

import errno
import os
import stat
import tempfile
from pathlib import Path


def write_whole(path: Path, data: bytes, mode: int = 0o600, *, wipe: bool = False) -> None:
    """Replace a file in one step, durably; with `wipe` what lay there is overwritten, as far as the disk lets us."""
    before = os.open(path, os.O_RDWR | os.O_CLOEXEC) if wipe else None
    partial = _partial(path, data, mode)
    try:
        partial.replace(path)
        sync_folder(path.parent)
        if before is not None:
            _write_all(before, bytes(os.fstat(before).st_size))
            os.fsync(before)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
    finally:
        if before is not None:
            os.close(before)


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


def make_private_folder(folder: Path) -> None:
    """Make a folder and whatever is missing above it for the owner alone; one that exists stays as it is."""
    missing = [item for item in (folder, *folder.parents) if not item.exists()]
    for item in reversed(missing):
        try:
            item.mkdir(mode=0o700)
        except FileExistsError:
            continue  # another process was ahead of us
        item.chmod(0o700)
    if not folder.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder))


def make_private_file(path: Path) -> None:
    """Make sure that a file exists and is for its owner alone; of others' files the mode is theirs.

    It is never opened under its name: closing it would drop the locks that SQLite holds on it in this process.
    """
    if not path.exists():
        create_once(path, b"")
    keep_private(path)


def keep_private(path: Path) -> None:
    """Take a regular file from everybody but its owner, if it exists and we are the owner."""
    try:
        held = path.stat()
    except FileNotFoundError:
        return
    if stat.S_ISREG(held.st_mode) and stat.S_IMODE(held.st_mode) & 0o077 and held.st_uid == os.geteuid():
        path.chmod(0o600)


def sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
