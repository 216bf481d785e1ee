"""Values, rewriting, comparisons and primes with the computer-algebra library.

Pure, for the worker. Everything rational has been answered before it comes here.
"""

from fractions import Fraction
from typing import Any

import sympy

from mace.agents.mathematics.answers import APPROXIMATED, CHECKED, UNCHECKED, MathAnswer, Refusal
from mace.agents.mathematics.build import Names, build, fraction
from mace.agents.mathematics.checks import agree
from mace.agents.mathematics.echo import echo
from mace.agents.mathematics.questions import Choose, Compare, Evaluate, Property
from mace.agents.mathematics.results import (
    choose_answer,
    property_answer,
    rational_answer,
    relation_answer,
    rounded_answer,
    undefined_answer,
)
from mace.agents.mathematics.show import decimal, number_texts, show, undefined
from mace.agents.mathematics.tree import Node, has_decimal, variables

_DONE = {
    "simplify": ("Simplified", "cannot be simplified further"),
    "expand": ("Multiplied out", "has nothing to multiply out"),
    "factor": ("Factored over the rational numbers", "cannot be factored over the rational numbers"),
}


def evaluate(question: Evaluate) -> MathAnswer:
    """Answer a question for the value or another form of an expression."""
    node = question.expression
    written = question.wording or echo(node)
    names = Names(variables(node), real=True)
    expression = build(node, names)
    if question.goal == "factor":
        return _factor(expression, written, names)
    if expression.has(sympy.oo, -sympy.oo) and expression not in (sympy.oo, -sympy.oo):
        raise Refusal("it reckons with infinity as if it were a number", "no_result")
    if expression.free_symbols or variables(node):
        return _symbolic(question, expression, written, names)
    return _number(question, expression, written, names)


def _number(question: Evaluate, expression: Any, written: str, names: Names) -> MathAnswer:
    simple = sympy.simplify(expression)
    result = simple if simple.is_Rational or _length(simple) < _length(expression) else expression
    if undefined(result):
        return undefined_answer(written)
    if result.is_Rational:
        return rational_answer(question, fraction(result))
    if question.places is not None:
        return _rounded(result, question.places, written)
    steps = (f"Read as: {written}", "Computed exactly, then as a decimal number")
    if question.goal in ("decimal", "percent", "fraction"):
        if question.goal == "fraction" or result.is_infinite:
            raise Refusal("it has no such form")
        near = decimal(result * 100 if question.goal == "percent" else result)
        near += "%" if question.goal == "percent" else ""
        return MathAnswer(f"{written} ≈ {near}", near, steps, False, APPROXIMATED)
    text, canonical, exact = number_texts(result, names, has_decimal(question.expression))
    if text.startswith(f"= {written} "):
        text = text[len(f"= {written} ") :]
    elif text == f"= {written}":
        raise Refusal("there is nothing to compute")
    return MathAnswer(f"{written} {text}", canonical, steps, exact, CHECKED if exact else APPROXIMATED)


def _rounded(result: Any, places: int, written: str) -> MathAnswer:
    if not result.is_real or result.is_infinite:
        raise Refusal("only real numbers can be rounded")
    whole_digits = max(0, len(str(sympy.floor(abs(result)))))
    near = Fraction(str(sympy.N(result, whole_digits + max(places, 0) + 15)))
    return rounded_answer(written, places, near)


def _length(expression: Any) -> int:
    return int(sympy.count_ops(expression))


def _symbolic(question: Evaluate, expression: Any, written: str, names: Names) -> MathAnswer:
    if question.goal in ("fraction", "decimal", "percent") or question.places is not None:
        raise Refusal("it has a variable in it")
    goal = "simplify" if question.goal == "value" else question.goal
    result = sympy.expand(expression) if goal == "expand" else _simplest(expression)
    if undefined(result):
        return undefined_answer(written)
    done, nothing = _DONE[goal]
    shown = show(result, names)
    steps = [f"Read as: {written}", done]
    if _same_signs(shown, written):
        if question.goal == "value":
            raise Refusal("there is nothing to compute")
        return MathAnswer(f"{written} {nothing}", shown, tuple(steps), True, CHECKED)
    return MathAnswer(f"{written} = {shown}", shown, tuple(steps), True, _confidence(expression, result, steps))


