"""The scorer `phase7-v1`: finds the right turns of a conversation, not only the right words.

Pure and deterministic; no learning, no network. In short (the decision records have the reasons and the measurements):
stems instead of substrings, weighed by how rare they are; a turn is read together with its neighbours, and the answer
to a question that matches counts nearly as much as the question; who speaks, when, and what kind of answer is asked
for count a little; and the best turns lend their rare words to a second, weaker look.
All turns are scored at once from the index of their talk; only the best few are read. Logarithms are rounded before
use, and sums and roundings are those of `math.fsum` and `round` (see `exact`), so scores do not depend on the machine.
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mace.memory.context.english import STOP_STEMS
from mace.memory.context.exact import Floats, added, falling_order, recency_bonuses
from mace.memory.context.phase7_look import IDF_DECIMALS, Found, Looker
from mace.memory.context.phase7_query import Query, Turn, query_of, turn_of
from mace.memory.context.ports import NO_INSTANT, Candidates, Ranks
from mace.memory.context.records import Record
from mace.memory.context.request import Request
from mace.memory.context.scoring import Ranking, Score, Scoring, half_lives, total
from mace.memory.context.talk import Turns

SECOND_LOOK_TURNS, SECOND_LOOK_TERMS, SECOND_LOOK_WEIGHT = 8, 8, 0.25
_FIRST_LOOKED_AT = 64


class Recency(NamedTuple):
    """What a turn gains by being recent: one half after so many days."""

    now_us: int
    half_life_days: int


class Reasons(NamedTuple):
    """Which terms of the query made a turn's score."""

    own: tuple[str, ...] = ()  # in the turn itself
    near: tuple[str, ...] = ()  # only in the turns around it
    second: tuple[str, ...] = ()  # stems of the second look


class Scored:
    """What `score_turns` answers, by place."""

    def __init__(self, head: Ranks, scores: Floats, found: Found | None, query: Query) -> None:
        self.head = head  # ranks of all turns that have a score, the best first
        self.scores = scores  # rounded; 0 where nothing was found
        self._found, self._query = found, query

    def reasons(self, place: int) -> Reasons:
        if self._found is None or not self._found.has(place):
            return Reasons()
        own, near = self._found.terms(place, self._query.weights)
        others = [name for name in self._found.weights if name not in self._query.weights]
        return Reasons(own, near, tuple(name for name in others if self._found.reaches(name, place)))


def score_candidates(candidates: Candidates, request: Request, denied: Ranks) -> Scoring:
    """The scorer `phase7-v1`."""
    turns = candidates.turns()
    recency = None
    if request.recency and request.now_us is not None:
        recency = Recency(request.now_us, request.half_life_days)
    scored = score_turns(turns, query_of(request), denied, recency, with_tags=request.tag_overlap)
    is_taken = np.zeros(candidates.size, np.bool_)
    is_taken[scored.head] = True
    is_taken[denied] = True

    def score(rank: int, record: Record) -> Score:
        place = int(turns.talk.places[rank])
        reasons = scored.reasons(place)
        tags = tuple(tag for tag in record.tags if request.tag_overlap and tag in request.terms)
        bonus = 0.0
        if recency is not None and record.ts_us is not None:
            bonus = total(0, half_lives(recency.now_us - record.ts_us, recency.half_life_days))
        details = {"nearby_terms": list(reasons.near), "second_look_terms": list(reasons.second)}
        return Score(float(scored.scores[place]), reasons.own, tags, bonus, details)

    return Scoring(Ranking(scored.head, np.flatnonzero(is_taken).astype(np.uint32), candidates.size), score)


