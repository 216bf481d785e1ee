"""What every group has: the parts, and whose verbs they are."""

import warnings
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mace.core.caller import Caller
    from mace.engine.parts import Parts
    from mace.engine.runtime import Mace


class Group:
    """Verbs of one subject. They take the caller from the MACE they belong to."""

    def __init__(self, mace: "Mace") -> None:
        self._mace = mace
        self._parts: Parts = mace._parts
        self._caller: Caller = mace._caller
        self._is_owners = mace._is_owners
        self._life = mace._life
        self._is_named = mace._is_named
        self._user_ids = mace._user_ids

    @property
    def _desk(self) -> Any:
        return self._parts.desk

    @property
    def _by(self) -> str:
        """Who signs."""
        return self._caller.name

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._mace!r}>"


def called(group: str, instead: str) -> None:
    """Say that a group was called as the method it used to be."""
    warnings.warn(f"m.{group}() is now m.{group}.{instead}; calling it goes away", DeprecationWarning, stacklevel=3)
