"""WIRING: settings in, an open MACE out. The only place that names adapters."""

import errno
import logging
import os
import platform
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from hashlib import sha256
from importlib import import_module, resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from mace import settings as settings_module
from mace.agents.asking import Agent
from mace.core.answers import ControllerVersion
from mace.core.errors import (
    IntegrityFailure,
    InvalidInput,
    MaceError,
    NotFound,
    PreconditionFailed,
    ServiceUnavailable,
    StorageFull,
)
from mace.core.programs import check_programs
from mace.engine.kernel.bound import Bound
from mace.engine.kernel.slots import Slots
from mace.engine.kernel.user_ids import settle
from mace.engine.kernel.world import World
from mace.engine.ledger.upgrade import open_keys
from mace.engine.runtime import Mace, claim_log
from mace.providers.files import keep_private, make_private_file, make_private_folder
from mace.providers.heart import ThreadHeart
from mace.providers.keys import KeyFile, check_ed25519
from mace.providers.models.port import LanguageEngine
from mace.providers.ports import Clock, Entropy, Keys
from mace.providers.processes import Processes
from mace.providers.runner import ThreadRunner
from mace.providers.shelf import FileShelf, Memory
from mace.providers.spill import SpillFile
from mace.providers.system import SystemClock, SystemEntropy
from mace.settings import Settings
from mace.storage.ports import Boundary, Store, no_boundary
from mace.version import SYSTEM_VERSION
from mace.wiring.assemble import Assembly, Chosen
from mace.wiring.checkpoints import Checkpointer
from mace.wiring.experience import ExperienceWiring
from mace.wiring.language import judge_engine, language_engine
from mace.wiring.lazy import Lazy, built

if TYPE_CHECKING:
    from mace.engine.questions.turn import TurnRules
    from mace.governance.approvals import ApprovalRules
    from mace.memory.aliases import Target
    from mace.memory.context import ContextDefaults, StoreReader, StoreWriter
    from mace.providers.ports import Computer

_log = logging.getLogger("mace")


@contextmanager
def _telling_what_is_unusable() -> Iterator[None]:
    """Tell a file or folder that cannot be used as what it is: something MACE depends on, by its name."""
    try:
        yield
    except OSError as error:
        raise ServiceUnavailable(f"cannot use {error.filename or 'the data directory'}: {error.strerror}") from None


@_telling_what_is_unusable()
def open_mace(
    location: str | Path | None = None,
    *,
    settings: Settings | None = None,
    clock: Clock | None = None,
    entropy: Entropy | None = None,
    read_only: bool = False,
    boundary: Boundary = no_boundary,
    language: LanguageEngine | None = None,
    programs: Sequence[Callable[..., Any]] = (),
    agents: Mapping[str, Agent] | None = None,
    model: str | None = None,
    url: str | None = None,
    api_key: str | None = None,
) -> Mace:
    """Open the MACE at a directory or a PostgreSQL URL, making it if there is none.

    Unlike `mace init`, a store made here is empty: `m.load_starter_facts()` loads the packaged facts about the world.

    Settings are read from `mace.toml` and `MACE_*`, or passed as `settings`; a `location` beside `settings` must be
    theirs. `model`, `url` and `api_key` name the language engine for this opening, instead of the settings `llm_model`,
    `llm_url` and `llm_api_key`; a `url` without an `api_key` is asked without a key. `language` is an engine itself.
    `programs` are functions under `@mace.program`: those that `perform` finds by name, and `resume` and `replay` play.
    """
    if agents is not None:
        _check_agents(agents)
    check_programs(programs)
    chosen = chosen_settings(location, settings)
    engine = language_engine(chosen, language, model=model, url=url, api_key=api_key)
    require_driver(chosen)
    folder = _ready_folder(chosen, read_only)
    store = _store(chosen, folder, boundary, read_only)
    return _over(store, chosen, folder, clock, entropy, engine, agents, read_only=read_only, programs=programs)


@_telling_what_is_unusable()
def open_to_verify(settings: Settings) -> Mace:
    """Open a store as far as it can be read, to verify it: its own list of steps is not believed, nothing is written.

    For one that does not open otherwise. What is wrong with it, and whether it is the log of these keys at all,
    verification says.
    """
    folder = _ready_folder(settings, read_only=True)
    store = store_to_verify(settings)
    return _over(store, settings, folder, None, None, None, None, read_only=True, to_verify=True)


@_telling_what_is_unusable()
def store_to_verify(settings: Settings) -> Store:
    """The store alone, as far as it can be read."""
    return _store(settings, data_folder(settings), no_boundary, read_only=True, any_steps=True)


