"""Writes that the store could not take: kept sealed, retried once, by an operator.

They wait in the spill file while the store is down, under the node's own key, and afterwards in the vault under the key
of their fact, so that an erasure reaches them too. A retry is on the ledger whatever it comes to, and there is no
second one: what is older than the fact that stands now loses against it, as any late write does.
"""

import base64
from typing import Any

from mace.core import canon
from mace.core.errors import Conflict, IntegrityFailure
from mace.core.times import iso_us
from mace.engine.facts.verbs import FactVerbs
from mace.engine.kernel.bound import Bound
from mace.engine.kernel.cleaning import check_words
from mace.engine.kernel.missing_keys import queued_is_erased, was_erased_since
from mace.engine.kernel.recorder import Recorder
from mace.engine.kernel.vault import Vault
from mace.engine.kernel.world import World
from mace.ledger import records
from mace.memory.keys import parse_key
from mace.storage.ports import Tx

KIND = "WRITE_QUEUED"


class QueuedWrites:
    """Keeps writes that failed while the store was down, sealed, for one retry by an operator."""

    def __init__(self, world: World, recorder: Recorder, vault: Vault, bound: Bound, facts: FactVerbs) -> None:
        self._world = world
        self._recorder = recorder
        self._vault = vault
        self._bound = bound
        self._facts = facts

    def take_in(self, tx: Tx, entry: dict[str, Any]) -> dict[str, Any]:
        """Move what an entry of the spill file holds sealed into the vault; return the entry without it."""
        if entry["event_type"] != KIND or "sealed" not in entry:
            return entry
        queued_id, key = entry["spill_id"], entry["key"]
        parts = parse_key(key)
        person = parts.entity_id if parts.scope == "user" else None
        if person is not None:
            tx.lock(f"erasing/{person}")  # an erasure is before this unit or after it
        if was_erased_since(tx, key, entry["at"], self._world.keys):  # nobody comes back through what waited
            return {**{name: value for name, value in entry.items() if name != "sealed"}, "dropped": "ERASED"}
        plain = self._world.keys.unseal_here(base64.b64decode(entry["sealed"]), f"queued_write/{queued_id}")
        self._vault.put_blob(tx, f"queued/{queued_id}", f"fact/{key}", person, plain)
        return {name: value for name, value in entry.items() if name != "sealed"}

    def waiting(self) -> list[dict[str, Any]]:
        """What waits: its id, its key and when it came, not what it says."""
        return self._world.store.read(self._waiting)

    def _waiting(self, tx: Tx) -> list[dict[str, Any]]:
        entries = [content for _, content in self._bound.intact(tx, "spilled") if content["event_type"] == KIND]
        return [
            {"queued_id": entry["spill_id"], "key": entry["key"], "at": entry["at"]}
            for entry in sorted(entries, key=lambda entry: (entry["at"], entry["spill_id"]))
            if "dropped" not in entry
            and not self._bound.happened(tx, "queued_done", entry["spill_id"])
            and not queued_is_erased(tx, entry["spill_id"], entry["key"], self._world.keys)
        ]

    def retry(self, actor: str) -> list[dict[str, Any]]:
        """Try each waiting write once more; return what each came to."""
        check_words(actor, "actor", 64)
        return [self._retry(item["queued_id"], item["key"], actor) for item in self.waiting()]

    def _retry(self, queued_id: str, key: str, actor: str) -> dict[str, Any]:
        plain = self._world.store.read(lambda tx: self._waited(tx, queued_id, key))
        outcome: dict[str, Any] = {"queued_id": queued_id, "key": key, "actor": actor}
        if plain is None:
            outcome |= {"error_code": "NOT_FOUND", "applied": False}  # erased meanwhile
        else:
            write = canon.loads(plain)
            answer = self._facts.put(
                key,
                write["content"]["value"],
                write["source"],
                write["timestamp"],
                write["content"]["notes"],
                write["content"]["meta"],
                user_id=write["user_id"],
                job_seed=None,
                consent_id=None,
                idempotency_key=f"queued/{queued_id}",
                retried=True,
                guard=lambda tx: self._must_still_wait(tx, queued_id, key),
            )
            outcome |= {"error_code": answer["error_code"], "applied": answer["applied"]}
        self._settle(queued_id, outcome)
        return outcome

    def _must_still_wait(self, tx: Tx, queued_id: str, key: str) -> None:
        """Refuse, in the unit of the write, what was erased since it was read."""
        user = parse_key(key).entity_id if parse_key(key).scope == "user" else None
        if user is not None:
            tx.lock(f"erasing/{user}")  # an erasure is before this unit or after it
        if self._waited(tx, queued_id, key) is None:
            raise Conflict("this write was erased while it waited")

    def _waited(self, tx: Tx, queued_id: str, key: str) -> bytes | None:
        """What waited; None where it was erased, also if the fact has a new key since."""
        try:
            return self._vault.blob(tx, f"queued/{queued_id}")
        except IntegrityFailure:
            if queued_is_erased(tx, queued_id, key, self._world.keys):
                return None
            raise

    def _settle(self, queued_id: str, outcome: dict[str, Any]) -> None:
        def unit(tx: Tx) -> None:
            content = {**outcome, "at": iso_us(self._world.clock.now())}
            record = records.make("queued_done", queued_id, content, self._world.keys.sign)
            self._bound.add(tx, record)
            payload = {**outcome, "record": records.reference(record)}
            self._recorder.append(tx, self._recorder.system(tx), "QUEUED_WRITE_RETRIED", payload)

        self._world.store.write(unit)
