"""Building a part: the lines of a byte range of a store, parsed once, written as arrays in their final order.

Reads the store in blocks of 4 MiB, each with a checksum, so that the checksums are of exactly the bytes that were
parsed. What a line means is the caller's rule. Records are numbered twice: in read order while building, and by their
place in the order that holds when no score tells them apart; nearly everything is stored in the second.
"""

import itertools
import os
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, Protocol

import numpy as np
import orjson
from numpy.typing import NDArray

from mace.storage.jsonl.container import Writer
from mace.storage.jsonl.gather import gather
from mace.storage.jsonl.mac import mac_of
from mace.storage.jsonl.postings import BLOCK_RECORDS, build_block
from mace.storage.jsonl.words import Interner

READ_BYTES: Final = 1 << 22
NO_INSTANT: Final = int(np.iinfo(np.int64).min)
_FIRST_SLICE: Final = 1 << 7  # small at first: the tables of known words fill before they are asked much
_SLICE_RECORDS: Final = 1 << 10  # what a slice makes should fit into the processor's cache

Progress = Callable[[int, int], None]  # bytes done, bytes in all


class Entries(Protocol):
    """Writes the bytes of one store's entries, each led by a comma."""

    def exhausted(
        self, memory_ids: Sequence[str], record_hashes: Sequence[str], /
    ) -> tuple[bytes, list[int]]: ...  # of many records, joined, and the length of each
    def invalid(self, line: Any) -> bytes: ...


class Found(Protocol):
    """What lines say: records by column, and the lines that are none with their places."""

    @property
    def memory_ids(self) -> list[str]: ...
    @property
    def record_hashes(self) -> list[str]: ...
    @property
    def texts(self) -> list[str]: ...
    @property
    def tags(self) -> list[tuple[str, ...]]: ...
    @property
    def instants(self) -> list[int | None]: ...  # microseconds since 1970
    @property
    def invalid(self) -> Sequence[tuple[int, Any]]: ...


class LineRule(Protocol):
    """What a line of a store means; given by the caller, who owns the contract.

    `read_line` answers a tuple that begins with memory id and record hash.
    """

    def is_blank(self, raw: bytes, /) -> bool: ...
    def read_line(self, raw: bytes, /) -> Any: ...
    def read_lines(self, lines: Sequence[bytes], /) -> Found: ...
    def matching_text(self, text: str, /) -> str: ...
    def EntryWriter(self, store_path: str, /) -> Entries: ...

    # For the index of a talk.
    def read_turns(self, lines: Sequence[bytes], /) -> tuple[list[str], list[tuple[str, ...]]]: ...
    def TalkBuilder(self, words: Any, /) -> Any: ...
    def TalkIndex(self, arrays: Any, /) -> Any: ...
    def Talk(
        self, pieces: Any, sizes: Sequence[int], instants: NDArray[np.int64], ranks: NDArray[np.uint32], /
    ) -> Any: ...


class Shrunk(Exception):
    """The store ended before the bytes that were promised."""


def read_at(handle: int, size: int, at: int) -> bytes:
    """Read exactly so many bytes; raise `Shrunk` when they are not there."""
    data = os.pread(handle, size, at)
    while len(data) < size:
        more = os.pread(handle, size - len(data), at + len(data))
        if not more:
            raise Shrunk
        data += more
    return data


def lines_of(
    handle: int, start: int, end: int, seen: Callable[[bytes], None]
) -> Iterator[tuple[list[bytes], int, bool, bool]]:
    """Yield lists of lines without their "\\n", the offset of the first, whether the last one had a line end, and
    whether a "\\r" may stand before one.

    The range starts at a line's start; a last line without a line end is a line. `seen` is given all bytes read.
    """
    carried: list[bytes] = []
    carried_at = at = start
    while at < end:
        data = read_at(handle, min(READ_BYTES - at % READ_BYTES, end - at), at)
        seen(data)
        at += len(data)
        cut = data.rfind(b"\n") + 1
        if cut:
            carried.append(data[: cut - 1])
            joined = b"".join(carried)
            yield joined.split(b"\n"), carried_at, True, b"\r" in joined
            carried, carried_at = [], at - len(data) + cut
        if cut < len(data):
            carried.append(data[cut:])
    if carried:
        yield [b"".join(carried)], carried_at, False, True


