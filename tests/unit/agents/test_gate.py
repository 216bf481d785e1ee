"""What of a reply passes, and what an answer that was stopped is called."""

from typing import Any

import pytest

from mace.agents import gate
from mace.agents.asking import Decline, Reply
from mace.agents.evaluators import Finding
from mace.agents.evidence import Evidence
from mace.governance.detectors import detect

SSN, PHONE = "536-22-8145", "212-555-0198"
TEXT = f"the ssn is {SSN}, call {PHONE}"
CUT = "the ssn is [redacted], call [redacted]"


def nothing(span: str, sensitivity: str, pii_type: str) -> bool:
    return False


def the_phone(span: str, sensitivity: str, pii_type: str) -> bool:
    return span == PHONE


def reply(text: str | None = TEXT, **more: Any) -> Reply:
    return Reply(text=text, **more)


def whole(words: str) -> Reply:
    seen = Evidence(kind="context", ref=words, text=words)
    return Reply(text=words, evidence=(seen,), trace=(words, "plain"), details={"key": words, "n": 1})


@pytest.mark.parametrize(
    ("said", "covers", "is_foreign", "passes", "cut"),
    [
        (reply("tea"), nothing, True, reply("tea"), []),
        (reply(None), nothing, False, reply(None), []),
        (reply(), nothing, False, reply(CUT), ["us_ssn", "phone"]),
        (reply(), the_phone, False, reply(f"the ssn is [redacted], call {PHONE}"), ["us_ssn"]),
        (whole(TEXT), nothing, True, whole(CUT), ["us_ssn", "phone"]),
        (reply("tea", trace=(TEXT,)), nothing, False, reply("tea", trace=(TEXT,)), []),  # a packaged agent was given it
        (reply("tea", details={TEXT: 1}), nothing, True, reply("tea", details={CUT: 1}), ["us_ssn", "phone"]),
        (Decline(TEXT), nothing, True, Decline(CUT), ["us_ssn", "phone"]),
        (Decline("not mine"), nothing, False, Decline("not mine"), []),
    ],
)
def test_what_is_personal_and_not_covered_is_cut(
    said: Any, covers: gate.Covers, is_foreign: bool, passes: Any, cut: list[str]
):
    passed = gate.screen_reply(said, detect, covers, is_foreign)
    assert passed.reply == passes
    assert [item.pii_type for item in passed.cut] == cut
    assert {item.span for item in passed.cut} <= {SSN, PHONE}


FOUND = [Finding(pii_type="us_ssn", sensitivity="high")]


@pytest.mark.parametrize(
    ("version", "code", "findings", "told"),
    [
        (gate.FIRST, "REPAIR_LIMIT_EXCEEDED", FOUND, "REPAIR_LIMIT_EXCEEDED"),
        (gate.SECOND, "REPAIR_LIMIT_EXCEEDED", FOUND, "PRIVACY_BLOCKED"),
        (gate.SECOND, "COUNCIL_DEADLOCK", FOUND, "PRIVACY_BLOCKED"),
        (gate.SECOND, "REPAIR_LIMIT_EXCEEDED", [], "REPAIR_LIMIT_EXCEEDED"),
        (gate.SECOND, "LOW_CONFIDENCE", FOUND, "LOW_CONFIDENCE"),  # it was accepted
    ],
)
def test_an_answer_stopped_because_of_personal_data_says_so(
    version: gate.Gate, code: str, findings: list[Finding], told: str
):
    assert version.code(code, findings) == told
