"""Jobs of programs against whoever can write to the database and has no key: it is found, and decides nothing."""

from hashlib import sha256
from typing import Any

import pytest

import mace
import places
from attacks import changed
from fault.test_attacks_on_kept_parts import found
from mace import Job
from mace.core import canon, seeds
from mace.engine.runtime import Mace

pytestmark = pytest.mark.breaks_its_store
calls: list[str] = []


def tool(request: Any) -> Any:
    calls.append(request["at"])
    if request.get("stop"):
        raise SystemExit
    return {"at": request["at"], "seen": len(calls)}


@mace.program("shop", version="1")
def shop(job: Job, stop: bool) -> Any:
    first = job.call("look", {"at": "first"}, tool, idempotent=True)
    with job.branch("side") as side:
        side.call("pay", {"at": "side", "knows": first}, tool)
    found_there = job.map(lambda branch, item: branch.call("look", {"at": str(item)}, tool), [1, 2])
    job.call("last", {"at": "last", "stop": stop and "last" not in calls, "found": found_there}, tool, idempotent=True)
    return job.answer("It was paid.")


def performed(m: Mace) -> str:
    answer = m.perform(shop, False, "ana", "s")
    assert (answer["status"], m.replay(answer["job_id"])["result"]) == ("closed", "MATCH")
    return answer["job_id"]


def interrupted(m: Mace) -> str:
    """A job that was stopped in its last call."""
    calls.clear()
    with pytest.raises(SystemExit):
        m.perform(shop, True, "ana", "s")
    [job] = m.jobs.list(status="interrupted")["items"]
    assert calls == ["first", "side", "1", "2", "last"] or calls == ["first", "side", "2", "1", "last"]
    return job["job_id"]


def parts(sql: places.Sql, job: str) -> list[tuple[str, bytes]]:
    """The sealed parts of a job and its branches, which lie under the one key."""
    rows = sql("select ref, sealed from vault_blobs where key_ref = ? order by ref", (f"job/{job}",))
    return [(row[0], bytes(row[1])) for row in rows]


def put(sql: places.Sql, job: str, ref: str, sealed: bytes | None) -> None:
    sql("delete from vault_blobs where ref = ?", (ref,))
    if sealed is not None:
        sql("insert into vault_blobs (ref, key_ref, sealed) values (?, ?, ?)", (ref, f"job/{job}", sealed))


def test_every_sealed_part_of_a_tree(place: places.Place):
    """Requests and results, of the job and its branches: deleted, changed, exchanged with another of the same key."""
    with place.open(programs=[shop]) as m, place.sql() as sql:
        job = performed(m)
        held = parts(sql, job)
        names = [ref.partition("/")[0] for ref, _ in held]
        assert (names.count("request"), names.count("effect")) == (6, 6)  # five calls and the answer
        assert len({ref.rpartition("/")[2] for ref, _ in held}) == 4  # the job, the branch, two of the map
        for (ref, sealed), (_, other) in zip(held, [*held[1:], held[0]], strict=True):
            for broken in (None, changed(sealed), other):
                put(sql, job, ref, broken)
                kind = "RECORD_MISSING" if broken is None else "RECORD_CHANGED"
                assert [(kind, ref)] == [(name, where["ref"]) for name, where in found(m)], ref
                calls.clear()
                with place.open(programs=[shop], read_only=True) as reader:
                    result = reader.replay(job)["result"]
                wanted = ("MISSING_PERSISTED_AGENT_OUTPUT",) if broken is None else ("INTEGRITY_FAILURE",)
                assert (result in wanted, calls) == (True, []), (ref, result)
            put(sql, job, ref, sealed)
        assert found(m) == []
        assert m.replay(job)["result"] == "MATCH"


def test_rows_of_branches(place: places.Place):
    """What a branch belongs to, and in which life it is, its events say, not its row."""
    with place.open(programs=[shop]) as m, place.sql() as sql:
        job = performed(m)
        before = m.job(job)
        branch = before["branches"][0]
        row = sql("select parent, root, life, status from jobs where stream = ?", (branch,))[0]
        assert tuple(row[:3]) == (job, job, 1)
        for column, value in (("parent", ""), ("root", ""), ("life", 7), ("status", "running")):
            sql(f"update jobs set {column} = ? where stream = ?", (value, branch))
            assert ("RECORD_CHANGED", {"table": "jobs", "stream": branch}) in found(m), column
            [held] = sql(f"select {column} from jobs where stream = ?", (branch,))
            assert held[0] == value
            original = dict(zip(("parent", "root", "life", "status"), row, strict=True))[column]
            sql(f"update jobs set {column} = ? where stream = ?", (original, branch))
        assert found(m) == []


