"""The policy: default deny, who may what, and grants compiled from it."""

import re

import pytest

import governed
from mace.core.errors import InvalidInput
from mace.engine.verbs import ACTIONS
from mace.governance import access
from mace.governance.access import (
    ROLES,
    STRONG_ACTIONS,
    Principal,
    Resource,
)
from mace.governance.policy.engine import DEFAULT_DENY, CedarPolicy

pytestmark = pytest.mark.stage1
POLICY = CedarPolicy(governed.policy_text())


def who(*roles: str, person: str = "", **more: object) -> Principal:
    return Principal(name="name", roles=frozenset(roles), person=person, **more)  # type: ignore[arg-type]


BOB = who("user", person="user_bob")
OWN, OTHERS, WORLD = Resource("fact:user", "user_bob"), Resource("fact:user", "user_eve"), Resource("fact:world")


@pytest.mark.parametrize(
    ("principal", "action", "resource", "allowed", "policy_id"),
    [
        (BOB, "sem_get", OWN, True, "users-use-their-own"),
        (BOB, "sem_put", OWN, True, "users-use-their-own"),
        (BOB, "sem_get", OTHERS, False, "other-peoples-things"),
        (BOB, "sem_get", WORLD, True, "users-read-common-things"),
        (BOB, "sem_put", WORLD, False, DEFAULT_DENY),
        (BOB, "log_read", Resource("log", ""), False, DEFAULT_DENY),
        (BOB, "log_read", Resource("log", "user_bob"), True, "users-use-their-own"),
        (BOB, "approval_vote", Resource("approval"), False, "second-factor-required"),
        (who("user"), "ask", Resource("job", ""), False, DEFAULT_DENY),
        (who("viewer"), "sem_get", WORLD, True, "viewers-read-common-things"),
        (who("viewer"), "sem_get", OWN, False, "other-peoples-things"),
        (who("viewer"), "ask", Resource("job"), False, DEFAULT_DENY),
        (who("agent"), "sem_put", WORLD, True, "agents-work"),
        (who("agent"), "sem_put", OWN, False, "other-peoples-things"),
        (who("agent"), "sem_delete", WORLD, False, "second-factor-required"),
        (who("operator"), "module_recover", Resource("module"), True, "operators-keep-it-running"),
        (who("operator"), "log_read", Resource("log", "user_bob"), False, "other-peoples-things"),
        (who("operator"), "log_read", Resource("log"), False, DEFAULT_DENY),
        (who("operator", second_factor=True), "log_read", Resource("log", "user_bob"), False, DEFAULT_DENY),
        (who("auditor"), "log_read", Resource("log"), True, "auditors-look"),
        (who("auditor"), "log_read", Resource("log", "user_bob"), False, "other-peoples-things"),
        (who("auditor", second_factor=True), "log_read", Resource("log", "user_bob"), True, "auditors-look"),
        (who("auditor"), "log_read_unredacted", Resource("log"), False, "second-factor-required"),
        (who("auditor", second_factor=True), "log_read_unredacted", Resource("log", "user_bob"), False, DEFAULT_DENY),
        (who("auditor"), "verify", Resource("log"), True, "auditors-look"),
        (who("admin"), "sem_delete", WORLD, False, "second-factor-required"),
        (who("admin"), "sem_delete", OWN, False, "other-peoples-things"),
        (who("admin", second_factor=True), "sem_delete", OWN, True, "admins-administer"),
        (who("admin"), "sem_get", OWN, False, "other-peoples-things"),
        (who("admin", second_factor=True), "sem_get", OWN, True, "admins-administer"),
        (who("council"), "approval_vote", Resource("approval"), False, "second-factor-required"),
        (who("council", second_factor=True), "approval_vote", Resource("approval"), True, "council-decides"),
        (who("council", second_factor=True), "sem_delete", OWN, False, DEFAULT_DENY),
        (who(is_owner=True), "forensic_purge", Resource("forensic"), True, "owner-of-the-directory"),
        (who(), "sem_get", WORLD, False, DEFAULT_DENY),
        (who("admin", second_factor=True), "no_such_action", WORLD, True, "admins-administer"),
        (
            who("user", person="user_bob", scopes=frozenset({"sem_get"})),
            "sem_put",
            OWN,
            False,
            "token-scope",
        ),
        (
            who("user", person="user_bob", scopes=frozenset({"sem_get"})),
            "sem_get",
            OWN,
            True,
            "users-use-their-own",
        ),
    ],
)
def test_the_policy_decides(principal: Principal, action: str, resource: Resource, allowed: bool, policy_id: str):
    decision = POLICY.decide(principal, action, resource)
    assert (decision.allowed, decision.policy_id) == (allowed, policy_id)
    assert decision.policy_hash == POLICY.hash


