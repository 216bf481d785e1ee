"""What is used of pydantic-ai: building a model for one attempt, and its `request`.

Every import of the library happens inside a function, at the first call. All that leaves this file is an
answer, or a `Refusal` with our own words; whatever the libraries raise is read for its type and the wire's
note, never its text.

Reasons, by kind of failure:

    auth       key_missing, key_malformed, status
    rate       status
    server     status
    network    no_connection, connection_broke, other_origin
    timeout    connect_time, header_time, body_time, total_time, status
    malformed  not_a_completion, empty_answer, content_filter, too_large, encoded
    config     not_installed, unknown_provider, not_usable
"""

import importlib
import ssl
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from mace.providers.models.port import FailureKind, ModelRequest
from mace.providers.models.settings import ProviderSettings

if TYPE_CHECKING:
    from httpx2 import AsyncClient
    from pydantic_ai.models import Model

    from mace.providers.models.wire import Note, Wire

_KIND_OF_REASON: dict[str, FailureKind] = {
    "no_connection": "network",
    "connection_broke": "network",
    "other_origin": "network",
    "connect_time": "timeout",
    "header_time": "timeout",
    "body_time": "timeout",
    "total_time": "timeout",
    "too_large": "malformed",
    "encoded": "malformed",
}
_MAX_TOKENS = 2**53 - 1  # beyond it a number has no canonical form


class Refusal(Exception):
    """An attempt that failed, in our own words."""

    def __init__(self, kind: FailureKind, reason: str, status: int | None = None, hint: str = "") -> None:
        super().__init__(reason)
        self.kind: FailureKind = kind
        self.reason = reason
        self.status = status
        self.hint = hint


def check_key(settings: ProviderSettings) -> None:
    """Refuse what cannot be sent, before any network is touched."""
    if settings.api_key is None:
        if settings.needs_key:
            raise Refusal("auth", "key_missing")
    elif not (settings.api_key.isascii() and settings.api_key.isprintable()):
        raise Refusal("auth", "key_malformed")


def load(settings: ProviderSettings) -> ssl.SSLContext | bool:
    """Import what this provider needs and return whom it trusts; raise `Refusal` for what cannot be used."""
    refusal: Refusal
    try:
        importlib.import_module("pydantic_ai.models.openai")
        from pydantic_ai.providers import infer_provider_class

        infer_provider_class(settings.kind)
        from mace.providers.models.wire import trust_for

        return trust_for(settings)
    except ImportError:
        refusal = Refusal("config", "not_installed", hint=f"pip install 'pydantic-ai-slim[{settings.kind}]'")
    except ValueError:
        refusal = Refusal("config", "unknown_provider")
    except Exception:
        refusal = Refusal("config", "not_usable", hint="check base_url and ca_file")
    raise refusal


class Said(NamedTuple):
    text: str
    input_tokens: int
    output_tokens: int
    model: str
    finish_reason: str


async def ask(settings: ProviderSettings, wire: "Wire", request: ModelRequest) -> Said:
    """Make the request, once; raise whatever the libraries raise, or `Refusal` for an empty answer."""
    from pydantic_ai import messages
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.settings import ModelSettings

    from mace.providers.models.wire import client_over

    options = ModelSettings(max_tokens=request.max_output_tokens, temperature=request.temperature, max_retries=0)
    if request.seed is not None:
        options["seed"] = request.seed
    if request.stop:
        options["stop_sequences"] = list(request.stop)
    parts: list[Any] = [messages.SystemPromptPart(request.system)] if request.system else []
    said_before: list[Any] = []
    for role, content in request.earlier:
        if role == "assistant":
            said_before.append(messages.ModelResponse(parts=[messages.TextPart(content)]))
        else:
            said_before.append(messages.ModelRequest(parts=[*parts, messages.UserPromptPart(content)]))
            parts = []
    asked = messages.ModelRequest(parts=[*parts, messages.UserPromptPart(request.prompt)])
    async with client_over(wire) as client:
        model = _model(settings, client)
        said = await model.request([*said_before, asked], options, ModelRequestParameters())
    text = "".join(part.content for part in said.parts if isinstance(part, messages.TextPart))
    if not text.strip():
        filtered = said.finish_reason == "content_filter"
        raise Refusal("malformed", "content_filter" if filtered else "empty_answer", wire.note.status)
    usage = said.usage
    return Said(
        text=_storable(text),
        input_tokens=_count(usage.input_tokens),
        output_tokens=_count(usage.output_tokens),
        model=_storable(said.model_name or settings.model)[:200],
        finish_reason=said.finish_reason or "unknown",
    )


def refusal_of(error: BaseException, note: "Note") -> Refusal:
    """Say in our own words what ended an attempt, from the wire's note; the error only matters without one."""
    if isinstance(error, Refusal):
        return error
    status = note.status
    if note.reason is not None:
        return Refusal(_KIND_OF_REASON[note.reason], note.reason, status)
    if isinstance(error, TimeoutError):
        return Refusal("timeout", "total_time", status)
    if status is None:
        if isinstance(error, ImportError):
            return Refusal("config", "not_installed")
        return Refusal("config", "not_usable")
    if status in (401, 403):
        return Refusal("auth", "status", status)
    if status in (402, 429):
        return Refusal("rate", "status", status)
    if status == 408:
        return Refusal("timeout", "status", status)
    if not 200 <= status < 300:
        return Refusal("server", "status", status)
    return Refusal("malformed", "not_a_completion", status)


def _model(settings: ProviderSettings, client: "AsyncClient") -> "Model":
    if settings.kind == "openai":
        return _openai_model(settings, client)
    from pydantic_ai.models import infer_model
    from pydantic_ai.providers import infer_provider_class

    given: dict[str, Any] = {"api_key": settings.api_key, "base_url": settings.base_url, "http_client": client}
    given = {name: value for name, value in given.items() if value is not None}
    provider = infer_provider_class(settings.kind)(**given)
    return infer_model(f"{settings.kind}:{settings.model}", provider_factory=lambda _: provider)


def _openai_model(settings: ProviderSettings, client: "AsyncClient") -> "Model":
    from openai import AsyncOpenAI
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.profiles.openai import OpenAIModelProfile
    from pydantic_ai.providers.openai import OpenAIProvider
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    # The wire puts the real key in; this word only satisfies the library, which would else look for one itself.
    base = AsyncOpenAI(api_key="on-the-wire", base_url=settings.base_url, http_client=client)
    host = urlsplit(settings.base_url or "").hostname or ""
    is_openai = host == "openai.com" or host.endswith(".openai.com")
    if is_openai and settings.output_limit == "auto":
        return OpenAIChatModel(settings.model, provider=OpenAIProvider(openai_client=base))
    profile = OpenAIModelProfile(
        openai_chat_supports_max_completion_tokens=settings.output_limit == "max_completion_tokens"
    )
    provider = OpenAICompatibleProvider(settings.name, openai_client=base, profile=profile)
    return OpenAIChatModel(settings.model, provider=provider)


def _storable(text: str) -> str:
    """Return the text with lone surrogates replaced, because they have no UTF-8 form."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _count(tokens: int) -> int:
    return min(max(0, tokens), _MAX_TOKENS)
