"""A job as people read it: the tree of calls, what it waits for, what it cost."""

from typing import Any

import pytest

from mace.core.answers import CallView, JobView
from mace.interfaces.cli import jobs

AT = "2026-03-01T12:00:00.000Z"
JOB = "7d1f2c0a-5b1e-4d6e-8a53-0f9c1b2a3d4e"


def call(number: int, name: str, branch: str = "", **changes: Any) -> CallView:
    made: CallView = {
        "number": number,
        "branch": branch,
        "name": name,
        "state": "done",
        "idempotent": False,
        "attempts": 1,
        "started_at": AT,
        "elapsed_ms": 12,
        "error": None,
    }
    return made | changes  # type: ignore[return-value, operator]


def view(**changes: Any) -> JobView:
    made: JobView = {
        "job_id": JOB,
        "kind": "program",
        "program": "support",
        "version": "2",
        "status": "closed",
        "person": "user_ana",
        "opened_at": AT,
        "closed_at": "2026-03-01T12:00:05.000Z",
        "log_id": "a-log",
        "parent": None,
        "branches": [],
        "calls": [],
        "waiting_for": [],
        "holder": None,
        "life": 1,
        "tokens": 0,
        "cost": None,
        "cancelled": None,
    }
    return made | changes  # type: ignore[return-value, operator]


def plain(lines: list[str]) -> list[str]:
    import click

    return [click.unstyle(line) for line in lines]


def fields_of(lines: list[str]) -> dict[str, str]:
    pairs = [line.strip().split("  ", 1) for line in lines if line.startswith("  ")]
    return {pair[0]: pair[1].strip() for pair in pairs if len(pair) == 2}


def test_a_job_says_what_it_is_and_how_it_stands():
    lines = plain(jobs._view(view(life=2, holder="host/7", tokens=321, cost="0.0012")))
    assert lines[0] == f"Job {JOB}  closed"
    told = fields_of(lines)
    assert told["program"] == "support 2"
    assert told["person"] == "user_ana"
    assert (told["opened"], told["closed"]) == (AT, "2026-03-01T12:00:05.000Z")
    assert told["life"] == "2 (taken up again)"
    assert (told["held by"], told["tokens"], told["cost"], told["log"]) == ("host/7", "321", "0.0012", "a-log")


def test_what_is_not_there_is_a_dash():
    shown = view(kind="ask", program=None, version=None, status="running", person=None, closed_at=None, log_id=None)
    told = fields_of(plain(jobs._view(shown)))
    assert told["program"] == "ask"
    assert told["person"] == "nobody's"
    assert [told[name] for name in ("closed", "log", "held by", "cost")] == ["-"] * 4
    assert told["life"] == "1"


@pytest.mark.parametrize(
    ("status", "reason", "label", "why"),
    [
        ("cancelled", "wrong item", "cancelled", "wrong item"),
        ("cancelled", None, "cancelled", "no reason given"),
        ("running", "wrong item", "told to stop", "wrong item"),
    ],
)
def test_who_cancelled_a_job_and_why(status: str, reason: str | None, label: str, why: str):
    shown = view(status=status, cancelled={"by": "user:ana", "reason": reason, "at": AT})
    assert fields_of(plain(jobs._view(shown)))[label] == f"by user:ana at {AT}: {why}"


def test_a_branch_names_its_job():
    assert fields_of(plain(jobs._view(view(parent="the-root"))))["branch of"] == "the-root"


