"""What happens when the database cannot take a write: the failure itself is kept, and told.

The failure goes to the signed spill file and into the ledger once the database is back. Nothing is reported as saved.
"""

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from typing import Any, TypeVar

from mace.core.errors import Closed, MaceError, ServiceUnavailable, StorageFull
from mace.core.times import iso_us, parse_instant
from mace.engine.kernel.recorder import Recorder
from mace.engine.kernel.world import World
from mace.ledger import records
from mace.storage.ports import Exists, Tx

T = TypeVar("T")
# Moves what an entry holds sealed to where it belongs, before the entry becomes a record.
# Reports that the store was down from one instant to another.
Outage = Callable[[Tx, datetime, datetime], object]
TakeIn = Callable[[Tx, dict[str, Any]], dict[str, Any]]


def again_if_taken(write: Callable[[], T], tries: int = 3) -> T:
    """Run a write again that met a row another node added at the same moment: now it sees that row."""
    for _ in range(tries - 1):
        with suppress(Exists):
            return write()
    return write()


class Spilling:
    """Keeps failures in the spill file while the database is down, and moves them to the ledger later."""

    def __init__(
        self,
        world: World,
        recorder: Recorder,
        take_in: TakeIn = lambda _tx, entry: entry,
        outage: Callable[[], Outage] = lambda: lambda _tx, _since, _until: None,
    ) -> None:
        self._world = world
        self._recorder = recorder
        self._waiting = bool(world.spill.entries())
        self._take_in = take_in
        self._outage = outage

    def write(self, verb: str, unit: Callable[[Tx], T]) -> T:
        """Run a unit; if the store fails, keep that fact and raise what the caller must hear."""
        try:
            if self._waiting:
                self.merge()
            return again_if_taken(lambda: self._world.store.write(unit))
        except Closed:
            raise  # nothing failed: it was closed, or opened for reading only
        except (StorageFull, ServiceUnavailable) as error:
            self.spill(verb, error)
            raise

    def spill(self, verb: str, error: MaceError) -> None:
        """Write a failure to the spill file."""
        entry = {
            "spill_id": self._world.entropy.token(16).hex(),
            "event_type": "STORAGE_FULL" if isinstance(error, StorageFull) else "SERVICE_UNAVAILABLE",
            "verb": verb,
            "reason": str(error),
            "at": iso_us(self._world.clock.now()),
        }
        error.details["spilled"] = self._add(entry)  # the caller hears of the failure itself either way

    def keep(self, event_type: str, payload: dict[str, Any], job_seed: str | None) -> bool:
        """Keep one event for later; without a seed it is the system's own."""
        return self._add(
            {
                "spill_id": self._world.entropy.token(16).hex(),
                **payload,
                "event_type": event_type,
                "job_seed": job_seed,
                "at": iso_us(self._world.clock.now()),
            }
        )

    def _add(self, entry: dict[str, Any]) -> bool:
        try:
            self._world.spill.add(entry)
        except (MaceError, OSError):
            return False
        self._waiting = True
        return True

    def merge(self) -> int:
        """Bring what waited into the ledger, once; return how many entries there were."""
        self._waiting = False  # first: what another thread adds from here on is for the next time
        entries = self._world.spill.entries()
        if not entries:
            return 0

        report = self._outage()  # made before the unit: making it may read the store

        def unit(tx: Tx) -> None:
            tx.lock("spill")  # another process may be merging the same entries
            new = [entry for entry in entries if tx.records.get("spilled", entry["spill_id"]) is None]
            if not new:
                return
            origin = self._recorder.system(tx)
            for spilled in new:
                entry = self._take_in(tx, spilled)
                if tx.records.get("spilled", entry["spill_id"]) is None:
                    kind = entry["event_type"]
                    record = records.make("spilled", entry["spill_id"], entry, self._world.keys.sign, parent=kind)
                    tx.records.add(record)
                    payload = {name: value for name, value in entry.items() if name not in ("event_type", "job_seed")}
                    payload["record"] = records.reference(record)
                    seed = entry.get("job_seed")
                    stream = self._recorder.open(tx, seed, {"verb": "merge"}) if seed else origin
                    self._recorder.append(tx, stream, entry["event_type"], payload)
            self._recorder.append(tx, origin, "SPILL_MERGED", {"entries": len(new)})
            failed = [entry["at"] for entry in new if entry["event_type"] == "SERVICE_UNAVAILABLE"]
            if failed:
                report(tx, parse_instant(min(failed)), self._world.clock.now())

        try:
            self._world.store.write(unit)
            self._world.spill.clear(entries)
        except BaseException:
            self._waiting = True
            raise
        return len(entries)
