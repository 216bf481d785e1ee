"""Dates of birth: a date after a word for being born.

Pure. With a year it is medium, without one low. Years before 1900 belong to nobody alive, and a date without the word
is only a date.
"""

import re
from collections.abc import Iterator

from mace.governance.detectors.cues import Cue
from mace.governance.detectors.findings import Hit, Rule
from mace.governance.detectors.late import late
from mace.governance.detectors.view import View

RULES = {
    "birth.date": Rule("birth_date", 1),
    "birth.day": Rule("birth_day", 1),
}

_CUE = Cue(
    ["born", "dob", "d.o.b", "date of birth", "birth date", "birthdate", "birthday", "bday", "birth day",
     "geburtsdatum", "geboren", "geburtstag", "geb", "date de naissance", "ne le", "nee le", "naissance",
     "fecha de nacimiento", "nacido", "nacida", "nacimiento", "data di nascita", "nato il", "nata il",
     "data de nascimento", "nascido", "nascida", "nascimento", "geboortedatum", "geboren op", "fodelsedatum", "fodt",
     "fodselsdato", "syntymaaika", "syntynyt", "data urodzenia", "urodzony", "urodzona", "datum narozeni", "narozen",
     "dogum tarihi", "дата рождения", "родился", "родилась", "出生*", "生年月日", "生日", "생년월일", "تاريخ الميلاد",
     "תאריך לידה"],
    fields=["dob", "date_?of_?birth", "birth_?date", "birthday", "birth_?day", "geburtsdatum", "geburtstag",
            "date_?de_?naissance", "fecha_?de_?nacimiento", "fecha_?nacimiento", "data_?di_?nascita",
            "data_?de_?nascimento", "data_?nascimento", "geboortedatum", "born", "born_?on"],
)  # fmt: skip

_MONTH = (
    r"(?:jan(?:uary|uar|vier)?|feb(?:ruary|ruar)?|fevr?(?:ier)?|mar(?:ch|s|zo)?|marz|maerz|apr(?:il|ile)?|"
    r"avr(?:il)?|may|mai|maggio|mayo|mei|june?|juni|juin|giugno|junio|july?|juli|juillet|luglio|julio|aug(?:ust|"
    r"ustus)?|aout|agosto|sep(?:t(?:ember|embre)?)?|settembre|septiembre|o[ck]t(?:ober|obre)?|ottobre|octubre|"
    r"nov(?:ember|embre)?|noviembre|de[cz](?:ember|embre)?|dicembre|diciembre|enero|febrero|febbraio|gennaio|"
    r"janeiro|fevereiro|marco|abril|maio|junho|julho|setembro|outubro|novembro|dezembro)"
)
_YEAR = r"(?:19[0-9]{2}|20[0-9]{2})"
_SEP = r"\s{0,2}[./\-_ |,]\s{0,2}"
_DATE = late(
    rf"(?<![0-9])(?:{_YEAR}{_SEP}[01]?[0-9]{_SEP}[0-3]?[0-9]|[0-3]?[0-9]{_SEP}[0-3]?[0-9]{_SEP}(?:{_YEAR}|"
    rf"[0-9]{{2}})|[0-3]?[0-9](?:st|nd|rd|th|\.|º)?\s{{0,2}}(?:of\s|de\s|di\s)?\s?{_MONTH}\.?,?\s{{0,2}}(?:de\s|"
    rf"di\s|of\s)?[\s\-]?{_YEAR}|{_MONTH}\.?\s{{0,2}}[0-3]?[0-9](?:st|nd|rd|th)?\s{{0,2}},?\s{{0,2}}{_YEAR}|"
    rf"{_YEAR}年[01]?[0-9]月[0-3]?[0-9]日|{_YEAR}년\s?[01]?[0-9]월\s?[0-3]?[0-9]일|{_YEAR}[01][0-9][0-3][0-9])(?![0-9])",
    re.I,
)
_DAY = late(
    rf"(?<![\w])(?:[0-3]?[0-9](?:st|nd|rd|th|\.)?\s(?:of\s|de\s)?{_MONTH}|{_MONTH}\.?\s[0-3]?[0-9](?:st|nd|rd|"
    rf"th)?)(?![\w])",
    re.I,
)
AHEAD = 40


def find(view: View) -> Iterator[Hit]:
    """Yield the dates of birth in a view."""
    if not view.has_digit:
        return
    text = view.text
    if _CUE.names(view.field):
        yield from _in(text, 0, min(len(text), 80))
    if _CUE.in_text(view):
        done = 0
        for _, end in _CUE.occurrences(view):
            if end < done:
                continue
            for hit in _in(text, end, min(len(text), end + AHEAD + 24)):
                if hit.start <= end + AHEAD:
                    done = hit.end
                    yield hit


def _in(text: str, start: int, end: int) -> Iterator[Hit]:
    match = _DATE.search(text, start, end)
    if match is not None:
        yield Hit("birth.date", *match.span())
        return
    match = _DAY.search(text, start, end)
    if match is not None:
        yield Hit("birth.day", *match.span())
