"""The shelf: notes are kept in order, a torn one was never kept, and nothing on it is believed unchecked."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from mace.core.errors import ServiceUnavailable
from mace.providers.shelf import FileShelf


def note(size: int, origin: str = "mace/x", filler: str = "") -> str:
    return f"{origin}\n{size}\nroot{filler}\n\n— {origin} signature\n"


def good(text: str) -> bool:
    return text.startswith("mace/") and "forged" not in text


@pytest.fixture
def shelf(tmp_path: Path) -> FileShelf:
    return FileShelf(tmp_path / "shelf")


def test_a_new_shelf_is_empty(shelf: FileShelf):
    assert list(shelf.notes()) == list(shelf.newest_first()) == []
    assert shelf.latest() is None


def test_notes_come_back_oldest_or_newest_first(shelf: FileShelf, tmp_path: Path):
    kept = [note(size) for size in (1, 2, 30)]
    for text in kept:
        shelf.keep(text, good)
    assert list(shelf.notes()) == kept
    assert list(shelf.newest_first()) == kept[::-1]
    assert shelf.latest() == kept[-1]
    assert (tmp_path / "shelf" / "latest.note").read_text() == kept[-1]
    assert shelf.place() == str(tmp_path / "shelf")


def test_only_a_note_of_more_events_is_kept(shelf: FileShelf):
    shelf.keep(note(10), good)
    for size in (10, 9, 0):
        shelf.keep(note(size), good)
    assert list(shelf.notes()) == [note(10)]
    shelf.keep(note(3, "mace/x/epoch-1"), good)  # a new epoch begins where the log was taken over
    assert list(shelf.notes()) == [note(10), note(3, "mace/x/epoch-1")]


def test_a_forged_note_does_not_keep_good_ones_away(shelf: FileShelf, tmp_path: Path):
    shelf.keep(note(5), good)
    with (tmp_path / "shelf" / "history.notes").open("a") as file:
        file.write(note(10**9, filler="forged") + "\x1e" + "garbage\x1e")
    shelf.keep(note(6), good)
    assert shelf.latest() == note(6)
    assert list(shelf.newest_first()) == [note(6), "garbage", note(10**9, filler="forged"), note(5)]


@pytest.mark.parametrize("cut", [1, 5, 20, 30])
def test_a_torn_note_is_passed_over_and_taken_away(shelf: FileShelf, tmp_path: Path, cut: int):
    history = tmp_path / "shelf" / "history.notes"
    shelf.keep(note(1), good)
    shelf.keep(note(2), good)
    with history.open("ab") as file:
        file.write(note(3).encode()[:cut])
    (tmp_path / "shelf" / "latest.note").unlink()
    assert list(shelf.notes()) == [note(1), note(2)]
    assert list(shelf.newest_first()) == [note(2), note(1)]
    shelf.keep(note(3), good)
    assert list(shelf.notes()) == [note(1), note(2), note(3)]


def test_a_shelf_whose_very_first_note_was_torn(shelf: FileShelf, tmp_path: Path):
    (tmp_path / "shelf" / "history.notes").write_text("mace/x\n1")
    assert list(shelf.notes()) == list(shelf.newest_first()) == []
    shelf.keep(note(1), good)
    assert list(shelf.notes()) == list(shelf.newest_first()) == [note(1)]


def test_the_note_that_lies_by_itself_is_shown_when_it_is_another_one(shelf: FileShelf, tmp_path: Path):
    shelf.keep(note(1), good)
    (tmp_path / "shelf" / "latest.note").write_text("something else")
    assert list(shelf.notes()) == [note(1), "something else"]
    assert shelf.latest() == note(1)


def test_bytes_that_are_no_text_are_no_crash(shelf: FileShelf, tmp_path: Path):
    (tmp_path / "shelf" / "history.notes").write_bytes(b"\xff\xfe\x1e\xc3\x1e")
    (tmp_path / "shelf" / "latest.note").write_bytes(b"\xff?")
    assert len(list(shelf.notes())) == 3
    assert shelf.latest() == "\ufffd"


@pytest.mark.parametrize("length", [10, 65_535, 65_536, 65_537, 200_000])
def test_notes_of_any_length_are_read_across_pieces(shelf: FileShelf, length: int):
    kept = [note(size, filler="x" * length) for size in (1, 2, 3)]
    for text in kept:
        shelf.keep(text, good)
    assert list(shelf.notes()) == kept
    assert list(shelf.newest_first()) == kept[::-1]


def test_thousands_of_notes_from_the_end(shelf: FileShelf):
    history = shelf._history
    history.write_text("".join(note(size) + "\x1e" for size in range(3000)))
    assert list(shelf.newest_first()) == [note(size) for size in reversed(range(3000))]
    assert list(shelf.notes()) == [note(size) for size in range(3000)]


def test_many_at_once_keep_only_growing_notes(shelf: FileShelf, tmp_path: Path):
    shelves = [FileShelf(tmp_path / "shelf") for _ in range(4)]

    def work(number: int) -> None:
        for size in range(number, 200, 4):
            shelves[number].keep(note(size), good)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    sizes = [int(text.split("\n")[1]) for text in shelf.notes()]
    assert sizes == sorted(set(sizes))
    assert sizes[-1] == 199


@pytest.mark.parametrize(
    "spoil",
    [lambda folder: folder.rmdir(), lambda folder: (folder.rmdir(), folder.write_text(""))],
    ids=["gone", "a file"],
)
def test_a_shelf_that_cannot_be_written_is_told(tmp_path: Path, spoil: Callable[[Path], object]):
    shelf = FileShelf(tmp_path / "shelf")
    spoil(tmp_path / "shelf")
    with pytest.raises(ServiceUnavailable, match="cannot keep a checkpoint"):
        shelf.keep(note(1), good)


def test_a_folder_that_cannot_be_made_is_told_with_what_to_do(tmp_path: Path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ServiceUnavailable, match="set checkpoint_dir"):
        FileShelf(tmp_path / "file" / "shelf")
