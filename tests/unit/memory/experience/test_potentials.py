"""Running sums against the plain ones: any history, in any order, over decades; and what potentials advise."""

import math
import random
import struct

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mace.memory.experience.megrams import DAY_US, DECAYS, MATRIX
from mace.memory.experience.pairs import Pair, unpacked
from mace.memory.experience.potentials import Potentials, Sums, action, plain, weight

YEAR_US = 365 * DAY_US
KINDS = [*MATRIX.values(), (0.95, 1.0, 0.05), (1.0, 1.0, 0.05), (1.0, -1.0, 0.05)]  # feedback, demoted rules
Megram = tuple[float, float, float, int]

instants = st.one_of(
    st.integers(0, 8000 * YEAR_US // 1000 * 1000),
    st.integers(50 * YEAR_US, 57 * YEAR_US),
    st.integers(0, 10).map(lambda day: 56 * YEAR_US + day * DAY_US),  # many at the same instants
    st.integers(0, 1000).map(lambda tick: 56 * YEAR_US + tick),
)
histories = st.lists(
    st.tuples(st.sampled_from(KINDS), instants).map(lambda item: (*item[0], item[1])), min_size=1, max_size=60
)


def within(found: Potentials, rows: list[Megram], now_us: int) -> None:
    expected = plain(rows, now_us)
    allowed = 1e-9 * max(1.0, expected.attention)
    assert abs(found.attention - expected.attention) <= allowed
    assert abs(found.decision - expected.decision) <= allowed
    assert math.isfinite(found.attention)


def test_the_plain_sum_is_that_of_the_text():
    day = 10 * DAY_US
    rows: list[Megram] = [(0.9, 1.0, 0.05, 0), (0.95, -1.0, 0.05, 4 * DAY_US), (0.3, 0.0, 0.2, 9 * DAY_US)]
    found = plain(rows, day)
    left = [0.9 * math.exp(-0.5), 0.95 * math.exp(-0.3), 0.3 * math.exp(-0.2)]
    assert found.attention == pytest.approx(math.fsum(left), rel=1e-15)
    assert found.decision == pytest.approx(left[0] - left[1], rel=1e-12)
    assert plain(rows, 0) == plain(rows, 9 * DAY_US)  # time does not run before the newest
    assert plain([], 5) == Potentials(0.0, 0.0)


@given(histories, instants, st.data())
@example([(0.9, 1.0, 0.05, 0), (0.9, 1.0, 0.05, 7000 * YEAR_US)], 0, None)
@example([(0.9, 1.0, 0.05, 7000 * YEAR_US), (0.1, 0.5, 0.5, 0)], 0, None)
@settings(max_examples=300, deadline=None)
def test_running_sums_equal_the_plain_ones(rows: list[Megram], now_us: int, data: st.DataObject | None):
    """In any order of adding, packed and unpacked in between."""
    packed_after = data.draw(st.sets(st.integers(0, len(rows)))) if data else {1}
    pair = Pair("s", "e")
    for at, (f, sigma, k, created) in enumerate(rows):
        if at in packed_after:
            pair = unpacked("s", "e", pair.packed())
        pair.count_in(f, sigma, k, created)
    assert pair.count == len(rows)
    assert pair.newest_us == max(created for *_, created in rows)
    for instant in (now_us, pair.newest_us, pair.newest_us + 1, pair.newest_us + 30 * YEAR_US, 0):
        within(pair.potentials(instant), rows, instant)
    assert unpacked("s", "e", pair.packed()).packed() == pair.packed()


@given(st.integers(1, 2000), st.integers(0, 2**32), st.sampled_from([0, 1, DAY_US, YEAR_US, 60 * YEAR_US]))
@settings(max_examples=25, deadline=None)
def test_long_histories_of_any_spread(count: int, seed: int, spread_us: int):
    draw = random.Random(seed)
    rows = [(*draw.choice(KINDS), 100 * YEAR_US + draw.randint(-spread_us, spread_us)) for _ in range(count)]
    sums = Sums()
    for row in rows:
        sums.add(*row)
        if draw.random() < 0.01:
            sums = Sums(sums.packed())
    newest = max(created for *_, created in rows)
    for now_us in (newest, newest + DAY_US, newest + 10 * YEAR_US):
        within(sums.at(now_us), rows, now_us)


def _no_drift(additions: int) -> None:
    """Years of steady writing, good and bad in turns, so that decisions cancel and rounding could pile up."""
    draw = random.Random(5)
    step = 90 * YEAR_US // additions
    sums, rows, created = Sums(), [], 10 * YEAR_US
    for _ in range(additions):
        created += step
        row = (*draw.choice(KINDS), max(0, created - draw.choice((0, 0, 0, DAY_US, YEAR_US))))
        rows.append(row)
        sums.add(*row)
    newest = max(row[3] for row in rows)
    for later in (0, DAY_US, YEAR_US):
        within(sums.at(newest + later), rows, newest + later)


def _no_drift_at_one_instant(additions: int) -> None:
    """Each addition is tiny beside the sum: this is where uncompensated sums go wrong."""
    sums = Sums()
    for at in range(additions):
        sums.add(0.9 if at % 2 else 0.95, 1.0 if at % 2 else -1.0, 0.05, 56 * YEAR_US + at)
    rows: list[Megram] = [
        (0.9 if at % 2 else 0.95, 1.0 if at % 2 else -1.0, 0.05, 56 * YEAR_US + at) for at in range(additions)
    ]
    within(sums.at(57 * YEAR_US), rows, 57 * YEAR_US)
    within(sums.at(56 * YEAR_US + additions), rows, 56 * YEAR_US + additions)


def test_a_hundred_thousand_additions_do_not_drift():
    _no_drift(100_000)
    _no_drift_at_one_instant(100_000)


@pytest.mark.long
def test_a_million_additions_do_not_drift():
    _no_drift(1_000_000)
    _no_drift_at_one_instant(1_000_000)


def test_an_old_one_after_a_new_one_counts_as_little_as_it_should():
    sums = Sums()
    sums.add(0.9, 1.0, 0.05, 50 * YEAR_US)
    sums.add(0.95, -1.0, 0.05, 0)  # fifty years: exp(-912) is nothing
    assert sums.at(50 * YEAR_US) == Potentials(0.9, 0.9)


def test_nothing_is_left_after_ages_and_nothing_overflows():
    sums = Sums()
    for k in DECAYS:
        sums.add(1.0, 1.0, k, 0)
    assert sums.at(8000 * YEAR_US) == Potentials(pytest.approx(0.0, abs=1e-300), pytest.approx(0.0, abs=1e-300))
    sums.add(0.9, 1.0, 0.05, 8000 * YEAR_US)
    assert sums.at(8000 * YEAR_US).attention == pytest.approx(0.9, rel=1e-12)
    assert Sums().at(0) == Potentials(0.0, 0.0)
    assert Sums().is_empty()
    assert not sums.is_empty()


def test_a_decay_that_is_not_in_the_matrix_is_no_megram():
    with pytest.raises(ValueError, match="not in tuple"):
        Sums().add(1.0, 1.0, 0.0, 0)


def test_the_packing_is_what_stores_hold():
    """Stored data: whoever changes this writes a migration."""
    pair = Pair("s", "e", newest_us=5, count=3, rules_for=1, since=7, last_written=9, last_change="ab" * 16)
    pair.live.add(0.5, 1.0, 0.2, 5)
    packed = pair.packed()
    assert len(packed) == 8 * 8 + 32 + 16 + 2 * 3 * 40
    assert struct.unpack_from("<8q", packed) == (5, 3, 1, 0, 7, 9, -1, 0)
    assert unpacked("s", "e", packed).packed() == packed
    assert unpacked("s", "e", packed).last_change == "ab" * 16
    assert unpacked("s", "e", Pair("s", "e").packed()).last_change == ""


# What is left of one


@pytest.mark.parametrize(
    ("f", "k", "age_days", "left"),
    [
        (0.9, 0.05, 0, 0.9),
        (0.9, 0.05, 14, 0.9 * math.exp(-0.7)),
        (0.3, 0.2, 3.5, 0.3 * math.exp(-0.7)),
        (0.1, 0.5, 1.4, 0.1 * math.exp(-0.7)),
        (-0.9, 0.05, 0, 0.9),
        (0.9, 0.05, -3, 0.9),
        (1.0, 0.0, 10_000, 1.0),
    ],
)
def test_weight(f: float, k: float, age_days: float, left: float):
    now = 1000 * DAY_US
    assert weight(f, k, now - int(age_days * DAY_US), now) == pytest.approx(left, rel=1e-12)


# What it advises


@pytest.mark.parametrize(
    ("attention", "decision", "advised"),
    [
        (0.0, 0.0, "Ignore"),
        (0.49, 0.49, "Ignore"),
        (0.499999999, -0.4, "Ignore"),
        (0.4999999996, 0.4, "Exploit"),  # 0.5 after rounding
        (0.4999999994, 0.4, "Ignore"),
        (0.5, 0.4, "Exploit"),
        (0.5, -0.4, "Avoid"),
        (0.5, 0.0, "Caution"),
        (0.5, 0.2, "Caution"),
        (0.5, 0.2000000004, "Caution"),  # 0.2 after rounding
        (0.5, 0.2000000006, "Exploit"),
        (0.5, 0.200000001, "Exploit"),
        (0.5, -0.2, "Caution"),
        (0.5, -0.2000000004, "Caution"),
        (0.5, -0.2000000006, "Avoid"),
        (0.5, -0.0, "Caution"),
        (1e6, 1e-12, "Caution"),
        (1e6, -1e6, "Avoid"),
        (0.1, -1000.0, "Ignore"),
    ],
)
def test_the_action_by_the_text_after_rounding(attention: float, decision: float, advised: str):
    assert action(attention, decision) == advised
    assert Potentials(attention, decision).action == advised


def test_a_long_sum_loses_nothing_that_a_double_can_hold():
    sums = Sums()
    for _ in range(100_000):
        sums.add(0.1, 0.5, 0.5, 0)
    exact = math.fsum([0.1] * 100_000)
    assert sums.at(0).attention == pytest.approx(exact, rel=4e-16, abs=0)
    assert sums.at(0).decision == pytest.approx(exact / 2, rel=4e-16, abs=0)
