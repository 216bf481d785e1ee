"""What one line of a store says: a record, or an invalid line with what can still be said of it.

Pure; the readers of stores call this for every line and index what it answers. Parsing is strict (RFC 8259 in UTF-8,
no byte order mark, NaN, Infinity, number beyond a double, lone surrogate; nesting up to 128): orjson refuses all of
that itself, except depth, which is measured here. `record_hash` is a promise: it must not move by one bit.
"""

import hashlib
import json
import re
from functools import lru_cache
from typing import Any, NamedTuple

import orjson

from mace.core import canon
from mace.memory.context.instants import read as read_instant

MAX_NESTING = 128
INVALID = "invalid_record_schema"
TRUST_DENIED = "trust_denied"
BUDGET_EXHAUSTED = "budget_exhausted"

_MAX_INTEGER = 2**53 - 1
_sha256 = hashlib.sha256
_loads = orjson.loads
_dumps = orjson.dumps


class Record(NamedTuple):
    """A valid line, normalised."""

    memory_id: str
    record_hash: str
    text: str
    tags: tuple[str, ...]  # lowercased, unique, sorted
    ts_us: int | None  # microseconds since 1970 in UTC


class InvalidLine(NamedTuple):
    """A line that breaks the contract of a record."""

    memory_id: str  # "" when it has none or does not parse
    record_hash: str  # of its raw bytes


def is_blank(raw: bytes) -> bool:
    """ASCII white space only: such a line is no record and no error."""
    return not raw or raw.isspace()


def read_line(raw: bytes) -> Record | InvalidLine:
    """Read a line given without its line end."""
    try:
        fields = _loads(raw)
    except ValueError:
        return _invalid("", raw)
    if type(fields) is not dict:
        return _invalid("", raw)
    get = fields.get
    memory_id, text, tags, refs, written_at = get("memory_id"), get("text"), get("tags"), get("refs"), get("ts_utc")
    if type(memory_id) is not str or type(text) is not str or refs:
        return _read_with_care(fields, raw)
    ts_us = None
    if written_at is not None:
        if type(written_at) is not str:
            return _read_with_care(fields, raw)
        ts_us, written_at = read_instant(written_at)
    normal_tags: tuple[str, ...] | None = ()
    if tags is not None:
        normal_tags = _normal_tags_of(tags)
    if normal_tags is None or (refs is not None and type(refs) is not list):
        return _read_with_care(fields, raw)
    # Keys stand in canonical order already, and orjson writes text as RFC 8785 wants it.
    encoded = _dumps(
        {"memory_id": memory_id, "refs": _NO_REFS, "tags": normal_tags, "text": text, "ts_utc": written_at}
    )
    # Anything nested too deeply would make the line at least 212 bytes longer than its normal form: 256 brackets, less
    # the 44 bytes that absent fields and a rewritten timestamp can add to it. (Lowering can lengthen tags, a little.)
    unsure = len(raw) > len(encoded) + _SURELY_SHALLOW or (tags and not _are_ascii(normal_tags))
    if unsure and _nesting(raw) > MAX_NESTING:
        return _invalid("", raw)
    return tuple.__new__(Record, (memory_id, _sha256(encoded).hexdigest(), text, normal_tags, ts_us))


def _read_with_care(fields: dict[str, Any], raw: bytes) -> Record | InvalidLine:
    """Read a line that has references, or breaks the contract, step by step."""
    if _nesting(raw) > MAX_NESTING:
        return _invalid("", raw)
    memory_id, text, tags, refs = (fields.get(name) for name in ("memory_id", "text", "tags", "refs"))
    if type(memory_id) is not str:
        return _invalid("", raw)
    if refs is None:
        refs = []
    normal_tags = _normal_tags_of([] if tags is None else tags)
    if type(text) is not str or normal_tags is None or not _refs_are_valid(refs, raw):
        return _invalid(memory_id, raw)
    ts_us, written_at = None, fields.get("ts_utc")
    if written_at is not None:
        if type(written_at) is not str:
            return _invalid(memory_id, raw)
        ts_us, written_at = read_instant(written_at)
    normal = {"memory_id": memory_id, "refs": refs, "tags": list(normal_tags), "text": text, "ts_utc": written_at}
    return Record(memory_id, canon.hash_of(normal), text, normal_tags, ts_us)


