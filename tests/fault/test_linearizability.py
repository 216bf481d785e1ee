"""Facts are linearizable: many processes and threads on a few keys, some of them killed, and a checker over it all."""

import itertools
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linearizability
import places
from linearizability import NEVER, Operation, is_linearizable, read_logs, run_threads, stuck_at

ONE = ["world/fact/register/value"]
FEW = ["world/fact/register/value", "user/profile/user_tuff/favorite_color", "mace/config/router/default_depth"]


def w(value: Any, called: float, answered: float = NEVER) -> Operation:
    return Operation(True, value, called, answered)


def r(value: Any, called: float, answered: float = NEVER) -> Operation:
    return Operation(False, value, called, answered)


# The checker itself


@pytest.mark.parametrize(
    ("history", "linearizable"),
    [
        ([], True),
        ([r(None, 0, 1)], True),
        ([r("a", 0, 1)], False),
        ([w("a", 0, 1), r("a", 2, 3)], True),
        ([w("a", 0, 1), r(None, 2, 3)], False),  # lost
        ([w("a", 0, 5), r(None, 1, 2), r("a", 3, 4)], True),
        ([w("a", 0, 5), r("a", 1, 2), r(None, 3, 4)], False),  # seen, then unseen
        ([w("a", 0, 1), w("b", 2, 3), r("a", 4, 5)], False),  # stale
        ([w("a", 0, 3), w("b", 1, 2), r("a", 4, 5)], True),  # they overlap: either may be last
        ([w("a", 0, 3), w("b", 1, 2), r("a", 4, 5), r("b", 6, 7)], False),  # but not both
        ([w("a", 0, 9), w("b", 0, 9), r("a", 1, 2), r("b", 3, 4), r("a", 5, 6)], False),
        ([w("a", 0), r(None, 1, 2)], True),  # an open write need not have happened
        ([w("a", 0), r(None, 1, 2), r("a", 3, 4)], True),  # and may happen late
        ([w("a", 0), r("a", 1, 2), r(None, 3, 4)], False),  # but not be undone
        ([w("a", 5), r("a", 1, 2)], False),  # nor be read before its call
        ([w("a", 0, 1), w("b", 2), r("b", 3, 4), r("a", 5, 6)], False),
        ([w("a", 0, 1), r("a", 2), r("a", 2, 3)], True),  # an open read says nothing
        ([w("a", 0, 1), w("a", 2, 3), r("a", 4, 5)], True),  # values may repeat
        ([w("a", 0, 1), w("b", 2, 3), w("a", 4, 9), r("b", 5, 6), r("a", 7, 8)], True),
    ],
)
def test_histories(history: list[Operation], linearizable: bool):
    assert is_linearizable(history) is linearizable
    assert (stuck_at(history) is None) is linearizable


def test_the_initial_value_can_be_read():
    assert is_linearizable([r("old", 0, 1), w("new", 2, 3), r("new", 4, 5)], initial="old")


def _by_trying(history: list[Operation]) -> bool:
    """Try every order of every choice of open writes."""
    known = [operation for operation in history if operation.answered != NEVER]
    opened = [operation for operation in history if operation.answered == NEVER and operation.writes]
    for count in range(len(opened) + 1):
        for chosen in itertools.combinations(opened, count):
            for order in itertools.permutations([*known, *chosen]):
                if any(b.answered < a.called for a, b in itertools.combinations(order, 2)):
                    continue
                value = None
                for operation in order:
                    if operation.writes:
                        value = operation.value
                    elif operation.value != value:
                        break
                else:
                    return True
    return False


OPERATIONS = st.builds(
    lambda writes, value, called, span: Operation(
        writes, value if writes or value else None, called, NEVER if span == 7 else called + span
    ),
    st.booleans(),
    st.sampled_from(["", "a", "b"]),
    st.integers(0, 8),
    st.integers(1, 7),
)


@settings(max_examples=500)
@given(st.lists(OPERATIONS, max_size=6))
def test_the_checker_agrees_with_trying_everything(history: list[Operation]):
    assert is_linearizable(history) is _by_trying(history)


def test_a_long_history_of_a_true_register_is_checked_quickly():
    history, value, clock = [], None, 0
    choose = random.Random(1)
    for number in range(50_000):
        called, clock = clock - choose.randrange(20), clock + 10
        if choose.random() < 0.3:
            value = number
            history.append(w(value, called, clock + choose.randrange(15)))
        else:
            history.append(r(value, called, clock + choose.randrange(15)))
    assert is_linearizable(history)
    broken = [*history, r(value, clock + 100, clock + 101), r(-1, clock + 200, clock + 201)]
    assert stuck_at(broken) == broken[-1]


