"""The port to a language engine: one request, one answer, or `ModelDown` with every attempt that was made.

Everything here has a JSON form, because a request is hashed and an answer recorded before it is used. What
would hurt: putting what a provider said into an error. Provider messages quote prompts and keys; so an
attempt holds only words of our own, names from the settings, and the HTTP status.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, Protocol

from mace.core.texts import is_encodable
from mace.providers.models.words import (
    NOT_CONFIGURED,
    NOT_DOWN,
    REMEDY_NOT_CONFIGURED,
    SAID_NOT_CONFIGURED,
    SAID_OFFLINE,
    FailureKind,
    own_words,
    said_of,
    without_open_thought,
)

__all__ = [
    "NOT_CONFIGURED",
    "NOT_DOWN",
    "REMEDY_NOT_CONFIGURED",
    "SAID_NOT_CONFIGURED",
    "SAID_OFFLINE",
    "Attempt",
    "FailureKind",
    "KeyStatus",
    "LanguageEngine",
    "ModelAnswer",
    "ModelDown",
    "ModelRequest",
    "Watch",
    "complete_watched",
    "key_status",
    "own_words",
    "said_of",
    "without_open_thought",
]

KeyStatus = Literal["missing", "rejected", "ok", "unknown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """What is asked of a language engine. `seed` and `stop` are passed on where a provider knows them."""

    system: str
    prompt: str
    max_output_tokens: int
    temperature: float = 0.0
    stop: tuple[str, ...] = ()
    seed: int | None = None
    earlier: tuple[tuple[str, str], ...] = ()  # what was said before the prompt: (role, content), oldest first

    def __post_init__(self) -> None:
        if self.max_output_tokens < 1 or not (math.isfinite(self.temperature) and 0 <= self.temperature <= 2):
            raise ValueError("max_output_tokens must be positive and temperature between 0 and 2")
        before = (said for _, said in self.earlier)
        if not all(is_encodable(part) for part in (self.system, self.prompt, *self.stop, *before)):
            raise ValueError("system, prompt and stop must not contain unpaired surrogates")

    def to_json(self) -> dict[str, Any]:
        said = {**asdict(self), "stop": list(self.stop), "earlier": [list(item) for item in self.earlier]}
        return said if self.earlier else {name: value for name, value in said.items() if name != "earlier"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """An attempt that gave no answer. `reason` is one of our own words, see `words`; `status` is HTTP's."""

    provider: str
    model: str
    kind: FailureKind
    status: int | None
    reason: str
    hint: str = ""  # what to do about it, where that is known
    retry_after_s: int | None = None  # how long the endpoint wants to be left alone

    def to_json(self) -> dict[str, Any]:
        said = asdict(self)
        if self.retry_after_s is None:
            del said["retry_after_s"]
        return said

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> "Attempt":
        return Attempt(**data)

    def __str__(self) -> str:
        status = "" if self.status is None else f" {self.status}"
        hint = f", {self.hint}" if self.hint else ""
        return f"{self.provider}/{self.model}: {self.kind}{status} ({self.reason}{hint})"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAnswer:
    """What the engine wrote, reasoning tags and all (see `agents.model_text`), and who failed before it."""

    text: str
    input_tokens: int
    output_tokens: int
    model: str
    provider: str
    finish_reason: str
    time_ms: int
    failed: tuple[Attempt, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "failed": [attempt.to_json() for attempt in self.failed]}

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> "ModelAnswer":
        return ModelAnswer(**{**data, "failed": tuple(Attempt.from_json(item) for item in data["failed"])})


class ModelDown(Exception):
    """No language engine answered. Its text and its fields never hold a key, a prompt or a provider's message."""

    def __init__(self, attempts: Sequence[Attempt], api_key_status: KeyStatus) -> None:
        self.attempts = tuple(attempts)
        self.api_key_status: KeyStatus = api_key_status
        tried = "; ".join(str(attempt) for attempt in self.attempts) or "none is configured"
        super().__init__(f"no language engine answered: {tried}; key {api_key_status}")

    def __reduce__(self) -> tuple[type["ModelDown"], tuple[tuple[Attempt, ...], KeyStatus]]:
        return ModelDown, (self.attempts, self.api_key_status)

    def to_json(self) -> dict[str, Any]:
        return {
            "attempts": [attempt.to_json() for attempt in self.attempts],
            "api_key_status": self.api_key_status,
        }

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> "ModelDown":
        return ModelDown([Attempt.from_json(item) for item in data["attempts"]], data["api_key_status"])


class LanguageEngine(Protocol):
    def complete(self, request: ModelRequest, *, time_limit_s: float | None = None) -> ModelAnswer:
        """Answer, or raise `ModelDown`; return within the engine's own limit and the given one."""


class Watch(Protocol):
    """Hears of every attempt: before the request leaves, and what it came to. Called by the thread that asks."""

    def asked(self, provider: str, model: str) -> None:
        """A request is about to leave; it does not if this raises."""

    def ended(self, outcome: ModelAnswer | Attempt | None) -> None:
        """The attempt is over; None: by an exception that is no answer of an engine."""


def complete_watched(
    engine: LanguageEngine, request: ModelRequest, watch: Watch, *, time_limit_s: float | None = None
) -> ModelAnswer:
    """Ask an engine while somebody watches; of one that does not tell its attempts the whole call counts as one."""
    tells = getattr(engine, "complete_watched", None)
    if tells is not None:
        told: ModelAnswer = tells(request, watch, time_limit_s=time_limit_s)
        return told
    watch.asked("given", "")
    try:
        answer = engine.complete(request, time_limit_s=time_limit_s)
    except ModelDown as down:
        watch.ended(down.attempts[-1] if down.attempts else None)
        raise
    except Exception:
        watch.ended(None)
        raise
    watch.ended(answer)
    return answer


def key_status(attempts: Sequence[Attempt]) -> KeyStatus:
    """Return what the attempts tell about the key: a rejected one is the worst news, then a missing one."""
    if any(attempt.kind == "auth" and attempt.reason != "key_missing" for attempt in attempts):
        return "rejected"
    if not attempts or any(attempt.reason == "key_missing" for attempt in attempts):
        return "missing"
    # Whoever counts requests, reads them or answers them has let the key pass; a broken server has not looked.
    passed = any(attempt.status is not None and attempt.status < 500 for attempt in attempts)
    return "ok" if passed else "unknown"
