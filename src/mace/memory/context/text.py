"""How a text and a query are made comparable, and what a query's terms are.

Pure. White space is what `str.isspace` says (`str.split` without argument agrees with it); lowering is Python's own
and looks at the whole text, because a Greek sigma at the end of a word lowers differently from one inside.
Any change here changes scores and hashes of packages that were already recorded.
"""

import hashlib
from collections.abc import Iterable

MIN_DERIVED_TERM_LENGTH = 2  # code points, after lowering


def matching_text(text: str) -> str:
    """Trim, lower, and turn every run of white space into one space."""
    return " ".join(text.lower().split())


def query_hash(query: str) -> str:
    """Return the hex SHA-256 of the normalised query."""
    return hashlib.sha256(matching_text(query).encode()).hexdigest()


def derived_terms(query: str) -> tuple[str, ...]:
    """The words of the query of two code points or more, each once, in the order they first appear."""
    words = matching_text(query).split(" ")
    return tuple(dict.fromkeys(word for word in words if len(word) >= MIN_DERIVED_TERM_LENGTH))


def given_terms(terms: Iterable[str]) -> tuple[str, ...]:
    """The terms a caller gave: normalised like a query, empty ones dropped, each once; no length rule."""
    return tuple(dict.fromkeys(filter(None, map(matching_text, terms))))
