"""Failures of verbs: each becomes its envelope, its event and its mitigation, also while the store is down.

A failed write is tried once more after the delay its seed gives, each attempt an event. What cannot be put on the
ledger goes to the spill file. Whether an admin must hear of it is decided by `agents.alerts`.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from mace.agents import alerts
from mace.core import canon, seeds
from mace.core.errors import FAILURES, MaceError, ServiceUnavailable, StorageFull
from mace.core.times import to_ms
from mace.engine.journal import VerbJournal
from mace.engine.recorder import Recorder
from mace.engine.spilling import Spilling
from mace.engine.world import World
from mace.storage.ports import Exists, Tx

T = TypeVar("T")

_ALERTS = "alerts"


class Failures:
    def __init__(self, world: World, recorder: Recorder, spilling: Spilling) -> None:
        self._world = world
        self._recorder = recorder
        self._spilling = spilling
        held = world.store.read(lambda tx: tx.notes.get(_ALERTS))
        self._alerts = alerts.AlertState() if held is None else alerts.AlertState.from_json(canon.loads(held))

    def write(self, verb: str, unit: Callable[[Tx], T]) -> T:
        return self._spilling.write(verb, unit)

    def refuse(self, journal: VerbJournal, error: MaceError, extra: dict[str, Any]) -> dict[str, Any]:
        """Put a refusal on the ledger and return it as an answer; the raw input is nowhere in it."""
        code = error.code
        flags = error.details.pop("flags", [])
        details = {**extra, **error.details}

        def unit(tx: Tx) -> None:
            for flag in flags:
                journal.event(tx, "PII_FLAGGED", flag)
            journal.event(tx, code, {"code": code, **_small(details)})

        self.note(journal, code, unit)
        return self.answer(journal, code, details)

    def answer(self, journal: VerbJournal, code: str, details: dict[str, Any]) -> dict[str, Any]:
        told = journal.envelope(code, {name: value for name, value in details.items() if name != "applied"})
        return {
            "success": False,
            "applied": False,
            "error_code": code,
            "user_message": told["user_message"],
            "error": told,
        }

    def put_answer(
        self,
        journal: VerbJournal,
        key: str,
        unit: Callable[[Tx], dict[str, Any]],
        queue: Callable[[], dict[str, Any]] | None = None,
    ) -> dict[str, Any]:
        """Run a write; answer its refusal, or its failure after one more try."""
        for attempt in (1, 2):
            try:
                answer = self._world.store.write(unit)
                if self._alerts.in_a_row:
                    self._alerts = alerts.wrote(self._alerts)
                return answer
            except StorageFull as error:
                self.note(journal, "STORAGE_FULL", None, key=key, reason=str(error))
                return self.answer(journal, "STORAGE_FULL", {"key": key, "reason": str(error)})
            except ServiceUnavailable as error:
                reason = str(error)
                self.note(journal, "SERVICE_UNAVAILABLE", None, key=key, reason=reason)
                if attempt == 1:
                    delay = seeds.seeded_delay_ms(journal.job_seed)
                    self._world.clock.pause_ms(delay)
                    self.note(journal, "RETRY_ATTEMPT", None, key=key, attempt_index=1, delay_ms=delay)
                    continue
                self.note(journal, "MEMORY_WRITE_FAIL", None, key=key, reason=reason)
                if queue is not None:
                    self._spilling.keep("WRITE_QUEUED", {"key": key, **queue()}, journal.job_seed)
                self._alert(journal, "SEM_WRITE_FAIL", key)
                return self.answer(journal, "SEM_WRITE_FAIL", {"key": key, "reason": reason})
            except Exists:
                continue  # another process opened the same stream or key at the same moment: look again
            except MaceError as error:
                return self.refuse(journal, error, {"key": key})
        return self.answer(journal, "CONFLICT", {"key": key, "reason": "another write came first, twice"})

    def note(self, journal: VerbJournal, event_type: str, unit: Callable[[Tx], None] | None, **payload: Any) -> None:
        """Record an event in the verb's stream; if the store cannot take it, in the spill file."""
        if unit is None:

            def unit(tx: Tx) -> None:
                journal.event(tx, event_type, payload)

        try:
            self._world.store.write(unit)
        except (StorageFull, ServiceUnavailable):
            self._spilling.keep(event_type, payload, journal.job_seed)
            return
        if event_type in FAILURES:
            self._alert(journal, event_type, str(payload.get("key", "")))

    def _alert(self, journal: VerbJournal, code: str, subject: str) -> None:
        occurrence = alerts.Occurrence(
            code=code,
            severity=FAILURES[code].severity.value,
            subject=subject,
            at_ms=to_ms(self._world.clock.now()),
        )
        self._alerts, alert = alerts.decide(self._alerts, occurrence)
        state = canon.dumps(self._alerts.to_json()).decode()

        def unit(tx: Tx) -> None:
            tx.notes.put(_ALERTS, state)
            if alert is not None:
                self._recorder.append(tx, self._recorder.system(tx), "ADMIN_ALERT", alert.to_json())

        try:
            self._world.store.write(unit)
        except (StorageFull, ServiceUnavailable):
            if alert is not None:
                self._spilling.keep("ADMIN_ALERT", alert.to_json(), None)

    def occurred(self, tx: Tx, code: str, subject: str) -> None:
        """The same inside a unit that is being written."""
        occurrence = alerts.Occurrence(
            code=code,
            severity=FAILURES[code].severity.value,
            subject=subject,
            at_ms=to_ms(self._world.clock.now()),
        )
        self._alerts, alert = alerts.decide(self._alerts, occurrence)
        tx.notes.put(_ALERTS, canon.dumps(self._alerts.to_json()).decode())
        if alert is not None:
            self._recorder.append(tx, self._recorder.system(tx), "ADMIN_ALERT", alert.to_json())


def _small(details: dict[str, Any]) -> dict[str, Any]:
    """Only what a refusal may say on the ledger."""
    return {name: value for name, value in details.items() if isinstance(value, str | int | float | bool)}
