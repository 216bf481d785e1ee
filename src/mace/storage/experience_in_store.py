"""Experience in the same store as the ledger: the default, and the only one that several processes can share.

It adds nothing but the lock: a unit reads the cursor, projects what comes after it and moves it, so two units must
never run at once, whatever the store allows otherwise. The store is opened and closed by its owner.
"""

from collections.abc import Callable
from typing import TypeVar

from mace.storage.experience_ports import Experience
from mace.storage.ports import Store, Tx

T = TypeVar("T")

_LOCK = "experience"


class InStore:
    def __init__(self, store: Store) -> None:
        self._store = store

    def write(self, unit: Callable[[Experience], T]) -> T:
        def locked(tx: Tx) -> T:
            tx.lock(_LOCK)
            return unit(tx.experience)

        return self._store.write(locked)

    def read(self, look: Callable[[Experience], T]) -> T:
        return self._store.read(lambda tx: look(tx.experience))

    def describe(self) -> dict[str, str]:
        return self._store.describe()

    def close(self) -> None:
        """The store belongs to whoever opened it."""
