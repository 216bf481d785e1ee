"""An expression as text: how it was read, with the parentheses it needs and no others.

Pure. What is shown here the parser reads back as the same expression; the answer repeats the question in this form so
that a person sees a misreading at once.
"""

from fractions import Fraction

from mace.agents.mathematics.decimals import decimal_text, terminates
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

_SUM, _PART, _PRODUCT, _SIGNED, _POWER, _ATOM = range(6)


def echo(node: Node) -> str:
    """Return the expression as one writes it."""
    return _text(node)[0]


def echo_grouped(node: Node) -> str:
    """Return the expression, in parentheses if it is a sum (for ∫ (x + 1) dx)."""
    text, level = _text(node)
    return f"({text})" if level <= _PART else text


def number_text(number: Number) -> str:
    """Return a number as it was meant: 0.25 if it was written with a point, 1/4 if not."""
    if number.decimal and terminates(number.value):
        return decimal_text(number.value)
    return fraction_text(number.value)


def fraction_text(value: Fraction) -> str:
    return str(value.numerator) if value.denominator == 1 else f"{value.numerator}/{value.denominator}"


def _text(node: Node) -> tuple[str, int]:
    match node:
        case Number():
            text = number_text(node)
            return text, _PRODUCT if "/" in text else _SIGNED if text[0] == "-" else _ATOM
        case Constant(name) | Variable(name):
            return name, _ATOM
        case Negate(operand):
            return f"-{_at_least(operand, _POWER)}", _SIGNED
        case Add(terms):
            words = [_at_least(terms[0][1], _PRODUCT)]
            words += [f"{sign} {_at_least(term, _PRODUCT)}" for sign, term in terms[1:]]
            return " ".join(words), _SUM
        case Multiply(factors):
            text = _at_least(factors[0][1], _SIGNED)
            for operator, factor in factors[1:]:
                text += {"*": "*", "/": "/", "mod": " mod "}[operator] + _at_least(factor, _POWER)
            return text, _PRODUCT
        case Power(base, exponent):
            return f"{_at_least(base, _ATOM)}^{_at_least(exponent, _ATOM)}", _POWER
        case Factorial(operand):
            return f"{_at_least(operand, _ATOM)}!", _POWER
        case Percent(operand):
            return f"{_at_least(operand, _ATOM)}%", _POWER
        case Degrees(operand):
            return f"{_at_least(operand, _ATOM)}°", _POWER
        case PartOf(part, whole, off):
            return f"{_at_least(part, _PRODUCT)} {'off' if off else 'of'} {_at_least(whole, _PRODUCT)}", _PART
        case Call("log", (argument, base)):
            return f"log_{_at_least(base, _ATOM)}({echo(argument)})", _ATOM
        case Call("log", (argument,)):
            return f"log_10({echo(argument)})", _ATOM
        case Call(function, arguments):
            return f"{function}({', '.join(echo(argument) for argument in arguments)})", _ATOM


def _at_least(node: Node, level: int) -> str:
    text, own = _text(node)
    return text if own >= level else f"({text})"
