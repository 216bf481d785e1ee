"""Replay: the job's own program on the recorded effects, every event compared byte for byte.

The job's kind selects the program, and `job.play` plays it as it does live; here are only the checks before it (is the
record what was signed) and the names of what can come out. It never calls a model or a tool and never writes to memory.
What it finds broken goes onto the ledger as any other integrity failure does, and halts further replays until an admin
has attested it.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

from mace.agents.rules import UnknownRule
from mace.core import canon
from mace.core.errors import IntegrityFailure, NotFound, ServiceUnavailable, StorageFull
from mace.core.events import StoredEvent
from mace.engine.kernel import trees
from mace.engine.kernel.bound import lenient
from mace.engine.kernel.job import NoHands, NoProgram, Opened, Program, play
from mace.engine.kernel.job_ledger import JobLedger
from mace.engine.kernel.recorder import origin_of
from mace.engine.kernel.reels import Halted, ReplayReel
from mace.engine.kernel.tape import Diverged, ReplayTape, Unreadable
from mace.engine.kernel.vault import Vault
from mace.engine.kernel.world import World
from mace.engine.ledger.incidents import Incidents
from mace.engine.ledger.logs import LogVerbs
from mace.engine.questions.replay_record import Kept, Mismatch, ReplayRecord, Stopped, StoredParts
from mace.ledger import records
from mace.ledger.findings import Finding, changed_event, changed_record, missing_record
from mace.ledger.jobs import DURABLE, JobTold, finding_of
from mace.ledger.verify import EventWalk
from mace.storage.ports import JobRow, Record, Tx

_ENDS = frozenset({"closed", "failed", "cancelled"})

RESULTS = (
    "MATCH",
    "INTEGRITY_FAILURE",
    "MISSING_SNAPSHOT",
    "MISSING_PERSISTED_AGENT_OUTPUT",
    "REPLAY_DIVERGENCE",
    "RESULT_MISMATCH",
    "INPUT_ERASED",
    "REPLAY_HALTED",
    "NO_PROGRAM",
)


class Replays:
    """Replays jobs from their record and compares every event."""

    def __init__(
        self,
        world: World,
        vault: Vault,
        logs: LogVerbs,
        incidents: Incidents,
        programs: Mapping[str, Program],
        record_findings: Callable[[list[Finding]], str | None],
    ) -> None:
        self._world = world
        self._vault = vault
        self._jobs = JobLedger(world.keys)
        self._bound = lenient(world.keys)
        self._stored = StoredParts(world, vault, logs)
        self._incidents = incidents
        self._programs = programs
        self._record_findings = record_findings

    def replay(self, job_id: str) -> dict[str, Any]:
        """Play a job again; `{result, job_id, first_difference}`."""
        incident_id = None
        try:
            incident_id = self._world.store.read(lambda tx: self._halting(tx, job_id))
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
        except NoProgram as error:
            result, difference = "NO_PROGRAM", error.to_json()
        except UnknownRule as error:
            result, difference = "REPLAY_DIVERGENCE", {**error.to_json(), **self._versions(job_id)}
        except Unreadable as error:
            result = "INPUT_ERASED" if error.erased else "MISSING_PERSISTED_AGENT_OUTPUT"
            difference = {"missing": error.what}
        return {"result": result, "job_id": job_id, "first_difference": difference, "incident_id": incident_id}

    def _halting(self, tx: Tx, job_id: str) -> str | None:
        """What halts the replay of a job: whatever halts it or one of its branches."""
        told = self._jobs.told(tx, job_id)
        streams = [job_id] if told is None else trees.streams(tx, told.tree)
        return next((held for stream in streams if (held := self._incidents.halting(tx, stream)) is not None), None)

    def _recorded(self, findings: list[Finding]) -> str | None:
        """Put what is broken on the ledger; where nothing can be written it is only told."""
        try:
            return self._record_findings(findings)
        except (ServiceUnavailable, StorageFull):
            return None

    def _difference(self, job_id: str, error: Diverged | Mismatch) -> dict[str, Any]:
        return {
            "sequence_index": error.index,
            "stored": error.stored,
            "replayed": error.replayed,
            **_told_by(error),
            **self._versions(job_id),
        }

    def _versions(self, job_id: str) -> dict[str, Any]:
        return {"system_version_stored": self._wrote(job_id), "system_version_now": self._world.system_version}

    def _wrote(self, job_id: str) -> str | None:
        """Which version of MACE answered."""

        def look(tx: Tx) -> str | None:
            for row in tx.events.of_stream(job_id):
                if row.event_type == "SNAPSHOT_TAKEN":
                    record = tx.records.get("snapshot", canon.loads(row.body)["payload"]["snapshot"])
                    return None if record is None else str(canon.loads(record.body)["system_version"])
            return None

        return self._world.store.read(look)

    def _play(self, job_id: str) -> None:
        opened, others = self._opened(job_id, ended=True)
        kind, root = opened.told.kind, opened.told.stream
        program = self._programs.get(kind)
        if others and program is None:
            raise Stopped("INTEGRITY_FAILURE", others[0].shown(), others)
        if program is None:
            raise Stopped("NO_PROGRAM", {"kind": kind, "known_kinds": sorted(self._programs)})
        events, origin = opened.events[root], origin_of(opened.events[root][0])
        used = {root}

        def stored(stream: str) -> list[StoredEvent]:
            used.add(stream)
            return opened.events.get(stream, [])

        tape: ReplayTape
        if kind in DURABLE:
            tape = ReplayReel(
                self._world, self._vault, origin, events, opened.start, opened.data_key, opened.blob, stored
            )
        else:
            tape = ReplayTape(self._world, self._vault, origin, events, opened.start, opened.data_key, opened.blob)
        tape.event("SNAPSHOT_TAKEN", opened.snapshot_event)
        record = ReplayRecord(self._world, self._stored, tape)
        try:
            play(program, tape, canon.loads(opened.received), opened.snapshot, NoHands(), record)
        except Halted as halted:
            raise halted.cause from None
        left = sorted(set(opened.events) - used)
        if left:
            raise Stopped("REPLAY_DIVERGENCE", {"branches": left, **self._versions(job_id)})
        if others:  # all was the same: then it is not the events that were changed
            raise Stopped("INTEGRITY_FAILURE", others[0].shown(), others)

    def opened(self, job_id: str) -> Opened:
        """A job that is taken up again, every part of it checked as a replay checks it."""
        try:
            opened, others = self._opened(job_id, ended=False)
        except Stopped as stop:
            raise IntegrityFailure(f"the record of job {job_id} is {stop.result}") from None
        if others:
            raise IntegrityFailure(f"a part of job {job_id} is not what its event says")
        return opened

    def _opened(self, job_id: str, *, ended: bool) -> tuple[Opened, list[Finding]]:
        """A stored job and its branches; also those parts that are not what their event says."""
        told, events = self._load(job_id, ended=ended)
        root = told.stream
        streams = {root: events}
        for stream in self._world.store.read(lambda tx: trees.streams(tx, root))[1:]:
            rows = self._world.store.read(lambda tx, stream=stream: tx.events.of_stream(stream))  # type: ignore[misc]
            self._check_chain(stream, rows, ends=ended)
            streams[stream] = rows
        for rows in streams.values():
            self._check_consents(rows)
        start, snapshot = self._snapshot(events)
        data_key = self._world.store.read(lambda tx: self._stored.data_key(tx, root))
        kept = Kept(self._stored.blob)
        received, others = self._stored.open_all(root, events, data_key, kept)
        for stream, rows in streams.items():
            if stream != root:
                others += self._stored.open_branch(stream, rows, data_key, root, kept)
        opened = Opened(
            told=told,
            events=streams,
            start=start,
            snapshot=canon.loads(snapshot.body),
            snapshot_event={"snapshot": snapshot.key, "record": records.reference(snapshot)},
            received=received,
            data_key=data_key,
            blob=kept.blob,
        )
        return opened, others

    def _load(self, job_id: str, *, ended: bool) -> tuple[JobTold, list[StoredEvent]]:
        """A job and the events of its own stream; its row must be what they tell."""

        def look(tx: Tx) -> tuple[JobRow | None, JobTold | None, Finding | None, list[StoredEvent]]:
            told = self._jobs.told(tx, job_id)
            root = job_id if told is None else told.tree  # a branch is played with the whole job
            row, told = tx.jobs.get(root), self._jobs.told(tx, root)
            if told is not None and told.status not in _ENDS and self._jobs.is_erased(tx, root):
                raise Unreadable("the key of the job", erased=True)
            if told is not None:
                told = replace(told, status=self._jobs.status(tx, told))
            person = None if told is None else self._jobs.known_person(tx, told)
            return row, told, finding_of(row, told, person, root), tx.events.of_stream(root)

        row, told, wrong, events = self._world.store.read(look)
        if row is None and told is None:
            raise NotFound(what=f"job {job_id}")
        is_closed = row is not None and row.status in _ENDS
        status = row.status if row is not None and is_closed else told.status if told is not None else "unknown"
        if ended and not (status in _ENDS or self._counts(wrong)):
            raise Stopped("MISSING_PERSISTED_AGENT_OUTPUT", {"missing": f"the end of the job, which is {status}"})
        if ended and status == "cancelled" and not any(row.event_type == "JOB_CLOSED" for row in events):
            raise Stopped("MISSING_PERSISTED_AGENT_OUTPUT", {"missing": "the end of the job, which is cancelled"})
        self._check_chain(job_id if told is None else told.stream, events, ends=ended and status in _ENDS)
        if wrong is not None and self._counts(wrong):
            raise Stopped("INTEGRITY_FAILURE", wrong.shown(), [wrong])
        if told is None:
            raise NotFound(what=f"job {job_id}")
        return told, events

    def _check_consents(self, events: list[StoredEvent]) -> None:
        """A job that used a consent needs it on the record: given, whether or not it is still in force."""
        used = [canon.loads(row.body)["payload"] for row in events if row.event_type == "PII_CONSENT"]
        wanted = sorted({said["consent_id"] for said in used if said.get("action") == "used"})

        def lost(tx: Tx) -> list[Finding]:
            rows = [(consent_id, self._bound.named(tx, "consent", consent_id)) for consent_id in wanted]
            gone = [key for key, named in rows if named is None or self._bound.if_intact(tx, "consent", named) is None]
            return [_lost_record(tx, "consent", key) for key in gone]

        found = [item for item in (self._world.store.read(lost) if wanted else []) if self._counts(item)]
        if found:
            raise Stopped("INTEGRITY_FAILURE", found[0].shown(), found)

    def _counts(self, finding: Finding | None) -> bool:
        return finding is not None and not self._is_attested(finding)

    def _check_chain(self, job_id: str, events: list[StoredEvent], *, ends: bool) -> None:
        """Every row that is used must be what was signed, and none may be gone, the last one included."""
        findings = []
        if ends and not any(row.event_type == "JOB_CLOSED" for row in events):
            where = {"table": "events", "stream": job_id, "event_type": "JOB_CLOSED"}
            findings.append(Finding("ROW_MISSING", where, f"the end of job {job_id} is gone"))
        rows = {row.sequence_index: row for row in events}
        walk = EventWalk(
            check=self._world.keys.check,
            trust=lambda: self._world.keys.trust,
            counts_at=self._world.keys.counts_at,
            hash_before=lambda _stream, index: (rows[index].position, rows[index].hash) if index in rows else None,
            checkpoints=(),
        )
        for row in events:
            walk.expected = row.position  # other streams lie between
            findings += list(walk.feed([row]))
        findings += [
            changed_event("ORDER_CHANGED", row, f"event {row.sequence_index} of stream {job_id}")
            for before, row in pairwise(events)
            if before.position >= row.position
        ]
        if any(item.kind != "BAD_SIGNATURE" or not self._is_attested(item) for item in findings):
            raise Stopped("INTEGRITY_FAILURE", findings[0].shown(), findings)

    def _is_attested(self, finding: Finding) -> bool:
        return self._world.store.read(lambda tx: self._stored.is_attested(tx, finding))

    def _snapshot(self, events: list[StoredEvent]) -> tuple[int, Record]:
        """The snapshot the job was decided on, and where in the stream it stands."""
        for at, row in enumerate(events):
            if row.event_type == "SNAPSHOT_TAKEN":
                said = canon.loads(row.body)["payload"]
                look = partial(self._stored.snapshot, digest=said["snapshot"], named=said["record"]["hash"])
                return at, self._world.store.read(look)
        raise Stopped("MISSING_SNAPSHOT", {"snapshot": None})


def _told_by(error: Diverged | Mismatch) -> dict[str, Any]:
    """Of a program: the call where it differs, the one before it, and what of its request differs."""
    if isinstance(error, Mismatch):
        return {}
    told = {"call": error.call, "differs": error.differs, "after": error.after}
    return {name: value for name, value in told.items() if value is not None}


def _lost_record(tx: Tx, kind: str, key: str) -> Finding:
    row = tx.records.get(kind, key)
    return missing_record(kind, key) if row is None else changed_record(row)