def test_calls_stand_under_their_branches_by_number():
    calls = [
        call(1, "chat", "right", state="failed", error="timed_out", attempts=2, elapsed_ms=600),
        call(0, "look", "right", idempotent=True),
        call(1, "open_ticket", state="unknown", error="unknown_result", elapsed_ms=None),
        call(0, "chat", "left/deep", state="started", elapsed_ms=None),
        call(0, "chat"),
    ]
    lines = plain(jobs._view(view(calls=calls, branches=["x", "y", "z"])))
    tree = lines[lines.index("5 calls, 3 branches") + 1 :]
    assert [line.split() for line in tree] == [
        ["CALL", "#", "STATE", "IDEMPOTENT", "TRIES", "STARTED", "AT", "TOOK", "ERROR"],
        ["chat", "0", "done", "no", "1", AT, "12", "ms"],
        ["open_ticket", "1", "unknown", "no", "1", AT, "-", "unknown_result"],
        ["left/deep"],
        ["chat", "0", "started", "no", "1", AT, "-"],
        ["right"],
        ["look", "0", "done", "yes", "1", AT, "12", "ms"],
        ["chat", "1", "failed", "no", "2", AT, "600", "ms", "timed_out"],
    ]
    assert [len(line) - len(line.lstrip()) for line in tree] == [2, 2, 2, 2, 4, 2, 4, 4]


def test_branches_of_one_name_stand_in_the_order_of_their_numbers():
    names = ["map[10]", "map", "map[2]/inner", "map[2]", "a"]
    lines = plain(jobs._calls([call(0, "look", name) for name in names]))
    assert [line.strip() for line in lines[1:] if "look" not in line] == [
        "a",
        "map",
        "map[2]",
        "map[2]/inner",
        "map[10]",
    ]


@pytest.mark.parametrize(
    ("calls", "branches", "said"),
    [(1, 0, "1 call"), (2, 1, "2 calls, 1 branch"), (3, 2, "3 calls, 2 branches")],
)
def test_calls_and_branches_are_counted(calls: int, branches: int, said: str):
    shown = view(calls=[call(number, "chat") for number in range(calls)], branches=["b"] * branches)
    assert said in plain(jobs._view(shown))


def test_a_question_that_is_waited_for_is_shown_cleaned():
    question = {
        "question_id": "q1",
        "kind": "confirm",
        "text": "Send it?\x1b[31m",
        "asked_at": AT,
        "expires_at": "2026-03-01T12:10:00.000Z",
    }
    lines = plain(jobs._view(view(status="waiting", waiting_for=[question])))
    at = lines.index("Waiting for")
    assert lines[at + 1].split() == ["q1", "Send", "it?\\x1b[31m"]
    assert lines[at + 2].strip() == f"(confirm) asked {AT}, until 2026-03-01T12:10:00.000Z"


def test_a_page_has_a_line_for_each_job():
    page = jobs._page(
        {
            "items": [
                view(calls=[call(0, "chat")], tokens=7, cost="0.1"),
                view(job_id="other", kind="ask", program=None, version=None, person=None),
            ],
            "next_cursor": None,
            "left_out": 0,
        }
    )
    header, first, second = (line.split("  ") for line in plain(page))
    assert [cell.strip() for cell in header if cell.strip()] == [
        *("OPENED", "JOB", "PROGRAM", "STATUS", "PERSON", "CALLS", "TOKENS", "COST"),
    ]
    assert [cell.strip() for cell in first if cell.strip()] == [
        *("2026-03-01 12:00:00", JOB, "support 2", "closed", "user_ana", "1", "7", "0.1"),
    ]
    assert [cell.strip() for cell in second if cell.strip()][1:5] == ["other", "ask", "closed", "nobody's"]
    assert jobs._page({"items": [], "next_cursor": None, "left_out": 0}) == ["No jobs."]


@pytest.mark.parametrize(
    ("words", "value"),
    [
        *((text, True) for text in ("yes", "Yes", "YES", "y", "Y", "true", "True", " yes ")),
        *((text, False) for text in ("no", "No", "NO", "n", "N", "false", "FALSE", "no\t")),
        *((text, text) for text in ("", "maybe", "no thanks", "yes please", "0", "1", "null", "none", " as it is ")),
    ],
)
def test_a_yes_and_a_no_are_no_texts(words: str, value: bool | str):
    assert jobs.said(words) is value
