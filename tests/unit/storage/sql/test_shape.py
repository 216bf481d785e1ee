"""What a store's tables must look like, and what is said of rows and schemas that do not."""

from dataclasses import replace
from typing import Any

import pytest

from mace.storage.sql import shape, statements
from mace.storage.sql.shape import Column, Object, Undecodable
from mace.storage.sqlite import inspecting

_TEXT, _BLOB = Column("name", "text", False), Column("body", "blob", False)
_FLAG, _REAL = Column("deleted", "integer", True), Column("f", "real", False)


@pytest.mark.parametrize(
    ("column", "value", "fault"),
    [
        (_TEXT, "a", None),
        (_TEXT, "", None),
        (_TEXT, None, "name is null"),
        (_TEXT, b"a", "name is blob, not text"),
        (_TEXT, Undecodable(b"\xff"), "name is text that is not UTF-8"),
        (_BLOB, b"", None),
        (_BLOB, "a", "body is text, not blob"),
        (_FLAG, 0, None),
        (_FLAG, 1, None),
        (_FLAG, 2, "deleted is neither 0 nor 1"),
        (_FLAG, -1, "deleted is neither 0 nor 1"),
        (_FLAG, 1.0, "deleted is real, not integer"),
        (_REAL, 0.5, None),
        (_REAL, 1, "f is integer, not real"),
    ],
)
def test_a_value_is_what_its_column_says(column: Column, value: Any, fault: str | None):
    assert shape.fault_of(column, value) == fault


def test_every_table_has_a_key_and_every_flag_is_a_column():
    tables = shape.tables()
    assert all(table.key and table.columns for table in tables.values())
    flags = {(table.name, column.name) for table in tables.values() for column in table.columns if column.is_flag}
    assert flags == shape._FLAGS
    assert [tables["sem_history"].columns[at].name for at in tables["sem_history"].key] == ["fact_key", "version"]


def test_every_query_has_types_and_nothing_else_has():
    for name, text in statements.load().items():
        types = shape.types_of(name)
        assert (types is None) == (not text.startswith("select")), name
        assert types is None or set(types) <= {"text", "blob", "integer", "real", ""}, name


@pytest.mark.parametrize(
    ("name", "row", "kept"),
    [
        ("alias_get", ("world/fact/a/b",), ("world/fact/a/b",)),
        ("alias_get", (None,), None),
        ("alias_get", (Undecodable(b"\xff"),), None),
        ("record_get", ("k", "a", "", b"{}", "s"), ("k", "a", "", b"{}", "s")),
        ("record_get", ("k", "a", "", "{}", "s"), None),
        ("fact_newest", ("k", 1, b"1", "", "s", "t", 0, 2), ("k", 1, b"1", "", "s", "t", 0, 2)),
        ("fact_newest", (None,) * 7 + (2,), (None,) * 7 + (2,)),
        ("fact_newest", ("k", 1, "1", "", "s", "t", 0, 2), (None,) * 7 + (2,)),
        ("fact_newest", ("k", 1, b"1", "", "s", "t", 0, None), None),
        ("megram_counts", ("M", 3), ("M", 3)),
    ],
)
def test_a_junk_row_disables_only_itself(name: str, row: tuple[Any, ...], kept: tuple[Any, ...] | None):
    assert shape.good_rows(name, [row]) == ([] if kept is None else [kept])


def _with(*extra: Object, without: str = "", changed: str = "") -> list[Object]:
    held = [item for item in shape.objects().values() if item.name != without]
    return [replace(item, sql=item.sql + " ") if item.name == changed else item for item in held] + list(extra)


@pytest.mark.parametrize(
    ("held", "details", "hides"),
    [
        (_with(), [], []),
        (_with(without="events_keep_update"), ["trigger events_keep_update is gone"], [False]),
        (_with(changed="events_by_id"), ["index events_by_id is not as MACE made it"], [True]),
        (_with(changed="events_keep_place"), ["trigger events_keep_place is not as MACE made it"], [False]),
        (_with(Object("table", "theirs", "theirs", "create table theirs (a)")), [], []),
        (_with(Object("view", "v", "v", "create view v as select * from theirs")), [], []),
        (_with(Object("view", "v", "v", "create view v as select * from Records")), ["view v"], [True]),
        (_with(Object("index", "i", "events", "create index i on events (hash)")), ["index i"], [True]),
        (
            _with(
                Object("trigger", "t", "theirs", "create trigger t after insert on theirs begin delete from notes; end")
            ),
            ["trigger t"],
            [False],
        ),
    ],
)
def test_a_schema_is_compared_with_what_the_migrations_make(held: list[Object], details: list[str], hides: list[bool]):
    found = list(inspecting.compare(held))
    assert len(found) == len(details)
    assert all(item.detail.startswith(detail) for item, detail in zip(found, details, strict=True)), found
    assert [item.hides_rows for item in found] == hides


@pytest.mark.parametrize(
    ("line", "where"),
    [
        ("Tree 4 page 17 cell 3: Rowid 9 out of order", {"table": "events", "page": 17}),
        ("row 12 missing from index events_by_stream", {"table": "events", "index": "events_by_stream"}),
        ("wrong # of entries in index records_by_parent", {"table": "records", "index": "records_by_parent"}),
        ("Page 9: never used", {"table": "*", "page": 9}),
        ("Freelist: freelist leaf count too big on trunk page 8", {"table": "*", "page": 8}),
    ],
)
def test_a_message_about_the_file_names_its_place(line: str, where: dict[str, Any]):
    damage = inspecting._damaged(line, {4: "events"})
    assert (damage.kind, damage.where, damage.detail) == ("FILE_DAMAGED", where, line)
