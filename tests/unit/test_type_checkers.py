"""What two type checkers say of right and of wrong uses of the surface: nothing, and every mistake.

Both run as a user runs them, on files that import the installed types; nothing is downloaded (pyright comes with its
own copy of Node.js from PyPI).
"""

import importlib.util
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import mace
import services

SOURCE = Path(mace.__file__).parents[1]
ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "tests" / "types"
RIGHT, MISTAKES = FOLDER / "right.py", FOLDER / "mistakes.py"
Reports = dict[Path, dict[int, str]]  # by file and line: everything that was said

_MARK = re.compile(r"# wrong: (\S+)$")
_MYPY = re.compile(r"^(?P<file>[^:]+):(?P<line>\d+): error: (?P<said>.*)$")


def mypy() -> Reports:
    flags = ["--strict", "--no-error-summary", "--hide-error-context", "--no-pretty", "--show-absolute-path"]
    cache = ["--cache-dir", str(ROOT / ".mypy_cache" / "surface")]
    done = _run([sys.executable, "-m", "mypy", *flags, *cache, str(RIGHT), str(MISTAKES)])
    found: Reports = {}
    for line in done.stdout.splitlines():
        said = _MYPY.match(line)
        if said is not None:
            _add(found, Path(said["file"]), int(said["line"]), said["said"])
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return found


def pyright() -> Reports:
    if importlib.util.find_spec("pyright") is None:
        services.cannot_run("pyright on the surface", "pyright is not installed")
    packages = ["--pythonpath", sys.executable]  # whose libraries are looked at
    done = _run([sys.executable, "-m", "pyright", "--outputjson", *packages, "--project", str(FOLDER)])
    assert done.returncode in (0, 1), done.stdout + done.stderr
    told = json.loads(done.stdout)
    assert told["summary"]["filesAnalyzed"] == 2
    found: Reports = {}
    for item in told["generalDiagnostics"]:
        if item["severity"] == "error":
            _add(found, Path(item["file"]), item["range"]["start"]["line"] + 1, item["message"])
    return found


def _add(found: Reports, file: Path, line: int, said: str) -> None:
    held = found.setdefault(file, {})
    held[line] = f"{held[line]}\n{said}" if line in held else said


def _run(command: list[str]) -> "subprocess.CompletedProcess[str]":
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYRIGHT_")}  # no other version
    env = {**kept, "MYPYPATH": str(SOURCE), "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"}
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)


def marked() -> dict[int, str]:
    lines = enumerate(MISTAKES.read_text().splitlines(), 1)
    return {number: said[1] for number, line in lines if (said := _MARK.search(line))}


@pytest.mark.parametrize("checker", [mypy, pyright])
def test_right_uses_pass_and_every_mistake_is_reported(checker: Callable[[], Reports]) -> None:
    found = checker()
    assert found.get(RIGHT, {}) == {}
    said, wanted = found.get(MISTAKES, {}), marked()
    assert len(wanted) > 40
    missed = {number: word for number, word in wanted.items() if word not in said.get(number, "")}
    assert missed == {}
    assert {number: text for number, text in said.items() if number not in wanted} == {}


def test_neither_file_looks_away() -> None:
    for file in (RIGHT, MISTAKES):
        assert not re.search(r"type:\s*ignore|pyright:\s*(ignore|basic)|\bAny\b|\bcast\(", file.read_text())


def test_the_signatures_that_the_page_about_programs_shows(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "programs.md").read_text("utf-8")
    [block] = re.findall(r"^With types, [^\n]*:\n\n```python\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    file = tmp_path / "shown.py"
    file.write_text(block)
    cache = ["--cache-dir", str(ROOT / ".mypy_cache" / "surface")]
    done = _run([sys.executable, "-m", "mypy", "--strict", "--no-error-summary", *cache, str(file)])
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr
    assert block.count("-> ") >= 3
