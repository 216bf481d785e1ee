"""What one line of a store says: a record, or an invalid line with what can still be said of it.

Pure; the readers of stores call this for every line and index what it answers. Parsing is strict (RFC 8259 in UTF-8,
no byte order mark, NaN, Infinity, number beyond a double, lone surrogate; nesting up to 128): orjson refuses all of
that itself, except depth, which is measured here. `record_hash` is a promise: it must not move by one bit.
"""

import hashlib
import json
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import orjson

from mace.core import canon
from mace.memory.context.instants import HOURS, WITHIN_HOUR
from mace.memory.context.instants import read as read_instant

MAX_NESTING = 128
MAX_LINE_BYTES = 4 * 1024 * 1024  # a longer one is no record: its words would take as much memory as all others
INVALID = "invalid_record_schema"
TRUST_DENIED = "trust_denied"
BUDGET_EXHAUSTED = "budget_exhausted"

_MAX_INTEGER = 2**53 - 1


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


class Columns(NamedTuple):
    """What many lines say: records by column, and the lines that are none with their places among the lines."""

    memory_ids: list[str]
    record_hashes: list[str]
    texts: list[str]
    tags: list[tuple[str, ...]]
    instants: list[int | None]
    invalid: list[tuple[int, InvalidLine]]


def read_line(raw: bytes) -> Record | InvalidLine:
    """Read a line given without its line end."""
    found = read_lines((raw,))
    if found.invalid:
        return found.invalid[0][1]
    return Record(found.memory_ids[0], found.record_hashes[0], found.texts[0], found.tags[0], found.instants[0])


def read_lines(lines: Sequence[bytes]) -> Columns:
    """Read lines given without their line ends. Runs over every line of every store: what is usual comes first."""
    loads, dumps, sha256 = orjson.loads, orjson.dumps, hashlib.sha256
    hours, within_hour, known_tags = HOURS, WITHIN_HOUR, _TAGS
    found = Columns([], [], [], [], [], [])
    add_id, add_hash, add_text = found.memory_ids.append, found.record_hashes.append, found.texts.append
    add_tags, add_instant = found.tags.append, found.instants.append
    for place, raw in enumerate(lines):
        if len(raw) > MAX_LINE_BYTES:
            _add(found, place, _invalid("", raw))
            continue
        try:
            fields = loads(raw)
            memory_id, text = fields["memory_id"], fields["text"]
            get = fields.get
            refs, tags, written_at = get("refs"), get("tags"), get("ts_utc")
            normal_tags, unsure = known_tags[tuple(tags)] if tags else _NO_TAGS
        except (ValueError, KeyError, TypeError):  # no JSON, no object, a required field missing, tags that are no list
            _add(found, place, _read_with_care(raw))
            continue
        ts_us = None
        if written_at is not None:
            try:
                ts_us = hours[written_at[:13]] + within_hour[written_at[13:]]
            except (KeyError, TypeError):
                if type(written_at) is not str:
                    _add(found, place, _read_with_care(raw))
                    continue
                ts_us, written_at = read_instant(written_at)
        if (
            type(memory_id) is not str
            or type(text) is not str
            or normal_tags is None
            or (tags is not None and type(tags) is not list)
            or (refs is not None and (refs or type(refs) is not list))
        ):
            _add(found, place, _read_with_care(raw))
            continue
        # Keys stand in canonical order already, and orjson writes text as RFC 8785 wants it.
        encoded = dumps(
            {"memory_id": memory_id, "refs": _NO_REFS, "tags": normal_tags, "text": text, "ts_utc": written_at}
        )
        # Anything nested too deeply would make the line at least 212 bytes longer than its normal form: 256 brackets,
        # less the 44 bytes that absent fields and a rewritten timestamp can add. (Lowering may lengthen tags a little.)
        if (unsure or len(raw) > len(encoded) + _SURELY_SHALLOW) and nesting_of(raw) > MAX_NESTING:
            _add(found, place, _invalid("", raw))
            continue
        add_id(memory_id)
        add_hash(sha256(encoded).hexdigest())
        add_text(text)
        add_tags(normal_tags)
        add_instant(ts_us)
    return found


def read_turns(lines: Sequence[bytes]) -> tuple[list[str], list[tuple[str, ...]]]:
    """The texts and tags of lines that are known to be records; quicker than `read_lines`."""
    texts, found = [], []
    loads, known_tags = orjson.loads, _TAGS
    for raw in lines:
        fields = loads(raw)
        texts.append(fields["text"])
        tags = fields.get("tags")
        normal_tags, _ = known_tags[tuple(tags)] if tags else _NO_TAGS
        if normal_tags is None:
            raise ValueError("a line that is no record")
        found.append(normal_tags)
    return texts, found


