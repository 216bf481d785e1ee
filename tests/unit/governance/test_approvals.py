"""Approvals: who decides, who may vote, what votes come to."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from mace.governance.approvals import (
    ADMIN,
    COUNCIL,
    RISK,
    Alert,
    ApprovalRules,
    Kind,
    Request,
    Status,
    Vote,
    Voter,
    alert_due,
    outcome,
    refusal,
    who_decides,
)

pytestmark = pytest.mark.stage1
NOW = datetime(2026, 3, 1, tzinfo=UTC)
RULES = ApprovalRules()
BY_COUNCIL = Request(
    request_id="r",
    kind=Kind.ERASURE,
    requested_by="ana",
    decided_by=COUNCIL,
    members=("ana", "bo", "cy", "di"),
    expires_at=NOW + timedelta(days=7),
)
BY_ADMIN = replace(BY_COUNCIL, decided_by=ADMIN, members=())


def votes(text: str) -> list[Vote]:
    names = {"a": "approve", "r": "reject", "-": "abstain"}
    return [Vote(member=f"m{at}", vote=names[letter]) for at, letter in enumerate(text)]


def test_every_kind_has_its_risk():
    assert set(RISK) == set(Kind)


LOW_RISK = (Kind.REVIEW, Kind.RECTIFICATION)


@pytest.mark.parametrize("kind", list(Kind))
@pytest.mark.parametrize(("size", "decides"), [(0, ADMIN), (2, ADMIN), (3, COUNCIL), (9, COUNCIL)])
def test_the_council_decides_what_is_high_where_there_is_one(kind: Kind, size: int, decides: str):
    assert who_decides(kind, size, RULES) == (ADMIN if kind in LOW_RISK else decides)


@pytest.mark.parametrize(
    ("cast", "status"),
    [
        ("", Status.OPEN),
        ("aa", Status.OPEN),
        ("aaa", Status.APPROVED),
        ("aar", Status.APPROVED),
        ("arr", Status.REJECTED),
        ("ar-", Status.REJECTED),  # a tie
        ("a--", Status.APPROVED),
        ("---", Status.REJECTED),
        ("aarr", Status.REJECTED),  # a tie of four
    ],
)
def test_what_the_council_s_votes_come_to(cast: str, status: Status):
    assert outcome(BY_COUNCIL, votes(cast), NOW, RULES) is status


@pytest.mark.parametrize(
    ("cast", "status"),
    [("", Status.OPEN), ("-", Status.OPEN), ("a", Status.APPROVED), ("r", Status.REJECTED), ("-a", Status.APPROVED)],
)
def test_one_admin_suffices_where_one_admin_decides(cast: str, status: Status):
    assert outcome(BY_ADMIN, votes(cast), NOW, RULES) is status


@pytest.mark.parametrize("cast", ["", "aa"])
def test_what_was_not_decided_in_time_has_expired(cast: str):
    assert outcome(BY_COUNCIL, votes(cast), BY_COUNCIL.expires_at, RULES) is Status.EXPIRED
    assert outcome(BY_COUNCIL, votes("aaa"), BY_COUNCIL.expires_at, RULES) is Status.APPROVED


BO = Voter(name="bo", roles=frozenset({"council"}))
ROOT = Voter(name="root", roles=frozenset({"admin"}))
OWNER = Voter(name="owner", roles=frozenset({"admin"}), is_owner=True)


@pytest.mark.parametrize(
    ("request_", "voter", "vote", "because"),
    [
        (BY_COUNCIL, BO, "approve", None),
        (BY_COUNCIL, BO, "maybe", "vote must be one of approve, reject, abstain"),
        (BY_COUNCIL, replace(BO, name="ana"), "approve", "members may not vote on their own request"),
        (BY_COUNCIL, replace(BO, name="new"), "approve", "only members of the council may vote on this"),
        (BY_COUNCIL, replace(BO, roles=frozenset()), "approve", "only members of the council may vote on this"),
        (BY_COUNCIL, ROOT, "approve", "only members of the council may vote on this"),
        (BY_COUNCIL, OWNER, "approve", "only members of the council may vote on this"),
        (BY_ADMIN, ROOT, "reject", None),
        (BY_ADMIN, OWNER, "approve", None),
        (BY_ADMIN, BO, "approve", "only an admin may decide this"),
        (
            replace(BY_ADMIN, requested_by="root"),
            ROOT,
            "approve",
            "admins may not decide their own request while another admin exists",
        ),
        (replace(BY_ADMIN, requested_by="root"), replace(ROOT, is_only_admin=True), "approve", None),
        (replace(BY_ADMIN, requested_by="owner"), OWNER, "approve", None),
    ],
)
def test_who_may_vote(request_: Request, voter: Voter, vote: str, because: str | None):
    assert refusal(request_, [], voter, vote, NOW) == because


def test_nobody_votes_twice_and_nobody_votes_late():
    cast = [Vote(member="bo", vote="reject")]
    assert refusal(BY_COUNCIL, cast, BO, "approve", NOW) == "this member has already voted"
    assert refusal(BY_COUNCIL, [], BO, "approve", BY_COUNCIL.expires_at) == "the request has expired"


OF_A_PERSON = replace(BY_COUNCIL, is_subjects=True)
END = BY_COUNCIL.expires_at


@pytest.mark.parametrize(
    ("request_", "at", "told", "alert"),
    [
        (OF_A_PERSON, END - timedelta(days=3), (), None),
        (OF_A_PERSON, END - timedelta(days=2), (), Alert.SOON),
        (OF_A_PERSON, END - timedelta(days=1), (Alert.SOON,), None),
        (OF_A_PERSON, END, (Alert.SOON,), Alert.LATE),
        (OF_A_PERSON, END + timedelta(days=90), (), Alert.LATE),
        (OF_A_PERSON, END + timedelta(days=90), (Alert.LATE,), None),
        (BY_COUNCIL, END, (), None),
    ],
)
def test_admins_are_told_of_subject_requests_that_nobody_decides(
    request_: Request, at: datetime, told: tuple[Alert, ...], alert: Alert | None
):
    assert alert_due(request_, at, RULES, told) is alert


def test_with_a_short_deadline_the_alert_comes_half_way():
    rules = ApprovalRules(expires_after=timedelta(hours=2))
    assert alert_due(OF_A_PERSON, END - timedelta(hours=1, seconds=1), rules, ()) is None
    assert alert_due(OF_A_PERSON, END - timedelta(hours=1), rules, ()) is Alert.SOON


def test_a_late_vote_counts_on_a_subject_request_only():
    assert refusal(OF_A_PERSON, [], BO, "approve", END) is None
    assert refusal(BY_COUNCIL, [], BO, "approve", END) == "the request has expired"
    assert outcome(OF_A_PERSON, [], END, RULES) is Status.EXPIRED, "it says that it is late"
