"""The reflective log's schema, its limits to the character, and that what is signed is what is stored."""

import json
from hashlib import sha256
from typing import Any

import pytest

from mace.core import canon
from mace.ledger import reflective
from mace.ledger.reflective import IMMUTABLE_FIELDS, problems_of
from payloads import log_payload

REQUIRED = [name for name in IMMUTABLE_FIELDS if name != "signature"]


def test_the_fields_are_those_of_the_text_in_its_order():
    assert IMMUTABLE_FIELDS == (
        "log_id", "created_at", "source", "query_id", "query_text_hash", "qcp_summary", "agents_invoked",
        "agent_outputs", "council_votes", "final_answer", "final_confidence", "repair_loops", "cache_hit",
        "sem_snapshot_hash", "runtime_metrics", "system_version", "signature",
    )  # fmt: skip
    assert reflective.APPENDABLE_FIELDS == ("user_feedback", "ground_truth_label", "audit_tags")
    assert reflective.EFFECTS == ("note", "override_suggestion", "revalidate")


def test_a_whole_payload_has_no_problems():
    assert problems_of(log_payload()) == []


@pytest.mark.parametrize("name", REQUIRED)
def test_every_field_is_required(name: str):
    payload = log_payload()
    del payload[name]
    assert problems_of(payload) == [f"{name} is missing"]


@pytest.mark.parametrize("name", [name for name in REQUIRED if name != "final_answer"])
@pytest.mark.parametrize("value", [None, object(), [None], {"x": object()}], ids=["null", "object", "list", "dict"])
def test_a_wrong_type_is_named_by_its_field_and_never_by_its_value(name: str, value: Any):
    found = problems_of(log_payload(**{name: value}))
    assert found
    assert all(problem.startswith((name, "the payload")) for problem in found)


def output(**changes: Any) -> dict[str, Any]:
    return {**log_payload()["agent_outputs"][0], **changes}


def vote(**changes: Any) -> dict[str, Any]:
    return {**log_payload()["council_votes"][0], **changes}


@pytest.mark.parametrize(
    ("changes", "good"),
    [
        ({"agent_outputs": [output(text="x" * 16_000)]}, True),
        ({"agent_outputs": [output(text="x" * 16_001)]}, False),
        ({"agent_outputs": [output(text="😀" * 16_000)]}, True),
        ({"agent_outputs": [output(), output(text="x" * 16_001)]}, False),
        ({"council_votes": [vote(note="n" * 4_000)]}, True),
        ({"council_votes": [vote(note="n" * 4_001)]}, False),
        ({"council_votes": [vote(suggested_changes="n" * 4_001)]}, False),
        ({"council_votes": [vote(note=None, suggested_changes=None)]}, True),
        ({"final_confidence": 0}, True),
        ({"final_confidence": 1}, True),
        ({"final_confidence": 1.0000001}, False),
        ({"final_confidence": -0.1}, False),
        ({"final_confidence": float("nan")}, False),
        ({"final_confidence": True}, False),
        ({"repair_loops": 0}, True),
        ({"repair_loops": -1}, False),
        ({"repair_loops": 1.0}, False),
        ({"repair_loops": True}, False),
        ({"repair_loops": 2**53}, False),
        ({"cache_hit": 1}, False),
        ({"source": "api"}, True),
        ({"source": "system"}, True),
        ({"source": "user"}, False),
        ({"source": []}, False),
        ({"log_id": "a" * 64}, True),
        ({"log_id": "A" * 64}, False),
        ({"log_id": "123e4567-e89b-42d3-a456-426614174000"}, True),
        ({"log_id": "123E4567-E89B-42D3-A456-426614174000"}, False),
        ({"log_id": "123e4567-e89b-42d3-a456-426614174000\n"}, False),
        ({"query_text_hash": "a" * 63}, False),
        ({"query_text_hash": "a" * 64 + "\n"}, False),
        ({"query_id": "client-provided"}, True),
        ({"query_id": "x" * 257}, False),
        ({"query_id": ""}, False),
        ({"query_id": "a\x00b"}, False),
        ({"query_id": "\ud800"}, False),
        ({"created_at": "2025-11-29T12:00:00+05:30"}, True),
        ({"created_at": "2025-11-29T12:00:00"}, False),
        ({"created_at": "0001-01-01T00:00:00+05:00"}, False),
        ({"created_at": 1764417600}, False),
        ({"qcp_summary": {"depth_level": 1, "intent_tags": [], "urgency": None, "more": 1}}, True),
        ({"qcp_summary": {"depth_level": 1, "intent_tags": "x", "urgency": 1}}, False),
        ({"qcp_summary": {"depth_level": 1, "intent_tags": []}}, False),
        ({"agents_invoked": []}, True),
        ({"agents_invoked": ["a", 1]}, False),
        ({"agent_outputs": []}, True),
        ({"agent_outputs": [output(artifact_url="mace:artifact/x")]}, True),
        ({"agent_outputs": [output(mood="fine")]}, False),
        ({"agent_outputs": [output(confidence=1.1)]}, False),
        ({"agent_outputs": [output(tokens=-1)]}, False),
        ({"agent_outputs": [output(reasoning_trace="step")]}, False),
        ({"council_votes": []}, True),
        ({"council_votes": [vote(scores={"safety": 2})]}, False),
        ({"council_votes": [vote(approve=1)]}, False),
        ({"council_votes": [vote(extra=1)]}, False),
        ({"final_answer": None}, True),
        ({"final_answer": "text"}, True),
        ({"final_answer": {"deep": [1.5, True]}}, True),
        ({"final_answer": float("inf")}, False),
        ({"final_answer": 2**60}, False),
        ({"runtime_metrics": {"n": float("nan")}}, False),
        ({"runtime_metrics": []}, False),
        ({"sem_snapshot_hash": ""}, False),
        ({"system_version": "x" * 129}, False),
    ],
)
def test_the_rules_field_by_field(changes: dict[str, Any], good: bool):
    assert (problems_of(log_payload(**changes)) == []) is good


