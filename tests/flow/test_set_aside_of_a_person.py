"""What is quarantined or kept as evidence about a person is theirs: in their export, gone with their erasure."""

from typing import Any

import pytest

import places
from governed import owned
from mace.core.errors import LogInvalid, MaceError, PreconditionFailed
from mace.engine.runtime import Mace
from mace.providers.forensic_box import HpkeBox
from payloads import log_payload

pytestmark = [pytest.mark.stage1, pytest.mark.critical]
WORD = "Quarword"
SAID = f"{WORD}: my wife left me"


def forensic_key(m: Mace) -> str:
    private, public = HpkeBox().generate()
    m.forensics.set_key(public)
    return private


def refused(m: Mace, user_id: str | None, said: str = SAID) -> str:
    with pytest.raises(LogInvalid) as error:
        m.write_reflective_log({**log_payload("a", final_answer=said), "more": 1}, user_id=user_id)
    return str(error.value.details["quarantine_id"])


def export_of(m: Mace, person: str) -> Any:
    return m.request_dsr(person, "export", m.accounts.issue_identity_proof(person)["proof"])["package"]


def erase(m: Mace, person: str, keys: list[str] | None = None) -> Any:
    asked = m.request_dsr(person, "delete", m.accounts.issue_identity_proof(person)["proof"], keys)
    return m.vote(str(asked["request_id"]), "owner", "approve")["result"]


def found(m: Mace, word: str = WORD) -> set[str | None]:
    return {item["person"] for item in m.forensics.search([word], purpose="test")["findings"]}


def counts(items: list[dict[str, Any]]) -> dict[str, int]:
    return {item["what"]: item["count"] for item in items if "count" in item}


def is_intact(m: Mace) -> bool:
    return m.verify(read_only=True)["ok"]


def test_a_refused_log_is_of_whom_it_is_about(place: places.Place):
    with owned(place.open()) as m:
        forensic_key(m)
        held = refused(m, "bob")
        nobodys = refused(m, None)
        assert held != nobodys, "the same payload of somebody else is another one"
        assert refused(m, "bob") == held
        assert m.quarantine_read(held)["person"] == "user_bob"
        assert found(m) == {"user_bob", None}
        [exported] = export_of(m, "bob")["quarantined"]
        assert (exported["quarantine_id"], exported["payload"]["final_answer"]) == (held, SAID)
        result = erase(m, "bob")
        assert counts(result["receipt"]["gone"])["quarantined"] == 1
        assert m.quarantine_read(held)["payload"] is None
        assert m.forensics.read_quarantine(held, purpose="case")["payload"] is None
        assert found(m) == {None}, "what nobody was named for stays"
        assert SAID in str(m.quarantine_read(nobodys)["payload"])
        assert export_of(m, "bob")["quarantined"] == []
        assert is_intact(m)


@pytest.mark.parametrize("with_key", [False, True])
def test_evidence_in_a_person_s_job_goes_with_them(place: places.Place, with_key: bool):
    with owned(place.open()) as m:
        private = forensic_key(m) if with_key else None
        m.ask("What is 2 + 2?", "bob", job_seed="bobs-job")
        entry = m.incidents.report_violation("creative_agent", "wrote", evidence={"seen": SAID}, job_seed="bobs-job")
        entry_id = str(entry["evidence_id"])
        assert m.forensics.read(entry_id, private, purpose="case")["evidence"] == {"seen": SAID}
        [listed] = [item for item in m.forensics.entries() if item["entry_id"] == entry_id]
        assert listed["people"] == ["user_bob"]
        [exported] = export_of(m, "bob")["evidence"]
        assert exported["entry_id"] == entry_id
        assert exported["is_readable"] is not with_key
        assert (SAID in str(exported["content"])) is not with_key
        looks = [item["which"] for item in export_of(m, "bob")["accesses"]]
        assert entry_id in looks, "who looked at it is named"
        if not with_key:
            assert found(m) == {"user_bob"}
        result = erase(m, "bob")
        assert counts(result["receipt"]["gone"])["evidence"] == 1
        with pytest.raises(PreconditionFailed):
            m.forensics.read(entry_id, private, purpose="case")
        assert found(m) == set()
        assert is_intact(m)


