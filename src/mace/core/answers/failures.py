"""Failures in answers: the standard envelope, and the form of a verb that answers `{success, applied, error_code}`."""

from typing import NotRequired, TypedDict, final

from mace.core.answers.choices import ErrorCode, JsonObject, PiiType, RedactionReason, Severity


@final
class Envelope(TypedDict):
    """A failure as every door tells it; `meta` has `query_id`, `timestamp`, `trace_id` and the failure's details."""

    error_code: ErrorCode
    status: int
    severity: Severity
    user_message: str
    developer_message: str
    meta: JsonObject


class WriteAnswer(TypedDict):
    """What a write came to; where it failed, what to tell the user and the envelope are there too.

    `queued` is there when the store failed: true if the write waits, sealed, for an operator; false if it is gone.
    """

    success: bool
    applied: bool
    error_code: ErrorCode | None
    user_message: NotRequired[str]
    error: NotRequired[Envelope]
    queued: NotRequired[bool]


class Redaction(TypedDict):
    """What stands where a text or a number with personal data stood."""

    redaction_hash: str
    redaction_reason: RedactionReason
    pii_type: PiiType | None


class ErasedPart(TypedDict):
    """What stands where something stood whose key was taken away: `{"redaction_reason": "ERASED"}`."""

    redaction_reason: str
