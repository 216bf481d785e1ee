"""How users are told apart: by names that are folded, or by ids whose every character counts (ADR 0042).

It is chosen when a store is made, stands on the ledger, and is fixed once the store has people: with another rule one
person would read what another wrote. With `opaque`, an id is turned into one that is canonical already before anything
else sees it, so keys, agents, events and replays know only that one.
"""

from mace.core.errors import Conflict, IntegrityFailure, InvalidInput, WrongType
from mace.engine.kernel.bound import Bound
from mace.engine.kernel.journal import SystemJournal
from mace.engine.kernel.privacy import check_user_id
from mace.engine.kernel.recorder import Recorder
from mace.engine.kernel.spilling import Spilling
from mace.engine.kernel.world import Mode, World
from mace.ledger import rows
from mace.memory import keys
from mace.storage.ports import Tx

MODES: tuple[Mode, ...] = ("names", "opaque")
_SUBJECT = "user_ids/"
_PERSON = "person/"


def translated(user_id: object, mode: Mode | None, *, keeps_slugs: bool = False) -> object:
    """An id as everything behind the verbs knows it; what is no id is left for the verb to refuse.

    With `keeps_slugs` somebody may also be called as facts call them (`user_ana`).
    """
    if mode == "names" or not isinstance(user_id, str):
        return user_id
    if mode is None:
        raise IntegrityFailure("how this store tells users apart was changed; run verify")
    try:
        check_user_id(user_id)
    except (InvalidInput, WrongType):
        return user_id
    return user_id if keeps_slugs and keys.is_user_slug(user_id) else keys.opaque_user(user_id)


def settle(world: World, recorder: Recorder, spilling: Spilling, bound: Bound, wanted: str) -> None:
    """Find out how this store tells users apart, or choose it while there are none; `Conflict` for another choice."""
    if wanted and wanted not in MODES:
        raise InvalidInput(f"setting user_ids must be one of {', '.join(MODES)}")
    try:
        chosen = world.store.read(lambda tx: _chosen(tx, bound))
    except IntegrityFailure:
        world.user_ids.mode = None  # it opens, so that it can be verified; nobody is told apart
        return
    if wanted and wanted != (chosen or "names"):
        if world.store.read(_has_people):
            raise Conflict(
                f"user_ids is {chosen or 'names'} in this store and it has people: {wanted} would take one person for "
                "another. Make a new store, or leave the setting user_ids out"
            )
        if not world.read_only:
            spilling.write("open", lambda tx: _choose(tx, recorder, wanted))
            chosen = world.store.read(lambda tx: _chosen(tx, bound))
    world.user_ids.mode = chosen or "names"


def _choose(tx: Tx, recorder: Recorder, wanted: str) -> None:
    tx.lock("user_ids")
    if _has_people(tx):  # another process was quicker
        raise Conflict("the store has people by now; open it again without the setting user_ids")
    SystemJournal(recorder).event(tx, "USER_IDS_CHOSEN", {"user_ids": wanted})


def _chosen(tx: Tx, bound: Bound) -> Mode | None:
    newest = bound.newest(tx, _SUBJECT)
    said = None if newest is None else newest[1]["payload"].get("user_ids")
    return said if said in MODES else None


def _has_people(tx: Tx) -> bool:
    """Whether anybody ever was here: by the events that gave them a name, or by their keys."""
    if tx.events.about_under(f"{rows.REGISTRY}/user/"):
        return True
    held = tx.vault.scan_keys(_PERSON, 1)
    return bool(held) and held[0][0].startswith(_PERSON)
