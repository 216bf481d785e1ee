"""Texts that every store and every log can hold.

Pure. What a text may say is decided elsewhere; here only whether its characters can be kept at all.
"""


def is_storable(text: str) -> bool:
    """Say whether a text has a UTF-8 form (no lone surrogate) and no NUL, which PostgreSQL cannot hold."""
    try:
        return b"\x00" not in text.encode()
    except UnicodeEncodeError:
        return False
