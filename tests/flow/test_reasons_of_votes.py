"""The reason of a vote on a person's request is theirs: shown to them, in no plain row, gone with them."""

from typing import Any

import pytest

import canaries
import places
from governed import owned
from mace.core.errors import KeyMissing
from mace.engine.runtime import Mace
from mace.providers.forensic_box import HpkeBox

pytestmark = [pytest.mark.stage1, pytest.mark.critical]
WORD = "quokkaword"
REASON = f"the {WORD} and her divorce are over"
KEY = "user/profile/user_bob/food"


def asked(m: Mace, keys: list[str] | None = None) -> str:
    proof = m.accounts.issue_identity_proof("bob")["proof"]
    return str(m.request_dsr("bob", "delete", proof, keys)["request_id"])


def found(m: Mace) -> list[tuple[bool, str | None]]:
    return [(item["sealed"], item["person"]) for item in m.forensics.search([WORD], purpose="test")["findings"]]


def test_it_is_shown_and_exported_and_goes_with_the_person(place: places.Place):
    with owned(place.open()) as m:
        m.sem_put(KEY, "soup", "user")
        request_id = asked(m)
        voted = m.approvals.vote(request_id, "reject", reason=REASON)
        assert [vote.get("reason") for vote in voted["votes"]] == [REASON]
        assert m.dsr(request_id)["reasons"] == [REASON]
        proof = m.accounts.issue_identity_proof("bob")["proof"]
        package: Any = m.request_dsr("bob", "export", proof)["package"]
        assert [vote["reason"] for item in package["approvals"] for vote in item["votes"]] == [REASON]
        assert canaries.in_events(m, [WORD]) == [] and canaries.in_rows(place, [WORD]) == []
        assert (True, "user_bob") in found(m) and not any(not sealed for sealed, _ in found(m))
        decided = m.approvals.vote(asked(m), "approve", reason=f"so be it, {WORD}")
        assert {"what": "vote_reasons", "count": 2} in decided["result"]["receipt"]["gone"]
        assert found(m) == []
        assert canaries.everywhere(m, place, [WORD]) == []
        assert m.dsr(request_id)["reasons"] == []
        assert m.approvals.show(request_id)["votes"][0]["vote"] == "reject", "the vote itself stays"
        assert m.verify(read_only=True)["ok"]


def test_part_of_a_person_leaves_it_and_says_so(place: places.Place):
    with owned(place.open()) as m:
        m.sem_put(KEY, "soup", "user")
        request_id = asked(m, [KEY])
        decided = m.approvals.vote(request_id, "approve", reason=REASON)
        left = {item["what"]: item.get("count") for item in decided["result"]["receipt"]["stays"]}
        assert left["vote_reasons"] == 1
        assert m.approvals.show(request_id)["votes"][0].get("reason") == REASON


def test_the_receipt_says_that_free_text_of_operators_stays(place: places.Place):
    with owned(place.open()) as m:
        m.forensics.set_key(HpkeBox().generate()[1])
        m.sem_put(KEY, "soup", "user")
        decided = m.approvals.vote(asked(m), "approve")["result"]
        assert "free_text" in {item["what"] for item in decided["receipt"]["stays"]}
        purge = m.forensics.request_purge(decided["manifest"]["dsr_id"])["request_id"]
        m.approvals.vote(purge, "approve", reason=f"after the {WORD}")
        assert found(m) and not any(sealed for sealed, _ in found(m)), (
            "a purge is an admin's; nobody is left to seal it"
        )
        assert m._parts.world.store.read(lambda tx: tx.vault.key("person/user_bob")) is None, "no key came back for it"


@pytest.mark.breaks_its_store
def test_a_reason_whose_key_was_taken_is_lost_not_erased(place: places.Place):
    with owned(place.open()) as m:
        m.sem_put(KEY, "soup", "user")
        request_id = asked(m)
        m.approvals.vote(request_id, "reject", reason=REASON)
        m._parts.world.store.write(lambda tx: tx.vault.drop_key(f"vote/{request_id}"))
        with pytest.raises(KeyMissing):
            m.approvals.show(request_id)
        assert "KEY_MISSING" in {item["kind"] for item in m.verify(read_only=True)["findings"]}
