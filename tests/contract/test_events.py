"""Events: positions without gaps, streams in order, bytes as they were given, and what a unit sees of its own."""

from dataclasses import replace

import pytest

from mace.core.events import Head, NewEvent, StoredEvent
from mace.storage.ports import Exists, Store, Tx, batches
from store_samples import ODD_BYTES, ODD_TEXTS, append, event


def put(store: Store, stream: str, count: int = 1, kind: str = "") -> list[NewEvent]:
    return store.write(lambda tx: append(tx, stream, count, kind))


def as_new(row: StoredEvent) -> NewEvent:
    return NewEvent(row.stream, row.sequence_index, row.event_id, row.event_type, row.body, row.hash, row.signature)


def test_a_new_store_has_no_events(store: Store):
    def look(tx: Tx) -> None:
        assert tx.events.size() == 0
        assert tx.events.head("a") is None
        assert tx.events.at("a", 0) is None
        assert tx.events.by_id(b"\x00" * 32) == []
        assert tx.events.of_stream("a") == tx.events.of_type("SEM_PUT") == tx.events.scan(0, 10) == []
        assert tx.events.hashes(0, 10) == []

    store.read(look)


def test_positions_are_given_in_order_without_gaps(store: Store):
    made = [*put(store, "a", 3), *put(store, "b", 2), *put(store, "a", 1)]

    def look(tx: Tx) -> None:
        rows = tx.events.scan(0, 100)
        assert [row.position for row in rows] == list(range(6))
        assert [as_new(row) for row in rows] == made
        assert tx.events.size() == 6
        assert tx.events.hashes(0, 6) == [row.hash for row in rows]

    store.read(look)


def test_a_unit_can_append_to_several_streams(store: Store):
    def unit(tx: Tx) -> None:
        append(tx, "a", 2)
        append(tx, "b")
        append(tx, "a")

    store.write(unit)
    places = [(row.stream, row.sequence_index) for row in store.read(lambda tx: tx.events.scan(0, 9))]
    assert places == [("a", 0), ("a", 1), ("b", 0), ("a", 2)]


def test_the_head_is_the_newest_of_its_stream(store: Store):
    made = put(store, "a", 3)
    put(store, "b", 1)
    assert store.read(lambda tx: tx.events.head("a")) == Head(2, made[2].hash)


def test_the_first_of_a_stream_is_seen_from_the_moment_it_is_appended(store: Store):
    def unit(tx: Tx) -> None:
        assert tx.events.first("a") is None
        append(tx, "b")
        made = append(tx, "a", 2)
        assert tx.events.first("a") == made[0]

    store.write(unit)
    (first,) = store.read(lambda tx: [event for event in tx.events.of_stream("a") if event.sequence_index == 0])
    assert store.read(lambda tx: tx.events.first("a")) == as_new(first)
    assert store.read(lambda tx: tx.events.first("c")) is None


def test_inside_a_unit_the_head_moves_and_nothing_else(store: Store):
    put(store, "a", 2)

    def unit(tx: Tx) -> None:
        (made,) = append(tx, "a")
        assert tx.events.head("a") == Head(2, made.hash)
        assert as_new(tx.events.at("a", 0)) == tx.events.first("a")
        assert tx.events.at("a", 2) is None
        assert tx.events.by_id(made.event_id) == []
        assert tx.events.size() == 2
        assert len(tx.events.of_stream("a")) == len(tx.events.scan(0, 10)) == len(tx.events.hashes(0, 10)) == 2

    store.write(unit)
    assert store.read(lambda tx: tx.events.size()) == 3


