"""A process that appends and acknowledges, and may be killed at a named boundary of a named append.

    python appender.py SETTINGS_JSON BOUNDARY NTH COUNT ACKS [THREADS]

Each acknowledged event is written to ACKS as `stream index hash` before its thread appends again. A thread appends
to a stream of its own and to one that all processes share.
"""

import json
import os
import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from mace import wiring
from mace.settings import Settings


def main() -> None:
    settings, boundary, nth, count, acks = sys.argv[1:6]
    threads = int(sys.argv[6]) if len(sys.argv) > 6 else 1
    hits = 0

    def hook(name: str) -> None:
        nonlocal hits
        if armed and name == boundary:
            hits += 1
            if hits == int(nth):
                os.kill(os.getpid(), signal.SIGKILL)

    armed = False
    mace = wiring.open_mace(settings=Settings(**json.loads(settings)), boundary=hook)
    recorder = mace._parts.recorder
    armed = True

    def work(thread: int) -> None:
        for number in range(int(count)):
            seed = "shared" if threads > 1 and number % 3 == 2 else f"job of {os.getpid()}/{thread}"

            def unit(tx: Any, number: int = number, seed: str = seed) -> str:
                origin = recorder.open(tx, seed, {"verb": "test"})
                event = recorder.append(tx, origin, "SEM_PUT", {"number": number})
                return f"{event.stream} {event.sequence_index} {event.hash.hex()}\n"

            acknowledged = mace._parts.world.store.write(unit)
            os.write(file, acknowledged.encode())  # one write: whole, whatever the other threads do

    file = os.open(acks, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, range(threads)))
    armed = False
    mace.close()


if __name__ == "__main__":
    main()
