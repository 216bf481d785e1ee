"""Every failure there is, in one table: code, status, severity, what the user hears, what a developer reads.

Pure. User messages are promises: they are exact strings of the requirement texts, typographic apostrophes included,
and `tests/golden_messages.json` holds them a second time so that no edit here goes unnoticed. Doors only look up.
Developer messages are templates; only ids, codes, counts and sizes are ever filled in, never what a person wrote.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Severity(StrEnum):
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"
    CRITICAL = "critical"


@dataclass(frozen=True, slots=True)
class Failure:
    code: str
    status: int
    severity: Severity
    user_message: str
    developer_template: str


def _table(*rows: tuple[str, int, Severity, str, str]) -> dict[str, Failure]:
    return {row[0]: Failure(*row) for row in rows}


_I, _W, _E, _C = Severity.INFO, Severity.WARNING, Severity.ERROR, Severity.CRITICAL

_WRITE_FAILED = "I tried to save that but my memory failed. I might not remember this next time."

FAILURES: Mapping[str, Failure] = _table(
    # The fifteen failure cases of the stage 0 text, in its order.
    (
        "SEM_NOT_FOUND",
        400,
        _I,
        "I don’t have that information stored yet. If you want, tell me and I’ll remember it.",
        "SEM lookup for key {key} returned empty.",
    ),
    ("SEM_WRITE_FAIL", 500, _W, _WRITE_FAILED, "SEM write for key {key} failed: {reason}."),
    (
        "ROUTER_NO_MATCH",
        400,
        _I,
        "I don’t have a module for that type of request yet.",
        "No router rule matched query {query_hash}.",
    ),
    (
        "AGENT_TIMEOUT",
        504,
        _W,
        "One of my internal modules timed out while trying to fetch the answer. I’ll try a fallback.",
        "Agent {agent_id} did not answer within {timeout_ms} ms.",
    ),
    (
        "AGENT_ERROR",
        500,
        _E,
        "A module failed while processing your request. I can try a partial result or you can try again.",
        "Agent {agent_id} raised {exception}.",
    ),
    (
        "LLM_SERVICE_DOWN",
        503,
        _C,
        "I can’t reach my language engine right now. Try again later.",
        "No language engine answered: {reason}.",
    ),
    (
        "COUNCIL_DEADLOCK",
        409,
        _W,
        (
            "I’m not confident enough to decide on this. "
            "Do you want me to ask for human review or try a different approach?"
        ),
        "Council score {score} against threshold {threshold}; tie-breaks did not resolve it.",
    ),
    (
        "LOW_CONFIDENCE",
        200,
        _W,
        "I’m not confident about this answer. Would you like me to double-check or get a human to review?",
        "Final confidence {confidence} is below {threshold}.",
    ),
    (
        "REPAIR_LIMIT_EXCEEDED",
        503,
        _E,
        "I tried several times but couldn’t reach a reliable answer. Want to escalate to human review?",
        "Not approved after {loops} repair rounds.",
    ),
    (
        "INVALID_INPUT",
        400,
        _I,
        "Your request looks malformed or too large. Please shorten it or fix the format.",
        "Invalid input: {reason}.",
    ),
    (
        "PRIVACY_BLOCKED",
        403,
        _W,
        "I can’t store or repeat that kind of sensitive personal information.",
        "Privacy policy blocked data of type {pii_type}.",
    ),
    ("CACHE_ERROR", 500, _W, "", "Cache backend failed: {reason}; going on without it."),
    (
        "LOG_INVALID",
        400,
        _E,
        "There was an internal integrity issue; request flagged for review.",
        "Reflective log refused and quarantined as {quarantine_id}: {reason}.",
    ),
    (
        "STORAGE_FULL",
        507,
        _C,
        "My memory is full right now; I can’t store new information.",
        "Storage is full: {reason}.",
    ),
    ("PERMISSION_DENIED", 403, _W, "You don’t have permission to do that.", "{actor} may not {action}."),
    # The stage 1 categories and what doors need beside them.
    ("MEMORY_WRITE_FAIL", 500, _W, _WRITE_FAILED, "Write to {key} failed after its retry: {reason}."),
    (
        "INTEGRITY_FAILURE",
        409,
        _C,
        "I’m temporarily unable to trust my past data; ops team will check.",
        "Integrity check failed: {reason}.",
    ),
    (
        "REPLAY_HALTED",
        409,
        _E,
        "This decision cannot be replayed until its records have been checked.",
        "Replay of {job_id} is halted by incident {incident_id}.",
    ),
    (
        "SERVICE_UNAVAILABLE",
        503,
        _C,
        "Something I depend on is not available right now. Try again later.",
        "Service unavailable: {reason}.",
    ),
    (
        "DATA_UNAVAILABLE",
        503,
        _E,
        "I can’t reach my memory right now. Try again later.",
        "Store unreachable for {key}: {reason}.",
    ),
    (
        "ROUTER_NO_SNAPSHOT",
        503,
        _E,
        "I can’t reach my memory right now. Try again later.",
        "No snapshot to route from: {reason}.",
    ),
    (
        "POLICY_VIOLATION",
        403,
        _C,
        "That action is against my policy and was stopped.",
        "{module_id} attempted a forbidden action: {action}.",
    ),
    (
        "SECURITY_INCIDENT",
        403,
        _C,
        "That request was stopped for security reasons.",
        "Security incident: {reason}.",
    ),
    ("AUTH_ERROR", 401, _W, "Please sign in with a valid token.", "Authentication failed: {reason}."),
    ("NOT_FOUND", 404, _I, "I can’t find that.", "{what} was not found."),
    (
        "CONFLICT",
        409,
        _W,
        "That conflicts with something already done.",
        "Conflict: {reason}.",
    ),
    (
        "PRECONDITION_FAILED",
        412,
        _W,
        "That can’t be done in the current state.",
        "Precondition failed: {reason}.",
    ),
    (
        "USER_NOT_NAMED",
        400,
        _I,
        "I don’t know who you are, so I can’t remember that for you.",
        "No user_id was given: {reason}.",
    ),
    ("RATE_LIMITED", 429, _W, "Too many requests. Please slow down.", "Rate limit reached: {reason}."),
)


class _Blank(dict[str, object]):
    """A template's missing detail reads as `unknown`: an error must never fail on its own wording."""

    def __missing__(self, key: str) -> str:
        return "unknown"


