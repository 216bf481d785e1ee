"""The embedded store: WAL, full synchronous, one writer connection per process, group commit.

It decides nothing about events; it gives them their places in the tree and makes them durable. A commit that fails
fails every unit of its batch, aloud. Reads take a connection from a pool and see one snapshot each.
"""

import logging
import os
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar
from weakref import WeakSet

import apsw

from mace.core.errors import Closed, IntegrityFailure, MaceError, ServiceUnavailable, StorageFull
from mace.core.events import Head, NewEvent
from mace.storage.kept import Shelf
from mace.storage.ports import Boundary, Damage, Exists, Kept, Signing, Store, Tx, no_boundary, subject_rows
from mace.storage.sql import migrate, statements, topics
from mace.storage.sql.group_commit import GroupCommit, Ticket
from mace.storage.sql.tables import ONE_ROW_EACH, Pending, SqlTx, swallowed, token_in
from mace.storage.sqlite.people import Buffer, FileApart, PeopleFile

if TYPE_CHECKING:
    from mace.storage.sqlite.mending import Mended
    from mace.storage.sqlite.wal_index import IndexHead

T = TypeVar("T")
V = TypeVar("V")

_WAL_PAUSE_MS = 20
_PACKAGE = "mace.storage.sqlite"
_TO_VERIFY = "mace log verify (mace.verify) tells more"
_CHANGED = (
    "unsupported file format",
    "malformed",
    "no such table",
    "no such column",
    "has no column",
    "because it is a view",
)
_ADD_BLOB = "insert into vault_blobs (ref, key_ref, sealed) values (?, ?, ?)"
_NEXT_POSITION = "select coalesce(max(position), -1) + 1 from events"
_CHANGES_ALL = "select (select key_number from ledger_head), (select token from people_head)"  # see `tell`


_TENURE = frozenset({"job_set_status", "job_take_up", "vault_drop_key"})  # what may take a job from who plays it
_EVERY = 1 << 31
_log = logging.getLogger("mace")


class _NoHead:
    """Stands where the head of the log's index cannot be had."""

    raw = b""


_NO_HEAD = _NoHead()


class _Passed(BaseException):
    """A read that began before a key was let go asked for it; no error, so that nobody takes it for one."""


def _token(connection: apsw.Connection) -> str:
    try:
        held: Any = connection.execute("select token from people_head").fetchall()
    except apsw.SQLError:  # without the table nobody can use those keys, and every unit says so
        return ""
    return held[0][0] if held and isinstance(held[0][0], str) else ""


def _exists(table: str) -> str:
    return f"select 1 from sqlite_master where type = 'table' and name = '{table}'"  # noqa: S608 - our own names


@cache
def _boot() -> str:
    """Which start of the machine its clock counts from; empty where nobody tells."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
    except (OSError, ValueError):
        return ""


def _clock() -> tuple[str, float]:
    """The machine's own clock that nobody sets, the same for all its processes: the store is a file of one machine."""
    return _boot(), time.monotonic()


def _is_taken(error: apsw.ConstraintError) -> bool:
    """Say whether a row was refused because there is one with its key; the second text is what our guards say."""
    return "UNIQUE" in str(error) or "the row exists" in str(error)


def _translate(error: BaseException) -> BaseException:
    """The store's own word for what the engine said; texts of SQLite name tables and files, never values."""
    if isinstance(error, MaceError) or not isinstance(error, apsw.Error):
        return error
    if isinstance(error, apsw.FullError):
        return StorageFull("the database or its disk is full")
    if isinstance(error, apsw.ConstraintError):
        if _is_taken(error):
            return Exists("a row with this key exists")
        return ServiceUnavailable(f"SQLite refused the row: {type(error).__name__}")
    if isinstance(error, apsw.CorruptError | apsw.NotADBError):
        return IntegrityFailure(f"the database file is damaged; keep a copy of it; {_TO_VERIFY}; restore a backup")
    if isinstance(error, apsw.SQLError) and any(words in str(error) for words in _CHANGED):
        return IntegrityFailure(f"the database lacks a table, or one was changed; {_TO_VERIFY}; restore a backup")
    return ServiceUnavailable(f"SQLite: {type(error).__name__}")


_STATEMENTS = 400  # that stay ready; there are more than SQLite's library keeps by itself


