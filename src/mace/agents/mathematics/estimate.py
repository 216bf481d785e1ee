"""How large a result would be, told by looking at the expression.

Pure, and cheap whatever the expression: nothing here computes a large number. Each part gets an upper bound of its
decimal digits; what would pass the limits is refused as too large before anybody tries. A part with a variable in it
has no size, but its exponents are bounded, because a high power of a sum has very many terms.
"""

import contextlib
import math
from dataclasses import dataclass
from fractions import Fraction

from mace.agents.mathematics import exact, limits
from mace.agents.mathematics.answers import Refusal
from mace.agents.mathematics.questions import Question, expressions_of
from mace.agents.mathematics.tree import (
    Add,
    Call,
    Constant,
    Degrees,
    Factorial,
    Multiply,
    Negate,
    Node,
    Number,
    PartOf,
    Percent,
    Power,
    Variable,
)

_SMALL_DIGITS = 40  # a value up to this long is carried along exactly


@dataclass(frozen=True, slots=True)
class Size:
    digits: float  # upper bound of the decimal digits of numerator and denominator (or of the magnitude)
    value: Fraction | None = None  # known and small
    rational: bool = True
    terms: int = 1  # estimated terms when multiplied out
    symbolic: bool = False  # holds a variable


_IRRATIONAL = Size(0.5, rational=False)  # below ten


def check_sizes(question: Question) -> None:
    """Raise `Refusal` when some part of the question would be too large."""
    for node in expressions_of(question):
        size_of(node)


def size_of(node: Node) -> Size:
    """Return the size of an expression, or refuse it."""
    size = _size(node)
    allowed = limits.MAX_DIGITS if size.rational else limits.MAX_MAGNITUDE
    if not size.digits <= allowed:  # also when it is not a number at all
        raise _too_large()
    if size.symbolic and size.terms > limits.MAX_EXPANDED_TERMS:
        raise _too_large()
    return size


def _too_large() -> Refusal:
    return Refusal("the result would be too large", "too_large")


def _size(node: Node) -> Size:
    match node:
        case Number(value, _):
            return _known(value)
        case Constant():
            return _IRRATIONAL
        case Variable("i"):
            return _IRRATIONAL
        case Variable():
            return Size(1.0, symbolic=True, rational=False)
        case Negate(operand):
            inner = size_of(operand)
            return inner if inner.value is None else _known(-inner.value)
        case Percent(operand):
            return _together([size_of(operand), _known(Fraction(100))])
        case Degrees(operand):
            return _together([size_of(operand), _known(Fraction(180)), _IRRATIONAL])
        case Add(terms):
            return _sum(terms)
        case Multiply(factors):
            return _product(factors)
        case PartOf(part, whole, _):
            return _together([size_of(part), size_of(whole)])
        case Power(base, exponent):
            return _power(size_of(base), size_of(exponent))
        case Factorial(operand):
            return _factorial(size_of(operand))
        case Call(function, arguments):
            return _call(function, [size_of(argument) for argument in arguments])


def _known(value: Fraction) -> Size:
    digits = _digits(value)
    return Size(digits, value if digits <= _SMALL_DIGITS else None)


def _digits(value: Fraction) -> float:
    largest = max(abs(value.numerator), value.denominator)
    bits = largest.bit_length()
    return math.log10(largest) if bits < 1000 else bits * math.log10(2)


def _together(sizes: list[Size]) -> Size:
    """Return the size of a product or, as an upper bound, of a sum."""
    return Size(
        digits=sum(size.digits for size in sizes),
        rational=all(size.rational for size in sizes),
        terms=min(math.prod(size.terms for size in sizes), 10**9),
        symbolic=any(size.symbolic for size in sizes),
    )


def _sum(terms: tuple[tuple[str, Node], ...]) -> Size:
    sizes = [size_of(term) for _, term in terms]
    total = Fraction(0)
    for (sign, term), size in zip(terms, sizes, strict=True):
        if size.value is None or isinstance(term, Percent):
            joint = _together(sizes)
            digits = joint.digits + math.log10(len(sizes))
            return Size(digits, None, joint.rational, sum(size.terms for size in sizes), joint.symbolic)
        total += size.value if sign == "+" else -size.value
    return _known(total)


