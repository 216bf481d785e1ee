"""The index of what events speak of: in step with the events, seen by the unit that appends, rolled back with it."""

from dataclasses import replace

import pytest

from mace.core.events import NewEvent
from mace.core.subjects import references, subjects_of
from mace.storage.ports import Store, Tx
from store_samples import event


def named(tx: Tx, stream: str, *subjects: str) -> NewEvent:
    made = replace(event(stream), subjects=subjects)
    tx.events.append(made)
    return made


def test_events_are_found_by_what_they_speak_of(store: Store):
    first = store.write(lambda tx: named(tx, "a", "account/ann", "policy/1"))
    store.write(lambda tx: named(tx, "b"))
    last = store.write(lambda tx: named(tx, "c", "account/ann"))
    other = store.write(lambda tx: named(tx, "d", "account/annabel/x"))

    def look(tx: Tx) -> None:
        assert [row.hash for row in tx.events.about("account/ann")] == [last.hash, first.hash]
        assert [row.position for row in tx.events.about("account/ann", 1)] == [2]
        assert [row.stream for row in tx.events.about_under("account/")] == ["a", "c", "d"]
        assert [row.hash for row in tx.events.about_under("account/annabel/")] == [other.hash]
        assert tx.events.about("account") == tx.events.about_under("accoun/") == []
        rows = [("account/ann", 0), ("account/ann", 2), ("account/annabel/x", 3), ("policy/1", 0)]
        assert tx.subjects.scan() == rows
        assert tx.subjects.scan(("account/ann", 0), 2) == rows[1:3]

    store.read(look)


def test_a_unit_sees_what_it_appended_at_the_place_it_will_have(store: Store):
    store.write(lambda tx: named(tx, "a", "x/1"))

    def unit(tx: Tx) -> None:
        named(tx, "b", "x/1")
        named(tx, "c", "x/2")
        assert [row.position for row in tx.events.about("x/1")] == [1, 0]
        assert [row.position for row in tx.events.about_under("x/")] == [0, 1, 2]

    store.write(unit)
    assert [row.stream for row in store.read(lambda tx: tx.events.about_under("x/"))] == ["a", "b", "c"]


def test_a_span_of_subjects_and_the_last_of_them(store: Store):
    store.write(lambda tx: named(tx, "a", "turn/ana/1", "turn/ana/2"))
    store.write(lambda tx: named(tx, "b", "turn/ana/3", "turn/anabel/9"))
    store.write(lambda tx: named(tx, "c", "turn/ana/4"))

    def streams(tx: Tx, first: str, last: str) -> list[str]:
        return [row.stream for row in tx.events.about_between(first, last)]

    def look(tx: Tx) -> None:
        assert streams(tx, "turn/ana/1", "turn/ana/2") == ["a"], "each event once"
        assert streams(tx, "turn/ana/2", "turn/ana/3") == ["a", "b"]
        assert streams(tx, "turn/ana/2", "turn/ana/4") == ["a", "b", "c"]
        assert streams(tx, "turn/ana/5", "turn/ana/7") == streams(tx, "turn/ana/4", "turn/ana/1") == []
        assert tx.events.last_under("turn/ana/") == "turn/ana/4"
        assert tx.events.last_under("turn/anabel/") == "turn/anabel/9"
        assert tx.events.last_under("turn/an/") is None

    store.read(look)

    def unit(tx: Tx) -> None:
        named(tx, "d", "turn/ana/5", "turn/bob/0")
        assert streams(tx, "turn/ana/4", "turn/ana/9") == ["c", "d"]
        assert (tx.events.last_under("turn/ana/"), tx.events.last_under("turn/bob/")) == ("turn/ana/5", "turn/bob/0")

    store.write(unit)
    store.read(lambda tx: None)
    assert store.read(lambda tx: tx.events.last_under("turn/ana/")) == "turn/ana/5"


def test_what_was_rolled_back_is_spoken_of_by_nobody(store: Store):
    def unit(tx: Tx) -> None:
        named(tx, "a", "x/1")
        raise ValueError

    with pytest.raises(ValueError):
        store.write(unit)
    assert store.read(lambda tx: (tx.events.about("x/1"), tx.subjects.scan())) == ([], [])
    assert not store.is_spoken_of("x/1")


def test_whether_something_is_spoken_of_can_be_asked_by_itself(store: Store):
    assert not store.is_spoken_of("x/1")
    store.write(lambda tx: named(tx, "a", "x/1"))
    assert store.is_spoken_of("x/1")
    assert not store.is_spoken_of("x/") and not store.is_spoken_of("x/11")


def test_the_index_can_be_put_right(store: Store):
    store.write(lambda tx: named(tx, "a", "x/1", "x/2"))
    store.write(lambda tx: tx.subjects.drop_all([("x/1", 0), ("x/2", 0), ("x/3", 0)]))
    assert store.read(lambda tx: tx.subjects.scan()) == []
    store.write(lambda tx: tx.subjects.add_all([("x/1", 0)]))
    assert [row.stream for row in store.read(lambda tx: tx.events.about("x/1"))] == ["a"]
    assert store.read(lambda tx: tx.subjects.scan()) == [("x/1", 0)]


@pytest.mark.parametrize(
    ("event_type", "payload", "wanted"),
    [
        ("JOB_OPENED", {"verb": "sem_put"}, ()),
        ("SEM_PUT", {"record": {"kind": "sem_history", "key": "a/b/c/d@12", "hash": "0"}}, ("sem_history/a/b/c/d",)),
        ("ACCOUNT_CREATED", {"record": {"kind": "account", "key": "ann", "hash": "0"}}, ("account/ann",)),
        ("DSR_ERASED", {"manifest": {"kind": "m", "key": "1", "hash": "0"}, "record": {"kind": "r"}}, ("m/1",)),
        ("ROWS_ADOPTED", {"records": [{"kind": "a", "key": "1", "hash": ""}, {"kind": "a"}, 7]}, ("a/1",)),
        ("ALIAS_ADDED", {"phrase": "home town"}, ("alias/home town",)),
        ("ALIAS_ADDED", {"phrase": 7}, ()),
        ("NODE_OFFLINE", {"node": "math"}, ("modules/",)),
    ],
)
def test_what_an_event_speaks_of(event_type: str, payload: dict, wanted: tuple):
    assert subjects_of(event_type, payload) == wanted


def test_only_whole_references_are_read():
    assert list(references({"record": {"kind": "a", "key": "b", "hash": None}, "records": "no", "manifest": []})) == []


def test_which_subjects_are_known_is_asked_of_many_at_once(store: Store):
    names = [f"x/{number}" for number in range(100)]
    assert store.read(lambda tx: tx.subjects.known(names)) == set()
    store.write(lambda tx: [named(tx, f"stream {at}", name) for at, name in enumerate(names[::3])])
    assert store.read(lambda tx: tx.subjects.known(names)) == set(names[::3])
    assert store.read(lambda tx: tx.subjects.known(names[1:3])) == set()
    assert store.read(lambda tx: tx.subjects.known([])) == set()
