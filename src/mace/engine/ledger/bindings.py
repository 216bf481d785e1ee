"""The small tables against the ledger, both ways: each row is named by an event, and each event's row is there.

Each function yields findings, reads in pages and holds no more than a page. That the index of what events speak of is
right is somebody else's check; an event that was changed is a finding itself, and says nothing here.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from hashlib import sha256
from itertools import islice
from typing import Any, TypeVar

from mace.core import canon
from mace.core.events import StoredEvent
from mace.core.purposes import Purpose
from mace.core.subjects import references, subject_of
from mace.engine.kernel.bound import Checks
from mace.engine.kernel.missing_keys import answer_is_erased
from mace.engine.kernel.world import World
from mace.engine.ledger.adoption import ALL, EVENT
from mace.engine.ledger.proofs import Proofs, key_of
from mace.ledger import records as documents
from mace.ledger import rows
from mace.ledger.checkpoint import BadNote, Checkpoint, parse
from mace.ledger.findings import Finding, changed_record, missing_record
from mace.storage.ports import AliasRow, Record, Store, Tx

T = TypeVar("T")

# The notes there are; whoever adds one adds it here. Each is checked where it is read, or counts for nothing.
NOTES = frozenset({"log_name", "alerts", "router_fallback_count", "erasures_to_clear"})
OLDER_NOTES = frozenset({"health"})  # that earlier versions wrote; in a store of theirs they may lie there
OLDER_NOTES_BELOW = ("second_factor/",)

# Records that no event names: a checkpoint wants no event, or the event would want another checkpoint. Each names the
# one before it instead (`missing_checkpoints`).
UNNAMED_KINDS = frozenset({"checkpoint"})

_KEPT_EVENTS = 64
_NOTES_AT_ONCE = 500


class _Said:
    """What events name, each read once while its rows lie close together."""

    def __init__(self, keys: Checks) -> None:
        self._keys = keys
        self._held: dict[int, tuple[StoredEvent, dict[str, Any] | None]] = {}  # by position, with the event as read

    def of(self, event: StoredEvent) -> dict[str, Any] | None:
        """The payload of an event, and the hashes of the rows it names; None for one that was changed."""
        held = self._held.get(event.position)
        if held is None or held[0] != event:
            if len(self._held) >= _KEPT_EVENTS:
                self._held.clear()
            held = self._held[event.position] = (event, self._read(event))
        return held[1]

    def _read(self, event: StoredEvent) -> dict[str, Any] | None:
        is_whole = sha256(event.body).digest() == event.hash
        if not is_whole or not self._keys.check(Purpose.EVENT, event.hash, event.signature):
            return None
        if not self._keys.counts_at(event.signature, event.position):
            return None
        payload = canon.loads(event.body)["payload"]
        named = {(held["kind"], held["key"]): held["hash"] for held in references(payload)}
        return {"payload": payload, "named": named}

    def hashes(self, tx: Tx, kind: str, key: str) -> list[str] | None:
        """By what hashes events name a row, the newest first; None where all that name it were changed."""
        events = tx.events.about(subject_of(kind, key))
        said = [held for held in map(self.of, events) if held is not None]
        if events and not said:
            return None
        return [held["named"][kind, key] for held in said if (kind, key) in held["named"]]

    def newest(self, tx: Tx, subject: str) -> dict[str, Any] | None:
        """What the newest event about something says; None where there is none that was not changed."""
        for event in tx.events.about(subject, 4):
            said = self.of(event)
            if said is not None:
                payload: dict[str, Any] = said["payload"]
                return payload
        return None


def _pages(store: Store, scan: Callable[[Tx, Any], Sequence[T]], place: Callable[[T], Any], first: Any) -> Iterator[T]:
    """Every row, a page at a time, each page in a snapshot of its own."""
    after = first
    while page := store.read(lambda tx, after=after: scan(tx, after)):  # type: ignore[misc]
        yield from page
        after = place(page[-1])


def _each(store: Store, scan: Callable[[Tx, Any], tuple[list[Finding], Any]], first: Any) -> Iterator[Finding]:
    """What a look at each page finds; rows and events of a page come from one snapshot. A place of None is the end."""
    after = first
    while after is not None:
        found, after = store.read(lambda tx, after=after: scan(tx, after))  # type: ignore[misc]
        yield from found


def _subjects_below(tx: Tx, prefix: str, after: str) -> tuple[list[str], str | None]:
    """The next names below a prefix that events speak of, and where to go on."""
    page = tx.subjects.scan((f"{prefix}{after}", 2**62 if after else -1), 1000)
    names = [subject.removeprefix(prefix) for subject, _ in page if subject.startswith(prefix)]
    is_more = bool(page) and len(names) == len(page)
    return list(dict.fromkeys(names)), names[-1] if is_more else None


def _both_ways(
    world: World,
    table: str,
    scan: Callable[[Tx, str], list[tuple[str, str]]],
    get: Callable[[Tx, str], str | None],
) -> Iterator[Finding]:
    """Compare a table whose rows events name by its own name; `scan` and `get` give hashes of rows."""
    said = _Said(world.keys)

    def rows_of(tx: Tx, after: str) -> tuple[list[Finding], str | None]:
        page = scan(tx, after)
        found = []
        for key, digest in page:
            hashes = said.hashes(tx, table, key)
            if hashes == []:
                found.append(rows.unnamed_row(table, key, digest))
            elif hashes and hashes[0] != digest:
                found.append(rows.changed_row(table, key, digest))
        return found, page[-1][0] if page else None

    def events_of(tx: Tx, after: str) -> tuple[list[Finding], str | None]:
        names, then = _subjects_below(tx, f"{table}/", after)
        gone = (name for name in names if get(tx, name) is None)
        return [rows.missing_row(table, name) for name in gone if said.hashes(tx, table, name)], then

    yield from _each(world.store, rows_of, "")
    yield from _each(world.store, events_of, "")


def registry(world: World) -> Iterator[Finding]:
    """Whose slot is whose."""

    def scan(tx: Tx, after: str) -> list[tuple[str, str]]:
        return [(slot, rows.registry_hash(slot, identity)) for slot, identity in tx.registry.scan(after)]

    return _both_ways(world, rows.REGISTRY, scan, lambda tx, slot: tx.registry.get(slot))


def idempotency(world: World) -> Iterator[Finding]:
    """First answers of retried writes."""

    def scan(tx: Tx, after: str) -> list[tuple[str, str]]:
        return [(held[0], rows.idempotency_hash(*held)) for held in tx.idempotency.scan(after)]

    said = _Said(world.keys)

    def get(tx: Tx, token: str) -> str | None:
        held = tx.idempotency.get(token)
        if held is not None:
            return held[0]
        put = said.newest(tx, f"{rows.IDEMPOTENCY}/{token}")
        return "erased" if put is not None and answer_is_erased(tx, put, world.keys) else None

    return _both_ways(world, rows.IDEMPOTENCY, scan, get)


def aliases(world: World) -> Iterator[Finding]:
    """Phrases and their keys: what the newest event says that added one, and all columns where an event names them."""
    said = _Said(world.keys)

    def judged(tx: Tx, row: AliasRow) -> Finding | None:
        digest = rows.alias_hash(row)
        about = f"alias/{row.phrase}"
        added = said.newest(tx, about)
        if added is None:
            return None if tx.events.about(about, 1) else rows.unnamed_row(rows.ALIASES, row.phrase, digest)
        hashes = said.hashes(tx, rows.ALIASES, row.phrase)
        is_same = (added.get("target"), added.get("source")) == (row.target, row.source)
        return (
            None
            if is_same and (not hashes or hashes[0] == digest)
            else rows.changed_row(rows.ALIASES, row.phrase, digest)
        )

    def rows_of(tx: Tx, after: str) -> tuple[list[Finding], str | None]:
        page = tx.aliases.scan(after)
        found = [finding for finding in (judged(tx, row) for row in page) if finding is not None]
        return found, page[-1].phrase if page else None

    def events_of(tx: Tx, after: str) -> tuple[list[Finding], str | None]:
        names, then = _subjects_below(tx, "alias/", after)
        gone = (name for name in names if tx.aliases.row(name) is None)
        return [rows.missing_row(rows.ALIASES, name) for name in gone if said.newest(tx, f"alias/{name}")], then

    yield from _each(world.store, rows_of, "")
    yield from _each(world.store, events_of, "")


def notes(world: World) -> Iterator[Finding]:
    """Notes that nobody writes; what earlier versions wrote only in a store that was theirs once."""
    was_theirs = world.keys.trust.separated_at != 0
    for name, value in _pages(world.store, lambda tx, after: tx.notes.scan(after), lambda row: row[0], ""):
        is_older = name in OLDER_NOTES or name.startswith(OLDER_NOTES_BELOW)
        if name not in NOTES and not (was_theirs and is_older):
            yield rows.unnamed_row("notes", name, canon.hash_of({"name": name, "value": value}))


def records(world: World) -> Iterator[Finding]:
    """Documents: at least one event names each, with its hash. One that is not signed is another's finding."""
    check = world.keys.check
    said = _Said(world.keys)

    def judged(tx: Tx, row: Record) -> Finding | None:
        if row.kind in UNNAMED_KINDS or not documents.is_signed(row, check):
            return None
        digest = sha256(row.body).hexdigest()
        hashes = said.hashes(tx, row.kind, row.key)
        if hashes is None or digest in hashes:
            return None
        return changed_record(row) if hashes else rows.unnamed_row("records", row.key, digest, row.kind)

    def rows_of(tx: Tx, after: tuple[str, str]) -> tuple[list[Finding], tuple[str, str] | None]:
        page = tx.records.scan_all(after)
        found = [finding for finding in (judged(tx, row) for row in page) if finding is not None]
        return found, (page[-1].kind, page[-1].key) if page else None

    return _each(world.store, rows_of, ("", ""))