def _simplest(expression: Any) -> Any:
    """Return the shortest of a few forms, the first one if they are equally long."""
    forms = [sympy.simplify(expression), sympy.expand(expression), expression]
    return min(forms, key=_length)


def _same_signs(left: str, right: str) -> bool:
    """Say whether two texts differ only in the order of their terms."""
    signs = [sorted(text.replace(" ", "").replace("+", "").replace("*", "")) for text in (left, right)]
    return signs[0] == signs[1]


def _confidence(left: Any, right: Any, steps: list[str]) -> float:
    verdict = agree(left, right)
    if verdict is False:
        raise Refusal("the result could not be confirmed", "no_result")
    if verdict:
        steps.append("Checked: both sides have the same value at two points")
    return CHECKED if verdict else UNCHECKED


def _factor(expression: Any, written: str, names: Names) -> MathAnswer:
    done, nothing = _DONE["factor"]
    steps = [f"Read as: the factors of {written}"]
    if expression.is_Integer:
        number = int(expression)
        factors = sympy.factorint(abs(number))
        if abs(number) < 2 or factors == {abs(number): 1}:
            text = f"{written} is prime" if number > 1 else f"{written} has no prime factors"
            return MathAnswer(text, str(number), (*steps, "Divided by primes"), True, CHECKED)
        parts = [f"{prime}^{count}" if count > 1 else str(prime) for prime, count in sorted(factors.items())]
        shown = ("-" if number < 0 else "") + "*".join(parts)
        return MathAnswer(f"{written} = {shown}", shown, (*steps, "Divided by primes"), True, CHECKED)
    if not expression.free_symbols:
        raise Refusal("only whole numbers and expressions with variables have factors")
    result = sympy.factor(expression)
    shown = show(result, names)
    steps.append(done)
    if result == expression or _same_signs(shown, written):
        return MathAnswer(f"{written} {nothing}", shown, tuple(steps), True, CHECKED)
    return MathAnswer(f"{written} = {shown}", shown, tuple(steps), True, _confidence(expression, result, steps))


def compare(question: Compare) -> MathAnswer:
    """Answer whether a relation between two numbers is true."""
    left, right = _real(question.left), _real(question.right)
    difference = sympy.simplify(left - right)
    if undefined(difference):
        raise Refusal("one side is undefined")
    relation = {
        "=": difference.is_zero,
        "!=": _negated(difference.is_zero),
        "<": difference.is_negative,
        "<=": difference.is_nonpositive,
        ">": difference.is_positive,
        ">=": difference.is_nonnegative,
    }[question.relation]
    if relation is None:
        raise Refusal("the sides could not be told apart", "no_result")
    return relation_answer(question, bool(relation), f"Compared both sides: {decimal(left)} and {decimal(right)}")


def _negated(value: bool | None) -> bool | None:
    return None if value is None else not value


def _real(node: Node) -> Any:
    if variables(node):
        raise Refusal("it depends on the value of a variable")
    value = build(node, Names(()))
    if not value.is_real:
        raise Refusal("only real numbers can be compared")
    return value


def choose(question: Choose) -> MathAnswer:
    """Answer which of several real numbers is the largest or smallest."""
    values = [_real(candidate) for candidate in question.candidates]
    # Fifty digits tell any two numbers apart that people compare; equal ones are found exactly first.
    rounded = [Fraction(str(sympy.N(value, 50))) for value in values]
    for place, value in enumerate(values):
        for earlier in range(place):
            if rounded[place] != rounded[earlier] and sympy.simplify(value - values[earlier]) == 0:
                rounded[place] = rounded[earlier]
    return choose_answer(question, rounded)


def prime_property(question: Property) -> MathAnswer:
    """Answer whether a whole number is prime or composite."""
    value = _real(question.number)
    if not value.is_Integer:
        raise Refusal("only whole numbers are prime or composite")
    number = int(value)
    prime = bool(sympy.isprime(number))
    true = prime if question.kind == "prime" else number > 3 and not prime
    how = "Tested whether it is prime"
    if number > 3 and not prime and number < 10**12:
        divisor = min(sympy.primefactors(number))
        how = f"Found that {number} = {divisor}*{number // divisor}"
    return property_answer(question, true, how)
