"""Questions about stored world facts, as a whole: found in other words, never answered from another fact, replayed."""

from collections.abc import Iterator
from typing import Any

import pytest

import places
from mace.engine.runtime import Mace

FACTS = {
    "world/fact/lisbon/definition": "The capital of Portugal",
    "world/fact/lisbon/area": "100 km²",
    "world/fact/lisbon/location": "The mouth of the Tagus",
    "world/fact/entropy/definition": "A measure of disorder",
    "world/fact/pi/definition": "The ratio of a circle's circumference to its diameter",
    "world/article/tagus/summary": "A river of Spain and Portugal",
    "world/tower/belem/height": "30 m",
    "mace/config/router/default_depth": 2,
}


@pytest.fixture
def mace(mace_home: places.SqlitePlace) -> Iterator[Mace]:
    with mace_home.open() as opened:
        store(opened)
        yield opened


def store(mace: Mace) -> None:
    for key, value in FACTS.items():
        assert mace.sem_put(key, value, "system_admin")["applied"]
    mace.sem_add_alias("the chief city", "world/fact/lisbon/definition", "system_admin")
    mace.sem_add_alias("router default depth", "mace/config/router/default_depth", "system_admin")


def codes(answer: dict[str, Any]) -> list[str]:
    return [notice["error_code"] for notice in answer["notices"]]


FOUND = [
    ("What is the area of Lisbon?", "Lisbon, area: 100 km²"),
    ("What is the location of Lisbon?", "Lisbon, location: The mouth of the Tagus"),
    ("Where is Lisbon?", "Lisbon, location: The mouth of the Tagus"),
    ("find entropy", "Entropy: A measure of disorder"),
    ("look up entropy", "Entropy: A measure of disorder"),
    ("What is the Tagus?", "Tagus: A river of Spain and Portugal"),
    ("What is the height of Belem?", "Belem, height: 30 m"),
    ("What is the chief city?", "Chief city: The capital of Portugal"),
    ("What is the router default depth?", "Router default depth: 2"),
    ("How high is Belem?", "Belem, height: 30 m"),
    ("what's entropy", "Entropy: A measure of disorder"),
    ("Could you tell me about entropy, please?", "Entropy: A measure of disorder"),
    ("Do you know how big Lisbon is?", "Lisbon, area: 100 km²"),
    ("can you explain entropy", "Entropy: A measure of disorder"),
]


def test_facts_are_found_on_every_store(place: places.Place):
    with place.open() as mace:
        store(mace)
        told = [(mace.ask(text, "ana"), expected) for text, expected in FOUND]
        for answer, expected in told:
            assert (answer["answer"], codes(answer)) == (expected, []), answer["text"]
            assert answer["confidence"] > 0.8
        assert [mace.replay(answer["job_id"])["result"] for answer, _ in told] == ["MATCH"] * len(told)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("Where is pi?", "world/fact/pi/location"),
        ("Who is entropy", "world/fact/entropy/definition"),
        ("What is the symbol of pi?", "world/fact/pi/symbol"),
        ("What is the population of Lisbon?", "world/fact/lisbon/population"),
        ("What is the area of Upper Lisbon?", "world/fact/upper_lisbon/area"),
        ("What is a florbin?", "world/fact/florbin/definition"),
    ],
)
def test_what_is_not_stored_is_said_and_named(mace: Mace, text: str, key: str):
    answer = mace.ask(text, "ana")
    assert (answer["answer"], codes(answer)) == (None, ["SEM_NOT_FOUND"])
    assert answer["notices"][0]["meta"]["key"] == key
    assert mace.replay(answer["job_id"])["result"] == "MATCH"


def test_names_that_differ_by_a_sign_are_three(mace: Mace):
    for name, value in (("C", "A language by Ritchie"), ("C++", "A language by Stroustrup")):
        mace.sem_put(mace.key("world", "fact", name, "definition"), value, "system_admin")
    told = {
        text: mace.ask(text, "ana")["answer"]
        for text in ("what's C?", "What is C++?", "What is C#?", "what is vitamin C")
    }
    assert told == {
        "what's C?": "C: A language by Ritchie",
        "What is C++?": "C++: A language by Stroustrup",
        "What is C#?": None,
        "what is vitamin C": None,
    }


def test_a_fact_that_was_deleted_is_not_found(mace: Mace):
    mace.sem_delete("world/fact/lisbon/area", source="system_admin")
    answer = mace.ask("What is the area of Lisbon?", "ana")
    assert (answer["answer"], codes(answer)) == (None, ["SEM_NOT_FOUND"])


def test_what_belongs_to_a_person_is_not_looked_at(mace: Mace):
    mace.ask("My favorite tree is oak", "ana")
    mace.sem_add_alias("ana's tree", "user/profile/user_ana/favorite_tree", "system_admin")
    answer = mace.ask("What is ana's tree?", "bo")
    assert answer["answer"] is None
    found = [event for event in mace.events(answer["job_id"]) if "find_knowledge" in str(event["payload"])]
    assert found and "oak" not in str(mace.events(answer["job_id"]))


def test_a_look_up_leaves_the_names_alone(mace: Mace):
    before = len(mace.sem_list("", source="system_admin"))
    mace.ask("What is the area of Lisbon city?", "ana")
    mace.ask("What is Boyle's law?", "ana")
    assert len(mace.sem_list("", source="system_admin")) == before
    assert mace.verify()["ok"]


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("How big and how high is Lisbon?", None),
        (
            "What is the area and the location of Lisbon?",
            "Lisbon, area: 100 km²; Lisbon, location: The mouth of the Tagus.",
        ),
        ("How big is Lisbon, and where is it?", "Lisbon, area: 100 km²; Lisbon, location: The mouth of the Tagus."),
        ("What is entropy? And how high is Belem?", "Entropy: A measure of disorder; Belem, height: 30 m."),
        ("What is the area of Lisbon and of Belem?", None),
    ],
)
def test_the_parts_of_a_question_are_answered_only_together(mace: Mace, text: str, answer: str | None):
    assert mace.ask(text, "ana")["answer"] == answer


def test_a_question_beside_a_statement_is_answered_too(mace: Mace):
    answer = mace.ask("My name is Ben, what's the area of Lisbon?", "ana")
    assert "Lisbon, area: 100 km²" in answer["answer"]
    assert "did not take in" not in answer["answer"]
    assert mace.ask("What is my name?", "ana")["answer"] == "Your name is Ben."
    assert "“what's the area of Oporto”" in mace.ask("My job is baker, what's the area of Oporto?", "ana")["answer"]
