"""Processes that live through things, alone and together, and die between any two steps.

Whatever happens: every Megram that was acknowledged is there exactly once, the sums are the plain sums, and the store
is what the ledger says.
"""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

import pytest

import lived
from mace.core.errors import Conflict
from mace.engine.runtime import Mace
from mace.storage.ports import APPEND_BOUNDARIES
from places import Place

_SCRIPT = Path(__file__).with_name("rememberer.py")
_ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[1]), *sys.path])}
_KILLED = -signal.SIGKILL
Process = subprocess.Popen[bytes]


@pytest.fixture(params=["sqlite", "leveldb"])
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    return lived.place_for(request.param, tmp_path, request)


@pytest.fixture(params=["sqlite", "postgres"])
def shared(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """What several processes can have open at once."""
    return lived.place_for(request.param, tmp_path, request)


def start(place: Place, mode: str, count: int, acks: Path, point: str = "", nth: int = 0) -> Process:
    arguments = [json.dumps(asdict(place.settings)), mode, str(count), str(acks)]
    return subprocess.Popen(
        [sys.executable, str(_SCRIPT), *arguments, *([point, str(nth)] if point else [])],
        env=_ENVIRONMENT,
        stderr=subprocess.PIPE,
    )


def end(process: Process) -> int:
    complaint = process.communicate()[1]
    if process.returncode not in (0, _KILLED):
        raise AssertionError(complaint.decode()[-2000:])
    return process.returncode


def run(place: Place, mode: str, count: int, acks: Path, point: str = "", nth: int = 0) -> int:
    return end(start(place, mode, count, acks, point, nth))


def acknowledged(*acks: Path) -> list[str]:
    """A line that a kill cut in half was acknowledged to nobody."""
    return [line.split()[0] for file in acks if file.exists() for line in file.read_text().split("\n")[:-1]]


def assert_all_there(m: Mace, *acks: Path) -> int:
    """Every acknowledged one once; the rows and sums are those of the ledger; return how many Megrams there are."""
    m.experience.flush()
    there = Counter(row.megram_id for row in lived.held(m)["megrams"] if row.level == "M")
    assert set(there.values()) <= {1}
    assert set(acknowledged(*acks)) <= set(there)
    assert sum(there.values()) == lived.types(m).count("MEGRAM_WRITTEN")
    for pair in m.experience.pairs():
        lived.assert_sums_right(m, lived.NOW, pair["space"], pair["entity"])
    lived.assert_follows_from_the_ledger(m)
    return sum(there.values())


def assert_all_there_after(place: Place, *acks: Path) -> int:
    with lived.opened(place) as m:
        count = assert_all_there(m, *acks)
        assert m.verify()["ok"]
    return count


# Alone


@pytest.mark.parametrize("boundary", APPEND_BOUNDARIES)
def test_killed_at_a_boundary_of_the_ledger(request: pytest.FixtureRequest, tmp_path: Path, boundary: str):
    home = lived.place_for("sqlite", tmp_path, request)
    acks = tmp_path / "acks"
    assert run(home, "write", 20, acks, boundary, 9) == _KILLED
    assert len(acknowledged(acks)) >= 1
    assert_all_there_after(home, acks)


@pytest.mark.parametrize(
    ("point", "nth"),
    [("after unit", 9), ("after unit", 10), ("before rows", 3), ("after rows", 3)],
)
def test_killed_between_the_ledger_and_the_store(home: Place, tmp_path: Path, point: str, nth: int):
    acks = tmp_path / "acks"
    assert run(home, "write", 200, acks, point, nth) == _KILLED
    assert_all_there_after(home, acks)


@pytest.mark.parametrize(("point", "nth"), [("after rows", 1), ("after unit", 1), ("before rows", 3)])
def test_killed_in_the_middle_of_catching_up(home: Place, tmp_path: Path, point: str, nth: int):
    acks = tmp_path / "acks"
    assert run(home, "backlog", 18, acks) == 0
    assert run(home, "flush", 0, tmp_path / "none", point, nth) == _KILLED
    assert len(acknowledged(acks)) == 18
    assert assert_all_there_after(home, acks) == 18


def test_a_process_that_ends_without_a_word_right_after_an_acknowledgement(home: Place, tmp_path: Path):
    acks = tmp_path / "acks"
    assert run(home, "backlog", 1, acks) == 0
    assert run(home, "close", 5, acks) == 0  # and one that closes at once
    assert assert_all_there_after(home, acks) == 6


def test_what_was_closed_at_once_needs_nobody_to_catch_up(shared: Place, tmp_path: Path):
    """A reader that may not write sees what was acknowledged."""
    acks = tmp_path / "acks"
    assert run(shared, "close", 5, acks) == 0
    with lived.opened(shared, read_only=True) as m:
        assert sum(pair["megrams"] for pair in m.experience.pairs()) == 5
        assert not m.experience.describe()["behind"]


_STEPS = [("before unit", nth) for nth in (1, 2, 3, 4)] + [("after rows", 1), ("before commit", 1), ("after commit", 1)]


def assert_dreamt_once(m: Mace) -> None:
    """Go on dreaming: each of the three clusters gave one rule, whoever made it."""
    m.experience.dream(lived.NOW)
    rules = [row for row in lived.held(m)["megrams"] if row.level == "C"]
    assert Counter(row.entity for row in rules) == {f"path:{number}": 1 for number in range(3)}
    assert all(len(m.experience.query_c(lived.SPACE, row.entity)) == 1 for row in rules)


@pytest.mark.parametrize(("point", "nth"), _STEPS)
def test_killed_while_dreaming(home: Place, tmp_path: Path, point: str, nth: int):
    acks = tmp_path / "acks"
    with lived.opened(home) as m:
        for number in range(3):
            lived.write(m, "accept", 6, entity=f"path:{number}")
        m.experience.flush()
    assert run(home, "dream", 0, acks, point, nth) == _KILLED
    with lived.opened(home) as m:
        assert_all_there(m)
        assert_dreamt_once(m)
        assert m.verify()["ok"]


@pytest.mark.parametrize(("point", "nth"), [_STEPS[2], *_STEPS[4:]])
def test_killed_while_forgetting_and_undoing(home: Place, tmp_path: Path, point: str, nth: int):
    """Forgotten as a whole or not at all; and back as a whole or not at all."""
    with lived.opened(home) as m:
        lived.write(m, "accept", 5, entity="path:0")
        m.experience.flush()
        kept = lived.of_pair(m, entity="path:0")
    assert run(home, "forget", 0, tmp_path / "acks", point, nth) == _KILLED
    with lived.opened(home) as m:
        assert lived.of_pair(m, entity="path:0") in (kept, [])
        m.experience.dream(lived.days_on(300))
        assert lived.of_pair(m, entity="path:0") == []
        lived.assert_follows_from_the_ledger(m)
    run(home, "undo", 0, tmp_path / "acks", point, nth)  # some of these steps it does not have
    with lived.opened(home) as m:
        found = lived.of_pair(m, entity="path:0")
        assert found in (kept, [])
        assert bool(found) == ("EXPERIENCE_ROLLED_BACK" in lived.types(m))
        lived.assert_follows_from_the_ledger(m)


@pytest.mark.parametrize(
    ("point", "nth"),
    [("before unit", nth) for nth in (1, 2, 3, 5, 8)] + [("after unit", 2), ("after rows", 1), ("before rows", 3)],
)
def test_killed_while_making_everything_anew(home: Place, tmp_path: Path, point: str, nth: int):
    """Whoever comes next goes on with it, and nothing is different afterwards."""
    with lived.opened(home) as m:
        lived.write(m, "accept", 9, entity="path:0")
        m.experience.dream(lived.NOW)
        asked = m.experience.query_c(lived.SPACE, "path:0", lived.NOW)
        before, exported = lived.held(m), list(m.experience.export())
    assert run(home, "rebuild", 0, tmp_path / "acks", point, nth) == _KILLED
    with lived.opened(home, read_only=True) as m:  # half of it is not served as if it were all
        with suppress(Conflict):
            assert m.experience.query_c(lived.SPACE, "path:0", lived.NOW) in ([], asked)
        assert m.verify()["ok"]
    with lived.opened(home) as m:
        assert m.experience.query_c(lived.SPACE, "path:0", lived.NOW) == asked
        assert lived.held(m) == before
        assert list(m.experience.export()) == exported
        lived.assert_follows_from_the_ledger(m)
        assert m.verify()["ok"]


# Together


def test_everything_is_made_anew_while_others_write_and_ask(shared: Place, tmp_path: Path):
    shared.open().close()
    files = [tmp_path / f"acks{number}" for number in range(2)]
    children = [start(shared, "write", 30, file) for file in files]
    with lived.opened(shared) as m:
        while any(child.poll() is None for child in children):
            m.experience.rebuild()
        assert {end(child) for child in children} == {0}
        assert assert_all_there(m, *files) == 60
        assert m.verify()["ok"]


def test_several_processes_write_to_the_same_pairs(shared: Place, tmp_path: Path):
    """Where two processes write at once, more are easily acknowledged than kept."""
    shared.open().close()
    files = [tmp_path / f"acks{number}" for number in range(4)]
    children = [start(shared, "write", 30, file) for file in files]
    with lived.opened(shared) as m:
        while any(child.poll() is None for child in children):
            for entity in ("path:0", "path:1"):
                m.experience.query_mk(lived.SPACE, entity)
                m.experience.query_recent(lived.SPACE, entity, 5)
        assert [end(child) for child in children] == [0] * 4
        assert assert_all_there(m, *files) == 120
        assert len(acknowledged(*files)) == 120


def test_some_die_while_others_go_on(shared: Place, tmp_path: Path):
    shared.open().close()
    files = [tmp_path / f"acks{number}" for number in range(4)]
    points = [("before commit", 12), ("after rows", 3), ("after unit", 15), ("", 0)]
    children = [start(shared, "write", 25, file, *how) for file, how in zip(files, points, strict=True)]
    assert end(children[-1]) == 0
    assert {end(child) for child in children[:-1]} <= {0, _KILLED}
    assert assert_all_there_after(shared, *files) >= 25


def test_several_processes_dream_at_once(shared: Place, tmp_path: Path):
    with lived.opened(shared) as m:
        for number in range(3):
            lived.write(m, "accept", 6, entity=f"path:{number}")
    files = [tmp_path / f"acks{number}" for number in range(3)]
    children = [start(shared, "dream", 0, file) for file in files]
    assert [end(child) for child in children] == [0] * 3
    told = acknowledged(*files)
    assert len(told) == len(set(told)) == 3  # told by whoever made it, once
    with lived.opened(shared) as m:
        assert_dreamt_once(m)
        lived.assert_follows_from_the_ledger(m)


def test_dreaming_while_others_write(shared: Place, tmp_path: Path):
    shared.open().close()
    files = [tmp_path / f"acks{number}" for number in range(2)]
    children = [start(shared, "write", 30, file) for file in files]
    with lived.opened(shared) as m:
        while any(child.poll() is None for child in children):
            assert m.experience.dream()["failed"] == []
        assert [end(child) for child in children] == [0, 0]
        m.experience.dream()
        there = lived.held(m)["megrams"]
        assert sum(row.level == "M" for row in there) == 60
        lived.assert_follows_from_the_ledger(m)
        for number in range(3):
            lived.assert_sums_right(m, lived.NOW, entity=f"path:{number}")


def test_a_second_process_is_told_who_holds_leveldb(request: pytest.FixtureRequest, tmp_path: Path):
    place = lived.place_for("leveldb", tmp_path, request)
    with lived.opened(place) as m:
        lived.write(m)
        m.experience.flush()
        child = start(place, "flush", 0, tmp_path / "acks")
        complaint = child.communicate()[1].decode()
        assert child.returncode != 0
        assert "another process" in complaint
        assert run(place, "backlog", 1, tmp_path / "more") == 0  # the ledger takes it all the same
        assert len(lived.of_pair(m, entity="path:0")) == 1
    assert assert_all_there_after(place, tmp_path / "more") == 2


# At any moment


def _die_at_random(place: Place, folder: Path, rounds: int, processes: int) -> None:
    moments = random.Random(11)
    place.open().close()
    files = []
    for number in range(rounds):
        fresh = [folder / f"acks{number}-{child}" for child in range(processes)]
        files += fresh
        children = [start(place, "write", 1_000_000, file) for file in fresh]
        deadline = time.monotonic() + 60
        while len(acknowledged(*fresh)) < 20 and time.monotonic() < deadline:
            time.sleep(0.01)
        for child in children:
            time.sleep(moments.random() * 0.1)
            child.send_signal(signal.SIGKILL)
        assert [end(child) for child in children] == [_KILLED] * processes
    assert assert_all_there_after(place, *files) >= 20 * rounds


def test_killed_at_any_moment(shared: Place, tmp_path: Path):
    _die_at_random(shared, tmp_path, rounds=1, processes=2)


@pytest.mark.long
def test_killed_at_any_moment_many_times(shared: Place, tmp_path: Path):
    _die_at_random(shared, tmp_path, rounds=20, processes=3)


@pytest.mark.long
def test_killed_at_any_moment_on_leveldb(request: pytest.FixtureRequest, tmp_path: Path):
    _die_at_random(lived.place_for("leveldb", tmp_path, request), tmp_path, rounds=20, processes=1)
