"""Answers about incidents, modules, the forensic store and the installation itself."""

from typing import Literal, NotRequired, TypedDict

from mace.core.answers.choices import (
    ApprovalStatus,
    CanaryForm,
    CanaryPlace,
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
    people: NotRequired[list[str]]  # whom evidence is about: it goes with the first of them who is erased
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


class CanaryFinding(TypedDict):
    """Where a planted word stands: which one, by its number from 1 on; never what stands around it."""

    word: int
    place: CanaryPlace
    where: dict[str, str]  # `table` and `row`, or `file`
    form: CanaryForm
    sealed: bool
    person: str | None  # under whose key, if it is a person's


class CanaryReport(TypedDict):
    """Where planted words went. `unopened` rows are sealed to keys that are not here, or were erased."""

    findings: list[CanaryFinding]
    rows: int
    unopened: int


class SweepReport(TypedDict):
    """What time alone has caused."""

    abandoned_jobs: int  # whose process was lost: questions are abandoned, programs and blocks interrupted
    expired_approvals: int
    erased_jobs: int  # of nobody, older than `anonymous_retention_days`
    erasures_cleared: bool  # no old bytes of erased keys are known to be left in the files of the store
    expired_consents: int
    alerts: int  # about deletion requests that nobody decides


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
    user_ids: Literal["names", "opaque"] | None  # None: what the ledger says of it was changed
    forensic_key: int | None  # the number of the key that evidence is sealed to
    router_fallbacks: int  # questions that no rule of the router matched
    damage: NotRequired[list[str]]
    unclear_names: NotRequired[list[str]]  # slots of an older store whose owner cannot be told
