"""What of a text or a JSON value is personal data, and how it reads without it. Nothing is stored."""

from typing import Any

from mace.core.errors import InvalidInput
from mace.engine.kernel.cleaning import is_personal
from mace.governance.detectors import detect, detect_json
from mace.governance.redact import redact, redact_json


def in_text(text: str, field: str | None = None) -> dict[str, Any]:
    """Return {findings, reads}: where personal data stands in a text, and the text without it."""
    found = detect(text, field)
    return {"findings": [item._asdict() for item in found], "reads": redact(text, found)}


def in_json(value: Any, field: str | None = None) -> dict[str, Any]:
    """Return {findings, reads} of a JSON value; each finding says under which names it stands."""
    try:
        found = detect_json(value, field)
    except ValueError as error:
        raise InvalidInput(f"the text is {error}") from None
    shown = [{**item.finding._asdict(), "path": _path(item.path, value), "in_key": item.in_key} for item in found]
    return {"findings": shown, "reads": redact_json(value, found)}


def _path(path: tuple[str | int, ...], value: Any) -> list[str | int]:
    """Where a finding stands; a name that is personal itself is told by its place among its neighbours."""
    shown: list[str | int] = []
    for step in path:
        is_name = isinstance(step, str)
        shown.append(list(value).index(step) if is_name and is_personal(str(step)) else step)
        value = value[step]
    return shown
