"""A master key is rotated while others make and take away keys of people: nobody's key is lost or comes back."""

import threading
from collections.abc import Callable

import pytest

import governed
import places
from mace.engine.runtime import Mace

pytestmark = pytest.mark.critical
BOBS, EVES, ADAS = (f"user/profile/user_{who}/food" for who in ("bob", "eve", "ada"))


def meanwhile(place: places.Place, act: Callable[[Mace], object]) -> None:
    """Let somebody act who begins when a rotation is about to commit."""
    reached, go_on = threading.Event(), threading.Event()
    armed = False

    def hook(name: str) -> None:
        if armed and name == "before commit" and not reached.is_set():
            reached.set()
            go_on.wait(30)

    with place.open(boundary=hook) as here, place.open() as there:
        armed = True
        rotating = threading.Thread(target=lambda: governed.owned(here).rotate_master_key())
        rotating.start()
        assert reached.wait(30)
        acting = threading.Thread(target=lambda: act(there))
        acting.start()
        acting.join(0.5)  # it waits for the rotation, or has come before it
        go_on.set()
        rotating.join()
        acting.join()
        armed = False


def live_in(place: places.Place) -> None:
    with place.open() as m:
        governed.with_forensic_key(m)
        m.sem_put(BOBS, "soup", "user", user_id="bob")
        m.sem_put(EVES, "fish", "user", user_id="eve")


def test_somebody_comes(place: places.Place):
    live_in(place)
    meanwhile(place, lambda m: m.sem_put(ADAS, "plum", "user", user_id="ada"))
    with place.open() as m:
        assert [m.sem_get(key)["value"] for key in (BOBS, EVES, ADAS)] == ["soup", "fish", "plum"]
        assert m.verify()["ok"]


def test_somebody_comes_who_meets_it_at_their_key_alone(place: places.Place):
    live_in(place)
    given: list[str] = []
    meanwhile(place, lambda m: given.append(m.grant_consent("ada", "You may.", job_seed="1")["consent_id"]))
    with place.open() as m:
        assert [item["text"] for item in m.consents("ada")] == ["You may."]
        assert m.verify()["ok"]
    assert len(given) == 1


def test_somebody_goes(place: places.Place):
    live_in(place)
    meanwhile(place, lambda m: governed.erase(m, "bob"))
    with place.open() as m:
        assert not m.sem_get(BOBS)["exists"]
        assert m._parts.world.store.read(lambda tx: tx.vault.key("person/user_bob")) is None
        assert m.sem_get(EVES)["value"] == "fish"
        assert m.verify()["ok"]


def test_both_rotate(place: places.Place):
    live_in(place)
    meanwhile(place, lambda m: governed.owned(m).rotate_master_key())
    with place.open() as m:
        assert [m.sem_get(key)["value"] for key in (BOBS, EVES)] == ["soup", "fish"]
        assert m.verify()["ok"]
