"""Every small table can be read whole, in pages, by whoever compares it with the events."""

from collections.abc import Callable
from typing import Any

import pytest

from mace.storage.ports import AliasRow, JobRow, Record, Store, Tx


def job(stream: str) -> JobRow:
    return JobRow(stream, "ask", "closed", "then", "ann", "log")


SCANS: dict[str, tuple[Callable[[Tx, str], None], Callable[[Tx, str, int], list[Any]], Callable[[str], Any]]] = {
    "registry": (
        lambda tx, key: tx.registry.add(key, f"id {key}"),
        lambda tx, after, limit: tx.registry.scan(after, limit),
        lambda key: (key, f"id {key}"),
    ),
    "aliases": (
        lambda tx, key: tx.aliases.put(key, "target", "system", "then"),
        lambda tx, after, limit: tx.aliases.scan(after, limit),
        lambda key: AliasRow(key, "target", "system", "then"),
    ),
    "idempotency": (
        lambda tx, key: tx.idempotency.add(key, "hash", b"{}"),
        lambda tx, after, limit: tx.idempotency.scan(after, limit),
        lambda key: (key, "hash", b"{}"),
    ),
    "notes": (
        lambda tx, key: tx.notes.put(key, "value"),
        lambda tx, after, limit: tx.notes.scan(after, limit),
        lambda key: (key, "value"),
    ),
    "blobs": (
        lambda tx, key: tx.vault.put_blob(key, "ref", b"sealed"),
        lambda tx, after, limit: tx.vault.scan_blobs(after, limit),
        lambda key: (key, "ref", b"sealed"),
    ),
    "jobs": (
        lambda tx, key: tx.jobs.add(job(key)),
        lambda tx, after, limit: tx.jobs.scan(after, limit),
        job,
    ),
}


@pytest.mark.parametrize("table", SCANS)
def test_a_table_is_read_in_pages_that_leave_nothing_out(store: Store, table: str):
    add, scan, row = SCANS[table]
    keys = ["b", "a", "user/user_x", "c d", "Z"]
    assert store.read(lambda tx: scan(tx, "", 10)) == []

    def unit(tx: Tx) -> None:
        for key in keys:
            add(tx, key)

    store.write(unit)
    found: list[Any] = []
    after = ""

    def name(item: Any) -> str:
        return str(item[0] if isinstance(item, tuple) else getattr(item, "phrase", None) or item.stream)

    def look(tx: Tx) -> list[Any]:
        return scan(tx, after, 2)

    while page := store.read(look):
        assert len(page) <= 2
        found += page
        after = name(page[-1])
    assert sorted(found, key=name) == [row(key) for key in sorted(keys)]


def test_the_last_record_of_a_kind_is_the_one_with_the_greatest_key(store: Store):
    def unit(tx: Tx) -> None:
        for kind, key in (("a", "9"), ("b", "2"), ("b", "10"), ("c", "3")):
            tx.records.add(Record(kind, key, "", b"{}", "signature"))

    assert store.read(lambda tx: tx.records.last("b")) is None
    store.write(unit)
    assert store.read(lambda tx: tx.records.last("b")) == Record("b", "2", "", b"{}", "signature")


def test_an_alias_is_read_with_all_its_columns(store: Store):
    store.write(lambda tx: tx.aliases.put("b", "target", "system", "then"))
    assert store.read(lambda tx: tx.aliases.row("b")) == AliasRow("b", "target", "system", "then")
    assert store.read(lambda tx: tx.aliases.row("c")) is None
