"""Killed at every step at which a person's key is made, taken away or wrapped anew.

Never a row without its key, never a paper beside a key that lives, never a key that is lost without a paper.
"""

import json
import signal
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest

import governed
import places
from mace.engine.runtime import Mace
from mace.storage.ports import APART_BOUNDARIES, APPEND_BOUNDARIES

pytestmark = pytest.mark.critical
_SCRIPT = Path(__file__).with_name("keeper.py")
BOBS, EVES = "user/profile/user_bob/favorite_food", "user/profile/user_eve/favorite_food"


def die(place: places.Place, action: str, boundary: str, nth: int = 1) -> None:
    arguments = [json.dumps(asdict(place.settings)), action, boundary, str(nth)]
    done = subprocess.run([sys.executable, str(_SCRIPT), *arguments], check=False, timeout=120)
    assert done.returncode == -signal.SIGKILL, "the boundary was not hit"


def live_in(place: places.Place) -> None:
    with place.open() as m:
        governed.with_forensic_key(m)
        m.sem_put(BOBS, "pizza", "user", user_id="bob")
        m.sem_put(EVES, "fish", "user", user_id="eve")


def refs(m: Mace) -> set[str]:
    rows = m._parts.world.store.read(lambda tx: tx.vault.scan_keys("person/", 1000))
    return {ref for ref, _, _ in rows if ref.startswith("person/")}


def assert_sound(place: places.Place, m: Mace) -> None:
    found = m.verify()
    assert found["ok"], found["findings"]
    assert m.sem_get(EVES)["value"] == "fish"
    assert "next_master" not in json.loads((place.folder / "keys.json").read_text())
    if place.kind == "sqlite":
        with place.sql(keep_triggers=True) as sql:
            assert sql("select count(*) from mace_people.waiting") == [(0,)]


def boundaries(place: places.Place, *apart: str) -> list[str]:
    return [*APPEND_BOUNDARIES, *(apart or APART_BOUNDARIES)] if place.kind == "sqlite" else list(APPEND_BOUNDARIES)


def test_a_new_person_has_their_key_before_their_first_row(place: places.Place):
    live_in(place)
    for boundary in boundaries(place, "before keys", "after keys"):
        die(place, "come", boundary)
        with place.open() as m:
            assert_sound(place, m)
            is_there = m.sem_get("user/profile/user_ada/food")["exists"]
            assert ("person/user_ada" in refs(m)) is is_there, "a key that nothing is under goes"
            assert is_there is (boundary == "after commit")
        if is_there:
            break  # the last of those of every store; the others come to nothing
    with place.open() as m:
        assert m.sem_put("user/profile/user_cy/food", "pear", "user", user_id="cy")["success"]
        assert m.sem_get("user/profile/user_cy/food")["value"] == "pear"
        assert_sound(place, m)


@pytest.mark.parametrize("boundary", ["before keys", "after keys"])
def test_a_key_that_was_not_used_is_used_by_whoever_comes_first(mace_home: places.SqlitePlace, boundary: str):
    live_in(mace_home)
    with mace_home.open() as m:  # it stays open while the other one dies
        die(mace_home, "come", boundary)
        assert m.sem_put("user/profile/user_ada/food", "pear", "user", user_id="ada")["success"]
        assert m.sem_get("user/profile/user_ada/food")["value"] == "pear"
    with mace_home.open() as m:
        assert m.sem_get("user/profile/user_ada/food")["value"] == "pear"
        assert_sound(mace_home, m)


def test_a_key_that_was_not_used_is_forgotten_by_everybody_who_met_it(mace_home: places.SqlitePlace):
    live_in(mace_home)
    with mace_home.open() as m:
        die(mace_home, "come", "after keys")
        met = m._parts.world.store.read(lambda tx: tx.vault.key("person/user_ada"))
        assert met is not None
        with mace_home.open() as other:  # whoever opens the store drops it
            assert "person/user_ada" not in refs(other)
        assert m.sem_put("user/profile/user_ada/food", "pear", "user", user_id="ada")["success"]
        made = m._parts.world.store.read(lambda tx: tx.vault.key("person/user_ada"))
        assert made is not None
        assert made != met
    with mace_home.open() as m:
        assert m.sem_get("user/profile/user_ada/food")["value"] == "pear"
        assert_sound(mace_home, m)


