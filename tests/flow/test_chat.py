"""`mace chat`: a conversation on a real terminal and through a pipe."""

import json
import os
import pty
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import canaries
import governed
import places
from helpers_openai_server import OpenAiServer, answers, hangs_before_headers
from mace.settings import Settings

MACE = [sys.executable, "-c", "import sys; from mace.interfaces.cli import main; sys.exit(main())"]
MISS = "I don’t have that information stored yet."


@pytest.fixture
def home(mace_home: places.SqlitePlace) -> places.SqlitePlace:
    mace_home.open().close()
    return mace_home


def environment(settings: Settings) -> dict[str, str]:
    own = {
        name: getattr(settings, name)
        for name in ("location", "checkpoint_dir", "llm_url", "llm_model")
        if getattr(settings, name)
    }
    told = {f"MACE_{name.upper()}": value for name, value in own.items()}
    needs = {} if settings.llm_needs_key else {"MACE_LLM_NEEDS_KEY": "false"}
    told["HOME"] = str(Path(settings.location).parent)
    return {**os.environ, **told, **needs, "PYTHONPATH": os.pathsep.join(sys.path), "TERM": "dumb", "LC_ALL": "C.UTF-8"}


def piped(settings: Settings, text: str | bytes, *arguments: str, user: str = "ana") -> Any:
    given = text if isinstance(text, bytes) else text.encode()
    command = [*MACE, "chat", "--user", user, *arguments]
    return subprocess.run(
        command, input=given, env=environment(settings), capture_output=True, check=False, timeout=120
    )


class Terminal:
    """Somebody at a terminal."""

    def __init__(self, child: "subprocess.Popen[bytes]", ours: int) -> None:
        self.child = child
        self._ours = ours
        self.shown = ""

    def type(self, text: str) -> None:
        os.write(self._ours, text.encode())

    def until(self, wanted: str, times: int = 1) -> str:
        """Wait until something was shown so often; all that the terminal showed."""
        while self.shown.count(wanted) < times:
            ready, _, _ = select.select([self._ours], [], [], 60)
            assert ready, f"{wanted!r} never came: {self.shown!r}"
            self.shown += os.read(self._ours, 4096).decode(errors="replace")
        return self.shown

    def ended(self) -> int:
        """Wait for its end, reading on; its exit code."""
        while True:
            ready, _, _ = select.select([self._ours], [], [], 60)
            assert ready, f"it did not end: {self.shown!r}"
            try:
                part = os.read(self._ours, 4096)
            except OSError:
                break
            if not part:
                break
            self.shown += part.decode(errors="replace")
        return self.child.wait(60)


@contextmanager
def terminal(settings: Settings, *arguments: str) -> Iterator[Terminal]:
    ours, theirs = pty.openpty()
    command = [*MACE, "chat", "--user", "ana", *arguments]

    def lead() -> None:
        import fcntl
        import termios

        signal.signal(signal.SIGINT, signal.SIG_DFL)  # whoever runs in the background has it ignored
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)  # so that Ctrl+C reaches it

    child = subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment(settings), preexec_fn=lead
    )
    os.close(theirs)
    try:
        yield Terminal(child, ours)
    finally:
        if child.poll() is None:
            child.send_signal(signal.SIGKILL)
            child.wait()
        os.close(ours)


def test_a_pipe_has_answers_alone(home: places.SqlitePlace):
    lines = "What is my shoe size?\n42\n\nWhat is my shoe size?\n"
    ran = piped(home.settings, lines, "--conversation", "trip")
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.decode().splitlines() == [
        f"{MISS} If you want, tell me and I’ll remember it.",
        "I’ll remember that: 42.",
        "Your shoe size is 42.",
    ]
    assert b"\x1b" not in ran.stdout + ran.stderr and b">" not in ran.stdout
    again = piped(home.settings, "What is my hat size?\n58\n", "--conversation", "trip", "--json")
    told = [json.loads(line) for line in again.stdout.splitlines()]
    assert [answer["route_reason"] for answer in told] == ["profile_lookup", "reply_to_miss"]
    with home.open() as m:
        assert len(m.jobs.list(person="ana", conversation_id="trip")["items"]) == 5
        assert m.verify()["ok"]


