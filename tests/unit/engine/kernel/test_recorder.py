"""Streams: opened by the first verb that names a seed, joined by the others, also when two nodes do so at once."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

import pytest

from attacks import append
from mace.core import canon, seeds
from mace.core.errors import InvalidInput
from mace.engine.kernel.recorder import MAX_SEED_CHARS, check_seed
from mace.providers.frozen import FrozenClock
from payloads import log_payload
from places import Place, SqlitePlace


@pytest.mark.parametrize("seed", ["x", "é", "x" * MAX_SEED_CHARS, " ", "😀"])
def test_a_seed_is_any_text(seed: str):
    assert check_seed(seed) == seed


@pytest.mark.parametrize("seed", ["", "x" * (MAX_SEED_CHARS + 1), "a\x00", "\ud800", "\udfff", None, 7, b"x", ["x"]])
def test_what_is_no_seed_is_refused(seed: Any):
    with pytest.raises(InvalidInput):
        check_seed(seed)


def test_a_stream_begins_with_its_opening_and_runs_on_seeded_time(place: Place):
    clock = FrozenClock(datetime(2025, 11, 29, 12, 0, 0, 123_456, UTC))
    with place.open(clock=clock) as mace:
        append(mace, "job-1", 2)
        clock.move(hours=5)
        append(mace, "job-1", 1)
        events = mace.events(seeds.job_id("job-1"))
    assert [event["event_type"] for event in events] == ["JOB_OPENED", "SEM_PUT", "SEM_PUT", "SEM_PUT"]
    assert [event["timestamp_seeded"] for event in events] == [
        f"2025-11-29T12:00:00.{123 + number}Z" for number in range(4)
    ]
    assert events[0]["event_id"] == "e84c8733e45279cab48f9f6f8a5464065f2e975b24d1f9a3c4836f80ec30d1f9"
    assert {event["trace_id"] for event in events} == {seeds.trace_id("job-1")}
    assert events[0]["payload"]["started_at"] == "2025-11-29T12:00:00.123Z"
    assert [event["prev_hash"] for event in events[1:]] == [event["hash"] for event in events[:-1]]


def test_events_say_when_they_were_written_one_time_for_all_that_were_written_together(place: Place):
    class Ticking(FrozenClock):
        """Later at every look: two readings are never the same."""

        def now(self) -> datetime:
            self.move(milliseconds=1)
            return super().now()

    with place.open(clock=Ticking(datetime(2025, 11, 29, 12, tzinfo=UTC))) as mace:
        append(mace, "job-1", 3)
        append(mace, "job-1", 2)
        asked = mace.ask("what is 2+2")
        first, second = (
            {event["recorded_at"] for event in events}
            for events in (mace.events(seeds.job_id("job-1"))[:4], mace.events(seeds.job_id("job-1"))[4:])
        )
        of_a_job = [event["recorded_at"] for event in mace.events(asked["job_id"])]
        assert mace.replay(asked["job_id"])["result"] == "MATCH"
    assert len(first) == len(second) == 1 and min(first) < min(second)  # type: ignore[type-var]
    assert len(set(of_a_job)) == 2  # a question is two units: its beginning, and all the rest
    assert of_a_job == sorted(of_a_job, key=str)
    with place.sql() as sql:
        bodies = [
            canon.loads(bytes(row[0])) for row in sql("select body from events where stream = ?", (asked["job_id"],))
        ]
    assert sorted(body["recorded_at"] for body in bodies) == sorted(
        of_a_job, key=str
    )  # hashed and signed with the rest


def test_what_no_caller_caused_goes_to_the_system_stream(place: Place):
    with place.open() as mace:
        mace.rotate_key()
        events = mace.events("system")
        assert [event["event_type"] for event in events] == ["JOB_OPENED", "KEY_ROTATED"]
        assert {event["job_seed"] for event in events} == {mace.describe()["log_name"]}


def test_two_nodes_open_the_same_seed_at_once(place: Place):
    with place.open() as first, place.open() as second:
        for number in range(8):
            with ThreadPoolExecutor(2) as pool:
                list(pool.map(lambda mace, seed=f"job {number}": append(mace, seed, 2), (first, second)))
            events = first.events(seeds.job_id(f"job {number}"))
            assert [event["event_type"] for event in events] == ["JOB_OPENED"] + ["SEM_PUT"] * 4
        assert first.verify()["ok"] is True


def test_two_nodes_write_beside_the_same_log_at_once(place: Place):
    """Amendments and feedback are numbered; nobody's is refused because another node was there first."""
    log_id = log_payload()["log_id"]
    with place.open() as first, place.open() as second:
        first.write_reflective_log(log_payload())

        def work(number: int) -> None:
            mace = (first, second)[number % 2]
            mace.amend(log_id, f"author-{number}", number, "note")
            mace.update_reflective_log(log_id, {"user_feedback": number, "audit_tags": str(number)})

        with ThreadPoolExecutor(6) as pool:
            list(pool.map(work, range(18)))
        read = first.read_reflective_log(log_id)
        assert len(set(read["amendments"])) == 18
        assert sorted(read["user_feedback"]) == list(range(18))
        assert first.verify()["ok"] is True


def test_two_nodes_find_the_same_at_once(place: Place):
    """It is recorded once."""
    with place.open() as mace:
        append(mace, "job", 3)
    with place.sql() as sql:
        sql("update events set body = ? where position = 2", (b"{}",))
    with place.open() as first, place.open() as second:
        with ThreadPoolExecutor(2) as pool:
            found = list(pool.map(lambda mace: mace.verify(), (first, second)))
        assert [result["ok"] for result in found] == [False, False]
        assert not any("not_recorded" in result for result in found)
        kinds = [event["event_type"] for event in first.events("system")]
        assert kinds.count("INTEGRITY_FAILURE") == len(found[0]["findings"])
        assert kinds.count("INCIDENT_CREATED") == 1
        assert found[0]["incident_id"] == found[1]["incident_id"]


def test_a_log_written_twice_at_once_is_written_once(place: Place):
    from mace import LogExistsError

    with place.open() as first, place.open() as second:

        def work(mace: Any) -> bool:
            try:
                mace.write_reflective_log(log_payload())
            except LogExistsError:
                return False
            return True

        with ThreadPoolExecutor(4) as pool:
            won = list(pool.map(work, (first, second, first, second)))
        assert won.count(True) == 1
        assert first.verify()["ok"] is True


def test_nothing_is_signed_on_the_word_of_a_changed_beginning(mace_home: SqlitePlace):
    """A stream whose first event was rewritten, hash included, goes on under its own seed and at an honest time."""
    stream = seeds.job_id("job")
    with mace_home.open() as mace:
        append(mace, "job", 1)
        said = mace.events(stream)[0]
    forged = {name: value for name, value in said.items() if name not in ("hash", "signature")}
    forged = {**forged, "job_seed": "other", "payload": {**forged["payload"], "started_at": "1999-01-01T00:00:00.000Z"}}
    body = canon.dumps(forged)
    with mace_home.sql() as sql:
        sql(
            "update events set body = ?, hash = ? where stream = ? and sequence_index = 0",
            (body, sha256(body).digest(), stream),
        )
    with mace_home.open() as mace:
        append(mace, "job", 1)
        last = mace.events(stream)[-1]
        assert (last["job_seed"], last["trace_id"]) == ("job", seeds.trace_id("job"))
        assert not last["timestamp_seeded"].startswith("1999")
        assert "BAD_SIGNATURE" in [finding["kind"] for finding in mace.verify()["findings"]]
