"""What is personal in experience: admitted by consent only, sealed, erased with the person, nowhere in the clear."""

import logging
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import governed
import lived
from fault.test_canaries import CANARIES, CARD, EMAIL, IBAN, PHONE, SAID, SECRET, SSN, encodings, leaks, tried
from lived import ENTITY, NOW, SPACE, days_on, write
from mace.engine.kernel.let_in import LetIn
from mace.engine.runtime import Mace
from places import Place

pytestmark = [pytest.mark.stage1, pytest.mark.critical]
GOOD: dict[str, Any] = {"space": SPACE, "entity": ENTITY, "content": "it worked", "state": "accept"}


@pytest.fixture(params=lived.ADAPTERS)
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    return lived.place_for(request.param, tmp_path / "home", request)


@pytest.fixture
def m(home: Place) -> Iterator[Mace]:
    with lived.opened(home) as mace:
        yield mace


def consented(m: Mace, user: str = "bob") -> str:
    return str(m.grant_consent(user, "keep it", "persistent", expires_at=days_on(90).isoformat())["consent_id"])


def test_personal_data_without_consent_is_blocked(m: Mace):
    for content in (f"mail {EMAIL}", f"call {PHONE}", SAID):
        answer = m.experience.write({**GOOD, "content": content}, "solver", user_id="bob")
        assert (answer["success"], answer["error_code"]) == (False, "PRIVACY_BLOCKED")
    assert "PII_FLAGGED" in lived.types(m)
    assert "MEGRAM_WRITTEN" not in lived.types(m)
    assert m.experience.query_mk(SPACE, ENTITY)["attention"] == 0.0


def test_with_the_consent_of_the_person_it_is_kept(m: Mace):
    consent = consented(m)
    told = {**GOOD, "content": f"mail {EMAIL}"}
    assert m.experience.write(told, "solver", user_id="bob", consent_id=consent)["success"]
    assert m.experience.query_recent(SPACE, ENTITY, 1)[0]["content"] == f"mail {EMAIL}"
    for somebody in ("eve", None):
        answer = m.experience.write(told, "solver", user_id=somebody, consent_id=consent)
        assert answer["error_code"] == "PRIVACY_BLOCKED", somebody


@pytest.mark.parametrize("is_older", [False, True])
def test_words_that_only_an_ended_consent_covers_are_blank(m: Mace, monkeypatch: pytest.MonkeyPatch, is_older: bool):
    consent = consented(m)
    with monkeypatch.context() as patch:
        if is_older:  # as earlier versions wrote: the event names no consent
            patch.setattr(LetIn, "payload", lambda self: {})
        told = {**GOOD, "content": f"mail {EMAIL}"}
        assert m.experience.write(told, "solver", user_id="bob", consent_id=consent)["success"]
    assert m.experience.write({**GOOD, "content": "bobs tool broke"}, "solver", user_id="bob")["success"]
    assert EMAIL in repr(m.experience.query_recent(SPACE, ENTITY, 9))
    m.revoke_consent(consent)
    shown = sorted(row["content"] for row in m.experience.query_recent(SPACE, ENTITY, 9))
    assert shown == ["", "bobs tool broke"]
    assert EMAIL.encode() not in b"".join(m.experience.export())
    m = governed.owned(m)
    proof = m.accounts.issue_identity_proof("bob")["proof"]
    assert EMAIL in repr(m.request_dsr("bob", "export", proof)), "it is the person's, who may take it along"
    assert m.verify()["ok"]


@pytest.mark.parametrize("where", ["space", "entity"])
def test_tags_hold_nothing_personal_whatever_was_consented_to(m: Mace, where: str):
    consent = consented(m)
    for value in (EMAIL, PHONE, f"tool:{EMAIL}", f"ssn {SSN}"):
        answer = m.experience.write({**GOOD, where: value}, "solver", user_id="bob", consent_id=consent)
        assert answer["error_code"] == "PRIVACY_BLOCKED", value
        assert value not in repr(answer)


