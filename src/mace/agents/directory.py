"""Which agent stands behind which name, and how far each is trusted."""

from collections.abc import Mapping
from types import MappingProxyType

from mace.agents.asking import Agent
from mace.agents.knowledge import knowledge_agent
from mace.agents.language import creative_agent, generic_agent, strategy_agent
from mace.agents.mathematician import math_agent
from mace.agents.operational import operational_agent
from mace.agents.profile import profile_agent

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
