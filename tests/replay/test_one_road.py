"""One road: what an agent is sent, what decides, and how a job ends are the same live and on replay."""

import json
from dataclasses import replace
from typing import Any

import pytest

import places
from governed import parts_of
from helpers_openai_server import OpenAiServer, answers
from mace.agent import EFFECT_KINDS, Reply, Task
from mace.agents import council
from mace.agents.rules import DECISIONS, Rulebook, UnknownRule
from mace.engine.questions import program
from mace.engine.questions.program import RULEBOOK, programs
from mace.engine.runtime import Mace
from replay import dumping_agents, forging, odd_agents

# What decides by its second version, and by its third.
CHANGED = (
    "absent",
    "answer",
    "brought_agent",
    "council",
    "cut",
    "engine_offered",
    "evaluators",
    "gate",
    "judge",
    "knowledge_agent",
    "logged",
    "math_agent",
    "names",
    "operational_agent",
    "absent",
    "math_agent",
    "orders",
    "profile_agent",
    "repair",
    "reply_to_miss",
    "stored",
    "tokens",
)
CHANGED_TWICE = ("creative_agent", "detectors", "generic_agent", "strategy_agent")


def matches(mace: Mace, answer: dict[str, Any]) -> bool:
    outcome = mace.replay(answer["job_id"])
    assert outcome["result"] == "MATCH", outcome
    return True


class TestWhatAnAgentIsSent:
    """Exactly what was recorded: an agent that prints all of it says the same again."""

    def test_every_kind_of_effect_is_dumped(self):
        kinds = {effect.kind for effect in dumping_agents.effects("ana")}
        assert kinds - set(EFFECT_KINDS) == {"read_minds", "write_minds"}
        assert set(EFFECT_KINDS) <= kinds

    def test_an_agent_that_dumps_every_result_replays(self, mace_home: places.SqlitePlace):
        agents = {"generic_agent": dumping_agents.dumps_everything}
        with OpenAiServer(answers("A law of nature.")) as server:
            mace_home.settings = replace(mace_home.settings, llm_url=server.url, llm_model="m", llm_needs_key=False)
            with mace_home.open(agents=agents) as mace:
                mace.sem_put(dumping_agents.LAW, "Voltage is current times resistance.", "system")
                answer = mace.ask("Blorp the quux", "ana")
                lines = answer["answer"].splitlines()
                assert len(lines) == len(dumping_agents.effects("ana"))
                assert matches(mace, answer)
        for line in lines:  # members in canonical order, whole numbers as such
            value = json.loads(line.partition(": ")[2].partition(" ")[2])
            assert line.endswith(json.dumps(_in_order(value), ensure_ascii=False)), line
        assert '"value": {"cat": [2.5, null], "zebra": 1, "ä": true}' in lines[3]


def _in_order(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _in_order(value[name]) for name in sorted(value)}
    return [_in_order(item) for item in value] if isinstance(value, list) else value


def planted(**versions: Any) -> Rulebook:
    """The rulebook with one more version of something."""
    entries = {name: dict(held) for name, held in RULEBOOK.entries.items()}
    for name, implementation in versions.items():
        entries[name][max(entries[name]) + 1] = implementation
    return Rulebook(entries)


def with_rulebook(mace: Mace, rulebook: Rulebook) -> None:
    parts_of(mace).programs["ask"].rulebook = rulebook  # type: ignore[attr-defined]


def loud(tape: Any, received: Any, heard: Any) -> dict[str, Any]:
    return {**RULEBOOK.entries["answer"][2](tape, received, heard), "text": "LOUD"}


def shouts(task: Task) -> Reply:
    return Reply(text=None, failed="SEM_NOT_FOUND", details={"key": "none"})


