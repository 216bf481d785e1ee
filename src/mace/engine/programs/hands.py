"""What a program reaches the world with: its calls in threads that can be left, the language engine, facts, people."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from hashlib import sha256
from inspect import isawaitable, iscoroutinefunction
from typing import Any, TypeVar

from mace.core import canon
from mace.core.errors import (
    IntegrityFailure,
    InvalidInput,
    MaceError,
    PermissionDenied,
    ServiceUnavailable,
    StorageFull,
)
from mace.core.programs import MAX_RESULT_BYTES, CallError
from mace.engine.kernel.attempts import TapeWatch
from mace.engine.kernel.cleaning import personal_name
from mace.engine.kernel.reels import Cancelled, Halted, Reel, Step
from mace.engine.kernel.stacks import stack_of
from mace.engine.kernel.tape import LiveTape, Outcome
from mace.engine.kernel.world import World
from mace.memory.keys import parse_key
from mace.providers.models.port import (
    NOT_CONFIGURED,
    REMEDY_NOT_CONFIGURED,
    ModelDown,
    ModelRequest,
    complete_watched,
)
from mace.providers.ports import Clock, Crew, Entropy, Stopped, TimedOut

T = TypeVar("T")

CALL_LIMIT_MS = 600_000  # of a call that names none
_LOOK_MS = 500  # how often a call that takes long looks whether the job was cancelled
_MAX_TEXT_CHARS = 2000  # of an exception
_MAX_OUTPUT_TOKENS = 1024
_STOPS = (KeyboardInterrupt, SystemExit, Halted, Cancelled)  # never a call's own failure

ReadFact = Callable[[str], dict[str, Any]]  # a fact with its version, as `sem_get` gives it
AskPerson = Callable[[Reel, Step, int | None], tuple[Outcome, float]]
RecallOf = Callable[[str, int, str | None], dict[str, Any]]  # the query, the budget, the conversation it is limited to
RememberOf = Callable[[Any, str], dict[str, Any]]  # the messages, and the idempotency key of the step
_LETTERS = str.maketrans("0123456789", "ghijklmnop")
_REFUSALS = frozenset({"INVALID_INPUT", "PERMISSION_DENIED", "PRIVACY_BLOCKED", "CONFLICT"})


@dataclass(slots=True, kw_only=True)
class ProgramHands:
    """The world, for one job."""

    host: World
    read_fact: ReadFact
    ask: AskPerson
    recall_of: RecallOf | None  # None for a job of nobody
    remember_of: RememberOf | None
    stop: Callable[[], str | None]
    time_left_ms: Callable[[], float | None]  # until the deadline of the job; None without one
    limit_ms: int = CALL_LIMIT_MS
    clock: Clock = field(init=False)
    entropy: Entropy = field(init=False)

    def __post_init__(self) -> None:
        self.clock = self.host.clock
        self.entropy = self.host.entropy

    def process(self) -> int:
        return self.host.processes.number()

    def crew(self) -> Crew:
        return self.host.runner.crew()

    async def aside(self, step: Callable[[], T]) -> T:
        return await self.host.runner.aside(step)

    # Calls

    def call(self, fn: Callable[[Any], Any], request: Any, limit_ms: int | None) -> tuple[Outcome, float]:
        """Make a call within its time; it is left behind when that is over or the job is cancelled."""
        began = self.clock.monotonic_ms()
        crew = self.host.runner.crew()
        crew.submit(0, lambda: fn(request))
        left = self._limit(limit_ms)
        while True:
            wait = min(left, _LOOK_MS)
            done = crew.next(wait)
            if done is not None:
                break
            left -= wait
            why: CallError | None = "timed_out" if left <= 0 else "cancelled" if self.stop() is not None else None
            if why is not None:
                crew.cancel(0)
                return Outcome(None, why, whose="nobody"), self._since(began)
        if done.good:
            return came_to(done.value), self._since(began)
        if isinstance(done.value, _STOPS):
            raise done.value
        return raised(done.value), self._since(began)

    async def acall(
        self, fn: Callable[[Any], Any] | Callable[[Any], Awaitable[Any]], request: Any, limit_ms: int | None
    ) -> tuple[Outcome, float]:
        """Make a call from an async program."""
        if not is_async(fn):
            outcome, elapsed_ms = await self.aside(lambda: self.call(fn, request, limit_ms))
            return outcome, elapsed_ms
        began = self.clock.monotonic_ms()
        try:
            made = fn(request)
            value = made
            if isawaitable(made):
                value = await self.host.runner.watched(made, self._limit(limit_ms), self.stop, _LOOK_MS)
        except TimedOut:
            return Outcome(None, "timed_out", whose="nobody"), self._since(began)
        except Stopped:
            return Outcome(None, "cancelled", whose="nobody"), self._since(began)
        except _STOPS:
            raise
        except Exception as error:
            return raised(error), self._since(began)
        return came_to(value), self._since(began)

    def _limit(self, limit_ms: int | None) -> float:
        left = self.time_left_ms()
        wanted = float(limit_ms or self.limit_ms)
        return wanted if left is None else max(min(wanted, left), 0.0)

    def _since(self, began: float) -> float:
        return round(self.clock.monotonic_ms() - began, 3)

    # What MACE has itself

    def complete(self, reel: Reel, step: Step, limit_ms: int | None) -> tuple[Outcome, float]:
        """Ask the configured language engine; every attempt is on the record."""
        began = self.clock.monotonic_ms()
        engine = self.host.language
        if engine is None:
            reason = {"exception": "ModelDown", "text": f"{NOT_CONFIGURED}: {REMEDY_NOT_CONFIGURED}"}
            return Outcome(reason, "refused", whose="nobody"), 0.0
        try:
            wanted = model_request(step.request)
            assert isinstance(reel, LiveTape)  # nothing is performed on a replay
            watch = TapeWatch(self.host, reel, "language", step.number)
            answer = complete_watched(engine, wanted, watch, time_limit_s=self._limit(limit_ms) / 1000)
        except (TypeError, ValueError) as error:
            return Outcome({"exception": type(error).__name__, "text": str(error)}, "refused"), self._since(began)
        except ModelDown as down:
            return Outcome({"exception": "ModelDown", "text": str(down)}, "raised", stack_of(down)), self._since(began)
        told: dict[str, Any] = {
            "text": answer.text,
            "model": answer.model,
            "finish_reason": answer.finish_reason,
            "tokens_in": answer.input_tokens,
            "tokens_out": answer.output_tokens,
        }
        return Outcome(told), self._since(began)

    def fact(self, key: str, person: str | None) -> tuple[Outcome, float]:
        """Read a fact of the world or of the job's own person; nobody else's."""
        began = self.clock.monotonic_ms()
        try:
            parts = parse_key(key)
            if parts.scope == "user" and parts.entity_id != person:
                raise PermissionDenied(actor="a program", action="read facts of another person")
            found = self.read_fact(key)
        except PermissionDenied as error:
            return Outcome({"exception": error.code, "text": str(error)}, "refused", whose="nobody"), 0.0
        except (InvalidInput, ValueError) as error:
            return Outcome({"exception": "INVALID_INPUT", "text": str(error)}, "refused"), 0.0
        except (ServiceUnavailable, StorageFull, IntegrityFailure) as error:
            return Outcome({"exception": error.code, "text": str(error)}, "raised", whose="nobody"), 0.0
        return Outcome(found, whose="nobody" if parts.scope != "user" else "own"), self._since(began)

    def recall(self, request: dict[str, Any]) -> tuple[Outcome, float]:
        """What matters now about the job's own person; nobody else's."""
        recall = self.recall_of
        if recall is None:
            return _nobody("recall"), 0.0
        return self._of_person(
            lambda: recall(request["query"], request["budget_tokens"], request.get("conversation_id"))
        )

    def remember(self, reel: Reel, step: Step) -> tuple[Outcome, float]:
        """Keep turns of the job's own person; a second attempt of the same step keeps nothing more."""
        remember = self.remember_of
        if remember is None:
            return _nobody("remember"), 0.0
        return self._of_person(lambda: remember(step.request["messages"], key_of(reel.stream, step.number)))

    def _of_person(self, do: Callable[[], dict[str, Any]]) -> tuple[Outcome, float]:
        began = self.clock.monotonic_ms()
        try:
            answer = do()
        except InvalidInput as error:
            return Outcome({"exception": error.code, "text": str(error)}, "refused"), self._since(began)
        except MaceError as error:
            return Outcome({"exception": error.code, "text": str(error)}, "raised", whose="nobody"), self._since(began)
        code = answer["error_code"]
        if code is not None:
            told = {"exception": code, "text": str(answer["error"]["meta"].get("reason", answer["user_message"]))}
            return Outcome(told, "refused" if code in _REFUSALS else "raised"), self._since(began)
        return Outcome(answer, whose="own"), self._since(began)

    def ask_person(self, reel: Reel, step: Step, wait_ms: int | None) -> tuple[Outcome, float]:
        """Ask a person and wait for the answer."""
        return self.ask(reel, step, wait_ms)


