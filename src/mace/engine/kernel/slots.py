"""Whose slot of the key space is whose, held against the events that say so.

A slot is somebody's because an event names the row that says it. A row that no event names is nobody's, and the slot is
as free as without it; a row that is gone or says another identity than its event stops whatever is decided with it,
for else one person would read what another wrote. When an admin's word has set such damage aside, the event decides.

Outside scope `user` a slot under which something was ever written is taken without a row: by the identity that its
words have, for the events of those writes say so (`keys.literal_identity`). A name is entered there when something is
written under it. Earlier versions entered whatever name was asked for: an entry of theirs under which nothing was
written since, up to when the names were looked at (`ledger.registry_repair`), gives nobody anything.

Of an identity a keyed hash is kept: who has a copy of the store alone cannot try names against it, not even after the
person was erased. Rows from before hold its plain hash, and count as they are.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any

from mace.core.errors import IntegrityFailure
from mace.engine.kernel.bound import Bound, Named
from mace.engine.kernel.journal import Journal
from mace.ledger import rows
from mace.memory import keys
from mace.storage.ports import Exists, Tx

UNKNOWN = "unknown"  # who has a slot whose row is lost and whose event holds only a hash; equals no identity
_MAX_GOOD = 10_000
_OF_USERS = "user/"
_SUFFIXED = re.compile("(.+)-(?:[0-9a-f]{6}|[0-9a-f]{10})")
_BY_A_WRITE = {"by": "write"}  # in the event of an entry outside scope `user` that was made when something was written
_NEAR = 100  # keys that are looked at for the other one of a collision
REPAIRED = "registry_repair/"  # the subject of the event that says that an older store's names were looked at
LOOKS = 3  # a row and its event are two reads, and another node may commit both in between


class Slots:
    """Asks and fills the registry of slots."""

    def __init__(self, bound: Bound, hide: Callable[[str], str] = lambda identity: identity) -> None:
        self.bound = bound
        self._hide = hide  # what is kept of an identity
        self._hidden: dict[str, str] = {}
        self.journal: Journal | None = None  # where it is told who has which name: in the stream of the system
        # Rows seen to be what their event names. The row itself is read every time, so a change is never passed over;
        # a slot has one event for ever, so that one need not be read again.
        self._good: dict[str, str] = {}
        self._unused: dict[str, str] = {}  # rows of names that were only asked for
        self._repaired_at: int | None = None  # where the event is that says so; there is one for ever

    def of(self, tx: Tx) -> keys.Registered:
        """The registry as `memory.keys` asks it."""
        return _Asked(self, tx)

    def hidden(self, identity: str) -> str:
        """What is kept of an identity from now on."""
        kept = self._hidden.get(identity)
        if kept is None:
            if len(self._hidden) >= _MAX_GOOD:
                self._hidden.clear()
            kept = self._hidden[identity] = self._hide(identity)
        return kept

    def owner(self, tx: Tx, slot: str) -> str | None:
        """The identity that has a slot; None where it is free. `IntegrityFailure` where the row was tampered with."""
        held = tx.registry.get(slot)
        if held is not None:
            if self._good.get(slot) == held:
                return held
            if self._unused.get(slot) == held:
                return keys.literal_identity(slot)
        owner = self._checked(tx, slot, held)
        if not _is_written_under(slot):
            return owner
        if owner is None:
            return keys.literal_identity(slot) if self.holds(tx, slot) else None
        if held is not None and self.was_only_asked_for(tx, slot):
            self._good.pop(slot, None)
            self._unused[slot] = held
            return keys.literal_identity(slot)
        return owner

    @staticmethod
    def holds(tx: Tx, slot: str) -> bool:
        """Say whether anything was ever written under a slot outside scope `user`."""
        return tx.events.last_under(f"sem_history/{slot}/") is not None or bool(tx.facts.keys(slot, "", 1))

    def was_only_asked_for(self, tx: Tx, slot: str) -> bool:
        """Say whether the entry of a slot is one of an earlier version under which that name wrote nothing."""
        named = self.bound.named(tx, rows.REGISTRY, slot)
        if named is None or named.payload.get("by") == "write":
            return False
        repaired_at = self._when_repaired(tx)
        written = [event.position for event in tx.events.about_under(f"sem_history/{slot}/")]
        before = [position for position in written if repaired_at is None or position < repaired_at]
        if not before:
            return True
        # Of a row that was adopted it cannot be told when it was entered.
        return named.event_type == "NAME_REGISTERED" and max(before) < named.position

    def _when_repaired(self, tx: Tx) -> int | None:
        if self._repaired_at is None:
            told = tx.events.about(REPAIRED)
            self._repaired_at = told[-1].position if told else None
        return self._repaired_at

    def is_literal(self, tx: Tx, slot: str) -> bool:
        """Say whether a slot outside scope `user` is taken by what was written by its keys alone."""
        return self.holds(tx, slot) and (tx.registry.get(slot) is None or self.was_only_asked_for(tx, slot))

    def is_named_otherwise(self, tx: Tx, slot: str) -> bool:
        """Say whether a slot outside scope `user` is that of a name whose words are not those of its id."""
        if tx.registry.get(slot) is None:
            return False
        owner = self.owner(tx, slot)
        return owner is not None and not keys.is_spelled(slot, owner, self.of(tx))

    def lock(self, tx: Tx, slot: str) -> None:
        """Nobody else can take a slot until the unit ends."""
        tx.lock(f"registry/{slot}")

    def _checked(self, tx: Tx, slot: str, held: str | None) -> str | None:
        named: Named | None = None
        for _ in range(LOOKS):
            named = self.bound.named(tx, rows.REGISTRY, slot)
            if named is None:
                return None
            if held is not None and rows.registry_hash(slot, held) == named.hash:
                self._keep(slot, held)
                return held
            held = tx.registry.get(slot)
        if not self._is_set_aside(tx, slot, held):
            raise IntegrityFailure(f"the owner of {slot} {'is gone' if held is None else 'was changed'}; run verify")
        return UNKNOWN if named is None else _as_said(slot, named)

    def claim(self, tx: Tx, journal: Journal, entry: keys.Registration) -> str:
        """Take a slot where it is still free; return whose it is now."""
        owner = self._owner_alone(tx, entry.slot)
        if owner is None:
            self._take(tx, journal, [entry])
            owner = self.hidden(entry.identity)
        return owner

    def register(self, tx: Tx, journal: Journal, seat: keys.SlugClaim, key: str | None = None) -> None:
        """Take a seat; `Exists` when another identity took it meanwhile, then everything is to be looked up again.

        `key` is what is written there: a collision is recorded with it and with the key that was there before.
        """
        free = []
        for entry in seat.register:
            owner = self._owner_alone(tx, entry.slot)
            if owner is None:
                free.append(entry)
            elif owner not in (self.hidden(entry.identity), entry.identity):
                raise Exists("the key was just assigned to another identity")
        if free:
            self._take(tx, journal, free)
        if seat.newly_collided:
            kept = self.hidden(seat.identity)
            payload = {"slug": seat.slug, "identity_hash": kept, "slots": [e.slot for e in seat.register]}
            journal.event(tx, "collision_event", {**payload, **_both(tx, seat, key)})

    def note_literal(self, tx: Tx, journal: Journal, key: str) -> None:
        """Record the collision of a key with a hash in its id that is written as it stands, for the first time."""
        parts = keys.parse_key(key)
        slot = key.rpartition("/")[0]
        suffixed = _SUFFIXED.fullmatch(parts.entity_id)
        if suffixed is None or self.owner(tx, slot) is not None:
            return
        plain = parts._replace(entity_id=suffixed[1])
        under = str(plain).rpartition("/")[0]
        if self.owner(tx, under) is None:
            return
        other = next(iter(tx.facts.scan(f"{under}/", 1)), None)
        named = other.key if other is not None and other.key.startswith(f"{under}/") else str(plain)
        identity = self.hidden(keys.literal_identity(slot))
        payload = {"slug": parts.entity_id, "identity_hash": identity, "slots": [slot], "key": key, "other_key": named}
        journal.event(tx, "collision_event", payload)

    def _owner_alone(self, tx: Tx, slot: str) -> str | None:
        """Whose a slot is; where it is free, nobody else can take it until the unit ends."""
        owner = self.owner(tx, slot)
        if owner is None:
            self.lock(tx, slot)
            owner = self.owner(tx, slot)
        return owner

    def _take(self, tx: Tx, journal: Journal, entries: Sequence[keys.Registration]) -> None:
        """Enter free slots of one identity, and name them in an event."""
        kept = [(slot, self.hidden(identity)) for slot, identity in entries]
        for slot, identity in kept:
            stray = tx.registry.get(slot)
            if stray is None:
                tx.registry.add(slot, identity)
                self._keep(slot, identity)
            elif not self._is_set_aside(tx, slot, stray):
                raise IntegrityFailure(f"the owner of {slot} has no event that names it; run verify")
        named = [rows.reference(rows.REGISTRY, slot, rows.registry_hash(slot, identity)) for slot, identity in kept]
        payload: dict[str, Any] = {"identity_hash": kept[0][1], "records": named}
        if not kept[0][0].startswith(_OF_USERS):
            payload |= _BY_A_WRITE
        (self.journal or journal).event(tx, "NAME_REGISTERED", payload)

    def _is_set_aside(self, tx: Tx, slot: str, held: str | None) -> bool:
        covered = self.bound.set_aside(tx)
        return any(finding_id in covered for finding_id in _damage(slot, held))

    def _keep(self, slot: str, identity: str) -> None:
        if len(self._good) >= _MAX_GOOD:
            self._good.clear()
        self._good[slot] = identity


class _Asked:
    """The registry as one unit sees it."""

    __slots__ = ("_slots", "_tx", "hidden")

    def __init__(self, slots: Slots, tx: Tx) -> None:
        self._slots = slots
        self._tx = tx
        self.hidden = slots.hidden

    def is_literal(self, slot: str) -> bool:
        return self._slots.is_literal(self._tx, slot)

    def __call__(self, slot: str) -> str | None:
        return self._slots.owner(self._tx, slot)


def _is_written_under(slot: str) -> bool:
    """Whether keys begin with a slot: not with a person's, nor with one that only cut titles share."""
    return not slot.startswith(_OF_USERS) and not slot.endswith("-")


