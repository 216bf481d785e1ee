"""Canaries written beside a log, into its fields, and into names: nothing raw stays, the rest does."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import canaries
import governed
import payloads
from mace.core import seeds
from mace.core.errors import InvalidInput

pytestmark = [pytest.mark.stage1, pytest.mark.critical]
SSN, EMAIL = "536-22-8145", "canary.bird.77@gmail.com"


@pytest.fixture
def house(tmp_path: Path) -> Iterator[governed.House]:
    made = governed.House(tmp_path)
    yield made
    made.close()


def files_of(house: governed.House) -> bytes:
    house.close()
    return b"".join(path.read_bytes() for path in house.place.folder.rglob("*") if path.is_file())


def test_feedback_and_amendments_are_redacted_field_by_field(house: governed.House):
    heard = house.m.ask("What is 2 + 2?")
    log = house.m.update_reflective_log(heard["log_id"], {"user_feedback": {"said": "good", "mail": f"to {EMAIL}"}})
    kept = log["user_feedback"][0]
    assert kept["said"] == "good"
    assert (kept["mail"]["pii_type"], kept["mail"]["redaction_reason"]) == ("email", "PII_DETECTED")
    amended = house.m.amend(heard["log_id"], "owner", {"why": [f"ssn {SSN}", "typo"], SSN: 1}, "note")
    assert amended["changes"]["why"][1] == "typo"
    assert amended["changes"]["why"][0]["pii_type"] == "us_ssn"
    assert house.m.verify()["ok"]
    held = files_of(house)
    assert SSN.encode() not in held
    assert EMAIL.encode() not in held


@pytest.mark.parametrize(
    "field",
    [{"query_id": SSN}, {"runtime_metrics": {"who": EMAIL}}, {"agents_invoked": [EMAIL]}, {"system_version": EMAIL}],
)
def test_personal_data_in_any_field_of_a_log_is_redacted(house: governed.House, field: dict[str, Any]):
    log_id = house.m.write_reflective_log({**payloads.log_payload(), **field})
    (name,) = field
    assert "redaction_hash" in str(house.m.read_reflective_log(log_id)[name])  # type: ignore[literal-required]
    held = files_of(house)
    assert SSN.encode() not in held
    assert EMAIL.encode() not in held


def test_names_in_plain_sight_are_refused(house: governed.House):
    with pytest.raises(InvalidInput):
        house.m.key("world", "fact", f"ssn {SSN}", "x")
    with pytest.raises(InvalidInput):
        house.m.sem_add_alias("hello", "world/fact/ssn_536_22_8145/x", "system_admin")
    with pytest.raises(InvalidInput):
        house.m.amend(house.m.ask("What is 2 + 2?")["log_id"], EMAIL, {}, "note")
    assert b"536_22_8145" not in files_of(house)


@pytest.mark.parametrize(
    "report",
    [
        lambda m: m.incidents.report_violation("rogue", "a rule", evidence={"said": [f"ssn {SSN}", "tea"]}),
        lambda m: m.incidents.report("a stolen laptop", evidence={"said": [f"ssn {SSN}", "tea"]}),
    ],
    ids=["a violation", "an incident"],
)
@pytest.mark.parametrize("with_key", [False, True])
def test_evidence_passes_the_gate(house: governed.House, report: Callable[[Any], Any], with_key: bool):
    private = None
    if with_key:
        private, public = house.box.generate()
        house.m.forensics.set_key(public)
    with canaries.watching() as sealed:
        told = report(house.m)
    kept = house.m.forensics.read(told["evidence_id"], private, purpose="look")
    assert kept["evidence"] == {"said": ["ssn [redacted]", "tea"]}
    seed = told["job_seed"]
    assert "PII_FLAGGED" in house.types(seeds.job_id(seed))
    assert canaries.in_watched(sealed, [SSN]) == []
    assert canaries.everywhere(house.m, house.place, [SSN]) == []
