"""Whose slot of the key space is whose, held against the events that say so.

A slot is somebody's because an event names the row that says it. A row that no event names is nobody's, and the slot is
as free as without it; a row that is gone or says another identity than its event stops whatever is decided with it,
for else one person would read what another wrote. When an admin's word has set such damage aside, the event decides.

Of an identity a keyed hash is kept: who has a copy of the store alone cannot try names against it, not even after the
person was erased. Rows from before hold its plain hash, and count as they are.
"""

from collections.abc import Callable, Sequence

from mace.core.errors import IntegrityFailure
from mace.engine.kernel.bound import Bound, Named
from mace.engine.kernel.journal import Journal
from mace.ledger import rows
from mace.memory import keys
from mace.storage.ports import Exists, Tx

UNKNOWN = "unknown"  # who has a slot whose row is lost and whose event holds only a hash; equals no identity
_MAX_GOOD = 10_000
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
        if held is not None and self._good.get(slot) == held:
            return held
        return self._checked(tx, slot, held)

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

    def register(self, tx: Tx, journal: Journal, seat: keys.SlugClaim) -> None:
        """Take a seat; `Exists` when another identity took it meanwhile, then everything is to be looked up again."""
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
            journal.event(tx, "collision_event", payload)

    def _owner_alone(self, tx: Tx, slot: str) -> str | None:
        """Whose a slot is; where it is free, nobody else can take it until the unit ends."""
        owner = self.owner(tx, slot)
        if owner is None:
            tx.lock(f"registry/{slot}")
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
        (self.journal or journal).event(tx, "NAME_REGISTERED", {"identity_hash": kept[0][1], "records": named})

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

    def __call__(self, slot: str) -> str | None:
        return self._slots.owner(self._tx, slot)


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
