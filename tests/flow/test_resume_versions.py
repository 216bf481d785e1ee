"""Taking a job up with another function than the one it was performed with, or without its whole record."""

from typing import Any

import pytest

import places
from mace import Job, PreconditionFailed, program
from mace.core import seeds
from mace.core.errors import Conflict

SEED = "versions"
ROOT = seeds.job_id(SEED)


class Stop:
    """Whether the process is told to stop in the middle."""

    now = True


def steps(version: str, names: list[str], made: list[str]) -> Any:
    """A program that makes these calls, two of them in a branch, and is stopped before the last one."""

    def make(name: str) -> Any:
        return lambda request: made.append(f"{version} {name}") or name

    @program("steps", version=version)
    def run(job: Job, given: Any) -> Any:
        found = [job.call(names[0], {}, make(names[0]))]
        with job.branch("aside") as branch:
            found.append(branch.call(names[1], {}, make(names[1])))
            if Stop.now:
                raise KeyboardInterrupt
            found.append(branch.call(names[2], {}, make(names[2])))
        return job.answer(version, value=found)

    return run


@pytest.fixture
def made(place: places.Place) -> list[str]:
    """The calls that were made; the job is interrupted."""
    calls: list[str] = []
    Stop.now = True
    with place.open(programs=[steps("1", ["a", "b", "c"], calls)]) as m, pytest.raises(KeyboardInterrupt):
        m.perform("steps", None, "ana", SEED)
    Stop.now = False
    assert calls == ["1 a", "1 b"]
    return calls


def test_the_recorded_version_is_picked(place: places.Place, made: list[str]):
    versions = [steps("2", ["x", "y", "z"], made), steps("1", ["a", "b", "c"], made), steps("3", ["z", "z", "z"], made)]
    with place.open(programs=versions) as m:
        answer = m.resume(ROOT)
        assert (answer["version"], answer["answer"], answer["resumed"]) == ("1", ["a", "b", "c"], 1)
        assert made == ["1 a", "1 b", "1 c"]
        newest = m.perform("steps", None, "ana")
        assert newest["version"] == "3"  # by name: the one that was registered last
        assert [m.replay(item["job_id"])["result"] for item in (answer, newest)] == ["MATCH", "MATCH"]


def test_without_the_recorded_version_it_stays_as_it_is(place: places.Place, made: list[str]):
    with place.open(programs=[steps("2", ["a", "b", "c"], made)]) as m:
        before = m.events(ROOT)
        with pytest.raises(PreconditionFailed, match=r"steps version 1, which is not .*versions: 2"):
            m.resume(ROOT)
        assert m.events(ROOT) == before
        assert m.job(ROOT)["status"] == "interrupted"
    with place.open() as m, pytest.raises(PreconditionFailed, match="registered versions: none"):
        m.resume(ROOT)
    with place.open(programs=[steps("1", ["a", "b", "c"], made)]) as m:
        assert m.resume(ROOT)["status"] == "closed"


@pytest.mark.parametrize(
    ("names", "where"), [(["x", "b", "c"], "x"), (["a", "y", "c"], "y")], ids=["in the job", "in its branch"]
)
def test_other_code_under_the_same_version_gives_the_job_up(
    place: places.Place, made: list[str], names: list[str], where: str
):
    with place.open(programs=[steps("1", names, made)]) as m:
        answer = m.resume(ROOT)
        assert (answer["status"], answer["answer"], answer["log_id"]) == ("abandoned", None, None)
        assert answer["error"] is not None
        assert answer["error"]["error_code"] == "PRECONDITION_FAILED"
        assert f"at call {where} " in str(answer["error"]["developer_message"])
        assert made == ["1 a", "1 b"]  # nothing was done
        view = m.job(ROOT)
        assert view["status"] == "abandoned"
        last = m.events(ROOT)[-1]
        assert (last["event_type"], last["payload"]["reason"]) == ("JOB_ABANDONED", "version_changed")
        assert m.verify()["ok"]
        with pytest.raises(Conflict, match="the job is abandoned"):
            m.resume(ROOT)


def test_giving_up_by_hand(place: places.Place, made: list[str]):
    with place.open() as m:  # needs no function
        answer = m.resume(ROOT, abandon=True)
        assert (answer["status"], answer["error"]) == ("abandoned", None)
        last = m.events(ROOT)[-1]
        assert (last["event_type"], last["payload"]["reason"]) == ("JOB_ABANDONED", "version_changed")
        assert m.verify()["ok"]
        for abandon in (False, True):
            with pytest.raises((Conflict, PreconditionFailed)):
                m.resume(ROOT, abandon=abandon)
        again = m.perform(steps("1", ["a", "b", "c"], made), None, "ana", SEED)
        assert again["error"] is not None and again["error"]["error_code"] == "CONFLICT"  # its seed stays used


@pytest.mark.breaks_its_store
@pytest.mark.parametrize("ref", ["effect/0/{root}", "request/0/{root}", "input/{root}"])
def test_a_record_that_is_not_whole_is_not_played(place: places.Place, made: list[str], ref: str):
    with place.sql() as sql:
        [kept] = sql("select key_ref, sealed from vault_blobs where ref = ?", (ref.format(root=ROOT),))
        sql("delete from vault_blobs where ref = ?", (ref.format(root=ROOT),))
    function = steps("1", ["a", "b", "c"], made)
    with place.open(programs=[function]) as m:
        with pytest.raises(PreconditionFailed, match=r"cannot be played: .*; run verify"):
            m.resume(ROOT)
        assert (m.job(ROOT)["status"], made) == ("interrupted", ["1 a", "1 b"])
        assert not m.verify()["ok"]
    with place.sql() as sql:  # somebody brings it back from a copy
        sql("insert into vault_blobs (ref, key_ref, sealed) values (?, ?, ?)", (ref.format(root=ROOT), *kept))
    with place.open(programs=[function]) as m:
        assert m.resume(ROOT)["status"] == "closed"