def missing_checkpoints(world: World, proofs: Proofs) -> Iterator[Finding]:
    """Checkpoints that the database no longer holds: a later one names it, or it is on the shelf.

    A checkpoint is in the database before it is on the shelf, so a process that dies between the two leaves nothing
    that is missed. Older versions did it the other way round and named none before: what they kept is excused up to the
    event that adopted their rows. A checkpoint that the log denies, or that an admin's word has set aside, is not held
    against it here.
    """

    def chain(tx: Tx, after: str) -> tuple[list[Finding], str | None]:
        page = tx.records.scan("checkpoint", after)
        found = []
        for row in page:
            if documents.is_signed(row, world.keys.check):
                found += _before(tx, canon.loads(row.body).get("before"))
        return found, page[-1].key if page else None

    yield from _each(world.store, chain, "")
    attested = world.store.read(proofs.attested)
    older = world.store.read(partial(_size_when_adopted, said=_Said(world.keys)))
    notes_left = iter(world.shelf.notes())
    while some := list(islice(notes_left, _NOTES_AT_ONCE)):
        for head in world.store.read(partial(_missed, proofs=proofs, notes=some)):
            if head.size > older and attested.counts(head):
                yield missing_record("checkpoint", key_of(head))


def _before(tx: Tx, before: Any) -> list[Finding]:
    if not isinstance(before, dict):
        return []
    row = tx.records.get("checkpoint", before["key"])
    if row is None:
        return [missing_record("checkpoint", before["key"])]
    return [] if sha256(row.body).hexdigest() == before["hash"] else [changed_record(row)]


