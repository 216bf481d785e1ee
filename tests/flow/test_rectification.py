"""A person has what is stored about them corrected: asked with a proof, approved, on the record; on both engines."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import governed
import places
from mace.core.errors import InvalidInput, PreconditionFailed

pytestmark = pytest.mark.stage1
CITY, PHONE_KEY = "user/profile/user_bob/city", "user/profile/user_bob/phone"
OLD, NEW, PHONE = "Gdynia-by-the-sea", "Sopot-on-the-hill", "212-555-0198"
FOREVER = "2030-01-01T00:00:00Z"


@pytest.fixture
def house(tmp_path: Path, place: places.Place) -> Iterator[governed.House]:
    made = governed.House(tmp_path, place=place)
    made.m = governed.owned(made.m)
    made.m.sem_put(CITY, OLD, "system")
    yield made
    made.close()


def ask_to_correct(house: governed.House, changes: dict[str, Any], **options: Any) -> dict[str, Any]:
    proof = house.m.accounts.issue_identity_proof("bob")["proof"]
    return dict(house.m.request_dsr("bob", "rectify", proof, changes=changes, **options))


def test_a_correction_waits_for_one_admin_and_becomes_a_new_version(house: governed.House):
    house.council("c1", "c2", "c3")
    asked = ask_to_correct(house, {CITY: NEW}, job_seed="r")
    assert (asked["success"], asked["status"]) == (True, "awaiting approval")
    assert house.m.sem_get(CITY)["value"] == OLD
    held = house.m.dsr(asked["dsr_id"])
    assert (held["kind"], held["keys"], held.get("changes")) == ("rectify", [CITY], {CITY: NEW})
    assert house.m.approvals.show(asked["request_id"])["decided_by"] == "admin"

    decided = house.m.vote(asked["request_id"], "owner", "approve")
    assert house.m.sem_get(CITY)["value"] == NEW
    assert [item["value"] for item in house.m.sem_history(CITY)] == [OLD, NEW], "what stood stays in the history"
    done = house.m.dsr(asked["dsr_id"])
    assert done["status"] == "completed"
    assert done.get("rectification") == decided["result"]["rectification"]
    assert done["rectification"]["corrected"] == [{"key": CITY, "former": 1, "version": 2}]  # type: ignore[index]
    assert done["receipt"] is not None
    assert done["receipt"]["format"] == "mace-rectification-receipt/1"
    events = [event["event_type"] for job in house.m.jobs.list()["items"] for event in house.m.events(job["job_id"])]
    told = json.dumps([json.loads(line) for line in house.m.export()])
    assert "DSR_RECTIFIED" in told
    assert OLD not in told and NEW not in told, (events, "papers say what was corrected, never what it said")
    assert house.m.verify()["ok"]


def test_a_rejected_correction_changes_nothing(house: governed.House):
    asked = ask_to_correct(house, {CITY: NEW})
    house.m.approvals.vote(asked["request_id"], "reject", reason="not what the passport says")
    held = house.m.dsr(asked["dsr_id"])
    assert (held["status"], held["reasons"]) == ("rejected", ["not what the passport says"])
    assert house.m.sem_get(CITY)["value"] == OLD


def test_a_wrong_proof_or_somebody_else_s_fact_is_refused(house: governed.House):
    house.m.sem_put("user/profile/user_eve/city", "Hel", "user")
    wrong = house.m.request_dsr("bob", "rectify", "AAAA-BBBB-CCCC-DDDD", changes={CITY: NEW})
    assert (wrong["error_code"], wrong["status"]) == ("PERMISSION_DENIED", "refused")
    assert ask_to_correct(house, {"user/profile/user_eve/city": NEW})["error_code"] == "PERMISSION_DENIED"
    assert ask_to_correct(house, {"world/fact/pi/definition": NEW})["error_code"] == "PERMISSION_DENIED"


def test_new_values_pass_the_gate(house: governed.House):
    given = house.m.grant_consent("bob", "keep it", "persistent", expires_at=FOREVER)["consent_id"]
    refused = ask_to_correct(house, {CITY: f"call {PHONE}"})
    assert (refused["error_code"], refused["status"]) == ("PRIVACY_BLOCKED", "refused")
    assert PHONE not in repr(refused)
    high = ask_to_correct(house, {CITY: "ssn 123-45-6789"}, consent_id=given)
    assert high["error_code"] == "PRIVACY_BLOCKED", "what is high is stored with its own approval"
    asked = ask_to_correct(house, {CITY: f"call {PHONE}"}, consent_id=given)
    house.m.vote(asked["request_id"], "owner", "approve")
    assert PHONE in house.m.sem_get(CITY)["value"]
    house.m.revoke_consent(given)
    assert house.m.sem_get(CITY)["error_code"] == "PRIVACY_BLOCKED"
    assert house.m.verify()["ok"]


def test_a_job_consent_lets_corrections_of_its_job_in(house: governed.House):
    given = house.m.grant_consent("bob", "keep it", job_seed="s")["consent_id"]
    for number in (PHONE, "212-555-0143"):
        asked = ask_to_correct(house, {CITY: f"call {number}"}, job_seed="s")
        house.m.vote(asked["request_id"], "owner", "approve")
        assert number in house.m.sem_get(CITY)["value"]
    assert ask_to_correct(house, {CITY: PHONE}, consent_id=given)["error_code"] == "PRIVACY_BLOCKED", "another job"


def test_a_consent_that_ended_meanwhile_stops_the_correction(house: governed.House):
    given = house.m.grant_consent("bob", "keep it", "persistent", expires_at=FOREVER)["consent_id"]
    asked = ask_to_correct(house, {CITY: f"call {PHONE}"}, consent_id=given)
    house.m.revoke_consent(given)
    with pytest.raises(PreconditionFailed, match="consent for the new value has ended"):
        house.m.vote(asked["request_id"], "owner", "approve")
    assert house.m.sem_get(CITY)["value"] == OLD
    assert house.m.dsr(asked["dsr_id"])["status"] == "awaiting approval"


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({}, "changes must give a new value"),
        ({"no key": 1}, "key"),
        ({"user/profile/user_bob/4539148803436467": 1}, "personal data"),
    ],
)
def test_what_cannot_be_corrected_is_said(house: governed.House, changes: dict[str, Any], complaint: str):
    with pytest.raises((InvalidInput, ValueError), match=complaint):
        ask_to_correct(house, changes)


def test_a_correction_of_what_is_not_there_is_answered_and_leaves_the_proof(house: governed.House):
    proof = house.m.accounts.issue_identity_proof("bob")["proof"]
    told = house.m.request_dsr("bob", "rectify", proof, changes={"user/profile/user_bob/nothing": 1})
    assert (told["success"], told["error_code"], told["status"]) == (False, "SEM_NOT_FOUND", "refused")
    assert told["error"]["meta"]["key"] == "user/profile/user_bob/nothing"
    assert house.m.request_dsr("bob", "rectify", proof, changes={CITY: NEW})["status"] == "awaiting approval"
    assert house.m.verify()["ok"]


def test_a_correction_that_nobody_decides_alerts_too(house: governed.House):
    asked = ask_to_correct(house, {CITY: NEW})
    house.clock.move(days=6)
    assert house.m.sweep()["alerts"] == 1
    house.clock.move(days=6)
    assert house.m.dsr(asked["dsr_id"])["status"] == "expired"
    house.m.vote(asked["request_id"], "owner", "approve")
    assert house.m.sem_get(CITY)["value"] == NEW


def test_what_waits_goes_with_the_person(house: governed.House):
    governed.with_forensic_key(house.m)
    asked = ask_to_correct(house, {CITY: NEW})
    governed.erase(house.m, "bob")
    assert house.m.dsr(asked["dsr_id"]).get("changes") is None
    assert NEW not in house.place.content()
    assert house.m.verify()["ok"]
