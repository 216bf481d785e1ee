"""A caller's trace is on the record of a question and decides nothing; looking at health changes none."""

from typing import Any

import pytest

import places
from governed import parts_of
from mace.engine.runtime import Mace
from replay import odd_agents

TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"


def ask(mace: Mace, traceparent: Any, seed: str) -> dict[str, Any]:
    return parts_of(mace).questions.ask(
        "12 + 30",
        None,
        seed,
        query_id=None,
        consent_id=None,
        in_reply_to=None,
        source="user_request",
        traceparent=traceparent,
    )


def test_a_traceparent_is_recorded_when_the_job_is_opened(mace_home: places.SqlitePlace):
    with mace_home.open() as mace:
        answer, without = ask(mace, TRACE, "with"), ask(mace, None, "without")
        opened, plain = mace.events(answer["job_id"])[0], mace.events(without["job_id"])[0]
        assert (opened["event_type"], opened["payload"]["traceparent"]) == ("JOB_OPENED", TRACE)
        assert opened["trace_id"] != TRACE.split("-")[1]  # derived from the seed, as ever
        assert "traceparent" not in plain["payload"]
        assert [mace.replay(item["job_id"])["result"] for item in (answer, without)] == ["MATCH", "MATCH"]


@pytest.mark.parametrize("malformed", ["", "00-zz", TRACE.upper(), f"{TRACE}-more", 7])
def test_a_malformed_one_is_ignored_and_not_stored(mace_home: places.SqlitePlace, malformed: Any):
    with mace_home.open() as mace:
        answer = ask(mace, malformed, "odd")
        assert answer["answer"] == "12 + 30 = 42"
        assert "traceparent" not in mace.events(answer["job_id"])[0]["payload"]


def test_looking_at_health_changes_no_status(mace_home: places.SqlitePlace):
    with mace_home.open(agents={"math_agent": odd_agents.raises}) as mace:
        mace.ask("12 + 30")
        states = mace.modules.list()
        assert [item["status"] for item in states if item["module_id"] == "math_agent"] == ["degraded"]
        mace.checkpoint()
        before = mace_home.content()
        for _ in range(5):
            assert mace.modules.list() == states
            mace.describe()
        assert mace_home.content() == before
