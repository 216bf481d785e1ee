"""What a program learned from the world is stored before it acts on it: another life would learn something else."""

import json
from collections.abc import Callable
from typing import Any

import pytest

import places
from mace import Job, program


def _own(job: Job) -> str:
    return job.uuid()


def _of_a_branch(job: Job) -> str:
    with job.branch("keys") as branch:
        return branch.uuid()


def _of_a_branch_in_a_branch(job: Job) -> str:
    with job.branch("keys") as branch, branch.branch("inner") as inner:
        return inner.uuid()


def _of_mapped_ones(job: Job) -> str:
    return "".join(job.map(lambda branch, _item: branch.uuid(), [0, 1, 2], at_most=2)[-1:])


def _by_the_job(job: Job, key: str, pay: Callable[[Any], Any]) -> Any:
    return job.call("pay", {"key": key}, pay, idempotent=True)


def _by_a_branch(job: Job, key: str, pay: Callable[[Any], Any]) -> Any:
    with job.branch("pays") as branch:
        return branch.call("pay", {"key": key}, pay, idempotent=True)


def _by_mapped_ones(job: Job, key: str, pay: Callable[[Any], Any]) -> Any:
    return job.map(lambda branch, _item: branch.call("pay", {"key": key}, pay, idempotent=True), [0, 1])[0]


@pytest.mark.parametrize("learns", [_own, _of_a_branch, _of_a_branch_in_a_branch, _of_mapped_ones])
@pytest.mark.parametrize("acts", [_by_the_job, _by_a_branch, _by_mapped_ones])
def test_a_key_that_was_made_up_is_stored_before_anything_is_paid_with_it(
    mace_home: places.SqlitePlace, learns: Callable[[Job], str], acts: Callable[..., Any]
):
    def pay(request: Any) -> Any:
        with mace_home.sql(keep_triggers=True) as sql:  # from outside: what a next life would find
            said = [json.loads(bytes(body))["payload"] for (body,) in sql("select body from events")]
        return request["key"] in [item.get("value") for item in said]

    @program("pays", version="1")
    def pays(job: Job, given: Any) -> Any:
        return acts(job, learns(job), pay)

    with mace_home.open(programs=[pays]) as m:
        answer = m.perform("pays", None)
        assert answer["answer"] is True
        assert m.replay(answer["job_id"])["result"] == "MATCH"
