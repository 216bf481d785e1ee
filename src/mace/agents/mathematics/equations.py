"""Equations, systems and inequalities with the computer-algebra library.

Pure, for the worker. Every solution is put back into its equation; one that does not fit declines the whole.
Solutions are sorted (real ones by size, then complex ones), because the library's own order is no promise.
"""

from typing import Any

import sympy

from mace.agents.mathematics.answers import APPROXIMATED, CHECKED, SEARCHED, UNCHECKED, MathAnswer, Refusal
from mace.agents.mathematics.build import Names, build
from mace.agents.mathematics.checks import close, number
from mace.agents.mathematics.decimals import shorten
from mace.agents.mathematics.questions import Equation, Solve, expressions_of
from mace.agents.mathematics.results import relation_text
from mace.agents.mathematics.show import decimal, show
from mace.agents.mathematics.tree import Call, Multiply, variables, walk

_MAX_SOLUTIONS = 20
_ZERO = 1e-18  # what is left of a zero after rounding
_LONGEST_ROOT = 60  # characters; a longer radical says less than its decimal
_SEARCH_FROM, _SEARCH_TO, _SEARCH_STEPS_PER_UNIT = -50, 50, 4
_PERIODIC = (sympy.sin, sympy.cos, sympy.tan, sympy.sec, sympy.csc, sympy.cot)
# A search for changes of sign is lost between poles and on steps.
_NOT_SEARCHABLE = (*_PERIODIC[2:], sympy.floor, sympy.ceiling, sympy.Mod, sympy.sign)
_RELATIONS = {"<": sympy.Lt, "<=": sympy.Le, ">": sympy.Gt, ">=": sympy.Ge}


def solve(question: Solve) -> MathAnswer:
    """Solve one equation or inequality for one unknown, or a system."""
    if len(question.equations) == 1 and len(question.unknowns) == 1:
        only = question.equations[0]
        if only.relation == "=":
            return _Single(question).answer()
        if only.relation == "!=":
            raise Refusal("there is nothing to solve in an inequality with ≠")
        return _inequality(only, question.unknowns[0])
    return _system(question)


def _written(question: Solve) -> str:
    parts = [relation_text(equation.left, equation.relation, equation.right) for equation in question.equations]
    return f"solve {', '.join(parts)} for {', '.join(question.unknowns)}"


def _nothing(question: Solve, text: str, value: str, how: str) -> MathAnswer:
    return MathAnswer(text, value, (f"Read as: {_written(question)}", how), True, CHECKED)


