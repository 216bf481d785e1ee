"""Rules of version 2: floats are left alone, the larger languages are read, older versions still decide."""

import base64
import json
import random

import pytest

from detected import found
from mace.governance.detectors import LOW, detect, detect_json, engine
from mace.governance.detectors.view import NEWEST, View


def test_no_float_is_personal_data():
    rng = random.Random(2_024)
    for _ in range(4_000):
        value = rng.uniform(-1, 1) * 10 ** rng.choice((0, 0, 0, 1, 3, 8, 12, -4, -9))
        for text in (
            repr(value),
            f"what is {value!r} * 2",
            f"loss={value:.17g}",
            json.dumps({"x": value, "y": [value]}),
        ):
            assert found(text) == set(), text
        assert [item for item in detect_json({"value": value}) if item.finding.sensitivity != LOW] == []


def test_a_card_after_an_enumeration_is_still_a_card():
    assert found("my card: 1.4111111111111111") == {("payment_card", "4111111111111111")}
    assert found("4111.1111.1111.1111") == {("payment_card", "4111.1111.1111.1111")}


def test_version_1_decides_as_it_did():
    """A job that was recorded before is replayed with the rules of its time."""
    assert [item.type for item in detect("what is 0.4221165755827173 * 2", version=1)] == ["payment_card"]
    assert detect("what is 0.4221165755827173 * 2") == []
    assert detect("電話は090-1234-5678です", version=1) != detect("電話は090-1234-5678です")
    assert detect("My religion is Catholic.", version=1) == []


@pytest.mark.parametrize(
    "text",
    [
        "upgrade from 8.5.3.60 to 8.5.3.72",
        "BIOS 1.62.4.90",
        "driver version 61.4.12.90 installed",
        "firmware 1.88.3.201",
    ],
)
def test_a_release_is_no_address(text: str):
    assert found(text) == set()


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("call me 0171 2345678", "phone", "0171 2345678"),
        ("txt me 07911 123456 when ur here", "phone", "07911 123456"),
        ("電話番号は090-1234-5678です。", "phone", "090-1234-5678"),
        ("my number is five five five eight six seven five three oh nine", "phone",
         "five five five eight six seven five three oh nine"),
        ("call me at 001-547-812-8191x12", "phone", "001-547-812-8191x12"),
        ("lost my card 180044678124587", "payment_card", "180044678124587"),
        ("Urodziłem się 3 marca 1985 r.", "birth_date", "3 marca 1985 r."),
        ("Nací el 3 de marzo de 1985.", "birth_date", "3 de marzo de 1985"),
        ("geb. 14 sept 1990 te Gent", "birth_date", "14 sept 1990"),
        ("生年月日は1985年3月14日です。", "birth_date", "1985年3月14日"),
        ("Mieszkam przy ul. Długa 7, 31-147 Kraków.", "postal_address", "ul. Długa 7, 31-147 Kraków"),
        ("Jag bor på Storgatan 12, 114 55 Stockholm.", "postal_address", "Storgatan 12, 114 55 Stockholm"),
        ("我住在北京市朝阳区建国路88号。", "postal_address", "北京市朝阳区建国路88号"),
        ("Meine Mutter hat Brustkrebs.", "diagnosis", "Brustkrebs"),
        ("Tengo asma.", "diagnosis", "asma"),
        ("私は糖尿病と診断されました。", "diagnosis", "糖尿病"),
        ("I had an abortion.", "diagnosis", "abortion"),
        ("Steuer-IdNr.: 02476291358", "national_id", "02476291358"),
        ("Personalausweisnummer L01X00T471", "national_id", "L01X00T471"),
        ("my authenticator secret is JBSWY3DPEHPK3PXP", "access_token", "JBSWY3DPEHPK3PXP"),
        ("My religion is Catholic.", "religion", "Catholic"),
        ("Salary: $84,500", "salary", "$84,500"),
        ("Blood type: O negative", "blood_type", "O negative"),
        ("Fingerabdruck-Template: 9f3ac07be1d24486", "biometric", "9f3ac07be1d24486"),
    ],
)  # fmt: skip
def test_found_whole(text: str, kind: str, value: str):
    assert (kind, value) in found(text)


