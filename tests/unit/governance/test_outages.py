"""An outage as a table: since when, how often, how severe, and what admins have still to hear."""

from datetime import UTC, datetime, timedelta

import pytest

from mace.governance import outages
from mace.governance.outages import Outage

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("down", "failures", "told", "severity", "alerts"),
    [
        (timedelta(0), 1, "warning", "warning", False),
        (timedelta(0), 2, "warning", "warning", False),
        (timedelta(0), 3, "warning", "error", True),
        (timedelta(0), 3, "error", "error", False),
        (timedelta(0), 10, "error", "critical", True),
        (timedelta(0), 10, "critical", "critical", False),
        (timedelta(minutes=1), 1, "warning", "warning", False),
        (timedelta(minutes=1, milliseconds=1), 1, "warning", "error", True),
        (timedelta(minutes=6), 1, "warning", "critical", True),
        (timedelta(minutes=-6), 1, "warning", "warning", False),  # the clock was set back
    ],
)
def test_when_admins_hear_of_it(down: timedelta, failures: int, told: str, severity: str, alerts: bool):
    outage = Outage(since=NOON, failures=failures)
    assert outage.severity(NOON + down) == severity
    alert = outages.alert(outage, told, NOON + down)
    assert (alert is not None) is alerts
    if alert is not None:
        assert (alert["severity"], alert["failures"], alert["about"]) == (severity, failures, "SERVICE_UNAVAILABLE")


def test_what_waits_tells_of_it():
    down = {"event_type": "SERVICE_UNAVAILABLE", "at": "2026-01-31T12:00:05.000000Z"}
    first = {"event_type": "SERVICE_UNAVAILABLE", "at": "2026-01-31T12:00:00.000000Z"}
    torn = {"event_type": "INTEGRITY_FAILURE", "reason": "torn"}
    alert = {"event_type": "ADMIN_ALERT", "about": "SERVICE_UNAVAILABLE", "severity": "error"}
    other = {"event_type": "ADMIN_ALERT", "code": "SEM_WRITE_FAIL", "severity": "critical"}
    assert outages.outage_in([]) is None
    assert outages.outage_in([torn, alert]) is None
    assert outages.outage_in([down, torn, first, alert]) == Outage(since=NOON, failures=2)
    assert outages.told_in([down, other]) == "warning"
    assert outages.told_in([alert, other]) == "error"
