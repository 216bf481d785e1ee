"""Statements that every replay runs must not read the whole of a table: its time would grow with the store."""

from pathlib import Path

import apsw
import pytest

from mace.storage.sql import statements
from mace.storage.sqlite.store import SqliteStore


@pytest.mark.parametrize("name", ["job_tree", "job_get", "event_at", "vault_key", "vault_blob"])
def test_a_row_is_searched_for_by_an_index(name: str, tmp_path: Path):
    SqliteStore(tmp_path / "mace.db").close()
    connection = apsw.Connection(str(tmp_path / "mace.db"))
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)  # as the store does: a plan does not look at values
    sql = statements.load()[name]
    plan = [str(row[3]) for row in connection.execute(f"explain query plan {sql}", ("x",) * sql.count("?"))]
    assert plan
    assert all(step.startswith(("SEARCH", "USE TEMP B-TREE")) for step in plan), plan
