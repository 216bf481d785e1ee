"""MACE: a runtime for LLM agents that must answer for what they do.

    import mace
    with mace.open("my-agent") as m:
        ...

Importing this is cheap; parts are imported when they are used. What the verbs answer is typed in `mace.core.answers`.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mace import agent, settings
    from mace.agents.screening import route_query
    from mace.core.caller import Caller
    from mace.core.errors import (
        ApprovalNeeded,
        AuthError,
        Closed,
        Conflict,
        Erased,
        FactNotFound,
        ImmutableFieldError,
        IntegrityFailure,
        InvalidInput,
        KeyMissing,
        LogExistsError,
        LogInvalid,
        MaceError,
        NotFound,
        PermissionDenied,
        PreconditionFailed,
        ServiceUnavailable,
        StorageFull,
        WrongType,
    )
    from mace.core.programs import CallFailed, program
    from mace.engine.programs.handle import Ending, Job, current_job
    from mace.engine.runtime import Mace
    from mace.governance.detectors import detect
    from mace.memory.keys import generate_canonical_key
    from mace.wiring import open_mace as open
    from mace.wiring.doors import check_receipt
    from mace.wiring.verifying import verify

__all__ = [
    "ApprovalNeeded",
    "AuthError",
    "CallFailed",
    "Caller",
    "Closed",
    "Conflict",
    "Ending",
    "Erased",
    "FactNotFound",
    "ImmutableFieldError",
    "IntegrityFailure",
    "InvalidInput",
    "Job",
    "KeyMissing",
    "LogExistsError",
    "LogInvalid",
    "Mace",
    "MaceError",
    "NotFound",
    "PermissionDenied",
    "PreconditionFailed",
    "ServiceUnavailable",
    "StorageFull",
    "WrongType",
    "agent",
    "check_receipt",
    "current_job",
    "detect",
    "generate_canonical_key",
    "open",
    "program",
    "route_query",
    "settings",
    "verify",
]

if not TYPE_CHECKING:  # a checker would take any name from a `__getattr__`, misspelt ones too
    _ELSEWHERE = {
        "agent": ("mace.agent", ""),  # the module itself
        "CallFailed": ("mace.core.programs", "CallFailed"),
        "Ending": ("mace.engine.programs.handle", "Ending"),
        "Job": ("mace.engine.programs.handle", "Job"),
        "current_job": ("mace.engine.programs.handle", "current_job"),
        "program": ("mace.core.programs", "program"),
        "Caller": ("mace.core.caller", "Caller"),
        "Mace": ("mace.engine.runtime", "Mace"),
        "check_receipt": ("mace.wiring.doors", "check_receipt"),
        "detect": ("mace.governance.detectors", "detect"),
        "generate_canonical_key": ("mace.memory.keys", "generate_canonical_key"),
        "open": ("mace.wiring", "open_mace"),
        "route_query": ("mace.agents.screening", "route_query"),
        "settings": ("mace.settings", ""),  # the module itself
        "verify": ("mace.wiring.verifying", "verify"),
    }

    def __getattr__(name):
        if name not in __all__:
            raise AttributeError(f"module 'mace' has no attribute {name!r}")
        from importlib import import_module

        module, attribute = _ELSEWHERE.get(name, ("mace.core.errors", name))
        found = import_module(module)
        return getattr(found, attribute) if attribute else found


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
