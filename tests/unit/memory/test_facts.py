"""The pure rules of facts, as tables: what a write must look like, who may write, which of two writes wins."""

import math
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mace.core import canon
from mace.core.errors import InvalidInput
from mace.memory.facts import Current, FactRules, Put, agents_listed, may_write, missing, placed_at, read_put, wins
from mace.memory.keys import parse_key

NOW = datetime(2026, 1, 31, 12, 0, 0, 250_000, tzinfo=UTC)
KEY = "user/profile/user_tuff/favorite_color"
RULES = FactRules()


def read(value: Any = "blue", source: Any = "user", timestamp: Any = None, notes: Any = None, meta: Any = None) -> Put:
    return read_put(KEY, value, source, timestamp, notes, meta, NOW, RULES)


# The payload form


@pytest.mark.parametrize(
    ("value", "stored"),
    [
        ({"value": "blue"}, "blue"),
        ({"value": None}, None),
        ({"value": {"value": "blue"}}, {"value": "blue"}),  # once, not until nothing is left
        ({"value": 1, "source": "user", "timestamp": None, "notes": None, "meta": None}, 1),
        ({"value": "blue", "shade": "dark"}, {"value": "blue", "shade": "dark"}),
        ({"value": "blue", "Source": "user"}, {"value": "blue", "Source": "user"}),
        ({"source": "user"}, {"source": "user"}),
        ({}, {}),
        ([{"value": "blue"}], [{"value": "blue"}]),
        ("value", "value"),
    ],
)
def test_only_the_payload_form_is_unwrapped(value: Any, stored: Any):
    put = read(value)
    assert put.value == stored
    assert canon.loads(put.content) == {"meta": {}, "notes": None, "value": stored}


PAYLOAD = {
    "value": "blue",
    "source": "system",
    "timestamp": "2026-01-01T00:00:00Z",
    "notes": "of the payload",
    "meta": {"from": "payload"},
}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, ("system", "2026-01-01", "of the payload", {"from": "payload"})),
        ({"source": "user"}, ("user", "2026-01-01", "of the payload", {"from": "payload"})),
        ({"timestamp": "2026-01-02T00:00:00Z"}, ("system", "2026-01-02", "of the payload", {"from": "payload"})),
        ({"notes": ""}, ("system", "2026-01-01", "", {"from": "payload"})),
        ({"meta": {}}, ("system", "2026-01-01", "of the payload", {})),
    ],
)
def test_explicit_arguments_win_over_the_payload(given: dict[str, Any], expected: tuple[Any, ...]):
    put = read(PAYLOAD, **{"source": None, **given})
    assert put.timestamp is not None
    assert (put.source, str(put.timestamp.date()), put.notes, put.meta) == expected
    assert canon.loads(put.content) == {"meta": expected[3], "notes": expected[2], "value": "blue"}


# Sources


@pytest.mark.parametrize(
    "source", ["user", "system", "system_admin", "agent:logic_v1", "agent:a", "agent:logic-1.2", f"agent:{'x' * 64}"]
)
def test_known_sources(source: str):
    assert read(source=source).source == source


@pytest.mark.parametrize(
    "source",
    [
        "", "User", "admin", "root", "agent", "agent:", "agent:_x", "agent:a b", "agent:a\n", "agent:é", "agents:a",
        f"agent:{'x' * 65}", "user ", "system_admin\x00", "trusted_agent",
    ],
)  # fmt: skip
def test_unknown_sources_are_refused(source: str):
    with pytest.raises(InvalidInput, match="source must be"):
        read(source=source)


@pytest.mark.parametrize("value", ["blue", {"value": "blue"}, {"value": "blue", "source": None}])
def test_a_write_without_a_source_is_refused(value: Any):
    with pytest.raises(InvalidInput, match="source is required"):
        read(value, source=None)


# Timestamps


@pytest.mark.parametrize(
    ("timestamp", "instant"),
    [
        ("2026-01-31T12:00:00Z", datetime(2026, 1, 31, 12, tzinfo=UTC)),
        ("2026-01-31T13:00:00+01:00", datetime(2026, 1, 31, 12, tzinfo=UTC)),
        ("2026-01-31T12:00:00.123456Z", datetime(2026, 1, 31, 12, 0, 0, 123_456, tzinfo=UTC)),
        ("0001-01-01T00:00:00Z", datetime(1, 1, 1, tzinfo=UTC)),
        (datetime(2026, 1, 31, 7, tzinfo=timezone(timedelta(hours=-5))), datetime(2026, 1, 31, 12, tzinfo=UTC)),
        ("2026-01-31T12:05:00.250000Z", NOW + timedelta(seconds=300)),  # exactly as far ahead as allowed
        (None, None),
    ],
)
def test_timestamps_that_count(timestamp: Any, instant: datetime | None):
    assert read(timestamp=timestamp).timestamp == instant
    assert read({"value": 1, "timestamp": timestamp}).timestamp == instant


