"""A copy of what can be read of a damaged store, to read from while it is verified.

It lies in a file without a name that only this process can open and that is gone when it is closed. Its tables have no
constraints: what somebody put there twice is there twice here, too.
"""

import threading
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import apsw

from mace.core.apart import RANGES
from mace.core.errors import Closed
from mace.storage.kept import KeepsNothing
from mace.storage.ports import Damage, Kept, Signing, Store, Tx
from mace.storage.sql import shape, statements
from mace.storage.sql.shape import Table
from mace.storage.sql.tables import SqlTx, token_in

T = TypeVar("T")


class Salvaged:
    """Filled table by table with `take`; then it is a store that is only read from."""

    def __init__(self, least_size: int = 0) -> None:
        self._least_size = least_size  # events that the damaged store says it has
        self._sql = statements.load()
        self._guard = threading.RLock()
        self._closed = False
        self._connection = apsw.Connection("")
        self._connection.execute("pragma journal_mode = off")
        self._connection.execute("pragma synchronous = off")
        for table in shape.tables().values():
            columns = ", ".join(f"{column.name} {column.type}" for column in table.columns)
            self._connection.execute(f"create table {table.name} ({columns})")

    def take(self, table: Table, rows: Iterable[tuple[Any, ...]]) -> None:
        """Take in the good rows of a table, once."""
        marks = ", ".join("?" * len(table.columns))
        self._connection.execute("begin")
        self._connection.executemany(f"insert into {table.name} values ({marks})", rows)  # noqa: S608 - our own names
        for number, columns in enumerate(dict.fromkeys(table.indexes)):
            self._connection.execute(f"create index {table.name}_{number} on {table.name} ({', '.join(columns)})")
        self._connection.execute("commit")

    def take_apart(self, keys: Iterable[tuple[str, bytes]]) -> None:
        """Take in the keys that are kept apart; here they lie with the others, without what was put in their place."""
        self._connection.execute("begin")
        if token_in(self._run):
            for first, end in RANGES:
                self._connection.execute("delete from vault_keys where ref >= ? and ref < ?", (first, end))
        rows = ((ref, "", wrapped) for ref, wrapped in keys)
        self._connection.executemany("insert into vault_keys (ref, parent, wrapped) values (?, ?, ?)", rows)
        self._connection.execute("commit")

    def read(self, look: Callable[[Tx], T]) -> T:
        with self._guard:
            return look(SqlTx(self._run, None, self._size, clock=lambda: ("", 0.0)))

    def _run(self, name: str, parameters: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        return self._connection.execute(self._sql[name], parameters).fetchall()

    def _size(self) -> int:
        held: Any = self._connection.execute("select coalesce(max(position), -1) + 1 from events").get
        return max(int(held), self._least_size)

    def follow(self, signing: Signing) -> None:
        """Nothing is signed here."""

    def write(self, unit: Callable[[Tx], T]) -> T:
        raise Closed("cannot write to the copy of a damaged store")

    def is_spoken_of(self, subject: str) -> bool:
        return self.read(lambda tx: tx.events.is_spoken_of(subject))

    def version(self) -> int | None:
        return None

    def keep(self, most_bytes: int) -> Kept[Any]:
        return KeepsNothing(self)

    def describe(self) -> dict[str, str]:
        return {"kind": "salvaged", "place": "a file without a name", "engine": "SQLite", "durability": "none"}

    def inspect(self, *, quick: bool = False) -> list[Damage]:
        """It was just made."""
        return []

    def salvage(self) -> Store:
        return self

    def scrub(self, wait_ms: int = 0, *, records: bool = False) -> None:
        """It is gone as a whole when it is closed."""

    def once_committed(self, call: Callable[[], None]) -> None:
        """Nothing is committed here."""

    def close(self) -> None:
        with self._guard:
            if not self._closed:
                self._closed = True
                self._connection.close()
