"""Units of work: all or nothing each, together where that saves commits, and seen by nobody before they are durable."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest

from mace.core.errors import Closed, InvalidInput, ServiceUnavailable
from mace.storage.ports import APPEND_BOUNDARIES, Exists, Record, Store, Tx
from store_samples import append


class Refused(Exception):
    """What a unit raises that changed its mind."""


def _everything(tx: Tx, name: str) -> None:
    """Touch every table of the ledger."""
    append(tx, name, 2)
    tx.tiles.put(1, len(name), name.encode())
    tx.records.add(Record("kind", name, "", b"{}", "s"))
    tx.vault.add_key(name, "", b"w")
    tx.vault.put_blob(name, name, b"b")
    tx.notes.put(name, "v")


def _left_of(store: Store, name: str) -> list[Any]:
    def look(tx: Tx) -> list[Any]:
        return [
            tx.events.head(name),
            tx.tiles.get(1, len(name)),
            tx.records.get("kind", name),
            tx.vault.key(name),
            tx.vault.blob(name),
            tx.notes.get(name),
        ]

    return store.read(look)


def test_a_unit_returns_its_value_and_stands(store: Store):
    assert store.write(lambda tx: (_everything(tx, "a"), 7)[1]) == 7
    assert None not in _left_of(store, "a")


@pytest.mark.parametrize("kind", [Refused, InvalidInput, ZeroDivisionError])
def test_a_unit_that_raises_leaves_nothing_and_raises_the_same(store: Store, kind: type[Exception]):
    error = kind("why")

    def unit(tx: Tx) -> None:
        _everything(tx, "a")
        raise error

    with pytest.raises(kind) as raised:
        store.write(unit)
    assert raised.value is error
    assert _left_of(store, "a") == [None] * 6
    store.write(lambda tx: _everything(tx, "a"))
    assert store.read(lambda tx: [row.position for row in tx.events.scan(0, 9)]) == [0, 1]


def test_changed_and_dropped_rows_come_back_too(store: Store):
    store.write(lambda tx: _everything(tx, "a"))
    before = _left_of(store, "a")

    def unit(tx: Tx) -> None:
        tx.notes.put("a", "changed")
        tx.vault.drop_key("a")
        tx.tiles.put(1, 1, b"changed")
        tx.tiles.clear()
        raise Refused

    with pytest.raises(Refused):
        store.write(unit)
    assert _left_of(store, "a") == before


def test_a_key_that_is_taken_undoes_the_whole_unit(store: Store):
    store.write(lambda tx: tx.records.add(Record("kind", "taken", "", b"{}", "s")))

    def unit(tx: Tx) -> None:
        _everything(tx, "a")
        tx.records.add(Record("kind", "taken", "", b"other", "s"))

    with pytest.raises(Exists):
        store.write(unit)
    assert _left_of(store, "a") == [None] * 6


class _Gate:
    """Holds the first unit inside its transaction until all others queue behind it, so that they share a batch."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._inside, self._go = threading.Event(), threading.Event()

    def run(self, units: list[Callable[[Tx], Any]]) -> list[Future[Any]]:
        def first(tx: Tx) -> None:
            self._inside.set()
            assert self._go.wait(20)

        with ThreadPoolExecutor(len(units) + 1) as pool:
            leader = pool.submit(self._store.write, first)
            assert self._inside.wait(20)
            futures = [pool.submit(self._store.write, unit) for unit in units]
            group = getattr(self._store, "_group", None)
            deadline = time.monotonic() + 20
            while group is not None and len(group._queue) < len(units) and time.monotonic() < deadline:
                time.sleep(0.001)
            self._go.set()
            leader.result(20)
        return futures


def test_neighbours_of_a_failed_unit_stand(store: Store):
    def good(name: str) -> Callable[[Tx], str]:
        return lambda tx: (_everything(tx, name), name)[1]

    def bad(name: str) -> Callable[[Tx], None]:
        def unit(tx: Tx) -> None:
            _everything(tx, name)
            raise Refused(name)

        return unit

    names = [("a", good), ("bb", bad), ("ccc", good), ("dddd", bad), ("eeeee", good)]
    futures = _Gate(store).run([make(name) for name, make in names])
    for (name, make), future in zip(names, futures, strict=True):
        if make is good:
            assert future.result() == name
            assert None not in _left_of(store, name)
        else:
            assert isinstance(future.exception(), Refused)
            assert _left_of(store, name) == [None] * 6
    rows = store.read(lambda tx: tx.events.scan(0, 99))
    assert [row.position for row in rows] == list(range(6))
    assert {row.stream for row in rows} == {"a", "ccc", "eeeee"}


