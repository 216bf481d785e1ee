"""What follows from a seed, with literal values: a change here would make every old log unreplayable."""

import hashlib
import uuid
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mace.core import seeds

STARTED = datetime(2025, 11, 29, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seed", "index", "event_type", "identity"),
    [
        # sha256 of the plain concatenation, taken with sha256sum
        ("job-1", 0, "JOB_OPENED", "e84c8733e45279cab48f9f6f8a5464065f2e975b24d1f9a3c4836f80ec30d1f9"),
        ("job-1", 15, "PII_FLAGGED", "8fabfdc327f844aae68818869c9307fff2bf4ec57c0bffc2bfbe360574508e39"),
        ("é", 12, "sem_miss", "f56ee531c404577dae1770bc32ce4884c52b29f5cc9778cbe657cc07664191b4"),
        ("0" * 64, 1_000_000, "AGENT_TIMEOUT", "d228688e543cd20c9c082f515a7214e5bd0841f20115d8767b05ae64e039e9e3"),
    ],
)
def test_an_event_id_is_the_hash_of_the_plain_concatenation(seed: str, index: int, event_type: str, identity: str):
    assert seeds.event_id(seed, index, event_type) == identity


def test_two_seeds_can_give_one_event_id():
    assert seeds.event_id("job-1", 15, "PII_FLAGGED") == seeds.event_id("job-11", 5, "PII_FLAGGED")


@pytest.mark.parametrize(
    ("derive", "seed", "expected"),
    [
        # The first 16 bytes of sha256(label + seed) with the version and variant bits of a UUID 4.
        (seeds.job_id, "job-1", "aa42ed27-2bdb-458a-9c06-214bc33cdac1"),
        (seeds.log_id, "job-1", "6b395876-f7d3-4c4d-8183-6d503162fc11"),
        (seeds.job_id, "é", "f0a54d9f-defd-4b30-8377-ff03f47e38f3"),
        (seeds.log_id, "é", "95fbb43f-13df-4bc1-a37e-96d496b7d0be"),
        (seeds.trace_id, "job-1", "391b81654c7d56d9419bcf4a623e46c0"),
        (seeds.trace_id, "é", "1fcab665e99b3d999934949fc348248b"),
    ],
)
def test_ids_derived_from_a_seed(derive: object, seed: str, expected: str):
    assert derive(seed) == expected  # type: ignore[operator]


def test_a_subtask_has_a_seed_and_an_id_of_its_own():
    seed = seeds.subtask_seed("job-1", 2, 3)
    assert seed == "db1f83bc02038cff640e126d6302cfa942cd5f91c9a95bdcc62a1b8178009395"
    assert seeds.subtask_id(seed) == "7cac3247-6997-414f-b68d-5e1aa43d4b54"


@pytest.mark.parametrize(
    ("started", "index", "text"),
    [
        (STARTED, 0, "2025-11-29T12:00:00.000Z"),
        (STARTED, 1, "2025-11-29T12:00:00.001Z"),
        (STARTED, 999, "2025-11-29T12:00:00.999Z"),
        (STARTED, 60_000, "2025-11-29T12:01:00.000Z"),
        (STARTED + timedelta(microseconds=999), 7, "2025-11-29T12:00:00.007Z"),
        (datetime(2024, 2, 28, 23, 59, 59, 999_000, UTC), 1, "2024-02-29T00:00:00.000Z"),
        (STARTED.astimezone(timezone(timedelta(hours=5, minutes=30))), 0, "2025-11-29T12:00:00.000Z"),
    ],
)
def test_seeded_time_is_the_start_plus_one_millisecond_per_event(started: datetime, index: int, text: str):
    assert seeds.seeded_timestamp(started, index) == text


@pytest.mark.parametrize(
    ("seed", "yes", "delay_ms"),
    [
        # sha256 ends in ...d9, ...4c, ...2b, ...9d: even means yes
        ("job-1", False, 13),
        ("é", True, 88),
        ("seed", False, 63),
        ("b", False, 65),
    ],
)
def test_seeded_choice_and_delay(seed: str, yes: bool, delay_ms: int):
    assert seeds.seeded_yes(seed) is yes
    assert seeds.seeded_delay_ms(seed) == delay_ms


def test_seeded_choices_fall_both_ways():
    assert {seeds.seeded_yes(str(number)) for number in range(20)} == {True, False}


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=40), st.sampled_from(["job_id", "log_id", "x"]))
def test_a_derived_uuid_is_the_first_half_of_the_hash_marked_as_version_4(seed: str, label: str):
    digest = hashlib.sha256(f"{label}{seed}".encode()).digest()
    assert seeds.derived_uuid(label, seed) == str(uuid.UUID(bytes=digest[:16], version=4))


@given(
    st.datetimes(datetime(1, 1, 3), datetime(9999, 12, 28)),
    st.integers(-1439, 1439),
    st.integers(0, 3_000_000),
)
def test_seeded_time_is_the_start_and_a_millisecond_for_each_event(at: datetime, minutes: int, index: int):
    started = at.replace(tzinfo=timezone(timedelta(minutes=minutes)))
    plain = (started + timedelta(milliseconds=index)).astimezone(UTC).replace(tzinfo=None)
    assert seeds.seeded_timestamp(started, index) == plain.isoformat(timespec="milliseconds") + "Z"
