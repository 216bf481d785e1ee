"""The mathematics agent: reads a question in a person's words, computes it exactly, or declines.

Pure. Three steps, so that the dear part can be stopped:
`read` (in the caller's process, cheap) gives the question or a decline; `immediate` answers what needs only fractions,
at once; everything else is `compute.run`, which imports the computer-algebra library and belongs into a worker process
(`WORKER_FUNCTION` names it for the worker, `outcome_of` reads its result). `answer` does all in one process and has no
time limit. No text of a user is ever given to anything that evaluates text.
"""

from collections.abc import Mapping
from typing import Any, Final

from mace.agents.mathematics.answers import Declined, MathAnswer, Outcome, Refusal, from_dict, to_dict
from mace.agents.mathematics.questions import Question
from mace.agents.mathematics.reading import read

__all__ = [
    "WORKER_FUNCTION",
    "Declined",
    "MathAnswer",
    "Question",
    "answer",
    "immediate",
    "outcome_of",
    "read",
    "to_dict",
    "worker_arguments",
]

WORKER_FUNCTION: Final = "mace.agents.mathematics.compute:run"


def answer(text: str) -> MathAnswer | Declined:
    """Answer the text or decline it, in this process and for as long as it takes."""
    early = immediate(text)
    if early is not None:
        return early
    from mace.agents.mathematics.compute import compute

    return compute(text)


def immediate(text: str) -> MathAnswer | Declined | None:
    """Answer or decline without the computer-algebra library, in microseconds; None means: give it to the worker."""
    from mace.agents.mathematics import results

    question = read(text)
    if isinstance(question, Declined):
        return question
    try:
        return results.immediate(question)
    except Refusal as refusal:
        return refusal.declined


def worker_arguments(text: str) -> dict[str, str]:
    """Return the arguments `WORKER_FUNCTION` is to be called with."""
    return {"text": text}


def outcome_of(result: Mapping[str, Any]) -> Outcome:
    """Return the answer or decline in what the worker gave back."""
    return from_dict(result)
