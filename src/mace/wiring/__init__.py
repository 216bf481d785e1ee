"""WIRING: settings in, an open MACE out. The only place that names adapters."""

import logging
import os
import threading
from collections.abc import Iterable, Mapping
from hashlib import sha256
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mace import settings as settings_module
from mace.core.errors import NotFound, PreconditionFailed, ServiceUnavailable
from mace.engine.kernel.world import World
from mace.engine.parts import LazyDeps
from mace.engine.runtime import Mace
from mace.providers.keys import KeyFile, check_ed25519
from mace.providers.ports import Clock, Entropy
from mace.providers.runner import ThreadRunner
from mace.providers.shelf import FileShelf
from mace.providers.spill import SpillFile
from mace.providers.system import SystemClock, SystemEntropy
from mace.settings import Settings
from mace.storage.ports import Boundary, Store, no_boundary
from mace.version import SYSTEM_VERSION
from mace.wiring.checkpoints import Checkpointer
from mace.wiring.experience import ExperienceWiring

if TYPE_CHECKING:
    from mace.agents.asking import Agent
    from mace.engine.governing import GovernanceDeps
    from mace.engine.questions.turn import TurnRules
    from mace.memory.aliases import Target
    from mace.memory.context import StoreReader
    from mace.providers.computing import Computer
    from mace.providers.models.port import LanguageEngine

_log = logging.getLogger("mace")


def open_mace(
    location: str | Path | None = None,
    *,
    settings: Settings | None = None,
    clock: Clock | None = None,
    entropy: Entropy | None = None,
    read_only: bool = False,
    boundary: Boundary = no_boundary,
    language: "LanguageEngine | None" = None,
    agents: "Mapping[str, Agent] | None" = None,
) -> Mace:
    """Open the MACE at a directory or a PostgreSQL URL, making it if there is none."""
    chosen = settings or settings_module.read(str(location) if location is not None else None)
    random = entropy or SystemEntropy()
    folder = _data_folder(chosen)
    if read_only and not (folder / "keys.json").exists() and not chosen.keys_file:
        raise NotFound(what=f"a MACE at {folder}")
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise ServiceUnavailable(f"cannot use {folder}: {error.strerror}") from None
    keys_path = Path(chosen.keys_file) if chosen.keys_file else folder / "keys.json"
    keys = KeyFile.open(keys_path, random, create=not read_only)
    store = _store(chosen, folder, boundary, read_only)
    computer = _LazyComputer()
    try:
        spill = SpillFile(folder / "spill.bin", keys.sign, keys.check, chosen.spill_bytes)
        if not read_only:
            _prepare(spill)
        world = World(
            store=store,
            clock=clock or SystemClock(),
            entropy=random,
            keys=keys,
            shelf=FileShelf(Path(chosen.checkpoint_dir) / keys.log_name[:32]),
            spill=spill,
            check_ed25519=check_ed25519,
            system_version=SYSTEM_VERSION,
            runner=ThreadRunner(),
            computer=computer,
            language=language or _language(chosen),
            context_stores=tuple(filter(None, chosen.context_stores.split(os.pathsep))),
        )
        return _running(world, store, chosen, read_only, agents)
    except BaseException:
        store.close()
        raise


def _data_folder(settings: Settings) -> Path:
    if not settings.is_postgres:
        return Path(settings.location)
    place = settings.location.rpartition("@")[2]  # without user and password
    return Path(settings.checkpoint_dir).parent / "nodes" / sha256(place.encode()).hexdigest()[:16]


def _store(settings: Settings, folder: Path, boundary: Boundary, read_only: bool) -> Store:
    if settings.is_postgres:
        try:
            from mace.storage.postgres import PostgresStore
        except ImportError:
            raise PreconditionFailed(
                "PostgreSQL needs an extra package: pip install 'mace-runtime[postgres]'"
            ) from None
        return PostgresStore(
            settings.location,
            connect_timeout_s=settings.postgres_connect_timeout_s,
            boundary=boundary,
            read_only=read_only,
        )
    from mace.storage.sqlite import SqliteStore

    return SqliteStore(
        folder / "mace.db", busy_timeout_ms=settings.busy_timeout_ms, boundary=boundary, read_only=read_only
    )


def _prepare(spill: SpillFile) -> None:
    try:
        spill.prepare()
    except OSError as error:
        _log.warning("no space could be taken for the spill file: %s", error.strerror)


