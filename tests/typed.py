"""Whether a value is what a type says, to the last member: `conforms` names each path that does not fit.

For answers of verbs, which are plain dicts at run time. A `TypedDict` has exactly its members: one too many is as wrong
as one too few. `bool` is no `int`, and an `int` will do where a `float` is asked for, as JSON has it.
"""

import types
import typing
from typing import Annotated, Any, Literal, NotRequired, Required, Union, get_args, get_origin

_UNIONS = (Union, types.UnionType)


def conforms(value: object, hint: Any) -> list[str]:
    """Say everything that does not fit, each with its path; nothing when the value is what the hint says."""
    return _problems(value, _evaluated(hint), "answer")


def _evaluated(hint: Any) -> Any:
    """The hint with what it names by text resolved."""
    holder = types.SimpleNamespace(__annotations__={"it": hint})
    return typing.get_type_hints(holder, globalns={}, include_extras=True)["it"]


def _problems(value: object, hint: Any, path: str) -> list[str]:
    if isinstance(hint, typing.ForwardRef):  # the inside of a recursive alias
        hint = _evaluated(hint)
    origin = get_origin(hint)
    if origin in (Annotated, NotRequired, Required):
        return _problems(value, get_args(hint)[0], path)
    if origin in _UNIONS:
        return _none_of(value, get_args(hint), path)
    if origin is Literal:
        return (
            [] if any(_same(value, choice) for choice in get_args(hint)) else [f"{path}: {_said(value)} is no choice"]
        )
    if typing.is_typeddict(hint):
        return _members(value, hint, path)
    if origin is dict:
        return _entries(value, get_args(hint), path)
    if origin is list:
        return _items(value, get_args(hint)[0], path)
    if origin is tuple:
        return _tuple(value, get_args(hint), path)
    return _plain(value, hint, path)


def _none_of(value: object, hints: tuple[Any, ...], path: str) -> list[str]:
    """The problems with the alternative that the value comes nearest to: the one it departs from farthest inside."""
    found = [_problems(value, hint, path) for hint in hints]
    if not all(found):
        return []
    return min(found, key=lambda problems: (-min(map(_depth, problems)), len(problems)))


def _depth(problem: str) -> int:
    return len(problem.partition(": ")[0])


def _members(value: object, hint: Any, path: str) -> list[str]:
    if not isinstance(value, dict):
        return [f"{path}: {_said(value)} is no {hint.__name__}"]
    hints = typing.get_type_hints(hint, include_extras=True)
    found = [f"{path}.{name}: missing" for name in sorted(hint.__required_keys__ - value.keys())]
    found += [f"{path}.{name}: not in {hint.__name__}" for name in sorted(map(str, value.keys() - hints.keys()))]
    for name in hints:
        if name in value:
            found += _problems(value[name], hints[name], f"{path}.{name}")
    return found


def _entries(value: object, hints: tuple[Any, ...], path: str) -> list[str]:
    if not isinstance(value, dict):
        return [f"{path}: {_said(value)} is no dict"]
    found = []
    for name, item in value.items():
        found += _problems(name, hints[0], f"{path} (key)") + _problems(item, hints[1], f"{path}[{name!r}]")
    return found


def _items(value: object, hint: Any, path: str) -> list[str]:
    if not isinstance(value, list):
        return [f"{path}: {_said(value)} is no list"]
    return [problem for at, item in enumerate(value) for problem in _problems(item, hint, f"{path}[{at}]")]


def _tuple(value: object, hints: tuple[Any, ...], path: str) -> list[str]:
    if not isinstance(value, tuple):
        return [f"{path}: {_said(value)} is no tuple"]
    if len(hints) == 2 and hints[1] is Ellipsis:
        hints = (hints[0],) * len(value)
    if len(hints) != len(value):
        return [f"{path}: {len(value)} items, not {len(hints)}"]
    return [problem for at, item in enumerate(value) for problem in _problems(item, hints[at], f"{path}[{at}]")]


def _plain(value: object, hint: Any, path: str) -> list[str]:
    if hint is None:
        hint = type(None)
    if not isinstance(hint, type):
        raise TypeError(f"{path}: {hint!r} is no hint that can be checked")  # `Any` included: it would let all pass
    if hint is float:
        fits = isinstance(value, int | float) and not isinstance(value, bool)
    elif hint is int:
        fits = isinstance(value, int) and not isinstance(value, bool)
    else:
        fits = isinstance(value, hint)
    return [] if fits else [f"{path}: {_said(value)} is no {hint.__name__}"]


def _same(value: object, choice: object) -> bool:
    return type(value) is type(choice) and value == choice


def _said(value: object) -> str:
    return f"{type(value).__name__} {value!r:.60}"
