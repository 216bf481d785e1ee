"""Golden tests of failures: F-FAIL-01, its seed that retries, and F-SEC-01 of the stage 1 text."""

from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

import pytest

import places
from mace.core import canon, seeds
from mace.providers.frozen import FrozenClock
from replay import odd_agents

pytestmark = [pytest.mark.stage1, pytest.mark.golden]

TIMED_OUT = "One of my internal modules timed out while trying to fetch the answer. I’ll try a fallback."
NO_MODULE = "I don’t have a module for that type of request yet."

# Rules of the text, written out: sha256 of the seed, even means retry.
NO_RETRY, RETRY = "F-FAIL-01", "T16"


def at_noon() -> FrozenClock:
    return FrozenClock(datetime(2025, 11, 29, 12, tzinfo=UTC))


def event_id(seed: str, index: int, event_type: str) -> str:
    return sha256(f"{seed}{index}{event_type}".encode()).hexdigest()


@pytest.fixture
def impatient(mace_home: places.SqlitePlace) -> places.SqlitePlace:
    mace_home.settings = replace(mace_home.settings, agent_timeout_ms=80)
    return mace_home


def body(event: dict[str, Any]) -> bytes:
    """The canonical JSON of the signed part of an event."""
    return canon.dumps({name: value for name, value in event.items() if name not in ("hash", "signature")})


def test_the_seeds_are_what_they_are_called():
    assert int(sha256(NO_RETRY.encode()).hexdigest(), 16) % 2 == 1
    assert int(sha256(RETRY.encode()).hexdigest(), 16) % 2 == 0


@pytest.mark.critical
def test_F_FAIL_01(impatient: places.SqlitePlace):
    with impatient.open(clock=at_noon(), agents={"math_agent": odd_agents.sleeps}) as mace:
        answer = mace.ask("12 + 30", job_seed=NO_RETRY)
        events = mace.events(answer["job_id"])
        assert [event["event_type"] for event in events] == [
            "JOB_OPENED",
            "SNAPSHOT_TAKEN",
            "INPUT_RECEIVED",
            "router_decision",
            "AGENT_INVOKED",
            "EFFECT_DONE",  # how long it took
            "AGENT_TIMEOUT",
            "NODE_DEGRADED",
            "router_decision",
            "AGENT_INVOKED",
            "EFFECT_DONE",
            "AGENT_OUTPUT",
            "router_miss",
            "EFFECT_DONE",  # how long all took
            "SNAPSHOT_TAKEN",
            "REFLECTIVE_LOG_WRITTEN",
            "JOB_CLOSED",
        ]
        assert [event["event_id"] for event in events] == [
            event_id(NO_RETRY, index, event["event_type"]) for index, event in enumerate(events)
        ]
        timeout = events[6]
        assert body(timeout) == canon.dumps(
            {
                "event_id": event_id(NO_RETRY, 6, "AGENT_TIMEOUT"),
                "event_type": "AGENT_TIMEOUT",
                "job_seed": NO_RETRY,
                "payload": {"agent_id": "math_agent", "query_id": answer["job_id"], "timeout_ms": 80},
                "prev_hash": events[5]["hash"],
                "recorded_at": timeout["recorded_at"],
                "sequence_index": 6,
                "signed_by": "system",
                "stream": answer["job_id"],
                "timestamp_seeded": "2025-11-29T12:00:00.006Z",
                "trace_id": seeds.trace_id(NO_RETRY),
            }
        )
        assert answer["route_trace"] == [
            {
                "iteration": 1,
                "candidates": ["math_agent", "generic_agent"],
                "chosen": "math_agent",
                "route_reason": "math_detect",
                "removed": [],
            },
            {
                "iteration": 2,
                "candidates": ["generic_agent"],
                "chosen": "generic_agent",
                "route_reason": "fallback",
                "removed": ["math_agent"],
            },
        ]
        assert answer["text"] == f"{TIMED_OUT}\n{NO_MODULE}"
        assert answer["notices"][0] == {
            "error_code": "AGENT_TIMEOUT",
            "status": 504,
            "severity": "warning",
            "user_message": TIMED_OUT,
            "developer_message": "Agent math_agent did not answer within 80 ms.",
            "meta": {
                "agent_id": "math_agent",
                "timeout_ms": 80,
                "query_id": answer["job_id"],
                "timestamp": "2025-11-29T12:00:00.007Z",
                "trace_id": seeds.trace_id(NO_RETRY),
            },
        }
        assert mace.replay(answer["job_id"])["result"] == "MATCH"


