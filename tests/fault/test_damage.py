"""Verification never dies: whatever became of the file, its schema or its rows is named, and the rest is checked."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import attacks
import flips
import mace
import places
import services
from mace.core.errors import IntegrityFailure
from mace.interfaces.cli import main
from mace.ledger import records
from mace.storage.ports import Tx
from mace.storage.postgres import inspecting as on_postgres
from mace.storage.sql import shape

Attack = Callable[[places.Sql], Any]


def _statements(*texts: str) -> Attack:
    return lambda sql: [sql(text) for text in texts]


def _also_change_an_event(place: places.Place) -> int:
    """Some other tampering, which must be found beside everything else; return where."""
    with place.sql() as sql:
        ((position, body),) = sql("select position, body from events where event_type = 'SEM_PUT' order by 1 limit 1")
        sql("update events set body = ? where position = ?", (attacks.changed(body), position))
    return int(position)


# What somebody does to a row of SQLite, where it is to be found, and what else must be said there.
ROWS: dict[str, tuple[Attack, dict[str, Any]]] = {
    "an event's signature is not UTF-8": (
        _statements("update events set signature = cast(x'6b313aff' as text) where position = 0"),
        {"table": "events", "position": 0},
    ),
    "a stream is not UTF-8": (
        _statements("update events set stream = cast(x'ff' as text) where position = 3"),
        {"table": "events", "position": 3},
    ),
    "a record is not UTF-8": (
        _statements("insert into records values ('account', cast(x'7aff' as text), '', x'7b7d', 'k1:00')"),
        {"table": "records", "kind": "account"},
    ),
    "a log is not UTF-8": (
        _statements("update reflective_log_stage0 set final_answer = cast(x'ff' as text) where rowid = 1"),
        {"table": "reflective_log_stage0"},
    ),
    "a note is not UTF-8": (
        _statements("update notes set value = cast(x'ff' as text)"),
        {"table": "notes", "name": "log_name"},
    ),
    "a key is not UTF-8": (
        _statements("update vault_keys set parent = cast(x'ff' as text)"),
        {"table": "vault_keys"},
    ),
    "a table without types, a signature that is null": (
        _statements(
            "create table other (position integer primary key, stream text, sequence_index integer, event_id blob,"
            " event_type text, body blob, hash blob, signature text)",
            "insert into other select * from events",
            "drop table events",
            "alter table other rename to events",
            "update events set signature = null where position = 2",
        ),
        {"table": "events", "position": 2},
    ),
    "a table without types, a body that is text": (
        _statements(
            "create table other (kind, record_key, parent, body, signature, primary key (kind, record_key))",
            "insert into other select * from records",
            "drop table records",
            "alter table other rename to records",
            "update records set body = cast(body as text) where kind = 'sealed_amendment'",
        ),
        {"table": "records", "kind": "sealed_amendment"},
    ),
}


@pytest.fixture
def flipped_base(tmp_path_factory: pytest.TempPathFactory) -> places.SqlitePlace:
    return flips.base(tmp_path_factory)


def _findings(place: places.Place) -> list[dict[str, Any]]:
    with place.open(read_only=True) as mace:
        result = mace.verify()
        assert result["ok"] is False
        return [dict(item) for item in result["findings"]]


def _names(found: list[dict[str, Any]], kind: str, where: dict[str, Any]) -> bool:
    return any(attacks._matches(finding, kind, where) for finding in found)


@pytest.mark.parametrize("name", ROWS)
def test_a_row_that_cannot_be_read_is_named_and_the_rest_is_checked(
    flipped_base: places.Place, tmp_path: Path, name: str
):
    built = attacks.copy_of(flipped_base, tmp_path / "copy")
    attack, where = ROWS[name]
    other = _also_change_an_event(built)
    with built.sql() as sql:
        attack(sql)
    found = _findings(built)
    assert _names(found, "ROW_UNREADABLE", where), found
    assert _names(found, "CONTENT_CHANGED", {"table": "events", "position": other}), found
    with built.open() as mace:
        result = mace.verify()
        assert "not_recorded" not in result
        assert {item["kind"] for item in mace.incidents.list()} == {"INTEGRITY_FAILURE"}
        assert result["incident_id"] is not None
        assert {item["finding_id"] for item in mace.verify()["findings"]} == {
            item["finding_id"] for item in result["findings"]
        }


@pytest.mark.parametrize("name", ROWS)
def test_a_row_that_cannot_be_read_can_be_answered_for(flipped_base: places.Place, tmp_path: Path, name: str):
    built = attacks.copy_of(flipped_base, tmp_path / "copy")
    attack, where = ROWS[name]
    with built.sql() as sql:
        attack(sql)
    attacks.assert_found(built, [("ROW_UNREADABLE", where)])


@pytest.mark.parametrize("column", ["applied", "deleted"])
def test_a_flag_is_0_or_1(place: places.Place, column: str):
    with place.open() as mace:
        mace.raise_for(mace.sem_put("world/fact/tea/colour", "green", "system"))
        assert mace.verify()["ok"]
    with place.sql() as sql:
        sql(f"update sem_history set {column} = 2")
    found = _findings(place)
    assert _names(found, "ROW_UNREADABLE", {"table": "sem_history", "fact_key": "world/fact/tea/colour", "version": 1})


def test_a_log_with_an_unreadable_event_is_exported_without_it(
    mace_home: places.SqlitePlace, cli: Callable[..., tuple[int, str]], tmp_path: Path
):
    attacks.build(mace_home)
    with mace_home.sql() as sql:
        sql("update events set signature = cast(x'6b313aff' as text) where position = 0")
    file = tmp_path / "log.jsonl"
    cli("log", "export", str(file))
    assert file.exists()
    code, told = cli(
        "log", "verify", str(file), "--checkpoint", f"{file}.checkpoint", "--public-key", f"{file}.pub", "--json"
    )
    assert code == 1
    assert "ROW_MISSING" in told


def test_one_unreadable_row_disables_only_itself(mace_home: places.SqlitePlace):
    with mace_home.open() as mace:
        mace.accounts.create("ann", ["viewer"])
        mace.raise_for(mace.sem_put("world/fact/tea/colour", "green", "system"))
    with mace_home.sql() as sql:
        sql("insert into records values ('account', cast(x'7aff' as text), '', x'7b7d', 'k1:00')")
        sql("insert into facts values (cast(x'776f726c64ff' as text), 1, x'7b7d', '', 'system', '2026', 0)")
    with mace_home.open() as mace:
        assert [item["name"] for item in mace.accounts.list()] == ["ann"]
        mace.accounts.create("bob", ["viewer"])
        assert mace.sem_get("world/fact/tea/colour")["value"] == "green"
        assert mace.sem_list("world") == ["world/fact/tea/colour"]
        mace.raise_for(mace.sem_put("world/fact/tea/colour", "black", "system"))


def _without_types(sql: places.Sql, table: str, columns: str) -> None:
    """Put a table in the place of one of MACE's that takes any value."""
    for statement in (
        f"create table other ({columns})",
        f"insert into other select * from {table}",
        f"drop table {table}",
        f"alter table other rename to {table}",
    ):
        sql(statement)


