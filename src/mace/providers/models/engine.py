"""The language engine's adapter: providers in order, each tried once, within one limit of time.

A call runs on a thread and event loop of its own, so that any thread may make it, also one whose event loop
is running; the caller waits no longer than the total limit, even for a name look-up that cannot be cancelled.
The library is imported at the first call, outside the limits. There are no retries here or below: those are
decided and recorded by whoever calls.

What would hurt: a provider's words reaching an error, a log or a traceback; they quote prompts and keys.
`ModelDown` is built from our own words and raised outside every `except`, so that it drags no other exception
along; the libraries' loggers are silent during a call, because at DEBUG level they write headers and, in some
versions, whole requests.
"""

import asyncio
import logging
import ssl
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from contextvars import ContextVar

from mace.providers.models.library import Refusal, ask, check_key, load, refusal_of
from mace.providers.models.port import Attempt, ModelAnswer, ModelDown, ModelRequest, key_status
from mace.providers.models.settings import Limits, ProviderSettings

_GRACE_S = 1.0  # for a cancelled attempt to close its connection before the caller stops waiting
_LIBRARIES = frozenset(
    {"anthropic", "google_genai", "groq", "httpcore", "httpcore2", "httpx", "httpx2", "openai", "pydantic_ai"}
)
_Prepared = tuple[ProviderSettings, ssl.SSLContext | bool | Refusal]


class PydanticAiEngine:
    """A `LanguageEngine` over the given providers, tried in order."""

    def __init__(
        self,
        providers: Sequence[ProviderSettings],
        limits: Limits = Limits(),  # noqa: B008 (frozen)
        *,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._providers = tuple(providers)
        self._limits = limits
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._trust: dict[ProviderSettings, ssl.SSLContext | bool] = {}

    def warm_up(self) -> None:
        """Import now what the first call would import; a service does this at its start."""
        for settings in self._providers:
            self._prepare(settings)

    def complete(self, request: ModelRequest, *, time_limit_s: float | None = None) -> ModelAnswer:
        """Return the first answer, or raise `ModelDown` with what each provider did."""
        prepared = [(settings, self._prepare(settings)) for settings in self._providers]
        refused = [_attempt(settings, trust) for settings, trust in prepared if isinstance(trust, Refusal)]
        if len(refused) == len(prepared):
            raise ModelDown(refused, key_status(refused))
        total_s = self._limits.total_s if time_limit_s is None else min(time_limit_s, self._limits.total_s)
        call = _Call(request, prepared, self._limits, max(0.0, total_s), self._monotonic)
        answer, failed = call.make()
        if answer is None:
            raise ModelDown(failed, key_status(failed))
        return answer

    def _prepare(self, settings: ProviderSettings) -> ssl.SSLContext | bool | Refusal:
        try:
            check_key(settings)
            with self._lock:
                if settings not in self._trust:
                    self._trust[settings] = load(settings)
                return self._trust[settings]
        except Refusal as refusal:
            return refusal


class _Call:
    """One call on its own thread. What it found counts until the caller stops waiting, and not after."""

    def __init__(
        self,
        request: ModelRequest,
        prepared: Sequence[_Prepared],
        limits: Limits,
        total_s: float,
        monotonic: Callable[[], float],
    ) -> None:
        self._request = request
        self._prepared = prepared
        self._limits = limits
        self._total_s = total_s
        self._monotonic = monotonic
        self._done = threading.Event()
        self._lock = threading.Lock()
        self._cancel: Callable[[], object] = lambda: None
        self._trying: ProviderSettings | None = None
        self._failed: list[Attempt] = []
        self._answer: ModelAnswer | None = None

    def make(self) -> tuple[ModelAnswer | None, list[Attempt]]:
        """Run the call and wait for it; return its answer, if any, and the attempts that failed."""
        threading.Thread(target=self._run, name="mace-model-call", daemon=True).start()
        in_time = False
        try:
            in_time = self._done.wait(self._total_s + _GRACE_S)
        finally:  # also when the wait was interrupted
            if not in_time:
                with suppress(RuntimeError):  # its loop has just closed
                    self._cancel()
        with self._lock:
            failed = list(self._failed)
            if self._answer is None and self._trying is not None:
                failed.append(_attempt(self._trying, Refusal("timeout", "total_time")))
            return self._answer, failed

    def _run(self) -> None:
        with suppress(BaseException):  # cancelled, or the interpreter ends; what was found is in the fields
            asyncio.run(self._attempts())
        self._done.set()

    async def _attempts(self) -> None:
        _in_call.set(True)
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        loop.set_exception_handler(lambda _loop, _context: None)  # it logs what a broken connection was doing
        if task is not None:
            self._cancel = lambda: loop.call_soon_threadsafe(task.cancel)
        deadline = self._monotonic() + self._total_s
        left = sum(not isinstance(trust, Refusal) for _, trust in self._prepared)
        for settings, trust in self._prepared:
            outcome: ModelAnswer | Refusal
            if isinstance(trust, Refusal):
                outcome = trust
            else:
                self._trying = settings
                outcome = await self._attempt(settings, trust, (deadline - self._monotonic()) / left)
                left -= 1
            with self._lock:
                self._trying = None
                if isinstance(outcome, ModelAnswer):
                    self._answer = outcome
                    break
                self._failed.append(_attempt(settings, outcome))
        self._done.set()  # before the loop closes, which waits for name look-ups that cannot be cancelled

    async def _attempt(
        self, settings: ProviderSettings, trust: ssl.SSLContext | bool, share_s: float
    ) -> ModelAnswer | Refusal:
        from mace.providers.models.wire import Note, Wire

        started = self._monotonic()
        note = Note()
        try:
            wire = Wire(settings, self._limits, trust, note)
            async with asyncio.timeout(max(0.0, share_s)):
                _silence_libraries()
                said = await ask(settings, wire, self._request)
        except Exception as error:  # whatever it says stays here
            return refusal_of(error, note)
        return ModelAnswer(
            text=said.text,
            input_tokens=said.input_tokens,
            output_tokens=said.output_tokens,
            model=said.model,
            provider=settings.name,
            finish_reason=said.finish_reason,
            time_ms=round((self._monotonic() - started) * 1000),
            failed=tuple(self._failed),
        )


def _attempt(settings: ProviderSettings, refusal: Refusal) -> Attempt:
    return Attempt(
        provider=settings.name,
        model=settings.model,
        kind=refusal.kind,
        status=refusal.status,
        reason=refusal.reason,
        hint=refusal.hint,
    )


_in_call: ContextVar[bool] = ContextVar("mace_in_model_call", default=False)


class _Silence(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        return not _in_call.get()


_SILENCE = _Silence()


def _silence_libraries() -> None:
    """Mute the libraries' loggers for our own calls. Filters are not inherited, so each logger gets it."""
    for name in list(logging.root.manager.loggerDict):
        if name.partition(".")[0] in _LIBRARIES:
            logging.getLogger(name).addFilter(_SILENCE)
