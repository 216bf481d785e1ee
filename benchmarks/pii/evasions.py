"""Disguises of a value: the ways data hides from patterns while people still read it."""

import random
from collections.abc import Callable

ZERO_WIDTH = "\u200b\u200c\u200d\u2060\ufeff\u00ad"
DIGITS = {
    "full_width": 0xFF10,
    "arabic_indic": 0x0660,
    "persian": 0x06F0,
    "devanagari": 0x0966,
    "math_bold": 0x1D7CE,
    "bengali": 0x09E6,
}
EVADED = ("us_ssn", "payment_card", "iban", "national_id", "phone", "email", "us_itin", "birth_date", "bank_account")
NUMERIC = ("us_ssn", "payment_card", "national_id", "phone", "us_itin", "bank_account")


def zero_width(kind: str, value: str, rng: random.Random) -> str:
    return "".join(char + (rng.choice(ZERO_WIDTH) if rng.random() < 0.4 else "") for char in value[:-1]) + value[-1]


def other_digits(kind: str, value: str, rng: random.Random) -> str:
    base = DIGITS[rng.choice(list(DIGITS))]
    return "".join(chr(base + int(char)) if char.isascii() and char.isdigit() else char for char in value)


def full_width(kind: str, value: str, rng: random.Random) -> str:
    return "".join(chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in value)


def separators(kind: str, value: str, rng: random.Random) -> str:
    """Dashes and spaces become other dashes, dots and spaces of the same kind."""
    if kind not in NUMERIC:
        return value
    dash, space = rng.choice("‐‑‒–—−"), rng.choice("\u00a0\u2009\u202f\u3000\t")
    return value.replace("-", dash).replace(" ", space)


def entities(kind: str, value: str, rng: random.Random) -> str:
    coded = lambda char: f"&#{ord(char)};" if rng.random() < 0.5 else f"&#x{ord(char):x};"
    return "".join(coded(char) if rng.random() < 0.5 else char for char in value)


def line_breaks(kind: str, value: str, rng: random.Random) -> str:
    """A value broken over two lines, where it has a gap, else in the middle."""
    if kind == "email":
        return value.replace("@", "@\n")
    gaps = [at for at, char in enumerate(value) if char in " -" and at]
    at = rng.choice(gaps) + 1 if gaps else len(value) // 2
    return value[:at].rstrip(" ") + "\n" + value[at:]


EVASIONS: dict[str, Callable[[str, str, random.Random], str]] = {
    "zero_width": zero_width,
    "other_digits": other_digits,
    "full_width": full_width,
    "separators": separators,
    "entities": entities,
    "line_breaks": line_breaks,
}
