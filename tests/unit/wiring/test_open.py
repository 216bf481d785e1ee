"""Opening: two locations are refused, and an opened store holds nothing that nobody put there."""

from dataclasses import replace
from pathlib import Path

import pytest

import mace
import places
from mace.settings import Settings


def test_a_second_location_is_refused_and_neither_is_made(tmp_path: Path):
    settings = mace.settings.read(str(tmp_path / "zz"))
    with pytest.raises(mace.InvalidInput, match=r"two places: '.*other' and '.*zz'"):
        mace.open(tmp_path / "other", settings=settings)
    assert not list(tmp_path.iterdir())


def test_one_place_named_twice_is_one_place(
    mace_home: places.SqlitePlace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    settings = mace_home.settings
    place = Path(settings.location)
    monkeypatch.chdir(place.parent)
    (tmp_path / "link").symlink_to(place)
    for named in (place, f"{place}/", place.name, f"{place.name}/../{place.name}", tmp_path / "link"):
        with mace.open(named, settings=settings) as m:
            assert m.describe()["store"]["place"] == str(place / "mace.db")


def test_settings_without_a_location_take_the_programs(mace_home: places.SqlitePlace, tmp_path: Path):
    bare = replace(mace_home.settings, location="")
    with mace.open(tmp_path / "named", settings=bare):
        assert (tmp_path / "named" / "mace.db").exists()


def test_settings_without_a_location_do_not_mean_the_current_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(mace.InvalidInput, match=r"settings.location is empty"):
        mace.open(settings=Settings())
    assert not list(tmp_path.iterdir())


def test_databases_are_told_apart_and_their_passwords_are_not_told():
    settings = Settings(location="postgresql://ana:s3cret@db/one")
    with pytest.raises(mace.InvalidInput) as refused:
        mace.open("postgresql://ana:s3cret@db/two", settings=settings)
    assert "db/one" in str(refused.value)
    assert "db/two" in str(refused.value)
    assert "s3cret" not in repr(refused.value)


def test_an_opened_store_is_empty_until_the_starter_facts_are_loaded(mace_home: places.SqlitePlace):
    """`mace init` loads them; opening an existing store, or a new one from Python, writes nothing unasked."""
    with mace_home.open() as m:
        assert m.sem_list("world", "system_admin") == []
        assert m.load_starter_facts()["imported"] == 176
    with mace_home.open() as m:
        before = m.describe()["events"]
        assert len(m.sem_list("world", "system_admin")) == 176
        assert m.describe()["events"] == before
