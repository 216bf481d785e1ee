"""The reader of JSONL stores: opens them, keeps their indexes fresh, and never writes to them.

A store is known by device, inode, size, mtime and ctime. Equal means unchanged, unless it was hashed within two
seconds of its ctime, when a further change could leave no trace: then it is hashed again. After a change the indexed
bytes are hashed again; if they are all still there, only the new tail is parsed, else everything.
The clock decides only whether to look again, never what is answered.
"""

import errno
import os
import stat
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import accumulate
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mace.storage.jsonl.build import READ_BYTES, LineRule, Shrunk, build_part, read_at
from mace.storage.jsonl.cache import TALK_FORMAT, Folder, Kept, PartFile, evict
from mace.storage.jsonl.container import Damaged, Handle, Signature, Writer, signature_of
from mace.storage.jsonl.mac import mac_of, new_key
from mace.storage.jsonl.merge import merged_order
from mace.storage.jsonl.part import Part
from mace.storage.jsonl.talk import Changed, build_talk, pieces_of
from mace.storage.jsonl.view import OpenStore, View

SETTLING_NS: Final = 2_000_000_000
JOINED_PARTS: Final = 8  # so many parts of about one size are parsed again as one
SEAL_BYTES: Final = 32
_TRIES: Final = 4
_HANDLES_HELD: Final = 16  # of one request; further stores are opened again when a line of theirs is read
_WAIT_S: Final = 1.0  # for somebody else's index, and as long as one of our own would take
_BUILT_BYTES_A_SECOND: Final = 4_000_000
_MAX_WAIT_S: Final = 60.0
_ORDERS_KEPT: Final = 8
_TALKS_KEPT: Final = 4
_INDEXES_KEPT: Final = 64  # each holds a few open files

_SHOWN_BYTES: Final = (4 << 20) + 2  # of one line: more than a record may have, and its line end
_WORTH_TELLING: Final = 1 << 18  # bytes; what takes a moment is not reported

Progress = Callable[[int, int], None]  # bytes done, bytes in all


class JsonlStores:
    """See `StoreReader` of the context room. Safe to use from several threads and processes."""

    def __init__(
        self,
        rule: LineRule,
        cache_dir: str | None,
        now_ns: Callable[[], int],
        seal: bytes = b"",
    ) -> None:
        """Indexes in `cache_dir` are sealed under the key `seal`, of 32 bytes; without a cache there is none."""
        if cache_dir is not None and len(seal) != SEAL_BYTES:
            raise ValueError(f"seal must be a key of {SEAL_BYTES} bytes")
        self._rule = rule
        self._cache_dir = cache_dir
        self._seal = seal
        self._is_evicted = cache_dir is None
        self._now_ns = now_ns
        self._lock = threading.Lock()
        self._indexes: dict[tuple[str, str], _Index] = {}
        self._talks: dict[tuple[int, ...], tuple[list[Part], Any]] = {}
        self._orders: dict[tuple[int, ...], tuple[list[Part], NDArray[np.uint32] | None]] = {}

    def normalised(self, path: str) -> str:
        return os.path.normpath(path)

    def real(self, path: str) -> str:
        try:
            return os.path.realpath(path)
        except ValueError:  # a NUL in the path
            return path

    def open(self, store_paths: Sequence[str], progress: Progress | None = None, *, with_talk: bool = False) -> View:
        """Open normalised, distinct, sorted paths as one set of candidates; `progress` is told of long indexing.

        `with_talk` says that the talk will be asked for: what is indexed now gets both indexes in one go.
        """
        held: list[Handle | None] = []
        sizes = []
        for path in store_paths:  # a missing one fails before any work
            handle = open_store(path)
            sizes.append(os.fstat(handle.number).st_size)
            held.append(handle if len(held) < _HANDLES_HELD else None)
        ends = list(accumulate(sizes))
        stores = []
        for path, first, end in zip(store_paths, held, ends, strict=True):
            handle = first or open_store(path)
            index = self._index(path)
            with index.lock:
                parts = index.parts_for(handle, _reporting(progress, end, ends[-1]), with_talk=with_talk)
            stores.append(OpenStore(path, handle, parts, index, is_held=first is not None))
        reports = [_reporting(progress, end, ends[-1]) for end in ends]
        return View(stores, self._rule, self._order(stores), lambda view: self._talk(view, stores, reports))

    def _talk(self, view: View, stores: Sequence[OpenStore], reports: Sequence[Progress | None]) -> Any:
        """The talk of stores that are open; kept as long as their parts are."""
        parts = [part for store in stores for part in store.parts]
        key = tuple(map(id, parts))
        with self._lock:
            known = self._talks.get(key)
        if known is None:
            pieces = []
            for store, report in zip(stores, reports, strict=True):
                pieces += store.index.talk_of(store, report)
            order = view.read_order()
            known = (parts, self._rule.Talk(pieces, view.stores(), view.instants()[order], order))
            with self._lock:
                while len(self._talks) >= _TALKS_KEPT:
                    del self._talks[next(iter(self._talks))]
                self._talks[key] = known
        return known[1]

    def read_snapshot(self, path: str) -> bytes:
        handle = open_store(path)
        with os.fdopen(os.dup(handle.number), "rb") as file:
            return file.read()

    def lines(self, path: str, progress: Progress | None = None) -> Iterator[tuple[bytes, bool]]:
        """Each line of a store without its line end, and whether it has one; of a very long one its beginning."""
        handle = open_store(path)
        return _lines(handle, os.fstat(handle.number).st_size, progress)

    def _index(self, path: str) -> "_Index":
        with self._lock:
            if not self._is_evicted and self._cache_dir is not None:  # once, before anything of it is used
                self._is_evicted = True
                evict(self._cache_dir, self._seal, self._now_ns())
            key = (path, str(Path(path).absolute()))
            index = self._indexes.pop(key, None)
            if index is None:
                folder = None if self._cache_dir is None else Folder(self._cache_dir, path, self._seal)
                index = _Index(path, folder, self._rule, self._now_ns)
            self._indexes[key] = index  # last in line
            if len(self._indexes) > _INDEXES_KEPT:
                del self._indexes[next(iter(self._indexes))]
        return index

    def _order(self, stores: Sequence[OpenStore]) -> NDArray[np.uint32] | None:
        parts = [part for store in stores for part in store.parts]
        if len(parts) <= 1:
            return None
        key = tuple(map(id, parts))
        with self._lock:
            known = self._orders.get(key)
        if known is None:
            order = merged_order(parts, [number for number, store in enumerate(stores) for _ in store.parts])
            known = (parts, order)  # keeps the parts, so that their ids stay theirs
            with self._lock:
                while len(self._orders) >= _ORDERS_KEPT:
                    del self._orders[next(iter(self._orders))]
                self._orders[key] = known
        return known[1]


