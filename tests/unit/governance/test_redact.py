"""Redaction: flagged pieces vanish whole, the rest stays, low findings and consented types are left alone."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mace.governance.detectors import HIGH, LOW, MEDIUM, Finding, detect, detect_json
from mace.governance.redact import (
    PLACEHOLDER,
    flagged,
    redact,
    redact_json,
    worst,
)


def finding(start: int, end: int, level: str = HIGH, kind: str = "us_ssn") -> Finding:
    return Finding(kind, level, start, end, "test")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("my ssn is 123-45-6789.", "my ssn is [redacted]."),
        ("123-45-6789", "[redacted]"),
        ("a@b.co and +44 20 7946 0958", "[redacted] and [redacted]"),
        ("x １２３-45-6\u200b789 y", "x [redacted] y"),
        ("nothing here", "nothing here"),
        ("my name is Ann", "my name is Ann"),
        ("", ""),
    ],
)
def test_text_is_redacted_by_its_findings(text: str, expected: str):
    assert redact(text, detect(text)) == expected


@pytest.mark.parametrize(
    ("findings", "expected"),
    [
        ([finding(0, 4), finding(2, 6)], "[redacted]ghij"),
        ([finding(0, 8), finding(2, 4)], "[redacted]ij"),
        ([finding(0, 2), finding(2, 4)], "[redacted][redacted]efghij"),
        ([finding(8, 10), finding(0, 2)], "[redacted]cdefgh[redacted]"),
        ([finding(0, 10, LOW)], "abcdefghij"),
        ([], "abcdefghij"),
    ],
)
def test_overlapping_findings_are_cut_as_one(findings: list[Finding], expected: str):
    assert redact("abcdefghij", findings) == expected


def test_types_that_consent_covers_stay():
    text = "a@b.co 123-45-6789"
    assert redact(text, detect(text), allowed={"email"}) == "a@b.co [redacted]"
    assert redact(text, detect(text), allowed={"email", "us_ssn"}) == text


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"a": "mail a@b.co", "n": 1}, {"a": "mail [redacted]", "n": 1}),
        ({"ssn": 123456789}, {"ssn": PLACEHOLDER}),
        ({"a@b.co": 1, "c@d.co": 2}, {"[redacted]": 1, "[redacted]#2": 2}),
        ({"a@b.co": 1, "[redacted]": 2}, {"[redacted]": 1, "[redacted]#2": 2}),
        ({"x": [{"y": ["123-45-6789"]}]}, {"x": [{"y": ["[redacted]"]}]}),
        ({"first_name": "Ann", "hobby": "chess"}, {"first_name": "Ann", "hobby": "chess"}),
        ({"iris_template": [0.5, 1, 2, 3]}, {"iris_template": [PLACEHOLDER] * 4}),
        ("123-45-6789", "[redacted]"),
        (None, None),
    ],
)
def test_json_is_redacted_in_values_and_names(value, expected):
    before = repr(value)
    assert redact_json(value, detect_json(value)) == expected
    assert repr(value) == before  # a copy


def test_json_consent_covers_types_not_paths():
    value = {"mail": "a@b.co", "ssn": "123-45-6789"}
    assert redact_json(value, detect_json(value), allowed={"email"}) == {"mail": "a@b.co", "ssn": "[redacted]"}


_PARTS = [
    "123-45-6789",
    "4111 1111 1111 1111",
    "jane@example.org",
    "+44 20 7946 0958",
    "hello",
    "my ssn",
    "1２3",
    " ",
    "\n",
    ", ",
]


@settings(deadline=None)
@given(st.lists(st.sampled_from(_PARTS), max_size=12).map(" ".join))
def test_no_flagged_piece_survives(text: str):
    redacted = redact(text, detect(text)).replace(PLACEHOLDER, "")
    for found in flagged(detect(text)):
        piece = text[found.start : found.end]  # the same words elsewhere may say nothing without their cue
        assert redacted.count(piece) < text.count(piece)


_JSON = st.recursive(
    st.sampled_from([*_PARTS, 123456789, 4111111111111111, None, True, 1.5]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "ssn", "x@y.co", "n"]), inner, max_size=3)
    ),
    max_leaves=8,
)


@settings(deadline=None)
@given(_JSON)
def test_redacted_json_keeps_its_shape_and_has_nothing_flagged_left(value):
    redacted = redact_json(value, detect_json(value))
    assert [item for item in detect_json(redacted) if item.finding.sensitivity != LOW] == []
    assert _shape(redacted) == _shape(value)


def test_a_personal_name_hides_no_value_that_was_split():
    value = {"a": "1２3", "ssn": "1２3", "x@y.co": "1２3"}
    redacted = redact_json(value, detect_json(value))
    assert [item for item in detect_json(redacted) if item.finding.sensitivity != LOW] == []


def _shape(value):
    if isinstance(value, dict):
        return [_shape(item) for item in value.values()]
    return [_shape(item) for item in value] if isinstance(value, list) else None


def test_the_worst_is_the_most_sensitive_then_the_first():
    low, medium, high, later = finding(0, 1, LOW), finding(1, 2, MEDIUM), finding(5, 6), finding(7, 8)
    assert worst([low, medium, later, high]) == high
    assert worst([low, medium]) == medium
    assert worst([]) is None
