"""Settings in, an open MACE out. The only file that names adapters."""

import logging
import os
import threading
from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from mace import settings as settings_module
from mace.core.errors import InvalidInput, MaceError, NotFound, PreconditionFailed, ServiceUnavailable
from mace.engine.parts import Choices
from mace.engine.runtime import Mace
from mace.engine.world import World
from mace.providers.background import Background
from mace.providers.keys import KeyFile, check_ed25519
from mace.providers.ports import Clock, Entropy
from mace.providers.runner import ThreadRunner
from mace.providers.shelf import FileShelf
from mace.providers.spill import SpillFile
from mace.providers.system import SystemClock, SystemEntropy
from mace.settings import Settings
from mace.storage.ports import Boundary, Store, no_boundary
from mace.version import SYSTEM_VERSION

if TYPE_CHECKING:
    from mace.agents.asking import Agent
    from mace.engine.experience.verbs import Surroundings
    from mace.engine.governing import Governed
    from mace.engine.turn import TurnRules
    from mace.memory.aliases import Target
    from mace.memory.context import StoreReader
    from mace.providers.computing import Computer
    from mace.providers.models.port import LanguageEngine
    from mace.storage.experience_ports import Experience, ExperienceStore

_CATCHES_UP_AFTER_S = 1.0  # a process that lives shorter leaves it to the next, or to whoever asks
T = TypeVar("T")
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
    timer = _Checkpointer(settings.checkpoint_interval_ms)
    experience = _LazyExperience(settings, store)
    ended: list[int] = []
    background = Background(
        lambda: _catch_up(mace),
        lambda: _dream(mace, ended, lambda: background.is_stopping),
        settle_s=settings.dream_settle_ms / 1000,
        interval_s=settings.dream_interval_ms / 1000,
        first_s=_CATCHES_UP_AFTER_S,
    )

    def on_close() -> None:
        background.stop()
        if experience.was_wanted and not read_only:
            _drain(mace)
        timer.stop()
        experience.close()
        world.runner.close()
        world.computer.close()
        store.close()

    choices = Choices(
        rules=lambda: _turn_rules(settings),
        packaged_aliases=_packaged_aliases,
        agents=lambda: _agents(agents),
        starter_facts=_starter_facts,
        store_reader=lambda: _store_reader(settings),
        governed=lambda: _governed(settings, store),
        experience=lambda: _surroundings(experience, background, ended, settings, read_only),
    )
    mace = Mace(world, on_close, choices, read_only=read_only)
    if not read_only:
        timer.start(mace, world)
        background.start()
    return mace


def _surroundings(
    store: "_LazyExperience", background: Background, ended: list[int], settings: Settings, read_only: bool
) -> "Surroundings":
    from mace.engine.experience.verbs import Surroundings
    from mace.storage.inmemory_experience import InMemoryExperience

    store.was_wanted = True

    def settle(at_us: int) -> None:
        ended.append(at_us)
        background.settle()

    return Surroundings(
        store=store,
        scratch=lambda: InMemoryExperience([]),
        wake=background.wake,
        settle=settle,
        stop=background.stop,
        persona=settings.persona,
        read_only=read_only,
    )


def _catch_up(mace: Mace) -> None:
    mace.experience.flush()


def _drain(mace: Mace) -> None:
    """Bring in what was acknowledged; if that fails it is still on the ledger, for whoever opens it next."""
    try:
        _catch_up(mace)
    except MaceError as error:
        _log.warning("experience will be brought in by the next process: %s", error.code)


def _dream(mace: Mace, ended: list[int], stopping: Callable[[], bool]) -> None:
    """Dream after tasks as of the time they had, which need not be the clock's; on the timer as of the clock's."""
    instants = [ended.pop() for _ in range(len(ended))]
    experience = mace.experience
    experience.dreams.dream(max(instants) if instants else experience.now_us(None), stopping=stopping)


class _LazyExperience:
    """The chosen store of experience, opened when it is first needed: a write needs only the ledger."""

    def __init__(self, settings: Settings, store: Store) -> None:
        self._settings = settings
        self._beside = store
        self._guard = threading.Lock()
        self._held: ExperienceStore | None = None
        self.was_wanted = False  # by a verb of this process, which may have written to the ledger only

    def _store(self) -> "ExperienceStore":
        with self._guard:
            if self._held is None:
                self._held = _experience_store(self._settings, self._beside)
            return self._held

    def write(self, unit: "Callable[[Experience], T]") -> T:
        return self._store().write(unit)

    def read(self, look: "Callable[[Experience], T]") -> T:
        return self._store().read(look)

    def describe(self) -> dict[str, str]:
        return self._store().describe()

    def close(self) -> None:
        if self._held is not None:
            self._held.close()


def _experience_store(settings: Settings, store: Store) -> "ExperienceStore":
    if settings.experience_store in ("", "sqlite", "postgres"):
        from mace.storage.experience_in_store import InStore

        return InStore(store)
    if settings.experience_store != "leveldb":
        raise InvalidInput("setting experience_store must be empty or leveldb")
    try:
        from mace.storage.leveldb import LevelDbExperience
    except ImportError:
        raise PreconditionFailed("LevelDB needs an extra package: pip install 'mace-runtime[leveldb]'") from None
    return LevelDbExperience(_data_folder(settings) / "experience.leveldb")


def _governed(settings: Settings, store: Store) -> "Governed":
    from mace.engine.governing import Governed
    from mace.providers.forensic_box import HpkeBox
    from mace.providers.second_factor import Totp

    return Governed(
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
    from mace.engine.turn import TurnRules

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


class _Checkpointer:
    """Calls `checkpoint` each interval in which something was appended, and once more at close."""

    def __init__(self, interval_ms: int) -> None:
        self._interval_s = interval_ms / 1000
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._mace: Mace | None = None
        self._world: World | None = None
        self._published = -1

    def start(self, mace: Mace, world: World) -> None:
        self._mace, self._world = mace, world
        self._published = self._size()
        if self._interval_s:
            self._thread = threading.Thread(target=self._run, name="mace-checkpoints", daemon=True)
            self._thread.start()

    def _size(self) -> int:
        return self._world.store.read(lambda tx: tx.events.size()) if self._world else 0

    def _run(self) -> None:
        swept = False
        while not self._stop.wait(self._interval_s):
            self._publish()
            swept = swept or self._sweep()

    def _sweep(self) -> bool:
        """Once in a process's life, a little after its start, so that opening stays quick."""
        try:
            if self._mace is not None:
                self._mace.sweep()
        except MaceError as error:
            _log.warning("the sweep failed: %s", error)
        return True

    def _publish(self) -> None:
        try:
            size = self._size()
            if self._mace is not None and size != self._published:
                self._mace.checkpoint()
                self._published = size
        except MaceError as error:
            _log.warning("no checkpoint was published: %s", error)

    def stop(self) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
        self._publish()


def verify_export(lines: Iterable[bytes], note: str, verifier_key: str) -> dict[str, Any]:
    """Check an exported log with nothing but a checkpoint and the public key."""
    from mace.ledger import export

    return export.verify(lines, note, verifier_key, check_ed25519)
