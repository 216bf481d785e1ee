"""The rules of a context package one by one: text, terms, timestamps, lines, excerpts, scores."""

import hashlib
import json
import sys
from decimal import Decimal, localcontext

import pytest
import rfc8785

from mace.memory.context import InvalidLine, Record, is_blank, read_line
from mace.memory.context.instants import format_us, parse_us, read
from mace.memory.context.request import Budget, parse_request
from mace.memory.context.scoring import half_lives, nearest_power_of_half, score_record, total
from mace.memory.context.selection import excerpt_of, select
from mace.memory.context.text import derived_terms, given_terms, matching_text, query_hash

DAY_US = 86_400_000_000


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("  Hello   World ", "hello world"),
        ("a\tb\nc\rd\x0be\x0cf", "a b c d e f"),
        ("a\x1cb\x1dc\x1ed\x1fe\x85f\xa0g", "a b c d e f g"),
        ("a\u1680b\u2000c\u2028d\u2029e\u202ff\u205fg\u3000h", "a b c d e f g h"),
        ("a\u200bb\ufeffc", "a\u200bb\ufeffc"),  # zero width is not white space
        ("ΟΔΟΣ ΟΣΟ", "οδος οσο"),  # a final sigma lowers differently
        ("İ", "i\u0307"),
        ("STRASSE ẞ", "strasse ß"),
        ("", ""),
    ],
)
def test_text_is_trimmed_lowered_and_collapsed(text, expected):
    assert matching_text(text) == expected


def test_white_space_is_what_isspace_says_for_every_code_point():
    for code in range(sys.maxunicode + 1):
        char = chr(code)
        assert (matching_text(f"a{char}b") == "a b") == char.isspace(), hex(code)


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("The cat the CAT", ("the", "cat")),
        ("a bc d ef", ("bc", "ef")),
        ("x", ()),
        ("İ", ("i\u0307",)),  # two code points once lowered
        ("日 日本", ("日本",)),
        ("what's up?", ("what's", "up?")),
    ],
)
def test_terms_come_from_the_query(query, terms):
    assert derived_terms(query) == terms


def test_given_terms_are_normalised_without_a_length_rule():
    assert given_terms(["  B ", "a", "b", "", " ", "New\u00a0  York"]) == ("b", "a", "new york")


def test_the_query_hash_is_of_the_normalised_query():
    assert query_hash("  What IS\tthis ") == hashlib.sha256(b"what is this").hexdigest()


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("2024-05-06T07:08:09Z", "2024-05-06T07:08:09Z"),
        ("2024-05-06t07:08:09z", "2024-05-06T07:08:09Z"),
        ("2024-05-06 07:08:09", "2024-05-06T07:08:09Z"),
        ("2024-05-06T07:08:09.5Z", "2024-05-06T07:08:09.500000Z"),
        ("2024-05-06T07:08:09.123456999Z", "2024-05-06T07:08:09.123456Z"),
        ("2024-05-06T07:08:09.000000Z", "2024-05-06T07:08:09Z"),
        ("2024-05-06T07:08:09+02:00", "2024-05-06T05:08:09Z"),
        ("2024-05-06T23:08:09-02:30", "2024-05-07T01:38:09Z"),
        ("2024-02-29T00:00:00-00:00", "2024-02-29T00:00:00Z"),
        ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"),
        ("9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999Z"),
        ("0001-01-01T00:00:00+00:01", None),
        ("9999-12-31T23:59:59-00:01", None),
        ("0000-01-01T00:00:00Z", None),
        ("2023-02-29T00:00:00Z", None),
        ("2024-05-06", None),
        ("2024-05-06T07:08Z", None),
        ("2024-05-06T07:08:09.Z", None),
        ("2024-05-06T07:08:09,5Z", None),
        ("2024-05-06T24:00:00Z", None),
        ("2024-05-06T23:59:60Z", None),
        ("2024-05-06T07:08:09+0200", None),
        ("2024-05-06T07:08:09+24:00", None),
        ("2024-05-06T07:08:09+00:60", None),
        (" 2024-05-06T07:08:09Z", None),
        ("2024-05-06T07:08:09Z\n", None),
        ("２０24-05-06T07:08:09Z", None),
        ("2024-05-06T07:08:09 Z", None),
        ("2024-05-06_07:08:09Z", None),
        ("", None),
    ],
)
def test_timestamps_are_read_strictly_and_written_in_one_way(text, normal):
    instant, spelled = read(text)
    assert spelled == normal
    assert parse_us(text) == instant
    assert (instant is None) == (normal is None)
    if instant is not None:
        assert format_us(instant) == normal


def line(**fields):
    return json.dumps({"memory_id": "m", "text": "t"} | fields).encode()


def expected_hash(**fields):
    base = {"memory_id": "m", "refs": [], "tags": [], "text": "t", "ts_utc": None}
    return hashlib.sha256(rfc8785.dumps(base | fields)).hexdigest()


