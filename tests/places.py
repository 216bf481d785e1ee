"""A place where a MACE lives, and the ways round it: what an attacker, a second process or a doctor can do to it.

`Place.open()` gives a MACE on that place; `Place.sql()` a raw connection that knows nothing of MACE, with the triggers
taken off and put back in the end, as somebody would do who has the database.
"""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol

import apsw

import services
from mace import wiring
from mace.core.apart import is_kept_apart
from mace.engine.runtime import Mace
from mace.settings import Settings

LEDGER_TABLES = (
    "events",
    "records",
    "reflective_log_stage0",
    "tiles",
    "vault_keys",
    "vault_blobs",
    "notes",
)


def table_of(ref: str) -> str:
    """The table that a wrapped key lies in."""
    return "mace_people.person_keys" if is_kept_apart(ref) else "vault_keys"


def put_back(sql: "Sql", rows: Sequence[tuple[Any, ...]]) -> None:
    """Put wrapped keys (`ref, parent, wrapped`) where they were."""
    for ref, parent, wrapped in rows:
        if is_kept_apart(ref):
            sql("insert into mace_people.person_keys (ref, wrapped) values (?, ?)", (ref, wrapped))
        else:
            sql("insert into vault_keys (ref, parent, wrapped) values (?, ?, ?)", (ref, parent, wrapped))


ALL_KEYS = (
    "(select ref, parent, wrapped from vault_keys union all select ref, '', wrapped from mace_people.person_keys) every"
)


class Sql(Protocol):
    """Raw SQL with `?` for parameters, whatever the engine; binary columns are bytes."""

    def __call__(self, statement: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]: ...


class Place:
    kind: str
    settings: Settings

    def open(self, **options: Any) -> Mace:
        return wiring.open_mace(settings=self.settings, **options)

    @contextmanager
    def sql(self, *, keep_triggers: bool = False) -> Iterator[Sql]:
        raise NotImplementedError
        yield

    def twin(self, root: Path) -> "Place":
        """A second place with a copy of the database; nobody may have it open."""
        raise NotImplementedError

    def columns(self, table: str) -> list[str]:
        raise NotImplementedError

    def save(self) -> Any:
        """Copy the whole database as it is now; nobody may have it open."""
        raise NotImplementedError

    def restore(self, saved: Any) -> None:
        raise NotImplementedError

    @property
    def folder(self) -> Path:
        """Where the keys and the spill file lie."""
        raise NotImplementedError

    @property
    def shelf(self) -> Path:
        """Where checkpoints are kept."""
        return next(Path(self.settings.checkpoint_dir).iterdir())

    def content(self) -> str:
        """A hash over every row of every table, and over the checkpoints kept elsewhere."""
        digest = sha256()
        with self.sql(keep_triggers=True) as sql:
            for table in self.tables():
                columns = ", ".join(map(self.whole, self.columns(table)))
                for row in sorted(repr(row) for row in sql(f"select {columns} from {table}")):
                    digest.update(f"{table}{row}".encode())
        for file in sorted(Path(self.settings.checkpoint_dir).rglob("*.note*")):
            digest.update(file.name.encode() + file.read_bytes())
        return digest.hexdigest()

    def whole(self, column: str) -> str:
        """How to ask for all of a column, whatever stands there."""
        return column

    def tables(self) -> list[str]:
        raise NotImplementedError


