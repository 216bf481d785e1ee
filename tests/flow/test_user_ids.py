"""Users told apart by names, which are folded, or by opaque ids, whose every character counts; on both engines."""

import json
from dataclasses import replace
from typing import Any

import pytest

import places
from governed import owned
from mace.core.errors import Conflict, InvalidInput, MaceError, NotFound, PermissionDenied
from mace.engine.kernel.journal import VerbJournal
from mace.engine.runtime import Mace
from mace.memory import keys
from mace.storage.ports import Tx

SPELLINGS = ("ana", "user_ana", "ANA", "ana!", " ana", "ana_", "user_user_ana", "Ana", "ána", "a.n.a")


def opened(place: places.Place, user_ids: str = "", **options: Any) -> Mace:
    place.settings = replace(place.settings, user_ids=user_ids)
    return owned(place.open(**options))


@pytest.mark.parametrize(
    ("user_id", "stays"),
    [
        ("ana", True),
        ("ana_b", True),
        ("a1b2", True),
        ("aB3x", False),
        ("Ana", False),
        ("user_ana", False),
        ("ana!", False),
        (" ana", False),
        ("ana_", False),
        ("a__b", False),
        ("é", False),
        ("x" * 49, False),
        ("id_" + "a" * 32, False),  # what another one could have become
    ],
)
def test_an_opaque_id_that_is_canonical_stays_and_any_other_becomes_its_hash(user_id: str, stays: bool):
    known_as = keys.opaque_user(user_id)
    assert (known_as == user_id) is stays
    seat = keys.place_user(known_as, lambda slot: None)
    assert seat.slug == f"user_{known_as}"  # which nothing folds any more
    assert keys.opaque_user(user_id) == known_as


def test_opaque_ids_never_meet():
    known = [keys.opaque_user(user_id) for user_id in (*SPELLINGS, "aB3x", "Ab3x", "AB3X", "ab3x", "ana b", "ana  b")]
    known.append(keys.opaque_user(known[1]))
    assert len({keys.place_user(item, lambda slot: None).slug for item in known}) == len(known)


def test_names_are_folded_and_that_is_the_default(place: places.Place):
    with opened(place) as m:
        assert m.describe()["user_ids"] == "names"
        for spelling in ("ana", "user_ana", "ANA", "ana!", " ana", "ana_", "user_user_ana"):
            assert m.key("user", "profile", None, "colour", spelling) == "user/profile/user_ana/colour"
        m.ask("My favorite color is teal.", "aB3x")
        assert m.ask("What is my favorite color?", "Ab3x")["answer"] is not None


def test_with_opaque_ids_each_spelling_is_a_person_of_their_own(place: places.Place):
    with opened(place, "opaque") as m:
        assert m.describe()["user_ids"] == "opaque"
        for number, user_id in enumerate(("aB3x", "Ab3x", *SPELLINGS)):
            key = m.key("user", "profile", None, "colour", user_id)
            assert not m.sem_get(key)["exists"], user_id
            assert m.sem_put(key, f"colour {number}", "user", user_id=user_id)["success"]
            assert m.key("user", "profile", user_id, "colour") == key
        for number, user_id in enumerate(("aB3x", "Ab3x", *SPELLINGS)):
            assert m.sem_get(m.key("user", "profile", None, "colour", user_id))["value"] == f"colour {number}"
        assert m.key("user", "profile", None, "colour", "ana") == "user/profile/user_ana/colour"
        assert m.verify()["ok"]


def test_every_verb_that_takes_a_user_tells_them_apart(place: places.Place):
    with opened(place, "opaque") as m:
        told = m.ask("My favorite food is soup.", "aB3x")
        assert m.ask("What is my favorite food?", "Ab3x")["error"] is not None
        assert "soup" in str(m.ask("What is my favorite food?", "aB3x")["answer"])
        assert m.replay(told["job_id"])["result"] == "MATCH"
        consent = m.grant_consent("aB3x", "Keep it.")
        assert m.consents("Ab3x") == []
        assert [item["consent_id"] for item in m.consents("aB3x")] == [consent["consent_id"]]
        mine = m.acting_as(m.on_behalf_of("aB3x"))
        other = m.acting_as(m.on_behalf_of("Ab3x"))
        assert mine.read_reflective_log(str(told["log_id"]))["log_id"] == told["log_id"]
        with pytest.raises(NotFound):
            other.read_reflective_log(str(told["log_id"]))
        with pytest.raises(PermissionDenied):
            other.consents("aB3x")
        assert [item["consent_id"] for item in mine.consents("aB3x")] == [consent["consent_id"]]
        assert len(m.jobs.list(person="aB3x", kind="ask")["items"]) == 2
        slug = m.jobs.list(person="aB3x")["items"][0]["person"]
        assert slug is not None and len(m.jobs.list(person=slug, kind="ask")["items"]) == 2  # as lists show them
        proof = m.accounts.issue_identity_proof("aB3x")["proof"]
        assert m.request_dsr("Ab3x", "export", proof)["status"] == "refused"
        assert m.request_dsr("aB3x", "export", proof)["status"] == "completed"
        account = m.accounts.create("acc", ["user"], user_id="aB3x")
        assert account["person"] == slug
        by_token = m.acting_as(m.authenticate(m.accounts.issue_token("acc")["token"]))
        assert "soup" in str(by_token.ask("What is my favorite food?")["answer"])
        line = {"scope": "user", "entity_type": "profile", "user_id": "aB3x", "attribute": "city", "value": "Rome"}
        assert m.import_facts([json.dumps(line)], "system_admin")["imported"] == 1
        assert m.sem_get(m.key("user", "profile", None, "city", "aB3x"))["value"] == "Rome"
        assert not m.sem_get(m.key("user", "profile", None, "city", "Ab3x"))["exists"]
        assert m.verify()["ok"]


