"""The programs of `0005-memory.zip`, as they were when its jobs were performed; never changed."""

from typing import Any

import mace
from mace import Job


@mace.program("advises", version="1")
def advises(job: Job, question: str) -> Any:
    """Keeps the question, looks at what is known, and keeps the answer, in two conversations."""
    job.remember(question)
    known = job.recall(question, budget_tokens=300)
    only_turns = job.recall(question, 200, kinds=("turn",))
    with job.branch("once more") as branch:
        again = branch.recall("tennis", 100)
    text = f"{len(known['items'])}, {len(only_turns['items'])} and {len(again['items'])} lines"
    kept = job.remember([{"role": "assistant", "content": text}])
    return job.answer(text, value={"known": known, "kept": kept["turn_ids"]}, evidence=[known])


@mace.program("forgets-to-ask", version="1")
def forgets_to_ask(job: Job, given: Any) -> Any:
    """What may not be kept, and what nobody can be asked for."""
    came_to = []
    for messages in (given, [{"role": "user", "content": "My card is 4111 1111 1111 1111"}], []):
        try:
            came_to.append(job.remember(messages)["redacted"])
        except mace.CallFailed as failed:
            came_to.append([failed.kind, failed.exception])
    return came_to


PROGRAMS = (advises, forgets_to_ask)
