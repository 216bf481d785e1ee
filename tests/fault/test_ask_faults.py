"""Questions while the world breaks: engines that hang, stores that refuse, fill up, vanish or lie, processes that die.

Nothing here is imitated: the endpoint is a real HTTP server, the store is refused by triggers, quotas and locks of the
database itself, and processes are killed.
"""

import os
import signal
import subprocess
import sys
import uuid
from collections.abc import Generator
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import apsw
import pytest

import helpers_openai_server as engines
import places
import services
from governed import parts_of
from mace import wiring
from mace.agents.asking import Effect, Reply, Result, Task
from mace.agents.evidence import Evidence
from mace.core.errors import Closed, ServiceUnavailable
from mace.engine.runtime import Mace
from mace.providers.frozen import FrozenClock
from mace.settings import Settings
from replay import odd_agents

NO_RETRY = "F-FAIL-01"
NO_ENGINE = "I can’t reach my language engine right now. Try again later."
TOO_SLOW = "My language engine was too slow to answer."
NO_MEMORY = "I can’t reach my memory right now. Try again later."
FULL = "My memory is full right now; I can’t store new information."
WRITE_FAILED = "I tried to save that but my memory failed. I might not remember this next time."
DISTRUST = "I’m temporarily unable to trust my past data; ops team will check."


def codes(answer: dict[str, Any]) -> list[str]:
    return [notice["error_code"] for notice in answer["notices"]]


def types(mace: Mace, stream: str) -> list[str]:
    return [event["event_type"] for event in mace.events(stream)]


class TestEngines:
    @pytest.mark.parametrize(
        ("behaviour", "kind"),
        [
            (engines.fails(401), "auth"),
            (engines.fails(500), "server"),
            (engines.hangs_before_headers, "timeout"),
            (engines.hangs_in_the_body, "timeout"),
            (engines.drips_the_body, "timeout"),
            (engines.cuts_the_connection, "network"),
            (engines.cuts_the_body, "network"),
            (engines.writes(b"<html>not json</html>"), "malformed"),
        ],
        ids=["401", "500", "hangs", "hangs in body", "drips", "cuts", "cuts body", "no json"],
    )
    def test_it_is_told_recorded_and_replayed(
        self, mace_home: places.SqlitePlace, behaviour: engines.Behaviour, kind: str
    ):
        patience_ms = 500 if kind == "timeout" else 60_000  # a busy machine must not turn one failure into another
        with engines.OpenAiServer(behaviour) as server:
            mace_home.settings = replace(
                mace_home.settings,
                llm_url=server.url,
                llm_model="m",
                llm_needs_key=False,
                llm_connect_timeout_ms=min(patience_ms, 5000),
                llm_header_timeout_ms=patience_ms,
                llm_total_timeout_ms=patience_ms,
            )
            with mace_home.open() as mace:
                answer = mace.ask("Write a poem", job_seed=NO_RETRY)
                words = TOO_SLOW if kind == "timeout" else NO_ENGINE
                assert (answer["text"], codes(answer)) == (words, ["LLM_SERVICE_DOWN"])
                assert answer["error"]["user_message"] == NO_ENGINE
                assert kind in answer["error"]["developer_message"]
                assert mace.ask("12 + 30")["answer"] == "12 + 30 = 42"  # everything else works
                requests = len(server.requests)
                assert mace.replay(answer["job_id"])["result"] == "MATCH"
                assert len(server.requests) == requests

    def test_nobody_listens(self, mace_home: places.SqlitePlace):
        mace_home.settings = replace(
            mace_home.settings, llm_url=engines.unused_url(), llm_model="m", llm_needs_key=False
        )
        with mace_home.open() as mace:
            assert codes(mace.ask("Write a poem", job_seed=NO_RETRY)) == ["LLM_SERVICE_DOWN"]

    def test_an_engine_has_its_own_time_and_not_the_agents(self, mace_home: places.SqlitePlace):
        def slowly(handler: engines.Exchange) -> None:
            handler.wait(0.6)
            engines.answers("A poem about rains.")(handler)

        with engines.OpenAiServer(slowly) as server:
            mace_home.settings = replace(
                mace_home.settings, llm_url=server.url, llm_model="m", llm_needs_key=False, agent_timeout_ms=200
            )
            with mace_home.open() as mace:
                answer = mace.ask("Write a poem", job_seed=NO_RETRY)
                assert answer["answer"] == "A poem about rains."
                assert mace.replay(answer["job_id"])["result"] == "MATCH"
                states = {item["module_id"]: item["status"] for item in mace.modules.list()}
                assert set(states.values()) == {"healthy"}

    def test_an_engine_that_dies_during_repairs_is_told(self, mace_home: places.SqlitePlace):
        with engines.OpenAiServer(engines.answers("It is 77 of them."), engines.fails(500)) as server:
            mace_home.settings = replace(mace_home.settings, llm_url=server.url, llm_model="m", llm_needs_key=False)
            with mace_home.open(agents={"generic_agent": odd_agents.hesitates}) as mace:
                answer = mace.ask("Tell me of the moon", job_seed=NO_RETRY)
                assert codes(answer) == ["LLM_SERVICE_DOWN", "REPAIR_LIMIT_EXCEEDED"]
                assert answer["answer"] == "It is 77 of them."
                assert mace.replay(answer["job_id"])["result"] == "MATCH"