def developer_message(code: str, details: Mapping[str, object]) -> str:
    return FAILURES[code].developer_template.format_map(_Blank(details))


def envelope(
    code: str, *, query_id: str, trace_id: str, timestamp: str, details: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Build the standard failure envelope; `details` fill the developer message and are repeated in `meta`."""
    row = FAILURES[code]
    known = dict(details or {})
    return {
        "error_code": row.code,
        "status": row.status,
        "severity": row.severity.value,
        "user_message": row.user_message,
        "developer_message": developer_message(code, known),
        "meta": {**known, "query_id": query_id, "timestamp": timestamp, "trace_id": trace_id},
    }


class MaceError(Exception):
    """Something that should not have happened, with its row of the table. The text holds no personal data."""

    code = "SERVICE_UNAVAILABLE"

    def __init__(self, reason: str = "", **details: Any) -> None:
        self.details: dict[str, Any] = {"reason": reason, **details} if reason else dict(details)
        super().__init__(reason or developer_message(self.code, self.details))

    @property
    def user_message(self) -> str:
        return FAILURES[self.code].user_message


class InvalidInput(MaceError, ValueError):
    """An argument cannot be taken; the text says which one and what would be right."""

    code = "INVALID_INPUT"


class WrongType(InvalidInput, TypeError):
    """An argument of another type than its verb takes: a broken contract, which is raised and never answered."""


class NotFound(MaceError, LookupError):
    """Nothing of that name is there, or it is not the caller's to see."""

    code = "NOT_FOUND"


class FactNotFound(NotFound):
    """No fact is stored under a key."""

    code = "SEM_NOT_FOUND"


class Conflict(MaceError):
    """Something is there already, or somebody else was first."""

    code = "CONFLICT"


class PermissionDenied(MaceError):
    """The caller may not do this; `details["needs"]` is there when only a second factor is missing."""

    code = "PERMISSION_DENIED"


class AuthError(MaceError):
    """Not proved to be who they say."""

    code = "AUTH_ERROR"


class PreconditionFailed(MaceError):
    """The state is not what this needs, or not what the caller expected."""

    code = "PRECONDITION_FAILED"


class ApprovalNeeded(PreconditionFailed):
    """Others decide this first; `details["request_id"]` names the request that was opened for it."""


class StorageFull(MaceError):
    """The disk or the quota is full; nothing of the unit was stored."""

    code = "STORAGE_FULL"


class ServiceUnavailable(MaceError):
    """A store or service did not do its part; nothing of the unit was stored unless the text says otherwise."""

    code = "SERVICE_UNAVAILABLE"


class Closed(ServiceUnavailable):
    """The MACE was closed, or opened for reading only: nothing failed, and nothing was done."""


class IntegrityFailure(MaceError):
    """Stored bytes are not what was signed."""

    code = "INTEGRITY_FAILURE"


class KeyMissing(IntegrityFailure):
    """The key of sealed data is gone and no deletion manifest says so: it was lost, not erased."""


class ImmutableFieldError(MaceError):
    """An immutable field of a reflective log was to be changed."""

    code = "CONFLICT"


class LogExistsError(MaceError):
    """A reflective log with this id is already written."""

    code = "CONFLICT"


class LogInvalid(MaceError, ValueError):
    """A reflective log broke its schema, its limits or its signature; the payload is in quarantine."""

    code = "LOG_INVALID"

    def __init__(self, reason: str, quarantine_id: str) -> None:
        super().__init__(reason, quarantine_id=quarantine_id)
        self.quarantine_id = quarantine_id


class Erased(MaceError):
    """The key of this data was destroyed or sealed away; only its hash is left."""

    code = "NOT_FOUND"


def failure_of(answer: object) -> MaceError | None:
    """The exception of a failed answer: an envelope, or an answer with `error_code` or `error`; None for a success.

    A question that was answered all the same, or only with low confidence, did not fail.
    """
    if not isinstance(answer, dict):
        return None
    told = answer if "developer_message" in answer else answer.get("error")
    told = told if isinstance(told, dict) else {}
    code = answer.get("error_code", told.get("error_code"))
    answered = "route_trace" in answer and (answer.get("answer") is not None or code == "LOW_CONFIDENCE")
    if not isinstance(code, str) or answered:
        return None
    if code not in FAILURES:
        return MaceError("the answer failed with a code that this version does not know")
    meta = told.get("meta")
    details = {name: value for name, value in meta.items() if name != "reason"} if isinstance(meta, dict) else {}
    kind = _BY_CODE.get(code, MaceError)
    error = kind.__new__(kind)
    error.code = code
    said = "no fact is stored under this key" if code == "SEM_NOT_FOUND" else developer_message(code, details)
    MaceError.__init__(error, told.get("developer_message") or said, **details)
    return error


_BY_CODE: Mapping[str, type[MaceError]] = {
    kind.code: kind
    for kind in (
        InvalidInput,
        NotFound,
        FactNotFound,
        Conflict,
        PermissionDenied,
        AuthError,
        PreconditionFailed,
        StorageFull,
        ServiceUnavailable,
        IntegrityFailure,
    )
}
