"""One person's words never lie under another one's key: whoever joins somebody else's job with words is refused."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

import governed
import places
from mace.core import seeds
from mace.core.errors import Conflict
from mace.engine.runtime import Mace

pytestmark = [pytest.mark.stage1, pytest.mark.critical]
SEED = "one seed for two people"
LATER = datetime.now(UTC) + timedelta(days=300)
MEGRAM = {"space": "tool:shell", "entity": "path:deploy.sh", "state": "accept"}


def _ask(m: Mace, who: str, seed: str) -> Any:
    return m.ask("What is 2 + 2?" if who == "bob" else "What is 40 + 2?", who, seed)


def _experience(m: Mace, who: str, seed: str) -> Any:
    content = f"quokka words of {who}"
    return m.experience.write({**MEGRAM, "content": content}, "solver", user_id=who, job_seed=seed)


def _fact(m: Mace, who: str, seed: str) -> Any:
    key = f"user/profile/user_{who}/motto"
    return m.sem_put(key, f"quokka motto of {who}", "user", user_id=who, job_seed=seed)


def _consent(m: Mace, who: str, seed: str) -> Any:
    return m.grant_consent(who, f"Keep what quokka {who} says.", "persistent", seed, LATER)


def _export(m: Mace, who: str, seed: str) -> Any:
    return m.request_dsr(who, "export", m.accounts.issue_identity_proof(who)["proof"], job_seed=seed)


def _delete(m: Mace, who: str, seed: str) -> Any:
    return m.request_dsr(who, "delete", m.accounts.issue_identity_proof(who)["proof"], job_seed=seed)


def _rectify(m: Mace, who: str, seed: str) -> Any:
    key = f"user/profile/user_{who}/city"
    m.sem_put(key, "gdynia", "user", user_id=who)
    proof = m.accounts.issue_identity_proof(who)["proof"]
    return m.request_dsr(who, "rectify", proof, changes={key: "gdansk"}, job_seed=seed)


def _detect(m: Mace, who: str, seed: str) -> Any:
    return m.detect_and_handle(f"I am quokka {who}", who, seed)


WORDS: dict[str, Callable[[Mace, str, str], Any]] = {
    "ask": _ask,
    "experience.write": _experience,
    "sem_put": _fact,
    "grant_consent": _consent,
    "request_dsr export": _export,
    "request_dsr delete": _delete,
    "request_dsr rectify": _rectify,
    "detect_and_handle": _detect,
}
SEALS_UNDER_THE_JOB = ("ask", "experience.write")  # the others' words have keys of their own


@pytest.fixture
def m(place: places.Place) -> Iterator[Mace]:
    with place.open() as opened:
        yield governed.owned(opened)


def code_of(call: Callable[[], Any]) -> str | None:
    """The code of a failure, however a verb tells it."""
    try:
        answer = call()
    except Conflict as error:
        return error.code
    failure = answer.get("error")
    return answer.get("error_code") or (None if failure is None else failure["error_code"])


def export_of(m: Mace, who: str) -> str:
    return str(m.request_dsr(who, "export", m.accounts.issue_identity_proof(who)["proof"])["package"])


@pytest.mark.parametrize("second", WORDS)
@pytest.mark.parametrize("first", SEALS_UNDER_THE_JOB)
def test_whoever_comes_second_is_refused_and_nobody_cries_tampering(m: Mace, first: str, second: str):
    assert code_of(lambda: WORDS[first](m, "bob", SEED)) is None
    assert code_of(lambda: WORDS[second](m, "alice", SEED)) == "CONFLICT"
    assert m.verify()["findings"] == []
    assert m.incidents.list() == []
    assert "alice" not in export_of(m, "bob")
    assert "quokka" not in export_of(m, "alice")
    if first == "ask":
        assert m.replay(seeds.job_id(SEED))["result"] == "MATCH"


@pytest.mark.parametrize("second", WORDS)
@pytest.mark.parametrize("first", SEALS_UNDER_THE_JOB)
def test_a_person_does_not_speak_in_a_job_of_nobody(m: Mace, first: str, second: str):
    nobodys: dict[str, Callable[[], Any]] = {
        "ask": lambda: m.ask("What is 2 + 2?", None, SEED),
        "experience.write": lambda: m.experience.write({**MEGRAM, "content": "it ran"}, "solver", job_seed=SEED),
    }
    assert code_of(nobodys[first]) is None
    assert code_of(lambda: WORDS[second](m, "alice", SEED)) == "CONFLICT"
    assert m.verify()["findings"] == []


def test_words_without_a_name_are_those_of_the_jobs_person(m: Mace):
    _ask(m, "bob", SEED)
    told = m.experience.write({**MEGRAM, "content": "wombat"}, "solver", job_seed=SEED)
    assert told["success"]
    assert "wombat" in export_of(m, "bob")
    governed.erase(m, "bob")
    assert [item["content"] for item in m.experience.query_recent("tool:shell", "path:deploy.sh")] == [""]


def test_the_same_person_may_come_back(m: Mace):
    for name in WORDS:
        assert code_of(lambda name=name: WORDS[name](m, "bob", SEED)) is None, name  # type: ignore[misc]
    assert m.verify()["findings"] == []


# What is found in a text is hashed with the seed: the seed of somebody else would let anybody test guesses

PHONE = "212-555-0198"
OPENS: dict[str, Callable[[Mace], Any]] = {
    "ask": lambda m: m.ask(f"my phone is {PHONE}", "ana", SEED),
    "sem_put": lambda m: m.sem_put("user/profile/user_ana/phone", PHONE, "user", job_seed=SEED),
    "experience.write": lambda m: m.experience.write(
        {**MEGRAM, "content": f"call {PHONE}"}, "solver", user_id="ana", job_seed=SEED
    ),
    "detect_and_handle": lambda m: m.detect_and_handle(PHONE, "ana", SEED),
    "grant_consent": lambda m: m.grant_consent("ana", "Keep it.", job_seed=SEED),
    "nobody's ask": lambda m: m.ask(f"my phone is {PHONE}", None, SEED),
}


@pytest.mark.parametrize("first", OPENS)
def test_nobody_has_texts_hashed_with_the_seed_of_somebody_else(m: Mace, first: str):
    OPENS[first](m)
    before = len(m.events(seeds.job_id(SEED)))
    eve = m.acting_as(m.on_behalf_of("eve"))
    asks: dict[str, Callable[[], Any]] = {
        "detect": lambda: eve.detect_and_handle([PHONE, "212-555-0143"], job_seed=SEED),
        "detect as eve": lambda: eve.detect_and_handle(PHONE, "eve", SEED),
        "request_dsr": lambda: eve.request_dsr(
            "eve", "export", m.accounts.issue_identity_proof("eve")["proof"], job_seed=SEED
        ),
    }
    assert {name: code_of(ask) for name, ask in asks.items()} == dict.fromkeys(asks, "CONFLICT")
    assert len(m.events(seeds.job_id(SEED))) == before
    assert m.verify()["ok"]


@pytest.mark.parametrize("first", ["ask", "sem_put", "detect_and_handle", "grant_consent"])
def test_the_owner_speaks_for_one_person_in_a_job(m: Mace, first: str):
    OPENS[first](m)
    assert code_of(lambda: m.detect_and_handle(PHONE, "bob", SEED)) == "CONFLICT"
    assert code_of(lambda: m.detect_and_handle(PHONE, None, SEED)) == "CONFLICT"
    assert (
        code_of(lambda: m.incidents.report_violation("rogue", "a rule", evidence={"x": PHONE}, job_seed=SEED)) is None
    )
    assert m.detect_and_handle(PHONE, "ana", SEED)["findings"][0]["pii_hash"]
    assert m.acting_as(m.on_behalf_of("ana")).detect_and_handle(PHONE, job_seed=SEED)["findings"][0]["pii_hash"] is None


def test_nobody_stays_nobody_for_the_owner(m: Mace):
    m.ask("What is 2 + 2?", None, SEED)
    assert m.detect_and_handle(PHONE, None, SEED)["findings"][0]["pii_hash"]
    assert m.incidents.report_violation("rogue", "a rule", job_seed=SEED)["incident_id"]
    assert code_of(lambda: m.detect_and_handle(PHONE, "ana", SEED)) == "CONFLICT"


def test_a_part_of_somebody_elses_seed_tells_nothing_either(m: Mace):
    m.sem_put("user/profile/user_ana/phone", PHONE, "user", job_seed="call-7")
    [stored] = [
        event["payload"]["pii_hash"]
        for event in m.events(seeds.job_id("call-7"))
        if event["event_type"] == "PII_FLAGGED"
    ]
    guess = {"password": f"{PHONE}call"}  # whose hash with the seed `-7` is the same
    assert m.detect_and_handle(guess, None, "-7")["findings"][0]["pii_hash"] == stored
    eve = m.acting_as(m.on_behalf_of("eve"))
    assert eve.detect_and_handle(guess, None, "7-7")["findings"][0]["pii_hash"] is None
    assert eve.detect_and_handle(guess)["findings"][0]["pii_hash"] not in (None, stored)
