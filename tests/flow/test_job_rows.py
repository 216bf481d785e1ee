"""Rows of jobs changed in the database: nobody sees more, nothing answers otherwise."""

from pathlib import Path

import pytest

import places
from governed import House, owned
from mace.core.errors import NotFound


@pytest.mark.breaks_its_store
class TestChangedRows:
    def test_a_job_is_not_given_away_by_its_row(self, place: places.Place, tmp_path: Path):
        house = House(tmp_path, place=place)
        job = house.m.ask("My name is Bob", "bob")["job_id"]
        own = house.m.ask("12 + 30", "mallory")["job_id"]
        with place.sql() as sql:
            sql("update jobs set person = 'user_mallory' where stream = ?", (job,))
        mallory = house.m.acting_as(house.m.on_behalf_of("mallory"))
        bob = house.m.acting_as(house.m.on_behalf_of("bob"))
        assert [item["job_id"] for item in mallory.jobs.list()["items"]] == [own]
        for looks in (mallory.replay, mallory.request_review):
            with pytest.raises(NotFound):
                looks(job)
        assert [item["job_id"] for item in bob.jobs.list()["items"]] == []  # lost from the index
        house.close()

    def test_a_deleted_row_takes_nothing_away(self, place: places.Place, tmp_path: Path):
        house = House(tmp_path, place=place)
        answer = house.m.ask("My name is Bob", "bob", "seed")
        with place.sql() as sql:
            sql("delete from jobs")
        bob = house.m.acting_as(house.m.on_behalf_of("bob"))
        assert bob.read_reflective_log(answer["log_id"])
        assert bob.replay(answer["job_id"])["result"] == "INTEGRITY_FAILURE"
        again = house.m.ask("My name is Eve", "eve", "seed")
        assert again["error"] is not None and again["error"]["error_code"] == "CONFLICT"
        with pytest.raises(NotFound):
            house.m.acting_as(house.m.on_behalf_of("eve")).replay(answer["job_id"])
        house.close()


class TestSeedsOfOthers:
    def test_a_seed_that_a_verb_used_is_a_conflict_and_no_alarm(self, place: places.Place):
        with place.open() as m:
            lived = {"space": "task:mail", "entity": "path:smtp", "state": "accept", "content": "it worked"}
            m.experience.write(lived, "solver", job_seed="S")
            told = m.ask("what is 2+2", "bob", "S")
            assert told["error"] is not None and told["error"]["error_code"] == "CONFLICT"
            assert "INTEGRITY_FAILURE" not in [event["event_type"] for event in m.events("system")]
            m.experience.write(lived, "solver", job_seed="S")  # it stays good for whoever had it
            assert m.ask("what is 2+2", None, "S")["answer"] == "2 + 2 = 4"
            assert m.verify()["ok"]

    def test_words_do_not_join_the_job_of_somebody_else(self, place: places.Place):
        with place.open() as m:
            m.ask("My name is Bob", "bob", "S")
            put = m.sem_put("user/profile/user_ana/name", "Ana", "user", user_id="ana", job_seed="S")
            assert put["error_code"] == "CONFLICT"
            assert m.sem_put("user/profile/user_bob/pet", "cat", "user", user_id="bob", job_seed="S")["success"]
            assert m.verify()["ok"]


@pytest.mark.breaks_its_store
@pytest.mark.parametrize("how", ["deleted", "changed"])
def test_an_export_names_what_can_no_longer_be_read(place: places.Place, tmp_path: Path, how: str):
    house = House(tmp_path, place=place)
    m = owned(house.m)
    jobs = [m.ask(text, "ana")["job_id"] for text in ("12 + 30", "12 + 31", "12 + 32")]
    consent = m.grant_consent("ana", "Keep my address.")["consent_id"]
    with place.sql() as sql:
        for ref in (f"result/{jobs[1]}", f"input/{jobs[2]}", f"consent/{consent}"):
            if how == "deleted":
                sql("delete from vault_blobs where ref = ?", (ref,))
            else:
                sql("update vault_blobs set sealed = ? where ref = ?", (bytes(60), ref))
    told = m.request_dsr("ana", "export", m.accounts.issue_identity_proof("ana")["proof"])
    assert told["success"] and told["package"] is not None
    seen = {job["job_id"]: (job["question"], job["answer"], job.get("damaged")) for job in told["package"]["jobs"]}
    assert seen == {
        jobs[0]: ("12 + 30", "12 + 30 = 42", None),
        jobs[1]: ("12 + 31", None, ["answer"]),
        jobs[2]: (None, "12 + 32 = 44", ["question"]),
    }
    assert [(item["text"], item.get("damaged")) for item in told["package"]["consents"]] == [(None, ["text"])]
    house.close()
