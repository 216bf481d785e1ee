"""Words of many texts at once: every word gets a number, every text the numbers of its words.

NumPy does the counting, and every comparison is exact: words of up to 16 bytes are compared as one or two 64-bit
numbers in a small table, all others and all newcomers as bytes in a dictionary. A word is a run of bytes between ASCII
white space; texts with other white space must come with it collapsed. What would hurt: trusting a hash alone, since
two words that share a number would make a search find what is not there.
"""

from collections import defaultdict
from itertools import count
from typing import Final

import numpy as np
from numpy.typing import NDArray

_LEVEL_BITS: Final = (16, 19)  # a small table that stays in the processor's cache, then a large one
_MAX_WORDS: Final = 1 << 18  # beyond this many words the dictionary starts over, so that it stays small and quick
_LANE: Final = 8

_IS_SPACE = np.zeros(256, np.bool_)
_IS_SPACE[[9, 10, 11, 12, 13, 28, 29, 30, 31, 32]] = True
_KEEP_BYTES = np.array([(1 << (8 * n)) - 1 for n in range(_LANE + 1)], np.uint64)
_MIXES = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F)


class _Level:
    """A table of words by hash; a place is given to the first word that wants it, and never changes hands.

    Frequent words come early, so nobody pushes them out. An empty place holds zeros, which is no word.
    """

    def __init__(self, bits: int, mix: int) -> None:
        self._shift = np.uint64(64 - bits)
        self._mix = np.uint64(mix)
        self._second_mix = np.uint64(mix ^ 0xD6E8FEB86659FD93 | 1)
        self._low = np.zeros(1 << bits, np.uint64)
        self._high = np.zeros(1 << bits, np.uint64)
        self._is_long = np.zeros(1 << bits, np.bool_)
        self._number = np.zeros(1 << bits, np.uint32)

    def find(
        self,
        low: NDArray[np.uint64],
        long: NDArray[np.int64],
        high: NDArray[np.uint64],
        too_long: NDArray[np.int64],
    ) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """Return a number for each word, and which of them are wrong because the word is not here.

        `low` has the first lane of every word, `high` the second of the `long` ones; others have zeros there.
        """
        mixed = low * self._mix
        mixed[long] ^= high * self._second_mix
        places = (mixed >> self._shift).astype(np.int64)
        wrong = self._low.take(places) != low
        differ = wrong.take(long)
        # A long word and a short one may share their first lane, so the second must agree both ways.
        wrong |= self._is_long.take(places)
        differ |= self._high.take(places.take(long)) != high
        wrong[long] = differ
        wrong[too_long] = True
        return self._number.take(places), np.flatnonzero(wrong)

    def add(self, low: NDArray[np.uint64], high: NDArray[np.uint64], numbers: NDArray[np.uint32]) -> NDArray[np.bool_]:
        """Put words where their place is free; say which found theirs taken."""
        mixed = (low * self._mix) ^ (high * self._second_mix)
        places = (mixed >> self._shift).astype(np.int64)
        taken: NDArray[np.bool_] = self._low[places] != 0
        # Two newcomers may want one place: all arrays are written by one index list, so the last one wins in each.
        free = ~taken
        spots = places[free]
        self._low[spots] = low[free]
        self._high[spots] = high[free]
        self._is_long[spots] = high[free] != 0
        self._number[spots] = numbers[free]
        return taken