def test_the_commands_of_a_conversation(home: places.SqlitePlace):
    with home.open() as m:
        m.sem_put("user/profile/user_ana/tree", "oak", "user", user_id="ana")
        code = governed.owned(m).accounts.issue_identity_proof("ana")["proof"]
    forgets = ["/forget", "/forget WRONG", f"/forget {code}"]
    lines = "\n".join(["/why", "/facts", "What is 2 + 2?", "/why", *forgets, "/help", "/nonsense", "/quit", "3+3", ""])
    ran = piped(home.settings, lines, "--conversation", "trip")
    assert ran.returncode == 0, ran.stderr
    out, err = ran.stdout.decode(), ran.stderr.decode()
    assert "Nothing was asked yet." in err and "- tree: oak" in out and "There is no command /nonsense" in err
    for part in ("math_agent (math_detect)", "confidence ", "job  ", "council_eval_v1", "approves:"):
        assert part in out, part
    assert "mace dsr proof ana" in out and "mace dsr delete ana conversation/trip --proof -" in out
    assert "Requested: " in out and "/forget [CODE]" in out and "6" not in out.splitlines()[-1]
    with home.open() as m:
        [waiting] = governed.owned(m).approvals.list()
        assert governed.owned(m).vote(waiting["request_id"], "owner", "approve")["status"] == "approved"
        assert m.recall("ana", "2 + 2", kinds=("turn",))["items"] == []


def test_another_persons_conversation_and_bytes_that_are_no_text(home: places.SqlitePlace):
    assert piped(home.settings, "2 + 2\n", "--conversation", "trip").returncode == 0
    ran = piped(home.settings, "2 + 2\n", "--conversation", "trip", user="bob")
    assert "this conversation was not found" in ran.stdout.decode() and ran.returncode == 0
    odd = piped(home.settings, b"\xff\xfe oak\n3 + 3\n", "--conversation", "trip")
    assert odd.returncode == 0 and "not valid Unicode" in odd.stdout.decode() and "= 6" in odd.stdout.decode()


def test_a_terminal_has_a_prompt_and_arrows_and_leaves_no_history(home: places.SqlitePlace, tmp_path: Path):
    with terminal(home.settings, "--conversation", "trip") as chat:
        chat.until("> ")
        chat.type("What is my shoe size?\n")
        chat.until("> ", 2)
        chat.type("42\n")
        chat.until("> ", 3)
        chat.type("\x1b[A\x1b[A\n")  # two lines back
        chat.until("> ", 4)
        assert MISS in chat.shown and "I’ll remember that: 42." in chat.shown and "Your shoe size is 42." in chat.shown
        chat.type("\x04")
        assert chat.ended() == 0
        assert "Conversation trip." in chat.shown and "Traceback" not in chat.shown
    assert canaries.in_files(tmp_path, ["What is my shoe size"]) == []
    kept = tmp_path / "typed"
    with terminal(home.settings, "--conversation", "trip", "--history", str(kept)) as chat:
        chat.until("> ")
        chat.type("2 + 2\n/quit\n")
        assert chat.ended() == 0
    assert "2 + 2" in kept.read_text() and kept.stat().st_mode & 0o777 == 0o600


@pytest.mark.long
def test_ctrl_c_cancels_the_running_question_and_no_more(home: places.SqlitePlace):
    with OpenAiServer(hangs_before_headers, answers("Storks nest on roofs.")) as server:
        home.settings = replace(home.settings, llm_url=server.url, llm_model="first", llm_needs_key=False)
        with terminal(home.settings, "--conversation", "trip") as chat:
            chat.until("> ")
            chat.type("Tell me of the stork\n")
            wait_for(lambda: len(server.requests) == 1)
            chat.type("\x03")
            chat.until("Cancelled.")
            chat.type("Tell me of storks\n")
            chat.until("Storks nest on roofs.")
            chat.type("\x04")
            assert chat.ended() == 0
    with home.open() as m:
        turns = m.recall("ana", "stork storks roofs", kinds=("turn",))["items"]
        assert [turn["text"] for turn in turns] == ["Tell me of storks", "Storks nest on roofs."]
        assert m.verify()["ok"]


def wait_for(happened: Callable[[], bool]) -> None:
    import time

    for _ in range(3_000):
        if happened():
            return
        time.sleep(0.02)
    raise AssertionError("it never happened")


def test_a_conversation_is_replayed_as_a_whole(home: places.SqlitePlace):
    piped(home.settings, "What is my shoe size?\n42\n", "--conversation", "trip")
    piped(home.settings, "3 + 3\n")

    def run(*arguments: str) -> Any:
        command = [*MACE, *arguments, "--user", "ana"]
        return subprocess.run(command, env=environment(home.settings), capture_output=True, check=False, timeout=120)

    ran = run("replay", "--conversation", "trip")
    assert ran.returncode == 0 and ran.stdout.decode().count("MATCH") == 2
    assert run("replay", "--conversation", "elsewhere").returncode == 1
    assert run("replay", "--conversation", "trip", "--last", "2").returncode == 2
    asked = run("ask", "--conversation", "trip", "What is my shoe size?")
    assert "Your shoe size is 42." in asked.stdout.decode()
    assert run("replay", "--conversation", "trip").stdout.decode().count("MATCH") == 3
