"""Whatever happens to a store and to its cache, in any order, the packages of both scorers are the references'.

Runs of random mishaps: appends, edits that keep size and mtime, cuts, replacements; damage at any byte of any file of
the cache, deletion of any of them, an older cache put back. And a disk that is really full.
"""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import phase7_reference
from context_reference import context_package
from mace.memory import context
from mace.memory.context import controller
from mace.storage.jsonl import JsonlStores

LATER_NS = 10_000_000_000
EXAMPLES = max(40, int(os.environ.get("CONTEXT_EXAMPLES", "400")) // 10)


def line(number: int) -> bytes:
    record = {"memory_id": f"m{number % 9}", "text": f"record w{number % 7} v{number % 5}", "tags": [f"t{number % 3}"]}
    if number % 4:
        record["ts_utc"] = f"2024-01-01T00:00:{number % 60:02d}Z"
    return json.dumps(record).encode()


steps = st.lists(
    st.tuples(
        st.sampled_from(
            ["append", "append bytes", "edit", "cut", "replace", "flip", "shorten", "delete", "put back", "new reader"]
        ),
        st.integers(0, 10_000),
    ),
    min_size=1,
    max_size=8,
)


def plainly(request: dict[str, Any]) -> dict[str, Any]:
    """The package of a scorer without an index, by a reader without a cache."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(controller.SCORERS, "phase7-v1", phase7_reference.score_candidates)
        package = context.read(request, JsonlStores(context, None, time.time_ns))
        assert isinstance(package, context.ContextPackage)
        return package.as_dict()


class Place:
    def __init__(self, root: Path) -> None:
        self.store, self.cache, self.older = root / "s.jsonl", root / "cache", root / "older"
        self.store.write_bytes(b"\n".join(map(line, range(30))) + b"\n")
        self.readers = [self.reader()]
        self.check()
        shutil.copytree(self.cache, self.older)

    def reader(self) -> JsonlStores:
        return JsonlStores(context, str(self.cache), lambda: time.time_ns() + LATER_NS, bytes(32))

    def check(self) -> None:
        request = {
            "query": "w3 v2 record",
            "store_paths": [str(self.store)],
            "budget": {"max_excerpt_tokens": 12},
        }
        talk = {**request, "controller_version": "phase7-v1"}
        for asked, expected in ((request, context_package(request)), (talk, plainly(talk))):
            for reader in self.readers:
                package = context.read(asked, reader)
                assert isinstance(package, context.ContextPackage)
                assert package.as_dict() == expected

    def do(self, step: str, number: int) -> None:
        data = self.store.read_bytes()
        files = sorted(path for path in self.cache.rglob("*") if path.is_file())
        chosen = files[number % len(files)] if files else None
        if step == "append":
            with self.store.open("ab") as file:
                file.write(b"\n".join(line(number + at) for at in range(number % 5)) + b"\n")
        elif step == "append bytes":
            with self.store.open("ab") as file:
                file.write([b"\xff", b"{", b"\r", b"\xe6\x97", line(number)][number % 5])
        elif step == "edit" and data:
            status = self.store.stat()
            with self.store.open("r+b") as file:
                file.seek(number % len(data))
                file.write(b"7")
            os.utime(self.store, ns=(status.st_atime_ns, status.st_mtime_ns))
        elif step == "cut":
            os.truncate(self.store, number % (len(data) + 1))
        elif step == "replace":
            other = self.store.with_name("other")
            other.write_bytes(b"\r\n".join(map(line, range(number % 40))))
            other.replace(self.store)
        elif step == "flip" and chosen is not None and chosen.stat().st_size:
            with chosen.open("r+b") as file:
                file.seek(number % chosen.stat().st_size)
                byte = file.read(1)
                file.seek(-1, os.SEEK_CUR)
                file.write(bytes([byte[0] ^ (1 << number % 8)]))
        elif step == "shorten" and chosen is not None:
            os.truncate(chosen, number % (chosen.stat().st_size + 1))
        elif step == "delete" and chosen is not None:
            chosen.unlink()
        elif step == "put back":
            shutil.rmtree(self.cache, ignore_errors=True)
            shutil.copytree(self.older, self.cache)
        elif step == "new reader":
            self.readers = [*self.readers[-1:], self.reader()]


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(steps)
def test_any_run_of_mishaps_leaves_the_package_right(run: list[tuple[str, int]]) -> None:
    with TemporaryDirectory() as folder:
        place = Place(Path(folder))
        for step, number in run:
            place.do(step, number)
            place.check()
        place.readers = [place.reader()]
        place.check()


def test_damage_at_every_byte_of_a_manifest_is_noticed(tmp_path: Path) -> None:
    place = Place(tmp_path)
    (manifest,) = place.cache.rglob("manifest")
    whole = manifest.read_bytes()
    for at in range(0, len(whole), 7):
        manifest.write_bytes(whole[:at] + bytes([whole[at] ^ 16]) + whole[at + 1 :])
        place.readers = [place.reader()]
        place.check()


ASK = (
    "import sys, time\n"
    "from mace.memory import context\n"
    "from mace.storage.jsonl import JsonlStores\n"
    "reader = JsonlStores(context, sys.argv[1], time.time_ns, bytes(32))\n"
    "request = {'query': 'w3 v2 record', 'store_paths': [sys.argv[2]], 'budget': {'max_excerpt_tokens': 50}}\n"
    "print(context.read(request, reader).package_hash)\n"
    "print(context.read(request, reader).package_hash)\n"
)


@pytest.mark.parametrize("kilobytes", [4, 16, 64, 128])
def test_a_disk_that_is_really_full_is_done_without(tmp_path: Path, kilobytes: int) -> None:
    store, small = tmp_path / "s.jsonl", tmp_path / "small"
    store.write_bytes(b"\n".join(map(line, range(2000))) + b"\n")
    small.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", str(small)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("mounting a small disk needs rights this process does not have")
    try:
        ran = subprocess.run(
            [sys.executable, "-c", ASK, str(small / "cache"), str(store)], capture_output=True, text=True, check=True
        )
        assert not list(small.rglob("*.index"))
    finally:
        subprocess.run(["umount", str(small)], check=True)
    request = {"query": "w3 v2 record", "store_paths": [str(store)], "budget": {"max_excerpt_tokens": 50}}
    assert ran.stdout.split() == [context_package(request)["package_hash"]] * 2
