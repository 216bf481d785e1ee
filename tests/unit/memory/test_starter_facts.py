"""The packaged world facts: each may be stored, none is personal, and questions about them are answered."""

import json
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import pytest

import places
from mace.core import canon
from mace.engine.runtime import Mace
from mace.governance.detectors import LOW, detect_json
from mace.memory import aliases
from mace.memory.keys import generate_canonical_key, parse_key

_PACKAGE = files("mace.memory")
LINES = _PACKAGE.joinpath("starter_facts.jsonl").read_text("utf-8").splitlines()
FACTS: list[dict[str, Any]] = [json.loads(line) for line in LINES]
BY_KEY = {fact["key"]: fact["value"] for fact in FACTS}


@pytest.fixture
def mace(mace_home: places.SqlitePlace) -> Iterator[Mace]:
    with mace_home.open() as opened:
        yield opened


def test_there_are_enough_and_none_twice():
    assert len(BY_KEY) == len(FACTS) >= 150
    assert len({fact["value"] for fact in FACTS}) == len(FACTS)


@pytest.mark.parametrize("fact", FACTS, ids=[fact["key"] for fact in FACTS])
def test_each_fact_is_short_plain_and_nobodys(fact: dict[str, Any]):
    assert set(fact) <= {"key", "value", "notes"}
    key = parse_key(fact["key"])
    assert (key.scope, key.entity_type, key.attribute) == ("world", "fact", "definition")
    # A question is turned into a key by its words: the words of the key must lead back to it.
    words = key.entity_id.replace("_", " ")
    assert generate_canonical_key("world", "fact", words, "definition") == fact["key"]
    assert isinstance(fact["value"], str)
    assert fact["value"].endswith(".")
    assert len(canon.dumps([fact["value"]])) <= 300
    assert len(fact.get("notes", "")) <= 512
    found = detect_json(fact["value"], key.attribute) + detect_json(fact.get("notes", ""), "notes")
    assert [item.finding for item in found if item.finding.sensitivity != LOW] == []


def test_every_packaged_alias_of_the_world_has_its_fact():
    packaged = aliases.load(_PACKAGE.joinpath("sem_synonyms.json").read_text("utf-8"))
    wanted = {target.key for target in packaged.values() if target.key.startswith("world/")}
    assert wanted
    assert wanted <= set(BY_KEY)


@pytest.mark.parametrize(
    ("question", "slug"),
    [
        ("What is Ohm's law?", "ohms_law"),
        ("What is Ohm’s law?", "ohms_law"),
        ("what is ohms law", "ohms_law"),
        ("Define Ohm's law", "ohms_law"),
        ("What is pi?", "pi"),
        ("What is the value of pi?", "pi"),
        ("What is the speed of light?", "speed_of_light"),
        ("Define light speed", "speed_of_light"),
        ("What is the gravitational constant?", "gravitational_constant"),
        ("What is Planck's constant?", "planck_constant"),
        ("What is Avogadro's number?", "avogadro_constant"),
        ("What is Newton's first law?", "newtons_first_law"),
        ("What is the law of inertia?", "newtons_first_law"),
        ("What is Newton's second law?", "newtons_second_law"),
        ("What is Newton's third law?", "newtons_third_law"),
        ("What is entropy?", "entropy"),
        ("What is the Pythagorean theorem?", "pythagorean_theorem"),
        ("Explain what photosynthesis is", "photosynthesis"),
        ("What is a black hole?", "black_hole"),
        ("What is the capital of France?", "capital_of_france"),
        ("What is Bayes' theorem?", "bayes_theorem"),
        ("What is the meaning of linearizability?", "linearizability"),
        ("Define DNA", "dna"),
        ("What is the Doppler effect?", "doppler_effect"),
        ("What is Mount Everest?", "mount_everest"),
    ],
)
def test_questions_are_answered_from_them(mace: Mace, question: str, slug: str):
    assert mace.ask(question)["error"] is not None  # nobody has told it yet
    mace.load_starter_facts()
    answer = mace.ask(question)
    assert answer["answer"] == BY_KEY[f"world/fact/{slug}/definition"]
    assert answer["agent_id"] == "knowledge_agent"
    assert answer["error"] is None
    assert mace.replay(answer["job_id"])["result"] == "MATCH"


def test_loading_them_twice_is_loading_them_once(mace: Mace):
    assert mace.load_starter_facts() == {"imported": len(FACTS), "unchanged": 0, "refused": []}
    size = mace.describe()["events"]
    assert mace.load_starter_facts() == {"imported": 0, "unchanged": len(FACTS), "refused": []}
    assert mace.describe()["events"] == size
    assert mace.verify()["ok"]