class TestStoreThatRefuses:
    """Triggers of the database refuse rows while MACE runs."""

    def refuse(self, place: places.SqlitePlace, table: str) -> None:
        with place.sql(keep_triggers=True) as sql:
            sql(f"create trigger refuse before insert on {table} begin select raise(abort, 'refused'); end")

    def allow(self, place: places.SqlitePlace) -> None:
        with place.sql(keep_triggers=True) as sql:
            sql("drop trigger refuse")

    def test_a_write_in_the_middle_of_a_question(self, mace_home: places.SqlitePlace):
        with mace_home.open() as mace:
            self.refuse(mace_home, "sem_history")
            answer = mace.ask("Remember my name is Ana", "ana", NO_RETRY)
            assert (answer["text"], codes(answer)) == (WRITE_FAILED, ["SEM_WRITE_FAIL"])
            assert answer["answer"] is None
            kinds = [
                kind
                for kind in types(mace, answer["job_id"])
                if kind in ("SERVICE_UNAVAILABLE", "RETRY_ATTEMPT", "MEMORY_WRITE_FAIL")
            ]
            assert kinds == ["SERVICE_UNAVAILABLE", "RETRY_ATTEMPT", "SERVICE_UNAVAILABLE", "MEMORY_WRITE_FAIL"]
            self.allow(mace_home)
            assert not mace.sem_get("user/profile/user_ana/name")["exists"]
            assert mace.ask("Who am I?", "ana")["error"]["error_code"] == "SEM_NOT_FOUND"
            assert mace.replay(answer["job_id"])["result"] == "MATCH"

    @pytest.mark.parametrize("table", ["sem_history", "key_registry", "events"])
    def test_it_waits_for_an_operator_who_tries_it_once_more(self, mace_home: places.SqlitePlace, table: str):
        """Whether the store refused the fact, its name or everything: what was to be remembered is kept, sealed."""
        key = "user/profile/user_ana/favorite_color"

        def remembers(task: Task) -> Generator[Effect, Result, Reply]:
            self.refuse(mace_home, table)
            request = {"user_id": "ana", "phrase": "favourite colour", "attribute": "favorite color"}
            written = yield Effect("write_profile", {**request, "value": "Lapislazuli"}, writes=True)
            self.allow(mace_home)
            return Reply(text=None, failed=written.failed, details=written.value)

        with mace_home.open(agents={"generic_agent": remembers}) as mace:
            answer = mace.ask("Please", "ana", NO_RETRY)
            assert codes(answer) == ["SEM_WRITE_FAIL"]
            kept = b"".join(file.read_bytes() for file in mace_home.folder.rglob("*") if file.is_file())
            assert b"Lapislazuli" not in kept
            assert mace.ask("12 + 30")["answer"] == "12 + 30 = 42"  # which brings in what waited
            assert [item["key"] for item in mace.modules.queued_writes()] == [key]
            (queued,) = (event for event in mace.events("system") if event["event_type"] == "WRITE_QUEUED")
            assert queued["payload"]["job_id"] == answer["job_id"]
            assert mace.replay(answer["job_id"])["result"] == "MATCH"
            (retried,) = mace.modules.retry_queued()
            assert (retried["key"], retried["applied"]) == (key, True)
            assert mace.sem_get(key)["value"] == "Lapislazuli"
            assert mace.modules.queued_writes() == []
            assert mace.verify()["ok"]

    def test_a_retry_that_fails_is_the_last(self, mace_home: places.SqlitePlace):
        with mace_home.open() as mace:
            self.refuse(mace_home, "sem_history")
            mace.ask("Remember my name is Ana", "ana", NO_RETRY)
            mace.ask("12 + 30")
            (retried,) = mace.modules.retry_queued()
            assert (retried["error_code"], retried["applied"]) == ("SEM_WRITE_FAIL", False)
            self.allow(mace_home)
            mace.ask("12 + 31")
            assert (mace.modules.queued_writes(), mace.modules.retry_queued()) == ([], [])
            assert not mace.sem_get("user/profile/user_ana/name")["exists"]

    def test_what_was_flagged_waits_nowhere(self, mace_home: places.SqlitePlace):
        def tells(task: Task) -> Generator[Effect, Result, Reply]:
            self.refuse(mace_home, "events")  # nothing can be recorded, so the write does not come to its check
            request = {"user_id": "ana", "key": "user/profile/user_ana/note", "value": "123-45-6789"}
            yield Effect("write_fact", request, writes=True)
            self.allow(mace_home)
            return Reply(text="Done.", evidence=(Evidence(kind="operation", ref="x", text="Done."),))

        with mace_home.open(agents={"generic_agent": tells}) as mace:
            mace.ask("Please", "ana", NO_RETRY)
            mace.ask("12 + 30")
            assert mace.modules.queued_writes() == []

    def test_the_third_in_a_row_is_critical(self, mace_home: places.SqlitePlace):
        with mace_home.open() as mace:
            self.refuse(mace_home, "sem_history")
            for _ in range(3):
                mace.ask("Remember my name is Ana", "ana")
            alerts = [e["payload"] for e in mace.events("system") if e["event_type"] == "ADMIN_ALERT"]
            assert [(alert["code"], alert["severity"]) for alert in alerts] == [("SEM_WRITE_FAIL", "critical")]
            states = {item["module_id"]: item for item in mace.modules.list()}
            assert states["semantic_memory"]["status"] == "offline"
            flagged = [name for name, state in states.items() if state["dependency_unhealthy"]]
            assert sorted(flagged) == ["knowledge_agent", "operational_agent", "profile_agent"]
            self.allow(mace_home)

    @pytest.mark.parametrize("table", ["reflective_log_stage0", "vault_blobs"])
    def test_what_cannot_be_recorded_is_not_answered(self, mace_home: places.SqlitePlace, table: str):
        with mace_home.open() as mace:
            self.refuse(mace_home, table)
            answer = mace.ask("12 + 30", job_seed=NO_RETRY)
            assert (answer["answer"], answer["log_id"]) == (None, None)
            assert codes(answer) == ["SERVICE_UNAVAILABLE"]
            assert mace.describe()["spilled_waiting"] == 1
            self.allow(mace_home)
            assert mace.replay(answer["job_id"])["result"] == "MISSING_PERSISTED_AGENT_OUTPUT"
            assert mace.ask("12 + 30")["answer"] == "12 + 30 = 42"
            assert mace.describe()["spilled_waiting"] == 0
            assert "SPILL_MERGED" in types(mace, "system")
            assert mace.verify()["ok"]

    @pytest.mark.parametrize("table", ["jobs", "events", "vault_keys"])
    def test_what_cannot_be_opened_has_no_snapshot(self, mace_home: places.SqlitePlace, table: str):
        with mace_home.open() as mace:
            self.refuse(mace_home, table)
            answer = mace.ask("12 + 30", job_seed=NO_RETRY)
            assert (answer["text"], codes(answer)) == (NO_MEMORY, ["ROUTER_NO_SNAPSHOT"])
            self.allow(mace_home)
            assert mace.ask("12 + 31")["answer"] == "12 + 31 = 43"
            assert "ROUTER_NO_SNAPSHOT" in types(mace, answer["job_id"])  # merged into its stream
            assert mace.ask("12 + 30", job_seed=NO_RETRY)["answer"] == "12 + 30 = 42"  # the seed was not used up


