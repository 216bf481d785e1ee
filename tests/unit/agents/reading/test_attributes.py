"""Names of attributes: which mean one thing, and which stored one answers."""

import pytest

from mace.agents.reading.attributes import FAMILIES, family_of, is_being, matching, name_of, wanted, words_of


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("dog_name", "dogs_name"),
        ("dog_name", "name_of_dog"),
        ("favourite_colour", "favorite_color"),
        ("fave_film", "favorite_movie"),
        ("t_shirt_size", "tshirt_size"),
        ("allergies", "allergy"),
        ("mum", "mother"),
        ("neighbour", "neighbor"),
    ],
)
def test_two_names_of_one_thing(one: str, other: str):
    assert words_of(one) == words_of(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("wife", "sister"),
        ("home_city", "birth_city"),
        ("dog_name", "cat_name"),
        ("shoe_size", "ring_size"),
        ("job", "employer"),
    ],
)
def test_names_of_two_things(one: str, other: str):
    assert words_of(one) != words_of(other)
    assert family_of(one) is None or family_of(one) != family_of(other)
    assert not set(wanted(one).same) & set(wanted(other).same)


@pytest.mark.parametrize(
    ("names", "stored", "found"),
    [
        (wanted("job").same, ("occupation", "city"), ("occupation",)),
        (wanted("profession").same, ("current_job",), ("current_job",)),
        (wanted("city").same, ("birthplace", "favorite_city", "hometown"), ()),
        (wanted("residence").same, ("city",), ("city",)),
        (wanted("name").same, ("nickname",), ()),
        (wanted("name").names, ("nickname",), ("nickname",)),
        (wanted("nickname").names, ("name",), ()),
        (name_of("dog").names, ("cat_name", "dog_breed", "brothers_dog"), ()),
        (name_of("dog").names, ("dogs_name",), ("dogs_name",)),
        (name_of("sister").names, ("sister_in_law_name", "wife"), ()),
        (wanted("mother").names, ("godmother_name", "mother_in_law"), ()),
        (wanted("husband").names, ("spouse",), ("spouse",)),
        (wanted("husband").names, ("wife",), ()),
        (wanted("favorite_tree").names, ("favourite_tree", "favorite_trees"), ("favorite_trees", "favourite_tree")),
        (("a", "b"), ("b", "a"), ("a", "b")),
    ],
)
def test_what_is_stored_under_one_of_the_names(names: tuple[str, ...], stored: tuple[str, ...], found: tuple[str, ...]):
    assert matching(names, stored) == found


def test_no_name_leads_to_two_families():
    """But for spouses, who have names of their own and one together."""
    for family in FAMILIES:
        for name in family.names:
            assert family_of(name) == family or family.attribute == "spouse", (family.attribute, name)


@pytest.mark.parametrize("noun", ["dog", "best friend", "older sister", "mum", "guinea pig", "boss"])
def test_beings(noun: str):
    assert is_being(noun)


@pytest.mark.parametrize("noun", ["favorite dog", "brother's dog", "dog breed", "sister's school", "city", "car"])
def test_no_beings(noun: str):
    assert not is_being(noun)
