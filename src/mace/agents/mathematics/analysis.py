"""Derivatives, integrals, limits and sums with the computer-algebra library, each looked at a second time.

Pure, for the worker. An antiderivative is differentiated again, a definite integral is compared with a numerical one,
a limit with values nearby, a sum with its first terms: what disagrees is declined, not told.
"""

from typing import Any

import sympy

from mace.agents.mathematics.answers import APPROXIMATED, CHECKED, UNCHECKED, MathAnswer, Refusal
from mace.agents.mathematics.build import Names, build
from mace.agents.mathematics.checks import agree, close, number
from mace.agents.mathematics.echo import echo, echo_grouped
from mace.agents.mathematics.questions import Derivative, Integral, Limit, Series, expressions_of
from mace.agents.mathematics.results import undefined_answer
from mace.agents.mathematics.show import decimal, number_texts, show, undefined
from mace.agents.mathematics.tree import has_decimal, variables

_MAX_TERMS, _MAX_SHOWN_TERMS = 10_000, 12
_NO_CLOSED_FORM = "no closed form was found"


def _real_names(question: Derivative | Integral | Limit, variable: str) -> Names:
    return Names(variables(*expressions_of(question)) | {variable}, real=True)


def _result(written: str, value: Any, names: Names, steps: list[str], confidence: float, decimals: bool) -> MathAnswer:
    """Return the answer `written = value`, with a decimal where the value is a number."""
    if value.has(sympy.oo, -sympy.oo) and value not in (sympy.oo, -sympy.oo):
        raise Refusal(_NO_CLOSED_FORM, "no_result")
    if value.free_symbols:
        shown = show(value, names)
        return MathAnswer(f"{written} = {shown}", shown, tuple(steps), True, confidence)
    text, canonical, exact = number_texts(value, names, decimals)
    return MathAnswer(f"{written} {text}", canonical, tuple(steps), exact, min(confidence, CHECKED))


def _confirmed(verdict: bool | None, steps: list[str], how: str) -> float:
    if verdict is False:
        raise Refusal("the result could not be confirmed", "no_result")
    if verdict:
        steps.append(f"Checked: {how}")
    return CHECKED if verdict else UNCHECKED


def derivative(question: Derivative) -> MathAnswer:
    """Differentiate, and evaluate at a place if one was given."""
    names = _real_names(question, question.variable)
    variable = names[question.variable]
    body = build(question.expression, names)
    order = "" if question.order == 1 else f"^{question.order}"
    written = f"d{order}/d{question.variable}{order} ({echo(question.expression)})"
    raw = sympy.diff(body, variable, question.order)
    if raw.has(sympy.Derivative, sympy.Subs):
        raise Refusal(_NO_CLOSED_FORM, "no_result")
    result = _shorter(raw)
    steps = [f"Read as: the derivative of {echo(question.expression)} with respect to {question.variable}"]
    if question.order > 1:
        steps[0] += f", taken {question.order} times"
    steps.append("Differentiated and simplified")
    confidence = _confirmed(agree(raw, result), steps, "both forms have the same value at two points")
    if question.at is None:
        return _result(written, result, names, steps, confidence, decimals=False)
    place = build(question.at, names)
    written += f" at {question.variable} = {echo(question.at)}"
    value = sympy.simplify(result.subs(variable, place))
    if undefined(value):
        return undefined_answer(written)
    steps.append(f"Put {question.variable} = {echo(question.at)} into {show(result, names)}")
    return _result(written, value, names, steps, confidence, has_decimal(question.at, question.expression))


def _shorter(raw: Any) -> Any:
    """Return the simplified form if it is much shorter; the rules' own form is what people recognise."""
    simple, length = sympy.simplify(raw), _tidiness(raw)[0]
    return simple if length > 5 and _tidiness(simple)[0] < 0.75 * length else raw


def integral(question: Integral) -> MathAnswer:
    """Integrate, between bounds if there are any."""
    body = echo_grouped(question.expression)
    written = f"∫ {body} d{question.variable}"
    names = _real_names(question, question.variable)
    integrand = build(question.expression, names)
    if question.lower is None or question.upper is None:
        return _antiderivative(question, integrand, names, written)
    written += f" from {echo(question.lower)} to {echo(question.upper)}"
    return _definite(question, names, written)


