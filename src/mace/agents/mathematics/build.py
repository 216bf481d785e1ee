"""From our own expressions to the computer-algebra library's objects, node by node.

Pure, for the worker: importing this imports the library. Only objects are passed on: integers, symbols, functions from
a fixed table. Symbols get names of our own (v0, v1, ...), so that not even a variable's letter from the user's text is
inside the library; `Names` keeps the way back. Giving the library a piece of text would make it evaluate Python.
"""

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import sympy

from mace.agents.mathematics.exact import Undefined
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

_FUNCTIONS: dict[str, Any] = {
    "sin": sympy.sin, "cos": sympy.cos, "tan": sympy.tan, "sec": sympy.sec, "csc": sympy.csc, "cot": sympy.cot,
    "asin": sympy.asin, "acos": sympy.acos, "atan": sympy.atan, "sinh": sympy.sinh, "cosh": sympy.cosh,
    "tanh": sympy.tanh, "asinh": sympy.asinh, "acosh": sympy.acosh, "atanh": sympy.atanh, "exp": sympy.exp,
    "ln": sympy.log, "sqrt": sympy.sqrt, "abs": sympy.Abs, "floor": sympy.floor, "ceil": sympy.ceiling,
    "binomial": sympy.binomial, "gcd": sympy.gcd, "lcm": sympy.lcm, "min": sympy.Min, "max": sympy.Max,
}  # fmt: skip
_CONSTANTS: dict[str, Any] = {"pi": sympy.pi, "e": sympy.E, "infinity": sympy.oo}


class Names:
    """The variables of one question and the symbols that stand for them."""

    def __init__(self, names: Iterable[str], **assumptions: bool) -> None:
        ordered = sorted(names)
        self.symbols: dict[str, Any] = {
            name: sympy.Symbol(f"v{place}", **assumptions) for place, name in enumerate(ordered)
        }
        self.shown = {f"v{place}": name for place, name in enumerate(ordered)}

    def assume(self, name: str, **assumptions: bool) -> Any:
        """Give one variable other assumptions, and return its symbol."""
        self.symbols[name] = sympy.Symbol(self.symbols[name].name, **assumptions)
        return self.symbols[name]

    def __getitem__(self, name: str) -> Any:
        return self.symbols[name]


def rational(value: Fraction) -> Any:
    """Return the library's exact number."""
    return sympy.Rational(value.numerator, value.denominator)


def fraction(number: Any) -> Fraction:
    """Return one of the library's rational numbers as a fraction of ours."""
    return Fraction(int(number.p), int(number.q))


def build(node: Node, names: Names) -> Any:
    """Return the library's object for an expression, or raise `Undefined` if some part of it has no value.

    The library itself would go on with what is undefined: to it, 1/(1/0) is 0.
    """
    built = _build(node, names)
    if built.has(sympy.nan, sympy.zoo):
        raise Undefined
    return built


def _build(node: Node, names: Names) -> Any:
    match node:
        case Number(value, _):
            return rational(value)
        case Constant(name):
            return _CONSTANTS[name]
        case Variable(name):
            return sympy.I if name == "i" and "i" not in names.symbols else names[name]
        case Negate(operand):
            return -build(operand, names)
        case Percent(operand):
            return build(operand, names) / 100
        case Degrees(operand):
            return build(operand, names) * sympy.pi / 180
        case PartOf(part, whole, off):
            base = build(whole, names)
            share = build(part, names) * base
            return base - share if off else share
        case Add(terms):
            return _sum(terms, names)
        case Multiply(factors):
            return _product(factors, names)
        case Power(base, exponent):
            return sympy.Pow(build(base, names), build(exponent, names))
        case Factorial(operand):
            return sympy.factorial(build(operand, names))
        case Call(function, arguments):
            return _call(function, [build(argument, names) for argument in arguments])


def _sum(terms: tuple[tuple[str, Node], ...], names: Names) -> Any:
    values: list[Any] = []
    only_percentages = True
    for sign, term in terms:
        value = build(term, names)
        if isinstance(term, Percent) and not only_percentages:
            value = value * sympy.Add(*values)
        only_percentages = only_percentages and isinstance(term, Percent)
        values.append(value if sign == "+" else -value)
    return sympy.Add(*values)


def _product(factors: tuple[tuple[str, Node], ...], names: Names) -> Any:
    total: Any = sympy.Integer(1)
    for operator, factor in factors:
        value = build(factor, names)
        if operator == "*":
            total = total * value
        elif operator == "/":
            total = total / value
        else:
            total = sympy.nan if value.is_zero else sympy.Mod(total, value)  # it would raise
    return total


def _call(function: str, arguments: list[Any]) -> Any:
    first = arguments[0]
    match function:
        case "log":
            base = arguments[1] if len(arguments) > 1 else sympy.Integer(10)
            return sympy.log(first) / sympy.log(base)
        case "cbrt":
            return sympy.real_root(first, 3) if first.is_number and first.is_real else sympy.cbrt(first)
        case "mean":
            return sympy.Add(*arguments) / len(arguments)
        case "gcd" | "lcm":
            total = first
            for argument in arguments[1:]:
                total = _FUNCTIONS[function](total, argument)
            return total
        case _:
            return _FUNCTIONS[function](*arguments)
