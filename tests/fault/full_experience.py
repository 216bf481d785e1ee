"""Experience on a disk that really is full: run in a mount namespace of its own, tells what happened as JSON.

    unshare -m python full_experience.py FOLDER STORE      (as root; others: unshare -rm)

FOLDER/disk becomes a small file system in memory; checkpoints are kept outside it. STORE is empty, or leveldb.
"""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import lived
from fault.full_disk import fill
from mace.core.errors import MaceError
from mace.providers.frozen import FrozenClock
from mace.settings import Settings
from mace.wiring import open_mace


def main() -> None:
    root = Path(sys.argv[1])
    disk = root / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", disk], check=True)
    settings = Settings(
        location=str(disk / "mace"),
        checkpoint_dir=str(root / "checkpoints"),
        checkpoint_interval_ms=0,
        spill_bytes=64 * 1024,
        experience_store=sys.argv[2],
        dream_settle_ms=3_600_000,
    )
    told: dict[str, object] = {}
    with open_mace(settings=settings, clock=FrozenClock(lived.NOW)) as m:
        x = m.experience
        kept = lived.write(m, "accept", 5)
        x.flush()
        filler = fill(disk)
        refused: set[str] = set()
        for number in range(2000):  # what fits into pages that were taken before is still stored
            megram = {"space": lived.SPACE, "entity": lived.ENTITY, "content": f"{number} " * 900, "state": "accept"}
            answer = x.write(megram, "solver")
            if answer["success"]:
                kept.append(answer["megram_id"])
            else:
                refused.add(answer["error_code"])
                if not answer["user_message"]:
                    refused.add("without a word")
                break
        told["refused"] = sorted(refused)
        told["asked"] = _tried(lambda: x.query_mk(lived.SPACE, lived.ENTITY)["action"])
        told["flushed"] = _tried(lambda: "more" if x.flush() else "done")
        told["dreamt"] = _tried(lambda: "done" if x.dream()["promoted"] is not None else "")
        filler.unlink()
        kept += lived.write(m, "accept", 1)
        lived.assert_follows_from_the_ledger(m)
        lived.assert_sums_right(m)
        rows = [row.megram_id for row in lived.of_pair(m) if row.level == "M"]
        told["kept"] = sorted(rows) == sorted(kept)
        x.dream()
        told["rules"] = len(x.query_c(lived.SPACE, lived.ENTITY))
        told["good_after"] = m.verify()["ok"]
    with open_mace(settings=settings, clock=FrozenClock(lived.NOW)) as m:
        told["kept_by_the_next"] = sorted(row.megram_id for row in lived.of_pair(m) if row.level == "M") == sorted(kept)
    print(json.dumps(told))


def _tried(verb: Callable[[], object]) -> str:
    try:
        return str(verb())
    except MaceError as error:
        return error.code


if __name__ == "__main__":
    main()
