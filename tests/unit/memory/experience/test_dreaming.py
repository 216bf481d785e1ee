"""What the Dreamer decides about a pair, as tables; and that it is never told to look too late."""

import math

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mace.memory.experience.dreaming import NEVER_US, Rule, Verdict, next_look, verdicts
from mace.memory.experience.megrams import DAY_US, MATRIX
from mace.memory.experience.pairs import Pair

NOW = 20_000 * DAY_US
Row = tuple[float, float, float, int]


def a_pair(*rows: Row, marked: tuple[Row, ...] = (), rules: tuple[Rule, ...] = ()) -> Pair:
    pair = Pair("s", "e")
    for row in marked:
        pair.count_in(*row, marked=True)
    for row in rows:
        pair.count_in(*row)
    for rule in rules:
        if rule.sigma > 0:
            pair.rules_for += 1
        else:
            pair.rules_against += 1
    return pair


def kinds(found: list[Verdict]) -> list[str]:
    return [verdict.kind for verdict in found]


def of(state: str, times: int, age_days: float = 0.0) -> list[Row]:
    return [(*MATRIX[state], NOW - int(age_days * DAY_US))] * times


FOR, AGAINST = Rule("for", 1.0, NOW - 90 * DAY_US), Rule("against", -1.0, NOW - 90 * DAY_US)


# Up


@pytest.mark.parametrize(
    ("rows", "state"),
    [
        (of("accept", 5), None),  # 4.5
        (of("accept", 6), "best_practice"),
        (of("abandon", 5), None),  # 4.75
        (of("abandon", 6), "constraint"),
        (of("change_approach", 6), "constraint"),
        (of("change_path", 100), None),  # attention 30, no direction
        (of("refine", 100), "best_practice"),  # 10 and 5
        (of("refine", 55), None),  # 5.5 and 2.75
        ([*of("accept", 5), *of("abandon", 2)], None),  # 6.4 and 2.6
        ([*of("accept", 6), *of("abandon", 2)], "best_practice"),  # 7.3 and 3.5
        (of("accept", 6, age_days=4), None),  # decayed below
        (of("success", 8, age_days=4), "best_practice"),  # 6.4 * 0.8187 = 5.24
        (of("success", 6, age_days=4), None),
        ([(1.0, 1.0, 0.05, NOW)] * 5, "best_practice"),  # just 5
        ([(1.0, 1.0, 0.05, NOW)] * 4 + [(1.0, -1.0, 0.05, NOW)], "best_practice"),  # just 5 and 3
        ([(1.0, -1.0, 0.05, NOW)] * 4 + [(1.0, 1.0, 0.05, NOW)], "constraint"),
        ([(1.0, 1.0, 0.05, NOW)] * 4 + [(1.0 - 4e-10, 1.0, 0.05, NOW)], "best_practice"),  # 5 after rounding
        ([(1.0, 1.0, 0.05, NOW)] * 4 + [(1.0 - 6e-10, 1.0, 0.05, NOW)], None),
        (
            [(1.0, 1.0, 0.05, NOW)] * 3 + [(2.0, 0.0, 0.05, NOW), (4e-10, -1.0, 0.05, NOW)],
            "best_practice",
        ),  # 3, rounded
        ([(1.0, 1.0, 0.05, NOW)] * 3 + [(2.0, 0.0, 0.05, NOW), (6e-10, -1.0, 0.05, NOW)], None),
    ],
)
def test_promotion(rows: list[Row], state: str | None):
    found = verdicts(a_pair(*rows), [], NOW)
    assert [verdict.state for verdict in found] == ([state] if state else [])
    if found:
        assert found[0].kind == "promotion"
        assert found[0].sigma == (1.0 if state == "best_practice" else -1.0)
        assert found[0].attention == pytest.approx(
            math.fsum(row[0] * math.exp(-row[2] * (NOW - row[3]) / DAY_US) for row in rows)
        )


def test_what_was_made_into_a_rule_is_not_made_into_one_again():
    sources = tuple(of("accept", 50))
    assert verdicts(a_pair(marked=sources, rules=(FOR,)), [FOR], NOW) == []
    assert verdicts(a_pair(*of("accept", 5), marked=sources, rules=(FOR,)), [FOR], NOW) == []
    again = verdicts(a_pair(*of("accept", 6), marked=sources, rules=(FOR,)), [FOR], NOW)
    assert kinds(again) == ["promotion"]
    assert again[0].attention == pytest.approx(5.4)  # of the new ones alone


# Down


