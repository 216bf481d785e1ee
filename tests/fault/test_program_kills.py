"""A program with parallel branches, killed from outside after every single commit, and taken up by a new process."""

import itertools
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import places
import services
from fault import killing
from replay import tree_programs

MakePlace = Callable[[int], places.Place]


@pytest.fixture(scope="module")
def warm() -> Iterator[killing.Warm]:
    with killing.warm_parent() as parent:
        yield parent


def kill_and_resume(
    warm: killing.Warm, place: places.Place, nth: int, program: str, calls: Path, *, alone: bool = True, **more: Any
) -> dict[str, Any]:
    """One victim, killed at its n-th commit if it comes to it, and what became of its job; `uncut` if it did not."""
    seed, root = f"seed {nth}", killing.job_of(f"seed {nth}")
    victim = warm.run("perform", place, seed, calls, program=program, stop_at=nth, alone=alone, **more)
    if "stopped_at" not in victim:
        return {"uncut": victim, "streams": killing.bodies(place, root)}
    streams = killing.bodies(place, root)
    assert killing.commits_in(streams) == nth or not alone
    again = warm.run("resume", place, seed, calls, program=program)
    was_over = any(said["event_type"] == "JOB_CLOSED" for said in streams[root])
    if was_over:
        assert (again["refused"], again["why"]) == ("CONFLICT", "the job is closed")
        return {"was_over": True}
    later = killing.bodies(place, root)
    before, after = killing.calls_of(streams, root, later), killing.calls_of(later, root)
    killing.assert_made_by_their_nature(before, after, killing.lines(calls), victim["pid"])
    assert again["verify"] is True
    assert again["replay"]["result"] == "MATCH", again["replay"]
    assert (again["answer"]["status"], again["answer"]["resumed"]) == ("closed", 1)
    return {"answer": again["answer"], "before": before, "was_over": False}


def killed_everywhere(
    warm: killing.Warm, make: MakePlace, folder: Path, program: str, every: int, say: Callable[[str, object], None]
) -> None:
    """Kill one victim after the other, each a commit later, until one ends by itself."""
    came_to = []
    for nth in itertools.count(every, every):
        found = kill_and_resume(warm, make(nth), nth, program, folder / f"calls{nth}")
        if "uncut" in found:
            break
        came_to.append(found)
    uncut, commits = found["uncut"]["answer"], found["uncut"]["commits"]
    assert uncut["status"] == "closed" and found["uncut"]["replay"]["result"] == "MATCH"
    assert len(came_to) == commits // every
    assert commits == killing.commits_in(found["streams"])
    assert sum(item["was_over"] for item in came_to) == (commits % every == 0)  # the last commit is its end
    unknown = 0
    for item in came_to:
        if not item["was_over"]:
            answer = {name: item["answer"][name] for name in ("text", "answer")}
            assert answer == killing.expected(uncut, item["before"])
            unknown += "unknown_result" in str(answer)
    said = f"{program}: killed at {len(came_to)} of {commits} commits, {unknown} times with an unknown result"
    print(said)
    say("told", said)


@pytest.mark.parametrize(
    "program", ["tree", pytest.param("async-tree", marks=pytest.mark.long)], ids=["plain", "async"]
)
def test_killed_after_every_commit(
    warm: killing.Warm, tmp_path: Path, program: str, record_property: Callable[[str, object], None]
):
    killed_everywhere(warm, lambda nth: fresh(tmp_path, nth), tmp_path, program, 1, record_property)


@pytest.mark.parametrize("every", [5, pytest.param(1, marks=pytest.mark.long)])
def test_killed_on_a_server(
    warm: killing.Warm,
    databases: services.Databases,
    tmp_path: Path,
    every: int,
    record_property: Callable[[str, object], None],
):
    def make(nth: int) -> places.Place:
        root = tmp_path / str(nth)
        root.mkdir()
        return places.PostgresPlace(root, databases)

    killed_everywhere(warm, make, tmp_path, "tree", every, record_property)


def fresh(folder: Path, nth: int) -> places.SqlitePlace:
    root = folder / str(nth)
    root.mkdir()
    return places.SqlitePlace(root)


