"""A talk ready to be scored: its turns in the order they were written, which belong together, and who speaks.

Pure. A `Talk` is made once for one state of its turns and kept by whoever serves them (`Turns`): a reader of stores,
or whoever holds what a person said. Everything in it is by *place*, the order of reading; *ranks* are the order that
holds when no score tells turns apart.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from mace.memory.context.english import words_of
from mace.memory.context.ports import NO_INSTANT
from mace.memory.context.talk_index import QUESTION, Postings, TalkIndex

SAME_TALK_US: Final = 6 * 3_600_000_000
BEFORE, AFTER = (0.35, 0.15), (0.3, 0.1)  # what the turns one and two before and after lend
ANSWER: Final = 0.6  # what a question lends to the turn right after it

# How far a turn reaches, in the bits of `Talk.reach`: one and two turns on, one and two turns back; and a question.
_ON, _ON_2, _BACK, _BACK_2, _ASKS = 1, 2, 4, 8, 16
_CODES: Final = np.arange(32)
# What a turn lends, by reach, in the order in which a turn is lent to: from the second before it to the second after.
LENDING: Final = (
    (2, np.where(_CODES & _ON_2, BEFORE[1], 0.0)),
    (1, np.where(_CODES & _ON, np.where(_CODES & _ASKS, ANSWER, BEFORE[0]), 0.0)),
    (0, np.ones(32)),
    (-1, np.where(_CODES & _BACK, AFTER[0], 0.0)),
    (-2, np.where(_CODES & _BACK_2, AFTER[1], 0.0)),
)

Flags = NDArray[np.bool_]


class Turns(Protocol):
    """What the scorer needs from whoever serves the turns of a talk."""

    @property
    def talk(self) -> "Talk": ...
    def turn(self, place: int) -> tuple[str, tuple[str, ...]]: ...  # its text and tags; asked for the best few only


class Talk:
    """The turns of stores or conversations, one after the other, each in the order it is read."""

    def __init__(
        self,
        pieces: Sequence[TalkIndex],
        sizes: Sequence[int],
        instants: NDArray[np.int64],
        ranks: NDArray[np.uint32],
    ) -> None:
        """`pieces` are indexes laid end to end; `sizes` how many turns each store or conversation has; `instants` and
        `ranks` are by place."""
        self.pieces = tuple(pieces)
        self.size = sum(piece.size for piece in pieces)
        if not self.size == sum(sizes) == len(instants) == len(ranks):
            raise ValueError("a talk needs an instant, a rank and a store for each turn of its indexes")
        self.instants, self.ranks = instants, ranks
        self._bases = np.cumsum([0, *(piece.size for piece in pieces)]).tolist()
        self._sizes = tuple(sizes)
        self._speakers: dict[bool, tuple[NDArray[np.uint32], list[str]]] = {}

    @cached_property
    def places(self) -> NDArray[np.uint32]:
        """Places by rank."""
        places = np.empty(self.size, np.uint32)
        places[self.ranks] = np.arange(self.size, dtype=np.uint32)
        return places

    @cached_property
    def lengths(self) -> NDArray[np.uint32]:
        return _joined([piece.lengths for piece in self.pieces]).astype(np.uint32)

    @cached_property
    def flags(self) -> NDArray[np.uint8]:
        return _joined([piece.flags for piece in self.pieces]).astype(np.uint8)

    @cached_property
    def _links(self) -> tuple[Flags, Flags]:
        """Whether a turn and the next belong to one talk; and whether the two next do. The last has no next."""
        link, link_2 = np.zeros(self.size, np.bool_), np.zeros(self.size, np.bool_)
        has = self.instants != NO_INSTANT
        when = np.where(has, self.instants, 0)
        link[:-1] = np.where(has[1:] & has[:-1], np.abs(when[1:] - when[:-1]) <= SAME_TALK_US, has[1:] == has[:-1])
        ends = np.cumsum(self._sizes, dtype=np.int64)
        link[ends[ends > 0] - 1] = False
        link_2[:-1] = link[:-1] & link[1:]
        return link, link_2

    @cached_property
    def reach(self) -> NDArray[np.uint8]:
        """How far each turn lends its words; see `LENDING`."""
        link, link_2 = (flags.view(np.uint8) for flags in self._links)
        reach = link * np.uint8(_ON) | link_2 * np.uint8(_ON_2)
        reach[1:] |= link[:-1] * np.uint8(_BACK)
        reach[2:] |= link_2[:-2] * np.uint8(_BACK_2)
        reach |= ((self.flags & QUESTION) > 0).view(np.uint8) * np.uint8(_ASKS)
        return reach

    def around(self, sources: Flags) -> Flags:
        """These turns and all that they lend to."""
        link, link_2 = self._links
        found = sources.copy()
        found[1:] |= (sources & link)[:-1]
        found[2:] |= (sources & link_2)[:-2]
        found[:-1] |= sources[1:] & link[:-1]
        found[:-2] |= sources[2:] & link_2[:-2]
        return found

    def held(self, name: str, *, with_tags: bool) -> int:
        """How many turns have a stem."""
        if name.startswith("@"):
            return len(self._in_time(name))
        return sum(piece.held(name, with_tags=with_tags) for piece in self.pieces)

    def having(self, name: str, *, with_tags: bool, with_hidden: bool = False) -> Postings:
        """The turns that have a stem or were written in a time; see `TalkIndex.having`."""
        if name.startswith("@"):
            places = self._in_time(name)
            return Postings(places, np.ones(len(places), np.int64))
        held = [piece.having(name, with_tags=with_tags, with_hidden=with_hidden) for piece in self.pieces]
        if len(held) == 1:
            return held[0]
        empty = np.empty(0, np.int64)
        moved = [one.places + base for one, base in zip(held, self._bases, strict=False)]
        return Postings(np.concatenate([empty, *moved]), np.concatenate([empty, *(one.counts for one in held)]))

    def has_hidden(self, name: str) -> bool:
        """Whether some turn has a stem in a spelling that a search for it does not reach."""
        return any(piece.has_hidden(name) for piece in self.pieces)

    @cached_property
    def _months(self) -> NDArray[np.int32]:
        """Months since 1970 by place; those without an instant lie before all others."""
        months = self.instants.astype("datetime64[us]").astype("datetime64[M]").astype(np.int64)
        return np.where(self.instants == NO_INSTANT, -(1 << 30), months).astype(np.int32)

    def _in_time(self, name: str) -> NDArray[np.int64]:
        """Turns written in a year ("@2024"), a month of one ("@2024-05") or of any ("@month5")."""
        months = self._months
        if name.startswith("@month"):
            return np.flatnonzero((months % 12 == int(name[6:]) - 1) & (months > -(1 << 30)))
        first, many = (int(name[1:5]) - 1970) * 12, 12
        if len(name) > 5:
            first, many = first + int(name[6:]) - 1, 1
        return np.flatnonzero((months >= first) & (months < first + many))

    def speakers(self, *, with_tags: bool) -> tuple[NDArray[np.uint32], list[str]]:
        """The number of each turn's speaker, and the speakers by number; the first is "", which is nobody known."""
        known = self._speakers.get(with_tags)
        if known is None:
            numbers: dict[str, int] = {"": 0}
            found = []
            for piece in self.pieces:
                new = np.array([numbers.setdefault(name, len(numbers)) for name in piece.names], np.uint32)
                found.append(new[piece.speakers(with_tags=with_tags)])
            known = self._speakers[with_tags] = (_joined(found).astype(np.uint32), list(numbers))
        return known

    @cached_property
    def _speaker_words(self) -> dict[bool, dict[str, list[int]]]:
        return {}

    def speakers_named(self, words: frozenset[str], *, with_tags: bool) -> list[int]:
        """The numbers of speakers who have one of these words in their name."""
        by_word = self._speaker_words.get(with_tags)
        if by_word is None:
            by_word = self._speaker_words[with_tags] = {}
            for number, name in enumerate(self.speakers(with_tags=with_tags)[1]):
                for word in set(words_of(name)):
                    by_word.setdefault(word, []).append(number)
        return sorted({number for word in words for number in by_word.get(word, ())})


def _joined(arrays: Sequence[NDArray[np.unsignedinteger[Any]]]) -> NDArray[np.unsignedinteger[Any]]:
    return np.concatenate([np.empty(0, np.uint8), *arrays])
