"""What a store's tables look like when MACE made them: columns and their types, keys, and every object's own words.

It is what the migrations of SQLite make of an empty database; PostgreSQL has the same tables under the same names.
"""

from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from typing import Any

import apsw

from mace.storage.ports import Damage
from mace.storage.sql import migrate, statements

_PACKAGE = "mace.storage.sqlite"
STEPS = "schema_steps"  # what was run here; whoever opens the store looks at it
_FLAGS = frozenset(
    {
        ("experience_pairs", "long_tags"),
        ("facts", "deleted"),
        ("megrams", "marked"),
        ("sem_history", "applied"),
        ("sem_history", "deleted"),
    }
)


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    type: str  # as `typeof` says it: text, blob, integer, real
    is_flag: bool  # only 0 and 1


@dataclass(frozen=True, slots=True)
class Table:
    name: str
    columns: tuple[Column, ...]
    key: tuple[int, ...]  # which of the columns name a row
    indexes: tuple[tuple[str, ...], ...]  # the columns of each
    has_rowid: bool


@dataclass(frozen=True, slots=True)
class Object:
    """A table, index, trigger or view, and the words it was made with (empty for indexes that SQLite makes itself)."""

    type: str
    name: str
    table: str
    sql: str


def empty_database() -> apsw.Connection:
    """A database in memory, as the migrations make it."""
    connection = apsw.Connection(":memory:")
    connection.execute(migrate.LEDGER_OF_STEPS)
    for _, _, _, text in statements.migrations(_PACKAGE):
        connection.execute(text)
    return connection


@cache
def objects() -> dict[tuple[str, str], Object]:
    """Every object of the schema, by its type and name."""
    rows: Any = empty_database().execute("select type, name, tbl_name, coalesce(sql, '') from sqlite_master").fetchall()
    return {(row[0], row[1]): Object(*row) for row in rows}


@cache
def tables() -> dict[str, Table]:
    """Every table that holds something, by its name."""
    database = empty_database()
    found: dict[str, Table] = {}
    about: Any = database.execute(
        "select name, wr from pragma_table_list where type = 'table' order by name"
    ).fetchall()
    for name, without_rowid in about:
        if not name.startswith("sqlite_") and name != STEPS:
            found[name] = _table(database, name, has_rowid=not without_rowid)
    return found


def _table(database: apsw.Connection, name: str, *, has_rowid: bool) -> Table:
    about: Any = database.execute("select name, lower(type), pk from pragma_table_info(?)", (name,)).fetchall()
    columns = tuple(Column(column, kind, (name, column) in _FLAGS) for column, kind, _ in about)
    listed: Any = database.execute('select name, "unique" from pragma_index_list(?) order by seq', (name,)).fetchall()
    indexes: dict[str, tuple[str, ...]] = {}
    for index, _ in listed:
        parts: Any = database.execute("select name from pragma_index_info(?) order by seqno", (index,)).fetchall()
        indexes[index] = tuple(part for (part,) in parts)
    key = [column for column, _, place in sorted(about, key=lambda row: row[2]) if place]
    key = key or list(next(indexes[index] for index, unique in listed if unique))
    places = tuple(next(at for at, column in enumerate(columns) if column.name == part) for part in key)
    return Table(name, columns, places, (tuple(key), *indexes.values()), has_rowid)


@cache
def types_of(name: str) -> tuple[str, ...] | None:
    """The types a statement's columns have, empty where nothing is known; None for one that is no query."""
    from apsw.ext import query_info  # it is asked for only where a row could not be read

    text = statements.load()[name]
    if not text.startswith("select"):
        return None
    about = query_info(empty_database(), text).description
    return tuple((kind or "").lower() for _, kind in about)


_JOINED = {"fact_newest": 7}  # so many columns at the beginning come from a row that need not be there


def good_rows(name: str, rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """The rows of a query without those that cannot be what they must be: a junk row disables only itself."""
    types = types_of(name)
    if types is None:
        return rows
    joined = _JOINED.get(name, 0)
    good = []
    for row in rows:
        fits = [not kind or kind_of(value) == kind for kind, value in zip(types, row, strict=True)]
        if joined and not all(fits[:joined]):
            row = (None,) * joined + row[joined:]
        if all(fits[joined:]):
            good.append(row)
    return good


def wrong_steps(rows: list[tuple[Any, ...]], package: str) -> Damage | None:
    """Compare the list of the steps that were run with those there are."""
    held = {number: (name, digest) for number, name, digest in rows}
    known = {number: (name, digest) for number, name, digest, _ in statements.migrations(package)}
    wrong = sorted(
        number
        for number in held.keys() | known.keys()
        if number not in held
        or number not in known
        or held[number][0] != known[number][0]
        or held[number][1] not in {known[number][1], *migrate.AS_GOOD.get(known[number][0], ())}
    )
    if not wrong:
        return None
    detail = f"the list of steps is not as MACE made it: {', '.join(map(str, wrong))}"
    return Damage("SCHEMA_CHANGED", {"table": STEPS}, detail, {"steps": wrong}, hides_rows=False)


def fault_of(column: Column, value: Any) -> str | None:
    """Why a value cannot be what stands in this column, or None; text comes as bytes where it is no UTF-8."""
    kind = kind_of(value)
    if isinstance(value, Undecodable):
        return f"{column.name} is text that is not UTF-8"
    if kind == "null":
        return f"{column.name} is null"
    if kind != column.type:
        return f"{column.name} is {kind}, not {column.type}"
    if column.is_flag and value not in (0, 1):
        return f"{column.name} is neither 0 nor 1"
    return None


class Undecodable(bytes):
    """The bytes of a text that is not UTF-8."""


_KINDS = {type(None): "null", str: "text", bytes: "blob", int: "integer", float: "real", Undecodable: "bad text"}


def kind_of(value: Any) -> str:
    """What SQLite calls the type of a value."""
    return _KINDS.get(type(value), type(value).__name__)


def unreadable(table: Table, row: tuple[Any, ...]) -> Damage | None:
    """Say what is wrong with a row, which has every column of its table; None where nothing is."""
    faults = [fault for column, value in zip(table.columns, row, strict=True) if (fault := fault_of(column, value))]
    if not faults:
        return None
    key = {table.columns[at].name: _shown(row[at]) for at in table.key}
    digest = sha256(repr([(kind_of(value), value) for value in row]).encode()).hexdigest()  # a copy outlives an erasure
    return Damage(
        "ROW_UNREADABLE",
        {"table": table.name, **key},
        f"a row of {table.name} cannot be read: {'; '.join(faults)}",
        {"sha256": digest, "columns": [fault.split(" ", 1)[0] for fault in faults]},
    )


def _shown(value: Any) -> str | int:
    if isinstance(value, bytes):
        return f"x'{value.hex()}'"
    return value if isinstance(value, int | str) else str(value)
