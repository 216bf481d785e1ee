"""Is the shelf of checkpoints the one that this log had? Pure: what is known of both goes in, a word comes out.

A shelf is remembered from its first note on. A new place counts when the old one can still be read: then the log is
held to the notes of both, and goes on in the new one. Otherwise nobody can say what the old one knew, and `verify` says
so: a log whose tail was cut looks whole beside an empty shelf.
"""

from typing import Any

from mace.core.answers.choices import ShelfState
from mace.ledger.findings import Finding

LOST: tuple[ShelfState, ...] = ("empty", "moved")


def judge(*, place: str, was_in: str | None, has_notes: bool, former_has_notes: bool) -> ShelfState:
    """Return what became of the shelf: `place` is where it is, `was_in` where notes were kept last."""
    if was_in is None:
        return "new"
    if was_in == place:
        return "here" if has_notes else "empty"
    return "followed" if former_has_notes else "moved"


def finding(state: ShelfState, *, place: str, was_in: str | None, newest: str) -> Finding | None:
    """What verification says of it; `newest` names the newest checkpoint that the database knows of.

    That name is part of the finding's id: an admin's word about one loss does not cover the next one.
    """
    if state not in LOST:
        return None
    detail = {
        "empty": f"no checkpoint is left in {place}, where some were kept",
        "moved": f"checkpoints were kept in {was_in}, which cannot be read now; {place} is another place",
    }[state]
    evidence: dict[str, Any] = {"newest": newest, "place": place, "was_in": was_in}
    return Finding("SHELF_MOVED", {"table": "checkpoints", "place": place, "was_in": was_in}, detail, evidence)
