"""National identity numbers: a cue, then a shape near it, then its check.

Pure. The cue comes first: every occurrence of a cue word opens a short window, and only there shapes are tried, so a
text without cue words costs nothing and one full of them stays linear. Without any cue a number is no national id,
however well its check digit fits.
"""

import re
from collections.abc import Callable, Iterator
from functools import cache, lru_cache, partial
from typing import NamedTuple

from mace.governance.detectors.checks import compact
from mace.governance.detectors.cues import SEP, Cue, present
from mace.governance.detectors.findings import Hit, Rule
from mace.governance.detectors.late import late
from mace.governance.detectors.national_table import PLACES, TABLE, NationalId
from mace.governance.detectors.validators import stdnum_valid
from mace.governance.detectors.view import View

RULES = {f"national_id.{kind.country}.{kind.name}": Rule("national_id", 1) for kind in TABLE} | {
    "national_id.declared": Rule("national_id", 1)
}

AHEAD = 56  # characters after a cue in which the number may begin
BEHIND = 40  # characters before it: "123 is my ..."

_GENERIC = Cue(
    ["national id*", "national identi*", "national insurance*", "identity number*", "identity card*", "identity no*",
     "identification number*", "identification no*", "id number*", "id no", "id card*", "personal id*",
     "personal number", "personal identi*", "citizen id*", "citizen number*", "tax id*", "tax number*", "tax identi*",
     "taxpayer*", "tin", "social insurance*", "nid", "cedula*", "documento de identidad",
     "documento de identidade", "carte d identite", "ausweisnummer*", "personalausweis*", "dowod*", "паспорт*"],
    fields=["national_?id(?:entity)?(?:_?(?:no|num|number))?", "nid", "identity_?(?:no|num|number|card)", "id_?card",
            "id_?(?:no|num|number)", "citizen_?id", "personal_?(?:id|number|code)", "tax_?(?:id|number)", "tin",
            "social_?insurance", "government_?id"],
)  # fmt: skip
_DECLARED = late(r"(?:^|_)(?:national|government|citizen)_?id(?:entity)?(?:_?(?:no|num|number))?$")
_DECLARED_VALUE = late(r"\s*([A-Za-z0-9][A-Za-z0-9 ./\-]{4,30}[A-Za-z0-9])\s*\Z")
_SHAPE = late(r"(9|A|X|\[[^\]]+\])(?:\{(\d+)\})?")
_SEP = SEP.replace("#]{0,3}+", "#()+]{0,3}")  # given back where a shape has a sign of its own: A123456(7), 131052+308T
_CLASS = {"9": "[0-9]", "A": "[A-Za-z]", "X": "[A-Za-z0-9]"}


_PASSPORT = late(r"паспорт[^\d]{0,30}\Z")
_SINE = late(r"\bsin\s?\(")  # the function, not the number


class _Kind(NamedTuple):
    rule: str
    shapes: tuple[str, ...]
    check: Callable[[str], bool]
    cue: Cue


@cache
def _pattern(shapes: tuple[str, ...]) -> re.Pattern[str]:
    """Return the pattern of a shape with separators allowed between any two characters."""
    spelled = []
    for shape in shapes:
        classes = []
        for token, count in _SHAPE.findall(shape):
            letter = _CLASS.get(token) or f"[{token[1:-1]}{token[1:-1].lower()}]"
            classes += [letter] * int(count or 1)
        first = f"{classes[0]}(?<![A-Za-z0-9]{classes[0]})"  # after the sign: one is searched for far quicker so
        spelled.append(_SEP.join([first, *classes[1:]]))
    return re.compile(rf"(?:{'|'.join(spelled)})\)?(?![A-Za-z0-9]|[.\-][0-9])")


