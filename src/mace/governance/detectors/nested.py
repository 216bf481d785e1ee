"""`detect_json`: findings inside nested JSON, member names included.

Pure. A member's name is the cue for its value, and the names above it count too (`{"passport": {"number": ...}}`).
Numbers are read as text: a card number is one whether it was quoted or not. Nesting deeper than `MAX_NESTING` is
refused rather than skipped, because what is skipped would pass unseen.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from mace.core.canon import MAX_NESTING, TooDeep
from mace.governance.detectors.engine import detect
from mace.governance.detectors.findings import SENSITIVITY, JsonFinding


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


def _vector(
    values: Sequence[Any], path: tuple[str | int, ...], field: str | None, sensitivity: Mapping[str, str]
) -> list[JsonFinding]:
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


def _walk(
    value: Any,
    path: tuple[str | int, ...],
    field: str | None,
    found: list[JsonFinding],
    sensitivity: Mapping[str, str],
) -> None:
    if len(path) > MAX_NESTING:
        raise TooDeep(MAX_NESTING)
    if isinstance(value, Mapping):
        for key, item in value.items():
            if not isinstance(key, str):
                raise TypeError("not JSON: a member name that is not text")
            here = (*path, key)
            found.extend(JsonFinding(here, True, hit) for hit in detect(key, sensitivity=sensitivity))
            _walk(item, here, key if field is None else f"{field[-100:]}_{key}", found, sensitivity)
        return
    if isinstance(value, list | tuple):
        found.extend(_vector(value, path, field, sensitivity))
        for index, item in enumerate(value):
            _walk(item, (*path, index), field, found, sensitivity)
        return
    text = json_text(value)
    if text:
        found.extend(JsonFinding(path, False, hit) for hit in detect(text, field, sensitivity=sensitivity))
