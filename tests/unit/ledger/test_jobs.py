"""The row of a job from its events, and what is wrong with one that says otherwise."""

from typing import Any

import pytest

from mace.core import seeds
from mace.ledger.jobs import JobFold, JobTold, finding_of
from mace.storage.ports import JobRow

SEED, STREAM, AT = "a job", seeds.job_id("a job"), "2026-03-01T00:00:00.000Z"
Said = tuple[str, dict[str, Any]]
OPENED: Said = ("JOB_OPENED", {"verb": "ask", "started_at": AT, "job": {"kind": "ask", "person": "user_ana"}})
OPENED_BEFORE: Said = ("JOB_OPENED", {"verb": "ask", "started_at": AT})
BY_A_VERB: Said = ("JOB_OPENED", {"verb": "sem_put", "started_at": AT})
BEGUN: Said = ("JOB_BEGUN", {"verb": "ask", "job": {"kind": "run", "person": ""}})
TAKEN: Said = ("SNAPSHOT_TAKEN", {"snapshot": "s"})
CLOSED: Said = ("JOB_CLOSED", {})
GIVEN_UP: Said = ("JOB_ABANDONED", {"job_id": STREAM})


def told(status: str, kind: str = "ask", person: str | None = "user_ana") -> JobTold:
    return JobTold(STREAM, kind, status, AT, person, seeds.log_id(SEED))


@pytest.mark.parametrize(
    ("events", "job"),
    [
        ([], None),
        ([BY_A_VERB, ("SEM_PUT", {})], None),
        ([OPENED], told("running")),
        ([OPENED, TAKEN, CLOSED], told("closed")),
        ([OPENED, TAKEN, CLOSED, ("SEM_PUT", {}), GIVEN_UP], told("closed")),  # what has ended stays as it ended
        ([OPENED, GIVEN_UP], told("abandoned")),
        ([OPENED, GIVEN_UP, CLOSED], told("closed")),
        ([BY_A_VERB, BEGUN], told("running", "run", "")),
        ([BY_A_VERB, BEGUN, TAKEN, CLOSED], told("closed", "run", "")),
        ([BY_A_VERB, CLOSED], None),  # nothing began
        ([OPENED_BEFORE], told("running", person=None)),
        ([OPENED_BEFORE, TAKEN, CLOSED], told("closed", person=None)),
        ([BY_A_VERB, TAKEN, CLOSED], told("closed", person=None)),
    ],
)
def test_a_job_is_what_its_events_tell(events: list[Said], job: JobTold | None):
    fold = JobFold(STREAM)
    for event_type, payload in events:
        fold.feed(event_type, {"job_seed": SEED, "payload": payload})
    assert fold.job == job


ROW = JobRow(STREAM, "ask", "closed", AT, "user_ana", seeds.log_id(SEED))


@pytest.mark.parametrize(
    ("row", "job", "person", "kind"),
    [
        (None, None, None, None),
        (ROW, told("closed"), "user_ana", None),
        (ROW, told("closed"), None, None),  # nobody knows whose: then the row may say so
        (None, told("closed"), "user_ana", "RECORD_MISSING"),
        (ROW, None, None, "ROW_UNNAMED"),
        (ROW, told("running"), "user_ana", "RECORD_CHANGED"),
        (ROW, told("closed", "run"), "user_ana", "RECORD_CHANGED"),
        (ROW, told("closed"), "user_bob", "RECORD_CHANGED"),
        (ROW, told("closed"), "", "RECORD_CHANGED"),
    ],
)
def test_what_is_wrong_with_a_row(row: JobRow | None, job: JobTold | None, person: str | None, kind: str | None):
    found = finding_of(row, job, person, STREAM)
    assert (None if found is None else found.kind) == kind
    assert found is None or found.where == {"table": "jobs", "stream": STREAM}
