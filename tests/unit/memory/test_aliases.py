"""Aliases: how phrases compare, what wins, what is refused, and the packaged map as shipped."""

import json
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mace.memory.aliases import Target, check_entry, load, normalise_phrase, resolve
from mace.memory.keys import generate_canonical_key, parse_key

PACKAGED = load(files("mace.memory").joinpath("sem_synonyms.json").read_text("utf-8"))


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("fav colour", "fav colour"),
        ("  Fav \t COLOUR?! ", "fav colour"),
        ("“fav colour”", "fav colour"),
        ("Ohm’s law", "ohm's law"),
        ("What's my favorite color?", "what's my favorite color"),
        ("e-mail", "e-mail"),
        ("ｆａｖ\u00a0colour", "fav colour"),
        ("?!", ""),
    ],
)
def test_normalise_phrase(text: str, phrase: str):
    assert normalise_phrase(text) == phrase


@given(st.text(max_size=60))
def test_normalising_a_phrase_twice_changes_nothing(text: str):
    assert normalise_phrase(normalise_phrase(text)) == normalise_phrase(text)


@pytest.mark.parametrize(
    ("text", "user_slug", "key"),
    [
        # run-time entries come first, and decide
        ("shade", "user_ann", "user/profile/user_ann/favorite_shade"),
        ("Shade!", None, None),
        ("motto", "user_ann", "user/profile/user_tuff/motto"),
        ("motto", None, "user/profile/user_tuff/motto"),
        ("fav color", "user_ann", "world/fact/colour/definition"),
        # packaged
        ("fav colour", "user_ann", "user/profile/user_ann/favorite_color"),
        ("fav colour", "user_a_b-69f664", "user/profile/user_a_b-69f664/favorite_color"),
        ("fav colour", None, "user/profile/user_tuff/favorite_color"),
        ("fav colour", "", "user/profile/user_tuff/favorite_color"),
        ("favourite colour", "user_ann", "user/profile/user_ann/favorite_color"),
        ("favourite colour", None, None),
        ("What’s my favorite color?", "user_ann", "user/profile/user_ann/favorite_color"),
        ("Define Ohm's law", None, "world/fact/ohms_law/definition"),
        ("define ohm’s law.", "user_ann", "world/fact/ohms_law/definition"),
        ("Router default depth", None, "mace/config/router/default_depth"),
        ("telephone number", "user_ann", "user/profile/user_ann/phone"),
        # nothing is guessed
        ("favv colour", "user_ann", None),
        ("", "user_ann", None),
        ("x" * 100_000, "user_ann", None),
    ],
)
def test_resolve(text: str, user_slug: str | None, key: str | None):
    added = {
        "shade": "user/profile/{user}/favorite_shade",
        "motto": "user/profile/user_tuff/motto",
        "fav color": "world/fact/colour/definition",
    }
    assert resolve(text, user_slug, added, PACKAGED) == key


def test_a_slug_that_is_none_is_refused():
    with pytest.raises(ValueError):
        resolve("fav colour", "user_ann/name/../x", {}, PACKAGED)


@pytest.mark.parametrize(
    ("phrase", "key", "entry"),
    [
        (" Fav Hue? ", "user/profile/{user}/hue", ("fav hue", "user/profile/{user}/hue")),
        ("depth", "mace/config/router/default_depth", ("depth", "mace/config/router/default_depth")),
    ],
)
def test_an_entry_is_stored_in_one_form(phrase: str, key: str, entry: tuple[str, str]):
    assert check_entry(phrase, key) == entry


@pytest.mark.parametrize(
    ("phrase", "key"),
    [
        ("?", "user/profile/{user}/hue"),
        ("x" * 257, "user/profile/{user}/hue"),
        (" " * 5000 + "x", "user/profile/{user}/hue"),
        ("hue", "user/profile/{user}"),
        ("hue", "world/fact/{user}/hue"),
        ("hue", "user/profile/user_{user}/hue"),
        ("hue", "user/profile/{user}/{user}"),
        ("hue", "user/{user}/{user}/hue"),
        ("hue", "user/profile/{User}/hue"),
        ("hue", "not a key"),
        ("hue", "user/profile/user_tuff/hue\n"),
        ("hue", None),
        (None, "user/profile/{user}/hue"),
    ],
)
def test_an_entry_that_could_never_be_used_is_refused(phrase, key):
    with pytest.raises(ValueError):
        check_entry(phrase, key)


def test_load_reads_both_forms():
    both = {"key": "user/profile/{user}/hue", "without_user": "user/profile/user_tuff/hue"}
    assert load(json.dumps({"Fav hue": both, "pi": "world/fact/pi/value"})) == {
        "fav hue": Target("user/profile/{user}/hue", "user/profile/user_tuff/hue"),
        "pi": Target("world/fact/pi/value"),
    }


@pytest.mark.parametrize(
    ("json_text", "names"),
    [
        ('{"hue": "user/profile/{user}/hue", "hue": "user/profile/{user}/hue"}', "'hue': duplicate phrase"),
        ('{"hue": "user/profile/{user}/hue", " HUE? ": "user/profile/{user}/shade"}', "' HUE? ': duplicate phrase"),
        ('{"hue": "nonsense"}', "'hue'"),
        ('{"hue": 5}', "'hue'"),
        ('{"hue": {"key": "user/profile/{user}/hue"}}', "'hue'"),
        ('{"hue": {"key": "user/profile/{user}/hue", "without_user": 5}}', "'hue'"),
        ('{"hue": {"key": "user/profile/{user}/hue", "key": "user/profile/{user}/hue"}}', "'hue'"),
        (
            '{"hue": {"key": "user/profile/user_a/hue", "without_user": "user/profile/user_b/hue"}}',
            "'hue'",
        ),
        (
            '{"hue": {"key": "user/profile/{user}/hue", "without_user": "user/profile/{user}/hue"}}',
            "'hue'",
        ),
        ('{"hue": {"key": "user/profile/{user}/hue", "without_user": "nonsense"}}', "'hue'"),
        ('["hue"]', "one JSON object"),
        ("{", "Expecting"),
    ],
)
def test_load_refuses_and_names_the_entry(json_text: str, names: str):
    with pytest.raises(ValueError, match=names.replace("?", r"\?")):
        load(json_text)


def test_only_the_texts_own_example_names_a_person():
    literal = {phrase for phrase, target in PACKAGED.items() if target.without_user}
    assert literal == {"fav colour"}
    for phrase, target in PACKAGED.items():
        if target.key.startswith("user/"):
            assert "/{user}/" in target.key, phrase


def test_every_packaged_target_is_the_key_that_its_own_words_would_give():
    for target in PACKAGED.values():
        parts = parse_key(target.key.replace("{user}", "user_x"))
        assert str(parts) == generate_canonical_key(*parts)
