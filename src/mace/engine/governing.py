"""The parts of governance and how they hang together: said here and nowhere else."""

from collections.abc import Callable
from dataclasses import dataclass, field

from mace.engine.accounts import Accounts, SecondFactor
from mace.engine.approving import Approvals, Reviews
from mace.engine.authority import Authority
from mace.engine.bearers import Bearers
from mace.engine.consents import Consents
from mace.engine.dsr import SubjectRequests
from mace.engine.erasing import Erasing
from mace.engine.facts import FactVerbs
from mace.engine.failures import Failures
from mace.engine.forensics import Box, Forensics, Violations, WriteGate
from mace.engine.incidents import Incidents
from mace.engine.logs import LogVerbs
from mace.engine.proofs import Proofs
from mace.engine.recorder import Recorder
from mace.engine.reporting import Reporting
from mace.engine.unredacted import Unredacted
from mace.engine.vault import Vault
from mace.engine.world import World
from mace.governance.approvals import ApprovalRules


@dataclass(frozen=True, slots=True, kw_only=True)
class Governed:
    """What wiring chose for governance. `embedded`: a directory with an owner, who is its admin."""

    factor: SecondFactor
    box: Box
    policy_text: str
    embedded: bool
    scrub: Callable[[], None]
    approval_rules: ApprovalRules = field(default_factory=ApprovalRules)


class Governance:
    def __init__(
        self,
        world: World,
        recorder: Recorder,
        vault: Vault,
        facts: FactVerbs,
        failures: Failures,
        incidents: Incidents,
        logs: LogVerbs,
        proofs: Proofs,
        chosen: Governed,
    ) -> None:
        self.accounts = Accounts(world, recorder, vault, chosen.factor, embedded=chosen.embedded)
        self.bearers = Bearers(world, self.accounts)
        self.approvals = Approvals(world, recorder, self.accounts, chosen.approval_rules)
        self.reviews = Reviews(world, recorder, self.approvals, logs)
        self.consents = Consents(world, recorder, vault, self.approvals)
        self.forensics = Forensics(world, recorder, vault, self.accounts, chosen.box)
        self.unredacted = Unredacted(world, vault, self.accounts, self.forensics, logs)
        self.violations = Violations(world, recorder, incidents, self.forensics, self.approvals)
        self.reporting = Reporting(world, recorder, incidents, self.forensics)
        self.gate = WriteGate(self.consents, self.violations)
        self.requests = SubjectRequests(world, recorder, vault, failures, self.accounts, self.approvals, self.consents)
        self.erasing = Erasing(
            world,
            recorder,
            vault,
            facts,
            self.accounts,
            self.approvals,
            self.forensics,
            self.consents,
            scrub=chosen.scrub,
            needs_forensic_key=not chosen.embedded,
        )
        self.authority = Authority(
            world,
            recorder,
            self.accounts,
            self.approvals,
            incidents,
            lambda tx: set(proofs.attested(tx).findings),
            chosen.policy_text,
        )
