"""A language engine on the record: every request that leaves, answers that are not whole, words and remedies."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import places
from helpers_openai_server import (
    Behaviour,
    Exchange,
    OpenAiServer,
    answers,
    cuts_the_connection,
    ends,
    fails,
    hangs_before_headers,
    unused_url,
)
from mace import wiring
from mace.core.errors import InvalidInput
from mace.core.programs import program
from mace.engine.runtime import Mace
from mace.providers.frozen import FrozenClock
from mace.settings import Settings
from replay import odd_agents

NO_RETRY = "F-FAIL-01"  # a seed by which an agent whose engine failed is not asked again
CALL = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
CUT = "This answer was cut off before its end."


@contextmanager
def asking(place: places.SqlitePlace, *servers: OpenAiServer, agents: Any = None, **more: Any) -> Iterator[Mace]:
    chosen = {"llm_url": servers[0].url, "llm_model": "first", "llm_needs_key": False}
    if len(servers) > 1:
        chosen |= {"llm_backup_url": servers[1].url, "llm_backup_model": "second"}
    place.settings = replace(place.settings, **{**chosen, **more})
    with place.open(agents=agents) as mace:
        yield mace


def attempts(mace: Mace, job_id: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The starts and the ends of attempts that a job has on its record."""
    events = [(event["event_type"], event["payload"]) for event in mace.events(job_id)]
    return (
        [payload for kind, payload in events if kind == "ENGINE_ASKED"],
        [payload for kind, payload in events if kind == "ENGINE_DONE"],
    )


def codes(answer: dict[str, Any]) -> list[str]:
    return [notice["error_code"] for notice in answer["notices"]]


