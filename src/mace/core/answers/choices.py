"""The closed choices of the public surface, as types, and JSON as one.

Pure. Each `Literal` repeats a table that decides elsewhere; `tests/unit/core/test_choices.py` keeps both equal.
"""

from typing import TYPE_CHECKING, Any, ForwardRef, Literal, TypeAlias

# People and permissions
Role = Literal["viewer", "user", "agent", "operator", "auditor", "admin", "council"]
VoteChoice = Literal["approve", "reject", "abstain"]
VotedAs = Literal["owner", "council", "admin"]
DecidedBy = Literal["council", "admin"]
ApprovalKind = Literal[
    "erasure",
    "quarantine",
    "release",
    "promotion",
    "policy_change",
    "lift_halt",
    "review",
    "rectification",
    "council_change",
]
ApprovalStatus = Literal["open", "approved", "rejected", "expired"]

# Privacy
Sensitivity = Literal["low", "medium", "high"]
PiiType = Literal[
    "us_ssn",
    "us_itin",
    "national_id",
    "passport",
    "driver_license",
    "payment_card",
    "iban",
    "bank_account",
    "medical_record",
    "health_insurance",
    "diagnosis",
    "biometric",
    "private_key",
    "access_token",
    "password",
    "phone",
    "postal_address",
    "email",
    "birth_date",
    "ip_address",
    "mac_address",
    "crypto_wallet",
    "religion",
    "political_view",
    "union_membership",
    "ethnic_origin",
    "sexual_orientation",
    "criminal_record",
    "blood_type",
    "salary",
    "maiden_name",
    "url",
    "email_role",
    "ip_private",
    "birth_day",
    "first_name",
    "interest",
]
RedactionReason = Literal["PII_DETECTED", "RESTRICTED"]
DetectStatus = Literal["redacted", "allowed", "consent_required"]
ConsentScope = Literal["job", "persistent"]
ConsentPurpose = Literal["store", "process"]
ConsentCoverage = Literal[
    "covered",
    "none_given",
    "unknown",
    "revoked",
    "expired",
    "other_person",
    "other_job",
    "other_type",
    "other_purpose",
]
DsrKind = Literal["export", "delete", "rectify"]
DsrStatus = Literal["awaiting approval", "clearing", "completed", "restored", "rejected", "expired", "refused"]
CallerVia = Literal["owner", "token", "on_behalf_of"]
IdentityMethod = Literal["proof", "session", "operator", "retention", "consent_ended"]
CanaryPlace = Literal["row", "file", "file name"]
CanaryForm = Literal["plain", "JSON", "URL", "UTF-16", "hex", "base64", "gzip"]
GoneKind = Literal[
    "facts",
    "jobs",
    "turns",
    "consents",
    "exports",
    "experience",
    "quarantined",
    "evidence",
    "vote_reasons",
    "idempotency_answers",
    "other",
]
StaysKind = Literal[
    "facts",
    "jobs",
    "turns",
    "consents",
    "exports",
    "experience",
    "quarantined",
    "evidence",
    "vote_reasons",
    "other",
    "unsealed_facts",
    "forensic_keys",
    "ledger",
    "names",
    "hashes",
    "papers",
    "free_text",
    "old_bytes",
    "copies",
]

# Facts. A source is one of `FactSource` or `agent:<id>`; a `Literal` cannot say the second, so the type is a text.
KeyScope = Literal["user", "world", "mace", "agent", "system", "config"]
FactSource = Literal["user", "system", "system_admin"]
Source: TypeAlias = str

# Questions, jobs, logs
JobKind = Literal["ask", "run", "program", "block"]
JobStatus = Literal["running", "waiting", "interrupted", "closed", "failed", "cancelled", "abandoned"]
CallState = Literal["started", "done", "failed", "unknown"]
CallError = Literal[
    "raised",
    "timed_out",
    "not_json",
    "too_large",
    "cancelled",
    "unknown_result",
    "refused",
    "foreign_handle",
]
MessageRole = Literal["user", "assistant", "system", "tool"]
EvidenceKind = Literal[
    "fact",
    "turn",
    "rule",
    "call",
    "context",
    "computed",
    "model",
    "operation",
    "person",
    "computation",  # as the answers to questions say it; it is signed with them
    "verification",
]
RouteReason = Literal[
    "profile_lookup",
    "math_detect",
    "fact_lookup",
    "command",
    "creative",
    "strategy",
    "search",
    "fallback",
    "reply_to_miss",
    "router_no_match",  # nobody was chosen, and why
    "privacy_blocked",
]
ReplayResult = Literal[
    "MATCH",
    "INTEGRITY_FAILURE",
    "MISSING_SNAPSHOT",
    "MISSING_PERSISTED_AGENT_OUTPUT",
    "REPLAY_DIVERGENCE",
    "RESULT_MISMATCH",
    "INPUT_ERASED",
    "REPLAY_HALTED",
    "NO_PROGRAM",
]
LogSource = Literal["system", "user_request", "api"]
AmendEffect = Literal["note", "override_suggestion", "revalidate"]

