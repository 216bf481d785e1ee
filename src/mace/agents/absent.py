"""Who is out when a question ends without anybody for it: that is said, and not that there is no such module.

Pure.
"""

from collections.abc import Collection, Sequence


def nobody_is_told(code: str, wanted: Sequence[str], out: Collection[str]) -> str | None:
    """The first version: whoever was out was not spoken of."""
    return None


def who_is_out(code: str, wanted: Sequence[str], out: Collection[str]) -> str | None:
    """The agent that a question is for and that is offline, when all others had nothing to say to it."""
    return next((agent_id for agent_id in wanted if agent_id in out), None) if code == "ROUTER_NO_MATCH" else None
