"""Whole files or none, whoever writes at the same time and wherever a writer dies."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from mace.providers import files


def test_a_file_is_replaced_whole(tmp_path: Path):
    path = tmp_path / "a"
    files.write_whole(path, b"one")
    files.write_whole(path, b"two" * 100_000, 0o640)
    assert path.read_bytes() == b"two" * 100_000
    assert oct(path.stat().st_mode & 0o777) == "0o640"
    assert [item.name for item in tmp_path.iterdir()] == ["a"]


def test_a_file_is_created_once(tmp_path: Path):
    path = tmp_path / "a"
    assert files.create_once(path, b"first") is True
    assert files.create_once(path, b"second") is False
    assert path.read_bytes() == b"first"
    assert [item.name for item in tmp_path.iterdir()] == ["a"]


def test_of_many_who_create_it_one_wins_whole(tmp_path: Path):
    path = tmp_path / "a"
    contents = [bytes([number]) * 50_000 for number in range(12)]
    with ThreadPoolExecutor(12) as pool:
        won = list(pool.map(lambda content: files.create_once(path, content), contents))
    assert won.count(True) == 1
    assert path.read_bytes() == contents[won.index(True)]


def test_readers_never_see_half_a_file(tmp_path: Path):
    path = tmp_path / "a"
    contents = [bytes([number]) * 30_000 for number in range(40)]
    files.write_whole(path, contents[0])
    with ThreadPoolExecutor(4) as pool:
        writing = [pool.submit(files.write_whole, path, content) for content in contents]
        while not all(future.done() for future in writing):
            assert path.read_bytes() in contents
        for future in writing:
            future.result()


@pytest.mark.parametrize("write", [files.write_whole, files.create_once])
def test_a_failure_leaves_no_half_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: object):
    def refuse(descriptor: int, data: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files, "_write_all", refuse)
    with pytest.raises(OSError, match="No space"):
        write(tmp_path / "a", b"data")  # type: ignore[operator]
    assert list(tmp_path.iterdir()) == []
