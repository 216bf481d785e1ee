"""Settings: where a value comes from, what is refused and how that is said, and that no secret is shown."""

import os
import subprocess
import sys
from dataclasses import fields, replace
from pathlib import Path

import pytest

from mace import settings as settings_module
from mace.core.errors import InvalidInput
from mace.settings import Settings, read


@pytest.fixture
def environ(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """An environment with a home of its own and a working folder without a settings file."""
    for name in ("home", "work"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return {"HOME": str(tmp_path / "home"), "USER": "tuff"}


def test_without_anything_there_are_defaults(environ: dict[str, str]):
    found = read(None, environ)
    home = environ["HOME"]
    assert found.location == f"{home}/.local/share/mace"
    assert found.checkpoint_dir == f"{home}/.local/state/mace/checkpoints"
    assert found.user == "tuff"
    assert found.checkpoint_interval_ms == 1000
    assert found.spill_bytes == 1 << 20
    assert not found.is_postgres


def test_state_lies_where_the_environment_says(environ: dict[str, str], tmp_path: Path):
    assert read(None, {**environ, "XDG_STATE_HOME": str(tmp_path / "state")}).checkpoint_dir == str(
        tmp_path / "state" / "mace" / "checkpoints"
    )


@pytest.mark.parametrize(
    ("variables", "user"),
    [({}, "owner"), ({"LOGNAME": "ana"}, "ana"), ({"USER": "bo", "LOGNAME": "ana"}, "bo"), ({"MACE_USER": "cy"}, "cy")],
)
def test_whom_the_command_line_acts_for(environ: dict[str, str], variables: dict[str, str], user: str):
    del environ["USER"]
    assert read(None, {**environ, **variables}).user == user


def write(folder: Path, text: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "mace.toml"
    file.write_text(text, "utf-8")
    return file


def test_the_nearest_file_counts_alone(environ: dict[str, str], tmp_path: Path):
    """Beside the data, then the working folder, then the user's own; a named file instead of all of them."""
    own = write(tmp_path / "home" / ".config" / "mace", "spill_bytes = 5001")
    assert read(None, environ).spill_bytes == 5001
    here = write(tmp_path / "work", "spill_bytes = 5002")
    assert read(None, environ).spill_bytes == 5002
    beside = write(tmp_path / "data", "spill_bytes = 5003")
    assert read(str(tmp_path / "data"), environ).spill_bytes == 5003
    assert read("postgresql://host/db", environ).spill_bytes == 5002
    named = write(tmp_path / "named", "spill_bytes = 5004")
    assert read(str(tmp_path / "data"), {**environ, "MACE_CONFIG": str(named)}).spill_bytes == 5004
    for file in (here, beside, named):
        file.unlink()
    assert read(None, environ).spill_bytes == 5001
    elsewhere = write(tmp_path / "config" / "mace", "spill_bytes = 5005")
    assert read(None, {**environ, "XDG_CONFIG_HOME": str(tmp_path / "config")}).spill_bytes == 5005
    assert own.exists()
    assert elsewhere.exists()


def test_the_environment_wins_over_the_file_and_an_argument_over_both(environ: dict[str, str], tmp_path: Path):
    write(tmp_path / "work", 'location = "from the file"\nspill_bytes = 5001\nuser = "file"')
    assert read(None, environ).location == "from the file"
    variables = {**environ, "MACE_LOCATION": "from the environment", "MACE_SPILL_BYTES": "5002"}
    found = read(None, variables)
    assert (found.location, found.spill_bytes, found.user) == ("from the environment", 5002, "file")
    assert read("from the argument", variables).location == "from the argument"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("spil_bytes = 1", "unknown setting spil_bytes in .*mace.toml; did you mean spill_bytes"),
        ("chekpoint_dir = 'x'", "did you mean checkpoint_dir"),
        ("zzz = 1", r"unknown setting zzz in .*mace.toml$"),
        ("spill_bytes = '5000'", "spill_bytes in .* must be of type int"),
        ("spill_bytes = 5000.0", "spill_bytes in .* must be of type int"),
        ("spill_bytes = true", "spill_bytes in .* must be of type int"),
        ("location = 7", "location in .* must be of type str"),
        ("llm_needs_key = 1", "llm_needs_key in .* must be of type bool"),
        ("spill_bytes = 4095", "spill_bytes in .* must be at least 4096"),
        ("checkpoint_interval_ms = -1", "must be at least 0"),
        ("postgres_connect_timeout_s = 0", "must be at least 1"),
        ("[section]\nspill_bytes = 5000", "unknown setting section"),
        ("spill_bytes = ", "cannot read .*mace.toml"),
        ("spill_bytes = 1\nspill_bytes = 2", "cannot read .*mace.toml"),
    ],
)
def test_a_file_with_a_mistake_is_refused_by_name(environ: dict[str, str], tmp_path: Path, text: str, complaint: str):
    write(tmp_path / "work", text)
    with pytest.raises(InvalidInput, match=complaint):
        read(None, environ)


@pytest.mark.parametrize(
    ("name", "value", "complaint"),
    [
        ("MACE_SPILL_BYTES", "many", "MACE_SPILL_BYTES must be of type int"),
        ("MACE_SPILL_BYTES", "", "MACE_SPILL_BYTES must be of type int"),
        ("MACE_SPILL_BYTES", "4095", "spill_bytes in the environment must be at least 4096"),
        ("MACE_LLM_NEEDS_KEY", "perhaps", "MACE_LLM_NEEDS_KEY must be of type bool"),
        ("MACE_CREDENTIAL_THRESHOLD", "high", "MACE_CREDENTIAL_THRESHOLD must be of type float"),
        ("MACE_CONFIG", "/nowhere/mace.toml", "cannot read /nowhere/mace.toml"),
        ("MACE_LLM_MODLE", "x", r"unknown setting MACE_LLM_MODLE in the environment; did you mean MACE_LLM_MODEL\?"),
        ("MACE_KEY_FILE", "x", r"unknown setting MACE_KEY_FILE in the environment; did you mean MACE_KEYS_FILE\?"),
        ("MACE_llm_model", "x", "unknown setting MACE_llm_model in the environment"),
        ("MACE_ZZZZZZZZ", "x", "unknown setting MACE_ZZZZZZZZ in the environment$"),
        ("MACE_", "x", "unknown setting MACE_ in the environment"),
        ("MACE_CONFIGS", "x", "unknown setting MACE_CONFIGS in the environment"),
        ("MACE_PORT", "8080", "unknown setting MACE_PORT in the environment"),
    ],
)
def test_a_variable_with_a_mistake_is_refused_by_name(environ: dict[str, str], name: str, value: str, complaint: str):
    with pytest.raises(InvalidInput, match=complaint):
        read(None, {**environ, name: value})


def test_a_file_that_is_no_text_is_refused(environ: dict[str, str], tmp_path: Path):
    (tmp_path / "work" / "mace.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(InvalidInput, match="cannot read"):
        read(None, environ)


def test_a_refused_variable_is_named_without_its_value(environ: dict[str, str]):
    with pytest.raises(InvalidInput) as refused:
        read(None, {**environ, "MACE_LLM_APIKEY": "s3cret"})
    assert "did you mean MACE_LLM_API_KEY?" in str(refused.value)
    assert "s3cret" not in repr(refused.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MACEDONIA", "y"),
        ("mace_llm_modle", "y"),
        ("MACE_ALWAYS_REPLAY", "1"),
        ("MACE_TEST_POSTGRES_URL", "y"),
        ("MACE_BENCH_POSTGRES_URL", "y"),
        ("MACE_SERVICE_HOST", "10.0.0.1"),
        ("MACE_SERVICE_PORT", "80"),
        ("MACE_SERVICE_PORT_HTTP", "80"),
        ("MACE_PORT", "tcp://10.0.0.1:80"),
        ("MACE_PORT_80_TCP", "tcp://10.0.0.1:80"),
        ("MACE_PORT_80_TCP_ADDR", "10.0.0.1"),
        ("MACE_CONSOLE_SERVICE_HOST", "10.0.0.1"),
        ("MACE_CONSOLE_PORT", "tcp://10.0.0.1:80"),
    ],
)
def test_variables_of_others_are_left_alone(environ: dict[str, str], name: str, value: str):
    assert read(None, {**environ, name: value}) == read(None, environ)


def test_settings_are_at_hand_after_importing_mace():
    program = "import mace; print(mace.settings.read('here').location)"
    environment = {"PYTHONPATH": os.pathsep.join(sys.path), "HOME": "/nowhere"}
    ran = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert ran.stdout == "here\n"


@pytest.mark.parametrize(("text", "value"), [("true", True), ("YES", True), ("1", True), ("no", False), ("0", False)])
def test_yes_and_no_in_variables(environ: dict[str, str], text: str, value: bool):
    assert read(None, {**environ, "MACE_LLM_NEEDS_KEY": text}).llm_needs_key is value


def test_a_whole_number_is_a_number_too(environ: dict[str, str], tmp_path: Path):
    write(tmp_path / "work", "credential_threshold = 1")
    found = read(None, environ).credential_threshold
    assert (found, type(found)) == (1.0, float)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://ana:s3cret@db:5432/mace", "postgresql://ana:********@db:5432/mace"),
        ("postgres://ana:s3cret@db/mace?sslmode=require", "postgres://ana:********@db/mace?sslmode=require"),
        ("postgresql://ana:p@ss@db/mace", "postgresql://ana:********@db/mace"),
        ("postgresql://ana:p/w?x#y@db/mace", "postgresql://ana:********@db/mace"),
        ("postgresql://:s3cret@db/mace", "postgresql://:********@db/mace"),
        ("postgresql://db/mace?user=ana&password=s3cret", "postgresql://db/mace?user=ana&password=********"),
        ("postgresql://db/mace?password=s3cret&user=ana", "postgresql://db/mace?password=********&user=ana"),
        ("postgresql://db/mace?sslpassword=s3cret", "postgresql://db/mace?sslpassword=********"),
        ("postgresql://ana@db/mace", "postgresql://ana@db/mace"),
        ("postgresql://db:5432/mace", "postgresql://db:5432/mace"),
        ("postgresql://ana:s3cret@[broken/mace", "postgresql://ana:********@[broken/mace"),
        ("/data/mace", "/data/mace"),
    ],
)
def test_a_password_in_a_url_is_masked_and_the_rest_is_shown(url: str, shown: str):
    made = Settings(location=url)
    assert made.shown()["location"] == shown
    assert "s3cret" not in repr(made)
    assert made.location == url


