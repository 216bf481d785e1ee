"""Is a history of reads and writes one that a single register could have given? With the workers that make histories.

An operation has the time of its call and the time of its answer, from one clock that all processes share. A history is
linearizable if each operation can be given one instant between the two so that every read gives the value written last
before it. The search is that of Wing and Gong: take any operation that was called before the first answer still open,
as long as it fits the register, and go back where none does; states that were seen are not tried again. A write whose
process died before the answer may have happened at any time after its call, or never.

As a program this file is a worker: it opens a MACE and puts and gets until its time is over or somebody kills it. Each
call is in its log before it is made and each answer after it, so that a kill leaves an open call and no lie.
"""

import json
import os
import random
import sys
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

NEVER = float("inf")


@dataclass(frozen=True, slots=True)
class Operation:
    """One call. `value` is what was written, or what was read (None: nothing there)."""

    writes: bool
    value: Any
    called: float
    answered: float = NEVER
    by: str = ""


def is_linearizable(operations: Iterable[Operation], initial: Any = None) -> bool:
    """Say whether one register, holding `initial` at first, could have given this history."""
    return stuck_at(operations, initial) is None


def stuck_at(operations: Iterable[Operation], initial: Any = None) -> Operation | None:
    """Return None for a linearizable history, else the operation for which no place could be found."""
    search = _Search(operations, initial)
    seen: set[tuple[_Taken, Any]] = set()
    tried = [iter(search.candidates())]
    furthest, blame = -1, None
    while not search.is_over():
        node = next(tried[-1], None)
        if node is None:
            if search.depth > furthest:
                furthest, blame = search.depth, search.first_open()
            tried.pop()
            if not tried:
                return blame
            search.go_back()
            continue
        search.take(node)
        if (search.taken, search.state) in seen:
            search.go_back()
            continue
        seen.add((search.taken, search.state))
        tried.append(iter(search.candidates()))
    return None


class _Search:
    """Where the search stands: what was taken, what the register holds, and what may come next."""

    def __init__(self, operations: Iterable[Operation], initial: Any) -> None:
        self._history = sorted(_worth_searching(list(operations)), key=lambda operation: operation.called)
        self._head = _chain(self._history)
        self._way: list[tuple[_Node, Any, _Taken]] = []  # what was taken, and how things stood before
        self._reads = Counter(operation.value for operation in self._history if not operation.writes)  # still to come
        self._writes = Counter(operation.value for operation in self._history if operation.writes)
        self._answered = sum(operation.answered != NEVER for operation in self._history)  # without a place yet
        self.state = initial
        self.taken = _Taken(0, 0)

    @property
    def depth(self) -> int:
        return len(self._way)

    def is_over(self) -> bool:
        """Say whether everything that was answered has its place; what is still open then never happened."""
        return self._answered == 0

    def first_open(self) -> Operation:
        """The operation whose answer is next, and before which nothing could be found that fits."""
        node = self._head.after
        while node is not None and node.is_call:
            node = node.after
        assert node is not None
        return self._history[node.index]

    def candidates(self) -> list["_Node"]:
        """What may be taken next. Where one choice is as good as any other, it is the only one.

        A read that fits may always come now. The value must not be left while it is still to be read and never written
        again. When it may be left, a write that nobody is going to read may always come now.
        """
        may_leave = not self._reads[self.state] or self._writes[self.state] > 0
        writes = []
        node = self._head.after
        while node is not None and node.is_call:
            operation = self._history[node.index]
            if not operation.writes:
                if operation.value == self.state:
                    return [node]
            elif may_leave:
                writes.append(node)
            node = node.after
        for node in writes:
            if not self._reads[self._history[node.index].value]:
                return [node]
        return writes

    def take(self, node: "_Node") -> None:
        operation = self._history[node.index]
        self._way.append((node, self.state, self.taken))
        (self._writes if operation.writes else self._reads)[operation.value] -= 1
        self._answered -= operation.answered != NEVER
        self.state = operation.value
        self.taken = self.taken.with_(node.index)
        node.take()

    def go_back(self) -> None:
        node, self.state, self.taken = self._way.pop()
        operation = self._history[node.index]
        (self._writes if operation.writes else self._reads)[operation.value] += 1
        self._answered += operation.answered != NEVER
        node.put_back()


class _Taken(NamedTuple):
    """Which operations were taken, in the order of their calls: all of the first `upto`, and those of `beyond` them.

    Few are beyond, since only what overlaps can change places; a bit for each of a long history would fill the memory.
    """

    upto: int
    beyond: int  # bit 0 stands for operation `upto`

    def with_(self, index: int) -> "_Taken":
        upto, beyond = self.upto, self.beyond | 1 << (index - self.upto)
        while beyond & 1:
            upto, beyond = upto + 1, beyond >> 1
        return _Taken(upto, beyond)


