"""The shelf of answers: each stays until something that it depends on has changed."""

import random

import pytest

from mace.storage.kept import Shelf
from mace.storage.sql import topics

A, B, TOKEN = ("fact", "a"), ("fact", "b"), ("token",)


def filled(most_bytes: int = 1000) -> Shelf[str]:
    shelf: Shelf[str] = Shelf(most_bytes)
    shelf.put("one", "1", 10, [A, TOKEN], shelf.changes)
    shelf.put("two", "2", 10, [B, TOKEN], shelf.changes)
    shelf.put("three", "3", 10, [A, B], shelf.changes)
    return shelf


@pytest.mark.parametrize(
    ("changed", "left"),
    [
        ([], ["one", "three", "two"]),
        ([("fact", "c"), ("any",)], ["one", "three", "two"]),
        ([A], ["two"]),
        ([B], ["one"]),
        ([TOKEN], ["three"]),
        ([A, B, TOKEN], []),
        (None, []),
    ],
)
def test_a_change_takes_what_depends_on_it(changed: list[tuple[str, ...]] | None, left: list[str]):
    shelf = filled()
    shelf.change(changed)
    assert sorted(shelf.answers) == left


def test_what_was_read_before_a_change_is_not_kept_after_it():
    shelf = filled()
    before = shelf.changes
    shelf.change([("fact", "c")])
    shelf.put("four", "4", 10, [A], before)
    assert "four" not in shelf.answers
    shelf.put("four", "4", 10, [A], shelf.changes)
    assert shelf.answers["four"] == "4"


def test_an_answer_that_is_read_again_depends_on_what_it_was_made_of_last():
    shelf = filled()
    shelf.put("one", "new", 10, [B], shelf.changes)
    shelf.change([A])
    assert shelf.answers == {"one": "new", "two": "2"}
    shelf.change([B])
    assert shelf.answers == {}


def test_it_begins_anew_when_it_is_full_and_counts_what_went():
    shelf = filled(40)
    shelf.change([A])  # 20 bytes go
    for name in "xyz":
        shelf.put(name, name, 10, [A], shelf.changes)
    assert sorted(shelf.answers) == ["two", "x", "y", "z"]
    shelf.put("last", "l", 10, [B], shelf.changes)
    assert list(shelf.answers) == ["last"]


def test_it_agrees_with_a_list_of_everything_that_was_put():
    choose = random.Random(5)
    shelf: Shelf[int] = Shelf(1 << 30)
    held: dict[str, tuple[int, set[tuple[str, int]]]] = {}
    for number in range(3000):
        topics = {("t", choose.randrange(12)) for _ in range(choose.randrange(1, 4))}
        if choose.random() < 0.7:
            name = f"n{choose.randrange(40)}"
            shelf.put(name, number, 1, topics, shelf.changes)
            held[name] = number, topics
        else:
            shelf.change(topics)
            held = {name: entry for name, entry in held.items() if not entry[1] & topics}
        assert shelf.answers == {name: entry[0] for name, entry in held.items()}
    assert shelf._names.keys() == {topic for _, topics in held.values() for topic in topics}
    assert shelf._bytes == len(held)


# In doubt

MADE_OF: topics.MadeOf = ("select 1", (), [(1,)])


def test_in_doubt_nothing_is_answered_until_its_rows_are_the_same():
    shelf: Shelf[str] = Shelf(1000)
    shelf.put("one", "1", 10, [A], shelf.changes, MADE_OF)
    shelf.put("two", "2", 10, [B], shelf.changes, MADE_OF)
    shelf.put("never", "3", 10, [A], shelf.changes)  # nobody can ask for its rows again
    before = shelf.changes
    shelf.doubt()
    assert (shelf.answers, sorted(shelf.doubted)) == ({}, ["one", "two"])
    assert shelf.entry("one") == ("1", MADE_OF)
    assert shelf.entry("never") is None
    shelf.same("one", "1", before)  # its rows were asked for too early
    assert shelf.answers == {}
    shelf.same("one", "1", shelf.changes)
    assert shelf.answers == {"one": "1"}
    shelf.doubt()
    shelf.change([A])
    assert (shelf.answers, list(shelf.doubted)) == ({}, ["two"])
    assert shelf.entry("one") is None
    shelf.clear()
    assert (shelf.doubted, shelf._bytes, shelf._names) == ({}, 0, {})


def test_what_was_read_anew_takes_the_place_of_what_was_in_doubt():
    shelf: Shelf[str] = Shelf(1000)
    shelf.put("one", "old", 10, [A], shelf.changes, MADE_OF)
    shelf.doubt()
    shelf.put("one", "new", 10, [A], shelf.changes, MADE_OF)
    shelf.same("one", "old", shelf.changes)
    assert (shelf.answers, shelf.doubted) == ({"one": "new"}, {})
