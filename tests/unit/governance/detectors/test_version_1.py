"""Rules of version 1 decide as they did when they were the newest: jobs of that time are replayed with them."""

import json
import pathlib

import pytest

from mace.governance.detectors import detect

# Texts with the findings that the code gave when version 1 was the only one.
GOLDEN = json.loads((pathlib.Path(__file__).parent / "golden_version_1.json").read_text("utf-8"))


@pytest.mark.parametrize("row", GOLDEN, ids=range(len(GOLDEN)))
def test_version_1_finds_what_it_found(row: dict):
    found = detect(row["text"], row["field"], version=1)
    assert [[item.type, item.sensitivity, item.start, item.end, item.rule] for item in found] == row["findings"]


def test_the_golden_texts_say_something():
    assert len(GOLDEN) >= 290
    assert sum(bool(row["findings"]) for row in GOLDEN) >= 120
    assert any(row["field"] for row in GOLDEN)
