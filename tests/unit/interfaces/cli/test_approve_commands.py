"""What voters see before they vote, what the council decides about itself, and the small new options of facts."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyotp
import pytest

import mace

Cli = Callable[..., Any]
KEY = "user/profile/user_bob/favorite_food"


@pytest.fixture
def made(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    assert cli("init", "--bare", str(tmp_path / "m")).code == 0
    monkeypatch.setenv("MACE_LOCATION", str(tmp_path / "m"))
    return tmp_path / "m"


def _ok(ran: Any) -> Any:
    assert ran.code == 0, ran.out + ran.err
    return ran.value


def _council(cli: Cli) -> dict[str, str]:
    secrets = {}
    for name in ("ann", "ben", "cay"):
        _ok(cli("account", "create", name, "--role", "council", "--json"))
        secrets[name] = _ok(cli("account", "enrol", name, "--json"))["secret"]
    return secrets


@pytest.mark.parametrize("keys", [(KEY,), ()])
def test_voters_see_whom_an_erasure_is_about(cli: Cli, made: Path, keys: tuple[str, ...]):
    _ok(cli("fact", "put", KEY, "pizza", "--user", "bob", "--json"))
    code = _ok(cli("dsr", "proof", "bob", "--json"))["proof"]
    request = _ok(cli("dsr", "delete", "bob", *keys, "--proof", code, "--json"))["request_id"]
    asked = _ok(cli("dsr", "show", request, "--json"))
    for who in ((), ("--as", "council"), ("--as", "admin")):
        asks = _ok(cli("approve", "show", request, "--json", *who))["asks"]
        told = {name: asks[name] for name in ("person", "keys", "created_at", "identity")}
        assert told == {name: asked[name] for name in told}
        assert asks["amounts"]["facts"] == 1
        assert asks["proof"]["proof_id"] == asked["identity"]["proof_id"]
        text = cli("approve", "show", request, *who).out
        for part in ("user_bob", KEY if keys else "everything of the person", asked["created_at"]):
            assert part in text
        assert f"proof {asked['identity']['proof_id']}, issued by" in text
        assert "1 facts" in text
    for role in ("operator", "auditor"):  # they may know that there is a request, and not whose
        shown = cli("approve", "show", request, "--as", role, "--json")
        assert "asks" not in _ok(shown)
        assert "user_bob" not in shown.out + cli("approve", "show", request, "--as", role).out
    assert "pizza" not in text


def test_other_requests_say_in_words_what_they_ask_for(cli: Cli, made: Path, tmp_path: Path):
    policy = (
        '@id("a")\npermit (principal, action, resource) when { principal.roles.containsAny(["admin", "council"]) };\n'
    )
    (tmp_path / "new.cedar").write_text(policy)
    asked = _ok(cli("approve", "policy", "new.cedar", "--json"))["request_id"]
    text = cli("approve", "show", asked).out
    assert f"mace approve show {asked} --policy-text" in text
    assert cli("approve", "show", asked, "--policy-text").out == policy + "\n"
    module = _ok(cli("approve", "quarantine", "math_agent", "--json"))["request_id"]
    assert "quarantine the module math_agent" in cli("approve", "show", module).out
    assert cli("approve", "show", module, "--policy-text", "--json").value["error_code"] == "NOT_FOUND"
    job = _ok(cli("ask", "what is 2 + 2?", "--json"))
    review = _ok(cli("approve", "review", job["job_id"], "--json"))["request_id"]
    assert f"review the answer of job {job['job_id']}" in cli("approve", "show", review).out


def test_the_council_decides_about_its_seats(cli: Cli, made: Path):
    secrets = _council(cli)
    waits = cli("account", "create", "dan", "--role", "council", "--json")
    assert (waits.code, waits.value["error_code"]) == (1, "PRECONDITION_FAILED")
    request = waits.value["meta"]["request_id"]
    told = cli("account", "create", "dan", "--role", "council").err
    assert f"mace approve vote {request} yes|no|abstain" in told
    assert "make the account dan with council" in cli("approve", "show", request).out
    off = cli("account", "change", "ann", "--off", "--json").value["meta"]["request_id"]
    assert "switch ann off" in cli("approve", "show", off).out
    public = _ok(cli("account", "key", "ann.key", "--json"))["public_key"]
    assert "sealed_to is required" in cli("account", "enrol", "ann").err
    factor = cli("account", "enrol", "ann", "--sealed-to", public, "--json").value["meta"]["request_id"]
    assert f"give ann another second factor, sealed to {public}" in cli("approve", "show", factor).out
    for name in ("ann", "ben", "cay"):
        code = pyotp.TOTP(secrets[name]).now()
        _ok(cli("approve", "vote", request, "yes", "--as-member", name, "--totp", code, "--json"))
    assert "dan" in cli("account", "list").out


def test_a_sealed_second_factor_is_handed_on_and_opened(cli: Cli, made: Path):
    public = _ok(cli("account", "key", "vi.key", "--json"))["public_key"]
    _ok(cli("account", "create", "vi", "--role", "viewer", "--json"))
    sealed = cli("account", "enrol", "vi", "--sealed-to", public).out.strip()
    opened = _ok(cli("account", "open", "vi", sealed, "--key-file", "vi.key", "--json"))
    assert opened["account"] == "vi" and opened["secret"] not in sealed
    wrong = cli("account", "open", "ann", sealed, "--key-file", "vi.key", "--json")
    assert wrong.value["error_code"] == "INVALID_INPUT"


def test_three_votes_do_not_come_from_one_hand(cli: Cli, made: Path):
    _council(cli)
    request = _ok(cli("approve", "quarantine", "math_agent", "--json"))["request_id"]
    for name in ("ann", "ben", "cay"):
        for role in ((), ("--as", "council"), ("--as", "admin"), ("--as", "user")):
            for way in (("--user", name), ("--as-member", name)):
                refused = cli("approve", "vote", request, "yes", *way, *role, "--json")
                assert refused.value["error_code"] in ("AUTH_ERROR", "PERMISSION_DENIED")
    refused = cli("approve", "vote", request, "yes", "--user", "mallory", "--as", "council", "--json")
    assert refused.value["error_code"] == "PERMISSION_DENIED"
    assert _ok(cli("approve", "show", request, "--json"))["votes"] == []


def test_an_owner_whose_login_is_an_account_asks_and_reads_without_a_code(
    cli: Cli, made: Path, monkeypatch: pytest.MonkeyPatch
):
    _ok(cli("account", "create", "root", "--role", "admin", "--json"))
    _ok(cli("account", "enrol", "root", "--json"))
    monkeypatch.setenv("USER", "root")
    assert _ok(cli("ask", "Remember my favorite food is pizza", "--json"))["answer"]
    assert _ok(cli("fact", "get", "user/profile/user_root/favorite_food", "--json"))["value"] == "pizza"
    for arguments in (
        ("log", "show"),
        ("log", "verify"),
        ("account", "list"),
        ("jobs", "list"),
        ("replay", "--last", "1"),
    ):
        assert cli(*arguments).code == 0
    for arguments in (("dsr", "proof", "bob"), ("admin", "rotate-key"), ("account", "create", "eve", "--role", "user")):
        refused = cli(*arguments, "--json")
        assert (refused.code, refused.value["error_code"]) == (1, "AUTH_ERROR")
        assert "--totp" in refused.value["meta"]["hint"]


def test_a_fact_is_written_over_the_version_that_was_read(cli: Cli, made: Path):
    put = ("fact", "put", KEY, "--user", "bob", "--json")
    _ok(cli(*put, "pizza", "--if-version", "0"))
    version = _ok(cli("fact", "get", KEY, "--json"))["version"]
    assert cli(*put, "pasta", "--if-version", "0").value["error_code"] == "PRECONDITION_FAILED"
    _ok(cli(*put, "soup", "--if-version", str(version)))
    now = _ok(cli("fact", "get", KEY, "--json"))
    assert (now["value"], now["version"] > version) == ("soup", True)


def test_jobs_are_listed_by_person_kind_and_state(cli: Cli, made: Path):
    job = _ok(cli("ask", "what is 2 + 2?", "--user", "bob", "--json"))["job_id"]
    _ok(cli("ask", "what is 3 + 3?", "--user", "eve", "--json"))
    assert len(_ok(cli("jobs", "list", "--json"))["items"]) == 2
    (mine,) = _ok(cli("jobs", "list", "--person", "bob", "--kind", "ask", "--status", "closed", "--json"))["items"]
    assert (mine["job_id"], mine["person"]) == (job, "user_bob")
    assert _ok(cli("jobs", "list", "--since", "2099-01-01T00:00:00Z", "--json"))["items"] == []
    assert job in cli("jobs", "list").out
    assert cli("jobs", "list", "--status", "failed").out == "No jobs.\n"
    page = _ok(cli("jobs", "list", "--limit", "1", "--json"))
    assert (len(page["items"]), page["next_cursor"]) == (1, page["items"][0]["job_id"])
    assert f"There are more: add --cursor {page['next_cursor']}" in cli("jobs", "list", "--limit", "1").err
    rest = _ok(cli("jobs", "list", "--cursor", page["next_cursor"], "--json"))
    assert ([item["job_id"] for item in rest["items"]], rest["next_cursor"]) == ([job], None)
    for wrong in (("--kind", "x"), ("--since", "yesterday"), ("--limit", "0")):
        assert cli("jobs", "list", *wrong).code == 2


def test_only_the_owner_asks_for_nobody(cli: Cli, made: Path):
    _ok(cli("ask", "what is 2 + 2?", "--anonymous", "--json"))
    refused = cli("ask", "what is 2 + 2?", "--anonymous", "--as", "user")
    assert (refused.code, "--anonymous" in refused.err) == (2, True)
    with mace.open(str(made)) as m:
        assert len(m.jobs.list()["items"]) == 1
