"""Loading facts from lines: both forms, refusals by number, whole batches, and twice is once."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

import places
from fact_helpers import COLOR, OHM, at_noon, full, refusing, types
from mace.core.errors import ServiceUnavailable, StorageFull
from mace.engine.facts.imports import BATCH
from mace.engine.runtime import Mace


@pytest.fixture
def mace(mace_home: places.SqlitePlace) -> Iterator[Mace]:
    with mace_home.open(clock=at_noon()) as opened:
        yield opened


def line(**said: Any) -> str:
    return json.dumps(said)


def world(number: int, value: Any = None) -> str:
    return line(key=f"world/fact/n{number}/value", value=number if value is None else value)


def test_both_forms_and_every_field(mace: Mace):
    lines: list[str | bytes] = [
        line(key=OHM, value="V = I R", notes="by hand", meta={"trust": 1}, timestamp="2025-11-29T11:00:00Z"),
        "",
        "   \n",
        line(scope="world", entity_type="fact", entity_id="Hooke's law", attribute="Definition", value="F = k x"),
        line(scope="user", entity_type="profile", user_id="TUFF", attribute="Favorite Color", value="blue").encode(),
        line(scope="user", entity_type="profile", entity_id="Ann", attribute="town", value="Ulm", user_id=None)
        + "\r\n",
        line(key="mace/config/router/default_depth", value={"value": 2, "notes": "of the payload"}),
    ]
    assert mace.import_facts(lines, "system_admin") == {"imported": 5, "unchanged": 0, "refused": []}
    found = mace.sem_get(OHM)
    assert (found["value"], found["meta"]) == ("V = I R", {"trust": 1, "notes": "by hand"})
    assert (found["source"], found["last_updated"]) == ("system_admin", "2025-11-29T11:00:00.000000Z")
    assert mace.sem_get("world/fact/hookes_law/definition")["value"] == "F = k x"
    assert mace.sem_get(COLOR)["value"] == "blue"
    assert mace.sem_get("user/profile/user_ann/town")["value"] == "Ulm"
    assert mace.sem_get("mace/config/router/default_depth")["value"] == 2
    assert mace.import_facts(lines, "system_admin") == {"imported": 0, "unchanged": 5, "refused": []}


@pytest.mark.parametrize(
    ("bad", "code"),
    [
        ("not json", "INVALID_INPUT"),
        (b"\xff\xfe", "INVALID_INPUT"),
        ("[1]", "INVALID_INPUT"),
        ('"text"', "INVALID_INPUT"),
        ("{}", "INVALID_INPUT"),
        ('{"key": "world/fact/x/y", "value": NaN}', "INVALID_INPUT"),
        ('{"key": "world/fact/x/y", "value": 9007199254740993}', "INVALID_INPUT"),
        ("[" * 5000, "INVALID_INPUT"),
        (line(key=OHM), "INVALID_INPUT"),
        (line(key="no key", value=1), "INVALID_INPUT"),
        (line(key=5, value=1), "INVALID_INPUT"),
        (line(key=None, value=1), "INVALID_INPUT"),
        (line(key=OHM, value=1, extra=1), "INVALID_INPUT"),
        (line(key=OHM, value=1, scope="world"), "INVALID_INPUT"),
        (line(key=OHM, value=1, source="system_admin"), "INVALID_INPUT"),  # who loads is said once, not by the lines
        (line(key=OHM, value=1, notes=5), "INVALID_INPUT"),
        (line(key=OHM, value=1, notes="x" * 513), "INVALID_INPUT"),
        (line(key=OHM, value=1, meta=[]), "INVALID_INPUT"),
        (line(key=OHM, value=1, timestamp=5), "INVALID_INPUT"),
        (line(key=OHM, value=1, timestamp="2030-01-01T00:00:00Z"), "INVALID_INPUT"),
        (line(key=OHM, value="x" * 16_383), "INVALID_INPUT"),
        (line(scope="world", entity_type="fact", entity_id="x", value=1), "INVALID_INPUT"),
        (line(scope="mars", entity_type="fact", entity_id="x", attribute="y", value=1), "INVALID_INPUT"),
        (line(scope="user", entity_type="profile", attribute="y", value=1), "INVALID_INPUT"),
        (line(scope="user", entity_type="profile", user_id=5, attribute="y", value=1), "INVALID_INPUT"),
        (line(scope="user", entity_type="profile", user_id="a.b@gmail.com", attribute="y", value=1), "INVALID_INPUT"),
        (line(key=OHM, value="123-45-6789"), "PRIVACY_BLOCKED"),
        (line(key="world/fact/4111111111111111/owner", value=1), "PRIVACY_BLOCKED"),
        (line(key=OHM, value=1, notes="123-45-6789"), "PRIVACY_BLOCKED"),
    ],
)
def test_a_bad_line_is_refused_by_its_number_and_the_rest_goes_on(mace: Mace, bad: str | bytes, code: str):
    done = mace.import_facts([world(1), "", bad, world(2)], "system")
    assert (done["imported"], done["unchanged"]) == (2, 0)
    (refused,) = done["refused"]
    assert (refused["line"], refused["error_code"]) == (3, code)
    assert refused["reason"]  # which repeats nothing of the line
    for told in (
        "123-45",
        "4111",
        "gmail",
        "9007199254740993",
        "no key",
        "mars",
    ):
        assert told not in refused["reason"]
    assert mace.sem_list("", "system_admin") == ["world/fact/n1/value", "world/fact/n2/value"]
    assert mace.verify()["ok"]


@pytest.mark.parametrize(("source", "code"), [("user", "PERMISSION_DENIED"), ("agent:a", "PERMISSION_DENIED"),
                                              ("nobody", "INVALID_INPUT")])  # fmt: skip
def test_whoever_may_not_write_a_key_may_not_load_it(mace: Mace, source: str, code: str):
    own = line(scope="user", entity_type="profile", entity_id="Rock & Roll", attribute="y", value=1)
    done = mace.import_facts([world(1), own], source)
    assert done["imported"] == (1 if source == "user" else 0)
    assert [item["error_code"] for item in done["refused"]] == [code] * (2 - done["imported"])
    assert mace.sem_list("world", "system_admin") == []
    # Nothing of a refused line stays, not even a seat: the plain key is still free for another identity.
    other = mace.key("user", "profile", None, "y", user_id="rock_roll")
    assert (other == "user/profile/user_rock_roll/y") is (source != "user")


def test_many_lines_are_few_transactions_in_one_stream(mace: Mace):
    lines = [world(number) for number in range(2 * BATCH + 50)]
    lines[BATCH + 7] = "broken"
    seen: list[tuple[int, int]] = []
    before = mace._parts.world.store.commits  # type: ignore[attr-defined]
    done = mace.import_facts(lines, "system", lambda at, total: seen.append((at, total)))
    assert (done["imported"], [item["line"] for item in done["refused"]]) == (2 * BATCH + 49, [BATCH + 8])
    assert mace._parts.world.store.commits - before == 3  # type: ignore[attr-defined]
    total = len(lines)
    assert seen == [(BATCH, total), (2 * BATCH, total), (total, total)]
    stream = mace.sem_history("world/fact/n0/value")[0]["job_id"]
    names = types(mace, stream)
    assert names[0] == "JOB_OPENED"
    assert (names.count("SEM_PUT"), names.count("FACTS_IMPORTED"), len(names)) == (2 * BATCH + 49, 3, 2 * BATCH + 53)
    told = [event["payload"] for event in mace.events(stream) if event["event_type"] == "FACTS_IMPORTED"]
    assert told[1] == {
        "imported": BATCH - 1,
        "unchanged": 0,
        "refused": 1,
        "first_line": BATCH + 1,
        "last_line": 2 * BATCH,
        "source": "system",
    }
    assert mace.verify()["ok"]


def test_lines_may_come_one_by_one(mace: Mace):
    seen: list[tuple[int, int]] = []
    done = mace.import_facts(
        (world(number) for number in range(3)), "system", lambda at, total: seen.append((at, total))
    )
    assert (done["imported"], seen) == (3, [(3, 3)])
    assert mace.import_facts(iter([]), "system") == {"imported": 0, "unchanged": 0, "refused": []}


@pytest.mark.parametrize(
    ("held", "loaded", "imported"),
    [
        ({"value": 1}, {"value": 1}, 0),
        ({"value": 1}, {"value": 2}, 1),
        ({"value": 1}, {"value": True}, 1),  # not the same
        ({"value": 1}, {"value": 1.0}, 0),  # the same
        ({"value": {"a": 1, "b": 2}}, {"value": {"b": 2, "a": 1}}, 0),
        ({"value": 1}, {"value": 1, "notes": "n"}, 1),
        ({"value": 1, "notes": "n"}, {"value": 1, "notes": "n"}, 0),
        ({"value": 1, "notes": "n"}, {"value": 1}, 1),
        ({"value": 1, "meta": {"m": 1}}, {"value": 1}, 1),
    ],
)
@pytest.mark.parametrize("key", [OHM, COLOR])
def test_what_says_the_same_is_left_alone(
    mace: Mace, key: str, held: dict[str, Any], loaded: dict[str, Any], imported: int
):
    mace.sem_put(
        key, held["value"], "user" if key == COLOR else "system", notes=held.get("notes"), meta=held.get("meta")
    )
    done = mace.import_facts([line(key=key, **loaded)], "system_admin")
    assert (done["imported"], done["unchanged"]) == (imported, 1 - imported)
    assert len(mace.sem_history(key)) == 1 + imported


def test_a_deleted_fact_is_loaded_again_unless_only_new_ones_are_wanted(mace: Mace):
    mace.sem_put(OHM, "wrong", "system")
    mace.sem_put(COLOR, "blue", "user")
    mace.sem_delete(OHM, "system_admin")
    lines = [line(key=OHM, value="V = I R"), line(key=COLOR, value="red"), world(1)]
    assert mace._parts.imports.run(lines, "system", only_new=True) == {"imported": 1, "unchanged": 2, "refused": []}
    assert (mace.sem_get(OHM)["exists"], mace.sem_get(COLOR)["value"]) == (False, "blue")
    assert mace.import_facts(lines, "system") == {"imported": 2, "unchanged": 1, "refused": []}
    assert (mace.sem_get(OHM)["value"], mace.sem_get(COLOR)["value"]) == ("V = I R", "red")


def test_a_key_that_comes_twice_keeps_the_last(mace: Mace):
    done = mace.import_facts([world(1, "first"), world(1, "second"), world(1, "second")], "system")
    assert (done["imported"], done["unchanged"]) == (2, 1)
    assert mace.sem_get("world/fact/n1/value")["value"] == "second"


def test_names_that_look_alike_are_kept_apart(mace: Mace):
    def titled(name: str) -> str:
        return line(scope="world", entity_type="fact", entity_id=name, attribute="summary", value=name)

    done = mace.import_facts([titled("Rock & Roll"), titled("Rock-Roll"), titled("ROCK & ROLL")], "system")
    assert done["imported"] == 3
    assert mace.sem_get("world/fact/rock_roll/summary")["value"] == "ROCK & ROLL"
    assert mace.sem_get("world/fact/rock_roll-387b8d/summary")["value"] == "Rock-Roll"
    stream = mace.sem_history("world/fact/rock_roll/summary")[0]["job_id"]
    assert types(mace, stream).count("collision_event") == 1


def test_personal_data_in_a_line_is_flagged_and_nowhere_else(mace: Mace):
    mace.import_facts([line(key=OHM, value="123-45-6789")], "system")
    streams = {event.stream for event in mace._parts.world.store.read(lambda tx: tx.events.scan(0, 99))}
    (stream,) = streams - {"system"}
    assert types(mace, stream) == ["JOB_OPENED", "PII_FLAGGED", "FACTS_IMPORTED"]


def test_a_store_that_fails_in_the_middle_leaves_whole_batches(place: places.Place):
    lines = [world(number) for number in range(BATCH)]
    more = [*lines, *(world(number, "x" * 9000) for number in range(BATCH, 2 * BATCH))]
    with place.open(clock=at_noon()) as mace:
        assert mace.import_facts(lines, "system")["imported"] == BATCH
        with full(place, mace), pytest.raises(StorageFull):
            mace.import_facts(more, "system")
        with refusing(place, "sem_history"), pytest.raises(ServiceUnavailable):
            mace.import_facts(more, "system")
        assert len(mace.sem_list("world", "system_admin")) == BATCH
        assert mace.import_facts(more, "system") == {"imported": BATCH, "unchanged": BATCH, "refused": []}
        assert mace.verify()["ok"]
