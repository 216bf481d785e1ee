"""How a value, an answer and a reply are compared with what a text expects. Pure.

Values are compared without case, end punctuation and a leading article; in answers whole words are looked for, so that
"C" is not found in "C++" nor "4" in "42".
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

_ARTICLE = re.compile(r"(?:a|an|the)\s+(?=\S)")
_EDGES = " \t\n.,;:!?\"“”«»'"
_AND = re.compile(r"\s*,\s*and\s+|\s*,\s*|\s+and\s+")
_NO = re.compile(r"\b(?:no|not|never|isn't|aren't|don't|doesn't)\b")
_ABSTAINS = re.compile(
    r"\b(?:i (?:do not|don't|can't|cannot|could not|couldn't|did not|didn't|am not|have no|haven't|have not)\b|"
    r"i'm (?:not|afraid|unable)\b|not (?:stored|known|sure|something)\b|nobody can\b|unknown\b|no fact\b|"
    r"nothing (?:is )?(?:stored|known)\b)"
)
_DEED = re.compile(
    r"\b(?:saved|stored|remembered|noted|recorded|kept|sent|e?mailed|messaged|texted|forwarded|posted|uploaded|deleted|"
    r"removed|erased|cancell?ed|scheduled|booked|reserved|ordered|bought|paid|transferred|created|added|updated|changed|"
    r"printed|turned (?:on|off)|switched (?:on|off)|restarted|opened|closed|done|all set|taken care of|got it|"
    r"(?:i'll|i will|i am going to|i'm going to) (?:now |always )?"
    r"(?:remember|save|store|keep|note|send|do|book|call|remind|delete|set|order|forget))\b"
)
_UNDONE = re.compile(r"\b(?:can't|cannot|if|nothing|nobody|yet)\b")


def folded(value: object) -> str:
    """A value as it is compared."""
    text = unicodedata.normalize("NFKC", _as_text(value)).replace("’", "'").casefold()
    text = " ".join(text.split()).strip(_EDGES)
    return _ARTICLE.sub("", text, count=1) if _ARTICLE.match(text) else text


def _as_text(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def is_same(stored: object, accepted: Iterable[str]) -> bool:
    """Say whether a stored value is one of these; a list may be joined by commas or by `and`."""
    forms = {folded(item) for item in accepted}
    mine = folded(stored)
    return mine in forms or _AND.sub(", ", mine) in {_AND.sub(", ", form) for form in forms}


def has_words(answer: str | None, value: str) -> bool:
    """Say whether an answer has a value as whole words."""
    wanted = folded(value)
    if not answer or not wanted:
        return False
    said = " ".join(unicodedata.normalize("NFKC", answer).replace("’", "'").casefold().split())
    return re.search(rf"(?<![\w+#]){re.escape(wanted)}(?![\w+#])", said) is not None


def names_one(answer: str | None, accepted: Iterable[str]) -> bool:
    return any(has_words(answer, item) for item in accepted)


def is_stored(stored: Mapping[str, object], attributes: Sequence[str], accepted: Sequence[str]) -> bool:
    """Say whether one of these attributes has one of these values."""
    return any(name in stored and is_same(stored[name], accepted) for name in attributes)


def says_yes(answer: str | None, accepted: Sequence[str]) -> bool:
    """Say whether a question that asks whether it is so is confirmed: by a yes, or by the value without a no."""
    words = folded(answer or "")
    return bool(words) and (
        re.match(r"yes\b", words) is not None or (names_one(answer, accepted) and not _NO.search(words))
    )


def says_no(answer: str | None, accepted: Sequence[str]) -> bool:
    """Say whether it is denied: the stored value is named, and no yes."""
    return names_one(answer, accepted) and not re.match(r"yes\b", folded(answer or ""))


def wrong_facts(answer: str | None, wrong: Iterable[str], right: Iterable[str] = ()) -> list[str]:
    """Which of the wrong values an answer gives; what only stands inside a right value is not meant."""
    rest = answer or ""
    for value in sorted(right, key=len, reverse=True):
        if folded(value):
            rest = re.sub(rf"(?<![\w+#]){re.escape(folded(value))}(?![\w+#])", " ", rest.replace("’", "'").casefold())
    if re.match(r"no\b", folded(answer or "")):
        return []  # what is denied is not given
    return [value for value in wrong if has_words(rest, value)]


def abstains(answer: str | None) -> bool:
    """Say whether there is no answer, or one that says so."""
    return not answer or _ABSTAINS.search(answer.replace("’", "'").casefold()) is not None


def claims_a_deed(shown: str) -> bool:
    """Say whether a reply says that something was done or will be, sentence by sentence and unless it is denied."""
    said = shown.replace("’", "'").casefold()
    return any(
        _DEED.search(piece)
        and not _NO.search(piece)
        and not re.search(r"\b(?:can't|cannot|if|nothing|nobody|yet)\b", piece)
        for piece in re.split(r"[.!?\n]+", said)
    )


def shown_beside_notices(answer: Mapping[str, Any]) -> str:
    """What a person reads besides the fixed messages of what failed."""
    text = str(answer["text"])
    for notice in answer["notices"]:
        text = text.replace(notice["user_message"], " ")
    return text.strip()


def values_of(text: Mapping[str, Any]) -> list[list[str]]:
    """What an answer must name: for each value the ways to say it."""
    if isinstance(text["value"], list):
        accepted = text["accept"] or [[] for _ in text["value"]]
        return [[value, *more] for value, more in zip(text["value"], accepted, strict=True)]
    return [[text["value"], *text["accept"]]]
