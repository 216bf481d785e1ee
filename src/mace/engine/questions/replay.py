"""Replay: the same code on the recorded effects, every event compared byte for byte.

It never calls a model or a tool and never writes to memory. What it finds broken goes onto the ledger as any other
integrity failure does, and halts further replays until an admin has attested it.
"""

from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Any

from mace.agents.asking import Agent
from mace.agents.council import CouncilRules
from mace.agents.health import HealthRules
from mace.core import canon
from mace.core.errors import Erased, IntegrityFailure, NotFound, ServiceUnavailable, StorageFull
from mace.core.events import StoredEvent
from mace.engine.kernel.recorder import origin_of
from mace.engine.kernel.tape import Diverged, ReplayTape, Unreadable
from mace.engine.kernel.vault import Vault
from mace.engine.kernel.world import World
from mace.engine.ledger.incidents import Incidents
from mace.engine.ledger.logs import LogVerbs
from mace.engine.ledger.proofs import Proofs
from mace.engine.questions.results import closing, log_payload, result_of
from mace.engine.questions.turn import Turn, TurnRules, sem_snapshot, snapshot_hash
from mace.ledger import records, reflective
from mace.ledger.findings import Finding, missing_key
from mace.ledger.verify import EventWalk
from mace.storage.ports import Record, Tx

RESULTS = (
    "MATCH",
    "INTEGRITY_FAILURE",
    "MISSING_SNAPSHOT",
    "MISSING_PERSISTED_AGENT_OUTPUT",
    "REPLAY_DIVERGENCE",
    "RESULT_MISMATCH",
    "INPUT_ERASED",
    "REPLAY_HALTED",
)


class Stopped(Exception):
    """Replay cannot go on; `result` is one of RESULTS."""

    def __init__(self, result: str, difference: Any = None, findings: list[Finding] | None = None) -> None:
        super().__init__(result)
        self.result = result
        self.difference = difference
        self.findings = findings or []


class Mismatch(Exception):
    """Every step was the same, and yet the record tells another result."""

    def __init__(
        self, index: int, stored: dict[str, Any] | None, replayed: dict[str, Any] | None, about: dict[str, Any]
    ) -> None:
        super().__init__("another result")
        self.index = index
        self.stored = stored
        self.replayed = replayed
        self.about = about


