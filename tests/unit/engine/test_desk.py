"""Where the policy is asked: who speaks, what is not theirs, what is never looked up, what goes onto the record."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import governed
from mace.core.errors import InvalidInput, MaceError, NotFound, PermissionDenied
from mace.engine.runtime import Mace
from mace.engine.verbs import VERBS

BOBS, EVES = "user/profile/user_bob/food", "user/profile/user_eve/food"
LIST = "mace/config/agents/allowed_writes"


@pytest.fixture
def house(tmp_path: Path) -> Iterator[governed.House]:
    made = governed.House(tmp_path)
    made.m.sem_put(BOBS, "soup", "user")
    made.m.sem_put(EVES, "fish", "user")
    yield made
    made.close()


@pytest.fixture
def bob(house: governed.House) -> Mace:
    return house.m.acting_as(house.m.on_behalf_of("bob"))


def heard(call: Callable[[], Any]) -> str:
    """How a verb failed, raised or answered; "" when it did not."""
    try:
        answer = call()
    except MaceError as error:
        return error.code
    if not isinstance(answer, dict):
        return ""
    error = answer.get("error")
    return str(answer.get("error_code") or (error["error_code"] if isinstance(error, dict) else ""))


# Who speaks


def _viewed(house: governed.House, who: str) -> Mace:
    if who == "bob":
        return house.m.acting_as(house.m.on_behalf_of("bob"))
    if who == "scout":
        house.m.sem_put(LIST, ["scout"], "system_admin")
        return house.m.acting_as(house.m.owner("scout", roles=["agent"]))
    house.account("root", "admin")
    return house.acting("root")


@pytest.mark.parametrize(
    ("who", "key", "given", "kept"),
    [
        ("bob", BOBS, None, "user"),
        ("bob", BOBS, "user", "user"),
        ("bob", BOBS, "system_admin", None),
        ("bob", BOBS, "system", None),
        ("bob", BOBS, "agent:scout", None),
        ("bob", BOBS, "", None),
        ("scout", "world/fact/a/b", None, "agent:scout"),
        ("scout", "world/fact/a/b", "agent:scout", "agent:scout"),
        ("scout", "world/fact/a/b", "agent:other", None),
        ("scout", "world/fact/a/b", "user", None),
        ("root", "world/fact/a/b", None, "system_admin"),
        ("root", "world/fact/a/b", "system_admin", "system_admin"),
        ("root", "world/fact/a/b", "user", None),
        ("root", BOBS, "user", None),
    ],
)
def test_a_source_follows_from_the_caller(house: governed.House, who: str, key: str, given: Any, kept: str | None):
    m = _viewed(house, who)
    before = house.m.sem_history(key)
    answer = m.sem_put(key, "something new", given)
    if kept is None:
        assert answer["error_code"] == "PERMISSION_DENIED"
        assert house.m.sem_history(key) == before
    else:
        assert answer["success"], answer
        assert house.m.sem_history(key)[-1]["source"] == kept


def test_a_user_id_follows_from_the_caller(house: governed.House, bob: Mace):
    asked = bob.ask("What is my food?")
    assert house.m.jobs.list()["items"][0]["person"] == "user_bob"
    assert bob.ask("What is my food?", "bob")["answer"] == asked["answer"]
    before = house.m.jobs.list()
    assert heard(lambda: bob.ask("What is my food?", "eve")) == "PERMISSION_DENIED"
    assert house.m.jobs.list() == before
    for call in (
        lambda: bob.grant_consent("eve", "yes"),
        lambda: bob.consents("eve"),
        lambda: bob.jobs.list(person="eve"),
        lambda: bob.request_dsr("eve", "export", "AAAA-BBBB-CCCC-DDDD"),
        lambda: bob.detect_and_handle("hello", "eve"),
        lambda: bob.key("user", "profile", None, "food", "eve"),
    ):
        assert heard(call) == "PERMISSION_DENIED"
    house.m.ask("What is my food?", "eve")
    assert {job["person"] for job in bob.jobs.list()["items"]} == {"user_bob"}
    assert house.m.consents("eve") == []


def test_author_member_and_actor_follow_from_the_caller(house: governed.House):
    house.account("root", "admin")
    log_id = house.m.ask("What is 2 + 2?")["log_id"]
    assert log_id is not None
    root = house.acting("root")
    assert root.amend(log_id, "root", {"a": 1}, "note")["author"] == "root"
    request_id = house.m.request_review(house.m.jobs.list()["items"][0]["job_id"])["request_id"]
    incident = house.m.incidents.report("a door")["incident_id"]
    for name in ("owner", "mia", "system"):
        for call in (
            lambda name=name: root.amend(log_id, name, {"a": 1}, "note"),
            lambda name=name: root.attest(name, "looked"),
            lambda name=name: root.vote(request_id, name, "approve"),
            lambda name=name: root.acknowledge_incident(incident, name),
            lambda name=name: root.lift_replay_halt(incident, name),
        ):
            assert heard(call) == "PERMISSION_DENIED"
    assert len(house.m.amendments(log_id)) == 1
    assert house.m.approvals.show(request_id)["votes"] == []
    with pytest.raises(InvalidInput, match="authenticate"):
        root.vote(request_id, "root", "approve", house.code("root"))
    assert root.vote(request_id, "root", "approve")["votes"][0]["member"] == "root"


def test_the_owner_names_whom_they_like_and_accounts_prove_themselves(house: governed.House):
    log_id = house.m.ask("What is 2 + 2?")["log_id"]
    assert log_id is not None
    assert house.m.amend(log_id, "mia", {"a": 1}, "note")["author"] == "mia"
    for source in ("user", "system", "system_admin"):
        assert house.m.sem_put(BOBS, source, source)["success"]
    house.account("root", "admin")
    assert heard(lambda: house.m.attest("root", "looked")) == "AUTH_ERROR"


# What is not theirs, and what does not exist


def _told(call: Callable[[str], Any], which: str) -> str:
    try:
        answer = call(which)
    except MaceError as error:
        return f"{type(error)} {error} {error.details} {error.user_message}".replace(which, "X")
    return repr(answer).replace(which, "X")


@pytest.fixture
def eves(house: governed.House) -> dict[str, str]:
    """Things of Eve, by kind."""
    answer = house.m.ask("What is my food?", "eve")
    proof = house.m.accounts.issue_identity_proof("eve")["proof"]
    event = house.m.events(answer["job_id"])[1]["event_id"]
    return {
        "fact": EVES,
        "log": str(answer["log_id"]),
        "job": answer["job_id"],
        "stream": answer["job_id"],
        "event": event,
        "consent": house.m.grant_consent("eve", "keep it")["consent_id"],
        "dsr": str(house.m.request_dsr("eve", "export", proof)["dsr_id"]),
        "person": "eve",
    }


NOTHING = {
    "fact": "user/profile/user_eve/nothing",
    "log": "0f" * 16,
    "job": "0f" * 32,
    "stream": "0f" * 32,
    "event": "0f" * 32,
    "consent": "0f" * 32,
    "dsr": "0f" * 16,
    "person": "nobody_at_all",
}
LOOKS: list[tuple[str, str, Callable[[Mace, str], Any]]] = [
    ("bob", "fact", lambda m, it: m.sem_get(it)),
    ("bob", "fact", lambda m, it: m.sem_get(it, with_version=True)),
    ("bob", "fact", lambda m, it: m.sem_history(it)),
    ("bob", "log", lambda m, it: m.read_reflective_log(it)),
    ("bob", "log", lambda m, it: m.amendments(it)),
    ("bob", "log", lambda m, it: m.update_reflective_log(it, {"user_feedback": "right"})),
    ("bob", "job", lambda m, it: m.replay(it)),
    ("bob", "job", lambda m, it: m.request_review(it)),
    ("bob", "job", lambda m, it: m.approvals.request_review(it)),
    ("bob", "consent", lambda m, it: m.revoke_consent(it)),
    ("bob", "dsr", lambda m, it: m.dsr(it)),
    ("bob", "person", lambda m, it: m.consents(it)),
    ("bob", "person", lambda m, it: m.jobs.list(person=it)),
    ("auditor", "event", lambda m, it: m.event(it)),
    ("auditor", "stream", lambda m, it: m.events(it)),
    ("auditor", "log", lambda m, it: m.read_reflective_log(it)),
    ("auditor", "job", lambda m, it: m.replay(it)),
]


@pytest.mark.parametrize(("who", "kind", "look"), LOOKS)
def test_what_is_another_s_and_what_is_not_there_answer_alike(
    house: governed.House, bob: Mace, eves: dict[str, str], who: str, kind: str, look: Callable[[Mace, str], Any]
):
    m = bob
    if who == "auditor":
        house.account("au", "auditor")
        m = house.showing("au")
    answers = {_told(lambda which: look(m, which), which) for which in (eves[kind], NOTHING[kind])}
    assert len(answers) == 1, answers
    assert "fish" not in answers.pop()


def test_a_fact_of_another_is_to_the_byte_one_that_was_never_written(house: governed.House, bob: Mace):
    empty = "user/profile/user_bob/nothing"
    for options in ({}, {"with_version": True}):
        assert repr(bob.sem_get(EVES, **options)) == repr(bob.sem_get(empty, **options))
        assert repr(bob.sem_get(EVES, **options)) == repr(house.m.sem_get("world/fact/no/thing", **options))


# What is never allowed


class Watched:
    """A transaction that tells which tables were looked at."""

    def __init__(self, tx: Any, seen: list[str]) -> None:
        self._tx = tx
        self._seen = seen

    def __getattr__(self, name: str) -> Any:
        held = getattr(self._tx, name)
        if name not in ("records", "events"):
            self._seen.append(name)
            return held
        return WatchedRecords(held, self._seen)


class WatchedRecords:
    def __init__(self, held: Any, seen: list[str]) -> None:
        self._held = held
        self._seen = seen

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._held, name)

        def call(*given: Any) -> Any:
            named = str(given[0]) if given else "size"
            self._seen.append(named.partition("/")[0] if name in ("about", "about_under") else named)
            return method(*given)

        return call


NEVER: list[Callable[[Mace], Any]] = [
    lambda m: m.sem_put("world/fact/a/b", 1),
    lambda m: m.sem_delete(BOBS),
    lambda m: m.sem_list("user"),
    lambda m: m.sem_add_alias("my drink", BOBS),
    lambda m: m.import_facts([]),
    lambda m: m.load_starter_facts(),
    lambda m: m.write_reflective_log({}),
    lambda m: m.amend("0f" * 16, "user", {}, "note"),
    lambda m: m.recent_logs(),
    lambda m: m.quarantine_read("0f" * 16),
    lambda m: m.event("0f" * 32),
    lambda m: m.events("system"),
    lambda m: m.verify(),
    lambda m: m.attest("user", "looked"),
    lambda m: m.checkpoint(),
    lambda m: m.public_key(),
    lambda m: m.prove_inclusion("0f" * 32),
    lambda m: list(m.export()),
    lambda m: m.rotate_key(),
    lambda m: m.rotate_master_key(),
    lambda m: m.sweep(),
    lambda m: m.describe(),
    lambda m: m.accounts.list(),
    lambda m: m.accounts.create("x", ["admin"]),
    lambda m: m.accounts.change("x", active=False),
    lambda m: m.accounts.enrol_second_factor("x"),
    lambda m: m.accounts.issue_token("x"),
    lambda m: m.accounts.tokens("x"),
    lambda m: m.accounts.revoke_token("x", "y"),
    lambda m: m.accounts.issue_identity_proof("bob"),
    lambda m: m.approvals.list(),
    lambda m: m.approvals.show("x"),
    lambda m: m.approvals.vote("x", "approve"),
    lambda m: m.approvals.propose_policy("x"),
    lambda m: m.incidents.list(),
    lambda m: m.incidents.show("x"),
    lambda m: m.incidents.report("x"),
    lambda m: m.incidents.report_violation("x", "y"),
    lambda m: m.incidents.acknowledge("x"),
    lambda m: m.incidents.lift_halt("x"),
    lambda m: m.forensics.set_key("x"),
    lambda m: m.forensics.entries(),
    lambda m: m.forensics.read("x", None, purpose="x"),
    lambda m: m.forensics.restore("x", "y", purpose="x"),
    lambda m: m.forensics.request_purge("x"),
    lambda m: m.forensics.read_log("x", purpose="x"),
    lambda m: m.forensics.read_event("0f" * 32, purpose="x"),
    lambda m: m.forensics.read_quarantine("x", purpose="x"),
    lambda m: m.modules.list(),
    lambda m: m.modules.recover("x"),
    lambda m: m.modules.request_quarantine("x"),
    lambda m: m.modules.request_release("x"),
    lambda m: m.modules.queued_writes(),
    lambda m: m.modules.retry_queued(),
    lambda m: m.experience.write({}),  # type: ignore[typeddict-item]
    lambda m: m.experience.pairs(),
    lambda m: m.experience.dream(),
    lambda m: list(m.experience.export()),
]


@pytest.mark.parametrize("call", NEVER)
def test_what_a_user_may_never_do_is_refused_before_anything_is_looked_up(
    house: governed.House, bob: Mace, call: Callable[[Mace], Any], monkeypatch: pytest.MonkeyPatch
):
    seen: list[str] = []
    store = house.g.world.store
    read = store.read
    monkeypatch.setattr(store, "read", lambda unit: read(lambda tx: unit(Watched(tx, seen))))
    before = house.m.describe()["events"]
    seen.clear()
    assert heard(lambda: call(bob)) == "PERMISSION_DENIED"
    assert set(seen) <= {"policy", "policy_text", "registry"}, "only the policy is read, and who the caller is"
    monkeypatch.undo()
    assert house.m.describe()["events"] == before + 1
    assert house.system_types()[-1] == "ACCESS_DENIED"


def test_every_verb_asks_for_everybody_but_the_owner(house: governed.House):
    """A caller without any role may nothing at all, whatever the verb."""
    house.account("ana", "operator")
    token = house.m.accounts.issue_token("ana", roles=["operator"])["token"]
    nobody = house.m.acting_as(house.m.authenticate(token))
    house.m.accounts.change("ana", roles=["viewer"])  # the token has no role left
    principal = house.g.callers.principal(nobody.caller)
    assert principal.roles == frozenset()
    for row in VERBS:
        if not row.planned and not row.same_as:
            from mace.governance.access import OTHERS, Resource

            for owner in ("", OTHERS):
                decision = house.g.authority.decision(principal, row.action, Resource(row.thing, owner))
                assert not decision.allowed, row.name


# What goes onto the record


def test_an_admin_at_others_things_needs_a_factor_and_leaves_an_event(house: governed.House, eves: dict[str, str]):
    house.account("root", "admin")
    plain, proved = house.showing("root"), house.showing("root", prove=True)
    assert not plain.sem_get(EVES)["exists"]
    for log_id in (eves["log"], "no such log"):  # whether it is there or not
        with pytest.raises(PermissionDenied) as refused:
            plain.read_reflective_log(log_id)
        assert refused.value.details["needs"] == "second_factor"
    assert house.accesses() == []
    assert proved.sem_get(EVES)["value"] == "fish"
    assert proved.read_reflective_log(eves["log"])["log_id"] == eves["log"]
    assert proved.consents("eve")
    assert proved.sem_list("user/profile/user_eve") == [EVES]
    assert [(item["actor"], item["what"], item["which"]) for item in house.accesses()] == [
        ("root", "sem_get", EVES),
        ("root", "log_read", eves["log"]),
        ("root", "consent_read", "user_eve"),
        ("root", "sem_list", "user/profile/user_eve"),
    ]
    assert not proved.sem_get("world/fact/no/thing")["exists"]
    with pytest.raises(NotFound):
        proved.read_reflective_log("0f" * 16)
    assert len(house.accesses()) == 4
    assert house.m.verify()["ok"]


def test_the_owner_s_own_looks_leave_none(house: governed.House, eves: dict[str, str]):
    assert house.m.sem_get(EVES)["value"] == "fish"
    assert EVES in house.m.sem_list("user")
    named = house.m.acting_as(house.m.owner("mia"))
    assert named.sem_get(EVES)["value"] == "fish"
    assert EVES in named.sem_list("user")
    assert house.accesses() == []
    house.m.forensics.read_log(eves["log"], purpose="a case")
    assert len(house.accesses()) == 1