class TestFullStore:
    """A quota of the database: SQLite itself says that it is full."""

    def fill(self, mace: Mace, spare_pages: int) -> None:
        writer = mace._parts.world.store._writer  # type: ignore[attr-defined]
        writer.execute(f"pragma max_page_count = {writer.pragma('page_count') + spare_pages}")

    def empty(self, mace: Mace) -> None:
        mace._parts.world.store._writer.execute("pragma max_page_count = 1073741823")  # type: ignore[attr-defined]

    def test_full_at_the_end(self, mace_home: places.SqlitePlace):
        def fills(task: Task) -> Reply:
            self.fill(opened[0], 0)
            text = "word " * 900
            return Reply(text=text, evidence=(Evidence(kind="operation", ref="words", text=text),))

        opened: list[Mace] = []
        with mace_home.open(agents={"generic_agent": fills}) as mace:
            opened.append(mace)
            answer = mace.ask("Say many words", job_seed=NO_RETRY)
            assert (answer["text"], codes(answer)) == (FULL, ["STORAGE_FULL"])
            assert (answer["answer"], answer["log_id"]) == (None, None)
            assert mace.describe()["spilled_waiting"] == 1
            self.empty(mace)
            assert mace.ask("12 + 30")["answer"] == "12 + 30 = 42"
            assert "STORAGE_FULL" in types(mace, "system")
            assert mace.verify()["ok"]

    def test_full_from_the_start(self, mace_home: places.SqlitePlace):
        with mace_home.open() as mace:
            full = []
            self.fill(mace, 0)
            for number in range(60):  # free space within pages lasts for some
                full.append(mace.ask("12 + 30", job_seed=f"{number}"))
            assert codes(full[-1]) == ["STORAGE_FULL"]
            assert full[-1]["text"] == FULL
            self.empty(mace)
            assert mace.ask("12 + 30")["answer"] == "12 + 30 = 42"
            answered = [answer["job_id"] for answer in full if answer["log_id"] is not None]
            assert {mace.replay(job)["result"] for job in answered} <= {"MATCH"}
            assert mace.verify()["ok"]


