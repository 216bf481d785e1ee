"""Answers about questions and replays."""

from typing import NotRequired, TypeAlias, TypedDict, final

from mace.core.answers.choices import (
    ErrorCode,
    EvidenceKind,
    FindingKind,
    JobKind,
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


class CallRef(TypedDict):
    """A call of a program, by its branch (empty for the job itself), its number there and its name."""

    branch: str
    number: int
    name: str


class FirstDifference(TypedDict, total=False):
    """Where a replay stopped; which members are there follows from the result.

    `REPLAY_HALTED`: `incident_id`. `MISSING_SNAPSHOT`: `snapshot`. `MISSING_PERSISTED_AGENT_OUTPUT`, `INPUT_ERASED`:
    `missing`. `INTEGRITY_FAILURE`: the members of a `Finding`. `REPLAY_DIVERGENCE`: `sequence_index` and what follows
    it, of a program also the `call` where it differs, the one `after` which that was, and where in its request it
    `differs`; `branches` are those that the program did not come to. `RESULT_MISMATCH`: these, and for a log that tells
    something else `fields` and `log_id`. `NO_PROGRAM`: `program` and `version` with the `registered_versions`, or the
    `kind` of a job that no function can play (a recorded block) with the `known_kinds`.
    """

    incident_id: str
    snapshot: str | None
    missing: str
    finding_id: str
    kind: FindingKind | JobKind
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
    call: CallRef
    after: CallRef
    differs: str
    branches: list[str]
    program: str
    version: str
    registered_versions: list[str]
    known_kinds: list[str]


class ReplayAnswer(TypedDict):
    """What deciding a job again came to; `MATCH` when every byte is the same."""

    result: ReplayResult
    job_id: str
    first_difference: FirstDifference | None
    incident_id: str | None
