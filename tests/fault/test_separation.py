"""A store of an earlier version gets a key for each purpose when it is first opened, whatever happens meanwhile."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import older_stores
import places
from mace.core.purposes import Purpose
from mace.storage.ports import APPEND_BOUNDARIES
from older_stores import FILES

_DIES = """
import os, signal, sys
from mace.settings import Settings
from mace.wiring import open_mace

location, shelf, point, many = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
seen = 0

def boundary(name):
    global seen
    if name == point:
        seen += 1
        if seen == many:
            os.kill(os.getpid(), signal.SIGKILL)

settings = Settings(location=location, checkpoint_dir=shelf, checkpoint_interval_ms=0, spill_bytes=65536, user="owner")
open_mace(settings=settings, boundary=boundary).close()
"""


def assert_separated(place: places.SqlitePlace) -> None:
    with place.open() as mace:
        assert mace.verify()["ok"]
        types = [event["event_type"] for event in mace.events("system")]
        assert types.count("KEYS_SEPARATED") == 1
        (event,) = [item for item in mace.events("system") if item["event_type"] == "KEYS_SEPARATED"]
        assert event["signature"].startswith("k1.event:")
        for job in mace.jobs.list(limit=5)["items"]:
            assert mace.replay(job["job_id"])["result"] == "MATCH"
        assert mace._parts.world.keys.sign(Purpose.LOG, b"d" * 32).startswith("k1.log:")
    kept = json.loads((place.folder / "keys.json").read_text())
    with place.sql(keep_triggers=True) as sql:
        ((position,),) = sql("select position from events where event_type = 'KEYS_SEPARATED'")
        assert kept["separated_at"] == kept["hmac"][0]["since"] == position
        assert all(len(wrapped) == 78 for (wrapped,) in sql("select wrapped from vault_keys"))


@pytest.mark.parametrize("file", FILES, ids=[file.stem for file in FILES])
def test_an_older_store_is_separated_once(tmp_path: Path, file: Path):
    place = older_stores.unpack(file, tmp_path)
    for _ in range(2):
        assert_separated(place)
    with place.open() as mace:
        mace.rotate_key()
        assert mace.verify()["ok"]


@pytest.mark.parametrize("many", [1, 2])
@pytest.mark.parametrize("point", APPEND_BOUNDARIES)
def test_killed_on_the_way_it_is_done_by_the_next_opening(tmp_path: Path, point: str, many: int):
    place = older_stores.unpack(FILES[-1], tmp_path)
    arguments = [place.settings.location, place.settings.checkpoint_dir, point, str(many)]
    done = subprocess.run([sys.executable, "-c", _DIES, *arguments], check=False, timeout=60)
    assert done.returncode in ((-9,) if many == 1 else (-9, 0))
    assert_separated(place)


def test_killed_between_the_commit_and_the_key_file(tmp_path: Path):
    place = older_stores.unpack(FILES[-1], tmp_path)
    before = (place.folder / "keys.json").read_bytes()
    place.open().close()
    (place.folder / "keys.json").write_bytes(before)
    with place.open(read_only=True) as mace:
        assert mace.verify()["ok"]
    assert (place.folder / "keys.json").read_bytes() == before
    assert_separated(place)


def test_two_processes_at_once_separate_it_once(tmp_path: Path):
    place = older_stores.unpack(FILES[-1], tmp_path)
    arguments = [place.settings.location, place.settings.checkpoint_dir, "none", "1"]
    children = [subprocess.Popen([sys.executable, "-c", _DIES, *arguments]) for _ in range(3)]
    assert [child.wait(60) for child in children] == [0, 0, 0]
    assert_separated(place)


def test_a_waiting_spill_file_is_merged_before(tmp_path: Path):
    place = older_stores.unpack(FILES[-1], tmp_path)
    kept = json.loads((place.folder / "keys.json").read_text())
    from mace.providers.keys import KeyFile
    from mace.providers.spill import SpillFile
    from mace.providers.system import SystemEntropy

    keys = KeyFile.open(place.folder / "keys.json", SystemEntropy(), create=False)
    spill = SpillFile(place.folder / "spill.bin", keys.sign, keys.check, 65536)
    spill.prepare()
    entry = {
        "spill_id": "a" * 32,
        "event_type": "STORAGE_FULL",
        "verb": "test",
        "reason": "full",
        "at": "2026-01-01T00:00:00.000000Z",
    }
    spill.add(entry)
    assert "separated_at" not in kept
    with place.open() as mace:
        types = [event["event_type"] for event in mace.events("system")]
        assert types.index("STORAGE_FULL") < types.index("SPILL_MERGED") < types.index("KEYS_SEPARATED")
    assert_separated(place)


def test_a_new_store_is_separated_from_the_start(mace_home: places.SqlitePlace):
    with mace_home.open() as mace:
        mace.ask("what is 2+2", user_id="bob")
        assert {event["signature"].partition(":")[0] for event in mace.events("system")} == {"k1.event"}
        assert mace.verify()["ok"]
    assert json.loads((mace_home.folder / "keys.json").read_text())["separated_at"] == 0
