"""A thread for what nobody waits for: something soon, something a while after the last call for it, and on a timer.

It holds no work of its own: what is to be done lies on the ledger, so a process that dies here loses nothing. A task
that fails is told to the log and tried again with the next call.
"""

import logging
import threading
import time
from collections.abc import Callable

from mace.core.errors import MaceError

_log = logging.getLogger("mace")


class Background:
    """`soon` runs as soon as `wake` was called, `later` when `settle_s` have passed since the last `settle`.

    `later` gets what `settle` was called with since it last ran; on the timer that is nothing.
    """

    def __init__(
        self,
        soon: Callable[[], None],
        later: Callable[[list[int]], None],
        *,
        settle_s: float,
        interval_s: float,
        first_s: float,
    ) -> None:
        self._soon = soon
        self._later = later
        self._settle_s = settle_s
        self._interval_s = interval_s
        self._first_s = first_s
        self._changed = threading.Condition()
        self._awake = False
        self._soon_at: float | None = None
        self._later_at: float | None = None
        self._settled: list[int] = []
        self._stopped = False
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin the timer; a little after the start `soon` runs once, for what an earlier process left."""
        with self._changed:
            now = time.monotonic()
            self._soon_at = now + self._first_s
            if self._interval_s:
                self._later_at = now + self._interval_s
            self._run_thread()

    def wake(self) -> None:
        with self._changed:
            self._awake = True
            self._run_thread()
            self._changed.notify()

    def settle(self, about: int) -> None:
        with self._changed:
            self._settled.append(about)
            self._later_at = time.monotonic() + self._settle_s
            self._run_thread()
            self._changed.notify()

    @property
    def is_stopping(self) -> bool:
        """For a long task to ask between its steps."""
        return self._stopped

    def stop(self) -> None:
        """End after the task at hand; what was called for and not begun is left."""
        with self._changed:
            self._stopped = True
            self._changed.notify()
            thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    def _run_thread(self) -> None:
        if self._thread is None and not self._stopped:
            self._thread = threading.Thread(target=self._run, name="mace-background", daemon=True)
            self._thread.start()

    def _run(self) -> None:
        while (task := self._next()) is not None:
            try:
                task()
            except MaceError as error:
                _log.warning("background work failed and will be tried again: %s", error.code)
            except Exception as error:  # no descriptors, no memory: a thread that ends here would never come back
                _log.warning("background work failed and will be tried again: %s", type(error).__name__)

    def _next(self) -> Callable[[], None] | None:
        """Wait for the next task; None when there will be no more."""
        with self._changed:
            while not self._stopped:
                now = time.monotonic()
                if self._awake or (self._soon_at is not None and self._soon_at <= now):
                    self._awake, self._soon_at = False, None
                    return self._soon
                if self._later_at is not None and self._later_at <= now:
                    self._later_at = now + self._interval_s if self._interval_s else None
                    settled, self._settled = self._settled, []
                    return lambda: self._later(settled)
                waiting = [at - now for at in (self._soon_at, self._later_at) if at is not None]
                self._changed.wait(min(waiting) if waiting else None)
        return None
