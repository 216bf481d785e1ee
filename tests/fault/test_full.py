"""No space: nothing is half done, nothing is silent, and what failed is on the record once there is space again."""

import json
import os
import pwd
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import psycopg
import pytest

import places
import services
from mace.core.errors import MaceError, StorageFull
from mace.engine.runtime import Mace
from payloads import log_payload

FULL = "My memory is full right now; I can’t store new information."


def events_of(mace: Mace, kind: str) -> list[dict[str, Any]]:
    return [event["payload"] for event in mace.events("system") if event["event_type"] == kind]


@contextmanager
def no_more_pages(mace: Mace) -> Iterator[None]:
    """SQLite's own limit: the database may not grow."""
    writer = mace._parts.world.store._writer  # type: ignore[attr-defined]
    writer.execute(f"pragma max_page_count = {writer.pragma('page_count')}")
    try:
        yield
    finally:
        writer.execute("pragma max_page_count = 1000000")


def until_full(mace: Mace, name: str) -> StorageFull:
    """Write until the store refuses; what fits into pages that it has is still stored."""
    for number in range(500):
        try:
            mace.write_reflective_log(log_payload(f"{name} {number}", final_answer="y" * 20_000))
        except MaceError as error:
            assert isinstance(error, StorageFull), error
            return error
    raise AssertionError("it never was full")


def test_a_full_database_refuses_and_goes_on_afterwards(mace_home: places.SqlitePlace):
    log_id = log_payload("before")["log_id"]
    with mace_home.open() as mace:
        mace.write_reflective_log(log_payload("before"))
        with no_more_pages(mace):
            error = until_full(mace, "full")
            assert error.code == "STORAGE_FULL"
            assert error.user_message == FULL
            assert error.details["spilled"] is True
            assert mace.describe()["spilled_waiting"] == 1
            left = [mace.recent_logs(999), mace.read_reflective_log(log_id)]
            with pytest.raises(StorageFull):
                mace.amend(log_id, "ana", "x" * 50_000, "note")
            with pytest.raises(StorageFull):
                mace.update_reflective_log(log_id, {"audit_tags": "x" * 50_000})
            assert [mace.recent_logs(999), mace.read_reflective_log(log_id)] == left  # nothing half done
            assert mace.verify(read_only=True)["ok"] is True
        mace.write_reflective_log(log_payload("after"))
        verbs = [entry["verb"] for entry in events_of(mace, "STORAGE_FULL")]
        assert verbs == ["write_reflective_log", "amend", "update_reflective_log"]
        assert sum(entry["entries"] for entry in events_of(mace, "SPILL_MERGED")) == 3
        assert mace.describe()["spilled_waiting"] == 0
        events = mace.describe()["events"]
        mace.write_reflective_log(log_payload("and on"))
        assert mace.describe()["events"] == events + 2
        assert mace.verify()["ok"] is True


def test_what_was_spilled_by_a_process_that_died_is_merged_by_the_next(mace_home: places.SqlitePlace):
    with mace_home.open() as mace, no_more_pages(mace):
        until_full(mace, "full")
    with mace_home.open() as mace:
        assert mace.describe()["spilled_waiting"] == 1
        mace.write_reflective_log(log_payload("after"))
        assert len(events_of(mace, "STORAGE_FULL")) == 1
        assert mace.verify()["ok"] is True


_DIE_BETWEEN = """
import os, signal, sys
from mace.providers.spill import SpillFile
from mace.settings import Settings
from mace.wiring import open_mace
import json

SpillFile.clear = lambda self, merged: os.kill(os.getpid(), signal.SIGKILL)
open_mace(settings=Settings(**json.loads(sys.argv[1]))).rotate_key()
"""


def test_killed_between_the_merge_and_emptying_the_file_nothing_is_there_twice(mace_home: places.SqlitePlace):
    with mace_home.open() as mace, no_more_pages(mace):
        until_full(mace, "full")
        mace._parts.spilling.spill("another", StorageFull("it is full"))
    for _ in range(2):
        settings = json.dumps(asdict(mace_home.settings))
        assert subprocess.run([sys.executable, "-c", _DIE_BETWEEN, settings], check=False).returncode == -9
    with mace_home.open() as mace:
        assert mace.describe()["spilled_waiting"] == 2
        mace.write_reflective_log(log_payload("after"))
        assert len(events_of(mace, "STORAGE_FULL")) == 2
        assert events_of(mace, "SPILL_MERGED") == [{"entries": 2}]
        assert mace.describe()["spilled_waiting"] == 0
        assert mace.verify()["ok"] is True


