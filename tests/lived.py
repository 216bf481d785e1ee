"""Experience for tests: a place on each adapter, Megrams by the handful, and what all rows of a store are.

Time stands still at `NOW` unless a test moves it; the Dreamer runs when it is called and not by itself.
"""

import importlib.util
import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import places
import services
from mace.engine.experience.feed import Feed
from mace.engine.experience.parts import ExperienceParts
from mace.engine.runtime import Mace
from mace.memory.experience import pairs
from mace.memory.experience.megrams import to_us
from mace.memory.experience.potentials import Potentials, plain
from mace.providers.frozen import FrozenClock
from mace.storage.experience_in_store import InStore
from mace.storage.experience_ports import Experience
from mace.storage.inmemory import InMemoryStore
from mace.storage.inmemory_experience import InMemoryExperience

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
SPACE, ENTITY = "tool:shell", "path:/srv/a:b%c"
ADAPTERS = ("sqlite", "postgres", "leveldb")
_AN_HOUR_MS = 3_600_000


def place_for(adapter: str, root: Path, request: pytest.FixtureRequest, **settings: Any) -> places.Place:
    """A place with this adapter; nothing is opened yet."""
    place: places.Place
    if adapter == "postgres":
        place = places.PostgresPlace(root, request.getfixturevalue("databases"))
    else:
        place = places.SqlitePlace(root)
    if adapter == "leveldb":
        if importlib.util.find_spec("plyvel") is None:
            services.cannot_run("experience on LevelDB", "plyvel is not installed")
        settings["experience_store"] = "leveldb"
    place.settings = replace(place.settings, **{"dream_settle_ms": _AN_HOUR_MS, **settings})
    return place


def opened(place: places.Place, clock: FrozenClock | None = None, **options: Any) -> Mace:
    return place.open(clock=clock or FrozenClock(NOW), **options)


def inside(m: Mace) -> ExperienceParts:
    """What stands behind the verbs, for tests that look or reach into it."""
    return m._parts.experience_parts


def days_ago(days: float) -> str:
    return (NOW - timedelta(days=days)).isoformat()


def days_on(days: float) -> datetime:
    return NOW + timedelta(days=days)


def write(
    m: Mace,
    state: str = "accept",
    times: int = 1,
    *,
    content: str = "lesson",
    age_days: float = 0.0,
    space: str = SPACE,
    entity: str = ENTITY,
    source: str = "solver",
    **options: Any,
) -> list[str]:
    """Write so many, with numbered words; return their ids."""
    ids = []
    for number in range(times):
        megram = {"space": space, "entity": entity, "content": f"{content} {number}", "state": state}
        answer = m.experience.write({**megram, "created_at": days_ago(age_days)}, source, **options)
        assert answer["success"], answer
        ids.append(answer["megram_id"])
    return ids


def of_pair(m: Mace, space: str = SPACE, entity: str = ENTITY) -> list[Any]:
    m.experience.flush()
    found: list[Any] = inside(m).store.read(lambda x: x.of_pair(space, entity, "", 10**6))
    return found


def plain_sum(m: Mace, now: datetime = NOW, space: str = SPACE, entity: str = ENTITY) -> Potentials:
    """The sums as the text writes them, over the rows that are there."""
    rows = [(row.f, row.sigma, row.k, row.created_us) for row in of_pair(m, space, entity)]
    return plain(rows, to_us(now))


def assert_sums_right(m: Mace, now: datetime = NOW, space: str = SPACE, entity: str = ENTITY) -> None:
    asked = m.experience.query_mk(space, entity, now)
    expected = plain_sum(m, now, space, entity)
    allowed = 1e-9 * max(1.0, expected.attention)
    assert math.isclose(asked["attention"], expected.attention, rel_tol=0, abs_tol=allowed)
    assert math.isclose(asked["decision"], expected.decision, rel_tol=0, abs_tol=allowed)
    assert asked["action"] == expected.action


def all_rows(x: Experience, *, recalls: bool = False) -> dict[str, Any]:
    """Everything a store of experience holds, but for when to look at a pair again."""
    found = x.scan("", 10**6)
    ids = [row.megram_id for row in found]
    held = {}
    for row in x.pairs(("", ""), 10**6):
        held[row.space, row.entity] = row.state
    return {
        "megrams": found,
        "retired": x.retired_by(ids),
        "recalled": x.recalled_us(ids) if recalls else {},
        "pairs": held,
        "changes": sorted(x.changes(10**6), key=lambda change: (change.place, change.change_id)),
        "cursor": x.cursor(),
    }


def projected_anew(m: Mace) -> dict[str, Any]:
    """All rows as the ledger alone gives them."""
    fresh = InStore(InMemoryStore())
    Feed(m._parts.world, fresh, lambda: InMemoryExperience([])).catch_up()
    rows: dict[str, Any] = fresh.read(all_rows)
    return rows


def held(m: Mace) -> dict[str, Any]:
    m.experience.flush()
    rows: dict[str, Any] = inside(m).store.read(all_rows)
    return rows


def assert_follows_from_the_ledger(m: Mace) -> None:
    assert held(m) == projected_anew(m)
    assert_pairs_agree_with_rows(m)


def assert_pairs_agree_with_rows(m: Mace) -> None:
    """What is kept of each pair is what its rows say."""

    def look(x: Experience) -> None:
        for row in x.pairs(("", ""), 10**6):
            pair = pairs.unpacked(row.space, row.entity, row.state)
            rows = x.of_pair(row.space, row.entity, "", 10**6)
            rules = x.rules(row.space, row.entity)
            assert pair.count == len(rows)
            assert pair.newest_us == max((megram.created_us for megram in rows), default=0)
            assert pair.rules_for == sum(rule.sigma > 0 for rule in rules)
            assert pair.rules_against == sum(rule.sigma < 0 for rule in rules)
            unmarked = [megram for megram in rows if not megram.marked and megram.place > pair.marked_through]
            for sums, counted in ((pair.live, rows), (pair.fresh, unmarked)):
                found = sums.at(pair.now(0))
                expected = plain([(one.f, one.sigma, one.k, one.created_us) for one in counted], pair.newest_us)
                allowed = 1e-9 * max(1.0, expected.attention)
                assert abs(found.attention - expected.attention) <= allowed
                assert abs(found.decision - expected.decision) <= allowed

    inside(m).store.read(look)


def types(m: Mace) -> list[str]:
    """The types of all events, in the ledger's order."""
    rows = m._parts.world.store.read(lambda tx: tx.events.scan(0, 10**6))
    return [row.event_type for row in rows]


def ids(rows: Sequence[dict[str, Any]]) -> list[str]:
    return [row["id"] for row in rows]
