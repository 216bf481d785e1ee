"""A master key that is wrong or lost is an integrity failure: never "not stored", never "erased"."""

import json

import pytest

import places
from mace.core.errors import FAILURES, IntegrityFailure

KEY = "user/profile/user_bob/favorite_food"
pytestmark = pytest.mark.breaks_its_store


def exchange_master(place: places.Place) -> None:
    file = place.folder / "keys.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "master": "ab" * 32}))


def test_a_fact_under_another_master_key_is_not_said_to_be_missing(place: places.Place):
    with place.open() as mace:
        mace.sem_put(KEY, "tea", "user")
        job = mace.ask("what is my favorite food?", "bob")
    exchange_master(place)
    with place.open() as mace:
        for answer in (mace.sem_get(KEY), mace.sem_get(KEY, with_version=True)):
            assert (answer["exists"], answer["value"], answer["error_code"]) == (False, None, "INTEGRITY_FAILURE")
            assert answer["user_message"] == FAILURES["INTEGRITY_FAILURE"].user_message
        with pytest.raises(IntegrityFailure):
            mace.sem_history(KEY)
        with pytest.raises(IntegrityFailure):
            mace.read_reflective_log(job["log_id"])
        assert mace.replay(job["job_id"])["result"] == "INTEGRITY_FAILURE"
        assert mace.sem_put(KEY, "milk", "user")["error_code"] == "INTEGRITY_FAILURE"
    with place.open(read_only=True) as mace:
        found = mace.verify()
        assert not found["ok"]
        assert {item["kind"] for item in found["findings"]} == {"KEY_UNREADABLE"}
        assert "person/user_bob" in {item["where"]["ref"] for item in found["findings"]}


def test_one_changed_byte_of_sealed_content_is_no_erasure(place: places.Place):
    with place.open() as mace:
        mace.sem_put(KEY, "tea", "user")
    with place.sql() as sql:
        content = bytes(sql("select content from facts where fact_key = ?", (KEY,))[0][0])
        changed = content[:-1] + bytes([content[-1] ^ 1])
        sql("update facts set content = ? where fact_key = ?", (changed, KEY))
        sql("update sem_history set content = ? where fact_key = ?", (changed, KEY))
    with place.open() as mace:
        assert mace.sem_get(KEY)["error_code"] == "INTEGRITY_FAILURE"
        with pytest.raises(IntegrityFailure):
            mace.sem_history(KEY)
