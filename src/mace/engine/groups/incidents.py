"""`m.incidents`: incidents, acknowledgements and replay halts."""

from typing import Annotated, TypeAlias, cast

from mace.core.answers import IncidentReported, IncidentView, Json, LiftHaltAnswer, ViolationReported
from mace.engine.arguments import Id, Ids, Line, Object
from mace.engine.groups.base import Group, called
from mace.engine.verbs import verb

Evidence = Annotated[dict[str, Json], Object()]


_IncidentViews: TypeAlias = list[IncidentView]  # `list` is a verb below


class IncidentsGroup(Group):
    """Incidents and the replay halts they cause."""

    def __call__(self) -> _IncidentViews:
        """All incidents; use `list()`."""
        called("incidents", "list()")
        return self.list()

    @verb("incidents.list")
    def list(self) -> _IncidentViews:
        """Every incident, oldest first."""
        return cast(_IncidentViews, self._parts.world.store.read(self._parts.incidents.all))

    @verb("incidents.show")
    def show(self, incident_id: Id) -> IncidentView:
        """One incident; raise `NotFound`."""
        incidents = self._parts.incidents
        return cast(IncidentView, self._parts.world.store.read(lambda tx: incidents.get(tx, incident_id)))

    @verb("incidents.report")
    def report(self, reason: Line, *, jobs: Ids | None = None, evidence: Evidence | None = None) -> IncidentReported:
        """Put a security incident on the record, keep the evidence, and halt replays of the jobs it touches."""
        reported = self._parts.reporting.security_incident(reason, None if jobs is None else [*jobs], evidence)
        return cast(IncidentReported, reported)

    @verb("incidents.report_violation")
    def report_violation(
        self, module_id: Id, rule: Line, *, evidence: Evidence | None = None, job_seed: Line | None = None
    ) -> ViolationReported:
        """Take a module offline that broke the policy, with its writes blocked and the evidence kept."""
        speaker = self._parts.callers.speaker(self._caller)
        return cast(ViolationReported, self._parts.violations.report(module_id, rule, evidence, job_seed, speaker))

    @verb("incidents.acknowledge")
    def acknowledge(self, incident_id: Id) -> IncidentView:
        """Note on the record that you have seen an incident. Idempotent."""
        return cast(IncidentView, self._parts.authority.acknowledge(incident_id, self._by))

    @verb("incidents.lift_halt")
    def lift_halt(self, incident_id: Id) -> LiftHaltAnswer:
        """Let replays run again after an incident's findings were attested; where there is a council, ask it."""
        return cast(LiftHaltAnswer, self._parts.authority.lift_halt(incident_id, self._caller))
