"""The expressions the parser can build, and nothing else.

Pure data. There is no node for an attribute, an index, a name with more than one meaning or a piece of text, so
whatever a user writes, only these shapes reach the computer-algebra library.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

Sign: TypeAlias = Literal["+", "-"]
Factor: TypeAlias = Literal["*", "/", "mod"]
ConstantName: TypeAlias = Literal["pi", "e", "infinity"]


@dataclass(frozen=True, slots=True)
class Number:
    value: Fraction
    decimal: bool = False  # written with a decimal point: the answer then prefers one, too


@dataclass(frozen=True, slots=True)
class Constant:
    name: ConstantName


@dataclass(frozen=True, slots=True)
class Variable:
    name: str  # "i" is the imaginary unit unless a question binds it (a sum over i)


@dataclass(frozen=True, slots=True)
class Negate:
    operand: "Node"


@dataclass(frozen=True, slots=True)
class Add:
    """Terms from left to right; flat, so that a long sum is not a deep tree."""

    terms: tuple[tuple[Sign, "Node"], ...]


@dataclass(frozen=True, slots=True)
class Multiply:
    """Factors from left to right; the first one's operator is always `*`."""

    factors: tuple[tuple[Factor, "Node"], ...]


@dataclass(frozen=True, slots=True)
class Power:
    base: "Node"
    exponent: "Node"


@dataclass(frozen=True, slots=True)
class Factorial:
    operand: "Node"


@dataclass(frozen=True, slots=True)
class Percent:
    operand: "Node"


@dataclass(frozen=True, slots=True)
class PartOf:
    """`15% of 80`, and with `off` `20% off 50`."""

    part: "Node"
    whole: "Node"
    off: bool = False


@dataclass(frozen=True, slots=True)
class Degrees:
    operand: "Node"


@dataclass(frozen=True, slots=True)
class Call:
    function: str  # one of lexicon.ARITY
    arguments: tuple["Node", ...]


Node: TypeAlias = (
    Number | Constant | Variable | Negate | Add | Multiply | Power | Factorial | Percent | PartOf | Degrees | Call
)


def children(node: Node) -> tuple[Node, ...]:
    """Return the direct parts of a node, left to right."""
    match node:
        case Add(terms):
            return tuple(term for _, term in terms)
        case Multiply(factors):
            return tuple(factor for _, factor in factors)
        case Power(base, exponent):
            return (base, exponent)
        case PartOf(part, whole, _):
            return (part, whole)
        case Call(_, arguments):
            return arguments
        case Negate(operand) | Factorial(operand) | Percent(operand) | Degrees(operand):
            return (operand,)
        case _:
            return ()


def depth(node: Node) -> int:
    """Return how many nodes lie below each other; without recursion, so that nothing is too deep for it."""
    deepest = 0
    waiting = [(node, 1)]
    while waiting:
        current, level = waiting.pop()
        deepest = max(deepest, level)
        waiting.extend((child, level + 1) for child in children(current))
    return deepest


def substitute(node: Node, values: Mapping[str, Node]) -> Node:
    """Return the expression with its variables replaced."""
    match node:
        case Variable(name):
            return values.get(name, node)
        case Add(terms):
            return Add(tuple((sign, substitute(term, values)) for sign, term in terms))
        case Multiply(factors):
            return Multiply(tuple((operator, substitute(factor, values)) for operator, factor in factors))
        case Power(base, exponent):
            return Power(substitute(base, values), substitute(exponent, values))
        case PartOf(part, whole, off):
            return PartOf(substitute(part, values), substitute(whole, values), off)
        case Call(function, arguments):
            return Call(function, tuple(substitute(argument, values) for argument in arguments))
        case Negate(operand) | Factorial(operand) | Percent(operand) | Degrees(operand):
            return type(node)(substitute(operand, values))
        case _:
            return node


def walk(node: Node) -> Iterator[Node]:
    """Yield the node and everything below it."""
    waiting = [node]
    while waiting:
        current = waiting.pop()
        yield current
        waiting.extend(children(current))


def variables(*nodes: Node) -> frozenset[str]:
    """Return the names of the variables, `i` (the imaginary unit) not counted."""
    return frozenset(
        part.name for node in nodes for part in walk(node) if isinstance(part, Variable) and part.name != "i"
    )


def has_decimal(*nodes: Node) -> bool:
    """Say whether a number with a decimal point or a percentage occurs."""
    return any(
        isinstance(part, Percent) or (isinstance(part, Number) and part.decimal)
        for node in nodes
        for part in walk(node)
    )
