"""The store for several nodes: PostgreSQL through a pool, one batch of units per transaction.

Nodes never queue behind one lock per event. A unit locks only the streams it appends to; the one row that counts the
tree's positions is locked once per batch, as its last step before the commit (ADR 0004). A connection lost during
COMMIT leaves the outcome open, so the batch's last event is looked for before anything is said.
"""

import threading
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import psycopg
from psycopg import errors
from psycopg.types.string import TextLoader
from psycopg_pool import ConnectionPool, PoolTimeout

from mace.core.errors import (
    Closed,
    IntegrityFailure,
    InvalidInput,
    MaceError,
    PreconditionFailed,
    ServiceUnavailable,
    StorageFull,
)
from mace.core.events import NewEvent
from mace.storage.kept import KeepsNothing
from mace.storage.ports import Boundary, Damage, Exists, Kept, Signing, Store, Tx, no_boundary, subject_rows
from mace.storage.sql import migrate, statements
from mace.storage.sql.experience import Run
from mace.storage.sql.group_commit import GroupCommit, Ticket
from mace.storage.sql.tables import ONE_ROW_EACH, Pending, SqlTx, swallowed, token_in

T = TypeVar("T")

_PACKAGE = "mace.storage.postgres"
_MIGRATION_LOCK = 4_811_217
# A count that somebody set back must not make two events share a place; one set forward leaves a gap, which is found.
_TAKE_POSITIONS = """
insert into ledger_head (size) select %(more)s + coalesce(max(position), -1) + 1 from events
on conflict (only_row) do update set size = %(more)s + greatest(ledger_head.size, excluded.size - %(more)s)
returning size - %(more)s, key_number
"""
_CLOCK = "select extract(epoch from clock_timestamp())::double precision"
_SIZE = """
select greatest((select max(size) from ledger_head), (select coalesce(max(position), -1) + 1 from events))
"""
_TRIES = 3  # of a batch that lost a deadlock
_KEY_CHANGES = 10  # that one batch lives through
_SIGNING_BEGIN = b"insert into ledger_head (size, key_number) select coalesce(max(position), -1) + 1, %s from events"
_APART = {
    "person_key": "select wrapped from mace_people.person_keys where ref = %s",
    "person_add": "insert into mace_people.person_keys (ref, wrapped) values (%s, %s)",
    "person_drop": "delete from mace_people.person_keys where ref = %s returning ref",
    "person_scan": "select ref, wrapped from mace_people.person_keys where ref > %s order by ref limit %s",
    "people_master": "select master_id from mace_people.master",
    "people_set_master": (
        "insert into mace_people.master (only_row, master_id) values (1, %s) "
        "on conflict (only_row) do update set master_id = excluded.master_id"
    ),
}
_BEGUN = "schema"  # the token while the keys of people lie in their schema: both are in one commit
_KEY_NUMBER = "select key_number from ledger_head for share"


def _exists(table: str) -> str:
    return f"select 1 where to_regclass('{table}') is not null"


_TO_VERIFY = "mace log verify (mace.verify) tells more"


def _translate(error: BaseException) -> BaseException:
    """The store's own word for what the engine said; its detail lines could hold values and are left out."""
    if isinstance(error, MaceError) or not isinstance(error, psycopg.Error | PoolTimeout):
        return error
    if isinstance(error, errors.DiskFull | errors.OutOfMemory):
        return StorageFull("PostgreSQL has no space left")
    if isinstance(error, errors.UniqueViolation):
        return Exists("a row with this key exists")
    if isinstance(error, errors.DataCorrupted | errors.IndexCorrupted):
        return IntegrityFailure(
            "PostgreSQL found its data damaged; mace log verify (mace.verify) tells more; restore a backup"
        )
    if isinstance(error, errors.UndefinedTable | errors.UndefinedColumn | errors.WrongObjectType):
        return IntegrityFailure(f"the database lacks a table, or one was changed; {_TO_VERIFY}; restore a backup")
    if isinstance(error, psycopg.DataError):
        return InvalidInput("a value contains something PostgreSQL cannot store, such as NUL in a string")
    return ServiceUnavailable(f"PostgreSQL: {type(error).__name__}")


def _prepare(connection: psycopg.Connection[Any]) -> None:
    connection.adapters.register_loader("json", TextLoader)  # the signed text, not a parsed copy


