"""The scorer `phase7-v1` as it was first written: turn by turn, in plain Python, from the texts themselves.

What the scorer with an index answers must be what this answers, byte for byte. In short:
stems instead of substrings, weighed by how rare they are; a turn is read together with its neighbours, and the answer
to a question that matches counts nearly as much as the question; who speaks, when, and what kind of answer is asked
for count a little; and the best turns lend their rare words to a second, weaker look.
Logarithms are rounded before use and sums run in a fixed order, so that scores do not depend on the machine.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from mace.memory.context.english import STOP_STEMS, stem, words_of
from mace.memory.context.instants import format_us
from mace.memory.context.phase7_query import Query, Turn, probes, query_of, turn_of
from mace.memory.context.ports import NO_INSTANT, Candidates, Ranks
from mace.memory.context.records import Record
from mace.memory.context.request import Request
from mace.memory.context.scoring import SCORE_DECIMALS, Ranking, Score, Scoring, half_lives, total

SATURATION = 1.2
LENGTH_SHARE = 0.6
BEFORE, AFTER = (0.35, 0.15), (0.3, 0.1)  # what the turns one and two before and after lend
ANSWER = 0.6  # what a question lends to the turn right after it
SAME_TALK_US = 6 * 3_600_000_000
SPEAKER_FACTOR = 1.25
SELF_FACTOR = 1.25  # for turns in the first person when the query is, or when it names who speaks
KIND_FACTOR = 1.15
SECOND_LOOK_TURNS, SECOND_LOOK_TERMS, SECOND_LOOK_WEIGHT = 8, 8, 0.25
IDF_DECIMALS = 6


class _Found(NamedTuple):
    score: float
    own: tuple[str, ...]  # stems in the turn itself
    near: tuple[str, ...]  # stems only in the turns around it
    second: tuple[str, ...]  # stems of the second look


def score_candidates(candidates: Candidates, request: Request, denied: Ranks) -> Scoring:
    """The scorer `phase7-v1`."""
    talk = _Talk(candidates, request, {int(rank) for rank in denied})
    query = query_of(request)
    first = talk.look(query, query.weights)
    weights = {**query.weights, **talk.lent_terms(query, first)}
    found = talk.look(query, weights) if len(weights) > len(query.weights) else first
    scores = {rank: round(item.score, SCORE_DECIMALS) for rank, item in found.items() if item.score > 0}
    if request.recency:
        scores = _with_recency(candidates, request, scores, talk.denied)
    head = np.array(sorted(scores, key=lambda rank: (-scores[rank], rank)), np.uint32)
    taken = np.union1d(head, denied).astype(np.uint32)

    def score(rank: int, record: Record) -> Score:
        item = found.get(rank, _Found(0.0, (), (), ()))
        tags = tuple(tag for tag in record.tags if request.tag_overlap and tag in request.terms)
        bonus = 0.0
        if request.recency and request.now_us is not None and record.ts_us is not None:
            bonus = total(0, half_lives(request.now_us - record.ts_us, request.half_life_days))
        details = {"nearby_terms": list(item.near), "second_look_terms": list(item.second)}
        return Score(scores.get(rank, 0.0), item.own, tags, bonus, details)

    return Scoring(Ranking(head, taken, candidates.size), score)


class _Talk:
    """The turns of the stores in the order they were written, read as far as a query needs them."""

    def __init__(self, candidates: Candidates, request: Request, denied: set[int]) -> None:
        self._candidates = candidates
        self._with_tags = request.tag_overlap
        self.denied = denied
        self._ranks = candidates.read_order()
        self._place_of = np.empty(len(self._ranks), np.int64)
        self._place_of[self._ranks] = np.arange(len(self._ranks))
        sizes = candidates.stores()
        self._store_of = np.repeat(np.arange(len(sizes)), sizes).tolist()
        self._instants = candidates.instants()
        self._when = self._instants[self._ranks].tolist()
        self._turns: dict[int, Turn] = {}
        self._tags: dict[str, list[str]] | None = None  # by the stems of their words
        self._places: dict[str, list[int]] = {}  # of turns that may have a stem

    def look(self, query: Query, weights: dict[str, float]) -> dict[int, _Found]:
        """Score every turn that has one of the stems, or stands near one that has."""
        holding = {name: self._holding(name) for name in weights}
        idf = {name: self._idf(len(places)) for name, places in holding.items()}
        lent: dict[int, dict[str, float]] = {}
        for name, places in holding.items():
            for place in places:
                count = 1 if name.startswith("@") else self._turn(place).stems[name]
                for near, share in self._around(place):
                    counts = lent.setdefault(near, {})
                    counts[name] = counts.get(name, 0.0) + share * count
        if not lent:
            return {}
        average = math.fsum(self._turn(place).length for place in lent) / len(lent)
        speakers = query.speakers_among(turn.speaker for turn in map(self._turn, lent))
        found: dict[int, _Found] = {}
        for place, counts in lent.items():
            rank = int(self._ranks[place])
            if rank not in self.denied:
                found[rank] = self._found(place, counts, weights, idf, average, query, speakers)
        return found

    def _idf(self, held: int) -> float:
        return round(math.log(1 + (len(self._ranks) - held + 0.5) / (held + 0.5)), IDF_DECIMALS)

    def _found(
        self,
        place: int,
        counts: dict[str, float],
        weights: dict[str, float],
        idf: dict[str, float],
        average: float,
        query: Query,
        speakers: frozenset[str],
    ) -> _Found:
        turn = self._turn(place)
        room = SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * turn.length / average)
        parts = [
            weights[name] * idf[name] * counts[name] * (SATURATION + 1) / (counts[name] + room)
            for name in weights
            if name in counts
        ]
        score = math.fsum(parts)
        if speakers and turn.speaker in speakers:
            score *= SPEAKER_FACTOR
        if turn.is_about_self and (query.is_about_self or turn.speaker in speakers):
            score *= SELF_FACTOR
        if (query.wants_time and turn.has_time) or (query.wants_number and turn.has_number):
            score *= KIND_FACTOR
        own = tuple(name for name in query.weights if name in turn.stems)
        near = tuple(name for name in query.weights if name in counts and name not in turn.stems)
        second = tuple(name for name in weights if name not in query.weights and name in counts)
        return _Found(score, own, near, second)

    def lent_terms(self, query: Query, found: dict[int, _Found]) -> dict[str, float]:
        """Rare stems of the best turns, for the second look; names count more."""
        best = sorted(found, key=lambda rank: (-round(found[rank].score, SCORE_DECIMALS), rank))
        best = self._different(best, SECOND_LOOK_TURNS)
        if not best or found[best[0]].score <= 0:
            return {}
        highest = found[best[0]].score
        gained: dict[str, float] = {}
        for rank in best:
            turn = self._turn(int(self._place_of[rank]))
            share = found[rank].score / highest
            for name in sorted(turn.stems):
                if len(name) > 2 and name not in query.weights and name not in STOP_STEMS:
                    gained[name] = gained.get(name, 0.0) + share * (1.5 if name in turn.names else 1.0)
        several = {name: value for name, value in gained.items() if value > 1.2}
        size = len(self._ranks)
        rated = {}
        for name in sorted(several, key=lambda name: (-several[name], name))[: 3 * SECOND_LOOK_TERMS]:
            count = len(self._holding(name))
            if count * 8 < size:
                rated[name] = several[name] * round(math.log(1 + size / (count + 0.5)), IDF_DECIMALS)
        chosen = sorted(rated, key=lambda name: (-round(rated[name], 9), name))[:SECOND_LOOK_TERMS]
        weight = SECOND_LOOK_WEIGHT * self._covered(query, [found[rank] for rank in best])
        return {name: weight * rated[name] / rated[chosen[0]] for name in chosen}

    def _different(self, ranks: list[int], most: int) -> list[int]:
        """The first of them that do not say the same words again: what is often repeated is no better a lead."""
        kept: list[int] = []
        said: set[tuple[str, ...]] = set()
        for rank in ranks:
            words = tuple(sorted(self._turn(int(self._place_of[rank])).stems))
            if words not in said:
                said.add(words)
                kept.append(rank)
                if len(kept) == most:
                    break
        return kept

    def _covered(self, query: Query, best: list[_Found]) -> float:
        """How much of the query its best turn holds, by weight and rarity: whom a poor match names is no lead."""
        idf = {name: self._idf(len(self._holding(name))) * weight for name, weight in query.weights.items()}
        whole = math.fsum(idf.values())
        return max(math.fsum(idf[name] for name in (*item.own, *item.near)) for item in best) / whole

    def _holding(self, name: str) -> list[int]:
        """Places of the turns that have a stem, in order."""
        places = self._places.get(name)
        if places is None:
            if name.startswith("@"):
                places = self._in_time(name)
            else:
                places = [place for place in self._possible(name) if name in self._turn(place).stems]
            self._places[name] = places
        return places

    def _possible(self, name: str) -> list[int]:
        ranks: set[int] = set()
        for probe in probes(name):
            hits = self._candidates.containing(probe)
            ranks.update((np.flatnonzero(hits) if hits.dtype == np.bool_ else hits).tolist())
        for tag in self._tags_with(name):
            hits = self._candidates.tagged(tag)
            ranks.update((np.flatnonzero(hits) if hits.dtype == np.bool_ else hits).tolist())
        return sorted(self._place_of[np.array(sorted(ranks), np.int64)].tolist())

    def _tags_with(self, name: str) -> list[str]:
        if self._tags is None:
            self._tags = {}
            for tag in sorted(self._candidates.tags()) if self._with_tags else ():
                for stemmed in {stem(word) for word in words_of(tag)}:
                    self._tags.setdefault(stemmed, []).append(tag)
        return self._tags.get(name, [])

    def _in_time(self, name: str) -> list[int]:
        """Turns written in a month or year the query names."""
        known = np.flatnonzero(self._instants != NO_INSTANT)
        spelled = ((int(rank), format_us(int(self._instants[rank]))) for rank in known)
        return sorted(int(self._place_of[rank]) for rank, text in spelled if name in _time_names(text))

    def _turn(self, place: int) -> Turn:
        turn = self._turns.get(place)
        if turn is None:
            rank = int(self._ranks[place])
            record = self._candidates.record(rank)
            turn = self._turns[place] = turn_of(record.text, record.tags if self._with_tags else ())
        return turn

    def _around(self, place: int) -> list[tuple[int, float]]:
        """The turn itself and those near it in the same talk, with what it lends to each."""
        found = [(place, 1.0)]
        for way, shares in ((1, BEFORE), (-1, AFTER)):
            at = place
            for distance, share in enumerate(shares):
                if not self._is_same_talk(at, at + way):
                    break
                at += way
                answers = way == 1 and distance == 0 and self._turn(place).is_question
                found.append((at, ANSWER if answers else share))
        return found

    def _is_same_talk(self, place: int, other: int) -> bool:
        if not 0 <= other < len(self._when) or self._store_of[place] != self._store_of[other]:
            return False
        here, there = self._when[place], self._when[other]
        if here == NO_INSTANT or there == NO_INSTANT:
            return bool(here == there)
        return bool(abs(here - there) <= SAME_TALK_US)


def _time_names(spelled: str) -> tuple[str, str, str]:
    """The names a query has for the time of a record: its year, its month, and both."""
    return f"@{spelled[:4]}", f"@month{int(spelled[5:7])}", f"@{spelled[:7]}"


def _with_recency(
    candidates: Candidates, request: Request, scores: dict[int, float], denied: set[int]
) -> dict[int, float]:
    """Every record with a timestamp gains its recency, as in the first scorer."""
    assert request.now_us is not None
    gained: dict[int, Any] = dict(scores)
    for rank, instant in enumerate(candidates.instants().tolist()):
        if instant != NO_INSTANT and rank not in denied:
            bonus = total(0, half_lives(request.now_us - instant, request.half_life_days))
            gained[rank] = round(gained.get(rank, 0.0) + bonus, SCORE_DECIMALS)
    return {rank: score for rank, score in gained.items() if score > 0}
