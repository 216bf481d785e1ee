"""The tests of canonical keys that section 13 of the stage 0 text asks for, by its ids.

T1 to T4 are about the keys alone; T5 to T7 need a store.
"""

import re

import pytest

import places
from mace.memory.keys import generate_canonical_key, place

pytestmark = [pytest.mark.stage0, pytest.mark.golden]

THE_TEXTS_REGEX = re.compile(r"^([a-z0-9_]+)\/([a-z0-9_]+)\/([a-z0-9_\-]+)\/([a-z0-9_]+)$")


def test_T1_a_user_key_from_the_entity_id():
    key = generate_canonical_key("user", "profile", "TUFF", "Favorite Color")
    assert key == "user/profile/user_tuff/favorite_color"


def test_T2_a_long_title_is_cut_and_hashed():
    title = "The history of the steam engine from Newcomen to the present day, in four volumes"
    key = generate_canonical_key("world", "article", title, "summary")
    assert key == "world/article/the_history_of_the_steam_engine_from_newcomen_to-61397da1/summary"


@pytest.mark.parametrize(
    ("raw", "slug"),
    [
        ("Ohm's law", "ohms_law"),
        ("  spaces\tand\nlines  ", "spaces_and_lines"),
        ("a/b\\c:d", "a_b_c_d"),
        ("<script>alert(1)</script>", "script_alert_1_script"),
        ("../../etc/passwd", "etc_passwd"),
        ("Crème brûlée № 5", "creme_brulee_no_5"),
        ("null\x00byte", "null_byte"),
    ],
)
def test_T3_invalid_characters_are_sanitised(raw: str, slug: str):
    key = generate_canonical_key("world", "fact", raw, "definition")
    assert key == f"world/fact/{slug}/definition"
    assert THE_TEXTS_REGEX.match(key)


def test_T4_same_slug_different_raw_gets_a_deterministic_suffix():
    registry: dict[str, str] = {}
    keys = []
    for title in ("Rock & Roll", "Rock-Roll", "Rock & Roll", "rock-roll"):
        placement = place("world", "fact", title, "summary", None, registry.get)
        registry.update(placement.register)
        keys.append(placement.key)
    assert keys == [
        "world/fact/rock_roll/summary",
        "world/fact/rock_roll-387b8d/summary",
        "world/fact/rock_roll/summary",
        "world/fact/rock_roll-387b8d/summary",
    ]


def test_T4_long_titles_with_one_readable_part_record_a_collision_although_their_keys_differ():
    titles = [
        "The history of the steam engine from Newcomen to the present day, in four volumes",
        "The history of the steam engine from Newcomen to the present day, in five volumes",
    ]
    registry: dict[str, str] = {}
    due = []
    for title in titles * 2:
        placement = place("world", "article", title, "summary", None, registry.get)
        registry.update(placement.register)
        due.append((placement.key, placement.newly_collided))
    assert due == [
        ("world/article/the_history_of_the_steam_engine_from_newcomen_to-61397da1/summary", False),
        ("world/article/the_history_of_the_steam_engine_from_newcomen_to-7714ba24/summary", True),
        ("world/article/the_history_of_the_steam_engine_from_newcomen_to-61397da1/summary", False),
        ("world/article/the_history_of_the_steam_engine_from_newcomen_to-7714ba24/summary", False),
    ]


def test_T5_a_key_that_is_not_there_does_not_exist(mace_home: places.SqlitePlace):
    with mace_home.open() as mace:
        mace.sem_put("user/profile/user_tuff/favorite_color", "blue", "user")
        found = mace.sem_get("user/profile/user_tuff/favorite_food")
    assert found["exists"] is False
    assert found["value"] is None


def test_T6_of_two_puts_the_last_value_is_returned(mace_home: places.SqlitePlace):
    with mace_home.open() as mace:
        for value in ("green", "red"):
            assert mace.sem_put("user/profile/user_tuff/favorite_color", value, "user")["success"] is True
        assert mace.sem_get("user/profile/user_tuff/favorite_color")["value"] == "red"


def test_T7_a_synonym_resolves_to_its_key(mace_home: places.SqlitePlace):
    with mace_home.open() as mace:
        assert mace.sem_resolve_alias("fav colour") == "user/profile/user_tuff/favorite_color"
        assert mace.sem_resolve_alias("no such phrase") is None
