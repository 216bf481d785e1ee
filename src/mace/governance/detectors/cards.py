"""Payment cards: issuer prefix, length for that issuer, Luhn, and grouping.

Pure. Bare runs count only in the lengths issuers really use; odd spacing counts when the whole run is one card or a
cue stands near. What would hurt: accepting any window of a longer digit run makes every table of numbers a card.
"""

from collections.abc import Iterator
from itertools import pairwise

from mace.governance.detectors.cues import Cue
from mace.governance.detectors.findings import Hit, Rule
from mace.governance.detectors.late import late
from mace.governance.detectors.view import View

RULES = {
    "card.bare": Rule("payment_card", 2),
    "card.grouped": Rule("payment_card", 1),
    "card.cued": Rule("payment_card", 1),
    "card.named": Rule("payment_card", 1),
}

CUE = Cue(
    [
        "card*", "visa", "mastercard*", "amex", "american express", "discover", "maestro", "jcb", "diners*", "unionpay",
        "credit*", "debit*", "cc", "ccn", "pan", "kreditkart*", "kartennummer*", "carte", "tarjeta*", "carta", "cartao",
        "creditcard*", "kaart*", "karta", "karty", "karte", "kort", "kortnummer*", "kartnumarasi",
    ],
    fields=["card", "cards", "card_?(?:no|num|number)", "cc", "ccn", "cc_?num(?:ber)?", "credit_?card", "creditcard",
            "debit_?card", "pan", "payment_?card"],
)  # fmt: skip

_RUN = late(r"[0-9](?<![0-9A-Za-z][0-9])(?:[ \t\r\n.\-_/|,*~#]{0,3}+[0-9]){11,}(?![0-9A-Za-z])")
_GROUP = late("[0-9]+")
_GAPS = b" \t\r\n.-_/|,*~#"  # what `_RUN` lets stand between digits
_PROMISING = late("[0-9]{13}|[2-6][0-9]{3}[^0-9]{1,3}(?:[0-9]{4}[^0-9]{1,3}[0-9]{4}|[0-9]{6}[^0-9])")
# Without one of these a run can only be a card as a whole.
_LAID_OUT = late("[0-9]{12}|[0-9]{4}[^0-9]{1,3}(?:[0-9]{4}[^0-9]{1,3}[0-9]|[0-9]{6}[^0-9])")
# Names under which programs write numbers of their own: a bare run after one is no card unless a cue says so.
_MACHINE = late(
    r"(?:[\w\]\")']=|\"\s?:)\s?\"?$"
    r"|(?:^|[^a-z])(?:id|ids|seq|node|offset|order|ref|trace|span|key|uid|pid|ts|time|epoch|count|bytes|size|"
    r"serial|index|slot|shard|"
    r"snowflake|session|request|txn|invoice|tracking|parcel|sku|isbn|ean|upc|gtin|imei|barcode|lag|total|commit|"
    r"build|job|"
    r"block|height|nonce|hash|version|values|row|rows|timestamp)[\s:#=\"'(\[_-]{0,3}$"
)

# Issuer prefixes and the lengths each uses (ISO/IEC 7812 ranges as published by the schemes).
_BRANDS = (
    ("4", (16, 13, 19)),
    ("5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720", (16,)),
    ("3[47]", (15,)),
    ("6011|64[4-9]|65", (16, 19)),
    ("30[0-5]|309|36|38|39", (14,)),
    ("35", (16, 19)),
    ("62|81", (16, 17, 18, 19)),
    ("220[0-4]", (16, 17, 18, 19)),
    ("9792", (16,)),
    ("60|65|82|508", (16,)),
    ("5018|5020|5038|5893|6304|6759|676[1-3]|0604", (12, 13, 14, 15, 16, 17, 18, 19)),
)
_PREFIXES = {size: late("|".join(prefixes for prefixes, sizes in _BRANDS if size in sizes)) for size in range(12, 20)}
# A group of a hex dump beside a number; before a row, the offset of one (`0000a0f0: `).
_HEX = r"(?=[0-9]{0,3}[A-Fa-f])(?=[A-Fa-f]{0,3}[0-9])[0-9A-Fa-f]{4}"
DUMP_BEFORE = late(rf"\b{_HEX}\s$")
_DUMP_AFTER = late(rf"\s{_HEX}\b")
_OFFSET_BEFORE = late(r"\b(?=[A-Fa-f]{0,15}[0-9])[0-9A-Fa-f]{4,16}:\s$")
_MOST = late("4|5[1-5]|6011|65")
_COMMON = late("4|5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720|3[47]|35(?:2[89]|[3-8])|36|6011|62|64[4-9]|65")
_FIRST_DIGITS = frozenset("23456890")
_USUAL = frozenset({14, 15, 16})  # bare numbers of other lengths are ids far more often than cards
_LAYOUTS = ((4, 4, 4, 4, 3), (4, 4, 4, 4), (4, 6, 5), (4, 6, 4), (4, 4, 4, 1))

