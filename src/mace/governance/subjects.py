"""Subject requests: what may be asked, what an export holds, how a request stands.

Pure. An export is a function of the state: no time, no id of its own, everything in one order, so that the same state
gives the same bytes. It holds what a person told and was told, what was written and decided about them, their accounts
and who looked at their data; nothing secret, and nothing of the machinery or of others.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from mace.core.reflective import IMMUTABLE_FIELDS

EXPORT = "export"
DELETE = "delete"
RECTIFY = "rectify"
KINDS = (EXPORT, DELETE, RECTIFY)
FORMAT = "mace-export/3"

FACT_FIELDS = ("key", "value", "notes", "meta", "source", "written_at", "version", "current")
CONSENT_FIELDS = (
    "consent_id",
    "scope",
    "text",
    "data_types",
    "purposes",
    "granted_at",
    "expires_at",
    "revoked_at",
)
JOB_FIELDS = ("job_id", "opened_at", "kind", "question", "answer")
_ASIDE = ("damaged", "program", "value", "calls", "branches")  # only where there is something to say
EXPERIENCE_FIELDS = ("id", "created_at", "space", "entity", "state", "content")
LOG_FIELDS = (
    *(name for name in IMMUTABLE_FIELDS if name != "signature"),
    "amendments",
    "user_feedback",
    "ground_truth_label",
    "audit_tags",
)
QUEUED_FIELDS = ("queued_id", "key", "at", "value", "notes", "meta", "source", "retried")
APPROVAL_FIELDS = ("request_id", "kind", "requested_by", "decided_by", "details", "created_at", "expires_at", "status")
VOTE_FIELDS = ("member", "vote", "at")
ACCOUNT_FIELDS = ("name", "roles", "created_at", "by", "active", "second_factor")
QUARANTINED_FIELDS = ("quarantine_id", "at", "problems", "payload")
EVIDENCE_FIELDS = ("entry_id", "at", "about", "is_readable", "content")
TURN_FIELDS = ("turn_id", "conversation_id", "at", "role", "name", "content")
RECALL_FIELDS = ("event_id", "at", "refs", "tokens")
ACCESS_FIELDS = ("event_id", "at", "actor", "what", "which", "purpose")


def package(
    person: str,
    facts: Iterable[Mapping[str, Any]],
    consents: Iterable[Mapping[str, Any]],
    jobs: Iterable[Mapping[str, Any]],
    experience: Iterable[Mapping[str, Any]] = (),
    *,
    logs: Iterable[Mapping[str, Any]] = (),
    queued_writes: Iterable[Mapping[str, Any]] = (),
    approvals: Iterable[Mapping[str, Any]] = (),
    accounts: Iterable[Mapping[str, Any]] = (),
    accesses: Iterable[Mapping[str, Any]] = (),
    quarantined: Iterable[Mapping[str, Any]] = (),
    evidence: Iterable[Mapping[str, Any]] = (),
    turns: Iterable[Mapping[str, Any]] = (),
    recalls: Iterable[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """Put an export together: only the fields listed here, in an order that does not depend on any other."""
    return {
        "format": FORMAT,
        "user": person,
        "facts": _only(FACT_FIELDS, facts, ("key", "version")),
        "consents": _only(CONSENT_FIELDS, consents, ("granted_at", "consent_id")),
        "jobs": _only(JOB_FIELDS, jobs, ("opened_at", "job_id")),
        "experience": _only(EXPERIENCE_FIELDS, experience, ("created_at", "id")),
        "logs": _only(LOG_FIELDS, logs, ("created_at", "log_id")),
        "queued_writes": _only(QUEUED_FIELDS, queued_writes, ("at", "queued_id")),
        "approvals": _only((*APPROVAL_FIELDS, "votes"), map(_with_votes, approvals), ("created_at", "request_id")),
        "accounts": _only(ACCOUNT_FIELDS, accounts, ("created_at", "name")),
        "accesses": _only(ACCESS_FIELDS, accesses, ("at", "event_id")),
        "quarantined": _only(QUARANTINED_FIELDS, quarantined, ("at", "quarantine_id")),
        "evidence": _only(EVIDENCE_FIELDS, evidence, ("at", "entry_id")),
        "turns": _only(TURN_FIELDS, turns, ("turn_id", "turn_id")),
        "recalls": _only(RECALL_FIELDS, recalls, ("at", "event_id")),
    }


def _with_votes(approval: Mapping[str, Any]) -> dict[str, Any]:
    """A request with its votes, each without what proved the voter."""
    votes = [
        {**{name: vote[name] for name in VOTE_FIELDS}, **({"reason": vote["reason"]} if "reason" in vote else {})}
        for vote in approval["votes"]
    ]
    return {**approval, "votes": sorted(votes, key=lambda vote: (vote["at"], vote["member"]))}


def _only(fields: tuple[str, ...], rows: Iterable[Mapping[str, Any]], order: tuple[str, str]) -> list[dict[str, Any]]:
    found = [
        {**{name: row[name] for name in fields}, **{name: row[name] for name in _ASIDE if name in row}} for row in rows
    ]
    return sorted(found, key=lambda row: (row[order[0]] or "", row[order[1]]))  # a damaged one may have no time


def status(kind: str, approval: str | None, done: bool, *, restored: bool = False, clearing: bool = False) -> str:
    """How a request stands, in words a person reads.

    An erasure is `clearing` while old bytes of its keys may lie in the files of the store, and `restored` once it was
    undone: then nothing of it counts as deleted.
    """
    if kind == EXPORT:
        return "completed"
    if done and restored:
        return "restored"
    if done:
        return "clearing" if clearing else "completed"
    return {"rejected": "rejected", "expired": "expired"}.get(approval or "", "awaiting approval")


def reasons(approval: str, votes: Iterable[Mapping[str, Any]]) -> list[str]:
    """Why a request was rejected, as far as those who voted so said; for the person."""
    if approval != "rejected":
        return []
    return [str(vote["reason"]) for vote in votes if vote["vote"] == "reject" and vote.get("reason")]
