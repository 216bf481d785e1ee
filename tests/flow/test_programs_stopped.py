"""Programs that are told to stop, or catch what they should not, or use a job in ways that cannot be replayed."""

import asyncio
import json
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import canaries
import mace
import places
from mace.core import seeds
from mace.core.errors import Conflict, InvalidInput
from mace.engine.runtime import Mace

_versions = iter(range(1_000_000))


@pytest.fixture
def place(tmp_path: Path) -> places.Place:
    return places.SqlitePlace(tmp_path)


@pytest.fixture
def m(place: places.Place) -> Iterator[Mace]:
    with place.open() as opened:
        yield opened


def marked(function: Any) -> Any:
    return mace.program("stopped", str(next(_versions)))(function)


class Running:
    """A program that runs in a thread of its own."""

    def __init__(self, m: Mace, function: Any, seed: str, **more: Any) -> None:
        self.m, self.job_id = m, seeds.job_id(seed)
        self.answers: list[Any] = []
        self._thread = threading.Thread(
            target=lambda: self.answers.append(m.perform(marked(function), None, "ana", seed, **more))
        )
        self._thread.start()

    def until(self, name: str) -> None:
        """Wait until a call of this name has begun."""
        for _ in range(1000):
            try:
                if any(call["name"] == name for call in self.m.job(self.job_id)["calls"]):
                    return
            except mace.NotFound:
                pass
            time.sleep(0.01)
        raise AssertionError("it did not begin")

    def answer(self) -> Any:
        self._thread.join(60)
        return self.answers[0]


def _waits(request: Any) -> None:
    threading.Event().wait(15)


def _survives(job: mace.Job, given: Any) -> str:
    for _ in range(3):
        with suppress(BaseException):
            job.call("long", {}, _waits)
    return "I survived"


def _returns(job: mace.Job, given: Any) -> str:
    try:
        job.call("long", {}, _waits)
    except mace.CallFailed:
        return "caught"
    return "done"


def _in_branches(job: mace.Job, given: Any) -> Any:
    return job.map(lambda branch, item: branch.call("long", {}, _waits), [1, 2])


def _uncaught(job: mace.Job, given: Any) -> Any:
    return job.call("long", {}, _waits)


def _asks(job: mace.Job, given: Any) -> Any:
    return {"said": job.ask_person("May I?")}


async def _awaits(job: mace.Job, given: Any) -> Any:
    async def long(request: Any) -> None:
        await asyncio.sleep(15)

    return await job.acall("long", {}, long)


@pytest.mark.parametrize("program", [_survives, _returns, _in_branches, _uncaught, _asks, _awaits])
def test_a_cancelled_job_is_cancelled_whatever_its_program_does(m: Mace, program: Any):
    running = Running(m, program, "cancelled")
    running.until("ask_person" if program is _asks else "long")
    m.cancel(running.job_id, "not wanted")
    answer = running.answer()
    assert (answer["status"], answer["text"], answer["answer"]) == ("cancelled", None, None)
    assert m.job(running.job_id)["status"] == "cancelled"
    assert m.replay(running.job_id)["result"] == "MATCH" and m.verify()["ok"]


def _late(job: mace.Job, given: Any) -> str:
    job.call("short", {}, lambda request: time.sleep(0.5))
    return "late"


@pytest.mark.parametrize("program", [_survives, _returns, _in_branches, _uncaught, _asks, _late, _awaits])
def test_a_job_past_its_deadline_has_failed_whatever_its_program_does(m: Mace, program: Any):
    soon = m._parts.world.clock.now() + timedelta(milliseconds=300)
    answer = Running(m, program, "late", deadline=soon).answer()
    assert answer["status"] == "failed" and answer["error"]["error_code"] == "AGENT_TIMEOUT"
    assert 0 < answer["error"]["meta"]["timeout_ms"] <= 300
    assert m.replay(answer["job_id"])["result"] == "MATCH"


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("in_branch", [False, True])
def test_being_stopped_in_a_call_goes_through(m: Mace, stop: type[BaseException], in_branch: bool):
    def stops(request: Any) -> None:
        raise stop

    def program(job: mace.Job, given: Any) -> str:
        with suppress(BaseException):
            if in_branch:
                job.map(lambda branch, item: branch.call("stops", {}, stops), [1, 2])
            else:
                job.call("stops", {}, stops)
        with suppress(BaseException):
            job.call("next", {}, lambda request: 1)
        return "went on"

    with pytest.raises(stop):
        m.perform(marked(program), None, "ana", "quit")
    assert m.job(seeds.job_id("quit"))["status"] == "interrupted"
    assert m.verify()["ok"]