@dataclass(slots=True)
class _Collected:
    """What accumulates while lines go by, in read order."""

    instants: list[NDArray[np.int64]] = field(default_factory=list)
    starts: list[NDArray[np.int64]] = field(default_factory=list)
    lengths: list[NDArray[np.int64]] = field(default_factory=list)
    entries: list[bytes] = field(default_factory=list)
    entry_lengths: list[NDArray[np.int64]] = field(default_factory=list)
    tag_sets: defaultdict[tuple[str, ...], int] = field(default_factory=lambda: defaultdict(itertools.count().__next__))
    tag_set_of: list[NDArray[np.int64]] = field(default_factory=list)
    invalid: list[bytes] = field(default_factory=list)
    records: int = 0


class _Block(NamedTuple):
    """The records of a block, ready to be ordered by word."""

    place: int
    numbers: list[NDArray[np.uint32]]
    places: list[NDArray[np.uint16]]
    words: list[bytes]
    records: int
    text_bytes: int
    talk: Any  # the same records as turns, or None


class PartBuilder:
    """Takes lines, writes blocks as they fill, and the ordered arrays at the end."""

    def __init__(self, writer: Writer, rule: LineRule, store_path: str, talk_writer: Writer | None = None) -> None:
        """With a `talk_writer`, the index of the talk is made from the same words."""
        self._writer = writer
        self._talk_writer = talk_writer
        self._rule = rule
        self._entries = rule.EntryWriter(store_path)
        self._interner = Interner()
        self._talk = None if talk_writer is None else rule.TalkBuilder(self._interner)
        self._all = _Collected()
        self._block_numbers: list[NDArray[np.uint32]] = []
        self._block_places: list[NDArray[np.uint16]] = []
        self._block_records = 0
        self._block_text = 0
        self._slice = _FIRST_SLICE
        self._block_sizes: list[int] = []
        self._builder: ThreadPoolExecutor | None = None
        self._pending: Future[None] | None = None

    def add(self, lines: list[bytes], offset: int, ended: bool, returns: bool) -> None:
        """Add lines that follow each other; a CR belongs to the line end, but not where the file just stops."""
        sizes = np.fromiter(map(len, lines), np.int64, len(lines))
        starts = offset + np.cumsum(sizes + 1) - sizes - 1
        if returns and (ended or len(lines) > 1):
            lines, sizes = _without_returns(lines, sizes, ended)
        low = 0
        while low < len(lines):
            high = low + self._slice
            self._take(lines[low:high], starts[low:high], sizes[low:high])
            self._slice = min(2 * self._slice, _SLICE_RECORDS)
            low = high

    def _take(self, lines: list[bytes], starts: NDArray[np.int64], sizes: NDArray[np.int64]) -> None:
        found = self._rule.read_lines(lines)
        if found.invalid:
            valid = np.ones(len(lines), np.bool_)
            for place, line in found.invalid:
                valid[place] = False
                if not self._rule.is_blank(lines[place]):
                    self._all.invalid.append(self._entries.invalid(line))
            starts, sizes = starts[valid], sizes[valid]
        if found.texts:
            self._take_records(found, starts, sizes)

    def _take_records(self, found: Found, starts: NDArray[np.int64], sizes: NDArray[np.int64]) -> None:
        count = len(found.texts)
        if self._block_records + count > BLOCK_RECORDS:
            self._close_block()
        collected = self._all
        joined, text_sizes = self._matching_texts(found.texts)
        numbers, word_counts = self._interner.number(joined, text_sizes)
        places = np.arange(self._block_records, self._block_records + count, dtype=np.uint16)
        self._block_numbers.append(numbers)
        self._block_places.append(np.repeat(places, word_counts))
        self._block_text += len(joined)
        if self._talk is not None:
            self._talk.add_numbered(found.texts, found.tags, numbers, word_counts)
        entries, entry_lengths = self._entries.exhausted(found.memory_ids, found.record_hashes)
        collected.entries.append(entries)
        collected.entry_lengths.append(np.array(entry_lengths, np.int64))
        instants = found.instants
        if None in instants:
            instants = [NO_INSTANT if instant is None else instant for instant in instants]
        collected.instants.append(np.array(instants, np.int64))
        collected.starts.append(starts)
        collected.lengths.append(sizes)
        collected.tag_set_of.append(np.fromiter(map(collected.tag_sets.__getitem__, found.tags), np.int64, count))
        self._block_records += count
        collected.records += count

    def _matching_texts(self, texts: Sequence[str]) -> tuple[bytes, NDArray[np.int64]]:
        """The texts as they are matched, each followed by a newline, and their sizes in bytes."""
        together = "\n".join(texts)
        if together.isascii():  # lowering keeps lengths, and the tokeniser splits at all ASCII white space itself
            return together.lower().encode() + b"\n", np.fromiter(map(len, texts), np.int64, len(texts))
        encoded = [self._rule.matching_text(text).encode() for text in texts]
        return b"\n".join(encoded) + b"\n", np.fromiter(map(len, encoded), np.int64, len(texts))

    def _close_block(self, *, last: bool = False) -> None:
        if not self._block_records:
            return
        # Words only ever join the list, so the block may be built while the next one is read.
        work = _Block(
            len(self._block_sizes),
            self._block_numbers,
            self._block_places,
            self._interner.words,
            self._block_records,
            self._block_text,
            None if self._talk is None else self._talk.cut(),
        )
        self._wait()
        if last:
            self._write_block(work)
        else:
            self._builder = self._builder or ThreadPoolExecutor(1, "mace-context-index")
            self._pending = self._builder.submit(self._write_block, work)
        self._block_sizes.append(self._block_records)
        self._block_numbers, self._block_places = [], []
        self._block_records = self._block_text = 0
        if self._interner.forget_if_large() and self._talk is not None:
            self._talk.forget()

    def _write_block(self, work: "_Block") -> None:
        numbers, places = np.concatenate(work.numbers), np.concatenate(work.places)
        work.numbers.clear()
        work.places.clear()
        arrays = build_block(numbers, places, work.words, work.records, work.text_bytes)
        for name, values in arrays.items():
            self._writer.add(f"{work.place}/{name}", values)
        if self._talk_writer is not None:
            write_talk(self._talk_writer, work.place, work.talk)

    def _wait(self) -> None:
        """Until the block that is being built is written: one at a time, so that memory stays bounded."""
        pending, self._pending = self._pending, None
        if pending is not None:
            pending.result()

    def close(self) -> None:
        """Leave nobody writing behind."""
        if self._builder is not None:
            self._builder.shutdown()

    def finish(self) -> None:
        """Write everything that depends on the final order."""
        self._close_block(last=True)
        self._wait()
        collected, writer = self._all, self._writer
        instants = _joined(collected.instants, np.int64)
        blob = b"".join(collected.entries)
        collected.entries.clear()
        lengths = _joined(collected.entry_lengths, np.int64)
        offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths)))
        order = rank_order(instants, memoryview(blob), offsets)
        writer.add("instants", instants[order])
        writer.add("line_starts", _joined(collected.starts, np.int64)[order])
        writer.add("line_lengths", _joined(collected.lengths, np.int64)[order])
        ranks = np.empty(len(order), np.uint32)
        ranks[order] = np.arange(len(order), dtype=np.uint32)
        writer.add("rank_of_record", ranks)
        writer.add("block_sizes", np.array(self._block_sizes, np.uint32))
        writer.add("entry_starts", np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths[order]))))
        writer.begin("entries", "|u1")
        for piece in gather(memoryview(blob), offsets, order):
            writer.extend(piece)
        writer.add("invalid", np.frombuffer(b"".join(collected.invalid), np.uint8))
        writer.add("invalid_count", np.array([len(collected.invalid)], np.int64))
        self._write_tags(ranks)
        if self._talk_writer is not None:
            self._talk_writer.add("pieces", np.array(self._block_sizes, np.uint32))

    def _write_tags(self, ranks: NDArray[np.uint32]) -> None:
        """The tags in order of their bytes, and the ranks of the records that have each."""
        collected = self._all
        encoded = sorted({tag.encode() for held in collected.tag_sets for tag in held})
        number_of = {tag: number for number, tag in enumerate(encoded)}
        flat = [number_of[tag.encode()] for held in collected.tag_sets for tag in held]
        sizes = np.array([len(held) for held in collected.tag_sets], np.int64)
        starts = np.cumsum(sizes) - sizes
        set_of = _joined(collected.tag_set_of, np.int64)
        by_rank = np.empty_like(set_of)
        by_rank[ranks] = set_of
        counts = sizes[by_rank]
        places = np.repeat(starts[by_rank] - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())
        tags = np.array(flat, np.uint32 if len(encoded) >> 16 else np.uint16)[places]
        holders = np.repeat(np.arange(len(ranks), dtype=np.uint32), counts)[np.argsort(tags, kind="stable")]
        members = np.bincount(tags, minlength=len(encoded))
        lengths = np.array([len(tag) for tag in encoded], np.int64)
        self._writer.add("tags", np.frombuffer(b"".join(encoded), np.uint8))
        self._writer.add("tag_starts", np.concatenate(([0], np.cumsum(lengths))).astype(np.int64))
        self._writer.add("tag_member_starts", np.concatenate(([0], np.cumsum(members))).astype(np.int64))
        self._writer.add("tag_members", holders)


