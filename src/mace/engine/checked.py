"""What every verb asks of its arguments before it does anything: one place, read off the verbs' own signatures.

A text is a text that can be stored (no lone surrogate, no NUL, of a bearable length), an id holds no personal data, a
list is one of texts, an object has a canonical form. What is not so raises `InvalidInput` or `WrongType` with nothing
done and nothing repeated of what was given. What a text may say is for the verb itself; verbs that answer a bad
argument with an envelope of their own look for themselves and are named here.
"""

import inspect
import re
from collections.abc import Callable, Collection, Iterable
from datetime import datetime, timedelta
from functools import wraps
from types import UnionType
from typing import Any, TypeVar, get_args, get_origin

from mace.core import canon
from mace.core.errors import InvalidInput, WrongType
from mace.core.texts import is_storable

C = TypeVar("C")
Check = Callable[[Any], None]

# Arguments that a verb looks at itself: it answers with an envelope, or quarantines, or is called too often.
_ALL = frozenset({"*"})
SELF_VALIDATED = {
    "ask": frozenset({"text", "user_id"}),
    "memory_explain": _ALL,
    "memory_read": _ALL,
    "sem_add_alias": frozenset({"source"}),  # whoever is nobody is refused on the record
    "sem_delete": frozenset({"source"}),
    "sem_get": _ALL,
    "sem_list": frozenset({"source"}),
    "sem_put": _ALL,
    "sem_resolve_alias": frozenset({"text"}),  # what cannot be a phrase stands for nothing
    "write_reflective_log": _ALL,
}
MAX_CHARACTERS = 1_000
MAX_WORDS = 1_000_000  # of what is written by people; the verbs have limits of their own
MAX_ITEMS = 10_000
_WRITTEN = frozenset({"text", "consent_text", "statement"})
_REPEATED = frozenset({"stream", "account", "name", "entity_id_raw", "attribute_raw"})  # with every `_id`
_MADE_ID = re.compile(r"[0-9a-f-]{16,64}|system")  # hex, a UUID, or the stream of the log itself
_PLAIN = (str, int, bool, timedelta, datetime)


def checked(cls: type[C]) -> type[C]:
    """Make every public verb of a class look at its arguments first."""
    for name in dir(cls):
        verb = inspect.getattr_static(cls, name)
        if not name.startswith("_") and inspect.isfunction(verb):
            checks = _checks(verb, SELF_VALIDATED.get(name, frozenset()))
            if checks:
                setattr(cls, name, _looking(verb, checks))
    return cls


def _looking(verb: Callable[..., Any], checks: dict[str, Check]) -> Callable[..., Any]:
    names = list(inspect.signature(verb).parameters)

    @wraps(verb)
    def look_first(*given: Any, **named: Any) -> Any:
        for name, value in (*zip(names, given, strict=False), *named.items()):
            check = checks.get(name)
            if check is not None:
                check(value)
        return verb(*given, **named)

    return look_first


def _checks(verb: Callable[..., Any], left: Collection[str]) -> dict[str, Check]:
    if left == _ALL:
        return {}
    given = inspect.signature(verb).parameters.items()
    found = {name: _check(name, parameter.annotation) for name, parameter in given if name not in left}
    return {name: check for name, check in found.items() if check is not None}


def _check(name: str, annotation: Any) -> Check | None:
    """How an argument is looked at, by its name and what the signature says of it; None where anything may come."""
    if annotation == "Who":
        return lambda value: _name_or_acting(name, value)
    if annotation in ("Principal", "Resource"):
        return lambda value: _of_access(name, annotation, value)
    if get_origin(annotation) is Iterable:
        return lambda value: _iterable(name, value)
    kinds = get_args(annotation) if isinstance(annotation, UnionType) else (annotation,)
    bare = [get_origin(kind) or kind for kind in kinds]
    may_miss = type(None) in bare
    allowed = tuple(kind for kind in bare if kind in (*_PLAIN, list, dict))
    if not allowed or len(allowed) + may_miss != len(bare):
        return None
    told = " or ".join(_SAID[kind] for kind in allowed)

    def check(value: Any) -> None:
        if value is None and may_miss:
            return
        if not isinstance(value, allowed) or (isinstance(value, bool) and bool not in allowed):
            raise WrongType(f"{name} must be {told}")
        if isinstance(value, str):
            _text(name, value)
        elif isinstance(value, int) and not 0 <= value <= canon.MAX_SAFE_INTEGER:
            raise InvalidInput(f"{name} must be a whole number from 0 to 2^53-1")
        elif isinstance(value, list):
            _texts(name, value)
        elif isinstance(value, dict):
            _object(name, value)

    return check


_SAID = {
    str: "a text",
    int: "a whole number",
    bool: "true or false",
    list: "a list of texts",
    dict: "an object",
    timedelta: "a span of time",
    datetime: "an instant",
}


def _text(name: str, value: str) -> None:
    most = MAX_WORDS if name in _WRITTEN else MAX_CHARACTERS
    if len(value) > most:
        raise InvalidInput(f"{name} has {len(value)} characters, at most {most} are taken")
    if not is_storable(value):
        raise InvalidInput(f"{name} holds no NUL and no lone surrogate")
    if (name.endswith("_id") or name in _REPEATED) and not _MADE_ID.fullmatch(value):
        from mace.engine.kernel.cleaning import holds_personal

        if holds_personal(value):  # it is repeated in refusals, in logs of doors and in keys
            raise InvalidInput(f"{name} must not be personal data such as an e-mail address or a number")


def _texts(name: str, value: list[Any]) -> None:
    if len(value) > MAX_ITEMS:
        raise InvalidInput(f"{name} has {len(value)} members, at most {MAX_ITEMS} are taken")
    for item in value:
        if not isinstance(item, str):
            raise WrongType(f"{name} must be a list of texts")
        _text(name, item)


def _iterable(name: str, value: Any) -> None:
    if not isinstance(value, Iterable) or isinstance(value, str | bytes | dict):
        raise WrongType(f"{name} must be a list or the like")


def _object(name: str, value: dict[Any, Any]) -> None:
    try:
        canon.dumps(value)
    except (canon.NotCanonical, RecursionError):
        raise InvalidInput(f"{name} must be JSON in Unicode, not nested too deeply") from None


def _name_or_acting(name: str, value: Any) -> None:
    from mace.engine.governance.accounts import Acting

    if isinstance(value, str):
        _text(name, value)
    elif not isinstance(value, Acting):
        raise WrongType(f"{name} must be a text, or somebody who has proved who they are")


def _of_access(name: str, kind: str, value: Any) -> None:
    from mace.governance import access

    if not isinstance(value, getattr(access, kind)):
        raise WrongType(f"{name} must be a {kind}")
