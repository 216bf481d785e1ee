"""What an index holds for a fixed store: it may change only together with the number of its format.

Nothing else tells an index of older code apart: it would be used, and answer by the old rules.
"""

import os
from hashlib import sha256
from pathlib import Path

from mace.memory import context
from mace.storage.jsonl.build import build_part
from mace.storage.jsonl.cache import FORMAT, TALK_FORMAT
from mace.storage.jsonl.container import Sections, Writer

# Another digest needs another format: raise `FORMAT`, then write both here.
KNOWN = (3, "471b06b2c33bd136a5c1e84956788136ebf3cf7c7bdd1ea91ac625f9d9bb7f0c")
KNOWN_TALK = (1, "54a7d649b6a305568d2744d82a8bcf3427f3dde24aa868be3da7ec8b47dfc6f7")  # the same with `TALK_FORMAT`

LINES = [
    '{"memory_id": "a", "text": "The invoice of May was paid on 2 June.", "tags": ["Invoice", "may"]}',
    '{"memory_id": "b", "text": "naïve café ΣΊΣΥΦΟΣ straße İstanbul 北京 🙂 a_b c.d", "ts_utc": "2024-02-29T10:00Z"}',
    '{"memory_id": "b", "text": "tabs\\tand\\nlines\\u00a0and\\u2003spaces", "refs": [{"n": 1}], "ts_utc": "never"}',
    '{"memory_id": "c", "text": ""}',
    "not json",
    '{"memory_id": "d", "text": "word " , "tags": "no list"}',
    *(f'{{"memory_id": "m{n}", "text": "record w{n % 7} v{n % 5} {"x" * (n % 11)}"}}' for n in range(200)),
]

TALK_LINES = [
    '{"memory_id": "a", "text": "Rosa: I bought three kayaks in May 2023, didn\'t O\'Brien\'s?", "tags": ["Boat"]}',
    '{"memory_id": "b", "text": "O’Brien said, \\"Yes, twice!\\" rock\'n\'roll", "tags": ["speaker:ivo", "boats"]}',
    "{}",
    *LINES,
]


def built(path: Path, lines: list[str]) -> tuple[Sections, Sections]:
    """The index of words and that of the talk."""
    path.write_text("\n".join(lines) + "\n", "utf-8")
    words, talk = Writer(None, bytes(16)), Writer(None, bytes(16))
    descriptor = os.open(path, os.O_RDONLY)
    try:
        build_part(descriptor, 0, path.stat().st_size, words, context, "store.jsonl", bytes(16), None, talk)
    finally:
        os.close(descriptor)
    words.finish()
    talk.finish()
    return words.take(), talk.take()


def digest_of(sections: Sections) -> str:
    digest = sha256()
    for name in sorted(sections):
        digest.update(name.encode() + b"\0" + bytes(sections.raw(name)))
    return digest.hexdigest()


def test_what_an_index_holds_changes_only_with_its_format(tmp_path: Path):
    assert (FORMAT, digest_of(built(tmp_path / "s.jsonl", LINES)[0])) == KNOWN
    assert (TALK_FORMAT, digest_of(built(tmp_path / "t.jsonl", TALK_LINES)[1])) == KNOWN_TALK
