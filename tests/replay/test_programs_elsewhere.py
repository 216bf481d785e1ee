"""Programs replay everywhere: under other hash seeds, zones, locales and Pythons, and with the world closed.

Both an uncut job and one that was killed in the middle and taken up by another process.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import mace
import places
import services
from fault import killing

SEEDS = 30
ZONES = ("UTC", "Pacific/Kiritimati", "America/St_Johns", "Asia/Kathmandu", "Antarctica/Troll")
LOCALES = ("C", "C.UTF-8", "POSIX", "de_DE.UTF-8", "tr_TR.UTF-8", "")
_PATHS = [str(Path(__file__).resolve().parent.parent), str(Path(mace.__file__).resolve().parents[1])]


def _kept(root: Path, name: str, place: places.SqlitePlace, jobs: list[str]) -> None:
    folder = root / name
    shutil.copytree(place.folder, folder)
    programs = ["replay.tree_programs:tree", "replay.tree_programs:async_tree"]
    manifest = {"test": name, "location": "", "agents": {}, "programs": programs, "jobs": jobs}
    (folder / "manifest.json").write_text(json.dumps(manifest))


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with jobs that were left alone, and with jobs that were killed and taken up."""
    root, made = tmp_path_factory.mktemp("made"), tmp_path_factory.mktemp("kept")
    with killing.warm_parent() as warm:
        for name in ("uncut", "killed"):
            (root / name).mkdir()
            place = places.SqlitePlace(root / name)
            for program, nth in (("tree", 23), ("async-tree", 12)):
                calls = root / f"{name} {program}"
                if name == "uncut":
                    said = warm.run("perform", place, program, calls, program=program)
                else:
                    assert "stopped_at" in warm.run("perform", place, program, calls, program=program, stop_at=nth)
                    said = warm.run("resume", place, program, calls, program=program)
                assert said["answer"]["status"] == "closed"
            _kept(made, name, place, [killing.job_of("tree"), killing.job_of("async-tree")])
    yield made
    shutil.rmtree(root)


def replay(python: str, folder: Path, paths: list[str], **environment: str) -> Any:
    """What did not match, or how the process ended."""
    done = subprocess.run(
        [python, "-m", "replay.closed", str(folder)],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(paths), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    return json.loads(done.stdout) if done.stdout else f"ended with {done.returncode}: {done.stderr[-2000:]}"


def test_everywhere(kept: Path):
    def run(seed: int) -> Any:
        zone, words = ZONES[seed % len(ZONES)], LOCALES[seed % len(LOCALES)]
        more = {"PYTHONUTF8": str(seed % 2), "PYTHONCOERCECLOCALE": "0"}
        return replay(
            sys.executable, kept, [*_PATHS, *sys.path], PYTHONHASHSEED=str(seed), TZ=zone, LC_ALL=words, **more
        )

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(run, range(1, SEEDS + 1))) == [[]] * SEEDS


def test_such_a_run_can_fail(kept: Path, tmp_path: Path):
    folder = tmp_path / "kept"
    shutil.copytree(kept, folder)
    file = folder / "uncut" / "manifest.json"
    file.write_text(file.read_text().replace("tree_programs:async_tree", "reaching_program:reaches"))
    found = replay(sys.executable, folder, [*_PATHS, *sys.path])
    assert [(item["test"], item["result"]) for item in found] == [("uncut", "NO_PROGRAM")]


REACHES = """
import os, socket, subprocess, sys
sys.path[:0] = {paths!r}
from replay.closed import Shut, close_the_world
close_the_world()
tries = [
    lambda: socket.create_connection(("127.0.0.1", 9)),
    lambda: socket.socket(),
    lambda: socket.getaddrinfo("localhost", 80),
    lambda: subprocess.run(["true"]),
    lambda: os.system("true"),
    os.fork,
]
for number, reach in enumerate(tries):
    try:
        reach()
    except Shut:
        continue
    sys.exit(f"{{number}} got through")
socket.socketpair()
print("all shut")
"""


def test_the_world_is_really_closed():
    done = subprocess.run(
        [sys.executable, "-c", REACHES.format(paths=_PATHS)], capture_output=True, text=True, check=False
    )
    assert done.stdout == "all shut\n", done.stderr


@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13"])
def test_under_another_python(kept: Path, version: str):
    """Named by `MACE_TEST_PYTHON_3_12` and the like, else found on the path; it needs what MACE needs."""
    python = os.environ.get(f"MACE_TEST_PYTHON_{version.replace('.', '_')}") or shutil.which(f"python{version}")
    if sys.version_info[:2] == tuple(map(int, version.split("."))):
        python = sys.executable
    name = f"replay of programs under Python {version}"
    if python is None:
        services.cannot_run(name, "there is no such interpreter")
    can = [
        python,
        "-c",
        "import apsw, cedarpy, click, cryptography, numpy, orjson, phonenumbers, rfc8785, stdnum, sympy",
    ]
    tried = subprocess.run(can, capture_output=True, text=True, check=False)
    if tried.returncode:
        services.cannot_run(name, f"{python} does not run, or has not all that MACE needs")
    assert replay(python, kept, _PATHS) == []
