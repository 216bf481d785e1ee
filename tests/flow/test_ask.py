"""`ask` as a whole: what people say, what is answered, what is remembered, what the log says of it."""

import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

import pytest

import places
from mace.agents.asking import Reply, Task
from mace.agents.directory import AGENTS
from mace.core import canon, seeds
from mace.engine.runtime import Mace
from mace.providers.frozen import FrozenClock
from replay import odd_agents

FIELDS = {
    "job_id",
    "log_id",
    "query_id",
    "text",
    "answer",
    "agent_id",
    "route_reason",
    "route_trace",
    "confidence",
    "evidence",
    "error",
    "notices",
    "handoff",
}
MISSING = "I don’t have that information stored yet. If you want, tell me and I’ll remember it."
BLOCKED = "I can’t store or repeat that kind of sensitive personal information."


@pytest.fixture
def mace(mace_home: places.SqlitePlace) -> Iterator[Mace]:
    with mace_home.open() as opened:
        yield opened


def codes(answer: dict[str, Any]) -> list[str]:
    return [notice["error_code"] for notice in answer["notices"]]


def types(mace: Mace, answer: dict[str, Any]) -> list[str]:
    return [event["event_type"] for event in mace.events(answer["job_id"])]


def test_a_conversation_on_every_store(place: places.Place):
    said = [
        ("What is my favourite colour?", "ana", None),
        ("My favourite colour is teal.", "ana", "I’ll remember that your favourite colour is teal."),
        ("What is my fav color?", "ana", "Your favorite color is teal."),
        ("What is my favourite colour?", "bo", None),
        ("Remember my name is Ana", "ana", "I’ll remember that your name is Ana."),
        ("Who am I?", "ana", "Your name is Ana."),
        ("Save Lisbon as my city", "ana", "I’ll remember that your city is Lisbon."),
        ("12 + 30", None, "12 + 30 = 42"),
        ("What is Ohm's law?", None, "Voltage is current times resistance."),
        ("Write a poem", "ana", None),
        ("my card is 4111 1111 1111 1111", "ana", None),
        ("", "ana", None),
    ]
    with place.open() as mace:
        mace.sem_put("world/fact/ohms_law/definition", "Voltage is current times resistance.", "system")
        told = [(mace.ask(text, user_id), expected) for text, user_id, expected in said]
        for answer, expected in told:
            assert set(answer) == FIELDS
            assert answer["answer"] == expected
            assert mace.replay(answer["job_id"])["result"] == "MATCH"
        assert mace.verify()["ok"]


def test_forgetting_opens_a_request_and_deletes_nothing(mace: Mace):
    mace.ask("Remember my favorite food is pizza", "tuff")
    answer = mace.ask("Forget my favorite food", "tuff", "forget-1")
    asked = next(e["payload"] for e in mace.events(answer["job_id"]) if e["event_type"] == "DSR_DELETE_REQUEST")
    assert asked["keys"] == ["user/profile/user_tuff/favorite_food"]
    [request] = [value for name, value in asked.items() if name in ("request_id", "dsr_id")]
    assert answer["answer"] == (
        f"I have asked for your favorite food to be deleted. An administrator must approve request {request}."
    )
    assert mace.sem_get("user/profile/user_tuff/favorite_food")["value"] == "pizza"


@pytest.mark.parametrize(
    "text",
    [
        "Forget my city",
        "forget my city",
        "FORGET MY CITY!",
        "Please forget my city.",
        "forget about my city",
        "forget what my city is",
        "Remove my city",
        "erase my city please",
        "Clear my city",
        "Delete my city",
        "Forget my song",  # whose agent writes songs
        "Forget my plan",
    ],
)
def test_whatever_the_router_takes_it_for_forgetting_opens_a_request(mace: Mace, text: str):
    for attribute in ("city", "song", "plan"):
        mace.sem_put(f"user/profile/user_tuff/{attribute}", "Gdynia", "user")
    answer = mace.ask(text, "tuff")
    assert "DSR_DELETE_REQUEST" in [event["event_type"] for event in mace.events(answer["job_id"])]
    assert "An administrator must approve request" in str(answer["answer"])
    assert mace.replay(answer["job_id"])["result"] == "MATCH"


