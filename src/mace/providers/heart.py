"""A thread that calls something every few seconds, as long as it is of use."""

import logging
import threading
from collections.abc import Callable

_log = logging.getLogger("mace")
BEAT_S = 5.0
_IDLE = 12  # beats of no use after which the thread ends; the next call for it starts another


class ThreadHeart:
    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()

    @property
    def beat_s(self) -> float:
        return BEAT_S

    def start(self, beat: Callable[[], bool]) -> None:
        if self._thread is not None and self._thread.is_alive():
            return
        with self._guard:
            if not self._stop.is_set() and (self._thread is None or not self._thread.is_alive()):
                self._thread = threading.Thread(target=self._run, args=(beat,), name="mace-heart", daemon=True)
                self._thread.start()

    def _run(self, beat: Callable[[], bool]) -> None:
        idle = 0
        while idle < _IDLE and not self._stop.wait(BEAT_S):
            try:
                idle = 0 if beat() else idle + 1
            except Exception as error:  # the next beat may come through; a heart that stops gives up every job
                _log.warning("a heartbeat failed and will be tried again: %s", type(error).__name__)

    def stop(self) -> None:
        self._stop.set()
        thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join()
