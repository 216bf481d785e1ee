"""The place of an event in the tree, changed by hand: replay goes by the signed order of a job, verify by both."""

import pytest

import places
from fact_helpers import at_noon


@pytest.mark.breaks_its_store
@pytest.mark.parametrize(
    ("which", "result"),
    [("sequence_index = 3", "INTEGRITY_FAILURE"), ("event_type = 'JOB_CLOSED'", "MATCH")],
    ids=["out of the job's order", "in the job's order still"],
)
def test_a_changed_position(place: places.Place, which: str, result: str):
    with place.open(clock=at_noon()) as m:
        job = m.ask("what is 2 + 2?")["job_id"]
        assert m.replay(job)["result"] == "MATCH"
        with place.sql() as sql:
            sql(f"update events set position = position + 100000 where stream = ? and {which}", (job,))
        assert m.replay(job)["result"] == result
        assert not m.verify(read_only=True)["ok"]