def test_reading_in_pieces(store: Store):
    put(store, "a", 25)

    def look(tx: Tx) -> None:
        assert [row.position for row in tx.events.scan(7, 3)] == [7, 8, 9]
        assert [row.position for row in tx.events.scan(20, 100)] == [20, 21, 22, 23, 24]
        assert tx.events.scan(25, 5) == []
        assert tx.events.scan(3, 0) == []
        assert len(tx.events.hashes(5, 9)) == 4
        assert tx.events.hashes(9, 9) == []
        assert [row.sequence_index for row in tx.events.of_stream("a", 20)] == [20, 21, 22, 23, 24]
        assert [row.sequence_index for row in tx.events.of_stream("a", 3, 2)] == [3, 4]
        assert tx.events.of_stream("a", 25) == []

    store.read(look)
    for step in (1, 7, 24, 25, 26):
        pieces = list(batches(lambda start, limit: store.read(lambda tx: tx.events.scan(start, limit)), 23, 0, step))
        assert [row.position for piece in pieces for row in piece] == list(range(23))
        assert max(map(len, pieces)) <= step


def test_events_of_a_type_come_newest_first(store: Store):
    put(store, "a", 1, "INTEGRITY_FAILURE")
    put(store, "a", 2)
    put(store, "b", 1, "INTEGRITY_FAILURE")
    put(store, "c", 1, "router_decision")

    def look(tx: Tx) -> None:
        assert [row.position for row in tx.events.of_type("INTEGRITY_FAILURE")] == [3, 0]
        assert [row.position for row in tx.events.of_type("INTEGRITY_FAILURE", 1)] == [3]
        for before, found in ((4, [3, 0]), (3, [0]), (1, [0]), (0, [])):
            assert [row.position for row in tx.events.of_type("INTEGRITY_FAILURE", 10, before)] == found
        assert [row.position for row in tx.events.of_type("INTEGRITY_FAILURE", 1, 4)] == [3]
        assert [row.position for row in tx.events.of_type("router_decision")] == [4]  # a type that no index names
        assert tx.events.of_type("JOB_CLOSED") == []

    store.read(look)


def test_two_events_may_share_an_id(store: Store):
    """Plain concatenation: seed `job-1` at 15 and seed `job-11` at 5."""
    first, second = event("a"), event("b")
    twin = replace(second, event_id=first.event_id)

    def unit(tx: Tx) -> None:
        tx.events.append(first)
        tx.events.append(twin)

    store.write(unit)
    assert [row.position for row in store.read(lambda tx: tx.events.by_id(first.event_id))] == [0, 1]


def test_every_byte_and_every_character_comes_back(store: Store):
    given = [
        NewEvent(text, number, data, text, data, data, text)
        for text in ODD_TEXTS
        for number, data in enumerate(ODD_BYTES)
    ]

    def unit(tx: Tx) -> None:
        for new in given:
            tx.events.append(new)

    def look(tx: Tx) -> None:
        rows = tx.events.scan(0, 100)
        assert [as_new(row) for row in rows] == given
        for row in rows:
            assert tx.events.at(row.stream, row.sequence_index) == row
            assert row in tx.events.by_id(row.event_id)
            assert row in tx.events.of_stream(row.stream)
            assert row in tx.events.of_type(row.event_type)
            assert type(row.body) is type(row.hash) is type(row.event_id) is bytes

    store.write(unit)
    store.read(look)


def test_a_place_that_is_taken_is_refused_and_nothing_is_lost(store: Store):
    put(store, "a", 2)
    taken = event("a")

    def unit(tx: Tx) -> None:
        append(tx, "b")
        tx.events.append(taken)

    with pytest.raises(Exists):
        store.write(unit)
    assert store.read(lambda tx: (tx.events.size(), tx.events.head("b"))) == (2, None)
    put(store, "b", 1)
    assert [row.position for row in store.read(lambda tx: tx.events.scan(0, 10))] == [0, 1, 2]


def test_streams_differ_by_every_character(store: Store):
    names = ["a", "A", "a ", "ä", "a\u0308", "a/b", "a%"]
    for name in names:
        put(store, name)
    for name in names:
        assert len(store.read(lambda tx, name=name: tx.events.of_stream(name))) == 1


def test_indexes_beyond_32_bits(store: Store):
    far = NewEvent("a", 2**40, b"i" * 32, "SEM_PUT", b"{}", b"h" * 32, "s")
    store.write(lambda tx: tx.events.append(far))
    assert store.read(lambda tx: tx.events.head("a")) == Head(2**40, b"h" * 32)
