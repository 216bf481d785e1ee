"""Canonical JSON against RFC 8785: its own tables, its own example, and the exact encoder for everything else."""

import json
import math
import struct
from collections.abc import Callable
from enum import IntEnum
from typing import Any

import pytest
import rfc8785
from hypothesis import given, settings
from hypothesis import strategies as st

from mace.core import canon


def _double(bits: str) -> float:
    value: float = struct.unpack(">d", bytes.fromhex(bits))[0]
    return value


# RFC 8785, appendix B: the bits of a double and its JSON form.
APPENDIX_B = [
    ("0000000000000000", "0"),
    ("8000000000000000", "0"),
    ("0000000000000001", "5e-324"),
    ("8000000000000001", "-5e-324"),
    ("7fefffffffffffff", "1.7976931348623157e+308"),
    ("ffefffffffffffff", "-1.7976931348623157e+308"),
    ("4340000000000000", "9007199254740992"),
    ("c340000000000000", "-9007199254740992"),
    ("4430000000000000", "295147905179352830000"),
    ("44b52d02c7e14af5", "9.999999999999997e+22"),
    ("44b52d02c7e14af6", "1e+23"),
    ("44b52d02c7e14af7", "1.0000000000000001e+23"),
    ("444b1ae4d6e2ef4e", "999999999999999700000"),
    ("444b1ae4d6e2ef4f", "999999999999999900000"),
    ("444b1ae4d6e2ef50", "1e+21"),
    ("3eb0c6f7a0b5ed8c", "9.999999999999997e-7"),
    ("3eb0c6f7a0b5ed8d", "0.000001"),
    ("41b3de4355555553", "333333333.3333332"),
    ("41b3de4355555554", "333333333.33333325"),
    ("41b3de4355555555", "333333333.3333333"),
    ("41b3de4355555556", "333333333.3333334"),
    ("41b3de4355555557", "333333333.33333343"),
    ("becbf647612f3696", "-0.0000033333333333333333"),
    ("43143ff3c1cb0959", "1424953923781206.2"),
]


@pytest.mark.parametrize(("bits", "text"), APPENDIX_B)
def test_numbers_of_appendix_b(bits: str, text: str):
    number = _double(bits)
    assert canon.dumps(number) == text.encode()
    assert canon.dumps([number]) == f"[{text}]".encode()
    assert canon.dumps({"n": [{"n": number}]}) == f'{{"n":[{{"n":{text}}}]}}'.encode()


@pytest.mark.parametrize("bits", ["7fffffffffffffff", "7ff0000000000000", "fff0000000000000", "7ff8000000000000"])
def test_nan_and_infinities_have_no_form(bits: str):
    for value in (_double(bits), [_double(bits)], {"a": {"b": _double(bits)}}):
        with pytest.raises(canon.NotCanonical):
            canon.dumps(value)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (-0.0, "0"),
        (0.0, "0"),
        (1.0, "1"),
        (-1.0, "-1"),
        (0.1, "0.1"),
        (0.0001, "0.0001"),
        (0.00001, "0.00001"),
        (1e-6, "0.000001"),
        (1e-7, "1e-7"),
        (5e-324, "5e-324"),
        (123456.789, "123456.789"),
        (999999999999999.9, "999999999999999.9"),
        (1e15, "1000000000000000"),
        (1e16, "10000000000000000"),
        (1e20, "100000000000000000000"),
        (1e21, "1e+21"),
        (1.5e300, "1.5e+300"),
        (0, "0"),
        (-7, "-7"),
        (2**53 - 1, "9007199254740991"),
        (-(2**53) + 1, "-9007199254740991"),
        (True, "true"),
        (False, "false"),
        (None, "null"),
        ("", '""'),
        ("é", '"é"'),
        ("\x7f\u2028\u2029", '"\x7f\u2028\u2029"'),
        ('\x00\x08\t\n\x0b\x0c\r\x1f"\\/', r'"\u0000\b\t\n\u000b\f\r\u001f\"\\/"'),
        ("😀", '"😀"'),
        ([], "[]"),
        ({}, "{}"),
        ([[], {}, [[]]], "[[],{},[[]]]"),
        ({"b": 1, "a": {"d": 2, "c": 3}}, '{"a":{"c":3,"d":2},"b":1}'),
        ((1, "two", (3,)), '[1,"two",[3]]'),
    ],
)
def test_literal_forms(value: object, text: str):
    assert canon.dumps(value) == text.encode()
    assert canon.dumps([value]) == f"[{text}]".encode()


