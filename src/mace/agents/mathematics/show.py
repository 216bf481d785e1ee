"""The computer-algebra library's results as text, in the notation our parser reads.

Pure, for the worker. The same result gives the same bytes in every process: the printer sorts by structure, never by
hash, and decimals come from exact integers.
"""

from typing import Any

import sympy
from sympy.printing.precedence import PRECEDENCE
from sympy.printing.str import StrPrinter

from mace.agents.mathematics.answers import Refusal
from mace.agents.mathematics.build import Names, fraction
from mace.agents.mathematics.decimals import shorten
from mace.agents.mathematics.limits import MAX_ANSWER_CHARACTERS, MAX_DIGITS
from mace.agents.mathematics.results import rational_texts

_RELATIONS = {"==": "=", "!=": "≠", "<=": "≤", ">=": "≥"}
_WORKING_DIGITS = 25


class _Printer(StrPrinter):  # type: ignore[misc]
    """Writes ^, ln, e and i, and the user's own names of the variables."""

    def __init__(self, names: Names) -> None:
        super().__init__()
        self.names = names

    def _tight(self, expr: Any) -> str:
        """Return an exponent: in parentheses unless it is a single number, name or function."""
        return str(self.parenthesize(expr, PRECEDENCE["Func"], strict=True))

    def _print_Symbol(self, expr: Any) -> str:
        return self.names.shown.get(expr.name, str(expr.name))

    def _print_Dummy(self, expr: Any) -> str:
        return str(expr.name)

    def _print_log(self, expr: Any) -> str:
        inner = expr.args[0]
        return f"ln|{self._print(inner.args[0])}|" if inner.func.__name__ == "Abs" else f"ln({self._print(inner)})"

    def _print_exp(self, expr: Any) -> str:
        return f"e^{self._tight(expr.args[0])}"

    def _print_Exp1(self, expr: Any) -> str:
        return "e"

    def _print_ImaginaryUnit(self, expr: Any) -> str:
        return "i"

    def _print_Infinity(self, expr: Any) -> str:
        return "infinity"

    def _print_NegativeInfinity(self, expr: Any) -> str:
        return "-infinity"

    def _print_Abs(self, expr: Any) -> str:
        return f"abs({self._print(expr.args[0])})"

    def _print_ceiling(self, expr: Any) -> str:
        return f"ceil({self._print(expr.args[0])})"

    def _print_Mod(self, expr: Any) -> str:
        left, right = (self.parenthesize(part, PRECEDENCE["Mul"]) for part in expr.args)
        return f"({left} mod {right})"

    def _print_Pow(self, expr: Any, rational: bool = False) -> str:
        if isinstance(expr.base, sympy.exp):  # e^x^2 would be read as e^(x^2)
            return f"({self._print(expr.base)})^{self._tight(expr.exp)}"
        if expr.exp.is_Rational and expr.exp < -1:
            return f"1/{self._print(sympy.Pow(expr.base, -expr.exp, evaluate=False))}"
        return str(super()._print_Pow(expr, rational))

    def _print_Piecewise(self, expr: Any) -> str:
        cases = []
        for value, condition in expr.args:
            if value.has(sympy.Integral, sympy.Sum, sympy.Product):
                continue  # "otherwise unknown" says nothing
            known = condition == sympy.true
            cases.append(f"{self._print(value)} {'otherwise' if known else 'if ' + self._print(condition)}")
        return ", ".join(cases)

    def _print_Relational(self, expr: Any) -> str:
        sign = _RELATIONS.get(expr.rel_op, expr.rel_op)
        return f"{self._print(expr.lhs)} {sign} {self._print(expr.rhs)}"

    def _print_And(self, expr: Any) -> str:
        return " and ".join(sorted(self._print(part) for part in expr.args))

    def _print_Or(self, expr: Any) -> str:
        return " or ".join(sorted(self._print(part) for part in expr.args))


def show(expression: Any, names: Names) -> str:
    """Return the expression as text."""
    if any(_too_long(number) for number in expression.atoms(sympy.Rational)):
        raise Refusal("the result would be too large", "too_large")
    text = str(_Printer(names).doprint(expression)).replace("**", "^")
    if len(text) > MAX_ANSWER_CHARACTERS:
        raise Refusal("the result would be too long", "too_large")
    return text


def _too_long(number: Any) -> bool:
    return max(abs(int(number.p)).bit_length(), int(number.q).bit_length()) > MAX_DIGITS * 3.33


def undefined(expression: Any) -> bool:
    """Say whether a result is no number and no expression."""
    return bool(expression.has(sympy.nan, sympy.zoo))


def decimal(expression: Any) -> str:
    """Return a number that is not rational with ten significant digits; complex ones as a + b*i."""
    real, imaginary = (_real_decimal(part) for part in expression.as_real_imag())
    if imaginary == "0":
        return real
    unit = {"1": "i", "-1": "-i"}.get(imaginary, f"{imaginary}*i")
    if real == "0":
        return unit
    return f"{real} - {unit[1:]}" if unit.startswith("-") else f"{real} + {unit}"


def _real_decimal(number: Any) -> str:
    value = sympy.N(number, _WORKING_DIGITS, chop=True)
    if value == 0:
        return "0"
    if not value.is_Float and not value.is_Rational:
        raise Refusal("the result could not be computed as a number", "no_result")
    return shorten(str(value))


def number_texts(expression: Any, names: Names, prefer_decimal: bool) -> tuple[str, str, bool]:
    """Return a numeric result for people (with its sign of equality), its canonical form, and whether it is exact."""
    if expression.is_Rational:
        text, canonical = rational_texts(fraction(expression), prefer_decimal)
        return text, canonical, True
    if expression.is_infinite:
        return f"= {show(expression, names)}", show(expression, names), True
    near = decimal(expression)
    if prefer_decimal and not expression.has(sympy.I):
        return f"≈ {near}", near, False
    exact = show(expression, names)
    if exact == near:
        return f"= {exact}", exact, True
    return f"= {exact} ≈ {near}", exact, True
