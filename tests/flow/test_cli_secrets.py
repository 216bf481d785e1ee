"""Secrets reach the command line without being an argument, and none of them is repeated anywhere."""

import io
import json
import logging
import os
import pty
import select
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyotp
import pytest

from mace.interfaces.cli import main

MACE = [sys.executable, "-c", "import sys; from mace.interfaces.cli import main; sys.exit(main())"]
Run = Callable[..., dict[str, Any]]


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("MACE_LOCATION", str(tmp_path / "m"))
    for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    assert main(["init", "--bare", "-q", "--json"]) == 0
    return tmp_path / "m"


@pytest.fixture
def run(store: Path, capfd: pytest.CaptureFixture[str]) -> Run:
    """Run a command; `told` of the answer is everything that was printed."""

    def call(*arguments: str) -> dict[str, Any]:
        capfd.readouterr()
        code = main([*arguments, "--json"])
        out, err = capfd.readouterr()
        value = json.loads(out) if out else {}
        return {**value, "exit": code, "told": out + err}

    return call


def typed(monkeypatch: pytest.MonkeyPatch, text: bytes) -> None:
    """Standard input that is no terminal."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))


@pytest.fixture
def root_code(run: Run) -> Callable[[], str]:
    """Codes of the account `root`, a fresh one each time: a code counts once."""
    assert run("account", "create", "root", "--role", "admin")["exit"] == 0
    secret = pyotp.TOTP(run("account", "enrol", "root")["secret"])
    steps = iter(range(-1, 2))
    return lambda: secret.at(int(time.time()) + 30 * next(steps))


WAYS = ["argument", "standard input", "file", "environment"]


def give(way: str, name: str, value: str, monkeypatch: pytest.MonkeyPatch, folder: Path) -> list[str]:
    if way == "argument":
        return [f"--{name}", value]
    if way == "standard input":
        typed(monkeypatch, value.encode() + b"\nthe rest\n")
        return [f"--{name}", "-"]
    if way == "file":
        file = folder / name
        file.write_text(value + "\n")
        file.chmod(0o600)
        return [f"--{name}-file", str(file)]
    monkeypatch.setenv(f"MACE_{name.upper()}", value)
    return []


@pytest.mark.parametrize("way", WAYS)
def test_a_second_factor_in_every_way(
    run: Run, root_code: Callable[[], str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, way: str
):
    code = root_code()
    done = run("account", "list", "--user", "root", *give(way, "totp", code, monkeypatch, tmp_path))
    assert done["exit"] == 0, done["told"]
    again = run("admin", "rotate-key", "--user", "root", *give(way, "totp", code, monkeypatch, tmp_path))
    assert again["error_code"] == "AUTH_ERROR"
    assert code not in again["told"]


@pytest.mark.parametrize("way", WAYS)
def test_a_proof_of_identity_in_every_way(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, way: str):
    code = run("dsr", "proof", "bob")["proof"]
    done = run("dsr", "export", "bob", *give(way, "proof", code, monkeypatch, tmp_path))
    assert done["exit"] == 0, done["told"]
    used = run("dsr", "delete", "bob", *give(way, "proof", code, monkeypatch, tmp_path))
    assert used["error_code"] == "PERMISSION_DENIED"
    assert code not in used["told"]


@pytest.mark.parametrize("way", ["file", "standard input", "environment"])
def test_a_forensic_key_in_every_way(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, way: str):
    file = tmp_path / "forensic.key"
    assert run("admin", "forensic-key", str(file))["exit"] == 0
    key = file.read_text().strip()
    given = ["--key-file", str(file)]
    if way == "standard input":
        typed(monkeypatch, key.encode() + b"\n")
        given = ["--key-file", "-"]
    elif way == "environment":
        monkeypatch.setenv("MACE_FORENSIC_KEY", key)
        given = []
    done = run("dsr", "restore", "no-such-request", "--purpose", "test", *given)
    assert done["error_code"] == "NOT_FOUND"  # the key was read; there is only nothing to restore
    assert key not in done["told"]


def test_what_follows_the_secret_on_standard_input_is_left_for_others(
    run: Run, root_code: Callable[[], str], monkeypatch: pytest.MonkeyPatch
):
    typed(monkeypatch, root_code().encode() + b"\nWhat is 7 * 6?\n")
    answered = run("ask", "-", "--user", "root", "--totp", "-")
    assert answered["exit"] == 0, answered["told"]
    assert "42" in answered["told"]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["dsr", "export", "bob"], "Missing option '--proof'"),
        (["dsr", "export", "bob", "--proof", "s3cret", "--proof-file", "x"], "exclude each other"),
        (["dsr", "export", "bob", "--proof", " "], "--proof is empty"),
        (["dsr", "export", "bob", "--proof-file", os.devnull], f"{os.devnull} is empty"),
        (["dsr", "export", "bob", "--proof-file", "-"], "standard input is empty"),
        (["dsr", "restore", "x", "--purpose", "p"], "Missing option '--key-file'"),
        (["dsr", "restore", "x", "--purpose", "p", "--key-file", os.devnull], f"{os.devnull} is empty"),
        (["account", "list", "--totp", "s3cret", "--totp-file", "x"], "exclude each other"),
        (["account", "list", "--totp", ""], "--totp is empty"),
    ],
)
def test_wrong_usage_is_told_and_repeats_nothing(
    run: Run, monkeypatch: pytest.MonkeyPatch, arguments: list[str], complaint: str
):
    typed(monkeypatch, b"")
    ran = run(*arguments)
    assert ran["exit"] == 2
    assert complaint in ran["told"]
    assert "s3cret" not in ran["told"]


def test_a_file_that_others_can_read_is_named(run: Run, tmp_path: Path, caplog: pytest.LogCaptureFixture):
    code = run("dsr", "proof", "bob")["proof"]
    file = tmp_path / "proof"
    file.write_text(code)
    file.chmod(0o644)
    logging.getLogger("mace").addHandler(caplog.handler)
    try:
        assert run("dsr", "export", "bob", "--proof-file", str(file))["exit"] == 0
    finally:
        logging.getLogger("mace").removeHandler(caplog.handler)
    assert f"{file} holds a secret and others can read it" in caplog.text
    assert code not in caplog.text


def test_a_wrong_secret_is_in_no_log_and_in_no_file(run: Run, root_code: Callable[[], str], store: Path):
    root_code()
    wrong = "918273"
    assert run("admin", "rotate-key", "--user", "root", "--totp", wrong)["error_code"] == "AUTH_ERROR"
    assert run("dsr", "delete", "bob", "--proof", "ZZZZ-YYYY-XXXX-WWWW")["error_code"] == "PERMISSION_DENIED"
    stored = b"".join(path.read_bytes() for path in store.rglob("*") if path.is_file())
    assert wrong.encode() not in stored
    assert b"ZZZZ-YYYY" not in stored


def at_a_terminal(arguments: list[str], answer: str) -> tuple[int, str]:
    """Run `mace` on a terminal, answer its question, and return what the terminal showed."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "TERM": "dumb"}
    command = [*MACE, *arguments]
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment) as child:
        os.close(theirs)
        shown, answered = b"", False
        while True:
            ready, _, _ = select.select([ours], [], [], 30)
            try:
                part = os.read(ours, 4096) if ready else b""
            except OSError:
                break  # the child has closed its end
            if not part:
                break
            shown += part
            if not answered and b"code" in shown and shown.rstrip().endswith(b":"):
                answered = True
                os.write(ours, answer.encode() + b"\n")
        code = child.wait(30)
    os.close(ours)
    return code, shown.decode()


def test_a_terminal_is_asked_without_echo(run: Run):
    code = run("dsr", "proof", "bob")["proof"]
    ended, shown = at_a_terminal(["dsr", "export", "bob"], code)
    assert ended == 0, shown
    assert "One-time code of the person" in shown
    assert code not in shown


def test_the_help_says_that_arguments_are_seen():
    for arguments in (["dsr", "export", "--help"], ["ask", "--help"]):
        told = _help(arguments)
        assert "others on this machine can see an argument" in told
        assert "MACE_TOTP" in told


def _help(arguments: list[str]) -> str:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    ran = subprocess.run([*MACE, *arguments], env=environment, capture_output=True, text=True, check=True)
    return " ".join(ran.stdout.split())
