"""Answers about consent, personal data and the requests of the people it is about."""

from typing import Literal, NotRequired, TypedDict

from mace.core.answers.choices import (
    ApprovalKind,
    ApprovalStatus,
    CallerVia,
    ConsentCoverage,
    ConsentPurpose,
    ConsentScope,
    DecidedBy,
    DetectStatus,
    DsrKind,
    DsrStatus,
    ErrorCode,
    GoneKind,
    IdentityMethod,
    JobKind,
    JobStatus,
    Json,
    JsonObject,
    LogSource,
    PiiType,
    RedactionReason,
    Role,
    Sensitivity,
    Source,
    StaysKind,
    StoredState,
    VoteChoice,
)
from mace.core.answers.failures import Envelope, Redaction
from mace.core.answers.ledger import AgentOutput, Amendment, CouncilVote, QcpSummary


class PiiFlag(TypedDict):
    """A piece of personal data: its type and a keyed hash, never what it says.

    The hash is None for callers who are not the owner and named a `job_seed`: it would let them test guesses.
    """

    pii_type: PiiType
    sensitivity: Sensitivity
    rule: str
    pii_hash: str | None
    redaction_reason: RedactionReason


class DetectAnswer(TypedDict):
    """What may be done with a payload; `payload` has every flagged piece cut out unless it is allowed."""

    status: DetectStatus
    job_seed: str
    findings: list[PiiFlag]
    consent: ConsentCoverage
    request_id: str | None
    error_code: ErrorCode | None
    user_message: str | None
    payload: Json
    event_ids: list[str]
    event_id: str


class ConsentGrant(TypedDict):
    """A consent that was recorded."""

    consent_id: str
    scope: ConsentScope
    job_seed: str
    data_types: list[PiiType] | None  # None: every type
    purposes: list[ConsentPurpose]
    granted_at: str
    expires_at: str | None
    event_id: str


class ConsentRevoked(TypedDict):
    """A consent that counts no more; `event_id` is None when it did not count before either.

    `dsr_id` is the request to delete what only this consent covered; None where there is nothing.
    """

    consent_id: str
    revoked: bool
    event_id: str | None
    dsr_id: str | None


class ConsentView(TypedDict):
    """A consent with its words; `text` is None where they were erased."""

    consent_id: str
    scope: ConsentScope
    text: str | None
    data_types: list[PiiType] | None  # None: every type
    purposes: list[ConsentPurpose]
    granted_at: str
    expires_at: str | None
    revoked_at: str | None
    damaged: NotRequired[list[str]]  # `text`, where the words can no longer be read, although nobody erased them


class IdentityProof(TypedDict):
    """A one-time code for a person, shown this once."""

    user_id: str
    proof: str
    expires_at: str


class ExportedFact(TypedDict):
    """One version of a fact, in an export."""

    key: str
    value: Json
    notes: str | None
    meta: JsonObject
    source: Source
    written_at: str
    version: int
    current: bool


class ExportedCall(TypedDict):
    """A call of a program's job, in an export: what was asked for, and what it came to."""

    branch: str  # the id of the branch it was made in; the job's own for the job itself
    number: int
    name: str
    request: Json
    result: Json
    error: str | None


class ExportedBranch(TypedDict):
    """A branch of a program's job, in an export: what it returned, or which exception it raised."""

    branch: str
    name: str  # with those it branched off: `outer/map[1]`
    status: JobStatus
    result: Json  # `{exception}` of one that failed
    damaged: NotRequired[list[str]]  # `result`, where it can no longer be read, although nobody erased it


class ExportedJob(TypedDict):
    """A question and its answer, in an export; of a program also its name, its value, its calls and its branches."""

    job_id: str
    opened_at: str
    kind: JobKind
    question: str | None
    answer: str | None
    program: NotRequired[str]
    value: NotRequired[Json]
    calls: NotRequired[list[ExportedCall]]
    branches: NotRequired[list[ExportedBranch]]
    damaged: NotRequired[list[str]]  # which of the two can no longer be read, although nobody erased it


class ExportedMegram(TypedDict):
    """A piece of experience in a person's words, in an export."""

    id: str
    created_at: str
    space: str
    entity: str
    state: StoredState
    content: str | None


class ExportedAgentOutput(AgentOutput):
    """What an agent said, long texts whole."""

    damaged: NotRequired[list[str]]  # `text`, where only its beginning can be read, although nobody erased the rest


