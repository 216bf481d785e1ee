"""Where a verb writes its events: a stream of its own, the stream of the system, or the tape of a running job."""

from typing import Any, Protocol

from mace.core import seeds
from mace.core.errors import Conflict, envelope
from mace.core.events import Origin
from mace.core.times import iso_ms
from mace.engine.kernel.recorder import Recorder
from mace.engine.kernel.tape import LiveTape
from mace.ledger.jobs import OPEN
from mace.storage.ports import Tx


class Journal(Protocol):
    """Port: where a verb writes its events."""

    @property
    def job_seed(self) -> str:
        """The seed of the job."""

    @property
    def stream(self) -> str:
        """The stream that events go to."""

    def event(self, tx: Tx, event_type: str, payload: dict[str, Any], signed_by: str = "system") -> None:
        """Append an event."""


class VerbJournal:
    """The stream of a verb: opened by the first event, joined if the seed is known. Without a seed one is drawn."""

    def __init__(self, recorder: Recorder, verb: str, job_seed: str | None = None) -> None:
        self._recorder = recorder
        self._verb = verb
        self._drawn = job_seed is None  # then nobody else can know it, and nothing of it needs to be looked up
        self.job_seed = recorder.fresh_seed() if job_seed is None else job_seed
        self.stream = seeds.job_id(self.job_seed)
        self._origin: Origin | None = None
        self._person: str | None = None

    def opened_for(self, person: str | None) -> None:
        """Note whose the stream is, if this verb opens it: its first event will say so."""
        self._person = person

    def origin(self, tx: Tx) -> Origin:
        """Open the verb's stream, or join the stream of a closed job."""
        # A unit may be rolled back and run again: what it opened counts only if its first event is still there.
        if self._origin is None or tx.events.head(self.stream) is None:
            self._origin = self._opened(tx)
        return self._origin

    def _opened(self, tx: Tx) -> Origin:
        opened_by = {"verb": self._verb} if self._person is None else {"verb": self._verb, "person": self._person}
        if self._drawn:
            return self._recorder.start(tx, self.stream, self.job_seed, opened_by)
        jobs = self._recorder.jobs
        told = jobs.told(tx, self.stream)
        if told is not None and told.root:
            raise Conflict("job_seed is that of a branch of a job; use the job's own or a new one")
        if told is not None and jobs.status(tx, told) in OPEN:
            raise Conflict("the job is still running; retry when it has closed")
        if jobs.is_erased(tx, self.stream):
            raise Conflict("the job of this job_seed was erased; use a new job_seed")
        return self._recorder.open(tx, self.job_seed, opened_by)

    def join_for(self, tx: Tx, person: str | None) -> None:
        """Refuse to bring a person's words into the job of somebody else, or of nobody."""
        if self._drawn or person is None:
            return
        if self._recorder.jobs.speaks(tx, self.stream) not in (None, person):
            raise Conflict("job_seed belongs to somebody else's job; use a new job_seed")

    def look_again(self) -> None:
        """Something of this stream was there already: from now on everything is looked up."""
        self._drawn = False

    def apart(self) -> "VerbJournal":
        """A stream for what may not be written into this one."""
        return VerbJournal(self._recorder, self._verb)

    def event(self, tx: Tx, event_type: str, payload: dict[str, Any], signed_by: str = "system") -> None:
        """Append an event to the verb's stream."""
        self._recorder.append(tx, self.origin(tx), event_type, payload, signed_by)

    def envelope(self, code: str, details: dict[str, Any]) -> dict[str, Any]:
        """Return the failure envelope for a code."""
        return envelope(
            code,
            query_id=self.stream,
            trace_id=seeds.trace_id(self.job_seed),
            timestamp=iso_ms(self._recorder.now_ms()),
            details=details,
        )


class SystemJournal:
    """Where events go that no caller's job caused."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self.job_seed = ""
        self.stream = "system"

    def event(self, tx: Tx, event_type: str, payload: dict[str, Any], signed_by: str = "system") -> None:
        self._recorder.append(tx, self._recorder.system(tx), event_type, payload, signed_by)


class TapeJournal:
    """Events of a write effect go onto the tape of its job."""

    def __init__(self, tape: LiveTape) -> None:
        self._tape = tape
        self.job_seed = tape.job_seed
        self.stream = tape.stream

    def event(self, tx: Tx, event_type: str, payload: dict[str, Any], signed_by: str = "system") -> None:
        self._tape.event(event_type, payload, signed_by)
