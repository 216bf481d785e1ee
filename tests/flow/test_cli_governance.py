"""Governance through the command line, whole, on each engine: from consent to receipt and back, and who may do what.

On a database shared by nodes nobody is the owner: from the first admin with a second factor on, everything is proved.
"""

import json
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pyotp
import pytest

import places
from mace.interfaces.cli import main

KEY = "user/profile/user_bob/phone"
PHONE = "212-555-0198"
CARD = "4111 1111 1111 1111"
Run = Callable[..., Any]


class Terminal:
    """Commands with --json, as the first admin where somebody must prove who they are."""

    def __init__(self, place: places.Place, clock: Any, capfdbinary: Any) -> None:
        self.shared = place.kind == "postgres"
        self._caught = capfdbinary
        self.clock = clock
        self._secrets: dict[str, str] = {}

    def __call__(self, *arguments: str, fails: str | None = None) -> Any:
        self._caught.readouterr()
        code = main([*arguments, "--json"])
        caught = self._caught.readouterr()
        assert code == (1 if fails else 0), caught.out + caught.err
        value = json.loads(caught.out)
        assert fails is None or value["error_code"] == fails, value
        return value

    def enrol(self, name: str, *roles: str) -> None:
        self.admin("account", "create", name, *(part for role in roles for part in ("--role", role)))
        self._secrets[name] = self.admin("account", "enrol", name)["secret"]

    def code(self, name: str) -> str:
        self.clock()
        return pyotp.TOTP(self._secrets[name]).at(self.clock.at)

    def as_account(self, name: str, role: str, *arguments: str, fails: str | None = None) -> Any:
        return self(*arguments, "--user", name, "--as", role, "--totp", self.code(name), fails=fails)

    def admin(self, *arguments: str, fails: str | None = None) -> Any:
        if "root" not in self._secrets:  # whoever runs the node, until there is an admin
            return self(*arguments, "--as", "admin", fails=fails)
        return self.as_account("root", "admin", *arguments, fails=fails)


