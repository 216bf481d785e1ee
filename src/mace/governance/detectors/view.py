"""A text as rules see it: disguises folded away, every position traceable to the original.

Pure. Invisible characters vanish, every kind of digit becomes ASCII, full-width forms, dashes, dots and spaces become
their plain cousins, accents are dropped, and character references (`&#49;`, `%31`, `\\u0031`) are read. It decides
nothing. `span` must stay exact: redaction cuts the original text with what it returns.
"""

import html
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

_ASCII_CONTROLS = frozenset(map(chr, [*range(9), *range(14, 32), 127]))

_SAME_AS = {
    "-": "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u2043\u02d7\u00af\u2796\u23af\u2500\u2501",
    ".": "\u00b7\u2022\u2023\u2024\u2027\u2219\u22c5\u30fb\uff65\u3002\uff61\u06d4\u0387\u25cf\u25aa\u25e6\u2e31\u2e33",
    "/": "\u2044\u2215\u29f8\u2571",
    "|": "\u2502\u2503\u2758\u00a6\u01c0\u2223",
    ",": "\u060c\u3001\u201a\u066b\u066c",
    ":": "\u2236\ua789\u02d0\u05c3",
    "_": "\u203f\u2017\u2040",
    "'": "\u2018\u2019\u02bc\u00b4\u2032",
    "\n": "\u2028\u2029\x85",
    " ": "\u2420\u2423\u2800\u3164\u115f\u1160\uffa0",
}
_FOLDED = {char: plain for plain, chars in _SAME_AS.items() for char in chars}

# Letters of scripts that lean on combining marks keep them; these ranges only decorate.
_DECORATION = re.compile(
    "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe00-\ufe0f\ufe20-\ufe2f]"
)

_ESCAPE = re.compile(
    r"&(?:amp;){0,4}(?:#[0-9]{1,7};?|#[xX][0-9a-fA-F]{1,6};?|[A-Za-z][A-Za-z0-9]{1,31};)"
    r"|(?:%[0-9a-fA-F]{2}){1,64}"
    r"|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\\[nrt](?=\w)"
)


_ESCAPE_SIGN = re.compile(r"[&%\\]")


class View:
    """The folded text, its lower-case twin of the same length, and the way back to the original."""

    __slots__ = (
        "_marks",
        "_narrow",
        "_origins",
        "_widths",
        "_words",
        "ascii",
        "cues",
        "field",
        "has_digit",
        "has_number",
        "lower",
        "places",
        "stems",
        "text",
    )

    def __init__(self, original: str, field: str | None = None) -> None:
        # Stretches of the view: where each starts, where it starts in the original, and for a character that stands for
        # several the number it stands for (0 for a stretch that runs on one to one). Empty when nothing moved.
        self._marks: list[int] = []
        self._origins: list[int] = []
        self._widths: list[int] = []
        self._words: dict[str, list[int]] | None = None
        self._narrow: bytes | None = None
        self.cues: dict[Any, set[str]] | None = None  # kept for `cues.py`, which works it out once
        self.places: dict[str, list[int]] = {}  # likewise: where the beginnings of cues stand
        self.stems: dict[str, list[str]] = {}  # likewise: the words they stand at
        self.text = self._fold(original)
        self.lower = _lower(self.text)
        self.ascii = self.text.isascii()
        self.has_digit = _DIGIT.search(self.text) is not None
        # Whether there may be digits enough for a telephone number or a card; a long text is not counted through.
        self.has_number = self.has_digit and (len(self.text) > 200 or len(_DIGIT.findall(self.text)) >= 6)
        self.field = fold_name(field) if field else ""

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the original offsets of view positions `start` (first) to `end` (one past the last)."""
        if not self._marks:
            return start, end
        first = bisect_right(self._marks, start) - 1
        last = bisect_right(self._marks, end - 1) - 1
        begin = self._origins[first] + (0 if self._widths[first] else start - self._marks[first])
        stop = self._origins[last] + (self._widths[last] or end - self._marks[last])
        return begin, stop

    @property
    def words(self) -> dict[str, list[int]]:
        """The distinct words of the lower-case text and where each stands; made once, when a rule first asks."""
        if self._words is None:
            found: dict[str, list[int]] = {}
            enter = found.setdefault
            for match in WORD.finditer(self.lower):
                enter(match[0], []).append(match.start())
            self._words = found
        return self._words

    def places_of(self, sign: str) -> Iterator[int]:
        """Yield where a text in ASCII stands, overlapping places too.

        In a text with wide characters it is looked for in a twin of bytes, where every other character is a `?`: that
        has the same places and is searched quicker. A sign holds no `?` itself.
        """
        if not self.ascii and self._narrow is None:
            self._narrow = self.text.encode("ascii", "replace")
        if self._narrow is None:
            at = self.text.find(sign)
            while at >= 0:
                yield at
                at = self.text.find(sign, at + 1)
            return
        sought = sign.encode()
        at = self._narrow.find(sought)
        while at >= 0:
            yield at
            at = self._narrow.find(sought, at + 1)

    def _fold(self, original: str) -> str:
        seen = set(original)
        plain: dict[int, str] = {}  # characters with a cousin of the same length
        moving = []
        for char in seen & _ASCII_CONTROLS if original.isascii() else seen:
            folded = fold_char(char)
            if folded is not None and len(folded) == 1:
                plain[ord(char)] = folded
            elif folded is not None:
                moving.append(char)
        text = _replace(original, plain)
        escaped = not seen.isdisjoint("&%\\") and any(_matches(_ESCAPE, _ESCAPE_SIGN, text))
        return self._fold_moving(text, moving) if moving or escaped else text

    def _fold_moving(self, text: str, moving: list[str]) -> str:
        """Fold what changes lengths, noting the way back."""
        chars = re.escape("".join(sorted(moving)))
        pattern = re.compile(f"[{chars}]+|{_ESCAPE.pattern}") if chars else _ESCAPE
        marks, origins, widths, parts = [0], [0], [0], []
        done = size = 0
        for match in _matches(pattern, re.compile(rf"[{chars}&%\\]"), text):
            pieces = _read(match.group())
            if pieces is None:
                continue
            at = match.start()
            parts.append(text[done:at])
            size += at - done
            for plain, width in pieces:
                if plain:
                    parts.append(plain)
                    marks += range(size, size + len(plain))
                    origins += [at] * len(plain)
                    widths += [width] * len(plain)
                    size += len(plain)
                at += width
            done = match.end()
            marks.append(size)
            origins.append(done)
            widths.append(0)
        parts.append(text[done:])
        self._marks, self._origins, self._widths = marks, origins, widths
        return "".join(parts)


def _matches(pattern: re.Pattern[str], first: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Yield what `pattern.finditer` would; a sign it can begin with is found far quicker than the choice it is."""
    at = first.search(text)
    while at is not None:
        match = pattern.match(text, at.start())
        if match is not None:
            yield match
        at = first.search(text, at.end() if match is None else match.end())


