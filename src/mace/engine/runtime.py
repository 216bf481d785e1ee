"""An open MACE: its verbs, for one caller.

`mace.open` gives the owner's; `acting_as` the same verbs for somebody else. Each verb is a row of `engine/verbs.py`:
its arguments are checked from its signature and the policy is asked there. What it does is on the ledger before it is
answered. Verbs beyond those that every user needs stand in groups (`m.accounts`, `m.approvals`, ...).
"""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from datetime import datetime
from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, TypeVar, cast, get_args, overload

from mace.core import canon
from mace.core.answers import (
    AliasAdded,
    AmendEffect,
    Amendment,
    ApprovalView,
    AskAnswer,
    Attestation,
    ConsentGrant,
    ConsentPurpose,
    ConsentRevoked,
    ConsentScope,
    ConsentView,
    ConsistencyProof,
    ContextExplanation,
    ContextPackage,
    ContextRequest,
    Description,
    DetectAnswer,
    DsrAnswer,
    DsrKind,
    DsrView,
    Envelope,
    Event,
    Evidence,
    FactImport,
    FactVersion,
    IncidentView,
    InclusionProof,
    JobView,
    Json,
    JsonInput,
    KeyScope,
    LeavesOut,
    LeftOut,
    LiftHaltAnswer,
    LogSource,
    Message,
    PiiType,
    ProgramAnswer,
    QuarantineEntry,
    Recall,
    Recalled,
    RecallKind,
    RecordAnswer,
    ReflectiveLog,
    RememberAnswer,
    ReplayAnswer,
    Role,
    SemDelete,
    SemGet,
    SemPut,
    SweepReport,
    VerifyReport,
    VersionedFact,
    VoteAnswer,
    VoteChoice,
)
from mace.core.caller import Caller
from mace.core.errors import (
    IntegrityFailure,
    InvalidInput,
    PermissionDenied,
    PreconditionFailed,
    WrongType,
    failure_of,
)
from mace.core.events import SYSTEM_STREAM, StoredEvent
from mace.core.purposes import Purpose
from mace.core.texts import is_storable
from mace.engine.arguments import (
    MAX_CHARACTERS,
    MAX_SEARCHED_BYTES,
    AnyJson,
    ByVerb,
    Count,
    Id,
    Ids,
    Instant,
    Line,
    Lines,
    Object,
    Progress,
    Text,
    Texts,
    Words,
)
from mace.engine.kernel.fallbacks import fallbacks
from mace.engine.kernel.journal import VerbJournal
from mace.engine.kernel.privacy import check_user_id
from mace.engine.parts import Parts
from mace.engine.programs.handle import Job
from mace.engine.verbs import Life, tells_what_is_short, verb
from mace.governance.outages import outage_in
from mace.providers.ports import Keys
from mace.storage.ports import Store, Tx, batches

if TYPE_CHECKING:
    from mace.engine.groups.accounts import AccountsGroup
    from mace.engine.groups.approvals import ApprovalsGroup
    from mace.engine.groups.context import ContextGroup
    from mace.engine.groups.experience import ExperienceGroup
    from mace.engine.groups.forensics import ForensicsGroup
    from mace.engine.groups.incidents import IncidentsGroup
    from mace.engine.groups.jobs import JobsGroup
    from mace.engine.groups.modules import ModulesGroup

T = TypeVar("T")

_ENVELOPE = ByVerb("a bad value is answered with an envelope")
_QUARANTINE = ByVerb("a bad payload is quarantined")
_DataTypes: TypeAlias = Annotated[Sequence[PiiType], Texts(Text(64), get_args(PiiType))]
ProgramOrName: TypeAlias = Annotated[Callable[..., Any] | str, ByVerb("a function under @mace.program, or its name")]
_Purposes: TypeAlias = Annotated[Sequence[ConsentPurpose], Texts(Text(64), get_args(ConsentPurpose))]


