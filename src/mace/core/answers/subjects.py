"""Answers about consent, personal data and the requests of the people it is about."""

from typing import NotRequired, TypedDict

from mace.core.answers.choices import (
    ConsentCoverage,
    ConsentScope,
    DetectStatus,
    DsrKind,
    DsrStatus,
    ErrorCode,
    IdentityMethod,
    JobKind,
    Json,
    JsonObject,
    PiiType,
    RedactionReason,
    Sensitivity,
    Source,
    StoredState,
)
from mace.core.answers.failures import Envelope


class PiiFlag(TypedDict):
    """A piece of personal data: its type and a keyed hash, never what it says."""

    pii_type: PiiType
    sensitivity: Sensitivity
    rule: str
    pii_hash: str
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
    granted_at: str
    expires_at: str | None
    event_id: str


class ConsentRevoked(TypedDict):
    """A consent that counts no more; `event_id` is None when it did not count before either."""

    consent_id: str
    revoked: bool
    event_id: str | None


class ConsentView(TypedDict):
    """A consent with its words; `text` is None where they were erased."""

    consent_id: str
    scope: ConsentScope
    text: str | None
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


class ExportedJob(TypedDict):
    """A question and its answer, in an export."""

    job_id: str
    opened_at: str
    kind: JobKind
    question: str | None
    answer: str | None
    damaged: NotRequired[list[str]]  # which of the two can no longer be read, although nobody erased it


class ExportedMegram(TypedDict):
    """A piece of experience in a person's words, in an export."""

    id: str
    created_at: str
    space: str
    entity: str
    state: StoredState
    content: str | None


class ExportPackage(TypedDict):
    """Everything a person may take along."""

    format: str
    user: str
    facts: list[ExportedFact]
    consents: list[ConsentView]
    jobs: list[ExportedJob]
    experience: list[ExportedMegram]


class ErasedFact(TypedDict):
    """A fact that was erased, with how many versions it had."""

    key: str
    versions: int


class DeletionManifest(TypedDict):
    """What an erasure took, never what it said."""

    dsr_id: str
    approval_id: str
    person: str
    whole_person: bool
    facts: list[ErasedFact]
    jobs: list[str]
    keys_removed: list[str]
    wrapped_sha256: NotRequired[dict[str, str]]  # by key, in manifests since this is kept
    forensic_id: str | None
    restorable: bool
    at: str


class DeletionReceipt(TypedDict):
    """The log's signed word that it was erased, for the person; checked with the log's public key."""

    format: str
    dsr_id: str
    log_name: str
    manifest_sha256: str
    at: str
    signature: str


class Identity(TypedDict):
    """How the person who asked was known."""

    method: IdentityMethod
    proof_id: NotRequired[str]


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
    """How a subject request stands; `keys` of a deletion (None: everything), `package_hash` of an export."""

    dsr_id: str
    kind: DsrKind
    person: str
    identity: Identity
    created_at: str
    status: DsrStatus
    request_id: str | None
    manifest: DeletionManifest | None
    receipt: DeletionReceipt | None
    package: ExportPackage | None
    keys: NotRequired[list[str] | None]
    package_hash: NotRequired[str]


class RestoreAnswer(TypedDict):
    """What came back of an erasure, and what newer data has taken the place of."""

    dsr_id: str
    by: str
    keys_restored: list[str]
    keys_superseded: list[str]
    facts: list[str]
    at: str
