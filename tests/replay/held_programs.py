"""A program that waits where it is told to, so that its process can be stopped there, and then does all that it can."""

from collections.abc import Callable
from typing import Any

import mace
from mace import Job
from replay.tree_programs import attempt


def _go_on(where: str) -> None:
    """Nobody waits, unless a test says so."""


wait: Callable[[str], None] = _go_on


def _waits(where: str) -> Callable[[Any], Any]:
    def call(request: Any) -> Any:
        wait(where)
        return {"waited": where}

    return call


@mace.program("held", version="1")
def held(job: Job, where: str) -> Any:
    """Wait in a call, between calls, in a branch, or in a call whose end nobody may catch; then go on as ever."""
    found: list[Any] = [attempt(job, "", "first", {})]
    if where == "call":
        found.append(job.call("waits", {}, _waits(where), idempotent=True))
    elif where == "caught":
        try:
            found.append(job.call("waits", {}, _waits(where), idempotent=True))
        except BaseException:  # what no program should do
            found.append("caught")
    elif where == "branch":
        with job.branch("waiting") as branch:
            attempt(branch, "waiting0", "inside", {})
            wait(where)
    else:
        wait(where)
    with job.branch("late") as late:
        found.append(attempt(late, "late0", "late", {}))
        found.append(attempt(late, "late0", "peek", {}, idempotent=True))
    found += job.map(lambda branch, item: attempt(branch, f"map{item}", "do", {}), [0, 1], at_most=2)
    found.append(attempt(job, "", "last", {}))
    return job.answer("done", value=len(found))
