"""Exit codes and envelopes: every failure comes out one way."""

import errno
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest

from mace.core import errors as table
from mace.interfaces.cli import app
from mace.interfaces.cli.errors import INTERRUPTED, Refusal, run
from mace.interfaces.cli.session import Session
from mace.wiring.doors import make_envelope


def _command(monkeypatch: pytest.MonkeyPatch, error: BaseException | None) -> None:
    @app.command("probe")
    def probe() -> None:
        if error is not None:
            raise error

    monkeypatch.setattr(app.root, "_table", {"probe": ("probe:probe", "")})
    monkeypatch.setattr(app.LazyGroup, "get_command", lambda self, ctx, name: probe)


@pytest.mark.parametrize(
    ("error", "code", "error_code"),
    [
        (None, 0, None),
        (table.InvalidInput("wrong"), 1, "INVALID_INPUT"),
        (table.NotFound(what="It"), 1, "NOT_FOUND"),
        (table.StorageFull("full"), 1, "STORAGE_FULL"),
        (table.LogInvalid("bad", "q1"), 1, "LOG_INVALID"),
        (Refusal(make_envelope("REPLAY_HALTED", {"job_id": "j"}), {"more": 1}), 1, "REPLAY_HALTED"),
        (OSError(errno.ENOSPC, "No space left on device"), 1, "STORAGE_FULL"),
        (PermissionError(errno.EACCES, "Permission denied", "/x"), 1, "SERVICE_UNAVAILABLE"),
        (RuntimeError("boom"), 1, "SERVICE_UNAVAILABLE"),
    ],
)
def test_a_failure_is_its_envelope_and_exit_code(
    monkeypatch: pytest.MonkeyPatch,
    capfdbinary: pytest.CaptureFixture[bytes],
    error: BaseException | None,
    code: int,
    error_code: str | None,
):
    _command(monkeypatch, error)
    assert run(["probe", "--json"], Session()) == code
    printed = capfdbinary.readouterr().out.decode()
    if error_code is None:
        assert printed == ""
        return
    told: dict[str, Any] = json.loads(printed)
    assert told["error_code"] == error_code
    assert told["status"] == table.FAILURES[error_code].status
    assert told["user_message"] == table.FAILURES[error_code].user_message
    assert {"query_id", "timestamp", "trace_id"} <= set(told["meta"])
    if isinstance(error, Refusal):
        assert told["more"] == 1


def test_people_read_messages_on_standard_error(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
):
    _command(monkeypatch, table.NotFound(what="The \x1b[31mthing", hint="look elsewhere"))
    assert run(["probe"], Session()) == 1
    out, err = (part.decode() for part in capfdbinary.readouterr())
    assert out == ""
    assert err == "I can’t find that.\nThe \\x1b[31mthing was not found.\nHint: look elsewhere\n"


@pytest.mark.parametrize("error", [KeyboardInterrupt(), click.Abort()])
def test_an_interruption_is_quiet(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes], error: BaseException
):
    _command(monkeypatch, error)
    assert run(["probe"], Session()) == INTERRUPTED
    assert b"Traceback" not in capfdbinary.readouterr().err


def test_a_fault_of_our_own_shows_where_it_was(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
):
    _command(monkeypatch, RuntimeError("boom"))
    assert run(["probe"], Session()) == 1
    err = capfdbinary.readouterr().err.decode()
    assert "internal error: RuntimeError" in err
    assert "Traceback" in err


@pytest.mark.parametrize(
    "arguments", [["nonsense"], ["log", "nonsense"], ["log", "show", "--nonsense"], ["--as", "king", "doctor"]]
)
def test_wrong_usage_is_2(cli: Callable[..., Any], arguments: list[str]):
    ran = cli(*arguments)
    assert ran.code == 2
    assert ran.out == ""
    assert "Error" in ran.err


def test_a_near_miss_is_suggested(cli: Callable[..., Any]):
    assert "Did you mean 'show'?" in cli("log", "shwo").err


def test_a_closed_pipe_and_a_full_disk_are_not_a_success(home: Path):
    command = [sys.executable, "-c", "import sys; from mace.interfaces.cli import main; sys.exit(main())"]
    environment = {"HOME": str(home)}
    with Path("/dev/full").open("wb") as full:
        ran = subprocess.run([*command, "--help"], stdout=full, stderr=subprocess.PIPE, env=environment, check=False)
    assert ran.returncode == 1
    assert b"No space left" in ran.stderr
    reader = subprocess.Popen([*command, "--help"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
    assert reader.stdout is not None
    assert reader.stderr is not None
    reader.stdout.close()
    assert b"Traceback" not in reader.stderr.read()
    reader.stderr.close()
    assert reader.wait() == 1
