"""Facts: what a write must look like, and which of two writes wins.

Pure. It holds no fact; callers pass what is stored and what time it is. Refusals name the rule, never the value.
"""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

from mace.core import canon
from mace.core.errors import FAILURES, InvalidInput, WrongType
from mace.core.times import iso_us, parse_instant
from mace.memory.keys import Key, parse_key, user_of_key
from mace.storage.ports import PastFact

PAYLOAD_FIELDS = frozenset({"value", "source", "timestamp", "notes", "meta"})
AGENT_PREFIX = "agent:"
SOURCES = ("user", "system", "system_admin")
WRITERS_LIST = ("mace", "config", "agents")  # scope, type and id of the facts that say which agents may write

_AGENT = re.compile(r"agent:[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")


@dataclass(frozen=True, slots=True)
class FactRules:
    max_value_bytes: int = 16_384  # of canonical JSON
    max_notes_chars: int = 512
    max_meta_bytes: int = 16_384
    max_ahead: timedelta = timedelta(seconds=300)


@dataclass(slots=True)  # not frozen: one is made with every write, and freezing triples its price
class Put:
    key: Key
    value: Any
    source: str
    timestamp: datetime | None
    notes: str | None
    meta: dict[str, Any]
    content: bytes  # canonical {meta, notes, value}


def read_put(
    key: str,
    value: Any,
    source: str | None,
    timestamp: str | datetime | None,
    notes: str | None,
    meta: dict[str, Any] | None,
    now: datetime,
    rules: FactRules,
) -> Put:
    """Return the write that was meant; `InvalidInput` for what may not be stored.

    An argument of a wrong type raises TypeError and a key that is none ValueError: those are mistakes of the program
    that calls, while whatever lies inside a value came from somewhere else and is refused.
    """
    parsed = parse_key(key)
    _check_types(source, timestamp, notes, meta)
    if isinstance(value, dict) and "value" in value and PAYLOAD_FIELDS.issuperset(value):
        payload, value = value, value["value"]
        source = payload.get("source") if source is None else source
        timestamp = payload.get("timestamp") if timestamp is None else timestamp
        notes = payload.get("notes") if notes is None else notes
        meta = payload.get("meta") if meta is None else meta
    if meta is not None and not isinstance(meta, dict):
        raise InvalidInput("meta must be an object")
    who = check_source(source)
    at = _timestamp(timestamp, now, rules)
    noted = _notes(notes, rules)
    content = b'{"meta":%b,"notes":%b,"value":%b}' % (  # canonical: its members stand in order
        _canonical(meta, rules.max_meta_bytes, "meta") if meta else b"{}",
        b"null" if noted is None else _canonical(noted, 6 * rules.max_notes_chars + 2, "notes"),
        _canonical(value, rules.max_value_bytes, "value"),
    )
    return Put(key=parsed, value=value, source=who, timestamp=at, notes=noted, meta=meta or {}, content=content)


def _check_types(source: object, timestamp: object, notes: object, meta: object) -> None:
    if source is not None and not isinstance(source, str):
        raise WrongType(f"source must be a str, got {type(source).__name__}")
    if timestamp is not None and not isinstance(timestamp, str | datetime):
        raise WrongType(f"timestamp must be a str or a datetime, got {type(timestamp).__name__}")
    if notes is not None and not isinstance(notes, str):
        raise WrongType(f"notes must be a str, got {type(notes).__name__}")
    if meta is not None and not isinstance(meta, dict):
        raise WrongType(f"meta must be a dict, got {type(meta).__name__}")


def check_source(source: object) -> str:
    """Return a source that may write, as far as its form goes; who it is is for the door and the gate to say."""
    if source is None:
        raise InvalidInput("source is required: user, agent:<id>, system or system_admin")
    if isinstance(source, str) and (source in SOURCES or _AGENT.fullmatch(source)):
        return source
    raise InvalidInput("source must be user, system, system_admin or agent:<id>")


def is_agent(source: object) -> bool:
    """Say whether this is how an agent is named as a source: `agent:<id>`."""
    return isinstance(source, str) and _AGENT.fullmatch(source) is not None


