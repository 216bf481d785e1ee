"""What an erasure takes, and its receipt."""

from typing import Any

import pytest

from mace.core import canon
from mace.governance import erasure

pytestmark = pytest.mark.stage1

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


def test_the_event_knows_a_whole_person_by_one_key_and_a_part_by_each():
    wrapped = {"fact/user/profile/user_a/x": "11", "job/2": "22", "person/user_a": "33"}
    whole = erasure.plan("user_a", None, HELD, lambda _stream: False)
    part = erasure.plan("user_a", ["user/profile/user_a/x"], HELD, lambda stream: stream == "2")
    assert erasure.put_back_by(whole, wrapped) == ["33"]
    assert erasure.put_back_by(part, wrapped) == ["11", "22"], "what had no key is not named"
    options: dict[str, Any] = {"dsr_id": "d", "approval_id": "a", "forensic_id": None, "at": "now"}
    paper = erasure.manifest(part, versions={"user/profile/user_a/x": 1}, wrapped=wrapped, **options)
    assert paper["wrapped_sha256"] == wrapped
    assert paper["keys_removed"] == ["export/e", "fact/user/profile/user_a/x", "job/2"]
