"""Settings: `mace.toml` and `MACE_*`, read once, validated, and handed on as values.

Nobody to the right of this file sees the environment. A setting is a field here with its default, its meaning and, for
secrets, the mark that keeps it out of `mace doctor`.

A file beside the data or in the current directory may be written by whoever can write there, so it decides nothing that
matters: only settings marked `harmless` (limits and times) may stand in it. Any other one stops the opening. A new
setting is not harmless unless it says so (ADR 0036).
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

# What begins with MACE_ and is no setting: the file of settings, secrets of one command, what the project's tests and
# benchmarks use, and what Kubernetes sets for a service whose name begins with `mace`.
_NOT_SETTINGS = re.compile(
    r"MACE_(?:CONFIG|TOTP|PROOF|FORENSIC_KEY|ALWAYS_REPLAY|TEST_\w+|BENCH_\w+"
    r"|(?:\w+_)?(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?))"
)
_KUBERNETES_URL = re.compile(r"(?:tcp|udp|sctp)://")  # the value of MACE_PORT and the like

# Where a URL holds a password: behind the user's name, or as a parameter, which PostgreSQL takes too.
_PASSWORDS = (re.compile(r"(://[^:/?#@]*:).*(?=@)"), re.compile(r"([?&](?:ssl)?password=)[^&#]*"))


_STORES = "store"  # in the user's own file: [store."/srv/agent"] holds what counts for that store alone


def _setting(
    default: Any, meaning: str, *, secret: bool = False, least: int | None = None, harmless: bool = False
) -> Any:
    """A setting; a harmless one can make MACE slow or refuse more, and decides nothing about whom or what to trust."""
    said = {"meaning": meaning, "secret": secret, "least": least, "harmless": harmless}
    return field(default=default, metadata=said)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    location: str = _setting("", "a directory, or the URL of a PostgreSQL database")
    keys_file: str = _setting("", "where the server's keys lie; beside the data by default")
    person_keys_file: str = _setting("", "where the wrapped keys of people lie (SQLite); beside the data by default")
    checkpoint_dir: str = _setting("", "where checkpoints are kept outside the database")
    checkpoint_interval_ms: int = _setting(
        1000, "how often a head with new events is signed; 0: only at close", least=0
    )
    spill_bytes: int = _setting(
        1 << 20, "space taken in advance for failures while the database is down", least=4096, harmless=True
    )
    busy_timeout_ms: int = _setting(
        30_000, "how long a SQLite writer waits for another process", least=0, harmless=True
    )
    postgres_connect_timeout_s: int = _setting(5, "how long to wait for PostgreSQL", least=1, harmless=True)
    agent_timeout_ms: int = _setting(10_000, "how long an agent may take", least=1, harmless=True)
    max_query_length: int = _setting(8_000, "characters of a question that are read", least=1)
    prompt_memory_tokens: int = _setting(
        2_000, "tokens of a person's facts and conversation in a prompt; 0: none", least=0
    )
    min_confidence_threshold: float = _setting(0.5, "below it an accepted answer is flagged")
    credential_threshold: float = _setting(0.6, "the council's score an answer needs")
    max_repair_loops: int = _setting(3, "how often an answer is sent back", least=0, harmless=True)
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
    judge_kind: str = _setting("openai", "the judge engine's protocol")
    judge_model: str = _setting("", "the engine that votes in the council on what an engine wrote; none by default")
    judge_url: str = _setting("", "the judge engine's address")
    judge_api_key: str = _setting("", "the judge engine's key", secret=True)
    judge_needs_key: bool = _setting(True, "whether the judge engine is asked only with a key")
    llm_connect_timeout_ms: int = _setting(
        5_000, "limit for the connection to a language engine", least=1, harmless=True
    )
    llm_header_timeout_ms: int = _setting(30_000, "limit for its answer to begin", least=1, harmless=True)
    llm_total_timeout_ms: int = _setting(
        60_000, "limit for a whole call, all engines and attempts together", least=1, harmless=True
    )
    llm_retries: int = _setting(0, "how often one engine is asked again after 5xx, 429 or a broken connection", least=0)
    llm_answer_tokens: int = _setting(800, "tokens of an engine's answer to a question", least=1)
    llm_text_tokens: int = _setting(2000, "tokens of a text that an engine writes", least=1)
    llm_plan_tokens: int = _setting(2000, "tokens of a plan that an engine makes", least=1)
    llm_second_tokens: int = _setting(
        0, "tokens of a second attempt after an answer was cut off; 0: there is none", least=0
    )
    context_stores: str = _setting(
        "", "JSONL stores the knowledge agent may quote, and that a query without stores is put to; separated by :"
    )
    context_stores_of: str = _setting(
        "", "JSONL stores that belong to one person and are quoted to nobody else: USER=FILE, separated by :"
    )
    context_roots: str = _setting(
        "", "files and folders that callers other than the owner may read context from, besides these; separated by :"
    )
    context_budget_tokens: int = _setting(2000, "tokens of a context package when a query names no budget", least=1)
    context_per_item_tokens: int = _setting(
        0, "tokens of one excerpt when a query names no limit; 0: a quarter of the budget", least=0
    )
    context_max_items: int = _setting(50, "items of a context package when a query names no number", least=1)
    context_scorer: str = _setting("phase7-v1", "the scorer of a query that names none: phase6-v1 or phase7-v1")
    context_cache_dir: str = _setting("", "where indexes of context stores are kept")
    experience_store: str = _setting(
        "", "where experience is kept: beside the facts by default, or leveldb, for one process at a time"
    )
    persona: str = _setting("", "who the agent is and what it values; stands first in a planner's prompt")
    dream_settle_ms: int = _setting(2000, "how long after a task's end the Dreamer begins", least=0, harmless=True)
    dream_interval_ms: int = _setting(
        3_600_000, "how often the Dreamer runs by itself; 0: only after tasks", least=0, harmless=True
    )
    person_wait_ms: int = _setting(600_000, "how long a job waits for a person's answer when it names no time")
    anonymous_retention_days: int = _setting(
        0, "after so many days questions and experience of nobody are erased; 0: never", least=0
    )
    user_ids: str = _setting(
        "", "how users are told apart: names (folded; the default of a new store) or opaque (every character counts)"
    )
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
    return shown_url(value) if isinstance(value, str) else value


def shown_url(value: str) -> str:
    """A text without the password that a URL in it may hold."""
    if "://" in value:
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


@dataclass(frozen=True, slots=True)
class Beside:
    """A settings file in the location or the current directory, where others may have put it."""

    file: Path
    decisive: Mapping[str, Any]  # what such a file must not say
    harmless: Mapping[str, Any]


def read(location: str | None = None, environ: Mapping[str, str] | None = None) -> Settings:
    """Read the settings for a location; a broken file, an unknown name or one in a wrong file is refused by name."""
    environment = os.environ if environ is None else environ
    file = own_file(environment)
    general, stores = _own(environment)
    place = location_of(location, environment)
    settings = _apply(Settings(), general, str(file))
    for found in beside(place, environment):
        _refuse_decisive(found, file)
        settings = _apply(settings, found.harmless, str(found.file))
    for name, values in stores.items():
        if is_store(name, place):
            settings = _apply(settings, values, f'{file} [{_STORES}."{without_user(name)}"]')
    settings = _apply(settings, _from_environment(environment), "the environment")
    cache = Path(environment.get("XDG_CACHE_HOME") or _home(environment) / ".cache")
    state = Path(environment.get("XDG_STATE_HOME") or _home(environment) / ".local" / "state")
    return replace(
        settings,
        location=place,
        checkpoint_dir=settings.checkpoint_dir or str(state / "mace" / "checkpoints"),
        context_cache_dir=settings.context_cache_dir or str(cache / "mace" / "context"),
        user=settings.user or environment.get("USER") or environment.get("LOGNAME") or "owner",
    )


def location_of(location: str | None = None, environ: Mapping[str, str] | None = None) -> str:
    """The location: as given, else as the environment or the user's own file says, else the default one."""
    environment = os.environ if environ is None else environ
    given = location or environment.get("MACE_LOCATION") or ""
    check_location(given)
    if given:
        return given
    settings = _apply(Settings(), _own(environment)[0], str(own_file(environment)))
    return settings.location or str(_home(environment) / ".local" / "share" / "mace")