class _Node:
    """A call or an answer in the order of time; calls know their answer."""

    __slots__ = ("after", "answer", "before", "index", "is_call")

    def __init__(self, index: int, is_call: bool) -> None:
        self.index = index
        self.is_call = is_call
        self.before: _Node | None = None
        self.after: _Node | None = None
        self.answer: _Node | None = None

    def take(self) -> None:
        """Take a call and its answer out of the chain."""
        for node in (self, self.answer):
            assert node is not None and node.before is not None
            node.before.after = node.after
            if node.after is not None:
                node.after.before = node.before

    def put_back(self) -> None:
        for node in (self.answer, self):
            assert node is not None and node.before is not None
            node.before.after = node
            if node.after is not None:
                node.after.before = node


def _chain(history: Sequence[Operation]) -> _Node:
    moments: list[tuple[float, int, _Node]] = []
    for index, operation in enumerate(history):
        call, answer = _Node(index, True), _Node(index, False)
        call.answer = answer
        moments.append((operation.called, 0, call))  # at one moment calls come first: then both orders are possible
        moments.append((operation.answered, 1, answer))
    moments.sort(key=lambda moment: moment[:2])
    head = last = _Node(-1, False)
    for _, _, node in moments:
        node.before, last.after = last, node
        last = node
    return head


def _worth_searching(operations: list[Operation]) -> list[Operation]:
    """Leave out what cannot matter: open reads, and open writes whose value nobody read.

    An open write that was read had happened by the time the first such read was answered, if nobody else wrote that
    value; this is as good as an answer and keeps the search short.
    """
    written = Counter(operation.value for operation in operations if operation.writes)
    read_by: dict[Any, float] = {}
    for operation in operations:
        if not operation.writes:
            read_by[operation.value] = min(operation.answered, read_by.get(operation.value, NEVER))
    kept = []
    for operation in operations:
        if operation.answered == NEVER:
            if not operation.writes or operation.value not in read_by:
                continue
            if written[operation.value] == 1:
                answered = max(read_by[operation.value], operation.called)
                operation = Operation(True, operation.value, operation.called, answered, operation.by)
        kept.append(operation)
    return kept


# Histories


def read_logs(folder: Path) -> dict[str, list[Operation]]:
    """Return the operations of all workers by key."""
    found: dict[str, list[Operation]] = defaultdict(list)
    for file in sorted(folder.glob("*.log")):
        calls: dict[str, dict[str, Any]] = {}
        answers: dict[str, dict[str, Any]] = {}
        for line in file.read_bytes().splitlines():
            entry = json.loads(line)
            (calls if "key" in entry else answers)[entry["id"]] = entry
        for name, call in calls.items():
            answer = answers.get(name, {"at": NEVER, "value": None, "known": False})
            writes = "value" in call
            if not answer["known"] and not writes:
                continue
            value = call["value"] if writes else answer["value"]
            answered = answer["at"] if answer["known"] else NEVER
            found[call["key"]].append(Operation(writes, value, call["at"], answered, f"{file.stem}/{name}"))
    return dict(found)


class Log:
    """Calls and answers, each in the file before the next thing happens."""

    def __init__(self, file: Path) -> None:
        self._file = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def write(self, entry: dict[str, Any]) -> None:
        os.write(self._file, json.dumps(entry).encode() + b"\n")


def work(mace: Any, log: Log, worker: str, keys: Sequence[str], until: float, writes: float) -> None:
    """Put and get keys at random until the clock says `until`; a put writes a value that nobody else writes."""
    choose = random.Random(worker)
    number = 0
    while time.monotonic() < until:
        number += 1
        key, name = choose.choice(keys), f"{worker}.{number}"
        if choose.random() < writes:
            log.write({"id": name, "key": key, "value": name, "at": time.monotonic_ns()})
            done = mace.sem_put(key, name, "system")["success"]
            log.write({"id": name, "known": done, "at": time.monotonic_ns()})
        else:
            log.write({"id": name, "key": key, "at": time.monotonic_ns()})
            found = mace.sem_get(key)
            known = found["exists"] or found["error_code"] == "SEM_NOT_FOUND"
            log.write({"id": name, "known": known, "value": found["value"], "at": time.monotonic_ns()})


def run_threads(mace: Any, folder: Path, worker: str, keys: Sequence[str], until: float, threads: int) -> None:
    log = Log(folder / f"{worker}.log")
    running = [
        threading.Thread(target=work, args=(mace, log, f"{worker}-{at}", keys, until, 0.3)) for at in range(threads)
    ]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()


def main(location: str, checkpoints: str, folder: str, worker: str, keys: str, until: str, threads: str) -> None:
    from mace.settings import Settings
    from mace.wiring import open_mace

    settings = Settings(location=location, checkpoint_dir=checkpoints, checkpoint_interval_ms=0)
    with open_mace(settings=settings) as mace:
        run_threads(mace, Path(folder), worker, keys.split(","), float(until), int(threads))


if __name__ == "__main__":
    main(*sys.argv[1:])
