"""What the verbs of experience and its background work share: the store, the feed, and what is built when needed.

Internal to the engine and to wiring; callers hold the verbs (`service`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, TypeVar

from mace.engine.experience.contents import Contents
from mace.engine.experience.feed import Feed
from mace.engine.kernel.recorder import Recorder
from mace.engine.kernel.vault import Vault
from mace.engine.kernel.world import World
from mace.memory.experience import megrams
from mace.storage.experience_ports import Experience, ExperienceStore, MegramRow

if TYPE_CHECKING:
    from mace.engine.experience.dreams import Dreams
    from mace.engine.experience.transfer import Transfer

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperienceDeps:
    """What wiring chose: the store, a place to project beside it, and who is told that there is work."""

    store: ExperienceStore
    scratch: Callable[[], Experience]
    wake: Callable[[], None]  # something is on the ledger that the store does not have
    settle: Callable[[int], None]  # a task has ended at this instant: time to dream, in a while
    stop: Callable[[], None]  # no more of either
    persona: str
    read_only: bool


class ExperienceParts:
    def __init__(self, world: World, recorder: Recorder, vault: Vault, chosen: ExperienceDeps) -> None:
        self.world = world
        self.recorder = recorder
        self.chosen = chosen
        self.store = chosen.store
        self.feed = Feed(world, chosen.store, chosen.scratch)
        self.contents = Contents(world.keys, vault)
        self._dreams: Dreams | None = None
        self._transfer: Transfer | None = None

    @property
    def dreams(self) -> "Dreams":
        if self._dreams is None:
            from mace.engine.experience.dreams import Dreams

            self._dreams = Dreams(self.world, self.recorder, self.store, self.feed, self.contents)
        return self._dreams

    @property
    def transfer(self) -> "Transfer":
        if self._transfer is None:
            from mace.engine.experience.transfer import Transfer

            self._transfer = Transfer(self.world, self.recorder, self.store, self.feed, self.contents)
        return self._transfer

    def now_us(self, now: str | datetime | None = None) -> int:
        """The instant that a caller gave, or the clock's."""
        return megrams.to_us(self.world.clock.now() if now is None else megrams.read_instant(now, "now"))

    def catch_up(self) -> None:
        if not self.chosen.read_only:
            self.feed.catch_up()

    def seeing_all(self, look: Callable[[Experience], T]) -> T:
        """Read, with everything in sight that was acknowledged before."""
        cursor, found = self.store.read(lambda x: (x.cursor(), look(x)))
        if self.chosen.read_only or not self.feed.is_behind(cursor):
            return found
        self.feed.catch_up()
        return self.store.read(look)

    def texts(self, found: Sequence[MegramRow]) -> list[str | None]:
        """The words of these Megrams; None where they were erased."""
        if not found:
            return []
        return self.world.store.read(lambda tx: [self.contents.open(tx, row) for row in found])
