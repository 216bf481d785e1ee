"""Old bytes of erased keys: wiped from free pages and logs of the store, tried again until that is done.

A reader keeps SQLite from emptying its write-ahead log, and then old versions of pages lie there, with wrapped keys
that the master key opens. The erasure stands either way; the request is `clearing` until the bytes are gone, which is
on the ledger (`ERASURE_CLEARED`). It is tried with the deciding vote, after the next commits, by every sweep, at close
and at the next opening.
"""

from mace.core import canon
from mace.core.errors import MaceError
from mace.engine.kernel.bound import Bound
from mace.engine.kernel.journal import SystemJournal
from mace.engine.kernel.recorder import Recorder
from mace.engine.kernel.world import World
from mace.storage.ports import Tx

_OWED = "erasures_to_clear"
_PATIENCE_MS = 200  # for others who read or write just now, with the deciding vote


class Clearing:
    """Wipes what erasures left in the files of the store."""

    def __init__(self, world: World, recorder: Recorder, bound: Bound) -> None:
        self._world = world
        self._recorder = recorder
        self._bound = bound
        self._told = False  # the admins, that it could not be done yet

    def owe(self, tx: Tx, dsr_id: str) -> None:
        """Remember, in the unit of an erasure, that its old bytes are still to be wiped."""
        tx.lock(_OWED)
        tx.notes.put(_OWED, canon.dumps(sorted({*self._owed(tx), dsr_id})).decode())

    def is_pending(self, tx: Tx, dsr_id: str) -> bool:
        """Say whether old bytes of an erasure may still lie somewhere; the ledger says when they went."""
        return dsr_id in self._owed(tx) or self._bound.newest(tx, f"cleared/{dsr_id}") is None

    def clear(self) -> bool:
        """Wipe what is owed, if there is anything; say whether nothing is owed any more."""
        owed = self._world.store.read(self._owed)
        if not owed:
            return True
        try:
            self._world.store.scrub(_PATIENCE_MS)
        except MaceError as error:  # what was erased stays erased; that old bytes may be left must be known
            self._world.store.once_committed(self._again)
            self._alert(error.code)
            return False
        self._done(owed)
        return True

    def _again(self) -> None:
        """After a commit: without waiting for anybody."""
        owed = self._world.store.read(self._owed)
        if not owed:
            return
        try:
            self._world.store.scrub(0)
        except MaceError:
            self._world.store.once_committed(self._again)
            return
        self._done(owed)

    def _done(self, owed: list[str]) -> None:
        def unit(tx: Tx) -> None:
            tx.lock(_OWED)
            left = self._owed(tx)
            journal = SystemJournal(self._recorder)
            for dsr_id in owed:
                if dsr_id in left:  # else another process was here first
                    journal.event(tx, "ERASURE_CLEARED", {"dsr_id": dsr_id})
            tx.notes.put(_OWED, canon.dumps([item for item in left if item not in owed]).decode())

        self._told = False
        self._world.store.write(unit)

    def _alert(self, code: str) -> None:
        if self._told:
            return
        self._told = True
        alert = {
            "about": "ERASURE",
            "reason": f"old bytes of erased keys were not wiped yet, it is tried again: {code}",
        }
        self._world.store.write(lambda tx: SystemJournal(self._recorder).event(tx, "ADMIN_ALERT", alert))

    @staticmethod
    def _owed(tx: Tx) -> list[str]:
        try:
            held = canon.loads(tx.notes.get(_OWED) or "[]")
        except ValueError:
            return []
        return [item for item in held if isinstance(item, str)] if isinstance(held, list) else []