RECORDS = "kind, record_key, parent, body, signature, primary key (kind, record_key)"
EVENTS = "position integer primary key, stream, sequence_index, event_id, event_type, body, hash, signature"


def test_a_value_of_a_wrong_type_is_an_integrity_failure_once_and_then_left_out(mace_home: places.SqlitePlace):
    with mace_home.open() as mace:
        mace.accounts.create("ann", ["viewer"])
    with mace_home.sql() as sql:
        _without_types(sql, "records", RECORDS)
        sql("insert into records values ('account', 'zed', '', 7, null)")
    with mace_home.open() as mace:
        assert [item["name"] for item in mace.accounts.list()] == ["ann"], "a row that no event names is not even read"
        world = mace._parts.world

        def signed(tx: Tx) -> list[str]:
            return [row.key for row in tx.records.scan("account") if records.is_signed(row, world.keys.check)]

        with pytest.raises(IntegrityFailure):
            world.store.read(signed)
        assert world.store.read(signed) == ["ann"]


@pytest.mark.parametrize("change", ["signature = null", "body = 7", "body = cast(body as text)", "parent = null"])
@pytest.mark.parametrize("read_only", [True, False])
def test_an_account_whose_row_cannot_be_read_stops_only_itself(
    mace_home: places.SqlitePlace, change: str, read_only: bool
):
    with mace_home.open() as mace:
        tokens = {}
        for name in ("ann", "bob"):
            mace.accounts.create(name, ["viewer"])
            tokens[name] = mace.accounts.issue_token(name)["token"]
    with mace_home.sql() as sql:
        _without_types(sql, "records", RECORDS)
        sql(f"update records set {change} where kind = 'account' and record_key = 'ann'")
    for first in ("list", "tokens"):  # each in a store that was opened just now
        with mace_home.open(read_only=read_only) as mace:
            if first == "list":
                assert [item["name"] for item in mace.accounts.list()] == ["ann", "bob"]
            assert mace.authenticate(tokens["bob"]).name == "bob"
            with pytest.raises(IntegrityFailure, match="account ann is gone"):
                mace.authenticate(tokens["ann"])
            assert [item["roles"] for item in mace.accounts.list()] == [["viewer"], ["viewer"]]
    with mace_home.open() as mace:
        assert {"ROW_UNREADABLE", "RECORD_MISSING"} <= {item["kind"] for item in mace.verify()["findings"]}
        mace.attest("owner", "Somebody had the database.")
        assert mace.authenticate(tokens["ann"]).name == "ann"


