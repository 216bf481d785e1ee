"""MACE: a runtime for LLM agents that must answer for what they do.

    import mace
    with mace.open("my-agent") as m:
        ...

Importing this is cheap; parts are imported when they are used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mace.agents.screening import route_query
    from mace.core.errors import (
        ImmutableFieldError,
        IntegrityFailure,
        InvalidInput,
        LogExistsError,
        LogInvalid,
        MaceError,
        NotFound,
    )
    from mace.engine.runtime import Mace
    from mace.governance.detectors import detect
    from mace.memory.keys import generate_canonical_key
    from mace.wiring import open_mace as open

_NAMES = {
    "open": ("mace.wiring", "open_mace"),
    "generate_canonical_key": ("mace.memory.keys", "generate_canonical_key"),
    "route_query": ("mace.agents.screening", "route_query"),
    "detect": ("mace.governance.detectors", "detect"),
    "Mace": ("mace.engine.runtime", "Mace"),
    "MaceError": ("mace.core.errors", "MaceError"),
    "ImmutableFieldError": ("mace.core.errors", "ImmutableFieldError"),
    "IntegrityFailure": ("mace.core.errors", "IntegrityFailure"),
    "InvalidInput": ("mace.core.errors", "InvalidInput"),
    "LogExistsError": ("mace.core.errors", "LogExistsError"),
    "LogInvalid": ("mace.core.errors", "LogInvalid"),
    "NotFound": ("mace.core.errors", "NotFound"),
}

__all__ = [
    "ImmutableFieldError",
    "IntegrityFailure",
    "InvalidInput",
    "LogExistsError",
    "LogInvalid",
    "Mace",
    "MaceError",
    "NotFound",
    "detect",
    "generate_canonical_key",
    "open",
    "route_query",
]


def __getattr__(name: str) -> Any:
    if name not in _NAMES:
        raise AttributeError(f"module 'mace' has no attribute {name!r}")
    module, attribute = _NAMES[name]
    return getattr(import_module(module), attribute)
