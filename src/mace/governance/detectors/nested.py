"""`detect_json`: findings inside nested JSON, member names included.

Pure. A member's name is the cue for its value, and the names above it count too (`{"passport": {"number": ...}}`). A
name may also stand beside its value: `{"label": "phone", "value": ...}`, `["phone", ...]`, or in the first row of a
table; and a value may be split over members or a list, which are then read together. Numbers are read as text: a card
number is one whether it was quoted or not. Nesting deeper than `MAX_NESTING` is refused rather than skipped, because
what is skipped would pass unseen.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from mace.core.canon import MAX_NESTING, TooDeep
from mace.governance.detectors import biometrics, bodies
from mace.governance.detectors.cues import is_silent
from mace.governance.detectors.engine import detect
from mace.governance.detectors.findings import LOW, SENSITIVITY, Finding, JsonFinding, words
from mace.governance.detectors.gates import BIT, called_by, is_plain
from mace.governance.detectors.scope import LONGEST, Scope
from mace.governance.detectors.view import fold_name

_LABELS = frozenset(
    words("label name key field type kind title attribute property question prompt caption header id code what")
)
_VALUES = frozenset(words("value val content text data answer response string number entry input"))
_MAX_LABEL = 60
_NEVER_SPLIT = frozenset({"access_token", "password", "private_key"})  # one member's name declares one member's value
_MAX_PIECES, _MAX_PIECE = 8, 24  # a value is split over a few short pieces
_JOINS = ("", "-", " ")

_PLAIN_BELOW = 10**13  # see `is_plain`
_BODY = BIT[biometrics] | BIT[bodies]  # what can see a template of a body in a list of numbers
_FEW = 6  # texts that are read without asking first

Path = tuple[str | int, ...]
Piece = tuple[Path, str]
# A text in its place: the path of what it stands in, its key or index there (None for the value itself), the text, the
# name of its field, the bits of the rules that this name calls, and whether the text is the key.
Text = tuple[Path, str | int | None, str, str | None, int, bool]


def detect_json(
    value: Any, field: str | None = None, *, sensitivity: Mapping[str, str] = SENSITIVITY
) -> list[JsonFinding]:
    """Return the findings in a JSON value, in document order; `field` names the value itself, if anything does."""
    reading = _Reading(sensitivity)
    reading.walk(value, (), field, _calls(field))
    return reading.findings()


def json_text(value: Any) -> str | None:
    """Return the text in which a scalar is searched; None for what carries none."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e21 else repr(value)
    raise TypeError(f"not JSON: {type(value).__name__}")


def _label_of(value: Mapping[Any, Any]) -> tuple[str, str] | None:
    """Return the label that a member holds, and the member that it labels: `{"label": ..., "value": ...}`."""
    if _VALUES.isdisjoint(value) or _LABELS.isdisjoint(value):
        return None
    label = next((item for key, item in value.items() if key in _LABELS and _is_label(item)), None)
    name = next(key for key in value if key in _VALUES)
    return None if label is None else (label, name)


def _is_label(value: Any) -> bool:
    return isinstance(value, str) and 1 < len(value) <= _MAX_LABEL and not _has_digit(value)


def _columns(values: Sequence[Any]) -> list[str] | None:
    """Return the names of a table's columns: the first of several rows of one length, if all in it are names."""
    first = values[0] if len(values) > 1 else None
    if not isinstance(first, list | tuple) or len(first) < 2 or not all(_is_label(item) for item in first):
        return None
    rows = all(isinstance(row, list | tuple) and len(row) == len(first) for row in values)
    return list(first) if rows else None


def _join(field: str | None, name: str) -> str:
    return name if field is None else f"{field[-100:]}_{name}"


def _pieces(items: Iterator[tuple[str | int, Any]], path: Path) -> list[Piece]:
    """Return the short pieces with digits that a value may be split into; none if there are too few or too many."""
    found = []
    for key, item in items:
        if isinstance(item, str):
            text = item
        elif isinstance(item, int) and not isinstance(item, bool) and -10_000 < item < 10_000:
            text = str(item)
        else:
            continue
        if len(text) <= _MAX_PIECE and _has_digit(text):
            found.append(((*path, key), text))
            if len(found) > _MAX_PIECES:
                return []
    return found if len(found) >= 2 else []


