"""A program that recalls and remembers, killed after every single commit, and taken up by a new process."""

import itertools
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import places
import services
from fault import killing

MakePlace = Callable[[int], places.Place]


@pytest.fixture(scope="module")
def warm() -> Iterator[killing.Warm]:
    with killing.warm_parent() as parent:
        yield parent


def told(place: places.Place, event_type: str) -> list[dict[str, Any]]:
    """The payloads of all events of one type, in their order."""
    with place.sql(keep_triggers=True) as sql:
        bodies = [json.loads(bytes(body)) for (body,) in sql("select body from events order by position")]
    return [said["payload"] for said in bodies if said["event_type"] == event_type]


def killed_everywhere(warm: killing.Warm, make: MakePlace, folder: Path, every: int) -> int:
    """Kill one victim after the other, each a commit later, until one ends by itself; say how many were resumed."""
    resumed = 0
    for nth in itertools.count(every, every):
        place, seed, calls = make(nth), f"seed {nth}", folder / f"calls{nth}"
        root = killing.job_of(seed)
        with place.open() as m:
            assert m.remember("ana", "The parcel left on Monday.")["success"]
            assert m.remember("bo", "The parcel of Bo is a secret.")["success"]
        said = warm.run("perform", place, seed, calls, program="chat", stop_at=nth)
        is_uncut = "stopped_at" not in said
        streams = {} if is_uncut else killing.bodies(place, root)
        was_over = any(event["event_type"] == "JOB_CLOSED" for event in streams.get(root, []))
        recalled_before = sum(
            event["event_type"] == "EFFECT_DONE" and event["payload"].get("kind") == "recall"
            for events in streams.values()
            for event in events
        )
        recalls = len(told(place, "MEMORY_RECALLED"))
        if not is_uncut and not was_over and streams:
            said = warm.run("resume", place, seed, calls, program="chat")
            assert said["verify"] is True
            assert said["replay"]["result"] == "MATCH", said["replay"]
            assert said["answer"]["status"] == "closed"
            # A recall whose result was on the tape is not made again.
            assert len(told(place, "MEMORY_RECALLED")) - recalls == 2 - recalled_before
            resumed += 1
        if streams or is_uncut:
            if not was_over:
                refs = {item["ref"] for item in said["answer"]["evidence"]}
                assert {f"turn/user_ana/{number:08d}" for number in (0, 1)} <= refs
                assert all(ref.startswith("turn/user_ana/") for ref in refs)
                assert said["answer"]["answer"][0] == 1
            # Whatever happened, what was said was kept once.
            assert sum(event["turns"] for event in told(place, "TURNS_REMEMBERED")) == 2 + 3
        if is_uncut:
            assert resumed
            return resumed
    raise AssertionError("it never ended by itself")


def test_killed_after_every_commit(warm: killing.Warm, tmp_path: Path):
    def make(nth: int) -> places.Place:
        root = tmp_path / str(nth)
        root.mkdir()
        return places.SqlitePlace(root)

    assert killed_everywhere(warm, make, tmp_path, 1) > 5


@pytest.mark.parametrize("every", [3, pytest.param(1, marks=pytest.mark.long)])
def test_killed_on_a_server(warm: killing.Warm, databases: services.Databases, tmp_path: Path, every: int):
    def make(nth: int) -> places.Place:
        root = tmp_path / str(nth)
        root.mkdir()
        return places.PostgresPlace(root, databases)

    assert killed_everywhere(warm, make, tmp_path, every) > 1
