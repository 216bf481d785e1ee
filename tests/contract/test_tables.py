"""Every other port of a store, method by method."""

from collections.abc import Callable
from typing import Any

import pytest

from mace.core.reflective import IMMUTABLE_FIELDS
from mace.storage.ports import Exists, Record, Store, Tx
from store_samples import ODD_BYTES, ODD_TEXTS


def test_tiles(store: Store):
    def put(tx: Tx) -> None:
        for place in [(1, 0), (1, 1), (1, 2), (2, 0), (1, 300)]:
            tx.tiles.put(*place, f"{place}".encode())

    store.write(put)

    def look(tx: Tx) -> None:
        assert tx.tiles.get(1, 1) == b"(1, 1)"
        assert tx.tiles.get(3, 0) is None
        assert tx.tiles.scan(1, 1, 10) == [(1, b"(1, 1)"), (2, b"(1, 2)"), (300, b"(1, 300)")]
        assert tx.tiles.scan(1, 0, 2) == [(0, b"(1, 0)"), (1, b"(1, 1)")]
        assert tx.tiles.scan(3, 0, 2) == []
        everything = [(1, 0), (1, 1), (1, 2), (1, 300), (2, 0)]
        assert [row[:2] for row in tx.tiles.scan_all()] == everything
        assert [row[:2] for row in tx.tiles.scan_all(None, 2)] == everything[:2]
        assert [row[:2] for row in tx.tiles.scan_all((1, 1), 2)] == everything[2:4]
        assert tx.tiles.scan_all((2, 0)) == []

    store.read(look)


def test_tiles_are_replaced_and_thrown_away(store: Store):
    store.write(lambda tx: tx.tiles.put(1, 0, b"wrong"))
    store.write(lambda tx: tx.tiles.put(1, 0, b"right"))
    assert store.read(lambda tx: tx.tiles.get(1, 0)) == b"right"
    store.write(lambda tx: tx.tiles.clear())
    assert store.read(lambda tx: tx.tiles.scan_all()) == []
    store.write(lambda tx: tx.tiles.put(1, 0, b"again"))
    assert store.read(lambda tx: tx.tiles.get(1, 0)) == b"again"


def _record(kind: str, key: str, parent: str = "", body: bytes = b"{}") -> Record:
    return Record(kind, key, parent, body, f"signature of {key}")


def test_records(store: Store):
    places = [("b", "1", ""), ("a", "2", "p"), ("a", "10", "p"), ("a", "1", "q"), ("a", "Z", "")]
    rows = [_record(*place) for place in places]
    for row in rows:
        store.write(lambda tx, row=row: tx.records.add(row))

    def look(tx: Tx) -> None:
        assert tx.records.get("a", "2") == rows[1]
        assert tx.records.get("a", "3") is None
        assert tx.records.get("c", "1") is None
        assert [row.key for row in tx.records.children("a", "p")] == ["10", "2"]  # by key, as bytes sort
        assert tx.records.children("b", "p") == []
        assert [row.key for row in tx.records.scan("a")] == ["1", "10", "2", "Z"]
        assert [row.key for row in tx.records.scan("a", "10", 1)] == ["2"]
        assert tx.records.scan("a", "Z") == []
        everything = [("a", "1"), ("a", "10"), ("a", "2"), ("a", "Z"), ("b", "1")]
        assert [(row.kind, row.key) for row in tx.records.scan_all()] == everything
        assert [(row.kind, row.key) for row in tx.records.scan_all(("a", "10"), 2)] == everything[2:4]
        assert tx.records.scan_all(("b", "1")) == []

    store.read(look)


def test_a_record_is_never_overwritten(store: Store):
    store.write(lambda tx: tx.records.add(_record("a", "1", body=b"first")))
    with pytest.raises(Exists):
        store.write(lambda tx: tx.records.add(_record("a", "1", body=b"second")))
    found = store.read(lambda tx: tx.records.get("a", "1"))
    assert found is not None
    assert found.body == b"first"


def test_records_keep_their_bytes(store: Store):
    for data in ODD_BYTES:
        rows = [Record(text, f"{text} {data[:3]!r}", text, data, text) for text in ODD_TEXTS]
        store.write(lambda tx, rows=rows: [tx.records.add(row) for row in rows])
        assert store.read(lambda tx, rows=rows: [tx.records.get(row.kind, row.key) for row in rows]) == rows
        for row in rows:
            assert row in store.read(lambda tx, row=row: tx.records.children(row.kind, row.parent))


