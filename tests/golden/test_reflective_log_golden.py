"""T20 to T23 and section G of the reflective log, by their ids, on both engines."""

from hashlib import sha256
from typing import Any

import pytest

import canaries
from mace import ImmutableFieldError, IntegrityFailure, InvalidInput, LogExistsError, LogInvalid, NotFound
from mace.core import canon
from mace.core.purposes import Purpose
from mace.ledger.reflective import IMMUTABLE_FIELDS
from places import Place

pytestmark = [pytest.mark.stage0, pytest.mark.golden]

LOG_ID = "8c5a4f4e-6f1d-4a53-9d7c-0b1f9f0d3a11"


def payload(**changes: Any) -> dict[str, Any]:
    return {
        "log_id": LOG_ID,
        "created_at": "2025-11-29T12:00:00Z",
        "source": "user_request",
        "query_id": "0d3a2b9e-1f5d-4c1d-8f67-0a2b6d7e8f90",
        "query_text_hash": "ab" * 32,
        "qcp_summary": {"depth_level": 1, "intent_tags": ["profile"], "urgency": "low"},
        "agents_invoked": ["logic_v1", "creative_v2"],
        "agent_outputs": [
            {
                "agent_id": "logic_v1",
                "text": "Final step ...",
                "confidence": 0.91,
                "reasoning_trace": ["step1", "step2"],
                "tokens": 120,
                "time_ms": 470,
            }
        ],
        "council_votes": [
            {
                "council_agent_id": "council_eval_v1",
                "scores": {"factuality": 0.92, "coherence": 0.88, "safety": 0.99},
                "approve": True,
                "suggested_changes": "Shorten intro",
                "note": "missing numeric check",
            }
        ],
        "final_answer": "Your favorite colour is blue.",
        "final_confidence": 0.91,
        "repair_loops": 0,
        "cache_hit": False,
        "sem_snapshot_hash": "cd" * 32,
        "runtime_metrics": {"total_time_ms": 512, "per_agent_time_ms": {"logic_v1": 470}, "tokens_used": 120},
        "system_version": "mace-0.1.0",
        **changes,
    }


@pytest.mark.critical
def test_T20_LOG_CREATE_READ(place: Place) -> None:
    with place.open() as mace:
        assert mace.write_reflective_log(payload()) == LOG_ID
        read = mace.read_reflective_log(LOG_ID)
        assert {name: read[name] for name in payload()} == payload()
        beside = {"amendments", "user_feedback", "ground_truth_label", "audit_tags", "job_id"}
        assert set(read) == {*IMMUTABLE_FIELDS, *beside}
        assert mace.verify()["ok"]
        with pytest.raises(LogExistsError):
            mace.write_reflective_log(payload(final_answer="another"))
    with place.open() as again:
        assert again.read_reflective_log(LOG_ID) == read


@pytest.mark.critical
def test_T21_LOG_IMMUTABLE_ENFORCE(place: Place) -> None:
    with place.open() as mace:
        mace.write_reflective_log(payload())
        before = mace.read_reflective_log(LOG_ID)
        for field in IMMUTABLE_FIELDS:
            with pytest.raises(ImmutableFieldError) as refused:
                mace.update_reflective_log(LOG_ID, {field: "changed", "user_feedback": "good"})
            assert str(refused.value) == "Cannot modify immutable fields. Create an Amendment instead."
            with pytest.raises(ImmutableFieldError):
                mace.update_reflective_log(LOG_ID, {field: before[field]})  # not even to what it is
        assert mace.read_reflective_log(LOG_ID) == before


@pytest.mark.critical
@pytest.mark.parametrize(
    "statement",
    [
        "update reflective_log_stage0 set final_answer = '\"x\"' where log_id = ?",
        "delete from reflective_log_stage0 where log_id = ?",
    ],
)
def test_T21_LOG_IMMUTABLE_ENFORCE_by_the_database(place: Place, statement: str) -> None:
    with place.open() as mace:
        mace.write_reflective_log(payload())
        before = mace.read_reflective_log(LOG_ID)
        with place.sql(keep_triggers=True) as sql, pytest.raises(Exception, match="refused"):
            sql(statement, (LOG_ID,))
        assert mace.read_reflective_log(LOG_ID) == before


