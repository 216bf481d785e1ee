"""Computations in real worker processes: stopped, killed, orphaned, out of memory, many at once."""

import gc
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from mace.agents.mathematics import WORKER_FUNCTION, MathAnswer, outcome_of, worker_arguments
from mace.providers.computing import Computer, Crashed, TimedOut

# A product of two primes of forty digits: its factors take longer than anybody waits.
ENDLESS = f"factor {(10**40 + 121) * (10**41 + 9)}"

# Functions of our own, put into the worker as `mace.probe` by the interpreter's own start-up hook.
PROBE = """
import os, sys, time, types
probe = types.ModuleType("mace.probe")
def member(function):
    setattr(probe, function.__name__, function)
    return function
@member
def echo(value): return value
@member
def process(): return os.getpid()
@member
def environment(): return dict(os.environ)
@member
def spin():
    while True: pass
@member
def hold(): return len(str(3 ** (10 ** 9)))
@member
def allocate(megabytes): return len(bytearray(megabytes * 2 ** 20))
@member
def fail(text): raise LookupError(text)
@member
def leave(status): os._exit(status)
@member
def noise(value):
    print("x" * 100_000); os.write(1, b"noise"); sys.stdout.flush(); print("y", file=sys.stderr)
    return value
@member
def listen(): return sys.stdin.read()
@member
def nonsense(): return object()
@member
def infinite(): return float("inf")
@member
def flood(count): return "x" * count
@member
def seed(): return [sys.flags.hash_randomization, hash("some text")]
sys.modules["mace.probe"] = probe
slow = types.ModuleType("mace.slow")
def slowly(name):
    time.sleep(1.0)  # as an import would
    return echo
slow.__getattr__ = slowly
sys.modules["mace.slow"] = slow
"""


