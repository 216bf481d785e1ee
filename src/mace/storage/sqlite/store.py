"""The embedded store: WAL, full synchronous, one writer connection per process, group commit.

It decides nothing about events; it gives them their places in the tree and makes them durable. A commit that fails
fails every unit of its batch, aloud. Reads take a connection from a pool and see one snapshot each.
"""

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar
from weakref import WeakSet

import apsw

from mace.core.errors import Closed, MaceError, ServiceUnavailable, StorageFull
from mace.core.events import Head
from mace.storage.ports import Boundary, Exists, Tx, no_boundary
from mace.storage.sql import migrate, statements
from mace.storage.sql.group_commit import GroupCommit, Ticket
from mace.storage.sql.tables import Pending, SqlTx

T = TypeVar("T")

_WAL_PAUSE_MS = 20
_PACKAGE = "mace.storage.sqlite"
_HAS_STEPS = "select 1 from sqlite_master where name = 'schema_steps'"
_NEXT_POSITION = "select coalesce(max(position), -1) + 1 from events"


def _translate(error: BaseException) -> BaseException:
    """The store's own word for what the engine said; texts of SQLite name tables and files, never values."""
    if isinstance(error, MaceError) or not isinstance(error, apsw.Error):
        return error
    if isinstance(error, apsw.FullError):
        return StorageFull("the database or its disk is full")
    if isinstance(error, apsw.ConstraintError):
        if "UNIQUE" in str(error):
            return Exists("a row with this key exists")
        return ServiceUnavailable(f"SQLite refused the row: {type(error).__name__}")
    return ServiceUnavailable(f"SQLite: {type(error).__name__}")


class _Tip:
    """What the writer knows of the log's end while nobody else has written: the next position and recent heads.

    SQLite's data version moves when another connection has committed; then, and after any failure, all is looked up
    again. It also holds the `Tx` of the writer, which is made once.
    """

    _MAX_HEADS = 64  # most streams end with the verb that opened them; few are gone on with

    def __init__(self, connection: apsw.Connection, sql: dict[str, str]) -> None:
        self._connection = connection
        self._version: int | None = None
        self._next: int | None = None
        self._heads: dict[str, Head] = {}
        self.pending = Pending()

        def run(name: str, parameters: tuple[Any, ...]) -> list[tuple[Any, ...]]:
            return connection.execute(sql[name], parameters).fetchall()

        def run_many(name: str, rows: Sequence[tuple[Any, ...]]) -> None:
            connection.executemany(sql[name], rows)

        self.tx = SqlTx(run, self.pending, self.size, run_many=run_many)

    def size(self) -> int:
        if self._next is None:
            self._next = self._connection.execute(_NEXT_POSITION).fetchall()[0][0]  # type: ignore[assignment] # max + 1
        return self._next  # type: ignore[return-value] # just set

    def begun(self) -> None:
        """A transaction has begun: keep what is known only if nobody wrote since our last commit."""
        pending = self.pending
        pending.events.clear()
        pending.heads.clear()
        if self._version is None or self._connection.data_version() != self._version:
            self._next = None
            self._heads.clear()
        pending.known = self._heads

    def committed(self) -> None:
        self._version = self._connection.data_version()
        pending = self.pending
        if pending.events:
            self._next = None if self._next is None else self._next + len(pending.events)
            if len(self._heads) > self._MAX_HEADS:
                self._heads.clear()
            self._heads.update(pending.heads)

    def forget(self) -> None:
        self._version = self._next = None
        self._heads.clear()


