"""From the ledger into the store of experience: each event once, in its order, however often a process dies.

The store's cursor moves in the same unit as the rows, so there is no step between two that could be lost or done
twice. Events are checked before they count: one whose bytes or signature are wrong teaches nothing.
"""

from collections.abc import Callable, Sequence
from functools import partial
from hashlib import sha256

from mace.core import canon
from mace.core.events import StoredEvent
from mace.engine.experience import projection
from mace.engine.kernel.world import World
from mace.storage.experience_ports import Experience, ExperienceStore, MegramRow
from mace.storage.ports import Exists

STEP = 2000


class Feed:
    """Copies experience events from the ledger into the experience store, each exactly once."""

    def __init__(self, world: World, store: ExperienceStore, scratch: Callable[[], Experience]) -> None:
        self._world = world
        self._store = store
        self._scratch = scratch

    def catch_up(self, progress: Callable[[int], None] | None = None) -> int:
        """Project everything that is on the ledger; return how many events that were."""
        taken = 0
        while events := self._after(self._store.read(lambda x: x.cursor()), STEP):
            try:
                taken += self._store.write(partial(self._take, events=events))
            except Exists:  # a Megram that came from elsewhere and is written here again: it counts once
                taken += self._store.write(partial(self._take, events=events, careful=True))
            if progress is not None:
                progress(taken)
        return taken

    def is_behind(self, cursor: int) -> bool:
        """Say whether the ledger holds more than was projected up to here."""
        return bool(self._after(cursor, 1))

    def _after(self, cursor: int, limit: int) -> list[StoredEvent]:
        return self._world.store.read(lambda tx: tx.events.experience(cursor, limit))

    def _take(self, x: Experience, events: Sequence[StoredEvent], *, careful: bool = False) -> int:
        cursor = x.cursor()  # another process may have come first
        new = [event for event in events if event.position > cursor]
        if not new:
            return 0
        projection.apply(x, [event for event in new if self.is_good(event)], self._past, careful=careful)
        x.move_cursor(new[-1].position)
        return len(new)

    def is_good(self, event: StoredEvent) -> bool:
        """Say whether an event is what was signed."""
        return sha256(event.body).digest() == event.hash and self._world.keys.check(event.hash, event.signature)

    def _past(self, space: str, entity: str, since: int, until: int) -> list[MegramRow]:
        """Project one pair again, up to an event, beside the store; for what was forgotten and is wanted back."""
        x = self._scratch()
        shelf: projection.Shelf = {}
        named = canon.dumps(space)  # bodies are canonical too: one without these bytes is about another pair
        cursor = since - 1
        while events := self._after(cursor, STEP):
            cursor = events[-1].position
            before = [
                event for event in events if event.position < until and named in event.body and self.is_good(event)
            ]
            projection.apply(x, before, self._past, (space, entity), shelf, careful=True)
            if cursor >= until:
                break
        return projection.all_of_pair(x, space, entity)
