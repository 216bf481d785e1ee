"""Secrets: private keys, tokens known by their form, and values a word calls a secret.

Pure. Known forms are found by their fixed beginning, so a text without one costs a substring search each. A value
after `token:` must look drawn at random; prose after the word (`the token is invalid`) is no secret.
"""

import re
from collections.abc import Iterator

from mace.governance.detectors.cues import Cue
from mace.governance.detectors.findings import Hit, Rule
from mace.governance.detectors.late import late
from mace.governance.detectors.view import View

RULES = {
    "secret.private_key": Rule("private_key", 1),
    "secret.seed_phrase": Rule("private_key", 1),
    "secret.known_token": Rule("access_token", 1),
    "secret.jwt": Rule("access_token", 1),
    "secret.authorization": Rule("access_token", 2),
    "secret.named_token": Rule("access_token", 2),
    "secret.declared_token": Rule("access_token", 2),
}

_PEM = late(
    r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:[^-]|-(?!----)){0,20000}(?:-----END (?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)?-----)?"
)

# beginning -> what must follow it
_KNOWN = {
    beginning: late(re.escape(beginning) + tail)
    for beginning, tail in {
        "AKIA": r"[A-Z2-7]{16}(?![A-Za-z0-9])", "ASIA": r"[A-Z2-7]{16}(?![A-Za-z0-9])",
        "ABIA": r"[A-Z2-7]{16}(?![A-Za-z0-9])", "ACCA": r"[A-Z2-7]{16}(?![A-Za-z0-9])",
        "ghp_": r"[A-Za-z0-9]{30,255}", "gho_": r"[A-Za-z0-9]{30,255}", "ghu_": r"[A-Za-z0-9]{30,255}",
        "ghs_": r"[A-Za-z0-9]{30,255}", "ghr_": r"[A-Za-z0-9]{30,255}", "github_pat_": r"[A-Za-z0-9_]{30,255}",
        "glpat-": r"[A-Za-z0-9_\-]{20,64}", "xoxb-": r"[A-Za-z0-9\-]{20,200}", "xoxp-": r"[A-Za-z0-9\-]{20,200}",
        "xoxa-": r"[A-Za-z0-9\-]{20,200}", "xoxr-": r"[A-Za-z0-9\-]{20,200}", "xoxs-": r"[A-Za-z0-9\-]{20,200}",
        "xapp-": r"[A-Za-z0-9\-]{20,200}", "sk_live_": r"[A-Za-z0-9]{16,128}", "rk_live_": r"[A-Za-z0-9]{16,128}",
        "sk_test_": r"[A-Za-z0-9]{16,128}", "whsec_": r"[A-Za-z0-9+/=]{24,64}",
        "AIza": r"[A-Za-z0-9_\-]{35}(?![A-Za-z0-9_])",
        "ya29.": r"[A-Za-z0-9_\-]{30,300}", "sk-ant-": r"[A-Za-z0-9_\-]{24,200}", "sk-proj-": r"[A-Za-z0-9_\-]{24,250}",
        "sk-": r"[A-Za-z0-9]{32,64}(?![A-Za-z0-9])", "hf_": r"[A-Za-z0-9]{30,64}(?![A-Za-z0-9])",
        "npm_": r"[A-Za-z0-9]{36}(?![A-Za-z0-9])", "pypi-AgE": r"[A-Za-z0-9_\-]{50,300}",
        "SG.": r"[A-Za-z0-9_\-]{16,32}\.[A-Za-z0-9_\-]{32,64}", "dop_v1_": r"[0-9a-f]{64}",
        "shpat_": r"[0-9a-fA-F]{32}",
        "shpss_": r"[0-9a-fA-F]{32}", "dapi": r"[0-9a-f]{32}(?![0-9A-Za-z])", "hvs.": r"[A-Za-z0-9_\-]{24,200}",
        "lin_api_": r"[A-Za-z0-9]{32,64}", "ATATT3": r"[A-Za-z0-9_\-=]{50,250}", "sq0atp-": r"[A-Za-z0-9_\-]{22,44}",
        "sq0csp-": r"[A-Za-z0-9_\-]{43,60}", "EAACEdEose0cBA": r"[A-Za-z0-9]{10,250}",
        "AccountKey=": r"[A-Za-z0-9+/]{60,100}={0,2}",
        "SharedAccessSignature=": r"[^\s\"']{30,300}", "AGE-SECRET-KEY-1": r"[A-Z0-9]{58}",
        "tskey-": r"[A-Za-z0-9\-]{20,80}", "dckr_pat_": r"[A-Za-z0-9_\-]{20,60}", "nvapi-": r"[A-Za-z0-9_\-]{40,100}",
        "gsk_": r"[A-Za-z0-9]{40,80}", "xai-": r"[A-Za-z0-9]{60,100}", "r8_": r"[A-Za-z0-9]{36,44}(?![A-Za-z0-9])",
        "PMAK-": r"[0-9a-f]{24}-[0-9a-f]{34}", "key-": r"[0-9a-f]{32}(?![0-9A-Za-z])",
    }.items()
}  # fmt: skip
_JWT = late(r"eyJ[A-Za-z0-9_\-]{8,4000}\.[A-Za-z0-9_\-]{4,8000}(?:\.[A-Za-z0-9_\-]{0,4000}){1,3}")
_SHORTEST = 20  # no known token has fewer characters
# The word that a beginning is or begins with, where something else follows it: without it there is no search.
_FIRST_WORDS = {
    beginning: said[1].lower() if (said := re.match(r"([A-Za-z]{2,})[^A-Za-z]", beginning)) else None
    for beginning in _KNOWN
}
_BY_WORD = {
    word: tuple(beginning for beginning, first in _FIRST_WORDS.items() if first == word)
    for word in dict.fromkeys(_FIRST_WORDS.values())
}
_WORDS = frozenset(word for word in _FIRST_WORDS.values() if word is not None)
SIGNS = tuple(beginning for beginning, word in _FIRST_WORDS.items() if word is None)
_FIRST_LETTERS = tuple(beginning.lower() for beginning in SIGNS if beginning.isalpha())
_WITH_DIGIT = tuple(beginning for beginning in SIGNS if not beginning.isalpha())
_TELEGRAM_NUMBER = late(r"(?<![A-Za-z0-9])[0-9]{8,10}$")
_TELEGRAM_REST = late(r":AA[A-Za-z0-9_\-]{33}(?![A-Za-z0-9_\-])")
_BEARER = late(r"(?i:bearer|token)\s{1,3}([A-Za-z0-9._~+/\-]{16,4000}={0,2})")
_BASIC = late(r"(?i:basic)\s{1,3}([A-Za-z0-9+/]{8,400}={0,2})(?![A-Za-z0-9+/=])")

