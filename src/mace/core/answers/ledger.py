"""Answers about the ledger and the reflective log."""

from typing import NotRequired, TypedDict

from mace.core.answers.choices import (
    AmendEffect,
    ErrorCode,
    FindingKind,
    JobKind,
    Json,
    JsonObject,
    LeavesOut,
    LogSource,
    QuarantineKind,
)
from mace.core.answers.failures import ErasedPart, Redaction


class Event(TypedDict):
    """One event of the ledger; the members of `payload` follow from its type."""

    event_id: str
    event_type: str
    job_seed: str
    payload: JsonObject
    prev_hash: str
    sequence_index: int
    signed_by: str
    stream: str
    recorded_at: str | None  # when it was written, by the clock of its node; None in the oldest events
    timestamp_seeded: str
    trace_id: str
    hash: str
    signature: str


class UnredactedEvent(Event):
    """An event with the sealed parts that it has only hashes of, by name."""

    contents: dict[str, Json]


class QcpSummary(TypedDict):
    """How a question was understood."""

    depth_level: Json
    intent_tags: list[str | Redaction]
    urgency: Json


class AgentOutput(TypedDict):
    """What an agent said; a text that was too long lies whole at `artifact_url`."""

    agent_id: str | Redaction
    text: str | Redaction
    confidence: float
    reasoning_trace: list[str | Redaction]
    tokens: float
    time_ms: float
    artifact_url: NotRequired[str]


class CouncilVote(TypedDict):
    """One member's vote on an answer."""

    council_agent_id: str | Redaction
    scores: dict[str, float]
    approve: bool
    suggested_changes: NotRequired[str | Redaction | None]
    note: NotRequired[str | Redaction | None]


class ReflectiveLog(TypedDict):
    """A reflective log with the ids of its amendments and what was appended to it.

    Of a log that a program wrote about a person who was erased, everything but ids, times and numbers is `ErasedPart`.
    `job_id` is the job it was written in: of a log of nobody, what `jobs.request_erasure` takes.
    """

    log_id: str
    job_id: str
    created_at: str
    source: LogSource
    query_id: str | Redaction | ErasedPart
    query_text_hash: str | ErasedPart
    qcp_summary: QcpSummary | ErasedPart
    agents_invoked: list[str | Redaction] | ErasedPart
    agent_outputs: list[AgentOutput] | ErasedPart
    council_votes: list[CouncilVote] | ErasedPart
    final_answer: Json
    final_confidence: float
    repair_loops: int
    cache_hit: bool
    sem_snapshot_hash: str | Redaction | ErasedPart
    runtime_metrics: JsonObject | ErasedPart
    system_version: str | Redaction | ErasedPart
    signature: str
    amendments: list[str]
    user_feedback: list[Json]
    ground_truth_label: list[Json]
    audit_tags: list[Json]


class LogView(ReflectiveLog):
    """A reflective log with what its job tells: whose it is, what was asked of which program, how and when it ended.

    `question` is redacted as every text of a log is, and None for whoever may read the log but not what was asked (an
    auditor), and where nothing was asked: `kind` is None for a log that a program handed in.
    """

    kind: JobKind | None
    program: str | None
    version: str | None
    person: str | None
    question: str | Redaction | ErasedPart | None
    error_code: ErrorCode | None
    recorded_at: str | None  # when it was written, by the clock of its node; None in older stores
    damaged: NotRequired[list[str]]  # `question`, where it can no longer be read, although nobody erased it


class LogPage(TypedDict):
    """A page of reflective logs, newest first; `next_cursor` asks for the next one, None when there is none.

    `left_out` counts logs that would stand on this page and are not what was signed; `verify` names them.
    """

    items: list[LogView]
    next_cursor: str | None
    left_out: int


class Amendment(TypedDict):
    """A correction beside a log."""

    amendment_id: str
    target_log_id: str
    created_at: str
    author: str
    changes: Json
    effect: AmendEffect


class Finding(TypedDict):
    """Something that verification found."""

    finding_id: str
    kind: FindingKind
    meaning: str
    where: JsonObject
    detail: str


class VerifiedFinding(Finding):
    """A finding, and whether an admin has given their word on it."""

    attested: bool


class VerifyReport(TypedDict):
    """What `verify` found; `quick` says that keys, blobs, experience and the file were left out.

    `not_recorded` says why the findings could not be put on the record.
    """

    ok: bool
    events: int
    findings: list[VerifiedFinding]
    findings_in_all: int
    incident_id: str | None
    read_only: bool
    quick: bool
    not_recorded: NotRequired[str]


class LostLeaf(TypedDict):
    """What stands in for an event that is gone."""

    position: int
    hash: str
    recovered: bool


class Attestation(TypedDict):
    """An admin's signed word on findings, and how the log goes on."""

    attestation_id: str
    actor: str
    statement: str
    finding_ids: list[str]
    lost_leaves: list[LostLeaf]
    at: str
    epoch: int | None
    continued_from: int | None
    seal: str


class InclusionProof(TypedDict):
    """That an event is in the log of a checkpoint."""

    event: Event
    body: str
    leaf_index: int
    tree_size: int
    proof: list[str]
    checkpoint: str
    others_with_this_id: list[int]


class ConsistencyProof(TypedDict):
    """That a log begins with an earlier one."""

    old_size: int
    new_size: int
    old_root: str
    new_root: str
    proof: list[str]


class QuarantineEntry(TypedDict):
    """What was set aside, and why: `problems` and `at` of a payload, `finding` of a row."""

    quarantine_id: str
    what: QuarantineKind
    blob: str | None
    payload: Json
    problems: NotRequired[list[str]]
    at: NotRequired[str]
    person: NotRequired[str]  # whom the payload is about: it goes with their erasure
    finding: NotRequired[Finding]


class LeftOut(TypedDict):
    """How many items a list leaves out because they are not what was signed; `verify` names each of them."""

    of: LeavesOut
    left_out: int