def test_a_batch_is_one_commit_and_units_see_the_heads_of_their_neighbours(store: Store):
    before: int = store.commits  # type: ignore[attr-defined]
    futures = _Gate(store).run([lambda tx: append(tx, "shared", 3)] * 20)
    for future in futures:
        assert len(future.result()) == 3
    rows = store.read(lambda tx: tx.events.of_stream("shared"))
    assert [row.sequence_index for row in rows] == list(range(60))
    if hasattr(store, "_group"):
        assert store.commits - before <= 3  # type: ignore[attr-defined] # the leader's, the batch, at most one straggler


def test_a_place_taken_twice_in_a_batch_fails_only_the_second(store: Store):
    """Nothing in the engine does so; a store must still not punish the neighbours for it."""
    taken = store.write(lambda tx: append(tx, "a"))[0]

    def again(tx: Tx) -> None:
        append(tx, "lost")
        tx.events.append(taken)

    futures = _Gate(store).run([lambda tx: append(tx, "b"), again, lambda tx: append(tx, "c")])
    assert [type(future.exception()) for future in futures] == [type(None), Exists, type(None)]
    assert store.read(lambda tx: tx.events.head("lost")) is None
    assert sorted(row.stream for row in store.read(lambda tx: tx.events.scan(0, 9))) == ["a", "b", "c"]


def test_many_threads_lose_nothing(store: Store):
    def work(number: int) -> list[tuple[str, int]]:
        acknowledged = []
        for round_number in range(20):
            stream = ["shared", f"own-{number}"][round_number % 2]
            acknowledged += [(stream, made.sequence_index) for made in store.write(lambda tx, s=stream: append(tx, s))]
        return acknowledged

    with ThreadPoolExecutor(8) as pool:
        acknowledged = [place for places in pool.map(work, range(8)) for place in places]
    rows = store.read(lambda tx: tx.events.scan(0, 10_000))
    assert sorted((row.stream, row.sequence_index) for row in rows) == sorted(acknowledged)
    assert [row.position for row in rows] == list(range(len(acknowledged)))


def test_a_read_is_one_snapshot(store: Store):
    store.write(lambda tx: _everything(tx, "a"))
    inside, written = threading.Event(), threading.Event()

    def look(tx: Tx) -> list[Any]:
        first = [tx.events.size(), tx.notes.get("a"), tx.records.get("kind", "bb")]
        inside.set()
        written.wait(1)  # a store that lets nobody write meanwhile is as good
        return [first, [tx.events.size(), tx.notes.get("a"), tx.records.get("kind", "bb")]]

    def change(tx: Tx) -> None:
        _everything(tx, "bb")
        tx.notes.put("a", "changed")

    with ThreadPoolExecutor(2) as pool:
        reading = pool.submit(store.read, look)
        assert inside.wait(20)
        writing = pool.submit(store.write, change)
        writing.add_done_callback(lambda _: written.set())
        first, second = reading.result(20)
        writing.result(20)
    assert first == second == [2, "v", None]
    assert store.read(lambda tx: (tx.events.size(), tx.notes.get("a"))) == (4, "changed")


def test_nobody_sees_a_unit_before_it_is_over(store: Store):
    inside, looked = threading.Event(), threading.Event()

    def unit(tx: Tx) -> None:
        _everything(tx, "a")
        inside.set()
        looked.wait(1)

    with ThreadPoolExecutor(2) as pool:
        writing = pool.submit(store.write, unit)
        assert inside.wait(20)
        if hasattr(store, "_group"):  # the store in memory lets nobody look meanwhile
            assert _left_of(store, "a") == [None] * 6
        looked.set()
        writing.result(20)
    assert None not in _left_of(store, "a")


def test_what_was_written_is_read_at_once(store: Store):
    for number in range(50):
        store.write(lambda tx, n=number: tx.notes.put("n", str(n)))
        assert store.read(lambda tx: tx.notes.get("n")) == str(number)


