"""The walk over events: rows in, findings out. What a store can do to rows is tried on real stores in `tests/fault`."""

from dataclasses import replace
from typing import Any

import pytest

from ledger_rows import check, head_of, log, signed_again
from mace.core import canon
from mace.core.events import StoredEvent
from mace.ledger.checkpoint import Checkpoint
from mace.ledger.findings import KINDS, Finding
from mace.ledger.verify import EventWalk


def walk(
    rows: list[StoredEvent],
    checkpoints: list[Checkpoint] = [],  # noqa: B006 - never changed
    *,
    size: int | None = None,
    lost: dict[int, bytes] = {},  # noqa: B006 - never changed
    **options: Any,
) -> list[Finding]:
    by_place = {(row.stream, row.sequence_index): row for row in rows}

    def hash_before(stream: str, index: int) -> tuple[int, bytes] | None:
        row = by_place.get((stream, index))
        return None if row is None else (row.position, row.hash)

    walker = EventWalk(
        check=options.pop("check", check),
        hash_before=hash_before,
        checkpoints=checkpoints,
        lost_leaf=lost.get,
        **options,
    )
    found: list[Finding] = []
    for start in range(0, len(rows), 7):
        found.extend(walker.feed(rows[start : start + 7]))
    found.extend(walker.finish(size))
    assert all(finding.kind in KINDS for finding in found)
    assert walker.events == len(rows)
    return found


def places(found: list[Finding]) -> list[tuple[Any, ...]]:
    return [(finding.kind, finding.where.get("position", finding.where.get("checkpoint_size"))) for finding in found]


def test_a_whole_log_has_no_findings():
    rows = log(600)
    assert walk(rows, [head_of(rows, size) for size in (1, 2, 255, 256, 257, 599, 600)], size=600) == []
    assert walk([], size=0) == []


@pytest.mark.parametrize(
    ("change", "kinds"),
    [
        ({"body": b"{}"}, ["CONTENT_CHANGED"]),
        ({"hash": b"\x00" * 32}, ["CONTENT_CHANGED", "CHAIN_BROKEN", "TREE_MISMATCH"]),
        ({"signature": "k1:00"}, ["BAD_SIGNATURE"]),
        ({"signature": ""}, ["BAD_SIGNATURE"]),
        ({"event_id": b"\x00" * 32}, ["COLUMN_MISMATCH"]),
        ({"event_type": "SEM_DELETE"}, ["COLUMN_MISMATCH"]),
        ({"stream": "s9"}, ["COLUMN_MISMATCH", "ROW_MISSING", "ROW_MISSING"]),
        ({"sequence_index": 77}, ["COLUMN_MISMATCH", "ROW_MISSING", "ROW_MISSING"]),
    ],
)
def test_a_changed_column_is_named_by_its_row(change: dict[str, Any], kinds: list[str]):
    rows = log(30)
    whole = head_of(rows, 30)
    rows[10] = replace(rows[10], **change)
    found = walk(rows, [whole])
    assert sorted(finding.kind for finding in found) == sorted(kinds)
    assert found[0].where["position"] == 10


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"not json",
        b"[]",
        b"7",
        b"null",
        b"{}",
        canon.dumps({"sequence_index": 3, "stream": "s1", "event_type": "SEM_PUT", "event_id": 7, "prev_hash": None}),
    ],
)
def test_nonsense_that_was_signed_is_a_finding_not_a_crash(body: bytes):
    rows = log(30)
    rows[10] = signed_again(rows[10], body)
    assert ("COLUMN_MISMATCH", 10) in places(walk(rows))
    assert ("COLUMN_MISMATCH", 10) in places(walk(rows, check=None))


def test_a_payload_that_is_no_object_is_not_looked_at():
    rows = log(5)
    said = canon.loads(rows[4].body)
    rows[4] = signed_again(rows[4], canon.dumps({**said, "payload": [1]}))
    looked: list[int] = []
    found = walk(rows, look_at=lambda row, said: looked.append(row.position) or [])
    assert places(found) == [("COLUMN_MISMATCH", 4)]
    assert looked == [0, 1, 2, 3]


def test_a_chain_that_was_made_again_does_not_fit_its_successor():
    rows = log(30)
    said = canon.loads(rows[10].body)
    rows[10] = signed_again(rows[10], canon.dumps({**said, "payload": {"n": "other"}}))
    assert places(walk(rows)) == [("CHAIN_BROKEN", 13)]
    assert ("TREE_MISMATCH", 12) in places(walk(rows, [head_of(log(30), 12)]))


def test_the_first_event_of_a_stream_follows_nothing():
    rows = log(3)
    said = canon.loads(rows[1].body)
    rows[1] = signed_again(rows[1], canon.dumps({**said, "prev_hash": "11" * 32}))
    assert places(walk(rows)) == [("CHAIN_BROKEN", 1)]


