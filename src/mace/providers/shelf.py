"""Checkpoints kept outside the database: one file that only grows, and the newest note by itself.

This is what shows a cut tail, a roll-back or a re-signed log; it protects back to its newest note, so it should lie
where whoever can change the database cannot change it. A half-written last note (power cut) is passed over.
"""

import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from mace.core.errors import ServiceUnavailable
from mace.providers.files import write_whole

_END = "\x1e"  # record separator: cannot occur in a note


class FileShelf:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise ServiceUnavailable(
                f"cannot keep checkpoints in {folder}: {error.strerror}; set checkpoint_dir to a writable folder"
            ) from None
        if not os.access(folder, os.W_OK):
            raise ServiceUnavailable(
                f"cannot keep checkpoints in {folder}: not writable; set checkpoint_dir to a writable folder"
            )

    def keep(self, note: str) -> None:
        try:
            descriptor = os.open(self._folder / "history.notes", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX)
                if self._older(note, self.latest()):
                    return  # another process was ahead of us
                os.write(descriptor, (note + _END).encode())
                os.fsync(descriptor)
                write_whole(self._folder / "latest.note", note.encode())
            finally:
                os.close(descriptor)
        except OSError as error:
            raise ServiceUnavailable(f"cannot keep a checkpoint in {self._folder}: {error.strerror}") from None

    @staticmethod
    def _older(note: str, latest: str | None) -> bool:
        """Same origin (first line) and not more events (second line) than the newest kept one."""
        if latest is None:
            return False
        origin, size, *_ = note.split("\n")
        held_origin, held_size, *_ = latest.split("\n")
        return origin == held_origin and int(size) <= int(held_size)

    def latest(self) -> str | None:
        try:
            return (self._folder / "latest.note").read_text("utf-8")
        except FileNotFoundError:
            return None

    def notes(self) -> Iterator[str]:
        path = self._folder / "history.notes"
        if not path.exists():
            return
        with path.open(encoding="utf-8", errors="replace", newline="") as file:
            held = ""
            while chunk := file.read(1 << 16):
                *whole, held = (held + chunk).split(_END)
                yield from whole

    def place(self) -> str:
        return str(self._folder)
