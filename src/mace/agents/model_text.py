"""What a language engine wrote: without its reasoning, and as the JSON object it was asked for.

Pure. Nothing is repaired: text that is not JSON gives None, which callers treat as a failed attempt. Both
functions read the text in linear time, because a model (or whoever wrote its sources) chooses the text.
What would hurt: taking an inner object out of an answer that was cut off. A plan's last step would then pass
for the plan, so an object that never closes ends the search.
"""

import json
import math
import re
from typing import Any, NoReturn

from mace.core import canon

_TAG = re.compile(r"<(/?)(?:think|thinking|thought|reasoning|reflection|scratchpad)(?:\s[^<>]{0,64})?>", re.IGNORECASE)
_WRAPPING_FENCES = frozenset({"", "text", "txt", "plain", "plaintext", "markdown", "md"})
_MAX_UNCLOSED = 8  # lone braces in prose that are stepped over before the search gives up


def visible_text(text: str) -> str:
    """Return what was meant for the reader: no reasoning, no fence or white space around the whole.

    A closing tag without an opening one hides all before it (some chat templates swallow the opening one); an
    opening tag that is never closed hides all after it, if it stands at the start of a line (else it is only
    talked about).
    """
    kept: list[str] = []
    depth, position = 0, 0
    for tag in _TAG.finditer(text):
        if depth == 0:
            kept.append(text[position : tag.start()])
        closes = bool(tag.group(1))
        if closes and depth == 0:
            kept.clear()
        depth = max(0, depth - 1) if closes else depth + 1
        if depth == 1 and not closes:
            opened = tag
        position = tag.end()
    if depth == 0:
        kept.append(text[position:])
    elif text[text.rfind("\n", 0, opened.start()) + 1 : opened.start()].strip():
        kept.append(text[opened.start() :])
    return _unfenced("".join(kept).strip())


def first_json(text: str) -> dict[str, Any] | None:
    """Return the first JSON object in the visible text, or None.

    Prose, fences and further objects around it are ignored; an empty object counts only if there is no other.
    What is returned has a canonical form, so that it can be recorded: no NaN, no number beyond a double, no
    lone surrogate.
    """
    text = visible_text(text)
    empty: dict[str, Any] | None = None
    unclosed = 0
    position = text.find("{")
    while position >= 0:
        found, end = _object_at(text, position)
        if found:
            return found
        if found is not None:
            empty = found
        if end is None:
            looks_like_an_object = text[position + 1 : position + 64].lstrip()[:1] in ('"', "'")
            unclosed += 1
            if looks_like_an_object or unclosed > _MAX_UNCLOSED:
                return empty  # cut off: what lies inside is a part, not the answer
            end = position + 1
        position = text.find("{", end)
    return empty


def _object_at(text: str, start: int) -> tuple[dict[str, Any] | None, int | None]:
    """Return the object that begins here, or None, and where its braces close (None: they do not)."""
    try:
        found, end = _DECODER.raw_decode(text, start)
        canon.dumps(found)
    except (ValueError, RecursionError):
        return None, _closing(text, start)
    return found, end


_STRUCTURE = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|[{}]', re.DOTALL)  # a string without an end reaches to the end


def _closing(text: str, start: int) -> int | None:
    """Return the place after the brace that closes the one at `start`, skipping strings, or None."""
    depth = 0
    for piece in _STRUCTURE.finditer(text, start):
        if piece.group() == "{":
            depth += 1
        elif piece.group() == "}":
            depth -= 1
            if depth == 0:
                return piece.end()
    return None


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError("a number beyond a double")
    return number


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=_finite)


def _unfenced(text: str) -> str:
    """Return the inside of a fence that wraps the whole and only marks it as text; code keeps its fence."""
    if not (text.startswith("```") and text.endswith("```") and len(text) >= 6):
        return text
    first_line, _, rest = text.partition("\n")
    inside = rest[:-3]
    if first_line[3:].strip().lower() not in _WRAPPING_FENCES or "```" in inside or not rest:
        return text
    return inside.strip()
