"""One look of `phase7-v1` at all turns: what each is lent by the turns around it, and its score.

Pure. Turns are scored in blocks that fit into a processor's cache, each step for all turns of a block at once. The
sums and roundings are exact (see `exact`); what a turn is lent is added up in the order of the lenders, which is fixed.
"""

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mace.memory.context.exact import Floats, exact_sums, rounded, rounded_exactly
from mace.memory.context.phase7_query import Query
from mace.memory.context.talk import LENDING, Flags, Talk
from mace.memory.context.talk_index import NUMBER, SELF, TIME, Postings

SATURATION = 1.2
LENGTH_SHARE = 0.6
SPEAKER_FACTOR = 1.25
SELF_FACTOR = 1.25  # for turns in the first person when the query is, or when it names who speaks
KIND_FACTOR = 1.15
IDF_DECIMALS = 6
BLOCK: Final = 1 << 15
_REACH: Final = 2  # turns that a turn lends to on each side
_PAD: Final = 2 * _REACH
SHARES: Final = dict(LENDING)  # by how far away the turn is that is lent to
_DENSE_SHARE: Final = 8  # a stem in more than one turn of so many is lent for a whole block at once
_ROUNDINGS: Final = 4  # of a score on the way from its sum: three factors, and the sum itself


class Looker:
    """Looks at a talk for one query; what it found of a stem it keeps for the second look."""

    def __init__(self, talk: Talk, query: Query, *, with_tags: bool) -> None:
        self.talk, self.query, self.with_tags = talk, query, with_tags
        self._postings: dict[str, Postings] = {}
        self._held: dict[str, int] = {}
        self._holders: dict[str, NDArray[np.int64]] = {}

    def postings(self, name: str) -> Postings:
        found = self._postings.get(name)
        if found is None:
            found = self._postings[name] = self.talk.having(name, with_tags=self.with_tags)
            self._held[name] = len(found.places)
        return found

    def holders(self, name: str) -> NDArray[np.int64]:
        """The turns that have a stem, in whatever spelling; times are not in a turn, but around it."""
        found = self._holders.get(name)
        if found is None:
            if name.startswith("@"):
                found = np.empty(0, np.int64)
            elif self.talk.has_hidden(name):
                found = self.talk.having(name, with_tags=self.with_tags, with_hidden=True).places
            else:
                found = self.postings(name).places
            self._holders[name] = found
        return found

    def held(self, name: str) -> int:
        """How many turns have a stem."""
        found = self._held.get(name)
        if found is None:
            found = self._held[name] = self.talk.held(name, with_tags=self.with_tags)
        return found

    def idf(self, name: str) -> float:
        held = self.held(name)
        return round(math.log(1 + (self.talk.size - held + 0.5) / (held + 0.5)), IDF_DECIMALS)

    def look(self, weights: dict[str, float], is_denied: Flags) -> "Found | None":
        """Score every turn that has one of the stems, or stands near one that has; None when there is none."""
        sources = np.zeros(self.talk.size, np.bool_)
        for name in weights:
            sources[self.postings(name).places] = True
        lent = self.talk.around(sources)
        count = int(np.count_nonzero(lent))
        if not count:
            return None
        average = int(self.talk.lengths.sum(where=lent, dtype=np.int64)) / count or 1.0  # all of them without a word
        found = Found(self, weights, lent, average, self._speakers(lent))
        found.score_all(is_denied)
        return found

    def _speakers(self, lent: Flags) -> Flags | None:
        """By number: the speakers of these turns whom the query names, if it names some but not all."""
        named = self.talk.speakers_named(self.query.words, with_tags=self.with_tags)
        if not named:
            return None
        numbers, names = self.talk.speakers(with_tags=self.with_tags)
        known = np.bincount(numbers[lent], minlength=len(names)) > 0
        known[0] = False
        chosen = np.zeros(len(names), np.bool_)
        chosen[named] = True
        chosen &= known
        return chosen if chosen.any() and (chosen != known).any() else None


