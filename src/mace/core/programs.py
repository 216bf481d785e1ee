"""Programs: what somebody's own agent is to MACE, and how its calls fail.

Pure. `@mace.program("support", version="1")` says what a function is called; the function itself stays as it is.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from mace.core.errors import Conflict, InvalidInput, MaceError

F = TypeVar("F", bound=Callable[..., Any])

NAME = re.compile(r"[a-z][a-z0-9_-]{0,47}")
VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,47}")
CALL_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.:/-]{0,63}")
TAKEN = frozenset({"ask", "run"})  # programs of MACE's own
MAX_REQUEST_BYTES = 1 << 20
MAX_RESULT_BYTES = 4 << 20

CallError = Literal[
    "raised", "timed_out", "not_json", "too_large", "cancelled", "unknown_result", "refused", "foreign_handle"
]
_MARK = "__mace_program__"

_SAYS: dict[str, str] = {
    "raised": "it raised {exception}",
    "timed_out": "it took too long",
    "not_json": "what it was given or returned is not JSON",
    "too_large": "what it was given or returned is too large",
    "cancelled": "the job was cancelled meanwhile",
    "unknown_result": "it was started before a crash, and nobody knows what it came to",
    "refused": "it was refused",
    "foreign_handle": "this job cannot be used here: {reason}",
}


@dataclass(frozen=True, slots=True)
class ProgramInfo:
    """What a function is called on the record."""

    name: str
    version: str


@dataclass(frozen=True, slots=True)
class Registered:
    """A program that can be performed, taken up again and replayed."""

    name: str
    version: str
    function: Callable[..., Any]


class CallFailed(MaceError):
    """A call of a program failed. A program may catch it; a replay raises it again in the same place."""

    code = "AGENT_ERROR"

    def __init__(
        self, kind: CallError, name: str, number: int, *, exception: str | None = None, reason: str | None = None
    ) -> None:
        details = {"exception": exception or "an exception", "reason": reason or "it is busy or over"}
        says = _SAYS[kind].format_map(details)
        super().__init__(f"call {name} ({number}) failed: {says}")
        self.details = {"agent_id": f"call:{name}", "exception": exception or kind}
        self.kind: CallError = kind
        self.name = name
        self.number = number
        self.exception = exception  # the type of what was raised
        self.reason = reason  # its text, without personal data


def program(name: str, version: str = "1") -> Callable[[F], F]:
    """Say what a function is called as a program: `def support(job, input): ...`, plain or async.

    Change `version` whenever the function decides otherwise than before: what was recorded with the old one is replayed
    and taken up again by the old one, if it is registered too.
    """
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise InvalidInput("name must be 1 to 48 characters of a-z, 0-9, _ and -, beginning with a letter")
    if name in TAKEN:
        raise InvalidInput(f"name must not be {name}: that is a program of MACE's own")
    if not isinstance(version, str) or not VERSION.fullmatch(version):
        raise InvalidInput("version must be 1 to 48 characters of letters, digits, ., _, + and -")

    def mark(function: F) -> F:
        if not callable(function):
            raise InvalidInput(f"@mace.program must stand above a function, got {type(function).__name__}")
        setattr(function, _MARK, ProgramInfo(name, version))
        return function

    return mark


def registered(function: Any) -> Registered:
    """The program that a marked function is; `InvalidInput` for any other."""
    info = getattr(function, _MARK, None)
    if not isinstance(info, ProgramInfo) or not callable(function):
        raise InvalidInput(
            f"program must be a function with @mace.program(name, version) above it, got {type(function).__name__}"
        )
    return Registered(info.name, info.version, function)


def check_programs(functions: Iterable[Any]) -> None:
    """Refuse what is no program, and two functions of one name and version."""
    known: dict[tuple[str, str], Any] = {}
    for function in functions:
        found = registered(function)
        if known.setdefault((found.name, found.version), function) is not function:
            raise Conflict(f"program {found.name} version {found.version} is given twice, with two functions")


def check_call_name(name: object) -> str:
    """Return the name of a call or of a branch, which stands in plain on the ledger."""
    if not isinstance(name, str) or not CALL_NAME.fullmatch(name):
        raise InvalidInput(
            "the name of a call or branch must be 1 to 64 letters, digits and . : / _ -, beginning with a letter: "
            "it stands unencrypted on the ledger"
        )
    return name
