"""What lies at a location, and that nothing is made there by a typo."""

from collections.abc import Callable
from pathlib import Path

import pytest

from mace.core.errors import NotFound, PreconditionFailed
from mace.interfaces.cli import location
from mace.interfaces.cli.location import Found
from mace.settings import Settings


def _with(*names: str) -> Callable[[Path], None]:
    def make(folder: Path) -> None:
        folder.mkdir()
        for name in names:
            (folder / name).touch()

    return make


@pytest.mark.parametrize(
    ("make", "found"),
    [
        (lambda folder: None, Found.NOTHING),
        (lambda folder: folder.touch(), Found.NOT_A_FOLDER),
        (_with(), Found.NOTHING),
        (_with("mace.toml"), Found.NOTHING),
        (_with("mace.db", "keys.json"), Found.MACE),
        (_with("keys.json"), Found.MACE),
        (_with("mace.db"), Found.KEYLESS),
        (_with("letter.txt"), Found.FOREIGN),
        (_with("mace.toml", ".git"), Found.FOREIGN),
    ],
)
def test_what_a_location_holds(tmp_path: Path, make: Callable[[Path], None], found: Found):
    folder = tmp_path / "here"
    make(folder)
    assert location.look(Settings(location=str(folder))) is found


def test_keys_may_lie_elsewhere(tmp_path: Path):
    (tmp_path / "mace.db").touch()
    settings = Settings(location=str(tmp_path), keys_file=str(tmp_path.parent / "k.json"))
    assert location.look(settings) is Found.KEYLESS
    (tmp_path.parent / "k.json").touch()
    assert location.look(settings) is Found.MACE


def test_a_database_is_asked_itself():
    location.must_be_there(Settings(location="postgresql://host/db"))


def test_nothing_is_opened_where_nothing_is(tmp_path: Path):
    with pytest.raises(NotFound) as caught:
        location.must_be_there(Settings(location=str(tmp_path / "typo")))
    assert "mace init" in caught.value.details["hint"]


def test_a_log_without_its_keys_is_not_given_new_ones(tmp_path: Path):
    (tmp_path / "mace.db").touch()
    with pytest.raises(PreconditionFailed):
        location.must_be_there(Settings(location=str(tmp_path)))
