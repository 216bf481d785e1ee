"""What the verbs of experience and its background work share: the store, the feed, and what is built when needed.

Internal to the engine and to wiring; callers hold the verbs (`service`).
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, TypeVar, cast

from mace.core.errors import Conflict
from mace.engine.experience.consented import Consented
from mace.engine.experience.contents import Contents
from mace.engine.experience.feed import Feed
from mace.engine.experience.sealed_since import was_sealed
from mace.engine.experience.sealing import CLEARING, MadeBefore, SealedStore
from mace.engine.kernel.gate import ClosedGate, Gate
from mace.engine.kernel.recorder import Recorder
from mace.engine.kernel.vault import Vault
from mace.engine.kernel.world import World
from mace.memory.experience import megrams
from mace.storage.experience_ports import Experience, ExperienceStore, MegramRow

if TYPE_CHECKING:
    from mace.engine.experience.dreams import Dreams
    from mace.engine.experience.rebuilding import Rebuilding
    from mace.engine.experience.transfer import Transfer
    from mace.ledger.findings import Finding

T = TypeVar("T")
# Which of some texts somebody is shown, each given by whose words it holds.
Shows = Callable[[Sequence[Collection[str]]], list[bool]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperienceDeps:
    """What wiring chose: the store, a place to project beside it, and who is told that there is work."""

    store: ExperienceStore
    scratch: Callable[[], Experience]
    beside: Callable[[], ExperienceStore]  # to project everything into, for a comparison; whoever asks closes it
    wake: Callable[[], None]  # something is on the ledger that the store does not have
    settle: Callable[[int], None]  # a task has ended at this instant: time to dream, in a while
    stop: Callable[[], None]  # no more of either
    persona: str
    read_only: bool


class ExperienceParts:
    def __init__(
        self,
        world: World,
        recorder: Recorder,
        vault: Vault,
        chosen: ExperienceDeps,
        gate: Callable[[], Gate] = ClosedGate,
    ) -> None:
        self.world = world
        self.recorder = recorder
        self.chosen = chosen
        self.store = SealedStore(chosen.store, world.keys, lambda: was_sealed(world))
        self.feed = Feed(
            world,
            self.store,
            chosen.scratch,
            lambda: self.rebuilding.note_outdated(),
            lambda: self.rebuilding.note_sealed(),
        )
        self.contents = Contents(world.keys, vault)
        self.consented = Consented(self.contents, lambda: world.slots.bound, gate)
        self._dreams: Dreams | None = None
        self._transfer: Transfer | None = None
        self._rebuilding: Rebuilding | None = None

    @property
    def rebuilding(self) -> "Rebuilding":
        if self._rebuilding is None:
            from mace.engine.experience.rebuilding import Rebuilding

            self._rebuilding = Rebuilding(self.world, self.recorder, self.store, self.feed)
        return self._rebuilding

    def check(self) -> "Iterator[Finding]":
        """What lies in the store and is not what the ledger's events give."""
        from mace.engine.experience.checking import check

        return check(self.world, self.chosen.store, self.chosen.beside, self.chosen.scratch)

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

            self._transfer = Transfer(self.world, self.recorder, self.store, self.feed, self.contents, self.consented)
        return self._transfer

    def now_us(self, now: str | datetime | None = None) -> int:
        """The instant that a caller gave, or the clock's."""
        return megrams.to_us(self.world.clock.now() if now is None else megrams.read_instant(now, "now"))

    def catch_up(self) -> None:
        if not self.chosen.read_only:
            self.feed.catch_up()

    def seeing_all(self, look: Callable[[Experience], T]) -> T:
        """Read, with everything in sight that was acknowledged before."""

        def seen(x: Experience) -> tuple[int, T | None]:
            cursor = x.cursor()
            return cursor, None if cursor == CLEARING else look(x)  # what is half deleted says nothing

        try:
            cursor, found = self.store.read(seen)
            if not self.feed.is_behind(cursor) or (self.chosen.read_only and cursor != CLEARING):
                return cast(T, found)
        except MadeBefore:
            if self.chosen.read_only:
                raise
        if self.chosen.read_only:
            raise Conflict("experience is being made anew; retry")
        self.feed.catch_up()
        cursor, found = self.store.read(seen)
        if cursor == CLEARING:
            raise Conflict("experience is being made anew; retry")
        return cast(T, found)

    def texts(self, found: Sequence[MegramRow], shows: Shows | None = None) -> list[str | None]:
        """The words of these Megrams; None where they were erased, only an ended consent covers them, or they
        are not shown to whoever asks."""
        if not found:
            return []
        if shows is not None:
            people = self.world.store.read(lambda tx: [self.contents.persons(tx, row) for row in found])
            shown = shows(people)
            found = [row if may else replace(row, key_refs=()) for row, may in zip(found, shown, strict=True)]
        return self.world.store.read(lambda tx: [self.consented.open(tx, row) for row in found])
