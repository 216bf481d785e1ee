"""Telephone numbers: patterns propose, the phonenumbers library decides.

Pure. The library is imported only when something was proposed. Without a cue a number must carry its country (`+44`),
or be written in the national grouping the library itself would print; a bare run of digits is never a phone by
itself. What would hurt: letting the library search the text, which finds thousands of numbers in a megabyte of logs.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from mace.governance.detectors.cards import DUMP_BEFORE
from mace.governance.detectors.cues import Cue
from mace.governance.detectors.findings import Hit, Rule, words
from mace.governance.detectors.late import late
from mace.governance.detectors.view import View

RULES = {
    "phone.international": Rule("phone", 1),
    "phone.national": Rule("phone", 1),
    "phone.cued": Rule("phone", 1),
}

CUE = Cue(
    ["phone*", "telephone*", "tel", "telefon*", "telefoon*", "tlf", "mobile", "mob", "cell", "cellphone*", "cellular",
     "whatsapp", "fax", "sms", "handy", "mobil", "mobiel", "mobilnummer*", "handynummer*", "rufnummer*", "movil",
     "celular", "cellulare", "portable", "gsm", "puhelin*", "numer telefonu", "call me", "call us", "call her",
     "call him", "call them", "reach me", "reach us", "reach him", "reach her", "text me", "ring me", "ring us",
     "dial", "contact number", "my number", "numero de tel*", "ligue", "appelez*", "appeler*", "appelle moi",
     "rufen sie", "ruf mich", "bel me", "llamame", "hotline", "телефон*", "тел", "电话", "手机", "電話", "携帯",
     "전화*", "휴대폰*", "هاتف", "फोन", "τηλεφωνο*", "τηλ"],
    fields=["phone", "phones", "phone_?(?:no|num|number)", "tel", "telephone", "mobile", "mobile_?(?:no|num|number)",
            "cell", "cell_?phone", "cellphone", "fax", "msisdn", "whatsapp", "telefon", "telefono", "telefone",
            "contact_?number", "handy", "movil", "celular", "gsm"],
)  # fmt: skip

_GAP = r"[ \t\r\n.\-_/|,*~()]{0,3}+"
_INTERNATIONAL = late(r"\+(?<![^\W\d]\+)(?<!\+\+)\s?[1-9](?:[ \t\r\n.\-()/]{0,3}+[0-9]){6,15}(?![0-9])")
# Each starts at a literal sign, which is found far quicker than any digit; the rest is read from there.
_NANP = (
    late(r"-\s?[2-9][0-9]{2}-\s?[0-9]{4}(?![0-9]|[\-.][0-9])"),
    late(r"\.[2-9][0-9]{2}\.[0-9]{4}(?![0-9]|[\-.][0-9])"),
)
_NANP_AREA = late(r"(?<![\w.+\-/=])(?:(?:00)?1[\-. ])?[2-9][0-9]{2}$")
_NANP_PAREN = late(r"\((?<![\w]\()[2-9][0-9]{2}\)[\s\-.]{0,2}[2-9][0-9]{2}[\-.\s]{1,2}[0-9]{4}(?![0-9]|[\-.][0-9])")
_TRUNK = late(
    r"[(0](?<![\w.+\-/:,=#][(0])(?<![0-9]\s[(0])(?:(?<=\()0)?[1-9][0-9]{0,4}\)?"
    r"(?:(?:\s[0-9]{2,8}){1,5}|(?:[\-/]\s?[0-9]{2,8}){1,4}|(?:\.[0-9]{2,8}){2,4})(?![\w]|[.:/\-,\s]{1,2}[0-9])"
)
_CUED = late(rf"(?<![\w+])[(\[]?\+?[0-9](?:{_GAP}[0-9]){{6,14}}(?![0-9])")
_DATE = late(r"[0-9]{1,2}([./\- ])[0-9]{1,2}\1(?:19|20)[0-9]{2}|(?:19|20)[0-9]{2}([./\-])[0-9]{1,2}\2[0-9]{1,2}")
_SAID_AFTER = late(r"\s(?:is|was)\s(?:(?:my|his|her|our|the|their|a)\s)?(?:\w{1,12}\s)?$|\s?\($")
_OTHER_NAME = late(r"\w\w(?:=|\"\s?:)\s?\"?$")
_TRUNK_ZERO = late(r"\(0\)")

# Where a number without its country may be at home: the regions whose people write numbers most.
_REGIONS = words(
    """
    US GB DE FR IT ES NL BE AT CH AU JP IN BR CN KR SE NO DK FI PL PT IE CZ HU RO GR TR RU UA ZA MX AR CL CO NZ SG
    HK TW MY ID PH TH VN IL AE EG NG KE PK BD
    """
)
_TRUNK_REGIONS = words(
    """
    GB DE FR NL BE AT CH AU JP KR IE ZA NZ SE IN TR IL FI EG ID MY TH VN TW PH NG KE PK RO UA
    """
)


@lru_cache(maxsize=4096)
def _valid_international(number: str, possible_suffices: bool) -> bool:
    library = _library()
    try:
        parsed = library.parse(number, None)
    except library.NumberParseException:
        return False
    return bool(library.is_valid_number(parsed) or (possible_suffices and library.is_possible_number(parsed)))


@lru_cache(maxsize=4096)
def _valid_somewhere(digits: str, regions: tuple[str, ...], possible_suffices: bool) -> bool:
    library = _library()
    for region in regions:
        try:
            parsed = library.parse(digits, region)
        except library.NumberParseException:
            continue
        if library.is_valid_number(parsed) or (possible_suffices and library.is_possible_number(parsed)):
            return True
    return False


@lru_cache(maxsize=4096)
def _printed_so(groups: tuple[str, ...]) -> bool:
    """Say whether some region's library format of these digits has exactly these groups."""
    library = _library()
    for region in _TRUNK_REGIONS:
        try:
            parsed = library.parse("".join(groups), region)
        except library.NumberParseException:
            continue
        if library.is_valid_number(parsed):
            printed = library.format_number(parsed, library.PhoneNumberFormat.NATIONAL)
            if tuple(re.findall("[0-9]+", printed)) == groups:
                return True
    return False