class _KeyChanged(Exception):
    """Another node has begun to sign with a newer key than this batch was signed with."""


class _Busy(Exception):
    """Another node holds what this unit needs, and units before it in the batch hold what others may need."""


class _Locks:
    """The advisory locks of one transaction.

    Only a unit before which nothing in the batch holds a lock waits for one. Two nodes whose batches took the same two
    keys in different order would otherwise stop each other until the server notices, a second later.
    """

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection
        self.may_wait = True

    def __call__(self, name: str) -> None:
        if self.may_wait:
            self._connection.execute("select pg_advisory_xact_lock(hashtextextended(%s, 0))", (name,))
            return
        got = self._connection.execute("select pg_try_advisory_xact_lock(hashtextextended(%s, 0))", (name,)).fetchone()
        if got is None or not got[0]:
            raise _Busy


_OLDER_READERS = """
select exists (
  select from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid() and backend_xmin is not null and age(backend_xmin) > 0
)
"""


class _SchemaApart:
    """The keys that are kept apart, in a schema of their own; they are committed with everything else."""

    def __init__(self, run: Run, lock: Callable[[str], None] | None) -> None:
        self._run = run
        self._lock = lock

    def _alone(self) -> None:
        """A rotation of the master key on another node is before this or after it."""
        if self._lock is not None:
            self._lock("people")

    def key(self, ref: str) -> bytes | None:
        rows = self._run("person_key", (ref,))
        return rows[0][0] if rows else None

    def add(self, ref: str, wrapped: bytes) -> None:
        self._alone()
        self._run("person_add", (ref, wrapped))

    def drop(self, ref: str) -> bool:
        self._alone()
        gone = bool(self._run("person_drop", (ref,)))
        if not gone and self.key(ref) is not None:
            raise swallowed("person_drop")
        return gone

    def scan(self, after: str, limit: int) -> list[tuple[str, bytes]]:
        return [(row[0], row[1]) for row in self._run("person_scan", (after, limit))]

    def master(self) -> str:
        rows = self._run("people_master", ())
        return str(rows[0][0]) if rows else ""

    def set_master(self, master_id: str) -> None:
        self._alone()
        self._run("people_set_master", (master_id,))

    def begin(self) -> None:
        if not token_in(self._run):
            self._run("people_set_token", (_BEGUN,))


