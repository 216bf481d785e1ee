"""The number of the key that signs, as the store has it: the key file decides, whatever somebody writes there."""

import json
from pathlib import Path
from typing import Any

import pytest

import attacks
import governed
import old_copies
import places
from mace.core.errors import IntegrityFailure
from mace.engine.runtime import Mace

pytestmark = pytest.mark.breaks_its_store

CHANGES = {
    "below": "update ledger_head set key_number = -1",
    "zero": "update ledger_head set key_number = 0",
    "first": "update ledger_head set key_number = 1",
    "above": "update ledger_head set key_number = 7",
    "far above": "update ledger_head set key_number = 1000000",
    "gone": "delete from ledger_head",
}


def _file(place: places.Place) -> Any:
    return json.loads((place.folder / "keys.json").read_text())["hmac"]


def _changes_of_keys(mace: Mace) -> list[Any]:
    return [event["payload"]["key_id"] for event in mace.events("system") if event["event_type"] == "KEY_ROTATED"]


@pytest.mark.parametrize("rotations", [0, 1])
@pytest.mark.parametrize("change", CHANGES)
def test_a_number_that_somebody_changed_makes_no_event_and_moves_no_key(
    place: places.Place, change: str, rotations: int
):
    with place.open() as mace:
        attacks.append(mace, "one", 5)
        for _ in range(rotations):
            mace.rotate_key()
    keys = _file(place)
    with place.sql() as sql:
        sql(CHANGES[change])
    for _ in range(2):
        with place.open() as mace:
            attacks.append(mace, "two", 1)
            assert len(_changes_of_keys(mace)) == rotations
            assert mace.verify()["ok"]
        assert _file(place) == keys
    with place.open() as mace:
        assert mace.rotate_key() == f"k{rotations + 2}"
        assert mace.verify()["ok"]


@pytest.mark.parametrize("change", ["below", "above"])
def test_a_number_that_is_wrong_is_found(place: places.Place, change: str):
    with place.open() as mace:
        mace.rotate_key()
    with place.sql() as sql:
        sql(CHANGES[change])
    with place.open(read_only=True) as mace:
        (found,) = mace.verify()["findings"]
        assert (found["kind"], found["where"]) == ("RECORD_CHANGED", {"table": "ledger_head"})


def test_a_number_that_is_changed_while_it_is_open_stops_nobody(place: places.Place):
    with place.open() as mace:
        for statement in CHANGES.values():
            with place.sql() as sql:
                sql(statement)
            attacks.append(mace, statement, 1)
    with place.open() as mace:
        assert mace.verify()["ok"]


def test_an_older_copy_is_told_the_key_again_and_the_newer_one_can_come_back(place: places.Place):
    with place.open() as mace:
        attacks.append(mace, "one", 5)
    older = place.save()
    with place.open() as mace:
        attacks.append(mace, "two", 20)
        mace.rotate_key()
    newer, keys = place.save(), _file(place)
    place.restore(older)
    for _ in range(2):
        with place.open() as mace:
            attacks.append(mace, "three", 1)
            assert _changes_of_keys(mace) == ["k2"]
            kinds = {item["kind"] for item in mace.verify(read_only=True)["findings"]}
            assert kinds <= {"LOG_CUT", "RECORD_MISSING"}  # which checkpoints say, and nothing about keys
    assert _file(place)[1]["since"] < keys[1]["since"]
    place.restore(newer)
    with place.open() as mace:
        attacks.append(mace, "four", 1)
        assert mace.verify()["ok"]
    assert _file(place)[1]["since"] == keys[1]["since"]


PHONE = "user/profile/user_bob/phone"


@pytest.mark.parametrize("rotations", [1, 2])
@pytest.mark.parametrize("reads_first", [True, False])
def test_an_older_copy_serves_what_an_earlier_key_signed_whoever_opens_it_first(
    place: places.Place, tmp_path: Path, rotations: int, reads_first: bool
):
    """Rows of that key (a consent, for one) count again; reading alone shows the same, and leaves the copy as it is."""
    with place.open() as mace:
        consent = mace.grant_consent("bob", "Keep my number.", "persistent", expires_at="2027-01-01T00:00:00Z")
        put = mace.sem_put(PHONE, "212-555-0198", "user", user_id="bob", consent_id=consent["consent_id"])
        assert put["success"]
    saved = old_copies.save_everything(place, tmp_path / "people.db")
    with place.open() as mace:
        for name in range(rotations):
            attacks.append(mace, f"between-{name}", 3)
            mace.rotate_key()
    old_copies.restore_everything(place, saved, tmp_path / "people.db")
    if reads_first:
        with place.open(read_only=True) as mace:
            assert mace.sem_get(PHONE)["value"] == "212-555-0198"
            kinds = {item["kind"] for item in mace.verify(read_only=True)["findings"]}
            assert kinds <= {"LOG_CUT", "TREE_MISMATCH", "RECORD_MISSING"}
        parts = governed.parts_of(mace)
        assert parts.spilling.keep("ADMIN_ALERT", {"reason": "it waits"}, None)  # as whoever only reads leaves it
    with place.open() as mace:
        assert _changes_of_keys(mace) == [f"k{rotations + 1}"]
        attacks.append(mace, "later", 20)  # beyond all positions that the key file knew
        assert mace.sem_get(PHONE)["value"] == "212-555-0198"
    with place.open() as mace:
        attacks.append(mace, "and-on", 1)
        assert mace.sem_get(PHONE)["value"] == "212-555-0198"
        assert [item["text"] for item in mace.consents("bob")] == ["Keep my number."]
        kinds = {item["kind"] for item in mace.verify(read_only=True)["findings"]}
        assert kinds <= {"LOG_CUT", "TREE_MISMATCH", "RECORD_MISSING"}


def test_an_event_that_is_moved_moves_no_key(mace_home: places.SqlitePlace):
    with mace_home.open() as mace:
        mace.rotate_key()
    keys = _file(mace_home)
    with mace_home.sql() as sql:
        sql("update events set position = position + 100 where position >= ?", (keys[1]["since"],))
    with mace_home.open() as mace:
        assert not mace.verify(read_only=True)["ok"]
    assert _file(mace_home) == keys


def test_a_row_of_another_type_is_found(mace_home: places.SqlitePlace):
    mace_home.open().close()
    with mace_home.sql(keep_triggers=True) as sql:
        sql("drop table ledger_head")
        sql("create table ledger_head (only_row integer primary key, key_number)")
        sql("insert into ledger_head values (1, 'many')")
    with mace_home.open() as mace:
        found = {(item["kind"], item["where"]["table"]) for item in mace.verify()["findings"]}
        assert found == {("SCHEMA_CHANGED", "ledger_head"), ("ROW_UNREADABLE", "ledger_head")}


def test_a_store_without_the_table_can_be_verified(place: places.Place):
    with place.open() as mace:
        attacks.append(mace, "one", 5)
    with place.sql(keep_triggers=True) as sql:
        sql("drop table ledger_head")
    with place.open(read_only=True) as mace:
        assert ("SCHEMA_CHANGED", "ledger_head") in {
            (item["kind"], item["where"]["table"]) for item in mace.verify()["findings"]
        }
    with place.open() as mace:
        with pytest.raises(IntegrityFailure, match="restore a backup"):
            attacks.append(mace, "two", 1)
        result = mace.verify()
        assert "restore a backup" in result["not_recorded"]
        assert ("SCHEMA_CHANGED", "ledger_head") in {
            (item["kind"], item["where"]["table"]) for item in result["findings"]
        }
