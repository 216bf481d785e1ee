"""The operational agent: orders about memory. What needs tools is for the goal loop, and declined here."""

from mace.agents import profile, profile_text
from mace.agents.asking import Asking, Decline, Reply, Task


def operational_agent(task: Task) -> Asking:
    said = profile_text.parse(task.text)
    if said is None:
        return Decline("not an order about memory that is understood")
    if task.user_id is None:
        return Reply(
            text=None,
            confidence=0.0,
            failed="INVALID_INPUT",
            details={"reason": "there is nobody to remember it for: no user_id was given"},
        )
    return (yield from profile.profile_agent(task))