def test_an_account_whose_event_cannot_be_read_is_left_out_of_the_list(mace_home: places.SqlitePlace):
    with mace_home.open() as mace:
        mace.accounts.create("ann", ["viewer"])
        mace.accounts.create("bob", ["viewer"])
    with mace_home.sql() as sql:
        ((position,),) = sql("select position from event_subjects where subject = 'account/ann'")
        _without_types(sql, "events", EVENTS)
        sql("update events set signature = null where position = ?", (position,))
    with mace_home.open(read_only=True) as mace:
        assert [item["name"] for item in mace.accounts.list()] == ["bob"]


SCHEMA: dict[str, tuple[str, dict[str, Any]]] = {
    "drop trigger events_keep_update": ("sqlite", {"type": "trigger", "name": "events_keep_update"}),
    "drop trigger events_keep_place": ("sqlite", {"type": "trigger", "name": "events_keep_place"}),
    "create trigger t before insert on records when new.kind = 'token_revoked' begin select raise(ignore); end": (
        "sqlite",
        {"table": "records", "type": "trigger", "name": "t"},
    ),
    "create view seen as select * from events": ("sqlite", {"type": "view", "name": "seen"}),
    "drop index events_by_id": ("sqlite", {"table": "events", "type": "index", "name": "events_by_id"}),
    "create index more on events (hash)": ("sqlite", {"table": "events", "type": "index", "name": "more"}),
    "alter table notes add column more text": ("sqlite", {"table": "notes", "type": "table", "name": "notes"}),
    "drop table aliases": ("sqlite", {"table": "aliases", "type": "table", "name": "aliases"}),
    "drop trigger events_keep on events": ("postgres", {"table": "events", "type": "trigger", "name": "events_keep"}),
    "alter table events disable trigger events_keep": (
        "postgres",
        {"table": "events", "type": "trigger", "name": "events_keep"},
    ),
    "create or replace function mace_refuse_change() returns trigger language plpgsql as 'begin return null; end'": (
        "postgres",
        {"table": "events", "type": "function", "name": "mace_refuse_change"},
    ),
    "create rule quiet as on insert to records do instead nothing": (
        "postgres",
        {"table": "records", "type": "rule", "name": "quiet"},
    ),
    "create view seen as select * from records": ("postgres", {"table": "records", "type": "view", "name": "seen"}),
    "alter table records enable row level security": (
        "postgres",
        {"table": "records", "type": "table", "name": "records"},
    ),
    "drop index events_by_stream": ("postgres", {"table": "events", "type": "index", "name": "events_by_stream"}),
    "alter table events alter signature drop not null": (
        "postgres",
        {"table": "events", "type": "column", "name": "signature"},
    ),
    "alter table events drop constraint events_from_zero": (
        "postgres",
        {"table": "events", "type": "constraint", "name": "events_from_zero"},
    ),
}


