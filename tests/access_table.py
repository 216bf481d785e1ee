"""`docs/access.md` as data, and what it says must happen: who may do what, with whose things, with what proof."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from mace.engine.verbs import Verb

ROLES = ("viewer", "user", "agent", "operator", "auditor", "council", "admin")
PAGE = Path(__file__).parent.parent / "docs" / "access.md"
Whose = Literal["o", "c", "x", "gone"]  # one's own, nobody's, somebody else's; and what does not exist
# allowed; denied; denied for want of a second factor alone; as if it did not exist
Outcome = Literal["allowed", "denied", "factor", "hidden"]
ON_SERVER = {"": "owner", "†": "account", "‡": "until_admin"}

_ROW = re.compile(r"\| `([a-z_.]+)` ?([†‡]?) \| (.+) \|")
_CELL = re.compile(r"-|(yes|o?c?x?)(\*?)")


@dataclass(frozen=True)
class Cell:
    """What one role may do with one verb."""

    letters: str  # of o, c and x; all of them where the verb is about nobody's things
    always_factor: bool

    @classmethod
    def read(cls, text: str) -> "Cell":
        found = _CELL.fullmatch(text)
        assert found and text, f"not a cell: {text!r}"
        if text == "-":
            return cls("", always_factor=False)
        return cls("ocx" if found[1] == "yes" else found[1], bool(found[2]))

    def says(self, row: Verb, whose: Whose, *, factor: bool) -> Outcome:
        """What happens to somebody in this role."""
        if not self.letters:
            return "denied"
        if row.thing != "nobody" and whose not in self.letters:
            named = row.thing not in ("person", "listed", "name", "prefix", "everybody")
            hides = named and (row.thing != "key" or row.does == "reads")
            return "hidden" if hides else "denied"
        # whoever may list everybody's is told that a factor is missing, not shown half a list
        of_others = whose == "x" or (row.thing == "listed" and whose == "c" and "x" in self.letters)
        if not factor and (self.always_factor or (row.thing != "nobody" and of_others)):
            return "factor"
        return "allowed"


@dataclass(frozen=True)
class Line:
    verb: str
    mark: str
    texts: dict[str, str]
    cells: dict[str, Cell]


def lines() -> list[Line]:
    """Every row of the page's tables of verbs, in order."""
    found = []
    for text in PAGE.read_text("utf-8").partition("\n## ")[2].splitlines():
        match = _ROW.fullmatch(text)
        if match:
            texts = dict(zip(ROLES, match[3].split(" | "), strict=True))
            found.append(Line(match[1], match[2], texts, {role: Cell.read(text) for role, text in texts.items()}))
    return found


def header_roles() -> set[tuple[str, ...]]:
    """The roles of each table, as its header names them."""
    heads = [text for text in PAGE.read_text("utf-8").splitlines() if text.startswith("| verb |")]
    return {tuple(text.strip("| ").split(" | ")[1:]) for text in heads}


def names_in(section: str) -> list[str]:
    """The verbs that a section names in running text."""
    body = PAGE.read_text("utf-8").split(f"## {section}\n", 1)[1].split("\n## ", 1)[0]
    return re.findall(r"`([a-z_.]+)`", body)


TABLE = {line.verb: line for line in lines()}
