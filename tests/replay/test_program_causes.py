"""Why programs diverge: each usual cause, really caused, is found where it first shows, and its remedy matches.

`docs/programs.md` tells the same to people; every cause there is one here.
"""

import itertools
import json
import os
import random
import re
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import places
from fault import killing
from mace import CallFailed, Job, program

pytestmark = pytest.mark.breaks_its_store  # its programs diverge on purpose

DOCS = Path(__file__).resolve().parents[2] / "docs" / "programs.md"


@dataclass
class World:
    """What lies outside of a program and changes between a run and its replay."""

    folder: Path
    names: dict[str, int] = field(default_factory=lambda: {"b": 1, "a": 2})
    numbers: list[float] = field(default_factory=lambda: [1e16, 1.0, -1e16])
    waits: list[float] = field(default_factory=lambda: [0.0, 0.15])
    counter: Any = field(default_factory=itertools.count)
    alive: list[object] = field(default_factory=list)  # so that no address is used twice

    def __post_init__(self) -> None:
        (self.folder / "prompt.txt").write_text("Be brief.")
        os.environ["TEST_OF_CAUSES"] = "one"

    def move(self) -> None:
        """Time goes on, and everything else changes."""
        (self.folder / "prompt.txt").write_text("Be exact.")
        (self.folder / "another.txt").write_text("")
        os.environ["TEST_OF_CAUSES"] = "two"
        self.names = {"a": 2, "b": 1}
        self.numbers.reverse()
        self.numbers.insert(0, self.numbers.pop())
        self.waits.reverse()

    def kept(self, thing: object) -> object:
        self.alive.append(thing)
        return thing


def in_threads(world: World) -> list[int]:
    """Results in the order in which threads happened to end."""
    ended: list[int] = []

    def work(number: int) -> None:
        time.sleep(world.waits[number])
        ended.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return ended


def text_of_an_error(world: World) -> str:
    try:
        raise LookupError(world.kept(object()))
    except LookupError as error:
        return str(error)


Read = Callable[[World], Any]

CAUSES: dict[str, tuple[str, Read]] = {
    "the clock": ("text", lambda _world: datetime.now(UTC).isoformat()),
    "a measured time": ("number", lambda _world: time.perf_counter()),
    "random numbers": ("number", lambda _world: random.random()),
    "a random id": ("text", lambda _world: str(uuid.uuid4())),
    "the environment": ("text", lambda _world: os.environ["TEST_OF_CAUSES"]),
    "a file": ("text", lambda world: (world.folder / "prompt.txt").read_text()),
    "a folder": ("text", lambda world: sorted(item.name for item in world.folder.glob("*.txt"))),
    "a global counter": ("number", lambda world: next(world.counter)),
    "the order of threads": ("number", in_threads),
    "the order of a mapping from outside": ("text", lambda world: list(world.names)),
    "the order of a sum": ("number", lambda world: sum(world.numbers)),
    "the address of an object": ("text", lambda world: repr(world.kept(object()))),
    "the text of an error": ("text", text_of_an_error),
}


def echo(request: Any) -> Any:
    return request


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.setenv("TEST_OF_CAUSES", "")
    folder = tmp_path / "outside"
    folder.mkdir()
    return World(folder)


def index_of(place: places.Place, job_id: str, name: str) -> int:
    events = killing.bodies(place, job_id)[job_id]
    return next(
        said["sequence_index"]
        for said in events
        if said["event_type"] == "EFFECT_STARTED" and said["payload"]["name"] == name
    )


@pytest.mark.parametrize("cause", CAUSES)
def test_the_first_call_that_depends_on_it_is_named(mace_home: places.SqlitePlace, world: World, cause: str):
    kind, read = CAUSES[cause]

    @program("reads", version="1")
    def reads(job: Job, given: Any) -> Any:
        job.call("before", {"asks": given}, echo)
        value = read(world)
        job.call("uses", {"asks": given, "value": value}, echo)
        return "done"

    with mace_home.open(programs=[reads]) as m:
        job_id = m.perform("reads", "why")["job_id"]
        world.move()
        found = m.replay(job_id)
        assert (found["result"], found["incident_id"]) == ("REPLAY_DIVERGENCE", None)
        first: Any = found["first_difference"]
        assert first["call"] == {"branch": "", "number": 1, "name": "uses"}
        assert first["after"] == {"branch": "", "number": 0, "name": "before"}
        assert first["sequence_index"] == index_of(mace_home, job_id, "uses")
        assert re.match(r"/value(/\d+)?: ", first["differs"]) and kind in first["differs"]
        assert m.verify()["ok"]  # the record itself is as it was


