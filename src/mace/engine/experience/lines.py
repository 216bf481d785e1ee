"""The lines of an export, read back: every one is checked before any is believed.

After the head come Megrams, one a line, then the pairs that are left alone because a change was rolled back. Personal
data in the words is cut out, whatever was allowed where they come from.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

from mace.core import canon
from mace.core.errors import InvalidInput, MaceError, WrongType
from mace.core.texts import MAX_LINE_BYTES
from mace.engine.experience import rows
from mace.engine.experience.contents import without_personal_data
from mace.engine.kernel.cleaning import is_personal
from mace.memory.experience import megrams
from mace.storage.experience_ports import MegramRow

FORMAT = "mace-experience/1"
_FIELDS = frozenset(
    {
        "id",
        "level",
        "created_at",
        "last_recalled_at",
        "space",
        "entity",
        "content",
        "state",
        "f",
        "sigma",
        "k",
        "marked",
        "retired",
        "persons",
    }
)


class Line(NamedTuple):
    """One Megram of an export file, checked."""

    row: MegramRow  # its content in the clear
    retired: bool
    recalled_at: str | None
    persons: list[str]
    redacted: bool  # something was cut out of its words


def read(lines: Iterable[str | bytes]) -> tuple[list[Line], list[tuple[str, str]]]:
    """Return the Megrams and the pairs that are held; raise `InvalidInput` naming the line that is wrong."""
    found: list[Line] = []
    held: list[tuple[str, str]] = []
    seen: set[str] = set()
    number = 0
    for number, line in enumerate(lines, 1):
        if not isinstance(line, str | bytes):
            raise WrongType(f"line {number} must be a str or bytes, got {type(line).__name__}")
        if not line.strip() and number > 1:
            continue
        if len(line) > MAX_LINE_BYTES:
            raise InvalidInput(f"line {number} has {len(line)} characters, at most {MAX_LINE_BYTES} are allowed")
        try:
            data = canon.loads_once(line.encode() if isinstance(line, str) else line)
        except (ValueError, UnicodeEncodeError):
            raise InvalidInput(f"line {number} is not JSON") from None
        if number == 1:
            if not isinstance(data, dict) or data.get("format") != FORMAT:
                raise InvalidInput(f"line 1 must be a header with format {FORMAT}")
            continue
        try:
            if not isinstance(data, dict):
                raise InvalidInput("must be a JSON object")
            if set(data) == {"held"}:
                held.append(_held(data["held"]))
                continue
            one = _read_line(data)
        except MaceError as error:
            raise InvalidInput(f"line {number}: {error}") from None
        if one.row.megram_id in seen:
            raise InvalidInput(f"line {number}: the Megram with this id is in the file twice")
        seen.add(one.row.megram_id)
        found.append(one)
    if not number:
        raise InvalidInput(f"line 1 must be a header with format {FORMAT}")
    return found, held


def _held(data: Any) -> tuple[str, str]:
    if not isinstance(data, dict) or set(data) != {"space", "entity"}:
        raise InvalidInput("held must have exactly space and entity")
    return _pair(data)


def _pair(data: dict[str, Any]) -> tuple[str, str]:
    space, entity = megrams.read_pair(data["space"], data["entity"])
    if is_personal(space) or is_personal(entity):
        raise InvalidInput("space and entity must not contain personal data")
    return space, entity


def _read_line(data: dict[str, Any]) -> Line:
    """One line as a row with its words in the clear; personal data in the words is cut out, and said to be."""
    if set(data) != _FIELDS:
        raise InvalidInput(f"must have exactly the fields {', '.join(sorted(_FIELDS))}")
    megram_id = data["id"]
    if not isinstance(megram_id, str) or not _looks_like_an_id(megram_id):
        raise InvalidInput("id is not a valid megram id")
    created_us = rows.check_id(megram_id, data["created_at"])
    space, entity = _pair(data)
    numbers = [data["f"], data["sigma"], data["k"]]
    if any(not isinstance(number, int | float) or isinstance(number, bool) for number in numbers):
        raise InvalidInput("f, sigma and k must be numbers")
    try:
        f, sigma, k = (float(number) for number in numbers)
    except OverflowError:
        raise InvalidInput("f, sigma and k must be numbers") from None
    level = data["level"]
    if not _go_together(level, data["state"], megrams.Quanta(f, sigma, k)):
        raise InvalidInput("level, state, f, sigma and k contradict each other")
    if not isinstance(data["marked"], bool) or not isinstance(data["retired"], bool):
        raise InvalidInput("marked and retired must be true or false")
    if data["retired"] and level != megrams.RULE:
        raise InvalidInput("only a rule can be retired")
    recalled = data["last_recalled_at"]
    if recalled is not None:
        recalled = megrams.iso_of(megrams.to_us(megrams.read_instant(recalled, "last_recalled_at")))
    persons = data["persons"]
    if not isinstance(persons, list) or not all(isinstance(p, str) and _is_slug(p) for p in persons):
        raise InvalidInput("persons must be a list of user slugs")
    words, cut = "", False
    refs: tuple[str, ...] = ()
    if data["content"] is not None:
        given = megrams.read_content(data["content"])
        words = without_personal_data(given)
        cut, refs = words != given, ("?",)
    row = MegramRow(
        megram_id,
        level,
        created_us,
        space,
        entity,
        words.encode(),
        refs,
        data["state"],
        f,
        sigma,
        k,
        -1,
        data["marked"],
    )
    return Line(row, data["retired"], recalled, sorted(set(persons)), cut)


def _go_together(level: Any, state: Any, quanta: megrams.Quanta) -> bool:
    """Strength, sign and decay follow from the state, here as everywhere."""
    way = megrams.Quanta(1.0, 1.0 if state == megrams.BEST_PRACTICE else -1.0, megrams.SLOWEST)
    if level == megrams.EPISODE and state == megrams.FEEDBACK_STATE:
        return quanta._replace(sigma=abs(quanta.sigma)) == (megrams.FEEDBACK_STRENGTH, 1.0, megrams.SLOWEST)
    if level == megrams.EPISODE:
        return isinstance(state, str) and megrams.MATRIX.get(state) == quanta
    if state not in (megrams.BEST_PRACTICE, megrams.CONSTRAINT):
        return False
    return (level == megrams.KNOWLEDGE and quanta == way) or (level == megrams.RULE and quanta == way._replace(k=0.0))


def _looks_like_an_id(text: str) -> bool:
    instant, dash, rest = text.partition("-")
    return (
        len(instant) == 16 and bool(dash) and len(rest) == 16 and all(c in "0123456789abcdef" for c in instant + rest)
    )


def _is_slug(text: str) -> bool:
    return 0 < len(text) <= 128 and not is_personal(text) and all(c.isalnum() or c in "_-." for c in text)
