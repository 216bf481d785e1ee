"""A job as `m.job` and `m.jobs.list` show it: its log, its tokens, its calls' times, who cancelled it."""

import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import governed
import mace
import places
from mace.core import seeds
from mace.core.times import parse_instant
from mace.engine.programs.views import begun_at
from mace.engine.runtime import Mace


@pytest.fixture
def m(tmp_path: Path) -> Iterator[Mace]:
    with places.SqlitePlace(tmp_path).open() as opened:
        yield opened


@pytest.mark.parametrize(
    ("recorded_at", "elapsed_ms", "began"),
    [
        ("2026-03-01T12:00:01.250Z", 0, "2026-03-01T12:00:01.250Z"),
        ("2026-03-01T12:00:01.250Z", 250.0, "2026-03-01T12:00:01.000Z"),
        ("2026-03-01T00:00:00.000Z", 1.5, "2026-02-28T23:59:59.998Z"),
    ],
)
def test_a_call_that_was_stored_at_its_end_began_before_it(recorded_at: str, elapsed_ms: float, began: str):
    assert begun_at(recorded_at, elapsed_ms) == began


@pytest.mark.parametrize("idempotent", [True, False])
def test_a_call_is_shown_with_the_time_when_it_began(m: Mace, idempotent: bool):
    @mace.program("slow")
    def slow(job: mace.Job, given: Any) -> Any:
        return job.call("wait", {}, lambda request: threading.Event().wait(0.3), idempotent=idempotent)

    view = m.job(m.perform(slow, None)["job_id"])
    [call] = view["calls"]
    assert call["elapsed_ms"] is not None and view["closed_at"] is not None
    ended = parse_instant(call["started_at"]) + timedelta(milliseconds=call["elapsed_ms"])
    assert parse_instant(view["opened_at"]) <= parse_instant(call["started_at"])
    assert ended <= parse_instant(view["closed_at"]) + timedelta(milliseconds=2)  # each is rounded by itself


def test_a_job_has_a_log_when_it_is_written_and_not_before(m: Mace):
    def look(request: Any) -> Any:
        shown.append(m.job(seeds.job_id("S")))
        return None

    shown: list[Any] = []

    @mace.program("looks")
    def looks(job: mace.Job, given: Any) -> Any:
        return job.call("look", {}, look)

    answer = m.perform(looks, None, job_seed="S")
    assert [view["log_id"] for view in shown] == [None]
    view = m.job(answer["job_id"])
    assert view["log_id"] == answer["log_id"] and m.read_reflective_log(answer["log_id"])


@pytest.mark.parametrize("ending", ["abandoned", "cancelled"])
def test_a_job_that_was_ended_from_outside_has_no_log(m: Mace, ending: str):
    @mace.program("stopped")
    def stopped(job: mace.Job, given: Any) -> Any:
        return job.call("stop", {}, lambda request: (_ for _ in ()).throw(KeyboardInterrupt))

    with pytest.raises(KeyboardInterrupt):
        m.perform(stopped, None, job_seed="S")
    job = seeds.job_id("S")
    if ending == "abandoned":
        m.resume(job, abandon=True)
    else:
        m.cancel(job, "wrong item")
    view = m.job(job)
    assert (view["status"], view["log_id"]) == (ending, None)
    why = None if view["cancelled"] is None else view["cancelled"]["reason"]
    assert why == (None if ending == "abandoned" else "wrong item")


@pytest.mark.parametrize(("reason", "shown"), [("not needed", "not needed"), ("", None)])
def test_who_cancelled_a_running_job_and_why(m: Mace, reason: str, shown: str | None):
    def stop(request: Any) -> None:
        owned = governed.owned(m)
        views.append(owned.cancel(seeds.job_id("S"), reason))
        owned.cancel(seeds.job_id("S"), "once more")

    views: list[Any] = []

    @mace.program("runs")
    def runs(job: mace.Job, given: Any) -> Any:
        job.call("stop", {}, stop)
        return job.call("after", {}, lambda request: "not reached")

    answer = m.perform(runs, None, job_seed="S")
    view = m.job(answer["job_id"])
    assert (views[0]["status"], view["status"]) == ("running", "cancelled")
    for told in (views[0]["cancelled"], view["cancelled"], m.jobs.list()["items"][0]["cancelled"]):
        assert told is not None and (told["by"], told["reason"]) == ("owner", shown)
        assert told["at"] is not None


def test_a_job_that_is_cancelled_in_its_last_call_is_cancelled(m: Mace):
    @mace.program("ends")
    def ends(job: mace.Job, given: Any) -> Any:
        return job.call("stop", {}, lambda request: m.cancel(seeds.job_id("S"))["status"])

    view = m.job(m.perform(ends, None, job_seed="S")["job_id"])
    assert view["status"] == "cancelled" and view["cancelled"] is not None


def test_logs_are_listed_as_they_were_written(m: Mace):
    """The log of a job that was taken up again is newer than those of jobs that began after it and ended before."""
    stops = [True]

    def stop(request: Any) -> str:
        if stops.pop():
            raise KeyboardInterrupt
        return "went on"

    @mace.program("interrupted")
    def interrupted(job: mace.Job, given: Any) -> Any:
        return job.call("stop", {}, stop, idempotent=True)

    with pytest.raises(KeyboardInterrupt):
        m.perform(interrupted, None, job_seed="S")
    others = [m.record("Then?", "Yes.")["log_id"] for _ in range(3)]
    stops.append(False)
    resumed = m.resume(seeds.job_id("S"))["log_id"]
    last = m.record("And now?", "Yes.")["log_id"]
    wanted = [last, resumed, *reversed(others)]
    assert [item["log_id"] for item in m.jobs.logs()["items"]] == wanted
    paged: list[str] = []
    cursor: str | None = None
    while len(paged) < len(wanted):
        page = m.jobs.logs(limit=2, cursor=cursor)
        paged += [item["log_id"] for item in page["items"]]
        cursor = page["next_cursor"]
    assert (paged, cursor) == (wanted, None)


def test_a_block_has_no_version(m: Mace):
    told = m.record("May it go?", "Yes.")
    view = m.job(told["job_id"])
    assert (view["kind"], view["program"], view["version"]) == ("block", "block", None)
    assert view["log_id"] == told["log_id"]


def test_the_tokens_of_an_erased_job_are_those_of_its_log(m: Mace):
    @mace.program("counts")
    def counts(job: mace.Job, given: Any) -> Any:
        job.call("chat", {}, lambda request: {"usage": {"total_tokens": 40}})
        return job.map(lambda branch, n: branch.call("chat", {}, lambda request: {"total_tokens": n}), [1, 2])

    job = m.perform(counts, None, "ana")["job_id"]
    before = m.job(job)
    assert before["tokens"] == 43
    assert sorted(m.job(branch)["tokens"] for branch in before["branches"]) == [1, 2]
    governed.erase(m, "ana")
    assert m.replay(job)["result"] == "INPUT_ERASED"
    after = m.job(job)
    assert after["log_id"] is not None
    told = m.read_reflective_log(after["log_id"])["runtime_metrics"]
    assert (after["tokens"], told["tokens_used"]) == (43, 43)