class _Single:
    """One equation in one unknown, perhaps with other letters in it."""

    def __init__(self, question: Solve) -> None:
        self.question = question
        self.equation = question.equations[0]
        self.name = question.unknowns[0]
        nodes = expressions_of(question)
        self.names = Names(variables(*nodes))
        self.unknown = self.names[self.name]
        self.difference = self._difference()
        self.polynomial = self.difference.is_polynomial(self.unknown)
        if not self.polynomial:  # roots, absolute values and the like are asked about real numbers
            self.names = Names(variables(*nodes), real=True)
            self.unknown = self.names[self.name]
            self.difference = self._difference()
        self.steps = [f"Read as: {_written(question)}"]
        if self.equation.assumed_zero:
            self.steps.append("No right side was given, so it was taken as 0")
        if self.difference.free_symbols - {self.unknown}:
            self.steps.append("The other letters stand for fixed numbers, none of which makes a denominator 0")

    def _difference(self) -> Any:
        return build(self.equation.left, self.names) - build(self.equation.right, self.names)

    def answer(self) -> MathAnswer:
        simple = sympy.simplify(self.difference)
        if simple == 0:
            every = f"every {self.name}" + (" for which both sides are defined" if self._may_be_undefined() else "")
            return _nothing(self.question, f"It is true for {every}", every, "Both sides are equal")
        if self.unknown not in simple.free_symbols:
            if simple.free_symbols:
                raise Refusal("the unknown drops out", "no_result")
            return _nothing(self.question, "There is no solution", "no solution", f"The unknown {self.name} drops out")
        if self.polynomial:
            return self._polynomial()
        if self.difference.has(*_PERIODIC):
            return self._periodic()
        return self._other()

    def _may_be_undefined(self) -> bool:
        parts = [part for node in expressions_of(self.question) for part in walk(node)]
        return any(
            isinstance(part, Call) or (isinstance(part, Multiply) and any(sign != "*" for sign, _ in part.factors))
            for part in parts
        )

    def _polynomial(self) -> MathAnswer:
        polynomial = sympy.Poly(sympy.together(self.difference), self.unknown)
        numeric = not (self.difference.free_symbols - {self.unknown})
        self.steps.append(f"A polynomial equation of degree {polynomial.degree()}")
        solutions = sympy.roots(polynomial)
        complete = sum(solutions.values()) == polynomial.degree()
        if not complete and not numeric:
            raise Refusal("no closed form was found", "no_result")
        ugly = numeric and any(_ugly(root, self.names) for root in solutions)
        if not complete or ugly:
            return self._numeric_roots(polynomial)
        return self._listed(list(solutions))

    def _numeric_roots(self, polynomial: Any) -> MathAnswer:
        if polynomial.degree() > _MAX_SOLUTIONS:
            raise Refusal("it has too many solutions", "too_large")
        roots = polynomial.nroots(n=20, maxsteps=200)
        self.steps.append("The exact roots have no short form; computed as decimals")
        ordered = sorted(roots, key=_order)
        shown = list(dict.fromkeys(decimal(root) for root in ordered))
        real = [text for text in shown if "i" not in text]
        others = len(shown) - len(real)
        if not real:
            return self._finish([f"{self.name} ≈ {text}" for text in shown], shown, exact=False)
        tail = f" (and {others} complex solutions)" if others else ""
        answer = self._finish([f"{self.name} ≈ {text}" for text in real], shown, exact=False)
        return MathAnswer(answer.text + tail, answer.value, answer.steps, False, APPROXIMATED)

    def _periodic(self) -> MathAnswer:
        solution = sympy.solveset(self.difference, self.unknown, sympy.S.Reals)
        if solution is sympy.S.EmptySet:
            return self._all_of([])
        parts = list(solution.args) if isinstance(solution, sympy.Union) else [solution]
        if any(isinstance(part, sympy.ConditionSet) for part in parts):
            return self._search()
        if all(isinstance(part, sympy.FiniteSet) for part in parts):
            return self._all_of([root for part in parts for root in part])
        parts.sort(key=lambda part: _order(_member(part, 0)))
        shown = [self._family(part) for part in parts]
        self.steps.append("Solved over the real numbers; n stands for any whole number")
        text = " or ".join(f"{self.name} = {part}" for part in shown) + " (n any whole number)"
        value = "; ".join(f"{self.name} = {part}" for part in shown)
        return MathAnswer(text, value, tuple(self.steps), True, self._families_fit(parts))

    def _family(self, part: Any) -> str:
        if "n" in self.names.symbols:
            raise Refusal("no closed form was found", "no_result")
        counter = part.lamda.variables[0]
        return show(sympy.expand(part.lamda.expr).subs(counter, sympy.Symbol("n")), self.names)

    def _families_fit(self, parts: list[Any]) -> float:
        return self._confidence([self._fits(_member(part, 2)) for part in parts])

    def _other(self) -> MathAnswer:
        try:
            solutions = sympy.solve(self.difference, self.unknown)
        except NotImplementedError:
            return self._search()
        if any(root.has(sympy.Piecewise, sympy.Integral, sympy.RootOf) for root in solutions):
            return self._search()
        return self._all_of(solutions)

    def _all_of(self, solutions: list[Any]) -> MathAnswer:
        """Tell the real solutions, unless a search finds one that the library has missed."""
        if not self.difference.free_symbols - {self.unknown}:
            listed = [value.real for root in solutions if (value := number(root)) is not None]
            found = [value.real for root in self._found() if (value := number(root)) is not None]
            if any(all(abs(root - known) > 1e-6 * max(1.0, abs(root)) for known in listed) for root in found):
                return self._search()
        if not solutions:
            steps = (*self.steps, "Solved over the real numbers")
            return MathAnswer("There is no real solution", "no real solution", steps, True, UNCHECKED)
        self.steps.append("Solved exactly")
        return self._listed(solutions)

    def _search(self) -> MathAnswer:
        """Look for changes of sign of the difference, where no method gives the solutions exactly."""
        if self.difference.free_symbols - {self.unknown} or self.difference.has(*_NOT_SEARCHABLE):
            raise Refusal("no closed form was found", "no_result")
        found = self._found()
        if not found:
            raise Refusal("no solution was found", "no_result")
        shown = list(dict.fromkeys(shorten(str(sympy.N(root, 20))) for root in found))
        self.steps.append(f"No exact method; searched between {_SEARCH_FROM} and {_SEARCH_TO}")
        text = " or ".join(f"{self.name} ≈ {number}" for number in shown)
        note = f" (found by search between {_SEARCH_FROM} and {_SEARCH_TO}; there may be others)"
        value = "; ".join(f"{self.name} = {number}" for number in shown)
        return MathAnswer(text + note, value, tuple(self.steps), False, SEARCHED)

    def _found(self) -> list[Any]:
        return [root for left, right in self._changes_of_sign() if (root := self._bisect(left, right)) is not None]

    def _at(self, place: Any) -> Any:
        value = self.difference.evalf(25, subs={self.unknown: place})
        return value if value.is_Float or value.is_Rational else None

    def _changes_of_sign(self) -> list[tuple[Any, Any]]:
        found = []
        before: tuple[Any, Any] | None = None
        for step in range(_SEARCH_FROM * _SEARCH_STEPS_PER_UNIT, _SEARCH_TO * _SEARCH_STEPS_PER_UNIT + 1):
            place = sympy.Rational(step, _SEARCH_STEPS_PER_UNIT)
            value = self._at(place)
            if value is not None and abs(value) < _ZERO:
                found.append((place, place))
            elif value is not None and before is not None and (before[1] < 0) != (value < 0):
                found.append((before[0], place))
            before = None if value is None or abs(value) < _ZERO else (place, value)
        return found[:_MAX_SOLUTIONS]

    def _bisect(self, left: Any, right: Any) -> Any:
        if left == right:
            return left
        negative_left = self._at(left) < 0
        for _ in range(60):
            middle = (left + right) / 2
            value = self._at(middle)
            if value is None:
                return None
            if value == 0:
                return sympy.N(middle, 20)
            left, right = (middle, right) if (value < 0) == negative_left else (left, middle)
        value = self._at(left)
        return sympy.N(left, 20) if value is not None and abs(value) < 1e-9 else None  # else it is a pole

    def _listed(self, solutions: list[Any]) -> MathAnswer:
        if len(solutions) > _MAX_SOLUTIONS:
            raise Refusal("it has too many solutions", "too_large")
        ordered = sorted((sympy.simplify(root) for root in solutions), key=_order)
        confidence = self._confidence([self._fits(root) for root in ordered])
        shown = list(dict.fromkeys(show(root, self.names) for root in ordered))
        pieces = []
        for root, text in zip(ordered, shown, strict=False):
            near = "" if root.is_Rational or root.free_symbols else decimal(root)
            pieces.append(f"{self.name} = {text}" + (f" ≈ {near}" if near and near != text else ""))
        return self._finish(pieces, shown, exact=True, confidence=confidence)

    def _fits(self, root: Any) -> bool | None:
        difference = self.difference.subs(self.unknown, root)
        return None if difference.free_symbols else close(difference, sympy.Integer(0))

    def _confidence(self, verdicts: list[bool | None]) -> float:
        if any(verdict is False for verdict in verdicts):
            raise Refusal("the result could not be confirmed", "no_result")
        if all(verdicts):
            self.steps.append("Checked: every solution was put into the equation")
            return CHECKED
        return UNCHECKED

    def _finish(
        self, pieces: list[str], values: list[str], *, exact: bool, confidence: float = APPROXIMATED
    ) -> MathAnswer:
        value = "; ".join(f"{self.name} = {text}" for text in values)
        return MathAnswer(" or ".join(pieces), value, tuple(self.steps), exact, confidence)


