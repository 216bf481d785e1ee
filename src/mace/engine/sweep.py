"""What time alone causes. Wiring calls it; nothing here waits for a caller."""

from collections.abc import Callable

from mace.engine.kernel.holding import Holding
from mace.engine.kernel.recorder import Recorder
from mace.engine.kernel.trees import lose
from mace.engine.kernel.world import World
from mace.storage.ports import JobRow, Tx


class Sweep:
    """Work that is due with time: jobs whose holder is lost, what is too old, what an erasure still has to wipe."""

    def __init__(
        self,
        world: World,
        recorder: Recorder,
        holding: Holding,
        clear: Callable[[], bool] = lambda: True,
        retain: Callable[[], int] = lambda: 0,
    ) -> None:
        self._world = world
        self._recorder = recorder
        self._holding = holding
        self.cleared = clear  # says whether no erasure has anything left to wipe
        self.overdue_jobs = retain  # erases jobs without a person that are too old; says how many

    def abandoned_jobs(self) -> int:
        """Give up questions whose holder is lost, and interrupt durable jobs so that they can be resumed; how many."""

        def lost(tx: Tx) -> list[JobRow]:
            return [job for job in tx.jobs.running() if self._holding.is_given_up(tx, job)]

        def unit(tx: Tx) -> int:
            jobs = lost(tx)
            for job in jobs:
                lose(tx, self._recorder, job)
            return len(jobs)

        return self._world.store.write(unit) if self._world.store.read(lost) else 0
