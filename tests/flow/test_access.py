"""Who may do what: every role, every verb, own, nobody's and somebody else's things, held against `docs/access.md`."""

from collections.abc import Iterator
from dataclasses import astuple
from importlib import resources
from typing import Any

import cedarpy
import pytest

import places
from access_stage import CALLS, FACT, NOTHING, Stage
from access_table import ON_SERVER, ROLES, TABLE, Outcome, Whose, header_roles, lines, names_in
from mace.core import canon
from mace.core.caller import Caller
from mace.core.errors import MaceError, PermissionDenied
from mace.engine.runtime import Mace
from mace.engine.verbs import VERBS, Verb
from mace.governance import access

LIVE = [row for row in VERBS if not row.planned and not row.same_as]
# Nobody's consents, requests and turns there are not: somebody always gave, made or said them.
NEVER_NOBODYS = {"grant_consent", "revoke_consent", "consents", "request_dsr", "dsr", "remember", "recall", "recalled"}
# What a verb itself says to somebody who may use it, where nothing better can be had cheaply.
OWN_ERRORS = {"attest": "INVALID_INPUT"}  # verification finds nothing


# The page, the verbs and the policy


def test_the_page_names_each_verb_once_in_its_place():
    assert [line.verb for line in lines()] == list(TABLE)  # none twice
    assert set(TABLE) == {row.name for row in LIVE}
    assert header_roles() == {ROLES} and set(ROLES) == set(access.ROLES)
    assert sorted(names_in("What comes later")) == sorted(row.name for row in VERBS if row.planned)
    short = {row.name: row.same_as for row in VERBS if row.same_as}
    assert set(names_in("Privacy and governance")) >= set(short) and set(short.values()) <= set(TABLE)
    assert set(CALLS) == set(TABLE)


def test_the_marks_say_who_governs_a_server():
    assert {line.verb: ON_SERVER[line.mark] for line in lines()} == {row.name: row.on_server for row in LIVE}


def test_a_cell_says_yes_where_the_verb_is_about_no_person():
    for row in LIVE:
        for role, text in TABLE[row.name].texts.items():
            about_people = row.thing != "nobody"
            letters = text.rstrip("*")
            assert letters == "-" or (letters != "yes") == about_people, (row.name, role)
            assert not (row.name in NEVER_NOBODYS and "c" in letters), (row.name, role)


def _policy(name: str) -> str:
    return resources.files("mace.governance.policy").joinpath(name).read_text("utf-8")


def _policies() -> dict[str, dict[str, Any]]:
    held = canon.loads(cedarpy.policies_to_json_str(_policy("mace.cedar")).encode())["staticPolicies"]
    return {item["annotations"]["id"]: item for item in held.values()}


def _declared() -> set[str]:
    """The actions of the schema."""
    listed = _policy("mace.cedarschema").partition("\naction\n")[2].partition("appliesTo")[0]
    return {name.strip().strip('"') for name in listed.split(",")}


def _actions(policy: dict[str, Any]) -> set[str]:
    return {item["id"] for item in policy["action"].get("entities", [])}


def test_every_action_has_a_verb_and_every_verb_an_action():
    """The schema declares the actions; Cedar itself refuses a policy that names another."""
    declared, of_verbs = _declared(), {row.action for row in VERBS if not row.same_as}
    assert "" not in of_verbs
    assert declared == of_verbs
    assert set().union(*(_actions(policy) for policy in _policies().values())) <= declared
    checked = cedarpy.validate_policies(_policy("mace.cedar"), _policy("mace.cedarschema"))
    assert checked.validation_passed, checked.errors
    misspelt = _policy("mace.cedar").replace('Action::"sem_list"', 'Action::"sem_lost"')
    assert not cedarpy.validate_policies(misspelt, _policy("mace.cedarschema")).validation_passed


def test_strong_actions_are_those_that_the_policy_forbids_without_a_second_factor():
    assert _actions(_policies()["second-factor-required"]) == access.STRONG_ACTIONS
    starred = {row.action for row in LIVE if any(cell.always_factor for cell in TABLE[row.name].cells.values())}
    assert starred == access.STRONG_ACTIONS - {row.action for row in VERBS if row.planned}


# Every role, every verb, everybody's things


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    made = Stage(tmp_path_factory.mktemp("access"))
    yield made
    made.close()


def whose_of(row: Verb) -> tuple[Whose, ...]:
    if row.thing == "nobody":
        return ("c",)
    if row.thing == "everybody":
        return ("x",)
    return ("o", "x") if row.name in NEVER_NOBODYS else ("o", "c", "x")


def happened(row: Verb, stage: Stage, caller: Caller, whose: Whose) -> tuple[Outcome | str, Any]:
    """What came of a call, in the words of the table, and the answer or failure itself."""
    try:
        answer = CALLS[row.name](stage, stage.m.acting_as(caller), whose)
    except MaceError as error:
        return _named(row, error.code, error.details), (type(error), str(error), error.details)
    told = answer if isinstance(answer, dict) else {}
    told = told.get("error") or told
    code = told.get("error_code")
    return ("allowed" if code is None else _named(row, code, told.get("meta", {}))), answer


