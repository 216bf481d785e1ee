"""A kind of job is a program and nothing else: a toy one is played live, and replays by the same road."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

import places
from governed import parts_of
from mace.core.errors import Conflict
from mace.engine.kernel.job import Ending, Hands, Jobs, NoHands, abandon, play, snapshot_hash
from mace.engine.kernel.tape import Outcome, Tape
from mace.engine.questions.replay import Replays
from mace.engine.questions.results import log_payload
from mace.engine.questions.turn import TurnState
from mace.engine.runtime import Mace
from mace.storage.ports import Tx

RECEIVED = {"text": "hello", "source": "user_request", "query_id": "q", "query_text_hash": "0" * 64}


class Echo:
    """Asks for one effect and says what it was sent, as it was sent."""

    def __init__(self, before: str = "") -> None:
        self.before = before

    def rules(self) -> dict[str, int]:
        return {}

    def play(self, tape: Tape, received: Mapping[str, Any], snapshot: Mapping[str, Any], hands: Hands) -> Ending:
        tape.event("INPUT_RECEIVED", {"input_hash": tape.keep("input", dict(received)), "source": received["source"]})
        sent = tape.effect("look", {"at": received["text"]}, lambda: Outcome({"z": 1.0, "a": received["text"]}))
        facts = {"kind": "sem", "keys": {}}
        version = snapshot["system_version"]
        return Ending(
            result={"said": self.before + json.dumps(sent.value)},
            error_code=None,
            log=log_payload(tape, received, TurnState(), [], 0, snapshot_hash(facts), version),
            facts=facts,
            kept={"beside": {"n": 1}},
            state="left",
        )


@pytest.fixture
def mace(mace_home: places.SqlitePlace) -> Iterator[Mace]:
    with mace_home.open() as opened:
        yield opened


@pytest.fixture
def jobs(mace: Mace) -> Jobs:
    parts = parts_of(mace)
    return Jobs(parts.world, parts.recorder, parts.vault, parts.logs.write, parts.holding)


def played(mace: Mace, jobs: Jobs) -> tuple[Ending, str, list[Any]]:
    after: list[Any] = []

    def unit(tx: Tx) -> tuple[Any, dict[str, Any]]:
        tape = jobs.claim(tx, "a seed", "echo", None, {"by": "a test"})
        return tape, jobs.take(tx, tape, {"kind": "job", "system_version": "mace-test", "half": 1.0})

    tape, snapshot = parts_of(mace).world.store.write(unit)
    assert (type(snapshot["half"]), list(snapshot)) == (int, ["half", "kind", "system_version"])  # as recorded
    record = jobs.record(tape, lambda tx, ending: after.append(ending.state))
    return play(Echo(), tape, RECEIVED, snapshot, NoHands(), record), tape.stream, after


def replayed(mace: Mace, job_id: str, **programs: Any) -> dict[str, Any]:
    replays = Replays(
        parts_of(mace).world,
        parts_of(mace).vault,
        parts_of(mace).logs,
        parts_of(mace).incidents,
        programs,
        lambda findings: None,
    )
    return replays.replay(job_id)


def test_a_toy_program_is_played_and_replays(mace: Mace, jobs: Jobs):
    ending, job_id, after = played(mace, jobs)
    assert (ending.result, after) == ({"said": '{"a": "hello", "z": 1}'}, ["left"])
    assert [event["event_type"] for event in mace.events(job_id)] == [
        "JOB_OPENED",
        "SNAPSHOT_TAKEN",
        "INPUT_RECEIVED",
        "EFFECT_DONE",
        "SNAPSHOT_TAKEN",
        "REFLECTIVE_LOG_WRITTEN",
        "JOB_CLOSED",
    ]
    opened = mace.events(job_id)[0]["payload"]
    assert (opened["verb"], opened["by"]) == ("echo", "a test")
    assert [(job["kind"], job["status"]) for job in mace.jobs.list()["items"]] == [("echo", "closed")]
    assert replayed(mace, job_id, echo=Echo())["result"] == "MATCH"
    assert mace.verify()["ok"]


def test_another_program_is_found_out(mace: Mace, jobs: Jobs):
    _, job_id, _ = played(mace, jobs)
    assert replayed(mace, job_id, echo=Echo("again: "))["result"] == "RESULT_MISMATCH"
    outcome = mace.replay(job_id)
    assert (outcome["result"], outcome["first_difference"]["kind"]) == ("NO_PROGRAM", "echo")


def test_a_seed_is_claimed_once_also_after_the_job_was_given_up(mace: Mace, jobs: Jobs):
    job_id = parts_of(mace).world.store.write(lambda tx: jobs.claim(tx, "a seed", "echo", None, {})).stream
    with pytest.raises(Conflict):
        parts_of(mace).world.store.write(lambda tx: jobs.claim(tx, "a seed", "echo", None, {}))
    parts_of(mace).world.store.write(lambda tx: abandon(tx, parts_of(mace).recorder, job_id))
    with pytest.raises(Conflict):
        parts_of(mace).world.store.write(lambda tx: jobs.claim(tx, "a seed", "ask", None, {}))
    assert [job["status"] for job in mace.jobs.list()["items"]] == ["abandoned"]
    assert mace.events(job_id)[-1]["event_type"] == "JOB_ABANDONED"


def test_nobody_has_hands_on_replay():
    hands = NoHands()
    with pytest.raises(RuntimeError):
        hands.perform(None, 1.0)  # type: ignore[arg-type]
    with pytest.raises(RuntimeError):
        hands.write(None, None)  # type: ignore[arg-type]
    assert (hands.run(lambda: "at once", 0.0), hands.elapsed_ms()) == ("at once", 0.0)