@pytest.mark.parametrize(
    ("rows", "rules", "fall"),
    [
        (of("abandon", 1), [FOR], ["for"]),
        (of("accept", 1), [FOR], []),
        (of("accept", 1), [AGAINST], ["against"]),
        (of("abandon", 1), [AGAINST], []),
        (of("change_path", 1), [FOR, AGAINST], []),  # no direction contradicts nobody
        ([(0.9, 1.0, 0.05, NOW), (0.9, -1.0, 0.05, NOW)], [FOR, AGAINST], []),
        ([(0.9, 1.0, 0.05, NOW), (0.9 + 4e-10, -1.0, 0.05, NOW)], [FOR], []),  # 0 after rounding
        ([(0.9, 1.0, 0.05, NOW), (0.9 + 6e-10, -1.0, 0.05, NOW)], [FOR], ["for"]),
        ([(0.9, 1.0, 0.05, NOW), (0.9 - 6e-10, -1.0, 0.05, NOW)], [AGAINST], ["against"]),
    ],
)
def test_trust_bankruptcy(rows: list[Row], rules: list[Rule], fall: list[str]):
    found = verdicts(a_pair(*rows, rules=tuple(rules)), rules, NOW)
    assert kinds(found) == ["demotion"] * len(fall)
    assert [verdict.rule.megram_id for verdict in found if verdict.rule] == fall


def test_marked_sources_count_for_trust():
    """A rule does not fall over one bad day when its own sources still outweigh it."""
    pair = a_pair(*of("abandon", 1), marked=tuple(of("accept", 6)), rules=(FOR,))
    assert verdicts(pair, [FOR], NOW) == []


def test_the_successor_of_one_demotion_counts_for_the_next():
    """Two rules against; each successor brings the decision back by one: the second need not fall."""
    first, second = Rule("new", 1.0, NOW), Rule("old", 1.0, NOW)
    found = verdicts(a_pair(*of("abandon", 1), rules=(first, second)), [first, second], NOW)
    assert [verdict.rule.megram_id for verdict in found if verdict.rule] == ["new"]  # -0.95 + 1 > 0
    found = verdicts(a_pair(*of("abandon", 2), rules=(first, second)), [first, second], NOW)
    assert [verdict.rule.megram_id for verdict in found if verdict.rule] == ["new", "old"]  # -1.9, then -0.9
    assert found[1].decision == pytest.approx(-0.9)


def test_rules_of_both_signs_cannot_fall_together():
    found = verdicts(a_pair(*of("abandon", 1), rules=(FOR, AGAINST)), [FOR, AGAINST], NOW)
    assert [verdict.rule.megram_id for verdict in found if verdict.rule] == ["for"]


def test_a_successor_that_was_recalled_lately_weighs_more():
    old, lately = Rule("x", 1.0, NOW - 100 * DAY_US), Rule("x", 1.0, NOW)
    rows = of("abandon", 1)
    other = Rule("y", 1.0, NOW)
    assert len(verdicts(a_pair(*rows, rules=(old, other)), [old, other], NOW)) == 2  # exp(-5) saves nobody
    assert len(verdicts(a_pair(*rows, rules=(lately, other)), [lately, other], NOW)) == 1


# Away


@pytest.mark.parametrize(
    ("rows", "forgotten"),
    [
        ([(0.1, 0.5, 0.5, NOW)], False),  # just 0.1
        ([(0.1 - 4e-10, 0.5, 0.5, NOW)], False),  # after rounding
        ([(0.1 - 6e-10, 0.5, 0.5, NOW)], True),
        ([(0.1, 0.5, 0.5, NOW - DAY_US)], True),
        (of("accept", 1, age_days=43), False),  # 0.9 * exp(-2.15) = 0.1048
        (of("accept", 1, age_days=45), True),
        (of("refine", 2, age_days=1.3), False),  # together 0.104
        (of("refine", 2, age_days=1.5), True),
        (of("abandon", 3, age_days=3000), True),
    ],
)
def test_forgetting(rows: list[Row], forgotten: bool):
    found = verdicts(a_pair(*rows), [], NOW)
    assert kinds(found) == (["forgetting"] if forgotten else [])


def test_a_pair_without_megrams_has_nothing_to_forget():
    assert verdicts(Pair("s", "e"), [], NOW) == []
    assert verdicts(a_pair(rules=(FOR,)), [FOR], NOW) == []
    assert next_look(Pair("s", "e"), NOW) == NEVER_US


def test_time_does_not_run_before_the_newest():
    pair = a_pair((0.1, 0.5, 0.5, NOW + 1000 * DAY_US))
    assert verdicts(pair, [], NOW) == []
    assert next_look(pair, NOW) >= NOW + 1000 * DAY_US


def test_a_fallen_rule_that_is_as_old_is_forgotten_with_the_rest():
    found = verdicts(a_pair(*of("abandon", 1, age_days=60), rules=(FOR,)), [FOR], NOW)
    assert kinds(found) == ["demotion", "forgetting"]
    fresh = Rule("for", 1.0, NOW)
    found = verdicts(a_pair(*of("abandon", 1, age_days=60), rules=(fresh,)), [fresh], NOW)
    assert kinds(found) == ["demotion"]


