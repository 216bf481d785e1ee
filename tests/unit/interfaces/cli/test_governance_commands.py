"""The commands of governance, one by one: what they print, refuse, and never repeat."""

import json
import stat
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pyotp
import pytest

from mace.interfaces.cli import app

Cli = Callable[..., Any]
KEY = "user/profile/user_bob/phone"
PHONE = "212-555-0198"
CARD = "4111 1111 1111 1111"


@pytest.fixture
def made(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    assert cli("init", "--bare", str(tmp_path / "m")).code == 0
    monkeypatch.setenv("MACE_LOCATION", str(tmp_path / "m"))
    return tmp_path / "m"


def _ok(ran: Any) -> Any:
    assert ran.code == 0, ran.out + ran.err
    return ran.value


def _keep_phone(cli: Cli, value: str = PHONE) -> str:
    until = "2035-01-01T00:00:00Z"
    given = _ok(cli("consent", "grant", "bob", "keep it", "--persistent", "--expires", until, "--json"))
    stored = cli("fact", "put", KEY, value, "--user", "bob", "--consent", given["consent_id"], "--json")
    assert stored.code == 0, stored.out
    return str(given["consent_id"])


def _erased(cli: Cli, *keys: str) -> str:
    code = _ok(cli("dsr", "proof", "bob", "--json"))["proof"]
    asked = _ok(cli("dsr", "delete", "bob", *keys, "--proof", code, "--json"))
    assert asked["status"] == "awaiting approval"
    assert _ok(cli("approve", "vote", asked["dsr_id"], "yes", "--json"))["status"] == "approved"
    return str(asked["dsr_id"])


def _all_paths(group: click.Group, above: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    found = []
    context = click.Context(group)
    for name in group.list_commands(context):
        held = group.get_command(context, name)
        found += _all_paths(held, (*above, name)) if isinstance(held, click.Group) else [(*above, name)]
    return found


_OWN = [
    path for path in _all_paths(app.root) if path[0] in ("consent", "dsr", "approve", "account", "admin", "incident")
]


@pytest.mark.parametrize("path", _OWN, ids=" ".join)
def test_every_command_has_help_and_unmixed_parameters(cli: Cli, path: tuple[str, ...]):
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # click warns when an argument and a shared option have one name
        ran = cli(*path, "--help")
    assert ran.code == 0
    assert "Options of every command" in ran.out


# Consent


def test_a_consent_from_grant_to_revocation(cli: Cli, made: Path):
    consent = _keep_phone(cli)
    held = _ok(cli("consent", "list", "bob", "--json"))["consents"]
    assert [(item["consent_id"], item["text"], item["revoked_at"]) for item in held] == [(consent, "keep it", None)]
    assert "keep it" in cli("consent", "list", "bob").out
    assert _ok(cli("consent", "revoke", consent, "--json"))["event_id"]
    again = cli("consent", "revoke", consent)
    assert (again.code, again.out) == (0, "Already revoked.\n")
    assert "revoked" in cli("consent", "list", "bob").out
    refused = cli("fact", "put", KEY, "212-555-0199", "--user", "bob", "--consent", consent, "--json")
    assert (refused.code, refused.value["error_code"]) == (1, "PRIVACY_BLOCKED")


def test_a_consent_names_its_types_and_purposes(cli: Cli, made: Path):
    terms = ("--type", "phone", "--type", "email", "--purpose", "store", "--purpose", "process")
    given = _ok(cli("consent", "grant", "bob", "both", "--seed", "s", *terms, "--json"))
    assert (given["data_types"], given["purposes"]) == (["email", "phone"], ["process", "store"])
    assert _ok(cli("consent", "grant", "bob", "all of it", "--json"))["data_types"] is None
    listed = cli("consent", "list", "bob").out
    assert "email, phone" in listed and "process, store" in listed and "all" in listed
    assert cli("consent", "grant", "bob", "yes", "--type", "shoe").code == 2
    assert cli("consent", "grant", "bob", "yes", "--purpose", "sell").code == 2
    told = " ".join(cli("consent", "grant", "--help").out.split())
    assert "phone, postal_address, email" in told and "language engine" in told


def test_what_a_revoked_consent_let_in_waits_to_be_deleted(cli: Cli, made: Path):
    consent = _keep_phone(cli)
    ran = cli("consent", "revoke", consent)
    assert "Revoked." in ran.out
    assert "mace approve vote" in ran.out + ran.err
    refused = cli("fact", "get", KEY, "--user", "bob", "--json")
    assert (refused.code, refused.value["error_code"]) == (1, "PRIVACY_BLOCKED")
    [asked] = _ok(cli("approve", "list", "--json"))["approvals"]
    told = cli("dsr", "show", asked["request_id"]).out
    assert "decide by" in told
    rejected = cli("approve", "vote", asked["request_id"], "no", "--reason", "a court asked for it")
    assert rejected.code == 0, rejected.out
    assert "a court asked for it" in cli("dsr", "show", asked["request_id"]).out


def test_a_correction_from_request_to_receipt(cli: Cli, made: Path):
    key = "user/profile/user_bob/city"
    _ok(cli("fact", "put", key, "Gdynia", "--user", "bob", "--json"))
    code = _ok(cli("dsr", "proof", "bob", "--json"))["proof"]
    assert cli("dsr", "rectify", "bob", key, "--proof", code).code == 2
    assert cli("dsr", "rectify", "bob", f"{key}=no json", "--as-json", "--proof", code).code == 2
    asked = _ok(cli("dsr", "rectify", "bob", f"{key}=Sopot", "--proof", code, "--json"))
    assert "rectify" in cli("dsr", "show", asked["dsr_id"]).out
    assert "(version 1 to 2)" in cli("approve", "vote", asked["dsr_id"], "yes").out
    assert _ok(cli("fact", "get", key, "--user", "bob", "--json"))["value"] == "Sopot"
    shown = cli("dsr", "show", asked["dsr_id"])
    assert "(version 1 to 2)" in shown.out and "Receipt" in shown.out
    assert "Sopot" not in shown.out and "Sopot" not in cli("dsr", "show", asked["dsr_id"], "--json").out


def test_a_consent_for_one_job(cli: Cli, made: Path):
    given = _ok(cli("consent", "grant", "bob", "once", "--seed", "call-7", "--json"))
    assert (given["scope"], given["job_seed"], given["expires_at"]) == ("job", "call-7", None)
    for seed, status in (("call-7", "allowed"), ("call-8", "consent_required")):
        told = _ok(
            cli(
                "consent",
                "check",
                f"call {PHONE}",
                "--user",
                "bob",
                "--consent",
                given["consent_id"],
                "--seed",
                seed,
                "--json",
            )
        )
        assert told["status"] == status


@pytest.mark.parametrize("flags", [("--persistent",), ("--expires", "2035-01-01T00:00:00Z")])
def test_expiry_and_persistence_go_together(cli: Cli, made: Path, flags: tuple[str, ...]):
    assert cli("consent", "grant", "bob", "yes", *flags).code == 2


def test_a_check_repeats_nothing_it_found(cli: Cli, made: Path):
    for arguments in (("--json",), ()):
        ran = cli("consent", "check", f"my card is {CARD}", *arguments)
        assert ran.code == 0
        assert "redacted" in ran.out
        assert CARD not in ran.out + ran.err
    assert _ok(cli("consent", "check", "the sky is blue", "--json"))["status"] == "allowed"


def test_words_come_from_standard_input(cli: Cli, made: Path, monkeypatch: pytest.MonkeyPatch):
    import io

    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"I agree\n")))
    _ok(cli("consent", "grant", "bob", "-", "--json"))
    assert _ok(cli("consent", "list", "bob", "--json"))["consents"][0]["text"] == "I agree"


