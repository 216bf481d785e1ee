"""What only databases can break: triggers, migrations, several processes at once, files that are not ours."""

import os
import subprocess
import sys
import uuid
from dataclasses import replace
from pathlib import Path

import apsw
import psycopg
import pytest

import places
from mace.core.errors import IntegrityFailure, PreconditionFailed, ServiceUnavailable
from mace.core.events import Head
from mace.storage.ports import Store
from mace.storage.postgres import PostgresStore
from mace.storage.sql import migrate, statements
from mace.storage.sqlite import SqliteStore
from store_samples import append, event

IMMUTABLE = ("events", "records", "reflective_log_stage0", "sem_history", "key_registry")


def _open(place: places.Place) -> Store:
    """The store alone, without a MACE on it."""
    if isinstance(place, places.SqlitePlace):
        place.folder.mkdir(exist_ok=True)
        return SqliteStore(place.file)
    return PostgresStore(place.settings.location)


@pytest.fixture
def empty_place(place: places.Place, empty_database: str) -> places.Place:
    """A place where nothing was ever opened."""
    if isinstance(place, places.PostgresPlace):
        place.settings = replace(place.settings, location=empty_database)
    return place


@pytest.mark.parametrize("table", IMMUTABLE)
@pytest.mark.parametrize("verb", ["update", "delete", "truncate"])
def test_the_database_itself_refuses_to_change_what_was_written(place: places.Place, table: str, verb: str):
    store = _open(place)
    try:
        store.write(lambda tx: append(tx, "a", 2))
    finally:
        store.close()
    column = place.columns(table)[0]
    statement = {
        "update": f"update {table} set {column} = {column}",
        "delete": f"delete from {table}",
        "truncate": f"truncate {table}",
    }[verb]
    if place.kind == "sqlite":
        if verb == "truncate":
            return  # there is no such statement
        _fill(place, table)  # its triggers fire for rows, so there must be one
    elif (verb, table) == ("delete", "records"):  # so does this one of PostgreSQL
        with place.sql(keep_triggers=True) as sql:
            sql("insert into records values ('attestation', 'a', '', ''::bytea, 's')")
    with place.sql(keep_triggers=True) as sql, pytest.raises((apsw.Error, psycopg.Error), match="refused"):
        sql(statement)


def _fill(place: places.Place, table: str) -> None:
    with place.sql(keep_triggers=True) as sql:
        types = {row[0]: row[1] for row in sql("select name, type from pragma_table_info(?)", (table,))}
        values = {"INTEGER": 7, "REAL": 0.5, "TEXT": "x", "BLOB": b"x"}
        marks = ", ".join("?" * len(types))
        sql(f"insert into {table} values ({marks})", [values[types[name].upper()] for name in types])


def test_the_triggers_are_the_databases_own_words(place: places.Place):
    _open(place).close()
    if place.kind == "sqlite":
        _fill(place, "reflective_log_stage0")
    with place.sql(keep_triggers=True) as sql, pytest.raises((apsw.Error, psycopg.Error), match="stage0 is "):
        sql("update reflective_log_stage0 set final_answer = '1' where log_id = 'x'")


def test_opening_again_runs_no_migration(empty_place: places.Place):
    _open(empty_place).close()
    with empty_place.sql(keep_triggers=True) as sql:
        first = sql("select number, name, sha256 from schema_steps order by number")
    package = f"mace.storage.{empty_place.kind}"
    assert [tuple(row) for row in first] == [step[:3] for step in statements.migrations(package)]
    assert [row[0] for row in first] == list(range(1, len(first) + 1))
    _open(empty_place).close()
    with empty_place.sql(keep_triggers=True) as sql:
        assert sql("select number, name, sha256 from schema_steps order by number") == first


def test_a_database_built_by_an_edited_migration_is_refused(place: places.Place):
    _open(place).close()
    with place.sql(keep_triggers=True) as sql:
        sql("update schema_steps set sha256 = 'other' where number = 1")
    with pytest.raises(PreconditionFailed, match=r"0001_ledger\.sql differs"):
        _open(place)


def test_a_database_of_a_newer_version_is_refused(place: places.Place):
    _open(place).close()
    with place.sql(keep_triggers=True) as sql:
        sql("insert into schema_steps values (9999, '9999_later.sql', 'x')")
    with pytest.raises(PreconditionFailed, match=r"newer than this version of MACE .*9999_later"):
        _open(place)


def test_a_reader_refuses_a_database_that_is_older(place: places.Place):
    _open(place).close()
    with place.sql(keep_triggers=True) as sql:
        sql("delete from schema_steps where number = (select max(number) from schema_steps)")
    with pytest.raises(PreconditionFailed, match="older than this version"):
        if isinstance(place, places.SqlitePlace):
            SqliteStore(place.file, read_only=True)
        else:
            PostgresStore(place.settings.location, read_only=True)


def test_a_migration_that_fails_leaves_nothing(empty_place: places.Place, monkeypatch: pytest.MonkeyPatch):
    package = f"mace.storage.{empty_place.kind}"
    good = statements.migrations(package)
    bad = (len(good) + 1, "9998_bad.sql", "sha", "create table half_done (a integer); select * from nowhere;")
    monkeypatch.setattr(migrate.statements, "migrations", lambda name: [*good, bad])
    with pytest.raises(ServiceUnavailable):
        _open(empty_place)
    assert set(empty_place.tables()) & {"half_done", "events", "schema_steps"} == set()
    monkeypatch.undo()
    _open(empty_place).close()
    assert "events" in empty_place.tables()


