"""Every statement has its place: what it reads, what it changes; and what has none counts as everything."""

import re
from pathlib import Path
from typing import Any

import apsw
import pytest

from mace.storage.sql import statements, topics
from mace.storage.sql.topics import ANY, APART_KEY, changed_by, made_of, only_reads, read_by
from mace.storage.sqlite.store import SqliteStore

SQL = statements.load()
KEY, REF = "world/fact/a/b", "fact/user/note/user_a/b"


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ([], set()),
        ([("fact_get", (KEY,))], {("fact", KEY)}),
        ([("fact_history_at", (KEY, 3)), ("fact_get", (KEY,))], {("fact", KEY)}),
        ([("event_about", ("sem_history/a", 4))], {("subject", "sem_history/a")}),
        ([("subject_any", ("consents/a",))], {("subject", "consents/a")}),
        ([("vault_key", (REF,)), ("people_token", ())], {("key", REF), ("token",)}),
        ([(APART_KEY, ("person/a",))], {("key", "person/a")}),
        ([("record_get", ("consent", "x")), ("record_children", ("consent", "a"))],
         {("record", "consent", "x"), ("children", "consent", "a")}),
        ([("event_about_under", ("consent/", "consent0"))], {ANY}),
        ([("size", ())], {ANY}),
        ([("no statement at all", (1, 2))], {ANY}),
    ],
)  # fmt: skip
def test_what_an_answer_depends_on(asked: list[Any], expected: set[Any]):
    assert read_by([(*one, []) for one in asked]) == expected


@pytest.mark.parametrize(
    ("asked", "subjects", "expected"),
    [
        ([], [], {ANY}),
        ([], ["sem_history/a"], {ANY, ("subject", "sem_history/a")}),
        ([("fact_put", (KEY, 1, b"", "", "user", "now", 0))], [], {ANY, ("fact", KEY)}),
        ([("fact_add_history", (KEY, 1))], [], {ANY, ("fact", KEY)}),
        ([("vault_add_key", (REF, "", b"")), ("vault_drop_key", ("b",))], [], {ANY, ("key", REF), ("key", "b")}),
        ([(APART_KEY, ("person/a",)), ("people_set_token", ("t",))], [], {ANY, ("key", "person/a"), ("token",)}),
        ([("record_add", ("consent", "x", "a", b"", ""))], [],
         {ANY, ("record", "consent", "x"), ("children", "consent", "a")}),
        ([("job_add", ("s",)), ("tile_put", (0, 1, b""))], [], {ANY}),
        ([("megram_add", ())], [], {ANY}),  # many rows at once
        ([("fact_put", ())], [], None),
        ([("signing_set", (2,))], [], None),  # which signatures count is asked of the process
        ([("subject_drop", ("a", 1))], [], None),
        ([("subject_insert", ())], [], None),
        ([("record_drop", ("kind", "key"))], [], None),
        ([("fact_put", (KEY,)), ("a new statement", ())], [], None),
    ],
)  # fmt: skip
def test_what_a_commit_has_changed(asked: list[Any], subjects: list[str], expected: set[Any] | None):
    assert changed_by(asked, subjects) == expected


def tables(sql: str, *words: str) -> set[str]:
    return {found for word in words for found in re.findall(rf"\b{word}\s+([a-z_0-9]+)", sql)}


def test_a_change_that_is_said_to_be_elsewhere_touches_no_table_that_a_topic_is_about():
    read = set().union(*(tables(SQL[name], "from", "join") for name in topics._READS if name != APART_KEY))
    assert read == {"facts", "sem_history", "event_subjects", "events", "vault_keys", "people_head", "records"}
    for name in topics._ELSEWHERE:
        assert not tables(SQL[name], "into", "update", "delete from") & read, name


def test_names_are_those_of_statements_that_read_or_change():
    reads = only_reads(SQL)
    assert {name for name in topics._READS if name != APART_KEY} <= reads
    assert not (topics._ELSEWHERE | set(topics._CHANGES)) & reads
    assert topics._ELSEWHERE | set(topics._CHANGES) <= {*SQL, APART_KEY}
    for name in reads:
        assert not tables(SQL[name], "into", "update", "delete from"), name


def test_a_topic_is_named_by_the_columns_that_its_statements_ask_for():
    """The first parameters of a reading statement are compared with the columns that say which rows it reads."""
    columns = {
        "fact": {"fact_key"},
        "subject": {"subject"},
        "key": {"ref"},
        "record": {"kind", "record_key"},
        "children": {"kind", "parent"},
    }
    for name, (kind, count, _) in topics._READS.items():
        if count and name != APART_KEY:
            where = SQL[name].partition("where")[2]
            asked = re.findall(r"(?:\w\.)?([a-z_]+) = \?", where)
            assert set(asked[:count]) == columns[kind], name


# What an answer was made of, asked for again


def test_every_statement_gives_as_many_columns_as_its_line_says(tmp_path: Path):
    SqliteStore(tmp_path / "mace.db").close()
    database = apsw.Connection(str(tmp_path / "mace.db"))
    for name, width in topics.columns().items():
        given = database.execute(f"select count(*) from pragma_table_info('{name}')").get
        assert given == 0
        database.execute(f"create temp view {name} as {SQL[name].replace('?', 'null')}")
        assert database.execute(f"select count(*) from pragma_table_info('{name}')").get == width, name


def test_one_statement_asks_for_everything_once():
    fact, token = (KEY, 1, b"{}", "", "system", "now", 0), ("t",)
    asked: list[topics.Found] = [
        ("fact_get", (KEY,), [fact]),
        ("people_token", (), [token]),
        (APART_KEY, ("person/a",), []),
        ("people_token", (), [token]),
        ("subject_any", ("consents/a",), []),
    ]
    found = made_of(SQL, asked)
    assert found is not None
    assert found[0].count(" union all ") == 2
    assert found[1:] == ((KEY, "consents/a"), [(0, *fact), (1, "t", *[None] * 6)])


@pytest.mark.parametrize(
    "asked",
    [
        [],
        [("fact_get", (KEY,), []), (APART_KEY, ("person/a",), None)],  # it may come without a word in the database
        [("fact_get", (KEY,), None)],
        [("fact_get", (KEY,), []), ("size", (), None)],
        [("event_about_under", ("a", "b"), [])],
        [("subject_any", (str(number),), []) for number in range(41)],
    ],
)
def test_what_cannot_be_asked_for_again(asked: list[Any]):
    assert made_of(SQL, asked) is None