class Replays:
    """Replays jobs from their record and compares every event."""

    def __init__(
        self,
        world: World,
        vault: Vault,
        logs: LogVerbs,
        incidents: Incidents,
        agents: Mapping[str, Agent],
        record_findings: Callable[[list[Finding]], str | None],
    ) -> None:
        self._world = world
        self._vault = vault
        self._logs = logs
        self._incidents = incidents
        self._record_findings = record_findings
        self.agents = agents

    def replay(self, job_id: str) -> dict[str, Any]:
        """Play a job again; `{result, job_id, first_difference}`."""
        incident_id = None
        try:
            incident_id = self._world.store.read(lambda tx: self._incidents.halting(tx, job_id))
            if incident_id is not None:
                raise Stopped("REPLAY_HALTED", {"incident_id": incident_id})
            self._play(job_id)
            result, difference = "MATCH", None
        except Stopped as stop:
            result, difference = stop.result, stop.difference
            if stop.findings:
                incident_id = self._recorded(stop.findings)
        except Diverged as error:
            result, difference = "REPLAY_DIVERGENCE", self._difference(job_id, error)
        except Mismatch as error:
            result, difference = "RESULT_MISMATCH", {**self._difference(job_id, error), **error.about}
        except Unreadable as error:
            result = "INPUT_ERASED" if error.erased else "MISSING_PERSISTED_AGENT_OUTPUT"
            difference = {"missing": error.what}
        return {"result": result, "job_id": job_id, "first_difference": difference, "incident_id": incident_id}

    def _recorded(self, findings: list[Finding]) -> str | None:
        """Put what is broken on the ledger; where nothing can be written it is only told."""
        try:
            return self._record_findings(findings)
        except (ServiceUnavailable, StorageFull):
            return None

    def _difference(self, job_id: str, error: "Diverged | Mismatch") -> dict[str, Any]:
        return {
            "sequence_index": error.index,
            "stored": error.stored,
            "replayed": error.replayed,
            "system_version_stored": self._wrote(job_id),
            "system_version_now": self._world.system_version,
        }

    def _wrote(self, job_id: str) -> str | None:
        """Which version of MACE answered."""
        for row in self._world.store.read(lambda tx: tx.events.of_stream(job_id)):
            if row.event_type == "SNAPSHOT_TAKEN":
                record = self._kept_snapshot(canon.loads(row.body)["payload"]["snapshot"])
                return None if record is None else str(canon.loads(record.body)["system_version"])
        return None

    def _play(self, job_id: str) -> None:
        events = self._load(job_id)
        self._check_chain(job_id, events)
        start, snapshot = self._snapshot(events)
        data_key, blob = self._open(job_id)
        received = blob("input")
        if received is None:
            raise Unreadable("the input of the job", erased=False)
        tape = ReplayTape(self._world, self._vault, origin_of(events[0]), events, start, data_key, self._raw)
        tape.event("SNAPSHOT_TAKEN", {"snapshot": snapshot.key, "record": records.reference(snapshot)})
        content = canon.loads(snapshot.body)
        parsed = canon.loads(received)
        turn = Turn(
            tape,
            parsed,
            content,
            _rules(content["constants"]),
            self.agents,
            None,
            lambda step, _limit: step(),
            lambda: 0.0,
        )
        heard = turn.run()
        total = tape.observe("total_ms", lambda: 0)
        sem = sem_snapshot(heard.facts_read)
        version = content["system_version"]
        payload = log_payload(tape, parsed, heard, total, snapshot_hash(sem), version)
        result = result_of(tape, parsed, heard)
        self._compare_sem_snapshot(tape, sem)
        self._compare_log(tape, payload)
        self._compare_closing(tape, closing(tape, result))

    def _load(self, job_id: str) -> list[StoredEvent]:
        def look(tx: Tx) -> list[StoredEvent]:
            job = tx.jobs.get(job_id)
            if job is None:
                raise NotFound(what=f"job {job_id}")
            if job.status != "closed":
                raise Stopped(
                    "MISSING_PERSISTED_AGENT_OUTPUT", {"missing": f"the end of the job, which is {job.status}"}
                )
            return tx.events.of_stream(job_id)

        return self._world.store.read(look)

    def _check_chain(self, job_id: str, events: list[StoredEvent]) -> None:
        """Every row that is used must be what was signed, and none may be gone, the last one included."""
        findings = []
        if not any(row.event_type == "JOB_CLOSED" for row in events):
            where = {"table": "events", "stream": job_id, "event_type": "JOB_CLOSED"}
            findings.append(Finding("ROW_MISSING", where, f"the end of job {job_id} is gone"))
        rows = {row.sequence_index: row for row in events}
        walk = EventWalk(
            check=self._world.keys.check,
            hash_before=lambda _stream, index: (rows[index].position, rows[index].hash) if index in rows else None,
            checkpoints=(),
        )
        for row in events:
            walk.expected = row.position  # other streams lie between
            findings += list(walk.feed([row]))
        if any(item.kind != "BAD_SIGNATURE" or not self._is_attested(item) for item in findings):
            raise Stopped("INTEGRITY_FAILURE", findings[0].shown(), findings)

    def _snapshot(self, events: list[StoredEvent]) -> tuple[int, Record]:
        """The snapshot the job was decided on, and where in the stream it stands."""
        for at, row in enumerate(events):
            if row.event_type == "SNAPSHOT_TAKEN":
                payload = canon.loads(row.body)["payload"]
                record = self._kept_snapshot(payload["snapshot"])
                if record is None:
                    raise Stopped("MISSING_SNAPSHOT", {"snapshot": payload["snapshot"]})
                self._check_snapshot(record, payload["record"]["hash"])
                return at, record
        raise Stopped("MISSING_SNAPSHOT", {"snapshot": None})

    def _kept_snapshot(self, digest: str) -> Record | None:
        return self._world.store.read(lambda tx: tx.records.get("snapshot", digest))

    def _check_snapshot(self, record: Record, named: str) -> None:
        is_named = sha256(record.body).hexdigest() == named
        if is_named and records.is_signed(record, self._world.keys.check):
            return
        finding = Finding(
            "RECORD_CHANGED",
            {"table": "records", "kind": "snapshot", "key": record.key},
            f"snapshot {record.key} is not what was signed",
            {"body": record.body.hex(), "parent": record.parent, "signature": record.signature},
        )
        if not (is_named and self._is_attested(finding)):
            raise _broken(finding)

    def _is_attested(self, finding: Finding) -> bool:
        """An admin's word stands in for a lost signature, never for lost content."""
        return finding.finding_id in self._world.store.read(Proofs(self._world).attested).findings

    def _open(self, job_id: str) -> tuple[bytes, Callable[[str], bytes | None]]:
        ref = f"job/{job_id}"

        def key(tx: Tx) -> bytes:
            try:
                return self._vault.open_key(tx, ref)
            except IntegrityFailure:
                raise _broken(self._changed_key(tx, ref)) from None
            except Erased:
                raise Unreadable("the key of the job", erased=True) from None

        return self._world.store.read(key), lambda name: self._raw(f"{name}/{job_id}")

    def _changed_key(self, tx: Tx, ref: str) -> Finding:
        """The row of keys that was changed or is gone: this one, or the one above it."""
        held = tx.vault.key(ref)
        if held is None:
            return missing_key(ref)
        parent, stored = held
        if self._vault.is_intact(ref, parent, stored) and parent:
            return self._changed_key(tx, parent)
        evidence = {"parent": parent, "sha256": sha256(stored).hexdigest()}
        where = {"table": "vault_keys", "ref": ref}
        return Finding("KEY_UNREADABLE", where, f"key {ref} is not as it was made", evidence)

    def _raw(self, ref: str) -> bytes | None:
        try:
            return self._world.store.read(lambda tx: self._vault.blob(tx, ref))
        except (Erased, IntegrityFailure):
            job = ref.rpartition("/")[2]
            where = {"table": "vault_blobs", "ref": ref, "stream": job}
            raise _broken(Finding("RECORD_CHANGED", where, f"{ref} is not what was sealed")) from None

    def _compare_sem_snapshot(self, tape: ReplayTape, sem: dict[str, Any]) -> None:
        digest = snapshot_hash(sem)
        event = tape.peek()
        if event is None or event["event_type"] != "SNAPSHOT_TAKEN" or event["payload"]["snapshot"] != digest:
            raise Diverged(tape.index, event, {"event_type": "SNAPSHOT_TAKEN", "snapshot": digest})
        record = self._kept_snapshot(digest)
        if record is None:
            raise Stopped("MISSING_SNAPSHOT", {"snapshot": digest})
        self._check_snapshot(record, digest)
        tape.event("SNAPSHOT_TAKEN", {"snapshot": digest, "record": records.reference(record)})

    def _compare_log(self, tape: ReplayTape, payload: dict[str, Any]) -> None:
        """The log's texts are sealed with fresh nonces: compare what they say, then take the stored hash."""
        log_id = payload["log_id"]
        event = tape.peek()
        if event is None or event["event_type"] != "REFLECTIVE_LOG_WRITTEN":
            raise Diverged(tape.index, event, {"event_type": "REFLECTIVE_LOG_WRITTEN"})
        stored = self._world.store.read(lambda tx: self._log(tx, log_id, event["payload"]["record"]["hash"]))
        differing = [name for name in payload if canon.dumps(stored[name]) != canon.dumps(payload[name])]
        long_texts = [name for name in differing if name == "agent_outputs" and _same_beginnings(stored, payload)]
        if set(differing) - set(long_texts):
            raise Mismatch(tape.index, event, None, {"fields": differing, "log_id": log_id})
        tape.event("REFLECTIVE_LOG_WRITTEN", {"log_id": log_id, "record": event["payload"]["record"]})

    def _log(self, tx: Tx, log_id: str, named: str) -> dict[str, Any]:
        columns = tx.logs.get(log_id)
        if columns is None:
            raise Unreadable(f"reflective log {log_id}", erased=False)
        digest = sha256(reflective.signed_bytes(columns))
        is_named = digest.hexdigest() == named
        if not (is_named and self._world.keys.check(digest.digest(), columns["signature"])):
            where = {"table": "reflective_log_stage0", "kind": "reflective_log", "key": log_id}
            evidence = {"row": {name: str(value) for name, value in columns.items()}}
            finding = Finding("RECORD_CHANGED", where, f"reflective_log {log_id} is not what was signed", evidence)
            if not (is_named and self._is_attested(finding)):
                raise _broken(finding)
        return self._logs.read(tx, log_id)

    @staticmethod
    def _compare_closing(tape: ReplayTape, payload: dict[str, Any]) -> None:
        """All that led to it was the same; now the result must be, too."""
        event = tape.peek()
        if event is not None and event["event_type"] == "JOB_CLOSED" and event["payload"] != payload:
            raise Mismatch(tape.index, event, {"event_type": "JOB_CLOSED", "payload": payload}, {})
        tape.event("JOB_CLOSED", payload)


def _broken(finding: Finding) -> Stopped:
    return Stopped("INTEGRITY_FAILURE", finding.shown(), [finding])


def _same_beginnings(stored: Mapping[str, Any], payload: Mapping[str, Any]) -> bool:
    """Over-long texts lie in artifacts; the log has their beginning."""
    pairs = zip(stored["agent_outputs"], payload["agent_outputs"], strict=False)
    return len(stored["agent_outputs"]) == len(payload["agent_outputs"]) and all(
        again["text"].startswith(kept["text"]) for kept, again in pairs
    )


def _rules(constants: Mapping[str, Any]) -> TurnRules:
    return TurnRules(
        agent_timeout_ms=constants["agent_timeout_ms"],
        max_query_length=constants["max_query_length"],
        council=CouncilRules(**constants["council"]),
        health=HealthRules(**constants["health"]),
    )
