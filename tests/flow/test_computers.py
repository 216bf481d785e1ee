"""Any `Computer` will do: what the engine acts on is the port's, wherever the computing is done."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

import pytest

import places
from mace.providers import computing, ports, runner

QUESTION = "Integrate x^2 dx"


class _Elsewhere:
    """A `Computer` that knows nothing but the port."""

    raises: Exception

    def compute(self, function: str, arguments: Mapping[str, Any], limit_ms: int) -> Any:
        raise self.raises

    def close(self) -> None:
        pass


@pytest.mark.parametrize(
    ("raised", "code"), [(ports.TimedOut(5), "AGENT_TIMEOUT"), (ports.Crashed("it died"), "AGENT_ERROR")]
)
def test_what_another_computer_raises_is_told_apart(
    mace_home: places.SqlitePlace, monkeypatch: pytest.MonkeyPatch, raised: Exception, code: str
):
    monkeypatch.setattr(_Elsewhere, "raises", raised, raising=False)
    monkeypatch.setattr(computing, "Computer", _Elsewhere)
    with mace_home.open() as m:
        answer = m.ask(QUESTION)
        told = [item["error_code"] for item in (*answer["notices"], answer["error"]) if item]
        assert code in told
        assert not {"AGENT_TIMEOUT", "AGENT_ERROR"} - {code} & set(told)
        assert m.replay(answer["job_id"])["result"] == "MATCH"


class _Counting(_Elsewhere):
    """Takes all the time it is given, and remembers how much that was."""

    limits: ClassVar[list[int]] = []

    def compute(self, function: str, arguments: Mapping[str, Any], limit_ms: int) -> Any:
        self.limits.append(limit_ms)
        raise ports.TimedOut(limit_ms)


@pytest.mark.parametrize("seed", ["F-FAIL-01", "T16"])  # the second would try an agent again
def test_a_computation_has_its_agents_limit_once(
    mace_home: places.SqlitePlace, monkeypatch: pytest.MonkeyPatch, seed: str
):
    monkeypatch.setattr(_Counting, "limits", [])
    monkeypatch.setattr(computing, "Computer", _Counting)
    with mace_home.open() as m:
        answer = m.ask("Integrate exp(x^x) dx", job_seed=seed)
        types = [event["event_type"] for event in m.events(answer["job_id"])]
        assert len(_Counting.limits) == 1
        assert _Counting.limits[0] <= 10_000
        assert "AGENT_TIMEOUT" in types
        assert "RETRY_ATTEMPT" not in types
        assert m.replay(answer["job_id"])["result"] == "MATCH"


def test_a_hard_integral_ends_within_the_agents_limit(mace_home: places.SqlitePlace):
    """With the real worker: it is stopped when the time is over, and asked once."""
    mace_home.settings = replace(mace_home.settings, agent_timeout_ms=500)
    with mace_home.open() as m:
        answer = m.ask("Integrate sqrt(tan(x)) * exp(x^3) * log(sin(x) + 2) dx", job_seed="T16")
        events = m.events(answer["job_id"])
        invoked = [event["payload"] for event in events if event["event_type"] == "AGENT_INVOKED"]
        assert [item["attempt"] for item in invoked if item["agent_id"] == "math_agent"] == [1]
        assert m.replay(answer["job_id"])["result"] == "MATCH"


def test_out_of_time_is_one_exception():
    with computing.Computer() as computer, pytest.raises(ports.TimedOut):
        computer.compute("mace.agents.mathematics:anything", {}, 0)
    assert computing.TimedOut is runner.TimedOut is ports.TimedOut
    assert computing.Crashed is ports.Crashed
