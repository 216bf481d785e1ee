"""The words for what a language engine does: kinds of failure, what a person hears, and what to do about it.

Pure. Every reason that an attempt can end with stands in `REASONS`, with its kind and the remedy; nothing here is ever
taken from what a provider said. Remedies name the settings of the engine they are about: `llm_...`, `llm_backup_...` or
`judge_...`, with the variable that sets it.
"""

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Literal

FailureKind = Literal[
    "auth",  # the key is missing or refused
    "rate",  # too many requests at the moment
    "server",  # 5xx
    "network",  # no connection, or it broke
    "timeout",  # too slow
    "malformed",  # what came is no answer of this protocol
    "config",  # this process cannot ask at all
    "request",  # the endpoint does not take this request: wrong address, unknown model, too long
    "empty",  # a whole answer without a text
    "filtered",  # a content filter kept the answer back
    "refused",  # the model said that it will not answer
    "tool_call",  # the model wants a tool called, and was offered none
]

_FIRST = "llm"

# By reason: its kind, and what to do. {setting:NAME} is a setting of the engine that is meant, {general:NAME} one that
# holds for all of them.
REASONS: Mapping[str, tuple[FailureKind, str]] = MappingProxyType(
    {
        "key_missing": (
            "auth",
            "set {setting:api_key}, or {setting:needs_key} to false where the server asks for none",
        ),
        "key_malformed": ("auth", "{setting:api_key} has characters that cannot be sent: copy the key again"),
        "key_refused": ("auth", "the endpoint refused the key: check {setting:api_key} and {setting:url}"),
        "too_many_requests": ("rate", "the endpoint has too many requests: ask less often"),
        "no_credit": (
            "request",
            "the account has no credit or quota left: look at the provider's billing",
        ),
        "status": ("server", "the endpoint failed: try again, or set {general:backup_model} for a second engine"),
        "no_connection": ("network", "nobody answers at {setting:url}: check the address and that the server runs"),
        "connection_broke": ("network", "the endpoint broke the connection off: look at its own log"),
        "no_scheme": ("config", "{setting:url} must begin with http:// or https://"),
        "other_origin": ("network", "the endpoint led to another address, which gets no key: check {setting:url}"),
        "connect_time": ("timeout", "too slow to connect: check {setting:url}, or raise {general:connect_timeout_ms}"),
        "header_time": (
            "timeout",
            "too slow: no answer began in time; raise {general:header_timeout_ms} and {general:total_timeout_ms}",
        ),
        "body_time": ("timeout", "too slow: the answer stopped half-way; raise {general:header_timeout_ms}"),
        "total_time": ("timeout", "too slow: raise {general:total_timeout_ms}"),
        "gateway_time": ("timeout", "too slow: the endpoint itself gave up waiting; look at its own limits"),
        "too_large": ("malformed", "the answer was too large to be read: check that {setting:url} is a chat endpoint"),
        "encoded": ("malformed", "the answer came packed, though that was not asked for: check {setting:url}"),
        "not_a_completion": (
            "malformed",
            "what came is no chat completion: {setting:url} must be the address of the API (it often ends in /v1)",
        ),
        "not_installed": ("config", ""),  # the adapter says what to install
        "unknown_provider": (
            "config",
            "{setting:kind} names no known protocol: openai, anthropic, google, ...",
        ),
        "not_usable": ("config", "the engine cannot be used as it is set: check {setting:url} and {setting:kind}"),
        "bad_request": ("request", "the endpoint does not take the request: check {setting:model} and what it allows"),
        "not_found": (
            "request",
            "there is no such address or model: check {setting:url} (it often ends in /v1) and {setting:model}",
        ),
        "no_such_model": ("request", "the endpoint has no such model: check {setting:model}"),
        "wrong_address": ("request", "the endpoint answers elsewhere or otherwise: check {setting:url}"),
        "too_long": ("request", "the prompt is too long for this model: ask for less, or set another {setting:model}"),
        "empty_answer": ("empty", "the model gave no text: ask again, or set another {setting:model}"),
        "cut_before_text": (
            "empty",
            "no token was left for a text: raise {general:answer_tokens}, {general:text_tokens}, {general:plan_tokens}",
        ),
        "content_filter": (
            "filtered",
            "the provider's content filter kept the answer back: ask in other words",
        ),
        "refusal": (
            "refused",
            "the model refused to answer: ask in other words, or set another {setting:model}",
        ),
        "tool_call": ("tool_call", "the model asked for a tool, and none was offered: set another {setting:model}"),
    }
)

