"""Settings: `mace.toml` and `MACE_*`, read once, validated, and handed on as values.

Nobody to the right of this file sees the environment. A setting is a field here with its default, its meaning and, for
secrets, the mark that keeps it out of `mace doctor`.
"""

import difflib
import os
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from mace.core.errors import InvalidInput

# What begins with MACE_ and is no setting: the file of settings, what the project's tests and benchmarks use, and what
# Kubernetes sets for a service whose name begins with `mace`.
_NOT_SETTINGS = re.compile(
    r"MACE_(?:CONFIG|ALWAYS_REPLAY|TEST_\w+|BENCH_\w+"
    r"|(?:\w+_)?(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?))"
)
_KUBERNETES_URL = re.compile(r"(?:tcp|udp|sctp)://")  # the value of MACE_PORT and the like

# Where a URL holds a password: behind the user's name, or as a parameter, which PostgreSQL takes too.
_PASSWORDS = (re.compile(r"(://[^:/?#@]*:).*(?=@)"), re.compile(r"([?&](?:ssl)?password=)[^&#]*"))


def _setting(default: Any, meaning: str, *, secret: bool = False, least: int | None = None) -> Any:
    return field(default=default, metadata={"meaning": meaning, "secret": secret, "least": least})


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    location: str = _setting("", "a directory, or the URL of a PostgreSQL database")
    keys_file: str = _setting("", "where the server's keys lie; beside the data by default")
    checkpoint_dir: str = _setting("", "where checkpoints are kept outside the database")
    checkpoint_interval_ms: int = _setting(
        1000, "how often a head with new events is signed; 0: only at close", least=0
    )
    spill_bytes: int = _setting(1 << 20, "space taken in advance for failures while the database is down", least=4096)
    busy_timeout_ms: int = _setting(30_000, "how long a SQLite writer waits for another process", least=0)
    postgres_connect_timeout_s: int = _setting(5, "how long to wait for PostgreSQL", least=1)
    agent_timeout_ms: int = _setting(10_000, "how long an agent may take", least=1)
    max_query_length: int = _setting(8_000, "characters of a question that are read", least=1)
    min_confidence_threshold: float = _setting(0.5, "below it an accepted answer is flagged")
    credential_threshold: float = _setting(0.6, "the council's score an answer needs")
    max_repair_loops: int = _setting(3, "how often an answer is sent back", least=0)
    fails_offline: int = _setting(3, "failures in a row that take a module offline", least=1)
    probation_ms: int = _setting(60_000, "after which an offline module is tried again", least=0)
    llm_kind: str = _setting("openai", "the language engine's protocol: openai, or a provider of pydantic-ai")
    llm_model: str = _setting("", "the language engine's model; none by default")
    llm_url: str = _setting("", "the language engine's address, for what speaks the OpenAI protocol")
    llm_api_key: str = _setting("", "the language engine's key", secret=True)
    llm_needs_key: bool = _setting(True, "whether the engine is asked only with a key")
    llm_backup_kind: str = _setting("openai", "the second engine's protocol")
    llm_backup_model: str = _setting("", "the engine that is asked when the first one fails")
    llm_backup_url: str = _setting("", "the second engine's address")
    llm_backup_api_key: str = _setting("", "the second engine's key", secret=True)
    llm_connect_timeout_ms: int = _setting(5_000, "limit for the connection to a language engine", least=1)
    llm_header_timeout_ms: int = _setting(30_000, "limit for its answer to begin", least=1)
    llm_total_timeout_ms: int = _setting(60_000, "limit for a whole call", least=1)
    context_stores: str = _setting("", "JSONL stores the knowledge agent may quote, separated by :")
    context_cache_dir: str = _setting("", "where indexes of context stores are kept")
    experience_store: str = _setting(
        "", "where experience is kept: beside the facts by default, or leveldb, for one process at a time"
    )
    persona: str = _setting("", "who the agent is and what it values; stands first in a planner's prompt")
    dream_settle_ms: int = _setting(2000, "how long after a task's end the Dreamer begins", least=0)
    dream_interval_ms: int = _setting(3_600_000, "how often the Dreamer runs by itself; 0: only after tasks", least=0)
    user: str = _setting("", "whom the command line acts for; the login name by default")

    def __repr__(self) -> str:
        return f"Settings({', '.join(f'{name}={value!r}' for name, value in self.shown().items())})"

    def shown(self) -> dict[str, Any]:
        """All settings with secrets masked."""
        return {item.name: _masked(item.metadata, getattr(self, item.name)) for item in fields(self)}

    @property
    def is_postgres(self) -> bool:
        return self.location.startswith(("postgres://", "postgresql://"))


