"""Texts that every store and every log can hold.

Pure. What a text may say is decided elsewhere; here only whether its characters can be kept at all.
"""

from typing import Final

MAX_LINE_BYTES: Final = 1_000_000  # of one line of a file that is taken in


def is_encodable(text: str) -> bool:
    """Say whether a text has a UTF-8 form, which unpaired surrogates have not."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def is_storable(text: str) -> bool:
    """Say whether a text has a UTF-8 form and no NUL, which PostgreSQL cannot hold."""
    return "\x00" not in text and is_encodable(text)
