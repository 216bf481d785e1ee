"""How much an engine may write for each task, and what is said of an answer that reached that limit.

Pure. An agent that asks an engine without a number of its own gets the number of its task, which is a setting and part
of the question's snapshot. An answer that ended because its tokens were used up is not whole: it is marked so, and it
is never confident.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from mace.agents.asking import USUAL_TOKENS, Effect

_TASKS: Mapping[str, str] = MappingProxyType({"creative_agent": "text", "strategy_agent": "plan"})
_CUT = "length"  # how an answer ended whose tokens were used up
# How an answer ended that is not whole for another reason, and what is told of it.
_ENDED_OTHERWISE: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "content_filter": {
            "reason": "the provider's content filter ended the language engine's answer",
            "said": "This answer was ended by the provider's content filter; only its beginning is shown.",
            "remedy": "ask in other words, or use another model",
        },
        "tool_call": {
            "reason": "the language engine asked for a tool, and nothing was done",
            "said": "The language engine wanted to use a tool, which it cannot; nothing was done.",
            "remedy": "use a model, or an instruction, that does not ask for tools",
        },
    }
)
_SHARE = 0.9  # of the threshold: a part of an answer is below it


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputTokens:
    """Tokens of an answer, by task; part of a question's constants."""

    answer: int = 800
    text: int = 2000
    plan: int = 2000


def as_asked(_agent_id: str, effect: Effect, _tokens: OutputTokens) -> Effect:
    return effect


def by_task(agent_id: str, effect: Effect, tokens: OutputTokens) -> Effect:
    """An effect with the limit of the agent's task, where the agent named none."""
    if effect.kind != "complete" or effect.request.get("max_output_tokens") != USUAL_TOKENS:
        return effect
    limit: int = getattr(tokens, _task(agent_id))
    return Effect(effect.kind, {**effect.request, "max_output_tokens": limit}, effect.writes)


def _task(agent_id: str) -> str:
    return _TASKS.get(agent_id, "answer")


def never_cut(_agent_id: str, _effect: Effect, _value: Mapping[str, Any]) -> dict[str, Any] | None:
    return None


def cut_short(agent_id: str, effect: Effect, value: Mapping[str, Any]) -> dict[str, Any] | None:
    """What is told of an engine's answer that is not whole; None of one that is."""
    ended = value.get("finish_reason")
    if ended is not None and ended in _ENDED_OTHERWISE:
        return {"cut": True, **_ENDED_OTHERWISE[ended]}
    if ended != _CUT:
        return None
    limit = value.get("second_tokens", effect.request.get("max_output_tokens"))
    setting = f"llm_{_task(agent_id)}_tokens"
    return {
        "cut": True,
        "max_output_tokens": limit,
        "reason": f"the language engine's answer was cut off at {limit} tokens",
        "said": "This answer was cut off before its end.",
        "remedy": f"raise {setting} (MACE_{setting.upper()}), or allow a second attempt with llm_second_tokens "
        "(MACE_LLM_SECOND_TOKENS)",
    }


def confidence_of_part(confidence: float, threshold: float) -> float:
    """How sure an answer is of which only a part is there."""
    return min(confidence, round(threshold * _SHARE, 6))
