"""Bank details: IBAN by its own proof, account and routing numbers where a word says so.

Pure. An IBAN's country fixes its length, so the walk through the text stops exactly where the number must end; the
remainder modulo 97 and the country's own structure (python-stdnum) decide. An account number has no form of its own:
without a word for it, it is only a number.
"""

import re
from collections.abc import Iterator, Set
from functools import cache, lru_cache

from mace.governance.detectors.checks import compact
from mace.governance.detectors.cues import LEAD, SEP, Cue
from mace.governance.detectors.findings import Hit, Rule
from mace.governance.detectors.late import late
from mace.governance.detectors.validators import stdnum_valid
from mace.governance.detectors.view import SINGLE_LETTERS, View

RULES = {
    "bank.iban": Rule("iban", 1),
    "bank.account": Rule("bank_account", 2),
    "bank.routing": Rule("bank_account", 1),
}

# Lengths by country (SWIFT IBAN registry).
_LENGTHS = {
    15: "NO", 16: "BE", 18: "DK FI FO GL NL SD FK", 19: "MK SI", 20: "AT BA EE KZ LT LU MN XK",
    21: "CH CR HR LI LV", 22: "BG BH DE GB GE IE ME RS VA", 23: "AE GI IL IQ OM SO TL",
    24: "AD CZ ES MD PK RO SA SE SK TN VG", 25: "LY PT ST", 26: "IS TR", 27: "BI DJ FR GR IT MC MR SM",
    28: "AL AZ BY CY DO GT HU LB NI PL SV", 29: "BR EG PS QA UA", 30: "JO KW MU YE", 31: "MT SC", 32: "LC", 33: "RU",
}  # fmt: skip
_LENGTH = {country: size for size, countries in _LENGTHS.items() for country in countries.split()}

_IBAN_HEAD = late(rf"([A-Za-z](?<![A-Za-z0-9][A-Za-z]){SEP}[A-Za-z]){SEP}[0-9]{SEP}[0-9]")

_IBAN_DIGITS = late(rf"{SEP}[0-9]{SEP}[0-9]")

_ACCOUNT = Cue(
    ["account number*", "account no*", "account num*", "account #*", "account:*", "acct*", "acc number*", "acc no*",
     "bank account*", "bank acct*", "checking account*", "savings account*", "current account*", "account is",
     "kontonummer*", "konto-nr*", "kontonr*", "bankkonto*", "numero de compte", "compte bancaire",
     "numero de cuenta*", "cuenta bancaria", "cuenta corriente", "conta corrente", "conto corrente",
     "numero di conto", "rekeningnummer*", "bankrekening*", "numer konta", "numer rachunku", "tilinumero*",
     "номер счета", "银行账号*", "银行卡号*", "口座番号*", "계좌번호*", "sort code*", "clabe", "cbu", "bsb", "ifsc"],
    fields=["account_?(?:no|num|number)", "acct(?:_?(?:no|num|number))?", "bank_?account(?:_?(?:no|num|number))?",
            "kontonummer", "numero_?de_?cuenta", "clabe", "cbu", "iban", "bank_?acct"],
)  # fmt: skip
_MONEY_NEAR = late(
    r"\b(?:bank|iban|routing|aba|sort code|swift|bic|wire|transfer|deposit|checking|savings|bsb|ifsc|payee|branch)\b"
)
_ACCOUNT_ALONE = Cue(["account", "a/c"])  # also the word of every service with users: a bank must be named near it
_BANK_NEAR = late(r"\b(?:bank|iban|routing|aba|sort code|swift|bic|wire|bsb|ifsc|payee)\b")
_ROUTING = Cue(
    ["routing*", "aba", "rtn", "aba number*", "transit number*"],
    fields=["routing(?:_?(?:no|num|number))?", "aba(?:_?(?:no|num|number|routing))?", "rtn"],
)
_SORT_CODE = (
    r"(?:[0-9]{2}[\-\s][0-9]{2}[\-\s][0-9]{2}[\s,;/|]{1,3}(?:(?:and|account|acct|acc|number|no)\b[\s:#.]{0,3}){0,3})?"
)
_ACCOUNT_VALUE = late(rf"{LEAD}{_SORT_CODE}([0-9](?:[\s\-._/|]{{0,2}}[0-9]){{5,21}})(?![0-9A-Za-z])", re.I)
_ROUTING_VALUE = late(rf"{LEAD}([0-9](?:{SEP}[0-9]){{8}})(?![0-9])", re.I)


@lru_cache(maxsize=64)
def _tail(size: int) -> re.Pattern[str]:
    return re.compile(rf"(?:{SEP}[A-Za-z0-9]){{{size}}}(?![A-Za-z0-9])")


def iban_checks(number: str) -> bool:
    """Say whether an IBAN in compact upper-case form has the right remainder and its country's structure."""
    moved = number[4:] + number[:4]
    if int("".join(str(int(char, 36)) for char in moved)) % 97 != 1:
        return False
    return stdnum_valid("iban", number)


