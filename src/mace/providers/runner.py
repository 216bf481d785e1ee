"""Runs steps in threads of its own, so that one that never ends does not take the caller with it.

A step that runs out of time is left behind (Python cannot stop a thread); its worker is not used again and ends with
the step. Threads are daemons: they do not keep the process alive.
"""

import queue
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from mace.providers.ports import TimedOut

T = TypeVar("T")


class _Worker:
    def __init__(self) -> None:
        self._steps: queue.SimpleQueue[Callable[[], Any] | None] = queue.SimpleQueue()
        self._results: queue.SimpleQueue[tuple[bool, Any]] = queue.SimpleQueue()
        threading.Thread(target=self._loop, name="mace-step", daemon=True).start()

    def _loop(self) -> None:
        while (step := self._steps.get()) is not None:
            try:
                self._results.put((True, step()))
            except BaseException as error:
                self._results.put((False, error))

    def run(self, step: Callable[[], Any], limit_s: float) -> tuple[bool, Any]:
        self._steps.put(step)
        return self._results.get(timeout=limit_s)

    def end(self) -> None:
        self._steps.put(None)


class ThreadRunner:
    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._idle: list[_Worker] = []
        self._closed = False

    def run(self, step: Callable[[], T], limit_ms: float) -> T:
        with self._guard:
            worker = self._idle.pop() if self._idle else None
        worker = worker or _Worker()
        try:
            good, value = worker.run(step, max(limit_ms, 0) / 1000)
        except queue.Empty:
            worker.end()  # it ends when its step does
            raise TimedOut(limit_ms) from None
        with self._guard:
            if self._closed or len(self._idle) >= 16:
                worker.end()
            else:
                self._idle.append(worker)
        if not good:
            raise value
        result: T = value
        return result

    def close(self) -> None:
        with self._guard:
            self._closed = True
            idle, self._idle = self._idle, []
        for worker in idle:
            worker.end()