@pytest.mark.parametrize(
    ("text", "is_known"),
    [
        ("Forget my city", True),
        ("forget my affair with Carol", False),
        ("PLEASE forget my favorite food", True),
        ("can you forget my song", True),
        ("Could you please delete my plan?", True),
        ("forget my 2 dogs", False),
    ],
)
def test_an_agent_of_ones_own_does_not_hear_an_order_to_forget(
    mace_home: places.SqlitePlace, text: str, is_known: bool
):
    heard: list[str] = []

    def own(task: Task) -> Reply:
        heard.append(task.text)
        return Reply(text="I wrote you a poem.", confidence=1.0)

    with mace_home.open(agents=dict.fromkeys(AGENTS, own)) as mace:
        for attribute in ("song", "plan"):
            mace.sem_put(f"user/profile/user_tuff/{attribute}", "an old one", "user")
        answer = mace.ask(text, "tuff")
        assert ("An administrator must approve request" in str(answer["answer"])) is is_known
        assert len(mace.approvals.list(only_open=True)) == is_known
        assert mace.replay(answer["job_id"])["result"] == "MATCH"
        assert heard == []
        for plain in ("write a poem and forget my favorite food", "Forget the meeting"):
            mace.ask(plain, "tuff")
        mace.ask("Forget my city")
        assert len(mace.approvals.list(only_open=True)) == is_known
        assert set(heard) == {"write a poem and forget my favorite food", "Forget the meeting", "Forget my city"}


def test_whoever_votes_sees_who_asked_in_a_question(mace: Mace):
    mace.sem_put("user/profile/user_tuff/song", "an old one", "user")
    mine = mace.acting_as(mace.on_behalf_of("Tuff")).ask("Forget my city")
    theirs = mace.acting_as(mace.owner("support")).ask("Forget my song", "tuff")
    asked = {tuple(item["asks"]["keys"] or ()): item["asks"] for item in mace.approvals.list()}
    by = {keys[0].rpartition("/")[2]: asks["asked_by"] for keys, asks in asked.items()}
    assert by == {
        "city": {"name": "user_tuff", "via": "on_behalf_of"},
        "song": {"name": "support", "via": "owner"},
    }
    assert all(asks["identity"] == {"method": "session", "asked_by": asks["asked_by"]} for asks in asked.values())
    for answer in (mine, theirs):
        assert mace.replay(answer["job_id"])["result"] == "MATCH"
    assert mace.verify()["ok"]


@pytest.mark.parametrize(("text", "user"), [("Forget my city", None), ("Forget the meeting", "tuff")])
def test_what_is_nobody_s_or_not_theirs_is_not_forgotten(mace: Mace, text: str, user: str | None):
    assert codes(mace.ask(text, user)) == ["ROUTER_NO_MATCH"]
    assert mace.approvals.list() == []


def test_nobody_to_remember_it_for(mace: Mace):
    answer = mace.ask("Remember my favorite food is pizza")
    assert (answer["agent_id"], codes(answer)) == ("operational_agent", ["USER_NOT_NAMED"])
    assert answer["text"] == "I don’t know who you are, so I can’t remember that for you."
    assert mace.sem_list("user") == []


