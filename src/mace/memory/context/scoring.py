"""The score of `phase6-v1`: terms found, tags that agree, how recent.

Pure. `score_record` is the rule, for one record; `rank_candidates` gives the same order for all of them at once, from
what the index knows. Half points are whole numbers in the arrays; recency goes through Python floats one by one,
because vectorised powers differ between processors and scores are visible. Sums have at most one fraction in them,
so their order cannot matter.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Context, Decimal
from math import nextafter
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mace.memory.context.ports import NO_INSTANT, Candidates, Ranks
from mace.memory.context.records import Record
from mace.memory.context.request import Request
from mace.memory.context.text import matching_text

TERM_HALVES = 2  # a term in the text counts 1
TAG_HALVES = 1  # a term that is a tag counts 0.5
SCORE_DECIMALS = 12
SECONDS_PER_DAY = 86_400

_SPARSE_SHARE = 16  # below one candidate in so many, matches are listed; above, every candidate gets a counter
_BATCH = 1 << 16
_PRECISE = Context(prec=60)
_HALF = Decimal("0.5")


class Score(NamedTuple):
    """What made a score."""

    score: float
    terms: tuple[str, ...]
    tags: tuple[str, ...]
    recency_bonus: float
    details: Mapping[str, Any] = MappingProxyType({})  # what later scorers have to say


@dataclass(frozen=True, slots=True)
class Ranking:
    """An order over all candidates: `head` first, then every rank that is in neither `head` nor `denied`, rising."""

    head: Ranks
    taken: Ranks  # head and denied, rising
    size: int

    def __iter__(self) -> Iterator[int]:
        yield from map(int, self.head)
        start = 0
        for taken in map(int, self.taken):
            yield from range(start, taken)
            start = taken + 1
        yield from range(start, self.size)


class Scoring(NamedTuple):
    """What a scorer answers: the order, and what made the score of a record it is asked for."""

    ranking: Ranking
    score: Callable[[int, Record], Score]


def score_candidates(candidates: Candidates, request: Request, denied: Ranks) -> Scoring:
    """The scorer `phase6-v1`."""
    ranking = rank_candidates(candidates, request, denied)
    return Scoring(ranking, lambda _, record: score_record(record, request))


def score_record(record: Record, request: Request) -> Score:
    """Score one record by the text of the rule."""
    text = matching_text(record.text)
    terms = tuple(term for term in request.terms if term in text)
    tags = tuple(term for term in request.terms if term in record.tags) if request.tag_overlap else ()
    exponent = None
    if request.recency and request.now_us is not None and record.ts_us is not None:
        exponent = half_lives(request.now_us - record.ts_us, request.half_life_days)
    halves = TERM_HALVES * len(terms) + TAG_HALVES * len(tags)
    bonus = 0.0 if exponent is None else total(0, exponent)
    return Score(total(halves, exponent), terms, tags, bonus)


def rank_candidates(candidates: Candidates, request: Request, denied: Ranks) -> Ranking:
    """Order all candidates that are not denied by falling score, then by rank."""
    hits = [(candidates.containing(term), TERM_HALVES) for term in request.terms]
    if request.tag_overlap:
        hits += [(candidates.tagged(term), TAG_HALVES) for term in request.terms]
    size = candidates.size
    listed = sum(len(found) for found, _ in hits if found.dtype != np.bool_)
    dense = any(found.dtype == np.bool_ for found, _ in hits) or listed * _SPARSE_SHARE > size
    if dense or request.recency:
        return _rank_all(candidates, request, hits, denied)
    return _rank_matches(hits, denied, size)


def half_lives(age_us: int, half_life_days: int) -> float:
    """The age as a count of half-lives; a record from the future has none behind it."""
    return max(age_us, 0) / 1_000_000 / SECONDS_PER_DAY / half_life_days


def total(halves: int, exponent: float | None) -> float:
    """Half points plus 0.5 ** exponent (nothing for None), rounded.

    Powers may differ by one unit in the last place between mathematical libraries. Where that could turn the
    rounding (about one value in ten thousand), the double nearest to the exact power is taken.
    """
    points = halves / 2
    if exponent is None:
        return points
    power: float = 0.5**exponent
    scaled = (points + power) * 1e12
    if points < 128 and abs(scaled - int(scaled) - 0.5) > 0.05:  # far from where rounding turns
        return round(points + power, SCORE_DECIMALS)
    low = round(points + nextafter(power, 0.0), SCORE_DECIMALS)
    high = round(points + nextafter(power, 2.0), SCORE_DECIMALS)
    return low if low == high else round(points + nearest_power_of_half(exponent), SCORE_DECIMALS)


def nearest_power_of_half(exponent: float) -> float:
    """The double nearest to 0.5 ** exponent, the same on every machine."""
    return float(_PRECISE.power(_HALF, Decimal(exponent)))


def _rank_matches(hits: list[tuple[NDArray[np.uint32] | NDArray[np.bool_], int]], denied: Ranks, size: int) -> Ranking:
    """Few matches: time grows with them, not with the stores."""
    if hits:
        ranks = np.concatenate([found.astype(np.int64) for found, _ in hits])
        weights = np.repeat([weight for _, weight in hits], [len(found) for found, _ in hits])
    else:
        ranks = weights = np.empty(0, np.int64)
    unique, place = np.unique(ranks, return_inverse=True)
    halves = np.bincount(place, weights, len(unique)).astype(np.int64)
    if len(denied):
        allowed = ~np.isin(unique, denied)
        unique, halves = unique[allowed], halves[allowed]
    head = unique[np.argsort(-halves, kind="stable")].astype(np.uint32)
    return Ranking(head, np.union1d(unique, denied).astype(np.uint32), size)


def _rank_all(
    candidates: Candidates,
    request: Request,
    hits: list[tuple[NDArray[np.uint32] | NDArray[np.bool_], int]],
    denied: Ranks,
) -> Ranking:
    """Many matches, or recency: every candidate gets its own counter."""
    size = candidates.size
    halves = np.zeros(size, np.int32)
    for found, weight in hits:
        if found.dtype == np.bool_:
            halves += found.view(np.int8) if weight == 1 else found.view(np.int8) * np.int8(weight)
        else:
            halves[found] += weight
    if len(denied):
        halves[denied] = -1
    if request.recency:
        scores = _recent_scores(candidates, request, halves)
        order = np.argsort(-scores, kind="stable")
        order = order[halves[order] >= 0] if len(denied) else order
        return Ranking(order.astype(np.uint32), np.arange(size, dtype=np.uint32), size)
    # What has no match keeps its rank, and need not be listed.
    return Ranking(_by_falling(halves).astype(np.uint32), np.flatnonzero(halves).astype(np.uint32), size)


def _by_falling(halves: NDArray[np.int32]) -> NDArray[np.intp]:
    """Those above zero by falling value, equal ones as they stand; few values are the rule, and need no sort."""
    matched = np.flatnonzero(halves > 0)
    values = halves[matched]
    present = np.flatnonzero(np.bincount(values))[::-1] if len(values) else values
    if len(present) > 64:
        return matched[np.argsort(-values, kind="stable")]
    return np.concatenate([matched[values == value] for value in present]) if len(present) else matched


def _recent_scores(candidates: Candidates, request: Request, halves: NDArray[np.int32]) -> NDArray[np.float64]:
    now_us = request.now_us
    assert now_us is not None
    half_life = request.half_life_days
    scores = np.empty(len(halves), np.float64)
    for start in range(0, len(halves), _BATCH):
        batch = slice(start, start + _BATCH)
        instants, points = candidates.instants()[batch].tolist(), halves[batch].tolist()
        scores[batch] = [
            total(half_points, None if ts_us == NO_INSTANT else half_lives(now_us - ts_us, half_life))
            for ts_us, half_points in zip(instants, points, strict=True)
        ]
    return scores
