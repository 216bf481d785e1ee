"""How severe an incident is, and which of them halt replays: tables."""

import pytest

from mace.governance import incidents

pytestmark = pytest.mark.stage1


@pytest.mark.parametrize(
    ("kind", "down_ms", "count", "severity"),
    [
        ("INTEGRITY_FAILURE", 0, 1, "critical"),
        ("SECURITY_INCIDENT", 0, 1, "critical"),
        ("POLICY_VIOLATION", 0, 1, "critical"),
        ("SERVICE_UNAVAILABLE", 300_000, 1, "error"),
        ("SERVICE_UNAVAILABLE", 300_001, 1, "critical"),
        ("SERVICE_UNAVAILABLE", 60_000, 1, "warning"),
        ("SERVICE_UNAVAILABLE", 60_001, 1, "error"),
        ("AGENT_TIMEOUT", 0, 1, "warning"),
        ("AGENT_TIMEOUT", 0, 3, "error"),
        ("AGENT_TIMEOUT", 0, 10, "critical"),
    ],
)
def test_severity_by_fixed_thresholds(kind: str, down_ms: int, count: int, severity: str):
    assert incidents.severity(kind, down_ms=down_ms, count=count) == severity
