"""Who writes experience beside the solver and an admin: agents that are listed, under their own name; and when."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import governed
import lived
from lived import ENTITY, NOW, SPACE
from mace.core import canon
from mace.engine.runtime import Mace
from places import Place

GOOD: dict[str, Any] = {"space": SPACE, "entity": ENTITY, "content": "it worked", "state": "accept"}
LIST = "mace/config/agents/allowed_writes"


@pytest.fixture(params=lived.ADAPTERS)
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    return lived.place_for(request.param, tmp_path, request)


@pytest.fixture
def m(home: Place) -> Iterator[Mace]:
    with lived.opened(home) as mace:
        yield mace


def listed(m: Mace, *agents: str) -> None:
    assert m.sem_put(LIST, list(agents), "system_admin")["success"]


def events(m: Mace, event_type: str) -> list[dict[str, Any]]:
    found = m._parts.world.store.read(lambda tx: tx.events.of_type(event_type))
    return [canon.loads(event.body) for event in found]


def test_a_listed_agent_writes_under_its_own_name(m: Mace):
    assert m.experience.write(GOOD, "agent:mine")["error_code"] == "PERMISSION_DENIED"
    listed(m, "mine")
    answer = m.experience.write(GOOD, "agent:mine")
    assert answer["success"], answer
    (event,) = events(m, "MEGRAM_WRITTEN")
    assert event["signed_by"] == "agent:mine"
    assert m.experience.query_mk(SPACE, ENTITY)["action"] == "Exploit"
    lived.assert_follows_from_the_ledger(m)
    assert m.verify()["ok"]


def test_the_list_is_asked_with_each_write(m: Mace):
    listed(m, "mine", "agent:other")
    assert m.experience.write(GOOD, "agent:mine")["success"]
    assert m.experience.write(GOOD, "agent:other")["success"]
    listed(m, "other")
    assert m.experience.write(GOOD, "agent:mine")["error_code"] == "PERMISSION_DENIED"
    assert m.experience.write(GOOD, "agent:other")["success"]
    assert m.sem_delete(LIST, "system_admin")["success"]
    assert m.experience.write(GOOD, "agent:other")["error_code"] == "PERMISSION_DENIED"
    assert len(m.experience.query_recent(SPACE, ENTITY, 9)) == 3


@pytest.mark.parametrize("source", ["mine", "agent:", "agent:a b", "agent:" + "x" * 65, "Agent:mine", "agent:mine "])
def test_only_the_name_that_is_listed_will_do(m: Mace, source: str):
    listed(m, "mine", "", "a b", "x" * 65, "mine ")
    assert m.experience.write(GOOD, source)["error_code"] == "PERMISSION_DENIED"


def test_a_listed_agent_gives_feedback(m: Mace):
    listed(m, "mine")
    lived.write(m, "accept", 6, source="agent:mine")
    m.experience.dream()
    (rule,) = m.experience.rules()
    assert m.experience.record_negative_feedback(rule["id"], "no longer", "agent:mine")["success"]
    assert m.experience.record_negative_feedback(rule["id"], "no longer", "agent:yours")["error_code"] == (
        "PERMISSION_DENIED"
    )


def test_what_is_personal_needs_consent_from_a_listed_agent_too(m: Mace):
    listed(m, "mine")
    answer = m.experience.write({**GOOD, "content": "mail canary.bird.77@gmail.com"}, "agent:mine", user_id="bob")
    assert answer["error_code"] == "PRIVACY_BLOCKED"


def test_a_module_that_broke_the_policy_writes_no_experience(tmp_path: Path):
    house = governed.House(tmp_path)
    listed(house.m, "rogue", "tame")
    assert house.m.experience.write(GOOD, "agent:rogue")["success"]
    assert house.m.sem_delete(LIST, "agent:rogue")["error_code"] == "PERMISSION_DENIED"
    assert next(module for module in house.m.modules.list() if module["module_id"] == "rogue")["writes_blocked"]
    assert house.m.experience.write(GOOD, "agent:rogue")["error_code"] == "PERMISSION_DENIED"
    assert house.m.experience.write(GOOD, "agent:tame")["success"]
    house.close()


# When


@pytest.mark.parametrize(
    ("ahead_s", "taken"), [(-1e9, True), (0, True), (300, True), (300.000001, False), (1e6, False)]
)
def test_a_megram_is_dated_at_most_300_seconds_ahead(m: Mace, ahead_s: float, taken: bool):
    at = (NOW + timedelta(seconds=ahead_s)).isoformat()
    answer = m.experience.write({**GOOD, "created_at": at}, "solver")
    assert answer["success"] == taken
    assert answer["error_code"] == (None if taken else "INVALID_INPUT")
    if not taken:
        assert "300 seconds" in answer["error"]["developer_message"]
    assert len(m.experience.query_recent(SPACE, ENTITY, 9)) == taken


def test_an_import_takes_history_as_it_is(m: Mace, request: pytest.FixtureRequest, tmp_path: Path):
    """A file from a place whose clock ran ahead, or which was written before there was a limit."""
    place = lived.place_for("sqlite", tmp_path / "ahead", request)
    with lived.opened(place) as other:
        other._parts.world.clock.move(days=400)
        lived.write(other, "accept", 2, age_days=-400)
        lines = list(other.experience.export())
    assert m.experience.import_lines(lines, "system_admin")["imported"] == 2
    assert list(m.experience.export()) == lines
