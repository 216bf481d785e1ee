"""Passwords, codes and keys as people tell them: in every larger language, with the words that they put between.

Pure. Beside `passwords.py` and `seeds.py`, which ask for a sign or a verb right after the word. Here small words may
stand between (`du wifi est`, `for the VPN:`), codes of doors, alarms, cards and phones count, and a login may be told
as a pair. A value is made, not written: letters with digits or signs. A plain word counts only at the end of a clause
and when it says nothing about passwords themselves (`is wrong`). What would hurt: the words of error messages.
"""

import re
from collections.abc import Iterator

from mace.governance.detectors.code_words import (
    API_WORDS,
    CODE_WORDS,
    LINKS,
    LOGIN_WORDS,
    PASSWORD_WORDS,
    PROSE,
    SEED_WORDS,
)
from mace.governance.detectors.credentials import looks_random
from mace.governance.detectors.cues import Cue
from mace.governance.detectors.findings import Hit, Rule
from mace.governance.detectors.late import late
from mace.governance.detectors.passwords import _PROSE
from mace.governance.detectors.view import View

RULES = {
    "password.told": Rule("password", 1),
    "password.code": Rule("password", 1),
    "password.login": Rule("password", 1),
    "secret.told_key": Rule("access_token", 1),
    "secret.told_phrase": Rule("private_key", 1),
}

_PASSWORD = Cue(PASSWORD_WORDS)
_CODE = Cue(CODE_WORDS)
_LOGIN = Cue(LOGIN_WORDS)
_API = Cue(API_WORDS)
_SEED = Cue(SEED_WORDS)
CUES = (_PASSWORD, _CODE, _LOGIN, _API, _SEED)

_REST = r"[^\W\d_]{0,12}"
_SIGN = r"(?:=>|->|:=|[:：=]|—|–)"
_LEAD = late(
    rf"{_REST}(?:[\s_,/\-]{{1,2}}(?:{LINKS})(?![^\W\d_])){{0,6}}[\"'*`\])]{{0,3}}\s{{0,2}}{_SIGN}?\s{{0,3}}"
    rf"(?:(?:{LINKS})(?![^\W\d_])\s){{0,2}}",
    re.I,
)
# Between a word and its sign anything may stand that is no sentence.
_TO_SIGN = late(rf"{_REST}(?:[\s_\-](?:[^\W\d_][^\s:：=.,;!?\"']{{0,20}})){{1,6}}\s{{0,2}}{_SIGN}\s{{0,3}}")
_TO_VERB = late(
    rf"{_REST}(?:[\s_\-](?:[^\W\d_][^\s:：=.,;!?\"']{{0,20}})){{1,5}}?"
    r"\s(?:is|was|ist|lautet|war|est|c'est|es|era|e|to|jest|ar|var)\s{1,2}",
    re.I,
)
_VALUE = late(
    r"([\"'`「『«“]?)((?:[^\s\"'`<>「」『』«»\u3041-\u30ff\u4e00-\u9fff\uac00-\ud7a3\u0900-\u097f]|<(?!/)){3,128})"
)
_END_SIGNS = ")]},;:\"'`。、，.?"
_DIGITS_CODE = late(
    r"[\"'`「『«“(]?([0-9]{3,8}[A-Za-z]?[#*]?|[0-9A-Z]{2,4}-?[0-9]{2,5}[#*]?|[0-9]{2,3}(?:[\- ][0-9]{2,3}){1,3}[#*]?|"
    r"[#*][0-9]{3,8}[#*]?|[A-Za-z0-9]{4,12}[#*]?)(?![\w]|[.,\-/:][0-9])"
)
_NOT_MADE = late(
    r"https?:|www\.|[\w.]+\(|[$%{<]|\.{2,}|\*{3}|x{4}|•|\[|[A-Za-z]+/[A-Za-z/]+$|[^@\s]+@[^@\s]+\.[a-z]{2,}$|"
    r"[0-9]+(?:st|nd|rd|th|x|px|ms|%)$",
    re.I,
)
_UNIT_AFTER = late(
    r"\s?(?:€|\$|%|characters|chars|zeichen|caracteres|digits|stellen|stellig|minutes|minuten|times|mal|days|tage|"
    r"文字|位|桁|자리|자)",
    re.I,
)
_OWN = late(
    r"\b(?:my|our|his|her|their|mein\w{0,2}|unser\w{0,2}|mon|notre|mi|mis|mio|mia|nostra|meu|minha|nossa|mijn|ons|"
    r"onze|moje|"
    r"nasze|mitt|vart|benim|wifi|wi-fi|wlan|router\w*)\b[\w \-]{0,24}$|मेर[ाीे]|हमार|我的|私の|제|내"
)
_ENGLISH = ("pass", "pw", "cred", "secret", "magic", "safe", "login")
_CLAUSE_END = late(r"[\"'`.,;!)」』»”]{0,3}(?:\s*\Z|\s*\n|[.,;!](?:\s|\Z))")
_PARTICIPLE = late(
    r"(?:ge\w+(?:t|en)|\w+(?:ed|ing|ado|ada|ato|ata|ito|ita|uto|uta|ee|ido|ida|owane|iert|ant|ent|bar|lich|able|"
    r"ible|ad|at))$"
)


