"""A store of experience that is opened when it is first needed: a write needs only the ledger."""

from collections.abc import Callable
from typing import TypeVar

from mace.storage.experience_ports import Experience, ExperienceStore

T = TypeVar("T")


class LazyExperience:
    """Hands everything on to a store that is asked for with each call; whoever opened it closes it."""

    def __init__(self, opened: Callable[[], ExperienceStore]) -> None:
        self._opened = opened

    def write(self, unit: Callable[[Experience], T]) -> T:
        """Run a unit of work."""
        return self._opened().write(unit)

    def read(self, look: Callable[[Experience], T]) -> T:
        """Read one consistent state."""
        return self._opened().read(look)

    def describe(self) -> dict[str, str]:
        """What the store is made of."""
        return self._opened().describe()

    def close(self) -> None:
        """Nothing: wiring closes what it opened."""
