"""When an administrator is told: `ADMIN_ALERT` at once for what is critical, for the rest on the third time.

Pure: occurrences of failures go in with their times, the next state and at most one alert come out. Counting
is per error code and within a window of ten minutes; an alert starts the count anew, so that the sixth
occurrence alerts again. What is only informative (a missing fact, a malformed request) never alerts. Failing
to write is a warning that becomes critical at the third time in a row, however far apart; `wrote` says that a
write worked. The state is JSON, because alerts must not be forgotten at a restart.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Literal, TypeVar

V = TypeVar("V")
Severity = Literal["info", "warning", "error", "critical"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertRules:
    window_ms: int = 600_000
    repeats: int = 3
    # Codes that become critical at this many occurrences in a row.
    escalates_at: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({"SEM_WRITE_FAIL": 3}))


@dataclass(frozen=True, slots=True, kw_only=True)
class Occurrence:
    """A failure that was recorded: its code, its severity in the error table, what it struck, and when."""

    code: str
    severity: Severity
    subject: str
    at_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AdminAlert:
    """The payload of an `ADMIN_ALERT` event."""

    code: str
    severity: Severity
    subject: str
    because: str
    count: int
    at_ms: int

    def to_json(self) -> dict[str, Any]:
        return {
            "code": self.code,
            "severity": self.severity,
            "subject": self.subject,
            "because": self.because,
            "count": self.count,
            "at_ms": self.at_ms,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertState:
    """Recent times per code, oldest first, and how often in a row the codes that escalate have occurred."""

    recent: Mapping[str, tuple[int, ...]] = field(default_factory=lambda: MappingProxyType({}))
    in_a_row: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))

    def to_json(self) -> dict[str, Any]:
        return {
            "recent": {code: list(times) for code, times in sorted(self.recent.items())},
            "in_a_row": dict(sorted(self.in_a_row.items())),
        }

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> "AlertState":
        return AlertState(
            recent=MappingProxyType({code: tuple(times) for code, times in data["recent"].items()}),
            in_a_row=MappingProxyType(dict(data["in_a_row"])),
        )


def decide(
    state: AlertState,
    occurrence: Occurrence,
    rules: AlertRules = AlertRules(),  # noqa: B008 (frozen)
) -> tuple[AlertState, AdminAlert | None]:
    """Take in one failure; return the next state and the alert it causes, if any."""
    if occurrence.severity == "info":
        return state, None
    code = occurrence.code
    severity = occurrence.severity
    count = 1
    because = "critical"
    if code in rules.escalates_at:
        count = state.in_a_row.get(code, 0) + 1
        state = replace(state, in_a_row=_with(state.in_a_row, code, count))
        if count >= rules.escalates_at[code]:
            severity, because = "critical", f"{count} in a row"
    if severity == "critical":
        state = replace(state, recent=_with(state.recent, code, ()))
        return state, _alert(occurrence, severity, because, count)
    times = sorted((*state.recent.get(code, ()), occurrence.at_ms))
    times = [at for at in times if times[-1] - at <= rules.window_ms][-rules.repeats :]
    if len(times) < rules.repeats:
        return replace(state, recent=_with(state.recent, code, tuple(times))), None
    because = f"{len(times)} within {rules.window_ms} ms"
    state = replace(state, recent=_with(state.recent, code, ()))
    return state, _alert(occurrence, severity, because, len(times))


def wrote(state: AlertState, code: str = "SEM_WRITE_FAIL") -> AlertState:
    """Return the state after a write that worked: failures before it do not count with later ones."""
    return replace(state, in_a_row=_with(state.in_a_row, code, 0)) if state.in_a_row.get(code) else state


def _alert(occurrence: Occurrence, severity: Severity, because: str, count: int) -> AdminAlert:
    return AdminAlert(
        code=occurrence.code,
        severity=severity,
        subject=occurrence.subject,
        because=because,
        count=count,
        at_ms=occurrence.at_ms,
    )


def _with(mapping: Mapping[str, V], key: str, value: V) -> Mapping[str, V]:
    """Return the mapping with one entry changed; what is empty is left out, so that the state stays small."""
    changed = {**mapping, key: value}
    if not value:
        del changed[key]
    return MappingProxyType(changed)
