"""Stores of any size to measure on: words by Zipf's law from a made-up vocabulary, and terms of known frequency."""

import itertools
import random
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import orjson

VOCABULARY = 50_000
TEXT_CHARACTERS = 400
BATCH = 10_000


def vocabulary(seed: int = 1) -> list[str]:
    """Words, most frequent first."""
    r = random.Random(seed)
    lengths = [3, 3, 4, 4, 5, 5, 6, 6, 7, 8, 9, 10, 12]
    letters, weights = (
        "etaoinshrdlucmfwypvbgkjqxz",
        [12, 9, 8, 8, 7, 7, 6, 6, 6, 4, 4, 3, 3, 2, 2, 2, 2, 2, 1, 1, 2, 1, 1, 1, 1, 1],
    )
    words = ["always"]  # stands in every record
    while len(words) < VOCABULARY:
        words.append("".join(r.choices(letters, weights, k=r.choice(lengths))))
    return words


def write_store(path: Path, records: int, seed: int = 1) -> None:
    """Write records of about 400 characters of text, in the order of their time."""
    r = np.random.default_rng(seed)
    words = vocabulary(seed)
    frequencies = 1 / (np.arange(1, VOCABULARY) + 2)
    until = np.cumsum(frequencies / frequencies.sum())
    tags = list(itertools.combinations(["Work", "home", "travel", "food", "code", "music"], 2))
    start = datetime(2024, 1, 1)
    with path.open("wb") as file:
        for first in range(0, records, BATCH):
            count = min(BATCH, records - first)
            drawn = np.minimum(np.searchsorted(until, r.random((count, 75))), VOCABULARY - 2) + 1
            tagged = r.integers(0, len(tags), count)
            for at in range(count):
                number = first + at
                text = " ".join([words[word] for word in drawn[at].tolist()])[: TEXT_CHARACTERS - 20]
                record = {
                    "memory_id": f"m-{number:07d}",
                    "ts_utc": (start + timedelta(seconds=7 * number)).strftime("%Y-%m-%dT%H:%M:%SZ"),
                    "text": f"Always {text} id{number}",
                    "tags": tags[int(tagged[at])],
                }
                file.write(orjson.dumps(record) + b"\n")


def terms(kind: str) -> list[str]:
    """Five terms: `rare` in a few records of a thousand, `ordinary` in some of a hundred, `everywhere` in all."""
    words = vocabulary()
    if kind == "everywhere":
        return ["always", "alway", "lways", "id", "al"]
    long = [word for word in words if len(word) >= 5]
    ranks = {"ordinary": (60, 90, 150, 220, 300), "rare": (9_000, 14_000, 20_000, 25_000, 30_000)}[kind]
    return [long[rank] for rank in ranks]
