"""The verbs of experience, whole, on every adapter: writing, asking, feedback, permission."""

import math
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import lived
from lived import ENTITY, NOW, SPACE, days_ago, days_on, write
from mace.core.errors import InvalidInput, PermissionDenied
from mace.engine.runtime import Mace
from mace.memory.experience.megrams import MATRIX
from mace.providers.frozen import FrozenClock
from places import Place


@pytest.fixture(params=lived.ADAPTERS)
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    return lived.place_for(request.param, tmp_path, request)


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(NOW)


@pytest.fixture
def m(home: Place, clock: FrozenClock) -> Iterator[Mace]:
    with lived.opened(home, clock) as mace:
        yield mace


GOOD: dict[str, Any] = {"space": SPACE, "entity": ENTITY, "content": "it worked", "state": "accept"}


def test_what_was_written_is_seen_at_once_and_sums_are_plain_sums(m: Mace):
    for days, state in enumerate((*MATRIX, *MATRIX)):
        write(m, state, 2, age_days=days * 1.7)
        lived.assert_sums_right(m)
    for later in (0.5, 30, 4000):
        lived.assert_sums_right(m, days_on(later))
    lived.assert_sums_right(m, days_on(-3))
    lived.assert_follows_from_the_ledger(m)
    assert len(m.experience.query_recent(SPACE, ENTITY, 1000)) == 28


def test_the_answer_names_the_megram(m: Mace):
    answer = m.experience.write(GOOD, "solver")
    (found,) = m.experience.query_recent(SPACE, ENTITY, 5)
    assert answer == {"success": True, "megram_id": found["id"], "error_code": None}
    assert found == {
        "id": answer["megram_id"],
        "level": "M",
        "created_at": "2026-03-01T12:00:00.000000Z",
        "last_recalled_at": None,
        "space": SPACE,
        "entity": ENTITY,
        "content": "it worked",
        "state": "accept",
        "f": 0.9,
        "sigma": 1.0,
        "k": 0.05,
        "weight": 0.9,
    }


def test_recent_ones_come_newest_first_with_what_is_left_of_them(m: Mace):
    for days in (3, 0, 9, 1):
        write(m, "success", content=f"{days} days ago", age_days=days)
    found = m.experience.query_recent(SPACE, ENTITY, 3)
    assert [row["content"] for row in found] == ["0 days ago 0", "1 days ago 0", "3 days ago 0"]
    assert [row["weight"] for row in found] == pytest.approx([0.8 * math.exp(-0.05 * days) for days in (0, 1, 3)])
    later = m.experience.query_recent(SPACE, ENTITY, 10, days_on(10))
    attention = m.experience.query_mk(SPACE, ENTITY, days_on(10))["attention"]
    assert math.fsum(row["weight"] for row in later) == pytest.approx(attention, abs=1e-9)
    assert m.experience.query_recent(SPACE, ENTITY, 0) == []
    assert m.experience.query_recent(SPACE, "path:other", 3) == []


def test_time_does_not_run_before_the_newest(m: Mace, clock: FrozenClock):
    """One that lies behind the instant asked for counts whole, and the others as old as they are beside it."""
    write(m, "accept")
    clock.move(days=20)
    write(m, "accept", age_days=-20)
    asked = m.experience.query_mk(SPACE, ENTITY, NOW)
    assert asked["attention"] == pytest.approx(0.9 + 0.9 * math.exp(-1.0))
    assert math.fsum(row["weight"] for row in m.experience.query_recent(SPACE, ENTITY, 9, NOW)) == pytest.approx(
        asked["attention"]
    )


def test_pairs_do_not_mix(m: Mace):
    """The separator inside a tag, escapes, prefixes of one another."""
    tags = [("a:b", "c"), ("a", "b:c"), ("a%3Ab", "c"), ("a:b", "c:"), ("a:b:c", " "), ("a:b", "c\u00e9"), ("a:b", "C")]
    pairs = [(space, entity) for space, entity in tags if entity.strip()]
    for number, (space, entity) in enumerate(pairs, 1):
        write(m, "accept", number, space=space, entity=entity)
    for number, (space, entity) in enumerate(pairs, 1):
        assert m.experience.query_mk(space, entity)["attention"] == pytest.approx(0.9 * number)
        assert len(m.experience.query_recent(space, entity, 99)) == number
    assert [pair["megrams"] for pair in m.experience.pairs()] == list(range(len(pairs), 0, -1))


@pytest.mark.parametrize(
    ("state", "times", "action"),
    [("refine", 4, "Ignore"), ("accept", 1, "Exploit"), ("abandon", 1, "Avoid"), ("change_path", 2, "Caution")],
)
def test_what_it_advises(m: Mace, state: str, times: int, action: str):
    write(m, state, times)
    assert m.experience.query_mk(SPACE, ENTITY)["action"] == action


def test_nothing_known_is_to_be_ignored(m: Mace):
    assert m.experience.query_mk(SPACE, ENTITY) == {"attention": 0.0, "decision": 0.0, "action": "Ignore"}
    assert m.experience.query_c(SPACE, ENTITY) == []