@pytest.mark.parametrize("cause", CAUSES)
def test_the_remedy_is_to_read_it_in_a_call(mace_home: places.SqlitePlace, world: World, cause: str):
    _, read = CAUSES[cause]

    @program("reads", version="1")
    def reads(job: Job, given: Any) -> Any:
        value = job.call("read", {"asks": given}, lambda _request: read(world), idempotent=True)
        return job.call("uses", {"value": value}, echo)

    with mace_home.open(programs=[reads]) as m:
        job_id = m.perform("reads", "why")["job_id"]
        world.move()
        assert m.replay(job_id)["result"] == "MATCH"


def test_what_the_job_gives_itself_matches(mace_home: places.SqlitePlace):
    @program("reads", version="1")
    def reads(job: Job, given: Any) -> Any:
        return job.call("uses", {"values": [job.now(), job.random(), job.uuid()]}, echo)

    with mace_home.open(programs=[reads]) as m:
        assert m.replay(m.perform("reads", None)["job_id"])["result"] == "MATCH"


def test_in_a_branch(mace_home: places.SqlitePlace, world: World):
    def one(branch: Job, item: int) -> Any:
        branch.call("before", {"item": item}, echo)
        return branch.call("uses", {"item": item, "value": next(world.counter) if item == 2 else 0}, echo)

    @program("reads", version="1")
    def reads(job: Job, given: Any) -> Any:
        return job.map(one, [0, 1, 2])

    with mace_home.open(programs=[reads]) as m:
        first: Any = m.replay(m.perform("reads", None)["job_id"])["first_difference"]
    assert first["call"] == {"branch": "map[2]", "number": 1, "name": "uses"}
    assert first["after"] == {"branch": "map[2]", "number": 0, "name": "before"}
    assert first["differs"] == "/value: another number than was recorded"


def test_in_the_answer(mace_home: places.SqlitePlace, world: World):
    @program("reads", version="1")
    def reads(job: Job, given: Any) -> Any:
        job.call("before", {}, echo)
        return {"count": next(world.counter)}

    with mace_home.open(programs=[reads]) as m:
        first: Any = m.replay(m.perform("reads", None)["job_id"])["first_difference"]
    assert (first["call"]["name"], first["after"]["name"]) == ("answer", "before")
    assert first["differs"] == "/text: another text than was recorded"


def test_something_that_it_remembers_from_before(mace_home: places.SqlitePlace):
    """A cache of its own: what was asked for once is not asked for again, also not where the record says so."""
    cache: dict[str, Any] = {}

    @program("reads", version="1")
    def reads(job: Job, given: Any) -> Any:
        if "price" not in cache:
            cache["price"] = job.call("ask_price", {}, lambda _request: 12)
        return job.call("order", {"price": cache["price"]}, echo)

    with mace_home.open(programs=[reads]) as m:
        job_id = m.perform("reads", None)["job_id"]
        first: Any = m.replay(job_id)["first_difference"]
        assert first["sequence_index"] == index_of(mace_home, job_id, "ask_price")
    assert (first["stored"]["payload"]["name"], first["replayed"]["name"]) == ("ask_price", "order")
    assert first["call"] == {"branch": "", "number": 0, "name": "order"}
    assert "after" not in first


