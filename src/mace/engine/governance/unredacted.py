"""Reads that show what others see redacted or only hashed: an admin, a second factor, a purpose, a trace.

The `admin_access_event` is in the same unit as the read: where it cannot be written nothing is shown. What an event
only hashes lies sealed beside the ledger under its job's key; it is shown if it is what was hashed, and as erased when
its key was taken away.
"""

from typing import Any

from mace.core import canon
from mace.core.errors import IntegrityFailure, InvalidInput, NotFound
from mace.core.events import StoredEvent
from mace.engine.governance.forensics import Forensics
from mace.engine.kernel.vault import Vault
from mace.engine.kernel.world import World
from mace.engine.ledger.logs import LogVerbs
from mace.ledger.parts import OF_EVENTS
from mace.storage.ports import Tx

ERASED = {"redaction_reason": "ERASED"}


class Unredacted:
    """Reads logs, events and quarantine unredacted, and records each read."""

    def __init__(self, world: World, vault: Vault, forensics: Forensics, logs: LogVerbs) -> None:
        self._world = world
        self._vault = vault
        self._forensics = forensics
        self._logs = logs

    def log(self, log_id: str, by: str, *, purpose: str) -> dict[str, Any]:
        """A reflective log as it was written."""
        self._forensics.check_purpose(purpose)
        self._world.store.read(lambda tx: self._logs.must_be_there(tx, log_id))

        def unit(tx: Tx) -> dict[str, Any]:
            found = {**self._logs.read(tx, log_id), "job_id": self._logs.job_of(tx, log_id)}
            self._forensics.accessed(tx, by, "reflective_log", log_id, purpose)
            return found

        return self._world.store.write(unit)

    def event(self, event_id: str, by: str, *, purpose: str) -> list[dict[str, Any]]:
        """Every event with this id, each with `contents`: the sealed parts that it has only hashes of."""
        self._forensics.check_purpose(purpose)
        try:
            wanted = bytes.fromhex(event_id)
        except (TypeError, ValueError):
            raise InvalidInput("event_id must be 64 hex characters") from None
        if not self._world.store.read(lambda tx: tx.events.by_id(wanted)):
            raise NotFound(what=f"event {event_id}")

        def unit(tx: Tx) -> list[dict[str, Any]]:
            found = [
                {**row.fields(canon.loads(row.body)), "contents": self._contents(tx, row)}
                for row in tx.events.by_id(wanted)
            ]
            self._forensics.accessed(tx, by, "event", event_id, purpose)
            return found

        return self._world.store.write(unit)

    def quarantined(self, quarantine_id: str, by: str, *, purpose: str) -> dict[str, Any]:
        """What was quarantined, as it was found."""
        self._forensics.check_purpose(purpose)
        self._world.store.read(lambda tx: self._logs.quarantined(tx, quarantine_id))

        def unit(tx: Tx) -> dict[str, Any]:
            found = self._logs.quarantined(tx, quarantine_id)
            self._forensics.accessed(tx, by, "quarantine", quarantine_id, purpose)
            return found

        return self._world.store.write(unit)

    def _contents(self, tx: Tx, row: StoredEvent) -> dict[str, Any]:
        """The sealed parts of an event, by name."""
        payload = canon.loads(row.body)["payload"]
        found = {}
        for (event_type, member), (name, first) in OF_EVENTS.items():
            if row.event_type == event_type and member in payload:
                if "#" in name:
                    name = name.replace("#", str(first + self._before(tx, row, member)))
                name = name.format_map(payload)
                found[name] = self._part(tx, row.stream, name, payload[member])
        return found

    def _part(self, tx: Tx, stream: str, name: str, digest: str) -> Any:
        ref = f"{name}/{stream}"
        plain = self._vault.blob(tx, ref)
        if plain is None:
            return ERASED if tx.vault.blob(ref) is not None else None
        held = tx.vault.blob(ref)  # the parts of a branch lie under the key of its job
        if held is None or self._world.keys.keyed_hash(self._vault.open_key(tx, held[0]), plain) != digest:
            raise IntegrityFailure(f"{ref} does not match the hash in its event; run verify")
        return canon.loads(plain)

    @staticmethod
    def _before(tx: Tx, row: StoredEvent, member: str) -> int:
        """How many parts of this kind the job had kept before."""
        earlier = tx.events.of_stream(row.stream, 0, row.sequence_index)
        return sum(
            other.event_type == row.event_type and member in canon.loads(other.body)["payload"] for other in earlier
        )