class PostgresStore:
    def __init__(
        self,
        url: str,
        *,
        connect_timeout_s: int = 5,
        pool_size: int = 8,
        boundary: Boundary = no_boundary,
        read_only: bool = False,
        any_steps: bool = False,  # with `read_only`: whatever its list of steps says
    ) -> None:
        self._boundary = boundary
        self._read_only = read_only
        self._sql = {name: text.encode() for name, text in statements.load("%s").items()}
        self._sql["signing_begin"] = _SIGNING_BEGIN  # there the row counts positions, too
        self._sql |= {name: text.encode() for name, text in _APART.items()}
        self.commits = 0
        self._trusts = True  # that values have the types of their columns, until one has not
        self._shut = threading.Event()
        self._signing: Signing | None = None
        self._unsure = True  # whether the key that signs is the one that the database knows
        self._pool = ConnectionPool(
            url,
            min_size=1,
            max_size=pool_size,
            timeout=connect_timeout_s,
            reconnect_timeout=connect_timeout_s,
            kwargs={"autocommit": True, "connect_timeout": connect_timeout_s},
            configure=_prepare,
            check=ConnectionPool.check_connection,
            open=False,
        )
        try:
            self._pool.open(wait=True, timeout=connect_timeout_s)
            if read_only and any_steps:
                self._refuse_other_version()
            else:
                self._migrate()
        except psycopg.ProgrammingError as error:  # in a step of a new database: the words of the step are wrong
            self._pool.close()
            raise ServiceUnavailable(f"PostgreSQL: {type(error).__name__}") from None
        except (psycopg.Error, PoolTimeout) as error:
            self._pool.close()
            raise _translate(error) from None
        except BaseException:
            self._pool.close()
            raise
        self._group = GroupCommit(self._run_batch)

    def _migrate(self) -> None:
        with self._pool.connection() as connection:

            def execute(text: str, parameters: tuple[Any, ...]) -> list[tuple[Any, ...]]:
                try:
                    cursor = connection.execute(text.encode(), parameters or None)
                except errors.InsufficientPrivilege:
                    raise PreconditionFailed(
                        "this role of PostgreSQL may not create what MACE needs: tables, and the schema mace_people "
                        "for people's keys; let it (grant create on database ... to ...), or make the schema for it "
                        "(create schema mace_people authorization ...)"
                    ) from None
                return cursor.fetchall() if cursor.description else []

            if self._read_only:
                migrate.refuse_unless_current(execute, _PACKAGE, _exists)
            if migrate.is_current(execute, _PACKAGE, _exists):
                return
            with connection.transaction():
                execute(f"select pg_advisory_xact_lock({_MIGRATION_LOCK})", ())
                migrate.run(execute, _PACKAGE, "%s", psycopg.ProgrammingError)

    def _refuse_other_version(self) -> None:
        """Whatever is damaged is read as far as it can be; a whole database of another version is not."""
        with self._pool.connection() as connection:
            try:
                rows = connection.execute(b"select number, name, sha256 from schema_steps").fetchall()
            except psycopg.ProgrammingError:
                return  # nobody can tell; that it is gone is named where the schema is looked at
            migrate.refuse_other_version(
                {number: (name, digest) for number, name, digest in rows},
                _PACKAGE,
                lambda name: bool(connection.execute(_exists(name).encode()).fetchall()),
            )

    def follow(self, signing: Signing) -> None:
        self._signing = signing

    def write(self, unit: Callable[[Tx], T]) -> T:
        return self._group.write(unit)

    def _run_batch(self, tickets: list[Ticket]) -> None:
        if self._read_only or self._shut.is_set():
            self._fail(tickets, Closed("the store is closed or read-only"))
            return
        while tickets:
            tickets = self._run_once(tickets)

    def _run_once(self, tickets: list[Ticket]) -> list[Ticket]:
        """Run units in one transaction, again after each change of the key they were signed with."""
        for _ in range(_KEY_CHANGES):
            try:
                return self._run_signed(tickets)
            except _KeyChanged:
                for ticket in tickets:
                    ticket.result = ticket.error = None
        self._fail(tickets, ServiceUnavailable("the signing key changes faster than a batch can be written"))
        return []

    def _run_signed(self, tickets: list[Ticket]) -> list[Ticket]:
        """Run units in one transaction; return those that would have had to wait for another node's."""
        for attempt in range(_TRIES):
            try:
                return self._try_batch(tickets)
            except (errors.DeadlockDetected, errors.SerializationFailure) as error:
                if attempt == _TRIES - 1:
                    self._fail(tickets, error)
                    break
                for ticket in tickets:
                    ticket.result = ticket.error = None
        return []

    def _try_batch(self, tickets: list[Ticket]) -> list[Ticket]:
        boundary = self._boundary
        pending = Pending()
        alive = tickets
        later: list[Ticket] = []
        stage = "begin"
        try:
            boundary("before begin")
            with self._pool.connection() as connection:
                connection.execute("begin")
                try:
                    if self._unsure and self._signing is not None:
                        self._signing.take_up(self._tx(connection, None))
                    self._unsure = True
                    boundary("after begin")
                    alive, later = self._run_units(connection, tickets, pending)
                    boundary("after unit")
                    boundary("before insert")
                    stage = "insert"
                    self._insert(connection, pending.events)
                    stage = "inserted"
                    boundary("after insert")
                    boundary("before commit")
                    stage = "commit"
                    connection.execute("commit")
                    self.commits += 1
                    self._unsure = False
                    stage = "done"
                    boundary("after commit")
                finally:
                    if stage != "done" and not connection.closed:
                        connection.rollback()
        except (errors.DeadlockDetected, errors.SerializationFailure, _KeyChanged):
            raise
        except BaseException as error:
            if stage == "insert" and len(alive) > 1 and isinstance(error, errors.UniqueViolation):
                for ticket in alive:  # one of them took a place that was taken: the others must not pay for it
                    self._run_batch([ticket])
            elif stage == "commit" and isinstance(error, psycopg.OperationalError) and self._landed(pending):
                self.commits += 1
            else:
                self._fail(alive, error)
                if not isinstance(error, Exception):
                    raise
        return later

    def _run_units(
        self, connection: psycopg.Connection[Any], tickets: list[Ticket], pending: Pending
    ) -> tuple[list[Ticket], list[Ticket]]:
        """Run units; return those that stand, and those for whose locks others would have had to be waited for."""
        locks = _Locks(connection)
        tx = self._tx(connection, pending, locks)
        alive: list[Ticket] = []
        later: list[Ticket] = []
        for ticket in tickets:
            locks.may_wait = not alive
            try:
                if self._run_unit(connection, ticket, tx, pending, len(tickets) == 1):
                    alive.append(ticket)
            except _Busy:
                later.append(ticket)
        return alive, later

    def _tx(
        self, connection: psycopg.Connection[Any], pending: Pending | None, lock: Callable[[str], None] | None = None
    ) -> SqlTx:
        statements_by_name = self._sql

        def run(name: str, parameters: tuple[Any, ...]) -> list[tuple[Any, ...]]:
            cursor = connection.execute(statements_by_name[name], parameters)
            if name in ONE_ROW_EACH and cursor.rowcount != 1:
                raise swallowed(name)
            if self._trusts:
                return cursor.fetchall() if cursor.description else []
            from mace.storage.sql import shape

            rows = cursor.fetchall() if cursor.description else []
            return rows if name in _APART else shape.good_rows(name, rows)

        def size() -> int:
            row = connection.execute(_SIZE).fetchone()
            return int(row[0])  # type: ignore[index] # it always returns its row

        def run_many(name: str, rows: Sequence[tuple[Any, ...]]) -> None:
            cursor = connection.cursor()
            cursor.executemany(statements_by_name[name], rows)
            if name in ONE_ROW_EACH and rows and cursor.rowcount != len(rows):
                raise swallowed(name)

        def clock() -> tuple[str, float]:
            row = connection.execute(_CLOCK).fetchone()
            return "server", float(row[0])  # type: ignore[index] # it always returns its row

        return SqlTx(run, pending, size, lock, run_many, clock=clock, apart=_SchemaApart(run, lock))

    def _insert(self, connection: psycopg.Connection[Any], events: list[NewEvent]) -> None:
        if not events:  # what it wrote beside the log may be signed, too
            row = connection.execute(_KEY_NUMBER).fetchone()
            self._refuse_older_key(0 if row is None else int(row[0]))
            return
        row = connection.execute(_TAKE_POSITIONS, {"more": len(events)}).fetchone()
        first = int(row[0])  # type: ignore[index] # it always returns its row
        self._refuse_older_key(int(row[1]))  # type: ignore[index]
        cursor = connection.cursor()
        cursor.executemany(
            self._sql["event_insert"],
            [
                (
                    first + at,
                    e.stream,
                    e.sequence_index,
                    e.event_id,
                    e.event_type,
                    e.body,
                    e.hash,
                    e.signature,
                )
                for at, e in enumerate(events)
            ],
        )
        if cursor.rowcount != len(events):
            raise swallowed("event_insert")
        named = subject_rows(first, events)
        if named:
            cursor.executemany(self._sql["subject_insert"], named)
            if cursor.rowcount != len(named):
                raise swallowed("subject_insert")

    def _refuse_older_key(self, number: int) -> None:
        if self._signing is not None and number > self._signing.active_number:
            raise _KeyChanged

    def _explained(self, connection: psycopg.Connection[Any], error: Exception) -> Exception:
        if isinstance(error, AttributeError | TypeError):
            try:
                self._look_for_junk(connection, error)
            except IntegrityFailure as better:
                return better
        return error

    def _run_unit(
        self, connection: psycopg.Connection[Any], ticket: Ticket, tx: SqlTx, pending: Pending, alone: bool
    ) -> bool:
        mark = pending.mark()
        tx.noted.clear()
        if not alone:
            connection.execute("savepoint unit")
        try:
            ticket.result = ticket.unit(tx)
        except (errors.DeadlockDetected, errors.SerializationFailure):
            raise
        except _Busy:
            pending.roll_back(mark)
            connection.execute("rollback to savepoint unit")
            raise
        except Exception as error:
            ticket.error = _translate(self._explained(connection, error))
            pending.roll_back(mark)
            if alone or connection.closed:
                raise
            connection.execute("rollback to savepoint unit")
            return False
        if not alone:
            connection.execute("release savepoint unit")
        return True

    def _landed(self, pending: Pending) -> bool:
        """After a connection died in COMMIT: is the batch there? Unknown counts as no, and says so."""
        if not pending.events:
            return False
        last = pending.events[-1]
        try:
            found = self.read(lambda tx: tx.events.at(last.stream, last.sequence_index))
        except MaceError:
            return False
        return found is not None and found.hash == last.hash

    @staticmethod
    def _fail(tickets: list[Ticket], error: BaseException) -> None:
        for ticket in tickets:
            ticket.result = None
            if ticket.error is None:  # each its own: whoever catches it may add to its details
                ticket.error = _translate(error) if isinstance(error, Exception) else ServiceUnavailable("interrupted")

    def read(self, look: Callable[[Tx], T]) -> T:
        if self._shut.is_set():
            raise Closed("the store is closed")
        try:
            with self._pool.connection() as connection:
                connection.execute("begin isolation level repeatable read read only")
                try:
                    return look(self._tx(connection, None))
                except (AttributeError, TypeError) as error:
                    self._look_for_junk(connection, error)
                    raise
                finally:
                    if not connection.closed:
                        connection.rollback()
        except (psycopg.Error, PoolTimeout) as error:
            raise _translate(error) from None

    def _look_for_junk(self, connection: psycopg.Connection[Any], error: Exception) -> None:
        """After an error that a value of a wrong type can cause: if there is one, say so and leave it out from now on.

        The server gives such values where somebody changed a table.
        """
        from mace.storage.postgres import inspecting

        if self._trusts and not inspecting.are_sound(connection):
            self._trusts = False
            raise IntegrityFailure("a row cannot be read; run verify") from error

    def inspect(self, *, quick: bool = False) -> list[Damage]:
        """Look at the schema and at the rows; damaged pages are the server's to find."""
        from mace.storage.postgres import inspecting

        return self._looking(lambda connection: inspecting.inspect(connection, quick=quick))

    def salvage(self) -> Store:
        """A copy of every row that can be read, on this machine; it takes about the room that the tables take."""
        from mace.storage.postgres import inspecting

        return self._looking(inspecting.salvage)

    def _looking(self, look: Callable[[psycopg.Connection[Any]], T]) -> T:
        if self._shut.is_set():
            raise Closed("the store is closed")
        try:
            with self._pool.connection() as connection:
                connection.execute("begin isolation level repeatable read read only")
                try:
                    return look(connection)
                finally:
                    if not connection.closed:
                        connection.rollback()
        except (psycopg.Error, PoolTimeout) as error:
            raise _translate(error) from None

    def is_spoken_of(self, subject: str) -> bool:
        return self.read(lambda tx: tx.events.is_spoken_of(subject))

    def version(self) -> int | None:
        return None  # asking the server costs as much as reading the fact

    def keep(self, most_bytes: int) -> Kept[Any]:
        return KeepsNothing(self)

    def describe(self) -> dict[str, str]:
        with self._pool.connection() as connection:
            info = connection.info
            return {
                "kind": "postgres",
                "place": f"{info.host}:{info.port}/{info.dbname}",
                "engine": f"PostgreSQL {info.server_version // 10000}.{info.server_version % 10000}",
                "durability": str(connection.execute("show synchronous_commit").fetchone()[0]),  # type: ignore[index]
            }

    def scrub(self, wait_ms: int = 0, *, records: bool = False) -> None:
        """Write the tables of keys anew, without what was deleted, and that of records where rows of it were.

        The server's own logs and backups are beyond us. Whoever reads in a transaction that is older than the erasure
        keeps the server from letting go of rows.
        """
        try:
            with self._pool.connection() as connection:
                older = connection.execute(_OLDER_READERS).fetchone()
                if older is not None and older[0]:
                    raise ServiceUnavailable("old rows stay while an older transaction reads the database")
                connection.execute(f"set lock_timeout = {max(1, wait_ms)}")  # in milliseconds; 0 would wait for ever
                try:
                    connection.execute("vacuum (full) vault_keys")
                    connection.execute("vacuum (full) mace_people.person_keys")
                    if records:
                        connection.execute("vacuum (full) records")
                finally:
                    connection.execute("reset lock_timeout")
        except (psycopg.Error, PoolTimeout) as error:
            raise _translate(error) from None

    def once_committed(self, call: Callable[[], None]) -> None:
        """Writing a table anew is not for every commit: sweeps try again."""

    def close(self) -> None:
        if not self._shut.is_set():
            self._shut.set()
            self._pool.close()