def test_sorting_example_of_the_rfc():
    """RFC 8785, section 3.2.3: names sort by UTF-16 code units, so the emoji comes before the Hebrew letter."""
    value = {
        "\u20ac": "Euro Sign",
        "\r": "Carriage Return",
        "\ufb33": "Hebrew Letter Dalet With Dagesh",
        "1": "One",
        "\U0001f600": "Emoji: Grinning Face",
        "\u0080": "Control",
        "\u00f6": "Latin Small Letter O With Diaeresis",
    }
    assert [json.loads(canon.dumps(value))[name] for name in json.loads(canon.dumps(value))] == [
        "Carriage Return",
        "One",
        "Control",
        "Latin Small Letter O With Diaeresis",
        "Euro Sign",
        "Emoji: Grinning Face",
        "Hebrew Letter Dalet With Dagesh",
    ]
    assert (
        canon.dumps(value)
        == (
            '{"\\r":"Carriage Return","1":"One","\u0080":"Control","ö":"Latin Small Letter O With Diaeresis",'
            '"€":"Euro Sign","😀":"Emoji: Grinning Face","\ufb33":"Hebrew Letter Dalet With Dagesh"}'
        ).encode()
    )


def test_the_rfcs_whole_example():
    """RFC 8785, section 3.2.2, as parsed from its text."""
    value = json.loads(
        r"""{"numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
             "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
             "literals": [null, true, false]}"""
    )
    assert canon.dumps(value) == (
        b'{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],'
        b'"string":"\xe2\x82\xac$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}'
    )


def test_astral_keys_sort_by_utf16_at_every_depth():
    inner = {"\uffff": 1, "\U00010000": 2, "a": 3}
    text = '{"a":3,"\U00010000":2,"\uffff":1}'
    assert canon.dumps(inner) == text.encode()
    assert canon.dumps([{"x": [inner]}]) == f'[{{"x":[{text}]}}]'.encode()


@pytest.mark.parametrize("number", [2**53, -(2**53), 2**63, 2**64, 10**30, -(10**30)])
def test_integers_beyond_two_to_53_are_refused_at_every_depth(number: int):
    for value in (number, [number], {"a": {"b": [number]}}, [1.0, number]):
        with pytest.raises(canon.NotCanonical):
            canon.dumps(value)


@pytest.mark.parametrize("text", ["\ud800", "\udfff", "a\ud83d", "\ude00\ud83d"])
def test_lone_surrogates_are_refused_as_value_and_as_key(text: str):
    for value in (text, [text], {"a": text}, {text: 1}, {"a": {text: 1.0}}, {text: "😀"}):
        with pytest.raises(canon.NotCanonical):
            canon.dumps(value)


class _Colour(IntEnum):
    RED = 1


@pytest.mark.parametrize(
    "value",
    [
        b"bytes",
        {1, 2},
        object(),
        1j,
        {1: "a"},
        {None: 1},
        {True: 1},
        {(1,): 1},
        [{"a": {2.5: 1}}],
        _Colour.RED,
        {"a": _Colour.RED},
        [b"x"],
        iter(()),
    ],
)
def test_what_is_not_json_is_refused(value: object):
    with pytest.raises(canon.NotCanonical):
        canon.dumps(value)


def _nested(depth: int, leaf: object) -> object:
    value = leaf
    for level in range(depth):
        value = [value] if level % 2 else {"a": value}
    return value


@pytest.mark.parametrize("leaf", [1, 1.0, "😀"])
def test_deep_values_are_encoded_or_refused_never_a_crash(leaf: object):
    assert canon.dumps(_nested(254, leaf)) == rfc8785.dumps(_nested(254, leaf))
    for depth in (255, 256, 1000, 100_000):
        for value in (_nested(depth, leaf), [1.0, _nested(depth, leaf)], {"😀": 1e300, "a": _nested(depth, leaf)}):
            with pytest.raises(canon.NotCanonical):
                canon.dumps(value)


def test_a_value_that_contains_itself_is_refused():
    ring: list[object] = [1]
    ring.append(ring)
    with pytest.raises(canon.NotCanonical):
        canon.dumps(ring)


_integers = st.integers(-(2**53) + 1, 2**53 - 1)
_finite = st.floats(allow_nan=False, allow_infinity=False)
_near_the_edges = st.builds(
    lambda base, ulps, sign: sign * _steps(base, ulps),
    st.sampled_from([1e-7, 1e-6, 1e-5, 1e-4, 1.0, 1e15, 1e16, 1e17, 2.0**53, 1e20, 1e21, 1e22, 1e23]),
    st.integers(-3, 3),
    st.sampled_from([1, -1]),
)
_text = st.text(st.characters(exclude_categories=["Cs"]))
_json = st.recursive(
    st.none() | st.booleans() | _integers | _finite | _near_the_edges | _text,
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(_text, inner, max_size=6),
    max_leaves=30,
)


def _steps(number: float, ulps: int) -> float:
    for _ in range(abs(ulps)):
        number = math.nextafter(number, math.inf if ulps > 0 else -math.inf)
    return number


@settings(max_examples=400, deadline=None)
@given(_json)
def test_the_fast_path_agrees_with_the_exact_encoder(value: object):
    encoded = canon.dumps(value)
    assert encoded == rfc8785.dumps(value)  # type: ignore[arg-type]
    assert canon.loads(encoded) == value
    assert canon.dumps(canon.loads(encoded)) == encoded


