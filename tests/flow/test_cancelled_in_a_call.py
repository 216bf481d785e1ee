"""A job that is cancelled while it waits for a call is cancelled, and not failed."""

import threading
import time
from typing import Any

import pytest

import mace
import places
from mace import Job, program
from mace.core import seeds

SEED = "cancelled"


@pytest.mark.parametrize("where", ["job", "branch", "map"])
def test_the_job_stops_there(place: places.Place, where: str):
    inside, never = threading.Event(), threading.Event()

    def waits(request: Any) -> Any:
        inside.set()
        never.wait(60)

    @program("waits", version=where)
    def run(job: Job, given: Any) -> Any:
        if where == "job":
            job.call("long", {}, waits)
        elif where == "branch":
            with job.branch("aside") as branch:
                branch.call("long", {}, waits)
        else:
            job.map(lambda branch, _item: branch.call("long", {}, waits), [0, 1])
        return "not reached"

    _assert_cancelled(place, run, inside)
    never.set()


def test_who_catches_it_is_stopped_at_the_next_step(place: places.Place):
    inside, never = threading.Event(), threading.Event()
    caught: list[str] = []

    def waits(request: Any) -> Any:
        inside.set()
        never.wait(60)

    @program("waits", version="1")
    def run(job: Job, given: Any) -> Any:
        try:
            job.call("long", {}, waits)
        except mace.CallFailed as failed:
            caught.append(failed.kind)
        job.call("next", {}, lambda request: caught.append("next"))
        return "not reached"

    _assert_cancelled(place, run, inside)
    assert set(caught) == {"cancelled"}
    never.set()


def _assert_cancelled(place: places.Place, run: Any, inside: threading.Event) -> None:
    answers: list[Any] = []
    with place.open(programs=[run]) as m:
        thread = threading.Thread(target=lambda: answers.append(m.perform("waits", None, "ana", SEED)))
        thread.start()
        assert inside.wait(30)
        time.sleep(0.05)
        m.cancel(seeds.job_id(SEED), "not needed any more")
        thread.join()
        [answer] = answers
        assert (answer["status"], answer["error"]["error_code"]) == ("cancelled", "CONFLICT")
        events = [event["event_type"] for event in m.events(seeds.job_id(SEED))]
        assert events.count("JOB_CANCELLED") == 1
        assert m.job(seeds.job_id(SEED))["status"] == "cancelled"
        assert m.replay(seeds.job_id(SEED))["result"] == "MATCH"
        assert m.verify()["ok"]
