"""Modules fail, go offline, come back; administrators hear of it. Nothing is quarantined by itself."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mace.agents.alerts import AlertRules, AlertState, Occurrence, Severity, decide, wrote
from mace.agents.health import (
    EVENT_TYPES,
    Declined,
    Failed,
    Health,
    HealthEvent,
    HealthRules,
    Observation,
    Quarantined,
    Recovered,
    Status,
    Succeeded,
    TriedAgain,
    Usability,
    Violated,
    may_write,
    observe,
    usability,
)
from mace.core import canon
from mace.core.errors import FAILURES

RULES = HealthRules()
GRAPH = {"writer": ("engine",), "editor": ("writer",), "reader": ()}


def failed(at_ms: int = 0, module: str = "engine") -> Failed:
    return Failed(module_id=module, at_ms=at_ms, kind="timeout")


def succeeded(at_ms: int = 0, module: str = "engine") -> Succeeded:
    return Succeeded(module_id=module, at_ms=at_ms)


def tried(at_ms: int, module: str = "engine") -> TriedAgain:
    return TriedAgain(module_id=module, at_ms=at_ms)


def recovered(approval: str | None = None) -> Recovered:
    return Recovered(module_id="engine", at_ms=9, actor="ana", approval_id=approval)


def quarantined(approval: str | None = "approval-1") -> Quarantined:
    return Quarantined(module_id="engine", at_ms=9, actor="ana", approval_id=approval)


DECLINED = Declined(module_id="engine", at_ms=0)
NO_ENGINE = Declined(module_id="engine", at_ms=0, reason="no_language_engine")
VIOLATED = Violated(module_id="engine", at_ms=5, rule="writes-outside-scope")


def run(seen: Sequence[Observation], health: Health | None = None) -> tuple[Health, list[HealthEvent]]:
    health = health or Health(dependencies=GRAPH)
    events: list[HealthEvent] = []
    for one in seen:
        health, more = observe(health, one, RULES)
        events += more
        assert Health.from_json(canon.loads(canon.dumps(health.to_json()))) == health
    return health, events


def types(events: Sequence[HealthEvent], *, flags: bool = False) -> list[str]:
    return [e.event_type for e in events if flags or not e.event_type.startswith("DEPENDENCY")]


@pytest.mark.parametrize(
    ("seen", "status", "failures", "events"),
    [
        ([], Status.HEALTHY, 0, []),
        ([succeeded()], Status.HEALTHY, 0, []),
        ([failed()], Status.DEGRADED, 1, ["NODE_DEGRADED"]),
        ([failed(), failed()], Status.DEGRADED, 2, ["NODE_DEGRADED"]),
        ([failed()] * 3, Status.OFFLINE, 3, ["NODE_DEGRADED", "NODE_OFFLINE", "ADMIN_ALERT"]),
        ([failed()] * 5, Status.OFFLINE, 5, ["NODE_DEGRADED", "NODE_OFFLINE", "ADMIN_ALERT"]),
        ([failed(), succeeded()], Status.HEALTHY, 0, ["NODE_DEGRADED", "NODE_RECOVERED"]),
        (
            [failed(), failed(), succeeded(), failed(), failed()],
            Status.DEGRADED,
            2,
            ["NODE_DEGRADED", "NODE_RECOVERED", "NODE_DEGRADED"],
        ),
        # Declining is not a failure, nor is a missing language engine; they are no success either.
        ([DECLINED] * 5 + [NO_ENGINE] * 5, Status.HEALTHY, 0, []),
        ([failed(), DECLINED, failed(), NO_ENGINE], Status.DEGRADED, 2, ["NODE_DEGRADED"]),
        # A late success does not bring an offline module back.
        ([failed()] * 3 + [succeeded()], Status.OFFLINE, 3, ["NODE_DEGRADED", "NODE_OFFLINE", "ADMIN_ALERT"]),
        (
            [failed()] * 3 + [recovered()],
            Status.HEALTHY,
            0,
            ["NODE_DEGRADED", "NODE_OFFLINE", "ADMIN_ALERT", "NODE_RECOVERED"],
        ),
        ([recovered()], Status.HEALTHY, 0, []),
        # Tried again after a minute.
        (
            [failed()] * 3 + [tried(60_000), succeeded(60_001)],
            Status.HEALTHY,
            0,
            ["NODE_DEGRADED", "NODE_OFFLINE", "ADMIN_ALERT", "NODE_PROBATION", "NODE_RECOVERED"],
        ),
        (
            [failed()] * 3 + [tried(60_000), failed(60_001)],
            Status.OFFLINE,
            4,
            ["NODE_DEGRADED", "NODE_OFFLINE", "ADMIN_ALERT", "NODE_PROBATION", "NODE_OFFLINE"],
        ),
        (
            [failed()] * 3 + [tried(59_999)],
            Status.OFFLINE,
            3,
            ["NODE_DEGRADED", "NODE_OFFLINE", "ADMIN_ALERT", "NODE_CHANGE_REFUSED"],
        ),
        # Quarantine needs an approval, and so does its end.
        ([quarantined(None)], Status.HEALTHY, 0, ["NODE_CHANGE_REFUSED"]),
        ([quarantined("")], Status.HEALTHY, 0, ["NODE_CHANGE_REFUSED"]),
        ([quarantined()], Status.QUARANTINED, 0, ["NODE_QUARANTINED"]),
        ([quarantined(), succeeded()], Status.QUARANTINED, 0, ["NODE_QUARANTINED"]),
        ([quarantined(), recovered()], Status.QUARANTINED, 0, ["NODE_QUARANTINED", "NODE_CHANGE_REFUSED"]),
        ([quarantined(), recovered("approval-2")], Status.HEALTHY, 0, ["NODE_QUARANTINED", "NODE_RECOVERED"]),
        ([quarantined(), tried(10**9)], Status.QUARANTINED, 0, ["NODE_QUARANTINED", "NODE_CHANGE_REFUSED"]),
        # A violation takes it offline, not into quarantine, and it does not come back by waiting.
        ([VIOLATED], Status.OFFLINE, 0, ["POLICY_VIOLATION", "NODE_OFFLINE", "ADMIN_ALERT"]),
        (
            [VIOLATED, tried(10**9)],
            Status.OFFLINE,
            0,
            ["POLICY_VIOLATION", "NODE_OFFLINE", "ADMIN_ALERT", "NODE_CHANGE_REFUSED"],
        ),
        (
            [VIOLATED, recovered()],
            Status.HEALTHY,
            0,
            ["POLICY_VIOLATION", "NODE_OFFLINE", "ADMIN_ALERT", "NODE_RECOVERED"],
        ),
        ([quarantined(), VIOLATED], Status.QUARANTINED, 0, ["NODE_QUARANTINED", "POLICY_VIOLATION", "ADMIN_ALERT"]),
    ],
)
def test_the_course_of_a_module(seen: list[Observation], status: Status, failures: int, events: list[str]):
    health, happened = run(seen)
    module = health.of("engine")
    assert (module.status, module.consecutive_failures) == (status, failures)
    assert types(happened) == events


@pytest.mark.parametrize(
    ("seen", "now_ms", "expected"),
    [
        ([], 0, Usability.YES),
        ([failed()], 0, Usability.YES),
        ([failed()] * 3, 59_999, Usability.NO),
        ([failed()] * 3, 60_000, Usability.PROBATION),
        ([failed()] * 3 + [tried(60_000)], 60_000, Usability.YES),
        ([failed()] * 3 + [tried(60_000), failed(60_010)], 120_009, Usability.NO),
        ([failed()] * 3 + [tried(60_000), failed(60_010)], 120_010, Usability.PROBATION),
        ([quarantined()], 10**9, Usability.NO),
        ([VIOLATED], 10**9, Usability.NO),
        ([failed()] * 3 + [VIOLATED], 10**9, Usability.NO),
    ],
)
def test_who_may_be_called(seen: list[Observation], now_ms: int, expected: Usability):
    assert usability(run(seen)[0], "engine", now_ms, RULES) is expected


@pytest.mark.parametrize(
    ("seen", "allowed"),
    [
        ([failed()] * 3, True),
        ([VIOLATED], False),
        ([VIOLATED, succeeded()], False),
        ([VIOLATED, recovered()], True),
        ([quarantined()], False),
        ([quarantined(), recovered("approval-2")], True),
    ],
)
def test_an_offender_may_not_write(seen: list[Observation], allowed: bool):
    assert may_write(run(seen)[0], "engine") is allowed


def test_dependents_are_flagged_and_their_own_counters_stay():
    health, events = run([failed()] * 3)
    flags = {name: health.of(name).dependency_unhealthy for name in ("engine", "writer", "editor", "reader")}
    assert flags == {"engine": False, "writer": True, "editor": True, "reader": False}
    assert health.of("writer").status is Status.HEALTHY
    assert health.of("writer").consecutive_failures == 0
    assert types(events, flags=True)[-2:] == ["DEPENDENCY_UNHEALTHY"] * 2
    assert events[-1].payload["unhealthy"] == ["engine"]


def test_dependents_stay_flagged_on_probation_until_it_succeeds():
    health, _ = run([*[failed()] * 3, tried(60_000)])
    assert health.of("writer").dependency_unhealthy
    health, events = run([succeeded(60_001)], health)
    assert not health.of("writer").dependency_unhealthy
    assert types(events, flags=True) == ["NODE_RECOVERED", "DEPENDENCY_HEALTHY", "DEPENDENCY_HEALTHY"]


def test_a_flag_stays_while_another_dependency_is_bad():
    both = Health(dependencies={"writer": ("disk", "engine")})
    health, _ = run([*[failed()] * 3, *[failed(module="disk")] * 3, recovered()], both)
    assert health.of("writer").dependency_unhealthy


def test_a_circle_of_dependencies_ends():
    circle = Health(dependencies={"engine": ("writer",), "writer": ("engine",)})
    health, _ = run([failed()] * 3, circle)
    assert health.of("writer").dependency_unhealthy
    assert not health.of("engine").dependency_unhealthy


def test_an_alert_names_the_module_and_is_critical():
    _, events = run([failed(at_ms=7)] * 3)
    alert = next(event for event in events if event.event_type == "ADMIN_ALERT")
    assert alert.payload == {
        "code": "NODE_OFFLINE",
        "severity": "critical",
        "subject": "engine",
        "because": "timeout",
        "count": 3,
        "at_ms": 7,
    }


_any = st.one_of(
    st.builds(failed, st.integers(0, 10**6), st.sampled_from(["engine", "writer"])),
    st.builds(succeeded, st.integers(0, 10**6), st.sampled_from(["engine", "writer"])),
    st.builds(tried, st.integers(0, 10**6)),
    st.builds(recovered, st.sampled_from([None, "approval-2"])),
    st.sampled_from([DECLINED, NO_ENGINE, VIOLATED]),
)


@given(st.lists(_any, max_size=25))
def test_nothing_is_quarantined_by_itself(seen: list[Observation]):
    health, events = run(seen)
    assert all(module.status is not Status.QUARANTINED for module in health.modules.values())
    assert {event.event_type for event in events} <= set(EVENT_TYPES) - {"NODE_QUARANTINED"}
    for event in events:
        canon.dumps(dict(event.payload))
    assert run(seen)[0] == health


MINUTE = 60_000


def occurrence(code: str, at_ms: int, severity: Severity | None = None) -> Occurrence:
    listed: Severity = severity or FAILURES[code].severity.value  # type: ignore[assignment]
    return Occurrence(code=code, severity=listed, subject="x", at_ms=at_ms)


def alerts(seen: Sequence[tuple[str, int] | str]) -> list[tuple[int, str]]:
    """Return (number of the occurrence, severity) of each alert; the word "ok" is a write that worked."""
    state, found = AlertState(), []
    for number, one in enumerate(seen, start=1):
        if isinstance(one, str):
            state = wrote(state)
            continue
        state, alert = decide(state, occurrence(*one))
        state = AlertState.from_json(canon.loads(canon.dumps(state.to_json())))
        if alert:
            canon.dumps(alert.to_json())
            found.append((number, alert.severity))
    return found


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        ([("LLM_SERVICE_DOWN", 0)], [(1, "critical")]),
        ([("STORAGE_FULL", 0), ("STORAGE_FULL", 1)], [(1, "critical"), (2, "critical")]),
        ([("AGENT_TIMEOUT", 0), ("AGENT_TIMEOUT", 1)], []),
        ([("AGENT_TIMEOUT", 0)] * 3, [(3, "warning")]),
        ([("AGENT_TIMEOUT", 0)] * 6, [(3, "warning"), (6, "warning")]),
        ([("AGENT_TIMEOUT", n * 5 * MINUTE) for n in range(3)], [(3, "warning")]),
        ([("AGENT_TIMEOUT", n * 5 * MINUTE + n) for n in range(3)], []),
        ([("AGENT_TIMEOUT", 0), ("AGENT_TIMEOUT", 8 * MINUTE), ("AGENT_TIMEOUT", 12 * MINUTE)], []),
        ([("AGENT_TIMEOUT", 2), ("AGENT_TIMEOUT", 0), ("AGENT_TIMEOUT", 1)], [(3, "warning")]),
        ([("AGENT_TIMEOUT", 0), ("AGENT_ERROR", 0), ("CACHE_ERROR", 0)], []),
        ([("AGENT_ERROR", 0)] * 3, [(3, "error")]),
        ([("SEM_NOT_FOUND", 0)] * 9, []),
        # Writes that fail in a row are critical from the third on, however far apart.
        ([("SEM_WRITE_FAIL", n * 60 * MINUTE) for n in range(3)], [(3, "critical")]),
        ([("SEM_WRITE_FAIL", n) for n in range(4)], [(3, "critical"), (4, "critical")]),
        ([("SEM_WRITE_FAIL", 0), ("SEM_WRITE_FAIL", 1), "ok", ("SEM_WRITE_FAIL", 99 * MINUTE)], []),
        ([("SEM_WRITE_FAIL", 0), "ok", ("SEM_WRITE_FAIL", 1), "ok", ("SEM_WRITE_FAIL", 2)], [(5, "warning")]),
    ],
)
def test_when_an_administrator_is_told(seen: list[tuple[str, int] | str], expected: list[tuple[int, str]]):
    assert alerts(seen) == expected


def test_the_memory_of_alerts_stays_small():
    state = AlertState()
    for number in range(1000):
        state, _ = decide(state, occurrence("AGENT_TIMEOUT", number * 11 * MINUTE))
    assert state.to_json() == {"recent": {"AGENT_TIMEOUT": [999 * 11 * MINUTE]}, "in_a_row": {}}


def test_the_numbers_are_rules():
    rules = AlertRules(window_ms=10, repeats=2)
    state, first = decide(AlertState(), occurrence("AGENT_TIMEOUT", 0), rules)
    _, second = decide(state, occurrence("AGENT_TIMEOUT", 10), rules)
    _, late = decide(state, occurrence("AGENT_TIMEOUT", 11), rules)
    assert (first, second is not None, late) == (None, True, None)