def _over(
    store: Store,
    chosen: Settings,
    folder: Path,
    clock: Clock | None,
    entropy: Entropy | None,
    engine: LanguageEngine | None,
    agents: Mapping[str, Agent] | None,
    *,
    read_only: bool,
    to_verify: bool = False,
    programs: Sequence[Callable[..., Any]] = (),
) -> Mace:
    random = entropy or SystemEntropy()
    lies_at = keys_path(chosen)
    workers = _Workers()
    try:
        if not to_verify or not lies_at.exists():
            _refuse_lost_keys(lies_at, store, chosen)
        keys = KeyFile.open(lies_at, random, create=not read_only)
        spill = SpillFile(folder / "spill.bin", keys.sign, keys.check, chosen.spill_bytes)
        if not read_only:
            _prepare(spill)
        world = World(
            store=store,
            clock=clock or SystemClock(),
            entropy=random,
            keys=keys,
            shelf=_shelf(chosen, keys),
            spill=spill,
            check_ed25519=check_ed25519,
            system_version=SYSTEM_VERSION,
            runner=ThreadRunner(),
            processes=Processes(),
            heart=ThreadHeart(),
            computer=lambda: workers.computer,
            language=engine,
            judge=judge_engine(chosen),
            context_stores=paths_in(chosen.context_stores),
            context_stores_of=stores_of_people(chosen.context_stores_of),
            context_roots=paths_in(chosen.context_roots),
            slots=Slots(Bound(keys), lambda identity: keys.tag("registry", identity.encode())),
            location=str(chosen.shown()["location"]),
            read_only=read_only,
        )
        return _running(world, store, workers, chosen, read_only, agents, programs, to_verify=to_verify)
    except BaseException:
        store.close()
        raise


def paths_in(setting: str) -> tuple[str, ...]:
    """The paths of a setting that names several."""
    return tuple(filter(None, setting.split(os.pathsep)))


def stores_of_people(setting: str) -> tuple[tuple[str, str], ...]:
    """The stores of a setting that says whose each one is: (user, path)."""
    found = []
    for entry in paths_in(setting):
        user_id, sign, path = entry.partition("=")
        if not (user_id.strip() and sign and path.strip()):
            raise InvalidInput("setting context_stores_of must have entries USER=FILE, separated by " + os.pathsep)
        found.append((user_id.strip(), path.strip()))
    return tuple(found)


def chosen_settings(location: str | Path | None, settings: Settings | None) -> Settings:
    """What a program says wins over files and variables; two locations are refused, for one would be ignored."""
    if location is not None and not isinstance(location, Path):
        settings_module.check_location(location)
    if settings is None:
        return settings_module.read(str(location) if location is not None else None)
    if location is not None and settings.location:
        named = replace(settings, location=str(location))
        if not settings_module.same_place(named.location, settings.location):
            shown = f"{named.shown()['location']!r} and {settings.shown()['location']!r}"
            raise InvalidInput(f"location and settings.location are two places: {shown}; give one of them")
    elif location is not None:
        return replace(settings, location=str(location))
    elif not settings.location:
        raise InvalidInput("settings.location is empty; name it: mace.open(location, settings=...)")
    return settings


def require_driver(settings: Settings) -> None:
    """Raise `PreconditionFailed` where the packages for PostgreSQL are wanted and not installed."""
    if not settings.is_postgres:
        return
    try:
        import_module("mace.storage.postgres")
    except ImportError:
        raise PreconditionFailed("PostgreSQL needs an extra package: pip install 'mace-runtime[postgres]'") from None


def _ready_folder(settings: Settings, read_only: bool) -> Path:
    folder = data_folder(settings)
    if read_only and not (folder / "keys.json").exists() and not settings.keys_file:
        raise NotFound(what=f"a MACE store at {folder}")
    try:
        make_private_folder(folder)
    except OSError as error:
        raise ServiceUnavailable(f"cannot use {folder}: {error.strerror}") from None
    return folder


def _refuse_lost_keys(path: Path, store: Store, settings: Settings) -> None:
    """A store with events never gets a new key file: its own one is elsewhere, and a new one would hide that."""
    if path.exists() or not store.read(lambda tx: tx.events.size()):
        return
    if not path.exists():  # looked at once more: a key file is there before its first event
        raise lost_keys(settings, path)


def lost_keys(settings: Settings, path: Path) -> PreconditionFailed:
    place = settings.shown()["location"]
    return PreconditionFailed(
        f"{place} contains a log but its keys are not at {path}; restore the key file, or set keys_file to its path"
    )


