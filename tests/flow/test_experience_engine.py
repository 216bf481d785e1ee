"""Distilling with a language engine over real HTTP: whatever it answers, nothing is lost and nothing half done."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import governed
import lived
from helpers_openai_server import OpenAiServer, answers, cuts_the_body, fails, hangs_before_headers, unused_url, writes
from lived import ENTITY, NOW, SPACE, days_on, write
from mace.core import canon
from mace.engine.runtime import Mace
from mace.memory.experience import distilling
from mace.providers.models.port import ModelAnswer, ModelRequest
from places import Place

RULE = "Take the lock before you write."
GOOD = answers(f'{{"rule": "{RULE}"}}')


@pytest.fixture(params=["sqlite", "leveldb"])
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    return lived.place_for(request.param, tmp_path, request, llm_model="first", llm_needs_key=False)


@contextmanager
def asking(home: Place, *behaviours: Any, url: str = "") -> Iterator[tuple[Mace, OpenAiServer]]:
    with OpenAiServer(*behaviours) as server:
        home.settings = replace(home.settings, llm_url=url or server.url, llm_header_timeout_ms=300)
        with lived.opened(home) as m:
            yield m, server
            lived.assert_follows_from_the_ledger(m)


def contents(server: OpenAiServer) -> str:
    return "\n".join(str(request.body) for request in server.requests)


def test_an_engine_writes_the_rule(home: Place):
    with asking(home, answers(f'<think>hm</think>```json\n{{"rule": "{RULE}"}}\n```')) as (m, server):
        write(m, "accept", 6)
        assert m.experience.dream(dry_run=True)["promoted"]
        assert server.requests == []  # an imagined rule asks nobody
        (change,) = m.experience.dream()["promoted"]
        assert change["content"] == RULE
        assert [rule["content"] for rule in m.experience.query_c(SPACE, ENTITY)] == [RULE]
        assert len(server.requests) == 1
        assert "lesson 3" in contents(server)
        assert SPACE in contents(server)


def test_the_same_words_confirm_a_rule_and_do_not_make_a_second_one(home: Place):
    """Ten thousand copies of one sentence are not ten thousand lessons."""
    with asking(home, GOOD) as (m, _):
        for _ in range(4):
            write(m, "accept", 6)
            (change,) = m.experience.dream()["promoted"]
        assert len(m.experience.query_c(SPACE, ENTITY)) == 1
        assert change["confirms"] == m.experience.query_c(SPACE, ENTITY)[0]["id"]
        assert m.experience.dream()["promoted"] == []
        m.experience.roll_back(m.experience.changes()[0]["change_id"])  # a confirmation is undone: the rule stays
        assert len(m.experience.query_c(SPACE, ENTITY)) == 1
        write(m, "refine")
        assert len(m.experience.dream()["promoted"]) == 1
        assert len(m.experience.query_c(SPACE, ENTITY)) == 1


BAD = {
    "junk": answers("I would rather not."),
    "cut off": answers('{"rule": "Take the'),
    "another object": answers('{"lesson": "Take the lock."}'),
    "empty": answers(""),
    "nothing": answers(None),
    "reasoning only": answers("<think>the rule could be"),
    "500": fails(500),
    "429": fails(429),
    "401": fails(401),
    "no JSON at all": writes(b"<html>gateway</html>", "text/html"),
    "cut in the middle": cuts_the_body,
    "hangs": hangs_before_headers,
}


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_answer_changes_nothing_and_is_tried_again(home: Place, kind: str):
    with asking(home, BAD[kind]) as (m, _):
        write(m, "accept", 6)
        kept, rows = m.experience.query_mk(SPACE, ENTITY), lived.of_pair(m)
        report = m.experience.dream()
        assert (report["promoted"], report["forgotten"], len(report["failed"])) == ([], [], 1)
        assert report["failed"][0]["reason"]
        assert m.experience.query_mk(SPACE, ENTITY) == kept
        assert lived.of_pair(m) == rows
        assert m.experience.query_c(SPACE, ENTITY) == []
        assert m.experience.changes() == []
        assert "DISTILLING_FAILED" in lived.types(m)
        assert not {"EXPERIENCE_PROMOTED", "EXPERIENCE_FORGOTTEN"} & set(lived.types(m))
    with asking(home, GOOD) as (m, _):
        assert len(m.experience.dream(days_on(0.1))["promoted"]) == 1
        assert lived.of_pair(m) == rows
        assert m.verify()["ok"]


def test_nobody_listens(home: Place):
    with asking(home, GOOD, url=unused_url()) as (m, server):
        write(m, "accept", 6)
        assert len(m.experience.dream()["failed"]) == 1
        assert server.requests == []


def test_a_failure_is_tried_again_by_the_next_pass_that_is_called_for(home: Place):
    with asking(home, answers("no"), GOOD) as (m, _):
        write(m, "accept", 6)
        assert len(m.experience.dream()["failed"]) == 1
        assert len(m.experience.dream()["promoted"]) == 1


def test_one_failure_does_not_hold_up_the_others(home: Place):
    with asking(home, answers("no"), GOOD) as (m, _):
        for number in range(3):
            write(m, "accept", 6, entity=f"path:{number}")
        write(m, "refine", 1, entity="path:fading", age_days=9)
        report = m.experience.dream()
        assert [len(report[name]) for name in ("promoted", "failed", "forgotten")] == [2, 1, 1]


def test_an_engine_that_breaks_does_not_hold_up_the_others(home: Place):
    """An engine of somebody's own may raise anything; what it raises may quote what it was asked."""

    class Broken:
        def complete(self, request: ModelRequest, *, time_limit_s: float | None = None) -> ModelAnswer:
            raise RuntimeError(request.prompt)

    with lived.opened(home, language=Broken()) as m:
        write(m, "accept", 6)
        write(m, "refine", 1, entity="path:fading", age_days=9)
        for _ in range(2):
            write(m, "refine", 1, entity="path:fading", age_days=9)
            report = m.experience.dream()
            assert [item["reason"] for item in report["failed"]] == ["the language engine failed: RuntimeError"]
            assert [item["entity"] for item in report["forgotten"]] == ["path:fading"]
            assert m.experience.query_c(SPACE, ENTITY) == []
            assert len(m.experience.query_recent(SPACE, ENTITY, 99)) == 6
        lived.assert_follows_from_the_ledger(m)