def _named(row: Verb, code: str, details: Any) -> str:
    if code == "PERMISSION_DENIED":
        return "factor" if details.get("needs") == "second_factor" else "denied"
    if code in ("NOT_FOUND", "SEM_NOT_FOUND"):
        return "hidden"
    return "allowed" if OWN_ERRORS.get(row.name) == code else code


def differences(stage: Stage, role: str, callers: dict[Whose, Caller], *, factor: bool) -> list[tuple[Any, ...]]:
    """Where a caller in a role met something else than the table says.

    `callers` has who acts about their own and others' things (`o`), and who is nobody in particular (`c`).
    """
    found = []
    for row in LIVE:
        for whose in whose_of(row):
            by = callers["c" if row.thing in ("person", "listed", "name") and whose == "c" else "o"]
            meant: Whose = "x" if whose == "o" and by.person is None else whose  # nobody's caller owns nothing
            expected = TABLE[row.name].cells[role].says(row, meant, factor=factor)
            came, answer = happened(row, stage, by, whose)
            if came != expected:
                found.append((row.name, whose, expected, came, answer))
    return found


@pytest.mark.parametrize("factor", [True, False], ids=["with_code", "without"])
@pytest.mark.parametrize("role", ROLES)
def test_a_token_meets_the_table(stage: Stage, role: str, factor: bool):
    callers: dict[Whose, Caller] = {
        "o": stage.by_token(role, "o", factor=factor),
        "c": stage.by_token(role, "c", factor=factor),
    }
    assert differences(stage, role, callers, factor=factor) == []


def test_on_behalf_of_a_user_is_a_user(stage: Stage):
    ana = stage.m.on_behalf_of("ana")
    found = differences(stage, "user", {"o": ana, "c": stage.by_token("user", "c", factor=False)}, factor=False)
    assert found == []


@pytest.mark.parametrize("role", [role for role in ROLES if role != "admin"])
def test_the_owner_of_a_directory_in_fewer_roles(stage: Stage, role: Any):
    narrowed = stage.m.owner("ana", roles=[role])
    assert not narrowed.second_factor  # none was proved: whoever holds the keys needs none
    found = differences(stage, role, {"o": narrowed, "c": stage.m.owner(roles=[role])}, factor=True)
    if role == "council":  # a seat is an account's
        assert [item[0] for item in found] == ["approvals.vote"]
        assert "only members of the council may vote" in str(found[0][-1])
    else:
        assert found == []


def test_the_owner_of_a_directory_may_everything(stage: Stage):
    """What only says who speaks is theirs to say."""
    owner = stage.m.owner("ana", roles=["admin"])
    speaks = {row.name for row in LIVE if row.speaker == "source"}
    for row in LIVE:
        for whose in whose_of(row) if row.name not in speaks else ():
            came, answer = happened(row, stage, owner, whose)
            assert came == "allowed", (row.name, whose, answer)


# What is not there, and what is not yours


def _without_names(stage: Stage, value: Any) -> str:
    """A failure with what was named in it taken out."""
    text = str(value)
    for whose in ("c", "x"):
        for name in filter(None, astuple(stage.things[whose])):
            text = text.replace(name, "NAME")
        text = text.replace(FACT[whose], "NAME")
    for name in (*astuple(NOTHING), FACT["gone"]):
        text = text.replace(name, "NAME")
    for name in stage.made:
        text = text.replace(name, "NAME")
    return text


@pytest.mark.parametrize("role", ROLES)
def test_what_is_not_yours_answers_as_what_does_not_exist(stage: Stage, role: str):
    compared = 0
    callers = [stage.by_token(role, factor=True), stage.by_token(role, factor=False)]
    for row in LIVE:
        for whose in [
            whose for whose in whose_of(row) if whose != "o" and row.thing not in ("nobody", "person", "listed")
        ]:
            for by, factor in zip(callers, (True, False), strict=True):
                expected = TABLE[row.name].cells[role].says(row, whose, factor=factor)
                if expected != "hidden" and (expected, whose) != ("factor", "x"):
                    continue
                theirs, gone = (happened(row, stage, by, about) for about in (whose, "gone"))
                compared += 1
                assert theirs[0] == expected, row.name
                if row.fails == "raises":
                    assert _without_names(stage, theirs) == _without_names(stage, gone), row.name
                elif expected == "hidden":
                    assert canon.dumps(theirs[1]) == canon.dumps(gone[1]), row.name
    assert (compared > 0) == (role not in ("operator", "council"))


# A server


@pytest.mark.parametrize("place", ["postgres"], indirect=True)
def test_on_a_server_accounts_govern_and_not_whoever_holds_its_keys(place: places.Place):
    def refused(m: Mace) -> set[str]:
        found = set()
        for row in LIVE:
            try:
                m._parts.desk.admit(row, m.caller, {})
            except PermissionDenied:
                found.add(row.name)
        return found

    marked = {mark: {line.verb for line in lines() if line.mark == mark} for mark in ON_SERVER}
    with place.open() as m:
        assert refused(m) == marked["†"]
        m.accounts.create("root", ["admin"])
        m.accounts.enrol_second_factor("root")
        assert refused(m) == marked["†"] | marked["‡"]
