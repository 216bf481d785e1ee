"""Making the rows of experience anew from the ledger, on the record.

All rows but recalls go, a part at a time, and the events are projected again; the cursor says throughout how far that
is, so a process that dies leaves it to whoever comes next. When a rule was last asked for is no event: it stays, and
goes only with a Megram that does not come back.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from mace.engine.experience.feed import Feed
from mace.engine.experience.sealed_since import EVENT, is_to_be_told
from mace.engine.experience.views import pair_pages
from mace.engine.kernel.journal import SystemJournal, VerbJournal
from mace.engine.kernel.recorder import Recorder
from mace.engine.kernel.world import World
from mace.storage.experience_ports import Experience, ExperienceStore

_OUTDATED = "the rows were of an earlier version"
_ASKED = "somebody asked for it"


class Rebuilding:
    """Deletes what was projected and projects it again."""

    def __init__(self, world: World, recorder: Recorder, store: ExperienceStore, feed: Feed) -> None:
        self._world = world
        self._recorder = recorder
        self._store = store
        self._feed = feed

    def note_outdated(self) -> None:
        """Put on the record that rows of an earlier version are made anew."""
        told = {"why": _OUTDATED, "actor": "system", "done": False}
        journal = SystemJournal(self._recorder)
        self._world.store.write(lambda tx: journal.event(tx, EVENT, told))

    def note_sealed(self) -> None:
        """Put on the record, once, that an older store has only sealed rows: it never counts as an older one again."""
        if not is_to_be_told(self._world):
            return
        told = {"why": _OUTDATED, "actor": "system", "done": True, "sealed": True}
        journal = SystemJournal(self._recorder)
        self._world.store.write(lambda tx: journal.event(tx, EVENT, told))

    def run(self, actor: str, progress: Callable[[int, int], None] | None = None) -> dict[str, Any]:
        """Make everything anew; that it began is on the record before anything is deleted."""
        journal = VerbJournal(self._recorder, "experience.rebuild")
        begun = {"why": _ASKED, "actor": actor, "done": False}
        self._world.store.write(lambda tx: journal.event(tx, EVENT, begun, actor))
        self._feed.clear(anew=True)
        total = self._waiting() if progress is not None else 0
        events = self._feed.catch_up(None if progress is None else lambda taken: progress(min(taken, total), total))
        self._drop_stray_recalls()
        told = {"events": events, **self._counted()}
        self._world.store.write(lambda tx: journal.event(tx, EVENT, {**begun, "done": True, **told}, actor))
        return told

    def _waiting(self) -> int:
        """How many events there are to project."""
        count, last = 0, -1
        while found := self._world.store.read(partial(_places, after=last)):
            count, last = count + len(found), found[-1]
        return count

    def _counted(self) -> dict[str, Any]:
        pairs = sum(map(len, pair_pages(self._store)))
        changes, last = 0, ""
        while page := self._store.read(partial(_change_ids, after=last)):
            changes, last = changes + len(page), page[-1]
        return {"megrams": self._store.read(lambda x: x.counts()), "pairs": pairs, "changes": changes}

    def _drop_stray_recalls(self) -> None:
        last = ""
        while page := self._store.read(partial(_recalled, after=last)):
            stray = [name for name, is_there in page if not is_there]
            if stray:
                self._store.write(partial(_unrecall, stray=stray))
            last = page[-1][0]


def _places(tx: Any, after: int) -> list[int]:
    return [event.position for event in tx.events.experience(after, 2000)]


def _change_ids(x: Experience, after: str) -> list[str]:
    return [row.change_id for row in x.all_changes(after)]


def _recalled(x: Experience, after: str) -> list[tuple[str, bool]]:
    return [(name, x.get(name) is not None) for name, _ in x.recalls(after)]


def _unrecall(x: Experience, stray: list[str]) -> None:
    x.unrecall([name for name in stray if x.get(name) is None])
