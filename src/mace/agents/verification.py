"""The verification agent: looks once more at an answer that the council could not agree on.

A fact is read again, a computation is done again; what only an engine said is put to an engine as a question of yes or
no. The result is evidence of its own kind: 1 confirms, 0 refutes.
"""

from collections.abc import Generator

from mace.agents import asking, mathematics
from mace.agents.asking import Effect, Result
from mace.agents.evidence import Evidence
from mace.agents.model_text import visible_text
from mace.agents.profile_text import shown_value
from mace.memory.keys import valid_key

Checking = Generator[Effect, Result, Evidence | None]
_SYSTEM = "Is the answer to the question correct? Reply with yes or no only."


def verify_answer(question: str, answer: str, evidence: tuple[Evidence, ...], has_engine: bool) -> Checking:
    """Return what a second look shows, or None where there is nothing to look at."""
    for item in evidence:
        if item.kind == "computation":
            done = yield asking.compute(mathematics.WORKER_FUNCTION, mathematics.worker_arguments(question))
            if done.failed:
                return None
            again = mathematics.outcome_of(done.value)
            same = isinstance(again, mathematics.MathAnswer) and again.text == answer
            return Evidence(kind="verification", ref="mathematics", text=answer, score=1.0 if same else 0.0)
        if item.kind == "fact" and valid_key(item.ref):
            found = yield asking.read_fact(item.ref)
            if found.failed:
                return None
            held = found.value["exists"] and shown_value(found.value["value"]) in answer
            return Evidence(kind="verification", ref=item.ref, text=answer, score=1.0 if held else 0.0)
    if has_engine:
        said = yield asking.complete(_SYSTEM, f"Question: {question}\nAnswer: {answer}", 8)
        if not said.failed:
            word = visible_text(said.value["text"]).strip().lower()
            return Evidence(
                kind="verification", ref="engine", text=answer, score=1.0 if word.startswith("yes") else 0.0
            )
    return None
