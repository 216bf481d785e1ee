"""The mathematics agent of a question: reads and answers at once what it can, and asks for a worker for the rest."""

from mace.agents import asking, mathematics
from mace.agents.asking import Asking, Decline, Reply, Task
from mace.agents.evidence import Evidence


def math_agent(task: Task) -> Asking:
    outcome = mathematics.immediate(task.text)
    if outcome is None:
        done = yield asking.compute(mathematics.WORKER_FUNCTION, mathematics.worker_arguments(task.text))
        if done.failed:
            return Reply(text=None, confidence=0.0, failed=done.failed, details=done.value)
        outcome = mathematics.outcome_of(done.value)
    if isinstance(outcome, mathematics.Declined):
        return Decline(outcome.reason)
    return Reply(
        text=outcome.text,
        confidence=outcome.confidence,
        evidence=(Evidence(kind="computation", ref="mathematics", text=outcome.text),),
        trace=outcome.steps,
    )
