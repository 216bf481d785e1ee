"""The privacy gate as the engine uses it: what is found, what may pass, what is put on the record.

Every write and every question meets this gate. The detectors are imported when something is first looked at, because
reading needs none of them. Raw spans live only in local variables; what leaves is types, places
and keyed hashes.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from mace.core.errors import InvalidInput, WrongType
from mace.core.texts import is_storable
from mace.memory.keys import place_user
from mace.providers.ports import Keys

if TYPE_CHECKING:
    from mace.governance.detectors import Finding, JsonFinding

REDACTION_REASON = "PII_DETECTED"
MAX_USER_ID_CHARS = 512


@dataclass(frozen=True, slots=True)
class Flag:
    """One flagged span, ready for the record."""

    pii_type: str
    sensitivity: str
    rule: str
    pii_hash: str

    def payload(self) -> dict[str, str]:
        """Return the flag as it is stored in events."""
        return {
            "pii_type": self.pii_type,
            "sensitivity": self.sensitivity,
            "rule": self.rule,
            "pii_hash": self.pii_hash,
            "redaction_reason": REDACTION_REASON,
        }


def pii_hash(keys: Keys, span: str, job_seed: str) -> str:
    """HMAC-SHA256 of the exact matched span and the seed, under the server key."""
    return keys.pii_mac((span + job_seed).encode("utf-8", "surrogatepass")).hex()


def flags_in_text(keys: Keys, text: str, job_seed: str, field: str | None = None) -> "tuple[list[Finding], list[Flag]]":
    """Return the findings above low in a text (that is to stand under this name), and what is recorded of them."""
    from mace.governance.detectors import LOW, detect

    found = [finding for finding in detect(text, field) if finding.sensitivity != LOW]
    return found, [
        Flag(item.type, item.sensitivity, item.rule, pii_hash(keys, text[item.start : item.end], job_seed))
        for item in found
    ]


def flags_in_json(keys: Keys, value: Any, field: str, job_seed: str) -> list[Flag]:
    """Return what is recorded of the findings above low in a value that is to be stored under this name."""
    detect_json, low = _detectors()
    try:
        items = detect_json(value, field)
    except ValueError as error:
        raise InvalidInput(f"value is {error}") from None
    flags = []
    for item in items:
        found = item.finding
        if found.sensitivity != low:
            span = _text_at(value, item.path, item.in_key)[found.start : found.end]
            flags.append(Flag(found.type, found.sensitivity, found.rule, pii_hash(keys, span, job_seed)))
    return flags


@cache
def _detectors() -> "tuple[Callable[[Any, str], list[JsonFinding]], str]":
    """Imported with the first value that is looked at, and not asked for again: every write comes by here."""
    from mace.governance.detectors import LOW, detect_json

    return detect_json, LOW


def _text_at(value: Any, path: tuple[str | int, ...], in_key: bool) -> str:
    if in_key:
        return str(path[-1])
    from mace.governance.detectors.nested import json_text

    for step in path:
        value = value[step]
    return json_text(value) or ""


def has_high(flags: list[Flag]) -> bool:
    """Return whether any flag is of high sensitivity."""
    return any(flag.sensitivity == "high" for flag in flags)


def check_user_id(user_id: str) -> None:
    """A name for a person must name somebody, and may not itself be a telephone number or the like."""
    if not isinstance(user_id, str):
        raise WrongType(f"user_id must be a str, got {type(user_id).__name__}")
    if len(user_id) > MAX_USER_ID_CHARS:
        raise InvalidInput(f"user_id must have at most {MAX_USER_ID_CHARS} characters, got {len(user_id)}")
    if not is_storable(user_id):
        raise InvalidInput("user_id must not contain NUL or unpaired surrogates")
    _check_name(user_id)


@lru_cache(maxsize=4096)
def _check_name(user_id: str) -> None:
    from mace.governance.detectors import LOW, detect

    try:
        place_user(user_id, lambda _slot: None)
    except ValueError as error:
        raise InvalidInput(f"user_id is not a valid user id: {error}") from None
    if any(finding.sensitivity != LOW for finding in detect(user_id)):
        raise InvalidInput("user_id must not be personal data such as an e-mail address or a number")
