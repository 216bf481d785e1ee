"""A warm parent: it has everything imported and forks the processes that a test asks for, in no time.

    python warm.py < COMMANDS > ANSWERS

A command is a line of JSON:

    {"do": "perform", "settings": ..., "program": ..., "seed": ..., "calls": FILE, "stop_at": N}
    {"do": "resume", ...the same...}
    {"do": "reap", "pid": ...}

The first two are done by a forked child, the last by the parent. Each gets one line of JSON as its answer. A child that
comes to its N-th commit (counted from the verb on) says so and stays there, in the store, until somebody kills it.
"""

import json
import os
import sys
import tempfile
import threading
import time
import traceback
from datetime import datetime, timedelta
from typing import Any

import mace
from mace import wiring
from mace.core import seeds
from mace.providers import heart
from mace.providers.system import SystemClock
from mace.settings import Settings
from replay import tree_programs

GIVEN = {"n": 1}


def tell(**said: Any) -> None:
    os.write(1, json.dumps({"pid": os.getpid(), **said}).encode() + b"\n")


class Ticking(SystemClock):
    """A clock that says another millisecond whenever it is asked: each unit has a time of its own."""

    def __init__(self) -> None:
        self._began = super().now()
        self._readings = 0

    def now(self) -> datetime:
        self._readings += 1
        return self._began + timedelta(milliseconds=self._readings)


class Commits:
    """Counts the commits, and stops the process at one of them."""

    def __init__(self, stop_at: int) -> None:
        self.stop_at = stop_at
        self.seen: int | None = None  # None: not counting yet

    def __call__(self, boundary: str) -> None:
        if boundary != "after commit" or self.seen is None:
            return
        self.seen += 1
        if self.seen == self.stop_at:
            tell(stopped_at=self.seen)
            while True:
                time.sleep(3600)


def one_unit_a_commit(m: Any) -> None:
    """Units that come at the same time share a commit; here each has its own, so that every run has as many."""
    store, alone = m._parts.world.store, threading.Lock()
    write = store.write

    def locked(unit: Any) -> Any:
        with alone:
            return write(unit)

    store.write = locked


def child(command: dict[str, Any]) -> None:
    heart.BEAT_S = 1000.0  # beats are commits too
    tree_programs.calls_to = command["calls"]
    commits = Commits(command.get("stop_at", 0))
    settings = Settings(**command["settings"])
    clock = Ticking() if command["do"] == "perform" else None
    m = wiring.open_mace(settings=settings, boundary=commits, clock=clock, programs=tree_programs.ALL)
    if command.get("alone", True):
        one_unit_a_commit(m)
    commits.seen = 0
    job_id = seeds.job_id(command["seed"])
    try:
        if command["do"] == "perform":
            answer = m.perform(command["program"], command.get("given", GIVEN), user_id="ana", job_seed=command["seed"])
        else:
            answer = m.resume(job_id)
    except mace.MaceError as error:
        tell(refused=error.code, why=str(error))
        return
    count = commits.seen
    commits.seen = None
    found = m.verify()
    tell(answer=answer, commits=count, verify=found["findings"] or found["ok"], replay=m.replay(job_id))
    m.close()


def warm_up() -> None:
    """Import all that a job needs, by doing one; nothing of it stays open."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(location=f"{folder}/m", checkpoint_dir=f"{folder}/c", checkpoint_interval_ms=0)
        with wiring.open_mace(settings=settings, programs=tree_programs.ALL) as m:
            for program in (tree_programs.tree, tree_programs.async_tree):
                assert m.replay(m.perform(program, GIVEN, user_id="ana")["job_id"])["result"] == "MATCH"
            assert m.verify()["ok"]
    while threading.active_count() > 1:  # a fork has only the thread that made it
        time.sleep(0.01)


def main() -> None:
    warm_up()
    for line in sys.stdin:
        command = json.loads(line)
        if command["do"] == "reap":
            _, status = os.waitpid(command["pid"], 0)
            tell(reaped=command["pid"], code=os.waitstatus_to_exitcode(status))
            continue
        if os.fork():
            continue
        try:
            child(command)
        except BaseException:
            tell(broken=traceback.format_exc())
        os._exit(0)


if __name__ == "__main__":
    main()
