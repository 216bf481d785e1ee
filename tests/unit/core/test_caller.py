"""A Caller is proof of who somebody is: nobody makes one at home, and what it proves is looked at again each time."""

import copy
import dataclasses
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import governed
import places
from mace.core.caller import Caller
from mace.core.errors import AuthError, InvalidInput, PermissionDenied

FOOD = "user/profile/user_bob/food"


@pytest.fixture
def house(tmp_path: Path) -> Iterator[governed.House]:
    made = governed.House(tmp_path)
    made.m.sem_put(FOOD, "soup", "user")
    yield made
    made.close()


def _subclass(caller: Caller) -> Any:
    return type("Mine", (Caller,), {})


def _changed(caller: Caller) -> None:
    caller.name = "root"  # type: ignore[misc]


def _added(caller: Caller) -> None:
    caller.is_admin = True  # type: ignore[attr-defined]


def _deleted(caller: Caller) -> None:
    del caller.scopes


def _copy_replace(caller: Caller) -> Any:
    return copy.replace(caller, name="root") if hasattr(copy, "replace") else caller.__replace__(name="root")


@pytest.mark.parametrize(
    "attempt",
    [
        lambda caller: Caller(),
        lambda caller: type(caller)(name="root"),
        copy.copy,
        copy.deepcopy,
        lambda caller: copy.deepcopy([caller]),
        pickle.dumps,
        lambda caller: pickle.dumps(caller, 0),
        lambda caller: dataclasses.replace(caller, name="root"),
        _copy_replace,
        _changed,
        _added,
        _deleted,
        _subclass,
    ],
)
def test_nobody_makes_copies_or_changes_one(house: governed.House, attempt: Callable[[Any], Any]):
    caller = house.m.on_behalf_of("bob")
    before = repr(caller)
    with pytest.raises((TypeError, AttributeError)):
        attempt(caller)
    assert repr(caller) == before


def forged(caller: Caller) -> Caller:
    """All the same members, put together by hand."""
    made = object.__new__(Caller)
    for name in Caller.__slots__:
        if name != "__weakref__":
            object.__setattr__(made, name, getattr(caller, name))
    return made


def test_one_put_together_by_hand_is_nobody(house: governed.House):
    for caller in (house.m.owner(), house.m.on_behalf_of("bob")):
        with pytest.raises(AuthError):
            house.m.acting_as(forged(caller))
    for value in (object.__new__(Caller), None, "owner", {"name": "owner"}, house.m):
        with pytest.raises(AuthError):
            house.m.acting_as(value)  # type: ignore[arg-type]


def test_one_of_another_store_is_nobody_here(house: governed.House, tmp_path: Path):
    with places.SqlitePlace(tmp_path / "other").open() as other:
        for caller in (other.owner(), other.on_behalf_of("bob")):
            with pytest.raises(AuthError):
                house.m.acting_as(caller)


@pytest.mark.parametrize("who", ["on_behalf_of", "token", "admin", "few roles"])
def test_a_view_makes_no_callers_but_those_who_show_a_token(house: governed.House, who: str):
    house.account("root", "admin")
    views = {
        "on_behalf_of": lambda: house.m.acting_as(house.m.on_behalf_of("bob")),
        "token": lambda: house.showing("root"),
        "admin": lambda: house.acting("root"),
        "few roles": lambda: house.m.acting_as(house.m.owner(roles=["operator"])),
    }
    view = views[who]()
    for attempt in (
        view.owner,
        lambda: view.owner("mia"),
        lambda: view.owner("root", totp=house.code("root")),
        lambda: view.on_behalf_of("eve"),
    ):
        with pytest.raises(PermissionDenied):
            attempt()
    token = house.m.accounts.issue_token("root")["token"]
    assert view.authenticate(token).name == "root"
    assert view.acting_as(view.caller).caller is view.caller


