"""Which characters are letters, marks and digits: as in Unicode 14.0, whatever Python's own tables say.

Words of an intent become part of a tag, and a tag must be the same on every Python, for ever. Python's tables grow with
each version: a letter of a new script would join a word that was stored without it. So the table is pinned here, and
characters that came later are no letters. Changing it changes tags.
"""

import unicodedata
from bisect import bisect_right
from functools import cache

# Runs of letters and digits (-) and of marks (.): how far behind the last run, and how many more than one; base 36.
_RUNS = (
    "1c-9 7-p 6-p 1b-0 7-1 1-0 3-1 1-2 1-m 1-u 1-cp 4-b e-4 7-0 1-0 h.33 0-4 1-1 2-3 1-0 6-0 1-2 1-0 1-j 1-2a "
    "1-3u 1.6 0-4l 1-11 2-0 6-14 8.18 1.0 1.1 1.1 1.0 8-q 4-3 t.a 5-16 0.k 0-9 4-1 0.0 0-2q 1-0 0.6 2.5 0-1 0.1 "
    "1.3 0-e 2-0 g-0 0.0 0-t 0.q 2-2g 0.a 0-0 e-16 0.8 0-1 4-0 2.0 2-l 0.3 0-0 0.8 0-0 0.2 0-0 0.4 i-o 0.2 4-a "
    "5-n 1-5 9.7 0-15 0.n 1.w 0-1h 0.2 0-0 0.h 0-0 0.6 0-9 0.1 2-9 1-f 0.2 1-7 2-1 2-l 1-6 1-0 3-3 2.0 0-0 0.6 "
    "2.1 2.2 0-0 8.0 4-1 1-2 0.1 2-b 2-5 2-0 1.0 2.2 1-5 4-1 2-l 1-6 1-1 1-1 1-1 2.0 1.4 4.1 2.2 3.0 7-3 1-0 7-9 "
    "0.1 0-2 0.0 b.2 1-8 1-2 1-l 1-6 1-1 1-4 2.0 0-0 0.7 1.2 1.2 2-0 f-1 0.1 2-9 9-0 0.5 1.2 1-7 2-1 2-l 1-6 1-1 "
    "1-4 2.0 0-0 0.6 2.1 2.2 7.2 4-1 1-2 0.1 2-9 1-6 a.0 0-0 1-5 3-2 1-3 3-1 1-0 1-1 3-1 3-2 3-b 4.4 3.2 1.3 2-0 "
    "6.0 e-c d.4 0-7 1-2 1-m 1-f 2.0 0-0 0.6 1.2 1.3 7.1 1-2 2-0 2-1 0.1 2-9 8-6 1-0 0.2 1-7 1-2 1-m 1-9 1-4 2.0 "
    "0-0 0.6 1.2 1.3 7.1 6-1 1-1 0.1 2-9 1-1 d.3 0-8 1-2 1-14 0.1 0-0 0.6 1.2 1.3 0-0 5-2 0.0 0-9 0.1 2-i 1-5 1.2 "
    "1-h 3-n 1-8 1-0 2-6 3.0 4.5 1.0 1.7 6-9 2.1 d-1b 0.0 0-1 0.6 5-6 0.7 1-9 13-1 1-0 1-4 1-n 1-0 1-9 0.0 0-1 "
    "0.8 0-0 2-4 1-0 1.5 2-9 2-3 w-0 n.1 6-j 1.0 1.0 1.0 4.1 0-7 1-z 4.j 1.1 0-4 0.a 1.z 9.0 1l-16 0.j 0-a 6-5 "
    "0.3 0-3 0.2 0-0 0.2 0-1 0.6 0-2 0.3 0-c 0.b 0-0 0.0 0-9 0.3 2-11 1-0 5-0 2-16 1-98 1-3 2-6 1-0 1-3 2-14 1-3 "
    "2-w 1-3 2-6 1-0 1-3 2-e 1-1k 1-3 2-1u 2.2 9-j 3-f g-2d 2-5 3-h7 2-g 1-p 5-22 3-a 7-h 0.3 9-i 0.2 b-h 0.1 c-c "
    "1-2 1.1 c-1f 0.v 3-0 4-0 0.0 2-9 6-9 h.2 1.0 0-9 6-2g 7-4 0.1 0-x 0.0 0-0 5-1x a-u 1.b 4.b a-13 2-4 b-17 4-p "
    "6-a 11-m 0.4 4-1g 0.9 1.s 2.0 0-9 6-9 d-0 8.u 1d.4 0-1a 0.g 0-7 3-9 h.8 c.2 0-t 0.c 0-1j 0.d c-z 0.j 8-9 "
    "3-1c 2-8 7-16 2-2 g.2 1.k 0-3 0.0 0-5 0.0 0-1 0.2 0-0 5-5b 0.1r 0-7p 2-5 2-11 2-5 2-7 1-0 1-0 1-0 1-u 2-1g "
    "1-6 1-0 3-2 1-6 3-3 2-5 4-c 5-2 1-6 37-1 2-5 5-a 6-c 1f.w h-0 4-0 2-9 1-0 3-4 6-0 1-0 1-0 1-3 1-a 2-3 5-4 "
    "4-0 1-1l k6-1n 26-l hi-t vg-6c 6-3 0.2 0-1 9-0 2-11 1-0 5-0 2-1j 7-0 f.0 0-m 9-6 1-6 1-6 1-6 1-6 1-6 1-6 1-6 "
    "1.v 1b-0 d1-2 p-8 0.5 1-4 2-4 4-2d 2.1 2-2 1-2h 1-3 5-16 1-2l 3-3 a-v 1c-f w-9 u-7 1-e w-9 13-e 8w-533 "
    "1s-h3g 1v-19 2-7g 3-r k-1a 0.3 1.9 1-u 0.1 0-27 0.1 11-8 2-2u 2-1r 5-1 1-0 1-4 o-f 0.0 0-2 0.0 0-3 0.0 0-m "
    "0.4 4.0 3-5 a-1f c.1 0-1d 0.h a-9 6.h 0-5 3-0 1-1 0.0 0-11 0.7 2-m 0.c c-s 3.3 0-1a 0.d e-a 6-4 0.0 0-o 1-14 "
    "0.d 9-2 0.0 0-7 0.1 2-9 6-m 3-0 0.2 0-1d 0.0 0-0 0.2 0-1 0.1 0-4 0.1 0-0 0.0 0-0 o-2 2-a 0.4 2-2 0.1 a-5 2-5 "
    "2-5 9-6 1-6 1-16 1-d 6-36 0.7 1.1 2-9 6-8mb c-m 4-1c 6is-a5 2-2x 12-6 c-4 5-0 0.0 0-9 1-c 1-4 1-0 1-1 1-1 "
    "1-2z x-a2 i-1r 2-1h 14-b 4.f g.f 1s-4 1-3q j-9 7-p 6-p b-2g 3-5 2-5 2-5 2-2 z-b 1-p 1-i 1-1 1-e 2-d y-3e "
    "c-18 c-1k h-1 35.0 3m-s 3-1c f.0 0-q 4-z 9-t 5-11 0.4 5-t 2-z 4-7 1-4 16-4d 2-9 6-z 4-z 4-13 8-1f c-a 1-e "
    "1-6 1-1 1-a 1-e 1-6 1-1 1v-8m 9-l a-7 o-5 1-15 1-8 1x-5 2-0 1-17 1-1 3-0 2-m 2-u 2-11 8-8 1c-i 1-1 5-w 4-p "
    "1y-1j 4-j 2-1a 0.2 1.1 5.3 0-3 1-2 1-s 2.2 4.0 0-8 n-u 1-v w-7 1-r 0.1 4-4 g-1h a-l 2-q 5-p n-6 28-20 1j-1e "
    "d-1e 7-15 0.3 8-9 86-u 1-15 1.1 3-1 26-13 8-l 0.a 0-3 r-h 0.3 16-r k-m 9.2 0-1g 0.e b-t 0.0 0-1 0.1 0-0 9.3 "
    "0-18 0.a 7.0 d-o 7-9 6.2 0-z 0.d 1-9 4-0 0.1 0-0 8-y 0.0 2-0 9.2 0-1b 0.d 0-3 4.3 1.1 0-a 1-0 4-j b-h 1-o "
    "0.b 6.0 1t-6 1-0 1-3 1-e 1-9 7-1a 0.b 5-9 6.3 1-7 2-1 2-l 1-6 1-1 1-4 1.1 0-0 0.6 2.1 2.2 2-0 6.0 5-4 0.1 "
    "2.6 3.4 3v-1g 0.h 0-3 5-9 4.0 0-2 u-1b 0.j 0-1 1-0 8-9 4m-1a 0.6 2.8 n-3 0.1 y-1b 0.g 3-0 b-9 12-16 0.c 0-0 "
    "7-9 1i-q 2.e 4-b 4-6 55-17 0.e 2t-2a c-7 2-0 2-7 1-1 1-n 0.5 1.1 2.3 0-0 0.0 0-0 0.1 c-9 1y-7 2-12 0.6 2.6 "
    "0-0 1-0 0.0 r-0 0.9 0-13 0.6 0-0 0.3 8.0 8-0 0.a 0-19 0.f 3-0 i-20 7b-8 1-10 0.7 1.7 0-0 f-s 5-t 2.l 1.d "
    "21-6 1-1 1-11 0.5 3.0 1.1 1.6 0-0 0.0 8-9 6-5 1-1 1-v 0.4 1.1 1.4 0-0 7-9 8m-i 0.3 55-0 f-k 17-pl 2u-32 h-5f "
    "218-2o f-tq 34h-g6 6nt-fs 7-u 1-9 6-26 1-9 6-t 2.4 b-1b 0.6 9-3 c-9 1-6 1-k 5-i j4-2e 2x-22 4.0 0-0 0.1i 7.3 "
    "0-c 1s-1 1-0 0.0 b.1 e-4qf 8-yd 16-8 6w7-3 1-6 1-1 1-82 19-2 h-3 8-az 1s4-2y 5-c 3-8 7-9 3.1 3mp.19 2.m f2.4 "
    "3.5 8.7 2.6 u.3 44.2 4b-j 30-o 3r-2c 1-1y 1-1 2-0 2-1 2-3 1-b 1-0 1-6 1-1s 1-3 2-7 1-6 1-r 1-3 1-4 1-0 3-6 "
    "1-9f 2-o 1-o 1-u 1-o 1-u 1-o 1-u 1-o 1-u 1-o 1-7 2-1d e8.1i 4.1d 8.0 e.0 m.4 1.e uo-u 69.6 1.g 2.6 1.1 1.4 "
    "5x-18 3.6 0-6 2-9 4-0 8x-t 0.0 h-17 0.3 0-9 yu-6 1-3 1-1 1-e 1-5g 2-8 0.6 15-1v 0.6 0-0 4-9 lz-1m 1-2 1-3 "
    "24-18 1-e 5e-3 1-q 1-1 1-0 2-0 1-9 1-3 1-0 1-0 6-0 4-0 1-0 1-0 1-2 1-1 1-0 2-0 1-0 1-0 1-0 1-0 1-1 1-0 2-3 "
    "1-6 1-3 1-3 1-0 1-9 1-g 5-2 1-4 1-g g4-c 25f-9 sm-wyn w-37c 7-65 2-4g1 e-5rk 2e7-f1 15u-3t6 fcmt.6n "
)
_UNKNOWN = "\ufffd"  # neither a letter nor a space, and nothing composes with it


