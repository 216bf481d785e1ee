"""Which texts may be the value that was asked for just before, and which are about something else."""

import pytest

from mace.agents.expecting import may_be_value


@pytest.mark.parametrize(
    "text",
    [
        "42",
        "42.",
        "3.5",
        "12-34",
        "Forty-two",
        "It is 42",
        "it's 42, I think",
        "They are blue",
        "My shoe size is 42",
        "history teacher",
        "event planner",
        "The Hague",
        "Rua da Prata 12, 1100 Lisbon",
        "Ana Maria",
        "I live in Porto",
        "no idea",  # a refusal is for the rule behind this one
        "Play",
        "a red bicycle with three gears",
    ],
)
def test_what_may_be_one(text: str):
    assert may_be_value(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  ",
        "2 + 2",
        "12 * 4",
        "10 - 4",
        "(3 + 4) / 2 =",
        "Write a poem about rain",
        "Please write a poem",
        "ok, now tell me a joke",
        "shorten that",
        "say it in French",
        "Let us talk of hats.",
        "Let’s go on",
        "Define entropy",
        "Could you help me",
        "The weather is bad today",
        "There are many trees",
        "You are wrong",
        "How big is it?",
        "what should I do",
        "42\nand a second line",
        "x" * 301,
    ],
)
def test_what_is_none(text: str):
    assert not may_be_value(text)


@pytest.mark.parametrize("text", ["a" * 50_000, "( " * 20_000 + "1", "the " * 20_000, "please, " * 20_000])
def test_long_texts_are_read_at_once(text: str):
    assert not may_be_value(text)
