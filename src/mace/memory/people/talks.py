"""What a person said, ready for the scorer of conversations: in the order of conversations, not of arrival.

Pure. Turns arrive as they come, several conversations side by side and old ones after new ones; their index is in the
order of arrival. The scorer reads each conversation from its first turn to its last.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mace.memory.context.phase7 import score_turns
from mace.memory.context.phase7_query import query_from
from mace.memory.context.talk import Talk
from mace.memory.context.talk_index import TalkIndex, least, packed


class Ranked(NamedTuple):
    """A turn that may matter, by its place in the order of arrival."""

    place: int
    score: float
    is_match: bool  # it has a word of the query itself; else a turn beside it has


class Talks:
    """The turns of one person: all conversations one after the other, each in time."""

    def __init__(self, index: TalkIndex, conversation_of: NDArray[np.uint32], instants: NDArray[np.int64]) -> None:
        arrived = np.arange(index.size)
        order = np.lexsort((arrived, instants, conversation_of))
        self._arrived = order  # the place in the order of arrival, by place
        self._conversation_of = conversation_of[order]
        sizes = np.bincount(conversation_of.astype(np.int64), minlength=1).tolist() if index.size else []
        newest = np.lexsort((-arrived[order], -instants[order]))
        ranks = np.empty(index.size, np.uint32)
        ranks[newest] = np.arange(index.size, dtype=np.uint32)
        self.talk = Talk([reordered(index, order)], [size for size in sizes if size], instants[order], ranks)

    def best(self, query: str, text: Callable[[int], str], only: int | None = None) -> Iterator[Ranked]:
        """Turns by falling score; of one conversation where `only` names it. `text` is asked for the best few."""
        denied = np.empty(0, np.uint32)
        if only is not None:
            denied = self.talk.ranks[self._conversation_of != only]
        wanted = query_from(query)
        scored = score_turns(_Opened(self, text), wanted, denied, with_tags=False)
        has_word = np.zeros(self.talk.size, np.bool_)
        for name in wanted.weights:
            if not name.startswith("@"):  # a time is around a turn, not in it
                has_word[self.talk.having(name, with_tags=False, with_hidden=True).places] = True
        for rank in scored.head.tolist():
            place = int(self.talk.places[rank])
            yield Ranked(self.arrived(place), float(scored.scores[place]), bool(has_word[place]))

    def arrived(self, place: int) -> int:
        """The place of a turn in the order of arrival."""
        return int(self._arrived[place])


class _Opened:
    """The turns as the scorer asks for them."""

    def __init__(self, talks: Talks, text: Callable[[int], str]) -> None:
        self.talk = talks.talk
        self._talks = talks
        self._text = text

    def turn(self, place: int) -> tuple[str, tuple[str, ...]]:
        return self._text(self._talks.arrived(place)), ()


def reordered(index: TalkIndex, order: NDArray[np.int64]) -> TalkIndex:
    """The same turns at other places: at each new place the turn that was at this old one."""
    if np.array_equal(order, np.arange(index.size)):
        return index
    arrays = index.arrays()
    place_of = np.empty(index.size, np.int64)
    place_of[order] = np.arange(index.size)
    offsets = arrays["offsets"].astype(np.int64)
    stems = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    places = place_of[arrays["places"]]
    by_place = np.argsort(stems * max(index.size, 1) + places, kind="stable")
    is_hidden = np.zeros(len(places), np.bool_)
    is_hidden[arrays["hidden"]] = True
    moved: dict[str, NDArray[Any]] = {name: arrays[name][order] for name in ("lengths", "flags", "speakers", "sets")}
    moved["places"] = places[by_place]
    moved["counts"] = arrays["counts"][by_place]
    moved["hidden"] = np.flatnonzero(is_hidden[by_place])
    return TalkIndex({**arrays, **{name: least(values) for name, values in moved.items()}})


def without(index: TalkIndex, is_gone: NDArray[np.bool_]) -> TalkIndex:
    """The index of the other turns, without any stem and any speaker that only those had that are gone."""
    arrays = index.arrays()
    stays = ~is_gone
    place_of = np.cumsum(stays) - 1
    offsets = arrays["offsets"].astype(np.int64)
    stem_of = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    kept = stays[arrays["places"]]
    counts = np.bincount(stem_of[kept], minlength=len(offsets) - 1)
    live = np.flatnonzero(counts)
    lexicon = list(index.stems)
    stems = [lexicon[number] for number in live.tolist()]
    is_hidden = np.zeros(len(kept), np.bool_)
    is_hidden[arrays["hidden"]] = True
    spoken = arrays["speakers"][stays].astype(np.int64)
    speakers = sorted({0, *spoken.tolist()})
    number_of = np.zeros(len(index.names), np.int64)
    number_of[speakers] = np.arange(len(speakers))
    return TalkIndex(
        packed(
            lexicon=stems,
            by_name=np.array(sorted(range(len(stems)), key=stems.__getitem__), np.int64),
            offsets=np.concatenate(([0], np.cumsum(counts[live]))),
            places=place_of[arrays["places"][kept]],
            counts=arrays["counts"][kept],
            hidden=np.flatnonzero(is_hidden[kept]),
            set_offsets=np.zeros(len(stems) + 1, np.int64),
            set_members=np.empty(0, np.int64),
            set_counts=np.empty(0, np.int64),
            lengths=arrays["lengths"][stays],
            flags=arrays["flags"][stays],
            speakers=number_of[spoken],
            sets=np.zeros(int(stays.sum()), np.int64),
            set_speakers=np.zeros(1, np.int64),
            names=[index.names[number] for number in speakers],
        )
    )
