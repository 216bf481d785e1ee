"""Where two JSON values differ first: the place is told, and never what stands there."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mace.engine.kernel.differences import first_difference

CASES: list[tuple[Any, Any, str | None]] = [
    (None, None, None),
    ({}, {}, None),
    ({"a": [1, {"b": "x"}]}, {"a": [1, {"b": "x"}]}, None),
    ({"b": 1, "a": 2}, {"a": 2, "b": 1}, None),  # an object has no order
    ("x", "y", "/: another text than was recorded"),
    (1, 2, "/: another number than was recorded"),
    (1, 2.5, "/: another number than was recorded"),
    (True, False, "/: another yes or no than was recorded"),
    (1, True, "/: number was recorded, now there is yes or no"),
    (0, None, "/: number was recorded, now there is nothing"),
    ("", None, "/: text was recorded, now there is nothing"),
    ([], {}, "/: list was recorded, now there is object"),
    ({"a": 1}, {}, "/a: was recorded, now it is not there"),
    ({}, {"a": 1}, "/a: was not recorded, now it is there"),
    ({"a": 1, "b": 1}, {"a": 2, "b": 2}, "/a: another number than was recorded"),  # by name, the first one
    ({"b": 1}, {"a": 1, "b": 2}, "/a: was not recorded, now it is there"),
    ([1, 2], [1], "/: 2 items were recorded, now there are 1"),
    ([1], [1, 2], "/: 1 items were recorded, now there are 2"),
    ([1, 2], [2], "/0: another number than was recorded"),  # what differs is told before how many there are
    (
        {"messages": [{"role": "user", "content": "a"}, {"role": "user", "content": "b"}]},
        {"messages": [{"role": "user", "content": "a"}, {"role": "user", "content": "c"}]},
        "/messages/1/content: another text than was recorded",
    ),
    (
        {"a": {"b": {"c": [[], [1]]}}},
        {"a": {"b": {"c": [[], ["1"]]}}},
        "/a/b/c/1/0: number was recorded, now there is text",
    ),
]


@pytest.mark.parametrize(("stored", "now", "told"), CASES)
def test_the_first_difference(stored: Any, now: Any, told: str | None):
    assert first_difference(stored, now) == told


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(st.sampled_from("xyz"), max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["k1", "k2"]), inner, max_size=2),
    max_leaves=8,
)


@given(JSON, JSON)
def test_nothing_is_told_exactly_where_they_are_the_same(one: Any, other: Any):
    same = json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
    assert (first_difference(one, other) is None) == same
    assert (first_difference(other, one) is None) == same


def test_what_stands_there_is_never_told():
    told = first_difference({"mail": "ana@example.com"}, {"mail": "bo@example.com"})
    assert told == "/mail: another text than was recorded"
