"""What became of a shelf, as a table; and that one admin's word covers one loss."""

import pytest

from mace.core.answers.choices import ShelfState
from mace.ledger import shelves


@pytest.mark.parametrize(
    ("was_in", "has_notes", "former_has_notes", "state"),
    [
        (None, False, False, "new"),
        (None, True, False, "new"),
        ("/a", True, False, "here"),
        ("/a", False, False, "empty"),
        ("/b", False, True, "followed"),
        ("/b", True, True, "followed"),
        ("/b", False, False, "moved"),
        ("/b", True, False, "moved"),  # notes in another place prove nothing: they may be an older copy
    ],
)
def test_what_became_of_it(was_in: str | None, has_notes: bool, former_has_notes: bool, state: ShelfState):
    judged = shelves.judge(place="/a", was_in=was_in, has_notes=has_notes, former_has_notes=former_has_notes)
    assert judged == state


@pytest.mark.parametrize("state", ["new", "here", "followed"])
def test_a_shelf_that_can_be_read_is_no_finding(state: ShelfState):
    assert shelves.finding(state, place="/a", was_in="/b", newest="x") is None


def test_a_loss_names_both_places_and_the_next_loss_is_another_finding():
    lost = [
        shelves.finding(state, place="/a", was_in=was_in, newest=newest)
        for state, was_in, newest in (
            ("empty", "/a", "000000/0000000000000007"),
            ("empty", "/a", "000000/0000000000000009"),
            ("moved", "/b", "000000/0000000000000009"),
            ("moved", "/c", "000000/0000000000000009"),
        )
    ]
    assert len({found.finding_id for found in lost if found}) == 4
    assert lost[2] is not None
    assert lost[2].shown()["where"] == {"table": "checkpoints", "place": "/a", "was_in": "/b"}
    assert lost[2].kind == "SHELF_MOVED"
