"""What `phase7-v1` sees in a query and in a turn: stems, names, times, who speaks, what is asked for.

Pure. Part of that scorer's version: any change here changes its scores.
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from mace.memory.context.english import (
    FIRST_PERSON,
    FORMS,
    MONTHS,
    NUMBER_WORDS,
    STOPWORDS,
    TIME_WORDS,
    stem,
    words_of,
)
from mace.memory.context.request import Request

# `Name: ...`, also behind a date or the like in brackets
_SPEAKER = re.compile(r"\s*(?:[\[(][^\])\n]{0,63}[\])]\s*)?([^\W\d_][^:\n]{0,31}?)\s*:\s")
_SAID = re.compile(r"\s*([^\W\d_]\w{0,31}) (?:said|says|asked|replied)[,:]?\s*(?=[\"“])")
_SPEAKER_TAG = "speaker:"
_NAME = re.compile(r"(?<![.!?:]\s)(?<!^)\b[^\W\d_][^\W\d_]+")
_YEAR = re.compile(r"(?:19|20)[0-9]{2}")


class Turn(NamedTuple):
    """A record as a turn of a talk."""

    stems: Counter[str]
    names: frozenset[str]  # stems written with a capital inside a sentence
    length: int
    speaker: str  # lowered; "" when unknown
    is_question: bool
    has_time: bool
    has_number: bool
    is_about_self: bool  # "I", "my", "we"...


@dataclass(frozen=True, slots=True)
class Query:
    weights: dict[str, float]  # by stem; times begin with "@"
    words: frozenset[str]
    wants_time: bool
    wants_number: bool
    is_about_self: bool

    def speakers_among(self, speakers: Iterable[str]) -> frozenset[str]:
        """The speakers the query names, if it names some but not all."""
        known = {speaker for speaker in speakers if speaker}
        named = frozenset(speaker for speaker in known if self.words.intersection(words_of(speaker)))
        return named if named != known else frozenset()


def query_of(request: Request) -> Query:
    """Read a query, or the terms given in its place."""
    return query_from(" ".join(request.terms) if request.terms_given else request.query)


def query_from(text: str) -> Query:
    """Read a query from its words."""
    words = words_of(text)
    weights: dict[str, float] = {}
    for word in words:
        if word not in STOPWORDS:
            weights.setdefault(stem(word), 1.0)
    if not weights:  # nothing but common words: better than nothing
        weights = {stem(word): 1.0 for word in words}
    years = [word for word in words if _YEAR.fullmatch(word)]
    months = [MONTHS[word] for word in words if word in MONTHS and (word != "may" or years)]
    for year in years:
        weights[f"@{year}"] = 0.5
        for month in months:
            weights[f"@{year}-{month:02d}"] = 1.0
    if not years:
        for month in months:
            weights[f"@month{month}"] = 0.5
    asked = set(words)
    return Query(
        weights,
        frozenset(word for word in words if word not in STOPWORDS),
        bool({"when", "date", "day", "month", "year", "long", "ago"} & asked),
        "how" in asked and bool({"many", "much", "old", "often", "long", "far"} & asked),
        not FIRST_PERSON.isdisjoint(asked),
    )


@lru_cache(maxsize=1 << 13)
def turn_of(text: str, tags: tuple[str, ...]) -> Turn:
    """Read a turn; a leading `Name:` or `Name said, "`, or a tag `speaker:name`, says who speaks.

    The answer is shared: leave it be.
    """
    speaker, begin = spoken_by(text)
    words = words_of(text)
    stems = Counter(stem(word) for word in words)
    for tag in tags:
        stems.update(stem(word) for word in words_of(tag))
    tagged = speaker_of(tags)
    body = text[begin:]
    names = frozenset(stem(name.lower()) for name in _NAME.findall(body) if name[0].isupper())
    return Turn(
        stems,
        names,
        len(words),
        speaker if tagged is None else tagged,
        "?" in body,
        any(map(is_time, words)),
        any(map(is_number, words)),
        not FIRST_PERSON.isdisjoint(words),
    )


def spoken_by(text: str) -> tuple[str, int]:
    """Who speaks by the text itself, lowered, "" when it does not say; and where what they say begins."""
    spoken = _SPEAKER.match(text) if ":" in text else None
    if spoken is None and ('"' in text or "“" in text):
        spoken = _SAID.match(text)
    return (spoken[1].lower(), spoken.end()) if spoken else ("", 0)


def speaker_of(tags: tuple[str, ...]) -> str | None:
    """Who speaks by the tags; None when they do not say."""
    named = [tag[len(_SPEAKER_TAG) :].strip() for tag in tags if tag.startswith(_SPEAKER_TAG)]
    return named[-1] if named else None


def is_time(word: str) -> bool:
    return word in TIME_WORDS or _YEAR.fullmatch(word) is not None


def is_number(word: str) -> bool:
    return word in NUMBER_WORDS or word.isdecimal()


def probes(name: str) -> tuple[str, ...]:
    """Texts of which every word with this stem contains one."""
    forms = [form for base, forms in FORMS.items() if stem(base) == name for form in forms]
    return tuple(dict.fromkeys(_unchanged(form) for form in [name, *forms]))


def _unchanged(form: str) -> str:
    """The part of a word that no ending changes: a last y becomes i before some endings."""
    return form[:-1] if len(form) > 2 and form[-1] in "iy" else form