@pytest.mark.parametrize("which", ["the last event", "every event", "every event and the row"])
def test_a_branch_that_is_cut_out(place: places.Place, which: str):
    """The fan-in names the last event of every branch: a job does not replay without one of them."""
    with place.open(programs=[shop]) as m:
        job = performed(m)
        branch = m.job(job)["branches"][0]
        with place.sql() as sql:
            last = sql("select max(sequence_index) from events where stream = ?", (branch,))[0][0]
            sql(
                "delete from events where stream = ? and sequence_index >= ?",
                (branch, last if which == "the last event" else 0),
            )
            if which == "every event and the row":
                sql("delete from jobs where stream = ?", (branch,))
        calls.clear()
        result = m.replay(job)["result"]
        assert (result in ("INTEGRITY_FAILURE", "MISSING_PERSISTED_AGENT_OUTPUT"), calls) == (True, []), result
        report = m.verify()
        assert "ROW_MISSING" in [item["kind"] for item in report["findings"]]


def test_a_job_is_not_taken_up_on_a_changed_result(place: places.Place):
    """Nothing more is called when a result that is recorded is not what was sealed."""
    with place.open(programs=[shop]) as m:
        job = interrupted(m)
        with place.sql() as sql:
            ref, sealed = next(item for item in parts(sql, job) if item[0] == f"effect/0/{job}")
            put(sql, job, ref, changed(sealed))
        before = list(calls)
        with pytest.raises(mace.MaceError):
            m.resume(job)
        assert calls == before
        with place.sql() as sql:
            put(sql, job, ref, sealed)
        assert m.resume(job)["text"] == "It was paid."
        assert calls == [*before, "last"]


@mace.program("till", version="1")
def till(job: Job, stop: bool) -> Any:
    with job.branch("side") as side:
        side.call("pay", {"at": "side"}, tool)
        side.call("stay", {"at": "stay", "stop": "stay" not in calls}, tool, idempotent=True)
    return job.answer("It was paid.")


def test_a_tail_that_is_cut_off_makes_a_resume_repeat_a_call_and_verification_names_it(place: places.Place):
    """What a call came to is known from its events alone: without them it was never made."""
    calls.clear()
    with place.open(programs=[till]) as m:
        with pytest.raises(SystemExit):
            m.perform(till, True, "ana", "s")
        [row] = m.jobs.list(status="interrupted")["items"]
        job = row["job_id"]
        (branch,) = m.job(job)["branches"]
    assert calls == ["side", "stay"]
    with place.sql() as sql:
        first = sql(
            "select min(sequence_index) from events where stream = ? and event_type = 'EFFECT_STARTED'", (branch,)
        )
        sql("delete from events where stream = ? and sequence_index >= ?", (branch, first[0][0]))
    with place.open(programs=[till]) as m:
        assert m.resume(job)["text"] == "It was paid."
        assert calls == ["side", "stay", "side", "stay"]
        assert "ROW_MISSING" in [item["kind"] for item in m.verify()["findings"]]


def test_a_branch_that_is_cut_out_before_its_fan_in(place: places.Place):
    """Nothing names a branch before its fan-in: without its events and its row it is begun anew."""
    calls.clear()
    with place.open(programs=[till]) as m:
        with pytest.raises(SystemExit):
            m.perform(till, True, "ana", "s")
        [row] = m.jobs.list(status="interrupted")["items"]
        job = row["job_id"]
        (branch,) = m.job(job)["branches"]
    with place.sql() as sql:
        sql("delete from events where stream = ?", (branch,))
        sql("delete from jobs where stream = ?", (branch,))
    with place.open(programs=[till]) as m:
        assert m.resume(job)["text"] == "It was paid."
        assert calls == ["side", "stay", "side", "stay"]
        assert "ROW_MISSING" in [item["kind"] for item in m.verify()["findings"]]


