"""Which agent stands behind which name, how far each is trusted, and which names somebody may bring an agent for."""

from collections.abc import Mapping
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any

from mace.agents.asking import Agent
from mace.agents.fallback import creative_agent, generic_agent, strategy_agent
from mace.agents.knowledge import knowledge_agent
from mace.agents.mathematician import math_agent
from mace.agents.operational import operational_agent
from mace.agents.profile import profile_agent
from mace.core.errors import InvalidInput

AGENTS: Mapping[str, Agent] = MappingProxyType(
    {
        "profile_agent": profile_agent,
        "math_agent": math_agent,
        "knowledge_agent": knowledge_agent,
        "operational_agent": operational_agent,
        "creative_agent": creative_agent,
        "strategy_agent": strategy_agent,
        "generic_agent": generic_agent,
    }
)

# What reads or computes exactly is trusted most, what an engine writes least.
TRUST: Mapping[str, float] = MappingProxyType(
    {
        "profile_agent": 1.0,
        "math_agent": 1.0,
        "operational_agent": 1.0,
        "knowledge_agent": 0.9,
        "verification_agent": 0.9,
        "strategy_agent": 0.6,
        "creative_agent": 0.6,
        "generic_agent": 0.5,
    }
)


def check_agents(brought: Any) -> None:
    """Refuse agents that would never be asked or cannot be called: `InvalidInput` says which, and what is right."""
    if not isinstance(brought, Mapping):
        raise InvalidInput(f"agents must map names to agents, got {type(brought).__name__}")
    for name, agent in brought.items():
        if name not in AGENTS:
            near = get_close_matches(str(name), AGENTS, 1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise InvalidInput(f"agents: nobody asks an agent called {name!r}. Known names: {', '.join(AGENTS)}.{hint}")
        if not callable(agent):
            raise InvalidInput(f"agents[{name!r}] must be callable, got {type(agent).__name__}")
