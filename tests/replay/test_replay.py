"""Replay: MATCH for every kind of question, and each other result by really changing what is stored."""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import places
from helpers_openai_server import OpenAiServer, answers, fails
from mace.core.errors import NotFound
from mace.engine.questions.replay import RESULTS
from replay import odd_agents

NAME = "user/profile/user_ana/name"


def ask_who(place: places.Place) -> dict[str, Any]:
    """A question of a person that read a fact: it has every part that can be broken."""
    with place.open() as mace:
        mace.ask("My name is Ana", "ana")
        answer = mace.ask("Who am I?", "ana", "who")
        assert mace.replay(answer["job_id"])["result"] == "MATCH"
        return answer


def replayed(place: places.Place, answer: dict[str, Any], **options: Any) -> dict[str, Any]:
    with place.open(**options) as mace:
        return mace.replay(answer["job_id"])


QUESTIONS = [
    ("What is my name?", "ana"),
    ("My name is Ana", "ana"),
    ("Who am I?", "ana"),
    ("Forget my name", "ana"),
    ("Remember my name is Ana", None),
    ("12 + 30", None),
    ("Integrate x^2 dx", None),
    ("well-known things", None),
    ("What is Ohm's law?", "bo"),
    ("Write a poem", None),
    ("Plan my day", "ana"),
    ("Blorp the quux", None),
    ("Greet ana@example.com", "ana"),
    ("My SSN is 536-22-8726", "ana"),
    ("", None),
    ("x" * 9000, "ana"),
    ("Who am I?", "ana@example.com"),
    ("Grüße an die Bären 🐻", "größe"),
]


class TestMatch:
    def test_every_kind_of_question_on_every_store(self, place: places.Place):
        with place.open() as mace:
            jobs = [mace.ask(text, user_id)["job_id"] for text, user_id in QUESTIONS]
            assert [mace.replay(job) for job in jobs] == [
                {"result": "MATCH", "job_id": job, "first_difference": None, "incident_id": None} for job in jobs
            ]
        with place.open(read_only=True) as mace:  # and from outside
            assert {mace.replay(job)["result"] for job in jobs} == {"MATCH"}

    def test_it_writes_nothing_at_all(self, place: places.Place):
        answer = ask_who(place)
        with place.open() as mace:
            mace.checkpoint()
        before = place.content()
        assert replayed(place, answer)["result"] == "MATCH"
        assert replayed(place, answer, agents={"profile_agent": odd_agents.echoes})["result"] == "REPLAY_DIVERGENCE"
        assert place.content() == before

    def test_it_calls_no_model(self, mace_home: places.SqlitePlace):
        with OpenAiServer(fails(500), answers("A poem is a poem.")) as server:
            mace_home.settings = replace(mace_home.settings, llm_url=server.url, llm_model="m", llm_needs_key=False)
            with mace_home.open() as mace:
                asked = [mace.ask("Write a poem"), mace.ask("Write a poem"), mace.ask("What is a quux?")]
                requests = len(server.requests)
                assert requests >= 3
                assert {mace.replay(answer["job_id"])["result"] for answer in asked} == {"MATCH"}
                assert len(server.requests) == requests

    def test_it_needs_no_model_at_all(self, mace_home: places.SqlitePlace):
        without = mace_home.settings
        with OpenAiServer(answers("A poem is a poem.")) as server:
            mace_home.settings = replace(without, llm_url=server.url, llm_model="m", llm_needs_key=False)
            with mace_home.open() as mace:
                answer = mace.ask("Write a poem")
        mace_home.settings = without
        assert replayed(mace_home, answer)["result"] == "MATCH"

    def test_it_starts_no_worker(self, mace_home: places.SqlitePlace):
        with mace_home.open() as mace:
            answer = mace.ask("Integrate x^2 dx")
            assert answer["answer"] == "∫ x^2 dx = x^3/3 + C"
        with mace_home.open() as mace:
            before = children()
            assert mace.replay(answer["job_id"])["result"] == "MATCH"
            assert children() == before

    def test_it_runs_on_the_facts_and_settings_of_its_time(self, mace_home: places.SqlitePlace):
        answer = ask_who(mace_home)
        with mace_home.open() as mace:
            mace.ask("My name is Anna", "ana")
            mace.sem_put("mace/config/router/enable_profile", False, "system_admin")
        mace_home.settings = replace(mace_home.settings, max_repair_loops=0, credential_threshold=0.99)
        assert replayed(mace_home, answer)["result"] == "MATCH"

    def test_a_rotated_key_changes_nothing(self, mace_home: places.SqlitePlace):
        answer = ask_who(mace_home)
        with mace_home.open() as mace:
            mace.rotate_key()
            assert mace.replay(answer["job_id"])["result"] == "MATCH"

    def test_there_must_be_such_a_job(self, mace_home: places.SqlitePlace):
        with mace_home.open() as mace, pytest.raises(NotFound):
            mace.replay("no such job")


