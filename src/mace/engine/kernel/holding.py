"""Who holds a running job, and when a holder is lost.

A process has one row of holders. It is renewed every few seconds while the process has running jobs, by the store's own
clock, which all processes that share the store compare with: what another node's clock says, and how old a job is,
decides nothing. A holder is lost after three beats that did not come, or at once when this machine can see that its
process is gone. Only then is a question given up. Heartbeats are no events.
"""

from dataclasses import dataclass, field

from mace.engine.kernel.world import World
from mace.providers.ports import Process
from mace.storage.ports import HolderRow, JobRow, Tx

LOST_AFTER = 3  # beats


def is_lost(holder: HolderRow | None, clock: str, now: float, beat_s: float, *, gone: bool) -> bool:
    """Decide whether a holder is lost: it is unknown, its process is gone, or its beats stopped coming."""
    if holder is None or gone or holder.clock != clock:  # another clock: the machine was started anew since
        return True
    return now - holder.beat > LOST_AFTER * beat_s


@dataclass(slots=True)
class Holding:
    """The jobs that this process holds."""

    world: World
    _id: str = ""
    _process: Process | None = None
    _beat_ms: float | None = None
    _renewed_ms: float | None = None
    _running: set[str] = field(default_factory=set)

    def hold(self, tx: Tx) -> str:
        """The holder of a job that is being opened; renewed with it when the last beat was a while ago."""
        now_ms, beat_ms = self.world.clock.monotonic_ms(), self.world.heart.beat_s * 1000
        if self._process is None:
            self._process, self._id = self.world.processes.me(), self.world.entropy.token(16).hex()
        if self._beat_ms is None or abs(now_ms - self._beat_ms) >= beat_ms:
            self._renew(tx)
            self._renewed_ms = now_ms  # counts as soon as the unit stands
        return self._id

    def expect(self, stream: str) -> None:
        """The unit that is under way gives this process a job: nobody here takes it for one that was given up."""
        self._running.add(stream)

    def begin(self, stream: str) -> None:
        """A job was opened, and that stands: from now on the heart beats for it."""
        if self._renewed_ms is not None:
            self._beat_ms, self._renewed_ms = self._renewed_ms, None
        self._running.add(stream)
        self.world.heart.start(self.beat)

    def end(self, stream: str) -> None:
        """A job ended, however it did."""
        self._running.discard(stream)

    def held(self) -> list[str]:
        """The jobs that this process plays now."""
        return sorted(self._running)

    def beat(self) -> bool:
        """Renew this process's row if it has running jobs; say whether it has."""
        if not self._running:
            return False
        self.world.store.write(self._renew)
        self._beat_ms = self.world.clock.monotonic_ms()
        return True

    def _renew(self, tx: Tx) -> None:
        if self._process is not None:
            clock, now = tx.holders.clock()
            tx.holders.put(HolderRow(self._id, *self._process, clock, now))

    def is_given_up(self, tx: Tx, job: JobRow) -> bool:
        """Say whether nobody plays a running job any more."""
        if job.holder and job.holder == self._id:
            return job.stream not in self._running  # ours, and it could not be ended
        holder = tx.holders.get(job.holder) if job.holder else None
        gone = holder is not None and self.world.processes.is_gone(Process(holder.place, holder.pid, holder.started))
        clock, now = tx.holders.clock()
        return is_lost(holder, clock, now, self.world.heart.beat_s, gone=gone)
