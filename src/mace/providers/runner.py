"""Runs steps in threads of its own, so that one that never ends does not take the caller with it.

A step that runs out of time is left behind (Python cannot stop a thread); its worker ends with it.
Threads are daemons: they do not keep the process alive.
"""

import asyncio
import queue
import threading
from collections.abc import Awaitable, Callable, Coroutine
from contextvars import copy_context
from typing import Any, TypeVar

from mace.providers.ports import Done, Stopped, TimedOut

T = TypeVar("T")

_Task = tuple[int, Callable[[], Any], "queue.SimpleQueue[Done]"]
_IDLE = 16  # workers that wait for the next step


class _Worker:
    def __init__(self, runner: "ThreadRunner") -> None:
        self._runner = runner
        self._tasks: queue.SimpleQueue[_Task | None] = queue.SimpleQueue()
        self.left = False  # nobody waits for its step any more: it ends with it
        threading.Thread(target=self._loop, name="mace-step", daemon=True).start()

    def take(self, task: _Task) -> None:
        self._tasks.put(task)

    def end(self) -> None:
        self._tasks.put(None)

    def _loop(self) -> None:
        while (task := self._tasks.get()) is not None:
            key, step, done = task
            try:
                came_to = Done(key, True, step())
            except BaseException as error:
                came_to = Done(key, False, error)
            del task, step
            self._runner.is_free(self)  # before anybody hears of the end, so that the next step finds it
            done.put(came_to)
            del came_to, done


class ThreadCrew:
    """Steps that run at the same time; their ends are taken one by one."""

    def __init__(self, runner: "ThreadRunner") -> None:
        self._runner = runner
        self._done: queue.SimpleQueue[Done] = queue.SimpleQueue()
        self._cancelled: set[int] = set()
        self._workers: dict[int, _Worker] = {}

    def submit(self, key: int, step: Callable[[], Any]) -> None:
        context = copy_context()
        worker = self._workers[key] = self._runner.worker()
        worker.take((key, lambda: context.run(step), self._done))

    def next(self, limit_ms: float | None) -> Done | None:
        while True:
            try:
                done = self._done.get(timeout=None if limit_ms is None else max(limit_ms, 0) / 1000)
            except queue.Empty:
                return None
            self._workers.pop(done.key, None)
            if done.key not in self._cancelled:
                return done

    def cancel(self, key: int) -> None:
        self._cancelled.add(key)
        worker = self._workers.pop(key, None)
        if worker is not None:
            worker.left = True


class ThreadRunner:
    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._idle: list[_Worker] = []
        self._closed = False

    def worker(self) -> _Worker:
        with self._guard:
            worker = self._idle.pop() if self._idle else None
        return worker or _Worker(self)

    def is_free(self, worker: _Worker) -> None:
        with self._guard:
            stays = not (self._closed or worker.left) and len(self._idle) < _IDLE
            if stays:
                self._idle.append(worker)
        if not stays:
            worker.end()

    def crew(self) -> ThreadCrew:
        return ThreadCrew(self)

    def run(self, step: Callable[[], T], limit_ms: float) -> T:
        crew = ThreadCrew(self)
        crew.submit(0, step)
        done = crew.next(limit_ms)
        if done is None:
            crew.cancel(0)
            raise TimedOut(limit_ms)
        if not done.good:
            raise done.value
        result: T = done.value
        return result

    def drive(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return asyncio.run(work())
        crew = ThreadCrew(self)  # a loop runs in this thread: the other one gets a thread of its own
        crew.submit(0, lambda: asyncio.run(work()))
        done = crew.next(None)
        if done is None or not done.good:
            raise RuntimeError("no result") if done is None else done.value
        result: T = done.value
        return result

    async def watched(self, work: Awaitable[T], limit_ms: float, stop: Callable[[], str | None], look_ms: float) -> T:
        task = asyncio.ensure_future(work)
        left = max(limit_ms, 0.0)
        try:
            while True:
                wait = min(left, look_ms)
                await asyncio.wait({task}, timeout=wait / 1000)
                if task.done():
                    return task.result()
                left -= wait
                if left <= 0:
                    raise TimedOut(limit_ms)
                if stop() is not None:
                    raise Stopped
        finally:
            task.cancel()

    async def aside(self, step: Callable[[], T]) -> T:
        """Run a step in a thread while the loop of this one goes on."""
        return await asyncio.to_thread(step)

    def close(self) -> None:
        with self._guard:
            self._closed = True
            idle, self._idle = self._idle, []
        for worker in idle:
            worker.end()
