"""A data directory that cannot be used, a spill file that is none, a clock before 1970: told as what they are."""

import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import governed
import places
from mace.core.errors import PreconditionFailed, ServiceUnavailable

_CHILD = """
import json, os, sys
import mace, mace.wiring, mace.storage.sqlite
from mace.core.errors import MaceError
from mace.settings import Settings
if os.getuid() == 0:
    os.seteuid(65534)  # who may not read everything
try:
    if sys.argv[2] == "settings":
        mace.open(settings=Settings(location=sys.argv[1], checkpoint_dir=sys.argv[1] + "/../checks"))
    else:
        mace.open(sys.argv[1], read_only=sys.argv[2] == "read_only")
    print(json.dumps("opened"))
except MaceError as error:
    print(json.dumps([error.code, str(error)]))
"""


def _as_somebody_else(location: Path, how: str) -> Any:
    ran = subprocess.run(
        [sys.executable, "-c", _CHILD, str(location), how],
        env={"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "HOME": "/nonexistent"},
        cwd="/",
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr[-2000:]
    return json.loads(ran.stdout)


@pytest.mark.parametrize("how", ["settings", "plain", "read_only"])
def test_a_directory_that_may_not_be_read_is_told_by_its_name(tmp_path: Path, how: str):
    place = places.SqlitePlace(tmp_path)
    place.open().close()
    place.folder.chmod(0)
    try:
        code, told = _as_somebody_else(place.folder, how)
    finally:
        place.folder.chmod(0o700)
    assert code == "SERVICE_UNAVAILABLE"
    assert str(place.folder) in told
    assert "Permission denied" in told


def test_a_directory_in_place_of_the_spill_file_is_told_by_its_name(mace_home: places.SqlitePlace):
    mace_home.open().close()
    spill = mace_home.folder / "spill.bin"
    spill.unlink()
    spill.mkdir()
    with pytest.raises(ServiceUnavailable, match=r"spill\.bin"):
        mace_home.open()
    spill.rmdir()
    with mace_home.open() as m:
        assert m.verify()["ok"]


def test_a_huge_spill_file_is_told_and_cut(mace_home: places.SqlitePlace):
    mace_home.open().close()
    spill = mace_home.folder / "spill.bin"
    os.truncate(spill, 1 << 30)
    with mace_home.open() as m:
        m.ask("12 + 30")
        assert "1073741824" in str([event["payload"] for event in m.events("system")])
        assert spill.stat().st_size <= 16 << 20
        assert m.verify()["ok"]


def test_a_clock_before_1970_lets_nobody_prove_anything(tmp_path: Path):
    house = governed.House(tmp_path)
    try:
        house.account("root", "admin")
        house.clock.at = datetime(1960, 1, 1, tzinfo=UTC)
        with pytest.raises(PreconditionFailed, match="clock"):
            house.m.owner("root", totp="123456")
    finally:
        house.close()
