"""Questions that a language engine answers, over real HTTP."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

import places
from helpers_openai_server import OpenAiServer, answers
from mace.engine.runtime import Mace
from replay import odd_agents

MISSING = "I don’t have that information stored yet. If you want, tell me and I’ll remember it."


def codes(answer: dict[str, Any]) -> list[str]:
    return [notice["error_code"] for notice in answer["notices"]]


class TestLanguageEngine:
    @pytest.fixture
    def asked(self, mace_home: places.SqlitePlace) -> Callable[..., tuple[dict[str, Any], Mace, OpenAiServer]]:
        opened: list[Any] = []

        def ask(text: str, *behaviours: Any, facts: tuple[tuple[str, str], ...] = ()) -> Any:
            server = OpenAiServer(*behaviours)
            server.__enter__()
            mace_home.settings = replace(mace_home.settings, llm_url=server.url, llm_model="first", llm_needs_key=False)
            mace = mace_home.open()
            opened.extend((server, mace))
            for key, value in facts:
                mace.sem_put(key, value, "system")
            return mace.ask(text), mace, server

        yield ask  # type: ignore[misc]
        for item in reversed(opened):
            item.__exit__(None, None, None)

    def test_an_answer_is_recorded_before_it_is_used(self, asked: Any):
        poem = "Rains write a short poem on the roof."
        answer, mace, server = asked("Write a short poem about rains", answers(poem))
        assert answer["answer"] == poem
        assert (answer["agent_id"], answer["confidence"]) == ("creative_agent", 0.6)
        log = mace.read_reflective_log(answer["log_id"])
        assert log["runtime_metrics"]["tokens_used"] == log["agent_outputs"][0]["tokens"] == 10
        asked_for = len(server.requests)
        assert mace.replay(answer["job_id"])["result"] == "MATCH"
        assert len(server.requests) == asked_for  # a replay asks nobody

    def test_reasoning_is_not_shown(self, asked: Any):
        answer, _, _ = asked("Write a joke", answers("<think>the user wants a joke</think>A joke walks into a bar."))
        assert answer["answer"] == "A joke walks into a bar."

    def test_nothing_but_reasoning_is_no_answer(self, asked: Any):
        answer, _, _ = asked("Write a joke", answers("<think>hm</think>"))
        assert answer["answer"] is None
        assert answer["route_trace"][0]["chosen"] == "creative_agent"

    def test_lone_surrogates_from_an_engine_do_no_harm(self, asked: Any):
        answer, mace, _ = asked("Write a joke", answers("A joke \ud83d about a joke."))
        assert answer["answer"] is not None
        assert mace.replay(answer["job_id"])["result"] == "MATCH"

    def test_a_known_fact_needs_no_engine(self, asked: Any):
        fact = ("world/fact/ohms_law/definition", "V = I R.")
        answer, _, server = asked("What is Ohm's law?", answers("never"), facts=(fact,))
        assert (answer["answer"], server.requests) == ("V = I R.", [])

    def test_what_the_engine_does_not_know_is_a_miss_and_its_tokens_count(self, asked: Any):
        answer, mace, server = asked("What is a quux?", answers("I do not know."))
        assert (answer["text"], codes(answer), len(server.requests)) == (MISSING, ["SEM_NOT_FOUND"], 1)
        log = mace.read_reflective_log(answer["log_id"])
        assert log["runtime_metrics"]["tokens_used"] == log["agent_outputs"][0]["tokens"] == 10

    def test_the_verification_agents_tokens_count(self, mace_home: places.SqlitePlace):
        with OpenAiServer(answers("no")) as server:
            mace_home.settings = replace(mace_home.settings, llm_url=server.url, llm_model="first", llm_needs_key=False)
            with mace_home.open(agents={"generic_agent": odd_agents.shaky}) as mace:
                answer = mace.ask("Disk is full, free it")
                assert codes(answer) == ["COUNCIL_DEADLOCK"]
                log = mace.read_reflective_log(answer["log_id"])
                assert log["agents_invoked"] == ["generic_agent", "verification_agent"]
                assert log["runtime_metrics"]["tokens_used"] == 10
                assert "verification_agent" in log["runtime_metrics"]["per_agent_time_ms"]
                assert mace.replay(answer["job_id"])["result"] == "MATCH"
                assert len(server.requests) == 1