def children() -> set[str]:
    tasks = Path("/proc/self/task").iterdir()
    return {child for task in tasks for child in (task / "children").read_text().split()}


Break = Callable[[places.Sql, dict[str, Any]], object]


def _snapshot(sql: places.Sql, answer: dict[str, Any], which: int) -> str:
    rows = sql(
        "select body from events where stream = ? and event_type = 'SNAPSHOT_TAKEN' order by sequence_index",
        (answer["job_id"],),
    )
    return str(json.loads(bytes(rows[which][0]))["payload"]["snapshot"])


BROKEN: list[tuple[str, str, Break]] = [
    (
        "INTEGRITY_FAILURE",
        "an event says something else",
        lambda sql, answer: sql(
            "update events set body = ? where stream = ? and sequence_index = 3", (b"{}", answer["job_id"])
        ),
    ),
    (
        "INTEGRITY_FAILURE",
        "an event is gone from the middle",
        lambda sql, answer: sql("delete from events where stream = ? and sequence_index = 4", (answer["job_id"],)),
    ),
    (
        "INTEGRITY_FAILURE",
        "the last event is gone",
        lambda sql, answer: sql(
            "delete from events where stream = ? and event_type = 'JOB_CLOSED'", (answer["job_id"],)
        ),
    ),
    (
        "INTEGRITY_FAILURE",
        "the signature of an event",
        lambda sql, answer: sql(
            "update events set signature = 'k1:00' where stream = ? and sequence_index = 2", (answer["job_id"],)
        ),
    ),
    (
        "INTEGRITY_FAILURE",
        "the signature of the snapshot",
        lambda sql, answer: sql(
            "update records set signature = 'k1:00' where record_key = ?", (_snapshot(sql, answer, 0),)
        ),
    ),
    (
        "INTEGRITY_FAILURE",
        "the content of the snapshot",
        lambda sql, answer: sql("update records set body = ? where record_key = ?", (b"{}", _snapshot(sql, answer, 0))),
    ),
    (
        "INTEGRITY_FAILURE",
        "the content of the snapshot of facts",
        lambda sql, answer: sql("update records set body = ? where record_key = ?", (b"{}", _snapshot(sql, answer, 1))),
    ),
    (
        "INTEGRITY_FAILURE",
        "a field of the reflective log",
        lambda sql, answer: sql(
            "update reflective_log_stage0 set final_confidence = 0.5 where log_id = ?", (answer["log_id"],)
        ),
    ),
    (
        "INTEGRITY_FAILURE",
        "the recorded result of an effect",
        lambda sql, answer: sql(
            "update vault_blobs set sealed = ? where ref = ?", (bytes(60), f"effect/0/{answer['job_id']}")
        ),
    ),
    (
        "INTEGRITY_FAILURE",
        "a part was moved under another key",
        lambda sql, answer: sql(
            "update vault_blobs set key_ref = 'person/user_ana' where ref = ?", (f"effect/0/{answer['job_id']}",)
        ),
    ),
    (
        "INTEGRITY_FAILURE",
        "the key of the job",
        lambda sql, answer: sql(
            "update vault_keys set wrapped = ? where ref = ?", (bytes(76), f"job/{answer['job_id']}")
        ),
    ),
    (
        "INTEGRITY_FAILURE",
        "the key of the person",
        lambda sql, answer: sql(
            "update mace_people.person_keys set wrapped = ? where ref = 'person/user_ana'", (bytes(76),)
        ),
    ),
    (
        "MISSING_SNAPSHOT",
        "the snapshot is gone",
        lambda sql, answer: sql("delete from records where record_key = ?", (_snapshot(sql, answer, 0),)),
    ),
    (
        "MISSING_SNAPSHOT",
        "the snapshot of facts is gone",
        lambda sql, answer: sql("delete from records where record_key = ?", (_snapshot(sql, answer, 1),)),
    ),
    (
        "MISSING_PERSISTED_AGENT_OUTPUT",
        "the recorded result of an effect is gone",
        lambda sql, answer: sql("delete from vault_blobs where ref = ?", (f"effect/0/{answer['job_id']}",)),
    ),
    (
        "MISSING_PERSISTED_AGENT_OUTPUT",
        "the input is gone",
        lambda sql, answer: sql("delete from vault_blobs where ref = ?", (f"input/{answer['job_id']}",)),
    ),
    (
        "MISSING_PERSISTED_AGENT_OUTPUT",
        "the reflective log is gone",
        lambda sql, answer: sql("delete from reflective_log_stage0 where log_id = ?", (answer["log_id"],)),
    ),
    *(
        (
            "INTEGRITY_FAILURE",
            f"the row of the job has another {column}: {value}",
            lambda sql, answer, column=column, value=value: sql(
                f"update jobs set {column} = ? where stream = ?", (value, answer["job_id"])
            ),
        )
        for column, value in (
            ("kind", "séance"),
            ("status", "running"),
            ("status", "abandoned"),
            ("opened_at", "2020-01-01T00:00:00.000Z"),
            ("person", "user_bob"),
            ("log_id", "another"),
        )
    ),
    (
        "INTEGRITY_FAILURE",
        "the row of the job is gone",
        lambda sql, answer: sql("delete from jobs where stream = ?", (answer["job_id"],)),
    ),
    (
        "INTEGRITY_FAILURE",
        "the key of the job is gone",
        lambda sql, answer: sql("delete from vault_keys where ref = ?", (f"job/{answer['job_id']}",)),
    ),
    (
        "INTEGRITY_FAILURE",
        "the key of the person is gone",
        lambda sql, answer: sql("delete from mace_people.person_keys where ref = 'person/user_ana'"),
    ),
]


