"""`mace init --adopt`: settings beside the data move to the user's own file, and nothing is lost or believed twice."""

import shutil
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest

from mace import settings
from mace.wiring.adopting import adopt

Cli = Callable[..., Any]


@pytest.fixture
def own(home: Path) -> Path:
    """The user's own file; it is not there yet."""
    return home / ".config" / "mace" / "mace.toml"


@pytest.fixture
def made(cli: Cli, tmp_path: Path) -> Path:
    folder = tmp_path / "m"
    assert cli("init", str(folder), "--bare").code == 0
    return folder


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_a_setting_beside_the_data_stops_every_command_until_it_is_adopted(
    cli: Cli, made: Path, own: Path, tmp_path: Path
):
    shelf = tmp_path / "shelf"
    (made / "mace.toml").write_text(f"# mine\nbusy_timeout_ms = 7 # short\ncheckpoint_dir = '{shelf}'\n")
    for command in (["ask", "What is 7 * 6?"], ["log", "verify"], ["doctor"], ["init", str(made)]):
        ran = cli(*command, "-C", str(made), "--json")
        assert (ran.code, ran.value["error_code"]) == (1, "INVALID_INPUT")
        assert "MACE_CHECKPOINT_DIR" in ran.value["developer_message"]
    ran = cli("init", str(made), "--adopt", "--json")
    assert ran.code == 0
    assert ran.value["adopted"] == [
        {"name": "checkpoint_dir", "value": str(shelf), "source": str(made / "mace.toml"), "target": str(own)}
    ]
    assert (made / "mace.toml").read_text() == "# mine\nbusy_timeout_ms = 7 # short\n"
    assert tomllib.loads(own.read_text()) == {"store": {str(made): {"checkpoint_dir": str(shelf)}}}
    assert (mode(own), mode(own.parent)) == (0o600, 0o700)
    ran = cli("log", "verify", "-C", str(made))
    assert ran.code == 0  # the old shelf could be read, and the log went on in the new one
    assert list(shelf.iterdir())
    other = settings.read(str(tmp_path / "other"))
    assert other.checkpoint_dir != str(shelf)


def test_an_adopted_shelf_does_not_hide_a_cut_log(cli: Cli, made: Path, home: Path, tmp_path: Path):
    """Whoever wrote the file, and whoever adopts it: the keys remember another shelf."""
    assert cli("ask", "What is 7 * 6?", "-C", str(made)).code == 0
    with apsw.Connection(str(made / "mace.db")) as db:
        for (name,) in list(db.execute("select name from sqlite_master where type = 'trigger'")):
            db.execute(f"drop trigger {name}")
        db.execute("delete from events where position > 0")
        db.execute("delete from records where kind = 'checkpoint'")
        db.execute("delete from tiles")
    db.close()
    (made / "mace.toml").write_text(f"checkpoint_dir = '{tmp_path / 'shelf'}'\n")
    assert cli("init", str(made), "--adopt", "--json").value["error_code"] == "INTEGRITY_FAILURE"
    ran = cli("log", "verify", "-C", str(made), "--json")
    assert "LOG_CUT" in {item["kind"] for item in ran.value["findings"]}
    shutil.rmtree(home / ".local" / "state")
    ran = cli("log", "verify", "-C", str(made), "--json")
    assert "SHELF_MOVED" in {item["kind"] for item in ran.value["findings"]}
    ran = cli("doctor", "-C", str(made), "--json")
    (line,) = [item for item in ran.value["checks"] if item["name"] == "checkpoints"]
    assert line["state"] == "fail"
    assert str(home / ".local" / "state") in line["detail"]


def test_secrets_are_moved_and_not_shown(cli: Cli, made: Path, own: Path):
    persona = 'persona = """one\n\\"two\\" \\\\ three\\u007f"""\n'
    (made / "mace.toml").write_text(f"llm_api_key = 's3cret'\nllm_model = 'm'\n{persona}")
    ran = cli("init", str(made), "--adopt")
    assert ran.code == 0
    assert "s3cret" not in ran.out + ran.err
    assert not (made / "mace.toml").exists()
    found = settings.read(str(made))
    assert (found.llm_api_key, found.llm_model, found.persona) == ("s3cret", "m", 'one\n"two" \\ three\x7f')


def test_a_relative_path_means_what_it_meant(cli: Cli, made: Path, tmp_path: Path):
    (tmp_path / "mace.toml").write_text("checkpoint_dir = 'shelf'\n")
    assert cli("init", str(made), "--adopt").code == 0
    assert settings.read(str(made)).checkpoint_dir == str(tmp_path / "shelf")
    assert not (tmp_path / "mace.toml").exists()


def test_what_the_own_file_says_differently_is_refused_and_nothing_is_changed(cli: Cli, made: Path, own: Path):
    own.parent.mkdir(parents=True)
    own.write_text("user = 'ana'\n")
    (made / "mace.toml").write_text("user = 'bo'\nllm_model = 'm'\n")
    ran = cli("init", str(made), "--adopt", "--json")
    assert ran.value["error_code"] == "CONFLICT"
    assert own.read_text() == "user = 'ana'\n"
    assert "bo" in (made / "mace.toml").read_text()
    (made / "mace.toml").write_text("user = 'ana'\nllm_model = 'm'\n")  # the same: one of them goes
    assert cli("init", str(made), "--adopt").code == 0
    assert settings.read(str(made)).llm_model == "m"


def test_adopting_adds_to_the_table_that_is_there_and_goes_on_after_a_crash(cli: Cli, made: Path, own: Path):
    own.parent.mkdir(parents=True)
    own.write_text(
        f"# mine\nspill_bytes = 5001\n\n[store.'{made}'] # this one\nllm_model = 'm'\n\n[store.x]\nuser = 'ana'\n"
    )
    (made / "mace.toml").write_text("keys_file = '/k'\nllm_model = 'm'\n")
    assert [item.name for item in adopt(str(made))] == ["keys_file", "llm_model"]
    assert tomllib.loads(own.read_text()) == {
        "spill_bytes": 5001,
        "store": {str(made): {"keys_file": "/k", "llm_model": "m"}, "x": {"user": "ana"}},
    }
    (made / "mace.toml").write_text("keys_file = '/k'\n")  # as if the second write had not happened
    before = own.read_text()
    assert [item.name for item in adopt(str(made))] == ["keys_file"]
    assert own.read_text() == before
    assert not (made / "mace.toml").exists()
    assert adopt(str(made)) == []


def test_a_location_in_the_current_directory_becomes_the_users_own(cli: Cli, own: Path, tmp_path: Path):
    (tmp_path / "mace.toml").write_text("location = 'here'\nllm_model = 'm'\n")
    assert cli("init", "--bare").code == 1
    assert cli("init", "--bare", "--adopt").code == 0
    found = settings.read()
    assert (found.location, found.llm_model) == (str(tmp_path / "here"), "m")
    assert (tmp_path / "here" / "mace.db").exists()


def test_there_is_nothing_to_adopt(cli: Cli, made: Path):
    ran = cli("init", str(made), "--adopt")
    assert ran.code == 0
    assert "No setting had to be moved." in ran.err
