"""The tail of a log is cut, checkpoints in the database are deleted, and the shelf is pointed elsewhere or emptied."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

import attacks
import places
from mace import settings as settings_module
from mace import wiring
from mace.core.errors import IntegrityFailure, InvalidInput, PreconditionFailed

CUT = 20


def cut(place: places.Place) -> None:
    """Take the newest events, and every checkpoint that the database knows of."""
    with place.sql() as sql:
        ((size,),) = sql("select max(position) + 1 from events")
        sql("delete from events where position >= ?", (size - CUT,))
        sql("delete from records where kind = ?", ("checkpoint",))
        sql("delete from tiles")
        if place.kind == "postgres":
            sql("update ledger_head set size = ?", (size - CUT,))


def kinds(place: places.Place) -> set[str]:
    with place.open(read_only=True) as mace:
        found = mace.verify()
        assert found["ok"] is False
        return {item["kind"] for item in found["findings"]}


@pytest.fixture
def moved(built: places.Place, tmp_path: Path) -> places.Place:
    """The same store with its settings pointing to a shelf that was never used; the keys are where they were."""
    keys = str(built.folder / "keys.json")
    built.settings = replace(built.settings, checkpoint_dir=str(tmp_path / "elsewhere" / "checkpoints"), keys_file=keys)
    return built


def test_an_empty_shelf_elsewhere_hides_nothing_while_the_old_one_can_be_read(moved: places.Place):
    cut(moved)
    assert "LOG_CUT" in kinds(moved)
    with moved.open() as mace, pytest.raises(IntegrityFailure, match="run verify"):
        mace.checkpoint()


def test_an_empty_shelf_elsewhere_is_found_when_the_old_one_is_gone(moved: places.Place, tmp_path: Path):
    cut(moved)
    shutil.rmtree(tmp_path / "copy" / "state" / "checkpoints")
    with moved.open() as mace:
        attacks.append(mace, "more")
        with pytest.raises(IntegrityFailure, match="set checkpoint_dir"):
            mace.checkpoint()
    attacks.assert_found(moved, [("SHELF_MOVED", {"table": "checkpoints"})], new_epoch=False)


def test_an_older_copy_of_the_shelf_elsewhere_is_found(moved: places.Place, tmp_path: Path):
    """Notes alone prove nothing: those that the cut tail denies are left out."""
    old = tmp_path / "copy" / "state" / "checkpoints"
    shutil.copytree(old, moved.settings.checkpoint_dir)
    history = next(Path(moved.settings.checkpoint_dir).iterdir()) / "history.notes"
    first = history.read_bytes().split(b"\x1e")[0]
    history.write_bytes(first + b"\x1e")
    (history.parent / "latest.note").write_bytes(first)
    shutil.rmtree(old)
    cut(moved)
    assert "SHELF_MOVED" in kinds(moved)


def test_an_emptied_shelf_is_found_and_the_word_about_it_covers_it_once(built: places.Place):
    shutil.rmtree(built.shelf)
    expected = [("SHELF_MOVED", {"table": "checkpoints"})]
    attacks.assert_found(built, expected, again=lambda _sql: shutil.rmtree(built.shelf), new_epoch=False)
    assert kinds(built) == {"SHELF_MOVED"}


def test_a_shelf_that_moves_by_right_is_followed(moved: places.Place, tmp_path: Path):
    """The old one can be read, the log agrees with it, and goes on in the new one; then the old one may go."""
    with moved.open() as mace:
        assert mace.describe()["shelf"] == "followed"
        assert mace.verify()["ok"]
        mace.checkpoint()
        assert mace.describe()["shelf"] == "here"
        assert mace.describe()["checkpoints_were_in"] == mace.describe()["checkpoints_kept_in"]
    shutil.rmtree(tmp_path / "copy" / "state" / "checkpoints")
    with moved.open() as mace:
        assert mace.verify()["ok"]
    cut(moved)
    assert "LOG_CUT" in kinds(moved)


def test_a_shelf_that_is_gone_is_followed_once_an_admin_has_answered_for_it(moved: places.Place, tmp_path: Path):
    shutil.rmtree(tmp_path / "copy" / "state" / "checkpoints")
    with moved.open() as mace:
        assert mace.describe()["shelf"] == "moved"
        mace._parts.attestation.attest("ana", [dict(item) for item in mace.verify()["findings"]], "the disk died")
        mace.checkpoint()
        assert mace.describe()["shelf"] == "here"
        assert mace.verify()["ok"]


def test_key_files_of_before_remember_from_the_first_checkpoint_on(built: places.Place):
    path = built.folder / "keys.json"
    content = json.loads(path.read_text())
    del content["shelves"]
    path.write_text(json.dumps(content))
    with built.open() as mace:
        assert mace.describe()["shelf"] == "new"
        assert mace.verify()["ok"]
        mace.checkpoint()
    assert built.settings.checkpoint_dir in path.read_text()
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_settings_file_beside_the_data_points_nowhere(mace_home: places.SqlitePlace, tmp_path: Path):
    """Cut tail, deleted checkpoints, and a `mace.toml` that names another shelf: the opening stops."""
    attacks.build(mace_home)
    cut(mace_home)
    (mace_home.folder / "mace.toml").write_text("checkpoint_dir = '/tmp/elsewhere'\n")
    with pytest.raises(InvalidInput, match="MACE_CHECKPOINT_DIR"):
        wiring.open_mace(mace_home.settings.location)
    environ = {"HOME": str(tmp_path), "MACE_CHECKPOINT_DIR": mace_home.settings.checkpoint_dir}
    with pytest.raises(InvalidInput, match="MACE_CHECKPOINT_DIR"):  # even where somebody else decides
        settings_module.read(mace_home.settings.location, environ)
    assert "LOG_CUT" in kinds(mace_home)


def test_a_store_with_events_never_gets_a_new_key_file(built: places.Place):
    path = built.folder / "keys.json"
    kept = path.read_bytes()
    path.unlink()
    with pytest.raises(PreconditionFailed, match=r"contains a log but its keys are not at .*keys.json"):
        built.open()
    assert not path.exists()
    named = replace(built.settings, keys_file=str(built.folder / "new" / "keys.json"))
    with pytest.raises(PreconditionFailed, match="set keys_file"):
        wiring.open_mace(settings=named)
    assert not (built.folder / "new" / "keys.json").exists()
    path.write_bytes(kept)
    path.chmod(0o600)
    with built.open() as mace:
        assert mace.verify()["ok"]
