"""The driving of an agent: its time, its effects, and what it may hand back."""

from collections.abc import Callable, Generator
from typing import Any

import pytest

from mace.agents.asking import Agent, Decline, Effect, Reply, Result, Task
from mace.agents.evidence import Evidence
from mace.engine.kernel.tape import Outcome
from mace.engine.questions.agent_driver import Driver, _what_is_wrong
from replay.list_tape import ListTape, OneHand, Stopwatch, good


class TestDriver:
    """The time of an agent, its effects, and what it may hand back."""

    def drive(self, agent: Agent, *, limit_ms: int = 100, watch: Stopwatch | None = None, **options: Any) -> Any:
        self.limits: list[float] = []

        def run_step(step: Callable[[], Any], left_ms: float) -> Any:
            self.limits.append(left_ms)
            return step()

        self.hands = OneHand(options.pop("outcome", Outcome({"key": "k"})), run_step, watch or Stopwatch())
        driver = Driver(ListTape(), {"a": agent}, self.hands, limit_ms, lambda effect, outcome: None)
        return driver.run("a", Task(text="?"))

    def test_a_step_has_the_time_that_is_left(self):
        watch = Stopwatch()

        def slow(task: Task) -> Generator[Effect, Result, Reply]:
            watch.at += 30
            yield Effect("read_fact", {})
            watch.at += 20
            yield Effect("read_fact", {})
            return good()

        assert self.drive(slow, watch=watch, limit_ms=5000).text == "fine"
        assert self.limits == [5000, 4970, 4950]
        assert self.hands.limits == [4970, 4950]

    def test_an_effect_that_used_the_time_up_may_still_be_answered(self):
        watch = Stopwatch()

        def waits(task: Task) -> Generator[Effect, Result, Reply]:
            found = yield Effect("complete", {})
            return Reply(text=None, failed=found.failed)

        class Slow(OneHand):
            def perform(self, effect: Effect, limit_ms: float) -> Outcome:
                watch.at += 500
                return Outcome({}, "LLM_SERVICE_DOWN")

        self.limits = []
        hands = Slow(Outcome({}), lambda step, left: (self.limits.append(left), step())[1], watch)
        driver = Driver(ListTape(), {"a": waits}, hands, 100, lambda effect, outcome: None)
        assert driver.run("a", Task(text="?")).failed == "LLM_SERVICE_DOWN"  # type: ignore[union-attr]
        assert self.limits[1] > 0

    def test_but_nothing_more_is_begun(self):
        watch = Stopwatch()

        def greedy(task: Task) -> Generator[Effect, Result, Reply]:
            watch.at += 101
            yield Effect("read_fact", {})
            return good()

        reply = self.drive(greedy, watch=watch)
        assert (reply.failed, reply.details) == ("AGENT_TIMEOUT", {"timeout_ms": 100})
        assert self.hands.limits == []

    def test_an_agent_is_given_the_result(self):
        def asks(task: Task) -> Generator[Effect, Result, Reply]:
            found = yield Effect("read_fact", {})
            return good(f"{found.value} {found.failed}")

        assert self.drive(asks, outcome=Outcome({"a": 1}, "DATA_UNAVAILABLE")).text == "{'a': 1} DATA_UNAVAILABLE"

    @pytest.mark.parametrize(
        ("said", "wrong"),
        [
            (good(), None),
            (Reply(text=None, failed="SEM_NOT_FOUND"), None),
            (Decline("no"), None),
            (Effect("read_fact", {"key": "k"}), None),
            (None, "NoReply"),
            ("text", "NoReply"),
            ({"text": "t"}, "NoReply"),
            (Decline("x" * 1001), "UnfitDecline"),
            (Decline(None), "UnfitDecline"),  # type: ignore[arg-type]
            (Decline("\ud800"), "UnfitDecline"),
            (Effect("read_fact", {"key": {1, 2}}), "UnfitEffect"),
            (Effect("read_fact", {1: "k"}), "UnfitEffect"),  # type: ignore[dict-item]
            (Effect("read_fact", None), "UnfitEffect"),  # type: ignore[arg-type]
            (Effect(None, {}), "UnfitEffect"),  # type: ignore[arg-type]
            (Reply(text=7), "UnfitReply"),  # type: ignore[arg-type]
            (Reply(text="\ud800"), "UnfitReply"),
            (Reply(text="x" * 1_000_001), "UnfitReply"),
            (Reply(text="t", confidence=1.1), "UnfitReply"),
            (Reply(text="t", confidence=-0.1), "UnfitReply"),
            (Reply(text="t", confidence=float("nan")), "UnfitReply"),
            (Reply(text="t", confidence=True), "UnfitReply"),
            (Reply(text="t", confidence="1"), "UnfitReply"),  # type: ignore[arg-type]
            (Reply(text="t", tokens=-1), "UnfitReply"),
            (Reply(text="t", tokens=1.5), "UnfitReply"),  # type: ignore[arg-type]
            (Reply(text="t", failed="NO_SUCH_CODE"), "UnfitReply"),
            (Reply(text="t", trace=(1,)), "UnfitReply"),  # type: ignore[arg-type]
            (Reply(text="t", trace=None), "UnfitReply"),  # type: ignore[arg-type]
            (Reply(text="t", trace=("x" * 100_001,)), "UnfitReply"),
            (Reply(text="t", details={"when": float("inf")}), "UnfitReply"),
            (Reply(text="t", evidence=("fact",)), "UnfitReply"),  # type: ignore[arg-type]
            (Reply(text="t", evidence=(Evidence(kind="rumour", ref="r", text="t"),)), "UnfitReply"),  # type: ignore[arg-type]
            (Reply(text="t", evidence=(Evidence(kind="fact", ref="r", text="t", score=float("nan")),)), "UnfitReply"),
            (Reply(text="t", expects_key=7), "UnfitReply"),  # type: ignore[arg-type]
        ],
    )
    def test_what_an_agent_may_hand_back(self, said: Any, wrong: str | None):
        assert _what_is_wrong(said) == wrong
