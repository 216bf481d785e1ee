"""Programs that recall and remember: what they are given, what is on their record, and that it replays."""

import asyncio
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import mace
import places
from mace.engine.programs.hands import key_of
from mace.engine.runtime import Mace
from mace.testing import Sandbox

TENNIS = "I play tennis in Lyon on Sundays."


@mace.program("knows", version="1")
def knows(job: mace.Job, question: str) -> mace.Ending:
    known = job.recall(question, budget_tokens=400)
    return job.answer(known["text"] or "nothing", evidence=[known], value=known)


@mace.program("keeps", version="1")
def keeps(job: mace.Job, messages: Any) -> mace.Ending:
    return job.answer("kept", value=job.remember(messages))


@mace.program("careful", version="1")
def careful(job: mace.Job, given: Any) -> Any:
    """What a call fails with."""
    try:
        return {"value": job.recall(**given) if "query" in given else job.remember(given["messages"])}
    except mace.CallFailed as failed:
        return {"kind": failed.kind, "exception": failed.exception, "reason": failed.reason}


PROGRAMS = [knows, keeps, careful]


@pytest.fixture
def m(tmp_path: Path) -> Iterator[Mace]:
    with places.SqlitePlace(tmp_path).open(programs=PROGRAMS) as opened:
        yield opened


def matches(m: Mace, answer: Any) -> bool:
    return m.replay(answer["job_id"])["result"] == "MATCH"


def refs(answer: Any) -> list[str]:
    return [item["ref"] for item in answer["evidence"]]


def test_a_recall_is_given_as_the_verb_gives_it(m: Mace):
    m.ask("My favorite food is pizza", user_id="ana")
    m.remember("ana", TENNIS)
    answer = m.perform(knows, "Where do I play tennis?", user_id="ana")
    assert answer["status"] == "closed", answer["error"]
    known, direct = answer["answer"], m.recall("ana", "Where do I play tennis?", 400)
    assert {**known, "receipt": ""} == {**json.loads(json.dumps(direct)), "receipt": ""}
    assert answer["evidence"] == [
        {"kind": item["kind"], "ref": item["ref"], "score": item["score"]} for item in known["items"]
    ]
    assert {item["kind"] for item in answer["evidence"]} == {"fact", "turn"}
    (event,) = m.event(known["receipt"])
    assert event["event_type"] == "MEMORY_RECALLED"
    assert event["payload"]["job_id"] == answer["job_id"]
    assert matches(m, answer)


def test_it_replays_after_more_was_said_and_corrected(m: Mace):
    m.ask("My favorite sport is tennis", user_id="ana")
    m.remember("ana", TENNIS)
    answer = m.perform(knows, "my favorite sport", user_id="ana")
    assert matches(m, answer)
    for number in range(20):
        m.remember("ana", f"My favorite sport is chess, I said it {number} times.")
    m.ask("My favorite sport is chess", user_id="ana")
    assert matches(m, answer)
    assert m.perform(knows, "my favorite sport", user_id="ana")["text"] != answer["text"]
    assert m.verify()["ok"]


def test_it_replays_in_another_process_of_the_store(tmp_path: Path):
    place = places.SqlitePlace(tmp_path)
    with place.open(programs=PROGRAMS) as m:
        m.remember("ana", TENNIS)
        answers = [
            m.perform(knows, "tennis", user_id="ana"),
            m.perform(keeps, "I gave up tennis.", user_id="ana"),
        ]
    with place.open(programs=PROGRAMS) as m:
        assert all(matches(m, answer) for answer in answers)
        turns = [item["text"] for item in m.recall("ana", "tennis", kinds=["turn"])["items"]]
        assert turns == [TENNIS, "I gave up tennis."]  # a replay keeps nothing


def test_what_is_remembered_belongs_to_the_conversation_of_the_job(m: Mace):
    answer = m.perform(keeps, TENNIS, user_id="ana", conversation_id="day 1")
    assert answer["answer"]["conversation_id"] == "day 1"
    assert len(answer["answer"]["turn_ids"]) == 1
    assert m.recall("ana", "tennis", conversation_id="day 1")["items"][0]["ref"] == answer["answer"]["turn_ids"][0]
    assert m.recall("ana", "tennis", conversation_id="day 2")["items"] == []
    assert matches(m, answer)


