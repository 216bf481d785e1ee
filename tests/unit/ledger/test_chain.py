"""The chain with literal bytes: what is hashed, what is signed, and how one event follows from another."""

import hashlib
import hmac
from datetime import UTC, datetime

import pytest

from mace.core import canon
from mace.core.events import EVENT_TYPES, GENESIS_HASH, Head, Origin
from mace.core.purposes import Purpose
from mace.ledger.chain import link

ORIGIN = Origin("stream-1", "job-1", "t" * 32, datetime(2025, 11, 29, 12, tzinfo=UTC))


def sign(purpose: Purpose, digest: bytes) -> str:
    return f"k1:{hmac.digest(b'key', digest, 'sha256').hex()}"


AT = "2025-11-29T12:00:03.250Z"


@pytest.mark.parametrize(
    ("recorded_at", "said"), [(AT, f'"recorded_at":"{AT}",'), (None, "")], ids=["now", "before there was such a time"]
)
def test_the_first_event_byte_for_byte(recorded_at: str | None, said: str):
    event = link(None, ORIGIN, "JOB_OPENED", {"z": 1.0, "a": "é"}, "system", sign, recorded_at)
    assert (
        event.body
        == (
            '{"event_id":"e84c8733e45279cab48f9f6f8a5464065f2e975b24d1f9a3c4836f80ec30d1f9","event_type":"JOB_OPENED",'
            '"job_seed":"job-1","payload":{"a":"é","z":1},"prev_hash":"'
            + "0" * 64
            + '",'
            + said
            + '"sequence_index":0,'
            '"signed_by":"system","stream":"stream-1","timestamp_seeded":"2025-11-29T12:00:00.000Z",'
            '"trace_id":"' + "t" * 32 + '"}'
        ).encode()
    )
    assert event.hash == hashlib.sha256(event.body).digest()
    assert event.signature == "k1:" + hmac.new(b"key", event.hash, "sha256").hexdigest()
    assert event.event_id.hex() == "e84c8733e45279cab48f9f6f8a5464065f2e975b24d1f9a3c4836f80ec30d1f9"
    assert (event.stream, event.sequence_index, event.event_type) == ("stream-1", 0, "JOB_OPENED")


def test_each_event_commits_to_the_one_before():
    head: Head | None = None
    before = GENESIS_HASH
    for index, event_type in enumerate(["JOB_OPENED", "SEM_PUT", "SEM_PUT", "JOB_CLOSED"]):
        event = link(head, ORIGIN, event_type, {}, "system", sign)
        said = canon.loads(event.body)
        assert said["prev_hash"] == before
        assert said["sequence_index"] == event.sequence_index == index
        assert said["timestamp_seeded"] == f"2025-11-29T12:00:00.00{index}Z"
        head, before = Head(index, event.hash), event.hash.hex()


def test_the_body_is_canonical_and_has_every_field_up_to_prev_hash():
    body = link(None, ORIGIN, "JOB_OPENED", {"n": [1e21, -0.0]}, "agent:x", sign, AT).body
    assert canon.dumps(canon.loads(body)) == body
    assert sorted(canon.loads(body)) == [
        "event_id",
        "event_type",
        "job_seed",
        "payload",
        "prev_hash",
        "recorded_at",
        "sequence_index",
        "signed_by",
        "stream",
        "timestamp_seeded",
        "trace_id",
    ]


def test_an_unknown_type_is_refused():
    with pytest.raises(ValueError, match="not an event type"):
        link(None, ORIGIN, "SOMETHING_ELSE", {}, "system", sign)


def test_a_payload_without_canonical_form_is_refused():
    with pytest.raises(canon.NotCanonical):
        link(None, ORIGIN, "JOB_OPENED", {"n": float("nan")}, "system", sign)


@pytest.mark.parametrize(
    "name",
    [
        # as the stage 0 text spells them
        "sem_miss", "router_miss", "router_decision", "collision_event", "admin_access_event",
        "memory_promote_request", "sem_delete",
        # as the stage 1 text spells them
        "AGENT_TIMEOUT", "NODE_OFFLINE", "SERVICE_UNAVAILABLE", "MEMORY_WRITE_FAIL", "INTEGRITY_FAILURE",
        "POLICY_VIOLATION", "SECURITY_INCIDENT", "PII_FLAGGED", "PII_CONSENT", "PII_CONSENT_REVOKE", "DSR_REQUEST",
        "DSR_DELETE_REQUEST", "RETRY_ATTEMPT", "INCIDENT_CREATED", "INCIDENT_ACK", "FORCE_HALT_REPLAY",
    ],
)  # fmt: skip
def test_the_texts_own_event_types_are_spelled_as_there(name: str):
    assert name in EVENT_TYPES


def test_every_other_type_is_in_capitals():
    stage0 = {"sem_miss", "router_miss", "router_decision", "collision_event", "admin_access_event",
              "memory_promote_request", "sem_delete"}  # fmt: skip
    assert all(name == name.upper() for name in EVENT_TYPES - stage0)
