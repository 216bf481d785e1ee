"""The row of a job, as its events tell it.

Pure. A job begins with the `JOB_OPENED` of its stream, or with `JOB_BEGUN` in a stream that a verb of the same seed
opened before it; both name its kind and its person, and of a branch also its parent and the root of its tree. It ends
with `JOB_CLOSED` (which says how), `JOB_CANCELLED` or `JOB_ABANDONED`; in between it may be interrupted, taken up again
and wait for a person. Older events name no person: there a job is one that `ask` opened, or whose snapshot was taken.
The table of jobs is an index of this and decides nothing by itself.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mace.core import seeds
from mace.ledger.findings import Finding
from mace.storage.ports import JobRow

# What an event makes of a job that is not over; `JOB_CLOSED` says it itself.
_BECOMES = {
    "JOB_ABANDONED": "abandoned",
    "JOB_CANCELLED": "cancelled",
    "JOB_INTERRUPTED": "interrupted",
    "JOB_RESUMED": "running",
    "PERSON_ASKED": "waiting",
    "PERSON_ANSWERED": "running",
}
_BEGINNINGS = frozenset({"JOB_OPENED", "JOB_BEGUN", "SNAPSHOT_TAKEN"})
EVENT_TYPES = _BEGINNINGS | {"JOB_CLOSED", *_BECOMES}
# What is written beside such an event is sealed under the key of its stream's job.
_SEALS = frozenset({"SNAPSHOT_TAKEN", "REFLECTIVE_LOG_WRITTEN", "MEGRAM_WRITTEN"})
OVER = frozenset({"closed", "failed", "cancelled", "abandoned"})
OPEN = frozenset({"running", "waiting", "interrupted"})
DURABLE = frozenset({"program", "block", "run"})  # kinds that are interrupted by a lost holder, and not given up


@dataclass(frozen=True, slots=True)
class JobTold:
    """A job as its events tell it; `person` is None where they were written before they named one."""

    stream: str
    kind: str
    status: str
    opened_at: str
    person: str | None
    log_id: str
    seed: str = ""
    parent: str = ""
    root: str = ""
    life: int = 1
    said: Mapping[str, Any] | None = None  # what else its beginning says: the program and its version, a branch's name

    @property
    def tree(self) -> str:
        """The job whose key it lies under."""
        return self.root or self.stream


class JobFold:
    """Reads the events of one stream in their order."""

    def __init__(self, stream: str) -> None:
        self.stream = stream
        self.seals = False  # something lies under the key of this stream's job
        self._seed = ""
        self._opened_at = ""
        self._said: Mapping[str, Any] | None = None
        self._status = "running"
        self._closed = False
        self._life = 1

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
        elif self._said is not None and not self._closed:
            self._go_on(event_type, payload)

    def _begin(self, event_type: str, payload: Mapping[str, Any]) -> None:
        job = payload.get("job")
        if self._said is not None or (job is None and event_type == "JOB_OPENED" and payload.get("verb") != "ask"):
            return
        self.seals = True
        self._said = {"kind": "ask", "person": None} if job is None else {**job}
        _ = self._said["kind"], self._said["person"]  # an event without them begins no job

    def _go_on(self, event_type: str, payload: Mapping[str, Any]) -> None:
        if event_type == "JOB_CLOSED":
            self._status, self._closed = payload.get("status", "closed"), True
            return
        if event_type in ("PERSON_ASKED", "PERSON_ANSWERED", "JOB_INTERRUPTED") and self._status in OVER:
            return
        if event_type == "JOB_RESUMED":
            self._life = int(payload["life"])
        self._status = _BECOMES[event_type]

    @property
    def job(self) -> JobTold | None:
        """The job, or None where there is only a verb's stream."""
        said = self._said
        if said is None:
            return None
        return JobTold(
            self.stream,
            said["kind"],
            self._status,
            self._opened_at,
            said["person"],
            seeds.log_id(self._seed),
            self._seed,
            said.get("parent", ""),
            said.get("root", ""),
            self._life,
            said,
        )


def finding_of(row: JobRow | None, told: JobTold | None, person: str | None, stream: str) -> Finding | None:
    """What is wrong with a row of jobs; `person` is whose job it is, where events or keys say so."""
    where = {"table": "jobs", "stream": stream}
    if row is None:
        return None if told is None else Finding("RECORD_MISSING", where, f"the row of job {stream} is gone")
    seen = _compared(row)
    evidence = {**seen, "person": row.person}
    if told is None:
        return Finding("ROW_UNNAMED", where, f"no event tells of job {stream}", evidence)
    right = _compared(told)
    wrong = sorted(name for name in {*seen, *right} if seen.get(name) != right.get(name))
    if person is not None and row.person != person:
        wrong.append("person")
    if not wrong:
        return None
    return Finding(
        "RECORD_CHANGED", where, f"job {stream} has another {', '.join(wrong)} than its events tell", evidence
    )


def _compared(job: JobRow | JobTold) -> dict[str, Any]:
    """What the row and the events must both say; what only trees of jobs have is left out of the others."""
    told = {"kind": job.kind, "status": job.status, "opened_at": job.opened_at, "log_id": job.log_id}
    more = {"parent": job.parent, "root": job.root, "life": job.life}
    return {**told, **{name: value for name, value in more.items() if value != _PLAIN[name]}}


_PLAIN: dict[str, Any] = {"parent": "", "root": "", "life": 1}
