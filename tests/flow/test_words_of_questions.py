"""No word of a question stands in plain: a key that is made from it and names nothing is recorded as a hash."""

from typing import Any

import pytest

import governed
import places
from mace.agents import naming, rules
from mace.engine.questions import program
from mace.engine.runtime import Mace

pytestmark = [pytest.mark.stage1, pytest.mark.critical]

WORDS = ("canhans", "canmueller")
QUESTION = "Who is Canhans Canmueller?"
QUESTIONS = [
    QUESTION,
    "What is the reason Canhans Canmueller left his wife in Mace?",
    "Explain why Canhans Canmueller left",
    "What is my affair with Canhans Canmueller?",
    "Search news about Canhans Canmueller",
    "Blorp Canhans Canmueller",
    "Forget my affair with Canhans Canmueller",
    "Canhans Canmueller 2 + 3 = what",
]


def plain(m: Mace) -> list[str]:
    """Where the words stand unsealed in the rows."""
    found = governed.owned(m).forensics.search(list(WORDS), purpose="test")["findings"]
    return [str(item["where"]) for item in found if not item["sealed"]]


def traces(m: Mace) -> list[str]:
    found = governed.owned(m).forensics.search(list(WORDS), purpose="test")["findings"]
    return [str(item["where"]) for item in found]


def missed(m: Mace, answer: Any) -> dict[str, Any]:
    [event] = [event for event in m.events(answer["job_id"]) if event["event_type"] == "sem_miss"]
    return dict(event["payload"])


@pytest.mark.parametrize("user", ["ana", None])
@pytest.mark.parametrize("text", QUESTIONS)
def test_no_word_of_a_question_stands_in_plain(mace_home: places.SqlitePlace, text: str, user: str | None):
    with mace_home.open() as m:
        answer = m.ask(text, user)
        assert plain(m) == []
        assert m.replay(answer["job_id"])["result"] == "MATCH"
        assert m.verify()["ok"]


def test_nothing_of_it_is_left_after_an_erasure(place: places.Place):
    with place.open() as m:
        answer = m.ask(QUESTION, "ana")
        assert answer["error"] is not None
        assert "canhans_canmueller" in answer["error"]["developer_message"], "whoever asked is told"
        governed.with_forensic_key(m)
        governed.erase(m, "ana")
        assert traces(m) == []
        assert m.verify()["ok"]


def test_a_miss_names_whose_and_what_kind_and_a_hash_of_the_rest(mace_home: places.SqlitePlace):
    with mace_home.open() as m:
        world, own = m.ask(QUESTION, "ana"), m.ask("What is my canhans?", "ana")
        again = m.ask(QUESTION, "ana")
        for answer, start in ((world, "world/fact/x-"), (own, "user/profile/user_ana/x-")):
            said = missed(m, answer)
            assert (said["user_id"], said["query_id"]) == ("ana", answer["query_id"])
            assert said["key"].startswith(start)
            assert set(said) == {"key", "query_id", "user_id"}
        assert missed(m, world) != missed(m, again), "the key of the hash is the job's"


def test_a_reply_to_such_a_miss_is_stored_where_it_was_missed(mace_home: places.SqlitePlace):
    with mace_home.open() as m:
        asked = m.ask("What is my lucky stone?", "ana")
        m.ask("It is an opal", "ana", in_reply_to=asked["job_id"])
        assert m.sem_get("user/profile/user_ana/lucky_stone")["value"] == "an opal"
        told = m.ask("What is my lucky stone?", "ana")
        assert "opal" in str(told["answer"])
        assert m.replay(told["job_id"])["result"] == "MATCH"


def test_what_was_told_can_be_forgotten_and_what_never_was_is_missed(mace_home: places.SqlitePlace):
    with mace_home.open() as m:
        m.ask("Remember my lucky stone is an opal", "ana")
        asked = m.ask("Forget my lucky stone", "ana")
        assert "An administrator must approve request" in str(asked["answer"])
        never = m.ask("Forget my unlucky stone", "ana")
        assert [notice["error_code"] for notice in never["notices"]] == ["SEM_NOT_FOUND"]
        assert missed(m, never)["key"].startswith("user/profile/user_ana/x-")
        assert len(m.approvals.list()) == 1
        assert m.replay(never["job_id"])["result"] == m.replay(asked["job_id"])["result"] == "MATCH"


def test_facts_that_are_stored_are_named(mace_home: places.SqlitePlace):
    with mace_home.open() as m:
        m.sem_put("world/fact/ohms_law/definition", "V = I R.", "system")
        answer = m.ask("What is Ohm's law?", "ana")
        taken = [e["payload"]["snapshot"] for e in m.events(answer["job_id"]) if e["event_type"] == "SNAPSHOT_TAKEN"]
        store = m._parts.world.store
        rows = [store.read(lambda tx, name=name: tx.records.get("snapshot", name)) for name in taken]
        assert any(b"world/fact/ohms_law/definition" in row.body for row in rows if row is not None)


def test_by_the_first_rules_a_question_replays_as_it_was_recorded(
    mace_home: places.SqlitePlace, monkeypatch: pytest.MonkeyPatch
):
    old = rules.Rulebook({**program.RULEBOOK.entries, "names": {1: naming.as_made}})
    with mace_home.open() as m:
        monkeypatch.setattr(m._parts.programs["ask"], "rulebook", old)
        answer = m.ask(QUESTION, "ana")
        monkeypatch.undo()
        assert missed(m, answer)["key"] == "world/fact/canhans_canmueller/definition"
        assert m.replay(answer["job_id"])["result"] == "MATCH"
