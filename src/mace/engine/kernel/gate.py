"""What a write must pass before it is stored: the port between facts and governance.

Facts ask, governance answers. Without governance the gate is closed: flagged data does not pass.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, Protocol

from mace.core.errors import MaceError
from mace.engine.kernel.journal import Journal
from mace.engine.kernel.let_in import LetIn
from mace.engine.kernel.privacy import Flag
from mace.storage.ports import Tx


class Blocked(MaceError):
    """Personal data that may not be stored: nothing was, and the flags go onto the record."""

    code = "PRIVACY_BLOCKED"


class PromotionNeeded(Blocked):
    """High sensitivity with consent: an approval is missing. `value_hash` is what it would be about."""

    value_hash: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FlaggedWrite:
    """A write of flagged data: whose it is (None: nobody's, or not sealed under a person's key), where it goes.

    `content` is what would be stored, in canonical form: an approval is about one value.
    """

    key: str
    person: str | None
    flags: tuple[Flag, ...]
    consent_id: str | None
    content: bytes = b""


@dataclass(frozen=True, slots=True)
class Stands:
    """Whether what a consent let in may still be served, and until when if time alone ends that."""

    served: bool
    until: datetime | None = None

    ALWAYS: ClassVar["Stands"]


Stands.ALWAYS = Stands(served=True)


class Gate(Protocol):
    """Port: decides which flagged writes may be stored."""

    def admit(self, tx: Tx, journal: Journal, wanted: FlaggedWrite) -> LetIn:
        """Raise `Blocked`, or record the consent that covers the write and return it."""

    def stands(self, tx: Tx, person: str, let_in: LetIn) -> Stands:
        """Return whether what was let in may still be served: not when only an ended consent covers it."""

    def stays(self, tx: Tx, journal: Journal, wanted: FlaggedWrite) -> frozenset[str]:
        """The types of data that consent lets stay where the rest is redacted; that it does is recorded."""

    def let_stay(self, tx: Tx, journal: Journal, wanted: FlaggedWrite) -> LetIn | None:
        """The same, with the consent that does: for what is not served any more once that consent ended."""

    def ask_approval(self, tx: Tx, journal: Journal, error: PromotionNeeded) -> dict[str, Any]:
        """Open the approval request that a write of sensitive data needs."""

    def may_write(self, tx: Tx, source: str) -> bool:
        """Return whether a source may write; a module that broke the policy may not."""

    def forbidden(self, source: str, action: str) -> None:
        """Report a module that tried what no module may do."""


def blocked(wanted: FlaggedWrite, kind: type[Blocked] = Blocked, **details: Any) -> Blocked:
    """The refusal of a write, with what is recorded of it."""
    worst = next((flag for flag in wanted.flags if flag.sensitivity == "high"), wanted.flags[0])
    error = kind(pii_type=worst.pii_type, key=wanted.key, **details)
    error.details["flags"] = [flag.payload() for flag in wanted.flags]
    return error


class ClosedGate:
    """Nothing that was flagged passes."""

    def admit(self, tx: Tx, journal: Journal, wanted: FlaggedWrite) -> LetIn:
        """Refuse the write."""
        raise blocked(wanted)

    def stands(self, tx: Tx, person: str, let_in: LetIn) -> Stands:
        """Nobody can say that a consent still holds."""
        return Stands(served=False)

    def stays(self, tx: Tx, journal: Journal, wanted: FlaggedWrite) -> frozenset[str]:
        """Let nothing stay."""
        return frozenset()

    def let_stay(self, tx: Tx, journal: Journal, wanted: FlaggedWrite) -> LetIn | None:
        """Let nothing stay."""
        return None

    def ask_approval(self, tx: Tx, journal: Journal, error: PromotionNeeded) -> dict[str, Any]:
        """Refuse: no approvals are available."""
        raise error

    def may_write(self, tx: Tx, source: str) -> bool:
        """Return True: no module is blocked."""
        return True

    def forbidden(self, source: str, action: str) -> None:
        """Nobody to tell."""