@pytest.mark.parametrize(
    ("raw", "normalised"),
    [
        (line(), {}),
        (line(text=""), {"text": ""}),
        (line(text=" kept as is\n"), {"text": " kept as is\n"}),
        (line(text="é\u2028\u007f\u0001"), {"text": "é\u2028\u007f\u0001"}),
        (line(tags=["B", "a", "b", "ΑΣ"]), {"tags": ["a", "b", "ας"]}),
        (line(tags=None, refs=None, ts_utc=None), {}),
        (line(ts_utc="2024-01-01 00:00:00"), {"ts_utc": "2024-01-01T00:00:00Z"}),
        (line(ts_utc="not a time"), {}),
        (line(other={"x": [1, 2]}, more=None), {}),
        (
            line(refs=[{"b": 1.0, "a": [None, True, 2**53 - 1]}, {}]),
            {"refs": [{"a": [None, True, 2**53 - 1], "b": 1.0}, {}]},
        ),
        (line(refs=[{"x": 1e30}]), {"refs": [{"x": 1e30}]}),
        (line(refs=[{"\U0001f600": 1, "\ue000": 2}]), {"refs": [{"\U0001f600": 1, "\ue000": 2}]}),
        (b'{"memory_id":"x","memory_id":"m","text":"a","text":"t"}', {}),
        (b' \t{"memory_id":"m","text":"t"} \r', {}),
        (line(x=int("1" + "0" * 300)), {}),
    ],
)
def test_a_valid_line_has_the_hash_of_its_normal_form(raw, normalised):
    record = read_line(raw)
    assert isinstance(record, Record)
    assert record.record_hash == expected_hash(**normalised)


@pytest.mark.parametrize(
    ("raw", "memory_id"),
    [
        (b"", ""),
        (b"{", ""),
        (b"[1]", ""),
        (b'"m"', ""),
        (b'{"text":"t"}', ""),
        (b'{"memory_id":7,"text":"t"}', ""),
        (b'{"memory_id":null,"text":"t"}', ""),
        (b'{"memory_id":"m"}', "m"),
        (b'{"memory_id":"m","text":null}', "m"),
        (line(text=5), "m"),
        (line(ts_utc=5), "m"),
        (line(tags="a"), "m"),
        (line(tags=["a", 1]), "m"),
        (line(tags=[None]), "m"),
        (line(tags={}), "m"),
        (line(refs={}), "m"),
        (line(refs=""), "m"),
        (line(refs=0), "m"),
        (line(refs=[[]]), "m"),
        (line(refs=[{"x": 2**53}]), "m"),
        (line(refs=[{"x": [-(2**53)]}]), "m"),
        (line(refs=[{"x": 10**30}]), "m"),
        (b'{"memory_id":"m","text":"t","x":NaN}', ""),
        (b'{"memory_id":"m","text":"t","x":-Infinity}', ""),
        (b'{"memory_id":"m","text":"t","x":1e309}', ""),
        (b'{"memory_id":"m","text":"t","x":1' + b"0" * 309 + b"}", ""),
        (b'{"memory_id":"m","text":"\\ud800"}', ""),
        (b'{"memory_id":"m","text":"t","\\udfff":1}', ""),
        (b'{"memory_id":"m","text":"\xc3"}', ""),
        (b'\xef\xbb\xbf{"memory_id":"m","text":"t"}', ""),
        (b'{"memory_id":"m","text":"t"}x', ""),
        (b'{"memory_id":"m","text":"a\tb"}', ""),
        (b'{"memory_id":"m","text":"t",}', ""),
        (b"{'memory_id':'m','text':'t'}", ""),
        (b'{"memory_id":"m","text":"t","x":01}', ""),
    ],
)
def test_an_invalid_line_keeps_its_id_if_it_has_one_and_the_hash_of_its_bytes(raw, memory_id):
    assert read_line(raw) == InvalidLine(memory_id, hashlib.sha256(raw).hexdigest())


@pytest.mark.parametrize(("depth", "valid"), [(127, True), (128, False), (5000, False)])
def test_nesting_goes_to_128_with_the_record_itself(depth, valid):
    for opening, closing in ((b"[", b"]"), (b'{"a":', b"}")):
        raw = b'{"memory_id":"m","text":"t","x":' + opening * depth + b"1" + closing * depth + b"}"
        assert isinstance(read_line(raw), Record) is valid
    shadowed = b'{"memory_id":"m","text":"t","x":' + b"[" * depth + b"]" * depth + b',"x":1}'
    assert isinstance(read_line(shadowed), Record) is valid


def test_brackets_inside_text_are_not_nesting():
    assert isinstance(read_line(line(text='[{"\\' * 500)), Record)


@pytest.mark.parametrize(
    ("raw", "blank"), [(b"", True), (b" \t\x0b\x0c\r", True), (b"\xc2\xa0", False), (b"\x1c", False), (b" x", False)]
)
def test_a_blank_line_is_ascii_white_space(raw, blank):
    assert is_blank(raw) is blank