def test_somebody_elses_consents_are_not_for_users(cli: Cli, made: Path):
    for arguments in (("list", "bob"), ("grant", "bob", "yes")):
        refused = cli("consent", *arguments, "--user", "eve", "--as", "user", "--json")
        assert (refused.code, refused.value["error_code"]) == (1, "PERMISSION_DENIED")
    assert cli("consent", "list", "bob", "--user", "bob", "--as", "user").code == 0


# Subject requests


def test_an_export_is_private_exact_and_needs_its_proof(cli: Cli, made: Path, tmp_path: Path):
    _keep_phone(cli)
    codes = [_ok(cli("dsr", "proof", "bob", "--json"))["proof"] for _ in range(3)]
    file = tmp_path / "bob.json"
    told = _ok(cli("dsr", "export", "bob", "--proof", codes[0], "-o", str(file), "--json"))
    assert "package" not in told
    assert told["bytes"] == len(file.read_bytes())
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert PHONE in file.read_text()
    taken = cli("dsr", "export", "bob", "--proof", codes[1], "-o", str(file), "--json")
    assert (taken.code, taken.value["error_code"]) == (1, "CONFLICT")
    inside = cli("dsr", "export", "bob", "--proof", codes[1], "-o", str(made / "bob.json"), "--json")
    assert (inside.code, inside.value["error_code"]) == (1, "INVALID_INPUT")
    raw = cli("dsr", "export", "bob", "--proof", codes[1], "-o", "-")  # the code was not used up
    assert json.loads(raw.out) == json.loads(file.read_text())
    assert raw.out.encode() == file.read_bytes()
    assert PHONE in cli("dsr", "export", "bob", "--proof", codes[2]).out
    used = cli("dsr", "export", "bob", "--proof", codes[0], "-o", str(tmp_path / "second.json"), "--json")
    assert (used.code, used.value["error_code"], used.value["status"]) == (1, "PERMISSION_DENIED", "refused")
    assert not (tmp_path / "second.json").exists()


