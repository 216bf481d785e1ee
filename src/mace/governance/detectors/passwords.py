"""Passwords and PINs, where a word or a field says so, and inside connection addresses.

Pure. What follows the word must not be prose (`the password is wrong`) or code (`password = get_secret()`): letters
alone count only after `my password is`, a quote, or in a declared field.
"""

import re
from collections.abc import Iterator

from mace.governance.detectors.cues import Cue
from mace.governance.detectors.findings import Hit, Rule, words
from mace.governance.detectors.late import late
from mace.governance.detectors.view import View

RULES = {
    "password.named": Rule("password", 1),
    "password.declared": Rule("password", 1),
    "password.in_url": Rule("password", 1),
    "password.pin": Rule("password", 1),
}

_FIELD = late(
    r"(?:^|_)(?:password|passwd|passphrase|passcode|pwd|pass|kennwort|passwort|contrasena|senha|mot_de_passe|"
    r"wachtwoord|pin_?(?:code|number)?|cvv2?|cvc2?|security_code)$"
)
_LEVELS = ("low", "medium", "high")
_CUE = Cue(
    ["password", "passwords", "passwd", "pwd", "passphrase", "passcode", "passwort", "kennwort", "contrasena",
     "senha", "mot de passe", "wachtwoord", "haslo", "heslo", "parola", "losenord", "passord", "salasana", "sifre",
     "пароль", "密码", "密碼", "パスワード", "비밀번호"],
)  # fmt: skip
_PIN_CUE = Cue(["pin", "pin code", "pincode", "cvv", "cvc", "cvv2", "security code"])
_LINK = late(
    r"(?:\s(?:for|to|of|fur|de|para)\s[\w.@ \-]{1,32}?)?[\"'*`\])]{0,3}\s{0,2}(?P<link>=>|->|:=|[:=：]|\b(?:is|was|"
    r"ist|es|est|e|to|lautet|it's)\b)\s{0,3}(?P<quote>[\"'`]?)"
)
_BARE_VALUE = late(
    r"(?:[^\s<]|<(?!/)){4,512}"
)  # half a password would stay readable: it goes on to the next white space
_PIN_VALUE = late(
    r"\s{0,2}(?:code|number|no)?\s{0,2}(?:[:=#]|\bis\b|"
    r"\bwas\b)?\s{0,2}[\"']?([0-9]{3,8})(?![0-9A-Za-z.,]?[0-9A-Za-z])"
)
_PLACE_PIN = late(r"pin ?code\W{0,3}(?:is\W)?[1-9][0-9]{5}$")  # of a place in India
_STAND_IN = late(
    r"[*x]+|\[redacted\]|\$\{?\w+\}?|<\w+>|%s|\{\w*\}|pass|passw(?:or)?d|pwd|pw|secret|token|(?:\w+_)?secret_access_key",
    re.I,
)
_URL = late(r"://([^\s:/@\"'<>]{0,64}):([^\s@/\"'<>]{1,128})@[^\s/]")
_POSSESSIVE = late(r"\b(?:my|our|his|her|their|mein|mon|mi|minha|mio)\b[\w \-]{0,24}$")
_PROSE = frozenset(
    words(
        """
        required invalid incorrect wrong expired stored hashed encrypted salted correct reset changed being never
        always safe secure weak strong empty missing hidden optional needed used valid blank null none true false
        undefined string str text password passwort bytes secret protected visible based your here available case
        sent entered given known disabled enabled mandatory unknown compromised leaked something anything nothing
        unique complex simple same different set not masked redacted longer shorter important difficult easy hard
        both also only about that this what when where which forgotten lost back okay good fine
        """
    )
)
# A call, an index, a variable, a placeholder: what stands for a password in code and templates.
_CALL = late(r"[A-Za-z_.]*[(\[{]")
_CODE = late(
    r"^[A-Za-z_][\w.]*[(\[][\w\s,.=\"']*[)\]]|^[$%](?:\{\w+\}?|[A-Z_]+)$|^%[sdr]$|^\{+\w*\}+|^<[\w \-]+>?$|^&\w+;$|"
    r"^[*x•.]{3,}$|^\[redacted|^(?:os|self|config|settings|env|process|request|args|params|this|user|data)\."
)


def find(view: View) -> Iterator[Hit]:
    """Yield the passwords in a view."""
    text = view.text
    if view.field and _FIELD.search(view.field):
        value = text.strip()
        if (
            3 <= len(value) <= 256
            and value.lower() not in _PROSE
            and not (view.version > 1 and value.lower() in _LEVELS)
            and not re.fullmatch(r"[*x•.]+|\[redacted\]", value, re.I)
        ):
            start = text.index(value)
            yield Hit("password.declared", start, start + len(value))
    if "://" in text and "@" in text:
        yield from _in_urls(text)
    if _CUE.in_text(view):
        for at, end in _CUE.occurrences(view):
            yield from _after(view, at, end)
    if view.has_digit and _PIN_CUE.in_text(view):
        for at, end in _PIN_CUE.occurrences(view):
            match = _PIN_VALUE.match(text, end)
            if view.version >= 3 and match is not None and _PLACE_PIN.match(view.lower[at : match.end()]):
                continue
            if match is not None and re.search(
                r"[:=#]|\bis\b|\bcode\b|\bwas\b|\bnumber\b", text[end - 6 : match.start(1)], re.I
            ):
                yield Hit("password.pin", *match.span(1))


def _in_urls(text: str) -> Iterator[Hit]:
    at = text.find("://")
    while at >= 0:
        match = _URL.match(text, at)
        if match is not None and _STAND_IN.fullmatch(match[2]) is None:
            yield Hit("password.in_url", *match.span(2))
        at = text.find("://", at + 3)


def _after(view: View, at: int, end: int) -> Iterator[Hit]:
    text = view.text
    link = _LINK.match(text, end, end + 60)
    if link is None:
        return
    quote = link["quote"]
    stop = text.find(quote, link.end(), link.end() + 520) if quote else -1
    if stop >= 0:
        start, value = link.end(), text[link.end() : stop]
    else:
        match = _BARE_VALUE.match(text, link.end() - len(quote))
        if match is None or _CODE.search(match.group()) or (link["link"] == "=" and _CALL.match(match.group())):
            return
        start, value = match.start(), re.sub(r"[)\]},;:\"'`]+$", "", match.group())
        value = value[:-1] if value.endswith(".") else value
    if _is_password(value, bool(quote), link["link"], _POSSESSIVE.search(view.lower[max(0, at - 32) : at]) is not None):
        if view.version > 1 and value.lower() in _LEVELS:
            return  # a table that grades, not a secret
        yield Hit("password.named", start, start + len(value))


def _is_password(value: str, quoted: bool, link: str, possessive: bool) -> bool:
    if len(value) < 4 or value.lower().strip(".,!?") in _PROSE or " " in value:
        return False
    if value.isalpha():
        return possessive or (quoted and not link.isalpha())
    if re.fullmatch(
        r"[A-Za-z]+(?:[-_./'’,;]+[A-Za-z]*)+|[A-Za-z]+[.,;!?]+", value
    ):  # words: well-known, user_name, it's
        return possessive or quoted
    return True