def _antiderivative(question: Integral, integrand: Any, names: Names, written: str) -> MathAnswer:
    variable = names[question.variable]
    result = sympy.integrate(integrand, variable)
    if result.has(sympy.Integral) or _obscure(result) or undefined(result):
        raise Refusal(_NO_CLOSED_FORM, "no_result")
    plain = not result.has(sympy.Piecewise)
    if plain:
        result = _shorter(result)
    steps = [
        f"Read as: the antiderivative of {echo(question.expression)} with respect to {question.variable}",
        "Integrated",
    ]
    how = "its derivative is the integrand again"
    confidence = _confirmed(agree(sympy.diff(result, variable), integrand), steps, how)
    shown = show(_of_both_signs(result, integrand), names)
    if plain:
        shown = "C" if result == 0 else f"{shown} + C"
    else:
        shown = f"({shown}) + C"
    return MathAnswer(f"{written} = {shown}", shown, tuple(steps), True, confidence)


def _of_both_signs(result: Any, integrand: Any) -> Any:
    """An antiderivative with ln|g| for each ln(g) that integrating brought in: it holds where g is negative, too."""
    if integrand.has(sympy.log) or result.has(sympy.I):
        return result

    def may_be_negative(part: Any) -> bool:
        return isinstance(part, sympy.log) and bool(part.free_symbols) and part.args[0].is_positive is not True

    return result.replace(may_be_negative, lambda part: sympy.log(sympy.Abs(part.args[0]), evaluate=False))


def _tidiness(form: Any) -> tuple[int, int]:
    return int(sympy.count_ops(form)), len(str(form))


def _definite(question: Integral, names: Names, written: str) -> MathAnswer:
    assert question.lower is not None and question.upper is not None
    condition = ""
    result = _integrate_between(question, names)
    if result.has(sympy.Piecewise):  # it depends on the parameters: say for which it was computed
        parameters = sorted(set(names.symbols) - {question.variable})
        for name in parameters:
            names.assume(name, positive=True)
        condition = f" (for {' and '.join(f'{name} > 0' for name in parameters)})" if parameters else ""
        result = _integrate_between(question, names)
    unevaluated = result.has(sympy.Integral) or _obscure(result)
    if not unevaluated and _endless(result):
        return _diverges(written, f"the integral of {echo(question.expression)}", condition)
    bounds = f"from {echo(question.lower)} to {echo(question.upper)}"
    steps = [
        f"Read as: the integral of {echo(question.expression)} over {question.variable} {bounds}",
        "Integrated between the bounds",
    ]
    numeric = _integral_object(question, names)
    if unevaluated:
        if numeric.free_symbols:
            raise Refusal(_NO_CLOSED_FORM, "no_result")
        if not _parts_agree(numeric):
            raise Refusal("the result could not be confirmed", "no_result")
        near = decimal(numeric)
        steps.append("No closed form was found; integrated numerically, whole and in two parts")
        return MathAnswer(f"{written} ≈ {near}", near, tuple(steps), False, APPROXIMATED)
    if result.has(sympy.Piecewise):
        raise Refusal(_NO_CLOSED_FORM, "no_result")
    result = min((result, sympy.simplify(result)), key=_tidiness)
    # Numerical integration to infinity is slow and goes wrong on waves; there the closed form stands alone.
    endless = any(bound.is_infinite for bound in numeric.limits[0][1:])
    verdict = None if numeric.free_symbols or endless else close(result, numeric)
    confidence = _confirmed(verdict, steps, "a numerical integration gives the same")
    answer = _result(written, result, names, steps, confidence, has_decimal(*expressions_of(question)))
    if condition:
        answer = MathAnswer(answer.text + condition, answer.value, answer.steps, answer.exact, answer.confidence)
    return answer


def _integral_object(question: Integral, names: Names) -> Any:
    assert question.lower is not None and question.upper is not None
    bounds = (names[question.variable], build(question.lower, names), build(question.upper, names))
    return sympy.Integral(build(question.expression, names), bounds)