@pytest.mark.parametrize(
    "timestamp",
    [
        "2026-01-31T12:05:00.250001Z",  # a microsecond too far ahead
        "9999-12-31T23:59:59Z",
        "2026-01-31T12:00:00",  # no zone
        "2026-01-31",
        datetime(2026, 1, 31, 12),
        "",
        "yesterday",
        "2026-02-30T12:00:00Z",
        "0001-01-01T00:00:00+01:00",  # before the year 1 in UTC
    ],
)
def test_timestamps_that_are_refused(timestamp: Any):
    with pytest.raises(InvalidInput, match="timestamp"):
        read(timestamp=timestamp)
    with pytest.raises(InvalidInput, match="timestamp"):
        read({"value": 1, "timestamp": timestamp})


# Sizes


@pytest.mark.parametrize(
    ("value", "size"),
    [
        ("x" * 16_382, 16_384),  # and two quotes
        ("é" * 8_191, 16_384),
        ("\n" * 8_191, 16_384),  # two bytes each in JSON
        (["x" * 16_380], 16_384),
        ({"a": "x" * 16_376}, 16_384),
    ],
)
def test_a_value_of_exactly_16_384_bytes_is_stored_and_one_byte_more_is_not(value: Any, size: int):
    assert len(canon.dumps([value])) - 2 == size
    assert read(value).value == value
    longer = {"a": value["a"] + "x"} if isinstance(value, dict) else [value[0] + "x"]
    longer = value + "x" if isinstance(value, str) else longer
    with pytest.raises(InvalidInput, match="value must be at most 16384 bytes as JSON, got 16385"):
        read(longer)


def test_notes_have_at_most_512_characters_and_meta_16_384_bytes():
    assert read(notes="ü" * 512).notes == "ü" * 512
    assert read(notes="\x00" * 512).notes == "\x00" * 512  # six bytes each in JSON
    with pytest.raises(InvalidInput, match="notes"):
        read(notes="x" * 513)
    assert read(meta={"a": "x" * 16_376}).meta["a"] == "x" * 16_376
    with pytest.raises(InvalidInput, match="meta must be at most 16384 bytes"):
        read(meta={"a": "x" * 16_377})


# What has no place in JSON


class Odd(dict[str, int]):
    pass


def _nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    "value",
    [
        math.nan, math.inf, -math.inf, 2**53, -(2**53), 10**40, {1, 2}, b"bytes", object(), Decimal("1.5"),
        date(2026, 1, 1), datetime(2026, 1, 1, tzinfo=UTC), 1j, "lone \ud800 surrogate", Odd(a=1), lambda: 1,
    ],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
@pytest.mark.parametrize(
    "where", [lambda v: v, lambda v: [v], lambda v: {"a": {"b": v}}], ids=["plain", "list", "dict"]
)
def test_what_has_no_canonical_form_is_refused_wherever_it_stands(value: Any, where: Any):
    with pytest.raises(InvalidInput, match="value has no canonical JSON form"):
        read(where(value))


@pytest.mark.parametrize("value", [{1: "a"}, {None: "a"}, {("a",): 1}, {"\ud800": 1}, _nested(300)])
def test_keys_that_are_no_text_and_endless_nesting_are_refused(value: Any):
    with pytest.raises(InvalidInput):
        read(value)


@pytest.mark.parametrize(
    ("value", "read_back"),
    [
        (2**53 - 1, 2**53 - 1),
        (-(2**53) + 1, -(2**53) + 1),
        (1.0, 1),
        (1e300, 1e300),
        (True, True),
        (("a", ("b",)), ["a", ["b"]]),  # JSON has one kind of sequence
        ({"k": (1, 2)}, {"k": [1, 2]}),
        ("😀 \x00", "😀 \x00"),
        ({"\U0001f600": 1, "\uffff": 2}, {"\U0001f600": 1, "\uffff": 2}),
    ],
)
def test_what_has_one_comes_back(value: Any, read_back: Any):
    assert canon.loads(read(value).content)["value"] == read_back


def test_a_refusal_never_repeats_what_was_given():
    for value in ({"secret": math.nan}, {"secret": "x" * 20_000}, {"secret": 12345678901234567890}):
        with pytest.raises(InvalidInput) as refused:
            read(value)
        assert "secret" not in str(refused.value)
        assert "1234567890123" not in str(refused.value)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@given(JSON, st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=40))
def test_the_content_is_canonical_and_says_what_was_given(value: Any, notes: str | None):
    put = read_put(KEY, [value], "user", None, notes, {"m": [value]}, NOW, RULES)
    assert put.content == canon.dumps({"meta": {"m": [value]}, "notes": notes, "value": [value]})


# Broken contracts


@pytest.mark.parametrize(
    "arguments", [{"source": 5}, {"timestamp": 5}, {"timestamp": date(2026, 1, 1)}, {"notes": 5}, {"meta": "x"},
                  {"meta": [1]}, {"source": b"user"}],
)  # fmt: skip
def test_an_argument_of_a_wrong_type_raises(arguments: dict[str, Any]):
    with pytest.raises(TypeError):
        read(**arguments)