class ExportedLog(TypedDict):
    """A reflective log as it was written, with what was written beside it, in an export."""

    log_id: str
    created_at: str | None
    source: LogSource | None
    query_id: str | Redaction | None
    query_text_hash: str | None
    qcp_summary: QcpSummary | None
    agents_invoked: list[str | Redaction] | None
    agent_outputs: list[ExportedAgentOutput] | None
    council_votes: list[CouncilVote] | None
    final_answer: Json
    final_confidence: float | None
    repair_loops: int | None
    cache_hit: bool | None
    sem_snapshot_hash: str | Redaction | None
    runtime_metrics: JsonObject | None
    system_version: str | Redaction | None
    amendments: list[Amendment] | None
    user_feedback: list[Json] | None
    ground_truth_label: list[Json] | None
    audit_tags: list[Json] | None
    damaged: NotRequired[list[str]]  # `log`, where it is not what was written: then only its id is told


class ExportedQueuedWrite(TypedDict):
    """A write that the store could not take when it came, in an export."""

    queued_id: str
    key: str
    at: str
    value: Json
    notes: str | None
    meta: JsonObject | None
    source: Source | None
    retried: bool
    damaged: NotRequired[list[str]]  # `value`, where it can no longer be read, although nobody erased it


class ExportedVote(TypedDict):
    """A vote on a request about a person's data, in an export."""

    member: str
    vote: VoteChoice
    at: str
    reason: NotRequired[str]


class ExportedApproval(TypedDict):
    """A request about a person's data and what was decided, in an export; `open` until somebody did."""

    request_id: str
    kind: ApprovalKind
    requested_by: str
    decided_by: DecidedBy
    details: JsonObject
    created_at: str
    expires_at: str
    status: ApprovalStatus
    votes: list[ExportedVote]


class ExportedAccount(TypedDict):
    """An account of a person, in an export; nothing secret."""

    name: str
    roles: list[Role]
    created_at: str
    by: str
    active: bool
    second_factor: bool


class ExportedAccess(TypedDict):
    """A look of somebody else at a person's data, or at everybody's, in an export."""

    event_id: str
    at: str
    actor: str
    what: str
    which: str
    purpose: str


class ExportedQuarantined(TypedDict):
    """A log about a person that was refused and set aside, in an export; what was personal in it was cut out."""

    quarantine_id: str
    at: str
    problems: list[str]
    payload: Json
    damaged: NotRequired[list[str]]  # `payload`, where it can no longer be read, although nobody erased it


class ExportedEvidence(TypedDict):
    """Evidence of a violation or an incident in a person's job, in an export.

    What is sealed to the forensic key is not readable here: `content` is None.
    """

    entry_id: str
    at: str
    about: str
    is_readable: bool
    content: JsonObject | None
    damaged: NotRequired[list[str]]  # `content`, where it can no longer be read, although nobody erased it


class ExportedTurn(TypedDict):
    """What somebody said in a conversation with a person, in an export; None throughout where it cannot be read."""

    turn_id: str
    conversation_id: str | None
    at: str | None
    role: Literal["user", "assistant", "system", "tool"] | None
    name: str | None
    content: str | None
    damaged: NotRequired[list[str]]  # `content`, where it can no longer be read, although nobody erased it


class ExportedRecall(TypedDict):
    """When something of a person was put together for a prompt, in an export: which facts, turns and rules."""

    event_id: str
    at: str
    refs: list[str]
    tokens: int


class ExportPackage(TypedDict):
    """Everything a person may take along.

    In exports of `mace-export/1` nothing stands behind `experience`, in those of `mace-export/2` nothing behind
    `evidence`.
    """

    format: str
    user: str
    facts: list[ExportedFact]
    consents: list[ConsentView]
    jobs: list[ExportedJob]
    experience: list[ExportedMegram]
    logs: list[ExportedLog]
    queued_writes: list[ExportedQueuedWrite]
    approvals: list[ExportedApproval]
    accounts: list[ExportedAccount]
    accesses: list[ExportedAccess]
    quarantined: list[ExportedQuarantined]
    evidence: list[ExportedEvidence]
    turns: list[ExportedTurn]
    recalls: list[ExportedRecall]


class ErasedFact(TypedDict):
    """A fact that was erased, with how many versions it had."""

    key: str
    versions: int