def score_turns(
    turns: Turns, query: Query, denied: Ranks, recency: Recency | None = None, *, with_tags: bool = True
) -> Scored:
    """Score all turns but those that are denied (which still lend their words), and order them."""
    talk = turns.talk
    is_denied = np.zeros(talk.size, np.bool_)
    is_denied[talk.places[denied]] = True
    looker = Looker(talk, query, with_tags=with_tags)
    found = looker.look(query.weights, is_denied)
    if found is not None:
        more = _Leads(turns, looker, query, found).terms()
        if more:
            found = looker.look({**query.weights, **more}, is_denied)
    scores = np.zeros(talk.size)
    head = np.empty(0, np.int64)
    if found is not None:
        head = np.flatnonzero(found.positive)
        scores[head] = found.scores[head]
    if recency is not None:
        head = np.flatnonzero((scores > 0) | ((talk.instants != NO_INSTANT) & ~is_denied))
        bonuses = recency_bonuses(talk.instants[head], recency.now_us, recency.half_life_days)
        scores[head] = added(scores[head], bonuses)
        head = head[scores[head] > 0]
    return Scored(falling_order(scores[head], talk.ranks[head]), scores, found, query)


class _Leads:
    """Where the best turns of the first look lead: their rare stems, for the second."""

    def __init__(self, turns: Turns, looker: Looker, query: Query, found: Found) -> None:
        self._turns, self._looker, self._query, self._found = turns, looker, query, found
        self._talk = turns.talk

    def terms(self) -> dict[str, float]:
        """Rare stems of the best turns with their weights; names count more."""
        best = self._different(SECOND_LOOK_TURNS)
        scores = [self._found.exact(place) for place, _ in best]
        if not best or scores[0] <= 0:
            return {}
        gained: dict[str, float] = {}
        for (_, turn), score in zip(best, scores, strict=True):
            share = score / scores[0]
            for name in sorted(turn.stems):
                if len(name) > 2 and name not in self._query.weights and name not in STOP_STEMS:
                    gained[name] = gained.get(name, 0.0) + share * (1.5 if name in turn.names else 1.0)
        several = {name: value for name, value in gained.items() if value > 1.2}
        size = self._talk.size
        rated = {}
        for name in sorted(several, key=lambda name: (-several[name], name))[: 3 * SECOND_LOOK_TERMS]:
            count = self._looker.held(name)
            if count * 8 < size:
                rated[name] = several[name] * round(math.log(1 + size / (count + 0.5)), IDF_DECIMALS)
        chosen = sorted(rated, key=lambda name: (-round(rated[name], 9), name))[:SECOND_LOOK_TERMS]
        weight = SECOND_LOOK_WEIGHT * self._covered([place for place, _ in best])
        return {name: weight * rated[name] / rated[chosen[0]] for name in chosen}

    def _different(self, most: int) -> list[tuple[int, Turn]]:
        """The best that do not say the same words again: what is often repeated is no better a lead."""
        kept: list[tuple[int, Turn]] = []
        said: set[tuple[str, ...]] = set()
        for place in best_first(self._found.scores, self._found.has_any, self._talk.ranks):
            text, tags = self._turns.turn(place)
            turn = turn_of(text, tags if self._looker.with_tags else ())
            words = tuple(sorted(turn.stems))
            if words not in said:
                said.add(words)
                kept.append((place, turn))
                if len(kept) == most:
                    break
        return kept

    def _covered(self, best: list[int]) -> float:
        """How much of the query its best turn holds, by weight and rarity: whom a poor match names is no lead."""
        weights = self._query.weights
        idf = {name: self._looker.idf(name) * weight for name, weight in weights.items()}
        whole = math.fsum(idf.values())
        terms = [self._found.terms(place, weights) for place in best]
        return max(math.fsum(idf[name] for name in (*own, *near)) for own, near in terms) / whole


def best_first(scores: Floats, is_found: NDArray[np.bool_], ranks: Ranks) -> Iterator[int]:
    """Places of those found, by falling score and rising rank; only as many are put in order as are asked for."""
    left = np.flatnonzero(is_found)
    many = _FIRST_LOOKED_AT
    while len(left):
        here = left
        if len(left) > 2 * many:
            least = np.partition(scores[left], len(left) - many)[len(left) - many]
            here, left = left[scores[left] >= least], left[scores[left] < least]
        else:
            left = left[:0]
        yield from here[np.lexsort((ranks[here], -scores[here]))].tolist()
        many *= 16