# It finds what is broken


def test_a_cache_that_is_not_told_of_other_processes_is_found_out(mace_home: places.SqlitePlace, tmp_path: Path):
    """The reader's store always says that it was told of every commit: it then answers what it read first."""
    with mace_home.open() as writer, mace_home.open() as reader:
        facts: Any = reader._parts.facts
        facts._held = facts._kept._answers.get
        until = time.monotonic() + 1.0
        sides = [
            threading.Thread(target=run_threads, args=(mace, tmp_path, name, ONE, until, 2))
            for mace, name in ((writer, "writer"), (reader, "reader"))
        ]
        for side in sides:
            side.start()
        for side in sides:
            side.join()
    history = read_logs(tmp_path)[ONE[0]]
    assert len(history) > 20
    assert stuck_at(history) is not None


def test_a_commit_that_does_not_tell_what_it_changed_is_found_out(mace_home: places.SqlitePlace, tmp_path: Path):
    with mace_home.open() as mace:
        mace._parts.world.store._have_changed = lambda _changed: None  # type: ignore[attr-defined]
        run_threads(mace, tmp_path, "alone", ONE, time.monotonic() + 1.0, 2)
    history = read_logs(tmp_path)[ONE[0]]
    assert len(history) > 20
    assert stuck_at(history) is not None


# Facts


def _start(place: places.Place, folder: Path, name: str, keys: list[str], until: float, threads: int) -> Any:
    settings = place.settings
    command = [sys.executable, linearizability.__file__, settings.location, settings.checkpoint_dir, str(folder)]
    return subprocess.Popen([*command, name, ",".join(keys), str(until), str(threads)], stdout=subprocess.DEVNULL)


def _answered(history: list[Operation]) -> list[Operation]:
    return [operation for operation in history if operation.answered != NEVER]


def _under_load(
    place: places.Place,
    folder: Path,
    keys: list[str],
    *,
    seconds: float,
    processes: int,
    threads: int,
    kills: int,
    least: int,
) -> dict[str, list[Operation]]:
    """Let processes put and get; kill some in the middle of it and put new ones in their place.

    A machine that is busy with other things gets more time, until there are at least so many answers for each key.
    """
    place.open().close()
    numbers = itertools.count()
    until = time.monotonic() + seconds
    running = [_start(place, folder, f"p{next(numbers)}", keys, until, threads) for _ in range(processes)]
    choose = random.Random(7)
    for _ in range(kills):
        time.sleep(seconds / (kills + 1) * choose.uniform(0.7, 1.0))
        victim = running.pop(0)
        os.kill(victim.pid, signal.SIGKILL)
        victim.wait()
        running.append(_start(place, folder, f"p{next(numbers)}", keys, until, threads))
    for _ in range(10):
        for process in running:
            assert process.wait(timeout=120) == 0
        histories = read_logs(folder)
        if all(len(_answered(histories.get(key, []))) >= least for key in keys):
            break
        until = time.monotonic() + seconds
        running = [_start(place, folder, f"p{next(numbers)}", keys, until, threads) for _ in range(processes)]
    return histories


def _check(histories: dict[str, list[Operation]], keys: list[str], least: int) -> None:
    assert set(histories) == set(keys)
    for key, history in histories.items():
        answered = _answered(history)
        assert len(answered) >= least
        assert {operation.writes for operation in answered} == {True, False}
        assert stuck_at(history) is None, key


@pytest.mark.parametrize("keys", [ONE, FEW], ids=["one key", "a few keys"])
def test_facts_are_linearizable_across_processes_that_die(place: places.Place, tmp_path: Path, keys: list[str]):
    folder = tmp_path / "histories"
    folder.mkdir()
    histories = _under_load(place, folder, keys, seconds=4, processes=3, threads=2, kills=2, least=20)
    _check(histories, keys, 20)
    with place.open() as mace:
        assert mace.verify()["ok"]
        for key in keys:  # the next read belongs to the history too
            last = Operation(False, mace.sem_get(key)["value"], time.monotonic_ns(), time.monotonic_ns())
            assert stuck_at([*histories[key], last]) is None


@pytest.mark.long
@pytest.mark.parametrize("keys", [ONE, FEW], ids=["one key", "a few keys"])
def test_facts_are_linearizable_for_longer(place: places.Place, tmp_path: Path, keys: list[str]):
    folder = tmp_path / "histories"
    folder.mkdir()
    histories = _under_load(place, folder, keys, seconds=45, processes=5, threads=4, kills=20, least=200)
    _check(histories, keys, 200)
    with place.open() as mace:
        assert mace.verify()["ok"]