def _log(log_id: str, **changes: Any) -> dict[str, Any]:
    columns: dict[str, Any] = {
        name: f"{name} of {log_id}" for name in IMMUTABLE_FIELDS if name not in ("final_confidence", "repair_loops")
    }
    for name in ("qcp_summary", "agents_invoked", "agent_outputs", "council_votes", "final_answer", "runtime_metrics"):
        columns[name] = '{"b" : 1.50,  "a":"é\\u0000"}'  # the very text that was signed, odd as it may be
    columns |= {"log_id": log_id, "final_confidence": 0.1 + 0.2, "repair_loops": 2, "cache_hit": 1, **changes}
    return columns


def test_logs(store: Store):
    rows = [_log("b", created_at="2026-01-02"), _log("c", created_at="2026-01-01"), _log("a", created_at="2026-01-02")]
    for row in rows:
        store.write(lambda tx, row=row: tx.logs.add(row))

    def look(tx: Tx) -> None:
        assert tx.logs.get("b") == rows[0]
        assert tx.logs.get("x") is None
        assert tx.logs.scan() == [rows[2], rows[0], rows[1]]
        assert tx.logs.scan("a", 1) == [rows[0]]
        assert tx.logs.scan("c") == []
        assert tx.logs.recent(10) == [rows[0], rows[2], rows[1]]
        assert tx.logs.recent(1) == [rows[0]]
        assert tx.logs.recent(10, "b") == [rows[2], rows[1]]  # two of one time: the id decides
        assert tx.logs.recent(1, "b") == [rows[2]]
        assert tx.logs.recent(10, "c") == tx.logs.recent(10, "x") == []

    store.read(look)
    with pytest.raises(Exists):
        store.write(lambda tx: tx.logs.add(_log("b", source="other")))
    assert store.read(lambda tx: tx.logs.get("b")) == rows[0]


@pytest.mark.parametrize(
    "changes",
    [
        {"final_confidence": 5e-324},
        {"final_confidence": 1.0, "repair_loops": 2**53 - 1, "cache_hit": 0},
        {"final_answer": '"' + "x" * 900_000 + '"'},
        {"final_answer": '"日本語 \U0001f600"', "query_id": ODD_TEXTS[2]},
        {"runtime_metrics": '{"n":1e-7,"m":100000000000000000000,"z":-0.0}'},
    ],
    ids=range(5),
)
def test_logs_keep_what_was_signed(store: Store, changes: dict[str, Any]):
    row = _log("a", **changes)
    store.write(lambda tx: tx.logs.add(row))
    found = store.read(lambda tx: tx.logs.get("a"))
    assert found == row
    assert {name: type(value) for name, value in found.items()} == {name: type(value) for name, value in row.items()}


def test_vault_keys(store: Store):
    def put(tx: Tx) -> None:
        tx.vault.add_key("person/b", "", b"wrapped b")
        tx.vault.add_key("job/2", "person/b", b"wrapped 2")
        tx.vault.add_key("job/1", "person/b", b"wrapped 1")
        tx.vault.add_key("person/a", "", b"")

    store.write(put)

    def look(tx: Tx) -> None:
        assert tx.vault.key("job/1") == ("person/b", b"wrapped 1")
        assert tx.vault.key("person/a") == ("", b"")
        assert tx.vault.key("job/3") is None
        assert tx.vault.keys_under("person/b") == ["job/1", "job/2"]
        assert tx.vault.keys_under("person/a") == []
        assert tx.vault.keys_under("person/b", "job/") == ["job/1", "job/2"]
        assert tx.vault.keys_under("person/b", "jo/") == tx.vault.keys_under("person/b", "job/1/") == []
        assert tx.vault.keys_under("person/a", "job/") == []
        assert [row[0] for row in tx.vault.scan_keys()] == ["job/1", "job/2", "person/a", "person/b"]
        assert tx.vault.scan_keys("job/1", 1) == [("job/2", "person/b", b"wrapped 2")]
        assert tx.vault.scan_keys("person/b") == []

    store.read(look)
    with pytest.raises(Exists):
        store.write(lambda tx: tx.vault.add_key("job/1", "", b"other"))
    assert store.write(lambda tx: tx.vault.drop_key("job/1")) is True
    assert store.write(lambda tx: tx.vault.drop_key("job/1")) is False
    assert store.read(lambda tx: tx.vault.key("job/1")) is None


