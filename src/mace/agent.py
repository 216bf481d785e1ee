"""What an agent is written with.

    import mace
    from mace.agent import Evidence, Reply, Task

    def my_agent(task: Task) -> Reply: ...

    mace.open("my-agent", agents={"generic_agent": my_agent})

An agent is a function of a `Task`. It returns a `Reply` or a `Decline`, or is a generator that yields an `Effect` for
everything it needs of the world and is sent the `Result`. docs/agents.md has a complete one.
"""

from mace.agents.asking import (
    EFFECT_KINDS,
    Agent,
    Asking,
    Decline,
    Effect,
    Reply,
    Result,
    Task,
    complete,
    compute,
    find_profile,
    list_profile,
    read_context,
    read_fact,
    read_knowledge,
    read_profile,
    recall,
    request_deletion,
    write_fact,
    write_profile,
)
from mace.agents.evidence import Evidence

__all__ = [
    "EFFECT_KINDS",
    "Agent",
    "Asking",
    "Decline",
    "Effect",
    "Evidence",
    "Reply",
    "Result",
    "Task",
    "complete",
    "compute",
    "find_profile",
    "list_profile",
    "read_context",
    "read_fact",
    "read_knowledge",
    "read_profile",
    "recall",
    "request_deletion",
    "write_fact",
    "write_profile",
]
