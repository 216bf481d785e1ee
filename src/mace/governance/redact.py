"""Redaction: what people, agents and logs may see instead of what was found.

Pure. It finds nothing and asks for no consent: callers pass the findings and the types that consent covers. Low
findings are never redacted. Overlapping findings are cut as one piece; cutting them one by one would leave the
characters between them, and a sibling must never give back what a field lost (names of members are cut too).
"""

from collections.abc import Collection, Iterable
from typing import Any

from mace.governance.detectors.findings import LOW, RANK, Finding, JsonFinding

PLACEHOLDER = "[redacted]"

Path = tuple[str | int, ...]


def flagged(findings: Iterable[Finding], allowed: Collection[str] = ()) -> list[Finding]:
    """Return the findings that count: above low, of a type that consent does not cover."""
    return [found for found in findings if found.sensitivity != LOW and found.type not in allowed]


def worst(findings: Iterable[Finding]) -> Finding | None:
    """Return the most sensitive finding, the first of them in the text; None when there is none."""
    return min(findings, key=lambda found: (-RANK[found.sensitivity], found.start, -found.end), default=None)


def redact(text: str, findings: Iterable[Finding], allowed: Collection[str] = ()) -> str:
    """Return the text with every flagged piece replaced by the placeholder."""
    parts: list[str] = []
    done = 0
    for start, end in _pieces(flagged(findings, allowed)):
        parts += (text[done:start], PLACEHOLDER)
        done = end
    parts.append(text[done:])
    return "".join(parts)


def redact_json(value: Any, findings: Iterable[JsonFinding], allowed: Collection[str] = ()) -> Any:
    """Return a copy of a JSON value without what was found in it, in values and in names of members.

    Strings keep what is not personal; a number or other scalar with a finding becomes the placeholder. Two names that
    become equal are told apart by a count, so that no member disappears.
    """
    values: dict[Path, list[Finding]] = {}
    keys: dict[Path, list[Finding]] = {}
    for item in findings:
        if flagged([item.finding], allowed):
            (keys if item.in_key else values).setdefault(item.path, []).append(item.finding)
    if not values and not keys:
        return value
    return _copy(value, (), values, keys)


def _pieces(findings: list[Finding]) -> list[tuple[int, int]]:
    """Return the union of the findings' spans, in order."""
    pieces: list[tuple[int, int]] = []
    for start, end in sorted((found.start, found.end) for found in findings):
        if pieces and start < pieces[-1][1]:
            pieces[-1] = (pieces[-1][0], max(end, pieces[-1][1]))
        else:
            pieces.append((start, end))
    return pieces


def _copy(value: Any, path: Path, values: dict[Path, list[Finding]], keys: dict[Path, list[Finding]]) -> Any:
    if isinstance(value, dict):
        members: dict[str, Any] = {}
        for key, item in value.items():
            here = (*path, key)
            name = redact(key, keys[here]) if here in keys else key
            members[_unused(name, members, value)] = _copy(item, here, values, keys)
        return members
    if isinstance(value, list | tuple):
        return [_copy(item, (*path, index), values, keys) for index, item in enumerate(value)]
    if path not in values:
        return value
    return redact(value, values[path]) if isinstance(value, str) else PLACEHOLDER


def _unused(name: str, members: dict[str, Any], original: dict[str, Any]) -> str:
    """Return the name, or the name with a count when a redacted one would hide another member."""
    if name not in members and (name in original or PLACEHOLDER in name):
        return name
    count = 2
    while f"{name}#{count}" in members or f"{name}#{count}" in original:
        count += 1
    return f"{name}#{count}"
