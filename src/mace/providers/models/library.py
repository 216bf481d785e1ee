"""What is used of pydantic-ai: building a model for one attempt, and its `request`.

Every import of the library happens inside a function, at the first call. All that leaves this file is an
answer, or a `Refusal` with our own words; whatever the libraries raise is read for its type and the wire's
note, never its text.

The reasons, their kinds and their remedies stand in `words`.
"""

import importlib
import json
import ssl
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from mace.providers.models.port import FailureKind, ModelRequest
from mace.providers.models.settings import ProviderSettings
from mace.providers.models.words import REASONS, without_thinking

if TYPE_CHECKING:
    from httpx2 import AsyncClient
    from pydantic_ai.models import Model

    from mace.providers.models.wire import Note, Wire

# What statuses mean; a 5xx is `status`, any other one that is not here `bad_request`.
_OF_STATUS = {
    401: "key_refused",
    402: "no_credit",
    403: "key_refused",
    404: "not_found",
    405: "wrong_address",
    407: "wrong_address",
    408: "gateway_time",
    413: "too_long",
    429: "too_many_requests",
    504: "gateway_time",
}
# Codes in the error of an endpoint that say more than its status; nothing else of what it says is looked at.
_OF_CODE = {
    "content_filter": "content_filter",
    "content_policy_violation": "content_filter",
    "billing_hard_limit_reached": "no_credit",
    "context_length_exceeded": "too_long",
    "insufficient_quota": "no_credit",
    "invalid_api_key": "key_refused",
    "model_not_found": "no_such_model",
    "string_above_max_length": "too_long",
}
# The library drops the tag of a thought that never ends and gives the thought for an answer, so it looks for none.
_NO_TAGS = ("<no such tag>", "</no such tag>")
_MAX_TOKENS = 2**53 - 1  # beyond it a number has no canonical form


class Refusal(Exception):
    """An attempt that failed, in our own words."""

    def __init__(
        self, reason: str, status: int | None = None, hint: str | None = None, retry_after_s: int | None = None
    ) -> None:
        super().__init__(reason)
        self.kind: FailureKind = REASONS[reason][0]
        self.reason = reason
        self.status = status
        self.hint = hint  # instead of the remedy that the reason has
        self.retry_after_s = retry_after_s


def check_key(settings: ProviderSettings) -> None:
    """Refuse what cannot be sent, before any network is touched."""
    if settings.api_key is None:
        if settings.needs_key:
            raise Refusal("key_missing")
    elif not (settings.api_key.isascii() and settings.api_key.isprintable()):
        raise Refusal("key_malformed")


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
        extra = "mace-runtime[llm]" if settings.kind == "openai" else f"pydantic-ai-slim[{settings.kind}]"
        refusal = Refusal("not_installed", hint=f"pip install '{extra}'")
    except ValueError:
        refusal = Refusal("unknown_provider")
    except Exception:
        refusal = Refusal("not_usable")
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
    text = without_thinking("".join(part.content for part in said.parts if isinstance(part, messages.TextPart)))
    if not text.strip():
        raise Refusal(_why_empty(said, messages), wire.note.status)
    usage = said.usage
    return Said(
        text=_storable(text),
        input_tokens=_count(usage.input_tokens),
        output_tokens=_count(usage.output_tokens),
        model=_storable(said.model_name or settings.model)[:200],
        finish_reason="tool_call" if _asks_for_a_tool(said, messages) else said.finish_reason or "unknown",
    )


def _why_empty(said: Any, messages: Any) -> str:
    """Why an answer has no text."""
    if (said.provider_details or {}).get("refusal"):
        return "refusal"
    if said.finish_reason == "content_filter":
        return "content_filter"
    if _asks_for_a_tool(said, messages):
        return "tool_call"
    return "cut_before_text" if said.finish_reason == "length" else "empty_answer"


def _asks_for_a_tool(said: Any, messages: Any) -> bool:
    return said.finish_reason == "tool_call" or any(isinstance(part, messages.ToolCallPart) for part in said.parts)


def refusal_of(error: BaseException, note: "Note") -> Refusal:
    """Say in our own words what ended an attempt, from the wire's note; the error only matters without one."""
    if isinstance(error, Refusal):
        return error
    status = note.status
    if note.reason is not None:
        return Refusal(note.reason, status)
    if isinstance(error, TimeoutError):
        return Refusal("total_time", status)
    if status is None:
        return Refusal("not_installed" if isinstance(error, ImportError) else "not_usable")
    if 200 <= status < 300:
        return Refusal("not_a_completion", status)
    return Refusal(_reason_of_status(status, bytes(note.said)), status, retry_after_s=note.retry_after_s)


def _reason_of_status(status: int, body: bytes) -> str:
    code = _code_in(body)
    if code in _OF_CODE and 400 <= status < 500:
        return _OF_CODE[code]
    if status in _OF_STATUS:
        return _OF_STATUS[status]
    if status >= 500:
        return "status"
    return "wrong_address" if status < 400 else "bad_request"


def _code_in(body: bytes) -> str:
    """The code of an OpenAI error, where there is one: a word that is compared and never repeated."""
    try:
        error = json.loads(body)["error"]
        code = error.get("code") or error.get("type")
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return ""
    return code if isinstance(code, str) else ""


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
        openai_chat_supports_max_completion_tokens=settings.output_limit == "max_completion_tokens",
        thinking_tags=_NO_TAGS,
    )
    provider = OpenAICompatibleProvider(settings.name, openai_client=base, profile=profile)
    return OpenAIChatModel(settings.model, provider=provider)


def _storable(text: str) -> str:
    """Return the text with lone surrogates replaced, because they have no UTF-8 form."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _count(tokens: int) -> int:
    return min(max(0, tokens), _MAX_TOKENS)
