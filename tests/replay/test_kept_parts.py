"""Replay opens every part that a job kept: whatever is done to one of them, it is named and never MATCH."""

from collections.abc import Callable
from typing import Any

import pytest

import places
from attacks import changed
from mace.agents.asking import Reply, Task
from mace.core import canon
from replay import forging, odd_agents

LONG = "a long answer " * 20_000  # more than a log takes: it lies in an artifact


def says_too_much(task: Task) -> Reply:
    return Reply(text=LONG, confidence=0.9)


QUESTIONS = [
    ("My name is Ana", "ana"),
    ("Who am I?", "ana"),
    ("What is my favorite food?", "ana"),  # a miss: what is expected next is kept, too
    ("12 + 30", None),
    ("What is Ohm's law?", "bo"),
    ("Blorp the quux", None),
    ("My SSN is 536-22-8726", "ana"),
]
Damage = Callable[[places.Sql, str], Any]


def _delete(sql: places.Sql, ref: str) -> None:
    sql("delete from vault_blobs where ref = ?", (ref,))


def _flip(sql: places.Sql, ref: str) -> None:
    [(sealed,)] = sql("select sealed from vault_blobs where ref = ?", (ref,))
    sql("update vault_blobs set sealed = ? where ref = ?", (changed(bytes(sealed)), ref))


def _empty(sql: places.Sql, ref: str) -> None:
    sql("update vault_blobs set sealed = ? where ref = ?", (b"", ref))


def _exchange(sql: places.Sql, ref: str) -> None:
    """Put there what lies under another name of the same job or, where there is none, of any other."""
    job = ref.rpartition("/")[2]
    others = sql("select ref, sealed, key_ref from vault_blobs where ref <> ? order by ref", (ref,))
    best = [row for row in others if row[0].endswith(job)] or others
    sql("update vault_blobs set sealed = ?, key_ref = ? where ref = ?", (bytes(best[0][1]), best[0][2], ref))


def _other_key(sql: places.Sql, ref: str) -> None:
    sql("update vault_blobs set key_ref = 'person/user_ana' where ref = ?", (ref,))


@pytest.mark.breaks_its_store
@pytest.mark.parametrize(
    ("damage", "result"),
    [
        (_delete, "MISSING_PERSISTED_AGENT_OUTPUT"),
        (_flip, "INTEGRITY_FAILURE"),
        (_empty, "INTEGRITY_FAILURE"),
        (_exchange, "INTEGRITY_FAILURE"),
        (_other_key, "INTEGRITY_FAILURE"),
    ],
    ids=["deleted", "one bit", "emptied", "exchanged", "another key"],
)
def test_every_part_of_every_question(place: places.Place, damage: Damage, result: str):
    agents = {"creative_agent": says_too_much, "strategy_agent": odd_agents.raises}
    with place.open(agents=agents) as mace:
        asked = [*QUESTIONS, ("Write a poem", "ana"), ("Plan my day", "ana")]
        jobs = [mace.ask(text, user_id)["job_id"] for text, user_id in asked]
        assert {mace.replay(job)["result"] for job in jobs} == {"MATCH"}
    with place.sql() as sql:
        kept = [row[0] for row in sql("select ref from vault_blobs order by ref")]
        kinds = {ref.partition("/")[0] for ref in kept}
        assert {"input", "effect", "output", "verdict", "result", "expects"} <= kinds
        refs = [ref for ref in kept if any(job in ref for job in jobs)]
        before = {ref: sql("select key_ref, sealed from vault_blobs where ref = ?", (ref,))[0] for ref in refs}
    with place.open(agents=agents, read_only=True) as mace, place.sql() as sql:
        for ref in refs:
            job = next(job for job in jobs if job in ref)
            damage(sql, ref)
            outcome = mace.replay(job)
            assert outcome["result"] == result, (ref, outcome)
            assert ref.removesuffix(f"/{job}") in str(outcome["first_difference"]), (ref, outcome)
            key_ref, sealed = before[ref]
            sql("delete from vault_blobs where ref = ?", (ref,))
            sql("insert into vault_blobs (ref, key_ref, sealed) values (?, ?, ?)", (ref, key_ref, bytes(sealed)))
        assert {mace.replay(job)["result"] for job in jobs} == {"MATCH"}


@pytest.mark.breaks_its_store
@pytest.mark.parametrize("name", ["input", "output/0", "verdict/1", "result", "expects"])
def test_a_part_that_somebody_with_the_keys_sealed_anew(mace_home: places.SqlitePlace, name: str):
    """It opens, and it is not what the ledger says."""
    with mace_home.open() as mace:
        text = "What is my favorite food?" if name == "expects" else "12 + 30"
        answer = mace.ask(text, "ana")
        ref, parts = f"{name}/{answer['job_id']}", mace._parts
        key = parts.world.store.read(lambda tx: parts.vault.open_key(tx, f"job/{answer['job_id']}"))
    other = forging.keys_of(mace_home).seal(key, canon.dumps({"text": "another"}), f"blob/{ref}")
    with mace_home.sql() as sql:
        sql("update vault_blobs set sealed = ? where ref = ?", (other, ref))
    with mace_home.open() as mace:
        outcome = mace.replay(answer["job_id"])
        assert (outcome["result"], outcome["first_difference"]["where"]["ref"]) == ("INTEGRITY_FAILURE", ref)
