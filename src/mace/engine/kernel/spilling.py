"""What happens when the database cannot take a write: the failure itself is kept, and told.

The failure goes to the signed spill file and into the ledger once the database is back. Nothing is reported as saved.
An outage that lasts, or in which much fails, alerts the admins while it lasts: the alert waits with the failures, where
`doctor` sees it, and the incident is opened when the database can take it.
"""

import logging
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from typing import Any, TypeVar

from mace.core.errors import Closed, MaceError, ServiceUnavailable, StorageFull
from mace.core.times import iso_us, parse_instant
from mace.engine.kernel.bound import Bound
from mace.engine.kernel.recorder import Recorder
from mace.engine.kernel.world import World
from mace.governance import outages
from mace.governance.outages import Outage
from mace.ledger import records
from mace.storage.ports import Exists, Tx

T = TypeVar("T")
# Reports an outage that was over at an instant.
Report = Callable[[Tx, Outage, datetime], object]
_log = logging.getLogger("mace")
# Moves what an entry holds sealed to where it belongs, before the entry becomes a record.
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
        bound: Bound,
        take_in: TakeIn = lambda _tx, entry: entry,
        report: Callable[[], Report] = lambda: lambda _tx, _outage, _until: None,
    ) -> None:
        self._world = world
        self._recorder = recorder
        self._bound = bound
        waiting = world.spill.entries()
        self._waiting = bool(waiting)
        self._outage = outages.outage_in(waiting)
        self._told = outages.told_in(waiting)
        self._take_in = take_in
        self._report = report

    def write(self, verb: str, unit: Callable[[Tx], T], *, merge_first: bool = True) -> T:
        """Run a unit; if the store fails, keep that fact and raise what the caller must hear."""
        try:
            if self._waiting and merge_first:
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
        """Say whether it is kept; what is not kept is at least told to the log, without what it says."""
        try:
            self._world.spill.add(entry)
        except (MaceError, OSError) as error:
            why = error.strerror if isinstance(error, OSError) else str(error)
            _log.warning("%s could not be kept in the spill file: %s", entry["event_type"], why)
            return False
        self._waiting = True
        if entry["event_type"] == outages.DOWN:
            self._failed_again(entry["at"])
        return True

    def _failed_again(self, at: str) -> None:
        """Count a failure of the store, and alert the admins when the outage has become severe."""
        held = self._outage
        self._outage = Outage(since=parse_instant(at), failures=1) if held is None else held.failed_again()
        now = self._world.clock.now()
        alert = outages.alert(self._outage, self._told, now)
        if alert is not None:
            self._told = alert["severity"]
            self.keep("ADMIN_ALERT", alert, None)

    def merge(self) -> int:
        """Bring what waited into the ledger, once; return how many entries there were."""
        self._waiting = False  # first: what another thread adds from here on is for the next time
        entries = self._world.spill.entries()
        if not entries:
            return 0

        report = self._report()  # made before the unit: making it may read the store

        def unit(tx: Tx) -> None:
            tx.lock("spill")  # another process may be merging the same entries
            new = [entry for entry in entries if not self._bound.happened(tx, "spilled", entry["spill_id"])]
            if not new:
                return
            origin = self._recorder.system(tx)
            for spilled in new:
                entry = self._take_in(tx, spilled)
                if not self._bound.happened(tx, "spilled", entry["spill_id"]):
                    kind = entry["event_type"]
                    record = records.make("spilled", entry["spill_id"], entry, self._world.keys.sign, parent=kind)
                    self._bound.add(tx, record)
                    payload = {name: value for name, value in entry.items() if name not in ("event_type", "job_seed")}
                    payload["record"] = records.reference(record)
                    seed = entry.get("job_seed")
                    stream = self._recorder.open(tx, seed, {"verb": "merge"}) if seed else origin
                    self._recorder.append(tx, stream, entry["event_type"], payload)
            self._recorder.append(tx, origin, "SPILL_MERGED", {"entries": len(new)})
            outage = outages.outage_in(new)
            if outage is not None:
                report(tx, outage, self._world.clock.now())

        try:
            self._world.store.write(unit)
            self._world.spill.clear(entries)
            self._outage, self._told = None, outages.told_in(())
        except BaseException:
            self._waiting = True
            raise
        return len(entries)
