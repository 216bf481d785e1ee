"""Facts with a version, answers that are raised, and groups that used to be methods."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import places
from mace.core.errors import FactNotFound, MaceError, PermissionDenied, PreconditionFailed
from mace.engine.runtime import Mace

KEY = "user/profile/user_bob/count"


def test_a_version_counts_every_write_and_is_shown_only_when_asked_for(mace_home: places.SqlitePlace):
    with mace_home.open() as m:
        assert m.sem_get(KEY, with_version=True)["version"] == 0
        assert "version" not in m.sem_get(KEY)
        for number in (1, 2):
            m.sem_put(KEY, number, "user")
            assert m.sem_get(KEY, with_version=True)["version"] == number
        m.sem_delete(KEY, "system_admin")
        gone = m.sem_get(KEY, with_version=True)
        assert (gone["exists"], gone["version"]) == (False, 3)


@pytest.mark.parametrize(("written", "wanted"), [(0, 1), (1, 0), (1, 2), (2, 1)])
def test_another_version_is_refused_and_nothing_is_written(mace_home: places.SqlitePlace, written: int, wanted: int):
    with mace_home.open() as m:
        for number in range(written):
            m.sem_put(KEY, number, "user")
        before = m.sem_history(KEY)
        answer = m.sem_put(KEY, "new", "user", if_version=wanted)
        assert (answer["success"], answer["error_code"]) == (False, "PRECONDITION_FAILED")
        assert m.sem_history(KEY) == before
        assert m.sem_put(KEY, "new", "user", if_version=written)["success"]
        assert m.sem_get(KEY, with_version=True)["version"] == written + 1


@pytest.mark.parametrize("wanted", [-1, "1", 1.0, True, [1]])
def test_what_is_no_version_is_refused(mace_home: places.SqlitePlace, wanted: Any):
    with mace_home.open() as m:
        m.sem_put(KEY, 1, "user")
        assert m.sem_put(KEY, 2, "user", if_version=wanted)["error_code"] == "INVALID_INPUT"
        assert m.sem_get(KEY)["value"] == 1


def test_of_many_who_compare_and_set_at_once_one_wins(place: places.Place):
    rounds, racers = 3, 6
    with place.open() as m, ThreadPoolExecutor(racers) as pool:
        for version in range(rounds):
            codes = list(
                pool.map(lambda n, v=version: m.sem_put(KEY, n, "user", if_version=v)["error_code"], range(racers))
            )
            assert sorted(map(str, codes)) == ["None", *["PRECONDITION_FAILED"] * (racers - 1)]
        assert m.sem_get(KEY, with_version=True)["version"] == rounds
        assert len(m.sem_history(KEY)) == rounds


def test_an_answer_that_failed_is_raised_and_one_that_did_not_is_returned(mace_home: places.SqlitePlace):
    with mace_home.open() as m:
        m.sem_put(KEY, 1, "user")
        for good in (m.sem_get(KEY), m.ask("What is 2 + 2?"), m.sem_list("user"), m.key("world", "fact", "a", "b")):
            assert m.raise_for(good) is good
        bob = m.acting_as(m.on_behalf_of("bob"))
        failed: list[tuple[Callable[[], Any], type[MaceError]]] = [
            (lambda: m.sem_get("world/fact/no/thing"), FactNotFound),
            (lambda: m.sem_put(KEY, 2, "user", if_version=7), PreconditionFailed),
            (lambda: m.sem_delete(KEY, "user"), PermissionDenied),
            (lambda: bob.sem_delete(KEY), PermissionDenied),
            (lambda: bob.ask("What is 2 + 2?", "eve"), PermissionDenied),
            (lambda: m.ask("x" * 9_000), MaceError),
        ]
        for call, kind in failed:
            with pytest.raises(kind) as raised:
                m.raise_for(call())
            assert raised.value.code != "UNKNOWN"
            assert raised.value.user_message


@pytest.mark.parametrize(
    ("called", "instead"),
    [
        (lambda m: m.jobs(20), lambda m: m.jobs.list(limit=20)["items"]),
        (lambda m: m.jobs(), lambda m: m.jobs.list(limit=20)["items"]),
        (lambda m: m.approvals(), lambda m: m.approvals.list()),
        (lambda m: m.approvals(only_open=True), lambda m: m.approvals.list(only_open=True)),
        (lambda m: m.accounts(), lambda m: m.accounts.list()),
        (lambda m: m.incidents(), lambda m: m.incidents.list()),
        (lambda m: m.modules(), lambda m: m.modules.list()),
    ],
)
def test_a_group_called_as_a_method_still_answers(
    tmp_path: Path, called: Callable[[Mace], Any], instead: Callable[[Mace], Any]
):
    with places.SqlitePlace(tmp_path).open() as m:
        m.request_review(m.ask("What is 2 + 2?")["job_id"])
        m.accounts.create("root", ["admin"])
        m.incidents.report("a door")
        with pytest.warns(DeprecationWarning, match=r"is now m\.\w+\.list\(\)") as warned:
            answer = called(m)
        assert answer == instead(m)
        assert answer
        assert warned[0].filename == __file__
        bob = m.acting_as(m.on_behalf_of("bob"))
        with pytest.warns(DeprecationWarning), suppress(PermissionDenied):
            assert called(bob) == []  # a user's own jobs: none