class _Tip:
    """What the writer knows of the log's end while nobody else has written: the next position and recent heads.

    SQLite's data version moves when another connection has committed; then, and after any failure, all is looked up
    again. It also holds the `Tx` of the writer, which is made once.
    """

    _MAX_HEADS = 64  # most streams end with the verb that opened them; few are gone on with

    def __init__(self, connection: apsw.Connection, sql: dict[str, str], people: PeopleFile) -> None:
        self._connection = connection
        self._sql = sql
        self._token_known: str | None = None  # what the database says of the keys that are kept apart
        self.trusts = True  # that values have the types of their columns
        self._version: int | None = None
        self._next: int | None = None
        self._heads: dict[str, Head] = {}
        self.pending = Pending()
        self.asked: list[topics.Asked] = []  # the statements of this batch that change something

        note, looks = self.asked.append, topics.only_reads(sql)
        execute, changes = connection.execute, connection.changes

        def run(name: str, parameters: tuple[Any, ...]) -> list[tuple[Any, ...]]:
            only_looks = name in looks
            if not only_looks:
                note((name, parameters))
            try:
                rows = execute(sql[name], parameters).fetchall() if self.trusts else self._careful(name, parameters)
            except UnicodeDecodeError:
                return self._careful(name, parameters)
            if only_looks:
                return rows
            if name in ONE_ROW_EACH and changes() != 1:
                raise swallowed(name)
            if name in _TENURE:
                self._change_tenure()
            if name == "people_set_token":
                self._token_known = None
            return rows

        def run_many(name: str, rows: Sequence[tuple[Any, ...]]) -> None:
            before = connection.total_changes()
            note((name, ()))
            connection.executemany(sql[name], rows)
            if name in ONE_ROW_EACH and connection.total_changes() - before < len(rows):
                raise swallowed(name)

        def add_blob(ref: str, key_ref: str, sealed: bytes) -> bool:
            try:
                execute(_ADD_BLOB, (ref, key_ref, sealed))
            except apsw.ConstraintError as error:  # SQLite takes back this one statement alone
                if _is_taken(error):
                    return False
                raise
            return changes() == 1

        self.apart = Buffer()
        apart = FileApart(people, self._token, self.apart)
        self._run = run
        self.tx = SqlTx(run, self.pending, self.size, run_many=run_many, clock=_clock, apart=apart, add_blob=add_blob)
        self._generation = self._tenure = 0

    def _token(self) -> str:
        """Asked once while nobody else writes and no unit sets another."""
        if self._token_known is None:
            self._token_known = token_in(self._run)
        return self._token_known

    def _careful(self, name: str, parameters: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        from mace.storage.sqlite import inspecting

        return inspecting.careful(self._connection, name, self._sql[name], parameters)

    def size(self) -> int:
        if self._next is None:
            self._next = self._connection.execute(_NEXT_POSITION).fetchall()[0][0]  # type: ignore[assignment] # max + 1
        return self._next  # type: ignore[return-value] # just set

    def begun(self) -> bool:
        """A transaction has begun: keep what is known only if nobody wrote since our last commit; say whether not."""
        pending = self.pending
        pending.clear()
        self.asked.clear()
        self.apart.clear()
        moved = self._version is None or self._connection.data_version() != self._version
        if moved:
            self._next = None
            self._heads.clear()
            self.moved()
        pending.known = self._heads
        return moved

    def committed(self) -> None:
        self._version = self._connection.data_version()
        pending = self.pending
        if pending.events:
            self._next = None if self._next is None else self._next + len(pending.events)
            if len(self._heads) > self._MAX_HEADS:
                self._heads.clear()
            self._heads.update(pending.heads)

    def changed(self) -> set[topics.Topic] | None:
        """What this batch has changed, of all that somebody may have read; None: everything."""
        asked = self.asked
        asked += [(topics.APART_KEY, (ref,)) for ref in self.apart.keys]
        return topics.changed_by(asked, self.pending.about)

    def forget(self) -> None:
        self._version = self._next = None
        self._heads.clear()
        self.moved()

    def moved(self) -> None:
        """Somebody else may have written: nothing that was known of rows counts any more."""
        self._generation += 1
        self.tx.generation = self._generation
        self._token_known = None
        self._change_tenure()

    def _change_tenure(self) -> None:
        self._tenure += 1
        self.tx.tenure = self._tenure


class SqliteStore:
    def __init__(
        self,
        path: Path,
        *,
        busy_timeout_ms: int = 30_000,
        boundary: Boundary = no_boundary,
        read_only: bool = False,
        any_steps: bool = False,  # with `read_only`: as far as it can be read, whatever its list of steps says
        people: Path | None = None,  # the file of the keys that are kept apart; beside the database by default
    ) -> None:
        self._mended = self._mend(path) if read_only and any_steps else None
        self._path = str(path if self._mended is None else self._mended.file or path)
        self._people = PeopleFile(
            people or path.with_name("people.db"),
            busy_timeout_ms=busy_timeout_ms,
            boundary=boundary,
            read_only=read_only,
        )
        self._file = (0, 0)  # device and inode of the file that the writer has open
        self._busy_timeout_ms = busy_timeout_ms
        self._boundary = boundary
        self._sql = statements.load()
        self._idle: list[apsw.Connection] = []
        self._idle_guard = threading.Lock()
        self._watch = threading.local()
        self._watchers: WeakSet[apsw.Connection] = WeakSet()  # each goes when its thread does
        self._moves = 0
        self._kept: list[Shelf[Any]] = []
        self._others: Any = None  # what says of the writer's connection which commits of others it has seen
        self._common: Any = None  # what says whether those of others changed what every answer hangs on
        self._judge: apsw.Connection | None = None  # of a reader: what the writer's connection is for the others
        self.head: IndexHead | _NoHead = _NO_HEAD  # moves with every commit of anybody; empty: ask SQLite
        self.told: bytes | None = None  # what it was when the shelves were last told of everything
        self._times_told = 0  # the head is sought the second time: who reads once does without
        self._closed = False
        self._signing: Signing | None = None
        self._trusts = True  # that values have the types of their columns, until one has not
        self._due: Callable[[], None] | None = None  # after the next commit
        self.commits = 0
        try:
            self._writer = None if read_only else self._connect(apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE)
            if self._writer is not None:
                opened = path.stat()
                self._file = (opened.st_dev, opened.st_ino)
                self._migrate(self._writer)
                self._settle_people(self._writer)
            else:
                self._give_back(self._refuse_other(self._take()) if any_steps else self._look_at(self._take()))
        except apsw.SQLError as error:  # in a step of a new database: the words of the step are wrong
            raise ServiceUnavailable(f"SQLite: {type(error).__name__}") from None
        except apsw.Error as error:
            self._forget_copy()
            raise _translate(error) from None
        except BaseException:
            self._forget_copy()
            raise
        if self._writer is not None:
            self._tip = _Tip(self._writer, self._sql, self._people)
        self._group = GroupCommit(self._run_batch)

    @staticmethod
    def _mend(path: Path) -> "Mended":
        from mace.storage.sqlite import mending

        try:
            return mending.mend(path)
        except apsw.Error as error:
            raise _translate(error) from None

    def _refuse_other(self, connection: apsw.Connection) -> apsw.Connection:
        """Whatever is damaged is read as far as it can be; a whole database of another version is not."""
        from mace.storage.sqlite import inspecting

        def is_there(name: str) -> bool:
            return bool(connection.execute("select 1 from sqlite_master where name = ?", (name,)).fetchall())

        with suppress(apsw.Error, UnicodeDecodeError):  # then nobody can tell
            migrate.refuse_other_version(inspecting.steps(connection), _PACKAGE, is_there)
        return connection

    def _connect(self, flags: int) -> apsw.Connection:
        connection = apsw.Connection(self._path, flags=flags, statementcachesize=_STATEMENTS)
        connection.set_busy_timeout(self._busy_timeout_ms)
        if self._mended is not None:  # an object whose words cannot be read is left out, and the rest is read
            connection.execute("pragma writable_schema = on")
        # Without it SQLite looks at the values bound to an ordered query, and so plans it anew for every new value.
        connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
        if flags & apsw.SQLITE_OPEN_READWRITE:
            self._turn_to_wal(connection)
            connection.execute("pragma synchronous = full")
            connection.execute("pragma secure_delete = on")  # an erased key leaves no bytes in free pages
            connection.execute("pragma wal_autocheckpoint = 4000")  # pages that commits share are copied once; 16 MB
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

        if migrate.is_current(execute, _PACKAGE, _exists):
            return  # the usual case: no write lock is taken
        connection.execute("begin immediate")
        try:
            migrate.run(execute, _PACKAGE, "?", apsw.SQLError)
        except BaseException:
            if connection.in_transaction:
                connection.execute("rollback")
            raise
        connection.execute("commit")

    def _settle_people(self, connection: apsw.Connection) -> None:
        """Bring to its end what a process that died left in the file of people's keys."""
        token = _token(connection)
        self._people.refuse_if_lost(token)
        if self._people.is_settled():
            return  # the usual case: no write lock is taken
        connection.execute("begin immediate")
        try:
            token, size = _token(connection), int(connection.execute(_NEXT_POSITION).get)

            def is_used(ref: str) -> bool:
                under = connection.execute(self._sql["vault_keys_under"], (ref,)).fetchall()
                return bool(under or connection.execute(self._sql["vault_blob"], (ref,)).fetchall())

            unused = self._people.settle(token, size, is_used)
            if not unused:
                return
            token = self._people.prepare(dict.fromkeys(unused), "", token, size)
            connection.execute(self._sql["people_set_token"], (token,))
            connection.execute("commit")
            self._people.finish(token)
        finally:
            if connection.in_transaction:
                connection.execute("rollback")

    @staticmethod
    def _look_at(connection: apsw.Connection) -> apsw.Connection:
        """Refuse to read a database of another version; a reader cannot bring it up to date."""
        migrate.refuse_unless_current(lambda sql, _: list(connection.execute(sql)), _PACKAGE, _exists)
        return connection

    def follow(self, signing: Signing) -> None:
        self._signing = signing

    def write(self, unit: Callable[[Tx], T]) -> T:
        if self._due is None:
            return self._group.write(unit)
        result = self._group.write(unit)
        due, self._due = self._due, None
        if due is not None:  # else another thread has just taken it
            due()
        return result

    def once_committed(self, call: Callable[[], None]) -> None:
        self._due = call

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
        inserting = committing = False
        try:
            boundary("before begin")
            execute("begin immediate")
            if tip.begun() and self._signing is not None:
                self._signing.take_up(tx)
            boundary("after begin")
            if len(tickets) == 1:
                tx.noted.clear()
                tickets[0].result = tickets[0].unit(tx)  # the transaction itself is its savepoint
            else:
                alive = [ticket for ticket in tickets if self._run_unit(connection, ticket, tx, pending)]
            boundary("after unit")
            boundary("before insert")
            inserting = True
            if pending.events:
                position = tip.size()
                self._insert(connection, position, pending.events)
                if pending.about:
                    self._insert_subjects(connection, subject_rows(position, pending.events))
            inserting = False
            boundary("after insert")
            goes = "" if tip.apart.is_empty() else self._keep_apart(tip)
            boundary("before commit")
            self._refuse_if_moved()  # nothing is kept in a file that is elsewhere: it may be put back
            committing = True
            execute("commit")
            tip.committed()
            self.commits += 1
            if self._kept:  # after the commit, so that nobody keeps what was read before it; before anyone is told
                self._have_changed(tip.changed())
            if goes:
                self._let_go(goes)
            self._refuse_if_moved()  # it may have gone meanwhile
        except BaseException as error:
            tip.forget()
            if committing:  # nobody knows what became of it
                self._have_changed(None)
            error = self._explained(connection, error)
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

    def _keep_apart(self, tip: _Tip) -> str:
        """Make changes of the keys that are kept apart durable before the commit; return the token they wait for."""
        apart, run = tip.apart, tip.tx.run
        before = token_in(run)
        token = self._people.prepare(apart.keys, apart.master, before, tip.size())
        if token == before:
            return ""
        run("people_set_token", (token,))
        return token

    def _let_go(self, token: str) -> None:
        """The commit stands, and so does what waited for it, whether it is carried out now or by the next opening."""
        try:
            self._people.finish(token)
        except (apsw.Error, MaceError) as error:
            _log.warning("what was taken from the keys of people is still in their file: %s", type(error).__name__)

    def _insert(self, connection: apsw.Connection, position: int, events: list[NewEvent]) -> None:
        """Insert events from a position on; each must be there afterwards.

        One by one: where a table has triggers, SQLite first copies the rows of a larger statement to another one.
        """
        execute, changes, sql = connection.execute, connection.changes, self._sql["event_insert"]
        for at, e in enumerate(events, position):
            execute(sql, (at, e.stream, e.sequence_index, e.event_id, e.event_type, e.body, e.hash, e.signature))
            if changes() != 1:
                raise swallowed("event_insert")

    def _insert_subjects(self, connection: apsw.Connection, rows: Sequence[tuple[str, int]]) -> None:
        """Insert what events speak of; each row must be there afterwards."""
        execute, changes, sql = connection.execute, connection.changes, self._sql["subject_insert"]
        for row in rows:
            execute(sql, row)
            if changes() != 1:
                raise swallowed("subject_insert")

    def _explained(self, connection: apsw.Connection, error: BaseException) -> BaseException:
        if isinstance(error, AttributeError | TypeError):
            try:
                self._look_for_junk(connection, error)
            except IntegrityFailure as better:
                return better
        return error

    def _refuse_if_moved(self) -> None:
        """What was written to a file that nobody will find again is not saved: the path must still be that file."""
        try:
            there = os.stat(self._path)  # noqa: PTH116 - with every commit, and a third of the price
        except OSError:
            there = None
        if there is None or (there.st_dev, there.st_ino) != self._file:
            raise ServiceUnavailable("the database file was removed or replaced while it was open")

    def _run_unit(self, connection: apsw.Connection, ticket: Ticket, tx: SqlTx, pending: Pending) -> bool:
        """Run one unit of several under a savepoint; say whether it stands."""
        mark, apart = pending.mark(), self._tip.apart.mark()
        tx.noted.clear()
        connection.execute("savepoint unit")
        try:
            ticket.result = ticket.unit(tx)
        except Exception as error:
            ticket.error = _translate(self._explained(connection, error))
            pending.roll_back(mark)
            self._tip.apart.roll_back(apart)
            self._tip.moved()  # what was known of rows may be of this unit
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
        try:
            return self._read(look, self._must_be_newest)
        except _Passed:  # a key went while we looked: what we saw of the database was from before
            return self._read(look, lambda _token: None)

    def read_noting(self, look: Callable[[Tx], T]) -> tuple[T, set[topics.Topic], topics.MadeOf | None]:
        """The same for a short look, what the result depends on, and what it was made of.

        While no units run it is the writer's connection that reads: after a commit all others begin with empty pages.
        """
        asked: list[topics.Found] = []
        with self._group.alone_if_idle() as is_idle:
            writer = self._writer if is_idle and not self._closed else None
            try:
                found = self._read(look, self._must_be_newest, asked.append, writer)
            except _Passed:
                asked.clear()
                found = self._read(look, lambda _token: None, asked.append, writer)
        return found, topics.read_by(asked), topics.made_of(self._sql, asked) if self._trusts else None

    def is_spoken_of(self, subject: str) -> bool:
        """One statement is a snapshot by itself: it needs no transaction around it."""
        if self._closed:
            raise Closed("the store is closed")
        connection = self._take()
        try:
            return bool(connection.execute(self._sql["subject_any"], (subject,)).fetchall())
        except apsw.Error as error:
            raise _translate(error) from None
        finally:
            self._give_back(connection)

    def _must_be_newest(self, token: str) -> None:
        """A key is not there: look again if the database has let keys go since this read began."""
        connection = self._take()
        try:
            if _token(connection) != token:
                raise _Passed
        finally:
            self._give_back(connection)

    def _read(
        self,
        look: Callable[[Tx], T],
        missed: Callable[[str], None],
        note: Callable[[topics.Found], None] | None = None,
        lent: apsw.Connection | None = None,  # to read with
    ) -> T:
        if self._closed:
            raise Closed("the store is closed")
        connection = lent or self._take()
        sql = self._sql

        def run(name: str, parameters: tuple[Any, ...]) -> list[tuple[Any, ...]]:
            try:
                if self._trusts:
                    rows = connection.execute(sql[name], parameters).fetchall()
                    if note is not None:
                        note((name, parameters, rows))
                    return rows
            except UnicodeDecodeError:
                pass
            from mace.storage.sqlite import inspecting

            if note is not None:
                note((name, parameters, None))
            return inspecting.careful(connection, name, sql[name], parameters)

        def size() -> int:
            if note is not None:
                note(("size", (), None))
            return connection.execute(_NEXT_POSITION).fetchall()[0][0]  # type: ignore[return-value] # max(integer) + 1

        try:
            connection.execute("begin")
            try:
                apart = FileApart(self._people, lambda: token_in(run), None, missed, note)
                return look(SqlTx(run, None, size, clock=_clock, apart=apart))
            except (AttributeError, TypeError) as error:
                self._look_for_junk(connection, error)
                raise
            finally:
                connection.execute("rollback")
        except apsw.Error as error:
            raise _translate(error) from None
        finally:
            if lent is None:
                self._give_back(connection)

    def _look_for_junk(self, connection: apsw.Connection, error: Exception) -> None:
        """After an error that a value of a wrong type can cause: if there is one, say so and leave it out from now on.

        SQLite gives such values where a table was made anew without its types, or a bit fell over.
        """
        from mace.storage.sqlite import inspecting

        if self._trusts and not inspecting.are_sound(connection):
            self._trusts = False
            if self._writer is not None:
                self._tip.trusts = False
            raise IntegrityFailure("a row cannot be read; run verify") from error

    def inspect(self, *, quick: bool = False) -> list[Damage]:
        """Look at the file itself, its schema and its rows."""
        from mace.storage.sqlite import inspecting

        known = [] if self._mended is None else self._mended.damage
        found = self._looking(lambda connection: inspecting.inspect(connection, quick=quick))
        return [*known, *found, *self._people.inspect()]

    def salvage(self) -> Store:
        """A copy of every row that can be read; it takes about the room that the database takes."""
        from mace.storage.sqlite import inspecting

        return self._looking(lambda connection: inspecting.salvage(connection, self._left_of_people(connection)))

    def _left_of_people(self, connection: apsw.Connection) -> list[tuple[str, bytes]]:
        """The keys that are kept apart, as far as their file can be read."""
        try:
            token = _token(connection)
        except apsw.Error:
            token = ""
        try:
            return self._people.scan("", _EVERY, token)
        except apsw.Error:
            return []

    def _looking(self, look: Callable[[apsw.Connection], T]) -> T:
        if self._closed:
            raise Closed("the store is closed")
        connection = self._take()
        try:
            connection.execute("begin")
            try:
                return look(connection)
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
            ask = watch.ask
        except AttributeError:
            if self._closed:
                return None
            connection = self._take()  # a new one where none is idle; this thread keeps it
            ask = connection.cursor().execute  # one for all its questions
            watch.ask, watch.seen = ask, None
            with self._idle_guard:
                self._watchers.add(connection)
        try:
            seen = ask("pragma data_version").get
        except apsw.Error as error:
            raise _translate(error) from None
        if seen != watch.seen:
            watch.seen = seen
            with self._idle_guard:
                self._moves += 1
        return self._moves

    def keep(self, most_bytes: int) -> Kept[Any]:
        shelf: Shelf[Any] = Shelf(most_bytes)
        self._kept.append(shelf)
        return _Kept(self, shelf)

    def _have_changed(self, changed: set[topics.Topic] | None) -> None:
        for shelf in self._kept:
            shelf.change(changed)

    def tell(self) -> bool:
        """Take from the shelves what was changed until now, by anybody; False when that cannot be known at the moment.

        A commit of this process says itself what it changed. Whether anybody else has committed is what the writer's
        connection says: its data version moves with commits of others alone. While units run nobody can ask it. Others
        do not say what they changed: every answer is in doubt then, and ends where they changed which key signs or
        what counts of the keys that are kept apart.
        """
        seen: Any = None
        if not self.head.raw:  # nothing moves here: this thread's own connection is asked
            seen = self._seen()
            if seen is None:
                return False
            if self._times_told >= 2 and seen == getattr(self._watch, "told", None):
                return True
        with self._group.alone_if_idle() as is_idle:
            if not is_idle or self._closed:
                return False
            before = self.head.raw  # first: what is committed from here on moves it again
            try:
                if self._writer is None and self._judge is None:
                    self._judge = self._take()
                asked: apsw.Connection = self._writer or self._judge  # type: ignore[assignment] # one of them is there
                others = asked.execute("pragma data_version").get
                if others != self._others:
                    self._others_have_written(asked)
                    self._others = others
                self._times_told += 1
                if self._times_told == 2:
                    from mace.storage.sqlite.wal_index import head_of

                    self.head = head_of(asked) or _NO_HEAD  # of the connection that stays open
            except apsw.Error as error:
                raise _translate(error) from None
            if before:
                self.told = before
            else:
                self._watch.told = seen
            return True

    def _seen(self) -> Any:
        """The data version of this thread's own connection; None when the store is closed."""
        watch = self._watch
        if not hasattr(watch, "ask") and self.version() is None:  # else this thread has a connection to ask
            return None
        try:
            return watch.ask("pragma data_version").get
        except apsw.Error as error:
            raise _translate(error) from None

    def _others_have_written(self, connection: apsw.Connection) -> None:
        try:
            common: Any = connection.execute(_CHANGES_ALL).fetchall()
        except (apsw.SQLError, UnicodeDecodeError):  # a table is gone: whoever looks says so
            common = None
        if common is None or common != self._common:
            self._common = common
            self._have_changed(None)
            return
        for shelf in self._kept:
            shelf.doubt()

    def ask_again(self, made_of: topics.MadeOf) -> bool:
        """Say whether everything that an answer was made of is the same in a snapshot that is taken now.

        One statement is a snapshot by itself, and this thread's own connection needs no lock.
        """
        watch = self._watch
        if self._closed or not self._trusts or (not hasattr(watch, "ask") and self.version() is None):
            return False
        sql, parameters, expected = made_of
        try:
            return bool(watch.ask(sql, parameters).fetchall() == expected)
        except (apsw.Error, UnicodeDecodeError):
            with suppress(apsw.Error):
                watch.ask("pragma data_version").fetchall()  # ends the statement, and with it the snapshot
            return False  # whoever looks finds out what it is

    def describe(self) -> dict[str, str]:
        return {
            "kind": "sqlite",
            "place": self._path,
            "engine": f"SQLite {apsw.sqlite_lib_version()}",
            "durability": "WAL, synchronous FULL",
        }

    def scrub(self, wait_ms: int = 0, *, records: bool = False) -> None:
        """Empty the write-ahead log, whose old pages still hold what was deleted; free pages are zeroed at once."""
        with self._group.alone():
            if self._writer is None:
                raise Closed("the store is closed or read-only")
            try:
                self._writer.set_busy_timeout(wait_ms)  # a reader may stay for hours
                busy = self._writer.execute("pragma wal_checkpoint(truncate)").fetchall()[0][0]
            except apsw.Error as error:
                raise _translate(error) from None
            finally:
                self._writer.set_busy_timeout(self._busy_timeout_ms)
            if busy:
                raise ServiceUnavailable(
                    "the WAL could not be truncated because another process is reading the database"
                )
            self._settle_people(self._writer)
            self._tip.moved()  # that may have set another token
            self._have_changed(None)

    def close(self) -> None:
        with self._idle_guard:
            self._closed = True
            idle, self._idle = [*self._idle, *self._watchers], []
        for connection in idle:
            connection.close()
        with self._group.alone():
            self.told = None  # what was kept is answered no more
            if self._writer is not None:
                self._writer.close()
                self._writer = None
            if self._judge is not None:
                self._judge.close()
                self._judge = None
            self._people.close()
        self._forget_copy()

    def _forget_copy(self) -> None:
        if self._mended is not None:
            self._mended.remove()


class _Kept(Generic[V]):
    """What was read of this store and is kept."""

    def __init__(self, store: SqliteStore, shelf: Shelf[V]) -> None:
        self._store = store
        self._shelf = shelf
        self._answers = shelf.answers  # the same for ever
        self.clear = shelf.clear

    def get(self, name: str) -> V | None:
        """The answer that was kept, if it is what a read that begins now would give.

        Nothing was committed since the shelves were told, or they are told first.
        """
        store = self._store
        if store.head.raw == store.told:
            try:
                return self._answers[name]
            except KeyError:
                return self._if_same(name)
        held = self._answers.get(name) if store.tell() else None
        return held if held is not None else self._if_same(name)

    def _if_same(self, name: str) -> V | None:
        """An answer that is in doubt, or of which nobody can say now whether it is, if its rows are the same still."""
        shelf = self._shelf
        changes = shelf.changes  # before its rows are asked for: what changes in between may have changed them
        entry = shelf.entry(name)
        if entry is None or not self._store.ask_again(entry[1]):
            return None
        shelf.same(name, entry[0], changes)
        return entry[0]

    def read(self, name: str, look: Callable[[Tx], tuple[V, int]]) -> V:
        changes = self._shelf.changes  # before the read: what changes in between is not kept
        (answer, size), depends_on, made_of = self._store.read_noting(look)
        self._shelf.put(name, answer, size, depends_on, changes, made_of)
        return answer
