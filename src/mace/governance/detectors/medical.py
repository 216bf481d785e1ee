"""Medical record and health insurance numbers: a word, then the number; checks where the number has one.

Pure. Record numbers are given out by each hospital as it likes, so the word leads directly to the value. NHS, Medicare
and German insurance numbers are checked.
"""

import re
from collections.abc import Callable, Iterator

from mace.governance.detectors.checks import compact
from mace.governance.detectors.cues import LEAD, SEP, Cue
from mace.governance.detectors.findings import Hit, Rule
from mace.governance.detectors.late import late
from mace.governance.detectors.validators import stdnum_valid
from mace.governance.detectors.view import View

RULES = {
    "medical_record.cued": Rule("medical_record", 2),
    "medical_record.nhs": Rule("medical_record", 1),
    "health_insurance.cued": Rule("health_insurance", 2),
    "health_insurance.mbi": Rule("health_insurance", 1),
    "health_insurance.kvnr": Rule("health_insurance", 1),
    "health_insurance.medicare_au": Rule("health_insurance", 1),
}

_RECORD = Cue(
    ["mrn", "medical record*", "med rec*", "patient id*", "patient no*", "patient number*", "patient identifier*",
     "hospital number*", "hospital no*", "chart number*", "chart no*", "health record*", "patientennummer*",
     "patient mrn", "numero de dossier medical", "historia clinica", "cartella clinica", "prontuario*",
     "病历号*", "病歷號*"],
    fields=["mrn", "medical_?record(?:_?(?:no|num|number|id))?", "patient_?(?:id|no|num|number|identifier)",
            "chart_?(?:no|number)", "hospital_?(?:no|number)"],
)  # fmt: skip
_NHS_CUE = Cue(["nhs"], fields=["nhs(?:_?(?:no|num|number))?"])
_INSURANCE = Cue(
    ["health insurance*", "medical insurance*", "insurance number*", "insurance no*", "insurance id*",
     "insurance policy*", "insurance member*", "health plan*", "insurance card*", "insurance #*", "policy number*",
     "policy no*", "medicare*", "medicaid*", "mbi", "hicn", "beneficiary id*", "krankenversicher*",
     "versichertennummer*", "krankenkass*", "kvnr", "health card*", "ohip", "carte vitale", "seguro medico",
     "tarjeta sanitaria", "tessera sanitaria", "zorgverzekering*", "polisnummer*", "numero de police",
     "numero de assure"],
    fields=["health_?insurance(?:_?(?:no|num|number|id))?", "insurance_?(?:no|num|number|id|policy|member_?id)",
            "policy_?(?:no|num|number)", "medicare(?:_?(?:no|num|number|id))?", "mbi",
            "medicaid(?:_?id)?", "versichertennummer", "kvnr", "health_?card"],
)  # fmt: skip
_VALUE = late(
    rf"[^\W\d_]{{0,10}}{LEAD}([A-Za-z]{{0,4}}[\-]?[0-9][A-Za-z0-9]?(?:[ \-./]?[0-9A-Za-z]){{3,18}})(?![A-Za-z0-9])",
    re.I,
)
_DECLARED_VALUE = late(r"\s*([A-Za-z]{0,4}[\-]?[0-9][A-Za-z0-9]?(?:[ \-./]?[0-9A-Za-z]){1,18})(?![A-Za-z0-9])")
_NUMBER = late(r"[A-Za-z]{0,4}-?[0-9](?:[ \-./]?[0-9]){3,15}+[A-Za-z]?(?!-?[A-Za-z0-9])|[A-Za-z0-9\-]{5,20}")

_YEAR_OR_DATE = late(r"(?:19|20)[0-9]{2}(?:[ \-./][0-9]{1,2}){0,2}|[0-9]{1,2}[ \-./][0-9]{1,2}[ \-./](?:19|20)[0-9]{2}")
_MBI = late(
    r"(?<![A-Za-z0-9])[1-9][AC-HJKMNP-RT-Y][AC-HJKMNP-RT-Y0-9][0-9]-?[AC-HJKMNP-RT-Y][AC-HJKMNP-RT-Y0-9][0-9]-?"
    r"[AC-HJKMNP-RT-Y]{2}[0-9]{2}(?![A-Za-z0-9])"
)
_NHS = late(rf"(?<![0-9A-Za-z])[0-9](?:{SEP}[0-9]){{9}}(?![0-9A-Za-z])")
_KVNR = late(r"(?<![A-Za-z0-9])[A-Za-z][0-9]{9}(?![A-Za-z0-9])")
_MEDICARE_AU = late(r"(?<![0-9A-Za-z])[2-6][0-9]{3}[ \-]?[0-9]{5}[ \-]?[0-9](?![0-9A-Za-z])")


def kvnr_checks(number: str) -> bool:
    """Say whether a letter and nine digits are a German insurance number: letter worth two digits, weights 1 2."""
    digits = f"{ord(number[0]) - 64:02}{number[1:9]}"
    products = (int(digit) * (1, 2)[index % 2] for index, digit in enumerate(digits))
    return sum(sum(divmod(product, 10)) for product in products) % 10 == int(number[9])


def medicare_au_checks(number: str) -> bool:
    """Say whether ten digits are an Australian Medicare number: weights 1 3 7 9 over the first eight."""
    return sum(int(d) * (1, 3, 7, 9)[i % 4] for i, d in enumerate(number[:8])) % 10 == int(number[8])


def find(view: View) -> Iterator[Hit]:
    """Yield the record and insurance numbers in a view."""
    if not view.has_digit:
        return
    for cue, kind in ((_RECORD, "medical_record"), (_INSURANCE, "health_insurance")):
        if cue.names(view.field):
            yield from _value_at(view, 0, f"{kind}.cued", declared=True)
        if cue.in_text(view):
            for _, end in cue.occurrences(view):
                yield from _value_at(view, end, f"{kind}.cued", declared=False)
    yield from _checked(view, _NHS_CUE, _NHS, lambda number: stdnum_valid("gb.nhs", number), "medical_record.nhs")
    if not (_INSURANCE.names(view.field) or _INSURANCE.in_text(view)):
        return
    yield from _checked(view, _INSURANCE, _MBI, lambda number: True, "health_insurance.mbi")
    yield from _checked(view, _INSURANCE, _KVNR, kvnr_checks, "health_insurance.kvnr")
    yield from _checked(view, _INSURANCE, _MEDICARE_AU, medicare_au_checks, "health_insurance.medicare_au")


def _value_at(view: View, at: int, rule: str, declared: bool) -> Iterator[Hit]:
    match = _DECLARED_VALUE.match(view.text) if declared else None  # a field's value begins it: `ABC12345` is whole
    match = match or _VALUE.match(view.text, at, at + 90)
    if match is None:
        return
    start, end = match.span(1)
    narrow = _NUMBER.match(view.text, start)  # "12345678 was opened" ends at the number, "ABC 123 456" goes on
    if narrow is not None:
        end = narrow.end()
    if _YEAR_OR_DATE.fullmatch(view.text, start, end) is not None:
        return
    digits = sum(char.isdigit() for char in view.text[start:end])
    if digits >= 4 or (declared and digits >= 3):
        yield Hit(rule, start, end)


def _checked(view: View, cue: Cue, pattern: re.Pattern[str], check: Callable[[str], bool], rule: str) -> Iterator[Hit]:
    for start, end in cue.windows(view, behind=24, ahead=48):
        for match in pattern.finditer(view.text, start, min(len(view.text), end + 24)):
            if check(compact(match.group())):
                yield Hit(rule, *match.span())
