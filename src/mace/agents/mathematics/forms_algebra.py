"""Reading questions of algebra: equations and systems, rewriting, values at a point.

Pure. Each function reads one form from a cursor and takes everything that is left, or raises `NotThisForm`.
"""

from fractions import Fraction

from mace.agents.mathematics.answers import Refusal
from mace.agents.mathematics.cursor import Cursor, NotThisForm
from mace.agents.mathematics.echo import echo
from mace.agents.mathematics.expressions import expression, whole_expression
from mace.agents.mathematics.limits import MAX_EQUATIONS
from mace.agents.mathematics.questions import Compare, Equation, Evaluate, Goal, Question, Relation, Solve
from mace.agents.mathematics.tree import Node, Number, Variable, substitute, variables

_SEPARATORS = (",", ";", "and")
_GIVEN = ("such that", "given that", "given", "if", "when", "where", "in", "from", ":", ",")
_REWRITING: tuple[tuple[str, Goal], ...] = (
    ("simplify", "simplify"), ("simplification of", "simplify"), ("reduce", "simplify"),
    ("expand", "expand"), ("multiply out", "expand"), ("expansion of", "expand"),
    ("factorise", "factor"), ("factorize", "factor"), ("factor", "factor"),
    ("prime factorization of", "factor"), ("prime factorisation of", "factor"), ("prime factors of", "factor"),
    ("factorization of", "factor"), ("factorisation of", "factor"),
)  # fmt: skip


def read_relation(cursor: Cursor) -> Relation | None:
    """Step over =, <, >=, is greater than ..., and return it."""
    signs: tuple[Relation, ...] = ("<=", ">=", "!=", "=", "<", ">")
    for sign in signs:
        if cursor.take(sign):
            return sign
    start = cursor.at
    negated = cursor.take("is not", "isn't") is not None
    if not negated:
        cursor.take("is", "are")
    comparisons: tuple[tuple[str, Relation], ...] = (
        ("greater than or equal to", ">="), ("less than or equal to", "<="), ("at least", ">="), ("at most", "<="),
        ("greater than", ">"), ("bigger than", ">"), ("larger than", ">"), ("more than", ">"),
        ("less than", "<"), ("smaller than", "<"), ("not equal to", "!="), ("different from", "!="),
        ("equal to", "="), ("the same as", "="),
    )  # fmt: skip
    for phrase, relation in comparisons:
        if cursor.take(phrase):
            if negated:
                raise NotThisForm
            return relation
    cursor.at = start
    return "=" if cursor.take("equals", "equal") else None


def read_equation(cursor: Cursor, *, or_zero: bool) -> Equation:
    """Read one equation or inequality that takes everything; with `or_zero`, an expression alone means = 0."""
    left = expression(cursor)
    relation = read_relation(cursor)
    if relation is None:
        cursor.need_end()
        if not or_zero:
            raise NotThisForm
        return Equation(left, "=", Number(Fraction(0)), assumed_zero=True)
    return Equation(left, relation, whole_expression(cursor))


def read_solve(cursor: Cursor) -> Question:
    """Read solve ... [for x], solve for x: ..., find x if ..., roots of ..."""
    unknowns: tuple[str, ...] = ()
    if cursor.take("solve for"):
        unknowns = _names(cursor)
        cursor.take(*_GIVEN)
    elif cursor.take("solve"):
        cursor.take("the", "this", "these")
        cursor.take("system of equations", "system", "equations", "equation", "inequality")
        cursor.take(":")
    elif cursor.take("roots of", "root of", "zeros of", "zeroes of", "solutions of", "solutions to", "solution to",
                     "solution of"):  # fmt: skip
        cursor.take("the equation", "the polynomial")
    else:
        unknowns = _names(cursor)
        cursor.need("such that", "given that", "given", "if", "when", "in", ":")
    body, *rest = cursor.parts(("for",))
    if rest:
        if unknowns or len(rest) > 1:
            raise NotThisForm
        asked = Cursor(rest[0])
        unknowns = _names(asked)
        asked.need_end()
    return solve_question(_equations(cursor, Cursor(body), or_zero=True), unknowns)


def _equations(cursor: Cursor, body: Cursor, *, or_zero: bool) -> tuple[Equation, ...]:
    parts = body.parts(_SEPARATORS)
    if len(parts) > MAX_EQUATIONS:
        raise Refusal("it has too many equations", "too_large")
    read = []
    for part in parts:
        piece = Cursor(part)
        read.append(read_equation(piece, or_zero=or_zero and len(parts) == 1))
        cursor.x_means_times = cursor.x_means_times or piece.x_means_times
    return tuple(read)


