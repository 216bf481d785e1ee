"""Units of a store of experience: all or nothing, one after another, durable; also in several processes, and killed."""

import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import experience_worker
from experience_samples import KINDS, START_US, change, megram, megram_id, pair
from experience_worker import check, project, step
from mace.core.errors import Closed
from mace.storage.experience_ports import Experience, ExperienceStore
from mace.storage.ports import Exists

WORKER = experience_worker.__file__


class Refused(Exception):
    """What a unit raises that changed its mind."""


def everything(x: Experience, number: int) -> None:
    x.add([megram(number), megram(number + 100, level="C")])
    x.retire(megram_id(number + 100), f"change-{number}")
    x.recall([megram_id(number)], START_US + number)
    x.put_pairs([pair("s", f"{number}", number)])
    x.put_change(change(f"c{number}", number))
    x.move_cursor(number)


def all_of(x: Experience) -> list[Any]:
    ids = [megram_id(number) for number in range(300)]
    return [
        x.cursor(),
        x.scan(),
        x.of_pair("s", "e"),
        x.rules("s", "e"),
        x.counts(),
        x.retired_by(ids),
        x.recalled_us(ids),
        x.pairs(),
        x.due(10**9),
        x.changes(),
    ]


def test_a_unit_returns_its_value_and_sees_its_own_writes(experience: ExperienceStore):
    def unit(x: Experience) -> list[Any]:
        everything(x, 1)
        everything(x, 2)
        x.forget("s", "e")
        x.add([megram(1, content=b"again")])
        return all_of(x)

    inside = experience.write(unit)
    assert inside == experience.read(all_of)
    assert inside[2] == [megram(1, content=b"again")]


def test_a_unit_that_raises_leaves_nothing(experience: ExperienceStore):
    experience.write(lambda x: everything(x, 1))
    before = experience.read(all_of)
    error = Refused()

    def unit(x: Experience) -> None:
        everything(x, 2)
        x.forget("s", "e")
        x.remove(megram_id(101))
        x.retire(megram_id(101), "")
        x.recall([megram_id(1)], START_US + 99)
        x.put_pairs([pair("s", "1", 77, b"other")])
        x.put_change(change("c1", 9, undone_by="c2"))
        raise error

    with pytest.raises(Refused) as raised:
        experience.write(unit)
    assert raised.value is error
    assert experience.read(all_of) == before

    def taken(x: Experience) -> None:
        everything(x, 2)
        x.add([megram(1)])

    with pytest.raises(Exists):
        experience.write(taken)
    assert experience.read(all_of) == before
    experience.write(lambda x: everything(x, 2))
    assert len(experience.read(lambda x: x.scan())) == 4


def test_a_read_is_one_snapshot(experience: ExperienceStore):
    experience.write(lambda x: everything(x, 1))
    inside, written = threading.Event(), threading.Event()

    def look(x: Experience) -> list[list[Any]]:
        first = all_of(x)
        inside.set()
        written.wait(1)  # a store that lets nobody write meanwhile is as good
        return [first, all_of(x)]

    with ThreadPoolExecutor(2) as pool:
        reading = pool.submit(experience.read, look)
        assert inside.wait(20)
        writing = pool.submit(experience.write, lambda x: everything(x, 2))
        writing.add_done_callback(lambda _: written.set())
        first, second = reading.result(20)
        writing.result(20)
    assert first == second
    assert experience.read(lambda x: x.cursor()) == 2


def test_threads_lose_no_step(experience: ExperienceStore):
    with ThreadPoolExecutor(8) as pool:
        positions = list(pool.map(lambda _: experience.write(project), range(120)))
    assert sorted(positions) == list(range(120))
    assert check(experience, sorted(positions)) == 120


def test_a_read_that_raises_raises_the_same(experience: ExperienceStore):
    def look(x: Experience) -> None:
        x.scan()
        raise Refused

    for _ in range(40):
        with pytest.raises(Refused):
            experience.read(look)
    experience.write(step)


@pytest.mark.durable
def test_what_was_written_is_there_after_opening_again(open_experience: Callable[[], ExperienceStore]):
    experience = open_experience()
    experience.write(lambda x: everything(x, 1))
    before = experience.read(all_of)
    for number in range(2, 5):
        again = open_experience()
        assert again.read(all_of) == before
        again.write(lambda x, n=number: everything(x, n))
        before = again.read(all_of)


def test_after_closing_nothing_is_done_and_nothing_is_silent(
    experience_place: tuple[str, str], open_experience: Callable[[], ExperienceStore]
):
    store = open_experience()
    owner = getattr(store, "_store", store)
    store.close()
    if owner is not store:
        store.write(step)  # the store's owner closes it, nobody else
    owner.close()
    owner.close()
    with pytest.raises(Closed):
        store.write(step)
    with pytest.raises(Closed):
        store.read(lambda x: x.cursor())


class Children:
    def __init__(self) -> None:
        self.running: list[subprocess.Popen[str]] = []

    def start(self, place: tuple[str, str], *what: str) -> subprocess.Popen[str]:
        child = subprocess.Popen(
            [sys.executable, WORKER, *place, *what],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.running.append(child)
        return child


@pytest.fixture
def children() -> Iterator[Children]:
    made = Children()
    yield made
    for child in made.running:
        child.kill()
        child.communicate()


def go(child: subprocess.Popen[str]) -> None:
    assert child.stdout is not None
    assert child.stdin is not None
    assert child.stdout.readline() == "open\n"
    child.stdin.write("go\n")
    child.stdin.flush()


@pytest.mark.durable
def test_processes_lose_no_step(
    experience_place: tuple[str, str], open_experience: Callable[[], ExperienceStore], children: Children
):
    if experience_place[0] == "leveldb":
        return  # one process at a time, which has a test of its own
    store = open_experience()
    started = [children.start(experience_place, "count", "40") for _ in range(3)]
    for child in started:
        go(child)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: store.write(step), range(40)))
    for child in started:
        _, said = child.communicate(timeout=60)
        assert child.returncode == 0, said
    assert store.read(lambda x: x.cursor()) == 4 * 40 - 1


@pytest.mark.durable
def test_killed_between_and_in_units_every_acknowledged_one_is_there(
    experience_place: tuple[str, str], open_experience: Callable[[], ExperienceStore], children: Children
):
    acknowledged: list[int] = []
    for wanted in (1, 30, 7):
        child = children.start(experience_place, "write")
        go(child)
        assert child.stdout is not None
        acknowledged += [int(child.stdout.readline()) for _ in range(wanted)]
        child.send_signal(signal.SIGKILL)
        rest = child.stdout.read()  # `communicate` would miss what was read ahead
        assert child.wait(60) == -signal.SIGKILL
        acknowledged += [int(line) for line in rest.splitlines(keepends=True) if line.endswith("\n")]
    store = open_experience()
    units = check(store, acknowledged)
    assert units - len(acknowledged) <= 3  # each death may have come between the commit and the word
    assert store.write(project) == units


def test_every_kind_is_tested():
    assert set(KINDS) == {"memory", "sqlite", "postgres", "leveldb"}