class TestStoreThatIsGone:
    def test_closed(self, mace_home: places.SqlitePlace):
        mace = mace_home.open()
        assert mace.ask("12 + 30")["error"] is None
        parts_of(mace).world.store.close()
        answer = mace.ask("12 + 30")
        assert (answer["text"], codes(answer)) == (NO_MEMORY, ["ROUTER_NO_SNAPSHOT"])
        assert mace.ask("What is my name?", "ana")["error"]["error_code"] == "ROUTER_NO_SNAPSHOT"
        with suppress(ServiceUnavailable):  # no last checkpoint
            mace.close()
        with pytest.raises(Closed):
            mace.ask("12 + 30")

    def test_another_process_holds_it_at_the_start(self, mace_home: places.SqlitePlace):
        mace_home.settings = replace(mace_home.settings, busy_timeout_ms=30)
        with mace_home.open() as mace:
            other = apsw.Connection(str(mace_home.file))
            other.execute("begin immediate")
            answer = mace.ask("12 + 30")
            other.execute("rollback")
            assert codes(answer) == ["ROUTER_NO_SNAPSHOT"]
            assert mace.ask("12 + 30")["answer"] == "12 + 30 = 42"

    def test_another_process_holds_it_at_the_end(self, mace_home: places.SqlitePlace):
        mace_home.settings = replace(mace_home.settings, busy_timeout_ms=30)
        other = apsw.Connection(str(mace_home.folder.parent / "elsewhere.db"))

        def locks(task: Task) -> Reply:
            nonlocal other
            other = apsw.Connection(str(mace_home.file))
            other.execute("begin immediate")
            return odd_agents.echoes(task)

        with mace_home.open(agents={"generic_agent": locks}) as mace:
            answer = mace.ask("Blorp the quux")
            other.execute("rollback")
            other.close()
            assert (codes(answer), answer["answer"]) == (["SERVICE_UNAVAILABLE"], None)
            assert mace.ask("12 + 30")["answer"] == "12 + 30 = 42"

    @pytest.mark.breaks_its_store
    def test_a_server_that_stops_and_comes_back(self, tmp_path: Path):
        if os.environ.get(services.URL_VARIABLE):
            services.cannot_run("a PostgreSQL that stops", "the server is not ours to stop")
        server = services.OwnServer(Path(os.environ[services.FOLDER_VARIABLE]) / f"stops-{uuid.uuid4().hex}")
        server.create()
        try:
            settings = Settings(
                location=server.url,
                checkpoint_dir=str(tmp_path / "checkpoints"),
                checkpoint_interval_ms=0,
                postgres_connect_timeout_s=1,
            )
            with wiring.open_mace(settings=settings) as mace:
                before = mace.ask("My name is Ana", "ana")
                server.stop("immediate")
                down = mace.ask("Who am I?", "ana")
                assert (down["text"], codes(down)) == (NO_MEMORY, ["ROUTER_NO_SNAPSHOT"])
                server.start()
                assert mace.ask("Who am I?", "ana")["answer"] == "Your name is Ana."
                assert mace.replay(before["job_id"])["result"] == "MATCH"
                assert "ROUTER_NO_SNAPSHOT" in types(mace, down["job_id"])
        finally:
            if server.is_running():
                server.stop("immediate")