class _Index:
    """What one process knows of one store."""

    def __init__(
        self,
        path: str,
        folder: Folder | None,
        rule: LineRule,
        now_ns: Callable[[], int],
    ) -> None:
        self.lock = threading.Lock()
        self._path, self._folder, self._rule, self._now_ns = path, folder, rule, now_ns
        self._report: Progress | None = None  # of the caller who holds the lock
        self._with_talk = False
        self._kept: Kept | None = None
        self._parts: list[Part] = []
        self._last: Part | None = None  # of a last line without a line end; in memory only
        self._last_checksums: list[str] = []
        self._is_doubted = False

    def doubt(self) -> None:
        """Look at the bytes of the store again before the index is used: a line was not what it says."""
        self._is_doubted = True

    def parts_for(self, handle: Handle, report: Progress | None = None, *, with_talk: bool = False) -> list[Part]:
        """The parts of the file as it is now."""
        self._report, self._with_talk = report, with_talk
        for last in (False,) * (_TRIES - 1) + (True,):
            try:
                found = self._refresh(handle)
            except Shrunk:
                self._kept = None
                continue
            if last or (self._kept is not None and signature_of(os.fstat(handle.number)) == self._kept.signature):
                return found  # at last also one that has grown since: it was so a moment ago
        raise OSError(errno.ESTALE, os.strerror(errno.ESTALE), self._path)

    def talk_of(self, store: OpenStore, report: Progress | None = None) -> list[Any]:
        """The indexes of the talk of a store's parts, laid end to end; made now for parts that have none."""
        with self.lock:
            if any(part.talk is None for part in store.parts):
                self._find_talk(store, report)
        return [piece for part in store.parts for piece in part.talk or ()]

    def _find_talk(self, store: OpenStore, report: Progress | None) -> None:
        kept, folder = self._kept, self._folder
        files = {} if kept is None else {id(file.sections): file for file in kept.parts}
        if kept is None or any(id(part.sections) not in files and part is not self._last for part in store.parts):
            raise OSError(errno.ESTALE, os.strerror(errno.ESTALE), self._path)  # the store was indexed anew meanwhile
        if self._look_for_talk(store, files):
            return
        if folder is None:
            self._build_talk(store, files, None, report)
            return
        writable = folder.prepare()
        with folder.locked(_wait_s(store.parts[-1].end)) as is_ours:
            folder.load(kept.parts)  # another process may have been here while we waited
            if not self._look_for_talk(store, files):
                is_named = writable and is_ours and folder.names_parts(kept.parts)
                self._build_talk(store, files, folder if is_named else None, report)
                if is_named:
                    folder.save(kept)

    def _look_for_talk(self, store: OpenStore, files: dict[int, PartFile]) -> bool:
        """Take what the cache has; say whether that is all."""
        for part in store.parts:
            file = files.get(id(part.sections))
            if part.talk is None and file is not None and self._kept is not None:
                sections, file.held_talk = file.held_talk, None
                if sections is None and self._folder is not None:
                    sections = self._folder.load_talk(file, self._kept.key)
                if sections is not None:
                    with suppress(Damaged):
                        part.talk = pieces_of(sections, self._rule, part.size)
        return all(part.talk is not None for part in store.parts)

    def _build_talk(
        self, store: OpenStore, files: dict[int, PartFile], folder: Folder | None, report: Progress | None
    ) -> None:
        assert self._kept is not None
        key = self._kept.key
        for part in store.parts:
            if part.talk is not None:
                continue
            file = files.get(id(part.sections))
            name, writer = _new_file(folder if file is not None else None, key)
            told = report if part.end - part.start >= _WORTH_TELLING else None
            checksums = self._last_checksums if file is None else file.checksums
            try:
                build_talk(store.file().number, part, checksums, key, writer, self._rule, told)
                mac = writer.finish()
            except (Changed, Shrunk):
                writer.discard()
                self.doubt()
                raise OSError(errno.ESTALE, os.strerror(errno.ESTALE), self._path) from None
            except BaseException:
                writer.discard()
                raise
            part.talk = pieces_of(writer.take(), self._rule, part.size)
            if file is not None and writer.signature is not None:
                file.talk = {"format": TALK_FORMAT, "name": name, "mac": mac}

    def _refresh(self, handle: Handle) -> list[Part]:
        signature = signature_of(os.fstat(handle.number))
        if self._is_fresh(signature):
            return self._all()
        if self._folder is None:
            self._renew(handle, signature, None)
            return self._all()
        if self._look_in(self._folder, signature, handle):
            return self._all()
        writable = self._folder.prepare()
        with self._folder.locked(_wait_s(signature[2])) as is_ours:
            # Another process may have been here while we waited.
            if not self._look_in(self._folder, signature, handle):
                self._renew(handle, signature, self._folder if writable and is_ours else None)
        return self._all()

    def _look_in(self, folder: Folder, signature: Signature, handle: Handle) -> bool:
        """Take what the cache has, if it is there and whole; say whether it is of the file as it is now."""
        kept = folder.load(self._kept.parts if self._kept is not None else ())
        if kept is not None:
            self._set(kept)
        if not self._is_fresh(signature):
            return False
        if self._last is None:
            self._index_last_line(handle)
        return True

    def _all(self) -> list[Part]:
        return self._parts if self._last is None else [*self._parts, self._last]

    def _is_fresh(self, signature: Signature) -> bool:
        kept = self._kept
        return kept is not None and kept.settled and kept.signature == signature and not self._is_doubted

    def _set(self, kept: Kept) -> None:
        old = {id(part.sections): part for part in self._parts}
        self._kept = kept
        self._parts = [old.get(id(part.sections)) or Part(part.sections, part.start, part.end) for part in kept.parts]
        self._last = None

    def _renew(self, handle: Handle, signature: Signature, folder: Folder | None) -> None:
        """Bring the index up to a file whose signature says it may have changed."""
        now_ns = self._now_ns()
        self._is_doubted = False  # a line that is read from here on may bring doubt again
        size = signature[2]
        end = _end_of_lines(handle, size)
        key, parts = (self._kept.key, list(self._kept.parts)) if self._kept is not None else (new_key(), [])
        if parts and not (parts[-1].end <= end and all(_is_unchanged(handle, part, key) for part in parts)):
            parts = []
        start = parts[-1].end if parts else 0
        if start < end:
            while joined := _parts_to_join(parts, end - start):
                start = parts[-joined].start
                del parts[-joined:]
            parts.append(self._build(handle, start, end, folder, key))
        settled = now_ns - signature[4] >= SETTLING_NS
        self._set(Kept(key, signature, settled, parts))
        assert self._kept is not None
        self._index_last_line(handle)
        if folder is not None:
            folder.save(self._kept)

    def _index_last_line(self, handle: Handle) -> None:
        assert self._kept is not None
        size = self._kept.signature[2]
        end = self._kept.parts[-1].end if self._kept.parts else 0
        if end < size:
            last = self._build(handle, end, size, None, self._kept.key)
            self._last = Part(last.sections, end, size)
            self._last_checksums = last.checksums
            if last.held_talk is not None:
                self._last.talk = pieces_of(last.held_talk, self._rule, self._last.size)

    def _build(self, handle: Handle, start: int, end: int, folder: Folder | None, key: bytes) -> PartFile:
        report = self._report if end - start >= _WORTH_TELLING else None
        name, writer = _new_file(folder, key)
        talk_name, talk_writer = _new_file(folder, key, name) if self._with_talk else (None, None)
        try:
            checksums = build_part(handle.number, start, end, writer, self._rule, self._path, key, report, talk_writer)
            mac = writer.finish()
            talk_mac = "" if talk_writer is None else talk_writer.finish()
        except BaseException:
            writer.discard()
            if talk_writer is not None:
                talk_writer.discard()
            raise
        if writer.signature is None:  # it did not reach the cache
            name = None
        made = PartFile(name, start, end, mac, checksums, writer.take(), writer.signature)
        if talk_writer is not None:
            made.held_talk = talk_writer.take()
            if talk_writer.signature is not None:
                made.talk = {"format": TALK_FORMAT, "name": talk_name, "mac": talk_mac}
        return made


