"""`perform`, `resume`, `cancel`: jobs of somebody's own programs, from their opening to their end.

The first unit claims the seed and keeps what was received; from then on every step of the program is committed before
anybody acts on it (`kernel.durable`), and the last unit stores the ending with its log. A job whose process is lost
stays as it is until somebody resumes it.
"""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeVar

from mace.core import canon, seeds
from mace.core.errors import (
    Conflict,
    IntegrityFailure,
    InvalidInput,
    MaceError,
    NotFound,
    PreconditionFailed,
    ServiceUnavailable,
    StorageFull,
    envelope,
)
from mace.core.programs import MAX_REQUEST_BYTES, Registered
from mace.core.times import iso_ms, parse_instant, to_ms
from mace.core.traces import read_traceparent
from mace.engine.facts.verbs import FactVerbs
from mace.engine.governance.consents import Consents
from mace.engine.kernel import trees
from mace.engine.kernel.cleaning import check_words, is_personal
from mace.engine.kernel.durable import DurableTape, Fenced, Tree, must_be_held
from mace.engine.kernel.holding import Holding
from mace.engine.kernel.job import Ending, Jobs, NoProgram, Opened, OpenStored, Record, conclude
from mace.engine.kernel.privacy import Flag, Own, check_user_id, flags_in_json, screen
from mace.engine.kernel.recorder import Recorder, check_seed, origin_of
from mace.engine.kernel.reels import Halted, Reel, ReplayReel, Step
from mace.engine.kernel.spilling import Spilling
from mace.engine.kernel.tape import Diverged, JobErased, Outcome, Unreadable
from mace.engine.kernel.vault import Vault
from mace.engine.kernel.world import World
from mace.engine.programs.hands import ProgramHands, RecallOf, RememberOf
from mace.engine.programs.mailbox import CANCELLED, Mailbox
from mace.engine.programs.program import DEADLINE, Act, OwnPrograms, opening
from mace.ledger.jobs import DURABLE, OPEN, JobTold
from mace.memory.people.turns import check_conversation
from mace.storage.ports import Tx

if TYPE_CHECKING:
    from mace.engine.people.recalling import Recalling
    from mace.engine.people.remembering import Remembering

T = TypeVar("T")
MAX_REASON_CHARS = 500


@dataclass(slots=True)
class Begun:
    """A job that is open in this process, ready to be played."""

    tape: DurableTape
    received: dict[str, Any]
    snapshot: dict[str, Any]
    deadline: datetime | None


