"""Answers about incidents, modules, the forensic store and the installation itself."""

from typing import NotRequired, TypedDict

from mace.core.answers.choices import (
    ApprovalStatus,
    ForensicKind,
    IncidentKind,
    JsonObject,
    ModuleStatus,
    Severity,
    ShelfState,
)


class Acknowledgement(TypedDict):
    """That somebody has seen an incident."""

    incident_id: str
    actor: str
    at: str


class IncidentView(TypedDict):
    """An incident, who has seen it, and whether it halts replays."""

    incident_id: str
    kind: IncidentKind
    severity: Severity
    summary: str
    about: list[str]
    halts: list[str]
    created_at: str
    acknowledged: Acknowledgement | None
    halting: bool


class LiftHaltAnswer(IncidentView):
    """An incident after somebody wanted its halt lifted: at once, or by a request that waits."""

    request_id: str
    approval: ApprovalStatus


class IncidentReported(TypedDict):
    """A security incident that was put on the record."""

    incident_id: str
    evidence_id: str
    job_seed: str


class ModuleView(TypedDict):
    """A module and its health."""

    module_id: str
    status: ModuleStatus
    consecutive_failures: int
    last_failure_at_ms: int | None
    dependency_unhealthy: bool
    degraded_reason: str | None
    offline_since_ms: int | None
    on_probation: bool
    writes_blocked: bool
    needs_admin: bool


class ViolationReported(IncidentReported):
    """A violation that was put on the record, and the module as it stands since."""

    module: ModuleView


class ForensicKey(TypedDict):
    """The public key that entries are sealed to from now on."""

    public_key: str
    number: int
    by: str
    at: str


class ForensicEntry(TypedDict):
    """An entry of the forensic store, without its content."""

    entry_id: str
    kind: ForensicKind
    about: str
    forensic_key: int | None
    sealed_sha256: str
    at: str
    purged: bool


class ForensicContent(TypedDict, total=False):
    """What an entry holds.

    Of a violation `module_id`, `rule`, `evidence`, `stream`; of a security incident `reason`, `jobs`, `evidence`; of an
    erasure `dsr_id`, `person`, `keys`.
    """

    module_id: str
    rule: str
    evidence: JsonObject
    stream: str
    reason: str
    jobs: list[str]
    dsr_id: str
    person: str
    keys: dict[str, str]


class SweepReport(TypedDict):
    """What time alone has caused."""

    abandoned_jobs: int
    expired_approvals: int


class StoreDescription(TypedDict):
    """A store: what it is and where, without secrets."""

    kind: str
    place: str
    engine: str
    durability: str


class OutageView(TypedDict):
    """An outage of the store that is not over: its failures wait in the spill file."""

    since: str
    failures: int
    severity: Severity


class Description(TypedDict):
    """What an open MACE stands on; `damage` is what is wrong with its store itself, where that was asked for."""

    system_version: str
    store: StoreDescription
    log_name: str
    events: int
    checkpoints_kept_in: str
    checkpoints_were_in: str | None
    shelf: ShelfState
    spill_file: str
    spilled_waiting: int
    outage: OutageView | None
    hmac_keys: list[str]
    damage: NotRequired[list[str]]
