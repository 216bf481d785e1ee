"""Any `Computer` will do: what the engine acts on is the port's, wherever the computing is done."""

from collections.abc import Mapping
from typing import Any

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


def test_out_of_time_is_one_exception():
    with computing.Computer() as computer, pytest.raises(ports.TimedOut):
        computer.compute("mace.agents.mathematics:anything", {}, 0)
    assert computing.TimedOut is runner.TimedOut is ports.TimedOut
    assert computing.Crashed is ports.Crashed
