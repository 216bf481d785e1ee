"""What a verb asks of its arguments, said in its signature and checked before it does anything.

A parameter is `Annotated` with one of the markers here, or is a `Literal`, a `bool`, a `timedelta` or a callable; a
parameter that says nothing the checker understands fails when its module is imported. What is wrong raises
`InvalidInput` or `WrongType` with nothing done and nothing repeated of what was given. `ByVerb` marks what a verb looks
at itself, because it answers a bad value with an envelope or quarantines it.
"""

import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Protocol, TypeAlias, Union, get_args, get_origin

from mace.core import canon
from mace.core.canon import MAX_NESTING
from mace.core.errors import InvalidInput, WrongType
from mace.core.texts import MAX_LINE_BYTES, is_storable

MAX_CHARACTERS = 1_000
MAX_WORDS = 1_000_000  # of what is written by people; the verbs have limits of their own
MAX_ITEMS = 10_000
MAX_CANARIES = 100  # words that are looked for at once, as `governance.canaries` has it
MAX_JSON_BYTES = 1_000_000
MAX_SEARCHED_BYTES = 256 * 1024  # of JSON that is only searched for personal data: a second's work
MAX_JSON_VALUES = 10_000  # in all of a JSON value: each is looked at for personal data
_MADE_ID = re.compile(r"[0-9a-f-]{16,64}|system")  # hex, a UUID, or the stream of the log itself

Check = Callable[[str, object], None]


class Marker(Protocol):
    def check(self, name: str, value: object) -> None: ...
    def told(self) -> str: ...  # the limit in words, for the reference


