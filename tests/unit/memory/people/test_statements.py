"""What a turn states about its speaker, by tables."""

import pytest

from mace.memory.people.statements import Stated, attribute_of, same_value, stated

KNOWN = frozenset(
    {"city", "job", "employer", "name", "age", "favorite_color", "dog"}
    | {"favorite_food", "diet", "phone", "vegetarian"}
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("I live in Berlin now.", Stated("city", "Berlin", True)),
        ("I've just moved to Lyon", Stated("city", "Lyon", True)),
        ("I moved to Lyon last week.", Stated("city", "Lyon last week", True)),
        ("I now live in Porto and my dog is ill.", Stated("city", "Porto", False)),
        ("My favourite colour is green", Stated("favorite_color", "green", True)),
        ("Actually my favorite color is now green!", Stated("favorite_color", "green", True)),
        ("Thanks. My job is nurse. Bye!", Stated("job", "nurse", False)),
        ("I work as a nurse", Stated("job", "nurse", True)),
        ("I work for Acme", Stated("employer", "Acme", True)),
        ("call me Bo", Stated("name", "Bo", True)),
        ("I am 42 years old", Stated("age", "42", True)),
        ("sushi is my favorite food", Stated("favorite_food", "sushi", True)),
        ("My favorite food's sushi", Stated("favorite_food", "sushi", True)),
        ("My favorite food isn't pizza anymore.", Stated("favorite_food", "not pizza", True)),
        ("Correction: my diet is keto, not vegan.", Stated("diet", "keto", False)),
        ("My favorite color has changed to green", Stated("favorite_color", "green", True)),
        ("My phone changed from Nokia to Apple", Stated("phone", "Apple", True)),
        ("My home town: Wien", Stated("city", "Wien", True)),
        ("My new employer is Hooli.", Stated("employer", "Hooli", True)),
        ("I am not vegetarian anymore.", Stated("vegetarian", "not", True)),
        ("He lives in Berlin", None),
        ("Where do I live?", None),
        ("My brother said his job is nurse", None),
        ("My shoe size is 43", None),
    ],
)
def test_statements(text: str, found: Stated | None) -> None:
    assert stated(text, KNOWN) == found


def test_only_attributes_that_are_asked_for_are_read() -> None:
    assert stated("I live in Berlin", frozenset({"job"})) is None


@pytest.mark.parametrize(
    ("name", "called"),
    [
        ("home_city", "city"),
        ("City", "city"),
        ("occupation", "job"),
        ("favourite_colour", "favorite_color"),
        ("x", "x"),
    ],
)
def test_names_of_one_attribute(name: str, called: str) -> None:
    assert attribute_of(name) == called


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Paris", "paris.", True),
        ("Lyon", "Lyon last week", True),
        ("Lyon", "Lille", False),
        ("", "Lyon", False),
        ("New York", "New Orleans", False),
    ],
)
def test_values_that_are_one(one: str, other: str, same: bool) -> None:
    assert same_value(one, other) is same
