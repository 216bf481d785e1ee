"""The small commands, one by one: what they print, refuse and leave behind."""

import json
import os
import shutil
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mace.interfaces.cli import demo
from mace.interfaces.cli.demo import chapters

Cli = Callable[..., Any]


@pytest.fixture
def made(cli: Cli, tmp_path: Path) -> Path:
    assert cli("init", "--bare", str(tmp_path / "m")).code == 0
    return tmp_path / "m"


def test_init_says_where_everything_lies(cli: Cli, tmp_path: Path, home: Path):
    value = cli("init", str(tmp_path / "m"), "--json").value
    assert value["created"] is True
    assert Path(value["store"]["place"]) == tmp_path / "m" / "mace.db"
    assert stat.S_IMODE(Path(value["keys_file"]).stat().st_mode) == 0o600
    assert Path(value["checkpoints_kept_in"]).is_relative_to(home / ".local" / "state" / "mace")
    assert (Path(value["checkpoints_kept_in"]) / "latest.note").exists()
    assert value["public_key"].startswith(f"mace/{value['log_name']}+")


def test_init_twice_is_init_once(cli: Cli, made: Path):
    keys = (made / "keys.json").read_bytes()
    again = cli("init", str(made))
    assert again.code == 0
    assert "nothing was changed" in again.out
    assert (made / "keys.json").read_bytes() == keys


def test_init_without_a_directory_uses_the_settings(cli: Cli, home: Path, monkeypatch: pytest.MonkeyPatch):
    assert cli("init", "--json").value["location"] == str(home / ".local" / "share" / "mace")
    monkeypatch.setenv("MACE_LOCATION", str(home / "named"))
    assert cli("init", "--json").value["location"] == str(home / "named")


@pytest.mark.parametrize("case", ["foreign", "file", "keyless"])
def test_init_refuses_what_is_not_its_own(cli: Cli, made: Path, tmp_path: Path, case: str):
    (tmp_path / "foreign").mkdir()
    (tmp_path / "foreign" / "letter.txt").write_text("dear")
    (tmp_path / "file").touch()
    (made / "keys.json").rename(tmp_path / "keys-elsewhere.json")
    where = {"foreign": tmp_path / "foreign", "file": tmp_path / "file", "keyless": made}[case]
    ran = cli("init", str(where), "--json")
    assert ran.code == 1
    assert ran.value["error_code"] in ("CONFLICT", "PRECONDITION_FAILED")
    assert not (where / "keys.json").exists()


def test_init_goes_on_where_it_was_interrupted(cli: Cli, made: Path, home: Path):
    (made / "mace.db").unlink()
    assert cli("init", str(made), "--json").value["error_code"] == "INTEGRITY_FAILURE"  # a kept checkpoint knows better
    (made / "mace.db").unlink()
    shutil.rmtree(home / ".local")
    assert cli("init", str(made), "--json").value["error_code"] == "INTEGRITY_FAILURE"  # its keys remember checkpoints
    (made / "mace.db").unlink()
    keys = json.loads((made / "keys.json").read_text())
    del keys["shelves"]  # as it is before the first checkpoint
    (made / "keys.json").write_text(json.dumps(keys))
    assert cli("init", str(made)).code == 0
    assert cli("log", "verify", "-C", str(made)).code == 0


def test_a_wrong_setting_is_named(cli: Cli, made: Path):
    (made / "mace.toml").write_text("chekpoint_dir = 'x'\n")
    ran = cli("log", "show", "-C", str(made), "--json")
    assert ran.code == 1
    assert "did you mean checkpoint_dir" in ran.value["developer_message"]


def test_the_doctor_finds_nothing_wrong(cli: Cli, made: Path):
    ran = cli("doctor", "-C", str(made), "--json")
    assert ran.code == 0
    assert ran.value["ok"]
    assert {item["name"]: item["state"] for item in ran.value["checks"]} == dict.fromkeys(
        (
            "python",
            "keys",
            "folder",
            "store",
            "file",
            "spill",
            "names",
            "incidents",
            "experience",
            "checkpoints",
            "disk",
            "clock",
        ),
        "ok",
    ) | {"forensic key": "warn"}
    assert ran.value["mace"]["events"] == 1
    assert ran.value["settings"]["location"] == str(made)


def test_the_doctor_looks_and_does_not_touch(cli: Cli, made: Path, tmp_path: Path):
    before = (made / "mace.db").read_bytes()
    assert cli("doctor", "-C", str(made)).code == 0
    assert (made / "mace.db").read_bytes() == before
    assert cli("doctor", "-C", str(tmp_path / "typo")).code == 1
    assert not (tmp_path / "typo").exists()


def test_the_doctor_names_keys_that_others_can_read(cli: Cli, made: Path):
    (made / "keys.json").chmod(0o644)
    ran = cli("doctor", "-C", str(made), "--json")
    assert ran.code == 1
    failed = {item["name"] for item in ran.value["checks"] if item["state"] == "fail"}
    assert failed == {"keys", "store"}
    assert any("chmod 600" in item["hint"] for item in ran.value["checks"])


def test_the_doctor_masks_a_password(cli: Cli):
    ran = cli("doctor", "-C", "postgresql://someone:secret@127.0.0.1:1/db", "--json")
    assert ran.code == 1
    assert "secret" not in ran.out + ran.err


def test_the_doctor_sees_a_clock_that_was_set_back(cli: Cli, made: Path):
    os.utime(made / "mace.db", (4e9, 4e9))
    ran = cli("doctor", "-C", str(made), "--json")
    assert ran.code == 0
    assert [item["name"] for item in ran.value["checks"] if item["state"] == "warn"] == ["forensic key", "clock"]