CHANGES: dict[str, tuple[list[str], list[str], str, str | None]] = {
    "another name": (["a", "b"], ["a", "c"], "c", "a"),
    "one call less": (["a", "b", "c"], ["a", "c"], "c", "a"),
    "one call more": (["a", "c"], ["a", "b", "c"], "b", "a"),
    "the first is gone": (["a", "b"], ["b"], "b", None),
    "the last is gone": (["a", "b"], ["a"], "answer", "a"),
    "one more at the end": (["a"], ["a", "b"], "b", "a"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_program_that_was_changed_under_its_old_version(mace_home: places.SqlitePlace, change: str):
    before, now, call, after = CHANGES[change]

    def calls(names: list[str]) -> Any:
        @program("changed", version="1")
        def changed(job: Job, given: Any) -> Any:
            for name in names:
                job.call(name, {}, echo)
            return "done"

        return changed

    with mace_home.open(programs=[calls(before)]) as m:
        job_id = m.perform("changed", None)["job_id"]
    with mace_home.open(programs=[calls(now)]) as m:
        found = m.replay(job_id)
    assert found["result"] == "REPLAY_DIVERGENCE"
    first: Any = found["first_difference"]
    assert (first["call"]["name"], first.get("after", {}).get("name")) == (call, after)


def test_a_program_that_catches_everything_diverges_all_the_same(mace_home: places.SqlitePlace, world: World):
    @program("reads", version="1")
    def reads(job: Job, given: Any) -> Any:
        try:
            return job.call("uses", {"value": next(world.counter)}, echo)
        except BaseException:
            return "never mind"

    with mace_home.open(programs=[reads]) as m:
        assert m.replay(m.perform("reads", None)["job_id"])["result"] == "REPLAY_DIVERGENCE"


def test_a_failed_call_fails_again_and_is_no_divergence(mace_home: places.SqlitePlace):
    tries = itertools.count()

    def fails(_request: Any) -> Any:
        if next(tries) == 0:
            raise TimeoutError("no answer")
        return "an answer"

    @program("reads", version="1")
    def reads(job: Job, given: Any) -> Any:
        try:
            return job.call("asks", {}, fails)
        except CallFailed as failed:
            return [failed.kind, failed.exception, failed.reason]

    with mace_home.open(programs=[reads]) as m:
        answer = m.perform("reads", None)
        assert answer["answer"] == ["raised", "TimeoutError", "no answer"]
        assert m.replay(answer["job_id"])["result"] == "MATCH"


HASHES = """
import json, sys
import mace
from mace import wiring
from mace.settings import Settings

@mace.program("sets", version="1")
def sets(job, given):
    job.call("before", {}, lambda request: request)
    words = {f"word {number}" for number in range(40)}
    listed = sorted(words) if given == "sorted" else list(words) if given == "set" else [hash(w) for w in sorted(words)]
    return job.call("uses", {"words": listed if given != "hash" else listed[0] % 2**40}, lambda request: len(request))

with wiring.open_mace(settings=Settings(**json.loads(sys.argv[1])), programs=[sets]) as m:
    if sys.argv[2] == "perform":
        print(json.dumps([m.perform("sets", given)["job_id"] for given in ("set", "hash", "sorted")]))
    else:
        print(json.dumps([m.replay(job_id) for job_id in json.loads(sys.argv[3])]))
"""


def test_the_order_of_a_set_and_hashes(mace_home: places.SqlitePlace):
    """Both differ from process to process; sorted they do not."""
    settings = json.dumps(
        {"location": mace_home.settings.location, "checkpoint_dir": mace_home.settings.checkpoint_dir}
    )

    def run(seed: int, *arguments: str) -> Any:
        environment = {**killing.environment(), "PYTHONHASHSEED": str(seed)}
        command = [sys.executable, "-c", HASHES, settings, *arguments]
        return json.loads(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout)

    jobs = run(1, "perform")
    found = run(2, "replay", json.dumps(jobs))
    assert [item["result"] for item in found] == ["REPLAY_DIVERGENCE", "REPLAY_DIVERGENCE", "MATCH"]
    for item in found[:2]:
        assert item["first_difference"]["call"]["name"] == "uses"
        assert item["first_difference"]["differs"].startswith("/words")
    assert [item["result"] for item in run(1, "replay", json.dumps(jobs))] == ["MATCH"] * 3


def test_the_page_tells_every_cause_once():
    text = DOCS.read_text()
    headings = re.findall(r"^### (\d+)\. ", text, re.MULTILINE)
    assert headings == [str(number) for number in range(1, 11)]
    told = set(re.findall(r"^Tested as: (.*)\.$", text, re.MULTILINE))
    listed = {item.strip() for line in told for item in line.split(";")}
    assert listed == {*CAUSES, "the order of a set", "a cache", "changed code"}
