"""Disguised values are found, and the span is that of the disguise in the original text."""

import pytest

from mace.governance.detectors import detect

PLAIN = [
    ("ssn ", "123-45-6789", "us_ssn"),
    ("card ", "4111 1111 1111 1111", "payment_card"),
    ("", "4111-1111-1111-1111", "payment_card"),
    ("to ", "GB82WEST12345698765432", "iban"),
    ("tel ", "+44 20 7946 0958", "phone"),
    ("mail ", "jane@example.org", "email"),
    ("CPF ", "390.533.447-05", "national_id"),
    ("PESEL ", "44051401359", "national_id"),
    ("born ", "1979-03-14", "birth_date"),
]
DIGITS = ("０１２３４５６７８９", "٠١٢٣٤٥٦٧٨٩", "۰۱۲۳۴۵۶۷۸۹", "०१२३४५६७८९", "𝟎𝟏𝟐𝟑𝟒𝟓𝟔𝟕𝟖𝟗", "⓪①②③④⑤⑥⑦⑧⑨")


def _digits(alphabet: str):
    return lambda value: value.translate({ord(str(at)): char for at, char in enumerate(alphabet)})


def _broken(value: str) -> str:
    for sign in (" ", "-", "@", "."):
        if sign in value:
            return value.replace(sign, sign + "\n", 1)
    return value[: len(value) // 2] + "\n" + value[len(value) // 2 :]


DISGUISES = {
    **{f"digits {alphabet[1]}": _digits(alphabet) for alphabet in DIGITS},
    "zero width": lambda value: "\u200b".join(value),
    "joiners": lambda value: "\u2060\u200d".join(value),
    "soft hyphens": lambda value: "\u00ad".join(value),
    "full width": lambda value: "".join(chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in value),
    "dashes": lambda value: value.replace("-", "—").replace(" ", "\u00a0"),
    "decimal references": lambda value: "".join(f"&#{ord(char)};" for char in value),
    "hex references": lambda value: "".join(f"&#x{ord(char):X};" for char in value),
    "twice escaped": lambda value: "".join(f"&amp;#{ord(char)};" for char in value),
    "percent": lambda value: "".join(f"%{ord(char):02X}" for char in value),
    "unicode escapes": lambda value: "".join(f"\\u{ord(char):04x}" for char in value),
    "line break": _broken,
    "combining": lambda value: "".join(char + "\u0332" if char.isdigit() else char for char in value),
}


@pytest.mark.parametrize("disguise", DISGUISES)
@pytest.mark.parametrize(("lead", "value", "kind"), PLAIN)
def test_a_disguise_does_not_hide_it(disguise: str, lead: str, value: str, kind: str):
    hidden = DISGUISES[disguise](value)
    text = f"{lead}{hidden} ."
    found = [finding for finding in detect(text) if finding.type == kind]
    assert [text[finding.start : finding.end].rstrip("\u0332") for finding in found] == [hidden.rstrip("\u0332")]


@pytest.mark.parametrize("sign", [*"./_|,*~#", "  ", " - ", "\t", " . ", "--", "·", "•"])
def test_odd_separators_do_not_hide_a_number_with_a_cue(sign: str):
    for cue, groups, kind in (
        ("SSN", ["123", "45", "6789"], "us_ssn"),
        ("card", ["4111", "1111", "1111", "1111"], "payment_card"),
        ("CPF", ["390", "533", "447", "05"], "national_id"),
    ):
        value = sign.join(groups)
        text = f"{cue} {value} thanks"
        assert [text[f.start : f.end] for f in detect(text) if f.type == kind] == [value]


@pytest.mark.parametrize("value", ["1 2 3 4 5 6 7 8 9", "1-2-3-4-5-6-7-8-9", "12 34 56 78 9"])
def test_digits_one_by_one_do_not_hide_a_number_with_a_cue(value: str):
    text = f"my ssn: {value}"
    assert [text[f.start : f.end] for f in detect(text) if f.type == "us_ssn"] == [value]


def test_a_cue_word_may_be_disguised_too():
    assert [finding.type for finding in detect("s\u200bｓn 123456789")] == ["us_ssn"]