@pytest.mark.breaks_its_store  # another process has no such versions
class TestVersions:
    """A changed decision is a new version: new jobs take it, older ones keep theirs."""

    @pytest.mark.parametrize(
        "changes",
        [
            {"answer": loud},
            {"generic_agent": shouts},
            {"math_agent": shouts},
            {"trust": {"math_agent": 0.01}},
            {"detectors": lambda text: []},
            {"reply_to_miss": lambda text: False},
        ],
        ids=lambda changes: next(iter(changes)),
    )
    def test_a_planted_version_decides_new_jobs_only(self, mace_home: places.SqlitePlace, changes: dict[str, Any]):
        [name] = changes
        with mace_home.open() as mace:
            before = [mace.ask("12 + 30"), mace.ask("Blorp the quux", "ana"), mace.ask("What is my name?", "ana")]
            before.append(mace.ask("Ana", "ana", in_reply_to=before[-1]["job_id"]))
            with_rulebook(mace, planted(**changes))
            after = [mace.ask("12 + 30"), mace.ask("Blorp the quux", "ana")]
            assert all(matches(mace, answer) for answer in [*before, *after])
            newest, former = _recorded(mace, after[0])[name], _recorded(mace, before[0])[name]
            assert newest == former + 1
            if name == "answer":
                assert ([item["text"] for item in after], before[0]["text"]) == (["LOUD", "LOUD"], "12 + 30 = 42")
            if name == "math_agent":
                assert (after[0]["answer"], before[0]["answer"]) == (None, "12 + 30 = 42")

    def test_an_agent_of_ones_own_hears_everything_in_a_job_from_before(self, mace_home: places.SqlitePlace):
        with mace_home.open(agents={"generic_agent": odd_agents.echoes}) as mace:
            with_rulebook(mace, Rulebook({**RULEBOOK.entries, "brought_agent": {1: DECISIONS["brought_agent"][1]}}))
            before = mace.ask("Forget my city", "ana")
            assert mace.approvals.list() == []
        with mace_home.open(agents={"generic_agent": odd_agents.echoes}) as mace:
            assert matches(mace, before)
            assert mace.approvals.list() == []
            assert "An administrator must approve" in str(mace.ask("Forget my city", "ana")["answer"])

    def test_every_job_records_every_version(self, mace_home: places.SqlitePlace):
        with mace_home.open() as mace:
            recorded = _recorded(mace, mace.ask("12 + 30"))
        assert recorded == RULEBOOK.newest()
        assert recorded == {
            **dict.fromkeys(DECISIONS, 1),
            **dict.fromkeys(CHANGED, 2),
            **dict.fromkeys(CHANGED_TWICE, 3),
        }

    @pytest.mark.parametrize(
        ("rulebook", "told"),
        [
            (planted(council=council.deliberate), {"rule": "council", "version": 3, "known_versions": [1, 2]}),
            (
                Rulebook({**RULEBOOK.entries, "seance": {1: None}}),
                {"rule": "seance", "version": 1, "known_versions": []},
            ),
        ],
        ids=["a version", "a name"],
    )
    def test_a_version_that_nobody_has_is_named(
        self, mace_home: places.SqlitePlace, rulebook: Rulebook, told: dict[str, Any]
    ):
        """As when a database comes back to an older MACE."""
        with mace_home.open() as mace:
            with_rulebook(mace, rulebook)
            answer = mace.ask("12 + 30")
            assert matches(mace, answer)
            with_rulebook(mace, RULEBOOK)
            outcome = mace.replay(answer["job_id"])
            version = mace.describe()["system_version"]
        assert outcome["result"] == "REPLAY_DIVERGENCE"
        assert outcome["first_difference"] == {
            **told,
            "system_version_stored": version,
            "system_version_now": version,
        }

    def test_own_agents_are_what_somebody_brought(self, mace_home: places.SqlitePlace):
        with mace_home.open(agents={"math_agent": shouts}) as mace:
            assert mace.ask("12 + 30")["error"]["error_code"] == "SEM_NOT_FOUND"
        with mace_home.open() as mace:
            assert mace.ask("12 + 30")["answer"] == "12 + 30 = 42"


def _recorded(mace: Mace, answer: dict[str, Any]) -> dict[str, int]:
    [event, *_] = [item for item in mace.events(answer["job_id"]) if item["event_type"] == "SNAPSHOT_TAKEN"]
    digest = event["payload"]["snapshot"]
    record = parts_of(mace).world.store.read(lambda tx: tx.records.get("snapshot", digest))
    assert record is not None
    rules: dict[str, int] = json.loads(record.body)["rules"]
    return rules


@pytest.mark.parametrize(
    "recorded", [None, [], "1", {"council": "1"}, {"council": True}, {"council": 0}, {"council": 1.0}, {"seance": 1}]
)
def test_rules_that_are_none_are_unknown(recorded: Any):
    with pytest.raises(UnknownRule):
        RULEBOOK.at(recorded)


def test_a_rulebook_without_a_first_version_knows_no_old_job():
    book = Rulebook({"late": {2: "two"}})
    assert book.at({"late": 2}) == {"late": "two"}
    with pytest.raises(UnknownRule):
        book.at({})


BLOCK = {"kind": "block", "person": ""}


class TestKinds:
    def test_each_kind_has_one_program_live_and_on_replay(self, mace_home: places.SqlitePlace):
        with mace_home.open() as mace:
            answer = mace.ask("12 + 30")
            assert {job["kind"] for job in mace.jobs()} <= set(program.PROGRAMS)
            assert parts_of(mace).questions._program is parts_of(mace).replays._programs["ask"]
            assert matches(mace, answer)
        assert set(programs({})) == set(program.PROGRAMS)

    @pytest.mark.breaks_its_store
    def test_a_kind_that_nobody_knows_is_named(self, mace_home: places.SqlitePlace):
        with mace_home.open() as mace:
            answer = mace.ask("12 + 30")
        forging.rewrite_event(mace_home, answer["job_id"], "JOB_OPENED", lambda said: {**said, "job": BLOCK})
        with mace_home.sql() as sql:
            sql("update jobs set kind = 'block' where stream = ?", (answer["job_id"],))
        with mace_home.open() as mace:
            outcome = mace.replay(answer["job_id"])
        assert (outcome["result"], outcome["incident_id"]) == ("NO_PROGRAM", None)
        assert outcome["first_difference"] == {"kind": "block", "known_kinds": ["ask", "program"]}

    @pytest.mark.breaks_its_store
    def test_but_a_broken_record_comes_first(self, mace_home: places.SqlitePlace):
        with mace_home.open() as mace:
            answer = mace.ask("12 + 30")
        with mace_home.sql() as sql:
            sql("update jobs set kind = 'block' where stream = ?", (answer["job_id"],))
            sql("update events set signature = 'k1:00' where stream = ?", (answer["job_id"],))
        with mace_home.open() as mace:
            assert mace.replay(answer["job_id"])["result"] == "INTEGRITY_FAILURE"


@pytest.mark.breaks_its_store
def test_an_ending_that_was_rewritten_is_found(mace_home: places.SqlitePlace):
    with mace_home.open() as mace:
        answer = mace.ask("12 + 30")
    forging.rewrite_event(
        mace_home, answer["job_id"], "JOB_CLOSED", lambda payload: {**payload, "error_code": "AGENT_ERROR"}
    )
    with mace_home.open() as mace:
        assert mace.replay(answer["job_id"])["result"] == "RESULT_MISMATCH"
