"""A text as rules see it: disguises folded away, every position traceable to the original.

Pure. Invisible characters vanish, every kind of digit becomes ASCII, full-width forms, dashes, dots and spaces become
their plain cousins, accents are dropped, and character references (`&#49;`, `%31`, `\\u0031`) are read. It decides
nothing. `span` must stay exact: redaction cuts the original text with what it returns.
"""

import html
import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence, Set
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
_ESCAPE_2 = re.compile(_ESCAPE.pattern.replace(r"(?=\w)", r"(?=[\w+(\"'#\[])"))


_TO_FOLD = bytes([*range(9), *range(14, 32), 127]) + b"&%\\"  # of ASCII, what may stand for something else
_ESCAPE_SIGN = re.compile(r"[&%\\]")

_SMALL, _CAPITALS, _DIGITS = b"abcdefghijklmnopqrstuvwxyz", b"ABCDEFGHIJKLMNOPQRSTUVWXYZ", b"0123456789"
_SHAPES = bytes.maketrans(_SMALL + _CAPITALS + _DIGITS + b"\t\n\v\f\r", b"a" * 26 + b"A" * 26 + b"0" * 10 + b" " * 5)
_LETTERS = bytes(code if code in _SMALL else code + 32 if code in _CAPITALS else 32 for code in range(256))
_PACKED = bytes.maketrans(_CAPITALS + _DIGITS, _SMALL + b"0" * 10)
_PLAIN = _SMALL + _CAPITALS + b" ,\n"
_FEW = 16
_LONG = 20  # no token, seed or wallet is shorter
_DRAWN = bytes(97 if (chr(code).isalnum() and code < 128) or code in b"+/=_.-" else 32 for code in range(256))
SINGLE_LETTERS = frozenset(map(chr, _SMALL))

_NUMBER = re.compile(r"0[0 .\-_/|,*~()]{5,}")  # of a shape

_NOTHING = -1  # width of a character that the original does not have
NEWEST = 3  # version of the rules as a whole; see `engine.py`

# Scripts without spaces between words: a number in running text touches letters there, and every rule asks for an edge.
# Signs that belong to the number itself (year, month, house, floor) stay glued to it.
_UNSPACED = "[\u0e01-\u0e3a\u0e40-\u0e4e\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3]"
_GLUED = re.compile(
    f"(?<={_UNSPACED})(?<![年月日년월일])(?=[0-9A-Za-z+(])"
    f"|(?<=[A-Za-z)])(?={_UNSPACED})"
    f"|(?<=[0-9])(?={_UNSPACED})(?![年月日号號番丁目地巷弄楼樓室栋棟层層階時时分秒元円歳岁년월일])"
)


