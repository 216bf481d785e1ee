"""Group commit: writers queue, one of them runs the whole queue in one transaction, all wait for its COMMIT.

No thread of its own: who finds nobody leading leads, and hands on to the first that queued meanwhile. Everybody else
sleeps on a lock of their own and is woken once, with the outcome or with the lead: whoever is done must not have to
wait for the next batch, or batches stay small. A unit alone in its batch needs no savepoint.
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

    __slots__ = ("done", "error", "result", "unit", "wake")

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.result: Any = None
        self.error: BaseException | None = None
        self.done = False
        self.wake: threading.Lock | None = None  # of one that sleeps: held until there is something to wake up for


class GroupCommit:
    def __init__(self, run_batch: Callable[[list[Ticket]], None], most: int = 128) -> None:
        self._run_batch = run_batch
        self._most = most
        self._running = threading.Lock()  # held while units run
        self._guard = threading.Lock()  # over the two below; never held while units run
        self._queue: deque[Ticket] = deque()
        self._leader: Ticket | None = None

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Nobody's units run meanwhile."""
        with self._running:
            yield

    @contextmanager
    def alone_if_idle(self) -> Iterator[bool]:
        """The same without waiting; say whether nobody's units run, and so none will meanwhile."""
        is_idle = self._running.acquire(blocking=False)
        try:
            yield is_idle
        finally:
            if is_idle:
                self._running.release()

    def write(self, unit: Callable[[Tx], T]) -> T:
        ticket = Ticket(unit)
        try:
            self._queue_up(ticket)
            if ticket.wake is not None:
                ticket.wake.acquire()
            if not ticket.done:
                self._lead(ticket)
        except BaseException:
            self._leave(ticket)
            raise
        if ticket.error is not None:
            raise ticket.error
        result: T = ticket.result
        return result

    def _queue_up(self, ticket: Ticket) -> None:
        with self._guard:
            if self._leader is not None:
                ticket.wake = threading.Lock()
                ticket.wake.acquire()
            self._queue.append(ticket)
            if self._leader is None:
                self._leader = ticket

    def _lead(self, ticket: Ticket) -> None:
        """Run all that is queued as one batch, then hand on. The leader stands first in the queue."""
        with self._running:
            with self._guard:
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
                    if member is not ticket and member.wake is not None:
                        member.wake.release()
        self._hand_on(ticket)

    def _hand_on(self, ticket: Ticket) -> None:
        """Let the first in the queue lead; with nobody there the next writer finds nobody leading."""
        with self._guard:
            if self._leader is ticket:
                self._leader = self._queue[0] if self._queue else None
                if self._leader is not None and self._leader.wake is not None:
                    self._leader.wake.release()

    def _leave(self, ticket: Ticket) -> None:
        """Somebody was interrupted, or led a batch that broke: out of the queue, and the lead to another."""
        with self._guard:
            if ticket in self._queue:
                self._queue.remove(ticket)
        self._hand_on(ticket)