def test_settings_marked_secret_are_masked_everywhere():
    secret = [item.name for item in fields(Settings) if item.metadata["secret"]]
    assert {"llm_api_key", "llm_backup_api_key"} <= set(secret)
    made = replace(Settings(), **dict.fromkeys(secret, "s3cret"))
    assert {made.shown()[name] for name in secret} == {"********"}
    assert "s3cret" not in repr(made)
    assert {Settings().shown()[name] for name in secret} == {""}  # that there is none may be seen


def test_every_setting_says_what_it_means_and_no_name_of_a_key_is_shown():
    for item in fields(Settings):
        assert item.metadata["meaning"]
        if any(word in item.name for word in ("key", "password", "token", "secret")) and item.type is str:
            assert item.metadata["secret"] or item.name == "keys_file"


@pytest.mark.parametrize(
    ("location", "is_postgres"),
    [("postgres://x", True), ("postgresql://x", True), ("/postgres", False), ("postgresql", False), ("", False)],
)
def test_a_url_of_postgresql_is_told_from_a_folder(location: str, is_postgres: bool):
    assert Settings(location=location).is_postgres is is_postgres


def test_only_this_module_reads_the_environment(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MACE_SPILL_BYTES", "5001")
    assert settings_module.read(None).spill_bytes == 5001
    assert Settings().spill_bytes == 1 << 20
