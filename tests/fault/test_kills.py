"""A process killed at any boundary of an append leaves a log that verifies, with every acknowledged event in it."""

import json
import signal
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest

from mace.storage.ports import APPEND_BOUNDARIES
from places import Place

_SCRIPT = Path(__file__).with_name("appender.py")
_NEVER = "never"


def start(place: Place, acks: Path, boundary: str, nth: int, count: int) -> "subprocess.Popen[bytes]":
    settings = json.dumps(asdict(place.settings))
    return subprocess.Popen([sys.executable, str(_SCRIPT), settings, boundary, str(nth), str(count), str(acks)])


def assert_all_there(place: Place, *acks: Path) -> int:
    """Verify the log and look every acknowledged event up; return how many there were."""
    acknowledged = [line.split() for file in acks for line in file.read_text().splitlines()]
    with place.open() as mace:
        found = mace.verify()
        assert found["ok"], found["findings"]
        for stream in {stream for stream, _ in acknowledged}:
            indexes = [event["sequence_index"] for event in mace.events(stream)]
            assert indexes == list(range(len(indexes)))  # no gap, no fork
            assert {int(index) for name, index in acknowledged if name == stream} <= set(indexes)
    return len(acknowledged)


@pytest.mark.parametrize("boundary", APPEND_BOUNDARIES)
def test_killed_at_a_boundary(place: Place, tmp_path: Path, boundary: str) -> None:
    acks = tmp_path / "acks"
    with place.open():
        pass  # made before, so that the boundary hit is that of an append
    for nth in (1, 3):
        process = start(place, acks, boundary, nth, 5)
        assert process.wait() == -signal.SIGKILL, "the boundary was not hit"
    # In the nth append: with the boundary after the commit the event is there, acknowledged or not.
    assert assert_all_there(place, acks) == 0 + 2
    process = start(place, acks, _NEVER, 0, 3)
    assert process.wait() == 0
    assert assert_all_there(place, acks) == 0 + 2 + 3


def test_several_processes_at_once(place: Place, tmp_path: Path) -> None:
    with place.open():
        pass
    files = [tmp_path / f"acks{number}" for number in range(4)]
    processes = [start(place, file, _NEVER, 0, 40) for file in files]
    assert [process.wait() for process in processes] == [0, 0, 0, 0]
    assert assert_all_there(place, *files) == 160


def test_killed_under_load(place: Place, tmp_path: Path) -> None:
    """Some die at the commit, some before it, while others go on."""
    with place.open():
        pass
    files = [tmp_path / f"acks{number}" for number in range(4)]
    boundaries = ("before commit", "after commit", "after insert", _NEVER)
    processes = [start(place, file, name, 7, 30) for file, name in zip(files, boundaries, strict=True)]
    codes = [process.wait() for process in processes]
    assert codes == [-signal.SIGKILL] * 3 + [0]
    assert_all_there(place, *files)


def test_two_processes_make_a_new_place_at_once(mace_home: Place, tmp_path: Path) -> None:
    files = [tmp_path / "acks0", tmp_path / "acks1"]
    processes = [start(mace_home, file, _NEVER, 0, 5) for file in files]
    assert [process.wait() for process in processes] == [0, 0]
    assert assert_all_there(mace_home, *files) == 10
