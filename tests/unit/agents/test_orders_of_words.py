"""Orders about what was said are carried out by saying it in another way; orders about anything else are deeds."""

import pytest

from mace.agents import orders


@pytest.mark.parametrize(
    "text",
    [
        "shorten that",
        "Please shorten it",
        "Make it a bit simpler",
        "make that more formal",
        "keep it short",
        "put that in one sentence",
        "turn that into a list",
        "say it in French",
        "translate that into German",
    ],
)
def test_what_an_engine_may_do(text: str):
    assert not orders.asks_for_a_deed(text)


@pytest.mark.parametrize(
    "text",
    [
        "put it on the list",
        "put that in my calendar",
        "make it warmer",
        "turn it off",
        "turn that into cash",
        "keep it safe",
        "shorten it in the database",
        "shorten the meeting",
    ],
)
def test_what_it_may_not(text: str):
    assert orders.asks_for_a_deed(text)
