"""What leaves this process: only what a consent to `process` covers, to a language engine or an agent of one's own."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

import places
from helpers_openai_server import OpenAiServer, answers
from mace.agents.asking import Reply, Task
from mace.agents.directory import AGENTS

pytestmark = [pytest.mark.stage1, pytest.mark.critical]
PHONE, EMAIL, SSN = "212-555-0198", "bob.stone.77@gmail.com", "123-45-6789"
TEXT = f"Write a poem that says call {PHONE} or write to {EMAIL}"


def sent(server: OpenAiServer) -> str:
    return repr([request.body for request in server.requests])


def granted(mace: Any, purposes: Sequence[str], types: Sequence[str] | None) -> str:
    until = "2035-01-01T00:00:00Z"
    given = mace.grant_consent(
        "bob", "You may keep it.", "persistent", expires_at=until, purposes=purposes, data_types=types
    )
    return str(given["consent_id"])


@pytest.mark.parametrize(
    ("purposes", "types", "leaves"),
    [
        (["store"], None, []),
        (["store", "process"], None, [PHONE, EMAIL]),
        (["store", "process"], ["phone", "email"], [PHONE, EMAIL]),
        (["store", "process"], ["phone"], [PHONE]),  # what is not covered takes nothing else with it
        (["store", "process"], ["email"], [EMAIL]),
        (["store", "process"], ["postal_address"], []),
        (["store"], ["phone"], []),
        (["process"], None, []),
    ],
)
def test_an_engine_is_sent_what_may_be_processed(
    mace_home: places.SqlitePlace, purposes: list[str], types: list[str] | None, leaves: list[str]
):
    with OpenAiServer(answers("Roses are red, somebody calls.")) as server:
        mace_home.settings = replace(mace_home.settings, llm_url=server.url, llm_model="first", llm_needs_key=False)
        with mace_home.open() as mace:
            heard = mace.ask(TEXT, user_id="bob", consent_id=granted(mace, purposes, types))
            assert "poem" in sent(server)
            assert [value for value in (PHONE, EMAIL) if value in sent(server)] == leaves
            assert ("[redacted]" in sent(server)) is (len(leaves) < 2)
            assert mace.replay(heard["job_id"])["result"] == "MATCH"


@pytest.mark.parametrize(("purposes", "given"), [(["store"], "[redacted]"), (["store", "process"], PHONE)])
def test_an_agent_that_somebody_brought_is_given_what_may_be_processed(
    mace_home: places.SqlitePlace, purposes: list[str], given: str
):
    tasks: list[Task] = []

    def own(task: Task) -> Reply:
        tasks.append(task)
        return Reply(text="Roses are red.", confidence=0.9)

    with mace_home.open(agents={**AGENTS, "creative_agent": own}) as mace:
        consent = granted(mace, purposes, None)
        heard = mace.ask(f"Write a poem about {PHONE}", user_id="bob", consent_id=consent)
        assert {task.text for task in tasks} == {f"Write a poem about {given}"}
        assert tasks[0].withheld == (() if given == PHONE else ("phone",))
        assert mace.replay(heard["job_id"])["result"] == "MATCH"


def test_a_packaged_agent_may_use_what_is_stored(mace_home: places.SqlitePlace):
    with mace_home.open() as mace:
        consent = granted(mace, ["store"], None)
        heard = mace.ask(f"my phone is {PHONE}", user_id="bob", consent_id=consent)
        assert heard["answer"] == f"I’ll remember that your phone is {PHONE}."


def test_without_any_consent_nothing_above_low_is_sent(mace_home: places.SqlitePlace):
    with OpenAiServer(answers("Roses are red.")) as server:
        mace_home.settings = replace(mace_home.settings, llm_url=server.url, llm_model="first", llm_needs_key=False)
        with mace_home.open() as mace:
            mace.ask(TEXT, user_id="bob")
            mace.ask(TEXT)
            assert len(server.requests) == 2
            assert PHONE not in sent(server)
            assert EMAIL not in sent(server)


def test_two_consents_of_one_job_cover_what_each_of_them_does(mace_home: places.SqlitePlace):
    with OpenAiServer(answers("Roses are red.")) as server:
        mace_home.settings = replace(mace_home.settings, llm_url=server.url, llm_model="first", llm_needs_key=False)
        with mace_home.open() as mace:
            for pii_type, purposes in (("phone", ["store", "process"]), ("email", ["store"])):
                mace.grant_consent("bob", f"my {pii_type}", job_seed="j", data_types=[pii_type], purposes=purposes)
            heard = mace.ask(TEXT, user_id="bob", job_seed="j")
            assert (PHONE in sent(server), EMAIL in sent(server)) == (True, False)
            events = [
                event["payload"] for event in mace.events(heard["job_id"]) if event["event_type"] == "PII_CONSENT"
            ]
            used = [[item["pii_type"] for item in said["pii"]] for said in events if said["action"] == "used"]
            assert sorted(used) == [["email"], ["phone"]]
            assert mace.replay(heard["job_id"])["result"] == "MATCH"


def test_an_agent_is_told_only_what_is_withheld(mace_home: places.SqlitePlace):
    tasks: list[Task] = []

    def own(task: Task) -> Reply:
        tasks.append(task)
        return Reply(text="Roses are red.", confidence=0.9)

    with mace_home.open(agents={**AGENTS, "creative_agent": own}) as mace:
        heard = mace.ask(TEXT, user_id="bob", consent_id=granted(mace, ["store", "process"], ["phone"]))
        assert {task.text for task in tasks} == {TEXT.replace(EMAIL, "[redacted]")}
        assert tasks[0].withheld == ("email",)
        flagged = [event["payload"] for event in mace.events(heard["job_id"]) if event["event_type"] == "PII_FLAGGED"]
        assert {said["pii_type"] for said in flagged} == {"email"}
        assert mace.replay(heard["job_id"])["result"] == "MATCH"