class TestReplyToAMiss:
    @pytest.mark.parametrize(
        ("reply", "stored"),
        [
            ("12 May", "12 May"),
            ("It's 12 May.", "12 May"),
            ("It is 12 May", "12 May"),
            ("My birthday is 12 May", "12 May"),
            ("“12 May”", "12 May"),
        ],
    )
    def test_it_becomes_the_value(self, mace: Mace, reply: str, stored: str):
        missed = mace.ask("What is my birthday?", "ana")
        answer = mace.ask(reply, "ana", in_reply_to=missed["job_id"])
        assert answer["agent_id"] == "profile_agent" and answer["error"] is None
        assert mace.sem_get("user/profile/user_ana/birthday")["value"] == stored
        assert mace.ask("What is my birthday?", "ana")["answer"].startswith(f"Your birthday is {stored}")
        assert mace.replay(answer["job_id"])["result"] == "MATCH"

    @pytest.mark.parametrize("reply", ["around that is 12 May", "U.S.", "The weather is nice", "2+2", "skip it"])
    def test_what_is_no_birthday_does_not(self, mace: Mace, reply: str):
        missed = mace.ask("What is my birthday?", "ana")
        mace.ask(reply, "ana", in_reply_to=missed["job_id"])
        assert not mace.sem_get("user/profile/user_ana/birthday")["exists"]

    def test_the_full_stop_of_an_abbreviation_stays(self, mace: Mace):
        missed = mace.ask("What is my favorite country?", "ana")
        mace.ask("U.S.", "ana", in_reply_to=missed["job_id"])
        assert mace.sem_get("user/profile/user_ana/favorite_country")["value"] == "U.S."

    def test_the_route_says_so(self, mace: Mace):
        missed = mace.ask("What is my birthday?", "ana")
        answer = mace.ask("12 May", "ana", in_reply_to=missed["job_id"])
        assert answer["route_reason"] == "reply_to_miss"

    @pytest.mark.parametrize("reply", ["What is my name?", "why do you ask?", "forget my name"])
    def test_a_question_is_never_stored(self, mace: Mace, reply: str):
        missed = mace.ask("What is my birthday?", "ana")
        answer = mace.ask(reply, "ana", in_reply_to=missed["job_id"])
        assert answer["route_reason"] != "reply_to_miss"
        assert not mace.sem_get("user/profile/user_ana/birthday")["exists"]

    def test_a_sentence_about_something_else_is_stored_there(self, mace: Mace):
        missed = mace.ask("What is my birthday?", "ana")
        mace.ask("My name is Ana", "ana", in_reply_to=missed["job_id"])
        assert not mace.sem_get("user/profile/user_ana/birthday")["exists"]
        assert mace.sem_get("user/profile/user_ana/name")["value"] == "Ana"

    @pytest.mark.parametrize("user_id", [None, "bo"])
    def test_nobody_else_can_answer_for_a_person(self, mace: Mace, user_id: str | None):
        missed = mace.ask("What is my birthday?", "ana")
        mace.ask("12 May", user_id, in_reply_to=missed["job_id"])
        assert mace.sem_list("user") == []

    def test_there_must_have_been_a_miss(self, mace: Mace):
        asked = mace.ask("12 + 30", "ana")
        for job_id in (asked["job_id"], "no such job"):
            mace.ask("twelve of May", "ana", in_reply_to=job_id)
        assert mace.sem_list("user") == []

    def test_personal_data_is_not_stored_by_the_way(self, mace: Mace):
        missed = mace.ask("What is my email?", "ana")
        answer = mace.ask("ana@example.com", "ana", in_reply_to=missed["job_id"])
        assert (answer["text"], codes(answer)) == (BLOCKED, ["PRIVACY_BLOCKED"])
        assert "PII_FLAGGED" in types(mace, answer)
        assert not mace.sem_get("user/profile/user_ana/email")["exists"]


def test_agents_see_medium_data_redacted(mace_home: places.SqlitePlace):
    with mace_home.open(agents={"generic_agent": odd_agents.echoes}) as mace:
        answer = mace.ask("Greet ana@example.com warmly", "ana")
        assert answer["answer"] == "seen: Greet [redacted] warmly"
        flagged = next(e["payload"] for e in mace.events(answer["job_id"]) if e["event_type"] == "PII_FLAGGED")
        assert (flagged["sensitivity"], flagged["redaction_reason"]) == ("medium", "PII_DETECTED")


def test_a_question_with_high_and_medium_data_names_the_high_one(mace: Mace):
    answer = mace.ask("mail ana@example.com my SSN 536-22-8726", "ana")
    assert codes(answer) == ["PRIVACY_BLOCKED"]
    assert "ssn" in answer["error"]["meta"]["pii_type"].lower()


