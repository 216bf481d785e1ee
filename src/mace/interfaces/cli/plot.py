"""Small plots for a terminal: curves as filled areas over time, with their values and dates.

Pure: numbers in, lines out, none wider than asked for. Braille gives eight dots to a character; where it cannot be
shown, plain ASCII gives two. What would hurt: a value that is drawn on the wrong side of zero.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

_BRAILLE = 0x2800
_BRAILLE_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))  # by row from the top, then by column
_PLAIN_DOTS = {(False, False): " ", (True, False): "'", (False, True): ".", (True, True): ":"}
_NAME, _NUMBER = 10, 7
MARGIN = _NAME + _NUMBER + 1  # columns at the left of the edge
_NARROWEST = 10
_STILL_SEEN = 0.01  # of the height: what is more than that gets a dot, however small


@dataclass(frozen=True, slots=True)
class Ink:
    """How many dots a character holds, across and down, and what the edges are drawn with."""

    across: int
    down: int
    edge: str
    corner: str
    line: str


BRAILLE = Ink(2, 4, "│", "└", "─")
ASCII = Ink(1, 2, "|", "+", "-")


def ink_for(encoding: str | None, terminal: str | None) -> Ink:
    """Braille where it can be shown: not in every encoding, and not on a terminal that has no signs for it."""
    if terminal in ("dumb", "linux"):
        return ASCII
    try:
        f"{chr(_BRAILLE)}{BRAILLE.edge}".encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return ASCII
    return BRAILLE


def columns_of(width: int) -> int:
    """The characters for dots in lines of this width, beside names, values and the edge."""
    return max(_NARROWEST, width - MARGIN - 1)


def area(values: Sequence[float], columns: int, lines: int, ink: Ink) -> list[str]:
    """Fill from zero to each value; the height reaches from the lowest to the highest of them and zero."""
    low, high = bounds(values)
    wide, tall = columns * ink.across, lines * ink.down
    zero = min(max(round(-low / (high - low) * tall), low < 0), tall - (high > 0))
    dots = [[False] * wide for _ in range(tall)]  # rows from the bottom
    for x, value in enumerate(_spread(values, wide)):
        least = abs(value) >= (high - low) * _STILL_SEEN
        if value >= 0:
            reach = range(zero, zero + max(least, round(value / (high or 1.0) * (tall - zero))))
        else:
            reach = range(zero - max(least, round(value / low * zero)), zero)
        for y in reach:
            dots[y][x] = True
    return [
        "".join(_glyph(dots, tall - line * ink.down, column * ink.across, ink) for column in range(columns))
        for line in range(lines)
    ]


def bounds(values: Sequence[float]) -> tuple[float, float]:
    """The lowest and the highest of the values and zero; never the same."""
    low, high = min([0.0, *values]), max([0.0, *values])
    return (low, high) if low < high else (0.0, 1.0)


def _spread(values: Sequence[float], wide: int) -> list[float]:
    """As many values as there are dots across; of several that share a dot the last one counts."""
    count = len(values)
    if not count:
        return [0.0] * wide
    if count < wide:
        return [values[x * count // wide] for x in range(wide)]
    return [values[(x + 1) * count // wide - 1] for x in range(wide)]


def _glyph(dots: list[list[bool]], top: int, left: int, ink: Ink) -> str:
    if ink is ASCII:
        return _PLAIN_DOTS[dots[top - 1][left], dots[top - 2][left]]
    code = sum(
        bit for row, bits in enumerate(_BRAILLE_DOTS) for x, bit in enumerate(bits) if dots[top - 1 - row][left + x]
    )
    return chr(_BRAILLE + code) if code else " "


def curve(name: str, values: Sequence[float], width: int, lines: int, ink: Ink) -> list[str]:
    """A curve with its name and, at its edge, its highest value, its lowest and zero."""
    low, high = bounds(values)
    zero = lines - 1 - round(-low / (high - low) * (lines - 1))  # the line in which zero lies
    labels = {zero: 0.0, 0: high, lines - 1: low}
    shown = []
    for line, text in enumerate(area(values, columns_of(width), lines, ink)):
        number = number_text(labels[line]) if line in labels else ""
        title = name if line == 0 else ""
        shown.append(f"{title[:_NAME].ljust(_NAME)}{number.rjust(_NUMBER)} {ink.edge}{text}".rstrip())
    return shown


def time_axis(first: datetime, last: datetime, width: int, ink: Ink) -> list[str]:
    """The line under the curves, and under it the dates of its ends and its middle, as many as there is room for."""
    columns = columns_of(width)
    form = "%Y-%m-%d" if (last - first).total_seconds() >= 2 * 86400 else "%m-%d %H:%M"
    start, middle, end = (instant.strftime(form) for instant in (first, first + (last - first) / 2, last))
    between = columns - len(start) - len(end)
    if start == end or between < 1:
        dates = end.rjust(columns)
    elif between < len(middle) + 4:
        dates = start + " " * between + end
    else:
        dates = start + middle.center(between) + end
    return [" " * MARGIN + ink.corner + ink.line * columns, " " * (MARGIN + 1) + dates]


def number_text(value: float) -> str:
    """Two decimals while that is short; what rounds to nothing is 0."""
    if abs(value) < 0.005:
        return "0"
    return f"{value:.2f}" if abs(value) < 1000 else f"{value:.2g}"
