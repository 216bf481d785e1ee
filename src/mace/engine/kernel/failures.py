"""Failures of verbs: each becomes its envelope, its event and its mitigation, also while the store is down.

A failed write is tried once more after the delay its seed gives, each attempt an event. What cannot be put on the
ledger goes to the spill file. Whether an admin must hear of it is decided by `agents.alerts`. A store that did not take
one event is not asked to take the next of the same verb: waiting for it again would only make the caller wait longer.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

from mace.agents import alerts
from mace.core import canon
from mace.core.errors import FAILURES, Closed, Conflict, IntegrityFailure, MaceError, ServiceUnavailable, StorageFull
from mace.core.texts import is_storable
from mace.core.times import to_ms
from mace.engine.kernel import retry
from mace.engine.kernel.cleaning import CUT, is_personal
from mace.engine.kernel.journal import VerbJournal
from mace.engine.kernel.recorder import Recorder
from mace.engine.kernel.spilling import Spilling
from mace.engine.kernel.world import World
from mace.storage.ports import Exists, Tx

T = TypeVar("T")
Entry = tuple[str, dict[str, Any]]  # an event's type and payload

_ALERTS = "alerts"
_MAX_SAID = 2000  # characters of a detail
_MAX_RACES = 8  # of one write with others for a place that each of them saw free


class Failures:
    """Turns failures of verbs into envelopes and events, also while the store is down."""

    def __init__(self, world: World, recorder: Recorder, spilling: Spilling) -> None:
        self._world = world
        self._recorder = recorder
        self._spilling = spilling
        self._spilled = False
        self._alerts = alerts.AlertState()  # as last seen; the store's word counts while it is up
        with suppress(StorageFull, ServiceUnavailable, IntegrityFailure):
            self._alerts = world.store.read(self._held_alerts)

    def write(self, verb: str, unit: Callable[[Tx], T]) -> T:
        """Run a unit of work; if the store fails, keep a record of the failure."""
        return self._spilling.write(verb, unit)

    def refuse(self, journal: VerbJournal, error: MaceError, extra: dict[str, Any]) -> dict[str, Any]:
        """Put a refusal on the ledger and return it as an answer; the raw input is nowhere in it."""
        code = error.code
        flags = error.details.pop("flags", [])
        details = {name: _sayable(value) for name, value in {**extra, **error.details}.items()}
        entries: list[Entry] = [("PII_FLAGGED", flag) for flag in flags]
        entries.append((code, {"code": code, **_small(details)}))
        self._record(journal, entries, alert=code, subject=str(details.get("key", "")))
        return self.answer(journal, code, details)

    def answer(self, journal: VerbJournal, code: str, details: dict[str, Any]) -> dict[str, Any]:
        """Return the answer of a failed verb, with its envelope."""
        told = journal.envelope(code, {name: value for name, value in details.items() if name != "applied"})
        answer = {
            "success": False,
            "applied": False,
            "error_code": code,
            "user_message": told["user_message"],
            "error": told,
        }
        return {**answer, "queued": details["queued"]} if "queued" in details else answer

    def put_answer(
        self,
        journal: VerbJournal,
        key: str,
        unit: Callable[[Tx], dict[str, Any]],
        queue: Callable[[], dict[str, Any]] | None = None,
    ) -> dict[str, Any]:
        """Run a write; answer its refusal, or its failure after one more try."""
        races = 0
        attempt = 1
        stored = True
        while True:
            try:
                answer = self._world.store.write(unit)
            except Closed as error:  # nothing failed: it was closed, or opened for reading only
                return self.answer(journal, "SEM_WRITE_FAIL", {"key": key, "reason": str(error), "queued": False})
            except StorageFull as error:
                about = {"key": key, "reason": str(error)}
                self._record(journal, [("STORAGE_FULL", about)], alert="STORAGE_FULL", subject=key, stored=stored)
                return self.answer(journal, "STORAGE_FULL", {**about, "queued": False})
            except ServiceUnavailable as error:
                about = {"key": key, "reason": str(error)}
                code = "SERVICE_UNAVAILABLE"
                once_more = retry.decide(retry.Failure("write", code), attempt, journal.job_seed)
                if once_more is None:
                    self._record(journal, [("MEMORY_WRITE_FAIL", about)], "SEM_WRITE_FAIL", key, stored=stored)
                    queued = queue is not None and self._keep("WRITE_QUEUED", {"key": key, **queue()}, journal.job_seed)
                    return self.answer(journal, "SEM_WRITE_FAIL", {**about, "queued": queued})
                stored = self._record(journal, [(code, about)], alert=code, subject=key)
                self._world.clock.pause_ms(once_more.delay_ms)
                tried = {"key": key, "attempt_index": attempt, "delay_ms": once_more.delay_ms}
                stored = self._record(journal, [("RETRY_ATTEMPT", tried)], stored=stored)
                attempt += 1
            except Exists:  # another one opened the same stream or took the same place at the same moment: look again
                journal.look_again()
                races += 1
                if races == _MAX_RACES:
                    return self.answer(journal, "CONFLICT", {"key": key, "reason": "other writes came first"})
            except MaceError as error:
                return self.refuse(journal, error, {"key": key})
            else:
                self._worked()
                return answer

    def note(self, journal: VerbJournal, event_type: str, _: None = None, /, **payload: Any) -> None:
        """Record a failure in the verb's stream; if the store cannot take it, in the spill file."""
        alert = event_type if event_type in FAILURES else None
        self._record(journal, [(event_type, payload)], alert, str(payload.get("key", "")))

    def _record(
        self,
        journal: VerbJournal,
        entries: list[Entry],
        alert: str | None = None,
        subject: str = "",
        *,
        stored: bool = True,
    ) -> bool:
        """Record events in the verb's stream and count the failure; say whether the store took them.

        If it did not, or did not take the last ones, they go to the spill file. A job that is running takes nobody
        else's events: what it refuses goes into a stream of its own.
        """

        def unit(tx: Tx) -> None:
            for event_type, payload in entries:
                journal.event(tx, event_type, payload)
            if alert is not None:
                self.occurred(tx, alert, subject)

        for _ in range(_MAX_RACES if stored else 0):
            try:
                self._world.store.write(unit)
                return True
            except Exists:
                journal.look_again()
            except Conflict:
                journal = journal.apart()
            except (StorageFull, ServiceUnavailable, IntegrityFailure):
                break
        for event_type, payload in entries:
            self._keep(event_type, payload, journal.job_seed)
        if alert is not None:
            self._alerts, told = alerts.decide(self._alerts, self._occurrence(alert, subject))
            if told is not None:
                self._keep("ADMIN_ALERT", told.to_json(), None)
        return False

    def occurred(self, tx: Tx, code: str, subject: str) -> None:
        """Count a failure inside a unit, and alert an admin if it is time to."""
        occurrence = self._occurrence(code, subject)
        if occurrence.severity == "info":
            return
        tx.lock(_ALERTS)
        state, alert = alerts.decide(self._held_alerts(tx), occurrence)
        self._keep_alerts(tx, state)
        if alert is not None:
            self._recorder.append(tx, self._recorder.system(tx), "ADMIN_ALERT", alert.to_json())

    def _worked(self) -> None:
        """A write went through: failures before it do not count with later ones, and what was spilled can come in."""
        if self._alerts.in_a_row:

            def unit(tx: Tx) -> None:
                tx.lock(_ALERTS)
                self._keep_alerts(tx, alerts.wrote(self._held_alerts(tx)))

            with suppress(MaceError):  # the write itself stands
                self._world.store.write(unit)
        if self._spilled:
            with suppress(MaceError):
                self._spilling.merge()
                self._spilled = False

    def _keep(self, event_type: str, payload: dict[str, Any], job_seed: str | None) -> bool:
        """Keep an event in the spill file; say whether there was room for it."""
        kept = self._spilling.keep(event_type, payload, job_seed)
        self._spilled = kept or self._spilled
        return kept

    def _occurrence(self, code: str, subject: str) -> alerts.Occurrence:
        return alerts.Occurrence(
            code=code,
            severity=FAILURES[code].severity.value,
            subject=subject,
            at_ms=to_ms(self._world.clock.now()),
        )

    @staticmethod
    def _held_alerts(tx: Tx) -> alerts.AlertState:
        try:
            return alerts.AlertState.from_json(canon.loads(tx.notes.get(_ALERTS) or ""))
        except (AttributeError, LookupError, TypeError, ValueError):
            return alerts.AlertState()  # there is none yet, or somebody changed it: counting starts anew

    def _keep_alerts(self, tx: Tx, state: alerts.AlertState) -> None:
        self._alerts = state
        tx.notes.put(_ALERTS, canon.dumps(state.to_json()).decode())


def _sayable(value: Any) -> Any:
    """A detail of a refusal; a name that somebody gave may be anything, and is stored unencrypted on the ledger."""
    if not isinstance(value, str):
        return value
    fit = len(value) <= _MAX_SAID and is_storable(value)
    return value if fit and not is_personal(value) else CUT


def _small(details: dict[str, Any]) -> dict[str, Any]:
    """Only what a refusal may say on the ledger."""
    return {name: value for name, value in details.items() if isinstance(value, str | int | float | bool)}
