"""Passports and driving licences: numbers where a word says so, and machine-readable zones that prove themselves.

Pure. Licence and passport numbers have no common form and mostly no check digit, so a cue directly before the number
is required; the word must lead to it with nothing but small words between.
"""

import re
from collections.abc import Iterator

from mace.governance.detectors.cues import LEAD, Cue
from mace.governance.detectors.findings import Hit, Rule
from mace.governance.detectors.late import late
from mace.governance.detectors.view import View

RULES = {
    "passport.cued": Rule("passport", 1),
    "passport.declared": Rule("passport", 1),
    "passport.mrz": Rule("passport", 1),
    "driver_license.cued": Rule("driver_license", 1),
    "driver_license.declared": Rule("driver_license", 1),
}

_PASSPORT = Cue(
    ["passport*", "reisepass*", "passeport*", "pasaporte*", "passaporto*", "passaporte*", "paspoort*", "paszport*",
     "pasaport*", "passnummer*", "passinumero*", "паспорт*", "护照*", "旅券*", "パスポート*", "여권*"],
    fields=["passport(?:_?(?:no|num|number|id))?", "reisepass(?:nummer)?", "pasaporte", "passeport"],
)  # fmt: skip
_LICENSE = Cue(
    ["driver license*", "driver licence*", "drivers license*", "drivers licence*", "driver s license*",
     "driver s licence*", "driving license*", "driving licence*", "dl",
     "dln", "driving permit*", "fuhrerschein*", "permis de conduire", "licencia de conducir", "carnet de conducir",
     "permiso de conducir", "patente di guida", "patente guida", "carta de conducao", "cnh", "rijbewijs*", "korkort*",
     "prawo jazdy", "prawa jazdy", "ajokortti*", "运转免许*", "运転免許*", "運転免許*", "驾照*", "운전면허*"],
    fields=["driver_?s?_?licen[sc]e(?:_?(?:no|num|number|id))?", "driving_?licen[sc]e(?:_?(?:no|num|number))?",
            "dl_?(?:no|num|number)", "dln", "licen[sc]e_?(?:no|num|number)", "fuhrerschein(?:nummer)?"],
)  # fmt: skip

_PASSPORT_VALUE = late(
    LEAD + r"([A-Za-z]{0,3}[ \-]?[0-9][0-9 \-]{4,9}[0-9][A-Za-z]?|[A-Za-z0-9]{7,10})(?![A-Za-z0-9])", re.I
)
_LICENSE_VALUE = late(
    LEAD + r"([A-Za-z]{1,3}[ \-]?[0-9]{2}(?: ?[0-9]|-(?=[A-Za-z]{0,3}[0-9])|[A-Za-z]){2,18}|[0-9](?:[ \-]?[0-9]){5,14}|"
    r"[A-Za-z]{2,5}[0-9]{6}[A-Za-z0-9]{5}|[A-Za-z0-9]{6,18})(?![A-Za-z0-9])",
    re.I,
)
_MRZ = late(
    r"(?<![A-Z0-9<])P[A-Z<][A-Z]{3}[A-Z<]{39}\s{1,3}([A-Z0-9<]{9})([0-9])[A-Z<]{3}([0-9]{6})([0-9])[MFX<]([0-9]{6})"
    r"([0-9])[A-Z0-9<]{14}[0-9<][0-9]"
)
_SAID = late(r"\s?(?:[#:=]|no\b|num|is\b)")  # two letters alone are too little to lead to a number
_REST = late(r"[^\W\d_]{0,12}'?s?")
_DECLARED_VALUE = late(r"\s*([A-Za-z0-9][A-Za-z0-9 \-]{3,20}[A-Za-z0-9])\s*\Z")


def mrz_digit(field: str) -> int:
    """Return the check digit of a field of a machine-readable zone (ICAO 9303)."""
    values = (0 if char == "<" else int(char, 36) for char in field)
    return sum(value * (7, 3, 1)[index % 3] for index, value in enumerate(values)) % 10


def find(view: View) -> Iterator[Hit]:
    """Yield the passport and licence numbers in a view."""
    if not view.has_digit:
        return
    yield from _cued(view, _PASSPORT, _PASSPORT_VALUE, "passport", 5)
    yield from _cued(view, _LICENSE, _LICENSE_VALUE, "driver_license", 4)
    if "P<" in view.text or "<<" in view.text:
        for match in _MRZ.finditer(view.text):
            fields = ((match[1], match[2]), (match[3], match[4]), (match[5], match[6]))
            if all(mrz_digit(field) == int(digit) for field, digit in fields):
                yield Hit("passport.mrz", *match.span())


def _cued(view: View, cue: Cue, value: re.Pattern[str], kind: str, least_digits: int) -> Iterator[Hit]:
    if cue.names(view.field):
        whole = _DECLARED_VALUE.match(view.text)
        if whole is not None and _enough(whole[1], least_digits):
            yield Hit(f"{kind}.declared", *whole.span(1))
    if not cue.in_text(view):
        return
    for at, end in cue.occurrences(view):
        if view.lower[at:end] in ("dl", "dln") and _SAID.match(view.lower, end) is None:
            continue
        end = _word_end(view.lower, end)
        match = value.match(view.text, end, end + 90)
        if match is not None and _enough(match[1], least_digits):
            yield Hit(f"{kind}.cued", *match.span(1))


def _enough(value: str, least_digits: int) -> bool:
    digits = sum(char.isdigit() for char in value)
    return digits >= least_digits and not re.fullmatch(r"(?:19|20)[0-9]{2}[ \-][0-9]{1,2}[ \-][0-9]{1,2}", value)


def _word_end(lower: str, at: int) -> int:
    """Return the end of the word a cue may have stopped within (`passportnumber`, plural, case endings)."""
    match = _REST.match(lower, at)
    return match.end() if match else at
