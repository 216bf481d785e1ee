"""A store that is down: admins are alerted while it lasts, and it is an incident once the store is back."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from mace.core.errors import ServiceUnavailable
from mace.engine.runtime import Mace
from mace.interfaces.cli import main
from mace.providers.frozen import FrozenClock
from places import Place, SqlitePlace


@pytest.mark.stage1
@pytest.mark.parametrize(("minutes", "severities"), [(6, ["critical"]), (0, [])])
def test_an_outage_becomes_an_incident_when_it_lasted(
    mace_home: SqlitePlace, minutes: int, severities: list[str]
) -> None:
    clock = FrozenClock(datetime(2026, 1, 31, 12, tzinfo=UTC))
    with mace_home.open(clock=clock) as mace:
        assert mace._parts.spilling.keep("SERVICE_UNAVAILABLE", {"key": "world/fact/x/y", "reason": "down"}, None)
        clock.move(minutes=minutes)
        assert mace._parts.spilling.merge() == 1
        assert [item["severity"] for item in mace.incidents.list()] == severities
        assert mace._parts.spilling.merge() == 0
        assert mace.verify()["ok"]


def cut_off(mace: Mace, monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on the store takes nothing, as when its disk or its server is gone."""

    def write(_unit: Callable[..., Any]) -> Any:
        raise ServiceUnavailable("the disk is gone")

    monkeypatch.setattr(mace._parts.world.store, "write", write)


def failing(mace: Mace, times: int) -> None:
    for _ in range(times):
        with pytest.raises(ServiceUnavailable):
            mace._parts.spilling.write("test", lambda tx: None)


def alerts(mace: Mace) -> list[str]:
    waiting = mace._parts.world.spill.entries()
    return [entry["severity"] for entry in waiting if entry["event_type"] == "ADMIN_ALERT"]


@pytest.mark.stage1
def test_admins_are_alerted_while_it_lasts_and_the_doctor_sees_it(
    place: Place, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    clock = FrozenClock(datetime(2026, 1, 31, 12, tzinfo=UTC))
    with place.open(clock=clock) as mace:
        cut_off(mace, monkeypatch)
        failing(mace, 2)
        assert alerts(mace) == []
        failing(mace, 1)
        assert alerts(mace) == ["error"]
        failing(mace, 6)
        assert alerts(mace) == ["error"]  # each severity is told once
        failing(mace, 1)
        assert alerts(mace) == ["error", "critical"]
        failing(mace, 5)
        assert alerts(mace) == ["error", "critical"]
        assert mace.describe()["outage"] == {
            "since": "2026-01-31T12:00:00.000000Z",
            "failures": 15,
            "severity": "critical",
        }
        monkeypatch.undo()
        monkeypatch.setenv("MACE_CHECKPOINT_DIR", place.settings.checkpoint_dir)
        assert main(["doctor", "-C", place.settings.location, "--json"]) == 1
        (line,) = [item for item in json.loads(capsys.readouterr().out)["checks"] if item["name"] == "spill"]
        assert line["state"] == "fail"
        assert "critical" in line["detail"]
        assert "15 writes failed" in line["detail"]
        mace._parts.spilling.write("test", lambda tx: None)
        assert [item["severity"] for item in mace.incidents.list()] == ["critical"]
        told = [event["payload"]["severity"] for event in mace.events("system") if event["event_type"] == "ADMIN_ALERT"]
        assert told == ["error", "critical", "critical"]  # the last one is that of the incident
        assert mace.describe()["outage"] is None
        assert mace.verify()["ok"]


def test_time_alone_makes_it_critical_and_a_new_process_goes_on_counting(
    mace_home: SqlitePlace, monkeypatch: pytest.MonkeyPatch
):
    clock = FrozenClock(datetime(2026, 1, 31, 12, tzinfo=UTC))
    with mace_home.open(clock=clock) as mace:
        cut_off(mace, monkeypatch)
        failing(mace, 1)
        clock.move(minutes=2)
        failing(mace, 1)
        assert alerts(mace) == ["error"]
    with mace_home.open(clock=clock, read_only=True) as mace:
        assert mace.describe()["outage"]["failures"] == 2
    clock.move(minutes=4)
    with mace_home.open(clock=clock) as mace:
        cut_off(mace, monkeypatch)
        failing(mace, 1)
        assert alerts(mace) == ["error", "critical"]


def test_the_doctor_tells_of_it_when_the_store_does_not_open(
    mace_home: SqlitePlace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    with mace_home.open() as mace:
        cut_off(mace, monkeypatch)
        failing(mace, 10)
    mace_home.file.write_bytes(b"not a database" * 1000)
    monkeypatch.setenv("MACE_CHECKPOINT_DIR", mace_home.settings.checkpoint_dir)
    assert main(["doctor", "-C", mace_home.settings.location, "--json"]) == 1
    checks = {item["name"]: item for item in json.loads(capsys.readouterr().out)["checks"]}
    assert (checks["store"]["state"], checks["spill"]["state"]) == ("fail", "fail")
    assert "10 writes failed" in checks["spill"]["detail"]