def _schema_is_named(place: places.Place, statement: str) -> None:
    with place.open() as mace:
        mace.raise_for(mace.sem_put("world/fact/tea/colour", "green", "system"))
        assert mace.verify()["ok"]
    other = _also_change_an_event(place)
    with place.sql(keep_triggers=True) as sql:
        sql(statement)
    found = _findings(place)
    assert _names(found, "SCHEMA_CHANGED", SCHEMA[statement][1]), found
    assert _names(found, "CONTENT_CHANGED", {"table": "events", "position": other}), found


@pytest.mark.parametrize("statement", [text for text, about in SCHEMA.items() if about[0] == "sqlite"])
def test_a_changed_schema_is_named_and_the_rest_is_checked(mace_home: places.SqlitePlace, statement: str):
    _schema_is_named(mace_home, statement)


@pytest.mark.parametrize("column", ["type", "name", "tbl_name"])
def test_bytes_in_the_list_of_tables_are_named(mace_home: places.SqlitePlace, column: str):
    attacks.build(mace_home)
    with mace_home.sql(keep_triggers=True) as sql:
        sql("pragma writable_schema = on")
        sql(f"update sqlite_master set {column} = cast({column} as blob) where name = 'events_by_id'")
    assert "SCHEMA_CHANGED" in {item["kind"] for item in _findings(mace_home)}


@pytest.fixture
def server(databases: services.Databases, tmp_path: Path) -> places.PostgresPlace:
    return places.PostgresPlace(tmp_path, databases)


@pytest.mark.parametrize("statement", [text for text, about in SCHEMA.items() if about[0] == "postgres"])
def test_a_changed_schema_of_postgresql_is_named_and_the_rest_is_checked(server: places.PostgresPlace, statement: str):
    _schema_is_named(server, statement)


@pytest.mark.parametrize(
    "table", ["notes", "events", "records", "tiles", "vault_blobs", "megrams", "experience_cursor"]
)
def test_a_dropped_table_is_named_and_the_rest_is_checked(place: places.Place, table: str):
    with place.open() as opened:
        opened.raise_for(opened.sem_put("world/fact/tea/colour", "green", "system"))
    with place.sql(keep_triggers=True) as sql:
        sql(f"drop table {table}")
    told = mace.verify(settings=place.settings)
    found = [dict(item) for item in told["findings"]]
    assert _names(found, "SCHEMA_CHANGED", {"table": table, "type": "table", "name": table}), found
    assert _names(found, "NOT_CHECKED", {"table": table}), found
    assert told["incident_id"] or told["not_recorded"]


def test_what_others_keep_beside_our_tables_is_their_business(place: places.Place):
    with place.open() as mace:
        mace.raise_for(mace.sem_put("world/fact/tea/colour", "green", "system"))
    with place.sql(keep_triggers=True) as sql:
        sql("create table theirs (name text primary key, eventful text)")
        sql("create view of_theirs as select name from theirs")
        sql("create index theirs_by_name on theirs (eventful)")
    with place.open() as mace:
        assert mace.verify()["ok"]