def names_location(environ: Mapping[str, str] | None = None) -> bool:
    """Whether the environment or the user's own file names a location."""
    environment = os.environ if environ is None else environ
    return bool(environment.get("MACE_LOCATION") or _own(environment)[0].get("location"))


def own_file(environ: Mapping[str, str] | None = None) -> Path:
    """The user's own settings file, whether there is one or not: the one that MACE_CONFIG names, or the usual one."""
    environment = os.environ if environ is None else environ
    named = environment.get("MACE_CONFIG")
    config = Path(environment.get("XDG_CONFIG_HOME") or _home(environment) / ".config")
    return Path(named) if named else config / "mace" / "mace.toml"


def beside(place: str, environ: Mapping[str, str] | None = None) -> list[Beside]:
    """What settings files in the current directory and in the location say; the nearest to the data last.

    With MACE_CONFIG that file is the only one that counts, so there are none.
    """
    environment = os.environ if environ is None else environ
    if environment.get("MACE_CONFIG"):
        return []
    here = Path("mace.toml")
    files = [] if _same_file(here, own_file(environment)) else [here]
    if "://" not in place:
        data = Path(place) / "mace.toml"
        files = [file for file in files if not _same_file(file, data)] + [data]
    found = []
    for file in files:
        if file.is_file():
            values = _parsed(file)
            _apply(Settings(), values, str(file))  # mistakes are told whatever they are about
            harmless = {item.name for item in fields(Settings) if item.metadata["harmless"]}
            decisive = {name: value for name, value in values.items() if name not in harmless}
            rest = {name: value for name, value in values.items() if name in harmless}
            found.append(Beside(file.absolute(), decisive, rest))
    return found


