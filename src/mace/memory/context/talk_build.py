"""Building the index of a talk: many turns at once, each distinct word looked at once.

Pure. Texts are cut at everything that is in no word, and the pieces numbered (by whoever is given for that: `Words`
here is the plain way); what a piece means is worked out when it is first met. So all that is done for every turn is
done by NumPy, but for who speaks. The rule is `turn_of`'s: any difference from it is an error.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from itertools import count, islice
from typing import Any, Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from mace.memory.context.english import FIRST_PERSON, NUMBER_WORDS, TIME_WORDS, stem, words_of
from mace.memory.context.phase7_query import is_number, is_time, probes, speaker_of, spoken_by
from mace.memory.context.talk_index import NUMBER, QUESTION, SELF, TIME, TalkIndex, packed

_SLICE: Final = 1 << 10
_IN_NO_WORD = re.compile(r"[^\w '’]|_")
_ASCII: Final = bytes(
    ord(chr(code).lower()) if chr(code).isalnum() or code == ord("'") else ord(" ") for code in range(128)
).ljust(256, b" ")
_FLAGS: Final = {
    word: TIME * is_time(word) | NUMBER * is_number(word) | SELF * (word in FIRST_PERSON)
    for word in (*TIME_WORDS, *NUMBER_WORDS, *FIRST_PERSON)
}
_AROUND: Final = '.,!?;:()[]{}<>#$%&*+-/=@|~"“”…'  # what stands around words
_NOBODY: Final = ("", 0)
_probes = lru_cache(maxsize=1 << 12)(probes)


class Numbering(Protocol):
    """Numbers the pieces of texts, which lie between ASCII white space, in the order they are first seen."""

    @property
    def words(self) -> list[bytes]: ...  # by number
    def number(
        self, joined: bytes, sizes: NDArray[np.int64], /
    ) -> tuple[NDArray[np.uint32], NDArray[np.int64]]: ...  # texts that each end with a newline, and their sizes


class Words:
    """The plain way to number pieces."""

    def __init__(self) -> None:
        self.words: list[bytes] = []
        self._numbers: defaultdict[bytes, int] = defaultdict(count().__next__)

    def number(self, joined: bytes, sizes: NDArray[np.int64]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        ends = np.cumsum(sizes + 1)
        pieces = [joined[end - size - 1 : end].split() for end, size in zip(ends.tolist(), sizes.tolist(), strict=True)]
        met = [piece for held in pieces for piece in held]
        numbers = np.fromiter(map(self._numbers.__getitem__, met), np.uint32, len(met))
        self.words.extend(islice(self._numbers, len(self.words), None))
        return numbers, np.fromiter(map(len, pieces), np.int64, len(pieces))


class TalkBuilder:
    """Takes turns in the order they are read, and makes their index."""

    def __init__(self, words: Numbering | None = None) -> None:
        self._words: Numbering = Words() if words is None else words
        self.forget()
        self._start()

    def forget(self) -> None:
        """Start over with the pieces, as the numbering did; between one index and the next."""
        self._known = 0  # pieces that are worked out
        self._stems: defaultdict[str, int] = defaultdict(count().__next__)
        self._stem_of = np.empty(0, np.uint32)  # by piece; nearly all have one
        self._flags_of = np.empty(0, np.uint8)
        self._odd: dict[int, list[int]] = {}  # the stems of pieces that have none or several
        self._shy: dict[int, list[tuple[int, tuple[str, ...]]]] = {}

    def _start(self) -> None:
        self.size = 0
        self._numbers: list[NDArray[np.uint32]] = []  # stems of all words of all turns
        self._lengths: list[NDArray[np.int64]] = []
        self._flags: list[NDArray[np.uint8]] = []
        self._names: dict[str, int] = {"": 0}
        self._tag_sets: dict[tuple[str, ...], int] = {(): 0}
        self._speakers: list[int] = []
        self._sets: list[int] = []
        self._hidden: list[tuple[int, int]] = []  # stem and place

    def add(self, texts: Sequence[str], tags: Sequence[tuple[str, ...]]) -> None:
        for low in range(0, len(texts), _SLICE):
            self._add(texts[low : low + _SLICE], tags[low : low + _SLICE])

    def _add(self, texts: Sequence[str], tags: Sequence[tuple[str, ...]]) -> None:
        self.add_numbered(texts, tags, *self._words.number(*_cut(texts)))

    def add_numbered(
        self,
        texts: Sequence[str],
        tags: Sequence[tuple[str, ...]],
        numbers: NDArray[np.uint32],
        counts: NDArray[np.int64],
    ) -> None:
        """Add turns whose pieces are numbered; these may lie between any white space, and be no word or several."""
        if len(self._words.words) > self._known:
            self._learn()
        spoken = [spoken_by(text) if ":" in text or '"' in text or "“" in text else _NOBODY for text in texts]
        flags = _any_of(self._flags_of.take(numbers), counts)
        asked = ["?" in text and text.find("?", begin) >= 0 for text, (_, begin) in zip(texts, spoken, strict=True)]
        flags[asked] |= QUESTION
        if self._shy:
            self._find_hidden(texts, numbers, counts)
        stems = self._stem_of.take(numbers)
        if self._odd:
            stems, counts = self._with_odd(numbers, stems, counts)
        self._numbers.append(stems)
        self._lengths.append(counts)
        self._flags.append(flags)
        self._speakers += [self._names.setdefault(speaker, len(self._names)) for speaker, _ in spoken]
        self._sets += [self._tag_sets.setdefault(held, len(self._tag_sets)) for held in tags]
        self.size += len(texts)

    def _learn(self) -> None:
        """Work out what the pieces mean that were met for the first time."""
        new = b"\n".join(self._words.words[self._known :]).decode().split("\n")
        stems = self._stems
        numbers: list[int] = []
        add = numbers.append
        flags: dict[int, int] = {}
        for piece in new:
            word = piece if piece.isalnum() else piece.strip(_AROUND)
            if word.isalpha():
                add(stems[stem(word)])
                if word in _FLAGS:
                    flags[len(numbers) - 1] = _FLAGS[word]
            elif word.isalnum():  # with a digit: it is its own stem
                add(stems[word])
                if word.isdecimal():
                    flags[len(numbers) - 1] = NUMBER | TIME * is_time(word)
            else:
                first, flags[len(numbers)] = self._apart(self._known + len(numbers), piece)
                add(first)
        flags_of = np.zeros(len(new), np.uint8)
        flags_of[list(flags)] = list(flags.values())
        self._stem_of = np.concatenate((self._stem_of, np.array(numbers, np.uint32)))
        self._flags_of = np.concatenate((self._flags_of, flags_of))
        self._known += len(new)

    def _apart(self, number: int, piece: str) -> tuple[int, int]:
        """Work out a piece that may be no word or several: its first stem, and its flags."""
        words = words_of(piece)
        names = [stem(word) for word in words]
        stems = [self._stems[name] for name in names]
        if len(stems) != 1:
            self._odd[number] = stems
        if "'" in piece or "’" in piece:  # a word without one always shows what is searched for
            hidden = [
                (at, _probes(name))
                for name, at in zip(names, stems, strict=True)
                if not any(probe in piece for probe in _probes(name))
            ]
            if hidden:
                self._shy[number] = hidden
        flags = 0
        for word in words:
            flags |= TIME * is_time(word) | NUMBER * is_number(word) | SELF * (word in FIRST_PERSON)
        return stems[0] if stems else 0, flags

    def _find_hidden(self, texts: Sequence[str], numbers: NDArray[np.uint32], counts: NDArray[np.int64]) -> None:
        """Note the stems that a turn has only in a spelling that no search for them reaches: "O'Brien" for "obrien"."""
        at = np.flatnonzero(_are_among(numbers, self._shy))
        turns = np.searchsorted(np.cumsum(counts), at, "right")
        for turn, piece in zip(turns.tolist(), numbers[at].tolist(), strict=True):
            lowered = texts[turn].lower()
            for number, sought in self._shy[piece]:
                if not any(probe in lowered for probe in sought):
                    self._hidden.append((number, self.size + turn))

    def _with_odd(
        self, numbers: NDArray[np.uint32], stems: NDArray[np.uint32], counts: NDArray[np.int64]
    ) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """Stems of all words, and how many each turn has, where a piece may be no word or several."""
        odd = np.flatnonzero(_are_among(numbers, self._odd))
        if not len(odd):
            return stems, counts
        many = np.ones(len(numbers), np.int64)
        many[odd] = [len(self._odd[piece]) for piece in numbers[odd].tolist()]
        starts = np.cumsum(many) - many
        spread = np.repeat(stems, many)
        for at, piece in zip(odd.tolist(), numbers[odd].tolist(), strict=True):
            names = self._odd[piece]
            spread[starts[at] : starts[at] + len(names)] = names
        ends = np.concatenate(([0], np.cumsum(many)))[np.cumsum(counts)]
        return spread, np.diff(ends, prepend=0)

    def finish(self) -> TalkIndex:
        """The index of all turns since the last one."""
        return self.cut().indexed()

    def cut(self) -> "Stretch":
        """All turns since the last index, ready to become one; the builder may go on meanwhile."""
        tags = self._sets_of_tags()
        stretch = Stretch(
            self.size,
            self._numbers,
            _joined(self._lengths, np.int64),
            _joined(self._flags, np.uint8),
            np.array(self._speakers, np.int64),
            np.array(self._sets, np.int64),
            self._hidden,
            tags,
            list(self._stems),
            list(self._names),
        )
        self._start()
        return stretch

    def _sets_of_tags(self) -> "_Tags":
        stems: list[int] = []
        counts: list[int] = []
        members, speakers = [], []
        for number, tags in enumerate(self._tag_sets):
            held = Counter(stem(word) for tag in tags for word in words_of(tag))
            stems += [self._stems[name] for name in held]
            counts += held.values()
            members += [number] * len(held)
            speaker = speaker_of(tags)
            speakers.append(0 if speaker is None else 1 + self._names.setdefault(speaker, len(self._names)))
        return _Tags(*(np.array(column, np.int64) for column in (stems, members, counts, speakers)))


class _Tags(NamedTuple):
    """The stems of all sets of tags, set by set, and who speaks by each set."""

    stems: NDArray[np.int64]
    members: NDArray[np.int64]
    counts: NDArray[np.int64]
    speakers: NDArray[np.int64]


class Stretch(NamedTuple):
    """Turns whose words are numbered, before they are ordered by stem."""

    size: int
    numbers: list[NDArray[np.uint32]]
    lengths: NDArray[np.int64]
    flags: NDArray[np.uint8]
    speakers: NDArray[np.int64]
    sets: NDArray[np.int64]
    hidden: list[tuple[int, int]]
    tags: _Tags
    stems: list[str]
    names: list[str]

    def indexed(self) -> TalkIndex:
        stems, places, counts = _postings(_joined(self.numbers, np.uint32), self.lengths)
        self.numbers.clear()
        held = np.bincount(stems, minlength=len(self.stems))
        tag_held = np.bincount(self.tags.stems, minlength=len(self.stems))
        used = np.flatnonzero((held > 0) | (tag_held > 0))
        lexicon = [self.stems[number].encode() for number in used.tolist()]
        tag_order = np.argsort(self.tags.stems, kind="stable")
        hidden = np.empty(0, np.int64)
        if self.hidden:
            keys = stems.astype(np.int64) * self.size + places
            is_hidden = np.zeros(len(stems), np.bool_)
            is_hidden[np.searchsorted(keys, [number * self.size + place for number, place in self.hidden])] = True
            hidden = np.flatnonzero(is_hidden)
        return TalkIndex(
            packed(
                lexicon=lexicon,
                by_name=np.array(sorted(range(len(lexicon)), key=lexicon.__getitem__), np.int64),
                offsets=np.concatenate(([0], np.cumsum(held[used]))),
                places=places,
                counts=counts,
                hidden=hidden,
                set_offsets=np.concatenate(([0], np.cumsum(tag_held[used]))),
                set_members=self.tags.members[tag_order],
                set_counts=self.tags.counts[tag_order],
                lengths=self.lengths,
                flags=self.flags,
                speakers=self.speakers,
                sets=self.sets,
                set_speakers=self.tags.speakers,
                names=self.names,
            )
        )


def build(turns: Iterable[tuple[str, tuple[str, ...]]]) -> TalkIndex:
    """The index of turns, given as text and tags in the order they are read."""
    builder = TalkBuilder()
    left = iter(turns)
    while held := list(islice(left, _SLICE)):
        builder.add([text for text, _ in held], [tags for _, tags in held])
    return builder.finish()


def _cut(texts: Sequence[str]) -> tuple[bytes, NDArray[np.int64]]:
    """The texts lowered, with spaces for all that is in no word, each with a newline behind it; and their sizes."""
    together = "\n".join(texts)
    if together.isascii():
        return together.encode().translate(_ASCII) + b"\n", np.fromiter(map(len, texts), np.int64, len(texts))
    cut = [
        text.encode().translate(_ASCII) if text.isascii() else _IN_NO_WORD.sub(" ", text.lower()).encode()
        for text in texts
    ]
    return b"\n".join(cut) + b"\n", np.fromiter(map(len, cut), np.int64, len(cut))


def _are_among(numbers: NDArray[np.uint32], wanted: Collection[int]) -> NDArray[np.bool_]:
    is_wanted = np.zeros(int(numbers.max()) + 1 if len(numbers) else 0, np.bool_)
    is_wanted[[number for number in wanted if number < len(is_wanted)]] = True
    return is_wanted.take(numbers)


def _any_of(flags: NDArray[np.uint8], counts: NDArray[np.int64]) -> NDArray[np.uint8]:
    """The flags that any word of a turn has."""
    found = np.zeros(len(counts), np.uint8)
    some = np.flatnonzero(counts)
    if len(some):
        found[some] = np.bitwise_or.reduceat(flags, (np.cumsum(counts) - counts)[some])
    return found


def _postings(
    numbers: NDArray[np.uint32], lengths: NDArray[np.int64]
) -> tuple[NDArray[np.uint32], NDArray[Any], NDArray[np.int64]]:
    """Stem, place and count of all that occurs, by stem and place, from the stems of all words in order."""
    kind = np.uint16 if len(lengths) <= 1 << 16 else np.uint32
    places = np.repeat(np.arange(len(lengths), dtype=kind), lengths)
    order = _order(numbers)
    numbers, places = numbers.take(order), places.take(order)
    new = np.ones(len(numbers), np.bool_)
    np.not_equal(numbers[1:], numbers[:-1], out=new[1:])
    new[1:] |= places[1:] != places[:-1]
    firsts = np.flatnonzero(new)
    return numbers.take(firsts), places.take(firsts), np.diff(firsts, append=len(numbers))


def _order(numbers: NDArray[np.uint32]) -> NDArray[np.int64]:
    """A stable order by number. NumPy counts keys of 16 bits instead of comparing, and frequent stems come early."""
    low, high = np.flatnonzero(numbers < 1 << 16), np.flatnonzero(numbers >= 1 << 16)
    low = low.take(np.argsort(numbers.take(low).astype(np.uint16), kind="stable"))
    high = high.take(np.argsort(numbers.take(high).astype(np.uint16), kind="stable"))  # lower halves, then upper
    high = high.take(np.argsort((numbers.take(high) >> np.uint32(16)).astype(np.uint16), kind="stable"))
    return np.concatenate((low, high))


def _joined(arrays: list[Any], dtype: Any) -> Any:
    return np.concatenate(arrays) if arrays else np.empty(0, dtype)
