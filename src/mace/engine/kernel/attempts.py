"""Attempts to ask a language engine, on the tape: one start and one end for every request that leaves.

The start is stored before the request leaves, the end with whatever the job stores next, so that the record has at
least the requests that the endpoint counted, whatever happens to the process: an attempt that was begun and has no end
is there as begun. Names come from the settings and words from us; what was asked and answered lies sealed with the
effect.
"""

from typing import Any, Literal

from mace.engine.kernel.tape import LiveTape
from mace.engine.kernel.world import World
from mace.providers.models.port import Attempt, ModelAnswer, own_words

_FINISHED = frozenset({"stop", "length", "content_filter", "tool_call", "error"})  # else an engine may say anything


class TapeWatch:
    """Puts the attempts of one effect onto the tape (`providers.models.port.Watch`)."""

    def __init__(
        self, world: World, tape: LiveTape, engine: Literal["language", "judge"], effect: int | None = None
    ) -> None:
        self._clock = world.clock
        self._tape = tape
        self._engine = engine
        self._effect = effect  # None: the one that is being performed
        self._attempt = 0
        self._began = 0.0

    def asked(self, provider: str, model: str) -> None:
        self._attempt += 1
        said = {"attempt": self._attempt, "engine": self._engine, "provider": provider, "model": model}
        self._tape.asking(said, self._effect)
        self._began = self._clock.monotonic_ms()

    def ended(self, outcome: ModelAnswer | Attempt | None) -> None:
        said: dict[str, Any] = {
            "attempt": self._attempt,
            "time_ms": round(self._clock.monotonic_ms() - self._began, 3),
            "failed": None,
        }
        if isinstance(outcome, ModelAnswer):
            said["finish_reason"] = outcome.finish_reason if outcome.finish_reason in _FINISHED else "unknown"
        elif outcome is None:
            said["failed"] = "error"
        else:
            said |= {
                "failed": outcome.kind,
                "reason": own_words(outcome.reason, "")[0],
                "status": outcome.status,
            }
        self._tape.asked(said, self._effect)
