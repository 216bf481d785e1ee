"""The router: each rule and its neighbours, the order, switches, removal, and what is left on record."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mace.agents.router import (
    AGENTS,
    RULES,
    TOGGLE_KEYS,
    decide,
    route_query,
    router_decision_record,
    screened_route_query,
    switches,
)
from mace.memory.keys import valid_key

BLOCKED = {
    "error_code": "PRIVACY_BLOCKED",
    "user_message": "I can’t store or repeat that kind of sensitive personal information.",
}
NO_MATCH = {
    "error_code": "ROUTER_NO_MATCH",
    "user_message": "I don’t have a module for that type of request yet.",
}


@pytest.mark.parametrize(
    ("text", "user_id", "agent_id", "route_reason"),
    [
        # profile
        ("What is my favourite colour?", "tuff", "profile_agent", "profile_lookup"),
        ("what is my job", "tuff", "profile_agent", "profile_lookup"),
        ("WHO AM I?", "tuff", "profile_agent", "profile_lookup"),
        ("My name is Ann", "tuff", "profile_agent", "profile_lookup"),
        ("my email", "tuff", "profile_agent", "profile_lookup"),
        ("my age", "tuff", "profile_agent", "profile_lookup"),
        ("date of my birth", "tuff", "profile_agent", "profile_lookup"),
        ("is my profile private", "tuff", "profile_agent", "profile_lookup"),
        ("my username", "tuff", "profile_agent", "profile_lookup"),
        ("forget my birthday", "tuff", "profile_agent", "profile_lookup"),
        ("my 3 favorite numbers", "tuff", "profile_agent", "profile_lookup"),
        ("my package", "tuff", "generic_agent", "fallback"),
        ("my emails", "tuff", "generic_agent", "fallback"),
        ("army name", "tuff", "generic_agent", "fallback"),
        ("my job", "tuff", "generic_agent", "fallback"),
        ("What is myopia?", "tuff", "knowledge_agent", "fact_lookup"),
        ("who am indeed", "tuff", "generic_agent", "fallback"),
        ("What is my name?", None, "knowledge_agent", "fact_lookup"),
        ("What is my name?", "", "knowledge_agent", "fact_lookup"),
        ("who am i", None, "generic_agent", "fallback"),
        # mathematics
        ("7", None, "math_agent", "math_detect"),
        ("a well-known tune", None, "math_agent", "math_detect"),
        ("What is 2+2?", None, "math_agent", "math_detect"),
        ("DERIVATIVE of sine", None, "math_agent", "math_detect"),
        ("summer", None, "math_agent", "math_detect"),
        ("∫ f", None, "math_agent", "math_detect"),
        ("Σ", None, "math_agent", "math_detect"),
        ("write a song about 3 bears", None, "math_agent", "math_detect"),
        # facts
        ("  who is Ada Lovelace", None, "knowledge_agent", "fact_lookup"),
        ("When was Rome founded?", None, "knowledge_agent", "fact_lookup"),
        ("where is Rome", None, "knowledge_agent", "fact_lookup"),
        ("defined by whom", None, "knowledge_agent", "fact_lookup"),
        ("explain why it rains", None, "knowledge_agent", "fact_lookup"),
        ("explain rain", None, "generic_agent", "fallback"),
        ("tell me what is rain", None, "generic_agent", "fallback"),
        # commands
        ("Delete the note", None, "operational_agent", "command"),
        ("open", None, "operational_agent", "command"),
        ("opening hours", None, "generic_agent", "fallback"),
        ("please save it", None, "generic_agent", "fallback"),
        ("create a poem", None, "operational_agent", "command"),
        # creative, strategy, search
        ("tell me a joke", None, "creative_agent", "creative"),
        ("a history of Rome", None, "creative_agent", "creative"),
        ("roadmap", None, "strategy_agent", "strategy"),
        ("Optimise it", None, "strategy_agent", "strategy"),
        ("planet", None, "strategy_agent", "strategy"),
        ("best way to find work", None, "strategy_agent", "strategy"),
        ("look up Rome", None, "knowledge_agent", "search"),
        ("news about Rome", None, "knowledge_agent", "search"),
        # fallback
        ("", None, "generic_agent", "fallback"),
        ("你好", None, "generic_agent", "fallback"),
    ],
)
def test_the_first_rule_that_matches_decides(text: str, user_id: str | None, agent_id: str, route_reason: str):
    assert route_query(text, user_id) == {"agent_id": agent_id, "route_reason": route_reason, "depth": 1}


def test_the_order_of_the_rules():
    assert [(rule.name, rule.agent_id, rule.route_reason) for rule in RULES] == [
        ("profile", "profile_agent", "profile_lookup"),
        ("math", "math_agent", "math_detect"),
        ("fact", "knowledge_agent", "fact_lookup"),
        ("command", "operational_agent", "command"),
        ("creative", "creative_agent", "creative"),
        ("strategy", "strategy_agent", "strategy"),
        ("search", "knowledge_agent", "search"),
        ("fallback", "generic_agent", "fallback"),
    ]
    assert {rule.agent_id for rule in RULES} <= set(AGENTS)


EVERYTHING = "Define my favorite plan: find a story, solve 1+1"


@pytest.mark.parametrize(
    ("off", "agent_id", "route_reason"),
    [
        ((), "profile_agent", "profile_lookup"),
        (("profile",), "math_agent", "math_detect"),
        (("profile", "math"), "knowledge_agent", "fact_lookup"),
        (("profile", "math", "fact"), "creative_agent", "creative"),
        (("profile", "math", "fact", "creative"), "strategy_agent", "strategy"),
        (("profile", "math", "fact", "creative", "strategy"), "knowledge_agent", "search"),
        (("profile", "math", "fact", "creative", "strategy", "search"), "generic_agent", "fallback"),
    ],
)
def test_a_rule_can_be_switched_off(off: tuple[str, ...], agent_id: str, route_reason: str):
    answer = route_query(EVERYTHING, "tuff", enabled=dict.fromkeys(off, False))
    assert answer == {"agent_id": agent_id, "route_reason": route_reason, "depth": 1}


def test_the_command_rule_can_be_switched_off():
    answer = route_query("open the story", enabled={"command": False, "creative": True})
    assert answer["agent_id"] == "creative_agent"


def test_all_rules_off_is_no_match():
    assert route_query(EVERYTHING, "tuff", enabled={rule.name: False for rule in RULES}) == NO_MATCH


def test_an_unknown_rule_is_refused():
    with pytest.raises(ValueError, match="privacy"):
        route_query("x", enabled={"privacy": False})


def test_the_switches_have_keys_of_their_own():
    assert TOGGLE_KEYS["math"] == "mace/config/router/enable_math"
    assert len(TOGGLE_KEYS) == 8 and all(valid_key(key) for key in TOGGLE_KEYS.values())


@pytest.mark.parametrize(
    ("value", "on"),
    [
        (False, False),
        (0, False),
        ("false", False),
        (" OFF ", False),
        ("no", False),
        ("0", False),
        (True, True),
        (1, True),
        ("true", True),
        (None, True),
        ("", True),
        ([], True),
    ],
)
def test_only_a_clear_no_switches_a_rule_off(value: object, on: bool):
    assert switches({"mace/config/router/enable_math": value, "mace/config/router/other": False}) == {"math": on}


def test_deciding_again_without_the_earlier_gives_the_later():
    whole = decide(EVERYTHING, "tuff")
    assert [candidate.agent_id for candidate in whole.candidates] == [
        "profile_agent",
        "math_agent",
        "knowledge_agent",
        "creative_agent",
        "strategy_agent",
        "generic_agent",
    ]
    removed: list[str] = []
    trace = []
    for candidate in whole.candidates:
        again = decide(EVERYTHING, "tuff", removed=removed)
        trace.append(again.trace_entry(len(trace) + 1))
        assert again.agent_id == candidate.agent_id
        assert again.candidates == whole.candidates[len(removed) :]
        removed.append(candidate.agent_id)
    assert trace[1] == {
        "iteration": 2,
        "candidates": ["math_agent", "knowledge_agent", "creative_agent", "strategy_agent", "generic_agent"],
        "chosen": "math_agent",
        "route_reason": "math_detect",
        "removed": ["profile_agent"],
    }
    assert trace[2]["route_reason"] == "fact_lookup"  # and search does not bring knowledge_agent back
    assert trace[5]["route_reason"] == "fallback"
    assert decide(EVERYTHING, "tuff", removed=removed).answer() == NO_MATCH
    assert decide(EVERYTHING, "tuff", removed=removed).trace_entry(7) == {
        "iteration": 7,
        "candidates": [],
        "chosen": None,
        "route_reason": "router_no_match",
        "removed": removed,
    }


@given(st.text(max_size=60), st.sampled_from([None, "tuff"]), st.sets(st.sampled_from([r.name for r in RULES])))
def test_candidates_are_what_deciding_again_gives(text: str, user_id: str | None, off: set[str]):
    enabled = dict.fromkeys(off, False)
    whole = decide(text, user_id, enabled=enabled)
    names = [candidate.agent_id for candidate in whole.candidates]
    assert len(set(names)) == len(names)
    for count in range(len(names) + 1):
        again = decide(text, user_id, enabled=enabled, removed=names[:count])
        assert again.candidates == whole.candidates[count:]


@pytest.mark.parametrize("text", ["7", "what is my name", "hello", ""])
def test_the_privacy_gate_stands_before_every_rule_and_switch(text: str):
    decision = decide(text, "tuff", pii_flagged=True, enabled={rule.name: True for rule in RULES})
    assert decision.answer() == BLOCKED
    assert decision.trace_entry(1) == {
        "iteration": 1,
        "candidates": [],
        "chosen": None,
        "route_reason": "privacy_blocked",
        "removed": [],
    }


def test_the_public_form_shows_the_detector_the_whole_text():
    seen: list[str] = []

    def flagged(text: str) -> bool:
        seen.append(text)
        return "4111" in text

    assert screened_route_query(" 4111 ", pii=flagged) == BLOCKED
    assert screened_route_query("hello", None, {"channel": "cli"}, pii=flagged)["agent_id"] == "generic_agent"
    assert seen == [" 4111 ", "hello"]


@pytest.mark.parametrize(
    ("query_text", "user_id", "context_tags"),
    [(None, None, None), (b"x", None, None), (5, None, None), ("x", 5, None), ("x", None, ["tag"])],
)
def test_wrong_types_raise(query_text, user_id, context_tags):
    with pytest.raises(TypeError):
        route_query(query_text, user_id, context_tags)
    with pytest.raises(TypeError):
        screened_route_query(query_text, user_id, context_tags, pii=lambda text: False)


def test_removed_is_a_list():
    with pytest.raises(TypeError):
        route_query("x", removed="generic_agent")


def test_the_record_of_a_decision():
    decision = decide("hello there", "tuff")
    assert decision.is_fallback
    assert router_decision_record(decision, "hello there", "tuff", "2025-11-29T12:00:00Z") == {
        "event": "router_decision",
        "query_hash": hashlib.sha256(b"hello there").hexdigest(),
        "user_id": "tuff",
        "agent_id": "generic_agent",
        "route_reason": "fallback",
        "timestamp": "2025-11-29T12:00:00Z",
    }


def test_the_record_of_a_blocked_query():
    decision = decide("my card is 4111 1111 1111 1111", pii_flagged=True)
    record = router_decision_record(decision, "my card is [redacted]", None, "2025-11-29T12:00:00Z")
    assert (record["agent_id"], record["route_reason"]) == (None, "privacy_blocked")
    assert record["query_hash"] == hashlib.sha256(b"my card is [redacted]").hexdigest()
    assert not decision.is_fallback
