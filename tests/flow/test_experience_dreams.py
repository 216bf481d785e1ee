"""The Dreamer at work, on every adapter: what it changes, what it leaves, and how a change is undone."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import lived
from lived import ENTITY, NOW, SPACE, days_on, write
from mace.core import canon
from mace.core.errors import Conflict, InvalidInput, NotFound
from mace.engine.experience import dreams
from mace.engine.runtime import Mace
from mace.memory.experience import distilling
from places import Place

NEXT = days_on(1).isoformat()
CHANGES = ("promoted", "demoted", "forgotten", "failed")


@pytest.fixture(params=lived.ADAPTERS)
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    return lived.place_for(request.param, tmp_path, request)


@pytest.fixture
def m(home: Place) -> Iterator[Mace]:
    with lived.opened(home) as mace:
        yield mace
        lived.assert_follows_from_the_ledger(mace)  # whatever a test did
        assert mace.verify()["ok"]


def told(report: dict[str, Any]) -> dict[str, int]:
    return {name: len(report[name]) for name in CHANGES if report[name]}


def potentials(m: Mace, now: Any = NOW) -> dict[str, Any]:
    return m.experience.query_mk(SPACE, ENTITY, now)


# Up


@pytest.mark.parametrize(("state", "sigma"), [("accept", 1.0), ("abandon", -1.0)])
def test_a_cluster_is_promoted_once(m: Mace, state: str, sigma: float):
    write(m, state, 6)
    before = potentials(m)
    report = m.experience.dream()
    assert told(report) == {"promoted": 1}
    assert report["promoted"][0]["evidence_hash"]
    assert report["promoted"][0]["why"]
    assert potentials(m) == before  # marked sources still count, the rule does not
    for now in (None, days_on(1), NOW):
        assert told(m.experience.dream(now)) == {}
    write(m, state, 5)
    assert told(m.experience.dream()) == {}
    write(m, state, 1, content="another lesson")
    assert told(m.experience.dream()) == {"promoted": 1}
    rules = m.experience.query_c(SPACE, ENTITY)
    assert [rule["sigma"] for rule in rules] == [sigma] * len(rules)
    assert m.experience.describe()["megrams"] == {"C": len(rules), "M": 12}


def test_promotion_leaves_an_event_that_names_its_evidence(m: Mace):
    written = write(m, "accept", 6)
    (change,) = m.experience.dream()["promoted"]
    rows = m._parts.world.store.read(lambda tx: tx.events.of_type("EXPERIENCE_PROMOTED"))
    payload = rows[0].fields(canon.loads(rows[0].body))["payload"]
    assert payload["change_id"] == change["change_id"]
    assert payload["evidence_hash"] == change["evidence_hash"]
    assert set(payload["sources"]) == set(written)
    assert "lesson" not in str(payload)  # the words are sealed


def test_the_same_lessons_confirm_a_rule_and_do_not_make_a_second_one(m: Mace):
    """Without an engine too: rules do not decay, so copies of one would pile up."""
    for _ in range(4):
        for _ in range(6):
            write(m, "accept", content="run the tests first")
        (change,) = m.experience.dream()["promoted"]
    (rule,) = m.experience.query_c(SPACE, ENTITY)
    assert change["confirms"] == rule["id"]


def test_one_lesson_stays_one_rule_however_its_numbers_change(m: Mace):
    """300 successes that differ in a build number, with a dream after each ten."""
    for number in range(300):
        write(m, "accept", content=f"build {number}: run the tests first, then deploy with rsync")
        if number % 10 == 9:
            m.experience.dream()
    (rule,) = m.experience.query_c(SPACE, ENTITY)
    assert rule["sigma"] == 1.0
    assert m.verify()["ok"]


LESSONS = [
    "use rsync",
    "lock the table",
    "ask the owner",
    "wait for night",
    "keep a copy",
    "warn everybody",
    "read logs",
]


def test_different_lessons_are_different_rules_up_to_a_limit(m: Mace):
    for number, lesson in enumerate(LESSONS, 1):
        write(m, "accept", 6, content=lesson)
        (change,) = m.experience.dream()["promoted"]
        assert bool(change["confirms"]) == (number > distilling.MAX_RULES)
    rules = m.experience.query_c(SPACE, ENTITY)
    assert len(rules) == distilling.MAX_RULES
    assert m.experience.query_c(SPACE, ENTITY, limit=2) == rules[:2]
    with pytest.raises(InvalidInput, match="limit"):
        m.experience.query_c(SPACE, ENTITY, limit=0)


def test_dry_run_says_what_would_be_and_changes_nothing(m: Mace):
    write(m, "accept", 6)
    write(m, "refine", 1, entity="path:fading", age_days=9)
    kept = lived.held(m)
    events = lived.types(m)
    imagined = m.experience.dream(dry_run=True)
    assert lived.held(m) == kept
    assert lived.types(m) == events
    assert told(imagined) == {"promoted": 1, "forgotten": 1}
    assert [change["change_id"] for change in (*imagined["promoted"], *imagined["forgotten"])] == [None, None]
    assert m.experience.dream(dry_run=True) == imagined
    assert all(change["why"] and change["evidence"] for change in (*imagined["promoted"], *imagined["forgotten"]))
    done = m.experience.dream()
    assert told(done) == told(imagined)
    assert done["promoted"][0]["content"] == imagined["promoted"][0]["content"]
    assert done["promoted"][0]["evidence_hash"] == imagined["promoted"][0]["evidence_hash"]


def test_a_dry_run_goes_on_as_far_as_a_dream_does(m: Mace):
    """The new rule's own ground is gone when the old rule's successor counts again."""
    write(m, "accept", 6)
    m.experience.dream()
    write(m, "abandon", 6, content="failure")
    imagined = m.experience.dream(dry_run=True)
    done = m.experience.dream()
    assert told(imagined) == told(done) == {"promoted": 1, "demoted": 2}
    assert [change["why"] for change in imagined["demoted"]] == [change["why"] for change in done["demoted"]]
    assert [change["sigma"] for change in imagined["demoted"]] == [1.0, -1.0]
    assert [bool(change["rule_id"]) for change in imagined["demoted"]] == [True, False]  # the second is not there yet


def test_a_dry_run_sees_what_was_only_just_acknowledged(m: Mace):
    m._parts.experience.close()  # nobody brings anything into the store by itself
    write(m, "accept", 6)
    assert told(m.experience.dream(dry_run=True)) == {"promoted": 1}


def test_a_pass_touches_only_what_changed_or_is_due(m: Mace):
    for number in range(20):
        write(m, "accept", 1, entity=f"path:{number}")
    assert m.experience.dream()["looked_at"] == 20
    assert m.experience.dream()["looked_at"] == 0
    write(m, "accept", 1, entity="path:3")
    assert m.experience.dream(days_on(1))["looked_at"] == 1
    assert m.experience.dream(days_on(40))["looked_at"] == 0  # 0.9 falls below 0.1 after 44 days
    report = m.experience.dream(days_on(44))
    assert told(report) == {"forgotten": 19}
    assert report["looked_at"] == 19  # once each: where nothing is left there is nothing to look at
    assert m.experience.dream(days_on(44))["looked_at"] == 0


# Down


def test_forgetting_takes_m_and_k_and_leaves_rules(m: Mace):
    write(m, "accept", 6)
    write(m, "accept", 1, entity="path:other")
    m.experience.dream()
    report = m.experience.dream(days_on(90))
    assert told(report) == {"forgotten": 2}
    assert potentials(m)["attention"] == 0.0
    assert m.experience.query_recent(SPACE, ENTITY, 99) == []
    assert len(m.experience.query_c(SPACE, ENTITY)) == 1
    assert m.experience.describe()["megrams"] == {"C": 1}
    m._parts.world.clock.move(days=90)
    write(m, "accept", 1, age_days=-90)
    assert potentials(m)["attention"] == pytest.approx(0.9)


def test_a_new_constraint_brings_the_old_practice_down(m: Mace):
    write(m, "accept", 6)
    m.experience.dream()
    write(m, "abandon", 7)
    report = m.experience.dream()
    assert told(report) == {"promoted": 1, "demoted": 1}
    assert [rule["sigma"] for rule in m.experience.query_c(SPACE, ENTITY)] == [-1.0]
    assert m.experience.describe()["megrams"] == {"C": 2, "K": 1, "M": 13}
    lived.assert_sums_right(m)


# Undoing


def last(m: Mace) -> str:
    return str(next(change for change in m.experience.changes() if not change["rolled_back_by"])["change_id"])


def without(rows: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in rows.items() if name not in names}


def test_a_promotion_is_rolled_back(m: Mace):
    write(m, "accept", 6)
    m.experience.dream()
    (rule,) = m.experience.query_c(SPACE, ENTITY)
    answer = m.experience.roll_back(last(m))
    assert answer["rolled_back_by"]
    assert m.experience.query_c(SPACE, ENTITY) == []
    assert told(m.experience.dream()) == {}  # held: nobody wanted it
    assert told(m.experience.dream(days_on(300))) == {}
    with pytest.raises(Conflict):
        m.experience.roll_back(answer["change_id"])
    write(m, "refine")
    assert told(m.experience.dream()) == {"promoted": 1}  # something new: it is looked at again
    assert m.experience.query_c(SPACE, ENTITY)[0]["id"] != rule["id"]


def test_a_demotion_is_rolled_back(m: Mace):
    write(m, "accept", 6)
    m.experience.dream()
    write(m, "abandon", 3)
    before = m.experience.query_c(SPACE, ENTITY)
    sums = potentials(m)
    write(m, "abandon", 6)
    assert told(m.experience.dream()) == {"promoted": 1, "demoted": 1}
    assert m.experience.query_c(SPACE, ENTITY) != before
    m.experience.roll_back(last(m))
    after = m.experience.query_c(SPACE, ENTITY)
    assert before[0] in after
    assert not [row for row in m.experience.query_recent(SPACE, ENTITY, 99) if row["level"] == "K"]
    assert potentials(m)["attention"] == pytest.approx(sums["attention"] + 6 * 0.95)
    lived.assert_sums_right(m)


def elsewhere(request: pytest.FixtureRequest, folder: Path) -> list[bytes]:
    """What another place has lived through with the same pair."""
    with lived.opened(lived.place_for("sqlite", folder / "elsewhere", request)) as m:
        write(m, "success", 8, content="elsewhere")
        m.experience.dream()
        write(m, "refine", 2, content="elsewhere too")
        return list(m.experience.export())


def test_forgetting_is_rolled_back_to_exactly_the_rows(m: Mace, request: pytest.FixtureRequest, tmp_path: Path):
    """With promotions, a demotion, marks, another roll-back and an import before it."""
    write(m, "accept", 6, age_days=3)
    m.experience.dream()
    write(m, "abandon", 9)
    m.experience.dream()
    m.experience.roll_back(last(m))
    write(m, "refine", 2)
    m.experience.dream()
    m.experience.import_lines(elsewhere(request, tmp_path), "system_admin")
    write(m, "change_path", 4, entity="path:beside")
    kept, sums = lived.of_pair(m), potentials(m)
    assert told(m.experience.dream(days_on(200)))["forgotten"] == 2
    assert lived.of_pair(m) == []
    for change in [change for change in m.experience.changes() if change["entity"] == ENTITY and change["at"] > NEXT]:
        m.experience.roll_back(change["change_id"])  # the forgetting, then what fell before it
    assert lived.of_pair(m) == kept
    assert potentials(m)["attention"] == pytest.approx(sums["attention"], abs=1e-9)
    assert potentials(m)["decision"] == pytest.approx(sums["decision"], abs=1e-9)
    lived.assert_sums_right(m)
    assert told(m.experience.dream(days_on(200))) == {}  # held


def test_what_came_after_forgetting_stays_beside_what_comes_back(m: Mace):
    write(m, "accept", 2, content="old")
    m.experience.dream(days_on(90))
    m._parts.world.clock.move(days=90)
    write(m, "success", 2, content="new", age_days=-90)
    m.experience.roll_back(last(m))
    assert [row["content"] for row in m.experience.query_recent(SPACE, ENTITY, 9)][2:] in (
        ["old 0", "old 1"],
        ["old 1", "old 0"],
    )
    assert len(lived.of_pair(m)) == 4
    lived.assert_sums_right(m, days_on(90))


def test_forgetting_and_rolling_back_many_times_stays_quick_and_right(m: Mace):
    """Each roll-back of forgetting reads the past; it must not read the past of every past again."""
    for number in range(30):
        write(m, "accept", 1)
        assert told(m.experience.dream(days_on(400)))["forgotten"] == 1
        assert m.experience.query_recent(SPACE, ENTITY, 1) == []
        m.experience.roll_back(last(m))
        assert len(lived.of_pair(m)) == number + 1


def test_changes_of_a_pair_are_undone_from_the_last_one_on(m: Mace):
    write(m, "accept", 6)
    m.experience.dream()
    first = last(m)
    write(m, "abandon", 7)
    m.experience.dream()  # a constraint, then a demotion
    demotion, constraint = (change["change_id"] for change in m.experience.changes()[:2])
    for early in (first, constraint):
        with pytest.raises(Conflict, match=demotion):
            m.experience.roll_back(early)
    for change in (demotion, constraint, first):
        m.experience.roll_back(change)
    assert m.experience.query_c(SPACE, ENTITY) == []
    assert all(change["rolled_back_by"] for change in m.experience.changes())
    lived.assert_sums_right(m)


@pytest.mark.parametrize("change_id", ["", "0" * 32, "nobody"])
def test_no_such_change(m: Mace, change_id: str):
    for verb in (m.experience.roll_back, m.experience.change):
        with pytest.raises(NotFound):
            verb(change_id)


def test_forgotten_ones_that_were_imported_again_do_not_hinder_a_roll_back(m: Mace):
    write(m, "accept", 3)
    lines = list(m.experience.export())
    m.experience.dream(days_on(90))
    assert m.experience.import_lines(lines, "system_admin")["imported"] == 3
    m.experience.roll_back(last(m))
    assert len(lived.of_pair(m)) == 3
    write(m, "accept", 1)
    lived.assert_sums_right(m)


# The projection


def test_a_change_that_was_overtaken_does_nothing(m: Mace):
    """Something new came between the looking and the event: the event is on the ledger and means nothing."""
    write(m, "accept", 6)
    dreamer = lived.inside(m).dreams
    carry_out = dreamer._carry_out

    def late(planned: Any, *arguments: Any) -> Any:
        if not overtaken:
            overtaken.append(write(m, "abandon", 6))
        return carry_out(planned, *arguments)

    overtaken: list[Any] = []
    dreamer._carry_out = late  # type: ignore[method-assign]
    report = m.experience.dream()
    assert told(report) == {}  # 5.4 and 5.7 speak against one another
    assert lived.types(m).count("EXPERIENCE_PROMOTED") == 1
    assert m.experience.query_c(SPACE, ENTITY) == []
    assert len(lived.of_pair(m)) == 12


def test_catching_up_from_nothing_gives_the_same_and_revives_nobody(m: Mace):
    write(m, "accept", 6)
    m.experience.dream()
    write(m, "abandon", 7)
    write(m, "refine", 3, entity="path:gone")
    m.experience.dream()
    m.experience.dream(days_on(200))
    m.experience.import_lines(list(m.experience.export()), "system_admin")
    m.experience.roll_back(last(m))
    revived = next(change["entity"] for change in m.experience.changes() if change["rolled_back_by"])
    anew = lived.projected_anew(m)
    assert anew == lived.held(m)
    assert {row.entity for row in anew["megrams"] if row.level != "C"} == {revived}


def test_a_rule_that_the_live_decision_contradicts_at_once_does_not_go_round_in_circles(m: Mace):
    """Old bad experience outweighs six new good ones: up, and down again, and then there is rest."""
    write(m, "abandon", 20)
    m.experience.dream()
    write(m, "accept", 6)
    report = m.experience.dream()
    assert told(report) == {"promoted": 1, "demoted": 1}
    assert told(m.experience.dream()) == {}
    assert [rule["sigma"] for rule in m.experience.query_c(SPACE, ENTITY)] == [-1.0]


@pytest.mark.breaks_its_store
def test_one_pair_whose_words_are_damaged_does_not_keep_the_dreamer_from_the_others(
    request: pytest.FixtureRequest, tmp_path: Path
):
    home = lived.place_for("sqlite", tmp_path / "damaged", request)
    with lived.opened(home) as m:
        write(m, "accept", 6, entity="path:damaged", job_seed="damaged")
        write(m, "accept", 6, entity="path:whole")
        ref = lived.of_pair(m, entity="path:damaged")[0].key_refs[0]
    with home.sql() as sql:
        sql("delete from vault_keys where ref = ?", (ref,))
    with lived.opened(home) as m:
        report = m.experience.dream()
        assert [change["entity"] for change in report["promoted"]] == ["path:whole"]
        assert [failure["entity"] for failure in report["failed"]] == ["path:damaged"]
        assert m.experience.query_mk(SPACE, "path:damaged")["attention"] == pytest.approx(5.4)


def test_a_thousand_that_fail_do_not_hide_the_others(request: pytest.FixtureRequest, tmp_path: Path):
    """More clusters wait for words than a pass looks at in one step; what lies behind them is still reached."""
    home = lived.place_for("sqlite", tmp_path / "many", request)
    with lived.opened(home) as m:
        for number in range(25):
            write(m, "accept", 6, entity=f"path:{number}")
        write(m, "refine", 1, entity="path:fading", age_days=9)
        lived.inside(m).dreams._distil = lambda *_: "no words today"  # type: ignore[method-assign]
        step, dreams._STEP = dreams._STEP, 4
        try:
            report = m.experience.dream()
        finally:
            dreams._STEP = step
        assert told(report) == {"failed": 25, "forgotten": 1}
        del lived.inside(m).dreams._distil
        assert told(m.experience.dream()) == {"promoted": 25}


def test_an_event_that_does_not_count_is_not_written_again_and_again(request: pytest.FixtureRequest, tmp_path: Path):
    """If its own event teaches nothing (it was damaged on the way, say), the Dreamer gives up for this time."""
    with lived.opened(lived.place_for("sqlite", tmp_path / "deaf", request)) as m:
        write(m, "accept", 6)
        m.experience.flush()
        lived.inside(m).feed.is_good = lambda _: False  # type: ignore[method-assign]
        assert told(m.experience.dream()) == {}
        assert lived.types(m).count("EXPERIENCE_PROMOTED") == 1
