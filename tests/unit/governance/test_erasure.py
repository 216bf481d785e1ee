"""What an erasure takes, and its receipt."""

from typing import Any

import pytest

from mace.core import canon
from mace.governance import erasure

pytestmark = pytest.mark.stage1

HELD = ["fact/user/profile/user_a/x", "fact/user/profile/user_a/y", "job/1", "job/2", "export/e", "consent/c"]


def test_a_whole_person_goes_with_everything():
    plan = erasure.plan("user_a", None, HELD, lambda _ref: False)
    assert plan.whole
    assert set(plan.refs) == set(HELD)
    assert plan.jobs == ("1", "2")


def test_one_fact_goes_with_the_jobs_that_touched_it_and_with_exports():
    plan = erasure.plan("user_a", ["user/profile/user_a/x"], HELD, lambda ref: ref == "job/2")
    assert plan.refs == ("export/e", "fact/user/profile/user_a/x", "job/2")
    assert (plan.facts, plan.jobs, plan.whole) == (("user/profile/user_a/x",), ("2",), False)


def test_a_fact_that_is_not_held_takes_nothing_of_others():
    plan = erasure.plan("user_a", ["user/profile/user_b/x"], HELD, lambda _ref: False)
    assert plan.facts == ()


TURNS = ["turn/user_a/00000000", "turn/user_a/00000001", "turn/user_a/00000003", "index/user_a"]


def test_turns_have_numbers_and_their_index_goes_with_any_of_them():
    whole = erasure.plan("user_a", None, [*HELD, *TURNS], lambda _ref: False)
    assert (whole.turns, set(whole.refs)) == ((0, 1, 3), {*HELD, "index/user_a"})
    part = erasure.plan("user_a", TURNS[:1], [*HELD, *TURNS], lambda _ref: False)
    assert (part.turns, part.refs, part.unsealed) == ((0,), ("export/e", "index/user_a"), ())
    assert erasure.counted(part.left) == {"consents": 1, "facts": 2, "jobs": 2, "turns": 2}
    assert erasure.gone(part, {}) == [{"what": "exports", "count": 1}, {"what": "turns", "count": 1}]
    fact = erasure.plan("user_a", ["user/profile/user_a/x"], [*HELD, *TURNS], lambda _ref: False)
    assert (fact.turns, "index/user_a" in fact.refs) == ((), False)
    options: dict[str, Any] = {"dsr_id": "d", "approval_id": "a", "forensic_id": None, "at": "2026-01-02"}
    paper = erasure.manifest(whole, versions=dict.fromkeys(whole.facts, 1), wrapped={}, **options)
    assert paper["turns"] == [[0, 1], [3, 3]]
    assert erasure.removed_by(paper) == [*paper["keys_removed"], *TURNS[:3]]
    assert erasure.turns_of({"keys_removed": []}) == [], "before there were turns"


def test_the_name_of_an_index_is_shared_by_all_erasures_and_its_key_is_not():
    first = {"person": "a", "keys_removed": ["index/a"], "turns": [[0, 3]]}
    assert not erasure.share_keys(first, {**first, "turns": [[4, 9]]})
    assert erasure.share_keys(first, {**first, "turns": [[3, 9]]})
    assert erasure.share_keys({**first, "keys_removed": ["job/1"]}, {"person": "b", "keys_removed": ["job/1"]})


@pytest.mark.parametrize(
    ("named", "whole", "begun_at", "takes"),
    [
        (["conversation/1"], False, "2026-01-01", True),
        (["conversation/1"], False, "2026-01-02", True),
        (["conversation/1"], False, "2026-01-03", False),
        (["conversation/2", "turn/a/00000001"], False, "2026-01-01", False),
        (None, True, "2026-01-01", True),
        (None, True, "2026-01-03", False),
    ],
)
def test_what_arrives_late_for_a_conversation(named: list[str] | None, whole: bool, begun_at: str, takes: bool):
    paper = {"whole_person": whole, "keys_requested": named, "at": "2026-01-02"}
    assert erasure.takes_talk(paper, "1", begun_at) is takes


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
    assert erasure.receipt_message({}).startswith(b"mace-deletion-receipt/2\n{")


