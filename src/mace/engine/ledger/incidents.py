"""Incidents and replay halts as they lie on the ledger. Who may do what is decided before it comes here."""

from collections.abc import Container
from contextlib import suppress
from typing import Any

from mace.core import canon, seeds
from mace.core.errors import NotFound, PreconditionFailed
from mace.core.times import iso_us
from mace.engine.kernel.bound import lenient
from mace.engine.kernel.recorder import Recorder
from mace.engine.kernel.world import World
from mace.ledger import records
from mace.ledger.findings import Finding
from mace.storage.ports import Record, Tx

_NEEDED = ("snapshot", "reflective_log")  # documents without which a job that names them cannot be replayed


class Incidents:
    """Opens, reads and acknowledges incidents, and lifts replay halts."""

    def __init__(self, world: World, recorder: Recorder) -> None:
        self._world = world
        self._recorder = recorder
        self._bound = lenient(world.keys)  # incidents are there for when things are damaged

    @staticmethod
    def id_of(kind: str, about: list[str]) -> str:
        """Return the id of an incident of this kind about these things."""
        return seeds.derived_uuid("incident", canon.hash_of({"about": sorted(about), "kind": kind}))

    def open(self, tx: Tx, *, kind: str, severity: str, summary: str, about: list[str], halts: list[str]) -> str:
        """Open an incident, alert the admins and halt replays of these streams.

        `snapshot/KEY` and `reflective_log/KEY` stand for the streams that name that document, `*` for all.
        """
        incident_id = self.id_of(kind, about)
        if self._bound.happened(tx, "incident", incident_id):
            return incident_id
        incident = {
            "incident_id": incident_id,
            "kind": kind,
            "severity": severity,
            "summary": summary,
            "about": sorted(about),
            "halts": halts,
            "created_at": iso_us(self._world.clock.now()),
        }
        record = records.make("incident", incident_id, incident, self._world.keys.sign)
        self._bound.add(tx, record)
        origin = self._recorder.system(tx)
        reference = records.reference(record)
        self._recorder.append(
            tx,
            origin,
            "INCIDENT_CREATED",
            {"incident_id": incident_id, "kind": kind, "severity": severity, "record": reference},
        )
        self._recorder.append(
            tx, origin, "ADMIN_ALERT", {"about": kind, "severity": severity, "incident_id": incident_id}
        )
        if halts:
            self._recorder.append(tx, origin, "FORCE_HALT_REPLAY", {"incident_id": incident_id, "streams": halts})
        return incident_id

    def about(self, tx: Tx, finding_id: str) -> str | None:
        """The incident that a recorded finding belongs to."""
        record = tx.records.get("quarantine", finding_id)
        named = self._bound.named(tx, "quarantine", finding_id)
        if record is None or named is None or self._bound.if_intact(tx, "quarantine", named) is None:
            return None
        return record.parent or None

    def all(self, tx: Tx) -> list[dict[str, Any]]:
        """Every incident that the ledger knows, oldest first."""
        keys = {named.key for named in self._bound.names(tx, "incident")}
        after = ""
        while rows := tx.records.scan("incident", after):  # and those whose events were damaged since
            keys |= {row.key for row in rows if records.is_signed(row, self._world.keys.check)}
            after = rows[-1].key
        found = [self._with_state(tx, key) for key in sorted(keys)]
        return sorted(found, key=lambda incident: (incident["created_at"], incident["incident_id"]))

    def get(self, tx: Tx, incident_id: str) -> dict[str, Any]:
        """Return an incident; raise `NotFound` if it does not exist."""
        if self._written(tx, incident_id) is None and not self._bound.happened(tx, "incident", incident_id):
            raise NotFound(what=f"incident {incident_id}")
        return self._with_state(tx, incident_id)

    def _written(self, tx: Tx, incident_id: str) -> dict[str, Any] | None:
        """What an incident says, if its row is what was signed: it is written once, so no older one can stand there."""
        record = tx.records.get("incident", incident_id)
        if record is None or not records.is_signed(record, self._world.keys.check):
            return None
        content: dict[str, Any] = canon.loads(record.body)
        return content

    def _with_state(self, tx: Tx, incident_id: str) -> dict[str, Any]:
        acknowledged = self._said(tx, "incident_ack", incident_id)
        lifted = self._said(tx, "unhalt", incident_id)
        incident = self._written(tx, incident_id) or {
            "incident_id": incident_id,
            "kind": "INTEGRITY_FAILURE",
            "severity": "critical",
            "summary": "the record of this incident was changed",
            "about": [],
            "halts": ["*"],  # whatever it halted, it must not be let go by changing a byte
            "created_at": "",
        }
        return {**incident, "acknowledged": acknowledged, "halting": bool(incident["halts"]) and lifted is None}

    def _said(self, tx: Tx, kind: str, incident_id: str) -> dict[str, Any] | None:
        """What was first said about an incident; what no event names, nobody said."""
        named = next(iter(self._bound.names(tx, kind, incident_id)), None)
        if named is None:
            return None
        said = {"incident_id": incident_id, "actor": named.signed_by, "at": named.at}
        return self._bound.if_intact(tx, kind, named) or said

    def acknowledge(self, tx: Tx, incident_id: str, actor: str) -> dict[str, Any]:
        """Note that an admin has seen it; doing so twice changes nothing."""
        tx.lock(f"incident/{incident_id}")
        if self.get(tx, incident_id)["acknowledged"] is None:
            record = self._say(tx, "incident_ack", incident_id, actor)
            self._recorder.append(
                tx,
                self._recorder.system(tx),
                "INCIDENT_ACK",
                {"incident_id": incident_id, "actor": actor, "record": records.reference(record)},
                signed_by=actor,
            )
        return self.get(tx, incident_id)

    def lift_halt(self, tx: Tx, incident_id: str, actor: str, attested: Container[str]) -> dict[str, Any]:
        """Let replays run again; only after everything the incident is about was attested."""
        tx.lock(f"incident/{incident_id}")
        incident = self.get(tx, incident_id)
        if incident["kind"] == "INTEGRITY_FAILURE" and not all(item in attested for item in incident["about"]):
            raise PreconditionFailed("attest the findings of this incident before its halt is lifted")
        if incident["halting"]:
            record = self._say(tx, "unhalt", incident_id, actor)
            self._recorder.append(
                tx,
                self._recorder.system(tx),
                "REPLAY_UNHALTED",
                {"incident_id": incident_id, "actor": actor, "record": records.reference(record)},
                signed_by=actor,
            )
        return self.get(tx, incident_id)

    def _say(self, tx: Tx, kind: str, incident_id: str, actor: str) -> Record:
        content = {"incident_id": incident_id, "actor": actor, "at": iso_us(self._world.clock.now())}
        key = f"{incident_id}/{self._recorder.fresh_seed()[:16]}"
        record = records.make(kind, key, content, self._world.keys.sign, parent=incident_id)
        self._bound.add(tx, record)
        return record

    def halting(self, tx: Tx, stream: str) -> str | None:
        """The incident that halts replays of this stream, if one does."""
        open_ones = [incident for incident in self.all(tx) if incident["halting"]]
        needed = _needed_by(tx, stream) if open_ones else set()
        for incident in open_ones:
            if not needed.isdisjoint(incident["halts"]):
                return str(incident["incident_id"])
        return None


def halted_by(finding: Finding) -> str:
    """What a finding makes unfit for replay: a stream, a document that jobs were decided on or left behind, or all."""
    where = finding.where
    if finding.kind == "PROJECTION_CHANGED":
        return "experience"  # no replay reads it: the events are what was lived through
    if "stream" in where:
        return str(where["stream"])
    if where.get("table") == "vault_blobs":
        return str(where.get("ref", "vault_blobs"))  # no job was decided on it, nor on the table as a whole
    if where.get("kind") in _NEEDED and where.get("key"):
        return f"{where['kind']}/{where['key']}"
    return "*"


def _needed_by(tx: Tx, stream: str) -> set[str]:
    """By what names a halt concerns this stream: its own, those of the documents its events name, and everybody's."""
    names = {"*", stream}
    for event in tx.events.of_stream(stream):
        with suppress(ValueError, LookupError, TypeError):  # what cannot be read here has a finding of its own
            record = canon.loads(event.body)["payload"]["record"]
            names.add(f"{record['kind']}/{record['key']}")
    return names
