"""The index of what events speak of, held against the events it is derived from, and put right again.

Only an event that is whole says what belongs there. The entries of one that was changed stay: they lead to it, and
whoever would decide by it is stopped.
"""

from collections.abc import Callable, Iterator

from mace.core import canon
from mace.core.events import StoredEvent
from mace.core.subjects import subjects_of
from mace.storage.ports import Store, Tx, batches

IsOwn = Callable[[StoredEvent], bool]  # whether an event is what this server wrote, in its place
Entry = tuple[str, int]
_LEAST = -(2**63)


def gone(tx: Tx, is_own: IsOwn, events: list[StoredEvent]) -> list[Entry]:
    """What these events give and the index does not hold."""
    given = ((subject, event.position) for event in events if is_own(event) for subject in _spoken_of(event))
    return [entry for entry in given if not tx.subjects.has(*entry)]


def strays(tx: Tx, is_own: IsOwn, entries: list[Entry]) -> Iterator[tuple[Entry, str]]:
    """Those of these entries that no event gives, and why."""
    size = tx.events.size()
    for subject, position in entries:
        found = tx.events.scan(position, 1)
        event = found[0] if found and found[0].position == position else None
        if event is None:
            if not 0 <= position < size:
                yield (subject, position), "is of an event that never was"
        elif is_own(event) and subject not in _spoken_of(event):
            yield (subject, position), "is not what that event speaks of"


def pages(tx: Tx) -> Iterator[list[Entry]]:
    """Every entry, a page at a time."""
    after: Entry = ("", _LEAST)
    while page := tx.subjects.scan(after):
        yield page
        after = page[-1]


def mend(store: Store, is_own: IsOwn) -> None:
    """Put back what is gone and take out what no event gives, a page at a time; doing it twice changes nothing."""
    size = store.read(lambda tx: tx.events.size())

    def scan(start: int, limit: int) -> list[StoredEvent]:
        return store.read(lambda tx: tx.events.scan(start, limit))

    for events in batches(scan, size):
        if store.read(lambda tx, events=events: gone(tx, is_own, events)):  # type: ignore[misc]
            store.write(lambda tx, events=events: _put_back(tx, is_own, events))  # type: ignore[misc]
    after: Entry = ("", _LEAST)
    while page := store.read(lambda tx, after=after: tx.subjects.scan(after)):  # type: ignore[misc]
        if found := store.read(lambda tx, page=page: [entry for entry, _ in strays(tx, is_own, page)]):  # type: ignore[misc]
            store.write(lambda tx, found=found: _take_out(tx, is_own, found))  # type: ignore[misc]
        after = page[-1]


def _put_back(tx: Tx, is_own: IsOwn, events: list[StoredEvent]) -> None:
    tx.lock("subjects")  # another node may be mending it, too
    tx.subjects.add_all(gone(tx, is_own, events))


def _take_out(tx: Tx, is_own: IsOwn, entries: list[Entry]) -> None:
    tx.subjects.drop_all([entry for entry, _ in strays(tx, is_own, entries)])


def _spoken_of(event: StoredEvent) -> list[str]:
    try:
        payload = canon.loads(event.body)["payload"]
    except (ValueError, LookupError, TypeError):
        return []
    return list(subjects_of(event.event_type, payload)) if isinstance(payload, dict) else []
