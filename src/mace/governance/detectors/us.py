"""US social security and taxpayer numbers.

Pure. Three groups joined by dashes speak for themselves (`123-45-6789`); any other writing needs a cue or must be
all there is. Numbers never issued (area 000, 666 and 900-999, group 00, serial 0000) are not numbers of a person.
"""

import re
from collections.abc import Iterator

from mace.governance.detectors.cues import SEP, Cue
from mace.governance.detectors.findings import Hit, Rule
from mace.governance.detectors.late import late
from mace.governance.detectors.view import View

RULES = {
    "us.ssn.dashed": Rule("us_ssn", 1),
    "us.ssn.alone": Rule("us_ssn", 1),
    "us.ssn.cued": Rule("us_ssn", 2),
    "us.itin.dashed": Rule("us_itin", 1),
    "us.itin.cued": Rule("us_itin", 1),
}

SSN_CUE = Cue(
    ["ssn*", "s.s.n", "social security*", "social sec*", "soc sec*", "ss#", "ss no", "ss number", "socialsecurity*",
     "tax id*", "taxpayer id*", "tin"],
    fields=["ssn", "social_?security(?:_?(?:no|num|number))?", "ss_?(?:no|num|number)", "tax_?id", "tin"],
)  # fmt: skip
ITIN_CUE = Cue(
    ["itin*", "individual taxpayer*", "taxpayer*", "tax id*", "tin"], fields=["itin", "tax_?id", "tin", "taxpayer_?id"]
)

# From the first dash on: a literal sign is found far quicker than any digit. The area is then read backwards.
_DASHED = late(r"-\s{0,2}([0-9]{2})\s{0,2}-\s{0,2}([0-9]{4})(?![\w]|-[0-9])")
_AREA = late(r"(?<![\w.])(?<!\w-)([0-9]{3})\s{0,2}$")
_LOOSE = late(rf"[0-9](?<![0-9][0-9])(?<![0-9][.,\-][0-9])(?:{SEP}[0-9]){{8}}(?![0-9]|[.\-][0-9])")
_ALONE = late(r"\s*([0-9]{3})([ ._/|,*~])([0-9]{2})\2([0-9]{4})\s*\Z")


def kind_of(area: str, group: str, serial: str) -> str | None:
    """Return `ssn`, `itin` or None for a number that was never issued."""
    if serial == "0000" or group == "00" or area == "000" or area == "666":
        return None
    if area[0] != "9":
        return "ssn"
    number = int(group)
    return "itin" if 50 <= number <= 65 or 70 <= number <= 88 or 90 <= number <= 92 or 94 <= number <= 99 else None


def find(view: View) -> Iterator[Hit]:
    """Yield the social security and taxpayer numbers in a view."""
    if view.digits < 6:
        return
    text = view.text
    for match in _DASHED.finditer(text):
        area = _AREA.search(text[max(0, match.start() - 7) : match.start()])
        kind = kind_of(area[1], match[1], match[2]) if area is not None else None
        if area is not None and kind is not None:
            yield Hit(f"us.{kind}.dashed", match.start() - len(area.group()), match.end())
    alone = _ALONE.match(text) if len(text) < 40 else None
    if alone is not None and kind_of(alone[1], alone[3], alone[4]) == "ssn":
        yield Hit("us.ssn.alone", alone.start(1), alone.end(4))
    for cue, kind in ((SSN_CUE, "ssn"), (ITIN_CUE, "itin")):
        for start, end in cue.windows(view, behind=24, ahead=48):
            for match in _LOOSE.finditer(text, start, min(len(text), end + 24)):
                digits = re.sub("[^0-9]", "", match.group())
                if kind_of(digits[:3], digits[3:5], digits[5:]) == kind:
                    yield Hit(f"us.{kind}.cued", *match.span())