def find(view: View) -> Iterator[Hit]:
    """Yield the passwords, codes and keys in a view."""
    if _PASSWORD.in_text(view):
        for at, end in _PASSWORD.occurrences(view):
            yield from _password(view, at, end)
    if view.digits >= 3 and _CODE.in_text(view):
        for at, end in _CODE.occurrences(view):
            yield from _code(view, at, end)
    if _LOGIN.in_text(view):
        for _, end in _LOGIN.occurrences(view):
            match = _PAIR.match(view.text, end)
            if match is not None and match[1][-1] != ":" and _is_made(match[1]):
                yield Hit("password.login", *match.span(1))
    if _SEED.in_text(view):
        for _, end in _SEED.occurrences(view):
            phrase = _WORDS.match(view.lower, end)
            if phrase is not None and (phrase[1] or len(phrase[3].split()) >= 12):
                yield Hit("secret.told_phrase", *phrase.span(3))
    if view.digits >= 2 and _API.in_text(view):
        for _, end in _API.occurrences(view):
            yield from _key(view, end)


_PAIR = late(
    r"[^\W\d_]{0,14}(?:[\s:=]{1,3}|\s(?:is|ist|est|es|e|to|ar)\s)[\w.@+\-]{2,40}\s{0,2}(?:/|\||:|,|;|with|mit|avec|"
    r"con|com|met|z|med|and|und|et|y|och|i)"
    r"\s{0,2}([^\s\"'<>]{6,64}?)(?=[.,;)]?(?:\s|\Z))"
)


_WORDS = late(
    r"[^\W\d_]{0,12}(?:\s[^\W\d_]{1,12}){0,3}?\s{0,2}(?:([:：=])|is|est|es|e|ist|to|ar|は|是|는|은|"
    r"है)?\s{0,3}([\"'「«“]?)"
    r"((?:[a-z]{3,10}[ ,\-]{1,2}){3,23}[a-z]{3,10})(?=[\"'」»”.]{0,2}\s*(?:\Z|\n))"
)
_QUOTED = late(r"[\"「«“]([^\"「」«»“”\n]{4,60})[\"」»”]")


def _starts(view: View, end: int) -> Iterator[tuple[int, bool]]:
    """Yield where a value may begin after a word, and whether a sign leads to it."""
    text = view.text
    lead = _LEAD.match(text, end, end + 70)
    if lead is not None and (lead.end() > end or not text[end - 1].isascii()):
        yield lead.end(), any(sign in text[end : lead.end()] for sign in ":：=>—–")
    signed = _TO_SIGN.match(text, end, end + 70)
    if signed is not None:
        yield signed.end(), True
    verb = _TO_VERB.match(text, end, end + 70)
    if verb is not None:
        yield verb.end(), False


def _trimmed(value: str) -> str:
    cut = value.rstrip(_END_SIGNS)
    return cut if cut else value


def _password(view: View, at: int, end: int) -> Iterator[Hit]:
    text = view.text
    for start, signed in _starts(view, end):
        if text[start - 1].isalnum() and text[start - 1].isascii():
            continue
        quoted = _QUOTED.match(text, start)
        if quoted is not None and " " in quoted[1] and any(map(str.isalnum, quoted[1])) and quoted[1].count(" ") <= 4:
            yield Hit("password.told", *quoted.span(1))
            return
        match = _VALUE.match(text, start)
        if match is None:
            continue
        value = _trimmed(match[2])
        if len(value) < 4 or value[0] in "([{" or _UNIT_AFTER.match(text, match.start(2) + len(value)):
            continue
        if _is_made(value) or _is_word(view, at, match, value, signed):
            yield Hit("password.told", match.start(2), match.start(2) + len(value))
            return


