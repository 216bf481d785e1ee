"""Stores of earlier versions are brought to today's shape: whole, wherever the process dies, on both engines."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import apsw
import pytest

import older_stores
import places
import services

NAMES = [file.stem for file in older_stores.FILES]
_NOT_COMPARED = {"body", "hash", "signature", "event_id", "wrapped", "sealed", "root", "value"}  # nonces and times

_DIES = """
import os, signal, sys
import apsw
from mace.settings import Settings
from mace.wiring import open_mace

location, shelf, point, many = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
seen = 0

def met(name):
    global seen
    if name == point:
        seen += 1
        if seen == many:
            os.kill(os.getpid(), signal.SIGKILL)

def trace(cursor, sql, bindings):
    met("statement")
    return True

def watch(connection):
    connection.exec_trace = trace

apsw.connection_hooks.append(watch)
settings = Settings(location=location, checkpoint_dir=shelf, checkpoint_interval_ms=0, spill_bytes=65536, user="owner")
open_mace(settings=settings, boundary=met).close()
"""


def run_until(place: places.Place, point: str, many: int) -> int:
    """Open the store in a process of its own that kills itself there; return how it ended."""
    arguments = [place.settings.location, place.settings.checkpoint_dir, point, str(many)]
    return subprocess.run([sys.executable, "-c", _DIES, *arguments], check=False, timeout=120).returncode


def state(place: places.Place) -> dict[str, Any]:
    """Everything that two upgrades of one store have in common: all but nonces, times and what follows from them."""
    found: dict[str, Any] = {}
    with place.sql(keep_triggers=True) as sql:
        for table in place.tables():
            columns = [name for name in place.columns(table) if name not in _NOT_COMPARED]
            found[table] = sorted(repr(row) for row in sql(f"select {', '.join(columns)} from {table}"))
        found["signed by"] = [row[0].partition(":")[0] for row in sql("select signature from events order by position")]
        if place.kind == "sqlite":
            found["schema"] = sorted(map(repr, sql("select type, name, sql from sqlite_master")))
    kept = json.loads((place.folder / "keys.json").read_text())
    found["keys"] = {name: kept[name] for name in ("hmac", "separated_at", "log_name", "master")}
    return found


def assert_whole(place: places.Place, file: Path) -> None:
    with place.open() as mace:
        checked = mace.verify()
        assert checked["findings"] == []
        types = [event["event_type"] for event in mace.events("system")]
        assert types.count("KEYS_SEPARATED") == 1
        assert types.count("REGISTRY_REPAIRED") == 1
        assert types.index("ROWS_ADOPTED") < types.index("KEYS_SEPARATED")
        outcomes = [mace.replay(told["job_id"])["result"] for told in older_stores.manifest(file)["questions"]]
        assert set(outcomes) == {"MATCH"}


@contextmanager
def at_every_statement(what: Any) -> Iterator[None]:
    """Call something before each statement of each connection that is opened meanwhile."""

    def trace(_cursor: apsw.Cursor, _sql: str, _bindings: Any) -> bool:
        what()
        return True

    def watch(connection: apsw.Connection) -> None:
        connection.exec_trace = trace

    apsw.connection_hooks.append(watch)
    try:
        yield
    finally:
        apsw.connection_hooks.remove(watch)


def copy_files(place: places.SqlitePlace, to: Path) -> places.SqlitePlace:
    made = places.SqlitePlace(to)
    shutil.copytree(place.folder, made.folder, dirs_exist_ok=True)
    shutil.copytree(place.settings.checkpoint_dir, made.settings.checkpoint_dir, dirs_exist_ok=True)
    return made


@pytest.mark.parametrize("file", older_stores.FILES, ids=NAMES)
def test_whatever_a_dying_process_leaves_is_brought_to_the_same_end(file: Path, tmp_path: Path):
    """A killed process leaves its files as they are: all that lay there before any statement are opened again."""
    place = older_stores.unpack(file, tmp_path / "first")
    left: dict[str, places.SqlitePlace] = {}
    statements = 0

    def look() -> None:
        nonlocal statements
        statements += 1
        lying = sorted(item for item in place.folder.rglob("*") if item.is_file() and item.suffix != ".db-shm")
        digest = sha256()
        for item in lying:
            digest.update(item.name.encode() + b"\0" + item.read_bytes())
        if digest.hexdigest() not in left:
            left[digest.hexdigest()] = copy_files(place, tmp_path / f"left-{len(left)}")

    with at_every_statement(look):
        place.open().close()
    assert statements > 120
    expected = state(place)
    assert_whole(place, file)
    assert len(left) > 2  # as it was, after the steps, after the unit of the upgrade
    for copied in left.values():
        copied.open().close()
        assert state(copied) == expected
    for copied in list(left.values())[-3:]:
        assert_whole(copied, file)


@pytest.mark.parametrize("many", [1, 20, 60, 100, 130, 145])
@pytest.mark.parametrize("file", older_stores.FILES, ids=NAMES)
def test_killed_before_a_statement_it_is_done_by_the_next_opening(file: Path, many: int, tmp_path: Path):
    whole = older_stores.unpack(file, tmp_path / "whole")
    whole.open().close()
    place = older_stores.unpack(file, tmp_path / "killed")
    assert run_until(place, "statement", many) == -9
    place.open().close()
    assert state(place) == state(whole)
    assert_whole(place, file)


@pytest.mark.parametrize("steps", [None, 5])
@pytest.mark.parametrize("file", older_stores.FILES, ids=NAMES)
def test_an_older_store_on_a_server(
    file: Path,
    steps: int | None,
    tmp_path: Path,
    databases: services.Databases,
    monkeypatch: pytest.MonkeyPatch,
):
    place = older_stores.on_postgres(file, tmp_path, databases, monkeypatch, steps)
    place.open().close()
    upgraded = state(place)
    assert_whole(place, file)
    twice = older_stores.on_postgres(file, tmp_path / "again", databases, monkeypatch, steps)
    for point in ("after unit", "before insert", "after insert", "before commit", "after commit"):
        assert run_until(twice, point, 1) == -9
    twice.open().close()
    assert state(twice) == upgraded
    assert_whole(twice, file)
