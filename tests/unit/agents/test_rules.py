"""The registry of what decides: complete, and its newest versions are what is packaged."""

import pytest

from mace.agents.directory import AGENTS, TRUST
from mace.agents.rules import DECISIONS, Rulebook


@pytest.mark.parametrize("name", AGENTS)
def test_the_newest_version_of_an_agent_is_the_packaged_one(name: str):
    """Otherwise it would pass for one that somebody brought, and have no version."""
    versions = DECISIONS[name]
    assert versions[max(versions)] is AGENTS[name]


def test_whoever_is_trusted_has_a_version():
    assert set(TRUST) <= set(DECISIONS)


def test_versions_count_from_one_without_a_gap():
    assert {name: sorted(held) for name, held in DECISIONS.items()} == {
        name: list(range(1, len(held) + 1)) for name, held in DECISIONS.items()
    }


@pytest.mark.parametrize(
    ("recorded", "chosen"),
    [
        ({}, {"a": "a1", "b": "b1"}),
        ({"a": 2}, {"a": "a2", "b": "b1"}),
        ({"a": 1, "b": 1}, {"a": "a1", "b": "b1"}),
    ],
)
def test_what_is_recorded_decides_and_what_is_not_is_the_first(recorded: dict[str, int], chosen: dict[str, str]):
    book = Rulebook({"a": {1: "a1", 2: "a2"}, "b": {1: "b1"}})
    assert book.at(recorded) == chosen
    assert book.newest() == {"a": 2, "b": 1}