def _kind(kind: NationalId) -> _Kind:
    names = [re.sub(r"[^a-z0-9]+", "_?", word.rstrip("*")) for word in kind.words if word.isascii()]
    places = PLACES.get(kind.country, ())
    check = kind.check if callable(kind.check) else partial(stdnum_valid, kind.check)
    return _Kind(
        f"national_id.{kind.country}.{kind.name}",
        kind.shapes,
        check,
        Cue((*kind.words, *places), fields=[*names, *(re.sub(r"\W+", "_?", place.rstrip("*")) for place in places)]),
    )


_KINDS = tuple(_kind(kind) for kind in TABLE)
_CUES = frozenset(kind.cue for kind in _KINDS)
_PLACE = {kind.cue: at for at, kind in enumerate(_KINDS)}
_BY_SHAPE: dict[tuple[str, ...], list[_Kind]] = {}
for _one in _KINDS:
    _BY_SHAPE.setdefault(_one.shapes, []).append(_one)


def find(view: View) -> Iterator[Hit]:
    """Yield the national identity numbers in a view."""
    if not view.has_digit or (view.version >= 2 and view.digits < 4):  # no shape has fewer digits
        return
    generic = _GENERIC.windows(view, BEHIND, AHEAD)
    told = set()
    done: dict[tuple[int, int], bool] = {}  # a second kind that fits the same signs adds nothing; False: cut shorter
    for kind in _spoken_of(view):
        if view.version >= 2 and kind.rule == "national_id.ca.sin" and _SINE.search(view.lower) is not None:
            continue
        for start, end in kind.cue.windows(view, BEHIND, AHEAD):
            told.add(kind.rule)
            yield from _in_window(view, kind, start, end, done)
    for shapes, kinds in _BY_SHAPE.items() if generic else ():
        others = [kind for kind in kinds if kind.rule not in told]
        if others:
            yield from _unnamed(view, generic, shapes, others, done)
    if view.field and _DECLARED.search(view.field):
        value = _DECLARED_VALUE.match(view.text)
        if value is not None and sum(char.isdigit() for char in value[1]) >= 5:
            yield Hit("national_id.declared", *value.span(1))


def _spoken_of(view: View) -> list[_Kind]:
    """Return the kinds whose cue the text or the field name may hold, in their order."""
    said = present(view)
    named = _named_by(view.field)
    return [_KINDS[at] for at in sorted({_PLACE[cue] for cue in (*said, *named) if cue in _PLACE})]


@lru_cache(maxsize=2048)
def _named_by(field: str) -> frozenset[Cue]:
    return frozenset(kind.cue for kind in _KINDS if kind.cue.names(field))


def _unnamed(
    view: View,
    windows: list[tuple[int, int]],
    shapes: tuple[str, ...],
    kinds: list[_Kind],
    done: dict[tuple[int, int], bool],
) -> Iterator[Hit]:
    """Near a word for any identity number: the first kind of this shape whose check fits."""
    for start, end in windows:
        for match in _pattern(shapes).finditer(view.text, start, min(len(view.text), end + 24)):
            if done.get(match.span()):
                continue
            if (
                view.version >= 3
                and _PASSPORT.search(view.lower, max(0, match.start() - 40), match.start()) is not None
            ):
                continue  # its own rule tells it
            number = compact(match.group())
            rule = next((kind.rule for kind in kinds if kind.check(number)), None) if len(set(number)) > 2 else None
            if rule is not None:
                done[match.span()] = True
                yield Hit(rule, *match.span())


def _in_window(view: View, kind: _Kind, start: int, end: int, done: dict[tuple[int, int], bool]) -> Iterator[Hit]:
    for match in _pattern(kind.shapes).finditer(view.text, start, min(len(view.text), end + 24)):
        if match.span() in done:
            continue
        written = match.group()
        number = compact(written)
        if kind.check(number) and len(set(number)) > 2:
            cut = written.endswith(")") and "(" not in written
            done[match.span()] = not cut
            yield Hit(kind.rule, match.start(), match.end() - cut)
