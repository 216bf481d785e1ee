"""Whatever anybody types: a question ends with an answer of the known form, on the record, and replays."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import places
from mace.core import canon
from mace.core.errors import FAILURES

FRAGMENTS = st.sampled_from(
    [
        "my name is ",
        "What is my ",
        "remember my favourite ",
        "forget my ",
        "who am I",
        "what is ",
        "define ",
        "12 + ",
        "integrate x^2 dx ",
        "solve x = ",
        "write a poem ",
        "plan ",
        "search ",
        "ana@example.com ",
        "4111 1111 1111 1111 ",
        " is ",
        "blue",
        "?",
        "’",
        "\u200b",
        "\u202e",
        "\x00",
        "🐻",
        "\ud800",
        "<script>",
        "[redacted]",
    ]
)
TEXTS = st.lists(FRAGMENTS | st.text(max_size=20), max_size=8).map("".join)
USERS = st.none() | st.sampled_from(["ana", "Ana!", "größe", "", "a" * 90, "ana@example.com"]) | st.text(max_size=12)


def check(root: Path, examples: int) -> None:
    place = places.SqlitePlace(root)
    with place.open() as mace:

        @settings(
            max_examples=examples, deadline=None, database=None, suppress_health_check=[HealthCheck.differing_executors]
        )
        @given(text=TEXTS, user_id=USERS)
        def ask(text: str, user_id: str | None) -> None:
            answer = mace.ask(text, user_id)
            canon.dumps(answer)
            assert answer["log_id"] is not None
            assert {notice["error_code"] for notice in answer["notices"]} <= set(FAILURES)
            assert answer["answer"] is not None or answer["error"] is not None
            assert "AGENT_ERROR" not in [notice["error_code"] for notice in answer["notices"]], text
            assert mace.replay(answer["job_id"])["result"] == "MATCH"

        ask()
        assert mace.verify()["ok"]


def test_any_text_is_answered_and_replays(tmp_path: Path):
    check(tmp_path, 80)


@pytest.mark.long
def test_many_more_texts(tmp_path: Path):
    check(tmp_path, 3000)
