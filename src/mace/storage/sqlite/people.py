"""The file of the keys that are kept apart: people's, wrapped by the master key. A copy of `mace.db` has none of them.

Two files have no common commit. A new key is durable here before the database commits the first row under it; left
unused by a process that died it opens nothing, and goes with the next opening. What is dropped or changed waits here,
durably, under a token, and counts from the commit of the database that names the token: until then nothing has
happened, from then on it has, whoever looks. Afterwards it is carried out here, at once by the process that did it, or
by the next that opens the store or changes keys. All changes are made under the database's own write lock.

No write-ahead log: the journal is gone with the commit, and what was deleted is overwritten.
"""

import os
import threading
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

import apsw

from mace.core.errors import PreconditionFailed, ServiceUnavailable
from mace.storage.ports import Boundary, Damage, Exists
from mace.storage.sql.topics import APART_KEY, Found

_SCHEMA = """
create table person_keys (ref text primary key, wrapped blob not null) strict, without rowid;
create table unused (ref text primary key, made_at text not null) strict, without rowid;
create table waiting (ref text primary key, wrapped blob) strict, without rowid;
create table head (
  only_row integer primary key check (only_row = 1),
  master_id text not null,
  token text not null,
  next_master_id text not null
) strict;
insert into head (only_row, master_id, token, next_master_id) values (1, '', '', '');
"""
_MAX_CACHED = 10_000
_NOTHING = object()

Changes = dict[str, bytes | None]


