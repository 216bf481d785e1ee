"""Compare the speed of two source trees of MACE: is a verb slower than it was?

    python -m benchmarks.compare BEFORE AFTER [--what ask,put] [--rounds 15] [--processes 3]

BEFORE and AFTER are folders with a package `mace` in them, such as `src` of two git worktrees (`git worktree add
../before <commit>`). Each gets several processes, because one process can be a few per cent faster than another of the
same code. They run in turns, so that what else the machine does hits both alike. Shown is the median over the
processes of the least CPU time each one took, and the ratio. The exit code is 1 when a ratio is above `--most`.
"""

import argparse
import gc
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import Any

_FACTS = 50
_PLAIN = "The kettle stands left of the stove, under the blue shelf."
_QUESTIONS = (
    "What is 2+2?",
    "My favorite color is blue",
    "What is my favorite color?",
    "What is the capital of France?",
)


def _works(mace: Any) -> dict[str, tuple[Callable[[int], object], int]]:
    """What can be measured, by name: one call, given its number, and how many are measured together."""
    return {
        "ask": (lambda at: mace.ask(_QUESTIONS[at % len(_QUESTIONS)], user_id="ann"), 20),
        "put": (lambda at: mace.sem_put(f"world/fact/new_{at}/name", {"a": at}, "system_admin"), 200),
        "overwrite": (lambda at: mace.sem_put(f"world/fact/o_{at % _FACTS}/name", {"a": at}, "system_admin"), 200),
        "person": (lambda at: mace.sem_put(f"user/profile/user_ann/k{at % _FACTS}", at, "user", user_id="ann"), 200),
        "new": (lambda at: mace.sem_put(f"user/note/user_{at % _FACTS}/kettle_{at}_new", _PLAIN, "user"), 200),
        "get": (lambda _at: mace.sem_get("world/fact/o_1/name"), 4000),
    }


def child() -> None:
    """Fill a store, then measure what the lines of the input name; answer with microseconds of CPU per call."""
    from mace.settings import Settings
    from mace.wiring import open_mace

    numbers = count(10_000)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        settings = Settings(
            location=str(folder / "mace"), checkpoint_dir=str(folder / "shelf"), checkpoint_interval_ms=0, user="owner"
        )
        with open_mace(settings=settings) as mace:
            works = _works(mace)
            for prepared in ("overwrite", "person", "ask"):
                for at in range(_FACTS):
                    works[prepared][0](at)
            print("ready", flush=True)
            for line in sys.stdin:
                work, times = works[line.strip()]
                gc.collect()
                gc.disable()
                start = time.process_time()
                for _ in range(times):
                    work(next(numbers))
                took = time.process_time() - start
                gc.enable()
                print(took / times * 1e6, flush=True)


class _Tree:
    """A process that runs one of the two trees."""

    def __init__(self, stack: ExitStack, source: Path) -> None:
        root = Path(__file__).parents[1]
        environment = {**os.environ, "PYTHONPATH": f"{source}{os.pathsep}{root}", "PYTHONHASHSEED": "0"}
        command = [sys.executable, "-c", "from benchmarks.compare import child; child()"]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
        assert process.stdin is not None
        assert process.stdout is not None
        stack.enter_context(process)
        stack.callback(process.stdin.close)
        self._to, self._from = process.stdin, process.stdout
        if self._from.readline().strip() != "ready":
            raise RuntimeError(f"{source} could not be measured; what it said is above")

    def run(self, what: str) -> float:
        self._to.write(what + "\n")
        self._to.flush()
        return float(self._from.readline())


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.compare", description="CPU time of two source trees.")
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    known = sorted(_works(None))
    parser.add_argument("--what", default="ask", help=f"comma-separated: {', '.join(known)}")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--processes", type=int, default=3)
    parser.add_argument("--most", type=float, default=1.01, help="the ratio that still passes")
    given = parser.parse_args()
    wanted = given.what.split(",")
    if unknown := sorted(set(wanted) - set(known)):
        parser.error(f"cannot measure {', '.join(unknown)}; there are {', '.join(known)}")
    for source in (given.before, given.after):
        if not (source / "mace" / "__init__.py").is_file():
            parser.error(f"{source} is not a folder with a package mace in it")
    missed = 0
    with ExitStack() as stack:
        trees = [
            [_Tree(stack, source.resolve()) for _ in range(given.processes)] for source in (given.before, given.after)
        ]
        for what in wanted:
            least = [[float("inf")] * given.processes for _ in trees]
            for _ in range(given.rounds):
                for at in range(given.processes):
                    for tree, best in zip(trees, least, strict=True):
                        best[at] = min(best[at], tree[at].run(what))
            before, after = (statistics.median(best) for best in least)
            missed += after / before > given.most
            print(f"{what}: {before:.1f} us before, {after:.1f} us after, ratio {after / before:.3f}", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
