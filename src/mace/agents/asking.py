"""What an agent is given, what it may ask of the world, and what it hands back.

Pure. An agent is a generator: it yields an `Effect` and is sent the `Result`, as often as it likes, and returns a
`Reply` or a `Decline`. It never performs anything; the engine does, records the result first, and can therefore play
the same agent again. Texts, traces and evidence lie sealed; the reason of a decline and the details of a failure stand
on the ledger in plain sight, so they name ids, codes and counts, never what a person wrote.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from mace.agents.evidence import Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A question as agents may see it: personal data above low is already redacted."""

    text: str
    user_id: str | None = None
    suggestions: tuple[str, ...] = ()  # what the council wants changed, on a repair
    previous: str | None = None  # the answer they are about
    expected_key: str | None = None  # the reply to a miss: where what was asked for belongs
    has_engine: bool = False
    withheld: tuple[str, ...] | None = None  # the types of what was redacted; None in logs that do not tell
    spoken_of: Mapping[str, Any] | None = None  # the attribute that was spoken of last: what "no, it's elm" is about
    conversation_id: str | None = None  # the conversation of the person that it belongs to
    memory_tokens: int = 0  # how much of what is known about the person may go into a prompt


@dataclass(frozen=True, slots=True)
class Effect:
    """Something asked of the world; `request` is JSON and is what is hashed and recorded."""

    kind: str
    request: dict[str, Any]
    writes: bool = False


@dataclass(frozen=True, slots=True)
class Result:
    """What an effect came to, exactly as it was recorded: what is personal and not covered reads `[redacted]`."""

    value: Any
    failed: str | None = None
    withheld: tuple[str, ...] = ()  # the types of what was redacted


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """An agent's answer. `failed` names a failure to be told; with it there may be no text."""

    text: str | None
    confidence: float = 1.0
    evidence: tuple[Evidence, ...] = ()
    trace: tuple[str, ...] = ()
    tokens: int = 0
    failed: str | None = None
    details: Mapping[str, Any] = field(default_factory=dict)
    expects_key: str | None = None  # a reply to this answer is the value of this key


@dataclass(frozen=True, slots=True)
class Decline:
    """Not for this agent; no failure."""

    reason: str


USUAL_TOKENS = 800  # of an engine's answer, where an agent names no number: then the setting of its task counts
_MAX_KIND_CHARS = 64  # of a name that is repeated

Agent = Callable[[Task], Generator[Effect, Result, Reply | Decline] | Reply | Decline]
Asking = Generator[Effect, Result, Reply | Decline]


# Every kind of effect that is performed, and whether it writes.
EFFECT_KINDS: Mapping[str, bool] = MappingProxyType(
    {
        "read_profile": False,
        "find_profile": False,
        "list_profile": False,
        "read_knowledge": False,
        "find_knowledge": False,
        "read_fact": False,
        "read_context": False,
        "recall": False,
        "compute": False,
        "complete": False,
        "judge": False,
        "write_profile": True,
        "write_fact": True,
        "request_deletion": True,
    }
)


def wrong_effect(effect: Effect) -> str | None:
    """Say what is wrong with an effect that nobody performs; None for one that somebody does."""
    writes = EFFECT_KINDS.get(effect.kind)
    if writes is None:
        from difflib import get_close_matches

        near = get_close_matches(effect.kind, EFFECT_KINDS, 1)
        hint = f" (did you mean {near[0]!r}?)" if near else ""
        name = repr(effect.kind) if effect.kind.isidentifier() and len(effect.kind) <= _MAX_KIND_CHARS else "this"
        return f"no effect of kind {name}{hint}; known kinds: {', '.join(EFFECT_KINDS)}"
    if writes != effect.writes:
        return f"an effect of kind {effect.kind!r} must have writes={writes}"
    return None


def read_profile(phrase: str, attribute: str, user_id: str) -> Effect:
    return Effect("read_profile", {"phrase": phrase, "attribute": attribute, "user_id": user_id})


def find_profile(phrase: str, attribute: str, same: Sequence[str], also: Sequence[str], user_id: str) -> Effect:
    """What is stored of the person under one of the names `same`, or else of `also`, in their order."""
    request = {"phrase": phrase, "attribute": attribute, "same": list(same), "also": list(also), "user_id": user_id}
    return Effect("find_profile", request)


def list_profile(user_id: str) -> Effect:
    """What is stored of the person, by attribute; at most so much that a person reads it."""
    return Effect("list_profile", {"user_id": user_id})


def read_knowledge(subject: str, attribute: str) -> Effect:
    return Effect("read_knowledge", {"subject": subject, "attribute": attribute})


def find_knowledge(subjects: Sequence[str]) -> Effect:
    """Which of these names are stored, and with which attributes; nothing of a person."""
    return Effect("find_knowledge", {"subjects": list(subjects)})


def write_profile(phrase: str, attribute: str, value: Any, user_id: str, same: Sequence[str] = ()) -> Effect:
    """Store a value: where one of the names `same` is stored already, else under the attribute."""
    request = {"phrase": phrase, "attribute": attribute, "value": value, "user_id": user_id}
    return Effect("write_profile", {**request, "same": list(same)} if same else request, writes=True)


def write_fact(key: str, value: Any, user_id: str | None) -> Effect:
    return Effect("write_fact", {"key": key, "value": value, "user_id": user_id}, writes=True)


def request_deletion(phrase: str, attribute: str, user_id: str, same: Sequence[str] = ()) -> Effect:
    """Ask for a deletion: of what is stored under one of the names `same`, else under the attribute."""
    request = {"phrase": phrase, "attribute": attribute, "user_id": user_id}
    return Effect("request_deletion", {**request, "same": list(same)} if same else request, writes=True)


def compute(function: str, arguments: dict[str, Any]) -> Effect:
    return Effect("compute", {"function": function, "arguments": arguments})


def complete(system: str, prompt: str, max_output_tokens: int = USUAL_TOKENS) -> Effect:
    return Effect("complete", {"system": system, "prompt": prompt, "max_output_tokens": max_output_tokens})


def judge(system: str, prompt: str, max_output_tokens: int = 300) -> Effect:
    return Effect("judge", {"system": system, "prompt": prompt, "max_output_tokens": max_output_tokens})


def read_fact(key: str) -> Effect:
    return Effect("read_fact", {"key": key})


def recall(query: str, budget_tokens: int, conversation_id: str | None = None, *, others: bool = True) -> Effect:
    """What is known about the person who asks; without `others` only facts that hold a word of the query."""
    request: dict[str, Any] = {"query": query, "budget_tokens": budget_tokens, "others": others}
    return Effect("recall", request if conversation_id is None else {**request, "conversation_id": conversation_id})


def read_context(query: str) -> Effect:
    return Effect("read_context", {"query": query})