def _member(family: Any, place: int) -> Any:
    """Return one of the solutions that a family of them holds."""
    if not isinstance(family, sympy.ImageSet) or family.base_sets != (sympy.S.Integers,):
        raise Refusal("no closed form was found", "no_result")
    return family.lamda.expr.subs(family.lamda.variables[0], sympy.Integer(place))


def _ugly(root: Any, names: Names) -> bool:
    """Say whether a decimal says more: a long radical, or a real number written with i."""
    return len(show(root, names)) > _LONGEST_ROOT or (root.has(sympy.I) and _order(root)[0] == 0)


def _order(root: Any) -> tuple[int, float, float, str]:
    """Return the place of a solution: real ones by size, complex ones, then those with letters in them."""
    if root.free_symbols:
        return 2, 0.0, 0.0, str(root)
    value = number(root)
    if value is None:
        return 2, 0.0, 0.0, str(root)
    real = abs(value.imag) <= 1e-12 * max(1.0, abs(value.real))
    return (0, value.real, 0.0, "") if real else (1, value.real, value.imag, "")


def _system(question: Solve) -> MathAnswer:
    names = Names(variables(*expressions_of(question)))
    unknowns = [names[name] for name in question.unknowns]
    differences = [_difference(equation, names) for equation in question.equations]
    if any(difference.has(*_PERIODIC) for difference in differences):
        raise Refusal("it may have solutions without end", "no_result")
    solutions = sympy.solve(differences, unknowns, dict=True)
    steps = [f"Read as: {_written(question)}", "Solved the equations together"]
    if not solutions:
        return _nothing(question, "There is no solution", "no solution", "The equations contradict each other")
    if len(solutions) > _MAX_SOLUTIONS:
        raise Refusal("it has too many solutions", "too_large")
    lines = []
    verdicts = []
    for solution in sorted(solutions, key=lambda found: [_order(found.get(unknown, unknown)) for unknown in unknowns]):
        verdicts += [_fits_system(difference, solution) for difference in differences]
        lines.append(_solution_text(solution, question.unknowns, names))
    if any(verdict is False for verdict in verdicts):
        raise Refusal("the result could not be confirmed", "no_result")
    if all(verdicts):
        steps.append("Checked: every solution was put into the equations")
    text = "; or ".join(line for line, _ in lines)
    value = "; ".join(value for _, value in lines)
    return MathAnswer(text, value, tuple(steps), True, CHECKED if all(verdicts) else UNCHECKED)