def test_null_and_other_types_on_postgresql_are_named(server: places.PostgresPlace):
    place = server
    with place.open() as mace:
        mace.raise_for(mace.sem_put("world/fact/tea/colour", "green", "system"))
        mace.accounts.create("ann", ["viewer"])
    other = _also_change_an_event(place)
    with place.sql() as sql:
        sql("alter table events alter signature drop not null")
        sql("update events set signature = null where position = 0")
        sql("alter table records alter body type text using encode(body, 'escape')")
    found = _findings(place)
    assert _names(found, "ROW_UNREADABLE", {"table": "events", "position": 0}), found
    assert _names(found, "ROW_UNREADABLE", {"table": "records", "kind": "account"}), found
    assert _names(found, "CONTENT_CHANGED", {"table": "events", "position": other}), found


def test_the_packaged_schema_is_what_the_migrations_make(databases: services.Databases):
    import psycopg

    with psycopg.connect(databases.new()) as connection:
        held = on_postgres.describe(connection)
    assert {tuple(item[:3]): item[3] for item in held} == on_postgres.expected(), "run tests/make_postgres_schema.py"
    assert {item[2] for item in held if item[0] == "table"} >= set(shape.tables())


def test_an_index_without_some_rows_is_found(mace_home: places.SqlitePlace):
    attacks.build(mace_home)
    with mace_home.sql(keep_triggers=True) as sql:
        whole = sql("select sql from sqlite_master where name = 'events_by_stream'")[0][0]
        sql("drop index events_by_stream")
        sql(f"{whole} where position <> 4")
        sql("pragma writable_schema = on")
        sql("update sqlite_master set sql = ? where name = 'events_by_stream'", (whole,))
    found = _findings(mace_home)
    assert _names(found, "FILE_DAMAGED", {"table": "events", "index": "events_by_stream"}), found
    assert not _names(found, "ROW_MISSING", {"table": "events"})  # the row is there: only its index does not know it


def test_events_behind_a_view_are_told_although_nothing_can_be_recorded(mace_home: places.SqlitePlace):
    attacks.build(mace_home)
    with mace_home.sql(keep_triggers=True) as sql:
        sql("alter table events rename to kept")
        sql("create view events as select * from kept where position <> 3")
    with mace_home.open() as mace:
        result = mace.verify()
        assert result["not_recorded"]
        assert _names([dict(item) for item in result["findings"]], "SCHEMA_CHANGED", {"type": "view", "name": "events"})
        assert _names([dict(item) for item in result["findings"]], "ROW_MISSING", {"table": "events", "position": 3})


@pytest.fixture
def cli(
    mace_home: places.SqlitePlace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str]]:
    monkeypatch.setenv("MACE_LOCATION", mace_home.settings.location)
    monkeypatch.setenv("MACE_CHECKPOINT_DIR", mace_home.settings.checkpoint_dir)
    monkeypatch.setenv("MACE_CHECKPOINT_INTERVAL_MS", "0")

    def run(*words: str) -> tuple[int, str]:
        code = main(list(words))
        told = capsys.readouterr()
        return code, told.out + told.err

    return run


def _zero(place: places.SqlitePlace, page: int, at: int = 60, count: int = 200) -> None:
    with place.sql(keep_triggers=True) as sql:
        sql("pragma wal_checkpoint(truncate)")
        size = sql("pragma page_size")[0][0]
    with place.file.open("r+b") as file:
        file.seek((page - 1) * size + at)
        file.write(bytes(count))


def _pages(place: places.SqlitePlace, name: str) -> list[int]:
    with place.sql(keep_triggers=True) as sql:
        return [row[0] for row in sql("select pageno from dbstat where name = ? and pagetype = 'leaf'", (name,))]