def _library() -> Any:
    import phonenumbers

    return phonenumbers


def find(view: View) -> Iterator[Hit]:
    """Yield the telephone numbers in a view."""
    if view.digits < 6:
        return
    text = view.text
    if "+" in text:
        for match in _INTERNATIONAL.finditer(text):
            yield from _international(view, match)
    for start, end in _american(text):
        digits = re.sub("[^0-9]", "", text[start:end]).removeprefix("00")
        if _valid_somewhere(digits, ("US",), CUE.near(view, start, end)):
            yield Hit("phone.national", start, end)
    for match in _TRUNK.finditer(text):
        groups = tuple(re.findall("[0-9]+", match.group()))
        if DUMP_BEFORE.search(text[max(0, match.start() - 20) : match.start()]) is not None:
            continue
        if sum(map(len, groups)) >= 9 and _DATE.match(text, match.start()) is None and _printed_so(groups):
            yield Hit("phone.national", *match.span())
    if CUE.names(view.field) or CUE.in_text(view):
        yield from _cued(view)


def _american(text: str) -> Iterator[tuple[int, int]]:
    """Yield the places written like numbers of the North American plan."""
    for pattern in _NANP:
        for match in pattern.finditer(text):
            area = _NANP_AREA.search(text[max(0, match.start() - 8) : match.start()])
            if area is not None:
                yield match.start() - len(area.group()), match.end()
    for match in _NANP_PAREN.finditer(text):
        yield match.span()


def _international(view: View, match: re.Match[str]) -> Iterator[Hit]:
    """Yield the longest beginning of a proposal that the library accepts, cut only between groups.

    Written in three groups or more, or near a cue, a number need only be possible: ranges kept for films and new ones
    are not in the library's tables.
    """
    start = match.start()
    ends = [group.end() for group in re.finditer("[0-9]+", match.group())]
    for count in range(len(ends), max(0, len(ends) - 4), -1):
        end = ends[count - 1]
        number = "+" + re.sub("[^0-9]", "", _TRUNK_ZERO.sub("", match.group()[:end]))
        if count < 3 and start > 0 and view.text[start - 1].isdigit():  # 1+4155552671 is a sum
            break
        loose = count >= 3 or CUE.near(view, start, start + end, before=32, after=0)
        if (8 if loose else 11) <= len(number) <= 16 and _valid_international(number, loose):
            yield Hit("phone.international", start, start + end)
            return


def _cued(view: View) -> Iterator[Hit]:
    """Yield the first number after each cue, and one right before it that is said to be it."""
    text = view.text
    if CUE.names(view.field):
        yield from _number_at(text, _CUED.search(text, 0, 60))
    for at, end in CUE.occurrences(view):
        match = _CUED.search(text, end, end + 72)
        if match is not None and match.start() - end <= 48 and _speaks_for(text[end : match.start()]):
            yield from _number_at(text, match)
        left = text[max(0, at - 40) : at]
        said = _SAID_AFTER.search(left)
        if said is not None:
            for match in _CUED.finditer(text, at - len(left), at - len(said.group())):
                if match.end() == at - len(said.group()):
                    yield from _number_at(text, match)


def _speaks_for(between: str) -> bool:
    """Say whether a cue still speaks for a number: no other number and no other name (`call_id=`) stands between."""
    return sum(char.isdigit() for char in between) < 6 and _OTHER_NAME.search(between) is None


def _number_at(text: str, match: re.Match[str] | None) -> Iterator[Hit]:
    if match is None or _DATE.match(text, match.start()):
        return
    digits = re.sub("[^0-9]", "", match.group())
    if _valid_somewhere(digits, tuple(_REGIONS), True):
        yield Hit("phone.cued", match.start() + (text[match.start()] in "(["), match.end())