def _difference(equation: Equation, names: Names) -> Any:
    return build(equation.left, names) - build(equation.right, names)


def _fits_system(difference: Any, solution: dict[Any, Any]) -> bool | None:
    rest = sympy.simplify(difference.subs(solution, simultaneous=True))
    if rest == 0:
        return True
    return None if rest.free_symbols else close(rest, sympy.Integer(0))


def _solution_text(solution: dict[Any, Any], unknowns: tuple[str, ...], names: Names) -> tuple[str, str]:
    pieces, values, free = [], [], []
    for name in unknowns:
        if names[name] not in solution:
            free.append(name)
            continue
        root = sympy.simplify(solution[names[name]])
        shown = show(root, names)
        near = "" if root.is_Rational or root.free_symbols else decimal(root)
        pieces.append(f"{name} = {shown}" + (f" ≈ {near}" if near and near != shown else ""))
        values.append(f"{name} = {shown}")
    text = ", ".join(pieces) + (f" ({', '.join(free)} free)" if free else "")
    return text, ", ".join(values)


def _inequality(equation: Equation, name: str) -> MathAnswer:
    names = Names({name}, real=True)
    unknown = names[name]
    relation = _RELATIONS[equation.relation](build(equation.left, names), build(equation.right, names))
    steps = [
        f"Read as: solve {relation_text(equation.left, equation.relation, equation.right)} for {name}",
        "Solved over the real numbers",
    ]
    if relation in (sympy.true, sympy.false):
        solution = sympy.S.Reals if relation == sympy.true else sympy.S.EmptySet
    else:
        solution = sympy.solve_univariate_inequality(relation, unknown, relational=False)
    text = _set_text(solution, name, names)
    return MathAnswer(text, text, tuple(steps), True, UNCHECKED)


def _set_text(solution: Any, name: str, names: Names) -> str:
    if solution == sympy.S.Reals:
        return f"every real {name}"
    if solution is sympy.S.EmptySet:
        return "no real solution"
    parts = solution.args if isinstance(solution, sympy.Union) else (solution,)
    ordered = sorted(parts, key=lambda part: _order(part.inf) if part.inf != -sympy.oo else (-1, 0.0, 0.0, ""))
    return " or ".join(_part_text(part, name, names) for part in ordered)


def _part_text(part: Any, name: str, names: Names) -> str:
    if isinstance(part, sympy.FiniteSet):
        return " or ".join(f"{name} = {show(root, names)}" for root in sorted(part, key=_order))
    if not isinstance(part, sympy.Interval):
        raise Refusal("no closed form was found", "no_result")
    low, high = "<" if part.left_open else "≤", "<" if part.right_open else "≤"
    if part.start == -sympy.oo:
        return f"{name} {high} {show(part.end, names)}"
    if part.end == sympy.oo:
        return f"{name} {'>' if part.left_open else '≥'} {show(part.start, names)}"
    return f"{show(part.start, names)} {low} {name} {high} {show(part.end, names)}"
