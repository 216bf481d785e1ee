"""A language engine that says what a test wrote down, and remembers what it was asked."""

import threading
from collections.abc import Callable, Sequence

from mace.providers.models.port import Attempt, ModelAnswer, ModelDown, ModelRequest

EngineReply = str | ModelAnswer | Exception
EngineScript = Sequence[EngineReply] | Callable[[ModelRequest], EngineReply]
_NAME = "scripted"


class ScriptedEngine:
    """Answers with the replies of a list, in order, or with those of a function; an exception is raised.

    `asked` is every request so far. A request beyond the last reply counts in `unanswered` and is `ModelDown`.
    """

    def __init__(self, script: EngineScript = ()) -> None:
        self.asked: list[ModelRequest] = []
        self.unanswered = 0
        self._function = script if callable(script) else None
        self._replies: list[EngineReply] = [] if callable(script) else list(script)
        self._lock = threading.Lock()

    def reply(self, *replies: EngineReply) -> None:
        """Add replies behind those that are left."""
        with self._lock:
            self._replies += replies

    def reply_by(self, function: Callable[[ModelRequest], EngineReply]) -> None:
        """Answer with this function from now on."""
        self._function = function

    def complete(self, request: ModelRequest, *, time_limit_s: float | None = None) -> ModelAnswer:
        with self._lock:
            self.asked.append(request)
            function = self._function
            if function is None and not self._replies:
                self.unanswered += 1
                number = len(self.asked)
                raise ModelDown([_nothing_left(number)], "ok")
            said = self._replies.pop(0) if function is None else None
        if said is None and function is not None:
            said = function(request)
        if isinstance(said, Exception):
            raise said
        if isinstance(said, ModelAnswer):
            return said
        if not isinstance(said, str):
            raise TypeError(f"a scripted reply must be a str, a ModelAnswer or an exception, got {type(said).__name__}")
        return ModelAnswer(
            text=said,
            input_tokens=_tokens(request.system) + _tokens(request.prompt),
            output_tokens=_tokens(said),
            model=_NAME,
            provider=_NAME,
            finish_reason="stop",
            time_ms=0,
        )


def _nothing_left(number: int) -> Attempt:
    hint = f"no scripted reply is left for request {number}"
    return Attempt(provider=_NAME, model=_NAME, kind="config", status=None, reason="not_usable", hint=hint)


def _tokens(text: str) -> int:
    return -(-len(text.encode()) // 4)
