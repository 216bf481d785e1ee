"""Stores of experience to test, rows to put into them, and tags that are easily confused."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import services
from mace.storage.experience_in_store import InStore
from mace.storage.experience_ports import ChangeRow, ExperienceStore, MegramRow, PairRow
from mace.storage.inmemory import InMemoryStore
from mace.storage.sqlite import SqliteStore

KINDS = ("memory", "sqlite", "postgres", "leveldb")
START_US = 1_764_417_600_000_000  # 2025-11-29T12:00:00Z

HOSTILE_TAGS = [
    "a",
    "a:b",
    "a%",
    "a%3Ab",
    "%3A",
    "%",
    ":",
    "a:",
    ":a",
    "a-",
    "a b",
    "A",
    "é",
    "e\u0301",
    "日本語",
    "עברית ‏",
    "\U0001f600",
    "\uffff",
    "\U0010ffff",
    "\u200b",
    "_",
    "x" * 1024,
    "\U0001f600" * 1024,
    "tool:shell;drop table megrams --",
]


def open_at(kind: str, place: str) -> tuple[ExperienceStore, Callable[[], None]]:
    """Open the store at a place (a folder, or the URL of a database); return it and how to close it."""
    if kind == "memory":
        memory = InMemoryStore()
        return InStore(memory), memory.close
    if kind == "sqlite":
        sqlite = SqliteStore(Path(place) / "mace.db")
        return InStore(sqlite), sqlite.close
    if kind == "postgres":
        from mace.storage.postgres import PostgresStore

        postgres = PostgresStore(place)
        return InStore(postgres), postgres.close
    need_plyvel()
    from mace.storage.leveldb import LevelDbExperience

    leveldb = LevelDbExperience(Path(place) / "experience")
    return leveldb, leveldb.close


def need_plyvel() -> None:
    try:
        import plyvel  # noqa: F401
    except ImportError:
        services.cannot_run("LevelDB", "plyvel is not installed (it has wheels for Python 3.11 and 3.12)")


def megram_id(number: int) -> str:
    return f"{START_US + number:016x}-{number:04x}"


def megram(number: int, space: str = "s", entity: str = "e", level: str = "M", **changes: Any) -> MegramRow:
    row: dict[str, Any] = {
        "megram_id": megram_id(number),
        "level": level,
        "created_us": START_US + number,
        "space": space,
        "entity": entity,
        "content": b"sealed \x00\xff %d" % number,
        "key_refs": (f"job/{number}", "person/a"),
        "state": "success",
        "f": 0.8,
        "sigma": 1.0,
        "k": 0.05,
        "place": number,
        "marked": False,
        **changes,
    }
    return MegramRow(**row)


def pair(space: str, entity: str, due_us: int = 0, state: bytes = b"\x00state") -> PairRow:
    return PairRow(space, entity, state, due_us)


def change(change_id: str, place: int, **changes: Any) -> ChangeRow:
    row: dict[str, Any] = {
        "change_id": change_id,
        "kind": "promotion",
        "space": "s",
        "entity": "e",
        "place": place,
        "body": b'{"a":1}',
        "undone_by": "",
        **changes,
    }
    return ChangeRow(**row)
