"""Logs that programs write, amendments, feedback, labels and tags: of the person they are about, and gone with them."""

from collections.abc import Iterator
from typing import Any

import pytest

import canaries
import governed
import payloads
import places
from canaries import PHONE, PHONE_SENTENCE, SSN, SSN_SENTENCE, TOKEN
from mace.core.errors import Conflict, InvalidInput, PermissionDenied

pytestmark = [pytest.mark.stage1, pytest.mark.critical]
WORD = "quokkabandicoot"
GONE = {"redaction_reason": "ERASED"}


@pytest.fixture
def house(place: places.Place) -> Iterator[governed.House]:
    made = governed.House(place.folder.parent, place=place)
    made.m = governed.owned(made.m)
    yield made
    made.close()


def output(**changes: Any) -> dict[str, Any]:
    return {**payloads.log_payload()["agent_outputs"][0], **changes}


def vote(**changes: Any) -> dict[str, Any]:
    return {**payloads.log_payload()["council_votes"][0], **changes}


def everywhere_in_a_log(text: str) -> dict[str, dict[str, Any]]:
    """A payload for each place of a log that words can be written into."""
    fields: dict[str, dict[str, Any]] = {
        "query_id": {"query_id": text},
        "sem_snapshot_hash": {"sem_snapshot_hash": text},
        "system_version": {"system_version": text},
        "depth_level": {"qcp_summary": {"depth_level": text, "intent_tags": [], "urgency": "low"}},
        "intent_tags": {"qcp_summary": {"depth_level": 1, "intent_tags": ["a", text], "urgency": "low"}},
        "agents_invoked": {"agents_invoked": ["logic_v1", text]},
        "agent_id": {"agent_outputs": [output(agent_id=text)]},
        "text": {"agent_outputs": [output(text=text)]},
        "long text": {"agent_outputs": [output(text="x " * 9000 + text)]},
        "artifact_url": {"agent_outputs": [output(artifact_url=text)]},
        "reasoning_trace": {"agent_outputs": [output(reasoning_trace=["first", text])]},
        "council_agent_id": {"council_votes": [vote(council_agent_id=text)]},
        "suggested_changes": {"council_votes": [vote(suggested_changes=text)]},
        "note": {"council_votes": [vote(note=text)]},
        "name of a score": {"council_votes": [vote(scores={text: 0.5})]},
        "final_answer": {"final_answer": text},
        "nested answer": {"final_answer": {"a": [{"b": text}]}},
        "name in an answer": {"final_answer": {text: 1}},
        "runtime_metrics": {"runtime_metrics": {"who": text}},
        "name of a metric": {"runtime_metrics": {text: 1}},
    }
    return {name: payloads.log_payload(name, **changes) for name, changes in fields.items()}


@pytest.mark.parametrize("canary", [SSN_SENTENCE, PHONE_SENTENCE, TOKEN], ids=["ssn", "phone", "token"])
def test_what_no_consent_covers_is_redacted_in_place_wherever_it_stands(house: governed.House, canary: str):
    values = [SSN, PHONE, TOKEN]
    with canaries.watching() as sealed:
        for name, payload in everywhere_in_a_log(canary).items():
            log_id = house.m.write_reflective_log(payload, user_id="bob")
            shown = house.m.read_reflective_log(log_id)
            assert "redaction_hash" in str(shown) or "[redacted]" in str(shown), name
            (written,) = [event for event in events_of(house, "REFLECTIVE_LOG_WRITTEN") if log_id in str(event)]
            assert "PII_FLAGGED" in house.types(written["stream"]), name
        assert canaries.everywhere(house.m, house.place, values) == []
    assert canaries.in_watched(sealed, values) == []
    assert house.m.verify()["findings"] == []


def events_of(house: governed.House, event_type: str) -> list[dict[str, Any]]:
    rows = house.g.world.store.read(lambda tx: tx.events.of_type(event_type, 1000))
    return [event for row in rows for event in map(dict, house.m.event(row.event_id.hex()))]