def _running(
    world: World, store: Store, settings: Settings, read_only: bool, agents: "Mapping[str, Agent] | None"
) -> Mace:
    timer = Checkpointer(settings.checkpoint_interval_ms)
    experience = ExperienceWiring(settings, store, _data_folder(settings), read_only=read_only)

    def on_close() -> None:
        experience.drain()
        timer.stop()
        experience.close()
        world.runner.close()
        world.computer.close()
        store.close()

    choices = LazyDeps(
        rules=lambda: _turn_rules(settings),
        packaged_aliases=_packaged_aliases,
        agents=lambda: _agents(agents),
        starter_facts=_starter_facts,
        store_reader=lambda: _store_reader(settings),
        governed=lambda: _governed(settings, store),
        experience=experience.surroundings,
    )
    mace = Mace(world, on_close, choices, read_only=read_only)
    if not read_only:
        timer.start(mace, world)
    experience.start(mace._experience_work)
    return mace


def _governed(settings: Settings, store: Store) -> "GovernanceDeps":
    from mace.engine.governing import GovernanceDeps
    from mace.providers.forensic_box import HpkeBox
    from mace.providers.second_factor import Totp

    return GovernanceDeps(
        factor=Totp(),
        box=HpkeBox(),
        policy_text=resources.files("mace.governance.policy").joinpath("mace.cedar").read_text("utf-8"),
        embedded=not settings.is_postgres,
        scrub=store.scrub,
    )


class _LazyComputer:
    """The worker for computations: imported and started when there is something to compute."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._computer: Computer | None = None

    def compute(self, function: str, arguments: Mapping[str, Any], limit_ms: int) -> Any:
        from mace.providers.computing import Computer

        with self._guard:
            self._computer = self._computer or Computer()
        return self._computer.compute(function, arguments, limit_ms)

    def close(self) -> None:
        if self._computer is not None:
            self._computer.close()


def _agents(added: "Mapping[str, Agent] | None") -> "Mapping[str, Agent]":
    from mace.agents.directory import AGENTS

    return {**AGENTS, **(added or {})}


def _turn_rules(settings: Settings) -> "TurnRules":
    from mace.agents.council import CouncilRules
    from mace.agents.health import HealthRules
    from mace.engine.questions.turn import TurnRules

    return TurnRules(
        agent_timeout_ms=settings.agent_timeout_ms,
        max_query_length=settings.max_query_length,
        council=CouncilRules(
            credential_threshold=settings.credential_threshold,
            min_confidence=settings.min_confidence_threshold,
            max_repair_loops=settings.max_repair_loops,
        ),
        health=HealthRules(fails_offline=settings.fails_offline, probation_ms=settings.probation_ms),
    )


def _packaged_aliases() -> "dict[str, Target]":
    from mace.memory import aliases

    return aliases.load(resources.files("mace.memory").joinpath("sem_synonyms.json").read_text("utf-8"))


def _store_reader(settings: Settings) -> "StoreReader":
    from mace.memory import context
    from mace.storage.jsonl import JsonlStores

    return JsonlStores(context, settings.context_cache_dir or None, SystemClock().now_ns)


def _starter_facts() -> list[str]:
    return resources.files("mace.memory").joinpath("starter_facts.jsonl").read_text("utf-8").splitlines()


def _language(settings: Settings) -> "LanguageEngine | None":
    """The configured engines, the backup second; none without a model's name."""
    if not settings.llm_model and not settings.llm_backup_model:
        return None
    from mace.providers.models.engine import PydanticAiEngine
    from mace.providers.models.settings import Limits, ProviderSettings

    providers = []
    if settings.llm_model:
        providers.append(
            ProviderSettings(
                model=settings.llm_model,
                kind=settings.llm_kind,
                base_url=settings.llm_url or None,
                api_key=settings.llm_api_key or None,
                needs_key=settings.llm_needs_key,
            )
        )
    if settings.llm_backup_model:
        providers.append(
            ProviderSettings(
                model=settings.llm_backup_model,
                kind=settings.llm_backup_kind,
                name="backup",
                base_url=settings.llm_backup_url or None,
                api_key=settings.llm_backup_api_key or None,
                needs_key=settings.llm_needs_key,
            )
        )
    limits = Limits(
        connect_s=settings.llm_connect_timeout_ms / 1000,
        header_s=settings.llm_header_timeout_ms / 1000,
        total_s=settings.llm_total_timeout_ms / 1000,
    )
    return PydanticAiEngine(providers, limits)


def verify_export(lines: Iterable[bytes], note: str, verifier_key: str) -> dict[str, Any]:
    """Check an exported log with nothing but a checkpoint and the public key."""
    from mace.ledger import export

    return export.verify(lines, note, verifier_key, check_ed25519)