def test_a_timeout_of_asyncio_around_a_call(m: Mace):
    async def program(job: mace.Job, given: Any) -> Any:
        async def long(request: Any) -> None:
            await asyncio.sleep(15)

        try:
            await asyncio.wait_for(job.acall("long", {}, long), 0.05)
        except TimeoutError:
            return await job.acall("next", {}, lambda request: "went on")

    answer = m.perform(marked(program), None, "ana")
    assert answer["status"] == "interrupted" and "time_limit_ms" in answer["error"]["developer_message"]
    assert m.job(answer["job_id"])["status"] == "interrupted"


def test_a_task_that_performs_can_be_cancelled(m: Mace):
    async def program(job: mace.Job, given: Any) -> Any:
        return await job.acall("long", {}, lambda request: threading.Event().wait(2))

    async def outer() -> None:
        async with asyncio.timeout(0.3):
            await m.aperform(marked(program), None, "ana", "outer")

    with pytest.raises(TimeoutError):
        asyncio.run(outer())
    assert m.job(seeds.job_id("outer"))["status"] == "interrupted"


def test_one_job_used_twice_at_once_is_told_so_again(m: Mace):
    async def program(job: mace.Job, given: Any) -> Any:
        async def one(number: int) -> Any:
            try:
                return await job.acall("do", {"n": number}, lambda request: request["n"])
            except mace.CallFailed as failed:
                return failed.kind

        return await asyncio.gather(one(1), one(2))

    answer = m.perform(marked(program), None)
    assert answer["answer"] == [1, "foreign_handle"]
    assert m.replay(answer["job_id"])["result"] == "MATCH"


# What a changed program does


def _interrupted(m: Mace, first: Any, second: Any) -> tuple[str, Any]:
    """A job that was stopped while the first function made its call, resumed with the second."""
    name = f"changed{next(_versions)}"
    with pytest.raises(KeyboardInterrupt):
        m.perform(mace.program(name)(first), None, "ana", name)
    m._parts.performing.programs.registry._known.clear()  # as another process that has the other function
    m._parts.performing.programs.registry.add(mace.program(name)(second))
    return seeds.job_id(name), m.resume(seeds.job_id(name))


def test_a_call_that_becomes_idempotent_is_not_made_again(m: Mace):
    paid: list[int] = []

    def pay(request: Any) -> None:
        paid.append(1)
        raise KeyboardInterrupt

    def first(job: mace.Job, given: Any) -> Any:
        return job.call("pay", {}, pay)

    def second(job: mace.Job, given: Any) -> Any:
        return job.call("pay", {}, pay, idempotent=True)

    _, answer = _interrupted(m, first, second)
    assert answer["status"] == "abandoned" and paid == [1]


@pytest.mark.breaks_its_store  # the program is another one afterwards
@pytest.mark.parametrize("change", ["name", "more"])
def test_another_branch_is_a_divergence(m: Mace, change: str):
    names, items = ["side"], [1, 2]

    def program(job: mace.Job, given: Any) -> str:
        with job.branch(names[0]) as side:
            side.call("do", {}, lambda request: 1)
        job.map(lambda branch, item: branch.call("do", {"i": item}, lambda request: 1), items)
        return "done"

    answer = m.perform(marked(program), None)
    assert m.replay(answer["job_id"])["result"] == "MATCH"
    if change == "name":
        names[0] = "other"
    else:
        items.append(3)
    told = m.replay(answer["job_id"])
    assert told["result"] == "REPLAY_DIVERGENCE" and told["first_difference"]["differs"] == "another branch"


