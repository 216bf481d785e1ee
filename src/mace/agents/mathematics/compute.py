"""The worker's side of the mathematics agent: one question in, one outcome out.

Pure; importing this imports the computer-algebra library (about a third of a second), so only the worker and
`mathematics.answer` do. Each question starts from the same state: the library's caches are emptied and its own random
numbers are seeded, so that no answer depends on what was asked before.
"""

from collections.abc import Callable
from typing import Any

from sympy.core import random as library_random
from sympy.core.cache import clear_cache

from mace.agents.mathematics import analysis, equations, results, values
from mace.agents.mathematics.answers import Declined, MathAnswer, Outcome, Refusal, to_dict
from mace.agents.mathematics.build import Names, build
from mace.agents.mathematics.exact import Undefined
from mace.agents.mathematics.questions import (
    Choose,
    Compare,
    Derivative,
    Evaluate,
    Integral,
    Limit,
    Property,
    Question,
    Series,
    Solve,
    expressions_of,
)
from mace.agents.mathematics.reading import read
from mace.agents.mathematics.tree import variables

_ANSWERERS: dict[type, Callable[[Any], MathAnswer]] = {
    Evaluate: values.evaluate,
    Compare: values.compare,
    Choose: values.choose,
    Property: values.prime_property,
    Solve: equations.solve,
    Derivative: analysis.derivative,
    Integral: analysis.integral,
    Limit: analysis.limit,
    Series: analysis.series,
}


def run(text: str) -> dict[str, Any]:
    """Answer or decline the text, as plain JSON."""
    return to_dict(compute(text))


def compute(text: str) -> Outcome:
    """Answer or decline the text."""
    question = read(text)
    if isinstance(question, Declined):
        return question
    try:
        return results.immediate(question) or _computed(question)
    except Refusal as refusal:
        return refusal.declined
    except RecursionError:
        return Declined("it is too complex", "too_large")


def _computed(question: Question) -> MathAnswer:
    clear_cache()
    library_random.seed(0)
    try:
        return _ANSWERERS[type(question)](question)
    except Undefined:
        names = Names(variables(*expressions_of(question)))
        return results.undefined_part(question, lambda node: build(node, names))
    except (Refusal, RecursionError, MemoryError):
        raise
    except Exception as error:  # the library raises nearly anything where it has no method
        raise Refusal("the computer-algebra library found no result", "no_result") from error
