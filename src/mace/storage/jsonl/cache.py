"""Where indexes are kept between processes: one folder per store path, a manifest, and the files it names.

Never beside the stores. The manifest is replaced in one step and carries its own checksum; files are written under a
new name, and only then named by it. A builder holds a lock file; whoever waited looks again before building. Nothing
here is needed for a right answer: whatever is missing, damaged or cannot be written is done without.
"""

import fcntl
import hashlib
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import orjson

from mace.storage.jsonl.container import Damaged, Sections, open_sections

FORMAT: Final = 1
Signature = tuple[int, int, int, int, int]  # device, inode, size, mtime and ctime in nanoseconds


def signature_of(status: os.stat_result) -> Signature:
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


@dataclass(slots=True)
class PartFile:
    """A part as the manifest names it."""

    name: str | None  # None: in memory only
    start: int
    end: int
    mac: str  # of the part's own file
    checksums: list[str]  # of the store's bytes, block by block
    sections: Sections
    signature: Signature | None = None  # of the part's own file, when it was last found whole

    def __post_init__(self) -> None:
        self.signature = self._signature_now()

    def is_whole(self, key: bytes) -> bool:
        """Whether the part in use still is what was written, looking closely only when its file shows a change."""
        now = self._signature_now()
        if now == self.signature:
            return True
        if now is None or self.signature is None or now[2] != self.signature[2] or self.sections.mac(key) != self.mac:
            return False
        self.signature = now
        return True

    def _signature_now(self) -> Signature | None:
        status = self.sections.status()
        return None if status is None else signature_of(status)


@dataclass(slots=True)
class Kept:
    """What is known of a store: the file it was, and its parts."""

    key: bytes  # of all checksums
    signature: Signature
    settled: bool  # the file was old enough when it was hashed: an equal signature then means equal bytes
    parts: list[PartFile]


class Folder:
    """The folder of one store path in the cache."""

    def __init__(self, cache_dir: str, store_path: str) -> None:
        # The path as it is spelled stands in the entries; where it leads may differ with the working directory.
        name = hashlib.sha256(orjson.dumps([FORMAT, store_path, str(Path(store_path).absolute())])).hexdigest()
        self.path = Path(cache_dir) / name[:40]

    def prepare(self) -> bool:
        """Make the folder; say whether it can be written."""
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError:
            return False
        return os.access(self.path, os.W_OK)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the folder's lock, or go on without one where it cannot be had: answers do not depend on it."""
        handle = None
        with suppress(OSError):
            handle = os.open(self.path / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            fcntl.flock(handle, fcntl.LOCK_EX)
        try:
            yield
        finally:
            if handle is not None:
                os.close(handle)

    def new_name(self) -> str:
        """A file name nobody uses: builders hold the lock, and names of other processes differ by their id."""
        taken = {item.name for item in self.path.iterdir()}
        number = 0
        while (name := f"{os.getpid()}-{number}.index") in taken:
            number += 1
        return name

    def load(self, held: Sequence[PartFile]) -> Kept | None:
        """What the manifest says, if all of it is there and whole; parts already held are not opened again."""
        try:
            checksum, _, body = (self.path / "manifest").read_bytes().partition(b"\n")
            if hashlib.sha256(body).hexdigest().encode() != checksum:
                return None
            manifest = orjson.loads(body)
            key = bytes.fromhex(manifest["key"])
            known = {part.mac: part for part in held if part.name is not None}
            parts = [self._load_part(part, key, known.get(part["mac"])) for part in manifest["parts"]]
            return Kept(key, tuple(manifest["signature"]), manifest["settled"], parts)
        except (OSError, Damaged, ValueError, KeyError, TypeError):
            return None

    def _load_part(self, part: dict[str, Any], key: bytes, held: PartFile | None) -> PartFile:
        path = self.path / part["name"]
        if held is not None and held.name == part["name"] and held.signature == signature_of(path.stat()):
            return held
        sections = open_sections(path)
        found = PartFile(part["name"], part["start"], part["end"], part["mac"], part["checksums"], sections)
        if sections.mac(key) != found.mac:
            raise Damaged(part["name"])
        return found

    def save(self, kept: Kept) -> None:
        """Replace the manifest, and remove files it no longer names. Called under the lock."""
        if any(part.name is None for part in kept.parts):
            return
        body = orjson.dumps(
            {
                "key": kept.key.hex(),
                "signature": kept.signature,
                "settled": kept.settled,
                "parts": [
                    {
                        "name": part.name,
                        "start": part.start,
                        "end": part.end,
                        "mac": part.mac,
                        "checksums": part.checksums,
                    }
                    for part in kept.parts
                ],
            }
        )
        temporary = self.path / f"manifest.{os.getpid()}"
        try:
            handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
            with os.fdopen(handle, "wb") as file:
                file.write(hashlib.sha256(body).hexdigest().encode() + b"\n" + body)
            temporary.replace(self.path / "manifest")
        except OSError:
            with suppress(OSError):
                temporary.unlink()
            return
        named = {part.name for part in kept.parts} | {"manifest", "lock"}
        with suppress(OSError):
            for item in list(self.path.iterdir()):
                if item.name not in named:
                    item.unlink()