class PeopleFile:
    def __init__(self, path: Path, *, busy_timeout_ms: int, boundary: Boundary, read_only: bool) -> None:
        self.path = path
        self._busy_timeout_ms = busy_timeout_ms
        self._boundary = boundary
        self._read_only = read_only
        self._guard = threading.RLock()
        self._connection: apsw.Connection | None = None
        self._file = (0, 0)  # device and inode of the file that is open
        self._closed = False
        self._seen: Any = None
        self._cached: dict[str, bytes] = {}
        self._cached_under: str | None = None  # the token
        self._waiting: Changes = {}
        self._master = self._token = self._next_master = ""

    # Looking

    def key(self, ref: str, token: str) -> bytes | None:
        """A key as it is for a reader who sees this token in the database.

        What was read under a token stays as it is: whoever drops or changes a key changes the token.
        """
        with self._guard:
            wrapped = self._cached.get(ref)
            if wrapped is not None and token == self._cached_under:
                return wrapped
            connection = self._look()
            if connection is None or not self._has_begun(token):
                return None
            if token != self._cached_under or len(self._cached) >= _MAX_CACHED:
                self._cached.clear()
                self._cached_under = token
            held = self._waiting.get(ref, _NOTHING) if token and token == self._token else _NOTHING
            if held is _NOTHING:
                found: Any = connection.execute("select wrapped from person_keys where ref = ?", (ref,)).fetchall()
                held = found[0][0] if found else None
            if held is not None:
                self._cached[ref] = held  # type: ignore[assignment] # bytes
            return held  # type: ignore[return-value] # bytes or None

    def _has_begun(self, token: str) -> bool:
        """Whether a commit of the database has ever named a key of this file; before that, nothing here counts."""
        return bool(token or self._master)

    def scan(self, after: str, limit: int, token: str) -> list[tuple[str, bytes]]:
        with self._guard:
            connection = self._look()
            if connection is None or not self._has_begun(token):
                return []
            waiting = self._waiting if token and token == self._token else {}
            rows: Any = connection.execute(
                "select ref, wrapped from person_keys where ref > ? order by ref limit ?", (after, limit + len(waiting))
            ).fetchall()
            found: Changes = {**dict(rows), **{ref: new for ref, new in waiting.items() if ref > after}}
            return sorted((ref, wrapped) for ref, wrapped in found.items() if wrapped is not None)[:limit]

    def master(self, token: str) -> str:
        with self._guard:
            if self._look() is None:
                return ""
            return self._next_master if token and token == self._token else self._master

    def _look(self) -> apsw.Connection | None:
        """The connection, with what is remembered of the file brought up to date; None where there is no file."""
        connection = self._open(create=False)
        if connection is None:
            return None
        version = connection.execute("pragma data_version").get
        if version != self._seen:
            self._forget()
            head: Any = connection.execute("select master_id, token, next_master_id from head").fetchall()
            self._master, self._token, self._next_master = head[0] if head else ("", "", "")
            rows: Any = connection.execute("select ref, wrapped from waiting").fetchall()
            self._waiting = dict(rows)
            self._seen = version
        return connection

    def _forget(self) -> None:
        self._seen = None
        self._cached = {}
        self._cached_under = None
        self._waiting = {}
        self._master = self._token = self._next_master = ""

    def _open(self, *, create: bool) -> apsw.Connection | None:
        if self._connection is not None or self._closed:
            return self._connection
        if not self.path.exists():
            if not create:
                return None
            self._create()
        connection = self._connect()
        there = self.path.stat()
        self._file = (there.st_dev, there.st_ino)
        if create and not connection.execute("select 1 from sqlite_master where name = 'head'").fetchall():
            connection.execute("begin immediate")
            try:
                if not connection.execute("select 1 from sqlite_master where name = 'head'").fetchall():
                    connection.execute(_SCHEMA)
            except BaseException:
                connection.execute("rollback")
                connection.close()
                raise
            connection.execute("commit")
        elif not connection.execute("select 1 from sqlite_master where name = 'head'").fetchall():
            connection.close()  # empty: whoever makes it has not come so far
            return None
        self._connection = connection
        return connection

    def _create(self) -> None:
        """Make an empty file of the owner alone; SQLite gives its journal the same mode."""
        try:
            made = os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600)
        except FileExistsError:
            return  # another process was ahead of us
        except OSError as error:
            raise ServiceUnavailable(f"cannot make {self.path}: {error.strerror}") from None
        os.fchmod(made, 0o600)
        os.close(made)
        folder = os.open(self.path.parent, os.O_RDONLY | os.O_CLOEXEC)
        os.fsync(folder)
        os.close(folder)

    def _connect(self) -> apsw.Connection:
        """For writing where that can be: a process that died may have left a journal, which a reader must undo."""
        try:
            connection = apsw.Connection(str(self.path), flags=apsw.SQLITE_OPEN_READWRITE)
        except apsw.Error:
            connection = apsw.Connection(str(self.path), flags=apsw.SQLITE_OPEN_READONLY)
        connection.set_busy_timeout(self._busy_timeout_ms)
        connection.execute("pragma synchronous = extra")  # the journal's end is durable, too: it is the commit
        connection.execute("pragma secure_delete = on")
        return connection

    # Changing, under the write lock of the database

    def prepare(self, changes: Changes, master: str, token: str, size: int) -> str:
        """Make everything durable that the database is about to commit; return the token for it, or the same one.

        `token` and `size` are what the database has: its token and how many events.
        """
        with self._guard:
            self._boundary("before keys")
            connection = self._open(create=True)
            if connection is None:
                raise ServiceUnavailable("the file of people's keys is closed")
            self._refuse_if_moved()
            self._begin(connection)
            try:
                self._carry_out(connection, token)
                if not token and not connection.execute("select master_id from head").get:
                    connection.execute("delete from person_keys")  # of a process that died: nothing has begun
                self._confirm(connection, f"{token}/{size}")
                replaced = self._enter(connection, changes, f"{token}/{size}")
                held: Any = connection.execute("select master_id from head").get
                if replaced or not token or (master and master != held):
                    token = _token_of(token, size, master or held, replaced)
                    connection.execute("update head set token = ?, next_master_id = ?", (token, master or held))
                connection.execute("commit")
            except BaseException:
                self._roll_back(connection)
                raise
            finally:
                self._forget()
            self._boundary("after keys")
            return token

    def finish(self, token: str) -> None:
        """The database has committed this token: carry out what waited for it."""
        with self._guard:
            self._boundary("before keys go")
            self._settle(token)
            self._boundary("after keys go")

    def settle(self, token: str, size: int, is_used: Callable[[str], bool]) -> list[str]:
        """When a store is opened: end what a process that died left; return the keys that nothing was put under.

        Those are dropped as any other key is: another process may have met one, and has to learn that it is gone.
        """
        with self._guard:
            self._settle(token)
            connection = self._open(create=False)
            if connection is None or not self._has_begun(token):
                return []
            rows: Any = connection.execute("select ref, made_at from unused").fetchall()
            return [ref for ref, made_at in rows if made_at == f"{token}/{size}" and not is_used(ref)]

    def is_settled(self) -> bool:
        """Say whether nothing waits; looks only."""
        with self._guard:
            connection = self._look()
            return (
                connection is None
                or not connection.execute("select 1 from waiting union all select 1 from unused limit 1").fetchall()
            )

    def _settle(self, token: str) -> None:
        connection = self._open(create=False)
        if connection is None:
            return
        self._begin(connection)
        try:
            self._carry_out(connection, token)
            connection.execute("commit")
        except BaseException:
            self._roll_back(connection)
            raise
        finally:
            self._forget()

    @staticmethod
    def _begin(connection: apsw.Connection) -> None:
        connection.execute("begin immediate")

    @staticmethod
    def _roll_back(connection: apsw.Connection) -> None:
        if connection.in_transaction:
            with suppress(apsw.Error):
                connection.execute("rollback")

    @staticmethod
    def _carry_out(connection: apsw.Connection, token: str) -> None:
        """Do what waited if the database has committed it, else let it go."""
        rows: Any = connection.execute("select ref, wrapped from waiting").fetchall()
        held: Any = connection.execute("select token, next_master_id from head").fetchall()
        if not held or not held[0][0]:
            return
        if held[0][0] == token:
            for ref, wrapped in rows:
                if wrapped is None:
                    connection.execute("delete from person_keys where ref = ?", (ref,))
                else:
                    connection.execute("update person_keys set wrapped = ? where ref = ?", (wrapped, ref))
            connection.execute("update head set master_id = ?", (held[0][1],))
        connection.execute("delete from waiting")
        connection.execute("update head set token = '', next_master_id = ''")

    @staticmethod
    def _confirm(connection: apsw.Connection, state: str) -> None:
        """Keys that were made when the database stood elsewhere were put to use; of others nobody knows yet."""
        connection.execute("delete from unused where made_at <> ?", (state,))

    @staticmethod
    def _enter(connection: apsw.Connection, changes: Changes, state: str) -> dict[str, bytes]:
        """Add the keys that are new; return what stands here under the names of those that have to wait."""
        replaced: dict[str, bytes] = {}
        for ref, wrapped in changes.items():
            held: Any = connection.execute("select wrapped from person_keys where ref = ?", (ref,)).fetchall()
            if held:
                replaced[ref] = held[0][0]
                connection.execute("insert into waiting (ref, wrapped) values (?, ?)", (ref, wrapped))
                connection.execute("delete from unused where ref = ?", (ref,))
            elif wrapped is not None:
                connection.execute("insert into person_keys (ref, wrapped) values (?, ?)", (ref, wrapped))
                connection.execute("insert or replace into unused (ref, made_at) values (?, ?)", (ref, state))
        return replaced

    def _refuse_if_moved(self) -> None:
        """A key in a file that nobody will find again is not kept."""
        try:
            there = self.path.stat()
        except OSError:
            there = None
        if there is None or (there.st_dev, there.st_ino) != self._file:
            raise ServiceUnavailable("the file of people's keys was removed or replaced while it was open")

    def refuse_if_lost(self, token: str) -> None:
        """A store that has keys here never gets a new file: its own one is elsewhere, and a new one would hide that."""
        if token and not self.path.exists():
            raise PreconditionFailed(
                f"the keys of people are not at {self.path}; restore that file, or set person_keys_file to its path "
                "(if it is lost for good, put an empty file there: nobody's data will be readable)"
            )

    def inspect(self) -> list[Damage]:
        """Look at the file itself."""
        where = {"table": "person_keys"}
        with self._guard:
            try:
                connection = self._open(create=False)
                if connection is None:
                    return []
                lines: Any = connection.execute("pragma integrity_check(20)").fetchall()
                held: Any = connection.execute("select type, name, sql from sqlite_master order by rowid").fetchall()
            except apsw.Error as error:
                return [Damage("FILE_DAMAGED", where, f"the file of people's keys: {type(error).__name__}")]
        found = [
            Damage("FILE_DAMAGED", where, f"the file of people's keys: {line}", {"said": str(line)})
            for (line,) in lines
            if line != "ok"
        ]
        if held != _expected():
            found.append(Damage("SCHEMA_CHANGED", where, "the file of people's keys is not as MACE made it"))
        return found

    def close(self) -> None:
        with self._guard:
            self._closed = True
            if self._connection is not None:
                self._connection.close()
                self._connection = None
            self._forget()