@pytest.mark.critical
def test_T22_LOG_AMENDMENT(place: Place) -> None:
    with place.open() as mace:
        mace.write_reflective_log(payload())
        first = mace.amend(LOG_ID, "ana", {"final_answer": "teal"}, "override_suggestion")
        second = mace.amend(LOG_ID, "bo", "looks right", "note")
        read = mace.read_reflective_log(LOG_ID)
        assert read["amendments"] == [first["amendment_id"], second["amendment_id"]]
        assert {name: read[name] for name in payload()} == payload()
        assert [item["target_log_id"] for item in mace.amendments(LOG_ID)] == [LOG_ID, LOG_ID]
        assert [item["author"] for item in mace.amendments(LOG_ID)] == ["ana", "bo"]
        assert sorted(first) == ["amendment_id", "author", "changes", "created_at", "effect", "target_log_id"]
        assert mace.amendments(LOG_ID) == [first, second]
        assert mace.verify()["ok"]
        for effect, author, log_id in (("shout", "ana", LOG_ID), ("note", "", LOG_ID)):
            with pytest.raises(InvalidInput):
                mace.amend(log_id, author, {}, effect)
        with pytest.raises(NotFound):
            mace.amend("8c5a4f4e-0000-4a53-9d7c-0b1f9f0d3a11", "ana", {}, "note")
        with pytest.raises(InvalidInput):
            mace.amend(LOG_ID, "ana", {"n": float("nan")}, "note")
        assert mace.read_reflective_log(LOG_ID) == read


def test_amendments_stay_in_their_order_however_many(place: Place) -> None:
    with place.open() as mace:
        mace.write_reflective_log(payload())
        written = [mace.amend(LOG_ID, "ana", number, "note")["amendment_id"] for number in range(12)]
        assert mace.read_reflective_log(LOG_ID)["amendments"] == written
        assert [item["changes"] for item in mace.amendments(LOG_ID)] == list(range(12))


@pytest.mark.critical
def test_T23_LOG_TAMPER_QUARANTINE(place: Place) -> None:
    with place.open() as mace:
        mace.write_reflective_log(payload())
        assert mace.verify()["ok"]
    with place.sql() as sql:
        sql("update reflective_log_stage0 set final_confidence = 1.0 where log_id = ?", (LOG_ID,))
    with place.open() as mace:
        found = mace.verify()
        assert not found["ok"]
        (finding,) = found["findings"]
        assert finding["kind"] == "RECORD_CHANGED"
        assert finding["where"] == {"table": "reflective_log_stage0", "kind": "reflective_log", "key": LOG_ID}
        entry = mace.quarantine_read(finding["finding_id"])
        assert float(entry["payload"]["row"]["final_confidence"]) == 1.0
        assert entry["finding"]["where"]["key"] == LOG_ID
        written = [event["event_type"] for event in mace.events("system")]
        assert written[-4:] == ["INTEGRITY_FAILURE", "INCIDENT_CREATED", "ADMIN_ALERT", "FORCE_HALT_REPLAY"]
        (incident,) = mace.incidents.list()
        assert incident["halting"] is True
        assert incident["incident_id"] == found["incident_id"]


def test_a_log_whose_text_was_damaged_cannot_be_read(place: Place) -> None:
    """Section G, T3: what cannot be opened any more is no answer, and not nothing either."""
    with place.open() as mace:
        mace.write_reflective_log(payload())
    with place.sql() as sql:
        sql("update reflective_log_stage0 set final_answer = ? where log_id = ?", ('{"key":"x"}', LOG_ID))
    with place.open() as mace, pytest.raises(IntegrityFailure) as refused:
        mace.read_reflective_log(LOG_ID)
    assert refused.value.user_message == "I’m temporarily unable to trust my past data; ops team will check."


