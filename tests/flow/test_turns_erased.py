"""Turns are erased like everything of a person: whole, by conversation, one by one; and come back by right alone."""

from collections.abc import Callable
from typing import Any

import pytest
from click.testing import CliRunner

import governed
import places
from mace.core.errors import InvalidInput, ServiceUnavailable
from mace.interfaces.cli.dsr import delete, paper_text
from mace.interfaces.cli.session import Session
from mace.providers.forensic_box import HpkeBox

pytestmark = [pytest.mark.stage1, pytest.mark.critical]
TRAM, FERRY, KITE = "The tram to Lindau was late.", "The ferry to Konstanz was early.", "My kite is green."


def say(m: Any, who: str = "ana") -> dict[str, list[str]]:
    """Two conversations of a person, which take turns."""
    ids: dict[str, list[str]] = {"trips": [], "toys": []}
    for talk, words in (("trips", TRAM), ("toys", KITE), ("trips", FERRY)):
        answer = m.remember(who, words, conversation_id=talk)
        assert answer["success"], answer
        ids[talk] += answer["turn_ids"]
    return ids


def erase(m: Any, keys: list[str] | None, who: str = "ana") -> dict[str, Any]:
    owner = governed.owned(m)
    asked = m.request_dsr(who, "delete", owner.accounts.issue_identity_proof(who)["proof"], keys)
    assert asked["success"], asked
    done: dict[str, Any] = owner.vote(asked["request_id"], "owner", "approve")
    assert done["status"] == "approved"
    return {"dsr_id": asked["dsr_id"], **done["result"]}


def heard(m: Any, query: str, who: str = "ana", **options: Any) -> list[str]:
    answer = m.recall(who, query, kinds=("turn",), **options)
    assert answer["error_code"] is None, answer
    return [item["ref"] for item in answer["items"]]


def whole(m: Any) -> None:
    found = m.verify()
    assert found["ok"], found["findings"]


def counts(gone: list[dict[str, Any]]) -> dict[str, int]:
    return {item["what"]: item["count"] for item in gone if "count" in item}


def test_a_whole_person_takes_every_turn_and_comes_back_only_with_the_forensic_key(place: places.Place):
    with place.open() as m:
        private, public = HpkeBox().generate()
        governed.owned(m).forensics.set_key(public)
        ids, eves = say(m), say(m, "eve")
        assert heard(m, "tram ferry kite") == sorted([*ids["trips"], *ids["toys"]])
        done = erase(m, None)
        assert done["manifest"]["turns"] == [[0, 2]]
        assert not [ref for ref in done["manifest"]["keys_removed"] if ref.startswith("turn/")]
        assert counts(done["receipt"]["gone"])["turns"] == 3
        assert heard(m, "tram ferry kite") == []
        assert heard(m, "tram ferry kite", "eve") == sorted([*eves["trips"], *eves["toys"]])
        whole(m)
    with place.open() as m:
        assert heard(m, "tram ferry kite") == []
        later = m.remember("ana", "A new tram line was opened.", conversation_id="trips")["turn_ids"]
        assert later == ["turn/user_ana/00000003"], "a number is given away once"
        assert heard(m, "tram") == later
        whole(m)
        governed.owned(m).forensics.restore(done["dsr_id"], private, purpose="a court asked for it")
        assert heard(m, "tram ferry kite") == sorted([*ids["trips"], *ids["toys"], *later])
        assert heard(m, "tram ferry kite", conversation_id="toys") == ids["toys"]
        whole(m)
        again = erase(m, ["conversation/trips"])
        assert again["manifest"]["turns"] == [[0, 0], [2, 3]], "also what was said before the person came back"
        assert heard(m, "tram ferry kite") == ids["toys"]
        whole(m)


def test_a_restore_is_seen_by_other_processes(place: places.Place):
    with place.open() as m, place.open() as other:
        private, public = HpkeBox().generate()
        governed.owned(m).forensics.set_key(public)
        ids = say(m)
        before = heard(other, "tram")
        assert ids["trips"][0] in before
        done = erase(m, [ids["trips"][0]])
        assert ids["trips"][0] not in heard(other, "tram")
        governed.owned(m).forensics.restore(done["dsr_id"], private, purpose="a court asked for it")
        assert heard(other, "tram") == heard(m, "tram") == before


