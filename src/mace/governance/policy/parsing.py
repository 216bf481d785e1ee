"""Parsing a policy where a crash is contained: `fault_of` runs in a worker process, by its name.

Pure. A text that the worker could parse, within the bounds of `bounds`, is then parsed by whoever needs its decisions.
"""

from typing import Final

from mace.core.errors import InvalidInput
from mace.governance.policy.engine import CedarPolicy

WORKER_FUNCTION: Final = "mace.governance.policy.parsing:fault_of"
LIMIT_MS: Final = 10_000


def fault_of(text: str) -> str | None:
    """Say what is wrong with a policy text, or None."""
    try:
        CedarPolicy(text)
    except InvalidInput as error:
        return str(error)
    return None
