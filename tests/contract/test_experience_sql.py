"""What the databases do for experience: refuse edits, find the events that are projected, use their indexes."""

import re
from pathlib import Path
from typing import Any

import apsw
import psycopg
import pytest

import places
import services
from experience_samples import megram, open_at
from mace.core.events import EVENT_TYPES
from mace.storage.ports import EXPERIENCE_TYPES, Store, Tx
from mace.storage.sql import migrate, statements
from mace.storage.sqlite import SqliteStore
from store_samples import append


def test_the_events_of_experience_by_position(store: Store):
    kinds = [*EXPERIENCE_TYPES, "SEM_PUT", "JOB_CLOSED", "MEGRAM_WRITTEN", "EXPERIENCE_EXPORTED"]
    for number, kind in enumerate(kinds):
        store.write(lambda tx, n=number, kind=kind: append(tx, f"stream-{n % 3}", kind=kind))

    def positions(after: int, limit: int) -> list[int]:
        return store.read(lambda tx: [row.position for row in tx.events.experience(after, limit)])

    assert positions(-1, 100) == [0, 1, 2, 3, 4, 5, 6, 9]
    assert positions(-100, 3) == [0, 1, 2]
    assert positions(2, 3) == [3, 4, 5]
    assert positions(6, 100) == positions(8, 1) == [9]
    assert positions(9, 100) == positions(2**40, 1) == []
    rows = store.read(lambda tx: tx.events.experience(-1, 100))
    assert [row.event_type for row in rows] == [*EXPERIENCE_TYPES, "MEGRAM_WRITTEN"]
    assert rows == [row for row in store.read(lambda tx: tx.events.scan(0, 100)) if row in rows]


def test_an_event_is_projected_only_once_it_stands(store: Store):
    def unit(tx: Tx) -> list[Any]:
        append(tx, "a", kind="MEGRAM_WRITTEN")
        return tx.events.experience(-1, 10)

    assert store.write(unit) == []
    assert len(store.read(lambda tx: tx.events.experience(-1, 10))) == 1


@pytest.mark.parametrize("package", ["mace.storage.sqlite", "mace.storage.postgres"])
def test_the_index_the_statement_and_the_port_name_the_same_events(package: str):
    steps = {name: text for _, name, _, text in statements.migrations(package)}
    migration = [text for text in steps.values() if "create index events_of_experience " in text][-1]
    for text in (migration, statements.load()["event_experience"]):
        assert tuple(re.findall("event_type = '([A-Z_]+)'", text)) == EXPERIENCE_TYPES
    assert set(EXPERIENCE_TYPES) <= EVENT_TYPES


def test_a_database_from_before_retractions_is_brought_up_to_date(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    steps = statements.migrations("mace.storage.sqlite")
    monkeypatch.setattr(migrate.statements, "migrations", lambda _: steps[:4])
    store = SqliteStore(tmp_path / "mace.db")
    store.write(lambda tx: append(tx, "a", kind="MEGRAM_WRITTEN"))
    store.close()
    monkeypatch.undo()
    store = SqliteStore(tmp_path / "mace.db")
    store.write(lambda tx: append(tx, "a", kind="MEGRAM_RETRACTED"))
    rows = store.read(lambda tx: tx.events.experience(-1, 10))
    assert [row.event_type for row in rows] == ["MEGRAM_WRITTEN", "MEGRAM_RETRACTED"]
    store.close()


def _filled(place: places.Place) -> places.Place:
    """Put some experience into the database of a place, and close it again."""
    where = place.settings.location
    if place.kind == "sqlite":
        place.folder.mkdir()
        where = str(place.folder)
    store, close = open_at(place.kind, where)
    store.write(lambda x: x.add([megram(number, level="MMMKC"[number % 5]) for number in range(5000)]))
    close()
    return place


@pytest.fixture
def in_postgres(tmp_path: Path, databases: services.Databases) -> places.Place:
    return _filled(places.PostgresPlace(tmp_path, databases))


def test_a_row_is_never_edited_and_may_be_deleted(place: places.Place):
    with _filled(place).sql(keep_triggers=True) as sql:
        with pytest.raises((apsw.Error, psycopg.Error), match="UPDATE refused"):
            sql("update megrams set f = 0")
        sql("delete from megrams where level = 'K'")
        assert sql("select count(*) from megrams") == [(4000,)]


def _explain(place: places.Place, name: str, parameters: tuple[object, ...]) -> str:
    statement = statements.load()[name]
    with place.sql(keep_triggers=True) as sql:
        if place.kind == "sqlite":
            return "\n".join(row[3] for row in sql(f"explain query plan {statement}", parameters))
        sql("analyze")
        return "\n".join(row[0] for row in sql(f"explain {statement}", parameters))


@pytest.mark.parametrize(
    ("name", "parameters", "index"),
    [
        ("megram_of_pair", (b"p", "M", "z", 10), "megrams_by_pair"),
        ("megram_rules", (b"p",), "megrams_by_pair"),
        ("pair_scan", ("a", "b", 10), "experience_pairs_by_tags"),
        ("pair_due", (5, 10), "experience_pairs_due"),
        ("change_recent", (10,), "experience_changes_by_place"),
        ("event_experience", (5, 10), "events_of_experience"),
    ],
)
def test_sqlite_walks_an_index_and_sorts_nothing(
    mace_home: places.SqlitePlace, name: str, parameters: tuple[object, ...], index: str
):
    plan = _explain(_filled(mace_home), name, parameters)
    assert index in plan
    assert "TEMP B-TREE" not in plan


def test_postgres_walks_the_index_of_a_pair(in_postgres: places.Place):
    for name, parameters in (("megram_of_pair", (b"p", "M", "z", 10)), ("megram_rules", (b"p",))):
        plan = _explain(in_postgres, name, parameters)
        assert "megrams_by_pair" in plan
        assert "Sort" not in plan


def test_postgres_walks_the_index_of_the_events_that_are_projected(in_postgres: places.Place):
    with in_postgres.sql() as sql:
        sql(
            "insert into events select n, 's', n, '', case when n % 500 = 0 then 'MEGRAM_WRITTEN' else 'SEM_PUT' end, "
            "repeat('x', 300)::bytea, '', '' from generate_series(0, 19999) n"
        )
    assert "events_of_experience" in _explain(in_postgres, "event_experience", (5, 1000))
