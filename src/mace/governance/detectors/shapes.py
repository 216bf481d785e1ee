"""Identity numbers that need no word: their shape and check digit leave little room for chance.

Pure. Only shapes with letters, dots or a date inside, and only with the check where the country has one. A run of
digits with nothing else never counts here.
"""

import re
from collections.abc import Callable, Iterator

from mace.governance.detectors.checks import britain, china, compact, mexico, sweden
from mace.governance.detectors.cues import Cue
from mace.governance.detectors.findings import Hit, Rule
from mace.governance.detectors.late import late
from mace.governance.detectors.validators import stdnum_valid
from mace.governance.detectors.view import View

RULES = {"national_id.by_shape": Rule("national_id", 1)}
CUES: tuple[Cue, ...] = ()

_E = r"(?![A-Za-z0-9]|[.\-][0-9])"


def _shape(first: str, rest: str) -> re.Pattern[str]:
    """A number that begins with a sign of `first`; what must not stand before it is asked after that sign is found."""
    return late(rf"{first}(?<![A-Za-z0-9.\-/_]{first}){rest}{_E}")


# The pattern, its check, and of its shape (see `View.shape`) what must be in the text, one of several.
_SHAPES: tuple[tuple[re.Pattern[str], Callable[[str], bool] | None, tuple[str, ...]], ...] = (
    (
        _shape("[A-Z]", "[A-Z]{5}[0-9LMNPQRSTUV]{2}[A-EHLMPRST][0-9LMNPQRSTUV]{2}[A-Z][0-9LMNPQRSTUV]{3}[A-Z]"),
        None,
        ("AAAAAA",),
    ),
    (_shape("[A-Z]", "[A-Z]{3}[0-9]{6}[HMX][A-Z]{5}[0-9A-Z][0-9]"), mexico, ("AAAA000000AAAAAA",)),
    (
        _shape("[A-CEGHJ-PR-TW-Z]", "[A-CEGHJ-NPR-TW-Z] ?[0-9]{2} ?[0-9]{2} ?[0-9]{2} ?[A-D]"),
        britain,
        ("AA00", "AA 00"),
    ),
    (
        _shape("[0-9]", r"[0-9]{2}\.[0-9]{3}\.[0-9]{3}-[0-9]{2}"),
        lambda number: stdnum_valid("br.cpf", number),
        ("000.000.000-00",),
    ),
    (
        _shape("[0-9]", "[0-9]{7}-?[A-HJ-NP-TV-Z]"),
        lambda number: stdnum_valid("es.dni", number),
        ("00000000A", "00000000-A"),
    ),
    (
        _shape("[XYZ]", "-?[0-9]{7}-?[A-HJ-NP-TV-Z]"),
        lambda number: stdnum_valid("es.nie", number),
        ("0000000A", "0000000-A"),
    ),
    (_shape("[1-9]", "[0-9]{5}(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])[0-3][0-9][0-9]{3}[0-9Xx]"), china, ("0" * 17,)),
    (_shape("[0-9]", "[0-9](?:0[1-9]|1[0-2])[0-3][0-9]-[1-8][0-9]{6}"), None, ("000000-0000000",)),
    (
        _shape("[12]", " ?[0-9]{2} ?(?:0[1-9]|1[0-2]) ?[0-9]{2} ?[0-9]{3} ?[0-9]{3} ?[0-9]{2}"),
        lambda number: stdnum_valid("fr.nir", number),
        ("0000000000", "00 00"),  # and `_SPACED`
    ),
    (
        late(
            rf"[0-9](?<![A-Za-z0-9.\-/_][0-9])(?:(?:(?<=1)9|(?<=2)0)[0-9]{{2}}|[0-9])(?:0[1-9]|1[0-2])"
            rf"(?:[0-3][0-9]|[6-9][0-9])[\-+][0-9]{{4}}{_E}"
        ),
        sweden,
        ("000000-0000", "000000+0000"),
    ),
    (_shape("[A-Z]", "[A-Z]{2}[ABCFGHLJPT][A-Z][0-9]{4}[A-Z]"), None, ("AAAAA0000A",)),
)


def may(view: View) -> bool:
    """Say whether the shape of one of them is in the text; the commonest part of several is asked for first."""
    shape = view.shape
    if "00 00" in shape and _FIFTEEN in view.joined:
        return True
    for part, needs in _NEEDS:
        if part in shape:
            for need in needs:
                if need in shape:  # a loop of its own: this is asked of every text
                    return True
    return False


_NEEDS = tuple(
    (part, tuple(dict.fromkeys(need for _, _, needs in _SHAPES for need in needs if part in need)))
    for part in ("AA", "000000", "000.")
)


_FIFTEEN = "0" * 15
_SPACED = late("0 ?00 ?00 ?00 ?000 ?000 ?00")


_REACH, _SPACED_REACH = 30, 60  # more than the longest of them, on either side of what its shape must have


def _places(shape: str, needs: tuple[str, ...]) -> list[int]:
    places = []
    for need in needs:
        at = shape.find(need)
        while at >= 0:
            places.append(at)
            at = shape.find(need, at + 1)
    return sorted(places)


def _near(pattern: re.Pattern[str], text: str, places: list[int], reach: int) -> Iterator[re.Match[str]]:
    """Yield what a pattern finds; it is searched for only around what its shape must have."""
    if not places:
        return
    start = stop = 0
    for at in places:
        if at - reach > stop:
            if stop:
                yield from pattern.finditer(text, start, stop)
            start = max(0, at - reach)
        stop = at + reach
    yield from pattern.finditer(text, start, stop)


def find(view: View) -> Iterator[Hit]:
    """Yield the identity numbers in a view that show themselves."""
    text, shape = view.text, view.shape
    if view.digits < 4:  # letters may stand for digits in the Italian code, but not for all of them
        return
    for pattern, check, needs in _SHAPES:
        if needs[0] not in shape and needs[-1] not in shape:
            continue
        if needs[-1] == "00 00":
            if _FIFTEEN not in view.joined:
                continue
            places, reach = [match.start() for match in _SPACED.finditer(shape)], _SPACED_REACH
        else:
            places, reach = _places(shape, needs), _REACH
        for match in _near(pattern, text, places, reach):
            number = compact(match.group())
            if len(set(number)) > 3 and (check is None or check(number)):
                yield Hit("national_id.by_shape", *match.span())
