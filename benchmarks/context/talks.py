"""`phase7-v1` on long talks, beside a BM25 in plain Python lists and beside the first query of `phase6-v1`.

The talks are made up: words by Zipf's law, two speakers, sessions of turns some days apart. The BM25 has its postings
ready in memory, leaves out common words, and answers with the numbers of the 50 best turns; a package has excerpts,
reasons and a hash over all turns besides. Both are asked in turns in one process; figures are the best of several.
"""

import heapq
import math
import shutil
import time
from collections.abc import Generator, Iterator
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import orjson

from benchmarks.context.stores import VOCABULARY, vocabulary
from benchmarks.measure import Row, rss_bytes, wall_and_cpu
from mace.memory import context
from mace.memory.context.english import STOPWORDS, words_of
from mace.storage.jsonl import JsonlStores

K1, B, TOP = 1.2, 0.75, 50
MOST_TIMES_BM25, MOST_MS_AT_A_MILLION, MOST_TIMES_PHASE6 = 5.0, 250.0, 1.5
A_MILLION = 1_000_000
SPEAKERS = ("Maya", "Ethan")
BATCH = 10_000


def write_talk(path: Path, turns: int, *, in_each: str = "", with_ids: bool = False, seed: int = 1) -> None:
    """Write turns of 3 to 33 words, 24 to a session; `in_each` is a word that every turn has."""
    r = np.random.default_rng(seed)
    words = vocabulary(seed)
    frequencies = 1 / (np.arange(1, VOCABULARY) + 2)
    until = np.cumsum(frequencies / frequencies.sum())
    now = datetime(2020, 1, 1)
    with path.open("wb") as file:
        for first in range(0, turns, BATCH):
            count = min(BATCH, turns - first)
            drawn = np.minimum(np.searchsorted(until, r.random((count, 33))), VOCABULARY - 2) + 1
            many, asks = r.integers(3, 34, count).tolist(), (r.random(count) < 0.2).tolist()
            for at, numbers in enumerate(drawn.tolist()):
                number = first + at
                now += timedelta(seconds=70) if number % 24 else timedelta(days=2, hours=5)
                said = " ".join([words[word] for word in numbers[: many[at]]])
                said += f" {in_each}" * bool(in_each) + f" id{number}" * with_ids + ("?" if asks[at] else ".")
                record = {
                    "memory_id": f"t-{number:07d}",
                    "ts_utc": now.strftime("%Y-%m-%dT%H:%M:%SZ"),
                    "text": f"{SPEAKERS[number % 2]}: {said}",
                }
                file.write(orjson.dumps(record) + b"\n")


def questions() -> dict[str, str]:
    """What is asked: `rare` words are in a few turns of 10,000, `ordinary` ones in some of a hundred."""
    long = [word for word in vocabulary() if len(word) >= 5]
    return {
        "rare": "What did they say of {} and {} and {}?".format(*(long[rank] for rank in (9_000, 14_000, 20_000))),
        "ordinary": "When was the {} with {} in the {} of {}?".format(*(long[rank] for rank in (60, 90, 150, 300))),
        "one speaker": "When did Maya {} her {}?".format(*(long[rank] for rank in (220, 9_000))),
    }


class Bm25:
    """BM25 by postings in plain lists."""

    def __init__(self, store: Path) -> None:
        self._postings: dict[str, tuple[list[int], list[int]]] = {}
        lengths = []
        with store.open("rb") as file:
            for number, line in enumerate(file):
                words = words_of(orjson.loads(line)["text"])
                lengths.append(len(words))
                counts: dict[str, int] = {}
                for word in words:
                    counts[word] = counts.get(word, 0) + 1
                for word, count in counts.items():
                    places, held = self._postings.setdefault(word, ([], []))
                    places.append(number)
                    held.append(count)
        average = sum(lengths) / len(lengths)
        self._rooms = [K1 * (1 - B + B * length / average) for length in lengths]

    def best(self, question: str) -> list[int]:
        rooms, size = self._rooms, len(self._rooms)
        scores: dict[int, float] = {}
        for word in dict.fromkeys(words_of(question)):
            if word in STOPWORDS or word not in self._postings:
                continue
            places, counts = self._postings[word]
            rate = math.log(1 + (size - len(places) + 0.5) / (len(places) + 0.5)) * (K1 + 1)
            for place, count in zip(places, counts, strict=True):
                scores[place] = scores.get(place, 0.0) + rate * count / (count + rooms[place])
        return heapq.nlargest(TOP, scores, key=scores.__getitem__)


def talks(sizes: list[int], rounds: int = 7) -> Iterator[Row]:
    with TemporaryDirectory() as folder:
        for size in sizes:
            yield from _talk_of(Path(folder), size, rounds)


