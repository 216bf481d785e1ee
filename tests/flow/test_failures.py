"""The failure cases: each gives its envelope, its event, its line in the reflective log and its mitigation.

`CACHE_ERROR` comes with the shared cache; `LOG_INVALID` and `PERMISSION_DENIED` belong to other verbs than `ask` and
stand at the end. Faults of the world (stores, engines, processes) are in `tests/fault`.
"""

import re
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

import pytest

import places
from helpers_openai_server import OpenAiServer, answers, fails
from mace.agent import Agent, Effect, Evidence, Reply, Result, Task
from mace.core import seeds
from mace.core.errors import InvalidInput, LogInvalid
from mace.engine.runtime import Mace
from mace.providers.frozen import FrozenClock
from replay import odd_agents

NOON = datetime(2025, 11, 29, 12, tzinfo=UTC)
NO_RETRY, RETRY = "F-FAIL-01", "T16"


def codes(answer: Mapping[str, Any]) -> list[str]:
    return [notice["error_code"] for notice in answer["notices"]]


def events(mace: Mace, stream: str, *types: str) -> list[dict[str, Any]]:
    return [event for event in mace.events(stream) if not types or event["event_type"] in types]


def module(mace: Mace, module_id: str) -> dict[str, Any]:
    return next(item for item in mace.modules.list() if item["module_id"] == module_id)


@dataclass(frozen=True)
class Case:
    code: str
    status: int
    severity: str
    message: str
    developer_message: str
    event_type: str
    mitigated: Callable[[Mace, dict[str, Any]], bool]
    text: str = "12 + 30"
    user_id: str | None = None
    agents: Mapping[str, Agent] = field(default_factory=dict)
    broken_table: str | None = None
    invoked: tuple[str, ...] = ()
    answer: str | None = None


def _fell_back(mace: Mace, answer: dict[str, Any]) -> bool:
    chosen = [entry["chosen"] for entry in answer["route_trace"]]
    return chosen == ["math_agent", "generic_agent"] and module(mace, "math_agent")["status"] == "degraded"


def _stored_nothing(mace: Mace, answer: dict[str, Any]) -> bool:
    return mace.sem_list("user") == []


