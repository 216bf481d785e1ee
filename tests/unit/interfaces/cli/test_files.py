"""Files that a person names: whole or not at all, and never overwritten by accident."""

import io
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from mace.core.errors import Conflict, InvalidInput, NotFound, ServiceUnavailable, StorageFull
from mace.interfaces.cli import files


def test_json_comes_from_the_text_or_from_a_file(tmp_path: Path):
    (tmp_path / "changes.json").write_text('{"a": 1}')
    assert files.json_argument('{"a": 1}', "--changes") == {"a": 1}
    assert files.json_argument(f"@{tmp_path / 'changes.json'}", "--changes") == {"a": 1}


def test_json_comes_from_standard_input(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"[1]")))
    assert files.read_json("-") == [1]


@pytest.mark.parametrize(
    ("content", "read", "error"),
    [(b"{", files.read_json, InvalidInput), (b"\xff", files.read_text, InvalidInput)],
)
def test_what_cannot_be_read_is_refused(tmp_path: Path, content: bytes, read: object, error: type[Exception]):
    (tmp_path / "file").write_bytes(content)
    with pytest.raises(error):
        read(str(tmp_path / "file"))  # type: ignore[operator]


def test_a_missing_file_and_a_folder_say_so(tmp_path: Path):
    with pytest.raises(NotFound):
        files.read_bytes(str(tmp_path / "none"))
    with pytest.raises(ServiceUnavailable):
        files.read_bytes(str(tmp_path))


def test_files_are_not_overwritten_by_accident(tmp_path: Path):
    (tmp_path / "old").touch()
    with pytest.raises(Conflict):
        files.must_be_free([str(tmp_path / "old")], force=False)
    files.must_be_free([str(tmp_path / "old")], force=True)
    files.must_be_free(["-", str(tmp_path / "new")], force=False)


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(tmp_path: Path):
    def chunks() -> Iterator[bytes]:
        yield b"half"
        raise RuntimeError("the source broke")

    (tmp_path / "file").write_bytes(b"old")
    with pytest.raises(RuntimeError):
        files.write_chunks(str(tmp_path / "file"), chunks())
    assert [item.name for item in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_bytes() == b"old"


def test_where_nothing_can_be_written_is_said(tmp_path: Path):
    with pytest.raises(ServiceUnavailable):
        files.write_chunks(str(tmp_path / "no-folder" / "file"), iter([b"x"]))


def test_a_full_disk_has_its_own_name_and_a_device_is_not_replaced():
    with pytest.raises(StorageFull):
        files.write_chunks("/dev/full", iter([b"x" * 100_000]))
    assert Path("/dev/full").is_char_device()


def test_a_link_is_written_through_and_a_planted_one_is_not(tmp_path: Path):
    (tmp_path / "victim").write_bytes(b"precious")
    (tmp_path / f"file.part-{os.getpid()}").symlink_to(tmp_path / "victim")
    files.write_chunks(str(tmp_path / "file"), iter([b"new"]))
    assert (tmp_path / "victim").read_bytes() == b"precious"
    (tmp_path / "link").symlink_to(tmp_path / "file")
    assert files.write_chunks(str(tmp_path / "link"), iter([b"newer"])) == 5
    assert (tmp_path / "file").read_bytes() == b"newer"
    assert (tmp_path / "link").is_symlink()
