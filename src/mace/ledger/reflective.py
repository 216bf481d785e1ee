"""The reflective log: one record per job, its schema, its limits, its stored form and what is signed of it.

Pure; sealing and signing are passed in. The signature is over what is stored: texts of people are sealed first, then
the columns are signed, so a signature can still be checked after a person was erased (then the field reads `ERASED`).

MACE itself chooses the words of the plain columns. In a log that a program wrote they are the program's, so all of them
but ids, numbers and times are sealed as well. Such a log is known by its `qcp_summary`, which cannot look like that.
"""

import base64
import re
from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Any

from mace.core import canon
from mace.core.purposes import Purpose, Sign
from mace.core.reflective import IMMUTABLE_FIELDS
from mace.core.times import parse_instant

APPENDABLE_FIELDS = ("user_feedback", "ground_truth_label", "audit_tags")
SEALED_FIELDS = ("agent_outputs", "council_votes", "final_answer")
JSON_FIELDS = ("qcp_summary", "agents_invoked", "runtime_metrics", *SEALED_FIELDS)
_TEXTS = ("query_id", "query_text_hash", "sem_snapshot_hash", "system_version")
GIVEN_FIELDS = (*JSON_FIELDS, *_TEXTS)  # what a program may write words into
ERASED = {"redaction_reason": "ERASED"}
PLAIN_KINDS = ("amendment", *APPENDABLE_FIELDS)  # records beside logs as earlier versions wrote them: in plain
EFFECTS = ("note", "override_suggestion", "revalidate")
SOURCES = ("system", "user_request", "api")

MAX_TEXT_CHARS = 16_000
MAX_NOTE_CHARS = 4_000
MAX_ROW_BYTES = 1 << 20

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_SHA256 = re.compile(r"[0-9a-f]{64}")

Payload = Mapping[str, Any]


def sealed_kind(kind: str) -> str:
    """The kind of the records beside logs whose words are sealed."""
    return f"sealed_{kind}"


SEALED_KINDS = tuple(map(sealed_kind, PLAIN_KINDS))


def problems_of(payload: Payload) -> list[str]:
    """Say everything that is wrong with a payload, by field, never by value; nothing wrong gives an empty list."""
    required = [name for name in IMMUTABLE_FIELDS if name != "signature"]
    found = [f"{name} is missing" for name in required if name not in payload]
    unknown = sum(name not in IMMUTABLE_FIELDS for name in payload)
    if unknown:  # counted, not named: a name may be what must not be stored
        found.append(f"{unknown} unknown {'field' if unknown == 1 else 'fields'}")
    if found:
        return found
    for name, rule in _RULES.items():
        complaint = rule(payload[name])
        if complaint:
            found.append(f"{name} {complaint}")
    return found or _size_problem(payload)


def _size_problem(payload: Payload) -> list[str]:
    try:
        size = len(canon.dumps({name: payload[name] for name in IMMUTABLE_FIELDS if name != "signature"}))
    except canon.NotCanonical as error:
        return [f"the payload has no canonical form: {error}"]
    return (
        [] if size < MAX_ROW_BYTES else [f"the whole record has {size} bytes, it must be smaller than {MAX_ROW_BYTES}"]
    )


def is_identifier(value: Any) -> bool:
    """Say whether a value is a UUID or a SHA-256 in hex, and so holds no words."""
    return isinstance(value, str) and bool(_UUID.fullmatch(value) or _SHA256.fullmatch(value))


def _identifier(value: Any) -> str:
    return "" if is_identifier(value) else "must be a UUID or a SHA-256 in hex"


def _instant(value: Any) -> str:
    try:
        parse_instant(value)
    except (TypeError, ValueError):
        return "must be an ISO 8601 instant with a time zone"
    return ""


def _text(most: int) -> Callable[[Any], str]:
    def rule(value: Any) -> str:
        good = isinstance(value, str) and 0 < len(value) <= most and "\x00" not in value
        return "" if good else f"must be a string of 1 to {most} characters"

    return rule


def is_sha256(value: Any) -> bool:
    """Say whether this is a SHA-256 in hex."""
    return isinstance(value, str) and _SHA256.fullmatch(value) is not None


def _hex(value: Any) -> str:
    return "" if is_sha256(value) else "must be a SHA-256 in hex"


def _fraction(value: Any) -> str:
    good = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1
    return "" if good else "must be a number from 0 to 1"


def _count(value: Any) -> str:
    good = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return "" if good else "must be a whole number, 0 or more"


