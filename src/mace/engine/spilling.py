"""What happens when the database cannot take a write: the failure itself is kept, and told.

The failure goes to the signed spill file and into the ledger once the database is back. Nothing is reported as saved.
"""

from collections.abc import Callable
from typing import TypeVar

from mace.core.errors import MaceError, ServiceUnavailable, StorageFull
from mace.core.times import iso_us
from mace.engine.recorder import Recorder
from mace.engine.world import World
from mace.ledger import records
from mace.storage.ports import Tx

T = TypeVar("T")


class Spilling:
    def __init__(self, world: World, recorder: Recorder) -> None:
        self._world = world
        self._recorder = recorder
        self._waiting = bool(world.spill.entries())

    def write(self, verb: str, unit: Callable[[Tx], T]) -> T:
        """Run a unit; if the store fails, keep that fact and raise what the caller must hear."""
        try:
            if self._waiting:
                self.merge()
            return self._world.store.write(unit)
        except (StorageFull, ServiceUnavailable) as error:
            self.spill(verb, error)
            raise

    def spill(self, verb: str, error: MaceError) -> None:
        entry = {
            "spill_id": self._world.entropy.token(16).hex(),
            "event_type": "STORAGE_FULL" if isinstance(error, StorageFull) else "SERVICE_UNAVAILABLE",
            "verb": verb,
            "reason": str(error),
            "at": iso_us(self._world.clock.now()),
        }
        try:
            self._world.spill.add(entry)
        except (MaceError, OSError):
            error.details["spilled"] = False  # the caller still hears of the failure itself
            return
        error.details["spilled"] = True
        self._waiting = True

    def merge(self) -> int:
        """Bring what waited into the ledger, once; return how many entries there were."""
        entries = self._world.spill.entries()
        if not entries:
            self._waiting = False
            return 0

        def unit(tx: Tx) -> None:
            origin = self._recorder.system(tx)
            for entry in entries:
                if tx.records.get("spilled", entry["spill_id"]) is None:
                    tx.records.add(records.make("spilled", entry["spill_id"], entry, self._world.keys.sign))
                    payload = {name: value for name, value in entry.items() if name != "event_type"}
                    self._recorder.append(tx, origin, entry["event_type"], payload)
            self._recorder.append(tx, origin, "SPILL_MERGED", {"entries": len(entries)})

        self._world.store.write(unit)
        self._world.spill.clear(len(entries))
        self._waiting = False
        return len(entries)
