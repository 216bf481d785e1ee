"""Programs: what goes through the gate, how calls fail, and what cannot be done with a job."""

import asyncio
import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import canaries
import mace
import places
from mace.core import canon, seeds
from mace.core.errors import Conflict, InvalidInput, NotFound
from mace.engine.runtime import Mace

Program = Callable[[mace.Job, Any], Any]


@pytest.fixture
def place(tmp_path: Path) -> places.Place:
    return places.SqlitePlace(tmp_path)


@pytest.fixture
def m(place: places.Place) -> Iterator[Mace]:
    with place.open() as opened:
        yield opened


def performed(m: Mace, function: Program, given: Any = None, user_id: str | None = None, **more: Any) -> Any:
    """Perform a function as a program of a name of its own, and see that it replays."""
    answer = m.perform(mace.program("under_test", _next_version())(function), given, user_id, **more)
    assert m.replay(answer["job_id"])["result"] == "MATCH"
    return answer


_versions = iter(range(1_000_000))


def _next_version() -> str:
    return str(next(_versions))


def calls_of(m: Mace, answer: Any) -> list[tuple[str, str, Any]]:
    return [(call["name"], call["state"], call["error"]) for call in m.job(answer["job_id"])["calls"]]


# What a program returns


@pytest.mark.parametrize(
    ("returned", "text", "value"),
    [
        ("hello", "hello", None),
        ({"b": 1, "a": [2.5]}, '{"a":[2.5],"b":1}', {"a": [2.5], "b": 1}),
        ([1, 2], "[1,2]", [1, 2]),
        (None, None, None),
        (True, "true", True),
    ],
)
def test_what_it_returns_is_the_answer(m: Mace, returned: Any, text: str | None, value: Any):
    answer = performed(m, lambda job, given: returned)
    assert (answer["status"], answer["text"], answer["answer"]) == ("closed", text, value)
    assert answer["error"] is None and answer["resumed"] == 0


def test_an_answer_with_evidence(m: Mace):
    def program(job: mace.Job, given: Any) -> mace.Ending:
        found = job.call("look", {"key": given}, lambda request: {"text": "in Lyon"})
        own = {"kind": "person", "ref": "ana"}
        return job.answer("It is in Lyon.", evidence=[found, own, {"sum": 4}], value={"city": "Lyon"})

    answer = performed(m, program, "parcel 7", "ana")
    assert [item["kind"] for item in answer["evidence"]] == ["call", "person", "computed"]
    assert answer["evidence"][0]["ref"] == "0" and answer["answer"] == {"city": "Lyon"}
    log = m.read_reflective_log(answer["log_id"])
    assert log["agents_invoked"] == ["program:under_test"] and log["council_votes"] == []
    assert log["final_confidence"] == 0.5 and log["final_answer"]["answer"] == "It is in Lyon."
    assert log["agent_outputs"][0]["agent_id"] == "call:look"


@pytest.mark.parametrize("returned", [float("nan"), {1: 2}, object(), b"bytes", 2**60])
def test_what_is_no_json_fails_the_job(m: Mace, returned: Any):
    answer = performed(m, lambda job, given: returned)
    assert answer["status"] == "failed" and answer["error"]["error_code"] == "AGENT_ERROR"


# How calls fail


def _raises(request: Any) -> Any:
    raise ValueError(f"cannot reach {canaries.SSN_SENTENCE}")


class _Odd(BaseException):
    """Not an Exception."""


def _raises_odd(request: Any) -> Any:
    raise _Odd("odd")


def _never(request: Any) -> Any:
    threading.Event().wait(30)