class View:
    """The folded text, its lower-case twin of the same length, and the way back to the original."""

    # Most texts need few of these: what is not asked for is not made, and an attribute left as it stands costs nothing.
    # Stretches of the view: where each starts, where it starts in the original, and for a character that stands for
    # several the number it stands for (0 for a stretch that runs on one to one). Empty when nothing moved.
    _marks: Sequence[int] = ()
    _origins: Sequence[int] = ()
    _widths: Sequence[int] = ()
    _words: dict[str, list[int]] | None = None
    _tokens: set[str] | None = None
    _vocabulary: Set[str] | None = None
    _joined: str | None = None
    _packed: bytes | None = None
    _is_long: bool | None = None
    _numbers: list[tuple[int, int, int]] | None = None
    cues: dict[Any, set[str]] | None = None  # kept for `cues.py`, which works it out once
    of_many = False  # many short texts in one: none of them is as long as the view
    speaking: Set[str] | None = None  # likewise: the words that are cues or call rules, or may
    bits = 0  # likewise: the rules that the words of the text call
    windows: dict[tuple[int, int], frozenset[str]] | None = None  # likewise: the words of windows asked for last
    places: dict[str, list[int]]  # likewise: where the beginnings of cues stand
    stems: dict[str, list[str]] | None = None  # likewise: the words they stand at

    def __init__(self, original: str, field: str | None = None, version: int = NEWEST) -> None:
        self.version = version  # of the rules that read it
        text = original
        if plain := text.isascii():
            narrow = text.encode()
            rest = narrow.translate(None, _PLAIN)
            if len(rest.translate(None, _TO_FOLD)) != len(rest):
                plain = False
        if not plain:
            text = self._fold(original)
            narrow = text.encode("ascii", "replace")
            rest = narrow.translate(None, _PLAIN)
            plain = text.isascii()
        self.text = text
        self.ascii = plain
        self.lower = text.lower() if plain else _lower(text)
        # Its twin in bytes of the same length, in which every character that is not ASCII is a `?`.
        self.narrow = narrow
        self.signs = signs = rest.translate(None, _DIGITS)  # what is no letter, digit, space, comma or end of a line
        self.digits = digits = len(rest) - len(signs)
        # The twin again: digits are `0`, capitals `A`, small letters `a`, white space is a space. Whether a form can
        # occur at all is a search for its shape, which costs a fraction of trying the form.
        self.shape = narrow.translate(_SHAPES).decode("ascii")
        self.has_digit = digits > 0
        self.field = fold_name(field) if field else ""

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the original offsets of view positions `start` (first) to `end` (one past the last)."""
        if not self._marks:
            return start, end
        first = bisect_right(self._marks, start) - 1
        last = bisect_right(self._marks, end - 1) - 1
        begin = self._origins[first] + (0 if self._widths[first] else start - self._marks[first])
        width = self._widths[last]
        stop = self._origins[last] + (0 if width == _NOTHING else width or end - self._marks[last])
        return begin, stop

    @property
    def tokens(self) -> set[str]:
        """The distinct words of the lower-case text, made once; of a text in ASCII single letters are among them."""
        if self._tokens is None:
            self._tokens = (
                set(self.narrow.translate(_LETTERS).decode("ascii").split())
                if self.ascii
                else set(WORD.findall(self.lower))
            )
        return self._tokens

    @property
    def narrow_tokens(self) -> set[str]:
        """The distinct runs of letters in ASCII of the lower-case text; single letters are among them."""
        return self.tokens if self.ascii else set(self.narrow.translate(_LETTERS).decode("ascii").split())

    @property
    def vocabulary(self) -> Set[str]:
        """The distinct words of at least two letters of the lower-case text; made once, when a rule first asks."""
        if self._vocabulary is None:
            self._vocabulary = self.tokens - SINGLE_LETTERS
        return self._vocabulary

    @property
    def words(self) -> dict[str, list[int]]:
        """The distinct words of the lower-case text and where each stands; made once, when a rule first asks."""
        if self._words is None:
            found: dict[str, list[int]] = {}
            enter = found.setdefault
            for match in (_ASCII_WORD if self.ascii else WORD).finditer(self.lower):
                enter(match[0], []).append(match.start())
            self._words = found
        return self._words

    def ending(self, endings: tuple[str, ...], least: int) -> list[tuple[str, list[int]]]:
        """Return the words of at least so many letters that end so, and where each stands; in no order.

        The endings are those that call rules (see `gates.py`), once the words of the text are known by them.
        """
        words = self.tokens if self.speaking is None else self.speaking
        found = [word for word in words if word.endswith(endings) and len(word) >= least]
        if self.ascii and len(found) <= _FEW:  # a few searches are quicker than a table of all words
            return [(word, self._alone(word)) for word in found]
        return [(word, self.words[word]) for word in found]

    def _alone(self, word: str) -> list[int]:
        """Where a word stands by itself in a text in ASCII."""
        lower, found = self.lower, []
        at = lower.find(word)
        while at >= 0:
            end = at + len(word)
            if not lower[end : end + 1].isalpha() and (at == 0 or not lower[at - 1].isalpha()):
                found.append(at)
            at = lower.find(word, end)
        return found

    def has_run(self, table: bytes, least: int) -> bool:
        """Say whether `runs` yields anything."""
        return "a" * least in self.narrow.translate(table).decode("ascii")

    def runs(self, table: bytes, least: int) -> Iterator[tuple[int, int]]:
        """Yield where at least so many characters of a class stand together; `run_of` makes the table."""
        marked = self.narrow.translate(table).decode("ascii")
        sought = "a" * least
        at = marked.find(sought)
        while at >= 0:
            end = marked.find(" ", at + least)
            if end < 0:
                end = len(marked)
            yield at, end
            at = marked.find(sought, end)

    @property
    def numbers(self) -> list[tuple[int, int, int]]:
        """Where at least six digits stand together with nothing but gaps and signs of numbers between them; made once.

        Of each such stretch where it starts and ends (signs and gaps behind it included) and how many digits it has.
        """
        if self._numbers is None:
            shape, found = self.shape, []
            for match in _NUMBER.finditer(shape):
                start, end = match.span()
                digits = shape.count("0", start, end)
                if digits >= 6:
                    found.append((start, end, digits))
            self._numbers = found
        return self._numbers

    def has_number(self, start: int, end: int, least: int = 6) -> bool:
        """Say whether the last of `numbers` that begins before `end` reaches beyond `start`, with so many digits."""
        numbers = self.numbers
        last = bisect_left(numbers, (end,)) - 1
        return last >= 0 and numbers[last][1] > start and numbers[last][2] >= least

    @property
    def is_long(self) -> bool:
        """Say whether anything may stand in the text that is drawn at random: so many signs without a gap."""
        if self._is_long is None:
            self._is_long = b"a" * _LONG in self.narrow.translate(_DRAWN)
        return self._is_long

    @property
    def joined(self) -> str:
        """The shape without white space and the signs that stand between the digits of one number; made once."""
        if self._joined is None:
            self._joined = self.narrow.translate(_SHAPES, b" \t\n\v\f\r.-_/|,*~#()").decode("ascii")
        return self._joined

    @property
    def packed(self) -> bytes:
        """The twin of bytes in small letters with every digit `0`, without what stands between the signs of one number.

        Made once. What a number must begin with is looked for in it, whatever stands between.
        """
        if self._packed is None:
            self._packed = self.narrow.translate(_PACKED, b" \t\n\v\f\r.-_/|,*~#()")
        return self._packed

    def places_of(self, sign: str) -> Iterator[int]:
        """Yield where a text in ASCII stands, overlapping places too; it holds no `?`.

        It is looked for in the twin of bytes, which is searched quicker than a text with wide characters.
        """
        sought = sign.encode()
        at = self.narrow.find(sought)
        while at >= 0:
            yield at
            at = self.narrow.find(sought, at + 1)

    @property
    def _escape(self) -> re.Pattern[str]:
        return _ESCAPE_2 if self.version >= 2 else _ESCAPE

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
        escaped = not seen.isdisjoint("&%\\") and any(_matches(self._escape, _ESCAPE_SIGN, text))
        text = self._fold_moving(text, moving) if moving or escaped else text
        return self._spread(text) if self.version >= 2 and not text.isascii() else text

    def _spread(self, text: str) -> str:
        """Put a space between a number and the letters it touches in a script without spaces; it stands for nothing."""
        places = [match.start() for match in _GLUED.finditer(text)]
        if not places:
            return text
        parts: list[str] = []
        old = list(zip(self._marks, self._origins, self._widths, strict=True)) or [(0, 0, 0)]
        marks: list[int] = []
        origins: list[int] = []
        widths: list[int] = []
        at = done = 0
        for shift, place in enumerate([*places, len(text) + 1]):
            while at < len(old) and old[at][0] < place:
                marks.append(old[at][0] + shift)
                origins.append(old[at][1])
                widths.append(old[at][2])
                at += 1
            parts.append(text[done:place])
            done = place
            if shift == len(places):
                break
            here = at < len(old) and old[at][0] == place  # what begins here is told after the space
            origin = old[at][1] if here else origins[-1] + place + shift - marks[-1]
            marks.append(place + shift)
            origins.append(origin)
            widths.append(_NOTHING)
            if not here:
                marks.append(place + shift + 1)
                origins.append(origin)
                widths.append(0)
            parts.append(" ")
        self._marks, self._origins, self._widths = marks, origins, widths
        return "".join(parts)

    def _fold_moving(self, text: str, moving: list[str]) -> str:
        """Fold what changes lengths, noting the way back."""
        chars = re.escape("".join(sorted(moving)))
        pattern = re.compile(f"[{chars}]+|{self._escape.pattern}") if chars else self._escape
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
    if len(plain) <= _FEW:  # no cousin has a cousin itself
        for code, cousin in plain.items():
            text = text.replace(chr(code), cousin)
        return text
    return _NOT_ASCII.sub(lambda match: match.group().translate(plain), text)


_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
_ASCII_WORD = re.compile("[a-z]{2,}")
WORD = re.compile(r"[^\W\d_][^\W\d_]+")


def is_unfolded(text: str) -> bool:
    """Say whether nothing in a text in ASCII may stand for something else."""
    return len(text.encode().translate(None, _TO_FOLD)) == len(text)


def words_of(text: str) -> list[str]:
    """Return the runs of letters of a text in ASCII, in small letters."""
    return text.encode().translate(_LETTERS).decode("ascii").split()


def run_of(characters: str) -> bytes:
    """Return the table for `View.runs` of a class of characters as patterns write it: `A-Za-z0-9`."""
    return bytes(97 if re.match(f"[{characters}]", chr(code)) else 32 for code in range(256))


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


_LONGEST_NAME = 200
_FOLDED_NAME = re.compile("[a-z0-9]+(?:_[a-z0-9]+)*+")  # as the attributes of facts are


@lru_cache(maxsize=2048)
def fold_name(name: str) -> str:
    """Return a field name as lower-case words joined by `_`: `dateOfBirth` and `Date of birth` are one."""
    if len(name) <= _LONGEST_NAME and _FOLDED_NAME.fullmatch(name) is not None:
        return name
    last = fold(name[-_LONGEST_NAME:])  # the end of a long path says most
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
