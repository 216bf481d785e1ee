"""The head of the log's index: it moves with every commit, whoever makes it, and with nothing else."""

import gc
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from mace.storage.sqlite import wal_index
from mace.storage.sqlite.wal_index import IndexHead, head_of

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere SQLite is asked")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "some.db"


def opened(file: Path) -> apsw.Connection:
    connection = apsw.Connection(str(file))
    connection.execute("pragma journal_mode = wal")
    connection.execute("create table if not exists t (a integer)")
    return connection


def head(connection: apsw.Connection) -> IndexHead:
    found = head_of(connection)
    assert found is not None
    return found


def test_it_moves_with_each_commit_of_any_connection_and_any_process(file: Path):
    connection, other = opened(file), opened(file)
    found, seen = head(connection), set()
    for writer in (connection, other, connection):
        writer.execute("insert into t values (1)")
        seen.add(found.raw)
    code = "import apsw, sys; apsw.Connection(sys.argv[1]).execute('insert into t values (1)')"
    for _ in range(2):
        subprocess.run([sys.executable, "-c", code, str(file)], check=True)
        seen.add(found.raw)
    other.execute("pragma wal_checkpoint(truncate)")
    other.execute("insert into t values (1)")  # the log begins anew
    seen.add(found.raw)
    assert len(seen) == 6


def test_what_is_no_commit_leaves_it(file: Path):
    connection, other = opened(file), opened(file)
    connection.execute("insert into t values (1)")
    found = head(connection)
    before = found.raw
    other.execute("select * from t").fetchall()
    other.execute("begin immediate")
    other.execute("insert into t values (2)")
    assert found.raw == before  # nobody else can read it yet
    other.execute("rollback")
    connection.execute("pragma data_version").fetchall()
    assert found.raw == before


def test_it_tells_two_commits_of_the_same_row_apart(file: Path):
    connection = opened(file)
    found, seen = head(connection), []
    for _ in range(3):
        connection.execute("delete from t")
        connection.execute("insert into t values (1)")
        seen.append(found.raw)
    assert len(set(seen)) == 3


def test_it_can_be_read_after_its_connection_was_closed_and_is_let_go_with_its_last_holder(file: Path):
    connection = opened(file)
    found = head(connection)
    before = found.raw
    connection.close()
    assert not file.with_name("some.db-shm").exists()
    assert found.raw[:4] == before[:4]
    gone: list[tuple[int, int]] = []
    unmap = found.unmap
    found.unmap = lambda at, size: (gone.append((at, size)), unmap(at, size))
    del found
    gc.collect()
    assert [size for _, size in gone] == [4096]


def test_there_is_none_without_such_a_log(file: Path, monkeypatch: pytest.MonkeyPatch):
    assert head_of(apsw.Connection(":memory:")) is None
    plain = apsw.Connection(str(file))
    plain.execute("create table t (a integer)")
    assert head_of(plain) is None
    monkeypatch.setattr(wal_index, "_system", lambda: None)
    assert head_of(opened(file.with_name("other.db"))) is None
