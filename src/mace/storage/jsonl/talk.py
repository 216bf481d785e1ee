"""The index of a talk beside the index of words: made for a part when somebody first asks for it, from the same bytes.

The part says which lines are records, so nothing is judged twice; and its checksums say that the store still has the
bytes it had. What a turn is, and how its words are cut, is the caller's rule. A block of records is ordered
on a second core while the next ones are read.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Final

import numpy as np

from mace.storage.jsonl.build import LineRule, Progress, lines_of, write_talk
from mace.storage.jsonl.container import Damaged, Sections, Writer
from mace.storage.jsonl.mac import mac_of
from mace.storage.jsonl.part import Part
from mace.storage.jsonl.postings import BLOCK_RECORDS
from mace.storage.jsonl.words import Interner

_SLICE: Final = 1 << 10


class Changed(Exception):
    """The store no longer has the bytes that the part was made from."""


def build_talk(
    handle: int,
    part: Part,
    checksums: Sequence[str],
    key: bytes,
    writer: Writer,
    rule: LineRule,
    progress: Progress | None = None,
) -> None:
    """Write the indexes of the talk of a part, block by block; raise `Changed` or `Shrunk`."""
    words = Interner()
    builder = rule.TalkBuilder(words)
    sizes: list[int] = []
    pending: Future[None] | None = None

    with ThreadPoolExecutor(1, "mace-talk-index") as pool:
        for lines in _records_of(handle, part, checksums, key, progress):
            builder.add(*rule.read_turns(lines))
            if builder.size + len(lines) > BLOCK_RECORDS:
                if pending is not None:
                    pending.result()
                sizes.append(builder.size)
                pending = pool.submit(write_talk, writer, len(sizes) - 1, builder.cut())
                if words.forget_if_large():
                    builder.forget()
        if pending is not None:
            pending.result()
    sizes.append(builder.size)
    write_talk(writer, len(sizes) - 1, builder.cut())
    writer.add("pieces", np.array(sizes, np.uint32))


def _records_of(
    handle: int, part: Part, checksums: Sequence[str], key: bytes, progress: Progress | None
) -> Iterator[list[bytes]]:
    """The lines of a part that are records, some at a time, in the order they are read."""
    starts = part.sections["line_starts"].view(np.int64)[part.rank_of_record]
    left = iter(checksums)
    done = part.start

    def seen(data: bytes) -> None:
        nonlocal done
        if mac_of(key, data) != next(left, None):
            raise Changed
        done += len(data)

    first = 0
    for lines, offset, _, _ in lines_of(handle, part.start, part.end, seen):
        lengths = np.fromiter(map(len, lines), np.int64, len(lines))
        begins = offset + np.cumsum(lengths + 1) - lengths - 1
        last = int(np.searchsorted(starts, begins[-1], "right"))
        if last - first < len(lines):
            lines = [lines[at] for at in np.searchsorted(begins, starts[first:last]).tolist()]
        first = last
        for low in range(0, len(lines), _SLICE):
            yield lines[low : low + _SLICE]
        if progress is not None:
            progress(done - part.start, part.end - part.start)


def pieces_of(sections: Sections, rule: LineRule, size: int) -> list[Any]:
    """The indexes that `build_talk` wrote, laid end to end; raise Damaged when they are not of so many records."""
    pieces = [rule.TalkIndex(sections.block(number)) for number in range(len(sections["pieces"]))]
    if sum(piece.size for piece in pieces) != size:
        raise Damaged("the index of a talk is of other records")
    return pieces


class Turns:
    """See `Turns` of the context room."""

    def __init__(self, talk: Any, record: Callable[[int], Any]) -> None:
        self.talk = talk
        self._record = record

    def turn(self, place: int) -> tuple[str, tuple[str, ...]]:
        record = self._record(int(self.talk.ranks[place]))
        return record.text, record.tags
