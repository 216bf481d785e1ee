"""Group commit alone, with a batch that the test holds: who leads, who waits, and what nobody has to wait for."""

import ctypes
import threading
from collections.abc import Callable
from typing import Any

import pytest

from mace.core.errors import ServiceUnavailable
from mace.storage.sql.group_commit import GroupCommit, Ticket


class Batches:
    """Runs batches one by one, each only when the test lets it."""

    def __init__(self) -> None:
        self.sizes: list[int] = []
        self.started = threading.Semaphore(0)
        self.go = threading.Semaphore(0)
        self.group = GroupCommit(self.run, most=4)

    def run(self, tickets: list[Ticket]) -> None:
        self.sizes.append(len(tickets))
        self.started.release()
        assert self.go.acquire(timeout=10)
        for ticket in tickets:
            try:
                ticket.result = ticket.unit(None)  # type: ignore[arg-type]
            except Exception as error:
                ticket.error = error


class Writer(threading.Thread):
    def __init__(self, batches: Batches, unit: Callable[[Any], Any]) -> None:
        super().__init__(daemon=True)
        self._write, self._unit = batches.group.write, unit
        self.result: Any = None
        self.error: BaseException | None = None
        self.start()

    def run(self) -> None:
        try:
            self.result = self._write(self._unit)
        except BaseException as error:
            self.error = error

    def over(self) -> "Writer":
        self.join(timeout=10)
        assert not self.is_alive()
        return self


def queued(batches: Batches, count: int) -> None:
    """Wait until so many stand in the queue."""
    while len(batches.group._queue) < count:
        threading.Event().wait(0.001)


def test_who_is_alone_leads_and_gets_the_answer():
    batches = Batches()
    batches.go.release()
    assert batches.group.write(lambda _: 7) == 7
    assert batches.sizes == [1]


def test_those_who_come_meanwhile_are_the_next_batch_and_no_more_than_allowed():
    batches = Batches()
    first = Writer(batches, lambda _: "first")
    assert batches.started.acquire(timeout=10)
    others = [Writer(batches, lambda _, at=at: at) for at in range(6)]
    queued(batches, 6)
    batches.go.release(3)
    assert first.over().result == "first"
    assert [other.over().result for other in others] == list(range(6))
    assert batches.sizes == [1, 4, 2]


def test_whoever_is_done_does_not_wait_for_the_next_batch():
    batches = Batches()
    first = Writer(batches, lambda _: "first")
    assert batches.started.acquire(timeout=10)
    second = Writer(batches, lambda _: "second")
    queued(batches, 1)
    batches.go.release()
    assert first.over().result == "first"  # while the second batch stands still
    assert batches.started.acquire(timeout=10)
    assert second.is_alive()
    batches.go.release()
    assert second.over().result == "second"


def test_errors_are_each_their_own():
    batches = Batches()
    first = Writer(batches, lambda _: 0)
    assert batches.started.acquire(timeout=10)
    units: list[Callable[[Any], Any]] = [lambda _: 1, lambda _: 1 // 0, lambda _: 3]
    others = [Writer(batches, unit) for unit in units]
    queued(batches, 3)
    batches.go.release(2)
    for writer in (first, *others):
        writer.over()
    assert [other.result for other in others] == [1, None, 3]
    assert isinstance(others[1].error, ZeroDivisionError)


def test_a_batch_that_breaks_is_no_success_for_anybody_and_the_next_one_goes_on():
    broken = [True]

    def run(tickets: list[Ticket]) -> None:
        if broken.pop() if broken else False:
            raise KeyboardInterrupt
        for ticket in tickets:
            ticket.result = "done"

    group = GroupCommit(run)
    with pytest.raises(KeyboardInterrupt):
        group.write(lambda _: None)
    assert group.write(lambda _: None) == "done"


def test_members_of_a_broken_batch_are_told_that_the_outcome_is_not_known():
    batches = Batches()
    first = Writer(batches, lambda _: 0)
    assert batches.started.acquire(timeout=10)

    def breaks(_: Any) -> None:
        raise SystemExit

    leader = Writer(batches, breaks)
    queued(batches, 1)
    member = Writer(batches, lambda _: 1)
    queued(batches, 2)
    batches.go.release(2)
    first.over()
    assert isinstance(leader.over().error, SystemExit)
    assert isinstance(member.over().error, ServiceUnavailable)
    batches.go.release()
    assert batches.group.write(lambda _: "on") == "on"


def test_who_is_interrupted_in_the_queue_leaves_it_and_hands_on_the_lead():
    """The first in the queue would lead next; it goes, and the one behind it must not wait for ever."""
    batches = Batches()
    first = Writer(batches, lambda _: "first")
    assert batches.started.acquire(timeout=10)
    ran: list[str] = []
    impatient = Writer(batches, lambda _: ran.append("impatient"))
    queued(batches, 1)
    patient = Writer(batches, lambda _: "patient")
    queued(batches, 2)
    assert impatient.ident is not None
    # It is raised when the thread next runs Python: after it was woken to lead.
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(impatient.ident), ctypes.py_object(KeyboardInterrupt))
    batches.go.release(3)
    assert isinstance(impatient.over().error, KeyboardInterrupt)
    assert first.over().result == "first"
    assert patient.over().result == "patient"
    assert ran == []


def test_alone_waits_for_the_batch_and_holds_back_the_next():
    batches = Batches()
    first = Writer(batches, lambda _: "first")
    assert batches.started.acquire(timeout=10)
    entered = threading.Event()
    leave = threading.Event()

    def hold() -> None:
        with batches.group.alone():
            entered.set()
            assert leave.wait(10)

    holder = threading.Thread(target=hold, daemon=True)
    holder.start()
    assert not entered.wait(0.05)
    batches.go.release()
    assert first.over().result == "first"
    assert entered.wait(10)
    second = Writer(batches, lambda _: "second")
    assert not batches.started.acquire(timeout=0.05)
    leave.set()
    batches.go.release()
    assert second.over().result == "second"
    holder.join(10)
