"""The row of a job, as its events tell it.

Pure. A job begins with the `JOB_OPENED` of its stream, or with `JOB_BEGUN` in a stream that a verb of the same seed
opened before it; both name its kind and its person. It ends with `JOB_CLOSED` or `JOB_ABANDONED`. Older events name no
person: there a job is one that `ask` opened, or whose snapshot was taken. The table of jobs is an index of this and
decides nothing by itself.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mace.core import seeds
from mace.ledger.findings import Finding
from mace.storage.ports import JobRow

EVENT_TYPES = frozenset({"JOB_OPENED", "JOB_BEGUN", "SNAPSHOT_TAKEN", "JOB_CLOSED", "JOB_ABANDONED"})
_BEGINNINGS = frozenset({"JOB_OPENED", "JOB_BEGUN", "SNAPSHOT_TAKEN"})
# What is written beside such an event is sealed under the key of its stream's job.
_SEALS = frozenset({"SNAPSHOT_TAKEN", "REFLECTIVE_LOG_WRITTEN", "MEGRAM_WRITTEN"})


@dataclass(frozen=True, slots=True)
class JobTold:
    """A job as its events tell it; `person` is None where they were written before they named one."""

    stream: str
    kind: str
    status: str
    opened_at: str
    person: str | None
    log_id: str


class JobFold:
    """Reads the events of one stream in their order."""

    def __init__(self, stream: str) -> None:
        self.stream = stream
        self.seals = False  # something lies under the key of this stream's job
        self._seed = ""
        self._opened_at = ""
        self._kind: str | None = None
        self._person: str | None = None
        self._status = "running"

    def feed(self, event_type: str, said: Mapping[str, Any]) -> None:
        """Take in the next event, given its parsed body."""
        self.seals = self.seals or event_type in _SEALS
        if event_type not in EVENT_TYPES:
            return
        payload = said["payload"]
        if event_type == "JOB_OPENED":
            self._seed, self._opened_at = said["job_seed"], payload.get("started_at", "")
        if event_type in _BEGINNINGS:
            self._begin(event_type, payload)
        elif self._kind is not None and self._status != "closed":
            self._status = "closed" if event_type == "JOB_CLOSED" else "abandoned"

    def _begin(self, event_type: str, payload: Mapping[str, Any]) -> None:
        job = payload.get("job")
        if self._kind is not None or (job is None and event_type == "JOB_OPENED" and payload.get("verb") != "ask"):
            return
        self.seals = True
        self._kind, self._person = ("ask", None) if job is None else (job["kind"], job["person"])

    @property
    def job(self) -> JobTold | None:
        """The job, or None where there is only a verb's stream."""
        if self._kind is None:
            return None
        log_id = seeds.log_id(self._seed)
        return JobTold(self.stream, self._kind, self._status, self._opened_at, self._person, log_id)


def finding_of(row: JobRow | None, told: JobTold | None, person: str | None, stream: str) -> Finding | None:
    """What is wrong with a row of jobs; `person` is whose job it is, where events or keys say so."""
    where = {"table": "jobs", "stream": stream}
    if row is None:
        return None if told is None else Finding("RECORD_MISSING", where, f"the row of job {stream} is gone")
    seen = {"kind": row.kind, "status": row.status, "opened_at": row.opened_at, "log_id": row.log_id}
    evidence = {**seen, "person": row.person}
    if told is None:
        return Finding("ROW_UNNAMED", where, f"no event tells of job {stream}", evidence)
    right = {"kind": told.kind, "status": told.status, "opened_at": told.opened_at, "log_id": told.log_id}
    wrong = sorted(name for name in seen if seen[name] != right[name])
    if person is not None and row.person != person:
        wrong.append("person")
    if not wrong:
        return None
    return Finding(
        "RECORD_CHANGED", where, f"job {stream} has another {', '.join(wrong)} than its events tell", evidence
    )
