"""Reflective logs with person, question and program: who is shown what, which ones a list has, page by page."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import mace
import places
from access_stage import Stage
from governed import House, erase, owned
from mace.core import seeds
from mace.core.answers import LogView
from mace.core.errors import IntegrityFailure, InvalidInput, NotFound, PermissionDenied
from mace.providers.frozen import FrozenClock
from payloads import log_payload

AT = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
ASKED = {"o": "What is 2 + 2?", "c": "What is 2 + 2?", "x": "What is 2 + 2?"}
CARD = "4111 1111 1111 1111"


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    made = Stage(tmp_path_factory.mktemp("views"))
    yield made
    made.close()


def questions(items: list[LogView]) -> list[Any]:
    return [item["question"] for item in items]


# Who is shown what


def test_what_was_asked_is_for_the_person_an_admin_and_the_owner(stage: Stage):
    m = stage.m
    shown = {
        "the person": (m.on_behalf_of("ana"), "o", True),
        "an admin": (stage.by_token("admin", factor=True), "x", True),
        "an admin, nobody's": (stage.by_token("admin", factor=True), "c", True),
        "the owner": (m.owner(), "x", True),
        "the owner by another name": (m.owner("zoe"), "x", True),
        "an auditor": (stage.by_token("auditor", factor=True), "x", False),
        "an auditor, nobody's": (stage.by_token("auditor", factor=True), "c", False),
        "the owner as an auditor": (m.owner("zoe", roles=["auditor"]), "c", False),
    }
    for who, (caller, whose, sees) in shown.items():
        found = m.acting_as(caller).jobs.log(stage.things[whose].log)
        assert found["question"] == (ASKED[whose] if sees else None), who
        assert found["person"] == {"o": "user_ana", "c": None, "x": "user_bob"}[whose], who
        assert (found["kind"], found["program"], found["version"]) == ("ask", None, None)
        assert found["recorded_at"] is not None and found["error_code"] is None
        assert "damaged" not in found


def test_in_a_list_it_is_the_same(stage: Stage):
    m = stage.m
    of_bob = m.acting_as(stage.by_token("auditor", factor=True)).jobs.logs(person="bob")["items"]
    assert of_bob and set(questions(of_bob)) == {None}
    own = m.acting_as(m.on_behalf_of("ana")).jobs.logs()["items"]
    assert own and {item["person"] for item in own} == {"user_ana"} and None not in questions(own)
    everybody = m.acting_as(stage.by_token("admin", "c", factor=True)).jobs.logs(limit=1000)["items"]
    assert {item["person"] for item in everybody} >= {None, "user_ana", "user_bob"}
    assert {item["question"] is not None for item in everybody if item["kind"] == "ask"} == {True}


def test_a_look_at_somebody_elses_question_is_on_the_record(stage: Stage):
    def looks() -> list[dict[str, Any]]:
        found = stage.m.events("system")
        return [event["payload"] for event in found if event["event_type"] == "admin_access_event"]

    admin, before = stage.m.acting_as(stage.by_token("admin", factor=True)), len(looks())
    admin.jobs.log(stage.things["x"].log)
    admin.jobs.logs(person="bob")
    admin.jobs.log(stage.things["o"].log)  # ana's own account
    assert [(look["purpose"], look["which"]) for look in looks()[before:]] == [
        ("jobs.log", stage.things["x"].log),
        ("jobs.logs", "user_bob"),
    ]


def test_somebody_elses_log_is_not_there_and_a_list_of_theirs_is_refused(stage: Stage):
    bob = stage.m.acting_as(stage.m.on_behalf_of("bob"))
    for log_id in (stage.things["o"].log, stage.things["c"].log, stage.things["gone"].log):
        with pytest.raises(NotFound):
            bob.jobs.log(log_id)
    with pytest.raises(PermissionDenied):
        bob.jobs.logs(person="ana")
    with pytest.raises(InvalidInput):  # a place in somebody else's list
        bob.jobs.logs(cursor=stage.things["o"].log)


# What a list has


def test_a_list_is_read_page_by_page(place: places.Place):
    clock = FrozenClock(AT)
    with place.open(clock=clock) as m:
        asked = []
        for number in range(7):
            asked.append(m.ask(f"What is {number} + 1?", "ana" if number % 2 else None)["log_id"])
            clock.move(seconds=60)
        pages, cursor = [], None
        for _ in range(10):
            page = m.jobs.logs(limit=3, cursor=cursor)
            pages.append([item["log_id"] for item in page["items"]])
            cursor = page["next_cursor"]
            if cursor is None:
                break
        newest = asked[::-1]
        assert pages == [newest[:3], newest[3:6], newest[6:]]
        assert m.jobs.logs(limit=7)["next_cursor"] is None
        assert m.jobs.logs(limit=6)["next_cursor"] == newest[5]
        of_ana = [asked[number] for number in (5, 3, 1)]
        first = m.jobs.logs(person="ana", limit=2)
        assert [item["log_id"] for item in first["items"]] == of_ana[:2]
        second = m.jobs.logs(person="ana", limit=2, cursor=first["next_cursor"])
        assert ([item["log_id"] for item in second["items"]], second["next_cursor"]) == (of_ana[2:], None)
        for cursor in ("no-such-log", asked[0]):  # nobody's is not in ana's list
            with pytest.raises(InvalidInput, match="cursor"):
                m.jobs.logs(person="ana", cursor=cursor)


def test_filters_choose_by_time_error_and_program(place: places.Place):
    clock = FrozenClock(AT)
    with place.open(clock=clock) as m:
        good = m.ask("What is 2 + 2?")["log_id"]
        clock.move(seconds=60)
        blocked = m.ask(f"Is {CARD} a good card?", "ana")["log_id"]
        clock.move(seconds=60)
        down = m.ask("Write a poem about rain")["log_id"]

        def chosen(**filters: Any) -> list[str]:
            return [item["log_id"] for item in m.jobs.logs(**filters)["items"]]

        assert chosen() == [down, blocked, good]
        assert chosen(since=AT + timedelta(seconds=60)) == [down, blocked]
        assert chosen(until="2026-03-01T12:01:00Z") == [good]
        assert chosen(since=AT + timedelta(seconds=1), until=AT + timedelta(seconds=61)) == [blocked]
        assert chosen(error="any") == [down, blocked]
        assert chosen(error="LLM_SERVICE_DOWN") == [down]
        assert chosen(error="PRIVACY_BLOCKED", person="ana") == [blocked]
        assert chosen(error="PRIVACY_BLOCKED", person="nobody_here") == []
        assert chosen(program="support") == []
        [item] = m.jobs.logs(error="PRIVACY_BLOCKED")["items"]
        assert (item["error_code"], item["person"]) == ("PRIVACY_BLOCKED", "user_ana")
        assert CARD not in str(item)
        for wrong in ({"since": "yesterday"}, {"until": "2026-03-01T12:00:00"}, {"error": "BAD_LUCK"}):
            with pytest.raises(InvalidInput):
                chosen(**wrong)


def test_a_log_that_a_program_handed_in_has_a_person_and_no_job(place: places.Place):
    with place.open() as m:
        for number, who in enumerate(("ana", None)):
            m.write_reflective_log(log_payload(f"given{number}"), user_id=who)
        items = m.jobs.logs()["items"]
        assert {(item["person"], item["kind"], item["question"]) for item in items} == {
            ("user_ana", None, None),
            (None, None, None),
        }
        assert {item["recorded_at"] is None for item in items} == {False}


@mace.program("many", version="2.1")
def many(job: mace.Job, given: Any) -> Any:
    """Makes as many calls as it is told to; then it fails, if it is told so."""
    for _ in range(given["calls"]):
        job.call("count", {}, lambda request: 1, idempotent=True)
    if given.get("fail"):
        raise ValueError("no luck")
    return "done"


@pytest.mark.parametrize("calls", [1, 150])  # of a long stream only the ends are read
def test_a_program_is_named_with_its_version(place: places.Place, calls: int):
    with place.open(programs=[many]) as m:
        m.ask("What is 2 + 2?", "ana")
        good = m.perform("many", {"calls": calls}, "ana")
        bad = m.perform("many", {"calls": calls, "fail": True}, "bob")
        assert (good["status"], bad["status"]) == ("closed", "failed")
        assert (len(m.events(good["job_id"])) > 256) == (calls > 100)
        failed, closed = m.jobs.logs(program="many")["items"]
        for item, answer, who in ((failed, bad, "user_bob"), (closed, good, "user_ana")):
            assert (item["log_id"], item["job_id"]) == (answer["log_id"], answer["job_id"])
            assert (item["kind"], item["program"], item["version"]) == ("program", "many", "2.1")
            assert item["person"] == who and item["recorded_at"] is not None
        assert (closed["question"], closed["error_code"]) == (f'{{"calls":{calls}}}', None)
        assert failed["error_code"] == "AGENT_ERROR"
        assert m.jobs.logs(program="many", error="any")["items"] == [failed]
        assert m.jobs.logs(program="many", person="ana")["items"] == [closed]
        assert m.jobs.log(str(good["log_id"])) == closed


def test_a_recorded_block_and_a_recorded_decision_have_their_question(place: places.Place):
    with place.open() as m:
        with m.recording("Where is my parcel?", "ana", program="parcels") as job:
            job.answer("In Lyon.")
        m.record("Which way?", "Left.", "bob")
        decided, block = m.jobs.logs()["items"]
        assert (block["question"], block["person"], block["kind"]) == ("Where is my parcel?", "user_ana", "block")
        assert block["program"] == "parcels"
        assert (decided["question"], decided["person"]) == ("Which way?", "user_bob")
        assert m.jobs.logs(program="parcels")["items"] == [block]


# What is redacted, erased, damaged


def test_personal_data_that_consent_let_in_is_redacted(mace_home: places.SqlitePlace):
    with mace_home.open() as m:
        consent = m.grant_consent("ana", "Read my phone.", job_seed="S", data_types=["phone"])
        told = m.ask("My phone is 212-555-0198.", "ana", "S", consent_id=consent["consent_id"])
        assert told["error"] is None
        question = m.jobs.log(str(told["log_id"]))["question"]
        assert isinstance(question, dict) and question.get("pii_type") == "phone"
        assert "0198" not in str(m.jobs.logs())


def test_an_erased_question_reads_erased(place: places.Place, tmp_path: Path):
    house = House(tmp_path, place=place)
    m = owned(house.m)
    log_id = str(m.ask("What is 2 + 2?", "ana")["log_id"])
    erase(m, "ana")
    found = m.jobs.log(log_id)
    assert (found["question"], found["person"]) == ({"redaction_reason": "ERASED"}, "user_ana")
    assert found["kind"] == "ask" and found["recorded_at"] is not None
    assert m.jobs.logs(person="ana")["items"] == [found]
    house.close()


@pytest.mark.breaks_its_store
@pytest.mark.parametrize("how", ["deleted", "changed"])
def test_a_question_that_cannot_be_read_is_said_to_be_damaged(place: places.Place, how: str):
    with place.open() as m:
        told = m.ask("What is 2 + 2?", "ana")
        whole = m.ask("What is 3 + 3?", "ana")
        with place.sql() as sql:
            ref = f"input/{told['job_id']}"
            if how == "deleted":
                sql("delete from vault_blobs where ref = ?", (ref,))
            else:
                sql("update vault_blobs set sealed = ? where ref = ?", (bytes(60), ref))
        shown = {item["log_id"]: item for item in m.jobs.logs()["items"]}
        assert shown[str(told["log_id"])]["question"] is None
        assert shown[str(told["log_id"])].get("damaged") == ["question"]
        assert "damaged" not in shown[str(whole["log_id"])]


@pytest.mark.breaks_its_store
def test_damaged_logs_are_left_out_and_counted(place: places.Place):
    with place.open() as m:
        logs = [str(m.ask(f"What is {number} + 1?", "ana")["log_id"]) for number in range(3)]
        with place.sql() as sql:
            sql("update reflective_log_stage0 set final_confidence = 0.5 where log_id = ?", (logs[0],))
            sql("delete from reflective_log_stage0 where log_id = ?", (logs[1],))
        page = m.jobs.logs()
        assert [item["log_id"] for item in page["items"]] == [logs[2]]
        assert page["left_out"] == 2
        with place.sql() as sql:
            sql("delete from reflective_log_stage0")
        with pytest.raises(IntegrityFailure):  # an empty list would say that there never was any
            m.jobs.logs()
        none = m.jobs.logs(error="any")
        assert (none["items"], none["left_out"]) == ([], 3)


@pytest.mark.breaks_its_store
def test_a_log_that_nobody_wrote_is_left_out_and_counted(mace_home: places.SqlitePlace):
    with mace_home.open() as m:
        log_id = str(m.ask("What is 2 + 2?", "ana")["log_id"])
        forged = seeds.log_id("forged")
        with mace_home.sql() as sql:
            names = mace_home.columns("reflective_log_stage0")
            row = list(sql(f"select {', '.join(names)} from reflective_log_stage0")[0])
            row[names.index("log_id")] = forged
            sql(f"insert into reflective_log_stage0 values ({', '.join('?' * len(names))})", row)
        page = m.jobs.logs()
        assert ([item["log_id"] for item in page["items"]], page["left_out"]) == ([log_id], 1)
        with pytest.raises(InvalidInput):
            m.jobs.logs(cursor=forged)


@pytest.mark.breaks_its_store
def test_what_an_unsigned_event_says_of_a_program_counts_for_nothing(mace_home: places.SqlitePlace):
    with mace_home.open() as m:
        told = m.ask("What is 2 + 2?", "ana")
        with mace_home.sql() as sql:
            [(body,)] = sql("select body from events where stream = ? and sequence_index = 0", (told["job_id"],))
            forged = bytes(body).replace(b'"kind":"ask"', b'"kind":"program","program":"nice"')
            assert forged != bytes(body)
            sql("update events set body = ? where stream = ? and sequence_index = 0", (forged, told["job_id"]))
        [found] = m.jobs.logs()["items"]
        assert (found["kind"], found["program"], found["person"]) == (None, None, "user_ana")
