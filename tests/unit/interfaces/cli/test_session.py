"""Who may do what from the command line, and for whom it acts."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mace.core.errors import NotFound, PermissionDenied
from mace.interfaces.cli.session import Session

_POSTGRES = "postgresql://someone:secret@host/db"


@pytest.mark.parametrize(
    ("location", "role", "roles", "allowed"),
    [
        ("dir", None, ("admin",), True),
        ("dir", "admin", ("admin",), True),
        ("dir", "user", ("admin",), False),
        ("dir", "council", ("council", "admin"), True),
        (_POSTGRES, None, ("admin",), False),
        (_POSTGRES, "admin", ("admin",), True),
        (_POSTGRES, None, ("user",), True),
        (_POSTGRES, "auditor", ("user", "admin"), False),
    ],
)
def test_who_may(location: str, role: str | None, roles: tuple[str, ...], allowed: bool):
    session = Session(location=location, role=role, environ={"HOME": "/nowhere"})
    if allowed:
        session.must_be("do this", *roles)
        return
    with pytest.raises(PermissionDenied) as caught:
        session.must_be("do this", *roles)
    assert f"--as {roles[0]}" in str(caught.value)


@pytest.mark.parametrize("role", ["viewer", "auditor"])
def test_readers_do_not_write(role: str):
    with pytest.raises(PermissionDenied):
        Session(location="dir", role=role, environ={"HOME": "/nowhere"}).open_to_write("write")


@pytest.mark.parametrize(
    ("given", "environ", "actor"),
    [
        ("ana", {"USER": "login"}, "ana"),
        (None, {"USER": "login"}, "login"),
        (None, {"USER": "login", "MACE_USER": "setting"}, "setting"),
        (None, {}, "owner"),
    ],
)
def test_for_whom_it_acts(given: str | None, environ: dict[str, str], actor: str):
    assert Session(user=given, environ={"HOME": "/nowhere", **environ}).actor == actor


def test_a_password_is_not_printed():
    assert "secret" not in Session(location=_POSTGRES, environ={"HOME": "/nowhere"}).place


def test_opening_makes_nothing(tmp_path: Path):
    session = Session(location=str(tmp_path / "typo"), environ={"HOME": str(tmp_path)})
    with pytest.raises(NotFound):
        session.open()
    assert list(tmp_path.iterdir()) == []


def test_a_misspelt_variable_is_refused_with_the_right_name(cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MACE_LLM_MODLE", "x")
    ran = cli("doctor", "--json")
    assert (ran.code, ran.value["error_code"]) == (1, "INVALID_INPUT")
    assert "MACE_LLM_MODLE in the environment; did you mean MACE_LLM_MODEL?" in ran.value["developer_message"]
