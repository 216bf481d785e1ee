"""Plots are pure: numbers in, lines out."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mace.interfaces.cli import plot
from mace.interfaces.cli.plot import ASCII, BRAILLE, Ink

_MAY = datetime(2026, 5, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("encoding", "terminal", "ink"),
    [
        ("utf-8", None, BRAILLE),
        ("utf-8", "xterm-256color", BRAILLE),
        ("utf-8", "dumb", ASCII),
        ("utf-8", "linux", ASCII),
        ("ascii", "xterm", ASCII),
        ("latin-1", None, ASCII),
        ("no-such-encoding", None, ASCII),
        (None, None, ASCII),
    ],
)
def test_braille_only_where_it_can_be_shown(encoding: str | None, terminal: str | None, ink: Ink):
    assert plot.ink_for(encoding, terminal) is ink


@pytest.mark.parametrize(
    ("values", "columns", "lines", "ink", "drawn"),
    [
        ([1, 2, 3, 4], 4, 2, ASCII, ["  .:", ".:::"]),
        ([-1, -2, -3, -4], 4, 2, ASCII, ["':::", "  ':"]),
        ([2, 2, -2, -2], 4, 2, ASCII, [":: ", "  ::"]),
        ([0, 0, 0], 3, 2, ASCII, ["   ", "   "]),
        ([], 2, 1, ASCII, ["  "]),
        ([5], 3, 1, ASCII, [":::"]),
        ([0.5, 1], 2, 1, ASCII, [".:"]),
        ([1, 0.02, 0.001], 3, 2, ASCII, [":  ", ":. "]),  # little is still seen, next to nothing is not
        ([1, 2, 3, 4], 2, 1, BRAILLE, ["⣠⣾"]),
        ([-1, -2, -3, -4], 2, 1, BRAILLE, ["⠙⢿"]),
        ([1, 1, -1, -1], 2, 1, BRAILLE, ["⠛⣤"]),
        (list(range(1, 9)), 2, 1, ASCII, [".:"]),
    ],
)
def test_an_area(values: list[float], columns: int, lines: int, ink: Ink, drawn: list[str]):
    assert [line.rstrip() for line in plot.area(values, columns, lines, ink)] == [line.rstrip() for line in drawn]


def _dots(drawn: list[str], ink: Ink) -> dict[int, set[int]]:
    """For each column of dots the rows that are filled, from the bottom."""
    bits = {
        (0, 0): 0x01,
        (1, 0): 0x02,
        (2, 0): 0x04,
        (3, 0): 0x40,
        (0, 1): 0x08,
        (1, 1): 0x10,
        (2, 1): 0x20,
        (3, 1): 0x80,
    }
    found: dict[int, set[int]] = {x: set() for x in range(len(drawn[0]) * ink.across)}
    for line, text in enumerate(drawn):
        for column, glyph in enumerate(text):
            for row in range(ink.down):
                for side in range(ink.across):
                    filled = glyph in (":'", ":.")[row] if ink is ASCII else ord(glyph) & bits[row, side]
                    if glyph != " " and filled:
                        found[column * ink.across + side].add((len(drawn) - line) * ink.down - row)
    return found


@given(st.lists(st.floats(-1e6, 1e6), min_size=12, max_size=12), st.integers(1, 6), st.sampled_from([ASCII, BRAILLE]))
@example([1000.0, -0.011] * 6, 3, ASCII)
@example([0.011, -1000.0] * 6, 3, BRAILLE)
@example([100.0, -1.1] * 6, 1, BRAILLE)
def test_every_value_keeps_to_its_side_of_zero(values: list[float], lines: int, ink: Ink):
    columns = len(values) // ink.across
    drawn = plot.area(values, columns, lines, ink)
    assert [len(line) for line in drawn] == [columns] * lines
    low, high = plot.bounds(values)
    dots = _dots(drawn, ink)
    above = {row for x, value in enumerate(values) if value > 0 for row in dots[x]}
    below = {row for x, value in enumerate(values) if value < 0 for row in dots[x]}
    assert not above & below
    assert not above or not below or min(above) > max(below)
    for x, value in enumerate(values):
        assert bool(dots[x]) or abs(value) <= (high - low) / 20, "what counts is seen"
        assert value or not dots[x]


@pytest.mark.parametrize(
    ("values", "width", "lines", "labels"),
    [
        ([1.0, 5.5], 40, 3, ["5.50", "", "0"]),
        ([-1.0, -5.5], 40, 3, ["0", "", "-5.50"]),
        ([4.0, -4.0], 40, 3, ["4.00", "0", "-4.00"]),
        ([0.0], 40, 2, ["1.00", "0"]),
        ([0.001, 0.002], 40, 2, ["0", "0"]),
        ([123456.0], 40, 2, ["1.2e+05", "0"]),
    ],
)
def test_a_curve_tells_its_values(values: list[float], width: int, lines: int, labels: list[str]):
    shown = plot.curve("decision", values, width, lines, ASCII)
    assert [line.partition("|")[0].removeprefix("decision").strip() for line in shown] == labels
    assert shown[0].startswith("decision ")
    assert all(len(line) <= width for line in shown)


@pytest.mark.parametrize(
    ("days", "width", "dates"),
    [
        (30, 72, ["2026-05-01", "2026-05-16", "2026-05-31"]),
        (30, 45, ["2026-05-01", "2026-05-31"]),
        (30, 30, ["2026-05-31"]),
        (30, 1, ["2026-05-31"]),
        (0.5, 72, ["05-01 00:00", "05-01 06:00", "05-01 12:00"]),
        (0, 72, ["05-01 00:00"]),
    ],
)
def test_the_axis_has_as_many_dates_as_fit(days: float, width: int, dates: list[str]):
    line, under = plot.time_axis(_MAY, _MAY + timedelta(days=days), width, ASCII)
    assert re.findall(r"\S+(?: \S+)?", under) == dates
    assert len(under) <= max(len(line), plot.MARGIN + 12)
    assert line.strip("- ") == "+"