def test_a_hashed_id_stands_nowhere_as_it_was_typed(place: places.Place):
    with opened(place, "opaque") as m:
        m.ask("My favorite food is soup.", "SoMeBoDy77x")
        m.grant_consent("SoMeBoDy77x", "Keep it.")
        lines = b"".join(m.export())
        assert b"SoMeBoDy77x" not in lines


def test_the_choice_is_on_the_ledger_and_holds_without_the_setting(place: places.Place):
    with opened(place, "opaque") as m:
        (event,) = [event for event in m.events("system") if event["event_type"] == "USER_IDS_CHOSEN"]
        assert event["payload"] == {"user_ids": "opaque"}
        first = m.key("user", "profile", None, "x", "aB3x")
    with opened(place) as m:
        assert m.key("user", "profile", None, "x", "aB3x") == first
        assert m.describe()["user_ids"] == "opaque"
    with opened(place, "opaque") as m:  # once
        assert len([event for event in m.events("system") if event["event_type"] == "USER_IDS_CHOSEN"]) == 1


def test_it_may_be_chosen_again_while_nobody_is_there_and_never_after(place: places.Place):
    with opened(place) as m:
        m.load_starter_facts()
    with opened(place, "opaque") as m:
        assert m.describe()["user_ids"] == "opaque"
    with opened(place, "names") as m:
        assert m.describe()["user_ids"] == "names"
    with opened(place, "opaque") as m:
        m.ask("My favorite food is soup.", "ana")
    for read_only in (False, True):
        with pytest.raises(Conflict, match="user_ids is opaque in this store and it has people"):
            opened(place, "names", read_only=read_only)
    with opened(place) as m:
        assert m.describe()["user_ids"] == "opaque"


def test_a_store_with_names_and_people_does_not_become_opaque(place: places.Place):
    with opened(place) as m:
        m.sem_put("user/profile/user_ana/food", "soup", "user")
    with pytest.raises(Conflict, match="user_ids is names"):
        opened(place, "opaque")
    with opened(place, "names") as m:
        assert m.sem_get("user/profile/user_ana/food")["value"] == "soup"


def test_what_is_no_choice_or_no_id_is_refused(place: places.Place):
    with pytest.raises(InvalidInput, match="user_ids must be one of names, opaque"):
        opened(place, "letters")
    with opened(place, "opaque") as m:
        for bad in ("call 415-555-0167", "a\x00b", "x" * 10_000):
            with pytest.raises(MaceError):
                m.consents(bad)
        assert m.ask("What is my name?", "call 415-555-0167")["error"] is not None


@pytest.mark.breaks_its_store
def test_a_changed_choice_tells_nobody_apart_and_is_found(place: places.Place):
    with opened(place, "opaque") as m:
        m.ask("My favorite food is soup.", "aB3x")
    with place.sql() as sql:
        sql("update events set signature = 'k1.event:00' where event_type = 'USER_IDS_CHOSEN'")
    with opened(place) as m:
        with pytest.raises(MaceError) as refused:
            m.consents("aB3x")
        assert refused.value.code == "INTEGRITY_FAILURE"
        assert not m.verify(read_only=True)["ok"]


@pytest.mark.parametrize("in_reply_to", [None, "an earlier question"])
def test_who_finds_every_name_taken_is_refused_and_nothing_of_the_question_is_kept(
    place: places.Place, in_reply_to: str | None
):
    entity = keys.user_entity("mo.lee")
    taken = [f"user/{name}" for name in (entity.entity_id, *keys._suffixed(entity, entity.identity))]
    with opened(place) as m:
        slots = m._parts.world.slots
        journal = VerbJournal(m._parts.recorder, "key")

        def fill(tx: Tx) -> None:
            for slot in taken:
                slots.claim(tx, journal, keys.Registration(slot, "0" * 64))

        m._parts.world.store.write(fill)
        earlier = None if in_reply_to is None else m.ask("What is my favorite color?", "ana")["job_id"]
        answer = m.ask("My favorite color is teal.", "mo.lee", in_reply_to=earlier)
        assert answer["error"] is not None and answer["error"]["error_code"] == "INVALID_INPUT"
        assert m.replay(answer["job_id"])["result"] == "MATCH"
        assert m.ask("My favorite color is teal.", "ana")["error"] is None
        assert m.sem_list("user/profile/user_mo_lee") == []
