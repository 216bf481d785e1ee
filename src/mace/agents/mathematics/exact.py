"""Exact arithmetic with fractions, for everything that needs no algebra.

Pure, and quick because `estimate` has bounded every part. It answers what is rational all the way down; for anything
else it says so by `NotRational`, and the computer-algebra library takes over. Both give the same answers where both
can (a test compares them).
"""

import math
from fractions import Fraction

from mace.agents.mathematics.limits import MAX_DIGITS
from mace.agents.mathematics.tree import (
    Add,
    Call,
    Factorial,
    Multiply,
    Negate,
    Node,
    Number,
    PartOf,
    Percent,
    Power,
)


class NotRational(Exception):
    """The expression needs more than fractions."""


class Undefined(Exception):
    """The expression has no value: a division by zero, the factorial of a negative number."""


def evaluate(node: Node) -> Fraction:
    """Return the value of an expression whose every part is rational."""
    match node:
        case Number(value, _):
            return value
        case Negate(operand):
            return -evaluate(operand)
        case Percent(operand):
            return evaluate(operand) / 100
        case PartOf(part, whole, off):
            share = evaluate(part) * evaluate(whole)
            return evaluate(whole) - share if off else share
        case Add(terms):
            return _sum(terms)
        case Multiply(factors):
            return _product(factors)
        case Power(base, exponent):
            return _power(evaluate(base), evaluate(exponent))
        case Factorial(operand):
            return _factorial(evaluate(operand))
        case Call(function, arguments):
            return _call(function, arguments)
        case _:
            raise NotRational


def _sum(terms: tuple[tuple[str, Node], ...]) -> Fraction:
    total = Fraction(0)
    only_percentages = True
    for sign, term in terms:
        value = evaluate(term)
        if isinstance(term, Percent) and not only_percentages:
            value *= total  # 80 + 15% is 15% more than 80
        only_percentages = only_percentages and isinstance(term, Percent)
        total += value if sign == "+" else -value
    return total


def _product(factors: tuple[tuple[str, Node], ...]) -> Fraction:
    total = Fraction(1)
    for operator, factor in factors:
        value = evaluate(factor)
        if operator == "*":
            total *= value
        elif not value:
            raise Undefined
        else:
            total = total / value if operator == "/" else total % value
    return total


def _power(base: Fraction, exponent: Fraction) -> Fraction:
    if exponent.denominator != 1:
        if base < 0:
            raise NotRational
        root = _exact_root(base, exponent.denominator)
        if root is None:
            raise NotRational
        base, exponent = root, Fraction(exponent.numerator)
    if not base and exponent < 0:
        raise Undefined
    power = int(exponent)
    if base not in (0, 1, -1) and abs(power) > MAX_DIGITS * 4:  # cannot happen behind `estimate`; never hang
        raise NotRational
    return base**power


def _exact_root(value: Fraction, degree: int) -> Fraction | None:
    if degree > 64:
        return None
    top, bottom = _integer_root(value.numerator, degree), _integer_root(value.denominator, degree)
    return None if top is None or bottom is None else Fraction(top, bottom)


def _integer_root(number: int, degree: int) -> int | None:
    """Return the whole root of a number that is not negative, if it has one."""
    low, high = 0, 1 << (number.bit_length() // degree + 1)
    while low < high:
        middle = (low + high) // 2
        if middle**degree < number:
            low = middle + 1
        else:
            high = middle
    return low if low**degree == number else None


def _factorial(value: Fraction) -> Fraction:
    if value.denominator != 1:
        raise NotRational
    if value < 0:
        raise Undefined
    return Fraction(math.factorial(int(value)))


def _call(function: str, nodes: tuple[Node, ...]) -> Fraction:
    values = [evaluate(node) for node in nodes]
    first = values[0]
    match function:
        case "abs":
            return abs(first)
        case "floor":
            return Fraction(math.floor(first))
        case "ceil":
            return Fraction(math.ceil(first))
        case "min":
            return min(values)
        case "max":
            return max(values)
        case "mean":
            return sum(values, Fraction(0)) / len(values)
        case "median":
            ordered, half = sorted(values), len(values) // 2
            return ordered[half] if len(values) % 2 else (ordered[half - 1] + ordered[half]) / 2
        case "sqrt" | "cbrt":
            root = _exact_root(abs(first), 2 if function == "sqrt" else 3)
            if root is None or (first < 0 and function == "sqrt"):
                raise NotRational
            return root if first >= 0 else -root
        case "gcd" | "lcm" | "binomial":
            return _whole(function, values)
        case _:
            raise NotRational


def _whole(function: str, values: list[Fraction]) -> Fraction:
    if any(value.denominator != 1 for value in values):
        raise NotRational
    whole = [int(value) for value in values]
    if function == "gcd":
        return Fraction(math.gcd(*whole))
    if function == "lcm":
        return Fraction(math.lcm(*whole))
    if min(whole) < 0:
        raise NotRational
    return Fraction(math.comb(whole[0], whole[1]))
