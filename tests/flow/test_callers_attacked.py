"""What strangers tried with callers, each as they did it: other people, other names, changed proofs, locked doors."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import governed
from mace.core.errors import AuthError, InvalidInput, MaceError, PermissionDenied, WrongType

PHONE = "call 212-555-0198"
LOCKS_OUT = '@id("none") forbid (principal, action, resource);'


@pytest.fixture
def house(tmp_path: Path) -> Iterator[governed.House]:
    made = governed.House(tmp_path)
    yield made
    made.close()


def test_two_ids_of_one_slug_are_two_people_for_a_caller_made_before_anybody_wrote(house: governed.House):
    m = house.m
    other, owner = (m.acting_as(m.on_behalf_of(name)) for name in ("j.doe", "j_doe"))
    owner.sem_put("user/profile/user_j_doe/city", "Rome")
    asked = owner.ask("What is my city?")
    assert not other.sem_get("user/profile/user_j_doe/city")["exists"]
    with pytest.raises(MaceError) as refused:
        other.read_reflective_log(asked["log_id"])
    assert refused.value.code == "NOT_FOUND"
    assert owner.sem_get("user/profile/user_j_doe/city")["value"] == "Rome"


def test_names_that_became_accounts_do_not_vote(house: governed.House):
    m = house.m
    early = [m.acting_as(m.owner(name, roles=["council"])) for name in ("x1", "x2", "x3")]
    house.council("x1", "x2", "x3")
    asked = m.modules.request_quarantine("math_agent")["request_id"]
    for view in early:
        with pytest.raises(AuthError, match="is an account now"):
            view.approvals.vote(asked, "approve")
    assert m.approvals.show(asked)["votes"] == []


def test_nobody_is_called_owner_but_the_owner(house: governed.House):
    with pytest.raises(InvalidInput, match="reserved"):
        house.m.accounts.create("owner", ["council"])


@pytest.mark.parametrize("change", [{"active": False}, {"roles": ["viewer"]}])
def test_an_account_that_acts_on_the_node_ends_with_its_account(house: governed.House, change: dict[str, Any]):
    house.account("root", "admin")
    root = house.m.acting_as(house.m.owner("root", totp=house.code("root")))
    root.accounts.create("before", ["viewer"])
    house.m.accounts.change("root", **change)
    with pytest.raises((AuthError, PermissionDenied)):
        root.accounts.create("after", ["admin"])


@pytest.mark.parametrize(
    ("field", "value"),
    [("person", "user_ana"), ("roles", frozenset({"admin"})), ("second_factor", True), ("_is_owner", True)],
)
def test_a_caller_that_was_changed_by_force_is_nobody(house: governed.House, field: str, value: object):
    m = house.m
    m.sem_put("user/profile/user_ana/food", "pizza", "user")
    caller = m.on_behalf_of("bob")
    view = m.acting_as(caller)
    object.__setattr__(caller, field, value)
    with pytest.raises(AuthError):
        view.sem_get("user/profile/user_ana/food")
    with pytest.raises(AuthError):
        m.acting_as(caller)


def test_that_somebody_else_gave_a_consent_is_not_told(house: governed.House):
    m = house.m
    given = m.grant_consent("ana", "Keep my phone.", "job", "clinic-7")["consent_id"]
    bob = m.acting_as(m.on_behalf_of("bob"))
    told = [bob.detect_and_handle(PHONE, consent_id=name)["consent"] for name in (given, "f" * 64)]
    assert told == ["unknown", "unknown"]


def test_a_cursor_of_somebody_elses_job_is_no_better_than_none(house: governed.House):
    m = house.m
    theirs = m.ask("2 + 2", "ana")["job_id"]
    bob = m.acting_as(m.on_behalf_of("bob"))
    bob.ask("2 + 3")
    said = []
    for cursor in (theirs, "no such job"):
        with pytest.raises(InvalidInput) as refused:
            bob.jobs.list(cursor=cursor)
        said.append(str(refused.value))
    assert said[0] == said[1]


def test_an_export_by_the_owner_is_on_the_record(house: governed.House):
    lines = list(house.m.export())
    assert house.m.events("system")[-1]["payload"]["what"] == "export_log"
    assert len(lines) == house.m.describe()["events"]  # a header, and all but that it was exported
    list(house.m.acting_as(house.m.owner("audrey", roles=["auditor"])).export())
    assert house.m.events("system")[-1]["payload"]["actor"] == "audrey"


def test_a_fact_says_which_admin_wrote_it(house: governed.House):
    house.account("root", "admin")
    root = house.m.acting_as(house.m.owner("root", totp=house.code("root")))
    root.sem_put("world/fact/w/w", "v")
    root.sem_delete("world/fact/w/w")
    assert [row["actor"] for row in house.m.sem_history("world/fact/w/w")] == ["root", "root"]
    assert house.m.verify()["ok"]


def test_nobody_signs_as_an_account_without_its_code(house: governed.House):
    house.account("root", "admin")
    log_id = house.m.ask("12 + 30")["log_id"]
    with pytest.raises(AuthError):
        house.m.amend(log_id, "root", {"n": 1}, "note")


def test_a_policy_without_a_way_back_is_refused(house: governed.House):
    with pytest.raises(InvalidInput, match="nobody could change the policy again"):
        house.m.approvals.propose_policy(LOCKS_OUT)


@pytest.mark.parametrize("scopes", [[], ["nonsense"], ["sem_get", "nonsense"]])
def test_a_scope_is_an_action(house: governed.House, scopes: list[str]):
    house.account("root", "admin")
    with pytest.raises(InvalidInput, match="scopes"):
        house.m.accounts.issue_token("root", scopes=scopes)


@pytest.mark.parametrize("key", [None, 5, b"x", ["a"], {"a": 1}])
def test_a_view_checks_keys_as_the_owner_does(house: governed.House, key: Any):
    bob = house.m.acting_as(house.m.on_behalf_of("bob"))
    for m in (house.m, bob):
        with pytest.raises(WrongType):
            m.sem_get(key)
        with pytest.raises(WrongType):
            m.sem_put(key, 1, "user")
        with pytest.raises(InvalidInput):
            m.sem_get("nonsense")


def test_those_who_do_not_vote_do_not_see_whose_request_it_is(house: governed.House):
    m = house.m
    consent = m.grant_consent("ana", "Keep it.", "persistent", expires_at="2035-01-01T00:00:00Z")["consent_id"]
    m.sem_put("user/profile/user_ana/ssn", "123-45-6789", "user", user_id="ana", consent_id=consent)
    operator = m.acting_as(m.owner("olga", roles=["operator"]))
    (shown,) = operator.approvals.list()
    assert (shown["details"]["person"], shown["details"]["key"]) == ("[redacted]", "[redacted]")
    assert "ana" not in str(operator.approvals.show(shown["request_id"]))
    (seen,) = m.approvals.list()
    assert seen["details"]["person"] == "user_ana"


def test_a_seat_on_the_council_and_its_second_factors_are_the_councils(house: governed.House):
    m = house.m
    house.council("c1", "c2", "c3")
    for change in (
        lambda: m.accounts.create("c4", ["council"]),
        lambda: m.accounts.enrol_second_factor("c1", sealed_to=house.box.generate()[1]),
        lambda: m.accounts.change("c2", active=False),
    ):
        with pytest.raises(MaceError) as refused:
            change()
        assert refused.value.details["request_id"]


def test_an_answer_that_is_none_of_ours_is_handed_back(house: governed.House):
    for answer in ({"error": "text"}, {"error_code": ["x"]}, {"success": False}):
        assert house.m.raise_for(answer) is answer
    with pytest.raises(MaceError, match="does not know"):
        house.m.raise_for({"error_code": "NOPE"})


def test_an_admin_does_not_decide_about_their_own_data(house: governed.House):
    m = house.m
    house.account("other", "admin")
    house.account("eve_admin", "admin", "user", user_id="eve")
    eve = m.acting_as(m.owner("eve_admin", totp=house.code("eve_admin")))
    consent = eve.grant_consent("eve", "Keep it.", "persistent", expires_at="2035-01-01T00:00:00Z")["consent_id"]
    eve.sem_put("user/profile/user_eve/ssn", "123-45-6789", consent_id=consent)
    (asked,) = m.approvals.list(only_open=True)
    with pytest.raises(PermissionDenied, match="own request"):
        eve.approvals.vote(asked["request_id"], "approve")


def test_an_admin_does_not_approve_what_they_stored_for_somebody(house: governed.House):
    m = house.m
    house.account("other", "admin")
    house.account("root", "admin")
    root = m.acting_as(m.owner("root", totp=house.code("root")))
    consent = root.grant_consent("ana", "Keep it.", "persistent", expires_at="2035-01-01T00:00:00Z")["consent_id"]
    root.sem_put("user/profile/user_ana/ssn", "123-45-6789", consent_id=consent)
    (asked,) = m.approvals.list(only_open=True)
    assert asked["requested_by"] == "root"
    with pytest.raises(PermissionDenied, match="own request"):
        root.approvals.vote(asked["request_id"], "approve")


def test_a_policy_that_silences_the_council_is_refused(house: governed.House):
    silenced = governed.policy_text() + (
        '@id("quiet") forbid (principal, action == Action::"approval_vote", resource)'
        ' when { principal.roles.contains("council") };'
    )
    with pytest.raises(InvalidInput, match="nobody could change the policy again"):
        house.m.approvals.propose_policy(silenced)


def test_whoever_writes_as_a_user_writes_for_themselves(house: governed.House):
    m = house.m
    house.account("eve_admin", "admin", "user", user_id="eve")
    eve = m.acting_as(m.owner("eve_admin", totp=house.code("eve_admin")))
    told = eve.sem_put("user/profile/user_ana/city", "forged", "user", user_id="ana")
    assert told["error_code"] == "PERMISSION_DENIED"
    assert eve.sem_put("user/profile/user_eve/city", "Rome")["success"]
    assert [row["source"] for row in m.sem_history("user/profile/user_eve/city")] == ["user"]


def test_one_approval_is_one_second_factor(house: governed.House):
    m, to = house.m, house.box.generate()[1]
    house.council("c1", "c2", "c3", "c4")
    with pytest.raises(MaceError) as refused:
        m.accounts.enrol_second_factor("c1", sealed_to=to)
    for name in ("c2", "c3", "c4"):
        house.vote(refused.value.details["request_id"], name)
    kept = m.acting_as(m.owner("c1", totp=house.code("c1")))
    assert m.accounts.enrol_second_factor("c1", sealed_to=to)["sealed"]
    with pytest.raises(MaceError) as again:
        m.accounts.enrol_second_factor("c1", sealed_to=to)
    assert again.value.details["request_id"] != refused.value.details["request_id"]
    with pytest.raises(PermissionDenied):  # proved with the one that was replaced
        kept.approvals.vote(again.value.details["request_id"], "approve")


def test_fewer_roles_do_not_open_what_a_server_keeps_for_accounts(tmp_path: Path):
    house = governed.House(tmp_path, embedded=False)
    for role in ("operator", "council", "admin"):
        with pytest.raises(PermissionDenied):
            house.m.acting_as(house.m.owner("nobody", roles=[role])).modules.request_quarantine("math_agent")
    assert house.m.jobs.list()["items"] == []
    house.close()
