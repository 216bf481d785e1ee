"""Answers about jobs and programs."""

from typing import NotRequired, TypedDict

from mace.core.answers.choices import CallError, CallState, JobKind, JobStatus, Json, MessageRole
from mace.core.answers.failures import Envelope
from mace.core.answers.questions import Evidence


class Message(TypedDict):
    """One message of a conversation; `at` is when it was said, `name` who said it."""

    role: MessageRole
    content: str
    at: NotRequired[str]
    name: NotRequired[str]


class Completion(TypedDict):
    """What a language model wrote; tokens as the engine counted them."""

    text: str
    model: str
    finish_reason: str
    tokens_in: int
    tokens_out: int


class ProgramAnswer(TypedDict):
    """What a program came to; `text` is what to show, `answer` its value, `error` says why there is none.

    `resumed` counts how often the job was taken up again after it was interrupted.
    """

    job_id: str
    log_id: str | None
    program: str
    version: str
    status: JobStatus
    text: str | None
    answer: Json
    evidence: list[Evidence]
    error: Envelope | None
    notices: list[Envelope]
    resumed: int


class RecordAnswer(TypedDict):
    """A decision that was put on the record; `redacted` names the types of personal data that were cut out of it."""

    job_id: str
    log_id: str
    redacted: list[str]


class CallView(TypedDict):
    """A call of a job: what it was, how it stands and how long it took; never what was asked or answered.

    `number` counts within its `branch` (empty for the job itself). `unknown` is a call that had started when its
    process was lost and could not safely be made again. `attempts` is how often the record says it was made. Of a call
    whose beginning was stored together with its end (an idempotent one) `started_at` is that time less `elapsed_ms`.
    """

    number: int
    branch: str
    name: str
    state: CallState
    idempotent: bool
    attempts: int
    started_at: str
    elapsed_ms: int | None  # None until it ended
    error: CallError | None


class Question(TypedDict):
    """What a job waits for a person to say."""

    question_id: str
    kind: str
    text: str
    asked_at: str
    expires_at: str


class Cancellation(TypedDict):
    """Who told a job to stop, and the reason they gave; None where they gave none."""

    by: str
    reason: str | None
    at: str | None


class JobView(TypedDict):
    """A job: what it is, how it stands, and the tree of its branches and calls.

    `program` and `version` are None for a question, `version` also for a block. `parent` is the job that a branch
    belongs to; `branches` are the ids of the branches of this one. `log_id` is None until the log is written, when the
    job ends; a job that was abandoned, or cancelled while nobody played it, has none. `life` counts the processes that
    played it, from 1; `holder` is the one that does now. `tokens` is what the log tells; without a log it is counted
    from results of calls, and those that were erased count 0. `cost` is a decimal amount, None where no price is known.
    `recalls` are the receipts of what its program or its agents recalled of its person, oldest first (`m.recalled`).
    `cancelled` is there as soon as somebody told the job to stop, None again where it came to its end before it heard.
    """

    job_id: str
    kind: JobKind
    program: str | None
    version: str | None
    status: JobStatus
    person: str | None
    opened_at: str
    closed_at: str | None
    log_id: str | None
    parent: str | None
    branches: list[str]
    calls: list[CallView]
    waiting_for: list[Question]
    holder: str | None
    life: int
    tokens: int
    cost: str | None
    cancelled: Cancellation | None
    recalls: list[str]


class JobPage(TypedDict):
    """A page of jobs, newest first; `next_cursor` asks for the next one, None when there is none.

    `left_out` counts jobs that would stand on this page and are not what their events say; `verify` names them.
    """

    items: list[JobView]
    next_cursor: str | None
    left_out: int
