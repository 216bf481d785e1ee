"""Rows that decide, held against the events that name them.

A row counts only as far as the ledger says so: one that no event names is nobody's and decides nothing; one that is
missing or is not what its event names stops what would be decided with it, until an admin's word has set the damage
aside. What only an event can undo (a revocation, a code that was used) is asked of the events themselves, whatever
became of the row.
"""

from collections.abc import Callable, Container
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Protocol, TypeVar

from mace.core import canon
from mace.core.errors import IntegrityFailure
from mace.core.events import StoredEvent
from mace.core.purposes import Purpose
from mace.core.subjects import references, subject_of, subjects_of
from mace.ledger import records
from mace.ledger.findings import changed_event, changed_record, missing_record
from mace.storage.ports import Record, Tx

T = TypeVar("T")
_LOOK_AHEAD = 1000  # events of a stream
_MANY_KEPT = 500  # events whose many rows are kept as read

SetAside = Callable[[Tx], Container[str]]  # the ids of findings that an admin's word covers


class Checks(Protocol):
    """Port: whoever can tell whether a signature is this server's."""

    def check(self, purpose: Purpose, digest: bytes, signature: str) -> bool: ...
    def counts_at(self, signature: str, position: int) -> bool: ...


@dataclass(frozen=True, slots=True)
class Named:
    """What an event says: which row it names, with which hash, and what else stands in it."""

    position: int
    event_type: str
    stream: str
    signed_by: str
    payload: dict[str, Any]
    key: str
    hash: str
    at: str  # when its stream says that it was


@dataclass(frozen=True, slots=True)
class Item:
    """A record and what its event says; without content where the row is lost and was set aside."""

    key: str
    content: dict[str, Any] | None
    named: Named


