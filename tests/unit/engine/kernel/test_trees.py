"""A job and its branches as one: what is not over gets the same event and status, in one unit; what is over stays."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import places
from governed import parts_of
from mace import Job, Mace, program
from mace.core import seeds
from mace.engine.kernel import trees
from mace.storage.ports import Tx

ROOT = seeds.job_id("tree")


@program("stops", version="1")
def stops(job: Job, given: Any) -> Any:
    """Two branches that end, one that is open with one in it, and then the process is told to stop."""
    for _ in range(2):
        with job.branch("ended") as ended:
            ended.call("makes", {}, lambda request: request)
    with job.branch("open") as branch:
        branch.call("makes", {}, lambda request: request)
        with branch.branch("inner") as inner:
            inner.call("makes", {}, lambda request: request)
            raise KeyboardInterrupt


@pytest.fixture
def m(mace_home: places.SqlitePlace) -> Iterator[Mace]:
    with mace_home.open(programs=[stops]) as opened:
        with pytest.raises(KeyboardInterrupt):
            opened.perform("stops", None, "ana", "tree")
        yield opened


def stands(m: Mace) -> dict[str, tuple[str, list[str]]]:
    """How each stream of the tree stands, by its name, and its last events."""

    def look(tx: Tx) -> dict[str, tuple[str, list[str]]]:
        found = {}
        for stream in trees.streams(tx, ROOT):
            told, row = parts_of(m).recorder.jobs.told(tx, stream), tx.jobs.get(stream)
            assert told is not None and told.said is not None and row is not None
            assert (row.status, row.life) == (told.status, told.life)
            name = f"{told.said['name']}{told.said['n']}" if told.root else ""
            found[name] = (row.status, [event.event_type for event in tx.events.of_stream(stream)][-2:])
        return found

    return parts_of(m).world.store.read(look)


def write(m: Mace, unit: Callable[..., Any], *arguments: Any) -> Any:
    parts = parts_of(m)
    return parts.world.store.write(lambda tx: unit(tx, parts.recorder, *arguments))


def test_interrupted_by_its_own_process(m: Mace):
    found = stands(m)
    assert sorted(found) == ["", "ended0", "ended1", "inner0", "open0"]
    for name in ("", "open0", "inner0"):
        assert found[name][0] == "interrupted" and found[name][1][-1] == "JOB_INTERRUPTED"
    assert m.verify()["ok"]


@pytest.mark.parametrize(
    ("unit", "event_type", "status"),
    [
        (trees.interrupt, "JOB_INTERRUPTED", "interrupted"),
        (trees.cancel, "JOB_CANCELLED", "cancelled"),
        (trees.abandon, "JOB_ABANDONED", "abandoned"),
    ],
    ids=["interrupt", "cancel", "abandon"],
)
def test_all_that_is_not_over_and_nothing_else(m: Mace, unit: Callable[..., None], event_type: str, status: str):
    before = stands(m)
    open_before = {name for name, (how, _) in before.items() if how in ("running", "interrupted", "waiting")}
    write(m, unit, ROOT, "a reason")
    after = stands(m)
    for name, (how, events) in after.items():
        if name in open_before:
            assert (how, events[-1]) == (status, event_type)
        else:
            assert after[name] == before[name]
    assert m.verify()["ok"]
    if status != "interrupted":
        write(m, unit, ROOT, "again")
        assert stands(m) == after  # what is over stays as it is


def test_taken_up_as_one(m: Mace):
    parts = parts_of(m)

    def unit(tx: Tx) -> int:
        told = parts.recorder.jobs.told(tx, ROOT)
        assert told is not None
        return trees.take_up(tx, parts.recorder, told, "a process", 5)

    before = stands(m)
    assert [parts.world.store.write(unit) for _ in range(2)] == [2, 3]  # each is a life of its own
    for name, (how, events) in stands(m).items():
        if before[name][0] == "interrupted":
            assert (how, events) == ("running", ["JOB_RESUMED", "JOB_RESUMED"])
        else:
            assert (how, events) == before[name]
    rows = parts.world.store.read(lambda tx: [tx.jobs.get(ROOT), *tx.jobs.tree(ROOT)])
    assert rows[0] is not None and (rows[0].holder, rows[0].life) == ("a process", 3)


def test_streams_begin_with_the_job_itself(m: Mace):
    streams = parts_of(m).world.store.read(lambda tx: trees.streams(tx, ROOT))
    assert streams[0] == ROOT and streams[1:] == sorted(streams[1:]) and len(set(streams)) == 5
    assert parts_of(m).world.store.read(lambda tx: trees.streams(tx, "no such job")) == ["no such job"]