@pytest.mark.parametrize(
    "text",
    [
        "What are the symptoms of breast cancer?",
        "Was sind die Symptome von Diabetes?",
        "¿Qué es la depresión?",
        "糖尿病とは何ですか。",
        "Religion is a set of beliefs.",
        "Order 512 345 678 shipped",
        "Bestellung 0171 2345678 storniert",
        "Der Krieg endete am 8. Mai 1945.",
        "part no. 3475-9738 rev 6",
        "sin(752458000/43988207)",
        "x = 1, y = 2, union = a | b",
        "ssh key fingerprint 9f3ac07be1d24486aa",
    ],
)
def test_left_alone(text: str):
    assert found(text) == set()


@pytest.mark.parametrize(
    ("value", "paths"),
    [
        ({"label": "phone", "value": "4155552671"}, {("value",)}),
        (["phone", "4155552671"], {(1,)}),
        ([["name", "ssn"], ["ana", "123456789"]], {(1, 1)}),
        ({"card": ["4111", "1111", "1111", "1111"]}, {("card", at) for at in range(4)}),
        ({"ssn1": "123", "ssn2": "45", "ssn3": "6789"}, {("ssn1",), ("ssn2",), ("ssn3",)}),
        ({"religion": "catholic", "salary": 54000}, {("religion",), ("salary",)}),
        (
            {"party": "SPD", "union": "IG Metall", "criminal_record": "theft"},
            {("party",), ("union",), ("criminal_record",)},
        ),
        ({"note": base64.b64encode(b"123-45-6789").decode()}, {("note",)}),
        ({"x": 4111, "y": 1111, "w": 1111, "h": 1111}, set()),
        ({"diagnosis_date": "soon", "party_size": 4}, set()),
    ],
)
def test_names_beside_values_and_values_in_pieces(value: object, paths: set[tuple[str | int, ...]]):
    assert {item.path for item in detect_json(value) if item.finding.sensitivity != LOW} == paths


@pytest.mark.parametrize("text", ["my ssn is &#49;23-45-6789", "&#x31;23-45-6789", "see MTIzLTQ1LTY3ODk= ok"])
def test_disguises(text: str):
    assert [item.type for item in detect(text)] == ["us_ssn"]


def test_an_address_of_a_page_is_seen_and_never_blocked():
    found = detect("see https://example.org/a?b=1.")
    assert [(item.type, item.sensitivity, item.start, item.end) for item in found] == [("url", LOW, 4, 29)]


@pytest.mark.parametrize(
    "text",
    [
        "call me 0171 2345678", "4111 1111 1111 1111", "GB82 WEST 1234 5698 7654 32", "a@b.co", "I have diabetes", "born 1979-03-14",  # noqa: E501
        "Meine Mutter hat Brustkrebs.", "8.8.8.8", "password is hunter2!", "AKIAIOSFODNN7EXAMPLB", "ul. Długa 7, 31-147 Kraków",  # noqa: E501
        "529.982.247-25", "我住在北京市朝阳区建国路88号。", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", "12 Main Street, Springfield, IL 62704",  # noqa: E501
        "MRN 4711081", "passport C01X00T47", "00:11:22:aa:bb:cc", "jane at example dot org", "https://a.b/c", "123-45-6789",  # noqa: E501
    ],
)  # fmt: skip
def test_no_gate_is_narrower_than_its_rules(text: str):
    """What every rule finds without the gates is found with them."""
    view = View(text)
    everything = {hit for find, _ in engine.finds_of(NEWEST) for hit in find(View(text))}
    assert set(engine._hits(view)) == everything
