"""The runner of steps: values and exceptions come back, and a step that never ends is left behind."""

import asyncio
import threading
import time
from contextvars import ContextVar

import pytest

from mace.providers.ports import Done, TimedOut
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


class TestCrew:
    def test_ends_come_one_by_one_as_they_come(self, runner: ThreadRunner):
        crew, gates = runner.crew(), [threading.Event() for _ in range(3)]
        for key, gate in enumerate(gates):
            crew.submit(key, lambda gate=gate, key=key: (gate.wait(5), key * 10)[1])
        for key in (2, 0, 1):
            gates[key].set()
            assert crew.next(5000) == Done(key, True, key * 10)
        assert crew.next(0) is None

    def test_what_a_step_raises_is_handed_over_and_not_raised(self, runner: ThreadRunner):
        crew = runner.crew()
        for error in (ValueError("no"), SystemExit(3), KeyboardInterrupt()):
            crew.submit(7, lambda error=error: (_ for _ in ()).throw(error))
            done = crew.next(5000)
            assert done is not None and (done.key, done.good, done.value) == (7, False, error)

    def test_nothing_ended_in_time(self, runner: ThreadRunner):
        crew, gate = runner.crew(), threading.Event()
        crew.submit(0, lambda: gate.wait(5))
        assert [crew.next(limit) for limit in (0, -5, 20)] == [None, None, None]
        gate.set()
        assert crew.next(None) == Done(0, True, True)

    def test_the_end_of_what_was_cancelled_is_not_heard(self, runner: ThreadRunner):
        crew, gate = runner.crew(), threading.Event()
        crew.submit(0, lambda: gate.wait(5))
        crew.cancel(0)
        crew.submit(1, lambda: "mine")
        assert crew.next(5000) == Done(1, True, "mine")
        gate.set()
        assert crew.next(100) is None

    def test_crews_do_not_hear_each_other(self, runner: ThreadRunner):
        one, two = runner.crew(), runner.crew()
        one.submit(0, lambda: "one")
        two.submit(0, lambda: "two")
        assert (two.next(5000), one.next(5000)) == (Done(0, True, "two"), Done(0, True, "one"))
        assert (one.next(0), two.next(0)) == (None, None)

    def test_a_step_sees_the_context_of_whoever_submitted_it(self, runner: ThreadRunner):
        word: ContextVar[str] = ContextVar("word", default="none")
        crew = runner.crew()
        token = word.set("said")
        crew.submit(0, lambda: (word.get(), word.set("changed"))[0])
        word.reset(token)
        done = crew.next(5000)
        assert done is not None and done.value == "said"
        assert word.get() == "none"
        crew.submit(1, word.get)
        assert crew.next(5000) == Done(1, True, "none")  # the same thread, another context

    def test_steps_of_a_step(self, runner: ThreadRunner):
        """A step may have a crew of its own: nobody waits for a worker that waits for it."""

        def nested(depth: int) -> int:
            if depth == 0:
                return 1
            crew = runner.crew()
            for key in range(2):
                crew.submit(key, lambda: nested(depth - 1))
            ends = [crew.next(5000) for _ in range(2)]
            return sum(done.value for done in ends if done is not None)

        assert nested(4) == 16

    def test_many_steps(self, runner: ThreadRunner):
        crew = runner.crew()
        for key in range(200):
            crew.submit(key, lambda key=key: key)
        ends = [crew.next(5000) for _ in range(200)]
        assert sorted(done.value for done in ends if done is not None) == list(range(200))


class TestLoops:
    def test_driving_a_coroutine(self, runner: ThreadRunner):
        async def work() -> int:
            return 42

        async def fails() -> int:
            raise LookupError("no")

        assert runner.drive(work) == 42
        with pytest.raises(LookupError, match="no"):
            runner.drive(fails)

    def test_driving_one_where_a_loop_runs(self, runner: ThreadRunner):
        async def work() -> int:
            return threading.get_ident()

        async def outer() -> tuple[int, int]:
            return runner.drive(work), threading.get_ident()

        inner, here = asyncio.run(outer())
        assert inner != here

    def test_within_its_time_or_not(self, runner: ThreadRunner):
        async def outer() -> str:
            assert await runner.watched(asyncio.sleep(0, "quick"), 5000, lambda: None, 500) == "quick"
            try:
                await runner.watched(asyncio.sleep(60), 10, lambda: None, 500)
            except TimedOut:
                return "timed out"
            return "never"

        assert asyncio.run(outer()) == "timed out"

    def test_aside_the_loop_goes_on(self, runner: ThreadRunner):
        async def outer() -> list[str]:
            said: list[str] = []
            gate = threading.Event()

            async def opens() -> None:
                said.append("the loop goes on")
                gate.set()

            task = asyncio.ensure_future(opens())
            assert await runner.aside(lambda: gate.wait(5))
            await task
            return said

        assert asyncio.run(outer()) == ["the loop goes on"]
