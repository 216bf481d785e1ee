"""Golden tests of the router: T12 to T15 and R-T1 to R-T7 of the stage 0 text."""

import pytest

from mace.agents.router import route_query, screened_route_query
from mace.governance.detectors import HIGH, detect

pytestmark = [pytest.mark.stage0, pytest.mark.golden]


def is_highly_personal(text: str) -> bool:
    return any(finding.sensitivity == HIGH for finding in detect(text))


def test_T12_ROUTER_MATH():
    assert route_query("Integrate x^2 dx")["agent_id"] == "math_agent"


def test_T13_ROUTER_FACT():
    assert route_query("What is Ohm's law?")["agent_id"] == "knowledge_agent"


def test_T14_ROUTER_PROFILE_LOOKUP():
    assert route_query("What is my favorite color?", user_id="user_tuff")["agent_id"] == "profile_agent"


def test_T15_ROUTER_FALLBACK():
    text = "Do something weird and unknown"
    assert route_query(text) == {"agent_id": "generic_agent", "route_reason": "fallback", "depth": 1}
    assert route_query(text, enabled={"fallback": False}) == {
        "error_code": "ROUTER_NO_MATCH",
        "user_message": "I don’t have a module for that type of request yet.",
    }


@pytest.mark.parametrize(
    ("text", "user_id", "agent_id", "route_reason"),
    [
        pytest.param("Integrate x^2 dx", None, "math_agent", "math_detect", id="R-T1"),
        pytest.param("What is Ohm's law?", None, "knowledge_agent", "fact_lookup", id="R-T2"),
        pytest.param("What is my favorite color?", "tuff", "profile_agent", "profile_lookup", id="R-T3"),
        pytest.param("Write a short poem about rains", None, "creative_agent", "creative", id="R-T4"),
        pytest.param("Remember my favorite food is pizza", "tuff", "profile_agent", "profile_lookup", id="R-T5-user"),
        pytest.param("Remember my favorite food is pizza", None, "operational_agent", "command", id="R-T5-nobody"),
        pytest.param("Blorp the quux gently", None, "generic_agent", "fallback", id="R-T6"),
    ],
)
def test_routes(text: str, user_id: str | None, agent_id: str, route_reason: str):
    answer = screened_route_query(text, user_id, pii=is_highly_personal)
    assert answer == {"agent_id": agent_id, "route_reason": route_reason, "depth": 1}


@pytest.mark.parametrize("user_id", [None, "tuff"])
def test_R_T7_privacy_block(user_id: str | None):
    answer = screened_route_query("My SSN is 536-22-8726, remember it", user_id, pii=is_highly_personal)
    assert answer == {
        "error_code": "PRIVACY_BLOCKED",
        "user_message": "I can’t store or repeat that kind of sensitive personal information.",
    }