_DOUBLED = str.maketrans("0123456789", "0246813579")


def luhn(digits: str) -> bool:
    """Say whether the last digit is the Luhn check digit of the others."""
    odd, even = digits[-1::-2], digits[-2::-2].translate(_DOUBLED)
    return (sum(map(int, odd)) + sum(map(int, even))) % 10 == 0


def is_card(digits: str) -> bool:
    """Say whether digits have an issuer's prefix, a length it uses, and a right check digit."""
    prefixes = _PREFIXES.get(len(digits))
    return prefixes is not None and prefixes.match(digits) is not None and len(set(digits)) > 1 and luhn(digits)


_ACCOUNT_BEFORE = late(
    r"(?:账号|帐号|账户|帐户|户口|계좌|계좌번호|口座番号|खाता|खाता\s(?:संख्या|नंबर|सं))[\s:：是为は()（）]{0,4}\Z"
)


def find(view: View) -> Iterator[Hit]:
    """Yield the cards in a view."""
    if view.digits < 6:
        return
    text = view.text
    cued = CUE.names(view.field) or CUE.in_text(view)
    for run in _RUN.finditer(text):
        written = run.group()
        if view.version >= 2 and not view.ascii and _ACCOUNT_BEFORE.search(text, max(0, run.start() - 16), run.start()):
            continue  # an account's number is longer in some countries, and may pass for a card
        if written.isdigit():
            if is_card(written) and _bare(view, *run.span(), cued):
                yield Hit("card.bare", *run.span())
            elif cued and view.version >= 2 and _named(view, *run.span()):
                yield Hit("card.named", *run.span())
            continue
        start, end = run.span()
        digits = view.narrow[start:end].translate(None, _GAPS)
        if len(digits) <= 19:
            likely = _LAID_OUT.search(written) is not None or is_card(digits.decode())
        else:
            likely = _PROMISING.search(written) is not None
        if likely or (cued and CUE.near(view, start, end)):
            groups = [(start + match.start(), start + match.end()) for match in _GROUP.finditer(written)]
            yield from _in_run(view, groups, cued)


def _named(view: View, start: int, end: int) -> bool:
    """Say whether a number right after a word for cards has a card's length and check digit, whoever issued it.

    Old cards of JCB have 15 digits and begin with 1800 or 2131; some debit cards begin with what no table lists.
    """
    digits = view.text[start:end]
    return 12 <= len(digits) <= 19 and len(set(digits)) > 2 and luhn(digits) and CUE.near(view, start, end, after=0)


def _decimal(text: str, start: int, end: int, cued: bool) -> bool:
    """Say whether digits are part of a decimal number: a point and digits before them, or after.

    After `0.` they are, whatever word stands near; after any other number a word for cards wins.
    """
    before = _POINT_BEFORE.search(text, max(0, start - 20), start)
    if before is not None and before.group() in ("0.", "."):
        return True
    return not cued and (before is not None or _POINT_AFTER.match(text, end) is not None)


_POINT_BEFORE = late(r"(?<![0-9.])[0-9]*\.$")
_POINT_AFTER = late(r"\.[0-9]+(?![0-9.]|\s?[.\-/][0-9])")


def _in_run(view: View, groups: list[tuple[int, int]], cued: bool) -> Iterator[Hit]:
    text = view.text
    sizes = [end - start for start, end in groups]
    grouped: list[tuple[int, int]] = []  # first group and number of groups of each card
    index = 0
    while index < len(groups):
        width = 0
        if sizes[index] >= 12:
            if is_card(text[slice(*groups[index])]) and _bare(view, *groups[index], cued):
                yield Hit("card.bare", *groups[index])
        elif sizes[index] == 4 and text[groups[index][0]] in _FIRST_DIGITS:
            width = _layout(text, groups, sizes, index)
            if width:
                grouped.append((index, width))
        index += width or 1
    near = cued and CUE.near(view, groups[0][0], groups[-1][1])
    covered = {at for first, width in grouped for at in range(first, first + width)}
    for first, width in grouped:
        if near or not _in_table(text, groups, sizes, first, width, covered):
            yield Hit("card.grouped", groups[first][0], groups[first + width - 1][1])
    if not grouped and sum(sizes) <= 19 and _whole(text, groups, sizes, near):
        yield Hit("card.grouped", groups[0][0], groups[-1][1])
    elif not grouped and near:
        yield from _any_window(text, groups, sizes)


