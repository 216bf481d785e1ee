"""Exact results as text, and the answers that need nothing but fractions.

Pure, without the computer-algebra library. `immediate` answers in the caller's process and costs microseconds; what it
gives back as None goes to the worker.
"""

from collections.abc import Callable
from fractions import Fraction

from mace.agents.mathematics import exact
from mace.agents.mathematics.answers import CHECKED, MathAnswer, Refusal
from mace.agents.mathematics.decimals import approximate, decimal_text, round_half_up, terminates
from mace.agents.mathematics.echo import echo, fraction_text
from mace.agents.mathematics.limits import MAX_DIGITS
from mace.agents.mathematics.questions import Choose, Compare, Convert, Evaluate, Property, Question, expressions_of
from mace.agents.mathematics.tree import Node, has_decimal
from mace.agents.mathematics.units import TEMPERATURE

_LONGEST_FRACTION = 60  # characters; a longer one is left to programs
# pi to 60 decimals, for angles.
_PI = Fraction(3141592653589793238462643383279502884197169399375105820974944, 10**60)


def immediate(question: Question) -> MathAnswer | None:
    """Return the answer if exact arithmetic alone gives it, else None."""
    try:
        match question:
            case Evaluate():
                return _evaluate(question)
            case Compare(left, _, right):
                return compare_answer(question, exact.evaluate(left), exact.evaluate(right))
            case Choose(candidates, _):
                return choose_answer(question, [exact.evaluate(candidate) for candidate in candidates])
            case Property():
                return _property(question)
            case Convert():
                return _convert(question)
            case _:
                return None
    except exact.NotRational:
        return None
    except exact.Undefined:
        return undefined_part(question, exact.evaluate)


def undefined_part(question: Question, evaluate: Callable[[Node], object]) -> MathAnswer:
    """Return which expression of a question has no value, when evaluating it has shown that one has none."""
    for node in expressions_of(question):
        try:
            evaluate(node)
        except exact.Undefined:
            return undefined_answer(echo(node))
    raise Refusal("a part of it is undefined")


def undefined_answer(what: str) -> MathAnswer:
    """Return the answer for an expression that has no value."""
    steps = (f"Read as: {what}", "It has no value: it divides by zero, or leaves where it is defined")
    return MathAnswer(f"{what} is undefined", "undefined", steps, exact=True, confidence=CHECKED)


def rational_texts(value: Fraction, prefer_decimal: bool) -> tuple[str, str]:
    """Return a rational result for people ("= 5/2 = 2.5", with its sign of equality) and its canonical form."""
    if max(abs(value.numerator).bit_length(), value.denominator.bit_length()) > MAX_DIGITS * 3.33:
        raise Refusal("the result would be too large", "too_large")
    canonical = fraction_text(value)
    if value.denominator == 1:
        return f"= {canonical}", canonical
    if not terminates(value):
        near = f"≈ {approximate(value)}"
        return (near if len(canonical) > _LONGEST_FRACTION else f"= {canonical} {near}"), canonical
    if prefer_decimal:
        return f"= {decimal_text(value)}", canonical
    return f"= {canonical} = {decimal_text(value)}", canonical


def _evaluate(question: Evaluate) -> MathAnswer | None:
    if question.goal == "factor":
        return None
    return rational_answer(question, exact.evaluate(question.expression))


def rational_answer(question: Evaluate, value: Fraction) -> MathAnswer:
    """Return the answer to a question whose result is this fraction."""
    written = question.wording or echo(question.expression)
    steps = [f"Read as: {written}", "Computed with exact fractions"]
    if question.places is not None:
        return rounded_answer(written, question.places, value)
    if question.goal == "percent":
        hundredfold = value * 100
        shown = decimal_text(hundredfold) if terminates(hundredfold) else approximate(hundredfold)
        sign = "=" if terminates(hundredfold) else "≈"
        canonical = f"{fraction_text(hundredfold)}%"
        return MathAnswer(f"{written} {sign} {shown}%", canonical, tuple(steps), True, CHECKED)
    result, canonical = rational_texts(value, has_decimal(question.expression))
    if question.goal == "fraction":
        result = f"= {canonical}"
    elif question.goal == "decimal":
        result = f"= {decimal_text(value)}" if terminates(value) else f"≈ {approximate(value)}"
    if result == f"= {written}":
        raise Refusal("there is nothing to compute")
    if result.startswith(f"= {written} "):  # "1/3 = 1/3 ≈ 0.333": the second part is the answer
        result = result[len(f"= {written} ") :]
    return MathAnswer(f"{written} {result}", canonical, tuple(steps), True, CHECKED)


def rounded_answer(written: str, places: int, value: Fraction) -> MathAnswer:
    """Return a result that was asked for with so many decimals (negative: to tens, hundreds)."""
    rounded = round_half_up(value, places)
    shown = decimal_text(rounded) if terminates(rounded) else approximate(rounded, 60)
    if places > 0:
        whole, _, decimals = shown.partition(".")
        shown = f"{whole}.{decimals:0<{places}}"
    to = {0: "the nearest integer", 1: "1 decimal place"}.get(places, f"{places} decimal places")
    if places < 0:
        to = f"the nearest {10**-places}"
    steps = (f"Read as: {written}, rounded to {to}", "Rounded half away from zero")
    equal = rounded == value
    return MathAnswer(f"{written} {'=' if equal else '≈'} {shown} (rounded to {to})", shown, steps, equal, CHECKED)