# Rules and feedback


def promoted(m: Mace, state: str = "accept") -> str:
    write(m, state, 6)
    (change,) = m.experience.dream()["promoted"]
    (rule,) = m.experience.query_c(SPACE, ENTITY)
    assert rule["sigma"] == change["sigma"]
    return str(rule["id"])


def test_a_rule_has_the_five_fields_of_the_text(m: Mace):
    rule_id = promoted(m)
    (rule,) = m.experience.query_c(SPACE, ENTITY)
    words = rule.pop("content")
    assert rule == {"id": rule_id, "space": SPACE, "entity": ENTITY, "sigma": 1.0}
    head, _, extracted = words.partition(": (1) lesson ")
    assert head == f"Best practice for {SPACE} / {ENTITY}"
    assert [extracted.count(f"; ({number}) lesson ") for number in (2, 3, 4)] == [1, 1, 0]


@pytest.mark.parametrize(("state", "sigma"), [("accept", -1.0), ("abandon", 1.0)])
def test_feedback_speaks_against_the_rule_in_its_own_pair(m: Mace, state: str, sigma: float):
    rule_id = promoted(m, state)
    answer = m.experience.record_negative_feedback(rule_id, "it was wrong")
    assert answer["success"]
    found = next(row for row in m.experience.query_recent(SPACE, ENTITY, 99) if row["id"] == answer["megram_id"])
    assert (found["level"], found["f"], found["sigma"], found["k"]) == ("M", 0.95, sigma, 0.05)
    assert (found["state"], found["content"]) == ("negative_feedback", "it was wrong")
    lived.assert_sums_right(m)


@pytest.mark.parametrize("rule_id", ["", "nobody", "0" * 33, None, 5, "é", "x" * 65])
def test_feedback_on_no_rule_is_told(m: Mace, rule_id: Any):
    answer = m.experience.record_negative_feedback(rule_id, "it was wrong")
    assert not answer["success"]
    assert answer["error_code"] in ("NOT_FOUND", "INVALID_INPUT")
    assert m.experience.describe()["megrams"] == {}


def test_feedback_on_what_is_no_rule_is_refused(m: Mace):
    (megram_id,) = write(m)
    assert m.experience.record_negative_feedback(megram_id, "no")["error_code"] == "NOT_FOUND"


def test_enough_feedback_brings_a_rule_down_and_recall_keeps_its_successor_young(m: Mace, clock: FrozenClock):
    rule_id = promoted(m)
    made = clock.now()
    clock.move(days=30)
    recalled = clock.now()
    m.experience.query_c(SPACE, ENTITY)
    clock.move(days=10)
    for _ in range(3):  # six accepts have faded to 0.73
        m.experience.record_negative_feedback(rule_id, "wrong")
    (change,) = m.experience.dream()["demoted"]
    assert change["rule_id"] == rule_id
    assert m.experience.query_c(SPACE, ENTITY) == []
    (successor,) = [row for row in m.experience.query_recent(SPACE, ENTITY, 99) if row["level"] == "K"]
    assert successor["created_at"][:19] == recalled.isoformat()[:19] != made.isoformat()[:19]
    assert (successor["f"], successor["sigma"], successor["k"]) == (1.0, 1.0, 0.05)
    assert successor["content"].startswith("Best practice for")
    assert successor["weight"] == pytest.approx(math.exp(-0.5))
    lived.assert_sums_right(m, clock.now())
    lived.assert_follows_from_the_ledger(m)


def test_without_a_recall_the_successor_is_as_old_as_the_rule(m: Mace, clock: FrozenClock):
    write(m, "accept", 6)
    (change,) = m.experience.dream()["promoted"]
    clock.move(days=40)
    for _ in range(3):
        write(m, "abandon", age_days=-40)
    assert len(m.experience.dream()["demoted"]) == 1
    (successor,) = [row for row in m.experience.query_recent(SPACE, ENTITY, 99) if row["level"] == "K"]
    assert successor["created_at"] == "2026-03-01T12:00:00.000000Z"
    assert change["kind"] == "promotion"


def test_a_recall_never_moves_backwards(m: Mace):
    rule_id = promoted(m)
    m.experience.query_c(SPACE, ENTITY, days_on(5))
    m.experience.query_c(SPACE, ENTITY, days_on(2))
    recalled = lived.inside(m).store.read(lambda x: x.recalled_us([rule_id]))
    assert recalled == {rule_id: int((NOW + timedelta(days=5)).timestamp() * 1_000_000)}


# Refusals


