"""The parts of an open MACE, each built when first used.

Opening must be quick: reading one fact needs neither the agents nor the detectors nor the verifier. So a part imports
what it needs when it is asked for, and is then kept.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from mace.engine.kernel.recorder import Recorder
from mace.engine.kernel.spilling import Spilling
from mace.engine.kernel.vault import Vault
from mace.engine.kernel.world import World

if TYPE_CHECKING:
    from mace.agents.asking import Agent
    from mace.engine.context.verbs import ContextVerbs
    from mace.engine.experience.parts import ExperienceDeps, ExperienceParts
    from mace.engine.experience.service import ExperienceService
    from mace.engine.experience.work import ExperienceWork
    from mace.engine.facts.imports import FactImport
    from mace.engine.facts.queued import QueuedWrites
    from mace.engine.facts.verbs import FactVerbs
    from mace.engine.governing import Governance, GovernanceDeps
    from mace.engine.kernel.failures import Failures
    from mace.engine.kernel.spilling import Outage
    from mace.engine.ledger.attestation import Attestation
    from mace.engine.ledger.incidents import Incidents
    from mace.engine.ledger.logs import LogVerbs
    from mace.engine.ledger.proofs import Proofs
    from mace.engine.ledger.verification import Verification
    from mace.engine.questions.ask import Questions
    from mace.engine.questions.modules import Modules
    from mace.engine.questions.replay import Replays
    from mace.engine.questions.turn import TurnRules
    from mace.engine.sweep import Sweep
    from mace.memory.aliases import Target
    from mace.memory.context import StoreReader
    from mace.memory.facts import FactRules
    from mace.storage.ports import Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class LazyDeps:
    """What wiring chose, each made when it is needed."""

    rules: "Callable[[], TurnRules]"
    packaged_aliases: "Callable[[], dict[str, Target]]"
    agents: "Callable[[], Mapping[str, Agent]]"
    starter_facts: Callable[[], list[str]]
    store_reader: "Callable[[], StoreReader]"
    governed: "Callable[[], GovernanceDeps]"
    experience: "Callable[[], ExperienceDeps]"


class Parts:
    def __init__(self, world: World, choices: LazyDeps) -> None:
        self._world = world
        self._choices = choices
        self._recorder = Recorder(world)
        self._vault = Vault(world.keys)
        self._spilling = Spilling(
            world,
            self._recorder,
            lambda tx, entry: self._queued.take_in(tx, entry),
            self._report_outage,
        )

    def _report_outage(self) -> "Outage":
        reporting = self._governance.reporting
        return lambda tx, since, until: reporting.outage(tx, "the store", since, until)

    @cached_property
    def _fact_rules(self) -> "FactRules":
        from mace.memory.facts import FactRules

        return FactRules()

    @cached_property
    def _agents(self) -> "Mapping[str, Agent]":
        return self._choices.agents()

    @cached_property
    def _logs(self) -> "LogVerbs":
        from mace.engine.ledger.logs import LogVerbs

        return LogVerbs(self._world, self._recorder, self._vault)

    @cached_property
    def _proofs(self) -> "Proofs":
        from mace.engine.ledger.proofs import Proofs

        return Proofs(self._world)

    @cached_property
    def _incidents(self) -> "Incidents":
        from mace.engine.ledger.incidents import Incidents

        return Incidents(self._world, self._recorder)

    @cached_property
    def _verification(self) -> "Verification":
        from mace.engine.ledger.verification import Verification

        return Verification(self._world, self._recorder, self._vault, self._proofs, self._incidents)

    @cached_property
    def _attestation(self) -> "Attestation":
        from mace.engine.ledger.attestation import Attestation

        return Attestation(self._world, self._recorder, self._proofs)

    @cached_property
    def _failures(self) -> "Failures":
        from mace.engine.kernel.failures import Failures

        return Failures(self._world, self._recorder, self._spilling)

    @cached_property
    def _facts(self) -> "FactVerbs":
        from mace.engine.facts.verbs import FactVerbs
        from mace.engine.kernel.gate import LazyGate

        facts = FactVerbs(
            self._world,
            self._recorder,
            self._vault,
            lambda: self._failures,
            self._choices.packaged_aliases,
            self._fact_rules,
        )
        facts.gate = LazyGate(lambda: self._governance.gate)
        return facts

    @cached_property
    def _governance(self) -> "Governance":
        from mace.engine.governing import Governance

        made = Governance(
            self._world,
            self._recorder,
            self._vault,
            self._facts,
            self._failures,
            self._incidents,
            self._logs,
            self._proofs,
            self._choices.governed(),
        )
        made.violations.knows = lambda tx, module_id: self._modules.knows(tx, module_id)
        return made

    @cached_property
    def _imports(self) -> "FactImport":
        from mace.engine.facts.imports import FactImport

        return FactImport(self._world, self._recorder, self._facts, self._fact_rules)

    @cached_property
    def _queued(self) -> "QueuedWrites":
        from mace.engine.facts.queued import QueuedWrites

        return QueuedWrites(self._world, self._recorder, self._vault, self._facts)

    @cached_property
    def _contexts(self) -> "ContextVerbs":
        from mace.engine.context.verbs import ContextVerbs

        return ContextVerbs(self._recorder, self._spilling, self._choices.store_reader)

    @cached_property
    def _experience_parts(self) -> "ExperienceParts":
        from mace.engine.experience.parts import ExperienceParts

        return ExperienceParts(self._world, self._recorder, self._vault, self._choices.experience())

    @cached_property
    def _experience(self) -> "ExperienceService":
        from mace.engine.experience.service import ExperienceService

        return ExperienceService(
            self._experience_parts, lambda: self._failures, lambda: self._facts.gate, self._agents_that_write
        )

    def _experience_work(self) -> "ExperienceWork":
        """For wiring's background thread."""
        from mace.engine.experience.work import ExperienceWork

        return ExperienceWork(self._experience_parts)

    def _agents_that_write(self, tx: "Tx") -> list[str]:
        from mace.engine.facts.verbs import ALLOWED_WRITERS
        from mace.memory.facts import agents_listed

        return agents_listed(self._facts.look(tx, ALLOWED_WRITERS)["value"])

    @cached_property
    def _modules(self) -> "Modules":
        from mace.engine.questions.modules import Modules

        return Modules(self._world, self._recorder, frozenset(self._agents), self._facts.look)

    @cached_property
    def _sweep(self) -> "Sweep":
        from mace.engine.sweep import Sweep

        return Sweep(self._world, self._recorder)

    @cached_property
    def _questions(self) -> "Questions":
        from mace.engine.questions.ask import Questions

        questions = Questions(
            self._world,
            self._recorder,
            self._vault,
            self._logs,
            self._facts,
            self._failures,
            self._spilling,
            self._choices.rules(),
            self._fact_rules,
            self._agents,
            self._quotable,
        )
        questions.consents = self._governance.consents
        questions.deletions = self._governance.requests.deletions
        return questions

    def _quotable(self, query: str) -> list[dict[str, Any]]:
        """Passages for a question from the configured stores; without any, the reader is not even imported."""
        stores = self._world.context_stores
        return self._contexts.passages(query, stores) if stores else []

    @cached_property
    def _replays(self) -> "Replays":
        from mace.engine.questions.replay import Replays

        return Replays(
            self._world,
            self._vault,
            self._logs,
            self._incidents,
            self._agents,
            lambda findings: self._verification.record_findings(findings),
        )
