"""Taking a Megram back: by an event, for whoever wrote it and admins; once; and nothing brings it back."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import lived
from lived import ENTITY, NOW, SPACE, days_on, write
from mace.core import canon
from mace.engine.runtime import Mace
from places import Place

LIST = "mace/config/agents/allowed_writes"


@pytest.fixture(params=lived.ADAPTERS)
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    return lived.place_for(request.param, tmp_path, request)


@pytest.fixture
def m(home: Place) -> Iterator[Mace]:
    with lived.opened(home) as mace:
        yield mace
        lived.assert_follows_from_the_ledger(mace)  # whatever a test did
        assert mace.verify()["ok"]


def there(m: Mace) -> list[str]:
    return [row["id"] for row in m.experience.query_recent(SPACE, ENTITY, 99)]


def retractions(m: Mace) -> int:
    return lived.types(m).count("MEGRAM_RETRACTED")


def test_it_no_longer_counts(m: Mace):
    written = [*write(m, "accept", 3, age_days=5), *write(m, "abandon", 2), *write(m, "refine", 4, age_days=1)]
    for number, megram_id in enumerate(written, 1):
        answer = m.experience.retract(megram_id)
        assert answer == {
            "success": True,
            "megram_id": megram_id,
            "was_retracted": False,
            "rules": [],
            "error_code": None,
        }
        assert sorted(there(m)) == sorted(written[number:])
        lived.assert_sums_right(m)
        lived.assert_sums_right(m, days_on(9))
        lived.assert_follows_from_the_ledger(m)
    assert m.experience.query_mk(SPACE, ENTITY) == {"attention": 0.0, "decision": 0.0, "action": "Ignore"}
    assert m.experience.pairs() == []
    assert m.experience.dream(days_on(400))["looked_at"] == 0


def test_twice_is_once(m: Mace):
    first, second = write(m, "accept", 2)
    m.experience.retract(first)
    again = m.experience.retract(first)
    assert (again["success"], again["was_retracted"], retractions(m)) == (True, True, 1)
    assert there(m) == [second]


def test_two_at_the_same_moment_are_one(m: Mace):
    first, second = write(m, "accept", 2)
    seeing = lived.inside(m).seeing_all
    lived.inside(m).seeing_all = lambda look: (seeing(look), m.experience.flush())[0]  # type: ignore[method-assign]
    m.experience.flush()
    catch_up = lived.inside(m).feed.catch_up
    lived.inside(m).feed.catch_up = lambda progress=None: 0  # type: ignore[method-assign]
    m.experience.retract(first)
    m.experience.retract(first)
    lived.inside(m).feed.catch_up = catch_up  # type: ignore[method-assign]
    assert retractions(m) == 2
    assert there(m) == [second]
    lived.assert_sums_right(m)


def test_the_event_says_who_and_leaves_the_words_where_they_are(m: Mace):
    (megram_id,) = write(m, "accept")
    m.experience.retract(megram_id, "solver")
    (event,) = m._parts.world.store.read(lambda tx: tx.events.of_type("MEGRAM_RETRACTED"))
    body = canon.loads(event.body)
    assert body["signed_by"] == "solver"
    assert body["payload"] == {"megram_id": megram_id, "space": SPACE, "entity": ENTITY}
    assert "MEGRAM_WRITTEN" in lived.types(m)


# Who


def test_whoever_wrote_it_and_admins(m: Mace):
    m.sem_put(LIST, ["mine", "yours"], "system_admin")
    mine, also_mine = write(m, "accept", 2, source="agent:mine")
    (solvers,) = write(m, "accept", 1, source="solver")
    (admins,) = write(m, "accept", 1, source="system_admin")
    for megram_id, source in (
        (mine, "agent:yours"),
        (mine, "solver"),
        (solvers, "agent:mine"),
        (admins, "solver"),
        (mine, "agent:unlisted"),
        (mine, "user"),
    ):
        answer = m.experience.retract(megram_id, source)
        may = source not in ("agent:unlisted", "user")  # whoever may retract does not see what others wrote
        assert (answer["success"], answer["error_code"]) == (False, "NOT_FOUND" if may else "PERMISSION_DENIED"), source
    assert retractions(m) == 0
    assert m.experience.retract(mine, "agent:mine")["success"]
    assert m.experience.retract(solvers, "solver")["success"]
    m.sem_put(LIST, ["yours"], "system_admin")
    assert m.experience.retract(also_mine, "agent:mine")["error_code"] == "PERMISSION_DENIED"
    assert m.experience.retract(also_mine, "system_admin")["success"]
    assert there(m) == [admins]


def test_what_was_imported_is_an_admins_to_retract(m: Mace, request: pytest.FixtureRequest, tmp_path: Path):
    with lived.opened(lived.place_for("sqlite", tmp_path / "other", request)) as other:
        (megram_id,) = write(other, "accept")
        lines = list(other.experience.export())
    m.experience.import_lines(lines, "system_admin")
    assert m.experience.retract(megram_id, "solver")["error_code"] == "NOT_FOUND"
    assert m.experience.retract(megram_id)["success"]
    assert there(m) == []


@pytest.mark.parametrize("megram_id", ["", "nobody", "0" * 33])
def test_no_such_megram(m: Mace, megram_id: str):
    assert m.experience.retract(megram_id)["error_code"] == "NOT_FOUND"


# Rules


def test_a_rule_does_not_go_with_its_sources(m: Mace):
    """That would be a change nobody decided; the answer says which rules there are to look at."""
    written = write(m, "accept", 6)
    m.experience.dream()
    (rule,) = m.experience.rules()
    for megram_id in written:
        assert m.experience.retract(megram_id)["rules"] == [rule["id"]]
    (later,) = write(m, "accept", 1)
    assert m.experience.retract(later)["rules"] == []  # nothing was made of it yet
    assert m.experience.rules() == [rule]
    assert m.experience.query_mk(SPACE, ENTITY)["attention"] == 0.0


def test_a_rule_is_retracted_by_an_admin_alone(m: Mace):
    write(m, "accept", 6)
    m.experience.dream()
    (rule,) = m.experience.rules()
    before = m.experience.query_mk(SPACE, ENTITY)
    assert m.experience.retract(rule["id"], "solver")["error_code"] == "NOT_FOUND"
    assert m.experience.retract(rule["id"])["success"]
    assert m.experience.retract(rule["id"])["was_retracted"]
    assert m.experience.rules() == m.experience.query_c(SPACE, ENTITY) == []
    assert m.experience.query_mk(SPACE, ENTITY) == before
    assert m.experience.dream()["promoted"] == []  # its sources are used up
    write(m, "accept", 6)
    assert m.experience.dream()["promoted"][0]["confirms"] == ""  # nor is it confirmed


def test_a_retraction_overtakes_what_the_dreamer_decided_before_it(m: Mace):
    written = write(m, "accept", 6)
    dreamer = lived.inside(m).dreams
    carry_out = dreamer._carry_out

    def late(planned: Any, *arguments: Any) -> Any:
        if not retractions(m):
            m.experience.retract(written[0])
        return carry_out(planned, *arguments)

    dreamer._carry_out = late  # type: ignore[method-assign]
    assert m.experience.dream()["promoted"] == []  # five are not enough
    assert m.experience.rules() == []
    assert len(there(m)) == 5


# Nothing brings it back


def last(m: Mace) -> str:
    return str(next(change for change in m.experience.changes() if not change["rolled_back_by"])["change_id"])


def test_a_roll_back_of_forgetting_brings_back_the_others(m: Mace):
    first, second, third = write(m, "accept", 3)
    m.experience.retract(first)
    m.experience.dream(days_on(90))
    assert there(m) == []
    m.experience.roll_back(last(m))
    assert sorted(there(m)) == sorted([second, third])
    lived.assert_sums_right(m)


def test_what_was_forgotten_between_the_looking_and_the_event_stays_away(m: Mace):
    first, second = write(m, "accept", 2)
    m.experience.flush()

    seeing = lived.inside(m).seeing_all

    def then_forget(look: Any) -> Any:
        found = seeing(look)
        m.experience.dream(days_on(90))
        return found

    lived.inside(m).seeing_all = then_forget  # type: ignore[method-assign]
    assert m.experience.retract(first)["success"]
    del lived.inside(m).seeing_all
    m.experience.roll_back(last(m))
    assert there(m) == [second]
    lived.assert_sums_right(m)


def test_roll_backs_around_a_retracted_rule(m: Mace):
    write(m, "accept", 6)
    m.experience.dream()
    (rule,) = m.experience.rules()
    write(m, "abandon", 9)
    m.experience.dream()  # a constraint, and the practice falls
    assert m.experience.retract(rule["id"])["success"]  # it is retired already
    for _ in range(3):
        m.experience.roll_back(last(m))
        lived.assert_follows_from_the_ledger(m)
        assert rule["id"] not in lived.ids(m.experience.rules())
    assert m.experience.rules() == []
    lived.assert_sums_right(m)


def test_the_roll_back_of_a_promotion_whose_rule_was_retracted(m: Mace):
    write(m, "accept", 6)
    m.experience.dream()
    m.experience.retract(m.experience.rules()[0]["id"])
    m.experience.roll_back(last(m))
    assert m.experience.rules() == []
    write(m, "refine")
    assert len(m.experience.dream()["promoted"]) == 1  # its sources are free again


def test_a_demoted_rules_successor_is_retracted(m: Mace):
    write(m, "accept", 6)
    m.experience.dream()
    write(m, "abandon", 9)
    m.experience.dream()
    (successor,) = [row for row in m.experience.query_recent(SPACE, ENTITY, 99) if row["level"] == "K"]
    assert m.experience.retract(successor["id"], "solver")["error_code"] == "NOT_FOUND"
    assert m.experience.retract(successor["id"])["success"]
    lived.assert_sums_right(m)
    m.experience.roll_back(last(m))
    assert len(m.experience.rules()) == 2
    assert successor["id"] not in there(m)


def test_an_old_file_does_not_bring_it_back(m: Mace):
    first, second = write(m, "accept", 2)
    lines = list(m.experience.export())
    m.experience.retract(first)
    m.experience.dream(days_on(90))
    assert m.experience.import_lines(lines, "system_admin") == {"imported": 1, "already_here": 1, "redacted": 0}
    assert m.experience.import_lines(lines, "system_admin")["imported"] == 0
    assert there(m) == [second]
    assert first.encode() not in b"".join(m.experience.export())


def test_a_pair_that_is_held_stays_held(m: Mace):
    written = write(m, "accept", 8)
    m.experience.dream()
    m.experience.roll_back(last(m))
    m.experience.retract(written[0])
    assert m.experience.dream(NOW)["promoted"] == []
    lived.assert_sums_right(m)


def test_a_store_that_is_built_anew_knows_it(home: Place):
    with lived.opened(home) as m:
        first, *_ = write(m, "accept", 3)
        m.experience.retract(first)
        anew = lived.projected_anew(m)
        assert first not in [row.megram_id for row in anew["megrams"]]
        assert anew == lived.held(m)