class TestSeedsAndNames:
    def test_a_seed_names_one_question(self, mace: Mace):
        first = mace.ask("12 + 30", job_seed="one")
        second = mace.ask("12 + 31", job_seed="one")
        assert (first["error"], codes(second), second["log_id"]) == (None, ["CONFLICT"], None)
        assert first["job_id"] == second["job_id"] == seeds.job_id("one")
        assert mace.replay(first["job_id"])["result"] == "MATCH"

    def test_a_question_goes_on_in_a_stream_that_another_verb_opened(self, mace: Mace):
        mace.sem_put("user/profile/user_ana/name", "Ana", "user", job_seed="shared")
        answer = mace.ask("Who am I?", "ana", "shared")
        opened = types(mace, answer)
        assert opened[:4] == ["JOB_OPENED", "SEM_PUT", "JOB_BEGUN", "SNAPSHOT_TAKEN"]
        mace.sem_put("user/profile/user_ana/name", "Anna", "user", job_seed="shared")
        assert types(mace, answer)[-1] == "SEM_PUT"
        assert mace.replay(answer["job_id"])["result"] == "MATCH"

    def test_ids_follow_from_the_seed(self, mace: Mace):
        answer = mace.ask("12 + 30", job_seed="s")
        assert (answer["job_id"], answer["log_id"]) == (seeds.job_id("s"), seeds.log_id("s"))
        assert answer["query_id"] == answer["job_id"]
        assert mace.ask("12 + 30", job_seed="t", query_id="client-7")["query_id"] == "client-7"

    @pytest.mark.parametrize("query_id", ["", "x" * 257, "a\x00b", "\ud800", "ana@example.com", 7])
    def test_a_query_id_is_refused(self, mace: Mace, query_id: Any):
        with pytest.raises(ValueError, match="query_id"):
            mace.ask("12 + 30", query_id=query_id)

    def test_a_uuid_is_no_personal_data(self, mace: Mace):
        for number in range(40):
            query_id = seeds.derived_uuid("query", str(number))
            assert mace.ask("12 + 30", query_id=query_id)["query_id"] == query_id

    @pytest.mark.parametrize("user_id", ["", "...", "ana@example.com", "+1 202 555 0175"])
    @pytest.mark.parametrize("text", ["What is my name?", "", "x" * 9000])
    def test_a_user_id_that_is_nobody_is_malformed_input(self, mace_home: places.SqlitePlace, user_id: str, text: str):
        with mace_home.open() as mace:
            answer = mace.ask(text, user_id)
            assert codes(answer) == ["INVALID_INPUT"]
            assert mace.replay(answer["job_id"])["result"] == "MATCH"
        if "@" in user_id:
            assert user_id.encode() not in mace_home.file.read_bytes()

    @pytest.mark.parametrize(("text", "source"), [(None, "user_request"), (b"12", "user_request"), ("12", "elsewhere")])
    def test_broken_contracts_raise(self, mace: Mace, text: Any, source: str):
        with pytest.raises((TypeError, ValueError)):
            mace.ask(text, source=source)


def test_rules_can_be_switched_off(mace: Mace):
    mace.sem_put("mace/config/router/enable_math", False, "system_admin")
    answer = mace.ask("12 + 30")
    assert (answer["agent_id"], answer["route_reason"]) == ("generic_agent", "fallback")
    mace.sem_put("mace/config/router/enable_fallback", False, "system_admin")
    refused = mace.ask("12 + 30")
    assert (refused["agent_id"], codes(refused)) == (None, ["ROUTER_NO_MATCH"])
    assert refused["route_trace"][0]["candidates"] == []
    mace.sem_put("mace/config/router/enable_math", True, "system_admin")
    for job in (answer, refused):  # decided on the switches of their time
        assert mace.replay(job["job_id"])["result"] == "MATCH"


@pytest.mark.parametrize(
    ("text", "removed"),
    [
        ("Blorp the quux", []),
        ("Cancel the plan for Friday", ["strategy_agent"]),
        ("Email the poem to Bob", ["creative_agent"]),
    ],
)
def test_the_route_names_who_was_not_asked_to_perform_an_order(mace: Mace, text: str, removed: list[str]):
    """And nobody whom no rule of the router named."""
    [entry] = mace.ask(text)["route_trace"]
    assert (entry["chosen"], entry["removed"]) == ("generic_agent", removed)


def test_declining_is_no_failure(mace: Mace):
    answer = mace.ask("well-known things")
    assert [entry["chosen"] for entry in answer["route_trace"]] == ["math_agent", "generic_agent"]
    assert codes(answer) == ["ROUTER_NO_MATCH"]
    assert "AGENT_DECLINED" in types(mace, answer)
    assert {item["status"] for item in mace.modules.list()} == {"healthy"}


def test_every_decision_is_logged_as_the_text_says(mace: Mace):
    answer = mace.ask("What is Ohm's law?")
    decision = next(e for e in mace.events(answer["job_id"]) if e["event_type"] == "router_decision")
    assert decision["payload"] == {
        "event": "router_decision",
        "query_hash": sha256(b"What is Ohm's law?").hexdigest(),
        "user_id": None,
        "agent_id": "knowledge_agent",
        "route_reason": "fact_lookup",
        "timestamp": decision["timestamp_seeded"],
    }


def test_the_hash_of_a_persons_question_cannot_be_guessed(mace: Mace):
    answer = mace.ask("What is my name?", "ana")
    log = mace.read_reflective_log(answer["log_id"])
    assert log["query_text_hash"] != sha256(b"What is my name?").hexdigest()


class Steps(FrozenClock):
    """A clock that moves by itself: each look at the stopwatch is 7 ms later."""

    def __init__(self) -> None:
        super().__init__(datetime(2026, 1, 1, tzinfo=UTC))
        self.looks = 0

    def monotonic_ms(self) -> float:
        self.looks += 1
        return self.looks * 7.0