def test_a_recall_may_be_of_the_conversation_of_the_job_alone(m: Mace):
    @mace.program("here", version="1")
    def here(job: mace.Job, question: str) -> mace.Ending:
        return job.answer("", evidence=[job.recall(question, in_conversation=True)])

    first = m.remember("ana", "I play tennis.", conversation_id="day 1")["turn_ids"]
    main = m.remember("ana", "I watch tennis.")["turn_ids"]
    assert refs(m.perform(here, "tennis", user_id="ana", conversation_id="day 1")) == first
    answer = m.perform(here, "tennis", user_id="ana")
    assert refs(answer) == main
    assert matches(m, answer)


@pytest.mark.parametrize(
    ("conversation_id", "said"), [("", "conversation_id"), ("ann.smith@gmail.com", "personal data")]
)
def test_a_conversation_that_cannot_be_one_is_refused(m: Mace, conversation_id: str, said: str):
    with pytest.raises(mace.InvalidInput, match=said):
        m.perform(keeps, TENNIS, user_id="ana", conversation_id=conversation_id)


@pytest.mark.parametrize("given", [{"query": "tennis"}, {"messages": TENNIS}])
def test_a_job_of_nobody_has_no_memory(m: Mace, given: Any):
    answer = m.perform(careful, given)
    assert answer["answer"]["kind"] == "refused"
    assert "user_id" in answer["answer"]["reason"]
    assert matches(m, answer)


@pytest.mark.parametrize(
    ("given", "kind", "said"),
    [
        ({"query": " "}, "refused", "query must have words"),
        ({"query": "tennis", "budget_tokens": 0}, "refused", "budget_tokens"),
        ({"messages": []}, "refused", "1 to 1000 turns"),
        ({"messages": [{"role": "robot", "content": "x"}]}, "refused", "role must be one of"),
        ({"messages": [{"role": "user", "content": {1, 2}}]}, "not_json", None),
    ],
)
def test_what_cannot_be_done_fails_by_its_kind(m: Mace, given: Any, kind: str, said: str | None):
    @mace.program("careful", version="2")
    def other(job: mace.Job, _: Any) -> Any:
        return careful(job, given)

    answer = m.perform(other, None, user_id="ana")
    assert answer["answer"]["kind"] == kind
    assert said is None or said in answer["answer"]["reason"]
    assert matches(m, answer)


@pytest.mark.parametrize(
    "call", [lambda job: job.recall(1), lambda job: job.recall("x", "y"), lambda job: job.remember(1)]
)
def test_an_argument_of_a_wrong_type_is_no_call(m: Mace, call: Any):
    @mace.program("wrong", version="1")
    def wrong(job: mace.Job, _: Any) -> str:
        try:
            call(job)
        except mace.InvalidInput:
            return "refused"
        return "done"

    answer = m.perform(wrong, None, user_id="ana")
    assert answer["text"] == "refused"
    assert m.job(answer["job_id"])["calls"] == []


def test_two_people_never_meet(m: Mace):
    m.remember("ana", "My parcel A is in Lyon.")
    m.remember("bo", "My parcel B is in Ghent.")
    for person, own, other in (("ana", "Lyon", "Ghent"), ("bo", "Ghent", "Lyon")):
        answer = m.perform(knows, "Where is the parcel of ana and bo?", user_id=person)
        assert own in answer["text"] and other not in json.dumps(answer)
        assert all(ref.startswith(f"turn/user_{person}/") for ref in refs(answer))


def test_branches_and_async_programs(m: Mace):
    @mace.program("many", version="1")
    async def many(job: mace.Job, said: list[str]) -> Any:
        async def one(branch: mace.Job, text: str) -> list[str]:
            branch.remember(text)
            await branch.acall("pause", text, lambda request: len(request), idempotent=True)
            return [item["ref"] for item in branch.recall("tennis")["items"]]

        await job.amap(one, said, at_most=3)
        return job.answer("done", evidence=job.recall("tennis")["items"])

    said = [f"Tennis match number {number} went well." for number in range(6)]
    answer = asyncio.run(_awaited(m, many, said))
    assert answer["status"] == "closed", answer["error"]
    assert sorted(refs(answer)) == [f"turn/user_ana/{number:08d}" for number in range(6)]
    m.remember("ana", "Tennis is over.")
    assert matches(m, answer)


