"""Words of turns lie on the disk only sealed, and after an erasure nowhere: every file, every row, in every form."""

import threading
from pathlib import Path
from typing import Any

import pytest

import canaries
import governed
import places
from mace.core.errors import Conflict
from mace.core.programs import program
from mace.engine.people import index
from mace.engine.programs.handle import Job
from mace.engine.runtime import Mace
from mace.providers.forensic_box import HpkeBox

pytestmark = [pytest.mark.stage1, pytest.mark.critical]
# Made-up words: no text of the product holds them, and nobody takes them for anything personal.
GONE, OTHER = "quokkazimbel", "wombatkrandu"


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "PART", 2)  # so that there are sealed parts of few turns


def said(m: Mace) -> list[str]:
    """Four turns with a canary and four without, in two conversations, and an index over them."""
    ids: list[str] = []
    for number in range(4):
        ids += m.remember("ana", f"The {GONE} sang {number} songs.", conversation_id="birds")["turn_ids"]
        m.remember("ana", f"A {OTHER} slept {number} hours.", conversation_id="beasts")
    m.remember("ana", [{"role": "assistant", "content": "Noted.", "name": f"Dr {GONE}"}], conversation_id="birds")
    assert m.recall("ana", f"{GONE} {OTHER}", 8000)["items"]
    return [*ids, "turn/user_ana/00000008"]


def plain_leaks(m: Mace, place: places.Place, word: str) -> list[canaries.Leak]:
    """Where a word lies unsealed."""
    found = [*canaries.in_events(m, [word]), *canaries.in_rows(place, [word])]
    for folder in (place.folder, Path(place.settings.checkpoint_dir)):
        found += canaries.in_files(folder, [word])
    return found


WHAT = {"person": None, "conversation": ["conversation/birds"], "turns": "each"}


@pytest.mark.parametrize("what", WHAT)
@pytest.mark.parametrize("with_forensic_key", [False, True])
def test_a_planted_word_is_sealed_first_and_gone_afterwards(place: places.Place, what: str, with_forensic_key: bool):
    with place.open() as m, place.open() as other:
        owner = governed.owned(m)
        if with_forensic_key:
            owner.forensics.set_key(HpkeBox().generate()[1])
        ids = said(m)
        proof = owner.accounts.issue_identity_proof("ana")["proof"]
        assert m.request_dsr("ana", "export", proof)["success"]
        assert GONE in other.recall("ana", GONE)["text"]
        sealed = {leak.where for leak in canaries.in_sealed(m, [GONE])}
        assert {*ids} <= sealed and any(where.startswith("index/") for where in sealed), "the search can see it"
        assert plain_leaks(m, place, GONE) == plain_leaks(m, place, OTHER) == []
        keys = {"person": None, "conversation": ["conversation/birds"], "turns": ids}[what]
        asked = m.request_dsr("ana", "delete", owner.accounts.issue_identity_proof("ana")["proof"], keys)
        assert owner.vote(asked["request_id"], "owner", "approve")["status"] == "approved"
        assert canaries.everywhere(m, place, [GONE]) == []
        for seen in (m, other):  # the index that the other process held does not answer any more
            assert GONE not in str(seen.recall("ana", f"{GONE} sang songs Noted", 8000))
            assert (OTHER in seen.recall("ana", OTHER)["text"]) is (keys is not None)
        assert canaries.everywhere(m, place, [GONE]) == [], "and no recall brings it back"
        found = m.verify()
        assert found["ok"], found["findings"]
    with place.open() as m:
        assert canaries.everywhere(m, place, [GONE]) == []
        assert GONE not in str(m.recall("ana", f"{GONE} sang songs Noted", 8000))


@program("chat")
def _chat(job: Job, given: Any) -> Any:
    return job.call("model", {"recalled": given}, lambda request: "You like birds.")