def _amount(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value >= 0


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _qcp(value: Any) -> str:
    if not isinstance(value, dict) or not {"depth_level", "intent_tags", "urgency"} <= set(value):
        return "must contain depth_level, intent_tags and urgency"
    return "" if _texts(value["intent_tags"]) else "intent_tags must be a list of strings"


def _agent_outputs(value: Any) -> str:
    if not isinstance(value, list):
        return "must be a list"
    for at, item in enumerate(value):
        if not isinstance(item, dict) or not isinstance(item.get("agent_id"), str):
            return f"[{at}] must be an object with agent_id"
        if not isinstance(item.get("text"), str):
            return f"[{at}].text must be a string"
        if len(item["text"]) > MAX_TEXT_CHARS:
            return f"[{at}].text has more than {MAX_TEXT_CHARS} characters"
        if _fraction(item.get("confidence")):
            return f"[{at}].confidence must be a number from 0 to 1"
        if not _texts(item.get("reasoning_trace")):
            return f"[{at}].reasoning_trace must be a list of strings"
        if not _amount(item.get("tokens")) or not _amount(item.get("time_ms")):
            return f"[{at}] needs tokens and time_ms, 0 or more"
        unknown = set(item) - {
            "agent_id",
            "artifact_url",
            "confidence",
            "reasoning_trace",
            "text",
            "time_ms",
            "tokens",
        }
        if unknown:
            return f"[{at}] has unknown fields"
    return ""


def _council_votes(value: Any) -> str:
    if not isinstance(value, list):
        return "must be a list"
    for at, item in enumerate(value):
        if not isinstance(item, dict) or not isinstance(item.get("council_agent_id"), str):
            return f"[{at}] must be an object with council_agent_id"
        scores = item.get("scores")
        if not isinstance(scores, dict) or any(_fraction(score) for score in scores.values()):
            return f"[{at}].scores must be numbers from 0 to 1"
        if not isinstance(item.get("approve"), bool):
            return f"[{at}].approve must be true or false"
        for name in ("suggested_changes", "note"):
            text = item.get(name)
            if text is not None and not isinstance(text, str):
                return f"[{at}].{name} must be a string"
            if isinstance(text, str) and len(text) > MAX_NOTE_CHARS:
                return f"[{at}].{name} has more than {MAX_NOTE_CHARS} characters"
        if set(item) - {"approve", "council_agent_id", "note", "scores", "suggested_changes"}:
            return f"[{at}] has unknown fields"
    return ""


_RULES: dict[str, Callable[[Any], str]] = {
    "log_id": _identifier,
    "created_at": _instant,
    "source": lambda value: "" if value in SOURCES else f"must be one of {', '.join(SOURCES)}",
    "query_id": _text(256),
    "query_text_hash": _hex,
    "qcp_summary": _qcp,
    "agents_invoked": lambda value: "" if _texts(value) else "must be a list of strings",
    "agent_outputs": _agent_outputs,
    "council_votes": _council_votes,
    "final_answer": lambda value: "",  # any JSON value; its size counts in the whole
    "final_confidence": _fraction,
    "repair_loops": _count,
    "cache_hit": lambda value: "" if isinstance(value, bool) else "must be true or false",
    "sem_snapshot_hash": _text(128),
    "runtime_metrics": lambda value: "" if isinstance(value, dict) else "must be an object",
    "system_version": _text(128),
}


def to_columns(
    payload: Payload, seal: Callable[[str, bytes], tuple[str, bytes]], sign: Sign, *, given: bool = False
) -> tuple[dict[str, Any], str]:
    """Return the row to store (texts sealed, JSON columns as the text that is signed) and its hash.

    `given`: a program wrote it, so whatever may be words is sealed.
    """
    columns = {name: payload[name] for name in IMMUTABLE_FIELDS if name != "signature"}

    def sealed_text(name: str) -> str:
        key_ref, sealed = seal(name, canon.dumps(payload[name]))
        return canon.dumps({"key": key_ref, "sealed": base64.b64encode(sealed).decode()}).decode()

    for name in JSON_FIELDS:
        columns[name] = sealed_text(name) if given or name in SEALED_FIELDS else canon.dumps(payload[name]).decode()
    for name in _TEXTS if given else ():
        if name == "query_text_hash" or not is_identifier(payload[name]):  # the hash of somebody's words can be guessed
            columns[name] = sealed_text(name)
    columns["final_confidence"] = float(payload["final_confidence"])
    columns["cache_hit"] = int(payload["cache_hit"])
    digest = sha256(signed_bytes(columns))
    columns["signature"] = sign(Purpose.LOG, digest.digest())
    return columns, digest.hexdigest()


def sealed_fields(columns: Mapping[str, Any]) -> tuple[str, ...]:
    """Which columns of a stored row are sealed."""
    summary = canon.loads(columns["qcp_summary"])
    if not isinstance(summary, dict) or summary.keys() != {"key", "sealed"}:
        return SEALED_FIELDS
    return (*JSON_FIELDS, *(name for name in _TEXTS if str(columns[name]).startswith("{")))


def signed_bytes(columns: Mapping[str, Any]) -> bytes:
    """The canonical object over the stored columns; JSON columns enter as they are stored, not parsed again."""
    parts = []
    for name in sorted(IMMUTABLE_FIELDS):
        if name == "signature":
            continue
        value = columns[name]
        if name in JSON_FIELDS:
            token = str(value).encode()
        elif name == "cache_hit":
            token = b"true" if value == 1 else b"false" if value == 0 else canon.dumps(str(value))
        else:
            token = _token(value)
        parts.append(b'"' + name.encode() + b'":' + token)
    return b"{" + b",".join(parts) + b"}"


def _token(value: Any) -> bytes:
    try:
        return canon.dumps(value)
    except canon.NotCanonical:  # nobody signed that: an infinity or a huge number put there by someone else
        return b"<" + repr(value).encode() + b">"


def from_columns(columns: Mapping[str, Any], unseal: Callable[[str, str, bytes], bytes | None]) -> dict[str, Any]:
    """Return the record as it was written; a sealed field whose key is gone reads as erased."""
    record = dict(columns)
    sealed = sealed_fields(columns)
    for name in dict.fromkeys((*JSON_FIELDS, *sealed)):
        value = canon.loads(columns[name])
        if name in sealed:
            plain = unseal(name, value["key"], base64.b64decode(value["sealed"]))
            value = dict(ERASED) if plain is None else canon.loads(plain)
        record[name] = value
    record["cache_hit"] = bool(columns["cache_hit"])
    return record