def holds(left: Fraction, relation: str, right: Fraction) -> bool:
    """Say whether a relation between two numbers is true."""
    return {
        "=": left == right,
        "!=": left != right,
        "<": left < right,
        "<=": left <= right,
        ">": left > right,
        ">=": left >= right,
    }[relation]


def compare_answer(question: Compare, left: Fraction, right: Fraction) -> MathAnswer:
    """Return whether the relation is true for these values of its sides."""
    return relation_answer(question, holds(left, question.relation, right), "Compared both sides")


def relation_answer(question: Compare, true: bool, how: str) -> MathAnswer:
    """Return whether a relation is true, and what is true instead."""
    opposite = {"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}[question.relation]
    asked, instead = (
        relation_text(question.left, relation, question.right) for relation in (question.relation, opposite)
    )
    return _yes_or_no(asked, instead, true, how)


def relation_text(left: Node, relation: str, right: Node) -> str:
    shown = {"<=": "≤", ">=": "≥", "!=": "≠"}.get(relation, relation)
    return f"{echo(left)} {shown} {echo(right)}"


def property_answer(question: Property, true: bool, how: str) -> MathAnswer:
    """Return whether a number is prime, even, divisible by another."""
    written = echo(question.number)
    adjective = f"divisible by {echo(question.divisor)}" if question.divisor is not None else question.kind
    return _yes_or_no(f"{written} is {adjective}", f"{written} is not {adjective}", true, how)


def _yes_or_no(statement: str, opposite: str, true: bool, how: str) -> MathAnswer:
    text = f"Yes, {statement}" if true else f"No, {opposite}"
    steps = (f"Read as: is it true that {statement}", how)
    return MathAnswer(text, "true" if true else "false", steps, exact=True, confidence=CHECKED)


def choose_answer(question: Choose, values: list[Fraction]) -> MathAnswer:
    """Return the largest or smallest candidate."""
    best = max(values) if question.largest else min(values)
    shown = [echo(candidate) for candidate in question.candidates]
    steps = (f"Read as: which is {'largest' if question.largest else 'smallest'} of {', '.join(shown)}", "Compared")
    if all(value == best for value in values):
        return MathAnswer(f"{' and '.join(shown)} are equal", "equal", steps, True, CHECKED)
    winners = [text for text, value in zip(shown, values, strict=True) if value == best]
    degree = ("largest" if question.largest else "smallest") if len(values) > 2 else ""
    degree = degree or ("larger" if question.largest else "smaller")
    verb = "is" if len(winners) == 1 else "are"
    text = f"{' and '.join(winners)} {verb} the {degree} of {', '.join(shown)}"
    return MathAnswer(text, winners[0], steps, True, CHECKED)


def _property(question: Property) -> MathAnswer | None:
    number = exact.evaluate(question.number)
    if number.denominator != 1:
        return property_answer(question, False, "It is not a whole number")
    if question.kind in ("even", "odd"):
        return property_answer(question, (number % 2 == 0) == (question.kind == "even"), "Divided by 2")
    if question.kind == "divisible" and question.divisor is not None:
        divisor = exact.evaluate(question.divisor)
        true = divisor != 0 and (number / divisor).denominator == 1
        return property_answer(question, true, "Looked at the remainder")
    return None


def _convert(question: Convert) -> MathAnswer:
    target = question.target
    pi_power = question.amounts[0][1].pi_power - target.pi_power
    if any(unit.pi_power - target.pi_power != pi_power for _, unit in question.amounts):
        raise Refusal("radians and degrees cannot be added exactly")
    if target.dimension == TEMPERATURE and target.offset is not None:
        number, unit = question.amounts[0]
        value = (number * unit.factor + (unit.offset or 0) - target.offset) / target.factor
    else:
        value = sum((number * unit.factor for number, unit in question.amounts), Fraction(0)) / target.factor
    steps = [f"Read as: {question.written} in {target.symbol}", "Converted with the defined sizes of the units"]
    notes = {unit.note for unit in (*(unit for _, unit in question.amounts), target) if unit.note}
    steps += [f"Note: {note}" for note in sorted(notes)]
    if pi_power and value:
        return _with_pi(question, value, pi_power, steps)
    ends = terminates(value)
    shown = decimal_text(value) if ends else approximate(value)
    text = f"{question.written} {'=' if ends else '≈'} {shown} {target.symbol}"
    return MathAnswer(text, f"{fraction_text(value)} {target.symbol}", tuple(steps), True, CHECKED)


def _with_pi(question: Convert, value: Fraction, pi_power: int, steps: list[str]) -> MathAnswer:
    """Return an angle with its factor pi (degrees to radians) or 1/pi (radians to degrees)."""
    if abs(pi_power) != 1:
        raise Refusal("the units do not go together")
    symbol = question.target.symbol
    top = "" if abs(value.numerator) == 1 and pi_power == 1 else f"{abs(value.numerator)}"
    minus = "-" if value < 0 else ""
    if pi_power == 1:
        form = f"{minus}{top}{'*' if top else ''}pi" + (f"/{value.denominator}" if value.denominator > 1 else "")
    else:
        form = f"{minus}{top}/" + (f"({value.denominator}*pi)" if value.denominator > 1 else "pi")
    near = approximate(value * _PI**pi_power)
    return MathAnswer(
        f"{question.written} = {form} {symbol} ≈ {near} {symbol}",
        f"{form} {symbol}",
        tuple(steps),
        True,
        CHECKED,
    )
