"""A Megram: one thing that was lived through, and how strongly and how long it counts.

Pure. Callers name a state; strength, sign and decay follow from the matrix and from nothing else. An id begins with the
instant of creation, so that ids sort as instants do in every store.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from types import MappingProxyType
from typing import Any, NamedTuple

from mace.core.errors import InvalidInput
from mace.core.texts import is_storable
from mace.core.times import iso_us, parse_instant
from mace.memory.experience.letters import kind_of, pinned

EPISODE, KNOWLEDGE, RULE, PERSONA = "M", "K", "C", "T"
DECAYS = (0.05, 0.2, 0.5)  # per day: half-lives of about 14, 3.5 and 1.4 days
TERMINAL_STATES = frozenset({"abandon", "accept", "success"})
MAX_TAG_CHARS = 1024
MAX_CONTENT_CHARS = 8000
MAX_AHEAD_US = 300_000_000  # of the clock; more comes from a wrong clock, and time would not run before it
DAY_US = 86_400_000_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIELDS = frozenset({"space", "entity", "content", "state", "created_at"})
_LONGEST_SLUG = 200
_HIDDEN = re.compile("[\x00-\x1f\x7f\ud800-\udfff]")


class Quanta(NamedTuple):
    """Strength, sign and decay per day."""

    f: float
    sigma: float
    k: float


MATRIX: MappingProxyType[str, Quanta] = MappingProxyType(
    {
        "abandon": Quanta(0.95, -1.0, 0.05),
        "accept": Quanta(0.90, 1.0, 0.05),
        "change_approach": Quanta(0.85, -1.0, 0.05),
        "success": Quanta(0.80, 1.0, 0.05),
        "break_symmetry": Quanta(0.75, 1.0, 0.05),
        "change_path": Quanta(0.30, 0.0, 0.2),
        "refine": Quanta(0.10, 0.5, 0.5),
    }
)
FEEDBACK_STATE, BEST_PRACTICE, CONSTRAINT = "negative_feedback", "best_practice", "constraint"
FEEDBACK_STRENGTH, SLOWEST = 0.95, DECAYS[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMegram:
    """A Megram that was asked for and is in order; `created_us` is None where the clock is to say."""

    space: str
    entity: str
    content: str
    state: str
    created_us: int | None


def read_new(megram: Any) -> NewMegram:
    """Check what a caller gives; raise `InvalidInput` naming the field."""
    if not isinstance(megram, dict):
        raise InvalidInput(f"megram must be a dict with space, entity, content and state, got {type(megram).__name__}")
    unknown = set(megram) - _FIELDS
    if unknown:
        name = min((f" {name[:40]!r}" for name in unknown if isinstance(name, str)), default="s that are not str")
        raise InvalidInput(f"megram must not have the field{name}; f, sigma and k follow from the state")
    state = megram.get("state")
    if not isinstance(state, str) or state not in MATRIX:
        raise InvalidInput(f"state must be one of {', '.join(MATRIX)}")
    space, entity = read_pair(megram.get("space"), megram.get("entity"))
    created = megram.get("created_at")
    return NewMegram(
        space=space,
        entity=entity,
        content=read_content(megram.get("content")),
        state=state,
        created_us=None if created is None else to_us(read_instant(created, "created_at")),
    )


def read_pair(space: Any, entity: Any) -> tuple[str, str]:
    return _tag(space, "space"), _tag(entity, "entity")


def _tag(value: Any, name: str) -> str:
    if not isinstance(value, str) or not value.strip() or len(value) > MAX_TAG_CHARS:
        raise InvalidInput(f"{name} must be a str of 1 to {MAX_TAG_CHARS} characters, not only white space")
    if _HIDDEN.search(value):
        raise InvalidInput(f"{name} must not contain control characters or unpaired surrogates")
    return value


def read_content(value: Any) -> str:
    if not isinstance(value, str) or len(value) > MAX_CONTENT_CHARS:
        raise InvalidInput(f"content must be a str of at most {MAX_CONTENT_CHARS} characters")
    if not is_storable(value):
        raise InvalidInput("content must not contain NUL or unpaired surrogates")
    return value


def read_instant(value: Any, name: str) -> datetime:
    """An instant with its zone, from 1970 on, given as text or as a datetime."""
    try:
        instant = parse_instant(value) if isinstance(value, str) else value
        if not isinstance(instant, datetime) or instant.utcoffset() is None or instant < _EPOCH:
            raise ValueError
        return instant.astimezone(UTC)
    except (ValueError, OverflowError):
        raise InvalidInput(f"{name} must be a time with a time zone, from 1970 on") from None


def to_us(instant: datetime) -> int:
    return (instant - _EPOCH) // timedelta(microseconds=1)


def from_us(microseconds: int) -> datetime:
    return _EPOCH + timedelta(microseconds=microseconds)


def iso_of(microseconds: int) -> str:
    return iso_us(from_us(microseconds))


def megram_id(created_us: int, origin: str) -> str:
    """An id that sorts by time; `origin` is what no other Megram comes from."""
    return f"{created_us:016x}-{sha256(origin.encode()).hexdigest()[:16]}"


def intent_slug(intent: str) -> str:
    """The first three words, lowercased, with their letters and digits; without any, `x-` and a hash.

    Every script keeps its letters (and the marks they are written with), so no two languages share an empty bucket.
    What a letter is does not depend on the version of Python.
    """
    words = []
    for word in pinned(intent).split():
        kept = "".join(character for character in word if kind_of(character))
        if any(kind_of(character) == "L" for character in kept):  # an emoji leaves a mark behind
            words.append(kept)
        if len(words) == 3:
            break
    slug = "_".join(words)
    digest = sha256(intent.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    if not slug:
        return f"x-{digest}"
    return slug if len(slug) <= _LONGEST_SLUG else f"{slug[:_LONGEST_SLUG]}-{digest}"


def macro_tags(intent: str) -> tuple[str, str]:
    """The pair of a terminal state."""
    return f"intent:{intent_slug(intent)}", "env:local"


def micro_tags(tool: str, target: str) -> tuple[str, str]:
    """The pair of a blocked target; what is too long for a tag keeps its beginning and a hash."""
    return _fit(f"tool:{tool}"), _fit(f"path:{target}")


def _fit(tag: str) -> str:
    clean = _HIDDEN.sub(" ", tag)
    if len(clean) <= MAX_TAG_CHARS and clean == tag:
        return tag
    digest = sha256(tag.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"{clean[: MAX_TAG_CHARS - 17]}-{digest}"
