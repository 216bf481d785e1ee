"""An agent that raises: the whole stack is kept, sealed under the job's key, and the record has its hash."""

from typing import Any

import pytest

import places
from mace.engine.kernel.stacks import MAX_CHARACTERS, stack_of
from replay import odd_agents

QUESTION = "12 + 30"


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


def contents(mace: Any, job_id: str, event_type: str) -> dict[str, Any]:
    """What the sealed parts of the first such event with a stack say, as an admin reads them."""
    event = next(e for e in mace.events(job_id) if e["event_type"] == event_type and "stacktrace_hash" in e["payload"])
    (read,) = mace.forensics.read_event(event["event_id"], purpose="an agent failed")
    found: dict[str, Any] = read["contents"]
    return found


@pytest.mark.parametrize(
    ("agent", "exception", "line"),
    [
        (odd_agents.raises, "ZeroDivisionError", f"ZeroDivisionError: {odd_agents.CANARY}: {QUESTION}"),
        (odd_agents.raises_after_an_effect, "RuntimeError", f"RuntimeError: {odd_agents.CANARY}"),
        (odd_agents.exits, "SystemExit", "SystemExit: 3"),
    ],
    ids=["raises", "raises after an effect", "exits"],
)
def test_the_stack_of_an_agent_is_kept_sealed(mace_home: places.SqlitePlace, agent: Any, exception: str, line: str):
    with mace_home.open(agents={"math_agent": agent}) as mace:
        answer = mace.ask(QUESTION, "bob")
        event = next(e for e in mace.events(answer["job_id"]) if e["event_type"] == "AGENT_ERROR")
        assert (event["payload"]["agent_id"], event["payload"]["exception"]) == ("math_agent", exception)
        kept = contents(mace, answer["job_id"], "AGENT_ERROR")["stacktrace/0"]
        assert (kept["agent_id"], kept["exception"]) == ("math_agent", exception)
        assert kept["payload"]["text"] == QUESTION
        assert kept["stacktrace"].startswith("Traceback (most recent call last):")
        assert kept["stacktrace"].rstrip().endswith(line)
        assert f"in {agent.__name__}" in kept["stacktrace"]
        assert mace.replay(answer["job_id"])["result"] == "MATCH"
        assert mace.verify()["ok"]
    files = b"".join(file.read_bytes() for file in mace_home.folder.rglob("*") if file.is_file())
    assert odd_agents.CANARY.encode() not in files


def test_the_stack_of_an_effect_is_kept_sealed(mace_home: places.SqlitePlace):
    with mace_home.open(agents={"math_agent": odd_agents.asks_for_no_key}) as mace:
        answer = mace.ask(QUESTION)
        kept = contents(mace, answer["job_id"], "EFFECT_DONE")
        assert kept["effect/0"]["value"] == {"exception": "KeyError"}
        assert kept["effect/0/stacktrace"]["stacktrace"].rstrip().endswith("KeyError: 'key'")
        assert mace.replay(answer["job_id"])["result"] == "MATCH"


def test_it_goes_with_the_person(mace_home: places.SqlitePlace):
    with mace_home.open(agents={"math_agent": odd_agents.raises}) as mace:
        answer = mace.ask(QUESTION, "bob")
        asked = mace.request_dsr("bob", "delete", mace.accounts.issue_identity_proof("bob")["proof"])
        mace.vote(asked["request_id"], "owner", "approve")
        assert contents(mace, answer["job_id"], "AGENT_ERROR") == {"stacktrace/0": {"redaction_reason": "ERASED"}}


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (ValueError("a\ud800b"), "ValueError: a\\ud800b"),
        (ValueError("a\x00b"), "ValueError: a\\x00b"),
        (Unspeakable(), "<exception str() failed>"),
        (KeyboardInterrupt(), "KeyboardInterrupt"),
    ],
    ids=["a lone surrogate", "NUL", "no words", "an interrupt"],
)
def test_whatever_was_raised_can_be_kept(error: BaseException, told: str):
    assert stack_of(error)["stacktrace"].rstrip().endswith(told)


def test_of_a_long_one_the_beginning_and_the_end_are_kept():
    text = stack_of(ValueError("x" * 10_000_000 + "end"))["stacktrace"]
    assert len(text) < MAX_CHARACTERS + 100
    assert text.startswith("ValueError: xxx")
    assert text.rstrip().endswith("end")