def test_vault_blobs_keep_their_first_content(store: Store):
    store.write(lambda tx: tx.vault.put_blob("r", "job/1", bytes(range(256))))
    store.write(lambda tx: tx.vault.put_blob("r", "job/2", b"other"))
    assert store.read(lambda tx: tx.vault.blob("r")) == ("job/1", bytes(range(256)))
    assert store.read(lambda tx: tx.vault.blob("s")) is None


def test_notes(store: Store):
    assert store.read(lambda tx: tx.notes.get("a")) is None
    store.write(lambda tx: tx.notes.put("a", "1"))
    store.write(lambda tx: tx.notes.put("a", "2"))
    assert store.read(lambda tx: tx.notes.get("a")) == "2"


def test_a_store_describes_itself(store: Store):
    about = store.describe()
    assert {"kind", "place", "engine", "durability"} <= set(about)
    assert all(isinstance(value, str) and value for value in about.values())


def test_a_sound_store_has_no_damage_and_a_copy_of_it_reads_the_same(store: Store):
    record = Record("account", "ana", "", b"{}", "k1:00")
    store.write(lambda tx: tx.records.add(record))
    store.write(lambda tx: tx.vault.put_blob("a", "k", b"sealed"))
    store.write(lambda tx: tx.vault.put_blob("a", "k", b"other"))
    assert store.inspect() == store.inspect(quick=True) == []
    copy = store.salvage()
    assert copy.read(lambda tx: tx.records.scan_all()) == [record]
    assert copy.read(lambda tx: tx.vault.blob("a")) == ("k", b"sealed")
    assert copy.read(lambda tx: tx.events.size()) == 0