def test_a_database_with_a_table_of_streams_goes_on_without_it(
    empty_place: places.Place, monkeypatch: pytest.MonkeyPatch
):
    package = f"mace.storage.{empty_place.kind}"
    steps = statements.migrations(package)
    monkeypatch.setattr(migrate.statements, "migrations", lambda name: steps[:2])
    _open(empty_place).close()
    first = event("a")
    made = [first, event("a", Head(0, first.hash))]
    columns = "position, stream, sequence_index, event_id, event_type, body, hash, signature"
    with empty_place.sql(keep_triggers=True) as sql:
        for at, item in enumerate(made):  # as that version wrote them
            row = (at, item.stream, at, item.event_id, item.event_type, item.body, item.hash, item.signature)
            sql(f"insert into events ({columns}) values (?, ?, ?, ?, ?, ?, ?, ?)", row)
        sql("insert into streams values ('a', 'seed of a', ?, '2026-01-01T00:00:00.000Z')", ("0" * 32,))
    monkeypatch.undo()
    store = _open(empty_place)
    try:
        assert "streams" not in empty_place.tables()
        assert store.read(lambda tx: tx.events.first("a")) == made[0]
        store.write(lambda tx: append(tx, "a", 1))
        assert [row.sequence_index for row in store.read(lambda tx: tx.events.of_stream("a"))] == [0, 1, 2]
    finally:
        store.close()


_OPEN_AND_APPEND = """
import sys
from mace.settings import Settings
from mace.wiring import open_mace

settings = Settings(location=sys.argv[1], checkpoint_dir=sys.argv[2], checkpoint_interval_ms=0, spill_bytes=65536)
sys.stdin.read(1)
with open_mace(settings=settings) as mace:
    mace.rotate_key()
    print(mace.describe()["log_name"])
"""


@pytest.mark.parametrize("processes", [2, 6])
def test_several_processes_open_a_new_place_at_once(empty_place: places.Place, processes: int):
    settings = empty_place.settings
    children = [
        subprocess.Popen(
            [sys.executable, "-c", _OPEN_AND_APPEND, settings.location, settings.checkpoint_dir],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(processes)
    ]
    for child in children:
        assert child.stdin is not None
        child.stdin.write("g")
        child.stdin.flush()
    names = set()
    for child in children:
        out, err = child.communicate(timeout=60)
        assert child.returncode == 0, err
        names.add(out.strip())
    assert len(names) == 1
    with empty_place.open() as mace:
        found = mace.verify()
        assert found["ok"], found
        types = [item["event_type"] for item in mace.events("system")]
        assert found["events"] == len(types)  # one log, and nothing in it but its beginning and a key of each
        assert (types.count("JOB_OPENED"), types.count("KEY_ROTATED")) == (1, processes)
        assert set(types) <= {"JOB_OPENED", "KEY_ROTATED", "SIGNED_ROWS_LISTED"}
        assert mace.describe()["hmac_keys"] == [f"k{number}" for number in range(1, processes + 2)]


def test_threads_of_one_process_open_a_new_place_at_once(empty_place: places.Place):
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(6) as pool:
        opened = list(pool.map(lambda _: empty_place.open(), range(6)))
    names = {mace.describe()["log_name"] for mace in opened}
    for mace in opened:
        mace.close()
    assert len(names) == 1


def test_a_file_that_is_no_database(tmp_path: Path):
    path = tmp_path / "mace.db"
    path.write_bytes(b"this is not a database" * 100)
    with pytest.raises(IntegrityFailure, match="the database file is damaged"):
        SqliteStore(path)


def test_a_folder_that_cannot_be_used(tmp_path: Path):
    with pytest.raises(ServiceUnavailable):
        SqliteStore(tmp_path / "missing" / "mace.db")
    with pytest.raises(ServiceUnavailable):
        SqliteStore(tmp_path / "missing" / "mace.db", read_only=True)


def test_an_unreachable_server_is_told_within_its_time(tmp_path: Path):
    with pytest.raises(ServiceUnavailable) as raised:
        PostgresStore(f"postgresql://someone:secret@/mace?host={tmp_path}", connect_timeout_s=1)
    assert "secret" not in str(raised.value)


def test_the_settings_of_sqlite_are_the_durable_ones(place: places.Place):
    if place.kind != "sqlite":
        return
    store = _open(place)
    try:
        connection = store._writer  # type: ignore[attr-defined]
        assert connection.pragma("journal_mode") == "wal"
        assert connection.pragma("synchronous") == 2
    finally:
        store.close()


def test_the_file_and_the_keys_are_the_owners_alone(mace_home: places.SqlitePlace):
    mace_home.open().close()
    assert oct((mace_home.folder / "keys.json").stat().st_mode & 0o777) == "0o600"
    assert oct(mace_home.folder.stat().st_mode & 0o777) == "0o700"
    assert oct((mace_home.folder / "spill.bin").stat().st_mode & 0o777) == "0o600"
    assert os.listdir(mace_home.folder).count("keys.json") == 1


def test_a_role_that_may_not_make_the_schema_of_peoples_keys_is_told_and_can_be_given_one(empty_database: str):
    role = f"mace_{uuid.uuid4().hex}"
    with psycopg.connect(empty_database, autocommit=True) as admin:
        admin.execute(f"create role {role} login".encode())
        admin.execute(f"grant create on schema public to {role}".encode())
        theirs = empty_database.replace("postgres@", f"{role}@")
        with pytest.raises(PreconditionFailed, match="mace_people"):
            PostgresStore(theirs)
        admin.execute(f"create schema mace_people authorization {role}".encode())
        store = PostgresStore(theirs)
        store.write(lambda tx: tx.vault.add_key("person/a", "", b"a"))
        assert store.read(lambda tx: tx.vault.key("person/a")) == ("", b"a")
        store.close()
        admin.execute(f"drop owned by {role} cascade".encode())
        admin.execute(f"drop role {role}".encode())
