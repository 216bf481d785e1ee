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


def own(root: Path, text: str) -> Path:
    """The user's own file."""
    return write(root / "home" / ".config" / "mace", text)


def test_the_nearest_file_wins(environ: dict[str, str], tmp_path: Path):
    """Beside the data, then the working folder, then the user's own; a named file instead of all of them."""
    usual = own(tmp_path, "spill_bytes = 5001")
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
    assert usual.exists()
    assert elsewhere.exists()


def test_the_environment_wins_over_the_file_and_an_argument_over_both(environ: dict[str, str], tmp_path: Path):
    own(tmp_path, 'location = "from the file"\nspill_bytes = 5001\nuser = "file"')
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
    own(tmp_path, "credential_threshold = 1")
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
            assert item.metadata["secret"] or item.name in ("keys_file", "person_keys_file")


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


# Files where others may write

HARMLESS = {
    "agent_timeout_ms",
    "busy_timeout_ms",
    "dream_interval_ms",
    "dream_settle_ms",
    "llm_connect_timeout_ms",
    "llm_header_timeout_ms",
    "llm_total_timeout_ms",
    "max_repair_loops",
    "postgres_connect_timeout_s",
    "spill_bytes",
}
EXAMPLES = {str: "'/elsewhere'", int: "5000", float: "0.25", bool: "false"}
DECISIVE = sorted({item.name for item in fields(Settings)} - HARMLESS)


def test_what_may_lie_beside_the_data_is_listed_one_by_one():
    """Limits and times. Whoever adds a setting here says why it decides nothing about whom or what to trust."""
    assert {item.name for item in fields(Settings) if item.metadata["harmless"]} == HARMLESS


@pytest.mark.parametrize("where", ["data", "work"])
@pytest.mark.parametrize("name", DECISIVE)
def test_a_file_beside_the_data_or_in_the_current_directory_decides_nothing(
    environ: dict[str, str], tmp_path: Path, name: str, where: str
):
    kind = next(item.type for item in fields(Settings) if item.name == name)
    write(tmp_path / where, f"spill_bytes = 5001\n{name} = {EXAMPLES[kind]}")
    with pytest.raises(InvalidInput) as refused:
        read(str(tmp_path / "data"), {**environ, "MACE_LOCATION": "/another/place"})
    told = str(refused.value)
    assert f"MACE_{name.upper()}" in told
    assert str(tmp_path / where / "mace.toml") in told
    assert "mace init --adopt" in told
    assert "elsewhere" not in told  # it may be a secret


@pytest.mark.parametrize("name", DECISIVE)
def test_the_users_own_file_and_the_environment_decide(environ: dict[str, str], tmp_path: Path, name: str):
    kind = next(item.type for item in fields(Settings) if item.name == name)
    file = own(tmp_path, f"{name} = {EXAMPLES[kind]}")
    said = EXAMPLES[kind].strip("'")
    from_file = getattr(read(None, environ), name)
    named = {key: value for key, value in environ.items() if key != "HOME"}
    assert getattr(read(None, {**named, "HOME": "/nowhere", "MACE_CONFIG": str(file)}), name) == from_file
    file.unlink()
    assert getattr(read(None, {**environ, f"MACE_{name.upper()}": said}), name) == from_file


def test_harmless_settings_may_stay(environ: dict[str, str], tmp_path: Path):
    own(tmp_path, "busy_timeout_ms = 7\nkeys_file = '/keys'")
    write(tmp_path / "data", "busy_timeout_ms = 8")
    write(tmp_path / "work", "spill_bytes = 5001")
    found = read(str(tmp_path / "data"), environ)
    assert (found.busy_timeout_ms, found.spill_bytes, found.keys_file) == (8, 5001, "/keys")


def test_a_named_file_is_the_only_one(environ: dict[str, str], tmp_path: Path):
    write(tmp_path / "data", "keys_file = '/theirs'")
    named = write(tmp_path / "named", "keys_file = '/mine'")
    assert read(str(tmp_path / "data"), {**environ, "MACE_CONFIG": str(named)}).keys_file == "/mine"


def test_the_file_of_the_default_location_and_of_one_from_the_own_file_lie_beside_data_too(
    environ: dict[str, str], tmp_path: Path
):
    write(tmp_path / "home" / ".local" / "share" / "mace", "keys_file = '/theirs'")
    with pytest.raises(InvalidInput, match="MACE_KEYS_FILE"):
        read(None, environ)
    write(tmp_path / "data", "checkpoint_dir = '/theirs'")
    own(tmp_path, f"location = '{tmp_path / 'data'}'")
    with pytest.raises(InvalidInput, match="MACE_CHECKPOINT_DIR"):
        read(None, environ)


def test_in_the_folder_of_the_own_file_it_is_still_the_own_one(
    environ: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    file = own(tmp_path, "keys_file = '/mine'")
    monkeypatch.chdir(file.parent)
    assert read(str(tmp_path / "data"), environ).keys_file == "/mine"
    with pytest.raises(InvalidInput, match="MACE_KEYS_FILE"):
        read(str(file.parent), environ)  # but who writes the data there writes that file


def test_a_table_in_the_own_file_is_about_one_store(environ: dict[str, str], tmp_path: Path):
    data = tmp_path / "data"
    write(data, "busy_timeout_ms = 8")
    own(
        tmp_path,
        f"""
        keys_file = '/general'
        [store.'{data}']
        keys_file = '/of this one'
        busy_timeout_ms = 9
        [store.'postgresql://db/mace']
        llm_model = 'm'
        """,
    )
    assert read(str(data), environ).keys_file == "/of this one"
    assert read(f"{data}/../data", environ).busy_timeout_ms == 9
    assert read(str(tmp_path / "other"), environ).keys_file == "/general"
    assert read("postgresql://ana:s3cret@db/mace", environ).llm_model == "m"
    assert read("postgresql://ana:s3cret@db/other", environ).llm_model == ""


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("store = 3", "store in .* must be tables"),
        ("store.a = 3", "store in .* must be tables"),
        ("[store.a]\nspil_bytes = 1", r'unknown setting spil_bytes in .*\[store."a"\]; did you mean spill_bytes'),
        ("[store.a]\nlocation = 'b'", "the table's name is the location"),
        ("[store.'postgresql://x:s3cret@h/d']\nzz = 1", r'\[store."postgresql://h/d"\]'),
    ],
)
def test_a_table_with_a_mistake_is_refused_by_name(environ: dict[str, str], tmp_path: Path, text: str, complaint: str):
    own(tmp_path, text)
    with pytest.raises(InvalidInput, match=complaint):
        read("elsewhere", environ)


def test_tables_of_stores_are_for_the_own_file_alone(environ: dict[str, str], tmp_path: Path):
    write(tmp_path / "data", f"[store.'{tmp_path / 'data'}']\nkeys_file = '/theirs'")
    with pytest.raises(InvalidInput, match="unknown setting store"):
        read(str(tmp_path / "data"), environ)
