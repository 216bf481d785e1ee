"""`detect_json`: findings inside nested JSON, member names included.

Pure. A member's name is the cue for its value, and the names above it count too (`{"passport": {"number": ...}}`). A
name may also stand beside its value: `{"label": "phone", "value": ...}`, `["phone", ...]`, or in the first row of a
table; and a value may be split over members or a list, which are then read together. Numbers are read as text: a card
number is one whether it was quoted or not. Nesting deeper than `MAX_NESTING` is refused rather than skipped, because
what is skipped would pass unseen.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mace.core.canon import MAX_NESTING, TooDeep
from mace.governance.detectors.engine import detect
from mace.governance.detectors.findings import LOW, SENSITIVITY, Finding, JsonFinding, words
from mace.governance.detectors.gates import called_by
from mace.governance.detectors.view import fold_name

_LABELS = frozenset(
    words("label name key field type kind title attribute property question prompt caption header id code what")
)
_VALUES = frozenset(words("value val content text data answer response string number entry input"))
_MAX_LABEL = 60
_NEVER_SPLIT = frozenset({"access_token", "password", "private_key"})  # one member's name declares one member's value
_MAX_PIECES, _MAX_PIECE = 8, 24  # a value is split over a few short pieces
_JOINS = ("", "-", " ")

Path = tuple[str | int, ...]
Piece = tuple[Path, str]


def detect_json(
    value: Any, field: str | None = None, *, sensitivity: Mapping[str, str] = SENSITIVITY
) -> list[JsonFinding]:
    """Return the findings in a JSON value, in document order; `field` names the value itself, if anything does."""
    found: list[JsonFinding] = []
    _walk(value, (), field, found, sensitivity)
    return found


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


def _vector(values: Sequence[Any], path: Path, field: str | None, sensitivity: Mapping[str, str]) -> list[JsonFinding]:
    """Return a finding for each number of a list that as a whole is a template of a body."""
    if field is None or len(values) < 4 or not all(type(value) in (int, float) for value in values):
        return []
    whole = detect(f"[{', '.join(map(repr, values))}]", field, sensitivity=sensitivity)
    body = next((finding for finding in whole if finding.type == "biometric"), None)
    if body is None:
        return []
    return [
        JsonFinding((*path, index), False, body._replace(start=0, end=len(json_text(value) or "")))
        for index, value in enumerate(values)
    ]


def _label_of(value: Mapping[Any, Any]) -> tuple[str, str] | None:
    """Return the label that a member holds, and the member that it labels: `{"label": ..., "value": ...}`."""
    label = next((item for key, item in value.items() if key in _LABELS and _is_label(item)), None)
    name = next((key for key in value if key in _VALUES), None)
    return None if label is None or name is None else (label, name)


def _is_label(value: Any) -> bool:
    return isinstance(value, str) and 1 < len(value) <= _MAX_LABEL and not any(char.isdigit() for char in value)


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
        if isinstance(item, bool) or not isinstance(item, str | int) or (isinstance(item, int) and abs(item) > 9999):
            continue
        text = str(item)
        if len(text) <= _MAX_PIECE and any(char.isdigit() for char in text):
            found.append(((*path, key), text))
            if len(found) > _MAX_PIECES:
                return []
    return found if len(found) >= 2 else []


def _may_join(pieces: list[Piece], field: str | None) -> bool:
    """Say whether pieces may be one value: the names call a rule, or each is text of several digits.

    Figures that only stand beside each other (a width and a height) make cards and numbers by chance.
    """
    if field is not None and called_by(fold_name(field)):
        return True
    return isinstance(pieces[0][0][-1], int) and all(len(text) >= 3 and text.isdigit() for _, text in pieces)


def _split(pieces: list[Piece], field: str | None, sensitivity: Mapping[str, str]) -> list[JsonFinding]:
    """Return a finding for each piece of a value that only shows when the pieces are read together."""
    if not _may_join(pieces, field):
        return []
    for sign in _JOINS:
        whole = sign.join(text for _, text in pieces)
        for finding in detect(whole, field, sensitivity=sensitivity):
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


def _walk(value: Any, path: Path, field: str | None, found: list[JsonFinding], sensitivity: Mapping[str, str]) -> None:
    if len(path) > MAX_NESTING:
        raise TooDeep(MAX_NESTING)
    if isinstance(value, Mapping):
        _members(value, path, field, found, sensitivity)
    elif isinstance(value, list | tuple):
        _items(value, path, field, found, sensitivity)
    else:
        text = json_text(value)
        if text:
            found.extend(JsonFinding(path, False, hit) for hit in detect(text, field, sensitivity=sensitivity))


def _members(
    value: Mapping[Any, Any], path: Path, field: str | None, found: list[JsonFinding], sensitivity: Mapping[str, str]
) -> None:
    labelled = _label_of(value) if len(value) > 1 else None
    before = len(found)
    for key, item in value.items():
        if not isinstance(key, str):
            raise TypeError("not JSON: a member name that is not text")
        here = (*path, key)
        found.extend(JsonFinding(here, True, hit) for hit in detect(key, sensitivity=sensitivity))
        name = labelled[0] if labelled is not None and key == labelled[1] else key
        _walk(item, here, _join(field, name), found, sensitivity)
    if len(value) > 1 and len(found) == before and (pieces := _pieces(iter(value.items()), path)):
        names = "_".join(str(piece[0][-1]) for piece in pieces)
        found.extend(_split(pieces, _common(field, names), sensitivity))


def _common(field: str | None, names: str) -> str:
    """Return the name of a split value: those above it and its own members'; figures that count them are left out."""
    return _join(field, "".join(char for char in names if not char.isdigit())[:100])


def _items(
    value: Sequence[Any], path: Path, field: str | None, found: list[JsonFinding], sensitivity: Mapping[str, str]
) -> None:
    found.extend(_vector(value, path, field, sensitivity))
    columns = _columns(value)
    pair = value[0] if len(value) == 2 and _is_label(value[0]) and not isinstance(value[1], list | tuple) else None
    before = len(found)
    for index, item in enumerate(value):
        name = field if pair is None or index == 0 else _join(field, pair)
        if columns is not None and index > 0:
            for column, cell in enumerate(item):
                _walk(cell, (*path, index, column), _join(field, columns[column]), found, sensitivity)
        else:
            _walk(item, (*path, index), name, found, sensitivity)
    if len(found) == before and len(value) <= _MAX_PIECES and (pieces := _pieces(iter(enumerate(value)), path)):
        found.extend(_split(pieces, field, sensitivity))
