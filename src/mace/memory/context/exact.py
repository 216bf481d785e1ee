"""Arithmetic on many scores at once that gives the same bits as Python gives one by one, on every processor.

Pure. Python's `math.fsum` and `round` are correctly rounded; here a quick sum is taken first, and what could be rounded
otherwise (a sum close to where the twelfth decimal turns) is looked at again: with the errors of all additions kept,
and, where even these were rounded, by Python itself. Nothing here depends on how wide a processor's registers are:
only additions, multiplications, divisions and comparisons, element by element.
"""

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mace.memory.context.ports import NO_INSTANT
from mace.memory.context.scoring import SCORE_DECIMALS, SECONDS_PER_DAY, half_lives, nearest_power_of_half, total

Floats = NDArray[np.float64]
UNITS: Final = 10.0**SCORE_DECIMALS  # of a score; a whole number that doubles hold exactly
_EXACT: Final = 2.0**52  # from here on, doubles have no halves
_LAST_BIT: Final = 2.0**-53
_SURE_SCORE: Final = 512.0  # below, two rounded scores add up to the unit
_STEPS: Final = 64
_FEW_UNITS: Final = 0.01  # more than all errors of a quick power
_STEP_POWERS: Final = np.array([nearest_power_of_half(step / _STEPS) for step in range(_STEPS)])
_TERMS: Final = [(-math.log(2)) ** term / math.factorial(term) for term in range(7, -1, -1)]


def rounded(values: Floats, roundings: int) -> tuple[Floats, NDArray[np.bool_]]:
    """Values of zero and more as `round` rounds them, and which are not sure.

    `roundings` is how often a value may have been rounded on its way, the other way there included.
    """
    scaled = values * UNITS
    off = np.abs(scaled - np.floor(scaled) - 0.5)
    unsure = off <= scaled * (_LAST_BIT * (roundings + 4)) + 1e-9
    unsure |= scaled >= _EXACT
    return np.rint(scaled) / UNITS, unsure


def rounded_exactly(values: Floats) -> Floats:
    """Values as `round` rounds them."""
    found, unsure = rounded(values, 0)
    at = np.flatnonzero(unsure)
    found[at] = [round(value, SCORE_DECIMALS) for value in values[at].tolist()]
    return found


def exact_sums(rows: Floats) -> Floats:
    """The sum of each column as `math.fsum` gives it."""
    sums = rows[0].copy()
    errors = np.zeros_like(sums)
    unsure = np.zeros(len(sums), np.bool_)
    for row in rows[1:]:
        sums, error = _two_sum(sums, row)
        errors, lost = _two_sum(errors, error)
        unsure |= lost != 0
    found: Floats = sums + errors
    for at in np.flatnonzero(unsure).tolist():
        found[at] = math.fsum(rows[:, at].tolist())
    return found


def _two_sum(one: Floats, other: Floats) -> tuple[Floats, Floats]:
    """The sum of two numbers, and what was lost when it was rounded, exactly."""
    found = one + other
    of_other = found - one
    return found, (one - (found - of_other)) + (other - of_other)


def recency_bonuses(instants: NDArray[np.int64], now_us: int, half_life_days: int) -> Floats:
    """What `total(0, half_lives(...))` gives for each instant; nothing for those that are none."""
    ages = np.where(instants == NO_INSTANT, 0, np.maximum(now_us - np.where(instants == NO_INSTANT, 0, instants), 0))
    exponents = ages / 1_000_000 / SECONDS_PER_DAY / half_life_days
    whole = np.floor(exponents)
    steps = np.floor((exponents - whole) * _STEPS)
    rest = (exponents - whole) - steps / _STEPS
    powers = np.full(len(rest), _TERMS[0])
    for term in _TERMS[1:]:
        powers *= rest
        powers += term
    powers *= _STEP_POWERS[steps.astype(np.int64)]
    powers = np.ldexp(powers, -np.minimum(whole, 1000).astype(np.int32))
    scaled = powers * UNITS
    found: Floats = np.rint(scaled) / UNITS
    at = np.flatnonzero(np.abs(scaled - np.floor(scaled) - 0.5) <= _FEW_UNITS)
    found[at] = [total(0, half_lives(now_us - instant, half_life_days)) for instant in instants[at].tolist()]
    found[instants == NO_INSTANT] = 0.0
    return found


def added(scores: Floats, bonuses: Floats) -> Floats:
    """Two rounded numbers each, added up and rounded."""
    if not len(scores) or float(scores.max()) < _SURE_SCORE:
        found: Floats = (np.rint(scores * UNITS) + np.rint(bonuses * UNITS)) / UNITS
        return found
    pairs = zip(scores.tolist(), bonuses.tolist(), strict=True)
    return np.array([round(score + bonus, SCORE_DECIMALS) for score, bonus in pairs])


def falling_order(scores: Floats, ranks: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """The ranks by falling score, equal ones rising. Scores are rounded, zero and more; the ranks are all different."""
    if not len(scores):
        return ranks
    most = float(scores.max())
    if most * UNITS >= _EXACT:
        return ranks[np.lexsort((ranks, -scores))]
    by_rank = np.full(int(ranks.max()) + 1, -1, np.int64)
    by_rank[ranks] = np.rint(scores * UNITS).astype(np.int64)
    order = np.flatnonzero(by_rank >= 0).astype(np.uint32)
    below = round(most * UNITS) - by_rank.take(order)
    for low in range(0, round(most * UNITS).bit_length(), 16):  # NumPy counts keys of 16 bits instead of comparing
        found = np.argsort((below >> low).astype(np.uint16), kind="stable")
        order, below = order.take(found), below.take(found)
    return order
