# pyright: strict
"""Right uses of the public surface: mypy --strict and pyright have nothing to say about this file.

It is read by the checkers and never run. `assert_type` keeps an answer from losing its type unnoticed.
"""

from typing import assert_type

import openai

import mace
from mace.bridges import recorded
from mace.bridges.openai import wrap
from mace.core.answers import (
    AccountView,
    Amendment,
    ApprovalStatus,
    ApprovalView,
    AskAnswer,
    ConsentGrant,
    ContextRequest,
    DetectAnswer,
    DreamReport,
    DsrAnswer,
    ErrorCode,
    Event,
    FactVersion,
    IncidentView,
    IssuedToken,
    Json,
    MegramAnswer,
    MkPotentials,
    ModuleView,
    ProgramAnswer,
    ReflectiveLog,
    ReplayAnswer,
    Role,
    SemGet,
    SemPut,
    SopRecord,
    VerifyReport,
    VoteAnswer,
)
from mace.testing import ChatReply, Sandbox, serve_chat

KEY = "user/profile/user_bob/favorite_food"


def questions() -> str:
    with mace.open("my-agent") as m:
        assert_type(m, mace.Mace)
        answer = m.ask("What is 2 + 2?", "bob", query_id="q-1")
        assert_type(answer, AskAnswer)
        if answer["error"] is not None:
            code: ErrorCode = answer["error"]["error_code"]
            print(code, answer["error"]["user_message"])
        for step in answer["route_trace"]:
            print(step["chosen"], step["candidates"])
        for item in answer["evidence"]:
            print(item["kind"], item["ref"], item.get("score", 1.0))
        if answer["handoff"] is not None:
            print(answer["handoff"]["goal"])
        replayed = m.replay(answer["job_id"])
        assert_type(replayed, ReplayAnswer)
        if replayed["first_difference"] is not None:
            print(replayed["first_difference"].get("sequence_index"))
        return answer["answer"] or answer["text"]


def facts(m: mace.Mace, orders: dict[str, list[str]]) -> Json:
    key: str = m.key("user", "profile", "Bob", "favorite food", "bob")
    put = m.sem_put(key, orders, "user", notes="said so", meta={"by": ["form", 7]}, user_id="bob")
    assert_type(put, SemPut)
    if not put["success"]:
        print(put["error_code"], put.get("user_message"))
    assert_type(m.raise_for(put), SemPut)
    held = m.sem_get(KEY)
    assert_type(held, SemGet)
    if isinstance(held["value"], str):
        print(held["value"].upper())
    print(m.sem_get(KEY, with_version=True).get("version", 0))
    assert_type(m.sem_list("user"), list[str])
    assert_type(m.sem_history(KEY), list[FactVersion])
    print(m.sem_delete(KEY, "system_admin")["applied"], m.sem_resolve_alias("my food", "bob"))
    return held["value"]


def context(m: mace.Mace) -> list[str]:
    request: ContextRequest = {
        "query": "staging database",
        "store_paths": ["notes.jsonl"],
        "budget": {"max_excerpt_tokens": 400},
        "controller_version": "phase7-v1",
    }
    package = m.memory_read(request)
    if "selection" in package:
        return [item["excerpt"] for item in package["selection"]["selected"]]
    return [package["user_message"]]


def experience(m: mace.Mace) -> float:
    x = m.experience
    told = x.write({"space": "tool", "entity": "path", "content": "use rsync", "state": "success"}, "solver")
    assert_type(told, MegramAnswer)
    assert_type(x.query_c("tool", "path"), list[SopRecord])
    assert_type(x.dream(dry_run=True), DreamReport)
    felt = x.query_mk("tool", "path")
    assert_type(felt, MkPotentials)
    return felt["attention"] if felt["action"] == "Exploit" else felt["decision"]


def logs(m: mace.Mace, log_id: str) -> None:
    assert_type(m.read_reflective_log(log_id), ReflectiveLog)
    assert_type(m.amend(log_id, "owner", {"text": "4"}, "override_suggestion"), Amendment)
    assert_type(m.events("system"), list[Event])
    found = m.verify()
    assert_type(found, VerifyReport)
    for finding in found["findings"]:
        print(finding["kind"], finding["attested"])


