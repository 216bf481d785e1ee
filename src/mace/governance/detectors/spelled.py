"""Numbers written as words (`five five five...`) and short values in base64.

Pure. A run of digit words is read as digits, and what those are is asked of the word near it: a telephone, a card, a
social security number. A base64 word that decodes to readable text is looked at as that text. Both report the whole
run: half of it would still say the value.
"""

import base64
import binascii
import re
from collections.abc import Iterator

from mace.governance.detectors.cards import CUE as CARD_CUE
from mace.governance.detectors.cards import is_card
from mace.governance.detectors.cues import Cue
from mace.governance.detectors.findings import Hit, Rule
from mace.governance.detectors.late import late
from mace.governance.detectors.phones import CUE as PHONE_CUE
from mace.governance.detectors.us import SSN_CUE
from mace.governance.detectors.view import View, run_of

RULES = {
    "phone.in_words": Rule("phone", 1),
    "card.in_words": Rule("payment_card", 1),
    "us.ssn.in_words": Rule("us_ssn", 1),
}

_WORDS = {
    digit: word.split()
    for digit, word in enumerate(
        (
            "zero oh o null nul cero zerro noll nulla",
            "one eins een uno um une un jeden ett ein",
            "two zwei zwo twee dos due dois deux dwa tva",
            "three drei drie tres tre trois trzy",
            "four vier cuatro quattro quatro quatre cztery fyra",
            "five funf vijf cinco cinque cinq piec pięć fem",
            "six sechs zes seis sei szesc sześć sex",
            "seven sieben zeven siete sette sete sept siedem sju",
            "eight acht ocho otto oito huit osiem atta",
            "nine neun negen nueve nove neuf dziewiec dziewięć nio",
        )
    )
}
_DIGIT_OF = {word: str(digit) for digit, said in _WORDS.items() for word in said}
_ONE = "|".join(sorted(map(re.escape, _DIGIT_OF), key=len, reverse=True))
_RUN = late(
    rf"(?<![\w])(?:(?:double|triple|plus)[\s\-]{{1,2}})?(?:{_ONE})(?:[\s,.\-]{{1,3}}(?:(?:double|triple|and)[\s\-]{{1,2}})?(?:{_ONE})(?![\w])){{6,24}}"
)
_TOKEN = late(r"[^\W\d_]+")
_SPEAKING = Cue(
    [
        "number",
        "numbers",
        "nummer",
        "numero",
        "numer",
        "call",
        "phone",
        "reach",
        "text",
        "tel",
        "mobile",
        "cell",
        "ring",
        "dial",
        "ruf",
        "appelle",
        "llama",
        "chiama",
        "liga",
        "bel",
        "zadzwon*",
        "ring",
        "contact",
        "whatsapp",
    ],
    fields=["phone", "tel", "mobile", "number", "cell"],
    indexed=False,
)
_FIRST = frozenset(
    (
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "three",
        "four",
        "two",
        "one",
        "zero",
        "oh",
        "null",
        "cero",
        "zwei",
        "drei",
        "vier",
        "funf",
        "sechs",
        "sieben",
        "acht",
        "neun",
        "eins",
        "deux",
        "trois",
        "quatre",
        "cinq",
        "huit",
        "neuf",
        "uno",
        "dos",
        "tres",
        "cuatro",
        "cinco",
        "seis",
        "siete",
        "ocho",
        "nueve",
        "due",
        "tre",
        "quattro",
        "cinque",
        "sette",
        "otto",
        "nove",
        "dois",
        "quatro",
        "sete",
        "oito",
        "dwa",
        "trzy",
        "cztery",
        "siedem",
        "osiem",
        "twee",
        "drie",
        "vijf",
        "zeven",
        "negen",
        "tva",
        "fyra",
        "fem",
        "sju",
    )
)
CUES: tuple[Cue, ...] = ()
_BASE64 = late(
    r"[A-Za-z0-9+/_\-](?<![A-Za-z0-9+/=_\-.%][A-Za-z0-9+/_\-])[A-Za-z0-9+/_\-]{9,1999}={0,2}(?![A-Za-z0-9+/=])"
)
_MIXED = late(r"(?=[^a-z]*[a-z])(?=[^A-Z]*[A-Z])")