# What a person hears instead of "I can’t reach my language engine": it was reached, or it was only slow.
_SAID: Mapping[str, str] = MappingProxyType(
    {
        "timeout": "My language engine was too slow to answer.",
        "empty": "My language engine gave an empty answer.",
        "filtered": "The content filter of my language engine kept its answer back.",
        "refused": "My language engine refused to answer that.",
        "tool_call": "My language engine asked for a tool instead of answering.",
    }
)
# Kinds that tell nothing about whether the engine works for the next question.
NOT_DOWN: frozenset[str] = frozenset({"request", "empty", "filtered", "refused", "tool_call"})

NOT_CONFIGURED = "no language engine is configured"
SAID_NOT_CONFIGURED = "I have no language engine, and this needs one."
SAID_OFFLINE = "My language engine failed several times in a row, so I let it rest for a while."
REMEDY_NOT_CONFIGURED = (
    "set llm_model (MACE_LLM_MODEL) and, for a server of your own, llm_url (MACE_LLM_URL); mace doctor --probe tries it"
)

_NAMED = re.compile(r"\{(setting|general):(\w+)\}")


def remedy(reason: str, prefix: str = _FIRST) -> str:
    """What to do about an attempt that ended for this reason, with the settings of the engine that is meant."""
    _, text = REASONS.get(reason, ("server", ""))
    return _NAMED.sub(lambda found: _setting(found.group(2), prefix if found.group(1) == "setting" else _FIRST), text)


_INSTALL = re.compile(r"pip install '[a-z0-9_.\[\]-]{1,80}'")


def own_words(reason: str, hint: str) -> tuple[str, str]:
    """A reason and a hint as far as they are ours: an engine that somebody brought may have put anything there."""
    if reason not in REASONS:
        return "other", ""
    ours = {remedy(reason, prefix) for prefix in ("llm", "llm_backup", "judge")}
    return reason, hint if hint in ours or _INSTALL.fullmatch(hint) else ""


def _setting(name: str, prefix: str) -> str:
    whole = f"{'llm' if prefix == 'llm_backup' and name == 'needs_key' else prefix}_{name}"
    return f"{whole} (MACE_{whole.upper()})"


def said_of(kinds: Sequence[str]) -> str | None:
    """What a person hears of a call in which every attempt failed so; None where the usual words are true."""
    if not kinds or not all(kind in _SAID for kind in kinds):
        return None
    return _SAID[kinds[-1]]


_THOUGHT = re.compile(
    r"<(/?)(?:think|thinking|thought|reasoning|reflection|scratchpad)(?:\s[^<>]{0,64})?>", re.IGNORECASE
)


_THINK = re.compile(r"(?<!`)<think>.*?(?:</think>|\Z)", re.DOTALL)


def without_thinking(text: str) -> str:
    """The text without what a model thought aloud in the usual tag, ended or not; of other tags nothing is known."""
    return _THINK.sub("", text)


def without_open_thought(text: str) -> str:
    """The text without a thought that was begun and never ended, wherever it began.

    A tag in backticks is only talked about.
    """
    opened: list[int] = []
    for tag in _THOUGHT.finditer(text):
        if tag.group(1):
            if opened:
                opened.pop()
        elif text[tag.start() - 1 : tag.start()] != "`":
            opened.append(tag.start())
    return text[: opened[0]].rstrip() if opened else text
