"""Sides of a benchmark in processes of their own: each is told what to run, and answers with wall and CPU seconds.

    python -m MODULE SIDE FOLDER        where MODULE ends with `serve(SIDES)`

Threads that a side keeps in the background are charged to that side only. Each line of the input is a JSON list: what
to run, and its arguments; each answer is one too: wall seconds, CPU seconds, and what the work returned. Collection of
garbage is off while the clock runs, as everywhere here.
"""

import gc
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

Works = dict[str, Callable[..., Any]]  # what a side can do, by name
Sides = Mapping[str, Callable[[Path], AbstractContextManager[Works]]]


class Took(NamedTuple):
    wall: float
    cpu: float
    came: Any = None


class Worker:
    """A side in its own process, seen from outside."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        self._answer()  # ready

    def run(self, *command: Any) -> Took:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(command) + "\n")
        self._process.stdin.flush()
        return Took(*self._answer())

    def _answer(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"a side of the benchmark ended with {self._process.wait()}; what it said is above")
        return json.loads(line)


@contextmanager
def worker(module: str, side: str) -> Iterator[Worker]:
    """Start a side, in a folder of its own on the disk that this runs on."""
    with tempfile.TemporaryDirectory(prefix="mace-bench-", dir=Path.cwd()) as folder:
        command = [sys.executable, "-m", module, side, folder]
        environment = {**os.environ, "PYTHONHASHSEED": "0"}
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        ) as process:
            try:
                yield Worker(process)
            finally:
                assert process.stdin is not None
                process.stdin.close()


def serve(sides: Sides) -> None:
    """Be the side that the command line names, until the input ends."""
    answers, sys.stdout = sys.stdout, sys.stderr  # whatever a side prints is no answer
    with sides[sys.argv[1]](Path(sys.argv[2])) as works:
        print(json.dumps("ready"), file=answers, flush=True)
        for line in sys.stdin:
            name, *arguments = json.loads(line)
            work = works[name]
            gc.collect()
            gc.disable()
            try:
                wall, cpu = time.perf_counter(), time.process_time()
                came = work(*arguments)
                took = time.perf_counter() - wall, time.process_time() - cpu
            finally:
                gc.enable()
            print(json.dumps([*took, came]), file=answers, flush=True)
