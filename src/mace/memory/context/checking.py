"""What is wrong with a line of a store, named without repeating any of it.

Pure. The reader of stores only says that a line is no record; here is why. Both must agree: a line has a problem that
`is_dropped` exactly where the reader drops it.
"""

from collections import Counter
from collections.abc import Iterable
from hashlib import blake2b
from typing import Any, NamedTuple

import orjson

from mace.core.answers import StoreProblem
from mace.memory.context.instants import parse_us
from mace.memory.context.records import (
    MAX_LINE_BYTES,
    MAX_NESTING,
    InvalidLine,
    is_blank,
    nesting_of,
    read_line,
    tags_are_valid,
)

_MARK = b"\xef\xbb\xbf"


class LineProblem(NamedTuple):
    """One thing that is wrong with a line."""

    problem: StoreProblem
    field: str | None
    is_dropped: bool  # the reader takes the line for no record
    message: str


class Looked(NamedTuple):
    """What a line is: nothing, a record or none, its id where it is a record, and what is wrong with it."""

    is_blank: bool
    memory_id: str | None
    problems: list[LineProblem]


def look_at(raw: bytes) -> Looked:
    """Look at a line given without its line end; of one that is too long the beginning is enough."""
    if is_blank(raw):
        return Looked(True, None, [])
    if len(raw) > MAX_LINE_BYTES:
        return _dropped("too_long", None, f"is longer than {MAX_LINE_BYTES} bytes")
    try:
        fields = orjson.loads(raw)
    except ValueError:
        return _unreadable(raw)
    if type(fields) is not dict:
        return _dropped("not_an_object", None, "is not a JSON object")
    if nesting_of(raw) > MAX_NESTING:
        return _dropped("too_deep", None, f"is nested deeper than {MAX_NESTING}")
    found: list[LineProblem] = []
    for name in ("memory_id", "text"):
        if fields.get(name) is None:
            found.append(LineProblem("missing_field", name, True, f"has no {name}"))
        elif type(fields[name]) is not str:
            found.append(LineProblem("wrong_type", name, True, f"has a {name} that is not a string"))
    if fields.get("tags") is not None and not tags_are_valid(fields["tags"]):
        found.append(LineProblem("wrong_type", "tags", True, "has tags that are not a list of strings"))
    refs, written_at = fields.get("refs"), fields.get("ts_utc")
    if refs is not None and (type(refs) is not list or not all(type(ref) is dict for ref in refs)):
        found.append(LineProblem("wrong_type", "refs", True, "has refs that are not a list of objects"))
    elif not found and type(written_at) in (str, type(None)) and isinstance(read_line(raw), InvalidLine):
        found.append(LineProblem("number_too_large", "refs", True, "has a number in refs beyond 2^53-1"))
    if written_at is not None and type(written_at) is not str:
        found.append(LineProblem("wrong_type", "ts_utc", True, "has a ts_utc that is not a string"))
    elif written_at is not None and parse_us(written_at) is None:
        found.append(LineProblem("bad_timestamp", "ts_utc", False, "has a ts_utc that is not a timestamp"))
    is_record = not any(item.is_dropped for item in found)
    return Looked(False, fields["memory_id"] if is_record else None, found)


def _unreadable(raw: bytes) -> Looked:
    try:
        raw.decode()
    except UnicodeDecodeError as error:
        return _dropped("not_utf8", None, f"is not valid UTF-8 at byte {error.start + 1}")
    if raw.startswith(_MARK):
        return _dropped("byte_order_mark", None, "begins with a byte order mark")
    return _dropped("not_json", None, "is not valid JSON")


def _dropped(problem: StoreProblem, field: str | None, message: str) -> Looked:
    return Looked(False, None, [LineProblem(problem, field, True, message)])


def checked(lines: Iterable[tuple[bytes, bool]], limit: int) -> dict[str, Any]:
    """What all lines of a store come to: counts, and at most `limit` problems with the numbers of their lines."""
    counts: Counter[StoreProblem] = Counter()
    listed: list[dict[str, Any]] = []
    seen: dict[bytes, int] = {}  # where each id stands first, by its hash: ids may be long
    number = blank = records = dropped = 0
    for number, (raw, has_end) in enumerate(lines, 1):
        looked = look_at(raw)
        problems = looked.problems
        blank += looked.is_blank
        if looked.memory_id is not None:
            records += 1
            digest = blake2b(looked.memory_id.encode(), digest_size=16).digest()
            first = seen.setdefault(digest, number)
            if first != number:
                problems = [*problems, duplicate(first)]
        elif not looked.is_blank:
            dropped += 1
        if not has_end:
            problems = [*problems, NO_LINE_END]
        for found in problems:
            counts[found.problem] += 1
            if len(listed) < limit:
                listed.append(
                    {
                        "line": number,
                        "problem": found.problem,
                        "field": found.field,
                        "dropped": found.is_dropped,
                        "message": found.message,
                    }
                )
    return {
        "ok": not counts,
        "lines": number,
        "records": records,
        "blank": blank,
        "dropped": dropped,
        "problems": listed,
        "more": counts.total() - len(listed),
        "counts": dict(counts),
    }


def duplicate(first: int) -> LineProblem:
    """What is wrong with a record whose id stands on an earlier line, too."""
    return LineProblem("duplicate_memory_id", "memory_id", False, f"has the memory_id of line {first}")


NO_LINE_END = LineProblem("no_line_end", None, False, "is the last one and has no line end")
