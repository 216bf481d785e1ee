"""The language engine's adapter: providers in order, within one limit of time.

Each attempt runs on a thread and event loop of its own, so that any thread may ask, also one whose event loop
is running; the caller waits no longer than the limit, even for a name look-up that cannot be cancelled. Which
provider is asked next, and whether one is asked again, is decided in the caller's thread, which tells every
attempt to its `Watch` before the request leaves and when it is over.
The library is imported at the first call, outside the limits. One provider is asked again only as `Limits.retries`
says, and never after an answer that would be the same again.

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
from dataclasses import replace

from mace.providers.models.library import Refusal, ask, check_key, load, refusal_of
from mace.providers.models.port import Attempt, ModelAnswer, ModelDown, ModelRequest, Watch, key_status
from mace.providers.models.settings import Limits, ProviderSettings
from mace.providers.models.words import remedy

_GRACE_S = 1.0  # for a cancelled attempt to close its connection before the caller stops waiting
_LIBRARIES = frozenset(
    {"anthropic", "google_genai", "groq", "httpcore", "httpcore2", "httpx", "httpx2", "openai", "pydantic_ai"}
)
_PAUSE_S = 0.5  # before one provider is asked again, twice as long each time, where it does not say how long
_PASSING = frozenset({"status", "too_many_requests", "no_connection", "connection_broke"})


class _Nobody:
    """A watch that nobody keeps."""

    def asked(self, provider: str, model: str) -> None:
        pass

    def ended(self, outcome: ModelAnswer | Attempt | None) -> None:
        pass


def pause_before_again(refusal: Attempt, asked: int, retries: int, left_s: float) -> float | None:
    """How long to wait before one provider is asked again, or None: it has failed. `asked`: how often it was asked."""
    if asked > retries or refusal.reason not in _PASSING:
        return None
    pause_s = _PAUSE_S * 2 ** (asked - 1) if refusal.retry_after_s is None else float(refusal.retry_after_s)
    return pause_s if pause_s < left_s else None


class PydanticAiEngine:
    """A `LanguageEngine` over the given providers, tried in order."""

    def __init__(
        self,
        providers: Sequence[ProviderSettings],
        limits: Limits = Limits(),  # noqa: B008 (frozen)
        *,
        monotonic: Callable[[], float] = time.monotonic,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._providers = tuple(providers)
        self._limits = limits
        self._monotonic = monotonic
        self._pause = pause
        self._lock = threading.Lock()
        self._trust: dict[ProviderSettings, ssl.SSLContext | bool] = {}

    def warm_up(self) -> None:
        """Import now what the first call would import; a service does this at its start."""
        for settings in self._providers:
            self._prepare(settings)

    def complete(self, request: ModelRequest, *, time_limit_s: float | None = None) -> ModelAnswer:
        """Return the first answer, or raise `ModelDown` with every attempt that was made."""
        return self.complete_watched(request, _Nobody(), time_limit_s=time_limit_s)

    def complete_watched(
        self, request: ModelRequest, watch: Watch, *, time_limit_s: float | None = None
    ) -> ModelAnswer:
        """The same, and tell every attempt to somebody."""
        prepared = [(settings, self._prepare(settings)) for settings in self._providers]
        total_s = self._limits.total_s if time_limit_s is None else min(time_limit_s, self._limits.total_s)
        deadline = self._monotonic() + max(0.0, total_s)
        left = sum(not isinstance(trust, Refusal) for _, trust in prepared)
        failed: list[Attempt] = []
        for settings, trust in prepared:
            if isinstance(trust, Refusal):
                failed.append(_attempt(settings, trust))
                continue
            now = self._monotonic()
            answer = self._ask(request, settings, trust, now + (deadline - now) / left, watch, failed)
            if answer is not None:
                return replace(answer, failed=tuple(failed))
            left -= 1
        raise ModelDown(failed, key_status(failed))

    def _ask(
        self,
        request: ModelRequest,
        settings: ProviderSettings,
        trust: ssl.SSLContext | bool,
        until: float,
        watch: Watch,
        failed: list[Attempt],
    ) -> ModelAnswer | None:
        """Ask one provider, again where that may help; what failed is added to `failed`."""
        asked = 0
        while True:
            share_s = until - self._monotonic()
            if share_s <= 0:
                failed.append(_attempt(settings, Refusal("total_time")))
                return None
            watch.asked(settings.name, settings.model)
            asked += 1
            outcome = _Call(request, settings, trust, self._limits, share_s, self._monotonic).make()
            if isinstance(outcome, ModelAnswer):
                watch.ended(outcome)
                return outcome
            attempt = _attempt(settings, outcome)
            watch.ended(attempt)
            failed.append(attempt)
            pause_s = pause_before_again(attempt, asked, self._limits.retries, until - self._monotonic())
            if pause_s is None:
                return None
            self._pause(pause_s)

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
    """One attempt on its own thread. What it found counts until the caller stops waiting, and not after."""

    def __init__(
        self,
        request: ModelRequest,
        settings: ProviderSettings,
        trust: ssl.SSLContext | bool,
        limits: Limits,
        share_s: float,
        monotonic: Callable[[], float],
    ) -> None:
        self._request = request
        self._settings = settings
        self._trust = trust
        self._limits = limits
        self._share_s = share_s
        self._monotonic = monotonic
        self._done = threading.Event()
        self._cancel: Callable[[], object] = lambda: None
        self._outcome: ModelAnswer | Refusal | None = None

    def make(self) -> ModelAnswer | Refusal:
        """Make the attempt and wait for what it comes to."""
        threading.Thread(target=self._run, name="mace-model-call", daemon=True).start()
        in_time = False
        try:
            in_time = self._done.wait(self._share_s + _GRACE_S)
        finally:  # also when the wait was interrupted
            if not in_time:
                with suppress(RuntimeError):  # its loop has just closed
                    self._cancel()
        return self._outcome or Refusal("total_time")

    def _run(self) -> None:
        with suppress(BaseException):  # cancelled, or the interpreter ends; what was found is in the field
            asyncio.run(self._in_loop())
        self._done.set()

    async def _in_loop(self) -> None:
        _in_call.set(True)
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        loop.set_exception_handler(lambda _loop, _context: None)  # it logs what a broken connection was doing
        if task is not None:
            self._cancel = lambda: loop.call_soon_threadsafe(task.cancel)
        self._outcome = await self._attempt(self._settings, self._trust, self._share_s)
        self._done.set()  # before the loop closes, which waits for name look-ups that cannot be cancelled

    async def _attempt(
        self, settings: ProviderSettings, trust: ssl.SSLContext | bool, share_s: float
    ) -> ModelAnswer | Refusal:
        from mace.providers.models.wire import Note, Wire

        started = self._monotonic()
        note = Note()
        try:
            wire = Wire(settings, self._limits, trust, note)
            async with asyncio.timeout(share_s):
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
        )


def _attempt(settings: ProviderSettings, refusal: Refusal) -> Attempt:
    return Attempt(
        provider=settings.name,
        model=settings.model,
        kind=refusal.kind,
        status=refusal.status,
        reason=refusal.reason,
        hint=remedy(refusal.reason, settings.prefix) if refusal.hint is None else refusal.hint,
        retry_after_s=refusal.retry_after_s,
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
