"""Questions that the router sends to those who write: memory answers first."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import places
from mace.providers.models.port import ModelAnswer, ModelRequest


class Inventing:
    """An engine that knows everybody's name."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def complete(self, request: ModelRequest, *, time_limit_s: float | None = None) -> ModelAnswer:
        self.asked.append(request.prompt)
        return ModelAnswer(
            text="Ida Moen, since the spring, as everybody here will gladly say.",
            input_tokens=1,
            output_tokens=1,
            model="inventing",
            provider="scripted",
            finish_reason="stop",
            time_ms=0,
        )


@pytest.mark.parametrize("has_engine", [True, False])
@pytest.mark.parametrize(
    ("question", "known"),
    [
        ("Who is the manager of the Kelda plant?", "Tomas Reke"),
        ("Who is the author of the Holm story?", "Tomas Reke"),
        ("What is my favourite song?", "Vesna"),
    ],
)
def test_what_is_stored_is_the_answer(mace_home: places.SqlitePlace, question: str, known: str, has_engine: bool):
    engine = Inventing()
    with mace_home.open(language=engine if has_engine else None) as mace:
        mace.sem_put("world/fact/kelda_plant/manager", "Tomas Reke", "system_admin")
        mace.sem_put("world/fact/holm_story/author", "Tomas Reke", "system_admin")
        mace.ask("My favourite song is Vesna", "ana")
        answer = mace.ask(question, "ana")
        assert known in answer["answer"] and answer["notices"] == []
        assert engine.asked == []
        assert mace.replay(answer["job_id"])["result"] == "MATCH"


def test_a_passage_is_read_before_a_plan_is_made(mace_home: places.SqlitePlace, tmp_path: Path):
    store = tmp_path / "passages.jsonl"
    store.write_text('{"memory_id": "m1", "text": "The manager of the Kelda plant is Tomas Reke."}\n')
    mace_home.settings = replace(mace_home.settings, context_stores=str(store))
    with mace_home.open() as mace:
        answer = mace.ask("Who is the manager of the Kelda plant?")
        assert "Tomas Reke" in answer["answer"]


@pytest.mark.parametrize("question", ["Who is the manager of the Kelda plant?", "Who is the author of the Holm story?"])
def test_what_is_not_stored_is_a_plain_miss_without_an_engine(mace_home: places.SqlitePlace, question: str):
    with mace_home.open() as mace:
        assert _codes(mace.ask(question)) == ["SEM_NOT_FOUND"]


def test_what_an_engine_knows_of_a_story_is_said_with_caution(mace_home: places.SqlitePlace):
    with mace_home.open(language=Inventing()) as mace:
        answer = mace.ask("Who is the author of the Holm story?")
        assert "LOW_CONFIDENCE" in _codes(answer)


@pytest.mark.parametrize(
    "order", ["Tell me a story about entropy", "Write a poem about the Kelda plant", "Plan my week"]
)
def test_a_text_that_is_to_be_written_is_written(mace_home: places.SqlitePlace, order: str):
    engine = Inventing()
    with mace_home.open(language=engine) as mace:
        mace.sem_put("world/fact/entropy/definition", "a measure of disorder", "system_admin")
        assert mace.ask(order, "ana")["agent_id"] in ("creative_agent", "strategy_agent")
        assert engine.asked


def _codes(answer: Any) -> list[str]:
    return [notice["error_code"] for notice in answer["notices"]]
