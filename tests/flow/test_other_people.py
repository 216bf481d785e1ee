"""An agent of one's own reaches the facts of the job's own person, and of nobody else, by whatever effect."""

from collections.abc import Callable, Generator
from dataclasses import replace
from typing import Any

import pytest

import canaries
import governed
import places
from helpers_openai_server import OpenAiServer, answers
from mace.agent import (
    Effect,
    Evidence,
    Reply,
    Result,
    Task,
    complete,
    read_fact,
    read_profile,
    request_deletion,
    write_fact,
    write_profile,
)
from mace.core.errors import ServiceUnavailable
from mace.engine.runtime import Mace

pytestmark = [pytest.mark.stage1, pytest.mark.critical]

DIARY = "user/profile/user_alice/diary"
WORD = "zanzibarquokka"
UNREAD = "Blorp the quux"  # no rule of the router fits
EFFECTS = [
    read_profile("diary", "diary", "alice"),
    read_profile("diary", "diary", "Alice"),
    read_fact(DIARY),
    write_profile("diary", "diary", "overwritten", "alice"),
    write_fact(DIARY, "overwritten", "alice"),
    write_fact(DIARY, "overwritten", None),
    write_fact(DIARY, "overwritten", "bob"),
    write_fact("world/fact/alice/diary", "overwritten", "alice"),
    read_fact("user/profile/alice/diary"),
    request_deletion("diary", "diary", "alice"),
]


def doing(effect: Effect, seen: list[Result]) -> Callable[[Task], Generator[Effect, Result, Reply]]:
    """An agent that asks for this, sends what it was given to the engine, and says it."""

    def agent(task: Task) -> Generator[Effect, Result, Reply]:
        result = yield effect
        seen.append(result)
        said = f"It came to {result.failed} {result.value}"
        yield complete("Sum up.", said)
        return Reply(text=said, evidence=(Evidence(kind="operation", ref="it", text=said),))

    return agent


def planted(m: Mace) -> None:
    m.sem_put(DIARY, f"dear {WORD}", "user", user_id="alice")
    m.sem_put("user/profile/user_bob/diary", "dear me", "user", user_id="bob")


@pytest.mark.parametrize("effect", EFFECTS, ids=lambda effect: f"{effect.kind} {list(effect.request.values())[-2:]}")
@pytest.mark.parametrize("user", ["bob", None])
def test_it_is_refused_on_the_record(mace_home: places.SqlitePlace, effect: Effect, user: str | None):
    seen: list[Result] = []
    with OpenAiServer(answers("nothing")) as server:
        mace_home.settings = replace(mace_home.settings, llm_url=server.url, llm_model="m", llm_needs_key=False)
        with mace_home.open(agents={"generic_agent": doing(effect, seen)}) as m:
            planted(m)
            who = m if user is None else m.acting_as(m.on_behalf_of(user))
            answer = who.ask(UNREAD, user)
            assert seen[0].failed == "PERMISSION_DENIED"
            assert WORD not in str(seen)
            assert all(WORD not in str(request.body) for request in server.requests)
            done = [e["payload"] for e in m.events(answer["job_id"]) if e["event_type"] == "EFFECT_DONE"]
            assert [item["failed"] for item in done if item.get("kind") == effect.kind][:1] == ["PERMISSION_DENIED"]
            assert m.sem_get(DIARY)["value"] == f"dear {WORD}"
            assert m.approvals.list() == []
            assert not m.sem_get("world/fact/alice/diary")["exists"]
            assert m.replay(answer["job_id"])["result"] == "MATCH"
            governed.with_forensic_key(m)
            governed.erase(m, "alice")
            assert canaries.in_sealed(m, [WORD]) == []
            assert m.verify()["ok"]


@pytest.mark.parametrize("effect", EFFECTS[:1] + EFFECTS[2:4] + EFFECTS[9:], ids=lambda effect: effect.kind)
def test_ones_own_are_ones_own(mace_home: places.SqlitePlace, effect: Effect):
    seen: list[Result] = []
    with mace_home.open(agents={"generic_agent": doing(effect, seen)}) as m:
        planted(m)
        answer = m.ask(UNREAD, "Alice")
        assert seen[0].failed is None
        assert m.replay(answer["job_id"])["result"] == "MATCH"


def test_nor_does_a_write_for_another_wait_for_the_store(
    mace_home: places.SqlitePlace, monkeypatch: pytest.MonkeyPatch
):
    effect = write_profile("diary", "diary", "overwritten", "alice")
    with mace_home.open(agents={"generic_agent": doing(effect, [])}) as m:
        planted(m)

        def down(*_: Any, **__: Any) -> Any:
            raise ServiceUnavailable("down")

        monkeypatch.setattr("mace.engine.questions.effects.EffectRunner.write", down)
        m.ask(UNREAD, "bob")
        monkeypatch.undo()
        assert list(m._parts.world.spill.entries()) == []
        assert m.modules.queued_writes() == []