def _without_returns(
    lines: list[bytes], sizes: NDArray[np.int64], ended: bool
) -> tuple[list[bytes], NDArray[np.int64]]:
    """Take a CR off each line that had a line end; a last line without one keeps it."""
    returns = np.flatnonzero([line.endswith(b"\r") for line in lines]).tolist()
    if returns and not ended and returns[-1] == len(lines) - 1:
        returns.pop()
    if returns:
        lines, sizes = list(lines), sizes.copy()
        for place in returns:
            lines[place] = lines[place][:-1]
        sizes[returns] -= 1
    return lines, sizes


def rank_order(instants: NDArray[np.int64], entries: memoryview, offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Newest first, no instant last; among equals by memory id, then record hash."""
    order = np.argsort(~instants, kind="stable")  # ~x falls as x rises, and cannot overflow
    sorted_instants = instants[order]
    new = np.flatnonzero(np.concatenate(([True], sorted_instants[1:] != sorted_instants[:-1])))
    ends = np.append(new[1:], len(order)) if len(order) else new
    many = ends - new > 1
    for low, high in zip(new[many].tolist(), ends[many].tolist(), strict=True):
        group = order[low:high].tolist()
        keys = {at: entry_key(entries[offsets[at] : offsets[at + 1]]) for at in group}
        order[low:high] = sorted(group, key=keys.__getitem__)
    return order


def entry_key(entry: memoryview) -> tuple[str, str]:
    """Memory id and record hash of an entry, as they are ordered."""
    fields = parse_entry(entry)
    return fields["memory_id"], fields["record_hash"]


def parse_entry(entry: memoryview) -> dict[str, str]:
    fields: dict[str, str] = orjson.loads(entry[1:])
    return fields


def build_part(
    handle: int,
    start: int,
    end: int,
    writer: Writer,
    rule: LineRule,
    store_path: str,
    key: bytes,
    progress: Progress | None = None,
    talk_writer: Writer | None = None,
) -> list[str]:
    """Build the part of a byte range that starts and ends at line ends; return the checksums of the blocks read."""
    builder = PartBuilder(writer, rule, store_path, talk_writer)
    checksums: list[str] = []
    done = start

    def seen(data: bytes) -> None:
        nonlocal done
        checksums.append(mac_of(key, data))
        done += len(data)

    try:
        for lines, offset, ended, returns in lines_of(handle, start, end, seen):
            builder.add(lines, offset, ended, returns)
            if progress is not None:
                progress(done - start, end - start)
        builder.finish()
    finally:
        builder.close()
    return checksums


def write_talk(writer: Writer, number: int, stretch: Any) -> None:
    """Write one piece of the index of a talk."""
    for name, values in stretch.indexed().arrays().items():
        writer.add(f"{number}/{name}", values)


def _joined(arrays: list[Any], dtype: Any) -> Any:
    return np.concatenate(arrays) if arrays else np.empty(0, dtype)
