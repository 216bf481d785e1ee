"""A fact that was read is kept: until something it was made of changes, whoever changes it, and not a moment longer.

One test for each thing that an answer depends on. Every change is made while the reader has the answer ready, by the
reader's own process and by another node; attacks by somebody who writes to the database.
"""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import governed
import places
from mace.engine.runtime import Mace
from mace.providers.forensic_box import HpkeBox

pytestmark = pytest.mark.stage1
OHM, OTHER = "world/fact/ohms_law/definition", "world/fact/other/definition"
FOOD, SONG = "user/profile/user_bob/favorite_food", "user/profile/user_bob/favorite_song"
EVES = "user/profile/user_eve/favorite_food"
PHONE, NUMBER = "user/profile/user_bob/phone", "212-555-0198"
BOTH = [OHM, FOOD]
FOREVER, SOON = "2030-01-01T00:00:00Z", "2026-03-08T12:00:00Z"


class Two:
    """A reader, and whoever changes things: the reader's own process, or another node."""

    def __init__(self, house: governed.House, is_other: bool) -> None:
        self.house = house
        self.reader = house.m
        self.writer = governed.owned(house.place.open(clock=house.clock)) if is_other else house.m
        self.is_other = is_other

    def read(self, key: str) -> dict[str, Any]:
        """What everybody reads who has read before; each thread has its own view of the store."""
        own = dict(self.reader.sem_get(key))
        elsewhere: list[dict[str, Any]] = []
        thread = threading.Thread(target=lambda: elsewhere.append(dict(self.reader.sem_get(key))))
        thread.start()
        thread.join()
        for one in (own, *elsewhere):
            one.pop("error", None)  # it says when it was
        assert elsewhere == [own]
        return own

    def value(self, key: str) -> Any:
        return self.read(key)["value"]

    def put(self, key: str, value: Any, **options: Any) -> None:
        source = "user" if key.startswith("user/") else "system"
        assert self.writer.sem_put(key, value, source, **options)["success"]

    def close(self) -> None:
        if self.is_other:
            self.writer.close()
        self.house.close()


@pytest.fixture(params=["own process", "another node", "another node, and SQLite is asked"])
def two(
    request: pytest.FixtureRequest, tmp_path: Path, place: places.Place, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Two]:
    if request.param.endswith("asked"):  # as where the memory that processes share cannot be looked at
        if not isinstance(place, places.SqlitePlace):
            pytest.skip("only SQLite is asked")
        monkeypatch.setattr("mace.storage.sqlite.wal_index.head_of", lambda _connection: None)
    house = governed.House(tmp_path, place=place)
    house.m = governed.owned(house.m)
    made = Two(house, request.param != "own process")
    yield made
    made.close()


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> Callable[[Mace], list[str]]:
    """How often a reader had to look facts up, by key."""

    def watching(mace: Mace) -> list[str]:
        facts: Any = mace._parts.facts
        seen: list[str] = []
        look = facts._to_keep
        monkeypatch.setattr(facts, "_to_keep", lambda tx, key: (seen.append(key), look(tx, key))[1])
        return seen

    return watching


# What does not change it


def test_commits_of_the_same_process_that_touch_nothing_of_it_leave_it(
    mace_home: places.SqlitePlace, looks: Callable[[Mace], list[str]]
):
    with mace_home.open() as m:
        for key in (OHM, FOOD, OTHER, SONG):
            m.sem_put(key, "first", "system")
            m.sem_get(key)
        seen = looks(m)
        for number in range(5):
            m.sem_put(OTHER, number, "system")
            m.sem_put(SONG, number, "user")
            m.sem_put(f"user/note/user_new_{number}/a", number, "user")  # with a key of that person
            m.ask("What is 2+2?", user_id="eve")
            m.checkpoint()
            assert [m.sem_get(key)["value"] for key in (OHM, FOOD)] == ["first", "first"]
            assert m.sem_get(SONG)["value"] == number
        assert set(seen) == {SONG}


def test_commits_of_others_that_touch_nothing_of_it_leave_it(
    mace_home: places.SqlitePlace, looks: Callable[[Mace], list[str]]
):
    """Its rows are asked for again, and nothing is looked up anew; what others changed is."""
    with mace_home.open() as m, mace_home.open() as other:
        for key in (OHM, FOOD, SONG):
            m.sem_put(key, "first", "system")
        other.sem_put(SONG, "before", "user")
        for key in (OHM, FOOD, SONG):
            m.sem_get(key)
        seen = looks(m)
        for number in range(5):
            other.sem_put(SONG, number, "user")
            other.sem_put(f"user/note/user_new_{number}/a", number, "user")  # with a key of that person
            other.ask("What is 2+2?", user_id="eve")
            other.checkpoint()
            for _ in range(2):
                assert [m.sem_get(key)["value"] for key in (OHM, FOOD)] == ["first", "first"]
                assert m.sem_get(SONG)["value"] == number
            m.sem_put(OTHER, number, "system")
        assert seen == [SONG] * 5


