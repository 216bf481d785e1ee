"""What an admin's word covers, and until when: as tables."""

import pytest

from mace.ledger.findings import Attested, Finding, id_of_next, to_settle

FIRST = Finding("SCHEMA_CHANGED", {"table": "events", "name": "guard"}, "gone")
A = FIRST.finding_id
B = id_of_next(A)
C = id_of_next(B)


@pytest.mark.parametrize(
    ("said", "settled", "now", "is_covered"),
    [
        (set(), set(), A, False),
        ({A}, set(), A, True),
        ({A}, {A}, B, False),
        ({A, B}, {A}, B, True),
        ({A, B}, {A, B}, C, False),
        ({A, B, C}, {A, B}, C, True),
        ({B}, set(), A, False),
        ({"other"}, {"other"}, A, False),
    ],
)
def test_a_word_covers_what_was_found_until_it_is_settled(
    said: set[str], settled: set[str], now: str, is_covered: bool
):
    word = Attested(said=said, settled=settled)
    as_now = word.as_now(FIRST)
    assert as_now.finding_id == now
    assert word.as_now(as_now) == as_now
    assert (A in word.findings) is is_covered
    assert (now in word.said) is is_covered
    assert as_now.shown()["finding_id"] == now
    assert {**as_now.shown(), "finding_id": ""} == {**FIRST.shown(), "finding_id": ""}


@pytest.mark.parametrize(
    ("said", "settled", "found", "kinds", "quick", "expected"),
    [
        ({"a", "b"}, set(), {"a"}, ["ROW_MISSING"], False, ["b"]),
        ({"a", "b"}, set(), set(), [], False, ["a", "b"]),
        ({"a", "b"}, {"a"}, set(), [], False, ["b"]),
        ({"a"}, {"a"}, set(), [], False, []),
        ({"a"}, set(), {"a"}, ["ROW_MISSING"], False, []),
        (set(), set(), {"a"}, ["ROW_MISSING"], False, []),
        ({"a"}, set(), set(), [], True, []),  # not everything was looked at
        ({"a"}, set(), {"x"}, ["NOT_CHECKED"], False, []),
        ({"a"}, set(), {"x"}, ["FILE_DAMAGED"], False, []),
        ({"a"}, set(), {"x"}, ["ROW_UNREADABLE"], False, ["a"]),
    ],
)
def test_what_is_found_no_more_is_settled(
    said: set[str], settled: set[str], found: set[str], kinds: list[str], quick: bool, expected: list[str]
):
    assert to_settle(Attested(said=said, settled=settled), found, kinds, quick=quick) == expected