def dropped_entry(memory_id: str, record_hash: str, store_path: str, reason: str) -> dict[str, str]:
    return {"memory_id": memory_id, "record_hash": record_hash, "store_path": store_path, "reason": reason}


class EntryWriter:
    """Canonical bytes of `dropped` entries of one store, each led by a comma."""

    def __init__(self, store_path: str) -> None:
        self._tail = b'","store_path":' + _dumps(store_path) + b"}"

    def exhausted(self, record: Record) -> bytes:
        """The entry a record gets when the budget does not reach it: nearly every entry of a package."""
        head = _dumps(record[0])
        return b',{"memory_id":%b,"reason":"budget_exhausted","record_hash":"%b%b' % (
            head,
            record[1].encode(),
            self._tail,
        )

    def invalid(self, line: InvalidLine) -> bytes:
        return self.of(line.memory_id, line.record_hash, INVALID)

    def of(self, memory_id: str, record_hash: str, reason: str) -> bytes:
        head = b',{"memory_id":' + _dumps(memory_id) + b',"reason":' + _dumps(reason)
        return head + b',"record_hash":"' + record_hash.encode() + self._tail


_BRACKET_OR_STRING = re.compile(rb'[][{}]|"(?:[^"\\]|\\.)*"', re.DOTALL)
_SURELY_SHALLOW = 200
_NO_REFS: list[Any] = []


def _normal_tags_of(tags: Any) -> tuple[str, ...] | None:
    """Lowercased, unique, sorted; None when it is no list of text."""
    try:
        return _normal_tags(tuple(tags)) if type(tags) is list else None
    except TypeError:  # what cannot be hashed is no text
        return None


@lru_cache(maxsize=1 << 14)
def _are_ascii(tags: tuple[str, ...]) -> bool:
    return all(map(str.isascii, tags))


@lru_cache(maxsize=1 << 14)
def _normal_tags(tags: tuple[Any, ...]) -> tuple[str, ...] | None:
    """Stores repeat the same few lists of tags, so their normal forms are kept."""
    if not all(type(tag) is str for tag in tags):
        return None
    return tuple(sorted({tag.lower() for tag in tags}))


def _invalid(memory_id: str, raw: bytes) -> InvalidLine:
    return InvalidLine(memory_id, _sha256(raw).hexdigest())


def _refs_are_valid(refs: Any, raw: bytes) -> bool:
    if type(refs) is not list or not all(type(ref) is dict for ref in refs):
        return False
    unsure = False
    pending: list[Any] = list(refs)
    while pending:
        value = pending.pop()
        kind = type(value)
        if kind is dict:
            pending.extend(value.values())
        elif kind is list:
            pending.extend(value)
        elif kind is int and not -_MAX_INTEGER <= value <= _MAX_INTEGER:
            return False
        elif kind is float and abs(value) > _MAX_INTEGER:
            unsure = True
    # orjson reads integers beyond 64 bits as floats; the standard parser tells them apart.
    return not unsure or _refs_are_valid_exactly(json.loads(raw)["refs"])


def _refs_are_valid_exactly(refs: list[Any]) -> bool:
    pending: list[Any] = list(refs)
    while pending:
        value = pending.pop()
        if type(value) is dict:
            pending.extend(value.values())
        elif type(value) is list:
            pending.extend(value)
        elif type(value) is int and not -_MAX_INTEGER <= value <= _MAX_INTEGER:
            return False
    return True


def _nesting(raw: bytes) -> int:
    """How many containers lie inside each other in a line that parses, shadowed duplicates included."""
    if raw.count(b"{") + raw.count(b"[") <= MAX_NESTING:
        return 0  # few enough not to matter
    depth = deepest = 0
    for token in _BRACKET_OR_STRING.finditer(raw):
        mark = raw[token.start()]
        if mark in b"[{":
            depth += 1
            deepest = max(deepest, depth)
        elif mark in b"]}":
            depth -= 1
    return deepest