# What must not be told, sent or mixed


@pytest.mark.breaks_its_store  # the program is another one afterwards
def test_names_of_exceptions_and_members_tell_nothing(m: Mace):
    kind = type(f"E_{canaries.EMAIL}", (Exception,), {})

    def program(job: mace.Job, given: Any) -> Any:
        raise kind("odd")

    answer = m.perform(marked(program), None, "ana")
    assert canaries.EMAIL not in json.dumps(answer) and answer["error"]["meta"]["exception"] == "Exception"

    members = [canaries.EMAIL]

    def other(job: mace.Job, given: Any) -> Any:
        return job.call("do", {members[0]: 1}, lambda request: 1)

    answer = m.perform(marked(other), None, "ana")
    members[0] = canaries.PHONE
    told = m.replay(answer["job_id"])
    assert told["result"] == "REPLAY_DIVERGENCE"
    assert canaries.EMAIL not in json.dumps(told) and canaries.PHONE not in json.dumps(told)


@pytest.mark.breaks_its_store  # the program does something outside of its calls
def test_a_consent_that_is_revoked_covers_no_further_call(m: Mace):
    sent: list[Any] = []
    given = m.grant_consent("ana", "Send it.", job_seed="c", data_types=["phone"], purposes=["store", "process"])

    def program(job: mace.Job, said: Any) -> Any:
        job.call("send", {"said": said}, lambda request: sent.append(request))
        m.revoke_consent(given["consent_id"])
        job.call("send", {"said": said}, lambda request: sent.append(request))
        return "done"

    answer = m.perform(marked(program), canaries.PHONE_SENTENCE, "ana", "c")
    assert answer["status"] == "closed"
    assert canaries.PHONE in json.dumps(sent[0]) and canaries.PHONE not in json.dumps(sent[1])


def test_a_seed_that_another_person_s_consent_opened(m: Mace):
    m.grant_consent("bob", "Keep my phone.", job_seed="bobs")
    answer = m.perform(marked(lambda job, given: "done"), None, "ana", "bobs")
    assert answer["error"]["error_code"] == "CONFLICT"
    assert m.perform(marked(lambda job, given: "done"), None, "bob", "bobs")["status"] == "closed"


def test_closing_leaves_its_jobs_to_be_resumed(place: places.Place):
    m = place.open()
    running = Running(m, _uncaught, "closing")
    running.until("long")
    m.close()
    with place.open() as again:
        assert again.job(running.job_id)["status"] == "interrupted"


@pytest.mark.parametrize(
    "evidence", [{"kind": "zzz", "ref": "r"}, {"kind": "fact", "ref": "r", "more": 1}, {"kind": "fact", "ref": 7}]
)
def test_evidence_has_its_kinds(m: Mace, evidence: Any):
    with pytest.raises(InvalidInput):
        m.record("Where?", "There.", "ana", evidence=[evidence])
    answer = m.perform(marked(lambda job, given: job.answer("x", evidence=[evidence])), None)
    assert answer["status"] == ("closed" if evidence["ref"] == 7 else "failed")


def test_a_fact_as_evidence(m: Mace):
    m.sem_put("world/fact/pi/value", "3.14159", "system_admin")
    key = "world/fact/pi/value"
    answer = m.perform(marked(lambda job, given: job.answer("pi", evidence=[job.fact(key)])), None)
    assert answer["evidence"][0]["kind"] == "fact" and answer["evidence"][0]["ref"] == key


def test_two_functions_of_one_name_and_version(place: places.Place):
    one, two = mace.program("twice")(lambda job, given: 1), mace.program("twice")(lambda job, given: 2)
    with pytest.raises(Conflict):
        place.open(programs=[one, two])
