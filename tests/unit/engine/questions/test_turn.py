"""A question's decisions and the driving of agents, on a tape that is a list."""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import pytest

from mace.agents.asking import Agent, Decline, Reply, Task
from mace.agents.health import Health, HealthRules
from mace.engine.kernel.job import snapshot_hash
from mace.engine.kernel.retry import agent_failure, decide
from mace.engine.kernel.tape import Outcome
from mace.engine.questions.program import RULEBOOK
from mace.engine.questions.results import sem_snapshot
from mace.engine.questions.turn import Turn, TurnRules, TurnState
from mace.providers.ports import TimedOut
from replay.list_tape import ListTape, OneHand, good

NO_RETRY, RETRY = "F-FAIL-01", "T16"


def at_once(step: Callable[[], Any], limit_ms: float) -> Any:
    return step()


def snapshot(**changes: Any) -> dict[str, Any]:
    held = {
        "health": Health().to_json(),
        "has_engine": False,
        "switches": {},
        "system_version": "mace-test",
        "constants": asdict(TurnRules()),
    }
    return {**held, **changes}


def received(text: str, **changes: Any) -> dict[str, Any]:
    held = {
        "text": text,
        "user_id": None,
        "query_id": "query-1",
        "query_text_hash": "0" * 64,
        "flags": [],
        "refused": None,
        "expected_key": None,
        "source": "user_request",
        "at_ms": 1_000_000,
    }
    return {**held, **changes}


def hear(
    text: str = "12 + 30",
    agents: dict[str, Agent] | None = None,
    *,
    tape: ListTape | None = None,
    outcome: Outcome | None = None,
    run_step: Callable[[Callable[[], Any], float], Any] = at_once,
    rules: TurnRules | None = None,
    held: dict[str, Any] | None = None,
    **changes: Any,
) -> tuple[TurnState, ListTape]:
    tape = tape or ListTape()
    hands = OneHand(outcome or Outcome({}), run_step)
    decisions = RULEBOOK.at({})
    turn = Turn(
        tape, received(text, **changes), held or snapshot(), rules or TurnRules(), decisions, agents or {}, hands
    )
    return turn.run(), tape


def codes(heard: TurnState) -> list[str]:
    return [notice["error_code"] for notice in heard.notices]


def times_out(step: Callable[[], Any], limit_ms: float) -> Any:
    raise TimedOut


class TestRouting:
    def test_the_first_agent_answers(self):
        heard, tape = hear(agents={"math_agent": lambda task: good()})
        assert (heard.answer, heard.agent_id, heard.route_reason) == ("fine", "math_agent", "math_detect")
        assert tape.types("EFFECT_DONE") == [
            "INPUT_RECEIVED",
            "router_decision",
            "AGENT_INVOKED",
            "AGENT_OUTPUT",
            "COUNCIL_VERDICT",
        ]

    def test_agent_and_reason_belong_together_after_a_fall_back(self):
        agents: dict[str, Agent] = {"math_agent": lambda task: Decline("no"), "generic_agent": lambda task: good()}
        heard, _ = hear(agents=agents)
        assert (heard.agent_id, heard.route_reason) == ("generic_agent", "fallback")
        assert [entry["route_reason"] for entry in heard.route_trace] == ["math_detect", "fallback"]
        assert heard.notices == []

    @pytest.mark.parametrize(
        ("flags", "told"),
        [
            ([], []),
            ([{"sensitivity": "medium", "pii_type": "email"}], []),
            ([{"sensitivity": "high", "pii_type": "us_ssn"}], ["us_ssn"]),
            ([{"sensitivity": "medium", "pii_type": "email"}, {"sensitivity": "high", "pii_type": "iban"}], ["iban"]),
        ],
    )
    def test_only_high_flags_block(self, flags: list[dict[str, str]], told: list[str]):
        heard, tape = hear(agents={"math_agent": lambda task: good()}, flags=flags)
        assert [notice["meta"]["pii_type"] for notice in heard.notices] == told
        assert tape.types().count("PII_FLAGGED") == len(flags)
        assert ("router_decision" in tape.types()) is not bool(told)

    def test_a_refusal_comes_before_everything(self):
        refused = {"code": "INVALID_INPUT", "details": {"reason": "empty"}}
        heard, tape = hear("", refused=refused, flags=[{"sensitivity": "high", "pii_type": "us_ssn"}])
        assert codes(heard) == ["INVALID_INPUT"]
        assert tape.types() == ["INPUT_RECEIVED", "PII_FLAGGED", "INVALID_INPUT"]


