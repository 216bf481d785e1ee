"""Names of facts through an open MACE: aliases, listings and the key registry."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

import places
from fact_helpers import COLOR, at_noon, code_of, types
from mace.core import canon
from mace.core.errors import InvalidInput, PermissionDenied
from mace.engine.runtime import Mace
from mace.providers.frozen import FrozenClock


@pytest.fixture
def clock() -> FrozenClock:
    return at_noon()


@pytest.fixture
def mace(mace_home: places.SqlitePlace, clock: FrozenClock) -> Iterator[Mace]:
    with mace_home.open(clock=clock) as opened:
        yield opened


# Aliases


def test_aliases_added_at_run_time_come_first_and_last(mace_home: places.SqlitePlace):
    with mace_home.open() as mace:
        assert mace.sem_resolve_alias("fav colour") == COLOR
        assert mace.sem_resolve_alias("fav colour", user_id="ann") == "user/profile/user_ann/favorite_color"
        assert mace.sem_resolve_alias("colour of choice") is None
        answer = mace.sem_add_alias("Colour of Choice?", "user/profile/{user}/favorite_color", "system_admin")
        assert (answer["success"], answer["error_code"]) == (True, None)
        mace.sem_add_alias("fav colour", "world/fact/blue/definition", "system")
    with mace_home.open() as mace:
        assert mace.sem_resolve_alias("colour of choice", user_id="ann") == "user/profile/user_ann/favorite_color"
        assert mace.sem_resolve_alias("colour of choice") is None  # {user} without a user
        assert mace.sem_resolve_alias(" FAV colour! ", user_id="ann") == "world/fact/blue/definition"
        assert mace.sem_resolve_alias("x" * 100_000) is None
        assert mace.sem_resolve_alias("\x00") is None


@pytest.mark.parametrize("source", ["user", "agent:a", ""])
def test_only_admins_add_aliases(mace: Mace, source: str):
    assert code_of(mace.sem_add_alias("tint", COLOR, source)) == "PERMISSION_DENIED"
    assert mace.sem_resolve_alias("tint") is None


def test_whoever_adds_an_alias_says_as_whom(mace: Mace):
    with pytest.raises(InvalidInput, match="source must be given"):
        mace.sem_add_alias("tint", COLOR)
    assert mace.sem_resolve_alias("tint") is None


def test_an_alias_may_not_be_personal_data(mace: Mace):
    assert code_of(mace.sem_add_alias("123-45-6789", COLOR, "system_admin")) == "PRIVACY_BLOCKED"
    assert mace.sem_resolve_alias("123-45-6789") is None


# Listing


@pytest.mark.parametrize(
    ("prefix", "found"),
    [
        ("", [0, 1, 2, 3, 4]),
        ("user", [1, 2, 3]),
        ("user/", [1, 2, 3]),
        ("user/profile", [2, 3]),
        ("user/prof", []),  # whole components only
        ("user/profile/user_tuff", [2, 3]),
        ("user/profile/user_tuf", []),
        ("user/profile/user_tuff/age", [2]),  # a whole key stands for itself
        ("user/profile/user_tuff/ag", []),
        ("world", [4]),
        ("mace/config", [0]),
        ("agent", []),
    ],
)
def test_listing_by_whole_leading_components(mace: Mace, prefix: str, found: list[int]):
    keys = [
        "mace/config/router/default_depth",
        "user/note/user_tuff/age",
        "user/profile/user_tuff/age",
        "user/profile/user_tuff/name",
        "world/fact/ohms_law/definition",
    ]
    for key in reversed(keys):
        mace.sem_put(key, "x", "system")
    mace.sem_put("user/profile/user_tuff/gone", "x", "system")
    mace.sem_delete("user/profile/user_tuff/gone", "system_admin")
    assert mace.sem_list(prefix, "system_admin") == [keys[at] for at in found]
    assert mace.sem_list(prefix) == mace.sem_list(prefix, "system")


@pytest.mark.parametrize("source", ["user", "agent:a", "admin", ""])
def test_listing_is_for_admins(mace: Mace, source: str):
    with pytest.raises(PermissionDenied):
        mace.sem_list("user", source)
    (refused,) = mace._parts.world.store.read(lambda tx: tx.events.of_type("PERMISSION_DENIED"))
    assert types(mace, refused.stream) == ["JOB_OPENED", "PERMISSION_DENIED"]


# The key registry


def test_a_collision_is_kept_apart_and_recorded_once(mace: Mace):
    def collisions() -> list[dict[str, Any]]:
        found = mace._parts.world.store.read(lambda tx: tx.events.of_type("collision_event"))
        return [canon.loads(event.body)["payload"] for event in found]

    first = mace.key("world", "fact", "Rock & Roll", "summary")
    assert (first, collisions()) == ("world/fact/rock_roll/summary", [])
    second = mace.key("world", "fact", "Rock-Roll", "summary")
    assert second == "world/fact/rock_roll-387b8d/summary"
    assert mace.key("world", "fact", "rock-ROLL", "summary") == second
    assert mace.key("world", "fact", "Rock & Roll", "other") == "world/fact/rock_roll/other"
    (told,) = collisions()
    assert told["slug"] == "rock_roll-387b8d"
    assert told["slots"] == ["world/fact/rock_roll-387b8d"]
    assert "Roll" not in json.dumps(told)  # the raw text is nowhere
    mace.sem_put(first, "one", "system")
    mace.sem_put(second, "two", "system")
    assert (mace.sem_get(first)["value"], mace.sem_get(second)["value"]) == ("one", "two")


def test_a_users_first_put_takes_their_seat_and_records_a_collision(mace: Mace):
    mace.sem_put("user/profile/user_a_b/name", "x", "user", user_id="a.b")
    own = mace.key("user", "profile", None, "name", user_id="a b")
    assert own != "user/profile/user_a_b/name"
    assert mace.key("user", "note", None, "name", user_id="A.B") == "user/note/user_a_b/name"
