"""Incidents: how severe one is, by fixed thresholds.

Pure. The same facts give the same severity on every node and on every replay; nobody's judgement enters.
"""

from collections.abc import Mapping
from types import MappingProxyType

INFO, WARNING, ERROR, CRITICAL = "info", "warning", "error", "critical"

# What is critical whatever else is known: trust in the record or in a module is gone.
ALWAYS: Mapping[str, str] = MappingProxyType(
    {
        "INTEGRITY_FAILURE": CRITICAL,
        "POLICY_VIOLATION": CRITICAL,
        "SECURITY_INCIDENT": CRITICAL,
    }
)
DOWN_CRITICAL_MS = 300_000  # the text's example: a service down for more than five minutes
DOWN_ERROR_MS = 60_000
REPEATS_CRITICAL = 10
REPEATS_ERROR = 3


def severity(kind: str, *, down_ms: int = 0, count: int = 1) -> str:
    """Return the severity of an incident of this kind: by kind, by how long something was down, by how often."""
    if kind in ALWAYS:
        return ALWAYS[kind]
    if down_ms > DOWN_CRITICAL_MS or count >= REPEATS_CRITICAL:
        return CRITICAL
    if down_ms > DOWN_ERROR_MS or count >= REPEATS_ERROR:
        return ERROR
    return WARNING
