"""The verbs of facts through an open MACE: which write wins, what is refused, who may write, what is left behind."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

import places
from fact_helpers import COLOR, DONE, LOST, OHM, at_noon, code_of, kept_bytes, rows, stream_of, types
from mace.core import canon, seeds
from mace.core.errors import InvalidInput
from mace.engine.runtime import Mace
from mace.memory.facts import row_hash
from mace.providers.frozen import FrozenClock

AGENTS = "mace/config/agents/allowed_writes"


@pytest.fixture
def clock() -> FrozenClock:
    return at_noon()


@pytest.fixture
def mace(mace_home: places.SqlitePlace, clock: FrozenClock) -> Iterator[Mace]:
    with mace_home.open(clock=clock) as opened:
        yield opened


# Which write wins


@pytest.mark.parametrize(
    ("first", "second", "answer", "value"),
    [
        (("user", "11:00:00"), ("user", "11:00:01"), DONE, "second"),
        (("user", "11:00:01"), ("user", "11:00:00"), LOST, "first"),
        (("user", "11:00:00"), ("user", "11:00:00"), DONE, "second"),
        (("user", "11:00:00"), ("system", "11:00:00"), LOST, "first"),
        (("system", "11:00:00"), ("user", "11:00:00"), DONE, "second"),
        (("system", "11:00:00"), ("system_admin", "11:00:00"), DONE, "second"),
        (("user", "11:00:00.000001"), ("user", "11:00:00"), LOST, "first"),
    ],
)
def test_the_last_write_wins(
    mace: Mace, first: tuple[str, str], second: tuple[str, str], answer: dict[str, Any], value: str
):
    assert mace.sem_put(COLOR, "first", first[0], f"2025-11-29T{first[1]}Z") == DONE
    assert mace.sem_put(COLOR, "second", second[0], f"2025-11-29T{second[1]}Z") == answer
    assert mace.sem_get(COLOR)["value"] == value
    assert [(row["value"], row["applied"]) for row in mace.sem_history(COLOR)] == [
        ("first", True),
        ("second", answer["applied"]),
    ]
    assert mace.verify()["ok"]


def test_an_omitted_timestamp_never_loses(mace: Mace, clock: FrozenClock):
    mace.sem_put(COLOR, "ahead", "user", "2025-11-29T12:04:00Z")
    assert mace.sem_put(COLOR, "next", "system") == DONE
    assert mace.sem_get(COLOR)["last_updated"] == "2025-11-29T12:04:00.000001Z"
    clock.move(hours=-1)  # the clock went back
    assert mace.sem_put(COLOR, "last", "agent:a")["error_code"] == "PERMISSION_DENIED"
    assert mace.sem_put(COLOR, "last", "system") == DONE
    assert mace.sem_get(COLOR)["value"] == "last"


# What is refused as input


@pytest.mark.parametrize(
    ("value", "arguments"),
    [
        ("blue", {"source": None}),
        ("blue", {"source": "somebody"}),
        ("blue", {"timestamp": "2025-11-29T12:05:01Z"}),
        ("blue", {"timestamp": "2025-11-29T12:00:00"}),
        ("x" * 16_383, {}),
        ("blue", {"notes": "x" * 513}),
        ("blue", {"meta": {"a": "x" * 16_384}}),
        (2**53, {}),
        (float("nan"), {}),
        ({"when": object()}, {}),
        ({1: 2}, {}),
        ("blue", {"user_id": ""}),
        ("blue", {"user_id": " ?! "}),
        ("blue", {"user_id": "\ud800"}),
        ("blue", {"user_id": "ann.smith@gmail.com"}),
        ("blue", {"user_id": "+49 170 1234567"}),
        ("blue", {"idempotency_key": ""}),
        ("blue", {"idempotency_key": "x" * 513}),
        ("blue", {"idempotency_key": "\ud800"}),
        (json.loads("[" * 300 + "]" * 300), {}),
    ],
)
def test_invalid_input_is_answered_recorded_and_stores_nothing(mace: Mace, value: Any, arguments: dict[str, Any]):
    answer = mace.sem_put(COLOR, value, **{"source": "user", **arguments})
    assert code_of(answer) == "INVALID_INPUT"
    assert types(mace, stream_of(answer)) == ["JOB_OPENED", "INVALID_INPUT"]
    assert (rows(mace, "facts"), rows(mace, "history")) == (0, 0)


def test_what_is_just_allowed_is_stored(mace: Mace):
    assert mace.sem_put(COLOR, "x" * 16_382, "user", "2025-11-29T12:05:00Z", "n" * 512) == DONE
    found = mace.sem_get(COLOR)
    assert (len(found["value"]), found["meta"]) == (16_382, {"notes": "n" * 512})


@pytest.mark.parametrize("inside", ["", "1", '"123-45-6789"'])
def test_a_value_of_any_depth_is_stored_or_refused(mace: Mace, inside: str):
    for depth in range(190, 215):
        value = json.loads("[" * depth + inside + "]" * depth)
        answer = mace.sem_put(OHM, value, "system")
        assert answer["error_code"] in ("INVALID_INPUT", "PRIVACY_BLOCKED" if "-" in inside else None)
        if answer["success"]:
            assert mace.sem_get(OHM)["value"] == value


@pytest.mark.parametrize(
    ("error", "call"),
    [
        (ValueError, lambda mace: mace.sem_get("no/key")),
        (ValueError, lambda mace: mace.sem_get(f"{COLOR}\n")),
        (ValueError, lambda mace: mace.sem_get(5)),
        (ValueError, lambda mace: mace.sem_put("no/key", 1, "user")),
        (ValueError, lambda mace: mace.sem_delete("no/key", "system_admin")),
        (ValueError, lambda mace: mace.sem_history("no/key")),
        (ValueError, lambda mace: mace.sem_list("user/prof*", "system_admin")),
        (ValueError, lambda mace: mace.sem_add_alias("fav", "no/key", "system_admin")),
        (ValueError, lambda mace: mace.key("nowhere", "profile", "x", "y")),
        (InvalidInput, lambda mace: mace.key("user", "profile", None, "name", user_id="ann.smith@gmail.com")),
        (InvalidInput, lambda mace: mace.sem_put(COLOR, 1, "user", job_seed="")),
        (InvalidInput, lambda mace: mace.sem_put(COLOR, 1, "user", job_seed=5)),
        (TypeError, lambda mace: mace.sem_put(COLOR, 1, 5)),
        (TypeError, lambda mace: mace.sem_put(COLOR, 1, "user", 5)),
        (TypeError, lambda mace: mace.sem_put(COLOR, 1, "user", notes=5)),
        (TypeError, lambda mace: mace.sem_put(COLOR, 1, "user", meta="x")),
        (TypeError, lambda mace: mace.sem_put(COLOR, 1, "user", user_id=5)),
        (TypeError, lambda mace: mace.sem_put(COLOR, 1, "user", idempotency_key=5)),
    ],
)
def test_a_broken_contract_raises_and_leaves_no_trace(mace: Mace, error: type[Exception], call: Any):
    size = mace.describe()["events"]
    with pytest.raises(error):
        call(mace)
    assert mace.describe()["events"] == size


# Who may write


@pytest.mark.parametrize(
    ("key", "source", "user_id", "code"),
    [
        (COLOR, "user", None, None),
        (COLOR, "user", "tuff", None),
        (COLOR, "user", " TuFf! ", None),
        (COLOR, "user", "user_tuff", None),
        (COLOR, "user", "other", "PERMISSION_DENIED"),
        (COLOR, "user", "tuff2", "PERMISSION_DENIED"),
        (OHM, "user", None, "PERMISSION_DENIED"),
        (OHM, "user", "tuff", "PERMISSION_DENIED"),
        ("mace/config/router/default_depth", "user", "tuff", "PERMISSION_DENIED"),
        ("user/profile/tuff/name", "user", "tuff", "PERMISSION_DENIED"),
        (OHM, "agent:listed", None, None),
        (COLOR, "agent:listed", None, None),
        (OHM, "agent:other", None, "PERMISSION_DENIED"),
        (AGENTS, "agent:listed", None, "PERMISSION_DENIED"),
        (OHM, "system", None, None),
        (OHM, "system_admin", None, None),
        ("system/state/node/mode", "system", None, None),
    ],
)
def test_writers(mace: Mace, key: str, source: str, user_id: str | None, code: str | None):
    mace.sem_put(AGENTS, ["listed"], "system_admin")
    answer = mace.sem_put(key, "x", source, user_id=user_id)
    assert answer["error_code"] == code
    assert mace.sem_get(key)["value"] == ("x" if code is None else ["listed"] if key == AGENTS else None)


def test_two_identities_with_one_slug_do_not_write_each_others_facts(mace: Mace):
    assert mace.sem_put("user/profile/user_a_b/name", "first", "user", user_id="a.b") == DONE
    refused = mace.sem_put("user/profile/user_a_b/name", "second", "user", user_id="a_b")
    assert code_of(refused) == "PERMISSION_DENIED"
    own = mace.key("user", "profile", None, "name", user_id="a_b")
    assert own.startswith("user/profile/user_a_b-")
    assert mace.sem_put(own, "second", "user", user_id="a_b") == DONE
    assert mace.sem_get("user/profile/user_a_b/name")["value"] == "first"


def test_a_key_written_by_its_name_belongs_to_whom_it_names(mace: Mace):
    mace.sem_put("user/profile/user_a_b/name", "plain", "system")
    assert mace.key("user", "profile", None, "name", user_id="a_b") == "user/profile/user_a_b/name"
    assert mace.key("user", "profile", None, "name", user_id="a.b") != "user/profile/user_a_b/name"


@pytest.mark.parametrize(
    ("source", "user_id", "actor"),
    [("user", None, "user_tuff"), ("user", " TuFf! ", "user_tuff"), ("system", None, "system"),
     ("system", "tuff", "system"), ("system_admin", None, "system_admin"), ("agent:a", None, "agent:a")],
)  # fmt: skip
def test_the_audit_names_the_actor(mace: Mace, source: str, user_id: str | None, actor: str):
    mace.sem_put(AGENTS, "a", "system_admin")
    mace.sem_put(COLOR, "blue", source, user_id=user_id)
    (row,) = mace.sem_history(COLOR)
    assert (row["source"], row["actor"]) == (source, actor)


# What a put leaves behind


def test_a_put_is_value_history_and_signed_event_and_they_agree(mace: Mace):
    mace.sem_put(OHM, "V = I R", "system", "2025-11-29T11:00:00Z", "by hand", {"trust": 0.5}, job_seed="seed-1")
    assert mace.sem_get(OHM) == {
        "exists": True,
        "value": "V = I R",
        "source": "system",
        "last_updated": "2025-11-29T11:00:00.000000Z",
        "meta": {"trust": 0.5, "notes": "by hand"},
    }
    opened, put = mace.events(seeds.job_id("seed-1"))
    assert (opened["event_type"], opened["payload"]["verb"]) == ("JOB_OPENED", "sem_put")
    content = canon.dumps({"meta": {"trust": 0.5}, "notes": "by hand", "value": "V = I R"})
    past = mace._parts.world.store.read(lambda tx: tx.facts.history_at(OHM, 1))
    assert past is not None
    assert past.content == content
    assert put["event_type"] == "SEM_PUT"
    assert put["signed_by"] == "system"
    assert put["payload"] == {
        "key": OHM,
        "version": 1,
        "source": "system",
        "timestamp": "2025-11-29T11:00:00.000000Z",
        "value_hash": canon.sha256_hex(content),
        "applied": True,
        "record": {"kind": "sem_history", "key": f"{OHM}@1", "hash": row_hash(past)},
    }
    assert mace.verify()["ok"]


def test_history_is_every_write_oldest_first(mace: Mace):
    mace.sem_put(COLOR, "green", "user", "2025-11-29T11:00:00Z", job_seed="a")
    mace.sem_put(COLOR, "red", "system", "2025-11-29T10:00:00Z", job_seed="b")
    mace.sem_delete(COLOR, "system_admin")
    mace.sem_put(COLOR, {"shade": ["blue"]}, "user")
    found = mace.sem_history(COLOR)
    assert [(row["version"], row["value"], row["applied"], row["deleted"]) for row in found] == [
        (1, "green", True, False),
        (2, "red", False, False),
        (3, None, True, True),
        (4, {"shade": ["blue"]}, True, False),
    ]
    assert [row["job_id"] for row in found[:2]] == [seeds.job_id("a"), seeds.job_id("b")]
    assert mace.sem_history(OHM) == []


@pytest.mark.parametrize("value", [{"a": [1, {"b": 2}]}, ["x"], {}])
def test_what_is_answered_belongs_to_the_caller(mace: Mace, value: Any):
    before = json.dumps(value)
    mace.sem_put(OHM, value, "system", meta={"tags": ["t"]})
    for _ in range(3):  # the first reads the store, the others the cache
        found = mace.sem_get(OHM)
        assert json.dumps(found["value"]) == before
        assert found["meta"] == {"tags": ["t"]}
        found["meta"]["tags"].append("mine")
        found["meta"]["more"] = 1
        found["value"].clear()
    missing = mace.sem_get(COLOR)
    missing["meta"]["mine"] = 1
    assert mace.sem_get(COLOR)["meta"] == {}


def test_a_persons_values_are_sealed_wherever_they_lie(mace: Mace, mace_home: places.SqlitePlace):
    told = {"user/profile/user_tuff/town": "Zwischenahn", "user/note/user_ann/dog": {"name": "Quastenflosser"}}
    for key, value in told.items():
        mace.sem_put(key, value, "user", notes="Trompetenbaum", meta={"tag": "Nebelkrähe"})
        mace.sem_get(key)
    mace.sem_put(COLOR, "Lapislazuli", "user", "2020-01-01T00:00:00Z")
    mace.sem_put(COLOR, "Ultramarin", "user", "2019-01-01T00:00:00Z")  # loses, and lies in the history only
    mace.sem_delete(COLOR, "system_admin")
    mace.sem_put("world/fact/control/definition", "Kontrollwort", "system")
    kept = kept_bytes(mace_home)
    assert b"Kontrollwort" in kept  # the search finds what lies open
    for word in ("Zwischenahn", "Quastenflosser", "Trompetenbaum", "Nebelkr", "Lapislazuli", "Ultramarin"):
        assert word.encode() not in kept
    assert mace.sem_get("user/note/user_ann/dog")["value"] == {"name": "Quastenflosser"}
    hashes = {row["value_hash"] for key in told for row in mace.sem_history(key)}
    for value in told.values():  # nor can a value be guessed by hashing it
        content = canon.dumps({"meta": {"tag": "Nebelkrähe"}, "notes": "Trompetenbaum", "value": value})
        assert canon.sha256_hex(content) not in hashes


def test_the_same_value_of_two_facts_has_two_hashes(mace: Mace):
    for name in ("a", "b"):
        mace.sem_put(f"user/profile/user_tuff/{name}", "blue", "user")
    first, second = (mace.sem_history(f"user/profile/user_tuff/{name}")[0]["value_hash"] for name in "ab")
    assert first != second
