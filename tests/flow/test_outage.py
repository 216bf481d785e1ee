"""A store that was down for long is an incident once it is back; a short failure is only an event."""

from datetime import UTC, datetime

import pytest

from mace.providers.frozen import FrozenClock
from places import SqlitePlace


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
