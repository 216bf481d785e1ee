"""What consent lets into a turn is readable while it holds, not given out afterwards, and asked to be deleted."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import governed
import places

pytestmark = pytest.mark.stage1
PHONE, SSN = "212-555-0198", "123-45-6789"
CALL, PLAIN = f"Call me at {PHONE} about the kite.", "My kite is green."
SOON, FOREVER = "2026-03-08T12:00:00Z", "2030-01-01T00:00:00Z"


@pytest.fixture
def house(tmp_path: Path, place: places.Place) -> Iterator[governed.House]:
    made = governed.House(tmp_path, place=place)
    made.m = governed.owned(made.m)
    yield made
    made.close()


def persistent(house: governed.House, words: str = "keep it", until: str = FOREVER, **terms: Any) -> str:
    return str(house.m.grant_consent("bob", words, "persistent", expires_at=until, **terms)["consent_id"])


def heard(house: governed.House, query: str = "kite call phone") -> dict[str, str]:
    return {item["ref"]: item["text"] for item in house.m.recall("bob", query, kinds=("turn",))["items"]}


def asked_for(house: governed.House) -> list[list[str]]:
    """What `system` asked to be deleted."""
    found = []
    for item in house.m.approvals.list():
        if item["kind"] == "erasure":
            found.append(house.m.dsr(item["request_id"])["keys"])
    return [keys for keys in found if keys is not None]


def test_without_consent_it_is_cut_out(house: governed.House):
    kept = house.m.remember("bob", CALL)
    assert (kept["success"], kept["redacted"]) == (True, ["phone"])
    assert PHONE not in str(heard(house))
    assert "kite" in str(heard(house))


def test_medium_data_stays_while_its_consent_holds(house: governed.House):
    consent = persistent(house)
    (covered,) = house.m.remember("bob", CALL, consent_id=consent)["turn_ids"]
    (other,) = house.m.remember("bob", PLAIN, consent_id=consent)["turn_ids"]
    assert PHONE in heard(house)[covered]
    house.m.revoke_consent(consent)
    assert heard(house) == {other: PLAIN}, "what needed no consent does not end with one"
    assert asked_for(house) == [[covered]]
    assert house.m.verify()["ok"]
    (item,) = (item for item in house.m.approvals.list() if item["kind"] == "erasure")
    done = house.m.vote(item["request_id"], "owner", "approve")["result"]
    assert done["manifest"]["turns"] == [[0, 0]]
    assert heard(house) == {other: PLAIN}
    assert house.m.verify()["ok"]


def test_high_data_never_stays(house: governed.House):
    kept = house.m.remember("bob", f"My social security number is {SSN}.", consent_id=persistent(house))
    assert (kept["success"], kept["redacted"]) == (True, ["us_ssn"])
    assert SSN not in str(heard(house, "social security number"))


def test_an_expired_consent_ends_what_it_let_in_and_one_request_is_opened(house: governed.House):
    consent = persistent(house, until=SOON)
    both = (CALL, f"My kite is tied, so call {PHONE}.")
    ids = [house.m.remember("bob", words, consent_id=consent)["turn_ids"][0] for words in both]
    assert house.m.sem_put("user/profile/user_bob/phone", PHONE, "user", user_id="bob", consent_id=consent)["success"]
    assert set(heard(house)) == set(ids)
    house.clock.move(days=30)
    assert heard(house) == {}
    house.m.sweep()
    house.m.sweep()
    assert asked_for(house) == [[*sorted(ids), "user/profile/user_bob/phone"]] or (
        asked_for(house) == [["user/profile/user_bob/phone", *sorted(ids)]]
    )


def test_another_consent_that_covers_it_keeps_it(house: governed.House):
    first, second = persistent(house), persistent(house, "keep it, please")
    (covered,) = house.m.remember("bob", CALL, consent_id=first)["turn_ids"]
    house.m.revoke_consent(first)
    assert PHONE in heard(house)[covered]
    assert asked_for(house) == []
    house.m.revoke_consent(second)
    assert heard(house) == {}
    assert asked_for(house) == [[covered]]


def test_a_later_consent_does_not_bring_it_back(house: governed.House):
    consent = persistent(house)
    house.m.remember("bob", CALL, consent_id=consent)
    house.m.revoke_consent(consent)
    later = persistent(house, "keep it after all")
    assert heard(house) == {}
    (again,) = house.m.remember("bob", CALL, consent_id=later)["turn_ids"]
    (item,) = (item for item in house.m.approvals.list() if item["kind"] == "erasure")
    assert house.m.vote(item["request_id"], "owner", "approve")["result"]["manifest"]["turns"] == [[0, 0]]
    assert set(heard(house)) == {again}, "what was kept since by right stays"
    assert house.m.verify()["ok"]


def test_a_consent_of_the_job_lets_it_in(house: governed.House):
    house.m.grant_consent("bob", "keep my phone", job_seed="call-7")
    (covered,) = house.m.remember("bob", CALL, job_seed="call-7")["turn_ids"]
    assert PHONE in heard(house)[covered]
    assert PHONE not in str(house.m.remember("bob", f"And {PHONE}.", job_seed="call-8"))
    assert house.m.recall("bob", "And", kinds=("turn",))["text"].count(PHONE) <= 1