def test_every_strong_action_is_forbidden_to_every_role_without_a_second_factor():
    for action in sorted(STRONG_ACTIONS):
        for role in ROLES:
            assert not POLICY.decide(who(role, person="user_bob"), action, OWN).allowed, (action, role)


@pytest.mark.parametrize("person", ["", "user_bob"])
@pytest.mark.parametrize("roles", [*((role,) for role in ROLES), ROLES])
def test_nobody_does_anything_in_another_s_name_without_a_second_factor(roles: tuple[str, ...], person: str):
    """Every action that there is, of planned verbs too, in every role and in all of them at once."""
    asked = 0
    for action in sorted(ACTIONS):
        for owner in ("user_eve", access.OTHERS):
            for kind in ("job", "log", "fact:user", "person", "nobody"):
                decision = POLICY.decide(who(*roles, person=person), action, Resource(kind, owner))
                assert not decision.allowed, (roles, action, kind, owner)
                asked += 1
    assert asked == len(ACTIONS) * 10 and len(ACTIONS) > 50


def test_nobody_takes_a_backup_without_a_second_factor():
    """It holds the keys."""
    for role in ROLES:
        assert not POLICY.decide(who(role), "backup", Resource("nobody")).allowed, role
    assert POLICY.decide(who("operator", second_factor=True), "backup", Resource("nobody")).allowed


def test_the_list_of_strong_actions_is_the_policy_s():
    text = POLICY.text.split('@id("second-factor-required")')[1].split("]")[0]
    assert set(re.findall(r'Action::"([a-z_]+)"', text)) == STRONG_ACTIONS


def test_names_cannot_break_out_of_the_policy():
    evil = Principal(name='x"; permit(principal,action,resource);', roles=frozenset(), person='" || true || "')
    assert not POLICY.decide(evil, "sem_get", Resource('fact:user" || true', "user_bob")).allowed


@pytest.mark.parametrize(
    "text",
    [
        "",
        "permit(principal, action, resource);",
        '@id("a") permit(principal, action, resource); permit(principal, action, resource);',
        '@id("a") permit(principal, action, resource);\n@id("a") forbid(principal, action, resource);',
        '@id("a") permit(principal action resource);',
    ],
)
def test_a_policy_that_does_not_parse_or_has_no_ids_is_refused(text: str):
    with pytest.raises(InvalidInput):
        CedarPolicy(text)


def test_a_policy_that_fails_to_evaluate_allows_nothing():
    broken = CedarPolicy(
        '@id("all") permit(principal, action, resource);\n'
        '@id("broken") forbid(principal, action, resource) when { principal.no_such > 1 };'
    )
    decision = broken.decide(BOB, "sem_get", OWN)
    assert (decision.allowed, decision.policy_id) == (False, "policy-error")


@pytest.mark.parametrize(
    ("principal", "readable"),
    [
        (BOB, {"user/profile/user_bob/food", "world/fact/earth/shape", "mace/config/agents/allowed_writes"}),
        (who("viewer"), {"world/fact/earth/shape", "mace/config/agents/allowed_writes"}),
        (who("operator"), set()),
        (who("auditor"), set()),
        (who("admin"), {"world/fact/earth/shape", "mace/config/agents/allowed_writes"}),
        (
            who("admin", second_factor=True),
            {
                "user/profile/user_bob/food",
                "user/profile/user_eve/food",
                "world/fact/earth/shape",
                "mace/config/agents/allowed_writes",
            },
        ),
    ],
)
def test_which_facts_a_caller_reads(principal: Principal, readable: set[str]):
    keys = (
        "user/profile/user_bob/food",
        "user/profile/user_eve/food",
        "world/fact/earth/shape",
        "mace/config/agents/allowed_writes",
    )
    for key in keys:
        scope, _, entity, _ = key.split("/")
        asked = POLICY.decide(principal, "sem_get", Resource(f"fact:{scope}", entity if scope == "user" else ""))
        assert asked.allowed == (key in readable), key