def test_the_proof_of_one_is_none_of_another(cli: Cli, made: Path):
    _keep_phone(cli)
    code = _ok(cli("dsr", "proof", "eve", "--json"))["proof"]
    refused = cli("dsr", "delete", "bob", "--proof", code, "--json")
    assert (refused.code, refused.value["status"]) == (1, "refused")
    foreign = cli("dsr", "delete", "eve", KEY, "--proof", code, "--json")
    assert (foreign.code, foreign.value["status"]) == (1, "refused")
    assert _ok(cli("approve", "list", "--all", "--json"))["approvals"] == []


def test_a_deletion_to_its_receipt_and_back(cli: Cli, made: Path, tmp_path: Path):
    key_file = tmp_path / "away" / "forensic.key"
    key_file.parent.mkdir()
    _ok(cli("admin", "forensic-key", str(key_file), "--json"))
    _keep_phone(cli)
    dsr = _erased(cli, KEY)
    assert cli("fact", "get", KEY).code == 1
    shown = _ok(cli("dsr", "show", dsr, "--json"))
    assert (shown["status"], shown["manifest"]["restorable"]) == ("completed", True)
    assert "package" not in shown
    text = cli("dsr", "show", dsr).out
    assert "Receipt" in text
    assert shown["receipt"]["signature"] in text
    (tmp_path / "other.key").write_text("mace-forensic-private-" + "ab" * 32)
    (tmp_path / "no.key").write_text('user = "tester"\n')
    for file in (tmp_path / "other.key", tmp_path / "no.key"):
        wrong = cli("dsr", "restore", dsr, "--key-file", str(file), "--purpose", "a mistake", "--json")
        assert (wrong.code, wrong.value["error_code"]) == (1, "INVALID_INPUT")
        assert "ab" * 32 not in wrong.out + wrong.err
    (tmp_path / "empty.key").touch()
    nothing = cli("dsr", "restore", dsr, "--key-file", str(tmp_path / "empty.key"), "--purpose", "a mistake")
    assert nothing.code == 2 and "empty.key is empty" in nothing.err
    back = _ok(cli("dsr", "restore", dsr, "--key-file", str(key_file), "--purpose", "a mistake", "--json"))
    assert back["facts"] == [KEY]
    assert _ok(cli("fact", "get", KEY, "--json"))["value"] == PHONE
    assert cli("log", "verify").code == 0


def test_a_purge_is_for_good(cli: Cli, made: Path, tmp_path: Path):
    key_file = tmp_path / "forensic.key"
    _ok(cli("admin", "forensic-key", str(key_file), "--json"))
    _keep_phone(cli)
    dsr = _erased(cli)
    asked = _ok(cli("dsr", "purge", dsr, "--json"))
    _ok(cli("approve", "vote", asked["request_id"], "yes", "--json"))
    gone = cli("dsr", "restore", dsr, "--key-file", str(key_file), "--purpose", "a mistake", "--json")
    assert (gone.code, gone.value["error_code"]) == (1, "PRECONDITION_FAILED")
    entries = _ok(cli("admin", "forensics", "list", "--json"))["entries"]
    assert [(item["about"], item["purged"]) for item in entries] == [(dsr, True)]


