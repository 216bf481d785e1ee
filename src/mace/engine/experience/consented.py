"""Words of experience that a consent let in: served while it holds, and blank as after an erasure when it has ended.

The event of a Megram names its consent; of older ones the `PII_CONSENT` before it in its stream does. Rules are made
without personal data, so that nothing of them ends.
"""

from collections.abc import Callable
from typing import Any

from mace.engine.experience.contents import Contents
from mace.engine.kernel.bound import Bound
from mace.engine.kernel.gate import Gate
from mace.engine.kernel.let_in import LetIn, told_by, used_by
from mace.memory.experience.megrams import EPISODE
from mace.storage.experience_ports import MegramRow
from mace.storage.ports import Tx

KEY = "experience"  # what a use of a consent, a refusal and a failure are about; a tag may not be fit to be named
_MAX_KNOWN = 10_000


class Consented:
    """Opens the words of Megrams as far as they may be served."""

    def __init__(self, contents: Contents, bound: Callable[[], Bound], gate: Callable[[], Gate]) -> None:
        self._contents = contents
        self._bound = bound
        self._gate = gate
        self._known: dict[str, LetIn | None] = {}  # by Megram: never changes

    def open(self, tx: Tx, row: MegramRow) -> str | None:
        """The words, or None after an erasure or where only an ended consent covers them."""
        words = self._contents.open(tx, row)
        return words if words is None or row.level != EPISODE or self._is_served(tx, row) else None

    def _is_served(self, tx: Tx, row: MegramRow) -> bool:
        for person in self._contents.persons(tx, row):
            let_in = self._let_in(tx, row, person)
            if let_in is not None and not self._gate().stands(tx, person, let_in).served:
                return False
        return True

    def _let_in(self, tx: Tx, row: MegramRow, person: str) -> LetIn | None:
        if row.megram_id in self._known:
            return self._known[row.megram_id]
        if len(self._known) >= _MAX_KNOWN:
            self._known.clear()
        asked = tx.events.is_spoken_of(f"consents/{person}")  # else nobody ever asked this person
        found = self._known[row.megram_id] = self._look(tx, row) if asked else None
        return found

    def _look(self, tx: Tx, row: MegramRow) -> LetIn | None:
        for event in tx.events.scan(row.place, 1):
            said = self._bound().said(tx, event)
            if said is None or not _is_of(row, said["payload"]):
                return None
            told = told_by(said["payload"])
            return told or self._before(tx, row, event.stream)
        return None

    def _before(self, tx: Tx, row: MegramRow, stream: str) -> LetIn | None:
        used: dict[str, Any] | None = None
        for event in tx.events.of_stream(stream):
            if event.event_type not in ("PII_CONSENT", "MEGRAM_WRITTEN"):
                continue
            said = self._bound().said(tx, event)
            payload = {} if said is None else said["payload"]
            if event.event_type == "MEGRAM_WRITTEN":
                if _is_of(row, payload):
                    return used_by(used)
                used = None
            elif payload.get("key") == KEY and payload.get("action") == "used":
                used = payload
        return None


def _is_of(row: MegramRow, payload: dict[str, Any]) -> bool:
    return bool(payload.get("megram", {}).get("id") == row.megram_id)