def test_the_owner_is_always_the_same_and_may_sign_by_another_name(house: governed.House):
    assert house.m.owner() is house.m.caller
    named = house.m.owner("mia")
    assert (named.name, named.via, named.person) == ("mia", "owner", None)
    few = house.m.owner("mia", roles=["operator"])
    with pytest.raises(PermissionDenied):
        house.m.acting_as(few).accounts.list()
    assert house.m.acting_as(few).modules.list()
    for roles in ([], ["king"], [""]):
        with pytest.raises(InvalidInput):
            house.m.owner(roles=roles)  # type: ignore[arg-type]


def test_a_user_of_the_program_has_their_own_things_and_no_others(house: governed.House):
    bob = house.m.on_behalf_of("bob")
    assert (bob.roles, bob.person, bob.second_factor, bob.via) == ({"user"}, "user_bob", False, "on_behalf_of")
    assert house.m.acting_as(bob).sem_get(FOOD)["value"] == "soup"
    assert not house.m.acting_as(house.m.on_behalf_of("eve")).sem_get(FOOD)["exists"]


@pytest.mark.parametrize("what", ["revoked", "switched off", "expired"])
def test_what_ends_a_token_ends_the_callers_it_made(house: governed.House, what: str):
    house.account("bob", "user", user_id="bob")
    issued = house.m.accounts.issue_token("bob")
    view = house.m.acting_as(house.m.authenticate(issued["token"]))
    assert view.sem_get(FOOD)["value"] == "soup"
    if what == "revoked":
        house.m.accounts.revoke_token("bob", issued["token_id"])
    elif what == "switched off":
        house.m.accounts.change("bob", active=False)
    else:
        house.clock.move(days=31)
    with pytest.raises(AuthError):
        view.sem_get(FOOD)
    with pytest.raises(AuthError):
        view.sem_put(FOOD, "fish")
    assert house.m.sem_get(FOOD)["value"] == "soup"


def test_a_role_taken_away_counts_at_once(house: governed.House):
    house.account("ana", "operator", "auditor")
    view = house.showing("ana")
    assert view.modules.list()
    assert view.accounts.list()
    house.m.accounts.change("ana", roles=["operator"])
    assert view.modules.list()
    with pytest.raises(PermissionDenied):
        view.accounts.list()
    house.m.accounts.change("ana", roles=["operator", "auditor", "admin"])
    with pytest.raises(PermissionDenied):
        view.accounts.create("x", ["user"])  # a token never grows beyond what it was issued with


@pytest.mark.parametrize("way", ["token", "account"])
def test_a_second_factor_counts_for_fifteen_minutes(house: governed.House, way: str):
    house.account("root", "admin")
    view = house.showing("root", prove=True) if way == "token" else house.acting("root")
    assert view.caller.second_factor
    house.clock.move(minutes=15)
    assert view.sem_list("user") == [FOOD]
    house.clock.move(seconds=1)
    with pytest.raises(PermissionDenied) as refused:
        view.sem_list("user")
    assert refused.value.details["needs"] == "second_factor"


def test_scopes_limit_whatever_the_roles(house: governed.House):
    house.account("root", "admin")
    view = house.showing("root", prove=True, scopes=["sem_get"])
    assert view.caller.scopes == {"sem_get"}
    assert view.sem_get(FOOD)["value"] == "soup"
    assert view.sem_put(FOOD, "fish")["error_code"] == "PERMISSION_DENIED"
    with pytest.raises(PermissionDenied):
        view.accounts.list()


def test_closing_a_view_closes_nothing(house: governed.House):
    with house.m.acting_as(house.m.on_behalf_of("bob")) as view:
        assert view.sem_get(FOOD)["exists"]
    view.close()
    assert view.sem_get(FOOD)["exists"]
    assert house.m.sem_get(FOOD)["exists"]
    assert "as bob" in repr(view)


def test_what_a_caller_says_of_itself_is_no_secret(house: governed.House):
    house.account("root", "admin")
    token = house.m.accounts.issue_token("root")["token"]
    told = repr(house.m.authenticate(token, house.code("root")))
    assert told.startswith("Caller(name='root', roles={admin}")
    assert token not in told
    assert "_token" not in told