def _deep() -> Any:
    value: Any = 1
    for _ in range(300):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("request_", "fn", "more", "kind"),
    [
        ({"a": float("nan")}, lambda request: 1, {}, "not_json"),
        ({"a": object()}, lambda request: 1, {}, "not_json"),
        (_deep(), lambda request: 1, {}, "not_json"),
        ("x" * (1 << 20), lambda request: 1, {}, "too_large"),
        ({}, lambda request: float("inf"), {}, "not_json"),
        ({}, lambda request: {1, 2}, {}, "not_json"),
        ({}, lambda request: "x" * (4 << 20), {}, "too_large"),
        ({}, _raises, {}, "raised"),
        ({}, _raises_odd, {}, "raised"),
        ({}, _never, {"time_limit_ms": 30}, "timed_out"),
    ],
)
@pytest.mark.parametrize("idempotent", [True, False])
def test_a_call_fails_by_name(m: Mace, request_: Any, fn: Any, more: dict[str, Any], kind: str, idempotent: bool):
    def program(job: mace.Job, given: Any) -> Any:
        with pytest.raises(mace.CallFailed) as failed:
            job.call("do", request_, fn, idempotent=idempotent, **more)
        return [failed.value.kind, failed.value.name, failed.value.number, job.call("next", {}, lambda request: "on")]

    answer = performed(m, program)
    assert answer["answer"] == [kind, "do", 0, "on"]
    assert calls_of(m, answer) == [("do", "failed", kind), ("next", "done", None)]


def test_a_call_is_given_what_was_recorded(m: Mace):
    seen: list[Any] = []

    def keeps(request: Any) -> Any:
        seen.append(request)
        request["changed"] = True
        return {"n": 1.0, "t": (1, 2)}

    def program(job: mace.Job, given: Any) -> Any:
        request = {"b": 1.0, "a": (1, 2)}
        result = job.call("do", request, keeps)
        return [request == {"b": 1.0, "a": (1, 2)}, result]

    answer = performed(m, program)
    assert answer["answer"] == [True, {"n": 1, "t": [1, 2]}]
    assert seen == [{"a": [1, 2], "b": 1, "changed": True}]


def test_an_exception_ends_the_job_as_failed(m: Mace, place: places.Place):
    def program(job: mace.Job, given: Any) -> Any:
        raise RuntimeError(canaries.SSN_SENTENCE)

    answer = performed(m, program, user_id="ana")
    assert answer["status"] == "failed" and answer["error"]["error_code"] == "AGENT_ERROR"
    assert canaries.SSN not in json.dumps(answer) and "[redacted]" in answer["error"]["meta"]["reason"]


def test_a_failed_call_that_nobody_catches_ends_the_job(m: Mace):
    answer = performed(m, lambda job, given: job.call("do", {}, _raises))
    assert answer["status"] == "failed" and answer["error"]["meta"]["exception"] == "CallFailed"


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit])
def test_being_stopped_leaves_the_job_interrupted(m: Mace, stop: type[BaseException]):
    made: list[Any] = []

    @mace.program("stopped", _next_version())
    def program(job: mace.Job, given: Any) -> Any:
        found = job.call("do", {}, lambda request: made.append(1) or "done")
        if len(made) == 1 and not job.call("again", {}, lambda request: len(stops)):
            stops.append(1)
            raise stop
        return found

    stops: list[int] = []
    with pytest.raises(stop):
        m.perform(program, {}, "ana", "stopped")
    job_id = seeds.job_id("stopped")
    assert m.job(job_id)["status"] == "interrupted"
    with pytest.raises(stop):  # the record says that it was not stopped before: the same happens again
        m.resume(job_id)
    assert made == [1]


# A job where it does not belong


def test_a_job_that_is_over_does_nothing(m: Mace):
    kept: list[mace.Job] = []
    performed(m, lambda job, given: kept.append(job) or "done")
    for use in (lambda: kept[0].call("do", {}, lambda request: 1), kept[0].now, lambda: kept[0].map(_item, [1])):
        with pytest.raises(mace.CallFailed) as failed:
            use()
        assert failed.value.kind == "foreign_handle"


def _item(job: mace.Job, item: Any) -> Any:
    return item


