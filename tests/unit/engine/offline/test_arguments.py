"""What a door may check before it opens a store."""

from datetime import UTC, datetime

import pytest

from mace.core.errors import InvalidInput
from mace.engine.offline.arguments import check_key, check_pair, read_instant


@pytest.mark.parametrize(("key", "good"), [("world/fact/water/boiling_point", True), ("nope", False), ("", False)])
def test_keys(key: str, good: bool):
    if good:
        check_key(key)
        return
    with pytest.raises(InvalidInput):
        check_key(key)


@pytest.mark.parametrize(
    ("space", "entity", "good"), [("tool:shell", "path:x", True), ("", "x", False), ("a", "\x00", False)]
)
def test_pairs(space: str, entity: str, good: bool):
    if good:
        check_pair(space, entity)
        return
    with pytest.raises(InvalidInput):
        check_pair(space, entity)


def test_instants_have_a_zone():
    assert read_instant("2026-05-01T12:00:00+02:00", "--now") == datetime(2026, 5, 1, 10, tzinfo=UTC)
    for text in ("2026-05-01T12:00:00", "tomorrow", "1960-01-01T00:00:00Z"):
        with pytest.raises(InvalidInput, match="--now"):
            read_instant(text, "--now")