class Bound:
    """Reads rows together with the events that name them."""

    def __init__(self, keys: Checks, set_aside: SetAside = lambda _tx: ()) -> None:
        self._keys = keys
        self.set_aside = set_aside
        self._named_by: dict[tuple[str, int], tuple[tuple[bytes, bytes, str], dict[str, Named]]] = {}
        self._read: dict[str, tuple[tuple[bytes, bytes, str], Any]] = {}  # the newest event of some subjects, as read
        self.kept_about: dict[str, Any] = {}  # what `missing_keys` has read of a person's papers

    # Events

    def said(self, tx: Tx, event: StoredEvent) -> dict[str, Any] | None:
        """What an event says; None for one that was changed or forged and then set aside, else that is a failure.

        One that lost only its signature says what it said, once that was set aside and a later event vouches for it.
        """
        if sha256(event.body).digest() != event.hash:
            kind = "CONTENT_CHANGED"
        elif not self._keys.check(Purpose.EVENT, event.hash, event.signature):
            kind = "BAD_SIGNATURE"
        elif not self._keys.counts_at(event.signature, event.position):
            kind = "KEY_RETIRED"
        else:
            content: dict[str, Any] = canon.loads(event.body)
            return content
        if changed_event(kind, event, "").finding_id in self.set_aside(tx):
            return canon.loads(event.body) if kind == "BAD_SIGNATURE" and self._is_vouched_for(tx, event) else None
        raise IntegrityFailure(f"the event at position {event.position} was changed; run verify")

    def _is_vouched_for(self, tx: Tx, event: StoredEvent) -> bool:
        """Say whether a signed event later in its stream leads back to this one, hash by hash."""
        before = event.hash
        for later in tx.events.of_stream(event.stream, event.sequence_index + 1, _LOOK_AHEAD):
            digest = sha256(later.body).digest()
            if digest != later.hash or canon.loads(later.body).get("prev_hash") != before.hex():
                return False
            if self._keys.check(Purpose.EVENT, digest, later.signature):
                return True
            before = digest
        return False

    def read_once(self, subject: str, event: StoredEvent, read: Callable[[], T]) -> T:
        """What `read` makes of an event, kept for as long as the event about this subject is the same, byte by byte."""
        same = (event.body, event.hash, event.signature)
        held = self._read.get(subject)
        if held is None or held[0] != same:
            held = self._read[subject] = (same, read())
        found: T = held[1]
        return found

    def newest(self, tx: Tx, subject: str) -> tuple[StoredEvent, dict[str, Any]] | None:
        """The newest event about something, and what it says."""
        for event in tx.events.about(subject, 4) or ():
            said = self.said(tx, event)
            if said is not None and subject in subjects_of(event.event_type, said["payload"]):
                return event, said
        return None

    def one_of_many(self, tx: Tx, kind: str, key: str) -> Named | None:
        """Like `named`, for rows of which one event names many: what it says is kept while it is the same."""
        for event in tx.events.about(subject_of(kind, key), 4):
            found = self._many(tx, kind, event).get(key)
            if found is not None:
                return found
        return None

    def _many(self, tx: Tx, kind: str, event: StoredEvent) -> dict[str, Named]:
        same = (event.body, event.hash, event.signature)
        held = self._named_by.get((kind, event.position))
        if held is None or held[0] != same:
            if len(self._named_by) >= _MANY_KEPT:
                self._named_by.clear()
            found = {named.key: named for named in self._named(tx, kind, event)}
            held = self._named_by[kind, event.position] = (same, found)
        return held[1]

    def _named(self, tx: Tx, kind: str, event: StoredEvent) -> list[Named]:
        said = self.said(tx, event)
        if said is None:
            return []
        return [
            Named(
                event.position,
                event.event_type,
                event.stream,
                said["signed_by"],
                said["payload"],
                held["key"],
                held["hash"],
                said["timestamp_seeded"],
            )
            for held in references(said["payload"])
            if held["kind"] == kind
        ]

    def named(self, tx: Tx, kind: str, key: str) -> Named | None:
        """What the newest event says that names this row; None where there is none."""
        for event in tx.events.about(subject_of(kind, key), 4):
            for held in self._named(tx, kind, event):
                if held.key == key:
                    return held
        return None

    def happened(self, tx: Tx, kind: str, key: str) -> bool:
        """Say whether the ledger says that this was written; a row alone says nothing, and a missing one neither."""
        return self.named(tx, kind, key) is not None

    def names(self, tx: Tx, kind: str, parent: str = "") -> list[Named]:
        """What the ledger says of all rows of a kind, or of those whose keys begin with their parent's; by event."""
        found: dict[str, Named] = {}
        for event in tx.events.about_under(f"{kind}/{parent}/" if parent else f"{kind}/"):
            for held in self._named(tx, kind, event):
                if not parent or held.key.startswith(f"{parent}/"):
                    found.pop(held.key, None)
                    found[held.key] = held
        return list(found.values())

    def names_between(self, tx: Tx, kind: str, first: str, last: str) -> dict[str, Named]:
        """What the ledger says of the rows of a kind whose subjects lie between these two, by key; for long lists.

        Events that were changed say nothing here, and verification names them.
        """
        found: dict[str, Named] = {}
        for event in tx.events.about_between(first, last):
            try:
                found |= {held.key: held for held in self._named(tx, kind, event)}
            except IntegrityFailure:
                continue
        return found

    def whole_names(self, tx: Tx, kind: str) -> tuple[list[Named], bool]:
        """Like `names`, without events that were changed, and whether there were none of those: for lists."""
        found, unread = self.counted_names(tx, kind)
        return found, not unread

    def counted_names(self, tx: Tx, kind: str) -> tuple[list[Named], int]:
        """Like `names`, without events that were changed, and how many those were: for lists."""
        found: dict[str, Named] = {}
        unread = 0
        for event in tx.events.about_under(f"{kind}/"):
            try:
                found |= {held.key: held for held in self._named(tx, kind, event)}
            except IntegrityFailure:
                unread += 1
        return list(found.values()), unread

    def events(self, tx: Tx, subject: str) -> list[tuple[StoredEvent, dict[str, Any]]]:
        """The events about something and what they say, oldest first; without those that were set aside."""
        told = ((event, self.said(tx, event)) for event in reversed(tx.events.about(subject)))
        return [(event, said) for event, said in told if said is not None]

    # Records

    def add(self, tx: Tx, record: Record) -> None:
        """Add a record that an event of this unit names; a row that stands in its place and is nobody's stays there.

        Then the event alone says what was decided, and the row is found to be another.
        """
        if tx.records.get(record.kind, record.key) is None:
            tx.records.add(record)

    def next_number(self, tx: Tx, kind: str, parent: str = "", digits: int = 8) -> int:
        """The number of the next row of a parent; never one that an event has given away, nor that of another row."""
        below = f"{parent}/" if parent else ""
        taken = {held.key for held in self.names(tx, kind, parent)}
        number = len(taken)
        while (key := f"{below}{number:0{digits}d}") in taken or tx.records.get(kind, key) is not None:
            number += 1
        return number

    def content(self, tx: Tx, kind: str, named: Named) -> dict[str, Any] | None:
        """The content of the row that an event names; None where it is lost and was set aside."""
        return self._content(tx, kind, named)

    def if_intact(self, tx: Tx, kind: str, named: Named) -> dict[str, Any] | None:
        """The content of the row that an event names; None where it is gone or is something else."""
        row = _readable(tx.records.get(kind, named.key))
        if row is None or not self._is_named(row, named):
            return None
        content: dict[str, Any] = canon.loads(row.body)
        return content

    def record(self, tx: Tx, kind: str, key: str) -> dict[str, Any] | None:
        """The content of a record; None where there is none, or only a row that no event names."""
        named = self.named(tx, kind, key)
        return None if named is None else self._content(tx, kind, named)

    def under(self, tx: Tx, kind: str, parent: str = "") -> list[Item]:
        """The records of a kind whose keys begin with their parent's and `/` (all of the kind without one), by key."""
        found = sorted(self.names(tx, kind, parent), key=lambda named: named.key)
        return [Item(named.key, self.content(tx, kind, named), named) for named in found]

    def intact(self, tx: Tx, kind: str, parent: str = "") -> list[tuple[str, dict[str, Any]]]:
        """Like `under`, for lists: what is damaged is left out, and verification names it."""
        found = sorted(self.names(tx, kind, parent), key=lambda named: named.key)
        rows = ((named.key, self.if_intact(tx, kind, named)) for named in found)
        return [(key, content) for key, content in rows if content is not None]

    def children(self, tx: Tx, kind: str, parent: str) -> list[tuple[str, dict[str, Any]]]:
        """The records of a parent whose keys do not tell their parent: those rows that an event names."""
        rows = ((row.key, self.record(tx, kind, row.key)) for row in tx.records.children(kind, parent))
        return [(key, content) for key, content in rows if content is not None]

    def _content(self, tx: Tx, kind: str, named: Named) -> dict[str, Any] | None:
        row = _readable(tx.records.get(kind, named.key))
        if row is None:
            finding, what = missing_record(kind, named.key), "is gone"
        elif self._is_named(row, named):
            content: dict[str, Any] = canon.loads(row.body)
            return content
        else:
            finding, what = changed_record(row), "was changed"
        if finding.finding_id in self.set_aside(tx):
            return None
        raise IntegrityFailure(f"{kind} {named.key} {what}; run verify")

    def _is_named(self, row: Record, named: Named) -> bool:
        return sha256(row.body).hexdigest() == named.hash and records.is_signed(row, self._keys.check)


def _readable(row: Record | None) -> Record | None:
    """A row whose columns are what they must be; another is as good as gone, and verification takes it as that."""
    is_one = row is not None and type(row.body) is bytes and type(row.signature) is str and type(row.parent) is str
    return row if is_one else None


class _All:
    def __contains__(self, finding_id: object) -> bool:
        return True


_ALL = _All()


def lenient(keys: Checks) -> Bound:
    """For what must work in the midst of damage, such as verification: what is damaged says nothing here."""
    return Bound(keys, lambda _tx: _ALL)