class Interner:
    """Numbers words in the order they are first seen."""

    def __init__(self) -> None:
        self.words: list[bytes] = []
        self._start_over()

    def _start_over(self) -> None:
        self._numbers: defaultdict[bytes, int] = defaultdict(count().__next__)  # a new word gets the next number
        self._small, self._large = (_Level(bits, mix) for bits, mix in zip(_LEVEL_BITS, _MIXES, strict=True))

    def forget_if_large(self) -> bool:
        """Drop all numbers when there are very many; the caller must have used up the old ones."""
        if len(self.words) <= _MAX_WORDS:
            return False
        self.words = []
        self._start_over()
        return True

    def number(self, joined: bytes, sizes: NDArray[np.int64]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """Return the numbers of all words of all texts in order, and how many each text has.

        `joined` holds the texts, each followed by a newline, and `sizes` their lengths without it.
        """
        padded = joined + bytes(2 * _LANE)
        data = np.frombuffer(padded, np.uint8)[: len(joined)]
        spaces = _white_space(data)
        starts = np.empty_like(spaces)
        starts[:1] = 0
        starts[1:] = spaces[:-1] + 1
        lengths = spaces - starts
        spaces_in_texts = np.searchsorted(spaces, np.cumsum(sizes + 1))
        counts = np.diff(spaces_in_texts, prepend=0)
        if not lengths.all():
            held = np.flatnonzero(lengths)
            counts = np.diff(np.searchsorted(held, spaces_in_texts), prepend=0)
            starts, lengths = starts.take(held), lengths.take(held)
        if not data.all():  # a zero byte inside a word could not be told from the padding of a lane
            return self._learn(padded, starts, lengths), counts
        lanes = np.ndarray((len(padded) - _LANE + 1,), "<u8", padded, strides=(1,))
        low = lanes[starts] & _KEEP_BYTES.take(lengths, mode="clip")
        long = np.flatnonzero(lengths > _LANE)
        high = lanes[starts.take(long) + _LANE] & _KEEP_BYTES.take(lengths.take(long) - _LANE, mode="clip")
        # A word of more than two lanes is not compared here at all.
        too_long = long[lengths.take(long) > 2 * _LANE]
        numbers, missing = self._small.find(low, long, high, too_long)
        if len(missing):
            numbers[missing] = self._look_closer(padded, starts[missing], lengths[missing], lanes)
        return numbers, counts

    def _look_closer(
        self,
        padded: bytes,
        starts: NDArray[np.int64],
        lengths: NDArray[np.int64],
        lanes: NDArray[np.uint64],
    ) -> NDArray[np.uint32]:
        """Number words the small table does not hold: by the large one, else by the dictionary."""
        low = lanes[starts] & _KEEP_BYTES.take(lengths, mode="clip")
        long = np.flatnonzero(lengths > _LANE)
        high = np.zeros(len(starts), np.uint64)
        high[long] = lanes[starts[long] + _LANE] & _KEEP_BYTES[np.minimum(lengths[long] - _LANE, _LANE)]
        too_long = np.flatnonzero(lengths > 2 * _LANE)
        numbers, unknown = self._large.find(low, long, high[long], too_long)
        if len(unknown):
            learnt = self._learn(padded, starts[unknown], lengths[unknown])
            numbers[unknown] = learnt
            fits = lengths[unknown] <= 2 * _LANE
            known, learnt = unknown[fits], learnt[fits]
            taken = self._small.add(low[known], high[known], learnt)
            self._large.add(low[known][taken], high[known][taken], learnt[taken])
        return numbers

    def _learn(self, padded: bytes, starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.uint32]:
        met = [padded[start:end] for start, end in zip(starts.tolist(), (starts + lengths).tolist(), strict=True)]
        known = len(self.words)
        numbers = np.fromiter(map(self._numbers.__getitem__, met), np.uint32, len(met))
        if len(self._numbers) > known:
            new = dict.fromkeys([met[place] for place in np.flatnonzero(numbers >= known).tolist()])
            self.words.extend(new)  # in the order they were first met, which is that of their numbers
        return numbers


def _white_space(data: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Where the ASCII white space is."""
    spaces = np.flatnonzero(data <= 32)
    usual = np.count_nonzero(data == 32) + np.count_nonzero(data == 10)
    if usual != len(spaces) and not _IS_SPACE[data[spaces]].all():  # control characters that are no white space
        spaces = np.flatnonzero(_IS_SPACE[data])
    return spaces
