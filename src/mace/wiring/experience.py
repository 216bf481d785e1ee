"""Experience wired: its store, opened when it is needed, and the thread that works for it when nobody waits."""

import logging
from collections.abc import Callable
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING

from mace.core.errors import InvalidInput, MaceError, PreconditionFailed
from mace.providers.background import Background
from mace.settings import Settings
from mace.storage.experience_lazy import LazyExperience
from mace.storage.ports import Store
from mace.wiring.lazy import Lazy, built

if TYPE_CHECKING:
    from mace.engine.experience.parts import ExperienceDeps
    from mace.engine.experience.work import ExperienceWork
    from mace.storage.experience_ports import ExperienceStore

_CATCHES_UP_AFTER_S = 1.0  # a process that lives shorter leaves it to the next, or to whoever asks
_log = logging.getLogger("mace")


class ExperienceWiring:
    """Opens the experience store when it is first needed, and runs the Dreamer in the background."""

    def __init__(self, settings: Settings, store: Store, folder: Path, *, read_only: bool) -> None:
        self._settings = settings
        self._read_only = read_only
        self.guard = RLock()
        self._record = store
        self._folder = folder
        self._work: Callable[[], ExperienceWork] | None = None
        self._wanted = False  # by a verb of this process, which may have written to the ledger only
        self._background = Background(
            self._catch_up,
            self._dream,
            settle_s=settings.dream_settle_ms / 1000,
            interval_s=settings.dream_interval_ms / 1000,
            first_s=_CATCHES_UP_AFTER_S,
        )

    def _opened(self) -> "ExperienceStore":
        return _chosen(self._settings, self._record, self._folder)

    store = Lazy(_opened)

    def start(self, work: "Callable[[], ExperienceWork]") -> None:
        """Begin the background work; `work` is asked for when there is some."""
        self._work = work
        if not self._read_only:
            self._background.start()

    def surroundings(self) -> "ExperienceDeps":
        from mace.engine.experience.parts import ExperienceDeps
        from mace.storage.inmemory_experience import InMemoryExperience

        self._wanted = True
        return ExperienceDeps(
            store=LazyExperience(lambda: self.store),
            scratch=lambda: InMemoryExperience([]),
            beside=_beside,
            wake=self._background.wake,
            settle=self._background.settle,
            stop=self._background.stop,
            persona=self._settings.persona,
            read_only=self._read_only,
        )

    def drain(self) -> None:
        """Bring in what was acknowledged; if that fails it is still on the ledger, for whoever opens it next."""
        self._background.stop()
        if self._wanted and not self._read_only:
            try:
                self._catch_up()
            except MaceError as error:
                _log.warning("experience will be brought in by the next process: %s", error.code)

    def close(self) -> None:
        """Close the experience store."""
        opened = built(self, "store")
        if opened is not None:
            opened.close()

    def _catch_up(self) -> None:
        if self._work is not None:
            self._work().catch_up()

    def _dream(self, ended: list[int]) -> None:
        """Dream after tasks as of the time they had, which need not be the clock's; on the timer as of the clock's."""
        if self._work is not None:
            self._work().dream_as_of(max(ended, default=None), lambda: self._background.is_stopping)


def _beside() -> "ExperienceStore":
    from mace.storage.sqlite.scratch import ScratchExperience

    return ScratchExperience()


def _chosen(settings: Settings, store: Store, folder: Path) -> "ExperienceStore":
    if settings.experience_store in ("", "sqlite", "postgres"):
        from mace.storage.experience_in_store import InStore

        return InStore(store)
    if settings.experience_store != "leveldb":
        raise InvalidInput("setting experience_store must be empty or leveldb")
    try:
        from mace.storage.leveldb import LevelDbExperience
    except ImportError:
        raise PreconditionFailed(
            "LevelDB needs an extra package: pip install 'mace-runtime[leveldb]' (Python 3.12 or older; "
            "without it, leave experience_store empty)"
        ) from None
    return LevelDbExperience(folder / "experience.leveldb")
