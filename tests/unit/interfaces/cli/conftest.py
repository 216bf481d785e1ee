"""A command line of its own for each test: own home, no MACE_* from outside, output caught."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import pytest

from mace.interfaces.cli import main


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def value(self) -> Any:
        return json.loads(self.out)


class Cli(Protocol):
    def __call__(self, *arguments: str) -> Ran: ...


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.chdir(tmp_path)
    for name in ("MACE_LOCATION", "MACE_CONFIG", "MACE_USER", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("USER", "tester")
    return folder


@pytest.fixture
def cli(home: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> Cli:
    def run(*arguments: str) -> Ran:
        capfdbinary.readouterr()
        code = main(arguments)
        out, err = capfdbinary.readouterr()
        return Ran(code, out.decode(), err.decode())

    return run
