"""Where indexes are kept between processes: one folder per store path, a manifest, and the files it names.

Never beside the stores. The manifest is replaced in one step and carries its own checksum; files are written under a
new name, and only then named by it. A builder holds a lock file; whoever waited looks again before building, and who
waited as long as building takes builds an index in memory. Nothing here is needed for a right answer: whatever is
missing, damaged, locked or cannot be written is done without.
"""

import fcntl
import hashlib
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any, Final

import orjson

from mace.storage.jsonl.container import Damaged, Sections, Signature, open_sections, signature_of

# What an index holds depends on how lines are read and words are cut: whoever changes either raises this number, and
# indexes of before are not used. `tests/unit/storage/jsonl/test_format.py` notices.
FORMAT: Final = 2
_LOCK_STEP_S: Final = 0.02


@dataclass(slots=True)
class PartFile:
    """A part as the manifest names it."""

    name: str | None  # None: in memory only
    start: int
    end: int
    mac: str  # of the part's own file
    checksums: list[str]  # of the store's bytes, block by block
    sections: Sections
    signature: Signature | None = None  # of the part's own file, when it was written or found whole


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
    def locked(self, wait_s: float) -> Iterator[bool]:
        """Hold the folder's lock; say whether it was had. Whoever holds it may never let go: nobody waits longer."""
        handle = None
        try:
            handle = self._lock(wait_s)
            yield handle is not None
        finally:
            if handle is not None:
                os.close(handle)

    def _lock(self, wait_s: float) -> int | None:
        try:
            handle = os.open(self.path / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError:
            return None
        pause = Event()
        for attempt in range(int(wait_s / _LOCK_STEP_S) + 1):
            if attempt:
                pause.wait(_LOCK_STEP_S)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return handle
            except BlockingIOError:
                continue
            except OSError:  # a file system without locks
                break
        os.close(handle)
        return None

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
        sections, mac, signature = open_sections(path, key)
        if mac != part["mac"]:
            raise Damaged(part["name"])
        return PartFile(part["name"], part["start"], part["end"], mac, part["checksums"], sections, signature)

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