def test_a_wrong_key_of_a_fact_is_named_by_its_place(cli: Cli, made: Path):
    ran = cli("dsr", "delete", "bob", KEY, "my card 4111111111111111", "--proof", "x")
    assert ran.code == 2
    assert "KEY 2" in ran.err
    assert "4111" not in ran.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("dsr", "proof", "bob"),
        ("dsr", "restore", "x", "--key-file", "k", "--purpose", "p"),
        ("dsr", "purge", "x"),
        ("approve", "list"),
        ("approve", "vote", "x", "yes"),
        ("approve", "policy", "p.cedar"),
        ("approve", "quarantine", "math_agent"),
        ("account", "create", "root", "--role", "admin"),
        ("account", "list"),
        ("account", "token", "root"),
        ("account", "enrol", "root"),
        ("admin", "forensic-key", "f"),
        ("admin", "forensics", "list"),
        ("admin", "forensics", "read", "x", "--purpose", "p"),
    ],
    ids=" ".join,
)
def test_what_users_may_not_do(cli: Cli, made: Path, tmp_path: Path, arguments: tuple[str, ...]):
    (tmp_path / "k").write_text("mace-forensic-private-" + "ab" * 32)
    (tmp_path / "p.cedar").write_text(
        '@id("a")\npermit (principal, action, resource) when { principal.roles.containsAny(["admin", "council"]) };\n'
    )
    ran = cli(*arguments, "--as", "user", "--json")
    assert (ran.code, ran.value["error_code"]) == (1, "PERMISSION_DENIED")