def _size_when_adopted(tx: Tx, said: _Said) -> int:
    """How long the log was when the rows of an older version were adopted; 0 for a log that was never older."""
    for event in tx.events.about(f"adoption/{ALL}", 4):
        held = said.of(event)
        if held is not None and event.event_type == EVENT and held["payload"].get("table") == ALL:
            return event.position + 1
    return 0


def _missed(tx: Tx, proofs: Proofs, notes: list[str]) -> list[Checkpoint]:
    """Of these notes of the shelf, those good ones that the log agrees with and the database does not hold."""
    found = []
    for note in notes:
        with suppress(BadNote, LookupError):  # a bad note, and events that are missing, are found as such
            if tx.records.get("checkpoint", key_of(parse(note)[0])) is None:
                head = proofs.open(note)  # checked only now: that is what takes long
                if head.size <= tx.events.size() and proofs.tree(tx).root(head.size) == head.root:
                    found.append(head)
    return found


# What is compared here, part by part.
PARTS: dict[str, Callable[[World, Proofs], Iterator[Finding]]] = {
    "key_registry": lambda world, _proofs: registry(world),
    "aliases": lambda world, _proofs: aliases(world),
    "idempotency": lambda world, _proofs: idempotency(world),
    "notes": lambda world, _proofs: notes(world),
    "records": lambda world, _proofs: records(world),
    "checkpoints": missing_checkpoints,
}


def all_of(world: World, proofs: Proofs) -> Iterator[Finding]:
    """Everything that is compared here."""
    for part in PARTS.values():
        yield from part(world, proofs)
