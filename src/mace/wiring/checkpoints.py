"""The thread that signs the tree's head now and then, and sweeps."""

import logging
import threading

from mace.core.errors import MaceError
from mace.engine.kernel.world import World
from mace.engine.runtime import Mace

_log = logging.getLogger("mace")


class Checkpointer:
    """Calls `checkpoint` each interval in which something was appended, and once more at close."""

    def __init__(self, interval_ms: int) -> None:
        self._interval_s = interval_ms / 1000
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._mace: Mace | None = None
        self._world: World | None = None
        self._published = -1

    def start(self, mace: Mace, world: World) -> None:
        """Start the thread that publishes checkpoints."""
        self._mace, self._world = mace, world
        try:
            self._published = self._size()
        except MaceError as error:  # a store that cannot say so can still be verified
            _log.warning("the log's size is not known: %s", error)
        if self._interval_s:
            self._thread = threading.Thread(target=self._run, name="mace-checkpoints", daemon=True)
            self._thread.start()

    def _size(self) -> int:
        return self._world.store.read(lambda tx: tx.events.size()) if self._world else 0

    def _run(self) -> None:
        while not self._stop.wait(self._interval_s):
            self._publish()
            self._sweep()

    def _sweep(self) -> None:
        """With each checkpoint: jobs whose holder was lost meanwhile are given up soon."""
        try:
            if self._mace is not None:
                self._mace.sweep()
        except MaceError as error:
            _log.warning("the sweep failed: %s", error)
        except Exception as error:  # no descriptors, no memory: a thread that ends here would never come back
            _log.warning("the sweep failed and will be tried again: %s", type(error).__name__)

    def _publish(self) -> None:
        try:
            size = self._size()
            if self._mace is not None and size != self._published:
                self._mace.checkpoint()
                self._published = size
        except MaceError as error:
            _log.warning("no checkpoint was published: %s", error)
        except Exception as error:  # no descriptors, no memory: the next interval tries again
            _log.warning("no checkpoint was published: %s", type(error).__name__)

    def stop(self) -> None:
        """Stop the thread and publish a last checkpoint."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
        self._publish()
