"""A tape that is a list, hands that always do the same, a clock that is moved: for the rules of a question alone."""

from collections.abc import Callable
from typing import Any

from mace.agents.asking import Effect, Reply
from mace.agents.evidence import Evidence
from mace.core import canon
from mace.engine.kernel.privacy import Screened
from mace.engine.kernel.tape import Outcome

NO_RETRY, RETRY = "F-FAIL-01", "T16"  # seeds that decide so


class ListTape:
    """A tape that only remembers."""

    replaying = False
    stream = "stream"

    def __init__(self, job_seed: str = NO_RETRY) -> None:
        self.job_seed = job_seed
        self.events: list[tuple[str, dict[str, Any]]] = []

    def event(self, event_type: str, payload: dict[str, Any], signed_by: str = "system") -> dict[str, Any]:
        canon.dumps(payload)
        self.events.append((event_type, payload))
        return payload

    def keep(self, name: str, content: Any) -> str:
        return canon.hash_of(content)

    def effect(self, kind: str, request: Any, perform: Callable[[], Outcome]) -> Outcome:
        outcome = perform()
        self.event("EFFECT_DONE", {"kind": kind})
        return Outcome(canon.loads(canon.dumps(outcome.to_json()))["value"], outcome.failed, flags=outcome.flags)

    def writing(self, kind: str, request: dict[str, Any], perform: Callable[..., Outcome]) -> Outcome:
        return self.effect(kind, request, lambda: perform(None))

    def observe(self, name: str, look: Callable[[], Any]) -> Any:
        value = look()
        self.event("EFFECT_DONE", {"observed": name, "value": value})
        return value

    def timestamp(self) -> str:
        return f"at {len(self.events)}"

    def agent_ended(self, agent_id: str) -> dict[str, Any] | None:
        return None

    def screen(self, value: Any) -> Screened:
        return Screened(value)

    def pii_hash(self, span: str) -> str:
        return canon.sha256_hex(span)

    def name_hash(self, name: str) -> str:
        return canon.sha256_hex(name)

    def types(self, *without: str) -> list[str]:
        return [event_type for event_type, _ in self.events if event_type not in without]


RunStep = Callable[[Callable[[], Any], float], Any]


class OneHand:
    """Performs every effect with the same outcome."""

    def __init__(
        self,
        outcome: Outcome,
        run_step: RunStep = lambda step, _limit: step(),
        elapsed_ms: Callable[[], float] = lambda: 0.0,
    ) -> None:
        self.outcome = outcome
        self.limits: list[float] = []
        self.run = run_step
        self.elapsed_ms = elapsed_ms

    def perform(self, effect: Effect, limit_ms: float) -> Outcome:
        self.limits.append(limit_ms)
        return self.outcome

    def write(self, tx: Any, effect: Effect) -> Outcome:
        return self.outcome

    def queue(self, effect: Effect) -> None:
        """Nobody waits for it."""


class Stopwatch:
    def __init__(self) -> None:
        self.at = 0.0

    def __call__(self) -> float:
        return self.at


def good(text: str = "fine") -> Reply:
    return Reply(text=text, evidence=(Evidence(kind="operation", ref="r", text=text),))
