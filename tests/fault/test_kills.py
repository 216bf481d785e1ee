"""Processes that append, alone and together, and die: at every boundary of an append, and at any moment under load.

Whatever happens, the log verifies, has no gap and no fork, and holds every event that was acknowledged.
"""

import json
import random
import signal
import subprocess
import sys
import threading
import time
from dataclasses import asdict
from pathlib import Path

import pytest

from mace.storage.ports import APPEND_BOUNDARIES
from places import Place

_SCRIPT = Path(__file__).with_name("appender.py")
_NEVER = "never"

Process = subprocess.Popen[bytes]


def start(place: Place, acks: Path, boundary: str, nth: int, count: int, threads: int = 1) -> Process:
    settings = json.dumps(asdict(place.settings))
    arguments = [settings, boundary, str(nth), str(count), str(acks), str(threads)]
    return subprocess.Popen([sys.executable, str(_SCRIPT), *arguments])


def acknowledged_in(*acks: Path) -> list[tuple[str, int, str]]:
    """What the processes wrote down; a line that a kill cut in half was acknowledged to nobody."""
    lines = [line for file in acks if file.exists() for line in file.read_text().split("\n")[:-1]]
    return [(stream, int(index), digest) for stream, index, digest in map(str.split, lines)]


def assert_all_there(place: Place, *acks: Path) -> int:
    """Verify the log and look every acknowledged event up; return how many there were."""
    acknowledged = acknowledged_in(*acks)
    with place.open() as mace:
        found = mace.verify()
        assert found["ok"], found["findings"]
        size = mace.describe()["events"]
        assert found["events"] == size  # positions without a gap
        for stream in {stream for stream, _, _ in acknowledged}:
            events = mace.events(stream)
            assert [event["sequence_index"] for event in events] == list(range(len(events)))  # no gap, no fork
            hashes = {event["sequence_index"]: event["hash"] for event in events}
            for _, index, digest in (place for place in acknowledged if place[0] == stream):
                assert hashes[index] == digest
    return len(acknowledged)


@pytest.mark.parametrize("boundary", APPEND_BOUNDARIES)
def test_killed_at_a_boundary(place: Place, tmp_path: Path, boundary: str):
    acks = tmp_path / "acks"
    place.open().close()  # made before, so that the boundary hit is that of an append
    for nth in (1, 3):
        process = start(place, acks, boundary, nth, 5)
        assert process.wait() == -signal.SIGKILL, "the boundary was not hit"
    assert assert_all_there(place, acks) == 0 + 2  # the nth append itself was acknowledged to nobody
    with place.open() as mace:
        durable = boundary == "after commit"
        killed = [event for event in mace.events("system") if event["event_type"] == "SPILL_MERGED"]
        assert killed == []  # a death is no failure of the store
        events = mace.describe()["events"]
    beginnings = 2 if durable else 1  # of the two streams; the first died before it was there
    assert events == 1 + beginnings + 2 + (2 if durable else 0)
    process = start(place, acks, _NEVER, 0, 3)
    assert process.wait() == 0
    assert assert_all_there(place, acks) == 0 + 2 + 3


def test_the_boundaries_enclose_every_step():
    assert APPEND_BOUNDARIES[0].startswith("before")
    assert APPEND_BOUNDARIES[-1] == "after commit"
    assert len(set(APPEND_BOUNDARIES)) == len(APPEND_BOUNDARIES) == 7


@pytest.mark.parametrize(("processes", "threads", "count"), [(4, 1, 40), (3, 4, 20)])
def test_several_processes_at_once(place: Place, tmp_path: Path, processes: int, threads: int, count: int):
    place.open().close()
    files = [tmp_path / f"acks{number}" for number in range(processes)]
    children = [start(place, file, _NEVER, 0, count, threads) for file in files]
    assert [child.wait() for child in children] == [0] * processes
    assert assert_all_there(place, *files) == processes * threads * count


def test_some_die_at_a_boundary_while_others_go_on(place: Place, tmp_path: Path):
    place.open().close()
    files = [tmp_path / f"acks{number}" for number in range(4)]
    boundaries = ("before commit", "after commit", "after insert", _NEVER)
    children = [start(place, file, name, 7, 30, 2) for file, name in zip(files, boundaries, strict=True)]
    assert [child.wait() for child in children] == [-signal.SIGKILL] * 3 + [0]
    assert_all_there(place, *files)


def _die_at_random(place: Place, folder: Path, rounds: int, processes: int) -> None:
    moments = random.Random(7)
    place.open().close()
    files = []
    for number in range(rounds):
        fresh = [folder / f"acks{number}-{child}" for child in range(processes)]
        files += fresh
        children = [start(place, file, _NEVER, 0, 1_000_000, 3) for file in fresh]
        deadline = time.monotonic() + 60
        while len(acknowledged_in(*fresh)) < 20 and time.monotonic() < deadline:
            time.sleep(0.01)
        for child in children:
            time.sleep(moments.random() * 0.1)
            child.send_signal(signal.SIGKILL)
        assert [child.wait() for child in children] == [-signal.SIGKILL] * processes
        assert len(acknowledged_in(*fresh)) >= 20
    assert_all_there(place, *files)


def test_killed_at_any_moment_under_load(place: Place, tmp_path: Path):
    _die_at_random(place, tmp_path, rounds=2, processes=2)


@pytest.mark.long
def test_killed_at_any_moment_under_load_many_times(place: Place, tmp_path: Path):
    _die_at_random(place, tmp_path, rounds=25, processes=4)


def test_verifying_and_publishing_while_others_append_raises_no_false_alarm(place: Place, tmp_path: Path):
    """Checkpoints are published of events that the walk had not seen when it began."""
    place.open().close()
    child = start(place, tmp_path / "acks", _NEVER, 0, 300, 2)
    stop = threading.Event()
    with place.open() as mace, place.open() as publisher:

        def publish() -> None:
            while not stop.is_set():
                publisher.checkpoint()

        publishing = threading.Thread(target=publish)
        publishing.start()
        try:
            while child.poll() is None:
                found = mace.verify()
                assert found["ok"], found["findings"]
        finally:
            stop.set()
            publishing.join()
    assert child.wait() == 0
    assert assert_all_there(place, tmp_path / "acks") == 600


def test_two_processes_make_a_new_place_at_once(mace_home: Place, tmp_path: Path):
    files = [tmp_path / "acks0", tmp_path / "acks1"]
    children = [start(mace_home, file, _NEVER, 0, 5) for file in files]
    assert [child.wait() for child in children] == [0, 0]
    assert assert_all_there(mace_home, *files) == 10
