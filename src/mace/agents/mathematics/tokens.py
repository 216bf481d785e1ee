"""From characters to tokens.

Pure, and linear in the text. Only characters with a known meaning get through; everything else (quotes, backslashes,
control characters, letters of other scripts, look-alikes) ends the reading here. Numbers are read exactly.
Accepting a number with leading zeros would turn dates and telephone numbers into sums.
"""

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

from mace.agents.mathematics import limits
from mace.agents.mathematics.answers import Refusal
from mace.agents.mathematics.lexicon import (
    GLUED,
    GREEK_LETTERS,
    LETTER_PRODUCTS,
    PLAIN_SIGNS,
    SIGNS,
    SUPERSCRIPTS,
    VULGAR,
)

Kind: TypeAlias = Literal["number", "word", "sign", "superscript", "end"]

_GROUPED = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])")
_DIGITS = re.compile(r"[0-9]+")
_FRACTION = re.compile(r"\.[0-9]+")
_EXPONENT = re.compile(r"[eE][+-]?[0-9]+(?![0-9A-Za-z.])")
_WORD = re.compile(r"[A-Za-z]+(?:'[A-Za-z]+)?")
_MICRO = re.compile(r"[µμ](?=[A-Za-z])")
_INDEX = re.compile(r"_?[0-9]+(?![0-9A-Za-z.])")


@dataclass(frozen=True, slots=True)
class Token:
    kind: Kind
    text: str  # as written; words keep their case because X and x are two variables
    word: str  # what keywords are compared with: lower case; signs stand for themselves
    tight: bool  # nothing but the token before it, no space
    value: Fraction | None = None
    decimal: bool = False
    indexed: bool = False  # a letter with digits, x1; only meaningful beside another one


END = Token("end", "", "", tight=False)


def tokenize(text: str) -> list[Token]:
    """Return the tokens of a text; raise `Refusal` for what cannot be mathematics or is too long."""
    if len(text) > limits.MAX_TEXT_CHARACTERS:
        raise Refusal("it is longer than a mathematical question may be", "too_large")
    scanner = _Scanner(_plain(text))
    return scanner.run()


def _outside() -> Refusal:
    return Refusal("it holds characters that are not part of mathematics")