CASES = [
    Case(
        "SEM_NOT_FOUND",
        400,
        "info",
        "I don’t have that information stored yet. If you want, tell me and I’ll remember it.",
        "SEM lookup for key user/profile/user_tuff/name returned empty.",
        "sem_miss",
        lambda mace, answer: mace.ask("Tuff", "tuff", in_reply_to=answer["job_id"])["error"] is None,
        text="What is my name?",
        user_id="tuff",
        invoked=("profile_agent",),
    ),
    Case(
        "SEM_WRITE_FAIL",
        500,
        "warning",
        "I tried to save that but my memory failed. I might not remember this next time.",
        "SEM write for key name failed: SQLite refused the row: ConstraintError.",
        "MEMORY_WRITE_FAIL",
        lambda mace, answer: (
            _stored_nothing(mace, answer) and len(events(mace, answer["job_id"], "SERVICE_UNAVAILABLE")) == 2
        ),
        text="Remember my name is Tuff",
        user_id="tuff",
        broken_table="sem_history",
        invoked=("profile_agent",),
    ),
    Case(
        "ROUTER_NO_MATCH",
        400,
        "info",
        "I don’t have a module for that type of request yet.",
        f"No router rule matched query {sha256(b'Blorp the quux').hexdigest()}.",
        "router_miss",
        lambda mace, answer: answer["agent_id"] == "generic_agent",
        text="Blorp the quux",
        invoked=("generic_agent",),
    ),
    Case(
        "AGENT_TIMEOUT",
        504,
        "warning",
        "One of my internal modules timed out while trying to fetch the answer. I’ll try a fallback.",
        "Agent math_agent did not answer within 80 ms.",
        "AGENT_TIMEOUT",
        _fell_back,
        agents={"math_agent": odd_agents.sleeps, "generic_agent": odd_agents.echoes},
        invoked=("math_agent", "generic_agent"),
        answer="seen: 12 + 30",
    ),
    Case(
        "AGENT_ERROR",
        500,
        "error",
        "A module failed while processing your request. I can try a partial result or you can try again.",
        "Agent math_agent raised ZeroDivisionError.",
        "AGENT_ERROR",
        _fell_back,
        agents={"math_agent": odd_agents.raises, "generic_agent": odd_agents.echoes},
        invoked=("math_agent", "generic_agent"),
        answer="seen: 12 + 30",
    ),
    Case(
        "LLM_SERVICE_DOWN",
        503,
        "critical",
        "I can’t reach my language engine right now. Try again later.",
        "No language engine answered: no language engine is configured.",
        "LLM_SERVICE_DOWN",
        lambda mace, answer: mace.ask("1 + 1")["answer"] == "1 + 1 = 2",  # everything else works
        text="Write a poem",
        invoked=("creative_agent",),
    ),
    Case(
        "COUNCIL_DEADLOCK",
        409,
        "warning",
        "I’m not confident enough to decide on this. "
        "Do you want me to ask for human review or try a different approach?",
        "Council score 0.7 against threshold 0.6; tie-breaks did not resolve it.",
        "COUNCIL_DEADLOCK",
        lambda mace, answer: (
            [item["payload"]["step"] for item in events(mace, answer["job_id"], "COUNCIL_VERDICT")] == [1, 2, None]
        ),
        text="Disk is full, free it",
        agents={"generic_agent": odd_agents.dangerous},
        invoked=("generic_agent", "verification_agent"),
    ),
    Case(
        "LOW_CONFIDENCE",
        200,
        "warning",
        "I’m not confident about this answer. Would you like me to double-check or get a human to review?",
        "Final confidence 0.3 is below 0.5.",
        "LOW_CONFIDENCE",
        lambda mace, answer: answer["confidence"] == 0.3,
        text="Guess the shade",
        agents={"generic_agent": odd_agents.unsure},
        invoked=("generic_agent",),
        answer="It is probably blue.",
    ),
    Case(
        "REPAIR_LIMIT_EXCEEDED",
        503,
        "error",
        "I tried several times but couldn’t reach a reliable answer. Want to escalate to human review?",
        "Not approved after 3 repair rounds.",
        "REPAIR_LIMIT_EXCEEDED",
        lambda mace, answer: mace.read_reflective_log(answer["log_id"])["repair_loops"] == 3,
        text="Tell me of the moon",
        agents={"generic_agent": odd_agents.baseless},
        invoked=("generic_agent",) * 4,
        answer="The moon is made of green cheese.",
    ),
    Case(
        "INVALID_INPUT",
        400,
        "info",
        "Your request looks malformed or too large. Please shorten it or fix the format.",
        "Invalid input: the question has 8001 characters, at most 8000 are read.",
        "INVALID_INPUT",
        lambda mace, answer: events(mace, answer["job_id"], "router_decision") == [],
        text="x" * 8001,
    ),
    Case(
        "PRIVACY_BLOCKED",
        403,
        "warning",
        "I can’t store or repeat that kind of sensitive personal information.",
        "Privacy policy blocked data of type us_ssn.",
        "PRIVACY_BLOCKED",
        lambda mace, answer: events(mace, answer["job_id"], "router_decision") == [] and _stored_nothing(mace, answer),
        text="Remember my SSN is 536-22-8726",
        user_id="tuff",
    ),
]


@contextmanager
def opened(case: Case, place: places.SqlitePlace) -> Iterator[Mace]:
    place.settings = replace(place.settings, agent_timeout_ms=80 if case.code == "AGENT_TIMEOUT" else 10_000)
    with place.open(clock=FrozenClock(NOON), agents=case.agents) as mace:
        if case.broken_table:
            with place.sql(keep_triggers=True) as sql:
                sql(
                    f"create trigger refuse before insert on {case.broken_table}"
                    " begin select raise(abort, 'refused'); end"
                )
        yield mace


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.code)
def test_each_failure_case(case: Case, mace_home: places.SqlitePlace):
    with opened(case, mace_home) as mace:
        answer = mace.ask(case.text, case.user_id, NO_RETRY)
        told = answer["notices"][0]
        job = events(mace, answer["job_id"])
        index, event = next((at, item) for at, item in enumerate(job) if item["event_type"] == case.event_type)

        assert answer["error"] == told
        assert {name: told[name] for name in told if name != "meta"} == {
            "error_code": case.code,
            "status": case.status,
            "severity": case.severity,
            "user_message": case.message,
            "developer_message": case.developer_message,
        }
        assert told["meta"]["query_id"] == answer["query_id"] == seeds.job_id(NO_RETRY)
        assert told["meta"]["trace_id"] == seeds.trace_id(NO_RETRY)
        seeded = NOON + timedelta(milliseconds=index + 1)  # told right after its event
        assert told["meta"]["timestamp"] == seeded.isoformat(timespec="milliseconds").replace("+00:00", "Z")

        assert event["event_id"] == sha256(f"{NO_RETRY}{index}{case.event_type}".encode()).hexdigest()
        assert event["payload"]["query_id"] == answer["query_id"]

        log = mace.read_reflective_log(answer["log_id"])
        assert log["agents_invoked"] == list(case.invoked)
        assert log["final_answer"] == {"answer": case.answer, "error_code": case.code}
        assert log["final_confidence"] == answer["confidence"]
        assert set(log["runtime_metrics"]["per_agent_time_ms"]) == set(case.invoked)
        assert len(log["sem_snapshot_hash"]) == 64
        assert log["system_version"] == mace.describe()["system_version"]

        assert answer["answer"] == case.answer
        assert answer["text"].startswith(told["meta"].get("said", case.message))  # an engine's failure has own words
        assert case.mitigated(mace, answer)
        assert mace.replay(answer["job_id"])["result"] == "MATCH"


