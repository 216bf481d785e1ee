"""Who may do what through the command line: the policy's answer for each role, and no other."""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import places
from mace.interfaces.cli import main
from mace.providers.second_factor import Totp

KEY = "user/profile/user_ann/favorite_food"
OK, DENIED, MISSING, NO_FACT = None, "PERMISSION_DENIED", "NOT_FOUND", "SEM_NOT_FOUND"
Run = Callable[..., tuple[str | None, Any, str]]


@pytest.fixture
def run(place: places.Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: Any) -> Iterator[Run]:
    """A command with --json: its error code or None, its value, and what stood on standard error."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("location", "checkpoint_dir"):
        monkeypatch.setenv(f"MACE_{name.upper()}", getattr(place.settings, name))
    monkeypatch.setenv("USER", "node")

    def run(*arguments: str) -> tuple[str | None, Any, str]:
        capfdbinary.readouterr()
        code = main([*arguments, "--json"])
        caught = capfdbinary.readouterr()
        value = json.loads(caught.out)
        assert code == (1 if "developer_message" in value else 0), caught
        return (value["error_code"] if code else None), value, caught.err.decode()

    yield run


@pytest.fixture
def ann(place: places.Place, run: Run) -> dict[str, str]:
    """What Ann has here: a fact, an answer with its job and log, a subject request, a consent."""
    with place.open() as m:
        asked = m.ask("Remember my favorite food is pizza", "ann")
        proof = m.accounts.issue_identity_proof("ann")["proof"] if place.kind != "postgres" else None
        dsr = m.request_dsr("ann", "delete", proof)["dsr_id"] if proof else ""
        consent = m.grant_consent("ann", "keep it")["consent_id"]
        m.experience.write({"space": "a", "entity": "b", "content": "c", "state": "accept"}, "solver")
    return {"JOB": asked["job_id"], "LOG": str(asked["log_id"]), "DSR": str(dsr), "CONSENT": consent}


def _line(words: str, ann: dict[str, str]) -> list[str]:
    return [ann.get(word, word) for word in words.replace("KEY", KEY).split()]


@pytest.mark.parametrize(
    ("words", "answers"),
    [
        ("replay JOB", {"auditor": OK, "admin": OK, "ann": OK, "zoe": MISSING, "operator": DENIED, "viewer": DENIED}),
        ("replay --last 1", {"auditor": OK, "admin": OK, "ann": OK, "operator": DENIED, "council": DENIED}),
        (
            "fact list user",
            {"admin": OK, "operator": DENIED, "auditor": DENIED, "viewer": DENIED, "ann": DENIED, "agent": DENIED},
        ),
        (
            "dsr show DSR",
            {
                "admin": OK,
                "ann": OK,
                "zoe": MISSING,
                "operator": DENIED,
                "auditor": DENIED,
                "council": DENIED,
                "viewer": DENIED,
            },
        ),
        ("recall a b", {"admin": OK, "agent": OK, "operator": DENIED, "auditor": DENIED, "viewer": DENIED}),
        ("experience list", {"admin": OK, "agent": OK, "operator": DENIED, "auditor": DENIED, "ann": DENIED}),
        ("log show", {"admin": OK, "auditor": OK, "viewer": DENIED, "operator": DENIED, "ann": OK}),
        ("log show LOG", {"admin": OK, "auditor": OK, "ann": OK, "viewer": DENIED, "operator": DENIED}),
        ("fact get KEY", {"admin": OK, "ann": OK, "viewer": NO_FACT, "zoe": NO_FACT, "agent": NO_FACT}),
        ("fact put KEY pasta", {"ann": OK, "zoe": DENIED, "viewer": DENIED, "operator": DENIED, "auditor": DENIED}),
        ("fact delete KEY", {"admin": OK, "ann": DENIED, "operator": DENIED, "auditor": DENIED}),
        ("fact history KEY", {"admin": OK, "ann": OK, "zoe": MISSING, "operator": DENIED, "auditor": DENIED}),
        ("consent list ann", {"admin": OK, "ann": OK, "zoe": DENIED, "operator": DENIED, "auditor": DENIED}),
        ("consent revoke CONSENT", {"ann": OK, "zoe": MISSING, "operator": DENIED, "viewer": DENIED}),
        ("approve list", {"admin": OK, "council": OK, "operator": OK, "auditor": OK, "ann": DENIED, "viewer": DENIED}),
        ("incident list", {"admin": OK, "council": OK, "operator": OK, "auditor": OK, "ann": DENIED}),
        ("admin quarantine x", {"admin": MISSING, "auditor": DENIED, "operator": DENIED, "ann": DENIED}),
        ("log verify", {"admin": OK, "operator": OK, "auditor": OK, "viewer": DENIED, "ann": DENIED, "agent": DENIED}),
        ("jobs list", {"admin": OK, "auditor": OK, "ann": OK, "operator": DENIED, "viewer": DENIED}),
        ("jobs list --person ann", {"admin": OK, "auditor": OK, "ann": OK, "zoe": DENIED}),
        ("dream", {"admin": OK, "operator": DENIED, "auditor": DENIED, "ann": DENIED}),
    ],
)
@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_each_role_gets_the_policys_answer(ann: dict[str, str], run: Run, words: str, answers: dict[str, str | None]):
    got = {}
    for who in sorted(answers, key=lambda who: who == "ann"):  # what is hers she changes last
        acts = ("--as", "user", "--user", who) if who in ("ann", "zoe") else ("--as", who, "--user", "zoe")
        got[who] = run(*_line(words, ann), *acts)[0]
    assert got == answers


def test_what_is_not_theirs_reads_as_what_is_not_there(ann: dict[str, str], run: Run):
    for who in (("--as", "viewer", "--user", "zoe"), ("--as", "user", "--user", "zoe")):
        hers, nobodys = (run("fact", "get", key, *who)[1] for key in (KEY, KEY.replace("food", "drink")))
        for answer in (hers, nobodys):
            del answer["meta"], answer["developer_message"], answer["key"]  # they repeat what was asked for
        assert hers == nobodys
    listed = run("jobs", "list", "--as", "user", "--user", "zoe")[1]
    assert listed == {"items": [], "next_cursor": None, "left_out": 0}


def test_an_auditors_account_replays_with_its_code_and_leaves_a_trace(
    place: places.Place, ann: dict[str, str], run: Run
):
    with place.open() as m:
        m.accounts.create("aud", ["auditor"])
        secret = m.accounts.enrol_second_factor("aud")["secret"]
    code = Totp().code_at(secret, datetime.now(UTC))
    error, value, _ = run("replay", ann["JOB"], "--as", "auditor", "--user", "aud", "--totp", code)
    assert (error, value["result"]) == (OK, "MATCH")
    events = run("log", "show", "system", "--limit", "500", "--as", "auditor")[1]["events"]
    seen = [item["payload"] for item in events if item["event_type"] == "admin_access_event"]
    assert [(item["actor"], item["what"], item["which"]) for item in seen] == [("aud", "replay", ann["JOB"])]


def test_an_agents_account_looks_back_with_one_code(place: places.Place, ann: dict[str, str], run: Run):
    with place.open() as m:
        m.accounts.create("bot", ["agent"], user_id="bot")
        secret = m.accounts.enrol_second_factor("bot")["secret"]
    code = Totp().code_at(secret, datetime.now(UTC))
    error, value, _ = run("experience", "show", "a", "b", "--as", "agent", "--user", "bot", "--totp", code)
    assert (error, value["known"]) == (OK, True)


def test_on_a_shared_database_everybody_is_a_user_until_they_say_otherwise(
    place: places.Place, ann: dict[str, str], run: Run
):
    words = ("fact", "list", "user")
    if place.kind != "postgres":
        assert run(*words)[1]["keys"] == [KEY]  # the owner of a directory
        return
    error, value, _ = run(*words)
    assert (error, value["meta"]["actor"]) == (DENIED, "node as user")
    assert ("needs" in value["meta"], value["meta"]["hint"]) == (False, "the policy allows it to admin (--as ROLE)")
    assert run(*words, "--as", "admin")[1]["keys"] == [KEY]
    assert run("fact", "get", KEY, "--user", "ann")[1]["value"] == "pizza"
    assert run("fact", "get", KEY)[0] == NO_FACT
    for job in (ann["JOB"], "not-there"):  # somebody else's without a second factor, and nothing at all
        error, value, _ = run("replay", job, "--as", "auditor")
        assert (error, value["meta"]["needs"]) == (DENIED, "second_factor")


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_putting_and_deleting_what_is_nobodys_follow_one_rule(ann: dict[str, str], run: Run):
    key = "world/fact/ruritania/capital"
    assert run("fact", "put", key, "Strelsau", "--as", "admin")[0] is OK
    for words in (("fact", "put", key, "Zenda"), ("fact", "delete", key)):
        assert run(*words, "--user", "nobody")[0] == DENIED, words
        assert run(*words, "--as", "user", "--user", "nobody")[0] == DENIED, words
    assert run("fact", "get", key)[1]["value"] == "Strelsau"
    assert run("fact", "delete", key, "--as", "admin")[0] is OK


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_a_refusal_says_who_what_by_which_policy_and_who_may(run: Run, ann: dict[str, str], capfdbinary: Any):
    for words, action in ((["fact", "list", "user"], "sem_list"), (["fact", "delete", KEY], "sem_delete")):
        assert main([*words, "--as", "operator", "--user", "zoe"]) == 1
        told = capfdbinary.readouterr().err.decode()
        assert f"zoe as operator may not {action}." in told
        assert "Policy: default-deny (nothing allows this)" in told
        assert "Hint: the policy allows it to admin (--as ROLE)" in told
    assert main(["ask", "what is 2 + 2?", "--as", "auditor"]) == 1
    assert "the policy allows it to user or agent or admin" in capfdbinary.readouterr().err.decode()


def test_the_missing_second_factor_is_named(place: places.Place, run: Run, capfdbinary: Any):
    if place.kind != "postgres":
        return
    with place.open() as m:
        m.accounts.create("root", ["admin"])
        m.accounts.enrol_second_factor("root")
    asked = run("incident", "report", "a test", "--as", "operator")[1]["incident_id"]
    capfdbinary.readouterr()
    assert main(["approve", "vote", asked, "yes", "--as", "council", "--user", "zoe"]) == 1
    told = capfdbinary.readouterr().err.decode()
    assert "without an account that proves itself" in told
