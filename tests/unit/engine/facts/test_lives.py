"""Deleting, repeating, blocking and joining: what happens to facts over time, as tables."""

from collections.abc import Iterator
from typing import Any

import pytest

import places
from fact_helpers import COLOR, DONE, LOST, OHM, at_noon, code_of, rows, stream_of, types
from mace.core import seeds
from mace.core.errors import Closed, InvalidInput
from mace.engine.runtime import Mace
from mace.ledger import rows as ledger_rows
from mace.providers.frozen import FrozenClock


@pytest.fixture
def clock() -> FrozenClock:
    return at_noon()


@pytest.fixture
def mace(mace_home: places.SqlitePlace, clock: FrozenClock) -> Iterator[Mace]:
    with mace_home.open(clock=clock) as opened:
        yield opened


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


@pytest.mark.parametrize("source", ["user", "system", "agent:a", "admin", ""])
def test_only_an_admin_deletes(mace: Mace, source: str):
    mace.sem_put(COLOR, "blue", "user")
    assert code_of(mace.sem_delete(COLOR, source)) == "PERMISSION_DENIED"
    assert mace.sem_get(COLOR)["value"] == "blue"


def test_whoever_deletes_says_as_whom(mace: Mace):
    mace.sem_put(COLOR, "blue", "user")
    with pytest.raises(InvalidInput, match="source must be given"):
        mace.sem_delete(COLOR)
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


def test_a_repeated_put_of_what_was_deleted_says_so(mace: Mace):
    for key in (COLOR, OHM):
        source = "user" if key == COLOR else "system"
        assert mace.sem_put(key, "blue", source, idempotency_key="form-1") == DONE
        mace.sem_delete(key, "system_admin")
        again = mace.sem_put(key, "blue", source, idempotency_key="form-1")
        assert code_of(again) == "CONFLICT" and "use a new idempotency_key" in str(again)
        assert mace.sem_get(key)["exists"] is False
        assert mace.sem_put(key, "blue", source, idempotency_key="form-2") == DONE
        assert mace.sem_put(key, "blue", source, idempotency_key="form-1") == DONE  # it is there again


def test_an_answer_that_somebody_put_there_is_not_believed(mace_home: places.SqlitePlace):
    with mace_home.open() as mace:
        assert mace.sem_put(COLOR, "blue", "user", idempotency_key="form-1") == DONE
        with mace_home.sql() as sql:
            [held] = sql("select token, request_hash, answer from idempotency")
            put = next(e for e in mace.events(mace.sem_history(COLOR)[0]["job_id"]) if e["event_type"] == "SEM_PUT")
            named = ledger_rows.idempotency_hash(*held)
            assert put["payload"]["records"] == [{"kind": "idempotency", "key": held[0], "hash": named}]
            sql("delete from facts")
            sql("delete from sem_history")
        assert code_of(mace.sem_put(COLOR, "blue", "user", idempotency_key="form-1")) == "CONFLICT"


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
    expected = mace._parts.world.keys.pii_mac(f"{ssn}seed-1".encode()).hex()  # over the matched span, wherever it stood
    assert [event["payload"]["pii_hash"] for event in flagged] == [expected]


@pytest.mark.parametrize("value", ["Ann", "I like chess and long walks", "What is diabetes?", "call me in May"])
def test_low_findings_never_block(mace: Mace, value: str):
    assert mace.sem_put(COLOR, value, "user") == DONE


# Streams


def test_verbs_given_one_seed_share_its_stream(mace: Mace):
    mace.sem_put(COLOR, "blue", "user", job_seed="seed-1")
    mace.sem_put(OHM, "V = I R", "system", job_seed="seed-1")
    code_of(mace.sem_put(COLOR, "123-45-6789", "user", job_seed="seed-1"))
    assert types(mace, seeds.job_id("seed-1")) == [
        "JOB_OPENED",
        "SEM_PUT",
        "SEM_PUT",
        "PII_FLAGGED",
        "PRIVACY_BLOCKED",
    ]
    assert mace.verify()["ok"]


def test_a_running_job_is_not_joined(mace: Mace):
    recorder, store = mace._parts.recorder, mace._parts.world.store
    begins = {"verb": "ask", "job": {"kind": "ask", "person": COLOR.split("/")[2]}}
    origin = store.write(lambda tx: recorder.open(tx, "seed-1", begins))
    for value in ("blue", "123-45-6789"):  # whatever is refused: it goes elsewhere than into the job's stream
        answer = mace.sem_put(COLOR, value, "user", job_seed="seed-1")
        assert code_of(answer) == ("CONFLICT" if value == "blue" else "PRIVACY_BLOCKED")
        assert mace.sem_get(COLOR)["exists"] is False
    assert types(mace, seeds.job_id("seed-1")) == ["JOB_OPENED"]
    store.write(lambda tx: recorder.append(tx, origin, "JOB_CLOSED", {}))
    assert mace.sem_put(COLOR, "blue", "user", job_seed="seed-1") == DONE
    assert types(mace, seeds.job_id("seed-1")) == ["JOB_OPENED", "JOB_CLOSED", "SEM_PUT"]


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
    for verb in (
        lambda: mace.sem_get(COLOR),
        lambda: mace.sem_list("user"),
        lambda: mace.sem_put(COLOR, "red", "user"),
        lambda: mace.ask("2 + 2"),
        lambda: mace.accounts.list(),
        mace.verify,
    ):
        with pytest.raises(Closed):
            verb()
    with mace_home.open() as again:
        assert again.sem_get(COLOR)["value"] == "blue"
        assert again.describe()["spilled_waiting"] == 0
