"""Bits of a store that fall over: a store with something in every table, and where in its file something lies."""

from pathlib import Path
from typing import Any

import apsw
import pytest

import attacks
import places
from mace.storage.sql import shape

# Which process has a job, and when it was last heard: no event tells of it (docs/threat-model.md), and nothing is
# decided with it once the job is closed.
NO_EVENT_TELLS = frozenset({("jobs", "holder"), ("holders", "*")})

_built: list[places.SqlitePlace] = []


def base(factory: pytest.TempPathFactory) -> places.SqlitePlace:
    """A store with something in every table, all of it in one file; made once per worker, and only ever copied."""
    if not _built:
        place = places.SqlitePlace(factory.mktemp("flips"))
        attacks.build(place)
        with place.open() as mace:
            mace.raise_for(mace.sem_put("world/fact/tea/colour", "green", "system"))
            mace.raise_for(mace.sem_put("user/profile/user_ana/food", "soup", "user", user_id="ana"))
            mace.sem_add_alias("brew", "world/fact/tea/colour", "system")
            mace.ask("what is 2+2", user_id="ana")
            mace.accounts.create("ann", ["viewer"])
            mace.checkpoint()
        with place.sql(keep_triggers=True) as sql:
            sql("pragma wal_checkpoint(truncate)")
        _built.append(place)
    return _built[0]


def rows_of(path: Path) -> dict[str, list[Any]]:
    """Every value of every table that events tell of, as the bytes it is."""
    database = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    held: dict[str, list[Any]] = {}
    for table in shape.tables().values():
        if (table.name, "*") in NO_EVENT_TELLS:
            continue
        names = ", ".join(
            f"typeof({column.name}), case typeof({column.name}) when 'text' then cast({column.name} as blob)"
            f" else {column.name} end"
            for column in table.columns
            if (table.name, column.name) not in NO_EVENT_TELLS
        )
        held[table.name] = sorted(
            repr(row) for row in database.execute(f"select {names} from {table.name} not indexed")
        )
    database.close()
    return held


def flip(file: Path, place: int, bit: int) -> None:
    with file.open("r+b") as opened:
        opened.seek(place)
        (held,) = opened.read(1)
        opened.seek(place)
        opened.write(bytes([held ^ 1 << bit]))


def used_places(file: Path, *, of: str = "true") -> list[int]:
    """Where in the file something lies: in the pages of tables and indexes, without the free space inside them.

    `of` says in which of them, as a condition on SQLite's `dbstat`.
    """
    database = apsw.Connection(str(file), flags=apsw.SQLITE_OPEN_READONLY)
    size: Any = database.execute("pragma page_size").get
    pages = [row[0] for row in database.execute(f"select pageno from dbstat where {of} order by pageno")]
    database.close()
    content = file.read_bytes()
    found: list[int] = []
    for page in pages:
        start = (page - 1) * size
        held = content[start : start + size]
        found += [start + at for at, byte in enumerate(held) if byte or any(held[max(at - 2, 0) : at + 3])]
    return found


def words_of_the_schema(file: Path) -> list[int]:
    """Where the rows of the list of tables lie: their types, names, root pages and texts."""
    database = apsw.Connection(str(file), flags=apsw.SQLITE_OPEN_READONLY)
    rows: Any = database.execute("select type || name || tbl_name from sqlite_master").fetchall()
    texts: Any = database.execute("select sql from sqlite_master where sql is not null").fetchall()
    database.close()
    content = file.read_bytes()
    found: set[int] = set()
    for (words,) in rows:
        at = content.find(words.encode())
        assert at >= 0, words
        found.update(range(at, at + len(words) + 2))  # and the root page behind them
    for (text,) in texts:
        at = content.find(text.encode())
        found.update(range(at, at + len(text)) if at >= 0 else ())  # a text on several pages lies in parts
    return sorted(found)
