"""The health of modules: a reducer over what was observed of them.

Pure: `observe` takes the state and one observation and returns the next state with the events to record. It
calls nobody and stops nobody: who may be used is answered by `usability`, and the router asks for it.

| from              | observed                          | to                     |
| ----------------- | --------------------------------- | ---------------------- |
| healthy, degraded | first, second failure in a row    | degraded               |
| healthy, degraded | third failure in a row            | offline                |
| offline           | tried again after `probation_ms`  | degraded, on probation |
| on probation      | failure                           | offline                |
| degraded          | success                           | healthy                |

An administrator brings a module back at any time. Quarantine is never automatic: it needs an approval, and so
does its end. A policy violation takes a module offline with its writes blocked; no probation, a person must
look first. Declining a question, and having no language engine, are not failures. A late success of a module
that is offline does not bring it back: only probation or an administrator do. What depends on an unusable
module, directly or not, carries a flag; its own counters stay as they are.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Literal

from mace.agents.alerts import AdminAlert

LANGUAGE_ENGINE = "language_engine"
SEMANTIC_MEMORY = "semantic_memory"

# What cannot work at all without which other module. The knowledge agent can do without an engine.
DEPENDENCIES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "creative_agent": (LANGUAGE_ENGINE,),
        "generic_agent": (LANGUAGE_ENGINE,),
        "knowledge_agent": (SEMANTIC_MEMORY,),
        "operational_agent": (SEMANTIC_MEMORY,),
        "profile_agent": (SEMANTIC_MEMORY,),
        "strategy_agent": (LANGUAGE_ENGINE,),
    }
)


class Status(StrEnum):
    HEALTHY = "healthy"
    DEGRADED = "degraded"
    OFFLINE = "offline"
    QUARANTINED = "quarantined"


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthRules:
    fails_offline: int = 3
    probation_ms: int = 60_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleHealth:
    module_id: str
    status: Status = Status.HEALTHY
    consecutive_failures: int = 0
    last_failure_at_ms: int | None = None
    dependency_unhealthy: bool = False
    degraded_reason: str | None = None
    offline_since_ms: int | None = None
    on_probation: bool = False
    writes_blocked: bool = False
    needs_admin: bool = False  # probation does not apply

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "status": self.status.value}

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> "ModuleHealth":
        return ModuleHealth(**{**data, "status": Status(data["status"])})


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """All modules. One that was never observed is healthy and need not be listed."""

    modules: Mapping[str, ModuleHealth] = field(default_factory=lambda: MappingProxyType({}))
    dependencies: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: DEPENDENCIES)  # on what

    def of(self, module_id: str) -> ModuleHealth:
        return self.modules.get(module_id) or ModuleHealth(module_id=module_id)

    def to_json(self) -> dict[str, Any]:
        return {
            "modules": [self.modules[module_id].to_json() for module_id in sorted(self.modules)],
            "dependencies": {module: sorted(needs) for module, needs in sorted(self.dependencies.items())},
        }

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> "Health":
        modules = [ModuleHealth.from_json(item) for item in data["modules"]]
        return Health(
            modules=MappingProxyType({module.module_id: module for module in modules}),
            dependencies=MappingProxyType({module: tuple(needs) for module, needs in data["dependencies"].items()}),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """A call to the module failed."""

    module_id: str
    at_ms: int
    kind: Literal["timeout", "error", "unavailable"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Succeeded:
    module_id: str
    at_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Declined:
    """The module said that the request is not for it, or that it has no language engine."""

    module_id: str
    at_ms: int
    reason: Literal["declined", "no_language_engine"] = "declined"


@dataclass(frozen=True, slots=True, kw_only=True)
class TriedAgain:
    """An offline module is about to be used because its time has passed (`usability` said probation)."""

    module_id: str
    at_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovered:
    """An administrator declares the module well; out of quarantine only with an approval."""

    module_id: str
    at_ms: int
    actor: str
    approval_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Quarantined:
    """Somebody asks for quarantine; without an approval it is refused."""

    module_id: str
    at_ms: int
    actor: str
    approval_id: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Violated:
    """The module did what the policy forbids. `rule` names the rule, never the data."""

    module_id: str
    at_ms: int
    rule: str


Observation = Failed | Succeeded | Declined | TriedAgain | Recovered | Quarantined | Violated


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthEvent:
    """An event for the ledger."""

    event_type: str
    payload: Mapping[str, Any]


EVENT_TYPES = (
    "NODE_DEGRADED",
    "NODE_OFFLINE",
    "NODE_PROBATION",
    "NODE_RECOVERED",
    "NODE_QUARANTINED",
    "NODE_CHANGE_REFUSED",
    "DEPENDENCY_UNHEALTHY",
    "DEPENDENCY_HEALTHY",
    "POLICY_VIOLATION",
    "ADMIN_ALERT",
)


class Usability(StrEnum):
    YES = "yes"
    PROBATION = "probation"
    NO = "no"


def usability(health: Health, module_id: str, now_ms: int, rules: HealthRules) -> Usability:
    """Say whether the module may be called now. PROBATION means: observe `TriedAgain`, then call it."""
    module = health.of(module_id)
    if module.status in (Status.HEALTHY, Status.DEGRADED):
        return Usability.YES
    if module.status is Status.QUARANTINED or module.needs_admin or module.offline_since_ms is None:
        return Usability.NO
    waited = now_ms - module.offline_since_ms >= rules.probation_ms
    return Usability.PROBATION if waited else Usability.NO


def may_write(health: Health, module_id: str) -> bool:
    """Say whether writes by this module are accepted."""
    return not health.of(module_id).writes_blocked


def observe(
    health: Health,
    seen: Observation,
    rules: HealthRules = HealthRules(),  # noqa: B008 (frozen)
) -> tuple[Health, list[HealthEvent]]:
    """Take in one observation; return the next state and the events it causes, in order."""
    before = health.of(seen.module_id)
    match seen:
        case Failed():
            after, events = _failed(before, seen, rules)
        case Succeeded():
            after, events = _succeeded(before, seen)
        case TriedAgain():
            after, events = _tried_again(health, before, seen, rules)
        case Recovered():
            after, events = _recovered(before, seen)
        case Quarantined():
            after, events = _quarantined(before, seen)
        case Violated():
            after, events = _violated(before, seen)
        case Declined():
            return health, []
    health = replace(health, modules=MappingProxyType({**health.modules, after.module_id: after}))
    if _burdens(before) == _burdens(after):
        return health, events
    health, flags = _flag_dependents(health, seen.at_ms)
    return health, events + flags


_Step = tuple[ModuleHealth, list[HealthEvent]]


def _failed(module: ModuleHealth, seen: Failed, rules: HealthRules) -> _Step:
    failures = module.consecutive_failures + 1
    module = replace(module, consecutive_failures=failures, last_failure_at_ms=seen.at_ms)
    if not _usable(module):
        return module, []
    if module.on_probation or failures >= rules.fails_offline:
        again = module.on_probation
        module = replace(
            module,
            status=Status.OFFLINE,
            degraded_reason=seen.kind,
            offline_since_ms=seen.at_ms,
            on_probation=False,
        )
        payload = {"consecutive_failures": failures, "reason": seen.kind, "after_probation": again}
        events = [_event("NODE_OFFLINE", module, seen.at_ms, **payload)]
        if not again:  # an administrator already knows of one that only failed to come back
            events.append(_alert("NODE_OFFLINE", module, seen.at_ms, seen.kind, failures))
        return module, events
    was_healthy = module.status is Status.HEALTHY
    module = replace(module, status=Status.DEGRADED, degraded_reason=seen.kind)
    payload = {"consecutive_failures": failures, "reason": seen.kind}
    return module, [_event("NODE_DEGRADED", module, seen.at_ms, **payload)] if was_healthy else []


def _succeeded(module: ModuleHealth, seen: Succeeded) -> _Step:
    if not _usable(module):
        return module, []
    if module.status is Status.HEALTHY:
        return module, []
    by = "probation" if module.on_probation else "success"
    module = _well(module)
    return module, [_event("NODE_RECOVERED", module, seen.at_ms, by=by)]


def _tried_again(health: Health, module: ModuleHealth, seen: TriedAgain, rules: HealthRules) -> _Step:
    if usability(health, module.module_id, seen.at_ms, rules) is not Usability.PROBATION:
        return module, [_refused(module, seen.at_ms, "probation", "not_yet_or_not_allowed")]
    module = replace(module, status=Status.DEGRADED, degraded_reason="probation", on_probation=True)
    return module, [_event("NODE_PROBATION", module, seen.at_ms)]


def _recovered(module: ModuleHealth, seen: Recovered) -> _Step:
    if module.status is Status.QUARANTINED and not seen.approval_id:
        return module, [_refused(module, seen.at_ms, "recover", "approval_required", seen.actor)]
    if module == _well(module):
        return module, []
    module = _well(module)
    payload = {"by": "admin", "actor": seen.actor, "approval_id": seen.approval_id}
    return module, [_event("NODE_RECOVERED", module, seen.at_ms, **payload)]


def _quarantined(module: ModuleHealth, seen: Quarantined) -> _Step:
    if not seen.approval_id:
        return module, [_refused(module, seen.at_ms, "quarantine", "approval_required", seen.actor)]
    module = replace(
        module,
        status=Status.QUARANTINED,
        degraded_reason="quarantine",
        on_probation=False,
        writes_blocked=True,
        needs_admin=True,
        offline_since_ms=module.offline_since_ms if module.status is Status.OFFLINE else seen.at_ms,
    )
    payload = {"actor": seen.actor, "approval_id": seen.approval_id}
    return module, [_event("NODE_QUARANTINED", module, seen.at_ms, **payload)]


def _violated(module: ModuleHealth, seen: Violated) -> _Step:
    was_usable = _usable(module)
    events = [_event("POLICY_VIOLATION", module, seen.at_ms, rule=seen.rule)]
    module = replace(module, writes_blocked=True, needs_admin=True, on_probation=False)
    if module.status is not Status.QUARANTINED:
        since = seen.at_ms if was_usable else module.offline_since_ms
        module = replace(module, status=Status.OFFLINE, degraded_reason="policy_violation", offline_since_ms=since)
    if was_usable:
        payload = {"consecutive_failures": module.consecutive_failures, "reason": "policy_violation"}
        events.append(_event("NODE_OFFLINE", module, seen.at_ms, **payload, after_probation=False))
    events.append(_alert("POLICY_VIOLATION", module, seen.at_ms, seen.rule, 1))
    return module, events


def _flag_dependents(health: Health, at_ms: int) -> tuple[Health, list[HealthEvent]]:
    """Set every module's flag anew from the graph; return the events of those that changed, by id."""
    modules = dict(health.modules)
    events: list[HealthEvent] = []
    for module_id in sorted({*modules, *health.dependencies}):
        module = health.of(module_id)
        bad = sorted(need for need in _needs(health, module_id) if _burdens(health.of(need)))
        if bool(bad) == module.dependency_unhealthy:
            continue
        modules[module_id] = replace(module, dependency_unhealthy=bool(bad))
        event_type = "DEPENDENCY_UNHEALTHY" if bad else "DEPENDENCY_HEALTHY"
        events.append(_event(event_type, modules[module_id], at_ms, unhealthy=bad))
    return replace(health, modules=MappingProxyType(modules)), events