def _timestamp(timestamp: object, now: datetime, rules: FactRules) -> datetime | None:
    if timestamp is None:
        return None
    try:
        at = parse_instant(timestamp.isoformat() if isinstance(timestamp, datetime) else timestamp)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise InvalidInput("timestamp must be an ISO 8601 time with a time zone") from None
    if at - now > rules.max_ahead:
        raise InvalidInput("timestamp must not be in the future")
    return at


def _notes(notes: object, rules: FactRules) -> str | None:
    if notes is None or (isinstance(notes, str) and len(notes) <= rules.max_notes_chars):
        return notes
    raise InvalidInput(f"notes must be a string of at most {rules.max_notes_chars} characters")


def _canonical(value: Any, most: int, name: str) -> bytes:
    try:
        encoded = canon.dumps_given(value)
    except canon.NotCanonical as error:
        raise InvalidInput(f"{name} has no canonical JSON form: {error}") from None
    if len(encoded) > most:
        raise InvalidInput(f"{name} must be at most {most} bytes as JSON, got {len(encoded)}")
    return encoded


@dataclass(frozen=True, slots=True)
class Current:
    """What stands now: when and by whom it was written."""

    written_at: str
    source: str


def placed_at(put: Put, current: Current | None, now: datetime) -> str:
    """The timestamp of a write: the given one, else the later of now and just after the current one."""
    if put.timestamp is not None:
        return iso_us(put.timestamp)
    placed = iso_us(now)
    if current is None or placed > current.written_at:
        return placed
    return iso_us(parse_instant(current.written_at) + timedelta(microseconds=1))


def wins(written_at: str, source: str, current: Current | None) -> bool:
    """Last write wins by timestamp, ties by the larger source; equal in both, the later arrival wins."""
    return current is None or (written_at, source) >= (current.written_at, current.source)


def may_write(source: str, key: Key, user_slug: str | None, allowed_agents: list[str]) -> bool:
    """Say whether this source may write this key. `user_slug` is who the user is, if that is known."""
    if source in ("system", "system_admin"):
        return True
    if source == "user":
        owner = user_of_key(str(key))
        return owner is not None and user_slug in (None, owner)
    if key[:3] == WRITERS_LIST:
        return False  # who is on the list does not decide who is
    return source.removeprefix(AGENT_PREFIX) in allowed_agents


def agents_listed(value: Any) -> list[str]:
    """Read the fact `mace/config/agents/allowed_writes`: a list of ids, or one text with commas."""
    if isinstance(value, str):
        value = value.split(",")
    items = value if isinstance(value, list) else []
    return [item.strip().removeprefix(AGENT_PREFIX) for item in items if isinstance(item, str)]


def not_found(*, with_version: bool = False) -> dict[str, Any]:
    """The whole answer about a key that holds nothing; the same whether it was never written or is not the caller's."""
    answer = {**missing(), "error_code": "SEM_NOT_FOUND", "user_message": FAILURES["SEM_NOT_FOUND"].user_message}
    return {**answer, "version": 0} if with_version else answer


def no_longer_covered() -> dict[str, Any]:
    """What a read answers where only an ended consent covers what is stored: as if it were missing, with the code."""
    code = "PRIVACY_BLOCKED"
    return {**missing(), "error_code": code, "user_message": FAILURES[code].user_message}


def missing() -> dict[str, Any]:
    """What a read of a missing key answers, apart from its error code."""
    return {"exists": False, "value": None, "source": None, "last_updated": None, "meta": {}}


def row_hash(row: PastFact) -> str:
    """What an event commits to of a history row: every column, the content by its hash."""
    return canon.hash_of(
        {
            "actor": row.actor,
            "applied": row.applied,
            "content": sha256(row.content).hexdigest(),
            "deleted": row.deleted,
            "key": row.key,
            "key_ref": row.key_ref,
            "source": row.source,
            "stream": row.stream,
            "value_hash": row.value_hash,
            "version": row.version,
            "written_at": row.written_at,
        }
    )
