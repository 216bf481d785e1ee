"""What arrives after an erasure for an older job or write: dropped, and said so; nothing is "saved" that is not."""

from collections.abc import Generator

import places
from governed import erase, owned, with_forensic_key
from mace.agent import write_fact
from mace.agents.asking import Effect, Reply, Result, Task
from mace.core import seeds
from mace.engine.runtime import Mace

PET = "user/profile/user_ana/pet"


def test_a_question_whose_person_is_erased_while_it_is_answered(place: places.Place):
    held: list[Mace] = []

    def slow(task: Task) -> Generator[Effect, Result, Reply]:
        erase(held[0], "ana")
        done = yield write_fact(PET, "cat", "ana")
        return Reply(text=f"wrote: {done.failed}", confidence=1.0)

    with place.open(agents={"generic_agent": slow}) as m:
        held.append(m)
        with_forensic_key(m)
        m.ask("My name is Ana", "ana")
        told = m.ask("Blorp the quux", "ana", "late")
        assert told["error"] is not None and (told["error"]["error_code"], told["answer"]) == ("CONFLICT", None)
        assert m.sem_get(PET)["exists"] is False and m.sem_history(PET) == []
        job = seeds.job_id("late")
        assert [event["event_type"] for event in m.events(job)] == ["JOB_OPENED", "JOB_ABANDONED"]
        assert [item["status"] for item in m.jobs.list()["items"] if item["job_id"] == job] == ["abandoned"]
        assert m.replay(job)["result"] == "INPUT_ERASED"
        assert m.sem_put(PET, "dog", "user", user_id="ana", job_seed="late")["error_code"] == "CONFLICT"
        again = m.ask("12 + 30", "ana", "late")
        assert again["error"] is not None and again["error"]["error_code"] == "CONFLICT"
        assert m.ask("12 + 30", "ana")["error"] is None  # under a new seed they start anew
        assert m.verify()["ok"]


def test_an_answered_write_is_forgotten_with_its_person(place: places.Place):
    with place.open() as m:
        with_forensic_key(m)
        for key, person in ((PET, "ana"), ("user/profile/user_bob/pet", "bob")):
            assert m.sem_put(key, "cat", "user", user_id=person, idempotency_key="form-1")["success"]
        erase(m, "ana")
        with place.sql(keep_triggers=True) as sql:
            assert sql("select count(*) from idempotency") == [(1,)]
        assert m.sem_put(PET, "cat", "user", user_id="ana", idempotency_key="form-1")["success"]
        assert owned(m).sem_get(PET)["value"] == "cat"  # what is said to be saved is there
        assert m.verify()["ok"]
