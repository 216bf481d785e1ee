"""A process that lives through things, and may be killed between any two steps of it.

    python rememberer.py SETTINGS_JSON MODE COUNT ACKS [POINT NTH]

What was acknowledged is written to ACKS, one id a line, before anything else happens. MODE is one of

    write    write, asking in between
    backlog  write, with nobody to bring it into the store, and end without closing
    flush    bring a backlog into the store, in small steps
    dream    one pass of the Dreamer
    close    write and close at once
    forget   one pass, a long time from now
    undo     roll the last change back
    rebuild  make everything anew, in small steps

POINT is a boundary of the ledger's commit, or one of `before unit`, `after unit` (of either store), `before rows`,
`after rows` (inside a unit of the store of experience); the process dies there at the NTH time.
"""

import json
import os
import signal
import sys
from contextlib import suppress
from datetime import timedelta
from typing import Any

import lived
from mace import wiring
from mace.core.errors import Conflict
from mace.engine.experience import feed, projection
from mace.providers.frozen import FrozenClock
from mace.settings import Settings

PAIRS = 3


class Killer:
    def __init__(self, point: str, nth: int) -> None:
        self.point, self.left = point, nth
        self.armed = False

    def __call__(self, point: str) -> None:
        if self.armed and point == self.point:
            self.left -= 1
            if not self.left:
                os.kill(os.getpid(), signal.SIGKILL)

    def around_units(self, store: Any) -> None:
        write = store.write

        def watched(unit: Any) -> Any:
            self("before unit")
            answer = write(unit)
            self("after unit")
            return answer

        store.write = watched

    def around_rows(self) -> None:
        write = projection._Batch.write

        def watched(batch: Any) -> None:
            self("before rows")
            write(batch)
            self("after rows")

        projection._Batch.write = watched  # type: ignore[method-assign]


def main() -> None:
    given, mode, count, acks = sys.argv[1:5]
    killer = Killer(sys.argv[5], int(sys.argv[6])) if len(sys.argv) > 5 else Killer("", 0)
    mace = wiring.open_mace(settings=Settings(**json.loads(given)), boundary=killer, clock=FrozenClock(lived.NOW))
    x = mace.experience
    if json.loads(given)["experience_store"]:  # else it is the same store, and its units are counted there
        killer.around_units(mace._parts.experience_parts.store)
    killer.around_units(mace._parts.world.store)
    killer.around_rows()
    file = os.open(acks, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    if mode == "backlog":
        mace._parts.experience_parts.chosen.stop()
    killer.armed = True

    def acknowledge(words: str) -> None:
        os.write(file, f"{words}\n".encode())

    if mode in ("write", "backlog", "close"):
        for number in range(int(count)):
            entity = f"path:{number % PAIRS}"
            megram = {"space": lived.SPACE, "entity": entity, "content": f"lesson {number}", "state": "accept"}
            answer = x.write({**megram, "created_at": lived.days_ago(number / 7)}, "solver")
            if not answer["success"]:
                sys.exit(f"{answer['error_code']}")
            acknowledge(f"{answer['megram_id']} {entity}")
            if mode == "write" and number % 4 == 3:
                with suppress(Conflict):  # it may be made anew just now, and says so
                    x.query_mk(lived.SPACE, entity)
    elif mode == "flush":
        feed.STEP = 4
        x.flush()
    elif mode in ("dream", "forget"):
        report = x.dream(lived.NOW + timedelta(days=0 if mode == "dream" else 300))
        for kind in ("promoted", "demoted", "forgotten"):
            for change in report[kind]:
                acknowledge(f"{change['change_id']} {kind}")
    elif mode == "undo":
        for change in x.changes():
            acknowledge(f"{x.roll_back(change['change_id'])['change_id']} undone")
    elif mode == "rebuild":
        feed.STEP = feed.CLEAR_STEP = 4
        acknowledge(f"{x.rebuild()['events']} events")
    if mode == "backlog":
        os._exit(0)
    killer.armed = False
    mace.close()


if __name__ == "__main__":
    main()
