"""Where the states of modules are kept between jobs: in the newest event about them.

Each change of a state puts an event with the states of all modules on the ledger, beside the events that tell what
happened to one. Stores from before that kept them in a note, which nobody signed: there the events about single modules
decide, and the note gives only what no event tells, until the next change takes it over.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any

from mace.agents.health import Health, ModuleHealth, Status
from mace.core import canon
from mace.core.events import StoredEvent
from mace.engine.kernel.bound import Bound
from mace.engine.kernel.recorder import Recorder
from mace.storage.ports import Tx

HEALTH = "health"  # the name of the lock; in older stores of the note too
_SUBJECT = "modules/"
_OBSERVED = "MODULES_OBSERVED"
_LOOK_BACK = 64  # events: what happened to single modules since then, in the same unit


def read_health(tx: Tx, bound: Bound) -> Health:
    """The states of all modules; one that never failed is healthy and not listed."""
    newest = tx.events.about(_SUBJECT, _LOOK_BACK)
    for event in newest:
        if event.event_type == _OBSERVED:
            found = bound.read_once(_SUBJECT, event, partial(_read, tx, bound, event))
        else:
            found = _read(tx, bound, event)
        if found is not None:
            return found
    if not newest:
        return Health()
    before = tx.events.size()  # what this unit appended is not known yet
    told = [said["payload"] for event, said in bound.events(tx, _SUBJECT) if event.position < before]
    return told_of_each(told, _kept(tx)) if told else Health()


def _read(tx: Tx, bound: Bound, event: StoredEvent) -> Health | None:
    """The states that an event holds; what its column says of it is not believed."""
    said = bound.said(tx, event)
    if said is None or said["event_type"] != _OBSERVED:
        return None
    return Health.from_json(said["payload"]["health"])


def write_health(tx: Tx, recorder: Recorder, state: Health) -> None:
    """Put the states on the ledger; in the same unit as what changed them, and after it."""
    recorder.append(tx, recorder.system(tx), _OBSERVED, {"health": state.to_json()})


def told_of_each(events: Iterable[Mapping[str, Any]], kept: Health) -> Health:
    """The states that the events about single modules tell, oldest first; what was kept counts where it agrees.

    Pure. Counters are not in these events, so they are taken over where the kept status is the one that was told last.
    """
    modules: dict[str, ModuleHealth] = {}
    for said in events:
        if "status" not in said or "module_id" not in said:
            continue
        name, status = said["module_id"], Status(said["status"])
        before = modules.get(name) or ModuleHealth(module_id=name)
        if status in (Status.HEALTHY, Status.DEGRADED):
            degraded = status is Status.DEGRADED
            modules[name] = ModuleHealth(
                module_id=name,
                status=status,
                consecutive_failures=said.get("consecutive_failures", before.consecutive_failures) if degraded else 0,
                degraded_reason=said.get("reason", "probation") if degraded else None,
                offline_since_ms=before.offline_since_ms if degraded else None,
                on_probation=degraded and "reason" not in said,
            )
            continue
        broke = said.get("reason") == "policy_violation" or status is Status.QUARANTINED
        modules[name] = replace(
            before,
            status=status,
            consecutive_failures=said.get("consecutive_failures", before.consecutive_failures),
            degraded_reason="quarantine" if status is Status.QUARANTINED else said.get("reason"),
            offline_since_ms=before.offline_since_ms if before.status is Status.OFFLINE else said["at_ms"],
            on_probation=False,
            writes_blocked=before.writes_blocked or broke,
            needs_admin=before.needs_admin or broke,
        )
    for name, module in modules.items():
        held = kept.modules.get(name)
        if held is not None and held.status is module.status:
            blocked, admin = held.writes_blocked or module.writes_blocked, held.needs_admin or module.needs_admin
            modules[name] = replace(held, writes_blocked=blocked, needs_admin=admin)
    return Health(modules=MappingProxyType(modules))


def _kept(tx: Tx) -> Health:
    note = tx.notes.get(HEALTH)
    try:
        return Health() if note is None else Health.from_json(canon.loads(note))
    except (ValueError, LookupError, TypeError):
        return Health()
