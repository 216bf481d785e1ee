"""Consent: what a person allowed, for how long, and what follows for data that was found.

Pure. It stores nothing and finds nothing; callers pass the consent, its revocation and the time. A consent speaks for
one person and covers that person's own data only. High sensitivity needs an approval besides, which binds one person,
one key and one type of data: a wider one would let the second secret in on the first one's ticket.
"""

import hashlib
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

LOW, HIGH = "low", "high"  # as the detectors say it
JOB = "job"
PERSISTENT = "persistent"
SCOPES = (JOB, PERSISTENT)
MAX_TEXT_CHARS = 4_000


def consent_id(user_id: str, job_seed: str, consent_text: str) -> str:
    """The id of the stage 1 text: plain concatenation, SHA-256."""
    return hashlib.sha256(f"{user_id}{job_seed}{consent_text}".encode()).hexdigest()


def problem_with(scope: str, consent_text: str, expires_at: datetime | None, now: datetime) -> str | None:
    """Say why this cannot be a consent; None when it can."""
    if scope not in SCOPES:
        return f"scope must be one of {', '.join(SCOPES)}"
    if not consent_text.strip() or len(consent_text) > MAX_TEXT_CHARS:
        return f"consent_text must be a string of 1 to {MAX_TEXT_CHARS} characters"
    if scope == PERSISTENT and expires_at is None:
        return "expires_at is required for a persistent consent"
    if expires_at is not None and expires_at <= now:
        return "expires_at must be in the future"
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Consent:
    consent_id: str
    person: str
    scope: str
    job_seed: str
    expires_at: datetime | None
    revoked: bool = False


class Coverage(StrEnum):
    """Why a consent covers or does not; the words go onto the record."""

    COVERED = "covered"
    NONE_GIVEN = "none_given"
    UNKNOWN = "unknown"
    REVOKED = "revoked"
    EXPIRED = "expired"
    OTHER_PERSON = "other_person"
    OTHER_JOB = "other_job"


def covers(consent: Consent | None, person: str | None, job_seed: str, now: datetime) -> Coverage:
    """Say whether a consent holds for this person's data in this job at this time."""
    if consent is None:
        return Coverage.UNKNOWN
    if person is None or consent.person != person:
        return Coverage.OTHER_PERSON
    if consent.revoked:
        return Coverage.REVOKED
    if consent.expires_at is not None and now >= consent.expires_at:
        return Coverage.EXPIRED
    if consent.scope != PERSISTENT and consent.job_seed != job_seed:
        return Coverage.OTHER_JOB
    return Coverage.COVERED


class Ruling(StrEnum):
    ALLOW = "allow"  # nothing above low
    ALLOW_BY_CONSENT = "allow_by_consent"
    CONSENT_REQUIRED = "consent_required"
    BLOCK = "block"  # high, without consent
    APPROVAL_REQUIRED = "approval_required"  # high, with consent


@dataclass(frozen=True, slots=True)
class Seen:
    """One finding, as far as a ruling needs it."""

    pii_type: str
    sensitivity: str


def rule(seen: Iterable[Seen], coverage: Coverage, approved: Collection[str] = ()) -> Ruling:
    """Decide about data with these findings; `approved` are the high types approved for this person and key."""
    flagged = [item for item in seen if item.sensitivity != LOW]
    if not flagged:
        return Ruling.ALLOW
    high = [item for item in flagged if item.sensitivity == HIGH]
    if coverage is not Coverage.COVERED:
        return Ruling.BLOCK if high else Ruling.CONSENT_REQUIRED
    if any(item.pii_type not in approved for item in high):
        return Ruling.APPROVAL_REQUIRED
    return Ruling.ALLOW_BY_CONSENT