def _new_file(folder: Folder | None, key: bytes, *taken: str | None) -> tuple[str | None, Writer]:
    """A file of the cache to write an index to, with its name; without a folder, one in memory."""
    if folder is None:
        return None, Writer(None, key)
    name = folder.new_name(*taken)
    return name, Writer(folder.path / name, key, folder.seal)


def _lines(handle: Handle, size: int, progress: Progress | None) -> Iterator[tuple[bytes, bool]]:
    """The lines of the first `size` bytes of a file; memory stays small whatever they are."""
    begun = b""  # of a line that goes on in the next block
    at = 0
    while at < size:
        block = os.pread(handle.number, min(READ_BYTES, size - at), at)
        if not block:
            break  # it was cut meanwhile
        at += len(block)
        *ended, rest = block.split(b"\n")
        for line in ended:
            yield (begun + line).removesuffix(b"\r"), True
            begun = b""
        begun = (begun + rest)[:_SHOWN_BYTES]
        if progress is not None:
            progress(at, size)
    if begun:
        yield begun, False


def _wait_s(size: int) -> float:
    """How long to wait for whoever is building the index of a store of this size."""
    return min(_WAIT_S + size / _BUILT_BYTES_A_SECOND, _MAX_WAIT_S)


def _reporting(progress: Progress | None, end: int, total: int) -> Progress | None:
    """Tells of one store, whose bytes end at `end` when those of all are laid end to end."""
    return None if progress is None else (lambda done, size: progress(end - size + done, total))