def own_values(place: str, environ: Mapping[str, str] | None = None) -> dict[str, Any]:
    """What the user's own file says for this location: in general, and in a table of its own."""
    general, stores = _own(os.environ if environ is None else environ)
    for name, said in stores.items():
        if is_store(name, place):
            general = {**general, **said}
    return general


def _refuse_decisive(found: Beside, own: Path) -> None:
    """Stop before anything is opened; the value is not repeated, it may be a secret."""
    if not found.decisive:
        return
    names = sorted(found.decisive)
    variables = ", ".join(f"MACE_{name.upper()}" for name in names)
    raise InvalidInput(
        f"{', '.join(names)} in {found.file}: a file beside the data or in the current directory must not decide this. "
        f"Set {variables} or move it to {own}; if you wrote it, mace init --adopt does that. Nothing was opened"
    )


def _own(environment: Mapping[str, str]) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """The user's own file: what holds in general, and what holds for single stores."""
    file = own_file(environment)
    if not environment.get("MACE_CONFIG") and not file.is_file():
        return {}, {}
    values = _parsed(file)
    stores = values.pop(_STORES, {})
    if not isinstance(stores, dict) or not all(isinstance(item, dict) for item in stores.values()):
        raise InvalidInput(f'{_STORES} in {file} must be tables such as [{_STORES}."/srv/agent"]')
    for name, said in stores.items():
        if "location" in said:
            raise InvalidInput(
                f'location in {file} [{_STORES}."{without_user(name)}"]: the table\'s name is the location'
            )
        _apply(Settings(), said, f'{file} [{_STORES}."{without_user(name)}"]')
    return values, stores


def _parsed(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise InvalidInput(f"cannot read {file}: {error}") from None


def is_store(name: str, place: str) -> bool:
    """Whether a table is about this location; of a URL the user and the password do not matter."""
    return same_place(without_user(name), without_user(place))


def without_user(place: str) -> str:
    scheme, marked, rest = place.partition("://")
    return f"{scheme}://{rest.rpartition('@')[2]}" if marked else place


def _same_file(one: Path, other: Path) -> bool:
    return one.resolve() == other.resolve()


def secret_of(name: str, environ: Mapping[str, str] | None = None) -> str | None:
    """A secret that a single command needs, from its variable: MACE_TOTP, MACE_PROOF, MACE_FORENSIC_KEY."""
    environment = os.environ if environ is None else environ
    return environment.get(f"MACE_{name.upper()}") or None


def _home(environment: Mapping[str, str]) -> Path:
    return Path(environment.get("HOME") or Path.home())


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
