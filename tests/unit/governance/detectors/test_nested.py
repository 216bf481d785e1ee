"""Nested JSON: values, names of members, numbers, and the names above a value as its cue."""

import pytest

from mace.governance.detectors import detect_json


def seen(value, field=None):
    return [(item.path, item.in_key, item.finding.type) for item in detect_json(value, field)]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("123-45-6789", [((), False, "us_ssn")]),
        ({"note": "mail a@b.co"}, [(("note",), False, "email")]),
        ({"ssn": 123456789}, [(("ssn",), False, "us_ssn")]),
        ({"ssn": 123456789.0}, [(("ssn",), False, "us_ssn")]),
        ({"card": 4111111111111111}, [(("card",), False, "payment_card")]),
        ({"a": [{"b": ["x", {"c": "123-45-6789"}]}]}, [(("a", 0, "b", 1, "c"), False, "us_ssn")]),
        ({"jane@example.org": 1}, [(("jane@example.org",), True, "email")]),
        (
            {"x": {"123-45-6789": {"y": "a@b.co"}}},
            [(("x", "123-45-6789"), True, "us_ssn"), (("x", "123-45-6789", "y"), False, "email")],
        ),
        ({"passport": {"number": "X1234567"}}, [(("passport", "number"), False, "passport")]),
        ({"phones": ["4155552671", "4155552672"]}, [(("phones", 0), False, "phone"), (("phones", 1), False, "phone")]),
        ({"diagnosis": "lupus"}, [(("diagnosis",), False, "diagnosis")]),
        ({"user": {"password": "swordfish"}}, [(("user", "password"), False, "password")]),
        ({"password": None, "ssn": True, "x": [], "y": {}, "z": ""}, []),
        ({"count": 123456789, "id": 4111}, []),
        (
            {"face_embedding": [0.5, 1, -2.25, 3]},
            [(("face_embedding", index), False, "biometric") for index in range(4)],
        ),
        ({"samples": [0.5, 1, -2.25, 3], "face_embedding": [1, 2]}, []),
        ([], []),
        (None, []),
        (True, []),
        (12, []),
        ("", []),
    ],
)
def test_findings_carry_their_path(value, expected):
    assert seen(value) == expected


def test_a_field_name_given_from_outside_is_a_cue():
    assert seen("123456789", "ssn") == [((), False, "us_ssn")]
    assert seen(123456789, "user/profile/user_tuff/ssn") == [((), False, "us_ssn")]


@pytest.mark.parametrize("value", [{1: "x"}, {"a": object()}, [b"x"], {"a": {1, 2}}])
def test_what_is_not_json_is_refused(value):
    with pytest.raises(TypeError):
        detect_json(value)


def test_what_is_nested_too_deeply_is_refused_not_skipped():
    value = "123-45-6789"
    for _ in range(300):
        value = [value]
    with pytest.raises(ValueError, match="deep"):
        detect_json(value)
