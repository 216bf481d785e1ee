"""Consent: what a person allowed, for how long, and what follows for data that was found.

Pure. It stores nothing and finds nothing; callers pass the consent, its revocation and the time. A consent speaks for
one person and covers that person's own data only, of the types and for the purposes it names. High sensitivity needs an
approval besides, which binds one person, one key, one type of data and one value: a wider one would let the second
secret in on the first one's ticket.

A consent for a job limits when data may be written; what it let in stays until it is revoked. What only an ended
consent covers is no longer served, and a consent that is given after the end does not bring it back.
"""

import hashlib
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum

LOW, HIGH = "low", "high"  # as the detectors say it
JOB = "job"
PERSISTENT = "persistent"
SCOPES = (JOB, PERSISTENT)
MAX_TEXT_CHARS = 4_000
MAX_LIFE = timedelta(days=3653)  # ten years: nobody foresees more, and a consent can be given again
STORE = "store"  # keep it, and let the packaged agents of this process use it
PROCESS = "process"  # send it out of this process: to a language engine, to an agent that somebody brought
PURPOSES = (STORE, PROCESS)


def consent_id(user_id: str, job_seed: str, consent_text: str) -> str:
    """The id of the stage 1 text: plain concatenation, SHA-256."""
    return hashlib.sha256(f"{user_id}{job_seed}{consent_text}".encode()).hexdigest()


def problem_with(
    scope: str,
    consent_text: str,
    expires_at: datetime | None,
    now: datetime,
    data_types: Collection[str] | None = None,
    purposes: Collection[str] = (STORE,),
    known_types: Collection[str] = (),
) -> str | None:
    """Say why this cannot be a consent; None when it can. `known_types` are the types of data that are detected."""
    if data_types is not None and not data_types:
        return "data_types must name at least one type of data, or be left out for every type"
    unknown = sorted(set(data_types or ()) - set(known_types))
    if unknown:
        return f"data_types must be among {', '.join(known_types)}; unknown: {', '.join(unknown)}"
    if not purposes or not set(purposes) <= set(PURPOSES):
        return f"purposes must be one or more of {', '.join(PURPOSES)}"
    if scope not in SCOPES:
        return f"scope must be one of {', '.join(SCOPES)}"
    if not consent_text.strip() or len(consent_text) > MAX_TEXT_CHARS:
        return f"consent_text must be a string of 1 to {MAX_TEXT_CHARS} characters"
    if scope == PERSISTENT and expires_at is None:
        return "expires_at is required for a persistent consent"
    if expires_at is not None and expires_at <= now:
        return "expires_at must be in the future"
    if expires_at is not None and expires_at - now > MAX_LIFE:
        return f"expires_at must be at most {MAX_LIFE.days} days (ten years) ahead; a consent can be given again"
    return None


@dataclass(frozen=True, slots=True)
class Moment:
    """When it was: by the clock and, where an event says so, by its place on the ledger, which no clock can move."""

    at: datetime
    place: int | None = None

    def is_before(self, other: "Moment") -> bool:
        """Say whether this was earlier: by the ledger where both stand on it, else by the clock."""
        if self.place is not None and other.place is not None:
            return self.place < other.place
        return self.at < other.at


