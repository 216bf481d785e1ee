"""Where two JSON values differ first: the place, and never what stands there."""

import re
from typing import Any

# Names of members that a program's author chose; any other may be what somebody said, and is not told.
_PLAIN = re.compile(r"(?!(?:[^0-9]*[0-9]){6})[A-Za-z_][A-Za-z0-9_-]{0,63}")
_UNTOLD = "[a member]"


def first_difference(stored: Any, now: Any, path: str = "") -> str | None:
    """Say where two JSON values differ first, as a path such as `/messages/0/content`; None when they are the same."""
    here = path or "/"
    if isinstance(stored, dict) and isinstance(now, dict):
        return _in_members(stored, now, path)
    if isinstance(stored, list) and isinstance(now, list):
        for at, (one, other) in enumerate(zip(stored, now, strict=False)):
            found = first_difference(one, other, f"{path}/{at}")
            if found is not None:
                return found
        if len(stored) != len(now):
            return f"{here}: {len(stored)} items were recorded, now there are {len(now)}"
        return None
    if _kind(stored) != _kind(now):
        return f"{here}: {_kind(stored)} was recorded, now there is {_kind(now)}"
    return None if stored == now else f"{here}: another {_kind(stored)} than was recorded"


def _in_members(stored: dict[str, Any], now: dict[str, Any], path: str) -> str | None:
    for name in sorted({*stored, *now}):
        place = f"{path}/{name if _PLAIN.fullmatch(name) else _UNTOLD}"
        if name not in now:
            return f"{place}: was recorded, now it is not there"
        if name not in stored:
            return f"{place}: was not recorded, now it is there"
        found = first_difference(stored[name], now[name], place)
        if found is not None:
            return found
    return None


def _kind(value: Any) -> str:
    match value:
        case None:
            return "nothing"
        case bool():
            return "yes or no"
        case int() | float():
            return "number"
        case str():
            return "text"
        case list():
            return "list"
        case _:
            return "object"
