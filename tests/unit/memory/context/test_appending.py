"""New records of a store: what is taken, what it becomes, and what a lost append left."""

import json
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mace.core.errors import InvalidInput
from mace.memory.context.appending import MAX_RECORDS, ending_of, left_by, line_of, new_records
from mace.memory.context.records import Record, read_line

NOW = "2026-05-06T07:08:09.000001Z"


@pytest.mark.parametrize(
    ("given", "texts"),
    [
        ("tea", ["tea"]),
        ({"text": "tea", "tags": None, "memory_id": None}, ["tea"]),
        (["tea", {"text": "milk"}], ["tea", "milk"]),
        (("tea",), ["tea"]),
        ("Żółw \x07\u2028 😀", ["Żółw \x07\u2028 😀"]),
    ],
)
def test_texts_and_objects_are_records(given: Any, texts: list[str]):
    assert [record.text for record in new_records(given)] == texts


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([], "records must not be empty"),
        (None, "records must be a str or an object, got NoneType"),
        ([5], r"records\[0\] must be a str or an object, got int"),
        ("", "records.text must not be empty"),
        (" \n", "records.text must not be empty"),
        ({}, "records.text is required"),
        ({"text": None}, "records.text is required"),
        ({"text": 5}, "records.text must be a str, got int"),
        (["a", {"text": ["x"]}], r"records\[1\].text must be a str, got list"),
        ("\ud800", "records.text must not contain unpaired surrogates"),
        ({"text": "a", "memory_id": ""}, "records.memory_id must have 1 to 200 characters"),
        ({"text": "a", "memory_id": "x" * 201}, "records.memory_id must have 1 to 200 characters"),
        ({"text": "a", "memory_id": 7}, "records.memory_id must be a str, got int"),
        ({"text": "a", "ts_utc": "yesterday"}, "records.ts_utc is not a timestamp"),
        ({"text": "a", "ts_utc": 7}, "records.ts_utc must be a str, got int"),
        ({"text": "a", "tags": "x"}, "records.tags must be a list of strings, got str"),
        ({"text": "a", "tags": [1]}, r"records.tags\[0\] must be a str, got int"),
        ({"text": "a", "refs": [1]}, "records.refs must be a list of objects"),
        ({"text": "a", "refs": {}}, "records.refs must be a list of objects"),
        ({"text": "a", "refs": [{"n": 2**60}]}, "records.refs must be JSON in Unicode"),
        ({"text": "a", "refs": [{"n": float("nan")}]}, "records.refs must be JSON in Unicode"),
        ({"text": "a", "secret": 1, "other": 2}, r"records has 2 unknown field\(s\)"),
        ([{"text": "a", "memory_id": "x"}] * 2, "records has a memory_id twice"),
        (["a"] * (MAX_RECORDS + 1), "records has 1001 members, at most 1000 are allowed"),
    ],
)
def test_what_is_wrong_is_named_and_not_repeated(given: Any, said: str):
    with pytest.raises(InvalidInput, match=said):
        new_records(given)


def test_nesting_without_end_is_refused():
    deep: dict[str, Any] = {}
    for _ in range(300):
        deep = {"a": deep}
    with pytest.raises(InvalidInput, match="nested deeper"):
        new_records({"text": "a", "refs": [deep]})
    deep["a"] = deep
    with pytest.raises(InvalidInput, match="nested deeper"):
        new_records({"text": "a", "refs": [deep]})


def test_a_line_is_a_record_of_one_line():
    given = {"text": "a\nb", "tags": ["X"], "refs": [{"u": 1}], "ts_utc": "2026-05-06 07:08:09+02:00"}
    (record,) = new_records(given)
    line = line_of(record, "m-1", NOW)
    assert line.count(b"\n") == 1 and line.endswith(b"\n")
    assert json.loads(line) == {**given, "memory_id": "m-1", "ts_utc": "2026-05-06T05:08:09Z"}
    assert json.loads(line_of(new_records("a")[0], "m-2", NOW)) == {"memory_id": "m-2", "ts_utc": NOW, "text": "a"}


@given(st.text(min_size=1).filter(str.strip), st.lists(st.text(), max_size=3))
def test_every_text_is_read_back_as_it_was_given(text: str, tags: list[str]):
    (record,) = new_records({"text": text, "tags": tags})
    found = read_line(line_of(record, "m", NOW)[:-1])
    assert isinstance(found, Record)
    assert found.text == text


GOOD = b'{"memory_id":"a","text":"b"}'


@pytest.mark.parametrize(
    ("last", "has_end", "ending"),
    [
        (b"", False, "empty"),
        (b"", True, "ended"),
        (b"  ", True, "ended"),
        (b"  ", False, "broken"),
        (GOOD, True, "ended"),
        (GOOD, False, "open"),
        (GOOD[:-1], False, "broken"),
        (GOOD[:-1], True, "broken"),
        (b"root:x:0:0", True, "broken"),
        (b"{}", True, "broken"),
    ],
)
def test_how_a_store_ends(last: bytes, has_end: bool, ending: str):
    assert ending_of(last, has_end=has_end) == ending


def _tag(piece: bytes) -> str:
    return sha256(piece).hexdigest()[:12]


ONE, TWO, THREE = (b'{"memory_id":"%d","text":"%s"}\n' % (number, b"x" * number) for number in (1, 2, 3))
OTHERS = b'{"memory_id":"o","text":"of somebody else"}\n'


@pytest.mark.parametrize(
    ("written", "held", "left"),
    [
        ((ONE,), ONE, "complete"),
        ((ONE, TWO, THREE), ONE + TWO + THREE, "complete"),
        ((b"\n" + ONE, TWO), b"\n" + ONE + TWO, "complete"),
        ((ONE,), b"", "nothing"),
        ((ONE,), ONE[:1], "torn"),
        ((ONE,), ONE[:-2], "torn"),
        ((ONE,), ONE[:-1], "torn"),  # a whole record, which only lacks its line end
        ((b"\n" + ONE,), b"\n", "torn"),
        ((b"\n" + ONE,), b"\n" + ONE[:-1], "torn"),
        ((ONE, TWO, THREE), ONE, "torn"),
        ((ONE, TWO, THREE), ONE + TWO[:5], "torn"),
        ((ONE, TWO, THREE), ONE + TWO[:-1], "torn"),
        ((ONE, TWO), OTHERS[: len(ONE + TWO)], "nothing"),
        ((OTHERS,), ONE, "nothing"),  # shorter, whole, and not ours
        ((OTHERS,), ONE[:-1], "nothing"),
        ((ONE, OTHERS), ONE + TWO, "nothing"),  # somebody wrote behind half of it
        ((ONE, OTHERS), ONE + TWO[:-1], "torn"),
    ],
)
def test_what_a_lost_append_left(written: tuple[bytes, ...], held: bytes, left: str):
    assert left_by([(len(piece), _tag(piece)) for piece in written], held, _tag) == left


@given(st.lists(st.text(min_size=1).filter(str.strip), min_size=1, max_size=4), st.data())
def test_every_beginning_of_an_append_is_torn_and_its_whole_is_complete(texts: list[str], data: st.DataObject):
    pieces = [line_of(record, f"m{at}", NOW) for at, record in enumerate(new_records(texts))]
    whole = b"".join(pieces)
    cut = data.draw(st.integers(1, len(whole) - 1))
    named = [(len(piece), _tag(piece)) for piece in pieces]
    assert left_by(named, whole, _tag) == "complete"
    assert left_by(named, whole[:cut], _tag) == "torn"
