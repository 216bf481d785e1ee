"""The router: which agent is asked first, and who comes next when it cannot answer.

Pure. It calls no agent, knows no health and reads no configuration; callers pass in what is switched off, who
is out, and whether the privacy detector flagged the text. Rules, their order and their reasons are those of
the stage 0 text (its exact patterns, not the looser prose above them): logs and golden tests quote them, so a
new rule goes to the bottom. The privacy gate stands before all rules and has no switch, because an account
number would otherwise read as mathematics. All patterns are plain alternations: time is linear in the text.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mace.core.canon import sha256_hex
from mace.core.errors import FAILURES

DEPTH = 1  # a question takes one pass

AGENTS = (
    "math_agent",
    "knowledge_agent",
    "profile_agent",
    "creative_agent",
    "strategy_agent",
    "operational_agent",
    "generic_agent",
    "verification_agent",
)

_OFF = frozenset({"false", "off", "no", "0"})


def _pattern(source: str) -> re.Pattern[str]:
    return re.compile(source, re.IGNORECASE)


_MY = _pattern(r"\bmy\b")
_PROFILE_WORD = _pattern(r"favorite|favourite|profile|name|birthday|address|phone|\b(?:age|email|birth)\b")
_PROFILE_QUESTION = _pattern(r"\b(?:what is my|who am i)\b")  # `What is myopia?` is not about the asker
_MATH = _pattern(r"(\d+|\+|\-|\*|\/|\^|=|integrat|differentiat|derivative|solve|calculate|compute|∫|dx|Σ|sum)")
_FACT = _pattern(r"^(what is|who is|when was|where is|define|explain (what|who|why))")
_COMMAND = _pattern(r"^(set|save|remember|create|delete|schedule|send|open)\b")
_CREATIVE = _pattern(r"(write a|poem|story|compose|lyrics|song|slogan|ad copy|joke)")
_STRATEGY = _pattern(r"(plan|roadmap|strategy|best way to|how to start|optimi[sz]e|design a)")
_SEARCH = _pattern(r"(search|look up|find|cite|source|links|news about)")


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of the router: `matches` is asked with the stripped text and whether there is a user."""

    name: str
    agent_id: str
    route_reason: str
    matches: Callable[[str, bool], bool]


def _found(pattern: re.Pattern[str]) -> Callable[[str, bool], bool]:
    return lambda text, has_user: pattern.search(text) is not None


def _about_the_asker(text: str, has_user: bool) -> bool:
    if not has_user:
        return False
    if _PROFILE_QUESTION.search(text):
        return True
    return _MY.search(text) is not None and _PROFILE_WORD.search(text) is not None


RULES = (
    Rule("profile", "profile_agent", "profile_lookup", _about_the_asker),
    Rule("math", "math_agent", "math_detect", _found(_MATH)),
    Rule("fact", "knowledge_agent", "fact_lookup", _found(_FACT)),
    Rule("command", "operational_agent", "command", _found(_COMMAND)),
    Rule("creative", "creative_agent", "creative", _found(_CREATIVE)),
    Rule("strategy", "strategy_agent", "strategy", _found(_STRATEGY)),
    Rule("search", "knowledge_agent", "search", _found(_SEARCH)),
    Rule("fallback", "generic_agent", "fallback", lambda text, has_user: True),
)

TOGGLE_KEYS: Mapping[str, str] = {rule.name: f"mace/config/router/enable_{rule.name}" for rule in RULES}


@dataclass(frozen=True, slots=True)
class Candidate:
    agent_id: str
    route_reason: str


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision: whom to ask, in order. Without candidates `error_code` says why."""

    candidates: tuple[Candidate, ...]
    removed: tuple[str, ...]
    error_code: str | None

    @property
    def agent_id(self) -> str | None:
        return self.candidates[0].agent_id if self.candidates else None

    @property
    def route_reason(self) -> str:
        """Return the first candidate's reason, or the error code in lower case."""
        return self.candidates[0].route_reason if self.candidates else str(self.error_code).lower()

    @property
    def is_fallback(self) -> bool:
        """Say whether `router_fallback_count` goes up."""
        return self.route_reason == "fallback"

    def answer(self) -> dict[str, Any]:
        """Return the decision as callers of `route_query` see it."""
        if self.error_code is not None:
            return {"error_code": self.error_code, "user_message": FAILURES[self.error_code].user_message}
        return {"agent_id": self.agent_id, "route_reason": self.route_reason, "depth": DEPTH}

    def trace_entry(self, iteration: int) -> dict[str, Any]:
        """Return the entry of `route_trace`; iterations count from 1."""
        return {
            "iteration": iteration,
            "candidates": [candidate.agent_id for candidate in self.candidates],
            "chosen": self.agent_id,
            "route_reason": self.route_reason,
            "removed": list(self.removed),
        }