def test_the_snapshot_a_log_points_to_stays_when_facts_change(mace_home: Place) -> None:
    """Section G, T5."""
    with mace_home.open() as mace:
        mace.sem_put("user/profile/user_tuff/favorite_color", "blue", "user")
        first = mace.ask("What is my favorite color?", "tuff")
        pinned = mace.read_reflective_log(first["log_id"])["sem_snapshot_hash"]
        mace.sem_put("user/profile/user_tuff/favorite_color", "red", "user")
        second = mace.ask("What is my favorite color?", "tuff")
        assert mace.read_reflective_log(first["log_id"])["sem_snapshot_hash"] == pinned
        assert mace.read_reflective_log(second["log_id"])["sem_snapshot_hash"] != pinned
        assert mace.replay(first["job_id"])["result"] == "MATCH"


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"final_answer": ...}, "final_answer is missing"),
        ({"source": "nobody"}, "source must be one of"),
        ({"log_id": "1234"}, "log_id must be a UUID"),
        ({"created_at": "yesterday"}, "created_at must be an ISO 8601 instant"),
        ({"query_text_hash": "abc"}, "query_text_hash must be a SHA-256"),
        ({"final_confidence": 1.5}, "final_confidence must be a number from 0 to 1"),
        ({"final_confidence": True}, "final_confidence must be a number from 0 to 1"),
        ({"repair_loops": -1}, "repair_loops must be a whole number"),
        ({"cache_hit": "no"}, "cache_hit must be true or false"),
        ({"council_votes": [{"council_agent_id": "c", "scores": {}, "approve": True, "note": "n" * 4001}]}, "4000"),
        ({"final_answer": "x" * (1 << 20)}, "the whole record has"),
        ({"signature": "k1:" + "0" * 64}, "the signature does not fit"),
        ({"secret_field": 1}, "1 unknown field"),
    ],
)
def test_an_invalid_log_is_refused_and_quarantined(mace_home: Place, changes: dict[str, Any], problem: str) -> None:
    given = {name: value for name, value in payload(**changes).items() if value is not ...}
    with mace_home.open() as mace:
        with pytest.raises(LogInvalid, match=problem) as refused:
            mace.write_reflective_log(given)
        assert mace.quarantine_read(refused.value.quarantine_id)["payload"] == given
        assert "LOG_QUARANTINED" in [event["event_type"] for event in mace.events("system")]
        assert mace.verify()["ok"]


NUMBER = "123-45-6789"
CANARY = f"canary-4711 my number is {NUMBER}"


@pytest.mark.parametrize(
    "given",
    [
        {"log_id": CANARY},
        {CANARY: 1},
        payload(final_answer=CANARY, source="nobody"),
        payload(final_answer={CANARY: [CANARY]}, final_confidence=2),
        payload(agent_outputs=[{"agent_id": CANARY, "text": CANARY}]),
        payload(query_id=CANARY, final_answer=float("nan")),
        payload(signature=CANARY),
        CANARY,
        [CANARY],
        {1: CANARY},
        {"deep": {"deeper": {CANARY: object()}}},
    ],
    ids=range(11),
)
def test_a_refused_payload_is_kept_sealed_and_nowhere_else(place: Place, given: Any) -> None:
    with place.open() as mace:
        for _ in range(2):  # the same payload twice is one entry
            with pytest.raises(LogInvalid) as refused:
                mace.write_reflective_log(given)
        assert CANARY not in str(refused.value)
        assert CANARY not in str(refused.value.details)
        entry = mace.quarantine_read(refused.value.quarantine_id)
        assert NUMBER not in str(entry["payload"])
        kept = mace._parts.world.store.read(lambda tx: mace._parts.logs.quarantined(tx, refused.value.quarantine_id))
        assert "canary-4711 my number is [redacted]" in str(kept["payload"])  # not even sealed; the rest is there
        kinds = [event["event_type"] for event in mace.events("system")]
        assert kinds.count("LOG_QUARANTINED") == kinds.count("ADMIN_ALERT") == 1
        assert "PII_FLAGGED" in kinds
        assert mace.verify()["ok"]
        assert canaries.everywhere(mace, place, [NUMBER]) == []
    with place.sql(keep_triggers=True) as sql:
        for table in place.tables():
            rows = sql(f"select {', '.join(place.columns(table))} from {table}")
            for row in rows:
                assert not any(CANARY[:11] in str(value) or CANARY[:11].encode() in _bytes(value) for value in row)
    for file in place.folder.iterdir():
        assert CANARY[:11].encode() not in file.read_bytes()