@dataclass(frozen=True, slots=True)
class Text:
    """A string that can be stored: no NUL, no unpaired surrogate, of a bearable length."""

    max_characters: int = MAX_CHARACTERS
    plain: bool = False  # it is repeated in refusals, keys and logs of doors, so it must not be personal data

    def check(self, name: str, value: object) -> None:
        if type(value) is not str:  # a subclass may say anything of itself
            raise WrongType(f"{name} must be a str, got {type(value).__name__}")
        if len(value) > self.max_characters:
            raise InvalidInput(f"{name} has {len(value)} characters, at most {self.max_characters} are allowed")
        if not is_storable(value):
            raise InvalidInput(f"{name} must not contain NUL or unpaired surrogates")
        if self.plain and not _MADE_ID.fullmatch(value):
            from mace.engine.kernel.cleaning import holds_personal

            if holds_personal(value):
                raise InvalidInput(f"{name} must not be personal data such as an e-mail address or a number")

    def told(self) -> str:
        return f"at most {self.max_characters} characters" + (", no personal data" if self.plain else "")


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number."""

    most: int = canon.MAX_SAFE_INTEGER

    def check(self, name: str, value: object) -> None:
        if type(value) is not int:
            raise WrongType(f"{name} must be an int, got {type(value).__name__}")
        if not 0 <= value <= self.most:
            raise InvalidInput(f"{name} must be from 0 to {self.most}")

    def told(self) -> str:
        return f"0 to {self.most}"


@dataclass(frozen=True, slots=True)
class Texts:
    """A list of strings."""

    item: Text
    choices: tuple[str, ...] = ()
    most: int = MAX_ITEMS

    def check(self, name: str, value: object) -> None:
        if not isinstance(value, list | tuple):
            raise WrongType(f"{name} must be a list of strings, got {type(value).__name__}")
        if len(value) > self.most:
            raise InvalidInput(f"{name} has {len(value)} members, at most {self.most} are allowed")
        for number, item in enumerate(value):
            self.item.check(f"{name}[{number}]", item)
            if self.choices and item not in self.choices:
                raise InvalidInput(f"{name}[{number}] must be one of {', '.join(self.choices)}")

    def told(self) -> str:
        return f"at most {self.most} members" + (f" of {', '.join(self.choices)}" if self.choices else "")


@dataclass(frozen=True, slots=True)
class AnyJson:
    """Any JSON value of a bearable size and depth."""

    max_bytes: int = MAX_JSON_BYTES

    def check(self, name: str, value: object) -> None:
        check_json(name, value, self.max_bytes)

    def told(self) -> str:
        return f"JSON of at most {self.max_bytes} bytes and {MAX_JSON_VALUES} values, nested at most {MAX_NESTING} deep"


@dataclass(frozen=True, slots=True)
class Object(AnyJson):
    """A JSON object: a dict that has a canonical form."""

    def check(self, name: str, value: object) -> None:
        if not isinstance(value, dict):
            raise WrongType(f"{name} must be a dict, got {type(value).__name__}")
        check_json(name, value, self.max_bytes)


@dataclass(frozen=True, slots=True)
class When:
    """A time with its zone: ISO 8601 text or an aware datetime. The verb reads it."""

    def check(self, name: str, value: object) -> None:
        if isinstance(value, str):
            Text().check(name, value)
        elif not isinstance(value, datetime):
            raise WrongType(f"{name} must be a str or a datetime, got {type(value).__name__}")

    def told(self) -> str:
        return "ISO 8601 with a zone"


@dataclass(frozen=True, slots=True)
class Lines:
    """Something to go through line by line."""

    def check(self, name: str, value: object) -> None:
        if not isinstance(value, Iterable) or isinstance(value, str | bytes | dict):
            raise WrongType(f"{name} must be an iterable of lines, got {type(value).__name__}")

    def told(self) -> str:
        return f"an iterable of lines of at most {MAX_LINE_BYTES} bytes"


@dataclass(frozen=True, slots=True)
class ByVerb:
    """Looked at by the verb itself, for this reason."""

    reason: str

    def check(self, name: str, value: object) -> None:
        """Nothing: the verb does."""

    def told(self) -> str:
        return ""


def check_json(name: str, value: object, max_bytes: int = MAX_JSON_BYTES) -> None:
    """Refuse what is no JSON value, and one that is too large, has too many members or nests too deeply."""
    if canon.nests_deeper(value, MAX_NESTING):
        raise InvalidInput(f"{name} must not be nested deeper than {MAX_NESTING}")
    try:
        encoded = canon.dumps(value)
    except (canon.NotCanonical, RecursionError, TypeError):
        raise InvalidInput(f"{name} must be JSON in Unicode") from None
    if len(encoded) > max_bytes:
        raise InvalidInput(f"{name} has {len(encoded)} bytes as JSON, at most {max_bytes} are allowed")
    if encoded.count(b",") >= MAX_JSON_VALUES and canon.values_in(value) > MAX_JSON_VALUES:
        raise InvalidInput(f"{name} has more than {MAX_JSON_VALUES} values")


_ID = Text(plain=True)
Id: TypeAlias = Annotated[str, _ID]  # of something made here, or a name that is repeated
Line: TypeAlias = Annotated[str, Text()]
Words: TypeAlias = Annotated[str, Text(MAX_WORDS)]
Count: TypeAlias = Annotated[int, Whole()]
Ids: TypeAlias = Annotated[Sequence[str], Texts(_ID)]
Canaries: TypeAlias = Annotated[Sequence[str], Texts(Text(), most=MAX_CANARIES)]  # looked for and kept nowhere
Instant: TypeAlias = Annotated[str | datetime, When()]
Progress: TypeAlias = Callable[[int, int], None]


def checks_of(verb: Callable[..., object], hints: Mapping[str, Any]) -> dict[str, Check]:
    """How each argument is looked at; `TypeError` for a parameter that nothing is said about."""
    found: dict[str, Check] = {}
    for name, parameter in inspect.signature(verb).parameters.items():
        if name == "self":
            continue
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD) or name not in hints:
            raise TypeError(f"{verb.__qualname__}: parameter {name} cannot be checked")
        check = _check_of(f"{verb.__qualname__}: parameter {name}", hints[name])
        if check is not None:
            found[name] = check
    return found


def marker_of(hint: Any) -> Marker | None:
    """The marker in a hint, also where the argument may be left out."""
    for part in _members(hint):
        if get_origin(part) is Annotated:
            return next((item for item in get_args(part)[1:] if hasattr(item, "check")), None)
    return None


def _members(hint: Any) -> tuple[Any, ...]:
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)


def _check_of(where: str, hint: Any) -> Check | None:
    members = _members(hint)
    wanted = [part for part in members if part is not NoneType]
    if len(wanted) != 1:
        raise TypeError(f"{where} has more than one kind; annotate it with a marker")
    check = _single(where, wanted[0])
    if check is None or len(wanted) == len(members):
        return check

    def may_miss(name: str, value: object) -> None:
        if value is not None:
            check(name, value)

    return may_miss


def _single(where: str, hint: Any) -> Check | None:
    origin = get_origin(hint)
    if origin is Annotated:
        for marker in get_args(hint)[1:]:
            if isinstance(marker, ByVerb):
                return None
            if hasattr(marker, "check"):
                check: Check = marker.check
                return check
    if origin is Literal:
        return _one_of(get_args(hint))
    if hint in (bool, timedelta):
        return _exactly(hint)
    if origin is _CALLABLE:
        return _callable
    raise TypeError(f"{where}: {hint!r} is not understood; annotate it with a marker of engine.arguments")


_CALLABLE = get_origin(Callable[[], None])


def _one_of(choices: tuple[object, ...]) -> Check:
    told = ", ".join(str(choice) for choice in choices)

    def check(name: str, value: object) -> None:
        if type(value) is not str:
            raise WrongType(f"{name} must be a str, got {type(value).__name__}")
        if value not in choices:
            raise InvalidInput(f"{name} must be one of {told}")

    return check


def _exactly(kind: type) -> Check:
    def check(name: str, value: object) -> None:
        if not isinstance(value, kind):
            raise WrongType(f"{name} must be a {kind.__name__}, got {type(value).__name__}")

    return check


def _callable(name: str, value: object) -> None:
    if not callable(value):
        raise WrongType(f"{name} must be callable, got {type(value).__name__}")
