"""Gates never change what is found, shapes and runs are those of the text, and the work grows with the text alone."""

import random
import re
import runpy
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mace.governance.detectors import detect, engine, gates
from mace.governance.detectors import people as people_rules
from mace.governance.detectors.cues import Cue
from mace.governance.detectors.view import NEWEST, View, run_of

HOSTILE: dict[str, str] = runpy.run_path(
    str(Path(__file__).parents[4] / "benchmarks" / "pii" / "hostile.py"), run_name="hostile"
)["HOSTILE_PIECES"]

VALUES = (
    "415-555-2671", "001-415-555-2671", "1.415.555.2671", "+44 20 7946 0958", "(0171) 234 56 78", "0171 2345678", "4111 1111 1111 1111",  # noqa: E501
    "123-45-6789", "GB82WEST12345698765432", "jane@example.org", "jane [at] example [dot] org", "1979-03-14", "14 March 1985", "8.8.8.8",  # noqa: E501
    "00:11:22:aa:bb:cc", "00-11-22-aa-bb-cc", "2001:db8::1", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", "hunter2!", "AKIAIOSFODNN7EXAMPLB",  # noqa: E501
    "12 Main Street, Springfield, IL 62704", "529.982.247-25", "12345678Z", "X1234567L", "AB 12 34 56 C", "RSSMRA85T10A562S", "ABCDE1234F",  # noqa: E501
    "19811218-9876", "110101199003074514", "850101-1234567", "1 85 09 75 116 001 23", "C01X00T47", "diabetes", "Catholic", "E11.9",  # noqa: E501
    "ul. Długa 7, 31-147 Kraków", "Langstrasse 5, 10115 Berlin", "SW1A 1AA", "4711081", "JBSWY3DPEHPK3PXP", "MTIzLTQ1LTY3ODk=",  # noqa: E501
    "five five five eight six seven five three oh nine", "我住在北京市朝阳区建国路88号", "電話は090-1234-5678です", "Brustkrebs", "0.12, 0.33, 0.98",  # noqa: E501
    "sk-or-v1-" + "0a" * 30, "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NSJ9.dBjftJeZ4CVP", "https://a:b1!x@c.d/e", "P<UTOERIKSSON<<ANNA", "54,000",  # noqa: E501
)  # fmt: skip
WORDS = (
    "ssn", "my number is", "call me", "tel", "card", "iban", "passport no", "born on", "geboren am", "address:", "I have", "icd", "account number",  # noqa: E501
    "token:", "password is", "pin", "I live at", "my name is Ana", "mac", "ip", "nhs", "routing", "wallet", "totp", "api key", "bearer", "basic",  # noqa: E501
    "national id", "cpf", "my religion is", "salary:", "fingerprint", "dna", "patient", "was diagnosed with", "Meine Mutter hat", "order", "id=",  # noqa: E501
    "2026-11-15 10:20:30,123 INFO", '{"phone": "', '"}', "the kettle is blue", "took 4711 ms", "rows=10", "trace=8f14e45fceea167a9d", "und", ", ",  # noqa: E501
)  # fmt: skip
FIELDS = (None, None, None, "ssn", "phone", "address", "card_number", "religion", "password", "dob", "diagnosis", "ip", "wallet")  # fmt: skip  # noqa: E501


def _mixed(seed: int, count: int) -> list[tuple[str, str | None]]:
    """Return texts of values and words, whole and cut, with the name of a field now and then."""
    rng = random.Random(seed)
    made = []
    for _ in range(count):
        parts = []
        for _ in range(rng.randint(1, 5)):
            part = rng.choice(rng.choice((VALUES, WORDS)))
            cut = rng.randrange(len(part)) if rng.random() < 0.25 else 0
            part = part[cut:] if rng.random() < 0.5 else part[: len(part) - cut]
            if rng.random() < 0.3:
                part = "".join(rng.choice("0123456789") if char.isdigit() else char for char in part)
            parts.append(part)
        made.append((rng.choice(("", " ", " ", "\n", ": ")).join(parts), rng.choice(FIELDS)))
    return made


def _ungated(view: View) -> list[object]:
    return [hit for find, _ in engine.finds_of(NEWEST) for hit in find(view)]