def test_one_conversation_goes_and_the_others_stay(place: places.Place):
    with place.open() as m:
        ids = say(m)
        m.sem_put("user/profile/user_ana/favorite_food", "soup", "user", user_id="ana")
        done = erase(m, ["conversation/trips"])
        assert done["manifest"]["turns"] == [[0, 0], [2, 2]]
        assert done["manifest"]["not_touched"] == {"facts": 1, "turns": 1}
        assert "trips" not in str(m.dsr(done["dsr_id"])["keys"]), "the request holds a keyed name"
        assert heard(m, "tram ferry kite") == ids["toys"]
        assert heard(m, "tram", conversation_id="trips") == []
        whole(m)
        more = m.remember("ana", "The tram came at last.", conversation_id="trips")["turn_ids"]
        assert heard(m, "tram") == more, "what is said later is no part of what was asked for"
        whole(m)


def test_what_was_said_between_asking_and_deciding_goes_with_its_conversation(place: places.Place):
    with place.open() as m:
        owner = governed.owned(m)
        say(m)
        asked = m.request_dsr(
            "ana", "delete", owner.accounts.issue_identity_proof("ana")["proof"], ["conversation/toys"]
        )
        m.remember("ana", "My other kite is red.", conversation_id="toys")
        owner.vote(asked["request_id"], "owner", "approve")
        assert heard(m, "kite") == []
        whole(m)


def test_one_turn_goes_alone(place: places.Place):
    with place.open() as m:
        ids = say(m)
        done = erase(m, [ids["trips"][0]])
        assert counts(done["receipt"]["gone"]) == {"turns": 1}
        assert counts(done["receipt"]["stays"])["turns"] == 2
        assert heard(m, "tram ferry kite") == sorted([ids["toys"][0], ids["trips"][1]])
        whole(m)


def test_a_turn_of_somebody_else_is_refused_like_a_fact_of_theirs(place: places.Place):
    with place.open() as m:
        owner = governed.owned(m)
        ids = say(m, "eve")
        proof = owner.accounts.issue_identity_proof("ana")["proof"]
        for key in (ids["trips"][0], "user/profile/user_eve/favorite_food"):
            refused = m.request_dsr("ana", "delete", proof, [key])
            assert (refused["success"], refused["status"]) == (False, "refused")
            assert refused["error_code"] == "PERMISSION_DENIED"
            assert "somebody else" in str(refused["error"])
        mine = m.request_dsr("ana", "delete", proof, ["conversation/trips"])
        assert mine["success"], "the proof was not used up; a conversation is always one's own"
        owner.vote(mine["request_id"], "owner", "approve")
        assert heard(m, "tram ferry", "eve") == ids["trips"]


@pytest.mark.parametrize(
    "key", ["turn/user_ana/1", "turn/", "turn/user_ana/0000000a", "conversation/", "conversation/ "]
)
def test_what_names_no_turn_is_said_to(place: places.Place, key: str):
    with place.open() as m:
        proof = governed.owned(m).accounts.issue_identity_proof("ana")["proof"]
        with pytest.raises(InvalidInput):
            m.request_dsr("ana", "delete", proof, [key])


def test_turns_are_not_corrected(place: places.Place):
    with place.open() as m:
        ids = say(m)
        proof = governed.owned(m).accounts.issue_identity_proof("ana")["proof"]
        with pytest.raises(InvalidInput, match="not corrected; request their deletion"):
            m.request_dsr("ana", "rectify", proof, changes={ids["toys"][0]: "My kite is blue."})


def test_a_retried_call_after_an_erasure_is_told_so(place: places.Place):
    with place.open() as m:
        private, public = HpkeBox().generate()
        governed.owned(m).forensics.set_key(public)
        first = m.remember("ana", TRAM, idempotency_key="k1")
        assert m.remember("ana", TRAM, idempotency_key="k1")["turn_ids"] == first["turn_ids"]
        done = erase(m, first["turn_ids"])
        assert counts(done["receipt"]["gone"]) == {"turns": 1, "idempotency_answers": 1}
        again = m.remember("ana", TRAM, idempotency_key="k1")
        assert (again["success"], again["error_code"]) == (False, "CONFLICT")
        whole(m)
        governed.owned(m).forensics.restore(done["dsr_id"], private, purpose="a court asked for it")
        again = m.remember("ana", TRAM, idempotency_key="k1")
        assert (again["success"], again["error_code"]) == (False, "CONFLICT")
        whole(m)