class DeletionManifest(TypedDict):
    """What an erasure took, never what it said."""

    dsr_id: str
    approval_id: str | None  # None where time alone erased
    person: str  # empty for jobs without a person
    whole_person: bool
    facts: list[ErasedFact]
    jobs: list[str]
    turns: NotRequired[list[list[int]]]  # spans `[first, last]` of their numbers, in manifests since there are turns
    keys_removed: list[str]
    keys_requested: NotRequired[list[str] | None]  # as the request named them; this and the next since they are kept
    not_touched: NotRequired[dict[StaysKind, int]]  # what a part of a person leaves of them, by kind
    wrapped_sha256: NotRequired[dict[str, str]]  # by key, in manifests since this is kept
    forensic_id: str | None
    restorable: bool
    at: str


class Gone(TypedDict):
    """What an erasure made unreadable, and how many of it there were."""

    what: GoneKind
    count: int


class Stays(TypedDict):
    """What an erasure leaves, and why."""

    what: StaysKind
    why: str
    count: NotRequired[int]


class CorrectedFact(TypedDict):
    """A fact that was corrected: the version that stood, and the one that stands now."""

    key: str
    former: int
    version: int


class RectificationManifest(TypedDict):
    """What a rectification corrected, never what it said."""

    dsr_id: str
    approval_id: str
    person: str
    corrected: list[CorrectedFact]
    at: str


class DeletionReceipt(TypedDict):
    """The log's signed word that it was erased (or corrected), for the person; checked with the log's public key.

    `gone` and `stays` are in receipts of format `mace-deletion-receipt/2`.
    """

    format: str
    dsr_id: str
    log_name: str
    manifest_sha256: str
    gone: NotRequired[list[Gone]]
    stays: NotRequired[list[Stays]]
    at: str
    signature: str


class AskedBy(TypedDict):
    """Who called: an account or the owner by name, a user by the slug, and how they came in."""

    name: str
    via: CallerVia


class Identity(TypedDict):
    """How the person who asked was known; `asked_by` where it was in a question."""

    method: IdentityMethod
    proof_id: NotRequired[str]
    days: NotRequired[int]  # of a retention period
    consent_id: NotRequired[str]  # that ended, where nobody asked but `system`
    asked_by: NotRequired[AskedBy]


class DsrAnswer(TypedDict):
    """What `request_dsr` came to: an export with its package, a deletion that waits, or a refusal."""

    success: bool
    error_code: ErrorCode | None
    dsr_id: str | None
    request_id: str | None
    kind: DsrKind
    status: DsrStatus
    package: NotRequired[ExportPackage]
    package_sha256: NotRequired[str]
    applied: NotRequired[bool]
    user_message: NotRequired[str]
    error: NotRequired[Envelope]


class DsrView(TypedDict):
    """How a subject request stands; `keys` of a deletion (None: everything), `package_hash` of an export.

    Of a rectification `changes` has the new values by key, and `rectification` what was corrected.
    """

    dsr_id: str
    kind: DsrKind
    person: str
    identity: Identity
    created_at: str
    status: DsrStatus
    request_id: str | None
    expires_at: str | None  # by when it is to be decided; a vote that comes later still counts
    reasons: list[str]  # of a rejection, as far as voters gave any
    manifest: DeletionManifest | None
    receipt: DeletionReceipt | None
    package: ExportPackage | None
    restored: "RestoreAnswer | None"  # what came back, when and by whom
    purged_at: str | None  # when the keys of a deletion were destroyed in the forensic store
    keys: NotRequired[list[str] | None]
    jobs: NotRequired[list[str]]  # without a person, by their ids
    package_hash: NotRequired[str]
    changes: NotRequired[JsonObject | None]
    rectification: NotRequired[RectificationManifest | None]


class ReceiptCheck(TypedDict):
    """Whether a receipt is the log's word, and why; `receipt` is None where it is not."""

    ok: bool
    because: str
    receipt: DeletionReceipt | None


class RestoreAnswer(TypedDict):
    """What came back of an erasure, and what newer data has taken the place of."""

    dsr_id: str
    by: str
    keys_restored: list[str]
    keys_superseded: list[str]
    turns_restored: NotRequired[list[list[int]]]  # spans `[first, last]` of their numbers
    facts: list[str]
    at: str
