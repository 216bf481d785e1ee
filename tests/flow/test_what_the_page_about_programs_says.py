"""Sentences of docs/programs.md that none of its own blocks shows."""

import re
from pathlib import Path
from typing import Any, get_args

import pytest

import mace
import places
from mace.core.answers import Evidence
from mace.core.answers.choices import EvidenceKind

PAGE = " ".join((Path(__file__).parents[2] / "docs" / "programs.md").read_text("utf-8").split())


def kinds_told() -> list[str]:
    [listed] = re.findall(r"its kind is one of (.*?), here as in `m\.record`", PAGE)
    return re.findall(r"`(\w+)`", listed)


def test_the_kinds_of_evidence(mace_home: places.SqlitePlace):
    of_questions = {"computation", "verification"}
    assert {*kinds_told()} == {*get_args(EvidenceKind)} - of_questions
    with mace_home.open() as m:
        for kind in kinds_told():
            given: Evidence = {"kind": kind, "ref": "1"}  # type: ignore[typeddict-item]
            m.record("May it be refunded?", "Yes.", evidence=[given])
        for kind in (*of_questions, "anything"):
            with pytest.raises(mace.InvalidInput, match="kind of evidence"):
                m.record("May it?", "Yes.", evidence=[{"kind": kind, "ref": "1"}])  # type: ignore[typeddict-item]


def test_values_are_stored_with_the_next_call(mace_home: places.SqlitePlace):
    drawn: list[str] = []

    @mace.program("draws")
    def draws(job: mace.Job, after_a_call: Any) -> str:
        drawn.append(job.uuid())
        if after_a_call:
            job.call("use", drawn[-1], lambda request: request)
        if len(drawn) == 1:
            raise SystemExit
        return drawn[-1]

    with mace_home.open(programs=[draws]) as m:
        for after_a_call in (False, True):
            drawn.clear()
            with pytest.raises(SystemExit):
                m.perform(draws, after_a_call)
            [left] = m.jobs.list(status="interrupted")["items"]
            assert m.resume(left["job_id"])["text"] == drawn[1]
            assert (drawn[0] == drawn[1]) is after_a_call
            assert m.replay(left["job_id"])["result"] == "MATCH"


def test_the_log_has_256_calls_and_says_how_many_more(mace_home: places.SqlitePlace):
    @mace.program("many")
    def many(job: mace.Job, count: Any) -> str:
        for number in range(count):
            job.call("count", number, lambda request: request, idempotent=True)
        return "done"

    with mace_home.open(programs=[many]) as m:
        for count, listed, last in ((256, 256, "255"), (259, 257, "and 3 more calls")):
            done = m.perform(many, count)
            outputs = m.read_reflective_log(done["log_id"])["agent_outputs"]
            assert (len(outputs), outputs[-1]["text"]) == (listed, last)
            assert len(m.job(done["job_id"])["calls"]) == count


def test_giving_up_a_job_says_why(mace_home: places.SqlitePlace):
    @mace.program("stops")
    def stops(job: mace.Job, _: Any) -> None:
        raise SystemExit

    with mace_home.open(programs=[stops]) as m:
        with pytest.raises(SystemExit):
            m.perform(stops, None)
        [left] = m.jobs.list(status="interrupted")["items"]
        assert m.resume(left["job_id"], abandon=True)["status"] == "abandoned"
        reasons = [event["payload"].get("reason") for event in m.events(left["job_id"])]
        assert reasons[-1] == "version_changed"


def test_what_is_cut_out_of_a_request_and_of_its_result(mace_home: places.SqlitePlace):
    with mace_home.open() as m, m.recording("Write to her", "ana") as job:
        job.call("send", "to jane@example.org", lambda request: "and call +1 415 555 2671")
        assert job.withheld == ["email", "phone"]
        job.call("next", "nothing of that kind", lambda request: "fine")
        assert job.withheld == []


@pytest.mark.breaks_its_store  # it does something again with every replay
def test_m_called_by_a_program_outside_of_a_call_runs_again(mace_home: places.SqlitePlace):
    with mace_home.open() as m:

        @mace.program("part")
        def part(job: mace.Job, number: Any) -> Any:
            return number

        @mace.program("whole")
        def whole(job: mace.Job, is_recorded: Any) -> Any:
            def perform(request: Any) -> Any:
                return m.perform(part, request)["answer"]

            return job.call("part", 1, perform) if is_recorded else perform(1)

        for is_recorded, more in ((False, 1), (True, 0)):
            done = m.perform(whole, is_recorded)
            before = len(m.jobs.list(limit=100)["items"])
            assert m.replay(done["job_id"])["result"] == "MATCH"
            assert len(m.jobs.list(limit=100)["items"]) == before + more
