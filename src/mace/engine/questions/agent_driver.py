"""Driving one agent: its own code under the time limit, its effects through the tape.

Whatever an agent does wrong (raise, never end, hand back what is no reply) becomes a failed reply; nothing of it
reaches the question as an exception. Only its type is told, and its stack is sealed, with what is personal cut out:
both its text and the values in it may quote what a person wrote.
An effect may use up the time that is left; its result may then still be answered, but nothing more is begun.
A language engine has a limit of its own, and what it takes does not count as the agent's time.
"""

from collections.abc import Callable, Generator, Mapping
from dataclasses import asdict, replace
from typing import Any, TypeVar

from mace.agents.asking import Agent, Decline, Effect, Reply, Result, Task
from mace.agents.evaluators import STRENGTH
from mace.agents.evidence import Evidence
from mace.core import canon
from mace.core.errors import FAILURES
from mace.engine.kernel.job import Hands
from mace.engine.kernel.stacks import stack_of
from mace.engine.kernel.tape import Outcome, Tape
from mace.providers.ports import TimedOut

T = TypeVar("T")

# A module that ends like this is out for this question; another one is asked.
FALL_BACK = ("AGENT_TIMEOUT", "AGENT_ERROR")
FLAGGED = "pii_flagged"  # in the details of a failure: what was cut out of a stack
ENGINE_EFFECTS = ("complete", "judge")
ABOUT_THE_JOB = ("query_id", "trace_id", "timestamp", "user_id")  # an agent has no say in these

_GRACE_MS = 1000.0  # to answer with what the last effect gave
_MAX_EFFECTS = 100
_MAX_TEXT = 1_000_000
_MAX_BESIDE = 100_000  # characters of trace, evidence and details together
_KINDS = {*STRENGTH, "verification"}


class Ended(Reply):
    """What the driver says of an agent that gave no reply."""


class Driver:
    """Runs one agent under its time limit and performs its effects through the tape."""

    def __init__(
        self,
        tape: Tape,
        agents: Mapping[str, Agent],
        hands: Hands,
        limit_ms: int,
        noted: Callable[[Effect, Outcome], None],
        engine_limit_ms: int | None = None,
        asks: Callable[[str, Effect], Effect] = lambda _agent_id, effect: effect,
    ) -> None:
        self._tape = tape
        self._agents = agents
        self._hands = hands
        self._limit_ms = limit_ms
        self._noted = noted
        self._engine_limit_ms = limit_ms if engine_limit_ms is None else engine_limit_ms
        self._asks = asks  # an effect as it is performed for this agent
        self._stacks = 0

    def timed(self, work: Callable[[], T]) -> tuple[T, float]:
        """Do something and record how long it took, in milliseconds."""
        started = self._hands.elapsed_ms()
        result = work()
        took: float = self._tape.observe("agent_ms", lambda: round(self._hands.elapsed_ms() - started, 3))
        return result, took

    def run(self, agent_id: str, task: Task) -> Reply | Decline:
        """Let an agent answer."""
        started = self._hands.elapsed_ms()
        running = _Running(self._agents.get(agent_id), task)
        result: Result | None = None
        effects = 0
        engine_ms = 0.0
        while True:
            ended = self._tape.agent_ended(agent_id)
            if ended is not None:
                details = {name: value for name, value in ended["payload"].items() if name not in ABOUT_THE_JOB}
                return _failed(ended["event_type"], **details)
            left = self._limit_ms - (self._hands.elapsed_ms() - started - engine_ms)
            try:
                said = self._hands.run(running.step(result), max(left, _GRACE_MS) if effects else left)
            except TimedOut:
                return _failed("AGENT_TIMEOUT", timeout_ms=self._limit_ms)
            except _Escaped as error:
                return self._raised(agent_id, task, str(error), error.__cause__ or error)
            except Exception as error:
                return self._raised(agent_id, task, type(error).__name__, error)
            wrong = _what_is_wrong(said)
            if wrong:
                return _failed("AGENT_ERROR", exception=wrong)
            if not isinstance(said, Effect):
                answered: Reply | Decline = said
                if isinstance(answered, Reply) and FLAGGED in answered.details:  # only the driver says that
                    told = {name: value for name, value in answered.details.items() if name != FLAGGED}
                    answered = replace(answered, details=told)
                return answered
            left = self._limit_ms - (self._hands.elapsed_ms() - started - engine_ms)
            if left <= 0:
                return _failed("AGENT_TIMEOUT", timeout_ms=self._limit_ms)
            effects += 1
            if effects > _MAX_EFFECTS:
                return _failed("AGENT_ERROR", exception="TooManyEffects")
            began = self._hands.elapsed_ms()
            outcome = self._effect(self._asks(agent_id, said), left)
            if said.kind in ENGINE_EFFECTS:
                engine_ms += self._hands.elapsed_ms() - began
            result = _result(outcome)

    def _raised(self, agent_id: str, task: Task, exception: str, error: BaseException) -> Reply:
        """An agent raised: where, and on what, lies sealed under the job's key; the event has its hash."""
        payload = {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(task).items()}
        passed = self._tape.screen(stack_of(error))
        number, self._stacks = self._stacks, self._stacks + 1
        digest = self._tape.keep(f"stacktrace/{number}", {"agent_id": agent_id, "payload": payload, **passed.value})
        flagged = {FLAGGED: [flag.payload() for flag in passed.flags]} if passed.flags else {}
        return _failed("AGENT_ERROR", exception=exception, stacktrace_hash=digest, **flagged)

    def look(self, steps: Generator[Effect, Result, Any]) -> Any:
        """Drive a look of our own code to its end."""
        result: Result | None = None
        while True:
            try:
                effect = steps.send(result)  # type: ignore[arg-type]  # None starts it
            except StopIteration as stop:
                return stop.value
            outcome = self._effect(effect, self._limit_ms)
            result = _result(outcome)

    def _effect(self, effect: Effect, limit_ms: float) -> Outcome:
        hands = self._hands
        if effect.kind in ENGINE_EFFECTS:
            limit_ms = self._engine_limit_ms
        if effect.writes:
            outcome = self._tape.writing(effect.kind, effect.request, lambda tx: hands.write(tx, effect))
            if outcome.failed == "SEM_WRITE_FAIL":
                hands.queue(effect)
        else:
            outcome = self._tape.effect(effect.kind, effect.request, lambda: hands.perform(effect, limit_ms))
        self._noted(effect, outcome)
        return outcome


