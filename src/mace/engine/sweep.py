"""What time alone causes. Wiring calls it; nothing here waits for a caller."""

from datetime import timedelta

from mace.core.times import parse_instant
from mace.engine.kernel.job import abandon
from mace.engine.kernel.recorder import Recorder
from mace.engine.kernel.world import World
from mace.storage.ports import Tx

ABANDONED_AFTER = timedelta(minutes=10)  # far beyond what a question may take


class Sweep:
    """Work that is due with time: jobs whose process died."""

    def __init__(self, world: World, recorder: Recorder) -> None:
        self._world = world
        self._recorder = recorder

    def abandoned_jobs(self) -> int:
        """Mark jobs whose process died as abandoned, so that their streams can be joined again; return how many."""
        now = self._world.clock.now()

        def stale(tx: Tx) -> list[str]:
            running = [job for job in tx.jobs.recent(1000) if job.status == "running"]
            return [job.stream for job in running if now - parse_instant(job.opened_at) > ABANDONED_AFTER]

        def unit(tx: Tx) -> int:
            streams = stale(tx)
            for stream in streams:
                abandon(tx, self._recorder, stream)
            return len(streams)

        return self._world.store.write(unit) if self._world.store.read(stale) else 0
