"""What the mathematics agent hands back: an answer or a decline.

Pure values, JSON-able both ways, because an answer crosses the pipe of the worker and is recorded before it is used.
Reasons of declines are fixed sentences: they are logged, and must not repeat what a user wrote.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

CHECKED = 0.99  # exact, and checked against the question in a second way (or plain exact arithmetic)
UNCHECKED = 0.95  # exact by the computer-algebra library's word alone
APPROXIMATED = 0.9  # a decimal number with rounding
SEARCHED = 0.7  # found by a search that may have missed something

DeclineKind: TypeAlias = Literal["not_understood", "ambiguous", "too_large", "no_result"]


@dataclass(frozen=True, slots=True)
class MathAnswer:
    """A computed answer: for people, for programs, and how it came about."""

    text: str  # as a person reads it: "12 + 30 = 42"
    value: str  # the result alone, in the notation the parser reads: "42"
    steps: tuple[str, ...]  # how it was read, what was done
    exact: bool
    confidence: float


@dataclass(frozen=True, slots=True)
class Declined:
    """The text is not a question this agent fully understands, or not one it will compute."""

    reason: str
    kind: DeclineKind = "not_understood"


Outcome: TypeAlias = MathAnswer | Declined


def to_dict(outcome: Outcome) -> dict[str, Any]:
    """Return the outcome as plain JSON."""
    if isinstance(outcome, Declined):
        return {"outcome": "declined", "reason": outcome.reason, "kind": outcome.kind}
    return {
        "outcome": "answer",
        "text": outcome.text,
        "value": outcome.value,
        "steps": list(outcome.steps),
        "exact": outcome.exact,
        "confidence": outcome.confidence,
    }


def from_dict(data: Mapping[str, Any]) -> Outcome:
    """Return the outcome that `to_dict` turned into plain JSON."""
    if data["outcome"] == "declined":
        return Declined(reason=data["reason"], kind=data["kind"])
    return MathAnswer(
        text=data["text"],
        value=data["value"],
        steps=tuple(data["steps"]),
        exact=data["exact"],
        confidence=data["confidence"],
    )


class Refusal(Exception):
    """Raised while reading or computing when the only honest outcome is a decline; never leaves the agent."""

    def __init__(self, reason: str, kind: DeclineKind = "not_understood") -> None:
        super().__init__(reason)
        self.declined = Declined(reason=reason, kind=kind)


NOT_MATHEMATICS = Declined("it holds words or signs that are not part of a mathematical question")