class Mace:
    """An open MACE. Thread-safe; use it as a context manager or call `close`."""

    def __init__(self, parts: Parts, caller: Caller, on_close: Callable[[], None] | None, *, read_only: bool) -> None:
        self._parts = parts
        self._caller = caller
        self._on_close = on_close  # None: a view, whose closing closes nothing
        self._read_only = read_only
        self._traceparent: str | None = None
        self._life = Life()
        # Nobody is asked for the owner of a directory; the owner of a server does not govern it (`engine/desk.py`).
        self._is_owners = caller._is_owner and parts.callers.embedded
        self._is_named = caller is not parts.callers.root
        self._user_ids = parts.world.user_ids

    @property
    def _desk(self) -> Any:
        return self._parts.desk

    # Callers

    @property
    def caller(self) -> Caller:
        """Whose verbs these are."""
        return self._caller

    @tells_what_is_short
    def owner(self, name: str | None = None, *, roles: Iterable[Role] | None = None, totp: str | None = None) -> Caller:
        """The owner: whoever holds the keys of this store.

        With `roles` other than admin only what they may; with a `name` it is signed by that name. A name that is an
        account acts as that account, with its roles: with its second-factor code once it has one, and an account that
        is admin or council only with one.
        """
        self._must_be_owner("make a caller")
        return self._parts.callers.owner(name, roles, totp)

    @tells_what_is_short
    def authenticate(self, token: str, totp: str | None = None) -> Caller:
        """Who shows this token, with a second-factor code for strong actions; raise `AuthError`."""
        if not isinstance(token, str) or not (totp is None or isinstance(totp, str)):
            raise WrongType("token and totp must be strings")
        return self._parts.callers.authenticate(token, totp)

    @tells_what_is_short
    def on_behalf_of(self, user_id: str) -> Caller:
        """A user whom your program has authenticated: role `user`, that person's things only."""
        self._must_be_owner("act on behalf of a user")
        return self._parts.callers.on_behalf_of(user_id)

    @tells_what_is_short
    def acting_as(self, caller: Caller, *, traceparent: str | None = None) -> "Mace":
        """The same verbs on the same store for somebody else; closing it closes nothing.

        `traceparent` (W3C) is recorded with the jobs that this view opens; it decides nothing.
        """
        view = Mace(self._parts, self._parts.callers.check(caller), None, read_only=self._read_only)
        view._traceparent = traceparent
        view._life = self._life
        return view

    def raise_for(self, answer: T) -> T:
        """Return an answer that succeeded; raise the `MaceError` of one that did not."""
        error = failure_of(answer)
        if error is not None:
            raise error
        return answer

    def _must_be_owner(self, action: str) -> None:
        if not self._caller._is_owner:
            raise PermissionDenied(actor=self._caller.name, action=action)

    def _speaking(self, name: str, totp: str | None = None) -> "Mace":
        """The verbs of whoever an argument names as the speaker: the caller, or for the owner anybody who proves it."""
        if name == self._caller.name:
            if totp is not None:
                raise InvalidInput("totp must be given to authenticate, not to the verb")
            return self
        self._must_be_owner("speak for another")
        return self.acting_as(self._parts.callers.owner(name, totp=totp))

    # Groups

    @cached_property
    @tells_what_is_short
    def accounts(self) -> "AccountsGroup":
        """Accounts, tokens, second factors, proofs of identity."""
        from mace.engine.groups.accounts import AccountsGroup

        return AccountsGroup(self)

    @cached_property
    @tells_what_is_short
    def approvals(self) -> "ApprovalsGroup":
        """What nobody may do alone: requests, votes, policy changes."""
        from mace.engine.groups.approvals import ApprovalsGroup

        return ApprovalsGroup(self)

    @cached_property
    @tells_what_is_short
    def incidents(self) -> "IncidentsGroup":
        """Incidents and the replay halts they cause."""
        from mace.engine.groups.incidents import IncidentsGroup

        return IncidentsGroup(self)

    @cached_property
    @tells_what_is_short
    def forensics(self) -> "ForensicsGroup":
        """The forensic store, and reads that show what others see redacted; each is on the record."""
        from mace.engine.groups.forensics import ForensicsGroup

        return ForensicsGroup(self)

    @cached_property
    @tells_what_is_short
    def context(self) -> "ContextGroup":
        """Context with the defaults of the settings; appending to stores, checking them."""
        from mace.engine.groups.context import ContextGroup

        return ContextGroup(self)

    @cached_property
    @tells_what_is_short
    def modules(self) -> "ModulesGroup":
        """Health of modules, quarantine, writes that wait."""
        from mace.engine.groups.modules import ModulesGroup

        return ModulesGroup(self)

    @cached_property
    @tells_what_is_short
    def jobs(self) -> "JobsGroup":
        """Jobs by kind, person and status."""
        from mace.engine.groups.jobs import JobsGroup

        return JobsGroup(self)

    @cached_property
    @tells_what_is_short
    def experience(self) -> "ExperienceGroup":
        """Past outcomes of tools and targets, and what they suggest."""
        from mace.engine.groups.experience import ExperienceGroup

        return ExperienceGroup(self)

    # Questions

    @verb("ask")
    def ask(
        self,
        text: Annotated[str, _ENVELOPE],
        user_id: Annotated[str | None, _ENVELOPE] = None,
        job_seed: Line | None = None,
        *,
        query_id: Line | None = None,
        consent_id: Id | None = None,
        in_reply_to: Id | None = None,
        conversation_id: Annotated[str | None, _ENVELOPE] = None,
        source: LogSource = "user_request",
    ) -> AskAnswer:
        """Answer a question; failures are part of the answer (`error`, `notices`), never exceptions.

        In a conversation (`conversation_id`) question and answer are remembered as turns, and what was said before
        counts: for the reply to "tell me", and for what a language engine is told.
        """
        answer = self._parts.questions.ask(
            text,
            user_id,
            job_seed,
            query_id=query_id,
            consent_id=consent_id,
            in_reply_to=in_reply_to,
            conversation_id=conversation_id,
            source=source,
            traceparent=self._traceparent,
            asked_by=self._asked_by,
        )
        return cast(AskAnswer, answer)

    @property
    def _asked_by(self) -> dict[str, str]:
        """Who calls, as it may stand on the ledger: an account's or the owner's name, of a user the slug alone."""
        caller = self._caller
        return {"name": caller.person or "" if caller.via == "on_behalf_of" else caller.name, "via": caller.via}

    @verb("perform")
    def perform(
        self,
        program: ProgramOrName,
        input: Annotated[JsonInput, AnyJson()],
        user_id: Id | None = None,
        job_seed: Line | None = None,
        *,
        consent_id: Id | None = None,
        conversation_id: Line | None = None,
        deadline: Instant | None = None,
    ) -> ProgramAnswer:
        """Run a program of your own as a job, every call of it on the record; failures are part of the answer.

        `program` is a function under `@mace.program`, or the name of one that was given to `mace.open`. After
        `deadline` the job stops at its next step. `conversation_id` is where `job.remember` keeps turns.
        """
        answer = self._parts.performing.perform(
            program,
            input,
            user_id,
            job_seed,
            consent_id=consent_id,
            conversation_id=conversation_id,
            deadline=deadline,
            traceparent=self._traceparent,
        )
        return cast(ProgramAnswer, answer)

    @verb("aperform")
    def aperform(
        self,
        program: ProgramOrName,
        input: Annotated[JsonInput, AnyJson()],
        user_id: Id | None = None,
        job_seed: Line | None = None,
        *,
        consent_id: Id | None = None,
        conversation_id: Line | None = None,
        deadline: Instant | None = None,
    ) -> Awaitable[ProgramAnswer]:
        """As `perform`, to be awaited: an async program runs in the running loop, a plain one beside it."""
        answer = self._parts.performing.aperform(
            program,
            input,
            user_id,
            job_seed,
            consent_id=consent_id,
            conversation_id=conversation_id,
            deadline=deadline,
            traceparent=self._traceparent,
        )
        return cast(Awaitable[ProgramAnswer], answer)

    @verb("recording")
    def recording(
        self,
        question: Words,
        user_id: Id | None = None,
        job_seed: Line | None = None,
        *,
        program: Line = "block",
        consent_id: Id | None = None,
    ) -> AbstractContextManager[Job]:
        """Record a block of code that cannot become a function: `with m.recording("...", "ana") as job: ...`."""
        return self._parts.blocks.recording(
            question,
            user_id,
            job_seed,
            program=program,
            consent_id=consent_id,
            traceparent=self._traceparent,
        )

    @verb("record")
    def record(
        self,
        question: Words,
        answer: Words,
        user_id: Id | None = None,
        *,
        evidence: Annotated[Sequence[Evidence], ByVerb("each item is looked at")] = (),
        confidence: Annotated[float | None, ByVerb("a number from 0 to 1")] = None,
        consent_id: Id | None = None,
        job_seed: Line | None = None,
    ) -> RecordAnswer:
        """Put one decision on the record that was made elsewhere, with a reflective log of its own."""
        answered = self._parts.blocks.record(
            question,
            answer,
            user_id,
            evidence=evidence,
            confidence=confidence,
            consent_id=consent_id,
            job_seed=job_seed,
            traceparent=self._traceparent,
        )
        return cast(RecordAnswer, answered)

    @verb("resume")
    def resume(self, job_id: Id, *, abandon: bool = False) -> ProgramAnswer:
        """Go on with a job whose process was lost; no finished call is made again. `abandon` gives it up instead."""
        return cast(ProgramAnswer, self._parts.performing.resume(job_id, abandon=abandon))

    @verb("cancel")
    def cancel(self, job_id: Id, reason: Annotated[str, ByVerb("a short text without personal data")] = "") -> JobView:
        """Stop a job: at its next step if it runs, else at once. The reason stands unencrypted on the ledger."""
        root = self._parts.performing.cancel(job_id, reason, self._caller.name)
        return self._parts.world.store.read(lambda tx: self._parts.job_views.view(tx, root))

    @verb("job")
    def job(self, job_id: Id) -> JobView:
        """A job: how it stands, its branches and calls, what it waits for."""
        return self._parts.world.store.read(lambda tx: self._parts.job_views.view(tx, job_id))

    @verb("replay")
    def replay(self, job_id: Id) -> ReplayAnswer:
        """Decide a job again from its record; `MATCH` when every byte is the same."""
        return cast(ReplayAnswer, self._parts.replays.replay(job_id))

    # Facts

    @verb("key")
    def key(
        self,
        scope: KeyScope,
        entity_type: Line,
        entity_id_raw: Id | None,
        attribute_raw: Id,
        user_id: Id | None = None,
    ) -> str:
        """The canonical key of something named in raw words, kept apart from others that look the same."""
        return self._parts.facts.key(scope, entity_type, entity_id_raw, attribute_raw, user_id)

    @overload
    def sem_get(self, key: str, *, with_version: Literal[False] = False) -> SemGet: ...
    @overload
    def sem_get(self, key: str, *, with_version: Literal[True]) -> VersionedFact: ...
    @overload
    def sem_get(self, key: str, *, with_version: bool) -> SemGet | VersionedFact: ...

    @verb("sem_get")
    def sem_get(self, key: Annotated[str, _ENVELOPE], *, with_version: bool = False) -> SemGet | VersionedFact:
        """Read one fact by its exact key; `with_version` adds the number of its last write (0: never written)."""
        if not isinstance(key, str):
            raise WrongType(f"key must be a str, got {type(key).__name__}")
        facts = self._parts.facts
        return facts.get_versioned(key) if with_version else facts.get(key)

    @verb("sem_put")
    def sem_put(
        self,
        key: Annotated[str, _ENVELOPE],
        value: Annotated[JsonInput, _ENVELOPE],
        source: Annotated[str | None, _ENVELOPE] = None,
        timestamp: Annotated[str | datetime | None, _ENVELOPE] = None,
        notes: Annotated[str | None, _ENVELOPE] = None,
        meta: Annotated[dict[str, Json] | None, _ENVELOPE] = None,
        *,
        user_id: Annotated[str | None, _ENVELOPE] = None,
        job_seed: Annotated[str | None, _ENVELOPE] = None,
        consent_id: Annotated[str | None, _ENVELOPE] = None,
        idempotency_key: Annotated[str | None, _ENVELOPE] = None,
        if_version: Annotated[int | None, _ENVELOPE] = None,
    ) -> SemPut:
        """Write one fact; the last write wins. `if_version` writes only over that version, else it is refused."""
        if not isinstance(key, str):
            raise WrongType(f"key must be a str, got {type(key).__name__}")
        answer = self._parts.facts.put(
            key,
            value,
            source,
            timestamp,
            notes,
            meta,
            user_id=user_id,
            job_seed=job_seed,
            consent_id=consent_id,
            idempotency_key=idempotency_key,
            if_version=if_version,
            actor=self._writer,
        )
        return cast(SemPut, answer)

    @verb("sem_delete")
    def sem_delete(self, key: Line, source: Line | None = None) -> SemDelete:
        """Delete a fact (its history is kept); for `system_admin`."""
        return cast(SemDelete, self._parts.facts.delete(key, self._source(source), actor=self._writer))

    @verb("sem_list")
    def sem_list(self, prefix: Line, source: Line | None = None) -> list[str]:
        """All live keys under whole leading components of a key; for admins. Raises what it cannot do."""
        try:
            return self._parts.facts.listed(prefix, source)
        except PermissionDenied as error:
            told = self._refused("sem_list", error)["error"]["meta"]["actor"]  # fit to be said
            raise PermissionDenied(actor=told, action="sem_list") from None

    @verb("sem_history")
    def sem_history(self, key: Line) -> list[FactVersion]:
        """Every write under a key, oldest first: its history and its audit."""
        return cast(list[FactVersion], self._parts.facts.history(key))

    @verb("sem_resolve_alias")
    def sem_resolve_alias(
        self, text: Annotated[str, ByVerb("what cannot be a phrase stands for nothing")], user_id: Id | None = None
    ) -> str | None:
        """The key a common phrase stands for, or None."""
        if not isinstance(text, str):
            raise WrongType(f"text must be a str, got {type(text).__name__}")
        if len(text) > MAX_CHARACTERS or not is_storable(text):
            return None
        return self._parts.world.store.read(lambda tx: self._parts.facts.resolve_alias(tx, text, user_id))

    @verb("sem_add_alias")
    def sem_add_alias(self, text: Line, key: Line, source: Line | None = None) -> AliasAdded:
        """Let a phrase stand for a key; for admins. It comes before the packaged ones."""
        try:
            return cast(AliasAdded, self._parts.facts.add_alias(text, key, self._source(source)))
        except PermissionDenied as error:
            return cast(AliasAdded, self._refused("sem_add_alias", error))

    @property
    def _writer(self) -> str | None:
        """Which account writes as `system_admin`; None where the source says who it is."""
        return self._caller.name if "admin" in self._caller.roles and not self._caller._is_owner else None

    @staticmethod
    def _source(source: str | None) -> str:
        if source is None:
            raise InvalidInput("source must be given: user, agent:<id>, system or system_admin")
        return source

    def _refused(self, name: str, error: PermissionDenied) -> dict[str, Any]:
        journal = VerbJournal(self._parts.recorder, name, self._parts.recorder.fresh_seed())
        return self._parts.failures.refuse(journal, error, {})

    @verb("import_facts")
    def import_facts(
        self,
        lines: Annotated[Iterable[str | bytes], Lines()],
        source: Line | None = None,
        progress: Progress | None = None,
    ) -> FactImport:
        """Load many facts, a JSON object per line; what is stored already is left alone."""
        return cast(FactImport, self._parts.imports.run(lines, self._source(source), progress))

    @verb("load_starter_facts")
    def load_starter_facts(self) -> FactImport:
        """Load the packaged facts about the world: constants, laws, definitions. Idempotent."""
        return cast(FactImport, self._parts.imports.run(self._parts.starter_facts(), "system", only_new=True))

    # Memory of a person

    @verb("remember")
    def remember(
        self,
        user_id: Annotated[str, _ENVELOPE],
        messages: Annotated[str | Sequence[Message], _ENVELOPE],
        *,
        conversation_id: Annotated[str | None, _ENVELOPE] = None,
        consent_id: Id | None = None,
        job_seed: Line | None = None,
        idempotency_key: Annotated[str | None, _ENVELOPE] = None,
    ) -> RememberAnswer:
        """Keep what was said, sealed under the person's key; personal data that no consent covers is cut out."""
        answer = self._parts.remembering.remember(
            user_id,
            messages,
            conversation_id=conversation_id,
            consent_id=consent_id,
            job_seed=job_seed,
            idempotency_key=idempotency_key,
            speaker=self._parts.callers.speaker(self._caller),
            by=self._caller.name,
        )
        return cast(RememberAnswer, answer)

    @verb("recall")
    def recall(
        self,
        user_id: Annotated[str, _ENVELOPE],
        query: Annotated[str, _ENVELOPE],
        budget_tokens: Annotated[int, _ENVELOPE] = 1000,
        *,
        conversation_id: Annotated[str | None, _ENVELOPE] = None,
        kinds: Annotated[Sequence[RecallKind], _ENVELOPE] = ("fact", "turn", "rule"),
        scorer: Annotated[str | None, _ENVELOPE] = None,
    ) -> Recall:
        """What matters now about a person, as a block for a prompt: facts, rules, and turns with their neighbours."""
        answer = self._parts.recalling.recall(
            user_id,
            query,
            budget_tokens,
            conversation_id=conversation_id,
            kinds=kinds,
            scorer=scorer,
            by=self._caller.name,
        )
        return cast(Recall, answer)

    @verb("recalled")
    def recalled(self, user_id: Id, receipt: Id) -> Recalled:
        """What a recall put into a prompt, by its receipt: each thing as it reads now, or that it was erased."""
        return cast(Recalled, self._parts.recalling.recalled(user_id, receipt))

    # Context

    @verb("memory_read")
    def memory_read(
        self, request: Annotated[ContextRequest, _ENVELOPE], *, progress: Progress | None = None
    ) -> ContextPackage | Envelope:
        """Return the context package of a request: a dict whose large parts are built when they are looked at."""
        return cast(
            "ContextPackage | Envelope", self._parts.contexts.read(request, progress, only_listed=self._only_listed)
        )

    @verb("memory_explain")
    def memory_explain(
        self, request: Annotated[ContextRequest, _ENVELOPE], *, progress: Progress | None = None
    ) -> ContextExplanation | Envelope:
        """Return what made each score of a request's package, and how many were dropped for which reason."""
        return cast(
            "ContextExplanation | Envelope",
            self._parts.contexts.explain(request, progress, only_listed=self._only_listed),
        )

    @property
    def _only_listed(self) -> bool:
        """Whether context comes only from what the settings list: for everybody but whoever holds the keys."""
        return not self._caller._is_owner

    # Reflective log

    @verb("write_reflective_log")
    def write_reflective_log(
        self,
        payload: Annotated[Mapping[str, JsonInput], _QUARANTINE],
        *,
        user_id: Id | None = None,
        consent_id: Id | None = None,
    ) -> str:
        """Write a reflective log once; raise `LogExistsError`, or `LogInvalid` after quarantining the payload.

        The log belongs to `user_id`, the person it is about: sealed under that person's key, in their export, gone with
        their erasure. Personal data that the consent does not cover is redacted in place, and the log is written. A
        payload of more than 8 MiB or 10,000 values, or nested deeper than 200, is `InvalidInput` and not kept.
        """
        logs, spilling = self._parts.logs, self._parts.spilling
        if user_id is not None:
            check_user_id(user_id)
        problems = logs.problems(payload)
        if problems:
            raise spilling.write("write_reflective_log", lambda tx: logs.quarantine(tx, payload, problems, user_id))
        given = dict(payload)
        return spilling.write("write_reflective_log", lambda tx: logs.write_given(tx, given, user_id, consent_id))

    @verb("read_reflective_log")
    def read_reflective_log(self, log_id: Id) -> ReflectiveLog:
        """Return a reflective log with its amendments and annotations, personal data redacted; raise `NotFound`."""
        logs = self._parts.logs
        return cast(ReflectiveLog, self._parts.world.store.read(lambda tx: logs.shown(tx, log_id)))

    @verb("update_reflective_log")
    def update_reflective_log(self, log_id: Id, patch: Annotated[dict[str, Json], Object()]) -> ReflectiveLog:
        """Append feedback, labels or tags; raise `ImmutableFieldError` for anything that is immutable."""
        logs = self._parts.logs
        unit: Callable[[Tx], dict[str, Any]] = lambda tx: logs.annotate(tx, log_id, patch)  # noqa: E731 - a unit
        return cast(ReflectiveLog, self._parts.spilling.write("update_reflective_log", unit))

    @verb("amend")
    def amend(
        self, log_id: Id, author: Line, changes: Annotated[JsonInput, AnyJson()], effect: AmendEffect
    ) -> Amendment:
        """Write a correction beside a log, which stays as it is; `author` is an id, not a person's name."""
        logs, by = self._parts.logs, self._speaking(author).caller.name
        made = self._parts.spilling.write("amend", lambda tx: logs.amend(tx, log_id, by, changes, effect))
        return cast(Amendment, made)

    @verb("amendments")
    def amendments(self, log_id: Id) -> list[Amendment]:
        """The corrections written beside a log, oldest first."""
        logs = self._parts.logs
        return cast(list[Amendment], self._parts.world.store.read(lambda tx: logs.amendments(tx, log_id)))

    @verb("recent_logs")
    def recent_logs(self, limit: Count = 20) -> list[ReflectiveLog]:
        """The newest reflective logs of everybody, newest first, personal data redacted."""
        logs = self._parts.logs
        return cast(list[ReflectiveLog], self._parts.world.store.read(lambda tx: logs.recent(tx, limit)))

    @verb("quarantine_read")
    def quarantine_read(self, quarantine_id: Id) -> QuarantineEntry:
        """Return what was quarantined and why, personal data redacted."""
        logs = self._parts.logs
        return cast(QuarantineEntry, self._parts.world.store.read(lambda tx: logs.quarantine_shown(tx, quarantine_id)))

    # Ledger

    @verb("event")
    def event(self, event_id: Id, job_seed: Line | None = None) -> list[Event]:
        """Return every event with this id (plain concatenation can make two), or only those of one seed."""
        try:
            wanted = bytes.fromhex(event_id)
        except ValueError:
            raise InvalidInput("event_id must be 64 hex characters") from None
        rows = self._parts.world.store.read(lambda tx: tx.events.by_id(wanted))
        found = [row.fields(canon.loads(row.body)) for row in rows]
        return cast(list[Event], [event for event in found if job_seed is None or event["job_seed"] == job_seed])

    @verb("events")
    def events(self, stream: Id) -> list[Event]:
        """All events of a stream (a job's id, or `system`), in order."""
        rows = self._parts.world.store.read(lambda tx: tx.events.of_stream(stream))
        return cast(list[Event], [row.fields(canon.loads(row.body)) for row in rows])

    @verb("verify")
    def verify(self, *, read_only: bool = False, quick: bool = False, progress: Progress | None = None) -> VerifyReport:
        """Check every byte of the record; put what is found on the record, unless `read_only`.

        `quick` checks events, the rows they name and every kept checkpoint, and leaves out what takes long: opening
        every key and blob, experience made anew, and the database file itself.
        """
        only = read_only or self._read_only
        return cast(VerifyReport, self._parts.verification.run(read_only=only, quick=quick, progress=progress))

    @verb("attest")
    def attest(self, actor: Line, statement: Words) -> Attestation:
        """Sign off all current findings after an integrity failure; the log then continues."""
        by = self._speaking(actor).caller.name
        self._parts.attestation.check(by, statement)
        return cast(Attestation, self._parts.attestation.attest(by, self._parts.verification.to_attest(), statement))

    @verb("checkpoint")
    def checkpoint(self) -> str:
        """Sign the tree's head, keep it outside the database as well, and return the signed note."""
        return self._parts.proofs.publish()

    @verb("public_key")
    def public_key(self) -> str:
        """The verifier key that a stranger needs to check checkpoints and proofs."""
        return self._parts.proofs.public_key()

    @verb("prove_inclusion")
    def prove_inclusion(self, event_id: Id) -> InclusionProof:
        """Prove to a stranger that an event is in the log that a checkpoint signs."""
        return cast(InclusionProof, self._parts.proofs.inclusion(event_id))

    @verb("prove_consistency")
    def prove_consistency(self, old_size: Count, new_size: Count) -> ConsistencyProof:
        """Prove to a stranger that the log of one size is a beginning of the log of another."""
        return cast(ConsistencyProof, self._parts.proofs.consistency(old_size, new_size))

    @verb("export")
    def export(self) -> Iterator[bytes]:
        """The whole log as lines that `mace log verify` can check anywhere."""
        from mace.ledger.export import event_line, header_line

        world, proofs = self._parts.world, self._parts.proofs
        size, words = world.store.read(lambda tx: (tx.events.size(), proofs.words(tx)))
        if self._caller.via == "owner" and self._caller._step is None and not self._read_only:
            self._exported()  # for everybody else the desk has recorded it
        yield header_line(world.keys.log_name, size, words)
        read = world.store.read
        for rows in batches(lambda start, limit: read(lambda tx: tx.events.scan(start, limit)), size):
            for row in rows:
                yield event_line(row)

    def _exported(self) -> None:
        """That the owner took everybody's events along is on the record, too."""
        recorder, actor = self._parts.recorder, self._caller.name
        payload = {"actor": actor, "what": "export_log", "which": "everybody's", "purpose": "export"}
        self._parts.spilling.write(
            "export", lambda tx: recorder.append(tx, recorder.system(tx), "admin_access_event", payload, actor)
        )

    @verb("rotate_key")
    def rotate_key(self) -> str:
        """Sign with a new HMAC key from now on, on every node; what was signed before stays good."""
        spilling = self._parts.spilling
        return self._parts.keyring.rotate(lambda unit: spilling.write("rotate_key", unit))

    @verb("rotate_master_key")
    def rotate_master_key(self) -> str:
        """Wrap the keys of people by a new master key and destroy the old one; return the id of the new one.

        Nothing that is sealed changes, and no signing key. A copy of the person keys from before opens with no key file
        of today. Other nodes of a shared database need a new invitation (`mace join`).
        """
        spilling = self._parts.spilling
        return self._parts.master_key.rotate(lambda unit: spilling.write("rotate_master_key", unit))

    # Privacy

    @verb("detect_and_handle")
    def detect_and_handle(
        self,
        payload: Annotated[JsonInput, AnyJson(MAX_SEARCHED_BYTES)],
        user_id: Id | None = None,
        job_seed: Line | None = None,
        consent_id: Id | None = None,
    ) -> DetectAnswer:
        """Look for personal data and say what may be done: `allowed`, `consent_required` or `redacted`."""
        speaker = self._parts.callers.speaker(self._caller)
        told = self._parts.consents.detect_and_handle(payload, user_id, job_seed, consent_id, speaker)
        return cast(DetectAnswer, told)

    @verb("grant_consent")
    def grant_consent(
        self,
        user_id: Id,
        consent_text: Words,
        scope: ConsentScope = "job",
        job_seed: Line | None = None,
        expires_at: Instant | None = None,
        data_types: _DataTypes | None = None,
        purposes: _Purposes = ("store",),
    ) -> ConsentGrant:
        """Record a person's consent, for one job or until it expires; without `data_types` for every type of data.

        `store` keeps it and lets packaged agents use it; `process` lets it out of this process, to a language engine.
        """
        granted = self._parts.consents.grant(
            user_id, consent_text, scope, job_seed, expires_at, data_types, tuple(purposes)
        )
        return cast(ConsentGrant, granted)

    @verb("revoke_consent")
    def revoke_consent(self, consent_id: Id) -> ConsentRevoked:
        """Take a consent back: what only it covers is no longer served, and its deletion is asked for. Idempotent."""
        return cast(ConsentRevoked, self._parts.consents.revoke(consent_id, self._signer))

    @verb("consents")
    def consents(self, user_id: Id) -> list[ConsentView]:
        """All consents of a person, with their words."""
        return cast(list[ConsentView], self._parts.consents.listed(user_id))

    @verb("request_dsr")
    def request_dsr(
        self,
        user_id: Id,
        kind: DsrKind,
        proof: Line,
        keys: Ids | None = None,
        *,
        changes: Annotated[Mapping[str, JsonInput], Object()] | None = None,
        consent_id: Id | None = None,
        job_seed: Line | None = None,
    ) -> DsrAnswer:
        """Open a person's request about their own data: `export`, or `delete` and `rectify`, which wait for approval.

        `changes` has the new values of a rectification by key; `consent_id` is the consent for those that are personal.
        """
        wanted = None if keys is None else list(keys)
        answer = self._parts.requests.request(
            user_id,
            kind,
            proof,
            wanted,
            changes=changes,
            consent_id=consent_id,
            job_seed=job_seed,
            speaker=self._parts.callers.speaker(self._caller),
        )
        return cast(DsrAnswer, answer)

    @verb("dsr")
    def dsr(self, dsr_id: Id) -> DsrView:
        """How a request stands, with its package or its manifest and receipt."""
        return cast(DsrView, self._parts.requests.get(dsr_id))

    @property
    def _signer(self) -> str:
        """By whom a person's own wish is signed: `user` where nobody else is named."""
        theirs = self._caller.via == "on_behalf_of" or self._caller.name == "owner"
        return "user" if theirs else self._caller.name

    # Shorter forms of verbs in groups

    @verb("request_review")
    def request_review(self, job_id: Id) -> ApprovalView:
        """Ask for a person to look at an answer; the result becomes an amendment."""
        return cast(ApprovalView, self._parts.reviews.request(job_id, self._signer))

    @verb("vote")
    def vote(
        self, request_id: Id, member: Line, vote: VoteChoice, totp: Line | None = None, *, job_seed: Line | None = None
    ) -> VoteAnswer:
        """Vote as `member`; the vote that decides carries out what was asked for. See `approvals.vote`."""
        return self._speaking(member, totp).approvals.vote(request_id, vote, job_seed=job_seed)

    @verb("acknowledge_incident")
    def acknowledge_incident(self, incident_id: Id, actor: Line, totp: Line | None = None) -> IncidentView:
        """Note on the record that `actor` has seen an incident. See `incidents.acknowledge`."""
        return self._speaking(actor, totp).incidents.acknowledge(incident_id)

    @verb("lift_replay_halt")
    def lift_replay_halt(self, incident_id: Id, actor: Line, totp: Line | None = None) -> LiftHaltAnswer:
        """Let replays run again after an incident's findings were attested. See `incidents.lift_halt`."""
        return self._speaking(actor, totp).incidents.lift_halt(incident_id)

    # Life

    @verb("sweep")
    def sweep(self) -> SweepReport:
        """Do what time alone causes.

        Questions whose process died are closed, programs and blocks become interrupted (`abandoned_jobs` counts both),
        requests that nobody decided in time are put down, the deletion of what expired consents let in is asked for,
        admins are told of deletions that wait too long, jobs without a person that are older than the setting allows
        are erased, and what an erasure left in the store's files is wiped.
        """
        return {
            "abandoned_jobs": self._parts.sweep.abandoned_jobs(),
            "expired_approvals": self._parts.approvals.expire(),
            "erased_jobs": self._parts.sweep.overdue_jobs(),
            "erasures_cleared": self._parts.sweep.cleared(),
            "expired_consents": self._parts.consents.end_expired(),
            "alerts": self._parts.approvals.alert(),
        }

    @verb("left_out")
    def left_out(self, of: LeavesOut, limit: Count = 20) -> LeftOut:
        """How many items a list leaves out because they are not what was signed; `limit` is that of `recent_logs`.

        `jobs.list` tells it with each page. What they are, `verify` says.
        """
        parts = self._parts
        counts: dict[LeavesOut, Callable[[], int]] = {
            "recent_logs": lambda: parts.world.store.read(lambda tx: parts.logs.left_out(tx, limit)),
            "approvals.list": lambda: parts.approvals.left_out(),
            "forensics.entries": lambda: parts.forensics.left_out(),
        }
        return {"of": of, "left_out": counts[of]()}

    @verb("describe")
    def describe(self, *, inspect: bool = False) -> Description:
        """What this MACE stands on, for `doctor`; no secrets. `inspect`: also what is wrong with the store itself."""
        world = self._parts.world
        size = world.store.read(lambda tx: tx.events.size())
        waiting = world.spill.entries()
        outage = outage_in(waiting)
        told = {
            "system_version": world.system_version,
            "store": world.store.describe(),
            "log_name": world.keys.log_name,
            "events": size,
            "checkpoints_kept_in": world.shelf.place(),
            "checkpoints_were_in": world.shelf.was_in(),
            "shelf": self._parts.proofs.shelf_state(),
            "spill_file": world.spill.place(),
            "spilled_waiting": len(waiting),
            "outage": None if outage is None else outage.to_json(world.clock.now()),
            "hmac_keys": world.keys.key_ids(),
            "user_ids": world.user_ids.mode,
            "forensic_key": self._forensic_key(),
            "router_fallbacks": world.store.read(fallbacks),
        }
        if inspect:
            told["damage"] = [item.detail for item in world.store.inspect(quick=True)]
            told["unclear_names"] = self._unclear_names()
        return cast(Description, told)

    def _unclear_names(self) -> list[str]:
        from mace.engine.ledger.registry_repair import unclear_names

        with suppress(IntegrityFailure):
            return self._parts.world.store.read(lambda tx: unclear_names(tx, self._parts.world.slots.bound))
        return []

    def _forensic_key(self) -> int | None:
        """The number of the key that evidence is sealed to; None where there is none that can be used."""
        with suppress(IntegrityFailure, PreconditionFailed):
            held = self._parts.world.store.read(self._parts.forensics.public_key)
            return None if held is None else held[0]
        return None

    def close(self) -> None:
        """Publish a last checkpoint and let go of everything. Idempotent; closing a view closes nothing."""
        if self._on_close is not None and not self._life.is_over:
            try:
                self._on_close()
            finally:
                self._life.is_over = True

    def __enter__(self) -> "Mace":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        world = self._parts.world
        state = "closed" if self._life.is_over else "read-only" if self._read_only else "open"
        return f"<Mace {world.location} {state}, as {self._caller.name}, {world.system_version}>"