def _both(tx: Tx, seat: keys.SlugClaim, key: str | None) -> dict[str, str]:
    """The two keys of a collision; of a person who wrote nothing yet, the two ids."""
    if key is None:
        return {"key": seat.slug, "other_key": seat.plain}
    own = keys.parse_key(key)._replace(entity_id=seat.slug)
    plain = own._replace(entity_id=seat.plain)
    if own.scope == "user":
        return {"key": str(own), "other_key": str(plain)}
    # A long title that is cut has an id of its own already: the other one is what shares its readable part.
    before = seat.plain if seat.slug != seat.plain else seat.plain[:-8]
    under = f"{own.scope}/{own.entity_type}/{before}"
    after = f"{under}/" if seat.slug != seat.plain else under
    for fact in tx.facts.scan(after, _NEAR):
        if not fact.key.startswith(after):
            break
        if not fact.key.startswith(f"{own.scope}/{own.entity_type}/{seat.slug}/"):
            return {"key": str(own), "other_key": fact.key}
    return {"key": str(own), "other_key": str(plain)}


def _as_said(slot: str, named: Named) -> str:
    """The identity that an event gives a slot."""
    said = named.payload.get("identity_hash")
    return said if type(said) is str and rows.registry_hash(slot, said) == named.hash else UNKNOWN


def _damage(slot: str, held: str | None) -> tuple[str, ...]:
    """The ids of the findings that a row as found may have been named by."""
    if held is None:
        return (rows.missing_row(rows.REGISTRY, slot).finding_id,)
    digest = rows.registry_hash(slot, held)
    found = (rows.changed_row(rows.REGISTRY, slot, digest), rows.unnamed_row(rows.REGISTRY, slot, digest))
    return tuple(finding.finding_id for finding in found)
