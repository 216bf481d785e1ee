"""What is done for experience when no caller waits: bringing events into the store, and dreaming.

This is the port that wiring's background thread holds; it has no verb of a caller.
"""

from collections.abc import Callable

from mace.engine.experience.parts import ExperienceParts


class ExperienceWork:
    def __init__(self, parts: ExperienceParts) -> None:
        self._parts = parts

    def catch_up(self) -> int:
        """Bring everything that was acknowledged into the store; return how many events that were."""
        return self._parts.feed.catch_up()

    def dream_as_of(self, now_us: int | None, stopping: Callable[[], bool]) -> None:
        """Dream as of an instant, without one as of the clock's; the changes go to the system's own stream."""
        self._parts.dreams.dream(self._parts.now_us() if now_us is None else now_us, stopping=stopping)