def _is_ours(keys: Keys, event: StoredEvent) -> bool:
    is_signed = keys.check(Purpose.EVENT, event.hash, event.signature)
    return is_signed and keys.counts_at(event.signature, event.position)


def claim_log(parts: Parts, *, read_only: bool) -> None:
    """Give a new database its name; refuse one that belongs to other keys."""
    world, name = parts.world, parts.world.keys.log_name
    held, first = _name_and_beginning(world.store)
    if held is None and first is None and not read_only:

        def unit(tx: Tx) -> str:
            tx.lock("log_name")  # another node may be claiming it
            claimed = tx.notes.get("log_name")
            if claimed is None:
                tx.notes.put("log_name", name)
                parts.recorder.system(tx)
            return claimed or name

        held = parts.spilling.write("open", unit)
    if held != name and (first is None or not _is_ours(world.keys, first)):
        raise IntegrityFailure("the database belongs to another log than the keys beside it")
    # With another name but a beginning that our key signed it is our log, and `verify` names the change.


def _name_and_beginning(store: Store) -> tuple[str | None, StoredEvent | None]:
    """Both as far as they can be read: one of them is enough to open a damaged log, so that it can be verified."""
    try:
        return store.read(lambda tx: (tx.notes.get("log_name"), tx.events.at(SYSTEM_STREAM, 0)))
    except IntegrityFailure:
        with suppress(IntegrityFailure):
            held = store.read(lambda tx: tx.notes.get("log_name"))
            if held is not None:
                return held, None
        first = store.read(lambda tx: tx.events.at(SYSTEM_STREAM, 0))
        if first is None:
            raise  # nothing says whose log it is, and it is not a new one
        return None, first