@pytest.mark.parametrize("gone", [0, 1, 10, 28])
def test_a_missing_row_is_named_by_its_position_and_its_stream(gone: int):
    rows = log(30)
    left = [row for row in rows if row.position != gone]
    found = walk(left, size=30)
    assert found[0].where == {"table": "events", "position": gone, "count": 1}
    names = [finding.where for finding in found if "stream" in finding.where]
    assert names == ([{"table": "events", "stream": f"s{gone % 3}", "sequence_index": gone // 3}] if gone < 27 else [])


def test_missing_rows_in_a_row_are_one_finding_and_a_huge_gap_costs_nothing():
    rows = log(30)
    found = walk([*rows[:4], *rows[9:]], size=30)
    assert found[0].where == {"table": "events", "position": 4, "count": 5}
    far = [*rows[:29], replace(rows[29], position=10**15)]
    assert walk(far)[0].where == {"table": "events", "position": 29, "count": 10**15 - 29}


def test_a_missing_end_is_found_when_the_store_knows_its_size():
    rows = log(30)
    assert walk(rows[:27]) == []
    assert [finding.where for finding in walk(rows[:27], size=30)] == [{"table": "events", "position": 27, "count": 3}]


def test_a_lost_row_with_a_stand_in_keeps_the_tree_checkable():
    rows = log(30)
    heads = [head_of(rows, 30)]
    left = [row for row in rows if row.position != 10]
    kinds = [finding.kind for finding in walk(left, heads, lost={10: rows[10].hash})]
    assert kinds == ["ROW_MISSING", "ROW_MISSING"]
    assert ("TREE_MISMATCH", 30) in places(walk(left, heads, lost={10: b"\x00" * 32}))


def test_swapped_positions_in_a_stream_are_a_changed_order():
    rows = log(30)
    rows[10], rows[13] = replace(rows[13], position=10), replace(rows[10], position=13)
    found = places(walk(rows, [head_of(log(30), 30)]))
    assert ("ORDER_CHANGED", 10) in found
    assert ("TREE_MISMATCH", 30) in found


def test_swapped_positions_across_streams_are_seen_by_the_next_checkpoint():
    rows = log(30)
    rows[10], rows[11] = replace(rows[11], position=10), replace(rows[10], position=11)
    assert walk(rows) == []
    whole = log(30)
    found = walk(rows, [head_of(whole, size) for size in (5, 12, 20, 30)])
    assert places(found) == [("TREE_MISMATCH", 12)]  # one finding, at the first checkpoint that is denied


def test_a_position_that_is_there_twice():
    rows = log(10)
    assert ("ORDER_CHANGED", 4) in places(walk([*rows[:5], replace(rows[4], stream="sx"), *rows[5:]]))


def test_a_cut_log_is_denied_by_the_first_checkpoint_beyond_its_end():
    rows = log(30)
    heads = [head_of(rows, size) for size in (5, 20, 25, 30)]
    found = walk(rows[:18], heads)
    assert places(found) == [("LOG_CUT", 20)]
    assert "12 are gone" in found[0].detail


def test_a_cut_log_that_went_on_is_the_same_finding():
    rows = log(30)
    heads = [head_of(rows, size) for size in (5, 20, 25, 30)]
    cut = walk(rows[:18], heads)[0]
    other = log(40, streams=18)[18:]  # other events in these places
    for size in (19, 20, 24, 31, 40):
        found = [item for item in walk([*rows[:18], *other][:size], heads) if item.kind in ("LOG_CUT", "TREE_MISMATCH")]
        assert [item.finding_id for item in found] == [cut.finding_id]


def test_chains_hold_when_more_streams_are_open_than_are_remembered():
    rows = log(400, streams=50)
    assert walk(rows, [head_of(rows, 400)], remembered_streams=7) == []
    rows[340] = replace(rows[340], hash=b"\x01" * 32)
    kinds = {finding.kind for finding in walk(rows, remembered_streams=7)}
    assert kinds == {"CONTENT_CHANGED", "CHAIN_BROKEN"}


def test_a_finding_is_itself_by_what_it_says():
    first = Finding("ROW_MISSING", {"table": "events", "position": 1}, "one wording")
    assert first.finding_id == Finding("ROW_MISSING", {"table": "events", "position": 1}, "another").finding_id
    assert first.finding_id != Finding("ROW_MISSING", {"table": "events", "position": 2}, "").finding_id
    assert first.finding_id != Finding("ROW_MISSING", {"table": "events", "position": 1}, "", {"x": 1}).finding_id
    cut, other = (Finding(kind, {"checkpoint_size": 1}, "") for kind in ("LOG_CUT", "TREE_MISMATCH"))
    assert cut.finding_id == other.finding_id


def test_a_number_that_was_blown_up_is_told_as_text():
    finding = Finding("COLUMN_MISMATCH", {"table": "events", "sequence_index": 2**62}, "")
    assert finding.shown()["where"]["sequence_index"] == str(2**62)
    assert len(finding.finding_id) == 64