def test_the_command_takes_turns_and_conversations(place: places.Place):
    with place.open() as m:
        ids = say(m)
        code = governed.owned(m).accounts.issue_identity_proof("ana")["proof"]

    def run(*keys: str) -> Any:
        session = Session(_settings=place.settings, user="ana")
        return CliRunner().invoke(delete, ["ana", *keys, "--proof", code], obj=session)

    refused = run("turn/user_ana/1")
    assert refused.exit_code == 2 and "KEY 1" in refused.output
    done = run(ids["trips"][0], "conversation/toys")
    assert done.exit_code == 0, done.output
    assert "1 turn, 1 conversation" in done.output
    with place.open() as m:
        owner = governed.owned(m)
        (item,) = (item for item in owner.approvals.list() if item["kind"] == "erasure")
        shown = owner.approvals.show(item["request_id"])["asks"]
        assert shown["amounts"]["turns"] == 2
        owner.vote(item["request_id"], "owner", "approve")
        assert heard(m, "tram ferry kite") == [ids["trips"][1]]
        told = owner.dsr(item["request_id"])["manifest"]
        assert told is not None and "turns" in "".join(paper_text(told, None))


def failing(m: Any, monkeypatch: pytest.MonkeyPatch, *, before: bool, meanwhile: Callable[[], object]) -> None:
    """The next write fails once, before it or with its answer lost; something else happens before the second try."""
    store = m._parts.world.store
    write = store.write
    left = [1]

    def once(unit: Any) -> Any:
        if not left:
            return write(unit)
        left.clear()
        if before:

            def undone(tx: Any) -> None:
                unit(tx)
                raise ServiceUnavailable("the database went away")

            with pytest.raises(ServiceUnavailable):
                write(undone)
        else:
            write(unit)
        meanwhile()
        raise ServiceUnavailable("the database went away")

    monkeypatch.setattr(store, "write", once)
    monkeypatch.setattr(m._parts.world.clock, "pause_ms", lambda _ms: None)


def test_a_call_whose_answer_was_lost_is_not_kept_twice(place: places.Place, monkeypatch: pytest.MonkeyPatch):
    with place.open() as m:
        say(m)
        failing(m, monkeypatch, before=False, meanwhile=lambda: None)
        answer = m.remember("ana", "The bus never came.")
        assert answer["success"]
        assert heard(m, "bus") == answer["turn_ids"] == ["turn/user_ana/00000003"]
        whole(m)


@pytest.mark.parametrize("keys", [None, ["conversation/trips"]], ids=["person", "conversation"])
def test_what_was_being_written_while_it_was_erased_is_not_kept(
    place: places.Place, monkeypatch: pytest.MonkeyPatch, keys: list[str] | None
):
    with place.open() as m, place.open() as other:
        say(m)
        failing(m, monkeypatch, before=True, meanwhile=lambda: erase(other, keys))
        answer = m.remember("ana", "The tram is late again.", conversation_id="trips")
        assert (answer["success"], answer["error_code"], answer["turn_ids"]) == (False, "CONFLICT", [])
        assert heard(m, "tram") == []
        whole(m)
        assert m.remember("ana", "Another tram.", conversation_id="trips")["success"], "what is said now is kept"


def test_another_conversation_is_kept_all_the_same(place: places.Place, monkeypatch: pytest.MonkeyPatch):
    with place.open() as m, place.open() as other:
        say(m)
        failing(m, monkeypatch, before=True, meanwhile=lambda: erase(other, ["conversation/toys"]))
        answer = m.remember("ana", "The bus never came.", conversation_id="trips")
        assert answer["success"] and set(answer["turn_ids"]) <= set(heard(m, "bus"))
        whole(m)
