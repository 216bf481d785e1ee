"""A process that appends to a context store and acknowledges, and may be killed at a named step of a named append.

    python noter.py SETTINGS_JSON STORE NAME STEP NTH COUNT ACKS

Each acknowledged append is written to ACKS as a line of its ids, before the next one begins. Every append has three
records and the idempotency key `NAME-NUMBER`.
"""

import json
import os
import signal
import sys
from typing import Any

from mace import wiring
from mace.settings import Settings
from mace.storage.jsonl.appending import LockedStore

STEPS = ("started", "byte", "line", "all_but_one", "written", "synced", "told")


def texts(name: str, number: int) -> list[str]:
    return [f"{name} {number} {place} " + "ż" * 40 * place for place in range(3)]


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def main() -> None:
    settings, store, name, step, nth, count, acks = sys.argv[1:]
    seen = 0
    append = LockedStore.append

    def dying(self: Any, data: bytes) -> None:
        nonlocal seen
        seen += 1
        if seen == int(nth):
            upto = {"started": 0, "byte": 1, "line": data.index(b"\n", 1) + 1, "all_but_one": len(data) - 1}
            if step in upto or step == "written":
                os.write(self._number, data[: upto.get(step, len(data))])
                _die()
        append(self, data)
        if seen == int(nth) and step == "synced":
            _die()

    LockedStore.append = dying  # type: ignore[method-assign]
    file = os.open(acks, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    with wiring.open_mace(settings=Settings(**json.loads(settings))) as mace:
        for number in range(1, int(count) + 1):
            answer = mace.context.append(store, texts(name, number), idempotency_key=f"{name}-{number}")
            assert answer["success"], answer
            if step == "told" and number == int(nth):
                _die()
            os.write(file, (" ".join(answer["memory_ids"]) + "\n").encode())


if __name__ == "__main__":
    main()