@pytest.mark.breaks_its_store
class TestStoreThatLies:
    def test_a_persons_key_was_changed(self, mace_home: places.SqlitePlace):
        with mace_home.open() as mace:
            mace.ask("My name is Ana", "ana")
        with mace_home.sql() as sql:
            sql("update mace_people.person_keys set wrapped = zeroblob(76) where ref = 'person/user_ana'")
        with mace_home.open() as mace:
            answer = mace.ask("Who am I?", "ana")
            assert (answer["text"], codes(answer)) == (DISTRUST, ["INTEGRITY_FAILURE"])
            assert "INTEGRITY_FAILURE" in types(mace, "system")
            assert mace.ask("12 + 30")["answer"] == "12 + 30 = 42"

    def test_what_a_reply_was_for_was_changed(self, mace_home: places.SqlitePlace):
        with mace_home.open() as mace:
            missed = mace.ask("What is my name?", "ana")
        with mace_home.sql() as sql:
            sql("update vault_blobs set sealed = zeroblob(64) where ref like 'expects/%'")
        with mace_home.open() as mace:
            answer = mace.ask("Ana", "ana", in_reply_to=missed["job_id"])
            assert (answer["text"], codes(answer)) == (DISTRUST, ["INTEGRITY_FAILURE"])

    def test_a_fact_was_changed(self, mace_home: places.SqlitePlace):
        with mace_home.open() as mace:
            mace.ask("My name is Ana", "ana")
        with mace_home.sql() as sql:
            sql("update facts set content = zeroblob(64)")
        with mace_home.open() as mace:
            answer = mace.ask("Who am I?", "ana")
            assert (answer["text"], codes(answer)) == (DISTRUST, ["INTEGRITY_FAILURE"])
            assert mace.replay(answer["job_id"])["result"] == "MATCH"  # that it could not be read is on the record


def test_nobody_joins_a_running_question(mace_home: places.SqlitePlace):
    def joins(task: Task) -> Reply:
        with suppress(Closed):  # when it is replayed
            joined.append(mace.sem_put("world/fact/x/definition", "y", "system", job_seed="joined"))
        return odd_agents.echoes(task)

    joined: list[dict[str, Any]] = []
    with mace_home.open(agents={"generic_agent": joins}) as mace:
        answer = mace.ask("Blorp the quux", job_seed="joined")
        assert joined[0]["error_code"] == "CONFLICT"
        assert answer["answer"] == "seen: Blorp the quux"
        assert mace.sem_put("world/fact/x/definition", "y", "system", job_seed="joined")["success"]
        joined.clear()


_DIES = """
import os, signal, sys
from mace import wiring
from mace.settings import Settings

commits = int(sys.argv[3])

def boundary(name):
    global commits
    if name == sys.argv[2]:
        commits -= 1
        if commits < 0:
            os.kill(os.getpid(), signal.SIGKILL)

settings = Settings(location=sys.argv[1], checkpoint_dir=sys.argv[1] + "-state", checkpoint_interval_ms=0)
with wiring.open_mace(settings=settings, boundary=boundary) as mace:
    mace.ask("My name is Ana", "ana", "killed")
"""


@pytest.mark.parametrize("point", ["after unit", "before commit", "after commit"])
@pytest.mark.parametrize("commits", [1, 2, 3])  # opening the log is the first; then open, write, close
def test_a_process_that_dies_in_a_question(tmp_path: Path, point: str, commits: int):
    place = str(tmp_path / "mace")
    done = subprocess.run([sys.executable, "-c", _DIES, place, point, str(commits)], check=False)
    assert done.returncode == -signal.SIGKILL
    settings = Settings(location=place, checkpoint_dir=f"{place}-state", checkpoint_interval_ms=0)
    later = FrozenClock(datetime(2099, 1, 1, tzinfo=UTC))
    with wiring.open_mace(settings=settings, clock=later) as mace:
        assert mace.verify()["ok"]
        jobs = {job["status"]: job["job_id"] for job in mace.jobs()}
        known = mace.sem_get("user/profile/user_ana/name")["exists"]
        stored = "SEM_PUT" in [kind for job in jobs.values() for kind in types(mace, job)]
        assert known is stored  # all of a write, or nothing
        if "closed" in jobs:
            assert mace.replay(jobs["closed"])["result"] == "MATCH"
        elif jobs:
            assert mace.replay(jobs["abandoned"])["result"] == "MISSING_PERSISTED_AGENT_OUTPUT"
            assert mace.sweep()["abandoned_jobs"] == 1
            assert [job["status"] for job in mace.jobs()] == ["abandoned"]
        assert mace.ask("My name is Ana", "ana")["error"] is None