def _is_made(value: str) -> bool:
    """Say whether a value has letters and digits, or letters and a sign that words do not have."""
    if _NOT_MADE.match(value) is not None or value.lower() in _PROSE or value.lower() in PROSE:
        return False
    letters, digits = any(map(str.isalpha, value)), any(map(str.isdigit, value))
    signs = any(not char.isalnum() and char not in "-.'’/,;" for char in value)
    if digits and letters:
        return _PLAIN_NUMBERED.fullmatch(value) is None
    return letters and signs and len(value) >= 6 and _SNAKE.fullmatch(value) is None


_PLAIN_NUMBERED = late(
    r"(?i)(?:v[0-9]+|[a-z]{1,3}-[0-9]{1,2}|step[0-9]|sha-?[0-9]+|md5|base64|utf-?8|aes-?[0-9]+|bcrypt[0-9]?|oauth2?|"
    r"2fa|ipv[46]|[0-9]+(?:th|nd|st))[.,]?"
)
_SNAKE = late(r"[A-Za-z]+(?:_[A-Za-z]+)+|[A-Za-z]+[?!]+|[A-Za-z&]+;?|[*•x]+|[A-Za-z ]+[=+]+|[A-Z_]+")


def _is_word(view: View, at: int, match: re.Match[str], value: str, signed: bool) -> bool:
    """Say whether a plain word is a password: it ends its clause and says nothing of passwords themselves."""
    lower = value.lower()
    if not value.isalpha() or not value.isascii() or len(value) < 6 or lower in _PROSE or lower in PROSE:
        return False
    if _CLAUSE_END.match(view.text, match.start(2) + len(value)) is None:
        return False
    mixed = any(map(str.isupper, value[1:])) and not value.isupper()
    if mixed:
        return True
    if _PARTICIPLE.fullmatch(lower) is not None:
        return False
    last = len(view.text) - match.start(2) - len(value) <= 2
    foreign = not view.lower.startswith(_ENGLISH, at)
    return bool(match[1]) or (last and foreign) or _OWN.search(view.lower, max(0, at - 32), at) is not None


def _code(view: View, at: int, end: int) -> Iterator[Hit]:
    """Yield a short code of digits, perhaps with a letter or a key of the pad."""
    text = view.text
    said = view.lower[at:end]
    for start, signed in _starts(view, end):
        match = _DIGITS_CODE.match(text, start)
        if match is None or (text[start - 1].isalnum() and text[start - 1].isascii()):
            continue
        written = match[1]
        digits = sum(map(str.isdigit, written))
        if digits < 3 or (not signed and digits < 4 and written.isdigit() and not said.startswith(("cvv", "cvc"))):
            continue
        if said.startswith(("pin code", "pincode")) and digits == 6 and written.isdigit():
            continue  # of a place in India
        if _UNIT_AFTER.match(text, match.end()) or _YEAR.fullmatch(written):
            continue
        yield Hit("password.code", *match.span(1))
        return


_YEAR = late(r"(?:19|20)[0-9]{2}(?:[\- ][0-9]{2}){1,2}")


def _key(view: View, end: int) -> Iterator[Hit]:
    text = view.text
    for start, _ in _starts(view, end):
        match = _VALUE.match(text, start)
        if match is None or (text[start - 1].isalnum() and text[start - 1].isascii()):
            continue
        value = _trimmed(match[2])
        if _NOT_MADE.match(value) is None and len(value) >= 10 and _drawn(value):
            yield Hit("secret.told_key", match.start(2), match.start(2) + len(value))
            return


def _drawn(value: str) -> bool:
    """Say whether a value is drawn: as other keys are, with more signs, or in groups of capitals and digits."""
    bare = re.sub(r"[!@#$%^&*?]", "x1", value)
    return looks_random(bare) or _GROUPS.fullmatch(value) is not None


_GROUPS = late(r"(?=(?:[^0-9]*[0-9]){2})[A-Z0-9]{4,6}(?:-[A-Z0-9]{4,6}){1,7}")
