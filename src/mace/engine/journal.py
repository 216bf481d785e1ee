"""Where a verb writes its events: a stream of its own, or the tape of a running job."""

from typing import Any, Protocol

from mace.core import seeds
from mace.core.errors import Conflict, envelope
from mace.core.events import Origin
from mace.core.times import iso_ms
from mace.engine.recorder import Recorder
from mace.storage.ports import Tx


class Journal(Protocol):
    @property
    def job_seed(self) -> str: ...
    @property
    def stream(self) -> str: ...
    def event(self, tx: Tx, event_type: str, payload: dict[str, Any], signed_by: str = "system") -> None: ...


class VerbJournal:
    """The stream of a verb: opened by the first event, joined if the seed is known."""

    def __init__(self, recorder: Recorder, verb: str, job_seed: str) -> None:
        self._recorder = recorder
        self._verb = verb
        self.job_seed = job_seed
        self.stream = seeds.job_id(job_seed)
        self._held: tuple[Tx, Origin] | None = None  # per transaction: a unit may run again

    def origin(self, tx: Tx) -> Origin:
        if self._held is not None and self._held[0] is tx:
            return self._held[1]
        job = tx.jobs.get(self.stream)
        if job is not None and job.status == "running":
            raise Conflict("this job is running; nothing can join it before it is closed")
        origin = self._recorder.open(tx, self.job_seed, {"verb": self._verb})
        self._held = (tx, origin)
        return origin

    def event(self, tx: Tx, event_type: str, payload: dict[str, Any], signed_by: str = "system") -> None:
        self._recorder.append(tx, self.origin(tx), event_type, payload, signed_by)

    def envelope(self, code: str, details: dict[str, Any]) -> dict[str, Any]:
        return envelope(
            code,
            query_id=self.stream,
            trace_id=seeds.trace_id(self.job_seed),
            timestamp=iso_ms(self._recorder.now_ms()),
            details=details,
        )
