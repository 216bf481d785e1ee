"""From the ledger into the store of experience: each event once, in its order, however often a process dies.

The store's cursor moves in the same unit as the rows, so there is no step between two that could be lost or done
twice. Events are checked before they count: one whose bytes or signature are wrong teaches nothing. The cursor is
sealed and must stand at an event of the ledger: one that somebody moved ahead would hide what was acknowledged.
"""

from collections.abc import Callable, Sequence
from functools import partial
from hashlib import sha256

from mace.core import canon
from mace.core.events import StoredEvent
from mace.core.purposes import Purpose
from mace.engine.experience import projection, sealing
from mace.engine.experience.sealing import CLEARING, MadeBefore
from mace.engine.kernel.world import World
from mace.providers.ports import Keys
from mace.storage.experience_ports import Experience, ExperienceStore, MegramRow
from mace.storage.ports import Exists

STEP = 2000
CLEAR_STEP = 5000  # rows that one unit deletes

Progress = Callable[[int], None]


def is_good(keys: Keys, event: StoredEvent) -> bool:
    """Say whether an event is what was signed."""
    if sha256(event.body).digest() != event.hash or not keys.check(Purpose.EVENT, event.hash, event.signature):
        return False
    return keys.counts_at(event.signature, event.position)


class Feed:
    """Copies experience events from the ledger into the experience store, each exactly once."""

    def __init__(
        self,
        world: World,
        store: ExperienceStore,
        scratch: Callable[[], Experience],
        outdated: Callable[[], None] | None = None,
        sealed: Callable[[], None] | None = None,
    ) -> None:
        self._world = world
        self._store = store
        self._scratch = scratch
        self._seen_at = -1  # the cursor whose event was last found to be there
        self._outdated = outdated  # told before rows of an earlier version are made anew
        self._sealed = sealed  # told once that all rows that are there have seals

    def catch_up(self, progress: Progress | None = None, until: int | None = None) -> int:
        """Project everything that is on the ledger, or what is up to a place; return how many events that were."""
        cursor = self._begin()
        taken = 0
        while events := self._up_to(until, self._after(cursor, STEP)):
            try:
                taken += self._store.write(partial(self._take, events=events, after=cursor))
            except Exists:  # a Megram that came from elsewhere and is written here again: it counts once
                taken += self._store.write(partial(self._take, events=events, after=cursor, careful=True))
            if progress is not None:
                progress(taken)
            cursor = self._begin()
        return taken

    @staticmethod
    def _up_to(until: int | None, events: list[StoredEvent]) -> list[StoredEvent]:
        return events if until is None else [event for event in events if event.position <= until]

    def _begin(self) -> int:
        """The place from which to go on; where rows are being made anew, the old ones go first."""
        try:
            cursor = self._store.read(lambda x: x.cursor())
        except MadeBefore:
            if self._outdated is not None:
                self._outdated()
            cursor = CLEARING
        if cursor == CLEARING:
            cursor = self.clear()
        else:
            self._look_at_place(cursor)
        if self._sealed is not None:
            self._sealed()
            self._sealed = None
        return cursor

    def clear(self, *, anew: bool = False) -> int:
        """Delete all rows but recalls, a part at a time, and return the place from which to go on.

        Whoever comes after a kill in between goes on with it; `anew` begins it, whatever the cursor says.
        """
        done = None
        while done is None:
            done = self._store.write(partial(self._clear_some, anew=anew))
            anew = False
        return done

    @staticmethod
    def _clear_some(x: Experience, anew: bool) -> int | None:
        """Delete some rows; None while there may be more, and the cursor where somebody else was quicker."""
        if not anew:
            try:
                cursor = x.cursor()
            except MadeBefore:
                cursor = CLEARING
            if cursor != CLEARING:
                return cursor
        return None if x.clear(CLEAR_STEP) else -1

    def is_behind(self, cursor: int) -> bool:
        """Say whether the ledger holds more than was projected up to here."""
        self._look_at_place(cursor)
        return bool(self._after(cursor, 1))

    def _look_at_place(self, cursor: int) -> None:
        """The last event that was projected must be there, or later ones would be taken for projected, too."""
        if cursor < 0 or cursor == self._seen_at:
            return
        found = self._after(cursor - 1, 1)
        if not found or found[0].position != cursor:
            sealing.changed("the cursor of experience")
        self._seen_at = cursor

    def _after(self, cursor: int, limit: int) -> list[StoredEvent]:
        return self._world.store.read(lambda tx: tx.events.experience(cursor, limit))

    def _take(self, x: Experience, events: Sequence[StoredEvent], after: int, *, careful: bool = False) -> int:
        cursor = x.cursor()  # another process may have come first
        new = [event for event in events if event.position > cursor]
        if not new or cursor < after:  # ... or have begun to make everything anew: these are not the next ones then
            return 0
        projection.apply(x, [event for event in new if self.is_good(event)], self._past, careful=careful)
        x.move_cursor(new[-1].position)
        return len(new)

    def is_good(self, event: StoredEvent) -> bool:
        """Say whether an event is what was signed."""
        return is_good(self._world.keys, event)

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
