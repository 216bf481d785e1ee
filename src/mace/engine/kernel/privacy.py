"""The privacy gate as the engine uses it: what is found, what may pass, what is put on the record.

Every persistent write meets this gate, whoever makes it, in one of three forms (docs/decisions/0037-one-gate.md):

- `screen` for words that are kept, handed on or sent, whatever is found in them: what nothing covers is cut out.
- `cleaning.check_words` for names and reasons that stand in plain sight on the ledger: what is personal is refused.
- `flags_in_json` and `kernel.gate.Gate.admit` for facts: flagged data is stored by consent, or not at all.

The detectors are imported when something is first looked at, because reading needs none of them. Raw spans live only in
local variables; what leaves is types, places and keyed hashes.
"""

import re
from collections.abc import Callable, Collection, Container, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from mace.core import canon
from mace.core.errors import InvalidInput, WrongType
from mace.core.texts import is_storable
from mace.memory.keys import place_user
from mace.providers.ports import Keys

if TYPE_CHECKING:
    from mace.governance.detectors import Finding, JsonFinding

REDACTION_REASON = "PII_DETECTED"
CUT = "[redacted]"
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


class Own:
    """The words of the person a job is for: what may pass the gate in that job because it is theirs.

    What they said themselves (as far as consent let it be read) covers medium data; what is stored about them was
    admitted when it was stored, high data by the council, and covers both. Nobody else's words are ever covered.
    """

    def __init__(self, said: str = "", stored: Sequence[Any] = (), types: Collection[str] | None = None) -> None:
        self._said = said
        self._stored = list(stored)
        self._types = types  # None: of every type

    def only(self, types: Collection[str]) -> "Own":
        """The same, of these types alone."""
        return Own(self._said, self._stored, types)

    def add_stored(self, value: Any) -> None:
        """Something that is stored about this person was read in their job."""
        self._stored.append(value)

    def covers(self, span: str, sensitivity: str, pii_type: str) -> bool:
        """Say whether exactly this piece of data stands in their own words; separators do not count."""
        wanted = _bare(span)
        if not wanted or not (self._types is None or pii_type in self._types):
            return False
        if sensitivity != "high" and wanted in _bare(self._said):
            return True
        return any(wanted in _bare(canon.dumps(stored).decode()) for stored in self._stored)


NOBODY = Own()  # covers nothing


def _bare(text: str) -> str:
    return _NO_SIGN.sub("", text.lower())


_NO_SIGN = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Screened:
    """What passed the gate, and what is recorded of what did not."""

    value: Any
    flags: tuple[Flag, ...] = ()
    is_clean: bool = False  # nothing above low is in it, whoever it is for and whatever consent says

    @property
    def withheld(self) -> tuple[str, ...]:
        """The types of what was cut out."""
        return tuple(sorted({flag.pii_type for flag in self.flags}))


def screen(
    keys: Keys,
    value: Any,
    job_seed: str,
    *,
    field: str = "",
    own: Own = NOBODY,
    stay: Container[str] = (),
    leaves_hash: bool = False,
) -> Screened:
    """The gate: return a text or JSON value as it may be kept, handed on or sent.

    Every piece above low that `own` does not cover, and that is of no type in `stay`, reads `[redacted]`. With
    `leaves_hash` the whole member it stands in becomes `{redaction_hash, redaction_reason, pii_type}` instead, as the
    fields of a log do. Raises `InvalidInput` for what is no JSON. Whoever calls this puts each flag on the record
    (`PII_FLAGGED`).
    """
    detect_json, low = _detectors()
    try:
        items = detect_json(value, field)
    except ValueError as error:
        raise InvalidInput(f"value is {error}") from None
    if not items:
        return Screened(value, is_clean=True)
    from mace.governance.redact import redact_json

    cut, flags, is_clean = [], [], True
    for item in items:
        found = item.finding
        if found.sensitivity == low:
            continue
        is_clean = False
        if found.type in stay:
            continue
        span = _text_at(value, item.path, item.in_key)[found.start : found.end]
        if not own.covers(span, found.sensitivity, found.type):
            cut.append(item)
            flags.append(Flag(found.type, found.sensitivity, found.rule, pii_hash(keys, span, job_seed)))
    if not cut:
        return Screened(value, is_clean=is_clean)
    clean = _with_hashes(keys, value, cut, job_seed) if leaves_hash else redact_json(value, cut)
    return Screened(clean, tuple(flags))


def _with_hashes(keys: Keys, value: Any, cut: "list[JsonFinding]", job_seed: str) -> Any:
    """The value in which each member with something to cut became the hash, the reason and the type of the worst."""
    worst: dict[tuple[str | int, ...], Finding] = {}
    names: set[tuple[str | int, ...]] = set()
    for item in cut:
        if item.in_key:
            names.add(item.path)
        elif item.path not in worst or item.finding.sensitivity == "high":
            worst[item.path] = item.finding

    def clean(part: Any, path: tuple[str | int, ...]) -> Any:
        if path in worst:
            found, text = worst[path], _text_at(part, (), in_key=False)
            return {
                "redaction_hash": pii_hash(keys, text[found.start : found.end], job_seed),
                "redaction_reason": REDACTION_REASON,
                "pii_type": found.type,
            }
        if isinstance(part, dict):
            renamed = {name: f"{CUT}#{at}" for at, name in enumerate(part) if (*path, name) in names}
            return {renamed.get(name, name): clean(item, (*path, name)) for name, item in part.items()}
        if isinstance(part, list | tuple):
            return [clean(item, (*path, at)) for at, item in enumerate(part)]
        return part

    return clean(value, ())


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
    check_user_text(user_id)
    _check_name(user_id)


def check_user_text(user_id: str) -> None:
    """What every name for a person must be; all that needs to be asked of one that is known."""
    if not isinstance(user_id, str):
        raise WrongType(f"user_id must be a str, got {type(user_id).__name__}")
    if len(user_id) > MAX_USER_ID_CHARS:
        raise InvalidInput(f"user_id must have at most {MAX_USER_ID_CHARS} characters, got {len(user_id)}")
    if not is_storable(user_id):
        raise InvalidInput("user_id must not contain NUL or unpaired surrogates")


@lru_cache(maxsize=4096)
def _check_name(user_id: str) -> None:
    from mace.governance.detectors import LOW, detect

    try:
        place_user(user_id, lambda _slot: None)
    except ValueError as error:
        raise InvalidInput(f"user_id is not a valid user id: {error}") from None
    if any(finding.sensitivity != LOW for finding in detect(user_id)):
        raise InvalidInput("user_id must not be personal data such as an e-mail address or a number")
