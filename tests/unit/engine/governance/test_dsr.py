"""Subject requests: proofs of identity, exports, deletions that wait."""

import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import governed
from mace.core import canon
from mace.core.errors import InvalidInput, NotFound, PermissionDenied

pytestmark = pytest.mark.stage1
FOOD, COLOUR = "user/profile/user_bob/favorite_food", "user/profile/user_bob/colour"


@pytest.fixture
def house(tmp_path: Path) -> Iterator[governed.House]:
    made = governed.House(tmp_path)
    made.m.sem_put(FOOD, "pizza", "user")
    made.m.sem_put(FOOD, "soup", "user", notes="since spring")
    made.m.sem_put(COLOUR, "blue", "user")
    made.m.sem_put("user/profile/user_eve/favorite_food", "fish", "user")
    yield made
    made.close()


def proof(house: governed.House, user_id: str = "bob", **options: Any) -> str:
    return house.g.requests.issue_proof(user_id, "owner", **options)["proof"]


def refused_because(house: governed.House, answer: dict[str, Any]) -> str:
    assert (answer["success"], answer["status"], answer["error_code"]) == (False, "refused", "PERMISSION_DENIED")
    stream = answer["error"]["meta"]["query_id"]
    assert house.types(stream) == ["JOB_OPENED", "DSR_REQUEST", "PERMISSION_DENIED"]
    because: str = house.m.events(stream)[1]["payload"]["identity"]["refused"]
    return because


def test_a_wrong_a_used_an_expired_and_another_s_proof_are_refused_and_recorded(house: governed.House):
    request = house.g.requests.request
    good, late, eves = proof(house), proof(house, life=timedelta(minutes=1)), proof(house, "eve")
    assert request("bob", "export", good)["success"]
    answers = [request("bob", "export", code) for code in (good, "ABCD-EFGH-IJKL-MNOP", "", eves)]
    house.clock.move(minutes=1)
    answers.append(request("bob", "export", late))
    assert [refused_because(house, answer) for answer in answers] == [
        "used",
        "unknown",
        "unknown",
        "unknown",
        "expired",
    ]
    messages = {answer["error"]["developer_message"] for answer in answers}
    assert len(messages) == 1, "the caller does not hear which"
    assert "package" not in answers[0]


def test_a_proof_can_be_typed_carelessly(house: governed.House):
    assert house.g.requests.request("bob", "export", f" {proof(house).lower().replace('-', ' ')} ")["success"]


def test_somebody_else_s_keys_are_refused_in_words_of_their_own_and_the_proof_stays_good(house: governed.House):
    code = proof(house)
    answer = house.g.requests.request("bob", "delete", code, ["user/profile/user_eve/favorite_food"])
    assert refused_because(house, answer) == "foreign_key"
    told = answer["error"]["developer_message"]
    assert "facts or turns of somebody else" in told and "without a valid proof" not in told
    assert house.g.requests.request("bob", "delete", code)["success"]
    assert refused_because(house, house.g.requests.request("bob", "delete", code)) == "used"


def test_the_same_state_gives_the_same_bytes(house: governed.House):
    house.m.ask("What is my favorite food?", user_id="bob")
    first = house.g.requests.request("bob", "export", proof(house))
    house.clock.move(days=1)
    second = house.g.requests.request("bob", "export", proof(house))
    assert canon.dumps(first["package"]) == canon.dumps(second["package"])
    assert first["package_sha256"] == second["package_sha256"] == canon.sha256_hex(canon.dumps(first["package"]))
    house.m.sem_put(COLOUR, "red", "user")
    third = house.g.requests.request("bob", "export", proof(house))
    assert third["package_sha256"] != first["package_sha256"]


def test_an_export_holds_what_the_person_said_and_nothing_of_others(house: governed.House):
    house.g.consents.grant("bob", "keep it", "persistent", expires_at="2027-01-01T00:00:00Z")
    house.m.ask("What is my favorite food?", user_id="bob")
    house.m.ask("What is my favorite food?", user_id="eve")
    package = house.g.requests.request("bob", "export", proof(house))["package"]
    assert package["user"] == "user_bob"
    assert [(row["key"], row["value"], row["current"]) for row in package["facts"]] == [
        (COLOUR, "blue", True),
        (FOOD, "pizza", False),
        (FOOD, "soup", True),
    ]
    assert package["facts"][2]["notes"] == "since spring"
    assert [row["text"] for row in package["consents"]] == ["keep it"]
    assert [(row["question"], row["answer"]) for row in package["jobs"]] == [
        ("What is my favorite food?", "Your favorite food is soup.")
    ]
    assert "fish" not in repr(package)
    assert not re.search(r"\b(?:user_)?eve\b", repr(package))


def test_an_export_can_be_fetched_again_and_its_hash_on_the_record_is_keyed(house: governed.House):
    made = house.g.requests.request("bob", "export", proof(house))
    kept = house.g.requests.get(made["dsr_id"])
    assert (kept["status"], kept["package"]) == ("completed", made["package"])
    assert kept["package_hash"] != made["package_sha256"]
    with pytest.raises(NotFound):
        house.g.requests.get("nothing")


def test_a_deletion_waits_and_deletes_nothing(house: governed.House):
    asked = house.g.requests.request("bob", "delete", proof(house), [FOOD], job_seed="dsr")
    assert asked["status"] == "awaiting approval"
    assert house.m.sem_get(FOOD)["value"] == "soup"
    assert house.g.requests.get(asked["dsr_id"])["status"] == "awaiting approval"
    house.m.vote(asked["request_id"], "owner", "reject")
    assert house.g.requests.get(asked["dsr_id"])["status"] == "rejected"
    assert house.m.sem_get(FOOD)["value"] == "soup"


def test_forget_in_a_question_opens_the_same_kind_of_request(house: governed.House):
    heard = house.m.ask("forget my favorite food", user_id="bob")
    waiting = house.g.approvals.all(only_open=True)
    assert len(waiting) == 1
    assert waiting[0]["request_id"] in heard["answer"]
    assert house.types(heard["job_id"]).count("DSR_DELETE_REQUEST") == 1
    assert house.m.replay(heard["job_id"])["result"] == "MATCH"


@pytest.mark.parametrize(
    ("kind", "keys"),
    [("look", None), ("export", [FOOD]), ("delete", []), ("delete", ["no key"]), ("delete", FOOD)],
)
def test_what_cannot_be_asked_is_refused(house: governed.House, kind: str, keys: Any):
    with pytest.raises(ValueError):
        house.g.requests.request("bob", kind, "code", keys)


def test_only_an_admin_issues_proofs_and_not_for_ever(house: governed.House):
    with pytest.raises(InvalidInput):
        proof(house, life=timedelta(days=8))
    house.account("ana", "user")
    with pytest.raises(PermissionDenied):
        house.acting("ana").accounts.issue_identity_proof("bob")
    house.account("root", "admin")
    with pytest.raises(PermissionDenied) as refused:
        house.showing("root").accounts.issue_identity_proof("bob")
    assert refused.value.details["needs"] == "second_factor"
    assert house.acting("root").accounts.issue_identity_proof("bob")["proof"]
