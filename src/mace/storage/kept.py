"""What was read and is kept: each answer until something that it was made of has changed.

`Shelf` is the part without a store: answers, what each depends on, and what a commit takes away. Whether a commit has
been told of yet is the store's to know. A commit that tells nobody what it changed puts every answer in doubt: it is
given again once the rows that it was made of were found to be the same.
"""

import threading
from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

from mace.storage.ports import Store, Tx
from mace.storage.sql.topics import MadeOf, Topic

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
        self._held: dict[str, tuple[int, tuple[Topic, ...], MadeOf | None]] = {}  # by name: size, what it depends on
        self._names: dict[Topic, set[str]] = {}  # who depends on it
        self.answers: dict[str, V] = {}
        self.doubted: dict[str, V] = {}  # until their rows were asked for again
        self.changes = 0  # how often something was taken away, or could have been

    def put(
        self, name: str, answer: V, size: int, topics: Iterable[Topic], changes: int, made_of: MadeOf | None = None
    ) -> None:
        """Keep what was read after so many changes; one that came in between may have made it old."""
        with self._guard:
            if changes != self.changes:
                return
            if made_of is not None:
                size += _bytes_of(made_of)
            if self._bytes + size > self._most_bytes:
                self._clear()
            self._drop(name)
            on = tuple(topics)
            self._held[name] = size, on, made_of
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

    def doubt(self) -> None:
        """Something has changed, and nobody says what: each answer waits until its rows were asked for again."""
        with self._guard:
            self.changes += 1
            for name in [name for name in self.answers if self._held[name][2] is None]:
                self._drop(name)
            self.doubted.update(self.answers)  # as many as were kept or found the same since the last time
            self.answers.clear()

    def entry(self, name: str) -> tuple[V, MadeOf] | None:
        """An answer, in doubt or not, and what it was made of."""
        with self._guard:
            answer = self.answers.get(name)
            if answer is None:
                answer = self.doubted.get(name)
            made_of = None if answer is None else self._held[name][2]
            return None if answer is None or made_of is None else (answer, made_of)

    def same(self, name: str, answer: V, changes: int) -> None:
        """The rows of an answer were found to be the same, after so many changes."""
        with self._guard:
            if changes == self.changes and self.doubted.get(name) is answer:
                self.answers[name] = self.doubted.pop(name)

    def clear(self) -> None:
        self.change(None)

    def _clear(self) -> None:
        self.answers.clear()
        self.doubted.clear()
        self._held.clear()
        self._names.clear()
        self._bytes = 0

    def _drop(self, name: str) -> None:
        held = self._held.pop(name, None)
        if held is None:
            return
        self.answers.pop(name, None)
        self.doubted.pop(name, None)
        size, on, _ = held
        self._bytes -= size
        for topic in on:
            names = self._names[topic]
            names.discard(name)
            if not names:
                del self._names[topic]


def _bytes_of(made_of: MadeOf) -> int:
    size = 0
    for row in made_of[2]:
        for cell in row:
            if type(cell) is bytes or type(cell) is str:
                size += len(cell)
    return size
