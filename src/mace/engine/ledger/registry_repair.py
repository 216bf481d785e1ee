"""Names of an older store: said once, on the record, whose they are by the rules of this version.

Earlier versions let a key that was written as it stands claim nothing, so that a name which came later could take its
slot, and entered every name that was asked for. From now on whatever is stored under a key outside scope `user` has its
slot, and a name that was only asked for has none (`kernel.slots`). The first opening for writing says so in one
`REGISTRY_REPAIRED` event: the slots that now are those of their own words, and those whose owner cannot be told, where
something was stored both before a name was entered and since, and the name's hash is not that of the slug's own words;
there the name has them, as before. Nothing is moved: what is stored stays under its key. Places made by this version
know from their key file that nothing is due.
"""

from collections.abc import Iterator
from typing import Any

from mace.core import canon
from mace.engine.kernel.bound import Bound
from mace.engine.kernel.journal import SystemJournal
from mace.engine.kernel.recorder import Recorder
from mace.engine.kernel.slots import REPAIRED, Slots
from mace.ledger import rows
from mace.memory import keys
from mace.storage.ports import Tx

EVENT = "REGISTRY_REPAIRED"
_LISTED = 1000  # slots that the event names one by one; all of them are in its digest
_PAGE = 1000
_PEOPLE, _AFTER_PEOPLE = "user/", "user0"  # "0" follows "/"


def is_due(tx: Tx) -> bool:
    """Say whether a store that an earlier version made was not looked at yet."""
    return not tx.events.is_spoken_of(REPAIRED) and tx.events.size() > 0


class RegistryRepair:
    """Looks at the names of an older store, once."""

    def __init__(self, recorder: Recorder, bound: Bound, slots: Slots) -> None:
        self._recorder = recorder
        self._bound = bound
        self._slots = slots

    def in_unit(self, tx: Tx) -> None:
        """Append the event, unless another process was quicker."""
        tx.lock("registry_repair")
        if not is_due(tx):
            return
        claimed, unclear = [], []
        for slot in _stored_slots(tx):
            if tx.registry.get(slot) is None or self._slots.was_only_asked_for(tx, slot):
                claimed.append(slot)
            elif not self._can_be_told(tx, slot):
                unclear.append(slot)
        payload: dict[str, Any] = {
            "claims": claimed[:_LISTED],
            "claims_count": len(claimed),
            "claims_digest": canon.hash_of(claimed),
            "unclear": unclear,
        }
        SystemJournal(self._recorder).event(tx, EVENT, payload)

    def _can_be_told(self, tx: Tx, slot: str) -> bool:
        """Whether the entry of a slot is that of what is stored there.

        It is when it has the slug's own words, or was entered before anything was stored.
        """
        owner = self._slots.owner(tx, slot)
        if owner is not None and keys.is_spelled(slot, owner, self._slots.of(tx)):
            return True
        named = self._bound.named(tx, rows.REGISTRY, slot)
        if named is None or named.event_type != "NAME_REGISTERED":
            return False
        written = tx.events.about_under(f"sem_history/{slot}/")
        return not written or named.position < written[0].position


def unclear_names(tx: Tx, bound: Bound) -> list[str]:
    """The slots whose owner could not be told and under which something still stands."""
    newest = bound.newest(tx, REPAIRED)
    told = [] if newest is None else newest[1]["payload"].get("unclear", [])
    return [slot for slot in told if tx.facts.keys(slot, "", 1)]


def _stored_slots(tx: Tx) -> Iterator[str]:
    """Every slot outside scope `user` under which something was ever stored, in order."""
    after, last = "", ""
    while page := tx.facts.scan(after, _PAGE):
        after = page[-1].key
        for fact in page:
            if fact.key.startswith(_PEOPLE):
                after = max(after, _AFTER_PEOPLE)
                break
            slot = fact.key.rpartition("/")[0]
            if slot != last:
                last = slot
                yield slot
