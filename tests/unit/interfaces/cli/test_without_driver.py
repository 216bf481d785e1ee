"""PostgreSQL without its packages: every command says what is missing, and how to install it."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from mace.interfaces.cli import health, main

pytestmark = pytest.mark.stage1


@pytest.mark.parametrize(
    "words", [("log", "verify"), ("doctor",), ("fact", "get", "world/fact/pi/value"), ("init", "postgresql://h/d")]
)
def test_it_says_that_the_extra_is_missing(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: Any
):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("MACE_LOCATION", "postgresql://h/d")
    for name in [name for name in sys.modules if name.partition(".")[0] in ("psycopg", "psycopg_pool")]:
        monkeypatch.setitem(sys.modules, name, None)
    for name in [name for name in sys.modules if name.startswith("mace.storage.postgres")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "psycopg", None)
    assert main([*words, "--json"]) == 1
    told = json.loads(capfdbinary.readouterr().out)
    assert "pip install 'mace-runtime[postgres]'" in json.dumps(told)
    assert "mace init" not in json.dumps(told)


@pytest.mark.parametrize(
    ("number", "shared", "state", "says"),
    [
        (None, False, "warn", "what is erased cannot be restored"),
        (None, True, "warn", "nothing can be erased before one is set"),
        (1, False, "ok", "number 1"),
        (1, True, "ok", "number 1"),
    ],
)
def test_what_a_missing_forensic_key_means_depends_on_the_store(
    number: int | None, shared: bool, state: str, says: str
):
    found = health.forensic_key(number, shared=shared)
    assert found.state == state and says in found.detail
