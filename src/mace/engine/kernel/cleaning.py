"""What is stored unencrypted beside the sealed parts: names are refused when personal, texts lose what is.

Keys, actors, purposes and the like go onto the ledger as they are, so they may not be personal. Texts that people
write beside a log keep everything but what was found: such a field becomes its hash, its reason and its type.
"""

from typing import Any

from mace.core.errors import InvalidInput
from mace.engine.kernel.privacy import REDACTION_REASON, Flag, flags_in_json, pii_hash
from mace.providers.ports import Keys

_FEWEST_DIGITS = 6  # of a number that says anything about a person
CUT = "[redacted]"


def is_personal(text: str) -> bool:
    """Say whether a name holds personal data above low; most names, being one word, need no detectors."""
    if "@" not in text and len(text.split(None, 1)) < 2 and sum(map(str.isdigit, text)) < _FEWEST_DIGITS:
        return False
    return holds_personal(text)


def holds_personal(text: str) -> bool:
    """Say whether a text holds personal data above low; each is asked about, however few its digits."""
    from mace.governance.detectors import LOW, detect

    return any(found.sensitivity != LOW for found in detect(text))


def check_words(text: str, what: str, most: int) -> str:
    """Return a text that may be stored unencrypted on the ledger, or refuse it; `what` is the argument's name."""
    if not isinstance(text, str) or not 0 < len(text.strip()) <= most:
        raise InvalidInput(f"{what} must be a string of 1 to {most} characters")
    if holds_personal(text):
        raise InvalidInput(f"{what} must not contain personal data: it is stored unencrypted on the ledger")
    return text


def cleaned(keys: Keys, value: Any, field: str, job_seed: str) -> tuple[Any, list[Flag]]:
    """Return a JSON value in which each text or number that holds personal data became its redaction, and the flags."""
    from mace.governance.detectors import LOW, detect_json
    from mace.governance.detectors.nested import json_text

    flags = flags_in_json(keys, value, field, job_seed)
    if not flags:
        return value, []
    worst: dict[tuple[str | int, ...], Any] = {}
    names: set[tuple[str | int, ...]] = set()
    for item in detect_json(value, field):
        if item.finding.sensitivity == LOW:
            continue
        if item.in_key:
            names.add(item.path)
        elif item.path not in worst or item.finding.sensitivity == "high":
            worst[item.path] = item.finding

    def clean(part: Any, path: tuple[str | int, ...]) -> Any:
        if path in worst:
            found, text = worst[path], json_text(part) or ""
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

    return clean(value, ()), flags