def _replace(text: str, plain: dict[int, str]) -> str:
    """Put each character's cousin in its place; a table is slow, so stretches of ASCII do not go through it."""
    if not plain:
        return text
    return _NOT_ASCII.sub(lambda match: match.group().translate(plain), text)


_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
_DIGIT = re.compile("[0-9]")
WORD = re.compile(r"[^\W\d_][^\W\d_]+")


def _lower(text: str) -> str:
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(low if len(low := char.lower()) == 1 else char for char in text)  # İ grows by one


@lru_cache(maxsize=8192)
def fold_char(char: str) -> str | None:
    """Return what a character stands for, "" for one nobody sees, None for one that stands for itself."""
    if char < "\x80":
        return "" if char in _ASCII_CONTROLS else None
    if (plain := _FOLDED.get(char)) is not None:
        return plain
    category = unicodedata.category(char)
    if category == "Cf" or _DECORATION.match(char) or 0xE0000 <= ord(char) <= 0xE0FFF:
        return ""
    if category == "Zs":
        return " "
    if category == "Pd":
        return "-"
    if (digit := unicodedata.digit(char, None)) is not None:
        return str(digit)
    compatible = unicodedata.normalize("NFKD", char)
    bare = _DECORATION.sub("", compatible)
    if bare != char and bare.isascii() and (len(bare) == 1 or bare.isdigit()):
        return bare
    return None


def fold(text: str) -> str:
    """Return `text` as a view shows it, without the way back."""
    return View(text).text


@lru_cache(maxsize=2048)
def fold_name(name: str) -> str:
    """Return a field name as lower-case words joined by `_`: `dateOfBirth` and `Date of birth` are one."""
    last = fold(name[-200:])  # the end of a long path says most
    spread = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", last)
    return re.sub(r"[\W_]+", "_", spread.lower()).strip("_")


def _read(token: str) -> list[tuple[str, int]] | None:
    """Return (text, original width) for each character a disguise stands for; None when it is none."""
    first = token[0]
    if first == "&" and len(token) > 1:
        bare = "&" + token[1:].removeprefix("amp;").removeprefix("amp;").removeprefix("amp;").removeprefix("amp;")
        decoded = html.unescape(bare) if len(bare) > 1 else "&"
        if decoded == bare or len(decoded) != 1:
            return [("&", len(token))] if bare == "&" else None
        return [(_plain(decoded), len(token))]
    if first == "%" and len(token) > 1:
        return _percent(token)
    if first == "\\" and len(token) > 1:
        if token[1] in "nrt":
            return [("\n" if token[1] == "n" else " ", 2)]
        code = int(token[2:], 16)
        return None if 0xD800 <= code <= 0xDFFF else [(_plain(chr(code)), len(token))]
    return [(_plain(char), 1) for char in token]


def _percent(token: str) -> list[tuple[str, int]] | None:
    try:
        decoded = bytes.fromhex(token.replace("%", "")).decode()
    except UnicodeDecodeError:
        return None
    return [(_plain(char), 3 * len(char.encode())) for char in decoded]


def _plain(char: str) -> str:
    plain = fold_char(char)
    return char if plain is None else plain
