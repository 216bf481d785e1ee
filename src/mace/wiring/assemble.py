"""The one place where the parts of MACE are put together: each is built when it is first asked for, from the others.

What depends on what can be read off here; where two parts need each other, one is handed a way to ask for the other.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from threading import RLock
from typing import TYPE_CHECKING, Any

from mace.engine.governance.callers import Callers
from mace.engine.kernel.bound import Bound
from mace.engine.kernel.holding import Holding
from mace.engine.kernel.journal import SystemJournal
from mace.engine.kernel.keyring import Keyring
from mace.engine.kernel.master_key import MasterKey
from mace.engine.kernel.recorder import Recorder
from mace.engine.kernel.spilling import Spilling
from mace.engine.kernel.user_ids import translated
from mace.engine.kernel.vault import Vault
from mace.engine.kernel.world import World
from mace.governance.outages import SERVICE
from mace.storage.ports import Store
from mace.wiring.lazy import Lazy, built

if TYPE_CHECKING:
    from mace.agents.asking import Agent
    from mace.engine.context.appending import ContextAppending
    from mace.engine.context.verbs import ContextVerbs
    from mace.engine.desk import Desk
    from mace.engine.experience.parts import ExperienceDeps, ExperienceParts
    from mace.engine.experience.service import ExperienceService
    from mace.engine.experience.work import ExperienceWork
    from mace.engine.facts.imports import FactImport
    from mace.engine.facts.queued import QueuedWrites
    from mace.engine.facts.verbs import FactVerbs
    from mace.engine.governance.accounts import Accounts
    from mace.engine.governance.approvals import Approvals, Reviews, Triggers
    from mace.engine.governance.authority import Authority
    from mace.engine.governance.bearers import Bearers
    from mace.engine.governance.canary_search import CanarySearch
    from mace.engine.governance.clearing import Clearing
    from mace.engine.governance.consents import Consents
    from mace.engine.governance.council import Council
    from mace.engine.governance.dsr import SubjectRequests
    from mace.engine.governance.erasing import Erasing
    from mace.engine.governance.forensics import Forensics, Violations, WriteGate
    from mace.engine.governance.rectifying import Rectifying
    from mace.engine.governance.reporting import Reporting
    from mace.engine.governance.unredacted import Unredacted
    from mace.engine.kernel.failures import Failures
    from mace.engine.kernel.job import Program
    from mace.engine.kernel.spilling import Report
    from mace.engine.ledger.attestation import Attestation
    from mace.engine.ledger.incidents import Incidents
    from mace.engine.ledger.log_views import LogViews
    from mace.engine.ledger.logs import LogVerbs
    from mace.engine.ledger.proofs import Proofs
    from mace.engine.ledger.verification import Verification
    from mace.engine.people.conversations import Conversations
    from mace.engine.people.index import TurnIndexes
    from mace.engine.people.recalling import Recalling
    from mace.engine.people.remembering import Remembering
    from mace.engine.people.turns import Turns
    from mace.engine.programs.blocks import Blocks
    from mace.engine.programs.mailbox import Mailbox
    from mace.engine.programs.performing import Performing
    from mace.engine.programs.program import OwnPrograms
    from mace.engine.programs.views import JobViews
    from mace.engine.questions.ask import Questions
    from mace.engine.questions.modules import Modules
    from mace.engine.questions.replay import Replays
    from mace.engine.questions.turn import TurnRules
    from mace.engine.sweep import Sweep
    from mace.governance.approvals import ApprovalRules, Kind
    from mace.memory.aliases import Target
    from mace.memory.context import ContextDefaults, StoreReader, StoreWriter
    from mace.memory.facts import FactRules
    from mace.providers.ports import Box
    from mace.storage.ports import Tx


_MOST_RULES = 200  # of experience that a recall looks through


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """What settings and the caller of `open` chose, each made when it is needed."""

    rules: "Callable[[], TurnRules]"
    approval_rules: "Callable[[], ApprovalRules]"
    packaged_aliases: "Callable[[], dict[str, Target]]"
    agents: "Callable[[], Mapping[str, Agent]]"
    starter_facts: Callable[[], Iterable[str]]
    store_reader: "Callable[[], StoreReader]"
    store_writer: "Callable[[], StoreWriter]"
    context_defaults: "Callable[[], ContextDefaults]"
    policy_text: Callable[[], str]
    experience: "Callable[[], ExperienceDeps]"
    drop_indexes: Callable[[], int]  # of context stores; they are made again when they are needed
    anonymous_retention_days: int  # 0: for ever
    programs: Sequence[Callable[..., Any]]  # of whoever opened it
    person_wait_ms: int
    embedded: bool  # a directory with an owner, who is its admin


class Assembly:
    """The parts of one open MACE (`engine/parts.py`)."""

    def __init__(self, world: World, chosen: Chosen) -> None:
        self.guard = RLock()
        self.world = world
        self.chosen = chosen
        self.recorder = Recorder(world)
        self.vault = Vault(world.keys, lambda tx: self.proofs.attested(tx).findings)
        self.bound = Bound(world.keys, lambda tx: self.proofs.attested(tx).findings)
        self.holding = Holding(world)
        self.keyring = Keyring(world, self.recorder, lambda tx: self._sign_again(tx))
        self.master_key = MasterKey(world, self.recorder, self.vault)
        world.slots.bound = self.bound  # from here on an admin's word counts there, too
        world.slots.journal = SystemJournal(self.recorder)
        self.spilling = Spilling(
            world, self.recorder, self.bound, lambda tx, entry: self.queued.take_in(tx, entry), self._report_outage
        )
        self.callers = Callers(world, lambda: self.accounts, lambda: self.bearers, embedded=chosen.embedded)

    def _sign_again(self, tx: "Tx") -> None:
        """What is signed and not immutable, by the key that signs now."""
        self.accounts.sign_states_again(tx)

    def _report_outage(self) -> "Report":
        reporting = self.reporting
        return lambda tx, outage, until: reporting.outage(tx, SERVICE, outage.since, until, outage.failures)

    @property
    def store(self) -> Store:
        return self.world.store

    @property
    def starter_facts(self) -> Callable[[], Iterable[str]]:
        return self.chosen.starter_facts

    # The record

    def adopt_rows(self, tx: "Tx") -> None:
        """Name the rows of an older store; only its first opening by this version asks for it."""
        from mace.engine.ledger.adoption import Adoption

        Adoption(self.world, self.recorder, self.bound).in_unit(tx)

    def _logs(self) -> "LogVerbs":
        from mace.engine.ledger.logs import LogVerbs

        return LogVerbs(self.world, self.recorder, self.vault, self.bound, lambda: self.gate)

    def _log_views(self) -> "LogViews":
        from mace.engine.ledger.log_views import LogViews

        return LogViews(self.world, self.recorder, self.vault, self.logs)

    def seal_records(self) -> None:
        """Seal what an earlier version wrote beside logs in plain; nothing but a look where there is none."""
        from mace.engine.ledger.beside_logs import has_plain

        if self.store.read(has_plain):
            from mace.engine.ledger.sealing_records import SealingRecords

            SealingRecords(self.world, self.recorder, self.bound, self.logs).run()

    def repair_registry(self) -> None:
        """Say whose the names of an older store are; nothing but a look where that was done."""
        if self.world.keys.names_form >= 2:
            return
        from mace.engine.ledger.registry_repair import RegistryRepair, is_due

        if self.store.read(is_due):
            repair = RegistryRepair(self.recorder, self.bound, self.world.slots)
            self.spilling.write("open", repair.in_unit)

    def _proofs(self) -> "Proofs":
        from mace.engine.ledger.proofs import Proofs

        return Proofs(self.world)

    def _incidents(self) -> "Incidents":
        from mace.engine.ledger.incidents import Incidents

        return Incidents(self.world, self.recorder)

    def _verification(self) -> "Verification":
        from mace.engine.ledger.verification import Verification

        return Verification(
            self.world,
            self.recorder,
            self.vault,
            self.proofs,
            self.incidents,
            lambda: self.experience_parts.check(),
        )

    def _attestation(self) -> "Attestation":
        from mace.engine.ledger.attestation import Attestation

        return Attestation(self.world, self.recorder, self.proofs)

    def _failures(self) -> "Failures":
        from mace.engine.kernel.failures import Failures

        return Failures(self.world, self.recorder, self.spilling)

    logs = Lazy(_logs)
    log_views = Lazy(_log_views)
    proofs = Lazy(_proofs)
    incidents = Lazy(_incidents)
    verification = Lazy(_verification)
    attestation = Lazy(_attestation)
    failures = Lazy(_failures)

    # Memory

    def _fact_rules(self) -> "FactRules":
        from mace.memory.facts import FactRules

        return FactRules()

    def _facts(self) -> "FactVerbs":
        from mace.engine.facts.verbs import FactVerbs

        return FactVerbs(
            self.world,
            self.recorder,
            self.vault,
            self.bound,
            lambda: self.failures,
            self.chosen.packaged_aliases,
            self.fact_rules,
            lambda: self.gate,
        )

    def _imports(self) -> "FactImport":
        from mace.engine.facts.imports import FactImport

        return FactImport(self.world, self.recorder, self.facts, self.fact_rules)

    def _queued(self) -> "QueuedWrites":
        from mace.engine.facts.queued import QueuedWrites

        return QueuedWrites(self.world, self.recorder, self.vault, self.bound, self.facts)

    def _contexts(self) -> "ContextVerbs":
        from mace.engine.context.verbs import ContextVerbs

        listed = (*self.world.context_stores, *self.world.context_roots)
        return ContextVerbs(
            self.world.keys,
            self.recorder,
            self.spilling,
            self.chosen.store_reader,
            listed,
            self.chosen.context_defaults(),
            [path for _, path in self.world.context_stores_of],
        )

    def _appending(self) -> "ContextAppending":
        from mace.engine.context.appending import ContextAppending

        listed = (*self.world.context_stores, *self.world.context_roots)
        return ContextAppending(
            self.world,
            self.recorder,
            self.bound,
            lambda: self.failures,
            self.chosen.store_writer,
            listed,
            [path for _, path in self.world.context_stores_of],
        )

    def _turns(self) -> "Turns":
        from mace.engine.people.turns import Turns

        return Turns(self.world, self.vault, self.bound, lambda: self.gate)

    def _turn_indexes(self) -> "TurnIndexes":
        from mace.engine.people.index import TurnIndexes

        return TurnIndexes(self.vault, self.turns)

    def _remembering(self) -> "Remembering":
        from mace.engine.people.remembering import Remembering

        return Remembering(
            self.world,
            self.recorder,
            self.vault,
            self.bound,
            lambda: self.failures,
            lambda: self.gate,
            self.turns,
            self.turn_indexes,
            self.conversations,
        )

    def _conversations(self) -> "Conversations":
        from mace.engine.people.conversations import Conversations

        return Conversations(self.world, self.vault, self.bound)

    def _recalling(self) -> "Recalling":
        from mace.engine.people.recalling import Recalling

        return Recalling(
            self.world,
            self.recorder,
            self.spilling,
            self.vault,
            self.turns,
            self.turn_indexes,
            self.bound,
            lambda tx, person: self.facts.of_person(tx, person),
            lambda person: self.experience.rules(
                limit=_MOST_RULES, shows=lambda people: [set(whose) <= {person} for whose in people]
            ),
        )

    def _experience_parts(self) -> "ExperienceParts":
        from mace.engine.experience.parts import ExperienceParts

        return ExperienceParts(self.world, self.recorder, self.vault, self.chosen.experience(), lambda: self.gate)

    def _experience(self) -> "ExperienceService":
        from mace.engine.experience.service import ExperienceService

        return ExperienceService(
            self.experience_parts, lambda: self.failures, lambda: self.gate, self._agents_that_write
        )

    def _experience_work(self) -> "ExperienceWork":
        from mace.engine.experience.work import ExperienceWork

        return ExperienceWork(self.experience_parts)

    def _agents_that_write(self, tx: "Tx") -> list[str]:
        return self.facts.agents_that_write(tx)

    fact_rules = Lazy(_fact_rules)
    facts = Lazy(_facts)
    imports = Lazy(_imports)
    queued = Lazy(_queued)
    contexts = Lazy(_contexts)
    turns = Lazy(_turns)
    turn_indexes = Lazy(_turn_indexes)
    conversations = Lazy(_conversations)
    remembering = Lazy(_remembering)
    recalling = Lazy(_recalling)
    appending = Lazy(_appending)
    experience_parts = Lazy(_experience_parts)
    experience = Lazy(_experience)
    experience_work = Lazy(_experience_work)  # for the background thread

    # Governance

    def _accounts(self) -> "Accounts":
        from mace.engine.governance.accounts import Accounts
        from mace.providers.second_factor import Totp

        return Accounts(self.world, self.recorder, self.vault, self.bound, Totp())

    def _bearers(self) -> "Bearers":
        from mace.engine.governance.bearers import Bearers

        return Bearers(self.world, self.bound, self.accounts)

    def _approvals(self) -> "Approvals":
        from mace.engine.governance.approvals import Approvals

        rules = self.chosen.approval_rules()
        return Approvals(self.world, self.recorder, self.vault, self.bound, self.accounts, rules, self._triggers)

    def _triggers(self) -> "Mapping[Kind, Triggers]":
        """What each kind of approval sets in motion."""
        from mace.engine.governance.approvals import Triggers
        from mace.governance.approvals import Kind

        return {
            Kind.ERASURE: Triggers(
                before=self.erasing.before,
                approved=self.erasing.carry,
                afterwards=self.erasing.afterwards,
                takes=self.erasing.takes,
            ),
            Kind.QUARANTINE: Triggers(approved=self.violations.quarantine),
            Kind.RELEASE: Triggers(approved=self.violations.release),
            Kind.PROMOTION: Triggers(),  # the write that waits for it looks it up
            Kind.POLICY_CHANGE: Triggers(approved=self.authority.change),
            Kind.LIFT_HALT: Triggers(approved=self.authority.lift),
            Kind.REVIEW: self.reviews.triggers,
            Kind.RECTIFICATION: Triggers(approved=self.rectifying.carry),
            Kind.COUNCIL_CHANGE: Triggers(approved=self.council.carry),
        }

    def _reviews(self) -> "Reviews":
        from mace.engine.governance.approvals import Reviews

        return Reviews(self.world, self.recorder, self.approvals, self.logs)

    def _council(self) -> "Council":
        from mace.engine.governance.council import Council

        rules = self.chosen.approval_rules()
        return Council(self.world, self.recorder, self.accounts, self.approvals, rules, _box)

    def _consents(self) -> "Consents":
        from mace.engine.governance.consents import Consents
        from mace.engine.governance.dsr import Deletions

        deletions = Deletions(self.world, self.bound, self.approvals)
        return Consents(
            self.world,
            self.recorder,
            self.vault,
            self.bound,
            self.approvals,
            lambda tx, person: [
                *self.facts.no_longer_served(tx, person),
                *self.turns.no_longer_served(tx, person),
            ],
            deletions.after_consent,
            deletions.waiting,
        )

    def _forensics(self) -> "Forensics":
        from mace.engine.governance.forensics import Forensics

        return Forensics(self.world, self.recorder, self.vault, self.bound, _box())

    def _unredacted(self) -> "Unredacted":
        from mace.engine.governance.unredacted import Unredacted

        return Unredacted(self.world, self.vault, self.forensics, self.logs)

    def _canaries(self) -> "CanarySearch":
        from mace.engine.governance.canary_search import CanarySearch

        return CanarySearch(
            self.world,
            self.vault,
            self.forensics,
            lambda after: self.experience_parts.store.read(lambda x: x.scan(after)),
        )

    def _violations(self) -> "Violations":
        from mace.engine.governance.forensics import Violations

        return Violations(
            self.world,
            self.recorder,
            self.bound,
            self.incidents,
            self.forensics,
            self.approvals,
            lambda tx, module_id: self.modules.knows(tx, module_id),
        )

    def _reporting(self) -> "Reporting":
        from mace.engine.governance.reporting import Reporting

        return Reporting(self.world, self.recorder, self.incidents, self.forensics)

    def _gate(self) -> "WriteGate":
        from mace.engine.governance.forensics import WriteGate

        return WriteGate(self.consents, self.violations)

    def _requests(self) -> "SubjectRequests":
        from mace.engine.governance.dsr import SubjectRequests
        from mace.engine.governance.exporting import Exports

        exports = Exports(
            self.world,
            self.recorder,
            self.vault,
            self.bound,
            consents=self.consents,
            approvals=self.approvals,
            accounts=self.accounts,
            logs=self.logs,
            turns=self.turns,
        )
        return SubjectRequests(
            self.world,
            self.recorder,
            self.vault,
            self.bound,
            self.failures,
            self.approvals,
            exports,
            self.rectifying,
            self.turns,
            self.clearing.is_pending,
        )

    def _clearing(self) -> "Clearing":
        from mace.engine.governance.clearing import Clearing

        return Clearing(self.world, self.recorder, self.bound)

    def _rectifying(self) -> "Rectifying":
        from mace.engine.governance.rectifying import Rectifying

        return Rectifying(self.world, self.vault, self.bound, self.facts, self.approvals, self.fact_rules)

    def _erasing(self) -> "Erasing":
        from mace.engine.governance.erasing import Erasing

        return Erasing(
            self.world,
            self.recorder,
            self.vault,
            self.bound,
            self.facts,
            self.approvals,
            self.forensics,
            self.consents,
            clearing=self.clearing,
            merge_spill=self.spilling.merge,
            drop_indexes=self._drop_indexes,
            turn_indexes=lambda: self.turn_indexes,
            needs_forensic_key=not self.chosen.embedded,
            turns=self.turns,
        )

    def _drop_indexes(self) -> int:
        """Indexes on the disk beside the store go, and those of turns that this process holds."""
        held = built(self, "turn_indexes")
        if held is not None:
            held.forget()
        return self.chosen.drop_indexes()

    def _authority(self) -> "Authority":
        from mace.engine.governance.authority import Authority

        return Authority(
            self.world,
            self.recorder,
            self.bound,
            self.approvals,
            self.incidents,
            lambda tx: self.proofs.attested(tx).said,
            self.chosen.policy_text(),
        )

    def _desk(self) -> "Desk":
        from mace.engine.desk import Desk

        return Desk(self.world, self.recorder, self.bound, self.callers, lambda: self.accounts, lambda: self.authority)

    accounts = Lazy(_accounts)
    bearers = Lazy(_bearers)
    approvals = Lazy(_approvals)
    reviews = Lazy(_reviews)
    council = Lazy(_council)
    consents = Lazy(_consents)
    forensics = Lazy(_forensics)
    unredacted = Lazy(_unredacted)
    canaries = Lazy(_canaries)
    violations = Lazy(_violations)
    reporting = Lazy(_reporting)
    gate = Lazy(_gate)
    requests = Lazy(_requests)
    clearing = Lazy(_clearing)
    rectifying = Lazy(_rectifying)
    erasing = Lazy(_erasing)
    authority = Lazy(_authority)
    desk = Lazy(_desk)

    # Questions

    def _agents(self) -> "Mapping[str, Agent]":
        return self.chosen.agents()

    def _modules(self) -> "Modules":
        from mace.engine.questions.modules import Modules

        return Modules(self.world, self.recorder, self.bound, frozenset(self.agents), self.facts.look)

    def _programs(self) -> "Mapping[str, Program]":
        """What plays each kind of job, live and on replay."""
        from mace.engine.questions.program import programs

        return {**programs(self.agents), "program": self.own_programs}

    def _own_programs(self) -> "OwnPrograms":
        from mace.engine.programs.program import OwnPrograms, Registry

        return OwnPrograms(Registry(self.chosen.programs), self.world.runner.drive)

    def _mailbox(self) -> "Mailbox":
        from mace.engine.programs.mailbox import Mailbox

        return Mailbox(self.world, self.recorder, self.vault, self.bound, self.chosen.person_wait_ms)

    def _performing(self) -> "Performing":
        from mace.engine.kernel.job import Jobs
        from mace.engine.programs.performing import Performing

        return Performing(
            self.world,
            self.recorder,
            self.vault,
            Jobs(self.world, self.recorder, self.vault, self.logs.write, self.holding),
            self.facts,
            self.consents,
            self.spilling,
            self.holding,
            self.own_programs,
            self.mailbox,
            lambda job_id: self.replays.opened(job_id),
            lambda: self.remembering,
            lambda: self.recalling,
        )

    def _blocks(self) -> "Blocks":
        from mace.engine.programs.blocks import Blocks

        return Blocks(self.recorder, self.performing)

    def _job_views(self) -> "JobViews":
        from mace.engine.programs.views import JobViews

        return JobViews(self.recorder, self.vault, self.holding, lambda: self.mailbox, self.logs.read)

    def _sweep(self) -> "Sweep":
        from mace.engine.sweep import Sweep

        return Sweep(
            self.world,
            self.recorder,
            self.holding,
            clear=lambda: self.clearing.clear(),
            retain=lambda: self.erasing.overdue(self.chosen.anonymous_retention_days),
        )

    def _questions(self) -> "Questions":
        from mace.engine.questions.ask import Questions

        return Questions(
            self.world,
            self.recorder,
            self.vault,
            self.bound,
            self.logs,
            self.facts,
            self.failures,
            self.spilling,
            self.chosen.rules(),
            self.fact_rules,
            self.programs["ask"],
            self._quotable,
            self.consents,
            self.requests.deletions,
            self.holding,
            self.conversations,
            lambda: self.remembering,
            lambda: self.recalling,
        )

    def _quotable(self, query: str, person: str | None) -> list[dict[str, Any]]:
        """Passages for a question from the configured stores, and from the asker's own; of others' nothing.

        Without any store the reader is not even imported.
        """
        stores = self.world.context_stores
        if person is not None and self.world.context_stores_of:
            mode = self.world.user_ids.mode
            people = [(str(translated(user_id, mode)), path) for user_id, path in self.world.context_stores_of]
            slugs = self.world.store.read(lambda tx: [self.facts.user_slug(tx, user_id) for user_id, _ in people])
            own = [path for slug, (_, path) in zip(slugs, people, strict=True) if slug == person]
            stores = (*stores, *own)
        return self.contexts.passages(query, stores) if stores else []

    def _replays(self) -> "Replays":
        from mace.engine.questions.replay import Replays

        return Replays(
            self.world,
            self.vault,
            self.logs,
            self.incidents,
            self.programs,
            lambda findings: self.verification.record_findings(findings),
        )

    agents = Lazy(_agents)
    modules = Lazy(_modules)
    programs = Lazy(_programs)
    own_programs = Lazy(_own_programs)
    mailbox = Lazy(_mailbox)
    performing = Lazy(_performing)
    blocks = Lazy(_blocks)
    job_views = Lazy(_job_views)
    sweep = Lazy(_sweep)
    questions = Lazy(_questions)
    replays = Lazy(_replays)


def _box() -> "Box":
    from mace.providers.forensic_box import HpkeBox

    return HpkeBox()