def test_the_log_is_truthful(mace_home: places.SqlitePlace):
    with mace_home.open(clock=Steps()) as mace:
        mace.sem_put("user/profile/user_ana/name", "Ana", "user")
        answer = mace.ask("Who am I?", "ana", "log-1")
        log = mace.read_reflective_log(answer["log_id"])
        observed = {
            e["payload"]["observed"]: e["payload"]["value"]
            for e in mace.events(answer["job_id"])
            if "observed" in e["payload"]
        }
        assert observed["agent_ms"] > 0 and observed["total_ms"] > observed["agent_ms"]
        version = canon.loads(_snapshot_body(mace_home, log["sem_snapshot_hash"]))
        assert version["keys"]["user/profile/user_ana/name"]["version"] == 1
        assert log["runtime_metrics"] == {
            "total_time_ms": observed["total_ms"],
            "per_agent_time_ms": {"profile_agent": observed["agent_ms"]},
            "tokens_used": 0,
        }
        assert log["agents_invoked"] == ["profile_agent"]
        assert log["agent_outputs"] == [
            {
                "agent_id": "profile_agent",
                "text": "Your name is Ana.",
                "confidence": 1.0,
                "reasoning_trace": ["read user/profile/user_ana/name"],
                "tokens": 0,
                "time_ms": observed["agent_ms"],
            }
        ]
        assert [vote["approve"] for vote in log["council_votes"]] == [True, True, True]
        assert log["final_answer"] == {"answer": "Your name is Ana.", "error_code": None}
        assert (log["final_confidence"], log["repair_loops"], log["cache_hit"]) == (1.0, 0, False)
        assert log["qcp_summary"] == {"depth_level": 1, "intent_tags": ["profile_lookup"], "urgency": "normal"}
        assert (log["source"], log["query_id"]) == ("user_request", answer["job_id"])
        assert log["system_version"] == mace.describe()["system_version"]
        assert log["created_at"].startswith("2026-01-01T00:00:00")


def _snapshot_body(place: places.SqlitePlace, digest: str) -> bytes:
    with place.sql(keep_triggers=True) as sql:
        [(body,)] = sql("select body from records where kind = 'snapshot' and record_key = ?", (digest,))
        assert sha256(body).hexdigest() == digest
        return bytes(body)


def test_a_log_keeps_its_snapshot_when_facts_change(mace: Mace):
    mace.ask("My name is Ana", "ana")
    before = mace.ask("Who am I?", "ana")
    mace.ask("My name is Anna", "ana")
    after = mace.ask("Who am I?", "ana")
    hashes = [mace.read_reflective_log(answer["log_id"])["sem_snapshot_hash"] for answer in (before, after)]
    assert hashes[0] != hashes[1]
    assert [answer["answer"] for answer in (before, after)] == ["Your name is Ana.", "Your name is Anna."]
    assert mace.replay(before["job_id"])["result"] == "MATCH"


def test_a_very_long_answer_lies_in_an_artifact(mace_home: places.SqlitePlace):
    with mace_home.open(agents={"generic_agent": odd_agents.long_winded}) as mace:
        answer = mace.ask("Say many words")
        assert len(answer["answer"]) > 16_000
        log = mace.read_reflective_log(answer["log_id"])
        assert len(log["agent_outputs"][0]["text"]) == 16_000
        assert log["agent_outputs"][0]["artifact_url"].startswith("mace:artifact/")
        assert (len(log["final_answer"]["answer"]), log["final_answer"]["cut"]) == (16_000, True)
        assert mace.replay(answer["job_id"])["result"] == "MATCH"


def test_many_threads_ask_at_once(place: places.Place):
    with place.open() as mace:
        mace.sem_put("user/profile/user_ana/name", "Ana", "user")
        found: list[dict[str, Any]] = []

        def work(number: int) -> None:
            for turn in range(4):
                found.append(mace.ask("Who am I?", "ana"))
                found.append(mace.ask(f"My favorite pet is dog {turn}", f"user {number}"))

        threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(found) == 48
        assert [answer["error"] for answer in found] == [None] * 48
        assert {mace.replay(answer["job_id"])["result"] for answer in found} == {"MATCH"}
        assert mace.verify()["ok"]


def test_two_processes_worth_of_openings_share_a_store(mace_home: places.SqlitePlace):
    with mace_home.open() as one, mace_home.open() as two:
        asked = one.ask("My name is Ana", "ana")
        assert two.ask("Who am I?", "ana")["answer"] == "Your name is Ana."
        assert two.replay(asked["job_id"])["result"] == "MATCH"