def test_two_processes_that_merge_lose_nothing_that_is_spilled_meanwhile(mace_home: places.SqlitePlace):
    with mace_home.open() as first, mace_home.open() as second:
        with no_more_pages(first):
            until_full(first, "full")
        seen = first._parts.world.spill.entries()
        first._parts.spilling.merge()
        with no_more_pages(first):
            until_full(first, "full again")
        second._parts.world.spill.clear(seen)  # it had read the file before, and is late
        assert first.describe()["spilled_waiting"] == 1
        first.write_reflective_log(log_payload("after"))
        assert len(events_of(first, "STORAGE_FULL")) == 2


def test_a_spill_file_that_is_full_too_does_not_hide_the_failure(mace_home: places.SqlitePlace):
    with mace_home.open() as mace, no_more_pages(mace):
        told = [until_full(mace, f"round {number}").details["spilled"] for number in range(260)]
    assert told[0] is True
    assert told[-1] is False
    assert sorted(told, reverse=True) == told


def _unshare() -> list[str]:
    how = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-rm"]
    tried = subprocess.run([*how, "mount", "-t", "tmpfs", "tmpfs", "/mnt"], capture_output=True, text=True, check=False)
    if tried.returncode:
        services.cannot_run("a real full disk", tried.stderr.strip() or "no mount namespace of our own")
    return how


def test_a_disk_that_really_is_full(tmp_path: Path):
    tests = str(Path(__file__).parents[1])
    done = subprocess.run(
        [*_unshare(), sys.executable, str(Path(__file__).with_name("full_disk.py")), str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([tests, *sys.path])},
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told == {
        "failures": [["StorageFull", True, FULL]] * 3,
        "events_grew": 0,
        "waiting": 3,
        "good_while_full": True,
        "new_place_on_a_full_disk": "StorageFull",
        "recorded": [3, 1],
        "waiting_after": 0,
        "good_after": True,
    }


@pytest.fixture
def small_tablespace(databases: services.Databases, postgres_url: str, tmp_path: Path) -> Iterator[str]:
    """A tablespace of our own server on a disk of 16 MB."""
    name = "PostgreSQL on a full disk"
    if os.environ.get(services.URL_VARIABLE):
        services.cannot_run(name, "the server is not ours")
    if os.geteuid() != 0:
        services.cannot_run(name, "mounting for the server's user needs root")
    disk = Path(os.environ[services.FOLDER_VARIABLE]) / f"disk-{os.getpid()}"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=16m,mode=755", "tmpfs", disk], capture_output=True, text=True, check=False
    )
    if mounted.returncode:
        services.cannot_run(name, mounted.stderr.strip())
    try:
        folder = disk / "space"
        folder.mkdir()
        owner = pwd.getpwnam("pgserver")
        os.chown(folder, owner.pw_uid, owner.pw_gid)
        space = f"small_{os.getpid()}"
        with psycopg.connect(postgres_url, autocommit=True) as connection:
            connection.execute(f"create tablespace {space} location '{folder}'".encode())
            yield space
            connection.execute(
                "select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = %s", (f"db_{space}",)
            )
            connection.execute(f"drop database if exists db_{space} with (force)".encode())
            connection.execute(f"drop tablespace {space}".encode())
    finally:
        subprocess.run(["umount", "-l", disk], check=False)


def test_a_postgresql_that_has_no_space_left(
    small_tablespace: str, postgres_url: str, databases: services.Databases, tmp_path: Path
):
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(
            f"create database db_{small_tablespace} template template0 encoding 'UTF8' "
            f"tablespace {small_tablespace} strategy file_copy".encode()
        )
    place = places.PostgresPlace(tmp_path, databases, url=services.database_url(postgres_url, f"db_{small_tablespace}"))
    with place.open() as mace:
        mace.write_reflective_log(log_payload("before"))
        error = until_full(mace, "full")
        assert error.user_message == FULL
        assert error.details["spilled"] is True
        content = place.content()
        until_full(mace, "still full")
        assert place.content() == content
        assert mace.describe()["spilled_waiting"] == 2
        with place.sql() as sql:
            sql("drop index reflective_log_by_query")  # an operator makes room
            sql("vacuum full aliases")
        found = mace.verify(read_only=True)["findings"]  # the index that the operator dropped, and nothing else
        assert {item["where"]["name"] for item in found} == {"reflective_log_by_query"}