def test_the_whole_record_is_smaller_than_a_mebibyte_to_the_byte():
    empty = len(canon.dumps({name: log_payload(final_answer="")[name] for name in REQUIRED}))
    fits = log_payload(final_answer="x" * ((1 << 20) - 1 - empty))
    assert problems_of(fits) == []
    fits["final_answer"] += "x"
    assert problems_of(fits) == ["the whole record has 1048576 bytes, it must be smaller than 1048576"]


def test_unknown_fields_are_counted_not_named():
    found = problems_of(log_payload(**{"my number is 123-45-6789": 1, "other": 2}))
    assert found == ["2 unknown fields"]


def seal(name: str, plain: bytes) -> tuple[str, bytes]:
    return f"key of {name}", plain[::-1]


def unseal(name: str, key: str, sealed: bytes) -> bytes | None:
    assert key == f"key of {name}"
    return sealed[::-1]


def test_what_is_stored_comes_back_as_it_was_given():
    payload = log_payload(final_confidence=1, final_answer={"n": 1.0, "é": [None, True, 1e21]})
    columns, _ = reflective.to_columns(payload, seal, lambda purpose, digest: digest.hex())
    record = reflective.from_columns(columns, unseal)
    assert {name: record[name] for name in payload} == payload
    assert set(columns) == set(IMMUTABLE_FIELDS)


def test_what_people_wrote_is_sealed_and_the_rest_is_text():
    columns, _ = reflective.to_columns(log_payload(), seal, lambda purpose, digest: "s")
    for name in reflective.SEALED_FIELDS:
        assert set(json.loads(columns[name])) == {"key", "sealed"}
    assert "42" not in columns["final_answer"]
    assert json.loads(columns["qcp_summary"])["intent_tags"] == ["math", "größe"]


def test_the_signature_is_over_what_is_stored_and_over_every_column():
    signed: list[bytes] = []
    columns, _ = reflective.to_columns(log_payload(), seal, lambda purpose, digest: (signed.append(digest), "k1:s")[1])
    assert signed == [sha256(reflective.signed_bytes(columns)).digest()]
    whole = json.loads(reflective.signed_bytes(columns))
    assert sorted(whole) == sorted(REQUIRED)
    assert whole["cache_hit"] is False
    for name in REQUIRED:
        other = {**columns, name: {"cache_hit": 1, "final_confidence": 0.5, "repair_loops": 9}.get(name, '"other"')}
        assert reflective.signed_bytes(other) != reflective.signed_bytes(columns), name
    assert reflective.signed_bytes({**columns, "signature": "other"}) == reflective.signed_bytes(columns)


@pytest.mark.parametrize(
    ("name", "value"),
    [("final_confidence", float("inf")), ("final_confidence", float("nan")), ("repair_loops", 2**70), ("cache_hit", 7)],
)
def test_a_row_that_nobody_could_have_signed_has_bytes_too(name: str, value: Any):
    columns, _ = reflective.to_columns(log_payload(), seal, lambda purpose, digest: "s")
    assert reflective.signed_bytes({**columns, name: value}) != reflective.signed_bytes(columns)


def test_a_field_whose_key_is_gone_reads_as_erased():
    columns, _ = reflective.to_columns(log_payload(), seal, lambda purpose, digest: "s")
    record = reflective.from_columns(columns, lambda name, key, sealed: None)
    for name in reflective.SEALED_FIELDS:
        assert record[name] == {"redaction_reason": "ERASED"}
    assert record["query_id"] == log_payload()["query_id"]
