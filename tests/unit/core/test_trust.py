"""Which key counts where: a table, and the edges."""

import pytest

from mace.core.trust import Standing, Trust

NEW = Trust(0, ((0, "k1"), (10, "k2"), (25, "k3")))
OLD = Trust(None, ())
UPGRADED = Trust(100, ((100, "k2"), (120, "k3")))


@pytest.mark.parametrize(
    ("trust", "key_id", "position", "standing"),
    [
        (NEW, "k1.event", 0, Standing.GOOD),
        (NEW, "k1.event", 9, Standing.GOOD),
        (NEW, "k1.event", 10, Standing.RETIRED),
        (NEW, "k1.record", 24, Standing.RETIRED),
        (NEW, "k2.event", 9, Standing.NOT_YET),
        (NEW, "k2.event", 10, Standing.GOOD),
        (NEW, "k2.event", 24, Standing.GOOD),
        (NEW, "k2.event", 25, Standing.RETIRED),
        (NEW, "k3.event", 25, Standing.GOOD),
        (NEW, "k9.event", 99, Standing.NOT_YET),
        (NEW, "k1", 0, Standing.UNSEPARATED),
        (NEW, "", 0, Standing.UNSEPARATED),
        (OLD, "k1", 0, Standing.GOOD),
        (OLD, "k7", 10**9, Standing.GOOD),
        (OLD, "k1.event", 0, Standing.NOT_YET),
        (UPGRADED, "k1", 99, Standing.GOOD),
        (UPGRADED, "k2", 99, Standing.GOOD),
        (UPGRADED, "k1", 100, Standing.UNSEPARATED),
        (UPGRADED, "k2.event", 99, Standing.NOT_YET),
        (UPGRADED, "k2.event", 100, Standing.GOOD),
        (UPGRADED, "k2.event", 120, Standing.RETIRED),
        (UPGRADED, "k1.event", 110, Standing.NOT_YET),
    ],
)
def test_the_position_decides(trust: Trust, key_id: str, position: int, standing: Standing):
    assert trust.standing(key_id, position) is standing
    assert trust.counts(key_id, position) == (standing is Standing.GOOD)


@pytest.mark.parametrize(
    ("trust", "position", "expected"),
    [
        (NEW, 0, ("k1", 10)),
        (NEW, 9, ("k1", 10)),
        (NEW, 10, ("k2", 25)),
        (NEW, 400, ("k3", None)),
        (OLD, 4, (None, None)),
        (UPGRADED, 4, (None, 100)),
    ],
)
def test_the_key_in_force_and_where_it_ends(trust: Trust, position: int, expected: tuple[str | None, int | None]):
    assert trust.in_force(position) == expected
