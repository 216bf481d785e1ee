"""A store of experience that nobody keeps: SQLite's own temporary database, which goes to disk where it grows large.

For projecting beside the real one without memory growing with it. SQLite unlinks the file when it makes it, so nothing
is left whatever happens to the process. One thread at a time.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import apsw

from mace.storage.experience_ports import Experience
from mace.storage.ports import Exists
from mace.storage.sql import statements
from mace.storage.sql.experience import SqlExperience

T = TypeVar("T")

_CACHE = "pragma cache_size = -16000"  # KiB


class ScratchExperience:
    def __init__(self) -> None:
        self._connection = apsw.Connection("")
        self._connection.execute("pragma journal_mode = memory; pragma synchronous = off; " + _CACHE)
        for _, _, _, text in statements.migrations("mace.storage.sqlite"):
            self._connection.execute(text)
        self._sql = statements.load()
        self._rows = SqlExperience(self._run, self._run_many)

    def _run(self, name: str, parameters: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        return self._connection.execute(self._sql[name], parameters).fetchall()

    def _run_many(self, name: str, rows: Sequence[tuple[Any, ...]]) -> None:
        self._connection.executemany(self._sql[name], rows)

    def write(self, unit: Callable[[Experience], T]) -> T:
        self._connection.execute("begin")
        try:
            result = unit(self._rows)
        except BaseException as error:
            self._connection.execute("rollback")
            if isinstance(error, apsw.ConstraintError):
                raise Exists("a row with this key exists") from None
            raise
        self._connection.execute("commit")
        return result

    def read(self, look: Callable[[Experience], T]) -> T:
        return look(self._rows)

    def describe(self) -> dict[str, str]:
        return {"kind": "sqlite", "place": "temporary"}

    def close(self) -> None:
        self._connection.close()