def test_up_comes_before_down():
    pair = a_pair(*of("abandon", 6), rules=(FOR,))
    assert kinds(verdicts(pair, [FOR], NOW)) == ["promotion", "demotion"]


@pytest.mark.parametrize("rows", [of("accept", 20), of("abandon", 20), of("refine", 1, age_days=20)])
def test_a_pair_that_was_rolled_back_is_left_alone(rows: list[Row]):
    pair = a_pair(*rows, rules=(FOR,))
    pair.held = 1
    assert verdicts(pair, [FOR], NOW) == []
    assert next_look(pair, NOW) == NEVER_US


def test_every_verdict_says_why():
    for rows in (of("accept", 6), of("abandon", 1), of("refine", 1, age_days=9)):
        for verdict in verdicts(a_pair(*rows, rules=(FOR,)), [FOR], NOW):
            assert any(character.isdigit() for character in verdict.why)


# When to look again


@pytest.mark.parametrize(
    ("rows", "rules", "days"),
    [
        (of("accept", 1), (), math.log(9) / 0.05),  # 0.9 to 0.1
        (of("refine", 1), (), 0.0),
        (of("change_path", 1), (FOR, AGAINST), math.log(3) / 0.2),  # no direction: no rule is in danger
        (of("accept", 1), (FOR,), math.log(9) / 0.05),  # what is good fades and never turns bad
        (of("abandon", 1), (AGAINST,), math.log(9.5) / 0.05),
    ],
)
def test_the_next_look_is_when_decay_brings_a_change(rows: list[Row], rules: tuple[Rule, ...], days: float):
    assert (next_look(a_pair(*rows, rules=rules), NOW) - NOW) / DAY_US == pytest.approx(days, abs=1e-6)


# Also what the matrix has not got: something bad that fades as fast as `refine`.
KINDS = [*MATRIX.values(), (1.0, 1.0, 0.05), (1.0, -1.0, 0.05), (0.1, -0.5, 0.5)]
rows_lately = st.lists(
    st.tuples(st.sampled_from(KINDS), st.floats(-2, 60)).map(lambda item: (*item[0], NOW - int(item[1] * DAY_US))),
    min_size=1,
    max_size=80,
)


def decided(pair: Pair, rules: list[Rule], at_us: int) -> list[tuple[str, str]]:
    return [(verdict.kind, verdict.rule.megram_id if verdict.rule else "") for verdict in verdicts(pair, rules, at_us)]


@given(rows_lately, rows_lately | st.just([]), st.lists(st.sampled_from([FOR, AGAINST]), max_size=2), st.data())
@example(
    [*of("refine", 100), *of("abandon", 5)], [], [], None
)  # the good ones fade first: a constraint comes by itself
@example([*of("change_path", 60), *of("accept", 4)], [], [], None)
@example([*of("refine", 20), *of("abandon", 1)], [], [FOR], None)  # crosses zero by decay, soon
@example([(0.1, -0.5, 0.5, NOW)] * 20 + [(0.95, 1.0, 0.05, NOW)], [], [AGAINST], None)  # the other way round
@example([(0.1, -0.5, 0.5, NOW)] * 80 + [(1.0, 1.0, 0.05, NOW)] * 6, [], [], None)  # rises to a best practice
@settings(max_examples=400, deadline=None)
def test_nothing_changes_by_decay_before_the_next_look(
    rows: list[Row], marked: list[Row], rules: list[Rule], data: st.DataObject | None
):
    rules = list({rule.megram_id: rule for rule in rules}.values())
    pair = a_pair(*rows, marked=tuple(marked), rules=tuple(rules))
    now = decided(pair, rules, NOW)
    if now:
        return  # it is changed at once, not later
    until = next_look(pair, NOW)
    assert until >= NOW
    end = min(until, NOW + 400 * 365 * DAY_US)
    shares = [data.draw(st.floats(0, 1)) for _ in range(5)] if data else []
    for instant in (*(NOW + int((end - NOW) * share) for share in (0.0, 0.5, 0.9, 0.999, *shares)), end - 1000):
        if NOW <= instant < until:
            assert decided(pair, rules, instant) == []


@given(rows_lately, st.lists(st.sampled_from([FOR, AGAINST]), max_size=2))
@settings(max_examples=200, deadline=None)
def test_looking_again_and_again_comes_to_an_end(rows: list[Row], rules: list[Rule]):
    """Each look must move on, or a pass over many pairs would never be cheap."""
    rules = list({rule.megram_id: rule for rule in rules}.values())
    pair = a_pair(*rows, rules=tuple(rules))
    at, looks = NOW, 0
    while at < NEVER_US and not decided(pair, rules, at):
        at = max(next_look(pair, at), at + 1_000_000)  # nobody dreams more often than each second
        looks += 1
        assert looks < 60
