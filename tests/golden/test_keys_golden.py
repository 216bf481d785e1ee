"""Golden tests T1 to T6 of the stage 0 text: canonical keys and aliases, without a store."""

import re
from importlib.resources import files

import pytest

from mace.memory.aliases import load, resolve
from mace.memory.keys import generate_canonical_key, place, valid_key

pytestmark = [pytest.mark.stage0, pytest.mark.golden]


def test_T1_CAN_KEY_USER_SIMPLE():
    key = generate_canonical_key("user", "profile", entity_id_raw=None, attribute_raw="Favorite Color", user_id="TUFF")
    assert key == "user/profile/user_tuff/favorite_color"


def test_T2_CAN_KEY_SANITIZE():
    key = generate_canonical_key("User ", "Profile", None, "Favorite--Colour!!", user_id=" TuFf!")
    assert key == "user/profile/user_tuff/favorite_colour"


def test_T3_CAN_KEY_LONG_SLUG():
    key = generate_canonical_key("world", "article", "How blockchains work " * 9 + "for everyone", "summary")
    assert key == "world/article/how_blockchains_work_how_blockchains_work_how_bl-27f7e275/summary"
    assert re.fullmatch(r"world/article/[a-z0-9_]{1,48}-[0-9a-f]{8}/summary", key)
    assert valid_key(key)


@pytest.mark.parametrize("attribute", ["", "   ", "!!!", "颜色", None])
def test_T4_CAN_KEY_REGEX(attribute: str):
    with pytest.raises(ValueError):
        generate_canonical_key("user", "profile", None, attribute, user_id="TUFF")


def test_T5_SYNONYM_RESOLVE():
    packaged = load(files("mace.memory").joinpath("sem_synonyms.json").read_text("utf-8"))
    assert resolve("fav colour", None, {}, packaged) == "user/profile/user_tuff/favorite_color"


def test_T6_COLLISION_DET():
    registry: dict[str, str] = {}
    first = place("world", "article", "Intro: Part 1", "summary", None, registry.get)
    registry.update(first.register)
    second = place("world", "article", "Intro (Part 1)", "summary", None, registry.get)
    registry.update(second.register)

    assert first.key == "world/article/intro_part_1/summary"
    assert second.key == "world/article/intro_part_1-95c0e6/summary"
    assert (first.newly_collided, second.newly_collided) == (False, True)  # one collision_event is due
    again = place("world", "article", "Intro (Part 1)", "summary", None, registry.get)
    assert (again.key, again.newly_collided, again.register) == (second.key, False, ())
