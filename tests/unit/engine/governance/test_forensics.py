"""The forensic store, violations of the policy, and admins' unredacted reads."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import governed
from mace.core.errors import AuthError, InvalidInput, NotFound, PermissionDenied
from mace.engine.kernel.module_health import read_health

pytestmark = pytest.mark.stage1


@pytest.fixture
def house(tmp_path: Path) -> Iterator[governed.House]:
    made = governed.House(tmp_path)
    yield made
    made.close()


def status_of(house: governed.House, module_id: str) -> dict[str, Any]:
    return house.g.world.store.read(lambda tx: read_health(tx, house.g.bound)).of(module_id).to_json()


def test_evidence_opens_with_the_forensic_key_alone_and_every_look_is_recorded(house: governed.House):
    private, public = house.box.generate()
    house.g.forensics.set_key(public, "owner")
    entry = house.g.violations.report("rogue", "wrote secrets", {"what": "it did"})["evidence_id"]
    with pytest.raises(InvalidInput):
        house.g.forensics.read(entry, None, "owner", purpose="look")
    assert house.g.forensics.read(entry, private, "owner", purpose="look")["evidence"] == {"what": "it did"}
    assert house.system_types().count("admin_access_event") == 2
    with pytest.raises(InvalidInput, match="purpose must be a string"):
        house.g.forensics.read(entry, private, "owner", purpose=" ")
    with pytest.raises(NotFound):
        house.g.forensics.read("nothing", private, "owner", purpose="look")
    assert house.m.verify()["ok"]


def test_without_a_forensic_key_evidence_is_kept_under_the_node_s_own_and_says_so(house: governed.House):
    entry = house.g.violations.report("rogue", "wrote secrets", {"what": "it did"})["evidence_id"]
    assert house.g.forensics.entries()[0]["forensic_key"] is None
    assert house.g.forensics.read(entry, None, "owner", purpose="look")["rule"] == "wrote secrets"


def test_a_new_forensic_key_leaves_old_entries_with_theirs(house: governed.House):
    old, first = house.box.generate()
    new, second = house.box.generate()
    house.g.forensics.set_key(first, "owner")
    before = house.g.violations.report("one", "rule")["evidence_id"]
    house.g.forensics.set_key(second, "owner")
    after = house.g.violations.report("two", "rule")["evidence_id"]
    assert house.g.forensics.read(before, old, "owner", purpose="look")["module_id"] == "one"
    assert house.g.forensics.read(after, new, "owner", purpose="look")["module_id"] == "two"
    with pytest.raises(InvalidInput):
        house.g.forensics.read(after, old, "owner", purpose="look")


def test_a_private_key_is_not_taken_for_a_public_one(house: governed.House):
    private, _ = house.box.generate()
    with pytest.raises(InvalidInput) as refused:
        house.g.forensics.set_key(private, "owner")
    assert private[-64:] not in str(refused.value)


def test_nobody_but_an_admin_with_a_code_looks(house: governed.House):
    house.account("root", "admin")
    house.account("ana", "auditor")
    entry = house.g.violations.report("rogue", "rule")["evidence_id"]
    with pytest.raises(PermissionDenied):
        house.acting("ana").forensics.read(entry, None, purpose="look")
    with pytest.raises(AuthError):
        house.m.owner("root")
    with pytest.raises(PermissionDenied) as refused:
        house.showing("root").forensics.read(entry, None, purpose="look")
    assert refused.value.details["needs"] == "second_factor"
    with pytest.raises(PermissionDenied):
        governed.as_server(house.m).forensics.read(entry, None, purpose="look")
    assert house.system_types().count("admin_access_event") == 0
    assert house.acting("root").forensics.read(entry, None, purpose="look")["rule"] == "rule"


def test_an_unredacted_read_needs_a_code_and_leaves_an_event(house: governed.House):
    house.account("root", "admin")
    heard = house.m.ask("What is 2 + 2?")
    with pytest.raises(PermissionDenied) as refused:
        house.showing("root").forensics.read_log(heard["log_id"], purpose="complaint")
    assert refused.value.details["needs"] == "second_factor"
    log = house.acting("root").forensics.read_log(heard["log_id"], purpose="complaint")
    assert log["final_answer"]["answer"] == heard["answer"]
    event = house.m.events("system")[-1]
    assert event["event_type"] == "admin_access_event"
    assert event["payload"] == {
        "actor": "root",
        "what": "reflective_log",
        "which": heard["log_id"],
        "purpose": "complaint",
    }
    found = house.m.forensics.read_event(event["event_id"], purpose="looking back")
    assert found[0]["event_type"] == "admin_access_event"
    with pytest.raises(InvalidInput):
        house.m.forensics.read_event("no hex", purpose="x")


@pytest.mark.parametrize("attempt", ["delete", "write"])
def test_a_module_that_tries_what_no_module_may_is_stopped(house: governed.House, attempt: str):
    house.m.sem_put("mace/config/agents/allowed_writes", ["rogue"], "system_admin")
    house.m.sem_put("world/fact/earth/shape", "round", "agent:rogue")
    assert house.m.sem_get("world/fact/earth/shape")["exists"]
    if attempt == "delete":
        answer = house.m.sem_delete("world/fact/earth/shape", "agent:rogue")
    else:
        answer = house.m.sem_put("mace/config/router/enable_math", False, "agent:outsider")
        assert answer["error_code"] == "PERMISSION_DENIED"
        assert status_of(house, "outsider")["status"] == "offline"
        answer = house.m.sem_delete("world/fact/earth/shape", "agent:rogue")
    assert answer["error_code"] == "PERMISSION_DENIED"
    assert status_of(house, "rogue")["writes_blocked"]
    blocked = house.m.sem_put("world/fact/earth/shape", "flat", "agent:rogue")
    assert blocked["error_code"] == "PERMISSION_DENIED"
    assert house.m.sem_get("world/fact/earth/shape")["value"] == "round"
    assert house.m.sem_put("world/fact/earth/shape", "flat", "system_admin")["success"], "others write on"


@pytest.mark.parametrize("source", ["", "user", "agent:", "agent:a b", "agent:x@example.com", "agent:" + "m" * 65])
def test_what_is_no_module_s_name_is_refused_quietly(house: governed.House, source: str):
    house.m.sem_put("user/profile/user_bob/food", "pizza", "user")
    answer = house.m.sem_delete("user/profile/user_bob/food", source)
    assert answer["error_code"] == "PERMISSION_DENIED"
    assert house.m.incidents.list() == []


def test_people_who_are_refused_are_no_modules(house: governed.House):
    house.m.sem_put("user/profile/user_bob/food", "pizza", "user")
    house.m.sem_delete("user/profile/user_bob/food", "user")
    assert house.m.incidents.list() == []


@pytest.mark.parametrize(("module_id", "rule"), [("", "rule"), ("m", ""), ("m", "x" * 201), ("m" * 65, "rule")])
def test_a_violation_names_its_module_and_its_rule(house: governed.House, module_id: str, rule: str):
    with pytest.raises(InvalidInput):
        house.g.violations.report(module_id, rule)


def test_a_security_incident_halts_replays_until_it_is_lifted(house: governed.House):
    job, other = (house.m.ask(f"What is 2 + {n}?")["job_id"] for n in (2, 3))
    made = house.g.reporting.security_incident("a stolen token was used", [job], {"token": "mace_x"}, job_seed="sec")
    assert house.m.replay(job)["result"] == "REPLAY_HALTED"
    assert house.m.replay(other)["result"] == "MATCH"
    assert "FORCE_HALT_REPLAY" in house.system_types()
    lifted = house.m.incidents.lift_halt(made["incident_id"])
    assert (lifted["approval"], lifted["halting"]) == ("approved", False)
    assert house.m.replay(job)["result"] == "MATCH"
    assert house.m.verify()["ok"]


def test_with_a_council_lifting_a_halt_is_asked_for(house: governed.House):
    house.council("ana", "bo", "cy")
    job = house.m.ask("What is 2 + 2?")["job_id"]
    made = house.g.reporting.security_incident("a stolen token was used", [job])
    asked = house.m.incidents.lift_halt(made["incident_id"])
    assert (asked["approval"], asked["halting"]) == ("open", True)
    for name in ("ana", "bo", "cy"):
        house.vote(asked["request_id"], name)
    assert house.m.replay(job)["result"] == "MATCH"


@pytest.mark.parametrize(
    ("seconds", "severity"), [(59, None), (60, None), (61, "error"), (300, "error"), (301, "critical")]
)
def test_how_long_a_service_was_down_decides(house: governed.House, seconds: int, severity: str | None):
    since = house.clock.at
    house.clock.move(seconds=seconds)
    house.m._parts.world.store.write(lambda tx: house.g.reporting.outage(tx, "language_engine", since, house.clock.at))
    assert [item["severity"] for item in house.m.incidents.list()] == ([] if severity is None else [severity])