@pytest.mark.parametrize("name", ["events", "records", "sqlite_autoindex_records_1", "vault_keys"])
def test_a_damaged_page_is_named_and_the_rest_is_checked(
    mace_home: places.SqlitePlace, cli: Callable[..., tuple[int, str]], name: str
):
    attacks.build(mace_home)
    page = _pages(mace_home, name)[0]
    _zero(mace_home, page, 0)
    found = _findings(mace_home)
    assert any(item["kind"] == "FILE_DAMAGED" and item["where"].get("page") == page for item in found), found
    code, told = cli("log", "verify", "--read-only")
    assert code == 1
    assert "FILE_DAMAGED" in told
    assert "restore a backup" in told
    assert "Try again later" not in told
    code, told = cli("doctor")
    assert code == 1
    assert "restore a backup" in told or "mace log verify" in told


def test_a_checkpoint_published_while_a_damaged_store_is_copied_is_no_finding(
    place: places.Place, monkeypatch: pytest.MonkeyPatch
):
    attacks.build(place)
    with place.sql() as sql:
        if place.kind == "sqlite":
            sql("update reflective_log_stage0 set final_answer = cast(x'ff' as text) where rowid = 1")
        else:
            sql("alter table vault_blobs alter sealed drop not null")
    with place.open() as mace:
        before = [item["finding_id"] for item in mace.verify(read_only=True)["findings"]]
        assert before
        store = mace._parts.world.store
        salvage = store.salvage

        def meanwhile() -> Any:
            copy = salvage()
            attacks.append(mace, "meanwhile", 5)
            mace.checkpoint()
            return copy

        monkeypatch.setattr(store, "salvage", meanwhile)
        assert [item["finding_id"] for item in mace.verify(read_only=True)["findings"]] == before


STEPS = {
    "no text": _statements("update schema_steps set name = cast(x'ff' as text) where number = 3"),
    "another digest": _statements("update schema_steps set sha256 = 'x' where number = 3"),
    "one is missing": _statements("delete from schema_steps where number = 3"),
    "the last is missing": _statements(
        "delete from schema_steps where number = (select max(number) from schema_steps)"
    ),
    "one too many": _statements("insert into schema_steps select 99, name, sha256 from schema_steps where number = 3"),
    "empty": _statements("delete from schema_steps"),
    "gone": _statements("drop table schema_steps"),
}


@pytest.mark.parametrize("attack", STEPS)
def test_a_list_of_steps_that_was_changed_is_found_and_the_rest_is_checked(
    mace_home: places.SqlitePlace, cli: Callable[..., tuple[int, str]], attack: str
):
    attacks.build(mace_home)
    other = _also_change_an_event(mace_home)
    with mace_home.sql(keep_triggers=True) as sql:
        STEPS[attack](sql)
    told_it = mace.verify(settings=mace_home.settings)
    found = [dict(item) for item in told_it["findings"]]
    assert told_it["incident_id"] is None
    assert told_it["not_recorded"].startswith("the store opens for reading only: ")
    assert _names(found, "SCHEMA_CHANGED", {"table": "schema_steps"}), found
    assert _names(found, "CONTENT_CHANGED", {"table": "events", "position": other}), found
    code, told = cli("log", "verify")
    assert code == 1
    assert "Traceback" not in told
    assert "SCHEMA_CHANGED" in told
    assert "CONTENT_CHANGED" in told
    assert "could not be recorded" in told


