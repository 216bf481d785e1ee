"""The commands of the forensic store: where its key may lie, and that every look inside is on the record."""

import json
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import mace

Cli = Callable[..., Any]


@pytest.fixture
def made(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    assert cli("init", "--bare", str(tmp_path / "m")).code == 0
    monkeypatch.setenv("MACE_LOCATION", str(tmp_path / "m"))
    return tmp_path / "m"


def _ok(ran: Any) -> Any:
    assert ran.code == 0, ran.out + ran.err
    return ran.value


def test_the_forensic_key_lies_elsewhere(cli: Cli, made: Path, tmp_path: Path):
    (tmp_path / "link").symlink_to(made)
    for inside in (made / "f.key", made / "sub" / ".." / "f.key", tmp_path / "link" / "f.key"):
        refused = cli("admin", "forensic-key", str(inside), "--json")
        assert (refused.code, refused.value["error_code"]) == (1, "INVALID_INPUT")
    assert not (made / "f.key").exists()
    file = tmp_path / "f.key"
    value = _ok(cli("admin", "forensic-key", str(file), "--json"))
    private = file.read_text().strip()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert private.startswith("mace-forensic-private-")
    assert private not in json.dumps(value)
    again = cli("admin", "forensic-key", str(file), "--json")
    assert (again.code, again.value["error_code"]) == (1, "CONFLICT")
    assert file.read_text().strip() == private
    raw = b"".join(path.read_bytes() for path in made.rglob("*") if path.is_file())
    assert private.removeprefix("mace-forensic-private-").encode() not in raw


def test_a_key_that_was_not_set_is_not_left_behind(cli: Cli, made: Path, tmp_path: Path):
    _ok(cli("account", "create", "root", "--role", "admin", "--json"))
    refused = cli("admin", "forensic-key", str(tmp_path / "f.key"), "--user", "root", "--json")
    assert (refused.code, refused.value["error_code"]) == (1, "AUTH_ERROR")
    assert not (tmp_path / "f.key").exists()
    assert cli("admin", "forensic-key", str(tmp_path / "no" / "f.key"), "--json").code == 1


def test_evidence_is_read_with_the_key_and_on_the_record(cli: Cli, made: Path, tmp_path: Path):
    _ok(cli("admin", "forensic-key", str(tmp_path / "f.key"), "--json"))
    with mace.open(str(made)) as m:
        m.incidents.report_violation("math_agent", "wrote where it may not", evidence={"wrote": "a secret"})
    entry = _ok(cli("admin", "forensics", "list", "--json"))["entries"][0]["entry_id"]
    assert entry in cli("admin", "forensics", "list").out
    without = cli("admin", "forensics", "read", entry, "--purpose", "an audit", "--json")
    assert (without.code, without.value["error_code"]) == (1, "INVALID_INPUT")
    read = ("admin", "forensics", "read", entry, "--key-file", str(tmp_path / "f.key"))
    assert "a secret" in json.dumps(_ok(cli(*read, "--purpose", "an audit", "--json"))["content"])
    assert cli(*read).code == 2
    assert cli(*read, "--purpose", "call 212-555-0198", "--json").value["error_code"] == "INVALID_INPUT"
    events = _ok(cli("log", "show", "system", "--limit", "100", "--json"))["events"]
    assert sum(item["event_type"] == "admin_access_event" for item in events) == 2


@pytest.mark.skipif(os.name != "posix", reason="modes are those of POSIX")
def test_a_wide_umask_widens_no_secret(cli: Cli, made: Path, tmp_path: Path):
    before = os.umask(0)
    try:
        _ok(cli("admin", "forensic-key", str(tmp_path / "f.key"), "--json"))
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "f.key").stat().st_mode) == 0o600
