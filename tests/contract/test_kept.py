"""What is read through `keep`, on every store: never older than the last commit, and read once where it stays."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from mace.storage.ports import Fact, Kept, Store, Tx

FACT = Fact("world/fact/a/b", 1, b"1", "", "user", "2026-01-01T00:00:00.000000Z", False)
OTHER = replace(FACT, key="world/fact/other/b")


def asking(kept: Kept[Any], looks: list[str]) -> Callable[[str], bytes | None]:
    def ask(key: str) -> bytes | None:
        def look(tx: Tx) -> tuple[tuple[bytes | None], int]:
            looks.append(key)
            fact = tx.facts.get(key)
            return (None if fact is None else fact.content,), 10

        held = kept.get(key)
        found: bytes | None = (kept.read(key, look) if held is None else held)[0]
        return found

    return ask


def test_it_is_never_older_than_the_last_commit_of_anyone(open_store: Callable[..., Store]):
    first = open_store()
    second = first if first.describe()["kind"] == "in memory" else open_store()
    looks: list[str] = []
    ask, ask_second = asking(first.keep(10_000), looks), asking(second.keep(10_000), looks)
    for number in range(12):
        content = str(number).encode()
        writer = (first, second, second)[number % 3]
        writer.write(lambda tx, content=content: tx.facts.put(replace(FACT, content=content)))
        assert [ask(FACT.key), ask_second(FACT.key), ask(OTHER.key)] == [content, content, None]
    first.write(lambda tx: tx.facts.put(OTHER))
    assert [ask(OTHER.key), ask_second(OTHER.key)] == [b"1", b"1"]


def test_a_unit_that_fails_changes_nothing_that_is_kept(store: Store):
    looks: list[str] = []
    ask = asking(store.keep(10_000), looks)
    store.write(lambda tx: tx.facts.put(FACT))
    assert ask(FACT.key) == b"1"

    def fails(tx: Tx) -> None:
        tx.facts.put(replace(FACT, content=b"2"))
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        store.write(fails)
    assert ask(FACT.key) == b"1"


def test_what_another_row_changes_is_not_read_again_where_that_can_be_known(store: Store):
    looks: list[str] = []
    kept = store.keep(10_000)
    ask = asking(kept, looks)
    store.write(lambda tx: tx.facts.put(FACT))
    ask(FACT.key)
    looks.clear()
    for number in range(5):
        store.write(lambda tx, n=number: tx.facts.put(replace(OTHER, version=n)))
        store.write(lambda tx, n=number: tx.notes.put("n", str(n)))
        assert ask(FACT.key) == b"1"
    assert looks == ([] if store.describe()["kind"] == "sqlite" else [FACT.key] * 5)
    kept.clear()
    looks.clear()
    assert ask(FACT.key) == b"1"
    assert looks == [FACT.key]
