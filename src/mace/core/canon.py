"""Canonical JSON (RFC 8785) and the hashes over it.

Pure. What is hashed and signed anywhere in MACE is built here, once; the bytes are then stored, never built again.
orjson with sorted keys gives the same bytes for nearly everything and is much faster, so it is used where a quick
look at the types shows that it must agree; all else goes through the exact encoder. Making `_orjson_agrees` more
generous than orjson really is would silently break every chain and signature (ADR 0002).
"""

import hashlib
import json
import math
import re
from collections.abc import Iterable, Iterator
from typing import Any

import orjson
import rfc8785

MAX_SAFE_INTEGER = 2**53 - 1

_LONG_NUMBER = re.compile("[0-9]{16}")
_LONG_NUMBER_IN_BYTES = re.compile(b"[0-9]{16}")
_LONG_TEXT = 256  # bytes from which on looking for digits in one go is faster than the expression
_DIGITS_AS_ZEROS = bytes(ord("0") if ord("0") <= byte <= ord("9") else ord(" ") for byte in range(256))
_SORTED = orjson.OPT_SORT_KEYS | orjson.OPT_STRICT_INTEGER
MAX_NESTING = 200  # containers in containers, in what is given to MACE; the rest of `_MAX_DEPTH` is for what wraps it
_MAX_DEPTH = 254  # as many as orjson takes, so that both ways refuse the same


class NotCanonical(ValueError):
    """The value has no canonical JSON form (NaN, an integer beyond 2^53-1, a lone surrogate, not JSON at all)."""


class TooDeep(NotCanonical):
    """The value has more containers in containers than are taken."""

    def __init__(self, most: int) -> None:
        super().__init__(f"nested deeper than {most}")


def dumps(value: Any) -> bytes:
    """Return the RFC 8785 bytes of a JSON value; raise `NotCanonical` for what has none."""
    kind = type(value)
    try:
        if kind is str or kind is int or value is None:
            try:
                return orjson.dumps(value, None, _SORTED)
            except TypeError as error:  # an integer beyond 53 bits, a lone surrogate
                raise NotCanonical(str(error)) from None
        if kind is dict or kind is list:
            agrees = _orjson_agrees(value.values() if kind is dict else value)
            tame = value if agrees else _with_whole_floats_as_integers(value)
            if tame is not None:
                try:
                    encoded = orjson.dumps(tame, None, _SORTED)
                except TypeError as error:  # also: integers beyond 53 bits, lone surrogates, keys that are not text
                    if nests_deeper(tame, _MAX_DEPTH):
                        raise TooDeep(_MAX_DEPTH) from None
                    raise NotCanonical(str(error)) from None
                # Keys beyond the BMP sort differently in UTF-16 (RFC 8785) and UTF-8 (orjson).
                if encoded.isascii() or not _has_astral_key(value):
                    return encoded
        return _exact(value)
    except RecursionError:  # or the caller itself is deep in a recursion
        raise TooDeep(_MAX_DEPTH) from None


def dumps_given(value: Any) -> bytes:
    """Return the RFC 8785 bytes of a value that somebody gave; raise `TooDeep` beyond `MAX_NESTING` as well."""
    encoded = dumps([value])[1:-1]  # in a list even a plain text takes the quick way
    if len(encoded) > 2 * MAX_NESTING and _brackets(encoded) > MAX_NESTING and nests_deeper(value, MAX_NESTING):
        raise TooDeep(MAX_NESTING)
    return encoded


def nests_deeper(value: Any, most: int) -> bool:
    """Say whether a value has more than so many containers in each other; a list of itself has."""
    stack: list[Iterator[Any]] = [iter((value,))]
    while stack:
        for item in stack[-1]:
            if isinstance(item, dict | list | tuple):
                if len(stack) > most:
                    return True
                stack.append(iter(item.values() if isinstance(item, dict) else item))
                break
        else:
            stack.pop()
    return False


def values_in(value: Any) -> int:
    """How many values a value is made of, itself and its containers included. It must not nest without end."""
    count, waiting = 0, [value]
    while waiting:
        item = waiting.pop()
        count += 1
        if isinstance(item, dict | list | tuple):
            waiting.extend(item.values() if isinstance(item, dict) else item)
    return count


def loads(data: bytes | str) -> Any:
    """Parse JSON; raise `ValueError` for what is not JSON, or nests deeper than `dumps` writes.

    A whole number beyond 2^53-1 was a float when it was written (`dumps` refuses such integers), so it is one again:
    as an integer it would be another number, and could not be written a second time.
    """
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        if "limit" in error.msg:  # of orjson's own recursion, which is further away
            raise TooDeep(_MAX_DEPTH) from None
        raise
    if len(data) > 2 * _MAX_DEPTH and _brackets(data) > _MAX_DEPTH and nests_deeper(value, _MAX_DEPTH):
        raise TooDeep(_MAX_DEPTH)
    if not _may_have_long_number(data):
        return value
    try:
        return _with_doubles(value)
    except RecursionError:  # the caller is deep in a recursion itself
        raise TooDeep(_MAX_DEPTH) from None


