"""People by the ids they are called: the slug that keys, vault keys and records use for one."""

from mace.core.errors import InvalidInput
from mace.engine.kernel.journal import Journal
from mace.engine.kernel.privacy import check_user_id
from mace.engine.kernel.slots import Slots
from mace.memory import keys
from mace.storage.ports import Tx


def person_of(slots: Slots, tx: Tx, user_id: str) -> str:
    """The slug of a user, without entering anything."""
    check_user_id(user_id)
    return _seat(slots, tx, user_id).slug


def enter_person(slots: Slots, tx: Tx, journal: Journal, user_id: str) -> str:
    """The slug of a user, kept for them from now on: no other identity can take it."""
    check_user_id(user_id)
    seat = _seat(slots, tx, user_id)
    slots.register(tx, journal, seat)
    return seat.slug


def _seat(slots: Slots, tx: Tx, user_id: str) -> keys.SlugClaim:
    try:
        return keys.place_user(user_id, slots.of(tx))
    except ValueError:
        raise InvalidInput("user_id is not a valid user id") from None
