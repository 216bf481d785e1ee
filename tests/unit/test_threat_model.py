"""The threat model says nothing that no test shows: each line of its tables names tests that exist."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from mace.ledger.findings import KINDS

_ROOT = Path(__file__).resolve().parents[2]
_DOCS = _ROOT / "docs"
_TESTS = _ROOT / "tests"
_NAME = re.compile(r"`([\w/]+\.py(?:::\w+)+)`")
_CODE = re.compile(r"`([A-Z]+(?:_[A-Z]+)+)`")
_UNTESTED = "Not tested"


def tables(page: str) -> list[tuple[str, list[str], list[list[str]]]]:
    """Every table of a page: the heading above it, its columns, its rows."""
    found: list[tuple[str, list[str], list[list[str]]]] = []
    heading, is_inside = "", False
    for line in (_DOCS / page).read_text("utf-8").splitlines():
        if line.startswith("#"):
            heading = line.lstrip("# ")
        if not line.startswith("|"):
            is_inside = False
            continue
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not is_inside:
            found.append((heading, cells, []))
            is_inside = True
        elif set(cells) != {"---"}:
            found[-1][2].append(cells)
    return found


@cache
def functions(file: str) -> frozenset[str]:
    """The tests of a file, those of a class as `Class::test`."""
    tree = ast.parse((_TESTS / file).read_text("utf-8"))
    names = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    for held in tree.body:
        if isinstance(held, ast.ClassDef):
            names += [f"{held.name}::{node.name}" for node in held.body if isinstance(node, ast.FunctionDef)]
    return frozenset(name for name in names if name.rpartition("::")[2].startswith("test_"))


ROWS = [
    (heading, columns, row)
    for heading, columns, rows in tables("threat-model.md")
    for row in rows
    if columns[-1] == "test"
]


def test_there_are_lines_to_look_at():
    with_tests = [heading for heading, columns, _ in tables("threat-model.md") if columns[-1] == "test"]
    without = [heading for heading, columns, _ in tables("threat-model.md") if columns[-1] != "test"]
    assert without == ["Threat model", "What each of them has"]  # what words mean, and who is who
    assert len(with_tests) == len(set(with_tests)) >= 9


@pytest.mark.parametrize(("heading", "columns", "row"), ROWS, ids=[row[0][:60] for _, _, row in ROWS])
def test_each_line_names_tests_that_exist(heading: str, columns: list[str], row: list[str]):
    assert len(row) == len(columns)
    if heading == _UNTESTED:
        assert row[-1] == "not tested"
        return
    named = _NAME.findall(row[-1])
    assert named, row[0]
    assert _NAME.sub("", row[-1]).strip(", ") == "", row[-1]
    for name in named:
        file, _, function = name.partition("::")
        assert (_TESTS / file).is_file(), name
        assert function in functions(file), name


@pytest.mark.parametrize(("heading", "columns", "row"), ROWS, ids=[row[0][:60] for _, _, row in ROWS])
def test_each_line_says_when_in_the_four_words(heading: str, columns: list[str], row: list[str]):
    for name in ("when", "when it is seen"):
        if name in columns:
            words = re.sub(r" \(.*?\)", "", row[columns.index(name)]).split(", ")
            assert set(words) <= {"at once", "verification", "shelf", "never"}
    if "finding" in columns:
        assert set(_CODE.findall(row[columns.index("finding")])) <= set(KINDS)


def test_every_kind_of_finding_is_told_with_what_to_do_about_it():
    (rows,) = [rows for heading, _, rows in tables("ledger.md") if heading == "Findings"]
    assert sorted(row[0].strip("`") for row in rows) == sorted(KINDS)
    assert all(len(row) == 3 and all(row) for row in rows)


@pytest.mark.parametrize(
    "page", ["../README.md", "ledger.md", "governance.md", "privacy.md", "facts.md", "experience.md", "cli.md"]
)
def test_pages_that_promise_something_lead_here(page: str):
    assert "threat-model.md" in (_DOCS / page).read_text("utf-8")