class Found:
    """What one look found, by place."""

    def __init__(
        self, looker: Looker, weights: dict[str, float], lent: Flags, average: float, speakers: Flags | None
    ) -> None:
        self.weights, self._looker, self._talk, self._query = weights, looker, looker.talk, looker.query
        self.has_any = lent  # after `score_all` without those that are denied
        self._average, self._speakers = average, speakers
        self._rates = {name: weight * looker.idf(name) for name, weight in weights.items()}
        self._room = self._rooms()
        self.scores = np.zeros(self._talk.size)  # rounded
        self.positive = np.zeros(self._talk.size, np.bool_)  # before they were rounded

    def _rooms(self) -> Floats:
        """By length: how much a stem must occur to count half."""
        lengths = np.arange(int(self._talk.lengths.max()) + 1, dtype=np.float64)
        return SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * lengths / self._average)

    def has(self, place: int) -> bool:
        return bool(self.has_any[place])

    def score_all(self, is_denied: Flags) -> None:
        size = self._talk.size
        names = [name for name in self.weights if len(self._looker.postings(name).places)]
        edges = np.arange(0, size + BLOCK, BLOCK)
        edges[-1] = size
        bounds = {name: self._bounds(name, edges) for name in names}
        for number, (low, high) in enumerate(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)):
            here = [(name, *bounds[name][number]) for name in names]
            here = [(name, first, last) for name, first, last in here if first < last]
            if here:
                self._score_block(low, high, here)
        self.positive &= self.has_any
        self.has_any = self.has_any & ~is_denied
        self.positive &= self.has_any

    def _bounds(self, name: str, edges: NDArray[np.int64]) -> list[tuple[int, int]]:
        """For each block the postings of the turns in it, and of those that lend into it."""
        places = self._looker.postings(name).places
        firsts = np.searchsorted(places, edges[:-1] - _REACH)
        lasts = np.searchsorted(places, edges[1:] + _REACH)
        return list(zip(firsts.tolist(), lasts.tolist(), strict=True))

    def _score_block(self, low: int, high: int, here: list[tuple[str, int, int]]) -> None:
        room = self._room.take(self._talk.lengths[low:high])
        parts = np.empty((len(here), high - low))
        for part, (name, first, last) in zip(parts, here, strict=True):
            counts = self._lent(name, first, last, low, high)
            np.multiply(counts, self._rates[name], out=part)
            part *= SATURATION + 1
            counts += room
            part /= counts
        sums = parts[0].copy()
        for part in parts[1:]:
            sums += part
        self.positive[low:high] = sums > 0
        factors = self._factors(low, high)
        _multiply(sums, factors)
        scores, unsure = rounded(sums, len(here) + _ROUNDINGS)
        at = np.flatnonzero(unsure)
        if len(at):
            exact = exact_sums(parts[:, at])
            _multiply(exact, [(factor, flags[at]) for factor, flags in factors])
            scores[at] = rounded_exactly(exact)
        self.scores[low:high] = scores

    def _lent(self, name: str, first: int, last: int, low: int, high: int) -> Floats:
        """How often each turn of a block has a stem, what the turns around it lend included."""
        postings = self._looker.postings(name)
        at = postings.places[first:last] - (low - _PAD)
        counts = postings.counts[first:last].astype(np.float64)
        reach = self._talk.reach[postings.places[first:last]]
        found = np.zeros(high - low + 2 * _PAD)
        if len(at) * _DENSE_SHARE > high - low:
            spread = np.zeros(len(found))
            codes = np.zeros(len(found), np.uint8)
            spread[at], codes[at] = counts, reach
            for way, shares in LENDING:
                lent = shares.take(codes[_REACH:-_REACH])
                lent *= spread[_REACH:-_REACH]
                found[_REACH + way : len(found) - _REACH + way] += lent
        else:
            for way, shares in LENDING:
                found[at + way] += shares.take(reach) * counts
        return found[_PAD:-_PAD]

    def _factors(self, low: int, high: int) -> list[tuple[float, Flags]]:
        """By what the scores of which turns are multiplied, one after the other."""
        flags, query = self._talk.flags[low:high], self._query
        found = []
        spoken = None
        if self._speakers is not None:
            spoken = self._speakers[self._looker.talk.speakers(with_tags=self._looker.with_tags)[0][low:high]]
            found.append((SPEAKER_FACTOR, spoken))
        if query.is_about_self:
            found.append((SELF_FACTOR, (flags & SELF) > 0))
        elif spoken is not None:
            found.append((SELF_FACTOR, ((flags & SELF) > 0) & spoken))
        kinds = TIME * query.wants_time | NUMBER * query.wants_number
        if kinds:
            found.append((KIND_FACTOR, (flags & kinds) > 0))
        return found

    # One turn at a time

    def exact(self, place: int) -> float:
        """The score of a turn before it is rounded."""
        room = float(self._room[int(self._talk.lengths[place])])
        parts = []
        for name in self.weights:
            count = self._lent_to(name, place)
            if count:
                parts.append(self._rates[name] * count * (SATURATION + 1) / (count + room))
        score = math.fsum(parts)
        for factor, flags in self._factors(place, place + 1):
            if flags[0]:
                score *= factor
        return score

    def reaches(self, name: str, place: int) -> bool:
        """Whether a turn or one that lends to it has a stem."""
        return self._lent_to(name, place) > 0

    def terms(self, place: int, names: dict[str, float]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Of these stems, those that the turn itself has, and those that only turns around it have."""
        own = tuple(name for name in names if _is_among(place, self._looker.holders(name)))
        return own, tuple(name for name in names if name not in own and self.reaches(name, place))

    def _lent_to(self, name: str, place: int) -> float:
        places, counts = self._looker.postings(name)
        at = int(np.searchsorted(places, place - _REACH))
        found = 0.0
        for number, source in enumerate(places[at : at + 2 * _REACH + 1].tolist(), at):
            if source > place + _REACH:
                break
            found += float(SHARES[place - source][self._talk.reach[source]]) * int(counts[number])
        return found


def _is_among(place: int, places: NDArray[np.int64]) -> bool:
    at = int(np.searchsorted(places, place))
    return at < len(places) and int(places[at]) == place


def _multiply(values: Floats, factors: list[tuple[float, Flags]]) -> None:
    for factor, flags in factors:
        np.multiply(values, factor, out=values, where=flags)
