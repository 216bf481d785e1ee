"""Names and values written into a text: `{"religion": "..."}`, `["phone", "..."]`, `"label": "phone", "value": "..."`.

Pure. It finds nothing itself: it says where a value stands and under which name, and the engine reads it as a field of
that name. Values in quotes, tables whose first row names the columns, elements of markup, and `name=value` where the
name calls for a rule: what follows a bare name in a text is read by the rules for texts.
"""

import re
from collections.abc import Iterator

from mace.governance.detectors import diagnoses, illness, special
from mace.governance.detectors.findings import words
from mace.governance.detectors.gates import GATES, called_by
from mace.governance.detectors.late import late
from mace.governance.detectors.view import fold_name

_PAIR = late(
    r"[\"']([^\"'\n{}\[\]:,]{2,40})[\"']\s{0,3}(?::|=>|,)\s{0,3}(?:\"([^\"\n]{1,300})\"|'([^'\n]{1,300})'|(-?[0-9][0-9.]{2,24}))"
)
_LABELS = frozenset(words("label name key field type kind title attribute property question caption header"))
_VALUES = frozenset(words("value val content text data answer response string number entry input"))
_QUOTE = re.compile('"(?:[:,]| :)')
_APOSTROPHE = re.compile("'[:,]")
_ELEMENT = late(r"<([A-Za-z][\w.:\-]{1,39})(?:\s[^<>]{0,80})?>([^<>\n]{1,200})</")
_NAME_BEFORE = late(r"(?<![\w.])[^\W\d_][\w\-]{2,39}\Z")
_ASSIGNED = late(r"=(?:\"([^\"\n]{1,200})\"|([^\s\"'&;,|=(){}\[\]<>]{1,120}))(?=[\s&;,|\"']|\Z)")
# A name in a log may call for anything (`trace_id=`); only what nobody logs by accident is read under it.
_PROTECTED = sum(1 << list(GATES).index(module) for module in (special, illness, diagnoses))
_DELIMITERS = (";", "\t", "|", ",")
_DIGIT = late("[0-9]")
_MOST = 4_000  # values of tables in one text


def may_hold(text: str) -> bool:
    """Say quickly whether a name and its value may stand in the text."""
    if "=" in text:
        return True
    # A single sign is found far quicker than several; an apostrophe alone stands in most prose.
    if '"' in text and _QUOTE.search(text) is not None:
        return True
    if "'" in text and _APOSTROPHE.search(text) is not None:
        return True
    if "<" in text and "</" in text:
        return True
    return "\n" in text and ("," in text or ";" in text or "|" in text or "\t" in text)


def members(text: str, rules: int = ~0) -> Iterator[tuple[str, int, int]]:
    """Yield the name, the start and the end of each value; a label names the value that follows it.

    `rules` are the bits of the modules whose names count: earlier versions had fewer.
    """
    yield from _pairs(text)
    if "</" in text:
        for match in _ELEMENT.finditer(text):
            yield match[1], *match.span(2)
    if "=" in text:
        yield from _assigned(text)
    if "\n" in text:
        yield from _tables(text, rules)


def _assigned(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield the values of `name=value` whose name calls for what is protected."""
    if not any(_protects(name) for name in _names(text)):
        return
    done = 0
    at = text.find("=")
    while at >= 0:
        before = text[at - 1 : at]
        if at - done >= 3 and (before.isalnum() or before in "_-"):
            name = _NAME_BEFORE.search(text, max(done, at - 40), at)
            protected = name is not None and _protects(name[0])
            # What stands in quotes is read as a value, whatever its name: no name is looked for in it.
            quoted = text.startswith('"', at + 1)
            value = _ASSIGNED.match(text, at) if name is not None and (protected or quoted) else None
            if value is not None:
                if name is not None and protected:
                    yield name[0], *value.span(1 if value[1] is not None else 2)
                done = value.end()
        at = text.find("=", max(done, at + 1))


_KNOWN: dict[str, bool] = {}  # names that stood before a `=`: the same few come again and again
_MAX_KNOWN = 4_000


def _protects(name: str) -> bool:
    """Say whether a name calls for what is protected."""
    known = _KNOWN.get(name)
    if known is None:
        if len(_KNOWN) >= _MAX_KNOWN:
            _KNOWN.clear()
        known = _KNOWN[name] = bool(called_by(fold_name(name)) & _PROTECTED)
    return known


def _names(text: str) -> set[str]:
    """Return what stands before each `=`: its names, and more."""
    found = set()
    for part in text.split("=")[:-1]:
        end = part[-40:]
        before = end.rstrip(_IN_NAME)
        while before and not before[-1].isascii():  # letters of other scripts, one by one
            before = before[:-1].rstrip(_IN_NAME)
        if len(end) - len(before) >= 3:
            found.add(end[len(before) :])
    return found


_IN_NAME = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"


def _pairs(text: str) -> Iterator[tuple[str, int, int]]:
    label, at = "", 0
    while (match := _PAIR.search(text, at)) is not None:
        number = next(index for index in (2, 3, 4) if match[index] is not None)
        start, end = match.span(number)
        name = match[1].strip()
        comma = "," in text[match.end(1) : start]
        at = match.end() if not comma else match.end(1) + 1
        if name.lower() in _LABELS and not comma:
            label = text[start:end]
            continue
        if comma and (name.lower() in _LABELS | _VALUES or any(char.isdigit() for char in name)):
            continue
        yield (label if label and name.lower() in _VALUES else name), start, end
        if name.lower() in _VALUES:
            label = ""


def _tables(text: str, rules: int) -> Iterator[tuple[str, int, int]]:
    """Yield the values of tables: a row of names, then rows with as many values."""
    names: list[str] = []
    sign, at, given = "", 0, 0
    for line in text.split("\n"):
        start, at = at, at + len(line) + 1
        if names and line.count(sign) == len(names) - 1 and len(line) <= 2_000:
            place = start
            for name, value in zip(names, line.split(sign), strict=True):
                bare = value.strip(" \"'\r")
                if name and bare:
                    begin = place + value.index(bare)
                    given += 1
                    yield name, begin, begin + len(bare)
                place += len(value) + 1
            if given >= _MOST:
                return
            continue
        names, sign = _header(line, rules)


def _header(line: str, rules: int) -> tuple[list[str], str]:
    """Return the names of columns and the sign between them, if a line can be a row of names; others are empty."""
    if not 3 <= len(line) <= 400 or _DIGIT.search(line) is not None:  # no name of a column has one
        return [], ""
    for sign in _DELIMITERS:
        if sign not in line:
            continue
        parts = [part.strip(" \"'\r") for part in line.split(sign)]
        if all(len(part) <= 40 and not any(map(str.isdigit, part)) for part in parts):
            named = [
                part if len(part) >= 2 and part.count(" ") <= 3 and called_by(fold_name(part)) & rules else ""
                for part in parts
            ]
            return (named, sign) if any(named) else ([], "")
    return [], ""