def _may_have_long_number(data: bytes | str) -> bool:
    """Say whether sixteen digits stand in a row somewhere, in a number or in a text."""
    if len(data) >= _LONG_TEXT:
        return b"0000000000000000" in (data.encode() if isinstance(data, str) else data).translate(_DIGITS_AS_ZEROS)
    found = _LONG_NUMBER.search(data) if isinstance(data, str) else _LONG_NUMBER_IN_BYTES.search(data)
    return found is not None


def _brackets(data: bytes | str) -> int:
    if isinstance(data, str):
        return data.count("[") + data.count("{")
    return data.count(b"[") + data.count(b"{")


def loads_once(data: bytes | str) -> Any:
    """Parse JSON from outside; refuse an object that names a member twice, of which others may read the other one."""
    value = loads(data)
    refuse_repeated(data)
    return value


def refuse_repeated(data: bytes | str) -> None:
    """Raise `ValueError` for JSON in which an object names a member twice."""
    try:
        json.loads(data, object_pairs_hook=_named_once, parse_int=_nothing, parse_float=_nothing)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _nothing(_number: str) -> None:
    """Numbers were read already; as text they may have any length."""


def _named_once(pairs: list[tuple[str, Any]]) -> None:
    names = {name for name, _ in pairs}
    if len(names) != len(pairs):
        twice = next(name for at, (name, _) in enumerate(pairs) if name in {other for other, _ in pairs[:at]})
        raise ValueError(f"the member {twice[:64]!r} is there twice")


def _with_doubles(value: Any) -> Any:
    kind = type(value)
    if kind is int:
        return value if -MAX_SAFE_INTEGER <= value <= MAX_SAFE_INTEGER else float(value)
    if kind is dict:
        return {key: _with_doubles(item) for key, item in value.items()}
    return [_with_doubles(item) for item in value] if kind is list else value


def sha256_hex(data: bytes | str) -> str:
    """Return the lowercase hex SHA-256 of bytes, or of the UTF-8 form of text."""
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()


def hash_of(value: Any) -> str:
    """Return the hex SHA-256 of the canonical form of a JSON value."""
    return hashlib.sha256(dumps(value)).hexdigest()


def _orjson_agrees(items: Iterable[Any]) -> bool:
    """Say whether orjson's bytes are surely the canonical ones; False only means "not sure".

    Runs on every event: the usual types come first, and a container's depth is left to orjson's own limit.
    """
    for item in items:
        kind = type(item)
        if kind is str or kind is int:
            continue
        if kind is dict:
            if not _orjson_agrees(item.values()):
                return False
        elif kind is list:
            if not _orjson_agrees(item):
                return False
        elif kind is float:
            # Whole floats lose their ".0", very small and very large ones are written differently; NaN fails too.
            if not 1e-4 <= (item if item > 0 else -item) < 1e15 or item.is_integer():
                return False
        elif kind is not bool and item is not None:
            return False
    return True


def _with_whole_floats_as_integers(container: Any) -> Any:
    """Return the value with 1 for 1.0 (RFC 8785 writes both as `1`), or None if orjson would still differ.

    Scores and confidences are whole so often that the exact encoder would be the usual one without this. Only
    containers in which something changes are copied.
    """
    is_dict = type(container) is dict
    copied: Any = None
    for at, item in container.items() if is_dict else enumerate(container):
        kind = type(item)
        if kind is str or kind is int:
            continue
        if kind is float:
            if not item.is_integer():
                if 1e-4 <= (item if item > 0 else -item) < 1e15:
                    continue
                return None
            if not -1e15 < item < 1e15:
                return None
            tame: Any = int(item)
        elif kind is dict or kind is list:
            tame = _with_whole_floats_as_integers(item)
            if tame is item:
                continue
            if tame is None:
                return None
        elif kind is bool or item is None:
            continue
        else:
            return None
        if copied is None:
            copied = container.copy()
        copied[at] = tame
    return container if copied is None else copied


def _has_astral_key(value: Any) -> bool:
    if type(value) is dict:
        return any((not key.isascii() and max(key) > "\uffff") or _has_astral_key(item) for key, item in value.items())
    return type(value) is list and any(_has_astral_key(item) for item in value)


def _exact(value: Any) -> bytes:
    try:
        return rfc8785.dumps(_only_json(value, 0))
    except NotCanonical:
        raise
    except (rfc8785.CanonicalizationError, UnicodeEncodeError, ValueError) as error:
        raise NotCanonical(str(error)) from None


def _only_json(value: Any, depth: int) -> Any:
    """Return the value built of plain JSON types only (tuples become lists), or refuse it."""
    kind = type(value)
    if kind is str or kind is bool or value is None:
        return value
    if kind is int:
        if not -MAX_SAFE_INTEGER <= value <= MAX_SAFE_INTEGER:
            raise NotCanonical("integer beyond 2^53-1")
        return value
    if kind is float:
        if not math.isfinite(value):
            raise NotCanonical("NaN and infinities have no JSON form")
        return value
    if depth >= _MAX_DEPTH:
        raise TooDeep(_MAX_DEPTH)
    if kind is dict:
        for key in value:
            if type(key) is not str:
                raise NotCanonical(f"a key of type {type(key).__name__}")
        return {key: _only_json(item, depth + 1) for key, item in value.items()}
    if kind is list or kind is tuple:
        return [_only_json(item, depth + 1) for item in value]
    raise NotCanonical(f"a value of type {kind.__name__}")
