"""What docs/questions.md says is understood is understood, sentence by sentence, each in a store of its own."""

import re
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

import mace
from mace.engine.runtime import Mace

_PAGE = (Path(__file__).parents[2] / "docs" / "questions.md").read_text("utf-8")
_FACT = re.compile(r"`([^`]+)`: ([^,|]+)")
_people = count()


def _rows(heading: str) -> list[tuple[str, str]]:
    """The rows of every table with this heading."""
    cell = r"\| *([^|\n]+?) *"
    tables = re.findall(rf"^{re.escape(heading)}\n\| --- \| --- \|\n((?:\|.*\n)+)", _PAGE, re.MULTILINE)
    return [found for table in tables for found in re.findall(rf"^{cell}{cell}\|$", table, re.MULTILINE)]


_SAID = _rows("| somebody says | kept |")
_ASKED = _rows("| with | somebody asks |")


@pytest.fixture(scope="module")
def m(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mace]:
    with mace.open(tmp_path_factory.mktemp("store")) as opened:
        yield opened


def test_the_page_has_its_tables():
    assert len(_SAID) >= 10
    assert len(_ASKED) >= 15
    assert all(_FACT.search(kept) for _, kept in _SAID)
    assert all(_FACT.search(facts) for facts, _ in _ASKED)


@pytest.mark.parametrize(("text", "kept"), _SAID)
def test_what_is_said_is_kept(m: Mace, text: str, kept: str):
    who = f"person{next(_people)}"
    answer = m.ask(text, who)
    stored = {key.rsplit("/", 1)[1]: m.sem_get(key)["value"] for key in m.sem_list(f"user/profile/user_{who}/")}
    assert stored == {name: value.strip() for name, value in _FACT.findall(kept)}
    assert answer["answer"]
    for value in stored.values():
        assert value in answer["answer"]


@pytest.mark.parametrize(("facts", "question"), _ASKED)
def test_what_is_asked_is_answered(m: Mace, facts: str, question: str):
    who = f"person{next(_people)}"
    values = []
    for name, value in _FACT.findall(facts):
        key = name if "/" in name else f"user/profile/user_{who}/{name}"
        put = m.sem_put(key, value.strip(), "system")
        assert put["success"]
        values.append(value.strip())
    answer = m.ask(question, who)["answer"]
    assert answer
    for value in values:
        assert value in answer
