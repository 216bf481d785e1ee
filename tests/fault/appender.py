"""A process that appends and acknowledges, and may be killed at a named boundary of a named append.

    python appender.py SETTINGS_JSON BOUNDARY NTH COUNT ACKS

Each acknowledged event is written to ACKS as `stream index` before the next append begins.
"""

import json
import os
import signal
import sys
from typing import Any

from mace import wiring
from mace.settings import Settings


def main() -> None:
    settings, boundary, nth, count, acks = sys.argv[1:6]
    hits = 0

    def hook(name: str) -> None:
        nonlocal hits
        if armed and name == boundary:
            hits += 1
            if hits == int(nth):
                os.kill(os.getpid(), signal.SIGKILL)

    armed = False
    mace = wiring.open_mace(settings=Settings(**json.loads(settings)), boundary=hook)
    recorder = mace._recorder
    armed = True
    with open(acks, "a") as file:
        for number in range(int(count)):

            def unit(tx: Any, number: int = number) -> str:
                origin = recorder.open(tx, f"job of {os.getpid()}", {"verb": "test"})
                event = recorder.append(tx, origin, "SEM_PUT", {"number": number})
                return f"{event.stream} {event.sequence_index}"

            print(mace._world.store.write(unit), file=file, flush=True)
    armed = False
    mace.close()


if __name__ == "__main__":
    main()
