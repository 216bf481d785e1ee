"""The search for canaries finds what was planted, in every form it knows."""

import base64
import gzip
import urllib.parse
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

import canaries
import places

VALUES = (canaries.SSN, canaries.PHONE, canaries.TOKEN, "canary.bird.77@gmail.com")
ENCODINGS: dict[str, Callable[[str], bytes]] = {
    "plain": str.encode,
    "without separators": lambda text: text.replace("-", "").encode(),
    "hex": lambda text: text.encode().hex().encode(),
    "base64": lambda text: base64.b64encode(text.encode()),
    "base64 one byte on": lambda text: base64.b64encode(b"z" + text.encode()),
    "base64 two bytes on": lambda text: base64.urlsafe_b64encode(b"zz" + text.encode()),
    "UTF-16": lambda text: text.encode("utf-16"),
    "percent-encoded": lambda text: urllib.parse.quote(text).encode(),
    "gzip": lambda text: b"before" + gzip.compress(text.encode()) + b"after",
    "zlib": lambda text: b"before" + zlib.compress(text.encode()),
    "base64 in gzip": lambda text: gzip.compress(base64.b64encode(text.encode())),
}


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_value_is_found_in_every_encoding(value: str, encoding: str):
    assert canaries.in_bytes(ENCODINGS[encoding](f"xx {value} yy"), [value, "nothing of this"]) == {value}
    assert canaries.in_bytes(ENCODINGS[encoding]("xx something else yy"), [value]) == set()


def test_it_is_found_in_the_bytes_and_the_name_of_a_file(tmp_path: Path):
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "held").write_bytes(gzip.compress(canaries.SSN_SENTENCE.encode()))
    (tmp_path / f"called {canaries.PHONE}").write_bytes(b"")
    found = canaries.in_files(tmp_path, [canaries.SSN, canaries.PHONE])
    assert {leak.canary for leak in found} == {canaries.SSN, canaries.PHONE}


def test_it_is_found_in_events_rows_and_whatever_is_sealed(place: places.Place):
    word = "kingfisher-5517"  # nothing personal, so it may be kept
    with canaries.watching() as sealed, place.open() as m:
        assert m.sem_put("user/profile/user_ana/bird", word, "user")["success"]
        heard = m.ask(f"Remember my favorite bird is {word}", user_id="ana")
        m.incidents.report(f"a lost {word}")
        m.experience.write(
            {"space": "shell", "entity": "env:local", "content": word, "state": "accept"}, "solver", user_id="ana"
        )
        where = [leak.where for leak in canaries.everywhere(m, place, [word])]
        assert "user/profile/user_ana/bird" in where
        assert f"input/{heard['job_id']}" in where
        assert "experience" in where
        assert any(name.startswith("event ") for name in where), "the reason stands in plain sight"
        assert any(name.startswith("a row of events") for name in where)
        assert any(name.startswith("log/") for name in where)
    assert canaries.in_watched(sealed, [word])