def test_a_write_that_is_refused_leaves_it(mace_home: places.SqlitePlace, looks: Callable[[Mace], list[str]]):
    with mace_home.open() as m:
        m.sem_put(OHM, "first", "system")
        m.sem_get(OHM)
        seen = looks(m)
        assert not m.sem_put(OHM, "second", "agent:nobody")["success"]
        assert not m.sem_put(OHM, "second", "system", if_version=7)["success"]
        assert m.sem_get(OHM)["value"] == "first"
        assert seen == []


# The fact itself


@pytest.mark.parametrize("key", BOTH)
def test_a_write_and_a_deletion(two: Two, key: str):
    assert two.read(key)["exists"] is False  # that there is nothing is kept, too
    for value in ("first", "second", {"third": [1]}):
        two.put(key, value)
        assert two.value(key) == value
    two.put(key, "older", timestamp="2020-01-01T00:00:00Z")  # it loses
    assert two.value(key) == {"third": [1]}
    two.writer.sem_delete(key, "system_admin")
    assert two.read(key)["exists"] is False
    two.put(key, "again")
    assert two.value(key) == "again"


def test_what_is_answered_belongs_to_whoever_asked(two: Two):
    two.put(OHM, {"a": [1]})
    two.reader.sem_get(OHM)["value"]["a"].append(2)  # type: ignore[index, call-overload]
    assert two.value(OHM) == {"a": [1]}


# Consents


def test_a_consent_that_is_taken_back(two: Two):
    given = two.writer.grant_consent("bob", "keep it", "persistent", expires_at=FOREVER)["consent_id"]
    two.put(PHONE, NUMBER, consent_id=given)
    assert two.value(PHONE) == NUMBER
    two.writer.revoke_consent(given)
    assert two.read(PHONE)["error_code"] == "PRIVACY_BLOCKED"


def test_a_consent_that_expires_and_one_that_took_over_in_time(two: Two):
    given = two.writer.grant_consent("bob", "a week", "persistent", expires_at=SOON)["consent_id"]
    two.put(PHONE, NUMBER, consent_id=given)
    assert two.value(PHONE) == NUMBER
    second = two.writer.grant_consent("bob", "for longer", "persistent", expires_at=FOREVER)["consent_id"]
    two.house.clock.move(seconds=10 * 86_400)
    assert two.value(PHONE) == NUMBER  # under the second one
    two.writer.revoke_consent(second)
    assert two.read(PHONE)["error_code"] == "PRIVACY_BLOCKED"


CONSENT_EVENTS = "(select position from event_subjects where subject like 'consent/%')"


@pytest.mark.breaks_its_store
@pytest.mark.parametrize(
    "attack",
    [
        "delete from records where kind = 'consent'",
        "update records set signature = 'x' where kind = 'consent'",
        f"update events set signature = 'x' where position in {CONSENT_EVENTS}",
    ],
)
def test_a_consent_that_somebody_changes(two: Two, attack: str):
    given = two.writer.grant_consent("bob", "keep it", "persistent", expires_at=FOREVER)["consent_id"]
    two.put(PHONE, NUMBER, consent_id=given)
    assert two.value(PHONE) == NUMBER
    two.put(OHM, "more")
    assert two.value(PHONE) == NUMBER
    with two.house.place.sql() as sql:
        sql(attack)
    assert two.read(PHONE)["value"] is None


def test_a_consent_that_expires_by_the_clock_alone(two: Two):
    given = two.writer.grant_consent("bob", "a week", "persistent", expires_at=SOON)["consent_id"]
    two.put(PHONE, NUMBER, consent_id=given)
    assert two.value(PHONE) == NUMBER
    two.house.clock.move(seconds=10 * 86_400)
    assert two.read(PHONE)["error_code"] == "PRIVACY_BLOCKED"


# Keys


@pytest.mark.parametrize("key", [FOOD, None], ids=["a fact", "the person"])
def test_an_erasure_and_its_undoing(two: Two, key: str | None):
    private, public = HpkeBox().generate()
    two.writer.forensics.set_key(public)
    for name in (FOOD, EVES):
        two.put(name, "fish")
        assert two.value(name) == "fish"
    proof = two.writer.accounts.issue_identity_proof("bob")["proof"]
    asked = two.writer.request_dsr("bob", "delete", proof, keys=None if key is None else [key])
    assert two.writer.vote(asked["request_id"], "owner", "approve")["status"] == "approved"
    assert two.read(FOOD)["exists"] is False
    assert two.value(EVES) == "fish"
    two.put(SONG, "of bob")  # with a new key of the person, where there was none
    assert two.read(FOOD)["exists"] is False
    assert two.value(SONG) == "of bob"
    two.writer.forensics.restore(asked["dsr_id"], private, purpose="a court asked for it")
    assert [two.value(name) for name in (FOOD, SONG, EVES)] == ["fish", "of bob", "fish"]


