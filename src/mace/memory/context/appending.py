"""New records of a store: what a caller may give, the lines they become, and what a started append left in the file.

Pure. A record that is written here is one that the reader takes: each line is read back before it is handed on. The
messages name places and types, never what the caller wrote.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import orjson

from mace.core import canon
from mace.core.errors import InvalidInput, WrongType
from mace.core.texts import is_encodable
from mace.memory.context.instants import format_us, parse_us
from mace.memory.context.records import InvalidLine, is_blank, read_line

MAX_RECORDS = 1_000  # of one call
MAX_BYTES = 1_000_000  # of one call, as JSON: each is looked at for personal data
MAX_ID_CHARACTERS = 200
_KNOWN = ("memory_id", "refs", "tags", "text", "ts_utc")


@dataclass(frozen=True, slots=True)
class NewRecord:
    """A record as it was given; one without an id or a time gets it where it is written."""

    memory_id: str | None
    ts_utc: str | None
    text: str
    tags: list[str]
    refs: list[dict[str, Any]]

    def to_json(self) -> list[Any]:
        """The record as one request is told from another by."""
        return [self.memory_id, self.ts_utc, self.text, self.tags, self.refs]


def new_records(given: Any) -> list[NewRecord]:
    """The records of a call: a text, an object, or a list of these. `InvalidInput` says which one is wrong, and how."""
    items = given if isinstance(given, list | tuple) else [given]
    if not items:
        raise InvalidInput("records must not be empty")
    if len(items) > MAX_RECORDS:
        raise InvalidInput(f"records has {len(items)} members, at most {MAX_RECORDS} are allowed in one call")
    many = isinstance(given, list | tuple)
    found = [_record(item, f"records[{place}]" if many else "records") for place, item in enumerate(items)]
    ids = [record.memory_id for record in found if record.memory_id is not None]
    if len(ids) != len(set(ids)):
        raise InvalidInput("records has a memory_id twice")
    return found


def _record(item: Any, name: str) -> NewRecord:
    if isinstance(item, str):
        item = {"text": item}
    if not isinstance(item, dict):
        raise WrongType(f"{name} must be a str or an object, got {type(item).__name__}")
    if canon.nests_deeper(item, canon.MAX_NESTING):
        raise InvalidInput(f"{name} must not be nested deeper than {canon.MAX_NESTING}")
    unknown = sum(field not in _KNOWN for field in item)
    if unknown:
        raise InvalidInput(f"{name} has {unknown} unknown field(s); known are {', '.join(_KNOWN)}")
    said = {field: value for field, value in item.items() if value is not None}
    if "text" not in said:
        raise InvalidInput(f"{name}.text is required")
    text = _text(said["text"], f"{name}.text")
    if not text.strip():
        raise InvalidInput(f"{name}.text must not be empty")
    return NewRecord(
        _id(said["memory_id"], f"{name}.memory_id") if "memory_id" in said else None,
        _instant(said["ts_utc"], f"{name}.ts_utc") if "ts_utc" in said else None,
        text,
        _tags(said.get("tags", []), f"{name}.tags"),
        _refs(said.get("refs", []), f"{name}.refs"),
    )


def _text(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise WrongType(f"{name} must be a str, got {type(value).__name__}")
    if not is_encodable(value):
        raise InvalidInput(f"{name} must not contain unpaired surrogates")
    return str(value)


def _id(value: Any, name: str) -> str:
    memory_id = _text(value, name)
    if not 0 < len(memory_id) <= MAX_ID_CHARACTERS or not memory_id.strip():
        raise InvalidInput(f"{name} must have 1 to {MAX_ID_CHARACTERS} characters")
    return memory_id


def _instant(value: Any, name: str) -> str:
    instant = parse_us(_text(value, name))
    if instant is None:
        raise InvalidInput(f"{name} is not a timestamp such as 2026-05-06T07:08:09Z")
    return format_us(instant)


def _tags(value: Any, name: str) -> list[str]:
    if not isinstance(value, list | tuple):
        raise WrongType(f"{name} must be a list of strings, got {type(value).__name__}")
    return [_text(tag, f"{name}[{place}]") for place, tag in enumerate(value)]


def _refs(value: Any, name: str) -> list[dict[str, Any]]:
    if not isinstance(value, list | tuple) or not all(isinstance(ref, dict) for ref in value):
        raise WrongType(f"{name} must be a list of objects")
    try:
        canon.dumps(list(value))
    except (canon.NotCanonical, RecursionError, TypeError):
        raise InvalidInput(f"{name} must be JSON in Unicode") from None
    return list(value)


def line_of(record: NewRecord, memory_id: str, now: str) -> bytes:
    """The line of a record, with its line end; fields that say nothing are left out."""
    fields: dict[str, Any] = {"memory_id": memory_id, "ts_utc": record.ts_utc or now, "text": record.text}
    if record.tags:
        fields["tags"] = record.tags
    if record.refs:
        fields["refs"] = record.refs
    line = orjson.dumps(fields)
    if isinstance(read_line(line), InvalidLine):
        raise InvalidInput("records has one that a store cannot hold: a number in refs is beyond 2^53-1")
    return line + b"\n"


Ending = Literal["empty", "ended", "open", "broken"]


def ending_of(last_line: bytes, *, has_end: bool) -> Ending:
    """How a store ends: with nothing, with a whole line, with a record that only lacks its line end, or otherwise.

    Nothing is appended to one that ends otherwise: it is torn, somebody is still writing it, or the file is no store.
    """
    if is_blank(last_line):
        return "empty" if not last_line and not has_end else "ended" if has_end else "broken"
    if isinstance(read_line(last_line), InvalidLine):
        return "broken"
    return "ended" if has_end else "open"


Left = Literal["complete", "torn", "nothing"]


def left_by(pieces: Sequence[tuple[int, str]], held: bytes, tag: Callable[[bytes], str]) -> Left:
    """What an append that was started and never finished left behind the place where it began.

    `pieces` are the lengths and tags of what it was to write; `held` is what stands there now, at most as much. What is
    not surely its own is somebody else's, and is left alone: then it left nothing.
    """
    at = 0
    for length, wanted in pieces:
        piece = held[at : at + length]
        if len(piece) < length:
            return "torn" if _is_begun(piece, at, length, wanted, tag) else "nothing"
        if tag(piece) != wanted:
            return "nothing"
        at += length
    return "complete"


def _is_begun(piece: bytes, at: int, length: int, wanted: str, tag: Callable[[bytes], str]) -> bool:
    """Whether the end of a file is the beginning of this piece, which has this length and this tag.

    Lines of the same append before it say so; else one that is a whole record is somebody else's, unless only its line
    end is missing. A line that was torn is no record.
    """
    if b"\n" in piece[1:]:
        return False
    if at > 0 or (len(piece) == length - 1 and tag(piece + b"\n") == wanted):
        return True
    return bool(piece) and isinstance(read_line(piece), InvalidLine)
