"""Golden tests F-PRIV-01, F-PRIV-02, F-DSR-01, F-SEC-02 of the stage 1 text: a known server key, exact ids."""

import hashlib
import hmac
from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

import governed
from mace.core import canon, seeds

pytestmark = [pytest.mark.stage1, pytest.mark.golden, pytest.mark.critical]

BLOCKED = "I can’t store or repeat that kind of sensitive personal information."
SSN = "123-45-6789"


@pytest.fixture
def house(tmp_path: Path) -> Iterator[governed.House]:
    made = governed.House(tmp_path, server_key=governed.SERVER_KEY)
    yield made
    made.close()


def events_are(house: governed.House, seed: str, types: list[str]) -> list[dict[str, object]]:
    """Check a stream: its types, and that each id is the hash of seed, index and type."""
    events = house.m.events(seeds.job_id(seed))
    assert [event["event_type"] for event in events] == types
    for index, event in enumerate(events):
        assert event["event_id"] == hashlib.sha256(f"{seed}{index}{types[index]}".encode()).hexdigest()
        assert event["job_seed"] == seed
        body = {name: value for name, value in event.items() if name not in ("hash", "signature")}
        assert event["hash"] == hashlib.sha256(canon.dumps(body)).hexdigest()
        digest = bytes.fromhex(str(event["hash"]))
        signing = HKDF(algorithm=SHA256(), length=32, salt=b"mace/keys/1", info=b"mace/event/1")
        expected = hmac.new(signing.derive(governed.SERVER_KEY), digest, "sha256").hexdigest()
        assert event["signature"] == f"k1.event:{expected}"
    return events


def files_of(house: governed.House) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(house.place.folder.rglob("*")) if path.is_file())


def test_F_PRIV_01_PII_REDACTION(house: governed.House):
    key, seed = "user/profile/user_tuff/ssn", "F-PRIV-01"
    answer = house.m.sem_put(key, SSN, "user", job_seed=seed)
    assert (answer["error_code"], answer["user_message"]) == ("PRIVACY_BLOCKED", BLOCKED)
    events = events_are(house, seed, ["JOB_OPENED", "PII_FLAGGED", "PRIVACY_BLOCKED"])
    assert events[1]["event_id"] == hashlib.sha256(b"F-PRIV-011PII_FLAGGED").hexdigest()
    assert events[1]["payload"] == {
        "pii_type": "us_ssn",
        "sensitivity": "high",
        "rule": events[1]["payload"]["rule"],  # type: ignore[index]
        "pii_hash": hmac.new(governed.SERVER_KEY, f"{SSN}{seed}".encode(), "sha256").hexdigest(),
        "redaction_reason": "PII_DETECTED",
    }
    assert not house.m.sem_get(key)["exists"]
    assert SSN.encode() not in files_of(house)
    house.close()
    assert SSN.encode() not in files_of(house)


def test_F_PRIV_02_CONSENT_GATING(house: governed.House):
    key, seed, phone = "user/profile/user_tuff/phone", "F-PRIV-02", "212-555-0198"
    given = house.g.consents.grant("user_tuff", "You may store my phone number.", job_seed=seed)
    assert given["consent_id"] == hashlib.sha256(b"user_tuffF-PRIV-02You may store my phone number.").hexdigest()
    assert given["event_id"] == hashlib.sha256(b"F-PRIV-021PII_CONSENT").hexdigest()
    answer = house.m.sem_put(key, phone, "user", job_seed=seed, consent_id=given["consent_id"])
    assert answer == {"success": True, "applied": True, "error_code": None}
    assert house.m.sem_get(key)["value"] == phone
    events = events_are(house, seed, ["JOB_OPENED", "PII_CONSENT", "PII_CONSENT", "SEM_PUT"])
    assert events[2]["payload"] == {
        "key": key,
        "consent_id": given["consent_id"],
        "action": "used",
        "pii": [
            {
                "pii_type": "phone",
                "pii_hash": hmac.new(governed.SERVER_KEY, f"{phone}{seed}".encode(), "sha256").hexdigest(),
            }
        ],
        "approvals": [],
    }
    assert phone.encode() not in files_of(house), "raw for whoever may read it, sealed where it lies"


def test_F_DSR_01_DELETION_REQUEST_GOVERNANCE(house: governed.House):
    key = "user/profile/user_tuff/favorite_color"
    house.m.sem_put(key, "blue", "user")
    proof = house.g.requests.issue_proof("user_tuff", "owner")["proof"]
    asked = house.g.requests.request("user_tuff", "delete", proof, [key], job_seed="F-DSR-01")
    events = events_are(house, "F-DSR-01", ["JOB_OPENED", "DSR_REQUEST", "DSR_DELETE_REQUEST", "APPROVAL_REQUESTED"])
    assert events[2]["payload"] == {"dsr_id": asked["dsr_id"], "keys": [key], "whole_person": False}
    assert house.m.sem_get(key)["value"] == "blue", "nothing goes before it is approved"
    house.m.vote(asked["request_id"], "owner", "approve", job_seed="F-DSR-01-vote")
    votes = events_are(
        house,
        "F-DSR-01-vote",
        ["JOB_OPENED", "APPROVAL_VOTE", "APPROVAL_DECIDED", "sem_delete", "DSR_ERASED"],
    )
    assert not house.m.sem_get(key)["exists"]
    manifest = house.g.requests.get(asked["dsr_id"])["manifest"]
    assert manifest["facts"] == [{"key": key, "versions": 1}]
    assert votes[3]["payload"]["deletion_manifest"]["hash"] == canon.sha256_hex(canon.dumps(manifest))  # type: ignore[index]
    assert house.m.verify()["ok"]


def test_F_SEC_02_POLICY_VIOLATION_OFFLINE(house: governed.House):
    house.m.sem_put("mace/config/agents/allowed_writes", ["math_agent"], "system_admin")
    assert house.m.sem_put("world/fact/pi/value", "3.14", "agent:math_agent")["success"]
    house.g.violations.report("math_agent", "wrote outside its keys", {"tried": "x"}, job_seed="F-SEC-02")
    events_are(
        house,
        "F-SEC-02",
        ["JOB_OPENED", "POLICY_VIOLATION", "NODE_OFFLINE", "ADMIN_ALERT", "FORENSIC_STORED"],
    )
    module = next(item for item in house.m.modules.list() if item["module_id"] == "math_agent")
    assert (module["status"], module["writes_blocked"], module["needs_admin"]) == ("offline", True, True)
    blocked = house.m.sem_put("world/fact/pi/value", "3", "agent:math_agent")
    assert blocked["error_code"] == "PERMISSION_DENIED"
    assert house.m.sem_get("world/fact/pi/value")["value"] == "3.14"
    assert {"INCIDENT_CREATED", "ADMIN_ALERT"} <= set(house.system_types())
    assert house.m.incidents.list()[0]["severity"] == "critical"
    heard = house.m.ask("What is 2 + 2?")
    assert heard["agent_id"] != "math_agent"
    house.clock.move(hours=1)
    assert house.m.ask("What is 3 + 3?")["agent_id"] != "math_agent", "time alone does not bring it back"
