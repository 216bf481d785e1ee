"""A database file that SQLite does not take, or whose list of tables is damaged: made readable, in a private copy.

The file itself is never touched. What every database of MACE has in the first 100 bytes is put back in the copy, and a
row of the list of tables of which only a word was changed gets its own words again, so that the rows behind it can be
verified. What was wrong is told; what cannot be put right stays as it is, and is told by whoever reads on.
"""

import os
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import apsw

from mace.storage.ports import Damage
from mace.storage.sql import shape
from mace.storage.sql.shape import Object
from mace.storage.sqlite import inspecting
from mace.storage.sqlite.header import HEADER, good_header, unread_faults

_NOT_OURS = (apsw.BusyError, apsw.LockedError, apsw.CantOpenError, apsw.FullError, apsw.IOError, apsw.PermissionsError)


@dataclass(frozen=True, slots=True)
class HeldRow:
    """A row of the list of tables, as it was found."""

    rowid: int
    item: Object


@dataclass(frozen=True, slots=True)
class Mended:
    """The copy to read instead of the file (None: the file itself can be read), and what was wrong with the file."""

    file: Path | None
    damage: list[Damage]

    def remove(self) -> None:
        if self.file is not None:
            shutil.rmtree(self.file.parent, ignore_errors=True)


def own_words(held: Iterable[HeldRow], wanted: Mapping[tuple[str, str], Object]) -> list[HeldRow]:
    """The rows of the list of tables of which only one word was changed, as they were made.

    A row belongs to the object with which it has all but one of type, name, table and text in common; where two rows
    could, nobody can tell.
    """
    left = dict(wanted)
    others: list[HeldRow] = []
    for row in held:
        if left.get((row.item.type, row.item.name)) == row.item:
            del left[row.item.type, row.item.name]
        else:
            others.append(row)
    found = []
    for row in others:
        fits = [item for item in left.values() if _in_common(item, row.item) >= 3]
        if len(fits) == 1:
            found.append(HeldRow(row.rowid, fits[0]))
            del left[fits[0].type, fits[0].name]
    return found


def _in_common(one: Object, other: Object) -> int:
    return (one.type == other.type) + (one.name == other.name) + (one.table == other.table) + (one.sql == other.sql)


def mend(path: Path) -> Mended:
    """Look at the first page of a file, and make a copy where SQLite needs one to read it."""
    with path.open("rb") as file:
        header = file.read(HEADER)
        size = file.seek(0, os.SEEK_END)
    told = _refusal(path)
    faults = unread_faults(header, None if inspecting.waits_for(path) else size)
    if told is None and not faults and not _misread(path):
        return Mended(None, [])
    if told is not None and not faults:
        faults = [_page_one(told)]
    folder = Path(tempfile.mkdtemp(prefix="mace-verify-"))  # of this user alone
    copy = folder / path.name
    try:
        _copied(path, copy, header)
        damage = [*faults, *_mend_schema(copy)]
        still = _refusal(copy)
        if still is not None and still != told:
            damage.append(_page_one(still))
    except BaseException as error:
        shutil.rmtree(folder, ignore_errors=True)
        if isinstance(error, OSError | apsw.Error):  # no room for a copy: what is wrong is told all the same
            return Mended(None, [replace(item, hides_rows=True) for item in faults])
        raise
    return Mended(copy, damage)


def _page_one(told: str) -> Damage:
    where = {"table": "*", "page": 1}
    return Damage("FILE_DAMAGED", where, f"page 1: SQLite does not read the file: {told}", {"said": told})


def _copied(path: Path, copy: Path, header: bytes) -> None:
    """Copy the file and what waits in its write-ahead log, with a header that SQLite takes."""
    with_wal = inspecting.waits_for(path)
    with path.open("rb") as source, os.fdopen(os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as made:
        shutil.copyfileobj(source, made)
        size = made.tell()
        made.seek(0)
        made.write(good_header(header, size, with_wal=with_wal)[:size])
    if with_wal:
        shutil.copyfile(_wal(path), _wal(copy))


def _wal(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


def _open(path: Path, flags: int) -> apsw.Connection:
    connection = apsw.Connection(str(path), flags=flags)
    connection.set_busy_timeout(5_000)
    connection.execute("pragma writable_schema = on")  # an object that cannot be read is left out, and the rest is read
    return connection


def _refusal(path: Path) -> str | None:
    """What SQLite says when it does not read the list of tables; None where it does."""
    try:
        connection = _open(path, apsw.SQLITE_OPEN_READONLY)
        try:
            connection.execute("select count(*), max(length(sql)) from sqlite_master").fetchall()
        finally:
            connection.close()
    except _NOT_OURS:
        raise
    except apsw.Error as error:
        return f"{type(error).__name__}: {error}"
    return None


def _misread(path: Path) -> bool:
    """Whether a row of the list of tables has lost a word, so that what it speaks of cannot be found."""
    try:
        connection = _open(path, apsw.SQLITE_OPEN_READONLY)
        try:
            return bool(own_words(_held(connection), shape.objects()))
        finally:
            connection.close()
    except apsw.Error:
        return False


def _held(connection: apsw.Connection) -> list[HeldRow]:
    rows: Any = connection.execute(
        "select rowid, cast(type as blob), cast(name as blob), cast(tbl_name as blob), cast(coalesce(sql, '') as blob)"
        " from sqlite_master order by rowid"
    ).fetchall()
    return [
        HeldRow(row[0], Object(*(bytes(part or b"").decode("utf-8", "replace") for part in row[1:]))) for row in rows
    ]


def _mend_schema(copy: Path) -> list[Damage]:
    """Give rows of the copy's list of tables their own words again; tell what was wrong with them."""
    try:
        connection = _open(copy, apsw.SQLITE_OPEN_READWRITE)
        try:
            held = _held(connection)
            mended = own_words(held, shape.objects())
            for row in mended:
                connection.execute(
                    "update sqlite_master set type = ?, name = ?, tbl_name = ?, sql = ? where rowid = ?",
                    (row.item.type, row.item.name, row.item.table, row.item.sql or None, row.rowid),
                )
        finally:
            connection.close()
    except apsw.Error:
        return []  # then whoever reads on tells
    right = {row.rowid: row.item for row in mended}
    items = [row.item for row in held]
    told = {(damage.where["type"], damage.where["name"]): damage for damage in inspecting.compare(items)}
    found = []
    for row in held:
        if row.rowid in right:
            about = told.get((right[row.rowid].type, right[row.rowid].name)) or told.get((row.item.type, row.item.name))
            if about is not None:
                detail = f"page 1, row {row.rowid} of the list of tables: {about.detail}"
                found.append(replace(about, detail=detail, hides_rows=False))
    return found
