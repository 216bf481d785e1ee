"""The gate in a question: nobody's data gets into another person's prompt, effect, output, log or answer."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import canaries
import places
from helpers_openai_server import OpenAiServer, answers
from mace.agents import gate, rules
from mace.engine.questions import program
from mace.engine.runtime import Mace
from replay import odd_agents

pytestmark = [pytest.mark.stage1, pytest.mark.critical]

SSN, PHONE = canaries.SSN, canaries.PHONE
BOTH = (SSN, PHONE)
BLOCKED = "I can’t store or repeat that kind of sensitive personal information."
QUESTION = "What is the capital of Ruritania?"
UNREAD = "Blorp the quux"  # no rule of the router fits


def codes(answer: Any) -> list[str]:
    return [notice["error_code"] for notice in answer["notices"]]


def types(m: Mace, answer: Any) -> list[str]:
    return [event["event_type"] for event in m.events(answer["job_id"])]


def sent(server: OpenAiServer) -> str:
    return json.dumps([request.body for request in server.requests])


@contextmanager
def opened(
    place: places.Place, *, says: tuple[str, ...] = (), lines: tuple[str, ...] = (), **options: Any
) -> Iterator[Any]:
    """A MACE with an engine that says these one after another, and a store with these lines; nothing leaks from it."""
    if lines:
        store = Path(place.settings.checkpoint_dir).parent / "store.jsonl"
        records = [
            {"memory_id": f"m{at}", "text": line, "timestamp": "2026-01-01T00:00:00Z"} for at, line in enumerate(lines)
        ]
        store.write_text("".join(json.dumps(record) + "\n" for record in records))
        place.settings = replace(
            place.settings, context_stores=str(store), context_cache_dir=str(store.parent / "cache")
        )
    with OpenAiServer(*map(answers, says or ("nothing",))) as server, canaries.watching() as sealed:
        if says:
            place.settings = replace(place.settings, llm_url=server.url, llm_model="m", llm_needs_key=False)
        with place.open(**options) as m:
            yield m, server
            assert canaries.everywhere(m, place, BOTH) == []
            assert m.verify()["ok"]
        assert canaries.in_watched(sealed, BOTH) == []


CAPITAL = ("Strelsau is the capital of Ruritania [1].",)
RURITANIA = "Ruritania has the capital Strelsau."
PRIVATE = (f"Mary of Ruritania is called at {PHONE}.", f"Peter in the capital has the ssn {SSN}.")


class TestPassages:
    def test_an_engine_gets_no_passage_about_something_else(self, place: places.Place):
        lines = (RURITANIA, f"Mary is called at {PHONE}, what is the point.", f"Peter has the ssn {SSN} of the state.")
        with opened(place, says=CAPITAL, lines=lines) as (m, server):
            answer = m.ask(QUESTION, user_id="eve")
            assert "Strelsau" in answer["answer"]
            assert "Strelsau" in sent(server)
            assert "Mary" not in sent(server)
            assert canaries.in_bytes(sent(server).encode(), BOTH) == set()

    def test_what_is_personal_in_a_passage_reaches_nobody(self, place: places.Place):
        with opened(place, says=CAPITAL, lines=(RURITANIA, *PRIVATE)) as (
            m,
            server,
        ):
            answer = m.ask(QUESTION, user_id="eve")
            assert "is called at [redacted]" in sent(server)
            assert canaries.in_bytes(sent(server).encode(), BOTH) == set()
            assert types(m, answer).count("PII_FLAGGED") >= 2
            assert m.replay(answer["job_id"])["result"] == "MATCH"

    def test_nor_by_the_consent_of_whoever_asks(self, place: places.Place):
        with opened(place, says=CAPITAL, lines=(RURITANIA, *PRIVATE)) as (
            m,
            server,
        ):
            given = m.grant_consent("eve", "use my data", "persistent", expires_at="2035-01-01T00:00:00Z")
            m.ask(QUESTION, user_id="eve", consent_id=given["consent_id"])
            assert canaries.in_bytes(sent(server).encode(), BOTH) == set()

    def test_a_quoted_passage_is_redacted(self, place: places.Place):
        with opened(place, lines=(f"The capital of Ruritania is Strelsau, call {PHONE}.",)) as (m, _):
            answer = m.ask(QUESTION, user_id="eve")
            assert answer["answer"] == "The capital of Ruritania is Strelsau, call [redacted]."
            assert m.replay(answer["job_id"])["result"] == "MATCH"


class TestModelWords:
    @pytest.mark.parametrize(
        ("said", "kind"),
        [(f"The ssn of Peter is {SSN}.", "us_ssn"), (f"Peter is called at {PHONE}, his ssn is {SSN}.", "us_ssn")],
    )
    def test_an_answer_that_is_stopped_says_why(self, place: places.Place, said: str, kind: str):
        with opened(place, says=(said,)) as (m, _):
            answer = m.ask("Write a note about Peter", user_id="eve")
            assert (codes(answer), answer["text"], answer["answer"]) == (["PRIVACY_BLOCKED"], BLOCKED, None)
            assert answer["error"]["meta"]["pii_type"] == kind
            assert "PII_FLAGGED" in types(m, answer)
            assert "PRIVACY_BLOCKED" in types(m, answer)
            assert m.replay(answer["job_id"])["result"] == "MATCH"

    def test_a_repaired_answer_is_answered(self, place: places.Place):
        with opened(place, says=(f"A note about Peter: his ssn is {SSN}.", "A note about Peter: he is tall.")) as (
            m,
            server,
        ):
            answer = m.ask("Write a note about Peter", user_id="eve")
            assert answer["answer"] == "A note about Peter: he is tall."
            assert canaries.in_bytes(sent(server).encode(), BOTH) == set()  # its earlier words went back redacted

    def test_by_the_first_rules_it_is_decided_as_before(
        self, mace_home: places.SqlitePlace, monkeypatch: pytest.MonkeyPatch
    ):
        """A job of then is played as it was decided then, also by what decides today."""
        old = rules.Rulebook({**program.RULEBOOK.entries, "gate": {1: gate.FIRST}})
        with OpenAiServer(answers("Peter likes tea. He is a peter.")) as server:
            mace_home.settings = replace(mace_home.settings, llm_url=server.url, llm_model="m", llm_needs_key=False)
            with mace_home.open(agents={"generic_agent": odd_agents.leaks}) as m:
                monkeypatch.setattr(m._parts.programs["ask"], "rulebook", old)
                answer = m.ask(UNREAD, user_id="eve")
                monkeypatch.undo()
                assert codes(answer) == []  # it called itself an operation, and was believed
                assert m.replay(answer["job_id"])["result"] == "MATCH"

    @pytest.mark.parametrize(("by_consent", "goes_out"), [(True, True), (False, False)])
    def test_ones_own_words_are_ones_own_by_consent(
        self, mace_home: places.SqlitePlace, by_consent: bool, goes_out: bool
    ):
        with OpenAiServer(answers(f"A note: call {PHONE}, not 212-555-0199.")) as server:
            mace_home.settings = replace(mace_home.settings, llm_url=server.url, llm_model="m", llm_needs_key=False)
            with mace_home.open() as m:
                purposes = ("store", "process")
                given = m.grant_consent("eve", "use my phone number", job_seed="own", purposes=purposes)["consent_id"]
                seed = "own" if by_consent else "other"  # the consent is for its job alone
                answer = m.ask(f"Write a note: call {PHONE}", "eve", seed, consent_id=given)
                outputs = [plain.decode() for where, plain in canaries.opened(m) if where.startswith("output/0")]
                assert (PHONE in sent(server), PHONE in outputs[0]) == (goes_out, goes_out)
                assert canaries.everywhere(m, mace_home, ["212-555-0199"]) == []
                assert m.replay(answer["job_id"])["result"] == "MATCH"


class TestForeignAgents:
    @pytest.mark.parametrize(
        "agent",
        [
            odd_agents.leaks,
            odd_agents.leaks_in_a_failure,
            odd_agents.leaks_in_a_decline,
            odd_agents.leaks_in_an_exception,
            odd_agents.leaks_in_an_effect,
        ],
        ids=lambda agent: agent.__name__,
    )
    def test_nothing_of_what_they_make_is_kept(self, place: places.Place, agent: Any):
        with opened(place, says=(odd_agents.LEAKED,), agents={"generic_agent": agent}) as (m, server):
            answer = m.ask(UNREAD, user_id="eve")
            assert canaries.in_answer(answer, BOTH) == set()
            assert "PII_FLAGGED" in types(m, answer)
            assert canaries.in_bytes(sent(server).encode(), BOTH) == set()
            assert m.replay(answer["job_id"])["result"] == "MATCH"

    def test_they_are_told_which_types_were_withheld(self, place: places.Place):
        with opened(place, says=(f"Call {PHONE}.",), agents={"generic_agent": odd_agents.leaks_in_an_effect}) as (m, _):
            m.ask(UNREAD, user_id="eve")
            outputs = [plain for where, plain in canaries.opened(m) if where.startswith("output/0")]
            assert b"Call [redacted]. (phone)" in outputs[0]


def test_what_is_stored_about_one_person_is_not_there_for_another(mace_home: places.SqlitePlace):
    with mace_home.open(agents={"generic_agent": odd_agents.reads_of_another}) as m:
        given = m.grant_consent("mary", "keep my phone", "persistent", expires_at="2035-01-01T00:00:00Z")
        key = "user/profile/user_mary/phone"
        assert m.sem_put(key, PHONE, "user", user_id="mary", consent_id=given["consent_id"])["success"]
        told = m.ask(UNREAD, user_id="eve")
        assert canaries.in_answer(told, [PHONE]) == set()
        leaks = [leak.where for leak in canaries.in_sealed(m, [PHONE]) if key not in leak.where]
        assert leaks == []
        theirs = m.ask(UNREAD, user_id="mary")  # in her own job it is hers
        assert PHONE in theirs["answer"]
        assert m.replay(told["job_id"])["result"] == m.replay(theirs["job_id"])["result"] == "MATCH"


def test_the_id_of_a_request_is_told_whatever_it_looks_like(mace_home: places.SqlitePlace, monkeypatch: Any):
    """An id that happens to look like a number of somebody's was made here."""

    def like_a_phone(self: Any, *_: Any) -> dict[str, Any]:
        return {"dsr_id": PHONE, "request_id": PHONE, "status": "pending"}

    monkeypatch.setattr("mace.engine.governance.dsr.Deletions.open", like_a_phone)
    with mace_home.open() as m:
        m.ask("Remember my favorite food is pizza", user_id="eve")
        answer = m.ask("forget my favorite food", user_id="eve")
        assert PHONE in answer["answer"]
        assert "PII_FLAGGED" not in types(m, answer)


def test_the_ledger_names_a_person_by_their_slug_alone(mace_home: places.SqlitePlace):
    with mace_home.open() as m:
        for text in ("What is my favorite food?", UNREAD):
            answer = m.ask(text, user_id="Ana  Zeisig!")
            named = [
                event["payload"]["user_id"] for event in m.events(answer["job_id"]) if "user_id" in event["payload"]
            ]
            assert named
            assert set(named) == {"ana_zeisig"}
            assert m.replay(answer["job_id"])["result"] == "MATCH"
