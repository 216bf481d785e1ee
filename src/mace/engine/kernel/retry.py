"""Once more, after this delay, or not: one decision for every write and every agent.

Pure. Nothing is tried more than twice. A write that met a store that is down is tried once more, after a delay that
the job's seed gives. An agent that ran out of time, or whose language engine failed in passing, is asked once more,
at once, if the seed says so; but a computation that was stopped would take as long again, so that mathematics has its
agent's limit once. Everything else would fail the same way again. Whoever asks records the attempt
(`RETRY_ATTEMPT`) and waits; nobody else decides.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from mace.core.seeds import seeded_delay_ms, seeded_yes

MAX_ATTEMPTS = 2
_IN_PASSING = ("server", "network", "timeout", "rate")  # kinds of a provider's failure that may be over in a moment


@dataclass(frozen=True, slots=True)
class Failure:
    """What failed, with which code. `kinds`: of each provider that a language engine tried.

    `is_final`: whoever failed says that trying again would change nothing.
    """

    of: Literal["write", "agent"]
    code: str | None
    kinds: tuple[str, ...] = ()
    is_final: bool = False


@dataclass(frozen=True, slots=True)
class OnceMore:
    delay_ms: int


def decide(failure: Failure, attempt: int, job_seed: str) -> OnceMore | None:
    """Say whether to try again after this attempt (the first is 1), and after how long; None: it has failed."""
    if attempt >= MAX_ATTEMPTS or failure.is_final:
        return None
    if failure.of == "write":
        return OnceMore(seeded_delay_ms(job_seed)) if failure.code == "SERVICE_UNAVAILABLE" else None
    passing = failure.code == "AGENT_TIMEOUT" or (
        failure.code == "LLM_SERVICE_DOWN" and any(kind in _IN_PASSING for kind in failure.kinds)
    )
    return OnceMore(0) if passing and seeded_yes(job_seed) else None


def _kind(attempt: Mapping[str, Any]) -> str:
    """The kind of a provider's failure; one that says how long to wait would say so again at once."""
    return "later" if attempt.get("retry_after_s") else str(attempt.get("kind"))


def agent_failure(code: str | None, details: Mapping[str, Any]) -> Failure:
    """The failure of an agent, with what its details tell of the providers that were tried."""
    attempts = details.get("attempts")
    tried = attempts if isinstance(attempts, list | tuple) else ()  # foreign code may tell anything
    kinds = tuple(_kind(item) for item in tried if isinstance(item, Mapping))
    return Failure("agent", code, kinds, details.get("retriable") is False)