def _shelf(settings: Settings, keys: KeyFile) -> FileShelf:
    """The shelf, and where it was: of a directory there is one; each node of a shared database has its own."""
    node = platform.node() if settings.is_postgres else ""
    memory = Memory(lambda: keys.remembered_shelf(node), lambda place: keys.remember_shelf(node, place))
    return FileShelf(Path(settings.checkpoint_dir) / keys.log_name[:32], memory)


def keys_path(settings: Settings) -> Path:
    """Where the keys lie."""
    return Path(settings.keys_file) if settings.keys_file else data_folder(settings) / "keys.json"


def data_folder(settings: Settings) -> Path:
    """Where the files of this node lie."""
    if not settings.is_postgres:
        return Path(settings.location)
    place = settings.location.rpartition("@")[2]  # without user and password
    return Path(settings.checkpoint_dir).parent / "nodes" / sha256(place.encode()).hexdigest()[:16]


def _store(settings: Settings, folder: Path, boundary: Boundary, read_only: bool, *, any_steps: bool = False) -> Store:
    if settings.is_postgres:
        require_driver(settings)
        from mace.storage.postgres import PostgresStore

        return PostgresStore(
            settings.location,
            connect_timeout_s=settings.postgres_connect_timeout_s,
            boundary=boundary,
            read_only=read_only,
            any_steps=any_steps,
        )
    from mace.storage.sqlite import SqliteStore

    if not read_only:
        _keep_private(folder)
    return SqliteStore(
        folder / "mace.db",
        busy_timeout_ms=settings.busy_timeout_ms,
        boundary=boundary,
        read_only=read_only,
        any_steps=any_steps,
        people=Path(settings.person_keys_file) if settings.person_keys_file else None,
    )


def _keep_private(folder: Path) -> None:
    """Files of the owner alone, whatever the umask: SQLite gives the files beside the database its mode."""
    try:
        make_private_file(folder / "mace.db")
        for name in ("mace.db-wal", "mace.db-shm", "people.db", "spill.bin"):
            keep_private(folder / name)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StorageFull(f"no space for a database in {folder}") from None
        raise ServiceUnavailable(f"cannot use {folder}: {error.strerror}") from None


def _prepare(spill: SpillFile) -> None:
    try:
        spill.prepare()
    except OSError as error:
        _log.warning("no space could be taken for the spill file: %s", error.strerror)


class _Workers:
    """Processes that work for this one: imported and started when there is something for them to do."""

    def __init__(self) -> None:
        self.guard = threading.RLock()

    def _computer(self) -> "Computer":
        from mace.providers.computing import Computer

        return Computer()

    computer = Lazy(_computer)

    def close(self) -> None:
        started = built(self, "computer")
        if started is not None:
            started.close()


def _running(
    world: World,
    store: Store,
    workers: _Workers,
    settings: Settings,
    read_only: bool,
    agents: Mapping[str, Agent] | None,
    programs: Sequence[Callable[..., Any]],
    *,
    to_verify: bool = False,
) -> Mace:
    timer = Checkpointer(settings.checkpoint_interval_ms)
    experience = ExperienceWiring(settings, store, data_folder(settings), read_only=read_only)

    def on_close() -> None:
        if not read_only:
            _interrupt(assembly)
            _clear(assembly)
        experience.drain()
        timer.stop()
        world.heart.stop()
        experience.close()
        world.runner.close()
        workers.close()
        store.close()

    assembly = Assembly(world, _chosen(settings, world.keys, agents, programs, experience))
    if to_verify:
        assembly.verification.looks_at_the_file = True  # it did not open otherwise: also with `quick`
    else:
        claim_log(assembly, read_only=read_only)
    steps = [assembly.adopt_rows, assembly.master_key.move_with]
    open_keys(world, assembly.keyring, assembly.spilling, assembly.vault, steps, read_only=read_only)
    if not read_only:
        with suppress(IntegrityFailure):  # then the store can be verified, and units are refused when they begin
            assembly.master_key.settle(lambda unit: assembly.spilling.write("open", unit))
        assembly.seal_records()
        if not to_verify:
            with suppress(IntegrityFailure):  # then it is verified first, and the next opening does it
                assembly.repair_registry()
    if not to_verify:
        settle(world, assembly.recorder, assembly.spilling, assembly.bound, settings.user_ids)
    mace = Mace(assembly, assembly.callers.root, on_close, read_only=read_only)
    if not read_only:
        _clear(assembly)
        timer.start(mace, world)
    experience.start(lambda: assembly.experience_work)
    return mace


def _interrupt(assembly: Assembly) -> None:
    """Jobs that still run when it is closed cannot go on: they can be resumed at once."""
    held = assembly.holding.held()
    if held:
        from mace.engine.kernel.trees import leave

        with suppress(MaceError):
            assembly.store.write(lambda tx: leave(tx, assembly.recorder, held))


