"""No space for experience: what was acknowledged is kept, the rest is refused aloud, nothing is half done."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import lived
from fault.test_full import FULL, _unshare, no_more_pages
from mace.core.errors import MaceError, StorageFull
from places import Place


@pytest.fixture
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    return lived.place_for("sqlite", tmp_path, request)


def test_a_full_database_refuses_and_goes_on_afterwards(home: Place):
    with lived.opened(home) as m:
        kept = lived.write(m, "accept", 3)
        m.experience.flush()
        with no_more_pages(m):
            for _ in range(500):
                megram = {"space": lived.SPACE, "entity": lived.ENTITY, "content": "x" * 7000, "state": "accept"}
                answer = m.experience.write(megram, "solver")
                if not answer["success"]:
                    break
                kept.append(answer["megram_id"])
            assert (answer["error_code"], answer["user_message"]) == ("STORAGE_FULL", FULL)
        kept += lived.write(m, "accept", 1)
        assert sorted(row.megram_id for row in lived.of_pair(m)) == sorted(kept)
        lived.assert_sums_right(m)
        lived.assert_follows_from_the_ledger(m)
        assert m.verify()["ok"]


def test_a_store_that_cannot_catch_up_says_so_and_catches_up_later(home: Place):
    with lived.opened(home) as m:
        lived.inside(m).chosen.stop()
        lived.write(m, "accept", 40, content="x" * 7000)
        before = lived.inside(m).store.read(lambda x: (x.cursor(), x.counts()))
        with no_more_pages(m):
            with pytest.raises(StorageFull):
                m.experience.query_mk(lived.SPACE, lived.ENTITY)
            with pytest.raises(MaceError):
                m.experience.dream()
            assert lived.inside(m).store.read(lambda x: (x.cursor(), x.counts())) == before
        assert len(lived.of_pair(m)) == 40
        lived.assert_sums_right(m)


@pytest.mark.parametrize("store", ["", "leveldb"])
def test_a_disk_that_really_is_full(request: pytest.FixtureRequest, tmp_path: Path, store: str):
    if store:
        lived.place_for(store, tmp_path / "unused", request)  # says by name when it cannot run
    tests = str(Path(__file__).parents[1])
    done = subprocess.run(
        [*_unshare(), sys.executable, str(Path(__file__).with_name("full_experience.py")), str(tmp_path), store],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([tests, *sys.path])},
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told.pop("refused") == ["STORAGE_FULL"]
    for verb in ("asked", "flushed", "dreamt"):
        assert told.pop(verb) in ("Exploit", "done", "more", "STORAGE_FULL")
    assert told == {"kept": True, "rules": 1, "good_after": True, "kept_by_the_next": True}
