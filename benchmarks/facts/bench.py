"""`sem_put` beside a raw transaction, sixteen threads beside one, `sem_get` beside LangGraph's SqliteStore.

Reads are measured hot, with one write per hundred reads, and with that write made by another process. A read that gives
anything but what was written last ends the benchmark. Only the reads are counted, on both sides.

A put is everything at once: canonical value, detector, permission, sealing, history, two signed events, and a durable
commit. The raw side is what anybody would write with the standard library's `sqlite3`: two plain tables, a value by its
key and an audit entry, inserted in one transaction with the same durability (WAL, full synchronous). Its rows hold as
many bytes as a put leaves behind, and it checks nothing. Both run in turns, on stores that hold something already.
"""

import gc
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
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
_KEYS = 1000  # that are read in turn
_BETWEEN = 100  # reads for one write
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
            (
                "put a person’s fact under a new key, sealed",
                lambda: _put(mace, f"user/note/user_{next(numbers) % 50}/kettle_{next(numbers)}_new", _PLAIN, "user"),
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


Read = Callable[[int], object]  # the value of the fact of this number
Write = Callable[[int, str], object]


def _reading(read: Read, write: Write) -> Callable[[], float]:
    """Return a function that reads keys in turn, one of them written before each hundred; CPU seconds per read."""
    values = dict.fromkeys(range(_KEYS), _PLAIN)
    turn = count()

    def once() -> float:
        spent = 0.0
        gc.collect()
        gc.disable()
        for _ in range(20):
            written, value = next(turn) * 37 % _KEYS, f"{_PLAIN} ({next(turn)})"
            write(written, value)
            values[written] = value
            wanted = [written] + [next(turn) * 7 % _KEYS for _ in range(_BETWEEN - 1)]
            start = time.process_time()
            found = [read(at) for at in wanted]
            spent += time.process_time() - start
            if found != [values[at] for at in wanted]:
                raise RuntimeError("a read was stale: it did not give what was written last")
        gc.enable()
        return spent / (20 * _BETWEEN)

    return once


def _world_key(at: int) -> str:
    return f"world/fact/thing_{at}/definition"


def _user_key(at: int) -> str:
    return f"user/note/user_{at % 50}/kettle_{at}"


def _peer_key(at: int) -> tuple[tuple[str, str, str], str]:
    return ("user", "note", f"user_{at % 50}"), f"kettle_{at}"


def _peer(folder: Path) -> Any:
    from langgraph.store.sqlite import SqliteStore

    return SqliteStore.from_conn_string(str(folder / "peer.db"))


def _writers(mace: Mace, peer: Any) -> dict[str, Write]:
    """By whose facts: how one of them is written."""
    return {
        "world": lambda at, value: _put(mace, _world_key(at), value, "system"),
        "user": lambda at, value: _put(mace, _user_key(at), value, "user"),
        "peer": lambda at, value: peer.put(*_peer_key(at), {"value": value}),
    }


def other_process(folder: str) -> None:
    """Write what the lines of the input say, and answer each when it is written."""
    with _opened(Path(folder)) as mace, _peer(Path(folder)) as peer:
        writers = _writers(mace, peer)
        print("ready", flush=True)
        for line in sys.stdin:
            whose, at, value = line.rstrip("\n").split(" ", 2)
            writers[whose](int(at), value)
            print("written", flush=True)


@contextmanager
def _other_writers(folder: Path) -> Iterator[dict[str, Write]]:
    code = f"from benchmarks.facts.bench import other_process; other_process({str(folder)!r})"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        told, answers = process.stdin, process.stdout

        def write(whose: str, at: int, value: str) -> None:
            told.write(f"{whose} {at} {value}\n")
            told.flush()
            if answers.readline() != "written\n":
                raise RuntimeError("the other process did not write")

        if answers.readline() != "ready\n":
            raise RuntimeError("the other process did not start")
        yield {
            "world": lambda at, value: write("world", at, value),
            "user": lambda at, value: write("user", at, value),
            "peer": lambda at, value: write("peer", at, value),
        }
        told.close()


def _gets_beside_writes(folder: Path, full: bool) -> Iterable[Row]:
    try:
        import langgraph.store.sqlite  # noqa: F401 - only whether it is there
    except ImportError:
        why = "LangGraph is not installed: pip install -r benchmarks/requirements.txt"
        yield Row("reads beside writes, against LangGraph’s", 0, "x reads/s", 2.5, "at least", why)
        return
    rounds = 21 if full else 7
    with _opened(folder) as mace, _peer(folder) as peer:
        peer.setup()
        peer.conn.execute("pragma journal_mode = wal")
        peer.conn.execute("pragma synchronous = full")
        own = _writers(mace, peer)
        for at in range(_KEYS):
            for write in own.values():
                write(at, _PLAIN)
        reads: dict[str, Read] = {
            "world": lambda at: mace.sem_get(_world_key(at))["value"],
            "user": lambda at: mace.sem_get(_user_key(at))["value"],
            "peer": lambda at: peer.get(*_peer_key(at)).value["value"],
        }
        names = {"world": "world facts", "user": "a person’s facts, sealed"}
        with _other_writers(folder) as others:
            for by, target, writers in (("a write", 2.5, own), ("another process’s write", None, others)):
                sides = {whose: _reading(read, writers[whose]) for whose, read in reads.items()}
                taken = [{whose: side() for whose, side in sides.items()} for _ in range(rounds + 1)][1:]
                theirs = statistics.median(one["peer"] for one in taken)
                for whose, name in names.items():
                    ratio = statistics.median(one["peer"] / one[whose] for one in taken)
                    ours = statistics.median(one[whose] for one in taken)
                    note = f"{ours * 1e6:.1f} us CPU against {theirs * 1e6:.1f} us"
                    yield Row(
                        f"{name}: reads with {by} per {_BETWEEN}, against LangGraph’s",
                        ratio,
                        "x reads/s",
                        target,
                        "at least",
                        note,
                    )
                for at in range(_KEYS):  # the next ones begin with what these left
                    for write in own.values():
                        write(at, _PLAIN)


def run(full: bool) -> Iterable[Row]:
    for part in (_puts, _threads, _gets, _gets_beside_writes):
        with tempfile.TemporaryDirectory() as folder:
            yield from part(Path(folder), full)
