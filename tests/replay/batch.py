"""Replay every kept job of a folder, in this process; say as JSON what did not match.

    PYTHONHASHSEED=7 python -m replay.batch FOLDER

A folder holds one folder per test with a `manifest.json`: where the store is, which agents and programs it had, which
jobs.
"""

import importlib
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from mace.agents.asking import Agent
from mace.core.errors import MaceError
from mace.core.programs import Registered, registered
from mace.settings import Settings
from mace.wiring import open_mace


def agents_named(names: Mapping[str, str]) -> dict[str, Agent]:
    return {agent_id: _named(name) for agent_id, name in names.items()}


def _named(name: str) -> Any:
    module, _, attribute = name.partition(":")
    return getattr(importlib.import_module(module), attribute)


def replay_all(
    settings: Settings,
    agents: Mapping[str, Agent],
    jobs: list[str],
    programs: Mapping[tuple[str, str], Callable[..., Any]],
) -> Iterator[dict[str, Any]]:
    """Yield what did not match; `programs` by name and version, for a test may have given one function two names."""
    try:
        opened = open_mace(settings=settings, read_only=True, agents=agents)
    except MaceError as error:
        yield {"result": error.code, "job_id": None, "first_difference": str(error)}
        return
    with opened as mace:
        known = mace._parts.performing.programs.registry._known  # type: ignore[attr-defined]
        known.update({key: Registered(*key, function) for key, function in programs.items()})
        # A test may erase what it asked; that is no mismatch where the ledger says so.
        erased = bool(mace._parts.world.store.read(lambda tx: tx.events.of_type("DSR_ERASED", 1)))
        for job in jobs:
            try:
                outcome = mace.replay(job)
            except MaceError as error:
                outcome = {"result": error.code, "job_id": job, "first_difference": str(error)}
            if outcome["result"] not in (("MATCH", "INPUT_ERASED") if erased else ("MATCH",)):
                yield outcome


def replay_folder(folder: Path) -> Iterator[dict[str, Any]]:
    manifest = json.loads((folder / "manifest.json").read_text())
    settings = Settings(
        location=manifest["location"] or str(folder),
        keys_file=str(folder / "keys.json"),
        checkpoint_dir=str(folder / "checkpoints"),
        checkpoint_interval_ms=0,
    )
    found = [registered(_named(name)) for name in manifest["programs"]]
    programs = {(item.name, item.version): item.function for item in found}
    for outcome in replay_all(settings, agents_named(manifest["agents"]), manifest["jobs"], programs):
        yield {"test": manifest["test"], **outcome}


def main() -> int:
    kept = sorted(Path(sys.argv[1]).glob("*/manifest.json"))
    wrong = [found for item in kept for found in replay_folder(item.parent)]
    print(json.dumps(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
