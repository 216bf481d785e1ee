"""What `mace init` lets one choose: how users are told apart, and a forensic key; asked for on a terminal alone."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from mace.interfaces.cli import forensic_choice

from .conftest import Cli

PUBLIC = "mace-forensic-public-"
PRIVATE = "mace-forensic-private-"


def test_without_a_terminal_nothing_is_asked_and_the_missing_key_is_said(cli: Cli, tmp_path: Path):
    ran = cli("init", "--bare", str(tmp_path / "m"))
    assert ran.code == 0
    assert "what is erased cannot be restored" in ran.out
    assert "Make one now?" not in ran.out + ran.err
    said = cli("doctor", "-C", str(tmp_path / "m"), "--json").value
    (check,) = [item for item in said["checks"] if item["name"] == "forensic key"]
    assert (check["state"], "mace admin forensic-key" in check["hint"]) == ("warn", True)
    assert said["mace"]["forensic_key"] is None
    assert cli("init", "--bare", "--no-forensic-key", str(tmp_path / "n"), "--json").value["forensic_key"] is None


def test_a_new_pair_goes_to_a_file_outside_the_store(cli: Cli, tmp_path: Path):
    where, file = tmp_path / "m", tmp_path / "forensic.key"
    inside = cli("init", "--bare", str(where), "--forensic-key", str(where / "inside.key"), "--json")
    assert inside.value["error_code"] == "INVALID_INPUT"
    assert not (where / "inside.key").exists()
    made = cli("init", "--bare", str(where), "--forensic-key", str(file), "--json")
    assert made.value["forensic_key"] == 0
    private = file.read_text().strip()
    assert private.startswith(PRIVATE) and file.stat().st_mode & 0o777 == 0o600
    assert private not in made.out + made.err
    for found in where.rglob("*"):
        assert not found.is_file() or private.removeprefix(PRIVATE).encode() not in found.read_bytes()
    again = cli("init", "--bare", str(where), "--forensic-key", str(file), "--json")
    assert again.value["error_code"] == "CONFLICT"  # the file is there, and was not overwritten
    assert file.read_text().strip() == private
    assert [item["state"] for item in cli("doctor", "-C", str(where), "--json").value["checks"]].count("warn") == 0


def test_a_public_key_that_somebody_has_is_used(cli: Cli, tmp_path: Path):
    from mace.providers.forensic_box import HpkeBox

    _, public = HpkeBox().generate()
    where = str(tmp_path / "m")
    assert cli("init", "--bare", where, "--forensic-key", public, "--json").value["forensic_key"] == 0
    events = cli("log", "show", "system", "-C", where, "--json").value["events"]
    assert public in [event["payload"].get("public_key") for event in events]
    bad = cli("init", "--bare", str(tmp_path / "n"), "--forensic-key", PUBLIC + "00", "--json")
    assert bad.value["error_code"] == "INVALID_INPUT"


@pytest.mark.parametrize(
    "words",
    [
        ("--forensic-key", "a.key", "--no-forensic-key"),
        ("--user-ids", "letters"),
    ],
)
def test_wrong_choices_are_wrong_usage(cli: Cli, tmp_path: Path, words: tuple[str, ...]):
    assert cli("init", "--bare", str(tmp_path / "m"), *words).code == 2


def test_user_ids_are_chosen_and_fixed_once_there_are_people(cli: Cli, tmp_path: Path):
    where = str(tmp_path / "m")
    made = cli("init", "--bare", where, "--user-ids", "opaque", "--json").value
    assert made["user_ids"] == "opaque"
    assert cli("init", where, "--json").value["user_ids"] == "opaque"
    for who, food in (("aB3x", "soup"), ("Ab3x", "rice")):
        assert cli("ask", f"My favorite food is {food}", "-C", where, "--user", who).code == 0
    for who, food in (("aB3x", "soup"), ("Ab3x", "rice")):
        assert food in cli("ask", "What is my favorite food?", "-C", where, "--user", who).out
    refused = cli("init", where, "--user-ids", "names", "--json").value
    assert refused["error_code"] == "CONFLICT"
    assert "user_ids is opaque in this store and it has people" in refused["developer_message"]
    assert "opaque" in cli("doctor", "-C", where).out
    assert "one person" in cli("init", "--bare", str(tmp_path / "n")).out  # names, told as what they are


def _on_a_terminal(arguments: list[str], answers: str, home: Path) -> str:
    """Run `mace` on a terminal of its own and answer its questions; everything it showed."""
    master, slave = pty.openpty()
    program = "import sys; from mace.interfaces.cli import main; sys.exit(main(sys.argv[1:]))"
    environment = {**os.environ, "HOME": str(home), "NO_COLOR": "1"}
    with subprocess.Popen(
        [sys.executable, "-c", program, *arguments], stdin=slave, stdout=slave, stderr=slave, env=environment
    ) as ran:
        os.close(slave)
        os.write(master, answers.encode())
        shown = b""
        while True:
            try:
                part = os.read(master, 4096)
            except OSError:  # the other end was closed
                break
            if not part:
                break
            shown += part
    os.close(master)
    assert ran.returncode == 0, shown
    return shown.decode()


def test_on_a_terminal_it_is_asked_for_and_written(home: Path, cli: Cli, tmp_path: Path):
    where, file = tmp_path / "m", tmp_path / "forensic.key"
    inside = where / "inside.key"
    shown = _on_a_terminal(["init", "--bare", str(where)], f"y\n{inside}\n{file}\n", home)
    assert "Make one now?" in shown and "must not be written inside the store" in shown
    assert file.read_text().startswith(PRIVATE) and not inside.exists()
    assert cli("doctor", "-C", str(where), "--json").value["mace"]["forensic_key"] == 0


def test_on_a_terminal_it_may_be_shown_once_or_declined(home: Path, cli: Cli, tmp_path: Path):
    shown = _on_a_terminal(["init", "--bare", str(tmp_path / "m")], "y\n-\n", home)
    assert PRIVATE in shown
    assert cli("doctor", "-C", str(tmp_path / "m"), "--json").value["mace"]["forensic_key"] == 0
    shown = _on_a_terminal(["init", "--bare", str(tmp_path / "n")], "n\n", home)
    assert PRIVATE not in shown and "cannot be restored" in shown.replace("\r\n", "\n")
    shown = _on_a_terminal(["init", "--bare", str(tmp_path / "n")], "", home)  # it is there: nobody asks again
    assert "Make one now?" not in shown
    quiet = _on_a_terminal(["init", "--bare", "--json", str(tmp_path / "o")], "", home)
    assert json.loads(quiet[quiet.index("{") :])["forensic_key"] is None


def test_what_a_store_says_of_its_key():
    assert "cannot be restored" in forensic_choice.in_words(None, shared=False)
    assert "nothing can be erased" in forensic_choice.in_words(None, shared=True)
    assert "number 0" in forensic_choice.in_words(0, shared=False)