class TestRetries:
    @pytest.mark.parametrize(("seed", "invoked"), [(NO_RETRY, 1), (RETRY, 2)])
    def test_a_time_out(self, seed: str, invoked: int):
        heard, tape = hear(agents={"math_agent": lambda task: good()}, tape=ListTape(seed), run_step=times_out)
        assert tape.types().count("AGENT_TIMEOUT") == invoked + (2 if seed == RETRY else 1)  # generic_agent too
        assert heard.invoked.count("math_agent") == invoked
        assert codes(heard) == ["AGENT_TIMEOUT", "AGENT_TIMEOUT", "ROUTER_NO_MATCH"]

    def test_an_exception_is_not_tried_again(self):
        def raises(task: Task) -> Reply:
            raise ValueError

        heard, tape = hear(agents={"math_agent": raises}, tape=ListTape(RETRY))
        assert heard.invoked.count("math_agent") == 1
        assert "RETRY_ATTEMPT" not in tape.types()

    @pytest.mark.parametrize(
        ("reply", "transient"),
        [
            (Reply(text=None, failed="LLM_SERVICE_DOWN", details={"attempts": [{"kind": "server"}]}), True),
            (Reply(text=None, failed="LLM_SERVICE_DOWN", details={"attempts": [{"kind": "timeout"}]}), True),
            (Reply(text=None, failed="LLM_SERVICE_DOWN", details={"attempts": [{"kind": "auth"}]}), False),
            (Reply(text=None, failed="LLM_SERVICE_DOWN", details={"attempts": []}), False),
            (Reply(text=None, failed="LLM_SERVICE_DOWN"), False),
            (
                Reply(
                    text=None, failed="LLM_SERVICE_DOWN", details={"attempts": [{"kind": "auth"}, {"kind": "network"}]}
                ),
                True,
            ),
            (Reply(text=None, failed="SEM_NOT_FOUND", details={"attempts": [{"kind": "server"}]}), False),
        ],
    )
    def test_what_is_in_passing(self, reply: Reply, transient: bool):
        assert (decide(agent_failure(reply.failed, reply.details), 1, RETRY) is not None) is transient


class TestHealth:
    def offline(self, at_ms: int, *modules: str) -> dict[str, Any]:
        state = Health().to_json()
        state["modules"] = [
            {
                "module_id": module,
                "status": "offline",
                "consecutive_failures": 3,
                "last_failure_at_ms": at_ms,
                "dependency_unhealthy": False,
                "degraded_reason": "error",
                "offline_since_ms": at_ms,
                "on_probation": False,
                "writes_blocked": False,
                "needs_admin": False,
            }
            for module in modules
        ]
        return snapshot(health=state)

    def test_one_that_is_out_is_not_asked(self):
        agents: dict[str, Agent] = {"math_agent": lambda task: good("m"), "generic_agent": lambda task: good("g")}
        heard, _ = hear(agents=agents, held=self.offline(999_000, "math_agent"))
        assert (heard.answer, heard.route_trace[0]["removed"]) == ("g", ["math_agent"])

    def test_one_whose_time_has_passed_is_on_probation_when_it_is_used(self):
        agents: dict[str, Agent] = {"math_agent": lambda task: good("m"), "generic_agent": lambda task: good("g")}
        rules = TurnRules(health=HealthRules(probation_ms=1000))
        held = self.offline(999_000, "math_agent", "generic_agent")
        heard, tape = hear(agents=agents, held=held, rules=rules)
        assert heard.answer == "m"
        on_probation = [payload["module_id"] for kind, payload in tape.events if kind == "NODE_PROBATION"]
        assert on_probation == ["math_agent"]  # not the one that was not needed

    def test_success_of_the_healthy_is_no_news(self):
        heard, _ = hear(agents={"math_agent": lambda task: good()})
        assert heard.observed == []


class TestFailures:
    def told(self, details: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        reply = Reply(text=None, confidence=0.0, failed="INVALID_INPUT", details=details)
        heard, tape = hear(agents={"math_agent": lambda task: reply})
        return heard.notices[0]["meta"], dict(tape.events)["INVALID_INPUT"]

    def test_an_agent_has_no_say_in_whose_job_it_is(self):
        forged = {"query_id": "x", "trace_id": "y", "timestamp": "z", "user_id": "somebody", "reason": "r"}
        meta, payload = self.told(forged)
        assert meta["query_id"] == "query-1" and meta["trace_id"] != "y" and meta["timestamp"] != "z"
        assert "user_id" not in meta
        assert payload == {"query_id": "query-1", "reason": "r"}

    def test_only_plain_details_are_told(self):
        meta, payload = self.told({"reason": "r", "attempts": [{"kind": "server"}], "nothing": None, "count": 3})
        assert payload == {"query_id": "query-1", "reason": "r", "count": 3}
        assert "attempts" not in meta


def test_a_snapshot_of_facts_does_not_depend_on_the_order_they_were_read():
    first = sem_snapshot({"b": {"version": 1, "value_hash": "x"}, "a": {"version": 2, "value_hash": "y"}})
    second = sem_snapshot({"a": {"version": 2, "value_hash": "y"}, "b": {"version": 1, "value_hash": "x"}})
    assert snapshot_hash(first) == snapshot_hash(second)
    assert snapshot_hash(first) != snapshot_hash(sem_snapshot({}))
