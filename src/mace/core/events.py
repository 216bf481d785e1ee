"""Events: what happened, in the one shape the ledger knows.

Pure. An event's `body` is the canonical JSON of every field up to `prev_hash`; `hash` is over those bytes and they are
stored as they were hashed. Event types enter event ids: a name in `EVENT_TYPES` is never changed, only added to.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

GENESIS_HASH = "0" * 64
SYSTEM_STREAM = "system"

EVENT_TYPES = frozenset(
    {
        # stage 0, spelled as there
        "sem_miss",
        "router_miss",
        "router_decision",
        "collision_event",
        "admin_access_event",
        "memory_promote_request",
        "sem_delete",
        # stage 1, spelled as there
        "AGENT_TIMEOUT",
        "NODE_OFFLINE",
        "SERVICE_UNAVAILABLE",
        "MEMORY_WRITE_FAIL",
        "INTEGRITY_FAILURE",
        "POLICY_VIOLATION",
        "SECURITY_INCIDENT",
        "PERSON_KEYS_MOVED",
        "PII_FLAGGED",
        "PII_CONSENT",
        "PII_CONSENT_REVOKE",
        "DSR_REQUEST",
        "DSR_DELETE_REQUEST",
        "RETRY_ATTEMPT",
        "INCIDENT_CREATED",
        "INCIDENT_ACK",
        "FORCE_HALT_REPLAY",
        # the runtime's own
        "ACCESS_DENIED",
        "ACCESS_GRANTED",
        "ACCOUNT_CHANGED",
        "ACCOUNT_CREATED",
        "ACCOUNT_LOCKED",
        "ADMIN_ALERT",
        "AGENT_DECLINED",
        "AGENT_ERROR",
        "AGENT_INVOKED",
        "AGENT_OUTPUT",
        "ALIAS_ADDED",
        "AMENDMENT_WRITTEN",
        "APPROVAL_DECIDED",
        "APPROVAL_REQUESTED",
        "APPROVAL_VOTE",
        "AUTH_ERROR",
        "CACHE_ERROR",
        "CONFLICT",
        "CONTEXT_APPENDED",
        "CONTEXT_APPEND_STARTED",
        "CONTEXT_APPEND_UNDONE",
        "COUNCIL_DEADLOCK",
        "COUNCIL_VERDICT",
        "DATA_UNAVAILABLE",
        "DEPENDENCY_HEALTHY",
        "DEPENDENCY_UNHEALTHY",
        "DISTILLING_FAILED",
        "DSR_ERASED",
        "DSR_EXPORTED",
        "DSR_RECTIFIED",
        "EFFECT_DONE",
        "EFFECT_STARTED",
        "ENGINE_ASKED",
        "ENGINE_DONE",
        "EPOCH_STARTED",
        "ERASURE_CLEARED",
        "ERASURE_RESTORED",
        "EXPERIENCE_DEMOTED",
        "EXPERIENCE_EXPORTED",
        "EXPERIENCE_FORGOTTEN",
        "EXPERIENCE_IMPORTED",
        "EXPERIENCE_PROMOTED",
        "EXPERIENCE_REBUILT",
        "EXPERIENCE_ROLLED_BACK",
        "FAN_IN",
        "FACTS_IMPORTED",
        "FAILURE_REPORTED",
        "FINDINGS_SETTLED",
        "FORENSIC_KEY_SET",
        "FORENSIC_PURGED",
        "FORENSIC_STORED",
        "IDENTITY_PROOF_ISSUED",
        "IDENTITY_PROOF_USED",
        "INPUT_RECEIVED",
        "INTEGRITY_ATTESTED",
        "INVALID_INPUT",
        "JOB_ABANDONED",
        "JOB_BEGUN",
        "JOB_CANCELLED",
        "JOB_CLOSED",
        "JOB_INTERRUPTED",
        "JOB_OPENED",
        "JOB_RESUMED",
        "KEYS_SEPARATED",
        "KEY_ROTATED",
        "LLM_SERVICE_DOWN",
        "LOG_ANNOTATED",
        "LOG_INVALID",
        "LOG_QUARANTINED",
        "LOW_CONFIDENCE",
        "MASTER_KEY_ROTATED",
        "MEGRAM_RETRACTED",
        "MEGRAM_WRITTEN",
        "MEMORY_READ",
        "MEMORY_RECALLED",
        "MODULES_OBSERVED",
        "NAME_REGISTERED",
        "NODE_CHANGE_REFUSED",
        "NODE_DEGRADED",
        "NODE_PROBATION",
        "NODE_QUARANTINED",
        "NODE_RECOVERED",
        "NOT_FOUND",
        "PERMISSION_DENIED",
        "PERSON_ANSWERED",
        "PERSON_ASKED",
        "PII_CHECKED",
        "PII_CONSENT_EXPIRED",
        "POLICY_CHANGED",
        "PRECONDITION_FAILED",
        "PRIVACY_BLOCKED",
        "QUARANTINE_PURGED",
        "QUEUED_WRITE_RETRIED",
        "RATE_LIMITED",
        "RECORDS_SEALED",
        "REFLECTIVE_LOG_WRITTEN",
        "REGISTRY_REPAIRED",
        "REPAIR_LIMIT_EXCEEDED",
        "REPLAY_HALTED",
        "REPLAY_UNHALTED",
        "REVIEW_REQUESTED",
        "ROUTER_NO_MATCH",
        "ROUTER_NO_SNAPSHOT",
        "ROWS_ADOPTED",
        "SECOND_FACTOR_ENROLLED",
        "SECOND_FACTOR_REFUSED",
        "SECOND_FACTOR_USED",
        "SEM_NOT_FOUND",
        "SEM_PUT",
        "SEM_WRITE_FAIL",
        "SIGNED_ROWS_LISTED",
        "SNAPSHOT_TAKEN",
        "SPILL_MERGED",
        "STORAGE_FULL",
        "TOKEN_ISSUED",
        "TOKEN_REVOKED",
        "TURNS_REMEMBERED",
        "USER_IDS_CHOSEN",
        "USER_NOT_NAMED",
        "WRITE_QUEUED",
    }
)


@dataclass(frozen=True, slots=True)
class Origin:
    """What all events of one stream share; the first verb that names a seed writes it."""

    stream: str
    job_seed: str
    trace_id: str
    started_at: datetime


@dataclass(slots=True)  # not frozen, as below
class Head:
    """The newest event of a stream."""

    sequence_index: int
    hash: bytes


@dataclass(slots=True)  # not frozen, as below
class NewEvent:
    """An event ready to be stored; its place in the tree is given at commit."""

    stream: str
    sequence_index: int
    event_id: bytes
    event_type: str
    body: bytes
    hash: bytes
    signature: str
    subjects: tuple[str, ...] = ()  # the rows it speaks of, for the index (`core.subjects`)

    def placed(self, position: int) -> "StoredEvent":
        """The event at its place."""
        return StoredEvent(
            position,
            self.stream,
            self.sequence_index,
            self.event_id,
            self.event_type,
            self.body,
            self.hash,
            self.signature,
        )


@dataclass(slots=True)  # not frozen: verification makes one per event of the log, and freezing triples their price
class StoredEvent:
    """An event as it lies in the store: nothing here is trusted before it was verified."""

    position: int
    stream: str
    sequence_index: int
    event_id: bytes
    event_type: str
    body: bytes
    hash: bytes
    signature: str

    def as_new(self) -> NewEvent:
        """The event without its place."""
        return NewEvent(
            self.stream, self.sequence_index, self.event_id, self.event_type, self.body, self.hash, self.signature
        )

    def fields(self, parsed: dict[str, Any]) -> dict[str, Any]:
        """All fields of the event by their names, given its parsed body; the oldest have no `recorded_at`."""
        return {"recorded_at": None, **parsed, "hash": self.hash.hex(), "signature": self.signature}