_ALWAYS = Moment(datetime.min.replace(tzinfo=UTC), -1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Consent:
    consent_id: str
    person: str
    scope: str
    job_seed: str
    expires_at: datetime | None
    given: Moment = _ALWAYS
    revoked: Moment | None = None
    data_types: frozenset[str] | None = None  # None: every type
    purposes: frozenset[str] = frozenset({STORE})


class Coverage(StrEnum):
    """Why a consent covers or does not; the words go onto the record."""

    COVERED = "covered"
    NONE_GIVEN = "none_given"
    UNKNOWN = "unknown"
    REVOKED = "revoked"
    EXPIRED = "expired"
    OTHER_PERSON = "other_person"
    OTHER_JOB = "other_job"
    OTHER_TYPE = "other_type"
    OTHER_PURPOSE = "other_purpose"


def covers(
    consent: Consent | None,
    person: str | None,
    job_seed: str,
    now: datetime,
    types: Collection[str] = (),
    purpose: str = STORE,
) -> Coverage:
    """Say whether a consent holds for this person's data of these types in this job, at this time and to this end."""
    if consent is None:
        return Coverage.UNKNOWN
    if person is None or consent.person != person:
        return Coverage.OTHER_PERSON
    if consent.revoked is not None:
        return Coverage.REVOKED
    if consent.expires_at is not None and now >= consent.expires_at:
        return Coverage.EXPIRED
    if consent.scope != PERSISTENT and consent.job_seed != job_seed:
        return Coverage.OTHER_JOB
    if consent.data_types is not None and not consent.data_types.issuperset(types):
        return Coverage.OTHER_TYPE
    return Coverage.COVERED if purpose in consent.purposes else Coverage.OTHER_PURPOSE


def has_ended(consent: Consent, now: datetime) -> bool:
    """Say whether a consent has ended for what it let in: revoked, or a persistent one past its expiry."""
    end = _end(consent)
    return consent.revoked is not None or (end is not None and now >= end.at)


def ends_at(consent: Consent) -> datetime | None:
    """When a consent that has not ended will end by itself for what it let in; None: not by time alone."""
    return consent.expires_at if consent.scope == PERSISTENT else None


def _end(consent: Consent) -> Moment | None:
    """When a consent ended or will end for what it let in: by its expiry or by being revoked, whichever is earlier."""
    expiry = ends_at(consent)
    if expiry is None or (consent.revoked is not None and consent.revoked.at < expiry):
        return consent.revoked
    return Moment(expiry)


def _held_at(consent: Consent, moment: Moment) -> bool:
    """Say whether a consent was in force at a moment: given before it, and not ended by then."""
    end = _end(consent)
    return consent.given.is_before(moment) and (end is None or moment.is_before(end))


def stands_under(let_in: Consent, others: Iterable[Consent], types: Collection[str], now: datetime) -> Consent | None:
    """The consent that what was let in stands under now: its own, or another one that took over without a gap.

    Another one takes over if it covers the data lastingly and was in force when the one before it ended. One that was
    given later brings nothing back. None when nothing took over. A consent for another job covers nothing of this one.
    """
    waiting = [other for other in others if other.scope == PERSISTENT and _is_about(other, let_in.person, types)]
    line = [let_in]
    for held in line:  # which grows: each that took over may be followed by others
        end = _end(held)
        if end is None or not has_ended(held, now):
            continue
        following = [other for other in waiting if _held_at(other, end)]
        waiting = [other for other in waiting if other not in following]
        line += following
    standing = [held for held in line if not has_ended(held, now)]
    return max(standing, key=lambda held: (held.expires_at or now, held.consent_id), default=None)


def _is_about(consent: Consent, person: str, types: Collection[str]) -> bool:
    is_wide = consent.data_types is None or consent.data_types.issuperset(types)
    return consent.person == person and is_wide and STORE in consent.purposes


class Repeated(StrEnum):
    """What becomes of a consent whose id was given before."""

    AGAIN = "again"  # it had ended: it is given anew, and counts from then on
    TAKEN = "another consent already has this consent_id; give it with another job_seed or in other words"
    ALREADY = "this consent was already given"
    OTHER_TERMS = "this consent was already given for other data_types, purposes or scope; give it in other words"


def repeated(held: Consent, wanted: Consent, now: datetime) -> Repeated:
    """Decide about a consent that is given under an id that one has already.

    The id is plain concatenation, so two people can come to one: the second gives other words or another seed.
    """
    if held.person != wanted.person:
        return Repeated.TAKEN
    if (held.scope, held.data_types, held.purposes) != (wanted.scope, wanted.data_types, wanted.purposes):
        return Repeated.OTHER_TERMS
    return Repeated.AGAIN if has_ended(held, now) else Repeated.ALREADY


def binds(approved_hash: str | None, wanted_hash: str, first_hash: str | None, stored_as: str | None) -> bool:
    """Say whether an approval is about this value.

    One from before approvals named a value (`approved_hash` is None) is about the first value that was stored under it:
    `first_hash`, None while there is none, held against what this value would be `stored_as`.
    """
    if approved_hash is not None:
        return approved_hash == wanted_hash
    return first_hash is None or first_hash == stored_as


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


def may_stay(seen: Iterable[Seen], coverage: Coverage) -> frozenset[str]:
    """The types of data that may stay in a text whose other findings are redacted: what consent covers, never high.

    High data would need an approval, which binds a key; a text that is redacted in place has none.
    """
    if coverage is not Coverage.COVERED:
        return frozenset()
    found = list(seen)
    high = {item.pii_type for item in found if item.sensitivity == HIGH}
    return frozenset(item.pii_type for item in found) - high