@pytest.mark.breaks_its_store
class TestBroken:
    @pytest.mark.parametrize(("result", "what", "damage"), BROKEN, ids=[what for _, what, _ in BROKEN])
    def test_is_named(self, place: places.Place, result: str, what: str, damage: Break):
        answer = ask_who(place)
        with place.sql() as sql:
            damage(sql, answer)
        with place.open() as mace:
            found = mace.replay(answer["job_id"])
            assert found["result"] == result
            assert found["first_difference"]
            if result == "INTEGRITY_FAILURE":
                assert "INTEGRITY_FAILURE" in [event["event_type"] for event in mace.events("system")]
                again = mace.replay(answer["job_id"])
                assert again["result"] == "REPLAY_HALTED"
                assert again["first_difference"] == {"incident_id": found["incident_id"]}
            else:
                assert found["incident_id"] is None
                assert mace.replay(answer["job_id"]) == found

    def test_every_result_has_its_test(self):
        beside = {"MATCH", "REPLAY_DIVERGENCE", "RESULT_MISMATCH", "REPLAY_HALTED", "INPUT_ERASED"}  # by an erasure
        beside.add("NO_PROGRAM")  # a kind that nobody knows: `test_one_road`
        assert {result for result, _, _ in BROKEN} | beside == set(RESULTS)

    @pytest.mark.parametrize(("result", "what", "damage"), BROKEN[:2], ids=[what for _, what, _ in BROKEN[:2]])
    def test_an_auditor_leaves_no_trace(self, place: places.Place, result: str, what: str, damage: Break):
        answer = ask_who(place)
        with place.sql() as sql:
            damage(sql, answer)
        before = place.content()
        assert replayed(place, answer, read_only=True)["result"] == result
        assert replayed(place, answer, read_only=True)["result"] == result  # and nothing is halted
        assert place.content() == before

    def test_verify_and_replay_speak_of_one_incident(self, mace_home: places.SqlitePlace):
        answer = ask_who(mace_home)
        with mace_home.sql() as sql:
            sql("update records set signature = 'k1:00' where record_key = ?", (_snapshot(sql, answer, 0),))
        with mace_home.open() as mace:
            found = mace.replay(answer["job_id"])
            assert mace.verify()["incident_id"] == found["incident_id"]
            assert len(mace.incidents.list()) == 1

    def test_an_event_halts_its_own_job_only(self, mace_home: places.SqlitePlace):
        answer = ask_who(mace_home)
        with mace_home.open() as mace:
            other = mace.ask("12 + 30")
        with mace_home.sql() as sql:
            sql("update events set body = ? where stream = ? and sequence_index = 3", (b"{}", answer["job_id"]))
        with mace_home.open() as mace:
            assert mace.replay(answer["job_id"])["result"] == "INTEGRITY_FAILURE"
            assert mace.replay(other["job_id"])["result"] == "MATCH"

    def test_a_snapshot_halts_the_jobs_that_name_it(self, mace_home: places.SqlitePlace):
        """Both questions were decided on the same settings; only one of them read facts."""
        answer = ask_who(mace_home)
        with mace_home.open() as mace:
            other = mace.ask("12 + 30")
        with mace_home.sql() as sql:
            shared, own = _snapshot(sql, answer, 0), _snapshot(sql, answer, 1)
            assert (_snapshot(sql, other, 0) == shared, _snapshot(sql, other, 1) == own) == (True, False)
            sql("update records set signature = 'k1:00' where record_key = ?", (own,))
        with mace_home.open() as mace:
            assert mace.replay(answer["job_id"])["result"] == "INTEGRITY_FAILURE"
            assert [incident["halts"] for incident in mace.incidents.list()] == [[f"snapshot/{own}"]]
            assert mace.replay(answer["job_id"])["result"] == "REPLAY_HALTED"
            assert mace.replay(other["job_id"])["result"] == "MATCH"
        with mace_home.sql() as sql:
            sql("update records set signature = 'k1:00' where record_key = ?", (shared,))
        with mace_home.open() as mace:
            assert mace.verify()["ok"] is False
            assert mace.replay(other["job_id"])["result"] == "REPLAY_HALTED"
            later = mace.ask("12 + 31")  # names the same snapshot
            assert mace.replay(later["job_id"])["result"] == "REPLAY_HALTED"

    def test_a_log_halts_its_own_job_only(self, mace_home: places.SqlitePlace):
        answer = ask_who(mace_home)
        with mace_home.open() as mace:
            other = mace.ask("12 + 30")
        with mace_home.sql() as sql:
            sql("update reflective_log_stage0 set signature = 'k1:00' where log_id = ?", (answer["log_id"],))
        with mace_home.open() as mace:
            assert mace.verify()["ok"] is False
            assert mace.replay(answer["job_id"])["result"] == "REPLAY_HALTED"
            assert mace.replay(other["job_id"])["result"] == "MATCH"

    def test_attested_content_that_is_lost_stays_lost(self, mace_home: places.SqlitePlace):
        answer = ask_who(mace_home)
        with mace_home.sql() as sql:
            sql("update records set body = ? where record_key = ?", (b"{}", _snapshot(sql, answer, 0)))
        with mace_home.open() as mace:
            incident = mace.replay(answer["job_id"])["incident_id"]
            mace.attest("owner", "Somebody emptied the snapshot; there is no copy.")
            mace.lift_replay_halt(incident, "owner")
            assert mace.replay(answer["job_id"])["result"] == "INTEGRITY_FAILURE"

    def test_an_attested_signature_is_enough_where_the_hash_holds(self, mace_home: places.SqlitePlace):
        answer = ask_who(mace_home)
        with mace_home.sql() as sql:
            sql("update events set signature = 'k1:00' where stream = ?", (answer["job_id"],))
            sql("update reflective_log_stage0 set signature = 'k1:00' where log_id = ?", (answer["log_id"],))
        with mace_home.open() as mace:
            assert mace.replay(answer["job_id"])["result"] == "INTEGRITY_FAILURE"
            mace.verify()
            mace.attest("owner", "A script blanked signatures; hashes and chain hold.")
            for incident in mace.incidents.list():
                mace.lift_replay_halt(incident["incident_id"], "owner")
            assert mace.replay(answer["job_id"])["result"] == "MATCH"


def test_a_replay_that_is_under_way_sees_one_state(mace_home: places.SqlitePlace):
    """Others go on asking and telling meanwhile; a job's own record does not move."""
    answer = ask_who(mace_home)
    with mace_home.open() as one, mace_home.open() as two:
        for number in range(5):
            two.ask(f"My name is Ana the {number}", "ana")
            assert one.replay(answer["job_id"])["result"] == "MATCH"


def test_the_mace_that_replays_may_be_another_one(mace_home: places.SqlitePlace, tmp_path: Path):
    """The whole directory is the record: moved elsewhere it replays."""
    answer = ask_who(mace_home)
    moved = tmp_path / "moved"
    shutil.copytree(mace_home.folder, moved)
    mace_home.settings = replace(mace_home.settings, location=str(moved))
    assert replayed(mace_home, answer)["result"] == "MATCH"