class SqlitePlace(Place):
    kind = "sqlite"

    def __init__(self, root: Path) -> None:
        self.settings = Settings(
            location=str(root / "mace"),
            checkpoint_dir=str(root / "state" / "checkpoints"),
            checkpoint_interval_ms=0,
            spill_bytes=64 * 1024,
            user="owner",
        )
        Path(self.settings.checkpoint_dir).mkdir(parents=True)
        self._saves = root / "saves"

    @property
    def folder(self) -> Path:
        return Path(self.settings.location)

    @property
    def file(self) -> Path:
        return self.folder / "mace.db"

    @property
    def people(self) -> Path:
        """The file of the keys that are kept apart."""
        return self.folder / "people.db"

    @contextmanager
    def sql(self, *, keep_triggers: bool = False) -> Iterator[Sql]:
        connection = apsw.Connection(str(self.file))
        connection.set_busy_timeout(5000)
        if self.people.exists():  # under the name of the schema that a server has
            connection.execute("attach ? as mace_people", (str(self.people),))
        triggers: list[tuple[Any, ...]] = []
        if not keep_triggers:
            triggers = list(connection.execute("select name, sql from sqlite_master where type = 'trigger'"))
            for name, _ in triggers:
                connection.execute(f"drop trigger {name}")

        def run(statement: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
            return list(connection.execute(statement, tuple(parameters)))

        try:
            yield run
            for _, text in triggers:  # as somebody does who wants to leave no trace
                connection.execute(text)
        finally:
            connection.close()

    def columns(self, table: str) -> list[str]:
        with self.sql(keep_triggers=True) as sql:
            return [row[0] for row in sql("select name from pragma_table_info(?)", (table,))]

    def tables(self) -> list[str]:
        with self.sql(keep_triggers=True) as sql:
            return [row[0] for row in sql("select name from sqlite_master where type = 'table' order by name")]

    def whole(self, column: str) -> str:
        return f"typeof({column}) || hex({column})"

    def twin(self, root: Path) -> "SqlitePlace":
        other = SqlitePlace(root)
        other.folder.mkdir(mode=0o700)
        other.restore(self.save())
        if self.people.exists():
            shutil.copy(self.people, other.people)
        return other

    def save(self) -> Path:
        self._saves.mkdir(exist_ok=True)
        copy = self._saves / f"{len(list(self._saves.iterdir()))}.db"
        with self.sql(keep_triggers=True) as sql:
            sql("pragma wal_checkpoint(truncate)")
        shutil.copy(self.file, copy)
        return copy

    def restore(self, saved: Path) -> None:
        for leftover in (self.file, *self.folder.glob("mace.db-*")):
            leftover.unlink(missing_ok=True)
        shutil.copy(saved, self.file)


class PostgresPlace(Place):
    kind = "postgres"

    def __init__(self, root: Path, databases: services.Databases, *, url: str = "") -> None:
        self._databases = databases
        self.settings = Settings(
            location=url or databases.new(),
            checkpoint_dir=str(root / "state" / "checkpoints"),
            checkpoint_interval_ms=0,
            spill_bytes=64 * 1024,
            postgres_connect_timeout_s=5,
            user="owner",
        )
        Path(self.settings.checkpoint_dir).mkdir(parents=True)

    @property
    def folder(self) -> Path:
        return wiring.data_folder(self.settings)

    @contextmanager
    def sql(self, *, keep_triggers: bool = False) -> Iterator[Sql]:
        import psycopg
        from psycopg.types.string import TextLoader

        with psycopg.connect(self.settings.location, autocommit=True) as connection:
            connection.adapters.register_loader("json", TextLoader)
            if not keep_triggers:
                connection.execute("set session_replication_role = replica")  # no trigger fires for us

            def run(statement: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
                marked = statement.replace("?", "%s") if parameters else statement
                cursor = connection.execute(marked.encode(), tuple(parameters) or None)
                return cursor.fetchall() if cursor.description else []

            yield run

    def columns(self, table: str) -> list[str]:
        with self.sql(keep_triggers=True) as sql:
            return [
                row[0]
                for row in sql(
                    "select column_name from information_schema.columns where table_name = ? order by ordinal_position",
                    (table,),
                )
            ]

    def tables(self) -> list[str]:
        with self.sql(keep_triggers=True) as sql:
            return [row[0] for row in sql("select tablename from pg_tables where schemaname = 'public' order by 1")]

    def twin(self, root: Path) -> "PostgresPlace":
        return PostgresPlace(root, self._databases, url=self.save())

    def save(self) -> str:
        return self._databases.copy_of(self.settings.location)

    def restore(self, saved: str) -> None:
        self._databases.replace(self.settings.location, saved)
