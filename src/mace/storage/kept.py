"""What was read and is kept: each answer until something that it was made of has changed.

`Shelf` is the part without a store: answers, what each depends on, and what a commit takes away. Whether a commit has
been told of yet is the store's to know.
"""

import threading
from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

from mace.storage.ports import Store, Tx
from mace.storage.sql.topics import Topic

V = TypeVar("V")


class KeepsNothing(Generic[V]):
    """For a store in which asking whether something has changed costs as much as reading it."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def get(self, name: str) -> V | None:
        return None

    def read(self, name: str, look: Callable[[Tx], tuple[V, int]]) -> V:
        return self._store.read(look)[0]

    def clear(self) -> None:
        """There is nothing."""


class Shelf(Generic[V]):
    """Answers by name. Looking one up takes no lock; everything else does."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._guard = threading.Lock()
        self._bytes = 0
        self._held: dict[str, tuple[int, tuple[Topic, ...]]] = {}  # by name: how large, and what it depends on
        self._names: dict[Topic, set[str]] = {}  # who depends on it
        self.answers: dict[str, V] = {}
        self.changes = 0  # how often something was taken away, or could have been

    def put(self, name: str, answer: V, size: int, topics: Iterable[Topic], changes: int) -> None:
        """Keep what was read after so many changes; one that came in between may have made it old."""
        with self._guard:
            if changes != self.changes:
                return
            if self._bytes + size > self._most_bytes:
                self._clear()
            self._drop(name)
            self._held[name] = size, on = size, tuple(topics)
            for topic in on:
                held = self._names.get(topic)
                if held is None:
                    self._names[topic] = {name}
                else:
                    held.add(name)
            self._bytes += size
            self.answers[name] = answer

    def change(self, topics: Iterable[Topic] | None) -> None:
        """These have changed, or everything has: nothing that depends on them is answered any more."""
        with self._guard:
            self.changes += 1
            if topics is None:
                self._clear()
                return
            names = self._names
            for topic in topics:
                if topic in names:
                    for name in list(names[topic]):
                        self._drop(name)

    def clear(self) -> None:
        self.change(None)

    def _clear(self) -> None:
        self.answers.clear()
        self._held.clear()
        self._names.clear()
        self._bytes = 0

    def _drop(self, name: str) -> None:
        if self.answers.pop(name, None) is None:
            return
        size, on = self._held.pop(name)
        self._bytes -= size
        for topic in on:
            held = self._names[topic]
            held.discard(name)
            if not held:
                del self._names[topic]
