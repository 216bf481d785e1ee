"""Whether the rows of experience must be sealed: a store that was sealed once is never taken for an older one.

Whoever writes to the database could take all seals away, and the rows would look like those of an earlier version,
which are made anew without a word. What they cannot reach says better. Rows are sealed since keys have purposes, which
the key file knows: where nothing was lived through before, there never were others. Else the ledger says when they had
been made anew.
"""

from mace.core import canon
from mace.core.events import StoredEvent
from mace.engine.experience.feed import is_good
from mace.engine.kernel.world import World
from mace.storage.ports import Tx

EVENT = "EXPERIENCE_REBUILT"


def was_sealed(world: World) -> bool:
    """Say whether the rows of this store were sealed before now, or never had a time without seals."""
    since = world.keys.trust.separated_at
    if since is None:
        return False  # an older store, which nobody has opened for writing yet
    return not _has_older(world, since) or world.store.read(lambda tx: _is_told(world, tx))


def is_to_be_told(world: World) -> bool:
    """Say whether the ledger must be told that there are only sealed rows now; nothing else would say it."""
    return world.keys.trust.separated_at is not None and not was_sealed(world)


def _has_older(world: World, since: int) -> bool:
    """Say whether something was lived through before keys had purposes, by an event that is what was signed."""
    if since == 0:
        return False
    first = world.store.read(lambda tx: tx.events.experience(-1, 1))
    return bool(first) and first[0].position < since and _is_what_it_says(world, first[0])


def _is_told(world: World, tx: Tx) -> bool:
    found = (event for event in tx.events.of_type(EVENT) if _is_what_it_says(world, event))
    return any(canon.loads(event.body)["payload"].get("sealed") is True for event in found)


def _is_what_it_says(world: World, event: StoredEvent) -> bool:
    return is_good(world.keys, event) and canon.loads(event.body)["event_type"] == event.event_type