def _talk_of(folder: Path, size: int, rounds: int) -> Iterator[Row]:
    name = f"{size:,} turns"
    store, cache = folder / f"talk{size}.jsonl", folder / f"talks{size}"
    write_talk(store, size)
    reader = yield from _first(store, cache, name, 3 if size < A_MILLION else 1, MOST_TIMES_PHASE6)
    peer = Bm25(store)
    for kind, question in questions().items():
        yield from _warm(reader, peer, store, question, f"{name}, {kind}", size, rounds)
    del peer
    yield from _memory(store, cache, name)
    store.unlink()
    if size >= A_MILLION:
        return
    store, cache = folder / "ids.jsonl", folder / "ids"
    write_talk(store, size, with_ids=True)
    yield from _first(store, cache, f"{name}, a new word in each", 3, None)
    store, cache = folder / "always.jsonl", folder / "always"
    write_talk(store, size, in_each="always")
    reader = yield from _first(store, cache, f"{name}, one word in all", 1, MOST_TIMES_PHASE6)
    peer = Bm25(store)
    for kind, question in (("rare", questions()["rare"]), ("that word", f"always {questions()['rare']}")):
        yield from _warm(reader, peer, store, question, f"{name}, one word in all, {kind}", size, rounds)


def _first(store: Path, cache: Path, name: str, rounds: int, most: float | None) -> Generator[Row, None, JsonlStores]:
    """The first query of both scorers, each without an index; returns a reader that has the talk's."""
    found: dict[str, list[tuple[float, float]]] = {"phase6-v1": [], "phase7-v1": []}
    for _ in range(rounds):
        for version, runs in found.items():
            shutil.rmtree(cache, ignore_errors=True)
            reader = JsonlStores(context, str(cache), _later, bytes(32))
            runs.append(wall_and_cpu(partial(_hashed, reader, store, questions()["ordinary"], version)))
    (wall_6, cpu_6), (wall, cpu) = (tuple(map(min, zip(*runs, strict=True))) for runs in found.values())
    note = f"{cpu:.2f} s / {cpu_6:.2f} s; wall {wall:.2f} s / {wall_6:.2f} s = {wall / wall_6:.2f}x"
    yield Row(f"{name}: first query / phase6-v1's, CPU", cpu / cpu_6, "x", most, note=note)
    return reader


def _warm(
    reader: JsonlStores, peer: Bm25, store: Path, question: str, name: str, size: int, rounds: int
) -> Iterator[Row]:
    works = {
        "select": lambda: _selected(reader, store, question),
        "with hash": lambda: _hashed(reader, store, question),
        "BM25": lambda: peer.best(question),
    }
    runs: dict[str, list[tuple[float, float]]] = {what: [] for what in works}
    for number in range(rounds + 1):
        for what, work in works.items():
            took = wall_and_cpu(work)
            if number:  # the first is for the caches
                runs[what].append(took)
    wall = {what: min(one for one, _ in found) for what, found in runs.items()}
    cpu = {what: min(one for _, one in found) for what, found in runs.items()}
    for what in ("select", "with hash"):
        ratio, note = cpu[what] / cpu["BM25"], f"{1000 * cpu[what]:.1f} ms / {1000 * cpu['BM25']:.1f} ms; "
        note += f"wall {1000 * wall[what]:.1f} ms / {1000 * wall['BM25']:.1f} ms = {wall[what] / wall['BM25']:.2f}x"
        if size >= A_MILLION:
            yield Row(f"{name}: {what}, CPU", 1000 * cpu[what], "ms", MOST_MS_AT_A_MILLION, note=note)
        else:
            yield Row(f"{name}: {what} / BM25, CPU", ratio, "x", MOST_TIMES_BM25, note=note)


def _memory(store: Path, cache: Path, name: str) -> Iterator[Row]:
    index = sum(item.stat().st_size for item in cache.rglob("*") if item.is_file())
    yield Row(f"{name}: both indexes / store", index / store.stat().st_size, "x")
    before = rss_bytes()
    fresh = JsonlStores(context, str(cache), _later, bytes(32))
    wall, cpu = wall_and_cpu(partial(_hashed, fresh, store, questions()["ordinary"]))
    more = max(rss_bytes() - before, 0)
    yield Row(f"{name}: memory of a new reader / indexes", more / index, "x", note=f"{more / 1e6:.0f} MB")
    yield Row(f"{name}: first query of a new reader", 1000 * cpu, "ms", note=f"wall {1000 * wall:.0f} ms")


def _selected(reader: JsonlStores, store: Path, question: str, version: str = "phase7-v1") -> context.ContextPackage:
    request: dict[str, Any] = {
        "query": question,
        "store_paths": [str(store)],
        "budget": {"max_excerpt_tokens": 2000},
        "controller_version": version,
    }
    package = context.read(request, reader)
    if isinstance(package, context.Refusal):
        raise RuntimeError(package.reason)
    context.explain(package)
    return package


def _hashed(reader: JsonlStores, store: Path, question: str, version: str = "phase7-v1") -> str:
    return _selected(reader, store, question, version).package_hash


def _later() -> int:
    """A clock that finds every store old enough not to be looked at twice."""
    return time.time_ns() + 10_000_000_000
