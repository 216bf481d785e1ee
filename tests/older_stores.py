"""Stores as earlier versions left them: the files of the corpus, on SQLite as they are, on PostgreSQL row by row."""

import json
import zipfile
from pathlib import Path
from typing import Any

import apsw
import pytest

import places
import services
from mace.storage.postgres import PostgresStore
from mace.storage.sql import statements

_CORPUS = Path(__file__).resolve().parent / "replay" / "corpus"
FILES = sorted(file for file in _CORPUS.glob("*.zip") if file.stem < "0004")  # later ones need no upgrade
_MADE_BY_STEPS = {"schema_steps", "ledger_head", "people_head"}


def unpack(file: Path, root: Path) -> places.SqlitePlace:
    made = places.SqlitePlace(root)
    made.folder.mkdir(mode=0o700)
    with zipfile.ZipFile(file) as archive:
        archive.extractall(made.folder)
    (made.folder / "keys.json").chmod(0o600)
    return made


def manifest(file: Path) -> dict[str, Any]:
    with zipfile.ZipFile(file) as archive:
        told: dict[str, Any] = json.loads(archive.read("manifest.json"))
    return told


def on_postgres(
    file: Path, root: Path, databases: services.Databases, patch: pytest.MonkeyPatch, steps: int | None = None
) -> places.PostgresPlace:
    """The same rows and keys on a server whose tables are those of the same steps, or of the first so many."""
    source = unpack(file, root / "source")
    connection = apsw.Connection(str(source.file), flags=apsw.SQLITE_OPEN_READONLY)
    steps = steps or max(number for (number,) in connection.execute("select number from schema_steps"))
    url = databases.empty()
    known = statements.migrations
    with patch.context() as old:
        old.setattr(statements, "migrations", lambda package: known(package)[:steps])
        PostgresStore(url).close()
    made = places.PostgresPlace(root / "server", databases, url=url)
    made.folder.mkdir(parents=True, mode=0o700)
    keys = made.folder / "keys.json"
    keys.write_bytes((source.folder / "keys.json").read_bytes())
    keys.chmod(0o600)
    wanted = {name for (name,) in connection.execute("select name from sqlite_master where type = 'table'")}
    with made.sql() as sql:
        tables = set(made.tables())
        for table in sorted(wanted - _MADE_BY_STEPS):
            columns = [name for name in source.columns(table) if name in made.columns(table)]
            found = list(connection.execute(f"select {', '.join(columns)} from {table}")) if columns else []
            assert table in tables or not found, table
            marks = ", ".join("?" * len(columns))
            for row in found:
                sql(f"insert into {table} ({', '.join(columns)}) overriding system value values ({marks})", row)
        sql("update ledger_head set size = (select count(*) from events)")
    connection.close()
    return made
