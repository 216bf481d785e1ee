"""Dates of birth in the larger languages: written out, abbreviated, before the word as well as after it.

Pure. `births.py` knows the plain forms; this one reads months by name from a table, Japanese eras, and dates that the
word follows (`am 3. März 1985 geboren`). A date without a word for being born stays only a date.
"""

import re
from collections.abc import Iterator

from mace.governance.detectors.birth_words import BIRTH_FIELDS, BIRTH_WORDS, MONTHS
from mace.governance.detectors.cues import Cue
from mace.governance.detectors.findings import Hit, Rule
from mace.governance.detectors.late import late
from mace.governance.detectors.view import View

RULES = {"birth.written": Rule("birth_date", 1), "birth.written_day": Rule("birth_day", 1)}

_CUE = Cue(BIRTH_WORDS, fields=BIRTH_FIELDS)
CUES = (_CUE,)

AHEAD = 48  # characters after a word for being born in which the date may begin
BEHIND = 14  # characters between a date and a word that follows it

_SMALL = r"(?:of|de|del|di|do|den|der|the|da|d'|i)"
_YEAR = r"(?:19[0-9]{2}|20[0-9]{2})"
_SHORT_YEAR = rf"(?:{_YEAR}|'[0-9]{{2}}(?![0-9])|[0-9]{{2}}(?![0-9.:/]))"
_NAME = r"[^\W\d_](?:[^\W\d_]|[\u0900-\u0963]){2,13}"
_DATE = late(
    rf"(?<![0-9])(?:"
    rf"(?P<day>[0-3]?[0-9])(?:st|nd|rd|th|er|re|eme|\.|º|ª|o|:e|:a)?[\s\-]{{0,2}}"
    rf"(?:{_SMALL}\s)?(?P<a>{_NAME})\.?,?[\s\-]{{0,2}}"
    rf"(?:{_SMALL}\s)?{_SHORT_YEAR}(?:\s?(?:года|roku|r\.|г\.|sene))?"
    rf"|(?P<b>{_NAME})\.?\s{{1,2}}(?:the\s)?[0-3]?[0-9](?:st|nd|rd|th)?(?:,\s{{0,2}}|\s{{1,2}}){_SHORT_YEAR}"
    rf"|{_YEAR}[\s.,\-]{{1,2}}(?P<c>{_NAME})\.?[\s\-]{{1,2}}[0-3]?[0-9](?![0-9])"
    rf"|(?:昭和|平成|令和|大正)\s?(?:[0-9]{{1,2}}|元)\s?年\s?[01]?[0-9]\s?月\s?[0-3]?[0-9]\s?日"
    rf"|(?:{_YEAR}|[0-9]{{2}}(?=\s?년))\s?[年년]\s?[01]?[0-9]\s?[月월]\s?[0-3]?[0-9]\s?[日일号號]"
    rf"|{_YEAR}\s?[./\-]\s?[01]?[0-9]\s?[./\-]\s?[0-3]?[0-9]"
    rf"|[0-3]?[0-9]\s?[./\-]\s?[0-3]?[0-9]\s?[./\-]\s?(?:{_YEAR}|[0-9]{{2}})"
    rf")(?![0-9])",
    re.I,
)
_DAY = late(
    rf"(?<![\w.])(?:[0-3]?[0-9](?:\.|º|er)?\s(?:{_SMALL}\s)?(?P<a>{_NAME})|[01]?[0-9]\s?[月월]\s?[0-3]?[0-9]\s?[日일])"
)
_SENTENCE = late(r"[.!?。]\s(?=[A-Z])|[!?。]|\n\n")
_AFTERWARDS = late(
    r"(?:geb|zur|urodz|rozen|dog|doğ|生|出生|誕|うま|일|생|日生|जन्म|पैदा|태어|출생|born|"
    r"roden|szul|род|is my b|nasc|naci|nat[oa]|ne[e ]|fod)"
)


def find(view: View) -> Iterator[Hit]:
    """Yield the dates of birth in a view."""
    if not view.has_digit:
        return
    text = view.text
    if _CUE.names(view.field):
        yield from _first(text, 0, min(len(text), 80))
    if not _CUE.in_text(view):
        return
    done = 0
    for at, end in _CUE.occurrences(view):
        if end < done:
            continue
        stop = _SENTENCE.search(text, end, min(len(text), end + AHEAD))
        limit = stop.start() if stop is not None and stop.start() > end + 8 else min(len(text), end + AHEAD)
        found = list(_first(text, end, limit, reach=28))
        if found:
            done = found[0].end
            yield found[0]
        elif _AFTERWARDS.match(view.lower, at) is not None:
            yield from _before(text, at)


def _is_date(match: re.Match[str]) -> bool:
    name = match.groupdict().get("a") or match.groupdict().get("b") or match.groupdict().get("c")
    return name is None or name.lower() in MONTHS


def _first(text: str, start: int, limit: int, reach: int = 0) -> Iterator[Hit]:
    """Yield the first date that begins between `start` and `limit`; with the day alone it is a low one."""
    stop = min(len(text), limit + reach)
    for match in _DATE.finditer(text, start, stop):
        if match.start() <= limit and _is_date(match):
            yield Hit("birth.written", *match.span())
            return
    for match in _DAY.finditer(text, start, stop):
        name = match["a"]
        if match.start() <= limit and (name is None or name.lower() in MONTHS):
            yield Hit("birth.written_day", *match.span())
            return


def _before(text: str, at: int) -> Iterator[Hit]:
    """Yield a date right before the word: `3 Mart 1985 doğumluyum`, `am 3. März 1985 geboren`."""
    last = None
    for match in _DATE.finditer(text, max(0, at - 60), min(len(text), at + 1)):
        if _is_date(match) and at - match.end() <= BEHIND and _SENTENCE.search(text, match.end(), at) is None:
            last = match
    if last is not None:
        yield Hit("birth.written", *last.span())
