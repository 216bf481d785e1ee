"""Once more or not: a table."""

import pytest

from mace.core.seeds import seeded_delay_ms
from mace.engine.kernel.retry import Failure, OnceMore, agent_failure, decide

NO, YES = "F-FAIL-01", "T16"  # seeds that decide so
WRITE = Failure("write", "SERVICE_UNAVAILABLE")
TIMEOUT = Failure("agent", "AGENT_TIMEOUT")


def down(*kinds: str) -> Failure:
    return Failure("agent", "LLM_SERVICE_DOWN", kinds)


@pytest.mark.parametrize(
    ("failure", "attempt", "seed", "decided"),
    [
        (WRITE, 1, NO, OnceMore(seeded_delay_ms(NO))),
        (WRITE, 1, YES, OnceMore(seeded_delay_ms(YES))),
        (WRITE, 2, YES, None),
        (Failure("write", "STORAGE_FULL"), 1, YES, None),
        (Failure("write", "CONFLICT"), 1, YES, None),
        (TIMEOUT, 1, YES, OnceMore(0)),
        (TIMEOUT, 1, NO, None),
        (TIMEOUT, 2, YES, None),
        (Failure("agent", "AGENT_TIMEOUT", is_final=True), 1, YES, None),
        (down("server"), 1, YES, OnceMore(0)),
        (down("key_missing", "network"), 1, YES, OnceMore(0)),
        (down("timeout"), 1, NO, None),
        (down("rate"), 1, YES, OnceMore(0)),
        (down("key_missing"), 1, YES, None),
        (down(), 1, YES, None),
        (Failure("agent", "AGENT_ERROR", ("server",)), 1, YES, None),
        (Failure("agent", "SERVICE_UNAVAILABLE"), 1, YES, None),
        (Failure("agent", None), 1, YES, None),
    ],
)
def test_once_more_or_not(failure: Failure, attempt: int, seed: str, decided: OnceMore | None):
    assert decide(failure, attempt, seed) == decided


def test_what_an_agent_tells_of_its_providers():
    told = {"attempts": [{"kind": "server"}, {"provider": "backup"}]}
    assert agent_failure("LLM_SERVICE_DOWN", told) == down("server", "None")
    assert agent_failure("LLM_SERVICE_DOWN", {"attempts": [{"kind": "rate", "retry_after_s": 9}]}) == down("later")
    assert agent_failure("LLM_SERVICE_DOWN", {}) == down()
    assert agent_failure("LLM_SERVICE_DOWN", {"attempts": None}) == down()
    assert agent_failure("LLM_SERVICE_DOWN", {"attempts": ["server", 7]}) == down()
    assert agent_failure("LLM_SERVICE_DOWN", {"attempts": "server"}) == down()


def test_what_an_agent_says_of_trying_again():
    assert agent_failure("AGENT_TIMEOUT", {"retriable": False}) == Failure("agent", "AGENT_TIMEOUT", is_final=True)
    for told in ({}, {"retriable": True}, {"retriable": None}, {"retriable": 0}):
        assert agent_failure("AGENT_TIMEOUT", told) == TIMEOUT