def test_a_rotated_key_signs_from_now_on(cli: Cli, made: Path):
    assert cli("admin", "rotate-key", "-C", str(made), "--json").value == {"key_id": "k2", "hmac_keys": ["k1", "k2"]}
    events = cli("log", "show", "system", "-C", str(made), "--json").value["events"]
    assert [event["signature"].partition(":")[0] for event in events] == ["k1.event", "k2.event", "k2.event"]
    assert cli("log", "verify", "-C", str(made)).code == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ["admin", "rotate-key"],
        ["admin", "quarantine", "x"],
        ["incident", "ack", "x"],
        ["log", "attest", "--statement", "x"],
        ["log", "unhalt", "x"],
    ],
)
def test_what_admins_do_is_for_admins(cli: Cli, made: Path, arguments: list[str]):
    ran = cli(*arguments, "-C", str(made), "--as", "user", "--json")
    assert ran.code == 1
    assert ran.value["error_code"] == "PERMISSION_DENIED"


@pytest.mark.parametrize("arguments", [["incident", "show", "x"], ["incident", "ack", "x"], ["log", "unhalt", "x"]])
def test_an_incident_that_is_not_there_is_not_found(cli: Cli, made: Path, arguments: list[str]):
    assert cli(*arguments, "-C", str(made), "--json").value["error_code"] == "NOT_FOUND"


def test_there_are_no_incidents_at_first(cli: Cli, made: Path):
    assert cli("incident", "list", "-C", str(made)).out == "No incidents.\n"
    assert cli("incident", "list", "-C", str(made), "--json").value == {"incidents": [], "incidents_in_all": 0}


def test_there_is_nothing_to_attest_at_first(cli: Cli, made: Path):
    ran = cli("log", "attest", "--statement", "all is well", "-C", str(made), "--json")
    assert ran.value["error_code"] == "INVALID_INPUT"


def _loaded() -> set[str]:
    """What was imported from files that a command was given."""
    return {name for name in sys.modules if name.startswith("mace_program_")}


@pytest.mark.breaks_its_store
@pytest.mark.parametrize(
    ("chapter", "least"),
    [("agent", 17), ("ledger", 9), ("tampering", 18), ("questions", 15), ("erasure", 17), ("experience", 17)],
)
def test_the_demo_keeps_its_promises_and_leaves_nothing(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chapter: str, least: int
):
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    (tmp_path / "mace.toml").write_text("nonsense = true\n")  # the demo must not read it
    before = list(sys.path), _loaded()
    ran = cli("demo", chapter, "--json")
    assert [item["what"] for item in ran.value["expectations"] if not item["held"]] == []
    assert ran.code == 0
    assert ran.value["ok"]
    assert ran.value["held"] == len(ran.value["expectations"]) >= least
    assert list((tmp_path / "tmp").iterdir()) == []
    assert list((tmp_path / "home").iterdir()) == []
    assert (sys.path, _loaded()) == before


@pytest.mark.breaks_its_store
def test_the_demo_leads_with_an_agent_and_is_short(cli: Cli):
    ran = cli("demo")
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert lines[1] == "Your own agent, on the record"
    assert 60 < len(lines) <= 125
    assert [line for line in lines if len(line) > 180] == []


def test_every_chapter_of_the_demo_is_named_in_its_help(cli: Cli):
    assert tuple(chapters.CHAPTERS) == demo.NAMES
    told = cli("demo", "--help").out
    assert [name for name in (*demo.NAMES, "all") if f"  {name} " not in told] == []
    assert cli("demo", "nothing").code == 2


@pytest.mark.breaks_its_store
def test_the_demo_fails_when_a_promise_is_broken(cli: Cli, monkeypatch: pytest.MonkeyPatch):
    def blind(mace: object, **options: object) -> dict[str, object]:
        return {"ok": True, "events": 9, "findings": [], "incident_id": None, "read_only": False}

    monkeypatch.setattr("mace.engine.runtime.Mace.verify", blind)
    ran = cli("demo", "--json")
    assert ran.code == 1
    assert not ran.value["ok"]
    assert json.loads(ran.out)["error_code"] == "PRECONDITION_FAILED"


@pytest.mark.breaks_its_store
def test_the_demo_stops_when_it_is_interrupted(cli: Cli, monkeypatch: pytest.MonkeyPatch):
    def interrupted(mace: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("mace.engine.runtime.Mace.verify", interrupted)
    ran = cli("demo")
    assert ran.code == 130
    assert "Traceback" not in ran.err


@pytest.mark.breaks_its_store
def test_the_demo_can_be_kept(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    ran = cli("demo", "--keep")
    assert ran.code == 0
    (kept,) = (tmp_path / "tmp").iterdir()
    assert (kept / "my-agent" / "mace.db").exists()
    assert f"cd {kept}" in ran.out


def test_a_missing_fact_is_told_in_a_whole_envelope(cli: Cli, made: Path):
    """The `meta` of an envelope says which question this was and when; a fact's own `meta` does not cover it."""
    ran = cli("-C", str(made), "fact", "get", "user/profile/user_ana/favorite_color", "--user", "ana", "--json")
    assert (ran.code, ran.value["error_code"], ran.value["status"]) == (1, "SEM_NOT_FOUND", 400)
    assert ran.value["user_message"] == (
        "I don’t have that information stored yet. If you want, tell me and I’ll remember it."
    )
    assert set(ran.value["meta"]) == {"key", "query_id", "timestamp", "trace_id"}
    assert (ran.value["exists"], ran.value["value"]) == (False, None)
