"""Approvals: who decides what, who may vote, and what the votes come to.

Pure. Requests, votes and members are passed in; nobody is asked for a code here and nothing is carried out. Who decides
is fixed when a request is made, with the members of that day: a council that loses members afterwards does not turn
its open requests into one admin's business.

What a person asked about their own data is a wish that time does not undo: admins are told before its deadline and once
more when it has passed, and a vote that comes late still counts.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from types import MappingProxyType

APPROVE = "approve"
REJECT = "reject"
ABSTAIN = "abstain"
VOTES = (APPROVE, REJECT, ABSTAIN)

COUNCIL = "council"
ADMIN = "admin"


class Kind(StrEnum):
    ERASURE = "erasure"
    QUARANTINE = "quarantine"
    RELEASE = "release"
    PROMOTION = "promotion"
    POLICY_CHANGE = "policy_change"
    LIFT_HALT = "lift_halt"
    REVIEW = "review"
    RECTIFICATION = "rectification"
    COUNCIL_CHANGE = "council_change"  # who sits on the council, and with which second factor


# By how much harm a wrong yes does. Low risk is one admin's business, whatever the council.
RISK: Mapping[Kind, str] = MappingProxyType(
    {
        Kind.ERASURE: "high",
        Kind.QUARANTINE: "high",
        Kind.RELEASE: "high",
        Kind.PROMOTION: "high",
        Kind.POLICY_CHANGE: "high",
        Kind.LIFT_HALT: "high",
        Kind.REVIEW: "low",
        Kind.RECTIFICATION: "low",
        Kind.COUNCIL_CHANGE: "high",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalRules:
    quorum: int = 3
    expires_after: timedelta = timedelta(days=7)
    alert_before: timedelta = timedelta(days=2)  # the deadline of a subject request that nobody has decided


class Status(StrEnum):
    OPEN = "open"
    APPROVED = "approved"
    REJECTED = "rejected"
    EXPIRED = "expired"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    request_id: str
    kind: Kind
    requested_by: str
    decided_by: str  # council or admin
    members: tuple[str, ...]  # of the council when the request was made
    expires_at: datetime
    person: str = ""  # whose data it is about
    is_subjects: bool = False  # a person asked this about their own data, or a consent of theirs ended


@dataclass(frozen=True, slots=True, kw_only=True)
class Vote:
    member: str
    vote: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Voter:
    """Somebody who wants to vote, as authentication found them."""

    name: str
    roles: frozenset[str]
    is_owner: bool = False  # of an embedded directory: its admin
    is_only_admin: bool = False
    person: str = ""  # the user they are


def who_decides(kind: Kind, council_size: int, rules: ApprovalRules) -> str:
    """One admin for low risk and where there is no council to speak of, else the council."""
    return ADMIN if RISK[kind] == "low" or council_size < rules.quorum else COUNCIL


def refusal(request: Request, votes: Iterable[Vote], voter: Voter, vote: str, now: datetime) -> str | None:
    """Say why this vote is not taken; None when it is."""
    if vote not in VOTES:
        return f"vote must be one of {', '.join(VOTES)}"
    if has_lapsed(request, now):
        return "the request has expired"
    if any(cast.member == voter.name for cast in votes):
        return "this member has already voted"
    if request.decided_by == COUNCIL:
        if "council" not in voter.roles or voter.name not in request.members:
            return "only members of the council may vote on this"
        if voter.person and voter.person == request.person:
            return "members may not vote on a request about their own data"
        return "members may not vote on their own request" if voter.name == request.requested_by else None
    if not (voter.is_owner or "admin" in voter.roles):
        return "only an admin may decide this"
    theirs = voter.name == request.requested_by or (voter.person and voter.person == request.person)
    if theirs and not (voter.is_owner or voter.is_only_admin):
        return "admins may not decide their own request while another admin exists"
    return None


def has_lapsed(request: Request, now: datetime) -> bool:
    """Say whether no vote counts any more; on a subject request a late one does."""
    return now >= request.expires_at and not request.is_subjects


class Alert(StrEnum):
    """What admins are told of a subject request that nobody decides."""

    SOON = "nobody has decided this subject request, and its deadline is near"
    LATE = "nobody decided this subject request by its deadline; a vote still counts"


def alert_due(request: Request, now: datetime, rules: ApprovalRules, told: Collection[Alert]) -> Alert | None:
    """The alert that is due about an undecided request and was not given yet; a missed first one is not made up for."""
    if not request.is_subjects:
        return None
    if now >= request.expires_at:
        return None if Alert.LATE in told else Alert.LATE
    near = now >= request.expires_at - min(rules.alert_before, rules.expires_after / 2)
    return Alert.SOON if near and Alert.SOON not in told else None


def outcome(request: Request, votes: Iterable[Vote], now: datetime, rules: ApprovalRules) -> Status:
    """What the votes come to: at the quorum the majority decides, abstentions count for the quorum, ties reject."""
    cast = [item.vote for item in votes]
    approvals, rejections = cast.count(APPROVE), cast.count(REJECT)
    if request.decided_by == ADMIN:
        if approvals or rejections:
            return Status.APPROVED if approvals > rejections else Status.REJECTED
    elif len(cast) >= rules.quorum:
        return Status.APPROVED if approvals > rejections else Status.REJECTED
    return Status.EXPIRED if now >= request.expires_at else Status.OPEN
