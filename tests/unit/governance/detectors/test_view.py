"""The folded view: what disguises become, and that every position leads back to the original."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mace.governance.detectors.view import View, fold, fold_name


@pytest.mark.parametrize(
    ("original", "folded"),
    [
        ("plain text", "plain text"),
        ("１２３", "123"),
        ("٤٥٦ ۴۵۶ ४५६ 𝟜𝟝𝟞", "456 456 456 456"),
        ("①②③ ¹²³ 1️⃣2️⃣", "123 123 12"),
        ("1\u200b2\u200d3\ufeff4\u00ad5", "12345"),
        ("123–45—6789 123−45‑6789", "123-45-6789 123-45-6789"),
        ("a\u00a0b\u3000c\u2009d", "a b c d"),
        ("a·b•c。d", "a.b.c.d"),
        ("ａ＠ｂ．ｃｏ", "a@b.co"),
        ("é ü ñ e\u0301", "e u n e"),
        ("&#49;&#x32;&commat;&period;&nbsp;x", "12@. x"),
        ("&amp;#49; &amp;amp;#50;", "1 2"),
        ("&nothing; & && &#; 100% %zz", "&nothing; & && &#; 100% %zz"),
        ("%31%32%40 %E2%80%8B3", "12@ 3"),
        (r"\u0031\x32 a\n3", "12 a\n3"),
        ("1\x002\x7f3", "123"),
        ("Straße 東京 Привет", "Straße 東京 Привет"),
        ("\ud800 1", "\ud800 1"),
        ("İx1", "Ix1"),
    ],
)
def test_disguises_fold_to_what_they_stand_for(original: str, folded: str):
    assert fold(original) == folded


@pytest.mark.parametrize(
    ("original", "start", "end", "piece"),
    [
        ("x 1\u200b2 y", 2, 4, "1\u200b2"),
        ("x &#49;2 y", 2, 4, "&#49;2"),
        ("x %31%32 y", 3, 4, "%32"),
        ("&#120;&#121;", 1, 2, "&#121;"),
        ("a\u200b\u200bb", 1, 2, "b"),
        ("ab", 0, 2, "ab"),
        ("%E2%82%AC1", 1, 2, "1"),
        ("電話は090-1234です", 4, 12, "090-1234"),
        ("電話は&#48;90\u200b-1です", 4, 9, "&#48;90\u200b-1"),
        ("電話は090です", 3, 8, "090"),  # the spaces that were put in stand for nothing
    ],
)
def test_spans_lead_back_exactly(original: str, start: int, end: int, piece: str):
    first, last = View(original).span(start, end)
    assert original[first:last] == piece


_PIECES = st.sampled_from(
    ["1", "a", "É", "\u200b", "&#49;", "%41", "％", "–", "\\u0031", "é", "字", "&amp;", "İ", "\x00", "x "]
)


@settings(deadline=None)
@given(st.lists(_PIECES, max_size=40).map("".join) | st.text())
def test_any_text_folds_and_every_stretch_leads_back_in_order(original: str):
    view = View(original)
    assert len(view.lower) == len(view.text)
    before = 0
    for at in range(len(view.text)):
        start, end = view.span(at, at + 1)
        if start == end and view.text[at] == " ":  # put between a number and the letters it touches
            assert before <= start < len(original)
            continue
        assert before <= start < end <= len(original)
        assert fold(original[start:end]) == view.text[at] or original[start:end].startswith(("&", "%", "\\"))
        before = start


@pytest.mark.parametrize(
    ("name", "folded"),
    [
        ("dateOfBirth", "date_of_birth"),
        ("Date of Birth", "date_of_birth"),
        ("SSN", "ssn"),
        ("userSSN", "user_ssn"),
        ("SSNNumber", "ssn_number"),
        ("user/profile/user_tuff/ssn", "user_profile_user_tuff_ssn"),
        ("E-Mail", "e_mail"),
        ("s\u200bsn", "ssn"),
        ("", ""),
    ],
)
def test_names_of_fields_fold_to_words(name: str, folded: str):
    assert fold_name(name) == folded


@pytest.mark.parametrize("name", ["a", "kettle_12_new", "0", "a_b_c", "x" * 199, "_a", "a_", "a__b", "__", ""])
def test_a_name_that_is_folded_already_stays_what_folding_makes_of_it(name: str):
    assert fold_name(name) == fold_name(f"{name}\u200b")  # with a character that nobody sees it goes the long way