@pytest.mark.parametrize("boundary", [*APPEND_BOUNDARIES[:-1], "before keys", "after keys"])
def test_the_very_first_person_of_a_store(mace_home: places.SqlitePlace, boundary: str):
    mace_home.open().close()
    with mace_home.open() as m:
        die(mace_home, "come", boundary)
        assert not m.sem_get("user/profile/user_ada/food")["exists"]
        assert m.sem_put("user/profile/user_ada/food", "pear", "user", user_id="ada")["success"]
    with mace_home.open() as m:
        assert m.sem_get("user/profile/user_ada/food")["value"] == "pear"
        assert m.verify()["ok"]


def test_an_erasure_happens_whole_or_not_at_all(place: places.Place):
    live_in(place)
    # All that come before the commit first: then nothing has happened, and it can be killed again.
    before = [name for name in boundaries(place) if name not in ("after commit", "before keys go", "after keys go")]
    for boundary in before:
        die(place, "erase", boundary)
        with place.open() as m:
            assert m.sem_get(BOBS)["value"] == "pizza", boundary
            assert_sound(place, m)


def test_an_erasure_that_was_committed_is_finished(place: places.Place):
    finished(place, "after commit")


@pytest.mark.parametrize("boundary", ["before keys go", "after keys go"])
def test_an_erasure_that_was_committed_is_finished_in_the_other_file(mace_home: places.SqlitePlace, boundary: str):
    finished(mace_home, boundary)


def finished(place: places.Place, boundary: str) -> None:
    live_in(place)
    with place.open() as m:
        held = m._parts.world.store.read(lambda tx: tx.vault.key("person/user_bob"))
        assert held is not None
    with place.open() as other:  # a process that goes on, and one that opens it afterwards
        assert other.sem_get(BOBS)["value"] == "pizza"
        die(place, "erase", boundary)
        assert not other.sem_get(BOBS)["exists"]
        assert "person/user_bob" not in refs(other)
        assert "pizza" not in repr(other.sem_history(BOBS))
    with place.open() as m:
        assert not m.sem_get(BOBS)["exists"]
        assert "person/user_bob" not in refs(m)
        assert_sound(place, m)
    if isinstance(place, places.SqlitePlace):
        assert held[1][:44] not in place.people.read_bytes()


@pytest.mark.parametrize("boundary", APPEND_BOUNDARIES)
def test_a_rotation_leaves_a_store_that_opens(place: places.Place, boundary: str):
    rotated(place, boundary)


@pytest.mark.parametrize("boundary", APART_BOUNDARIES)
def test_a_rotation_leaves_two_files_that_open(mace_home: places.SqlitePlace, boundary: str):
    rotated(mace_home, boundary)


def rotated(place: places.Place, boundary: str) -> None:
    live_in(place)
    with place.open() as other:
        assert other.sem_get(BOBS)["value"] == "pizza"
        die(place, "rotate", boundary)
        assert other.sem_get(BOBS)["value"] == "pizza"
        assert other.sem_put("user/profile/user_ada/food", "plum", "user", user_id="ada")["success"]
    with place.open() as m:
        assert_sound(place, m)
        assert m.sem_get(BOBS)["value"] == "pizza"
        assert m.sem_get("user/profile/user_ada/food")["value"] == "plum"
        governed.owned(m).rotate_master_key()
        assert_sound(place, m)
        assert m.sem_get("user/profile/user_ada/food")["value"] == "plum"


def test_a_process_that_runs_takes_a_rotation_up(place: places.Place):
    live_in(place)
    with place.open() as here, place.open() as there:
        assert there.sem_get(BOBS)["value"] == "pizza"
        governed.owned(here).rotate_master_key()
        assert there.sem_put("user/profile/user_ada/food", "plum", "user", user_id="ada")["success"]
        assert here.sem_get("user/profile/user_ada/food")["value"] == "plum"
        governed.owned(there).rotate_master_key()
        assert here.sem_get(EVES)["value"] == "fish"
        assert here.sem_put("user/profile/user_cy/food", "pear", "user", user_id="cy")["success"]
        assert there.verify()["ok"]
        told = [event for event in here.events("system") if event["event_type"] == "MASTER_KEY_ROTATED"]
        assert [event["payload"]["before"] for event in told][1] == told[0]["payload"]["master_id"]