def _bytes(value: Any) -> bytes:
    return value if isinstance(value, bytes) else b""


def test_a_log_of_the_whole_texts_own_types(place: Place) -> None:
    """Section G, T1, with values that are easily damaged on the way through a database."""
    odd = payload(
        final_answer={"n": [1, 2.5, -0.0, 1e21, 5e-324, 1e16, 2**53 - 1, True, None], "é\U0001f600": "\u2028\x00"},
        runtime_metrics={"b": 1, "a": {"z": 1e-7}},
        qcp_summary={"urgency": "low", "depth_level": 3, "intent_tags": ["日本語", "a\nb"]},
        agents_invoked=[],
        council_votes=[],
        final_confidence=0.30000000000000004,
        repair_loops=3,
        cache_hit=True,
        query_id='client\'s "own" id',
        created_at="2025-11-29T12:00:00.123456+05:30",
    )
    with place.open() as mace:
        mace.write_reflective_log(odd)
    with place.open() as mace:
        read = mace.read_reflective_log(LOG_ID)
        assert {name: read[name] for name in odd} == odd
        assert [type(read[name]) for name in odd] == [type(value) for value in odd.values()]
        assert mace.verify()["ok"]


def test_a_payload_that_was_signed_is_checked_before_it_is_taken(mace_home: Place) -> None:
    with mace_home.open() as mace:
        digest = sha256(canon.dumps(payload())).digest()
        signature = mace._parts.world.keys.sign(Purpose.LOG, digest)
        with pytest.raises(LogInvalid, match="signature does not fit"):
            mace.write_reflective_log(payload(final_answer="changed on the way", signature=signature))
        assert mace.write_reflective_log(payload(signature=signature)) == LOG_ID


def test_a_long_agent_text_goes_to_a_sealed_artifact(mace_home: Place) -> None:
    output = {**payload()["agent_outputs"][0], "text": "canary-" + "x" * 20_000}
    with mace_home.open() as mace:
        mace.write_reflective_log(payload(agent_outputs=[output]))
        kept = mace.read_reflective_log(LOG_ID)["agent_outputs"][0]
        assert kept["text"] == output["text"][:16_000]
        assert kept["artifact_url"].startswith("mace:artifact/")
    assert all(b"canary-" not in file.read_bytes() for file in mace_home.folder.iterdir())


def test_feedback_labels_and_tags_are_appended_never_overwritten(mace_home: Place) -> None:
    with mace_home.open() as mace:
        mace.write_reflective_log(payload())
        mace.update_reflective_log(LOG_ID, {"user_feedback": {"rating": 2}})
        read = mace.update_reflective_log(LOG_ID, {"user_feedback": {"rating": 5}, "audit_tags": "checked"})
        assert read["user_feedback"] == [{"rating": 2}, {"rating": 5}]
        assert read["audit_tags"] == ["checked"]
        assert read["ground_truth_label"] == []
        before = mace.describe()["events"]
        for patch in ({"mood": "fine"}, {}, [], None, {"user_feedback": float("nan")}, {"audit_tags": "x" * (1 << 20)}):
            with pytest.raises(InvalidInput):
                mace.update_reflective_log(LOG_ID, patch)
        with pytest.raises(NotFound):
            mace.update_reflective_log("8c5a4f4e-0000-4a53-9d7c-0b1f9f0d3a11", {"audit_tags": "x"})
        assert mace.describe()["events"] == before
        for number in range(12):
            read = mace.update_reflective_log(LOG_ID, {"ground_truth_label": number})
        assert read["ground_truth_label"] == list(range(12))
        assert mace.verify()["ok"]