@pytest.mark.parametrize("name", ["schema_steps", "ledger_head", "sqlite_autoindex_records_1"])
@pytest.mark.parametrize("bit", [1, 16, 128])
def test_a_bit_of_a_root_page_fell_over(
    mace_home: places.SqlitePlace, cli: Callable[..., tuple[int, str]], name: str, bit: int
):
    attacks.build(mace_home)
    other = _also_change_an_event(mace_home)
    with mace_home.sql(keep_triggers=True) as sql:
        sql("pragma wal_checkpoint(truncate)")
        ((page,),) = sql("select rootpage from sqlite_master where name = ?", (name,))
        ((size,),) = sql("pragma page_size")
    data = bytearray(mace_home.file.read_bytes())
    data[(page - 1) * size] ^= bit
    mace_home.file.write_bytes(data)
    code, told = cli("--json", "log", "verify")
    assert code == 1
    assert "FILE_DAMAGED" in told
    assert f"page {page}" in told or f"Tree {page}" in told
    assert "CONTENT_CHANGED" in told
    assert f'"position": {other}' in told or f'"position":{other}' in told


def _assert_recorded(place: places.SqlitePlace, kind: str) -> None:
    with place.open() as mace:
        result = mace.verify()
        assert "not_recorded" not in result
        found = [dict(item) for item in result["findings"]]
        assert _names(found, kind, {"table": "vault_blobs"}), found
        (incident,) = [item for item in mace.incidents.list() if item["incident_id"] == result["incident_id"]]
        assert {item["finding_id"] for item in found} <= set(incident["about"])
        assert mace.verify()["incident_id"] == result["incident_id"]


@pytest.mark.parametrize("which", ["name = 'vault_blobs_keep_update'", "true"])
def test_guards_that_are_gone_are_on_the_record(mace_home: places.SqlitePlace, which: str):
    attacks.build(mace_home)
    with mace_home.sql(keep_triggers=True) as sql:
        for (name,) in sql(f"select name from sqlite_master where type = 'trigger' and {which}"):
            sql(f"drop trigger {name}")
    _assert_recorded(mace_home, "SCHEMA_CHANGED")


@pytest.mark.parametrize("name", ["vault_blobs", "sqlite_autoindex_vault_blobs_1"])
def test_damaged_pages_of_sealed_parts_are_on_the_record(mace_home: places.SqlitePlace, name: str):
    attacks.build(mace_home)
    for page in _pages(mace_home, name):
        _zero(mace_home, page, 0)
    _assert_recorded(mace_home, "FILE_DAMAGED")


def test_doctor_names_a_changed_schema(mace_home: places.SqlitePlace, cli: Callable[..., tuple[int, str]]):
    mace_home.open().close()
    with mace_home.sql(keep_triggers=True) as sql:
        sql("drop trigger events_keep_update")
    code, told = cli("doctor")
    assert code == 1
    assert "trigger events_keep_update is gone" in told


def test_a_file_whose_first_page_is_gone_says_what_to_do(
    mace_home: places.SqlitePlace, cli: Callable[..., tuple[int, str]]
):
    attacks.build(mace_home)
    _zero(mace_home, 1, 0)
    for read_only in (True, False):
        with pytest.raises(IntegrityFailure, match="the database file is damaged"):
            mace_home.open(read_only=read_only)
    code, told = cli("log", "verify")
    assert code == 1
    assert "restore a backup" in told


def test_the_copy_that_is_walked_lies_nowhere(mace_home: places.SqlitePlace, tmp_path: Path):
    attacks.build(mace_home)
    before = {item for item in tmp_path.rglob("*") if not item.name.endswith(("-wal", "-shm"))}
    with mace_home.open(read_only=True) as mace:
        copy = mace._parts.world.store.salvage()
        store = mace._parts.world.store
        for look in (
            lambda tx: tx.events.scan(0, 10_000),
            lambda tx: tx.records.scan_all(("", ""), 10_000),
            lambda tx: tx.logs.scan("", 10_000),
            lambda tx: tx.vault.scan_keys("", 10_000),
            lambda tx: tx.facts.scan("", 10_000),
            lambda tx: tx.tiles.scan_all(None, 10_000),
        ):
            assert copy.read(look) == store.read(look)
        assert {item for item in tmp_path.rglob("*") if not item.name.endswith(("-wal", "-shm"))} == before
        copy.close()
