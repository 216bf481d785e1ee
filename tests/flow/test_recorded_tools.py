"""Tools that are wrapped once are calls of the job that runs: killed, resumed and replayed, none is run again."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import mace
import places
from mace.bridges import recorded
from mace.core import seeds


def test_a_tool_is_a_call_of_the_job_and_a_replay_does_not_run_it(place: places.Place) -> None:
    ran: list[Any] = []

    def find(number: int, *more: str, town: str = "Ghent", **rest: int) -> dict[str, Any]:
        ran.append((number, more, town, rest))
        return {"town": town, "ran": len(ran)}

    tool = recorded(find, idempotent=True)
    other = recorded(find, "shop.find")
    assert tool.__name__ == "find" and tool.__wrapped__ is find  # type: ignore[attr-defined]

    @mace.program("tools")
    def tools(job: mace.Job, _: Any) -> Any:
        first = tool(7, "a", "b", left=3)
        with job.branch("beside"):
            second = other(number=8, town="Riga")
        return [first, second]

    with place.open(programs=[tools]) as m:
        done = m.perform(tools, None, "ana")
        assert done["answer"] == [{"town": "Ghent", "ran": 1}, {"town": "Riga", "ran": 2}], done
        assert m.replay(done["job_id"])["result"] == "MATCH"
        calls = m.job(done["job_id"])["calls"]
        assert [(call["branch"], call["name"], call["idempotent"]) for call in calls] == [
            ("", "find", True),
            ("beside", "shop.find", False),
        ]
    assert ran == [(7, ("a", "b"), "Ghent", {"left": 3}), (8, (), "Riga", {})]


def test_arguments_stand_on_the_record_by_their_names(mace_home: places.SqlitePlace) -> None:
    requests: list[Any] = []

    class Watched(mace.Job):
        def call(self, name: str, request: Any, fn: Any, **options: Any) -> Any:
            requests.append(request)
            return super().call(name, request, fn, **options)

    def find(number: int, *more: str, town: str = "Ghent", **rest: int) -> None: ...

    tool = recorded(find)
    with mace_home.open() as m, m.recording("Find it") as job:
        job.__class__ = Watched
        tool(7, "a", "b", left=3)
        tool(number=8, town="Riga")
    assert requests == [{"number": 7, "more": ["a", "b"], "rest": {"left": 3}}, {"number": 8, "town": "Riga"}]


def test_async_programs_have_async_and_plain_tools(mace_home: places.SqlitePlace) -> None:
    ran: list[str] = []

    async def fetch(page: int) -> str:
        await asyncio.sleep(0)
        ran.append("fetch")
        return f"page {page}"

    def plain(text: str) -> str:
        ran.append("plain")
        return text.upper()

    fetch_page, shout = recorded(fetch), recorded(plain)

    @mace.program("pages")
    async def pages(job: mace.Job, numbers: Any) -> Any:
        first = shout(await fetch_page(1))
        return [first, *await job.amap(lambda _branch, number: fetch_page(number), numbers)]

    async def perform(m: mace.Mace) -> Any:
        return await m.aperform(pages, [2, 3])

    with mace_home.open(programs=[pages]) as m:
        done = asyncio.run(perform(m))
        assert done["answer"] == ["PAGE 1", "page 2", "page 3"], done
        assert m.replay(done["job_id"])["result"] == "MATCH"
        assert m.perform(pages, [2, 3])["answer"] == ["PAGE 1", "page 2", "page 3"]
    assert sorted(ran) == ["fetch"] * 6 + ["plain"] * 2


def test_a_tool_that_fails_is_a_failed_call(mace_home: places.SqlitePlace) -> None:
    ran: list[int] = []

    def charge(amount: int) -> None:
        ran.append(amount)
        raise LookupError("no such card")

    tool = recorded(charge)

    @mace.program("fails")
    def fails(job: mace.Job, _: Any) -> Any:
        with pytest.raises(TypeError, match="amount"):
            tool()  # type: ignore[call-arg]
        with pytest.raises(mace.CallFailed) as failed:
            tool(12)
        with pytest.raises(mace.CallFailed) as given:
            tool(object())  # type: ignore[arg-type]
        return [failed.value.kind, failed.value.exception, given.value.kind]

    with mace_home.open(programs=[fails]) as m:
        done = m.perform(fails, None)
        assert done["answer"] == ["raised", "LookupError", "not_json"], done
        assert m.replay(done["job_id"])["result"] == "MATCH"
    assert ran == [12]


def test_what_is_personal_is_cut_out_of_what_a_tool_is_given(mace_home: places.SqlitePlace) -> None:
    given: list[str] = []
    tool = recorded(lambda text: given.append(text), "send")

    with mace_home.open() as m, m.recording("Send it", "ana") as job:
        tool("Write to jane@example.org")
        assert job.withheld == ["email"]
        job.answer("sent")
    assert given == ["Write to [redacted]"]


def test_outside_of_a_job_it_is_refused_unless_it_may_pass() -> None:
    def find(number: int) -> int:
        return number + 1

    async def fetch(number: int) -> int:
        return number + 1

    with pytest.raises(mace.PreconditionFailed, match="find outside of a job is not recorded"):
        recorded(find)(1)
    with pytest.raises(mace.PreconditionFailed, match="fetch outside of a job is not recorded"):
        asyncio.run(recorded(fetch)(1))
    assert recorded(find, outside="pass")(1) == 2
    assert asyncio.run(recorded(fetch, outside="pass")(1)) == 2


def test_wrong_arguments_are_said() -> None:
    with pytest.raises(mace.InvalidInput, match="fn must be callable"):
        recorded("find")  # type: ignore[arg-type]
    with pytest.raises(mace.InvalidInput, match="'refuse' or 'pass', got 'skip'"):
        recorded(len, outside="skip")  # type: ignore[arg-type]
    with pytest.raises(mace.InvalidInput, match="the name of a call or branch must be"):
        recorded(lambda number: number)
    with pytest.raises(mace.InvalidInput, match="the name of a call or branch must be"):
        recorded(len, "two words")


VICTIM = """
import os, sys, time
from pathlib import Path
import mace
from mace.bridges import recorded
from mace.settings import Settings