def _parts_agree(whole: Any) -> bool:
    """Say whether a numerical integration gives the same in one piece and in two."""
    variable, lower, upper = whole.limits[0]
    if lower.is_infinite:
        middle = sympy.Integer(0) if upper.is_infinite else upper - 1
    else:
        middle = lower + 1 if upper.is_infinite else lower + (upper - lower) * sympy.Rational(5, 13)
    parts = [number(sympy.Integral(whole.function, (variable, *ends))) for ends in ((lower, middle), (middle, upper))]
    together = number(whole)
    if together is None or parts[0] is None or parts[1] is None:
        return False
    return abs(together - parts[0] - parts[1]) <= 1e-9 * max(1.0, abs(together))


def _integrate_between(question: Integral, names: Names) -> Any:
    return _integral_object(question, names).doit()


def _obscure(result: Any) -> bool:
    """Say whether a result names functions that only stand for the integral they are."""
    return bool(result.has(sympy.meijerg, sympy.hyper, sympy.polar_lift, sympy.exp_polar))


def _endless(result: Any) -> bool:
    """Say whether a closed form says that there is no finite value."""
    return undefined(result) or bool(result.has(sympy.oo, -sympy.oo, sympy.AccumBounds))


def _diverges(written: str, what: str, condition: str = "") -> MathAnswer:
    steps = (f"Read as: {what}", "It does not converge")
    return MathAnswer(f"{written} does not converge{condition}", "undefined", steps, True, UNCHECKED)


def limit(question: Limit) -> MathAnswer:
    """Take a limit, from both sides unless one was named."""
    names = _real_names(question, question.variable)
    variable, point = names[question.variable], build(question.point, names)
    body = build(question.expression, names)
    side = {"both": "", "left": " from the left", "right": " from the right"}[question.side]
    written = f"lim {question.variable}→{echo(question.point)}{side} {echo_grouped(question.expression)}"
    where = f"as {question.variable} approaches {echo(question.point)}{side}"
    steps = [f"Read as: the limit of {echo(question.expression)} {where}"]
    if point.is_infinite or question.side != "both":
        direction = "-" if question.side == "left" else "+"
        sides = [sympy.limit(body, variable, point, direction)]
    else:
        sides = [sympy.limit(body, variable, point, direction) for direction in ("-", "+")]
        steps.append("Taken from the left and from the right")
    if any(value.has(sympy.Limit) for value in sides):
        raise Refusal(_NO_CLOSED_FORM, "no_result")
    if any(isinstance(value, sympy.AccumBounds) or value.has(sympy.nan) for value in sides):
        steps.append("It does not settle on a value")
        return MathAnswer(f"{written} does not exist", "undefined", tuple(steps), True, UNCHECKED)
    if len(sides) == 2 and sides[0] != sides[1] and sympy.simplify(sides[0] - sides[1]) != 0:
        left, right = (show(value, names) for value in sides)
        text = f"{written} does not exist (from the left {left}, from the right {right})"
        return MathAnswer(text, "undefined", tuple(steps), True, UNCHECKED)
    result = sympy.simplify(sides[-1])
    confidence = UNCHECKED
    if _near(body, variable, point, question.side, result):
        steps.append("Checked: a value nearby is close to it")
        confidence = CHECKED
    return _result(written, result, names, steps, confidence, decimals=False)


def _near(body: Any, variable: Any, point: Any, side: str, result: Any) -> bool:
    """Say whether the value a hundred-millionth away (or at a hundred million) is close to the limit."""
    far = sympy.Integer(10) ** 8
    if point.is_infinite:
        place = far if point == sympy.oo else -far
    else:
        place = point - 1 / far if side == "left" else point + 1 / far
    nearby, exact = number(body, {variable: place}), number(result)
    if nearby is not None and result.is_infinite:
        return abs(nearby.imag) < 1e-9 and (nearby.real > 1e4 if result == sympy.oo else nearby.real < -1e4)
    return nearby is not None and exact is not None and abs(nearby - exact) <= 1e-4 * max(1.0, abs(exact))


