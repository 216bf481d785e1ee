"""Golden tests of questions: the T* and R-T* tests of the stage 0 text that go through `ask`, by their ids."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

import pytest

import places
from helpers_openai_server import OpenAiServer, answers, fails
from mace.engine.runtime import Mace
from mace.providers.frozen import FrozenClock
from replay import odd_agents

pytestmark = [pytest.mark.stage0, pytest.mark.golden]

MISSING = "I don’t have that information stored yet. If you want, tell me and I’ll remember it."
NO_MODULE = "I don’t have a module for that type of request yet."
TIMED_OUT = "One of my internal modules timed out while trying to fetch the answer. I’ll try a fallback."
CRASHED = "A module failed while processing your request. I can try a partial result or you can try again."
NO_ENGINE = "I can’t reach my language engine right now. Try again later."
TRIED = "I tried several times but couldn’t reach a reliable answer. Want to escalate to human review?"
DEADLOCK = (
    "I’m not confident enough to decide on this. Do you want me to ask for human review or try a different approach?"
)
MALFORMED = "Your request looks malformed or too large. Please shorten it or fix the format."
BLOCKED = "I can’t store or repeat that kind of sensitive personal information."

COLOR = "user/profile/user_tuff/favorite_color"


def at_noon() -> FrozenClock:
    return FrozenClock(datetime(2025, 11, 29, 12, tzinfo=UTC))


def event_id(seed: str, index: int, event_type: str) -> str:
    return sha256(f"{seed}{index}{event_type}".encode()).hexdigest()


def types(mace: Mace, answer: dict[str, Any]) -> list[str]:
    return [event["event_type"] for event in mace.events(answer["job_id"])]


def codes(answer: dict[str, Any]) -> list[str]:
    return [notice["error_code"] for notice in answer["notices"]]


def module(mace: Mace, module_id: str) -> dict[str, Any]:
    return next(item for item in mace.modules.list() if item["module_id"] == module_id)


@pytest.fixture
def mace(mace_home: places.SqlitePlace) -> Iterator[Mace]:
    with mace_home.open(clock=at_noon()) as opened:
        yield opened


@pytest.fixture
def impatient(mace_home: places.SqlitePlace) -> places.SqlitePlace:
    """A place whose agents have little time."""
    mace_home.settings = replace(mace_home.settings, agent_timeout_ms=80)
    return mace_home


def with_engine(place: places.SqlitePlace, server: OpenAiServer, **changes: Any) -> places.SqlitePlace:
    changes = {"llm_url": server.url, "llm_model": "first", "llm_needs_key": False, **changes}
    place.settings = replace(place.settings, **changes)
    return place


@pytest.mark.critical
def test_T7_SEM_FAV_COLOR(mace: Mace):
    payload = {"value": "blue", "source": "user", "timestamp": "2025-11-29T11:00:00Z"}
    assert mace.sem_put(COLOR, payload)["success"]
    answer = mace.ask("What is my favourite colour?", "tuff", "T7")
    assert answer["text"] == answer["answer"] == "Your favorite colour is blue."
    assert (answer["agent_id"], answer["route_reason"]) == ("profile_agent", "profile_lookup")
    assert answer["error"] is None and answer["notices"] == []
    assert (mace.sem_get(COLOR)["exists"], mace.sem_get(COLOR)["value"]) == (True, "blue")
    assert mace.replay(answer["job_id"])["result"] == "MATCH"


@pytest.mark.critical
def test_T8_SEM_MISS(mace: Mace):
    answer = mace.ask("What is my favourite colour?", "tuff", "T8")
    assert answer["text"] == MISSING
    assert answer["answer"] is None
    assert answer["error"]["error_code"] == "SEM_NOT_FOUND"
    assert answer["error"]["developer_message"] == f"SEM lookup for key {COLOR} returned empty."
    missed = next(event for event in mace.events(answer["job_id"]) if event["event_type"] == "sem_miss")
    assert missed["payload"] == {"key": COLOR, "query_id": answer["query_id"], "user_id": "tuff"}
    assert "SEM_PUT" not in types(mace, answer)
    assert mace.sem_list("user") == []  # asking stores nothing


def test_T12_ROUTER_MATH(mace: Mace):
    answer = mace.ask("Integrate x^2 dx", job_seed="T12")
    assert answer["route_trace"][0]["chosen"] == "math_agent"
    assert answer["route_trace"][0]["route_reason"] == "math_detect"


def test_T13_ROUTER_FACT(mace: Mace):
    mace.sem_put("world/fact/ohms_law/definition", "V = I R.", "system")
    answer = mace.ask("What is Ohm's law?", job_seed="T13")
    assert (answer["agent_id"], answer["route_reason"]) == ("knowledge_agent", "fact_lookup")
    assert answer["answer"] == "V = I R."


def test_T14_ROUTER_PROFILE_LOOKUP(mace: Mace):
    mace.sem_put(COLOR, "blue", "user")
    answer = mace.ask("What is my favorite color?", "user_tuff", "T14")
    assert (answer["agent_id"], answer["route_reason"]) == ("profile_agent", "profile_lookup")
    assert answer["evidence"][0]["ref"] == COLOR
    assert answer["answer"] == "Your favorite color is blue."


def test_T15_ROUTER_FALLBACK(mace: Mace):
    answer = mace.ask("Do something weird and unknown", job_seed="T15")
    assert (answer["agent_id"], answer["route_reason"]) == ("generic_agent", "fallback")
    assert answer["text"] == NO_MODULE
    assert codes(answer) == ["ROUTER_NO_MATCH"]
    missed = next(event for event in mace.events(answer["job_id"]) if event["event_type"] == "router_miss")
    expected_hash = sha256(b"Do something weird and unknown").hexdigest()
    assert missed["payload"] == {
        "query_hash": expected_hash,
        "query_id": answer["query_id"],
        "user_id": None,
        "intent_tags": ["fallback"],
    }


def test_T16_AGENT_TIMEOUT(impatient: places.SqlitePlace):
    with impatient.open(clock=at_noon(), agents={"math_agent": odd_agents.sleeps}) as mace:
        answer = mace.ask("12 + 30", job_seed="F-FAIL-01")  # a seed that does not retry
        assert codes(answer) == ["AGENT_TIMEOUT", "ROUTER_NO_MATCH"]
        assert answer["text"].startswith(TIMED_OUT)
        assert [entry["chosen"] for entry in answer["route_trace"]] == ["math_agent", "generic_agent"]
        assert module(mace, "math_agent")["status"] == "degraded"
        assert answer["notices"][0]["status"] == 504
        assert answer["notices"][0]["developer_message"] == "Agent math_agent did not answer within 80 ms."


def test_T17_AGENT_CRASH(mace_home: places.SqlitePlace):
    with mace_home.open(clock=at_noon(), agents={"math_agent": odd_agents.raises}) as mace:
        answer = mace.ask("12 + 30", job_seed="T17")
        assert codes(answer) == ["AGENT_ERROR", "ROUTER_NO_MATCH"]
        assert answer["text"].startswith(CRASHED)
        assert answer["notices"][0]["developer_message"] == "Agent math_agent raised ZeroDivisionError."
        assert [entry["chosen"] for entry in answer["route_trace"]] == ["math_agent", "generic_agent"]
        assert module(mace, "math_agent")["status"] == "degraded"


@pytest.mark.critical
@pytest.mark.parametrize(("status", "key_status"), [(500, "unknown"), (401, "rejected")])
def test_T18_LLM_DOWN(mace_home: places.SqlitePlace, status: int, key_status: str):
    with (
        OpenAiServer(fails(status)) as server,
        with_engine(mace_home, server).open(clock=at_noon()) as mace,
    ):
        answer = mace.ask("Write a short poem about rains", job_seed="F-FAIL-01")  # no retry
        assert len(server.requests) == 1
        assert answer["text"] == NO_ENGINE
        assert (answer["error"]["error_code"], answer["error"]["severity"]) == ("LLM_SERVICE_DOWN", "critical")
        assert answer["error"]["meta"]["api_key_status"] == key_status
        assert "LLM_SERVICE_DOWN" in types(mace, answer)
        assert any(event["event_type"] == "ADMIN_ALERT" for event in mace.events("system"))


@pytest.mark.critical
def test_T18_LLM_DOWN_without_a_key(mace_home: places.SqlitePlace):
    with (
        OpenAiServer(answers("never")) as server,
        with_engine(mace_home, server, llm_needs_key=True).open(clock=at_noon()) as mace,
    ):
        answer = mace.ask("Write a short poem about rains", job_seed="T18")
        assert server.requests == []
        assert (answer["text"], codes(answer)) == (NO_ENGINE, ["LLM_SERVICE_DOWN"])
        assert answer["error"]["meta"]["api_key_status"] == "missing"


@pytest.mark.critical
def test_T18_LLM_DOWN_uses_the_second_provider(mace_home: places.SqlitePlace):
    poem = "A short poem about rains falls softly."
    with OpenAiServer(fails(500)) as broken, OpenAiServer(answers(poem)) as spare:
        backup = {"llm_backup_url": spare.url, "llm_backup_model": "second"}
        with with_engine(mace_home, broken, **backup).open(clock=at_noon()) as mace:
            answer = mace.ask("Write a short poem about rains", job_seed="T18")
            assert (len(broken.requests), len(spare.requests)) == (1, 1)
            assert answer["answer"] == poem
            assert answer["error"] is None
            assert answer["evidence"][-1]["ref"].startswith("backup/")
            assert mace.replay(answer["job_id"])["result"] == "MATCH"
            assert (len(broken.requests), len(spare.requests)) == (1, 1)


def test_T19_REPAIR_LIMIT(mace_home: places.SqlitePlace):
    with mace_home.open(clock=at_noon(), agents={"generic_agent": odd_agents.baseless}) as mace:
        answer = mace.ask("Tell me of the moon", job_seed="T19")
        assert answer["text"].startswith(TRIED)
        assert codes(answer) == ["REPAIR_LIMIT_EXCEEDED"]
        assert answer["answer"] == "The moon is made of green cheese."  # the best effort, flagged
        assert "REPAIR_LIMIT_EXCEEDED" in types(mace, answer)
        log = mace.read_reflective_log(answer["log_id"])
        assert log["repair_loops"] == 3
        assert log["agents_invoked"] == ["generic_agent"] * 4


def test_T24_ERR_SEM_NOT_FOUND_MSG(mace: Mace):
    answer = mace.ask("What is my birthday?", "tuff", "T24")
    assert (answer["error"]["user_message"], answer["error"]["error_code"]) == (MISSING, "SEM_NOT_FOUND")


def test_T25_ERR_AGENT_TIMEOUT_MSG(impatient: places.SqlitePlace):
    with impatient.open(agents={"math_agent": odd_agents.sleeps}) as mace:
        error = mace.ask("12 + 30", job_seed="T25")["error"]
        assert (error["user_message"], error["error_code"]) == (TIMED_OUT, "AGENT_TIMEOUT")


@pytest.mark.critical
def test_T26_ERR_LLM_DOWN_MSG(mace: Mace):
    error = mace.ask("Write a poem", job_seed="T26")["error"]
    assert (error["user_message"], error["error_code"]) == (NO_ENGINE, "LLM_SERVICE_DOWN")


def test_T27_ERR_COUNCIL_DEADLOCK(mace_home: places.SqlitePlace):
    with mace_home.open(clock=at_noon(), agents={"generic_agent": odd_agents.dangerous}) as mace:
        answer = mace.ask("Disk is full, free it", job_seed="T27")
        assert (answer["text"], codes(answer)) == (DEADLOCK, ["COUNCIL_DEADLOCK"])
        assert answer["answer"] is None
        verdicts = [e["payload"] for e in mace.events(answer["job_id"]) if e["event_type"] == "COUNCIL_VERDICT"]
        assert [(item["outcome"], item["step"]) for item in verdicts] == [
            ("tie_break", 1),
            ("tie_break", 2),
            ("deadlock", None),
        ]


@pytest.mark.parametrize("text", ["x" * 8001, "", " \n\t", "half of a pair: \ud83d"])
def test_T28_ERR_INVALID_INPUT(mace: Mace, text: str):
    answer = mace.ask(text, "tuff", "T28")
    assert (answer["text"], codes(answer)) == (MALFORMED, ["INVALID_INPUT"])
    assert answer["error"]["status"] == 400
    assert "router_decision" not in types(mace, answer)


def test_T28_the_longest_question_is_read(mace: Mace):
    assert codes(mace.ask("x" * 8000)) == ["ROUTER_NO_MATCH"]


@pytest.mark.critical
@pytest.mark.parametrize("user_id", [None, "tuff"])
def test_R_T7_privacy_block(mace: Mace, user_id: str | None):
    seed = "R-T7"
    answer = mace.ask("My SSN is 536-22-8726, remember it", user_id, seed)
    assert (answer["text"], codes(answer)) == (BLOCKED, ["PRIVACY_BLOCKED"])
    assert (answer["agent_id"], answer["route_reason"], answer["route_trace"]) == (None, None, [])
    events = mace.events(answer["job_id"])
    assert [event["event_type"] for event in events] == [
        "JOB_OPENED",
        "SNAPSHOT_TAKEN",
        "INPUT_RECEIVED",
        "PII_FLAGGED",
        "PRIVACY_BLOCKED",
        "EFFECT_DONE",
        "SNAPSHOT_TAKEN",
        "REFLECTIVE_LOG_WRITTEN",
        "JOB_CLOSED",
    ]
    assert [event["event_id"] for event in events] == [
        event_id(seed, index, event["event_type"]) for index, event in enumerate(events)
    ]
    assert events[4]["payload"] == {"pii_type": events[3]["payload"]["pii_type"], "query_id": answer["query_id"]}
