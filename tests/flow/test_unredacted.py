"""What everybody sees of a log, and what an admin sees with a second factor, a purpose and a trace."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import governed
import mace
import places
from mace.core.errors import AuthError, InvalidInput, MaceError, NotFound, PermissionDenied
from mace.engine.kernel.privacy import pii_hash
from mace.engine.runtime import Mace

PHONE = "212-555-0198"


def known(m: Mace) -> dict[str, Any]:
    """Bob's phone number, stored with consent and told again."""
    consent = m.grant_consent("bob", "You may keep it.", "persistent", expires_at="2036-01-01T00:00:00Z")
    told = m.ask(f"Remember my phone is {PHONE}", "bob", consent_id=consent["consent_id"])
    assert told["error"] is None
    answer = m.ask("what is my phone?", "bob", "asked-once")
    assert PHONE in answer["text"]
    return answer


def accesses(m: Mace) -> list[dict[str, Any]]:
    return [event["payload"] for event in m.events("system") if event["event_type"] == "admin_access_event"]


def test_a_log_is_read_redacted_by_everybody(place: places.Place):
    with place.open() as m:
        answer = known(m)
        log = m.read_reflective_log(answer["log_id"])
        assert PHONE not in str(log)
        hidden = {
            "redaction_hash": pii_hash(m._parts.world.keys, PHONE, "asked-once"),
            "redaction_reason": "PII_DETECTED",
            "pii_type": "phone",
        }
        assert log["final_answer"]["answer"] == hidden
        assert log["agent_outputs"][0]["text"] == hidden
        assert PHONE not in str(m.recent_logs())
        assert PHONE not in str(m.update_reflective_log(answer["log_id"], {"audit_tags": ["seen"]}))
        assert accesses(m) == []
        assert m.replay(answer["job_id"])["result"] == "MATCH"  # which compares what was written


def test_an_admin_reads_it_as_it_was_written_on_the_record(tmp_path: Path):
    house = governed.House(tmp_path)
    m = house.m
    answer = known(m)
    log = m.forensics.read_log(answer["log_id"], purpose="a complaint of the user")
    assert log["final_answer"]["answer"] == f"Your phone is {PHONE}."
    event_id = next(e["event_id"] for e in m.events(answer["job_id"]) if e["event_type"] == "AGENT_OUTPUT")
    (event,) = m.forensics.read_event(event_id, purpose="the same complaint")
    assert event["contents"]["output/0"]["text"] == f"Your phone is {PHONE}."
    assert accesses(m) == [
        {
            "actor": "owner",
            "what": "reflective_log",
            "which": answer["log_id"],
            "purpose": "a complaint of the user",
        },
        {"actor": "owner", "what": "event", "which": event_id, "purpose": "the same complaint"},
    ]
    house.close()


@mace.program("sides")
def sides(job: mace.Job, given: Any) -> Any:
    with job.branch("left") as left:
        left.call("echo", given, lambda request: {"echo": request})
    return "done"


def test_what_a_branch_sent_and_got_is_read_under_the_key_of_its_job(place: places.Place):
    with place.open(programs=[sides]) as m:
        m = governed.owned(m)
        [branch] = m.job(m.perform("sides", {"say": "hello"}, "bob")["job_id"])["branches"]
        parts = {}
        for event in m.events(branch):
            (read,) = m.forensics.read_event(event["event_id"], purpose="a complaint")
            parts |= read["contents"]
        assert parts["request/0"]["request"] == {"say": "hello"}
        assert parts["effect/0"]["value"] == {"echo": {"say": "hello"}}


@pytest.fixture
def house(tmp_path: Path) -> Iterator[governed.House]:
    made = governed.House(tmp_path, embedded=False)
    made.account("root", "admin")
    yield made
    made.close()


def test_every_sealed_part_of_a_job_is_shown_as_it_was_hashed(house: governed.House):
    answer = known(house.m)
    seen: dict[str, Any] = {}
    for event in house.m.events(answer["job_id"]):
        read: list[Any] = house.acting("root").forensics.read_event(event["event_id"], purpose="an audit")
        seen |= read[0]["contents"]
    assert seen["input"]["text"] == "what is my phone?"
    assert [fact["value"] for fact in seen["effect/0"]["value"]["found"]] == [PHONE]
    assert seen["verdict/1"]["outcome"] == "accept"
    assert seen["result"]["answer"] == f"Your phone is {PHONE}."


@pytest.mark.parametrize(
    ("who", "code", "purpose", "error"),
    [
        ("root", None, "an audit", AuthError),
        ("root", "000000", "an audit", AuthError),
        ("eve", "good", "an audit", PermissionDenied),
        ("nobody", None, "an audit", PermissionDenied),
        ("root", "good", "", InvalidInput),
        ("root", "good", "call 212-555-0198", InvalidInput),
    ],
)
def test_nobody_else_reads_it(house: governed.House, who: str, code: str | None, purpose: str, error: type[MaceError]):
    house.account("eve", "operator")
    answer = known(house.m)
    event_id = house.m.events(answer["job_id"])[0]["event_id"]
    for verb, which in (("read_log", answer["log_id"]), ("read_event", event_id)):
        with pytest.raises(error):
            m = house.m.acting_as(house.m.owner(who, totp=house.code(who) if code == "good" else code))
            getattr(m.forensics, verb)(which, purpose=purpose)
    assert accesses(house.m) == []


def test_a_token_without_a_code_reads_nothing_unredacted(house: governed.House):
    answer = known(house.m)
    m = house.m.acting_as(house.m.authenticate(house.acting("root").accounts.issue_token("root")["token"]))
    with pytest.raises(PermissionDenied) as refused:
        m.forensics.read_log(answer["log_id"], purpose="an audit")
    assert refused.value.details["needs"] == "second_factor"
    assert accesses(house.m) == []


def test_a_code_lasts_beyond_what_is_not_there(house: governed.House):
    m = house.acting("root")
    for verb, which in (("read_log", "nothing"), ("read_event", "00" * 32)):
        with pytest.raises(NotFound):
            getattr(m.forensics, verb)(which, purpose="an audit")
    assert accesses(house.m) == []
    assert m.forensics.read_log(house.m.ask("What is 2 + 2?")["log_id"], purpose="an audit")
    assert len(accesses(house.m)) == 1


def test_after_an_erasure_an_admin_sees_that_it_was_erased(tmp_path: Path):
    house = governed.House(tmp_path)
    m = house.m
    answer = known(m)
    event_id = next(e["event_id"] for e in m.events(answer["job_id"]) if e["event_type"] == "INPUT_RECEIVED")
    asked = m.request_dsr("bob", "delete", m.accounts.issue_identity_proof("bob")["proof"])
    m.vote(asked["request_id"], "owner", "approve")
    erased = {"redaction_reason": "ERASED"}
    (event,) = m.forensics.read_event(event_id, purpose="an audit")
    assert event["contents"] == {"input": erased}
    assert m.forensics.read_log(answer["log_id"], purpose="an audit")["final_answer"] == erased
    assert m.read_reflective_log(answer["log_id"])["final_answer"] == erased
    house.close()