def _needs(health: Health, module_id: str) -> set[str]:
    """Return all that the module depends on, directly or not; itself only if it stands in a circle."""
    found: set[str] = set()
    waiting = list(health.dependencies.get(module_id, ()))
    while waiting:
        need = waiting.pop()
        if need not in found:
            found.add(need)
            waiting.extend(health.dependencies.get(need, ()))
    return found - {module_id}


def _usable(module: ModuleHealth) -> bool:
    return module.status in (Status.HEALTHY, Status.DEGRADED)


def _burdens(module: ModuleHealth) -> bool:
    """Say whether those that depend on the module are flagged: until it has proved itself again."""
    return not _usable(module) or module.on_probation


def _well(module: ModuleHealth) -> ModuleHealth:
    """Return the module as new, but for when it last failed and the flag that others' health gives it."""
    return ModuleHealth(
        module_id=module.module_id,
        last_failure_at_ms=module.last_failure_at_ms,
        dependency_unhealthy=module.dependency_unhealthy,
    )


def _event(event_type: str, module: ModuleHealth, at_ms: int, **payload: Any) -> HealthEvent:
    known = {"module_id": module.module_id, "status": module.status.value, "at_ms": at_ms}
    return HealthEvent(event_type=event_type, payload={**known, **payload})


def _refused(module: ModuleHealth, at_ms: int, change: str, reason: str, actor: str | None = None) -> HealthEvent:
    return _event("NODE_CHANGE_REFUSED", module, at_ms, change=change, reason=reason, actor=actor)


def _alert(code: str, module: ModuleHealth, at_ms: int, because: str, count: int) -> HealthEvent:
    alert = AdminAlert(
        code=code, severity="critical", subject=module.module_id, because=because, count=count, at_ms=at_ms
    )
    return HealthEvent(event_type="ADMIN_ALERT", payload=alert.to_json())