class Performing:
    """Opens, plays, resumes and cancels jobs of programs."""

    def __init__(
        self,
        world: World,
        recorder: Recorder,
        vault: Vault,
        jobs: Jobs,
        facts: FactVerbs,
        consents: Consents,
        spilling: Spilling,
        holding: Holding,
        programs: OwnPrograms,
        mailbox: Mailbox,
        open_stored: OpenStored,
        remembering: "Callable[[], Remembering]",
        recalling: "Callable[[], Recalling]",
    ) -> None:
        self._world = world
        self._recorder = recorder
        self._vault = vault
        self._jobs = jobs
        self._facts = facts
        self._consents = consents
        self._spilling = spilling
        self._holding = holding
        self.programs = programs
        self.mailbox = mailbox
        self._open_stored = open_stored
        self._remembering = remembering
        self._recalling = recalling

    # Performing

    def perform(
        self, program: Any, given: Any, user_id: str | None, job_seed: str | None, **more: Any
    ) -> dict[str, Any]:
        """Run a program to its end; failures are part of the answer."""
        found, seed = self._wanted(program, given, job_seed)
        try:
            begun = self._begin(found, given, user_id, seed, job_seed is not None, **more)
        except (StorageFull, ServiceUnavailable, Conflict, IntegrityFailure) as error:
            return self._unrecorded(found, seed, error)
        return self._played(begun, found, 1)

    async def aperform(
        self, program: Any, given: Any, user_id: str | None, job_seed: str | None, **more: Any
    ) -> dict[str, Any]:
        """The same inside a running event loop: an async program runs in it, a plain one beside it."""
        aside = self._world.runner.aside
        found, seed = self._wanted(program, given, job_seed)
        try:
            begun = await aside(lambda: self._begin(found, given, user_id, seed, job_seed is not None, **more))
        except (StorageFull, ServiceUnavailable, Conflict, IntegrityFailure) as error:
            return self._unrecorded(found, seed, error)
        act = self._act(begun)
        if not act.is_async:
            return await aside(lambda: self._played(begun, found, 1, act))
        self._holding.begin(begun.tape.stream)
        try:
            came_to = await act.arun()
            ending = await aside(lambda: self._ended(act, begun, came_to))
            return self._answer(ending.result, 1)
        except Halted as halted:
            cause = halted.cause
            if isinstance(cause, KeyboardInterrupt | SystemExit):
                self.interrupt(begun, "stopped")
                raise cause from None
            return await aside(lambda: self._halted(begun, found, 1, cause))
        except (KeyboardInterrupt, SystemExit, asyncio.CancelledError):
            self.interrupt(begun, "stopped")
            raise
        finally:
            self._holding.end(begun.tape.stream)

    def _wanted(self, program: Any, given: Any, job_seed: str | None) -> tuple[Registered, str]:
        found = self.programs.registry.named(program)
        try:
            size = len(canon.dumps_given(given))
        except canon.NotCanonical as error:
            raise InvalidInput(f"input must be JSON: {error}") from None
        if size > MAX_REQUEST_BYTES:
            raise InvalidInput(f"input has {size} bytes, at most {MAX_REQUEST_BYTES} are allowed")
        return found, self._recorder.fresh_seed() if job_seed is None else check_seed(job_seed)

    def _played(self, begun: Begun, found: Registered, life: int, act: Act | None = None) -> dict[str, Any]:
        """Play a job that is open, to its end or until it cannot go on."""
        stream = begun.tape.stream
        self._holding.begin(stream)
        try:
            act = act or self._act(begun)
            came_to = self._driven(act) if act.is_async else act.run()
            return self._answer(self._ended(act, begun, came_to).result, life)
        except Halted as halted:
            if isinstance(halted.cause, KeyboardInterrupt | SystemExit):
                self.interrupt(begun, "stopped")
            if isinstance(halted.cause, Diverged | Unreadable | KeyboardInterrupt | SystemExit):
                raise halted.cause from None
            return self._halted(begun, found, life, halted.cause)
        except (KeyboardInterrupt, SystemExit):
            self.interrupt(begun, "stopped")
            raise
        finally:
            self._holding.end(stream)

    def _driven(self, act: Act) -> tuple[Any, BaseException | None]:
        try:
            return self._world.runner.drive(act.arun)
        except asyncio.CancelledError as error:  # the program's own: nobody cancelled this one
            return None, error

    def _act(self, begun: Begun) -> Act:
        return self.programs.act(begun.tape, begun.received, begun.snapshot, self.hands(begun))  # type: ignore[arg-type]

    def _ended(self, act: Act, begun: Begun, came_to: tuple[Any, BaseException | None]) -> Ending:
        """Put the end of a job on the record."""
        ending = act.ended(*came_to)
        return conclude(ending, begun.tape, self.record(begun.tape))

    def record(self, tape: DurableTape) -> Record:
        """Where the ending of a job goes."""
        return self._jobs.record(tape, lambda _tx, _ending: None)

    def hands(self, begun: Begun) -> ProgramHands:
        """The world, for one job."""
        tree = begun.tape.tree
        tree.stop = lambda: _heard(tree, lambda: self._stop(tree.root, begun.deadline))

        def ask(reel: Reel, step: Step, wait_ms: int | None) -> tuple[Outcome, float]:
            return _heard(tree, lambda: self.mailbox.ask(reel, step, wait_ms, self._left(begun.deadline)))

        return ProgramHands(
            host=self._world,
            read_fact=self._read_fact,
            ask=ask,
            recall_of=self._recall_of(begun),
            remember_of=self._remember_of(begun),
            stop=lambda: tree.stop(),
            time_left_ms=lambda: self._left(begun.deadline),
        )

    def _recall_of(self, begun: Begun) -> RecallOf | None:
        user_id, job_id = begun.received["user_id"], begun.tape.stream
        if user_id is None:
            return None

        def recall(query: str, budget_tokens: int, conversation_id: str | None) -> dict[str, Any]:
            return self._recalling().recall(
                user_id, query, budget_tokens, conversation_id=conversation_id, job_id=job_id
            )

        return recall

    def _remember_of(self, begun: Begun) -> RememberOf | None:
        received = begun.received
        if received["user_id"] is None:
            return None
        consents = [used["consent_id"] for used in received["consents"]]

        def remember(messages: Any, idempotency_key: str) -> dict[str, Any]:
            return self._remembering().remember(
                received["user_id"],
                messages,
                conversation_id=received.get("conversation_id"),
                consent_id=consents[0] if consents else None,
                idempotency_key=idempotency_key,
            )

        return remember

    def _stop(self, root: str, deadline: datetime | None) -> str | None:
        if deadline is not None and self._world.clock.now() >= deadline:
            return DEADLINE
        return CANCELLED if self.mailbox.cancelled(root) else None

    def _left(self, deadline: datetime | None) -> float | None:
        return None if deadline is None else (deadline - self._world.clock.now()) / timedelta(milliseconds=1)

    def _read_fact(self, key: str) -> dict[str, Any]:
        found = dict(self._facts.get_versioned(key))
        version = found.pop("version")
        return {"found": found, "version": version}

    # Opening

    def _begin(
        self,
        program: Registered,
        given: Any,
        user_id: str | None,
        seed: str,
        is_given_seed: bool,
        *,
        consent_id: str | None = None,
        conversation_id: str | None = None,
        deadline: str | datetime | None = None,
        traceparent: str | None = None,
    ) -> Begun:
        return self.open(
            {"kind": "program", "program": program.name, "version": program.version},
            given,
            user_id,
            seed,
            verb="perform",
            is_given_seed=is_given_seed,
            consent_id=consent_id,
            deadline=deadline,
            traceparent=traceparent,
            more={} if conversation_id is None else {"conversation_id": _conversation(conversation_id)},
        )

    def open(
        self,
        job: Mapping[str, Any],
        given: Any,
        user_id: str | None,
        seed: str,
        *,
        verb: str,
        is_given_seed: bool,
        consent_id: str | None = None,
        deadline: str | datetime | None = None,
        traceparent: str | None = None,
        more: Mapping[str, Any] | None = None,
    ) -> Begun:
        """Claim a seed, keep what was received and the snapshot, in one unit."""
        if user_id is not None:
            check_user_id(user_id)
        until = None if deadline is None else _deadline(deadline, self._world.clock.now())
        said = canon.loads(canon.dumps_given(given))
        flags = flags_in_json(self._world.keys, said, "", seed)
        caused_by = read_traceparent(traceparent)

        def unit(tx: Tx) -> Begun:
            person = self._facts.user_slug(tx, user_id) if user_id else None
            told = {**job, "person": person or ""}
            tape = self._jobs.claim_durable(
                tx, seed, verb, told, {} if caused_by is None else {"traceparent": caused_by}, Own()
            )
            named = consent_id is not None or is_given_seed  # else no consent can be meant
            covering = self._covering(tx, consent_id, person, seed) if person and named else {}
            self._allow(tx, tape.tree, covering, person, seed)
            keep = tape.tree.may_keep
            passed = screen(self._world.keys, said, seed, stay=keep)
            kept = [flag for flag in flags if flag.pii_type in keep]
            received = {
                "input": passed.value,
                "person": person,
                "user_id": user_id,
                "query_text_hash": self._hash(tape, passed.value, person),
                "flags": [flag.payload() for flag in passed.flags],
                "withheld": list(passed.withheld),
                "consents": self._used(covering, kept),
                "source": "api",
                "at_ms": to_ms(tape.started_at),
                "deadline": None if until is None else iso_ms(until),
                "time_ms": 0 if until is None else int((until - tape.started_at) / timedelta(milliseconds=1)),
                **(more or {}),
            }
            snapshot = self._jobs.take(tx, tape, self._snapshot(job))
            received = canon.loads(canon.dumps(received))  # as a replay will read it
            opening(tape, received)
            tape.flush_in(tx)
            self._watch_consents(tape.tree, received, seed)
            tape.own = tape.tree.own = Own(canon.dumps(received["input"]).decode())
            return Begun(tape, received, snapshot, until)

        return self._given(seeds.job_id(seed), unit, lambda whole: self._spilling.write(verb, whole))

    def _given(self, stream: str, unit: Callable[[Tx], T], write: Callable[[Callable[[Tx], T]], T]) -> T:
        """Run a unit that gives this process a job; from its commit on the heart beats for it."""
        given = False

        def whole(tx: Tx) -> T:
            nonlocal given
            if given:  # the unit runs again
                self._holding.end(stream)
            result = unit(tx)
            self._holding.expect(stream)
            given = True
            return result

        try:
            result = write(whole)
        except BaseException:
            if given:
                self._holding.end(stream)
            raise
        self._holding.begin(stream)
        return result

    def _snapshot(self, job: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "kind": "job",
            "program": {"name": job["program"], "version": job["version"]},
            "rules": self.programs.rules(),
            "system_version": self._world.system_version,
        }

    def _hash(self, tape: DurableTape, value: Any, person: str | None) -> str:
        plain = value.encode() if isinstance(value, str) else canon.dumps(value)
        return canon.sha256_hex(plain) if person is None else self._world.keys.keyed_hash(tape.data_key, plain)

    def _covering(self, tx: Tx, consent_id: str | None, person: str | None, seed: str) -> dict[str, tuple[str, ...]]:
        """The types of medium data that may be readable in this job, by the consent that says so."""
        return self._consents.covering(tx, consent_id, person, seed, self._consents.medium_types())

    def _allow(
        self, tx: Tx, tree: Tree, covering: Mapping[str, tuple[str, ...]], person: str | None, seed: str
    ) -> None:
        """Let through the gates of a job what consent covers: to be kept, and to be sent."""
        tree.may_keep = frozenset(name for types in covering.values() for name in types)
        sent: set[str] = set()
        for used, types in covering.items():
            sent |= self._consents.may_be_sent(tx, used, person, seed) & set(types)
        tree.may_send = frozenset(sent)

    def _watch_consents(self, tree: Tree, received: Mapping[str, Any], seed: str) -> None:
        """Let every step ask again what the consents of a job cover: one that ended covers nothing more."""
        given = sorted({used["consent_id"] for used in received["consents"]})
        if not given:
            return

        def allow(tx: Tx) -> None:
            found: dict[str, tuple[str, ...]] = {}
            for consent_id in given:
                found |= self._covering(tx, consent_id, tree.person, seed)
            self._allow(tx, tree, found, tree.person, seed)

        tree.look_at_consent = lambda: self._world.store.read(allow)

    def _used(self, covering: Mapping[str, tuple[str, ...]], kept: list[Flag]) -> list[dict[str, Any]]:
        return [
            self._consents.use_in_question(used, [flag for flag in kept if flag.pii_type in types])
            for used, types in covering.items()
        ]

    # Taking up again

    def resume(self, job_id: str, *, abandon: bool = False) -> dict[str, Any]:
        """Go on with a job whose process was lost, from where its record ends."""
        told = self._look(job_id)
        if abandon:
            return self._give_up(told)
        said = told.said or {}
        self._world.store.read(lambda tx: self._must_be_free(tx, told.stream))
        if told.kind != "program":
            raise PreconditionFailed(f"this job is of kind {told.kind}; only jobs of programs can be resumed")
        try:
            found = self.programs.registry.get(said["program"], said["version"])
        except NoProgram as error:
            known = ", ".join(error.versions) or "none"
            raise PreconditionFailed(
                f"the job was performed by program {error.name} version {error.version}, which is not registered here "
                f"(registered versions: {known}); it stays interrupted"
            ) from None
        life, holder = self._take_up(told)
        try:
            begun = self._reopened(self._open_stored(told.stream), life, holder)
        except (Unreadable, Diverged, MaceError) as error:
            self._interrupt(told.stream, life, holder, "unreadable")
            self._holding.end(told.stream)
            reason = error.what if isinstance(error, Unreadable) else str(error)
            raise PreconditionFailed(f"the record of the job cannot be played: {reason}; run verify") from None
        except BaseException:
            self._holding.end(told.stream)
            raise
        return self._continued(begun, found, life)

    def _continued(self, begun: Begun, found: Registered, life: int) -> dict[str, Any]:
        try:
            return self._played(begun, found, life)
        except Unreadable as error:
            self.interrupt(begun, "unreadable")
            raise PreconditionFailed(f"the record of the job cannot be played: {error.what}; run verify") from None
        except Diverged as error:
            try:
                self._abandon(begun, "version_changed")
            except Fenced as fenced:
                return self._unrecorded(found, begun.tape.job_seed, fenced, "interrupted", life)
            where = "" if error.call is None else f", at call {error.call['name']} ({error.call['number']})"
            reason = (
                f"the program does something else than its record says{where}; it was changed under the same version, "
                "so the job was abandoned"
            )
            return self._unrecorded(found, begun.tape.job_seed, PreconditionFailed(reason), "abandoned", life)

    def _look(self, job_id: str) -> JobTold:
        def look(tx: Tx) -> JobTold:
            told = self._recorder.jobs.told(tx, job_id)
            if told is not None and told.root:
                told = self._recorder.jobs.told(tx, told.root)
            if told is None:
                raise NotFound(what=f"job {job_id}")
            return told

        return self._world.store.read(look)

    def _must_be_free(self, tx: Tx, root: str) -> JobTold:
        """A job that may be taken up or ended: it is not over, and nobody plays it."""
        told = self._recorder.jobs.told(tx, root)
        row = tx.jobs.get(root)
        if told is None or row is None:
            raise NotFound(what=f"job {root}")
        if told.status not in OPEN:
            raise Conflict(f"the job is {told.status}")
        if told.status != "interrupted" and not self._holding.is_given_up(tx, row):
            raise Conflict("the job is running")
        if self._recorder.jobs.is_erased(tx, root):
            raise Conflict("the job was erased")
        return told

    def _take_up(self, told: JobTold) -> tuple[int, str]:
        def unit(tx: Tx) -> tuple[int, str]:
            tx.lock(f"job/{told.stream}")
            held = self._must_be_free(tx, told.stream)
            holder = self._holding.hold(tx)
            began = parse_instant(held.opened_at)
            elapsed = int((self._world.clock.now() - began) / timedelta(milliseconds=1))
            return trees.take_up(tx, self._recorder, held, holder, max(elapsed, 0)), holder

        return self._given(told.stream, unit, self._world.store.write)

    def _reopened(self, stored: Opened, life: int, holder: str) -> Begun:
        """The tape of a job that is taken up: its stored part, then live."""
        root = stored.told.stream
        received: dict[str, Any] = canon.loads(stored.received)
        person, seed = received["person"], stored.told.seed
        tree = Tree(
            world=self._world,
            vault=self._vault,
            recorder=self._recorder,
            root=root,
            person=person,
            holder=holder,
            life=life,
            data_key=stored.data_key,
            own=Own(canon.dumps(received["input"]).decode()),
            stored=lambda stream: stored.events.get(stream, []),
            blob=stored.blob,
        )
        self._watch_consents(tree, received, seed)
        tree.look_at_consent()
        events = stored.events[root]
        origin = origin_of(events[0])
        played = ReplayReel(
            self._world, self._vault, origin, events, stored.start, stored.data_key, stored.blob, tree.stored
        )
        played.event("SNAPSHOT_TAKEN", stored.snapshot_event)
        tape = DurableTape(tree, origin, None, played=played)
        until = None if received["deadline"] is None else parse_instant(received["deadline"])
        return Begun(tape, received, stored.snapshot, until)

    def _give_up(self, told: JobTold) -> dict[str, Any]:
        def unit(tx: Tx) -> None:
            tx.lock(f"job/{told.stream}")
            self._must_be_free(tx, told.stream)
            trees.abandon(tx, self._recorder, told.stream, "version_changed")

        self._world.store.write(unit)
        said = told.said or {}
        found = Registered(said.get("program", told.kind), said.get("version", ""), _nothing)
        return self._unrecorded(found, told.seed, None, "abandoned", told.life)

    # Ending from outside

    def cancel(self, job_id: str, reason: str, by: str) -> str:
        """End a job: at its next step if it is being played, else at once. Return the id of the whole job."""
        if reason:
            check_words(reason, "reason", MAX_REASON_CHARS)
        told = self._look(job_id)
        if told.kind not in DURABLE:
            raise PreconditionFailed(
                f"this job is of kind {told.kind}; only programs and recorded blocks can be cancelled"
            )

        def unit(tx: Tx) -> None:
            tx.lock(f"job/{told.stream}")
            held, row = self._recorder.jobs.told(tx, told.stream), tx.jobs.get(told.stream)
            if held is None or held.status not in OPEN:
                raise Conflict(f"the job is {'gone' if held is None else held.status}")
            if held.status != "interrupted" and row is not None and not self._holding.is_given_up(tx, row):
                self.mailbox.cancel(tx, told.stream, reason, by)
            else:
                self.mailbox.cancel(tx, told.stream, reason, by)
                trees.cancel(tx, self._recorder, told.stream, CANCELLED)

        self._spilling.write("cancel", unit)
        return told.stream

    def holds(self, begun: Begun, yes: bool) -> None:
        """Say that this process plays a job, or does not any more."""
        if yes:
            self._holding.begin(begun.tape.stream)
        else:
            self._holding.end(begun.tape.stream)

    def interrupt(self, begun: Begun, reason: str) -> None:
        """Say that nobody plays a job any more; if that cannot be stored, a sweep finds it out."""
        tree = begun.tape.tree
        self._interrupt(tree.root, tree.life, tree.holder, reason)

    def _interrupt(self, root: str, life: int, holder: str, reason: str) -> None:
        def unit(tx: Tx) -> None:
            must_be_held(tx, root, life, holder)  # else it is somebody else's by now
            trees.interrupt(tx, self._recorder, root, reason)

        with suppress(MaceError):
            self._world.store.write(unit)

    def _abandon(self, begun: Begun, reason: str) -> None:
        tree = begun.tape.tree

        def unit(tx: Tx) -> None:
            must_be_held(tx, tree.root, tree.life, tree.holder)
            trees.abandon(tx, self._recorder, tree.root, reason)

        self._world.store.write(unit)

    def halted(self, begun: Begun, cause: BaseException) -> tuple[MaceError, str]:
        """A job that cannot go on in this process: what to tell, and how it stands."""
        if isinstance(cause, JobErased):
            with suppress(MaceError):
                self._abandon(begun, "erased")
            return cause, "abandoned"
        if isinstance(cause, StorageFull | ServiceUnavailable):
            self._spilling.spill("perform", cause)
        if not isinstance(cause, MaceError):
            return ServiceUnavailable(type(cause).__name__), "interrupted"
        if not isinstance(cause, Fenced):
            self.interrupt(begun, "not_stored")
        return cause, "interrupted"

    def _halted(self, begun: Begun, found: Registered, life: int, cause: BaseException) -> dict[str, Any]:
        error, status = self.halted(begun, cause)
        return self._unrecorded(found, begun.tape.job_seed, error, status, life)

    # Answers

    @staticmethod
    def _answer(result: Mapping[str, Any], life: int) -> dict[str, Any]:
        return {**result, "resumed": life - 1}

    def _unrecorded(
        self, found: Registered, seed: str, error: MaceError | None, status: str = "failed", life: int = 1
    ) -> dict[str, Any]:
        """An answer that says why there is none; nothing of it is in the log."""
        job_id = seeds.job_id(seed)
        told = None
        if error is not None:
            told = envelope(
                error.code,
                query_id=job_id,
                trace_id=seeds.trace_id(seed),
                timestamp=iso_ms(self._recorder.now_ms()),
                details=error.details,
            )
        return {
            "job_id": job_id,
            "log_id": None,
            "program": found.name,
            "version": found.version,
            "status": status,
            "text": None,
            "answer": None,
            "evidence": [],
            "error": told,
            "notices": [] if told is None else [told],
            "resumed": life - 1,
        }


def _heard(tree: Tree, listen: Callable[[], T]) -> T:
    """Read what people said to a job; where that cannot be read the job ends here, whatever its program catches."""
    try:
        return listen()
    except (IntegrityFailure, ServiceUnavailable, StorageFull) as error:
        tree.halted = tree.halted or error
        raise Halted(error) from None


def _nothing(_job: object, _input: object) -> None:
    """No function: of a job that is given up."""


def _conversation(conversation_id: str) -> str:
    if is_personal(check_conversation(conversation_id)):
        raise InvalidInput("conversation_id must not contain personal data")
    return conversation_id


def _deadline(deadline: str | datetime, now: datetime) -> datetime:
    try:
        until = parse_instant(deadline if isinstance(deadline, str) else deadline.isoformat())
    except ValueError:
        raise InvalidInput("deadline must be a time in ISO 8601 with its zone") from None
    if until <= now:
        raise InvalidInput("deadline must be in the future")
    return until
