"""Postal addresses: a street with its number, and the place it lies in.

Pure. A full address has street, number and town with postcode or state; a street and number alone count only after a
word like `live at`. A text is only looked at where a number meets a word, or where a postcode stands, and then word by
word: one pattern for a whole address would try every start against every end. A postcode alone is no address.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator
from itertools import accumulate

from mace.governance.detectors.cues import Cue
from mace.governance.detectors.findings import Hit, Rule
from mace.governance.detectors.late import late
from mace.governance.detectors.streets import LEADING_WORDS, STREET_ENDINGS, STREET_WORDS, US_STATES
from mace.governance.detectors.view import View

RULES = {
    "address.american": Rule("postal_address", 2),
    "address.british": Rule("postal_address", 1),
    "address.european": Rule("postal_address", 1),
    "address.cued": Rule("postal_address", 2),
    "address.declared": Rule("postal_address", 1),
}

_CUE = Cue(
    ["address", "addresses", "live at", "lives at", "living at", "live in", "lives in", "reside*", "residence",
     "ship to", "shipping", "deliver to", "deliver it to", "delivery", "send it to", "parcel", "mail it to",
     "mailing", "billing", "home is", "house is", "moved to", "adresse*", "anschrift", "wohne*", "wohnt", "wohnhaft",
     "habite", "domicile", "demeurant", "direccion", "domicilio", "vivo en", "indirizzo", "abito", "residente",
     "endereco", "moro na", "adres", "woon", "zamieszka*", "адрес*", "地址*", "住所*", "주소*"],
    fields=["address", "street", "street_?address", "home_?address", "postal_?address", "mailing_?address", "addr",
            "shipping_?address", "billing_?address", "adresse", "anschrift", "direccion", "indirizzo", "endereco",
            "domicile", "residence"],
)  # fmt: skip
_NOT_POSTAL = late(
    r"(?:^|_)(?:e_?mail|mail|ip|ipv4|ipv6|mac|wallet|web|url|http|memory|btc|eth|crypto|host|server|network|hardware|"
    r"source|dest|bus|base|start|end|virtual|physical|contract)_?addr"
)

# A house number before a name in capitals, with an ordinal (`5th Avenue`) or a unit in front (`Flat 3,`).
_NUMBER = late(
    r"[0-9](?<![\w.,/$#:=+\-(][0-9])[0-9]{0,5}+(?:[A-Za-z]|[\-/][0-9]{1,4}[A-Za-z]?)?(?:\s?1/2)?,?[ ]{1,2}"
    r"(?=[A-Z]|[0-9]{1,3}(?:st|nd|rd|th)\b)"
)
_WORD = late(r"[^\W_][\w'.\-/]*")
_UNIT_BEFORE = late(r"\b(?:flat|apartment|apt|unit|studio|suite|room|house)\.?\s[\w]{1,5},?\s{1,2}$", re.I)
_UNIT = late(
    r"(?:,?\s(?-i:[NS][EW]?|[EW]|North|South|East|West|North(?:east|west)|South(?:east|west))\.?(?![\w]))?"
    r"(?:[,\s]{1,3}(?:apt|apartment|suite|ste|unit|flat|room|rm|floor|fl|bldg|building|lot|box|"
    r"#)\.?\s?#?\s?[\w\-]{1,8})?",
    re.I,
)
_US_CODE = r"[0-9]{5}(?:-[0-9]{4})?"
_UK_CODE_TEXT = r"[A-Z]{1,2}[0-9][A-Z0-9]?\s?[0-9][A-Z]{2}"
_TOWN = r"[,\s]{1,4}[A-Z][\w'.\-]*(?:[ \-][A-Z][\w'.\-]*){0,4}[,\s]{1,3}"
_TOWN_STATE = late(
    rf"{_TOWN}(?:{US_STATES})(?:[,\s]{{1,3}}(?:{_US_CODE}|[A-Z][0-9][A-Z]\s?[0-9][A-Z][0-9]|[0-9]{{4}}))?(?![\w])"
)
_TOWN_CODE = late(rf"(?:{_TOWN}){{1,2}}(?:{_US_CODE}|{_UK_CODE_TEXT})(?![\w])")
_TOWN_STATE_ANY_CASE = late(_TOWN_STATE.pattern, re.I)
_POSTBOX = late(r"\b(?:P\.?\s?O\.?\s?Box|Postfach|Apartado)\s[0-9]{1,6}", re.I)
_UK_CODE = late(rf"[A-Z](?<![A-Za-z0-9][A-Z])(?<=(?=({_UK_CODE_TEXT})(?![A-Za-z0-9])).)")
_CODE_TOWN = late(
    r"[0-9](?<![\w.,:/][0-9])(?<![0-9]-[0-9])[0-9]{3,4}(?:\s?[A-Z]{2})?[ ,]{1,2}[A-Z][\w'.\-]+"
    r"(?:[ \-](?:[A-Z][\w'.()\-]+|am|an|der|im|in|bei|la|le|les|de|du|sur|sous|en|aan|den)){0,4}(?:\s?\([A-Z]{2}\))?"
)
_HOUSE = late(r"[0-9]{1,4}(?:[\-/][0-9]{1,4})?[A-Za-z]?(?:[\-/][0-9]{1,4})?")
_SENTENCE = late(r"[.!?](?<=[a-z]{3}[.!?])\s(?=[A-Z])")
_BIS = frozenset({"bis", "ter", "a", "b", "c"})
_LINE = late(
    r"[\s:=\-]{0,4}(?:\b(?:is|are|ist|est|es|at|in|to|der|die|das|now|au)\b\s){0,3}"
    r"([^\n.;!?\"{}]{8,120}(?:\n[^\n.;!?\"{}:]{4,60}){0,2})"
)
_LINE_START = late(
    r"[\"']?\s{0,2}(?:[0-9]{1,5}[\w\-/]{0,4},?\s[\w']|(?:flat|apt|unit|suite|house|studio)\b|[^\W\d_a-z])", re.I
)
_NAMELIKE = late(r"[A-Z][a-z]|[^\x00-\x7f]{2}")


def find(view: View) -> Iterator[Hit]:
    """Yield the postal addresses in a view."""
    text = view.text
    if view.field and _CUE.names(view.field) and not _NOT_POSTAL.search(view.field) and _is_place(text):
        value = text.strip()
        start = text.index(value)
        yield Hit("address.declared", start, start + len(value))
    if not view.has_digit:
        return
    cued = _CUE.in_text(view)
    found = list(_structured(view, cued))
    yield from found
    if cued:
        spans = sorted((hit.start, hit.end) for hit in found)
        starts = [start for start, _ in spans]
        reach = list(accumulate((end for _, end in spans), max))  # how far those that start up to here go
        for hit in _cued(view):
            before = bisect_left(starts, hit.end)
            if before == 0 or reach[before - 1] <= hit.start:
                yield hit


def _structured(view: View, cued: bool) -> Iterator[Hit]:
    text = view.text
    for match in _numbers(view):
        yield from _american(view, match.start(), match.end(), cued)
    for match in _UK_CODE.finditer(text) if "0AA" in view.shape else ():
        yield from _british(view, match.start(), match.end(1), cued)
    for match in _codes(view):
        yield from _european(view, *match.span(), cued)
    if not view.tokens.isdisjoint({"box", "postfach", "apartado"}):
        for match in _POSTBOX.finditer(text):
            place = _TOWN_STATE.match(text, match.end()) or _TOWN_CODE.match(text, match.end())
            if place is not None:
                yield Hit("address.american", match.start(), place.end())


# Of its shape (see `View.shape`), what a number before a name must have, and a code before a town.
_NUMBER_SHAPE = late(r"0[Aa]?,?  ?(?=A|0{1,3}[Aa])")
_CODE_SHAPE = late("0000(?:AA)?[ ,]{1,2}A")
_LONGEST_NUMBER = 20  # with a second one, a letter and a half


def _numbers(view: View) -> Iterator[re.Match[str]]:
    """Yield what `_NUMBER` finds; its shape is searched for, which is far quicker where there are many digits."""
    text, done = view.text, 0
    for shape in _NUMBER_SHAPE.finditer(view.shape):
        at = shape.start()
        match = _NUMBER.search(text, max(done, at - _LONGEST_NUMBER), at + _LONGEST_NUMBER)
        while match is not None and match.end() <= shape.end():
            yield match
            done = match.end()
            match = _NUMBER.search(text, done, at + _LONGEST_NUMBER)


def _codes(view: View) -> Iterator[re.Match[str]]:
    """Yield what `_CODE_TOWN` finds, likewise; a code has four digits or five."""
    text, done = view.text, 0
    for shape in _CODE_SHAPE.finditer(view.shape):
        at = shape.start()
        match = _CODE_TOWN.match(text, at - 1) if at > done else None
        if match is None and at >= done:
            match = _CODE_TOWN.match(text, at)
        if match is not None:
            done = match.end()
            yield match


def _is_place(text: str) -> bool:
    """Say whether the value of an address field says where: a number and a word, and not too long for an address."""
    value = text.strip()
    return (
        6 <= len(value) <= 300
        and any(char.isdigit() for char in value)
        and re.search(r"[^\W\d_]{2}", value) is not None
        and "@" not in value
        and "://" not in value
    )


def _american(view: View, start: int, at: int, cued: bool) -> Iterator[Hit]:
    """Number, name, street word, then perhaps a unit, then town and state or code."""
    text = view.text
    end = _street_end(text, at)
    if end is None:
        return
    unit = _UNIT.match(text, end)
    after = unit.end() if unit else end
    place = _TOWN_STATE.match(text, after) or _TOWN_CODE.match(text, after)
    if place is not None:
        before = _UNIT_BEFORE.search(text, max(0, start - 20), start)
        yield Hit("address.american", before.start() if before else start, place.end())
    elif cued and _CUE.near(view, start, end, before=40, after=0):
        yield Hit("address.cued", start, after)


def _street_end(text: str, at: int, any_case: bool = False) -> int | None:
    """Return where `Name Street` ends when the words from `at` on are one, the last possible street word counting."""
    end = None
    for count in range(6):
        word = _WORD.match(text, at)
        if word is None:
            break
        written = word.group()
        if count and written.rstrip(".").lower() in STREET_WORDS:
            end = word.end()
        elif not (any_case or written[0].isupper() or written[0].isdigit()):
            break
        if text[word.end() : word.end() + 1] != " ":
            break
        at = word.end() + 1
    return end


def _british(view: View, code: int, end: int, cued: bool) -> Iterator[Hit]:
    """Walk back from a postcode over words in capitals, numbers and commas to where the address begins."""
    words = _words_before(view.text, code)
    start, number = code, False
    for at, word in words:
        if not (word[0].isupper() or word[0].isdigit()):
            break
        number = number or word[0].isdigit()
        start = at
        if word[0].isdigit():
            unit = _UNIT_BEFORE.search(view.text, max(0, at - 20), at)
            inside = _UNIT_BEFORE.search(view.text, max(0, at - 20), at + len(word) + 2)
            start = unit.start() if unit else inside.start() if inside else at
            break
    if code - start >= 8 and (number or (cued and _CUE.near(view, start, end, before=40, after=0))):
        yield Hit("address.british", start, end)


def _words_before(text: str, at: int) -> list[tuple[int, str]]:
    """Return the words of the 120 characters before `at`, the last first, with where each starts."""
    begin = max(0, at - 120)
    cut = max(text.rfind(sign, begin, at) for sign in (":", ";", "\n\n"))
    for sentence in _SENTENCE.finditer(text, max(begin, cut + 1), at):
        cut = sentence.start()
    begin = max(begin, cut + 1)
    return [(match.start(), match.group()) for match in _WORD.finditer(text, begin, at)][::-1]


def _european(view: View, code: int, end: int, cued: bool) -> Iterator[Hit]:
    """Walk back from code and town to the street: `Lange Straße 5`, `12 bis rue de la Paix`, `Via Roma, 3`."""
    words = _words_before(view.text, code)[:10]
    if words and words[0][1].upper() in ("D", "A", "CH", "F", "I", "NL", "B", "H"):
        words = words[1:]
    if not words or view.text[words[0][0] + len(words[0][1]) : code].strip(" ,\n-"):
        return
    house = _HOUSE.fullmatch(words[0][1]) is not None
    for index, (at, word) in enumerate(words[1:] if house else words):
        bare = word.rstrip(".").lower()
        behind = words[index + 1 + house] if index + 1 + house < len(words) else None
        if bare in LEADING_WORDS:
            number = _number_before(words[index + 1 + house :])
            if house or number is not None or (cued and _CUE.near(view, at, end, before=40, after=0)):
                yield Hit("address.european", at if number is None else number, end)
                return
        elif index == 0 and house and bare.endswith(STREET_ENDINGS):
            alone = bare in STREET_ENDINGS and behind is not None and behind[1][0].isupper()
            yield Hit("address.european", behind[0] if alone and behind is not None else at, end)
            return


def _number_before(words: list[tuple[int, str]]) -> int | None:
    """Return where the house number before a street begins, if there is one (`12 bis rue ...`)."""
    if words and words[0][1].lower() in _BIS:
        words = words[1:]
    return words[0][0] if words and _HOUSE.fullmatch(words[0][1]) is not None else None


def _cued(view: View) -> Iterator[Hit]:
    """After a word for address: a street in any case, or a line with a number and at least two parts."""
    text = view.text
    for _, end in _CUE.occurrences(view):
        match = _LINE.match(text, end)
        if match is None:
            continue
        line = match[1].rstrip(" ,\n")
        start = match.start(1)
        if "@" in line or "://" in line or _LINE_START.match(line) is None:
            continue
        house = re.match(r"[0-9]{1,6}[A-Za-z]?,?\s{1,2}", line)
        street = _street_end(text, start + house.end(), any_case=True) if house else None
        parts = [part for part in re.split(r"[,\n]", line) if part.strip()]
        if street is not None:
            place = _TOWN_STATE_ANY_CASE.match(text, street)
            yield Hit("address.cued", start, place.end() if place else street)
        elif len(parts) >= 2 and re.search(r"[0-9]", line) and _NAMELIKE.search(line):
            yield Hit("address.cued", start, start + len(line))
