"""The questions the agent understands, as values.

Pure data between reading (cheap, in the caller's process) and answering (in the worker, unless plain fractions are
enough).
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

from mace.agents.mathematics.tree import Node
from mace.agents.mathematics.units import Unit

Relation: TypeAlias = Literal["=", "!=", "<", "<=", ">", ">="]
Goal: TypeAlias = Literal["value", "simplify", "expand", "factor", "fraction", "decimal", "percent"]


@dataclass(frozen=True, slots=True)
class Evaluate:
    expression: Node
    goal: Goal = "value"
    places: int | None = None  # round to so many decimals
    wording: str = ""  # the left side of the answer, if not the expression itself


@dataclass(frozen=True, slots=True)
class Compare:
    left: Node
    relation: Relation
    right: Node


@dataclass(frozen=True, slots=True)
class Choose:
    """Which is larger (or smaller), and what of these."""

    candidates: tuple[Node, ...]
    largest: bool


@dataclass(frozen=True, slots=True)
class Property:
    kind: Literal["prime", "composite", "even", "odd", "divisible"]
    number: Node
    divisor: Node | None = None


@dataclass(frozen=True, slots=True)
class Equation:
    left: Node
    relation: Relation
    right: Node
    assumed_zero: bool = False


@dataclass(frozen=True, slots=True)
class Solve:
    equations: tuple[Equation, ...]
    unknowns: tuple[str, ...]  # sorted; never empty


@dataclass(frozen=True, slots=True)
class Derivative:
    expression: Node
    variable: str
    order: int = 1
    at: Node | None = None


@dataclass(frozen=True, slots=True)
class Integral:
    expression: Node
    variable: str
    lower: Node | None = None
    upper: Node | None = None


@dataclass(frozen=True, slots=True)
class Limit:
    expression: Node
    variable: str
    point: Node
    side: Literal["both", "left", "right"] = "both"


@dataclass(frozen=True, slots=True)
class Series:
    kind: Literal["sum", "product"]
    expression: Node
    index: str
    lower: Node
    upper: Node


@dataclass(frozen=True, slots=True)
class Convert:
    amounts: tuple[tuple[Fraction, Unit], ...]
    target: Unit
    written: str  # "5 ft 3 in"


Question: TypeAlias = Evaluate | Compare | Choose | Property | Solve | Derivative | Integral | Limit | Series | Convert


def expressions_of(question: Question) -> tuple[Node, ...]:
    """Return every expression of a question."""
    match question:
        case Evaluate(expression, _, _, _):
            return (expression,)
        case Compare(left, _, right):
            return (left, right)
        case Choose(candidates, _):
            return candidates
        case Property(_, number, divisor):
            return (number,) if divisor is None else (number, divisor)
        case Solve(equations, _):
            return tuple(side for equation in equations for side in (equation.left, equation.right))
        case Derivative(expression, _, _, at):
            return (expression,) if at is None else (expression, at)
        case Integral(expression, _, lower, upper):
            return tuple(node for node in (expression, lower, upper) if node is not None)
        case Limit(expression, _, point, _):
            return (expression, point)
        case Series(_, expression, _, lower, upper):
            return (expression, lower, upper)
        case Convert():
            return ()