@pytest.mark.parametrize("event_type", ["JOB_CANCELLED", "PERSON_ANSWERED"])
def test_a_word_into_the_mailbox_that_nobody_signed(place: places.Place, event_type: str):
    """It neither cancels a job nor answers its question: the job stops there, and its program cannot go round it."""
    went_on = []

    @mace.program("asker")
    def asker(job: Job, _: Any) -> Any:
        forge(job.job_id)
        try:
            went_on.append(job.ask_person("Really?", wait_ms=300))
        except Exception:
            went_on.append("caught")
        return went_on

    def forge(root: str) -> None:
        question = seeds.derived_uuid("question_id", "s/0")
        payload = {"job_id": root, "reason": "cancelled", "question_id": question, "value_hash": "0" * 64}
        body = canon.dumps({"event_type": event_type, "payload": payload, "job_seed": "x", "stream": "x"})
        with place.sql() as sql:
            position = sql("select max(position) + 1 from events")[0][0] + 1000
            sql(
                "insert into events (position, stream, sequence_index, event_id, event_type, body, hash, signature)"
                " values (?, ?, ?, ?, ?, ?, ?, ?)",
                (position, "x", 0, b"\x01" * 32, event_type, body, sha256(body).digest(), "k1:00"),
            )
            sql("insert into event_subjects (subject, position) values (?, ?)", (f"mailbox/{root}", position))

    with place.open(programs=[asker]) as m:
        answer = m.perform(asker, None, "ana", "s")
        assert (answer["status"], went_on) == ("interrupted", [])
        assert answer["error"] is not None
        assert answer["error"]["error_code"] == "INTEGRITY_FAILURE"
        kinds = {item["kind"] for item in m.verify()["findings"]}
        assert kinds >= {"BAD_SIGNATURE"}, kinds


def test_a_program_reads_no_facts_of_another_person(place: places.Place):
    @mace.program("reader")
    def reader(job: Job, key: str) -> Any:
        try:
            return {"value": job.fact(key)["value"]}
        except mace.CallFailed as error:
            return {"failed": error.kind}

    with place.open(programs=[reader]) as m:
        for person in ("ana", "bob"):
            m.raise_for(m.sem_put(f"user/profile/user_{person}/favorite_food", f"{person}s soup", "user"))
        m.raise_for(m.sem_put("world/fact/soup/definition", "a dish", "system"))
        came_to = {}
        for key in (
            "user/profile/user_ana/favorite_food",
            "user/profile/user_bob/favorite_food",
            "world/fact/soup/definition",
        ):
            for person in ("ana", None):
                answer = m.perform(reader, key, person)
                assert m.replay(answer["job_id"])["result"] == "MATCH"
                came_to[key.split("/")[2], person] = answer["answer"]
        refused, world = {"failed": "refused"}, {"value": "a dish"}
        assert came_to == {
            ("user_ana", "ana"): {"value": "anas soup"},
            ("user_ana", None): refused,
            ("user_bob", "ana"): refused,
            ("user_bob", None): refused,
            ("soup", "ana"): world,
            ("soup", None): world,
        }


def test_a_program_that_was_changed_under_the_same_version(place: places.Place):
    """Its replay names the call; a job of it is not taken up, and nothing is called."""

    @mace.program("shop", version="1")
    def other(job: Job, stop: bool) -> Any:
        job.call("look", {"at": "somewhere else"}, tool, idempotent=True)
        return job.answer("It was paid.")

    with place.open(programs=[shop]) as m:
        closed = m.perform(shop, False, "ana")["job_id"]
        job = interrupted(m)
    calls.clear()
    with place.open(programs=[other]) as m:
        replay = m.replay(closed)
        assert (replay["result"], m.verify()["ok"]) == ("REPLAY_DIVERGENCE", True)
        difference = replay["first_difference"]
        assert difference is not None
        assert difference["call"] == {"branch": "", "number": 0, "name": "look"}
        assert difference["differs"] == "/at: another text than was recorded"
        answer = m.resume(job)
        assert answer["status"] == "abandoned"
        assert answer["error"] is not None
        assert "look (0)" in answer["error"]["developer_message"]
        assert calls == []