class _Escaped(Exception):
    """An agent raised what is no ordinary exception; named by its text."""


class _Running:
    """An agent between two effects. A plain function that returns a reply will do as an agent, too."""

    def __init__(self, agent: Agent | None, task: Task) -> None:
        self._agent = agent
        self._task = task
        self._steps: Generator[Effect, Result, Any] | None = None

    def step(self, result: Result | None) -> Callable[[], Any]:
        def run() -> Any:
            if self._agent is None:
                raise LookupError("unknown agent")
            try:
                if self._steps is None:
                    started = self._agent(self._task)
                    if not isinstance(started, Generator):
                        return started
                    self._steps = started
                    return next(self._steps)
                return self._steps.send(result)  # type: ignore[arg-type]  # set after the first
            except StopIteration as stop:
                return stop.value
            except BaseException as error:  # an agent that exits must not take MACE with it
                if isinstance(error, Exception | KeyboardInterrupt):
                    raise
                raise _Escaped(type(error).__name__) from error

        return run


def _result(outcome: Outcome) -> Result:
    return Result(outcome.value, outcome.failed, tuple(sorted({flag["pii_type"] for flag in outcome.flags})))


def _failed(code: str, **details: Any) -> Ended:
    return Ended(text=None, confidence=0.0, failed=code, details=details)


def _what_is_wrong(said: Any) -> str | None:
    """Name what makes this unfit to be recorded, or None. Foreign code may hand back anything."""
    try:
        match said:
            case Effect():
                good = isinstance(said.kind, str) and type(said.request) is dict and _size([said.request]) is not None
                return None if good else "UnfitEffect"
            case Decline():
                good = isinstance(said.reason, str) and len(said.reason) <= 1000 and _size([said.reason]) is not None
                return None if good else "UnfitDecline"
            case Reply():
                return None if _is_fit(said) else "UnfitReply"
    except (TypeError, ValueError, AttributeError):
        return "UnfitReply"
    return "NoReply"


def _is_fit(reply: Reply) -> bool:
    whole = isinstance(reply.text, str | None) and isinstance(reply.expects_key, str | None)
    known = reply.failed is None or reply.failed in FAILURES
    sure = type(reply.confidence) in (int, float) and 0 <= reply.confidence <= 1
    counted = type(reply.tokens) is int and reply.tokens >= 0
    based = all(
        isinstance(item, Evidence) and item.kind in _KINDS and isinstance(item.ref, str) and isinstance(item.text, str)
        for item in reply.evidence
    )
    if not (whole and known and sure and counted and based):
        return False
    texts = [list(reply.trace), dict(reply.details), *([item.ref, item.text, item.score] for item in reply.evidence)]
    beside, said = _size(texts), _size([reply.text])
    return (
        all(isinstance(line, str) for line in reply.trace)
        and all(type(item.score) in (int, float) for item in reply.evidence)
        and (beside is not None and beside <= _MAX_BESIDE)
        and (said is not None and said <= _MAX_TEXT)
    )


def _size(values: list[Any]) -> int | None:
    try:
        return len(canon.dumps(values))
    except canon.NotCanonical:
        return None