def _add(found: Columns, place: int, line: Record | InvalidLine) -> None:
    if isinstance(line, InvalidLine):
        found.invalid.append((place, line))
    else:
        found.memory_ids.append(line.memory_id)
        found.record_hashes.append(line.record_hash)
        found.texts.append(line.text)
        found.tags.append(line.tags)
        found.instants.append(line.ts_us)


def _read_with_care(raw: bytes) -> Record | InvalidLine:
    """Read a line step by step: all that is valid but unusual, and all that is not valid."""
    try:
        fields = orjson.loads(raw)
    except ValueError:
        return _invalid("", raw)
    if type(fields) is not dict or nesting_of(raw) > MAX_NESTING:
        return _invalid("", raw)
    memory_id, text, tags, refs = (fields.get(name) for name in ("memory_id", "text", "tags", "refs"))
    if type(memory_id) is not str:
        return _invalid("", raw)
    if refs is None:
        refs = []
    normal_tags = _normal_tags([] if tags is None else tags)
    if type(text) is not str or normal_tags is None or not _refs_are_valid(refs, raw):
        return _invalid(memory_id, raw)
    ts_us, written_at = None, fields.get("ts_utc")
    if written_at is not None:
        if type(written_at) is not str:
            return _invalid(memory_id, raw)
        ts_us, written_at = read_instant(written_at)
    normal = {"memory_id": memory_id, "refs": refs, "tags": list(normal_tags), "text": text, "ts_utc": written_at}
    return Record(memory_id, canon.hash_of(normal), text, normal_tags, ts_us)


class EntryWriter:
    """Canonical bytes of `dropped` entries of one store, each led by a comma."""

    def __init__(self, store_path: str) -> None:
        self._tail = b'","store_path":' + orjson.dumps(store_path) + b"}"

    def exhausted(self, memory_ids: Sequence[str], record_hashes: Sequence[str]) -> tuple[bytes, list[int]]:
        """The entries records get when the budget does not reach them (nearly all of a package), and their lengths."""
        together = "".join(memory_ids)
        if together.isascii() and together.isprintable() and '"' not in together and "\\" not in together:
            pairs = zip(memory_ids, record_hashes, strict=True)
            tail = self._tail.decode()
            between = (tail + _HEAD).join([memory_id + _MIDDLE + record_hash for memory_id, record_hash in pairs])
            around = len(_HEAD) + len(_MIDDLE) + _HASH_LENGTH + len(self._tail)
            return f"{_HEAD}{between}{tail}".encode(), [around + len(memory_id) for memory_id in memory_ids]
        entries = [self.of(*named, BUDGET_EXHAUSTED) for named in zip(memory_ids, record_hashes, strict=True)]
        return b"".join(entries), list(map(len, entries))

    def invalid(self, line: InvalidLine) -> bytes:
        return self.of(line.memory_id, line.record_hash, INVALID)

    def of(self, memory_id: str, record_hash: str, reason: str) -> bytes:
        head = b',{"memory_id":' + orjson.dumps(memory_id) + b',"reason":' + orjson.dumps(reason)
        return head + b',"record_hash":"' + record_hash.encode() + self._tail


_BRACKET_OR_STRING = re.compile(rb'[][{}]|"(?:[^"\\]|\\.)*"', re.DOTALL)
_SURELY_SHALLOW = 200
_HEAD = ',{"memory_id":"'
_MIDDLE = f'","reason":"{BUDGET_EXHAUSTED}","record_hash":"'
_HASH_LENGTH = 64
_NO_REFS: list[Any] = []


def tags_are_valid(tags: Any) -> bool:
    """Whether it is a list of text."""
    return type(tags) is list and _normal_tags(tags) is not None


def _normal_tags(tags: Any) -> tuple[str, ...] | None:
    """Lowercased, unique, sorted; None when it is no list of text."""
    if type(tags) not in (list, tuple) or not all(type(tag) is str for tag in tags):
        return None
    return tuple(sorted({tag.lower() for tag in tags}))


class _Tags(dict[tuple[Any, ...], tuple[tuple[str, ...] | None, bool]]):
    """Stores repeat the same few lists of tags, so their normal forms are kept; and whether lowering may lengthen."""

    def __missing__(self, tags: tuple[Any, ...]) -> tuple[tuple[str, ...] | None, bool]:
        if len(self) >= _MAX_TAGS:
            self.clear()
        normal = _normal_tags(tags)
        found = self[tags] = (normal, normal is not None and not all(map(str.isascii, normal)))
        return found


_TAGS = _Tags()
_MAX_TAGS = 1 << 14
_NO_TAGS: tuple[tuple[str, ...] | None, bool] = ((), False)


def _invalid(memory_id: str, raw: bytes) -> InvalidLine:
    return InvalidLine(memory_id, hashlib.sha256(raw).hexdigest())


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


def nesting_of(raw: bytes) -> int:
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
