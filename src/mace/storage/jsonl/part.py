"""A part: the index of one byte range of a store, answering in ranks of its own.

Reads arrays, wherever they lie; never the store itself. Where the index alone cannot decide, or reading a few texts is
cheaper, ranks are left open for the caller, who can read them.
"""

import bisect
from collections.abc import Callable, Collection, Sequence
from typing import Any, Final

import numpy as np
import orjson
from numpy.typing import NDArray

from mace.storage.jsonl.build import parse_entry
from mace.storage.jsonl.container import Sections
from mace.storage.jsonl.postings import Block, Found

Hits = NDArray[np.uint32] | NDArray[np.bool_]
_DENSE_SHARE: Final = 16
_LANE: Final = 8
_MIX: Final = np.uint64(0x9E3779B97F4A7C15)

# How a budget-exhausted entry is written (by the rule); ids and hashes are found by these marks.
_ID_MARK: Final = b',{"memory_id":'
_REASON: Final = b',"reason":"budget_exhausted"'
_HASH_MARK: Final = b',"record_hash":"'
_ID_AT: Final = len(_ID_MARK)


class Part:
    def __init__(self, sections: Sections, start: int, end: int) -> None:
        self.sections = sections
        self.talk: list[Any] | None = None  # the indexes of its talk, laid end to end, once somebody asked for them
        self.start, self.end = start, end
        self.instants = sections["instants"].view(np.int64)
        self.size = len(self.instants)
        self.invalid = int(sections["invalid_count"][0])
        self.entries = sections.raw("entries")
        self.entry_starts = sections["entry_starts"].view(np.int64)
        self.rank_of_record = sections["rank_of_record"].view(np.uint32)
        self._blocks = [Block(sections.block(number)) for number in range(len(sections["block_sizes"]))]

    def having(self, term: bytes) -> tuple[Hits, list[int]]:
        """Ranks or flags of records whose text contains the term (no white space in it), and ranks left open."""
        return self._in_blocks(lambda block: block.having(term))

    def having_phrase(self, words: list[bytes]) -> tuple[Hits, list[int]]:
        """The same for words in a row; all that can have them are left open."""
        return self._in_blocks(lambda block: block.having_phrase(words))

    def tagged(self, tag: bytes) -> NDArray[np.uint32]:
        starts = self.sections["tag_starts"]
        tags = _Slices(self.sections.raw("tags"), starts)
        place = bisect.bisect_left(tags, tag)
        if place == len(tags) or tags[place] != tag:
            return np.empty(0, np.uint32)
        bounds = self.sections["tag_member_starts"]
        return self.sections["tag_members"][int(bounds[place]) : int(bounds[place + 1])].view(np.uint32)

    def tags(self) -> list[str]:
        return [tag.decode() for tag in _Slices(self.sections.raw("tags"), self.sections["tag_starts"])]

    def marked(self, memory_ids: Collection[str], record_hashes: Collection[str]) -> list[int]:
        """Ranks of records with one of these ids or hashes."""
        if not self.size:
            return []
        first = bytes(self.entries[: int(self.entry_starts[1])])
        ends = self.entry_starts[1:]
        # Entries of a part differ only in id and hash, so both lie at known distances from the edges.
        hash_at = ends - (len(first) - first.rindex(_HASH_MARK) - len(_HASH_MARK))
        lanes = np.ndarray((len(self.entries) - 7,), "<u8", self.entries, strides=(1,))
        possible = np.zeros(self.size, np.bool_)
        if memory_ids:
            # Compared first by their ends and length, as they are written; then exactly.
            tail_at = hash_at - len(_HASH_MARK) - len(_REASON) - _LANE
            keys = _mixed(lanes[self.entry_starts[:-1] + _ID_AT], lanes[tail_at], hash_at - self.entry_starts[:-1])
            wanted = [_id_key(name) for name in memory_ids]
            possible |= np.isin(keys, np.array(wanted, np.uint64))
        if record_hashes:
            heads = [name.encode()[:_LANE] for name in record_hashes if len(name) == 64]
            numbers = [int.from_bytes(head, "little") for head in heads]
            possible |= np.isin(lanes[hash_at], np.array(numbers, np.uint64))
        found = []
        for rank in np.flatnonzero(possible).tolist():
            memory_id, record_hash = self.identity(rank)
            if memory_id in memory_ids or record_hash in record_hashes:
                found.append(rank)
        return found

    def identity(self, rank: int) -> tuple[str, str]:
        fields = parse_entry(self.entries[int(self.entry_starts[rank]) : int(self.entry_starts[rank + 1])])
        return fields["memory_id"], fields["record_hash"]

    def line(self, rank: int) -> tuple[int, int]:
        """Offset and length of the record's line, without its line end."""
        return int(self.sections["line_starts"][rank]), int(self.sections["line_lengths"][rank])

    def _in_blocks(self, ask: Callable[[Block], Found | None]) -> tuple[Hits, list[int]]:
        found: list[NDArray[np.uint32]] = []
        still_open: list[int] = []
        base = total = 0
        for block in self._blocks:
            answer = ask(block)
            if answer is not None:
                ranks = self.rank_of_record[base : base + block.records]
                records = np.flatnonzero(answer.flags)
                total += len(records)
                found.append(ranks[records])
                if answer.open is not None:
                    still_open += ranks[answer.open].tolist()
            base += block.records
        if total * _DENSE_SHARE < self.size:
            return np.concatenate(found or [np.empty(0, np.uint32)]), still_open
        dense = np.zeros(self.size, np.bool_)
        for ranks in found:
            dense[ranks] = True
        return dense, still_open


def _mixed(head: NDArray[np.uint64], tail: NDArray[np.uint64], length: NDArray[np.int64]) -> NDArray[np.uint64]:
    return (head * _MIX ^ tail) * _MIX ^ length.astype(np.uint64)


def _id_key(memory_id: str) -> int:
    """The key of an id, from the entry it would have."""
    entry = _ID_MARK + orjson.dumps(memory_id) + _REASON + _HASH_MARK
    head = np.frombuffer(entry[_ID_AT : _ID_AT + _LANE], "<u8")
    end = len(entry) - len(_HASH_MARK) - len(_REASON)
    tail = np.frombuffer(entry[end - _LANE : end], "<u8")
    return int(_mixed(head, tail, np.array([len(entry)]))[0])


class _Slices(Sequence[bytes]):
    """Sorted byte strings in one buffer, for bisection."""

    def __init__(self, data: memoryview, starts: NDArray[np.generic]) -> None:
        self._data, self._starts = data, starts

    def __len__(self) -> int:
        return len(self._starts) - 1

    def __getitem__(self, place: int) -> bytes:  # type: ignore[override]
        return bytes(self._data[int(self._starts[place]) : int(self._starts[place + 1])])