@pytest.mark.parametrize(
    "source", ["agent:planner", "planner", "user", "system", "executor", "Solver", "", 5, ["solver"], "solver "]
)
def test_only_the_solver_and_an_admin_write(m: Mace, source: Any):
    before = lived.types(m)
    answer = m.experience.write(GOOD, source)
    assert (answer["success"], answer["error_code"]) == (False, "PERMISSION_DENIED")
    assert answer["error"]["status"] == 403
    assert answer["error"]["error_code"] == "PERMISSION_DENIED"
    assert answer["user_message"]
    added = lived.types(m)[len(before) :]
    assert "PERMISSION_DENIED" in added
    assert "MEGRAM_WRITTEN" not in added
    assert m.experience.query_recent(SPACE, ENTITY, 9) == []


def test_the_owner_says_as_what_it_writes(m: Mace):
    with pytest.raises(InvalidInput, match="source is required"):
        m.experience.write(GOOD)


@pytest.mark.parametrize("source", ["solver", "system_admin"])
def test_they_do(m: Mace, source: str):
    assert m.experience.write(GOOD, source)["success"]


def test_others_give_no_feedback_either(m: Mace):
    rule_id = promoted(m)
    answer = m.experience.record_negative_feedback(rule_id, "no", "agent:planner")
    assert answer["error_code"] == "PERMISSION_DENIED"
    assert len(m.experience.query_recent(SPACE, ENTITY, 99)) == 6


def test_only_an_admin_undoes_and_imports(m: Mace):
    with pytest.raises(PermissionDenied):
        m.experience.roll_back("0" * 32, "solver")
    with pytest.raises(PermissionDenied):
        m.experience.import_lines([], "solver")


@pytest.mark.parametrize("change", [{"state": "ready"}, {"f": 1}, {"space": ""}, {"created_at": "soon"}])
def test_a_megram_that_is_not_in_order_is_answered_not_raised(m: Mace, change: dict[str, Any]):
    answer = m.experience.write({**GOOD, **change}, "solver")
    assert (answer["success"], answer["error_code"]) == (False, "INVALID_INPUT")
    assert "MEGRAM_WRITTEN" not in lived.types(m)


@pytest.mark.parametrize("n", [-1, 1001, 1.0, True, "3", None])
def test_how_many_is_a_number(m: Mace, n: Any):
    with pytest.raises(InvalidInput):
        m.experience.query_recent(SPACE, ENTITY, n)


@pytest.mark.parametrize("now", ["soon", "2026-03-01T00:00:00", 5])
def test_an_instant_is_an_instant(m: Mace, now: Any):
    for verb in (m.experience.query_mk, m.experience.query_c):
        with pytest.raises(InvalidInput):
            verb(SPACE, ENTITY, now)
    with pytest.raises(InvalidInput):
        m.experience.dream(now)


# Several at once, and again


def test_a_seed_of_ones_own_gives_one_megram_per_write(m: Mace):
    written = [*write(m, times=3, job_seed="job"), *write(m, times=2, job_seed="another")]
    assert len(set(written)) == 5
    assert len(m.experience.query_recent(SPACE, ENTITY, 9)) == 5


def test_the_same_seed_elsewhere_gives_another_megram(m: Mace, tmp_path: Path, request: pytest.FixtureRequest):
    """Both may be imported into one place, where each counts."""
    (first,) = write(m, job_seed="job")
    other = lived.place_for("sqlite", tmp_path / "other", request)
    with lived.opened(other) as elsewhere:
        (second,) = write(elsewhere, job_seed="job")
        elsewhere.experience.import_lines(list(m.experience.export()), "system_admin")
        assert first != second
        assert {row["id"] for row in elsewhere.experience.query_recent(SPACE, ENTITY, 9)} == {first, second}


def test_another_opening_sees_everything(home: Place):
    with lived.opened(home) as m:
        write(m, "accept", 3, age_days=1)
    with lived.opened(home) as m:
        lived.assert_sums_right(m)
        assert len(m.experience.query_recent(SPACE, ENTITY, 9)) == 3
        assert m.experience.flush() == 0
        assert not m.experience.describe()["behind"]


def test_days_before_the_clock_are_taken_as_they_are(m: Mace):
    answer = m.experience.write({**GOOD, "created_at": days_ago(9000)}, "solver")
    assert answer["success"]
    assert m.experience.query_mk(SPACE, ENTITY)["attention"] < 1e-9
    assert len(m.experience.query_recent(SPACE, ENTITY, 1)) == 1


@pytest.mark.breaks_its_store
def test_an_event_that_was_tampered_with_teaches_nothing(request: pytest.FixtureRequest, tmp_path: Path):
    home = lived.place_for("sqlite", tmp_path, request)
    with lived.opened(home) as m:
        lived.inside(m).chosen.stop()  # nobody brings it in before
        write(m, "accept", 3)
        with home.sql() as sql:
            (position, body), *_ = sql("select position, body from events where event_type = 'MEGRAM_WRITTEN'")
            forged = body.replace(b'"sigma":1', b'"sigma":-1')
            assert forged != body
            sql("update events set body = ? where position = ?", (forged, position))
        assert m.experience.query_mk(SPACE, ENTITY) == {"attention": 1.8, "decision": 1.8, "action": "Exploit"}
        assert not m.verify()["ok"]
