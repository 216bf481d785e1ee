"""How much of the evidence fits into a budget: `phase7-v1` beside `phase6-v1` and BM25 with neighbouring turns.

Recall is the share of a question's evidence turns that are selected, averaged over questions. `bm25+1` ranks turns by
BM25 and takes each with the turns before and after it; `bm25s` does so on stems without stopwords, the strongest form
of it here. Seeds below 1000 are for looking, seeds from 1000 on are held out. Three styles of talk are asked.
"""

import json
import math
import re
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.context.conversations import Conversation, conversation
from benchmarks.context.dialogues import dialogue
from benchmarks.context.sessions import sessions
from mace.memory import context
from mace.memory.context.english import STOPWORDS, stem, words_of
from mace.storage.jsonl import JsonlStores

BUDGETS = (2000, 7000)
HELD_OUT = 1000
STYLES: dict[str, Callable[[int], Conversation]] = {
    "friends": conversation,
    "dialogues": dialogue,
    "assistant": sessions,
}
K1, B = 1.2, 0.75


class Bm25:
    """Plain BM25 over the turns of one conversation."""

    def __init__(self, talk: Conversation, *, stems: bool) -> None:
        self._stems = stems
        documents = [self._words(f"{turn['text']} {' '.join(turn.get('tags', []))}") for turn in talk.records]
        self._counts = [Counter(document) for document in documents]
        average = sum(map(len, documents)) / len(documents)
        self._rooms = [K1 * (1 - B + B * len(document) / average) for document in documents]
        self._held = Counter(word for count in self._counts for word in count)

    def _words(self, text: str) -> list[str]:
        if self._stems:
            return [stem(word) for word in words_of(text) if word not in STOPWORDS]
        return re.findall(r"\w+", text.lower())

    def order(self, question: str, neighbours: int) -> list[int]:
        """Turns by score, each followed by its neighbours."""
        size = len(self._counts)
        idf = {
            word: math.log(1 + (size - self._held[word] + 0.5) / (self._held[word] + 0.5))
            for word in dict.fromkeys(self._words(question))
        }
        scores = [
            sum(idf[word] * count[word] * (K1 + 1) / (count[word] + room) for word in idf if count[word])
            for count, room in zip(self._counts, self._rooms, strict=True)
        ]
        order: dict[int, None] = {}
        for at in sorted(range(size), key=lambda at: (-scores[at], at)):
            for near in (at, *(at + way * step for step in range(1, neighbours + 1) for way in (1, -1))):
                if 0 <= near < size:
                    order.setdefault(near)
        return list(order)


def fill(talk: Conversation, order: list[int], budget: int) -> set[str]:
    used, taken = 0, set()
    for at in order:
        tokens = math.ceil(len(str(talk.records[at]["text"]).strip().encode()) / 4)
        if used + tokens > budget:
            break
        used += tokens
        taken.add(str(talk.records[at]["memory_id"]))
    return taken


def measure(seeds: range, style: str) -> dict[str, dict[int, float]]:
    """Mean recall by scorer and budget, over conversations of one style."""
    shares: dict[str, dict[int, list[float]]] = {}
    with TemporaryDirectory() as folder:
        for seed in seeds:
            talk = STYLES[style](seed)
            path = Path(folder) / f"{seed}.jsonl"
            path.write_text("".join(json.dumps(turn) + "\n" for turn in talk.records))
            reader = JsonlStores(context, None, time.time_ns)
            plain, stemmed = Bm25(talk, stems=False), Bm25(talk, stems=True)
            for question, evidence in talk.questions:
                orders = {
                    "bm25": plain.order(question, 0),
                    "bm25+1": plain.order(question, 1),
                    "bm25+2": plain.order(question, 2),
                    "bm25s+1": stemmed.order(question, 1),
                    "bm25s+2": stemmed.order(question, 2),
                }
                for budget in BUDGETS:
                    found = {name: fill(talk, order, budget) for name, order in orders.items()}
                    for version in ("phase6-v1", "phase7-v1"):
                        found[version] = selected(reader, path, question, budget, version)
                    for name, taken in found.items():
                        share = sum(at in taken for at in evidence) / len(evidence)
                        shares.setdefault(name, {}).setdefault(budget, []).append(share)
    return {name: {budget: sum(all_) / len(all_) for budget, all_ in by.items()} for name, by in shares.items()}


def selected(reader: JsonlStores, path: Path, question: str, budget: int, version: str) -> set[str]:
    request = {
        "query": question,
        "store_paths": [str(path)],
        "budget": {"max_excerpt_tokens": budget, "max_items": 1_000_000},
        "controller_version": version,
    }
    package = context.read(request, reader)
    if isinstance(package, context.Refusal):
        raise RuntimeError(package.reason)
    return {item["memory_id"] for item in package.selected}