def _in_table(
    text: str, groups: list[tuple[int, int]], sizes: list[int], first: int, width: int, covered: set[int]
) -> bool:
    """Say whether a card stands in a row of equal numbers or a dump, which hold cards by chance.

    Rows of eight groups of four and more are tables, unless nearly all of them are cards. Amid other numbers a card of
    a rare issuer, or one broken over lines, is chance too.
    """
    last = first + width - 1
    written = text[groups[first][0] : groups[last][1]]
    if _COMMON.match(written) is None or "\n" in written.replace("-\n", ""):
        return len(groups) > width
    for _ in range(8):  # further than that a row is one anyway
        if first > 0 and _joins(text, groups[first - 1], text[groups[first - 1][1] : groups[first][0]]):
            first -= 1
        if last + 1 < len(groups) and _joins(text, groups[last + 1], text[groups[last][1] : groups[last + 1][0]]):
            last += 1
    left = text[max(0, groups[first][0] - 20) : groups[first][0]]
    if DUMP_BEFORE.search(left) is not None or _DUMP_AFTER.match(text, groups[last][1]) is not None:
        return True
    if last - first < 7:
        return False
    cards_only = len(covered.intersection(range(first, last + 1))) >= last - first - 1
    return not cards_only or _MOST.match(written) is None or _OFFSET_BEFORE.search(left) is not None


def _joins(text: str, group: tuple[int, int], gap: str) -> bool:
    """Say whether a group goes on a row of fours: four digits, a space from the next, and no dash on its other side."""
    start, end = group
    return end - start == 4 and gap == " " and "-" not in (text[start - 1 : start], text[end : end + 1])


def _bare(view: View, start: int, end: int, cued: bool) -> bool:
    """Say whether a run that could be a card is taken for one: told so, or not told to be something else."""
    near = cued and CUE.near(view, start, end)
    if view.version >= 2 and _decimal(view.text, start, end, near):
        return False
    if near:
        return True
    return end - start in _USUAL and _MACHINE.search(view.lower[max(0, start - 24) : start]) is None


def _layout(text: str, groups: list[tuple[int, int]], sizes: list[int], index: int) -> int:
    """Return how many groups from `index` form a card in a layout printed on cards, 0 for none."""
    for layout in _LAYOUTS:
        if tuple(sizes[index : index + len(layout)]) == layout:
            window = groups[index : index + len(layout)]
            if _one_gap(text, window) and is_card("".join(text[start:end] for start, end in window)):
                return len(layout)
    return 0


def _one_gap(text: str, groups: list[tuple[int, int]]) -> bool:
    """Say whether the same sign stands in every gap; any white space is one sign."""
    gaps = {"".join(text[left[1] : right[0]].split()) for left, right in pairwise(groups)}
    return len(gaps - {""}) <= 1


def _whole(text: str, groups: list[tuple[int, int]], sizes: list[int], near: bool) -> bool:
    """Say whether a run in odd groups is one card: even groups and one separator, or a cue."""
    if not is_card("".join(text[start:end] for start, end in groups)):
        return False
    even = len(set(sizes[:-1])) == 1 and sizes[-1] <= sizes[0] <= 6  # two halves are two numbers more often than a card
    return near or (even and _one_gap(text, groups))


def _any_window(text: str, groups: list[tuple[int, int]], sizes: list[int]) -> Iterator[Hit]:
    """With a cue near: the first window of whole groups, at each place, that is a card."""
    index = 0
    while index < len(groups):
        total, last = 0, index
        width = 0
        while last < len(groups) and total < 19:
            total += sizes[last]
            last += 1
            if 12 <= total <= 19 and is_card("".join(text[start:end] for start, end in groups[index:last])):
                width = last - index
        if width:
            yield Hit("card.cued", groups[index][0], groups[index + width - 1][1])
        index += width or 1
