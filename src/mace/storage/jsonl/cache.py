"""Where indexes are kept between processes: one folder per store path, a manifest, and the files it names.

Never beside the stores. The manifest is replaced in one step and carries its own checksum; files are written under a
new name, and only then named by it. A builder holds a lock file; whoever waited looks again before building, and who
waited as long as building takes builds an index in memory. Nothing here is needed for a right answer: whatever is
missing, damaged, locked or cannot be written is done without.

What is written is sealed under a key of the node: an index holds the words of its store. Folders whose store is gone
are removed when the cache is first used, and so are indexes of versions that did not seal them.
"""

import fcntl
import hashlib
import os
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any, Final

import orjson
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from mace.storage.jsonl.container import Damaged, Sections, Signature, open_sections, signature_of
from mace.storage.jsonl.mac import new_key

# What an index holds depends on how lines are read and words are cut: whoever changes either raises this number, and
# indexes of before are not used. `tests/unit/storage/jsonl/test_format.py` notices.
FORMAT: Final = 3
TALK_FORMAT: Final = 1  # the same for indexes of talks, and the rule for turns
_OTHERS_KEPT_NS: Final = 90 * 86_400 * 1_000_000_000  # what another node's key sealed and nobody has used since
_NONCE: Final = 12
_IS_OURS: Final = re.compile(r"(?:[0-9a-f]{16}-)?[0-9a-f]{40}")
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
    talk: dict[str, Any] | None = None  # the file of its talk's index: format, name and checksum
    held_talk: Sections | None = None  # that index, just made, until somebody takes it


@dataclass(slots=True)
class Kept:
    """What is known of a store: the file it was, and its parts."""

    key: bytes  # of all checksums
    signature: Signature
    settled: bool  # the file was old enough when it was hashed: an equal signature then means equal bytes
    parts: list[PartFile]


class Folder:
    """The folder of one store path in the cache."""

    def __init__(self, cache_dir: str, store_path: str, seal: bytes) -> None:
        # The path as it is spelled stands in the entries; where it leads may differ with the working directory.
        self._store = str(Path(store_path).absolute())
        name = hashlib.sha256(orjson.dumps([FORMAT, store_path, self._store])).hexdigest()
        self.path = Path(cache_dir) / f"{_owner(seal)}-{name[:40]}"
        self.seal = seal

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

    def new_name(self, *others: str | None) -> str:
        """A file name nobody uses: builders hold the lock, and names of other processes differ by their id."""
        taken = {item.name for item in self.path.iterdir()} | set(others)
        number = 0
        while (name := f"{os.getpid()}-{number}.index") in taken:
            number += 1
        return name

    def load(self, held: Sequence[PartFile]) -> Kept | None:
        """What the manifest says, if all of it is there and whole; parts already held are not opened again."""
        try:
            manifest = _unsealed(self.path, self.seal)
            key = bytes.fromhex(manifest["key"])
            known = {part.mac: part for part in held if part.name is not None}
            parts = [self._load_part(part, key, known.get(part["mac"])) for part in manifest["parts"]]
            return Kept(key, tuple(manifest["signature"]), manifest["settled"], parts)
        except (OSError, Damaged, ValueError, KeyError, TypeError, InvalidTag):
            return None

    def _load_part(self, part: dict[str, Any], key: bytes, held: PartFile | None) -> PartFile:
        path = self.path / part["name"]
        if held is not None and held.name == part["name"] and held.signature == signature_of(path.stat()):
            held.talk = part.get("talk") or held.talk
            return held
        sections, mac, signature = open_sections(path, key, self.seal)
        if mac != part["mac"]:
            raise Damaged(part["name"])
        talk = part.get("talk")
        return PartFile(part["name"], part["start"], part["end"], mac, part["checksums"], sections, signature, talk)

    def names_parts(self, parts: Sequence[PartFile]) -> bool:
        """Whether the manifest names just these parts."""
        try:
            named = [(part["name"], part["mac"]) for part in _unsealed(self.path, self.seal)["parts"]]
        except (OSError, ValueError, KeyError, TypeError, InvalidTag):
            return False
        return named == [(part.name, part.mac) for part in parts]

    def load_talk(self, part: PartFile, key: bytes) -> Sections | None:
        """The index of a part's talk, if it is there, whole, and of this version."""
        try:
            if part.talk is None or part.talk["format"] != TALK_FORMAT:
                return None
            sections, mac, _ = open_sections(self.path / part.talk["name"], key, self.seal)
            return sections if mac == part.talk["mac"] else None
        except (OSError, Damaged, ValueError, KeyError, TypeError):
            return None

    def save(self, kept: Kept) -> None:
        """Replace the manifest, and remove files it no longer names. Called under the lock."""
        if any(part.name is None for part in kept.parts):
            return
        body = orjson.dumps(
            {
                "store": self._store,
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
                        "talk": part.talk,
                    }
                    for part in kept.parts
                ],
            }
        )
        temporary = self.path / f"manifest.{os.getpid()}"
        try:
            handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
            with os.fdopen(handle, "wb") as file:
                nonce = new_key()[:_NONCE]
                file.write(nonce + AESGCM(self.seal).encrypt(nonce, body, self.path.name.encode()))
            temporary.replace(self.path / "manifest")
        except OSError:
            with suppress(OSError):
                temporary.unlink()
            return
        named = {part.name for part in kept.parts} | {"manifest", "lock"}
        named |= {part.talk["name"] for part in kept.parts if part.talk is not None}
        with suppress(OSError):
            for item in list(self.path.iterdir()):
                if item.name not in named:
                    item.unlink()


def _owner(seal: bytes) -> str:
    """How the folders of one key begin."""
    return hashlib.sha256(b"mace-context-cache\0" + seal).hexdigest()[:16]


def _unsealed(folder: Path, seal: bytes) -> dict[str, Any]:
    held = (folder / "manifest").read_bytes()
    manifest: dict[str, Any] = orjson.loads(AESGCM(seal).decrypt(held[:_NONCE], held[_NONCE:], folder.name.encode()))
    return manifest


def evict(cache_dir: str, seal: bytes, now_ns: int) -> int:
    """Remove the folders that are of no use: of stores that are gone, of older formats, of nodes that are gone."""
    own = f"{_owner(seal)}-"
    return _remove(cache_dir, lambda folder: _is_useless(folder, own, seal, now_ns))


def drop_all(cache_dir: str, seal: bytes) -> int:
    """Remove every index that was sealed under this key; return how many. They are made again when they are needed."""
    own = f"{_owner(seal)}-"
    return _remove(cache_dir, lambda folder: folder.name.startswith(own))


def _is_useless(folder: Path, own: str, seal: bytes, now_ns: int) -> bool:
    if "-" not in folder.name:  # from before indexes were sealed
        return True
    if not folder.name.startswith(own):
        return now_ns - folder.stat().st_mtime_ns > _OTHERS_KEPT_NS
    try:
        return not Path(_unsealed(folder, seal)["store"]).exists()
    except (OSError, ValueError, KeyError, TypeError, InvalidTag):
        return False  # somebody may be building it, and what is damaged is built anew


def _remove(cache_dir: str, wanted: Callable[[Path], bool]) -> int:
    removed = 0
    with suppress(OSError):
        for folder in list(Path(cache_dir).iterdir()):
            with suppress(OSError):
                if _IS_OURS.fullmatch(folder.name) and folder.is_dir() and not folder.is_symlink() and wanted(folder):
                    shutil.rmtree(folder)
                    removed += 1
    return removed
