"""The operational agent: orders about memory. What needs tools is for the goal loop, and declined here."""

from mace.agents import profile, profile_text
from mace.agents.asking import Asking, Decline, Reply, Task
from mace.agents.reading.self_reading import read_self


def operational_agent_1(task: Task) -> Asking:
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
    return (yield from profile.profile_agent_1(task))


def operational_agent(task: Task) -> Asking:
    """The second version: orders in more words; told by nobody, they are answered with what is missing."""
    if task.user_id is None:
        said = read_self(task.text)
        if said is None or not (said.told or said.forgotten):
            return Decline("not an order about memory that is understood")
        details = {"reason": "there is nobody to remember it for"}
        return Reply(text=None, confidence=0.0, failed="USER_NOT_NAMED", details=details)
    answer = profile.about_user(task)
    if answer is None:
        return Decline("not an order about memory that is understood")
    return (yield from answer)
