"""A part that is built when it is first asked for, once, and is an ordinary attribute from then on."""

from collections.abc import Callable
from threading import RLock
from typing import Any, Generic, Protocol, TypeVar

T = TypeVar("T")


class Whole(Protocol):
    """What has lazy parts: they are built one at a time."""

    guard: RLock


class Lazy(Generic[T]):
    def __init__(self, build: Callable[[Any], T]) -> None:
        self._build = build
        self._name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, whole: Whole, owner: type) -> T:
        with whole.guard:
            parts = whole.__dict__
            if self._name not in parts:
                parts[self._name] = self._build(whole)
            built: T = parts[self._name]
            return built


def built(whole: Whole, name: str) -> Any:
    """A part if it was built, else None; for closing what was opened."""
    return whole.__dict__.get(name)