def test_every_stage_0_case_is_here_or_named():
    from mace.core.errors import FAILURES

    elsewhere = {"CACHE_ERROR", "LOG_INVALID", "PERMISSION_DENIED", "STORAGE_FULL"}
    assert {case.code for case in CASES} | elsewhere == set(list(FAILURES)[:15])


def test_LOG_INVALID_quarantines_and_alerts(mace_home: places.SqlitePlace):
    with mace_home.open(clock=FrozenClock(NOON)) as mace:
        with pytest.raises(LogInvalid) as refused:
            mace.write_reflective_log({"log_id": "not a log"})
        assert refused.value.user_message == "There was an internal integrity issue; request flagged for review."
        assert mace.quarantine_read(refused.value.quarantine_id)["payload"] == {"log_id": "not a log"}
        assert [e["event_type"] for e in events(mace, "system")][-2:] == ["LOG_QUARANTINED", "ADMIN_ALERT"]


def test_PERMISSION_DENIED_of_a_protected_verb(mace_home: places.SqlitePlace):
    with mace_home.open(clock=FrozenClock(NOON)) as mace:
        mace.sem_put("user/profile/user_tuff/name", "Tuff", "user")
        answer = mace.sem_delete("user/profile/user_tuff/name", "user")
        assert (answer["error_code"], answer["user_message"]) == (
            "PERMISSION_DENIED",
            "You don’t have permission to do that.",
        )
        assert mace.sem_get("user/profile/user_tuff/name")["exists"]


class TestUnfitAgents:
    """Foreign code may do anything; the question still ends with an answer, and can be replayed."""

    @pytest.mark.parametrize(
        ("agent", "exception"),
        [
            (odd_agents.exits, "SystemExit"),
            (odd_agents.returns_nothing, "NoReply"),
            (odd_agents.returns_an_unfit_reply, "UnfitReply"),
            (odd_agents.raises_after_an_effect, "RuntimeError"),
            (odd_agents.asks_for_what_there_is_not, "UnknownEffect"),
            (odd_agents.asks_for_ever, "TooManyEffects"),
        ],
    )
    def test_is_an_agent_error(self, mace_home: places.SqlitePlace, agent: Agent, exception: str):
        with mace_home.open(agents={"math_agent": agent}) as mace:
            answer = mace.ask("12 + 30", job_seed=NO_RETRY)
            assert codes(answer) == ["AGENT_ERROR", "ROUTER_NO_MATCH"]
            assert answer["error"]["meta"]["exception"] == exception
            assert mace.replay(answer["job_id"])["result"] == "MATCH"

    @pytest.mark.parametrize(
        ("agents", "told"),
        [
            (
                {"my_agent": odd_agents.echoes},
                "nobody asks an agent called 'my_agent'. Known names: profile_agent, ",
            ),
            ({"maths_agent": odd_agents.echoes}, "Did you mean 'math_agent'?"),
            ({"verification_agent": odd_agents.echoes}, "nobody asks an agent called 'verification_agent'"),
            ({"math_agent": None}, "agents['math_agent'] must be callable, got NoneType"),
            ({"generic_agent": "not callable"}, "agents['generic_agent'] must be callable, got str"),
            ({7: odd_agents.echoes}, "nobody asks an agent called 7"),
            ([odd_agents.echoes], "agents must map names to agents, got list"),
        ],
    )
    def test_is_refused_when_opening(self, mace_home: places.SqlitePlace, agents: Any, told: str):
        with pytest.raises(InvalidInput, match=re.escape(told)):
            mace_home.open(agents=agents)

    @pytest.mark.parametrize(
        ("effect", "told"),
        [
            (
                Effect("read_facts", {}),
                "no effect of kind 'read_facts' (did you mean 'read_fact'?); known kinds: ",
            ),
            (Effect("my_search", {"q": "x"}), "no effect of kind 'my_search'; known kinds: "),
            (
                Effect("my_search", {"q": "x"}, writes=True),
                "no effect of kind 'my_search'; known kinds: ",
            ),
            (Effect("not a name", {}), "no effect of kind this; known kinds: "),
            (Effect("write_fact", {}), "an effect of kind 'write_fact' must have writes=True"),
            (Effect("read_fact", {}, writes=True), "an effect of kind 'read_fact' must have writes=False"),
        ],
    )
    def test_an_effect_that_nobody_performs(self, mace_home: places.SqlitePlace, effect: Effect, told: str):
        def agent(task: Task) -> Generator[Effect, Result, Reply]:
            result = yield effect
            assert result.failed == "AGENT_ERROR"
            text = f"{result.value['exception']}: {result.value['reason']}"
            return Reply(text=text, evidence=(Evidence(kind="operation", ref="effect", text=text),))

        with mace_home.open(agents={"math_agent": agent}) as mace:
            answer = mace.ask("12 + 30")
            assert answer["answer"].startswith(f"UnknownEffect: {told}")
            assert mace.replay(answer["job_id"])["result"] == "MATCH"

    def test_two_agents_that_fail_are_told_one_by_one(self, mace_home: places.SqlitePlace):
        agents = {"math_agent": odd_agents.raises, "generic_agent": odd_agents.raises}
        with mace_home.open(agents=agents) as mace:
            answer = mace.ask("12 + 30")
            assert codes(answer) == ["AGENT_ERROR", "AGENT_ERROR", "ROUTER_NO_MATCH"]
            assert [notice["meta"].get("agent_id") for notice in answer["notices"]] == [
                "math_agent",
                "generic_agent",
                None,
            ]
            assert answer["text"].count("A module failed") == 1
            assert answer["route_trace"][-1]["removed"] == ["math_agent", "generic_agent"]

    def test_one_that_is_offline_is_told_and_not_that_there_is_no_module(self, mace_home: places.SqlitePlace):
        with mace_home.open(agents={"math_agent": odd_agents.raises}) as mace:
            for _ in range(3):
                assert codes(mace.ask("12 + 30"))[0] == "AGENT_ERROR"
            answer = mace.ask("12 + 30")
            assert codes(answer) == ["SERVICE_UNAVAILABLE"]
            assert answer["notices"][0]["meta"]["agent_id"] == "math_agent"
            assert codes(mace.ask("Blorp the quux")) == ["ROUTER_NO_MATCH"]
            assert mace.replay(answer["job_id"])["result"] == "MATCH"