def test_a_job_in_another_job(m: Mace):
    kinds: list[str] = []

    def outer(job: mace.Job, given: Any) -> Any:
        def inner(other: mace.Job, given: Any) -> Any:
            with pytest.raises(mace.CallFailed) as failed:
                job.call("do", {}, lambda request: 1)
            kinds.append(failed.value.kind)
            return "in"

        job.call("nested", {}, lambda request: performed(m, inner)["text"])
        return "out"

    performed(m, outer)
    assert kinds == ["foreign_handle", "foreign_handle"]  # live, and when it was replayed by itself


def test_the_job_of_another_branch(m: Mace):
    def program(job: mace.Job, given: Any) -> Any:
        def one(branch: mace.Job, item: Any) -> Any:
            with pytest.raises(mace.CallFailed) as failed:
                job.call("outer", {}, lambda request: 1)
            return [failed.value.kind, branch.call("own", {"i": item}, lambda request: request["i"])]

        found = job.map(one, [1, 2, 3])
        with job.branch("side") as side:
            with pytest.raises(mace.CallFailed):
                job.call("outer", {}, lambda request: 1)
            side.call("own", {}, lambda request: 1)
        with pytest.raises(mace.CallFailed):
            side.call("late", {}, lambda request: 1)
        return found

    answer = performed(m, program)
    assert answer["answer"] == [["foreign_handle", 1], ["foreign_handle", 2], ["foreign_handle", 3]]


@pytest.mark.breaks_its_store  # on replay nobody is inside of the first call: its threads go another way
def test_two_calls_of_one_job_at_once(m: Mace):
    def program(job: mace.Job, given: Any) -> Any:
        kinds: list[str] = []
        inside, go_on = threading.Event(), threading.Event()

        def other() -> None:
            inside.wait(10)
            try:
                job.call("second", {}, lambda request: 1)
            except mace.CallFailed as failed:
                kinds.append(failed.kind)
            go_on.set()

        thread = threading.Thread(target=other)
        thread.start()
        job.call("first", {}, lambda request: inside.set() or go_on.wait(10))
        thread.join()
        return kinds

    answer = m.perform(mace.program("at_once", _next_version())(program), None)
    assert answer["answer"] == ["foreign_handle"]
    assert calls_of(m, answer) == [("first", "done", None)]


def test_a_job_in_another_process(m: Mace):
    def program(job: mace.Job, given: Any) -> Any:
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                job.call("there", {}, lambda request: 1)
                said = b"made"
            except mace.CallFailed as failed:
                said = failed.kind.encode()
            except BaseException as error:
                said = repr(error).encode()
            os.write(write, said)
            os._exit(0)
        os.waitpid(child, 0)
        return job.call("told", {}, lambda request: os.read(read, 100).decode())

    answer = m.perform(mace.program("forks", _next_version())(program), None)
    assert answer["text"] == "foreign_handle"


@pytest.mark.parametrize(
    "name", ["", "with space", "ünicode", "x" * 65, "1st", None, 7, "call +1 202 555 0147", "ssn-536-22-8145"]
)
def test_names_of_calls_and_branches(m: Mace, name: Any):
    def program(job: mace.Job, given: Any) -> Any:
        with pytest.raises(InvalidInput):
            job.call(name, {}, lambda request: 1)
        with pytest.raises(InvalidInput), job.branch(name):
            pass
        return "ok"

    assert performed(m, program)["text"] == "ok"


# Branches


def test_results_come_in_the_order_of_the_items(m: Mace):
    def slow(request: Any) -> Any:
        time.sleep(request["i"] / 200)
        return request["i"] * 10

    def program(job: mace.Job, given: Any) -> Any:
        return job.map(lambda branch, item: branch.call("slow", {"i": item}, slow), [5, 1, 4, 0, 3], at_most=3)

    answer = performed(m, program)
    assert answer["answer"] == [50, 10, 40, 0, 30]
    view = m.job(answer["job_id"])
    assert len(view["branches"]) == 5
    assert [call["branch"] for call in view["calls"]] == sorted(
        (call["branch"] for call in view["calls"]), key=[call["branch"] for call in view["calls"]].index
    )
    branch = m.job(view["branches"][0])
    assert branch["parent"] == answer["job_id"] and branch["status"] == "closed" and branch["log_id"] is None
    assert m.replay(view["branches"][0])["result"] == "MATCH"  # the whole job