def test_a_path_with_personal_data_in_it_is_told_by_its_keyed_hash(m: Mace):
    path, other = f"path:/home/{EMAIL}/notes", f"path:/home/{EMAIL}/other"
    assert m.experience.write({**GOOD, "entity": path}, "solver", user_id="bob")["success"]
    (tag,) = [pair["entity"] for pair in m.experience.pairs(search="path:x-")]
    assert re.fullmatch("path:x-[0-9a-f]{16}", tag)
    for asked in (path, tag):  # what was lived through with it is found by either
        assert [row["entity"] for row in m.experience.query_recent(SPACE, asked)] == [tag]
        assert m.experience.query_mk(SPACE, asked)["attention"] > 0
        assert m.experience.history(SPACE, asked)["points"]
    assert m.experience.query_recent(SPACE, other) == []
    assert m.experience.write({**GOOD, "entity": "path:/home/anna"}, "solver")["success"]
    assert [pair["entity"] for pair in m.experience.pairs(search="anna")] == ["path:/home/anna"]


def test_erasing_a_person_blanks_their_words_and_those_of_rules_made_from_them(m: Mace):
    governed.with_forensic_key(m)
    write(m, "accept", 4, content="bobs own words", user_id="bob")
    write(m, "accept", 4, content="eves own words", user_id="eve")
    write(m, "accept", 6, content="nobodys words", entity="path:apart")
    assert len(m.experience.dream()["promoted"]) == 2
    before = {key: m.experience.query_mk(SPACE, key, days_on(2)) for key in (ENTITY, "path:apart")}
    quanta = [(row.megram_id, row.f, row.sigma, row.k) for row in lived.of_pair(m)]
    assert "words" in m.experience.query_c(SPACE, ENTITY)[0]["content"]
    governed.erase(m, "bob")
    words = sorted(row["content"] for row in m.experience.query_recent(SPACE, ENTITY, 99))
    assert words == [""] * 4 + [f"eves own words {number}" for number in range(4)]
    assert [rule["content"] for rule in m.experience.query_c(SPACE, ENTITY)] == [""]
    assert "nobodys" in m.experience.query_c(SPACE, "path:apart")[0]["content"]
    assert [(row.megram_id, row.f, row.sigma, row.k) for row in lived.of_pair(m)] == quanta
    for entity, potentials in before.items():
        assert m.experience.query_mk(SPACE, entity, days_on(2)) == potentials
    exported = b"".join(m.experience.export())
    assert b"bobs own" not in exported
    assert b"eves own" in exported
    lived.assert_follows_from_the_ledger(m)
    assert m.verify()["ok"]
    write(m, "abandon", 20, content="eves own words", user_id="eve")
    report = m.experience.dream()  # goes on: a rule whose words are gone can still fall
    assert len(report["demoted"]) == 1
    assert report["failed"] == []
    assert m.experience.dream(days_on(400))["forgotten"]


def test_what_is_erased_stays_erased_after_moving_and_after_a_roll_back(
    m: Mace, request: pytest.FixtureRequest, tmp_path: Path
):
    governed.with_forensic_key(m)
    write(m, "accept", 2, content="bobs own words", user_id="bob")
    m.experience.dream(days_on(90))
    governed.erase(m, "bob")
    m.experience.roll_back(m.experience.changes()[0]["change_id"])
    assert [row["content"] for row in m.experience.query_recent(SPACE, ENTITY, 9)] == ["", ""]
    lines = list(m.experience.export())
    with lived.opened(lived.place_for("sqlite", tmp_path / "other", request)) as other:
        other.experience.import_lines(lines, "system_admin")
        assert list(other.experience.export()) == lines
        lived.assert_sums_right(other)


def test_words_that_moved_go_with_the_person_there_too(m: Mace, request: pytest.FixtureRequest, tmp_path: Path):
    write(m, "accept", 6, content="bobs own words", user_id="bob")
    m.experience.dream()
    with lived.opened(lived.place_for("sqlite", tmp_path / "other", request)) as other:
        other.experience.import_lines(list(m.experience.export()), "system_admin")
        assert "bobs" in other.experience.query_c(SPACE, ENTITY)[0]["content"]
        governed.with_forensic_key(other)
        governed.erase(other, "bob")
        assert [row["content"] for row in other.experience.query_recent(SPACE, ENTITY, 9)] == [""] * 6
        assert other.experience.query_c(SPACE, ENTITY)[0]["content"] == ""