def key_of(stream: str, number: int) -> str:
    """The idempotency key of a step: letters alone, so that no detector takes it for a number of somebody."""
    return sha256(f"{stream}/{number}".encode()).hexdigest().translate(_LETTERS)


def _nobody(verb: str) -> Outcome:
    told = f"the job is nobody's: {verb} needs the user_id that the job was opened with"
    return Outcome({"exception": "PRECONDITION_FAILED", "text": told}, "refused", whose="nobody")


def is_async(function: object) -> bool:
    """Say whether calling this gives something to be awaited."""
    return iscoroutinefunction(function) or iscoroutinefunction(getattr(function, "__call__", None))  # noqa: B004


def came_to(value: Any) -> Outcome:
    """What a call returned, if it can be recorded."""
    try:
        plain = canon.dumps_given(value)
    except canon.NotCanonical as error:
        return Outcome({"exception": "NotCanonical", "text": str(error)[:_MAX_TEXT_CHARS]}, "not_json", whose="nobody")
    if len(plain) > MAX_RESULT_BYTES:
        told = {"exception": "TooLarge", "text": f"{len(plain)} bytes, at most {MAX_RESULT_BYTES} are kept"}
        return Outcome(told, "too_large", whose="nobody")
    return Outcome(canon.loads(plain), plain=plain)


