"""What answers a question without telling anything, and the value in what does."""

import pytest

from mace.agents.profile import is_reply
from mace.agents.reading.refusals import agreement, value_of


@pytest.mark.parametrize(
    "text",
    [
        "no",
        "No.",
        "cancel",
        "never mind",
        "Nevermind",
        "I don't know",
        "I don’t know.",
        "no idea",
        "not sure",
        "thanks",
        "Thank you!",
        "no thanks",
        "hello",
        "hi there",
        "ok",
        "skip",
        "forget it",
        "I'd rather not say",
        "I'll tell you later",
        "What do you mean?",
        "what is my name",
        "forget my name",
        "that's private",
        "it's none of your business",
        "good question",
        "maybe 42",
        "...",
        "  ",
        "please stop",
        "it isn't",
    ],
)
def test_no_value(text: str):
    assert not is_reply(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("42", "42"),
        ("forty two", "forty two"),
        ("it's 42", "42"),
        ("It’s 42.", "42"),
        ("that is blue", "blue"),
        ("They're red and green", "red and green"),
        ("Porto, please", "Porto"),
        ("“Nova”", "Nova"),
        ("Washington D.C.", "Washington D.C."),
        ("12 May", "12 May"),
        ("Wei", "Wei"),
    ],
)
def test_a_value(text: str, value: str):
    assert is_reply(text)
    assert value_of(text) == value


@pytest.mark.parametrize(
    ("expected", "stored", "agrees"),
    [
        ("Rex", "rex", True),
        ("the oboe", "oboe", True),
        ("Rex", "Bruno", False),
        ("German", "Polish, German and Czech", True),
        ("French", "Polish, German and Czech", None),
        ("Rex", "Rex the Great", None),
        ("green or red", "green", None),
        ("green", "red", False),
        ("Friday", "Monday", False),
        ("41", "42", False),
        ("over 40", "42", True),
        ("more than 42", "42", False),
        ("at least 42", "42", True),
        ("under 40", "42", False),
        ("under 80 kg", "82 kg", False),
        ("under 80 kg", "180 pounds", None),
        ("over fifty people", "Porto", None),
        ("older than Ann", "42", None),
        ("about 40", "42", None),
        ("healthy", "pizza", None),
        ("Irish", "Tamara", None),
        ("a woman", "Tamara", None),
        ("Polish and Czech", "Polish, German and Czech", True),
    ],
)
def test_yes_no_or_neither(expected: str, stored: str, agrees: bool | None):
    assert agreement(expected, stored) is agrees