def _clear(assembly: Assembly) -> None:
    """What an erasure could not wipe while somebody was reading: with every opening and closing it is tried again."""
    with suppress(MaceError):
        assembly.clearing.clear()


def _chosen(
    settings: Settings,
    keys: Keys,
    agents: Mapping[str, Agent] | None,
    programs: Sequence[Callable[..., Any]],
    experience: ExperienceWiring,
) -> Chosen:
    if settings.context_scorer not in get_args(ControllerVersion):
        raise InvalidInput(f"setting context_scorer must be one of {', '.join(get_args(ControllerVersion))}")
    return Chosen(
        rules=lambda: _turn_rules(settings),
        approval_rules=_approval_rules,
        packaged_aliases=_packaged_aliases,
        agents=lambda: _agents(agents),
        starter_facts=_starter_facts,
        store_reader=lambda: _store_reader(settings, cache_key(keys)),
        store_writer=_store_writer,
        context_defaults=lambda: _context_defaults(settings),
        policy_text=_policy_text,
        experience=experience.surroundings,
        drop_indexes=lambda: _drop_indexes(settings, cache_key(keys)),
        anonymous_retention_days=settings.anonymous_retention_days,
        programs=tuple(programs),
        person_wait_ms=settings.person_wait_ms,
        embedded=not settings.is_postgres,
    )


def _approval_rules() -> "ApprovalRules":
    from mace.governance.approvals import ApprovalRules

    return ApprovalRules()


def _policy_text() -> str:
    return resources.files("mace.governance.policy").joinpath("mace.cedar").read_text("utf-8")


def _check_agents(agents: Mapping[str, Agent]) -> None:
    from mace.agents.directory import check_agents

    check_agents(agents)


def _agents(added: Mapping[str, Agent] | None) -> Mapping[str, Agent]:
    from mace.agents.directory import AGENTS

    return {**AGENTS, **(added or {})}


def _turn_rules(settings: Settings) -> "TurnRules":
    from mace.agents.council import CouncilRules
    from mace.agents.health import HealthRules
    from mace.agents.outputs import OutputTokens
    from mace.engine.questions.turn import TurnRules

    return TurnRules(
        agent_timeout_ms=settings.agent_timeout_ms,
        max_query_length=settings.max_query_length,
        prompt_memory_tokens=settings.prompt_memory_tokens,
        council=CouncilRules(
            credential_threshold=settings.credential_threshold,
            min_confidence=settings.min_confidence_threshold,
            max_repair_loops=settings.max_repair_loops,
        ),
        health=HealthRules(fails_offline=settings.fails_offline, probation_ms=settings.probation_ms),
        engine_timeout_ms=settings.llm_total_timeout_ms,
        tokens=OutputTokens(
            answer=settings.llm_answer_tokens, text=settings.llm_text_tokens, plan=settings.llm_plan_tokens
        ),
        second_tokens=settings.llm_second_tokens,
    )


def _packaged_aliases() -> "dict[str, Target]":
    from mace.memory import aliases

    return aliases.load(resources.files("mace.memory").joinpath("sem_synonyms.json").read_text("utf-8"))


def cache_key(keys: Keys) -> bytes:
    """What indexes of context stores are sealed with: of this node's keys, the same over all rotations."""
    return bytes.fromhex(keys.tag("context-cache", b""))


def _store_reader(settings: Settings, seal: bytes) -> "StoreReader":
    from mace.memory import context
    from mace.storage.jsonl import JsonlStores

    if settings.context_cache_dir:
        with suppress(OSError):  # without a cache everything is read anew
            make_private_folder(Path(settings.context_cache_dir))
    return JsonlStores(context, settings.context_cache_dir or None, SystemClock().now_ns, seal)


def _store_writer() -> "StoreWriter":
    from mace.storage.jsonl.appending import JsonlAppender

    return JsonlAppender()


def _context_defaults(settings: Settings) -> "ContextDefaults":
    from mace.memory.context import ContextDefaults

    return ContextDefaults(
        stores=paths_in(settings.context_stores),
        budget_tokens=settings.context_budget_tokens,
        per_item_tokens=settings.context_per_item_tokens,
        max_items=settings.context_max_items,
        scorer=settings.context_scorer,
    )


def _drop_indexes(settings: Settings, seal: bytes) -> int:
    from mace.storage.jsonl.cache import drop_all

    return drop_all(settings.context_cache_dir, seal) if settings.context_cache_dir else 0


def _starter_facts() -> list[str]:
    return resources.files("mace.memory").joinpath("starter_facts.jsonl").read_text("utf-8").splitlines()