@pytest.mark.critical
def test_F_FAIL_01_on_a_seed_that_retries(impatient: places.SqlitePlace):
    with impatient.open(clock=at_noon(), agents={"math_agent": odd_agents.sleeps}) as mace:
        answer = mace.ask("12 + 30", job_seed=RETRY)
        events = mace.events(answer["job_id"])
        assert [event["event_type"] for event in events][3:14] == [
            "router_decision",
            "AGENT_INVOKED",
            "EFFECT_DONE",
            "AGENT_TIMEOUT",
            "NODE_DEGRADED",
            "RETRY_ATTEMPT",
            "AGENT_INVOKED",
            "EFFECT_DONE",
            "AGENT_TIMEOUT",
            "router_decision",
            "AGENT_INVOKED",
        ]
        retry = events[8]
        assert retry["event_id"] == event_id(RETRY, 8, "RETRY_ATTEMPT")
        assert retry["payload"] == {"agent_id": "math_agent", "attempt_index": 1}
        assert events[11]["event_id"] == event_id(RETRY, 11, "AGENT_TIMEOUT")
        assert answer["text"] == f"{TIMED_OUT}\n{NO_MODULE}"  # said once
        assert [notice["error_code"] for notice in answer["notices"]] == ["AGENT_TIMEOUT", "ROUTER_NO_MATCH"]
        assert mace.replay(answer["job_id"])["result"] == "MATCH"


@pytest.mark.critical
@pytest.mark.breaks_its_store
def test_F_SEC_01(mace_home: places.SqlitePlace):
    with mace_home.open(clock=at_noon()) as mace:
        mace.sem_put("user/profile/user_tuff/favorite_color", "blue", "user")
        answer = mace.ask("What is my favorite color?", "tuff", "F-SEC-01")
        job_id = answer["job_id"]
        assert mace.replay(job_id)["result"] == "MATCH"
        snapshot = next(e for e in mace.events(job_id) if e["event_type"] == "SNAPSHOT_TAKEN")["payload"]["snapshot"]

    with mace_home.sql() as sql:
        sql("update records set signature = 'k1:00' where kind = 'snapshot' and record_key = ?", (snapshot,))

    with mace_home.open(clock=at_noon()) as mace:
        before = len(mace.events("system"))
        refused = mace.replay(job_id)
        assert refused["result"] == "INTEGRITY_FAILURE"
        assert refused["first_difference"]["where"] == {"table": "records", "kind": "snapshot", "key": snapshot}
        new = mace.events("system")[before:]
        assert [event["event_type"] for event in new] == [
            "INTEGRITY_FAILURE",
            "INCIDENT_CREATED",
            "ADMIN_ALERT",
            "FORCE_HALT_REPLAY",
        ]
        log_name = new[0]["job_seed"]
        assert new[0]["event_id"] == event_id(log_name, before, "INTEGRITY_FAILURE")
        assert mace.quarantine_read(new[0]["payload"]["finding_id"])["payload"]["signature"] == "k1:00"

        incident = refused["incident_id"]
        halted = mace.replay(job_id)
        assert (halted["result"], halted["first_difference"]) == ("REPLAY_HALTED", {"incident_id": incident})
        with pytest.raises(Exception, match="attest"):  # only an admin can fix it, and not by lifting alone
            mace.lift_replay_halt(incident, "owner")
        assert mace.replay(job_id)["result"] == "REPLAY_HALTED"

        mace.attest("owner", "The signature was overwritten by a failed migration; the content has its hash.")
        assert mace.replay(job_id)["result"] == "REPLAY_HALTED"
        mace.lift_replay_halt(incident, "owner")
        assert mace.replay(job_id)["result"] == "MATCH"  # the content is what the signed event names
