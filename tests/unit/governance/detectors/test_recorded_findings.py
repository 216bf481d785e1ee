"""Quicker detectors find what the slower ones found: texts with the findings of each version, recorded before."""

import json
import pathlib
import random

import pytest

from mace.governance.detectors import detect
from mace.governance.detectors.cues import is_silent
from mace.governance.detectors.engine import RULES, finds_of
from mace.governance.detectors.network import _plain_v4
from mace.governance.detectors.special import _PERSON_RIGHT, _is_person_right
from mace.governance.detectors.spelled import CODED, _mixed
from mace.governance.detectors.statements import BEFORE, SAYINGS, said_before
from mace.governance.detectors.view import View

ROWS = json.loads((pathlib.Path(__file__).parent / "recorded_findings.json").read_text("utf-8"))
VERSIONS = (1, 2, 3)


@pytest.mark.parametrize("version", VERSIONS)
def test_each_version_finds_what_was_recorded(version: int):
    for row in ROWS:
        found = detect(row["text"], row["field"], version=version)
        written = [[item.type, item.sensitivity, item.start, item.end, item.rule] for item in found]
        assert written == row["findings"][str(version)], row


def test_what_was_recorded_says_something():
    rules = {item[4] for row in ROWS for findings in row["findings"].values() for item in findings}
    assert len(rules) >= 140
    assert rules <= RULES.keys()
    assert sum(not any(row["findings"].values()) for row in ROWS) >= 100
    assert any(row["field"] for row in ROWS) and any(len(row["text"]) > 1500 for row in ROWS)


def test_gates_and_phrases_hide_nothing_from_any_rule():
    """Texts cut and joined: every module finds as much when all are asked as when the gates choose."""
    rng = random.Random(8)
    texts = [row["text"] for row in ROWS if len(row["text"]) < 400]
    for _ in range(250):
        text = rng.choice((" ", "\n", ", ", "; ")).join(rng.choice(texts)[: rng.randint(30, 160)] for _ in range(3))
        view = View(text)
        every = {hit for find, _ in finds_of(3) for hit in find(view)}
        for start, end in {(hit.start, hit.end) for hit in every}:
            start, end = view.span(start, end)
            assert any(item.start <= start and end <= item.end for item in detect(text)), (text, start, end)


def test_a_word_that_says_nothing_is_no_cue():
    assert detect("quarterly") == [] and is_silent("quarterly")
    assert not is_silent("password") and not is_silent("diabetes") and not is_silent("Quarterly")
    assert detect("quarterly", "religion") == detect("Quarterly", "religion") != []  # its name decides


def test_runs_of_base64_are_those_with_large_and_small_letters():
    rng = random.Random(3)
    for _ in range(400):
        text = "".join(rng.choice("aab ABB019+/_-.  ") for _ in range(rng.randint(1, 60)))
        view = View(text)
        runs = [(start, end, text[start:end]) for start, end in view.runs(CODED, 10)]
        mixed = [(start, end) for start, end, run in runs if run != run.lower() and run != run.upper()]
        assert list(_mixed(view)) == mixed, text


def test_a_statement_is_tried_in_the_languages_of_its_words():
    rng = random.Random(5)
    words = [
        "i",
        "he's",
        "my",
        "mein",
        "meine",
        "er",
        "on",
        "mio",
        "j'ai",
        "am",
        "is",
        "war",
        "sono",
        "the",
        "a",
        "mr.",
        "x",
    ]
    words += [word for saying in SAYINGS for word in saying.verbs.split("|") if word.isalpha() and word.isascii()]
    said = 0
    for _ in range(3_000):
        before = " ".join(rng.choice(words) for _ in range(rng.randint(1, 6))) + rng.choice((" ", "'", "", "\n"))
        assert said_before(before) == (BEFORE.search(before) is not None), before
        said += said_before(before)
    assert said > 50


@pytest.mark.parametrize("word", ["word", "w" * 70, "w" * 300])
def test_a_person_stands_right_before_a_verb_however_long_the_words_are(word: str):
    for gaps in range(5):
        text = "nothing " * 30 + "she " + f"{word} " * gaps
        assert _is_person_right(text, len(text)) == (_PERSON_RIGHT.search(text) is not None) == (gaps <= 2)


@pytest.mark.parametrize(
    ("address", "plain"),
    [
        ("10.1.2.3", True), ("127.0.0.1", True), ("172.15.0.1", False), ("172.16.0.1", True), ("172.31.9.9", True),
        ("172.32.0.1", False), ("192.168.7.7", True), ("192.169.0.1", False), ("169.254.1.1", True),
        ("100.63.0.1", False), ("100.64.0.1", True), ("100.127.0.1", True), ("100.128.0.1", False),
        ("223.255.255.255", False), ("224.0.0.1", True), ("255.255.255.0", True), ("0.0.0.0", True), ("8.8.8.8", False),
    ],
)  # fmt: skip
def test_addresses_that_name_nobody(address: str, plain: bool):
    assert _plain_v4([int(octet) for octet in address.split(".")]) is plain