@pytest.mark.parametrize(
    "arguments",
    [
        ("consent", "grant", "bob", "\udcff"),
        ("consent", "check", "hi", "--consent", "\udcff"),
        ("consent", "revoke", "\udcff"),
        ("dsr", "show", "\udcff"),
        ("approve", "vote", "\udcff", "yes"),
        ("approve", "quarantine", "\udcff"),
        ("account", "token", "bob", "--scope", "\udcff"),
        ("admin", "forensics", "read", "\udcff", "--purpose", "p"),
    ],
    ids=lambda arguments: " ".join(arguments[:2]),
)
def test_what_is_no_text_is_wrong_usage(cli: Cli, made: Path, arguments: tuple[str, ...]):
    ran = cli(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert "must be valid UTF-8" in ran.err


# Approvals


def test_a_review_is_voted_on_once(cli: Cli, made: Path):
    cli("ask", "Remember my favorite colour is teal", "--user", "bob")
    job = _ok(cli("ask", "What is my favorite colour?", "--user", "bob", "--json"))["job_id"]
    asked = _ok(cli("approve", "review", job, "--user", "bob", "--json"))
    assert asked["requested_by"] == "bob"
    assert asked["request_id"] in cli("approve", "list").out
    assert "votes       none" in cli("approve", "show", asked["request_id"]).out
    assert cli("approve", "vote", asked["request_id"], "perhaps").code == 2
    assert _ok(cli("approve", "vote", asked["request_id"], "no", "--json"))["status"] == "rejected"
    late = cli("approve", "vote", asked["request_id"], "yes", "--json")
    assert (late.code, late.value["error_code"]) == (1, "PRECONDITION_FAILED")
    assert cli("approve", "list").out == "No open requests.\n"
    assert "rejected" in cli("approve", "list", "--all").out


def test_a_module_is_taken_out_and_back(cli: Cli, made: Path):
    for command in ("quarantine", "release"):
        asked = _ok(cli("approve", command, "math_agent", "--json"))
        assert _ok(cli("approve", "vote", asked["request_id"], "yes", "--json"))["status"] == "approved"
    assert cli("approve", "vote", "no-such-request", "yes").code == 1


def test_a_policy_is_proposed_from_a_file(cli: Cli, made: Path, tmp_path: Path):
    (tmp_path / "bad.cedar").write_text("permit everything, please")
    bad = cli("approve", "policy", str(tmp_path / "bad.cedar"), "--json")
    assert (bad.code, bad.value["error_code"]) == (1, "INVALID_INPUT")
    (tmp_path / "good.cedar").write_text(
        '@id("a")\npermit (principal, action, resource) when { principal.roles.containsAny(["admin", "council"]) };\n'
    )
    asked = _ok(cli("approve", "policy", str(tmp_path / "good.cedar"), "--json"))
    assert (asked["kind"], asked["status"]) == ("policy_change", "open")


def test_three_members_decide_with_their_codes(cli: Cli, made: Path):
    secrets = {}
    for name in ("ann", "ben", "cay"):
        _ok(cli("account", "create", name, "--role", "council", "--json"))
        secrets[name] = _ok(cli("account", "enrol", name, "--json"))["secret"]
    asked = _ok(cli("approve", "quarantine", "math_agent", "--json"))
    assert asked["decided_by"] == "council"
    assert cli("approve", "vote", asked["request_id"], "yes", "--json").value["error_code"] == "PERMISSION_DENIED"
    bare = cli("approve", "vote", asked["request_id"], "yes", "--as-member", "ann", "--json")
    assert bare.value["error_code"] == "AUTH_ERROR"
    for name, answer, status in (("ann", "yes", "open"), ("ben", "abstain", "open"), ("cay", "yes", "approved")):
        code = pyotp.TOTP(secrets[name]).now()
        vote = ("approve", "vote", asked["request_id"], answer, "--as-member", name, "--totp", code, "--json")
        assert _ok(cli(*vote))["status"] == status


# Accounts


def test_an_account_its_token_and_its_end(cli: Cli, made: Path):
    account = _ok(cli("account", "create", "bob", "--role", "user", "--person", "bob", "--json"))
    assert (account["roles"], account["person"]) == (["user"], "user_bob")
    made_token = _ok(cli("account", "token", "bob", "--days", "2", "--scope", "ask", "--json"))
    shown = cli("account", "list", "bob", "--json")
    assert made_token["token"] not in shown.out
    assert [item["token_id"] for item in shown.value["tokens"]] == [made_token["token_id"]]
    assert cli("account", "revoke", "bob", made_token["token_id"]).out == "Revoked.\n"
    assert "revoked" in cli("account", "list", "bob").out
    assert cli("account", "change", "bob").code == 2
    assert _ok(cli("account", "change", "bob", "--off", "--json"))["active"] is False
    assert "off" in cli("account", "list").out
    assert cli("account", "token", "bob", "--json").value["error_code"] == "INVALID_INPUT"
    assert cli("account", "list", "nobody", "--json").value["error_code"] == "NOT_FOUND"
    assert cli("account", "create", "eve", "--role", "king").code == 2


def test_the_qr_code_says_what_the_secret_says(cli: Cli, made: Path):
    import io

    import segno

    _ok(cli("account", "create", "root", "--role", "admin", "--json"))
    text = cli("account", "enrol", "root").out
    uri = next(word for word in text.split() if word.startswith("otpauth://"))
    drawn = io.StringIO()
    segno.make(uri, error="m").terminal(drawn, compact=True)
    assert drawn.getvalue().rstrip("\n") in text
    assert "\x1b" not in drawn.getvalue()
    secret = pyotp.parse_uri(uri).secret
    again = cli("account", "enrol", "root", "--json")  # from now on only an admin with a code, or the owner
    assert again.code == 0
    assert again.value["secret"] != secret


def test_incidents_are_seen_with_a_code(cli: Cli, made: Path):
    _ok(cli("account", "create", "root", "--role", "admin", "--json"))
    secret = _ok(cli("account", "enrol", "root", "--json"))["secret"]
    import mace

    with mace.open(str(made)) as m:
        incident = m.incidents.report_violation("math_agent", "wrote where it may not")["incident_id"]
    refused = cli("incident", "ack", incident, "--user", "root", "--json")
    assert (refused.code, refused.value["error_code"]) == (1, "AUTH_ERROR")
    code = pyotp.TOTP(secret).now()
    seen = _ok(cli("incident", "ack", incident, "--user", "root", "--totp", code, "--json"))
    assert seen["acknowledged"]["actor"] == "root"
    reused = cli("incident", "ack", incident, "--user", "root", "--totp", code, "--json")
    assert (reused.code, reused.value["error_code"]) == (1, "AUTH_ERROR")