def test_a_job_whose_record_names_a_turn_goes_with_it(place: places.Place):
    with place.open() as m:
        owner = governed.owned(m)
        first, second = (m.remember("ana", f"The {word} sings.")["turn_ids"][0] for word in (GONE, OTHER))
        recalled = {turn_id: m.recall("ana", word)["items"] for turn_id, word in ((first, GONE), (second, OTHER))}
        only = {turn_id: [item for item in items if item["ref"] == turn_id] for turn_id, items in recalled.items()}
        gone, left = (m.perform(_chat, only[turn_id], "ana")["job_id"] for turn_id in (first, second))
        asked = m.request_dsr("ana", "delete", owner.accounts.issue_identity_proof("ana")["proof"], [first])
        done = owner.vote(asked["request_id"], "owner", "approve")["result"]
        assert done["manifest"]["jobs"] == [gone]
        assert (m.replay(gone)["result"], m.replay(left)["result"]) == ("INPUT_ERASED", "MATCH")
        assert canaries.everywhere(m, place, [GONE]) == []
        assert m.verify()["ok"]


def test_the_search_for_words_opens_turns_and_indexes(place: places.Place):
    with place.open() as m:
        ids = said(m)
        report = governed.owned(m).forensics.search([GONE], purpose="a test")
        rows = {(item["where"]["table"], item["where"]["row"]) for item in report["findings"] if item["sealed"]}  # type: ignore[typeddict-item]
        assert {("records", turn_id) for turn_id in ids} <= rows
        assert any(table == "recall_indexes" for table, _ in rows)
        assert not [item for item in report["findings"] if not item["sealed"]]
        governed.erase(m, "ana")
        assert governed.owned(m).forensics.search([GONE], purpose="a test")["findings"] == []


def test_experience_that_quotes_a_turn_goes_with_it(place: places.Place):
    with place.open() as m:
        owner = governed.owned(m)
        words = f"The {GONE} sings at noon"
        (turn_id,) = m.remember("ana", words)["turn_ids"]
        megram = {"space": "tool:shell", "entity": "path:x", "state": "accept"}
        quoting = {**megram, "content": f"She said: {words.upper()}, always"}
        assert m.experience.write(quoting, "solver", user_id="ana")["success"]  # type: ignore[arg-type]
        assert m.experience.write({**megram, "content": f"a {OTHER}"}, "solver", user_id="ana")["success"]  # type: ignore[arg-type]
        m.experience.flush()
        asked = m.request_dsr("ana", "delete", owner.accounts.issue_identity_proof("ana")["proof"], [turn_id])
        owner.vote(asked["request_id"], "owner", "approve")
        assert canaries.everywhere(m, place, [GONE, GONE.upper()]) == []
        assert canaries.in_sealed(m, [OTHER]) != []
        assert m.verify()["ok"]


@pytest.mark.parametrize("keys", [None, ["conversation/birds"]], ids=["person", "conversation"])
def test_nothing_is_answered_of_what_is_erased_while_others_recall_and_remember(
    place: places.Place, keys: list[str] | None
):
    """Each answer that is given once the erasure was committed says nothing of it, and nothing comes back."""
    with place.open() as m, place.open() as other:
        owner = governed.owned(m)
        said(m)
        asked = m.request_dsr("ana", "delete", owner.accounts.issue_identity_proof("ana")["proof"], keys)
        done, failures, late = threading.Event(), [], []
        erased = threading.Event()

        def recalls() -> None:
            while not done.is_set():
                begun_after = erased.is_set()
                try:
                    told = other.recall("ana", f"{GONE} sang songs", 8000)
                except Conflict:
                    continue
                if begun_after and GONE in str(told):
                    failures.append(told)

        def remembers() -> None:
            number = 0
            while not done.is_set():
                answer = other.remember("ana", f"A {OTHER} again {number}.", conversation_id="beasts")
                if not answer["success"] and answer["error_code"] != "CONFLICT":
                    late.append(answer)
                number += 1

        threads = [threading.Thread(target=recalls), threading.Thread(target=remembers)]
        for thread in threads:
            thread.start()
        try:
            assert owner.vote(asked["request_id"], "owner", "approve")["status"] == "approved"
            erased.set()
            for _ in range(5):
                assert GONE not in str(m.recall("ana", f"{GONE} sang songs", 8000))
        finally:
            done.set()
            for thread in threads:
                thread.join()
        assert failures == late == []
        assert canaries.everywhere(m, place, [GONE]) == []
        found = m.verify()
        assert found["ok"], found["findings"]
