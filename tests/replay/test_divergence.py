"""Replay finds what no signature shows: rewritten by somebody with the keys, or decided by other code."""

from collections.abc import Callable
from typing import Any

import pytest

import places
from governed import parts_of
from mace.agents.asking import Effect, Reply, Result, Task
from mace.agents.evidence import Evidence
from replay import forging, odd_agents

NAME = "user/profile/user_ana/name"


def ask_who(place: places.Place) -> dict[str, Any]:
    with place.open() as mace:
        mace.ask("My name is Ana", "ana")
        answer = mace.ask("Who am I?", "ana", "who")
        assert mace.replay(answer["job_id"])["result"] == "MATCH"
        return answer


def replayed(place: places.Place, answer: dict[str, Any], **options: Any) -> dict[str, Any]:
    with place.open(**options) as mace:
        return mace.replay(answer["job_id"])


@pytest.mark.breaks_its_store
class TestForged:
    """By somebody who has the keys: every signature and every chain is good."""

    def test_a_decision(self, place: places.Place):
        answer = ask_who(place)
        at = forging.rewrite_event(
            place, answer["job_id"], "router_decision", lambda payload: {**payload, "agent_id": "math_agent"}
        )
        found = replayed(place, answer)
        assert (found["result"], found["incident_id"]) == ("REPLAY_DIVERGENCE", None)
        first = found["first_difference"]
        assert first["sequence_index"] == at
        assert first["stored"]["payload"]["agent_id"] == "math_agent"
        assert first["replayed"]["payload"]["agent_id"] == "profile_agent"

    def test_what_was_asked_for(self, mace_home: places.SqlitePlace):
        answer = ask_who(mace_home)
        job = answer["job_id"]
        with mace_home.open() as mace:
            events = mace.events(job)
        at = next(i for i, event in enumerate(events) if "request_hash" in event["payload"])
        forging.rewrite_event(mace_home, job, "EFFECT_DONE", lambda payload: {**payload, "request_hash": "0" * 64})
        found = replayed(mace_home, answer)
        assert (found["result"], found["first_difference"]["sequence_index"]) == ("REPLAY_DIVERGENCE", at)

    def test_a_recorded_result(self, mace_home: places.SqlitePlace):
        """The sealed result of another effect, moved here, does not open; a hash that was changed does not fit."""
        answer = ask_who(mace_home)
        forging.rewrite_event(
            mace_home, answer["job_id"], "EFFECT_DONE", lambda payload: {**payload, "result_hash": "0" * 64}
        )
        assert replayed(mace_home, answer)["result"] == "REPLAY_DIVERGENCE"

    def test_the_result(self, place: places.Place):
        answer = ask_who(place)
        at = forging.rewrite_event(
            place, answer["job_id"], "JOB_CLOSED", lambda payload: {**payload, "result_hash": "0" * 64}
        )
        found = replayed(place, answer)
        assert found["result"] == "RESULT_MISMATCH"
        assert found["first_difference"]["sequence_index"] == at
        assert found["first_difference"]["stored"]["payload"]["result_hash"] == "0" * 64

    def test_the_reflective_log(self, place: places.Place):
        answer = ask_who(place)
        forging.rewrite_log(place, answer["job_id"], answer["log_id"], "final_confidence", 0.125)
        found = replayed(place, answer)
        assert found["result"] == "RESULT_MISMATCH"
        assert found["first_difference"]["fields"] == ["final_confidence"]
        assert found["first_difference"]["system_version_now"] == found["first_difference"]["system_version_stored"]


def other_words(task: Task) -> Reply:
    text = "You are Ana, I think."
    return Reply(text=text, evidence=(Evidence(kind="fact", ref=NAME, text=text),))


def other_effects(task: Task) -> Any:
    found: Result = yield Effect("read_fact", {"key": NAME})
    return Reply(text=f"Your name is {found.value['value']}.")


class TestChangedCode:
    @pytest.mark.parametrize(
        ("agents", "event_type"),
        [
            ({"profile_agent": other_words}, "EFFECT_DONE"),
            ({"profile_agent": other_effects}, "EFFECT_DONE"),
            ({"profile_agent": odd_agents.raises}, "EFFECT_DONE"),
            ({"profile_agent": odd_agents.declines}, "EFFECT_DONE"),
        ],
        ids=["other words", "other effects", "raises now", "declines now"],
    )
    def test_an_agent_that_does_something_else(
        self, mace_home: places.SqlitePlace, agents: dict[str, Any], event_type: str
    ):
        answer = ask_who(mace_home)
        with mace_home.open(agents=agents) as mace:
            found = mace.replay(answer["job_id"])
            version = mace.describe()["system_version"]
        assert found["result"] == "REPLAY_DIVERGENCE"
        first = found["first_difference"]
        assert first["stored"]["event_type"] == event_type
        assert (first["system_version_stored"], first["system_version_now"]) == (version, version)

    def test_an_agent_that_writes_another_answer(self, mace_home: places.SqlitePlace):
        def says(word: str) -> Callable[[Task], Reply]:
            evidence = (Evidence(kind="operation", ref="said", text=word),)
            return lambda task: Reply(text=word, evidence=evidence)

        with mace_home.open(agents={"generic_agent": says("one")}) as mace:
            answer = mace.ask("Blorp the quux")
        with mace_home.open(agents={"generic_agent": says("two")}) as mace:
            found = mace.replay(answer["job_id"])
        assert found["result"] == "REPLAY_DIVERGENCE"
        assert found["first_difference"]["stored"]["event_type"] == "AGENT_OUTPUT"

    def test_another_version_is_named(self, mace_home: places.SqlitePlace):
        answer = ask_who(mace_home)
        with mace_home.open(agents={"profile_agent": other_words}) as mace:
            wrote = mace.describe()["system_version"]
            object.__setattr__(mace._parts.world, "system_version", "mace-9.9.9")
            first = mace.replay(answer["job_id"])["first_difference"]
            assert (first["system_version_stored"], first["system_version_now"]) == (wrote, "mace-9.9.9")

    def test_another_version_that_does_the_same_matches(self, mace_home: places.SqlitePlace):
        answer = ask_who(mace_home)
        with mace_home.open() as mace:
            object.__setattr__(mace._parts.world, "system_version", "mace-9.9.9")
            assert mace.replay(answer["job_id"])["result"] == "MATCH"

    def test_an_agent_that_is_no_longer_there(self, mace_home: places.SqlitePlace):
        answer = ask_who(mace_home)
        with mace_home.open() as mace:
            parts_of(mace).programs["ask"]._packaged.remove("profile_agent")  # type: ignore[attr-defined]
            found = mace.replay(answer["job_id"])
        assert found["result"] == "REPLAY_DIVERGENCE"

    def test_an_agent_that_exits_does_not_take_the_replay_with_it(self, mace_home: places.SqlitePlace):
        answer = ask_who(mace_home)
        assert replayed(mace_home, answer, agents={"profile_agent": odd_agents.exits})["result"] == "REPLAY_DIVERGENCE"
