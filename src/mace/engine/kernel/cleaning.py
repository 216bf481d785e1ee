"""What is stored unencrypted beside the sealed parts: names are refused when personal, texts lose what is.

Keys, actors, purposes and the like go onto the ledger as they are, so they may not be personal. Texts that people
write beside a log keep everything but what was found: such a field becomes its hash, its reason and its type.
"""

import re
from collections.abc import Container
from functools import lru_cache
from typing import Any

from mace.core.errors import InvalidInput, WrongType
from mace.core.texts import is_encodable
from mace.engine.kernel.privacy import CUT, Flag, flags_in_text, screen
from mace.memory.keys import SCOPES
from mace.providers.ports import Keys

__all__ = [
    "CUT",
    "MAX_IDEMPOTENCY_CHARS",
    "check_idempotency_key",
    "check_words",
    "cleaned",
    "flags_in_name",
    "holds_personal",
    "is_hidden_in",
    "is_personal",
    "is_personal_as_it_is",
    "personal_name",
]

_FEWEST_DIGITS = 6  # of a number that says anything about a person
_FEWEST_OF_TOKEN = 20  # characters; no token that is known by its form has fewer
_RUN = re.compile(r"[A-Za-z0-9_\-+=.~]{20,}")
_IN_NUMBER = re.compile(r"(?<=[0-9])[_/:]+(?=[0-9])")
_JOINTS = re.compile(r"[_/:]+")  # between the words of a name
_UNBROKEN = re.compile(r"[A-Za-z0-9]{16}")  # the random part of a token; few words are as long


def is_personal(text: str) -> bool:
    """Say whether a name holds personal data above low; most names, being one plain word, need no detectors."""
    return is_personal_as_it_is(text) or is_hidden_in(text)


@lru_cache(maxsize=4096)
def personal_name(name: str) -> bool:
    """The same of a name that a program gives again and again."""
    return is_personal(name)


def is_personal_as_it_is(text: str) -> bool:
    """The same of the name as it is spelled: what names were held against before their words were told apart."""
    is_plain = "@" not in text and len(text.split(None, 1)) < 2 and _digits(text) < _FEWEST_DIGITS
    return not (is_plain and not _may_be_token(text)) and holds_personal(text)


def is_hidden_in(text: str) -> bool:
    """Say whether a name holds a number of somebody between `_`, `/` and `:`, with its other words as the cue."""
    if _digits(text) < _FEWEST_DIGITS:
        return False
    return any(_digits(words) >= _FEWEST_DIGITS and holds_personal(words) for words in _readings(text))


def _readings(text: str) -> list[str]:
    """The words of a name, as they may be read together.

    Those of a fact's key are read part by part: the attribute `phone` of the user `12345` is not a phone number. The
    ids of users have a check of their own.
    """
    parts = text.split("/")
    if len(parts) == 4 and parts[0] in SCOPES:
        found = [parts[1], parts[3]] if parts[0] == "user" else [f"{parts[1]} {parts[2]}", parts[3]]
        return [_spaced(words) for words in found]
    words = _spaced(text)
    return [] if words == text else [words]


def _spaced(name: str) -> str:
    return _JOINTS.sub(" ", _IN_NUMBER.sub("-", name))


def flags_in_name(keys: Keys, name: str, job_seed: str) -> list[Flag]:
    """What is recorded of a name that is personal: of the first way of reading it that shows it."""
    readings = (flags_in_text(keys, words, job_seed)[1] for words in (name, *_readings(name)))
    return next((flags for flags in readings if flags), [])


def _digits(text: str) -> int:
    if text.isascii():  # then the ten are all there are, and to take them out is the quickest way to count them
        plain = text.encode()
        return len(plain) - len(plain.translate(None, b"0123456789"))
    return sum(map(str.isdigit, text))


def _may_be_token(word: str) -> bool:
    """Say whether a word is long and mixed enough for a secret: an access token is one word, perhaps with no digit."""
    if len(word) < _FEWEST_OF_TOKEN:
        return False
    return any(
        run != run.lower() or _digits(run) > 1 or _UNBROKEN.search(run) is not None for run in _RUN.findall(word)
    )


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


def cleaned(keys: Keys, value: Any, field: str, job_seed: str, stay: Container[str] = ()) -> tuple[Any, list[Flag]]:
    """Return a JSON value in which each text or number that holds personal data became its redaction, and the flags.

    What is of a type in `stay` is left as it is.
    """
    passed = screen(keys, value, job_seed, field=field, stay=stay, leaves_hash=True)
    return passed.value, list(passed.flags)


MAX_IDEMPOTENCY_CHARS = 512


def check_idempotency_key(idempotency_key: object) -> None:
    """Refuse what names no retried write, or says something about a person."""
    if not isinstance(idempotency_key, str):
        raise WrongType(f"idempotency_key must be a str, got {type(idempotency_key).__name__}")
    if not 0 < len(idempotency_key) <= MAX_IDEMPOTENCY_CHARS or not is_encodable(idempotency_key):
        raise InvalidInput(
            f"idempotency_key must have 1 to {MAX_IDEMPOTENCY_CHARS} characters and no unpaired surrogates"
        )
    if is_personal(idempotency_key):
        raise InvalidInput("idempotency_key must not contain personal data: its hash is stored unencrypted")
