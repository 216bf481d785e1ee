"""One side in a process of its own: runs what it is told to and answers with wall and CPU seconds.

    python -m benchmarks.jobs.worker SIDE FOLDER

Threads that a side keeps in the background are charged to that side only. Each line of the input is a JSON list: what
to run, and its arguments; each answer is one too: wall seconds, CPU seconds, and what the work returned. Collection of
garbage is off while the clock runs, as everywhere here.
"""

import gc
import json
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from benchmarks.jobs import ours, peers

SIDES: dict[str, Callable[[Path], AbstractContextManager[dict[str, Callable[..., Any]]]]] = {
    "mace": ours.side,
    "langgraph": peers.langgraph,
    "dbos": peers.dbos,
}


def main(side: str, folder: Path) -> None:
    answers, sys.stdout = sys.stdout, sys.stderr  # whatever a side prints is no answer
    with SIDES[side](folder) as works:
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


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