def _product(factors: tuple[tuple[str, Node], ...]) -> Size:
    sizes = [size_of(factor) for _, factor in factors]
    joint = _together(sizes)
    if any(size.value is None for size in sizes):
        return joint
    total = Fraction(1)
    for (operator, _), size in zip(factors, sizes, strict=True):
        value = size.value or Fraction(0)
        if operator != "*" and not value:
            return joint  # a division by zero has no size
        total = total * value if operator == "*" else total / value if operator == "/" else total % value
    return _known(total)


def _power(base: Size, exponent: Size) -> Size:
    if exponent.symbolic:
        return Size(base.digits, rational=False, symbolic=True, terms=base.terms)
    times = abs(float(exponent.value)) if exponent.value is not None else 10.0 ** min(exponent.digits, 300.0)
    if base.symbolic:
        if times > limits.MAX_SYMBOLIC_EXPONENT:
            raise _too_large()
        whole = exponent.value is not None and exponent.value.denominator == 1
        terms = math.comb(int(times) + base.terms - 1, base.terms - 1) if whole and base.terms > 1 else 1
        return Size(base.digits * max(times, 1.0), rational=False, symbolic=True, terms=min(terms, 10**9))
    digits = base.digits * times
    if base.value in (0, 1, -1) and exponent.value is not None:
        digits = 1.0
    rational = base.rational and exponent.value is not None and exponent.value.denominator == 1
    exact = base.rational and exponent.rational
    if exact and digits > limits.MAX_DIGITS:  # a root of a huge power is computed as a power, too
        raise _too_large()
    if rational and base.value is not None and exponent.value is not None and digits <= _SMALL_DIGITS:
        power = int(exponent.value)
        if base.value or power >= 0:
            return _known(base.value**power)
    return Size(max(digits, 1.0), rational=rational)


def _factorial(operand: Size) -> Size:
    if operand.symbolic:
        return operand
    largest = float(operand.value) if operand.value is not None else 10.0 ** min(operand.digits, 300.0)
    if largest > 10**6:
        raise _too_large()
    whole = operand.value is not None and operand.value.denominator == 1
    digits = math.lgamma(max(largest, 1.0) + 1) / math.log(10) + 1
    if whole and largest >= 0 and digits <= _SMALL_DIGITS:
        return _known(Fraction(math.factorial(int(largest))))
    return Size(digits, rational=operand.rational)


def _call(function: str, arguments: list[Size]) -> Size:
    joint = _together(arguments)
    if joint.symbolic:
        return Size(joint.digits, rational=False, symbolic=True, terms=1)
    if function in ("exp", "sinh", "cosh"):
        largest = arguments[0].value
        magnitude = abs(float(largest)) if largest is not None else 10.0 ** min(arguments[0].digits, 300.0)
        return Size(magnitude, rational=False)
    if function == "binomial":
        return _binomial(*arguments)
    known = [Number(argument.value) for argument in arguments if argument.value is not None]
    if len(known) == len(arguments):
        with contextlib.suppress(exact.NotRational):
            return _known(exact.evaluate(Call(function, tuple(known))))
    if function in ("floor", "ceil", "abs", "gcd", "lcm", "min", "max", "mod", "mean", "median", "round"):
        return Size(joint.digits, rational=joint.rational)
    if function in ("sqrt", "cbrt"):
        return Size(joint.digits, rational=False)
    return Size(2.0, rational=False)  # circular functions, logarithms: no argument in bounds makes them large


def _binomial(total: Size, chosen: Size) -> Size:
    if total.value is None or chosen.value is None:
        raise _too_large()
    picked = min(abs(chosen.value), max(total.value - chosen.value, Fraction(0)))
    digits = float(picked) * (_digits(total.value) + 1) + 1
    if digits > limits.MAX_DIGITS * 4:  # the bound is generous: most binomials are far smaller
        raise _too_large()
    return Size(min(digits, float(limits.MAX_DIGITS)))
