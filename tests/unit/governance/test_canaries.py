"""Planted words: in which forms they are found, and what is too short to look for."""

import base64
import gzip
import json
import urllib.parse

import pytest

from mace.core.errors import InvalidInput
from mace.governance.canaries import Hit, Needles

WORD = "Zanzibar-Qüokka 7"


def forms(data: bytes, word: str = WORD) -> set[str]:
    return {hit.form for hit in Needles([word]).find(data)}


@pytest.mark.parametrize(
    ("data", "form"),
    [
        (f"xx {WORD} yy".encode(), "plain"),
        (f"xx {WORD.lower()} yy".encode(), "plain"),
        (b"user/profile/user_zanzibar_q\xc3\xbcokka_7/x", "plain"),
        (json.dumps({"a": f"x{WORD}"}).encode(), "JSON"),
        (urllib.parse.quote(f"x {WORD} y").encode(), "URL"),
        (f"xx {WORD} yy".encode("utf-16-le"), "UTF-16"),
        (f"xx {WORD} yy".encode("utf-16-be"), "UTF-16"),
        (f"xx {WORD} yy".encode().hex().encode(), "hex"),
        (f"xx {WORD} yy".encode().hex().upper().encode(), "hex"),
        *((base64.b64encode(f"{'z' * shift}{WORD} yy".encode()), "base64") for shift in range(4)),
        *((base64.urlsafe_b64encode(f"{'z' * shift}{WORD}".encode()), "base64") for shift in range(4)),
        (b"before " + gzip.compress(f"xx {WORD} yy".encode(), mtime=0) + b" after", "gzip"),
        (gzip.compress(base64.b64encode(f"xx {WORD} yy".encode()), mtime=0), "gzip"),
    ],
)
def test_a_word_is_found_in_every_form(data: bytes, form: str):
    assert form in forms(data)


@pytest.mark.parametrize("data", [b"", b"nothing of it", b"\x1f\x8b\x08 no gzip at all", b"zanzibar", b"\x00" * 100])
def test_what_is_not_there_is_not_found(data: bytes):
    assert forms(data) == set()


def test_a_hit_says_which_word_it_was_and_not_the_word():
    found = Needles(["firstword", "secondword"]).find(b"... secondword ...")
    assert found == {Hit(2, "plain")}
    assert "second" not in repr(found)


@pytest.mark.parametrize("words", [[], ["abc"], ["   a  "], ["x" * 1001], ["good word", ""], ["word"] * 101])
def test_what_would_be_found_everywhere_is_not_looked_for(words: list[str]):
    with pytest.raises(InvalidInput):
        Needles(words)
