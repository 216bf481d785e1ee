"""What is wrong with a database file itself: its pages, its schema, and rows that cannot be what they must be.

Nothing here raises because of what it finds. A table is looked at quickly first; only where that fails is it read value
by value. Rows behind a damaged page are looked for further on.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import apsw

from mace.storage.ports import Damage
from mace.storage.sql import shape
from mace.storage.sql.salvage import Salvaged
from mace.storage.sql.shape import Object, Table, Undecodable
from mace.storage.sqlite.header import HEADER, header_faults

_PACKAGE = "mace.storage.sqlite"
_MOST = 100  # messages about the file; more of them say nothing new
_PAGE = re.compile(r"\bpage (\d+)", re.IGNORECASE)
_TREE = re.compile(r"^Tree (\d+)")
_INDEX = re.compile(r"\bindex (\w+)")
_FURTHEST = 1 << 62


def inspect(connection: apsw.Connection, *, quick: bool) -> list[Damage]:
    """Look at the file, the schema and, unless `quick`, each row; the connection is in a transaction."""
    found = [*_header(connection), *_schema(connection), *_file(connection, quick=quick), *_steps(connection)]
    if not quick:
        for table in shape.tables().values():
            if not _is_sound(connection, table):
                found += [item for item in _rows(connection, table) if isinstance(item, Damage)]
    return found


def salvage(connection: apsw.Connection, apart: list[tuple[str, bytes]]) -> Salvaged:
    """Copy every row that can be read, and the keys that are kept apart; the connection is in a transaction."""
    copy = Salvaged()
    try:
        for table in shape.tables().values():
            copy.take(table, (item for item in _rows(connection, table) if not isinstance(item, Damage)))
        copy.take_apart(apart)
    except BaseException:
        copy.close()
        raise
    return copy


def careful(connection: apsw.Connection, name: str, text: str, parameters: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    """Run a query value by value, and leave out the rows that cannot be read; anything else is run as it is."""
    types = shape.types_of(name)
    if types is None:
        return connection.execute(text, parameters).fetchall()
    columns = [f"c{number}" for number in range(len(types))]
    values = ", ".join(_read_as_it_is(column) for column in columns)
    asked = f"with q ({', '.join(columns)}) as materialized ({text}) select {values} from q"  # noqa: S608 - our own names
    rows: Any = connection.execute(asked, parameters).fetchall()
    return shape.good_rows(name, [_decoded(row) for row in rows])


# The schema


def _schema(connection: apsw.Connection) -> Iterator[Damage]:
    try:
        rows: Any = connection.execute(
            "select type, name, tbl_name, cast(coalesce(sql, '') as blob) from sqlite_master order by rowid"
        ).fetchall()
    except (apsw.Error, UnicodeDecodeError) as error:
        yield Damage("NOT_CHECKED", {"table": "sqlite_master"}, f"the schema cannot be read: {_said(error)}")
        return
    held = [
        Object(_as_text(kind), _as_text(name), _as_text(table), bytes(sql).decode("utf-8", "replace"))
        for kind, name, table, sql in rows
    ]
    yield from compare(held)


def _steps(connection: apsw.Connection) -> Iterator[Damage]:
    try:
        held = steps(connection)
    except apsw.Error:
        return  # it is gone or its pages are damaged, which is named there
    wrong = shape.wrong_steps([(number, *told) for number, told in held.items()], _PACKAGE)
    if wrong is not None:
        yield wrong


def steps(connection: apsw.Connection) -> dict[int, tuple[str, str]]:
    """The list of the steps that were run, whatever stands there."""
    columns = "number, cast(name as blob), cast(sha256 as blob)"
    rows: Any = connection.execute(f"select {columns} from {shape.STEPS}").fetchall()  # noqa: S608 - our own names
    return {
        number: (bytes(name or b"").decode("utf-8", "replace"), bytes(digest or b"").decode("utf-8", "replace"))
        for number, name, digest in rows
    }


def _as_text(value: Any) -> str:
    """What stands in the list of tables, which may itself be damaged: a flipped bit makes text into bytes."""
    return value if isinstance(value, str) else repr(value)


def compare(held: Iterable[Object]) -> Iterator[Damage]:
    """Compare the objects of a schema with what the migrations make; others count only where they touch ours."""
    wanted = dict(shape.objects())
    ours = {item.name for item in wanted.values() if item.type == "table"}
    names = re.compile(rf"\b({'|'.join(sorted(ours))})\b", re.IGNORECASE)
    for item in held:
        expected = wanted.pop((item.type, item.name), None)
        if expected is not None and (expected.table, expected.sql) == (item.table, item.sql):
            continue
        if expected is not None:
            yield _changed(item, f"{item.type} {item.name} is not as MACE made it")
        elif item.table in ours or item.name in ours or (item.type in ("trigger", "view") and names.search(item.sql)):
            yield _changed(item, f"{item.type} {item.name} is not MACE's and touches {item.table}")
    for expected in wanted.values():
        yield _changed(expected, f"{expected.type} {expected.name} is gone", is_gone=True)


def _changed(item: Object, detail: str, *, is_gone: bool = False) -> Damage:
    return Damage(
        "SCHEMA_CHANGED",
        {"table": item.table, "type": item.type, "name": item.name},
        detail,
        {} if is_gone else {"sql": item.sql},
        hides_rows=item.type != "trigger",
    )


# The file


def _header(connection: apsw.Connection) -> list[Damage]:
    """What SQLite passes over, or reads the pages wrongly by."""
    try:
        path = Path(connection.filename)
        waits = waits_for(path)
        with path.open("rb") as file:
            held = file.read(HEADER)
    except OSError:
        return []  # it was opened a moment ago: then it is gone, and whoever writes is told
    return header_faults(held, waits=waits) if held else []


def waits_for(path: Path) -> bool:
    """Whether something waits in the write-ahead log of a file."""
    wal = path.with_name(f"{path.name}-wal")
    return wal.exists() and wal.stat().st_size > 0


def _file(connection: apsw.Connection, *, quick: bool) -> Iterator[Damage]:
    check = "quick_check" if quick else "integrity_check"
    lines: list[str] = []
    roots: dict[int, str] = {}
    try:
        trees: Any = connection.execute("select rootpage, tbl_name from sqlite_master").fetchall()
        roots.update({page: _as_text(table) for page, table in trees})
        for (text,) in connection.execute(f"pragma {check}({_MOST})"):
            lines += str(text).splitlines()
    except (apsw.Error, UnicodeDecodeError) as error:
        if not lines:
            yield Damage("FILE_DAMAGED", {"table": "*"}, f"the file could not be checked to its end: {_said(error)}")
    for line in lines:
        if line == "ok" or line.startswith("*** in database") or (not quick and " value in " in line):
            continue  # a wrong value is named with its row
        yield _damaged(line, roots)


def _damaged(line: str, roots: dict[int, str]) -> Damage:
    where: dict[str, Any] = {}
    tree, page, index = _TREE.search(line), _PAGE.search(line), _INDEX.search(line)
    expected = shape.objects().get(("index", index[1])) if index else None
    where["table"] = expected.table if expected else roots.get(int(tree[1]), "*") if tree else "*"
    if index:
        where["index"] = index[1]
    if page:
        where["page"] = int(page[1])
    return Damage("FILE_DAMAGED", where, line, {"said": line})


# The rows


def are_sound(connection: apsw.Connection) -> bool:
    """Whether every row of every table can be read."""
    return all(_is_sound(connection, table) for table in shape.tables().values())


def _is_sound(connection: apsw.Connection, table: Table) -> bool:
    """The quick look: every value has its type, and every text can be decoded."""
    wrong = [f"typeof({column.name}) <> '{column.type}'" for column in table.columns]
    wrong += [f"{column.name} not in (0, 1)" for column in table.columns if column.is_flag]
    texts = ", ".join(column.name for column in table.columns if column.type == "text") or "1"
    try:
        if connection.execute(f"select 1 from {table.name} where {' or '.join(wrong)} limit 1").fetchall():  # noqa: S608
            return False
        for _ in connection.execute(f"select {texts} from {table.name}"):  # noqa: S608 - our own names
            pass
    except (apsw.Error, UnicodeDecodeError):
        return False
    return True


def _rows(connection: apsw.Connection, table: Table) -> Iterator[tuple[Any, ...] | Damage]:
    """Every row of a table, read value by value: as it is, or what is wrong with it."""
    try:
        for item in _raw_rows(connection, table):
            if isinstance(item, Damage):
                yield item
                continue
            row = _decoded(item)
            yield shape.unreadable(table, row) or row
    except (apsw.SQLError, apsw.SchemaChangeError) as error:  # no such table, no such column
        yield Damage("NOT_CHECKED", {"table": table.name}, f"{table.name} cannot be read: {_said(error)}")


def _read_as_it_is(column: str) -> str:
    """Two columns: what SQLite calls the type, and the value, text as the bytes it is."""
    return f"typeof({column}), case typeof({column}) when 'text' then cast({column} as blob) else {column} end"


def _decoded(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(_value(row[at], row[at + 1]) for at in range(0, len(row), 2))


def _value(kind: str, raw: Any) -> Any:
    if kind != "text":
        return raw
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return Undecodable(raw)


def _raw_rows(connection: apsw.Connection, table: Table) -> Iterator[tuple[Any, ...] | Damage]:
    values = ", ".join(_read_as_it_is(column.name) for column in table.columns)
    if table.has_rowid and _has_rowid(connection, table):
        yield from _by_rowid(connection, table, values)
    else:
        yield from _from_both_ends(connection, table, values)


def _has_rowid(connection: apsw.Connection, table: Table) -> bool:
    """A view that somebody put in its place has none."""
    try:
        connection.execute(f"select rowid from {table.name} not indexed limit 0").fetchall()  # noqa: S608 - our own names
    except apsw.SQLError:
        return False
    except apsw.Error:
        return True
    return True


def _by_rowid(connection: apsw.Connection, table: Table, values: str) -> Iterator[tuple[Any, ...] | Damage]:
    """In the order they lie; where a page cannot be read, go on behind it."""
    scan = f"select rowid, {values} from {table.name} not indexed"  # noqa: S608 - our own names
    seen: set[int] = set()
    start: int | None = None
    last = -1
    while True:
        try:
            rows: Any = connection.execute(*((scan,) if start is None else (f"{scan} where rowid >= ?", (start,))))
            for rowid, *row in rows:
                last = max(last, rowid)
                if rowid not in seen:
                    seen.add(rowid)
                    yield tuple(row)
            return
        except apsw.SQLError:
            raise
        except apsw.Error as error:
            begun = last if start is None else max(last, start)
            yield Damage(
                "FILE_DAMAGED",
                {"table": table.name, "after_row": begun},
                f"rows of {table.name} after number {begun} cannot be read: {_said(error)}",
            )
            start = _next_readable(connection, f"{scan} where rowid >= ? limit 1", begun)
            if start is None:
                return


def _next_readable(connection: apsw.Connection, probe: str, last: int) -> int | None:
    """The first number behind the damage from which a row can be read; None where there is none."""

    def can_read(number: int) -> bool:
        try:
            connection.execute(probe, (number,)).fetchall()
        except apsw.Error:
            return False
        return True

    step = 1
    while not can_read(last + step):
        step *= 2
        if last + step > _FURTHEST:
            return None
    bad, good = last + step // 2, last + step
    while good - bad > 1:
        middle = (good + bad) // 2
        if can_read(middle):
            good = middle
        else:
            bad = middle
    return good


def _from_both_ends(connection: apsw.Connection, table: Table, values: str) -> Iterator[tuple[Any, ...] | Damage]:
    """In the order of their keys, and where a page cannot be read, from the other end, too."""
    key = [table.columns[at].name for at in table.key]
    seen: set[tuple[Any, ...]] = set()
    for direction in ("asc", "desc"):
        order = ", ".join(f"{name} {direction}" for name in key)
        try:
            rows: Any = connection.execute(f"select {values} from {table.name} order by {order}")  # noqa: S608
            for row in rows:
                named = tuple((row[2 * at], row[2 * at + 1]) for at in table.key)
                if direction == "asc" or named not in seen:
                    seen.add(named)
                    yield row
            return
        except apsw.SQLError:
            raise
        except apsw.Error as error:
            if direction == "asc":
                yield Damage(
                    "FILE_DAMAGED", {"table": table.name}, f"rows of {table.name} cannot be read: {_said(error)}"
                )


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {error}" if isinstance(error, apsw.Error) else type(error).__name__