@pytest.fixture(scope="session")
def probe_path(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("probe")
    (folder / "sitecustomize.py").write_text(PROBE)
    return os.pathsep.join((str(folder), *sys.path))


@pytest.fixture
def computer(probe_path: str) -> Iterator[Computer]:
    with Computer(workers=2, memory_mb=512, environment={"PYTHONPATH": probe_path}) as made:
        yield made


def wait_until(told: Callable[[], bool]) -> None:
    for _ in range(600):
        if told():
            return
        time.sleep(0.05)
    raise AssertionError("it did not happen")


def gone(pid: int) -> bool:
    """Say whether there is no such process; a zombie counts as gone only if it is not ours to bury."""
    try:
        state, parent, *_ = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return True
    return state == "Z" and int(parent) != os.getpid()


def worker_pids() -> set[int]:
    children = Path(f"/proc/{os.getpid()}/task").glob("*/children")
    return {int(pid) for child in children for pid in child.read_text().split()}


def test_it_computes_and_keeps_its_worker(computer: Computer):
    first = computer.compute("mace.probe:process", {}, 5000)
    assert first != os.getpid()
    assert computer.compute("mace.probe:process", {}, 5000) == first
    assert computer.compute("mace.probe:echo", {"value": {"a": [1, None, "ü", 2.5]}}, 5000) == {
        "a": [1, None, "ü", 2.5]
    }


def test_the_mathematics_agent_computes_in_it():
    with Computer() as computer:
        result = computer.compute(WORKER_FUNCTION, worker_arguments("Integrate x^2 dx"), 10_000)
    outcome = outcome_of(result)
    assert isinstance(outcome, MathAnswer)
    assert outcome.text == "∫ x^2 dx = x^3/3 + C"


def test_nothing_is_started_before_it_is_needed():
    before = worker_pids()
    with Computer():
        assert worker_pids() == before


@pytest.mark.parametrize("question", [ENDLESS, "integrate sqrt(tan(x^3 + 1)) sin(ln(x)) dx"])
def test_a_computation_that_does_not_end_is_stopped_and_the_next_one_works(question: str):
    before = worker_pids()
    with Computer(workers=1) as computer:
        computer.compute(WORKER_FUNCTION, worker_arguments("sqrt(2)"), 10_000)
        (worker,) = worker_pids() - before
        with pytest.raises(TimedOut) as stopped:
            computer.compute(WORKER_FUNCTION, worker_arguments(question), 700)
        assert stopped.value.limit_ms == 700
        assert gone(worker)
        answered = computer.compute(WORKER_FUNCTION, worker_arguments("sqrt(2)"), 10_000)
        assert answered["text"] == "sqrt(2) ≈ 1.414213562"
        assert worker not in worker_pids()
    assert worker_pids() == before


def test_a_worker_killed_in_the_middle_is_a_crash_and_the_next_one_works(computer: Computer):
    worker = computer.compute("mace.probe:process", {}, 5000)
    with ThreadPoolExecutor(1) as threads:
        running = threads.submit(computer.compute, "mace.probe:spin", {}, 60_000)
        time.sleep(0.3)
        os.kill(worker, signal.SIGKILL)
        with pytest.raises(Crashed) as crashed:
            running.result()
    assert "-9" in crashed.value.detail
    assert gone(worker)
    assert computer.compute("mace.probe:echo", {"value": 1}, 5000) == 1


def test_a_worker_killed_while_idle_is_not_noticed(computer: Computer):
    worker = computer.compute("mace.probe:process", {}, 5000)
    os.kill(worker, signal.SIGKILL)
    os.waitid(os.P_PID, worker, os.WEXITED | os.WNOWAIT)  # dead, and left for the computer to find
    assert computer.compute("mace.probe:process", {}, 5000) != worker
    assert gone(worker)


def test_what_a_function_needs_to_import_is_not_counted(computer: Computer):
    assert computer.compute("mace.slow:echo", {"value": 7}, 300) == 7


def test_memory_is_limited(computer: Computer):
    with pytest.raises(Crashed) as crashed:
        computer.compute("mace.probe:allocate", {"megabytes": 2048}, 5000)
    assert crashed.value.detail.startswith("MemoryError")
    assert computer.compute("mace.probe:allocate", {"megabytes": 10}, 5000) == 10 * 2**20


def test_an_error_is_named_without_what_it_says(computer: Computer):
    with pytest.raises(Crashed) as crashed:
        computer.compute("mace.probe:fail", {"text": "a secret"}, 5000)
    assert crashed.value.detail.startswith("LookupError at sitecustomize.py:")
    assert "secret" not in str(crashed.value)


@pytest.mark.parametrize(
    ("function", "arguments", "detail"),
    [
        ("leave", {"status": 3}, "the worker ended with status 3"),
        ("nonsense", {}, "TypeError"),
        ("infinite", {}, "ValueError"),
        ("echo", {"wrong": 1}, "TypeError"),
        ("missing", {}, "AttributeError"),
        ("flood", {"count": 9 * 2**20}, "the result is too large"),
    ],
)
def test_no_result_is_a_crash(computer: Computer, function: str, arguments: dict[str, int], detail: str):
    with pytest.raises(Crashed) as crashed:
        computer.compute(f"mace.probe:{function}", arguments, 5000)
    assert crashed.value.detail.startswith(detail)
    assert computer.compute("mace.probe:echo", {"value": "still here"}, 5000) == "still here"


def test_what_a_function_prints_or_reads_does_not_reach_the_pipes(computer: Computer):
    assert computer.compute("mace.probe:noise", {"value": 5}, 5000) == 5
    assert computer.compute("mace.probe:listen", {}, 5000) == ""
    assert computer.compute("mace.probe:echo", {"value": 6}, 5000) == 6


@pytest.mark.parametrize(
    "name",
    ["os:system", "mace:open", "macex.probe:echo", "mace..probe:echo", "mace.probe", "mace.probe:", "mace.probe:a.b",
     "mace.providers.computing:_serve", "mace.probe:__import__", "mace.probe:echo\n", "mace.probe.os:system ", ""],
)  # fmt: skip
def test_only_functions_of_this_package_are_run(computer: Computer, name: str):
    with pytest.raises(ValueError, match="only functions of this package"):
        computer.compute(name, {}, 1000)


@pytest.mark.parametrize("arguments", [{"value": float("nan")}, {"value": "x" * 9 * 2**20}])
def test_arguments_that_cannot_be_sent_are_refused(computer: Computer, arguments: dict[str, object]):
    with pytest.raises(ValueError, match=r"too large|JSON"):
        computer.compute("mace.probe:echo", arguments, 1000)


def test_no_time_left_is_a_time_out_and_starts_nothing(computer: Computer):
    before = worker_pids()
    with pytest.raises(TimedOut):
        computer.compute("mace.probe:echo", {"value": 1}, 0)
    assert worker_pids() == before


def test_large_arguments_and_results_pass(computer: Computer):
    value = "ab" * 10**6
    assert computer.compute("mace.probe:echo", {"value": value}, 20_000) == value


def test_the_worker_sees_nothing_of_the_environment(monkeypatch: pytest.MonkeyPatch, computer: Computer):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-something")
    monkeypatch.setenv("MACE_SECRET", "something")
    assert set(computer.compute("mace.probe:environment", {}, 5000)) == {"PYTHONPATH", "PYTHONHASHSEED", "LC_ALL"}


def test_every_worker_has_the_same_hash_seed(probe_path: str):
    seeds = []
    for _ in range(2):
        with Computer(environment={"PYTHONPATH": probe_path}) as computer:
            seeds.append(computer.compute("mace.probe:seed", {}, 5000))
    assert seeds[0] == seeds[1]
    assert seeds[0][0] == 0


def test_many_threads_get_their_own_answers_from_few_workers(computer: Computer):
    before = worker_pids()
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda n: computer.compute("mace.probe:echo", {"value": n}, 60_000), range(200)))
        assert len(worker_pids() - before) <= 2
    assert answers == list(range(200))


