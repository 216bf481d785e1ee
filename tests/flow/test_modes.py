"""With a umask that gives everything to everybody: nobody but the owner can look at what MACE makes."""

import json
import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import places
from mace import wiring
from mace.interfaces.cli import main
from payloads import log_payload


@pytest.fixture
def umask_0() -> Iterator[None]:
    before = os.umask(0)
    try:
        yield
    finally:
        os.umask(before)


def open_to_others(root: Path) -> list[str]:
    """Everything under a folder that somebody else may read, write or enter."""
    return sorted(
        f"{path.relative_to(root)} {path.lstat().st_mode & 0o777:04o}"
        for path in root.rglob("*")
        if path.lstat().st_mode & 0o077 and not path.is_symlink()
    )


PROGRAM = """
import os, sys
os.umask(0)
import mace
from mace.interfaces.cli import main
store = sys.argv[1]
with mace.open(store) as m:
    m.sem_put("user/ana/profile/colour", "blue", "user", user_id="ana")
    m.ask("What is 7 * 6?", user_id="ana")
    m.rotate_key()
    m.checkpoint()
    names = sorted(os.listdir(store))
    assert {"keys.json", "keys.json.lock", "mace.db", "mace.db-shm", "mace.db-wal", "spill.bin"} <= set(names), names
    modes = {name: oct(os.stat(os.path.join(store, name)).st_mode & 0o777) for name in names}
    assert set(modes.values()) == {"0o600"}, modes
for command in (
    ["log", "export", os.path.join(os.environ["HOME"], "out", "log.jsonl")],
    ["log", "checkpoint"],
    ["context", "tea", "--store", sys.argv[2]],
):
    assert main([*command, "-C", store, "-q"]) == 0, command
"""


def test_whatever_mace_makes_is_its_owners_alone(tmp_path: Path):
    home = tmp_path / "home"
    for folder in (home, home / "out"):
        folder.mkdir(mode=0o700)
    passages = tmp_path / "passages.jsonl"
    passages.write_text(json.dumps({"id": "1", "text": "tea is a drink", "tags": []}) + "\n")
    passages.chmod(0o600)
    environment = {"HOME": str(home), "PYTHONPATH": os.pathsep.join(sys.path), "PATH": os.environ["PATH"]}
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(home / "deep" / "down" / "store"), str(passages)],
        env=environment,
        cwd=home,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert (home / "out" / "log.jsonl").exists()
    assert (home / ".cache" / "mace").exists()
    assert (home / ".local" / "state" / "mace" / "checkpoints").exists()
    assert open_to_others(home) == []


@pytest.mark.usefixtures("umask_0")
def test_on_postgresql_too(place: places.Place, tmp_path: Path):
    with place.open() as mace:
        mace.write_reflective_log(log_payload("1"))
        mace.rotate_key()
        mace.checkpoint()
    assert open_to_others(place.folder) == []
    assert open_to_others(place.shelf) == []


def test_files_of_before_are_closed_at_the_next_opening_and_a_folder_is_named(
    mace_home: places.SqlitePlace, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    with mace_home.open():
        pass
    mace_home.file.chmod(0o644)
    mace_home.folder.chmod(0o755)
    with mace_home.open():
        assert open_to_others(mace_home.folder) == []
    assert mace_home.folder.stat().st_mode & 0o777 == 0o755  # its owner's choice
    monkeypatch.setenv("MACE_CHECKPOINT_DIR", mace_home.settings.checkpoint_dir)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert main(["doctor", "-C", str(mace_home.folder), "--json"]) == 0
    told = capsys.readouterr()
    checks = {item["name"]: item for item in json.loads(told.out)["checks"]}
    assert checks["folder"]["state"] == "warn"
    assert checks["folder"]["hint"] == f"run: chmod 700 {mace_home.folder}"
    assert "has mode 0755: others can look into it" in told.err  # by every command that opens it; once a process
    mace_home.folder.chmod(0o700)
    main(["fact", "list", "-C", str(mace_home.folder)])
    assert "others can look" not in capsys.readouterr().err


@pytest.mark.usefixtures("umask_0")
def test_closing_an_open_database_takes_no_lock_from_whoever_has_it_open(mace_home: places.SqlitePlace):
    """Modes are changed by name: a descriptor of our own would drop SQLite's locks when it is closed."""
    with mace_home.open() as first:
        mace_home.file.chmod(0o644)
        with wiring.open_mace(settings=mace_home.settings) as second:
            assert second.sem_put("world/fact/a/b", 1, "system_admin")["success"]
        assert first.sem_put("world/fact/a/b", 2, "system_admin")["success"]
        assert f":{mace_home.file.stat().st_ino} " in Path("/proc/locks").read_text()
        assert first.verify()["ok"]


def test_a_folder_that_others_can_enter_is_named_when_a_store_is_made_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    monkeypatch.setenv("HOME", str(tmp_path))
    folder = tmp_path / "open"
    folder.mkdir()
    folder.chmod(0o755)
    logging.getLogger("mace").addHandler(caplog.handler)
    try:
        assert main(["init", str(folder), "--bare", "--json"]) == 0
    finally:
        logging.getLogger("mace").removeHandler(caplog.handler)
    assert f"{folder} has mode 0755" in caplog.text
    assert open_to_others(folder) == []
