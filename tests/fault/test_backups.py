"""Old copies beside today's files: what was erased since stays away, what was not is there."""

import json
from pathlib import Path

import pytest

import governed
import old_copies
import older_stores
import places
from mace.core.errors import MaceError, PreconditionFailed
from mace.engine.runtime import Mace
from mace.providers.forensic_box import HpkeBox

pytestmark = [pytest.mark.critical, pytest.mark.breaks_its_store]
BOBS, EVES = "user/profile/user_bob/favorite_food", "user/profile/user_eve/favorite_food"
SECRET, OTHER = "tamarillo-canary", "physalis-canary"


def live_in(place: places.Place) -> str:
    """A place with two people; the private half of its forensic key."""
    private, public = HpkeBox().generate()
    with place.open() as m:
        governed.owned(m).forensics.set_key(public)
        assert m.sem_put(BOBS, SECRET, "user", user_id="bob")["success"]
        assert m.sem_put(EVES, OTHER, "user", user_id="eve")["success"]
        m.ask("What is my favorite food?", user_id="bob")
        m.grant_consent("bob", f"You may know of {SECRET}.")
        assert old_copies.shows(m, SECRET), "the search sees what is there"
        assert old_copies.shows(m, OTHER)
    return private


def kinds(m: Mace) -> set[str]:
    return {item["kind"] for item in m.verify(read_only=True)["findings"]}


def test_an_old_copy_of_the_data_shows_nothing_of_an_erased_person(place: places.Place):
    live_in(place)
    before = place.save()
    with place.open() as m:
        governed.erase(m, "bob")
    old_copies.restore_data_only(place, before)
    for _ in range(2):  # and after a restart
        with place.open() as m:
            assert not old_copies.shows(m, SECRET)
            answer = m.sem_get(BOBS)
            assert (answer["exists"], answer["error_code"]) == (False, "INTEGRITY_FAILURE")
            assert m.sem_get(EVES)["value"] == OTHER
            assert "KEY_MISSING" in kinds(m), "an older copy has no paper about it"


def test_who_came_after_the_copy_has_a_key_and_who_comes_now_gets_one(place: places.Place):
    live_in(place)
    before = place.save()
    with place.open() as m:
        assert m.sem_put("user/profile/user_ada/food", "plum", "user", user_id="ada")["success"]
    old_copies.restore_data_only(place, before)
    with place.open() as m:
        assert m.sem_get(BOBS)["value"] == SECRET
        for who in ("ada", "cy"):
            assert m.sem_put(f"user/profile/user_{who}/food", "pear", "user", user_id=who)["success"]
            assert m.sem_get(f"user/profile/user_{who}/food")["value"] == "pear"
        assert "KEY_MISSING" not in kinds(m)


def test_a_purged_entry_does_not_come_back_with_an_old_copy(place: places.Place):
    private = live_in(place)
    with place.open() as m:
        governed.erase(m, "bob")
        owner = governed.owned(m)
        (dsr_id,) = {entry["about"] for entry in owner.forensics.entries()}
    before = place.save()
    with place.open() as m:
        owner = governed.owned(m)
        asked = owner.forensics.request_purge(dsr_id)
        assert owner.vote(asked["request_id"], "owner", "approve")["status"] == "approved"
    old_copies.restore_data_only(place, before)
    with place.open() as m:
        with pytest.raises(MaceError):
            governed.owned(m).forensics.restore(dsr_id, private, purpose="to see")
        assert not m.sem_get(BOBS)["exists"]


def test_after_a_rotation_copies_of_data_and_person_keys_open_with_no_key_of_today(place: places.Place, tmp_path: Path):
    live_in(place)
    kept = tmp_path / "people.copy"
    before = old_copies.save_everything(place, kept)
    with place.open() as m:
        governed.owned(m).rotate_master_key()
        assert m.sem_get(BOBS)["value"] == SECRET
        assert m.verify()["ok"]
        after = place.folder / "keys.json"
        assert "next_master" not in json.loads(after.read_text())
    old_copies.restore_everything(place, before, kept)
    with place.open() as m:
        assert not old_copies.shows(m, SECRET)
        assert not old_copies.shows(m, OTHER)
        assert m.sem_get(EVES)["error_code"] == "INTEGRITY_FAILURE"
        assert "KEY_UNREADABLE" in kinds(m)


def test_an_old_copy_of_the_person_keys_is_found_and_opens_nothing(place: places.Place):
    live_in(place)
    with place.sql() as sql:
        before = sql("select ref, wrapped from mace_people.person_keys")
    with place.open() as m:
        governed.erase(m, "bob")
    with place.sql() as sql:
        sql("delete from mace_people.person_keys")
        for row in before:
            sql("insert into mace_people.person_keys (ref, wrapped) values (?, ?)", row)
    with place.open() as m:
        assert not m.sem_get(BOBS)["exists"]
        assert SECRET not in repr(m.sem_history(BOBS))
        assert m.sem_get(EVES)["value"] == OTHER
        assert "KEY_RETURNED" in kinds(m)


