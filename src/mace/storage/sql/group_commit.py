"""Group commit: writers queue, one of them runs the whole queue in one transaction, all wait for its COMMIT.

No thread of its own: whoever gets the turn leads. A unit alone in its batch needs no savepoint.
"""

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from mace.core.errors import ServiceUnavailable
from mace.storage.ports import Tx

T = TypeVar("T")
Unit = Callable[[Tx], Any]


class Ticket:
    """One unit in the queue, and later its outcome."""

    __slots__ = ("done", "error", "result", "unit")

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.result: Any = None
        self.error: BaseException | None = None
        self.done = False


class GroupCommit:
    def __init__(self, run_batch: Callable[[list[Ticket]], None], most: int = 128) -> None:
        self._run_batch = run_batch
        self._most = most
        self._turn = threading.Lock()
        self._queue: deque[Ticket] = deque()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Nobody's units run meanwhile."""
        with self._turn:
            yield

    def write(self, unit: Callable[[Tx], T]) -> T:
        ticket = Ticket(unit)
        self._queue.append(ticket)
        with self._turn:
            while not ticket.done:
                batch = [self._queue.popleft() for _ in range(min(len(self._queue), self._most))]
                try:
                    self._run_batch(batch)
                except BaseException:
                    for member in batch:  # nobody may take silence for a success
                        member.error = member.error or ServiceUnavailable("the store failed; the outcome is not known")
                    raise
                finally:
                    for member in batch:
                        member.done = True
        if ticket.error is not None:
            raise ticket.error
        result: T = ticket.result
        return result