def _has_digit(text: str) -> bool:
    return _DIGIT.search(text) is not None if text.isascii() else any(char.isdigit() for char in text)


_DIGIT = re.compile("[0-9]")


def _common(field: str | None, names: str) -> str:
    """Return the name of a split value: those above it and its own members'; figures that count them are left out."""
    return _join(field, ("".join(char for char in names if not char.isdigit()) if _has_digit(names) else names)[:100])


def _calls(field: str | None) -> int:
    """Return the bits of the rules that the name of a field calls."""
    name = fold_name(field) if field else ""
    return called_by(name) if name else 0


# The fields that names of members make below a field, and the names in which nothing is found. Names are few and come
# again and again; values are never remembered.
_FIELDS: dict[tuple[str | None, str], tuple[str, int]] = {}
_KEYS: set[str] = set()
_MAX_NAMES = 4000
_KEY = re.compile("[A-Za-z_][A-Za-z_-]{0,39}")


def _field_of(field: str | None, name: str) -> tuple[str, int]:
    known = _FIELDS.get((field, name))
    if known is None:
        joined = _join(field, name)
        if len(_FIELDS) >= _MAX_NAMES:
            _FIELDS.clear()
        known = _FIELDS[field, name] = (joined, _calls(joined))
    return known


def _keep_key(key: str) -> None:
    if _KEY.fullmatch(key) is not None:
        if len(_KEYS) >= _MAX_NAMES:
            _KEYS.clear()
        _KEYS.add(key)


