"""Answers about the memory of a person."""

from typing import Literal, NotRequired, TypedDict

from mace.core.answers.choices import ErrorCode
from mace.core.answers.failures import Envelope

RecallKind = Literal["fact", "turn", "rule"]
RecalledState = Literal["there", "changed", "withheld", "erased", "damaged"]
RecallWhy = Literal["match", "neighbour", "recent", "fact", "rule"]


class RememberAnswer(TypedDict):
    """Turns that were kept, in their order; `redacted` names the types of personal data that were cut out of them."""

    success: bool
    turn_ids: list[str]
    redacted: list[str]
    conversation_id: str
    job_id: str
    error_code: ErrorCode | None
    user_message: NotRequired[str]
    error: NotRequired[Envelope]


class RecallItem(TypedDict):
    """One line of a recall: what it says, where it comes from (`ref`) and why it is there."""

    kind: RecallKind
    ref: str
    text: str
    score: float
    tokens: int
    at: str | None
    speaker: str | None
    conversation_id: str | None
    why: RecallWhy


class Recall(TypedDict):
    """What matters now about a person, ready for a prompt; `receipt` is the event that holds the package's hash."""

    text: str
    items: list[RecallItem]
    tokens: int
    package_hash: str
    receipt: str
    scorer: str
    error_code: ErrorCode | None
    damaged: NotRequired[list[str]]  # turns that are not what was kept: they are left out, run verify
    user_message: NotRequired[str]
    error: NotRequired[Envelope]


class RecalledItem(TypedDict):
    """Something that was put into a prompt, as it reads now; `text` is None where it is erased or not served."""

    kind: RecallKind
    ref: str
    text: str | None
    at: str | None
    state: RecalledState


class Recalled(TypedDict):
    """What one recall put into a prompt; `job_id` is the job whose program asked, None where none did."""

    receipt: str
    person: str
    job_id: str | None
    recorded_at: str | None
    tokens: int
    scorer: str
    items: list[RecalledItem]
