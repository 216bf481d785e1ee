"""Which language engine an opened MACE asks: from the settings, or from what the program said when it opened it."""

from typing import TYPE_CHECKING, TypedDict

from mace.core.errors import InvalidInput, WrongType
from mace.settings import Settings, shown_url

if TYPE_CHECKING:
    from mace.providers.models.port import LanguageEngine
    from mace.providers.models.settings import Limits, ProviderSettings

_PROBE = "Answer with one word: ready"
_PROBE_TOKENS = 512  # room for a model that thinks first


class Probed(TypedDict):
    """How one engine did when it was asked one word. `engine`: what its settings begin with."""

    engine: str
    kind: str
    model: str
    url: str
    ok: bool
    time_ms: int | None
    input_tokens: int | None
    output_tokens: int | None
    finish_reason: str | None
    error: str | None
    remedy: str | None


def language_engine(
    settings: Settings,
    given: "LanguageEngine | None" = None,
    *,
    model: str | None = None,
    url: str | None = None,
    api_key: str | None = None,
) -> "LanguageEngine | None":
    """The given engine, or those of the settings in their order, the backup second; none without a model's name.

    `model`, `url` and `api_key` stand in the place of the first engine's settings; None leaves a part as it is.
    """
    _check(settings, model, url, api_key)
    if given is not None:
        if not (model is None and url is None and api_key is None):
            raise InvalidInput("language and model, url, api_key exclude each other: both name a language engine")
        return given
    providers = _providers(settings, model, url, api_key)
    return _engine(settings, providers) if providers else None


def _providers(
    settings: Settings, model: str | None = None, url: str | None = None, api_key: str | None = None
) -> "list[ProviderSettings]":
    chosen_model = settings.llm_model if model is None else model
    providers = [_first(settings, chosen_model, url, api_key)] if chosen_model else []
    return [*providers, _backup(settings)] if settings.llm_backup_model else providers


def judge_engine(settings: Settings) -> "LanguageEngine | None":
    """The engine that votes on what the first one wrote; none without a model's name."""
    return _engine(settings, [_judge(settings)]) if settings.judge_model else None


def probe_engines(settings: Settings) -> list[Probed]:
    """Ask every engine of the settings one word, and say how each did. Nothing of anybody is sent, nothing recorded."""
    from mace.providers.models.engine import PydanticAiEngine

    chosen = _providers(settings)
    limits = _limits(settings, len(chosen))
    return [
        _probed(PydanticAiEngine([provider], limits), provider)
        for provider in [*chosen, *([_judge(settings)] if settings.judge_model else [])]
    ]


def _probed(engine: "LanguageEngine", provider: "ProviderSettings") -> Probed:
    from mace.providers.models.port import ModelDown, ModelRequest

    told: Probed = {
        "engine": provider.prefix,
        "kind": provider.kind,
        "model": provider.model,
        "url": shown_url(provider.base_url or ""),
        "ok": False,
        "time_ms": None,
        "input_tokens": None,
        "output_tokens": None,
        "finish_reason": None,
        "error": None,
        "remedy": None,
    }
    try:
        answer = engine.complete(ModelRequest(system="", prompt=_PROBE, max_output_tokens=_PROBE_TOKENS))
    except ModelDown as down:
        attempt = down.attempts[-1]
        status = "" if attempt.status is None else f" {attempt.status}"
        told["error"], told["remedy"] = f"{attempt.kind}{status} ({attempt.reason})", attempt.hint or None
        return told
    told["ok"], told["time_ms"], told["finish_reason"] = True, answer.time_ms, answer.finish_reason
    told["input_tokens"], told["output_tokens"] = answer.input_tokens, answer.output_tokens
    return told


def _judge(settings: Settings) -> "ProviderSettings":
    from mace.providers.models.settings import ProviderSettings

    return ProviderSettings(
        model=settings.judge_model,
        kind=settings.judge_kind,
        name="judge",
        base_url=settings.judge_url or None,
        api_key=settings.judge_api_key or None,
        needs_key=settings.judge_needs_key,
        prefix="judge",
    )


def _engine(settings: Settings, providers: "list[ProviderSettings]") -> "LanguageEngine":
    from mace.providers.models.engine import PydanticAiEngine

    return PydanticAiEngine(providers, _limits(settings, len(providers)))


def _limits(settings: Settings, engines: int) -> "Limits":
    from mace.providers.models.settings import Limits

    _check_times(settings, engines)
    return Limits(
        connect_s=settings.llm_connect_timeout_ms / 1000,
        header_s=settings.llm_header_timeout_ms / 1000,
        total_s=settings.llm_total_timeout_ms / 1000,
        retries=settings.llm_retries,
    )


def _check_times(settings: Settings, engines: int) -> None:
    """Refuse limits of which one could never be reached, because another one ends the call before it."""
    total = settings.llm_total_timeout_ms
    for name in ("llm_connect_timeout_ms", "llm_header_timeout_ms"):
        limit: int = getattr(settings, name)
        if limit * engines > total:
            whom = "" if engines == 1 else f" for each of {engines} engines"
            raise InvalidInput(
                f"{name} ({limit}{whom}) is longer than llm_total_timeout_ms ({total}) lets a call be: "
                "lower the one or raise the other"
            )


def _check(settings: Settings, model: str | None, url: str | None, api_key: str | None) -> None:
    """Refuse what cannot be meant. No complaint repeats a value: somebody may have passed a key for something else."""
    for name, value in (("model", model), ("url", url), ("api_key", api_key)):
        if value is not None and not isinstance(value, str):
            raise WrongType(f"{name} must be a str, got {type(value).__name__}")
    if model is not None and not model.strip():
        raise InvalidInput("model must not be empty")
    for name, value in (("url", url), ("api_key", api_key)):
        if value and not (model or settings.llm_model):
            raise InvalidInput(f"{name} needs a model: mace.open(..., model=NAME), or the setting llm_model")
    if url is not None and not url.startswith(("http://", "https://")):
        raise InvalidInput("url must begin with http:// or https://, such as http://localhost:11434/v1")


def _first(settings: Settings, model: str, url: str | None, api_key: str | None) -> "ProviderSettings":
    """A key is sent only where it was meant to go: another url does not get the configured key.

    A url that the program names without a key is asked without one, as a local server is. That holds for the OpenAI
    protocol only: of other kinds the library would look for a key of its own.
    """
    from mace.providers.models.settings import ProviderSettings

    address = settings.llm_url if url is None else url
    key = settings.llm_api_key if address == settings.llm_url else ""
    if api_key is not None:
        key = api_key
    keyless = url is not None and not key.strip() and settings.llm_kind == "openai"
    return ProviderSettings(
        model=model,
        kind=settings.llm_kind,
        base_url=address or None,
        api_key=key or None,
        needs_key=settings.llm_needs_key and not keyless,
    )


def _backup(settings: Settings) -> "ProviderSettings":
    from mace.providers.models.settings import ProviderSettings

    return ProviderSettings(
        model=settings.llm_backup_model,
        kind=settings.llm_backup_kind,
        name="backup",
        base_url=settings.llm_backup_url or None,
        api_key=settings.llm_backup_api_key or None,
        needs_key=settings.llm_needs_key,
        prefix="llm_backup",
    )