@pytest.mark.long
def test_killed_where_branches_share_commits(warm: killing.Warm, tmp_path: Path):
    """Which steps share one differs from run to run; what must be true does not."""
    for nth in itertools.count(1):
        found = kill_and_resume(warm, fresh(tmp_path, nth), nth, "tree", tmp_path / f"calls{nth}", alone=False)
        if "uncut" in found:
            break
        if not found["was_over"]:
            found["answer"] = {name: found["answer"][name] for name in ("text", "answer")}
            assert ("unknown_result" in str(found["answer"])) == any(
                not (call.done or call.safe) for call in found["before"]
            )


def lives(warm: killing.Warm, place: places.Place, calls: Path, commits: int) -> int:
    """A job that is killed in every life, a few commits after it was taken up, until one comes to its end."""
    root = killing.job_of("lives")
    said = warm.run("perform", place, "lives", calls, stop_at=commits)
    pids, ended = {said["pid"]}, False
    while not ended:
        streams = killing.bodies(place, root)
        said = warm.run("resume", place, "lives", calls, stop_at=commits)
        pids.add(said["pid"])
        ended = "stopped_at" not in said
        later = killing.bodies(place, root)
        before, after = killing.calls_of(streams, root, later), killing.calls_of(later, root)
        finished = {call.key for call in before if call.done or not call.safe}
        made = {call for pid, call in killing.lines(calls) if pid == said["pid"]}
        assert not finished & made
        assert len(after) >= len(before)
    with place.open(programs=tree_programs.ALL) as m:
        assert (m.job(root)["status"], m.verify()["ok"], m.replay(root)["result"]) == ("closed", True, "MATCH")
    taken_up = [said for said in killing.bodies(place, root)[root] if said["event_type"] == "JOB_RESUMED"]
    assert [said["payload"]["life"] for said in taken_up] == list(range(2, len(taken_up) + 2))
    assert len(pids) - len(taken_up) in (1, 2)  # the last may have come too late
    once = [call for _, call in killing.lines(calls)]
    assert all(once.count(call.key) <= 1 for call in after if not call.safe)
    return len(pids)


def test_killed_in_every_life(warm: killing.Warm, tmp_path: Path):
    assert lives(warm, fresh(tmp_path, 0), tmp_path / "calls", 5) > 5


@pytest.mark.long
def test_killed_in_every_life_after_one_step(warm: killing.Warm, tmp_path: Path):
    assert lives(warm, fresh(tmp_path, 0), tmp_path / "calls", 2) > 20


def script(chance: random.Random, depth: int, names: Iterator[int]) -> list[Any]:
    """A program made up by chance: calls of both natures that may fail, branches in branches, some of them parallel."""
    made: list[Any] = []
    for _ in range(chance.randint(1, 4)):
        kind = chance.choice(
            ["call", "call", "fails", "now", "branch", "map"] if depth else ["call", "call", "fails", "now"]
        )
        if kind in ("call", "fails"):
            made.append([kind, str(next(names)), chance.random() < 0.5])
        elif kind == "now":
            made.append(["now"])
        elif kind == "branch":
            made.append(["branch", chance.choice(["a", "b"]), script(chance, depth - 1, names)])
        else:
            made.append(["map", chance.randint(0, 4), chance.randint(1, 4), script(chance, depth - 1, names)])
    return made


def killed_by_chance(warm: killing.Warm, folder: Path, number: int) -> bool:
    """One program made up by chance, killed at one commit of it; False if it was over before."""
    chance = random.Random(number)
    given = script(chance, 2, itertools.count())
    uncut = warm.run("perform", fresh(folder, 0), "uncut", folder / "uncut", program="scripted", given=given)
    assert (uncut["answer"]["status"], uncut["replay"]["result"], uncut["verify"]) == ("closed", "MATCH", True)
    nth = chance.randint(1, uncut["commits"])
    found = kill_and_resume(
        warm, fresh(folder, 1), nth, "scripted", folder / "calls", alone=chance.random() < 0.5, given=given
    )
    if "uncut" in found or found["was_over"]:
        return False
    answer = {name: found["answer"][name] for name in ("text", "answer")}
    assert answer == killing.expected(uncut["answer"], found["before"])
    return True


@pytest.mark.parametrize("number", range(8))
def test_any_program_killed_anywhere(warm: killing.Warm, tmp_path: Path, number: int):
    killed_by_chance(warm, tmp_path, number)


@pytest.mark.long
def test_many_programs_killed_anywhere(warm: killing.Warm, tmp_path: Path):
    killed = 0
    for number in range(100, 400):
        folder = tmp_path / str(number)
        folder.mkdir()
        killed += killed_by_chance(warm, folder, number)
    assert killed > 150