def test_a_redacted_field_has_its_hash_its_reason_and_its_type(house: governed.House):
    log_id = house.m.write_reflective_log(payloads.log_payload(final_answer={"a": SSN_SENTENCE, "b": 7}))
    kept = house.m.forensics.read_log(log_id, purpose="case 7")["final_answer"]
    assert isinstance(kept, dict)
    assert kept["b"] == 7
    assert sorted(kept["a"]) == ["pii_type", "redaction_hash", "redaction_reason"]
    assert (kept["a"]["pii_type"], kept["a"]["redaction_reason"]) == ("us_ssn", "PII_DETECTED")
    (flagged,) = events_of(house, "PII_FLAGGED")
    assert flagged["payload"]["pii_hash"] == kept["a"]["redaction_hash"]


def test_consent_lets_stay_the_types_it_names_and_no_other(house: governed.House):
    until = house.clock.at.replace(year=2027)
    given = house.m.grant_consent("bob", "Keep it.", "persistent", expires_at=until, data_types=["phone"])["consent_id"]
    answer = {"call": PHONE_SENTENCE, "write": "mail ada.byron.77@gmail.com"}
    payload = payloads.log_payload(final_answer=answer)
    log_id = house.m.write_reflective_log(payload, user_id="bob", consent_id=given)
    kept = house.m.forensics.read_log(log_id, purpose="case 7")["final_answer"]
    assert isinstance(kept, dict)
    assert kept["call"] == PHONE_SENTENCE
    assert kept["write"]["pii_type"] == "email"


def test_consent_lets_medium_data_stay_and_never_high(house: governed.House):
    until = house.clock.at.replace(year=2027)
    given = house.m.grant_consent("bob", "Keep my number.", "persistent", expires_at=until)["consent_id"]
    answer = {"call": PHONE_SENTENCE, "ssn": SSN_SENTENCE}
    payload = payloads.log_payload(final_answer=answer)
    log_id = house.m.write_reflective_log(payload, user_id="bob", consent_id=given)
    kept = house.m.forensics.read_log(log_id, purpose="case 7")["final_answer"]
    assert isinstance(kept, dict)
    assert kept["call"] == PHONE_SENTENCE
    assert kept["ssn"]["pii_type"] == "us_ssn"
    assert PHONE not in str(house.m.read_reflective_log(log_id))  # everybody else sees its hash
    used = [event["payload"] for event in events_of(house, "PII_CONSENT") if event["payload"]["action"] == "used"]
    assert [(item["consent_id"], [pii["pii_type"] for pii in item["pii"]]) for item in used] == [(given, ["phone"])]
    others = payloads.log_payload("b", final_answer=PHONE_SENTENCE)
    log_id = house.m.write_reflective_log(others, user_id="alice", consent_id=given)  # it is not hers
    assert PHONE not in str(house.m.forensics.read_log(log_id, purpose="case 7"))
    house.m.revoke_consent(given)
    later = payloads.log_payload("c", final_answer=PHONE_SENTENCE)
    log_id = house.m.write_reflective_log(later, user_id="bob", consent_id=given)
    assert PHONE not in str(house.m.forensics.read_log(log_id, purpose="case 7"))


def write_everything(house: governed.House, person: str, word: str) -> tuple[list[str], str]:
    """A person's words in every place of a log that a program writes, and beside the log of a question of theirs."""
    made = []
    for name, payload in everywhere_in_a_log(f"{word} words").items():
        payload = {**payload, "log_id": payloads.log_payload(f"{person} {name}")["log_id"]}
        made.append(house.m.write_reflective_log(payload, user_id=person))
    asked = house.m.ask("What is 2 + 2?", person)
    log_id = asked["log_id"]
    assert log_id is not None
    for log in (log_id, made[0]):
        house.m.update_reflective_log(log, {"user_feedback": f"my wife left, {word}"})
        house.m.update_reflective_log(log, {"ground_truth_label": {word: [word]}, "audit_tags": [word]})
        house.m.amend(log, "kim", {"note": f"{word} likes tea"}, "note")
        house.m.amend(log, "owner", word, "override_suggestion")
    return made, log_id


