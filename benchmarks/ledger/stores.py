"""The two sides of the ledger's figures: a MACE in a directory, and raw SQLite that is given the same bytes."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import mace
from mace.core.events import NewEvent, Origin, StoredEvent
from mace.engine.kernel.recorder import Recorder
from mace.engine.runtime import Mace
from mace.settings import Settings, read

BATCH = 64
PAYLOAD: dict[str, Any] = {
    "agent_id": "profile_agent",
    "confidence": 0.91,
    "duration_ms": 12,
    "output_hash": "fcde2b2edba56bf408601fb721fe9b5c338d10ee429ea04fae5511b68fbf8fb9",
    "route": ["profile_agent", "knowledge_agent"],
}


def settings_in(folder: Path) -> Settings:
    """Nothing of the user's own settings; checkpoints only when they are asked for."""
    found = read(str(folder / "m"), {"HOME": str(folder), "MACE_CHECKPOINT_INTERVAL_MS": "0"})
    return replace(found, checkpoint_dir=str(folder / "checkpoints"))


class Ours:
    """Appends through the recorder and the store, as every verb does."""

    def __init__(self, folder: Path) -> None:
        self.mace: Mace = mace.open(settings=settings_in(folder))
        self.store = self.mace._parts.world.store
        self.recorder: Recorder = self.mace._parts.recorder

    def stream(self, seed: str) -> Origin:
        return self.store.write(lambda tx: self.recorder.open(tx, seed, {"verb": "bench"}))

    def append(self, origin: Origin) -> NewEvent:
        return self.store.write(lambda tx: self.recorder.append(tx, origin, "AGENT_OUTPUT", PAYLOAD))

    def append_many(self, origin: Origin, count: int) -> None:
        append = self.recorder.append

        def unit(tx: Any) -> None:
            for _ in range(count):
                append(tx, origin, "AGENT_OUTPUT", PAYLOAD)

        self.store.write(unit)

    def jobs(self, first: int, count: int) -> None:
        """Write so many jobs of 64 events, each a stream of its own and one commit."""
        recorder = self.recorder
        for number in range(first, first + count):

            def unit(tx: Any, seed: str = f"job-{number}") -> None:
                origin = recorder.open(tx, seed, {"verb": "bench"})
                for _ in range(BATCH - 1):
                    recorder.append(tx, origin, "AGENT_OUTPUT", PAYLOAD)

            self.store.write(unit)

    def size(self) -> int:
        return self.store.read(lambda tx: tx.events.size())

    def rows(self, start: int, count: int) -> list[StoredEvent]:
        return self.store.read(lambda tx: tx.events.scan(start, count))


@contextmanager
def opened(folder: Path) -> Iterator[Ours]:
    ours = Ours(folder)
    try:
        yield ours
    finally:
        ours.mace.close()


def raw_inserts(path: Path, rows: list[StoredEvent]) -> Callable[[], None]:
    """Return a function that inserts the next of these rows in a durable transaction of its own: the floor."""
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("pragma journal_mode = wal")
    database.execute("pragma synchronous = full")
    database.execute(
        "create table events (position integer primary key, stream text not null, sequence_index integer not null,"
        " event_id blob not null, event_type text not null, body blob not null, hash blob not null,"
        " signature text not null)"
    )
    database.execute("create unique index events_by_stream on events (stream, sequence_index)")
    waiting = iter(
        [
            (
                row.position,
                row.stream,
                row.sequence_index,
                row.event_id,
                row.event_type,
                row.body,
                row.hash,
                row.signature,
            )
            for row in rows
        ]
    )

    def insert() -> None:
        database.execute("begin immediate")
        database.execute("insert into events values (?, ?, ?, ?, ?, ?, ?, ?)", next(waiting))
        database.execute("commit")

    return insert