@pytest.mark.parametrize("field", ["source", "timestamp", "notes", "meta"])
def test_a_wrong_type_inside_a_payload_is_refused_as_input(field: str):
    with pytest.raises(InvalidInput):
        read({"value": 1, "source": "user", field: 5}, source=None)


@pytest.mark.parametrize(
    "key", ["", "user", "user/profile/user_tuff", f"{KEY}/x", "User/profile/a/b", f"{KEY}\n", 5, None]
)
def test_a_key_that_is_none_raises(key: Any):
    with pytest.raises(ValueError, match="not a canonical key"):
        read_put(key, 1, "user", None, None, None, NOW, RULES)


# Which write wins


def at(second: int, source: str = "user") -> Current:
    return Current(f"2026-01-31T12:00:{second:02}.000000Z", source)


@pytest.mark.parametrize(
    ("written", "source", "current", "applied"),
    [
        (5, "user", None, True),
        (6, "user", at(5), True),
        (4, "user", at(5), False),
        (4, "system_admin", at(5, "agent:a"), False),  # the timestamp comes first
        (5, "user", at(5), True),  # equal in both: the later arrival
        (5, "user", at(5, "system"), True),  # a tie: the larger source, compared as text
        (5, "system", at(5, "user"), False),
        (5, "agent:b", at(5, "agent:a"), True),
        (5, "agent:a", at(5, "agent:b"), False),
        (5, "agent:z", at(5, "system"), False),
        (5, "system_admin", at(5, "system"), True),
        (5, "system", at(5, "system_admin"), False),
    ],
)
def test_last_write_wins_and_ties_go_to_the_larger_source(
    written: int, source: str, current: Current | None, applied: bool
):
    assert wins(at(written).written_at, source, current) is applied


@pytest.mark.parametrize(
    ("given", "current", "placed"),
    [
        (None, None, "2026-01-31T12:00:00.250000Z"),
        (None, "2026-01-31T11:00:00.000000Z", "2026-01-31T12:00:00.250000Z"),
        (None, "2026-01-31T12:00:00.250000Z", "2026-01-31T12:00:00.250001Z"),  # the clock stood still
        (None, "2026-01-31T12:04:00.000000Z", "2026-01-31T12:04:00.000001Z"),  # the current one lies ahead
        ("2026-01-31T11:00:00Z", "2026-01-31T12:04:00.000000Z", "2026-01-31T11:00:00.000000Z"),
        ("2026-01-31T13:00:00.5+01:00", None, "2026-01-31T12:00:00.500000Z"),
    ],
)
def test_an_omitted_timestamp_is_the_later_of_now_and_just_after_the_current_one(
    given: str | None, current: str | None, placed: str
):
    put = read(timestamp=given)
    assert placed_at(put, None if current is None else Current(current, "user"), NOW) == placed


# Who may write


@pytest.mark.parametrize(
    ("source", "key", "user", "agents", "allowed"),
    [
        ("user", KEY, "user_tuff", [], True),
        ("user", KEY, None, [], True),  # embedded: whoever the key names
        ("user", KEY, "user_other", [], False),
        ("user", "user/profile/user_tuff-1a2b3c/name", "user_tuff", [], False),
        ("user", "user/profile/tuff/name", None, [], False),  # names nobody
        ("user", "user/profile/user_/name", None, [], False),
        ("user", "world/fact/ohms_law/definition", None, [], False),
        ("user", "mace/config/router/default_depth", "user_tuff", [], False),
        ("agent:logic", "world/fact/ohms_law/definition", None, ["logic"], True),
        ("agent:logic", KEY, None, ["logic"], True),
        ("agent:logic", "world/fact/ohms_law/definition", None, [], False),
        ("agent:logic", "world/fact/ohms_law/definition", None, ["logic_v2", "agent", "LOGIC", ""], False),
        ("agent:logic", "mace/config/agents/allowed_writes", None, ["logic"], False),  # would name its own successors
        ("agent:logic", "mace/config/router/enable_math", None, ["logic"], True),
        ("system", "mace/config/agents/allowed_writes", None, [], True),
        ("system", KEY, None, [], True),
        ("system_admin", KEY, None, [], True),
        ("system_admin", "system/state/node/mode", None, [], True),
    ],
)
def test_writers(source: str, key: str, user: str | None, agents: list[str], allowed: bool):
    assert may_write(source, parse_key(key), user, agents) is allowed


@pytest.mark.parametrize(
    ("value", "agents"),
    [
        (None, []),
        ("", [""]),
        ("logic", ["logic"]),
        ("logic, agent:math ,", ["logic", "math", ""]),
        (["logic", " agent:math "], ["logic", "math"]),
        (["logic", 5, None, ["x"]], ["logic"]),
        (5, []),
        (True, []),
        ({"logic": True}, []),
    ],
)
def test_the_list_of_agents_that_may_write(value: Any, agents: list[str]):
    assert agents_listed(value) == agents


def test_missing_is_the_answer_of_the_text():
    assert missing() == {"exists": False, "value": None, "source": None, "last_updated": None, "meta": {}}
