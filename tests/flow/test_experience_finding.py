"""Finding one's way: all rules, and pairs and rules by part of a tag, a page at a time; on every adapter."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import lived
from lived import days_on, write
from mace.core.errors import InvalidInput, WrongType
from mace.engine.runtime import Mace
from places import Place

TAGS = [
    ("tool:shell", "path:deploy.sh"),
    ("tool:shell", "path:backup.sh"),
    ("tool:http_get", "path:https://mirror.example/LIST.csv"),
    ("intent:straße_fegen", "env:local"),
]


@pytest.fixture(params=lived.ADAPTERS)
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    return lived.place_for(request.param, tmp_path, request)


@pytest.fixture
def m(home: Place) -> Iterator[Mace]:
    with lived.opened(home) as mace:
        for space, entity in TAGS:
            for _ in range(2):
                write(mace, "accept", 6, space=space, entity=entity)
                mace.experience.dream()
                mace._parts.world.clock.move(seconds=1)
                write(mace, "accept", 6, space=space, entity=entity, content="another lesson")
                mace.experience.dream()
                mace._parts.world.clock.move(seconds=1)
        write(mace, "refine", 1, space="tool:shell", entity="path:without_a_rule")
        yield mace


def by_hand(m: Mace) -> list[str]:
    """The ids of all rules, as the pairs give them one by one."""
    found: list[str] = []
    for space, entity in sorted(TAGS):
        found += lived.ids(m.experience.query_c(space, entity))
    return found


def test_all_rules_by_pair_and_newest_first(m: Mace):
    found = m.experience.rules()
    assert lived.ids(found) == by_hand(m)
    assert len(found) > len(TAGS)
    assert all(set(rule) == {"id", "space", "entity", "content", "sigma"} and rule["content"] for rule in found)


@pytest.mark.parametrize("limit", [1, 2, 3, 100])
def test_pages_hold_every_rule_once(m: Mace, limit: int):
    found: list[str] = []
    while page := m.experience.rules(limit=limit, after=found[-1] if found else None):
        assert len(page) <= limit
        found += lived.ids(page)
    assert found == by_hand(m)


@pytest.mark.parametrize(
    ("search", "tags"),
    [
        ("shell", TAGS[:2]),
        ("DEPLOY", TAGS[:1]),
        ("list.csv", TAGS[2:3]),
        ("STRASSE", TAGS[3:]),
        (":", TAGS),
        ("nothing like it", []),
    ],
)
def test_by_part_of_a_tag(m: Mace, search: str, tags: list[tuple[str, str]]):
    rules = m.experience.rules(search)
    assert {(rule["space"], rule["entity"]) for rule in rules} == set(tags)
    pairs = [pair for pair in m.experience.pairs(search) if pair["entity"] != "path:without_a_rule"]
    assert {(pair["space"], pair["entity"]) for pair in pairs} == set(tags)
    paged: list[str] = []
    while page := m.experience.rules(search, 1, paged[-1] if paged else None):
        paged += lived.ids(page)
    assert paged == lived.ids(rules)


def test_pairs_come_strongest_first_and_as_many_as_are_wanted(m: Mace):
    everything = m.experience.pairs(now=days_on(3))
    assert [pair["attention"] for pair in everything] == sorted((p["attention"] for p in everything), reverse=True)
    assert m.experience.pairs(now=days_on(3), limit=2) == everything[:2]
    assert m.experience.pairs(None, days_on(3)) == everything


def test_a_rule_that_fell_is_not_listed_and_still_marks_a_page(m: Mace):
    first, second, *_ = m.experience.rules()
    m.experience.retract(first["id"])
    assert first["id"] not in lived.ids(m.experience.rules())
    assert m.experience.rules(after=first["id"])[0]["id"] == second["id"]


def test_listing_does_not_keep_a_rule_fresh(m: Mace):
    (rule, *_) = m.experience.rules("deploy")
    m.experience.rules()
    assert lived.inside(m).store.read(lambda x: x.recalled_us([rule["id"]])) == {}


def test_after_what_is_no_rule(m: Mace):
    episode = m.experience.query_recent(*TAGS[0], 1)[0]["id"]
    for after in ("nobody", "", episode):
        with pytest.raises(InvalidInput, match="after"):
            m.experience.rules(after=after)
    with pytest.raises(WrongType):
        m.experience.rules(limit=True)