def test_the_first_error_of_a_map_is_raised_when_all_were_run(m: Mace):
    done: list[int] = []

    def one(branch: mace.Job, item: Any) -> Any:
        found = branch.call("do", {"i": item}, lambda request: done.append(request["i"]) or request["i"])
        if found in (2, 4):
            raise ValueError(f"no {found}")
        return found

    def program(job: mace.Job, given: Any) -> Any:
        with pytest.raises(ValueError, match="no 2"):
            job.map(one, [1, 2, 3, 4])
        return "caught"

    answer = performed(m, program)
    assert answer["text"] == "caught" and sorted(done) == [1, 2, 3, 4]
    statuses = [m.job(branch)["status"] for branch in m.job(answer["job_id"])["branches"]]
    assert sorted(statuses) == ["closed", "closed", "failed", "failed"]


def test_branches_in_branches_and_in_threads(m: Mace):
    def program(job: mace.Job, given: Any) -> Any:
        found: dict[str, Any] = {}

        def work(name: str) -> None:
            with job.branch(name) as branch, branch.branch("inner") as inner:
                found[name] = inner.call("do", {"n": name}, lambda request: request["n"].upper())

        threads = [threading.Thread(target=work, args=(name,)) for name in ("a", "b", "c")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return found

    answer = performed(m, program)
    assert answer["answer"] == {"a": "A", "b": "B", "c": "C"}
    assert {call["branch"] for call in m.job(answer["job_id"])["calls"]} == {"a/inner", "b/inner", "c/inner"}


def test_equal_names_are_counted(m: Mace):
    def program(job: mace.Job, given: Any) -> Any:
        for _ in range(3):
            with job.branch("same") as branch:
                branch.call("do", {}, lambda request: 1)
        return "done"

    answer = performed(m, program)
    assert {call["branch"] for call in m.job(answer["job_id"])["calls"]} == {"same", "same[1]", "same[2]"}
    seed = m.events(answer["job_id"])[0]["job_seed"]
    made = [seeds.job_id(canon.sha256_hex(canon.dumps([seed, "branch", "same", n]))) for n in range(3)]
    assert sorted(m.job(answer["job_id"])["branches"]) == sorted(made)


# Async


def test_async_programs(m: Mace):
    async def program(job: mace.Job, given: Any) -> Any:
        async def double(request: Any) -> Any:
            await asyncio.sleep(0.001)
            return request["i"] * 2

        first = await job.acall("double", {"i": given}, double)
        plain = await job.acall("plain", {"i": 1}, lambda request: request["i"])
        with pytest.raises(mace.CallFailed) as failed:
            await job.acall("late", {}, lambda request: threading.Event().wait(10), time_limit_ms=20)
        rest = await job.amap(lambda branch, item: branch.acall("double", {"i": item}, double), [1, 2, 3])

        async def side(name: str) -> Any:
            with job.branch(name) as branch:
                return await branch.acall("side", {"n": name}, double_name)

        async def double_name(request: Any) -> Any:
            return request["n"] * 2

        both = await asyncio.gather(side("x"), side("y"))
        return [first, plain, failed.value.kind, rest, both, job.now() <= job.now()]

    answer = performed(m, program, 4)  # type: ignore[arg-type]
    assert answer["answer"] == [8, 1, "timed_out", [2, 4, 6], ["xx", "yy"], True]

    marked = mace.program("awaited", _next_version())(program)

    async def inside() -> Any:
        both = await asyncio.gather(m.aperform(marked, 1), m.aperform(marked, 2))
        assert m.replay(both[0]["job_id"])["result"] == "MATCH"  # also where a loop runs
        return [item["answer"][0] for item in both]

    assert asyncio.run(inside()) == [2, 4]


def test_a_plain_program_awaited(m: Mace):
    marked = mace.program("plain_awaited", _next_version())(lambda job, given: job.call("do", {}, lambda r: 5))
    assert asyncio.run(_awaited(m, marked))["answer"] == 5


async def _awaited(m: Mace, program: Any) -> Any:
    return await m.aperform(program, None)


# The gate


def test_what_is_personal_is_cut_out_at_every_boundary(m: Mace, place: places.Place, tmp_path: Path):
    sent: list[Any] = []

    def tool(request: Any) -> Any:
        sent.append(request)
        return {"owner": canaries.PHONE_SENTENCE, "note": canaries.SSN_SENTENCE}

    def program(job: mace.Job, given: Any) -> Any:
        found = job.call("crm", {"said": given, "mail": canaries.EMAIL}, tool)
        withheld = list(job.withheld)
        try:
            job.call("fails", {}, _raises)
        except mace.CallFailed as failed:
            found["why"] = failed.reason
        job.map(lambda branch, item: branch.call("crm", {"mail": canaries.EMAIL}, tool), [1, 2])
        return job.answer(f"{found} {canaries.SSN}", value={"withheld": withheld, "token": canaries.TOKEN})

    answer = performed(m, program, f"{canaries.SSN_SENTENCE} {canaries.PHONE_SENTENCE}", "ana")
    shown = json.dumps([answer, m.job(answer["job_id"]), m.read_reflective_log(answer["log_id"]), sent])
    for canary in (canaries.SSN, canaries.PHONE, canaries.EMAIL, canaries.TOKEN):
        assert canary not in shown
    assert answer["answer"]["withheld"] == ["email", "phone", "us_ssn"]
    found = canaries.everywhere(m, place, [canaries.SSN, canaries.PHONE, canaries.EMAIL, canaries.TOKEN])
    assert not found, found


def test_what_consent_covers_stays_readable(m: Mace):
    sent: list[Any] = []

    def program(job: mace.Job, given: Any) -> Any:
        found = job.call("crm", {"said": given}, lambda request: sent.append(request) or {"phone": canaries.PHONE})
        return [given, found, job.withheld]

    m.grant_consent("ana", "Keep my phone number.", job_seed="kept", data_types=["phone"])
    answer = performed(m, program, canaries.PHONE_SENTENCE, "ana", job_seed="kept")
    assert answer["answer"] == [canaries.PHONE_SENTENCE, {"phone": canaries.PHONE}, ["phone"]]
    assert canaries.PHONE not in json.dumps(sent)  # it may be kept, not sent

    m.grant_consent("ana", "Send it.", job_seed="sent", data_types=["phone"], purposes=["store", "process"])
    answer = performed(m, program, canaries.PHONE_SENTENCE, "ana", job_seed="sent")
    assert answer["answer"] == [canaries.PHONE_SENTENCE, {"phone": canaries.PHONE}, []]
    assert sent[-1] == {"said": canaries.PHONE_SENTENCE}


# Time and people


def test_cancelling_a_running_job(m: Mace):
    begun = threading.Event()

    @mace.program("cancelled", _next_version())
    def program(job: mace.Job, given: Any) -> Any:
        try:
            job.call("long", {}, lambda request: begun.set() or threading.Event().wait(20))
        except mace.CallFailed as failed:
            job.call("after", {"kind": failed.kind}, lambda request: 1)
        return "not reached"

    answers: list[Any] = []
    thread = threading.Thread(target=lambda: answers.append(m.perform(program, None, "ana", "cancelled")))
    thread.start()
    begun.wait(10)
    m.cancel(seeds.job_id("cancelled"), "not needed")
    thread.join(30)
    assert answers[0]["status"] == "cancelled" and answers[0]["text"] is None
    assert calls_of(m, answers[0]) == [("long", "failed", "cancelled")]
    assert m.replay(answers[0]["job_id"])["result"] == "MATCH"
    with pytest.raises(Conflict):
        m.cancel(answers[0]["job_id"])
    with pytest.raises(Conflict):
        m.resume(answers[0]["job_id"])


@pytest.mark.parametrize("gone", ["taken for lost", "taken up", "key"])
def test_a_job_that_is_taken_from_its_own_process_stores_nothing_more(m: Mace, gone: str):
    """Each unit of a job sees it, also one that comes right after another unit of the same job."""
    stream = seeds.job_id("taken away")
    made: list[int] = []

    def take(tx: Any) -> None:
        if gone == "key":
            assert tx.vault.drop_key(f"job/{stream}")
        elif gone == "taken up":
            tx.jobs.take_up(stream, "somebody else", 2)
        else:
            tx.jobs.set_status(stream, "interrupted")

    def program(job: mace.Job, given: Any) -> Any:
        for number in range(3):
            job.call("one", {"number": number}, lambda request: made.append(request["number"]))
        m._parts.world.store.write(take)
        job.call("two", {"number": 3}, lambda request: made.append(request["number"]))
        return "not reached"

    answer = m.perform(mace.program("taken", _next_version())(program), None, None, "taken away")
    assert answer["status"] == ("abandoned" if gone == "key" else "interrupted") and answer["answer"] is None
    assert made == [0, 1, 2]
    named = [event["payload"].get("name") for event in m.events(stream) if event["event_type"] == "EFFECT_STARTED"]
    assert named == ["one"] * 3


def test_a_deadline(m: Mace):
    def program(job: mace.Job, given: Any) -> Any:
        with pytest.raises(mace.CallFailed):
            job.call("long", {}, lambda request: threading.Event().wait(20))
        job.call("after", {}, lambda request: 1)
        return "not reached"

    soon = m._parts.world.clock.now() + timedelta(milliseconds=300)
    answer = performed(m, program, None, "ana", deadline=soon)
    assert answer["status"] == "failed" and answer["error"]["error_code"] == "AGENT_TIMEOUT"
    with pytest.raises(InvalidInput):
        m.perform(mace.program("late", _next_version())(program), None, deadline="2001-01-01T00:00:00Z")


def test_asking_a_person(m: Mace):
    @mace.program("asks", _next_version())
    def program(job: mace.Job, given: Any) -> Any:
        return [job.ask_person("May I send it?"), job.ask_person("Still there?", wait_ms=50)]

    answers: list[Any] = []
    thread = threading.Thread(target=lambda: answers.append(m.perform(program, None, "ana", "asks")))
    thread.start()
    job_id = seeds.job_id("asks")
    view = _when(m, job_id, lambda view: bool(view["waiting_for"]))
    assert view["status"] == "waiting" and view["waiting_for"][0]["text"] == "May I send it?"
    with pytest.raises(NotFound):
        m.jobs.answer(job_id, "no such question", True)
    m.jobs.answer(job_id, view["waiting_for"][0]["question_id"], {"yes": True, "note": canaries.SSN_SENTENCE})
    with pytest.raises((Conflict, NotFound)):
        m.jobs.answer(job_id, view["waiting_for"][0]["question_id"], False)
    thread.join(30)
    assert answers[0]["answer"][0]["yes"] is True and answers[0]["answer"][1] is None
    assert canaries.SSN not in json.dumps(answers)
    assert m.replay(job_id)["result"] == "MATCH" and m.verify()["ok"]


def _when(m: Mace, job_id: str, is_so: Callable[[Any], bool]) -> Any:
    for _ in range(500):
        try:
            view = m.job(job_id)
            if is_so(view):
                return view
        except NotFound:
            pass
        time.sleep(0.01)
    raise AssertionError("it did not come to that")


# Versions


def test_several_versions(m: Mace):
    def first(job: mace.Job, given: Any) -> Any:
        return job.call("a", {"v": 1}, lambda request: "one")

    def second(job: mace.Job, given: Any) -> Any:
        return job.call("b", {"v": 2}, lambda request: "two")

    one, two = mace.program("grows", "1")(first), mace.program("grows", "2")(second)
    old, new = m.perform(one, None), m.perform(two, None)
    assert (old["version"], new["version"]) == ("1", "2")
    assert m.perform("grows", None)["text"] == "two"  # the one that was registered last
    assert [m.replay(item["job_id"])["result"] for item in (old, new)] == ["MATCH", "MATCH"]
    with pytest.raises(Conflict):
        m.perform(mace.program("grows", "1")(lambda job, given: 1), None)
    with pytest.raises(InvalidInput):
        m.perform("nobody", None)


def test_a_program_that_is_not_registered(m: Mace, place: places.Place):
    answer = performed(m, lambda job, given: "done")
    m.close()
    with place.open() as again:
        told = again.replay(answer["job_id"])
        assert told["result"] == "NO_PROGRAM" and told["first_difference"]["version"] == answer["version"]


@pytest.mark.parametrize("name", ["ask", "run", "", "Big", "1a", "a b", "x" * 49, None])
def test_names_of_programs(name: Any):
    with pytest.raises(InvalidInput):
        mace.program(name)


# Blocks


def test_a_block(m: Mace):
    with m.recording("Where is my parcel?", "ana") as job:
        assert mace.current_job() is job
        found = job.call("look", {}, lambda request: {"city": "Lyon"})
        job.answer(f"In {found['city']}.", evidence=[found])
    assert mace.current_job() is None
    view = m.job(job.job_id)
    assert (view["kind"], view["status"], view["program"]) == ("block", "closed", "block")
    assert m.replay(job.job_id)["result"] == "NO_PROGRAM"
    with pytest.raises(Conflict, match="the job is closed"):
        m.resume(job.job_id)


def test_a_block_that_raises(m: Mace):
    with pytest.raises(ZeroDivisionError), m.recording("Divide.", "ana") as job:
        _ = 1 / 0
    assert m.job(job.job_id)["status"] == "failed"


def test_one_decision(m: Mace):
    told = m.record("Where is my parcel?", f"In Lyon. {canaries.SSN_SENTENCE}", "ana", confidence=0.9)
    assert told["redacted"] == ["us_ssn"]
    log = m.read_reflective_log(told["log_id"])
    assert log["final_confidence"] == 0.9 and canaries.SSN not in json.dumps(log)
    with pytest.raises(Conflict):
        m.record("Again?", "Yes.", "ana", job_seed=m.events(told["job_id"])[0]["job_seed"])


# The whole person


def test_a_person_s_jobs_are_exported_and_erased_as_one(m: Mace):
    def program(job: mace.Job, given: Any) -> Any:
        job.call("crm", {"ask": "the word is Eichhörnchen"}, lambda request: {"found": "Murmeltier"})
        job.map(lambda branch, item: branch.call("each", {"i": item}, lambda request: "Nachtigall"), [1, 2])
        return "Siebenschläfer"

    answer = performed(m, program, "Feuersalamander", "ana")
    proof = m.accounts.issue_identity_proof("ana")["proof"]
    package = m.dsr(m.request_dsr("ana", "export", proof)["dsr_id"])
    told = json.dumps(package, ensure_ascii=False)
    for word in ("Eichhörnchen", "Murmeltier", "Nachtigall", "Siebenschläfer", "Feuersalamander"):
        assert word in told
    asked = m.request_dsr("ana", "delete", m.accounts.issue_identity_proof("ana")["proof"])
    m.vote(asked["request_id"], "owner", "approve")
    assert m.replay(answer["job_id"])["result"] == "INPUT_ERASED"
    assert m.verify()["ok"]
    assert m.job(answer["job_id"])["calls"][0]["name"] == "crm"  # that it was made stays