def test_an_import_does_not_bring_back_what_was_erased_here(m: Mace):
    governed.with_forensic_key(m)
    write(m, "accept", 2, content="bobs own words", user_id="bob")
    lines = list(m.experience.export())
    m.experience.dream(days_on(90))
    governed.erase(m, "bob")
    m.experience.import_lines(lines, "system_admin")
    assert [row["content"] for row in m.experience.query_recent(SPACE, ENTITY, 9)] == ["", ""]


def test_a_persons_export_holds_their_words(m: Mace):
    write(m, "accept", 2, content="bobs own words", user_id="bob")
    write(m, "accept", 1, content="eves own words", user_id="eve")
    proof = governed.owned(m).accounts.issue_identity_proof("bob")["proof"]
    answer = m.request_dsr("bob", "export", proof)
    assert "bobs own words 1" in repr(answer["package"])
    assert "eves own words" not in repr(answer["package"])


def test_canaries_are_nowhere_on_the_disk(
    home: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    caplog.set_level(logging.DEBUG)
    texts: list[str] = []
    with lived.opened(home) as m:
        x = m.experience
        for content in (SAID, EMAIL, PHONE, CARD, IBAN, f'{{"ssn": "{SSN}"}}'):
            tried(lambda content=content: x.write({**GOOD, "content": content}, "solver"), texts)
            tried(lambda content=content: x.write({**GOOD, "content": content}, "solver", user_id="bob"), texts)
            tried(lambda content=content: x.write({**GOOD, "space": content}, "solver"), texts)
            tried(lambda content=content: x.write({**GOOD, "entity": content}, "solver"), texts)
            tried(lambda content=content: x.write({**GOOD, "state": content}, "solver"), texts)
            tried(lambda content=content: x.write({**GOOD, content: 1}, "solver"), texts)
            tried(lambda content=content: x.write({**GOOD, "created_at": content}, "solver"), texts)
            tried(lambda content=content: x.write(GOOD, content), texts)
            tried(lambda content=content: x.write(GOOD, "solver", user_id=content), texts)
            tried(lambda content=content: x.write(GOOD, "solver", consent_id=content), texts)
            tried(lambda content=content: x.record_negative_feedback(content, "no"), texts)
            tried(lambda content=content: x.record_negative_feedback("0" * 33, content), texts)
            tried(lambda content=content: x.query_mk(content, content), texts)
            tried(lambda content=content: x.query_c(content, content), texts)
            tried(lambda content=content: x.query_recent(content, content, 5), texts)
            tried(lambda content=content: x.query_mk(SPACE, ENTITY, content), texts)
            tried(lambda content=content: x.roll_back(content), texts)
            tried(lambda content=content: x.roll_back("0" * 32, content), texts)
            tried(lambda content=content: x.import_lines([content], "system_admin"), texts)
            tried(lambda content=content: x.import_lines([], content), texts)
            tried(lambda content=content: list(x.export(content)), texts)
            tried(lambda content=content: x.history(content, content), texts)
        consent = consented(m)
        for number in range(7):
            told = {**GOOD, "content": f"{number}: {EMAIL} or {PHONE}"}
            assert x.write(told, "solver", user_id="bob", consent_id=consent)["success"]
        (change,) = x.dream(NOW)["promoted"]
        rule = x.query_c(SPACE, ENTITY)[0]
        feedback = f"{EMAIL} says no"
        assert x.record_negative_feedback(rule["id"], feedback, user_id="bob", consent_id=consent)["success"]
        texts += [repr(change), repr(rule), repr(x.changes()), repr(x.pairs()), repr(x.dream(days_on(400)))]
        texts += [repr(m.events("system"))]
        texts += [line.decode("utf-8", "replace") for line in m.export()]
        assert m.verify()["ok"]
    everything = "\n".join(texts)
    known = {form: value for value in (*CANARIES, SECRET) for form in encodings(value)}
    assert not [value for value in (*CANARIES, SECRET) if value in everything]
    assert not [form for form in known if form in everything.encode()]
    assert not [value for value in (*CANARIES, SECRET) if value in caplog.text]
    assert leaks(tmp_path / "home", temporary) == []
    if home.kind == "postgres":
        with home.sql(keep_triggers=True) as sql:
            for table in home.tables():
                held = repr(sql(f"select * from {table}")).encode()
                assert not [value for form, value in known.items() if form in held], table
