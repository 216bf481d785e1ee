"""The verbs. Each one is a job of its own or joins one; everything it does is on the ledger before it is answered."""

from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any

from mace.core import canon
from mace.core.errors import IntegrityFailure, InvalidInput
from mace.engine.attestation import Attestation
from mace.engine.incidents import Incidents
from mace.engine.logs import LogVerbs
from mace.engine.proofs import Proofs
from mace.engine.recorder import Recorder
from mace.engine.spilling import Spilling
from mace.engine.vault import Vault
from mace.engine.verification import Progress, Verification, attested_findings
from mace.engine.world import World
from mace.ledger.export import event_line, header_line
from mace.storage.ports import Tx, batches


class Mace:
    """An open MACE. Thread-safe; use it as a context manager or call `close`."""

    def __init__(self, world: World, on_close: Callable[[], None], *, read_only: bool = False) -> None:
        self._world = world
        self._on_close = on_close
        self._closed = False
        self._recorder = Recorder(world)
        self._vault = Vault(world.keys)
        self._logs = LogVerbs(world, self._recorder, self._vault)
        self._proofs = Proofs(world)
        self._incidents = Incidents(world, self._recorder)
        self._verification = Verification(world, self._recorder, self._vault, self._proofs, self._incidents)
        self._attestation = Attestation(world, self._recorder, self._proofs)
        self._spilling = Spilling(world, self._recorder)
        self._read_only = read_only
        self._claim_log()

    def _claim_log(self) -> None:
        """Give a new database its name; refuse one that belongs to other keys."""
        name = self._world.keys.log_name
        held = self._world.store.read(lambda tx: tx.notes.get("log_name"))
        if held is None and not self._read_only:

            def unit(tx: Tx) -> None:
                if tx.notes.get("log_name") is None:
                    tx.notes.put("log_name", name)
                    self._recorder.system(tx)

            self._spilling.write("open", unit)
        elif held != name:
            raise IntegrityFailure("the database belongs to another log than the keys beside it")

    # Reflective log

    def write_reflective_log(self, payload: dict[str, Any]) -> str:
        """Write a reflective log once; raise `LogExistsError`, or `LogInvalid` after quarantining the payload."""
        problems = self._logs.problems(payload)
        if problems:
            raise self._spilling.write("write_reflective_log", lambda tx: self._logs.quarantine(tx, payload, problems))

        def unit(tx: Tx) -> str:
            origin = self._recorder.open(tx, self._recorder.fresh_seed(), {"verb": "write_reflective_log"})
            return self._logs.write(tx, origin, payload)

        return self._spilling.write("write_reflective_log", unit)

    def read_reflective_log(self, log_id: str) -> dict[str, Any]:
        """Return a reflective log with its amendments and annotations; raise `NotFound`."""
        return self._world.store.read(lambda tx: self._logs.read(tx, log_id))

    def update_reflective_log(self, log_id: str, patch: dict[str, Any]) -> dict[str, Any]:
        """Append feedback, labels or tags; raise `ImmutableFieldError` for anything that is immutable."""
        return self._spilling.write("update_reflective_log", lambda tx: self._logs.annotate(tx, log_id, patch))

    def amend(self, log_id: str, author: str, changes: Any, effect: str) -> dict[str, Any]:
        """Write a correction beside a log; effect is `note`, `override_suggestion` or `revalidate`."""
        return self._spilling.write("amend", lambda tx: self._logs.amend(tx, log_id, author, changes, effect))

    def amendments(self, log_id: str) -> list[dict[str, Any]]:
        return self._world.store.read(lambda tx: self._logs.amendments(tx, log_id))

    def recent_logs(self, limit: int = 20) -> list[dict[str, Any]]:
        """The newest reflective logs, newest first."""
        return self._world.store.read(
            lambda tx: [self._logs.read(tx, columns["log_id"]) for columns in tx.logs.recent(limit)]
        )

    def quarantine_read(self, quarantine_id: str) -> dict[str, Any]:
        """Return what was quarantined and why."""
        return self._world.store.read(lambda tx: self._logs.quarantined(tx, quarantine_id))

    # Ledger

    def event(self, event_id: str, job_seed: str | None = None) -> list[dict[str, Any]]:
        """Return every event with this id (plain concatenation can make two), or only those of one seed."""
        try:
            wanted = bytes.fromhex(event_id)
        except (TypeError, ValueError):
            raise InvalidInput("an event_id is 64 hex characters") from None
        rows = self._world.store.read(lambda tx: tx.events.by_id(wanted))
        found = [row.fields(canon.loads(row.body)) for row in rows]
        return [event for event in found if job_seed is None or event["job_seed"] == job_seed]

    def events(self, stream: str) -> list[dict[str, Any]]:
        """All events of a stream (a job's id, or `system`), in order."""
        rows = self._world.store.read(lambda tx: tx.events.of_stream(stream))
        return [row.fields(canon.loads(row.body)) for row in rows]

    def verify(self, *, read_only: bool = False, progress: Progress | None = None) -> dict[str, Any]:
        """Check every byte of the record; put what is found on the record, unless `read_only`."""
        return self._verification.run(read_only=read_only or self._read_only, progress=progress)

    def attest(self, actor: str, statement: str) -> dict[str, Any]:
        """After an integrity failure: an admin's signed word on all present findings; the log goes on from there."""
        found = self.verify()
        return self._attestation.attest(actor, [item for item in found["findings"] if not item["attested"]], statement)

    def checkpoint(self) -> str:
        """Sign the tree's head, keep it outside the database as well, and return the signed note."""
        return self._proofs.publish()

    def public_key(self) -> str:
        """The verifier key that a stranger needs to check checkpoints and proofs."""
        return self._proofs.public_key()

    def prove_inclusion(self, event_id: str) -> dict[str, Any]:
        return self._proofs.inclusion(event_id)

    def prove_consistency(self, old_size: int, new_size: int) -> dict[str, Any]:
        return self._proofs.consistency(old_size, new_size)

    def export(self) -> Iterator[bytes]:
        """The whole log as lines that `mace log verify` can check anywhere."""
        size = self._world.store.read(lambda tx: tx.events.size())
        yield header_line(self._world.keys.log_name, size)
        read = self._world.store.read
        for rows in batches(lambda start, limit: read(lambda tx: tx.events.scan(start, limit)), size):
            for row in rows:
                yield event_line(row)

    def rotate_key(self) -> str:
        """Sign with a new HMAC key from now on; old signatures stay good."""
        key_id = self._world.keys.rotate()
        self._spilling.write(
            "rotate_key",
            lambda tx: self._recorder.append(tx, self._recorder.system(tx), "KEY_ROTATED", {"key_id": key_id}),
        )
        return key_id

    # Incidents

    def incidents(self) -> list[dict[str, Any]]:
        return self._world.store.read(self._incidents.all)

    def acknowledge_incident(self, incident_id: str, actor: str, totp: str | None = None) -> dict[str, Any]:
        """Note on the record that an admin has seen an incident."""
        return self._spilling.write(
            "acknowledge_incident", lambda tx: self._incidents.acknowledge(tx, incident_id, actor)
        )

    def lift_replay_halt(self, incident_id: str, actor: str) -> dict[str, Any]:
        """Let replays run again after the findings of an incident were attested."""
        return self._spilling.write(
            "lift_replay_halt",
            lambda tx: self._incidents.lift_halt(tx, incident_id, actor, attested_findings(tx)),
        )

    # Life

    def describe(self) -> dict[str, Any]:
        """What this MACE stands on, for `doctor`; no secrets."""
        size = self._world.store.read(lambda tx: tx.events.size())
        return {
            "system_version": self._world.system_version,
            "store": self._world.store.describe(),
            "log_name": self._world.keys.log_name,
            "events": size,
            "checkpoints_kept_in": self._world.shelf.place(),
            "spill_file": self._world.spill.place(),
            "spilled_waiting": len(self._world.spill.entries()),
            "hmac_keys": self._world.keys.key_ids(),
        }

    def close(self) -> None:
        """Publish a last checkpoint and let go of everything; closing twice is closing once."""
        if not self._closed:
            self._closed = True
            self._on_close()

    def __enter__(self) -> "Mace":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