def name_of(error: BaseException) -> str:
    """The type of an exception; one that could say something about a person is only called one."""
    name = type(error).__name__
    return name if name.isidentifier() and not personal_name(name) else "Exception"


def raised(error: BaseException) -> Outcome:
    """What a call raised: its type and text, through the gate, and its stack, sealed."""
    return Outcome({"exception": name_of(error), "text": text_of(error)}, "raised", stack_of(error))


def text_of(error: BaseException) -> str:
    """The text of an exception, as far as it has one."""
    try:
        text = str(error)
    except Exception:  # somebody's own __str__
        text = ""
    return text.encode("utf-8", "backslashreplace").decode()[:_MAX_TEXT_CHARS]


def model_request(request: dict[str, Any]) -> ModelRequest:
    """A request to the language engine from messages; raises `ValueError` for what cannot be one."""
    messages = request.get("messages")
    if not isinstance(messages, list) or not messages:
        raise ValueError("messages must be a list with at least one message")
    said = []
    for message in messages:
        good = isinstance(message, dict) and isinstance(message.get("content"), str)
        if not good or message.get("role") not in ("system", "user", "assistant", "tool"):
            raise ValueError("each message must have a role (system, user, assistant, tool) and a content")
        said.append((message["role"], message["content"]))
    known = {"messages", "max_output_tokens", "temperature", "stop", "seed"}
    unknown = sorted(set(request) - known)
    if unknown:
        raise ValueError(f"unknown options: {', '.join(unknown)}")
    stop = request.get("stop") or ()
    system = "\n\n".join(content for role, content in said if role == "system")
    spoken = [(role, content) for role, content in said if role != "system"]
    return ModelRequest(
        system=system,
        prompt=spoken[-1][1] if spoken else "",
        earlier=tuple(spoken[:-1]),
        max_output_tokens=request.get("max_output_tokens") or _MAX_OUTPUT_TOKENS,
        temperature=request.get("temperature") or 0.0,
        stop=(stop,) if isinstance(stop, str) else tuple(stop),
        seed=request.get("seed"),
    )