def test_a_key_that_is_put_where_older_stores_had_it_is_found_and_not_read(place: places.Place):
    live_in(place)
    with place.sql() as sql:
        rows = sql("select ref, wrapped from mace_people.person_keys where ref like 'person/%'")
    with place.open() as m:
        governed.erase(m, "bob")
    with place.sql() as sql:
        for ref, wrapped in rows:
            sql("insert into vault_keys (ref, parent, wrapped) values (?, '', ?)", (ref, wrapped))
    with place.open() as m:
        found = {(item["kind"], item["where"].get("ref")) for item in m.verify(read_only=True)["findings"]}
        assert found == {("KEY_RETURNED", "person/user_bob"), ("KEY_UNREADABLE", "person/user_eve")}
        assert not m.sem_get(BOBS)["exists"]
        assert m.sem_get(EVES)["value"] == OTHER


class TestTheFileIsNotThere:
    def test_a_store_with_people_never_gets_a_new_one(self, mace_home: places.SqlitePlace):
        live_in(mace_home)
        moved = mace_home.people.rename(mace_home.folder / "elsewhere.db")
        with pytest.raises(PreconditionFailed, match=r"people\.db.*person_keys_file"):
            mace_home.open()
        with mace_home.open(read_only=True) as m:
            assert "KEY_MISSING" in kinds(m)
        assert not mace_home.people.exists()
        moved.rename(mace_home.people)
        with mace_home.open() as m:
            assert m.sem_get(BOBS)["value"] == SECRET
            assert m.verify()["ok"]

    def test_after_a_loss_an_empty_file_lets_the_rest_go_on(self, mace_home: places.SqlitePlace):
        live_in(mace_home)
        mace_home.people.unlink()
        mace_home.people.touch(mode=0o600)
        with mace_home.open() as m:
            assert m.sem_get(BOBS)["error_code"] == "INTEGRITY_FAILURE"
            assert m.sem_put("world/fact/tea/kind", "green", "system")["success"]
            assert "KEY_MISSING" in kinds(m)

    def test_it_may_lie_elsewhere_and_is_the_owners_alone(self, tmp_path: Path):
        from dataclasses import replace

        place = places.SqlitePlace(tmp_path)
        apart = tmp_path / "apart" / "keys of people.db"
        apart.parent.mkdir()
        place.settings = replace(place.settings, person_keys_file=str(apart))
        with place.open() as m:
            m.sem_put(BOBS, SECRET, "user", user_id="bob")
        assert apart.stat().st_mode & 0o777 == 0o600
        assert not place.people.exists()
        with place.open() as m:
            assert m.sem_get(BOBS)["value"] == SECRET


@pytest.mark.parametrize("file", older_stores.FILES[-1:], ids=lambda file: file.stem)
class TestAnOlderStore:
    def test_its_person_keys_leave_the_database_with_the_first_opening(self, file: Path, tmp_path: Path):
        place = older_stores.unpack(file, tmp_path)
        with place.sql() as sql:
            rows = sql("select ref, wrapped from vault_keys where ref like 'person/%' or ref like 'forensic/%'")
        assert rows, "the store has people"
        with place.open() as m:
            assert m.verify()["ok"]
            told = [event for event in m.events("system") if event["event_type"] == "PERSON_KEYS_MOVED"]
            assert [event["payload"]["moved"] for event in told] == [len(rows)]
        with place.sql() as sql:
            assert sql("select ref from vault_keys where ref like 'person/%' or ref like 'forensic/%'") == []
            moved = {ref for (ref,) in sql("select ref from mace_people.person_keys")}
        assert moved == {ref for ref, _ in rows}
        left = b"".join(item.read_bytes() for item in place.folder.glob("mace.db*"))
        assert not any(bytes(wrapped)[:44] in left for _, wrapped in rows)
        with place.open() as m:
            again = [event for event in m.events("system") if event["event_type"] == "PERSON_KEYS_MOVED"]
            assert len(again) == 1

    def test_a_copy_from_before_brings_no_person_back(self, file: Path, tmp_path: Path):
        place = older_stores.unpack(file, tmp_path)
        before = place.file.read_bytes()
        with place.open() as m:
            person = next(ref for ref, _, _ in m._parts.world.store.read(lambda tx: tx.vault.scan_keys("person/")))
            name = person.removeprefix("person/user_")
            governed.with_forensic_key(m)
            governed.erase(m, name)
        for leftover in place.folder.glob("mace.db*"):
            leftover.unlink()
        place.file.write_bytes(before)
        with place.open() as m:
            assert m._parts.world.store.read(lambda tx: tx.vault.key(person)) is None
            (told,) = [event for event in m.events("system") if event["event_type"] == "PERSON_KEYS_MOVED"]
            assert told["payload"]["moved"] == 0
            assert told["payload"]["dropped"] > 0
