"""Rules of earlier versions decide as they did when they were the newest: jobs of that time are replayed with them."""

import json
import pathlib

import pytest

from mace.agents.rules import DECISIONS
from mace.governance.detectors import detect

# Texts with the findings that the code gave when each version was the newest one.
GOLDEN = {
    version: json.loads((pathlib.Path(__file__).parent / f"golden_version_{version}.json").read_text("utf-8"))
    for version in (1, 2)
}


@pytest.mark.parametrize("version", GOLDEN)
def test_an_earlier_version_finds_what_it_found(version: int):
    decides = DECISIONS["detectors"][version]
    for row in GOLDEN[version]:
        found = decides(row["text"], row["field"])
        assert [[item.type, item.sensitivity, item.start, item.end, item.rule] for item in found] == row["findings"], (
            row
        )


def test_the_golden_texts_say_something():
    for version, least in ((1, 290), (2, 1_800)):
        rows = GOLDEN[version]
        assert len(rows) >= least
        assert sum(bool(row["findings"]) for row in rows) >= 120
        assert any(row["field"] for row in rows)


def test_the_newest_version_decides_otherwise():
    """Else the golden texts would pin nothing."""
    for version, rows in GOLDEN.items():
        changed = [
            row
            for row in rows
            if detect(row["text"], row["field"], version=version) != detect(row["text"], row["field"])
        ]
        assert len(changed) >= 50
