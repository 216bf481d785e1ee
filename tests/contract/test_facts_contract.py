"""Facts as verbs on every engine: the same calls give the same answers, and nodes on one place never lose or mix."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any

import pytest

import places
from fact_helpers import COLOR, DONE, OHM, at_noon, types
from mace.core import seeds
from mace.engine.runtime import Mace


@pytest.fixture
def nodes(place: places.Place) -> Iterator[Callable[[int], list[Mace]]]:
    """Opens several MACEs on one place, as several processes would."""
    with ExitStack() as opened:
        yield lambda count: [opened.enter_context(place.open()) for _ in range(count)]


def at_once(calls: list[Callable[[], Any]]) -> list[Any]:
    """Run all calls at the same moment, each in a thread of its own."""
    barrier = threading.Barrier(len(calls))

    def call(one: Callable[[], Any]) -> Any:
        barrier.wait()
        return one()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(call, calls))


def test_the_same_calls_give_the_same_answers(place: places.Place):
    with place.open(clock=at_noon()) as mace:
        early, late = "2025-11-29T11:00:00Z", "2025-11-29T11:30:00Z"
        assert [
            mace.sem_put(COLOR, "blue", "user", late, "why", {"a": [1]}),
            mace.sem_put(COLOR, "red", "user", early),
            mace.sem_put(OHM, {"b": 1.5, "a": "é😀\x00"}, "system", late, idempotency_key="k"),
            mace.sem_put(OHM, {"b": 1.5, "a": "é😀\x00"}, "system", late, idempotency_key="k"),
            mace.sem_delete(COLOR, "system_admin"),
        ] == [DONE, {**DONE, "applied": False}, DONE, DONE, DONE]
        assert mace.sem_get(OHM)["value"] == {"b": 1.5, "a": "é😀\x00"}
        assert mace.sem_list("", "system_admin") == [OHM]
        seen = [
            (row["version"], row["value"], row["source"], row["actor"], row["written_at"], row["applied"])
            for row in mace.sem_history(COLOR)
        ]
        assert seen == [
            (1, "blue", "user", "user_tuff", "2025-11-29T11:30:00.000000Z", True),
            (2, "red", "user", "user_tuff", "2025-11-29T11:00:00.000000Z", False),
            (3, None, "system_admin", "system_admin", "2025-11-29T12:00:00.000000Z", True),
        ]
        assert mace.verify()["ok"]
    with place.open() as again:
        assert again.sem_get(OHM)["value"] == {"b": 1.5, "a": "é😀\x00"}
        assert again.sem_history(COLOR)[0]["value"] == "blue"


def test_what_one_node_wrote_every_other_reads_at_once(nodes: Callable[[int], list[Mace]]):
    first, second = nodes(2)
    for number in range(20):
        for key in (COLOR, OHM):
            first.sem_put(key, number, "system")
            assert second.sem_get(key)["value"] == number
            assert first.sem_get(key)["value"] == number
        first, second = second, first
    first.sem_delete(COLOR, "system_admin")
    assert second.sem_get(COLOR)["exists"] is False


def test_a_threads_first_read_is_as_fresh_as_its_later_ones(nodes: Callable[[int], list[Mace]]):
    first, second = nodes(2)
    for number in range(10):
        first.sem_put(OHM, number, "system")
        assert at_once([lambda: second.sem_get(OHM)["value"]] * 3) == [number] * 3


def test_first_facts_of_one_person_from_many_nodes_at_once(nodes: Callable[[int], list[Mace]]):
    """They race for the person's key, the person's seat and the streams; none of them may notice."""
    opened = nodes(3)
    keys = [f"user/profile/user_ann/fact_{number}" for number in range(9)]
    calls = [
        lambda key=key, mace=opened[at % 3]: mace.sem_put(key, key, "user", user_id="Ann")
        for at, key in enumerate(keys)
    ]
    assert at_once(calls) == [DONE] * 9
    assert [opened[0].sem_get(key)["value"] for key in keys] == keys
    assert opened[0].verify()["ok"]


def test_identities_that_race_for_one_slug_are_kept_apart(nodes: Callable[[int], list[Mace]]):
    opened = nodes(3)
    names = ["Rock & Roll", "Rock-Roll", "Rock, Roll", "rock  ROLL", "ROCK/ROLL", "Rock & Roll"]

    def stored(name: str, mace: Mace) -> str:
        while True:
            key = mace.key("world", "fact", name, "summary")
            answer = mace.sem_put(key, name.lower(), "system")
            if answer["success"]:
                return key
            assert answer["error_code"] == "CONFLICT"  # another name was quicker: the next key is this one's own

    found = at_once([lambda name=name, mace=opened[at % 3]: stored(name, mace) for at, name in enumerate(names)])
    assert (found[0], found[1]) == (found[5], found[3])
    assert len(set(found)) == 4
    assert sum(key == "world/fact/rock_roll/summary" for key in set(found)) == 1
    assert [opened[0].key("world", "fact", name, "summary") for name in names] == found
    values = [opened[0].sem_get(key)["value"] for key in found]
    assert [values[at] for at in (0, 2, 4)] == ["rock & roll", "rock, roll", "rock/roll"]
    assert values[1] in ("rock-roll", "rock  roll")


def test_users_that_race_for_one_slug_do_not_both_write_it(nodes: Callable[[int], list[Mace]]):
    opened = nodes(2)
    key = "user/profile/user_a_b/name"
    answers = at_once(
        [
            lambda mace=mace, user=user: mace.sem_put(key, user, "user", user_id=user)
            for mace, user in zip(opened, ("a.b", "a_b"), strict=True)
        ]
    )
    assert sorted(str(answer["error_code"]) for answer in answers) == ["None", "PERMISSION_DENIED"]
    winner = ("a.b", "a_b")[[answer["success"] for answer in answers].index(True)]
    assert opened[0].sem_get(key)["value"] == winner
    assert len(opened[0].sem_history(key)) == 1


def test_one_idempotency_key_from_many_nodes_at_once_writes_once(nodes: Callable[[int], list[Mace]]):
    opened = nodes(3)
    calls = [lambda mace=opened[at % 3]: mace.sem_put(COLOR, "blue", "user", idempotency_key="one") for at in range(9)]
    assert at_once(calls) == [DONE] * 9
    assert len(opened[0].sem_history(COLOR)) == 1


def test_one_seed_from_many_nodes_at_once_is_one_stream(nodes: Callable[[int], list[Mace]]):
    opened = nodes(3)
    calls = [
        lambda mace=opened[at % 3], at=at: mace.sem_put(f"world/fact/n{at}/value", at, "system", job_seed="shared")
        for at in range(9)
    ]
    assert at_once(calls) == [DONE] * 9
    assert types(opened[0], seeds.job_id("shared")) == ["JOB_OPENED"] + ["SEM_PUT"] * 9
    assert opened[0].verify()["ok"]


def test_nodes_that_write_the_same_keys_in_any_order_all_get_through(nodes: Callable[[int], list[Mace]]):
    """Batches of two nodes hold the same keys in different order: nobody may have to be given up for that."""
    opened = nodes(2)
    keys = [f"world/fact/key_{number}/value" for number in range(4)]
    calls = [
        lambda mace=mace, key=key, at=at: [mace.sem_put(key, f"{at}.{n}", "system")["applied"] for n in range(5)]
        for mace, order in zip(opened, (keys, keys[::-1]), strict=True)
        for at, key in enumerate(order)
    ]
    assert at_once(calls) == [[True] * 5] * 8
    for key in keys:
        history = opened[0].sem_history(key)
        assert [row["version"] for row in history] == list(range(1, 11))
        assert opened[1].sem_get(key)["value"] == history[-1]["value"]
    assert opened[0].verify()["ok"]


def test_a_refused_put_does_not_touch_its_neighbours_in_the_batch(nodes: Callable[[int], list[Mace]]):
    (mace,) = nodes(1)
    calls = [
        lambda at=at: mace.sem_put(
            f"user/profile/user_u{at}/note", "123-45-6789" if at % 3 == 0 else "fine", "user", user_id=f"u{at}"
        )["error_code"]
        for at in range(12)
    ]
    assert at_once(calls) == ["PRIVACY_BLOCKED" if at % 3 == 0 else None for at in range(12)]
    assert len(mace.sem_list("user", "system_admin")) == 8
    assert mace.verify()["ok"]
