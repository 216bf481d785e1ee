"""Planted words in files: of the data, the keys, the state, the cache and the temporary folder of a place."""

import os
import stat
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from mace.governance.canaries import Hit, Needles
from mace.settings import Settings
from mace.wiring import data_folder, keys_path

_PIECE = 8 << 20
Progress = Callable[[int, int], None]  # bytes read, bytes in all


def folders(settings: Settings) -> list[Path]:
    """Where files of a place lie: data, keys, checkpoints and what lies beside them, indexes, temporary files."""
    named = [data_folder(settings), keys_path(settings).parent, Path(settings.checkpoint_dir)]
    if settings.context_cache_dir:
        named.append(Path(settings.context_cache_dir))
    named.append(Path(tempfile.gettempdir()))
    found: list[Path] = []
    for folder in dict.fromkeys(path.absolute() for path in named):
        if not any(folder.is_relative_to(other) for other in found):
            found = [other for other in found if not other.is_relative_to(folder)] + [folder]
    return found


def search(
    settings: Settings, words: list[str], progress: Progress | None = None, besides: Path | None = None
) -> dict[str, Any]:
    """Look for the words in every file but one, which they were read from; `{findings, files, bytes, unread}`.

    Unread are files that cannot be opened.
    """
    needles = Needles(words)
    own = None if besides is None else besides.resolve()
    files = [path for folder in folders(settings) for path in _files(folder) if path.resolve() != own]
    in_all = sum(_size(path) for path in files)
    findings: list[dict[str, Any]] = []
    unread: list[str] = []
    done = 0
    for path in files:
        findings += [_finding(hit, path, "file name") for hit in _sorted(needles.find(os.fsencode(path.name)))]
        hits: set[Hit] = set()
        try:
            for piece in _pieces(path, needles.longest):
                hits |= needles.find(piece)
                done += len(piece)
                if progress is not None:
                    progress(min(done, in_all), in_all)
        except OSError:
            unread.append(str(path))
        findings += [_finding(hit, path, "file") for hit in _sorted(hits)]
    return {"findings": findings, "files": len(files), "bytes": in_all, "unread": unread}


def _sorted(hits: set[Hit]) -> list[Hit]:
    return sorted(hits, key=lambda hit: (hit.word, hit.form))


def _finding(hit: Hit, path: Path, place: str) -> dict[str, Any]:
    return {
        "word": hit.word,
        "place": place,
        "where": {"file": str(path)},
        "form": hit.form,
        "sealed": False,
        "person": None,
    }


def _files(folder: Path) -> Iterator[Path]:
    """The regular files of this user below a folder; links are not followed."""
    for above, _, names in os.walk(folder):
        for name in sorted(names):
            path = Path(above) / name
            try:
                status = path.lstat()
            except OSError:
                continue
            if stat.S_ISREG(status.st_mode) and status.st_uid == os.getuid():
                yield path


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _pieces(path: Path, overlap: int) -> Iterator[bytes]:
    """A file in pieces, each beginning with the end of the one before: a word may stand across."""
    with path.open("rb") as file:
        before = b""
        while read := file.read(_PIECE):
            yield before + read
            before = (before + read)[-overlap:]
