"""The parts of governance and how they hang together: said here and nowhere else."""

from collections.abc import Callable
from dataclasses import dataclass, field

from mace.engine.facts.verbs import FactVerbs
from mace.engine.governance.accounts import Accounts
from mace.engine.governance.approvals import Approvals, Reviews
from mace.engine.governance.authority import Authority
from mace.engine.governance.bearers import Bearers
from mace.engine.governance.consents import Consents
from mace.engine.governance.dsr import SubjectRequests
from mace.engine.governance.erasing import Erasing
from mace.engine.governance.forensics import Forensics, Violations, WriteGate
from mace.engine.governance.reporting import Reporting
from mace.engine.governance.unredacted import Unredacted
from mace.engine.kernel.failures import Failures
from mace.engine.kernel.recorder import Recorder
from mace.engine.kernel.vault import Vault
from mace.engine.kernel.world import World
from mace.engine.ledger.incidents import Incidents
from mace.engine.ledger.logs import LogVerbs
from mace.engine.ledger.proofs import Proofs
from mace.governance.approvals import ApprovalRules
from mace.providers.ports import Box, SecondFactor


@dataclass(frozen=True, slots=True, kw_only=True)
class GovernanceDeps:
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
        chosen: GovernanceDeps,
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