def find(view: View) -> Iterator[Hit]:
    """Yield the numbers in a view that are written as words."""
    if len(view.tokens & _FIRST) < 2:
        return
    for match in _runs(view):
        digits = _read(match.group())
        start, end = match.span()
        if CARD_CUE.near(view, start, end) and 12 <= len(digits) <= 19 and is_card(digits):
            yield Hit("card.in_words", start, end)
        elif len(digits) == 9 and SSN_CUE.near(view, start, end):
            yield Hit("us.ssn.in_words", start, end)
        elif 7 <= len(digits) <= 13 and digits not in "0123456789" * 2 and _spoken_of(view, start, end):
            yield Hit("phone.in_words", start, end)


def _runs(view: View) -> Iterator[re.Match[str]]:
    """Yield what `_RUN` finds; it is searched for only where as many words for digits stand close together."""
    lower, places = view.lower, []
    for word in view.tokens & _DIGIT_OF.keys() if view.ascii else _DIGIT_OF:
        at = lower.find(word)
        while at >= 0:
            places.append(at)
            at = lower.find(word, at + 1)
    if len(places) < _LEAST:
        return
    places.sort()
    first = 0
    for number, place in enumerate(places):
        if number + 1 < len(places) and places[number + 1] - place <= _FAR:
            continue
        if number - first + 1 >= _LEAST:
            yield from _RUN.finditer(lower, max(0, places[first] - _FAR), place + _FAR)
        first = number + 1


_LEAST = 7  # words of one number
_FAR = 2 * max(map(len, _DIGIT_OF)) + 11  # more than any word, what joins it to the next, and `triple`


def _spoken_of(view: View, start: int, end: int) -> bool:
    return PHONE_CUE.near(view, start, end) or _SPEAKING.near(view, start, end)


def _read(run: str) -> str:
    digits, times = "", 1
    for word in _TOKEN.findall(run):
        if word in ("double", "triple"):
            times = 2 if word == "double" else 3
        elif word in _DIGIT_OF:
            digits += _DIGIT_OF[word] * times
            times = 1
    return digits


CODED = run_of(r"A-Za-z0-9+/_\-")
# Small letters are `a`, capitals `A`, the other characters of base64 `0`, all else a space.
_CASES = bytes(
    32 if mark == 32 else 97 if chr(code).islower() else 65 if chr(code).isupper() else 48
    for code, mark in enumerate(CODED)
)
_SHORTEST = 10
_FROM_CAPITAL = re.compile(rb"A(?:(?<=[a0]A)[aA0]*|[aA0]{9,})")  # inside a run, or at the beginning of a long one


def may_be_coded(view: View) -> bool:
    """Say whether a word is as long as base64 must be, and of large and small letters."""
    return any(True for _ in _mixed(view))


def _mixed(view: View) -> Iterator[tuple[int, int]]:
    """Yield where so many characters of base64 stand together, large and small letters among them.

    Few characters of most texts are capitals: from each the run around it is looked at.
    """
    marked = view.narrow.translate(_CASES)
    for match in _FROM_CAPITAL.finditer(marked):
        start, end = marked.rfind(b" ", 0, match.start()) + 1, match.end()
        if end - start >= _SHORTEST and marked.find(b"a", start, end) >= 0:
            yield start, end


def decoded(view: View) -> Iterator[tuple[int, int, str]]:
    """Yield the words of a view that are base64 of readable text: where each stands, and what it says."""
    text = view.text
    for start, _ in _mixed(view):  # `_BASE64` can begin nowhere else
        match = _BASE64.match(text, start)
        if match is None:
            continue
        bare = match.group().rstrip("=")
        if len(bare) % 4 == 1 or _MIXED.match(bare) is None:
            continue
        try:
            said = base64.b64decode(
                bare.replace("-", "+").replace("_", "/") + "=" * (-len(bare) % 4), validate=True
            ).decode()
        except (binascii.Error, UnicodeDecodeError):
            continue
        if said.isprintable() and any(char.isdigit() or char == "@" or char == " " for char in said):
            yield start, match.end(), said
