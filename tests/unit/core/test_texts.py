"""Which texts can be kept: the one place that says so."""

import pytest

from mace.core.texts import is_encodable, is_storable


@pytest.mark.parametrize(
    ("text", "encodable", "storable"),
    [
        ("", True, True),
        ("plain", True, True),
        ("größe 🐻", True, True),
        ("a\x00b", True, False),
        ("ö\x00", True, False),
        ("\ud800", False, False),
        ("ab\udfffcd", False, False),
        ("\ud83d\udc3b", False, False),  # a pair of surrogates is two characters here, not one
    ],
)
def test_a_text_can_be_kept_or_not(text: str, encodable: bool, storable: bool):
    assert (is_encodable(text), is_storable(text)) == (encodable, storable)