@cache
def _table() -> tuple[list[int], list[int], list[str]]:
    """First and last character of each run, and its kind."""
    firsts, lasts, kinds = [], [], []
    at = 0
    for run in _RUNS.split():
        kind = "M" if "." in run else "L"
        gap, _, more = run.partition("." if kind == "M" else "-")
        first = at + int(gap, 36)
        at = first + int(more, 36) + 1
        firsts.append(first)
        lasts.append(at - 1)
        kinds.append(kind)
    return firsts, lasts, kinds


def kind_of(character: str) -> str:
    """`L` for a letter or a digit, `M` for a mark, else nothing."""
    if character.isascii():
        return "L" if character.isalnum() else ""
    firsts, lasts, kinds = _table()
    at = bisect_right(firsts, ord(character)) - 1
    return kinds[at] if at >= 0 and ord(character) <= lasts[at] else ""


def pinned(text: str) -> str:
    """The text in NFC and in lower case, with what came after the table replaced, so that nothing new acts on it.

    Composition and case of characters that are in the table do not change any more (Unicode's stability policy); of all
    others those count that were there in Unicode 3.2, which every Python has.
    """
    if text.isascii():
        return text.lower()
    known = (
        character if kind_of(character) or unicodedata.ucd_3_2_0.category(character) != "Cn" else _UNKNOWN
        for character in text
    )
    return unicodedata.normalize("NFC", "".join(known)).lower()
