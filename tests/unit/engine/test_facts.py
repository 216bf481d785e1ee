"""The verbs of facts through an open MACE: every rule that a caller can notice, as tables."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

import places
from fact_helpers import COLOR, OHM, at_noon, kept_bytes, stream_of, types
from mace.core import canon, seeds
from mace.core.errors import InvalidInput
from mace.engine.facts import row_hash
from mace.engine.runtime import Mace
from mace.providers.frozen import FrozenClock
from mace.storage.ports import JobRow

DONE = {"success": True, "applied": True, "error_code": None}
LOST = {"success": True, "applied": False, "error_code": None}
AGENTS = "mace/config/agents/allowed_writes"


@pytest.fixture
def clock() -> FrozenClock:
    return at_noon()


@pytest.fixture
def mace(mace_home: places.SqlitePlace, clock: FrozenClock) -> Iterator[Mace]:
    with mace_home.open(clock=clock) as opened:
        yield opened


def code_of(answer: dict[str, Any]) -> str:
    """The code of a refusal that is whole: flags, message and envelope agree."""
    assert (answer["success"], answer["applied"]) == (False, False)
    assert answer["error"]["error_code"] == answer["error_code"]
    assert answer["error"]["user_message"] == answer["user_message"]
    code: str = answer["error_code"]
    return code


def rows(mace: Mace, table: str) -> int:
    """How many rows there are of something that only puts add to."""
    found = mace._world.store.read(lambda tx: list(tx.facts.scan()))
    return {"facts": len(found), "history": sum(len(mace.sem_history(fact.key)) for fact in found)}[table]


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
    past = mace._world.store.read(lambda tx: tx.facts.history_at(OHM, 1))
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


# Deleting


def test_a_delete_leaves_a_tombstone_and_an_audit(mace: Mace):
    mace.sem_put(COLOR, "blue", "user")
    assert mace.sem_delete(COLOR, "system_admin") == DONE
    assert mace.sem_get(COLOR)["error_code"] == "SEM_NOT_FOUND"
    assert mace.sem_list("user", "system_admin") == []
    written, deleted = mace.sem_history(COLOR)
    assert (written["value"], deleted["deleted"], deleted["actor"]) == ("blue", True, "system_admin")
    event = mace.events(deleted["job_id"])[-1]
    assert (event["event_type"], event["signed_by"], event["payload"]["key"]) == ("sem_delete", "system_admin", COLOR)
    assert mace.verify()["ok"]


@pytest.mark.parametrize("source", ["user", "system", "agent:a", "admin", "", None])
def test_only_an_admin_deletes(mace: Mace, source: Any):
    mace.sem_put(COLOR, "blue", "user")
    assert code_of(mace.sem_delete(COLOR, source)) == "PERMISSION_DENIED"
    assert mace.sem_get(COLOR)["value"] == "blue"


def test_what_is_not_there_cannot_be_deleted(mace: Mace):
    answer = mace.sem_delete(COLOR, "system_admin")
    assert code_of(answer) == "SEM_NOT_FOUND"
    assert types(mace, stream_of(answer)) == ["JOB_OPENED", "SEM_NOT_FOUND"]
    mace.sem_put(COLOR, "blue", "user")
    mace.sem_delete(COLOR, "system_admin")
    assert code_of(mace.sem_delete(COLOR, "system_admin")) == "SEM_NOT_FOUND"
    assert len(mace.sem_history(COLOR)) == 2


@pytest.mark.parametrize(
    ("source", "timestamp", "answer"),
    [
        ("user", None, DONE),
        ("system", "2025-11-29T12:00:00.000001Z", LOST),  # as late as the tombstone: the larger source wins
        ("user", "2025-11-29T12:00:00.000001Z", DONE),
        ("user", "2025-11-29T11:00:00Z", LOST),
        ("user", "2025-11-29T12:01:00Z", DONE),
    ],
)
def test_a_put_after_a_delete_must_be_later_than_the_tombstone(
    mace: Mace, source: str, timestamp: str | None, answer: dict[str, Any]
):
    mace.sem_put(COLOR, "before", "system_admin")
    mace.sem_delete(COLOR, "system_admin")
    assert mace.sem_put(COLOR, "after", source, timestamp) == answer
    assert mace.sem_get(COLOR)["exists"] is answer["applied"]


# Idempotency


def test_a_repeated_put_is_a_no_op_with_the_first_answer(mace_home: places.SqlitePlace):
    with mace_home.open(clock=at_noon()) as mace:
        mace.sem_put(COLOR, "now", "user", "2025-11-29T11:30:00Z")
        first = mace.sem_put(COLOR, "blue", "user", "2025-11-29T11:00:00Z", idempotency_key="one")
        assert first == LOST
        size = mace.describe()["events"]
        assert mace.sem_put(COLOR, "blue", "user", "2025-11-29T11:00:00Z", idempotency_key="one") == first
        assert mace.describe()["events"] == size
    with mace_home.open(clock=at_noon()) as mace:  # also after a restart, and after other writes
        mace.sem_put(COLOR, "later", "user")
        assert mace.sem_put(COLOR, "blue", "user", idempotency_key="one") == first
        assert len(mace.sem_history(COLOR)) == 3
        assert mace.sem_get(COLOR)["value"] == "later"


@pytest.mark.parametrize(
    ("key", "value", "source", "meta"),
    [(COLOR, "red", "user", None), ("user/profile/user_tuff/food", "blue", "user", None),
     (COLOR, "blue", "user", {"a": 1})],
)  # fmt: skip
def test_another_request_with_the_same_idempotency_key_is_a_conflict(
    mace: Mace, key: str, value: str, source: str, meta: dict[str, Any] | None
):
    mace.sem_put(COLOR, "blue", "user", idempotency_key="one")
    answer = mace.sem_put(key, value, source, meta=meta, idempotency_key="one")
    assert code_of(answer) == "CONFLICT"
    assert rows(mace, "history") == 1


def test_idempotency_keys_are_everybodys_own(mace: Mace):
    assert mace.sem_put(COLOR, "blue", "user", user_id="tuff", idempotency_key="1") == DONE
    assert mace.sem_put("user/profile/user_ann/color", "red", "user", user_id="ann", idempotency_key="1") == DONE
    assert mace.sem_put(OHM, "V = I R", "system", idempotency_key="1") == DONE
    assert rows(mace, "facts") == 3


def test_a_refused_put_does_not_use_up_its_idempotency_key(mace: Mace):
    assert code_of(mace.sem_put(COLOR, "123-45-6789", "user", idempotency_key="one")) == "PRIVACY_BLOCKED"
    assert mace.sem_put(COLOR, "blue", "user", idempotency_key="one") == DONE


# Privacy


@pytest.mark.parametrize("place_of_it", ["value", "notes", "meta", "nested", "member name"])
def test_personal_data_is_found_wherever_it_stands_in_a_put(mace: Mace, place_of_it: str):
    ssn = "123-45-6789"
    value: Any = {"nested": {"a": [{"b": ssn}]}, "member name": {"x": {ssn: 1}}, "value": ssn}.get(place_of_it, "fine")
    answer = mace.sem_put(
        COLOR,
        value,
        "user",
        notes=f"of {ssn}" if place_of_it == "notes" else None,
        meta={"a": ssn} if place_of_it == "meta" else None,
        job_seed="seed-1",
    )
    assert code_of(answer) == "PRIVACY_BLOCKED"
    flagged = [event for event in mace.events(seeds.job_id("seed-1")) if event["event_type"] == "PII_FLAGGED"]
    expected = mace._world.keys.mac(f"{ssn}seed-1".encode()).hex()  # over the matched span, wherever it stood
    assert [event["payload"]["pii_hash"] for event in flagged] == [expected]


@pytest.mark.parametrize("value", ["Ann", "I like chess and long walks", "What is diabetes?", "call me in May"])
def test_low_findings_never_block(mace: Mace, value: str):
    assert mace.sem_put(COLOR, value, "user") == DONE


# Aliases


def test_aliases_added_at_run_time_come_first_and_last(mace_home: places.SqlitePlace):
    with mace_home.open() as mace:
        assert mace.sem_resolve_alias("fav colour") == COLOR
        assert mace.sem_resolve_alias("fav colour", user_id="ann") == "user/profile/user_ann/favorite_color"
        assert mace.sem_resolve_alias("colour of choice") is None
        answer = mace.sem_add_alias("Colour of Choice?", "user/profile/{user}/favorite_color", "system_admin")
        assert (answer["success"], answer["error_code"]) == (True, None)
        mace.sem_add_alias("fav colour", "world/fact/blue/definition", "system")
    with mace_home.open() as mace:
        assert mace.sem_resolve_alias("colour of choice", user_id="ann") == "user/profile/user_ann/favorite_color"
        assert mace.sem_resolve_alias("colour of choice") is None  # {user} without a user
        assert mace.sem_resolve_alias(" FAV colour! ", user_id="ann") == "world/fact/blue/definition"
        assert mace.sem_resolve_alias("x" * 100_000) is None
        assert mace.sem_resolve_alias("\x00") is None


@pytest.mark.parametrize("source", ["user", "agent:a", "", None])
def test_only_admins_add_aliases(mace: Mace, source: Any):
    assert code_of(mace.sem_add_alias("tint", COLOR, source)) == "PERMISSION_DENIED"
    assert mace.sem_resolve_alias("tint") is None


def test_an_alias_may_not_be_personal_data(mace: Mace):
    assert code_of(mace.sem_add_alias("123-45-6789", COLOR, "system_admin")) == "PRIVACY_BLOCKED"
    assert mace.sem_resolve_alias("123-45-6789") is None


# Listing


@pytest.mark.parametrize(
    ("prefix", "found"),
    [
        ("", [0, 1, 2, 3, 4]),
        ("user", [1, 2, 3]),
        ("user/", [1, 2, 3]),
        ("user/profile", [2, 3]),
        ("user/prof", []),  # whole components only
        ("user/profile/user_tuff", [2, 3]),
        ("user/profile/user_tuf", []),
        ("user/profile/user_tuff/age", [2]),  # a whole key stands for itself
        ("user/profile/user_tuff/ag", []),
        ("world", [4]),
        ("mace/config", [0]),
        ("agent", []),
    ],
)
def test_listing_by_whole_leading_components(mace: Mace, prefix: str, found: list[int]):
    keys = [
        "mace/config/router/default_depth",
        "user/note/user_tuff/age",
        "user/profile/user_tuff/age",
        "user/profile/user_tuff/name",
        "world/fact/ohms_law/definition",
    ]
    for key in reversed(keys):
        mace.sem_put(key, "x", "system")
    mace.sem_put("user/profile/user_tuff/gone", "x", "system")
    mace.sem_delete("user/profile/user_tuff/gone", "system_admin")
    assert mace.sem_list(prefix, "system_admin") == [keys[at] for at in found]
    assert mace.sem_list(prefix) == mace.sem_list(prefix, "system")


@pytest.mark.parametrize("source", ["user", "agent:a", "admin", ""])
def test_listing_is_for_admins(mace: Mace, source: str):
    assert code_of(mace.sem_list("user", source)) == "PERMISSION_DENIED"


# The key registry


def test_a_collision_is_kept_apart_and_recorded_once(mace: Mace):
    def collisions() -> list[dict[str, Any]]:
        streams = mace._world.store.read(lambda tx: tx.streams.recent(100))
        events = [event for origin in streams for event in mace.events(origin.stream)]
        return [event["payload"] for event in events if event["event_type"] == "collision_event"]

    first = mace.key("world", "fact", "Rock & Roll", "summary")
    assert (first, collisions()) == ("world/fact/rock_roll/summary", [])
    second = mace.key("world", "fact", "Rock-Roll", "summary")
    assert second == "world/fact/rock_roll-387b8d/summary"
    assert mace.key("world", "fact", "rock-ROLL", "summary") == second
    assert mace.key("world", "fact", "Rock & Roll", "other") == "world/fact/rock_roll/other"
    (told,) = collisions()
    assert told["slug"] == "rock_roll-387b8d"
    assert told["slots"] == ["world/fact/rock_roll-387b8d"]
    assert "Roll" not in json.dumps(told)  # the raw text is nowhere
    mace.sem_put(first, "one", "system")
    mace.sem_put(second, "two", "system")
    assert (mace.sem_get(first)["value"], mace.sem_get(second)["value"]) == ("one", "two")


def test_a_users_first_put_takes_their_seat_and_records_a_collision(mace: Mace):
    mace.sem_put("user/profile/user_a_b/name", "x", "user", user_id="a.b")
    own = mace.key("user", "profile", None, "name", user_id="a b")
    assert own != "user/profile/user_a_b/name"
    assert mace.key("user", "note", None, "name", user_id="A.B") == "user/note/user_a_b/name"


# Streams


def test_verbs_given_one_seed_share_its_stream(mace: Mace):
    mace.sem_put(COLOR, "blue", "user", job_seed="seed-1")
    mace.sem_put(OHM, "V = I R", "system", job_seed="seed-1")
    code_of(mace.sem_put(COLOR, "123-45-6789", "user", job_seed="seed-1"))
    assert types(mace, seeds.job_id("seed-1")) == ["JOB_OPENED", "SEM_PUT", "SEM_PUT", "PII_FLAGGED", "PRIVACY_BLOCKED"]
    assert mace.verify()["ok"]


def test_a_running_job_is_not_joined(mace: Mace):
    job = JobRow(seeds.job_id("seed-1"), "ask", "running", "2025-11-29T12:00:00Z", "", "")
    mace._world.store.write(lambda tx: tx.jobs.add(job))
    for value in ("blue", "123-45-6789"):  # whatever is refused: it goes elsewhere than into the job's stream
        answer = mace.sem_put(COLOR, value, "user", job_seed="seed-1")
        assert code_of(answer) == ("CONFLICT" if value == "blue" else "PRIVACY_BLOCKED")
        assert mace.sem_get(COLOR)["exists"] is False
    assert mace.events(seeds.job_id("seed-1")) == []
    mace._world.store.write(lambda tx: tx.jobs.set_status(job.stream, "closed"))
    assert mace.sem_put(COLOR, "blue", "user", job_seed="seed-1") == DONE
    assert types(mace, seeds.job_id("seed-1")) == ["JOB_OPENED", "SEM_PUT"]


def test_a_verb_without_a_seed_has_a_stream_of_its_own(mace: Mace):
    for _ in range(3):
        mace.sem_put(OHM, "V = I R", "system")
    streams = {row["job_id"] for row in mace.sem_history(OHM)}
    assert len(streams) == 3
    assert {tuple(types(mace, stream)) for stream in streams} == {("JOB_OPENED", "SEM_PUT")}


def test_a_closed_mace_says_so(mace_home: places.SqlitePlace):
    mace = mace_home.open()
    mace.sem_put(COLOR, "blue", "user")
    mace.close()
    assert mace.sem_get(COLOR)["error_code"] == "DATA_UNAVAILABLE"
    assert code_of(mace.sem_put(COLOR, "red", "user")) == "SEM_WRITE_FAIL"
    with mace_home.open() as again:
        assert again.sem_get(COLOR)["value"] == "blue"
        assert again.describe()["spilled_waiting"] == 0
