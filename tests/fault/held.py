"""A process that holds a job of a program and waits in it.

    python held.py ARGUMENTS_JSON

It says `waiting` when it waits, goes on when it is sent a line, and says in the end what it was told.
"""

import json
import signal
import sys
from typing import Any

import mace
from mace import wiring
from mace.core import seeds
from mace.providers import heart
from mace.settings import Settings
from replay import held_programs, tree_programs


def wait(where: str) -> None:
    print("waiting", flush=True)
    sys.stdin.readline()


def main(do: str, where: str, seed: str, settings: dict[str, Any], calls: str, beat_s: float, waits: bool) -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a run in the background has it off
    heart.BEAT_S = beat_s
    tree_programs.calls_to = calls
    held_programs.wait = wait if waits else held_programs.wait
    with wiring.open_mace(settings=Settings(**settings), programs=[held_programs.held]) as m:
        try:
            if do == "go":  # both at once
                print("ready", flush=True)
                sys.stdin.readline()
            if do == "perform":
                told: Any = m.perform("held", where, user_id="ana", job_seed=seed)
            else:
                told = m.resume(seeds.job_id(seed))
        except mace.MaceError as error:
            told = {"refused": error.code, "why": str(error)}
        except KeyboardInterrupt:
            told = {"refused": "KeyboardInterrupt"}
        print(json.dumps(told), flush=True)


if __name__ == "__main__":
    main(**json.loads(sys.argv[1]))