@pytest.mark.parametrize(
    ("text", "tokens", "excerpt", "used"),
    [
        ("  hello  ", 10, "hello", 2),
        ("", 10, "", 0),
        (" \u3000\n", 10, "", 0),
        ("abcdefgh", 2, "abcdefgh", 2),
        ("abcdefghi", 2, "abcdefgh", 2),
        ("abcde", 2, "abcde", 2),
        ("ab日本", 1, "ab", 1),  # 日 is bytes 2 to 4
        ("a日日", 1, "a日", 1),
        ("\U0001f600\U0001f600", 1, "\U0001f600", 1),
        ("abc\U0001f600", 1, "abc", 1),
        ("é" * 5, 1, "éé", 1),
        ("abc d", 1, "abc ", 1),  # a cut may leave white space; nothing is rewritten
    ],
)
def test_an_excerpt_is_cut_at_bytes_but_never_inside_a_code_point(text, tokens, excerpt, used):
    assert excerpt_of(text, tokens) == (excerpt, used)


@pytest.mark.parametrize(
    ("texts", "budget", "count"),
    [
        (["abcd"] * 3, (2, 2, 50), 2),
        (["abcd"] * 3, (3, 3, 2), 2),
        (["abcd", "a" * 100, "abcd"], (3, 3, 50), 1),  # the one that does not fit ends the selection
        (["abcd", "a" * 100, "abcd"], (3, 1, 50), 3),
        (["", "", ""], (1, 1, 50), 3),
        (["abcd", "", ""], (1, 1, 2), 2),
        ([], (1, 1, 1), 0),
    ],
)
def test_selection_stops_at_the_first_that_does_not_fit(texts, budget, count):
    limits = Budget(max_excerpt_tokens=budget[0], per_item_max_excerpt_tokens=budget[1], max_items=budget[2])
    found = select(range(len(texts)), lambda rank: Record(str(rank), "h", texts[rank], (), None), limits)
    assert [item.rank for item in found] == list(range(count))


def scored(text, tags=(), ts_us=None, **request):
    base = {"query": "red apple pie", "store_paths": ["s"], "budget": {"max_excerpt_tokens": 9}}
    return score_record(Record("m", "h", text, tags, ts_us), parse_request(base | request))


NOW = "2024-01-31T00:00:00Z"
NOW_US = parse_us(NOW)


@pytest.mark.parametrize(
    ("text", "tags", "ts_us", "request_", "score"),
    [
        ("RED apples", (), None, {}, 2.0),
        ("pineapple  piety, bored", (), None, {}, 3.0),  # substrings count
        ("red red red", (), None, {}, 1.0),
        ("", ("red", "apple"), None, {}, 1.0),
        ("red", ("red",), None, {}, 1.5),
        ("red", ("redder",), None, {}, 1.0),  # tags must be equal
        ("red", ("red",), None, {"scoring": {"enable_tag_overlap": False}}, 1.0),
        ("red", (), NOW_US - 30 * DAY_US, {"scoring": {"enable_recency_weight": True}, "now_utc": NOW}, 1.5),
        ("red", (), NOW_US - 30 * DAY_US, {"scoring": {"enable_recency_weight": True}}, 1.0),  # no now: off
        ("red", (), NOW_US - 30 * DAY_US, {"now_utc": NOW}, 1.0),
        ("red", (), None, {"scoring": {"enable_recency_weight": True}, "now_utc": NOW}, 1.0),
        ("red", (), NOW_US + DAY_US, {"scoring": {"enable_recency_weight": True}, "now_utc": NOW}, 2.0),
        (
            "red",
            (),
            NOW_US - DAY_US,
            {"scoring": {"enable_recency_weight": True, "recency_half_life_days": 3}, "now_utc": NOW},
            round(1 + 0.5 ** (1 / 3), 12),
        ),
        ("a  red\u00a0apple", (), None, {"scoring": {"query_terms": ["red  apple", "RED a"]}}, 2.0),
        ("red apple", (), None, {"scoring": {"query_terms": []}}, 0.0),
    ],
)
def test_the_score_is_terms_and_half_the_tags_and_recency(text, tags, ts_us, request_, score):
    assert scored(text, tags, ts_us, **request_).score == score


def test_a_power_that_libraries_may_round_differently_is_settled_exactly():
    """Where one unit in the last place turns the rounding, the exact power decides."""
    turned = 0
    for step in range(1, 200_000):
        exponent = half_lives(step * 977_777_777, 30)
        power = 0.5**exponent
        scaled = power * 1e12
        if abs(scaled - int(scaled) - 0.5) < 1e-4:
            turned += 1
            with localcontext() as context:
                context.prec = 60
                exact = Decimal("0.5") ** Decimal(exponent)
            assert nearest_power_of_half(exponent) == float(exact)
            assert total(0, exponent) == round(float(exact), 12)
        else:
            assert total(0, exponent) == round(power, 12)
    assert turned