@settings(max_examples=1500, deadline=None)
@given(st.binary(min_size=8, max_size=8))
def test_every_double_agrees_with_the_exact_encoder(bits: bytes):
    number: float = struct.unpack(">d", bits)[0]
    if not math.isfinite(number):
        with pytest.raises(canon.NotCanonical):
            canon.dumps([number])
    else:
        assert canon.dumps([number]) == rfc8785.dumps([number])
        assert canon.loads(canon.dumps({"n": [number]})) == {"n": [number]}


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(st.text(st.sampled_from("az~é\ud7ff\ue000\uffff\U00010000\U0010ffff"), max_size=4), _integers))
def test_keys_around_the_surrogate_gap_sort_as_utf16(value: dict[str, int]):
    assert canon.dumps(value) == rfc8785.dumps(value)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("data", "digest"),
    [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        (b"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        ("é", "4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c"),
    ],
)
def test_hashes_are_lowercase_hex_of_utf8(data: bytes | str, digest: str):
    assert canon.sha256_hex(data) == digest


def test_hash_of_a_value_is_over_its_canonical_bytes():
    assert canon.hash_of({"b": 1.0, "a": "é"}) == canon.sha256_hex('{"a":"é","b":1}')


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("49048268029625980", 4.904826802962598e16),
        ("[9007199254740992]", [2.0**53]),
        ('{"a":[-9007199254740993]}', {"a": [-(2.0**53)]}),
        ("9007199254740991", 2**53 - 1),
        ('"4904826802962598"', "4904826802962598"),
        ("1234567890123456", 1234567890123456),
    ],
)
def test_a_whole_number_beyond_two_to_53_comes_back_as_the_double_it_was(text: str, value: object):
    loaded = canon.loads(text)
    assert loaded == value
    assert repr(loaded) == repr(value)
    assert repr(canon.loads(text.encode())) == repr(value)
    for around in ("", "prose, 12 and 345. " * 50, "é" * 300):  # long texts are looked through in another way
        whole = json.dumps([around, "LAST"], ensure_ascii=False).replace('"LAST"', text)
        assert repr(canon.loads(whole)) == repr([around, value])
        assert repr(canon.loads(whole.encode())) == repr([around, value])


def test_what_is_nested_too_deeply_is_refused_not_a_crash():
    with pytest.raises(ValueError):
        canon.loads("[" * 1020 + "1234567890123456789" + "]" * 1020)


@pytest.mark.parametrize("text", ["", "{", "[1,]", "nul", "NaN", "Infinity", "{'a':1}", b"\xff", "1 2"])
def test_what_is_not_json_does_not_load(text: bytes | str):
    with pytest.raises(ValueError):
        canon.loads(text)


@pytest.mark.parametrize(
    ("value", "levels"),
    [
        (1, 0),
        ([], 1),
        ({"a": [1, (2, {"b": []})]}, 5),
        ([[], [[]], [[[1]]], []], 4),
        (_nested(200, 1), 200),
        (_nested(100_000, 1), 100_000),
    ],
)
def test_how_deep_a_value_nests(value: object, levels: int):
    assert not canon.nests_deeper(value, levels)
    assert levels == 0 or canon.nests_deeper(value, levels - 1)


def test_a_list_that_has_itself_twice_is_found_at_once():
    value: list[object] = []
    value += [value, value]
    assert canon.nests_deeper(value, 200)


@pytest.mark.parametrize("leaf", [1, 1.0, "😀", "[{" * 500])
def test_what_is_given_has_a_limit_of_its_own(leaf: object):
    at_limit = _nested(canon.MAX_NESTING, leaf)
    assert canon.dumps_given(at_limit) == canon.dumps(at_limit)
    assert canon.loads(canon.dumps_given(at_limit)) == at_limit
    for depth in (201, 254, 255, 100_000):
        with pytest.raises(canon.TooDeep, match="nested deeper than"):
            canon.dumps_given(_nested(depth, leaf))


@pytest.mark.parametrize("encode", [str, str.encode])
def test_what_is_read_nests_no_deeper_than_what_is_written(encode: Callable[[str], Any]):
    assert canon.loads(encode("[" * 254 + "]" * 254)) == canon.loads(encode("[" * 254 + "]" * 254))
    assert canon.loads(encode(json.dumps(["[{"] * 5000))) == ["[{"] * 5000
    for depth in (255, 1000, 1100, 100_000):
        with pytest.raises(canon.TooDeep):
            canon.loads(encode("[" * depth + "]" * depth))


@pytest.mark.parametrize(("value", "count"), [(1, 1), ([], 1), ([1, 2], 3), ({"a": [1, "b"], "c": None}, 5)])
def test_how_many_values_a_value_is_made_of(value: object, count: int):
    assert canon.values_in(value) == count