def decide(
    query_text: str,
    user_id: str | None = None,
    context_tags: Mapping[str, Any] | None = None,
    *,
    enabled: Mapping[str, bool] | None = None,
    pii_flagged: bool = False,
    removed: Sequence[str] = (),
) -> Decision:
    """Decide who is asked, in order; the later candidates are what deciding again without the earlier gives.

    `enabled` maps rule names to switches (all are on unless said otherwise), `removed` lists the agents that
    are out, in the order they went. `context_tags` is part of the request and decides nothing at this stage.
    """
    _check(query_text, user_id, context_tags, enabled or {}, removed)
    if pii_flagged:
        return Decision((), tuple(removed), "PRIVACY_BLOCKED")
    candidates = _candidates(query_text.strip(), bool(user_id), enabled or {}, removed)
    return Decision(candidates, tuple(removed), None if candidates else "ROUTER_NO_MATCH")


def route_query(
    query_text: str,
    user_id: str | None = None,
    context_tags: Mapping[str, Any] | None = None,
    *,
    enabled: Mapping[str, bool] | None = None,
    pii_flagged: bool = False,
    removed: Sequence[str] = (),
) -> dict[str, Any]:
    """Return `{agent_id, route_reason, depth}`, or `{error_code, user_message}`."""
    return decide(query_text, user_id, context_tags, enabled=enabled, pii_flagged=pii_flagged, removed=removed).answer()


def screened_route_query(
    query_text: str,
    user_id: str | None = None,
    context_tags: Mapping[str, Any] | None = None,
    *,
    pii: Callable[[str], bool],
) -> dict[str, Any]:
    """Route a text after `pii` has seen it: the public form, once a detector is bound to it."""
    _check(query_text, user_id, context_tags, {}, ())
    return route_query(query_text, user_id, context_tags, pii_flagged=pii(query_text))


def switches(stored: Mapping[str, object]) -> dict[str, bool]:
    """Read the rule switches from the facts under `TOGGLE_KEYS`; only a clear no switches a rule off."""
    return {rule: _is_on(stored[key]) for rule, key in TOGGLE_KEYS.items() if key in stored}


def router_decision_record(
    decision: Decision, redacted_text: str, user_id: str | None, timestamp: str
) -> dict[str, Any]:
    """Return the record that every decision leaves.

    The hash is over the text as the agents may see it: of a raw text that holds a card number, the hash alone
    would let the number be guessed.
    """
    return {
        "event": "router_decision",
        "query_hash": sha256_hex(redacted_text),
        "user_id": user_id,
        "agent_id": decision.agent_id,
        "route_reason": decision.route_reason,
        "timestamp": timestamp,
    }


def _candidates(
    text: str, has_user: bool, enabled: Mapping[str, bool], removed: Collection[str]
) -> tuple[Candidate, ...]:
    reasons: dict[str, str] = {}  # agent to its first reason; knowledge_agent has two rules
    for rule in RULES:
        if rule.agent_id in reasons or rule.agent_id in removed or not enabled.get(rule.name, True):
            continue
        if rule.matches(text, has_user):
            reasons[rule.agent_id] = rule.route_reason
    return tuple(Candidate(agent_id, reason) for agent_id, reason in reasons.items())


def _is_on(value: object) -> bool:
    if isinstance(value, str):
        return value.strip().lower() not in _OFF
    return value is not False and value != 0


def _check(
    query_text: object, user_id: object, context_tags: object, enabled: Mapping[str, bool], removed: object
) -> None:
    if not isinstance(query_text, str):
        raise TypeError(f"query_text must be a str, got {type(query_text).__name__}")
    if user_id is not None and not isinstance(user_id, str):
        raise TypeError("user_id must be a str or None")
    if context_tags is not None and not isinstance(context_tags, Mapping):
        raise TypeError("context_tags must be a mapping or None")
    if isinstance(removed, str):
        raise TypeError("removed must be a list of agent ids")
    unknown = set(enabled) - set(TOGGLE_KEYS)
    if unknown:
        raise ValueError(f"unknown router rule: {', '.join(sorted(unknown))}")
