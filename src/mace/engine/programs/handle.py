"""`Job`: what a program is given, and its only way to the record and to the world.

Each method records what it did before its result is handed over, and hands over what was recorded; a replay hands over
the same. A job can be used where it was made: in its own program, branch and process, one call at a time, until it is
over. Anywhere else a call fails by name (`foreign_handle`) and touches nothing.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

from mace.core import canon
from mace.core.answers import Completion, Evidence, Json, Message, Recall, RecallItem, RememberAnswer, SemGet
from mace.core.errors import InvalidInput, MaceError
from mace.core.programs import MAX_REQUEST_BYTES, CallError, CallFailed, check_call_name
from mace.core.times import iso_us
from mace.engine.kernel.cleaning import personal_name
from mace.engine.kernel.reels import BranchEnd, Cancelled, Halted, Reel, Step, path_of
from mace.engine.kernel.tape import Diverged, Outcome, Unreadable
from mace.engine.programs.hands import ProgramHands, is_async, name_of
from mace.memory.people.turns import MAIN

T = TypeVar("T")

_CURRENT: ContextVar["Job | None"] = ContextVar("mace_job", default=None)
_MAX_SHOWN_CHARS = 500  # of a call's result, in the log
MAX_MAPPED = 10_000


def current_job() -> "Job | None":
    """The job whose program, branch or recorded block this code runs in; None outside of one."""
    return _CURRENT.get()


class TaskCancelled(MaceError):
    """The task of a call was cancelled: what the call came to is not known, so the job cannot go on here."""

    code = "PRECONDITION_FAILED"

    def __init__(self) -> None:
        super().__init__("the task of a call was cancelled; use time_limit_ms instead of asyncio's timeouts")


@dataclass(frozen=True, slots=True)
class Ending:
    """What a program returns: made by `job.answer`."""

    text: str | None
    value: Json = None
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True)
class CallMade:
    """A call as the log of the job shows it."""

    branch: str
    number: int
    kind: str
    name: str
    failed: str | None
    elapsed_ms: float
    shown: str
    result_hash: str
    tokens: int


@dataclass(slots=True)
class Playing:
    """What all handles of one job share."""

    job_id: str
    person: str | None
    hands: ProgramHands | None  # None on replay: nothing is done
    process: int | None = None
    conversation_id: str = MAIN
    calls: list[CallMade] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    facts: dict[str, dict[str, Any]] = field(default_factory=dict)  # the facts that were read, by key
    fact_keys: dict[str, str] = field(default_factory=dict)  # by the hash of what was read
    over: bool = False
    stopped: str | None = None  # it, or one of its branches, was told to stop
    broken: BaseException | None = None  # the record says otherwise, or cannot be read

    def world(self) -> ProgramHands:
        if self.hands is None:
            raise RuntimeError("a replay does nothing")
        return self.hands


class Job:
    """The job of a program. Make none yourself: a program is given one."""

    def __init__(self, playing: Playing, reel: Reel, parent: "Job | None" = None) -> None:
        self._playing = playing
        self._reel = reel
        self._parent = parent
        self._free = [None]  # taken out while a call is being made: two at once would have no order
        self._ended = False
        self._stopped: str | None = None
        self._answered: Ending | None = None  # of a block: what it came to
        self._branches: list[Job] = []
        self._named: list[Reel] = []  # branches that a fan-in has not named yet
        self.withheld: list[str] = []

    @property
    def job_id(self) -> str:
        """The id of the job, in its branches too."""
        return self._playing.job_id

    @property
    def person(self) -> str | None:
        """Whose job it is, as the ledger calls them; None for nobody's."""
        return self._playing.person

    def __repr__(self) -> str:
        where = path_of(self._reel)
        return f"<job {self.job_id}{f' branch {where}' if where else ''}{' (over)' if self._is_over else ''}>"

    # Calls

    def call(
        self,
        name: str,
        request: Json,
        fn: Callable[[Any], Any],
        *,
        idempotent: bool = False,
        time_limit_ms: int | None = None,
    ) -> Any:
        """Make a call, on the record: `fn(request)`, JSON in and JSON out.

        After a crash a call that had begun is made again only if it is `idempotent`; else it fails as
        `unknown_result`. Raises `CallFailed`, which a program may catch.
        """
        _check_name(name)
        _check_limit(time_limit_ms)
        if not callable(fn):
            raise InvalidInput("fn must be callable: it is given the request as it is recorded")
        if is_async(fn):
            raise InvalidInput("fn is async: use await job.acall(...)")

        def perform(step: Step) -> tuple[Outcome, float]:
            return self._playing.world().call(fn, step.request, time_limit_ms)

        return self._made("call", name, request, idempotent, perform)

    async def acall(
        self,
        name: str,
        request: Json,
        fn: Callable[[Any], Any] | Callable[[Any], Awaitable[Any]],
        *,
        idempotent: bool = False,
        time_limit_ms: int | None = None,
    ) -> Any:
        """Make a call from an async program; `fn` may be async or plain."""
        _check_name(name)
        _check_limit(time_limit_ms)
        if not callable(fn):
            raise InvalidInput("fn must be callable: it is given the request as it is recorded")
        self._enter(name)
        try:
            hands = self._playing.hands
            if hands is None:
                await asyncio.sleep(0)  # as live, others come between: who uses one job twice at once is told so again
                return self._taken(self._begun("call", name, request, idempotent))
            step = await hands.aside(lambda: self._begun("call", name, request, idempotent))
            if step.outcome is None:
                outcome, elapsed_ms = await hands.acall(fn, step.request, time_limit_ms)
                begun = step
                step = await hands.aside(lambda: self._on_reel(lambda reel: reel.finish(begun, outcome, elapsed_ms)))
            return self._taken(step)
        except asyncio.CancelledError:
            self._playing.broken = self._playing.broken or TaskCancelled()
            raise
        except (KeyboardInterrupt, SystemExit) as stop:
            self._playing.broken = self._playing.broken or stop
            raise
        finally:
            self._leave()

    def complete(self, messages: list[Message], **options: Json) -> Completion:
        """Ask the configured language engine, on the record.

        Options: `max_output_tokens`, `temperature`, `stop`, `seed`, `time_limit_ms`.
        """
        limit = options.pop("time_limit_ms", None)
        _check_limit(limit)
        request = {"messages": messages, **options}

        def perform(step: Step) -> tuple[Outcome, float]:
            return self._playing.world().complete(self._reel, step, cast(int | None, limit))

        return cast(Completion, self._made("complete", "complete", request, True, perform))

    def fact(self, key: str) -> SemGet:
        """Read a fact: one about the world, or one of the job's own person."""
        if not isinstance(key, str):
            raise InvalidInput("key must be a str")

        def perform(step: Step) -> tuple[Outcome, float]:
            return self._playing.world().fact(step.request["key"], self._playing.person)

        found = self._made("fact", "fact", {"key": key}, True, perform)
        self._playing.fact_keys[canon.sha256_hex(canon.dumps(found["found"]))] = key
        self._playing.facts[key] = {"exists": found["found"]["exists"], "version": found["version"]}
        return cast(SemGet, found["found"])

    def recall(self, query: str, budget_tokens: int = 1000, *, in_conversation: bool = False) -> Recall:
        """What matters now about the job's own person: facts, rules and turns as a block for a prompt.

        `in_conversation`: turns of the job's own conversation alone.
        """
        if not isinstance(query, str):
            raise InvalidInput("query must be a str")
        if not isinstance(budget_tokens, int) or isinstance(budget_tokens, bool):
            raise InvalidInput("budget_tokens must be an int")
        request: dict[str, Any] = {"query": query, "budget_tokens": budget_tokens}
        if in_conversation:
            request["conversation_id"] = self._playing.conversation_id

        def perform(step: Step) -> tuple[Outcome, float]:
            return self._playing.world().recall(step.request)

        return cast(Recall, self._made("recall", "recall", request, True, perform, inward=True))

    def remember(self, messages: str | Sequence[Message]) -> RememberAnswer:
        """Keep what was said by or to the job's own person, once, whatever happens to this process."""
        if not isinstance(messages, str | list | tuple):
            raise InvalidInput("messages must be a str or a list of messages")

        def perform(step: Step) -> tuple[Outcome, float]:
            return self._playing.world().remember(self._reel, step)

        answer = self._made("remember", "remember", {"messages": messages}, True, perform, inward=True)
        cut = sorted({*answer["redacted"], *self.withheld})  # what was cut on the way is told as well
        return cast(RememberAnswer, {**answer, "redacted": cut})

    def ask_person(self, question: str, *, wait_ms: int | None = None) -> Any:
        """Ask the job's person, or whoever may answer for them, and wait; None when nobody answered in time."""
        if not isinstance(question, str) or not question.strip():
            raise InvalidInput("question must be a str with something in it")
        _check_limit(wait_ms, "wait_ms")
        request = {"question": question, "wait_ms": wait_ms}

        def perform(step: Step) -> tuple[Outcome, float]:
            return self._playing.world().ask_person(self._reel, step, wait_ms)

        return self._made("person", "ask_person", request, True, perform)

    # Values from the world

    def now(self) -> str:
        """The time now, in UTC, as recorded."""
        return str(self._observed("now", lambda hands: iso_us(hands.clock.now())))

    def random(self) -> float:
        """A random number from 0 to below 1, as recorded."""
        bits = self._observed("random", lambda hands: int.from_bytes(hands.entropy.token(7), "big") >> 3)
        return int(bits) / (1 << 53)

    def uuid(self) -> str:
        """A random UUID, as recorded."""
        return str(self._observed("uuid", lambda hands: _uuid(hands.entropy.token(16))))

    def _observed(self, name: str, look: Callable[[ProgramHands], Any]) -> Any:
        self._enter(name)
        try:
            return self._on_reel(lambda reel: reel.observe(name, lambda: look(self._playing.world())))
        finally:
            self._leave()

    # Branches

    @contextmanager
    def branch(self, name: str) -> Iterator["Job"]:
        """A branch with a record of its own, for what runs beside something else; use its job inside of it."""
        _check_name(name)
        self._must_be_usable(f"branch {name}")
        child = Job(self._playing, self._on_reel(lambda reel: reel.branch(name)), self)
        self._branches.append(child)
        self._named.append(child._reel)
        token = _CURRENT.set(child)
        try:
            yield child
        except (Halted, KeyboardInterrupt, SystemExit, GeneratorExit):
            raise
        except Cancelled:
            child._end(None, "cancelled")
            raise
        except BaseException as error:
            child._end({"exception": name_of(error)}, "failed")
            raise
        else:
            child._end(None, "closed")
        finally:
            child._ended = True
            _reset(token)

    def map(self, fn: Callable[["Job", Any], Any], items: Sequence[Json], *, at_most: int = 8) -> list[Any]:
        """Run `fn(job, item)` for every item, each in a branch of its own, `at_most` at the same time.

        Results come in the order of the items. All are run; if some failed, the error of the first of them is raised.
        """
        if is_async(fn):
            raise InvalidInput("fn is async: use await job.amap(...)")
        given = self._mapped(fn, items, at_most)
        self._enter("map")
        try:
            self._stop_if_told()
            branches: list[Job] = []
            if self._playing.hands is None or at_most == 1 or len(given) < 2:
                ends = [self._in_branch(self._new_branch(branches), fn, item) for item in given]
            else:
                ends = self._at_once(branches, fn, given, at_most)
            return self._gathered(branches, ends)
        finally:
            self._leave()

    async def amap(
        self, fn: Callable[["Job", Any], Awaitable[Any]], items: Sequence[Json], *, at_most: int = 8
    ) -> list[Any]:
        """As `map`, for an async `fn`."""
        given = self._mapped(fn, items, at_most)
        self._enter("map")
        try:
            self._stop_if_told()
            branches: list[Job] = []
            turns = asyncio.Semaphore(at_most)

            async def one(branch: Job, item: Any) -> tuple[bool, Any]:
                async with turns:
                    return await self._in_branch_async(branch, fn, item)

            begun = [one(self._new_branch(branches), item) for item in given]
            ends = list(await asyncio.gather(*begun))
            return self._gathered(branches, ends)
        finally:
            self._leave()

    def _mapped(self, fn: object, items: Sequence[Json], at_most: int) -> list[Any]:
        if not callable(fn):
            raise InvalidInput("fn must be callable: fn(job, item)")
        if not isinstance(at_most, int) or isinstance(at_most, bool) or not 1 <= at_most <= 256:
            raise InvalidInput("at_most must be a whole number from 1 to 256")
        listed = list(items)
        if len(listed) > MAX_MAPPED:
            raise InvalidInput(f"items must be at most {MAX_MAPPED}, got {len(listed)}")
        try:
            return [canon.loads(canon.dumps_given(item)) for item in listed]
        except canon.NotCanonical as error:
            raise InvalidInput(f"items must be JSON: {error}") from None

    def _new_branch(self, branches: "list[Job]") -> "Job":
        branch = Job(self._playing, self._on_reel(lambda reel: reel.branch("map")), self)
        branches.append(branch)
        return branch

    def _at_once(
        self, branches: "list[Job]", fn: Callable[["Job", Any], Any], given: list[Any], at_most: int
    ) -> list[tuple[bool, Any]]:
        """Run the branches in parallel; who ends first decides only who is begun next."""
        crew = self._playing.world().crew()
        ends: dict[int, tuple[bool, Any]] = {}
        running = 0
        broken: BaseException | None = None
        while len(ends) < len(branches) or (broken is None and len(branches) < len(given)):
            while broken is None and running < at_most and len(branches) < len(given):
                at = len(branches)
                branch = self._new_branch(branches)
                crew.submit(at, lambda branch=branch, at=at: self._in_branch(branch, fn, given[at]))  # type: ignore[misc]
                running += 1
            done = crew.next(None)
            if done is None:
                continue
            running -= 1
            ends[done.key] = done.value if done.good else (False, done.value)
            if not done.good and broken is None:
                broken = done.value  # nothing can be recorded any more, or the process is to end
        if broken is not None:
            raise broken
        return [ends[at] for at in range(len(branches))]

    def _in_branch(self, branch: "Job", fn: Callable[["Job", Any], Any], item: Any) -> tuple[bool, Any]:
        """Run one branch; says whether it was good, and what it returned or raised."""
        token = _CURRENT.set(branch)
        try:
            return branch._closed_with(fn(branch, item))
        except (Halted, KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:
            return branch._failed_with(error)
        finally:
            branch._ended = True
            _reset(token)

    async def _in_branch_async(
        self, branch: "Job", fn: Callable[["Job", Any], Awaitable[Any]], item: Any
    ) -> tuple[bool, Any]:
        token = _CURRENT.set(branch)
        try:
            return branch._closed_with(await fn(branch, item))
        except (Halted, KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:
            return branch._failed_with(error)
        finally:
            branch._ended = True
            _reset(token)

    def _closed_with(self, value: Any) -> tuple[bool, Any]:
        try:
            plain = canon.dumps_given(value)
        except canon.NotCanonical:
            return self._failed_with(CallFailed("not_json", "map", len(self._branches)))
        self._end(canon.loads(plain), "closed")
        return True, canon.loads(plain)

    def _failed_with(self, error: BaseException) -> tuple[bool, Any]:
        cancelled = isinstance(error, Cancelled)
        self._end(None if cancelled else {"exception": name_of(error)}, "cancelled" if cancelled else "failed")
        return False, error

    def _end(self, result: Any, status: BranchEnd) -> None:
        """The end of a branch: first of those that branched off it."""
        self._fan_in_branches()
        self._on_reel(lambda reel: reel.end(result, status))

    def _fan_in_branches(self) -> None:
        still = [branch for branch in self._branches if not branch._ended]
        if still:
            why = "this branch is still open; leave its `with` block before the job or branch above it ends"
            raise CallFailed("foreign_handle", path_of(still[0]._reel), -1, reason=why)
        named, self._named = self._named, []
        if named:
            self._on_reel(lambda reel: reel.fan_in(named))

    def _gathered(self, branches: "list[Job]", ends: list[tuple[bool, Any]]) -> list[Any]:
        self._on_reel(lambda reel: reel.fan_in([branch._reel for branch in branches]))
        bad = [value for good, value in ends if not good]
        if bad:
            raise next((error for error in bad if isinstance(error, Cancelled)), bad[0])
        return [value for _, value in ends]

    # The end

    def answer(self, text: str, *, evidence: Sequence[Any] = (), value: Json = None) -> Ending:
        """What a program returns: a text to show, what it rests on, and a value for programs.

        Evidence may be the result of a call, a recall or an item of one, or `{"kind": ..., "ref": ...}` of your own.
        """
        if not isinstance(text, str):
            raise InvalidInput("text must be a str; give anything else as value")
        listed = tuple(one for item in evidence for one in self._all_evidence(item))
        self._answered = Ending(text, value, listed)
        return self._answered

    def _all_evidence(self, item: Any) -> list[Evidence]:
        """What something given as evidence stands for; a recall stands for each of its items."""
        if isinstance(item, dict) and item.keys() >= _RECALL_FIELDS and isinstance(item["items"], list):
            return [_recalled(one) for one in item["items"]]
        if isinstance(item, dict) and item.keys() == _RECALL_ITEM_FIELDS:
            return [_recalled(item)]
        return [self._as_evidence(item)]

    def _as_evidence(self, item: Any) -> Evidence:
        if isinstance(item, dict) and isinstance(item.get("kind"), str) and isinstance(item.get("ref"), str):
            return check_evidence(item)
        try:
            digest = canon.sha256_hex(canon.dumps_given(item))
        except canon.NotCanonical as error:
            raise InvalidInput(f"evidence must be JSON: {error}") from None
        if digest in self._playing.fact_keys:
            return {"kind": "fact", "ref": self._playing.fact_keys[digest], "hash": digest}
        shown = next((call for call in self._playing.calls if call.result_hash == digest), None)
        if shown is None:
            return cast(Evidence, {"kind": "computed", "ref": "program", "hash": digest})
        ref = f"{shown.branch}/{shown.number}" if shown.branch else str(shown.number)
        return cast(Evidence, {"kind": "call", "ref": ref, "hash": digest})

    # How every call is made

    def _made(
        self,
        kind: str,
        name: str,
        request: Any,
        safe: bool,
        perform: Callable[[Step], tuple[Outcome, float]],
        *,
        inward: bool = False,
    ) -> Any:
        self._enter(name)
        try:
            step = self._begun(kind, name, request, safe, inward)
            if step.outcome is None:
                outcome, elapsed_ms = self._performed(perform, step)
                begun = step
                step = self._on_reel(lambda reel: reel.finish(begun, outcome, elapsed_ms))
            return self._taken(step)
        finally:
            self._leave()

    def _performed(self, perform: Callable[[Step], tuple[Outcome, float]], step: Step) -> tuple[Outcome, float]:
        try:
            return perform(step)
        except (KeyboardInterrupt, SystemExit) as stop:
            self._playing.broken = self._playing.broken or stop  # also for a program that catches everything
            raise

    def _begun(self, kind: str, name: str, request: Any, safe: bool, inward: bool = False) -> Step:
        self._stop_if_told()
        wrong: CallError | None = None
        plain: bytes | None = None
        try:
            plain = canon.dumps_given(request)
            if len(plain) > MAX_REQUEST_BYTES:
                wrong = "too_large"
        except canon.NotCanonical:
            wrong = "not_json"
        if wrong:
            request = plain = None
        begun = self._on_reel(
            lambda reel: reel.begin(kind, name, request, safe=safe or wrong is not None, inward=inward, plain=plain)
        )
        if wrong and begun.outcome is None:
            return self._on_reel(lambda reel: reel.finish(begun, Outcome(None, wrong, whose="nobody"), 0.0))
        return begun

    def _taken(self, step: Step) -> Any:
        outcome = step.outcome
        if outcome is None:
            raise RuntimeError("a call has no outcome")
        self.withheld = sorted({flag["pii_type"] for flag in outcome.flags} | set(step.withheld))
        value, failed = outcome.value, outcome.failed
        plain = canon.dumps(value) if outcome.plain is None else outcome.plain
        shown = _names_of(step.kind, value) if failed is None else None
        if shown is None:
            shown = plain[: 4 * _MAX_SHOWN_CHARS].decode("utf-8", "ignore")[:_MAX_SHOWN_CHARS]
        made = CallMade(
            path_of(self._reel),
            step.number,
            step.kind,
            step.name,
            failed,
            step.elapsed_ms or 0.0,
            shown,
            canon.sha256_hex(plain),
            tokens_in(value),
        )
        self._playing.calls.append(made)
        self._playing.tokens.append(made.tokens)
        if failed is not None:
            told = value if isinstance(value, dict) else {}
            kind = cast(CallError, failed)
            raise CallFailed(kind, step.name, step.number, exception=told.get("exception"), reason=told.get("text"))
        return value

    def _on_reel(self, do: Callable[[Reel], T]) -> T:
        """Do something on the tape; where the record says otherwise the job ends, whatever its program catches."""
        if self._playing.broken is not None:
            raise Halted(self._playing.broken)
        try:
            return do(self._reel)
        except (Diverged, Unreadable) as error:
            self._playing.broken = error
            raise Halted(error) from None

    def _stop_if_told(self) -> None:
        if self._told_to_stop() is not None:
            raise Cancelled(str(self._stopped))

    def _told_to_stop(self) -> str | None:
        """Why this job or branch is to stop, once it was told; that stays so, whatever a program catches."""
        self._stopped = self._stopped or self._on_reel(lambda reel: reel.interrupted_by())
        self._playing.stopped = self._playing.stopped or self._stopped
        return self._stopped

    @property
    def _is_over(self) -> bool:
        return self._playing.over or self._ended

    def _must_be_usable(self, name: str) -> None:
        why = self._why_not()
        if why is not None:
            raise CallFailed("foreign_handle", name, -1, reason=why)

    def _why_not(self) -> str | None:
        playing = self._playing
        if self._is_over:
            return "it is over"
        if playing.process is not None and playing.world().process() != playing.process:
            return "it belongs to another process"
        at = _CURRENT.get()
        if at is not None and not self._descends_from(at):
            other = "another branch" if at._playing is playing else "another job"
            return f"the code that uses it is that of {other}"
        return None

    def _descends_from(self, other: "Job") -> bool:
        at: Job | None = self
        while at is not None and at is not other:
            at = at._parent
        return at is other

    def _enter(self, name: str) -> None:
        self._must_be_usable(name)
        try:
            self._free.pop()
        except IndexError:
            why = "another call of it has not ended; use job.branch(name) for what runs at the same time"
            raise CallFailed("foreign_handle", name, -1, reason=why) from None

    def _leave(self) -> None:
        self._free.append(None)


_EVIDENCE_KINDS = frozenset({"fact", "turn", "rule", "call", "context", "computed", "model", "operation", "person"})
_RECALL_FIELDS = frozenset({"text", "items", "package_hash", "receipt"})
_RECALL_ITEM_FIELDS = frozenset(RecallItem.__annotations__)
_EVIDENCE_FIELDS = {"kind": str, "ref": str, "hash": str, "text": str, "score": (int, float)}


def _names_of(kind: str, value: Any) -> str | None:
    """What the log shows of what was recalled or remembered: which things, never their words; None for other steps."""
    if kind == "recall":
        refs = [item["ref"] for item in value["items"]]
    elif kind == "remember":
        refs = value["turn_ids"]
    else:
        return None
    said = f"{len(refs)} item{'' if len(refs) == 1 else 's'}: {', '.join(refs)}" if refs else "nothing"
    return said if len(said) <= _MAX_SHOWN_CHARS else f"{said[: _MAX_SHOWN_CHARS - 1]}…"


def _recalled(item: Any) -> Evidence:
    """A line of a recall as evidence: where it comes from; its words stay where they are."""
    if not isinstance(item, dict):
        raise InvalidInput("evidence that is a recall must have the items that it was answered with")
    return check_evidence({name: item[name] for name in ("kind", "ref", "score") if name in item})


def check_evidence(item: Any) -> Evidence:
    """Evidence that somebody gave in its stored form."""
    good = isinstance(item, dict) and {"kind", "ref"} <= set(item) <= set(_EVIDENCE_FIELDS)
    if not good or not all(isinstance(item[name], _EVIDENCE_FIELDS[name]) for name in item):  # type: ignore[arg-type]
        raise InvalidInput('evidence must be {"kind": ..., "ref": ...}, and optionally hash, text and score')
    if item["kind"] not in _EVIDENCE_KINDS:
        raise InvalidInput(f"the kind of evidence must be one of {', '.join(sorted(_EVIDENCE_KINDS))}")
    return cast(Evidence, dict(item))


def tokens_in(value: Any) -> int:
    """How many tokens a result says it took, in the forms that engines and their clients use."""
    if not isinstance(value, dict):
        return 0
    usage = value.get("usage")
    counted: dict[str, Any] = usage if isinstance(usage, dict) else value
    total = counted.get("total_tokens")
    if isinstance(total, int) and not isinstance(total, bool) and total >= 0:
        return total
    pairs = (("tokens_in", "tokens_out"), ("input_tokens", "output_tokens"), ("prompt_tokens", "completion_tokens"))
    for names in pairs:
        found = [counted.get(name) for name in names]
        whole = [item for item in found if isinstance(item, int) and not isinstance(item, bool) and item >= 0]
        if len(whole) == 2:
            return sum(whole)
    return 0


def _reset(token: Any) -> None:
    try:
        _CURRENT.reset(token)
    except ValueError:  # left in another context than it was entered in
        _CURRENT.set(token.old_value if token.old_value is not token.MISSING else None)


def _check_name(name: object) -> str:
    """The name of a call or branch, which stands unencrypted on the ledger."""
    checked = check_call_name(name)
    if personal_name(checked):
        raise InvalidInput("the name of a call or branch must not contain personal data: it is stored unencrypted")
    return checked


def _check_limit(limit: object, name: str = "time_limit_ms") -> None:
    good = isinstance(limit, int) and not isinstance(limit, bool) and 0 < limit <= 86_400_000
    if limit is not None and not good:
        raise InvalidInput(f"{name} must be a whole number of milliseconds from 1 to 86400000")


def _uuid(random: bytes) -> str:
    number = bytearray(random)
    number[6], number[8] = number[6] & 0x0F | 0x40, number[8] & 0x3F | 0x80
    text = number.hex()
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"
