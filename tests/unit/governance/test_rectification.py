"""Rectification: what may be asked for, and its papers."""

from typing import Any

import pytest

from mace.core import canon
from mace.governance import erasure, rectification
from mace.governance.rectification import check_receipt, manifest, problem_with, receipt, receipt_message

pytestmark = pytest.mark.stage1


@pytest.mark.parametrize(
    ("kind", "keys", "changes", "complaint"),
    [
        ("export", None, None, None),
        ("delete", ["a"], None, None),
        ("rectify", None, {"a": 1}, None),
        ("rectify", None, None, "changes must give a new value for 1 to 1000 keys"),
        ("rectify", None, {}, "changes must give a new value for 1 to 1000 keys"),
        ("rectify", None, dict.fromkeys(map(str, range(1001))), "changes must give a new value for 1 to 1000 keys"),
        ("rectify", ["a"], {"a": 1}, "keys must not be given for a rectification; changes names the facts"),
        ("delete", None, {"a": 1}, "changes may only be given for a rectification"),
        ("export", None, {}, "changes may only be given for a rectification"),
    ],
)
def test_what_a_request_may_bring_along(kind: str, keys: Any, changes: dict[str, Any] | None, complaint: str | None):
    assert problem_with(kind, keys, changes) == complaint


def test_a_manifest_says_what_was_corrected_and_never_what_it_said():
    made = manifest([("b", 1, 2), ("a", 3, 4)], dsr_id="d", approval_id="q", person="user_bob", at="t")
    assert made["corrected"] == [{"key": "a", "former": 3, "version": 4}, {"key": "b", "former": 1, "version": 2}]
    assert set(made) == {"dsr_id", "approval_id", "person", "corrected", "at"}


def test_a_receipt_is_the_log_s_word_about_one_manifest():
    body = canon.dumps({"dsr_id": "d"})
    paper = receipt("d", body, "log", "t")
    signed = {**paper, "signature": b"good".hex()}
    sound = lambda key, signature, message: (key, signature, message) == (b"k", b"good", receipt_message(paper))  # noqa: E731
    assert check_receipt(signed, body, b"k", sound)
    assert not check_receipt(signed, body + b" ", b"k", sound)
    assert not check_receipt({**signed, "dsr_id": "e"}, body, b"k", sound)
    assert not check_receipt({**signed, "signature": "no hex"}, body, b"k", sound)
    assert not check_receipt({}, body, b"k", sound)
    assert receipt_message(paper) != erasure.receipt_message(paper), "neither passes for the other"
    assert rectification.RECEIPT_FORMAT in receipt_message(paper).decode()
