"""Answers about questions and jobs."""

from typing import NotRequired, TypeAlias, TypedDict, final

from mace.core.answers.choices import (
    ErrorCode,
    EvidenceKind,
    FindingKind,
    JobKind,
    JobStatus,
    JsonObject,
    ReplayResult,
    RouteReason,
)
from mace.core.answers.failures import Envelope


class Evidence(TypedDict):
    """What an answer rests on; `ref` names it, `score` is how sure it is, from 0 to 1."""

    kind: EvidenceKind
    ref: str
    hash: NotRequired[str]
    text: NotRequired[str]
    score: NotRequired[float]


class RouteStep(TypedDict):
    """One decision of the router: who could be asked, who was, and who was out."""

    iteration: int
    candidates: list[str]
    chosen: str | None
    route_reason: RouteReason
    removed: list[str]


class Handoff(TypedDict):
    """A question that is work to be done: the goal to give to `run`."""

    goal: str


class AskAnswer(TypedDict):
    """The answer of `ask`; `text` is what to show, `answer` is None where there is none, `error` says why."""

    job_id: str
    log_id: str | None
    query_id: str
    text: str
    answer: str | None
    agent_id: str | None
    route_reason: RouteReason | None
    route_trace: list[RouteStep]
    confidence: float
    evidence: list[Evidence]
    error: Envelope | None
    notices: list[Envelope]
    handoff: Handoff | None


@final
class Routed(TypedDict):
    """Who would be asked."""

    agent_id: str
    route_reason: RouteReason
    depth: int


@final
class NotRouted(TypedDict):
    """Why nobody would be asked."""

    error_code: ErrorCode
    user_message: str


RouteAnswer: TypeAlias = Routed | NotRouted


class FirstDifference(TypedDict, total=False):
    """Where a replay stopped; which members are there follows from the result.

    `REPLAY_HALTED`: `incident_id`. `MISSING_SNAPSHOT`: `snapshot`. `MISSING_PERSISTED_AGENT_OUTPUT`, `INPUT_ERASED`:
    `missing`. `INTEGRITY_FAILURE`: the members of a `Finding`. `REPLAY_DIVERGENCE`: `sequence_index` and what follows
    it; `RESULT_MISMATCH`: these, and for a log that tells something else `fields` and `log_id`.
    """

    incident_id: str
    snapshot: str | None
    missing: str
    finding_id: str
    kind: FindingKind
    meaning: str
    where: JsonObject
    detail: str
    sequence_index: int
    stored: JsonObject | None
    replayed: JsonObject | None
    system_version_stored: str | None
    system_version_now: str
    fields: list[str]
    log_id: str


class ReplayAnswer(TypedDict):
    """What deciding a job again came to; `MATCH` when every byte is the same."""

    result: ReplayResult
    job_id: str
    first_difference: FirstDifference | None
    incident_id: str | None


class JobView(TypedDict):
    """A job as lists show it."""

    job_id: str
    kind: JobKind
    status: JobStatus
    person: str | None
    opened_at: str
    log_id: str | None


class JobPage(TypedDict):
    """A page of jobs, newest first; `next_cursor` asks for the next one, None when there is none.

    `left_out` counts jobs that would stand on this page and are not what their events say; `verify` names them.
    """

    items: list[JobView]
    next_cursor: str | None
    left_out: int
