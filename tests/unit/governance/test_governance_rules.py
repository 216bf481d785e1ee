"""Severity, erasure papers, exports: small tables."""

import pytest

from mace.core import canon
from mace.governance import erasure, incidents, subjects

pytestmark = pytest.mark.stage1


@pytest.mark.parametrize(
    ("kind", "down_ms", "count", "severity"),
    [
        ("INTEGRITY_FAILURE", 0, 1, "critical"),
        ("SECURITY_INCIDENT", 0, 1, "critical"),
        ("POLICY_VIOLATION", 0, 1, "critical"),
        ("SERVICE_UNAVAILABLE", 300_000, 1, "error"),
        ("SERVICE_UNAVAILABLE", 300_001, 1, "critical"),
        ("SERVICE_UNAVAILABLE", 60_000, 1, "warning"),
        ("SERVICE_UNAVAILABLE", 60_001, 1, "error"),
        ("AGENT_TIMEOUT", 0, 1, "warning"),
        ("AGENT_TIMEOUT", 0, 3, "error"),
        ("AGENT_TIMEOUT", 0, 10, "critical"),
    ],
)
def test_severity_by_fixed_thresholds(kind: str, down_ms: int, count: int, severity: str):
    assert incidents.severity(kind, down_ms=down_ms, count=count) == severity


HELD = ["fact/user/profile/user_a/x", "fact/user/profile/user_a/y", "job/1", "job/2", "export/e", "consent/c"]


def test_a_whole_person_goes_with_everything():
    plan = erasure.plan("user_a", None, HELD, lambda _stream: False)
    assert plan.whole
    assert set(plan.refs) == set(HELD)
    assert plan.jobs == ("1", "2")


def test_one_fact_goes_with_the_jobs_that_touched_it_and_with_exports():
    plan = erasure.plan("user_a", ["user/profile/user_a/x"], HELD, lambda stream: stream == "2")
    assert plan.refs == ("export/e", "fact/user/profile/user_a/x", "job/2")
    assert (plan.facts, plan.jobs, plan.whole) == (("user/profile/user_a/x",), ("2",), False)


def test_a_fact_that_is_not_held_takes_nothing_of_others():
    plan = erasure.plan("user_a", ["user/profile/user_b/x"], HELD, lambda _stream: False)
    assert plan.facts == ()


def test_a_receipt_is_checked_with_the_public_key_alone():
    body = canon.dumps({"what": "went"})
    paper = erasure.receipt("d", body, "log", "now")

    def check(key: bytes, signature: bytes, message: bytes) -> bool:
        return signature == key + message[:4]

    signed = {**paper, "signature": (b"k" + erasure.receipt_message(paper)[:4]).hex()}
    assert erasure.check_receipt(signed, body, b"k", check)
    assert not erasure.check_receipt(signed, body + b" ", b"k", check)
    assert not erasure.check_receipt(signed, body, b"l", check)
    assert not erasure.check_receipt({**signed, "signature": "no hex"}, body, b"k", check)
    assert not erasure.check_receipt({}, body, b"k", check)


def test_a_receipt_cannot_be_read_as_a_checkpoint():
    assert erasure.receipt_message({}).startswith(b"mace-deletion-receipt/1\n{")


def test_an_export_holds_the_listed_fields_in_one_order():
    rows = [
        {"key": key, "value": 1, "notes": None, "meta": {}, "source": "user", "written_at": "t", "version": version,
         "current": True, "actor": "somebody", "stream": "secret"}
        for key, version in (("b", 2), ("b", 1), ("a", 1))
    ]  # fmt: skip
    package = subjects.package("user_a", rows, [], [])
    assert [(row["key"], row["version"]) for row in package["facts"]] == [("a", 1), ("b", 1), ("b", 2)]
    assert all(set(row) == set(subjects.FACT_FIELDS) for row in package["facts"])
    assert subjects.package("user_a", reversed(rows), [], []) == package


@pytest.mark.parametrize(
    ("kind", "approval", "erased", "status"),
    [
        ("export", None, False, "completed"),
        ("delete", "open", False, "awaiting approval"),
        ("delete", "rejected", False, "rejected"),
        ("delete", "expired", False, "expired"),
        ("delete", "approved", True, "completed"),
    ],
)
def test_how_a_request_stands(kind: str, approval: str | None, erased: bool, status: str):
    assert subjects.status(kind, approval, erased) == status
