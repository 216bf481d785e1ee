"""Approvals on the ledger: votes, quorum, ties, expiry, second factors, and what a decision sets in motion."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import governed
from mace.core.errors import AuthError, InvalidInput, MaceError, NotFound, PermissionDenied, PreconditionFailed

pytestmark = pytest.mark.stage1


@pytest.fixture
def house(tmp_path: Path) -> Iterator[governed.House]:
    made = governed.House(tmp_path)
    yield made
    made.close()


def quarantine(house: governed.House, by: str = "owner") -> str:
    m = house.m if by == "owner" else house.acting(by)
    return m.modules.request_quarantine("math_agent")["request_id"]


def status_of(house: governed.House, module_id: str = "math_agent") -> str:
    status: str = next(item["status"] for item in house.m.modules.list() if item["module_id"] == module_id)
    return status


def test_without_a_council_the_owner_decides(house: governed.House):
    request_id = quarantine(house)
    decided = house.m.vote(request_id, "owner", "approve")
    assert (decided["status"], decided["votes"][0]["as"]) == ("approved", "owner")
    assert status_of(house) == "quarantined"


def test_three_of_the_council_decide_and_the_owner_does_not(house: governed.House):
    house.council("ana", "bo", "cy", "di")
    request_id = quarantine(house)
    with pytest.raises(PermissionDenied):
        house.m.vote(request_id, "owner", "approve")
    assert house.vote(request_id, "ana")["status"] == "open"
    assert house.vote(request_id, "bo", "reject")["status"] == "open"
    assert status_of(house) == "healthy"
    decided = house.vote(request_id, "cy")
    assert decided["status"] == "approved"
    assert decided["result"]["module"]["status"] == "quarantined"
    assert [vote["member"] for vote in decided["votes"]] == ["ana", "bo", "cy"]
    assert all(isinstance(vote["totp_step"], int) for vote in decided["votes"])
    with pytest.raises(PreconditionFailed, match="decided already"):
        house.vote(request_id, "di")


@pytest.mark.parametrize("cast", ["approve reject abstain", "abstain abstain abstain", "reject reject approve"])
def test_ties_and_majorities_against_reject(house: governed.House, cast: str):
    house.council("ana", "bo", "cy")
    request_id = quarantine(house)
    for name, vote in zip(("ana", "bo", "cy"), cast.split(), strict=True):
        decided = house.vote(request_id, name, vote)
    assert decided["status"] == "rejected"
    assert status_of(house) == "healthy"


def test_nobody_votes_twice_or_on_their_own_request(house: governed.House):
    house.council("ana", "bo", "cy", "di")
    request_id = quarantine(house, "ana")
    with pytest.raises(PermissionDenied, match="own request"):
        house.vote(request_id, "ana")
    house.vote(request_id, "bo")
    with pytest.raises(PreconditionFailed, match="already voted"):
        house.vote(request_id, "bo", "reject")
    assert len(house.g.approvals.get(request_id)["votes"]) == 1


def test_a_council_that_shrinks_does_not_hand_its_requests_to_an_admin(house: governed.House):
    house.council("ana", "bo", "cy")
    request_id = quarantine(house)
    house.g.accounts.change("ana", "owner", active=False)  # as the council itself would have decided
    with pytest.raises(PermissionDenied):
        house.m.vote(request_id, "owner", "approve")
    with pytest.raises(PermissionDenied):
        house.vote(request_id, "ana")
    house.account("new", "council")
    with pytest.raises(PermissionDenied):
        house.vote(request_id, "new")


def test_what_nobody_decides_expires(house: governed.House):
    request_id = quarantine(house)
    house.clock.move(days=8)
    with pytest.raises(PreconditionFailed, match="expired"):
        house.m.vote(request_id, "owner", "approve")
    assert house.g.approvals.get(request_id)["status"] == "expired"
    assert house.g.approvals.expire() == 1
    assert house.g.approvals.expire() == 0
    assert "APPROVAL_DECIDED" in house.system_types()
    assert quarantine(house) != request_id


@pytest.mark.parametrize(("vote", "error"), [("perhaps", InvalidInput), ("", InvalidInput)])
def test_what_is_no_vote_is_refused(house: governed.House, vote: str, error: type[MaceError]):
    with pytest.raises(error):
        house.m.vote(quarantine(house), "owner", vote)


def test_a_vote_needs_a_code_of_its_own_voter(house: governed.House):
    house.council("ana", "bo", "cy")
    request_id = quarantine(house)
    with pytest.raises(AuthError):
        house.m.vote(request_id, "ana", "approve")
    with pytest.raises(AuthError):
        house.m.vote(request_id, "ana", "approve", house.code("bo"))
    assert house.m.approvals.show(request_id)["votes"] == []
    with pytest.raises(NotFound):
        house.vote("no such request", "ana")


def test_nobody_votes_in_the_name_of_somebody_else(house: governed.House):
    house.account("root", "admin")
    request_id = quarantine(house)
    for name in ("owner", "mallory"):  # one who votes with a token is that account and nobody else
        with pytest.raises(PermissionDenied):
            house.showing("root", prove=True).vote(request_id, name, "approve")
    assert house.m.approvals.show(request_id)["votes"] == []


def test_on_a_server_whoever_holds_its_keys_votes_as_nobody(tmp_path: Path):
    server = governed.House(tmp_path, embedded=False)
    server.account("root", "admin")
    request_id = server.acting("root").modules.request_quarantine("math_agent")["request_id"]
    for name in ("owner", "mallory"):
        with pytest.raises(PermissionDenied):
            server.m.vote(request_id, name, "approve")
    assert server.m.approvals.show(request_id)["votes"] == []
    server.close()


def test_a_vote_that_somebody_wrote_into_the_database_decides_nothing(house: governed.House):
    house.council("ana", "bo", "cy")
    request_id = quarantine(house)
    house.vote(request_id, "ana", "reject")
    with house.place.sql() as sql:
        sql("update records set body = cast(replace(cast(body as text), 'reject', 'approve') as blob)"
            " where kind = 'vote'")  # fmt: skip
    with pytest.raises(MaceError, match="was changed; run verify"):
        house.vote(request_id, "bo")


def test_release_ends_a_quarantine_and_a_plain_recovery_does_not(house: governed.House):
    house.m.vote(quarantine(house), "owner", "approve")
    with pytest.raises(PreconditionFailed):
        house.m.modules.recover("math_agent")
    request_id = house.g.violations.request_release("math_agent", "owner")["request_id"]
    house.m.vote(request_id, "owner", "approve")
    assert status_of(house) == "healthy"


@pytest.mark.parametrize(("vote", "effect", "result"), [
    ("approve", "note", "approved"), ("reject", "override_suggestion", "rejected"),
])  # fmt: skip
def test_a_review_becomes_an_amendment(house: governed.House, vote: str, effect: str, result: str):
    house.council("ana", "bo", "cy")  # low risk: still one admin's business
    heard = house.m.ask("What is 2 + 2?")
    request = house.m.request_review(heard["job_id"])
    assert request["decided_by"] == "admin"
    house.m.vote(request["request_id"], "owner", vote)
    amendment = house.m.amendments(heard["log_id"])[0]
    assert (amendment["effect"], amendment["changes"]["review"], amendment["author"]) == (effect, result, "owner")
    assert house.m.verify()["ok"]


def test_a_review_of_nothing_is_refused(house: governed.House):
    with pytest.raises(NotFound):
        house.m.request_review("no such job")


def test_votes_and_decisions_verify(house: governed.House):
    house.council("ana", "bo", "cy")
    request_id = quarantine(house)
    for name in ("ana", "bo", "cy"):
        house.vote(request_id, name)
    found = house.m.verify()
    assert found["ok"], found["findings"]


def test_votes_at_the_same_moment_decide_once(house: governed.House):
    from concurrent.futures import ThreadPoolExecutor

    names = ("ana", "bo", "cy", "di", "ed")
    house.council(*names)
    request_id = quarantine(house)
    house.clock.move(seconds=30)
    codes = {name: house.totp.code_at(house.secrets[name], house.clock.at) for name in names}

    def cast(name: str) -> str:
        try:
            return str(house.m.vote(request_id, name, "approve", codes[name])["status"])
        except PreconditionFailed:
            return "late"

    with ThreadPoolExecutor(5) as pool:
        said = sorted(pool.map(cast, names))
    assert said == ["approved", "late", "late", "open", "open"]
    assert len(house.g.approvals.get(request_id)["votes"]) == 3
    assert house.m.verify()["ok"]


def test_a_lone_admin_decides_their_own_and_two_admins_do_not(house: governed.House):
    house.account("root", "admin")
    alone = house.vote(quarantine(house, "root"), "root")
    assert alone["status"] == "approved"
    house.account("second", "admin")
    request_id = house.acting("root").modules.request_release("math_agent")["request_id"]
    with pytest.raises(PermissionDenied, match="own request"):
        house.vote(request_id, "root")
    assert house.vote(request_id, "second")["status"] == "approved"
