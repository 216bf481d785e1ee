"""Reading questions of analysis: derivatives, integrals, limits, sums.

Pure. Each function reads one form from a cursor and takes everything that is left, or raises `NotThisForm`.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Literal

from mace.agents.mathematics.answers import Refusal
from mace.agents.mathematics.cursor import Cursor, NotThisForm, variable_name
from mace.agents.mathematics.expressions import CLOSING, expression, operand, whole_expression
from mace.agents.mathematics.lexicon import ORDINALS
from mace.agents.mathematics.limits import MAX_DERIVATIVE_ORDER
from mace.agents.mathematics.questions import Derivative, Integral, Limit, Series
from mace.agents.mathematics.tree import Negate, Node, Number, Variable, variables, walk

_PARAMETERS = frozenset("abcdkmnpqr")  # letters that stand for fixed numbers beside an x
_TOWARDS = ("->", "approaches", "tends to", "goes to")


def read_derivative(cursor: Cursor) -> Derivative:
    """Read derivative of ..., differentiate ..., d/dx ..., second derivative of ... at x = 2."""
    order, variable = 1, None
    quotient = _differential_quotient(cursor)
    if quotient is not None:
        order, variable = quotient
        cursor.take("of")
    elif cursor.take("differentiate"):
        pass
    else:
        order = _ordinal(cursor)
        partial = cursor.take("partial")
        cursor.need("derivative of")
        if partial and not _mentions(cursor, "respect", "wrt"):
            raise NotThisForm
    cursor.take("the function")
    _skip_function_head(cursor)
    body = expression(cursor)
    if order == 1 and cursor.take("twice"):
        order = 2
    named = _with_respect_to(cursor)
    if named is not None and variable not in (None, named):
        raise NotThisForm
    variable = variable or named
    at = None
    if cursor.take("at", "when", "where", "for"):
        place = cursor.letter()
        if place is not None and cursor.take("="):
            if variable not in (None, place):
                raise NotThisForm
            variable = variable or place
        elif place is not None:
            raise NotThisForm
        at = whole_expression(cursor)
        if variables(at):
            raise NotThisForm
    cursor.need_end()
    if not 1 <= order <= MAX_DERIVATIVE_ORDER:
        raise Refusal("the order of the derivative is too high", "too_large")
    return Derivative(body, variable or default_variable(body), order, at)


def _differential_quotient(cursor: Cursor) -> tuple[int, str] | None:
    """Step over d/dx, d^2/dx^2, ∂/∂x or dy/dx, and return the order and the variable."""
    start = cursor.at
    if cursor.take("∂"):
        order = _exponent(cursor)
        if cursor.take("/") and cursor.take("∂"):
            name = cursor.letter()
            if name is not None and _exponent(cursor) == order:
                return order, name
    elif cursor.take("d", "dy"):
        order = _exponent(cursor)
        if cursor.take("/"):
            name = differential(cursor)
            if name is not None and _exponent(cursor) == order:
                return order, name
    cursor.at = start
    return None


def _exponent(cursor: Cursor) -> int:
    token = cursor.current
    if token.kind == "superscript" and token.value is not None:
        cursor.step()
        return int(token.value)
    if token.text == "^" and cursor.ahead(1).kind == "number":
        cursor.step()
        value = cursor.step().value
        if value is None or value.denominator != 1:
            raise NotThisForm
        return int(value)
    return 1


def differential(cursor: Cursor) -> str | None:
    """Step over dx, dt, dθ and return the variable."""
    token = cursor.current
    if token.kind == "word" and len(token.text) == 2 and token.text[0] == "d" and token.text[1] != "e":
        cursor.step()
        return token.text[1]
    if token.text == "d" and cursor.ahead(1).tight and (name := variable_name(cursor.ahead(1))) is not None:
        cursor.at += 2
        return name
    return None


def _ordinal(cursor: Cursor) -> int:
    word = cursor.current.word
    if word in ORDINALS:
        cursor.step()
        return ORDINALS[word]
    if cursor.current.kind == "number" and cursor.ahead(1).word in ("st", "nd", "rd", "th"):
        value = cursor.step().value
        cursor.step()
        if value is None or value.denominator != 1:
            raise NotThisForm
        return int(value)
    return 1


def _mentions(cursor: Cursor, *words: str) -> bool:
    return any(token.word in words for token in cursor.tokens[cursor.at :])


def _skip_function_head(cursor: Cursor) -> None:
    """Step over `f(x) =` or `y =`."""
    start = cursor.at
    if cursor.letter() is not None:
        if cursor.take("=") or (cursor.take("(") and cursor.letter() and cursor.take(")") and cursor.take("=")):
            return
        cursor.at = start


def _with_respect_to(cursor: Cursor) -> str | None:
    return cursor.need_letter() if cursor.take("with respect to", "wrt") else None


def default_variable(*nodes: Node) -> str:
    """Return the variable that is meant when none is named, or refuse."""
    names = variables(*nodes)
    if len(names) == 1:
        return next(iter(names))
    if not names or ("x" in names and names - {"x"} <= _PARAMETERS):
        return "x"
    raise Refusal("it does not say which variable is meant", "ambiguous")


def read_integral(cursor: Cursor) -> Integral:
    """Read integrate ... dx, ∫ ... dx, integral of ... from 0 to 1."""
    cursor.take("definite", "indefinite")
    sign = cursor.take("∫", "integrate", "integral", "antiderivative")
    if sign is None:
        raise NotThisForm
    bounds = _leading_bounds(cursor) or (_glued_bounds(cursor) if sign == "∫" else None)
    if sign in ("integral", "antiderivative") or bounds:
        cursor.take("of")
    _skip_function_head(cursor)
    variable = differential(cursor)
    body: Node = Number(Fraction(1)) if variable else expression(cursor)
    while not cursor.at_end():
        named = differential(cursor) or _with_respect_to(cursor)
        if named is not None:
            if variable is not None:
                raise NotThisForm
            variable = named
            continue
        found = None if bounds else _range(cursor, variable)
        if found is None:
            raise NotThisForm
        bounds = found
    named, lower, upper = bounds or (None, None, None)
    if named is not None and variable not in (None, named):
        raise NotThisForm
    variable = variable or named or default_variable(body)
    if variable == "i" or any(variable in variables(end) for end in (lower, upper) if end is not None):
        raise NotThisForm
    return Integral(body, variable, lower, upper)


def _leading_bounds(cursor: Cursor) -> tuple[str | None, Node, Node] | None:
    """Read bounds that stand before what they bound: ∫_0^1 ..., sum from k=1 to 10 of ..."""
    return _range(cursor, None) if cursor.current.word in ("from", "between", "over") else _subscript_bounds(cursor)


def _glued_bounds(cursor: Cursor) -> tuple[str | None, Node, Node] | None:
    """Read the bounds of ∫0^1 x dx, where their signs were lost; ∫2^x dx and ∫2^3 dx have none."""
    start, first, end = cursor.at, cursor.current, cursor.ahead(2)
    fixed = end.kind == "number" or end.word in ("pi", "infinity", "∞")
    if fixed and first.kind == "number" and first.tight and cursor.ahead(1).text == "^":
        lower = operand(cursor)
        cursor.need("^")
        upper = operand(cursor)
        body = cursor.current
        if not body.tight and differential(cursor) is None and not cursor.at_end():
            return None, lower, upper
    cursor.at = start
    return None


def _subscript_bounds(cursor: Cursor) -> tuple[str | None, Node, Node] | None:
    """Read _0^1 or _{k=1}^{n}."""
    if not cursor.take("_"):
        return None
    name = None
    if cursor.current.text in CLOSING:
        closing = CLOSING[cursor.step().text]
        if cursor.ahead(1).text == "=":
            name = cursor.need_letter()
            cursor.need("=")
        lower = expression(cursor)
        cursor.need(closing)
    else:
        lower = _signed_operand(cursor)
    cursor.need("^")
    return name, lower, _signed_operand(cursor)


def _signed_operand(cursor: Cursor) -> Node:
    negative = cursor.take("-", "minus")
    node = operand(cursor)
    return Negate(node) if negative else node


def _range(cursor: Cursor, index: str | None) -> tuple[str | None, Node, Node] | None:
    """Read from 0 to 1, from k=1 to 10, k=1..n, between 0 and 1, over [0, 1], for k from 1 to 10."""
    if cursor.take("over"):
        cursor.need("[", "(")
        lower = expression(cursor)
        cursor.need(",")
        upper = expression(cursor)
        cursor.need("]", ")")
        return None, lower, upper
    if cursor.take("between"):
        lower, upper = _two(cursor, "and")
        return None, lower, upper
    start = cursor.at
    cursor.take("for", "with", "where", ",")
    name = cursor.letter() if cursor.ahead(1).word in ("=", "from") else None
    if not cursor.take("from") and (name is None or cursor.current.text != "="):
        cursor.at = start
        return None
    if name is None and cursor.ahead(1).text == "=":
        name = cursor.need_letter()
    if name is not None:
        cursor.take("=")
    if index is not None and name not in (None, index):
        raise NotThisForm
    lower = expression(cursor)
    cursor.need("to", "..", "through", "until")
    if name is not None and cursor.ahead(1).text == "=":
        if cursor.letter() != name:
            raise NotThisForm
        cursor.need("=")
    return name, lower, expression(cursor)


def _two(cursor: Cursor, joint: str) -> tuple[Node, Node]:
    first = expression(cursor)
    cursor.need(joint)
    return first, expression(cursor)


def read_limit(cursor: Cursor) -> Limit:
    """Read limit of ... as x -> 0, lim x->0 ..., lim_{x->0} ..., limit as x approaches 0 of ..."""
    cursor.need("limit", "lim")
    side = "both"
    for phrase, meant in (
        ("from the left", "left"), ("from the right", "right"), ("from below", "left"), ("from above", "right"),
    ):  # fmt: skip
        if cursor.take_tail(phrase):
            side = meant
    if cursor.take("of"):
        body = expression(cursor)
        cursor.take(",")
        cursor.need("as", "when", "for")
    elif cursor.take("as"):
        variable, point = _towards(cursor, expression)
        cursor.need("of")
        return _limit(whole_expression(cursor), variable, point, side)
    else:
        grouped = cursor.take("_")
        if cursor.current.text in CLOSING:
            start = cursor.at
            closing = CLOSING[cursor.step().text]
            if cursor.ahead(1).word in _FIRST_TOWARDS:
                variable, point = _towards(cursor, expression)
                cursor.need(closing)
                return _limit(whole_expression(cursor), variable, point, side)
            cursor.at = start
        elif cursor.ahead(1).word in _FIRST_TOWARDS:
            variable, point = _towards(cursor, _signed_operand)
            cursor.take("of", ",", ":")
            return _limit(whole_expression(cursor), variable, point, side)
        if grouped:
            raise NotThisForm
        body = expression(cursor)
        cursor.need("as", "when")
    if side == "both" and cursor.tokens[-1].text in ("+", "-"):  # x -> 0+
        side = "right" if cursor.tokens[-1].text == "+" else "left"
        cursor.tokens = cursor.tokens[:-1]
        cursor.take_tail("^")
    variable, point = _towards(cursor, whole_expression)
    return _limit(body, variable, point, side)


_FIRST_TOWARDS = frozenset(phrase.split()[0] for phrase in _TOWARDS)


def _towards(cursor: Cursor, read: Callable[[Cursor], Node]) -> tuple[str, Node]:
    variable = cursor.need_letter()
    cursor.need(*_TOWARDS)
    return variable, read(cursor)


def _limit(body: Node, variable: str, point: Node, side: str) -> Limit:
    if variable == "i" or variable in variables(point):
        raise NotThisForm
    if side == "left":
        return Limit(body, variable, point, "left")
    return Limit(body, variable, point, "right" if side == "right" else "both")


def read_series(cursor: Cursor) -> Series:
    """Read sum of k^2 from k=1 to 10, Σ k, k=1..n, sum_{k=1}^{10} k^2, product of ..."""
    sign = cursor.need("Σ", "summation", "sum", "Π", "product")
    kind: Literal["sum", "product"] = "product" if sign in ("Π", "product") else "sum"
    bounds = _leading_bounds(cursor)
    cursor.take("of")
    if not bounds and (ends := _whole_numbers(cursor)) is not None:
        return _running(kind, *ends)
    if bounds and bounds[0] is None and cursor.at_end():
        return _running(kind, *bounds[1:])
    closing = CLOSING[cursor.step().text] if _wraps_all(cursor) else None
    body = expression(cursor)
    if bounds is None:
        bounds = _range(cursor, None)
    if closing:
        cursor.need(closing)
    cursor.need_end()
    if bounds is None:
        raise NotThisForm
    index, lower, upper = bounds
    if index is None:
        names = variables(body) or {part.name for part in walk(body) if isinstance(part, Variable)}
        if len(names) != 1:
            raise Refusal("it does not say which variable runs", "ambiguous")
        index = next(iter(names))
    if index in variables(lower, upper):
        raise NotThisForm
    return Series(kind, body, index, lower, upper)


def _running(kind: Literal["sum", "product"], lower: Node, upper: Node) -> Series:
    """The series of the whole numbers themselves."""
    if "k" in variables(lower, upper):
        raise NotThisForm
    return Series(kind, Variable("k"), "k", lower, upper)


def _wraps_all(cursor: Cursor) -> bool:
    """Say whether one pair of parentheses holds body and range: sum(k^2, k=1..10)."""
    if cursor.current.text not in CLOSING or cursor.tokens[-1].text != CLOSING[cursor.current.text]:
        return False
    return _mentions(cursor, "..", "from", "to", "for")


def _whole_numbers(cursor: Cursor) -> tuple[Node, Node] | None:
    """Read the ends of the first 10 natural numbers, integers from 1 to 100, 1 to 100."""
    start = cursor.at
    cursor.take("all the", "all", "the")
    first = cursor.take("first")
    lower: Node = Number(Fraction(1))
    upper = operand(cursor) if first and cursor.current.kind == "number" else None
    cursor.take("natural", "whole", "positive", "counting")
    if cursor.take("numbers", "integers"):
        if upper is None:
            cursor.need("from")
            lower = expression(cursor)
            cursor.need("to", "through")
            upper = expression(cursor)
        cursor.need_end()
        return lower, upper
    cursor.at = start
    if cursor.current.kind == "number" and cursor.ahead(1).word in ("to", "through"):
        lower = operand(cursor)
        cursor.need("to", "through")
        upper = expression(cursor)
        if cursor.at_end():
            return lower, upper
        cursor.at = start
    return None
