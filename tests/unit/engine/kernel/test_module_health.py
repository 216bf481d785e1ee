"""The states of modules in stores that kept them in a note: the events decide, the note only gives what none tells."""

from types import MappingProxyType
from typing import Any

import pytest

from mace.agents import health
from mace.agents.health import Health, ModuleHealth, Status
from mace.engine.kernel.module_health import told_of_each

pytestmark = pytest.mark.stage1

Seen = list[health.Observation]


def failed(at_ms: int) -> health.Failed:
    return health.Failed(module_id="m", at_ms=at_ms, kind="error")


QUARANTINE = health.Quarantined(module_id="m", at_ms=9, actor="ana", approval_id="a")
RELEASE = health.Recovered(module_id="m", at_ms=10, actor="ana", approval_id="b")
VIOLATION = health.Violated(module_id="m", at_ms=8, rule="r")
CASES: list[tuple[Seen, Status, bool]] = [
    ([], Status.HEALTHY, True),
    ([failed(1)], Status.DEGRADED, True),
    ([failed(1), failed(2), failed(3)], Status.OFFLINE, True),
    ([failed(1), health.Succeeded(module_id="m", at_ms=2)], Status.HEALTHY, True),
    ([VIOLATION], Status.OFFLINE, False),
    ([QUARANTINE], Status.QUARANTINED, False),
    ([VIOLATION, QUARANTINE], Status.QUARANTINED, False),
    ([QUARANTINE, RELEASE], Status.HEALTHY, True),
]


def observed(seen: Seen) -> tuple[Health, list[dict[str, Any]]]:
    state, told = Health(), []
    for item in seen:
        state, events = health.observe(state, item)
        told += [dict(event.payload) for event in events if event.event_type.startswith("NODE_")]
    return state, told


@pytest.mark.parametrize(("seen", "status", "may_write"), CASES)
@pytest.mark.parametrize("note", ["as it was", "none", "all well", "all in quarantine"])
def test_what_the_events_tell_does_not_depend_on_the_note(seen: Seen, status: Status, may_write: bool, note: str):
    state, told = observed(seen)
    bad = ModuleHealth(module_id="m", status=Status.QUARANTINED, writes_blocked=True, needs_admin=True)
    kept = {
        "as it was": state,
        "none": Health(),
        "all well": Health(modules=MappingProxyType({"m": ModuleHealth(module_id="m")})),
        "all in quarantine": Health(modules=MappingProxyType({"m": bad})),
    }[note]
    found = told_of_each(told, kept)
    assert found.of("m").status is status
    assert health.may_write(found, "m") is may_write
    if note == "as it was":
        assert found.of("m") == state.of("m")