_TOKEN_CUE = Cue(
    ["api key*", "api-key*", "api_key*", "apikey*", "secret*", "access key*", "access token*", "auth token*",
     "authtoken*", "accesstoken*", "client secret*", "clientsecret*", "secret key*", "secretkey*", "private key*",
     "signing key*", "encryption key*", "session token*", "refresh token*", "personal access token*", "bearer",
     "token", "aws secret*", "webhook secret*", "account key*", "license key*", "recovery key*", "master key*",
     "service key*"],
    fields=["api_?key", "secret", "secret_?key", "access_?key", "(?:access|auth|session|refresh|id|bearer|api)_?token",
            "client_?secret", "private_?key", "token", "signing_?key", "encryption_?key", "credentials?"],
)  # fmt: skip
_SEED_CUE = Cue(
    ["seed phrase*", "recovery phrase*", "mnemonic*", "seed words", "backup phrase*"],
    fields=["seed_?phrase", "recovery_?phrase", "mnemonic"],
)
_NAMED_VALUE = late(
    r"[\w \t]{0,24}?[\"'\])]{0,2}\s{0,2}(?:=>|:=|[:=]|\bis\b|\bist\b|\bes\b|"
    r"\best\b)\s{0,2}[\"'`(<]{0,2}([A-Za-z0-9+/_\-.=~]{12,512})"
)
_SEED_VALUE = late(r"\s{0,2}(?:[:=]|\bis\b|\bare\b)?\s{0,3}[\"']?((?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8})(?![a-z])")
_PLACEHOLDER = late(r"(?i)x{4,}|\*{3,}|your|example|placeholder|changeme|redacted|\.{3}|<|\$\{|todo|dummy|insert")
_EXAMPLE = late(r"EXAMPLE(?:KEY)?$")
_CODE = late(
    r"^[A-Za-z_]+(?:[._][A-Za-z_]+)+$|^(?:[a-z]+|[A-Z]+)$|^[0-9.]+$|^/|\.(?:py|js|ts|json|yaml|yml|txt|md|pem|key|env)$"
)