@pytest.mark.parametrize(
    "write",
    [
        lambda tx: append(tx, "a"),
        lambda tx: tx.notes.put("a", "v"),
        lambda tx: tx.records.add(Record("kind", "a", "", b"{}", "s")),
        lambda tx: tx.vault.add_key("a", "", b"w"),
    ],
    ids=["event", "note", "record", "key"],
)
def test_a_read_cannot_write(store: Store, write: Callable[[Tx], Any]):
    with pytest.raises((RuntimeError, ServiceUnavailable)):
        store.read(write)
    assert store.read(lambda tx: (tx.events.size(), tx.notes.get("a"), tx.records.get("kind", "a"))) == (0, None, None)
    store.write(write)


def test_a_read_that_raises_raises_the_same_and_the_next_one_works(store: Store):
    def look(tx: Tx) -> None:
        raise Refused

    for _ in range(40):  # more often than there are connections
        with pytest.raises(Refused):
            store.read(look)
    assert store.read(lambda tx: tx.events.size()) == 0


def test_locks_by_name_are_taken_in_a_unit(store: Store):
    """Two units that hold the same name do not run at once; the second sees what the first did."""
    seen = []

    def unit(tx: Tx) -> None:
        tx.lock("a name")
        held = int(tx.notes.get("count") or 0)
        seen.append(held)
        tx.notes.put("count", str(held + 1))

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda _: store.write(unit), range(30)))
    assert store.read(lambda tx: tx.notes.get("count")) == "30"


def test_closing_twice_is_closing_once(store: Store):
    store.write(lambda tx: append(tx, "a"))
    store.close()
    store.close()


def test_after_closing_nothing_is_done_and_nothing_is_silent(store: Store):
    store.close()
    with pytest.raises(Closed):
        store.write(lambda tx: append(tx, "a"))
    with pytest.raises(Closed):
        store.read(lambda tx: tx.events.size())


@pytest.mark.durable
def test_closing_waits_for_the_units_that_run(open_store: Callable[..., Store]):
    store = open_store()
    inside = threading.Event()

    def slow(tx: Tx) -> None:
        inside.set()
        time.sleep(0.2)
        append(tx, "a")

    with ThreadPoolExecutor(1) as pool:
        writing = pool.submit(store.write, slow)
        assert inside.wait(20)
        store.close()
        outcome = writing.exception(20)
    assert outcome is None or isinstance(outcome, ServiceUnavailable)
    assert open_store().read(lambda tx: tx.events.size()) == (1 if outcome is None else 0)


@pytest.mark.durable
def test_what_was_written_is_there_after_opening_again(open_store: Callable[..., Store]):
    store = open_store()
    store.write(lambda tx: _everything(tx, "a"))
    before = _left_of(store, "a")
    store.close()
    assert _left_of(open_store(), "a") == before


@pytest.mark.durable
def test_two_stores_on_one_place_see_each_other_at_once(open_store: Callable[..., Store]):
    first, second = open_store(), open_store()
    for number in range(20):
        writer, reader = (first, second) if number % 2 else (second, first)
        writer.write(lambda tx: append(tx, "shared"))
        assert reader.read(lambda tx: tx.events.size()) == number + 1
    rows = first.read(lambda tx: tx.events.of_stream("shared"))
    assert [row.sequence_index for row in rows] == [row.position for row in rows] == list(range(20))


@pytest.mark.durable
def test_two_stores_on_one_place_append_at_once(open_store: Callable[..., Store]):
    stores = [open_store(), open_store()]

    def work(number: int) -> None:
        for round_number in range(15):
            stores[number % 2].write(lambda tx, n=round_number: append(tx, ["shared", f"own-{number}"][n % 2]))

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(work, range(6)))
    rows = stores[0].read(lambda tx: tx.events.scan(0, 1000))
    assert [row.position for row in rows] == list(range(90))
    shared = [row.sequence_index for row in rows if row.stream == "shared"]
    assert shared == list(range(len(shared)))


@pytest.mark.durable
def test_every_append_passes_the_boundaries_in_order(open_store: Callable[..., Store]):
    passed: list[str] = []
    store = open_store(boundary=passed.append)
    passed.clear()
    store.write(lambda tx: append(tx, "a"))
    assert passed == list(APPEND_BOUNDARIES)


@pytest.mark.durable
def test_a_store_for_reading_writes_nothing(open_store: Callable[..., Store]):
    open_store().write(lambda tx: append(tx, "a"))
    reader = open_store(read_only=True)
    assert reader.read(lambda tx: tx.events.size()) == 1
    with pytest.raises(Closed):
        reader.write(lambda tx: append(tx, "a"))
    assert reader.read(lambda tx: tx.events.size()) == 1
