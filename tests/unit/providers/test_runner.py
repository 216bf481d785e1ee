"""The runner of steps: values and exceptions come back, and a step that never ends is left behind."""

import threading
import time

import pytest

from mace.providers.ports import TimedOut
from mace.providers.runner import ThreadRunner


def step_threads() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if thread.name == "mace-step"}


def wait_for_threads_beside(before: set[threading.Thread], count: int) -> None:
    """Threads end a moment after they were told to; those of other tests do not count."""
    for _ in range(500):
        if len(step_threads() - before) == count:
            return
        time.sleep(0.01)
    raise AssertionError(f"{len(step_threads() - before)} threads, expected {count}")


@pytest.fixture
def runner():
    made = ThreadRunner()
    yield made
    made.close()


def test_what_a_step_returns_and_raises(runner: ThreadRunner):
    assert runner.run(lambda: 42, 5000) == 42
    with pytest.raises(ZeroDivisionError):
        runner.run(lambda: 1 / 0, 5000)
    assert runner.run(lambda: "after a failure", 5000) == "after a failure"


def test_it_runs_elsewhere(runner: ThreadRunner):
    assert runner.run(threading.get_ident, 5000) != threading.get_ident()


def test_a_thread_is_used_again(runner: ThreadRunner):
    assert len({runner.run(threading.get_ident, 5000) for _ in range(20)}) == 1


@pytest.mark.parametrize("limit_ms", [0, -5, 30])
def test_a_step_that_does_not_end_is_left_behind(runner: ThreadRunner, limit_ms: float):
    go_on = threading.Event()
    with pytest.raises(TimedOut):
        runner.run(go_on.wait, limit_ms)
    # Its thread is not used again, or the next step would get its result.
    assert runner.run(lambda: "mine", 5000) == "mine"
    go_on.set()
    assert runner.run(lambda: "mine too", 5000) == "mine too"


def test_a_late_result_goes_nowhere(runner: ThreadRunner):
    before = step_threads()
    go_on = threading.Event()
    for _ in range(3):
        with pytest.raises(TimedOut):
            runner.run(lambda: go_on.wait() and "late", 10)
    go_on.set()
    assert [runner.run(lambda: "in time", 5000) for _ in range(5)] == ["in time"] * 5
    wait_for_threads_beside(before, 1)  # the three have ended with their steps


def test_many_at_once_do_not_wait_for_each_other(runner: ThreadRunner):
    together = threading.Barrier(8, timeout=10)
    results: list[int] = []
    callers = [threading.Thread(target=lambda: results.append(runner.run(together.wait, 10_000))) for _ in range(8)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert sorted(results) == list(range(8))


def test_threads_do_not_keep_the_process_alive(runner: ThreadRunner):
    runner.run(lambda: None, 5000)
    assert all(thread.daemon for thread in threading.enumerate() if thread.name == "mace-step")


def test_closing_ends_idle_threads():
    before = step_threads()
    runner = ThreadRunner()
    runner.run(lambda: None, 5000)
    runner.close()
    wait_for_threads_beside(before, 0)
    assert runner.run(lambda: "still", 5000) == "still"  # a late caller is served, its thread not kept
    wait_for_threads_beside(before, 0)


def test_even_an_exit_comes_back_as_an_exception(runner: ThreadRunner):
    def leaves() -> None:
        raise SystemExit(3)

    with pytest.raises(SystemExit):
        runner.run(leaves, 5000)
    assert runner.run(lambda: 1, 5000) == 1
