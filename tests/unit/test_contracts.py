"""The import contracts hold, say what CONTRIBUTING says, and each notices what it forbids; and where tests lie."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
_LINT = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))"
_LAYERS = "A module imports what stands to its right, never to its left, never beside it"
_DOORS = "Doors call the engine and never reach round it"
_ADAPTERS = "Only wiring names an adapter"
_DOOR_MAY_IMPORT = {"interfaces", "wiring", "settings", "engine", "core", "version"}

_MISTAKES = [
    ("a door reads a room", "interfaces/cli/fact.py", "from mace.memory.keys import parse_key", _DOORS),
    ("a door does so late", "interfaces/cli/doctor.py", "def _late():\n    import mace.ledger.checkpoint", _DOORS),
    ("a door names an adapter", "interfaces/cli/errors.py", "from mace.providers.system import SystemClock", _ADAPTERS),
    ("the engine names a provider", "engine/sweep.py", "from mace.providers.computing import Computer", _ADAPTERS),
    ("the engine names a model's adapter", "engine/sweep.py", "import mace.providers.models.wire", _ADAPTERS),
    ("the engine names a store", "engine/sweep.py", "from mace.storage.sqlite import SqliteStore", _ADAPTERS),
    ("a provider knows a store's rows", "providers/shelf.py", "from mace.storage.ports import Tx", _LAYERS),
    ("a room nobody placed", "annex.py", '"""Outside of the order."""', _LAYERS),
    ("a door nobody placed", "interfaces/fax.py", '"""One more."""', "Doors stand on each other in one order"),
    ("a store knows another", "storage/leveldb/view.py", "import mace.storage.sqlite", "A store knows no other store"),
]


def _contracts() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    return found


def _contract(name: str) -> dict[str, Any]:
    return next(item for item in _contracts() if item["name"] == name)


def _lint(folder: Path) -> tuple[int, str]:
    environment = {**os.environ, "PYTHONPATH": str(folder / "src"), "COLUMNS": "200"}
    command = [sys.executable, "-c", _LINT]
    ran = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return ran.returncode, ran.stdout + ran.stderr


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The sources and their contracts, to be spoilt."""
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def test_all_contracts_hold(copy: Path):
    code, said = _lint(copy)
    assert code == 0, said
    assert f"{len(_contracts())} kept, 0 broken" in said


@pytest.mark.parametrize(
    ("file", "line", "contract"), [row[1:] for row in _MISTAKES], ids=[row[0] for row in _MISTAKES]
)
def test_a_planted_mistake_is_noticed_by_its_contract(copy: Path, file: str, line: str, contract: str):
    target = copy / "src" / "mace" / file
    before = target.read_text("utf-8") if target.exists() else ""
    target.write_text(f"{before}\n{line}\n", "utf-8")
    code, said = _lint(copy)
    assert code == 1
    assert f"{contract} BROKEN" in said


def test_doors_are_kept_from_every_room_that_contributing_does_not_name():
    rooms = {
        item.stem for item in (ROOT / "src" / "mace").iterdir() if item.name[0] not in "_." and item.suffix != ".typed"
    }
    public = {"agent", "bridges", "solver", "testing"}  # above the doors: the order of layers keeps doors from them
    forbidden = {name.removeprefix("mace.") for name in _contract(_DOORS)["forbidden_modules"]}
    assert forbidden == rooms - _DOOR_MAY_IMPORT - public


def test_unit_tests_lie_in_the_folders_of_the_sources():
    unit = ROOT / "tests" / "unit"
    folders = {file.parent.relative_to(unit) for file in unit.rglob("test_*.py")}
    assert [str(folder) for folder in folders if not (ROOT / "src" / "mace" / folder).is_dir()] == []


def test_contributing_shows_the_layers_as_they_are_enforced_and_every_contract():
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    drawn = re.search(r"## The one rule\n\n((?:    .*\n)+)", text)
    assert drawn is not None
    shown = [layer.strip() for layer in " ".join(drawn[1].split()).split("->")]
    enforced = [layer for layer in _contract(_LAYERS)["layers"] if not layer.startswith("(")]
    assert shown == enforced
    for contract in _contracts():
        assert f"| {contract['name']} |" in text