# Ledger, incidents, modules
FindingKind = Literal[
    "CONTENT_CHANGED",
    "BAD_SIGNATURE",
    "COLUMN_MISMATCH",
    "CHAIN_BROKEN",
    "ROW_MISSING",
    "ORDER_CHANGED",
    "LOG_CUT",
    "TREE_MISMATCH",
    "TILE_CHANGED",
    "RECORD_CHANGED",
    "RECORD_MISSING",
    "ROW_UNNAMED",
    "SUBJECTS_CHANGED",
    "KEY_RETIRED",
    "KEY_UNREADABLE",
    "KEY_MISSING",
    "PROJECTION_CHANGED",
    "KEY_RETURNED",
    "CHECKPOINT_FORGED",
    "SHELF_MOVED",
    "WRONG_LOG",
    "KEY_FILE_DAMAGED",
    "ROW_UNREADABLE",
    "FILE_DAMAGED",
    "SCHEMA_CHANGED",
    "NOT_CHECKED",
    "MANY_MORE",
]
ShelfState = Literal["new", "here", "followed", "empty", "moved"]
IncidentKind = Literal["INTEGRITY_FAILURE", "POLICY_VIOLATION", "SECURITY_INCIDENT", "SERVICE_UNAVAILABLE"]
ForensicKind = Literal["evidence", "erased_keys"]
QuarantineKind = Literal["reflective_log", "finding"]
LeavesOut = Literal["recent_logs", "approvals.list", "forensics.entries"]  # lists that leave out what is damaged
ModuleStatus = Literal["healthy", "degraded", "offline", "quarantined"]

# Context and experience
ControllerVersion = Literal["phase6-v1", "phase7-v1"]
StoreProblem = Literal[
    "not_json",
    "not_utf8",
    "byte_order_mark",
    "not_an_object",
    "too_long",
    "too_deep",
    "missing_field",
    "wrong_type",
    "number_too_large",
    "bad_timestamp",
    "duplicate_memory_id",
    "no_line_end",
]
DropReason = Literal["invalid_record_schema", "trust_denied", "budget_exhausted"]
MegramState = Literal[
    "abandon", "accept", "change_approach", "success", "break_symmetry", "change_path", "refine"
]  # those that a caller may name
StoredState = Literal[
    "abandon",
    "accept",
    "change_approach",
    "success",
    "break_symmetry",
    "change_path",
    "refine",
    "negative_feedback",
    "best_practice",
    "constraint",
]
RuleState = Literal["best_practice", "constraint"]
Level = Literal["M", "K", "C", "T"]
ExperienceWriter = Literal["solver", "system_admin"]
MkAction = Literal["Ignore", "Exploit", "Avoid", "Caution"]
ChangeKind = Literal["promotion", "demotion", "forgetting"]
DistilledBy = Literal["engine", "extract"]

# Failures
Severity = Literal["info", "warning", "error", "critical"]
ErrorCode = Literal[
    "SEM_NOT_FOUND",
    "SEM_WRITE_FAIL",
    "ROUTER_NO_MATCH",
    "AGENT_TIMEOUT",
    "AGENT_ERROR",
    "LLM_SERVICE_DOWN",
    "COUNCIL_DEADLOCK",
    "LOW_CONFIDENCE",
    "REPAIR_LIMIT_EXCEEDED",
    "INVALID_INPUT",
    "PRIVACY_BLOCKED",
    "CACHE_ERROR",
    "LOG_INVALID",
    "STORAGE_FULL",
    "PERMISSION_DENIED",
    "MEMORY_WRITE_FAIL",
    "INTEGRITY_FAILURE",
    "REPLAY_HALTED",
    "SERVICE_UNAVAILABLE",
    "DATA_UNAVAILABLE",
    "ROUTER_NO_SNAPSHOT",
    "POLICY_VIOLATION",
    "SECURITY_INCIDENT",
    "AUTH_ERROR",
    "NOT_FOUND",
    "CONFLICT",
    "PRECONDITION_FAILED",
    "USER_NOT_NAMED",
    "RATE_LIMITED",
]

# JSON: `Json` is what answers hold; `JsonInput` is what callers may pass, so that a `dict[str, list[str]]` of theirs
# will do. Python 3.11 has no `type` statement: at run time the recursion names this module, so that
# `typing.get_type_hints` finds it from wherever a signature uses it.
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Json: TypeAlias = bool | int | float | str | list["Json"] | dict[str, "Json"] | None
    JsonInput: TypeAlias = bool | int | float | str | Sequence["JsonInput"] | Mapping[str, "JsonInput"] | None
else:
    _json: Any = ForwardRef("Json", module=__name__)
    _input: Any = ForwardRef("JsonInput", module=__name__)
    Json = bool | int | float | str | list[_json] | dict[str, _json] | None
    JsonInput = bool | int | float | str | list[_input] | tuple[_input, ...] | dict[str, _input] | None
JsonObject: TypeAlias = dict[str, Json]
