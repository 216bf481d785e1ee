"""Building a part: the lines of a byte range of a store, parsed once, written as arrays in their final order.

Reads the store in blocks of 4 MiB, each with a checksum, so that the checksums are of exactly the bytes that were
parsed. What a line means is the caller's rule. Records are numbered twice: in read order while building, and by their
place in the order that holds when no score tells them apart; nearly everything is stored in the second.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

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
_SLICE_RECORDS: Final = 1 << 13

Progress = Callable[[int, int], None]  # bytes done, bytes in all


class Entries(Protocol):
    """Writes the bytes of one store's entries, each led by a comma."""

    def exhausted(self, record: Any) -> bytes: ...
    def invalid(self, line: Any) -> bytes: ...


class LineRule(Protocol):
    """What a line of a store means; given by the caller, who owns the contract.

    `read_line` answers a tuple of five for a record (memory id, record hash, text, tags, microseconds or None), and
    anything shorter for a line that is none.
    """

    def is_blank(self, raw: bytes, /) -> bool: ...
    def read_line(self, raw: bytes, /) -> Any: ...
    def matching_text(self, text: str, /) -> str: ...
    def EntryWriter(self, store_path: str, /) -> Entries: ...


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
) -> Iterator[tuple[list[bytes], int, bool]]:
    """Yield lists of lines without their "\\n", the offset of the first, and whether the last one had a line end.

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
            lines = b"".join(carried).split(b"\n")
            yield lines, carried_at, True
            carried, carried_at = [], at - len(data) + cut
        if cut < len(data):
            carried.append(data[cut:])
    if carried:
        yield [b"".join(carried)], carried_at, False


@dataclass(slots=True)
class _Collected:
    """What accumulates while lines go by, in read order."""

    instants: list[NDArray[np.int64]] = field(default_factory=list)
    starts: list[NDArray[np.int64]] = field(default_factory=list)
    lengths: list[NDArray[np.int64]] = field(default_factory=list)
    entries: list[bytes] = field(default_factory=list)
    entry_lengths: list[NDArray[np.int64]] = field(default_factory=list)
    tag_sets: dict[tuple[str, ...], int] = field(default_factory=dict)
    tag_set_of: list[NDArray[np.int64]] = field(default_factory=list)
    invalid: list[bytes] = field(default_factory=list)
    records: int = 0


class PartBuilder:
    """Takes lines, writes blocks as they fill, and the ordered arrays at the end."""

    def __init__(self, writer: Writer, rule: LineRule, store_path: str) -> None:
        self._writer = writer
        self._rule = rule
        self._entries = rule.EntryWriter(store_path)
        self._interner = Interner()
        self._all = _Collected()
        self._block_numbers: list[NDArray[np.uint32]] = []
        self._block_places: list[NDArray[np.uint16]] = []
        self._block_records = 0
        self._block_text = 0
        self._slice = _FIRST_SLICE
        self._block_sizes: list[int] = []

    def add(self, lines: list[bytes], offset: int, ended: bool) -> None:
        """Add lines that follow each other; a CR belongs to the line end, but not where the file just stops."""
        sizes = np.fromiter(map(len, lines), np.int64, len(lines))
        starts = offset + np.cumsum(sizes + 1) - sizes - 1
        if ended or len(lines) > 1:
            lines, sizes = _without_returns(lines, sizes, ended)
        low = 0
        while low < len(lines):
            high = low + self._slice
            self._take(lines[low:high], starts[low:high], sizes[low:high])
            self._slice = min(2 * self._slice, _SLICE_RECORDS)
            low = high

    def _take(self, lines: list[bytes], starts: NDArray[np.int64], sizes: NDArray[np.int64]) -> None:
        read_line = self._rule.read_line
        found = [read_line(line) for line in lines]
        valid = np.array([len(item) == 5 for item in found], np.bool_)
        if not valid.all():
            is_blank = self._rule.is_blank
            for item, line in zip(found, lines, strict=True):
                if len(item) != 5 and not is_blank(line):
                    self._all.invalid.append(self._entries.invalid(item))
            found = [item for item in found if len(item) == 5]
            starts, sizes = starts[valid], sizes[valid]
        if found:
            self._take_records(found, starts, sizes)

    def _take_records(self, records: list[Any], starts: NDArray[np.int64], sizes: NDArray[np.int64]) -> None:
        count = len(records)
        if self._block_records + count > BLOCK_RECORDS:
            self._close_block()
        collected = self._all
        _, _, texts, tags, instants = zip(*records, strict=True)
        joined, text_sizes = self._matching_texts(texts)
        numbers, word_counts = self._interner.number(joined, text_sizes)
        places = np.arange(self._block_records, self._block_records + count, dtype=np.uint16)
        self._block_numbers.append(numbers)
        self._block_places.append(np.repeat(places, word_counts))
        self._block_text += len(joined)
        entries = list(map(self._entries.exhausted, records))
        collected.entries.append(b"".join(entries))
        collected.entry_lengths.append(np.fromiter(map(len, entries), np.int64, count))
        collected.instants.append(
            np.array([NO_INSTANT if instant is None else instant for instant in instants], np.int64)
        )
        collected.starts.append(starts)
        collected.lengths.append(sizes)
        numbers_of = collected.tag_sets
        sets = [numbers_of.setdefault(held, len(numbers_of)) for held in tags]
        collected.tag_set_of.append(np.array(sets, np.int64))
        self._block_records += count
        collected.records += count

    def _matching_texts(self, texts: Sequence[str]) -> tuple[bytes, NDArray[np.int64]]:
        """The texts as they are matched, each followed by a newline, and their sizes in bytes."""
        together = "\n".join(texts)
        if together.isascii():  # lowering keeps lengths, and the tokeniser splits at all ASCII white space itself
            return together.lower().encode() + b"\n", np.fromiter(map(len, texts), np.int64, len(texts))
        encoded = [self._rule.matching_text(text).encode() for text in texts]
        return b"\n".join(encoded) + b"\n", np.fromiter(map(len, encoded), np.int64, len(texts))

    def _close_block(self) -> None:
        if not self._block_records:
            return
        numbers, places = np.concatenate(self._block_numbers), np.concatenate(self._block_places)
        arrays = build_block(numbers, places, self._interner.words, self._block_records, self._block_text)
        for name, values in arrays.items():
            self._writer.add(f"{len(self._block_sizes)}/{name}", values)
        self._block_sizes.append(self._block_records)
        self._block_numbers, self._block_places = [], []
        self._block_records = self._block_text = 0
        self._interner.forget_if_large()

    def finish(self) -> None:
        """Write everything that depends on the final order."""
        self._close_block()
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
    returns = [place for place, line in enumerate(lines) if line[-1:] == b"\r"]
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
) -> list[str]:
    """Build the part of a byte range that starts and ends at line ends; return the checksums of the blocks read."""
    builder = PartBuilder(writer, rule, store_path)
    checksums: list[str] = []
    done = start

    def seen(data: bytes) -> None:
        nonlocal done
        checksums.append(mac_of(key, data))
        done += len(data)

    for lines, offset, ended in lines_of(handle, start, end, seen):
        builder.add(lines, offset, ended)
        if progress is not None:
            progress(done - start, end - start)
    builder.finish()
    return checksums


def _joined(arrays: list[Any], dtype: Any) -> Any:
    return np.concatenate(arrays) if arrays else np.empty(0, dtype)
