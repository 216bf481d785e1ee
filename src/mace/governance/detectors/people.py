"""What is seen and never blocked: first names and interests a person tells of themself.

Pure. Low findings serve analytics and explanations only. Names are not searched for in general text: without a word
like `my name is` a capitalised word may be anything.
"""

from collections.abc import Iterator

from mace.governance.detectors.cues import Cue
from mace.governance.detectors.findings import Hit, Rule
from mace.governance.detectors.late import late
from mace.governance.detectors.view import View

RULES = {
    "person.name": Rule("first_name", 1),
    "person.interest": Rule("interest", 1),
}

_NAME_CUE = Cue(
    ["my name is", "my first name is", "am called", "call me", "ich heisse", "je m'appelle", "me llamo", "mi chiamo"]
)
_NAME = late(r"\s{1,2}([A-Z][\w'’\-]{1,30})")
_INTEREST_CUE = Cue(["my hobby is", "my hobbies are", "my interests are", "my favorite", "my favourite"])
_INTEREST = late(r"(?:\s[\w ]{2,20}?\sis)?\s{1,2}([\w ,'\-]{2,60})")
_NAME_FIELD = late(r"(?:^|_)(?:first_?name|given_?name|forename|vorname|prenom|nickname)$")
_INTEREST_FIELD = late(r"(?:^|_)(?:interests?|hobb(?:y|ies))$")
_VALUE = late(r"\s*(\S(?:.{0,80}\S)?)\s*\Z")


def find(view: View) -> Iterator[Hit]:
    """Yield first names and interests in a view."""
    text = view.text
    if view.field:
        value = _VALUE.match(text)
        if value is not None and _NAME_FIELD.search(view.field):
            yield Hit("person.name", *value.span(1))
        elif value is not None and _INTEREST_FIELD.search(view.field):
            yield Hit("person.interest", *value.span(1))
    for cue, pattern, rule in ((_NAME_CUE, _NAME, "person.name"), (_INTEREST_CUE, _INTEREST, "person.interest")):
        if cue.in_text(view):
            for _, end in cue.occurrences(view):
                match = pattern.match(text, end)
                if match is not None:
                    yield Hit(rule, *match.span(1))