class TestEveryRequestIsOnTheRecord:
    @pytest.mark.parametrize(
        ("first", "second", "retries", "counts", "ended"),
        [
            ([answers("A poem.")], [answers("spare")], 0, (1, 0), [None]),
            ([fails(500)], [answers("spare")], 0, (1, 1), ["server", None]),
            ([fails(401)], [fails(404)], 3, (1, 1), ["auth", "request"]),
            ([fails(500), fails(503), answers("A poem.")], [answers("spare")], 2, (3, 0), ["server", "server", None]),
            ([cuts_the_connection], [fails(500), answers("spare")], 1, (2, 2), ["network"] * 2 + ["server", None]),
            ([ends("content_filter", content=None)], [answers(None)], 3, (1, 1), ["filtered", "empty"]),
        ],
    )
    def test_with_fail_over_and_retries(
        self,
        mace_home: places.SqlitePlace,
        first: list[Behaviour],
        second: list[Behaviour],
        retries: int,
        counts: tuple[int, int],
        ended: list[str | None],
    ):
        with (
            OpenAiServer(*first) as one,
            OpenAiServer(*second) as two,
            asking(mace_home, one, two, llm_retries=retries) as mace,
        ):
            answer = mace.ask("Write a poem", job_seed=NO_RETRY)
            begun, over = attempts(mace, answer["job_id"])
            assert (len(one.requests), len(two.requests)) == counts
            told = [item["provider"] for item in begun]
            assert (told.count("openai"), told.count("backup")) == counts
            assert [item["failed"] for item in over] == ended
            assert [item["attempt"] for item in begun] == [item["attempt"] for item in over]
            assert {item["effect"] for item in (*begun, *over)} == {begun[0]["effect"]}
            assert mace.replay(answer["job_id"])["result"] == "MATCH"
            assert mace.verify()["ok"]
            assert (len(one.requests), len(two.requests)) == counts  # a replay asks nobody

    def test_on_every_kind_of_store(self, place: places.Place):
        with OpenAiServer(fails(500)) as one, OpenAiServer(fails(503), answers("spare")) as two:
            chosen = {"llm_url": one.url, "llm_model": "first", "llm_needs_key": False, "llm_retries": 1}
            place.settings = replace(place.settings, **chosen, llm_backup_url=two.url, llm_backup_model="second")
            with place.open() as mace:
                answer = mace.ask("Write a poem", "bob", NO_RETRY)
                begun, over = attempts(mace, answer["job_id"])
                assert (answer["answer"], len(begun), len(over)) == ("spare", 4, 4)
                assert (len(one.requests), len(two.requests)) == (2, 2)
                assert mace.replay(answer["job_id"])["result"] == "MATCH"
                assert mace.verify()["ok"]

    def test_when_an_agent_is_asked_again(self, mace_home: places.SqlitePlace):
        with OpenAiServer(fails(500)) as server, asking(mace_home, server) as mace:
            jobs = [mace.ask("Write a poem", job_seed=f"again-{number}")["job_id"] for number in range(2)]
            begun = [item for job in jobs for item in attempts(mace, job)[0]]
            assert len(begun) == len(server.requests)
            assert all(mace.replay(job)["result"] == "MATCH" for job in jobs)

    def test_of_a_judge(self, mace_home: places.SqlitePlace):
        with OpenAiServer(answers("Rain falls on the roof.")) as writer, OpenAiServer(fails(500)) as judge:
            more = {"judge_url": judge.url, "judge_model": "j", "judge_needs_key": False}
            with asking(mace_home, writer, **more) as mace:
                answer = mace.ask("Write a poem about rain", job_seed=NO_RETRY)
                begun, over = attempts(mace, answer["job_id"])
                told = [item["engine"] for item in begun]
                assert (told.count("language"), told.count("judge")) == (len(writer.requests), len(judge.requests))
                assert len(judge.requests) > 0
                assert len(over) == len(begun)
                assert mace.replay(answer["job_id"])["result"] == "MATCH"

    def test_nothing_of_the_question_stands_in_plain_sight(self, mace_home: places.SqlitePlace):
        with OpenAiServer(fails(500, "canary-from-the-endpoint")) as one, OpenAiServer(answers("canary-said")) as two:
            with asking(mace_home, one, two) as mace:
                answer = mace.ask("Write a poem about canary-asked", "bob", NO_RETRY)
                begun, over = attempts(mace, answer["job_id"])
                plain = json.dumps(mace.events(answer["job_id"]))
            assert (len(begun), len(over)) == (2, 2)
        for word in ("canary-asked", "canary-said", "canary-from-the-endpoint"):
            assert word not in plain

    def test_an_engine_of_somebodys_own_counts_as_one_attempt(self, mace_home: places.SqlitePlace):
        from mace.testing import ScriptedEngine

        with mace_home.open(language=ScriptedEngine(["A poem."])) as mace:
            answer = mace.ask("Write a poem", job_seed=NO_RETRY)
            begun, over = attempts(mace, answer["job_id"])
            assert ([item["provider"] for item in begun], [item["failed"] for item in over]) == (["given"], [None])
            assert mace.replay(answer["job_id"])["result"] == "MATCH"

    def test_what_such_an_engine_says_of_its_failure_stays_sealed(self, mace_home: places.SqlitePlace):
        from mace.providers.models.port import Attempt, ModelDown
        from mace.testing import ScriptedEngine

        said = {"provider": "own", "model": "m", "kind": "server", "status": None}
        broken = [
            ModelDown([Attempt(**said, reason="canary-reason", hint="canary-hint")], "ok"),
            ModelDown([Attempt(**said, reason="not_usable", hint="canary-hint")], "ok"),
        ]
        with mace_home.open(language=ScriptedEngine(broken)) as mace:
            jobs = [mace.ask("Write a poem", job_seed=NO_RETRY + mark)["job_id"] for mark in ("", "-2")]
            plain = json.dumps([mace.events(job) for job in jobs])
            assert "ENGINE_DONE" in plain
            assert "canary" not in plain

    def test_without_a_key_nothing_was_asked(self, mace_home: places.SqlitePlace):
        with OpenAiServer(answers("never")) as server, asking(mace_home, server, llm_needs_key=True) as mace:
            answer = mace.ask("Write a poem", job_seed=NO_RETRY)
            assert (attempts(mace, answer["job_id"]), server.requests) == (([], []), [])
            assert "llm_api_key (MACE_LLM_API_KEY)" in answer["error"]["meta"]["remedy"]


