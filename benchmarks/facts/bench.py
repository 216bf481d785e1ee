"""`sem_put` beside a raw transaction, sixteen threads beside one, `sem_get` beside LangGraph's SqliteStore.

A put is everything at once: canonical value, detector, permission, sealing, history, two signed events, and a durable
commit. The raw side is what anybody would write with the standard library's `sqlite3`: two plain tables, a value by its
key and an audit entry, inserted in one transaction with the same durability (WAL, full synchronous). Its rows hold as
many bytes as a put leaves behind, and it checks nothing. Both run in turns, on stores that hold something already.
"""

import os
import sqlite3
import tempfile
import threading
import time
from collections.abc import Callable, Iterable
from itertools import count
from pathlib import Path
from typing import Any

from benchmarks.measure import Row, in_turns
from mace.engine.runtime import Mace
from mace.settings import Settings
from mace.wiring import open_mace

_PUTS = 200  # in one measurement
_THREADS = 16
_PLAIN = "The kettle stands left of the stove, under the blue shelf."
_NUMBERED = "The kettle holds 2 litres and was bought for 30 euros."


def _opened(folder: Path) -> Mace:
    return open_mace(
        settings=Settings(location=str(folder / "mace"), checkpoint_dir=str(folder / "shelf"), checkpoint_interval_ms=0)
    )


def _put(mace: Mace, key: str, value: str, source: str) -> None:
    answer = mace.sem_put(key, value, source)
    if not answer["success"]:
        raise RuntimeError(f"a put failed: {answer['error_code']}")


def _filled(folder: Path, facts: int) -> Mace:
    mace = _opened(folder)
    for number in range(facts):
        _put(mace, f"world/fact/thing_{number}/definition", _PLAIN, "system")
        _put(mace, f"user/note/user_{number % 50}/kettle_{number}", _PLAIN, "user")
    return mace


def _bytes_of_a_put(mace: Mace, key: str) -> int:
    """What the rows hold that a put leaves behind: fact, history and events, without any index."""

    def size(row: Any) -> int:
        cells = [getattr(row, name) for name in row.__slots__]
        return sum(len(cell) if isinstance(cell, str | bytes) else 8 for cell in cells)

    def look(tx: Any) -> int:
        past = tx.facts.history(key)[-1]
        rows = [tx.facts.get(key), past, *tx.events.of_stream(past.stream)]
        return sum(size(row) for row in rows)

    found: int = mace._parts.world.store.read(look)
    return found


def _raw(folder: Path, size: int, rows: int) -> Callable[[], None]:
    """Return a function that inserts two rows of `size` bytes in all, in a durable transaction of its own."""
    database = sqlite3.connect(folder / "raw.db")
    database.execute("pragma journal_mode = wal")
    database.execute("pragma synchronous = full")
    database.execute("create table facts (key text primary key, value blob not null)")
    database.execute("create table audit (number integer primary key, entry blob not null)")
    numbers = count()
    entry = os.urandom(size * 3 // 4)
    value = os.urandom(size // 4)

    def insert() -> None:
        with database:  # begins, and commits at its end
            database.execute("insert into facts values (?, ?)", (f"world/fact/thing_{next(numbers)}/definition", value))
            database.execute("insert into audit (entry) values (?)", (entry,))

    for _ in range(rows):
        insert()
    return insert


def _times(work: Callable[[], object], times: int) -> Callable[[], None]:
    def run() -> None:
        for _ in range(times):
            work()

    return run


def _puts(folder: Path, full: bool) -> Iterable[Row]:
    rounds = 31 if full else 15
    filled = 5000 if full else 300
    with _filled(folder, filled) as mace:
        numbers = count()
        size = _bytes_of_a_put(mace, "user/note/user_7/kettle_7")
        raw = _times(_raw(folder, size, 2 * filled), _PUTS)
        cases: list[tuple[str, Callable[[], None]]] = [
            (
                "put a new world fact",
                lambda: _put(mace, f"world/fact/new_{next(numbers)}/definition", _PLAIN, "system"),
            ),
            ("overwrite a person’s fact, sealed", lambda: _put(mace, "user/note/user_1/kettle_1", _PLAIN, "user")),
            (
                "overwrite one with numbers in it, sealed",
                lambda: _put(mace, "user/note/user_2/kettle_2", _NUMBERED, "user"),
            ),
        ]
        for what, put in cases:
            ours, theirs, ratio = in_turns(_times(put, _PUTS), raw, rounds)
            note = f"{ours / _PUTS * 1e6:.0f} us CPU against {theirs / _PUTS * 1e6:.0f} us, {size} bytes each"
            yield Row(f"{what}, against two raw rows", ratio, "x CPU", 3.5, note=note)


def _threads(folder: Path, full: bool) -> Iterable[Row]:
    puts = 200 if full else 50
    with _opened(folder) as mace:

        def writer(name: str, times: int) -> Callable[[], None]:
            return _times(lambda: _put(mace, f"world/fact/of_{name}/definition", _PLAIN, "system"), times)

        def at_once(threads: int, times: int) -> float:
            workers = [threading.Thread(target=writer(str(at), times)) for at in range(threads)]
            start = time.perf_counter()
            for worker in workers:
                worker.start()
            for worker in workers:
                worker.join()
            return threads * times / (time.perf_counter() - start)

        at_once(_THREADS, 5)
        alone = together = 0.0
        shared = []
        store: Any = mace._parts.world.store
        for _ in range(5 if full else 3):  # in turns, the best of each: other programs take time too
            alone = max(alone, at_once(1, puts * 4))
            before = store.commits
            together = max(together, at_once(_THREADS, puts))
            shared.append(_THREADS * puts / (store.commits - before))
        yield Row(f"puts per commit, {_THREADS} threads at once", min(shared), "puts", 4, "at least")
        note = f"{together:,.0f} puts/s against {alone:,.0f} puts/s"
        yield Row(f"{_THREADS} threads at once, against one", together / alone, "x puts/s", 1, "at least", note)


def _gets(folder: Path, full: bool) -> Iterable[Row]:
    try:
        from langgraph.store.sqlite import SqliteStore
    except ImportError:
        why = "LangGraph is not installed: pip install -r benchmarks/requirements.txt"
        yield Row("hot reads, against LangGraph’s SqliteStore.get", 0, "x reads/s", 3, "at least", why)
        return
    rounds = 21 if full else 9
    reads = 3000
    key = "user/profile/user_tuff/favorite_color"
    with _opened(folder) as mace, SqliteStore.from_conn_string(str(folder / "peer.db")) as peer:
        peer.setup()
        peer.put(("user", "profile", "user_tuff"), "favorite_color", {"value": _PLAIN})
        _put(mace, key, _PLAIN, "user")
        if mace.sem_get(key)["value"] != _PLAIN:
            raise RuntimeError("the value that was read is not the one that was put")
        theirs_once = _times(lambda: peer.get(("user", "profile", "user_tuff"), "favorite_color"), reads)
        ours, theirs, ratio = in_turns(_times(lambda: mace.sem_get(key), reads), theirs_once, rounds)
        note = f"{reads / ours:,.0f} reads/s against {reads / theirs:,.0f} reads/s, by CPU time"
        yield Row("hot reads, against LangGraph’s SqliteStore.get", 1 / ratio, "x reads/s", 3, "at least", note)


def run(full: bool) -> Iterable[Row]:
    for part in (_puts, _threads, _gets):
        with tempfile.TemporaryDirectory() as folder:
            yield from part(Path(folder), full)
