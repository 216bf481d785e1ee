"""Words that somebody planted, and the forms in which they could lie in bytes.

Pure. What is looked for is never part of an answer: an answer says which of the words it was, by number, in which form.
"""

import base64
import json
import re
import urllib.parse
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from mace.core.errors import InvalidInput

LEAST = 4  # characters of a word; less stands in any file
MOST_WORDS = 100
MOST_CHARS = 1000
_GZIP = b"\x1f\x8b\x08"
_MOST_UNPACKED = 64 << 20  # bytes of one gzip member
_MOST_MEMBERS = 10_000  # in one piece: the mark is three bytes, and stands in other data by chance
_LEAST_BYTES = 4  # of a form


@dataclass(frozen=True, slots=True)
class Hit:
    """One of the words, by its number from 1 on, and the form it was found in."""

    word: int
    form: str


class Needles:
    """What is looked for."""

    def __init__(self, words: Sequence[str]) -> None:
        if not 0 < len(words) <= MOST_WORDS:
            raise InvalidInput(f"words must be a list of 1 to {MOST_WORDS} words")
        for number, word in enumerate(words, 1):
            if not isinstance(word, str) or not LEAST <= len(word.strip()) <= MOST_CHARS:
                raise InvalidInput(f"word {number} must have {LEAST} to {MOST_CHARS} characters")
        self._forms = {
            form: Hit(number, name)
            for number, word in reversed(list(enumerate(words, 1)))
            for name, form in reversed(list(forms_of(word.strip())))
        }
        self._any = re.compile(b"|".join(map(re.escape, sorted(self._forms, key=len, reverse=True))))
        self.longest = max(map(len, self._forms))

    def find(self, data: bytes) -> set[Hit]:
        """Every word and form in these bytes, also inside of what is packed with gzip."""
        found = self._plain(data)
        for unpacked in _unpacked(data):
            found |= {Hit(hit.word, "gzip") for hit in self._plain(unpacked)}
        return found

    def _plain(self, data: bytes) -> set[Hit]:
        found: set[Hit] = set()
        if self._any.search(data) is not None:
            found = {hit for form, hit in self._forms.items() if form in data}
        return found


def forms_of(word: str) -> Iterator[tuple[str, bytes]]:
    """The names of forms, and the bytes of each; the simplest first."""
    spellings = dict.fromkeys([word, word.lower(), word.casefold(), re.sub(r"\W+", "_", word.lower()).strip("_")])
    for spelling in spellings:
        raw = spelling.encode("utf-8", "surrogatepass")
        if len(raw) < _LEAST_BYTES:
            continue
        yield "plain", raw
        escaped = json.dumps(spelling)[1:-1].encode()
        if escaped != raw:
            yield "JSON", escaped
        quoted = urllib.parse.quote(raw, safe="").encode()
        if quoted != raw:
            yield "URL", quoted
        yield "UTF-16", spelling.encode("utf-16-le", "surrogatepass")
        yield "UTF-16", spelling.encode("utf-16-be", "surrogatepass")
        yield "hex", raw.hex().encode()
        yield "hex", raw.hex().upper().encode()
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            yield from (("base64", form) for form in _inside(encode, raw) if len(form) >= _LEAST_BYTES)


def _inside(encode: Callable[[bytes], bytes], raw: bytes) -> Iterator[bytes]:
    """The characters that stand for a text wherever it begins in what was encoded: those that no neighbour changes."""
    for shift in range(3):
        whole = encode(bytes(shift) + raw)
        bits = 8 * (shift + len(raw))
        yield whole[-(-8 * shift // 6) : bits // 6]


def _unpacked(data: bytes) -> Iterator[bytes]:
    at = data.find(_GZIP)
    for _ in range(_MOST_MEMBERS):
        if at < 0:
            return
        try:
            unpacked = zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(data[at:], _MOST_UNPACKED)
        except zlib.error:
            unpacked = b""
        if unpacked:
            yield unpacked
        at = data.find(_GZIP, at + 1)