def test_personal_data_is_never_sent(home: Place):
    """Consent covers keeping, not telling a third party."""
    mail, phone = "canary.bird.77@gmail.com", "415-555-0167"
    leaky = answers(f'{{"rule": "Write to {mail} before you begin."}}')
    with asking(home, leaky) as (m, server):
        consent = m.grant_consent("bob", "keep my address", "persistent", expires_at=days_on(90).isoformat())
        for number in range(6):
            megram = {
                "space": SPACE,
                "entity": ENTITY,
                "content": f"{number}: mail {mail}, call {phone}",
                "state": "accept",
            }
            answer = m.experience.write(megram, "solver", user_id="bob", consent_id=consent["consent_id"])
            assert answer["success"], answer
        assert mail in m.experience.query_recent(SPACE, ENTITY, 1, NOW)[0]["content"]
        (change,) = m.experience.dream()["promoted"]
        assert len(server.requests) == 1
        for text in (contents(server), repr(change), repr(m.experience.query_c(SPACE, ENTITY))):
            assert mail not in text
            assert phone not in text
        assert "[redacted]" in contents(server)


def test_without_words_no_engine_is_asked_to_make_some_up(home: Place):
    with asking(home, GOOD) as (m, server):
        for _ in range(6):
            m.experience.write({"space": SPACE, "entity": ENTITY, "content": "", "state": "accept"}, "solver")
        (change,) = m.experience.dream()["promoted"]
        assert server.requests == []
        assert change["content"] == f"Best practice for {SPACE} / {ENTITY} (accept)."