location, checkpoint_dir, folder, again = sys.argv[1:5]
done = Path(folder) / "done.txt"

def note(word):
    with done.open("a") as file:
        file.write(word + " ")

def finished(number):
    note("finished")
    return number + 1

def cut_off(number):
    note("cut_off")
    if not sys.argv[5:]:
        (Path(folder) / "under_way").touch()
        time.sleep(600)
    return number + 1

first, second = recorded(finished), recorded(cut_off, idempotent=again == "True")

@mace.program("victim")
def victim(job, number):
    try:
        return second(first(number))
    except mace.CallFailed as error:
        return error.kind

with mace.open(settings=Settings(location=location, checkpoint_dir=checkpoint_dir), programs=[victim]) as m:
    answer = m.resume(sys.argv[5]) if sys.argv[5:] else m.perform(victim, 5, "ana", "victim-1")
    print(answer["text"], m.replay(answer["job_id"])["result"], m.verify()["ok"])
"""


@pytest.mark.parametrize(
    ("again", "text", "ran"),
    [(True, "7", "finished cut_off cut_off"), (False, "unknown_result", "finished cut_off")],
)
def test_after_a_kill_a_finished_tool_is_not_run_again(
    mace_home: places.SqlitePlace, tmp_path: Path, again: bool, text: str, ran: str
) -> None:
    (tmp_path / "victim.py").write_text(VICTIM)
    env = {**os.environ, "PYTHONPATH": str(Path(mace.__file__).parents[1])}
    place = [mace_home.settings.location, mace_home.settings.checkpoint_dir, str(tmp_path), str(again)]
    command = [sys.executable, str(tmp_path / "victim.py"), *place]
    victim = subprocess.Popen(command, env=env)
    while not (tmp_path / "under_way").exists():
        assert victim.poll() is None
    victim.kill()
    assert victim.wait() == -signal.SIGKILL
    resumed = subprocess.run([*command, seeds.job_id("victim-1")], env=env, capture_output=True, text=True, check=False)
    assert resumed.stdout.strip() == f"{text} MATCH True", resumed.stdout + resumed.stderr
    assert (tmp_path / "done.txt").read_text().strip() == ran
