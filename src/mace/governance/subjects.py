"""Subject requests: what may be asked, what an export holds, how a request stands.

Pure. An export is a function of the state: no time, no id of its own, everything in one order, so that the same state
gives the same bytes. It holds what a person told and was told, and nothing of the machinery or of others.
"""

from collections.abc import Iterable, Mapping
from typing import Any

EXPORT = "export"
DELETE = "delete"
KINDS = (EXPORT, DELETE)
FORMAT = "mace-export/1"

FACT_FIELDS = ("key", "value", "notes", "meta", "source", "written_at", "version", "current")
CONSENT_FIELDS = ("consent_id", "scope", "text", "granted_at", "expires_at", "revoked_at")
JOB_FIELDS = ("job_id", "opened_at", "kind", "question", "answer")
_ASIDE = ("damaged",)  # only where there is something to say
EXPERIENCE_FIELDS = ("id", "created_at", "space", "entity", "state", "content")


def package(
    person: str,
    facts: Iterable[Mapping[str, Any]],
    consents: Iterable[Mapping[str, Any]],
    jobs: Iterable[Mapping[str, Any]],
    experience: Iterable[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """Put an export together: only the fields listed here, in an order that does not depend on any other."""
    return {
        "format": FORMAT,
        "user": person,
        "facts": _only(FACT_FIELDS, facts, ("key", "version")),
        "consents": _only(CONSENT_FIELDS, consents, ("granted_at", "consent_id")),
        "jobs": _only(JOB_FIELDS, jobs, ("opened_at", "job_id")),
        "experience": _only(EXPERIENCE_FIELDS, experience, ("created_at", "id")),
    }


def _only(fields: tuple[str, ...], rows: Iterable[Mapping[str, Any]], order: tuple[str, str]) -> list[dict[str, Any]]:
    found = [
        {**{name: row[name] for name in fields}, **{name: row[name] for name in _ASIDE if name in row}} for row in rows
    ]
    return sorted(found, key=lambda row: (row[order[0]], row[order[1]]))


def status(kind: str, approval: str | None, erased: bool) -> str:
    """How a request stands, in words a person reads."""
    if kind == EXPORT:
        return "completed"
    if erased:
        return "completed"
    return {"rejected": "rejected", "expired": "expired"}.get(approval or "", "awaiting approval")
