"""Erasure: what goes, what stays, the papers, the way back and the end."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import governed
from mace.core import canon
from mace.core.errors import InvalidInput, PreconditionFailed
from mace.governance.erasure import check_receipt
from mace.providers.keys import check_ed25519

pytestmark = pytest.mark.stage1
FOOD, COLOUR = "user/profile/user_bob/favorite_food", "user/profile/user_bob/colour"
EVES = "user/profile/user_eve/favorite_food"


@pytest.fixture
def house(tmp_path: Path) -> Iterator[governed.House]:
    made = governed.House(tmp_path)
    made.m.sem_put(FOOD, "pizza", "user")
    made.m.sem_put(COLOUR, "blue", "user")
    made.m.sem_put(EVES, "fish", "user")
    yield made
    made.close()


@pytest.fixture
def private(house: governed.House) -> str:
    key, public = house.box.generate()
    house.g.forensics.set_key(public, "owner")
    return key


def erase(house: governed.House, keys: list[str] | None = None, user_id: str = "bob") -> dict[str, Any]:
    proof = house.g.requests.issue_proof(user_id, "owner")["proof"]
    asked = house.g.requests.request(user_id, "delete", proof, keys)
    done = house.m.vote(asked["request_id"], "owner", "approve")
    return {**asked, **done["result"]}


def test_one_fact_goes_with_the_jobs_that_touched_it(house: governed.House, private: str):
    food, colour = (house.m.ask(f"What is my {name}?", user_id="bob")["job_id"] for name in ("favorite food", "colour"))
    told = house.m.ask("my favorite food is soup", user_id="bob")["job_id"]
    done = erase(house, [FOOD])
    assert set(done["manifest"]["jobs"]) == {food, told}
    assert not house.m.sem_get(FOOD)["exists"]
    assert house.m.sem_get(COLOUR)["value"] == "blue"
    assert [house.m.replay(job)["result"] for job in (food, told, colour)] == ["INPUT_ERASED", "INPUT_ERASED", "MATCH"]
    log = house.m.read_reflective_log(house.m.jobs.list()["items"][0]["log_id"])
    assert log["final_answer"] == {"redaction_reason": "ERASED"}
    assert house.m.verify()["ok"]


def test_a_whole_person_goes_and_others_stay(house: governed.House, private: str):
    house.g.consents.grant("bob", "keep it", "persistent", expires_at="2027-01-01T00:00:00Z")
    job, eves = (house.m.ask("What is my favorite food?", user_id=who) for who in ("bob", "eve"))
    done = erase(house)
    assert done["manifest"]["whole_person"]
    assert [house.m.sem_get(key)["exists"] for key in (FOOD, COLOUR, EVES)] == [False, False, True]
    assert house.m.replay(job["job_id"])["result"] == "INPUT_ERASED"
    assert house.m.replay(eves["job_id"])["result"] == "MATCH"
    held = house.m._parts.world.store.read(lambda tx: tx.vault.keys_under("person/user_bob"))
    assert held == []
    assert [item["revoked_at"] is not None for item in house.g.consents.listed("bob")] == [True]
    assert house.g.requests.get(done["dsr_id"])["status"] == "completed"
    assert house.m.verify()["ok"]


def test_the_receipt_is_the_log_s_word_about_the_manifest(house: governed.House, private: str):
    done = erase(house, [FOOD])
    body = canon.dumps(done["manifest"])
    key = house.m._parts.world.keys.public_key()
    assert check_receipt(done["receipt"], body, key, check_ed25519)
    assert not check_receipt({**done["receipt"], "dsr_id": "another"}, body, key, check_ed25519)
    kept = house.g.requests.get(done["dsr_id"])
    assert (kept["receipt"], kept["manifest"]) == (done["receipt"], done["manifest"])


def test_an_admin_with_the_forensic_key_brings_it_back_on_the_record(house: governed.House, private: str):
    job = house.m.ask("What is my favorite food?", user_id="bob")["job_id"]
    done = erase(house)
    back = house.g.erasing.restore(done["dsr_id"], private, "owner", purpose="court order 7")
    assert back["facts"] == [COLOUR, FOOD]
    assert house.m.sem_get(FOOD)["value"] == "pizza"
    assert house.m.replay(job)["result"] == "MATCH"
    access = [event for event in house.m.events("system") if event["event_type"] == "admin_access_event"]
    assert [event["payload"]["purpose"] for event in access] == ["court order 7"]
    with pytest.raises(PreconditionFailed, match="already been restored"):
        house.g.erasing.restore(done["dsr_id"], private, "owner", purpose="again")
    assert house.m.verify()["ok"]


def test_another_key_opens_nothing_and_the_attempt_is_recorded(house: governed.House, private: str):
    done = erase(house)
    stranger, public = house.box.generate()
    for wrong in (stranger, public, "nonsense", ""):
        with pytest.raises(InvalidInput):
            house.g.erasing.restore(done["dsr_id"], wrong, "owner", purpose="curiosity")
    assert house.system_types().count("admin_access_event") == 4
    assert not house.m.sem_get(FOOD)["exists"]


def test_what_the_person_wrote_since_stays_when_the_old_comes_back(house: governed.House, private: str):
    done = erase(house)
    assert house.m.sem_put(FOOD, "salad", "user")["success"], "an erased person can start anew"
    assert house.m.ask("What is my favorite food?", user_id="bob")["answer"] == "Your favorite food is salad."
    back = house.g.erasing.restore(done["dsr_id"], private, "owner", purpose="mistake")
    assert back["keys_superseded"] == [f"fact/{FOOD}"]
    assert house.m.sem_get(FOOD)["value"] == "salad"
    assert house.m.sem_get(COLOUR)["value"] == "blue"
    assert house.m._parts.facts.history(FOOD)[0]["value"] == {"redaction_reason": "ERASED"}
    assert house.m.verify()["ok"]


def test_a_purge_needs_a_vote_and_then_nothing_brings_it_back(house: governed.House, private: str):
    done = erase(house)
    asked = house.g.erasing.request_purge(done["dsr_id"], "owner")
    house.m.vote(asked["request_id"], "owner", "approve")
    with pytest.raises(PreconditionFailed, match="purged"):
        house.g.erasing.restore(done["dsr_id"], private, "owner", purpose="too late")
    assert house.g.forensics.entries()[0]["purged"]
    assert house.m.verify()["ok"]


def test_without_a_forensic_key_an_embedded_directory_destroys(house: governed.House):
    done = erase(house)
    assert (done["manifest"]["restorable"], done["manifest"]["forensic_id"]) == (False, None)
    with pytest.raises(PreconditionFailed, match="destroyed"):
        house.g.erasing.restore(done["dsr_id"], "x", "owner", purpose="please")
    with pytest.raises(PreconditionFailed, match="nothing to purge"):
        house.g.erasing.request_purge(done["dsr_id"], "owner")


def test_a_server_erases_only_into_a_forensic_store(tmp_path: Path):
    server = governed.House(tmp_path, embedded=False)
    server.account("root", "admin")
    server.m.sem_put(FOOD, "pizza", "user")
    proof = server.acting("root").accounts.issue_identity_proof("bob")["proof"]
    asked = server.g.requests.request("bob", "delete", proof)
    with pytest.raises(PreconditionFailed, match="forensic key"):
        server.vote(asked["request_id"], "root")
    assert server.m.sem_get(FOOD)["exists"]
    assert server.g.approvals.get(asked["request_id"])["votes"] == [], "the vote went with what it set in motion"
    server.acting("root").forensics.set_key(server.box.generate()[1])
    server.vote(asked["request_id"], "root")
    assert not server.m.sem_get(FOOD)["exists"]
    server.close()


def test_exports_go_with_any_fact(house: governed.House, private: str):
    proof = house.g.requests.issue_proof("bob", "owner")["proof"]
    export = house.g.requests.request("bob", "export", proof)["dsr_id"]
    erase(house, [FOOD])
    assert house.g.requests.get(export)["package"] is None


def test_an_approval_of_before_does_not_count_for_what_comes_after(house: governed.House, private: str):
    ssn = "user/profile/user_bob/ssn"

    def store(text: str) -> dict[str, Any]:
        given = house.g.consents.grant("bob", text, "persistent", expires_at="2027-01-01T00:00:00Z")["consent_id"]
        return house.m.sem_put(ssn, "123-45-6789", "user", consent_id=given)

    house.m.vote(store("yes")["error"]["meta"]["request_id"], "owner", "approve")
    assert store("yes again")["success"]
    house.clock.move(seconds=1)
    erase(house)
    house.clock.move(seconds=1)
    assert store("yes after all")["error_code"] == "PRIVACY_BLOCKED"


def test_the_council_erases_where_there_is_one(house: governed.House, private: str):
    house.council("ana", "bo", "cy")
    proof = house.g.requests.issue_proof("bob", "owner")["proof"]
    asked = house.g.requests.request("bob", "delete", proof)
    for name in ("ana", "bo"):
        house.vote(asked["request_id"], name)
        assert house.m.sem_get(FOOD)["exists"]
    house.vote(asked["request_id"], "cy")
    assert not house.m.sem_get(FOOD)["exists"]
