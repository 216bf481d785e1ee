"""The ports of facts, names and jobs."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from mace.storage.ports import Exists, Fact, HolderRow, JobRow, PastFact, Store, Tx
from store_samples import ODD_BYTES, ODD_TEXTS

FACT = Fact("user/profile/user_a/colour", 1, b'{"value":"blue"}', "", "user", "2026-01-01T00:00:00.000000Z", False)
PAST = PastFact(FACT.key, 1, FACT.content, "", "user", "user:a", FACT.written_at, "h" * 64, True, False, "stream")


def test_facts(store: Store):
    assert store.read(lambda tx: tx.facts.get(FACT.key)) is None
    store.write(lambda tx: tx.facts.put(FACT))
    assert store.read(lambda tx: tx.facts.get(FACT.key)) == FACT
    newer = replace(FACT, version=2, content=b"sealed\x00\xff", key_ref="fact/1", source="agent:x", deleted=True)
    store.write(lambda tx: tx.facts.put(newer))
    assert store.read(lambda tx: tx.facts.get(FACT.key)) == newer


def test_keys_of_facts_by_leading_components(store: Store):
    keys = ["user/a/b/c", "user/a/b/d", "user/a/bb/c", "user/ab/b/c", "world/a/b/c", "user/a-b/x/y", "user/a/gone/c"]

    def put(tx: Tx) -> None:
        for key in keys:
            tx.facts.put(replace(FACT, key=key, deleted=key.endswith("gone/c")))

    store.write(put)
    live = sorted(key for key in keys if not key.endswith("gone/c"))

    def look(tx: Tx) -> None:
        assert tx.facts.keys("") == live
        assert tx.facts.keys("user") == [key for key in live if key.startswith("user/")]
        assert tx.facts.keys("user/a") == ["user/a/b/c", "user/a/b/d", "user/a/bb/c"]
        assert tx.facts.keys("user/a/b") == ["user/a/b/c", "user/a/b/d"]
        assert tx.facts.keys("user/a", "user/a/b/c", 1) == ["user/a/b/d"]
        assert tx.facts.keys("nobody") == []
        assert [fact.key for fact in tx.facts.scan()] == sorted(keys)
        assert [fact.key for fact in tx.facts.scan(sorted(keys)[1], 2)] == sorted(keys)[2:4]

    store.read(look)


def test_history_of_facts(store: Store):
    rows = [replace(PAST, version=number, applied=number != 2, deleted=number == 3) for number in (1, 2, 3)]
    for row in rows:
        store.write(lambda tx, row=row: tx.facts.add_history(row))
    store.write(lambda tx: tx.facts.add_history(replace(PAST, key="other")))

    def look(tx: Tx) -> None:
        assert tx.facts.history(FACT.key) == rows
        assert tx.facts.history("nobody") == []
        assert tx.facts.history_at(FACT.key, 2) == rows[1]
        assert tx.facts.history_at(FACT.key, 4) is None
        assert tx.facts.newest(FACT.key) == (None, 3)
        assert tx.facts.newest("nobody") == (None, 0)

    store.read(look)
    store.write(lambda tx: tx.facts.put(FACT))
    assert store.read(lambda tx: tx.facts.newest(FACT.key)) == (FACT, 3)
    with pytest.raises(Exists):
        store.write(lambda tx: tx.facts.add_history(rows[0]))


def test_facts_keep_every_byte(store: Store):
    for number, data in enumerate(ODD_BYTES):
        for text in ODD_TEXTS:
            fact = replace(FACT, key=f"{text}{number}", content=data, key_ref=text, source=text, written_at=text)
            past = replace(PAST, key=fact.key, content=data, actor=text, value_hash=text, stream=text)
            store.write(lambda tx, fact=fact, past=past: (tx.facts.put(fact), tx.facts.add_history(past)))
            assert store.read(lambda tx, key=fact.key: tx.facts.get(key)) == fact
            assert store.read(lambda tx, key=fact.key: tx.facts.history(key)) == [past]


def test_a_locked_fact_is_written_by_one_unit_at_a_time(open_store: Callable[..., Store]):
    first = open_store()
    second = first if first.describe()["kind"] == "in memory" else open_store()

    def add_one(tx: Tx) -> None:
        tx.facts.lock(FACT.key)
        held = tx.facts.get(FACT.key)
        tx.facts.put(replace(FACT, version=1 + (held.version if held else 0)))

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda number: (first, second)[number % 2].write(add_one), range(30)))
    found = first.read(lambda tx: tx.facts.get(FACT.key))
    assert found is not None
    assert found.version == 30


def test_the_registry_only_grows(store: Store):
    assert store.read(lambda tx: tx.registry.get("slot")) is None
    store.write(lambda tx: tx.registry.add("slot", "identity"))
    with pytest.raises(Exists):
        store.write(lambda tx: tx.registry.add("slot", "another"))
    assert store.read(lambda tx: tx.registry.get("slot")) == "identity"


def test_aliases(store: Store):
    store.write(lambda tx: tx.aliases.put("b", "target 1", "user", "then"))
    store.write(lambda tx: tx.aliases.put("a", "target 2", "user", "then"))
    store.write(lambda tx: tx.aliases.put("b", "target 3", "system", "now"))
    assert store.read(lambda tx: tx.aliases.get("b")) == "target 3"
    assert store.read(lambda tx: tx.aliases.get("c")) is None
    assert store.read(lambda tx: tx.aliases.all()) == {"a": "target 2", "b": "target 3"}


def test_first_answers_are_kept(store: Store):
    store.write(lambda tx: tx.idempotency.add("token", "hash", b'{"a":1}'))
    assert store.read(lambda tx: tx.idempotency.get("token")) == ("hash", b'{"a":1}')
    assert store.read(lambda tx: tx.idempotency.get("other")) is None
    with pytest.raises(Exists):
        store.write(lambda tx: tx.idempotency.add("token", "hash", b"{}"))
    assert [store.write(lambda tx: tx.idempotency.drop("token")) for _ in range(2)] == [True, False]
    assert store.read(lambda tx: tx.idempotency.get("token")) is None


def test_jobs(store: Store):
    rows = [
        JobRow(f"s{number}", "ask", "running", f"2026-01-0{number}", "user_a", f"log-{number}") for number in (1, 2, 3)
    ]
    for row in rows:
        store.write(lambda tx, row=row: tx.jobs.add(row))
    assert store.read(lambda tx: tx.jobs.get("s2")) == rows[1]
    assert store.read(lambda tx: tx.jobs.get("s9")) is None
    store.write(lambda tx: tx.jobs.set_status("s2", "closed"))
    assert store.read(lambda tx: tx.jobs.get("s2")) == replace(rows[1], status="closed")
    assert [job.stream for job in store.read(lambda tx: tx.jobs.recent(2))] == ["s3", "s2"]
    with pytest.raises(Exists):
        store.write(lambda tx: tx.jobs.add(rows[0]))
    held = replace(rows[0], stream="s4", holder="a process")
    store.write(lambda tx: tx.jobs.add(held))
    running = store.read(lambda tx: tx.jobs.running())
    assert sorted(job.stream for job in running) == ["s1", "s3", "s4"] and held in running


ROOT = JobRow("root", "program", "running", "2026-01-01", "user_a", "log", "a process")
BRANCHES = [
    JobRow(f"b{number}", "branch", "running", "2026-01-02", "user_a", f"log-{number}", "", parent, "root")
    for number, parent in ((2, "root"), (1, "root"), (3, "b1"))
]
OTHERS = [
    JobRow("other", "program", "waiting", "2026-01-03", "", "other log", "a process", life=3),
    JobRow("b0", "branch", "running", "2026-01-04", "", "log-0", "", "other", "other"),
]


def with_trees(store: Store) -> Store:
    for row in [ROOT, *BRANCHES, *OTHERS]:
        store.write(lambda tx, row=row: tx.jobs.add(row))
    return store


def test_the_branches_of_a_job_come_by_stream(store: Store):
    with_trees(store)
    assert store.read(lambda tx: tx.jobs.tree("root")) == sorted(BRANCHES, key=lambda row: row.stream)
    assert store.read(lambda tx: tx.jobs.tree("other")) == OTHERS[1:]
    assert store.read(lambda tx: tx.jobs.tree("b1")) == []  # a branch is no root
    assert store.read(lambda tx: tx.jobs.tree("none")) == []
    assert store.read(lambda tx: tx.jobs.get("b3")) == BRANCHES[2]
    assert store.read(lambda tx: tx.jobs.get("other")) == OTHERS[0]


def test_lists_of_jobs_are_without_branches(store: Store):
    with_trees(store)
    assert [row.stream for row in store.read(lambda tx: tx.jobs.recent(10))] == ["other", "root"]
    assert [row.stream for row in store.read(lambda tx: tx.jobs.recent(1))] == ["other"]
    assert [row.stream for row in store.read(lambda tx: tx.jobs.recent(10, "other"))] == ["root"]
    running = store.read(lambda tx: tx.jobs.running())
    assert sorted(row.stream for row in running) == ["other", "root"]  # who waits for a person runs, too
    scanned = store.read(lambda tx: tx.jobs.scan())
    assert sorted(row.stream for row in scanned) == ["b0", "b1", "b2", "b3", "other", "root"]
    first = store.read(lambda tx: tx.jobs.scan("", 4))
    rest = store.read(lambda tx: tx.jobs.scan(first[-1].stream, 4))
    assert [*first, *rest] == scanned


@pytest.mark.parametrize("status", ["interrupted", "closed", "failed", "cancelled", "abandoned"])
def test_what_nobody_plays_does_not_run(store: Store, status: str):
    with_trees(store)
    store.write(lambda tx: tx.jobs.set_status("root", status))
    assert [row.stream for row in store.read(lambda tx: tx.jobs.running())] == ["other"]
    assert store.read(lambda tx: tx.jobs.get("root")) == replace(ROOT, status=status)


def test_a_job_is_taken_up(store: Store):
    with_trees(store)
    store.write(lambda tx: tx.jobs.set_status("root", "interrupted"))
    store.write(lambda tx: tx.jobs.take_up("root", "another", 2))
    assert store.read(lambda tx: tx.jobs.get("root")) == replace(ROOT, holder="another", life=2)
    assert store.read(lambda tx: tx.jobs.tree("root")) == sorted(BRANCHES, key=lambda row: row.stream)  # by itself
    store.write(lambda tx: tx.jobs.take_up("b1", "", 2))
    assert store.read(lambda tx: tx.jobs.get("b1")) == replace(BRANCHES[1], life=2)
    assert "root" in [row.stream for row in store.read(lambda tx: tx.jobs.running())]


def test_a_unit_that_fails_takes_nothing_up(store: Store):
    with_trees(store)

    def unit(tx: Tx) -> None:
        tx.jobs.take_up("root", "another", 2)
        raise LookupError

    with pytest.raises(LookupError):
        store.write(unit)
    assert store.read(lambda tx: tx.jobs.get("root")) == ROOT


def test_holders_beat_by_the_stores_own_clock(store: Store):
    clock, now = store.read(lambda tx: tx.holders.clock())
    row = HolderRow("h", "machine/boot/space", 2**40, "12", clock, now)
    assert store.read(lambda tx: tx.holders.get("h")) is None
    store.write(lambda tx: tx.holders.put(row))
    assert store.read(lambda tx: tx.holders.get("h")) == row
    store.write(lambda tx: tx.holders.put(replace(row, beat=now + 5.25)))
    assert store.read(lambda tx: tx.holders.get("h")) == replace(row, beat=now + 5.25)
    again = store.read(lambda tx: tx.holders.clock())
    assert again[0] == clock and again[1] >= now


def test_sealed_parts_are_walked_by_name(store: Store):
    for ref in ("b/2", "a/1", "c/3"):
        store.write(lambda tx, ref=ref: tx.vault.put_blob(ref, f"key of {ref}", ref.encode()))
    assert store.read(lambda tx: tx.vault.scan_blobs(limit=2)) == [
        ("a/1", "key of a/1", b"a/1"),
        ("b/2", "key of b/2", b"b/2"),
    ]
    assert store.read(lambda tx: tx.vault.scan_blobs("b/2")) == [("c/3", "key of c/3", b"c/3")]


def test_what_a_unit_noted_is_gone_with_it(store: Store):
    def unit(tx: Tx) -> dict[str, str]:
        before = dict(tx.noted)
        tx.noted["a"] = "b"
        return before

    assert [store.write(unit) for _ in range(2)] == [{}, {}]


def test_the_version_moves_with_every_commit_of_anyone(open_store: Callable[..., Store]):
    first = open_store()
    second = first if first.describe()["kind"] == "in memory" else open_store()
    if first.version() is None:
        return  # a store that does not know it cheaply says so
    for number in range(6):
        before = first.version()
        (first, second)[number % 2].write(lambda tx, n=number: tx.notes.put("n", str(n)))
        after = first.version()
        assert after != before
        assert first.version() == after