def _expected() -> list[tuple[Any, ...]]:
    empty = apsw.Connection(":memory:")
    empty.execute(_SCHEMA)
    rows: Any = empty.execute("select type, name, sql from sqlite_master order by rowid").fetchall()
    return rows  # type: ignore[no-any-return] # as SQLite says it


def _token_of(before: str, size: int, master: str, replaced: dict[str, bytes]) -> str:
    """A name for one change that no other has: what it replaces was sealed with nonces of its own."""
    digest = sha256(f"{before}/{size}/{master}".encode())
    for ref, wrapped in sorted(replaced.items()):
        digest.update(f"/{ref}/".encode() + wrapped)
    return digest.hexdigest()[:32]


class FileApart:
    """The keys kept apart as one unit or read sees them; `changes` is None for reads."""

    def __init__(
        self,
        people: PeopleFile,
        token: Callable[[], str],
        changes: "Buffer | None",
        missed: Callable[[str], None] = lambda _token: None,
        note: Callable[[Found], None] | None = None,  # of reads: is told what was asked for
    ) -> None:
        self._people = people
        self._token = token
        self._changes = changes
        self._missed = missed
        self._note = note

    def key(self, ref: str) -> bytes | None:
        if self._changes is not None and ref in self._changes.keys:
            return self._changes.keys[ref]
        token = self._token()
        held = self._people.key(ref, token)
        if self._note is not None:
            self._note((APART_KEY, (ref,), None if held is None else []))
        if held is None:
            self._missed(token)
        return held

    def add(self, ref: str, wrapped: bytes) -> None:
        if self.key(ref) is not None:
            raise Exists("a row with this key exists")
        self._writing().keys[ref] = wrapped

    def drop(self, ref: str) -> bool:
        if self.key(ref) is None:
            return False
        self._writing().keys[ref] = None
        return True

    def scan(self, after: str, limit: int) -> list[tuple[str, bytes]]:
        self._note_all()
        changed = {} if self._changes is None else {r: w for r, w in self._changes.keys.items() if r > after}
        held: Changes = dict(self._people.scan(after, limit + len(changed), self._token()))
        held.update(changed)
        return sorted((ref, wrapped) for ref, wrapped in held.items() if wrapped is not None)[:limit]

    def master(self) -> str:
        self._note_all()
        if self._changes is not None and self._changes.master:
            return self._changes.master
        return self._people.master(self._token())

    def set_master(self, master_id: str) -> None:
        self._writing().master = master_id

    def _note_all(self) -> None:
        if self._note is not None:
            self._note(("apart_all", (), None))

    def begin(self) -> None:
        self._writing().begins = True

    def _writing(self) -> "Buffer":
        if self._changes is None:
            raise RuntimeError("a write inside a read")
        return self._changes


class Buffer:
    """What the units of a batch change, until the batch is committed."""

    def __init__(self) -> None:
        self.keys: Changes = {}
        self.master = ""
        self.begins = False

    def is_empty(self) -> bool:
        return not self.keys and not self.master and not self.begins

    def clear(self) -> None:
        self.keys.clear()
        self.master = ""
        self.begins = False

    def mark(self) -> tuple[Changes, str, bool] | None:
        return None if self.is_empty() else (dict(self.keys), self.master, self.begins)

    def roll_back(self, mark: tuple[Changes, str, bool] | None) -> None:
        self.clear()
        if mark is not None:
            self.keys.update(mark[0])
            self.master, self.begins = mark[1], mark[2]
