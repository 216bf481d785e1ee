"""Who may do what from the command line, and for whom it acts."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyotp
import pytest

import mace
from mace.core.errors import AuthError, InvalidInput, NotFound
from mace.engine.verbs import VERBS
from mace.interfaces.cli.session import Session

_POSTGRES = "postgresql://someone:secret@host/db"
_ENVIRON = {"HOME": "/nowhere", "USER": "ana"}


@pytest.fixture
def house(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with an admin's account `root`; the secret of its second factor lies beside it."""
    monkeypatch.setitem(_ENVIRON, "HOME", str(home))
    with mace.open(str(tmp_path / "m")) as m:
        m.accounts.create("root", ["admin"])
        secret = m.accounts.enrol_second_factor("root")["secret"]
    (tmp_path / "m" / "secret").write_text(secret)
    return tmp_path / "m"


def _acts(made: Path, verb: str, **options: Any) -> tuple[str, frozenset[str], str | None, str]:
    with Session(location=str(made), environ=_ENVIRON, **options).open(verb) as m:
        return m.caller.name, m.caller.roles, m.caller.person, m.caller.via


@pytest.mark.parametrize(
    ("options", "verb", "acts"),
    [
        ({}, "sem_get", ("ana", {"admin"}, None, "owner")),
        ({}, "approvals.vote", ("ana", {"admin"}, None, "owner")),
        ({"user": "bob"}, "ask", ("bob", {"admin"}, None, "owner")),
        ({"role": "admin"}, "sem_get", ("ana", {"admin"}, None, "owner")),
        ({"role": "user"}, "sem_get", ("ana", {"user"}, "user_ana", "on_behalf_of")),
        ({"role": "user", "user": "bob"}, "approvals.vote", ("bob", {"user"}, "user_bob", "on_behalf_of")),
        ({"role": "operator"}, "modules.recover", ("ana", {"operator"}, None, "owner")),
        ({"role": "agent", "user": "clerk"}, "ask", ("clerk", {"agent"}, "user_clerk", "owner")),
        # a name that is an account's: for what is done in one's own name only with its code
        ({"user": "root"}, "ask", ("owner", {"admin"}, None, "owner")),
        ({"user": "root"}, "sem_get", ("owner", {"admin"}, None, "owner")),
        ({"user": "root", "role": "auditor"}, "events", ("owner", {"auditor"}, None, "owner")),
        ({"user": "root", "role": "user"}, "ask", ("root", {"user"}, "user_root", "on_behalf_of")),
        ({"user": "system"}, "ask", ("owner", {"admin"}, None, "owner")),
    ],
)
def test_who_acts(house: Path, options: dict[str, Any], verb: str, acts: tuple[str, set[str], str | None, str]):
    assert _acts(house, verb, **options) == (acts[0], frozenset(acts[1]), *acts[2:])


@pytest.mark.parametrize("verb", [row.name for row in VERBS if row.in_own_name and not row.planned])
def test_nobody_acts_as_an_account_without_its_code(house: Path, verb: str):
    for options in ({"user": "root"}, {"user": "root", "role": "admin"}):
        with pytest.raises(AuthError) as caught:
            _acts(house, verb, **options)
        assert "--totp" in caught.value.details["hint"]


@pytest.mark.parametrize("verb", ["ask", "approvals.vote"])
def test_a_code_makes_it_the_account(house: Path, verb: str):
    code = pyotp.TOTP((house / "secret").read_text()).now()
    assert _acts(house, verb, user="root", totp=code) == ("root", frozenset({"admin"}), None, "owner")
    with pytest.raises(AuthError):
        _acts(house, verb, user="root", totp=code)  # it counts once


def test_a_code_is_an_accounts(house: Path):
    with pytest.raises(InvalidInput):
        _acts(house, "ask", user="nobody", totp="123456")


def test_a_login_that_cannot_sign_is_still_the_owners(house: Path):
    for login in ("user", "ana@example.org"):
        session = Session(location=str(house), environ={**_ENVIRON, "USER": login})
        with session.open("sem_list") as m:
            assert m.caller.name == "owner"


@pytest.mark.parametrize("role", ["viewer", "auditor"])
def test_readers_do_not_write(house: Path, role: str):
    with Session(location=str(house), role=role, environ=_ENVIRON).open("sem_put") as m:
        answer = m.sem_put("world/fact/pi/value", "3", "user")
    assert answer["error_code"] == "PERMISSION_DENIED"


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
    with pytest.raises(NotFound), session.open("describe"):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_misspelt_variable_is_refused_with_the_right_name(cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MACE_LLM_MODLE", "x")
    ran = cli("doctor", "--json")
    assert (ran.code, ran.value["error_code"]) == (1, "INVALID_INPUT")
    assert "MACE_LLM_MODLE in the environment; did you mean MACE_LLM_MODEL?" in ran.value["developer_message"]
