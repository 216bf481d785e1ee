"""Accounts, tokens and second factors; and the policy they meet."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

import governed
from mace.core.errors import (
    AuthError,
    Conflict,
    IntegrityFailure,
    InvalidInput,
    NotFound,
    PermissionDenied,
)

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
    assert house.m.owner("root", totp=code)._step is not None
    with pytest.raises(AuthError, match="already used"):
        house.m.owner("root", totp=code)
    assert house.m.owner("root", totp=house.code("root")).name == "root"


def test_a_code_of_the_neighbouring_step_counts_and_older_ones_do_not(house: governed.House):
    house.account("root", "admin")
    code = house.code("root")
    house.clock.move(seconds=30)
    house.m.owner("root", totp=code)
    code = house.code("root")
    house.clock.move(seconds=90)
    with pytest.raises(AuthError, match="wrong"):
        house.m.owner("root", totp=code)


def test_wrong_codes_lock_the_account_for_a_while(house: governed.House):
    house.account("root", "admin")
    for _ in range(5):
        with pytest.raises(AuthError):
            house.m.owner("root", totp="000000x")
    with pytest.raises(AuthError, match="locked"):
        house.m.owner("root", totp=house.code("root"))
    assert house.system_types().count("SECOND_FACTOR_REFUSED") == 6
    assert house.system_types().count("ACCOUNT_LOCKED") == 1
    house.clock.move(minutes=16)
    assert house.m.owner("root", totp=house.code("root")).name == "root"


def test_codes_count_again_after_a_clock_that_was_years_ahead(house: governed.House):
    house.account("root", "admin")
    code = house.code("root")
    house.m.owner("root", totp=code)
    right = house.clock.at
    house.clock.move(days=5 * 365)
    ahead = house.m.owner("root", totp=house.code("root"))
    future, later = house.clock.at, house.totp.code_at(house.secrets["root"], house.clock.at)
    house.clock.at = right
    with pytest.raises(AuthError, match="already used"):
        house.m.owner("root", totp=code)  # what was used before the jump stays so
    with pytest.raises(PermissionDenied):  # and what was proved under the wrong clock has grown old
        house.m.acting_as(ahead).accounts.create("eve", ["admin"])
    again = house.code("root")
    assert house.m.owner("root", totp=again).second_factor
    with pytest.raises(AuthError, match="already used"):
        house.m.owner("root", totp=again)
    told = [event["payload"] for event in house.m.events("system") if event["event_type"] == "SECOND_FACTOR_USED"]
    assert told[-1]["clock_behind_step"] > told[-1]["step"]  # on the record
    house.clock.at = future
    with pytest.raises(AuthError, match="already used"):
        house.m.owner("root", totp=later)  # the one from ahead is not taken again when its time has come
    assert house.m.verify()["ok"]


def test_a_lock_set_by_a_clock_that_was_ahead_ends(house: governed.House):
    house.account("root", "admin")
    right = house.clock.at
    house.clock.move(days=5 * 365)
    for _ in range(5):
        with pytest.raises(AuthError):
            house.m.owner("root", totp="000000")
    house.clock.at = right
    with pytest.raises(AuthError, match="locked"):
        house.m.owner("root", totp=house.code("root"))
    house.clock.move(minutes=15)
    assert house.m.owner("root", totp=house.code("root")).second_factor


def test_enrolling_anew_makes_the_old_secret_useless(house: governed.House):
    house.account("root", "admin")
    old = house.secrets["root"]
    fresh = house.m.accounts.enrol_second_factor("root")
    assert fresh["uri"].startswith("otpauth://totp/MACE:root?secret=")
    assert fresh["secret"] in fresh["uri"]
    house.clock.move(seconds=30)
    with pytest.raises(AuthError):
        house.m.owner("root", totp=house.totp.code_at(old, house.clock.at))
    house.secrets["root"] = fresh["secret"]
    house.m.owner("root", totp=house.code("root"))


def test_a_rolled_back_counter_is_noticed(house: governed.House):
    house.account("root", "admin")
    code = house.code("root")
    house.m.owner("root", totp=code)
    with house.place.sql() as sql:
        sql(
            "update notes set value = replace(value, 'last_step\":', 'last_step\":-') where name like 'second_factor/%'"
        )
    with pytest.raises(AuthError, match="already used"):
        house.m.owner("root", totp=code)


def test_an_account_written_into_the_database_is_no_account(house: governed.House):
    house.account("ana", "viewer")
    with house.place.sql() as sql:
        sql("update records set body = cast(replace(cast(body as text), 'viewer', 'admin') as blob)"
            " where kind = 'account'")  # fmt: skip
    with pytest.raises(IntegrityFailure):
        house.m.owner("ana", roles=["admin"], totp=house.code("ana"))


def test_roles_are_needed_and_follow_changes(house: governed.House):
    house.account("ana", "viewer")
    with pytest.raises(PermissionDenied):
        house.m.owner("ana", roles=["admin"], totp=house.code("ana"))
    house.m.accounts.change("ana", roles=["admin"])
    assert house.m.owner("ana", roles=["admin"], totp=house.code("ana")).roles == {"admin"}
    house.m.accounts.change("ana", active=False)
    with pytest.raises(PermissionDenied):
        house.m.owner("ana", totp=house.code("ana"))


def test_an_account_must_prove_itself_also_in_an_embedded_directory(house: governed.House):
    house.account("root", "admin")
    with pytest.raises(AuthError, match="second-factor code"):
        house.m.owner("root")
    assert house.m.owner()._is_owner
    assert house.m.owner("mia")._is_owner  # a name that is no account signs; whoever holds the keys is the owner


@pytest.mark.parametrize("name", ["system", "user"])
def test_the_runtime_s_own_names_are_nobody_s(house: governed.House, name: str):
    with pytest.raises(PermissionDenied):
        house.m.owner(name)
    with pytest.raises(InvalidInput):
        house.m.accounts.create(name, ["admin"])


def test_on_a_server_the_first_admin_is_made_on_the_node_and_then_asks_for_codes(server: governed.House):
    server.account("root", "admin")
    for m in (server.m, server.m.acting_as(server.m.owner("mallory"))):  # whoever holds the keys governs no more
        with pytest.raises(PermissionDenied):
            m.accounts.create("mallory", ["admin"])
        with pytest.raises(PermissionDenied):
            m.accounts.issue_token("root")
    with pytest.raises(AuthError):
        server.m.owner("root")
    server.account("ana", "council")
    assert [item["name"] for item in server.m.accounts.list()] == ["ana", "root"]


def test_with_a_token_nobody_makes_the_first_admin(server: governed.House):
    server.m.accounts.create("mallory", ["user"], user_id="mallory")
    for m in (server.showing("mallory"), server.m.acting_as(server.m.on_behalf_of("mallory"))):
        with pytest.raises(PermissionDenied):
            m.accounts.create("mallory2", ["admin"])
    assert [item["name"] for item in server.m.accounts.list()] == ["mallory"]


@pytest.mark.parametrize(
    ("name", "roles"),
    [("", ["user"]), ("Ana", ["user"]), ("a b", ["user"]), ("ana", []), ("ana", ["king"]), ("x" * 65, ["user"])],
)
def test_odd_accounts_are_refused(house: governed.House, name: str, roles: list[str]):
    with pytest.raises(InvalidInput):
        house.m.accounts.create(name, roles)  # type: ignore[arg-type]


def test_two_accounts_cannot_have_one_name(house: governed.House):
    house.account("ana", "user")
    with pytest.raises(Conflict):
        house.m.accounts.create("ana", ["admin"])


# Tokens


def test_a_token_carries_its_account_until_it_expires(house: governed.House):
    house.account("bob", "user", user_id="bob")
    issued = house.m.accounts.issue_token("bob", life=timedelta(hours=1))
    who = house.m.authenticate(issued["token"])
    assert (who.name, who.roles, who.person, who.second_factor) == ("bob", {"user"}, "user_bob", False)
    house.clock.move(hours=1)
    with pytest.raises(AuthError):
        house.m.authenticate(issued["token"])


def test_a_revoked_token_an_unknown_one_and_one_of_a_dead_account_are_nobody(house: governed.House):
    house.account("bob", "user")
    first, second = house.m.accounts.issue_token("bob"), house.m.accounts.issue_token("bob")
    house.m.accounts.revoke_token("bob", first["token_id"])
    for token in (first["token"], "mace_nothing", "", "\ud800"):
        with pytest.raises(AuthError, match="not valid"):
            house.m.authenticate(token)
    assert house.m.authenticate(second["token"]).name == "bob"
    house.m.accounts.change("bob", active=False)
    with pytest.raises(AuthError):
        house.m.authenticate(second["token"])
    assert [item["revoked"] for item in house.m.accounts.tokens("bob")].count(True) == 1
    with pytest.raises(NotFound):
        house.m.accounts.revoke_token("bob", "")


def test_a_token_is_never_wider_than_its_account(house: governed.House):
    house.account("ana", "user", "auditor")
    narrow = house.m.accounts.issue_token("ana", roles=["user"], scopes=["ask"])
    who = house.m.authenticate(narrow["token"])
    assert (who.roles, who.scopes) == ({"user"}, {"ask"})
    with pytest.raises(InvalidInput):
        house.m.accounts.issue_token("ana", roles=["admin"])
    house.m.accounts.change("ana", roles=["auditor"])
    assert house.m.authenticate(narrow["token"]).roles == frozenset()


def test_secrets_are_nowhere_in_the_files(house: governed.House):
    house.account("root", "admin")
    token = house.m.accounts.issue_token("root")["token"]
    proof = house.m.accounts.issue_identity_proof("bob")["proof"]
    house.close()
    held = b"".join(path.read_bytes() for path in house.place.folder.iterdir() if path.is_file())
    for secret in (token, token.removeprefix("mace_"), proof, proof.replace("-", ""), house.secrets["root"]):
        assert secret.encode() not in held


# The policy


def test_a_no_is_recorded_with_the_policy_that_said_it(house: governed.House):
    house.account("bob", "user", user_id="bob")
    m = house.showing("bob")
    assert m.sem_put("user/profile/user_eve/food", "fish")["error_code"] == "PERMISSION_DENIED"
    event = house.m.events("system")[-1]
    assert (event["event_type"], event["payload"]["policy_id"]) == ("ACCESS_DENIED", "other-peoples-things")
    before = len(house.m.events("system"))
    assert not m.sem_get("user/profile/user_bob/food")["exists"]
    assert len(house.m.events("system")) == before


def test_a_strong_yes_is_recorded_too(house: governed.House):
    house.account("root", "admin")
    house.m.sem_put("user/profile/user_bob/food", "pizza", "user")
    assert house.acting("root").sem_delete("user/profile/user_bob/food")["success"]
    (event,) = [item for item in house.m.events("system") if item["event_type"] == "ACCESS_GRANTED"]
    assert event["payload"]["policy_id"] == "admins-administer"
    assert event["payload"]["policy_hash"] == house.g.authority.policy().hash


def test_another_policy_comes_into_force_by_vote_and_old_grants_end(house: governed.House):
    house.account("bob", "user", user_id="bob")
    key = "user/profile/user_bob/food"
    house.m.sem_put(key, "pizza", "user")
    m = house.showing("bob")
    assert m.sem_get(key)["value"] == "pizza"
    text = '@id("nobody-reads") forbid(principal, action == Action::"sem_get", resource);\n' + governed.policy_text()
    request = house.m.approvals.propose_policy(text)
    assert m.sem_get(key)["value"] == "pizza"
    house.m.vote(request["request_id"], "owner", "approve")
    assert house.g.authority.policy().text == text
    assert m.sem_get(key)["error_code"] == "PERMISSION_DENIED"
    assert house.showing("bob").sem_get(key)["error_code"] == "PERMISSION_DENIED"
    assert house.m.verify()["ok"]


def test_a_policy_in_force_that_was_changed_allows_nothing(house: governed.House):
    house.account("bob", "user", user_id="bob")
    m = house.showing("bob")
    request = house.m.approvals.propose_policy(governed.policy_text() + "\n")
    house.m.vote(request["request_id"], "owner", "approve")
    with house.place.sql() as sql:
        sql("update records set body = cast(replace(cast(body as text), 'forbid (', 'permit (') as blob)"
            " where kind = 'policy_text'")  # fmt: skip
    with pytest.raises(IntegrityFailure):
        m.sem_get("world/fact/earth/shape")


def test_an_incident_is_acknowledged_by_an_admin_with_a_code_or_by_the_owner(house: governed.House):
    house.account("root", "admin")
    incident = house.m.incidents.report_violation("rogue_agent", "wrote where it may not")["incident_id"]
    with pytest.raises(AuthError):
        house.m.acknowledge_incident(incident, "root")
    house.account("ana", "viewer")
    with pytest.raises(PermissionDenied):
        house.m.acknowledge_incident(incident, "ana", house.code("ana"))
    acknowledged = house.m.acknowledge_incident(incident, "root", house.code("root"))["acknowledged"]
    assert acknowledged is not None
    assert acknowledged["actor"] == "root"
    other = house.m.incidents.report_violation("other_agent", "wrote where it may not")["incident_id"]
    acknowledged = house.m.acknowledge_incident(other, "owner")["acknowledged"]
    assert acknowledged is not None
    assert acknowledged["actor"] == "owner"


def test_a_token_with_a_code_is_enough_for_a_strong_action_and_without_one_is_not(house: governed.House):
    house.account("root", "admin")
    token = house.m.accounts.issue_token("root")["token"]
    incident = house.m.incidents.report_violation("rogue_agent", "wrote where it may not")["incident_id"]
    plain = house.m.acting_as(house.m.authenticate(token))
    with pytest.raises(PermissionDenied) as refused:
        plain.incidents.acknowledge(incident)
    assert refused.value.details["needs"] == "second_factor"
    code = house.code("root")
    proved = house.m.acting_as(house.m.authenticate(token, code))
    acknowledged = proved.incidents.acknowledge(incident)["acknowledged"]
    assert acknowledged is not None
    assert acknowledged["actor"] == "root"
    with pytest.raises(AuthError, match="already used"):
        house.m.authenticate(token, code)
    with pytest.raises(PermissionDenied):
        proved.acknowledge_incident(incident, "somebody_else")
    with pytest.raises(PermissionDenied):
        house.m.owner("root", roles=["council"], totp=house.code("root"))


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