def aba_checks(number: str) -> bool:
    """Say whether nine digits are an ABA routing number: prefix and weights 3 7 1."""
    prefix = int(number[:2])
    if not (prefix <= 12 or 21 <= prefix <= 32 or 61 <= prefix <= 72 or prefix == 80) or number == "0" * 9:
        return False
    return sum(int(digit) * (3, 7, 1)[index % 3] for index, digit in enumerate(number)) % 10 == 0


def clabe_checks(number: str) -> bool:
    """Say whether eighteen digits are a Mexican CLABE: weights 3 7 1, each product modulo 10."""
    total = sum(int(digit) * (3, 7, 1)[index % 3] % 10 for index, digit in enumerate(number[:17]))
    return -total % 10 == int(number[17])


def find(view: View) -> Iterator[Hit]:
    """Yield the bank details in a view."""
    if not view.has_digit:
        return
    yield from _ibans(view)
    if _ROUTING.names(view.field) or _ROUTING.in_text(view):
        yield from _cued(view, _ROUTING, _ROUTING_VALUE, "bank.routing")
    if _ACCOUNT.names(view.field) or _ACCOUNT.in_text(view):
        yield from _cued(view, _ACCOUNT, _ACCOUNT_VALUE, "bank.account")
    if _ACCOUNT_ALONE.in_text(view):
        for _, end in _ACCOUNT_ALONE.occurrences(view):
            match = _ACCOUNT_VALUE.match(view.text, end, end + 100)
            if match is not None and _BANK_NEAR.search(view.lower, max(0, end - 60), match.end() + 40):
                yield Hit("bank.account", *match.span(1))


_COUNTRIES = frozenset(country.lower() for country in _LENGTH)
_HEADS = {country.lower(): f"{country.lower()}00".encode() for country in _LENGTH}


def may_begin(view: View) -> bool:
    """Say quickly whether an IBAN may begin anywhere."""
    words = view.narrow_tokens
    if not _COUNTRIES.isdisjoint(words) and _begun(view, _COUNTRIES & words):
        return True
    return len(SINGLE_LETTERS & words) >= 2 and _is_apart(view)


def _begun(view: View, heads: Set[str]) -> list[str]:
    """Return the countries that have two digits behind them, whatever stands between."""
    packed = view.packed if heads else b""
    return [head for head in heads if _HEADS[head] in packed]


def _is_apart(view: View) -> bool:
    """Say whether two letters that stand alone are those of a country, and digits follow: a sign may stand between."""
    single = view.narrow_tokens & SINGLE_LETTERS
    if len(single) < 2 or not _begun(view, _COUNTRIES & {one + two for one in single for two in single}):
        return False
    return _APART.search(view.narrow.translate(_SIGNS)) is not None


# Small letters, `0` for digits, a space for what may stand between the signs of a number, `!` for all else.
_SIGNS = bytes(
    code if "a" <= sign <= "z" else code + 32 if "A" <= sign <= "Z" else 48 if "0" <= sign <= "9" else 32 + (not gap)
    for code in range(256)
    for sign, gap in [(chr(code), chr(code) in " \t\r\n.-_/|,*~#")]
)
_APART = re.compile(rb"(?<=[a-z])(?<![a-z0][a-z]) {1,3}[a-z] {0,3}0 {0,3}0")


@cache
def _country_before_digit(country: str) -> re.Pattern[str]:
    """Two letters of a country that a digit follows: most places where they stand are inside of words."""
    return re.compile(rf"{country}(?={SEP}[0-9])")


def _ibans(view: View) -> Iterator[Hit]:
    text, lower = view.text, view.lower
    if _is_apart(view):
        places = [(head.start(), head.end(), head[1][0] + head[1][-1]) for head in _IBAN_HEAD.finditer(text)]
    else:
        places = []
        for country in _begun(view, _COUNTRIES & view.narrow_tokens):
            for match in _country_before_digit(country).finditer(lower):
                at = match.start()
                digits = _IBAN_DIGITS.match(text, at + 2)
                if digits is not None and not (at and lower[at - 1].isalnum() and lower[at - 1].isascii()):
                    places.append((at, digits.end(), country))
        places.sort()
    for start, end, country in places:
        size = _LENGTH.get(country.upper())
        tail = _tail(size - 4).match(text, end) if size else None
        if tail is not None and iban_checks(compact(text[start : tail.end()])):
            yield Hit("bank.iban", start, tail.end())


def _cued(view: View, cue: Cue, value: re.Pattern[str], rule: str) -> Iterator[Hit]:
    places = [0] if cue.names(view.field) else []
    if cue.in_text(view):
        places += [end for _, end in cue.occurrences(view)]
    for place in places:
        match = value.match(view.text, place, place + 100)
        if match is None:
            continue
        number = compact(match[1])
        if rule == "bank.routing" and not aba_checks(number):
            continue
        if rule == "bank.account" and not _is_account(view, number, place, match.end()):
            continue
        yield Hit(rule, *match.span(1))


def _is_account(view: View, number: str, start: int, end: int) -> bool:
    """Say whether a number after a word for account is one: checked where it can be, else long enough or near money."""
    if len(number) == 18 and clabe_checks(number):
        return True
    if len(number) == 22:
        return stdnum_valid("ar.cbu", number)
    around = view.lower[max(0, start - 60) : end + 40]
    return len(number) >= 8 or _MONEY_NEAR.search(around) is not None or bool(view.field)
