"""For tests of programs and agents: a MACE in a temporary folder, a frozen clock, scripted replies.

    pytest_plugins = ["mace.testing"]      # in conftest.py; the fixtures: docs/testing.md

    def test_support(mace_sandbox):
        m = mace_sandbox.open()
        mace_sandbox.engine.reply("It is in Ghent.")

Without pytest: `Sandbox` is a context manager, and `serve_chat` a server that speaks the OpenAI chat protocol.
"""

from mace.testing.chat import ChatReply, ChatRequest, ChatServer, ToolCall, serve_chat
from mace.testing.engine import ScriptedEngine
from mace.testing.sandbox import Sandbox
from mace.wiring.trial import FrozenClock

pytest_plugins = ["mace.testing.fixtures"]  # read by pytest, which imports it; nobody else does

__all__ = [
    "ChatReply",
    "ChatRequest",
    "ChatServer",
    "FrozenClock",
    "Sandbox",
    "ScriptedEngine",
    "ToolCall",
    "serve_chat",
]