class _Reading:
    """One value: first all its texts are gathered, then those are read that anything can be found in."""

    def __init__(self, sensitivity: Mapping[str, str]) -> None:
        self._sensitivity = sensitivity
        self._texts: list[Text] = []
        # What is read beside the texts: after how many of them, and what. What only shows when pieces are read together
        # has a mark: it is looked for when nothing was found from there on.
        self._others: list[tuple[int, int | None, Callable[[], list[JsonFinding]]]] = []

    def walk(self, value: Any, path: Path, field: str | None, calls: int) -> None:
        """Gather what stands in a value, in order."""
        if len(path) > MAX_NESTING:
            raise TooDeep(MAX_NESTING)
        kind = type(value)
        if kind is dict or (kind is not list and isinstance(value, Mapping)):
            self._members(value, path, field)
        elif kind is list or isinstance(value, list | tuple):
            self._items(value, path, field, calls)
        elif (text := json_text(value)) and (calls or not is_plain(text)):
            self._texts.append((path, None, text, field, calls, False))

    def _members(self, value: Mapping[Any, Any], path: Path, field: str | None) -> None:
        texts = self._texts
        labelled = _label_of(value) if len(value) > 1 else None
        mark = len(texts) + len(self._others)
        deep = len(path) >= MAX_NESTING
        for key, item in value.items():
            if not isinstance(key, str):
                raise TypeError("not JSON: a member name that is not text")
            if deep:
                raise TooDeep(MAX_NESTING)
            if key and key not in _KEYS:
                texts.append((path, key, key, None, 0, True))
            if labelled is not None and key == labelled[1]:
                below = _join(field, labelled[0])
                calls = _calls(below)
            else:
                below, calls = _field_of(field, key)
            kind = type(item)
            if kind is str:
                if item and (calls or not is_plain(item)):
                    texts.append((path, key, item, below, calls, False))
            elif kind is int:
                if calls or not 0 <= item < _PLAIN_BELOW:
                    texts.append((path, key, str(item), below, calls, False))
            elif kind is float:
                text = json_text(item)
                if text and (calls or not is_plain(text)):
                    texts.append((path, key, text, below, calls, False))
            elif item is not None and kind is not bool:
                self.walk(item, (*path, key), below, calls)
        if len(value) > 1 and (pieces := _pieces(iter(value.items()), path)):
            common = _common(field, "_".join([str(piece[0][-1]) for piece in pieces]))
            if _calls(common):
                self._later(mark, pieces, common)

    def _items(self, value: Sequence[Any], path: Path, field: str | None, calls: int) -> None:
        if calls & _BODY and len(value) >= 4 and all(type(item) in (int, float) for item in value):
            self._others.append((len(self._texts), None, partial(self._vector, value, path, field)))
        columns = _columns(value)
        pair = value[0] if len(value) == 2 and _is_label(value[0]) and not isinstance(value[1], list | tuple) else None
        mark = len(self._texts) + len(self._others)
        deep = len(path) >= MAX_NESTING
        for index, item in enumerate(value):
            if columns is not None and index > 0:
                for column, cell in enumerate(item):
                    name = _join(field, columns[column])
                    self.walk(cell, (*path, index, column), name, _calls(name))
            elif type(item) is str and not deep and (pair is None or index == 0):
                if item and (calls or not is_plain(item)):
                    self._texts.append((path, index, item, field, calls, False))
            elif pair is None or index == 0:
                self.walk(item, (*path, index), field, calls)
            else:
                name = _join(field, pair)
                self.walk(item, (*path, index), name, _calls(name))
        pieces = _pieces(iter(enumerate(value)), path) if len(value) <= _MAX_PIECES else []
        # Figures that only stand beside each other (a width and a height) make cards and numbers by chance.
        if pieces and (calls or all(len(text) >= 3 and text.isdigit() for _, text in pieces)):
            self._later(mark, pieces, field)

    def _later(self, mark: int, pieces: list[Piece], field: str | None) -> None:
        self._others.append((len(self._texts), mark, partial(self._split, pieces, field)))

    def findings(self) -> list[JsonFinding]:
        """Return what is found in what was gathered."""
        short = dict.fromkeys(
            text[2] for text in self._texts if not text[4] and len(text[2]) <= LONGEST and not is_silent(text[2])
        )
        scope = Scope(short) if len(short) >= _FEW else None
        found: list[JsonFinding] = []
        last = -1  # the number of the last step in which something was found
        done = 0
        for number, (path, at, text, field, calls, is_key) in enumerate(self._texts):
            while done < len(self._others) and self._others[done][0] <= number:
                last = self._look(done, number + done, last, found)
                done += 1
            if not calls and (
                is_silent(text) or (scope is not None and len(text) <= LONGEST and scope.rules_out(text))
            ):
                hits = None
            else:
                hits = detect(text, field, sensitivity=self._sensitivity)
            if hits:
                last = last if is_key else number + done  # a name that is personal says nothing of the values
                here = path if at is None else (*path, at)
                found.extend([JsonFinding(here, is_key, hit) for hit in hits])
            elif is_key:
                _keep_key(text)
        for other in range(done, len(self._others)):
            last = self._look(other, len(self._texts) + other, last, found)
        return found

    def _look(self, other: int, step: int, last: int, found: list[JsonFinding]) -> int:
        _, mark, read = self._others[other]
        more = read() if mark is None or last < mark else []
        found.extend(more)
        return step if more else last

    def _vector(self, values: Sequence[Any], path: Path, field: str | None) -> list[JsonFinding]:
        """Return a finding for each number of a list that as a whole is a template of a body."""
        whole = detect(f"[{', '.join(map(repr, values))}]", field, sensitivity=self._sensitivity)
        body = next((finding for finding in whole if finding.type == "biometric"), None)
        if body is None:
            return []
        return [
            JsonFinding((*path, index), False, body._replace(start=0, end=len(json_text(value) or "")))
            for index, value in enumerate(values)
        ]

    def _split(self, pieces: list[Piece], field: str | None) -> list[JsonFinding]:
        """Return a finding for each piece of a value that only shows when the pieces are read together."""
        for sign in _JOINS:
            whole = sign.join(text for _, text in pieces)
            for finding in detect(whole, field, sensitivity=self._sensitivity):
                if finding.sensitivity == LOW or finding.type in _NEVER_SPLIT:
                    continue
                if covered := _covered(pieces, len(sign), finding):
                    return covered
        return []


def _covered(pieces: list[Piece], gap: int, finding: Finding) -> list[JsonFinding]:
    found, at = [], 0
    for path, text in pieces:
        start, end = max(finding.start - at, 0), min(finding.end - at, len(text))
        if start < end:
            found.append(JsonFinding(path, False, finding._replace(start=start, end=end)))
        at += len(text) + gap
    return found if len(found) >= 2 else []
