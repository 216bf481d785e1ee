"""The fixtures; loaded by `pytest_plugins = ["mace.testing"]`."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from mace.engine.runtime import Mace
from mace.testing.chat import ChatServer, Script, serve_chat
from mace.testing.engine import ScriptedEngine
from mace.testing.sandbox import Sandbox
from mace.wiring.trial import FrozenClock


@pytest.fixture
def mace_sandbox() -> Iterator[Sandbox]:
    """A sandbox; the test fails at its end if the engine was asked more often than it has replies."""
    with Sandbox() as sandbox:
        yield sandbox
        engine = sandbox.engine
    if engine.unanswered:
        asked = "once" if engine.unanswered == 1 else f"{engine.unanswered} times"
        last = engine.asked[-1].prompt[-200:]
        pytest.fail(f"the scripted engine was asked {asked} without a reply left, last: {last!r}", pytrace=False)


@pytest.fixture
def mace_runtime(mace_sandbox: Sandbox) -> Mace:
    """A MACE that is open on the sandbox of this test."""
    return mace_sandbox.open()


@pytest.fixture
def mace_clock(mace_sandbox: Sandbox) -> FrozenClock:
    """The clock of this test's sandbox: `mace_clock.move(days=30)`."""
    return mace_sandbox.clock


@pytest.fixture
def mace_engine(mace_sandbox: Sandbox) -> ScriptedEngine:
    """The engine of this test's sandbox: `mace_engine.reply("It is in Ghent.")`."""
    return mace_sandbox.engine


@pytest.fixture
def mace_chat() -> Iterator[Callable[[Script], ChatServer]]:
    """Starts servers that speak the OpenAI chat protocol: `server = mace_chat(["Hello."])`; they end with the test."""
    with ExitStack() as running:
        yield lambda script: running.enter_context(serve_chat(script))
