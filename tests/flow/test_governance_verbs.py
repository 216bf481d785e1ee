"""Governance as a user of the library meets it: an opened MACE and its verbs, nothing built by hand."""

from pathlib import Path

import pytest

import places
from mace.core.errors import AuthError, PermissionDenied
from mace.providers.forensic_box import HpkeBox

pytestmark = pytest.mark.stage1
KEY = "user/profile/user_bob/phone"


def test_from_consent_to_receipt(place: places.Place):
    with place.open() as m:
        if place.kind == "postgres":  # nobody owns a server: its admin proves itself
            m.accounts.create("root", ["admin"])
        consent = m.grant_consent("bob", "keep my phone", "persistent", expires_at="2035-01-01T00:00:00Z")
        assert m.sem_put(KEY, "212-555-0198", "user", user_id="bob", consent_id=consent["consent_id"])["success"]
        assert m.detect_and_handle("call 212-555-0198", "bob")["status"] == "consent_required"
        told = m.ask("what is my phone?", user_id="bob")
        assert "212-555-0198" in told["answer"]
        review = m.request_review(told["job_id"])
        m.revoke_consent(consent["consent_id"])
        assert (
            m.sem_put(KEY, "212-555-0199", "user", consent_id=consent["consent_id"])["error_code"] == "PRIVACY_BLOCKED"
        )
        heard = m.ask("forget my phone", user_id="bob")
        waiting = [item["request_id"] for item in m.approvals.list(only_open=True)]
        assert len(waiting) == 2
        if place.kind == "postgres":
            with pytest.raises(PermissionDenied):
                m.vote(review["request_id"], "owner", "approve")
            with pytest.raises(AuthError):
                m.vote(review["request_id"], "root", "approve")
            return
        m.vote(review["request_id"], "owner", "approve")
        assert m.amendments(told["log_id"])[0]["changes"]["review"] == "approved"
        private, public = HpkeBox().generate()
        m.forensics.set_key(public)
        erasure = next(item for item in m.approvals.list(only_open=True) if item["kind"] == "erasure")
        assert erasure["request_id"] in heard["answer"]
        done = m.vote(erasure["request_id"], "owner", "approve")["result"]
        assert m.replay(told["job_id"])["result"] == "INPUT_ERASED"
        assert m.dsr(done["receipt"]["dsr_id"])["status"] == "completed"
        assert m.verify()["ok"]
        m.forensics.restore(done["receipt"]["dsr_id"], private, purpose="a mistake")
        assert m.sem_get(KEY)["value"] == "212-555-0198"
        assert m.sweep()["expired_approvals"] == 0


def test_a_token_meets_the_policy(tmp_path: Path):
    with places.SqlitePlace(tmp_path).open() as m:
        m.accounts.create("bob", ["user"], user_id="bob")
        for who in ("bob", "eve"):
            m.sem_put(f"user/profile/user_{who}/food", "soup", "user")
        bob = m.acting_as(m.authenticate(m.accounts.issue_token("bob")["token"]))
        assert bob.sem_get("user/profile/user_bob/food")["value"] == "soup"
        assert not bob.sem_get("user/profile/user_eve/food")["exists"]
        assert bob.ask("what is 2 + 2?")["error"] is None
        assert bob.sem_delete("user/profile/user_bob/food")["error_code"] == "PERMISSION_DENIED"


def test_an_incident_of_a_module_that_broke_the_policy(tmp_path: Path):
    with places.SqlitePlace(tmp_path).open() as m:
        incident = m.incidents.report_violation("math_agent", "wrote where it may not")["incident_id"]
        assert m.acknowledge_incident(incident, "owner")["acknowledged"]["actor"] == "owner"
        m.vote(m.modules.request_quarantine("math_agent")["request_id"], "owner", "approve")
        m.vote(m.modules.request_release("math_agent")["request_id"], "owner", "approve")
        assert {item["status"] for item in m.modules.list()} == {"healthy"}
