"""A MACE on a disk that really is full: run in a mount namespace of its own, tells what happened as JSON.

    unshare -m python full_disk.py FOLDER      (as root; others: unshare -rm)

FOLDER/disk becomes a small file system in memory; checkpoints are kept outside it.
"""

import json
import subprocess
import sys
from pathlib import Path

import orjson

from mace.core.errors import MaceError, StorageFull
from mace.settings import Settings
from mace.wiring import open_mace
from payloads import log_payload


def fill(disk: Path) -> Path:
    """Take all the space there is."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file:
        for size in (1 << 16, 1 << 12, 1 << 8, 1):
            try:
                while True:
                    file.write(b"x" * size)
            except OSError:
                continue
    return filler


def main() -> None:
    disk = Path(sys.argv[1]) / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", disk], check=True)
    settings = Settings(
        location=str(disk / "mace"),
        checkpoint_dir=str(Path(sys.argv[1]) / "checkpoints"),
        checkpoint_interval_ms=0,
        spill_bytes=64 * 1024,
    )
    told: dict[str, object] = {}
    with open_mace(settings=settings) as mace:
        for number in range(5):
            mace.write_reflective_log(log_payload(str(number)))
        before = mace.describe()["events"]
        filler = fill(disk)
        failures = []
        for number in range(400):  # what fits into pages that were taken before is still stored
            try:
                mace.write_reflective_log(log_payload(f"full {number}", final_answer="y" * 20_000))
                before = mace.describe()["events"]
            except MaceError as error:
                failures.append((type(error).__name__, error.details.get("spilled"), error.user_message))
                if len(failures) == 3:
                    break
        told["failures"] = failures
        told["events_grew"] = mace.describe()["events"] - before
        told["waiting"] = mace.describe()["spilled_waiting"]
        told["good_while_full"] = mace.verify(read_only=True)["ok"]
        try:
            open_mace(settings=Settings(location=str(disk / "another"), checkpoint_dir=settings.checkpoint_dir))
            told["new_place_on_a_full_disk"] = "opened"
        except StorageFull as error:
            told["new_place_on_a_full_disk"] = type(error).__name__
        filler.unlink()
        mace.write_reflective_log(log_payload("after"))
        kinds = [event["event_type"] for event in mace.events("system")]
        told["recorded"] = [kinds.count("STORAGE_FULL"), kinds.count("SPILL_MERGED")]
        told["waiting_after"] = mace.describe()["spilled_waiting"]
        told["good_after"] = mace.verify()["ok"]
    print(orjson.dumps(told).decode() if told else json.dumps(told))


if __name__ == "__main__":
    main()