def series(question: Series) -> MathAnswer:
    """Add or multiply terms over an index."""
    names = Names(variables(*expressions_of(question)) | {question.index}, integer=True, positive=True)
    index = names[question.index]
    for name in variables(question.expression) - {question.index} - variables(question.lower, question.upper):
        names.assume(name, real=True)
    body, lower, upper = (build(node, names) for node in (question.expression, question.lower, question.upper))
    written = (
        f"{question.kind} of {echo(question.expression)} for {question.index} = {echo(question.lower)}"
        f" to {echo(question.upper)}"
    )
    if lower.is_integer is not True or (upper.is_integer is not True and upper != sympy.oo):
        raise Refusal("the index must run over whole numbers")
    if (upper - lower).is_negative:
        raise Refusal("the index would run backwards", "ambiguous")
    kind = sympy.Sum if question.kind == "sum" else sympy.Product
    unevaluated = kind(body, (index, lower, upper))
    result = unevaluated if _better_one_by_one(unevaluated) else unevaluated.doit()
    steps = [f"Read as: the {written}"]
    long = result.is_Add and not result.free_symbols and len(result.args) > _MAX_SHOWN_TERMS
    open_ended = long or _obscure(result) or result.has(sympy.Sum, sympy.Product)
    if not open_ended and _endless(result):
        return _diverges(written, f"the {written}")
    if open_ended and not result.has(sympy.Piecewise):
        total = _numeric_series(unevaluated, lower, upper)
        if undefined(total):
            return _diverges(written, f"the {written}")
        steps.append("No closed form was found; the terms were added up as numbers")
        if total.is_Rational:
            return _result(written, total, names, steps, CHECKED, has_decimal(question.expression))
        near = decimal(total)
        return MathAnswer(f"{written} ≈ {near}", near, tuple(steps), False, APPROXIMATED)
    steps.append("Found a closed form")
    if not result.has(sympy.Piecewise):
        result = min((sympy.factor(result), sympy.simplify(result)), key=_tidiness)
    confidence = _confirmed(_first_terms_agree(unevaluated, result, lower, upper), steps, "the terms add up to it")
    return _result(written, result, names, steps, confidence, has_decimal(question.expression))


def _better_one_by_one(unevaluated: Any) -> bool:
    """Say whether a closed form is not to be hoped for and writing out all terms would only take long."""
    body, (index, lower, upper) = unevaluated.function, unevaluated.limits[0]
    if not isinstance(unevaluated, sympy.Sum) or unevaluated.free_symbols or not (upper - lower).is_Integer:
        return False
    return upper - lower > _MAX_SHOWN_TERMS and sympy.hypersimp(body, index) is None


def _numeric_series(unevaluated: Any, lower: Any, upper: Any) -> Any:
    """Return a sum without closed form as a number, where that can be trusted.

    Term by term if it is finite; an endless one only if its terms have a rational ratio, for which the library sums
    with a bound on the error (for others it extrapolates, and sum sin(k)/k^2 comes out wrong in the fifth digit).
    """
    body, (index, _, _) = unevaluated.function, unevaluated.limits[0]
    if unevaluated.free_symbols or not isinstance(unevaluated, sympy.Sum):
        raise Refusal(_NO_CLOSED_FORM, "no_result")
    if upper == sympy.oo:
        if sympy.hypersimp(body, index) is None:
            raise Refusal(_NO_CLOSED_FORM, "no_result")
        return unevaluated if unevaluated.is_convergent() == sympy.true else sympy.nan
    if upper - lower > _MAX_TERMS:
        raise Refusal("it has too many terms", "too_large")
    terms = [body.subs(index, sympy.Integer(place)) for place in range(int(lower), int(upper) + 1)]
    return sympy.Add(*(term if term.is_Rational else sympy.N(term, 30) for term in terms))


def _first_terms_agree(unevaluated: Any, result: Any, lower: Any, upper: Any) -> bool | None:
    """Compare the closed form with the terms taken one by one, for a few or a few more terms."""
    body, (index, _, _) = unevaluated.function, unevaluated.limits[0]
    if not lower.is_Integer or upper == sympy.oo:
        return None
    last = int(upper) if upper.is_Integer else int(lower) + 4
    if last - int(lower) > 300:
        return None
    closed = result if upper.is_Integer else result.subs(upper, last) if upper.is_Symbol else None
    if closed is None:
        return None
    terms = [body.subs(index, sympy.Integer(place)) for place in range(int(lower), last + 1)]
    joined = sympy.Add(*terms) if isinstance(unevaluated, sympy.Sum) else sympy.Mul(*terms)
    return agree(joined, closed)