def test_master_keys_and_signing_keys_are_changed(two: Two):
    for key in BOTH:
        two.put(key, "before")
        assert two.value(key) == "before"
    two.writer.rotate_master_key()
    assert [two.value(key) for key in BOTH] == ["before", "before"]
    two.writer.rotate_key()
    assert [two.value(key) for key in BOTH] == ["before", "before"]
    two.put(FOOD, "after")
    assert two.value(FOOD) == "after"


# Whoever writes to the database

EVENT = "(select max(position) from event_subjects where subject = 'sem_history/{key}')"
ATTACKS = {
    "the current row": "update facts set source = 'system_admin' where fact_key = '{key}'",
    "the current row is gone": "delete from facts where fact_key = '{key}'",
    "a byte of it": "update facts set content = cast('{{}}' as blob) where fact_key = '{key}'",
    "the row of history": "update sem_history set actor = 'nobody' where fact_key = '{key}'",
    "the row of history is gone": "delete from sem_history where fact_key = '{key}'",
    "what the event says": f"update events set body = cast('{{{{}}}}' as blob) where position = {EVENT}",
    "the event's signature": f"update events set signature = 'x' where position = {EVENT}",
}
ON_KEYS = {
    "the fact's key is gone": "delete from vault_keys where ref = 'fact/{key}'",
    "the fact's key is another": "update vault_keys set wrapped = cast('no key' as blob) where ref = 'fact/{key}'",
    "the key of another person": "update vault_keys set parent = 'person/user_eve' where ref = 'fact/{key}'",
}


@pytest.mark.breaks_its_store
@pytest.mark.parametrize("writes", ["nobody", "before", "after"], ids=["alone", "after others wrote", "then we write"])
@pytest.mark.parametrize(
    ("key", "attack"),
    [(key, attack) for key in BOTH for attack in ATTACKS] + [(FOOD, attack) for attack in ON_KEYS],
)
def test_a_row_that_somebody_changes_is_not_served_any_more(
    mace_home: places.SqlitePlace, key: str, attack: str, writes: str
):
    with mace_home.open() as m:
        for name in (OHM, FOOD, OTHER):
            m.sem_put(name, "true", "system")
            assert m.sem_get(name)["value"] == "true"
        if writes == "before":
            with mace_home.open() as other:
                other.sem_put(OTHER, "theirs", "system")
            assert m.sem_get(key)["value"] == "true"  # its rows were asked for again
        with mace_home.sql() as sql:
            sql({**ATTACKS, **ON_KEYS}[attack].format(key=key))
        if writes == "after":
            m.sem_put(OTHER, "more", "system")
        answer = m.sem_get(key)
        assert (answer["value"], answer["error_code"]) == (None, "INTEGRITY_FAILURE")


@pytest.mark.breaks_its_store
@pytest.mark.parametrize("key", BOTH)
def test_what_an_admins_word_sets_aside_is_served_again_at_once(two: Two, key: str):
    two.put(key, "true")
    assert two.value(key) == "true"
    with two.house.place.sql() as sql:
        sql(f"update facts set source = 'nobody' where fact_key = '{key}'")
    assert two.read(key)["error_code"] == "INTEGRITY_FAILURE"
    assert two.writer.verify()["ok"] is False
    two.writer.attest("owner", "the ledger is right")
    assert two.value(key) == "true"


# Threads


def test_threads_that_read_while_others_write_never_see_an_older_value(two: Two):
    """A value that was acknowledged, by anyone, is the least that a read which begins afterwards may give."""
    two.put(OHM, 0)
    two.put(FOOD, 0)
    acknowledged = {OHM: 0, FOOD: 0}
    stale: list[tuple[str, int, Any]] = []
    is_over = threading.Event()

    def write(key: str) -> None:
        for number in range(1, 150):
            two.put(key, number)
            acknowledged[key] = number

    def read() -> None:
        while not is_over.is_set():
            for key in BOTH:
                least = acknowledged[key]
                value = two.reader.sem_get(key)["value"]
                if not isinstance(value, int) or value < least:
                    stale.append((key, least, value))

    readers = [threading.Thread(target=read) for _ in range(3)]
    writers = [threading.Thread(target=write, args=(key,)) for key in BOTH]
    for thread in (*readers, *writers):
        thread.start()
    for thread in writers:
        thread.join()
    is_over.set()
    for thread in readers:
        thread.join()
    assert stale == []
    assert [two.value(key) for key in BOTH] == [149, 149]
