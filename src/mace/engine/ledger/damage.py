"""Verifying a store that is damaged: what can be read of it is checked, and what nobody foresaw is a finding, too."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from mace.core.errors import Closed, ServiceUnavailable, StorageFull
from mace.engine.kernel.world import World
from mace.ledger.findings import Finding, not_checked
from mace.ledger.verify import EventWalk
from mace.providers.ports import Shelf
from mace.storage.ports import Damage, Store, Tx, batches

MAX_FINDINGS = 1000  # told and recorded one by one; beyond that the log as a whole is the finding


class FrozenShelf:
    """A shelf as it was at one moment. A checkpoint published later is of events that a copy made now does not hold."""

    def __init__(self, shelf: Shelf, *, with_former: bool = True) -> None:
        self._newest_first = tuple(shelf.newest_first())
        self._notes = tuple(shelf.notes())
        self._place, self._was_in = shelf.place(), shelf.was_in()
        former = shelf.former() if with_former else None
        self._former = None if former is None else FrozenShelf(former, with_former=False)

    def notes(self) -> Iterator[str]:
        return iter(self._notes)

    def newest_first(self) -> Iterator[str]:
        return iter(self._newest_first)

    def latest(self) -> str | None:
        return next(self.newest_first(), None)

    def place(self) -> str:
        return self._place

    def was_in(self) -> str | None:
        return self._was_in

    def former(self) -> Shelf | None:
        return self._former

    def keep(self, note: str, is_good: Callable[[str], bool]) -> None:
        raise Closed("no checkpoint is kept while a damaged store is verified")

    def settle(self) -> None:
        """Nothing is kept here."""


@contextmanager
def walkable(world: World, damage: list[Damage]) -> Iterator[World]:
    """The world to verify: as it is, or with a copy of every row that can be read in the place of its store."""
    if not any(item.hides_rows for item in damage):
        yield world
        return
    shelf = FrozenShelf(world.shelf)  # first: what the shelf holds, the database held before
    store = world.store.salvage()
    try:
        yield replace(world, store=store, shelf=shelf)
    finally:
        store.close()


def without_keys(store: Store, damage: list[Damage]) -> tuple[int, list[Finding]]:
    """How many events there are, and what their own bytes, columns, chains and places show; no signature is checked."""
    left = store.salvage() if any(item.hides_rows for item in damage) else store
    walk: list[EventWalk] = []

    def look() -> Iterator[Finding]:
        yield from left.read(lambda tx: _walked(tx, walk))

    try:
        found = list(never_dies("events", look()))
    finally:
        if left is not store:
            left.close()
    return (walk[0].events if walk else 0), found[:MAX_FINDINGS]


def _walked(tx: Tx, begun: list[EventWalk]) -> list[Finding]:
    def hash_before(stream: str, index: int) -> tuple[int, bytes] | None:
        row = tx.events.at(stream, index)
        return None if row is None else (row.position, row.hash)

    walk = EventWalk(check=None, hash_before=hash_before, checkpoints=())
    begun.append(walk)
    size = tx.events.size()
    found = [finding for rows in batches(tx.events.scan, size) for finding in walk.feed(rows)]
    return [*found, *walk.finish(size)]


def never_dies(part: str, found: Iterator[Finding]) -> Iterator[Finding]:
    """What a part of verification finds; if it breaks off, that is a finding and the other parts are still checked.

    A store that is not there is no finding: it raises.
    """
    try:
        yield from found
    except (ServiceUnavailable, StorageFull):
        raise
    except Exception as error:
        yield not_checked(part, error)
