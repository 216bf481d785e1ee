"""The row of a job from its events, and what is wrong with one that says otherwise."""

from dataclasses import replace
from typing import Any

import pytest

from mace.core import seeds
from mace.ledger.jobs import OPEN, OVER, JobFold, JobTold, finding_of
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
    return JobTold(STREAM, kind, status, AT, person, seeds.log_id(SEED), SEED)


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
    assert (None if fold.job is None else replace(fold.job, said=None)) == job


PERFORMED: Said = (
    "JOB_OPENED",
    {"verb": "perform", "started_at": AT, "job": {"kind": "program", "person": "", "program": "p", "version": "1"}},
)
BRANCHED: Said = (
    "JOB_OPENED",
    {
        "verb": "branch",
        "started_at": AT,
        "job": {"kind": "branch", "person": "", "parent": "p", "root": "r", "name": "map", "n": 2},
    },
)
INTERRUPTED: Said = ("JOB_INTERRUPTED", {"job_id": STREAM, "reason": "holder_lost"})
RESUMED: Said = ("JOB_RESUMED", {"life": 2, "elapsed_ms": 5})
ASKED: Said = ("PERSON_ASKED", {})
ANSWERED: Said = ("PERSON_ANSWERED", {})
CANCELLED: Said = ("JOB_CANCELLED", {"reason": "cancelled"})


@pytest.mark.parametrize(
    ("events", "status", "life"),
    [
        ([], "running", 1),
        ([ASKED], "waiting", 1),
        ([ASKED, ANSWERED], "running", 1),
        ([INTERRUPTED], "interrupted", 1),
        ([ASKED, INTERRUPTED], "interrupted", 1),
        ([INTERRUPTED, RESUMED], "running", 2),
        ([RESUMED], "running", 2),  # its process was gone, and nobody had noticed
        ([INTERRUPTED, RESUMED, INTERRUPTED, ("JOB_RESUMED", {"life": 3, "elapsed_ms": 9})], "running", 3),
        ([INTERRUPTED, RESUMED, CLOSED], "closed", 2),
        ([("JOB_CLOSED", {"status": "failed"})], "failed", 1),
        ([("JOB_CLOSED", {"status": "cancelled"})], "cancelled", 1),
        ([CANCELLED], "cancelled", 1),
        ([CANCELLED, CLOSED], "closed", 1),  # its end says how it ended
        ([CANCELLED, ("JOB_CLOSED", {"status": "cancelled"})], "cancelled", 1),
        ([CANCELLED, INTERRUPTED], "cancelled", 1),
        ([CANCELLED, ASKED], "cancelled", 1),
        ([GIVEN_UP, INTERRUPTED], "abandoned", 1),
        ([GIVEN_UP, ANSWERED], "abandoned", 1),
        ([CLOSED, INTERRUPTED], "closed", 1),
        ([CLOSED, RESUMED], "closed", 1),
        ([CLOSED, CANCELLED], "closed", 1),
        ([INTERRUPTED, GIVEN_UP], "abandoned", 1),
        ([("EFFECT_DONE", {"effect": 0}), ("FAN_IN", {"branches": []})], "running", 1),
    ],
)
@pytest.mark.parametrize("begins", [PERFORMED, BRANCHED], ids=["job", "branch"])
def test_how_a_job_that_survives_stands(begins: Said, events: list[Said], status: str, life: int):
    fold = JobFold(STREAM)
    for event_type, payload in [begins, TAKEN, *events]:
        fold.feed(event_type, {"job_seed": SEED, "payload": payload})
    assert fold.job is not None
    assert (fold.job.status, fold.job.life) == (status, life)
    assert fold.job.status in OPEN | OVER and not OPEN & OVER


def test_a_branch_tells_its_tree():
    fold = JobFold(STREAM)
    fold.feed(BRANCHED[0], {"job_seed": SEED, "payload": BRANCHED[1]})
    assert fold.job is not None and fold.job.said is not None
    assert (fold.job.parent, fold.job.root, fold.job.tree) == ("p", "r", "r")
    assert (fold.job.said["name"], fold.job.said["n"]) == ("map", 2)
    other = JobFold(STREAM)
    other.feed(PERFORMED[0], {"job_seed": SEED, "payload": PERFORMED[1]})
    assert other.job is not None and (other.job.tree, other.job.root) == (STREAM, "")


TREE_ROW = JobRow(STREAM, "branch", "running", AT, "", seeds.log_id(SEED), "", "p", "r", 2)
TREE_TOLD = JobTold(STREAM, "branch", "running", AT, "", seeds.log_id(SEED), SEED, "p", "r", 2)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({}, None),
        ({"holder": "anybody"}, None),  # no event says who plays it
        ({"parent": "q"}, "parent"),
        ({"parent": ""}, "parent"),
        ({"root": "q"}, "root"),
        ({"root": ""}, "root"),
        ({"life": 1}, "life"),
        ({"life": 3}, "life"),
        ({"status": "interrupted"}, "status"),
    ],
)
def test_a_row_of_a_tree_that_says_otherwise_is_found(change: dict[str, Any], named: str | None):
    found = finding_of(replace(TREE_ROW, **change), TREE_TOLD, "", STREAM)
    assert (found is None) == (named is None)
    assert found is None or (found.kind == "RECORD_CHANGED" and f"another {named} than" in found.detail)


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
