"""What the verbs of experience ask of their arguments. A refusal names the argument and repeats nothing of it."""

import re
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from mace.core.errors import InvalidInput, WrongType
from mace.core.texts import is_storable
from mace.engine.kernel.cleaning import is_personal
from mace.memory.experience import megrams
from mace.memory.experience.megrams import MAX_TAG_CHARS
from mace.providers.ports import Keys

MAX_LISTED = 100_000
_MAX_ID_CHARS = 64
_PATH = "path:"
_MAX_CONSENT_ID_CHARS = 1000
_HIDDEN = re.compile("[\x00-\x1f\x7f\ud800-\udfff]")


def pair(space: Any, entity: Any) -> tuple[str, str]:
    return megrams.read_pair(space, entity)


def fit_entity(keys: Keys, entity: str) -> str:
    """The tag of a target as it may stand in plain sight: a path with personal data in it is told by its keyed hash.

    The same path always has the same tag, so that what was lived through with it is found again.
    """
    if entity.startswith(_PATH) and is_personal(entity):
        return f"{_PATH}x-{keys.tag('target', entity.encode())[:16]}"
    return entity


def instant(value: Any, name: str) -> datetime:
    return megrams.read_instant(value, name)


def whole_number(value: Any, name: str, least: int, most: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise WrongType(f"{name} must be an int, got {type(value).__name__}")
    if not least <= value <= most:
        raise InvalidInput(f"{name} must be from {least} to {most}")
    return value


def flag(value: Any, name: str) -> bool:
    if not isinstance(value, bool):
        raise WrongType(f"{name} must be a bool, got {type(value).__name__}")
    return value


def stored_id(value: Any, name: str) -> str:
    """An id as it may be looked up; whether there is such a thing is for the caller to see."""
    if not isinstance(value, str):
        raise WrongType(f"{name} must be a str, got {type(value).__name__}")
    if len(value) > _MAX_ID_CHARS or _HIDDEN.search(value):
        raise InvalidInput(f"{name} must have at most {_MAX_ID_CHARS} characters and no control characters")
    return value


def search_words(value: Any) -> str | None:
    """Part of a tag, folded; None: everything."""
    if value is None:
        return None
    if not isinstance(value, str):
        raise WrongType(f"search must be a str, got {type(value).__name__}")
    if not 0 < len(value) <= MAX_TAG_CHARS or _HIDDEN.search(value):
        raise InvalidInput(f"search must have 1 to {MAX_TAG_CHARS} characters and no control characters")
    return value.casefold()


def consent(value: Any) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str):
        raise WrongType(f"consent_id must be a str, got {type(value).__name__}")
    if len(value) > _MAX_CONSENT_ID_CHARS or not is_storable(value):
        raise InvalidInput(
            f"consent_id must have at most {_MAX_CONSENT_ID_CHARS} characters, without NUL or unpaired surrogates"
        )
    return value


def lines(value: Any) -> Iterable[str | bytes]:
    if not isinstance(value, Iterable) or isinstance(value, str | bytes | bytearray | dict):
        raise WrongType(f"lines must be an iterable of str or bytes, got {type(value).__name__}")
    return value


def progress(value: Any) -> None:
    if value is not None and not callable(value):
        raise WrongType(f"progress must be callable, got {type(value).__name__}")


def actor_name(source: Any) -> str:
    """A caller's word for itself goes onto the ledger only when it is fit to be there."""
    if isinstance(source, str) and 0 < len(source) <= 64 and source.isprintable() and not is_personal(source):
        return source
    return "unknown"
