"""Which language engine an opened MACE asks: from the settings, or from what the program said when it opened it."""

from typing import TYPE_CHECKING

from mace.core.errors import InvalidInput, WrongType
from mace.settings import Settings

if TYPE_CHECKING:
    from mace.providers.models.port import LanguageEngine
    from mace.providers.models.settings import ProviderSettings


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
    chosen_model = settings.llm_model if model is None else model
    if not chosen_model and not settings.llm_backup_model:
        return None
    from mace.providers.models.engine import PydanticAiEngine
    from mace.providers.models.settings import Limits

    providers = []
    if chosen_model:
        providers.append(_first(settings, chosen_model, url, api_key))
    if settings.llm_backup_model:
        providers.append(_backup(settings))
    limits = Limits(
        connect_s=settings.llm_connect_timeout_ms / 1000,
        header_s=settings.llm_header_timeout_ms / 1000,
        total_s=settings.llm_total_timeout_ms / 1000,
    )
    return PydanticAiEngine(providers, limits)


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
    )
