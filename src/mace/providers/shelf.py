"""Checkpoints kept outside the database: one file that only grows, and the newest note by itself for people.

This is what shows a cut tail, a roll-back or a re-signed log; it protects back to its newest note, so it should lie
where whoever can change the database cannot change it. A half-written last note (power cut) was never kept: it is
passed over, and taken away before the next one is written. Nothing read here is trusted before its signature was
checked; `keep` is told how.

A shelf is told where the last one was (`Memory`), so that an empty one in another place is not taken for it.
"""

import fcntl
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from mace.core.errors import ServiceUnavailable
from mace.providers.files import make_private_folder, write_whole

_END = b"\x1e"  # record separator: cannot occur in a note
_CHUNK = 1 << 16


@dataclass(frozen=True, slots=True)
class Memory:
    """Where the notes of a log were kept last, written down elsewhere (in the key file)."""

    read: Callable[[], str | None]
    write: Callable[[str], None]


_NO_MEMORY = Memory(read=lambda: None, write=lambda _place: None)


class FileShelf:
    def __init__(self, folder: Path, memory: Memory = _NO_MEMORY, *, make: bool = True) -> None:
        self._folder = folder.absolute()  # what is remembered means the same wherever the next process is started
        self._memory = memory
        self._history = self._folder / "history.notes"
        self._latest = self._folder / "latest.note"
        if make:
            self._make(self._folder)

    @staticmethod
    def _make(folder: Path) -> None:
        try:
            make_private_folder(folder)
        except OSError as error:
            raise ServiceUnavailable(
                f"cannot keep checkpoints in {folder}: {error.strerror}; set checkpoint_dir to a writable folder"
            ) from None
        if not os.access(folder, os.W_OK):
            raise ServiceUnavailable(
                f"cannot keep checkpoints in {folder}: not writable; set checkpoint_dir to a writable folder"
            )

    def keep(self, note: str, is_good: Callable[[str], bool]) -> None:
        """Keep a note, unless a good one of the same origin with as many events is kept already."""
        try:
            descriptor = os.open(self._history, os.O_RDWR | os.O_CREAT, 0o600)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX)
                newest = next((held for held in self.newest_first() if is_good(held)), None)
                if newest is not None and _not_beyond(note, newest):
                    return  # another process was ahead of us
                end = _end_of_whole_notes(descriptor)
                os.ftruncate(descriptor, end)
                data = note.encode() + _END
                if os.pwrite(descriptor, data, end) != len(data):
                    raise ServiceUnavailable(f"cannot keep a checkpoint in {self._folder}: no space")
                os.fsync(descriptor)
                write_whole(self._latest, note.encode())
            finally:
                os.close(descriptor)
        except OSError as error:
            raise ServiceUnavailable(f"cannot keep a checkpoint in {self._folder}: {error.strerror}") from None

    def latest(self) -> str | None:
        return next(self.newest_first(), None)

    def newest_first(self) -> Iterator[str]:
        """The notes of the history from its end, read in pieces."""
        try:
            with self._history.open("rb") as file:
                at = file.seek(0, os.SEEK_END)
                rest, is_whole = b"", False  # what stands behind the last separator is no whole note
                while at:
                    step = min(_CHUNK, at)
                    at -= step
                    file.seek(at)
                    rest, *parts = (file.read(step) + rest).split(_END)
                    for part in reversed(parts):
                        if is_whole:
                            yield _text(part)
                        is_whole = True
                if is_whole:
                    yield _text(rest)
        except FileNotFoundError:
            return
        except OSError as error:
            raise ServiceUnavailable(f"cannot read checkpoints in {self._folder}: {error.strerror}") from None

    def notes(self) -> Iterator[str]:
        """Every note, oldest first; then the note that lies by itself, if it is another one."""
        last: str | None = None
        try:
            if self._history.exists():
                with self._history.open("rb") as file:
                    held = b""
                    while chunk := file.read(_CHUNK):
                        *whole, held = (held + chunk).split(_END)
                        for part in whole:
                            last = _text(part)
                            yield last
            if self._latest.exists():
                alone = _text(self._latest.read_bytes())
                if alone != last:
                    yield alone
        except OSError as error:
            raise ServiceUnavailable(f"cannot read checkpoints in {self._folder}: {error.strerror}") from None

    def place(self) -> str:
        return str(self._folder)

    def was_in(self) -> str | None:
        """Where notes of this log were kept last; None before the first one was."""
        return self._memory.read()

    def former(self) -> "FileShelf | None":
        """The shelf that was used before this one, if it is another one and there."""
        before = self.was_in()
        if before is None or before == self.place() or not Path(before).is_dir():
            return None
        return FileShelf(Path(before), make=False)

    def settle(self) -> None:
        """From now on this is the place where notes are kept."""
        if self.was_in() != self.place():
            self._memory.write(self.place())


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _not_beyond(note: str, newest: str) -> bool:
    """Same origin (first line) and not more events (second line) than the newest good one."""
    origin, size, *_ = note.split("\n")
    held_origin, held_size, *_ = newest.split("\n")
    return origin == held_origin and int(size) <= int(held_size)


def _end_of_whole_notes(descriptor: int) -> int:
    """Where the next note goes: behind the last separator."""
    at = os.fstat(descriptor).st_size
    while at:
        step = min(_CHUNK, at)
        at -= step
        found = os.pread(descriptor, step, at).rfind(_END)
        if found >= 0:
            return at + found + 1
    return 0
