"""`detect` as a whole: order, overlaps, any text, no socket, no clock, nothing imported before it is needed."""

import base64
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mace.governance.detectors import HIGH, LOW, MEDIUM, RANK, SENSITIVITY, Finding, detect
from mace.governance.detectors.engine import _settle
from mace.governance.detectors.findings import Hit
from mace.governance.detectors.view import View

_WORDS = st.sampled_from(
    [
        "ssn",
        "123-45-6789",
        "4111",
        " 1111 ",
        "card",
        "@",
        "a@b.co",
        "+1",
        "415",
        "-",
        ".",
        "I have",
        " diabetes",
        "::",
        "passport",
        "A1234567",
        "born",
        "1979-03-14",
        "12 Main Street",
        "IL 62704",
        "password is",
        "x1!",
        "\u200b",
        "&#49;",
        "%31",
        "１",
        "GB82",
        "eyJ",
        "-----BEGIN PRIVATE KEY-----",
        "\n",
        " ",
        "cpf",
        "39053344705",
        "[0.1, 0.2",
        "0x",
        "token:",
        "字",
        "\ud800",
    ]
)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(_WORDS, max_size=30).map("".join) | st.text(),
    st.none() | st.sampled_from(["ssn", "diagnosis", "note", "é\u200b"]),
)
def test_any_text_gives_ordered_findings_inside_it(text: str, field: str | None):
    found = detect(text, field)
    assert found == detect(text, field)
    assert [(f.start, -f.end) for f in found] == sorted((f.start, -f.end) for f in found)
    for finding in found:
        assert 0 <= finding.start < finding.end <= len(text)
        assert finding.sensitivity == SENSITIVITY[finding.type]


def test_the_policy_decides_the_level():
    stricter = {**SENSITIVITY, "email": HIGH}
    assert [f.sensitivity for f in detect("a@b.co")] == [MEDIUM]
    assert [f.sensitivity for f in detect("a@b.co", sensitivity=stricter)] == [HIGH]


@pytest.mark.parametrize("given", [123456789, None, b"123-45-6789", ["123-45-6789"], {"ssn": "123456789"}, []])
def test_only_text_is_read(given: object):
    with pytest.raises(TypeError):
        detect(given)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        detect("123456789", 3)  # type: ignore[arg-type]


_RULE = {"a": "us.ssn.dashed", "b": "card.bare"}  # of two types
_TYPE = {"a": "us_ssn", "b": "payment_card"}


def _f(start: int, end: int, level: str = HIGH, kind: str = "a") -> Finding:
    return Finding(_TYPE[kind], level, start, end, _RULE[kind])


@pytest.mark.parametrize(
    ("findings", "kept"),
    [
        ([_f(0, 9), _f(2, 5)], [(0, 9, "a")]),
        ([_f(0, 9, LOW, "b"), _f(2, 5)], [(0, 9, "b"), (2, 5, "a")]),
        ([_f(0, 9, HIGH, "b"), _f(2, 5, LOW)], [(0, 9, "b")]),
        ([_f(0, 5, kind="a"), _f(3, 9, kind="b")], [(0, 5, "a"), (3, 9, "b")]),
        ([_f(0, 5), _f(3, 9)], [(0, 9, "a")]),
        ([_f(0, 5, kind="b"), _f(0, 5, kind="a")], [(0, 5, "b")]),
        ([_f(5, 9), _f(0, 3)], [(0, 3, "a"), (5, 9, "a")]),
    ],
)
def test_overlaps_are_settled_without_uncovering_anything(findings: list[Finding], kept: list[tuple[int, int, str]]):
    levels = {found.type: found.sensitivity for found in findings}
    settled = _settle(View("x" * 20), [Hit(found.rule, found.start, found.end) for found in findings], levels)
    assert [(f.start, f.end, f.type) for f in settled] == [(start, end, _TYPE[kind]) for start, end, kind in kept]
    for rank in RANK.values():
        before = {at for f in findings if RANK[f.sensitivity] >= rank for at in range(f.start, f.end)}
        after = {at for f in settled if RANK[f.sensitivity] >= rank for at in range(f.start, f.end)}
        assert after == before


_PROBE = """
import socket, sys, time
def refused(*_, **__):
    raise AssertionError("a detector reached for the world")
socket.socket = socket.create_connection = socket.getaddrinfo = refused
from mace.governance.detectors import detect, detect_json
detect("hello, what is the capital of Australia?")
assert "phonenumbers" not in sys.modules and "stdnum" not in sys.modules, "plain text needs no library"
import datetime
class Frozen(datetime.date):
    @classmethod
    def today(cls):
        raise AssertionError("a detector looked at the clock")
datetime.date = Frozen
time.time = refused
assert detect("jane@example.org +44 20 7946 0958 GB82 WEST 1234 5698 7654 32 cpf 390.533.447-05 4111 1111 1111 1111")
assert detect_json({"personnummer": "811228-9874", "id number": "7503305044089", "fnr": "15108695088"})
assert detect_json({"rijksregisternummer": "85073003328", "cpr": "211062-5629", "rrn": "971013-9019902"})
assert "phonenumbers" in sys.modules
print("ok")
"""


def test_no_socket_no_clock_and_libraries_only_when_needed():
    done = subprocess.run([sys.executable, "-c", _PROBE], capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.strip() == "ok", done.stderr


@pytest.mark.parametrize("length", [0, 200, 3000])
def test_what_was_clean_inside_another_text_is_searched_when_it_stands_alone(length: int):
    """Of an encoded word only one layer is taken off; that nothing was seen below says nothing of the text itself."""

    def coded(text: str) -> str:
        return base64.b64encode(text.encode()).decode()

    padding = "all is well in the garden today, said the fox to the hare. " * (length // 50)
    text = f"{padding}see {coded(f'write to person{length}@example.org about the fence')}"
    assert detect(f"look {coded(text)}") == []
    assert [finding.type for finding in detect(text)] == ["email"]


@pytest.mark.parametrize("length", [10, 200, 201, 400])
def test_that_a_text_was_clean_counts_for_that_text_under_that_name_only(length: int):
    words = ("green " * length)[:length]
    for _ in range(2):
        assert detect(words) == []
        assert detect(f"{words}\ud800") == []
        assert [finding.type for finding in detect(words, "diagnosis")] == ["diagnosis"]
        assert [finding.type for finding in detect(f"{words} jane.roe@example.org")] == ["email"]