def find(view: View) -> Iterator[Hit]:
    """Yield the keys and tokens in a view."""
    text = view.text
    words = view.tokens
    if "begin" in words and "-----BEGIN" in text:
        for match in _PEM.finditer(text):
            yield Hit("secret.private_key", *match.span())
    for beginning, pattern in _begun(view) if len(text) >= _SHORTEST else ():
        done = 0
        for at in view.places_of(beginning):
            token = pattern.match(text, at) if at == 0 or not text[at - 1].isalnum() else None
            if token is None or at < done:
                continue
            done = token.end()
            if len(set(token.group()[len(beginning) :])) >= 6:
                yield Hit("secret.known_token", *token.span())
    yield from _jwts(text)
    yield from _authorization(view)
    if view.has_digit:
        yield from _telegrams(text)
    yield from _named(view)


def _begun(view: View) -> Iterator[tuple[str, re.Pattern[str]]]:
    """Yield the tokens that may stand in a text: by the words it has, and by what begins one of them."""
    for word in _WORDS & view.tokens:
        for beginning in _BY_WORD[word]:
            yield beginning, _KNOWN[beginning]
    words = view.tokens if view.speaking is None else view.speaking
    if any(word.startswith(_FIRST_LETTERS) for word in words):
        for beginning in SIGNS:
            yield beginning, _KNOWN[beginning]
    elif "_" in view.text:  # the others begin with a digit after a letter
        for beginning in _WITH_DIGIT:
            yield beginning, _KNOWN[beginning]


def _telegrams(text: str) -> Iterator[Hit]:
    at = text.find(":AA")
    while at >= 0:
        number = _TELEGRAM_NUMBER.search(text, max(0, at - 10), at)
        rest = _TELEGRAM_REST.match(text, at)
        if number is not None and rest is not None:
            yield Hit("secret.known_token", number.start(), rest.end())
        at = text.find(":AA", at + 3)


def looks_random(value: str) -> bool:
    """Say whether a value looks drawn, not written: several kinds of characters, many different ones."""
    if len(value) >= 32:  # so long a value is no placeholder for the one word that vendors end their samples with
        value = _EXAMPLE.sub("", value)
    if len(value) < 12 or _PLACEHOLDER.search(value) or _CODE.search(value):
        return False
    digits = sum(map(str.isdigit, value))
    letters = sum(map(str.isalpha, value))
    capitals = sum(map(str.isupper, value))
    mixed = letters >= 20 and 0.3 <= capitals / letters <= 0.7  # a name in camel case has fewer capitals
    return (digits >= 2 or mixed) and letters >= 2 and len(set(value)) >= min(8, len(value) // 2)


def _jwts(text: str) -> Iterator[Hit]:
    at = text.find("eyJ")
    while at >= 0:
        match = _JWT.match(text, at)
        if match is not None:
            yield Hit("secret.jwt", *match.span())
        else:
            match = re.compile(r"[A-Za-z0-9_\-]*").match(text, at)  # a long run that is none is read once
        at = text.find("eyJ", max(at + 3, match.end() if match else 0))


def _authorization(view: View) -> Iterator[Hit]:
    words = view.tokens
    for word, pattern in (("bearer", _BEARER), ("basic", _BASIC)):
        if word not in words:
            continue
        at = view.lower.find(word)
        while at >= 0:
            match = pattern.match(view.text, at)
            if match is not None and (looks_random(match[1]) or "authorization" in view.lower[max(0, at - 24) : at]):
                yield Hit("secret.authorization", *match.span(1))
            at = view.lower.find(word, at + len(word))


def _named(view: View) -> Iterator[Hit]:
    text = view.text
    if _TOKEN_CUE.names(view.field):
        value = text.strip()
        if 12 <= len(value) <= 4096 and not re.search(r"\s", value) and looks_random(value):
            start = text.index(value)
            yield Hit("secret.declared_token", start, start + len(value))
    if _TOKEN_CUE.in_text(view):
        for _, end in _TOKEN_CUE.occurrences(view):
            match = _NAMED_VALUE.match(text, end, end + 600)
            if match is not None and looks_random(value := match[1].rstrip(".=") or match[1]):
                yield Hit("secret.named_token", match.start(1), match.start(1) + len(value))
    if _SEED_CUE.names(view.field):
        words = re.fullmatch(r"\s*((?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8})\s*", view.lower)
        if words is not None:
            yield Hit("secret.seed_phrase", *words.span(1))
    if _SEED_CUE.in_text(view):
        for _, end in _SEED_CUE.occurrences(view):
            match = _SEED_VALUE.match(view.lower, end)
            if match is not None:
                yield Hit("secret.seed_phrase", *match.span(1))