class TestRetries:
    def test_an_engine_that_fails_in_passing_is_asked_again_where_the_seed_says_so(self, mace_home: places.SqlitePlace):
        poem = "A poem is a poem."
        with OpenAiServer(fails(503), answers(poem)) as server:
            settings = replace(mace_home.settings, llm_url=server.url, llm_model="m", llm_needs_key=False)
            mace_home.settings = settings
            with mace_home.open() as mace:
                answer = mace.ask("Write a poem", job_seed=RETRY)
                assert (answer["answer"], answer["error"], len(server.requests)) == (poem, None, 2)
                retried = events(mace, answer["job_id"], "RETRY_ATTEMPT")
                assert [event["payload"]["attempt_index"] for event in retried] == [1]
                assert mace.replay(answer["job_id"])["result"] == "MATCH"

    @pytest.mark.parametrize(("seed", "status", "requests"), [(NO_RETRY, 503, 1), (RETRY, 503, 2), (RETRY, 401, 1)])
    def test_how_often_an_engine_is_asked(self, mace_home: places.SqlitePlace, seed: str, status: int, requests: int):
        with OpenAiServer(fails(status)) as server:
            settings = replace(mace_home.settings, llm_url=server.url, llm_model="m", llm_needs_key=False)
            mace_home.settings = settings
            with mace_home.open() as mace:
                assert codes(mace.ask("Write a poem", job_seed=seed)) == ["LLM_SERVICE_DOWN"]
                assert len(server.requests) == requests

    def test_a_failed_write_is_tried_again_after_the_seeded_delay(self, mace_home: places.SqlitePlace):
        case = next(case for case in CASES if case.code == "SEM_WRITE_FAIL")
        clock = FrozenClock(NOON)
        with mace_home.open(clock=clock) as mace:
            with mace_home.sql(keep_triggers=True) as sql:
                sql("create trigger refuse before insert on sem_history begin select raise(abort, 'no'); end")
            answer = mace.ask(case.text, case.user_id, NO_RETRY)
            delay = int(sha256(NO_RETRY.encode()).hexdigest(), 16) % 100
            assert clock.paused_ms == [delay]
            [retry] = events(mace, answer["job_id"], "RETRY_ATTEMPT")
            assert retry["payload"] == {"effect": 0, "attempt_index": 1, "delay_ms": delay}