class SqliteStore:
    def __init__(
        self,
        path: Path,
        *,
        busy_timeout_ms: int = 30_000,
        boundary: Boundary = no_boundary,
        read_only: bool = False,
    ) -> None:
        self._path = path
        self._busy_timeout_ms = busy_timeout_ms
        self._boundary = boundary
        self._sql = statements.load()
        self._idle: list[apsw.Connection] = []
        self._idle_guard = threading.Lock()
        self._watch = threading.local()
        self._watchers: WeakSet[apsw.Connection] = WeakSet()  # each goes when its thread does
        self._moves = 0
        self._closed = False
        self.commits = 0
        try:
            self._writer = None if read_only else self._connect(apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE)
            if self._writer is not None:
                self._migrate(self._writer)
            else:
                self._give_back(self._look_at(self._take()))
        except apsw.Error as error:
            raise _translate(error) from None
        if self._writer is not None:
            self._tip = _Tip(self._writer, self._sql)
        self._group = GroupCommit(self._run_batch)

    def _connect(self, flags: int) -> apsw.Connection:
        connection = apsw.Connection(str(self._path), flags=flags)
        connection.set_busy_timeout(self._busy_timeout_ms)
        # Without it SQLite looks at the values bound to an ordered query, and so plans it anew for every new value.
        connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
        if flags & apsw.SQLITE_OPEN_READWRITE:
            self._turn_to_wal(connection)
            connection.execute("pragma synchronous = full")
            connection.execute("pragma secure_delete = on")  # an erased key leaves no bytes in free pages
            connection.execute("pragma cache_size = -4000")  # a commit that split a page walks the table of all held
        else:
            connection.execute("pragma cache_size = -16000")
        return connection

    def _turn_to_wal(self, connection: apsw.Connection) -> None:
        """SQLite does not wait here by itself when several processes make one database at the same moment."""
        for _ in range(self._busy_timeout_ms // _WAL_PAUSE_MS):
            try:
                connection.execute("pragma journal_mode = wal")
                return
            except apsw.BusyError:
                time.sleep(_WAL_PAUSE_MS / 1000)
        connection.execute("pragma journal_mode = wal")

    @staticmethod
    def _migrate(connection: apsw.Connection) -> None:
        def execute(sql: str, parameters: tuple[Any, ...]) -> list[tuple[Any, ...]]:
            return list(connection.execute(sql, parameters or None))

        if migrate.is_current(execute, _PACKAGE, _HAS_STEPS):
            return  # the usual case: no write lock is taken
        connection.execute("begin immediate")
        try:
            migrate.run(execute, _PACKAGE, "?")
        except BaseException:
            connection.execute("rollback")
            raise
        connection.execute("commit")

    @staticmethod
    def _look_at(connection: apsw.Connection) -> apsw.Connection:
        """Refuse to read a database of another version; a reader cannot bring it up to date."""
        migrate.refuse_unless_current(lambda sql, _: list(connection.execute(sql)), _PACKAGE, _HAS_STEPS)
        return connection

    def write(self, unit: Callable[[Tx], T]) -> T:
        return self._group.write(unit)

    def _run_batch(self, tickets: list[Ticket]) -> None:
        connection = self._writer
        if connection is None or self._closed:
            self._fail(tickets, Closed("the store is closed or read-only"))
            return
        boundary = self._boundary
        tip = self._tip
        tx, pending = tip.tx, tip.pending
        execute = connection.execute
        alive = tickets
        inserting = False
        try:
            boundary("before begin")
            execute("begin immediate")
            tip.begun()
            boundary("after begin")
            if len(tickets) == 1:
                tickets[0].result = tickets[0].unit(tx)  # the transaction itself is its savepoint
            else:
                alive = [ticket for ticket in tickets if self._run_unit(connection, ticket, tx, pending)]
            boundary("after unit")
            boundary("before insert")
            inserting = True
            if pending.events:
                position = tip.size()
                connection.executemany(
                    self._sql["event_insert"],
                    [
                        (
                            position + at,
                            e.stream,
                            e.sequence_index,
                            e.event_id,
                            e.event_type,
                            e.body,
                            e.hash,
                            e.signature,
                        )
                        for at, e in enumerate(pending.events)
                    ],
                )
            inserting = False
            boundary("after insert")
            boundary("before commit")
            execute("commit")
            tip.committed()
            self.commits += 1
        except BaseException as error:
            tip.forget()
            if inserting and len(alive) > 1 and isinstance(_translate(error), Exists):
                connection.execute("rollback")
                for ticket in alive:  # one of them took a place that was taken: the others must not pay for it
                    self._run_batch([ticket])
                return
            self._fail(alive, error)
            if connection.in_transaction:
                with suppress(apsw.Error):  # then SQLite rolls back when the file is next opened
                    connection.execute("rollback")
            if not isinstance(error, Exception):
                raise
            return
        boundary("after commit")

    @staticmethod
    def _run_unit(connection: apsw.Connection, ticket: Ticket, tx: SqlTx, pending: Pending) -> bool:
        """Run one unit of several under a savepoint; say whether it stands."""
        mark = pending.mark()
        connection.execute("savepoint unit")
        try:
            ticket.result = ticket.unit(tx)
        except Exception as error:
            ticket.error = _translate(error)
            pending.roll_back(mark)
            if not connection.in_transaction:  # SQLite rolls all back by itself when the disk is full
                raise
            connection.execute("rollback to unit")
            connection.execute("release unit")
            return False
        connection.execute("release unit")
        return True

    @staticmethod
    def _fail(tickets: list[Ticket], error: BaseException) -> None:
        for ticket in tickets:
            ticket.result = None
            if ticket.error is None:  # each its own: whoever catches it may add to its details
                ticket.error = _translate(error) if isinstance(error, Exception) else ServiceUnavailable("interrupted")

    def read(self, look: Callable[[Tx], T]) -> T:
        if self._closed:
            raise Closed("the store is closed")
        connection = self._take()
        sql = self._sql

        def run(name: str, parameters: tuple[Any, ...]) -> list[tuple[Any, ...]]:
            return connection.execute(sql[name], parameters).fetchall()

        def size() -> int:
            return connection.execute(_NEXT_POSITION).fetchall()[0][0]  # type: ignore[return-value] # max(integer) + 1

        try:
            connection.execute("begin")
            try:
                return look(SqlTx(run, None, size))
            finally:
                connection.execute("rollback")
        except apsw.Error as error:
            raise _translate(error) from None
        finally:
            self._give_back(connection)

    def _take(self) -> apsw.Connection:
        with self._idle_guard:
            if self._idle:
                return self._idle.pop()
        try:
            return self._connect(apsw.SQLITE_OPEN_READONLY)
        except apsw.Error as error:
            raise _translate(error) from None

    def _give_back(self, connection: apsw.Connection) -> None:
        with self._idle_guard:
            if not self._closed and len(self._idle) < 32:
                self._idle.append(connection)
                return
        connection.close()

    def version(self) -> int | None:
        """A number that has moved if anyone committed since this thread last asked.

        `PRAGMA data_version` says so per connection, and its values mean nothing to another one: a thread that sees
        its own move counts the common number up.
        """
        watch = self._watch
        try:
            connection = watch.connection
        except AttributeError:
            if self._closed:
                return None
            connection = self._take()  # a new one where none is idle; this thread keeps it
            watch.connection, watch.seen = connection, None
            with self._idle_guard:
                self._watchers.add(connection)
        try:
            seen = connection.execute("pragma data_version").get
        except apsw.Error as error:
            raise _translate(error) from None
        if seen != watch.seen:
            watch.seen = seen
            with self._idle_guard:
                self._moves += 1
        return self._moves

    def describe(self) -> dict[str, str]:
        return {
            "kind": "sqlite",
            "place": str(self._path),
            "engine": f"SQLite {apsw.sqlite_lib_version()}",
            "durability": "WAL, synchronous FULL",
        }

    def scrub(self) -> None:
        """Empty the write-ahead log, whose old pages still hold what was deleted; free pages are zeroed at once."""
        with self._group.alone():
            if self._writer is None:
                raise Closed("the store is closed or read-only")
            try:
                busy = self._writer.execute("pragma wal_checkpoint(truncate)").fetchall()[0][0]
            except apsw.Error as error:
                raise _translate(error) from None
            if busy:
                raise ServiceUnavailable(
                    "the WAL could not be truncated because another process is reading the database"
                )

    def close(self) -> None:
        with self._idle_guard:
            self._closed = True
            idle, self._idle = [*self._idle, *self._watchers], []
        for connection in idle:
            connection.close()
        with self._group.alone():
            if self._writer is not None:
                self._writer.close()
                self._writer = None
