"""A request for context: what it may say, and the first thing that is wrong with it.

Pure. Checks run in the order of the requirement text, so that the same wrong request always gets the same refusal.
`null` means absent, unknown fields are refused, a boolean is never a number. Messages name fields, counts and types,
never what the caller wrote: they travel into logs.
"""

from dataclasses import dataclass
from typing import Any

from mace.core.canon import MAX_SAFE_INTEGER
from mace.core.texts import is_encodable
from mace.memory.context.instants import parse_us
from mace.memory.context.text import derived_terms, given_terms, matching_text

PHASE6 = "phase6-v1"
PHASE7 = "phase7-v1"
VERSIONS = (PHASE6, PHASE7)

DEFAULT_MAX_ITEMS = 50
DEFAULT_HALF_LIFE_DAYS = 30
DEFAULT_DENIED = ("malicious",)

_TOP = ("query", "store_paths", "budget", "scoring", "trust_filter", "now_utc", "controller_version")
_BUDGET = ("max_excerpt_tokens", "per_item_max_excerpt_tokens", "max_items")
_SCORING = ("enable_recency_weight", "recency_half_life_days", "enable_tag_overlap", "query_terms")
_TRUST = ("deny_classifications", "trust_snapshot_path")


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request gets no package; fills the INVALID_INPUT envelope."""

    field: str  # dotted path of the field at fault
    reason: str  # for developers; fixed words, no content
    code: str = "INVALID_INPUT"

    def meta(self) -> dict[str, str]:
        return {"field": self.field, "reason": self.reason}


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    max_excerpt_tokens: int
    per_item_max_excerpt_tokens: int  # never above max_excerpt_tokens
    max_items: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    query: str
    store_paths: tuple[str, ...]
    budget: Budget
    terms: tuple[str, ...]
    tag_overlap: bool
    half_life_days: int
    recency: bool  # asked for, and `now_us` is there
    deny_classifications: tuple[str, ...]
    trust_snapshot_path: str | None
    now_us: int | None
    version: str
    terms_given: bool


class _Wrong(Exception):
    def __init__(self, field: str, reason: str) -> None:
        super().__init__(field, reason)
        self.refusal = Refusal(field, reason)


def parse_request(request: Any) -> Request | Refusal:
    """Return the request with its defaults filled in, or the first thing wrong with it."""
    try:
        return _parse(request)
    except _Wrong as wrong:
        return wrong.refusal


def _parse(request: Any) -> Request:
    top = _section(request, "request")
    query = _text(top, "query", "query")
    if query is None:
        raise _Wrong("query", "is required")
    if not matching_text(query):
        raise _Wrong("query", "must not be empty")
    store_paths = _texts(top, "store_paths", "store_paths")
    if store_paths is None:
        raise _Wrong("store_paths", "is required")
    if not store_paths:
        raise _Wrong("store_paths", "must not be empty")
    budget = _budget(top)
    scoring = _section(top.get("scoring", {}), "scoring")
    wants_recency = _flag(scoring, "enable_recency_weight", default=False)
    half_life = _count(scoring, "recency_half_life_days", "scoring", DEFAULT_HALF_LIFE_DAYS)
    tag_overlap = _flag(scoring, "enable_tag_overlap", default=True)
    terms = _texts(scoring, "query_terms", "scoring.query_terms")
    _no_others(scoring, _SCORING, "scoring.")
    trust = _section(top.get("trust_filter", {}), "trust_filter")
    denied = _texts(trust, "deny_classifications", "trust_filter.deny_classifications")
    snapshot = _text(trust, "trust_snapshot_path", "trust_filter.trust_snapshot_path")
    _no_others(trust, _TRUST, "trust_filter.")
    now = _text(top, "now_utc", "now_utc")
    now_us = None if now is None else parse_us(now)
    if now is not None and now_us is None:
        raise _Wrong("now_utc", "is not a timestamp")
    version = _text(top, "controller_version", "controller_version")
    if version is not None and version not in VERSIONS:
        raise _Wrong("controller_version", "must be one of " + ", ".join(VERSIONS))
    _no_others(top, _TOP, "")
    return Request(
        query=query,
        store_paths=tuple(store_paths),
        budget=budget,
        terms=derived_terms(query) if terms is None else given_terms(terms),
        tag_overlap=tag_overlap,
        half_life_days=half_life,
        recency=wants_recency and now_us is not None,
        deny_classifications=DEFAULT_DENIED if denied is None else tuple(denied),
        trust_snapshot_path=snapshot,
        now_us=now_us,
        version=version or PHASE6,
        terms_given=terms is not None,
    )


def _budget(top: dict[str, Any]) -> Budget:
    if "budget" not in top:
        raise _Wrong("budget.max_excerpt_tokens", "is required")
    budget = _section(top["budget"], "budget")
    most = _count(budget, "max_excerpt_tokens", "budget", None)
    per_item = _count(budget, "per_item_max_excerpt_tokens", "budget", most)
    items = _count(budget, "max_items", "budget", DEFAULT_MAX_ITEMS)
    _no_others(budget, _BUDGET, "budget.")
    return Budget(max_excerpt_tokens=most, per_item_max_excerpt_tokens=min(per_item, most), max_items=items)


def _section(value: Any, field: str) -> dict[str, Any]:
    """The fields of a section that are there; one that is null is not."""
    if not isinstance(value, dict):
        raise _Wrong(field, "must be an object")
    if not all(isinstance(key, str) for key in value):
        raise _Wrong(field, "has a field whose name is not a string")
    return {key: item for key, item in value.items() if item is not None}


def _no_others(section: dict[str, Any], known: tuple[str, ...], prefix: str) -> None:
    others = sorted(section.keys() - set(known))
    if others:
        where = prefix.rstrip(".") or "request"
        raise _Wrong(where, f"has {len(others)} unknown field(s); known are " + ", ".join(known))


def _text(section: dict[str, Any], name: str, field: str) -> str | None:
    value = section.get(name)
    if value is not None:
        _check_text(value, field)
    return value


def _texts(section: dict[str, Any], name: str, field: str) -> list[str] | None:
    value = section.get(name)
    if value is None:
        return None
    if not isinstance(value, list | tuple):
        raise _Wrong(field, "must be a list of strings")
    for place, item in enumerate(value):
        _check_text(item, f"{field}[{place}]")
    return list(value)


def _check_text(value: Any, field: str) -> None:
    if not isinstance(value, str):
        raise _Wrong(field, "must be a string")
    if not is_encodable(value):
        raise _Wrong(field, "must not contain unpaired surrogates")


def _flag(section: dict[str, Any], name: str, *, default: bool) -> bool:
    value = section.get(name, default)
    if not isinstance(value, bool):
        raise _Wrong(f"scoring.{name}", "must be true or false")
    return value


def _count(section: dict[str, Any], name: str, where: str, default: int | None) -> int:
    field = f"{where}.{name}"
    value = section.get(name, default)
    if value is None:
        raise _Wrong(field, "is required")
    if isinstance(value, bool) or not isinstance(value, int):
        raise _Wrong(field, "must be a whole number")
    if value < 1:
        raise _Wrong(field, "must be at least 1")
    if value > MAX_SAFE_INTEGER:
        raise _Wrong(field, "must be at most 2^53-1")
    return value
