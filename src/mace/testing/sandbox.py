"""A store in a temporary folder, with a clock that stands still, repeatable randomness and a scripted engine."""

import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from mace import wiring
from mace.agents.asking import Agent
from mace.engine.runtime import Mace
from mace.providers.models.port import LanguageEngine
from mace.settings import Settings
from mace.testing.engine import EngineScript, ScriptedEngine
from mace.wiring.trial import CountingEntropy, FrozenClock

START = datetime(2026, 1, 1, tzinfo=UTC)
_SCRIPTED: Any = object()


class Sandbox:
    """A context manager: at its end everything it opened is closed, and its folder is gone, whatever happened inside.

    Nothing of the environment is read, and nothing is written elsewhere: checkpoints lie in the same folder.
    Keys come from the repeatable randomness, so a sandbox protects nothing.
    """

    def __init__(self, script: EngineScript = (), *, at: datetime = START, seed: str = "sandbox") -> None:
        self.clock = FrozenClock(at)
        self.engine = ScriptedEngine(script)
        self.folder = Path(tempfile.mkdtemp(prefix="mace-sandbox-"))
        self.settings = Settings(
            location=str(self.folder / "store"),
            checkpoint_dir=str(self.folder / "checkpoints"),
            context_cache_dir=str(self.folder / "cache"),
            checkpoint_interval_ms=0,
            spill_bytes=64 * 1024,
            user="owner",
        )
        self._entropy = CountingEntropy(seed)
        self._opened = ExitStack()

    def open(
        self,
        *,
        programs: Sequence[Callable[..., Any]] = (),
        agents: Mapping[str, Agent] | None = None,
        language: LanguageEngine | None = _SCRIPTED,
        read_only: bool = False,
    ) -> Mace:
        """Open the store, also again, or twice at once; `language=None` opens it without a language engine."""
        engine = self.engine if language is _SCRIPTED else language
        opened = wiring.open_mace(
            settings=self.settings,
            clock=self.clock,
            entropy=self._entropy,
            language=engine,
            programs=programs,
            agents=agents,
            read_only=read_only,
        )
        return self._opened.enter_context(opened)

    def close(self) -> None:
        """Close what was opened and remove the folder."""
        try:
            self._opened.close()
        finally:
            shutil.rmtree(self.folder)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