def test_an_engine_that_is_down_is_asked_once_in_a_pass(home: Place):
    """A hundred clusters must not wait for a hundred time-outs, with whoever closes waiting behind them."""
    with asking(home, hangs_before_headers) as (m, server):
        for number in range(4):
            write(m, "accept", 6, entity=f"path:{number}")
        report = m.experience.dream()
        assert report["promoted"] == []
        asked = len(server.requests)
        assert asked <= 2
        assert report["failed"]
    with asking(home, GOOD) as (m, _):
        assert len(m.experience.dream(days_on(0.1))["promoted"]) == 4


# What was asked, sealed beside the event


def payloads(m: Mace, event_type: str) -> list[dict[str, Any]]:
    found = m._parts.world.store.read(lambda tx: tx.events.of_type(event_type))
    return [canon.loads(event.body)["payload"] for event in found]


def test_the_event_says_who_found_the_words_and_keeps_what_was_asked_sealed(home: Place):
    written = f'Here it is: {{"rule": "{RULE}"}}'
    with asking(home, answers(written)) as (m, server):
        write(m, "accept", 6)
        (change,) = m.experience.dream()["promoted"]
        (payload,) = payloads(m, "EXPERIENCE_PROMOTED")
        assert change["by"] == payload["by"] == m.experience.changes()[0]["by"] == "engine"
        assert "lesson" not in repr(payload)
        assert RULE not in repr(payload)
        found = m.experience.change(change["change_id"])
        assert found["change_id"] == change["change_id"]
        assert found["asked"]["answer"] == written
        assert "lesson 3" in found["asked"]["prompt"]
        assert found["asked"]["prompt"] in [message["content"] for message in server.requests[0].body["messages"]]
        assert found["asked"]["model"]
        assert m.verify()["ok"]
        (again,) = [m.experience.change(item["change_id"]) for item in m.experience.changes()]
        assert again == found


def test_a_confirmation_keeps_what_was_asked_too(home: Place):
    with asking(home, GOOD) as (m, _):
        for _ in range(2):
            write(m, "accept", 6)
            (change,) = m.experience.dream()["promoted"]
        assert change["confirms"]
        assert "lesson" in m.experience.change(change["change_id"])["asked"]["prompt"]


def test_an_extract_says_so_and_nobody_was_asked(request: pytest.FixtureRequest, tmp_path: Path):
    with lived.opened(lived.place_for("sqlite", tmp_path, request)) as m:
        write(m, "accept", 6)
        (change,) = m.experience.dream()["promoted"]
        (payload,) = payloads(m, "EXPERIENCE_PROMOTED")
        assert (change["by"], payload["by"], "asked" in payload) == ("extract", "extract", False)
        assert m.experience.change(change["change_id"])["asked"] is None


def test_an_answer_that_is_no_rule_is_kept_sealed_beside_its_failure(home: Place):
    with asking(home, answers("I would rather not.")) as (m, _):
        write(m, "accept", 6)
        m.experience.dream()
        (payload,) = payloads(m, "DISTILLING_FAILED")
        assert payload["by"] == "engine"
        assert "rather not" not in repr(payload)
        asked = m._parts.world.store.read(lambda tx: lived.inside(m).dreams._papers.asked(tx, payload))
        assert asked is not None
        assert asked["answer"] == "I would rather not."


def test_what_was_asked_goes_with_whom_it_quotes(home: Place):
    with asking(home, GOOD) as (m, _):
        governed.with_forensic_key(m)
        write(m, "accept", 3, content="bobs own words", user_id="bob")
        write(m, "accept", 3, content="eves own words", user_id="eve")
        write(m, "accept", 6, content="nobodys words", entity="path:apart")
        changes = {item["entity"]: item["change_id"] for item in m.experience.dream()["promoted"]}
        sent = m.experience.change(changes[ENTITY])["asked"]["prompt"]
        assert "bobs own words" in sent
        governed.erase(m, "eve")
        assert m.experience.change(changes[ENTITY])["asked"]["prompt"] == sent, "nothing of hers is in it"
        governed.erase(m, "bob")
        assert m.experience.change(changes[ENTITY])["asked"] is None
        assert "nobodys" in m.experience.change(changes["path:apart"])["asked"]["prompt"]
        assert m.verify()["ok"]


