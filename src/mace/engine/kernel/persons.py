"""People by the ids they are called: the slug that keys, vault keys and records use for one."""

from mace.core.errors import InvalidInput
from mace.engine.kernel.journal import Journal
from mace.engine.kernel.privacy import check_user_id
from mace.memory import keys
from mace.storage.ports import Tx


def person_of(tx: Tx, user_id: str) -> str:
    """The slug of a user, without entering anything."""
    check_user_id(user_id)
    return _seat(tx, user_id).slug


def enter_person(tx: Tx, journal: Journal, user_id: str) -> str:
    """The slug of a user, kept for them from now on: no other identity can take it."""
    check_user_id(user_id)
    seat = _seat(tx, user_id)
    for entry in seat.register:
        if tx.registry.get(entry.slot) is None:
            tx.registry.add(entry.slot, entry.identity)
    if seat.newly_collided:
        payload = {"slug": seat.slug, "identity_hash": seat.identity, "slots": [e.slot for e in seat.register]}
        journal.event(tx, "collision_event", payload)
    return seat.slug


def _seat(tx: Tx, user_id: str) -> keys.SlugClaim:
    try:
        return keys.place_user(user_id, tx.registry.get)
    except ValueError:
        raise InvalidInput("user_id is not a valid user id") from None
