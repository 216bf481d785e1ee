"""Incidents that somebody or something reports: security, and services that were down; severity by fixed thresholds."""

from datetime import datetime
from typing import Any

from mace.core.errors import NotFound
from mace.core.times import iso_us
from mace.engine.governance.forensics import Forensics
from mace.engine.kernel.cleaning import check_words
from mace.engine.kernel.journal import SystemJournal, VerbJournal
from mace.engine.kernel.recorder import Recorder, check_seed
from mace.engine.kernel.world import World
from mace.engine.ledger.incidents import Incidents
from mace.governance import incidents as rules
from mace.governance.outages import DOWN, Outage
from mace.storage.ports import Tx

SECURITY = "SECURITY_INCIDENT"


class Reporting:
    """Opens incidents for security reports and for outages."""

    def __init__(self, world: World, recorder: Recorder, incidents: Incidents, forensics: Forensics) -> None:
        self._world = world
        self._recorder = recorder
        self._incidents = incidents
        self._forensics = forensics

    def security_incident(
        self,
        reason: str,
        jobs: list[str] | None = None,
        evidence: dict[str, Any] | None = None,
        job_seed: str | None = None,
    ) -> dict[str, Any]:
        """Put a security incident on the record, keep the evidence, and halt replays of the jobs it touches."""
        check_words(reason, "reason", 200)
        journal = VerbJournal(self._recorder, "security_incident", None if job_seed is None else check_seed(job_seed))

        def unit(tx: Tx) -> dict[str, Any]:
            halts = sorted(set(jobs or []))
            if any(tx.events.head(job) is None for job in halts):  # they stand on the ledger, so they must be ids
                raise NotFound(what="at least one of the jobs")
            journal.event(tx, SECURITY, {"reason": reason, "jobs": halts})
            kept = {"reason": reason, "jobs": halts, "evidence": evidence or {}}
            entry_id = self._forensics.put_evidence(tx, journal, f"{SECURITY}/{journal.stream}", kept, halts)
            incident_id = self._incidents.open(
                tx, kind=SECURITY, severity=rules.severity(SECURITY), summary=reason, about=[entry_id], halts=halts
            )
            return {"incident_id": incident_id, "evidence_id": entry_id, "job_seed": journal.job_seed}

        return self._world.store.write(unit)

    def outage(self, tx: Tx, service: str, since: datetime, until: datetime, failures: int = 1) -> str | None:
        """Open the incident of a service that was down; None when it was too short, and failed too seldom, for one."""
        over = Outage(since=since, failures=failures)
        down_ms, severity = over.down_ms(until), over.severity(until)
        if severity == rules.WARNING:
            return None
        event = {
            "service": service,
            "since": iso_us(since),
            "until": iso_us(until),
            "down_ms": down_ms,
            "failures": failures,
        }
        SystemJournal(self._recorder).event(tx, DOWN, event)
        return self._incidents.open(
            tx,
            kind=DOWN,
            severity=severity,
            summary=f"{service} was down for {down_ms} ms ({failures} failed)",
            about=[f"{service}/{iso_us(since)}"],
            halts=[],
        )
