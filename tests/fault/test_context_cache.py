"""A cache that somebody else holds, cuts or removes costs time: never a hang, never the process.

In processes of their own: what is wrong here ends a process with SIGBUS, or never ends.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from context_reference import context_package

_MAKE = """
import fcntl, json, os, sys
from pathlib import Path
import mace
from mace.settings import Settings
root = Path(sys.argv[1])
settings = Settings(location=str(root / "mace"), checkpoint_dir=str(root / "checks"), checkpoint_interval_ms=0,
                    context_cache_dir=str(root / "cache"), context_stores=str(root / "s.jsonl"), agent_timeout_ms=3000)
request = {"query": "w3 v2 record", "store_paths": [str(root / "s.jsonl")], "budget": {"max_excerpt_tokens": 50}}
"""
_CUT = """
with mace.open(settings=settings) as m:
    package = m.memory_read(request)
    again = m.memory_read(request)
    for file in (root / "cache").rglob("*"):
        if file.is_file() and how == "truncate":
            os.truncate(file, 0)
        elif file.is_file():
            file.unlink()
    told = [package["selection"]["dropped"], dict(again), m.memory_read(request)["package_hash"]]
with mace.open(settings=settings) as m:
    print(json.dumps([*told, m.memory_read(request)["package_hash"]]))
"""
_READ = """
with mace.open(settings=settings) as m:
    print(json.dumps(m.memory_read(request)["package_hash"]))
"""
_ASK = """
with mace.open(settings=settings) as m:
    answer = m.ask("What is record w3?")
    print(json.dumps([answer["job_id"], m.replay(answer["job_id"])["result"]]))
"""
_HOLD = """
import fcntl, os, sys
for path in sys.argv[1:]:
    fcntl.flock(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""


def _line(number: int) -> str:
    return json.dumps({"memory_id": f"m{number}", "text": f"record w{number % 7} v{number % 5}"})


@pytest.fixture
def root(tmp_path: Path) -> Path:
    lines = "\n".join(map(_line, range(12_000)))  # so much that its index is a file, not memory
    (tmp_path / "s.jsonl").write_text(lines + "\n")
    os.utime(tmp_path / "s.jsonl", (1, 1))
    return tmp_path


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def _run(root: Path, code: str) -> Any:
    ran = subprocess.run(
        [sys.executable, "-c", _MAKE + code, str(root)],
        env=_environment(),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ran.returncode == 0, (ran.returncode, ran.stderr[-2000:])
    return json.loads(ran.stdout)


def _expected(root: Path) -> dict[str, Any]:
    request = {
        "query": "w3 v2 record",
        "store_paths": [str(root / "s.jsonl")],
        "budget": {"max_excerpt_tokens": 50},
    }
    found: dict[str, Any] = context_package(request)
    return found


@contextmanager
def _held(root: Path) -> Iterator[None]:
    """Another process that holds the lock of every store's folder, and lets go at the end."""
    locks = [str(folder / "lock") for folder in (root / "cache").iterdir()]
    assert locks
    holder = subprocess.Popen(
        [sys.executable, "-c", _HOLD, *locks], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    try:
        yield
    finally:
        holder.communicate()


@pytest.mark.parametrize("how", ["truncate", "unlink"])
@pytest.mark.parametrize("cached", [False, True])
def test_a_cache_that_is_cut_under_an_open_package_ends_nothing(root: Path, how: str, cached: bool):
    if cached:
        _run(root, _READ)
        assert max(file.stat().st_size for file in (root / "cache").rglob("*.index")) > 1 << 20  # it is mapped
    dropped, again, *hashes = _run(root, f"how = {how!r}\n" + _CUT)
    expected = _expected(root)
    assert dropped == expected["selection"]["dropped"]
    assert again == expected
    assert hashes == [expected["package_hash"]] * 2


@pytest.mark.parametrize("state", ["whole", "manifest gone", "store changed"])
def test_a_lock_that_is_never_let_go_costs_time_only(root: Path, state: str):
    _run(root, _READ)
    if state == "manifest gone":
        next((root / "cache").rglob("manifest")).unlink()
    elif state == "store changed":
        with (root / "s.jsonl").open("a") as file:
            file.write(_line(5000) + "\n")
    with _held(root):
        assert _run(root, _READ) == _expected(root)["package_hash"]
        assert _run(root, _ASK)[1] == "MATCH"
    assert _run(root, _READ) == _expected(root)["package_hash"]


_MANY = """
import resource
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (128, hard))
request["store_paths"] = sorted(str(path) for path in (root / "many").iterdir())
with mace.open(settings=settings) as m:
    told = [m.memory_read(request) for _ in range(2)]
    print(json.dumps([*told, m.sem_get("world/fact/a/b")["exists"]]))
"""


def test_more_stores_than_descriptors_are_read(root: Path):
    (root / "many").mkdir()
    for number in range(200):
        (root / "many" / f"{number:03}.jsonl").write_text(_line(number) + "\n")
    paths = sorted(str(path) for path in (root / "many").iterdir())
    expected = context_package({"query": "w3 v2 record", "store_paths": paths, "budget": {"max_excerpt_tokens": 50}})
    assert _run(root, _MANY) == [expected, expected, False]


def test_a_record_of_a_hundred_megabytes_is_no_record(root: Path):
    """As a record it took a minute and gigabytes; the line is dropped, and said to be."""
    with (root / "s.jsonl").open("w") as file:
        file.write(_line(1) + "\n" + json.dumps({"memory_id": "big", "text": "word " * 20_000_000}) + "\n" + _line(2))
    limited = "import resource\nresource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))\n"
    package = _run(root, limited + _READ.replace('["package_hash"]', ""))
    assert [item["memory_id"] for item in package["selection"]["selected"]] == ["m2", "m1"]
    (dropped,) = package["selection"]["dropped"]
    assert (dropped["memory_id"], dropped["reason"]) == ("", "invalid_record_schema")


_EDITED = """
import mmap
with mace.open(settings=settings) as m:
    m.memory_read(request)
    status = os.stat(root / "s.jsonl")
    with open(root / "s.jsonl", "r+b") as file, mmap.mmap(file.fileno(), 0) as mapped:
        mapped[:] = mapped[:].replace(b"record w3", b"record w4")
        os.utime(root / "s.jsonl", ns=(status.st_atime_ns, status.st_mtime_ns))
        told = m.memory_read(request)
    print(json.dumps(told))
"""


def test_a_store_that_is_edited_through_a_map_is_read_as_it_is(root: Path):
    assert _run(root, _EDITED) == _expected(root)
