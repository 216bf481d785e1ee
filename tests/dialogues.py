"""Random dialogues, and what a recall of them must give, by reading every turn with the plain form of the scorer."""

import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mace.memory.context.instants import parse_us
from mace.memory.context.ports import Ranks
from mace.memory.context.records import Record
from mace.memory.context.request import Request, parse_request
from mace.memory.context.text import matching_text
from mace.memory.people import package
from mace.memory.people.package import Item
from mace.memory.people.turns import Turn, read_messages
from phase7_reference import score_candidates

_WORDS = (
    *("garden", "music", "train", "winter", "doctor", "violin", "bread", "river", "lamp", "street", "paper", "window"),
    *("Anna", "Bob", "Paris", "Monday", "twelve", "went", "going", "buys", "bought", "children", "child", "when"),
    *("where", "how", "many", "I", "my", "we", "you", "they", "moved", "live", "dog", "cat", "it's", "don't"),
)
_BEGIN = datetime(2025, 1, 1, tzinfo=UTC)


class Said(NamedTuple):
    turn_id: str
    turn: Turn


def some_turns(rng: random.Random) -> tuple[str, list[dict[str, Any]]]:
    """A stretch of a conversation, at some time."""
    at = _BEGIN + timedelta(hours=rng.randint(0, 24 * 90))
    messages = []
    for _ in range(rng.randint(1, 9)):
        at += timedelta(minutes=rng.choice([1, 1, 5, 60, 400]))
        words = rng.choices(_WORDS, k=rng.randint(1, 12))
        message = {"role": rng.choice(["user", "assistant"]), "content": " ".join(words) + rng.choice(".?! ")}
        message["at"] = at.isoformat()
        if rng.random() < 0.4:
            message["name"] = rng.choice(["Anna", "Bob", "Dr. Who", "x"])
        messages.append(message)
    return rng.choice(["one", "two", "three"]), messages


def said(kept: Any, messages: Sequence[dict[str, Any]], talk: str) -> list[Said]:
    """What was kept, as it was given."""
    turns = read_messages(list(messages), talk, _BEGIN)
    return [Said(turn_id, turn) for turn_id, turn in zip(kept["turn_ids"], turns, strict=True)]


def queries(rng: random.Random) -> list[str]:
    """Questions of all kinds."""
    return [" ".join(rng.choices(_WORDS, k=rng.randint(1, 5))) for _ in range(6)] + [
        "when did Anna go?",
        "January 2025",
    ]


class _Candidates:
    """As much of the candidates of stores as the plain scorer looks at."""

    def __init__(self, turns: list[Turn], sizes: list[int], rank_of: dict[int, int]) -> None:
        self._sizes = sizes
        self._order = np.array([rank_of[place] for place in range(len(turns))], np.uint32)
        self._by_rank = [turns[place] for place in sorted(rank_of, key=rank_of.__getitem__)]
        self.size = len(turns)

    def read_order(self) -> Ranks:
        return self._order

    def stores(self) -> list[int]:
        return self._sizes

    def instants(self) -> NDArray[np.int64]:
        return np.array([parse_us(turn.at) for turn in self._by_rank], np.int64)

    def containing(self, term: str) -> Ranks:
        held = [rank for rank, turn in enumerate(self._by_rank) if term in matching_text(turn.read_as)]
        return np.array(held, np.uint32)

    def tags(self) -> set[str]:
        return set()

    def record(self, rank: int) -> Record:
        turn = self._by_rank[rank]
        return Record("m", "h", turn.read_as, (), parse_us(turn.at))


def reference(kept: Sequence[Said], query: str, budget: int) -> list[tuple[str, float]]:
    """The turns that a recall must show, with their scores."""
    talks = list(dict.fromkeys(item.turn.conversation_id for item in kept))
    ordered = sorted(
        enumerate(kept), key=lambda item: (talks.index(item[1].turn.conversation_id), item[1].turn.at, item[0])
    )
    arrived = [number for number, _ in ordered]
    turns = [item for _, item in ordered]
    newest = sorted(range(len(turns)), key=lambda at: (turns[at].turn.at, arrived[at]), reverse=True)
    rank_of = {place: rank for rank, place in enumerate(newest)}
    sizes = [sum(item.turn.conversation_id == talk for item in turns) for talk in talks]
    candidates = _Candidates([item.turn for item in turns], sizes, rank_of)
    request = parse_request({"query": query, "store_paths": ["x"], "budget": {"max_excerpt_tokens": budget}})
    assert isinstance(request, Request)
    scoring = score_candidates(candidates, replace(request, tag_overlap=False), np.empty(0, np.uint32))  # type: ignore[arg-type]
    places = {rank: place for place, rank in rank_of.items()}
    best = [places[int(rank)] for rank in scoring.ranking.head]
    scores = {place: scoring.score(rank_of[place], candidates.record(rank_of[place])).score for place in best}
    longest = package.longest_line(budget)
    items = [
        Item(
            kind="turn",
            ref=turns[place].turn_id,
            text=package.cut(package.one_line(turns[place].turn.content), longest),
            score=scores[place],
            at=turns[place].turn.at,
            speaker=package.one_line(turns[place].turn.speaker),
            conversation_id=turns[place].turn.conversation_id,
            why="match",
        )
        for place in best
    ]
    shown = package.fitted(package.chosen([], [], items, budget), budget)
    return [(item.ref, item.score) for item in shown]
