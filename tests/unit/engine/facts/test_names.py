"""Names of facts through an open MACE: aliases, listings and the key registry."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

import places
from fact_helpers import COLOR, DONE, at_noon, code_of, types
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
    assert mace.key("world", "fact", "Rock, Roll", "summary") == first  # asking takes nothing
    assert mace.sem_put(first, "one", "system") == DONE
    assert (first, collisions()) == ("world/fact/rock_roll/summary", [])
    second = mace.key("world", "fact", "Rock-Roll", "summary")
    assert second == "world/fact/rock_roll-387b8d/summary"
    assert collisions() == []
    assert mace.sem_put(second, "two", "system") == DONE
    assert mace.key("world", "fact", "rock  ROLL", "summary") == second
    assert mace.key("world", "fact", "Rock & Roll", "other") == "world/fact/rock_roll/other"
    mace.sem_put(second, "two", "system")
    (told,) = collisions()
    assert told["slug"] == "rock_roll-387b8d"
    assert told["slots"] == ["world/fact/rock_roll-387b8d"]
    assert (told["key"], told["other_key"]) == (second, first)
    assert "Roll" not in json.dumps(told)  # the raw text is nowhere
    assert (mace.sem_get(first)["value"], mace.sem_get(second)["value"]) == ("one", "two")


def test_a_key_that_another_name_took_since_it_was_asked_for_is_not_written(mace: Mace):
    ours = mace.key("world", "fact", "C++", "definition")
    theirs = mace.key("world", "fact", "C#", "definition")
    assert ours == theirs == "world/fact/c/definition"
    assert mace.sem_put(theirs, "by Hejlsberg", "system") == DONE
    assert mace.sem_put(ours, "by Stroustrup", "system")["error_code"] == "CONFLICT"
    assert mace.sem_get(theirs)["value"] == "by Hejlsberg"
    ours = mace.key("world", "fact", "C++", "definition")
    assert mace.sem_put(ours, "by Stroustrup", "system") == DONE
    assert (mace.sem_get(ours)["value"], mace.sem_get(theirs)["value"]) == ("by Stroustrup", "by Hejlsberg")


def test_a_key_from_elsewhere_is_not_meant_by_whoever_asked_for_a_name(mace: Mace):
    asked = mace.key("world", "fact", "C++", "definition")
    literal = f"world/fact/{'c'}/definition"
    assert asked == literal
    assert mace.sem_put(literal, "by Ritchie", "system") == DONE
    assert mace.key("world", "fact", "C", "definition") == literal
    assert mace.key("world", "fact", "C++", "definition") == "world/fact/c-372946/definition"
    assert mace.sem_put(asked, "by Stroustrup", "system")["error_code"] == "CONFLICT"
    assert mace.sem_get(literal)["value"] == "by Ritchie"


def test_a_key_that_was_given_for_a_name_is_written_again_and_again(mace: Mace):
    for number in range(2):
        key = mace.key("world", "fact", "C++", "definition")
        assert [mace.sem_put(key, f"{number} {at}", "system") for at in range(2)] == [DONE, DONE]
    assert mace.sem_put(mace.key("world", "fact", "C++", "year"), 1985, "system") == DONE
    mace.sem_put("world/fact/tcp_ip/definition", "protocols", "system")
    key = mace.key("world", "fact", "TCP/IP", "definition")
    assert mace.sem_put(key, "a suite of protocols", "system") == DONE
    assert mace.sem_get("world/fact/tcp_ip/definition")["value"] == "a suite of protocols"


def test_a_write_by_the_key_of_a_name_with_other_words_is_that_names_and_says_so(mace: Mace):
    mace.sem_put(mace.key("world", "fact", "C++", "definition"), "by Stroustrup", "system")
    by_key = mace.sem_put("world/fact/c/definition", "by B. Stroustrup", "system")
    assert by_key == {**DONE, "meta": {"named_otherwise": True}}
    assert mace.sem_put("world/fact/c/year", 1985, "system") == by_key
    assert mace.key("world", "fact", "C++", "definition") == "world/fact/c/definition"
    own = mace.key("world", "fact", "C", "definition")
    assert own == "world/fact/c-84a516/definition"
    assert mace.sem_put(own, "by Ritchie", "system") == DONE


@pytest.mark.parametrize(
    ("key", "canonical"),
    [
        ("user/profile/user_tuff/favourite_tree", "user/profile/user_tuff/favorite_tree"),
        ("user/profile/user_tuff/fave_colour", "user/profile/user_tuff/favorite_color"),
        ("user/profile/user_tuff/favorite_dish", "user/profile/user_tuff/favorite_food"),
        ("world/fact/mars/colour", "world/fact/mars/color"),
        ("user/profile/user_tuff/favorite_color", None),
        ("world/fact/mars/favorite_dish", None),
        ("world/fact/colour/definition", None),
    ],
)
def test_a_write_tells_what_others_call_the_same_thing(mace: Mace, key: str, canonical: str | None):
    told = {} if canonical is None else {"meta": {"canonical_key": canonical}}
    assert mace.sem_put(key, "x", "system") == {**DONE, **told}
    assert mace.sem_get(key)["value"] == "x"
    assert canonical is None or not mace.sem_get(canonical)["exists"]


def test_a_users_first_put_takes_their_seat_and_records_a_collision(mace: Mace):
    mace.sem_put("user/profile/user_a_b/name", "x", "user", user_id="a.b")
    own = mace.key("user", "profile", None, "name", user_id="a b")
    assert own != "user/profile/user_a_b/name"
    assert mace.key("user", "note", None, "name", user_id="A.B") == "user/note/user_a_b/name"