def test_everything_goes_with_the_person_and_nothing_of_others_does(house: governed.House):
    logs, beside = write_everything(house, "bob", WORD)
    others, others_beside = write_everything(house, "alice", "wombatnumbat")
    assert canaries.in_rows(house.place, [WORD]) == []  # sealed from the beginning
    assert canaries.in_sealed(house.m, [WORD])
    before = {log: house.m.read_reflective_log(log) for log in [*others, others_beside]}
    governed.erase(house.m, "bob")
    assert canaries.everywhere(house.m, house.place, [WORD]) == []
    for log in logs:
        read = house.m.read_reflective_log(log)
        fields = ("final_answer", "agent_outputs", "council_votes", "qcp_summary", "agents_invoked", "runtime_metrics")
        assert [read[name] for name in fields] == [GONE] * 6  # type: ignore[literal-required]
        assert read["query_text_hash"] == GONE
    for log in (beside, logs[0]):
        read = house.m.read_reflective_log(log)
        assert (read["user_feedback"], read["ground_truth_label"], read["audit_tags"]) == ([GONE], [GONE], [GONE])
        amendments = house.m.amendments(log)
        assert [item["changes"] for item in amendments] == [GONE, GONE]
        assert [item["author"] for item in amendments] == ["kim", "owner"]
        assert read["amendments"] == [item["amendment_id"] for item in amendments]
    assert {log: house.m.read_reflective_log(log) for log in before} == before
    (job_of_bob,) = [job["job_id"] for job in house.m.jobs.list(limit=10)["items"] if job["log_id"] == beside]
    assert house.m.replay(job_of_bob)["result"] == "INPUT_ERASED"
    assert house.m.verify()["findings"] == []


def test_nothing_is_added_to_what_was_erased(house: governed.House):
    logs, beside = write_everything(house, "bob", WORD)
    governed.erase(house.m, "bob")
    for log in (beside, logs[0]):
        with pytest.raises(Conflict, match="erased"):
            house.m.update_reflective_log(log, {"user_feedback": WORD})
        with pytest.raises(Conflict, match="erased"):
            house.m.amend(log, "kim", WORD, "note")
    assert canaries.everywhere(house.m, house.place, [WORD]) == []
    assert house.m.verify()["findings"] == []


def test_a_restore_brings_them_back(house: governed.House):
    private, public = house.box.generate()
    house.m.forensics.set_key(public)
    logs, beside = write_everything(house, "bob", WORD)
    before = [house.m.read_reflective_log(log) for log in (*logs, beside)], house.m.amendments(beside)
    proof = house.m.accounts.issue_identity_proof("bob")["proof"]
    asked = house.m.request_dsr("bob", "delete", proof)
    assert asked["request_id"] is not None
    house.vote(asked["request_id"], "owner")
    assert canaries.in_sealed(house.m, [WORD]) == []
    house.m.forensics.restore(asked["request_id"], private, purpose="an error")
    assert ([house.m.read_reflective_log(log) for log in (*logs, beside)], house.m.amendments(beside)) == before
    assert house.m.verify()["findings"] == []


@pytest.mark.parametrize("author", ["Kim Nowak", "kim\u00a0nowak", "José", "kim\nnowak", " kim", "-kim", "", "a" * 65])
def test_an_author_is_an_id(house: governed.House, author: str):
    log_id = house.m.ask("What is 2 + 2?", "bob")["log_id"]
    assert log_id is not None
    with pytest.raises(InvalidInput):
        house.m.amend(log_id, author, {"note": "x"}, "note")
    assert house.m.amendments(log_id) == []


def test_who_amended_is_signed_with_their_id(house: governed.House):
    house.account("root", "admin")
    log_id = house.m.ask("What is 2 + 2?", "bob")["log_id"]
    assert log_id is not None
    house.acting("root").amend(log_id, "root", {"note": "x"}, "note")
    (event,) = events_of(house, "AMENDMENT_WRITTEN")
    assert event["signed_by"] == "root"


def test_an_agent_writes_about_nobody_or_the_person_it_works_for(house: governed.House):
    house.account("helper", "agent", user_id="bob")
    house.account("lonely", "agent")
    theirs = house.acting("helper").write_reflective_log(payloads.log_payload(final_answer=WORD))
    nobodys = house.acting("lonely").write_reflective_log(payloads.log_payload("b", final_answer="kept"))
    for name in ("helper", "lonely"):
        with pytest.raises(PermissionDenied):
            house.acting(name).write_reflective_log(payloads.log_payload("c"), user_id="alice")
    governed.erase(house.m, "bob")
    assert house.m.read_reflective_log(theirs)["final_answer"] == GONE
    assert house.m.read_reflective_log(nobodys)["final_answer"] == "kept"