def test_waiting_for_a_free_worker_is_bounded(probe_path: str):
    with Computer(workers=1, environment={"PYTHONPATH": probe_path}) as computer, ThreadPoolExecutor(1) as threads:
        computer.compute("mace.probe:echo", {"value": 1}, 5000)
        running = threads.submit(computer.compute, "mace.probe:spin", {}, 1500)
        time.sleep(0.2)
        with pytest.raises(TimedOut):
            computer.compute("mace.probe:echo", {"value": 1}, 200)
        with pytest.raises(TimedOut):
            running.result()
        assert computer.compute("mace.probe:echo", {"value": 2}, 5000) == 2


def test_closing_ends_everything_and_may_be_repeated(probe_path: str):
    before = worker_pids()
    computer = Computer(environment={"PYTHONPATH": probe_path})
    idle = computer.compute("mace.probe:process", {}, 5000)
    with ThreadPoolExecutor(1) as threads:
        running = threads.submit(computer.compute, "mace.probe:spin", {}, 60_000)
        time.sleep(0.3)
        computer.close()
        with pytest.raises(Crashed):
            running.result()
    computer.close()
    assert gone(idle)
    assert worker_pids() == before
    with pytest.raises(Crashed, match="closed"):
        computer.compute("mace.probe:echo", {"value": 1}, 1000)


def test_one_that_is_forgotten_leaves_no_process(probe_path: str):
    computer = Computer(environment={"PYTHONPATH": probe_path})
    worker = computer.compute("mace.probe:process", {}, 5000)
    del computer
    gc.collect()
    assert gone(worker)


def test_no_pipe_is_left_open_after_many_stops(probe_path: str):
    def open_files() -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    with Computer(workers=1, environment={"PYTHONPATH": probe_path}) as computer:
        computer.compute("mace.probe:echo", {"value": 1}, 5000)
        before = open_files()
        for _ in range(5):
            with pytest.raises(TimedOut):
                computer.compute("mace.probe:spin", {}, 50)
            computer.compute("mace.probe:echo", {"value": 1}, 5000)
        assert open_files() == before


def test_an_interrupted_wait_gives_nobody_the_old_answer(computer: Computer):
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    worker = computer.compute("mace.probe:process", {}, 5000)
    former = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(KeyboardInterrupt):
            computer.compute("mace.probe:spin", {}, 60_000)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, former)
    assert gone(worker)
    assert computer.compute("mace.probe:echo", {"value": 3}, 5000) == 3


PARENT = """
import sys, threading, time
from mace.providers.computing import Computer
computer = Computer(environment={"PYTHONPATH": sys.argv[1]})
print(computer.compute("mace.probe:process", {}, 5000), flush=True)
if sys.argv[2] != "idle":
    limit = int(sys.argv[3])
    threading.Thread(target=computer.compute, args=("mace.probe:" + sys.argv[2], {}, limit), daemon=True).start()
time.sleep(0.5)
print("ready", flush=True)
time.sleep(600)
"""


@pytest.mark.parametrize(("doing", "limit_ms"), [("idle", 0), ("spin", 600_000), ("hold", 1000)])
def test_a_worker_dies_with_its_parent_however_that_died(probe_path: str, doing: str, limit_ms: int):
    """Also in the middle of a loop, and (by the kernel's clock) of one long operation that lets no thread run."""
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, probe_path, doing, str(limit_ms)],
        stdout=subprocess.PIPE,
        env={"PYTHONPATH": probe_path},
        text=True,
    )
    assert parent.stdout is not None
    worker = int(parent.stdout.readline())
    assert parent.stdout.readline() == "ready\n"
    parent.kill()
    parent.wait()
    parent.stdout.close()
    wait_until(lambda: gone(worker))


def test_a_forked_child_has_workers_of_its_own(probe_path: str):
    program = textwrap.dedent("""
        import os, sys
        from mace.providers.computing import Computer
        with Computer(environment={"PYTHONPATH": sys.argv[1]}) as computer:
            ours = computer.compute("mace.probe:process", {}, 5000)
            child = os.fork()
            if child == 0:
                theirs = computer.compute("mace.probe:process", {}, 5000)
                computer.close()
                os._exit(0 if theirs != ours else 1)
            assert os.waitpid(child, 0)[1] == 0
            assert computer.compute("mace.probe:process", {}, 5000) == ours
    """)
    subprocess.run([sys.executable, "-c", program, probe_path], check=True, env={"PYTHONPATH": probe_path})


def test_importing_the_provider_imports_no_computer_algebra():
    program = "import sys, mace.providers.computing; assert 'sympy' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True, env={"PYTHONPATH": os.pathsep.join(sys.path)})


def test_threads_are_not_needed_by_the_parent(computer: Computer):
    before = threading.active_count()
    computer.compute("mace.probe:echo", {"value": 1}, 5000)
    assert threading.active_count() == before