async def _awaited(m: Mace, program: Any, given: Any) -> Any:
    return await m.aperform(program, given, user_id="ana", conversation_id="matches")


def test_a_recorded_block_recalls_and_remembers(m: Mace):
    m.remember("ana", TENNIS)
    with m.recording("What does she play?", "ana") as job:
        known = job.recall("tennis")
        kept = job.remember([{"role": "assistant", "content": "You play tennis."}])
        job.answer("tennis", evidence=[known])
    assert m.replay(job.job_id)["result"] == "NO_PROGRAM"
    assert kept["success"]
    assert [call["name"] for call in m.job(job.job_id)["calls"]] == ["recall", "remember"]


def test_the_log_names_what_was_recalled_and_repeats_none_of_it(m: Mace):
    m.remember("ana", TENNIS)
    answer = m.perform(knows, "tennis", user_id="ana")
    assert answer["log_id"] is not None
    outputs = m.read_reflective_log(answer["log_id"])["agent_outputs"]
    assert [item["text"] for item in outputs] == ["1 item: turn/user_ana/00000000"]
    listed = m.perform(keeps, [{"role": "user", "content": f"Line {n}."} for n in range(50)], user_id="ana")
    assert listed["log_id"] is not None
    (shown,) = [item["text"] for item in m.read_reflective_log(listed["log_id"])["agent_outputs"]]
    assert shown.startswith("50 items: turn/user_ana/00000001") and len(shown) <= 500


def test_personal_data_stays_out_unless_consent_covers_it(m: Mace):
    words = "Write to ann.smith@gmail.com about tennis."
    kept = m.perform(keeps, words, user_id="ana")
    assert "ann.smith" not in m.recall("ana", "tennis")["text"]
    assert matches(m, kept)
    until = datetime.now(UTC) + timedelta(days=1)
    consent = m.grant_consent("ana", "Keep my mail address.", "persistent", expires_at=until, data_types=["email"])
    words, given = "My mail for chess is ann.smith@gmail.com.", consent["consent_id"]
    covered = m.perform(keeps, words, user_id="ana", consent_id=given)
    assert covered["answer"]["redacted"] == []
    assert "ann.smith@gmail.com" in m.recall("ana", "chess")["text"]
    told = m.perform(knows, "chess", user_id="ana", consent_id=given)
    assert "ann.smith@gmail.com" in told["text"]
    assert matches(m, covered) and matches(m, told)


def test_a_person_of_whom_nothing_is_known(m: Mace):
    m.remember("bo", TENNIS)
    answer = m.perform(knows, "tennis", user_id="cy")
    assert (answer["text"], answer["evidence"]) == ("nothing", [])
    assert matches(m, answer)


def test_evidence_may_be_one_item_of_a_recall(m: Mace):
    @mace.program("one", version="1")
    def one(job: mace.Job, question: str) -> mace.Ending:
        known = job.recall(question)
        return job.answer("", evidence=[known["items"][0], {"kind": "person", "ref": "ana"}])

    m.remember("ana", TENNIS)
    answer = m.perform(one, "tennis", user_id="ana")
    assert [(item["kind"], item["ref"]) for item in answer["evidence"]] == [
        ("turn", "turn/user_ana/00000000"),
        ("person", "ana"),
    ]
    assert matches(m, answer)


def test_a_step_has_one_key_that_no_detector_takes_for_a_number():
    from mace.engine.kernel.cleaning import is_personal

    keys = [key_of(stream, number) for stream in ("a", "b") for number in range(200)]
    assert len(set(keys)) == len(keys)
    assert keys[0] == key_of("a", 0)
    assert not any(map(is_personal, keys))
    assert all(key.isalpha() for key in keys)


@pytest.mark.breaks_its_store  # a sandbox is gone with its store
def test_in_a_sandbox():
    with Sandbox() as sandbox:
        m = sandbox.open(programs=[knows])
        m.remember("ana", TENNIS)
        answer = m.perform(knows, "tennis", user_id="ana")
        assert TENNIS in answer["text"]
        assert matches(m, answer)
