"""Accounts, tokens and second factors; and the policy they meet."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

import governed
from mace.core.errors import Conflict, IntegrityFailure, InvalidInput, NotFound, PermissionDenied, PreconditionFailed
from mace.engine.governance.accounts import Unauthenticated
from mace.governance.access import Resource

pytestmark = pytest.mark.stage1


@pytest.fixture
def house(tmp_path: Path) -> Iterator[governed.House]:
    made = governed.House(tmp_path)
    yield made
    made.close()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[governed.House]:
    """Not an embedded directory: nobody is its owner."""
    made = governed.House(tmp_path, embedded=False)
    yield made
    made.close()


def test_a_code_is_taken_once(house: governed.House):
    house.account("root", "admin")
    code = house.code("root")
    assert house.g.accounts.act("root", {"admin"}, code).step is not None
    with pytest.raises(Unauthenticated, match="already used"):
        house.g.accounts.act("root", {"admin"}, code)
    assert house.g.accounts.act("root", {"admin"}, house.code("root")).name == "root"


def test_a_code_of_the_neighbouring_step_counts_and_older_ones_do_not(house: governed.House):
    house.account("root", "admin")
    code = house.code("root")
    house.clock.move(seconds=30)
    house.g.accounts.act("root", {"admin"}, code)
    code = house.code("root")
    house.clock.move(seconds=90)
    with pytest.raises(Unauthenticated, match="wrong"):
        house.g.accounts.act("root", {"admin"}, code)


def test_wrong_codes_lock_the_account_for_a_while(house: governed.House):
    house.account("root", "admin")
    for _ in range(5):
        with pytest.raises(Unauthenticated):
            house.g.accounts.act("root", {"admin"}, "000000x")
    with pytest.raises(Unauthenticated, match="locked"):
        house.g.accounts.act("root", {"admin"}, house.code("root"))
    assert house.system_types().count("SECOND_FACTOR_REFUSED") == 6
    assert house.system_types().count("ACCOUNT_LOCKED") == 1
    house.clock.move(minutes=16)
    assert house.g.accounts.act("root", {"admin"}, house.code("root")).name == "root"


def test_enrolling_anew_makes_the_old_secret_useless(house: governed.House):
    house.account("root", "admin")
    old = house.secrets["root"]
    fresh = house.g.accounts.enrol("root", "owner")
    assert fresh["uri"].startswith("otpauth://totp/MACE:root?secret=")
    assert fresh["secret"] in fresh["uri"]
    house.clock.move(seconds=30)
    with pytest.raises(Unauthenticated):
        house.g.accounts.act("root", {"admin"}, house.totp.code_at(old, house.clock.at))
    house.secrets["root"] = fresh["secret"]
    house.g.accounts.act("root", {"admin"}, house.code("root"))


def test_a_rolled_back_counter_is_noticed(house: governed.House):
    house.account("root", "admin")
    code = house.code("root")
    house.g.accounts.act("root", {"admin"}, code)
    with house.place.sql() as sql:
        sql(
            "update notes set value = replace(value, 'last_step\":', 'last_step\":-') where name like 'second_factor/%'"
        )
    with pytest.raises(Unauthenticated, match="was modified"):
        house.g.accounts.act("root", {"admin"}, code)


def test_an_account_written_into_the_database_is_no_account(house: governed.House):
    house.account("ana", "viewer")
    with house.place.sql() as sql:
        sql("update records set body = cast(replace(cast(body as text), 'viewer', 'admin') as blob)"
            " where kind = 'account'")  # fmt: skip
    with pytest.raises(IntegrityFailure):
        house.g.accounts.act("ana", {"admin"}, house.code("ana"))


def test_roles_are_needed_and_follow_changes(house: governed.House):
    house.account("ana", "viewer")
    with pytest.raises(PermissionDenied):
        house.g.accounts.act("ana", {"admin"}, house.code("ana"))
    house.g.accounts.change("ana", "owner", roles=["admin"])
    assert house.g.accounts.act("ana", {"admin"}, house.code("ana")).roles == {"admin"}
    house.g.accounts.change("ana", "owner", active=False)
    with pytest.raises(PermissionDenied):
        house.g.accounts.act("ana", {"admin"}, house.code("ana"))


def test_an_account_must_prove_itself_also_in_an_embedded_directory(house: governed.House):
    house.account("root", "admin")
    with pytest.raises(Unauthenticated, match="code required"):
        house.g.accounts.act("root", {"admin"}, None)
    assert house.g.accounts.act("owner", {"admin"}, None).is_owner


@pytest.mark.parametrize("name", ["system", "user"])
def test_the_runtime_s_own_names_are_nobody_s(house: governed.House, name: str):
    with pytest.raises(PermissionDenied):
        house.g.accounts.act(name, {"admin"}, None)
    with pytest.raises(InvalidInput):
        house.g.accounts.create(name, ["admin"], "owner")


def test_on_a_server_the_first_admin_is_made_on_the_node_and_then_asks_for_codes(server: governed.House):
    server.account("root", "admin")
    with pytest.raises(PermissionDenied):
        server.g.accounts.create("mallory", ["admin"], "mallory")
    with pytest.raises(Unauthenticated):
        server.g.accounts.create("mallory", ["admin"], "root")
    with pytest.raises(PermissionDenied):
        server.g.accounts.act("owner", {"admin"}, None)
    server.account("ana", "council")
    assert [item["name"] for item in server.g.accounts.all()] == ["ana", "root"]


def test_through_a_door_nobody_makes_the_first_admin(server: governed.House):
    with pytest.raises(PermissionDenied):
        server.g.accounts.create("mallory", ["admin"], "mallory", door=True)


@pytest.mark.parametrize(
    ("name", "roles"),
    [("", ["user"]), ("Ana", ["user"]), ("a b", ["user"]), ("ana", []), ("ana", ["king"]), ("x" * 65, ["user"])],
)
def test_odd_accounts_are_refused(house: governed.House, name: str, roles: list[str]):
    with pytest.raises(InvalidInput):
        house.g.accounts.create(name, roles, "owner")


def test_two_accounts_cannot_have_one_name(house: governed.House):
    house.account("ana", "user")
    with pytest.raises(Conflict):
        house.g.accounts.create("ana", ["admin"], "owner")


# Tokens


def test_a_token_carries_its_account_until_it_expires(house: governed.House):
    house.account("bob", "user", user_id="bob")
    issued = house.g.bearers.issue("bob", "owner", life=timedelta(hours=1))
    who = house.g.bearers.bearer(issued["token"])
    assert (who.name, who.roles, who.person, who.step) == ("bob", {"user"}, "user_bob", None)
    house.clock.move(hours=1)
    with pytest.raises(Unauthenticated):
        house.g.bearers.bearer(issued["token"])


def test_a_revoked_token_an_unknown_one_and_one_of_a_dead_account_are_nobody(house: governed.House):
    house.account("bob", "user")
    first, second = house.g.bearers.issue("bob", "owner"), house.g.bearers.issue("bob", "owner")
    house.g.bearers.revoke("bob", first["token_id"], "owner")
    for token in (first["token"], "mace_nothing", "", "\ud800"):
        with pytest.raises(Unauthenticated, match="not valid"):
            house.g.bearers.bearer(token)
    assert house.g.bearers.bearer(second["token"]).name == "bob"
    house.g.accounts.change("bob", "owner", active=False)
    with pytest.raises(Unauthenticated):
        house.g.bearers.bearer(second["token"])
    assert [item["revoked"] for item in house.g.bearers.of("bob")].count(True) == 1
    with pytest.raises(NotFound):
        house.g.bearers.revoke("bob", "", "owner")


def test_a_token_is_never_wider_than_its_account(house: governed.House):
    house.account("ana", "user", "auditor")
    narrow = house.g.bearers.issue("ana", "owner", roles=["user"], scopes=["ask"])
    who = house.g.bearers.bearer(narrow["token"])
    assert (who.roles, who.scopes) == ({"user"}, {"ask"})
    with pytest.raises(InvalidInput):
        house.g.bearers.issue("ana", "owner", roles=["admin"])
    house.g.accounts.change("ana", "owner", roles=["auditor"])
    assert house.g.bearers.bearer(narrow["token"]).roles == frozenset()


def test_secrets_are_nowhere_in_the_files(house: governed.House):
    house.account("root", "admin")
    token = house.g.bearers.issue("root", "owner")["token"]
    proof = house.g.requests.issue_proof("bob", "owner")["proof"]
    house.close()
    held = b"".join(path.read_bytes() for path in house.place.folder.iterdir() if path.is_file())
    for secret in (token, token.removeprefix("mace_"), proof, proof.replace("-", ""), house.secrets["root"]):
        assert secret.encode() not in held


# The policy


def test_a_no_is_recorded_with_the_policy_that_said_it(house: governed.House):
    house.account("bob", "user", user_id="bob")
    who = house.g.bearers.bearer(house.g.bearers.issue("bob", "owner")["token"]).principal()
    with pytest.raises(PermissionDenied):
        house.g.authority.authorise(who, "sem_get", Resource("fact:user", "user_eve"))
    event = house.m.events("system")[-1]
    assert (event["event_type"], event["payload"]["policy_id"]) == ("ACCESS_DENIED", "other-peoples-things")
    before = len(house.m.events("system"))
    house.g.authority.authorise(who, "sem_get", Resource("fact:user", "user_bob"))
    assert len(house.m.events("system")) == before


def test_a_strong_yes_is_recorded_too(house: governed.House):
    house.account("root", "admin")
    who = house.g.accounts.act("root", {"admin"}, house.code("root")).principal()
    decision = house.g.authority.authorise(who, "sem_delete", Resource("fact:user", "user_bob"))
    event = house.m.events("system")[-1]
    assert (event["event_type"], event["payload"]["policy_id"]) == ("ACCESS_GRANTED", "admins-administer")
    assert event["payload"]["policy_hash"] == decision.policy_hash


def test_another_policy_comes_into_force_by_vote_and_old_grants_end(house: governed.House):
    house.account("bob", "user", user_id="bob")
    who = house.g.bearers.bearer(house.g.bearers.issue("bob", "owner")["token"]).principal()
    key = "user/profile/user_bob/food"
    old = house.g.authority.grant(who)
    assert old.may_read(key, house.g.authority.policy().hash)
    text = '@id("nobody-reads") forbid(principal, action == Action::"sem_get", resource);\n' + governed.policy_text()
    request = house.g.authority.propose_policy(text, "owner")
    assert house.g.authority.grant(who).may_read(key, house.g.authority.policy().hash)
    house.g.approvals.vote(request["request_id"], "owner", "approve")
    policy = house.g.authority.policy()
    assert policy.text == text
    assert not old.may_read(key, policy.hash)
    assert not house.g.authority.grant(who).may_read(key, policy.hash)
    assert house.m.verify()["ok"]


def test_a_policy_in_force_that_was_changed_allows_nothing(house: governed.House):
    text = governed.policy_text() + "\n"
    request = house.g.authority.propose_policy(text, "owner")
    house.g.approvals.vote(request["request_id"], "owner", "approve")
    with house.place.sql() as sql:
        sql("update records set body = cast(replace(cast(body as text), 'forbid (', 'permit (') as blob)"
            " where kind = 'policy_text'")  # fmt: skip
    who = house.g.accounts.act("owner", {"admin"}, None).principal()
    with pytest.raises(PreconditionFailed):
        house.g.authority.authorise(who, "sem_get", Resource("fact:world"))


def test_an_incident_is_acknowledged_by_an_admin_with_a_code_or_by_the_owner(house: governed.House):
    house.account("root", "admin")
    incident = house.g.violations.report("rogue_agent", "wrote where it may not")["incident_id"]
    with pytest.raises(Unauthenticated):
        house.g.authority.acknowledge(incident, "root")
    house.account("ana", "viewer")
    with pytest.raises(PermissionDenied):
        house.g.authority.acknowledge(incident, "ana", house.code("ana"))
    assert house.g.authority.acknowledge(incident, "root", house.code("root"))["acknowledged"]["actor"] == "root"
    other = house.g.violations.report("other_agent", "wrote where it may not")["incident_id"]
    assert house.g.authority.acknowledge(other, "owner")["acknowledged"]["actor"] == "owner"


def test_a_bearer_with_a_code_acts_for_one_request_without_a_second_one(house: governed.House):
    house.account("root", "admin")
    token = house.g.bearers.issue("root", "owner")["token"]
    incident = house.g.violations.report("rogue_agent", "wrote where it may not")["incident_id"]
    plain = house.g.bearers.bearer(token)
    with pytest.raises(PermissionDenied):
        house.g.authority.authorise(plain.principal(), "incident_ack", Resource("incident"))
    with pytest.raises(Unauthenticated):
        house.g.authority.acknowledge(incident, plain, door=True)
    code = house.code("root")
    proved = house.g.bearers.bearer(token, code)
    assert house.g.authority.authorise(proved.principal(), "incident_ack", Resource("incident")).allowed
    assert house.g.authority.acknowledge(incident, proved, door=True)["acknowledged"]["actor"] == "root"
    with pytest.raises(Unauthenticated, match="already used"):
        house.g.bearers.bearer(token, code)
    with pytest.raises(PermissionDenied):
        house.g.accounts.act(proved, {"council"}, None)


@pytest.mark.parametrize(
    ("seconds", "code"),
    [(59, "287082"), (1111111109, "081804"), (1111111111, "050471"), (1234567890, "005924"), (2000000000, "279037")],
)
def test_codes_are_those_of_rfc_6238(seconds: int, code: str):
    """The vectors of its appendix B for SHA-1, cut to six digits."""
    import base64
    from datetime import UTC, datetime

    from mace.providers.second_factor import Totp

    secret, at = base64.b32encode(b"12345678901234567890").decode(), datetime.fromtimestamp(seconds, UTC)
    assert Totp().code_at(secret, at) == code
    assert Totp().step_of(secret, f" {code[:3]} {code[3:]} ", at, 1) == seconds // 30
    for wrong in ("", "12345", "abcdef", "２８７０８２", code + "0"):
        assert Totp().step_of(secret, wrong, at, 1) is None
