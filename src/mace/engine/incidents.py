"""Incidents and replay halts as they lie on the ledger. Who may do what is decided before it comes here."""

from typing import Any

from mace.core import canon, seeds
from mace.core.errors import NotFound, PreconditionFailed
from mace.core.times import iso_us
from mace.engine.recorder import Recorder
from mace.engine.world import World
from mace.ledger import records
from mace.storage.ports import Tx


class Incidents:
    def __init__(self, world: World, recorder: Recorder) -> None:
        self._world = world
        self._recorder = recorder

    def open(self, tx: Tx, *, kind: str, severity: str, summary: str, about: list[str], halts: list[str]) -> str:
        """Open an incident, alert the admins and halt replays of these streams (`*` is all)."""
        incident_id = seeds.derived_uuid("incident", canon.hash_of({"about": sorted(about), "kind": kind}))
        held = tx.records.get("incident", incident_id)
        if held is not None:
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
        tx.records.add(record)
        for finding_id in about:
            link = records.make(
                "incident_about",
                finding_id,
                {"incident_id": incident_id},
                self._world.keys.sign,
                parent=incident_id,
            )
            if tx.records.get("incident_about", finding_id) is None:
                tx.records.add(link)
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
        """The incident that a finding belongs to."""
        link = tx.records.get("incident_about", finding_id)
        return None if link is None else str(canon.loads(link.body)["incident_id"])

    def all(self, tx: Tx) -> list[dict[str, Any]]:
        return [self._with_state(tx, canon.loads(row.body)) for row in tx.records.scan("incident", 0, 10_000)]

    def get(self, tx: Tx, incident_id: str) -> dict[str, Any]:
        record = tx.records.get("incident", incident_id)
        if record is None:
            raise NotFound(what=f"incident {incident_id}")
        return self._with_state(tx, canon.loads(record.body))

    @staticmethod
    def _with_state(tx: Tx, incident: dict[str, Any]) -> dict[str, Any]:
        key = incident["incident_id"]
        acknowledged = tx.records.get("incident_ack", key)
        lifted = tx.records.get("unhalt", key)
        return {
            **incident,
            "acknowledged": None if acknowledged is None else canon.loads(acknowledged.body),
            "halting": bool(incident["halts"]) and lifted is None,
        }

    def acknowledge(self, tx: Tx, incident_id: str, actor: str) -> dict[str, Any]:
        """Note that an admin has seen it; doing so twice changes nothing."""
        self.get(tx, incident_id)
        if tx.records.get("incident_ack", incident_id) is None:
            content = {"incident_id": incident_id, "actor": actor, "at": iso_us(self._world.clock.now())}
            record = records.make("incident_ack", incident_id, content, self._world.keys.sign, parent=incident_id)
            tx.records.add(record)
            self._recorder.append(
                tx,
                self._recorder.system(tx),
                "INCIDENT_ACK",
                {"incident_id": incident_id, "actor": actor, "record": records.reference(record)},
                signed_by=actor,
            )
        return self.get(tx, incident_id)

    def lift_halt(self, tx: Tx, incident_id: str, actor: str, attested: set[str]) -> dict[str, Any]:
        """Let replays run again; only after everything the incident is about was attested."""
        incident = self.get(tx, incident_id)
        if incident["kind"] == "INTEGRITY_FAILURE" and not set(incident["about"]) <= attested:
            raise PreconditionFailed("attest the findings of this incident before its halt is lifted")
        if incident["halting"]:
            content = {"incident_id": incident_id, "actor": actor, "at": iso_us(self._world.clock.now())}
            record = records.make("unhalt", incident_id, content, self._world.keys.sign, parent=incident_id)
            tx.records.add(record)
            self._recorder.append(
                tx,
                self._recorder.system(tx),
                "REPLAY_UNHALTED",
                {"incident_id": incident_id, "actor": actor, "record": records.reference(record)},
                signed_by=actor,
            )
        return self.get(tx, incident_id)

    def halting(self, tx: Tx, stream: str) -> str | None:
        """The incident that halts replays of this stream, if one does."""
        for incident in self.all(tx):
            if incident["halting"] and (stream in incident["halts"] or "*" in incident["halts"]):
                return str(incident["incident_id"])
        return None