class TestKeysKeptApart:
    def test_a_unit_that_fails_leaves_none(self, store: Store):
        def unit(tx: Tx) -> None:
            tx.vault.add_key("person/a", "", b"a")
            assert tx.vault.key("person/a") == ("", b"a")
            raise KeyError

        with pytest.raises(KeyError):
            store.write(unit)
        assert store.read(lambda tx: tx.vault.key("person/a")) is None
        assert store.read(lambda tx: tx.vault.scan_keys()) == []

    def test_one_unit_drops_and_adds(self, store: Store):
        store.write(lambda tx: tx.vault.add_key("person/a", "", b"a"))

        def replace(tx: Tx) -> None:
            assert tx.vault.drop_key("person/a") is True
            assert tx.vault.key("person/a") is None
            assert tx.vault.drop_key("person/a") is False
            tx.vault.add_key("person/a", "", b"b")
            tx.vault.add_key("forensic/f", "", b"f")
            assert [row[0] for row in tx.vault.scan_keys()] == ["forensic/f", "person/a"]

        store.write(replace)
        assert store.read(lambda tx: tx.vault.key("person/a")) == ("", b"b")
        with pytest.raises(Exists):
            store.write(lambda tx: tx.vault.add_key("person/a", "", b"c"))
        assert store.read(lambda tx: tx.vault.scan_keys("forensic/f")) == [("person/a", "", b"b")]

    def test_nothing_stands_above_them(self, store: Store):
        with pytest.raises(ValueError, match="no other key above"):
            store.write(lambda tx: tx.vault.add_key("person/a", "person/b", b"a"))

    def test_the_master_key_is_named_with_them(self, store: Store):
        assert store.read(lambda tx: tx.vault.master()) == ""
        store.write(lambda tx: tx.vault.set_master("m1"))
        store.write(lambda tx: tx.vault.add_key("person/a", "", b"a"))
        assert store.read(lambda tx: tx.vault.master()) == "m1"

        def unit(tx: Tx) -> None:
            tx.vault.set_master("m2")
            assert tx.vault.master() == "m2"
            raise KeyError

        with pytest.raises(KeyError):
            store.write(unit)
        assert store.read(lambda tx: tx.vault.master()) == "m1"
        store.write(lambda tx: tx.vault.set_master("m2"))
        assert store.read(lambda tx: tx.vault.master()) == "m2"
        assert store.read(lambda tx: (tx.vault.must_move(), tx.vault.misplaced())) == (False, [])

    def test_units_of_one_batch_are_undone_one_by_one(self, store: Store):
        """Several threads at once, so that units share a transaction; each that fails takes only its own along."""
        from concurrent.futures import ThreadPoolExecutor

        def put(number: int) -> None:
            def unit(tx: Tx) -> None:
                tx.vault.add_key(f"person/{number:02}", "", b"x")
                if number % 3 == 0:
                    raise KeyError

            store.write(unit)

        with ThreadPoolExecutor(8) as pool:
            done = [pool.submit(put, number) for number in range(24)]
        assert [number for number in range(24) if done[number].exception() is not None] == list(range(0, 24, 3))
        held = [row[0] for row in store.read(lambda tx: tx.vault.scan_keys())]
        assert held == [f"person/{number:02}" for number in range(24) if number % 3]

    @pytest.mark.durable
    def test_others_see_them_and_a_read_is_one_moment(self, open_store: Callable[..., Store]):
        here, there = open_store(), open_store()
        here.write(lambda tx: tx.vault.add_key("person/a", "", b"a"))
        assert there.read(lambda tx: tx.vault.key("person/a")) == ("", b"a")

        def drop(tx: Tx) -> None:
            tx.vault.drop_key("person/a")
            tx.notes.put("dropped", "yes")

        times: list[bool] = []

        def look(tx: Tx) -> tuple[bool, bool]:
            said = tx.notes.get("dropped") is not None
            if not times:
                there.write(drop)
            times.append(said)
            return said, tx.vault.key("person/a") is None

        said, gone = here.read(look)
        assert said == gone, "either both or neither"
        assert here.read(look) == (True, True)
        here.write(lambda tx: tx.vault.add_key("person/a", "", b"b"))
        assert there.read(lambda tx: tx.vault.key("person/a")) == ("", b"b")

    @pytest.mark.durable
    def test_they_outlive_the_process(self, open_store: Callable[..., Store]):
        store = open_store()
        store.write(lambda tx: tx.vault.add_key("person/a", "", b"a"))
        store.write(lambda tx: tx.vault.add_key("person/b", "", b"b"))
        store.write(lambda tx: tx.vault.drop_key("person/a"))
        store.close()
        assert open_store().read(lambda tx: tx.vault.scan_keys()) == [("person/b", "", b"b")]


def test_parts_of_indexes(store: Store):
    def put(tx: Tx) -> None:
        tx.indexes.put("ana", 1024, "index/ana", b"second")
        tx.indexes.put("ana", 512, "index/ana", b"first")
        tx.indexes.put("eve", 512, "index/eve", b"hers")
        tx.indexes.put("ana", 1024, "index/ana", b"again")

    store.write(put)

    def look(tx: Tx) -> None:
        assert tx.indexes.parts("ana") == [(512, "index/ana", b"first"), (1024, "index/ana", b"again")]
        assert tx.indexes.parts("an") == []
        assert (tx.indexes.last("ana"), tx.indexes.last("bob")) == (1024, 0)
        assert tx.indexes.people() == ["ana", "eve"]
        assert (tx.indexes.people("ana"), tx.indexes.people("", 1)) == (["eve"], ["ana"])

    store.read(look)
    store.write(lambda tx: tx.indexes.drop("ana", 512))
    assert store.read(lambda tx: tx.indexes.parts("ana")) == [(1024, "index/ana", b"again")]
    assert store.write(lambda tx: tx.indexes.drop_all("ana")) == 1
    assert store.write(lambda tx: tx.indexes.drop_all("ana")) == 0
    assert store.read(lambda tx: tx.indexes.people()) == ["eve"]


def test_parts_of_indexes_go_back_with_their_unit(store: Store):
    store.write(lambda tx: tx.indexes.put("ana", 512, "index/ana", b"first"))

    def unit(tx: Tx) -> None:
        tx.indexes.drop_all("ana")
        tx.indexes.put("eve", 512, "index/eve", b"hers")
        raise ValueError

    with pytest.raises(ValueError):
        store.write(unit)
    assert store.read(lambda tx: (tx.indexes.people(), tx.indexes.last("ana"))) == (["ana"], 512)
