"""A block: up to 65,536 records, the distinct words of their texts, and which record has which word.

Works on arrays alone, wherever they lie (memory or a mapped file). A search term has no white space, so it can only
match inside one word: the three-byte pieces of the words lead to the words that contain it, and those to the records.
Words in many records keep one bit per record instead of a list. Everything is exact; nothing here is a score.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

BLOCK_RECORDS: Final = 1 << 16
_DENSE_SHARE: Final = 64  # a word in more than one record of so many is kept as bits
_MAX_DENSE: Final = 512
_SAMPLED: Final = 16
_PIECES_SHARE: Final = 8  # a block whose words are more than this part of its text is searched without pieces
_NEWLINE: Final = 10
_MANY: Final = 64
_WORTH_READING: Final = 2000  # list entries that cost as much as looking into the text of one record

Arrays = dict[str, NDArray[np.generic]]


def build_block(
    numbers: NDArray[np.uint32], places: NDArray[np.uint16], words: list[bytes], records: int, text_bytes: int
) -> Arrays:
    """Return the arrays of a block from the number of each word of each record; records must not fall."""
    dense = _frequent(numbers, records)
    bits, numbers, places = _as_bits(dense, numbers, places, records)
    numbers, members = _by_word(numbers, places)
    new_word = np.ones(len(numbers), np.bool_)
    np.not_equal(numbers[1:], numbers[:-1], out=new_word[1:])
    kept = np.ones(len(numbers), np.bool_)
    np.not_equal(members[1:], members[:-1], out=kept[1:])
    kept |= new_word
    members = members[kept]
    firsts = np.flatnonzero(new_word[kept])
    listed = numbers[new_word]
    present = np.sort(np.concatenate((listed, dense)))
    counts = np.zeros(len(present), np.int64)
    counts[np.searchsorted(present, listed)] = np.diff(firsts, append=len(members))
    held = [words[number] for number in present.tolist()]
    lengths = np.fromiter(map(len, held), np.int64, len(held))
    lexicon = b"\n".join([*held, b""])
    arrays: Arrays = {
        "lexicon": np.frombuffer(lexicon, np.uint8),
        "word_starts": _offsets(lengths + 1),
        "member_starts": _offsets(counts),
        "members": members,
        "dense_words": np.searchsorted(present, dense).astype(np.uint32),
        "dense_bits": bits.reshape(-1),
        "records": np.array([records], np.uint32),
    }
    if len(lexicon) * _PIECES_SHARE <= text_bytes or len(lexicon) < 1 << 16:
        arrays.update(_pieces(np.frombuffer(lexicon, np.uint8), lengths))
    return arrays


def _frequent(numbers: NDArray[np.uint32], records: int) -> NDArray[np.uint32]:
    """Words to keep as bits, rising: the most frequent, going by every sixteenth word. Any choice answers the same."""
    sample = numbers[::_SAMPLED]
    found = np.bincount(sample) * (_SAMPLED * _DENSE_SHARE) > max(records, _SAMPLED * _DENSE_SHARE)
    dense = np.flatnonzero(found)
    if len(dense) > _MAX_DENSE:
        often = np.bincount(sample)[dense]
        dense = np.sort(dense[np.argsort(-often, kind="stable")[:_MAX_DENSE]])
    return dense.astype(np.uint32)


def _as_bits(
    dense: NDArray[np.uint32], numbers: NDArray[np.uint32], places: NDArray[np.uint16], records: int
) -> tuple[NDArray[np.uint8], NDArray[np.uint32], NDArray[np.uint16]]:
    """One bit per record for each of these words; and the numbers and places of all others."""
    if not len(dense):
        return np.zeros((0, (records + 7) // 8), np.uint8), numbers, places
    row_of = np.full(int(numbers.max()) + 1, -1, np.int16)
    row_of[dense] = np.arange(len(dense), dtype=np.int16)
    rows = row_of.take(numbers)
    taken, others = np.flatnonzero(rows >= 0), np.flatnonzero(rows < 0)  # places are quicker to follow than masks
    flags = np.zeros(len(dense) * records, np.bool_)
    flags[rows.take(taken).astype(np.int64) * records + places.take(taken)] = True
    bits = np.packbits(flags.reshape(len(dense), records), axis=1, bitorder="little")
    return bits, numbers.take(others), places.take(others)


def _pieces(lexicon: NDArray[np.uint8], lengths: NDArray[np.int64]) -> Arrays:
    """Three-byte pieces of the words, each with the words that have it; shorter ends are padded with zeros."""
    padded = np.concatenate((lexicon, np.zeros(2, np.uint8))).astype(np.uint16)
    first, second, third = padded[:-2], padded[1:-1], padded[2:]
    third = np.where(second == _NEWLINE, np.uint16(0), third)
    words = np.repeat(np.arange(len(lengths), dtype=np.uint32), lengths + 1)
    inside = np.flatnonzero(first != _NEWLINE)
    ends = (second.take(inside) << np.uint16(8)) | third.take(inside)
    heads, words = first.take(inside), words.take(inside)
    order = np.argsort(ends, kind="stable")
    order = order.take(np.argsort(heads.take(order), kind="stable"))
    pieces = (heads.take(order).astype(np.uint32) << np.uint32(16)) | ends.take(order)
    words = words.take(order)
    new = np.ones(len(pieces), np.bool_)
    np.not_equal(pieces[1:], pieces[:-1], out=new[1:])
    kept = new.copy()
    kept[1:] |= words[1:] != words[:-1]
    firsts = np.flatnonzero(new[kept])
    return {
        "pieces": pieces[new],
        "piece_starts": np.append(firsts, np.count_nonzero(kept)).astype(np.uint32),
        "piece_words": words[kept],
    }


def _by_word(numbers: NDArray[np.uint32], places: NDArray[np.uint16]) -> tuple[NDArray[np.uint32], NDArray[np.uint16]]:
    """Order by word number, then by place; places do not fall. NumPy counts keys of 16 bits instead of comparing."""
    low, high = np.flatnonzero(numbers < 1 << 16), np.flatnonzero(numbers >= 1 << 16)
    low = low.take(np.argsort(numbers.take(low).astype(np.uint16), kind="stable"))
    high = high.take(np.argsort(numbers.take(high).astype(np.uint16), kind="stable"))  # lower halves, then upper
    high = high.take(np.argsort((numbers.take(high) >> np.uint32(16)).astype(np.uint16), kind="stable"))
    order = np.concatenate((low, high))
    return numbers.take(order), places.take(order)


class Found(NamedTuple):
    """Which records of a block hold a term: these, and perhaps some of the open ones, whose texts must be read."""

    flags: NDArray[np.bool_]
    open: NDArray[np.int64] | None


class Block:
    """Answers which records of a block hold a term."""

    def __init__(self, arrays: Mapping[str, NDArray[np.generic]]) -> None:
        self.records = int(arrays["records"][0])
        self._arrays = arrays
        self._lexicon: bytes | None = None

    def having(self, term: bytes) -> Found | None:
        """Records whose text contains the term; None when no word does."""
        words = self._words_with(term)
        return self._records_of(words) if len(words) else None

    def having_phrase(self, words: list[bytes]) -> Found | None:
        """Records that can contain these words in a row (the ends may be parts of words); all of them open."""
        possible: NDArray[np.bool_] | None = None
        for place, word in enumerate(words):
            pattern = (b"\n" if place else b"") + word + (b"\n" if place < len(words) - 1 else b"")
            held = self._words_with(word, pattern)
            if not len(held):
                return None
            found = self._records_of(held)
            if found.open is not None:
                found.flags[found.open] = True
            possible = found.flags if possible is None else possible & found.flags
        if possible is None:
            return None
        return Found(np.zeros(self.records, np.bool_), np.flatnonzero(possible))

    def _words_with(self, term: bytes, pattern: bytes | None = None) -> NDArray[np.uint32]:
        """Rising numbers of words that contain the term, or match a pattern in which newlines are edges of words."""
        if "pieces" not in self._arrays:
            return self._scan(pattern or term)
        if len(term) <= 3:
            low = int.from_bytes(term, "big") << (8 * (3 - len(term)))
            words = self._pieces_between(low, low + (1 << (8 * (3 - len(term)))))
            if pattern is None:
                return words
        else:
            slices = [
                self._pieces_between(piece, piece + 1)
                for piece in {int.from_bytes(term[at : at + 3], "big") for at in range(len(term) - 2)}
            ]
            slices.sort(key=len)
            words = slices[0]
            if len(words) > _MANY:
                for other in slices[1:3]:
                    words = np.intersect1d(words, other, assume_unique=True)
        return self._confirmed(words, pattern or term)

    def _pieces_between(self, low: int, high: int) -> NDArray[np.uint32]:
        pieces, starts = self._arrays["pieces"], self._arrays["piece_starts"]
        first, last = np.searchsorted(pieces, np.array([low, high], np.uint32))
        if first == last:
            return np.empty(0, np.uint32)
        words = self._arrays["piece_words"][int(starts[first]) : int(starts[last])]
        if last - first > 1:  # words may have several of these pieces
            has = np.zeros(len(self._arrays["word_starts"]), np.bool_)
            has[words] = True
            return np.flatnonzero(has).astype(np.uint32)
        return words.astype(np.uint32, copy=False)

    def _confirmed(self, words: NDArray[np.uint32], pattern: bytes) -> NDArray[np.uint32]:
        lexicon, starts = self._lexicon_bytes(), self._arrays["word_starts"]
        find = lexicon.find
        # A word lies between the newline at its start and the one at the start of the next.
        edges = zip(words.tolist(), starts[words].tolist(), starts[words + np.uint32(1)].tolist(), strict=True)
        kept = [word for word, start, end in edges if find(pattern, start, end + 1) >= 0]
        return np.array(kept, np.uint32)

    def _scan(self, pattern: bytes) -> NDArray[np.uint32]:
        """Every word that matches, by looking through the whole lexicon."""
        lexicon = self._lexicon_bytes()
        inside: list[int] = []  # a byte of each word found
        at = lexicon.find(pattern)
        while at >= 0:
            inside.append(at + (pattern[0] == _NEWLINE))
            at = lexicon.find(pattern, lexicon.find(b"\n", at + 1))
        starts = self._arrays["word_starts"]
        return (np.searchsorted(starts, np.array(inside, starts.dtype)) - 1).astype(np.uint32)

    def _lexicon_bytes(self) -> bytes:
        """The words with a newline before, between and after them; kept as bytes, which search faster, if small."""
        if self._lexicon is None:
            lexicon = b"\n" + self._arrays["lexicon"].tobytes()
            if len(lexicon) > 1 << 24:
                return lexicon
            self._lexicon = lexicon
        return self._lexicon

    def _records_of(self, words: NDArray[np.uint32]) -> Found:
        flags = np.zeros(self.records, np.bool_)
        dense = self._arrays["dense_words"]
        at = np.searchsorted(words, dense)  # both rise
        rows = np.flatnonzero(words[np.minimum(at, len(words) - 1)] == dense)
        if len(rows):
            bits = self._arrays["dense_bits"].reshape(len(dense), -1)
            union = np.bitwise_or.reduce(bits[rows], axis=0)
            flags |= np.unpackbits(union, count=self.records, bitorder="little").view(np.bool_)
        starts, members = self._arrays["member_starts"], self._arrays["members"]
        lows, highs = starts[words].astype(np.int64), starts[words + np.uint32(1)].astype(np.int64)
        if len(rows):  # when nearly all are found, the rest is cheaper to read than the lists of rare words
            listed = int((highs - lows).sum())
            left = self.records - int(np.count_nonzero(flags))
            if left * _WORTH_READING < listed:
                return Found(flags, np.flatnonzero(~flags) if left else None)
        if len(words) < _MANY:
            for low, high in zip(lows.tolist(), highs.tolist(), strict=True):
                flags[members[low:high]] = True
        else:
            flags[members[_ranges(lows, highs)]] = True
        return Found(flags, None)


def _offsets(counts: NDArray[np.int64]) -> NDArray[np.generic]:
    ends = np.concatenate((np.zeros(1, np.int64), np.cumsum(counts)))
    return ends.astype(np.uint32 if ends[-1] < 1 << 32 else np.uint64)


def _ranges(lows: NDArray[np.int64], highs: NDArray[np.int64]) -> NDArray[np.int64]:
    """All numbers of all half-open ranges, one range after the other."""
    lengths = highs - lows
    ends = np.cumsum(lengths)
    numbers: NDArray[np.int64] = np.repeat(lows - ends + lengths, lengths)
    numbers += np.arange(len(numbers))
    return numbers