@pytest.mark.parametrize("seed", range(4))
def test_gates_never_change_what_is_found(seed: int):
    """Every rule run on every text finds what the called ones find, in the same order."""
    found = 0
    for text, field in _mixed(seed, 1_000):
        hits = engine._hits(View(text, field))
        assert hits == _ungated(View(text, field)), (text, field)
        found += len(hits)
    assert found > 500  # else the texts would prove nothing


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="0123456789-. +()/AZaxb:,@_=%#'\"<>\tß電市é", max_size=60))
def test_gates_never_change_what_is_found_in_any_text(text: str):
    assert engine._hits(View(text)) == _ungated(View(text))


def test_the_pattern_of_all_names_is_no_narrower_than_any_of_them():
    """Which modules a field calls is asked name by name only where that pattern finds something."""
    rng = random.Random(5)
    words = [
        *FIELDS[3:], "thing", "17", "user", "home", "national_id", "icd10", "mother_maiden_name", "wachtwoord", "dna",
        "hobby", "diagnosen", "facial_data_x", "numero_de_cuenta", "my_password_2", "宗教", "диагноз", "salary", "tin",
    ]  # fmt: skip
    called = 0
    for _ in range(400):
        field = "_".join(rng.choice(words) for _ in range(rng.randint(1, 3)))
        bits = 0
        for number, gate in enumerate(gates.GATES.values()):
            if any(cue.names(field) for cue in gate.cues) or any(name.search(field) for name in gate.fields):
                bits |= 1 << number
        assert gates.called_by(field) == bits, field
        called += bits > 0
    assert 100 < called < 400


def test_a_gate_closes():
    """A plain text calls nothing, a number calls few, and a phrase calls only when all of it is there."""
    assert gates.called(View("The train was late again, so we walked along the river.")) == 0
    people = gates.BIT[people_rules]
    assert gates.called(View("took 12 ms")) == 0
    assert not gates.called(View("my kettle is blue")) & people
    assert gates.called(View("my name is Ana")) & people


@pytest.mark.parametrize(
    ("text", "shape", "joined"),
    [
        ("Ab 12-3\t(4)", "Aa 00-0 (0)", "Aa0000"),
        ("é 電1", "a ? 0", "a?0"),  # the view sets a number apart from a script without spaces
        ("１２", "00", "00"),
        ("", "", ""),
    ],
)
def test_the_shape_of_a_text(text: str, shape: str, joined: str):
    view = View(text)
    assert (view.shape, view.joined) == (shape, joined)
    assert len(view.shape) == len(view.text)


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="ab1-_ .é=", max_size=60), st.integers(2, 6))
def test_runs_are_what_a_pattern_finds(text: str, least: int):
    view = View(text)
    expected = [match.span() for match in re.finditer(rf"[a-z0-9_]{{{least},}}", view.text)]
    table = run_of("a-z0-9_")
    assert list(view.runs(table, least)) == expected
    assert view.has_run(table, least) == bool(expected)


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="abcAB1-_' é\n", max_size=60))
def test_words_are_the_same_however_they_are_read(text: str):
    view = View(text)
    assert set(view.vocabulary) == set(re.findall(r"[^\W\d_][^\W\d_]+", view.lower)) == set(view.words)
    for word, places in view.ending(("b", "c"), 2):
        assert places == view.words[word]


def test_a_phrase_is_found_wherever_its_parts_are():
    cue = Cue(["snarfel number*", "snarfel-code", "snarfel"])
    assert not cue.in_text(View("nothing here"))
    text = "snarfel, snarfel number 5, Snarfel-Code, xsnarfel, snarfeles, snarfel_numbers"
    said = [text.lower()[start:end] for start, end in cue.occurrences(View(text))]
    assert said == ["snarfel", "snarfel number", "snarfel-code", "snarfel_number"]
    phrase = Cue(["grimbol number*"])
    assert not phrase.in_text(View("grimbol of any kind"))
    assert phrase.in_text(View("grimbol of a number"))  # both are there: the pattern decides
    assert list(phrase.occurrences(View("grimbol of a number"))) == []


def _steps(text: str) -> int:
    """Return how many calls reading a text takes: a measure of work that no clock is needed for."""
    count = 0

    def seen(*_: object) -> None:
        nonlocal count
        count += 1

    sys.setprofile(seen)
    try:
        detect(text)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("name", HOSTILE)
def test_twice_the_text_is_twice_the_work(name: str):
    piece = HOSTILE[name]
    once, twice = piece * (1_500 // len(piece) + 1), piece * (3_000 // len(piece) + 2)
    detect(twice)  # patterns are compiled when first used
    detect(once)
    assert _steps(twice + " ") <= 2.4 * _steps(once + " ") + 400