def read_then_find(cursor: Cursor) -> Question:
    """Read if 3x = 12, what is x; 2x = 10, find x; x + y = 3 and x - y = 1, solve for x and y."""
    cursor.take("if", "given that", "given")
    for phrase in ("then what is", "what is", "what's", "then find", "find", "solve for"):
        head = cursor.before(phrase)
        if head is not None:
            head.take_tail(",")
            unknowns = _names(cursor)
            cursor.need_end()
            return solve_question(_equations(cursor, head, or_zero=False), unknowns)
    raise NotThisForm


def _names(cursor: Cursor) -> tuple[str, ...]:
    names = [cursor.need_letter()]
    while cursor.take(",", "and"):
        name = cursor.letter()
        if name is None:
            cursor.at -= 1
            break
        names.append(name)
    return tuple(names)


def solve_question(equations: tuple[Equation, ...], unknowns: tuple[str, ...]) -> Question:
    """Return the question these equations ask, or refuse when it is not clear what is unknown."""
    sides = tuple(side for equation in equations for side in (equation.left, equation.right))
    present = variables(*sides)
    if not present and not unknowns and len(equations) == 1:
        only = equations[0]
        return Evaluate(only.left) if only.assumed_zero else Compare(only.left, only.relation, only.right)
    if not unknowns:
        if len(present) > len(equations):
            raise Refusal("there are more unknowns than equations, and it does not say which are meant", "ambiguous")
        unknowns = tuple(present)
    if not set(unknowns) <= present:
        raise Refusal("the unknown does not occur in the equations")
    if any(equation.relation != "=" for equation in equations) and (len(equations) > 1 or len(present) > 1):
        raise Refusal("systems of inequalities are not supported")
    if len(set(unknowns)) != len(unknowns):
        raise NotThisForm
    return Solve(equations, tuple(sorted(unknowns)))


def read_rewriting(cursor: Cursor) -> Evaluate:
    """Read simplify ..., expand ..., factor ..."""
    for phrase, goal in _REWRITING:
        if cursor.take(phrase):
            return Evaluate(whole_expression(cursor), goal)
    raise NotThisForm


def read_value(cursor: Cursor) -> Evaluate:
    """Read an expression, perhaps with values for its variables: x^2 + 1 at x = 3; if x = 3, what is x^2."""
    if cursor.take("if", "when", "given that", "given", "let", "for"):
        assigned = _assignments(cursor)
        cursor.take(",")
        cursor.take("then")
        cursor.take("what is", "what's", "find", "calculate", "compute", "evaluate")
        body = whole_expression(cursor)
    else:
        body = expression(cursor)
        assigned = ()
        if cursor.take(",") is None or not cursor.at_end():
            if cursor.take("at", "when", "where", "for", "if", "given that", "given", "with"):
                assigned = _assignments(cursor)
            cursor.need_end()
    if any(name not in variables(body) for name, _ in assigned):
        raise NotThisForm
    if not assigned:
        return Evaluate(body)
    places = ", ".join(f"{name} = {echo(value)}" for name, value in assigned)
    return Evaluate(substitute(body, dict(assigned)), wording=f"With {places}: {echo(body)}")


def _assignments(cursor: Cursor) -> tuple[tuple[str, Node], ...]:
    found: list[tuple[str, Node]] = []
    while True:
        name = cursor.need_letter()
        cursor.need("=", "is")
        value = expression(cursor)
        if variables(value) or any(name == earlier for earlier, _ in found):
            raise NotThisForm
        found.append((name, value))
        start = cursor.at
        if not (cursor.take("and", ",") and cursor.letter() and cursor.current.word in ("=", "is")):
            cursor.at = start
            return tuple(found)
        cursor.at = start + 1


def read_bare_equations(cursor: Cursor) -> Question:
    """Read equations that stand alone: 2x + 3 = 7; x + y = 3, x - y = 1; 2 + 2 = 4."""
    parts = cursor.parts(_SEPARATORS)
    if len(parts) > MAX_EQUATIONS:
        raise NotThisForm
    read = []
    for part in parts:
        piece = Cursor(part)
        read.append(read_equation(piece, or_zero=False))
        cursor.x_means_times = cursor.x_means_times or piece.x_means_times
    if all(isinstance(equation.left, Variable) and isinstance(equation.right, Number) for equation in read):
        raise NotThisForm  # "x = 5" says something; it asks nothing
    return solve_question(tuple(read), ())
