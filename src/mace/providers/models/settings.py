"""What a language engine is told: which providers, in which order, and how long they may take.

Built by the settings of the application; nothing here looks at the environment. Keys are kept out of every
`repr`.
"""

from dataclasses import dataclass, field
from typing import Literal

OPENAI_URL = "https://api.openai.com/v1"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderSettings:
    """One provider and model.

    `kind` "openai" is any endpoint that speaks the OpenAI chat protocol. Every other kind is one of
    pydantic-ai's provider names (`anthropic`, `google`, `mistral`, ...) and needs that extra to be installed.
    `output_limit` is the field that carries the token limit: OpenAI itself insists on
    `max_completion_tokens`, most compatible servers know only `max_tokens`.
    """

    model: str
    kind: str = "openai"
    name: str = ""  # in answers and attempts; the kind if empty
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    needs_key: bool = True  # a local server may not
    proxy: str | None = field(default=None, repr=False)  # may hold a password
    ca_file: str | None = None
    extra_headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    output_limit: Literal["auto", "max_tokens", "max_completion_tokens"] = "auto"
    prefix: str = "llm"  # what the settings of this engine begin with, for remedies that name them

    def __post_init__(self) -> None:
        if not self.name:
            object.__setattr__(self, "name", self.kind)
        if self.kind == "openai" and self.base_url is None:
            object.__setattr__(self, "base_url", OPENAI_URL)
        key = (self.api_key or "").strip()
        object.__setattr__(self, "api_key", key or None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Seconds and bytes. `header_s` bounds the wait for the answer to begin, and any silence within it.

    `total_s` bounds a whole call with all its attempts; each provider gets an equal share of what is left, so
    that one that hangs leaves time for the next. `retries`: how often one provider is asked again after a failure that
    may be over in a moment (5xx, a broken connection, 429), within its share.
    """

    connect_s: float = 5.0
    header_s: float = 30.0
    total_s: float = 60.0
    max_response_bytes: int = 4 * 1024 * 1024
    retries: int = 0