class Ticking:
    """A clock for codes that moves half a minute each time, because no code counts twice."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from datetime import UTC, datetime, timedelta

        from mace.providers.system import SystemClock

        self.at = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
        self._step = timedelta(seconds=30)
        monkeypatch.setattr(SystemClock, "now", lambda _: self.at)

    def __call__(self) -> None:
        self.at += self._step


@pytest.fixture
def terminal(
    place: places.Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: Any
) -> Iterator[Terminal]:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("USER", "node")
    monkeypatch.setenv("MACE_LOCATION", place.settings.location)
    monkeypatch.chdir(tmp_path)
    made = Terminal(place, Ticking(monkeypatch), capfdbinary)
    made("init", "--bare", place.settings.location, "--as", "admin")
    made.enrol("root", "admin")
    yield made
    assert made("log", "verify", "--as", "operator")["ok"] is True


def keep_phone(run: Terminal) -> str:
    given = run(
        "consent", "grant", "bob", "keep it", "--persistent", "--expires", "2035-01-01T00:00:00Z", "--user", "bob"
    )
    consent = str(given["consent_id"])
    run("fact", "put", KEY, PHONE, "--user", "bob", fails="PRIVACY_BLOCKED")
    run("fact", "put", KEY, PHONE, "--user", "bob", "--consent", consent)
    return consent


def proof(run: Terminal) -> str:
    return str(run.admin("dsr", "proof", "bob")["proof"])


def test_consent_export_deletion_receipt_and_the_way_back(terminal: Terminal, tmp_path: Path):
    run = terminal
    consent = keep_phone(run)
    assert run("consent", "check", f"call {PHONE}", "--user", "bob")["status"] == "consent_required"
    assert run("consent", "check", f"call {PHONE}", "--user", "bob", "--consent", consent)["status"] == "allowed"
    assert run("consent", "check", f"my card is {CARD}", "--user", "bob")["status"] == "redacted"
    asked = run("ask", "what is my phone?", "--user", "bob")
    assert PHONE in asked["text"]

    code = proof(run)
    run("dsr", "export", "bob", "--proof", code, "-o", str(tmp_path / "bob.json"), "--user", "bob")
    assert PHONE in (tmp_path / "bob.json").read_text()
    run("dsr", "export", "bob", "--proof", code, "--user", "bob", fails="PERMISSION_DENIED")  # it counts once

    private = tmp_path / "away.key"
    run.admin("admin", "forensic-key", str(private))
    dsr = run("dsr", "delete", "bob", "--proof", proof(run), "--user", "bob")["dsr_id"]
    assert run("fact", "get", KEY, "--user", "bob")["value"] == PHONE  # nothing goes before it is approved
    done = run.admin("approve", "vote", dsr, "yes")
    assert (done["status"], done["result"]["manifest"]["restorable"]) == ("approved", True)
    run("fact", "get", KEY, "--user", "bob", fails="SEM_NOT_FOUND")
    shown = run("dsr", "show", dsr, "--user", "bob")
    assert (shown["status"], shown["receipt"]["dsr_id"]) == ("completed", dsr)
    assert run("replay", asked["job_id"], "--user", "bob", fails="CONFLICT")["result"] == "INPUT_ERASED"
    assert run("log", "verify", "--as", "operator")["ok"] is True
    assert run("consent", "list", "bob", "--user", "bob")["consents"][0]["revoked_at"]

    back = run.admin("dsr", "restore", dsr, "--key-file", str(private), "--purpose", "it was a mistake")
    assert back["facts"] == [KEY]
    assert run("fact", "get", KEY, "--user", "bob")["value"] == PHONE
    again = run("dsr", "delete", "bob", "--proof", proof(run), "--user", "bob")["dsr_id"]
    run.admin("approve", "vote", again, "yes")
    purge = run.admin("dsr", "purge", again)["request_id"]
    run.admin("approve", "vote", purge, "yes")
    run.admin("dsr", "restore", again, "--key-file", str(private), "--purpose", "too late", fails="PRECONDITION_FAILED")
    entries = run("admin", "forensics", "list", "--as", "admin")
    assert sorted(item["purged"] for item in entries["entries"]) == [True, True]


def test_a_log_unredacted_and_the_trace_it_leaves(terminal: Terminal):
    run = terminal
    keep_phone(run)
    asked = run("ask", "what is my phone?", "--user", "bob")
    assert PHONE not in json.dumps(run("log", "show", asked["log_id"], "--user", "bob"))
    event = next(
        item["event_id"]
        for item in run("log", "show", asked["job_id"], "--limit", "50", "--as", "admin")["events"]
        if item["event_type"] == "AGENT_OUTPUT"
    )
    wanted = ("log", "show", asked["log_id"], "--unredacted", "--purpose", "the user asked")
    run(*wanted, "--user", "eve", "--as", "user", fails="PERMISSION_DENIED")
    run(*wanted, "--user", "root", "--as", "admin", fails="AUTH_ERROR")
    assert PHONE in json.dumps(run.admin(*wanted))
    read = run.admin("log", "show", event, "--unredacted", "--purpose", "the user asked")
    assert read["events"][0]["contents"]["output/0"]["text"] == f"Your phone is {PHONE}."
    told = run("log", "show", "system", "--limit", "500", "--as", "auditor")["events"]
    seen = [item["payload"] for item in told if item["event_type"] == "admin_access_event"]
    told_why = [item for item in seen if item["purpose"] == "the user asked"]
    assert [(item["what"], item["which"], item["actor"]) for item in told_why] == [
        ("reflective_log", asked["log_id"], "root"),
        ("event", event, "root"),
    ]
    assert {(item["which"], item["actor"]) for item in seen} == {(asked["log_id"], "root"), (event, "root")}


def test_a_council_of_three_decides_with_codes_that_count_once(terminal: Terminal):
    run = terminal
    for name in ("ann", "ben", "cay"):
        run.enrol(name, "council")
    run.admin("approve", "quarantine", "no_such_agent", fails="NOT_FOUND")
    asked = run.admin("approve", "quarantine", "math_agent")
    assert asked["decided_by"] == "council"
    request = asked["request_id"]
    run.admin("approve", "vote", request, "yes", fails="PERMISSION_DENIED")
    code = run.code("ann")
    run("approve", "vote", request, "yes", "--user", "ann", "--as", "council", "--totp", code)
    run("approve", "vote", request, "no", "--user", "ann", "--as", "council", "--totp", code, fails="AUTH_ERROR")
    run.as_account("ann", "council", "approve", "vote", request, "no", fails="PRECONDITION_FAILED")
    run.as_account("ben", "council", "approve", "vote", request, "abstain")
    assert run.as_account("cay", "council", "approve", "vote", request, "yes")["status"] == "approved"
    states = {item["module_id"]: item["status"] for item in run("admin", "modules", "--as", "operator")["modules"]}
    assert states["math_agent"] == "quarantined"
    run.admin("admin", "recover", "math_agent", fails="PRECONDITION_FAILED")


def test_five_wrong_codes_lock_an_account(terminal: Terminal):
    run = terminal
    run.enrol("ann", "admin")
    for _ in range(5):
        run("account", "list", "--as", "admin")
        run("admin", "rotate-key", "--user", "ann", "--as", "admin", "--totp", "000000", fails="AUTH_ERROR")
    locked = run.as_account("ann", "admin", "admin", "rotate-key", fails="AUTH_ERROR")
    assert "locked" in locked["developer_message"]
    assert run.admin("admin", "rotate-key")["hmac_keys"] == ["k1", "k2"]


def test_tokens_are_made_listed_and_revoked(terminal: Terminal):
    run = terminal
    run.admin("account", "create", "bob", "--role", "user", "--person", "bob")
    token = run.admin("account", "token", "bob", "--days", "2", "--scope", "ask")
    shown = run("account", "list", "bob", "--as", "admin")
    assert token["token"] not in json.dumps(shown)
    assert [item["token_id"] for item in shown["tokens"]] == [token["token_id"]]
    run.admin("account", "revoke", "bob", token["token_id"])
    assert run("account", "list", "bob", "--as", "admin")["tokens"][0]["revoked"] is True
    run.admin("account", "change", "bob", "--off")
    run.admin("account", "token", "bob", fails="INVALID_INPUT")


def test_incidents_from_report_to_acknowledgement(terminal: Terminal):
    run = terminal
    asked = run("ask", "what is 2 + 2?", "--user", "bob")
    made = run.admin("incident", "report", "somebody copied the disk", "--job", asked["job_id"])
    assert (made["kind"], made["severity"], made["halting"]) == ("SECURITY_INCIDENT", "critical", True)
    run.admin("incident", "report", "nobody's", "--job", "no-such-job", fails="NOT_FOUND")
    run.admin("incident", "report", f"card {CARD}", fails="INVALID_INPUT")
    run("replay", asked["job_id"], "--user", "bob", fails="REPLAY_HALTED")
    run("incident", "ack", made["incident_id"], "--user", "root", "--as", "admin", fails="AUTH_ERROR")
    assert run.admin("incident", "ack", made["incident_id"])["acknowledged"]["actor"] == "root"
    lifted = run.admin("log", "unhalt", made["incident_id"])
    assert (lifted["halting"], lifted["approval"]) == (False, "approved")
    assert run("replay", asked["job_id"], "--user", "bob")["result"] == "MATCH"
    broke = run.admin("incident", "violation", "math_agent", "wrote where it may not")
    assert broke["module"]["status"] == "offline"
    assert run.admin("admin", "recover", "math_agent")["status"] == "healthy"


def test_high_sensitivity_waits_for_an_approval(terminal: Terminal):
    run = terminal
    consent = keep_phone(run)
    put = ("fact", "put", "user/profile/user_bob/card", CARD, "--user", "bob", "--consent", consent)
    refused = run(*put, fails="PRIVACY_BLOCKED")
    request = refused["meta"]["request_id"]
    assert run("approve", "show", request, "--as", "admin")["kind"] == "promotion"
    run.admin("approve", "vote", request, "yes")
    run(*put)


def test_papers_and_consents_of_somebody_else_are_nobody_s_business(terminal: Terminal):
    run = terminal
    consent = keep_phone(run)
    dsr = run("dsr", "delete", "bob", KEY, "--proof", proof(run), "--user", "bob")["dsr_id"]
    eve, bob = ("--user", "eve", "--as", "user"), ("--user", "bob", "--as", "user")
    run("dsr", "show", dsr, *eve, fails="NOT_FOUND")  # as one that does not exist
    assert run("dsr", "show", dsr, *bob)["person"] == run.admin("dsr", "show", dsr)["person"] == "user_bob"
    for role in ("operator", "auditor", "council"):
        run("dsr", "show", dsr, "--as", role, fails="PERMISSION_DENIED")
    run("consent", "revoke", consent, *eve, fails="NOT_FOUND")
    assert run("consent", "revoke", consent, *bob)["event_id"]
    run.admin("approve", "vote", dsr, "reject")
    assert run("dsr", "show", dsr, *bob)["status"] == "rejected"


def test_on_a_shared_database_nobody_is_an_admin_by_name(terminal: Terminal):
    run = terminal
    if not run.shared:
        assert run("admin", "rotate-key")["key_id"] == "k2"  # the owner of a directory
        return
    for arguments in (
        ("admin", "rotate-key"),
        ("log", "attest", "--statement", "looked"),
        ("dsr", "proof", "bob"),
        ("account", "create", "eve", "--role", "admin"),
        ("account", "token", "root"),
        ("admin", "forensic-key", "away.key"),
        ("approve", "quarantine", "math_agent"),
    ):
        run(*arguments, "--user", "eve", fails="PERMISSION_DENIED")
        run(*arguments, "--user", "eve", "--as", "admin", fails="PERMISSION_DENIED")
        run(*arguments, "--user", "root", "--as", "admin", fails="AUTH_ERROR")
    for arguments in (("admin", "recover", "math_agent"), ("admin", "queued", "--retry"), ("incident", "report", "x")):
        run(*arguments, "--user", "eve", fails="PERMISSION_DENIED")  # whoever runs the node says so with --as


def test_a_sweep_by_command_asks_for_the_deletion_of_what_an_expired_consent_let_in(terminal: Terminal):
    run = terminal
    lasting = ("--persistent", "--expires", "2026-03-02T00:00:00Z")
    given = run("consent", "grant", "bob", "keep it", *lasting, "--user", "bob")
    run("fact", "put", KEY, PHONE, "--user", "bob", "--consent", str(given["consent_id"]))
    assert run.admin("sweep")["expired_consents"] == 0
    run.clock.at += timedelta(days=2)
    run("ask", "What is 2 + 2?", "--user", "bob")
    assert run.admin("approve", "list")["approvals"] == []  # no other command does it
    assert run.admin("sweep")["expired_consents"] == 1
    (asked,) = run.admin("approve", "list")["approvals"]
    assert (asked["kind"], asked["requested_by"]) == ("erasure", "system")
    assert run.admin("sweep")["expired_consents"] == 0


def text_of(run: Terminal, *words: str) -> str:
    """What a command prints for people, and whether it failed does not matter."""
    run._caught.readouterr()
    main([*words])
    caught = run._caught.readouterr()
    return " ".join((caught.out + caught.err).decode().split())


def test_the_texts_say_what_to_do_about_consent(terminal: Terminal):
    run = terminal
    assert "mace consent grant" in text_of(run, "fact", "put", KEY, PHONE, "--user", "bob", "--as", "user")
    lasting = ("--persistent", "--expires", "2026-03-02T00:00:00Z")
    given = run("consent", "grant", "bob", "keep it", *lasting, "--user", "bob")
    run("fact", "put", KEY, PHONE, "--user", "bob", "--consent", str(given["consent_id"]))
    listed = ("consent", "list", "bob", "--user", "bob", "--as", "user")
    assert "until 2026-03-02" in text_of(run, *listed)
    run.clock.at += timedelta(days=2)
    assert "expired 2026-03-02" in text_of(run, *listed)
    said = text_of(run, "fact", "get", KEY, "--user", "bob", "--as", "user")
    assert "consent that let this value in has ended" in said and "unknown" not in said


def test_a_rectification_says_what_it_asks_for_and_why_it_was_rejected(terminal: Terminal):
    run = terminal
    city = "user/profile/user_bob/city"
    run("fact", "put", city, "Gdynia", "--user", "bob")
    code = proof(run)
    asked = run("dsr", "rectify", "bob", f"{city}=Sopot", "--proof", code, "--user", "bob")["request_id"]
    shown = ("approve", "show", asked, "--user", "root", "--as", "admin", "--totp")
    assert "asks to correct facts of a person" in text_of(run, *shown, run.code("root"))
    run.admin("approve", "vote", asked, "no", "--reason", "not what the passport says")
    assert "reject by root" in text_of(run, *shown, run.code("root"))
    assert "not what the passport says" in text_of(run, *shown, run.code("root"))