def same_place(one: str, other: str) -> bool:
    """Whether two locations are the same: URLs by their text, directories by where they lie."""
    if "://" in one or "://" in other:
        return one == other
    return Path(one).resolve() == Path(other).resolve()


def _masked(metadata: Mapping[str, Any], value: Any) -> Any:
    if metadata["secret"] and value:
        return "********"
    if isinstance(value, str) and "://" in value:
        for pattern in _PASSWORDS:
            value = pattern.sub(r"\1********", value)
    return value


def check_location(location: object) -> None:
    """Refuse what is neither a directory nor a PostgreSQL URL: a typo must not become a folder named like a URL."""
    if not isinstance(location, str):
        raise InvalidInput(f"location must be a directory or a postgresql:// URL, got {type(location).__name__}")
    scheme, marked, _ = location.partition("://")
    if marked and scheme not in ("postgres", "postgresql"):
        raise InvalidInput("location must be a directory or a postgresql:// URL; other schemes are not supported")


def read(location: str | None = None, environ: Mapping[str, str] | None = None) -> Settings:
    """Read the settings for a location; a broken file or an unknown name is refused, naming it."""
    environment = os.environ if environ is None else environ
    given = location or environment.get("MACE_LOCATION") or ""
    check_location(given)
    file = _settings_file(given, environment)
    from_file: dict[str, Any] = {}
    if file is not None:
        try:
            from_file = tomllib.loads(file.read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise InvalidInput(f"cannot read {file}: {error}") from None
    settings = _apply(Settings(), from_file, str(file))
    settings = _apply(settings, _from_environment(environment), "the environment")
    place = given or settings.location or str(_home(environment) / ".local" / "share" / "mace")
    cache = Path(environment.get("XDG_CACHE_HOME") or _home(environment) / ".cache")
    state = Path(environment.get("XDG_STATE_HOME") or _home(environment) / ".local" / "state")
    return replace(
        settings,
        location=place,
        checkpoint_dir=settings.checkpoint_dir or str(state / "mace" / "checkpoints"),
        context_cache_dir=settings.context_cache_dir or str(cache / "mace" / "context"),
        user=settings.user or environment.get("USER") or environment.get("LOGNAME") or "owner",
    )


def _home(environment: Mapping[str, str]) -> Path:
    return Path(environment.get("HOME") or Path.home())


def _settings_file(location: str, environment: Mapping[str, str]) -> Path | None:
    named = environment.get("MACE_CONFIG")
    if named:
        return Path(named)
    config = Path(environment.get("XDG_CONFIG_HOME") or _home(environment) / ".config")
    places = [Path("mace.toml"), config / "mace" / "mace.toml"]
    if location and "://" not in location:
        places.insert(0, Path(location) / "mace.toml")
    return next((place for place in places if place.is_file()), None)


def _from_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    names = {f"MACE_{item.name.upper()}": item for item in fields(Settings)}
    found: dict[str, Any] = {}
    for variable, value in environment.items():
        if variable in names:
            item = names[variable]
            found[item.name] = _typed(value, item.type, variable)
        elif variable.startswith("MACE_") and not _is_no_setting(variable, value):
            raise InvalidInput(f"unknown setting {variable} in the environment{_hint(variable, names)}")
    return found


def _is_no_setting(variable: str, value: str) -> bool:
    if variable.endswith("_PORT") and _KUBERNETES_URL.match(value):
        return True
    return _NOT_SETTINGS.fullmatch(variable) is not None


def _hint(name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, known, 1)
    return f"; did you mean {near[0]}?" if near else ""


def _typed(text: str, kind: Any, name: str) -> Any:
    try:
        if kind is bool:
            return {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}[text.lower()]
        return kind(text)
    except (ValueError, KeyError):
        raise InvalidInput(f"{name} must be of type {kind.__name__}") from None


def _apply(settings: Settings, values: Mapping[str, Any], where: str) -> Settings:
    known = {item.name: item for item in fields(Settings)}
    for name, value in values.items():
        if name not in known:
            raise InvalidInput(f"unknown setting {name} in {where}{_hint(name, known)}")
        item = known[name]
        if type(value) is not item.type and not (item.type is float and type(value) is int):
            raise InvalidInput(f"setting {name} in {where} must be of type {getattr(item.type, '__name__', item.type)}")
        least = item.metadata["least"]
        if least is not None and value < least:
            raise InvalidInput(f"setting {name} in {where} must be at least {least}")
    whole = {name: float(value) for name, value in values.items() if known[name].type is float}
    return replace(settings, **{**values, **whole})
