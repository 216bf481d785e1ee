"""A second look at what the computer-algebra library says: both sides as numbers at fixed points.

Pure, for the worker, and deterministic: the points are constants. Agreement at a point is no proof, but disagreement
is a mistake found. `None` means that the points could not tell.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import sympy

_POINTS = ((37, 29), (53, 41), (61, 17), (19, 23), (71, 31), (43, 47), (83, 59))
_SHIFTS = ((1, 1), (3, 5))


def agree(left: Any, right: Any) -> bool | None:
    """Say whether two expressions in the same symbols have the same values."""
    symbols = sorted(left.free_symbols | right.free_symbols, key=lambda symbol: str(symbol.name))
    told: bool | None = None
    for shift in _SHIFTS:
        points = _points(symbols, shift)
        verdict = close(left, right, dict(points))
        if verdict is False:
            return False
        told = told or verdict
    return told


def _points(symbols: Iterable[Any], shift: tuple[int, int]) -> list[tuple[Any, Any]]:
    points = []
    for place, symbol in enumerate(symbols):
        top, bottom = _POINTS[place % len(_POINTS)]
        place_here = sympy.Rational(top, bottom) * sympy.Rational(*shift)
        points.append((symbol, sympy.ceiling(place_here) + 2 if symbol.is_integer else place_here))
    return points


def close(left: Any, right: Any, points: Mapping[Any, Any] | None = None) -> bool | None:
    """Say whether two numbers, or expressions at a point, are equal up to rounding."""
    first, second = number(left, points), number(right, points)
    if first is None or second is None:
        return None
    return abs(first - second) <= 1e-9 * max(abs(first), 1.0)


def number(expression: Any, points: Mapping[Any, Any] | None = None) -> complex | None:
    """Return the value of an expression at a point, or None if it has none.

    The point is put in while evaluating, not before: (1 + 1/n)^n at n = 10^8 must not become an exact fraction.
    """
    try:
        value = complex(expression.evalf(20, subs=dict(points) if points else None))
    except (TypeError, ValueError, OverflowError, ZeroDivisionError, AttributeError):
        return None
    return value if value == value else None