def _plain(text: str) -> str:
    """Return the text with full-width forms, apostrophes and the micro sign in their plain form."""
    plain = "".join(chr(ord(sign) - 0xFEE0) if "！" <= sign <= "～" else "'" if sign in "’ʼ" else sign for sign in text)
    return _MICRO.sub("u", plain.replace("\u00a0", " "))


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.depth = 0  # of parentheses: inside them a comma separates arguments, not thousands
        self.tokens: list[Token] = []

    def run(self) -> list[Token]:
        while self.at < len(self.text):
            before = self.at
            while self.at < len(self.text) and self.text[self.at] in " \t\r\n":
                self.at += 1
            if self.at == len(self.text):
                break
            self._token(tight=before == self.at and bool(self.tokens))
            if len(self.tokens) > limits.MAX_TOKENS:
                raise Refusal("it is longer than a mathematical question may be", "too_large")
        return self.tokens

    def _token(self, tight: bool) -> None:
        sign = self.text[self.at]
        if sign in "0123456789" or self._leading_point():
            self._number(tight)
        elif sign in VULGAR:
            self.at += 1
            self._add("number", sign, tight, value=VULGAR[sign])
        elif sign in SUPERSCRIPTS:
            self._superscript(tight)
        elif sign == "π":
            self.at += 1
            self._add("word", "pi", tight)
        elif sign in GREEK_LETTERS or (sign.isascii() and sign.isalpha()):
            self._word(tight)
        elif sign == "–":  # an en dash is a minus only where it cannot be a range
            spaced = not tight and self.text[self.at + 1 : self.at + 2].isspace()
            if not spaced:
                raise _outside()
            self.at += 1
            self._add("sign", "-", tight)
        else:
            self._sign(tight)

    def _leading_point(self) -> bool:
        """Say whether a number like .5 starts here."""
        follows = self.at > 0 and self.text[self.at - 1] in "0123456789."
        return not follows and _FRACTION.match(self.text, self.at) is not None

    def _number(self, tight: bool) -> None:
        start = self.at
        grouped = None if self.depth else _GROUPED.match(self.text, start)
        whole = grouped or _DIGITS.match(self.text, start)
        digits = whole.group().replace(",", "") if whole else ""
        if len(digits) > 1 and digits[0] == "0":
            raise Refusal("a number with leading zeros is rather a date or a code")
        self.at = whole.end() if whole else start
        fraction = _FRACTION.match(self.text, self.at)
        decimals = fraction.group()[1:] if fraction else ""
        if fraction:
            self.at = fraction.end()
        exponent = _EXPONENT.match(self.text, self.at)
        power = 0
        if exponent:
            self.at = exponent.end()
            if len(exponent.group()) > 6:
                raise Refusal("a number in it is too large", "too_large")
            power = int(exponent.group()[1:])
        if len(digits) + len(decimals) + abs(power) > limits.MAX_LITERAL_DIGITS:
            raise Refusal("a number in it is too large", "too_large")
        if self.text[self.at : self.at + 1] == "." and _DIGITS.match(self.text, self.at + 1):
            raise Refusal("a number with two points is rather a version or an address")
        value = Fraction(int(digits + decimals or "0"), 10 ** len(decimals)) * Fraction(10) ** power
        mixed = VULGAR.get(self.text[self.at : self.at + 1])
        if mixed is not None and not decimals and not exponent:
            self.at += 1
            value += mixed
        self._add("number", self.text[start : self.at], tight, value=value, decimal=bool(decimals or exponent))

    def _superscript(self, tight: bool) -> None:
        start = self.at
        while self.at < len(self.text) and self.text[self.at] in SUPERSCRIPTS:
            self.at += 1
        written = "".join(SUPERSCRIPTS[sign] for sign in self.text[start : self.at])
        if not tight or not re.fullmatch(r"-?[0-9]{1,6}", written):
            raise _outside()
        self._add("superscript", written, tight, value=Fraction(int(written)))

    def _word(self, tight: bool) -> None:
        if self.text[self.at] in GREEK_LETTERS:
            written = self.text[self.at]
            self.at += 1
        else:
            found = _WORD.match(self.text, self.at)
            assert found is not None  # the caller saw a letter
            written = found.group()
            self.at = found.end()
            glued = GLUED.get(written + self.text[self.at : self.at + 1])
            if glued and glued[1] == "θ":
                self._add("word", glued[0], tight)
                return
        if len(written) == 1:
            self._letter(written, tight)
        elif written.lower() in GLUED:
            self._add("word", GLUED[written.lower()][0], tight)
            self._add("word", "x", True)
        elif written in LETTER_PRODUCTS:
            for place, letter in enumerate(written):
                self._add("word", letter, tight or place > 0)
        elif len(written) == 3 and written[1] == "d" and written[0] == written[2] != "d":  # "∫ xdx"
            self._add("word", written[0], tight)
            self._add("word", written[1:], True)
        else:
            self._add("word", written, tight)

    def _letter(self, letter: str, tight: bool) -> None:
        index = _INDEX.match(self.text, self.at)
        after = self.text[self.at : self.at + 1]
        previous = self.tokens[-1] if self.tokens else END
        if letter in "xX" and tight and previous.kind == "number" and _DIGITS.match(after):  # 2x3
            if previous.text == "0":
                raise Refusal("0x10 is rather a code")
            self._add("word", letter, tight)
        elif index and letter != "e":
            self.at = index.end()
            self._add("word", letter + "_" + index.group().lstrip("_"), tight, indexed=index.group()[0] != "_")
        elif _DIGITS.match(after):
            raise Refusal("a letter with digits is rather a name or a code")
        else:
            self._add("word", letter, tight)

    def _sign(self, tight: bool) -> None:
        sign = self.text[self.at]
        if sign in SIGNS:
            self.at += 1
            self._add("sign", SIGNS[sign], tight)
            return
        for plain in PLAIN_SIGNS:
            if self.text.startswith(plain, self.at):
                if plain == "!=" and tight:
                    raise Refusal("5!=120 can be a factorial or an inequality", "ambiguous")
                self.at += len(plain)
                while plain == ".." and self.text[self.at : self.at + 1] == ".":
                    self.at += 1
                self.depth += (plain in "([{") - (plain in ")]}")
                self._add("sign", {"**": "^", "==": "="}.get(plain, plain), tight)
                return
        raise _outside()

    def _add(
        self,
        kind: Kind,
        text: str,
        tight: bool,
        *,
        value: Fraction | None = None,
        decimal: bool = False,
        indexed: bool = False,
    ) -> None:
        word = text.lower() if kind == "word" else text
        self.tokens.append(Token(kind, text, word, tight, value, decimal, indexed))