def test_personal_data_in_an_answer_is_not_kept(home: Place):
    mail = "canary.bird.77@gmail.com"
    with asking(home, answers(f'{{"rule": "Write to {mail} before you begin."}}')) as (m, _):
        write(m, "accept", 6)
        (change,) = m.experience.dream()["promoted"]
        asked = m.experience.change(change["change_id"])["asked"]
        assert mail not in repr(asked)
        assert "[redacted]" in asked["answer"]


@pytest.mark.parametrize("text", ["\ud800 junk", "x" * 100_000])
def test_whatever_an_engine_answers_can_be_kept(home: Place, text: str):
    class Odd:
        def complete(self, request: ModelRequest, *, time_limit_s: float | None = None) -> ModelAnswer:
            return ModelAnswer(text, 1, 1, "\udfff", "p", "stop", 1)

    with lived.opened(home, language=Odd()) as m:
        write(m, "accept", 6)
        assert len(m.experience.dream()["failed"]) == 1
        lived.assert_follows_from_the_ledger(m)


# Rules as they were extracted before


def test_a_rule_in_earlier_words_is_confirmed_and_not_written_again(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    home = lived.place_for("sqlite", tmp_path, request)
    with lived.opened(home) as m:
        monkeypatch.setattr(distilling, "extract", distilling.extract_v1)
        for _ in range(6):
            write(m, "accept", content="one")
            write(m, "accept", content="two", age_days=0.1)
        m.experience.dream()
        monkeypatch.undo()
        (rule,) = m.experience.rules()
        assert " | " in rule["content"]
        for _ in range(6):
            write(m, "accept", content="one")
            write(m, "accept", content="two", age_days=0.1)
        (change,) = m.experience.dream()["promoted"]
        assert (change["confirms"], change["by"]) == (rule["id"], "extract")
        assert m.experience.rules() == [rule]
        lived.assert_follows_from_the_ledger(m)


def test_json_is_extracted_in_words_and_what_it_hid_is_cut_out(request: pytest.FixtureRequest, tmp_path: Path):
    content = '{"summary": "run --check", "note": "mail canary.bird.77\\u0040gmail.com"}'
    megram = {"space": SPACE, "entity": ENTITY, "content": content, "state": "accept"}
    with lived.opened(lived.place_for("sqlite", tmp_path, request)) as m:
        consent = m.grant_consent("bob", "keep my address", "persistent", expires_at=days_on(90).isoformat())
        for _ in range(6):
            kept = m.experience.write(megram, "solver", user_id="bob", consent_id=consent["consent_id"])
            assert kept["success"], kept
        (change,) = m.experience.dream()["promoted"]
        assert "summary: run --check, note: mail" in change["content"]
        assert "canary.bird.77" not in change["content"]
        assert m.experience.rules()[0]["content"] == change["content"]


def test_words_of_two_people_are_never_in_one_prompt(home: Place):
    with asking(home, GOOD) as (m, server):
        write(m, "accept", 1, content="ofnobody")
        write(m, "accept", 2, content="saidbyana", user_id="ana")
        write(m, "accept", 6, content="saidbybob", user_id="bob")  # also among the strongest, which are a few of all
        (change,) = m.experience.dream()["promoted"]
        assert change["by"] == "engine"
        (request,) = server.requests
        assert "saidbybob" in str(request.body), "most of the weight is his"
        assert "saidbyana" not in str(request.body) and "ofnobody" not in str(request.body)
        governed.erase(m, "ana")
        assert [rule["content"] for rule in m.experience.query_c(SPACE, ENTITY)] == [RULE], "nothing of hers is in it"
        governed.erase(m, "bob")
        assert [rule["content"] for rule in m.experience.query_c(SPACE, ENTITY)] == [""]
