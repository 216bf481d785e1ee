"""What a write must pass before it is stored: the port between facts and governance.

Facts ask, governance answers. Without governance the gate is closed: flagged data does not pass.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from mace.core.errors import MaceError
from mace.engine.kernel.journal import Journal
from mace.engine.kernel.privacy import Flag
from mace.storage.ports import Tx


class Blocked(MaceError):
    """Personal data that may not be stored: nothing was, and the flags go onto the record."""

    code = "PRIVACY_BLOCKED"


class PromotionNeeded(Blocked):
    """High sensitivity with consent: an approval is missing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FlaggedWrite:
    """A write of flagged data: whose it is (None: nobody's, or not sealed under a person's key), where it goes."""

    key: str
    person: str | None
    flags: tuple[Flag, ...]
    consent_id: str | None


class Gate(Protocol):
    def admit(
        self, tx: Tx, journal: Journal, wanted: FlaggedWrite
    ) -> None: ...  # raise `Blocked`, or record the consent
    def ask_approval(self, tx: Tx, journal: Journal, error: PromotionNeeded) -> dict[str, Any]: ...
    def may_write(self, tx: Tx, source: str) -> bool: ...  # a module that broke the policy may not
    def forbidden(self, source: str, action: str) -> None: ...  # a module tried what no module may


def blocked(wanted: FlaggedWrite, kind: type[Blocked] = Blocked, **details: Any) -> Blocked:
    """The refusal of a write, with what is recorded of it."""
    worst = next((flag for flag in wanted.flags if flag.sensitivity == "high"), wanted.flags[0])
    error = kind(pii_type=worst.pii_type, key=wanted.key, **details)
    error.details["flags"] = [flag.payload() for flag in wanted.flags]
    return error


class ClosedGate:
    """Nothing that was flagged passes."""

    def admit(self, tx: Tx, journal: Journal, wanted: FlaggedWrite) -> None:
        raise blocked(wanted)

    def ask_approval(self, tx: Tx, journal: Journal, error: PromotionNeeded) -> dict[str, Any]:
        raise error

    def may_write(self, tx: Tx, source: str) -> bool:
        return True

    def forbidden(self, source: str, action: str) -> None:
        """Nobody to tell."""


class LazyGate:
    """A gate that is built when something is to pass: a write without personal data needs none of it."""

    def __init__(self, make: Callable[[], Gate]) -> None:
        self._make = make

    def admit(self, tx: Tx, journal: Journal, wanted: FlaggedWrite) -> None:
        self._make().admit(tx, journal, wanted)

    def ask_approval(self, tx: Tx, journal: Journal, error: PromotionNeeded) -> dict[str, Any]:
        return self._make().ask_approval(tx, journal, error)

    def may_write(self, tx: Tx, source: str) -> bool:
        return not source.startswith("agent:") or self._make().may_write(tx, source)

    def forbidden(self, source: str, action: str) -> None:
        if isinstance(source, str) and source.startswith("agent:"):
            self._make().forbidden(source, action)
