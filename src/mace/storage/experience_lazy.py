"""A store of experience that is opened when it is first needed: a write needs only the ledger."""

import threading
from collections.abc import Callable
from typing import TypeVar

from mace.storage.experience_ports import Experience, ExperienceStore

T = TypeVar("T")


class LazyExperience:
    def __init__(self, choose: Callable[[], ExperienceStore]) -> None:
        self._choose = choose
        self._guard = threading.Lock()
        self._held: ExperienceStore | None = None

    def _store(self) -> ExperienceStore:
        with self._guard:
            if self._held is None:
                self._held = self._choose()
            return self._held

    def write(self, unit: Callable[[Experience], T]) -> T:
        return self._store().write(unit)

    def read(self, look: Callable[[Experience], T]) -> T:
        return self._store().read(look)

    def describe(self) -> dict[str, str]:
        return self._store().describe()

    def close(self) -> None:
        if self._held is not None:
            self._held.close()