def open_store(path: str) -> Handle:
    """Open a regular file for reading; raise OSError with `filename` for all else."""
    try:
        # Without O_NONBLOCK, opening a pipe would wait for somebody to write to it.
        handle = Handle(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC))
    except ValueError:  # a NUL in the path
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path) from None
    mode = os.fstat(handle.number).st_mode
    if not stat.S_ISREG(mode):
        code = errno.EISDIR if stat.S_ISDIR(mode) else errno.EINVAL
        raise OSError(code, os.strerror(code), path)
    return handle


def _end_of_lines(handle: Handle, size: int) -> int:
    """The offset after the last line end before `size`."""
    at = size
    while at > 0:
        low = max(0, at - READ_BYTES)
        cut = read_at(handle.number, at - low, low).rfind(b"\n")
        if cut >= 0:
            return low + cut + 1
        at = low
    return 0


def _is_unchanged(handle: Handle, part: PartFile, key: bytes) -> bool:
    """Whether the store still has the bytes the part was made from; looked at on all cores."""
    spans = []
    at = part.start
    while at < part.end:
        upto = min(at - at % READ_BYTES + READ_BYTES, part.end)
        spans.append((at, upto))
        at = upto
    if len(spans) != len(part.checksums):
        return False

    own = threading.local()  # one buffer for each thread: new memory for every block costs as much as reading it

    def same(span: tuple[int, int], checksum: str) -> bool:
        if not hasattr(own, "buffer"):
            own.buffer = memoryview(bytearray(READ_BYTES))
        data = own.buffer[: span[1] - span[0]]
        return os.preadv(handle.number, [data], span[0]) == len(data) and mac_of(key, data) == checksum

    if len(spans) == 1:
        return same(spans[0], part.checksums[0])
    with ThreadPoolExecutor(min(8, os.cpu_count() or 1)) as pool:
        return all(pool.map(same, spans, part.checksums))


def _parts_to_join(parts: Sequence[PartFile], size: int) -> int:
    """How many of the last parts to parse again with a new one of this size, so that parts stay few.

    Sizes are compared by factors of eight: a record is parsed again once for each factor its store has grown by.
    """
    alike = 0
    for part in reversed(parts):
        if (part.end - part.start).bit_length() // 3 > size.bit_length() // 3:
            break
        alike += 1
    return alike if alike >= JOINED_PARTS - 1 else 0