def test_the_event_knows_a_whole_person_by_one_key_and_a_part_by_each():
    wrapped = {"fact/user/profile/user_a/x": "11", "job/2": "22", "person/user_a": "33"}
    whole = erasure.plan("user_a", None, HELD, lambda _ref: False)
    part = erasure.plan("user_a", ["user/profile/user_a/x"], HELD, lambda ref: ref == "job/2")
    assert erasure.put_back_by(whole, wrapped) == ["33"]
    assert erasure.put_back_by(part, wrapped) == ["11", "22"], "what had no key is not named"
    options: dict[str, Any] = {"dsr_id": "d", "approval_id": "a", "forensic_id": None, "at": "now"}
    paper = erasure.manifest(part, versions={"user/profile/user_a/x": 1}, wrapped=wrapped, **options)
    assert paper["wrapped_sha256"] == wrapped
    assert paper["keys_removed"] == ["export/e", "fact/user/profile/user_a/x", "job/2"]


def test_a_part_says_what_it_leaves_by_kind():
    held = [*HELD, "experience/s/user_a", "unheard_of/x"]
    part = erasure.plan("user_a", ["user/profile/user_a/x"], held, lambda ref: ref == "job/2")
    assert erasure.counted(part.left) == {"consents": 1, "experience": 1, "facts": 1, "jobs": 1, "other": 1}
    told = {item["what"]: item.get("count") for item in erasure.stays(part, restorable=True)}
    assert told["consents"] == 1 and told["forensic_keys"] is None
    assert set(erasure.STAYS) <= set(told)
    whole = erasure.plan("user_a", None, held, lambda _ref: False)
    assert whole.left == ()
    assert [item["what"] for item in erasure.stays(whole, restorable=False)] == list(erasure.STAYS)


def test_imported_experience_goes_when_it_touches_what_is_erased():
    held = ["experience/1/user_a", "experience/2/user_a"]
    part = erasure.plan("user_a", ["user/profile/user_a/x"], held, lambda ref: ref.startswith("experience/1"))
    assert part.refs == ("experience/1/user_a",)


def test_facts_of_nobody_are_named_and_take_no_key():
    part = erasure.plan("user_a", ["world/person/a/x", "user/profile/user_a/x"], HELD, lambda _ref: False)
    assert part.unsealed == ("world/person/a/x",)
    assert "world/person/a/x" not in part.facts


def test_what_is_gone_is_counted_once_by_kind():
    whole = erasure.plan("user_a", None, HELD, lambda _ref: False)
    assert erasure.gone(whole, {"idempotency_answers": 2, "jobs": 0}) == [
        {"what": "consents", "count": 1},
        {"what": "exports", "count": 1},
        {"what": "facts", "count": 2},
        {"what": "idempotency_answers", "count": 2},
        {"what": "jobs", "count": 2},
    ]


@pytest.mark.parametrize(
    ("whole", "removed", "named", "queued_at", "taken"),
    [
        (True, [], None, "2026-01-01", True),
        (True, [], None, "2026-01-02", True),  # equal times count as before
        (True, [], None, "2026-01-03", False),
        (False, ["fact/k"], ["k"], "2026-01-01", True),
        (False, [], ["k"], "2026-01-01", True),  # nothing was stored under it yet
        (False, ["fact/other"], ["other"], "2026-01-01", False),
        (False, ["fact/k"], None, "2026-01-03", False),
    ],
)
def test_a_write_that_waited_goes_with_the_manifest_that_came_after_it(
    whole: bool, removed: list[str], named: list[str] | None, queued_at: str, taken: bool
):
    paper = {"whole_person": whole, "keys_removed": removed, "keys_requested": named, "at": "2026-01-02"}
    assert erasure.takes_write(paper, "k", queued_at) is taken


def test_receipts_of_before_can_still_be_checked():
    old = {"format": erasure.FORMATS[0], "dsr_id": "d", "log_name": "l", "manifest_sha256": "x", "at": "now"}
    assert erasure.receipt_message(old).startswith(b"mace-deletion-receipt/1\n{")
    assert not erasure.is_followed(old)
    assert erasure.is_followed({**old, "format": erasure.RECEIPT_FORMAT})
    assert not erasure.is_followed(None)
