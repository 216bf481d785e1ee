"""What is wrong with lines of a store: each kind, by number, in agreement with the reader."""

import json
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mace.core.answers import StoreProblem
from mace.memory.context.checking import checked, look_at
from mace.memory.context.records import MAX_LINE_BYTES, InvalidLine, is_blank, read_line


def _line(**fields: Any) -> bytes:
    return json.dumps({"memory_id": "a", "text": "b", **fields}).encode()


BAD = [
    (b"no json", "not_json", None, True),
    (b'{"memory_id": "a", "text": "b"', "not_json", None, True),
    (b'{"memory_id": "a", "text": "b", "x": NaN}', "not_json", None, True),
    (b'{"memory_id": "a", "text": "\\ud800"}', "not_json", None, True),
    (b'{"memory_id": "a", "text": "\xff"}', "not_utf8", None, True),
    (b"\xef\xbb\xbf" + _line(), "byte_order_mark", None, True),
    (b"[]", "not_an_object", None, True),
    (b'"text"', "not_an_object", None, True),
    (b'{"memory_id": "a", "text": "' + b"x" * MAX_LINE_BYTES + b'"}', "too_long", None, True),
    (_line(refs=[{"a": json.loads("[" * 130 + "]" * 130)}]), "too_deep", None, True),
    (b'{"text": "b"}', "missing_field", "memory_id", True),
    (_line(memory_id=None), "missing_field", "memory_id", True),
    (b'{"memory_id": "a"}', "missing_field", "text", True),
    (_line(memory_id=5), "wrong_type", "memory_id", True),
    (_line(text=["b"]), "wrong_type", "text", True),
    (_line(tags="x"), "wrong_type", "tags", True),
    (_line(tags=[1]), "wrong_type", "tags", True),
    (_line(refs={}), "wrong_type", "refs", True),
    (_line(refs=["x"]), "wrong_type", "refs", True),
    (_line(refs=[{"n": 2**53}]), "number_too_large", "refs", True),
    (_line(refs=[{"n": 2**70}]), "number_too_large", "refs", True),
    (_line(ts_utc=5), "wrong_type", "ts_utc", True),
    (_line(ts_utc="yesterday"), "bad_timestamp", "ts_utc", False),
    (_line(ts_utc="2026-02-30T00:00:00Z"), "bad_timestamp", "ts_utc", False),
]


@pytest.mark.parametrize(("raw", "problem", "field", "dropped"), BAD)
def test_each_kind_is_named(raw: bytes, problem: str, field: str | None, dropped: bool):
    (found,) = look_at(raw).problems
    assert (found.problem, found.field, found.is_dropped) == (problem, field, dropped)
    assert isinstance(read_line(raw), InvalidLine) is dropped


def test_a_line_may_have_several_problems():
    found = look_at(_line(memory_id=1, text=None, tags=5, refs=5, ts_utc=5)).problems
    assert [item.field for item in found] == ["memory_id", "text", "tags", "refs", "ts_utc"]


@pytest.mark.parametrize("raw", [b"", b" ", b"\t\r", _line(), _line(ts_utc="2026-05-06T07:08:09Z"), _line(more=1)])
def test_good_and_blank_lines_have_none(raw: bytes):
    looked = look_at(raw)
    assert looked.problems == []
    assert looked.is_blank is is_blank(raw)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**80), 2**80) | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
_NAMED = st.fixed_dictionaries(
    {},
    optional={
        "memory_id": st.text(max_size=3) | _JSON,
        "text": st.text(max_size=3) | _JSON,
        "tags": st.lists(st.text(max_size=3), max_size=2) | _JSON,
        "refs": st.lists(st.dictionaries(st.text(max_size=2), _JSON, max_size=2), max_size=2) | _JSON,
        "ts_utc": st.sampled_from(["2026-05-06T07:08:09Z", "soon"]) | _JSON,
    },
)
_LINES = st.one_of(
    st.binary(max_size=40),
    _JSON.map(lambda value: json.dumps(value).encode()),
    _NAMED.map(lambda value: json.dumps(value).encode()),
    _NAMED.map(lambda value: json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")),
)


@given(_LINES)
def test_what_is_dropped_is_what_the_reader_drops(raw: bytes):
    raw = raw.replace(b"\n", b"")
    looked = look_at(raw)
    if is_blank(raw):
        assert looked.is_blank and not looked.problems
        return
    found = read_line(raw)
    assert any(item.is_dropped for item in looked.problems) is isinstance(found, InvalidLine)
    assert looked.memory_id == (None if isinstance(found, InvalidLine) else found.memory_id)


def test_lines_are_counted_and_listed_up_to_a_limit():
    lines = [(raw, True) for raw, *_ in BAD] + [(b"", True), (_line(memory_id="b"), True), (_line(), False)]
    found = checked(lines, 5)
    assert [item["line"] for item in found["problems"]] == [1, 2, 3, 4, 5]
    # Both bad timestamps have an id that the last line has, too: each but the first is a duplicate.
    assert found["more"] == len(BAD) + 2 + 1 - 5
    assert (found["lines"], found["blank"], found["records"], found["dropped"]) == (len(BAD) + 3, 1, 4, len(BAD) - 2)
    assert found["counts"]["duplicate_memory_id"] == 2
    assert found["ok"] is False
    assert set(found["counts"]) == set(get_args(StoreProblem))
    last = checked(lines, 1000)["problems"][-2:]
    assert [(item["problem"], item["line"], item["dropped"]) for item in last] == [
        ("duplicate_memory_id", len(BAD) + 3, False),
        ("no_line_end", len(BAD) + 3, False),
    ]
    assert last[0]["message"] == f"has the memory_id of line {len(BAD) - 1}"


def test_an_empty_store_is_good():
    assert checked([], 10) == {
        "ok": True,
        "lines": 0,
        "records": 0,
        "blank": 0,
        "dropped": 0,
        "problems": [],
        "more": 0,
        "counts": {},
    }


def test_no_message_repeats_a_line():
    for raw, *_ in BAD:
        for item in look_at(raw.replace(b'"b"', b'"zanzibar"').replace(b"yesterday", b"zanzibar")).problems:
            assert "zanzibar" not in item.message
