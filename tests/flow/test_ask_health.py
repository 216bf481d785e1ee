"""The health of modules as questions show it: out after three failures, tried again, brought back; and alerts."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

import places
from helpers_openai_server import OpenAiServer, answers, fails
from mace.core import seeds
from mace.engine.runtime import Mace
from mace.providers.frozen import FrozenClock
from replay import odd_agents

NOON = datetime(2025, 11, 29, 12, tzinfo=UTC)


def codes(answer: dict[str, Any]) -> list[str]:
    return [notice["error_code"] for notice in answer["notices"]]


def events(mace: Mace, stream: str, *types: str) -> list[dict[str, Any]]:
    return [event for event in mace.events(stream) if event["event_type"] in types]


def module(mace: Mace, module_id: str) -> dict[str, Any]:
    return next(item for item in mace.modules.list() if item["module_id"] == module_id)


class TestHealth:
    @pytest.fixture
    def clock(self) -> FrozenClock:
        return FrozenClock(NOON)

    def test_three_failures_in_a_row_take_a_module_offline(self, mace_home: places.SqlitePlace, clock: FrozenClock):
        with mace_home.open(clock=clock, agents={"math_agent": odd_agents.raises}) as mace:
            asked = [mace.ask("12 + 30") for _ in range(3)]
            assert [e["event_type"] for e in events(mace, asked[0]["job_id"], "NODE_DEGRADED")] == ["NODE_DEGRADED"]
            offline = events(mace, asked[2]["job_id"], "NODE_OFFLINE", "ADMIN_ALERT")
            assert [event["event_type"] for event in offline] == ["NODE_OFFLINE", "ADMIN_ALERT"]
            assert offline[0]["payload"]["consecutive_failures"] == 3
            assert (module(mace, "math_agent")["status"], module(mace, "math_agent")["consecutive_failures"]) == (
                "offline",
                3,
            )
            # The router goes round it: no time is lost, and whoever asks hears why there is no answer.
            around = mace.ask("12 + 30")
            assert [entry["chosen"] for entry in around["route_trace"]] == ["generic_agent"]
            assert around["route_trace"][0]["removed"] == ["math_agent"]
            assert codes(around) == ["SERVICE_UNAVAILABLE"]
            # Another question does not put it on probation.
            clock.move(seconds=61)
            mace.ask("Write a poem")
            assert module(mace, "math_agent")["status"] == "offline"

    def test_it_is_tried_again_after_its_time(self, mace_home: places.SqlitePlace, clock: FrozenClock):
        with mace_home.open(clock=clock, agents={"math_agent": odd_agents.raises}) as mace:
            for _ in range(3):
                mace.ask("12 + 30")
            clock.move(milliseconds=59_999)
            assert codes(mace.ask("12 + 30")) == ["SERVICE_UNAVAILABLE"]
            clock.move(milliseconds=1)
            tried = mace.ask("12 + 30")
            assert codes(tried) == ["AGENT_ERROR", "ROUTER_NO_MATCH"]
            kinds = [e["event_type"] for e in events(mace, tried["job_id"], "NODE_PROBATION", "NODE_OFFLINE")]
            assert kinds == ["NODE_PROBATION", "NODE_OFFLINE"]
            assert module(mace, "math_agent")["status"] == "offline"
            assert "quarantined" not in {item["status"] for item in mace.modules.list()}
        clock.move(seconds=61)
        with mace_home.open(clock=clock) as mace:  # the real agent again
            well = mace.ask("12 + 30")
            assert well["answer"] == "12 + 30 = 42"
            kinds = [e["event_type"] for e in events(mace, well["job_id"], "NODE_PROBATION", "NODE_RECOVERED")]
            assert kinds == ["NODE_PROBATION", "NODE_RECOVERED"]
            assert module(mace, "math_agent")["status"] == "healthy"
            assert mace.replay(well["job_id"])["result"] == "MATCH"

    def test_an_admin_brings_it_back(self, mace_home: places.SqlitePlace, clock: FrozenClock):
        with mace_home.open(clock=clock, agents={"math_agent": odd_agents.raises}) as mace:
            for _ in range(3):
                mace.ask("12 + 30")
        with mace_home.open(clock=clock) as mace:
            assert mace.ask("12 + 30")["answer"] is None
            assert mace.modules.recover("math_agent")["status"] == "healthy"
            assert mace.ask("12 + 30")["answer"] == "12 + 30 = 42"

    def test_a_success_between_failures_starts_the_count_anew(self, mace_home: places.SqlitePlace, clock: FrozenClock):
        for agents in ({"math_agent": odd_agents.raises}, {}, {"math_agent": odd_agents.raises}):
            with mace_home.open(clock=clock, agents=agents) as mace:
                for _ in range(2):
                    mace.ask("12 + 30")
        with mace_home.open(clock=clock) as mace:
            assert (module(mace, "math_agent")["status"], module(mace, "math_agent")["consecutive_failures"]) == (
                "degraded",
                2,
            )

    def test_what_depends_on_a_dead_engine_is_flagged(self, mace_home: places.SqlitePlace, clock: FrozenClock):
        needing = ["creative_agent", "generic_agent", "strategy_agent"]
        with OpenAiServer(fails(500), fails(500), fails(500), answers("A poem is a poem.")) as server:
            mace_home.settings = replace(mace_home.settings, llm_url=server.url, llm_model="m", llm_needs_key=False)
            with mace_home.open(clock=clock) as mace:
                seeds_without_retry = [f"s{n}" for n in range(99) if not seeds.seeded_yes(f"s{n}")]
                down = [mace.ask("Write a poem", job_seed=seed) for seed in seeds_without_retry[:3]]
                assert {code for answer in down for code in codes(answer)} == {"LLM_SERVICE_DOWN"}
                flagged = events(mace, down[2]["job_id"], "NODE_OFFLINE", "DEPENDENCY_UNHEALTHY", "ADMIN_ALERT")
                assert [(e["event_type"], e["payload"].get("module_id")) for e in flagged] == [
                    ("NODE_OFFLINE", "language_engine"),
                    ("ADMIN_ALERT", None),
                    *(("DEPENDENCY_UNHEALTHY", agent) for agent in needing),
                ]
                assert [item["module_id"] for item in mace.modules.list() if item["dependency_unhealthy"]] == needing
                assert {module(mace, agent)["consecutive_failures"] for agent in needing} == {0}  # none of their own
                clock.move(seconds=61)
                assert mace.ask("Write a poem", job_seed=seeds_without_retry[3])["answer"] == "A poem is a poem."
                assert [item["module_id"] for item in mace.modules.list() if item["dependency_unhealthy"]] == []

    def test_an_offline_engine_is_not_called_until_its_time_has_passed(
        self, mace_home: places.SqlitePlace, clock: FrozenClock
    ):
        with OpenAiServer(*[fails(500)] * 4, answers("A poem is a poem.")) as server:
            mace_home.settings = replace(mace_home.settings, llm_url=server.url, llm_model="m", llm_needs_key=False)
            with mace_home.open(clock=clock) as mace:
                for number in range(99):
                    mace.ask("Write a poem", job_seed=f"s{number}")
                    if module(mace, "language_engine")["status"] == "offline":
                        break
                asked = len(server.requests)
                assert asked >= 3
                failures = module(mace, "language_engine")["consecutive_failures"]
                away = [mace.ask("Write a poem", job_seed=f"away{number}") for number in range(3)]
                assert len(server.requests) == asked
                assert {code for answer in away for code in codes(answer)} == {"LLM_SERVICE_DOWN"}
                assert module(mace, "language_engine")["consecutive_failures"] == failures  # it was not asked
                clock.move(seconds=61)
                tried = mace.ask("Write a poem", job_seed="tried")
                assert len(server.requests) > asked
                for answer in (*away, tried):
                    assert mace.replay(answer["job_id"])["result"] == "MATCH"

    def test_no_engine_at_all_is_nobodys_failure(self, mace_home: places.SqlitePlace):
        with mace_home.open() as mace:
            for _ in range(4):
                mace.ask("Write a poem")
            assert {item["status"] for item in mace.modules.list()} == {"healthy"}


class TestAlerts:
    def alerts(self, mace: Mace) -> list[dict[str, Any]]:
        return [event["payload"] for event in events(mace, "system", "ADMIN_ALERT")]

    def test_the_third_error_in_ten_minutes(self, mace_home: places.SqlitePlace):
        clock = FrozenClock(NOON)
        agents = {"math_agent": odd_agents.raises}
        mace_home.settings = replace(mace_home.settings, fails_offline=99)
        with mace_home.open(clock=clock, agents=agents) as mace:
            for _ in range(2):
                mace.ask("12 + 30")
                clock.move(minutes=4)
            assert self.alerts(mace) == []
            mace.ask("12 + 30")
            [alert] = self.alerts(mace)
            assert (alert["code"], alert["subject"], alert["count"]) == ("AGENT_ERROR", "math_agent", 3)

    def test_a_critical_one_at_once(self, mace_home: places.SqlitePlace):
        with mace_home.open() as mace:
            mace.ask("Write a poem")
            assert [alert["code"] for alert in self.alerts(mace)] == ["LLM_SERVICE_DOWN"]

    def test_what_is_only_informative_never(self, mace_home: places.SqlitePlace):
        with mace_home.open() as mace:
            for _ in range(4):
                mace.ask("What is my name?", "tuff")
                mace.ask("Blorp the quux")
                mace.ask("")
            assert self.alerts(mace) == []


def test_fallbacks_are_counted(mace_home: places.SqlitePlace):
    with mace_home.open() as mace:
        for text in ("Blorp the quux", "12 + 30", "well-known things"):
            mace.ask(text)
        assert mace.describe()["router_fallbacks"] == 2
    with mace_home.sql(keep_triggers=True) as sql:
        assert sql("select value from notes where name = 'router_fallback_count'") == [("2",)]


def test_the_log_names_whoever_was_asked_and_gave_no_answer(mace_home: places.SqlitePlace):
    agents = {"math_agent": odd_agents.raises, "generic_agent": odd_agents.echoes}
    with mace_home.open(agents=agents) as mace:
        answer = mace.ask("12 + 30", job_seed="silent")
        log = mace.read_reflective_log(answer["log_id"])
        assert [item["agent_id"] for item in log["agent_outputs"]] == log["agents_invoked"]
        assert [item["reasoning_trace"] for item in log["agent_outputs"][:1]] == [["failed: AGENT_ERROR"]]
        assert mace.replay(answer["job_id"])["result"] == "MATCH"
        assert mace.verify()["ok"]