@pytest.mark.breaks_its_store  # what it reports halts replays
def test_evidence_about_several_goes_with_the_first_of_them(place: places.Place):
    with owned(place.open()) as m:
        jobs = [m.ask("What is 2 + 2?", who)["job_id"] for who in ("bob", "eve")]
        entry_id = m.incidents.report("a stolen key", jobs=jobs, evidence={"seen": SAID})["evidence_id"]
        assert m.forensics.read(entry_id, None, purpose="case")["evidence"] == {"seen": SAID}
        for who in ("bob", "eve"):
            assert [item["entry_id"] for item in export_of(m, who)["evidence"]] == [entry_id]
        purge = m.forensics.request_purge(entry_id)["request_id"]
        assert m.approvals.show(purge)["asks"]["people"] == ["user_bob", "user_eve"]
        erase(m, "eve")
        with pytest.raises(PreconditionFailed):
            m.forensics.read(entry_id, None, purpose="case")
        assert export_of(m, "bob")["evidence"] == []
        assert is_intact(m)


def test_a_fact_takes_what_quotes_it_and_leaves_the_rest(place: places.Place):
    key = "user/profile/user_bob/wife"
    with owned(place.open()) as m:
        m.sem_put(key, "Zanzibarella", "user")
        m.ask("What is 2 + 2?", "bob", job_seed="bobs-job")
        quotes, other = refused(m, "bob", "Zanzibarella left"), refused(m, "bob")
        m.incidents.report_violation("creative_agent", "wrote", evidence={"seen": "zanzibarella"}, job_seed="bobs-job")
        result = erase(m, "bob", [key])
        assert counts(result["receipt"]["gone"])["quarantined"] == 1
        assert counts(result["receipt"]["gone"])["evidence"] == 1
        assert counts(result["receipt"]["stays"])["quarantined"] == 1
        assert m.quarantine_read(quotes)["payload"] is None
        assert SAID in str(m.quarantine_read(other)["payload"])
        assert found(m, "zanzibarella") == set()
        assert is_intact(m)


def test_voters_on_a_purge_see_whose_it_is(place: places.Place):
    with owned(place.open()) as m:
        held = refused(m, "bob")
        m.ask("What is 2 + 2?", "bob", job_seed="bobs-job")
        reported = m.incidents.report_violation("creative_agent", "x", evidence={"seen": SAID}, job_seed="bobs-job")
        for what in (held, str(reported["evidence_id"])):
            asked = m.forensics.request_purge(what)["request_id"]
            assert m.approvals.show(asked)["asks"]["person"] == "user_bob"
            m.vote(asked, "owner", "approve")
        assert found(m) == set()
        package = export_of(m, "bob")
        assert (package["quarantined"], package["evidence"]) == ([], [])
        assert len(package["approvals"]) == 2
        assert is_intact(m)


def test_a_restore_brings_them_back(place: places.Place):
    with owned(place.open()) as m:
        private = forensic_key(m)
        held = refused(m, "bob")
        m.ask("What is 2 + 2?", "bob", job_seed="bobs-job")
        entry = m.incidents.report_violation("creative_agent", "x", evidence={"seen": SAID}, job_seed="bobs-job")
        dsr_id = erase(m, "bob")["manifest"]["dsr_id"]
        with pytest.raises(MaceError):
            m.forensics.read(str(entry["evidence_id"]), private, purpose="case")
        m.forensics.restore(dsr_id, private, purpose="case")
        assert SAID in str(m.quarantine_read(held)["payload"])
        assert m.forensics.read(str(entry["evidence_id"]), private, purpose="case")["evidence"] == {"seen": SAID}
        assert is_intact(m)
