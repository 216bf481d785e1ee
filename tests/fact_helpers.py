"""What tests of facts do to a place: make it refuse writes for real, make it full, and look at every byte it keeps."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import places
from mace.engine.runtime import Mace
from mace.providers.frozen import FrozenClock

COLOR = "user/profile/user_tuff/favorite_color"
OHM = "world/fact/ohms_law/definition"
DONE = {"success": True, "applied": True, "error_code": None}
LOST = {"success": True, "applied": False, "error_code": None}


def at_noon() -> FrozenClock:
    return FrozenClock(datetime(2025, 11, 29, 12, tzinfo=UTC))


def event_id(seed: str, index: int, event_type: str) -> str:
    return sha256(f"{seed}{index}{event_type}".encode()).hexdigest()


def types(mace: Mace, stream: str) -> list[str]:
    return [event["event_type"] for event in mace.events(stream)]


def code_of(answer: dict[str, Any]) -> str:
    """The code of a refusal that is whole: flags, message and envelope agree."""
    assert (answer["success"], answer["applied"]) == (False, False)
    assert answer["error"]["error_code"] == answer["error_code"]
    assert answer["error"]["user_message"] == answer["user_message"]
    code: str = answer["error_code"]
    return code


def rows(mace: Mace, table: str) -> int:
    """How many rows there are of something that only puts add to: `facts` or `history`."""
    found = mace._parts.world.store.read(lambda tx: list(tx.facts.scan()))
    return {"facts": len(found), "history": sum(len(mace.sem_history(fact.key)) for fact in found)}[table]


def stream_of(answer: dict[str, Any]) -> str:
    """The stream in which a failed verb left its events."""
    found: str = answer["error"]["meta"]["query_id"]
    return found


@contextmanager
def refusing(place: places.Place, table: str = "facts", code: str = "P0001") -> Iterator[None]:
    """While this lasts the database itself refuses new rows of a table; `code` is the SQLSTATE PostgreSQL gives."""
    with place.sql(keep_triggers=True) as sql:
        if place.kind == "sqlite":
            sql(f"create trigger refuse before insert on {table} begin select raise(abort, 'no'); end")
        else:
            body = f"begin raise exception 'no' using errcode = '{code}'; end"
            sql(f"create function refuse() returns trigger language plpgsql as '{body.replace(chr(39), chr(39) * 2)}'")
            sql(f"create trigger refuse before insert on {table} for each row execute function refuse()")
        try:
            yield
        finally:
            sql("drop trigger refuse" if place.kind == "sqlite" else f"drop trigger refuse on {table}")
            if place.kind != "sqlite":
                sql("drop function refuse()")


@contextmanager
def full(place: places.Place, mace: Mace) -> Iterator[None]:
    """While this lasts the database takes no more: SQLite may not grow, PostgreSQL says that its disk is full."""
    if place.kind != "sqlite":
        with refusing(place, "facts", "53100"):
            yield
        return
    writer: Any = mace._parts.world.store._writer
    pages = writer.execute("pragma page_count").get
    writer.execute(f"pragma max_page_count = {pages}")
    try:
        yield
    finally:
        writer.execute("pragma max_page_count = 4294967294")


def kept_bytes(place: places.Place) -> bytes:
    """Everything that lies anywhere: database files with the WAL, or every row; keys, spill file, checkpoints."""
    folders = {place.folder, Path(place.settings.checkpoint_dir)}
    found = [file.read_bytes() for folder in folders for file in sorted(folder.rglob("*")) if file.is_file()]
    if place.kind != "sqlite":
        with place.sql(keep_triggers=True) as sql:
            for table in place.tables():
                for row in sql(f"select * from {table}"):
                    found += [cell if isinstance(cell, bytes) else str(cell).encode() for cell in row]
    return b"\n".join(found)