_ASKS = """
import sys
from mace import wiring
from mace.settings import Settings

settings = Settings(
    location=sys.argv[1], checkpoint_dir=sys.argv[1] + "-state", checkpoint_interval_ms=0,
    llm_url=sys.argv[2], llm_model="m", llm_needs_key=False, llm_backup_url=sys.argv[3], llm_backup_model="n",
)
with wiring.open_mace(settings=settings, programs=[__import__("writing_program").writes]) as mace:
    if sys.argv[4] == "ask":
        mace.ask("Write a poem", None, "killed")
    else:
        mace.perform("writes", {}, job_seed="killed")
"""
_PROGRAM = """
from mace.core.programs import program

@program("writes", version="1")
def writes(job, given):
    return job.complete([{"role": "user", "content": "a poem"}])["text"]
"""


class TestKilled:
    """A process that is killed while an engine has not answered: what left is on the record, as begun."""

    def killed(self, tmp_path: Path, what: str, one: OpenAiServer, two: OpenAiServer) -> Settings:
        place = str(tmp_path / "mace")
        (tmp_path / "writing_program.py").write_text(_PROGRAM)
        environ = {**os.environ, "PYTHONPATH": f"{os.environ.get('PYTHONPATH', '')}:{tmp_path}"}
        child = subprocess.Popen([sys.executable, "-c", _ASKS, place, one.url, two.url, what], env=environ)
        try:
            until = time.monotonic() + 60
            while not two.requests and time.monotonic() < until and child.poll() is None:
                time.sleep(0.02)
        finally:
            child.send_signal(signal.SIGKILL)
            child.wait()
        assert (len(one.requests), len(two.requests)) == (1, 1)
        return Settings(location=place, checkpoint_dir=f"{place}-state", checkpoint_interval_ms=0)

    def test_in_a_question(self, tmp_path: Path):
        with OpenAiServer(fails(500)) as one, OpenAiServer(hangs_before_headers) as two:
            settings = self.killed(tmp_path, "ask", one, two)
        later = FrozenClock(datetime(2099, 1, 1, tzinfo=UTC))
        with wiring.open_mace(settings=settings, clock=later) as mace:
            (job,) = mace.jobs.list()["items"]
            begun, over = attempts(mace, job["job_id"])
            assert [item["provider"] for item in begun] == ["openai", "backup"]
            assert [(item["attempt"], item["failed"]) for item in over] == [(1, "server")]
            assert mace.verify()["ok"]
            assert mace.sweep()["abandoned_jobs"] == 1
            assert mace.verify()["ok"]

    def test_in_a_program_that_is_taken_up_again(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        with OpenAiServer(fails(500)) as one, OpenAiServer(hangs_before_headers) as two:
            settings = self.killed(tmp_path, "perform", one, two)
        with OpenAiServer(fails(503), fails(503)) as three, OpenAiServer(answers("A poem.")) as four:
            monkeypatch.syspath_prepend(str(tmp_path))
            chosen = replace(
                settings,
                llm_url=three.url,
                llm_model="m",
                llm_needs_key=False,
                llm_backup_url=four.url,
                llm_backup_model="n",
            )
            functions = [__import__("writing_program").writes]
            later = FrozenClock(datetime(2099, 1, 1, tzinfo=UTC))
            with wiring.open_mace(settings=chosen, clock=later, programs=functions) as mace:
                mace.sweep()
                (job,) = mace.jobs.list()["items"]
                answer = mace.resume(job["job_id"])
                assert answer["text"] == "A poem."
                begun, over = attempts(mace, job["job_id"])
                assert [item["failed"] for item in over] == ["server", "server", None]
                assert len(begun) == 4 == 2 + len(three.requests) + len(four.requests)
                assert mace.replay(job["job_id"])["result"] == "MATCH"
                assert mace.verify()["ok"]


@program("completes", version="1")
def completes(job: Any, given: Any) -> str:
    return str(job.complete([{"role": "user", "content": "a poem"}])["text"])


def test_a_program_has_every_request_on_its_record(mace_home: places.SqlitePlace):
    with OpenAiServer(fails(500), fails(500), answers("A poem.")) as server:
        mace_home.settings = replace(
            mace_home.settings, llm_url=server.url, llm_model="m", llm_needs_key=False, llm_retries=2
        )
        with mace_home.open(programs=[completes]) as mace:
            answer = mace.perform("completes", {})
            begun, over = attempts(mace, answer["job_id"])
            assert (answer["text"], len(begun), len(server.requests)) == ("A poem.", 3, 3)
            assert [item["failed"] for item in over] == ["server", "server", None]
            assert mace.replay(answer["job_id"])["result"] == "MATCH"


class TestNotWhole:
    @pytest.mark.parametrize(
        "text", ["Write a poem about rain", "Give me a roadmap for a garden", "Does rain fall on the moon?"]
    )
    def test_an_answer_that_was_cut_off_says_so(self, mace_home: places.SqlitePlace, text: str):
        with OpenAiServer(ends("length", content="Rain falls in the mid")) as server, asking(mace_home, server) as mace:
            answer = mace.ask(text, job_seed=NO_RETRY)
            assert answer["answer"] == "Rain falls in the mid"
            (notice,) = [item for item in answer["notices"] if item["error_code"] == "LOW_CONFIDENCE"]
            meta = notice["meta"]
            assert (meta["cut"], meta["said"]) == (True, CUT)
            assert CUT in answer["text"]
            sent = server.requests[0].body["max_tokens"]
            assert (meta["max_output_tokens"], f"{sent} tokens" in meta["reason"]) == (sent, True)
            assert meta["confidence"] == answer["confidence"] < meta["threshold"]
            log = mace.read_reflective_log(answer["log_id"])
            assert log["final_confidence"] == answer["confidence"]
            assert attempts(mace, answer["job_id"])[1][-1]["finish_reason"] == "length"
            assert any(item["event_type"] == "LOW_CONFIDENCE" for item in mace.events(answer["job_id"]))
            assert mace.replay(answer["job_id"])["result"] == "MATCH"

    def test_a_whole_answer_does_not(self, mace_home: places.SqlitePlace):
        with OpenAiServer(answers("Rain falls on the roof.")) as server, asking(mace_home, server) as mace:
            answer = mace.ask("Write a poem about rain", job_seed=NO_RETRY)
            assert (codes(answer), CUT in answer["text"]) == ([], False)

    @pytest.mark.parametrize(
        ("text", "setting"),
        [
            ("Does rain fall on the moon?", "llm_answer_tokens"),
            ("Write a poem about rain", "llm_text_tokens"),
            ("Give me a roadmap for a garden", "llm_plan_tokens"),
        ],
    )
    def test_every_task_has_its_own_limit(self, mace_home: places.SqlitePlace, text: str, setting: str):
        with OpenAiServer(ends("length", content="Rain")) as server, asking(mace_home, server, **{setting: 77}) as mace:
            answer = mace.ask(text, job_seed=NO_RETRY)
            assert server.requests[0].body["max_tokens"] == 77
            told = next(item for item in answer["notices"] if item["error_code"] == "LOW_CONFIDENCE")
            assert f"{setting} (MACE_{setting.upper()})" in told["meta"]["remedy"]
            assert mace.replay(answer["job_id"])["result"] == "MATCH"

    def test_what_an_agent_of_somebodys_own_asks_for_stays(self, mace_home: places.SqlitePlace):
        agents = {"creative_agent": odd_agents.hesitates}
        with OpenAiServer(answers("Rain.")) as server, asking(mace_home, server, agents=agents) as mace:
            mace.ask("Write a poem about rain", job_seed=NO_RETRY)
            assert {request.body["max_tokens"] for request in server.requests} <= {800}

    def test_a_second_attempt_gets_more_room_where_the_settings_allow_it(self, mace_home: places.SqlitePlace):
        behaviours = ends("length", content="Rain falls in the mid"), answers("Rain falls in the middle of May.")
        with OpenAiServer(*behaviours) as server, asking(mace_home, server, llm_second_tokens=5000) as mace:
            answer = mace.ask("Write a poem about rain", job_seed=NO_RETRY)
            assert (answer["answer"], codes(answer)) == ("Rain falls in the middle of May.", [])
            assert [request.body["max_tokens"] for request in server.requests] == [2000, 5000]
            assert len(attempts(mace, answer["job_id"])[0]) == 2
            log = mace.read_reflective_log(answer["log_id"])
            assert log["runtime_metrics"]["tokens_used"] == 20  # of both
            assert mace.replay(answer["job_id"])["result"] == "MATCH"

    def test_a_second_attempt_that_fails_leaves_the_part(self, mace_home: places.SqlitePlace):
        behaviours = ends("length", content="Rain falls in the mid"), fails(500)
        with OpenAiServer(*behaviours) as server, asking(mace_home, server, llm_second_tokens=5000) as mace:
            answer = mace.ask("Write a poem about rain", job_seed=NO_RETRY)
            assert (answer["answer"], CUT in answer["text"]) == ("Rain falls in the mid", True)
            assert len(attempts(mace, answer["job_id"])[0]) == len(server.requests) == 2


class TestWordsOfTheirOwn:
    @pytest.mark.parametrize(
        ("behaviour", "words", "remedy"),
        [
            (answers(None), "empty answer", "llm_model"),
            (ends("length", content=None), "empty answer", "llm_text_tokens"),
            (ends("content_filter", content=None), "content filter", "other words"),
            (ends("tool_calls", content=None, tool_calls=[CALL]), "a tool", "llm_model"),
            (ends("stop", content=None, refusal="I must not."), "refused", "other words"),
            (fails(404), "can’t reach", "llm_url (MACE_LLM_URL)"),
            (fails(401), "can’t reach", "llm_api_key (MACE_LLM_API_KEY)"),
            (fails(500), "can’t reach", "llm_backup_model"),
        ],
    )
    def test_a_person_hears_what_happened(
        self, mace_home: places.SqlitePlace, behaviour: Behaviour, words: str, remedy: str
    ):
        with OpenAiServer(behaviour) as server, asking(mace_home, server) as mace:
            answer = mace.ask("Write a poem", job_seed=NO_RETRY)
            assert (answer["answer"], codes(answer)) == (None, ["LLM_SERVICE_DOWN"])
            assert words in answer["text"]
            assert remedy in answer["error"]["meta"]["remedy"]
            assert mace.replay(answer["job_id"])["result"] == "MATCH"

    def test_a_slow_model_is_too_slow_and_the_setting_is_named(self, mace_home: places.SqlitePlace):
        times = {"llm_connect_timeout_ms": 300, "llm_header_timeout_ms": 300, "llm_total_timeout_ms": 900}
        with OpenAiServer(hangs_before_headers) as server, asking(mace_home, server, **times) as mace:
            answer = mace.ask("Write a poem", job_seed=NO_RETRY)
            assert answer["text"] == "My language engine was too slow to answer."
            assert "llm_header_timeout_ms (MACE_LLM_HEADER_TIMEOUT_MS)" in answer["error"]["meta"]["remedy"]
            assert "timeout" in answer["error"]["developer_message"]

    def test_nobody_listens(self, mace_home: places.SqlitePlace):
        mace_home.settings = replace(mace_home.settings, llm_url=unused_url(), llm_model="m", llm_needs_key=False)
        with mace_home.open() as mace:
            told = mace.ask("Write a poem", job_seed=NO_RETRY)["error"]["meta"]
            assert "llm_url (MACE_LLM_URL)" in told["remedy"]

    def test_without_an_engine_the_setting_is_named(self, mace_home: places.SqlitePlace):
        with mace_home.open() as mace:
            answer = mace.ask("Write a poem", job_seed=NO_RETRY)
            assert answer["text"] == "I have no language engine, and this needs one."
            assert "llm_model (MACE_LLM_MODEL)" in answer["error"]["meta"]["remedy"]
            assert mace.replay(answer["job_id"])["result"] == "MATCH"

    def test_a_thought_that_never_ends_is_not_shown(self, mace_home: places.SqlitePlace):
        said = "Rain falls on the roof. <think>the user wants more, but"
        with OpenAiServer(answers(said)) as server, asking(mace_home, server) as mace:
            answer = mace.ask("Write a poem about rain", job_seed=NO_RETRY)
            assert answer["answer"] == "Rain falls on the roof."

    @pytest.mark.parametrize("tag", ["thinking", "reasoning", "scratchpad"])
    def test_nor_one_in_another_tag(self, mace_home: places.SqlitePlace, tag: str):
        with OpenAiServer(answers(f"Rain falls. <{tag}>hm")) as server, asking(mace_home, server) as mace:
            assert mace.ask("Write a poem about rain", job_seed=NO_RETRY)["answer"] == "Rain falls."


class TestOffline:
    def test_three_failures_say_that_the_engine_rests(self, mace_home: places.SqlitePlace):
        with OpenAiServer(fails(500)) as server, asking(mace_home, server) as mace:
            told = [mace.ask("Write a poem", job_seed=f"down-{number}")["error"]["meta"] for number in range(4)]
            asked = len(server.requests)
            resting = [number for number, meta in enumerate(told) if "not asked, for anybody" in meta["remedy"]]
            assert resting
            last = mace.ask("Write a poem", job_seed="down-again")
            assert len(server.requests) == asked
            assert "rest for a while" in last["text"]
            assert "probation_ms" in last["error"]["meta"]["remedy"]
            assert 'm.modules.recover("language_engine")' in last["error"]["meta"]["remedy"]

    @pytest.mark.parametrize(
        "behaviour", [answers(None), ends("content_filter", content=None), fails(400), fails(404), fails(422)]
    )
    def test_what_one_question_brings_on_itself_takes_nobody_the_engine(
        self, mace_home: places.SqlitePlace, behaviour: Behaviour
    ):
        with OpenAiServer(behaviour) as server, asking(mace_home, server) as mace:
            for number in range(5):
                mace.ask("Write a poem", job_seed=f"mine-{number}")
            states = {item["module_id"]: item["status"] for item in mace.modules.list()}
            assert states.get("language_engine", "healthy") == "healthy"
            assert len(server.requests) == 5  # and none of them was asked twice

    def test_an_endpoint_that_wants_to_be_left_alone_is_not_asked_at_once(self, mace_home: places.SqlitePlace):
        def busy(handler: Exchange) -> None:
            handler.send(429, b'{"error": {"message": "no"}}', retry_after="30")

        with OpenAiServer(busy) as server, asking(mace_home, server, fails_offline=50) as mace:
            for number in range(8):  # some of these seeds would ask an agent twice
                mace.ask("Write a poem", job_seed=f"busy-{number}")
            assert len(server.requests) == 8


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"llm_total_timeout_ms": 20_000}, "llm_header_timeout_ms"),
        ({"llm_header_timeout_ms": 90_000}, "llm_header_timeout_ms"),
        ({"llm_header_timeout_ms": 40_000, "llm_backup_model": "b"}, "llm_header_timeout_ms"),
        ({"llm_connect_timeout_ms": 61_000}, "llm_connect_timeout_ms"),
    ],
)
def test_limits_that_contradict_each_other_are_refused(
    mace_home: places.SqlitePlace, changed: dict[str, Any], named: str
):
    mace_home.settings = replace(mace_home.settings, llm_model="m", **changed)
    with pytest.raises(InvalidInput) as refused, mace_home.open():
        pass
    assert named in str(refused.value)
    assert "llm_total_timeout_ms" in str(refused.value)