def people(m: mace.Mace, proof: str) -> None:
    assert_type(m.detect_and_handle({"call": "212-555-0198"}, "bob"), DetectAnswer)
    assert_type(m.grant_consent("bob", "keep my phone", "persistent", expires_at="2035-01-01T00:00:00Z"), ConsentGrant)
    asked = m.request_dsr("bob", "delete", proof, [KEY])
    assert_type(asked, DsrAnswer)
    if asked["request_id"] is not None:
        assert_type(m.vote(asked["request_id"], "owner", "approve"), VoteAnswer)
        assert_type(m.approvals.vote(asked["request_id"], "approve", reason="the person asked"), VoteAnswer)
    waiting = m.approvals.list(only_open=True)
    assert_type(waiting, list[ApprovalView])
    states: list[ApprovalStatus] = [item["status"] for item in waiting]
    print(states)


def operators(m: mace.Mace) -> None:
    roles: list[Role] = ["admin", "council"]
    assert_type(m.accounts.create("ana", roles), AccountView)
    assert_type(m.accounts.create("bob", ["user"], user_id="bob"), AccountView)
    assert_type(m.accounts.issue_token("ana", scopes=["sem_get"]), IssuedToken)
    assert_type(m.incidents.list(), list[IncidentView])
    assert_type(m.modules.list(), list[ModuleView])
    for incident in m.incidents.list():
        seen = incident["acknowledged"]
        print(incident["kind"], "nobody" if seen is None else seen["actor"])


def somebody_else(m: mace.Mace, token: str) -> None:
    caller = m.authenticate(token, "123456")
    assert_type(caller.name, str)
    assert_type(m.acting_as(caller), mace.Mace)
    anas = m.acting_as(m.on_behalf_of("ana"))
    assert_type(m.raise_for(anas.ask("What is my favorite food?")), AskAnswer)
    try:
        anas.accounts.list()
    except mace.PermissionDenied as error:
        print(error.user_message)
    except mace.MaceError as error:
        print(error.code)


def wrapped() -> None:
    client = wrap(openai.OpenAI(), outside="pass")
    assert_type(client, openai.OpenAI)
    assert_type(wrap(openai.AsyncOpenAI()), openai.AsyncOpenAI)
    with Sandbox(["A reply."]) as sandbox, serve_chat([ChatReply("Hello.", after_s=0.1), "Bye."]) as server:
        assert_type(sandbox.open(), mace.Mace)
        sandbox.clock.move(days=1)
        print(sandbox.engine.asked[0].prompt, server.requests[0].last)


def find_parcel(number: int, *, town: str = "Ghent") -> dict[str, str]:
    return {"parcel": str(number), "city": town}


async def fetch(page: int) -> str:
    return f"page {page}"


@mace.program("support", version="1")
def support(job: mace.Job, question: Json) -> mace.Ending | str | dict[str, Json]:
    found = recorded(find_parcel, idempotent=True)(7, town="Lyon")
    assert_type(found, dict[str, str])
    if question is None:
        return "Nothing was asked."
    if not found:
        return {"found": False}
    return job.answer(f"It is in {found['city']}.", evidence=[found], value=job.now())


@mace.program("pages")
async def pages(job: mace.Job, numbers: list[int]) -> list[str]:
    first = await recorded(fetch, "page")(1)
    assert_type(first, str)
    return [first, *await job.amap(lambda branch, number: branch.acall("page", number, fetch), numbers)]


async def performed(m: mace.Mace) -> None:
    assert_type(m.perform(support, "Where is it?", user_id="ana"), ProgramAnswer)
    assert_type(await m.aperform(pages, [2, 3]), ProgramAnswer)
    assert_type(m.resume("id"), ProgramAnswer)


def pure(text: str) -> list[str]:
    print(mace.generate_canonical_key("user", "profile", "Bob", "favorite food", "bob"))
    routed = mace.route_query(text)
    if "agent_id" in routed:
        print(routed["agent_id"], routed["depth"])
    return [finding.type for finding in mace.detect(text)]
